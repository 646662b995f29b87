"""Two proportions from different rows: five intervals of their difference, tests, and the chance that one is lower.

Tests of one proportion against a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from trueerror.inference._contrast import (
    REALS,
    SIDES,
    THESE_MODELS,
    Limits,
    check_test_options,
    contrast,
    normal_p,
    student_quantile,
)
from trueerror.inference.proportion._distributions import (
    as_likely,
    at_least,
    at_most,
    crossing,
    hypergeometric_p,
    miettinen_nurminen_limits,
    miettinen_nurminen_z,
)
from trueerror.inference.proportion._interval import (
    FORMS,
    is_float,
    limits_of_one,
    normal_model_caution,
    one_or_all,
    whole_if_near,
    wilson,
    wilson_cc,
)
from trueerror.inputs._arrays import count, open_share
from trueerror.inputs._options import InputError, check_word
from trueerror.results import Alternative, Contrast, Interval, Result

DifferenceMethod = Literal["miettinen-nurminen", "newcombe", "newcombe-cc", "agresti-caffo", "wald"]
NO_ROWS = "no rows in one of the samples: nothing is known"


class Share(NamedTuple):
    """x successes of n; x is not whole where a rate was given."""

    x: float
    n: int

    @property
    def p(self) -> float:
        """x/n."""
        return self.x / self.n

    @property
    def variance(self) -> float:
        """p(1 − p)/n."""
        return self.x * (self.n - self.x) / self.n**3

    @property
    def caution(self) -> str:
        """What to say where the normal model does not hold."""
        # A rate without a whole count has no likelihood.
        instead = "miettinen-nurminen" if float(self.x).is_integer() else "newcombe"
        return str(normal_model_caution(self.n, self.n * self.p * (1 - self.p), instead) or "")


def difference(
    first: Sample,
    second: Sample,
    *,
    method: DifferenceMethod | None = None,
    metric: str | None = None,
    confidence: float | None = None,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """The difference p1 − p2 of two proportions from different rows, each given as (successes, rows).

    Two intervals of one metric, or two evaluations (slices, say) and the `metric` that is asked for (accuracy unless
    said), may stand for the counts: proportions go by their counts, any other metric by the limits of both,
    d − √((θ1 − l1)² + (u2 − θ2)²) and its mirror image (Zou and Donner 2008, Stat. Med. 27:1693).

    - "miettinen-nurminen" (the default): inverts the score test, whose p-value it gives. Miettinen and Nurminen 1985,
      Stat. Med. 4:213.
    - "newcombe", "newcombe-cc": Wilson limits l, u of each share combined,
      d − √((p1 − l1)² + (u2 − p2)²) to d + √((u1 − p1)² + (p2 − l2)²); p by inversion of the interval.
      Newcombe 1998, Stat. Med. 17:873, methods 10 and 11.
    - "agresti-caffo": Wald after one success and one failure more in each sample; p from the score test, since that
      of the shifted shares is not 1 for equal ones. Agresti and Caffo 2000, Am. Stat. 54:280.
    - "wald": d ± z√(p1q1/n1 + p2q2/n2), p from that z. If this variance is 0, Newcombe's method is given.

    In place of the successes a rate below 1 may stand, (0.15, 30), for "wald" and "newcombe", which is the default
    then; for the others only when it stands for a whole count. The rows must be different rows: for two models on the
    same rows see `te.significance.mcnemar`. `alternative="greater"` or `"less"` gives a one-sided test and a one-sided
    limit.

    >>> print(difference((56, 70), (48, 80)))
    difference: first − second = +0.200 [0.053, 0.338], 95 % miettinen-nurminen, p = .008, n = 150
    """
    if method is not None:
        check_word(method, DIFFERENCES, "method")
    if isinstance(first, Result) or isinstance(second, Result):
        return _of_results(first, second, method, metric, confidence, alternative)
    if metric is not None:
        raise InputError("metric= says which metric of two evaluations is compared; counts need none")
    level = check_test_options(0.95 if confidence is None else confidence, alternative)
    a, b = two_shares(first, second, method or "newcombe")
    if method is None:
        method = "miettinen-nurminen" if all(float(s.x).is_integer() for s in (a, b)) else "newcombe"
    form = DIFFERENCES[method]
    made = partial(contrast, confidence=level, alternative=alternative, n=a.n + b.n, estimand=THESE_MODELS)
    if a.n == 0 or b.n == 0:
        return made(
            estimate=math.nan, limits=REALS, method=form.key, p_value=1.0, statistic=0.0, notes=(NO_ROWS,), p_better=0.5
        )
    note = form.note
    if form.normal:
        # The sample for which the model fails, the smaller one where it does for both.
        note = min((a, b), key=lambda share: (not share.caution, share.n)).caution
        if a.variance + b.variance == 0:
            form = DIFFERENCES["newcombe"]
            note = "Wald's variance is 0 here; Newcombe's method is given instead"
    statistic = form.z(a, b)
    return made(
        estimate=a.p - b.p, limits=form.limits(a, b, student_quantile(level, alternative)), method=form.key,
        p_value=normal_p(statistic, alternative), statistic=statistic, notes=(note,),
        p_better=(_less_normal if form.normal else _less_beta)(b, a),
    )  # fmt: skip


Counts = tuple[float, int]
Sample = Counts | Result


def _of_results(
    first: Any, second: Any, method: DifferenceMethod | None, metric: str | None, confidence: float | None,
    alternative: Alternative,
) -> Contrast:  # fmt: skip
    """The difference of two intervals; where both are of plain proportions, that of the counts behind them."""
    a, b = (_metric_of(given, metric, name) for given, name in ((first, "first"), (second, "second")))
    if a.name != b.name:
        raise InputError(f"first is {a.name} and second {b.name}: the difference is of one metric")
    level = a.confidence if confidence is None else confidence
    one, two = _counts_behind(a), _counts_behind(b)
    if one is not None and two is not None:
        return difference(one, two, method=method, confidence=level, alternative=alternative)
    if method is not None:
        raise InputError(f"method= is for proportions; the limits of {a.name} are combined as they are")
    if not a.confidence == b.confidence == level or (a.side, b.side) != ("two-sided", "two-sided"):
        raise InputError(
            f"the limits of two {a.name} are combined at their own confidence: both must be two-sided, and of the same "
            "confidence as asked for"
        )
    return _of_limits(a, b, check_test_options(level, alternative), alternative)


def _metric_of(given: Any, metric: str | None, name: str) -> Interval:
    if isinstance(given, Contrast):
        raise InputError(f"{name} is a difference already; give the intervals of both sides")
    if isinstance(given, Interval):
        if metric is not None:
            raise InputError("metric= says which metric of two evaluations is compared; an interval is of one already")
        return given
    if isinstance(given, Result) and hasattr(type(given), "__getitem__"):
        interval = given[metric or "accuracy"]  # type: ignore[index]
        if isinstance(interval, Interval):
            return interval
    raise InputError(
        f"{name}={str(given)!r:.60} must be a pair (successes, rows), such as (20, 100), an interval or an evaluation, "
        "like the other"
    )


def _counts_behind(found: Interval) -> Counts | None:
    """Successes and rows of an interval that is of a plain proportion."""
    if FORMS.get(found.method) is None or not found.n or not math.isfinite(found.estimate):
        return None
    x = found.estimate * found.n
    return (round(x), int(found.n)) if abs(x - round(x)) <= 1e-6 else None


def _of_limits(a: Interval, b: Interval, level: float, alternative: Alternative) -> Contrast:
    """MOVER: the limits of either side, combined; p-value and one-sided limits with reaches in proportion to z."""
    d = a.estimate - b.estimate
    if not math.isfinite(d):
        raise InputError(
            f"{a.name} is undefined or infinite on one side: {a.note or b.note or 'no difference follows'}"
        )
    reach = reaches((a.estimate, a.low, a.high), (b.estimate, b.low, b.high))
    down, up = (x / student_quantile(level, "two-sided") for x in reach)
    towards, z = down if d > 0 else up, student_quantile(level, alternative)
    statistic = 0.0 if d == 0 else d / towards if towards else math.copysign(math.inf, d)
    return contrast(
        name=a.name, estimate=d, limits=(d - z * down, d + z * up), whole=REALS, confidence=level,
        alternative=alternative, method="newcombe-hybrid", p_value=normal_p(statistic, alternative),
        statistic=statistic, n=None if a.n is None or b.n is None else a.n + b.n,
        notes=("from the limits of both, as of different rows",), estimand=THESE_MODELS,
    )  # fmt: skip


def reaches(a: tuple[float, float, float], b: tuple[float, float, float], phi: float = 0.0) -> Limits:
    """How far the limits of a difference reach down and up, from (estimate, low, high) of each and their correlation φ.

    √(x² − 2φxy + y²) of the distances x, y to the limits that make the difference smaller, or larger. Zou and Donner
    2008, Stat. Med. 27:1693.
    """

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))

    return reach(a[0] - a[1], b[2] - b[0]), reach(a[2] - a[0], b[0] - b[1])


def prior_words(c: Contrast) -> str:
    """The prior behind `p_better` of a difference: a flat one on the normal scale for Wald's method, else Jeffreys'."""
    form = BY_KEY.get(c.method)
    return "flat prior, normal approximation" if form is not None and form.normal else "Jeffreys' prior"


def probability_less(
    first: tuple[float, int], second: tuple[float, int], *, method: Literal["normal", "beta"] = "normal"
) -> float:
    """The posterior probability that p1 < p2, each given as (successes or rate, rows); for errors: first is better.

    "normal" is Φ((p2 − p1)/√(p1q1/n1 + p2q2/n2)), a flat-prior posterior; with no variance it is ½ for equal shares
    and the Beta answer otherwise. "beta" takes Jeffreys' prior, p ~ Beta(x + ½, n − x + ½), for each.

    >>> round(probability_less((20, 100), (30, 100)), 4)
    0.9499
    >>> round(probability_less((20, 100), (30, 100), method="beta"), 4)
    0.949
    """
    check_word(method, ("normal", "beta"), "method")
    a, b = two_shares(first, second, "wald")
    return (_less_normal if method == "normal" and a.n and b.n else _less_beta)(a, b)


def newcombe_limits(a: Share, b: Share, z: float, *, single: Callable[..., Any] = wilson) -> Limits:
    """Newcombe's method 10, or 11 with continuity-corrected Wilson limits."""
    down, up = reaches((a.p, *single(a.x, a.n, z)), (b.p, *single(b.x, b.n, z)))
    return a.p - b.p - down, a.p - b.p + up


