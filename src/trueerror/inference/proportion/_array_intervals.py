"""Many proportions at once, and limits on scales where an estimate is near to normal, or where a proportion's apply.

`limits` gives the intervals of `te.interval` over arrays of successes and trials. The scales take estimates, their
variances and how many standard errors to go; where a variance is 0 or an estimate lies at the end of its range nothing
can be transformed, and the limits are NaN for the caller to replace.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec, Range, critical_z
from trueerror.inference.proportion._interval import FORMS, stand_in
from trueerror.inputs._options import InputError, check_share, check_word
from trueerror.results import Side
from trueerror.results._values import Note

if TYPE_CHECKING:
    from trueerror.inference._problem import Problem
    from trueerror.inference.counts._one_class import CountView
    from trueerror.tallies._confusion import Amount

Floats = NDArray[np.float64]
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
        words = np.full(shape, method, dtype=object)
        return cls(pair[0], pair[1], words, np.broadcast_to(np.asarray(note, dtype=object), shape))

    def replaced(self, where: Any, other: RawLimits) -> RawLimits:
        """The other's limits, methods and notes where asked."""
        low, high, method, note = (np.where(where, b, a) for a, b in zip(self[:4], other[:4], strict=True))
        return RawLimits(low, high, method, note, self.n)

    @property
    def without_note(self) -> NDArray[np.bool_]:
        """Where nothing is noted yet."""
        return np.array([note is None for note in self.note.flat], dtype=bool).reshape(self.note.shape)

    def noted(self, note: Note) -> RawLimits:
        """The same limits under another note."""
        return self._replace(note=np.full(np.shape(self.low), note, dtype=object))


def limits(
    x: Amount,
    n: Amount,
    method: str = "wilson",
    confidence: float = 0.95,
    side: Side = "two-sided",
    *,
    z: Amount = None,
) -> Pair:
    """Lower and upper limits for each x of n; [0, 1] where n is 0.

    Trials need not be whole (effective sizes are not). `z` replaces the normal quantile in the closed forms, as where
    Student's t is wanted. A limit pair without width becomes Wilson's, then Clopper and Pearson's.

    >>> low, high = limits([750, 0], [1000, 0], confidence=0.8)
    >>> low.round(3), high.round(3)
    (array([0.732, 0.   ]), array([0.767, 1.   ]))
    """
    low, high, _ = _with_stand_in(x, n, method, confidence, side, z)
    return low, high


def _with_stand_in(
    x: Amount, n: Amount, method: str, confidence: float, side: Side, z: Amount
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Limits, and where the method's own had no width."""
    check_word(method, FORMS, "method")
    successes, trials = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64))
    empty = ~(trials > 0)
    any_empty = bool(empty.any())
    size = np.where(empty, 1.0, trials) if any_empty else trials
    count = np.where(empty, 0.0, successes) if any_empty else successes
    factor = critical_z(confidence, side) if z is None else z
    low, high = FORMS[method].limits(count, size, confidence, side, factor)
    estimate = count / size
    low = np.zeros_like(estimate) if side == "upper" else np.clip(low, 0.0, estimate)
    high = np.ones_like(estimate) if side == "lower" else np.clip(high, estimate, 1.0)
    flat = ~(low < high)
    if flat.any():
        if method == "clopper-pearson":
            again = np.nextafter(low, 0.0), np.nextafter(high, 1.0)
        else:
            again = limits(count, size, stand_in(method, np.min(factor)), confidence, side, z=z)
        low, high = np.where(flat, again[0], low), np.where(flat, again[1], high)
    if any_empty:
        low, high = np.where(empty, 0.0, low), np.where(empty, 1.0, high)
    return low, high, flat & ~empty


def proportion_limits(q: Problem[CountView], method: str) -> RawLimits:
    """The answer of a form to the question of a plain proportion."""
    spec, share = q.spec, q.metric.share
    assert share is not None
    x, n = (np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in share(q.sample.seen))
    low, high, flat = _with_stand_in(x, n, method, spec.level, spec.side, None)
    found = RawLimits.of((low, high), method)
    if method == "clopper-pearson" or not flat.any():
        return found
    used = stand_in(method, spec.factor())
    return found.replaced(flat, RawLimits.of((low, high), used, Note("no-width", (method,))))


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
    # Odds rather than logits: exp of a huge reach is inf, and inf gives the end of the range.
    odds = inside / (1 - inside)
    with np.errstate(over="ignore"):
        factor = np.exp(np.where(fine, z * np.sqrt(np.where(fine, v, 1.0)) / (inside * (1 - inside)), np.nan))
    low, high = odds / (odds + factor), 1 / (1 + 1 / (odds * factor))
    return start + width * low, start + width * high


def on_log(estimate: Amount, variance: Amount, z: Amount) -> Pair:
    """estimate·exp(±z·SE/estimate), for what cannot be below 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    fine = (v > 0) & (e > 0) & np.isfinite(e)
    inside = np.where(fine, e, 1.0)
    with np.errstate(over="ignore"):
        factor = np.exp(np.where(fine, z * np.sqrt(np.where(fine, v, 1.0)) / inside, np.nan))
    return inside / factor, inside * factor


def at_size(estimate: Amount, size: Amount, spec: IntervalSpec, z: Amount, bounds: Range = (0.0, 1.0)) -> Pair:
    """Wilson's limits for the place in the range, as if it were a proportion of `size` rows."""
    start, width = bounds[0], bounds[1] - bounds[0]
    q = np.clip((np.asarray(estimate, dtype=np.float64) - start) / width, 0.0, 1.0)
    low, high = limits(q * size, size, "wilson", spec.level, spec.side, z=z)
    return start + width * low, start + width * high


def as_jaccard(f: Amount) -> Amount:
    """J = F/(2 − F)."""
    return f / (2 - f)


def from_jaccard(j: Amount) -> Amount:
    """F = 2J/(1 + J)."""
    return 2 * j / (1 + j)


# Rules of thumb for the simple normal interval.
FEWEST_TRIALS = 30
LEAST_VARIANCE = 5.0


class CountModel(NamedTuple):
    """How a count of errors varies from one sample of n rows to another, when each row errs with probability p."""

    mean: float
    variance: float
    normal_holds: bool
    reason: str

    @property
    def sd(self) -> float:
        """The standard deviation of the count."""
        return math.sqrt(self.variance)


def count_model(p: float, n: float) -> CountModel:
    """Binomial: mean np, variance np(1 − p); the normal approximation wants n ≥ 30 and np(1 − p) ≥ 5.

    >>> count_model(0.5, 100)
    CountModel(mean=50.0, variance=25.0, normal_holds=True, reason='')
    >>> count_model(0.02, 100).reason
    'n·p·(1 − p) is 1.96, below 5'
    """
    share = check_share(p, "p")
    if not n >= 0:
        raise InputError(f"n={n!r} must be 0 or more")
    variance = n * share * (1 - share)
    reasons = []
    if n < FEWEST_TRIALS:
        reasons.append(f"n is {n:g}, below {FEWEST_TRIALS}")
    if variance < LEAST_VARIANCE:
        reasons.append(f"n·p·(1 − p) is {variance:.3g}, below {LEAST_VARIANCE:g}")
    return CountModel(n * share, variance, not reasons, " and ".join(reasons))
