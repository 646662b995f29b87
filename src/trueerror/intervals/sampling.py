"""How the rows of a table came to be: at random, in clusters, with sampling weights, or class by class.

One object that says what a metric's variance is, so that every method of the room works for all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import find_label
from trueerror.inputs.options import check_word
from trueerror.metrics.priors import Prior, class_shares, reweighted
from trueerror.metrics.registry import Measure
from trueerror.metrics.values import needs_collapse
from trueerror.tallies.collapse import collapsed
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import sum_columns
from trueerror.tallies.keyed import KeyedConfusion
from trueerror.variances.clusters import cluster_variance, occupied
from trueerror.variances.delta import influence, variance
from trueerror.variances.weighting import weighted_variance

Floats = NDArray[np.float64]
Design = Literal["random", "case-control"]

# What happens within a class does not depend on how many rows it has. With two classes this holds for the second
# group too; with more, "the rest" is a mixture that the class distribution makes.
WITHIN_CLASSES = ("recall", "fnr", "balanced_accuracy", "macro_recall", "macro_fnr", "g_mean")
WITHIN_TWO_CLASSES = (
    "specificity", "fpr", "informedness", "lr_plus", "lr_minus", "diagnostic_odds_ratio", "macro_specificity",
    "macro_fpr", "macro_informedness",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A table as one metric sees it, with the rows that it came from.

    `table` may be one class of `rows` against the rest; `place` then says where each cell of `rows` went. `shares` is
    the class distribution to speak of instead of the sample's own; it is over the classes of `rows` where
    `shares_of_rows`, else over those of `table`.
    """

    rows: Confusion
    table: Confusion
    place: NDArray[np.int64] | None
    positive: Any
    shares: Floats | None
    shares_of_rows: bool
    clusters: KeyedConfusion | None
    design: Design

    @classmethod
    def of(
        cls,
        measure: Measure,
        rows: Confusion,
        *,
        positive: Any = None,
        clusters: KeyedConfusion | None = None,
        prior: Prior | None = None,
        design: Design = "random",
    ) -> Sample:
        """The table that the metric's formula sees, and what is known about its rows."""
        check_word(design, ("random", "case-control"), "design")
        if clusters is not None:
            cls.check_clusters(rows, clusters)
            named = rows.positive
            rows = clusters.table if clusters.table.positive == named else clusters.table.with_positive(named)
        invariant = free_of_prior(measure, len(rows.labels))
        if design == "case-control" and prior is None and not invariant:
            raise InputError(
                f'{measure.name} depends on how common each class is, which a sample with design="case-control" does '
                "not show: pass prior= (the share of each class where the model will be used)"
            )
        several = len(rows.labels) > 2
        by_class = isinstance(prior, dict) or (prior is not None and not several)
        shares = None
        if by_class and prior is not None:
            chosen = rows.positive if positive is None else find_label(positive, rows.labels)
            shares = class_shares(prior, rows.labels, chosen)
        elif prior is not None and positive is None:
            class_shares(prior, rows.labels)  # raises: one share does not fit many classes
        table, place = rows, None
        if needs_collapse(measure, rows, positive) or (prior is not None and not by_class):
            table, place = collapsed(rows, positive)
            positive = True
            if prior is not None and not by_class:
                shares = class_shares(prior, table.labels, True)
        elif positive is not None and len(rows.labels) == 2:
            table = rows.with_positive(positive)
        if invariant and shares is not None and _all_known(rows if by_class else table, shares):
            shares = None
        return cls(rows, table, place, positive, shares, by_class, clusters, design)

    @staticmethod
    def check_clusters(rows: Confusion, clusters: KeyedConfusion) -> None:
        """Clusters must have been counted from the same rows."""
        if rows.weight_sums is not None:
            raise InputError("clusters= and sampling weights together are not supported; leave one of them out")
        pooled = clusters.table
        if pooled.labels != rows.labels or pooled.n != rows.n:
            raise InputError(
                f"clusters= counts {pooled.n:,} rows of {len(pooled.labels)} classes, but the table has {rows.n:,} of "
                f"{len(rows.labels)}: both must come from the same rows"
            )

    # What the formula sees.

    def masses(self, of_rows: Any = None) -> Any:
        """The masses of the table's cells at the class distribution asked for; leading axes are replicates."""
        m = self.rows.masses if of_rows is None else of_rows
        if self.shares is not None and self.shares_of_rows:
            m = reweighted(self.rows, self.shares, m)
        if self.place is not None:
            m = sum_columns(m, self.place, len(self.table.counts))
        if self.shares is not None and not self.shares_of_rows:
            m = reweighted(self.table, self.shares, m)
        return m

    @np.errstate(invalid="ignore", divide="ignore")
    def value(self, measure: Measure, options: dict[str, Any], of_rows: Any = None) -> Any:
        """The metric, of the sample or of replicates of its cells."""
        m = self.masses(of_rows)
        if measure.needs == "binary":
            return measure.function(self.table.binary(self.positive, m), **options)
        if measure.needs == "classes":
            return measure.function(self.table.classes(m), **options)
        return measure.function(self.table, m, **options)

    @np.errstate(invalid="ignore", over="ignore")
    def influence(self, measure: Measure, options: dict[str, Any], of_rows: Any = None) -> Floats:
        """How far one more row in each cell of `rows` moves the metric."""
        own = self.rows.masses if of_rows is None else of_rows
        slopes = influence(measure, self.table, positive=self.positive, options=options, masses=self.masses(of_rows))
        if self.shares is not None and not self.shares_of_rows:
            inner = own if self.place is None else sum_columns(own, self.place, len(self.table.counts))
            slopes = _at_shares(self.table, self.shares, inner, slopes)
        if self.place is not None:
            slopes = slopes[..., self.place]
        if self.shares is not None and self.shares_of_rows:
            slopes = _at_shares(self.rows, self.shares, own, slopes)
        return slopes

    # What a variance is here.

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class distribution: the case that closed forms are for."""
        return self.clusters is None and self.rows.weight_sums is None and self.shares is None

    @property
    def kind(self) -> Literal["random", "clustered", "weighted"]:
        """Which variance holds."""
        if self.clusters is not None:
            return "clustered"
        return "random" if self.rows.weight_sums is None else "weighted"

    @property
    def groups(self) -> int:
        """Clusters with rows; without clusters every row is its own."""
        return self.rows.n if self.clusters is None else occupied(self.clusters)

    @property
    def df(self) -> float:
        """Degrees of freedom of the variance: G − 1 with clusters."""
        return math.inf if self.clusters is None else self.groups - 1

    @np.errstate(invalid="ignore", over="ignore")
    def variance(self, influences: Floats) -> float:
        """The variance of a metric with these influences."""
        if self.clusters is not None:
            return cluster_variance(self.clusters, influences)
        if self.rows.weight_sums is not None:
            return weighted_variance(self.rows, influences)
        return float(variance(influences, self.rows.counts))


def free_of_prior(measure: Measure, classes: int) -> bool:
    """Whether a metric is the same at every class distribution."""
    return measure.name in WITHIN_CLASSES or (classes <= 2 and measure.name in WITHIN_TWO_CLASSES)


def _all_known(table: Confusion, shares: Floats) -> bool:
    sizes = table.classes().truth
    return bool(((sizes > 0) | (shares == 0)).all())


def _at_shares(table: Confusion, shares: Floats, masses: Any, slopes: Floats) -> Floats:
    """Chain rule through m_c = share·n_c/n_class: within each class the mean slope is taken out."""
    k = len(table.labels)
    sizes = sum_columns(masses, table.row, k)
    safe = np.where(sizes == 0, 1.0, sizes)
    mean = sum_columns(masses * slopes, table.row, k) / safe
    scale = shares * np.asarray(masses.sum(axis=-1))[..., None] / safe
    out: Floats = scale[..., table.row] * (slopes - mean[..., table.row])
    return out
