"""Areas of rows that several models scored, one model a fold: ranked within each fold, never across folds.

A fold's model may have scores on a scale of its own, so a pair of rows from two folds says nothing about either model.
The mean of the folds' areas speaks of these models, one for each fold.

Source: LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583, for the mean over folds; DeLong, DeLong and
Clarke-Pearson 1988, Biometrics 44:837, for the placements; Satterthwaite 1946, Biometrics Bull. 2:110.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import (
    ClusterDifference,
    class_weighted_sizes,
    cluster_contrast,
    cr3_variance,
    degrees_of_freedom,
    effective_clusters,
)
from trueerror.inference._contrast import contrast, student_p, student_quantile, tail_area
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import FEW, newcombe_area_limits, satterthwaite, score_influences
from trueerror.inference.auc._multiclass import area_shares
from trueerror.inference.proportion._distributions import on_logit
from trueerror.inputs._options import InputError
from trueerror.kernels._numpy import table_placements
from trueerror.methods import Method, declare
from trueerror.metrics._registry import ClassScores, Measure, MetricOptions, value
from trueerror.metrics.scores import auc
from trueerror.results import Contrast, Interval
from trueerror.results._format import number
from trueerror.results._values import Note
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

    def variance(self) -> tuple[float, float]:
        """Of the mean over folds, this class's part, with its degrees of freedom.

        Squares within folds over rows − folds. With fewer than two rows a fold they rest on next to nothing, so the
        squares around the mean of all rows stand in, which differences between the folds' models only make larger.
        """
        if self.rows >= 2 * self.folds:
            square, df = self.within, self.rows - self.folds
        else:
            square, df = self.around, self.rows - 1
        return (square / df * self.inverse / self.folds**2, df) if df > 0 else (math.nan, math.nan)


def within_folds_interval(
    tables: Sequence[ScoreTable], *, name: str = "auc", scale: float = 1.0, spec: IntervalSpec | None = None
) -> Interval:
    """The mean of the folds' areas with limits for these K models; folds with one class have no area and are left out.

    V = Σ over the classes of σ²_c·Σ_f 1/m_cf/K², σ²_c the squared placements less their fold's area over the class's
    rows − K; limits logit(A) ± t·√V/(A(1 − A)) with Satterthwaite's degrees of freedom, and where few pairs are
    misordered the outer ones with Newcombe's method 5. `scale` 2 gives Gini's coefficient.

    >>> parts = [ScoreTable.count([0, 0, 0, 1, 1, 1], s) for s in ([1, 2, 4, 3, 5, 6], [1, 3, 5, 4, 6, 2])]
    >>> print(within_folds_interval(parts))
    auc 0.778 [0.301, 0.966], 95 % within-folds, n = 12 (near 0 or 1: the wider of two limits is shown)
    """
    spec = spec or IntervalSpec()
    if any(t.squares is not None for t in tables):
        raise InputError("areas within folds take rows that count, not sampling weights; leave folds out, or weights")
    kept = [t for t in tables if t.n_positive > 0 and t.n_negative > 0]
    if len(kept) < 2:
        raise InputError(TOO_SMALL)
    areas = np.array([float(auc(t)) for t in kept])
    mean = float(areas.mean())
    parts = [_spread(kept, areas, side).variance() for side in (0, 1)]
    up, down = (float(sum(n)) for n in zip(*((t.n_positive, t.n_negative) for t in kept), strict=True))
    lost = len(tables) - len(kept)
    notes = [f"{lost} fold{'s' * (lost > 1)} with one class left out"] if lost else []
    variance = sum(v for v, _ in parts)
    z = max(spec.factor(), 0.0)
    modelled = newcombe_area_limits(mean, up, down, z)
    if not variance > 0 or not 0 < mean < 1:
        low, high = modelled
        notes.append("no variance within folds: Newcombe's method 5 over all rows instead")
    else:
        low, high = (float(x) for x in on_logit(mean, variance, max(spec.factor(satterthwaite(*parts)), 0.0)))
        if min(up, down) * min(mean, 1 - mean) < FEW:
            low, high = min(low, modelled[0]), max(high, modelled[1])
            notes.append(str(Note("auc-near-end")))
    ends = [scale * x - (scale - 1) for x in (mean, low, high)]
    return spec.interval(
        name, *ends, bounds=(1 - scale, 1.0), method="within-folds", n=float(sum(t.n for t in tables)), note=notes
    )


def clustered_within_folds_interval(
    measure: Measure, rows: FoldedRows, scores: Floats, options: MetricOptions, spec: IntervalSpec
) -> Interval:
    """The same for rows in clusters: V = Σ (s_g/(1 − w_g))², s_g a cluster's sum of influences; t(G_eff − 1)."""
    used = usable_folds(rows, 2 if scores.ndim == 1 else scores.shape[1])
    over_folds = folded_influences(measure, rows, scores, options, used)
    inside = np.concatenate(used)
    assert rows.clusters is not None
    _, groups = np.unique(rows.clusters[inside], return_inverse=True)
    shares = over_folds.influences[inside] / len(used)
    sums, sizes = np.bincount(groups, weights=shares), class_weighted_sizes(groups, rows.codes[inside], shares)
    g, estimate, scale = len(sums), over_folds.estimate, measure.area or 1.0
    area = (estimate + scale - 1) / scale
    note, low, high = f"{g:,} clusters", math.nan, math.nan
    if g > 1:
        variance, worth = cr3_variance(sums.astype(np.float64), sizes) / scale**2, effective_clusters(sizes)
        t = max(spec.factor(degrees_of_freedom(worth)), 0.0)
        low, high = (float(x) for x in on_logit(area, variance, t))
        if math.isnan(low):
            low, high = newcombe_area_limits(area, worth / 2, worth / 2, t)
            note += "; no variance within folds: limits as of so many rows"
    ends = [scale * x - (scale - 1) for x in (area, low, high)]
    return spec.interval(
        measure.name, *ends, bounds=measure.range, method="within-folds", n=float(len(rows.codes)), note=note
    )


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

    V sums over the classes σ²_c·Σ_f 1/m_cf/K² as for one model's area; clusters are summed up whole. Where no pair is
    ordered differently the limits come from the class sizes alone.

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
    estimate = one.estimate - two.estimate
    moved = one.influences - two.influences
    moved = np.where(np.abs(moved) > 1e-15, moved, 0.0)
    inside = np.concatenate(used)
    n, reach = len(inside), measure.range[1] - measure.range[0]
    if rows.clusters is not None:
        _, groups = np.unique(rows.clusters[inside], return_inverse=True)
        shares = moved[inside] / len(used)
        sums = np.bincount(groups, weights=shares).astype(np.float64)
        weighed = class_weighted_sizes(groups, rows.codes[inside], shares)
        by_cluster = ClusterDifference(estimate, sums, weighed, (-reach, reach), n)
        return cluster_contrast(by_cluster, spec, higher_is_better=measure.higher_is_better)
    parts = [_class_spread(rows, moved, used, int(c)).variance() for c in np.unique(rows.codes[inside])]
    variance = sum(v for v, _ in parts)
    lost = len(rows.each()) - len(used)
    notes = (f"{lost} fold{'s' * (lost > 1)} without every class left out",) if lost else ()
    common: dict[str, Any] = {
        "estimate": estimate, "whole": (-reach, reach), "confidence": spec.confidence,
        "alternative": spec.alternative, "method": "within-folds-paired", "n": n,
    }  # fmt: skip
    if math.isnan(variance):
        note = "a class has a single row, so the variance cannot be estimated"
        return contrast(
            limits=(math.nan, math.nan), p_value=math.nan, statistic=math.nan, notes=(*notes, note), **common
        )
    if not variance > 0:
        tail, sizes = tail_area(spec.confidence, spec.alternative), np.bincount(rows.codes[inside])
        half = reach * float(sum(1 - tail ** (1 / m) for m in sizes if m > 0)) / max(int((sizes > 0).sum()), 1)
        note = "no variance: no row is placed differently, so the limits come from the class sizes"
        p = 1.0 if estimate == 0 else math.nan
        return contrast(
            limits=(estimate - half, estimate + half), p_value=p, statistic=0.0, p_better=0.5, notes=(*notes, note),
            **common,
        )  # fmt: skip
    df, error = satterthwaite(*parts), math.sqrt(variance)
    half, statistic = student_quantile(spec.confidence, spec.alternative, df) * error, estimate / error
    ahead = 1 - student_p(statistic, df, "greater")
    return contrast(
        limits=(estimate - half, estimate + half), statistic=statistic, df=df, notes=notes,
        p_value=student_p(statistic, df, spec.alternative),
        p_better=ahead if measure.higher_is_better is not False else 1 - ahead, **common,
    )  # fmt: skip


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


