"""How many rows? Power, sample size and the smallest difference that can be found."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, replace
from typing import NamedTuple

from scipy import special

from trueerror.inference._contrast import student_quantile
from trueerror.inference.power._designs import TESTS, PlannedMethod, PlannedTest, PowerOptions, PowerPlan, power_plan
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._arrays import count, one_number, open_share
from trueerror.inputs._groups import asked_by, option
from trueerror.inputs._options import InputError, check_share, check_word
from trueerror.results import Alternative, Result, Table
from trueerror.results._format import folded, in_points, number, percent, percents, real_minus, whole

# Tests of shares, whose differences are told in points.
SHARES = ("mcnemar", "two-proportions", "one-proportion", "equivalence", "noninferiority")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Power(Result):
    """A plan: n rows find the difference first − second with this power at level alpha.

    `wrong_sign` is the chance that a significant result points the wrong way, `exaggeration` how many times too large a
    significant difference is on average; both NaN where they have no meaning. `groups` is 2 where n rows are needed in
    each of two groups. `design_effect` is how many clustered rows count as one independent row.
    """

    test: str
    n: int
    power: float
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    first: float
    second: float
    difference: float
    wrong_sign: float = math.nan
    exaggeration: float = math.nan
    margin: float | None = None
    half_width: float | None = None
    groups: int = 1
    design_effect: float = 1.0
    method: str = ""
    note: str = ""

    def _table(self) -> Table:
        """What was planned, in a few columns; `records` has everything."""
        cells = {"test": self.test, "rows" + (" in each group" if self.groups == 2 else ""): whole(self.n)}
        if self.half_width is not None:
            cells |= {"accuracy": number(self.first), "half-width": number(self.half_width)}
            cells["confidence"] = percent(1 - self.alpha)
        else:
            cells |= {"first": number(self.first), "second": number(self.second)}
            cells |= {"difference": real_minus(f"{self.difference:+.3g}")}
            cells |= {} if self.margin is None else {"margin": f"{self.margin:g}"}
            cells |= {"level": percent(self.alpha), "power": number(self.power)}
        if not math.isnan(self.exaggeration):
            cells |= {"wrong sign": number(self.wrong_sign), "times too large": f"{self.exaggeration:.2f}"}
        return Table(columns=tuple(cells), rows=(tuple(cells.values()),))

    @property
    def goal(self) -> str:
        """What the rows are for, and how surely they reach it."""
        rows = f"{whole(self.n)} rows{' in each group' if self.groups == 2 else ''}"
        level = percent(round(1 - self.alpha, 6))
        if self.half_width is not None:
            reach = f"±{100 * self.half_width:.3g} points ({level} interval)"
            return f"{rows}: an accuracy near {100 * self.first:.1f} % is then known to {reach}."
        chance = "> 99.5" if self.power > 0.995 else "< 0.5" if self.power < 0.005 else percents(self.power, 0)
        often = f"with {chance} % power at the {percent(self.alpha)} level"
        if self.test in SHARES:
            gap = f"{in_points(self.difference)} points ({100 * self.first:.1f} % against {100 * self.second:.1f} %)"
        else:
            gap = f"{real_minus(f'{self.difference:+.3g}')} ({number(self.first)} against {number(self.second)})"
        if self.margin is None:
            return f"{rows} find a difference of {gap} {often}."
        within = f"{100 * self.margin:.3g} points"
        return f"{rows} show {self.test} within {within}, with a true difference of {gap}, {often}."

    @property
    def caution(self) -> str:
        """How misleading a significant result would be."""
        if math.isnan(self.exaggeration):
            return ""
        sign = "its sign is almost surely right"
        if not self.wrong_sign < 0.001:
            sign = f"its sign is wrong with probability {number(self.wrong_sign)}"
        large = f"the estimate will be {self.exaggeration:.2f} times too large on average"
        return f" If the result is significant, {sign}; {large}."

    def __str__(self) -> str:
        return folded(f"{self.goal}{self.caution}" + (f"\nNote: {self.note}." if self.note else ""))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PowerAsked(PowerOptions):
    """The rows that there are."""

    n: int = option(MISSING, "Rows (in each group, for two groups).", "N", int)


@asked_by(PowerAsked)
def power(asked: PowerAsked) -> Power:
    """The chance that n rows show the true difference between `first` and `second`.

    - "mcnemar": two models on the same rows with these accuracies, which differ on a share `disagreement` of the rows
      (when not given, as if they erred independently). All outcomes are enumerated; `method`: "mid-p" (default),
      "exact", "chi2", "chi2-cc", or "normal" for the formula.
    - "two-proportions": n rows in each of two groups, pooled z-test. "one-proportion": exact test of first against
      second. "auc": an area against ½, or two areas (`correlation` on the same rows), with `prevalence`; with
      five positives two areas differ significantly less often than it says (.25 for .30, simulated).
    - "equivalence", "noninferiority": on the same rows, within `margin`, each one-sided test at level alpha.
    - "paired-mean" (normal), "paired-t", "unpaired-t": means with standard deviation `sd` of a difference (of a value,
      for "unpaired-t").

    Clustered rows: `icc` and `cluster_size` divide n, less about two clusters (z²/2) that a test over clusters spends,
    by the design effect 1 + (cluster_size − 1)·icc. For clusters of unequal sizes m give Σm²/Σm, which is more than
    their mean: 2·mean − 1 where small ones are the most (a promised .81 is .77–.82 by Σm²/Σm and .48–.64 by the mean,
    simulated). `icc` is the correlation, over two rows of a cluster, of what the test looks at: of being right for one
    model or two groups, of the *differences* between the models where they share the rows. That one is often near 0,
    since a hard cluster is hard for both. If only the correlations of being right are known, give them instead:
    `icc_right` of one model with itself, `icc_between` of one model on a row with the other on another row; then icc =
    2pq·(icc_right − icc_between)/(disagreement − difference²), p the mean of the two accuracies, q = 1 − p.

    >>> print(power(n=500, first=0.82, second=0.80, disagreement=0.025))
    500 rows find a difference of +2.0 points (82.0 % against 80.0 %) with 86 % power at the 5 % level. If the result
    is significant, its sign is almost surely right; the estimate will be 1.08 times too large on average.
    Note: mid-p test.
    """
    if asked.first is None and asked.second is None and asked.test in ("mcnemar", "two-proportions", "one-proportion"):
        raise InputError(
            "first= and second= are needed: the two accuracies; for the smallest difference that n rows show give "
            "te.significance.smallest_difference the accuracy that you start from, baseline="
        )
    plan = power_plan(asked)
    return _planned(plan, asked, count(asked.n, "n"), _clusters(asked))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SizeAsked(PowerOptions):
    """What the rows are to reach."""

    power: float = option(0.8, "The power to reach.", "SHARE", float)
    accuracy: float | None = option(None, "Expected accuracy; with `half_width`.", "SHARE", float)
    half_width: float | None = option(None, "Half the width of the interval, such as 0.02.", "SHARE", float)


@asked_by(SizeAsked)
def sample_size(asked: SizeAsked) -> Power:
    """The rows needed to show a difference with the given power, or to know an accuracy within ± half_width.

    The power is that of the verdict of `te.compare` (within .05 of it in some thirty simulated designs: accuracy, AUC,
    losses and grades, same and different rows, clusters, margins). `te.gate` answers "cannot tell" besides where half a
    row more would undo a pass: it passed in .71–.78 of samples for a promised .80.

    Options as for `te.power`. For "mcnemar" it is the larger of the normal formula's answer,
    (z_{α/2}√pd + z_β√(pd − δ²))²/δ², and of what enumeration asks for. With `accuracy` and `half_width`: the rows at
    which Wilson's interval (confidence 1 − alpha) is that wide around this accuracy; it solves
    h²(1 + u)² = u·pq + u²/4, n = z²/u.

    >>> sample_size(test="two-proportions", first=0.80, second=0.85).n
    906
    >>> sample_size(accuracy=0.9, half_width=0.02).n
    868
    """
    if asked.accuracy is not None or asked.half_width is not None:
        if asked.icc_right is not None or asked.icc_between is not None:
            raise InputError(
                "for one accuracy the correlation of being right is icc=: leave icc_right= and icc_between= out"
            )
        return _size_for_width(asked)
    target, clusters, plan = open_share(asked.power, "power"), _clusters(asked), power_plan(asked)
    if plan.first == plan.second and asked.margin is None:
        raise InputError(
            f"first and second are both {plan.first:g}: no number of rows shows a difference; "
            'to show that there is none that matters use test="equivalence" with margin='
        )
    return _planned(plan, asked, math.ceil(plan.rows(target) * clusters.effect + clusters.spent), clusters)


def smallest_difference(
    *,
    test: PlannedTest = "mcnemar",
    n: int,
    baseline: float = 0.0,
    power: float = 0.8,
    disagreement: float | None = None,
    prevalence: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
    alpha: float = 0.05,
    method: PlannedMethod | None = None,
    correlation: float | None = None,
    sd: float | None = None,
) -> Power:
    """The smallest improvement on `baseline` that n rows find with the given power; `first` is what is reached.

    If an improvement cannot be that large (a baseline near 1, or a `disagreement` below the difference), a loss is
    looked for instead.

    >>> round(smallest_difference(test="two-proportions", n=200, baseline=0.8).first, 4)
    0.8998
    """
    target, baseline = open_share(power, "power"), one_number(baseline, "baseline")
    disagreement = None if disagreement is None else check_share(disagreement, "disagreement")
    start = PowerOptions(
        test=test,
        first=baseline,
        second=baseline,
        disagreement=disagreement,
        prevalence=prevalence,
        icc=icc,
        cluster_size=cluster_size,
        alpha=alpha,
        method=method,
        correlation=correlation,
        sd=sd,
    )
    clusters = _clusters(start)
    rows = clusters.independent(count(n, "n"))
    check_word(test, TESTS, "test")
    if test in ("equivalence", "noninferiority"):
        raise InputError(f"{test} shows that a difference is small; give test='mcnemar' for the smallest that is found")

    def plan_for(gap: float) -> PowerPlan:
        return power_plan(replace(start, first=baseline + gap))

    for sign in (1.0, -1.0):
        most = _largest_gap(start, baseline, sign)
        # At the very end of the range the difference is certain and its variance 0; stay a hair inside.
        ends = sign * 1e-9 * most, sign * most * (1 - 1e-9)
        if most > 0 and plan_for(ends[1]).power(rows) >= target:
            plan = plan_for(crossing(lambda gap: plan_for(gap).power(rows) - target, *sorted(ends)))
            return _planned(plan, plan.options, count(n, "n"), clusters)
    raise InputError(
        f"{count(n, 'n'):,} rows find no difference from {baseline:g} with power {target:g}; more are needed"
    )


def design_effect(icc: float | None, cluster_size: float | None) -> float:
    """1 + (cluster_size − 1)·icc, the rows in clusters that are worth one independent row (Kish 1965).

    >>> design_effect(0.1, 11)
    2.0
    """
    if icc is None and cluster_size is None:
        return 1.0
    if icc is None or cluster_size is None:
        raise InputError("icc= and cluster_size= go together: how alike are rows of a cluster, and how many has it?")
    size = float(cluster_size)
    if not (math.isfinite(size) and size >= 1):
        raise InputError(f"cluster_size={cluster_size!r} must be 1 or more")
    return 1 + (size - 1) * check_share(icc, "icc")


class Clusters(NamedTuple):
    """How many clustered rows are worth one independent row, and how many rows a test over clusters spends besides.

    A t-test on clusters asks for z²/2 clusters more than a normal test (Snedecor and Cochran 1989, Statistical Methods,
    section 6.14).
    """

    effect: float = 1.0
    spent: float = 0.0

    def independent(self, n: int) -> int:
        """What n rows are worth."""
        return max(math.floor((n - self.spent) / self.effect + 1e-9), 0)


def _clusters(o: PowerOptions) -> Clusters:
    """By the correlation of what the test looks at, over two rows of a cluster."""
    icc, size = o.icc, o.cluster_size
    if o.icc_right is not None or o.icc_between is not None:
        if icc is not None:
            raise InputError(
                "give icc= (of the differences) or icc_right= with icc_between= (of being right), not both"
            )
        if o.icc_right is None or o.icc_between is None:
            raise InputError(
                "icc_right= and icc_between= go together: of one model with itself on two rows of a cluster, and of "
                "one model with the other"
            )
        if o.test not in ("mcnemar", "equivalence", "noninferiority"):
            raise InputError(f"test={o.test!r} does not compare two models on the same rows: give icc=")
        if o.first is None or o.second is None:
            raise InputError("icc_right= needs first= and second=, the two accuracies")
        accuracies = {"first": o.first, "second": o.second}
        icc = icc_of_differences(o.icc_right, o.icc_between, **accuracies, disagreement=o.disagreement)
    effect = design_effect(icc, size)
    if effect <= 1 or size is None:
        return Clusters(effect)
    return Clusters(effect, student_quantile(1 - open_share(o.alpha, "alpha"), o.alternative) ** 2 / 2 * float(size))


def icc_of_differences(
    right: float, between: float, *, first: float, second: float, disagreement: float | None = None
) -> float:
    """2pq·(right − between)/(pd − δ²), the correlation of the differences of two models over two rows of a cluster.

    The differences d = x₁ − x₂ of being right have the variance pd − δ², and on two rows of a cluster the covariance
    cov(x₁, x₁′) + cov(x₂, x₂′) − 2cov(x₁, x₂′).

    >>> round(icc_of_differences(0.2, 0.18, first=0.85, second=0.75, disagreement=0.2), 4)
    0.0337
    """
    right, between = check_share(right, "icc_right"), float(between)
    if not -1 <= between <= right:
        raise InputError(f"icc_between={between!r} must be at most icc_right={right!r}: rows are most like their own")
    p, gap = (first + second) / 2, first - second
    apart = first * (1 - second) + second * (1 - first) if disagreement is None else disagreement
    spread = apart - gap * gap
    if not spread > 0:
        raise InputError("the two models differ on no row beyond their difference, so clusters cannot matter")
    return min(2 * p * (1 - p) * (right - between) / spread, 1.0)


def _largest_gap(o: PowerOptions, baseline: float, sign: float) -> float:
    if TESTS[o.test][1] == ("sd",):
        return 1e3 * float(o.sd or 1.0) if sign > 0 else 0.0
    room = 1 - check_share(baseline, "baseline") if sign > 0 else baseline
    if o.disagreement is None:
        return room
    # Models that differ on so many rows cannot both be nearly always right, or wrong.
    return min(room, o.disagreement, 2 * room - o.disagreement)


def _planned(plan: PowerPlan, o: PowerOptions, n: int, clusters: Clusters) -> Power:
    rows = clusters.independent(n)
    if rows < plan.least:
        raise InputError(f"n={n} is too few rows to plan with")
    analysis, note = plan.verdict(rows), plan.note
    if clusters.effect > 1:
        effect = f"effective sample size {rows:,} rows: design effect {clusters.effect:.3g} of equal clusters"
        note = f"{note}; {effect}" if note else effect
    return Power(
        test=o.test, n=n, power=analysis.power, alpha=float(o.alpha), alternative=o.alternative, first=plan.first,
        second=plan.second, difference=plan.first - plan.second, wrong_sign=analysis.wrong_sign,
        exaggeration=analysis.exaggeration, margin=o.margin, groups=plan.groups, design_effect=clusters.effect,
        method=plan.key, note=note,
    )  # fmt: skip


def _size_for_width(asked: SizeAsked) -> Power:
    accuracy, half_width, alpha = asked.accuracy, asked.half_width, asked.alpha
    effect = design_effect(asked.icc, asked.cluster_size)
    if accuracy is None or half_width is None:
        raise InputError("accuracy= and half_width= go together: about how good, and how exactly must it be known?")
    p, h = check_share(accuracy, "accuracy"), open_share(half_width, "half_width")
    if not 1e-100 < h < 0.5:
        raise InputError(f"half_width={half_width!r} must lie between 0 and 0.5")
    z = -float(special.ndtri(open_share(alpha, "alpha") / 2))
    spread = p * (1 - p)
    a, b, c = 0.25 - h * h, spread - 2 * h * h, -h * h
    root = math.sqrt(b * b - 4 * a * c)
    # The positive root, in the form that does not cancel for the sign of b.
    u = -2 * c / (b + root) if b > 0 else (root - b) / (2 * a)
    return Power(
        test="half-width", n=math.ceil(z * z / u * effect - 1e-9), power=math.nan, alpha=float(alpha), first=p,
        second=math.nan, difference=math.nan, half_width=h, design_effect=effect, method="wilson-half-width",
        note="" if effect == 1 else f"design effect {effect:.3g}",
    )  # fmt: skip
