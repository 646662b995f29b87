"""Areas of rows that several models scored, one model a fold: ranked within each fold, never across folds.

A fold's model may have scores on a scale of its own, so a pair of rows from two folds says nothing about either model.
The mean of the folds' areas speaks of these models, one for each fold.

Source: LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583, for the mean over folds; DeLong, DeLong and
Clarke-Pearson 1988, Biometrics 44:837, for the placements; Satterthwaite 1946, Biometrics Bull. 2:110.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import class_weighted_sizes, degrees_of_freedom, effective_clusters
from trueerror.inference._effective_t import effective_t_contrast, effective_t_limits
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums, spread
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference._score_tables import estimate_of_influences
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.auc._interval import newcombe_area_limits
from trueerror.inference.auc._multiclass import area_shares
from trueerror.inputs._options import InputError
from trueerror.kernels._numpy import table_placements
from trueerror.metrics._registry import ClassScores, Measure, MetricOptions, value
from trueerror.metrics.scores import auc
from trueerror.results import Contrast, Interval
from trueerror.results._format import number
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
TOO_SMALL = (
    "fewer than two folds have rows of both classes, so nothing can be ranked within them; use fewer, larger, "
    "stratified folds"
)
# Scores of different folds are called incomparable when pairs across folds are ordered worse by this much.
LOSS = 0.01


class ClassSpread(NamedTuple):
    """Of one class over the folds: rows, folds, Σ 1/rows of a fold, and squares within folds and around one mean."""

    rows: float
    folds: int
    inverse: float
    within: float
    around: float

    def sums(self) -> Sums:
        """Of the mean over folds, this class's part.

        Squares within folds over rows − folds. With fewer than two rows a fold they rest on next to nothing, so the
        squares around the mean of all rows stand in, which differences between the folds' models only make larger.
        """
        spread_within = self.rows >= 2 * self.folds
        square, df = (self.within, self.rows - self.folds) if spread_within else (self.around, self.rows - 1)
        # As many rows and such squares as give this variance with these degrees of freedom.
        return Sums(df + 1, square * self.inverse / self.folds**2 / (df + 1)) if df > 0 else Sums(1.0, 0.0)


def within_folds_interval(
    tables: Sequence[ScoreTable], *, name: str = "auc", scale: float = 1.0, spec: IntervalSpec | None = None
) -> Interval:
    """The mean of the folds' areas with limits for these K models; folds with one class have no area and are left out.

    V = Σ over the classes of σ²_c·Σ_f 1/m_cf/K², σ²_c the squared placements less their fold's area over the class's
    rows − K, each class with so many degrees of freedom; limits by the effective t, and where nothing varies Newcombe's
    method 5. `scale` 2 gives Gini's coefficient.

    >>> parts = [ScoreTable.count([0, 0, 0, 1, 1, 1], s) for s in ([1, 2, 4, 3, 5, 6], [1, 3, 5, 4, 6, 2])]
    >>> print(within_folds_interval(parts))
    auc 0.778 [0.360, 0.956], 95 % within-folds, n = 12
    """
    spec = spec or IntervalSpec()
    if any(t.squares is not None for t in tables):
        raise InputError("areas within folds take rows that count, not sampling weights; leave folds out, or weights")
    kept = [t for t in tables if t.n_positive > 0 and t.n_negative > 0]
    if len(kept) < 2:
        raise InputError(TOO_SMALL)
    areas = np.array([float(auc(t)) for t in kept])
    mean = float(areas.mean())
    e = estimate_of_sums(mean, [_spread(kept, areas, side).sums() for side in (0, 1)], (0.0, 1.0))
    lost = len(tables) - len(kept)
    notes = [f"{lost} fold{'s' * (lost > 1)} with one class left out"] if lost else []
    if float(spread(e).error) > 0:
        low, high = effective_t_limits(e, spec)[:2]
    else:
        up, down = (float(sum(n)) for n in zip(*((t.n_positive, t.n_negative) for t in kept), strict=True))
        low, high = newcombe_area_limits(mean, up, down, max(spec.factor(), 0.0))
        notes.append("no variance within folds: Newcombe's method 5 over all rows instead")
    ends = [scale * x - (scale - 1) for x in (mean, low, high)]
    return spec.interval(
        name, *ends, bounds=(1 - scale, 1.0), method="within-folds", n=float(sum(t.n for t in tables)), note=notes
    )


def clustered_within_folds_interval(
    measure: Measure, rows: FoldedRows, scores: Floats, options: MetricOptions, spec: IntervalSpec
) -> Interval:
    """The same for rows in clusters, each left out to first order."""
    used = usable_folds(rows, 2 if scores.ndim == 1 else scores.shape[1])
    over_folds = folded_influences(measure, rows, scores, options, used)
    e = _over_clusters(rows, over_folds.estimate, over_folds.influences, used, measure.range)
    low, high, note = math.nan, math.nan, f"{len(e.units):,} clusters"
    if float(spread(e).error) > 0:
        low, high = effective_t_limits(e, spec)[:2]
    elif len(e.units) > 1:
        assert e.sizes is not None
        worth, scale = effective_clusters(e.sizes), measure.area or 1.0
        t = max(spec.factor(degrees_of_freedom(worth)), 0.0)
        area = (over_folds.estimate + scale - 1) / scale
        low, high = (scale * x - (scale - 1) for x in newcombe_area_limits(area, worth / 2, worth / 2, t))
        note += "; no variance within folds: limits as of as many rows"
    return spec.interval(
        measure.name, over_folds.estimate, low, high, bounds=measure.range, method="within-folds",
        n=float(len(rows.codes)), note=note,
    )  # fmt: skip


def _over_clusters(
    rows: FoldedRows, value: float, influences: Floats, used: Sequence[NDArray[np.intp]], bounds: Range
) -> Estimate:
    """A mean over folds, with what each cluster adds to it."""
    assert rows.clusters is not None
    inside = np.concatenate(used)
    _, groups = np.unique(rows.clusters[inside], return_inverse=True)
    shares = influences[inside] / len(used)
    sums = np.bincount(groups, weights=shares).astype(np.float64)
    return estimate_of_influences(value, sums, class_weighted_sizes(groups, rows.codes[inside], shares), bounds)


def mean_over_folds(parts: Sequence[Interval], spec: IntervalSpec, *, name: str, bounds: tuple[float, float],
                    n: float) -> Interval:  # fmt: skip
    """The mean of the folds' own intervals: θ̄ − √Σ(θ_f − l_f)²/K and θ̄ + √Σ(u_f − θ_f)²/K (Zou and Donner 2008).

    >>> two = [Interval(name="x", estimate=e, low=e - 0.3, high=e + 0.1, confidence=0.95) for e in (0.5, 0.7)]
    >>> made = mean_over_folds(two, IntervalSpec(), name="x", bounds=(0, 1), n=20)
    >>> round(made.estimate, 3), round(made.low, 3), round(made.high, 3)
    (0.6, 0.388, 0.671)
    """
    known = [x for x in parts if not math.isnan(x.estimate)]
    if len(known) < 2:
        raise InputError(TOO_SMALL)
    mean = float(np.mean([x.estimate for x in known]))
    below, above = (math.hypot(*reach) / len(known) for reach in (
        [x.estimate - x.low for x in known], [x.high - x.estimate for x in known]
    ))  # fmt: skip
    lost = len(parts) - len(known)
    note = f"{lost} fold{'s' * (lost > 1)} without a value left out" if lost else ""
    return spec.interval(
        name, mean, mean - below, mean + above, bounds=bounds, method="within-folds-mover", n=n, note=note
    )


def _spread(tables: Sequence[ScoreTable], areas: Floats, side: int) -> ClassSpread:
    """Of the positives (0) or the negatives (1): how far their placements lie from their fold's area."""
    rows, inverse, within, total, square = 0.0, 0.0, 0.0, 0.0, 0.0
    for table, area in zip(tables, areas, strict=True):
        counts = (table.positives, table.negatives)[side].astype(np.float64)
        others = float((table.n_negative, table.n_positive)[side])
        placed = table_placements(table.positives, table.negatives)[side] / (2 * others)
        size = float(counts.sum())
        rows, inverse = rows + size, inverse + 1 / size
        within += float(counts @ (placed - area) ** 2)
        total, square = total + float(counts @ placed), square + float(counts @ placed**2)
    return ClassSpread(rows, len(tables), inverse, within, max(square - total**2 / rows, 0.0))


