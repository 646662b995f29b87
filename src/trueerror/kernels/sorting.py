"""Sort scores with their class in NumPy: the class rides in the last bit of an integer that sorts as the score does.

A comparison sort of ten million numbers takes longer than all the rest, so large inputs are first cut into buckets of
a few dozen rows (a monotone map to 16 bits, sorted by NumPy's radix sort) and only neighbours are compared: rows of
the array are sorted, then rows shifted by half a row, which puts every bucket that fits into half a row in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels.threads import in_threads, parts

Keys = NDArray[np.int64]

BLOCK = 1 << 15
# Below this many rows a comparison sort is the quickest.
SMALL = 1 << 16
# Buckets of one part, rows that a bucket should hold, and how many parts at most.
BUCKETS = 1 << 16
CROWD = 44
PARTS = 8
SEGMENTS = 1 << 10
SAMPLE = 1 << 15
FINE = 1 << 12
ROUNDS = 4
WIDEST = 1 << 12
LOW_BITS = np.int64(0x7FFFFFFFFFFFFFFF)


def tagged_keys(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Keys, int] | None:
    """Integers that sort as the scores do, with the class in the last bit, and the power of two that scores lost.

    None where 63 bits do not suffice: infinite scores, or very large beside very small ones.
    """
    if len(scores) == 0:
        return None
    largest = float(max(abs(scores.max()), abs(scores.min())))
    if not largest < np.inf:
        return None
    # Below 2 the order of a double fits into 63 bits; larger scores are scaled down, if that loses nothing.
    power = max(0, int(np.frexp(largest)[1]) - 1)
    keys = np.empty(len(scores), dtype=np.int64)

    def fill(part: slice) -> bool:
        for start in range(part.start, part.stop, BLOCK):
            stop = min(start + BLOCK, part.stop)
            block = scores[start:stop].astype(np.float64)
            block += 0.0  # turns −0.0 into 0.0
            if power:
                scaled = block * 2.0**-power
                if (scaled * 2.0**power != block).any():
                    return False
                block = scaled
            bits = block.view(np.int64)
            key = keys[start:stop]
            np.right_shift(bits, 63, out=key)
            key &= LOW_BITS
            key ^= bits
            key <<= 1
            key |= positive[start:stop]
        return True

    return (keys, power) if all(in_threads(fill, parts(len(scores), _pieces(len(scores))))) else None


def scores_of(keys: Keys, power: int) -> NDArray[np.float64]:
    """The scores that tagged keys stand for."""
    bits = keys >> 1
    bits ^= (bits >> 63) & LOW_BITS
    scores = bits.view(np.float64)
    if power:
        scores *= 2.0**power
    return scores


def sorted_parts(keys: Keys, scores: NDArray[Any]) -> list[Keys]:
    """The keys in ascending order, as parts that follow one another; equal scores are never in two parts.

    Within equal scores the classes may be in any order.
    """
    if len(keys) < SMALL:
        return [np.sort(keys)]
    count = min(PARTS, -(-len(keys) // (BUCKETS * CROWD)))
    part, bucket = _buckets(scores, count)

    def sort_part(i: int) -> Keys:
        mine = part == i
        places = np.compress(mine, bucket)
        order = np.argsort(places, kind="stable")
        crowd = int(np.bincount(places, minlength=1).max())
        return _sort_nearly_sorted(np.compress(mine, keys).take(order), crowd)

    return in_threads(sort_part, range(count))


def _sort_nearly_sorted(keys: Keys, crowd: int) -> Keys:
    """Sort keys that are in order but for runs of at most `crowd`."""
    width = 256
    while width < 2 * crowd:
        width *= 2
    if width > WIDEST:
        # Crowded buckets are mostly equal scores, which are in order as they are, but for their classes.
        plain = keys >> 1
        if not (plain[1:] < plain[:-1]).any():
            return keys
        keys.sort()
        return keys
    for first in (0, width // 2):
        last = first + (len(keys) - first) // width * width
        keys[first:last].reshape(-1, width).sort(axis=1)
        keys[max(last, 0) :].sort()
    return keys


def _buckets(scores: NDArray[Any], count: int) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """A monotone map of the scores to count · 2¹⁶ buckets that hold about equally many: part, and bucket in it."""
    part = np.zeros(len(scores), dtype=np.uint8)
    bucket = np.zeros(len(scores), dtype=np.uint16)
    low, high = float(scores.min()), float(scores.max())
    if not 1e-290 < high - low < np.inf:
        return part, bucket
    sample = scores[:: max(1, len(scores) // SAMPLE)].astype(np.float64)
    rounds = _even_rounds(sample, low, high, count * BUCKETS)

    def fill(piece: slice) -> None:
        for start in range(piece.start, piece.stop, BLOCK):
            stop = min(start + BLOCK, piece.stop)
            place = scores[start:stop].astype(np.float64)
            for spread in rounds:
                _spread(place, *spread)
            whole = place.astype(np.uint32)
            bucket[start:stop] = whole
            whole >>= 16
            part[start:stop] = whole

    in_threads(fill, parts(len(scores), _pieces(len(scores))))
    return part, bucket


Spread = tuple[float, float, NDArray[np.float64], NDArray[np.float64]]


def _even_rounds(sample: NDArray[np.float64], low: float, high: float, size: int) -> list[Spread]:
    """How to spread scores evenly over [0, size): in each round equal segments get room by their share of a sample.

    Scores that crowd at one place, as probabilities do near 0 and 1, take more than one round.
    """
    rounds: list[Spread] = []
    while len(rounds) < ROUNDS:
        scale = SEGMENTS / (high - low) * (1 - 1e-12)
        seen = np.bincount(((sample - low) * scale).astype(np.intp), minlength=SEGMENTS) + 0.5
        room = np.floor(seen * ((size - SEGMENTS) / seen.sum())) + 1
        rounds.append((low, scale, np.cumsum(room) - room, room))
        _spread(sample, *rounds[-1])
        if np.bincount((sample * (FINE / size)).astype(np.intp)).max() * FINE < 16 * len(sample):
            break
        low, high = 0.0, float(size)
    return rounds


def _spread(
    place: NDArray[np.float64], low: float, scale: float, base: NDArray[np.float64], room: NDArray[np.float64]
) -> None:
    place -= low
    place *= scale
    segment = place.astype(np.uint16)
    place -= segment
    place *= room.take(segment)
    place += base.take(segment)


def _pieces(size: int) -> int:
    return max(1, min(16, size >> 18))
