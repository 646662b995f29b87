"""The bootstrap of a confusion matrix: resampling rows is one multinomial draw over its cells, whatever their number.

Rows are resampled together, not class by class, unless the classes' sizes were fixed by design; clusters are resampled
whole. The same seed gives the same replicates whatever the size of the blocks that they are drawn in.

Resamples of a score table by its cells: positives at each score, then negatives at each score.

Drawing rows again is one multinomial draw over the cells, whatever the number of rows; leaving out one row of each
cell gives how far a row moves a statistic, for BCa's acceleration.

The bootstrap of a score table: one multinomial draw over its (score, class) cells, neighbours grouped when many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._delta import variance
from trueerror.inference._sampling import Design, Sample
from trueerror.inference._spec import IntervalSpec
from trueerror.inference.bootstrap._limits import BootstrapMethod, bootstrap_limits
from trueerror.inputs._options import InputError, generator
from trueerror.kernels import chosen
from trueerror.kernels._random import rank_layout, seed_of
from trueerror.metrics._registry import Measure
from trueerror.metrics._values import Prior, reweighted_scores, score_share
from trueerror.metrics.probabilities import mean_loss
from trueerror.results._format import percent
from trueerror.tallies._confusion import sum_columns
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
# Cells held at a time: 16 MB.
BLOCK = 1 << 21
FEWEST = 100
# Above this share of replicates without a value the bootstrap is not to be trusted.
MOST_LOST = 0.01


_LOST = "of the resamples had no value, as where a class was lost"


def lost_words(share: float) -> str:
    """What the note of an interval says where resampling failed: `lost_share` reads it back."""
    return f"{percent(round(share, 3))} {_LOST}"


def lost_share(note: str) -> float | None:
    """The share of resamples without a value that a note tells of; None where it does not.

    >>> lost_share(lost_words(0.125)), lost_share("2,000 resamples, seed 0")
    (0.125, None)
    """
    found = re.search(rf"([\d.]+) % {_LOST}", note)
    return None if found is None else float(found[1]) / 100


class Unfit(Exception):
    """The replicates give no interval; the message says why."""


def bootstrap_of_table(
    measure: Measure,
    sample: Sample,
    estimate: float,
    method: str,
    spec: IntervalSpec,
    options: dict[str, Any],
    *,
    rng: Any = None,
    replicates: int = 10_000,
) -> tuple[float, float, str]:
    """Limits and a note; raises `Unfit` where there are none."""
    if replicates < FEWEST or replicates != int(replicates):
        raise InputError(f"replicates={replicates!r} must be a whole number of at least {FEWEST}; 10,000 is usual")
    if sample.kind == "weighted":
        raise InputError(
            "the bootstrap resamples rows, but sampling weights were summed over rows: use the default method"
        )
    if sample.clusters is not None and sample.groups < 2:
        raise Unfit("all rows are in one cluster")
    kind = method.removeprefix("bootstrap-")
    draw, seed = generator(rng)
    with np.errstate(invalid="ignore", divide="ignore"):
        values, errors = _values(measure, sample, options, draw, int(replicates), studentised=kind == "studentised")
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        raise Unfit(lost_words(lost))
    note = f"{replicates:,} resamples, {seed}" + (
        f", {percent(round(lost, 4))} without a value left out" if lost else ""
    )
    values = values[known]
    if float(values.min()) == float(values.max()):
        raise Unfit("the resamples have no spread")
    if kind == "studentised":
        return *_studentised(measure, sample, estimate, values, errors[known], spec, options), note
    influences, counts = _accelerating(measure, sample, options) if kind == "bca" else (None, None)
    low, high = bootstrap_limits(
        estimate, values, tail=spec.tail, method=cast(BootstrapMethod, kind), influences=influences, counts=counts
    )
    return low, high, note


def _values(
    measure: Measure, sample: Sample, options: dict[str, Any], draw: np.random.Generator, b: int, *, studentised: bool
) -> tuple[Floats, Floats]:
    """The metric of each replicate, and its delta-method variance where asked for."""
    values, errors = [], []
    for masses in _draws(sample, draw, b):
        values.append(np.asarray(sample.value(measure, options, masses), dtype=np.float64))
        if studentised:
            errors.append(np.sqrt(variance(sample.influence(measure, options, masses), masses)))
    return np.concatenate(values), np.concatenate(errors) if studentised else np.empty(0)


def _draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    rows = sample.rows
    cells = len(rows.counts)
    if sample.clusters is not None:
        yield from _cluster_draws(sample, draw, b)
        return
    step = max(1, BLOCK // max(cells, 1))
    strata = [np.arange(cells)]
    if sample.design == "case-control":
        strata = [np.flatnonzero(rows.row == k) for k in np.unique(rows.row)]
    totals = [int(rows.counts[s].sum()) for s in strata]
    shares = [rows.counts[s] / t for s, t in zip(strata, totals, strict=True)]
    for start in range(0, b, step):
        size = min(step, b - start)
        if len(strata) == 1:
            yield draw.multinomial(totals[0], shares[0], size=size).astype(np.float64)
            continue
        out = np.empty((size, cells))
        for i in range(size):  # replicate by replicate, so that blocks do not change what is drawn
            for s, t, p in zip(strata, totals, shares, strict=True):
                out[i, s] = draw.multinomial(t, p)
        yield out


def _cluster_draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    """Whole clusters with replacement: how often each was drawn, times what it holds."""
    clusters = sample.clusters
    assert clusters is not None
    there = np.unique(clusters.key)
    g, cells = len(there), len(sample.rows.counts)
    key = np.searchsorted(there, clusters.key)
    step = max(1, BLOCK // max(g, len(key), cells))
    for start in range(0, b, step):
        size = min(step, b - start)
        often = draw.multinomial(g, np.full(g, 1 / g), size=size).astype(np.float64)
        yield sum_columns(often[:, key] * clusters.counts, clusters.cell, cells)


def _accelerating(measure: Measure, sample: Sample, options: dict[str, Any]) -> tuple[Floats | None, Any]:
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
    own = float(np.sqrt(sample.variance(sample.influence(measure, options))))
    fine = np.isfinite(errors) & (errors > 0)
    # A resample at a perfect score has no error of its own.
    if not own > 0 or float(1 - fine.mean()) > MOST_LOST:
        raise Unfit("too many resamples have no standard error of their own")
    t = np.quantile((values[fine] - estimate) / errors[fine], [spec.tail, 1 - spec.tail])
    return estimate - float(t[1]) * own, estimate - float(t[0]) * own


Counts = NDArray[np.int64]
# (positives, negatives), one table a row → one number a row.
Statistic = Callable[[NDArray[Any], NDArray[Any]], Floats]


def table_cells(positives: NDArray[Any], negatives: NDArray[Any]) -> Counts:
    """Both classes' rows at each score, one after the other."""
    return np.concatenate((positives, negatives)).astype(np.int64)


