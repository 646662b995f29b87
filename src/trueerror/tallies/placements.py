"""Sums over rows of how each is placed among the rows of the other class: all that comparing areas needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Placements:
    """Areas of several models on the same rows, with the sums of squares and products of their placements.

    The placement of a positive is the share of negatives that it beats, that of a negative the share of positives that
    beat it. `among_positives` and `among_negatives` are the sums of (V − area)(V′ − area′) over the rows of a class.
    Where scores were binned, each exact area lies within ± `slack`, and a standard error may be too small by at most
    `error`.
    """

    areas: Floats
    among_positives: Floats
    among_negatives: Floats
    positives: int
    negatives: int
    slack: Floats
    error: Floats
