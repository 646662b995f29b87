"""The area under one ROC curve: DeLong on the logit scale, and Newcombe's method 5 where few pairs are misordered.

The area under the ROC curve over clustered rows: DeLong's placements, summed within clusters.

The covariance of areas under ROC curves from placements: DeLong's estimator, by one sort a model; and how far one
more row at each score moves a metric of scores (its first derivatives, in one pass over the table).

With m positives and n negatives, V10 of a positive is the share of negatives that it beats and V01 of a negative the
share of positives that beat it (ties half); the area is the mean of either, and the covariance of two areas is
S10/m + S01/n, where S10 and S01 are the sample covariances of the placements.

Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; the mid-rank form is Sun and Xu 2014,
IEEE Signal Process. Lett. 21:1389.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import class_weighted_sizes, degrees_of_freedom, effective_clusters, jackknifed
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, clustered, independent
from trueerror.inference._variance import ScoreSample
from trueerror.inference.proportion._distributions import on_logit
from trueerror.kernels import RANKING, chosen
from trueerror.kernels._numpy import table_placements
from trueerror.kernels._threads import in_threads
from trueerror.methods._registry import Default, inference_method
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.metrics.scores import Binning, bin_places
from trueerror.results._format import whole
from trueerror.results._values import Note
from trueerror.tallies._moments import Placements
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]

# From so many rows on, models are ranked in threads.
THREADED = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class AreaCovariance:
    """Areas of one or more models on the same rows, and both parts of their covariance.

    `among_positives` is S10/m and `among_negatives` S01/n; a part is NaN where its class has a single row.
    """

    areas: Floats
    among_positives: Floats
    among_negatives: Floats
    positives: int
    negatives: int

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the areas."""
        return self.among_positives + self.among_negatives

    def parts(self, weights: Sequence[float] | Floats) -> tuple[float, float]:
        """What the positives and the negatives add to the variance of Σ w·area."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = (float(w @ part @ w) for part in (self.among_positives, self.among_negatives))
        # A difference of identical models leaves rounding dust, which must not pass for a variance.
        if of_positives + of_negatives <= 1e-14 * float((w * w) @ np.diag(self.covariance)):
            of_positives = of_negatives = 0.0
        return of_positives, of_negatives

    def lone_rows(self, model: int) -> tuple[float, float]:
        """How far lone positives and lone negatives hold the misordered pairs of a model: S/(A(1 − A)), at most 1.

        Placements of variance S and mean A have A(1 − A) where each is 0 or 1; normal scores have about a seventh of
        it. Where no pair is misordered nothing speaks against 1.

        >>> truth = np.repeat([False, True], 20)
        >>> delong_covariance(truth, [np.arange(40.0), np.r_[np.arange(39.0), -1.0]]).lone_rows(1)
        (1.0, 0.0)
        """
        area = float(self.areas[model])
        if area in (0.0, 1.0):
            return 1.0, 1.0
        spread = (self.among_positives * self.positives, self.among_negatives * self.negatives)
        of_positives, of_negatives = (min(1.0, float(s[model, model]) / (area * (1 - area))) for s in spread)
        return of_positives, of_negatives

    def contrast(self, weights: Sequence[float] | Floats) -> tuple[float, float, float]:
        """Σ w·area, its variance and its Satterthwaite degrees of freedom."""
        w = np.asarray(weights, dtype=np.float64)
        of_positives, of_negatives = self.parts(w)
        return (
            float(w @ self.areas),
            of_positives + of_negatives,
            satterthwaite((of_positives, self.positives - 1), (of_negatives, self.negatives - 1)),
        )


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Degrees of freedom of a sum of independent variances: V² / Σ v²/df, from (v, df) pairs; NaN when V is 0.

    >>> satterthwaite((2.0, 10), (2.0, 10))
    20.0
    """
    total = sum(v for v, _ in parts)
    if not total > 0:
        return float("nan")
    return total * total / sum(v * v / df for v, df in parts if v > 0)


