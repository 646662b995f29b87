"""Counting on a GPU: CuPy arrays and torch tensors (shared with CuPy through DLPack); only counts come back.

The same counts as the plain kernels', written for whole arrays: where a CPU walks through blocks that fit its cache, a
GPU reads everything once at the speed of its memory. Each function asks an array for its own module, so that NumPy
arrays go through the same lines, which is how they are tested on a machine without a GPU. Whole numbers are equal to
the bit, sums of floats agree to rounding (pairwise sums in a fixed order: the same digits each time).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Foreign
from trueerror.kernels._counting import count_codes

# An array of CuPy, or of NumPy where it stands in for a device.
DeviceArray: TypeAlias = Any
Counts = NDArray[np.int64]
# Codes of one byte, with room for one that means "absent".
MOST_LABELS = 254
# Cells that a block of threads counts in its own fast memory.
SHARED_CELLS = 4096
# Below so many ordered pairs (doubled) 64-bit integers hold their sum.
MOST_PAIRS = 2.0**62
# A table with a place for each 32-bit float from the lowest score to the highest: at most so many places, and so many
# a row.
MOST_PLACES, PLACES_A_ROW = 2**30, 16
# Rows that a block of threads goes through at a time.
CHUNK = 4096
# The lower half of a 64-bit number: the negatives of a place; the positives are the upper half.
LOWER = np.uint64(2**32 - 1)


def _cupy() -> Foreign:
    return import_module("cupy")


def shared(values: Foreign) -> DeviceArray:
    """The same memory as a CuPy array (a NumPy array where there is no device): nothing is copied but bfloat16."""
    if isinstance(values, np.ndarray) or type(values).__module__.split(".")[0] == "cupy":
        return values
    torch = sys.modules["torch"]
    tensor = values.detach()
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.float()
    flags = tensor.dtype == torch.bool
    tensor = tensor.contiguous()
    given = tensor.view(torch.uint8) if flags else tensor
    cupy = _cupy()
    array = cupy.from_dlpack(given)
    return array.view(cupy.bool_) if flags else array


def module_of(array: DeviceArray) -> Foreign:
    """CuPy or NumPy."""
    return np if isinstance(array, np.ndarray) else sys.modules["cupy"]


def to_host(array: DeviceArray) -> NDArray[Any]:
    """A copy in memory."""
    return array if isinstance(array, np.ndarray) else np.asarray(array.get())


def reach(array: DeviceArray) -> Array:
    """The lowest and the highest value, brought over together; one of them is NaN where the column holds one.

    Floats are compared by their bits: CuPy takes 32-bit ones below 1e-38 for 0.

    >>> reach(np.array([0.5, 0.25, 0.75])).tolist()
    [0.25, 0.75]
    """
    xp = module_of(array)
    if array.dtype.kind != "f":
        return to_host(xp.stack((xp.min(array), xp.max(array))))
    if xp is np:
        bits = _ordered_bits(array)
        ends = np.array((bits.min(), bits.max()))
    else:
        scores = array.astype(_kinds(array)[0], copy=False)
        ends = to_host(xp.stack([_end_of(way)(scores) for way in ("min", "max")]))
    return np.asarray(_scores_of(ends, array.dtype))


class DeviceLabels(NamedTuple):
    """The distinct values of a column of labels, ascending, on the host; each row's distance from the least of them."""

    values: NDArray[Any]
    codes: DeviceArray | None = None


def distinct_values(array: DeviceArray) -> DeviceLabels | None:
    """The labels of a column; None where they are no whole numbers.

    >>> distinct_values(np.array([3.0, 1.0, 3.0])), distinct_values(np.array([0.5])) is None
    (DeviceLabels(values=array([1, 3]), codes=array([2, 0, 2], dtype=uint8)), True)
    """
    xp = module_of(array)
    if len(array) == 0:
        return DeviceLabels(np.zeros(0, dtype=np.int64))
    if array.dtype.kind == "b":
        ones = int(xp.count_nonzero(array))
        return DeviceLabels(np.array([v for v, present in ((False, ones < len(array)), (True, ones > 0)) if present]))
    low, high = map(float, reach(array))
    if not (abs(low) < 2**53 and abs(high) < 2**53):
        return None
    if array.dtype.kind == "f" and not bool((array == xp.floor(array)).all()):
        return None
    if high - low < MOST_LABELS:
        codes = (array - array.dtype.type(low) if low else array).astype(np.uint8)
        present = count_cells([codes], [int(high - low) + 1])
        return DeviceLabels(np.flatnonzero(present) + int(low), codes)
    values = to_host(xp.unique(array))
    return DeviceLabels(values.astype(np.int64)) if len(values) <= MOST_LABELS else None


