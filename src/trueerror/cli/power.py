"""`trueerror power`: what would a test set of this size find?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag
from trueerror.inputs._groups import Group, option
from trueerror.inputs._options import InputError
from trueerror.results import Alternative
from trueerror.results._format import filled, in_points, number, percent, percents, real_minus, whole

if TYPE_CHECKING:
    from trueerror.inference.power._sample_size import Power

WIDTH = 80
ENOUGH, HARDLY = 0.8, 0.5
NEEDS_FIRST = ("margin", "alternative", "icc_right", "icc_between")
SHARES = ("mcnemar", "two-proportions", "one-proportion", "equivalence", "noninferiority")


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EffectOptions(Group):
    """Which test is planned, and how good the two are."""

    test: str = option(
        "mcnemar", "mcnemar (two models on the same rows), two-proportions (on different rows), one-proportion, auc, "
        "equivalence, noninferiority, paired-mean, paired-t or unpaired-t.", "WORD")
    first: float | None = option(None, "Accuracy (or AUC, or mean) of the first.", "NUMBER", float)
    second: float | None = option(None, "Accuracy (or AUC, or mean) of the second.", "NUMBER", float)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DesignOptions(Group):
    """What else decides how many rows a test takes."""

    disagreement: float | None = option(
        None, "Share of rows that only one of two models gets right.", "SHARE", float)
    prevalence: float | None = option(None, "For auc: share of positives.", "SHARE", float)
    icc: float | None = option(
        None, "For clustered rows: the correlation of two rows of a cluster, of being right, or of the differences "
        "where two models share the rows.", "SHARE", float)
    icc_right: float | None = option(
        None, "Instead of --icc for two models: correlation of one model with itself.", "SHARE", float)
    icc_between: float | None = option(
        None, "With --icc-right: correlation of one model with the other.", "SHARE", float)
    cluster_size: float | None = option(None, "For clustered rows: rows in a cluster.", "NUMBER", float)
    margin: float | None = option(
        None, "For equivalence, noninferiority: the largest difference that does not matter.", "NUMBER", float)
    alpha: float = option(0.05, "Significance level.", "SHARE", float)
    alternative: Alternative = option("two-sided", "two-sided, greater or less.", "WORD")
    method: str | None = option(None, "For mcnemar: mid-p, exact, chi2, chi2-cc or normal.", "WORD")
    correlation: float | None = option(None, "For auc on the same rows: correlation of the two areas.", "NUMBER", float)
    sd: float | None = option(None, "For means: standard deviation of a difference.", "NUMBER", float)
    # fmt: on


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


def written(*sentences: str, note: str = "") -> str:
    """The verdict indented, then the note."""
    text = " ".join(s for s in sentences if s)
    blocks = [filled(text, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")]
    if note:
        blocks.append(filled(f"Note: {note}.", WIDTH, subsequent_indent="  "))
    return "\n".join([*blocks, "Add --explain for how it was computed."])


POWER_HELP = "The power of N rows to show a difference; with --second alone, the smallest detectable difference."
POWER_EPILOG = (
    "Examples: trueerror power --n 500 --first 0.82 --second 0.80 --disagreement 0.025 · "
    "trueerror power --n 500 --second 0.80 · trueerror power --test auc --n 400 --first 0.7 --prevalence 0.3"
)


@command
def power_command(
    *,
    n: Annotated[int, flag("Rows (in each group, for two groups).", "N")],
    effect: EffectOptions,
    design: DesignOptions,
    power: Annotated[float, flag("Without --first: the power to reach.", "SHARE")] = 0.8,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """How surely so many rows would show a difference."""
    from trueerror.inference.power import _sample_size as planning

    if effect.first is None and effect.second is None and effect.test in SHARES:
        raise InputError(
            "--second is needed: the accuracy that you start from, such as 0.8, for the smallest difference that these "
            "rows show; with --first too, how surely they show the difference between the two"
        )
    if effect.first is None and effect.second is not None:
        given, usual = asdict(design) | {"test": effect.test}, asdict(DesignOptions())
        for key in NEEDS_FIRST:
            if given.pop(key) != usual[key]:
                raise InputError(f"{key}= needs --first too: the smallest difference is found without it")
        smallest = planning.smallest_difference(n=n, baseline=effect.second, power=power, **given)
        output.show(smallest, lambda: _smallest(smallest))
        return
    plan = planning.power(n=n, **asdict(effect), **asdict(design))
    output.show(plan, lambda: _power(plan))


def _power(plan: Power) -> str:
    verdict = "Enough" if plan.power >= ENOUGH else "Hardly enough" if plan.power >= HARDLY else "Too few"
    lead = f"{verdict}: {rows_of(plan)} {goal_of(plan)}."
    return written(lead, caution_of(plan), note=plan.note)


def _smallest(plan: Power) -> str:
    lead = f"{rows_of(plan)} {goal_of(plan)}; smaller differences are found less often."
    return written(lead, caution_of(plan), note=plan.note)
