"""Average precision: limits that see the negatives too, and the difference of two on the same rows.

Boyd's interval takes θ for a share of the P positives; how few negatives decide does not enter. A few negatives that
score like positives (look-alikes, wrong labels) move θ far, and a sample that happens to hold none says nothing of
them: no standard error or resampling of its rows does. So beside Boyd's limits stand two others: the rows' own
influences (`score_influences`), and the same rows with one unseen negative scored above all.

The **score tilt** gives rows the weights w = m·exp(λu), u their influences, brought to the sample's size, and goes down
(λ < 0) to where θ̂ − θ(w) = z·√(Σ w·u(w)²), the standard error taken at the limit. Of a share of rows this is Wilson's
interval; exp(λu) is the least favourable direction (DiCiccio and Romano 1990, Int. Stat. Rev. 58:59; Efron 1981,
Can. J. Stat. 9:139).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import contrast, p_better_of_t, student_p, student_quantile
from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, independent
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._interval import ScoreInfluences, effective_rows, precision_influences
from trueerror.inference.bootstrap._paired_scores import OrderedScores
from trueerror.inference.proportion._distributions import crossing, limits, on_logit
from trueerror.kernels._threads import block_sums, in_threads
from trueerror.methods._registry import Default, Method, declare, inference_method
from trueerror.results import Contrast
from trueerror.results._format import whole
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
BOYD = "Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451"
TILT = "DiCiccio and Romano 1990, Int. Stat. Rev. 58:59"
# How exactly a tilt is sought, as a share of where it is sought.
FINE = 1e-7
# The part of an unseen negative that a difference must withstand.
UNSEEN = 0.25
# A tilt of more scores than this is sought with neighbours joined, the finer the nearer they are to the top.
MANY_SCORES = 1 << 16
FINENESS = 1 << 12
# The least weight of rows by which is divided.
LEAST = 1e-300
# Up to so many positives of a binned table are put one above the other.
SINGLE = 4096


class RankedRows(NamedTuple):
    """Rows of each class at ascending scores; with `share`, positives have that share whatever the rows say."""

    positives: Floats
    negatives: Floats
    share: float | None = None

    @classmethod
    def of(cls, table: ScoreTable, share: float | None = None) -> RankedRows:
        """Those of a table; with sampling weights as many equal rows as the weights are worth."""
        parts = [np.asarray(x, dtype=np.float64) for x in (table.positives, table.negatives)]
        if table.squares is not None:
            scales = [k / max(float(x.sum()), 1e-300) for k, x in zip(effective_rows(table), parts, strict=True)]
            parts = [x * scale for x, scale in zip(parts, scales, strict=True)]
            share = float(table.n_positive) / float(table.n) if share is None else share
        return cls(parts[0], parts[1], share)

    @property
    def n(self) -> float:
        return float(self.positives.sum() + self.negatives.sum())

    @property
    def scales(self) -> tuple[float, float]:
        """What one row of each class counts."""
        if self.share is None:
            return 1.0, 1.0
        up, down = float(self.positives.sum()), float(self.negatives.sum())
        return self.n * self.share / up, self.n * (1 - self.share) / down if down > 0 else 0.0

    def precision(self) -> tuple[float, ScoreInfluences]:
        """The average precision, and how far one more row at each score moves it."""
        one, two = self.scales
        value, influences = precision_influences(_scaled(self.positives, one), _scaled(self.negatives, two))
        if self.share is None:
            return value, influences
        # One more row of a class makes all others of it count less.
        up, down = (
            scale * (slopes - float((rows * slopes).sum()) / max(float(rows.sum()), 1e-300))
            for slopes, rows, scale in (
                (influences.positives, self.positives, one),
                (influences.negatives, self.negatives, two),
            )
        )
        return value, ScoreInfluences(up, down)

    def with_negative_above(self, mass: float = 1.0) -> RankedRows:
        """The same rows and an unseen negative scored above all."""
        return RankedRows(np.append(self.positives, 0.0), np.append(self.negatives, mass), self.share)

    def one_by_one(self) -> RankedRows:
        """The same rows with positives that share a score one above the other; very many are left as they are."""
        if float(self.positives.sum()) > SINGLE:
            return self
        times = np.maximum(1, np.ceil(self.positives)).astype(np.int64)
        ends = np.cumsum(times) - times
        negatives = np.zeros(int(times.sum()))
        negatives[ends] = self.negatives
        return RankedRows(np.repeat(self.positives / times, times), negatives, self.share)

    def joined(self) -> RankedRows:
        """The same rows where there are very many, neighbouring scores as one: at rank r as many as r/2¹² rows."""
        if len(self.positives) <= MANY_SCORES:
            return self
        place = self.positives + self.negatives
        np.cumsum(place[::-1], out=place[::-1])
        place /= FINENESS
        np.log1p(place, out=place)
        place *= FINENESS
        np.floor(place, out=place)
        starts = np.flatnonzero(np.concatenate(([True], place[1:] < place[:-1])))
        return RankedRows(np.add.reduceat(self.positives, starts), np.add.reduceat(self.negatives, starts), self.share)

    def spread(self, influences: ScoreInfluences) -> float:
        """Σ over the rows of the squared influence."""
        return float((self.positives * influences.positives**2 + self.negatives * influences.negatives**2).sum())

    def self_counted(self) -> float:
        """h, the mean over positives of 1/(rows at or above): the part of a precision that is the positive itself.

        Each positive counts itself among the rows retrieved with it, so that θ̂ is too high by h(1 − θ) on average.
        """
        one, two = self.scales
        ups = _scaled(self.positives, one)
        rows = ups + _scaled(self.negatives, two)
        np.cumsum(rows[::-1], out=rows[::-1])
        rows[~(rows > 0)] = 1.0
        up = float(self.positives.sum())
        return float(np.divide(ups, rows, out=rows).sum()) / up if up else 0.0


def _scaled(rows: Floats, scale: float) -> Floats:
    return rows if scale == 1 else rows * scale


def tilted_low(rows: RankedRows, estimate: float, z: float) -> float:
    """The lower limit by the score tilt of the rows with one unseen negative above all.

    >>> perfect = RankedRows(np.repeat([0.0, 1.0], [180, 20]), np.repeat([1.0, 0.0], [180, 20]))
    >>> round(tilted_low(perfect, 1.0, 1.959964), 4)
    0.7789
    """
    few, shift = rows.joined(), 0.0
    if few is not rows:
        # What joining does to the value it does to the limit as well.
        value = few.precision()[0]
        rows, estimate, shift = few, value, estimate - value
    more, n = rows.with_negative_above(), rows.n
    _, u = more.precision()
    error = math.sqrt(more.spread(u))
    if not error > 0 or z <= 0:
        return estimate + shift

    def weighted(tilt: float) -> tuple[float, float]:
        """θ and its standard error at a tilt, given in standard errors."""
        by = tilt / error
        top = max(float((by * u.positives[more.positives > 0]).max(initial=-np.inf)),
                  float((by * u.negatives[more.negatives > 0]).max(initial=-np.inf)))  # fmt: skip
        with np.errstate(over="ignore"):
            up, down = (
                np.where(r > 0, r * np.exp(np.minimum(by * i - top, 0.0)), 0.0)
                for r, i in ((more.positives, u.positives), (more.negatives, u.negatives))
            )
        # Far out a class may have lost all its weight: nothing but a value of 0 is left then.
        if not float(up.sum()) > 0:
            return 0.0, 0.0
        scale = n / float(up.sum() + down.sum())
        tilted = RankedRows(up * scale, down * scale, rows.share)
        with np.errstate(all="ignore"):
            value, at = tilted.precision()
            spread = tilted.spread(at)
        return (value, math.sqrt(spread)) if math.isfinite(value + spread) else (0.0, 0.0)

    def beyond(tilt: float) -> float:
        value, se = weighted(tilt)
        return estimate - value - z * se

    least = -2.0 * z
    for _ in range(40):
        if beyond(least) > 0:
            break
        least *= 2
    return shift + weighted(crossing(beyond, least, 2.0 * z, within=FINE * z))[0]


def worth_fewer(rows: RankedRows, variance: float) -> RankedRows:
    """As many independent rows as have this variance, where rows depend on each other; never more than there are."""
    alone = rows.spread(rows.precision()[1])
    worth = max(1.0, variance / alone) if alone > 0 and math.isfinite(variance) else 1.0
    return RankedRows(rows.positives / worth, rows.negatives / worth, rows.share)


def average_precision_limits(estimate: float, positives: float, spec: IntervalSpec) -> tuple[float, float, str, str]:
    """Boyd's logit θ ± z/√(P·θ(1 − θ)); Wilson's interval at the P positives where P·θ(1 − θ) is below 1.

    There the logit interval widens without bound; at θ = 1 it has no width at all.
    """
    spread = positives * estimate * (1 - estimate)
    if spread < 1:
        low, high = limits(estimate * positives, positives, "wilson", spec.level, spec.side)
        rows = f"{whole(round(positives, 1))} positive{'' if positives == 1 else 's'}"
        note = f"few positives or a value near its end: Wilson's interval at the {rows}"
        return float(low), float(high), "wilson-boyd", note
    # Boyd's error on the logit scale is that of a proportion of P rows.
    low, high = on_logit(estimate, estimate * (1 - estimate) / positives, spec.factor())
    return float(low), float(high), "boyd-logit", ""


def unseen_negative_limits(
    table: ScoreTable, estimate: float, spec: IntervalSpec, share: float | None = None
) -> tuple[float, float]:
    """The outer limits of Boyd's, those of the rows' influences (above) and of the tilt (below).

    Below, Boyd's are taken at θ̂ less what the positives count themselves.
    """
    return _outer_limits(RankedRows.of(table, share), estimate, spec)


def _outer_limits(rows: RankedRows, estimate: float, spec: IntervalSpec) -> tuple[float, float]:
    positives, z = float(rows.positives.sum()), max(spec.factor(), 0.0)
    h = rows.self_counted()
    self_bias = min(h * (1 - estimate) / (1 - h), estimate / 2) if h < 1 else estimate / 2
    low = average_precision_limits(estimate - self_bias, positives, spec)[0]
    high = average_precision_limits(estimate, positives, spec)[1]
    _, influences = rows.precision()
    size = rows.n
    variance = rows.spread(influences) * size / (size - 1) if size > 1 else math.nan
    if variance > 0 and 0 < estimate < 1:
        high = max(high, float(on_logit(estimate, variance, z)[1]))
    return min(low, tilted_low(rows, estimate, z)), high


def unseen_reach(
    table: ScoreTable, bounds: Bounds, spec: IntervalSpec, share: float | None, boyd: tuple[float, float]
) -> tuple[float, float]:
    """The outer limits over the orders that rows may have within bins: at the lowest and at the highest curve."""
    pairs = [boyd]
    for curve, value in ((table.bounds.worst, bounds.low), (table.bounds.best, bounds.high)):
        rows = RankedRows.of(curve, share)
        # Positives of one bin may be above each other, and a negative above them hurts the first ones most.
        pairs += [_outer_limits(x, float(value), spec) for x in (rows, rows.one_by_one())]
    return min(x[0] for x in pairs), max(x[1] for x in pairs)


@inference_method(
    "boyd-unseen-negative",
    answers="average-precision",
    word="unseen-negative",
    applies=independent,
    default=Default(
        why="covers .94–1.00 also where a few negatives score like positives; Boyd's, which does not look at "
        "negatives, .78–.99 there, at 0.8 times the width"
    ),
    part="areas",
    title="Boyd's interval of an area under PR, widened by the rows' influences and one unseen negative",
    formula="low: the lower of Boyd's limit at θ − b, b = min(h(1 − θ)/(1 − h), θ/2), h the mean over positives of "
    "1/(rows at or above), and the score tilt of the rows with one more negative above all: θ(w), w ∝ m·exp(λu), with "
    "θ̂ − θ(w) = z·√(Σw·u(w)²); high: the higher of Boyd's limit and logit θ + z·√(n/(n − 1)·Σu²)/(θ(1 − θ))",
    source=f"{BOYD}; {TILT}; Efron 1981, Can. J. Stat. 9:139 (tilting)",
    assumes="independent rows",
    measured=".94–1.00 over look-alike negatives, label noise, ties and plain scores, 60 to 2,000 rows, where Boyd's "
    "covers .78–.99 (simulated)",
)
def boyd_unseen_negative(q: Problem[ScoreSample]) -> IntervalLimits:
    """The outer limits of Boyd's, the influences' and the tilt's."""
    table = q.sample.table._at_positives()
    low, high = unseen_negative_limits(table, q.sample.estimate, q.spec, q.sample.share)
    return IntervalLimits(low, high, "boyd-unseen-negative")


