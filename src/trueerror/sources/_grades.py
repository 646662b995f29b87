"""te.graded: rows that carry a grade of each model, a number between two ends, instead of labels.

A grade is taken as it is: the metric of such rows is their mean (`mean_score`). Grades that are all 0 or 1 are rows
that are right or wrong, which have methods of their own.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard, cast

import numpy as np

from trueerror.inputs._arrays import (
    ArrayLike,
    Column,
    Floats,
    WeightsKind,
    check_indexes,
    column,
    matrix,
    missing_rows,
    plain_numbers,
    same_length,
)
from trueerror.inputs._labels import Codes, Label
from trueerror.inputs._memory import need_memory
from trueerror.inputs._options import ColumnError, InputError, MissingPredictionError, check_word, in_few_words, nearest
from trueerror.inputs._settings import current
from trueerror.results._format import whole
from trueerror.sources._collect import GivenModel, GivenRows, build, cluster_columns, frame_library
from trueerror.sources._keys import key_column, plain_id
from trueerror.sources._long_tables import widen
from trueerror.sources._models import group_columns, intersections
from trueerror.sources._open_tables import check_table_name, file_table, open_frame
from trueerror.sources._paths import names_files
from trueerror.sources._predictions import KEY_OPTIONS, ONE_MODEL, KeyKind, Predictions, Roles, Scale
from trueerror.sources._table_types import is_table
from trueerror.sources._tables import ColumnsTable, InputTable, Layout, ModelLayout, need_column
from trueerror.sources.columns._names import CLUSTER, FOLD, GRADE, ID, MODEL, REPEAT, ROW_NUMBER, WEIGHT, bare, word_set
from trueerror.sources.columns._roles import whose_column
from trueerror.sources.engines._array_source import ArraySource, ModelColumns
from trueerror.sources.logs._registry import PathsLike, log_reader
from trueerror.tallies import Missing
from trueerror.tallies._graded import GRADES, RIGHT

# The one class of rows that carry grades.
GRADED = "graded"
# What columns of items and of repeats are called.
ITEM = ID | word_set("item question prompt promptid qid problem problemid task taskid sample example doc")
EPOCH = REPEAT | word_set("epoch epochs attempt trial run runid sampleno seed turn")
UNIT: Scale = (0.0, 1.0)
BOOLEANS: dict[str, float | None] = {"true": 1.0, "false": 0.0} | dict.fromkeys(("none", "nan", "null"))


def graded(
    grades: object, *, grade: str | Sequence[str] | None = None, models: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None, ids: ArrayLike = None, clusters: ArrayLike = None, time: ArrayLike = None,
    by: ArrayLike = None, folds: ArrayLike = None, repeats: ArrayLike = None, weights: ArrayLike = None,
    weights_kind: WeightsKind | None = None, missing: Missing = "error", table: str | None = None,
) -> Predictions:  # fmt: skip
    """Rows with a grade of each model, from 0 to 1 or on the `scale` that is given, such as (1, 5).

    `grades` is an array (one model), {"name": array}, or a table: a path or a data frame with the columns model, id and
    grade, or with one column of grades for each model. In a table `ids=`, `clusters=`, `by=` and the like name columns,
    `grade=` names that of the grades (or several, one a model) and `models=` the column that names models, or those to
    keep; columns with plain names are recognised. `table="name"` chooses a table of a SQLite or DuckDB file that holds
    several, or a sheet of a workbook.

    All verbs take the result: `te.evaluate` gives each model's mean score with an interval, `te.compare` the paired
    differences, `te.gate` and `te.report` as ever. Grades are never rounded to right or wrong. If all of them are 0 or
    1, and no other `scale` is given, the rows are right or wrong, and the metric is accuracy. A row without a grade is
    an error, or left out (missing="drop"), or graded at the low end (missing="wrong").

    >>> g = graded({"a": [0.5, 1.0, 0.25, 0.75], "b": [0.5, 0.75, 0.0, 0.75]})
    >>> print(g)
    4 rows, graded from 0 to 1, 2 models with grades: a, b.
    >>> graded([4, 5, 3, 5], scale=(1, 5)).scale
    (1.0, 5.0)
    """
    check_word(missing, ("error", "wrong", "drop"), "missing")
    named = isinstance(grades, Mapping) and isinstance(clusters, list | tuple) and {*map(str, clusters)} <= {*grades}
    of_table = named or _is_path(grades) or is_table(grades)
    keys: dict[KeyKind, Any] = {
        **cluster_columns(clusters, of_table=of_table), "times": time, "slices": by, "folds": folds, "repeats": repeats
    }  # fmt: skip
    given = _Given(grades=grades, ids=ids, keys=keys, weights=weights)
    check_table_name(grades, table)
    backend: str | None
    about_files: tuple[str, ...] = ()
    if _names_table(grades, given, grade, models):
        rows = _table(grades, table)
        about_files = rows.notes
        given, roles, backend = _from_table(rows, given, grade, models)
    else:
        if grade is not None or models is not None:
            word = "grade" if grade is not None else "models"
            raise InputError(f"{word}= names columns of a table, but these are arrays: leave it out")
        given, roles = given._replace(grades=_by_model(grades)), {}
        backend = frame_library(cast("Mapping[str, object]", given.grades).values())
    columns = {name: _numbers(values, name) for name, values in cast("Mapping[str, object]", given.grades).items()}
    if not columns:
        raise InputError("there are no grades: pass an array, {name: array}, or a table")
    ends = _scale(columns, scale)
    right_or_wrong = ends == UNIT and all(np.isin(v[~np.isnan(v)], (0.0, 1.0)).all() for v in columns.values())
    columns, notes = _settled(columns, ends, missing)
    n = max(len(v) for v in columns.values())
    if n == 0:
        raise InputError("there are no rows: a mean needs at least one grade")
    if given.ids is None:
        arrays: dict[str, object] = {k: v for k, v in given.keys.items() if v is not None and k != "slices"}
        check_indexes({**cast("Mapping[str, object]", given.grades), **arrays})
    slices = group_columns(given.keys.get("slices"))
    given_keys = {kind: v for kind, v in given.keys.items() if v is not None}
    if slices is not None:
        given_keys["slices"] = intersections(slices)
    source = build(
        GivenRows(
            truth=[RIGHT if right_or_wrong else GRADED] * n,
            models={m: _answers(m, v, right_or_wrong) for m, v in columns.items()},
            labels=GRADES if right_or_wrong else (GRADED,),
            ids=given.ids,
            keys=given_keys,
            weights=given.weights,
            weights_kind=weights_kind,
            missing="drop" if missing == "wrong" else missing,
            places={"truth": f"the grades of {next(iter(columns))!r}", "slices": "by"},
        )
    )
    if not right_or_wrong:
        source = _with_scale(source, columns, ends)
    return Predictions(source=source, roles=Roles(roles), notes=(*about_files, *notes), backend=backend)


class _Given(NamedTuple):
    """What was given: columns, or in a table their names."""

    grades: object
    ids: ArrayLike
    keys: dict[KeyKind, ArrayLike]
    weights: ArrayLike

    def names(self) -> list[str]:
        """Options that are text: names of columns."""
        return [v for v in (self.ids, self.weights, *self.keys.values()) if isinstance(v, str)]


def _names_table(grades: object, given: _Given, grade: object, models: object) -> bool:
    """Whether a whole table was given rather than grades by model."""
    if _is_path(grades) or is_table(grades):
        return True
    if not isinstance(grades, Mapping):
        return False
    if grade is not None or models is not None or given.names():
        return True
    names = {bare(str(key)) for key in grades}
    return bool(names & GRADE) and bool(names & (MODEL | ITEM))


def _is_path(given: object) -> TypeGuard[PathsLike]:
    """Whether this names a file, or several."""
    return isinstance(given, str | os.PathLike) or (isinstance(given, list | tuple) and names_files(given))


def _table(grades: object, table: str | None) -> InputTable:
    """A table from paths, or a data frame."""
    return file_table(grades, table) if _is_path(grades) else open_frame(grades)


def _by_model(grades: object) -> dict[str, object]:
    if isinstance(grades, Mapping):
        return {str(name): values for name, values in grades.items()}
    if isinstance(grades, Predictions):
        raise InputError("these rows were read already: pass them to te.evaluate or te.compare as they are")
    array = matrix(grades, "grades")
    if array.ndim == 2 and array.shape[1] != 1:
        raise InputError(
            f"grades has {array.shape[1]} columns: name the models, as in {{'a': first, 'b': second}}; answers to the "
            "same questions again and again go to te.repeats"
        )
    return {ONE_MODEL: grades if array.ndim == 1 else array[:, 0]}


def _from_table(
    table: InputTable, given: _Given, grade: str | Sequence[str] | None, models: str | Sequence[str] | None
) -> tuple[_Given, dict[str, str], str | None]:
    """The columns of a table by their roles, one column of grades a model."""
    names: dict[str, str | None] = {"ids": _role(table, given.ids, ITEM | ROW_NUMBER, "ids")}
    plain: tuple[tuple[KeyKind, frozenset[str]], ...] = (
        ("clusters", CLUSTER), ("slices", frozenset()), ("folds", FOLD), ("repeats", EPOCH), ("crossed", frozenset()),
        ("times", frozenset()),
    )  # fmt: skip
    by = given.keys.get("slices")
    if isinstance(by, list | tuple) and by and all(isinstance(name, str) for name in by):
        table, whole_by = combined(table, by, current().budget_bytes)
        given = given._replace(keys={**given.keys, "slices": whole_by})
    for kind, words in plain:
        names[kind] = _role(table, given.keys.get(kind), words, KEY_OPTIONS[kind][0])
    table.as_written((), [c for c in names.values() if c is not None])
    names["weights"] = _role(table, given.weights, WEIGHT, "weights")
    taken = {c for c in names.values() if c is not None}
    column_of_models = models if isinstance(models, str) and models in table.columns else None
    if column_of_models is None and not isinstance(grade, list | tuple):
        column_of_models = whose_column(table, taken)
    keys: dict[KeyKind, str] = {kind: c for kind, _ in plain if (c := names[kind]) is not None}
    if column_of_models is not None:
        value = _grade_column(table, grade, taken | {column_of_models})
        wanted = None if models is None or models == column_of_models else _listed(models)
        layout = Layout(
            truth=column_of_models, models={"": ModelLayout(score=value)}, id=names["ids"], keys=keys,
            weight=names["weights"], model=column_of_models,
        )  # fmt: skip
        # Every item has one truth in a long table; here there is none, so a constant stands for it.
        constant = "the rows of all models"
        filled = {c: table.values(c) for c in dict.fromkeys([*taken, column_of_models, value])}
        long = ColumnsTable({**filled, constant: np.zeros(table.n, dtype=np.int64)}, name=table.name)
        wide, wide_layout = widen(long, replace(layout, truth=constant), wanted, 1 << 62)
        grades = {m: wide.values(str(part.score)) for m, part in wide_layout.models.items()}
        roles = {column_of_models: "model", value: "grades"}
    else:
        wide = table
        grades, roles = _wide_grades(table, grade, models, taken)
    values = {k: None if c is None else wide.values(c) for k, c in names.items()}
    roles |= {c: k.removesuffix("s") for k, c in names.items() if c is not None}
    filled_keys: dict[KeyKind, ArrayLike] = {kind: values[kind] for kind, _ in plain}
    return _Given(grades, values["ids"], filled_keys, values["weights"]), roles, table.backend


def combined(table: InputTable, by: Iterable[str], budget: int) -> tuple[InputTable, str]:
    """The table, in memory, with a column of the combinations of several, and its name."""
    names = [need_column(table, name, "by") for name in by]
    table.as_written((), names)
    if not isinstance(table, ColumnsTable):
        # Not counted where the rows are: all of them come here.
        instead = "name one column that holds the combinations, which is counted where it is"
        need_memory(table.n, len(table.columns), f"the rows of {table.name}", budget, instead=instead)
    joined = " and ".join(names)
    columns: dict[str, object] = {c: table.values(c) for c in table.columns}
    columns[joined] = intersections({c: columns[c] for c in names})
    return ColumnsTable(columns, name=table.name, backend=table.backend), joined


def _role(table: InputTable, given: ArrayLike, words: frozenset[str], option: str) -> str | None:
    """The column that was named, or the one whose name says so; False declines one."""
    if given is False:
        return None
    if given is not None:
        if not isinstance(given, str):
            raise InputError(f"{option}= names a column of {table.name}: pass its name")
        return need_column(table, given, option)
    return next((c for c in table.columns if bare(c) in words), None)


def _listed(names: str | Sequence[str]) -> list[str]:
    return [str(name) for name in names] if isinstance(names, Iterable) and not isinstance(names, str) else [str(names)]


def _grade_column(table: InputTable, grade: str | Sequence[str] | None, taken: set[str]) -> str:
    if grade is not None:
        return need_column(table, _listed(grade)[0], "grade")
    candidates = [c for c in table.columns if c not in taken and bare(c) in GRADE]
    if len(candidates) == 1:
        return candidates[0]
    numeric = [c for c in table.columns if c not in taken and table.kind(c) in ("number", "integer", "boolean")]
    if not candidates and len(numeric) == 1:
        return numeric[0]
    names = ", ".join(map(repr, (candidates or numeric)[:8])) or "none"
    raise ColumnError(f"which column of {table.name} holds the grades? Name it with grade=; it could be {names}")


def _wide_grades(
    table: InputTable, grade: str | Sequence[str] | None, models: str | Sequence[str] | None, taken: set[str]
) -> tuple[dict[str, Column], dict[str, str]]:
    """One column of grades a model, or one column alone."""
    if grade is not None or models is not None:
        named = _listed(cast("str | Sequence[str]", models if grade is None else grade))
        chosen = [need_column(table, name, "grade") for name in named]
        if grade is not None and models is not None:
            called = _listed(models)
            if len(called) != len(chosen):
                unknown = next((m for m in called if m not in chosen), called[0])
                raise InputError(f"models= names {unknown!r}, which is no column of grades{nearest(unknown, chosen)}")
        else:
            called = [ONE_MODEL] if isinstance(grade, str) else chosen
    else:
        numeric = [c for c in table.columns if c not in taken and table.kind(c) in ("number", "integer", "boolean")]
        grade_columns = [c for c in numeric if bare(c) in GRADE]
        chosen = grade_columns if len(grade_columns) == 1 else numeric
        called = [ONE_MODEL] if len(grade_columns) == 1 else chosen
        if not chosen:
            raise ColumnError(f"{table.name} has no column of numbers that could be grades{nearest('', table.columns)}")
    grades = {m: table.values(c) for m, c in zip(called, chosen, strict=True)}
    return grades, {c: "grades" if m == ONE_MODEL else f"grades of {m}" for m, c in zip(called, chosen, strict=True)}


def _numbers(values: object, model: str) -> Floats:
    """A column of grades, NaN where there is none."""
    place = f"the grades of {model!r}"
    array = column(values, place)
    if array.dtype.kind in "OUT":
        # A file with true beside 0.5 is text.
        array = np.array([BOOLEANS.get(v.strip().lower(), v) if isinstance(v, str) else v for v in array], dtype=object)
    gone = missing_rows(array)
    several = next((v for v in array[~gone] if np.ndim(v) > 0), None) if array.dtype == object else None
    if several is not None:
        raise InputError(f"{place} must be numbers, but one is {in_few_words(several)}")
    try:
        floats = np.full(len(array), np.nan)
        floats[~gone] = plain_numbers(array[~gone], place)
    except InputError:
        example = next((v for v in array[~gone] if not _is_number(v)), array[~gone][0])
        raise InputError(f"{place} must be numbers, but one is {plain_id(example)!r:.40}") from None
    infinite = np.isinf(floats)
    if infinite.any():
        raise InputError(f"{place} are infinite at row {int(np.argmax(infinite)) + 1:,}; a grade lies between two ends")
    return floats + 0.0


def _is_number(value: object) -> bool:
    try:
        float(0.0 if isinstance(value, complex) else cast("float", value))
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, complex)


def _scale(columns: Mapping[str, Floats], scale: object) -> Scale:
    """The lowest and highest grade that there can be; 0 and 1 unless told, never guessed from the grades."""
    known = np.concatenate([v[~np.isnan(v)] for v in columns.values()])
    low, high = (float(known.min()), float(known.max())) if len(known) else UNIT
    if scale is None:
        if low < 0 or high > 1:
            raise InputError(
                f"the grades run from {low:g} to {high:g}, beyond 0 to 1: say between which values a grade can lie, "
                f"as in scale=({math.floor(low):g}, {math.ceil(high):g})"
            )
        return UNIT
    try:
        ends = [float(x) for x in plain_numbers(scale, "scale").reshape(-1)]
    except InputError:
        ends = []
    if len(ends) != 2 or not all(map(math.isfinite, ends)) or not ends[0] < ends[1]:
        raise InputError(f"scale={scale!r:.40} must be the lowest and the highest grade, such as (1, 5)")
    for model, values in columns.items():
        beyond = (values < ends[0]) | (values > ends[1])
        if beyond.any():
            row = int(np.argmax(beyond))
            whose = f" of {model!r}" if model else ""
            raise InputError(
                f"the grade{whose} at row {row + 1:,} is {values[row]:g}, beyond the scale {ends[0]:g} to {ends[1]:g}"
            )
    return ends[0], ends[1]


def _settled(columns: Mapping[str, Floats], ends: Scale, missing: Missing) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Rows without a grade: refused, left out, or graded at the low end; and what was done in words."""
    absent = {m: int(np.isnan(v).sum()) for m, v in columns.items()}
    if missing == "error" and any(absent.values()):
        model = next(m for m, k in absent.items() if k)
        raise MissingPredictionError(
            f'{absent[model]:,} of {len(columns[model]):,} rows have no grade of {model!r}: missing="drop" leaves '
            f'them out, missing="wrong" grades them {ends[0]:g}'
        )
    rule = "left out" if missing == "drop" else f"graded {ends[0]:g}"
    notes = tuple(
        f"{whole(k)} of {whole(len(columns[m]))} rows have no grade of {m}; they are {rule}."
        for m, k in absent.items() if k
    )  # fmt: skip
    if missing != "wrong":
        return dict(columns), notes
    return {m: np.where(np.isnan(v), ends[0], v) for m, v in columns.items()}, notes


