"""Ids, keys (clusters, slices, folds, repeats) and the fingerprint of the truth."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import ArrayLike, Column, as_objects, column, missing_rows, plain_cells
from trueerror.inputs._cells import are_dates, date_names
from trueerror.inputs._labels import Codes, Label, code_column, fingerprint, ordered, plain_label, smallest
from trueerror.inputs._options import InputError, RepeatedIdError


def truth_fingerprint(codes: Codes, labels: tuple[Label, ...]) -> str:
    """A digest of the truth alone: labels that only a model uses, and the label order, do not change it.

    >>> truth_fingerprint(np.array([0, 1]), ("a", "b")) == truth_fingerprint(np.array([2, 1]), ("c", "b", "a"))
    True
    """
    used = np.flatnonzero(np.bincount(codes, minlength=max(len(labels), 1)))
    # A boolean equals 0 or 1, so both must print alike.
    seen = [v if isinstance(v, str) else int(v) for v in (labels[i] for i in used)]
    names = ordered(seen)
    table = np.zeros(max(len(labels), 1), dtype=smallest(len(names)))
    position = {name: i for i, name in enumerate(names)}
    table[used] = [position[v] for v in seen]
    return fingerprint(table[codes], names)


# What rows without a slice are called.
NO_SLICE = "missing"


def key_column(values: ArrayLike, name: str, *, gaps: bool = False) -> tuple[Codes, tuple[Label, ...]]:
    """Keys as codes and their names; anything that is not text, a whole number or a boolean goes by its text.

    With `gaps` rows without a key have one of their own, called missing.
    """
    array = column(values, name)
    if array.dtype == np.float32:
        array = array.astype(np.float64)  # as engines have them
    try:
        coded = code_column(array, name)
    except InputError:
        coded = code_column(
            as_objects([None if gone else str(v) for v, gone in zip(array, missing_rows(array), strict=True)]), name
        )
    gone = coded.codes < 0
    if gaps and gone.any():
        names = [str(v) for v in coded.values if v != NO_SLICE]
        table = [names.index(str(v)) if v != NO_SLICE else len(names) for v in coded.values]
        return np.array([*table, len(names)])[coded.codes], (*names, NO_SLICE)
    if gone.any():
        raise InputError(
            f"{name} is missing at row {int(np.argmax(gone)) + 1:,} ({int(gone.sum()):,} in all); each row needs one"
        )
    return coded.codes, coded.values


def fold_keys(
    repeats: tuple[Codes, tuple[Label, ...]], folds: tuple[Codes, tuple[Label, ...]]
) -> tuple[Codes, tuple[Label, ...]]:
    """Fold 1 of one repeat is not fold 1 of another: the two keys together."""
    size = max(len(folds[1]), 1)
    pairs, codes = np.unique(repeats[0].astype(np.int64) * size + folds[0], return_inverse=True)
    names = tuple(f"repeat {repeats[1][p // size]}, fold {folds[1][p % size]}" for p in pairs)
    return codes, names


def rounds_of(ids: Column, folds: Codes, truth: Codes) -> tuple[Codes, tuple[Label, ...]] | None:
    """Of folds that test the same rows again, but none twice, the round of each row; None where no row is tested again.

    Ids whose truth differs from fold to fold are no ids (counted anew in each fold, say). In the order of the file a
    fold that shares an id with the round so far opens the next one. Where a round then lacks rows the folds are random
    splits, each a round of its own.
    """
    if repeated_row(ids, None) is None or repeated_row(ids, folds) is not None:
        return None
    codes = _id_codes(ids)
    last = np.full(int(codes.max()) + 1, -1)
    last[codes] = truth
    if (last[codes] != truth).any():
        return None
    last[:] = -1
    found, number = np.empty_like(folds), 0
    for fold in folds[np.sort(np.unique(folds, return_index=True)[1])]:
        inside = folds == fold
        number += int((last[codes[inside]] == number).any())
        last[codes[inside]], found[inside] = number, number
    if np.bincount(found).min() < len(last):
        found = np.unique(folds, return_inverse=True)[1].astype(folds.dtype)
    return found, tuple(range(1, int(found.max()) + 2))


def id_column(values: ArrayLike, repeats: Codes | None, name: str = "ids") -> Column:
    """Ids that are there and distinct (within a repeat, where rows are repeated)."""
    array = plain_cells(column(values, name))
    gone = missing_rows(array)
    if gone.any():
        raise InputError(f"{name} is missing at row {int(np.argmax(gone)) + 1:,}; each row needs an id")
    twice = repeated_row(array, repeats)
    if twice is not None:
        first, again, rows = twice
        raise RepeatedIdError(
            f"{name} must differ from row to row, but {plain_id(array[again])!r} is at rows {first + 1:,} and "
            f"{again + 1:,}; if the rows of one id belong together, they are a cluster, not an id",
            rows=rows,
            example=plain_id(array[again]),
        )
    return array


def repeated_row(ids: Column, repeats: Codes | None) -> tuple[int, int, int] | None:
    """The first two rows with one id, and how many rows repeat the id of an earlier one; None where none does."""
    codes = _id_codes(ids)
    if repeats is not None:
        codes = codes * (int(repeats.max(initial=0)) + 1) + repeats
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order][1:] == codes[order][:-1])
    if len(same) == 0:
        return None
    again = order[same + 1]
    at = int(np.argmin(again))
    return int(order[same[at]]), int(again[at]), len(same)


def _id_codes(ids: Column) -> NDArray[np.int64]:
    if ids.dtype.kind == "O":
        seen: dict[object, int] = {}
        try:
            return np.fromiter((seen.setdefault(v, len(seen)) for v in ids), dtype=np.int64, count=len(ids))
        except TypeError:
            raise InputError("ids must be text, numbers or dates") from None
    return np.unique(ids, return_inverse=True)[1].astype(np.int64)


def plain_id(value: object) -> object:
    """An id for a message: without NumPy's wrapping."""
    return value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value


