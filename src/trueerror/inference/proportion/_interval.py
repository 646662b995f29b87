"""One proportion from counts: `te.interval`, and every interval that it offers.

An interval for proportions is one function with `@proportion_interval`: it can then be asked for by its word in
`te.interval`, `te.evaluate(method=)` and on the command line, and explains itself. A form takes successes, trials and z
(or, where it is `exact`, the probability to leave out at one end) and gives raw limits, not yet cut to [0, 1]. Closed
forms serve numbers and arrays alike in plain arithmetic, so that `te.interval` needs no NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from trueerror.inference._problem import SIDES, critical_z, tail
from trueerror.inputs._options import InputError, check_confidence, check_word
from trueerror.methods._registry import ONE, inference_method
from trueerror.results import Interval, Side
from trueerror.results._values import Note, joined_notes

if TYPE_CHECKING:
    from trueerror.tallies._confusion import Amount

# What each form gives: numbers for numbers, arrays for arrays.
RawPair = tuple[Any, Any]
FormFunction = TypeVar("FormFunction", bound=Callable[[Any, Any, Any], RawPair])


@dataclass(frozen=True, slots=True)
class ProportionForm:
    """How limits of a proportion are computed.

    An `exact` form takes a tail's probability in place of z; in a `fractional` one the successes need not be whole; a
    `normal` one takes the estimate for normal. With fewer than `events` successes or failures its coverage is below
    what it says.
    """

    function: Callable[[Any, Any, Any], RawPair]
    exact: bool
    fractional: bool
    normal: bool
    events: int = 0

    def limits(self, x: Amount, n: Amount, confidence: float, side: Side, z: Amount) -> RawPair:
        """Raw limits of x of n > 0; `z` is the normal quantile or what replaces it."""
        return self.function(x, n, tail(confidence, side) if self.exact else z)


# By word, in the order in which they are listed.
FORMS: dict[str, ProportionForm] = {}


def proportion_interval(
    word: str, *, exact: bool = False, fractional: bool = False, normal: bool = False, events: int = 0
) -> Callable[[FormFunction], FormFunction]:
    """Enter a form as an interval of every plain proportion."""

    def answer(q: Any) -> Any:
        from trueerror.inference.proportion._distributions import proportion_limits

        return proportion_limits(q, word)

    def enter(function: FormFunction) -> FormFunction:
        inference_method(word, on=ONE, applies=lambda q: bool(q.sample.is_share(q.metric)))(answer)
        FORMS[word] = ProportionForm(function, exact, fractional, normal, events)
        return function

    return enter


def too_few_events(key: str, x: float, n: float) -> bool:
    """Whether so few successes or failures were seen that a method's limits cover less than they say.

    >>> too_few_events("wilson", 97, 100), too_few_events("clopper-pearson", 97, 100), too_few_events("wilson", 90, 100)
    (True, False, False)
    """
    form = FORMS.get(key)
    return form is not None and min(x, n - x) < form.events <= n


@proportion_interval("wald", fractional=True, normal=True)
def wald(x: Amount, n: Amount, z: Amount) -> RawPair:
    """p ± z√(pq/n)."""
    p = x / n
    reach = z * (p * (1 - p) / n) ** 0.5
    return p - reach, p + reach


@proportion_interval("wald-cc", normal=True)
def wald_cc(x: Amount, n: Amount, z: Amount) -> RawPair:
    """p ± (z√(pq/n) + 1/2n)."""
    low, high = wald(x, n, z)
    return low - 0.5 / n, high + 0.5 / n


@proportion_interval("wilson", fractional=True, events=5)
def wilson(x: Amount, n: Amount, z: Amount) -> RawPair:
    """(p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n), written in counts."""
    square = z * z
    centre = x + square / 2
    # q is taken as (n − x)/n, so that the mirrored count gives the mirrored limits.
    reach = z * (x * ((n - x) / n) + square / 4) ** 0.5
    return (centre - reach) / (n + square), (centre + reach) / (n + square)


@proportion_interval("wilson-cc")
def wilson_cc(x: Amount, n: Amount, z: Amount) -> RawPair:
    """Wilson's limits for half a success less and half a success more (Newcombe 1998, method 4)."""
    # Below 0 or above n there is nothing to invert; the clipping later sets 0 or 1 there.
    fewer, more = x - 0.5, x + 0.5
    fewer = fewer * (fewer > 0)
    more = more - (more - n) * (more > n)
    return wilson(fewer, n, z)[0], wilson(more, n, z)[1]


