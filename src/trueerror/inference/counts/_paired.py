"""The difference of a metric of labels between two models on the same rows, over the cells of their agreement table.

What one more row in each cell does to the difference is the first metric's derivative by the cell less the second's;
of rows in clusters each cluster is left out instead. A model against one answer for every row is the mean of what its
rows gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import Limits
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Estimate, leave_out
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._variance import slopes_seen
from trueerror.inference.loss._mean import ClusterSums, mean_over_units
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inputs._labels import Label, find_label
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Pooled,
    Prior,
    Seen,
    check_metric_options,
    find_measure,
    needs_collapse,
    prior_of_each,
    undefined_reason,
)
from trueerror.results import Contrast
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.tallies._agreement import Agreement, KeyedAgreement

Floats = NDArray[np.float64]

# Differences this close, beside the metric itself, are rounding.
ROUNDING = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class PairedMetric:
    """A metric of both models over the cells of one agreement table: cell c of either sample is cell c of the other.

    `registered` is False for a function of (table, masses), which may not know complex numbers.
    """

    agreement: Agreement
    seen: tuple[Seen, Seen]
    measure: Measure
    options: dict[str, Any]
    registered: bool = True

    @classmethod
    def of(
        cls, agreement: Agreement, measure: Measure, positive: Label | None, options: MetricOptions,
        prior: Prior | None = None, *, registered: bool = True,
    ) -> PairedMetric:  # fmt: skip
        """A metric of labels, perhaps at the prior of each class."""
        first, second = (_seen(measure, agreement, which, positive, prior) for which in (0, 1))
        return cls(agreement, (first, second), measure, dict(options), registered)

    @property
    def why(self) -> str:
        """Why the metric is undefined for the first, or else the second, model."""
        mix, prior = self.seen[0].mix, None
        if mix is not None:
            prior = dict(zip(self.agreement.labels, map(float, mix.shares), strict=True))
        for which, name in enumerate(("first", "second") if self.registered else ()):
            positive = self.seen[which].positive
            reason = undefined_reason(
                self.measure, self.agreement.model(which), positive=positive, prior=prior, **self.options
            )
            if reason:
                return f"{name}: {reason}"
        return "the metric is undefined for a model"

    @property
    def range(self) -> Limits:
        """Where a difference can lie."""
        low, high = self.measure.range
        return low - high, high - low

    def values(self, which: int, masses: Floats) -> Floats:
        """The metric of one model under other masses (…, cells)."""
        return np.asarray(self.seen[which].value(self.measure, masses, self.options), dtype=np.float64)

    def differences(self, masses: Floats) -> Floats:
        """First − second under masses (…, cells)."""
        return _apart(self.values(0, masses), self.values(1, masses))

    def difference(self) -> float:
        """First − second on the sample."""
        return float(self.differences(self.agreement.masses[None])[0])

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
        size = max(float(np.abs(self.values(which, self.agreement.masses[None])).max()) for which in (0, 1))
        return np.where(np.abs(values - estimate) <= ROUNDING * size, estimate, values)

    def influences(self) -> Floats | None:
        """How far one more row in each cell moves the difference; None where that cannot be said."""
        if not self.registered:
            return self._stepped_influences()
        try:
            first, second = (slopes_seen(self.measure, s, self.agreement.masses, self.options) for s in self.seen)
        except InputError:
            return None
        return first - second if np.isfinite(first - second).all() else None

    def _stepped_influences(self) -> Floats | None:
        """By a small step up and down in each cell."""
        masses = self.agreement.masses
        d, steps = np.empty(len(masses)), 1e-4 * np.diag(masses)
        for cell, step in enumerate(steps):
            up, down = self.differences(np.stack([masses + step, masses - step]))
            d[cell] = (up - down) / (2 * step[cell])
        return d if np.isfinite(d).all() else None

    def estimate(self) -> Estimate | None:
        """The difference and what a row of each cell adds to it; None where that cannot be said.

        At another class mix each class is a sample of its own.

        >>> both = paired_metric(Agreement.count([1] * 10, [1] * 9 + [0], [1] * 5 + [0] * 5), "accuracy", None, {})
        >>> made = both.estimate()
        >>> round(float(made.value), 2), round(float(made.spread.error), 3)  # sd(d)/√n
        (0.4, 0.163)
        """
        by_cell, value = self.influences(), self.difference()
        if by_cell is None or math.isnan(value):
            return None
        strata = None if self.seen[0].mix is None else self.agreement.truth.astype(np.intp)
        count = self.agreement.masses
        return Estimate(value=np.array(value), units=by_cell, count=count, strata=strata, range=self.range)

    def over_clusters(self, keyed: KeyedAgreement, *, each_row: bool = False) -> Estimate:
        """What the difference loses without each cluster; one without weight is no unit.

        Where each row is a cluster of its own, with a weight, it loses to first order what the row adds over 1 − w.
        """
        held = keyed.weights > 0
        sizes, groups, value = keyed.weights[held], int(held.sum()), self.difference()
        by_row = self.influences() if each_row else None
        if by_row is not None:
            lost = leave_out(sizes / sizes.sum(), keyed.sums(by_row)[held])
        else:
            lost = value - self.without_each(keyed)[held]
        return Estimate(
            value=np.array(value), units=(groups - 1) / groups * lost, sizes=sizes, range=self.range,
            rows_alike=float(keyed.sizes.sum()),
        )  # fmt: skip

    def without_each(self, keyed: KeyedAgreement) -> Floats:
        """The difference without each key's rows; NaN where the metric of what is left is undefined."""
        first, second = (self._without_each(seen, keyed) for seen in self.seen)
        return _apart(first, second)

    def _without_each(self, seen: Seen, keyed: KeyedAgreement) -> Floats:
        table, masses, values = seen.at(seen.table), seen.table.masses, []
        cell = seen.place[keyed.cell]
        cells, step = len(masses), max(1, BLOCK // len(masses))
        for start in range(0, len(keyed.keys), step):
            keys = min(step, len(keyed.keys) - start)
            mine = (keyed.key >= start) & (keyed.key < start + keys)
            where = (keyed.key[mine] - start) * cells + cell[mine]
            left = masses - np.bincount(where, weights=keyed.masses[mine], minlength=keys * cells).reshape(keys, cells)
            # What is left of a cell that is gone is rounding.
            values.append(table.value(self.measure, np.where(left > ROUNDING * masses, left, 0.0), self.options))
        return np.concatenate(values)


def _apart(a: Floats, b: Floats) -> Floats:
    """a − b; what rounding alone tells from 0 is 0."""
    with np.errstate(invalid="ignore"):
        d = a - b
    return np.where(np.abs(d) <= ROUNDING * np.maximum(np.abs(a), np.abs(b)), 0.0, d)


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
    """The metric by name, or a function of (table, masses), over an agreement table; with a class among several the
    table is of that one against the rest."""
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
    if prior is not None:
        named = positive if agreement.positive is None else agreement.positive
        free = measure.is_prior_free(len(agreement.labels))
        prior = None if free else prior_of_each(prior, agreement.labels, named)
    if needs_collapse(measure, agreement.model(0), positive):
        if prior is not None:
            raise InputError(f"{measure.name} of one class among several is not compared at another class mix")
        agreement, positive = _one_against_the_rest(agreement, positive), True
    if measure.of_one_class:
        agreement.model(0).binary(positive)  # an unknown or missing positive class is said before any work
    return PairedMetric.of(agreement, measure, positive, options, prior, registered=by_name)


def _seen(measure: Measure, agreement: Agreement, which: int, positive: Label | None, prior: Prior | None) -> Seen:
    """One model's table as the metric sees it, and where each cell of the agreement goes."""
    called, table = (agreement.first, agreement.second)[which], agreement.model(which)
    width = len(agreement.labels) + 1
    place = np.searchsorted(table.row * width + table.col, agreement.truth * width + called)
    own = Seen.of(measure, table, None, prior)
    return replace(own, positive=positive, steps=(Pooled(table, place), *own.steps))


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


def gains_in_accuracy(table: Confusion, answer: int) -> Floats:
    """What a row of each cell adds to the model's accuracy less that of one answer: +1, 0 or −1."""
    gains: Floats = (table.row == table.col).astype(np.float64) - (table.row == answer)
    return gains


def mean_gain(
    table: Confusion, gains: Floats, clusters: KeyedConfusion | None = None, whole: Limits = (-1.0, 1.0)
) -> Estimate:
    """Σw·g/Σw over the rows, or the rows of clusters; a cluster and a weighted row are left out.

    Rows of a cell with sampling weights count as (Σw)²/Σw² rows of equal weight. With clusters, `gains` are those of
    the cells of `clusters.table`.
    """
    if clusters is not None:
        return ClusterSums(clusters.weights, clusters.sums(gains)).over_units(whole)
    masses = table.masses
    heavy = np.ones(len(masses)) if table.weight_squares is None else table.weight_squares / masses
    return mean_over_units(heavy * gains, heavy, whole, masses / heavy)


def against_one_answer(
    table: Confusion,
    gains: Floats,
    *,
    clusters: KeyedConfusion | None = None,
    confidence: float = 0.95,
    whole: Limits = (-1.0, 1.0),
) -> Contrast:
    """The mean gain of a row over one answer for every row; `gains` has one value for each cell of the table.

    >>> table = Confusion([[90, 5], [3, 2]])
    >>> found = against_one_answer(table, gains_in_accuracy(table, 0))
    >>> round(found.estimate, 3), round(found.p_value, 2)
    (-0.03, 0.27)
    """
    made = mean_gain(table, gains, clusters, whole)
    n = table.n if clusters is None else clusters.table.n
    units = made.effective
    words = "clusters" if clusters is not None else "rows" if table.weight_sums is None else "rows, weights allowed for"
    return effective_t_contrast(
        made, IntervalSpec(confidence=confidence), n=n, higher_is_better=None, note=f"{units:,.0f} {words}"
    )
