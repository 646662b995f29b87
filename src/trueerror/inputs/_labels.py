"""Labels and their codes, the positive class, cost matrices, and fingerprints of columns of labels.

Labels are strings, integers or booleans; integral floats are integers, and a boolean equals 0 or 1. They are kept
as small integer codes in the label order, −1 where a label is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import EXACT, Column, Floats, Numeric, count_matrix, missing_rows, plain_numbers
from trueerror.inputs._options import InputError, in_few_words, nearest

Label = str | int | bool
Codes = NDArray[np.signedinteger[Any]]
# What is wrong with floats that may be other whole numbers than were meant.
TOO_LARGE = "whole numbers beyond 2^53 as floats; pass them as integers or text"

# Integer labels whose range is at most this wide are coded by offset, without sorting.
SMALL_RANGE = 1 << 16
# Up to so many texts have a table of slots, into which as many rows at a time are looked up as stay in the cache.
FEW_TEXTS = 512
SLOT_BITS = 16
SLOT_TRIES = 40
TEXT_SAMPLE = 1 << 12
TEXT_BLOCK = 1 << 14
OBJECT_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Coded:
    """One column as codes into its own distinct labels (ascending), −1 where missing."""

    codes: Codes
    values: tuple[Label, ...]


def any_missing(codes: Codes) -> bool:
    """Whether a label is missing: the least code says so in a quarter of the time of a mask."""
    return len(codes) > 0 and bool(codes.min() < 0)


def plain_label(value: object, place: str = "a label") -> Label:
    """A label as a plain Python value.

    >>> plain_label(np.float64(2.0)), plain_label(np.True_), plain_label("a")
    (2, True, 'a')
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        if EXACT <= abs(float(value)) < np.inf:
            raise InputError(f"{place} is {value!r}, {TOO_LARGE}")
        if float(value).is_integer():
            return int(value)
        raise InputError(f"{place} is {value!r}: labels are text, whole numbers or booleans; pass scores in scores=")
    if hasattr(value, "as_py"):
        return plain_label(value.as_py(), place)
    raise InputError(f"{place} is {in_few_words(value)}: labels are text, whole numbers or booleans")


def code_column(array: Column, name: str) -> Coded:
    """The distinct labels of a column and its codes."""
    kind = array.dtype.kind
    if kind == "b":
        return _code_booleans(array)
    if kind in "iu":
        return _code_integers(array)
    if kind == "f":
        return _code_floats(array, name)
    if kind in "US":
        return _code_text(array)
    return _code_objects(array.astype(object) if kind != "O" else array, name)


def smallest(top: int) -> type[np.signedinteger[Any]]:
    """The smallest signed type that holds codes below `top`."""
    for kind in (np.int8, np.int16, np.int32):
        if top <= np.iinfo(kind).max:
            return kind
    return np.int64


def _code_booleans(array: Column) -> Coded:
    seen = (bool((~array).any()), bool(array.any())) if len(array) else (False, False)
    codes = array.view(np.int8)
    if all(seen):
        return Coded(codes, (False, True))
    return Coded(np.zeros(len(array), np.int8), tuple(v for v, s in zip((False, True), seen, strict=True) if s))


def _code_integers(array: Column) -> Coded:
    if len(array) == 0:
        return Coded(np.zeros(0, np.int8), ())
    # Block by block, so that each row comes from memory once for its bits and for the codes that most columns have.
    codes, bits = np.empty(len(array), np.int8), 0
    for start in range(0, len(array), SMALL_RANGE):
        block = array[start : start + SMALL_RANGE]
        bits |= int(np.bitwise_or.reduce(block))
        codes[start : start + SMALL_RANGE] = block
    # No bit beyond the seventh: all labels are from 0 to 127, and the codes hold them.
    seen = codes if 0 <= bits <= np.iinfo(np.int8).max else array
    low, high = int(seen.min()), int(seen.max())
    if high - low >= SMALL_RANGE:
        values, inverse = np.unique(array, return_inverse=True)
        return Coded(inverse.astype(smallest(len(values))), tuple(int(v) for v in values))
    width = high - low + 1
    if seen is codes:
        shifted: Column = codes - np.int8(low) if low else codes
    elif low == 0 and array.dtype != np.uint64:
        shifted = array
    elif array.dtype.itemsize < 8:
        shifted = array.astype(np.int64) - low  # −100 … 100 fits in 8 bits, 0 … 200 does not
    else:
        shifted = array - array.dtype.type(low)
    present = _present(shifted, width)
    kind = smallest(len(present))
    if len(present) == width:
        return Coded(shifted.astype(kind, copy=False), tuple(range(low, high + 1)))
    recode = np.zeros(width, dtype=kind)
    recode[present] = np.arange(len(present), dtype=kind)
    return Coded(recode[shifted], tuple(int(v) + low for v in present))


