"""What binomial counts rest on: probabilities from one row to a billion, score statistics with the limits that invert
them, the search for a crossing, and the limits of many proportions at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import Limits
from trueerror.inference._problem import IntervalLimits, Range, critical_z
from trueerror.inference.proportion._interval import FORMS, limits_of_one
from trueerror.inputs._arrays import Floats
from trueerror.results import Side
from trueerror.results._values import Note

if TYPE_CHECKING:
    from trueerror.inference._problem import Problem
    from trueerror.tallies._confusion import Amount

Counts = tuple[float, ...]

# Two probabilities that differ by less than this factor count as equally likely, as in R.
EQUALLY_LIKELY = 1 + 1e-7


def log_pmf(k: Amount, n: Amount, p: float) -> Floats:
    """log P(X = k) for X ~ Binomial(n, p), by the saddle-point form of Loader (2000).

    Differences of log-factorials lose all digits for large n; deviances do not.
    """
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if p in (0.0, 1.0):
        return np.where(x == p * size, 0.0, -np.inf)
    y = size - x
    inside = (x > 0) & (y > 0)
    a, b, m = np.where(inside, x, 1.0), np.where(inside, y, 1.0), np.where(inside, size, 2.0)
    whole, up, down = _stirling_error(np.stack((m, a, b)))
    above, below = _deviance(np.stack((a, b)), np.stack((m * p, m * (1 - p))))
    core = whole - up - down - above - below + 0.5 * np.log(m / (2 * math.pi * a * b))
    edge = np.where(x == 0, size * math.log1p(-p), size * math.log(p))
    out: Floats = np.where(inside, core, np.where((x < 0) | (y < 0), -np.inf, edge))
    return out


def pmf(k: Amount, n: Amount, p: float) -> Floats:
    """P(X = k)."""
    return np.exp(log_pmf(k, n, p))


def at_most(k: Amount, n: Amount, p: Amount) -> Floats:
    """P(X ≤ k) = I_{1−p}(n − k, k + 1)."""
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    inside = (x >= 0) & (x < size)
    tail = special.betaincc(np.where(inside, x + 1, 1.0), np.where(inside, size - x, 1.0), p)
    out: Floats = np.where(inside, tail, np.where(x < 0, 0.0, 1.0))
    return out


def at_least(k: Amount, n: Amount, p: Amount) -> Floats:
    """P(X ≥ k) = I_p(k, n − k + 1)."""
    x, size = np.broadcast_arrays(np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64))
    inside = (x > 0) & (x <= size)
    tail = special.betainc(np.where(inside, x, 1.0), np.where(inside, size - x + 1, 1.0), p)
    out: Floats = np.where(inside, tail, np.where(x <= 0, 1.0, 0.0))
    return out


def as_likely(x: int, n: int, p: float) -> float:
    """P of all counts that are at most as likely as x: the two-sided exact p-value (minimum likelihood).

    The tail from x outwards is summed, and beyond the mode the counts that are at most as likely.

    >>> round(as_likely(9, 10, 0.5), 6)
    0.021484
    """
    mode = min(n, int((n + 1) * p))
    level = float(log_pmf(x, n, p)) + math.log(EQUALLY_LIKELY)
    if x <= mode:
        far = first_true(lambda k: float(log_pmf(k, n, p)) <= level, mode - 1, n + 1)
        return 1.0 if far <= x + 1 else min(1.0, float(at_most(x, n, p) + at_least(far, n, p)))
    far = first_true(lambda k: float(log_pmf(k, n, p)) > level, -1, mode + 1)
    return 1.0 if far >= x else min(1.0, float(at_most(far - 1, n, p) + at_least(x, n, p)))


def hypergeometric_p(x: int, n1: int, n2: int, drawn: int) -> dict[str, float]:
    """Fisher's p-values for x successes among n1, `drawn` successes among n1 + n2 in all.

    "two-sided" sums the tables that are at most as likely as the one seen.
    """
    low, high, total = max(0, drawn - n2), min(n1, drawn), n1 + n2
    mode = min(high, max(low, (n1 + 1) * (drawn + 1) // (total + 2)))
    share = drawn / total if total else 0.0
    # Tables further from the mode have a probability below the smallest float (Bennett's inequality).
    reach = int(40 * math.sqrt(max(1.0, n1 * share * (1 - share) * n2 / max(total, 1)))) + 200
    k = np.arange(max(low, mode - reach), min(high, mode + reach) + 1)
    log_chance = log_pmf(k, n1, share) + log_pmf(drawn - k, n2, share)
    chance = np.exp(log_chance - log_chance.max())
    likely = chance <= chance[k == x].sum() * EQUALLY_LIKELY
    chosen = {"two-sided": likely, "greater": k >= x, "less": k <= x}
    return {alternative: float(chance[among].sum() / chance.sum()) for alternative, among in chosen.items()}


def first_true(condition: Callable[[int], bool], low: int, high: int) -> int:
    """The first k in (low, high] where a condition that turns true once is true; `high` is taken as true."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle, high)
    return high