@inference_method(
    "boyd-logit",
    answers="average-precision",
    applies=independent,
    part="areas",
    title="Boyd's logit interval of an area under PR",
    formula="logit(θ) ± z/√(P·θ(1 − θ)), P positives",
    source=BOYD,
    assumes="independent rows; many negatives, none of which decides alone",
    measured=".93–.99 with normal scores, .78–.92 where a few negatives score like positives (simulated)",
    advice="prefer unseen-negative",
)
def boyd_logit(q: Problem[ScoreSample]) -> IntervalLimits:
    """Boyd's interval, or Wilson's near the ends."""
    return IntervalLimits(*average_precision_limits(q.sample.estimate, effective_rows(q.sample.table)[0], q.spec))


declare(
    Method(
        key="wilson-boyd",
        title="Wilson score interval of an area under PR at the number of positives",
        formula="Wilson's limits of θ as a proportion of P rows, where P·θ(1 − θ) < 1",
        source=f"Wilson 1927, JASA 22:209; {BOYD}",
        assumes="independent rows; many negatives",
        measured=".94–.99 with 5 to 50 positives (simulated)",
    ),
    part="areas",
)


class DecidedBy(NamedTuple):
    """How far the negatives decide an average precision.

    `excess` is the variance from the rows' influences over Boyd's; `from_negatives` the part of it that negatives have;
    `few` how many equal negatives would have as uneven influences, (Σu²)²/Σu⁴; `moved_to` the value with one more
    negative above all.
    """

    excess: float
    from_negatives: float
    few: float
    value: float
    moved_to: float


