"""Means of areas over many classes (Hand and Till, one-vs-rest), of one model and of two on the same rows.

Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837, over a mean of areas; Hand and Till 2001, Mach.
Learn. 45:171.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._clusters import clusters_left_out, effective_clusters
from trueerror.inference._estimate import Estimate, Sums, estimate_of_sums
from trueerror.inference._problem import Problem, Range
from trueerror.inference._sample import Estimated, OneSample
from trueerror.inference.auc._interval import rows_of_classes
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes, Label
from trueerror.metrics._registry import ClassScores, Measure, MetricOptions, undefined_reason
from trueerror.results._format import whole

Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClassScoreSample(OneSample):
    """A mean of areas of rows with one score for each class, and the cluster of each where there are any."""

    measure: Measure
    codes: Codes
    scores: Floats
    labels: tuple[Label, ...]
    options: MetricOptions
    value: float
    cluster_codes: Codes | None = None
    tally = "class scores"

    @classmethod
    def of(
        cls,
        measure: Measure,
        codes: Codes,
        scores: Floats,
        labels: tuple[Label, ...],
        options: MetricOptions,
        clusters: Ints | None = None,
    ) -> ClassScoreSample:
        """The mean of areas of these rows."""
        return cls(
            measure=measure, codes=codes, scores=scores, labels=labels, options=options,
            value=float(measure.function(codes, scores, **options)),
            cluster_codes=None if clusters is None else np.unique(clusters, return_inverse=True)[1],
        )  # fmt: skip

    @property
    def n(self) -> float:
        """How many rows there are."""
        return len(self.codes)

    @property
    def clustered(self) -> bool:
        """Whether the rows are in clusters."""
        return self.cluster_codes is not None

    @property
    def groups(self) -> int:
        """How many clusters there are."""
        assert self.cluster_codes is not None
        return int(self.cluster_codes.max()) + 1

    def why_undefined(self, q: Problem[Any]) -> str:
        """Why the mean has no value."""
        return undefined_reason(self.measure, ClassScores(self.codes, self.scores, self.labels), **self.options)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """Every row's placements, averaged over the areas that it takes part in: DeLong's structural components.

        Each class is a sample of its own; clusters are left out to first order.
        """
        slopes = class_slopes(self.measure, self.codes, self.scores, self.options)
        notes: tuple[str, ...] = ()
        if self.cluster_codes is None:
            e = class_area_estimate(self.value, slopes, self.codes, (0.0, 1.0))
        else:
            e = clusters_left_out(self.value, slopes, self.codes, self.cluster_codes, (0.0, 1.0))
            notes = (f"{whole(self.groups)} clusters",)
        keys = np.arange(len(self.codes)) if self.cluster_codes is None else self.cluster_codes
        classes = range(self.scores.shape[1])
        sizes = [effective_clusters(np.bincount(keys[self.codes == c])) for c in classes]
        of_rows = rows_of_classes(np.bincount(self.codes).astype(np.float64))
        return Estimated(estimate=e, notes=notes, alike=rows_of_classes(sizes), rows=of_rows)


def class_area_estimate(value: float, slopes: Floats, codes: Codes, bounds: Range) -> Estimate:
    """A mean of areas, or a difference of two, with each class as a sample of its own."""
    return estimate_of_sums(value, [Sums.of(slopes[codes == c]) for c in np.unique(codes)], bounds)


def class_slopes(measure: Measure, codes: Codes, scores: Floats, options: MetricOptions) -> Floats:
    """What each row adds to the mean of areas, less its expectation."""
    assert measure.gradient is not None
    return np.asarray(measure.gradient(codes, scores, **options))


def class_area_rows(
    measure: Measure, codes: Codes, first: Floats, second: Floats, options: MetricOptions
) -> tuple[float, Floats]:
    """First − second, and what each row adds to it, less its expectation."""
    one, two = (float(measure.function(codes, s, **options)) for s in (first, second))
    rows = class_slopes(measure, codes, first, options) - class_slopes(measure, codes, second, options)
    # Identical models leave rounding dust, which must not pass for a variance.
    return one - two, np.where(np.abs(rows) > 1e-15, rows, 0.0)