def delong_covariance(positive: NDArray[np.bool_], scores: Sequence[NDArray[Any]]) -> AreaCovariance:
    """Areas and covariance of several score columns over the same rows.

    >>> truth = np.array([False, False, True, True])
    >>> delong_covariance(truth, [np.array([0.1, 0.4, 0.35, 0.8])]).areas
    array([0.75])
    """
    positives = np.flatnonzero(positive)
    negatives = np.flatnonzero(~positive)
    m, n = len(positives), len(negatives)
    over_positives = np.empty((len(scores), m))
    over_negatives = np.empty((len(scores), n))
    kernels = chosen(RANKING * len(positive) * len(scores))

    def place(i: int) -> None:
        twice = kernels.placements(scores[i], positive)
        # "clip" writes straight into the row; no index is out of range.
        twice.take(positives, out=over_positives[i], mode="clip")
        twice.take(negatives, out=over_negatives[i], mode="clip")

    if len(positive) < THREADED:
        for i in range(len(scores)):
            place(i)
    else:
        in_threads(place, range(len(scores)))
    # Doubled placements are whole numbers, so this sum is exact up to 2⁵³ and the area has one rounding.
    areas = over_positives.sum(axis=1) / (2.0 * m * n)
    return AreaCovariance(
        areas=areas,
        among_positives=_spread(over_positives, 2.0 * n, areas),
        among_negatives=_spread(over_negatives, 2.0 * m, areas),
        positives=m,
        negatives=n,
    )


def _spread(twice: Floats, unit: float, areas: Floats) -> Floats:
    """The sample covariance of placements over their number; overwrites its input."""
    size = twice.shape[1]
    if size < 2:
        return np.full((len(areas), len(areas)), np.nan)
    twice /= unit
    twice -= areas[:, None]
    spread: Floats = (twice @ twice.T) / ((size - 1.0) * size)
    return spread


def delong_from_table(table: ScoreTable) -> AreaCovariance:
    """One model from its score table: how many positives and negatives have each distinct score, ascending.

    >>> delong_from_table(ScoreTable.count([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])).areas
    array([0.75])
    """
    m, n = int(table.n_positive), int(table.n_negative)
    twice, among_positives, among_negatives = table.placement_sums()
    return AreaCovariance(
        areas=np.array([twice / (2.0 * m * n)]),
        among_positives=_mean_square(among_positives, m),
        among_negatives=_mean_square(among_negatives, n),
        positives=m,
        negatives=n,
    )


def delong_from_placements(found: Placements) -> AreaCovariance:
    """Several models from the sums of their placements, which were counted where the rows are."""
    parts = [
        sums / ((size - 1.0) * size) if size > 1 else np.full(sums.shape, np.nan)
        for sums, size in ((found.among_positives, found.positives), (found.among_negatives, found.negatives))
    ]
    return AreaCovariance(found.areas, parts[0], parts[1], found.positives, found.negatives)


def _mean_square(total: float, size: int) -> Floats:
    if size < 2:
        return np.full((1, 1), np.nan)
    # Equal placements leave the square of a rounding error, which must not pass for a variance.
    return np.array([[total / ((size - 1.0) * size) if total > 1e-30 * size else 0.0]])


class ScoreInfluences(NamedTuple):
    """By one more positive, and by one more negative, at each distinct score."""

    positives: Floats
    negatives: Floats


def score_influences(
    measure: Measure, table: ScoreTable, options: MetricOptions | None = None, *, share: float | None = None
) -> ScoreInfluences | None:
    """∂θ/∂(rows at each score) for the metrics of ranks and of calibration; None for any other metric.

    Σ over the rows is 0, since θ does not change when every row is there twice. Where θ has a kink (a bin of `ece` that
    is calibrated to the last digit) the slope is that of the side with more positives. With `share`, θ is the metric
    when that share of the rows is positive, each class counting by its own rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> table = ScoreTable.count([1, 0, 1], [0.9, 0.8, 0.7])
    >>> made = score_influences(find_measure("auc"), table)
    >>> made.positives.tolist(), made.negatives.tolist()
    ([-0.25, 0.0, 0.25], [0.25, 0.0, -0.25])
    """
    derivatives = _DERIVATIVES.get(measure.name)
    if derivatives is None or not table.n_positive or not table.n_negative or share in (0, 1):
        return None
    positives, negatives = (np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives))
    if share is None:
        return derivatives(_Counts(table.scores, positives, negatives), **(options or {}))
    # One more row of a class makes all others of it count less.
    scales = share / float(positives.sum()), (1 - share) / float(negatives.sum())
    influences = derivatives(_Counts(table.scores, positives * scales[0], negatives * scales[1]), **(options or {}))
    one, two = (
        scale * (slopes - float((rows * slopes).sum()) / float(rows.sum()))
        for slopes, rows, scale in zip(influences, (positives, negatives), scales, strict=True)
    )
    return ScoreInfluences(one, two)