def _newcombe_z(a: Share, b: Share, *, single: Callable[..., Any] = wilson) -> float:
    """The z at which the interval first reaches 0, with the sign of the difference."""
    if a.p < b.p:
        return -_newcombe_z(b, a, single=single)

    def limit(z: float) -> float:
        return newcombe_limits(a, b, z, single=single)[0]

    if a.p == b.p or limit(0.0) <= 0:
        return 0.0
    top = 1.0
    while limit(top) > 0:
        top *= 2
    return crossing(limit, 0.0, top)


def _wald_z(a: Share, b: Share) -> float:
    """d over its unpooled standard error; infinite where that is 0 and d is not."""
    d, variance = a.p - b.p, a.variance + b.variance
    if variance == 0:
        return math.copysign(math.inf, d) if d else 0.0
    return d / math.sqrt(variance)


def _wald_limits(a: Share, b: Share, z: float) -> Limits:
    d, half = a.p - b.p, z * math.sqrt(a.variance + b.variance)
    return d - half, d + half


class DifferenceForm(NamedTuple):
    """An interval of p1 − p2 with the z of its test; a `normal` one takes the shares for normal."""

    key: str
    limits: Callable[[Share, Share, float], Limits]
    z: Callable[[Share, Share], float]
    fractional: bool = False
    normal: bool = False
    note: str = ""


