"""Many proportions at once: the same intervals as `te.interval`, over arrays of successes and trials.

Intervals for one proportion from the binomial and Beta distributions themselves; on numbers and arrays alike.

Each takes successes, trials and the probability to leave out at one end.

The binomial model of an error count, and when the normal curve may stand in for it.

Limits on a scale where the estimate is nearer to normal, or where a proportion's limits apply; over arrays.

All take estimates, their variances and how many standard errors to go; a variance of 0 or an estimate at the end of
the range leaves nothing to transform, and is marked NaN for the caller to mend.

Which methods can be asked for in the situation that a metric falls under (`Measure.situation`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._spec import Range, Terms, critical_z, tail
from trueerror.inference.proportion._interval import BINOMIAL_METHODS, CLOSED_FORMS
from trueerror.inputs._options import InputError, check_share, check_word, nearest
from trueerror.metrics._registry import Measure
from trueerror.results import Side

Floats = NDArray[np.float64]


def limits(
    x: Any,
    n: Any,
    method: str = "wilson",
    confidence: float = 0.95,
    side: Side = "two-sided",
    *,
    z: float | None = None,
) -> tuple[Floats, Floats]:
    """Lower and upper limits for each x of n; [0, 1] where n is 0.

    Trials need not be whole (effective sizes are not). `z` replaces the normal quantile in the closed forms, as where
    Student's t is wanted. A limit pair without width becomes Wilson's, then Clopper and Pearson's.

    >>> low, high = limits([750, 0], [1000, 0], confidence=0.8)
    >>> low.round(3), high.round(3)
    (array([0.732, 0.   ]), array([0.767, 1.   ]))
    """
    check_word(method, BINOMIAL_METHODS, "method")
    successes, trials = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64))
    empty = ~(trials > 0)
    any_empty = bool(empty.any())
    size = np.where(empty, 1.0, trials) if any_empty else trials
    count = np.where(empty, 0.0, successes) if any_empty else successes
    factor = critical_z(confidence, side) if z is None else z
    if method in CLOSED_FORMS:
        low, high = CLOSED_FORMS[method](count, size, factor)
    else:
        low, high = EXACT_FORMS[method](count, size, tail(confidence, side))
    estimate = count / size
    low = np.zeros_like(estimate) if side == "upper" else np.clip(low, 0.0, estimate)
    high = np.ones_like(estimate) if side == "lower" else np.clip(high, estimate, 1.0)
    flat = ~(low < high)
    if flat.any():
        if method == "clopper-pearson":
            again = np.nextafter(low, 0.0), np.nextafter(high, 1.0)
        else:
            other = "wilson" if method != "wilson" and np.all(factor > 0) else "clopper-pearson"
            again = limits(count, size, other, confidence, side, z=z)
        low, high = np.where(flat, again[0], low), np.where(flat, again[1], high)
    if any_empty:
        low, high = np.where(empty, 0.0, low), np.where(empty, 1.0, high)
    return low, high


# The bracket's ends are of the same size, so this many halvings reach the spacing of floats.
HALVINGS = 60


def clopper_pearson(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x); 0 at no success, 1 at no failure."""
    x, n = _pair(x, n)
    none, all_ = x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1.0, x), n - x + 1, alpha)
    high = special.betainccinv(x + 1, np.where(all_, 1.0, n - x), alpha)
    return np.where(none, 0.0, low), np.where(all_, 1.0, high)


