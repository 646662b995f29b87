"""The difference of one metric between two models on the same rows, as a function of the agreement table's cells.

The difference of a metric between two models on the same rows, from each model's own interval.

A model against one answer for every row, where rows are clustered or weighted and McNemar's test does not hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._clusters import ClusterDifference, sign_flip_contrast
from trueerror.inference._contrast import (
    FURTHEST,
    SEARCHED_P,
    SHARES,
    Limits,
    check_test_options,
    contrast,
    limits_without_spread,
    normal_p,
    t_contrast,
    tail_area,
)
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._variance import Sample, chosen_positive, kish_rows, variance, weighted_variance
from trueerror.inference.bootstrap._limits import standard_error
from trueerror.inference.bootstrap._tables import BOOTSTRAPS
from trueerror.inference.counts._all_classes import ADDED_ROWS, FEW
from trueerror.inference.counts._one_class import play_of
from trueerror.inference.proportion._distributions import crossing
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inputs._labels import Label, find_label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    check_metric_options,
    class_shares,
    find_measure,
    needs_collapse,
    reweighted,
    undefined_reason,
)
from trueerror.results import Alternative, Contrast
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.tallies._agreement import Agreement

Floats = NDArray[np.float64]

# Numbers held at a time.
BLOCK = 1 << 21
# Differences this close, beside the metric itself, are rounding.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class PairedMetric:
    """A metric of both models over the cells of one agreement table: cell c of either table is cell c of the other."""

    agreement: Agreement
    tables: tuple[Confusion, Confusion]
    measure: Measure
    positive: Label | None
    options: MetricOptions
    registered: bool = True
    shares: Floats | None = None  # the class distribution asked for, where it is not that of the rows

    @property
    def title(self) -> str:
        """The metric in words."""
        return self.measure.title

    @property
    def why(self) -> str:
        """Why the metric is undefined for the first, or else the second, model."""
        if self.registered:
            for which, name in enumerate(("first", "second")):
                reason = undefined_reason(
                    self.measure, self.agreement.model(which), positive=self.positive, prior=self.prior, **self.options
                )
                if reason:
                    return f"{name}: {reason}"
        return "the metric is undefined for a model"

    @property
    def prior(self) -> dict[Label, float] | None:
        """The class distribution asked for, by label."""
        if self.shares is None:
            return None
        return dict(zip(self.agreement.labels, map(float, self.shares), strict=True))

    @property
    def range(self) -> Limits:
        """Where a difference can lie."""
        low, high = self.measure.range
        return low - high, high - low

    def values(self, table: Confusion, masses: Floats) -> Floats:
        """The metric of one table under other masses (…, cells)."""
        chosen, function = dict(self.options), self.measure.function
        if self.shares is not None:
            masses = reweighted(table, self.shares, masses)
        if self.measure.of_one_class:
            values = function(table.binary(self.positive, masses), **chosen)
        elif self.measure.of_all_classes:
            values = function(table.classes(masses), **chosen)
        else:
            values = function(table, masses, **chosen)
        return np.asarray(values, dtype=np.float64)

    def differences(self, masses: Floats) -> Floats:
        """First − second under masses (…, cells); what rounding alone tells from 0 is 0."""
        a, b = (self.values(table, masses) for table in self.tables)
        with np.errstate(invalid="ignore"):
            d = a - b
        return np.where(np.abs(d) <= ROUNDING * np.maximum(np.abs(a), np.abs(b)), 0.0, d)

    def difference(self) -> float:
        """First − second on the sample."""
        return float(self.differences(self._counts())[0])

    def _counts(self) -> Floats:
        return self.agreement.masses[None, :]

    def cells_in_play(self) -> NDArray[np.bool_] | None:
        """The cells whose rows take part in a share of rows or an F measure, of either model; None for other metrics,
        in which classes weigh otherwise than by their rows."""
        if self.shares is not None:
            return None
        if self.measure.right_or_wrong:
            return np.ones(len(self.agreement.counts), dtype=bool)
        parts, _ = play_of(self.measure)
        if parts is None:
            return None
        in_play = np.zeros(len(self.agreement.counts), dtype=bool)
        for table in self.tables:
            index = table.labels.index(chosen_positive(table, self.positive))
            true, called = table.row == index, table.col == index
            for wanted, cells in zip(
                parts, (true & called, ~true & called, true & ~called, ~true & ~called), strict=True
            ):
                in_play |= cells & wanted
        return in_play

    def replicates(self, draws: int, rng: np.random.Generator) -> Floats:
        """The difference in `draws` samples of n rows, drawn again with replacement; NaN where it is undefined."""
        n, cells = self.agreement.n, len(self.agreement.counts)
        order = swap_proof_order(self.agreement)
        back = np.argsort(order)
        shares = self.agreement.counts[order] / n
        step = max(1, BLOCK // max(cells, 1))
        parts = []
        for start in range(0, draws, step):
            drawn = rng.multinomial(n, shares, size=min(step, draws - start))
            parts.append(self.differences(drawn[:, back].astype(np.float64)))
        values = np.concatenate(parts)
        # A replicate that is the estimate but for rounding is a tie.
        estimate = self.difference()
        size = max(float(np.abs(self.values(t, self._counts())).max()) for t in self.tables)
        return np.where(np.abs(values - estimate) <= ROUNDING * size, estimate, values)

    def share_better(self, values: Floats) -> float | None:
        """In which share of the replicates the first is better, ties counting half."""
        up = self.measure.higher_is_better
        if up is None or len(values) == 0:
            return None
        ahead = (values > 0) if up else (values < 0)
        return float(ahead.mean() + 0.5 * (values == 0).mean())

    def influences(self) -> Floats | None:
        """How far one more row in each cell moves the difference; None where that cannot be said."""
        if not self.registered:
            return self._stepped_influences()
        try:
            parts = [self.influence(table) for table in self.tables]
        except InputError:
            return None
        d: Floats = parts[0] - parts[1]
        return d if np.isfinite(d).all() else None

    def influence(self, table: Confusion, masses: Floats | None = None) -> Floats:
        """How far one more row in each cell of a table moves the metric, at the class distribution asked for."""
        sample = Sample(table, table, None, self.positive, self.shares, True, None, "random")
        return sample.influence(self.measure, dict(self.options), masses)

    def _stepped_influences(self) -> Floats | None:
        """By a small step up and down in each cell, for functions that may not know complex numbers."""
        counts = self._counts()
        cells = counts.shape[1]
        steps = 1e-4 * counts[0]
        d = np.empty(cells)
        for start in range(0, cells, max(1, BLOCK // cells)):
            here = np.arange(start, min(cells, start + max(1, BLOCK // cells)))
            moved = np.repeat(counts, len(here), axis=0)
            moved[np.arange(len(here)), here] += steps[here]
            up = self.differences(moved)
            moved[np.arange(len(here)), here] -= 2 * steps[here]
            d[here] = (up - self.differences(moved)) / (2 * steps[here])
        return d if np.isfinite(d).all() else None

    def delta(self, tail: float, alternative: Alternative) -> tuple[Limits, float]:
        """Limits and p-value from the delta method."""
        d, estimate = self.influences(), self.difference()
        error = 0.0 if d is None else standard_error(d, self.agreement.counts)
        if error == 0:
            return (math.nan, math.nan), math.nan
        half = -float(special.ndtri(tail)) * error
        return (estimate - half, estimate + half), normal_p(estimate / error, alternative)

    def pseudo_row_limits(self, tail: float) -> Limits:
        """The lowest and highest difference when z² more rows of one kind are there: the limits without variation.

        For accuracy these are Tango's limits: ±z²/(n + z²) for two models that never differ, and (n − z²)/(n + z²)
        below a difference of 1.
        """
        z = float(special.ndtri(tail))
        return self._with_rows(z * z)

    def pseudo_row_p(self, alternative: Alternative) -> float:
        """The level at which those limits reach 0."""
        estimate = self.difference()
        gap = {"two-sided": abs(estimate), "greater": estimate, "less": -estimate}[alternative]
        if gap <= 0:
            return 1.0
        side = 0 if estimate > 0 else 1
        limit = 64.0 * self.agreement.n
        z = crossing(lambda x: self._with_rows(x * x)[side] * (1 if estimate > 0 else -1), 0.0, math.sqrt(limit))
        return normal_p(z, "two-sided" if alternative == "two-sided" else "greater")

    def _with_rows(self, rows: float) -> Limits:
        lows, highs = zip(*(self._extremes(i, rows) for i in range(2)), strict=True)
        below = np.nanmin(np.array(lows[0]) - np.array(highs[1]))
        above = np.nanmax(np.array(highs[0]) - np.array(lows[1]))
        return float(min(below, self.difference())), float(max(above, self.difference()))

    def _extremes(self, which: int, rows: float) -> tuple[Floats, Floats]:
        """For each class with rows, the lowest and highest metric when more rows of it are called this or that.

        Tried are the right call and the most and least frequent wrong ones.
        """
        table = self.agreement.model(which)
        k = len(table.labels)
        calls = table.classes().predicted
        order = np.argsort(calls, kind="stable")
        kinds = [(int(t), c) for t in np.unique(table.row) for c in _calls(int(t), order)]
        extra = np.array(kinds, dtype=np.int64)
        cells = np.unique(np.concatenate((table.row * (k + 1) + table.col, extra[:, 0] * (k + 1) + extra[:, 1])))
        masses = np.zeros((len(kinds), len(cells)))
        masses[:, np.searchsorted(cells, table.row * (k + 1) + table.col)] = table.counts
        masses[np.arange(len(kinds)), np.searchsorted(cells, extra[:, 0] * (k + 1) + extra[:, 1])] += rows
        wide = Confusion.from_cells(
            labels=table.labels,
            positive=table.positive,
            row=cells // (k + 1),
            col=cells % (k + 1),
            counts=np.ones(len(cells), dtype=np.int64),
            declared=True,
        )
        # Totals are brought back to n rows, so that a total cost does not grow with the rows added.
        values = self.values(wide, masses * (table.n / (table.n + rows)))
        classes = np.unique(extra[:, 0])
        by_class = [values[extra[:, 0] == t] for t in classes]
        return np.array([np.fmin.reduce(v) for v in by_class]), np.array([np.fmax.reduce(v) for v in by_class])


def swap_proof_order(agreement: Agreement) -> NDArray[np.intp]:
    """An order of the cells that stays with the rows when first and second change places.

    Drawn in this order, the same seed draws the same rows for (first, second) and (second, first), so that exchanging
    the models turns the sign of every replicate and changes nothing else.
    """
    t, a, b = agreement.truth, agreement.first, agreement.second
    orders = [np.lexsort((b, a, t)), np.lexsort((a, b, t))]
    views = [
        np.column_stack((t, x, y, agreement.counts))[o].ravel() for o, x, y in zip(orders, (a, b), (b, a), strict=True)
    ]
    apart = np.flatnonzero(views[0] != views[1])
    return orders[1] if len(apart) and views[1][apart[0]] < views[0][apart[0]] else orders[0]


def _calls(truth: int, order: NDArray[np.intp]) -> list[int]:
    wrong = [int(c) for c in order if c != truth]
    return list(dict.fromkeys([truth, *wrong[:1], *wrong[-1:]]))


def _one_against_the_rest(agreement: Agreement, positive: Label | None) -> Agreement:
    index = agreement.labels.index(find_label(positive, agreement.labels))
    parts = [(codes == index).astype(np.int64) for codes in (agreement.truth, agreement.first, agreement.second)]
    cells, where = np.unique(4 * parts[0] + 2 * parts[1] + parts[2], return_inverse=True)
    counts = np.zeros(len(cells), dtype=np.int64)
    np.add.at(counts, where, agreement.counts)
    return Agreement((False, True), True, cells // 4, cells // 2 % 2, cells % 2, counts)


def takes_masses(metric: Callable[..., Any]) -> bool:
    """Whether a function is one of (table, masses), rather than of (truth, predicted)."""
    try:
        return "masses" in signature(metric).parameters
    except (TypeError, ValueError):
        return False


def paired_metric(
    agreement: Agreement,
    metric: str | Callable[..., Any],
    positive: Label | None,
    options: MetricOptions,
    prior: Prior | None = None,
) -> PairedMetric:
    """The metric by name, or a function of (table, masses), over an agreement table; at another prior, if one is given.

    One share is that of the agreement's positive class.
    """
    by_name = isinstance(metric, str) or not takes_masses(metric)
    if isinstance(metric, str) or by_name:
        measure = find_measure(metric)
    else:
        measure = Measure(
            name=getattr(metric, "__name__", "metric"), title=getattr(metric, "__name__", "metric").replace("_", " "),
            function=metric, needs="cells", best=None, range=(-math.inf, math.inf), options=tuple(options),
        )  # fmt: skip
    if not measure.of_labels:
        raise InputError(f"{measure.name} is made of scores, not of labels; compare two areas with delong")
    check_metric_options(measure, options)
    shares = None
    if prior is not None and not measure.is_prior_free(len(agreement.labels)):
        positive_class = positive if agreement.positive is None else agreement.positive
        shares = class_shares(prior, agreement.labels, positive_class)
    if needs_collapse(measure, agreement.model(0), positive):
        if shares is not None:
            raise InputError(f"{measure.name} of one class among several is not compared at another class mix")
        agreement, positive = _one_against_the_rest(agreement, positive), True
    first, second = (
        Confusion.from_cells(
            labels=agreement.labels,
            positive=agreement.positive,
            row=agreement.truth.copy(),
            col=called.copy(),
            counts=agreement.counts.copy(),
            weight_sums=None if agreement.weight_sums is None else agreement.weight_sums.copy(),
            declared=True,
        )
        for called in (agreement.first, agreement.second)
    )
    if measure.of_one_class:
        first.binary(positive)  # an unknown or missing positive class is said before any work
    return PairedMetric(agreement, (first, second), measure, positive, dict(options), by_name, shares)


class CellDifference(NamedTuple):
    """How often two models call rows of one class another; `counts` are the first's and the second's, of `rows`."""

    truth: Label
    called: Label
    counts: tuple[int, int]
    rows: int
    contrast: Contrast


def cell_differences(agreement: Agreement, spec: IntervalSpec) -> list[CellDifference]:
    """Each cell of the confusion matrix that the two models fill with different rows, first − second.

    Of the rows of a class, b are called so by the first alone and c by the second alone: McNemar's mid-p and Tango's
    interval for (b − c)/rows. Cells with b + c = 0 say nothing and are left out, which changes no other p-value, since
    the test is conditional on b + c.
    """
    differences = []
    labels, k = agreement.labels, len(agreement.labels)
    for i in np.unique(agreement.truth):
        in_class = agreement.truth == i
        first, second, counts = agreement.first[in_class], agreement.second[in_class], agreement.counts[in_class]
        rows = int(counts.sum())
        for j in np.union1d(first, second):
            if j >= k or j == i:
                continue
            one, two = (int(counts[(a == j) & (b != j)].sum()) for a, b in ((first, second), (second, first)))
            if one + two == 0:
                continue
            both = int(counts[(first == j) & (second == j)].sum())
            c = mcnemar(
                one, two, both_right=both, both_wrong=rows - one - two - both, confidence=spec.confidence,
                alternative=spec.alternative,
            )  # fmt: skip
            differences.append(CellDifference(labels[i], labels[j], (both + one, both + two), rows, c))
    return differences


# With fewer rows than this on which the models differ, their own spread says too little about the difference.
FEW_DIFFER = 10
# Limits are looked at in steps of so many standard errors, to see whether they come back.
STEP = 0.5
# Where limits turn back is looked for within this much of z.
NARROW, HAIR, GOLDEN = 1e-6, 1e-5, (math.sqrt(5) - 1) / 2
# Of more classes than this no correlation of tables with all K³ cells is made.
MOST_CLASSES = 10


def mover_paired(
    compared: PairedMetric, *, confidence: float = 0.95, alternative: Alternative = "two-sided"
) -> Contrast | None:
    """d − √(x² − 2ρxy + y²) with x = θ1 − l1, y = u2 − θ2, and likewise above; the p-value by inversion.

    l and u are each model's own limits, ρ is the delta-method correlation of the two estimates. Where fewer than 10
    rows differ, the limits are at least those that z² more rows of one kind would bring. None where the metric has no
    analytic interval of its own, or no derivative.

    Source: Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 1998, Stat. Med. 17:2635, for proportions.

    >>> from trueerror.inference.counts._paired import paired_metric
    >>> from trueerror.tallies._agreement import Agreement
    >>> truth, a, b = [0, 1] * 50, [0, 1] * 45 + [1, 0] * 5, [0, 1] * 40 + [1, 0] * 10
    >>> print(mover_paired(paired_metric(Agreement.count(truth, a, b), "macro_f1", None, {})))
    macro F1: first − second = +0.100 [0.042, 0.169], 95 % mover-paired, p = .002, n = 100
    """
    level = check_test_options(confidence, alternative)
    rho = _correlation(compared)
    if rho is None or not compared.registered:
        return None
    estimate = compared.difference()
    table = compared.agreement
    few = float(table.counts[table.first != table.second].sum()) < FEW_DIFFER

    @cache
    def limits(z: float) -> Limits | None:
        both = _own_limits(compared, 1 - 2 * float(special.ndtr(-z)))
        if both is None:
            return None
        (below1, above1), (below2, above2) = both
        low = estimate - math.sqrt(max(below1**2 - 2 * rho * below1 * above2 + above2**2, 0.0))
        high = estimate + math.sqrt(max(above1**2 - 2 * rho * above1 * below2 + below2**2, 0.0))
        if few:
            least = compared.pseudo_row_limits(float(special.ndtr(-z)))
            low, high = min(low, least[0]), max(high, least[1])
        return low, high

    outermost = _outermost(limits, max(-float(special.ndtri(tail_area(level, alternative))), 1e-6))
    if outermost is None or not outermost[0] < outermost[1]:
        return None
    p = _inverted(limits, estimate)
    ahead = 0.5 if estimate == 0 else 1 - p / 2 if estimate > 0 else p / 2
    up = compared.measure.higher_is_better
    p_value = {"two-sided": p, "greater": 1 - ahead, "less": ahead}[alternative]
    return contrast(
        name=compared.title, estimate=estimate, limits=outermost, whole=compared.range, confidence=level,
        alternative=alternative, method="mover-paired", statistic=estimate, n=table.n, p_value=p_value,
        p_at_most=p_value <= p == SEARCHED_P,
        p_better=None if up is None else ahead if up else 1 - ahead,
        notes=("fewer than 10 rows differ: at least as wide as z² more rows would move it",) if few else (),
    )  # fmt: skip


def _outermost(limits: Callable[[float], Limits | None], z: float) -> Limits | None:
    """The outer limits over all steps up to z.

    √(x² − 2ρxy + y²) can shrink while x and y grow, if ρ is near 1 and one of them was ahead: more confidence would
    then make the interval narrower.
    """
    if limits(z) is None:
        return None
    steps = [*(step * STEP for step in range(1, math.ceil(z / STEP))), z]

    def furthest(side: int, sign: float) -> float:
        def reach(at: float) -> float:
            ends = limits(at)
            return -math.inf if ends is None else sign * ends[side]

        best = max(range(len(steps)), key=lambda i: reach(steps[i]))
        if best + 1 == len(steps) and reach(max(z - HAIR, z / 2)) <= reach(z):
            return sign * reach(z)
        # The turn lies between the steps beside the furthest one: golden sections.
        low, high = steps[best - 1] if best else steps[0] / 2, steps[min(best + 1, len(steps) - 1)]
        seen = [reach(steps[best])]
        one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        while high - low > NARROW:
            a, b = reach(one), reach(two)
            seen += [a, b]
            if a >= b:
                high, two, one = two, one, two - GOLDEN * (two - low)
            else:
                low, one, two = one, two, one + GOLDEN * (high - one)
        return sign * max(seen)

    return furthest(0, -1.0), furthest(1, 1.0)


def _own_limits(compared: PairedMetric, confidence: float) -> tuple[Limits, Limits] | None:
    """How far each model's own limits lie below and above its estimate."""
    reaches = []
    for which in range(2):
        interval = metric_interval(
            compared.measure,
            compared.agreement.model(which),
            positive=compared.positive,
            confidence=confidence,
            options=compared.options,
            prior=compared.prior,
        )
        if interval.method in BOOTSTRAPS or math.isnan(interval.low) or math.isnan(interval.high):
            return None
        reaches.append((interval.estimate - interval.low, interval.high - interval.estimate))
    return reaches[0], reaches[1]


