"""What a test will find when there is a true difference: how often, with the wrong sign, how exaggerated.

Tests on counts are enumerated: the probability of every outcome that they would call significant is added up. Others
have an estimate that is normal, judged by z or by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import check_margin, student_quantile
from trueerror.inference.proportion._distributions import EQUALLY_LIKELY, at_least, at_most, first_true, pmf, tango_z
from trueerror.inference.proportion._paired import McNemarMethod
from trueerror.inputs._arrays import Floats, open_share
from trueerror.inputs._groups import Group, option
from trueerror.inputs._options import InputError, check_alternative, check_share, check_word
from trueerror.results import Alternative

if TYPE_CHECKING:
    from trueerror.tallies._confusion import Amount

Counts = NDArray[np.int64]


@cache
def averaging_nodes() -> tuple[Floats, Floats]:
    """Nodes and weights for averaging over the standard deviation that a t-test happens to see."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    return nodes, weights


class DesignAnalysis(NamedTuple):
    """power: P(significant); wrong_sign: P(wrong sign | significant); exaggeration: E(|estimate| | significant)/|true|.

    The last two are Gelman and Carlin's type S and type M errors (2014, Perspect. Psychol. Sci. 9:641).
    """

    power: float
    wrong_sign: float = math.nan
    exaggeration: float = math.nan

    @classmethod
    def of(cls, delta: float, right: Any, wrong: Any, size: Any, power: float | None = None) -> DesignAnalysis:
        """From P(significant, right sign), P(significant, wrong sign) and E(|estimate|; significant)."""
        significant = float(right + wrong)
        power = significant if power is None else power
        if delta == 0 or significant <= 0:
            return cls(power, 0.5 if delta == 0 else math.nan)
        return cls(power, float(wrong) / significant, float(size) / significant / abs(delta))


