"""Which row of the decision table a metric falls under, and which methods can be asked for there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.binomial import BINOMIAL_METHODS
from trueerror.metrics.registry import Measure, find_measure
from trueerror.tallies.counts import ClassCounts

# Metrics near to F1 in shape: Wilson's interval of an effective Jaccard index covers them as well as F1 (simulated).
LIKE_F1 = ("f1", "f_beta", "fowlkes_mallows")
# One less than the sum of two proportions of different rows: recall and specificity, precision and its negative twin.
SUMS_OF_TWO = {"informedness": ("recall", "specificity"), "markedness": ("precision", "npv")}
# Recalls weighted by their class's rows are the accuracy.
_RIGHT: Callable[[ClassCounts], Any] = lambda t: (t.hits.sum(axis=-1), t.truth.sum(axis=-1))  # noqa: E731
_WRONG: Callable[[ClassCounts], Any] = lambda t: ((t.truth - t.hits).sum(axis=-1), t.truth.sum(axis=-1))  # noqa: E731
WEIGHTED_SHARES = {"weighted_recall": _RIGHT, "weighted_fnr": _WRONG}

BOOTSTRAPS = ("bootstrap-bca", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal", "bootstrap-studentised")


def share_of(measure: Measure) -> Callable[[Any], tuple[Any, Any]] | None:
    """Successes and trials, where the metric is a share of rows."""
    return measure.share or WEIGHTED_SHARES.get(measure.name)


def situation_of(measure: Measure) -> str:
    """The row of the decision table that gives the metric's default interval.

    >>> situation_of(find_measure("macro_precision")), situation_of(find_measure("f_beta"))
    ('macro-of-shares', 'f1')
    """
    if measure.name in WEIGHTED_SHARES or share_of(measure) is not None:
        return "proportion"
    if measure.average == "macro":
        base = find_measure(measure.of)
        if base.name in LIKE_F1:
            return "macro-f1"
        if base.share is not None:
            return "mean-of-recalls" if base.name in ("recall", "fnr") else "macro-of-shares"
    elif measure.name in LIKE_F1:
        return "f1"
    elif measure.name == "g_mean":
        return "geometric-mean"
    elif measure.name in SUMS_OF_TWO:
        return "mean-of-recalls"
    if measure.name in ("cost", "expected_cost"):
        return "mean-cost"
    if measure.situation != "smooth" or measure.name == "kappa":
        return measure.situation
    return {(0.0, 1.0): "smooth-share", (-1.0, 1.0): "correlation"}.get(measure.range, "ratio")


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
    "mean-loss": ("t-mean",),
    "other": (),
}


def chosen_method(measure: Measure, situation: str, method: str | None, default: str) -> str:
    """The method asked for, or the default; words that the metric has no use for are an error that lists the rest.

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