def _correlation(compared: PairedMetric) -> float | None:
    """The correlation of the two estimates by the delta method; 0 where one of them shows no variance.

    Where counts are small, with two rows more, spread over all cells of the agreement table.
    """
    if not math.isfinite(compared.difference()):
        return None
    counts = compared.agreement.counts.astype(np.float64)
    try:
        if _has_small_counts(compared.agreement):
            counts, first, second = _with_rows_added(compared)
        else:
            first, second = (compared.influence(t) for t in compared.tables)
    except InputError:
        return None
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return 0.0
    variances = [float(variance(d, counts)) for d in (first, second)]
    if min(variances) <= 0:
        return 0.0
    shared = float((counts * first * second).sum()) - float((counts * first).sum()) * float(
        (counts * second).sum()
    ) / float(counts.sum())
    return min(max(shared / math.sqrt(variances[0] * variances[1]), -1.0), 1.0)


def _has_small_counts(table: Agreement) -> bool:
    """Whether a model was right or wrong on fewer than five rows of a class.

    The few rows then make a correlation near ±1 by chance, and reaches cancel that should not.
    """
    k = len(table.labels)
    if k > MOST_CLASSES or max(table.first.max(initial=0), table.second.max(initial=0)) >= k:
        return False
    for called in (table.first, table.second):
        right = called == table.truth
        for rows in (right, ~right):
            if np.bincount(table.truth[rows], weights=table.counts[rows], minlength=k).min() < FEW:
                return True
    return False


