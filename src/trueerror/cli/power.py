"""`trueerror power`: what would a test set of this size find?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.inputs._options import InputError
from trueerror.results._format import filled, in_points, number, percent, percents, real_minus, whole

if TYPE_CHECKING:
    from trueerror.inference.power._sample_size import Power

WIDTH = 80
ENOUGH, HARDLY = 0.8, 0.5
NEEDS_FIRST = ("margin", "alternative", "icc_right", "icc_between")
SHARES = ("mcnemar", "two-proportions", "one-proportion", "equivalence", "noninferiority")


def power_command(*, n: int, power: float, output: OutputOptions, **planned: Any) -> None:
    """How surely so many rows would show a difference."""
    from trueerror.inference.power import _sample_size as planning

    first, second = planned["first"], planned["second"]
    if first is None and second is None and planned["test"] in SHARES:
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
        lead = f"{rows_of(smallest)} {goal_of(smallest)}; smaller differences are found less often."
        output.show(smallest, lambda: written(f"{lead} {caution_of(smallest)}", smallest.note))
        return
    plan = planning.power(n=n, **planned)
    verdict = "Enough" if plan.power >= ENOUGH else "Hardly enough" if plan.power >= HARDLY else "Too few"
    output.show(plan, lambda: effect_words(plan, f"{verdict}: "))


def effect_words(plan: Power, verdict: str = "") -> str:
    """A verdict, what the rows are for, and how misleading a significant result would be."""
    return written(f"{verdict}{rows_of(plan)} {goal_of(plan)}. {caution_of(plan)}", plan.note)


def rows_of(plan: Power) -> str:
    """ "500 rows", "906 rows in each group"."""
    return f"{whole(plan.n)} rows{' in each group' if plan.groups == 2 else ''}"


def gap_of(plan: Power) -> str:
    """The difference that is planned for, in points where it is one of shares."""
    if plan.test in SHARES:
        return f"{in_points(plan.difference)} points ({100 * plan.first:.1f} % against {100 * plan.second:.1f} %)"
    return f"{real_minus(f'{plan.difference:+.3g}')} ({number(plan.first)} against {number(plan.second)})"


def power_words(power: float) -> str:
    """A power in percent, never 0 or 100."""
    return "> 99.5 %" if power > 0.995 else "< 0.5 %" if power < 0.005 else f"{percents(power, 0)} %"


def goal_of(plan: Power) -> str:
    """What the rows are for, and how surely they reach it."""
    often = f"with {power_words(plan.power)} power at the {percent(plan.alpha)} level"
    if plan.margin is not None:
        margin = f"{100 * plan.margin:.3g} points"
        return f"show {plan.test} within {margin}, with a true difference of {gap_of(plan)}, {often}"
    return f"find a difference of {gap_of(plan)} {often}"


def caution_of(plan: Power) -> str:
    """How misleading a significant result would be."""
    if math.isnan(plan.exaggeration):
        return ""
    large = f"the estimate will be {plan.exaggeration:.2f} times too large on average"
    if plan.wrong_sign < 0.001:
        return f"If the result is significant, its sign is almost surely right; {large}."
    return f"If the result is significant, its sign is wrong with probability {number(plan.wrong_sign)}; {large}."


def written(sentences: str, note: str) -> str:
    """The verdict indented, then the note."""
    blocks = [filled(sentences.strip(), WIDTH - 2, initial_indent="  ", subsequent_indent="  ")]
    if note:
        blocks.append(filled(f"Note: {note}.", WIDTH, subsequent_indent="  "))
    return "\n".join([*blocks, "Add --explain for how it was computed."])
