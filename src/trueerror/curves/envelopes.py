"""The lower envelope of cost lines: its corners, its area, and how far choosing thresholds on the rows lowers it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.isotonic import hull_places
from trueerror.curves.replicates import grouped, resampled_tables
from trueerror.curves.views import Floats, area_under, downward
from trueerror.inputs.options import generator
from trueerror.intervals.critical import tail
from trueerror.results import Interval
from trueerror.results.words import number
from trueerror.tallies.scores import ScoreTable

ESTIMAND = "this model on new rows, all PC equally likely"


def crossings(fpr: Floats, fnr: Floats) -> Floats:
    """PC at which neighbours on the hull cost the same: ΔFPR / (ΔFPR + ΔTPR)."""
    alarms, found = np.diff(fpr), -np.diff(fnr)
    return alarms / (alarms + found)


def envelope_corners(fpr: Floats, fnr: Floats) -> tuple[Floats, Floats]:
    """Corners of the lower envelope of hull lines in order, each once."""
    pc = crossings(fpr, fnr)
    cost = fnr[1:] * pc + fpr[1:] * (1 - pc)
    inside = (pc > 0) & (pc < 1)
    return np.concatenate(([0.0], pc[inside], [1.0])), np.concatenate(([0.0], cost[inside], [0.0]))


def resample_areas(
    positives: NDArray[Any], negatives: NDArray[Any], rates: tuple[Floats, Floats]
) -> tuple[float, float]:
    """Of one resample the area under its own envelope, and what its thresholds cost on all rows, whose (FPR, FNR) at
    every cutoff are `rates`; NaN where a class has no rows.
    """
    up, down = downward(positives), downward(negatives)
    if not (up[-1] > 0 and down[-1] > 0):
        return float("nan"), float("nan")
    there = np.flatnonzero(positives + negatives)
    # Places count occupied scores from the top; empty ones between them change nothing but the count.
    chosen = hull_places(positives[there], negatives[there])
    places = np.concatenate(([0], len(positives) - there[::-1]))[chosen]
    fpr, fnr = down[places] / down[-1], 1 - up[places] / up[-1]
    edges = np.concatenate(([0.0], crossings(fpr, fnr), [1.0]))
    widths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    alarms, misses = rates[0][places], rates[1][places]
    # A line's mean over a stretch is its value in the middle.
    on_all = float((widths * (misses * middles + alarms * (1 - middles))).sum())
    return area_under(*envelope_corners(fpr, fnr)), on_all


def envelope_interval(
    table: ScoreTable,
    estimate: float,
    confidence: float,
    replicates: int,
    rng: Any,
    fallback: tuple[float, float, str],
) -> Interval:
    """The area with limits that are moved up by the optimism of choosing thresholds on the rows themselves."""
    low, high, method = fallback
    note = "sampling weights cannot be resampled from sums: wilson-lines instead of the bootstrap"
    if table.squares is None:
        up, down = (downward(c) for c in grouped(table))
        rates = down / float(down[-1]), 1 - up / float(up[-1])
        pairs = np.array(
            [
                resample_areas(p, q, rates)
                for block in resampled_tables(table, replicates=replicates, rng=rng)
                for p, q in zip(*block, strict=True)
            ]
        )
        own, on_all = pairs[~np.isnan(pairs[:, 0])].T
        ends = np.quantile(own, [tail(confidence), 1 - tail(confidence)]) - own.mean()
        honest = min(0.25, estimate + float((on_all - own).mean()))
        # A coin's area cannot be exceeded: where nearly all resamples are coins, nothing is left between the limits.
        lowest, highest = min(honest + float(ends[0]), estimate), min(0.25, max(honest + float(ends[1]), estimate))
        if len(own) < 0.99 * replicates:
            note = (
                f"{1 - len(own) / replicates:.0%} of the resamples lost a class: wilson-lines instead of the bootstrap"
            )
        elif not (ends[1] - ends[0] > 1e-9 and highest - lowest > 1e-9):
            note = "the resamples have no spread: wilson-lines instead of the bootstrap"
        else:
            low, high, method = lowest, highest, "bootstrap-optimism"
            note = (
                f"thresholds chosen on these rows; corrected for that the area is {number(honest)}; "
                f"{replicates:,} replicates, {generator(rng)[1]}"
            )
    return Interval(
        name="area under the cost envelope", estimate=estimate, low=max(0.0, min(low, estimate)),
        high=min(0.25, max(high, estimate)), confidence=confidence, method=method, n=table.n, note=note,
        estimand=ESTIMAND,
    )  # fmt: skip