def _stirling_error(n: Floats) -> Floats:
    """log n! − log(√(2πn)·(n/e)^n)."""
    small = n < 16
    m = np.where(small, n, 1.0)
    exact = special.gammaln(m + 1) - (m + 0.5) * np.log(m) + m - 0.5 * math.log(2 * math.pi)
    q = 1 / np.where(small, 16.0, n)
    q2 = q * q
    series = q * (1 / 12 - q2 * (1 / 360 - q2 * (1 / 1260 - q2 * (1 / 1680 - q2 / 1188))))
    out: Floats = np.where(small, exact, series)
    return out


def _deviance(x: Floats, mean: Floats) -> Floats:
    """x·log(x/mean) + mean − x without cancellation near x = mean."""
    gap = x - mean
    v = gap / (x + mean)
    near = np.abs(v) < 0.1
    v2 = np.where(near, v * v, 0.0)
    tail = np.zeros_like(v2)
    for j in range(9, 0, -1):
        tail = v2 * (tail + 1 / (2 * j + 1))
    series = gap * v + 2 * x * np.where(near, v, 0.0) * tail
    # A mean this much below x makes the event impossible in any case, and the ratio must not overflow.
    plain = x * np.log(x / np.maximum(mean, x * 1e-300)) - gap
    out: Floats = np.where(near, series, plain)
    return out


def crossing(f: Callable[[float], float], low: float, high: float, *, within: float = 0.0) -> float:
    """The point in [low, high] where f changes sign, to the last few bits or `within` so much; an end where it never
    does.

    Secant steps are taken only when they shrink the bracket, so that infinite or flat values do no harm.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 12)
    1.414213562373
    """
    at_low, at_high = f(low), f(high)
    if at_low == 0 or (at_low > 0) == (at_high > 0):
        return low if abs(at_low) <= abs(at_high) else high
    halve = False
    while low < (middle := low + (high - low) / 2) < high and high - low > within:
        width, rise = high - low, at_high - at_low
        point = middle if halve or not math.isfinite(rise) else low - at_low * width / rise
        # A step that lands within a hair of an end would creep: go a little way inside.
        point = min(max(point, low + width * 1e-3), high - width * 1e-3)
        if not low < point < high:
            point = middle
        at_point = f(point)
        if at_point == 0:
            return point
        if (at_point > 0) == (at_low > 0):
            low, at_low = point, at_point
        else:
            high, at_high = point, at_point
        halve = high - low > width / 2
    return low if abs(at_low) <= abs(at_high) else high


def score_limits(score: Callable[..., float], counts: Counts, turned: Counts, estimate: float, z: float) -> Limits:
    """Where a score statistic is ±z: `score` of the counts and a difference falls as that grows, 0 at the estimate.

    The upper limit is the lower one of the counts with first and second exchanged, with its sign turned.
    """

    def lower(counts: Counts, at: float) -> float:
        ends = (-1.0, at) if z >= 0 else (at, 1.0)
        return crossing(lambda delta: score(*counts, delta) - z, *ends)

    return lower(counts, estimate), -lower(turned, -estimate)