def _with_rows_added(compared: PairedMetric) -> tuple[Floats, Floats, Floats]:
    """Counts of all K³ cells with two rows spread over them, and both models' influences there."""
    table = compared.agreement
    k = len(table.labels)
    counts = np.full(k**3, ADDED_ROWS / k**3)
    np.add.at(counts, (table.truth * k + table.first) * k + table.second, table.counts)
    truth, first, second = np.unravel_index(np.arange(k**3), (k, k, k))
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels)
    cells = [truth * k + called for called in (first, second)]
    one, other = (
        compared.influence(full, np.bincount(cell, weights=counts, minlength=k * k).astype(np.float64))[cell]
        for cell in cells
    )
    return counts, one, other


def _inverted(limits: Callable[[float], Limits | None], estimate: float) -> float:
    """The largest two-sided level at which the interval just reaches 0."""
    if estimate == 0:
        return 1.0
    side, sign = (0, 1.0) if estimate > 0 else (1, -1.0)

    def gap(z: float) -> float:
        ends = limits(z)
        return -math.inf if ends is None else sign * float(ends[side])

    # The first step at which the interval holds 0: beyond it limits may come back.
    for step in range(1, round(FURTHEST / STEP) + 1):
        if not gap(step * STEP) > 0:
            z = crossing(gap, max((step - 1) * STEP, 1e-6), step * STEP, within=1e-8)
            return min(1.0, 2 * float(special.ndtr(-z)))
    return SEARCHED_P


