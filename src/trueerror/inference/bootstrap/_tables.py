"""The bootstrap of counts: rows, classes or whole clusters are drawn again, and a statistic of the counts is taken.

Resampling rows is one multinomial draw over the cells of a table, whatever their number: of a confusion matrix its
cells, of a score table the positives and then the negatives at each score, neighbouring scores joined when many. Rows
are resampled together, not class by class, unless the classes' sizes were fixed by design; clusters are resampled
whole. Leaving out one row of each cell, or one cluster, gives how far it moves a statistic, for BCa's acceleration.
The same seed gives the same replicates whatever the size of the blocks that they are drawn in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem
from trueerror.inference._sample import scored
from trueerror.inference._variance import ClusteredRows, Sample, ScoreSample, variance
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.bootstrap._limits import MOST_LOST, BootstrapMethod, Unfit, bootstrap_limits, with_a_value
from trueerror.inputs._arrays import Floats
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, check_replicates, generator
from trueerror.kernels._random import row_weights, seed_of
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, mean_loss, reweighted_scores
from trueerror.results._format import percent, whole
from trueerror.results._values import Note
from trueerror.tallies._confusion import sum_columns
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from scipy import sparse

Counts = NDArray[np.int64]
# (positives, negatives), one table a row → one number a row.
Statistic = Callable[[NDArray[Any], NDArray[Any]], Floats]
# With more distinct scores neighbours are grouped for the replicates, which moves an area or a calibration error by
# far less than its standard error; the limits are moved by what grouping does to the estimate.
GROUPS = 1024
# Clusters times cells up to which each cluster is left out in turn.
TURNS = 1 << 26


def drawn_counts(
    counts: NDArray[Any], strata: Sequence[NDArray[np.intp]], draw: np.random.Generator, replicates: int, held: int = 0
) -> Iterator[Counts]:
    """Blocks of resamples, one a row: the rows of each stratum's cells are drawn among themselves.

    The draws come one after the other, so the size of a block changes nothing; `held` is how many numbers are made of
    a resample, where they are more than its cells.
    """
    totals = [int(counts[s].sum()) for s in strata]
    shares = [counts[s] / t for s, t in zip(strata, totals, strict=True)]
    for block in blocks(replicates, max(len(counts), held)):
        drawn = np.zeros((len(block), len(counts)), dtype=np.int64)
        if len(strata) == 1:
            drawn[:, strata[0]] = draw.multinomial(totals[0], shares[0], size=len(drawn))
        else:
            for row in drawn:
                for s, t, p in zip(strata, totals, shares, strict=True):
                    row[s] = draw.multinomial(t, p)
        yield drawn


def drawn_units(units: int, seed: int, replicates: range) -> Floats:
    """How often each unit (a row, a cluster) is in each of these resamples, one a row."""
    return np.stack([row_weights(units, seed, b) for b in replicates]).astype(np.float64)


def blocks(replicates: int, size: int) -> list[range]:
    """Resamples that are held together, of so many numbers each."""
    step = max(1, BLOCK // max(size, 1))
    return [range(start, min(start + step, replicates)) for start in range(0, replicates, step)]


TableBootstrap = BootstrapMethod | Literal["studentised"]


def bootstrap_of_table(
    measure: Measure, sample: Sample, estimate: float, kind: TableBootstrap, spec: IntervalSpec, options: dict[str, Any]
) -> tuple[float, float, str]:
    """Limits and a note for a metric of a confusion matrix; raises `Unfit` where there are none."""
    b = check_replicates(spec.replicates, usual=10_000)
    if sample.clusters is not None and sample.groups < 2:
        raise Unfit("all rows are in one cluster")
    if sample.clusters is not None and kind == "studentised":
        raise InputError("method='bootstrap-studentised' is not offered with clusters; use 'bootstrap-bca'")
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
        error = float(np.sqrt(variance(sample.influence(measure, options), sample.rows.counts)))
        return *_studentised(estimate, error, values[known], np.concatenate(errors)[known], spec.tail), note
    influences, sizes = _accelerating(measure, sample, options) if kind == "bca" else (None, None)
    low, high = bootstrap_limits(
        estimate, values[known], tail=spec.tail, method=kind, influences=influences, counts=sizes
    )
    return low, high, note


def _sample_draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    """Blocks of resampled tables, one a row."""
    rows, clusters = sample.rows, sample.clusters
    cells = len(rows.counts)
    if clusters is None:
        by_class = sample.design == "case-control"
        strata = [np.flatnonzero(rows.row == k) for k in np.unique(rows.row)] if by_class else [np.arange(cells)]
        yield from (drawn.astype(np.float64) for drawn in drawn_counts(rows.counts, strata, draw, b))
        return
    names, key = np.unique(clusters.key, return_inverse=True)
    for often in drawn_counts(np.ones(len(names)), [np.arange(len(names))], draw, b, max(len(key), cells)):
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


def _studentised(estimate: float, error: float, values: Floats, errors: Floats, tail: float) -> tuple[float, float]:
    """estimate − t*·SE with t* the quantiles of (θ* − θ̂)/SE*; on the scale of the metric."""
    fine = np.isfinite(errors) & (errors > 0)
    # A resample at a perfect score has no error of its own.
    if not error > 0 or float(1 - fine.mean()) > MOST_LOST:
        raise Unfit("too many resamples have no standard error of their own")
    t = np.quantile((values[fine] - estimate) / errors[fine], [tail, 1 - tail])
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
    values = []
    for block in blocks(len(occupied), len(cells)):
        part = occupied[block.start : block.stop]
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
    """Limits of a metric of a score table, or of scores in clusters; the default method's where replicates give none.

    Where neighbouring scores were joined, the limits are moved by what that does to the estimate.
    """
    sample, clusters = q.sample, q.sample.clusters
    b = check_replicates(q.spec.replicates, usual=2_000)
    draw, seed = generator(q.spec.rng)
    note = f"{b:,} resamples, {seed}"
    try:
        if clusters is None:
            values, centre, acceleration = _of_rows(q, kind, draw, b)
        else:
            note = f"{whole(clusters.groups)} clusters, {b:,} resamples of them, {seed}"
            values, centre, acceleration = _of_clusters(q, clusters, kind, draw, b)
        known, _ = with_a_value(values)
        low, high = bootstrap_limits(centre, values[known], tail=q.spec.tail, method=kind, **acceleration)
        move = sample.estimate - centre
        low, high = min(low + move, sample.estimate), max(high + move, sample.estimate)
        if not low < high:
            raise Unfit(note)
    except Unfit as unfit:
        default = choose(q)
        instead: IntervalLimits = sample.limits(q, default)
        return instead._replace(note=(Note("instead-of-bootstrap", (unfit.note, default.key)), *instead.notes))
    return IntervalLimits(low, high, f"bootstrap-{kind}", note, resampled=True)


# The metric of each resample, of the table that was drawn from, and what BCa's acceleration is made of.
Resamples = tuple[Floats, float, dict[str, Any]]


def _of_rows(q: Problem[ScoreSample], kind: BootstrapMethod, draw: np.random.Generator, b: int) -> Resamples:
    sample = q.sample
    if sample.table.squares is not None:
        raise Unfit("sampling weights were summed over rows, which cannot be resampled")
    small = coarse_table(sample.table)
    cells = table_cells(small.positives, small.negatives)
    statistic = score_statistic(q.metric, small, q.options, sample.share)
    drawn = drawn_tables(cells, draw, b, by_class=sample.design == "case-control")
    values = np.concatenate([statistic(*pair) for pair in drawn])
    centre = float(statistic(small.positives[None], small.negatives[None])[0])
    if kind != "bca":
        return values, centre, {}
    sizes = cells[cells > 0]
    return values, centre, {"influences": row_influences(one_row_less(cells, statistic), sizes), "counts": sizes}


def _of_clusters(
    q: Problem[ScoreSample], rows: ClusteredRows, kind: BootstrapMethod, draw: np.random.Generator, b: int
) -> Resamples:
    cells = ClusterCells.of(q, rows)
    (values,) = cluster_replicates([cells], seed_of(draw), b)
    moved = {} if kind != "bca" else {"influences": row_influences(cells.one_less(), np.ones(rows.groups, np.int64))}
    return values, cells.value, moved


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
    def of(cls, q: Problem[ScoreSample], rows: ClusteredRows, groups: int = GROUPS) -> ClusterCells:
        """The rows of a sample, neighbouring scores joined where there are more than so many."""
        from scipy import sparse

        table = q.sample.table
        small = coarse_table(table, groups)
        size = len(small.scores)
        # Among the few scores that begin a group: a search among millions of them waits for memory at every step.
        place = np.searchsorted(table.scores[group_starts(table, groups)], rows.scores + 0.0, side="right") - 1
        cell = np.where(rows.positive, place, size + place)
        weights = np.ones(len(cell)) if rows.weights is None else rows.weights
        cells = sparse.csr_matrix((weights, (rows.codes, cell)), shape=(rows.groups, 2 * size))
        influences = score_influences(q.metric, small, q.options, share=q.sample.share)
        statistic = score_statistic(q.metric, small, q.options, q.sample.share)
        return cls(cells, rows.groups, size, statistic, None if influences is None else np.concatenate(influences))

    @property
    def total(self) -> Floats:
        """The whole table, as one row."""
        return np.asarray(self.cells.sum(axis=0), dtype=np.float64).reshape(1, -1)

    @property
    def value(self) -> float:
        """The metric of the whole table."""
        return float(self.evaluate(self.total)[0])

    def evaluate(self, counts: Floats) -> Floats:
        """The metric of tables, one a row."""
        return self.statistic(counts[:, : self.size], counts[:, self.size :])

    def one_less(self) -> Floats:
        """The metric without each cluster in turn; to first order where so many tables would take minutes.

        Of so many clusters one moves the metric by little, and the second order is smaller by that factor again.
        """
        if self.groups * 2 * self.size > TURNS and self.influences is not None:
            return self.value - np.asarray(self.cells @ self.influences)
        total, turns = self.total, blocks(self.groups, 2 * self.size)
        return np.concatenate([self.evaluate(total - self.cells[i.start : i.stop].toarray()) for i in turns])


def cluster_replicates(tables: Sequence[ClusterCells], seed: int, b: int) -> Floats:
    """The metric of each table in `b` resamples of whole clusters, the same ones for all tables: (tables, b)."""
    groups, size = tables[0].groups, max(t.size for t in tables)

    def some(block: range) -> list[Floats]:
        often = drawn_units(groups, seed, block).T
        return [t.evaluate(np.asarray((t.cells.T @ often).T)) for t in tables]

    return np.concatenate(in_threads(some, blocks(b, max(2 * size, groups))), axis=1)


KINDS: tuple[BootstrapMethod, ...] = ("bca", "percentile", "basic", "normal")
for _kind in KINDS:
    _limits = update_wrapper(partial(resampled_limits, kind=_kind), resampled_limits)
    inference_method(
        f"bootstrap-{_kind}", on=ONE, aliases=("bootstrap",) if _kind == "bca" else (),
        applies=lambda q: scored(q) or (q.sample.tally == "scores" and not q.metric.by_rank),
    )(_limits)  # fmt: skip


def coarse_table(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """The table with neighbouring scores joined at their mean."""
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
    """Where each group of neighbouring scores begins; every score by itself while there are few.

    Half of a group's width is measured in positives and half in negatives: rare positives are not all in one group.
    """
    if len(table.scores) <= groups:
        return np.arange(len(table.scores))
    sides = (table.positives.astype(np.float64), table.negatives.astype(np.float64))
    depth = sum((np.cumsum(x) - x / 2) / max(float(x.sum()), 1.0) for x in sides)
    place = np.floor(depth * groups / 2)
    return np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))
