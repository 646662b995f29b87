"""Limits of a gate: those that hold at every look while rows arrive, and how many rows would decide."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.inference._model_pairs import ModelPair
from trueerror.inference.proportion._sequential import confidence_sequence
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Discordance

# The chance with which `rows_needed` rows decide, if the estimate is right.
POWER_Z = float(special.ndtri(0.8))
BY_CLUSTER = "each cluster counts as one, by its mean"


class Limits(NamedTuple):
    """An estimate between two one-sided limits. `unlike` is False where the two models never differed; `undone_by` says
    how many more rows (or clusters) of the kind that hurts most would undo what the limits say of the line."""

    estimate: float
    low: float
    high: float
    method: str
    n: int
    note: str = ""
    unlike: bool = True
    undone_by: float | None = None
    undone_unit: str | None = None


def differing_rows(pair_: ModelPair) -> Discordance | None:
    """Right and wrong row by row, where the metric is a share of rows and the rows do not depend on each other."""
    rows, measure = pair_.rows, pair_.rows.measure
    plain = measure.of_labels and measure.share and not rows.clustered and not rows.p.repeated
    return pair_.discordance if plain else None


def watched(pair_: ModelPair, level: float) -> Limits:
    """One-sided limits that hold at every look."""
    counts = differing_rows(pair_)
    if counts is not None:
        if not counts.n:
            return Limits(math.nan, math.nan, math.nan, "betting-sequence", 0, "no rows: nothing is known")
        return _betting(counts.only_first, counts.only_second, counts.n, level)
    if pair_.rows.clustered and pair_.rows.measure.right_or_wrong:
        return _betting(*_cluster_means(pair_), None, level)._replace(note=BY_CLUSTER)
    if pair_.rows.measure.of_grades:
        low, high = pair_.rows.measure.range
        first, second = (_graded_means(pair_.rows.p, m) for m in (pair_.first, pair_.second))
        known = ~np.isnan(first - second)
        limits = _betting((first[known] - low) / (high - low), (second[known] - low) / (high - low), None, level)
        ends = {end: getattr(limits, end) * (high - low) for end in ("estimate", "low", "high")}
        return limits._replace(**ends, note=BY_CLUSTER if pair_.rows.clustered else "")
    raise _not_watched(pair_.rows.measure, pair_.rows.p)


def _graded_means(p: Predictions, model: str) -> Floats:
    """The grade of each row, or the mean of each cluster; NaN where there is none."""
    source = p.source.fetched()
    scores = source.columns[model].scores
    assert scores is not None
    grades = scores[:, 0].astype(np.float64)
    if not p.has_key("clusters"):
        return grades
    codes, known = source.keyed["clusters"].codes, ~np.isnan(grades)
    sizes = np.bincount(codes[known], minlength=len(source.keyed["clusters"].names))
    with np.errstate(invalid="ignore"):
        return np.bincount(codes[known], weights=grades[known], minlength=len(sizes)) / sizes


def _betting(first: Any, second: Any, n: int | None, level: float) -> Limits:
    # Two one-sided sequences, not one two-sided: a two-sided e-value grows for a worse candidate too.
    below = confidence_sequence(first, second, n=n, confidence=level, alternative="greater")
    above = confidence_sequence(first, second, n=n, confidence=level, alternative="less")
    return Limits(below.estimate, below.low, above.high, below.method, int(below.n or 0))


def _cluster_means(pair_: ModelPair) -> tuple[Floats, Floats]:
    rows = pair_.rows
    keyed = rows.p.keyed_agreement(pair_.first, pair_.second, "clusters", threshold=rows.threshold)
    t = keyed.table
    right = [(calls == t.truth).astype(np.float64) for calls in (t.first, t.second)]
    if rows.measure.right_or_wrong == -1:
        right = [1 - r for r in right]
    sizes = keyed.sizes
    answered = sizes > 0  # of some clusters there may be no row that both answered
    one, two = (keyed.sums(r)[answered] / sizes[answered] for r in right)
    return one, two


def watched_share(
    p: Predictions, model: str, measure: Measure, options: MetricOptions, threshold: float | None, level: float
) -> Limits:
    """A share s is watched as 2s − 1: each row is a bet of +1 or −1, of a grade between."""
    if measure.of_grades:
        low, high = measure.bounds(options)
        grades = _graded_means(p, model)
        shares = (grades[~np.isnan(grades)] - low) / (high - low)
        limits = _betting(shares, 1 - shares, None, level)
        ends = {end: low + (high - low) * (1 + getattr(limits, end)) / 2 for end in ("estimate", "low", "high")}
        return limits._replace(**ends, note=BY_CLUSTER if p.has_key("clusters") else "")
    if p.has_key("clusters"):
        if not measure.right_or_wrong:
            raise _not_watched(measure, p)
        keyed = p.keyed_agreement(model, model, "clusters", threshold=threshold)
        answered = keyed.sizes > 0
        right = keyed.sums((keyed.table.first == keyed.table.truth).astype(np.float64))
        means = right[answered] / keyed.sizes[answered]
        means = means if measure.right_or_wrong == 1 else 1 - means
        limits = _betting(means, 1 - means, None, level)._replace(note=BY_CLUSTER)
    elif measure.of_labels and measure.share is not None:
        table = p.confusion(model, threshold=threshold)
        x, n = (round(float(v)) for v in measure.share(table.binary() if measure.of_one_class else table.classes()))
        limits = _betting(x, n - x, n, level)
    else:
        raise _not_watched(measure, p)
    return limits._replace(estimate=(1 + limits.estimate) / 2, low=(1 + limits.low) / 2, high=(1 + limits.high) / 2)


def _not_watched(measure: Measure, p: Predictions) -> InputError:
    if p.has_key("clusters"):
        return InputError(f"a sequential gate over clusters takes accuracy or error_rate, not {measure.name}")
    return InputError(
        f"a sequential gate bets on rows that are right or wrong, and {measure.name} is not a share of fixed rows; "
        "take accuracy, error_rate, recall or specificity"
    )


def rows_needed(found: Limits, bound: float, level: float, total: int) -> int | None:
    """Rows at which the limit nearer to the bound clears it in 4 of 5 cases, if the estimate is right.

    The limits' half-width shrinks as 1/√n: n·((z_α + z_β)·(half-width/z_α)/gap)². Two models that never differ have
    limits ±z²/(n + z²) instead, which are within the margin m from z²(1 − m)/m rows on.
    """
    gap = abs(found.estimate - bound)
    if math.isnan(gap) or gap == 0 or not found.low <= bound <= found.high or not found.n:
        return None
    z = float(special.ndtri(level))
    if not found.unlike:
        rows = math.floor(z * z * (1 - gap) / gap) + 1.0
        exact = True
    else:
        half = (found.high - found.low) / 2
        times = (1 + POWER_Z / z) * half / gap
        rows = found.n * times * times
        exact = False
    # A metric of one class, or of clusters, counts fewer units than there are rows.
    rows *= total / found.n
    if not math.isfinite(rows) or rows > 1e9:
        return None
    whole = max(math.ceil(rows - 1e-9), total + 1)
    # Two significant figures: more would be false precision.
    step: int = 10 ** max(0, len(str(whole)) - 2)
    return whole if exact else max(-(-whole // step) * step, total + 1)