# By the word that people ask for, and by the key that results carry.
SCORE = DifferenceForm(
    "miettinen-nurminen", lambda a, b, z: miettinen_nurminen_limits(*a, *b, z),
    lambda a, b: miettinen_nurminen_z(*a, *b, 0.0),
)  # fmt: skip
DIFFERENCES: dict[str, DifferenceForm] = {
    "miettinen-nurminen": SCORE,
    "newcombe": DifferenceForm("newcombe-difference", newcombe_limits, _newcombe_z, fractional=True),
    "newcombe-cc": DifferenceForm(
        "newcombe-difference-cc", partial(newcombe_limits, single=wilson_cc), partial(_newcombe_z, single=wilson_cc)
    ),
    "agresti-caffo": DifferenceForm(
        "agresti-caffo", lambda a, b, z: _wald_limits(Share(a.x + 1, a.n + 2), Share(b.x + 1, b.n + 2), z), SCORE.z,
        note="p-value by the score test",
    ),
    "wald": DifferenceForm("wald-difference", _wald_limits, _wald_z, fractional=True, normal=True),
}  # fmt: skip
BY_KEY = {form.key: form for form in DIFFERENCES.values()}


def _less_normal(a: Share, b: Share) -> float:
    if a.variance + b.variance == 0:
        return 0.5 if a.p == b.p else _less_beta(a, b)
    return float(special.ndtr(_wald_z(b, a)))


