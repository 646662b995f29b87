"""`trueerror power`: what would a test set of this size find?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import planning as plan_
from trueerror.cli.options import Explain, OutputFormat
from trueerror.cli.output import Format, answers, show

if TYPE_CHECKING:
    from trueerror.significance.planning import Power

HELP = "How surely so many rows would show a difference; with --second alone, the smallest difference they show."
EPILOG = (
    "Examples: trueerror power --n 500 --first 0.82 --second 0.80 --disagreement 0.025 · "
    "trueerror power --n 500 --second 0.80 · trueerror power --test auc --n 400 --first 0.7 --prevalence 0.3"
)


@answers
def command(
    n: Annotated[int, typer.Option("--n", help="Rows (in each group, for two groups).", metavar="N")],
    test: plan_.Test = "mcnemar",
    first: plan_.First = None,
    second: plan_.Second = None,
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
    wanted: Annotated[
        float, typer.Option("--power", help="Without --first: the power to reach.", metavar="SHARE")
    ] = 0.8,
    form: OutputFormat = Format.text,
    explain: Explain = False,
) -> None:
    """How surely so many rows would show a difference."""
    from trueerror.inputs.errors import InputError
    from trueerror.significance.planning import power, smallest_difference

    common: dict[str, Any] = {
        "test": test, "n": n, "disagreement": disagreement, "prevalence": prevalence, "icc": icc,
        "cluster_size": cluster_size, "alpha": alpha, "method": method, "correlation": correlation, "sd": sd,
    }  # fmt: skip
    if first is None and second is None and test in plan_.SHARES:
        raise InputError(
            "--second is needed: the accuracy that you start from, such as 0.8, for the smallest difference that these "
            "rows show; with --first too, how surely they show the difference between the two"
        )
    if first is None and second is not None:
        found = smallest_difference(baseline=second, power=wanted, **common)
        show(found, form, explain=explain, text=lambda: _smallest(found))
        return
    made = power(first=first, second=second, margin=margin, alternative=alternative, **common)  # type: ignore[arg-type]
    show(made, form, explain=explain, text=lambda: _power(made))


def _power(plan: Power) -> str:
    verdict = "Enough" if plan.power >= plan_.ENOUGH else "Hardly enough" if plan.power >= plan_.HARDLY else "Too few"
    lead = f"{verdict}: {plan_.rows_of(plan)} {plan_.goal_of(plan)}."
    return plan_.written(lead, plan_.caution_of(plan), note=plan.note)


def _smallest(plan: Power) -> str:
    lead = f"{plan_.rows_of(plan)} {plan_.goal_of(plan)}; smaller differences they find less often."
    return plan_.written(lead, plan_.caution_of(plan), note=plan.note)
