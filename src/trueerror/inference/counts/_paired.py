"""The difference of a metric of labels between two models on the same rows, over the cells of their agreement table.

Each model has a table of its own, whose units are the rows, or the clusters, of both: the difference is one estimate
less the other. A model against one answer for every row is the mean of what its rows gain.
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
from trueerror.inference._designs import ClusterUnits, RowUnits, SharedRows
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import ROUNDING, Estimate, less_rounding
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._variance import Sample
from trueerror.inference.counts._one_class import LabelSample
from trueerror.inference.loss._mean import ClusterSums, mean_over_units
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import (
    Measure,
    MetricOptions,
    Prior,
    check_metric_options,
    find_measure,
    prior_of_each,
)
from trueerror.results import Contrast
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.tallies._agreement import Agreement, KeyedAgreement
from trueerror.tallies._confusion import Ints, sum_columns


@dataclass(frozen=True, slots=True, eq=False)
class PairedMetric:
    """A metric of both models over the cells of one agreement table; `places` is where each goes in a model's own."""

    agreement: Agreement
    models: tuple[LabelSample, LabelSample]
    places: tuple[Ints, Ints]

    @classmethod
    def of(
        cls, agreement: Agreement, measure: Measure, positive: Label | None, options: MetricOptions,
        prior: Prior | None = None, keyed: KeyedAgreement | None = None, *, drawn: type[ClusterUnits] = ClusterUnits,
    ) -> PairedMetric:  # fmt: skip
        """A metric of labels, perhaps at the prior of each class; over clusters, or over rows that weigh apart."""
        width, samples, places = len(agreement.labels) + 1, [], []
        for which, called in enumerate((agreement.first, agreement.second)):
            table = agreement.model(which)
            place = np.searchsorted(table.row * width + table.col, agreement.truth * width + called)
            sample = Sample.of(measure, table, positive=positive, prior=prior)
            units: RowUnits = SharedRows(table, agreement, place)
            if keyed is not None:
                own = KeyedConfusion(keyed.keys, table, keyed.key, place[keyed.cell], keyed.counts, keyed.weight_sums)
                units = drawn(table, own)
            samples.append(LabelSample.of(measure, replace(sample, drawn=units), options))
            places.append(place)
        return cls(agreement, (samples[0], samples[1]), (places[0], places[1]))

    @property
    def measure(self) -> Measure:
        """The metric."""
        return self.models[0].measure

    @property
    def why(self) -> str:
        """Why the metric is undefined for the first, or else the second, model."""
        reasons = ((name, m.reason) for name, m in zip(("first", "second"), self.models, strict=True))
        return next((f"{name}: {reason}" for name, reason in reasons if reason), "the metric is undefined for a model")

    def values(self, which: int, masses: Floats) -> Floats:
        """The metric of one model under other masses (…, cells)."""
        model = self.models[which]
        pooled = sum_columns(masses, self.places[which], len(model.sample.rows.row))
        return np.asarray(model.sample.value(model.measure, model.options, pooled), dtype=np.float64)

    def differences(self, masses: Floats) -> Floats:
        """First − second under masses (…, cells)."""
        return less_rounding(self.values(0, masses), self.values(1, masses))

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
        estimate, size = float(self.estimate.value), max(abs(m.value) for m in self.models)
        return np.where(np.abs(values - estimate) <= ROUNDING * size, estimate, values)

    @property
    def estimate(self) -> Estimate:
        """The difference, and what a row of each cell, a cluster or a weighted row adds to it.

        >>> both = paired_metric(Agreement.count([1] * 10, [1] * 9 + [0], [1] * 5 + [0] * 5), "accuracy", None, {})
        >>> round(float(both.estimate.value), 2), round(float(both.estimate.spread.error), 3)  # sd(d)/√n
        (0.4, 0.163)
        """
        first, second = (model.bare for model in self.models)
        return first - second


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
    measure = (
        find_measure(metric) if isinstance(metric, str) or not takes_masses(metric) else _of_masses(metric, options)
    )
    if not measure.of_labels:
        raise InputError(f"{measure.name} is made of scores, not of labels; compare two areas with delong")
    check_metric_options(measure, options)
    if prior is not None:
        named = positive if agreement.positive is None else agreement.positive
        free = measure.is_prior_free(len(agreement.labels))
        prior = None if free else prior_of_each(prior, agreement.labels, named)
    return PairedMetric.of(agreement, measure, positive, options, prior)


def _of_masses(function: Callable[..., Any], options: MetricOptions) -> Measure:
    """A function of (table, masses) as a metric; its slopes are those of a small step up and down in each cell."""

    def gradient(table: Confusion, masses: Floats, **given: Any) -> Floats:
        steps = 1e-4 * np.diag(masses)
        up, down = (np.asarray(function(table, masses + step, **given)) for step in (steps, -steps))
        return np.asarray((up - down) / (2e-4 * masses))

    name = getattr(function, "__name__", "metric")
    return Measure(
        name=name, title=name.replace("_", " "), function=function, needs="cells", best=None, gradient=gradient,
        range=(-math.inf, math.inf), options=tuple(options), undefined="it has no value on these rows",
    )  # fmt: skip


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
