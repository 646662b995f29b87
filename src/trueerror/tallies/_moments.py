"""Sums over rows: the moments of a loss, placements (all that comparing areas needs), and counts of several labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import ArrayLike, Column, Floats, check_indexes, matrix, missing_rows, same_length
from trueerror.inputs._labels import Label, check_labels, find_label
from trueerror.inputs._options import InputError
from trueerror.tallies._confusion import BinaryCounts, ClassCounts

# Values are cut into two whole numbers of so many bits, whose sums are exact; a block of rows stays within 64 bits.
LIMB = 27
BLOCK = 1 << 16


def ordered_sum(
    values: NDArray[np.float64], counts: NDArray[np.int64] | None = None, *, about: float | None = None
) -> float:
    """Σ count·value that depends neither on the order of the values nor on how equal ones are grouped.

    With `about`, of the squared distances from it: block by block, without an array of them.

    Each value is rounded to a multiple of 2⁻⁵⁴ of the power of two above the largest one; sums of whole numbers are
    exact (the idea of Demmel and Nguyen 2013, ARITH 21:163). So arrays, files and engines agree to the last bit.
    """
    ends = float(values.min(initial=math.inf)), float(values.max(initial=-math.inf))
    # Rounding keeps the order, so that the farthest value has the largest square.
    top = max(ends[1], -ends[0], 0.0) if about is None else max((end - about) * (end - about) for end in ends)
    if top == 0 or not len(values):
        return 0.0
    if math.isinf(top):
        return math.inf if about is not None or ends[1] == math.inf else -math.inf
    exponent = math.frexp(top)[1]
    # Products by a power of two are exact; beyond these it would leave the range of floats.
    if abs(exponent) > 900:
        plain = values if about is None else (values - about) ** 2
        return math.ldexp(ordered_sum(np.ldexp(plain, -exponent), counts), exponent)
    scale, step = math.ldexp(1.0, LIMB - exponent), math.ldexp(1.0, LIMB)
    high = low = 0
    for start in range(0, len(values), BLOCK):
        rows = slice(start, start + BLOCK)
        if about is None:
            scaled = values[rows] * scale
        else:
            scaled = values[rows] - about
            scaled *= scaled
            scaled *= scale
        whole = np.floor(scaled)
        scaled -= whole
        scaled *= step
        rest = np.rint(scaled, out=scaled)
        if counts is None:
            # Sums of so few whole numbers below 2²⁷ are exact as floats.
            high, low = high + int(whole.sum()), low + int(rest.sum())
        else:
            often = counts[rows]
            high += int(np.dot(whole.astype(np.int64), often))
            low += int(np.dot(rest.astype(np.int64), often))
    return math.ldexp((high << LIMB) + low, exponent - 2 * LIMB)


def _higher_sums(values: NDArray[np.float64], counts: NDArray[np.int64] | None, about: float) -> tuple[float, float]:
    """Σ count·(value − about)³ and Σ count·(value − about)⁴, block by block; their last digits hang on the order."""
    cubes = fourths = 0.0
    for start in range(0, len(values), BLOCK):
        apart = values[start : start + BLOCK] - about
        squares = apart * apart
        weighed = squares if counts is None else squares * counts[start : start + BLOCK]
        # Not by BLAS, which would share a product among threads of its own.
        cubes += float(np.einsum("i,i->", weighed, apart))
        fourths += float(np.einsum("i,i->", weighed, squares))
    return cubes, fourths


@dataclass(frozen=True, slots=True)
class Moments:
    """n, mean, and the sums of the second, third and fourth powers of the deviations from it.

    The fourth tells how uncertain the spread is; the third is what adding shards needs for it. Shards add by the
    formulas of Chan, Golub and LeVeque (1979) and Pébay (2008, SAND2008-6212). Powers beyond the range of floats are
    left out: 0, or not finite.

    >>> a, b = Moments.of(np.array([1.0, 2.0])), Moments.of(np.array([6.0]))
    >>> (a + b).mean, (a + b).variance
    (3.0, 7.0)
    >>> (a + b).fourths, Moments.of(np.array([1.0, 2.0, 6.0])).fourths
    (98.0, 98.0)
    """

    n: int
    mean: float
    squares: float
    cubes: float = field(default=0.0, compare=False)
    fourths: float = field(default=0.0, compare=False)

    @classmethod
    def of(cls, values: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> Moments:
        """The moments of an array, each value as often as `counts` say: bit for bit those of the rows in any order,
        but for the last digits of the higher powers.

        >>> few, many = np.array([0.1, 0.7]), np.array([0.7, 0.1, 0.7])
        >>> Moments.of(few, np.array([1, 2])) == Moments.of(many)
        True
        """
        n = len(values) if counts is None else int(counts.sum())
        if n == 0:
            return cls(0, 0.0, 0.0)
        values = np.asarray(values, dtype=np.float64)
        # Neither end is finite where a value is not: NaN is both the least and the greatest.
        if not (math.isfinite(values.min()) and math.isfinite(values.max())):
            mean = float(values.sum())
            return cls(n, mean, math.inf if math.isinf(mean) else math.nan)
        mean = ordered_sum(values, counts) / n
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return cls(n, mean, ordered_sum(values, counts, about=mean), *_higher_sums(values, counts, mean))

    @classmethod
    def about(cls, origin: float, n: int, sums: Sequence[float]) -> Moments | None:
        """From the sums of the first four powers of distances from an origin; None of no rows.

        >>> Moments.about(1.0, 3, (6.0, 26.0, 126.0, 626.0)) == Moments.of(np.array([1.0, 2.0, 6.0]))
        True
        """
        if not n:
            return None
        first, second, third, fourth = sums
        m = first / n
        cubes = third - 3 * m * second + 2 * n * m**3
        fourths = fourth - 4 * m * third + 6 * m * m * second - 3 * n * m**4
        return cls(n, origin + m, max(second - first * first / n, 0.0), cubes, max(fourths, 0.0))

    def __add__(self, other: object) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if self.n == 0:
            return other
        if other.n == 0:
            return self
        n = self.n + other.n
        if math.isinf(self.mean) or math.isinf(other.mean):
            return Moments(n, self.mean + other.mean, math.inf)  # ∞ − ∞ would make the gap NaN
        gap = other.mean - self.mean
        mean = self.mean + gap * other.n / n
        a, b, step = self.n, other.n, gap / n
        cubes = self.cubes + other.cubes + 3 * step * (a * other.squares - b * self.squares)
        cubes += gap * step * step * a * b * (a - b)
        fourths = self.fourths + other.fourths + 4 * step * (a * other.cubes - b * self.cubes)
        fourths += 6 * step * step * (a * a * other.squares + b * b * self.squares)
        fourths += gap * step * step * step * a * b * (a * a - a * b + b * b)
        return Moments(n, mean, self.squares + other.squares + gap * gap * a * b / n, cubes, fourths)

    def __neg__(self) -> Moments:
        """Those of the values with the other sign."""
        return Moments(self.n, -self.mean, self.squares, -self.cubes, self.fourths)

    @property
    def variance(self) -> float:
        """The unbiased variance of one value; NaN below two rows."""
        return self.squares / (self.n - 1) if self.n > 1 else math.nan

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return math.sqrt(self.variance / self.n) if self.n > 1 else math.nan


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

    @property
    def sizes(self) -> tuple[int, int]:
        """How many positives and negatives there are."""
        return self.positives, self.negatives

    @property
    def exact(self) -> bool:
        """Whether nothing was binned."""
        return not self.slack.any() and not self.error.any()


Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class MultiLabel:
    """The four counts of every label; `exact` rows have all their labels right. Shards of one sample add up.

    >>> t = MultiLabel.count([[1, 0], [1, 1]], [[1, 0], [0, 1]], labels=["cat", "dog"])
    >>> t.tp.tolist(), t.fn.tolist(), t.exact, t.n
    ([1, 1], [1, 0], 1, 2)
    """

    labels: tuple[Label, ...]
    tp: Ints
    fp: Ints
    fn: Ints
    tn: Ints
    exact: int
    n: int

    @classmethod
    def count(cls, truth: ArrayLike, predicted: ArrayLike, *, labels: Iterable[object] | None = None) -> MultiLabel:
        """Count two (n, L) tables of 0 and 1; without `labels` the labels are 0 … L − 1, or a frame's columns."""
        check_indexes({"truth": truth, "predicted": predicted})
        actual, called = indicators(truth, "truth"), indicators(predicted, "predicted")
        same_length({"truth": actual, "predicted": called})
        if actual.shape[1] != called.shape[1]:
            raise InputError(
                f"truth has {actual.shape[1]} columns but predicted has {called.shape[1]}; each column is one label"
            )
        if labels is None:
            labels = getattr(truth, "columns", None)
        names = tuple(range(actual.shape[1])) if labels is None else check_labels(labels)
        if len(names) != actual.shape[1]:
            raise InputError(f"truth has {actual.shape[1]} columns but labels= names {len(names)}")
        tp = (actual & called).sum(axis=0)
        fp, fn = called.sum(axis=0) - tp, actual.sum(axis=0) - tp
        exact = int((actual == called).all(axis=1).sum())
        return cls(names, tp, fp, fn, len(actual) - tp - fp - fn, exact, len(actual))

    def classes(self) -> ClassCounts:
        """Hits and margins of the labels, for averages over them; a row counts once for each of its labels."""
        hits = self.tp.astype(np.float64)
        return ClassCounts(hits=hits, truth=hits + self.fn, predicted=hits + self.fp, total=float(self.n))

    def binary(self, label: object) -> BinaryCounts:
        """One label against its absence."""
        i = self.labels.index(find_label(label, self.labels))
        return BinaryCounts(*(float(x[i]) for x in (self.tp, self.fp, self.fn, self.tn)))

    def __add__(self, other: object) -> MultiLabel:
        if not isinstance(other, MultiLabel):
            return NotImplemented
        if self.labels != other.labels:
            raise InputError(f"cannot add: the labels differ ({self.labels!r:.60} and {other.labels!r:.60})")
        parts = (getattr(self, name) + getattr(other, name) for name in ("tp", "fp", "fn", "tn", "exact", "n"))
        return MultiLabel(self.labels, *parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiLabel):
            return NotImplemented
        same = (self.labels, self.exact, self.n) == (other.labels, other.exact, other.n)
        return same and all(np.array_equal(getattr(self, x), getattr(other, x)) for x in ("tp", "fp", "fn", "tn"))

    __hash__ = None  # type: ignore[assignment]


def indicators(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """An (n, L) table of 0 and 1 (or booleans)."""
    array: Column = matrix(values, name)
    if array.ndim != 2:
        raise InputError(f"{name} must be a table with one column for each label, but it is one column")
    flat = array.reshape(-1)
    if array.dtype.kind == "O":
        gone = missing_rows(flat)
        try:
            flat = np.where(gone, np.nan, flat).astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{name} must hold 0 and 1, one column for each label") from None
    if array.dtype.kind in "USmM":
        raise InputError(f"{name} must hold 0 and 1, one column for each label, not {array.dtype}")
    wrong = (flat != 0) & (flat != 1)
    if wrong.any():
        row, col = divmod(int(np.argmax(wrong)), array.shape[1])
        raise InputError(f"{name} must hold 0 and 1, but row {row + 1:,}, column {col + 1} is {array[row, col]!r:.30}")
    return np.asarray(flat == 1, dtype=np.bool_).reshape(array.shape)
