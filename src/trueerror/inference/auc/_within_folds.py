"""Areas of rows that several models scored, one model a fold: ranked within each fold, never across folds.

A fold's model may have scores on a scale of its own, so a pair of rows from two folds says nothing about either model.
The mean of the folds' areas speaks of these models, one for each fold. Each class is a sample of its own, whose rows
spread alike in every fold (`fold_sums`).

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

from trueerror.inference._clusters import clusters_left_out
from trueerror.inference._effective_t import effective_t_contrast, effective_t_limits
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference.auc._influences import score_influences
from trueerror.inference.auc._interval import rows_of_classes
from trueerror.inference.auc._multiclass import class_slopes
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.kernels._numpy import table_placements
from trueerror.metrics._registry import Measure, MetricOptions, value
from trueerror.metrics.scores import auc
from trueerror.results import Contrast, Interval
from trueerror.results._format import number
from trueerror.tallies._scores import ScoreTable

Ints = NDArray[np.signedinteger[Any]]
# Values of rows, and how many rows have each.
Counted = tuple[Floats, Floats]
TOO_SMALL = (
    "fewer than two folds have rows of both classes, so nothing can be ranked within them; use fewer, larger, "
    "stratified folds"
)
# Scores of different folds are called incomparable when pairs across folds are ordered worse by this much.
LOSS = 0.01


def fold_sums(folds: Sequence[Counted]) -> Sums:
    """What the rows of one class add to a mean over K folds: σ²·Σ_f 1/m_f/K², with m_f rows in a fold.

    σ² is the squares within folds over rows − K. With fewer than two rows a fold those rest on next to nothing, so the
    squares around the mean of all rows stand in, which differences between the folds' models only make larger.
    """
    values, counts = (np.concatenate(x) for x in zip(*folds, strict=True))
    sizes, k, rows = np.array([float(c.sum()) for _, c in folds]), len(folds), float(counts.sum())
    few = rows < 2 * k
    means = [float(counts @ values) / rows if few else float(c @ v / c.sum()) for v, c in folds]
    squares = sum(float(c @ (v - mean) ** 2) for (v, c), mean in zip(folds, means, strict=True))
    df = rows - (1 if few else k)
    # As many rows and such squares as give this variance with these degrees of freedom.
    return Sums(df + 1, squares * float((1 / sizes).sum()) / k**2 / (df + 1)) if df > 0 else Sums(1.0, 0.0)


def left_out_words(lost: int, why: str = "with one class left out") -> str:
    """How many folds have no value; "" where all have one."""
    return f"{lost} fold{'s' * (lost > 1)} {why}" if lost else ""


def within_folds_interval(
    tables: Sequence[ScoreTable], *, name: str = "auc", scale: float = 1.0, spec: IntervalSpec | None = None
) -> Interval:
    """The mean of the folds' areas with limits for these K models; folds with one class have no area and are left out.

    Limits by the effective t, and where nothing varies those of rows that agree. `scale` 2 gives Gini's coefficient.

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
    mean = float(np.mean([auc(t) for t in kept]))
    samples = [fold_sums(of_class) for of_class in zip(*(_placed(t) for t in kept), strict=True)]
    alike = rows_of_classes([float(sum(n)) for n in zip(*((t.n_positive, t.n_negative) for t in kept), strict=True)])
    made = effective_t_limits(estimate_of_sums(mean, samples, (0.0, 1.0)), spec, alike=alike, rows=alike)
    ends = [scale * x - (scale - 1) for x in (mean, made.low, made.high)]
    return spec.interval(
        name, *ends, bounds=(1 - scale, 1.0), method="within-folds", n=float(sum(t.n for t in tables)),
        note=(left_out_words(len(tables) - len(kept)), *made.notes),
    )  # fmt: skip


def _placed(table: ScoreTable) -> tuple[Counted, Counted]:
    """The placements of the positives, and of the negatives, among the other class."""
    beats, beaten = table_placements(table.positives, table.negatives)
    return (
        (beats / (2 * float(table.n_negative)), table.positives.astype(np.float64)),
        (beaten / (2 * float(table.n_positive)), table.negatives.astype(np.float64)),
    )


@dataclass(frozen=True, eq=False)
class FoldedRows:
    """Rows with their class, their fold, and a cluster where there are clusters."""

    codes: Ints
    folds: Ints
    clusters: Ints | None = None

    def each(self) -> list[NDArray[np.intp]]:
        """The rows of each fold."""
        return [np.flatnonzero(self.folds == f) for f in np.unique(self.folds)]


class FoldedInfluences(NamedTuple):
    """The folds' values, the rows of each, and how far each of these moves its own fold's value."""

    values: Floats
    used: list[NDArray[np.intp]]
    influences: Floats


