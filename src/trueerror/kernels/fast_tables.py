"""Score tables by compiled loops: scores are sorted with their class and nothing else."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels import compiled_tagged as loops
from trueerror.kernels import plain
from trueerror.kernels.radix import STRETCH, announce, leading, places_of, run_cuts
from trueerror.kernels.threads import in_threads, parts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Keys = NDArray[np.uint64]

U = np.uint64
# Equal steps into which values are cut, and the share of the rows (one in so many) that no step may exceed.
STEPS = 1 << 12
CROWDED = 64


class _Rows(NamedTuple):
    """Scores and classes, and how a score becomes a key."""

    scores: NDArray[Any]
    positive: NDArray[np.bool_]
    pieces: list[slice]
    scale: float
    low: float
    high: float


class _Digits(NamedTuple):
    """How a score finds its bucket (see `leading_digit`), and how many rows of each piece each bucket has."""

    base: float
    factor: float
    lowest: np.uint64
    shift: np.uint64
    counts: Counts


def score_groups(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Floats, Counts, Counts]:
    """Distinct scores, ascending, with how many positives and negatives have each; −0.0 is 0.0."""
    n = len(scores)
    if n == 0:
        return plain.score_groups(scores, positive)
    announce(Path(loops.sort_tagged_runs.stats.cache_path))
    pieces = parts(n, max(1, min(8, n // STRETCH)))
    found = in_threads(lambda p: loops.score_extremes(scores, p.start, p.stop), pieces)
    low, high, tiny = min(f[0] for f in found), max(f[1] for f in found), min(f[2] for f in found)
    largest = max(abs(low), abs(high))
    # Scaled below 2, the order of a double fits into 63 bits; scores that this would round take the plain way.
    power = max(0, int(np.frexp(largest)[1]) - 1) if largest < np.inf else 0
    if not largest < np.inf or (power and tiny * 2.0**-power < 2.0**-1022):
        return plain.score_groups(scores, positive)
    keys = _sorted_keys(_Rows(scores, positive, pieces, 2.0**-power, low, high))
    return _groups(keys, 2.0**power)


def _sorted_keys(rows: _Rows) -> Keys:
    """One scatter into buckets, then bucket by bucket; within equal scores the classes may be in any order."""
    n = len(rows.scores)
    span = (rows.high - rows.low) * rows.scale
    # Equal steps of the value spread most scores well; where they crowd, the leading bits tell them apart.
    digits = _digits(rows, (STEPS * (1 - 1e-12)) / span if span > 1e-290 else 0.0)
    if digits.factor > 0 and int(digits.counts.sum(axis=0).max()) * CROWDED >= n:
        digits = _digits(rows, 0.0)
    places, starts = places_of(digits.counts, n)
    keys = np.empty(n, dtype=np.uint64)

    def scatter(i: int) -> None:
        p = rows.pieces[i]
        loops.tagged_scatter(rows.scores, rows.positive, rows.scale, p.start, p.stop, *digits[:4], places[i], keys)

    in_threads(scatter, range(len(rows.pieces)))
    spare = np.empty(n, dtype=np.uint64)
    in_threads(lambda r: loops.sort_tagged_runs(keys, spare, starts, *r), list(pairwise(run_cuts(starts, n))))
    return keys


def _digits(rows: _Rows, factor: float) -> _Digits:
    lowest, highest = (int(loops.one_key(x, c, rows.scale)) for x, c in ((rows.low, 0), (rows.high, 1)))
    shift, width = leading(lowest, highest)
    counts = np.zeros((len(rows.pieces), STEPS if factor > 0 else width), dtype=np.int64)
    made = _Digits(rows.low * rows.scale, factor, U(lowest), U(shift), counts)

    def count(i: int) -> None:
        p = rows.pieces[i]
        loops.tagged_histogram(rows.scores, rows.positive, rows.scale, p.start, p.stop, *made[:4], counts[i])

    in_threads(count, range(len(rows.pieces)))
    return made


def _groups(keys: Keys, unscale: float) -> tuple[Floats, Counts, Counts]:
    stretches = list(pairwise(_cuts_between_groups(keys)))
    places = np.cumsum([0, *in_threads(lambda s: int(loops.count_tagged(keys, *s)), stretches)])
    size = int(places[-1])
    distinct = np.empty(size, dtype=np.float64)
    ups, downs = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    in_threads(
        lambda i: loops.fill_tagged(keys, *stretches[i], places[i], unscale, distinct, ups, downs),
        range(len(stretches)),
    )
    return distinct, ups, downs


def _cuts_between_groups(keys: Keys) -> list[int]:
    """Places that cut sorted tagged keys into stretches without splitting equal scores."""
    n = len(keys)
    cuts = [0]
    for piece in parts(n, max(1, n // STRETCH)):
        cut = int(np.searchsorted(keys, keys[piece.stop - 1] | U(1), side="right"))
        if cut > cuts[-1]:
            cuts.append(cut)
    return cuts
