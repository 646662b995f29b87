"""What a test will find when there is a true difference: how often, with the wrong sign, how exaggerated.

One shape for all planned tests: the power at n rows, and a first guess at how many rows. Of tests on counts the
probability of every outcome that they would call significant is added up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import check_margin, normal_quantile, student_quantile
from trueerror.inference.proportion._distributions import EQUALLY_LIKELY, at_least, at_most, log_pmf, pmf, tango_z
from trueerror.inference.proportion._paired import McNemarMethod
from trueerror.inputs._arrays import open_share
from trueerror.inputs._options import InputError, check_share, check_word
from trueerror.results import Alternative

if TYPE_CHECKING:
    from trueerror.tallies._confusion import Amount

# Nodes for averaging over the standard deviation that a t-test happens to see.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


class DesignAnalysis(NamedTuple):
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

    def analysis(self, n: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
        """At n rows, with the normal test."""
        root = math.sqrt(n)
        cut = normal_quantile(1 - alpha, alternative) * self.null_sd / root
        right, wrong, size = tails(self.delta, self.sd / root, cut, alternative)
        return gathered(self.delta, float(right), float(wrong), float(size), alternative)

    def student_analysis(self, n: float, df: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
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
        return DesignAnalysis(power, rough.wrong_sign, rough.exaggeration)


def tails(delta: float, sd: float, cut: Amount, alternative: Alternative) -> tuple[Any, Any, Any]:
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


def gathered(delta: float, right: float, wrong: float, size: float, alternative: Alternative) -> DesignAnalysis:
    """Power counts the right sign only with two sides, as R's power.prop.test and power.t.test do."""
    significant = right + wrong
    power = right if alternative == "two-sided" and delta else significant
    if delta == 0 or significant <= 0:
        return DesignAnalysis(power, 0.5 if delta == 0 else math.nan, math.nan)
    return DesignAnalysis(power, wrong / significant, size / significant / abs(delta))


def _density(x: Amount) -> Amount:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def paired_design(p10: float, p01: float) -> NormalDesign:
    """McNemar's test by the normal formula: variances pd and pd − δ² (Connor 1987, Biometrics 43:207)."""
    delta, differ = p10 - p01, p10 + p01
    return NormalDesign(delta, math.sqrt(differ), math.sqrt(max(0.0, differ - delta**2)))


def two_group_design(p1: float, p2: float) -> NormalDesign:
    """Two proportions, the null variance pooled; a row is one in each group."""
    mean = (p1 + p2) / 2
    return NormalDesign(p1 - p2, math.sqrt(2 * mean * (1 - mean)), math.sqrt(p1 * (1 - p1) + p2 * (1 - p2)))


def area_design(area: float, prevalence: float) -> NormalDesign:
    """One area under the ROC curve against ½, by the published variance function, as R's pROC plans it."""
    odds = (1 - prevalence) / prevalence
    null, alternative = (published_area_variance(a, odds) / prevalence for a in (0.5, area))
    return NormalDesign(area - 0.5, math.sqrt(null), math.sqrt(alternative))


def published_area_variance(area: float, odds: float) -> float:
    """Variance of an area times the number of positives; `odds` is negatives per positive.

    0.0099·exp(−A²/2)·(5A² + 8 + (A² + 8)/odds), A = 1.414·Φ⁻¹(area), the constants as published (Obuchowski and
    McClish 1997, Stat. Med. 16:1529).
    """
    a = 1.414 * float(special.ndtri(area))
    return 0.0099 * math.exp(-a * a / 2) * (5 * a * a + 8 + (a * a + 8) / odds)