def tango_z(only_first: float, only_second: float, n: float, delta: float) -> float:
    """Tango's score statistic (b − c − nΔ)/√(n(2q + Δ(1 − Δ))), q the constrained share of c.

    >>> round(tango_z(6, 16, 161, 0.0) ** 2, 4)
    4.5455
    """
    if delta < 0:
        return -tango_z(only_second, only_first, n, -delta)
    b, c = only_first, only_second
    gap = b - c - n * delta
    # q solves 2n·q² + B·q + C = 0 with C ≤ 0: the form without cancellation, by the sign of B.
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = math.sqrt(linear * linear - 8 * n * constant)
    q = -2 * constant / (linear + root) if linear > 0 else (root - linear) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    return _over_root(gap, variance)


def tango_limits(only_first: int, only_second: int, n: int, z: float) -> Limits:
    """Tango's interval; no discordant row gives ±z²/(n + z²)."""
    b, c = only_first, only_second
    return score_limits(tango_z, (b, c, n), (c, b, n), (b - c) / n, z)


def miettinen_nurminen_z(x1: float, n1: float, x2: float, n2: float, delta: float) -> float:
    """The score statistic (p̂1 − p̂2 − Δ)/√(V(Δ)·N/(N − 1)), V at the shares that fit best under Δ.

    >>> round(miettinen_nurminen_z(56, 70, 48, 80, 0.0), 4)
    2.6413
    """
    if delta < 0:
        return -miettinen_nurminen_z(x2, n2, x1, n1, -delta)
    total = n1 + n2
    p2 = constrained_share(x1, n1, x2, n2, delta)
    p1 = min(1.0, p2 + delta)
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * total / (total - 1)
    return _over_root(x1 / n1 - x2 / n2 - delta, variance)


def constrained_share(x1: float, n1: float, x2: float, n2: float, delta: float) -> float:
    """The second share that maximises the likelihood when the first is Δ ≥ 0 higher.

    The derivative falls in p2 on (0, 1 − Δ), so its sign change is found in a bracket: the closed form of the
    cubic loses half the digits near its double roots.
    """
    if delta == 0:
        return (x1 + x2) / (n1 + n2)
    top = 1 - delta
    if top <= 0:
        return 0.0

    def slope(p2: float) -> float:
        # The derivative of the log-likelihood times p2(1 − p2)(p2 + Δ)(1 − p2 − Δ), all factors positive inside.
        p1, rest = p2 + delta, max(0.0, top - p2)
        first = x1 * rest - (n1 - x1) * p1
        second = x2 * (1 - p2) - (n2 - x2) * p2
        return first * p2 * (1 - p2) + second * p1 * rest

    # Where the product form vanishes at an end of the bracket, look just inside for the true sign.
    inside = 1e-15 * top
    if slope(inside) <= 0:
        return 0.0
    if slope(top - inside) >= 0:
        return top
    return crossing(slope, inside, top - inside)


def miettinen_nurminen_limits(x1: float, n1: float, x2: float, n2: float, z: float) -> Limits:
    """Miettinen and Nurminen's interval for p1 − p2."""
    return score_limits(miettinen_nurminen_z, (x1, n1, x2, n2), (x2, n2, x1, n1), x1 / n1 - x2 / n2, z)


def _over_root(gap: float, variance: float) -> float:
    """gap/√variance, with the limits where the variance vanishes."""
    if gap == 0:
        return 0.0
    if variance <= 0:
        return math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)


Pair = tuple[Floats, Floats]


class RawLimits(NamedTuple):
    """Limits before they are cut to range and side, with the method and the note (or None) of each.

    `n` is how many rows they speak of, where that is not what the metric's other limits do.
    """

    low: Floats
    high: Floats
    method: NDArray[np.object_]
    note: NDArray[np.object_]
    n: float | None = None

    @classmethod
    def of(cls, pair: Pair, method: str, note: Note | NDArray[np.object_] | None = None) -> RawLimits:
        """One method for all."""
        shape = np.shape(pair[0])
        words, notes = np.empty(shape, dtype=object), np.empty(shape, dtype=object)
        words[...], notes[...] = method, note
        return cls(pair[0], pair[1], words, notes)

    def replaced(self, where: Any, other: RawLimits) -> RawLimits:
        """The other's limits, methods and notes where asked."""
        low, high, method, note = (np.where(where, b, a) for a, b in zip(self[:4], other[:4], strict=True))
        return RawLimits(low, high, method, note, self.n)

    @property
    def only(self) -> IntervalLimits:
        """The limits of the one estimate that there is."""
        method, note = str(self.method.item(0)), self.note.item(0)
        return IntervalLimits(self.low.item(0), self.high.item(0), method, note, n=self.n)

    def noted(self, note: Note) -> RawLimits:
        """The same limits under another note."""
        return self._replace(note=np.full(np.shape(self.low), note, dtype=object))


