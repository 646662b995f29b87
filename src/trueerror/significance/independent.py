"""The difference of two proportions from different rows: five intervals, and the chance that one is lower."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count
from trueerror.inputs.options import check_word
from trueerror.intervals.closed_forms import wilson, wilson_cc
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import THESE_MODELS, Limits, check_options, contrast, normal_p, normal_quantile
from trueerror.significance.roots import crossing
from trueerror.significance.score_statistics import miettinen_nurminen_limits, miettinen_nurminen_z

DifferenceMethod = Literal["miettinen-nurminen", "newcombe", "newcombe-cc", "agresti-caffo", "wald"]
KEYS: dict[str, str] = {
    "miettinen-nurminen": "miettinen-nurminen",
    "newcombe": "newcombe-difference",
    "newcombe-cc": "newcombe-difference-cc",
    "agresti-caffo": "agresti-caffo",
    "wald": "wald-difference",
}
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


def difference(
    first: tuple[float, int],
    second: tuple[float, int],
    *,
    method: DifferenceMethod = "miettinen-nurminen",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """The difference p1 − p2 of two proportions from different rows, each given as (successes, rows).

    - "miettinen-nurminen": inverts the score test, whose p-value it gives. Miettinen and Nurminen 1985,
      Stat. Med. 4:213.
    - "newcombe", "newcombe-cc": Wilson limits l, u of each share combined,
      d − √((p1 − l1)² + (u2 − p2)²) to d + √((u1 − p1)² + (p2 − l2)²); p by inversion of the interval.
      Newcombe 1998, Stat. Med. 17:873, methods 10 and 11.
    - "agresti-caffo": Wald after one success and one failure more in each sample; p from the score test, since that
      of the shifted shares is not 1 for equal ones. Agresti and Caffo 2000, Am. Stat. 54:280.
    - "wald": d ± z√(p1q1/n1 + p2q2/n2), p from that z. Where this variance is 0 Newcombe's method is given.

    In place of the successes a rate below 1 may stand, (0.15, 30), for "wald" and "newcombe"; for the others only
    when it stands for a whole count. The rows must be different rows: for two models on the same rows see
    `te.significance.mcnemar`. `alternative="greater"` or `"less"` gives a one-sided test and a one-sided limit.

    >>> print(difference((56, 70), (48, 80)))
    difference: first − second = +0.200 [0.053, 0.338], 95 % miettinen-nurminen, p = .008, n = 150
    """
    check_word(method, KEYS, "method")
    level = check_options(confidence, alternative)
    a, b = _share(first, "first", method), _share(second, "second", method)
    if a.n == 0 or b.n == 0:
        return contrast(
            estimate=math.nan, limits=(-1.0, 1.0), confidence=level, alternative=alternative, method=KEYS[method],
            p_value=1.0, statistic=0.0, n=a.n + b.n, notes=(NO_ROWS,), p_better=0.5, estimand=THESE_MODELS,
        )  # fmt: skip
    z = normal_quantile(level, alternative)
    note = ""
    p_better = _less_normal(b, a) if method == "wald" else _less_beta(b, a)
    if method == "wald" and a.variance + b.variance == 0:
        method = "newcombe"
        note = "Wald's variance is 0 here; Newcombe's method is given instead"
    if method == "miettinen-nurminen":
        limits = miettinen_nurminen_limits(a.x, a.n, b.x, b.n, z)
        statistic = miettinen_nurminen_z(a.x, a.n, b.x, b.n, 0.0)
    elif method == "agresti-caffo":
        limits = wald_limits(Share(a.x + 1, a.n + 2), Share(b.x + 1, b.n + 2), z)
        statistic = miettinen_nurminen_z(a.x, a.n, b.x, b.n, 0.0)
        note = "p-value by the score test"
    elif method == "wald":
        limits, statistic = wald_limits(a, b, z), wald_z(a, b)
    else:
        corrected = method == "newcombe-cc"
        limits = newcombe_limits(a, b, z, corrected=corrected)
        statistic = _newcombe_z(a, b, corrected=corrected)
    return contrast(
        estimate=a.p - b.p,
        limits=limits,
        confidence=level,
        alternative=alternative,
        method=KEYS[method],
        p_value=normal_p(statistic, alternative),
        statistic=statistic,
        n=a.n + b.n,
        notes=(note,),
        p_better=p_better,
        estimand=THESE_MODELS,
    )


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
    a, b = _share(first, "first", "wald"), _share(second, "second", "wald")
    if method == "normal" and a.n and b.n:
        return _less_normal(a, b)
    return _less_beta(a, b)


def newcombe_limits(a: Share, b: Share, z: float, *, corrected: bool = False) -> Limits:
    """Newcombe's method 10, or 11 with continuity-corrected Wilson limits."""
    single = wilson_cc if corrected else wilson
    d = a.p - b.p
    l1, u1 = single(a.x, a.n, z)
    l2, u2 = single(b.x, b.n, z)
    # Below confidence ½ a one-sided z is negative: then all limits lie on the other side of their estimates.
    sign = math.copysign(1.0, z)
    return d - sign * math.hypot(a.p - l1, u2 - b.p), d + sign * math.hypot(u1 - a.p, b.p - l2)