class TwoAreasDesign(NamedTuple):
    """Two areas of scores that are normal with equal spread in each class; `correlation` is that of the two areas.

    They are tested by DeLong's t, whose variance does not assume that there is no difference.
    """

    first: float
    second: float
    prevalence: float
    correlation: float

    def at(self, n: float) -> NormalDesign:
        """Standard deviations a row, at n rows."""
        up, down = self.prevalence, 1 - self.prevalence

        def spread(area: float) -> float:
            unit = binormal_area_variance(area)
            return max(0.0, unit * (1 / up + 1 / down) + (area * (1 - area) - 2 * unit) / (n * up * down))

        one, two = spread(self.first), spread(self.second)
        sd = math.sqrt(max(0.0, one + two - 2 * self.correlation * math.sqrt(one * two)))
        return NormalDesign(self.first - self.second, sd, sd)

    def analysis(self, n: int, alpha: float, alternative: Alternative) -> DesignAnalysis:
        """At n rows, by t on Satterthwaite's degrees of freedom."""
        design, sizes = self.at(n), (n * self.prevalence, n * (1 - self.prevalence))
        if min(sizes) < 2 or not design.sd:
            return design.analysis(n, alpha, alternative)
        df = sum(1 / k for k in sizes) ** 2 / sum(1 / (k * k * (k - 1)) for k in sizes)
        return design.student_analysis(n, df, alpha, alternative)


def binormal_area_variance(area: float) -> float:
    """Q − A²: the variance of the placements of either class when scores are normal with equal spread.

    Q = P(two positives both score above one negative) = A − 2·T(Φ⁻¹(A), 1/√3), T Owen's function, since the two
    differences are normal with correlation ½. The variance of the area is (Q − A²)(1/m + 1/n) + (A(1 − A) − 2(Q −
    A²))/mn (Bamber 1975, J. Math. Psychol. 12:387; Obuchowski 1994, J. Clin. Epidemiol. 47:457, for planning by the
    binormal model; Owen 1956, Ann. Math. Stat. 27:1075).

    >>> round(binormal_area_variance(0.5), 6), round(binormal_area_variance(0.8), 4)
    (0.083333, 0.0472)
    """
    h = float(special.ndtri(area))
    return max(0.0, area - 2 * float(special.owens_t(h, 1 / math.sqrt(3))) - area * area)


Floats = NDArray[np.float64]

# Outcomes further out than this many standard deviations have less than 1e-16 in all.
REACH = 8.6


def mcnemar_power(
    n: int, p10: float, p01: float, alpha: float, method: McNemarMethod, alternative: Alternative
) -> DesignAnalysis:
    """Over all numbers of differing rows and all ways that they split; p10 is P(only the first is right).

    >>> round(mcnemar_power(500, 0.0225, 0.0025, 0.05, "exact", "two-sided").power, 3)
    0.798
    """
    if alternative == "less":
        return mcnemar_power(n, p01, p10, alpha, method, "greater")
    differ, weights = _differing(n, p10 + p01)
    share = p10 / (p10 + p01) if p10 + p01 else 0.5
    k = critical_count(differ, alpha, method, alternative)
    up, up_size = _upper(differ, differ - k, share)
    if alternative == "two-sided":
        down, down_size = _upper(differ, differ - k, 1 - share)
    else:
        down, down_size = np.zeros_like(up), np.zeros_like(up)
    ups, downs = float(weights @ up), float(weights @ down)
    size = float(weights @ (up_size + down_size)) / n if n else 0.0
    delta, significant = p10 - p01, ups + downs
    if significant <= 0 or delta == 0:
        return DesignAnalysis(significant, 0.5 if delta == 0 else math.nan, math.nan)
    return DesignAnalysis(significant, (downs if delta > 0 else ups) / significant, size / significant / abs(delta))