def decided_by(table: ScoreTable) -> DecidedBy | None:
    """Which rows decide the average precision of a table; None where a class has no rows."""
    rows = RankedRows.of(table._at_positives())
    positives, negatives = float(rows.positives.sum()), float(rows.negatives.sum())
    if not positives or not negatives:
        return None
    value, u = rows.precision()
    of_negatives = float((rows.negatives * u.negatives**2).sum())
    fourth = float((rows.negatives * u.negatives**4).sum())
    total = rows.spread(u)
    inside = value * (1 - value)
    return DecidedBy(
        excess=total * positives / inside if inside > 0 else 0.0,
        from_negatives=of_negatives / total if total > 0 else 0.0,
        few=of_negatives**2 / fourth if fourth > 0 else negatives,
        value=value,
        moved_to=rows.with_negative_above().precision()[0],
    )


def paired_precision(is_positive: NDArray[np.bool_], first: Floats, second: Floats, spec: IntervalSpec) -> Contrast:
    """The difference of two average precisions on the same rows: d ± t(df)·√(n/(n − 1)·Σδ²), δ the rows' influences.

    df = 2/(Σδ⁴/(Σδ²)² − 1/n): as many degrees of freedom as a variance of values with these tails has. Where p is at or
    below the level, `p_unseen` is the p-value that is left when a quarter of an unseen negative is put above all rows
    of the leading model and below all of the other: 2n·KL of the tilt that takes the difference to 0, against χ²(1).

    >>> up = np.arange(60) % 3 == 0
    >>> c = paired_precision(up, np.arange(60) + 25.0 * up, np.arange(60) + 5.0 * up, IntervalSpec())
    >>> c.method, round(c.estimate, 3)
    ('kurtosis-t-precision', 0.313)
    """
    models = [OrderedScores(is_positive, np.asarray(s, dtype=np.float64)) for s in (first, second)]
    estimate, gaps, _ = _difference(models[0], models[1])
    n = len(is_positive)
    squares = np.multiply(gaps, gaps, out=gaps)
    total = float(squares.sum())
    method, whole_range = "kurtosis-t-precision", (-1.0, 1.0)
    confidence, alternative = spec.confidence, spec.alternative
    if not total > 1e-24:
        reach = -math.expm1(math.log(spec.tail) / n) if n else math.nan
        return contrast(
            estimate=estimate, limits=(estimate - 2 * reach, estimate + 2 * reach), whole=whole_range,
            confidence=confidence, alternative=alternative, method=method, n=n, statistic=0.0,
            p_value=1.0 if estimate == 0 else math.nan, p_better=0.5 if estimate == 0 else None,
            notes=("no row distinguishes the two: limits from the number of rows",),
        )  # fmt: skip
    tails = float((squares * squares).sum()) / total**2 - 1 / n
    df = max(1.0, min(2 / tails if tails > 0 else math.inf, n - 1.0))
    error = math.sqrt(total * n / (n - 1)) if n > 1 else math.nan
    half, statistic = student_quantile(confidence, alternative, df) * error, estimate / error
    p = student_p(statistic, df, alternative)
    unseen = None
    if p <= 1 - confidence:
        ahead = models if estimate > 0 else models[::-1]
        unseen = _p_unseen(ahead[0], ahead[1], two_sided=alternative == "two-sided")
    return contrast(
        estimate=estimate, limits=(estimate - half, estimate + half), whole=whole_range, confidence=confidence,
        alternative=alternative, method=method, n=n, statistic=statistic, df=df, p_value=p, p_unseen=unseen,
        p_better=p_better_of_t(statistic, df, True),
    )  # fmt: skip