class FoldedInfluences(NamedTuple):
    """A metric's mean over folds, and how far each row of the folds used moves its own fold's value."""

    estimate: float
    influences: Floats


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """Rows with their class, their fold, and a cluster where there are clusters."""

    codes: Ints
    folds: Ints
    clusters: Ints | None = None

    def each(self) -> list[NDArray[np.intp]]:
        """The rows of each fold."""
        return [np.flatnonzero(self.folds == f) for f in np.unique(self.folds)]


def folded_influences(
    measure: Measure, rows: FoldedRows, scores: Floats, options: MetricOptions, used: Sequence[NDArray[np.intp]]
) -> FoldedInfluences:
    """The mean of a metric of ranks over the folds `used`, and each row's influence on its fold's value."""
    values, moved = [], np.zeros(len(rows.codes))
    for inside in used:
        if scores.ndim == 2:
            labels = tuple(range(scores.shape[1]))
            values.append(value(measure, ClassScores(rows.codes[inside], scores[inside], labels), **options))
            moved[inside] = area_shares(measure, rows.codes[inside], scores[inside], options)
            continue
        up = rows.codes[inside] == 1
        table = ScoreTable.from_codes(up, scores[inside], 1)
        values.append(value(measure, table, **options))
        influences = score_influences(measure, table, options)
        if influences is None:
            raise InputError(f"{measure.name} cannot be compared within folds; take auc or average_precision")
        at = np.searchsorted(table.scores, scores[inside] + 0.0)
        moved[inside] = np.where(up, influences.positives[at], influences.negatives[at])
    return FoldedInfluences(float(np.mean(values)), moved)