def share_limits(
    x: Amount, n: Amount, method: str = "wilson", confidence: float = 0.95, side: Side = "two-sided"
) -> Pair:
    """Lower and upper limits for each x of n; [0, 1] where n is 0.

    Trials need not be whole (effective sizes are not). A limit pair without width becomes Wilson's, then Clopper and
    Pearson's.

    >>> low, high = share_limits([750, 0], [1000, 0], confidence=0.8)
    >>> low.round(3), high.round(3)
    (array([0.732, 0.   ]), array([0.767, 1.   ]))
    """
    low, high, _ = _with_stand_ins(x, n, method, confidence, side)
    return low, high


def _with_stand_ins(
    x: Amount, n: Amount, method: str, confidence: float, side: Side
) -> tuple[Floats, Floats, dict[int, str]]:
    """Limits, and for those whose own had no width the place and the method that took over."""
    given, trials = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64))
    empty = ~(trials > 0)
    count, size = np.where(empty, 0.0, given), np.where(empty, 1.0, trials)
    low, high = FORMS[method].limits(count, size, confidence, side, critical_z(confidence, side))
    estimate = count / size
    low = np.zeros_like(estimate) if side == "upper" else np.array(np.minimum(np.maximum(low, 0.0), estimate))
    high = np.ones_like(estimate) if side == "lower" else np.array(np.minimum(np.maximum(high, estimate), 1.0))
    used = {}
    for i in np.flatnonzero(low >= high).tolist():
        low.flat[i], high.flat[i], used[i], _ = limits_of_one(count.flat[i], size.flat[i], method, confidence, side)
    low[empty], high[empty] = 0.0, 1.0
    return low[()], high[()], {i: word for i, word in used.items() if word != method and not empty.flat[i]}


def proportion_limits(q: Problem[Any], method: str) -> RawLimits:
    """The answer of a form to the question of a plain proportion."""
    x, n = q.sample.successes
    low, high, others = _with_stand_ins(x, n, method, q.spec.level, q.spec.side)
    found = RawLimits.of((low, high), method)
    for i, word in others.items():
        found.method[i], found.note[i] = word, Note("no-width", (method,))
    return found


def straight_limits(estimate: Amount, variance: Amount, z: Amount) -> Pair:
    """estimate ± z·SE; NaN where SE is 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    reach = z * np.sqrt(np.where(v > 0, v, np.nan))
    return e - reach, e + reach


def on_logit(estimate: Amount, variance: Amount, z: Amount, bounds: Range = (0.0, 1.0)) -> Pair:
    """logit(q) ± z·SE/(q(1 − q)) with q the place in the range, and back.

    On (−1, 1) this is Fisher's z: atanh(m) ± z·SE/(1 − m²).
    """
    start, width = bounds[0], bounds[1] - bounds[0]
    q = (np.asarray(estimate, dtype=np.float64) - start) / width
    v = np.asarray(variance, dtype=np.float64) / width**2
    fine = (v > 0) & (q > 0) & (q < 1)
    inside = np.where(fine, q, 0.5)
    centre, reach = special.logit(inside), z * np.sqrt(np.where(fine, v, np.nan)) / (inside * (1 - inside))
    return start + width * special.expit(centre - reach), start + width * special.expit(centre + reach)


def on_log(estimate: Amount, variance: Amount, z: Amount) -> Pair:
    """estimate·exp(±z·SE/estimate), for what cannot be below 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    fine = (v > 0) & (e > 0) & np.isfinite(e)
    inside = np.where(fine, e, 1.0)
    with np.errstate(over="ignore"):
        factor = np.exp(z * np.sqrt(np.where(fine, v, np.nan)) / inside)
    return inside / factor, inside * factor