class NormalDesign(NamedTuple):
    """A difference whose estimate is normal: its size, and standard deviations a row under none and under it.

    For two groups a row is one row in each.
    """

    delta: float
    null_sd: float
    sd: float

    def towards(self, alternative: Alternative) -> float:
        """The difference in the direction that the test looks."""
        return {"two-sided": abs(self.delta), "greater": self.delta, "less": -self.delta}[alternative]

    def rows(self, alpha: float, power: float, alternative: Alternative) -> float:
        """((z_α·null_sd + z_β·sd)/δ)², not rounded; infinite where there is no difference to be found.

        >>> round(NormalDesign(0.02, 0.1**0.5, (0.1 - 0.02**2) ** 0.5).rows(0.05, 0.8, "two-sided"))
        1960
        """
        if self.towards(alternative) <= 0:
            return math.inf
        z = student_quantile(1 - alpha, alternative)
        return ((z * self.null_sd + float(special.ndtri(power)) * self.sd) / self.delta) ** 2

    def analysis(self, n: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
        """At n rows, with the normal test.

        Power counts the right sign only with two sides, as R's power.prop.test and power.t.test do.
        """
        root = math.sqrt(n)
        cut = student_quantile(1 - alpha, alternative) * self.null_sd / root
        right, wrong, size = tails(self.delta, self.sd / root, cut, alternative)
        power = float(right) if alternative == "two-sided" and self.delta else None
        return DesignAnalysis.of(self.delta, right, wrong, size, power)

    def student_analysis(self, n: float, df: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
        """At n rows, with a t-test on `df` degrees of freedom (non-central t)."""
        error = self.sd / math.sqrt(n)
        critical = student_quantile(1 - alpha, alternative, df)
        shift = self.towards(alternative) / error
        # Given the standard deviation that is seen, the estimate is normal and the cut is fixed.
        nodes, weights = averaging_nodes()
        seen = error * np.sqrt(special.chdtri(df, (1 - nodes) / 2) / df)
        right, wrong, size = (weights @ part / 2 for part in tails(self.delta, error, critical * seen, alternative))
        return DesignAnalysis.of(self.delta, right, wrong, size, float(special.nctdtr(df, -shift, -critical)))


def tails(delta: float, sd: float, cut: Amount, alternative: Alternative) -> tuple[Any, Any, Any]:
    """P(significant, right sign), P(significant, wrong sign) and E(|estimate|; significant) for N(δ, sd²).

    One-sided tests have one tail only: that of the alternative, right or wrong as δ lies.
    """
    d = abs(delta)
    # Rates of 0 and 1 leave the estimate no spread: a hair of one gives the limit of all that follows.
    sd = max(sd, 1e-12 * max(d, 1e-12))

    def tail(mean: float) -> tuple[Any, Any]:
        far = (mean - cut) / sd
        return special.ndtr(far), mean * special.ndtr(far) + sd * np.exp(-far * far / 2) / math.sqrt(2 * math.pi)

    (right, right_size), (wrong, wrong_size) = tail(d), tail(-d)
    if alternative == "two-sided":
        return right, wrong, right_size + wrong_size
    along = (delta >= 0) == (alternative == "greater")
    return (right, 0 * wrong, right_size) if along else (0 * right, wrong, wrong_size)


def paired_design(p10: float, p01: float) -> NormalDesign:
    """McNemar's test by the normal formula: variances pd and pd − δ² (Connor 1987, Biometrics 43:207)."""
    delta, differ = p10 - p01, p10 + p01
    return NormalDesign(delta, math.sqrt(differ), math.sqrt(max(0.0, differ - delta**2)))


def two_group_design(p1: float, p2: float) -> NormalDesign:
    """Two proportions, the null variance pooled; a row is one in each group."""
    mean = (p1 + p2) / 2
    return NormalDesign(p1 - p2, math.sqrt(2 * mean * (1 - mean)), math.sqrt(p1 * (1 - p1) + p2 * (1 - p2)))


def area_design(area: float, prevalence: float) -> NormalDesign:
    """One area under the ROC curve against ½, by the published variance function, as R's pROC plans it.

    The variance times the number of positives is 0.0099·exp(−A²/2)·(5A² + 8 + (A² + 8)/odds), A = 1.414·Φ⁻¹(area),
    the constants as published; odds are negatives per positive (Obuchowski and McClish 1997, Stat. Med. 16:1529).
    """

    def sd(area: float) -> float:
        a2 = (1.414 * float(special.ndtri(area))) ** 2
        odds = (1 - prevalence) / prevalence
        return math.sqrt(0.0099 * math.exp(-a2 / 2) * (5 * a2 + 8 + (a2 + 8) / odds) / prevalence)

    return NormalDesign(area - 0.5, sd(0.5), sd(area))


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

    def analysis(self, n: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
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


def likely_counts(n: int, share: float) -> Counts:
    """Every count of n rows that can be expected: what lies beyond has less probability than rounding."""
    spread = -float(special.ndtri(np.finfo(np.float64).eps)) * (math.sqrt(n * share * (1 - share)) + 1)
    return np.arange(max(0, math.floor(n * share - spread)), min(n, math.ceil(n * share + spread)) + 1)


def enumerated(
    delta: float, share: float, null: float, of: Counts, least: Counts, most: Counts, *, weights: Amount, each: float
) -> DesignAnalysis:  # fmt: skip
    """Trials are won with probability `share`; `least` wins and more, `most` and fewer are significant against `null`.

    There are `of` trials with these `weights`, and a win more adds `each` to the estimate.
    E(wins; wins ≥ k) = m·p·P(wins ≥ k) + k·(1 − p)·P(wins = k).
    """

    def beyond(share: float, null: float, least: Counts) -> tuple[float, float]:
        chance, edge = at_least(least, of, share), least * (1 - share) * pmf(least, of, share)
        return float(np.sum(weights * chance)), float(np.sum(weights * (of * (share - null) * chance + edge)))

    (up, up_size), (down, down_size) = beyond(share, null, least), beyond(1 - share, 1 - null, of - most)
    right, wrong = (up, down) if share >= null else (down, up)
    return DesignAnalysis.of(delta, right, wrong, each * (up_size + down_size))


def mcnemar_power(
    n: int, p10: float, p01: float, alpha: float, method: McNemarMethod, alternative: Alternative
) -> DesignAnalysis:
    """Over all numbers of differing rows and all ways that they split; p10 is P(only the first is right).

    >>> round(mcnemar_power(500, 0.0225, 0.0025, 0.05, "exact", "two-sided").power, 3)
    0.798
    """
    if alternative == "less":
        return mcnemar_power(n, p01, p10, alpha, method, "greater")
    differ, weights, share = _differing(n, p10, p01)
    lost = critical_count(differ, alpha, method, alternative)
    most = lost if alternative == "two-sided" else np.full_like(lost, -1)
    return enumerated(p10 - p01, share, 0.5, differ, differ - lost, most, weights=weights, each=2 / n)


def critical_count(differ: Counts, alpha: float, method: McNemarMethod, alternative: Alternative) -> Counts:
    """The most that the loser may win for the test to be significant, −1 for none; `differ` are consecutive numbers."""
    z = student_quantile(1 - alpha, alternative)
    below_half = (differ + 1) // 2 - 1
    if method in ("chi2", "chi2-cc"):
        least_gap = np.ceil(z * np.sqrt(differ)).astype(np.int64)
        most: Counts = (differ - (method == "chi2-cc") - least_gap) // 2
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
    differ, weights, share = _differing(n, p10, p01)
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
    return DesignAnalysis(min(1.0, float(weights @ passed)))


def _differing(n: int, p10: float, p01: float) -> tuple[Counts, Floats, float]:
    """The numbers of differing rows that can be expected, their probabilities, and the first model's share of them."""
    differ = likely_counts(n, p10 + p01)
    return differ, pmf(differ, n, p10 + p01), p10 / (p10 + p01) if p10 + p01 else 0.5


def binomial_power(n: int, p: float, p0: float, alpha: float, alternative: Alternative) -> DesignAnalysis:
    """The exact test of one proportion: p is true, p0 is tested.

    With two sides each outcome's p-value is the total of those at most as likely (minimum likelihood).
    """
    x = likely_counts(n, p0)
    if alternative == "two-sided":
        chance = pmf(x, n, p0)
        ranked = np.sort(chance)
        totals = np.concatenate(([0.0], np.cumsum(ranked)))
        p_values = totals[np.searchsorted(ranked, chance * EQUALLY_LIKELY, side="right")]
    else:
        p_values = (at_least if alternative == "greater" else at_most)(x, n, p0)
    kept = x[p_values > alpha]
    least, most = (n + 1 if alternative == "less" else kept[-1] + 1), (-1 if alternative == "greater" else kept[0] - 1)
    trials, least, most = np.array([[n], [least], [most]])
    return enumerated(p - p0, p, p0, trials, least, most, weights=1.0, each=1 / n)


PlannedTest = Literal[
    "mcnemar", "two-proportions", "one-proportion", "auc", "equivalence", "noninferiority",
    "paired-mean", "paired-t", "unpaired-t",
]  # fmt: skip
PlannedMethod = Literal["mid-p", "exact", "chi2", "chi2-cc", "normal"]

# With more differing rows than this, enumeration and the normal formula agree to the fourth decimal.
ENUMERATE_UP_TO = 100_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PowerOptions(Group):
    """What the caller said of the test that is planned, unchecked."""

    test: PlannedTest = option(
        "mcnemar",
        "mcnemar (two models on the same rows), two-proportions (on different rows), one-proportion, auc, "
        "equivalence, noninferiority, paired-mean, paired-t or unpaired-t.",
        "WORD",
    )
    first: float | None = option(None, "Accuracy (or AUC, or mean) of the first.", "NUMBER", float)
    second: float | None = option(None, "Accuracy (or AUC, or mean) of the second.", "NUMBER", float)
    disagreement: float | None = option(None, "Share of rows that only one of two models gets right.", "SHARE", float)
    prevalence: float | None = option(None, "For auc: share of positives.", "SHARE", float)
    icc: float | None = option(
        None,
        "For clustered rows: the correlation of two rows of a cluster, of being right, or of the differences where "
        "two models share the rows.",
        "SHARE",
        float,
    )
    icc_right: float | None = option(
        None, "Instead of `icc` for two models: correlation of one model with itself.", "SHARE", float
    )
    icc_between: float | None = option(
        None, "With `icc_right`: correlation of one model with the other.", "SHARE", float
    )
    cluster_size: float | None = option(None, "For clustered rows: rows in a cluster.", "NUMBER", float)
    margin: float | None = option(
        None, "For equivalence, noninferiority: the largest difference that does not matter.", "NUMBER", float
    )
    alpha: float = option(0.05, "Significance level.", "SHARE", float)
    alternative: Alternative = option("two-sided", "Side of the test: two-sided, greater or less.", "WORD")
    method: PlannedMethod | None = option(None, "For mcnemar: mid-p, exact, chi2, chi2-cc or normal.", "WORD")
    correlation: float | None = option(None, "For auc on the same rows: correlation of the two areas.", "NUMBER", float)
    sd: float | None = option(None, "For means: standard deviation of a difference.", "NUMBER", float)

    def needed(self, name: str, what: str) -> float:
        """A number that the test cannot do without."""
        value = getattr(self, name)
        if value is None:
            raise InputError(f"{name}= is needed: {what}")
        if not math.isfinite(float(value)):
            raise InputError(f"{name}={value!r} must be a number")
        return float(value)

    def shares(self, first: str = "the accuracy of the first model", second: str = "the accuracy of the second") -> Any:
        """Both values, which are shares."""
        return check_share(self.needed("first", first), "first"), check_share(self.needed("second", second), "second")

    def discordant(self, first: float, second: float) -> tuple[float, float, str]:
        """P(only the first is right), P(only the second is right), and what was taken for granted."""
        note = ""
        if self.disagreement is None:
            differ = first * (1 - second) + second * (1 - first)
            note = f"errors taken as independent (disagreement {differ:.3g}); models that err together need fewer rows"
        else:
            differ = check_share(self.disagreement, "disagreement")
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


@dataclass(frozen=True)
class PowerPlan:
    """One test of one true difference; `groups` is 2 where n is the rows of each of two groups.

    `design` is its normal form, `exact` what the test finds at n rows where the normal form does not say. Fewer than
    `least` rows cannot be tested; the search for n begins at `start` or above. `formula_counts`: the normal form's
    answer is a lower bound for the rows that are asked for.
    """

    options: PowerOptions
    design: NormalDesign
    first: float
    second: float
    key: str
    note: str = ""
    exact: Callable[[int], DesignAnalysis] | None = None
    groups: int = 1
    least: int = 1
    start: float = 0.0
    formula_counts: bool = False

    @cached_property
    def verdict(self) -> Callable[[int], DesignAnalysis]:
        """What so many rows find."""
        o = self.options
        return cache(self.exact or (lambda n: self.design.analysis(n, o.alpha, o.alternative)))

    def power(self, n: int) -> float:
        """The power of n rows; 0 where they are too few to be tested."""
        power = self.verdict(n).power if n >= self.least else math.nan
        return 0.0 if math.isnan(power) else power

    def rows(self, target: float) -> int:
        """The first n, from below, at which the power reaches the target.

        Power rises with n but for small teeth; the search ends where one row less would miss the target.
        """

        def reached(n: int) -> bool:
            if n >= 10**12:
                raise InputError("more than 10^12 rows would be needed; the difference is too small to be shown")
            return self.power(n) >= target

        target -= 4 * np.finfo(np.float64).eps  # sums of probabilities round
        by_formula = self.design.rows(self.options.alpha, target, self.options.alternative)
        high = max(1, math.ceil(min(max(self.start, by_formula), 1e12)))
        if self.formula_counts and reached(high):
            return high
        high = max(2, high)
        while not reached(high):
            high *= 2
        low = max(self.least, high // 2)
        while low > self.least and reached(low):
            high, low = low, max(self.least, low // 2)
        return low if reached(low) else first_true(reached, low, high)


def power_plan(options: PowerOptions) -> PowerPlan:
    """The plan of a test, with every option checked."""
    check_word(options.test, TESTS, "test")
    check_alternative(options.alternative)
    open_share(options.alpha, "alpha")
    make, used = TESTS[options.test]
    for name in ("disagreement", "prevalence", "margin", "method", "correlation", "sd"):
        if getattr(options, name) is not None and name not in used:
            takes = " and ".join(f"{option}=" for option in used) or "the two values alone"
            raise InputError(f"{name}= has no effect on test={options.test!r}, which takes {takes}")
    return make(options)


def _mcnemar(o: PowerOptions) -> PowerPlan:
    first, second = o.shares()
    p10, p01, note = o.discordant(first, second)
    method = "mid-p" if o.method is None else o.method
    check_word(method, ("mid-p", "exact", "chi2", "chi2-cc", "normal"), "method")
    design = paired_design(p10, p01)

    def exact(n: int) -> DesignAnalysis:
        if method == "normal" or n * (p10 + p01) > ENUMERATE_UP_TO:
            return design.analysis(n, o.alpha, o.alternative)
        return mcnemar_power(n, p10, p01, o.alpha, method, o.alternative)

    key, by = ("power-mcnemar-normal", "") if method == "normal" else ("power-mcnemar", f"{method} test")
    note = "; ".join(filter(None, (by, note)))
    return PowerPlan(o, design, first, second, key, note, exact, formula_counts=True)


def _two_proportions(o: PowerOptions) -> PowerPlan:
    first, second = o.shares()
    design, note = two_group_design(first, second), "n rows in each group"
    return PowerPlan(o, design, first, second, "power-two-proportions", note, groups=2)


def _one_proportion(o: PowerOptions) -> PowerPlan:
    first, second = o.shares("the true proportion", "the proportion that is tested, p0")
    open_share(second, "second")
    design = NormalDesign(first - second, math.sqrt(second * (1 - second)), math.sqrt(first * (1 - first)))
    return PowerPlan(
        o, design, first, second, "power-one-proportion",
        exact=lambda n: binomial_power(n, first, second, o.alpha, o.alternative),
    )  # fmt: skip


def _auc(o: PowerOptions) -> PowerPlan:
    first = open_share(o.needed("first", "the area under the ROC curve"), "first")
    second = None if o.second is None else open_share(o.second, "second")
    notes = []
    if o.prevalence is None:
        notes.append("half of the rows taken as positive: give prevalence=")
    if o.correlation is None and second is not None:
        notes.append("the two areas taken as uncorrelated, as on different rows; on the same rows give correlation=")
    correlation = 0.0 if o.correlation is None else o.correlation
    if not 0 <= correlation < 1:
        raise InputError(f"correlation={correlation!r} must lie in [0, 1)")
    share, note = open_share(0.5 if o.prevalence is None else o.prevalence, "prevalence"), "; ".join(notes)
    if second is None:
        return PowerPlan(o, area_design(first, share), first, 0.5, "power-auc-chance", note)
    two = TwoAreasDesign(first, second, share, correlation)
    return PowerPlan(
        o, two.at(math.inf), first, second, "power-auc", note, lambda n: two.analysis(n, o.alpha, o.alternative),
        least=2,
    )  # fmt: skip


def _within_margin(o: PowerOptions, *, both: bool) -> PowerPlan:
    first = check_share(o.needed("first", "the accuracy of the first model"), "first")
    second = first if o.second is None else check_share(o.second, "second")
    margin = check_margin(o.needed("margin", "how large a difference still does not matter?"))
    p10, p01, note = o.discordant(first, second)
    room = margin - abs(first - second) if both else margin + first - second
    if room <= 0:
        raise InputError(f"the true difference {first - second:+g} lies outside the margin {margin:g}")
    spread = paired_design(p10, p01).sd
    return PowerPlan(
        replace(o, alternative="greater"), NormalDesign(room, spread, spread), first, second,
        "power-equivalence" if both else "power-noninferiority", note,
        lambda n: margin_power(n, p10, p01, margin, o.alpha, both=both),
        # A model and its twin never differ: then only the z²·(1 − margin)/margin rows of Tango's test are needed.
        start=2 / margin,
    )  # fmt: skip


def _means(o: PowerOptions, *, groups: int = 1, student: bool = True) -> PowerPlan:
    first, second = o.needed("first", "a mean"), o.second if o.second is not None else 0.0
    if o.sd is None or not (math.isfinite(o.sd) and o.sd > 0):
        raise InputError(f"sd={o.sd!r} must be a positive number: the standard deviation of the row differences")
    sd = o.sd * math.sqrt(groups)
    design = NormalDesign(first - second, sd, sd)

    if not student:
        return PowerPlan(o, design, first, second, "power-paired-mean")
    return PowerPlan(
        o, design, first, second, "power-t", "n values in each group" if groups == 2 else "",
        lambda n: design.student_analysis(n, groups * (n - 1.0), o.alpha, o.alternative), groups, least=2,
    )  # fmt: skip


# Each test, and what it looks at besides the two values, the level and the alternative.
TESTS: dict[str, tuple[Callable[[PowerOptions], PowerPlan], tuple[str, ...]]] = {
    "mcnemar": (_mcnemar, ("disagreement", "method")),
    "two-proportions": (_two_proportions, ()),
    "one-proportion": (_one_proportion, ()),
    "auc": (_auc, ("prevalence", "correlation")),
    "equivalence": (partial(_within_margin, both=True), ("disagreement", "margin")),
    "noninferiority": (partial(_within_margin, both=False), ("disagreement", "margin")),
    "paired-mean": (partial(_means, student=False), ("sd",)),
    "paired-t": (_means, ("sd",)),
    "unpaired-t": (partial(_means, groups=2), ("sd",)),
}