def wald_z(a: Share, b: Share) -> float:
    """d over its unpooled standard error; infinite where that is 0 and d is not."""
    d, variance = a.p - b.p, a.variance + b.variance
    if variance == 0:
        return math.copysign(math.inf, d) if d else 0.0
    return d / math.sqrt(variance)


def wald_limits(a: Share, b: Share, z: float) -> Limits:
    """d ± z times the unpooled standard error."""
    d, half = a.p - b.p, z * math.sqrt(a.variance + b.variance)
    return d - half, d + half


def _newcombe_z(a: Share, b: Share, *, corrected: bool) -> float:
    """The z at which the interval first reaches 0, with the sign of the difference."""
    d = a.p - b.p
    if d < 0:
        return -_newcombe_z(b, a, corrected=corrected)

    def limit(z: float) -> float:
        return newcombe_limits(a, b, z, corrected=corrected)[0]

    if d == 0 or limit(0.0) <= 0:
        return 0.0
    top = 1.0
    while limit(top) > 0 and top < 1e8:
        top *= 2
    return crossing(limit, 0.0, top)


def _less_normal(a: Share, b: Share) -> float:
    if a.variance + b.variance == 0:
        return 0.5 if a.p == b.p else _less_beta(a, b)
    return float(special.ndtr(wald_z(b, a)))


def _less_beta(a: Share, b: Share) -> float:
    """E[F(p)] over the narrower of the two posteriors, by the trapezoid rule on the normal scale of its quantiles.

    There the integrand is smooth and dies off like a normal density, for which that rule is nearly exact.
    """
    one, two = (a.x + 0.5, a.n - a.x + 0.5), (b.x + 0.5, b.n - b.x + 0.5)
    narrow_is_first = _beta_variance(*one) <= _beta_variance(*two)
    narrow, wide = (one, two) if narrow_is_first else (two, one)
    t = np.linspace(-9.0, 9.0, 721)
    upper = t > 0
    tail = special.ndtr(-np.abs(t))
    points = np.where(upper, special.betainccinv(*narrow, tail), special.betaincinv(*narrow, tail))
    inner = special.betaincc(*wide, points) if narrow_is_first else special.betainc(*wide, points)
    weights = np.exp(-t * t / 2)
    return min(1.0, max(0.0, float(inner @ weights / weights.sum())))


def _beta_variance(a: float, b: float) -> float:
    return a * b / ((a + b) ** 2 * (a + b + 1))


def _share(given: Any, name: str, method: str) -> Share:
    try:
        x, n = given
    except (TypeError, ValueError):
        raise InputError(f"{name}={given!r:.60} must be a pair (successes, rows), such as (20, 100)") from None
    rows = count(n, f"{name} rows")
    if isinstance(x, float | np.floating) and 0 < float(x) < 1:
        successes = float(x) * rows
        nearest = round(successes)
        if abs(successes - nearest) <= 1e-9 * max(1, nearest):
            return Share(nearest, rows)
        if method not in ("wald", "newcombe"):
            raise InputError(
                f"{name}=({x:g}, {rows}) is {successes:g} successes, which is not a whole count; "
                'a rate needs method="wald" or "newcombe"'
            )
        return Share(successes, rows)
    successes = count(x, f"{name} successes")
    if successes > rows:
        raise InputError(f"{name}=({successes}, {rows}) has more successes than rows")
    return Share(successes, rows)
