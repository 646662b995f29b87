"""Average precision: Boyd's interval, which takes it for a share of the positives, and which rows decide it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._sample import scored
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import effective_rows
from trueerror.inference.proportion._distributions import on_logit, share_limits
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics.scores import average_precision, average_precision_slopes
from trueerror.results._format import whole
from trueerror.tallies._scores import ScoreTable


def average_precision_limits(estimate: float, positives: float, spec: IntervalSpec) -> tuple[float, float, str, str]:
    """Boyd's logit θ ± z/√(P·θ(1 − θ)); Wilson's interval at the P positives where P·θ(1 − θ) is below 1.

    There the logit interval widens without bound; at θ = 1 it has no width at all.
    """
    spread = positives * estimate * (1 - estimate)
    if spread < 1:
        low, high = share_limits(estimate * positives, positives, "wilson", spec.level, spec.side)
        rows = f"{whole(round(positives, 1))} positive{'' if positives == 1 else 's'}"
        note = f"few positives or a value near its end: Wilson's interval at the {rows}"
        return float(low), float(high), "wilson-boyd", note
    # Boyd's error on the logit scale is that of a proportion of P rows.
    low, high = on_logit(estimate, estimate * (1 - estimate) / positives, spec.factor())
    return float(low), float(high), "boyd-logit", ""


@inference_method("boyd-logit", on=ONE, applies=lambda q: scored(q) and q.metric.by_rank and not q.metric.area)
def boyd_logit(q: Problem[ScoreSample]) -> IntervalLimits:
    """Boyd's interval, or Wilson's near the ends."""
    return IntervalLimits(*average_precision_limits(q.sample.estimate, effective_rows(q.sample.table)[0], q.spec))


class DecidedBy(NamedTuple):
    """How far the negatives decide an average precision.

    `excess` is the variance from the rows' influences over Boyd's; `from_negatives` the part of it that negatives have;
    `few` how many equal negatives would have as uneven influences, (Σu²)²/Σu⁴; `moved_to` the value with one more
    negative above all. `heavy` is how many positives a negative counts as, at another class mix, out of `positives`.
    """

    excess: float
    from_negatives: float
    few: float
    value: float
    moved_to: float
    heavy: float = 1.0
    positives: float = math.inf


def decided_by(table: ScoreTable, share: float | None = None) -> DecidedBy | None:
    """Which rows decide the average precision of a table, at another share of positives too.

    None where a class has no rows, or rows have weights.
    """
    if table.squares is not None or not table.n_positive or not table.n_negative or share in (0, 1):
        return None
    few, n = table._at_positives(), float(table.n)
    sizes = float(table.n_positive), float(table.n_negative)
    weights = (1.0, 1.0) if share is None else (share * n / sizes[0], (1 - share) * n / sizes[1])
    counts = [np.asarray(x, dtype=np.float64) for x in (few.positives, few.negatives)]
    ups, downs = (w * x for w, x in zip(weights, counts, strict=True))
    value, u = float(average_precision(few, (ups, downs))), average_precision_slopes(few, (ups, downs))
    squares = (weights[1] * u.negatives) ** 2
    of_negatives, fourth = float(counts[1] @ squares), float((counts[1] * squares) @ squares)
    total, inside = float(counts[0] @ (weights[0] * u.positives) ** 2) + of_negatives, value * (1 - value)
    return DecidedBy(
        excess=total * sizes[0] / inside if inside > 0 else 0.0,
        from_negatives=of_negatives / total if total > 0 else 0.0,
        few=of_negatives**2 / fourth if fourth > 0 else sizes[1],
        value=value,
        moved_to=float(average_precision(few, (np.append(ups, 0.0), np.append(downs, weights[1])))),
        heavy=weights[1] / weights[0],
        positives=math.inf if share is None else sizes[0],
    )