def _answers(model: str, grades: Floats, right_or_wrong: bool) -> GivenModel:
    """The grades as what a model said of the rows: labels where they are right or wrong, else a column of scores."""
    place = f"the grades of {model!r}"
    if right_or_wrong:
        words = np.array([*GRADES, None], dtype=object)
        codes = np.where(np.isnan(grades), 2, np.where(grades == 1, 0, 1)).astype(np.int64)
        return GivenModel(labels=words[codes], place_of_labels=place)
    return GivenModel(scores=grades, place_of_scores=place)


def _with_scale(source: ArraySource, grades: Mapping[str, Floats], scale: Scale) -> ArraySource:
    """The rows with one class, and the grades as its scores."""
    models = tuple(replace(m, has_labels=False, scores="each") for m in source.facts.models)
    facts = replace(source.facts, labels=(GRADED,), models=models, scale=scale)
    columns = {m: ModelColumns(None, np.asarray(v, dtype=np.float64)[:, None]) for m, v in grades.items()}
    return replace(source, facts=facts, columns=columns, truth=np.zeros_like(source.truth))


def as_grades(source: ArraySource, scale: Scale) -> ArraySource:
    """Rows that are right or wrong as rows with grades of 0 and 1, to stand beside others with grades."""
    grades = {}
    for name, (codes, _) in source.columns.items():
        assert codes is not None
        grades[name] = np.where(codes < 0, np.nan, np.where(codes == 0, 1.0, 0.0))
    return _with_scale(source, grades, scale)


