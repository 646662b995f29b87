"""Groups of rows compared by one metric: which differ, and how far apart the best and the worst are.

The best and the worst group are picked after looking, so a test of that pair alone would find gaps where there are
none. Every pair of groups is tested, and its p-value read as that of the range of all: with z = Φ⁻¹(1 − p/2) of a pair
and Q the range of k standard normals, p_adjusted = P(Q > √2·z) (Tukey; for unequal variances no smaller than exact).
Limits of pairs are taken at the level that belongs to Q's quantile, so all hold together, and the pair that was picked
with them. The gap itself, the largest difference of true values, then lies between the largest lower and the largest
upper limit.

Shares of rows: the score test alone has type I error up to .19 where a small group stands beside a large one near 1;
the larger of its p-value and Fisher's mid-p is at most .055 in all cells (`validation/gaps.py`).

Sources: Tukey 1953, The Problem of Multiple Comparisons; Hayter 1984, Ann. Stat. 12:61; Lancaster 1961, JASA 56:223,
for the mid-p; Zou and Donner 2008, Stat. Med. 27:1693, and Donner and Zou 2012, Stat. Methods Med. Res. 21:347, for
differences and ratios of two estimates with limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy import special

from trueerror.inference._clusters import ClusterDifference, cluster_t_contrast
from trueerror.inference._contrast import contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._two_models import ModelRows, unpaired_contrast
from trueerror.inference._variance import influence
from trueerror.inference.proportion._distributions import hypergeometric_p
from trueerror.inference.ranking._rank_tests import range_above, range_point
from trueerror.inputs._labels import Label
from trueerror.methods import Method, declare
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.results import Contrast, Interval
from trueerror.tallies import Confusion

SHARED = "the groups share clusters, and are taken as independent"
DRAWN = "Fisher's mid-p does not exclude 0, so the limit is drawn to 0"


def simultaneous_level(confidence: float, groups: int) -> float:
    """The confidence of each pair's limits with which all pairs of so many groups hold together.

    >>> round(simultaneous_level(0.95, 2), 3), round(simultaneous_level(0.95, 4), 4)
    (0.95, 0.9898)
    """
    return float(2 * special.ndtr(range_point(1 - confidence, groups) / math.sqrt(2)) - 1)


def range_adjusted(p: float, groups: int) -> float:
    """A pair's p-value, adjusted for all pairs of so many groups.

    >>> round(range_adjusted(0.05, 2), 3), round(range_adjusted(0.05, 4), 3)
    (0.05, 0.203)
    """
    if math.isnan(p):
        return p
    z = -float(special.ndtri(max(p, 1e-300) / 2))
    return min(1.0, max(p, float(range_above(math.sqrt(2) * z, groups)[0])))


def fisher_mid_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Fisher's two-sided mid-p of two shares (successes, rows): twice the smaller tail, less the table that was seen.

    >>> round(fisher_mid_p((9, 10), (150, 200)), 4)
    0.3113
    """
    (x, n), (y, m) = first, second
    tails = hypergeometric_p(x, n, m, x + y)
    smaller = min(tails["less"], tails["greater"])
    here = max(0.0, tails["less"] + tails["greater"] - 1)
    return min(1.0, max(2 * smaller - here, smaller))


def group_contrasts(
    samples: Mapping[Label, ModelRows], measure: Measure, spec: IntervalSpec, options: MetricOptions
) -> list[Contrast]:
    """Every pair of groups, with limits that hold together and p-values adjusted for all pairs."""
    level = simultaneous_level(spec.confidence, len(samples))
    wide = replace(spec, confidence=level)
    made = []
    for (a, first), (b, second) in combinations(samples.items(), 2):
        joint = _over_shared_clusters(first, second, measure, wide, options)
        c = unpaired_contrast((first, second), measure, wide, options) if joint is None else joint
        if joint is None and measure.of_labels and measure.share is not None and first.plain and second.plain:
            c = _no_surer_than_exact(c, fisher_mid_p(first.proportion(measure), second.proportion(measure)))
        elif joint is None and share_clusters(first, second):
            c = replace(c, note="; ".join(x for x in (c.note, SHARED) if x))
        adjusted = range_adjusted(c.p_value, len(samples))
        made.append(
            replace(c, name=measure.title, first=str(a), second=str(b), confidence=spec.confidence, p_adjusted=adjusted)
        )
    return made


def _no_surer_than_exact(c: Contrast, exact: float) -> Contrast:
    p = max(c.p_value, exact)
    if p <= 1 - c.confidence or not (c.low > 0 or c.high < 0):
        return replace(c, p_value=p)
    low, high = (0.0, c.high) if c.low > 0 else (c.low, 0.0)
    return replace(c, p_value=p, low=low, high=high, note="; ".join(x for x in (c.note, DRAWN) if x))


def share_clusters(first: ModelRows, second: ModelRows) -> bool:
    """Whether some cluster has rows in both groups."""
    if isinstance(first.p, Confusion) or isinstance(second.p, Confusion) or not first.p.has_key("clusters"):
        return False
    return bool(set(first.p.keys("clusters").names) & set(second.p.keys("clusters").names))


