"""`trueerror sample-size`: how many rows does an answer take?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.cli.power import effect_words, rows_of, written
from trueerror.results._format import percent

if TYPE_CHECKING:
    from trueerror.inference.power._sample_size import Power


def sample_size_command(*, output: OutputOptions, **planned: Any) -> None:
    """How many rows an answer takes."""
    from trueerror.inference.power._sample_size import sample_size

    plan = sample_size(**planned)
    output.show(plan, lambda: _words(plan))


def _words(plan: Power) -> str:
    if plan.half_width is None:
        return effect_words(plan)
    known = f"±{100 * plan.half_width:.3g} points ({percent(round(1 - plan.alpha, 6))} interval)"
    return written(f"{rows_of(plan)}: an accuracy near {100 * plan.first:.1f} % is then known to {known}.", plan.note)