class RepeatedAnswers(NamedTuple):
    """Grades of several answers to the same questions: (questions, answers) of each model, NaN where there is none."""

    questions: tuple[Label, ...]
    grades: dict[str, Floats]
    scale: Scale
    right_or_wrong: bool
    clusters: Codes | None
    notes: tuple[str, ...] = ()
    # What there is to say about the file.
    about_files: tuple[str, ...] = ()


class _Rows(NamedTuple):
    """One answer a row: whose it is, to which question, its grade, and the question's cluster where there are any."""

    models: list[str]
    who: Codes
    questions: tuple[Label, ...]
    what: Codes
    grades: Floats
    clusters: Codes | None = None
    scale: Scale | None = None


def repeated_answers(
    answers: object,
    *,
    grade: str | None = None,
    models: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    ids: ArrayLike = None,
    clusters: ArrayLike = None,
    missing: Missing = "error",
    table: str | None = None,
) -> RepeatedAnswers:
    """Answers to the same questions again and again: a table of questions × answers of each model, rows of a long table
    that share an id, logs with epochs, or rows that were read (repeats)."""
    check_word(missing, ("error", "wrong", "drop"), "missing")
    check_table_name(answers, table)
    about_files: tuple[str, ...] = ()
    if isinstance(answers, Predictions):
        named = {"grade": grade, "ids": ids, "clusters": clusters, "scale": scale}
        word = next((word for word, given in named.items() if given is not None), None)
        if word is not None:
            raise InputError(f"{word}= says how to read answers, but these rows were read already: leave it out")
        rows = _rows_read(answers if models is None else answers.select(models))
    elif (reader := log_reader(answers)) is not None:
        if ids is not None:
            raise InputError("ids= names a column of a table, and a log names its questions itself: leave it out")
        rows = _rows_of_log(answers, reader, grade, models, clusters, scale)
    elif is_table(answers) or _is_path(answers) or (grade is not None and isinstance(answers, Mapping)):
        opened = _table(answers, table)
        about_files = opened.notes
        rows = _rows_of_table(opened, grade, models, ids, clusters)
    else:
        if grade is not None or models is not None:
            word = "grade" if grade is not None else "models"
            raise InputError(f"{word}= names columns of a table, but these are arrays: leave it out")
        rows = _rows_of_arrays(answers, ids, clusters)
    ends = rows.scale or _scale({"": rows.grades}, scale)
    absent = np.isnan(rows.grades)
    notes: tuple[str, ...] = ()
    if absent.any():
        if missing == "error":
            raise MissingPredictionError(
                f'{int(absent.sum()):,} of {len(absent):,} answers have no grade: missing="drop" counts those that are '
                f'there, missing="wrong" grades them {ends[0]:g}'
            )
        rule = "left out" if missing == "drop" else f"graded {ends[0]:g}"
        notes = (f"{whole(int(absent.sum()))} of {whole(len(absent))} answers have no grade; they are {rule}.",)
    kept = absent if missing == "drop" else np.zeros_like(absent)
    who, what, grades = rows.who[~kept], rows.what[~kept], np.where(absent, ends[0], rows.grades)[~kept]
    if not len(grades):
        raise InputError("there are no answers: pass questions × answers, or a table with the columns id and grade")
    by_model = {m: _side_by_side(what[who == i], grades[who == i], rows) for i, m in enumerate(rows.models)}
    right = ends == UNIT and bool(np.isin(grades, (0.0, 1.0)).all())
    return RepeatedAnswers(rows.questions, by_model, ends, right, rows.clusters, notes, about_files)