def usable_folds(rows: FoldedRows, classes: int) -> list[NDArray[np.intp]]:
    """The folds that hold every class: the others have no ranking of all of them."""
    folds = [inside for inside in rows.each() if len(np.unique(rows.codes[inside])) == classes]
    if len(folds) < 2:
        raise InputError(TOO_SMALL)
    return folds


def within_folds_contrast(
    measure: Measure, rows: FoldedRows, first: Floats, second: Floats, options: MetricOptions, spec: IntervalSpec
) -> Contrast:
    """First − second in the mean of the folds' values: t = d/√V, each row's difference of influences within its fold.

    V sums over the classes σ²_c·Σ_f 1/m_cf/K² as for one model's area; clusters are left out whole.

    >>> from trueerror.metrics._registry import find_measure
    >>> rng = np.random.default_rng(0)
    >>> codes, folds = np.tile([0, 1], 60), np.repeat(np.arange(6), 20)
    >>> good, poor = (rng.random(120) + pull * codes + 3 * folds for pull in (1.0, 0.2))
    >>> c = within_folds_contrast(find_measure("auc"), FoldedRows(codes, folds), good, poor, {}, IntervalSpec())
    >>> c.estimate > 0, c.p_value < 0.001
    (True, True)
    """
    used = usable_folds(rows, 2 if first.ndim == 1 else first.shape[1])
    one, two = (folded_influences(measure, rows, scores, options, used) for scores in (first, second))
    estimate, moved = one.estimate - two.estimate, one.influences - two.influences
    moved = np.where(np.abs(moved) > 1e-15, moved, 0.0)
    inside, reach = np.concatenate(used), measure.range[1] - measure.range[0]
    lost = len(rows.each()) - len(used)
    note = f"{lost} fold{'s' * (lost > 1)} without every class left out" if lost else ""
    if rows.clusters is not None:
        e = _over_clusters(rows, estimate, moved, used, (-reach, reach))
        note = "; ".join(x for x in (f"{len(e.units):,} clusters", note) if x)
    else:
        parts = [_class_spread(rows, moved, used, int(c)).sums() for c in np.unique(rows.codes[inside])]
        e = estimate_of_sums(estimate, parts, (-reach, reach))
    made = effective_t_contrast(e, spec, n=len(inside), higher_is_better=measure.higher_is_better, note=note)
    return replace(made, method="within-folds-paired")