def code_labels(array: DeviceArray, labels: NDArray[Any], own: DeviceLabels | None = None) -> DeviceArray:
    """Each row's place among the sorted labels, one byte a row; `own` are the labels that the column itself has.

    >>> code_labels(np.array([7, 5, 7]), np.array([5, 7])).tolist()
    [1, 0, 1]
    """
    xp = module_of(array)
    if own is not None and own.codes is not None and (own.values[0], len(labels)) == (
        labels[0], int(labels[-1]) - int(labels[0]) + 1,
    ):  # fmt: skip
        return own.codes
    if array.dtype.kind == "b":
        # True stands last among the labels; where there is one label only, it is the first.
        return array.view(np.uint8) if len(labels) == 2 else xp.zeros(len(array), dtype=np.uint8)
    low, high = int(labels[0]), int(labels[-1])
    if high - low + 1 == len(labels):
        return (array if low == 0 else array - array.dtype.type(low)).astype(np.uint8)
    return xp.searchsorted(xp.asarray(labels), array).astype(np.uint8)


def count_cells(parts: list[DeviceArray], sizes: list[int]) -> Counts:
    """How many rows have each combination of one-byte codes, on the host; the last column varies fastest.

    >>> count_cells([np.array([0, 1, 1], dtype=np.uint8), np.array([0, 0, 1], dtype=np.uint8)], [2, 2])
    array([1, 0, 1, 1])
    """
    cells = int(np.prod(sizes))
    if isinstance(parts[0], np.ndarray):
        return np.asarray(count_codes([p.astype(np.int64) for p in parts], sizes))
    cupy = _cupy()
    if cells > SHARED_CELLS:
        cell = parts[0].astype(cupy.int32)
        for part, size in zip(parts[1:], sizes[1:], strict=True):
            cell = cell * size + part
        return np.asarray(cupy.bincount(cell, minlength=cells).get(), dtype=np.int64)
    counts = cupy.zeros(cells, dtype=cupy.uint64)
    columns = [cupy.ascontiguousarray(p) for p in (*parts, parts[-1], parts[-1])[:3]]
    widths = [*sizes[1:], 0, 0][:2]
    _raw("count_cells")(
        (4 * _processors(),), (512,),
        (*columns, np.int64(len(parts[0])), np.int32(len(parts)), *map(np.int32, widths), np.int32(cells), counts),
        shared_mem=8 * cells,
    )  # fmt: skip
    return np.asarray(counts.get(), dtype=np.int64)


def _kinds(scores: DeviceArray) -> tuple[Any, Any]:
    """The float and the integer of one width that the scores are held in."""
    return (np.float32, np.int32) if scores.dtype.itemsize <= 4 else (np.float64, np.int64)


def _count_type(n: int) -> Any:
    """An integer that holds doubled counts of so many rows."""
    return np.int32 if n < 2**30 else np.int64


def _ordered_bits(scores: DeviceArray) -> DeviceArray:
    """Integers in the order of the scores; −0.0 and 0.0 are both 0.

    >>> _ordered_bits(np.float32([-1e-45, -0.0, 0.0, 1e-45])).tolist()
    [-1, 0, 0, 1]
    """
    whole, bits = _kinds(scores)
    keys = scores.astype(whole, copy=False).view(bits)
    # Negative floats run the other way in their bits.
    return module_of(scores).where(keys < 0, bits(np.iinfo(bits).min) - keys, keys)


def _ordered_reach(scores: DeviceArray) -> tuple[int, int]:
    """The ordered bits of the lowest and of the highest score."""
    low, high = _ordered_bits(reach(scores)).tolist()
    return low, high


def _packed(scores: DeviceArray, positive: DeviceArray, low: int, high: int) -> DeviceArray | None:
    """One number a row to sort by: how many floats its score is above the lowest, and as the last bit its class.

    None where 64 bits do not hold that (doubles of both signs).

    >>> scores = np.float32([0.5, 0.50000006])
    >>> _packed(scores, np.array([True, False]), *_ordered_reach(scores)).tolist()
    [1, 2]
    """
    places = high - low + 1
    if places > 2**63:
        return None
    kind = np.uint32 if places <= 2**31 else np.uint64
    if isinstance(scores, np.ndarray):
        above = _ordered_bits(scores).astype(np.int64).view(np.uint64) - np.uint64(low % 2**64)
        return (above.astype(kind) << kind(1)) | positive
    scores = scores.astype(_kinds(scores)[0], copy=False)
    return _pack_rows()(scores, positive, low, module_of(scores).empty(len(scores), dtype=kind))