def critical_count(
    differ: NDArray[np.int64], alpha: float, method: McNemarMethod, alternative: Alternative
) -> NDArray[np.int64]:
    """The most that the loser may win for the test to be significant, −1 for none; `differ` are consecutive numbers."""
    z = normal_quantile(1 - alpha, alternative)
    below_half = (differ + 1) // 2 - 1
    if method in ("chi2", "chi2-cc"):
        least_gap = np.ceil(z * np.sqrt(differ)).astype(np.int64)
        most: NDArray[np.int64] = (differ - (method == "chi2-cc") - least_gap) // 2
        return np.clip(most, -1, below_half)
    part = 0.5 if method == "mid-p" else 1.0
    level = alpha / (2 if alternative == "two-sided" else 1) * (1 + 1e-12)
    # A little below the normal answer, from where each goes up as long as the test stays significant.
    k = np.maximum(0, np.floor((differ - z * np.sqrt(differ)) / 2).astype(np.int64) - 2)
    chance = pmf(k, differ, 0.5)
    # P(X ≤ k | m) = P(X ≤ k | m + 1) + P(X = k | m)/2, and k rises by at most one from m to m + 1: running sums of
    # small terms, from the last row on, where the tail is smallest.
    steps = chance[:-1] / 2 - np.diff(k) * chance[1:]
    last = at_most(k[-1:], differ[-1:], 0.5)
    tail = np.cumsum(np.concatenate((last, steps[::-1])))[::-1]
    fits = tail - (1 - part) * chance <= level
    while True:
        following = chance * (differ - k) / (k + 1)
        more = fits & (tail + part * following <= level)
        if not more.any():
            return np.where(fits, np.minimum(k, below_half), -1)
        k, tail, chance = k + more, tail + more * following, np.where(more, following, chance)


def margin_power(n: int, p10: float, p01: float, margin: float, alpha: float, *, both: bool) -> DesignAnalysis:
    """Tango's tests against −margin, and with `both` against +margin too (equivalence)."""
    differ, weights = _differing(n, p10 + p01)
    share = p10 / (p10 + p01) if p10 + p01 else 0.5
    z = -float(special.ndtri(alpha))
    wins = np.empty(len(differ), dtype=np.int64)
    b = 0
    for place, total in enumerate(differ.tolist()):
        # The least number of wins that passes moves little from one total to the next: walk from the last one.
        while b <= total and tango_z(b, total - b, n, -margin) < z:
            b += 1
        while b > 0 and tango_z(b - 1, total - b + 1, n, -margin) >= z:
            b -= 1
        wins[place] = b
    passed = at_least(wins, differ, share)
    if both:
        passed = np.maximum(0.0, passed - at_least(differ - wins + 1, differ, share))
    return DesignAnalysis(min(1.0, float(weights @ passed)), math.nan, math.nan)


