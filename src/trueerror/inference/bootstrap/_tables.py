"""The bootstrap of counts: rows, classes or whole clusters are drawn again, and a statistic of the counts is taken.

Resampling rows is one multinomial draw over the cells of a table, whatever their number: of a confusion matrix its
cells, of a score table the positives and then the negatives at each score, neighbouring scores joined when many. Rows
are resampled together, not class by class, unless the classes' sizes were fixed by design; clusters are resampled
whole. Leaving out one row of each cell, or one cluster, gives how far it moves a statistic, for BCa's acceleration.
The same seed gives the same replicates whatever the size of the blocks that they are drawn in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._sample import scored, scored_in_clusters
from trueerror.inference._variance import ClusteredRows, Sample, ScoreSample, variance
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.bootstrap._limits import BootstrapMethod, bootstrap_limits
from trueerror.inputs._options import InputError, check_replicates, generator
from trueerror.kernels import chosen
from trueerror.kernels._device import area_replicates as device_areas
from trueerror.kernels._random import EXACT, row_weights, seed_of
from trueerror.kernels._ranks import rank_layout
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, mean_loss, reweighted_scores
from trueerror.results._format import percent, whole
from trueerror.results._values import Note
from trueerror.tallies._confusion import sum_columns
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from scipy import sparse

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# (positives, negatives), one table a row → one number a row.
Statistic = Callable[[NDArray[Any], NDArray[Any]], Floats]
# Cells held at a time: 16 MB.
BLOCK = 1 << 21
# The same where each is looked at several times and should stay in the processor's cache.
CACHED = 1 << 17
FEWEST = 100
# Above this share of replicates without a value the bootstrap is not to be trusted.
MOST_LOST = 0.01
# With more distinct scores neighbours are grouped for the replicates, which moves an area or a calibration error by
# far less than its standard error; the limits are moved by what grouping does to the estimate.
GROUPS = 1024
# Areas of ranks are resampled row by row, without grouping, while rows × resamples do not exceed this.
VISITS = 2_000_000_000
# Clusters times cells up to which each cluster is left out in turn.
TURNS = 1 << 26


class Unfit(Exception):
    """The replicates give no interval; the note says why."""

    def __init__(self, note: str | Note) -> None:
        super().__init__(str(note))
        self.note = note


def with_a_value(values: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which replicates have a value, and the share that has none; `Unfit` where that is too large, or all are alike."""
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        raise Unfit(Note("lost-resamples", (round(lost, 3),)))
    if float(values[known].min()) == float(values[known].max()):
        raise Unfit("the resamples have no spread")
    return known, lost