def _present(offsets: Column, width: int) -> NDArray[np.intp]:
    """Which of 0 … width − 1 occur; most columns show all their labels early, and the rest is not looked at."""
    seen = np.zeros(width, dtype=bool)
    start, step = 0, 1 << 10
    while start < len(offsets) and not seen.all():
        seen[offsets[start : start + step]] = True
        start, step = start + step, min(2 * step, 1 << 16)
    return np.flatnonzero(seen)


def _code_floats(array: Column, name: str) -> Coded:
    gone = np.isnan(array)
    kept = array[~gone] if gone.any() else array
    odd = ~np.isfinite(kept) | (kept != np.floor(kept))
    if odd.any():
        row = int(np.flatnonzero(~gone)[int(np.argmax(odd))])
        raise InputError(
            f"{name} has {array[row].item()!r:.30} at row {row + 1:,}: labels are text, whole numbers or booleans; "
            "scores of rows go in scores=, and scores of folds are compared with cv="
        )
    if len(kept) and float(np.abs(kept).max()) >= EXACT:
        raise InputError(f"{name} holds {TOO_LARGE}")
    coded = _code_integers(kept.astype(np.int64))
    return _with_missing(coded, gone)


def _with_missing(coded: Coded, gone: NDArray[np.bool_]) -> Coded:
    if not gone.any():
        return coded
    codes = np.full(len(gone), -1, dtype=coded.codes.dtype)
    codes[~gone] = coded.codes
    return Coded(codes, coded.values)


def _code_text(array: Column) -> Coded:
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    array = np.ascontiguousarray(array)
    values, codes = _factorise_few(array) or _factorise_fixed_width(array)
    return Coded(codes, tuple(str(v) for v in values))


def _factorise_few(array: Column) -> tuple[Column, Codes] | None:
    """Distinct texts, sorted, and codes, where there are few texts; None where there are many.

    A sum of multiplied code points leads to a slot in a table, which no two texts share; each row is then compared
    with the text that it found. Texts that the first rows do not show are added, and the rows are read again.
    """
    chars = array.dtype.itemsize // 4
    if len(array) == 0 or chars == 0:
        return None
    points = array.view(np.uint32).reshape(len(array), chars)
    texts, complete = np.unique(array[:TEXT_SAMPLE]), False
    codes = np.empty(len(array), dtype=np.int16)
    while not complete:
        known = texts.view(np.uint32).reshape(len(texts), chars)
        slots = _slots(known) if len(texts) <= FEW_TEXTS else None
        if slots is None:
            return None
        places, factors, table = slots
        missed = []
        for start in range(0, len(array), TEXT_BLOCK):
            block = points[start : start + TEXT_BLOCK]
            block_codes = table.take(_slot(block[:, places], factors))
            wrong = known.take(block_codes, axis=0) != block
            if wrong.any():
                missed.append(np.unique(array[start : start + TEXT_BLOCK][wrong.any(axis=1)]))
                if sum(map(len, missed)) > FEW_TEXTS:
                    break
            codes[start : start + TEXT_BLOCK] = block_codes
        texts, complete = np.union1d(texts, np.concatenate([texts[:0], *missed])), not missed
    return texts, codes.astype(smallest(len(texts)))


