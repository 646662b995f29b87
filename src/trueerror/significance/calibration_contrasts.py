"""The difference of two calibration errors, from each model's own limits.

No resampling: a replicate adds noise to gaps that are noise already, the more of its error the better the forecasts
hold. The replicates' difference then lies beside the true one, and more rows make the miss more certain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.intervals.calibration_errors import CALIBRATION_ERRORS, calibration_error_limits
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import Limits, check_options, contrast, tail_area
from trueerror.significance.roots import crossing
from trueerror.tallies.scores import ScoreTable

# As far as limits are searched, in standard errors of either model: p-values end at 5.1e-12.
NEAREST, FURTHEST = 1e-6, 7.0
TOO_NARROW = "too narrow where forecasts are near to calibrated, since resampling adds to their errors"
NO_NOISE = "neither model's gaps show any noise: limits by the rule of three"


def calibration_contrast(
    measure: Measure,
    first: ScoreTable,
    second: ScoreTable,
    *,
    options: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """First − second, from l1 − u2 to u1 − l2, where l and u leave out half of the tail each.

    The difference lies below l1 − u2 only if the first error is below l1 or the second above u2, so the two halves add
    up to the tail whether or not the rows are the same (Bonferroni). The p-value is the smallest level at which the
    limits exclude 0, searched to 5e-12.

    Source: `calibration_error_limits` for l and u; Dunn 1961, JASA 56:52, for adding up tails.

    >>> from trueerror.metrics.registry import find_measure
    >>> truth = [0] * 500 + [1] * 500
    >>> far, near = ScoreTable.count(truth, [0.8] * 1_000), ScoreTable.count(truth, [0.5] * 1_000)
    >>> c = calibration_contrast(find_measure("ece"), far, near)
    >>> round(c.estimate, 2), round(c.low, 1), round(c.high, 1), c.p_value < 0.001
    (0.3, 0.2, 0.3, True)
    """
    level = check_options(confidence, alternative)
    if measure.name not in CALIBRATION_ERRORS:
        raise InputError(f"{measure.name} is not a calibration error; those are {', '.join(CALIBRATION_ERRORS)}")
    given = dict(options or {})
    errors = [float(measure.function(t, **given)) for t in (first, second)]
    if not all(math.isfinite(e) for e in errors):
        raise InputError(f"{measure.name} is undefined: {measure.undefined or 'there are no rows'}")
    estimate = errors[0] - errors[1]

    def limits(tail: float) -> Limits:
        terms = Terms(each_at=1 - 2 * tail)
        (low1, high1), (low2, high2) = (
            calibration_error_limits(measure, t, e, given, terms) for t, e in zip((first, second), errors, strict=True)
        )
        return low1 - high2, high1 - low2

    tail = tail_area(level, alternative)
    found = limits(tail / 2)
    notes: tuple[str, ...] = ()
    if not found[1] > found[0]:
        half = sum(1 - (tail / 2) ** (1 / max(float(t.n), 1.0)) for t in (first, second))
        found, notes = (estimate - half, estimate + half), (NO_NOISE,)

    def one_sided(side: int) -> float:
        """Twice the tail of either model's limit at which this side's limit reaches 0."""
        sign = 1 if side == 0 else -1

        def clear(z: float) -> float:
            return sign * limits(float(special.ndtr(-z)))[side]

        if clear(NEAREST) <= 0:
            return 1.0
        # Limits move with z nearly on a line, so that a few steps find where they cross 0.
        z = FURTHEST if clear(FURTHEST) > 0 else crossing(clear, NEAREST, FURTHEST, within=1e-9)
        return 2 * float(special.ndtr(-z))

    if alternative == "two-sided":
        p = min(1.0, 2 * one_sided(0 if estimate > 0 else 1)) if estimate != 0 else 1.0
    else:
        p = one_sided(0 if alternative == "greater" else 1)
    return contrast(
        estimate=estimate, limits=found, confidence=level, alternative=alternative, notes=notes, null=None, p_value=p,
        method="calibration-gaps-difference", statistic=estimate, n=float(first.n),
    )  # fmt: skip