def _ends(values: DeviceArray) -> DeviceArray:
    """Where each run of equal values ends.

    >>> _ends(np.array([3, 3, 5])).tolist(), _ends(np.array([])).tolist()
    ([1, 2], [])
    """
    xp = module_of(values)
    return xp.concatenate([xp.flatnonzero(values[1:] != values[:-1]), xp.full(min(1, len(values)), len(values) - 1)])


class DeviceGroups(NamedTuple):
    """Distinct scores, ascending, with the positives and negatives at each: on the device."""

    scores: DeviceArray
    positives: DeviceArray
    negatives: DeviceArray


@dataclass(frozen=True, eq=False)
class SortedScores:
    """The scores of rows in order, each with its class, and what is read off them when someone asks.

    A key is the place of a score among those that there may be, and the class as its last bit. Places are counted from
    the lowest score's ordered bits on or, where these do not fit, are places in `distinct`.
    """

    keys: DeviceArray
    low: int
    kind: np.dtype[Any]
    distinct: DeviceArray | None = None

    @cached_property
    def _by_score(self) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
        """Of each distinct score its place, its last row and the positives up to there."""
        xp = module_of(self.keys)
        # The positives of a score come after its negatives: runs of equal keys first, then of equal scores.
        runs = _ends(self.keys)
        keys = self.keys[runs]
        ups = xp.cumsum(xp.where(keys & keys.dtype.type(1), xp.diff(runs, prepend=xp.full(1, -1)), 0))
        keys >>= keys.dtype.type(1)
        ends = _ends(keys)
        return keys[ends].astype(np.int64), runs[ends], ups[ends]

    @property
    def places(self) -> DeviceArray:
        """The places that occur."""
        return self._by_score[0]

    @cached_property
    def groups(self) -> DeviceGroups:
        """The table of distinct scores."""
        xp = module_of(self.keys)
        places, ends, through = self._by_score
        ups = xp.diff(through, prepend=xp.zeros(1, dtype=np.int64))
        return DeviceGroups(self._scores_at(places), ups, xp.diff(ends, prepend=xp.full(1, -1)).astype(np.int64) - ups)

    def _scores_at(self, places: DeviceArray) -> DeviceArray:
        bits = places + self.low if self.distinct is None else self.distinct[places]
        return _scores_of(bits, self.kind)

    @cached_property
    def _before(self) -> tuple[DeviceArray, int]:
        """The positives before each stretch of `CHUNK` rows on the device, and all of them."""
        xp, stretches = module_of(self.keys), -(-len(self.keys) // CHUNK)
        counts = xp.empty(stretches, dtype=np.int32)
        self._kernel("chunk_ups")((stretches,), (256,), (self.keys, np.int64(len(self.keys)), counts))
        through = xp.cumsum(counts, dtype=np.int64)
        return through - counts, int(through[-1])

    def _kernel(self, name: str) -> Foreign:
        return _raw(name, K="unsigned int" if self.keys.dtype.itemsize == 4 else "unsigned long long")

    def _pass_over(self, area: float | None) -> DeviceArray:
        """One pass of the device over the rows: whole numbers first and, once the area is known, spreads about it.

        Each block of threads writes its own sums, so that their order and with it their rounding are always the same.
        """
        before, positives = self._before
        out = module_of(self.keys).empty((len(before), 2), dtype=np.uint64 if area is None else np.float64)
        given = (self.keys, before, np.int64(len(self.keys)), np.int64(positives), np.float64(area or 0.0), out)
        self._kernel("pair_sums" if area is None else "spread_sums")((len(before),), (256,), given)
        return out.sum(axis=0)

    @cached_property
    def _counted(self) -> tuple[int, int]:
        """The ordered pairs, doubled, and how many scores are distinct."""
        pairs, distinct = self._pass_over(None).get().tolist()
        return pairs, distinct

    def _through(self, rows: DeviceArray) -> NDArray[np.int64]:
        """The positives among the rows up to some of them, on the host."""
        if isinstance(self.keys, np.ndarray):
            return np.cumsum(self.keys & self.keys.dtype.type(1), dtype=np.int64)[rows]
        out = module_of(self.keys).empty(len(rows), dtype=np.int64)
        given = (self.keys, self._before[0], rows, np.int64(len(rows)), out)
        self._kernel("ups_through")((-(-len(rows) // 8),), (256,), given)
        return to_host(out)

    @property
    def n_distinct(self) -> int:
        """How many scores are distinct."""
        return len(self.places) if isinstance(self.keys, np.ndarray) or not len(self.keys) else self._counted[1]

    @property
    def positives(self) -> int:
        """How many rows are positive."""
        if not len(self.keys):
            return 0
        if isinstance(self.keys, np.ndarray):
            return int(np.count_nonzero(self.keys & self.keys.dtype.type(1)))
        return self._before[1]

    def placement_sums(self) -> tuple[float, float, float]:
        """As the plain kernel of this name: two passes over the sorted rows, without a table of distinct scores.

        >>> sorted_scores(np.array([0.1, 0.2, 0.3, 0.4]), np.array([False, True] * 2)).placement_sums()
        (6.0, 0.125, 0.125)
        """
        if isinstance(self.keys, np.ndarray) or not len(self.keys):
            return placement_sums(self.groups.positives, self.groups.negatives)
        m = self.positives
        n = len(self.keys) - m
        if m == 0 or n == 0:
            return 0.0, float("nan"), float("nan")
        if 2.0 * m * n >= MOST_PAIRS:
            return placement_sums(self.groups.positives, self.groups.negatives)
        total = self._counted[0]
        among_up, among_down = self._pass_over(total / (2.0 * m * n)).get().tolist()
        return float(total), among_up, among_down

    def thinned(self, size: int) -> tuple[Array, ...]:
        """Neighbouring scores taken together in at most `size` bins: lowest, highest, positives and negatives of each.

        >>> four = sorted_scores(np.arange(4.0), np.array([False, False, True, True]))
        >>> [part.tolist() for part in four.thinned(2)]
        [[0.0, 2.0], [1.0, 3.0], [0, 2], [2, 0]]
        >>> [part.tolist() for part in four.thinned(9)][0]
        [0.0, 1.0, 2.0, 3.0]
        """
        xp, one = module_of(self.keys), self.keys.dtype.type(1)
        rows = np.linspace(0, len(self.keys), size + 1)[1:].astype(np.int64)
        near = self.keys[xp.asarray(np.maximum(rows - 1, 0))]
        # All rows of a score are in one bin: the positives are its last.
        stops = to_host(xp.searchsorted(self.keys, near | one, side="right"))
        stops = stops[np.diff(stops, prepend=0) > 0]
        first, last = xp.asarray(np.concatenate(([0], stops[:-1]))), xp.asarray(stops - 1)
        lows, highs = (
            to_host(self._scores_at((self.keys[at] >> one).astype(np.int64))).astype(np.float64) for at in (first, last)
        )
        ups = np.diff(self._through(last), prepend=0)
        return lows, highs, ups, np.diff(stops, prepend=0) - ups


def sorted_scores(scores: DeviceArray, positive: DeviceArray, ends: tuple[float, float] | None = None) -> SortedScores:
    """Sort once, scores and classes packed into one number; `ends` are the lowest and the highest score, if known."""
    xp = module_of(scores)
    if len(scores) == 0:
        return SortedScores(xp.zeros(0, dtype=np.uint64), 0, scores.dtype)
    low, high = _ordered_reach(scores) if ends is None else _ordered_bits(np.array(ends, dtype=scores.dtype)).tolist()
    keys, distinct = _packed(scores, positive, low, high), None
    if keys is None:
        bits = _ordered_bits(scores)
        order = xp.argsort(bits)
        bits = bits[order]
        new = bits[1:] != bits[:-1]
        keys = xp.zeros(len(bits), dtype=np.uint64)
        xp.cumsum(new, dtype=np.uint64, out=keys[1:])
        keys = (keys << np.uint64(1)) | positive[order]
        distinct = bits[xp.concatenate([xp.zeros(1, dtype=np.int64), xp.flatnonzero(new) + 1])]
    keys.sort()
    return SortedScores(keys, low, scores.dtype, distinct)


def score_groups(scores: DeviceArray, positive: DeviceArray) -> DeviceGroups:
    """The table of distinct scores.

    >>> [part.tolist() for part in score_groups(np.array([0.2, 0.9, 0.2]), np.array([False, True, True]))]
    [[0.2, 0.9], [1, 1], [1, 0]]
    """
    return sorted_scores(scores, positive).groups


def _scores_of(keys: DeviceArray, kind: np.dtype[Any]) -> DeviceArray:
    """The scores that have these ordered bits, 32 or 64 bits wide."""
    bits, whole = (np.int32, np.float32) if kind.itemsize <= 4 else (np.int64, np.float64)
    keys = keys.astype(bits)
    return module_of(keys).where(keys < 0, bits(np.iinfo(bits).min) - keys, keys).view(whole)


def doubles(scores: DeviceArray) -> DeviceArray:
    """The scores in 64 bits.

    >>> doubles(np.float32([0.5, 1e-45])).tolist()
    [0.5, 1.401298464324817e-45]
    """
    if isinstance(scores, np.ndarray) or scores.dtype != np.float32:
        return scores.astype(np.float64)
    return _widened()(scores)


def placement_sums(positives: DeviceArray, negatives: DeviceArray) -> tuple[float, float, float]:
    """As the plain kernel of this name, from counts on the device.

    >>> placement_sums(np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]))
    (6.0, 0.125, 0.125)
    """
    xp = module_of(positives)
    m, n = int(positives.sum()), int(negatives.sum())
    if m == 0 or n == 0:
        return 0.0, float("nan"), float("nan")
    beats = 2 * xp.cumsum(negatives) - negatives
    whole = 2.0 * m * n < MOST_PAIRS
    total = float((positives * beats).sum() if whole else (positives * beats.astype(np.float64)).sum())
    area = total / (2.0 * m * n)
    spread = (beats / (2.0 * n) - area) ** 2
    among_positives = float((spread * positives).sum())
    del spread
    beats = positives - 2 * xp.cumsum(positives) + 2 * m
    spread = (beats / (2.0 * m) - area) ** 2
    return total, among_positives, float((spread * negatives).sum())


def placements(scores: DeviceArray, positive: DeviceArray, in_order: SortedScores | None = None) -> DeviceArray:
    """Of each row, doubled: how many of the other class it beats (a positive) or is beaten by (a negative), ties half.

    >>> placements(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False])).tolist()
    [4, 3, 3, 4]
    """
    xp, n = module_of(scores), len(scores)
    if scores.dtype.itemsize <= 4 and 0 < n < 2**31:
        in_order = in_order or sorted_scores(scores, positive)
        if int(in_order.keys[-1] >> 1) < min(PLACES_A_ROW * n, MOST_PLACES):
            return _looked_up(scores, positive, in_order)
    keys = _ordered_bits(scores)
    order = xp.argsort(keys)
    keys = keys[order]
    up = positive[order]
    last = keys[1:] != keys[:-1]
    del keys
    kind = _count_type(n)
    ends = xp.concatenate([xp.flatnonzero(last), xp.full(1, n - 1)])
    # The group of each row: how many groups have ended before it.
    group = xp.zeros(n, dtype=np.int32 if n < 2**31 else np.int64)
    xp.cumsum(last, dtype=group.dtype, out=group[1:])
    del last
    through_up = xp.cumsum(up, dtype=kind)[ends].astype(np.int64)
    through_down = ends + 1 - through_up
    before_up = xp.concatenate([xp.zeros(1, dtype=np.int64), through_up[:-1]])
    before_down = xp.concatenate([xp.zeros(1, dtype=np.int64), through_down[:-1]])
    beats = (before_down + through_down).astype(kind)
    beaten = (2 * int(through_up[-1]) - before_up - through_up).astype(kind)
    result = xp.empty(n, dtype=kind)
    result[order] = xp.where(up, beats[group], beaten[group])
    return result


def _looked_up(scores: DeviceArray, positive: DeviceArray, in_order: SortedScores) -> DeviceArray:
    """Placements read off a table of rows up to each float from the lowest score on, the two classes side by side.

    >>> scores, positive = np.float32([0.5, 0.5, 0.50000006]), np.array([True, False, True])
    >>> _looked_up(scores, positive, sorted_scores(scores, positive)).tolist()
    [1, 3, 2]
    """
    xp, low, at, groups = module_of(scores), in_order.low, in_order.places, in_order.groups
    through = xp.zeros(int(at[-1]) + 2, dtype=np.uint64)
    through[at + 1] = ((groups.positives << 32) | groups.negatives).astype(np.uint64)
    xp.cumsum(through, out=through)
    doubled = 2 * in_order.positives
    result = xp.empty(len(scores), dtype=_count_type(len(scores)))
    scores = scores.astype(np.float32, copy=False)
    if xp is not np:
        return _place_rows()(scores, positive, through, low, doubled, result)
    at = _ordered_bits(scores).astype(np.int64) - low
    both = through[at] + through[at + 1]
    result[:] = np.where(positive, both & LOWER, np.uint64(doubled) - (both >> np.uint64(32)))
    return result


def placement_products(
    columns: list[DeviceArray], positive: DeviceArray, in_order: list[SortedScores]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int, int]:
    """Areas of several models on the same rows, and the sums of products of their placements in either class."""
    xp = module_of(positive)
    m = in_order[0].positives
    n = len(positive) - m
    size = len(columns)
    placed = [placements(scores, positive, counted) for scores, counted in zip(columns, in_order, strict=True)]
    areas = np.array([float(xp.where(positive, v, 0).sum(dtype=np.int64)) / (2.0 * m * n) for v in placed])
    among_up, among_down = np.empty((size, size)), np.empty((size, size))
    for i in range(size):
        for j in range(i, size):
            sums = _product_sums(placed[i], placed[j], positive, (2.0 * n, 2.0 * m), (areas[i], areas[j]))
            (among_up[i, j], among_down[i, j]) = (among_up[j, i], among_down[j, i]) = sums
    return areas, among_up, among_down, m, n


def _product_sums(
    x: DeviceArray, y: DeviceArray, up: DeviceArray, units: tuple[float, float], about: tuple[float, float]
) -> tuple[float, float]:
    """Σ (x/unit − a)(y/unit − b) over the positives and over the negatives."""
    if isinstance(x, np.ndarray):
        first, second = (
            float(((x[which] / unit - about[0]) * (y[which] / unit - about[1])).sum())
            for which, unit in zip((up, ~up), units, strict=True)
        )
        return first, second
    blocks = 16 * _processors()
    out = module_of(x).empty((blocks, 2))
    kernel = _raw("product_sums", T="int" if x.dtype == np.int32 else "long long")
    kernel((blocks,), (256,), (x, y, up, np.int64(len(x)), *map(np.float64, (*units, *about)), out))
    among_up, among_down = out.sum(axis=0).get().tolist()
    return among_up, among_down


# Floats in their order: −0.0 as 0.0, and the bits of negative floats turned round.
_ORDERED = r"""
__device__ __forceinline__ long long ordered(double score) {
    const long long bits = __double_as_longlong(score);
    return bits < 0 ? (long long)(0x8000000000000000ULL - (unsigned long long)bits) : bits;
}
__device__ __forceinline__ long long ordered(float score) {
    const int bits = __float_as_int(score);
    return bits < 0 ? (long long)(int)(0x80000000u - (unsigned int)bits) : (long long)bits;
}
"""
# What both passes over sorted rows have in common. A block of threads goes through a stretch of rows: which of them are
# positive and which are the last of their score are bits in fast memory, so that the first row of a score and the
# positives up to any row are read off there. Where a score begins in an earlier stretch, its first row is looked for.
_OVER_SCORES = r"""
extern "C" __global__ void @name@(const K* keys, const long long* before, long long n, long long positives,
                                    double area, @sum@* out) {
    __shared__ unsigned int ups[CHUNK / 32], ends[CHUNK / 32];
    __shared__ int through[CHUNK / 32];
    __shared__ long long first;
    __shared__ unsigned long long first_ups;
    __shared__ @sum@ sums[2][256];
    const int words = CHUNK / 32, me = threadIdx.x;
    const long long base = (long long)blockIdx.x * CHUNK;
    for (int i = me; i < CHUNK; i += 256) {
        const long long row = base + i;
        const K key = row < n ? keys[row] : 0;
        const bool last = row < n && (row + 1 == n || (keys[row + 1] >> 1) != (key >> 1));
        const unsigned int up_bits = __ballot_sync(0xFFFFFFFFu, row < n && (key & 1));
        const unsigned int end_bits = __ballot_sync(0xFFFFFFFFu, last);
        if (me % 32 == 0) { ups[i / 32] = up_bits; ends[i / 32] = end_bits; }
    }
    if (me == 0) {
        long long same = base, other = base - 1, far = 1;
        const K place = keys[base] >> 1;
        while (other >= 0 && (keys[other] >> 1) == place) { same = other; other -= far; far *= 2; }
        if (other < -1) other = -1;
        while (same - other > 1) {
            const long long between = (same + other) / 2;
            if ((keys[between] >> 1) == place) same = between; else other = between;
        }
        first = same;
        first_ups = before[same / CHUNK];
    }
    __syncthreads();
    for (long long row = first / CHUNK * CHUNK + me; row < first; row += 256)
        if (keys[row] & 1) atomicAdd(&first_ups, 1ULL);
    if (me < words) through[me] = __popc(ups[me]);
    for (int d = 1; d < words; d *= 2) {
        __syncthreads();
        const int more = me < words && me >= d ? through[me - d] : 0;
        __syncthreads();
        if (me < words) through[me] += more;
    }
    __syncthreads();
    @sum@ own[2] = {0, 0};
    for (int i = me; i < CHUNK; i += 256) {
        int word = i / 32;
        if (!(ends[word] >> (i % 32) & 1)) continue;
        const long long upto = before[blockIdx.x] + through[word] - __popc(ups[word] & ~(0xFFFFFFFFu >> (31 - i % 32)));
        unsigned int earlier = ends[word] & ((1u << (i % 32)) - 1);
        while (!earlier && --word >= 0) earlier = ends[word];
        long long start = first, started = (long long)first_ups;
        if (earlier) {
            const int bit = 31 - __clz(earlier);
            start = base + 32 * word + bit + 1;
            started = before[blockIdx.x] + through[word] - __popc(ups[word] & ~(0xFFFFFFFFu >> (31 - bit)));
        }
        const long long up = upto - started, down = base + i - start + 1 - up;
        const long long beats = 2 * (start - started) + down;
        @add@
    }
    for (int k = 0; k < 2; ++k) sums[k][me] = own[k];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (me < half)
            for (int k = 0; k < 2; ++k) sums[k][me] += sums[k][me + half];
    }
    if (me == 0) for (int k = 0; k < 2; ++k) out[2 * (long long)blockIdx.x + k] = sums[k][0];
}
"""


def _over_scores(**parts: str) -> str:
    """The pass with its name, the type of its sums and what it adds to them for each score."""
    source = _OVER_SCORES
    for part, text in parts.items():
        source = source.replace(f"@{part}@", text)
    return source


_KERNELS = {
    "chunk_ups": r"""
extern "C" __global__ void chunk_ups(const K* keys, long long n, int* out) {
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int own = 0;
    const long long base = (long long)blockIdx.x * CHUNK;
    for (int i = threadIdx.x; i < CHUNK; i += 256) if (base + i < n) own += (int)(keys[base + i] & 1);
    for (int half = 16; half > 0; half /= 2) own += __shfl_down_sync(0xFFFFFFFFu, own, half);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, own);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}
""",
    # A warp counts the positives from the beginning of a stretch to one row.
    "ups_through": r"""
extern "C" __global__ void ups_through(const K* keys, const long long* before, const long long* rows, long long many,
                                       long long* out) {
    const long long place = (long long)blockIdx.x * 8 + threadIdx.x / 32;
    if (place >= many) return;
    const long long row = rows[place];
    int own = 0;
    for (long long i = row / CHUNK * CHUNK + threadIdx.x % 32; i <= row; i += 32) own += (int)(keys[i] & 1);
    for (int half = 16; half > 0; half /= 2) own += __shfl_down_sync(0xFFFFFFFFu, own, half);
    if (threadIdx.x % 32 == 0) out[place] = before[row / CHUNK] + own;
}
""",
    "pair_sums": _over_scores(
        name="pair_sums",
        sum="unsigned long long",
        add="own[0] += (unsigned long long)up * (unsigned long long)beats; own[1] += 1;",
    ),
    "spread_sums": _over_scores(
        name="spread_sums",
        sum="double",
        add=r"""
        const double won = (double)beats / (2.0 * (double)(n - positives)) - area;
        const double lost = (double)(up - 2 * upto + 2 * positives) / (2.0 * (double)positives) - area;
        own[0] += (double)up * won * won;
        own[1] += (double)down * lost * lost;""",
    ),
    # Sums of products about the areas, of positives and of negatives; a block writes its own, so that their order and
    # with it their rounding are always the same.
    "product_sums": r"""
extern "C" __global__ void product_sums(const T* x, const T* y, const bool* up, long long n, double negatives,
                                        double positives, double first, double second, double* out) {
    __shared__ double sums[2][256];
    double own[2] = {0.0, 0.0};
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const double unit = up[i] ? negatives : positives;
        const double product = ((double)x[i] / unit - first) * ((double)y[i] / unit - second);
        if (up[i]) own[0] += product; else own[1] += product;
    }
    for (int k = 0; k < 2; ++k) sums[k][threadIdx.x] = own[k];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (int k = 0; k < 2; ++k) sums[k][threadIdx.x] += sums[k][threadIdx.x + half];
    }
    if (threadIdx.x == 0) for (int k = 0; k < 2; ++k) out[2 * blockIdx.x + k] = sums[k][0];
}
""",
    # Blocks count in their own memory and add up once. With few cells most rows fall into the same one, and neighbours
    # that add to it one after the other would wait for each other: each thread counts a few cells on its own.
    "count_cells": r"""
extern "C" __global__ void count_cells(const unsigned char* a, const unsigned char* b, const unsigned char* c,
                                       long long n, int columns, int second, int third, int cells,
                                       unsigned long long* out) {
    extern __shared__ unsigned long long bins[];
    for (int i = threadIdx.x; i < cells; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    const long long step = (long long)gridDim.x * blockDim.x;
    const long long words = n / 8;
    const bool wide = ((size_t)a % 8 == 0) && ((size_t)b % 8 == 0) && ((size_t)c % 8 == 0);
    const long long start = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int own[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    long long done = 0;
    if (wide) {
        for (long long w = start; w < words; w += step) {
            unsigned long long x = ((const unsigned long long*)a)[w];
            unsigned long long y = columns > 1 ? ((const unsigned long long*)b)[w] : 0;
            unsigned long long z = columns > 2 ? ((const unsigned long long*)c)[w] : 0;
            for (int k = 0; k < 8; ++k) {
                int cell = (int)(x & 255);
                if (columns > 1) cell = cell * second + (int)(y & 255);
                if (columns > 2) cell = cell * third + (int)(z & 255);
                if (cells <= 8) {
                    #pragma unroll
                    for (int j = 0; j < 8; ++j) own[j] += (cell == j);
                } else {
                    atomicAdd(&bins[cell], 1ULL);
                }
                x >>= 8; y >>= 8; z >>= 8;
            }
        }
        done = words * 8;
    }
    for (long long i = done + start; i < n; i += step) {
        int cell = a[i];
        if (columns > 1) cell = cell * second + b[i];
        if (columns > 2) cell = cell * third + c[i];
        atomicAdd(&bins[cell], 1ULL);
    }
    if (cells <= 8)
        for (int j = 0; j < cells; ++j) if (own[j]) atomicAdd(&bins[j], (unsigned long long)own[j]);
    __syncthreads();
    for (int i = threadIdx.x; i < cells; i += blockDim.x) if (bins[i]) atomicAdd(&out[i], bins[i]);
}
""",
}


@cache
def _raw(name: str, **kinds: str) -> Foreign:
    """A kernel, with the types that its source leaves open."""
    types = "".join(f"typedef {kind} {letter};\n" for letter, kind in kinds.items())
    return _cupy().RawKernel(f"#define CHUNK {CHUNK}\n{types}{_KERNELS[name]}", name)


@cache
def _end_of(way: str) -> Foreign:
    """The least or the largest ordered bits of a column, by one pass."""
    start = np.iinfo(np.int64).max if way == "min" else -np.iinfo(np.int64).max
    return _cupy().ReductionKernel(
        "S score",
        "int64 end",
        "ordered(score)",
        f"{way}(a, b)",
        "end = a",
        str(start),
        f"{way}_of_bits",
        preamble=_ORDERED,
    )


@cache
def _pack_rows() -> Foreign:
    """One pass over the rows that makes the numbers to sort by."""
    return _cupy().ElementwiseKernel(
        "S score, bool up, int64 low", "K key",
        "key = ((K)((unsigned long long)ordered(score) - (unsigned long long)low) << 1) | (up ? 1 : 0)",
        "pack_rows", preamble=_ORDERED,
    )  # fmt: skip


@cache
def _widened() -> Foreign:
    """32-bit floats in 64 bits, those below 1e-38 too, which a plain cast takes for 0: CuPy compiles with -ftz=true."""
    return _cupy().ElementwiseKernel(
        "float32 x", "float64 y",
        "const int bits = __float_as_int(x); const double small = (double)(bits & 0x7FFFFF) * 0x1p-149;"
        "y = (bits & 0x7F800000) ? (double)x : (bits < 0 ? -small : small)",
        "widened",
    )  # fmt: skip


@cache
def _place_rows() -> Foreign:
    """One pass over the rows that reads each one's placement off the running counts."""
    return _cupy().ElementwiseKernel(
        "float32 score, bool up, raw uint64 through, int64 low, int64 doubled", "T out",
        "const long long at = ordered(score) - low; const unsigned long long both = through[at] + through[at + 1];"
        "out = up ? (T)(both & 0xFFFFFFFFULL) : (T)(doubled - (long long)(both >> 32))",
        "place_rows", preamble=_ORDERED,
    )  # fmt: skip


@cache
def _processors() -> int:
    """How many multiprocessors the device has."""
    return int(_cupy().cuda.Device().attributes["MultiProcessorCount"])