def _less_beta(a: Share, b: Share) -> float:
    """E[F(p)] over the narrower of the two posteriors, by the trapezoid rule on the normal scale of its quantiles.

    There the integrand is smooth and dies off like a normal density, for which that rule is nearly exact.
    """
    one, two = (a.x + 0.5, a.n - a.x + 0.5), (b.x + 0.5, b.n - b.x + 0.5)
    variances = [p * q / ((p + q) ** 2 * (p + q + 1)) for p, q in (one, two)]
    narrow_is_first = variances[0] <= variances[1]
    narrow, wide = (one, two) if narrow_is_first else (two, one)
    t = np.linspace(-9.0, 9.0, 181)
    upper = t > 0
    tail = special.ndtr(-np.abs(t))
    points = np.where(upper, special.betainccinv(*narrow, tail), special.betaincinv(*narrow, tail))
    inner = special.betaincc(*wide, points) if narrow_is_first else special.betainc(*wide, points)
    weights = np.exp(-t * t / 2)
    return min(1.0, max(0.0, float(inner @ weights / weights.sum())))


def two_shares(first: Any, second: Any, method: str) -> tuple[Share, Share]:
    """Two pairs (successes or rate, rows); 1.0 is a rate beside a rate, and asks what it is beside a count."""
    pairs = [_pair(given, name) for given, name in ((first, "first"), (second, "second"))]
    rates = any(is_float(x) and 0 < float(x) < 1 for x, _ in pairs)
    a, b = (_share(x, n, name, method, rates) for (x, n), name in zip(pairs, ("first", "second"), strict=True))
    return a, b


def _pair(given: Any, name: str) -> tuple[Any, int]:
    try:
        x, n = given
    except (TypeError, ValueError):
        raise InputError(f"{name}={given!r:.60} must be a pair (successes, rows), such as (20, 100)") from None
    return x, count(n, f"{name} rows")


def _share(x: Any, rows: int, name: str, method: str, rates: bool) -> Share:
    if is_float(x) and float(x) == 1 and rows > 1:
        if not rates:
            raise InputError(one_or_all(name, rows))
        return Share(rows, rows)
    if is_float(x) and 0 < float(x) < 1:
        successes = whole_if_near(float(x) * rows)
        if not successes.is_integer() and not DIFFERENCES[method].fractional:
            raise InputError(
                f"{name}=({x:g}, {rows}) is {successes:g} successes, which is not a whole count; "
                'a rate needs method="wald" or "newcombe"'
            )
        return Share(successes, rows)
    successes = count(x, f"{name} successes")
    if successes > rows:
        raise InputError(
            f"{name}=({successes}, {rows}) has more successes than rows: write te.difference((x1, n1), (x2, n2))"
        )
    return Share(successes, rows)


EXACT_TAILS: dict[str, Callable[..., Any]] = {"two-sided": as_likely, "greater": at_least, "less": at_most}