class _Counts(NamedTuple):
    """Distinct scores with their (weighted) rows of either class."""

    scores: Floats
    positives: Floats
    negatives: Floats

    @property
    def totals(self) -> tuple[float, float]:
        return float(self.positives.sum()), float(self.negatives.sum())


def _auc(t: _Counts, scale: float = 1.0) -> ScoreInfluences:
    """A = Σ u·(negatives below + ties/2)/(PN): a row's placement less the area, over its class."""
    m, n = t.totals
    beats = (np.cumsum(t.negatives) - t.negatives / 2) / n
    beaten = (m - np.cumsum(t.positives) + t.positives / 2) / m
    area = float((t.positives * beats).sum()) / m
    return ScoreInfluences(scale * ((beats - area) / m), scale * ((beaten - area) / n))


def precision_influences(positives: Floats, negatives: Floats, above: float = 0.0) -> tuple[float, ScoreInfluences]:
    """AP = Σ u·F/C over P, with F positives and C rows at or above a score, and its derivatives: F and C grow for all
    scores below a row. `above` is a mass of negatives scored above all."""
    m = float(positives.sum())
    # Each array gives way to the next: of ten million scores one takes 80 MB.
    precision, called = np.empty_like(positives), np.empty_like(positives)
    np.cumsum(positives[::-1], out=precision[::-1])
    np.cumsum(negatives[::-1], out=called[::-1])
    called += precision
    called += above
    called[called == 0] = 1
    precision /= called
    weight = np.divide(positives, called, out=called)
    value = float((positives * precision).sum()) / m
    # What a positive gains, u·(C − F)/C², is what a row costs, u·F/C², taken from u/C.
    lost = weight * precision
    np.cumsum(lost, out=lost)
    gained = np.cumsum(weight, out=weight)
    gained -= lost
    gained += precision
    gained -= value
    gained /= m
    lost /= -m
    return value, ScoreInfluences(gained, lost)


def _average_precision(t: _Counts) -> ScoreInfluences:
    return precision_influences(t.positives, t.negatives)[1]


def _brier_skill_score(t: _Counts) -> ScoreInfluences:
    """1 − Σ(s − y)²·n/(PN), since the climate's Brier score is PN/n²."""
    (m, n), at_positive, at_negative = t.totals, (1 - t.scores) ** 2, t.scores**2
    squares = float((t.positives * at_positive + t.negatives * at_negative).sum())
    if not squares:
        return ScoreInfluences(np.zeros(len(t.scores)), np.zeros(len(t.scores)))
    ratio, grows = squares * (m + n) / (m * n), 1 / (m + n)
    return ScoreInfluences(
        -(ratio * (at_positive / squares + grows - 1 / m)), -(ratio * (at_negative / squares + grows - 1 / n))
    )


def _ece(t: _Counts, **bins: Any) -> ScoreInfluences:
    """Σ_bins |Σ(y − s)|/n, the bins held where they are."""
    place, gaps, sizes = _bins(t, **bins)
    total = float(sizes.sum())
    value = float(np.abs(gaps).sum()) / total
    sign = np.where(gaps < 0, -1.0, 1.0)[place]
    return ScoreInfluences((sign * (1 - t.scores) - value) / total, (-sign * t.scores - value) / total)


def _mce(t: _Counts, **bins: Any) -> ScoreInfluences:
    """|Σ(y − s)|/n of the bin where it is largest; other bins do not move it."""
    place, gaps, sizes = _bins(t, **bins)
    errors = np.abs(gaps) / np.where(sizes == 0, 1, sizes)
    worst = int(np.argmax(errors))
    sign = -1.0 if gaps[worst] < 0 else 1.0
    inside = np.where(place == worst, 1.0, 0.0) / sizes[worst]
    return ScoreInfluences(
        inside * (sign * (1 - t.scores) - errors[worst]), inside * (-sign * t.scores - errors[worst])
    )


def _bins(t: _Counts, bins: int = 10, binning: Binning = "width") -> tuple[NDArray[np.int64], Floats, Floats]:
    rows = t.positives + t.negatives
    place = bin_places(t.scores, rows, bins, binning)
    gaps = np.bincount(place, weights=t.positives - rows * t.scores, minlength=bins)
    return place, gaps.astype(np.float64), np.bincount(place, weights=rows, minlength=bins).astype(np.float64)