def drawn_counts(
    counts: NDArray[Any], strata: Sequence[NDArray[np.intp]], draw: np.random.Generator, replicates: int
) -> Iterator[Counts]:
    """Blocks of resamples, one a row: the rows of each stratum's cells are drawn among themselves.

    The draws come one after the other, so the size of a block changes nothing.
    """
    totals = [int(counts[s].sum()) for s in strata]
    shares = [counts[s] / t for s, t in zip(strata, totals, strict=True)]
    step = max(1, BLOCK // max(len(counts), 1))
    for start in range(0, replicates, step):
        drawn = np.zeros((min(step, replicates - start), len(counts)), dtype=np.int64)
        if len(strata) == 1:
            drawn[:, strata[0]] = draw.multinomial(totals[0], shares[0], size=len(drawn))
        else:
            for row in drawn:
                for s, t, p in zip(strata, totals, shares, strict=True):
                    row[s] = draw.multinomial(t, p)
        yield drawn


def drawn_clusters(clusters: int, draw: np.random.Generator, replicates: int, step: int) -> Iterator[Floats]:
    """Blocks of how often each cluster is in a resample, one a row."""
    even = np.full(clusters, 1 / clusters)
    for start in range(0, replicates, step):
        yield draw.multinomial(clusters, even, size=min(step, replicates - start)).astype(np.float64)


TableBootstrap = BootstrapMethod | Literal["studentised"]


def bootstrap_of_table(
    measure: Measure, sample: Sample, estimate: float, kind: TableBootstrap, spec: IntervalSpec, options: dict[str, Any]
) -> tuple[float, float, str]:
    """Limits and a note for a metric of a confusion matrix; raises `Unfit` where there are none."""
    b = check_replicates(spec.replicates, usual=10_000)
    if sample.kind == "weighted":
        raise InputError(
            "the bootstrap resamples rows, but sampling weights were summed over rows: use the default method"
        )
    if sample.clusters is not None and sample.groups < 2:
        raise Unfit("all rows are in one cluster")
    draw, seed = generator(spec.rng)
    parts, errors = [], []
    with np.errstate(invalid="ignore", divide="ignore"):
        for counts in _sample_draws(sample, draw, b):
            parts.append(np.asarray(sample.value(measure, options, counts), dtype=np.float64))
            if kind == "studentised":
                errors.append(np.sqrt(variance(sample.influence(measure, options, counts), counts)))
    values = np.concatenate(parts)
    known, lost = with_a_value(values)
    left_out = f", {percent(round(lost, 4))} without a value left out" if lost else ""
    note = f"{b:,} resamples, {seed}{left_out}"
    if kind == "studentised":
        own_errors = np.concatenate(errors)[known]
        return *_studentised(measure, sample, estimate, values[known], own_errors, spec, options), note
    influences, sizes = _accelerating(measure, sample, options) if kind == "bca" else (None, None)
    low, high = bootstrap_limits(
        estimate, values[known], tail=spec.tail, method=kind, influences=influences, counts=sizes
    )
    return low, high, note


def _sample_draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    rows, clusters = sample.rows, sample.clusters
    cells = len(rows.counts)
    if clusters is None:
        by_class = sample.design == "case-control"
        strata = [np.flatnonzero(rows.row == k) for k in np.unique(rows.row)] if by_class else [np.arange(cells)]
        yield from (drawn.astype(np.float64) for drawn in drawn_counts(rows.counts, strata, draw, b))
        return
    known = np.unique(clusters.key)
    key = np.searchsorted(known, clusters.key)
    for often in drawn_clusters(len(known), draw, b, max(1, BLOCK // max(len(known), len(key), cells))):
        yield sum_columns(often[:, key] * clusters.counts, clusters.cell, cells)


def _accelerating(measure: Measure, sample: Sample, options: dict[str, Any]) -> tuple[Floats | None, Counts | None]:
    """Influences for BCa: of the rows by cell, or of whole clusters; none where the metric has no derivative."""
    try:
        influences = sample.influence(measure, options)
    except InputError:
        return None, None
    if not np.isfinite(influences).all():
        return None, None
    if sample.clusters is not None:
        return sample.clusters.sums(influences), None
    return influences, sample.rows.counts


def _studentised(
    measure: Measure,
    sample: Sample,
    estimate: float,
    values: Floats,
    errors: Floats,
    spec: IntervalSpec,
    options: dict[str, Any],
) -> tuple[float, float]:
    """estimate − t*·SE with t* the quantiles of (θ* − θ̂)/SE*; on the scale of the metric."""
    if sample.clusters is not None:
        raise InputError("method='bootstrap-studentised' is not offered with clusters; use 'bootstrap-bca'")
    error = float(np.sqrt(variance(sample.influence(measure, options), sample.rows.counts)))
    fine = np.isfinite(errors) & (errors > 0)
    # A resample at a perfect score has no error of its own.
    if not error > 0 or float(1 - fine.mean()) > MOST_LOST:
        raise Unfit("too many resamples have no standard error of their own")
    t = np.quantile((values[fine] - estimate) / errors[fine], [spec.tail, 1 - spec.tail])
    return estimate - float(t[1]) * error, estimate - float(t[0]) * error


def table_cells(positives: NDArray[Any], negatives: NDArray[Any]) -> Counts:
    """Both classes' rows at each score, one after the other."""
    return np.concatenate((positives, negatives)).astype(np.int64)


def drawn_tables(
    cells: Counts, draw: np.random.Generator, replicates: int, *, by_class: bool = False
) -> Iterator[tuple[Counts, Counts]]:
    """Blocks of resamples, one a row; with `by_class` the rows of each class are drawn among themselves.

    >>> blocks = list(drawn_tables(np.array([2, 0, 1, 3]), np.random.default_rng(0), 5))
    >>> [int(sum(part.sum() for part in block)) for block in blocks], blocks[0][0][:, 1].tolist()
    ([30], [0, 0, 0, 0, 0])
    """
    size = len(cells) // 2
    occupied = np.flatnonzero(cells)
    strata = [s for s in (occupied[occupied < size], occupied[occupied >= size]) if len(s)] if by_class else [occupied]
    for drawn in drawn_counts(cells, strata, draw, replicates):
        yield drawn[:, :size], drawn[:, size:]


def one_row_less(cells: Counts | Floats, statistic: Statistic, weights: Floats | None = None) -> Floats:
    """The statistic without one row of each occupied cell, in the order of the cells; rows may weigh more or less."""
    size = len(cells) // 2
    occupied = np.flatnonzero(cells)
    step = max(1, BLOCK // len(cells))
    values = []
    for start in range(0, len(occupied), step):
        part = occupied[start : start + step]
        counts = np.repeat(cells[None], len(part), axis=0)
        taken: Any = 1 if weights is None else weights[part]
        counts[np.arange(len(part)), part] -= taken
        values.append(statistic(counts[:, :size], counts[:, size:]))
    return np.concatenate(values)


def row_influences(one_less: Sequence[float] | Floats, sizes: Counts) -> Floats:
    """How far a row of each cell moves the statistic; 0 where the statistic has no value without it.

    >>> row_influences(np.array([1.0, 3.0, np.nan]), np.array([1, 1, 5]))
    array([ 1., -1.,  0.])
    """
    values = np.asarray(one_less, dtype=np.float64)
    known = np.isfinite(values)
    mean = float(sizes[known] @ values[known]) / max(1, int(sizes[known].sum()))
    return np.where(known, mean - np.where(known, values, 0.0), 0.0)


def score_statistic(
    measure: Measure, table: ScoreTable, options: MetricOptions, share: float | None = None
) -> Statistic:
    """The metric as a function of other counts at the table's scores; `share` is another share of positives."""

    def statistic(positives: NDArray[Any], negatives: NDArray[Any]) -> Floats:
        counts = (positives, negatives)
        counts = counts if share is None else reweighted_scores(table, share, counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = (
                mean_loss(table, measure, counts, **options)
                if measure.of_losses
                else measure.function(table, counts, **options)
            )
            return np.asarray(values, dtype=np.float64)

    return statistic


def resampled_limits(q: Problem[Any], kind: BootstrapMethod) -> IntervalLimits:
    """Limits of a metric of a score table; the default method's where the replicates give none."""
    sample, spec, method = q.sample, q.spec, f"bootstrap-{kind}"
    b = check_replicates(spec.replicates, usual=2_000)
    try:
        if sample.table.squares is not None:
            raise Unfit("sampling weights were summed over rows, which cannot be resampled")
        draw, seed = generator(spec.rng)
        small = coarse_table(sample.table)
        cells = table_cells(small.positives, small.negatives)
        statistic = score_statistic(q.metric, small, q.options, sample.share)
        ranked = small is not sample.table and sample.share is None and sample.design == "random" and q.metric.by_rank
        if ranked and float(sample.table.n) * b <= VISITS:
            values, centre = _rank_replicates(q.metric, sample.table, draw, b), sample.estimate
        else:
            drawn = drawn_tables(cells, draw, b, by_class=sample.design == "case-control")
            values = np.concatenate([statistic(*pair) for pair in drawn])
            centre = float(statistic(small.positives[None], small.negatives[None])[0])
        known, _ = with_a_value(values)
        sizes = cells[cells > 0] if kind == "bca" else None
        influences = None if sizes is None else row_influences(one_row_less(cells, statistic), sizes)
        low, high = bootstrap_limits(
            centre, values[known], tail=spec.tail, method=kind, influences=influences, counts=sizes
        )
        move = sample.estimate - centre
        low, high = min(low + move, sample.estimate), max(high + move, sample.estimate)
        resampled = IntervalLimits(low, high, method, f"{b:,} resamples, {seed}", resampled=True)
    except Unfit as unfit:
        resampled = IntervalLimits(math.nan, math.nan, method, unfit.note, resampled=True)
    if resampled.low < resampled.high:
        return resampled
    default = choose(q)
    instead: IntervalLimits = q.sample.limits(q, default)
    return instead._replace(note=(Note("instead-of-bootstrap", (resampled.note, default.key)), *instead.notes))


def _rank_replicates(measure: Measure, table: ScoreTable, draw: np.random.Generator, b: int) -> Floats:
    """Areas of resampled rows, without grouping and without sorting again: rows stay in score order."""
    if measure.area and table.groups is not None:
        areas = device_areas(table.groups, seed_of(draw), 0, b)
        return measure.area * areas - (measure.area - 1)
    layout = rank_layout(table.positives, table.negatives)
    kernels = chosen(layout.rows * b)
    areas, precisions = kernels.area_replicates(layout, seed_of(draw), 0, b, precision=not measure.area)
    return measure.area * areas - (measure.area - 1) if measure.area else precisions


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCells:
    """Clusters × (class, score) cells: what each cluster adds to the table, and the metric of any such sum."""

    cells: sparse.csr_matrix
    groups: int
    size: int
    statistic: Statistic
    # What a row in each cell adds to the metric, to first order; None where that is not known.
    influences: Floats | None

    @classmethod
    def of(cls, q: Problem[ScoreSample], rows: ClusteredRows) -> ClusterCells:
        """The rows of a sample, neighbouring scores joined where they are many."""
        from scipy import sparse

        table = q.sample.table
        small = coarse_table(table)
        size = len(small.scores)
        # Among the few scores that begin a group: a search among millions of them waits for memory at every step.
        place = np.searchsorted(table.scores[group_starts(table)], rows.scores + 0.0, side="right") - 1
        cell = np.where(rows.positive, place, size + place)
        weights = np.ones(len(cell)) if rows.weights is None else rows.weights
        cells = sparse.csr_matrix((weights, (rows.codes, cell)), shape=(rows.groups, 2 * size))
        influences = score_influences(q.metric, small, q.options, share=q.sample.share)
        statistic = score_statistic(q.metric, small, q.options, q.sample.share)
        return cls(cells, rows.groups, size, statistic, None if influences is None else np.concatenate(influences))

    @property
    def step(self) -> int:
        """How many tables are held at a time."""
        return max(1, BLOCK // max(2 * self.size, self.groups))

    @property
    def total(self) -> Floats:
        """The whole table, as one row."""
        return np.asarray(self.cells.sum(axis=0), dtype=np.float64).reshape(1, -1)

    def evaluate(self, counts: Floats) -> Floats:
        """The metric of tables, one a row."""
        return self.statistic(counts[:, : self.size], counts[:, self.size :])

    def one_less(self) -> Floats:
        """The metric without each cluster in turn; to first order where so many tables would take minutes.

        Of so many clusters one moves the metric by little, and the second order is smaller by that factor again.
        """
        if self.groups * 2 * self.size > TURNS and self.influences is not None:
            return float(self.evaluate(self.total)[0]) - np.asarray(self.cells @ self.influences)
        total, step = self.total, max(1, CACHED // (2 * self.size))
        parts = [
            self.evaluate(total - self.cells[start : start + step].toarray()) for start in range(0, self.groups, step)
        ]
        return np.concatenate(parts)

    def replicates(self, draw: np.random.Generator, b: int) -> Floats:
        """The metric of whole clusters drawn with replacement."""
        if self.groups <= EXACT:
            blocks = drawn_clusters(self.groups, draw, b, self.step)
        else:
            key = seed_of(draw)
            blocks = (
                np.stack([row_weights(self.groups, key, i) for i in range(start, min(start + self.step, b))]).astype(
                    np.float64
                )
                for start in range(0, b, self.step)
            )
        return np.concatenate([self.evaluate(np.asarray((self.cells.T @ often.T).T)) for often in blocks])


@inference_method(
    "bootstrap-bca-clustered", on=ONE, word="bootstrap-bca", aliases=("bootstrap",),
    applies=lambda q: scored_in_clusters(q) and not q.metric.by_rank,
)  # fmt: skip
def clustered_bca(q: Problem[ScoreSample]) -> IntervalLimits:
    """BCa over whole clusters drawn with replacement."""
    assert q.sample.clusters is not None
    b, method = check_replicates(q.spec.replicates, usual=2_000), "bootstrap-bca-clustered"
    cells = ClusterCells.of(q, q.sample.clusters)
    draw, seed = generator(q.spec.rng)
    values, centre = cells.replicates(draw, b), float(cells.evaluate(cells.total)[0])
    try:
        known, _ = with_a_value(values)
    except Unfit as unfit:
        return IntervalLimits(math.nan, math.nan, method, unfit.note, resampled=True)
    jackknife = cells.one_less()
    influences = jackknife.mean() - jackknife if np.isfinite(jackknife).all() else None
    low, high = bootstrap_limits(centre, values[known], tail=q.spec.tail, influences=influences)
    move = q.sample.estimate - centre
    note = f"{whole(cells.groups)} clusters, {b:,} resamples of them, {seed}"
    return IntervalLimits(low + move, high + move, method, note, resampled=True)


KINDS: tuple[BootstrapMethod, ...] = ("bca", "percentile", "basic", "normal")
BOOTSTRAPS = frozenset(f"bootstrap-{kind}" for kind in KINDS)
for _kind in KINDS:
    _limits = update_wrapper(partial(resampled_limits, kind=_kind), resampled_limits)
    _words = ("bootstrap",) if _kind == "bca" else ()
    inference_method(f"bootstrap-{_kind}", on=ONE, aliases=_words, applies=scored)(_limits)


def coarse_table(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """The table with neighbouring scores joined at their mean, about as many rows in each group."""
    starts = group_starts(table, groups)
    return table if len(starts) == len(table.scores) else join_scores(table, starts)


def join_scores(table: ScoreTable, starts: NDArray[np.intp]) -> ScoreTable:
    """The scores from each start to the next as one, at their mean."""
    rows = (table.positives + table.negatives).astype(np.float64)
    positives, negatives = np.add.reduceat(table.positives, starts), np.add.reduceat(table.negatives, starts)
    finite = np.isfinite(table.scores)
    sums = np.add.reduceat(rows * np.where(finite, table.scores, 0.0), starts)
    scores = sums / np.add.reduceat(rows, starts)
    # Infinite scores have no mean with others; the first score of the group stands for it then.
    if not finite.all() or not (np.diff(scores) > 0).all():
        scores = table.scores[starts]
    squares = None if table.squares is None else np.add.reduceat(table.squares, starts, axis=1)
    return ScoreTable(scores, positives, negatives, positive=table.positive, exact=False, squares=squares)


def group_starts(table: ScoreTable, groups: int = GROUPS) -> NDArray[np.intp]:
    """Where each group of neighbouring scores begins; every score by itself while there are few."""
    if len(table.scores) <= groups:
        return np.arange(len(table.scores))
    rows = (table.positives + table.negatives).astype(np.float64)
    place = np.floor((np.cumsum(rows) - rows / 2) * groups / rows.sum())
    return np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))
