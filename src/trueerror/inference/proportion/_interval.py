"""One proportion from counts: every interval of `te.interval`, without loading NumPy for the closed forms.

Closed forms for one proportion, in arithmetic that serves numbers and arrays alike: no import is needed.

Each takes successes, trials and z, and gives raw limits, not yet cut to [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, get_args

from trueerror.inference._spec import SIDES, critical_z, tail
from trueerror.inputs._options import InputError, check_confidence, check_word
from trueerror.results import Interval, Side


def wald(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """p ± z√(pq/n)."""
    p = x / n
    reach = z * (p * (1 - p) / n) ** 0.5
    return p - reach, p + reach


def wald_cc(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """p ± (z√(pq/n) + 1/2n)."""
    low, high = wald(x, n, z)
    return low - 0.5 / n, high + 0.5 / n


def wilson(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """(p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), written in counts."""
    square = z * z
    centre = x + square / 2
    # q is taken as (n − x)/n, so that the mirrored count gives the mirrored limits.
    reach = z * (x * ((n - x) / n) + square / 4) ** 0.5
    return (centre - reach) / (n + square), (centre + reach) / (n + square)


def wilson_cc(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """Wilson's limits for half a success less and half a success more (Newcombe 1998, method 4)."""
    # Below 0 or above n there is nothing to invert; the clipping later sets 0 or 1 there.
    fewer, more = x - 0.5, x + 0.5
    fewer = fewer * (fewer > 0)
    more = more - (more - n) * (more > n)
    return wilson(fewer, n, z)[0], wilson(more, n, z)[1]


def agresti_coull(x: Any, n: Any, z: Any) -> tuple[Any, Any]:
    """Wald's form with z²/2 successes and z²/2 failures added."""
    return wald(x + z * z / 2, n + z * z, z)


CLOSED_FORMS: dict[str, Callable[[Any, Any, Any], tuple[Any, Any]]] = {
    "wald": wald,
    "wald-cc": wald_cc,
    "wilson": wilson,
    "wilson-cc": wilson_cc,
    "agresti-coull": agresti_coull,
}


BinomialMethod = Literal[
    "wald", "wald-cc", "wilson", "wilson-cc", "clopper-pearson", "mid-p", "agresti-coull", "jeffreys"
]
BINOMIAL_METHODS: tuple[str, ...] = get_args(BinomialMethod)
# These need no whole number of successes: 0.15 of 30 rows is 4.5.
FRACTIONAL = ("wald", "wilson")

NO_TRIALS = "there are no trials, so nothing is known"


def interval(
    successes: float | None = None,
    trials: float | None = None,
    *,
    rate: float | None = None,
    method: BinomialMethod = "wilson",
    confidence: float = 0.95,
    side: Side = "two-sided",
) -> Interval:
    """A proportion of trials, and where the true one may lie.

    `rate=` with `trials=` replaces `successes` where only a share was printed; the count need not be whole then for
    "wald" and "wilson". `side="lower"` gives [low, 1] and `side="upper"` gives [0, high], with all of the doubt at
    that end. Limits never leave [0, 1], always hold the estimate, and never fall together: the Wald interval has no
    width at 0 or at all successes, so Wilson's is given there, and the note says so.

    Formulas: see `.explain()` of the result. Source: Newcombe 1998, Stat. Med. 17:857; Brown, Cai and DasGupta 2001,
    Stat. Sci. 16:101.

    >>> print(interval(750, 1000, confidence=0.8))
    proportion 0.750 [0.732, 0.767], 80 % wilson, n = 1,000
    >>> print(interval(rate=0.15, trials=30, method="wald"))
    proportion 0.150 [0.022, 0.278], 95 % wald, n = 30
    """
    level = check_confidence(confidence)
    check_word(method, BINOMIAL_METHODS, "method")
    check_word(side, SIDES, "side")
    n = _trials(trials)
    x = _successes(successes, rate, n, method)
    used: str = method
    if n == 0:
        estimate, low, high, note = math.nan, 0.0, 1.0, NO_TRIALS
    else:
        estimate = x / n
        low, high, used, note = one_proportion(x, n, method, level, side)
    return Interval(
        name="proportion",
        estimate=estimate,
        low=low,
        high=high,
        confidence=level,
        side=side,
        method=used,
        n=n,
        note=note,
    )


def one_proportion(x: float, n: float, method: str, confidence: float, side: Side) -> tuple[float, float, str, str]:
    """Limits for x of n > 0, the method that was used in the end, and a note where it is another one."""
    z = critical_z(confidence, side)
    if method in CLOSED_FORMS:
        low, high = CLOSED_FORMS[method](x, n, z)
    else:
        from trueerror.inference.proportion._array_intervals import EXACT_FORMS

        low, high = (float(v) for v in EXACT_FORMS[method](x, n, tail(confidence, side)))
    low, high = within(low, high, x / n, side)
    if low < high:
        return low, high, method, ""
    if method == "clopper-pearson":
        # Beyond 10¹⁶ trials the limits differ by less than floats can say.
        return max(0.0, math.nextafter(low, 0.0)), min(1.0, math.nextafter(high, 1.0)), method, ""
    other = "wilson" if z > 0 and method != "wilson" else "clopper-pearson"
    low, high, used, _ = one_proportion(x, n, other, confidence, side)
    return low, high, used, f"{method} has no width at {x:g} of {n:g}: {used} instead"


def within(low: float, high: float, estimate: float, side: Side) -> tuple[float, float]:
    """Limits cut to [0, 1] and to the side; they hold the estimate, which rounding or a low confidence may push out."""
    low = 0.0 if side == "upper" else max(0.0, min(low, estimate))
    high = 1.0 if side == "lower" else min(1.0, max(high, estimate))
    return low, high


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number") from None
    except OverflowError:
        raise InputError(f"{name}={value!r:.20}… is too large") from None
    if not math.isfinite(number):
        raise InputError(f"{name}={value!r:.40} must be a finite number")
    if number < 0:
        raise InputError(f"{name}={value!r:.40} is negative; counts start at 0")
    return number


def _trials(trials: Any) -> float:
    if trials is None:
        raise InputError("trials= is missing: give how many rows were tried")
    n = _number(trials, "trials")
    if n != math.floor(n):
        raise InputError(f"trials={trials!r:.40} must be a whole number")
    return n


def _successes(successes: Any, rate: Any, n: float, method: str) -> float:
    if (successes is None) == (rate is None):
        given = "both are there" if rate is not None else "both are missing"
        raise InputError(f"give successes or rate=, one of them: {given}")
    if rate is None:
        x = _number(successes, "successes")
        if x != math.floor(x):
            raise InputError(f"successes={successes!r:.40} must be a whole number; for a share pass rate= and trials=")
        if x > n:
            raise InputError(f"successes={successes!r:.40} is more than trials={n:g}")
        return x
    share = _number(rate, "rate")
    if share > 1:
        hint = f"; did you mean {share / 100:g}?" if share <= 100 else ""
        raise InputError(f"rate={rate!r:.40} must lie between 0 and 1{hint}")
    x = share * n
    nearest = float(round(x))
    if abs(x - nearest) <= 1e-9 * max(1.0, x):
        return nearest
    if method not in FRACTIONAL:
        raise InputError(
            f"rate={rate!r} of {n:g} trials is {x:g} successes, not a whole number, which method={method!r} needs; "
            "use 'wilson' or 'wald', or pass the counts"
        )
    return x
