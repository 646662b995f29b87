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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, count

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._clusters import clusters_in_words
from trueerror.inference._contrast import contrast
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate, apart
from trueerror.inference._label_tables import label_estimate
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._unpaired import ModelRows, unpaired_contrast
from trueerror.inference._variance import Sample
from trueerror.inference.proportion._distributions import hypergeometric_p
from trueerror.inference.ranking._rank_tests import range_above, range_point
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.metrics._registry import Measure, MetricOptions
from trueerror.results import Contrast, Interval
from trueerror.results._values import joined_notes
from trueerror.tallies import Confusion

Ints = NDArray[np.int64]

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
    numbers: defaultdict[Label, int] = defaultdict(count().__next__)
    groups = {name: _Group(rows, measure, options, numbers) for name, rows in samples.items()}
    contrasts = []
    for (a, first), (b, second) in combinations(groups.items(), 2):
        shared = first.shares_clusters(second)
        if shared and measure.of_labels:
            c = _over_shared_clusters(first, second, wide)
        else:
            pair = first.rows, second.rows
            c = unpaired_contrast(pair, measure, wide, options)
            if measure.of_labels and measure.share is not None and all(rows.plain for rows in pair):
                c = _no_surer_than_exact(c, fisher_mid_p(*(rows.proportion(measure) for rows in pair)))
            elif shared:
                c = replace(c, note=joined_notes(c.note, SHARED))
        adjusted = range_adjusted(c.p_value, len(samples))
        contrasts.append(
            replace(c, name=measure.title, first=str(a), second=str(b), confidence=spec.confidence, p_adjusted=adjusted)
        )
    return contrasts


def _no_surer_than_exact(c: Contrast, exact: float) -> Contrast:
    p = max(c.p_value, exact)
    if p <= 1 - c.confidence or not (c.low > 0 or c.high < 0):
        return replace(c, p_value=p)
    low, high = (0.0, c.high) if c.low > 0 else (c.low, 0.0)
    return replace(c, p_value=p, low=low, high=high, note=joined_notes(c.note, DRAWN))


@dataclass(eq=False)
class _Group:
    """A group of rows and the metric of it; `numbers` has one for each cluster, the same in all groups."""

    rows: ModelRows
    measure: Measure
    options: MetricOptions
    numbers: defaultdict[Label, int]

    def _numbered(self, names: Sequence[Label]) -> Ints:
        return np.fromiter(map(self.numbers.__getitem__, names), dtype=np.int64, count=len(names))

    @cached_property
    def clusters(self) -> Ints:
        """The clusters of the rows; none where these are not in clusters."""
        p = self.rows.p
        clustered = not isinstance(p, Confusion) and p.has_key("clusters")
        return self._numbered(self.rows.rows.keys("clusters").names if clustered else ())

    def shares_clusters(self, other: _Group) -> bool:
        """Whether some cluster has rows in both groups."""
        both = np.concatenate([self.clusters, other.clusters])
        return bool((np.bincount(both) > 1).any())

    @cached_property
    def over_clusters(self) -> tuple[Estimate, Ints, Floats]:
        """The metric with what it loses without each cluster, those clusters, and their rows; once for all pairs."""
        measure = self.measure
        keyed = self.rows.rows.keyed_confusion(self.rows.model, "clusters", threshold=self.rows.threshold)
        positive = self.rows.p.positive if measure.of_one_class else None
        sample = Sample.of(measure, keyed.table, positive=positive, clusters=keyed)
        kept = keyed.weights > 0
        names = [name for name, there in zip(keyed.keys, kept, strict=True) if there]
        e = label_estimate(measure, sample, self.options, measure.range, bare=True)
        return e, self._numbered(names), keyed.weights[kept]


def _over_shared_clusters(first: _Group, second: _Group, spec: IntervalSpec) -> Contrast:
    """The difference with clusters as units, where clusters have rows in both groups.

    A cluster moves the difference by what it adds in the first group less what it adds in the second.
    """
    (a, ours, our_rows), (b, theirs, their_rows) = first.over_clusters, second.over_clusters
    both = np.concatenate([ours, theirs])
    units = np.bincount(both, weights=np.concatenate([a.units, -b.units])).astype(np.float64)
    sizes = np.bincount(both, weights=np.concatenate([our_rows, their_rows])).astype(np.float64)
    held = sizes > 0
    reach = first.measure.range[1] - first.measure.range[0]
    e = Estimate(
        value=np.asarray(a.value - b.value), units=units[held], sizes=sizes[held], range=(-reach, reach)
    )  # fmt: skip
    n = first.rows.p.n + second.rows.p.n
    return effective_t_contrast(e, spec, n=n, higher_is_better=None, note=clusters_in_words(sizes[held]))


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
    ratio = Interval(
        name="ratio", estimate=a / b if b else math.nan, low=math.nan, high=math.nan, confidence=confidence,
        method="mover-ratio", note="" if b else "the highest is 0",
    )  # fmt: skip
    (la, ua), (lb, ub) = ((i.low, i.high) for i in (lowest, highest))
    if not b or min(la, lb) < 0 or any(math.isnan(x) for x in (la, ua, lb, ub)):
        return ratio
    below, above = ub * (2 * b - ub), lb * (2 * b - lb)
    down = (a * b) ** 2 - la * (2 * a - la) * below
    up = (a * b) ** 2 - ua * (2 * a - ua) * above
    low = max(0.0, (a * b - math.sqrt(max(down, 0.0))) / below) if below > 0 else 0.0
    high = (a * b + math.sqrt(max(up, 0.0))) / above if above > 0 else math.inf
    return replace(ratio, low=min(low, ratio.estimate), high=max(high, ratio.estimate))


def contrasts_compared(by_group: Mapping[Label, Contrast], spec: IntervalSpec) -> list[Contrast]:
    """Whether a difference between two models differs between groups: every pair of groups, as `group_contrasts`.

    Groups are independent, so limits combine by their distances from the estimates, which grow with the quantile.
    """
    level = simultaneous_level(spec.confidence, len(by_group))
    wide = float(special.ndtri(0.5 + level / 2))
    contrasts = []
    for (a, first), (b, second) in combinations(by_group.items(), 2):
        d = first.estimate - second.estimate
        z = float(special.ndtri(0.5 + first.confidence / 2))
        low, high = apart(first.estimate, (first.low, first.high), second.estimate, (second.low, second.high))
        down, up = (d - low) / z, (high - d) / z
        towards = down if d > 0 else up
        p = 1.0 if d == 0 else 2 * float(special.ndtr(-abs(d) / towards)) if towards > 0 else math.nan
        c = contrast(
            estimate=d, limits=(d - wide * down, d + wide * up), whole=(-math.inf, math.inf), confidence=level,
            alternative="two-sided", method="newcombe-hybrid", statistic=d, p_value=p, name=first.name, first=str(a),
            second=str(b), n=None if first.n is None or second.n is None else first.n + second.n,
        )  # fmt: skip
        contrasts.append(replace(c, confidence=spec.confidence, p_adjusted=range_adjusted(p, len(by_group))))
    return contrasts
