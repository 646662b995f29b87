"""What a test will find when there is a true difference: how often, how often with the wrong sign, how exaggerated."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.results import Alternative
from trueerror.significance.contrasts import normal_quantile, student_quantile

# Nodes for averaging over the standard deviation that a t-test happens to see.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


class Chances(NamedTuple):
    """power: P(significant); wrong_sign: P(wrong sign | significant); exaggeration: E(|estimate| | significant)/|true|.

    The last two are Gelman and Carlin's type S and type M errors (2014, Perspect. Psychol. Sci. 9:641).
    """

    power: float
    wrong_sign: float
    exaggeration: float


class NormalDesign(NamedTuple):
    """A difference whose estimate is normal: its size, and standard deviations a row under none and under it.

    For two groups a row is one row in each.
    """

    delta: float
    null_sd: float
    sd: float

    def rows(self, alpha: float, power: float, alternative: Alternative) -> float:
        """((z_α·null_sd + z_β·sd)/δ)², not rounded.

        >>> round(NormalDesign(0.02, 0.1**0.5, (0.1 - 0.02**2) ** 0.5).rows(0.05, 0.8, "two-sided"))
        1960
        """
        z = normal_quantile(1 - alpha, alternative)
        return ((z * self.null_sd + float(special.ndtri(power)) * self.sd) / self.delta) ** 2

    def chances(self, n: float, alpha: float, alternative: Alternative) -> Chances:
        """At n rows, with the normal test."""
        root = math.sqrt(n)
        cut = normal_quantile(1 - alpha, alternative) * self.null_sd / root
        right, wrong, size = tails(self.delta, self.sd / root, cut, alternative)
        return gathered(self.delta, float(right), float(wrong), float(size), alternative)

    def student_chances(self, n: float, df: float, alpha: float, alternative: Alternative) -> Chances:
        """At n rows, with a t-test on `df` degrees of freedom (non-central t)."""
        error = self.sd / math.sqrt(n)
        critical = student_quantile(1 - alpha, alternative, df)
        shift = self.delta / error
        toward = {"two-sided": abs(shift), "greater": shift, "less": -shift}[alternative]
        power = float(special.nctdtr(df, -toward, -critical))
        # Given the standard deviation that is seen, the estimate is normal and the cut is fixed.
        seen = error * np.sqrt(special.chdtri(df, (1 - NODES) / 2) / df)
        right, wrong, size = (WEIGHTS @ part / 2 for part in tails(self.delta, error, critical * seen, alternative))
        rough = gathered(self.delta, float(right), float(wrong), float(size), alternative)
        return Chances(power, rough.wrong_sign, rough.exaggeration)


def tails(delta: float, sd: float, cut: Any, alternative: Alternative) -> tuple[Any, Any, Any]:
    """P(significant, right sign), P(significant, wrong sign) and E(|estimate|; significant) for N(δ, sd²).

    One-sided tests have one tail only: that of the alternative, right or wrong as δ lies.
    """
    d = abs(delta)
    # Rates of 0 and 1 leave the estimate no spread: a hair of one gives the limit of all that follows.
    sd = max(sd, 1e-12 * max(d, 1e-12))
    right, wrong = special.ndtr((d - cut) / sd), special.ndtr((-d - cut) / sd)
    right_size = d * right + sd * _density((cut - d) / sd)
    wrong_size = -d * wrong + sd * _density((cut + d) / sd)
    if alternative == "two-sided":
        return right, wrong, right_size + wrong_size
    along = (delta >= 0) == (alternative == "greater")
    return (right, 0 * wrong, right_size) if along else (0 * right, wrong, wrong_size)


def gathered(delta: float, right: float, wrong: float, size: float, alternative: Alternative) -> Chances:
    """Power counts the right sign only with two sides, as R's power.prop.test and power.t.test do."""
    significant = right + wrong
    power = right if alternative == "two-sided" and delta else significant
    if delta == 0 or significant <= 0:
        return Chances(power, 0.5 if delta == 0 else math.nan, math.nan)
    return Chances(power, wrong / significant, size / significant / abs(delta))


def _density(x: Any) -> Any:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def paired_design(p10: float, p01: float) -> NormalDesign:
    """McNemar's test by the normal formula: variances pd and pd − δ² (Connor 1987, Biometrics 43:207)."""
    delta, differ = p10 - p01, p10 + p01
    return NormalDesign(delta, math.sqrt(differ), math.sqrt(max(0.0, differ - delta**2)))


def two_group_design(p1: float, p2: float) -> NormalDesign:
    """Two proportions, the null variance pooled; a row is one in each group."""
    mean = (p1 + p2) / 2
    return NormalDesign(p1 - p2, math.sqrt(2 * mean * (1 - mean)), math.sqrt(p1 * (1 - p1) + p2 * (1 - p2)))


def area_design(first: float, second: float | None, prevalence: float, correlation: float) -> NormalDesign:
    """One area under the ROC curve against ½, or two areas, by Obuchowski's variance function; rows of both classes."""
    odds = (1 - prevalence) / prevalence
    if second is None:
        delta, null, alternative = first - 0.5, area_variance(0.5, odds), area_variance(first, odds)
    else:
        one, two = area_variance(first, odds), area_variance(second, odds)
        delta, null = first - second, 2 * area_variance((first + second) / 2, odds) * (1 - correlation)
        alternative = one + two - 2 * correlation * math.sqrt(one * two)
    return NormalDesign(delta, math.sqrt(null / prevalence), math.sqrt(alternative / prevalence))


def area_variance(area: float, odds: float) -> float:
    """Variance of an area times the number of positives; `odds` is negatives per positive.

    0.0099·exp(−A²/2)·(5A² + 8 + (A² + 8)/odds), A = 1.414·Φ⁻¹(area), the constants as published (Obuchowski and
    McClish 1997, Stat. Med. 16:1529).
    """
    a = 1.414 * float(special.ndtri(area))
    return 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / odds)


def run_variance(between: float, *, within: tuple[float, float] = (0.0, 0.0), runs: tuple[int, int] = (1, 1)) -> float:
    """Variance of one row's difference when each model answers the row several times: ω² + σA²/KA + σB²/KB.

    >>> design = NormalDesign(0.03, *[run_variance(1 / 9) ** 0.5] * 2)
    >>> import math
    >>> math.ceil(design.rows(0.05, 0.8, "two-sided"))
    969
    """
    return between + within[0] / runs[0] + within[1] / runs[1]
