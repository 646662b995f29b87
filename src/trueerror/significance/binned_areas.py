"""Two areas from binned scores: what binning leaves open goes into the interval and the p-value."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from trueerror.results import Alternative, Contrast
from trueerror.significance.areas import area_contrast
from trueerror.tallies.placements import Placements
from trueerror.variances.delong import AreaCovariance, delong_from_placements


def binned_area_contrast(
    found: Placements,
    first: int,
    second: int,
    *,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """DeLong's contrast whose limits hold for every order of the rows within bins, and whose p-value is the largest.

    The exact difference lies within ± the sum of both areas' slacks, and the standard error, which is a norm, may be
    larger by the sum of both errors at most.
    """
    areas = delong_from_placements(found)
    slack, error = (float(x[first] + x[second]) for x in (found.slack, found.error))
    options = {"confidence": confidence, "alternative": alternative}
    if slack == 0 and error == 0:
        return area_contrast(areas, first, second, **options)  # type: ignore[arg-type]
    wider = _with_error(areas, first, second, error)
    middle, lowest, highest = (
        area_contrast(_moved(wider, first, by), first, second, **options)  # type: ignore[arg-type]
        for by in (0.0, -slack, slack)
    )
    ends = [lowest.p_value, middle.p_value, highest.p_value]
    difference = middle.estimate
    p = 1.0 if alternative == "two-sided" and abs(difference) <= slack else max(ends)
    note = f"binned scores: the exact difference lies within ±{slack:.2g} of this one, which the limits and p allow for"
    return replace(
        middle, low=lowest.low, high=highest.high, p_value=p, note="; ".join(x for x in (middle.note, note) if x)
    )


def _moved(areas: AreaCovariance, which: int, by: float) -> AreaCovariance:
    moved = areas.areas.copy()
    moved[which] += by
    return replace(areas, areas=moved)


def _with_error(areas: AreaCovariance, first: int, second: int, error: float) -> AreaCovariance:
    """The same, the standard error of the difference larger by `error`."""
    weights = np.zeros(len(areas.areas))
    weights[first] += 1
    weights[second] -= 1
    _, variance, _ = areas.contrast(weights)
    if math.isnan(variance):
        return areas
    grown = areas.among_positives.copy()
    grown[first, first] += (math.sqrt(variance) + error) ** 2 - variance
    return replace(areas, among_positives=grown)
