"""ROC points joined by straight lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from trueerror.curves._points import Counts, Places
from trueerror.inputs._arrays import Floats, plain_numbers

# A hair, so that 0.3 finds the point at 3/10.
HAIR = 1e-12


def top_at(fpr: Floats, tpr: Floats, wanted: ArrayLike) -> Floats:
    """The highest TPR that the joined points have at each FPR.

    >>> top_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.5 , 0.75])
    """
    x = plain_numbers(wanted, "fpr")
    before = np.searchsorted(fpr, x * (1 + HAIR) + 1e-15, side="right") - 1
    after = np.minimum(before + 1, len(fpr) - 1)
    return _between(fpr, tpr, x, before, after)


def foot_at(fpr: Floats, tpr: Floats, wanted: ArrayLike) -> Floats:
    """The lowest TPR that the joined points have at each FPR.

    >>> foot_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.  , 0.75])
    """
    x = plain_numbers(wanted, "fpr")
    after = np.minimum(np.searchsorted(fpr, x * (1 - HAIR) - 1e-15, side="left"), len(fpr) - 1)
    before = np.maximum(after - 1, 0)
    # At the first point there is nothing before it.
    return _between(fpr, tpr, x, np.where(fpr[after] <= x * (1 + HAIR) + 1e-15, after, before), after)


def _between(fpr: Floats, tpr: Floats, x: Floats, before: Places, after: Places) -> Floats:
    width = fpr[after] - fpr[before]
    part = np.where(width > 0, (x - fpr[before]) / np.where(width > 0, width, 1.0), 0.0)
    out: Floats = tpr[before] + np.clip(part, 0.0, 1.0) * (tpr[after] - tpr[before])
    return out


def curve_points(positives: Counts, negatives: Counts) -> tuple[Floats, Floats]:
    """(fpr, tpr) of one table of counts at ascending scores, from (0, 0) to (1, 1)."""
    tp = np.concatenate(([0.0], np.cumsum(positives[::-1])))
    fp = np.concatenate(([0.0], np.cumsum(negatives[::-1])))
    return fp / fp[-1], tp / tp[-1]
