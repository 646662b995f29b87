"""The hot loops compiled by Numba (the extra `fast`), with the names and answers of `plain`.

Whole numbers agree to the last bit; sums of fractions are made in a fixed order and agree to 1e-12.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels import compiled_order, compiled_ranks, plain
from trueerror.kernels.draws import EXACT
from trueerror.kernels.fast_tables import score_groups as score_groups
from trueerror.kernels.layout import RankLayout
from trueerror.kernels.plain import count_codes as count_codes
from trueerror.kernels.plain import run_lengths as run_lengths
from trueerror.kernels.radix import STRETCH, announce, leading, places_of, run_cuts
from trueerror.kernels.threads import in_threads, parts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Sorted = tuple[NDArray[np.uint64], NDArray[np.uint32]]

U = np.uint64
# Row and class share 32 bits beside each key.
MOST = 1 << 31


def placements(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Floats:
    """For each row, how many rows of the other class it beats, ties counting half, doubled to stay whole."""
    if not 0 < len(scores) < MOST:
        return plain.placements(scores, positive)
    keys, loads = _sorted_rows(scores, positive)
    result = np.empty(len(scores), dtype=np.float64)
    compiled_order.fill_placements(keys, loads, result)
    return result


def ordered_pairs(positives: NDArray[Any], negatives: NDArray[Any]) -> float:
    """From a score table: twice the pairs in which the positive has the higher score, ties half."""
    if positives.dtype != np.int64 or negatives.dtype != np.int64:
        return plain.ordered_pairs(positives, negatives)
    return _pairs_by_stretch(positives, negatives, _stretches(positives))[0]


def _stretches(counts: Counts) -> list[slice]:
    return parts(len(counts), max(1, len(counts) // STRETCH))


def _pairs_by_stretch(
    positives: Counts, negatives: Counts, stretches: list[slice]
) -> tuple[float, list[int], list[int]]:
    """The ordered pairs, doubled; and before each stretch, the negatives below and the positives from there on."""
    announce(Path(compiled_ranks.replicate_areas.stats.cache_path))
    found = in_threads(lambda s: compiled_ranks.class_sums(positives, negatives, s.start, s.stop), stretches)
    below, over = [0], [sum(up for up, _, _ in found)]
    total = 0.0
    for up, down, twice in found:
        total += twice + 2.0 * up * below[-1]
        below.append(below[-1] + down)
        over.append(over[-1] - up)
    return total, below, over


def placement_sums(positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[float, float, float]:
    """From a score table the sum and the spreads of placements; see `plain.placement_sums`."""
    if positives.dtype != np.int64 or negatives.dtype != np.int64:
        return plain.placement_sums(positives, negatives)
    stretches = _stretches(positives)
    total, below, over = _pairs_by_stretch(positives, negatives, stretches)
    m, n = over[0], below[-1]
    if m == 0 or n == 0:
        return 0.0, float("nan"), float("nan")
    area = total / (2.0 * m * n)
    spreads = in_threads(
        lambda i: compiled_ranks.spread_sums(
            positives, negatives, stretches[i].start, stretches[i].stop, below[i], over[i], float(m), float(n), area
        ),
        range(len(stretches)),
    )
    return total, sum(s for s, _ in spreads), sum(s for _, s in spreads)


def area_replicates(
    layout: RankLayout, seed: int, first: int, last: int, *, precision: bool = True
) -> tuple[Floats, Floats]:
    """Bootstrap replicates of the area under the ROC curve and of the average precision; see `plain`."""
    announce(Path(compiled_ranks.replicate_areas.stats.cache_path))
    areas, precisions = np.full(last - first, np.nan), np.full(last - first, np.nan)
    nothing = np.empty(0, dtype=np.int32)
    ends = nothing if layout.ends is None else layout.ends.astype(np.int32)
    # Half as wide, places are read in half the time; rows beyond 2³¹ would take days anyway.
    through = layout.through.astype(np.int32)
    above = nothing if layout.above is layout.through else layout.above.astype(np.int32)
    count = last - first
    # Pieces long enough to pay for their buffers, short enough to keep all threads busy to the end.
    pieces = parts(count, max(1, min(count, layout.rows * count // (1 << 25))))

    def run(piece: slice) -> None:
        compiled_ranks.replicate_areas(
            layout.positives, layout.negatives, ends, above, through, layout.rows <= EXACT,
            U(seed), first + piece.start, first + piece.stop, precision, areas[piece], precisions[piece],
        )  # fmt: skip

    in_threads(run, pieces)
    return areas, precisions


def _sorted_rows(scores: NDArray[Any], positive: NDArray[np.bool_]) -> Sorted:
    """Keys in ascending order with (row, class) beside each: one scatter by leading digit, then run by run."""
    announce(Path(compiled_order.sort_runs.stats.cache_path))
    n = len(scores)
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    keys, loads = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint32)
    pieces = parts(n, max(1, min(8, n // STRETCH)))
    extremes = in_threads(lambda p: compiled_order.order_keys(bits, positive, keys, loads, p.start, p.stop), pieces)
    low, high = min(int(a) for a, _ in extremes), max(int(b) for _, b in extremes)
    shift, width = leading(low, high)
    counts = np.zeros((len(pieces), width), dtype=np.int64)
    in_threads(
        lambda i: compiled_order.histogram(keys, pieces[i].start, pieces[i].stop, U(low), U(shift), counts[i]),
        range(len(pieces)),
    )
    places, starts = places_of(counts, n)
    to_keys, to_loads = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint32)
    in_threads(
        lambda i: compiled_order.scatter(
            keys, loads, to_keys, to_loads, pieces[i].start, pieces[i].stop, U(low), U(shift), places[i]
        ),
        range(len(pieces)),
    )
    in_threads(
        lambda r: compiled_order.sort_runs(to_keys, to_loads, keys, loads, starts, *r),
        list(pairwise(run_cuts(starts, n))),
    )
    return to_keys, to_loads
