"""Which methods can be asked for in the situation that a metric falls under (`Measure.situation`)."""

from __future__ import annotations

from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.binomial import BINOMIAL_METHODS
from trueerror.metrics.registry import Measure

# One less than the sum of two proportions of different rows: recall and specificity, precision and its negative twin.
SUMS_OF_TWO = {"informedness": ("recall", "specificity"), "markedness": ("precision", "npv")}

BOOTSTRAPS = ("bootstrap-bca", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal", "bootstrap-studentised")

# What can be asked for besides the default. The bootstraps serve every metric of a confusion matrix.
OFFERED: dict[str, tuple[str, ...]] = {
    "proportion": BINOMIAL_METHODS,
    "f1": ("wilson-f1", "delta", "delta-logit"),
    "macro-f1": ("mover-f1", "takahashi", "delta", "delta-logit"),
    "mean-of-recalls": ("mover-wilson", "delta", "delta-logit", "fisher-z"),
    "macro-of-shares": ("mover-wilson", "delta", "delta-logit"),
    "geometric-mean": ("mover-log", "delta", "delta-logit"),
    "mcc": ("fisher-z", "delta"),
    "smooth": ("delta", "fisher-z"),
    "correlation": ("fisher-z", "delta"),
    "smooth-share": ("delta-logit", "delta"),
    "ratio": ("delta-log", "delta"),
    "mean-cost": ("mover-cost", "t-mean"),
    "mean-loss": ("t-log-mean", "t-mean"),
    "other": (),
}


def chosen_method(measure: Measure, situation: str, method: str | None, default: str) -> str:
    """The method asked for, or the default; words that the metric has no use for are an error that lists the rest.

    >>> from trueerror.metrics.registry import find_measure
    >>> chosen_method(find_measure("f1"), "f1", "bootstrap", "wilson-f1")
    'bootstrap-bca'
    """
    if method is None:
        return default
    word = "bootstrap-bca" if method == "bootstrap" else method
    offered = dict.fromkeys((default, *OFFERED.get(situation, ()), *BOOTSTRAPS))
    if situation == "macro-f1" and measure.name != "macro_f1":
        offered.pop("takahashi", None)
    if measure.name in ("micro_f1", "macro_precision", "macro_recall"):
        offered["takahashi"] = None
    if word not in offered:
        raise InputError(f"method={method!r} is not offered for {measure.name}{nearest(method, offered)}")
    return word
