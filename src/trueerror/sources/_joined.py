"""The truth in one file and each model's predictions in others, joined on an id: te.read(truth, predictions=[…])."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, missing_rows
from trueerror.inputs._labels import plain_label
from trueerror.inputs._options import ColumnError, InputError
from trueerror.sources._protocols import ColumnsTable, InputTable, need_column
from trueerror.sources.columns import _names as naming
from trueerror.sources.columns._roles import ColumnChoice
from trueerror.sources.logs._graded import says_who_was_right

# Competitions mark in which part of the test a row is.
BESIDE = frozenset({"usage", "split", "weight", "weights", "sampleweight"})
PathLike = str | os.PathLike[str]
# One file, several, or {model: file}; frames go as well.
PredictionFiles = object


class Joined(NamedTuple):
    """One wide table, and which of its columns is what."""

    table: ColumnsTable
    truth: str
    id: str | None
    models: dict[str, object]
    notes: tuple[str, ...]


def named_files(predictions: PredictionFiles) -> dict[str, object]:
    """Model → its file: by the files' names where none are given.

    >>> named_files(["out/svm.csv", "out/forest.csv.gz"])
    {'svm': 'out/svm.csv', 'forest': 'out/forest.csv.gz'}
    """
    if isinstance(predictions, Mapping):
        return {str(name): one for name, one in predictions.items()}
    several = list(predictions) if isinstance(predictions, list | tuple) else [predictions]
    if not several:
        raise InputError("predictions= names no file")
    stems = [Path(one).name.split(".")[0] if isinstance(one, str | os.PathLike) else "model" for one in several]
    if len(set(stems)) < len(stems):
        stems = [
            f"{Path(one).parent.name}/{stem}" if isinstance(one, str | os.PathLike) else f"{stem} {i}"
            for i, (one, stem) in enumerate(zip(several, stems, strict=True), 1)
        ]
    if len(set(stems)) < len(stems):
        raise InputError('two files of predictions= have one name: give {"first": path, "second": path}')
    return dict(zip(stems, several, strict=True))


def join(
    rows: InputTable,
    answers: Mapping[str, InputTable],
    *,
    truth: str | None,
    id: ColumnChoice,
    label: str | None,
    score: object,
) -> Joined:
    """The rows of the truth with what each file says of them; rows that it does not know are missing there."""
    key = _id_column(rows, answers, truth, id)
    true = _truth_column(rows, answers, key, truth)
    columns: dict[str, object] = {name: rows.values(name) for name in rows.columns}
    classes = [str(plain_label(v)) for v in rows.few(true, 1000) or ()]
    models: dict[str, object] = {}
    notes: list[str] = []
    for name, table in answers.items():
        places, strangers = _places(rows, table, key)
        if strangers:
            notes.append(f"{strangers:,} of {table.n:,} rows of {table.name} have no truth and are left out.")
        own = [c for c in table.columns if c != key and naming.bare(c) not in naming.ROW_NUMBER]
        kept = {column: f"{name}: {column}" for column in own}
        for column, called in kept.items():
            columns[called] = _placed(table.values(column), places)
        models |= _models(name, table, kept, classes, true, label, score, alone=len(answers) == 1)
    if key is None:
        notes.append("Without a common id, rows of the files were matched by their order.")
    made = ColumnsTable(columns, name=rows.name, provenance=rows.provenance)
    return Joined(made, true, key, models, tuple(notes))


def _id_column(
    rows: InputTable, answers: Mapping[str, InputTable], truth: str | None, asked: ColumnChoice
) -> str | None:
    """The column that all files share and that is different in every row; None to go by position."""
    if isinstance(asked, str):
        for table in (rows, *answers.values()):
            need_column(table, asked, "id")
        return asked
    shared = [c for c in rows.columns if c != truth and all(c in table.columns for table in answers.values())]
    if asked is None:
        found = [c for c in shared if naming.bare(c) in naming.ID] or [
            c for c in shared if rows.n > 1 and rows.distinct(c) == rows.n and rows.kind(c) != "number"
        ]
        if len(found) > 1:
            raise ColumnError(f"several columns could be the id: {', '.join(map(repr, found))}; say which with id=")
        if found:
            return found[0]
    for table in answers.values():
        if table.n != rows.n:
            raise ColumnError(
                f"{rows.name} has {rows.n:,} rows and {table.name} {table.n:,}, and they share no id: name the column "
                "with id="
            )
    return None


def _truth_column(rows: InputTable, answers: Mapping[str, InputTable], key: str | None, asked: str | None) -> str:
    if asked is not None:
        return need_column(rows, asked, "truth")
    left = [c for c in rows.columns if c != key and naming.bare(c) not in BESIDE | naming.ROW_NUMBER | naming.ID]
    named = [c for c in left if naming.bare(c) in naming.TRUTH]
    shared = [c for c in left if all(c in table.columns for table in answers.values())]
    for found in (named, left, shared):
        if len(found) == 1:
            return found[0]
    raise ColumnError(
        f"cannot tell which column of {rows.name} holds the truth; name it with truth=; there are "
        f"{', '.join(map(repr, rows.columns))}"
    )


def _places(rows: InputTable, table: InputTable, key: str | None) -> tuple[NDArray[np.int64], int]:
    """Where each row of the truth stands in a file of predictions (−1: nowhere), and how many rows are not wanted."""
    if key is None:
        return np.arange(rows.n), 0
    wanted, given = _ids(rows, key), _ids(table, key)
    if {type(v) for v in wanted[:1]} != {type(v) for v in given[:1]}:
        wanted, given = [str(v) for v in wanted], [str(v) for v in given]
    known: dict[object, int] = {}
    for place, one in enumerate(given):
        if known.setdefault(one, place) != place:
            raise InputError(f"{table.name} has two rows with {key} {one!r}; ids must differ from row to row")
    if len(set(wanted)) < len(wanted):
        twice = next(one for i, one in enumerate(wanted) if one in wanted[:i])
        raise InputError(f"{rows.name} has two rows with {key} {twice!r}; ids must differ from row to row")
    places = np.array([known.get(one, -1) for one in wanted], dtype=np.int64)
    met = int((places >= 0).sum())
    if not met:
        raise InputError(f"no {key} of {table.name} is in {rows.name}: {given[0]!r} there, {wanted[0]!r} here")
    return places, table.n - met


def _ids(table: InputTable, key: str) -> list[object]:
    values = table.values(key)
    gone = missing_rows(values)
    if gone.any():
        raise InputError(f"{key!r} is missing in row {int(np.argmax(gone)) + 1:,} of {table.name}; each row needs one")
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values.tolist()]


def _placed(values: Column, places: NDArray[np.int64]) -> Column:
    """A column in the order of the truth, missing where there is no row."""
    if (places >= 0).all():
        return np.asarray(values[places])
    if values.dtype.kind == "f":
        return np.where(places >= 0, values[places], np.nan)
    found = values.astype(object)[places]
    found[places < 0] = None
    return np.asarray(found)


def _models(
    name: str,
    table: InputTable,
    kept: Mapping[str, str],
    classes: Sequence[str],
    truth: str,
    label: str | None,
    score: object,
    *,
    alone: bool,
) -> dict[str, object]:
    """The models of one file, as `models=` takes them: one column is the answer; a column a class are its scores."""
    if label is not None or score is not None:
        spec: dict[str, object] = {}
        for option, column in (("label", label), ("score", score)):
            if isinstance(column, Mapping):
                spec[option] = {v: kept[need_column(table, c, option)] for v, c in column.items()}
            elif column is not None:
                spec[option] = kept[need_column(table, column, option)]
        return {name: spec}
    if len(kept) == 1:
        return {name: next(iter(kept.values()))}
    if not kept:
        raise ColumnError(f"{table.name} has an id and no column of predictions")
    spoken = {c: naming.marked(c) for c in kept}
    scored = {v: c for v in classes for c in kept if c == v or _is_class(c, v)}
    labels = [c for c, m in spoken.items() if m is not None and m.part == "label" and c not in scored.values()]
    scores = [c for c, m in spoken.items() if m is not None and m.part == "score" and c not in scored.values()]
    labels = labels or [c for c in kept if c == truth]
    if len(classes) > 1 and len(scored) == len(classes) and len(set(scored.values())) == len(classes):
        own: dict[str, object] = {"score": {v: kept[c] for v, c in scored.items()}}
        return {name: own | ({"label": kept[labels[0]]} if len(labels) == 1 else {})}
    if len(labels) <= 1 and len(scores) <= 1 and labels + scores:
        return {name: {p: kept[c[0]] for p, c in (("label", labels), ("score", scores)) if c}}
    fit = [c for c in kept if table.kind(c) in ("boolean", "integer", "number") or _holds(table, c, classes)]
    if not fit:
        raise ColumnError(
            f"no column of {table.name} could be read as predictions; name it with label= or score=; there are "
            f"{', '.join(map(repr, kept))}"
        )
    return {c if alone else f"{name}: {c}": kept[c] for c in fit}


def _is_class(column: str, label: str) -> bool:
    found = naming.ends_in_class(column, label)
    return found is not None and (found.says_score or naming.bare(found.stem) in ("class", "label", "target"))


def _holds(table: InputTable, column: str, classes: Sequence[str]) -> bool:
    values = table.few(column, len(classes))
    return bool(values) and all(str(v) in classes for v in values or ())


def is_truth_first(tables: Sequence[PathLike], truth: str | None, opener: Callable[[PathLike], InputTable]) -> bool:
    """Whether the first of several files holds the truth and the others predictions alone.

    A file that holds truth and predictions itself is none of either.
    """
    first, *others = (opener(path) for path in tables)
    if (truth is not None and truth not in first.columns) or says_who_was_right(first):
        return False
    return not any(_whole(table, truth, first) for table in others)


def _whole(table: InputTable, truth: str | None, first: InputTable) -> bool:
    """Whether a file has answers beside its own truth."""
    left = [c for c in table.columns if naming.bare(c) not in naming.ROW_NUMBER | naming.ID]
    true = [c for c in left if c == truth or naming.bare(c) in naming.TRUTH]
    return (len(left) > 1 and bool(true)) or (table.columns == first.columns and len(left) > 1)
