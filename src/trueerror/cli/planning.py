"""What `trueerror power` and `trueerror sample-size` share: their options, and how a plan speaks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.results.words import filled, number, percent, whole

if TYPE_CHECKING:
    from trueerror.significance.planning import Power

WIDTH = 80
ENOUGH, HARDLY = 0.8, 0.5
SHARES = ("mcnemar", "two-proportions", "one-proportion", "equivalence", "noninferiority")

Test = Annotated[
    str,
    typer.Option(
        "--test",
        help="mcnemar (two models on the same rows), two-proportions (on different rows), one-proportion, auc, "
        "equivalence, noninferiority, paired-mean, paired-t or unpaired-t.",
        metavar="WORD",
    ),
]
First = Annotated[
    float | None, typer.Option("--first", help="Accuracy (or AUC, or mean) of the first.", metavar="NUMBER")
]
Second = Annotated[float | None, typer.Option("--second", help="The same of the second.", metavar="NUMBER")]
Disagreement = Annotated[
    float | None,
    typer.Option("--disagreement", help="Share of rows that only one of two models gets right.", metavar="SHARE"),
]
Prevalence = Annotated[float | None, typer.Option("--prevalence", help="For auc: share of positives.", metavar="SHARE")]
Icc = Annotated[
    float | None, typer.Option("--icc", help="For clustered rows: how alike rows of a cluster are.", metavar="SHARE")
]
ClusterSize = Annotated[
    float | None, typer.Option("--cluster-size", help="For clustered rows: rows in a cluster.", metavar="NUMBER")
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", help="For equivalence, noninferiority: what does not matter yet.", metavar="NUMBER"),
]
Alpha = Annotated[float, typer.Option("--alpha", help="Significance level.", metavar="SHARE")]
Alternative = Annotated[str, typer.Option("--alternative", help="two-sided, greater or less.", metavar="WORD")]
Method = Annotated[
    str | None, typer.Option("--method", help="For mcnemar: mid-p, exact, chi2, chi2-cc or normal.", metavar="WORD")
]
Correlation = Annotated[
    float | None, typer.Option("--correlation", help="For auc on the same rows: of the two areas.", metavar="NUMBER")
]
Sd = Annotated[
    float | None, typer.Option("--sd", help="For means: standard deviation of a difference.", metavar="NUMBER")
]


def rows_of(plan: Power) -> str:
    """ "500 rows", "906 rows in each group"."""
    return f"{whole(plan.n)} rows{' in each group' if plan.groups == 2 else ''}"


def gap_of(plan: Power) -> str:
    """The difference that is planned for, in points where it is one of shares."""
    if plan.test in SHARES:
        return f"{100 * plan.difference:+.1f} points ({100 * plan.first:.1f} % against {100 * plan.second:.1f} %)"
    return f"{plan.difference:+.3g} ({number(plan.first)} against {number(plan.second)})"


def times_in_100(power: float) -> str:
    """A power as people picture it."""
    if power > 0.995:
        return "more than 99 times in 100"
    return "less than 1 time in 100" if power < 0.005 else f"{100 * power:.0f} times in 100"


def goal_of(plan: Power) -> str:
    """What the rows are for, and how often they reach it."""
    often = f"{times_in_100(plan.power)} at the {percent(plan.alpha)} level (power {number(plan.power)})"
    if plan.margin is not None:
        margin = f"{100 * plan.margin:.3g} points"
        return f"show {plan.test} within {margin}, with a true difference of {gap_of(plan)}, {often}"
    return f"find a difference of {gap_of(plan)} {often}"


def caution_of(plan: Power) -> str:
    """How misleading a significant result would be."""
    if math.isnan(plan.exaggeration):
        return ""
    large = f"be {plan.exaggeration:.2f} times too large on average"
    if plan.wrong_sign < 0.001:
        return f"A significant result would hardly ever point the wrong way, and {large}."
    return f"A significant result would point the wrong way with probability {number(plan.wrong_sign)}, and {large}."


def written(*sentences: str, note: str = "") -> str:
    """The verdict indented, then the note."""
    text = " ".join(s for s in sentences if s)
    blocks = [filled(text, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")]
    if note:
        blocks.append(filled(f"Note: {note}.", WIDTH, subsequent_indent="  "))
    return "\n".join([*blocks, "--explain says how it was computed."])
