"""Metrics of scores over clustered rows: areas by summed placements, losses by sums, the rest by resampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._spec import IntervalSpec
from trueerror.inference.auc._delong import score_influences
from trueerror.inference.auc._interval import FEW, newcombe_limits
from trueerror.inference.bootstrap._limits import bootstrap_limits
from trueerror.inference.bootstrap._tables import BLOCK, FEWEST, MOST_LOST, group_starts, grouped, lost_words
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.loss._mean import INFINITE, loss_range, mean_limits
from trueerror.inference.proportion._array_intervals import limits, on_logit
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, generator
from trueerror.kernels import chosen
from trueerror.kernels._random import EXACT, row_weights, seed_of
from trueerror.metrics._registry import Measure
from trueerror.metrics._values import Prior, reweighted_scores, score_share, undefined_reason, value
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
# Clusters times cells up to which each cluster is left out in turn.
TURNS = 1 << 26


def clustered_score_interval(
    measure: Measure,
    up: NDArray[np.bool_],
    scores: NDArray[Any],
    keys: Ints,
    options: dict[str, Any],
    spec: IntervalSpec,
    *,
    positive: Label = 1,
    prior: Prior | None = None,
    rng: Any = None,
    replicates: int = 2_000,
) -> Interval:
    """A metric of scores, from rows with a cluster each.

    >>> from trueerror.metrics._registry import find_measure
    >>> up, keys = np.array([False, True] * 20), np.repeat(np.arange(10), 4)
    >>> made = clustered_score_interval(find_measure("auc"), up, np.arange(40) % 7 + up, keys, {}, IntervalSpec())
    >>> made.method, made.note.split(";")[0]
    ('delong-clustered', '10 clusters')
    """
    table = ScoreTable.from_codes(up, scores, positive)
    is_area = measure.area
    prior = None if is_area else prior
    estimate = value(measure, table, prior=prior, **options)
    precision = measure.name == "average_precision"
    key = "delong-clustered" if is_area else "boyd-clustered" if precision else "bootstrap-bca-clustered"
    _, codes = np.unique(keys, return_inverse=True)
    groups = int(codes.max()) + 1 if len(codes) else 0
    facts: dict[str, Any] = {"bounds": measure.range, "n": len(up), "method": key}
    if math.isnan(estimate):
        low, high = (b if math.isfinite(b) else math.nan for b in measure.range)
        reason = undefined_reason(measure, table, prior=prior, **options)
        return spec.interval(measure.name, estimate, low, high, note=reason, **facts)
    if groups < 2:
        return spec.interval(measure.name, estimate, math.nan, math.nan, note=ONE_CLUSTER, **facts)
    if is_area:
        area = (estimate + 1) / 2 if measure.name == "gini" else estimate
        low, high, note = _area(up, scores, codes, groups, area, spec)
        if measure.name == "gini":
            low, high = 2 * low - 1, 2 * high - 1
    else:
        held = _Held.of(measure, table, up, scores, codes, groups, options, prior)
        if precision:
            own = (float(up.sum()), float(len(np.unique(codes[up]))))
            low, high, note = _average_precision(held, estimate, own, spec)
        else:
            low, high, note = _resampled(held, estimate, spec, rng, replicates)
    return spec.interval(measure.name, estimate, low, high, note=note, **facts)


def clustered_loss_interval(
    measure: Measure, sizes: Ints, sums: Floats, options: dict[str, Any], spec: IntervalSpec
) -> Interval:
    """The mean of a loss over rows, from how many rows each cluster has and the sum of their losses."""
    there = sizes > 0
    n, total = float(sizes.sum()), float(sums[there].sum())
    bounds = loss_range(measure, options)
    groups = int(there.sum())
    facts: dict[str, Any] = {"bounds": bounds, "n": n, "method": "cluster-t"}
    if n == 0:
        low, high = (b if math.isfinite(b) else math.nan for b in bounds)
        return spec.interval(measure.name, math.nan, low, high, note="there are no rows", **facts)
    mean = total / n
    if math.isinf(mean):
        return spec.interval(measure.name, mean, math.nan, mean, note=INFINITE, **facts)
    if groups < 2:
        return spec.interval(measure.name, mean, math.nan, math.nan, note=ONE_CLUSTER, **facts)
    rest = (sums[there] - mean * sizes[there]) / n
    error = math.sqrt(groups / (groups - 1) * float((rest * rest).sum()))
    low, high, key, note = mean_limits(mean, error, groups - 1, groups, bounds, spec)
    facts["method"] = "cluster-t" if key == "t-mean" else key
    return spec.interval(measure.name, mean, low, high, note=note or f"{whole(groups)} clusters", **facts)


def _area(
    up: NDArray[np.bool_], scores: NDArray[Any], codes: Ints, groups: int, area: float, spec: IntervalSpec
) -> tuple[float, float, str]:
    """Obuchowski's variance on the logit scale; Newcombe's method 5 where few pairs are misordered."""
    m, n = int(up.sum()), int((~up).sum())
    placed = chosen(len(up)).placements(np.ascontiguousarray(scores), up) / (2.0 * np.where(up, n, m))
    rows = (placed - area) / np.where(up, m, n)
    sums = np.bincount(codes, weights=rows, minlength=groups)
    variance = groups / (groups - 1) * float((sums * sums).sum())
    alone = float((rows * rows).sum())
    z = max(spec.factor(groups - 1), 0.0)
    note = f"{whole(groups)} clusters"
    if not variance > 1e-18 or not 0 < area < 1:
        ours, theirs = (float(len(np.unique(codes[side]))) for side in (up, ~up))
        low, high = newcombe_limits(area, ours, theirs, z)
        return low, high, f"{note}; no variance in the order: Newcombe's method 5 at the clusters of each class"
    low, high = (float(v) for v in on_logit(area, variance, z))
    if min(m, n) * min(area, 1 - area) < FEW:
        # As many independent rows as would give this variance.
        shrink = min(1.0, alone / variance)
        own = newcombe_limits(area, max(1.0, m * shrink), max(1.0, n * shrink), z)
        low, high = min(low, own[0]), max(high, own[1])
        note += "; few errors of order: the outer limits of this and Newcombe's method 5"
    return low, high, note


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Clusters × (class, score) cells: what each cluster adds to the table, and the metric of any such sum."""

    cells: Any
    groups: int
    size: int
    evaluate: Callable[[Floats], Floats]
    # What a row in each cell adds to the metric, to first order; None where that is not known.
    influences: Floats | None

    @classmethod
    def of(
        cls,
        measure: Measure,
        table: ScoreTable,
        up: NDArray[np.bool_],
        scores: NDArray[Any],
        codes: Ints,
        groups: int,
        options: dict[str, Any],
        prior: Prior | None,
    ) -> _Held:
        from scipy import sparse

        small = grouped(table)
        size = len(small.scores)
        # Among the few scores that begin a group: a search among millions of them waits for memory at every step.
        place = np.searchsorted(table.scores[group_starts(table)], scores + 0.0, side="right") - 1
        cell = np.where(up, place, size + place)
        cells = sparse.csr_matrix((np.ones(len(codes)), (codes, cell)), shape=(groups, 2 * size))
        share = None if prior is None else score_share(prior, table)

        def evaluate(masses: Floats) -> Floats:
            pair = (masses[:, :size], masses[:, size:])
            pair = pair if share is None else reweighted_scores(small, share, pair)
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(measure.function(small, pair, **options), dtype=np.float64)

        found = score_influences(measure, small, options, share=share)
        return cls(cells, groups, size, evaluate, None if found is None else np.concatenate(found))

    @property
    def step(self) -> int:
        """How many tables are held at a time."""
        return max(1, BLOCK // max(2 * self.size, self.groups))

    @property
    def total(self) -> Floats:
        """The whole table, as one row."""
        return np.asarray(self.cells.sum(axis=0), dtype=np.float64).reshape(1, -1)

    def one_less(self) -> Floats:
        """The metric without each cluster in turn; to first order where so many tables would take minutes.

        Of so many clusters one moves the metric by little, and the second order is smaller by that factor again.
        """
        if self.groups * 2 * self.size > TURNS and self.influences is not None:
            return float(self.evaluate(self.total)[0]) - np.asarray(self.cells @ self.influences)
        parts = [
            self.evaluate(self.total - self.cells[start : start + self.step].toarray())
            for start in range(0, self.groups, self.step)
        ]
        return np.concatenate(parts)


def _average_precision(
    held: _Held, estimate: float, own: tuple[float, float], spec: IntervalSpec
) -> tuple[float, float, str]:
    """Boyd's logit interval with t(G − 1) and the larger of his error and that of leaving out clusters in turn.

    Where the positives are few or the value is near its end, Wilson's at the number of clusters that hold positives.
    """
    positives, with_positives = own
    g = held.groups
    one_less = held.one_less()
    known = one_less[np.isfinite(one_less)]
    spread = float(((known - known.mean()) ** 2).sum()) * (g - 1) / g if len(known) > 1 else 0.0
    inside = estimate * (1 - estimate)
    variance = max(spread, inside / positives)
    note = f"{whole(g)} clusters"
    if positives * inside < 1:
        size = min(with_positives, positives)
        low, high = limits(estimate * size, size, "wilson", spec.level, spec.side, z=max(spec.factor(g - 1), 0.0))
        return float(low), float(high), f"{note}; a value near its end: Wilson's interval at those with positives"
    low, high = on_logit(estimate, variance, max(spec.factor(g - 1), 0.0))
    return float(low), float(high), note


def _resampled(held: _Held, estimate: float, spec: IntervalSpec, rng: Any, replicates: int) -> tuple[float, float, str]:
    """BCa over whole clusters drawn with replacement."""
    if replicates < FEWEST:
        raise InputError(f"replicates={replicates!r} must be a whole number of at least {FEWEST}; 2,000 is usual")
    draw, seed = generator(rng)
    groups = held.groups
    even = np.full(groups, 1 / groups)
    key = seed_of(draw) if groups > EXACT else 0
    values = []
    for start in range(0, replicates, held.step):
        stop = min(start + held.step, replicates)
        if groups > EXACT:
            often = np.stack([row_weights(groups, key, b) for b in range(start, stop)]).astype(np.float64)
        else:
            often = draw.multinomial(groups, even, size=stop - start).astype(np.float64)
        values.append(held.evaluate(np.asarray((held.cells.T @ often.T).T)))
    drawn, jackknife, centre = np.concatenate(values), held.one_less(), float(held.evaluate(held.total)[0])
    known = np.isfinite(drawn)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        return math.nan, math.nan, lost_words(lost)
    drawn = drawn[known]
    if float(drawn.min()) == float(drawn.max()):
        return math.nan, math.nan, "the resamples have no spread"
    influences = jackknife.mean() - jackknife if np.isfinite(jackknife).all() else None
    low, high = bootstrap_limits(centre, drawn, tail=spec.tail, influences=influences)
    move = estimate - centre
    return low + move, high + move, f"{whole(groups)} clusters, {replicates:,} resamples of them, {seed}"
