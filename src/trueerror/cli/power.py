"""`trueerror power`: what would a test set of this size find?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.inputs._options import InputError
from trueerror.results._format import filled

if TYPE_CHECKING:
    from trueerror.inference.power._sample_size import Power

WIDTH = 80
ENOUGH, HARDLY = 0.8, 0.5
NEEDS_FIRST = ("margin", "alternative", "icc_right", "icc_between")


def power_command(*, n: int, power: float, output: OutputOptions, **planned: Any) -> None:
    """How surely so many rows would show a difference."""
    from trueerror.inference.power import _sample_size as planning

    first, second = planned["first"], planned["second"]
    if first is None and second is None and planned["test"] in planning.SHARES:
        raise InputError(
            "--second is needed: the accuracy that you start from, such as 0.8, for the smallest difference that these "
            "rows show; with --first too, how surely they show the difference between the two"
        )
    if first is None and second is not None:
        for key in NEEDS_FIRST:
            if planned[key] not in (None, "two-sided"):
                raise InputError(f"{key}= needs --first too: the smallest difference is found without it")
        known = {key: value for key, value in planned.items() if key not in (*NEEDS_FIRST, "first", "second")}
        smallest = planning.smallest_difference(n=n, baseline=second, power=power, **known)
        output.show(smallest, lambda: plan_text(smallest, after=" Smaller differences are found less often."))
        return
    plan = planning.power(n=n, **planned)
    verdict = "Enough: " if plan.power >= ENOUGH else "Hardly enough: " if plan.power >= HARDLY else "Too few: "
    output.show(plan, lambda: plan_text(plan, verdict))


def plan_text(plan: Power, verdict: str = "", *, after: str = "") -> str:
    """The verdict and what is planned, indented, then the note."""
    sentences = f"{verdict}{plan.goal}{after}{plan.caution}"
    blocks = [filled(sentences, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")]
    if plan.note:
        blocks.append(filled(f"Note: {plan.note}.", WIDTH, subsequent_indent="  "))
    return "\n".join([*blocks, "Add --explain for how it was computed."])