def _slots(known: NDArray[np.uint32]) -> tuple[NDArray[np.intp], NDArray[np.uint32], NDArray[np.int16]] | None:
    """Places of characters, factors for them, and the table of slots, in which each of these texts has its own."""
    varied = [len(np.unique(column)) for column in known.T]
    random = np.random.default_rng(0)
    for tried in range(SLOT_TRIES):
        # The places that tell most texts apart come first; more of them with each failure.
        places = np.argsort(varied)[::-1][: 2 + tried]
        factors = random.integers(1, 1 << 32, len(places), dtype=np.uint32) | np.uint32(1)
        slots = _slot(known[:, places], factors)
        if len(np.unique(slots)) == len(known):
            table = np.zeros(1 << SLOT_BITS, dtype=np.int16)
            table[slots] = np.arange(len(known))
            return places, factors, table
    return None


def _slot(points: NDArray[np.uint32], factors: NDArray[np.uint32]) -> NDArray[np.uint32]:
    total = points[:, 0] * factors[0]
    for i in range(1, len(factors)):
        total += points[:, i] * factors[i]
    slots: NDArray[np.uint32] = total >> np.uint32(32 - SLOT_BITS)
    return slots


def _factorise_fixed_width(array: Column) -> tuple[Column, Codes]:
    """Distinct texts, sorted, and codes: by hashing, since sorting ten million texts takes a minute.

    Each text is hashed to 64 bits from its code points; the few distinct hashes are looked up by binary search, and
    each row is then compared with the text that its code stands for, so a collision cannot go unseen.
    """
    n = len(array)
    chars = array.dtype.itemsize // 4
    if n == 0 or chars == 0:
        return array[:1], np.zeros(n, np.int8)
    points = array.view(np.uint32).reshape(n, chars)
    multipliers = (np.arange(1, chars + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    hashes = np.empty(n, dtype=np.uint64)
    for start in range(0, n, 1 << 16):
        block = points[start : start + (1 << 16)].astype(np.uint64)
        mixed = np.zeros(len(block), dtype=np.uint64)
        for i in range(chars):
            mixed = (mixed ^ (block[:, i] * multipliers[i])) * np.uint64(0xD6E8FEB86659FD93)
            mixed ^= mixed >> np.uint64(32)
        hashes[start : start + len(block)] = mixed
    # Most columns show all their labels early; whatever is missed joins the list, so the loop ends.
    known = np.unique(hashes[: 1 << 14])
    while True:
        position = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        missed = known[position] != hashes
        if not missed.any():
            break
        known = np.union1d(known, np.unique(hashes[missed]))
    first = np.empty(len(known), dtype=np.intp)
    first[position[::-1]] = np.arange(n - 1, -1, -1)
    texts = array[first]
    for start in range(0, n, 1 << 18):
        part = slice(start, start + (1 << 18))
        if (texts[position[part]] != array[part]).any():
            values, codes = np.unique(array, return_inverse=True)
            return values, codes.astype(smallest(len(values)))
    order = np.argsort(texts)
    rank = np.empty(len(known), dtype=smallest(len(known)))
    rank[order] = np.arange(len(known))
    return texts[order], rank[position]


class _Numbered(dict[Any, int]):
    """Numbers values as they are met."""

    def __missing__(self, value: object) -> int:
        self[value] = number = len(self)
        return number


def _code_objects(array: Column, name: str) -> Coded:
    try:
        # A NaN is found by its identity, so each one that occurs is among the values.
        distinct, numbers = _by_identity(array) or _by_value(array)
        gone = missing_rows(distinct)
        plain = [None if missing else plain_label(value) for value, missing in zip(distinct, gone, strict=True)]
    except (InputError, TypeError):
        for row in np.flatnonzero(~missing_rows(array)):
            plain_label(array[row], f"{name} at row {row + 1:,}")
        raise
    values = ordered((label for label in plain if label is not None), name)
    position = {label: i for i, label in enumerate(values)}
    table = np.array([-1 if label is None else position[label] for label in plain], dtype=smallest(len(values)))
    return Coded(table.take(numbers), values)


def _by_value(array: Column) -> tuple[Column, Codes]:
    """The distinct values of objects as they are first met, and each row's number among them."""
    seen = _Numbered()
    numbers: Codes = np.empty(len(array), dtype=smallest(len(array)))
    for start in range(0, len(array), OBJECT_BLOCK):
        block = array[start : start + OBJECT_BLOCK]
        counted = None
        if len(seen) <= 256:
            # Bytes take in numbers faster than an array does.
            with suppress(ValueError):
                counted = np.frombuffer(bytes(map(seen.__getitem__, block)), dtype=np.uint8)
        if counted is None:
            counted = np.fromiter(map(seen.__getitem__, block), dtype=np.int64, count=len(block))
        numbers[start : start + OBJECT_BLOCK] = counted
    return _as_objects(list(seen)), numbers


def _by_identity(array: Column) -> tuple[Column, Codes] | None:
    """The same where rows share few objects: the addresses are distinguished, and one row of each is looked at.

    None where there are many objects, as where each row has its own.
    """
    array = np.ascontiguousarray(array)  # holds the objects, so that no address is used twice
    few = _factorise_few(np.ndarray(array.shape, dtype=np.intp, buffer=array))
    if few is None:
        return None
    addresses, codes = few
    first = np.full(len(addresses), -1)
    start, step = 0, TEXT_SAMPLE
    while (first < 0).any():
        block = codes[start : start + step]
        met, place = np.unique(block, return_index=True)
        first[met] = np.where(first[met] < 0, start + place, first[met])
        start, step = start + step, 2 * step
    # Of equal objects (1, True) the first that occurs gives the label.
    order = np.argsort(first)
    distinct, numbers = _by_value(array[first[order]])
    rank = np.empty(len(order), dtype=smallest(len(order)))
    rank[order] = numbers
    return distinct, rank.take(codes)


def _as_objects(values: list[object]) -> Column:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def ordered(labels: Iterable[Label], name: str = "the labels") -> tuple[Label, ...]:
    """Distinct labels in their natural order; text and numbers together are refused."""
    distinct = list(dict.fromkeys(labels))
    texts = [v for v in distinct if isinstance(v, str)]
    if texts and len(texts) < len(distinct):
        other = next(v for v in distinct if not isinstance(v, str))
        raise InputError(
            f"{name} mix text ({texts[0]!r:.30}) with numbers ({other!r}); labels must be of one type: convert one side"
        )
    return tuple(sorted(distinct, key=lambda v: v if isinstance(v, str) else int(v)))


def merge_labels(columns: Mapping[str, Sequence[Label]]) -> tuple[Label, ...]:
    """All labels of several columns; text against numbers is an error that names the columns."""
    texts = {v: name for name, values in columns.items() for v in values if isinstance(v, str)}
    numbers = {str(v): (v, name) for name, values in columns.items() for v in values if not isinstance(v, str)}
    if texts and numbers:
        alike = next((v for v in texts if v in numbers), None)
        value = next(iter(texts)) if alike is None else alike
        number, other = next(iter(numbers.values())) if alike is None else numbers[alike]
        hint = "convert one side" if alike is None else f"{value!r} and {number!r} look alike: convert one side"
        raise InputError(
            f"{texts[value]} has text labels ({value!r:.30}) but {other} has numbers ({number!r}); "
            f"labels must be of one type: {hint}"
        )
    return ordered(v for values in columns.values() for v in values)


def merge_answers(columns: Mapping[str, Sequence[Label]]) -> tuple[Label, ...]:
    """The same of the truth, which stands first, and of answers: those that are its labels but for case are refused.

    >>> merge_answers({"truth": ["No", "Yes"], "predicted": ["no", "Yes"]})
    Traceback (most recent call last):
    trueerror.inputs._options.InputError: predicted says 'no' where truth says 'No'; spell labels alike
    """
    (place, true), *answers = columns.items()
    for name, labels in answers:
        respelt = respelt_label([v for v in labels if isinstance(v, str)], true)
        if respelt is not None:
            raise InputError(
                f"{name} says {respelt[0]!r:.40} where {place} says {respelt[1]!r:.40}; spell labels alike"
            )
    return merge_labels(columns)


def respelt_label(words: Sequence[str], labels: Iterable[Label]) -> tuple[str, str] | None:
    """A word that is a label but for case and blanks, and that label; None unless all words are labels in that way."""
    known = {_letters(label): label for label in labels if isinstance(label, str)}
    spelt = set(known.values())
    odd = next((word for word in words if word not in spelt), None)
    if odd is None or not all(_letters(word) in known for word in words):
        return None
    return odd, known[_letters(odd)]


def _letters(label: str) -> str:
    return " ".join(label.casefold().split())


def natural_labels(seen: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels that a column of these labels stands for: one side of 0/1 or False/True implies the other."""
    if seen in ((0,), (1,)):
        return (False, True) if isinstance(seen[0], bool) else (0, 1)
    return seen


def check_labels(labels: Iterable[object]) -> tuple[Label, ...]:
    """Labels that the user gave, in the user's order."""
    if isinstance(labels, str):
        raise InputError(f"labels={labels!r} must be a list of labels, not one text")
    if not isinstance(labels, Iterable):
        raise InputError(f"labels={in_few_words(labels)} must be a list of labels")
    given = tuple(plain_label(v, "labels=") for v in labels)
    if len(set(given)) < len(given):
        twice = next(v for i, v in enumerate(given) if v in given[:i])
        raise InputError(f"labels= names {twice!r} twice")
    if not given:
        raise InputError("labels= is empty; leave it out to use the labels that occur")
    ordered(given, "labels=")
    return given


# What the margins of a printed table are called.
MARGINS = frozenset({"all", "total", "totals", "sum", "sums", "subtotal", "grand total", "margin", "margins", "σ", "∑"})
PREDICTED = frozenset({"predicted", "prediction", "predictions", "pred", "preds", "y_pred", "ypred", "y_hat", "yhat"})


class LabelledCounts(NamedTuple):
    """A square table of counts, rows = truth, and its classes in their natural order."""

    labels: tuple[Label, ...]
    cells: NDArray[np.int64]


def labelled_counts(frame: Any, *, transposed: bool = False) -> LabelledCounts | None:
    """The counts of a data frame whose rows and columns are named by classes, both in one order.

    None where nothing is named: a table without labels, or rows and columns that are only numbered. A frame without an
    index (polars, Arrow, a file that was read) names its rows in the first column. A class that has rows but no column
    was never predicted; `transposed` says that rows are what was predicted.
    """
    if not hasattr(frame, "columns") or not hasattr(frame, "shape"):
        return None
    side = ("truth", "predicted") if transposed else ("predicted", "truth")
    names = [_plain_name(v) for v in getattr(frame, "column_names", frame.columns)]
    index = getattr(frame, "index", None)
    values = _frame_values(frame)
    numbered = index is None or _is_numbered(list(index))
    if numbered and values.shape[1] == values.shape[0] + 1:
        rows = [_plain_name(v) for v in values[:, 0]]
        names, values = names[1:], values[:, 1:]
    elif index is not None and numbered and _is_numbered(names) and len(names) == len(index):
        refuse_margins(values, None)
        return None
    elif index is None:
        raise InputError(
            f"the columns of the confusion matrix are {_few(names)}, but its rows have no names: put them into the "
            "first column, or pass the numbers as an array with labels="
        )
    else:
        rows = [_plain_name(v) for v in index]
        called = _casefolded(getattr(index, "name", None))
        if (
            called in PREDICTED
            and not transposed
            and _casefolded(getattr(frame.columns, "name", None)) not in PREDICTED
        ):
            raise InputError(f'the rows of the confusion matrix are named {index.name!r}: pass rows="predicted"')
    for place, given in (("rows", rows), ("columns", names)):
        twice = next((v for i, v in enumerate(given) if v in given[:i]), None)
        if twice is not None:
            raise InputError(f"the {place} of the confusion matrix name {twice!r} twice")
    _refuse_named_margins(rows, names, values)
    if index is None and all(isinstance(v, str) for v in names):  # such frames name columns by text alone
        texts = {str(v): v for v in rows}
        names = [texts.get(str(v), v) for v in names]
    only = [v for v in rows if v not in names], [v for v in names if v not in rows]
    if all(only):
        raise InputError(
            f"the rows of the confusion matrix are {_few(rows)} but its columns are {_few(names)}: {only[0][0]!r} is "
            f"no column and {only[1][0]!r} no row; name both by the same classes"
        )
    labels = natural_labels(ordered([*rows, *names], f"the {side[1]} and {side[0]} labels"))
    order = {label: i for i, label in enumerate(labels)}
    cells = np.zeros((len(labels), len(labels)), dtype=np.int64)
    part = count_matrix(values, square=False)
    cells[np.ix_([order[v] for v in rows], [order[v] for v in names])] = part
    return LabelledCounts(labels, cells.T if transposed else cells)


def refuse_margins(cells: Any, label: Label | None) -> None:
    """Refuse totals that stand in the last row and column of a table as if they were a class."""
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or len(cells) < 3:
        return
    try:
        inner = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        return
    sums = np.array_equal(inner[:-1].sum(axis=0), inner[-1]) and np.array_equal(inner[:, :-1].sum(axis=1), inner[:, -1])
    if sums and inner[:-1, :-1].any():
        which = "the last row and column" if label is None else f"{label!r}"
        raise InputError(f"{which} of the confusion matrix holds totals, which are no class: leave them out")


def _refuse_named_margins(rows: list[Label], names: list[Label], values: Any) -> None:
    for place, given, other in (("row", rows, names), ("column", names, rows)):
        margin = next((v for v in given if _casefolded(v) in MARGINS), None)
        lines = values if place == "row" else values.T
        if margin is not None:
            index = given.index(margin)
            rest = [i for i in range(len(given)) if i != index]
            numbers = np.asarray(lines, dtype=np.float64)
            if margin not in other or np.array_equal(numbers[rest].sum(axis=0), numbers[index]):
                raise InputError(
                    f"the {place} {margin!r} of the confusion matrix holds totals, which are no class: leave it out "
                    "(pandas: margins=False)"
                )
    if rows == names and rows:
        refuse_margins(values, rows[-1])


def _frame_values(frame: Any) -> Any:
    if hasattr(frame, "to_numpy"):
        return np.asarray(frame.to_numpy())
    columns = [np.asarray(frame[name]) for name in getattr(frame, "column_names", frame.columns)]
    mixed = np.empty((len(columns[0]) if columns else 0, len(columns)), dtype=object)
    for i, values in enumerate(columns):
        mixed[:, i] = values
    return mixed


def _plain_name(value: object) -> Label:
    """The class that a row or column is named by; of several levels the last, which is the innermost."""
    return plain_label(value[-1] if isinstance(value, tuple) and value else value, "a row or column of the table")


def _is_numbered(names: list[Any]) -> bool:
    return all(not isinstance(v, str | tuple | bool) for v in names) and names == list(range(len(names)))


def _casefolded(value: object) -> str:
    return value.strip().casefold() if isinstance(value, str) else ""


def _few(values: Sequence[object]) -> str:
    return ", ".join(f"{v!r:.30}" for v in values[:6]) + (", …" if len(values) > 6 else "")


def recode(coded: Coded, labels: tuple[Label, ...], name: str) -> Codes:
    """The codes of a column in a common label order; a label that is not in it is an error."""
    if coded.values == labels:
        return coded.codes
    position = {label: i for i, label in enumerate(labels)}
    unknown = next((v for v in coded.values if v not in position), None)
    if unknown is not None:
        row = int(np.argmax(coded.codes == coded.values.index(unknown)))
        raise InputError(
            f"{name} has {unknown!r:.40} at row {row + 1:,}, which is not among the labels{nearest(unknown, labels)}"
        )
    table = np.array([position[v] for v in coded.values], dtype=smallest(len(labels)))
    if len(table) == 0:
        return np.full(len(coded.codes), -1, dtype=np.int8)
    codes = table[coded.codes]
    if any_missing(coded.codes):
        codes[coded.codes < 0] = -1
    return codes


def find_label(label: object, labels: Sequence[Label], option: str = "positive") -> Label:
    """A label that the user named, as it stands in the label order; "1" finds 1 when no text label could be meant."""
    wanted = plain_label(label, f"{option}=")
    for known in labels:
        if known == wanted and isinstance(known, str) == isinstance(wanted, str):
            return known
    if isinstance(wanted, str) and not any(isinstance(known, str) for known in labels):
        for known in labels:
            if wanted in (str(known), str(int(known))):
                return known
    raise InputError(f"{option}={label!r} is not among the labels{nearest(label, labels)}")


def label_from_text(text: str, labels: Sequence[Label], option: str = "positive") -> Label:
    """A label that was typed, as on the command line: "1" and "1.0" mean 1, "true" means True.

    >>> label_from_text("1", (0, 1)), label_from_text("true", (False, True)), label_from_text("1", ("1", "2"))
    (1, True, '1')
    """
    if text not in labels and not any(isinstance(known, str) for known in labels):
        spoken = {"true": 1, "false": 0}.get(text.strip().lower())
        try:
            number = float(text) if spoken is None else spoken
        except ValueError:
            number = None
        for known in labels:
            if number is not None and known == number:
                return known
    return find_label(text, labels, option)


def typed_label(label: object, labels: Sequence[Label], option: str = "labels") -> Label:
    """A label that was given as text while the rows hold numbers."""
    if isinstance(label, str) and not any(isinstance(v, str) for v in labels):
        try:
            return label_from_text(label, labels)
        except InputError:
            return int(label) if label.lstrip("+-").isdigit() else label
    return plain_label(label, f"{option}=")


def with_declared(labels: tuple[Label, ...], positive: object) -> tuple[Label, ...]:
    """The labels, with a positive class that no row shows where all rows are of one class.

    >>> with_declared(("healthy",), "ill"), with_declared(("healthy",), "healthy"), with_declared((3,), "4")
    (('healthy', 'ill'), ('healthy',), (3, 4))
    """
    if positive is None or len(labels) != 1:
        return labels
    named = typed_label(positive, labels, "positive")
    alike = isinstance(named, str) == isinstance(labels[0], str) and str(named).casefold() != str(labels[0]).casefold()
    return (*labels, named) if alike else labels


def natural_positive(labels: Sequence[Label]) -> Label | None:
    """True, or 1 of {0, 1} or {−1, 1}; otherwise nothing, since a positive class is never guessed.

    >>> natural_positive((0, 1)), natural_positive(("no", "yes"))
    (1, None)
    """
    known = set(labels) if len(labels) == 2 else set()
    if known in ({0, 1}, {-1, 1}):
        return next(v for v in labels if v == 1)
    return None


def need_positive(labels: Sequence[Label], what: str) -> InputError:
    """The error for a positive class that is needed and not known."""
    choices = ", ".join(repr(v) for v in list(labels)[:6]) + (", …" if len(labels) > 6 else "")
    rest = ", which is then set against the rest" if len(labels) > 2 else ""
    return InputError(f"{what} needs to know which class is positive: pass positive= one of {choices}{rest}")


OUTCOMES = ("tn", "fp", "fn", "tp")


def cost_matrix(costs: object, labels: Sequence[Label], positive: Label | None = None) -> Floats:
    """Costs as K × (K + 1) numbers: rows are the truth, the last column is the cost of no prediction.

    Accepted are a K × K table in label order (negative costs are gains), the same with a column more for rows without a
    prediction, {(truth, predicted): cost} (right calls that are not named cost 0; predicted None is no prediction),
    and, for two classes, {"fp": …, "fn": …} with "tp" and "tn" where they are not 0. Where no prediction has no price,
    it costs as much as the dearest error of its class.

    >>> cost_matrix([[0, 5], [1, 0]], ("no", "yes")).tolist()
    [[0.0, 5.0, 5.0], [1.0, 0.0, 1.0]]
    >>> cost_matrix({"fp": 1, "fn": 10}, ("no", "yes"), "yes").tolist()
    [[0.0, 1.0, 1.0], [10.0, 0.0, 10.0]]
    """
    table = _from_mapping(costs, labels, positive) if isinstance(costs, Mapping) else _from_table(costs, len(labels))
    wrong = ~np.isfinite(table)
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InputError(f"costs are finite numbers, but row {i + 1}, column {j + 1} of costs is {table[i, j]}")
    k = len(labels)
    if table.shape[1] > k:
        return table
    errors = np.where(np.eye(k, dtype=bool), -np.inf, table).max(axis=1) if k > 1 else table[:, 0]
    return np.column_stack([table, errors])


def _from_table(costs: object, k: int) -> Floats:
    values = costs.to_numpy() if hasattr(costs, "to_numpy") else costs
    try:
        table = np.array(plain_numbers(values, "costs"))
    except InputError:
        raise InputError(f"costs must be a table of {k} × {k} numbers, not {costs!r:.60}") from None
    if table.shape not in ((k, k), (k, k + 1)):
        shape = " × ".join(map(str, table.shape)) or "a single number"
        raise InputError(
            f"costs is {shape}, but there are {k} classes: give {k} × {k} costs, costs[i][j] for truth i called j "
            "in label order"
        )
    return table


def _from_mapping(costs: Mapping[object, Numeric], labels: Sequence[Label], positive: Label | None) -> Floats:
    if costs and all(isinstance(key, str) for key in costs):
        return _from_outcomes(costs, labels, positive)
    k = len(labels)
    table = np.full((k, k + 1), np.nan)
    np.fill_diagonal(table, 0.0)
    for key, cost in costs.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"costs has the key {key!r:.40}; keys are pairs (truth, predicted)")
        i = labels.index(find_label(key[0], labels, "costs"))
        j = k if key[1] is None else labels.index(find_label(key[1], labels, "costs"))
        table[i, j] = _number(cost, key)
    if np.isnan(table[:, :k]).any():
        i, j = (int(x) for x in np.argwhere(np.isnan(table[:, :k]))[0])
        raise InputError(f"costs does not say what calling {labels[i]!r} {labels[j]!r} costs: add ({labels[i]!r}, "
                         f"{labels[j]!r})")  # fmt: skip
    if np.isnan(table[:, k]).all():
        return table[:, :k]
    if np.isnan(table[:, k]).any():
        i = int(np.argmax(np.isnan(table[:, k])))
        raise InputError(f"costs prices no prediction for some classes only: add ({labels[i]!r}, None)")
    return table


def _from_outcomes(costs: Mapping[object, Numeric], labels: Sequence[Label], positive: Label | None) -> Floats:
    unknown = [key for key in costs if str(key).lower() not in OUTCOMES]
    if unknown:
        raise InputError(f"costs has the key {unknown[0]!r}; the keys are 'fp', 'fn', 'tp', 'tn', or pairs of labels")
    if len(labels) != 2:
        raise InputError(f"costs by 'fp' and 'fn' are for two classes, but there are {len(labels)}: give a table")
    given = {str(key).lower(): _number(cost, key) for key, cost in costs.items()}
    if not {"fp", "fn"} <= set(given):
        raise InputError("costs needs both 'fp' and 'fn', the costs of a false alarm and of a miss")
    if positive is None:
        raise need_positive(labels, "costs by 'fp' and 'fn'")
    tn, fp, fn, tp = (given.get(key, 0.0) for key in OUTCOMES)
    table = np.array([[tn, fp], [fn, tp]])
    return table if positive == labels[1] else table[::-1, ::-1]


def _number(cost: Numeric, key: object) -> float:
    try:
        return float(cost)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"costs has {cost!r:.40} for {key!r:.40}; costs are numbers") from None


def fingerprint(codes: Codes, labels: tuple[Label, ...]) -> str:
    """A digest of labels in row order, the same whatever the codes' storage.

    >>> fingerprint(np.array([0, 1, 1]), ("a", "b")) == fingerprint(np.array([0, 1, 1], np.int8), ("a", "b"))
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    # True equals 1, but the text "1" does not.
    digest.update(repr([v if isinstance(v, str) else int(v) for v in labels]).encode())
    for start in range(0, len(codes), 1 << 20):
        digest.update(np.ascontiguousarray(codes[start : start + (1 << 20)], dtype="<i4").tobytes())
    return digest.hexdigest()
