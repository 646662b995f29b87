"""Reading a ROC curve between its points: joined by straight lines, with vertical pieces that have a top and a foot."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.curves.views import Floats

# A hair, so that 0.3 finds the point at 3/10.
HAIR = 1e-12


def top_at(fpr: Floats, tpr: Floats, wanted: Any) -> Floats:
    """The highest TPR that the joined points have at each FPR.

    >>> top_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.5 , 0.75])
    """
    x = np.asarray(wanted, dtype=np.float64)
    before = np.searchsorted(fpr, x * (1 + HAIR) + 1e-15, side="right") - 1
    after = np.minimum(before + 1, len(fpr) - 1)
    return _between(fpr, tpr, x, before, after)


def foot_at(fpr: Floats, tpr: Floats, wanted: Any) -> Floats:
    """The lowest TPR that the joined points have at each FPR.

    >>> foot_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.  , 0.75])
    """
    x = np.asarray(wanted, dtype=np.float64)
    after = np.minimum(np.searchsorted(fpr, x * (1 - HAIR) - 1e-15, side="left"), len(fpr) - 1)
    before = np.maximum(after - 1, 0)
    # At the first point there is nothing before it.
    return _between(fpr, tpr, x, np.where(fpr[after] <= x * (1 + HAIR) + 1e-15, after, before), after)


def _between(fpr: Floats, tpr: Floats, x: Floats, before: Any, after: Any) -> Floats:
    width = fpr[after] - fpr[before]
    part = np.where(width > 0, (x - fpr[before]) / np.where(width > 0, width, 1.0), 0.0)
    out: Floats = tpr[before] + np.clip(part, 0.0, 1.0) * (tpr[after] - tpr[before])
    return out


def curve_points(positives: Any, negatives: Any) -> tuple[Floats, Floats]:
    """(fpr, tpr) of one table of counts at ascending scores, from (0, 0) to (1, 1)."""
    tp = np.concatenate(([0.0], np.cumsum(positives[::-1])))
    fp = np.concatenate(([0.0], np.cumsum(negatives[::-1])))
    return fp / fp[-1], tp / tp[-1]
