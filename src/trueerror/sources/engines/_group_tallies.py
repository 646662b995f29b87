"""What rows are grouped by, what a GROUP BY gives back, and the tallies that are made of it.

A group is one combination of codes with how many rows have it; −1 stands for an absent prediction. Groups may repeat:
their counts add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.sources._keys import named_keys
from trueerror.sources._predictions import Facts
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, ScoreTable
from trueerror.tallies._missing import Filled

Ints = NDArray[np.int64]
# Beside four times as many as there are values, so far whole numbers may lie apart to be looked up in a table.
MOST_LOOKED_UP = 1 << 18
# Cells of which a table is made however few of them occur.
DENSE = 1 << 12


class WeightedCounts(NamedTuple):
    """What the groups weigh: rows (frequency weights counted in), and sums of sampling weights and their squares."""

    counts: Ints
    sums: Floats | None = None
    squares: Floats | None = None

    def kept(self, which: NDArray[np.bool_] | Ints) -> WeightedCounts:
        """The weights of some of the groups, by a mask or by their places."""
        return WeightedCounts(*(None if m is None else m[which] for m in self))  # type: ignore[arg-type]

    def added(self, where: Ints, size: int) -> WeightedCounts:
        """The weights of the groups that fall together."""
        # Floats hold whole numbers exactly up to 2^53 rows.
        counts = np.bincount(where, weights=self.counts, minlength=size).astype(np.int64)
        return WeightedCounts(counts, _added(self.sums, where, size), _added(self.squares, where, size))


def _added(values: Floats | None, where: Ints, size: int) -> Floats | None:
    return None if values is None else np.bincount(where, weights=values, minlength=size).astype(np.float64)


def occupied_cells(cell: Ints, size: int) -> tuple[Ints, Ints]:
    """The cells that occur among so many, ascending, and the place of each group among them."""
    if size > 4 * len(cell) + DENSE:
        cells, where = np.unique(cell, return_inverse=True)
        return cells, where
    # A table of all cells takes less than a sort.
    seen = np.zeros(size, dtype=bool)
    seen[cell] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[cell]


def confusion(facts: Facts, truth: Ints, called: Ints, weighed: WeightedCounts, source: str) -> Confusion:
    """The confusion matrix of groups (truth, called)."""
    kept, (filled,) = _settled(facts, truth, [called], weighed)
    k = len(facts.labels)
    cells, where = occupied_cells(truth[kept] * (k + 1) + filled, k * (k + 1))
    counts, sums, squares = weighed.kept(kept).added(where, len(cells))
    return Confusion.from_cells(
        labels=facts.labels, positive=facts.chosen, row=cells // (k + 1), col=cells % (k + 1), counts=counts,
        weight_sums=sums, weight_squares=squares, sources=(source,) if source else (), declared=facts.declared,
        filled=_counted_as_other(facts, truth, called, weighed),
    )  # fmt: skip


def _counted_as_other(facts: Facts, truth: Ints, called: Ints, weighed: WeightedCounts) -> Filled | None:
    """What `_settled` counts as the other one of two classes, as Confusion.from_codes says it."""
    absent = called < 0
    if facts.missing != "wrong" or len(facts.labels) != 2 or not absent.any():
        return None
    counts, sums, squares = weighed.kept(absent).added(truth[absent], 2)
    in_weights = [counts if part is None else part for part in (sums, squares)]
    first, second = ((float(c), float(s), float(q)) for c, s, q in zip(counts, *in_weights, strict=True))
    return first, second


def agreement_table(facts: Facts, truth: Ints, first: Ints, second: Ints, weighed: WeightedCounts) -> Agreement:
    """The agreement table of groups (truth, first, second)."""
    kept, (a, b) = _settled(facts, truth, [first, second], weighed)
    width = len(facts.labels) + 1
    cells, where = occupied_cells((truth[kept] * width + a) * width + b, width**3)
    counts, sums, _ = weighed.kept(kept).added(where, len(cells))
    return Agreement(
        facts.labels, facts.positive, cells // (width * width), cells // width % width, cells % width, counts, sums
    )


# Rows of a matrix at a time: sums of so many ones are exact in 32 bits, and the matrix stays small.
BLOCK = 1 << 14
# Columns of the matrix: beyond it pairs are counted one by one.
MOST_COLUMNS = 1024


class PairCounts:
    """Counts over truth × model × code × model × code. Codes run from 0; the last one may stand for absent answers.

    Answers become a matrix of zeros and ones, a column for each model and code; its products with itself are the counts
    of all pairs, and the last code of a model follows from the others.
    """

    def __init__(self, classes: int, models: int, codes: int) -> None:
        self.classes, self.models, self.codes = classes, models, codes
        self.sums = np.zeros((classes, models * (codes - 1) + 1, models * (codes - 1) + 1), dtype=np.int64)

    def add(self, truth: Array, calls: Array) -> None:
        """Count rows: their classes, and (rows, models) codes."""
        for start in range(0, len(truth), BLOCK):
            rows = slice(start, start + BLOCK)
            indicators = calls[rows, :, None] == np.arange(self.codes - 1, dtype=calls.dtype)
            matrix = np.ones((len(indicators), self.sums.shape[1]), dtype=np.float32)
            matrix[:, :-1] = indicators.reshape(len(indicators), -1)
            for c in range(self.classes):
                mine = matrix[truth[rows] == c]
                self.sums[c] += np.rint(mine.T @ mine).astype(np.int64)

    def pair(self, first: int, second: int) -> Ints:
        """Truth × codes of the first × codes of the second."""
        width = self.codes - 1
        a, b = (slice(i * width, (i + 1) * width) for i in (first, second))
        counts = np.zeros((self.classes, self.codes, self.codes), dtype=np.int64)
        counts[:, :width, :width] = self.sums[:, a, b]
        counts[:, :width, width] = self.sums[:, a, -1] - counts[:, :width, :width].sum(axis=2)
        counts[:, width, :width] = self.sums[:, -1, b] - counts[:, :width, :width].sum(axis=1)
        counts[:, width, width] = self.sums[:, -1, -1] - counts.sum(axis=(1, 2))
        return counts


def of_pairs(found: PairCounts, models: list[int]) -> tuple[list[Ints], WeightedCounts]:
    """The groups (truth, call) of one model or (truth, first, second) of two, from counts of all pairs."""
    cells = found.pair(models[0], models[-1])
    truth, first, second = np.nonzero(cells)
    counts = cells[truth, first, second]
    # The last code stands for absent answers where there is one more than classes.
    calls = [np.where(c == found.classes, -1, c) for c in (first, second)][: len(models)]
    return [truth, *calls], WeightedCounts(counts)


def keyed_confusion(
    facts: Facts, keys: Ints, names: tuple[Label, ...], truth: Ints, called: Ints, weighed: WeightedCounts, source: str
) -> KeyedConfusion:
    """One confusion matrix for each key."""
    kept, (filled,) = _settled(facts, truth, [called], weighed)
    table = confusion(facts, truth, called, weighed, source)
    width = len(facts.labels) + 1
    cell = np.searchsorted(table.row * width + table.col, truth[kept] * width + filled)
    return KeyedConfusion(names, table, *_pairs(keys[kept], cell, len(table.counts), weighed.kept(kept)))


def keyed_agreement(
    facts: Facts, keys: Ints, names: tuple[Label, ...], truth: Ints, first: Ints, second: Ints, weighed: WeightedCounts
) -> KeyedAgreement:
    """One agreement table for each key."""
    kept, (a, b) = _settled(facts, truth, [first, second], weighed)
    table = agreement_table(facts, truth, first, second, weighed)
    width = len(facts.labels) + 1
    known = (table.truth * width + table.first) * width + table.second
    cell = np.searchsorted(known, (truth[kept] * width + a) * width + b)
    return KeyedAgreement(names, table, *_pairs(keys[kept], cell, len(known), weighed.kept(kept)))


def score_table(
    scores: Floats, is_positive: NDArray[np.bool_], weighed: WeightedCounts, positive: Label, source: str
) -> ScoreTable:
    """The score table of groups (score, whether positive)."""
    distinct, where = np.unique(scores + 0.0, return_inverse=True)
    size = len(distinct)
    positives = weighed.kept(is_positive).added(where[is_positive], size)
    negatives = weighed.kept(~is_positive).added(where[~is_positive], size)
    sources = (source,) if source else ()
    if positives.squares is None or negatives.squares is None:
        return ScoreTable(distinct, positives.counts, negatives.counts, positive=positive, sources=sources)
    squares = np.stack([positives.squares, negatives.squares])
    return ScoreTable(distinct, positives.sums, negatives.sums, positive=positive, squares=squares, sources=sources)


def absent_scores(facts: Facts, model: str, count: int) -> None:
    """Refuse to rank rows without a score, unless they are to be left out."""
    if count and facts.missing != "drop":
        raise InputError(
            f"{model!r} has no score in {count:,} rows, and a row without a score has no rank; "
            'missing="drop" leaves such rows out'
        )


def _settled(
    facts: Facts, truth: Ints, calls: list[Ints], weighed: WeightedCounts
) -> tuple[NDArray[np.bool_], list[Ints]]:
    """Which groups count, and their calls with the absent ones filled in by the rule for them."""
    kept: NDArray[np.bool_] = weighed.counts > 0
    absent = [c < 0 for c in calls]
    if any(a.any() for a in absent):
        if facts.missing == "drop":
            kept &= ~np.logical_or.reduce(absent)
        elif facts.missing == "error":
            raise InputError('a prediction is missing; say what to do with missing="wrong" or missing="drop"')
        else:
            k = len(facts.labels)
            filler = 1 - truth if k == 2 else np.full(len(truth), k, dtype=np.int64)
            calls = [np.where(a, filler, c) for a, c in zip(absent, calls, strict=True)]
    return kept, [c[kept] for c in calls]


def _pairs(keys: Ints, cell: Ints, size: int, weighed: WeightedCounts) -> tuple[Ints, Ints, Ints, Floats | None]:
    most = (int(keys.max(initial=-1)) + 1) * max(size, 1)
    pairs, where = occupied_cells(keys * max(size, 1) + cell, most)
    counts, sums, _ = weighed.added(where, len(pairs))
    return pairs // max(size, 1), pairs % max(size, 1), counts, sums


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """A column as it stands."""

    column: str


@dataclass(frozen=True, slots=True)
class IsLabel:
    """1 where a column holds a label, else 0."""

    column: str
    label: Label


@dataclass(frozen=True, slots=True)
class ThresholdCode:
    """The code `above` where a column is at least the threshold, else `below`; −1 where it is missing."""

    column: str
    threshold: float
    above: int
    below: int


@dataclass(frozen=True, slots=True)
class ArgmaxCode:
    """The position of the first column that is highest; −1 where one is missing."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BinNumber:
    """The bin of a column: from lows[i] up ⌊(x − lows[i])·scales[i]⌋, beyond the bins before.

    Stretches are laid so that their scores end in bin tops[i]; engines do not clip. Where logs[i] says so, logarithms
    of both without their signs. Missing where the column is; −1 where tops[i] is.
    """

    column: str
    lows: tuple[float, ...]
    scales: tuple[float, ...]
    tops: tuple[int, ...]
    logs: tuple[bool, ...]

    @property
    def pieces(self) -> tuple[tuple[float, float, int, int, bool], ...]:
        """(low, scale, top, first bin, whether of logarithms) of each stretch, which ascend."""
        firsts = [0]
        for top in self.tops:
            firsts.append(firsts[-1] + top + 1)
        return tuple(zip(self.lows, self.scales, self.tops, firsts, self.logs, strict=False))

    @property
    def cells(self) -> int:
        """How many bins there are."""
        return sum(self.tops) + len(self.tops)