def folded_influences(measure: Measure, rows: FoldedRows, scores: Floats, options: MetricOptions) -> FoldedInfluences:
    """A metric of ranks in the folds that hold every class; the others have no ranking of all of them."""
    by_class = scores.ndim == 2
    classes = scores.shape[1] if by_class else 2
    used = [inside for inside in rows.each() if len(np.unique(rows.codes[inside])) == classes]
    if len(used) < 2:
        raise InputError(TOO_SMALL)
    in_fold = _of_class_scores if by_class else _of_scores
    values, moved = np.zeros(len(used)), np.zeros(len(rows.codes))
    for i, inside in enumerate(used):
        values[i], moved[inside] = in_fold(measure, rows.codes[inside], scores[inside], options)
    return FoldedInfluences(values, used, moved)


def _of_class_scores(measure: Measure, codes: Ints, scores: Floats, options: MetricOptions) -> tuple[float, Floats]:
    return float(measure.function(codes, scores, **options)), class_slopes(measure, codes, scores, options)


def _of_scores(measure: Measure, codes: Ints, scores: Floats, options: MetricOptions) -> tuple[float, Floats]:
    table = ScoreTable.from_codes(codes == 1, scores, 1)
    influences = score_influences(measure, table, options)
    if influences is None:
        raise InputError(f"{measure.name} cannot be compared within folds; take auc or average_precision")
    at = np.searchsorted(table.scores, scores + 0.0)
    return value(measure, table, **options), np.where(codes == 1, influences.positives[at], influences.negatives[at])


def _over_clusters(rows: FoldedRows, found: FoldedInfluences, bounds: Range) -> Estimate:
    """The mean over folds, each cluster left out to first order."""
    assert rows.clusters is not None
    inside = np.concatenate(found.used)
    _, groups = np.unique(rows.clusters[inside], return_inverse=True)
    shares = found.influences[inside] / len(found.used)
    return clusters_left_out(float(np.mean(found.values)), shares, rows.codes[inside], groups, bounds)


def clustered_within_folds_interval(
    measure: Measure, rows: FoldedRows, scores: Floats, options: MetricOptions, spec: IntervalSpec
) -> Interval:
    """The mean over folds of rows in clusters."""
    e = _over_clusters(rows, folded_influences(measure, rows, scores, options), measure.range)
    low, high, _, notes, *_ = effective_t_limits(e, spec, f"{len(e.units):,} clusters")
    return spec.interval(
        measure.name, float(e.value), low, high, bounds=measure.range, method="within-folds", n=float(len(rows.codes)),
        note=notes,
    )  # fmt: skip


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
    note = left_out_words(len(parts) - len(known), "without a value left out")
    return spec.interval(
        name, mean, mean - below, mean + above, bounds=bounds, method="within-folds-mover", n=n, note=note
    )


def within_folds_contrast(
    measure: Measure, rows: FoldedRows, first: Floats, second: Floats, options: MetricOptions, spec: IntervalSpec
) -> Contrast:
    """First − second in the mean of the folds' values: t = d/√V, each row's difference of influences within its fold.

    V sums over the classes as for one model's area; clusters are left out whole.

    >>> from trueerror.metrics._registry import find_measure
    >>> rng = np.random.default_rng(0)
    >>> codes, folds = np.tile([0, 1], 60), np.repeat(np.arange(6), 20)
    >>> good, poor = (rng.random(120) + pull * codes + 3 * folds for pull in (1.0, 0.2))
    >>> c = within_folds_contrast(find_measure("auc"), FoldedRows(codes, folds), good, poor, {}, IntervalSpec())
    >>> c.estimate > 0, c.p_value < 0.001
    (True, True)
    """
    one, two = (folded_influences(measure, rows, scores, options) for scores in (first, second))
    moved, reach = one.influences - two.influences, measure.range[1] - measure.range[0]
    apart = FoldedInfluences(one.values - two.values, one.used, np.where(np.abs(moved) > 1e-15, moved, 0.0))
    over = _over_clusters if rows.clusters is not None else _over_rows
    e = over(rows, apart, (-reach, reach))
    clustered = "" if rows.clusters is None else f"{len(e.units):,} clusters"
    lost = left_out_words(len(rows.each()) - len(apart.used), "without every class left out")
    note, n = "; ".join(x for x in (clustered, lost) if x), sum(len(inside) for inside in apart.used)
    made = effective_t_contrast(e, spec, n=n, higher_is_better=measure.higher_is_better, note=note)
    return replace(made, method="within-folds-paired")


def _over_rows(rows: FoldedRows, found: FoldedInfluences, bounds: Range) -> Estimate:
    """The mean over folds, each class a sample of its own."""
    samples = []
    for code in np.unique(rows.codes[np.concatenate(found.used)]):
        parts = [found.influences[inside[rows.codes[inside] == code]] for inside in found.used]
        # Influences times the rows of the class: how far each row lies from its fold's value.
        samples.append(fold_sums([(len(part) * part, np.ones(len(part))) for part in parts]))
    return estimate_of_sums(float(np.mean(found.values)), samples, bounds)


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
