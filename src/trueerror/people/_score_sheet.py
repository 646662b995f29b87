"""Scores of learners on data sets as people keep them: wide or long, with folds or without, complete or not."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from trueerror.inference.ranking._rank_tests import ScoreMatrix
from trueerror.inputs._arrays import LARGEST, Floats, column, missing_rows, plain_numbers
from trueerror.inputs._options import ColumnError, InputError
from trueerror.sources._models import FoldTable
from trueerror.sources._open_tables import file_table, open_frame
from trueerror.sources._table_types import is_table
from trueerror.sources._tables import InputTable, need_column
from trueerror.sources.columns import _names as naming

MissingScores = Literal["error", "drop"]
DATA_SET = frozenset(
    ("dataset", "datasets", "datasetname", "datasetid", "data", "task", "taskid", "problem", "benchmark", "domain")
)
# What experiments and others write down beside the scores: the rows of test and training sets, and times.
TEST_ROWS, TRAIN_ROWS = (
    (f"{part}rows", f"n{part}", f"{part}n", f"{part}size", f"{part}count", f"num{part}") for part in ("test", "train")
)
BOOKKEEPING = frozenset({*TEST_ROWS, *TRAIN_ROWS, "fitseconds", "predictseconds", "fittime", "scoretime"})
# Folds beyond this many, all of one round, may as well be random splits.
USUAL_FOLDS = 10
LEARNER = naming.MODEL | {"learners", "estimator", "approach", "learningalgorithm"}
STEM = "stem"


class FoldKey(NamedTuple):
    """A fold of a repeat; "" where there is none."""

    repeat: str
    fold: str


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreSheet:
    """A complete table: for each data set the scores of its folds (rows) and learners (columns)."""

    data_sets: tuple[str, ...]
    learners: tuple[str, ...]
    parts: tuple[Floats, ...]
    folds: tuple[tuple[FoldKey, ...], ...]
    value_name: str = ""
    dropped: tuple[str, ...] = ()
    backend: str | None = None
    # n_test/n_train of each data set's folds where the table says so, else NaN.
    ratios: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()  # what there is to say about the file, in sentences
    family: tuple[str, Mapping[str, str]] | None = None  # a column, and the family of each data set

    @property
    def has_folds(self) -> bool:
        """Whether any data set has more than one score a learner."""
        return any(len(part) > 1 for part in self.parts)

    @property
    def means(self) -> Floats:
        """Data sets × learners, folds averaged: a data set counts once, however many folds it has.

        The last digits are rounded away, so that means that are equal on paper are ties.
        """
        means = np.stack([part.mean(axis=0) for part in self.parts])
        largest = float(np.abs(means).max())
        if largest == 0 or largest > LARGEST:
            return means
        scale = 2.0 ** math.ceil(math.log2(largest))  # a power of two divides without rounding
        return np.round(means / scale, 12) * scale

    @property
    def families(self) -> dict[str, Mapping[str, str]]:
        """Ways to group the data sets: by a column, and by the first words of their names where some are alike."""
        words = {name: re.findall(r"^[^\W\d_]*", name)[0].lower() or name for name in self.data_sets}
        stems = {STEM: words} if 1 < len(set(words.values())) < len(words) else {}
        return dict([self.family] if self.family else []) | stems

    def matrix(self, *, higher_is_better: bool) -> ScoreMatrix:
        """What rank tests take."""
        return ScoreMatrix(self.means, self.learners, self.data_sets, higher_is_better)

    def split_ratio(self, i: int) -> float:
        """n_test/n_train of a data set's folds as the table has it, else 1/(k − 1) for k folds a repeat; NaN where k is
        not known."""
        if self.ratios and not math.isnan(self.ratios[i]):
            return self.ratios[i]
        repeats = {key.repeat for key in self.folds[i]}
        k = len(self.folds[i]) / len(repeats)
        return 1 / (k - 1) if k >= 2 else math.nan


class Columns(NamedTuple):
    """The columns that were named; None for those to be found."""

    dataset: str | None = None
    learner: str | None = None
    fold: str | None = None
    repeat: str | None = None
    value: str | None = None
    family: str | None = None


class _Cells:
    """Scores by data set, learner and fold, in order of appearance."""

    def __init__(self) -> None:
        self.scores: dict[str, dict[str, dict[FoldKey, float]]] = {}
        self.learners: dict[str, None] = {}

    def add(self, data_set: str, learner: str, key: FoldKey, score: float) -> None:
        self.learners.setdefault(learner)
        if math.isinf(score):
            raise InputError(f"{learner!r} has {score} on {data_set!r}; scores are finite numbers")
        folds = self.scores.setdefault(data_set, {}).setdefault(learner, {})
        if key in folds:
            if key.fold:
                raise InputError(
                    f"{learner!r} has more than one score on fold {key.fold!r} of {data_set!r}; leave one out, or name "
                    "the column of repeats with repeat="
                )
            raise InputError(
                f"{learner!r} has more than one score on {data_set!r}; name the column that distinguishes them with "
                "fold= (folds are averaged and never counted as data sets)"
            )
        folds[key] = score


def read_sheet(
    scores: Any,
    columns: Columns,
    *,
    names: Iterable[Any] | None = None,
    missing: MissingScores = "error",
    table: str | None = None,
) -> ScoreSheet:
    """A sheet from a path, a frame, a mapping of columns, or an array (data sets × learners [× folds]); `table` is one
    of those in a database or a workbook."""
    if isinstance(scores, ScoreMatrix):
        scores, names = scores.values, scores.models if names is None else names
    if isinstance(scores, str | os.PathLike):
        from trueerror.sources.logs.weka import experimenter_sheet

        written = experimenter_sheet(scores, columns.value)
        if written is not None:
            return _from_table(open_frame(written), Columns(), names, missing, ())
        rows = file_table(scores, table)
        return replace(_from_table(rows, columns, names, missing, ()), notes=rows.notes)
    if isinstance(scores, Mapping) or is_table(scores) or hasattr(scores, "columns") or hasattr(scores, "column_names"):
        return _from_table(open_frame(scores), columns, names, missing, _index(scores))
    return _from_array(scores, columns, names, missing)


def _from_table(
    table: InputTable, asked: Columns, names: Iterable[Any] | None, missing: MissingScores, index: tuple[str, ...]
) -> ScoreSheet:
    roles = {
        role: _role(table, getattr(asked, role), role, known)
        for role, known in (
            ("learner", LEARNER), ("dataset", DATA_SET), ("fold", naming.FOLD), ("repeat", naming.REPEAT),
            ("family", frozenset(("family", "suite", "collection"))),
        )
    }  # fmt: skip
    sizes = _size_columns(table)
    taken = {c for c in (*roles.values(), *sizes) if c is not None}
    rest = [c for c in table.columns if c not in taken and naming.bare(c) not in naming.ROW_NUMBER]
    numeric = [c for c in rest if table.kind(c) in ("integer", "number", "boolean")]
    texts = [c for c in rest if c not in numeric]
    cells, value_name = _Cells(), ""
    if roles["learner"] is not None:
        value_name = _value_column(table, asked.value, numeric)
        learners, values = _texts(table, roles["learner"]), _numbers(table, value_name)
    else:
        if asked.value is not None:
            raise ColumnError("value= names the scores of a long table, which has a column of learners: name it too")
        if roles["dataset"] is None and not index and len(texts) == 1:
            roles["dataset"], texts = texts[0], []
        if texts:
            raise ColumnError(f"column {texts[0]!r} of {table.name} holds text, not scores; leave it out, or name it")
        if not numeric:
            raise ColumnError(f"{table.name} has no column of scores")
        # A learner may be called y; labels come again and again.
        label_columns = [c for c in numeric if naming.bare(c) in naming.TRUTH and c != "y" and table.is_whole(c)]
        truth = next((c for c in label_columns if 2 * table.distinct(c) < table.n), None)
        if truth is not None and roles["dataset"] is None:
            raise ColumnError(
                f"{table.name} holds predictions ({truth!r} is the truth), and ranking takes scores of learners on "
                "data sets: compare is for models on rows"
            )
    data_sets = _data_sets(table, roles, index)
    keys = _keys(table, roles)
    if roles["learner"] is not None:
        for row in range(table.n):
            cells.add(data_sets[row], learners[row], keys[row], values[row])
    else:
        learner_names = _renamed(numeric, names)
        for name, c in zip(learner_names, numeric, strict=True):
            for row, score in enumerate(_numbers(table, c)):
                cells.add(data_sets[row], name, keys[row], score)
    sheet = _completed(cells, missing, value_name, table.backend)
    if (family := roles["family"]) is not None:
        known = set(zip(data_sets, _texts(table, family), strict=True))
        if len(known) > len(set(data_sets)):
            raise InputError(f"a data set has several values of {family!r}: a family holds whole data sets")
        sheet = replace(sheet, family=(family, dict(known)))
    if not sizes:
        return sheet
    tests, trains = (np.array(_numbers(table, c)) for c in sizes)
    return replace(sheet, ratios=_ratios(tests, trains, data_sets, sheet.data_sets))


def _size_columns(table: InputTable) -> tuple[str, ...]:
    """The columns of test rows and of training rows, such as experiments and te.logs.fold_scores write, if any."""
    columns = {naming.bare(c): c for c in table.columns}
    found = [columns[next(name for name in names if name in columns)] for names in (TEST_ROWS, TRAIN_ROWS)
             if not columns.keys().isdisjoint(names)]  # fmt: skip
    return tuple(found) if len(found) == 2 and all(table.is_whole(c) for c in found) else ()


def _ratios(tests: Floats, trains: Floats, data_sets: list[str], wanted: tuple[str, ...]) -> tuple[float, ...]:
    """Test rows over training rows of each data set."""
    of_set = np.array(data_sets)
    return tuple(float(tests[of_set == name].mean() / trains[of_set == name].mean()) for name in wanted)


def sheet_of_folds(table: FoldTable, data_set: str = "the data set") -> ScoreSheet:
    """Scores of folds of one data set."""
    known = np.flatnonzero(np.isfinite(table.values).all(axis=0))
    folds = tuple(FoldKey(str(int(table.repeats[i]) + 1), str(int(table.folds[i]) + 1)) for i in known)
    return ScoreSheet(
        data_sets=(data_set,), learners=table.learners, parts=(table.values.T[known],), folds=(folds,),
        value_name=table.metric, ratios=(float(table.tests.mean() / table.trains.mean()),),
    )  # fmt: skip


def _from_array(scores: Any, asked: Columns, names: Iterable[Any] | None, missing: MissingScores) -> ScoreSheet:
    named = next((role for role, c in asked._asdict().items() if c is not None), None)
    if named is not None:
        raise ColumnError(f"{named}= names a column, but an array has none; pass a data frame or a mapping of columns")
    try:
        table = np.asarray(scores)
        if table.dtype.kind == "c":
            raise TypeError
        table = table.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            "scores must be a path, a data frame, or numbers: data sets × learners, or × folds besides"
        ) from None
    if table.ndim not in (2, 3):
        raise InputError(f"scores must have two dimensions (data sets, learners) or three (folds), not {table.ndim}")
    learners = _renamed([f"model {j + 1}" for j in range(table.shape[1])], names)
    cells = _Cells()
    for i, row in enumerate(table):
        for j, values in enumerate(row if table.ndim == 3 else row[:, None]):
            for f, score in enumerate(values):
                key = FoldKey("", str(f + 1)) if table.ndim == 3 else FoldKey("", "")
                cells.add(str(i + 1), learners[j], key, float(score))
    return _completed(cells, missing, "", None)


def _completed(cells: _Cells, missing: MissingScores, value_name: str, backend: str | None) -> ScoreSheet:
    """Every learner with the same folds on every data set, or an error that names the cell, or what was left out."""
    learners = tuple(cells.learners)
    if len(learners) < 2:
        raise InputError(f"there is {len(learners)} learner; ranking takes at least two")
    kept, parts, folds, dropped = [], [], [], []
    for data_set, by_learner in cells.scores.items():
        every = list(dict.fromkeys(key for scores in by_learner.values() for key in scores))
        lacking = [
            (learner, key)
            for learner in learners
            for key in every
            if math.isnan(by_learner.get(learner, {}).get(key, math.nan))
        ]
        if lacking and missing == "error":
            learner, key = lacking[0]
            where = f"fold {key.fold!r} of {data_set!r}" if key.fold and len(lacking) < len(every) else repr(data_set)
            raise InputError(
                f"{learner!r} has no score on {where} ({len(lacking)} such there); every learner needs the same folds: "
                'add it, or leave out what is incomplete with missing="drop"'
            )
        gone = {key for _, key in lacking}
        complete = [key for key in every if key not in gone]
        if complete:
            dropped += [f"fold {key.fold} of {data_set}" for key in every if key in gone]
            kept.append(data_set)
            folds.append(tuple(complete))
            parts.append(np.array([[by_learner[m][key] for m in learners] for key in complete]))
        else:
            dropped.append(data_set)
    if not kept:
        raise InputError("no data set has a score of every learner")
    return ScoreSheet(
        data_sets=tuple(kept), learners=learners, parts=tuple(parts), folds=tuple(folds), value_name=value_name,
        dropped=tuple(dropped), backend=backend,
    )  # fmt: skip


def _role(table: InputTable, given: str | None, role: str, known: frozenset[str]) -> str | None:
    if given is not None:
        return need_column(table, given, role)
    candidates = [c for c in table.columns if naming.bare(c) in known and table.kind(c) in ("text", "integer")]
    if len(candidates) > 1:
        listed = ", ".join(map(repr, candidates))
        raise ColumnError(f"several columns of {table.name} could be the {role}: {listed}; say which with {role}=")
    return candidates[0] if candidates else None


def _value_column(table: InputTable, given: str | None, numeric: list[str]) -> str:
    if given is not None:
        return need_column(table, given, "value")
    numeric = [c for c in numeric if naming.bare(c) not in BOOKKEEPING] or numeric
    if len(numeric) == 1:
        return numeric[0]
    plain = [c for c in numeric if naming.bare(c) in ("value", "score")]
    if len(plain) == 1:
        return plain[0]
    listed = ", ".join(map(repr, numeric)) or "none"
    raise ColumnError(f"cannot tell which column of {table.name} holds the scores ({listed}); say which with value=")


def _data_sets(table: InputTable, roles: Mapping[str, str | None], index: tuple[str, ...]) -> list[str]:
    if roles["dataset"] is not None:
        return _texts(table, roles["dataset"])
    if index:
        return list(index)
    # Without names, rows of folds or of learners are of one data set; other rows are data sets of their own.
    if roles["learner"] is not None or roles["fold"] is not None or roles["repeat"] is not None:
        return ["the data set"] * table.n
    if table.backend == "pandas" and not table.provenance and table.n > 1:
        raise InputError(
            f"the {table.n:,} rows have no names: are they data sets, or folds of one? Name data sets in a column "
            "dataset (or as the index); for folds pass cv=, the splitter that made them (cv=10 for ten folds)"
        )
    return [str(i + 1) for i in range(table.n)]


def _keys(table: InputTable, roles: Mapping[str, str | None]) -> list[FoldKey]:
    columns = [
        [""] * table.n if (c := roles[role]) is None else _texts(table, c) for role in ("repeat", "fold")
    ]  # fmt: skip
    # A repeat without folds is one split: it is its own fold.
    if roles["repeat"] is not None and roles["fold"] is None:
        columns = [[""] * table.n, columns[0]]
    return [FoldKey(r, f) for r, f in zip(*columns, strict=True)]


def _texts(table: InputTable, name: str) -> list[str]:
    values = column(table.values(name), name).tolist()
    gone = next((i for i, v in enumerate(values) if v is None or v != v), None)
    if gone is not None:
        raise InputError(f"column {name!r} of {table.name} is empty at row {gone + 1:,}")
    return [str(v) for v in values]


def _numbers(table: InputTable, name: str) -> list[float]:
    if table.kind(name) not in ("integer", "number", "boolean"):
        raise ColumnError(f"column {name!r} of {table.name} does not hold numbers, so it cannot be the scores")
    values = table.values(name)
    gone = missing_rows(values)
    numbers = np.full(len(values), math.nan)
    numbers[~gone] = plain_numbers(values[~gone], f"column {name!r} of {table.name}")
    return numbers.tolist()


def _renamed(found: list[str], names: Iterable[Any] | None) -> list[str]:
    if names is None:
        return found
    given = [str(name) for name in names]
    if len(given) != len(found):
        raise InputError(f"names= has {len(given)} names for {len(found)} columns")
    if len(set(given)) < len(given):
        raise InputError("names= has the same name twice; name learners apart")
    return given


def _index(scores: Any) -> tuple[str, ...]:
    """A text index of pandas names the data sets."""
    index = getattr(scores, "index", None)
    if getattr(index, "inferred_type", "") == "string":
        return tuple(str(v) for v in scores.index)
    return ()