def _side_by_side(questions: Codes, grades: Floats, rows: _Rows) -> Floats:
    """One line a question, its answers in the order of the rows."""
    order = np.argsort(questions, kind="stable")
    counts = np.bincount(questions, minlength=len(rows.questions))
    starts = np.cumsum(counts) - counts
    sorted_questions = questions[order]
    table = np.full((len(rows.questions), max(int(counts.max(initial=0)), 1)), np.nan)
    table[sorted_questions, np.arange(len(order)) - starts[sorted_questions]] = grades[order]
    return table


def _rows_read(p: Predictions) -> _Rows:
    """Rows that were read: those of one id, or of one cluster where there are no repeats of ids, are one question."""
    source = p.source.fetched()
    if p.scale is None and not p.graded:
        raise InputError("repeats are of answers that are right or wrong, or graded: te.graded makes such rows")
    clusters = source.keyed.get("clusters")
    if source.ids is not None and p.repeated:
        codes, names = key_column(source.ids, "ids")
    elif clusters is not None:
        codes, names, clusters = clusters.codes, clusters.names, None
    else:
        raise InputError("nothing says which rows answer the same question: pass a table whose rows share an id")
    columns = []
    for model in p.models:
        labels, scores = source.columns[model]
        if scores is None:
            assert labels is not None
            columns.append(np.where(labels < 0, np.nan, np.where(labels == 0, 1.0, 0.0)))
        else:
            columns.append(scores[:, 0].astype(np.float64))
    who = np.repeat(np.arange(len(p.models)), len(codes))
    by_question = None if clusters is None else _of_questions(codes, clusters.codes, names)
    return _Rows(
        list(p.models), who, names, np.tile(codes, len(p.models)), np.concatenate(columns), by_question,
        UNIT if p.scale is None else p.scale,
    )  # fmt: skip