_DERIVATIVES: dict[str, Callable[..., ScoreInfluences]] = {
    "auc": _auc,
    "gini": partial(_auc, scale=2.0),
    "average_precision": _average_precision,
    "brier_skill_score": _brier_skill_score,
    "ece": _ece,
    "mce": _mce,
}


DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837"
# Below this many misordered "events" the logit interval of DeLong's variance undercovers by itself.
FEW = 10.0
# The part of an unseen row of each class at the wrong end that the limits allow for there.
UNSEEN = 0.15
HALVINGS = 100


def area_limits(
    table: ScoreTable, area: float, spec: IntervalSpec, method: str = "delong-logit", variance: float | None = None
) -> IntervalLimits:
    """Limits of the area under the ROC curve of a score table with both classes; `variance` where it is known already.

    >>> t = ScoreTable.count([0] * 20 + [1] * 20, list(range(40)))
    >>> round(area_limits(t, 1.0, IntervalSpec()).low, 4)
    0.8987
    """
    m, n = effective_rows(table)
    z = max(spec.factor(), 0.0)
    modelled = newcombe_area_limits(area, m, n, z)
    if method == "newcombe":
        return IntervalLimits(*modelled, "newcombe-auc", asked=method)
    if variance is None:
        variance = hanley_mcneil_variance(area, m, n) if method == "hanley-mcneil" else delong_variance(table, area)
    if not variance > 0 or not 0 < area < 1:
        why = "one row in a class" if min(m, n) < 2 else "no variance in the order of the scores"
        note = f"{why}: Newcombe's method 5 instead of {method}"
        return IntervalLimits(*modelled, "newcombe-auc", note, asked=method)
    if method != "delong-logit":
        reach = z * math.sqrt(variance)
        return IntervalLimits(max(0.0, area - reach), min(1.0, area + reach), method, asked=method)
    low, high = (float(v) for v in on_logit(area, variance, z))
    if min(m, n) * min(area, 1 - area) < FEW:
        unseen = unseen_low(area, variance, m, n, z), 1 - unseen_low(1 - area, variance, m, n, z)
        low, high = min(low, modelled[0], unseen[0]), max(high, modelled[1], unseen[1])
        return IntervalLimits(low, high, method, Note("auc-near-end"), asked=method)
    return IntervalLimits(low, high, method, asked=method)


def unseen_low(area: float, variance: float, m: float, n: float, z: float) -> float:
    """The lower limit on the logit scale of the same rows and a part of a row of each class at the wrong end.

    With c more positives below all negatives, and c more negatives above all positives, the area is A·mn/((m + c)(n +
    c)), and the new placements are 0. Of what DeLong's variance gives to either class no more than its sum is needed:
    Σ V10² = mA² + m(m − 1)·S10 and so on, with weights of nearly 1.
    """
    ways = m / (m + UNSEEN), n / (n + UNSEEN)
    lower = area * ways[0] * ways[1]
    added = sum(
        (other * other * size * area * area - (size + UNSEEN) * lower * lower) / (size + UNSEEN) ** 2
        for size, other in ((m, ways[1]), (n, ways[0]))
    )
    return float(on_logit(lower, variance + max(0.0, added), z)[0])


def of_area(measure: Measure, value: float) -> float:
    """The area that a multiple of it stands for: (G + 1)/2 of Gini's coefficient."""
    return (value + (measure.area - 1)) / measure.area


def on_scale(measure: Measure, limits: IntervalLimits) -> IntervalLimits:
    """The limits of an area as those of a multiple of it: 2·A − 1 for Gini's coefficient."""
    low, high = (measure.area * limit - (measure.area - 1) for limit in limits[:2])
    return limits._replace(low=low, high=high)


def _limits(q: Problem[ScoreSample], method: str) -> IntervalLimits:
    return on_scale(q.metric, area_limits(q.sample.table, of_area(q.metric, q.sample.estimate), q.spec, method))