def _difference(first: OrderedScores, second: OrderedScores, above: float = 0.0) -> tuple[float, Floats, float]:
    """First − second, the rows' influences on it, and that of a negative above all of the first, below the second's.

    `above` is a mass of such negatives. At the lowest score a negative moves nothing.
    """
    value, influences = precision_influences(*first.counts(np.float64), above)
    moved, highest = first.influences_at_rows(influences), float(influences.negatives[-1])
    del influences
    other, influences = precision_influences(*second.counts(np.float64))
    moved -= second.influences_at_rows(influences)
    return value - other, moved, highest


def _p_unseen(best: OrderedScores, other: OrderedScores, *, two_sided: bool) -> float:
    """The p-value of no difference with a part of an unseen negative above all of the best and below the rest."""
    start, u, unseen = _difference(best, other, UNSEEN)
    error = math.sqrt(float((u * u).sum()) + UNSEEN * unseen**2)
    if start <= 0 or not error > 0:
        return 1.0
    ends = min(float(u.min()), unseen), max(float(u.max()), unseen)
    ranked = [u.take(m.order) for m in (best, other)]
    del u

    @cache
    def gap(tilt: float) -> float:
        """The difference with the weights exp(λu), the highest of them 1: their sum does not matter."""
        by = tilt / error
        top = max(by * end for end in ends)
        one, two = in_threads(
            lambda task: _weighted_precision(task[0], lambda part: np.exp(by * task[1][part] - top), task[2]),
            [(best, ranked[0], UNSEEN * math.exp(by * unseen - top)), (other, ranked[1], 0.0)],
        )
        return one - two

    # With many rows the difference falls nearly on a line: looked for about where the line reaches 0.
    near = 1.1 * start / error
    farthest = -near if near < 8 and gap(-near) <= 0 else -2.0
    while gap(farthest) > 0:
        farthest *= 2
        if farthest < -64:
            return 0.0
    by = crossing(gap, farthest, 0.0, within=1e-4) / error

    def summed(of_powers: Callable[[Floats], Floats]) -> float:
        """Σ over the rows and the unseen one of a function of λu."""
        seen = block_sums(lambda part: of_powers(by * ranked[0][part]).sum(), len(ranked[0]))
        return float(seen) + UNSEEN * float(of_powers(np.array(by * unseen)))

    # Brought to as many rows as there are.
    shift = math.log((len(ranked[0]) + UNSEEN) / summed(np.exp))
    divergence = summed(lambda powers: np.exp(powers + shift) * (powers + shift))
    tail = float(special.ndtr(-math.sqrt(max(0.0, 2 * divergence))))
    return 2 * tail if two_sided else tail


def _weighted_precision(model: OrderedScores, weights: Callable[[slice], Floats], above: float) -> float:
    """The average precision of rows with weights, asked for by places in the order of scores, from the top down."""
    hits, called, value = 0.0, above, 0.0
    for part, starts in reversed(model.blocks):
        of_all, is_positive = weights(part), model.is_positive[part]
        if starts is None:
            # Of negatives nothing but how many there are above is of use.
            places = len(of_all) - 1 - np.flatnonzero(is_positive)[::-1]
            of_all = of_all[::-1].copy()
            up, rows = of_all.take(places), np.cumsum(of_all)
            rows += called
            called = float(rows[-1])
            rows = rows.take(places)
        else:
            up = np.add.reduceat(of_all * is_positive, starts)[::-1]
            rows = np.cumsum(np.add.reduceat(of_all, starts)[::-1])
            rows += called
            called = float(rows[-1])
        so_far = np.cumsum(up)
        so_far += hits
        hits = float(so_far[-1]) if len(so_far) else hits
        so_far *= up
        # Far out all weights at the top may be 0.
        so_far /= np.maximum(rows, LEAST)
        value += float(so_far.sum())
    return value / hits if hits else 0.0