declare(
    Method(
        key="within-folds",
        title="mean of the areas within folds, DeLong's variance pooled over the folds",
        formula="A = mean of the K folds' areas; V = Σ_classes σ²_c·Σ_f 1/m_cf/K², σ²_c = Σ(placement − fold's area)²/"
        "(rows − K); logit(A) ± t·√V/(A(1 − A)), Satterthwaite's df; near the ends with Newcombe's method 5",
        source="LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583; DeLong, DeLong and Clarke-Pearson "
        "1988, Biometrics 44:837; Satterthwaite 1946, Biometrics Bull. 2:110",
        assumes="independent rows, one round of folds; it speaks of these K models, not of the learner",
        measured=".94–.98 with 20 to 200 positives in 5 to 10 folds, where LeDell's covers .83–.97; .95 with 10 "
        "positives in 5 folds, where it covers .83 (simulated)",
        advice='for the learner take method="corrected-t"',
    ),
    Method(
        key="within-folds-mover",
        title="mean of a metric within folds, the folds' own limits combined by MOVER",
        formula="θ̄ ± √Σ(distance of fold f's limit)²/K, each fold's limits by the metric's own method",
        source="Zou and Donner 2008, Stat. Med. 27:1693",
        assumes="independent rows, one round of folds; it speaks of these K models, not of the learner",
    ),
    Method(
        key="within-folds-paired",
        title="difference of two models' areas within folds, Satterthwaite t",
        formula="d = mean over folds of first − second; t = d/√V, V as for one model with the rows' differences of "
        "influences",
        source="LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583; DeLong, DeLong and Clarke-Pearson "
        "1988, Biometrics 44:837",
        assumes="independent rows, both models with the same folds; it speaks of these K models, not of the learners",
        advice='for the learners take method="corrected-t"',
    ),
    part="areas",
)
