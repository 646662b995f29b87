"""Areas over many classes (Hand and Till, one-vs-rest): DeLong's variance of a mean of areas on the same rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.labels import Codes, Label
from trueerror.intervals.terms import Terms
from trueerror.kernels import chosen
from trueerror.metrics.class_scores import ClassScores
from trueerror.metrics.reasons import undefined_reason
from trueerror.metrics.registry import Measure
from trueerror.results import Interval

Floats = NDArray[np.float64]
WHOLE = (0.0, 1.0)


def class_area_interval(
    measure: Measure, codes: Codes, scores: Floats, labels: tuple[Label, ...], options: Mapping[str, Any], terms: Terms
) -> Interval:
    """A mean of areas with logit limits: every row's placements, averaged over the areas that it takes part in.

    The variance is Σ over classes of n_c/(n_c − 1)·Σ h², h the row's share of the mean less its expectation: DeLong's
    structural components, which carry the dependence of areas that share rows. Source: DeLong, DeLong and
    Clarke-Pearson 1988, Biometrics 44:837; Hand and Till 2001, Mach. Learn. 45:171.
    """
    estimate = float(measure.function(codes, scores, **options))
    n = len(codes)
    if math.isnan(estimate):
        note = undefined_reason(measure, ClassScores(codes, scores, labels), **options)
        return terms.interval(measure.name, math.nan, 0.0, 1.0, bounds=WHOLE, method="delong-classes", n=n, note=note)
    shares = _hand_till(codes, scores) if measure.name == "hand_till_auc" else _one_vs_rest(codes, scores, options)
    sizes = np.bincount(codes, minlength=scores.shape[1]).astype(float)
    sums = np.bincount(codes, weights=shares**2, minlength=scores.shape[1])
    grown = np.where(sizes > 1, sizes / np.maximum(sizes - 1, 1), math.nan)
    variance = float(np.nansum(sums * grown))
    z = terms.factor()
    note = "" if (sizes > 1).all() else "a class has one row, whose spread cannot be told"
    if variance > 0 and 0 < estimate < 1:
        half = z * math.sqrt(variance) / (estimate * (1 - estimate))
        centre = float(special.logit(estimate))
        low, high = float(special.expit(centre - half)), float(special.expit(centre + half))
    else:
        # Nothing was out of order: at most so large a share of the rarest class can be.
        reach = 1 - terms.tail ** (1 / sizes.min())
        low, high = estimate - reach, estimate + reach
        note = "no spread among the rows: limits by the rows of the rarest class"
    return terms.interval(measure.name, estimate, low, high, bounds=WHOLE, method="delong-classes", n=n, note=note)


def _placed(scores: Floats, up: NDArray[np.bool_]) -> Floats:
    """Each row's placement among the other class, less the area, over the rows of its own class."""
    positives, negatives = int(up.sum()), int((~up).sum())
    placed = chosen(len(up)).placements(np.ascontiguousarray(scores), up) / (2.0 * np.where(up, negatives, positives))
    share: Floats = (placed - placed[up].mean()) / np.where(up, positives, negatives)
    return share


def _hand_till(codes: Codes, scores: Floats) -> Floats:
    k = scores.shape[1]
    rows = [np.flatnonzero(codes == i) for i in range(k)]
    total = np.zeros(len(codes))
    for i in range(k):
        for j in range(k):
            if i != j:
                both = np.concatenate([rows[i], rows[j]])
                total[both] += _placed(scores[both, i], codes[both] == i)
    return np.asarray(total / (k * (k - 1)))


def _one_vs_rest(codes: Codes, scores: Floats, options: Mapping[str, Any]) -> Floats:
    k = scores.shape[1]
    weights = np.full(k, 1 / k)
    if options.get("average") == "weighted":
        weights = np.bincount(codes, minlength=k) / len(codes)
    total = np.zeros(len(codes))
    for i in range(k):
        total += weights[i] * _placed(scores[:, i], codes == i)
    return total
