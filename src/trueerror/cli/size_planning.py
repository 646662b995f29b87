"""`trueerror sample-size`: how many rows does an answer take?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli import planning as plan_
from trueerror.cli.options import Explain, OutputFormat
from trueerror.cli.output import Format, answers, show
from trueerror.results.words import percent

if TYPE_CHECKING:
    from trueerror.significance.planning import Power

HELP = "How many rows it takes to show a difference, or to know an accuracy exactly enough."
EPILOG = (
    "Examples: trueerror sample-size --first 0.87 --second 0.85 --disagreement 0.1 · "
    "trueerror sample-size --accuracy 0.9 --half-width 0.02 · "
    "trueerror sample-size --test two-proportions --first 0.8 --second 0.85"
)


@answers
def command(
    test: plan_.Test = "mcnemar",
    first: plan_.First = None,
    second: plan_.Second = None,
    power: Annotated[float, typer.Option("--power", help="How surely to find it.", metavar="SHARE")] = 0.8,
    accuracy: Annotated[
        float | None, typer.Option("--accuracy", help="About how good; with --half-width.", metavar="SHARE")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="How exactly to know it: ± this.", metavar="SHARE")
    ] = None,
    disagreement: plan_.Disagreement = None,
    prevalence: plan_.Prevalence = None,
    icc: plan_.Icc = None,
    cluster_size: plan_.ClusterSize = None,
    margin: plan_.Margin = None,
    alpha: plan_.Alpha = 0.05,
    alternative: plan_.Alternative = "two-sided",
    method: plan_.Method = None,
    correlation: plan_.Correlation = None,
    sd: plan_.Sd = None,
    form: OutputFormat = Format.text,
    explain: Explain = False,
) -> None:
    """How many rows an answer takes."""
    from trueerror.significance.planning import sample_size

    found = sample_size(
        test=test,  # type: ignore[arg-type]
        power=power,
        first=first,
        second=second,
        disagreement=disagreement,
        prevalence=prevalence,
        icc=icc,
        cluster_size=cluster_size,
        margin=margin,
        alpha=alpha,
        alternative=alternative,  # type: ignore[arg-type]
        method=method,  # type: ignore[arg-type]
        correlation=correlation,
        sd=sd,
        accuracy=accuracy,
        half_width=half_width,
    )
    show(found, form, explain=explain, text=lambda: _size(found))


def _size(plan: Power) -> str:
    if plan.half_width is not None:
        lead = (
            f"{plan_.rows_of(plan)}: an accuracy near {100 * plan.first:.1f} % is then known to "
            f"±{100 * plan.half_width:.3g} points ({percent(round(1 - plan.alpha, 6))} interval)."
        )
        return plan_.written(lead, note=plan.note)
    return plan_.written(f"{plan_.rows_of(plan)} {plan_.goal_of(plan)}.", plan_.caution_of(plan), note=plan.note)
