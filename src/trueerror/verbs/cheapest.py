"""The threshold at which one model's calls would be cheapest, and how it is told beside the metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from trueerror.curves.operating import OperatingPoint
from trueerror.curves.receiver import roc
from trueerror.inputs.costs import cost_matrix
from trueerror.inputs.errors import InputError
from trueerror.metrics.priors import class_shares
from trueerror.results import Table
from trueerror.results.words import number

if TYPE_CHECKING:
    from trueerror.verbs.bench import Bench
    from trueerror.verbs.evaluation import Evaluation

REPLICATES = 1_000


def named_costs(costs: Any, cost_fp: float | None, cost_fn: float | None) -> Any:
    """A cost matrix, from a table or from the costs of the two errors; an error that is not priced costs 1.

    >>> named_costs(None, None, 10)
    {'fp': 1.0, 'fn': 10.0}
    """
    if cost_fp is None and cost_fn is None:
        return costs
    if costs is not None:
        raise InputError("costs= says what every call costs; leave cost_fp= and cost_fn= out")
    given = {"fp": 1.0 if cost_fp is None else float(cost_fp), "fn": 1.0 if cost_fn is None else float(cost_fn)}
    for key, cost in given.items():
        if not (math.isfinite(cost) and cost > 0):
            raise InputError(f"cost_{key}={cost!r} must be a number above 0: what one such error costs")
    return given


def cheapest_threshold(bench: Bench) -> OperatingPoint | None:
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
        return None  # one call is never dearer than the other: no threshold follows
    if min(p.truth_counts()) == 0:
        return None
    return roc(p, model=bench.model).operating_point(
        prior=prior, confidence=s.confidence, replicates=min(s.replicates, REPLICATES), rng=s.rng, **priced
    )


def thresholds_table(ev: Evaluation) -> Table | None:
    """A row for each model that has one; None where none has."""
    from trueerror.verbs.evaluation_words import short

    rows = []
    for part in ev.parts:
        point = part.cheapest
        if point is None:
            continue
        cut = "none" if math.isinf(point.threshold) else number(point.threshold)
        found = "not known" if math.isnan(point.optimism) else short(point.corrected)
        plain = "" if math.isnan(point.untuned) else number(point.untuned)
        rows.append((part.name, cut, number(point.cost), found, plain))
    if not rows:
        return None
    title = "Cost-optimal thresholds (chosen on these rows: their cost here flatters):"
    columns = ("model", "from", "cost a row", "out of the bag", "by costs alone")
    return Table(columns=columns, rows=tuple(rows), title=title)