def _rows_of_log(
    source: object,
    reader: object,
    measure: str | None,
    models: str | Sequence[str] | None,
    clusters: ArrayLike,
    scale: Scale | None,
) -> _Rows:
    """The answers in logs; `measure` names the scorer."""
    from trueerror.sources.logs._graded import LogRequest, log_answers

    if clusters is not None and not isinstance(clusters, str):
        raise InputError("clusters= names a field of a log: pass its name")
    answers = log_answers(
        cast("PathsLike", source), reader, LogRequest(measure, None, scale, clusters is not None), clusters
    )
    names = list(dict.fromkeys(answer.model for answer in answers))
    wanted = names if models is None else _listed(models)
    unknown = next((m for m in wanted if m not in names), None)
    if unknown is not None:
        raise InputError(f"models= names {unknown!r}, which is not in the log{nearest(unknown, names)}")
    answers = [answer for answer in answers if answer.model in wanted]
    what, questions = key_column([answer.question for answer in answers], "questions")
    groups = None
    if clusters is not None:
        codes, _ = key_column([answer.cluster for answer in answers], "clusters")
        groups = _of_questions(what, codes, questions)
    grades = np.array([answer.grade for answer in answers])
    return _Rows(wanted, np.array([wanted.index(answer.model) for answer in answers]), questions, what, grades, groups)