def log_origin(low: float, width: float) -> float:
    """From where logarithms are counted: a hair beyond that of the lowest value, since engines round as they like."""
    return math.log(abs(low)) - math.copysign(1e-9 * width, low)


def key_place(known: Sequence[object]) -> Callable[[Array], Ints]:
    """What finds the place of each value among the known ones, −1 where it is none of them.

    >>> key_place([5, 7])(np.array([7, 5, 9])).tolist()
    [1, 0, -1]
    >>> key_place(["a", "b"])(np.array(["b", None], dtype=object)).tolist()
    [1, -1]
    """
    array = np.asarray(known) if {type(k) for k in known} <= {int, float, bool} else np.empty(0, dtype=object)
    position = {value: i for i, value in enumerate(known)}
    # Numbers from 2^53 up are not told apart as floats.
    numbers = bool(known) and array.dtype.kind in "iufb" and np.abs(array.astype(np.float64)).max() < 2**53
    known_floats = array.astype(np.float64) if numbers else np.empty(0)
    order = np.argsort(known_floats)
    # Whole numbers that lie close together are looked up; on either side of them stands a −1.
    lowest, highest = (int(array.min()), int(array.max())) if numbers and array.dtype.kind in "ib" else (0, -1)
    table = np.full(highest - lowest + 3 if 0 <= highest - lowest <= 4 * len(known) + MOST_LOOKED_UP else 0, -1)
    if len(table):
        table[array.astype(np.int64) - (lowest - 1)] = np.arange(len(known))

    def places(values: Array) -> Ints:
        if len(table) and values.dtype.kind in "ib":
            return table[np.clip(values.astype(np.int64) - (lowest - 1), 0, len(table) - 1)]
        if not numbers or values.dtype.kind not in "iufb":
            return np.fromiter(map(position.get, values.tolist(), repeat(-1)), dtype=np.int64, count=len(values))
        place = np.searchsorted(known_floats, values, sorter=order).clip(max=len(known_floats) - 1)
        return np.where(known_floats[order][place] == values, order[place], -1).astype(np.int64)

    return places


