"""The score table: how many positives and negatives have each distinct score; ROC, PR and calibration are in it.

Tables of shards add up: two by merging their sorted scores, many by one sort that finds sorted runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import (
    Array,
    ArrayLike,
    Floats,
    WeightsKind,
    check_indexes,
    column,
    plain_numbers,
    same_length,
    score_array,
    weight_column,
)
from trueerror.inputs._labels import (
    Label,
    any_missing,
    check_labels,
    code_column,
    find_label,
    natural_labels,
    natural_positive,
    need_positive,
    plain_label,
    recode,
)
from trueerror.inputs._options import InputError
from trueerror.kernels import chosen
from trueerror.kernels._device import SortedScores, to_host
from trueerror.kernels._groups import passed_at
from trueerror.results import Result

if TYPE_CHECKING:
    from trueerror.tallies._score_bounds import ScoreBounds

T = TypeVar("T")
# From so many distinct scores on, a kernel goes through the table in blocks, in threads.
MANY = 1 << 16
# A table on a GPU is looked at by rules of thumb in so many bins.
COMPACT = 1 << 14
# A table of more scores is drawn by its cutoffs at steps of such a share of either class, and finer towards both ends.
DRAWN = 1 << 14
FINER = 200
# Running sums are kept at every so many scores.
STEP = 1 << 12
# What a saved table holds.
FIELDS = ("exact", "negatives", "positive", "positives", "scores", "sources", "squares", "uppers")


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ScoreTable(Result):
    """Distinct scores, ascending, with the positives and negatives at each; shards of one sample add up.

    `a + b`, `total += batch`, `sum(tables)`, or for many at once `ScoreTable.total(tables)`.

    With sampling weights the two are sums of weights, and `squares` holds the sums of squared weights (positives,
    negatives). `exact` is False where scores were binned: then `scores` are the lowest scores that each bin may hold,
    `uppers` the highest ones, and `bounds` says between which values the exact metrics lie.

    >>> t = ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2])
    >>> t.scores.tolist(), t.positives.tolist(), t.negatives.tolist()
    ([0.2, 0.9], [1, 1], [1, 0])
    """

    __slots__ = (
        "__weakref__",
        "_asked",
        "_columns",
        "_in_order",
        "_parts",
        "exact",
        "positive",
        "sources",
        "squares",
        "uppers",
    )
    # Scores, positives and negatives; None until someone asks, in a sum whose large parts are not merged yet.
    _columns: tuple[Floats, Array, Array] | None
    _parts: tuple[ScoreTable, ...]
    # Counts the table, where that waits until someone asks.
    # The rows in order where they lie on a GPU; the columns come to memory when someone asks.
    _in_order: SortedScores | None
    # What someone has asked for already.
    _asked: dict[str, object]
    positive: Label
    exact: bool
    squares: Floats | None
    sources: tuple[str, ...]
    uppers: Floats | None

    def __init__(
        self,
        scores: ArrayLike,
        positives: ArrayLike,
        negatives: ArrayLike,
        *,
        positive: Label = 1,
        exact: bool = True,
        squares: Floats | None = None,
        sources: tuple[str, ...] = (),
        uppers: Floats | None = None,
    ) -> None:
        positive = plain_label(positive, "positive=")
        distinct = plain_numbers(column(scores, "scores"), "scores") + 0.0
        ups, downs = (
            _amounts(x, squares is None, name) for x, name in ((positives, "positives"), (negatives, "negatives"))
        )
        columns = {"scores": distinct, "positives": ups, "negatives": downs}
        same_length({name: column(values, name) for name, values in columns.items()})
        if squares is not None and np.shape(squares) != (2, len(distinct)):
            raise InputError("squares= holds sums of squared weights, a row for positives and a row for negatives")
        if not all(isinstance(source, str) for source in sources):
            raise InputError("sources= are names, such as those of files")
        if np.isnan(distinct).any() or (len(distinct) > 1 and not (distinct[1:] > distinct[:-1]).all()):
            raise InputError("a score table needs distinct scores in ascending order, without NaN")
        if uppers is not None and ((uppers < distinct).any() or (uppers[:-1] >= distinct[1:]).any()):
            raise InputError("the bins of a score table must not overlap: were two samples binned by different grids?")
        self._keep(
            (distinct, ups, downs), positive=positive, exact=exact, squares=squares, sources=sources, uppers=uppers
        )

    def _keep(
        self,
        columns: tuple[Floats, Array, Array] | None,
        *,
        _parts: tuple[ScoreTable, ...] = (),
        _in_order: SortedScores | None = None,
        **values: ArrayLike,
    ) -> None:
        frozen = None if columns is None else tuple(_frozen(column) for column in columns)
        attributes: dict[str, object] = {
            "_columns": frozen, "_parts": _parts, "_in_order": _in_order, "_asked": {}
        }  # fmt: skip
        for name, value in {**values, **attributes}.items():
            object.__setattr__(self, name, _frozen(value) if isinstance(value, np.ndarray) else value)

    @classmethod
    def _counted(
        cls, scores: Floats, positives: Array, negatives: Array, *, positive: Label, sources: tuple[str, ...]
    ) -> Self:
        """A table that a kernel has just counted: what `__init__` checks holds already, and checking takes a while."""
        table = cls.__new__(cls)
        table._keep(
            (scores, positives, negatives), positive=positive, exact=True, squares=None, sources=sources, uppers=None
        )
        return table

    @classmethod
    def on_device(cls, in_order: SortedScores, positive: Label, sources: tuple[str, ...] = ()) -> Self:
        """A table that was counted on a GPU and stays there until someone asks for its columns."""
        table = cls.__new__(cls)
        table._keep(None, _in_order=in_order, positive=positive, exact=True, squares=None, sources=sources, uppers=None)
        return table

    @classmethod
    def _sum_of(cls, parts: tuple[ScoreTable, ...], sources: tuple[str, ...]) -> Self:
        """The sum of exact tables, to be merged when someone asks for it."""
        table = cls.__new__(cls)
        table._keep(
            None, _parts=parts, positive=parts[0].positive, exact=True, squares=None, sources=sources, uppers=None
        )
        return table

    def _merged(self) -> tuple[Floats, Array, Array]:
        # In this order another thread that merges them at the same time does no harm.
        parts, columns = self._parts, self._columns
        if columns is None:
            if self._in_order is not None:
                scores, ups, downs = map(to_host, self._in_order.groups)
                columns = _frozen(scores.astype(np.float64)), _frozen(ups), _frozen(downs)
            else:
                whole = ScoreTable.total(parts)
                columns = whole.scores, whole.positives, whole.negatives
            object.__setattr__(self, "_columns", columns)
            object.__setattr__(self, "_parts", ())
        return columns

    @property
    def scores(self) -> Floats:
        """The distinct scores, ascending; of binned ones the lowest that each bin may hold."""
        return self._merged()[0]

    @property
    def positives(self) -> Array:
        """The positives (or their weight) at each score."""
        return self._merged()[1]

    @property
    def negatives(self) -> Array:
        """The negatives (or their weight) at each score."""
        return self._merged()[2]

    def _once(self, key: str, make: Callable[[], T]) -> T:
        """What is made of the table, once: many ask a frozen table for the same."""
        if key not in self._asked:
            self._asked[key] = make()
        return cast("T", self._asked[key])

    def _while_held(self, key: str, make: Callable[[], Array]) -> Array:
        """The same for arrays as long as the table: once for all that hold it at the same time."""
        known = self._asked.get(key)
        held: Array | None = known() if isinstance(known, ref) else None
        if held is None:
            held = make()
            self._asked[key] = ref(held)
        return held

    def placement_sums(self) -> tuple[float, float, float]:
        """The ordered pairs, doubled, and the spreads of placements in either class: all that DeLong's variance needs.

        >>> ScoreTable.count([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]).placement_sums()
        (6.0, 0.125, 0.125)
        """
        if self._in_order is not None:
            return self._once("placed", self._in_order.placement_sums)

        def summed() -> tuple[float, float, float]:
            return chosen(len(self.positives)).placement_sums(self.positives, self.negatives)

        return self._once("placed", summed)

    def ordered_pairs(self) -> float:
        """Twice the pairs in which the positive has the higher score, ties half."""
        if self._in_order is not None or "placed" in self._asked:
            return self.placement_sums()[0]
        kernel = chosen(len(self.positives))
        return self._once("pairs", lambda: kernel.ordered_pairs(self.positives, self.negatives))

    def compact(self) -> ScoreTable:
        """A binned table where this one lies on a GPU and has many scores; else the table itself."""
        if self._in_order is None or self._in_order.n_distinct <= COMPACT:
            return self
        lows, highs, ups, downs = self._in_order.thinned(COMPACT)
        return ScoreTable(lows, ups, downs, positive=self.positive, exact=False, sources=self.sources, uppers=highs)

    def drawable(self) -> ScoreTable:
        """What a picture needs of a table of very many scores; a smaller table, or a binned one, is drawn as it is.

        Scores whose cutoffs fall into one pixel are one: between two cutoffs that stay lie at most 1/2¹⁴ of either
        class and, towards both ends, 1/200 of the rows of the class beyond them, or rows of one score, a step that is
        seen. The counts at each cutoff that stays are those of the whole table.
        """
        if not self.exact or len(self.scores) <= 4 * DRAWN:
            return self
        return self._once("drawn", lambda: self._at_cutoffs(self._apart()))

    def _called(self, places: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """The positives and negatives among the highest so many scores: of counts, without the sums at all scores.

        >>> [part.tolist() for part in ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.4])._called(np.array([0, 1, 3]))]
        [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]
        """
        starts = len(self.positives) - np.asarray(places)
        ups, downs = (
            np.array([below[-1] - below[i // STEP] - counts[i // STEP * STEP : i].sum() for i in starts.tolist()])
            for counts, below in zip((self.positives, self.negatives), self._running(), strict=True)
        )
        return ups.astype(np.float64), downs.astype(np.float64)

    def _first_with(self, rows: float) -> int:
        """The fewest highest scores that so many rows have, or more; all of them where there are fewer rows.

        >>> ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.4])._first_with(1.5)
        2
        """
        below = np.add(*self._running())
        block = max(int(np.count_nonzero(below[-1] - below >= rows)) - 1, 0)
        part = slice(block * STEP, (block + 1) * STEP)
        inside = below[block] + np.cumsum(self.positives[part] + self.negatives[part])
        return max(len(self.positives) - block * STEP - int(np.count_nonzero(below[-1] - inside >= rows)), 0)

    def _running(self) -> tuple[Array, Array]:
        """The positives and negatives below every 2¹²th score, and all of them."""

        def sums(counts: Array) -> Array:
            blocks = np.add.reduceat(counts, np.arange(0, len(counts), STEP))
            return np.concatenate(([0], np.cumsum(blocks)))

        return self._once("running", lambda: (sums(self.positives), sums(self.negatives)))

    def _apart(self) -> NDArray[np.intp]:
        """Places of the scores whose cutoffs stay apart in a picture."""
        kept = [np.array([0, len(self.scores) - 1])]
        for counts, total in ((self.positives, float(self.n_positive)), (self.negatives, float(self.n_negative))):
            near = total / DRAWN * FINER
            few = np.arange(1, 1 + min(FINER, int(total)), dtype=np.float64)
            more = np.exp(np.arange(math.log(FINER), math.log(max(near, FINER)), 1 / FINER))
            ends = passed_at(counts, np.sort(np.concatenate((few, more, total - few, total - more, [total]))))
            place = passed_at(counts, np.arange(1, DRAWN) * (total / DRAWN))
            # Where the rows of one score pass several levels, both ends of that step are cutoffs.
            steps = place[1:][place[1:] == place[:-1]]
            kept += [place, steps + 1, ends, ends + 1]
        return np.unique(np.minimum(np.concatenate(kept), len(self.scores) - 1))

    def _at_cutoffs(self, starts: NDArray[np.intp]) -> ScoreTable:
        """The table with all scores from one start to the next as one."""
        ups, downs = (np.add.reduceat(counts, starts) for counts in (self.positives, self.negatives))
        squares = None if self.squares is None else np.add.reduceat(self.squares, starts, axis=1)
        kept = ScoreTable.__new__(ScoreTable)
        kept._keep((self.scores[starts], ups, downs), positive=self.positive, exact=True, squares=squares,
                   sources=self.sources, uppers=None)  # fmt: skip
        return kept

    def _at_positives(self) -> ScoreTable:
        """What average precision needs of a table of many scores: negatives between two positives count alike.

        They go with the score of the positive below them, those below all positives with the lowest score.

        >>> made = ScoreTable(range(MANY), np.arange(MANY) % 4 == 3, np.arange(MANY) % 4 != 3)._at_positives()
        >>> made.scores[:3].tolist(), made.positives[:3].tolist(), made.negatives[:3].tolist()
        ([0.0, 3.0, 7.0], [0, 1, 1], [3, 3, 3])
        """
        if len(self.positives) < MANY:
            return self
        starts = np.flatnonzero(self.positives)
        return self._at_cutoffs(starts if len(starts) and starts[0] == 0 else np.concatenate(([0], starts)))

    @property
    def many(self) -> bool:
        """Whether a kernel goes through the table in blocks, in threads or on a GPU, rather than NumPy in one go."""
        on_device = self._in_order is not None and len(self._in_order.keys) >= MANY
        return on_device or len(self.positives) >= MANY

    def __reduce__(self) -> tuple[object, ...]:
        return (_restore, (self._to_data(),))

    @classmethod
    def count(
        cls,
        truth: ArrayLike,
        scores: ArrayLike,
        *,
        positive: object = None,
        labels: Iterable[object] | None = None,
        weights: ArrayLike = None,
        weights_kind: WeightsKind | None = None,
    ) -> Self:
        """Count rows once, by score."""
        check_indexes({"truth": truth, "scores": scores})
        values = column(truth, "truth")
        array = score_array(scores)
        if array.ndim == 2:
            raise InputError("a score table takes one column of scores; pass the column of the positive class")
        same_length({"truth": values, "scores": array})
        coded = code_column(values, "truth")
        names = natural_labels(coded.values) if labels is None else check_labels(labels)
        chosen = natural_positive(names) if positive is None else find_label(positive, names)
        if chosen is None:
            raise need_positive(names, "a score table")
        codes = recode(coded, names, "truth")
        if any_missing(codes):
            raise InputError(f"truth is missing at row {int(np.argmax(codes < 0)) + 1:,}; leave those rows out")
        w = None if weights is None else weight_column(weights, weights_kind)
        if w is not None:
            same_length({"truth": values, "weights": w})
        return cls.from_codes(codes == names.index(chosen), array, chosen, weights=w, weights_kind=weights_kind)

    @classmethod
    def from_codes(
        cls,
        is_positive: NDArray[np.bool_],
        scores: Array,
        positive: Label,
        *,
        weights: Floats | None = None,
        weights_kind: WeightsKind | None = None,
        sources: tuple[str, ...] = (),
    ) -> Self:
        """Count rows that are already coded."""
        if weights is None:
            distinct, ups, downs = chosen(len(scores)).score_groups(scores, is_positive)
            return cls._counted(distinct, ups, downs, positive=positive, sources=sources)
        distinct, where = np.unique(scores.astype(np.float64) + 0.0, return_inverse=True)
        size = len(distinct)
        ups = np.bincount(where[is_positive], weights=weights[is_positive], minlength=size)
        downs = np.bincount(where[~is_positive], weights=weights[~is_positive], minlength=size)
        if weights_kind == "frequency":
            return cls(distinct, ups.astype(np.int64), downs.astype(np.int64), positive=positive, sources=sources)
        squared = weights * weights
        squares: Floats = np.stack(
            [
                np.bincount(where[is_positive], weights=squared[is_positive], minlength=size),
                np.bincount(where[~is_positive], weights=squared[~is_positive], minlength=size),
            ]
        )
        return cls(distinct, ups, downs, positive=positive, squares=squares, sources=sources)

    @property
    def n_positive(self) -> float:
        """How many positives (or their weight)."""
        return self._totals()[0]

    @property
    def n_negative(self) -> float:
        """How many negatives (or their weight)."""
        return self._totals()[1]

    def _totals(self) -> tuple[float, float]:
        def summed() -> tuple[float, float]:
            if self._in_order is not None:
                return self._in_order.positives, len(self._in_order.keys) - self._in_order.positives
            return self.positives.sum().item(), self.negatives.sum().item()

        return self._once("sums", summed)

    @property
    def nbytes(self) -> int:
        """The memory that the table takes."""
        parts = (self.scores, self.positives, self.negatives, self.squares, self.uppers)
        return sum(part.nbytes for part in parts if part is not None)

    @property
    def n(self) -> float:
        """All rows (or their weight)."""
        return self.n_positive + self.n_negative

    @property
    def bounds(self) -> ScoreBounds:
        """Between which values the exact metrics and curves lie; of no width where the table is exact."""
        from trueerror.tallies._score_bounds import ScoreBounds

        return ScoreBounds(self)

    def __add__(self, other: object) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return add_score_tables(self, other)

    def __radd__(self, other: object) -> ScoreTable:
        # sum() begins with 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @classmethod
    def total(cls, tables: Iterable[ScoreTable]) -> ScoreTable:
        """The sum of many tables at once, which is quicker than adding one after another.

        >>> ScoreTable.total(ScoreTable.count([0, 1], [i / 4, 0.9]) for i in range(100)).n
        200
        """
        return total_of(tables)

    def _to_data(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        squares, uppers = data.get("squares"), data.get("uppers")
        return cls(
            np.array(data["scores"], dtype=np.float64),
            np.array(data["positives"]),
            np.array(data["negatives"]),
            positive=data["positive"],
            exact=data["exact"],
            squares=None if squares is None else np.array(squares, dtype=np.float64),
            sources=tuple(data["sources"]),
            uppers=None if uppers is None else np.array(uppers, dtype=np.float64),
        )

    def _key(self) -> tuple[object, ...]:
        data = {k: v for k, v in self._to_data().items() if k != "sources"}
        return tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in data.values())

    def records(self) -> list[dict[str, object]]:
        """One record for each distinct score."""
        return [
            {"score": float(s), "positives": p.item(), "negatives": q.item()}
            for s, p, q in zip(self.scores, self.positives, self.negatives, strict=True)
        ]

    def __str__(self) -> str:
        kind = "distinct scores" if self.exact else "bins of scores"
        return (
            f"{len(self.scores):,} {kind}, {self.n_positive:,} positives ({self.positive!r}), "
            f"{self.n_negative:,} negatives"
        )

    def __repr__(self) -> str:
        return str(self)


def _frozen(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _amounts(values: ArrayLike, whole: bool, name: str) -> Array:
    """Counts (or sums of weights) at each score."""
    amounts = column(values if isinstance(values, Iterable) else [values], name)
    if amounts.dtype.kind == "O":
        amounts = plain_numbers(amounts, name)
    if amounts.dtype.kind not in "iufb":
        raise InputError(f"{name} must be numbers, not {amounts.dtype}")
    wrong = (
        ~np.isfinite(amounts)
        | (amounts < 0)
        | (whole & ((amounts != np.floor(amounts)) | (np.asarray(amounts, dtype=np.float64) > 2**62)))
    )
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{name} has {amounts[at]} at place {at + 1:,}; counts are whole numbers from 0 up, to 2⁶²")
    return amounts.astype(np.int64 if whole else np.float64, copy=False)


def _restore(data: dict[str, object]) -> ScoreTable:
    return ScoreTable._from_data(data)


# Sums of more distinct scores than this are not merged before someone asks for them.
LARGE = 1 << 16


def add_score_tables(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """The table that counting both shards at once would have given.

    A sum of large tables keeps parts, each more than twice as long as the next: adding many batches to one total takes
    n log n steps in all then, instead of writing the whole total anew for each of them.

    >>> made = add_score_tables(ScoreTable.count([0, 1], [0.2, 0.9]), ScoreTable.count([1, 0], [0.2, 0.4]))
    >>> made.scores.tolist(), made.positives.tolist(), made.negatives.tolist()
    ([0.2, 0.4, 0.9], [1, 0, 1], [1, 1, 0])
    """
    _need_alike(a, b)
    parts = [*(a._parts or (a,)), *(b._parts or (b,))]
    if not a.exact or a.squares is not None or sum(len(part.scores) for part in parts) <= LARGE:
        return _merge(a, b)
    parts.sort(key=lambda part: -len(part.scores))
    while len(parts) > 1 and len(parts[-2].scores) <= 2 * len(parts[-1].scores):
        parts[-2:] = [_merge(parts[-2], parts[-1])]
        parts.sort(key=lambda part: -len(part.scores))
    return ScoreTable._sum_of(tuple(parts), _sources((a, b))) if len(parts) > 1 else parts[0]


def _merge(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """Both in one table, in time that grows with the longer one."""
    long, short = (a, b) if len(a.scores) >= len(b.scores) else (b, a)
    # The scores of the shorter table go in between those of the longer one: no sort, and no copy but the result.
    after = np.searchsorted(long.scores, short.scores)
    known = np.zeros(len(short.scores), dtype=bool)
    if len(long.scores):
        known = long.scores.take(after, mode="clip") == short.scores
    new = ~known
    place = after + np.cumsum(new) - new
    size = len(long.scores) + int(np.count_nonzero(new))
    between, both = place[new], place[known]
    from_long = np.ones(size, dtype=bool)
    from_long[between] = False

    def merged(x: Array, y: Array, join: np.ufunc) -> Array:
        if x.ndim == 2:
            return np.stack([merged(*rows, join) for rows in zip(x, y, strict=True)])
        joined = np.empty(size, dtype=x.dtype)
        joined[from_long] = x
        joined[between] = y[new]
        joined[both] = join(joined[both], y[known])
        return joined

    return _table(
        (long, short),
        merged(long.scores, short.scores, np.maximum),
        merged(long.positives, short.positives, np.add),
        merged(long.negatives, short.negatives, np.add),
        None if long.squares is None or short.squares is None else merged(long.squares, short.squares, np.add),
        None if long.uppers is None or short.uppers is None else merged(long.uppers, short.uppers, np.maximum),
    )


def total_of(tables: Iterable[ScoreTable]) -> ScoreTable:
    """The sum of many tables at once.

    >>> total_of(ScoreTable.count([0, 1], [i / 4, 0.9]) for i in range(4)).positives.tolist()
    [0, 0, 0, 0, 4]
    """
    parts = list(tables)
    wrong = next((part for part in parts if not isinstance(part, ScoreTable)), None)
    if wrong is not None:
        raise InputError(f"score tables add up, and one of these is a {type(wrong).__name__}")
    if not parts:
        raise InputError("there is no score table to add up")
    for part in parts[1:]:
        _need_alike(parts[0], part)
    scores = np.concatenate([part.scores for part in parts])
    # Sorted runs one after another, which a stable sort finds and merges.
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    first = np.ones(len(scores), dtype=bool)
    np.not_equal(scores[1:], scores[:-1], out=first[1:])
    starts = np.flatnonzero(first)

    def joined(amounts: Sequence[Array], join: np.ufunc) -> Array:
        together = np.concatenate(amounts, axis=-1)[..., order]
        return together if len(starts) == len(scores) else np.asarray(join.reduceat(together, starts, axis=-1))

    squares = [part.squares for part in parts if part.squares is not None]
    uppers = [part.uppers for part in parts if part.uppers is not None]
    return _table(
        parts,
        scores[starts],
        joined([part.positives for part in parts], np.add),
        joined([part.negatives for part in parts], np.add),
        joined(squares, np.add) if squares else None,
        joined(uppers, np.maximum) if uppers else None,
    )


def _need_alike(a: ScoreTable, b: ScoreTable) -> None:
    if a.positive != b.positive:
        raise InputError(f"cannot add: positive is {a.positive!r} in one table and {b.positive!r} in the other")
    if (a.squares is None) != (b.squares is None):
        raise InputError("cannot add a table with sampling weights to one without")
    if a.exact != b.exact:
        raise InputError("cannot add an exact score table to a binned one")


def _sources(parts: Sequence[ScoreTable]) -> tuple[str, ...]:
    return tuple(sorted({source for part in parts for source in part.sources}))


def _table(
    parts: Sequence[ScoreTable],
    scores: Floats,
    positives: Array,
    negatives: Array,
    squares: Floats | None,
    uppers: Floats | None,
) -> ScoreTable:
    sources = _sources(parts)
    positive, exact = parts[0].positive, parts[0].exact
    if exact and squares is None:
        # Merged from sound tables: nothing is left to be checked.
        return ScoreTable._counted(scores, positives, negatives, positive=positive, sources=sources)
    return ScoreTable(
        scores, positives, negatives, positive=positive, exact=exact, squares=squares, sources=sources, uppers=uppers
    )