def _beta_limits(x: Amount, n: Amount, alpha: Amount, shift: float) -> RawPair:
    """Quantiles of Beta(x + s, n − x + 1 − s) and Beta(x + 1 − s, n − x + s); 0 at no success, 1 at no failure."""
    import numpy as np
    from scipy import special

    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    none, every = x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1.0, x + shift), n - x + 1 - shift, alpha)
    high = special.betainccinv(x + 1 - shift, np.where(every, 1.0, n - x + shift), alpha)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


@proportion_interval("clopper-pearson", exact=True)
def clopper_pearson(x: Amount, n: Amount, alpha: Amount) -> RawPair:
    """Quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x); 0 at no success, 1 at no failure."""
    return _beta_limits(x, n, alpha, 0.0)


@proportion_interval("mid-p", exact=True)
def mid_p(x: Amount, n: Amount, alpha: Amount) -> RawPair:
    """Where P(beyond x) + ½P(x) is α: the exact interval with half of the observed probability in each tail."""
    import numpy as np

    x, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    # The upper limit for x is 1 less the lower limit for the failures.
    return _mid_p_low(x, n, alpha), 1 - _mid_p_low(n - x, n, alpha)


def _mid_p_low(x: Amount, n: Amount, alpha: Amount) -> Amount:
    """p with ½P(X ≥ x) + ½P(X ≥ x + 1) = α, by bisection: both terms rise with p."""
    import numpy as np
    from scipy import special

    none, every = x <= 0, x >= n
    a, b = np.where(none, 1.0, x), np.where(every, 1.0, n - x)
    low, high = np.zeros(np.shape(x)), np.where(none, 0.0, 1.0)
    middle = (low + high) / 2
    while ((low < middle) & (middle < high)).any():
        beyond = np.where(every, 0.0, special.betainc(a + 1, b, middle))
        under = special.betainc(a, n - a + 1, middle) + beyond < 2 * alpha
        low, high = np.where(under, middle, low), np.where(under, high, middle)
        middle = (low + high) / 2
    return middle


@proportion_interval("agresti-coull")
def agresti_coull(x: Amount, n: Amount, z: Amount) -> RawPair:
    """Wald's form with z²/2 successes and z²/2 failures added."""
    return wald(x + z * z / 2, n + z * z, z)


@proportion_interval("jeffreys", exact=True)
def jeffreys(x: Amount, n: Amount, alpha: Amount) -> RawPair:
    """Quantiles of Beta(x + ½, n − x + ½); 0 at no success, 1 at no failure (Brown, Cai and DasGupta 2001)."""
    return _beta_limits(x, n, alpha, 0.5)