def jeffreys(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Quantiles of Beta(x + ½, n − x + ½); 0 at no success, 1 at no failure (Brown, Cai and DasGupta 2001)."""
    x, n = _pair(x, n)
    low = special.betaincinv(x + 0.5, n - x + 0.5, alpha)
    high = special.betainccinv(x + 0.5, n - x + 0.5, alpha)
    return np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high)


def mid_p(x: Any, n: Any, alpha: Any) -> tuple[Floats, Floats]:
    """Where P(beyond x) + ½P(x) is α: the exact interval with half of the observed probability in each tail."""
    x, n = _pair(x, n)
    # The upper limit for x is 1 less the lower limit for the failures.
    return _mid_p_low(x, n, alpha), 1 - _mid_p_low(n - x, n, alpha)


def _mid_p_low(x: Floats, n: Floats, alpha: Any) -> Floats:
    """p with ½P(X ≥ x) + ½P(X ≥ x + 1) = α, by bisection: both terms rise with p."""
    none = x <= 0
    a = np.where(none, 1.0, x)
    all_ = a >= n
    b = np.where(all_, 1.0, n - a)

    def excess(p: Floats) -> Floats:
        beyond = np.where(all_, 0.0, special.betainc(a + 1, b, p))
        out: Floats = (special.betainc(a, n - a + 1, p) + beyond) / 2 - alpha
        return out

    # The exact limit at α bounds it from below, the one at 2α from above.
    low = special.betaincinv(a, n - a + 1, alpha)
    high = np.where(2 * np.asarray(alpha) < 1, special.betaincinv(a, n - a + 1, np.minimum(2 * alpha, 1.0)), 1.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        under = excess(middle) < 0
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    out: Floats = np.where(none, 0.0, (low + high) / 2)
    return out


def _pair(x: Any, n: Any) -> tuple[Floats, Floats]:
    return np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)


EXACT_FORMS: dict[str, Callable[[Any, Any, Any], tuple[Floats, Floats]]] = {
    "clopper-pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "mid-p": mid_p,
}


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


Pair = tuple[Floats, Floats]


def plain(estimate: Any, variance: Any, z: Any) -> Pair:
    """estimate ± z·SE; NaN where SE is 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    reach = z * np.sqrt(np.where(v > 0, v, np.nan))
    return e - reach, e + reach


def on_logit(estimate: Any, variance: Any, z: Any, bounds: Range = (0.0, 1.0)) -> Pair:
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


def on_log(estimate: Any, variance: Any, z: Any) -> Pair:
    """estimate·exp(±z·SE/estimate), for what cannot be below 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    fine = (v > 0) & (e > 0) & np.isfinite(e)
    inside = np.where(fine, e, 1.0)
    with np.errstate(over="ignore"):
        factor = np.exp(np.where(fine, z * np.sqrt(np.where(fine, v, 1.0)) / inside, np.nan))
    return inside / factor, inside * factor


def at_size(estimate: Any, size: Any, terms: Terms, z: Any, bounds: Range = (0.0, 1.0)) -> Pair:
    """Wilson's limits for the place in the range, as if it were a proportion of `size` rows."""
    start, width = bounds[0], bounds[1] - bounds[0]
    q = np.clip((np.asarray(estimate, dtype=np.float64) - start) / width, 0.0, 1.0)
    low, high = limits(q * size, size, "wilson", terms.level, terms.side, z=z)
    return start + width * low, start + width * high


def as_jaccard(f: Any) -> Any:
    """J = F/(2 − F)."""
    return f / (2 - f)


def from_jaccard(j: Any) -> Any:
    """F = 2J/(1 + J)."""
    return 2 * j / (1 + j)


BOOTSTRAPS = ("bootstrap-bca", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal", "bootstrap-studentised")

# What can be asked for besides the default. The bootstraps serve every metric of a confusion matrix.
OFFERED: dict[str, tuple[str, ...]] = {
    "proportion": BINOMIAL_METHODS,
    "f1": ("wilson-f1", "delta", "delta-logit"),
    "macro-f1": ("mover-f1", "takahashi", "delta", "delta-logit"),
    "mean-of-recalls": ("mover-wilson", "delta", "delta-logit", "fisher-z"),
    "macro-of-shares": ("mover-wilson", "delta", "delta-logit"),
    "geometric-mean": ("mover-log", "delta", "delta-logit"),
    "mcc": ("fisher-z", "delta"),
    "smooth": ("delta", "fisher-z"),
    "correlation": ("fisher-z", "delta"),
    "smooth-share": ("delta-logit", "delta"),
    "ratio": ("delta-log", "delta"),
    "mean-cost": ("mover-cost", "t-mean"),
    "mean-loss": ("t-log-mean", "t-mean"),
    "other": (),
}


def chosen_method(measure: Measure, situation: str, method: str | None, default: str) -> str:
    """The method asked for, or the default; words that the metric has no use for are an error that lists the rest.

    >>> from trueerror.metrics._registry import find_measure
    >>> chosen_method(find_measure("f1"), "f1", "bootstrap", "wilson-f1")
    'bootstrap-bca'
    """
    if method is None:
        return default
    word = "bootstrap-bca" if method == "bootstrap" else method
    offered = dict.fromkeys((default, *OFFERED.get(situation, ()), *BOOTSTRAPS))
    if situation == "macro-f1" and measure.name != "macro_f1":
        offered.pop("takahashi", None)
    if measure.name in ("micro_f1", "macro_precision", "macro_recall"):
        offered["takahashi"] = None
    if word not in offered:
        raise InputError(f"method={method!r} is not offered for {measure.name}{nearest(method, offered)}")
    return word