def key_places(known: Sequence[tuple[object, ...]]) -> Callable[[Sequence[Array]], Ints]:
    """The same of keys, of one column or of two."""
    if known and len(known[0]) > 1:
        of_both = key_place(known)
        return lambda columns: of_both(_tuples(columns))
    of_one = key_place([value for (value,) in known])
    return lambda columns: of_one(columns[0])


def _tuples(columns: Sequence[Array]) -> Array:
    rows = np.empty(len(columns[0]), dtype=object)
    rows[:] = list(zip(*(column.tolist() for column in columns), strict=True))
    return rows


# What rows are grouped by; an engine writes each as an expression of its own.
GroupKey = ColumnValue | IsLabel | ThresholdCode | ArgmaxCode | BinNumber


class BinnedRows(NamedTuple):
    """Rows in the bins of several columns: which column and bin, whether they are positive, how many they are, and the
    lowest and highest value among them."""

    which: Ints
    place: Ints
    is_positive: NDArray[np.bool_]
    weighed: WeightedCounts
    low: Floats
    high: Floats


class Groups(NamedTuple):
    """One array for each key, missing values as None or NaN, and how many rows each group has, or what they weigh."""

    keys: tuple[Array, ...]
    weighed: WeightedCounts

    def without_last(self) -> Groups:
        """The groups whatever their last key, in order; keys are codes from −1 up.

        >>> found = Groups((np.array([1, 0, 1]), np.array([5, 6, 7])), WeightedCounts(np.array([1, 2, 4])))
        >>> found.without_last()
        Groups(keys=(array([0, 1]),), weighed=WeightedCounts(counts=array([2, 5]), sums=None, squares=None))
        """
        kept = self.keys[:-1]
        sizes = [int(key.max(initial=-1)) + 2 for key in kept]
        # The last key that is kept counts most, as in `ordered`.
        cell = np.zeros(len(self.weighed.counts), dtype=np.int64)
        for key, size in zip(kept[::-1], sizes[::-1], strict=True):
            cell = cell * size + (key + 1)
        cells, where = occupied_cells(cell, math.prod(sizes))
        weighed = self.weighed.added(where, len(cells))
        codes = []
        for size in sizes:
            codes.append(cells % size - 1)
            cells = cells // size
        return Groups(tuple(codes), weighed)

    def ordered(self) -> Groups:
        """The groups by the values of their keys, which are numbers, the last key first.

        An engine gives groups in any order, and a sum over them must not differ in its last digit from run to run.

        >>> found = Groups((np.array([0.7, 0.2]), np.array([0, 0])), WeightedCounts(np.array([1, 5])))
        >>> found.ordered().weighed.counts
        array([5, 1])
        """
        order = np.lexsort(self.keys)
        return Groups(tuple(key[order] for key in self.keys), self.weighed.kept(order))


def named_and_sized(keys: Sequence[Array], rows: Ints) -> tuple[list[tuple[object, ...]], tuple[Label, ...], Ints]:
    """Distinct raw keys, their names, and the rows of each; groups may repeat a key."""
    if len(keys) == 1 and np.can_cast(keys[0].dtype, np.int64) and keys[0].dtype.kind in "iu":
        # Clusters may be very many.
        low, high = int(keys[0].min()), int(keys[0].max())
        cells, where = occupied_cells(keys[0].astype(np.int64) - low, high - low + 1)
        names = (cells + low).tolist()
        return list(zip(names, strict=True)), tuple(names), WeightedCounts(rows).added(where, len(names)).counts
    sizes: dict[tuple[object, ...], int] = {}
    for *row, amount in zip(*(values.tolist() for values in (*keys, rows)), strict=True):
        sizes[tuple(row)] = sizes.get(tuple(row), 0) + amount
    raw, labels = named_keys(list(sizes))
    return raw, labels, np.array([sizes[value] for value in raw], dtype=np.int64)
