"""te.read: predictions from files and data frames; and how every verb opens a path or table in the place of arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column, Foreign, WeightsKind, missing_rows
from trueerror.inputs._cells import MISSING
from trueerror.inputs._labels import plain_label
from trueerror.inputs._options import ColumnError, InputError, check_word, in_few_words
from trueerror.inputs._settings import current, memory_bytes
from trueerror.sources._collect import build, cluster_columns, given_rows
from trueerror.sources._grades import combined, graded
from trueerror.sources._long_tables import widen
from trueerror.sources._open_tables import alone, check_table_name, foreign_table, holds_tables, open_frame, table_for
from trueerror.sources._paths import table_rows
from trueerror.sources._predictions import Predictions, Roles, Source, Threshold, absent_notes
from trueerror.sources._tables import ColumnsTable, InputTable, Options, need_column
from trueerror.sources.columns import _names as naming
from trueerror.sources.columns._roles import ColumnChoice, ColumnRequest, ModelChoice, resolve
from trueerror.sources.logs._bare import bare_table
from trueerror.sources.logs._graded import RightColumns, right_or_wrong, says_who_was_right
from trueerror.sources.logs._programs import as_programs_write, split_resamples, spread_probabilities
from trueerror.sources.logs._registry import log_reader, read_log
from trueerror.tallies import Missing
from trueerror.tallies._graded import GRADES

# Competitions mark in which part of the test a row is.
BESIDE = frozenset({"usage", "split", "weight", "weights", "sampleweight"})
READ_AS_MISSING = f"Read as missing: empty cells, {', '.join(MISSING[1:])}."
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
    rows: InputTable, answers: Mapping[str, InputTable], *, truth: str | None, id: ColumnChoice, label: str | None,
    score: object,
) -> Joined:  # fmt: skip
    """The rows of the truth with what each file says of them; rows that it does not know are missing there."""
    if id is None:
        answers = {name: _one_id_name(rows, table, truth) for name, table in answers.items()}
    key = _id_column(rows, answers, truth, id)
    true = _truth_column(rows, answers, key, truth)
    if key is not None:
        for table in (rows, *answers.values()):
            table.as_written((), [key])
    columns: dict[str, object] = {name: rows.values(name) for name in rows.columns}
    classes = [str(plain_label(v)) for v in rows.few(true, 1000) or ()]
    models: dict[str, object] = {}
    notes: list[str] = []
    for name, table in answers.items():
        places, strangers = _places(rows, table, key)
        if strangers:
            notes.append(f"{strangers:,} of {table.n:,} rows of {table.name} have no truth and are left out.")
        answer_columns = [c for c in table.columns if c != key and naming.bare(c) not in naming.ROW_NUMBER]
        kept = {column: f"{name}: {column}" for column in answer_columns}
        for column, called in kept.items():
            columns[called] = _placed(table.values(column), places)
        models |= _models(name, table, kept, classes, true, label, score, alone=len(answers) == 1)
    if key is None:
        notes.append("Without a common id, rows of the files were matched by their order.")
    joined_table = ColumnsTable(columns, name=rows.name, provenance=rows.provenance)
    return Joined(joined_table, true, key, models, tuple(notes))


def _one_id_name(rows: InputTable, table: InputTable, truth: str | None) -> InputTable:
    """A file whose id is written otherwise than that of the truth (Id for id, or image_id) with the name that it has
    there: rows that have ids are never matched by their order because of a name."""
    ours = [c for c in rows.columns if c != truth and c not in table.columns]
    alike = {c: [x for x in table.columns if x not in rows.columns and naming.bare(x) == naming.bare(c)] for c in ours}
    renames = {those[0]: c for c, those in alike.items() if len(those) == 1 and naming.bare(c) not in naming.TRUTH}
    ids, theirs = ([c for c in t.columns if naming.bare(c) in naming.ID] for t in (rows, table))
    if len(ids) == 1 and not theirs and not renames and table.n == rows.n:
        # Under another name altogether, the ids are known by their values.
        known = set(map(str, rows.values(ids[0])))
        theirs = [
            c for c in table.columns if table.distinct(c) == len(known) and set(map(str, table.values(c))) == known
        ]
    if len(ids) == len(theirs) == 1 and ids != theirs:
        renames = {theirs[0]: ids[0]}
    if not renames:
        return table
    return ColumnsTable({renames.get(c, c): table.values(c) for c in table.columns}, name=table.name)


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
        candidates = [c for c in shared if naming.bare(c) in naming.ID] or [
            c for c in shared if rows.n > 1 and rows.distinct(c) == rows.n and rows.kind(c) != "number"
        ]
        if len(candidates) > 1:
            raise ColumnError(
                f"several columns could be the id: {', '.join(map(repr, candidates))}; say which with id="
            )
        if candidates:
            return candidates[0]
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
    for candidates in (named, left, shared):
        if len(candidates) == 1:
            return candidates[0]
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
    placed_values = values.astype(object)[places]
    placed_values[places < 0] = None
    return np.asarray(placed_values)


def _models(
    name: str, table: InputTable, kept: Mapping[str, str], classes: Sequence[str], truth: str, label: str | None,
    score: object, *, alone: bool,
) -> dict[str, object]:  # fmt: skip
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
    scored = {v: c for v in classes for c in kept if c in (v, f"p{v}") or _is_class(c, v)}
    labels = [c for c, m in spoken.items() if m is not None and m.part == "label" and c not in scored.values()]
    scores = [c for c, m in spoken.items() if m is not None and m.part == "score" and c not in scored.values()]
    labels = labels or [c for c in kept if c == truth]
    if len(classes) > 1 and len(scored) == len(classes) and len(set(scored.values())) == len(classes):
        parts: dict[str, object] = {"score": {v: kept[c] for v, c in scored.items()}}
        return {name: parts | ({"label": kept[labels[0]]} if len(labels) == 1 else {})}
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
    class_column = naming.ends_in_class(column, label)
    return class_column is not None and (
        class_column.says_score or naming.bare(class_column.stem) in ("class", "label", "target")
    )


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


def read(
    path_or_table: object,
    *,
    predictions: PredictionFiles = None,
    truth: str | None = None,
    models: ModelChoice = None,
    label: str | None = None,
    score: object = None,
    positive: object = None,
    id: ColumnChoice = None,
    cluster: ColumnChoice | Sequence[str] = None,
    time: str | None = None,
    by: str | Sequence[str] | None = None,
    fold: ColumnChoice = None,
    repeat: ColumnChoice = None,
    weight: ColumnChoice = None,
    weights_kind: WeightsKind | None = None,
    labels: Iterable[object] | None = None,
    right: RightColumns = None,
    right_from: float | None = None,
    missing: Missing = "error",
    threshold: Threshold = None,
    budget: str | int | None = None,
    grade: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    names: Sequence[str] | Mapping[int, str] | None = None,
    table: str | None = None,
) -> Predictions:
    """Predictions from files (CSV, TSV, Parquet, JSON, JSON Lines; .gz, .zst; folders, patterns, lists) or a frame.

    If the truth is in one file and predictions are in others, `predictions=["a.csv", "b.csv"]` (or {"a": path}) joins
    them on the id that they share, or by position where they have none and are equally long.

    Excel, OpenDocument, Stata, SPSS, SAS, Feather and ORC files go through pandas. `table="name"` chooses a table of
    a SQLite or DuckDB file that holds several, or a sheet of a workbook. "-" is standard input. Folders called
    key=value make a column of text, in Parquet files.
    `names=["truth", "svm"]` names the columns of a text without a header (or some of them, {1: "truth", 30: "svm"});
    data and predictions of fastText, LIBSVM and Vowpal Wabbit, and lists of predictions, need no names.

    Logs of lm-evaluation-harness, Inspect and WEKA are recognised (see `te.logs`; `score` then names the measure).

    Tables that say who was right instead of which class was meant (model, id, correct; or a column of 0 and 1 for each
    model) are known by such names; `right="passed"`, `right=["gpt", "llama"]` or `right=True` (all columns of 0 and 1)
    say so of others, and scores from `right_from` up are right. Several answers to one question (a column epoch,
    attempt, trial, …) belong together.

    Wide tables (a column for each model, or pairs like svm_label and svm_score, or one score column a class) and long
    ones (model, id, truth, label, score) both work. Columns with plain names are recognised, and all can be named:
    `models=["a", "b"]`, or `models={"svm": {"label": "c1", "score": "c2"}}`, where the score may be {class: column}.
    `False` for id, cluster, fold, repeat or weight says that there is none. `.roles` shows how columns were read.
    `cluster=["user", "item"]` names two keys, where a row belongs to both; `time=` says when a row was seen. Rows with
    either come into memory. Other lazy tables (DuckDB relations, polars LazyFrames, PySpark DataFrames, Ibis tables)
    stay in their engine and are counted there. `budget="2GB"` is the memory that the tables of a file or a lazy table
    may take, if not that of te.config: beyond it scores are binned, and results say between which values the exact
    ones lie.

    `grade=` names the column that holds a grade of each row and model, from 0 to 1 or on the `scale` (lowest, highest)
    that is given; several columns are one a model: see `te.graded`.

    >>> p = read({"y_true": [0, 1, 1], "svm": [0.2, 0.9, 0.4], "forest": [0, 1, 1], "city": ["Oslo", "Rome", "Lima"]})
    >>> print(p)
    3 rows, 2 positive, 1 model with scores: svm; 1 with labels: forest.
    Note: Left out: 'city' (text).
    """
    check_word(missing, ("error", "wrong", "drop"), "missing")
    if weights_kind is not None:
        check_word(weights_kind, ("frequency", "sampling"), "weights_kind")
    given_labels = None if labels is None else list(labels)
    if isinstance(weight, str) and weights_kind is None:
        raise InputError(
            f'weight={weight!r} needs weights_kind="frequency" (a row stands for so many equal rows) or "sampling" '
            "(a row stands for a share of the population): the intervals differ"
        )
    reader = log_reader(path_or_table) if predictions is None else None
    if scale is not None and grade is None and reader is None:
        raise InputError("scale= says between which values grades lie: name their column with grade=")
    if grade is not None and reader is None:
        of_classes = {"truth": truth, "label": label, "score": score, "positive": positive, "labels": labels}
        of_classes |= {"right": right, "right_from": right_from, "predictions": predictions}
        word = next((word for word, given in {**of_classes, "threshold": threshold}.items() if given is not None), None)
        if word is not None:
            raise InputError(f"{word}= is about classes, and grade= says that the rows carry grades: leave one out")
        if names is not None:
            raise InputError("names= goes with a truth and predictions; a file of grades needs a header")
        if isinstance(models, Mapping):
            raise InputError("with grade= models= is the column that names models, or a list of those to keep")
        return graded(
            path_or_table, grade=grade, models=models, scale=scale, ids=id, clusters=cluster, time=time, by=by,
            folds=fold, repeats=repeat, weights=weight, weights_kind=weights_kind, missing=missing, table=table,
        )  # fmt: skip
    if reader is not None:
        if grade is not None and score is not None:
            raise InputError("score= and grade= both name the measure of a log: leave one out")
        named = {
            "truth": truth, "label": label, "id": id, "fold": fold, "repeat": repeat, "weight": weight,
            "labels": labels, "right": right, "threshold": threshold, "names": names, "table": table, "time": time,
        }  # fmt: skip
        return read_log(
            path_or_table, reader, score=score if grade is None else grade, positive=positive, missing=missing,
            models=models, options={"right_from": right_from, "scale": scale, "by": by, "cluster": cluster},
            columns=named,
        )  # fmt: skip
    of_models = {} if predictions is None else named_files(predictions)
    # The name is of a table in the files that may hold several, be it the truth's or a model's.
    database = next(filter(holds_tables, of_models.values()), None)
    opened = input_table(path_or_table, names, table_for(path_or_table, database, table))
    said = {given for given in (id, cluster, time, by, fold, repeat) if isinstance(given, str)}
    keyed = [c for c in opened.columns if c in said or naming.bare(c) in naming.KEYS]
    opened.as_written((), keyed)
    rows = split_resamples(spread_probabilities(opened))
    about_files = rows.notes
    if predictions is not None:
        if models is not None or right is not None:
            raise InputError("predictions= names the files of the models: leave models= and right= out")
        files = {
            name: spread_probabilities(input_table(one, table=table if holds_tables(one) else None))
            for name, one in of_models.items()
        }
        whole = join(rows, files, truth=truth, id=id, label=label, score=score)
        rows, truth, models, id, label, score = whole.table, whole.truth, whole.models, whole.id or False, None, None
        about_files += whole.notes
    if by is not None and not isinstance(by, str):
        if not isinstance(by, Iterable):
            raise InputError(f"by={in_few_words(by)} must be the name of a column, or a list of names")
        rows, by = combined(rows, by, current().budget_bytes if budget is None else memory_bytes(budget))
    keys: Any = cluster_columns(cluster, of_table=True)
    request = ColumnRequest(
        truth=truth, models=models, label=label, score=score, id=id, cluster=keys["clusters"],
        crossed=keys.get("crossed"), time=time, by=by, fold=fold, repeat=repeat, weight=weight,
        weights_kind=weights_kind, labels=given_labels, positive=positive,
    )  # fmt: skip
    as_grades = right_or_wrong(rows, request, right, right_from)
    if as_grades is not None:
        rows, request = as_grades
        given_labels, models = list(GRADES), request.models
    layout, known = resolve(rows, request if as_grades is not None else as_programs_write(rows, request))
    if as_grades is not None:
        layout = replace(layout, roles={c: r for c, r in layout.roles.items() if c != layout.truth})
    if weights_kind is not None and layout.weight is None:
        raise InputError(f"weights_kind={weights_kind!r} was given, but no weight column: name it with weight=")
    memory_budget = current().budget_bytes if budget is None else memory_bytes(budget)
    if layout.model is not None:
        wanted = None if models is None or isinstance(models, str) else list(models)
        rows, layout = widen(rows, layout, wanted, memory_budget)
    order = layout.declared if given_labels is None else known[: len(given_labels)]
    options = Options(
        labels=order, positive=positive, missing=missing, threshold=threshold,
        weights_kind=weights_kind if layout.weight is not None else None,
        budget=None if budget is None else memory_budget,
    )  # fmt: skip
    # Counted where the rows are; where something is wrong, a look at the rows says what.
    here = "times" in layout.keys or "crossed" in layout.keys
    source: Source = (None if here else rows.counted(layout, options)) or build(given_rows(rows, layout, options))
    used = [*layout.keys.values(), *(c for m in layout.models.values() for c in m.columns())]
    about_files = (READ_AS_MISSING, *about_files) if any(rows.filled(c) < rows.n for c in used) else about_files
    notes = (*absent_notes(source.facts).values(), *about_files, *layout.notes)
    return Predictions(source=source, roles=Roles(layout.roles), notes=notes, backend=rows.backend)


def input_table(
    path_or_table: Foreign, names: Sequence[str] | Mapping[int, str] | None = None, table: str | None = None
) -> InputTable:
    """A path, a list of paths, a frame or a mapping of columns as a table; `names` are those of a file without any,
    `table` is one of those in a database or a workbook."""
    path_or_table = alone(path_or_table)
    check_table_name(path_or_table, table)
    paths = isinstance(path_or_table, str | os.PathLike)
    if isinstance(path_or_table, list | tuple):
        paths = bool(path_or_table) and all(isinstance(p, str | os.PathLike) for p in path_or_table)
        if path_or_table and all(isinstance(row, Mapping) for row in path_or_table):
            path_or_table = columns_of(path_or_table)
        elif not paths:
            raise InputError("te.read takes a path, a list of paths, or a data frame; arrays go to te.predictions")
    if not paths:
        if names is not None:
            raise InputError("names= names the columns of a file without a header, and a table has names: leave it out")
        rows = isinstance(path_or_table, dict) and all(isinstance(row, dict) for row in path_or_table.values())
        return open_frame(columns_of(cast("list[Row]", table_rows(path_or_table))) if rows else path_or_table)
    from trueerror.sources.engines._duckdb_tables import open_files

    if names is not None and holds_tables(path_or_table):
        raise InputError("names= names the columns of a file without a header, and tables of a database or a workbook "
                         "have names: leave it out")  # fmt: skip
    if names is not None:
        columns = _places_named(names)
        whole = open_files(path_or_table, columns)
        kept = {name: whole.values(name) for name in columns.values()}
        return whole if len(kept) == len(whole.columns) else ColumnsTable(kept, name=whole.name)
    return foreign_table(path_or_table, table) or bare_table(path_or_table) or open_files(path_or_table)


Row = Mapping[str, object]


def columns_of(rows: Sequence[Row]) -> dict[str, list[object]]:
    """Rows as columns; what a row does not have is missing there.

    >>> columns_of([{"truth": 1, "svm": 0}, {"truth": 0}])
    {'truth': [1, 0], 'svm': [0, None]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _places_named(names: Sequence[str] | Mapping[int, str]) -> dict[int, str]:
    """Columns by their places from 1 up."""
    listed = enumerate(names, 1) if isinstance(names, Iterable) else ()
    given = dict(names) if isinstance(names, Mapping) else dict(listed)
    if isinstance(names, str) or not given or not all(isinstance(p, int) and p > 0 for p in given):
        raise InputError("names= is a list of column names, or {place: name} with places from 1 up")
    return {place: str(name) for place, name in sorted(given.items())}


READ_OPTIONS = tuple(signature(read).parameters)[1:]