def join_rows(first: Column, second: Column) -> NDArray[np.int64]:
    """For each id of the first where it is in the second; both must hold the same ids."""
    position = {plain_id(v): i for i, v in enumerate(second)}
    rows = np.fromiter((position.get(plain_id(v), -1) for v in first), dtype=np.int64, count=len(first))
    lacking = rows < 0
    if lacking.any():
        lone_id = plain_id(first[int(np.argmax(lacking))])
        alike = any(str(lone_id) == str(v) for v in position)
        hint = "; the same ids are text on one side and numbers on the other" if alike else ""
        raise InputError(f"{int(lacking.sum()):,} ids are only in the first ({lone_id!r}){hint}")
    if len(second) > len(first):
        known = {plain_id(v) for v in first}
        lone_id = next(plain_id(v) for v in second if plain_id(v) not in known)
        raise InputError(f"{len(second) - len(first):,} ids are only in the second ({lone_id!r})")
    return rows


def named_keys(found: list[tuple[object, ...]]) -> tuple[list[tuple[object, ...]], tuple[Label, ...]]:
    """Distinct raw keys, of one column or of two (repeat and fold), in the order of their names, and those names."""
    width = len(found[0]) if found else 1
    if width == 1 and {type(value) for (value,) in found} in ({int}, {str}) and not are_dates(found[0]):
        # Most keys are labels as they are, and may be very many.
        values = sorted(cast("list[Label]", [value for (value,) in found]))
        return list(zip(values, strict=True)), tuple(values)
    named = [_names({row[i] for row in found}) for i in range(width)]
    order = [{label: i for i, label in enumerate(ordered(names.values()))} for names in named]
    rows = sorted(found, key=lambda row: [order[i][named[i][value]] for i, value in enumerate(row)])
    if width == 1:
        return rows, tuple(named[0][value] for (value,) in rows)
    return rows, tuple(f"repeat {named[0][r]}, fold {named[1][f]}" for r, f in rows)


def _names(values: Collection[object]) -> dict[Any, Label]:
    """Keys as labels, dates by their names; where one is no label, all go by their text."""
    if are_dates(values):
        return dict(zip(values, date_names(cast("list[str]", list(values))), strict=True))
    try:
        return {value: plain_label(value) for value in values}
    except InputError:
        return {value: str(value) for value in values}