def _rows_of_table(
    table: InputTable, grade: str | None, models: str | Sequence[str] | None, ids: ArrayLike, clusters: ArrayLike
) -> _Rows:
    """A long table: one answer a row."""
    item = _role(table, ids, ITEM, "ids")
    if item is None:
        raise ColumnError(f"which column of {table.name} names the questions? Pass its name: ids= (rows that share it)")
    group = _role(table, clusters, CLUSTER, "clusters")
    taken = {c for c in (item, group) if c is not None}
    naming = models if isinstance(models, str) and models in table.columns else None
    naming = naming or whose_column(table, taken)
    epoch = next((c for c in table.columns if c not in taken and bare(c) in EPOCH), None)
    value = _grade_column(table, grade, taken | {c for c in (naming, epoch) if c is not None})
    table.as_written((), [c for c in (item, group, naming) if c is not None])
    what, questions = key_column(table.values(item), f"column {item!r} of {table.name}")
    if naming is None:
        who, names = np.zeros(len(what), dtype=np.int64), [ONE_MODEL]
    else:
        who, model_names = key_column(table.values(naming), f"column {naming!r} of {table.name}")
        names = [str(name) for name in model_names]
    grades = _numbers(table.values(value), value)
    groups = None
    if group is not None:
        codes, _ = key_column(table.values(group), f"column {group!r} of {table.name}")
        groups = _of_questions(what, codes, questions)
    if models is not None and models != naming:
        wanted = _listed(models)
        unknown = next((m for m in wanted if m not in names), None)
        if unknown is not None:
            raise InputError(f"models= names {unknown!r}, which is not in {table.name}{nearest(unknown, names)}")
        places = [names.index(m) for m in wanted]
        rows = np.isin(who, places)
        who = np.array([places.index(i) if i in places else -1 for i in range(len(names))])[who[rows]]
        return _Rows(wanted, who, questions, what[rows], grades[rows], groups)
    return _Rows(names, who, questions, what, grades, groups)


