"""Limits on a scale where the estimate is nearer to normal, or where a proportion's limits apply; over arrays.

All take estimates, their variances and how many standard errors to go; a variance of 0 or an estimate at the end of
the range leaves nothing to transform, and is marked NaN for the caller to mend.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.proportions import limits
from trueerror.intervals.terms import Range, Terms

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]


def plain(estimate: Any, variance: Any, z: Any) -> Pair:
    """estimate ± z·SE; NaN where SE is 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    reach = z * np.sqrt(np.where(v > 0, v, np.nan))
    return e - reach, e + reach


def on_logit(estimate: Any, variance: Any, z: Any, bounds: Range = (0.0, 1.0)) -> Pair:
    """logit(q) ± z·SE/(q(1 − q)) with q the place in the range, and back.

    On (−1, 1) this is Fisher's z: atanh(m) ± z·SE/(1 − m²).
    """
    start, width = bounds[0], bounds[1] - bounds[0]
    q = (np.asarray(estimate, dtype=np.float64) - start) / width
    v = np.asarray(variance, dtype=np.float64) / width**2
    fine = (v > 0) & (q > 0) & (q < 1)
    inside = np.where(fine, q, 0.5)
    # Odds rather than logits: exp of a huge reach is inf, and inf gives the end of the range.
    odds = inside / (1 - inside)
    with np.errstate(over="ignore"):
        factor = np.exp(np.where(fine, z * np.sqrt(np.where(fine, v, 1.0)) / (inside * (1 - inside)), np.nan))
    low, high = odds / (odds + factor), 1 / (1 + 1 / (odds * factor))
    return start + width * low, start + width * high


def on_log(estimate: Any, variance: Any, z: Any) -> Pair:
    """estimate·exp(±z·SE/estimate), for what cannot be below 0."""
    e = np.asarray(estimate, dtype=np.float64)
    v = np.asarray(variance, dtype=np.float64)
    fine = (v > 0) & (e > 0) & np.isfinite(e)
    inside = np.where(fine, e, 1.0)
    with np.errstate(over="ignore"):
        factor = np.exp(np.where(fine, z * np.sqrt(np.where(fine, v, 1.0)) / inside, np.nan))
    return inside / factor, inside * factor


def at_size(estimate: Any, size: Any, terms: Terms, z: Any, bounds: Range = (0.0, 1.0)) -> Pair:
    """Wilson's limits for the place in the range, as if it were a proportion of `size` rows."""
    start, width = bounds[0], bounds[1] - bounds[0]
    q = np.clip((np.asarray(estimate, dtype=np.float64) - start) / width, 0.0, 1.0)
    low, high = limits(q * size, size, "wilson", terms.level, terms.side, z=z)
    return start + width * low, start + width * high


def as_jaccard(f: Any) -> Any:
    """J = F/(2 − F)."""
    return f / (2 - f)


def from_jaccard(j: Any) -> Any:
    """F = 2J/(1 + J)."""
    return 2 * j / (1 + j)