BinomialMethod = Literal[
    "wald", "wald-cc", "wilson", "wilson-cc", "clopper-pearson", "mid-p", "agresti-coull", "jeffreys"
]


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
    "wald" and "wilson". A column of True and False stands for both counts. `side="lower"` gives [low, 1] and
    `side="upper"` gives [0, high], with all of the doubt at that end. Limits never leave [0, 1], always hold the
    estimate, and never fall together: the Wald interval has no width at 0 or at all successes, so Wilson's is given
    there, and the note says so.

    Formulas: see `.explain()` of the result. Source: Newcombe 1998, Stat. Med. 17:857; Brown, Cai and DasGupta 2001,
    Stat. Sci. 16:101.

    >>> print(interval(750, 1000, confidence=0.8))
    proportion 0.750 [0.732, 0.767], 80 % wilson, n = 1,000
    >>> print(interval(rate=0.15, trials=30, method="wald"))
    proportion 0.150 [0.022, 0.278], 95 % wald, n = 30
        (TE203: the normal model needs n ≥ 30 and n·p·(1 − p) ≥ 5, here 30 and 3.825; use wilson)
    """
    level = check_confidence(confidence)
    method = check_word("clopper-pearson" if str(method) == "exact" else method, FORMS, "method")
    check_word(side, SIDES, "side")
    if trials is None and getattr(successes, "shape", ()) != ():
        successes, trials = _counted(successes)
    n = _trials(trials)
    x = _successes(successes, rate, n, method)
    used, estimand = str(method), "the proportion of successes among all trials"
    if n == 0:
        estimate, low, high, note = math.nan, 0.0, 1.0, "there are no trials, so nothing is known"
    else:
        estimate, estimand = x / n, f"{estimand} like these {n:,.0f}"
        low, high, used, note = limits_of_one(x, n, method, level, side)
        note = joined_notes(note, normal_model_caution(n, n * estimate * (1 - estimate)) if is_normal(used) else None)
    return Interval(
        name="proportion", estimate=estimate, low=low, high=high, confidence=level, side=side, method=used, n=n,
        note=note, estimand=estimand,
    )  # fmt: skip


def is_normal(method: str) -> bool:
    """Whether a method is an interval of a proportion that takes the estimate for normal.

    >>> is_normal("wald"), is_normal("wilson"), is_normal("delong")
    (True, False, False)
    """
    form = FORMS.get(method)
    return form is not None and form.normal


def normal_model_caution(n: float, spread: float, instead: str = "wilson") -> Note | None:
    """What to say where the normal model does not hold: n below 30, or a variance n·p·(1 − p) of the count below 5."""
    return None if n >= 30 and round(spread, 9) >= 5 else Note("normal-model", (n, spread, instead))


def limits_of_one(x: float, n: float, method: str, confidence: float, side: Side) -> tuple[float, float, str, str]:
    """Limits for x of n > 0, the method that was used in the end, and a note where it is another one.

    They are cut to [0, 1] and to the side, and hold the estimate, which rounding or a low confidence may push out.
    """
    z, estimate = critical_z(confidence, side), x / n
    low, high = (float(v) for v in FORMS[method].limits(x, n, confidence, side, z))
    low = 0.0 if side == "upper" else max(0.0, min(low, estimate))
    high = 1.0 if side == "lower" else min(1.0, max(high, estimate))
    if low < high:
        return low, high, method, ""
    if method == "clopper-pearson":
        # Beyond 10¹⁶ trials the limits differ by less than floats can say.
        return max(0.0, math.nextafter(low, 0.0)), min(1.0, math.nextafter(high, 1.0)), method, ""
    following = "clopper-pearson" if method == "wilson" else "wilson"
    low, high, used, _ = limits_of_one(x, n, following, confidence, side)
    return low, high, used, f"{method} has no width at {x:g} of {n:g}: {used} instead"


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number") from None
    except OverflowError:
        raise InputError(f"{name}={value!r:.20}… is too large") from None
    if not math.isfinite(number):
        raise InputError(f"{name}={value!r:.40} must be a finite number")
    if number > 1e100:
        raise InputError(f"{name}={number:g} is too large")
    if number < 0:
        raise InputError(f"{name}={value!r:.40} is negative; counts start at 0")
    return number


def _counted(right: Any) -> tuple[int, int]:
    """Successes and trials of a column of right and wrong."""
    import numpy as np

    values = np.asarray(right)
    if values.ndim != 1 or values.dtype.kind != "b":
        raise InputError("successes is a count, or a column of True and False: te.interval(truth == predicted)")
    return int(values.sum()), len(values)


def _trials(trials: Any) -> float:
    if trials is None:
        raise InputError("trials= is missing: te.interval(43, 48) is 43 right of 48 rows")
    n = _number(trials, "trials")
    if n != math.floor(n):
        raise InputError(f"trials={trials!r:.40} must be a whole number")
    return n


def is_float(value: object) -> bool:
    """Whether a number was written with a point: 1.0, not 1."""
    return isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f"


def one_or_all(name: str, n: float) -> str:
    """What to ask of those who write 1.0 where a count or a rate may stand."""
    return f"{name}=1.0 of {n:g} may be one success or a rate of 1: write 1 for one success, {n:g} for all of them"


def _successes(successes: Any, rate: Any, n: float, method: str) -> float:
    if (successes is None) == (rate is None):
        given = "both are there" if rate is not None else "both are missing"
        raise InputError(f"give successes or rate=, one of them: {given}")
    if rate is None:
        x = _number(successes, "successes")
        if is_float(successes) and x == 1 and n > 1:
            raise InputError(one_or_all("successes", n))
        if x != math.floor(x):
            how = f"rate={successes!r:.20}, trials={n:g}" if x < 1 else "rate= and trials="
            raise InputError(f"successes={successes!r:.40} must be a whole number; for a share pass {how}")
        if x > n:
            raise InputError(f"successes={successes!r:.40} is more than trials={n:g}")
        return x
    share = _number(rate, "rate")
    if share > 1:
        hint = f"; did you mean {share / 100:g}?" if share <= 100 else ""
        raise InputError(f"rate={rate!r:.40} must lie between 0 and 1{hint}")
    x = whole_if_near(share * n)
    if not x.is_integer() and not FORMS[method].fractional:
        raise InputError(
            f"rate={rate!r} of {n:g} trials is {x:g} successes, not a whole number, which method={method!r} needs; "
            "use 'wilson' or 'wald', or pass the counts"
        )
    return x


def whole_if_near(x: float) -> float:
    """The whole number that only rounding keeps a rate times rows from."""
    nearest = float(round(x))
    return nearest if abs(x - nearest) <= 1e-9 * max(1.0, x) else x
