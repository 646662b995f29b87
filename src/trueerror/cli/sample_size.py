"""`trueerror sample-size`: how many rows does an answer take?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag
from trueerror.results._format import percent

if TYPE_CHECKING:
    from trueerror.inference.power._sample_size import Power
from trueerror.cli.power import DesignOptions, EffectOptions, caution_of, goal_of, rows_of, written

SAMPLE_SIZE_HELP = "Number of rows that show a difference, or that give an accuracy its precision."
SAMPLE_SIZE_EPILOG = (
    "Examples: trueerror sample-size --first 0.87 --second 0.85 --disagreement 0.1 · "
    "trueerror sample-size --accuracy 0.9 --half-width 0.02 · "
    "trueerror sample-size --test two-proportions --first 0.8 --second 0.85"
)


@command
def sample_size_command(
    *,
    effect: EffectOptions,
    power: Annotated[float, flag("The power to reach.", "SHARE")] = 0.8,
    accuracy: Annotated[float | None, flag("Expected accuracy; with --half-width.", "SHARE")] = None,
    half_width: Annotated[float | None, flag("Half the width of the interval, such as 0.02.", "SHARE")] = None,
    design: DesignOptions,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """How many rows an answer takes."""
    from trueerror.inference.power._sample_size import sample_size

    plan = sample_size(power=power, accuracy=accuracy, half_width=half_width, **asdict(effect), **asdict(design))
    output.show(plan, lambda: _size(plan))


def _size(plan: Power) -> str:
    if plan.half_width is not None:
        lead = (
            f"{rows_of(plan)}: an accuracy near {100 * plan.first:.1f} % is then known to "
            f"±{100 * plan.half_width:.3g} points ({percent(round(1 - plan.alpha, 6))} interval)."
        )
        return written(lead, note=plan.note)
    return written(f"{rows_of(plan)} {goal_of(plan)}.", caution_of(plan), note=plan.note)