def drawn_tables(
    cells: Counts, draw: np.random.Generator, replicates: int, *, by_class: bool = False
) -> Iterator[tuple[Counts, Counts]]:
    """Blocks of resamples, one a row; with `by_class` the rows of each class are drawn among themselves.

    The draws come one after the other, so the size of a block changes nothing.

    >>> blocks = list(drawn_tables(np.array([2, 0, 1, 3]), np.random.default_rng(0), 5))
    >>> [int(sum(part.sum() for part in block)) for block in blocks], blocks[0][0][:, 1].tolist()
    ([30], [0, 0, 0, 0, 0])
    """
    size = len(cells) // 2
    there = np.flatnonzero(cells)
    parts = [p for p in (there[there < size], there[there >= size]) if len(p)] if by_class else [there]
    step = max(1, BLOCK // len(cells))
    for start in range(0, replicates, step):
        full = np.zeros((min(step, replicates - start), len(cells)), dtype=np.int64)
        if len(parts) == 1:
            full[:, there] = draw.multinomial(int(cells.sum()), cells[there] / cells.sum(), size=len(full))
        else:
            for row in full:
                for p in parts:
                    row[p] = draw.multinomial(int(cells[p].sum()), cells[p] / cells[p].sum())
        yield full[:, :size], full[:, size:]


def one_row_less(cells: Counts, statistic: Statistic) -> Floats:
    """The statistic without one row of each occupied cell, in the order of the cells."""
    size = len(cells) // 2
    there = np.flatnonzero(cells)
    step = max(1, BLOCK // len(cells))
    values = []
    for start in range(0, len(there), step):
        part = there[start : start + step]
        full = np.repeat(cells[None], len(part), axis=0)
        full[np.arange(len(part)), part] -= 1
        values.append(statistic(full[:, :size], full[:, size:]))
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


# With more distinct scores neighbours are grouped for the replicates, which moves an area or a calibration error by
# far less than its standard error; the limits are moved by what grouping does to the estimate.
GROUPS = 1024
# Areas of ranks are resampled row by row, without grouping, while rows × resamples do not exceed this.
VISITS = 2_000_000_000


def bootstrap_of_scores(
    measure: Measure,
    table: ScoreTable,
    estimate: float,
    method: str,
    spec: IntervalSpec,
    options: dict[str, Any],
    *,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int = 2_000,
) -> tuple[float, float, str, str]:
    """Limits, method and note; NaN limits with the reason where the replicates give none."""
    if replicates < FEWEST or replicates != int(replicates):
        raise InputError(f"replicates={replicates!r} must be a whole number of at least {FEWEST}; 2,000 is usual")
    if table.squares is not None:
        return math.nan, math.nan, method, "sampling weights were summed over rows, which cannot be resampled"
    draw, seed = generator(rng)
    small = grouped(table)
    cells = table_cells(small.positives, small.negatives)
    share = None if prior is None else score_share(prior, table)

    def evaluate(up: Any, down: Any) -> Floats:
        masses = (up, down) if share is None else reweighted_scores(small, share, (up, down))
        if measure.of_losses:
            return np.asarray(mean_loss(small, measure, masses, **options), dtype=np.float64)
        return np.asarray(measure.function(small, masses, **options), dtype=np.float64)

    by_rank = small is not table and prior is None and design == "random" and measure.by_rank
    with np.errstate(invalid="ignore", divide="ignore"):
        if by_rank and float(table.n) * replicates <= VISITS:
            values, centre = _rank_replicates(measure.name, table, draw, int(replicates)), estimate
        else:
            drawn = drawn_tables(cells, draw, int(replicates), by_class=design == "case-control")
            values = np.concatenate([evaluate(*pair) for pair in drawn])
            centre = float(evaluate(small.positives[None], small.negatives[None])[0])
        counts = cells[cells > 0] if method == "bootstrap-bca" else None
        influences = None if counts is None else row_influences(one_row_less(cells, evaluate), counts)
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        return math.nan, math.nan, method, lost_words(lost)
    values = values[known]
    if float(values.min()) == float(values.max()):
        return math.nan, math.nan, method, "the resamples have no spread"
    kind = cast(BootstrapMethod, method.removeprefix("bootstrap-"))
    low, high = bootstrap_limits(centre, values, tail=spec.tail, method=kind, influences=influences, counts=counts)
    move = estimate - centre
    low, high = min(low + move, estimate), max(high + move, estimate)
    return low, high, method, f"{int(replicates):,} resamples, {seed}"


def _rank_replicates(name: str, table: ScoreTable, draw: np.random.Generator, b: int) -> Floats:
    """Areas of resampled rows, without grouping and without sorting again: rows stay in score order."""
    layout = rank_layout(table.positives, table.negatives)
    kernels = chosen(layout.rows * b)
    areas, precisions = kernels.area_replicates(layout, seed_of(draw), 0, b, precision=name == "average_precision")
    return precisions if name == "average_precision" else 2 * areas - 1 if name == "gini" else areas


def grouped(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """The table with neighbouring scores joined at their mean, about as many rows in each group."""
    starts = group_starts(table, groups)
    return table if len(starts) == len(table.scores) else joined(table, starts)


def joined(table: ScoreTable, starts: NDArray[np.intp]) -> ScoreTable:
    """The scores from each start to the next as one, at their mean."""
    mass = (table.positives + table.negatives).astype(np.float64)
    up, down = np.add.reduceat(table.positives, starts), np.add.reduceat(table.negatives, starts)
    finite = np.isfinite(table.scores)
    sums = np.add.reduceat(mass * np.where(finite, table.scores, 0.0), starts)
    scores = sums / np.add.reduceat(mass, starts)
    # Infinite scores have no mean with others; the first score of the group stands for it then.
    if not finite.all() or not (np.diff(scores) > 0).all():
        scores = table.scores[starts]
    return ScoreTable(scores, up, down, positive=table.positive, exact=False)


def group_starts(table: ScoreTable, groups: int = GROUPS) -> NDArray[np.intp]:
    """Where each group of neighbouring scores begins; every score by itself while there are few."""
    if len(table.scores) <= groups:
        return np.arange(len(table.scores))
    mass = (table.positives + table.negatives).astype(np.float64)
    place = np.floor((np.cumsum(mass) - mass / 2) * groups / mass.sum())
    return np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))