def binomial_power(n: int, p: float, p0: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
    """The exact test of one proportion: p is true, p0 is tested."""
    centre, spread = n * p0, math.sqrt(n * p0 * (1 - p0))
    low, high = max(0, math.floor(centre - REACH * spread - 10)), min(n, math.ceil(centre + REACH * spread + 10))
    x = np.arange(low, high + 1)
    accepted = x[~_binomial_significant(x, n, p0, alpha, alternative)]
    chance = pmf(accepted, n, p)
    above = math.floor(centre) + 1

    def part(side: NDArray[np.bool_], total: float, mean: float, sign: float) -> tuple[float, float]:
        kept = float(chance[side].sum())
        if total - kept < 1e-13:  # rounding, where nothing is significant
            return 0.0, 0.0
        size = sign * (mean - centre * total - float(chance[side] @ (accepted[side] - centre)))
        return total - kept, max(0.0, size)

    over, over_mean = float(at_least(above, n, p)), n * p * float(at_least(above - 1, n - 1, p))
    up, up_size = part(accepted >= above, over, over_mean, 1.0)
    down, down_size = part(accepted < above, 1 - over, n * p - over_mean, -1.0)
    if alternative == "greater":
        down = down_size = 0.0
    elif alternative == "less":
        up = up_size = 0.0
    delta, significant = p - p0, up + down
    if significant <= 0 or delta == 0:
        return DesignAnalysis(significant, 0.5 if delta == 0 else math.nan, math.nan)
    wrong = down if delta > 0 else up
    return DesignAnalysis(significant, wrong / significant, (up_size + down_size) / n / significant / abs(delta))


def _binomial_significant(
    x: NDArray[np.int64], n: int, p0: float, alpha: float, alternative: Alternative
) -> NDArray[np.bool_]:
    if alternative == "greater":
        return at_least(x, n, p0) <= alpha
    if alternative == "less":
        return at_most(x, n, p0) <= alpha
    # Minimum likelihood: each outcome's p-value is the total of those at most as likely.
    chance = pmf(x, n, p0)
    ranked = np.sort(chance)
    totals = np.concatenate(([0.0], np.cumsum(ranked)))
    return totals[np.searchsorted(ranked, chance * EQUALLY_LIKELY, side="right")] <= alpha


def _differing(n: int, share: float) -> tuple[NDArray[np.int64], Floats]:
    """The numbers of differing rows that can be expected, and their probabilities."""
    centre, spread = n * share, math.sqrt(n * share * (1 - share))
    low, high = max(0, math.floor(centre - REACH * spread - 10)), min(n, math.ceil(centre + REACH * spread + 10))
    differ = np.arange(low, high + 1)
    return differ, np.exp(log_pmf(differ, n, share))


def _upper(differ: NDArray[np.int64], from_: NDArray[np.int64], share: float) -> tuple[Floats, Floats]:
    """P(wins ≥ from) and E(2·wins − differ; wins ≥ from); from above `differ` means never."""
    chance = at_least(from_, differ, share)
    # E(wins; wins ≥ from) = differ·share·P(wins ≥ from) + from·(1 − share)·P(wins = from).
    edge = from_ * (1 - share) * pmf(from_, differ, share)
    return chance, differ * (2 * share - 1) * chance + 2 * edge


def smallest_n(power_at: Callable[[int], float], target: float, start: float) -> int | None:
    """The first n, from below, at which the power reaches the target; None when a trillion rows do not.

    Power rises with n but for small teeth; the search ends where one row less would miss the target.
    """
    high = max(2, math.ceil(start))
    while power_at(high) < target:
        high *= 2
        if high > 10**12:
            return None
    low = 1 if high == 2 else high // 2
    while low > 1 and power_at(low) >= target:
        high, low = low, max(1, low // 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= target else (middle, high)
    return low if power_at(low) >= target else high


PlannedTest = Literal[
    "mcnemar", "two-proportions", "one-proportion", "auc", "equivalence", "noninferiority",
    "paired-mean", "paired-t", "unpaired-t",
]  # fmt: skip
PlannedMethod = Literal["mid-p", "exact", "chi2", "chi2-cc", "normal"]

# With more differing rows than this, enumeration and the normal formula agree to the fourth decimal.
ENUMERATE_UP_TO = 100_000


class PowerOptions(NamedTuple):
    """What the caller said, unchecked."""

    first: float | None
    second: float | None
    disagreement: float | None
    prevalence: float | None
    margin: float | None
    alpha: float
    alternative: Alternative
    method: PlannedMethod | None
    correlation: float | None
    sd: float | None


class PowerPlan(NamedTuple):
    """One test of one true difference; `groups` is 2 where n is the rows of each of two groups."""

    at: Callable[[int], DesignAnalysis]
    guess: Callable[[float], float]
    first: float
    second: float
    method: str
    note: str = ""
    groups: int = 1
    # Whether the normal formula's answer is a lower bound for the rows that are asked for.
    formula_counts: bool = False
    fewest_rows: int = 1


def power_plan(test: PlannedTest, options: PowerOptions) -> PowerPlan:
    """The plan of a test, with every option checked."""
    check_word(test, MAKERS, "test")
    open_share(options.alpha, "alpha")
    for name in ("disagreement", "prevalence", "margin", "method", "correlation", "sd"):
        if getattr(options, name) is not None and name not in USED.get(test, ()):
            takes = " and ".join(f"{used}=" for used in USED.get(test, ()))
            raise InputError(f"{name}= says nothing to test={test!r}, which takes {takes or 'the two values alone'}")
    plan = MAKERS[test](options)
    return plan._replace(at=cache(plan.at))


# What each test looks at besides the two values, the level and the alternative.
USED: dict[str, tuple[str, ...]] = {
    "mcnemar": ("disagreement", "method"),
    "auc": ("prevalence", "correlation"),
    "equivalence": ("disagreement", "margin"),
    "noninferiority": ("disagreement", "margin"),
    **dict.fromkeys(("paired-mean", "paired-t", "unpaired-t"), ("sd",)),
}


def _mcnemar(o: PowerOptions) -> PowerPlan:
    first, second = _accuracies(o)
    p10, p01, note = _discordant(o, first, second)
    method = "mid-p" if o.method is None else o.method
    check_word(method, ("mid-p", "exact", "chi2", "chi2-cc", "normal"), "method")
    design = paired_design(p10, p01)

    def analysis(n: int) -> DesignAnalysis:
        if method == "normal" or n * (p10 + p01) > ENUMERATE_UP_TO:
            return design.analysis(n, o.alpha, o.alternative)
        return mcnemar_power(n, p10, p01, o.alpha, method, o.alternative)

    key = "power-mcnemar-normal" if method == "normal" else "power-mcnemar"
    note = "; ".join(part for part in ("" if method == "normal" else f"{method} test", note) if part)
    return PowerPlan(analysis, _guess(design, o), first, second, key, note, formula_counts=True)


def _two_proportions(o: PowerOptions) -> PowerPlan:
    first, second = _accuracies(o)
    design = two_group_design(first, second)
    return PowerPlan(
        _normal(design, o), _guess(design, o), first, second, "power-two-proportions", "n rows in each group", groups=2
    )


def _one_proportion(o: PowerOptions) -> PowerPlan:
    first, second = _accuracies(o, "the true proportion", "the proportion that is tested, p0")
    open_share(second, "second")
    design = NormalDesign(first - second, math.sqrt(second * (1 - second)), math.sqrt(first * (1 - first)))

    def analysis(n: int) -> DesignAnalysis:
        return binomial_power(n, first, second, o.alpha, o.alternative)

    return PowerPlan(analysis, _guess(design, o), first, second, "power-one-proportion")


def _auc(o: PowerOptions) -> PowerPlan:
    first = open_share(_needed(o.first, "first", "the area under the ROC curve"), "first")
    second = None if o.second is None else open_share(o.second, "second")
    notes = []
    prevalence, correlation = o.prevalence, o.correlation
    if prevalence is None:
        prevalence = 0.5
        notes.append("half of the rows taken as positive: give prevalence=")
    if correlation is None:
        correlation = 0.0
        if second is not None:
            notes.append(
                "the two areas taken as uncorrelated, as on different rows; on the same rows give correlation="
            )
    if not 0 <= correlation < 1:
        raise InputError(f"correlation={correlation!r} must lie in [0, 1)")
    share = open_share(prevalence, "prevalence")
    if second is None:
        one = area_design(first, share)
        return PowerPlan(_normal(one, o), _guess(one, o), first, 0.5, "power-auc-chance", "; ".join(notes))
    two = TwoAreasDesign(first, second, share, correlation)

    def analysis(n: int) -> DesignAnalysis:
        return two.analysis(n, o.alpha, o.alternative)

    guess = _guess(two.at(math.inf), o)
    return PowerPlan(analysis, guess, first, second, "power-auc", "; ".join(notes), fewest_rows=2)


def _margin_plan(o: PowerOptions, *, both: bool) -> PowerPlan:
    first = check_share(_needed(o.first, "first", "the accuracy of the first model"), "first")
    second = first if o.second is None else check_share(o.second, "second")
    if o.margin is None:
        raise InputError("margin= is needed: how large a difference still does not matter?")
    margin = check_margin(o.margin)
    p10, p01, note = _discordant(o, first, second)
    room = margin - abs(first - second) if both else margin + first - second
    if room <= 0:
        raise InputError(f"the true difference {first - second:+g} lies outside the margin {margin:g}")
    spread = math.sqrt(max(0.0, p10 + p01 - (p10 - p01) ** 2))
    design = NormalDesign(room, spread, spread)

    def analysis(n: int) -> DesignAnalysis:
        return margin_power(n, p10, p01, margin, o.alpha, both=both)

    def guess(power: float) -> float:
        # A model and its twin never differ: then only the z²·(1 − margin)/margin rows of Tango's test are needed.
        return max(2 / margin, design.rows(o.alpha, power, "greater"))

    return PowerPlan(analysis, guess, first, second, "power-equivalence" if both else "power-noninferiority", note)


def _means(o: PowerOptions, *, kind: str) -> PowerPlan:
    first, second = _needed(o.first, "first", "a mean"), o.second if o.second is not None else 0.0
    if o.sd is None or not (math.isfinite(o.sd) and o.sd > 0):
        raise InputError(f"sd={o.sd!r} must be a positive number: the standard deviation of the row differences")
    groups = 2 if kind == "unpaired-t" else 1
    sd = o.sd * math.sqrt(groups)
    design = NormalDesign(first - second, sd, sd)
    if kind == "paired-mean":
        return PowerPlan(_normal(design, o), _guess(design, o), first, second, "power-paired-mean")

    def analysis(n: int) -> DesignAnalysis:
        return design.student_analysis(n, float(groups * (n - 1)), o.alpha, o.alternative)

    note = "n values in each group" if groups == 2 else ""
    return PowerPlan(analysis, _guess(design, o), first, second, "power-t", note, groups=groups, fewest_rows=2)


MAKERS: dict[str, Callable[[PowerOptions], PowerPlan]] = {
    "mcnemar": _mcnemar,
    "two-proportions": _two_proportions,
    "one-proportion": _one_proportion,
    "auc": _auc,
    "equivalence": lambda o: _margin_plan(o, both=True),
    "noninferiority": lambda o: _margin_plan(o, both=False),
    "paired-mean": lambda o: _means(o, kind="paired-mean"),
    "paired-t": lambda o: _means(o, kind="paired-t"),
    "unpaired-t": lambda o: _means(o, kind="unpaired-t"),
}


def _normal(design: NormalDesign, o: PowerOptions) -> Callable[[int], DesignAnalysis]:
    return lambda n: design.analysis(n, o.alpha, o.alternative)


def _guess(design: NormalDesign, o: PowerOptions) -> Callable[[float], float]:
    return lambda power: design.rows(o.alpha, power, o.alternative) if design.delta else math.inf


def _needed(value: float | None, name: str, what: str) -> float:
    if value is None:
        raise InputError(f"{name}= is needed: {what}")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name}={value!r} must be a number")
    return number


def _accuracies(
    o: PowerOptions,
    what_first: str = "the accuracy of the first model",
    what_second: str = "the accuracy of the second",
) -> tuple[float, float]:
    first = check_share(_needed(o.first, "first", what_first), "first")
    return first, check_share(_needed(o.second, "second", what_second), "second")


def _discordant(o: PowerOptions, first: float, second: float) -> tuple[float, float, str]:
    """P(only the first is right), P(only the second is right)."""
    note = ""
    if o.disagreement is None:
        differ = first * (1 - second) + second * (1 - first)
        note = f"errors taken as independent (disagreement {differ:.3g}); models that err together need fewer rows"
    else:
        differ = check_share(o.disagreement, "disagreement")
    gap, most = abs(first - second), min(first + second, 2 - first - second)
    # Rounding must not refuse an exact bound such as 0.82 − 0.80.
    slack = 1e-9
    if not gap - slack <= differ <= most + slack:
        raise InputError(
            f"disagreement={differ:g} is not possible with accuracies {first:g} and {second:g}: "
            f"it lies between {gap:g} and {most:g}"
        )
    low = max(0.0, (differ - gap) / 2)
    return (low + gap, low, note) if first >= second else (low, low + gap, note)
