"""Bands around a ROC curve: pointwise ones that hold at each FPR by itself, simultaneous ones that hold everywhere.

A pointwise band is not a simultaneous one: over a whole curve it is left far more often than its level says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trueerror.curves.lines import curve_points, foot_at, top_at
from trueerror.curves.replicates import grouped, resampled_tables
from trueerror.curves.views import Floats, frozen
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word, generator
from trueerror.intervals.proportions import limits
from trueerror.results import Result
from trueerror.results.words import folded, percent, whole
from trueerror.tallies.scores import ScoreTable

BandKind = Literal["pointwise", "simultaneous"]
METHODS = {"pointwise": "roc-band-wilson", "simultaneous": "roc-band-fixed-width"}
# FPRs at which a band is given, and places along the curve at which curves are compared.
GRID = 401
PLACES = 512


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RocBand(Result):
    """A band around a ROC curve: at each `fpr` the curve's `tpr` and where the true one may lie, `low` to `high`."""

    name: str = ""
    kind: BandKind
    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats
    confidence: float = 0.95
    method: str = ""
    n: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for field in ("fpr", "tpr", "low", "high"):
            object.__setattr__(self, field, frozen(np.array(getattr(self, field), dtype=np.float64)))

    @property
    def title(self) -> str:
        """What the band is, for a legend."""
        return f"{percent(self.confidence)} {self.kind} band"

    def at(self, fpr: Any) -> tuple[Floats, Floats]:
        """Lower and upper limit at any FPR."""
        return np.interp(fpr, self.fpr, self.low), np.interp(fpr, self.fpr, self.high)

    def records(self) -> list[dict[str, object]]:
        """One record for each FPR of the grid."""
        rows = zip(self.fpr, self.tpr, self.low, self.high, strict=True)
        return [dict(zip(("fpr", "tpr", "low", "high"), map(float, row), strict=True)) for row in rows]

    def __str__(self) -> str:
        subject = f" of {self.name}" if self.name else ""
        holds = (
            "holds at each FPR by itself, not over the whole curve"
            if self.kind == "pointwise"
            else "holds over the whole curve at once"
        )
        note = f" ({self.note})" if self.note else ""
        return folded(
            f"{self.title} around the ROC curve{subject}, {self.method}, n = {whole(self.n)}: it {holds}.{note}"
        )

    def __repr__(self) -> str:
        return str(self)


def roc_band(
    table: ScoreTable,
    rows: tuple[float, float],
    *,
    kind: BandKind = "pointwise",
    confidence: float = 0.95,
    replicates: int = 1000,
    rng: Any = None,
    name: str = "",
) -> RocBand:
    """The band of a score table whose classes are worth so many equal rows (positives, negatives).

    Pointwise: at FPR t the limits are T − √((T − l)² + (T − T(t_l))²) and T + √((u − T)² + (T(t_u) − T)²), where T is
    the curve, l and u are Wilson's limits of the TPR, and t_l and t_u those of the FPR (MOVER, Zou and Donner 2008).
    Simultaneous: the curve moved up by d/2√m and left by d/2√n, and down and right; d is the quantile of the farthest
    distance between the curve and its bootstrap replicates along that direction (the fixed-width bands of Campbell
    1994, Stat. Med. 13:499, and Macskassy and Provost 2004, ROCAI:61), and nowhere is it narrower than the pointwise.
    """
    check_word(kind, tuple(METHODS), "kind")
    level = check_confidence(confidence)
    grid = np.linspace(0.0, 1.0, GRID)
    fpr, tpr = curve_points(table.positives, table.negatives)
    centre = top_at(fpr, tpr, grid)
    low, high = pointwise_limits(fpr, tpr, grid, rows, level)
    note = ""
    if kind == "simultaneous":
        if table.squares is not None:
            raise InputError(
                'a simultaneous band resamples rows, but sampling weights were summed over rows: use kind="pointwise"'
            )
        reach = farthest_distances(table, rows, replicates=replicates, rng=rng)
        up, left = (float(np.quantile(reach, level)) / (2 * np.sqrt(r)) for r in rows)
        low = np.minimum(low, np.where(grid > left, foot_at(fpr, tpr, np.maximum(grid - left, 0.0)) - up, 0.0))
        high = np.maximum(high, top_at(fpr, tpr, np.minimum(grid + left, 1.0)) + up)
        note = f"{replicates:,} replicates, {generator(rng)[1]}"
    if not table.exact:
        for bound, lift in ((table.bounds.worst, -1), (table.bounds.best, 1)):
            off = np.abs(top_at(*curve_points(bound.positives, bound.negatives), grid) - centre)
            low, high = (low - off, high) if lift < 0 else (low, high + off)
        note = "; ".join(x for x in (note, "binned scores: wide enough for the exact curve, wherever it lies") if x)
    # The true curve does not fall, so neither need the limits.
    low, high = np.maximum.accumulate(np.clip(low, 0.0, 1.0)), np.clip(high, 0.0, 1.0)
    high = np.minimum.accumulate(high[::-1])[::-1]
    return RocBand(
        name=name, kind=kind, fpr=grid, tpr=centre, low=np.minimum(low, centre), high=np.maximum(high, centre),
        confidence=level, method=METHODS[kind], n=table.n, note=note,
    )  # fmt: skip


def pointwise_limits(
    fpr: Floats, tpr: Floats, grid: Floats, rows: tuple[float, float], confidence: float
) -> tuple[Floats, Floats]:
    """Limits of the TPR at each FPR of the grid; the curve's own doubt and that of where the FPR lies."""
    positives, negatives = rows
    centre = top_at(fpr, tpr, grid)
    left, right = limits(grid * negatives, negatives, "wilson", confidence)
    # With less than one negative to the left the threshold may lie above all scores.
    left = np.where(left * negatives < 1, 0.0, left)
    under, over = limits(centre * positives, positives, "wilson", confidence)
    low = centre - np.hypot(centre - under, centre - foot_at(fpr, tpr, left))
    high = centre + np.hypot(over - centre, top_at(fpr, tpr, right) - centre)
    return low, high


def farthest_distances(
    table: ScoreTable, rows: tuple[float, float], *, replicates: int = 1000, rng: Any = None
) -> Floats:
    """For each bootstrap replicate the farthest distance from the curve, each class in units of 1/√rows.

    With u = FPR·√n and v = TPR·√m the curve is a function v − u of u + v, without vertical pieces.
    """
    up, down = (np.sqrt(r) for r in rows)
    places = np.linspace(0.0, up + down, PLACES)

    def turned(positives: Any, negatives: Any) -> Floats:
        x, y = curve_points(positives, negatives)
        along = x * down + y * up
        across: Floats = np.interp(places, along, y * up - x * down)
        return across

    own = turned(*grouped(table))
    found = []
    for positives, negatives in resampled_tables(table, replicates=replicates, rng=rng):
        for i in np.flatnonzero((positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)):
            found.append(float(np.abs(turned(positives[i], negatives[i]) - own).max()))
    return np.array(found)