def _class_spread(rows: FoldedRows, moved: Floats, used: Sequence[NDArray[np.intp]], code: int) -> ClassSpread:
    """Influences times the class's rows in the fold: how far each row lies from its fold's value."""
    parts = [moved[inside[rows.codes[inside] == code]] for inside in used]
    parts = [len(p) * p for p in parts]
    every = np.concatenate(parts)
    within = float(sum(((p - p.mean()) ** 2).sum() for p in parts))
    return ClassSpread(
        float(len(every)), len(parts), float(sum(1 / len(p) for p in parts)), within,
        float(((every - every.mean()) ** 2).sum()),
    )  # fmt: skip


class Comparability(NamedTuple):
    """How often pairs are ordered right within folds and across folds, and whether all folds share one scale."""

    within: float
    across: float
    p_value: float

    @property
    def doubtful(self) -> bool:
        """Pairs across folds are ordered worse, and the folds' scores differ by more than chance."""
        return self.within - self.across > LOSS and self.p_value < 0.001

    @property
    def words(self) -> str:
        """The warning; "" where there is none."""
        if not self.doubtful:
            return ""
        return (
            f"the folds' scores are not on one scale: pairs within a fold are ordered right {number(self.within)} of "
            f"the time, pairs across folds {number(self.across)}; average over folds rather than pool them"
        )


def fold_comparability(tables: Sequence[ScoreTable]) -> Comparability | None:
    """Whether scores of different folds lie on one scale; None where fewer than two folds have both classes."""
    both = [t for t in tables if t.n_positive > 0 and t.n_negative > 0]
    if len(both) < 2:
        return None
    pool = ScoreTable.total(both)
    pairs = np.array([float(t.n_positive) * float(t.n_negative) for t in both])
    within = float(np.array([float(auc(t)) for t in both]) @ pairs / pairs.sum())
    all_pairs = float(pool.n_positive) * float(pool.n_negative)
    across = (float(auc(pool)) * all_pairs - within * float(pairs.sum())) / (all_pairs - float(pairs.sum()))
    p = 1.0 if within - across <= LOSS else _one_distribution(both, pool)
    return Comparability(within, across, p)


def _one_distribution(tables: Sequence[ScoreTable], pool: ScoreTable) -> float:
    """The p-value of Kruskal and Wallis's test that folds share one distribution, both classes added."""
    from scipy.special import chdtrc

    statistic, df = 0.0, 0
    for side in ("positives", "negatives"):
        total = getattr(pool, side)
        n = float(total.sum())
        ranks = np.cumsum(total) - (total - 1) / 2
        ties = 1 - float((total.astype(np.float64) ** 3 - total).sum()) / (n**3 - n) if n > 1 else 0.0
        if ties <= 0:
            continue
        for table in tables:
            part = getattr(table, side)
            size = float(part.sum())
            if size > 0:
                mean = float(ranks[np.searchsorted(pool.scores, table.scores)] @ part) / size
                statistic += 12 / (n * (n + 1)) * size * (mean - (n + 1) / 2) ** 2 / ties
        df += len(tables) - 1
    return float(chdtrc(df, statistic)) if df else math.nan
