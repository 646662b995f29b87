"""The threshold at which a model's calls would be cheapest."""

from __future__ import annotations

from trueerror.curves._operating_point import OperatingPoint
from trueerror.curves._roc import roc
from trueerror.inputs._costs import cost_matrix
from trueerror.metrics._registry import class_shares
from trueerror.verbs._model_metrics import ModelMetrics

REPLICATES = 1_000


def cheapest_threshold(bench: ModelMetrics) -> OperatingPoint | None:
    """Where costs or another class mix were asked for, and a model of two classes has scores: the best cutoff.

    Its cost is corrected for having been chosen on these rows; None where there is nothing to choose.
    """
    s, p = bench.settings, bench.predictions
    if (s.costs is None and s.prior is None) or p is None or not bench.has_scores or bench.positive is None:
        return None
    if len(bench.labels) != 2 or (s.design == "case-control" and s.prior is None):
        return None
    up = bench.labels.index(bench.positive)
    down = 1 - up
    table = cost_matrix({"fp": 1.0, "fn": 1.0} if s.costs is None else s.costs, bench.labels, bench.positive)
    priced = {
        "cost_fp": float(table[down, up]),
        "cost_fn": float(table[up, down]),
        "cost_tp": float(table[up, up]),
        "cost_tn": float(table[down, down]),
    }
    prior = None if s.prior is None else float(class_shares(s.prior, bench.labels, bench.positive)[up])
    if priced["cost_fp"] <= priced["cost_tn"] or priced["cost_fn"] <= priced["cost_tp"] or prior in (0.0, 1.0):
        return None  # one answer never costs more than the other: no threshold follows
    if min(p.truth_counts()) == 0:
        return None
    return roc(p, model=bench.model).operating_point(
        prior=prior, confidence=s.confidence, replicates=min(s.replicates, REPLICATES), rng=s.rng, **priced
    )