def gains_in_accuracy(table: Confusion, answer: int) -> Floats:
    """What a row of each cell adds to the model's accuracy less that of one answer: +1, 0 or −1."""
    gains: Floats = (table.row == table.col).astype(np.float64) - (table.row == answer)
    return gains


def against_one_answer(
    table: Confusion,
    gains: Floats,
    *,
    clusters: KeyedConfusion | None = None,
    confidence: float = 0.95,
    whole: Limits = SHARES,
) -> Contrast:
    """The mean gain of a row over one answer for every row; `gains` has one value for each cell of the table.

    d = Σw·g/Σw: summed within clusters (their sign-flip test), or with the linearised variance of a ratio, by the
    squares of sampling weights (Särndal, Swensson and Wretman 1992, section 5.5; t with Kish's effective number of
    rows, (Σw)²/Σw², less 1). Plain rows weigh 1. With clusters, `gains` are those of the cells of `clusters.table`.

    >>> table = Confusion([[90, 5], [3, 2]])
    >>> found = against_one_answer(table, gains_in_accuracy(table, 0))
    >>> round(found.estimate, 3), round(found.p_value, 2)
    (-0.03, 0.26)
    """
    if clusters is not None:
        table = clusters.table
    masses = table.masses
    total = float(masses.sum())
    estimate = float((masses * gains).sum()) / total
    influences = (gains - estimate) / total
    if clusters is not None:
        occupied = clusters.sizes > 0
        sums = ClusterDifference(
            estimate, clusters.sums(influences)[occupied], clusters.weights[occupied], whole, table.n
        )
        return replace(sign_flip_contrast(sums, IntervalSpec(confidence=confidence)), p_better=None)
    if table.weight_squares is not None:
        units = kish_rows(table)
        variance, word = weighted_variance(table, influences), "rows, weights allowed for"
    else:
        units, word = float(table.n), "rows"
        variance = units / (units - 1) * float((table.counts * influences**2).sum()) if units > 1 else math.nan
    method = "paired-t-losses"
    spec, note = IntervalSpec(confidence=confidence), f"{units:,.0f} {word}"
    error = math.sqrt(variance) if units >= 2 else math.nan
    if error > 1e-12 * max(1.0, float(np.abs(gains).max())):
        mean_gain = t_contrast(estimate, error, units - 1, spec, method=method, n=table.n, whole=whole, note=note)
        return replace(mean_gain, p_better=None)
    alike = error >= 0
    return contrast(
        estimate=estimate, limits=limits_without_spread(estimate, units, spec, whole) if alike else whole, whole=whole,
        confidence=confidence, alternative="two-sided", method=method, n=table.n, df=units - 1 if alike else None,
        # Where all agree there is nothing to test unless the mean is 0.
        statistic=0.0 if alike else math.nan, p_value=1.0 if alike and estimate == 0 else math.nan,
        notes=(f"no spread between the {note}" if alike else f"{note} show no spread to judge by",),
    )  # fmt: skip