def one_proportion(
    x: int,
    n: int,
    p0: float,
    *,
    method: Literal["exact", "score"] = "exact",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Is the true proportion behind x successes of n the value p0? The contrast is p̂ − p0.

    - "exact": binomial; two-sided p is the probability of all counts that are at most as likely as x under p0 (the
      minimum-likelihood rule of R's `binom.test`, not twice a tail). Interval: Clopper–Pearson less p0.
    - "score": z = (p̂ − p0)/√(p0(1 − p0)/n). Interval: Wilson less p0, which inverts it.

    >>> print(one_proportion(75, 100, 0.7))
    difference: first − second = +0.050 [−0.047, 0.131], 95 % binomial-exact, p = .326, n = 100
    (interval: Clopper–Pearson less p0)
    """
    check_word(method, ("exact", "score"), "method")
    level = check_test_options(confidence, alternative)
    successes, rows, null = count(x, "x"), count(n, "n"), open_share(p0, "p0")
    if successes > rows:
        raise InputError(f"x={successes} is more than n={rows}")
    low, high, statistic, p_value, note = 0.0, 1.0, 0.0, 1.0, "no rows: nothing is known"
    if rows and method == "exact":
        low, high, *_ = limits_of_one(successes, rows, "clopper-pearson", level, SIDES[alternative])
        statistic, note = successes, "interval: Clopper–Pearson less p0"
        p_value = float(EXACT_TAILS[alternative](successes, rows, null))
    elif rows:
        low, high, *_ = limits_of_one(successes, rows, "wilson", level, SIDES[alternative])
        statistic = (successes - rows * null) / math.sqrt(rows * null * (1 - null))
        p_value, note = normal_p(statistic, alternative), "interval: Wilson less p0"
    return contrast(
        estimate=successes / rows - null if rows else math.nan, limits=(low - null, high - null),
        whole=(-null, 1 - null), confidence=level, alternative=alternative, method=f"binomial-{method}",
        p_value=p_value, statistic=statistic, n=rows, notes=(note,), estimand="this model, on rows like these",
    )  # fmt: skip


def _pooled_z(a: Share, b: Share, less: float = 0.0) -> float:
    """(|d| − less)/√(p̄q̄(1/n1 + 1/n2)) with the sign of d; less takes at most the difference itself."""
    pooled, d = (a.x + b.x) / (a.n + b.n), a.p - b.p
    return math.copysign(max(0.0, abs(d) - less), d) / math.sqrt(pooled * (1 - pooled) * (1 / a.n + 1 / b.n))


TwoProportionsMethod = Literal["pooled-z", "unpooled-z", "fisher", "yates"]


class TwoProportionsTest(NamedTuple):
    """The z of a test, None where it is exact, and the interval that is nearest to inverting it."""

    z: Callable[[Share, Share], float] | None
    interval: DifferenceMethod
    words: str


TESTS: dict[str, TwoProportionsTest] = {
    "pooled-z": TwoProportionsTest(_pooled_z, "miettinen-nurminen", "Miettinen and Nurminen's"),
    "unpooled-z": TwoProportionsTest(_wald_z, "wald", "Wald's"),
    "fisher": TwoProportionsTest(None, "miettinen-nurminen", "Miettinen and Nurminen's"),
    "yates": TwoProportionsTest(
        lambda a, b: _pooled_z(a, b, (1 / a.n + 1 / b.n) / 2), "newcombe-cc", "Newcombe's with continuity correction"
    ),
}


def two_proportions(
    x1: int,
    n1: int,
    x2: int,
    n2: int,
    *,
    method: TwoProportionsMethod = "pooled-z",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """Do two samples of different rows have the same true proportion? The contrast is x1/n1 − x2/n2.

    - "pooled-z": z = d/√(p̄q̄(1/n1 + 1/n2)), the square root of the chi² test; with Miettinen–Nurminen's interval.
    - "unpooled-z": z = d/√(p1q1/n1 + p2q2/n2), with Wald's interval.
    - "yates": pooled with |d| less ½(1/n1 + 1/n2), at most to 0; with Newcombe's interval, continuity corrected.
    - "fisher": exact given both margins; two-sided p sums the tables at most as likely; Miettinen–Nurminen's interval.

    Two samples without any success, or with nothing else, show no difference: p = 1.

    >>> print(two_proportions(20, 100, 30, 100))
    difference: first − second = −0.100 [−0.219, 0.021], 95 % pooled-z, p = .102, n = 200
    (interval: Miettinen and Nurminen's)
    """
    check_word(method, TESTS, "method")
    level = check_test_options(confidence, alternative)
    test, used = TESTS[method], str(method)
    a, b = Share(count(x1, "x1"), count(n1, "n1")), Share(count(x2, "x2"), count(n2, "n2"))
    size = difference(a, b, method=test.interval, confidence=level, alternative=alternative)
    normal = DIFFERENCES[test.interval].normal
    # A Wald interval that fell back to another says so itself.
    notes = [size.note if normal and size.note else f"interval: {test.words}"]
    statistic, p_value = 0.0, 1.0
    if a.n == 0 or b.n == 0:
        notes = [NO_ROWS]
    elif a.x + b.x in (0, a.n + b.n):
        notes.append("both proportions are the same end of the range")
    elif test.z is None:
        statistic, p_value = a.x, hypergeometric_p(int(a.x), a.n, b.n, int(a.x + b.x))[alternative]
    else:
        score = test.z
        if normal and a.variance + b.variance == 0:
            score, used = _pooled_z, "pooled-z"
            notes.append("the unpooled variance is 0; the pooled test is given instead")
        statistic = score(a, b)
        p_value = normal_p(statistic, alternative)
    return contrast(
        estimate=size.estimate, limits=(size.low, size.high), confidence=level, alternative=alternative, method=used,
        p_value=p_value, statistic=statistic, n=a.n + b.n, notes=tuple(notes), p_better=size.p_better,
        estimand=THESE_MODELS,
    )  # fmt: skip