def _rows_of_arrays(answers: object, ids: ArrayLike, clusters: ArrayLike) -> _Rows:
    """Questions × answers, of one model or by name; questions may have different numbers of answers."""
    given = answers if isinstance(answers, Mapping) else {ONE_MODEL: answers}
    if not given:
        raise InputError("there are no answers: give a table, one line a question, or {model: table}")
    who, what, grades, sizes = [], [], [], {}
    for i, (model, table) in enumerate(given.items()):
        several = isinstance(table, Iterable) and not isinstance(table, str) and getattr(table, "shape", True) != ()
        given_lines = cast("Iterable[object]", table) if several else ()
        lines = [np.atleast_1d(np.asarray(line, dtype=object)) for line in given_lines]
        if not lines or any(line.ndim != 1 for line in lines):
            raise InputError(
                f"the answers of {model!r} must be a table, one line a question: [[1, 0, 1], [0, 0, 1], …]"
            )
        sizes[f"the answers of {model!r}"] = lines
        counts = [len(line) for line in lines]
        who.append(np.full(sum(counts), i))
        what.append(np.repeat(np.arange(len(lines)), counts))
        grades.append(_numbers(np.concatenate(lines), str(model)))
    n = same_length(sizes)
    names: tuple[Label, ...] = tuple(range(1, n + 1))
    if ids is not None:
        id_column = column(ids, "ids")
        same_length({**sizes, "ids": id_column})
        names = tuple(cast("Label", plain_id(v)) for v in id_column)
        if len(set(names)) < n:
            raise InputError("ids= names some question twice: each line of the table is one question")
    groups = None
    if clusters is not None:
        groups, _ = key_column(clusters, "clusters")
        same_length({**sizes, "clusters": groups})
    return _Rows(
        [str(m) for m in given], np.concatenate(who), names, np.concatenate(what), np.concatenate(grades), groups
    )


def _of_questions(questions: Codes, clusters: Codes, names: tuple[Label, ...]) -> Codes:
    """The cluster of each question; a question in two of them is an error."""
    cluster_of = np.full(len(names), -1, dtype=np.int64)
    cluster_of[questions] = clusters
    wrong = cluster_of[questions] != clusters
    if wrong.any():
        raise InputError(f"question {names[int(questions[np.argmax(wrong)])]!r} is in two clusters; it must be in one")
    return cluster_of
