"""Labels and their codes, the positive class, and fingerprints of columns of labels.

Labels are strings, integers or booleans; whole floats and decimals are integers, a boolean equals 0 or 1, and a date is
its name. They are kept as small integer codes in the label order, −1 where a label is missing.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, as_objects, missing_rows
from trueerror.inputs._cells import BLANKS, PLAIN_NUMBER, named_cells
from trueerror.inputs._options import InputError, in_few_words, nearest

Label = str | int | bool
Codes = NDArray[np.signedinteger[Any]]
# NumPy's durations are integers to Python.
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)

# Integer labels whose range is at most this wide are coded by offset, without sorting.
SMALL_RANGE = 1 << 16
# Up to so many texts have a table of slots, into which as many rows at a time are looked up as stay in the cache.
FEW_TEXTS = 512
SLOT_BITS = 16
SLOT_TRIES = 40
TEXT_SAMPLE = 1 << 12
TEXT_BLOCK = 1 << 14


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

    >>> plain_label(np.float64(2.0)), plain_label(Decimal(1)), plain_label(" a")
    (2, 1, 'a')
    """
    if isinstance(value, str):
        return str(value).strip(BLANKS)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip(BLANKS)
    if isinstance(value, DATES):
        return str(dated(np.array([value])).item())
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating | Decimal | Fraction):
        value = float(value) if isinstance(value, np.floating) else value
        nan = isinstance(value, Decimal) and value.is_nan()
        if not nan and -(2.0**63) <= value < 2.0**63 and value == int(value):
            return int(value)
        raise InputError(
            f"{place} is {value!r:.40}: labels are text, whole numbers or booleans; pass scores in scores="
        )
    if hasattr(value, "as_py"):
        return plain_label(value.as_py(), place)
    raise InputError(f"{place} is {in_few_words(value)}: labels are text, whole numbers or booleans")


def dated(values: Column) -> Column:
    """A column of dates as text; missing ones stay."""
    gone = missing_rows(values)
    present = values[~gone]
    # NumPy's own text of a duration is cut off.
    if values.dtype.kind == "m":
        present = present.astype("m8[us]").astype(object)
    # An hour without its minutes is no time of day to others.
    present = present.astype("M8[s]") if values.dtype == "M8[h]" else present
    texts = np.full(len(values), None, dtype=object)
    texts[~gone] = present.astype(str).astype(object)
    return texts


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
    if kind in "mM":
        return _code_objects(dated(array), name)
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
    if len(kept) and float(np.abs(kept).max()) >= 2**63:
        raise InputError(f"{name} holds floats beyond all whole numbers of 64 bits; pass them as integers or text")
    coded = _code_integers(kept.astype(np.int64))
    if not gone.any():
        return coded
    codes = np.full(len(gone), -1, dtype=coded.codes.dtype)
    codes[~gone] = coded.codes
    return Coded(codes, coded.values)


def _code_text(array: Column) -> Coded:
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    array = np.ascontiguousarray(array)
    few = _factorise_few(array)
    if few is None:
        return _code_objects(array.astype(object), "the labels")
    texts, codes = few
    return _settled(codes, [str(v) for v in texts], "the labels")


def _settled(codes: Codes, labels: Sequence[Label | None], name: str) -> Coded:
    """Codes into labels as the table of cells has them; −1 where a text says that the label is missing."""
    named = named_cells(labels)
    values = ordered((v for v in named if v is not None), name)
    if values == tuple(labels):
        return Coded(codes, values)
    place = {label: i for i, label in enumerate(values)}
    table = np.array([-1 if v is None else place[v] for v in named], dtype=smallest(len(labels)))
    return Coded(table.take(codes), values)


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
    return _settled(numbers, plain, name)


def _by_value(array: Column) -> tuple[Column, Codes]:
    """The distinct values of objects as they are first met, and each row's number among them."""
    seen: defaultdict[Any, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(seen.__getitem__, array), dtype=np.int64, count=len(array))
    return as_objects(list(seen)), numbers.astype(smallest(len(seen)))


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
    trueerror._errors.InputError: predicted says 'no' where truth says 'No'; spell labels alike
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
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise InputError(f"labels={in_few_words(labels)} must be a list of labels")
    given = tuple(plain_label(v, "labels=") for v in labels)
    if len(set(given)) < len(given):
        twice = next(v for i, v in enumerate(given) if v in given[:i])
        raise InputError(f"labels= names {twice!r} twice")
    if not given:
        raise InputError("labels= is empty; leave it out to use the labels that occur")
    ordered(given, "labels=")
    return given


def casefolded(value: object) -> str:
    return value.strip().casefold() if isinstance(value, str) else ""


def few_of(values: Sequence[object]) -> str:
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
    """A label that the user named or typed, as it stands in the label order.

    >>> find_label("1", (0, 1)), find_label("true", (False, True)), find_label("1", ("1", "2"))
    (1, True, '1')
    """
    wanted = typed_label(label, labels, option)
    for known in labels:
        if known == wanted and isinstance(known, str) == isinstance(wanted, str):
            return known
    raise InputError(f"{option}={label!r} is not among the labels{nearest(label, labels)}")


def typed_label(label: object, labels: Sequence[Label], option: str = "labels") -> Label:
    """A label that was given, which may be text where the rows hold numbers."""
    plain = plain_label(label, f"{option}=")
    if isinstance(plain, str) and not any(isinstance(v, str) for v in labels):
        spoken = {"true": "1", "false": "0"}.get(plain.lower(), plain)
        if PLAIN_NUMBER.fullmatch(spoken) and float(spoken).is_integer():
            return int(float(spoken)) if "." in spoken or "e" in spoken.lower() else int(spoken)
    return plain


def with_declared(labels: tuple[Label, ...], positive: object) -> tuple[Label, ...]:
    """The labels, with a positive class that no row shows where all rows are of one class.

    >>> with_declared(("healthy",), "ill"), with_declared((3,), "4")
    (('healthy', 'ill'), (3, 4))
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