def _over_shared_clusters(
    first: ModelRows, second: ModelRows, measure: Measure, spec: IntervalSpec, options: MetricOptions
) -> Contrast | None:
    """The difference with clusters as units, where clusters have rows in both groups; None elsewhere.

    A cluster moves the difference by the sum of its rows' influences in the first group less that in the second.
    """
    if not measure.of_labels or not share_clusters(first, second):
        return None
    moved: dict[Label, tuple[float, float]] = {}
    estimates = []
    for rows, sign in ((first, 1.0), (second, -1.0)):
        assert not isinstance(rows.p, Confusion)
        keyed = rows.p.keyed_confusion(rows.model, "clusters", threshold=rows.threshold)
        positive = rows.p.positive if measure.of_one_class else None
        by_cell = influence(measure, keyed.table, positive=positive, options=options)
        estimates.append(float(np.real(measure.of_table(keyed.table, positive=positive, **options))))
        for key, value, size in zip(keyed.keys, keyed.sums(by_cell), keyed.sizes, strict=True):
            before = moved.get(key, (0.0, 0.0))
            moved[key] = before[0] + sign * float(value), before[1] + float(size)
    sums, sizes = np.array(list(moved.values())).T
    reach = measure.range[1] - measure.range[0]
    n = first.p.n + second.p.n
    found = ClusterDifference(estimates[0] - estimates[1], sums[sizes > 0], sizes[sizes > 0], (-reach, reach), n)
    return cluster_t_contrast(found, spec, higher_is_better=None)


def extent(pairs: Sequence[Contrast], estimate: float, name: str, confidence: float) -> Interval:
    """The largest difference between any two groups: between the largest lower and the largest upper limit of pairs."""
    low = max((max(0.0, c.low, -c.high) for c in pairs if not math.isnan(c.low)), default=math.nan)
    high = max((max(c.high, -c.low) for c in pairs if not math.isnan(c.low)), default=math.nan)
    return Interval(name=name, estimate=estimate, low=low, high=high, confidence=confidence, method="tukey-range")


def ratio_of(lowest: Interval, highest: Interval, confidence: float) -> Interval:
    """Lowest over highest, from the limits of both (MOVER for ratios of independent estimates that are not negative).

    >>> a = Interval(name="a", estimate=0.6, low=0.5, high=0.7, confidence=0.95, method="wilson")
    >>> b = Interval(name="b", estimate=0.8, low=0.75, high=0.85, confidence=0.95, method="wilson")
    >>> print(ratio_of(a, b, 0.95))
    ratio 0.750 [0.619, 0.887], 95 % mover-ratio
    """
    a, b = lowest.estimate, highest.estimate
    made = Interval(
        name="ratio", estimate=a / b if b else math.nan, low=math.nan, high=math.nan, confidence=confidence,
        method="mover-ratio", note="" if b else "the highest is 0",
    )  # fmt: skip
    (la, ua), (lb, ub) = ((i.low, i.high) for i in (lowest, highest))
    if not b or min(la, lb) < 0 or any(math.isnan(x) for x in (la, ua, lb, ub)):
        return made
    below, above = ub * (2 * b - ub), lb * (2 * b - lb)
    down = (a * b) ** 2 - la * (2 * a - la) * below
    up = (a * b) ** 2 - ua * (2 * a - ua) * above
    low = max(0.0, (a * b - math.sqrt(max(down, 0.0))) / below) if below > 0 else 0.0
    high = (a * b + math.sqrt(max(up, 0.0))) / above if above > 0 else math.inf
    return replace(made, low=min(low, made.estimate), high=max(high, made.estimate))


def contrasts_compared(by_group: Mapping[Label, Contrast], spec: IntervalSpec) -> list[Contrast]:
    """Whether a difference between two models differs between groups: every pair of groups, as `group_contrasts`.

    Groups are independent, so limits combine by their distances from the estimates, which grow with the quantile.
    """
    level = simultaneous_level(spec.confidence, len(by_group))
    wide = float(special.ndtri(0.5 + level / 2))
    made = []
    for (a, first), (b, second) in combinations(by_group.items(), 2):
        d = first.estimate - second.estimate
        own = float(special.ndtri(0.5 + first.confidence / 2))
        down = math.hypot(first.estimate - first.low, second.high - second.estimate) / own
        up = math.hypot(first.high - first.estimate, second.estimate - second.low) / own
        towards = down if d > 0 else up
        p = 1.0 if d == 0 else 2 * float(special.ndtr(-abs(d) / towards)) if towards > 0 else math.nan
        c = contrast(
            estimate=d, limits=(d - wide * down, d + wide * up), whole=(-math.inf, math.inf), confidence=level,
            alternative="two-sided", method="newcombe-hybrid", statistic=d, p_value=p, name=first.name, first=str(a),
            second=str(b), n=None if first.n is None or second.n is None else first.n + second.n,
        )  # fmt: skip
        made.append(replace(c, confidence=spec.confidence, p_adjusted=range_adjusted(p, len(by_group))))
    return made


declare(
    Method(
        key="tukey-range",
        title="largest difference between any two groups, by limits of all pairs that hold together",
        formula="from max(0, largest lower limit) to the largest upper limit over all pairs, each at the level of the "
        "studentized range's quantile; p_adjusted = P(range of k normals > √2·z), z = Φ⁻¹(1 − p/2) of the pair",
        source="Tukey 1953; Hayter 1984, Ann. Stat. 12:61",
        assumes="independent groups, unless whole clusters are counted in both",
        measured="type I error of any pair at most .055 with 2 to 12 groups of 10 to 5,000 rows and shares of .5 to "
        ".99 (simulated); the score test without Fisher's mid-p .19",
        advice="best and worst are picked after looking: only the adjusted p-value holds",
    ),
    Method(
        key="mover-ratio",
        title="ratio of two independent estimates, from the limits of both",
        formula="(ab ∓ √((ab)² − l_a(2a − l_a)·u_b(2b − u_b)))/(u_b(2b − u_b)), and above with the other limits",
        source="Donner and Zou 2012, Stat. Methods Med. Res. 21:347",
        assumes="independent groups and numbers that are not negative",
    ),
    part="differences",
)