@inference_method(
    "delong-logit",
    answers="auc",
    applies=independent,
    default=Default(
        why="at AUC .95 with 20/20 plain DeLong covers .84–.86, the logit scale .946; "
        "with few errors Newcombe's method 5 joins in"
    ),
    part="areas",
    title="DeLong's variance on the logit scale",
    formula="logit(A) ± z·SE/(A(1 − A)), SE² = S10/m + S01/n; where min(m, n)·min(A, 1 − A) < 10 the outer "
    "limits of this, of Newcombe's method 5, and of the rows with 0.15 of an unseen row of each class at the wrong end",
    source=f"{DELONG}; Pepe 2003, The Statistical Evaluation of Medical Tests, 5.2; Newcombe 2006, Stat. Med. 25:559",
    assumes="independent rows; higher scores are more positive",
    measured="AUC .95 of 20 and 20 rows: .946 or more (simulated), where DeLong's straight interval covers .84–.86; "
    "scores of which some positives look like negatives, 1 to 5 misranked rows: .95–.98, .89–.97 without unseen rows",
)
def delong_logit(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance on the logit scale, with Newcombe's method 5 where few pairs are misordered."""
    return _limits(q, "delong-logit")


@inference_method(
    "delong",
    answers="auc",
    applies=independent,
    part="areas",
    title="DeLong's interval",
    formula="A ± z·√(S10/m + S01/n), cut to [0, 1]",
    source=DELONG,
    assumes="independent rows, many of each class; higher scores are more positive",
    measured="AUC .95 of 20 and 20 rows: .84–.86; .99 of 50 and 50: .79–.80 (simulated)",
    advice="prefer delong-logit",
)
def delong_straight(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance as it is."""
    return _limits(q, "delong")


@inference_method(
    "hanley-mcneil",
    answers="auc",
    applies=independent,
    part="areas",
    title="Hanley and McNeil's interval",
    formula="A ± z·√((A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn), Q1 = A/(2−A), Q2 = 2A²/(1+A)",
    source="Hanley and McNeil 1982, Radiology 143:29",
    assumes="independent rows; scores near to exponential in shape",
    advice="prefer delong-logit",
)
def hanley_mcneil(q: Problem[ScoreSample]) -> IntervalLimits:
    """Hanley and McNeil's variance, from the area and the class sizes alone."""
    return _limits(q, "hanley-mcneil")


@inference_method(
    "newcombe-auc",
    word="newcombe",
    answers="auc",
    applies=independent,
    part="areas",
    title="Newcombe's interval of an area, method 5",
    formula="θ with (A − θ)² = z²·θ(1−θ)(1 + ν(1−θ)/(2−θ) + νθ/(1+θ))/mn, ν = (m + n)/2 − 1",
    source="Newcombe 2006, Stat. Med. 25:559",
    assumes="independent rows; higher scores are more positive",
    measured="at A = 1 the lower limit is .8987 of 20 and 20 rows, .9603 of 50 and 50",
)
def newcombe_auc(q: Problem[ScoreSample]) -> IntervalLimits:
    """Newcombe's method 5."""
    return _limits(q, "newcombe")


def effective_rows(table: ScoreTable) -> tuple[float, float]:
    """Positives and negatives; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
    sums = np.array([float(table.n_positive), float(table.n_negative)])
    if table.squares is None:
        return float(sums[0]), float(sums[1])
    squares = table.squares.sum(axis=-1)
    positives, negatives = np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)
    return float(positives), float(negatives)


def delong_variance(table: ScoreTable, area: float) -> float:
    """S10/m + S01/n from placements; with weights Σw²(V − A)²/(Σw)² for each class. NaN where a class has one row."""
    if table.squares is None:
        return float(delong_from_table(table).covariance[0, 0])
    m, n = float(table.n_positive), float(table.n_negative)
    beats, beaten = table_placements(table.positives, table.negatives)
    total = 0.0
    rows = effective_rows(table)
    for values, squares, mass, size in (
        (beats / (2 * n), table.squares[0], m, rows[0]),
        (beaten / (2 * m), table.squares[1], n, rows[1]),
    ):
        if size <= 1:
            return math.nan
        total += float((squares * (values - area) ** 2).sum()) / mass**2 * size / (size - 1)
    return total


def hanley_mcneil_variance(area: float, m: float, n: float) -> float:
    """(A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn, Q1 = A/(2−A), Q2 = 2A²/(1+A) (Hanley and McNeil 1982).

    >>> round(hanley_mcneil_variance(0.9, 20, 30) ** 0.5, 5)
    0.0497
    """
    square = area * area
    q1, q2 = area / (2 - area), 2 * square / (1 + area)
    return (area * (1 - area) + (m - 1) * (q1 - square) + (n - 1) * (q2 - square)) / (m * n)


def newcombe_area_limits(area: float, m: float, n: float, z: float) -> tuple[float, float]:
    """Method 5 of Newcombe 2006: θ with (A − θ)² = z²·V(θ), V Hanley and McNeil's with both class sizes at (m + n)/2.

    The upper limit is the mirror image of the lower one for 1 − A.

    >>> [round(newcombe_area_limits(1.0, a, b, 1.959964)[0], 4) for a, b in ((20, 20), (50, 50), (10, 500))]
    [0.8987, 0.9603, 0.9001]
    """

    def spread(theta: float) -> float:
        nu = (m + n) / 2 - 1
        return theta * (1 - theta) / (m * n) * (1 + nu * (1 - theta) / (2 - theta) + nu * theta / (1 + theta))

    return score_low(area, z, spread), 1 - score_low(1 - area, z, spread)


def score_low(area: float, z: float, variance: Callable[[float], float]) -> float:
    """The θ below the area with (A − θ)² = z²·V(θ), by halving."""
    low, high = 0.0, min(area, 1 - 1e-15)
    for _ in range(HALVINGS if area > 0 else 0):
        theta = (low + high) / 2
        if (area - theta) ** 2 > z * z * variance(theta):
            low = theta
        else:
            high = theta
    return (low + high) / 2


class ClusteredAreas(NamedTuple):
    """Areas of one or more models on the same clustered rows.

    `sums` (models, clusters) is what each cluster adds to an area, less its expectation, and `sizes` what it weighs in
    that; `unclustered` are the variances that independent rows would have.
    """

    areas: Floats
    sums: Floats
    sizes: Floats
    unclustered: Floats

    @property
    def covariance(self) -> Floats:
        """Obuchowski's (1997) covariance matrix of the areas: Σ over clusters of the products of sums, as in CR3."""
        apart = np.stack([jackknifed(s, n) for s, n in zip(self.sums, self.sizes, strict=True)])
        matrix: Floats = apart @ apart.T
        return matrix


def weighted_placements(scores: NDArray[Any], positive: NDArray[np.bool_], weights: Floats) -> Floats:
    """For each row the weighted share of the other class that it is ordered rightly with, ties counting half.

    >>> up = np.array([False, True, True])
    >>> weighted_placements(np.array([0.4, 0.3, 0.9]), up, np.array([1.0, 1.0, 3.0])).tolist()
    [0.75, 0.0, 1.0]
    """
    _, place = np.unique(scores, return_inverse=True)
    shares = []
    for side in (positive, ~positive):
        at = np.bincount(place[side], weights=weights[side], minlength=int(place.max()) + 1)
        shares.append((np.cumsum(at) - at / 2) / at.sum())
    ups, downs = shares
    placed: Floats = np.where(positive, downs[place], 1 - ups[place])
    return placed


def row_areas(positive: NDArray[np.bool_], column: NDArray[Any], weights: Floats | None = None) -> tuple[float, Floats]:
    """The area under the ROC curve, and what each row moves it by: its placement less the area, over its class."""
    if weights is None:
        m, n = int(positive.sum()), int((~positive).sum())
        sizes, others = np.where(positive, m, n), np.where(positive, n, m)
        twice = chosen(len(positive)).placements(np.ascontiguousarray(column), positive)
        area = float(twice[positive].sum() / (2.0 * m * n))
        return area, (twice / (2.0 * others) - area) / sizes
    placed = weighted_placements(column, positive, weights)
    area = float((weights * placed)[positive].sum() / weights[positive].sum())
    of_class = np.where(positive, weights[positive].sum(), weights[~positive].sum())
    return area, weights * (placed - area) / of_class


def area_within_clusters(
    positive: NDArray[np.bool_], column: NDArray[Any], codes: NDArray[np.integer[Any]], weights: Floats | None = None
) -> Floats:
    """What the pairs of rows of the same cluster, `codes` from 0 up, add to the area.

    >>> up, scores = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> area_within_clusters(up, scores, np.array([0, 1, 1, 0])).tolist()
    [0.25, 0.0]
    """
    w, groups = np.ones(len(positive)) if weights is None else weights, int(codes.max()) + 1
    _, place = np.unique(column, return_inverse=True)
    placed = weighted_placements(codes.astype(np.int64) * (int(place.max()) + 1) + place, positive, w)
    of_cluster = np.bincount(codes[~positive], weights=w[~positive], minlength=groups)
    before = (np.cumsum(of_cluster) - of_cluster) / of_cluster.sum()
    mine = codes[positive]
    sums = np.bincount(mine, weights=w[positive] * (placed[positive] - before[mine]), minlength=groups)
    return np.asarray(sums / w[positive].sum())


def clustered_area_covariance(
    positive: NDArray[np.bool_],
    scores: Sequence[NDArray[Any]],
    codes: NDArray[np.integer[Any]],
    weights: Floats | None = None,
) -> ClusteredAreas:
    """Areas and covariance of several score columns over the same rows; `codes` number the clusters from 0 up.

    Source: Obuchowski 1997, Biometrics 53:567.

    >>> truth, clusters = np.array([False, False, True, True]), np.array([0, 1, 1, 0])
    >>> made = clustered_area_covariance(truth, [np.array([0.1, 0.4, 0.35, 0.8])], clusters)
    >>> made.areas, made.covariance
    (array([0.75]), array([[0.5]]))
    """
    clusters = int(codes.max()) + 1
    areas, unclustered = np.empty(len(scores)), np.empty(len(scores))
    sums, weighed = np.empty((len(scores), clusters)), np.empty((len(scores), clusters))
    for i, column in enumerate(scores):
        areas[i], rows = row_areas(positive, column, weights)
        sums[i] = np.bincount(codes, weights=rows, minlength=clusters)
        weighed[i] = class_weighted_sizes(codes, positive.astype(np.int64), rows, weights)
        unclustered[i] = (rows * rows).sum()
    return ClusteredAreas(areas, sums, weighed, unclustered)


@inference_method(
    "delong-clustered",
    answers="auc",
    applies=clustered,
    default=Default(why="Of rows in clusters delong-clustered, which sums placements within them", when=clustered),
    part="areas",
    title="DeLong's placements summed within clusters, on the logit scale",
    formula="logit(A) ± t(G_eff − 1)·SE/(A(1 − A)), SE² = Σ_g(Σ h_i/(1 − w_g))² (CR3), h a row's placement less A, "
    "over its class's rows, w_g the cluster's share of the variance of independent rows, G_eff = 1/Σ w_g²; with few "
    "misranked rows the outer limits of this and Newcombe's method 5 at the effective rows",
    source="Obuchowski 1997, Biometrics 53:567; Bell and McCaffrey 2002, Surv. Methodol. 28:169",
    assumes="independent clusters, any dependence within; higher scores are more positive",
)
def delong_clustered(q: Problem[ScoreSample]) -> IntervalLimits:
    """Obuchowski's variance on the logit scale; Newcombe's method 5 where few pairs are misordered."""
    rows = q.sample.clusters
    assert rows is not None
    positive, codes = rows.positive, rows.codes
    area = of_area(q.metric, q.sample.estimate)
    areas = clustered_area_covariance(positive, [rows.scores], codes, rows.weights)
    variance, effective = float(areas.covariance[0, 0]), effective_clusters(areas.sizes[0])
    z = max(q.spec.factor(degrees_of_freedom(effective)), 0.0)
    note, m, n = f"{whole(areas.sums.shape[1])} clusters", int(positive.sum()), int((~positive).sum())
    if not variance > 1e-18 or not 0 < area < 1:
        of_class = [effective_clusters(np.bincount(codes[side])) for side in (positive, ~positive)]
        low, high = newcombe_area_limits(area, of_class[0], of_class[1], z)
        note += "; no variance in the order: Newcombe's method 5 at the clusters of each class"
    else:
        low, high = (float(v) for v in on_logit(area, variance, z))
        if min(m, n) * min(area, 1 - area) < FEW:
            # As many independent rows as would give this variance.
            shrink = min(1.0, float(areas.unclustered[0]) / variance)
            modelled = newcombe_area_limits(area, max(1.0, m * shrink), max(1.0, n * shrink), z)
            low, high = min(low, modelled[0]), max(high, modelled[1])
            note += f"; {Note('auc-near-end')}"
    return on_scale(q.metric, IntervalLimits(low, high, "delong-clustered", note))
