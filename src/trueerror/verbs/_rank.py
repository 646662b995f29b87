"""Scores of learners on data sets as people keep them: wide or long, with folds or without, complete or not.

`te.rank`: which learner is best over several data sets?
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from trueerror.findings import Evidence, Findings, find
from trueerror.inference._bayes import bayes_signed_rank
from trueerror.inference._contrast import ADJUSTMENTS, Adjustment, with_anchor
from trueerror.inference._contrast import adjust as adjusted
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inference.ranking._rank_tests import (
    ScoreMatrix,
    bonferroni_dunn,
    friedman,
    iman_davenport,
    nemenyi,
    shaffer,
    sign,
    wilcoxon,
)
from trueerror.inference.ranking._ranking import Ranking, compose_ranking
from trueerror.inputs._arrays import LARGEST, Floats, column, is_table, missing_rows, plain_numbers
from trueerror.inputs._options import ColumnError, InputError, Rng, check_confidence, check_word, in_few_words, nearest
from trueerror.inputs._words import speaks
from trueerror.results import Contrast, Posterior
from trueerror.sources._models import FoldTable, is_fold_result
from trueerror.sources._tables import InputTable, check_table_name, file_table, need_column, open_frame
from trueerror.sources.columns import _roles as naming
from trueerror.sources.logs.sklearn_cv import fold_table
from trueerror.verbs._ranking_result import LearnerRanking

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
    # What there is to say about the file, in sentences.
    notes: tuple[str, ...] = ()

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
            ("learner", LEARNER), ("dataset", DATA_SET), ("fold", naming.FOLD), ("repeat", naming.REPEAT)
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


PostHoc = Literal["wilcoxon", "sign", "nemenyi", "bonferroni-dunn", "shaffer"]
METHODS = ("wilcoxon", "sign", "nemenyi", "bonferroni-dunn", "shaffer")
# Beyond this many tests within data sets only those with the best learner are made.
MOST_WITHIN = 5000
# Differences of shares up to here are taken as no difference that matters, unless rope= says otherwise.
ROPE = 0.01
# Means of losses below 1 are no shares, and their differences no points.
LOSS = r"(?<!zeroone)(?<!01)loss|brier|entropy|mse|mae|deviance"
PERCENT_WORDS = frozenset(("accuracy", "error", "auc", "f1", "recall", "precision", "rate", "acc"))


@speaks
def rank(
    scores: Any,
    *,
    higher_is_better: bool = True,
    method: PostHoc = "wilcoxon",
    adjust: Adjustment = "holm",
    reference: str | None = None,
    confidence: float = 0.95,
    missing: MissingScores = "error",
    dataset: str | None = None,
    learner: str | None = None,
    fold: str | None = None,
    repeat: str | None = None,
    value: str | None = None,
    names: Iterable[Any] | None = None,
    test_train_ratio: float | None = None,
    rope: float | None = None,
    rng: Rng = None,
    cv: Any = None,
    table: str | None = None,
) -> LearnerRanking:
    """Rank learners over data sets, and say between which of them there is a clear difference.

    `scores` is a path, a data frame, a mapping of columns or an array. Wide: a row for each data set (and fold), a
    column for each learner. Long: columns of data set, learner, value, and fold where there are folds; columns with
    plain names are recognised. Folds are averaged within a data set and never counted as data sets; all learners must
    have the same folds. A cell without a score is an error, unless `missing="drop"` leaves out its data set (or fold).
    `table="name"` chooses a table of a SQLite or DuckDB file that holds several, or a sheet of a workbook.

    Pairs are compared over data sets by Wilcoxon's signed-rank test with Holm's correction; `method` may be "sign",
    "nemenyi", "shaffer" or "bonferroni-dunn" (against `reference`), which compare mean ranks and so depend on which
    other learners are in the pool. `reference` compares with one learner only. Where there are folds, each data set is
    looked at by itself too, with the corrected t-test (`test_train_ratio`, 1/(k − 1) for k folds), adjusted over the
    pairs of that data set. Results of cross_validate by name, and arrays of cross_val_score with the splitter as `cv`,
    are folds of one data set. Signed ranks speak of the middle of the differences (Hodges–Lehmann), which is what is
    shown, not of their mean. For two learners on data sets enough for the test the Bayesian signed-rank test says
    besides how probable a difference beyond ±`rope` is (0.01 for shares, 1 for percentages).
    Demšar 2006, JMLR 7:1; Benavoli, Corani and Mangili 2016, JMLR 17:5.

    >>> made = rank({"a": [0.9, 0.8, 0.9, 0.9, 0.7, 0.8], "b": [0.8, 0.7, 0.7, 0.8, 0.6, 0.6]})
    >>> made.best, round(made["a", "b"].p_value, 3)
    ('a', 0.031)
    """
    check_word(method, METHODS, "method")
    check_word(adjust, ADJUSTMENTS, "adjust")
    check_word(missing, ("error", "drop"), "missing")
    level = round(1 - check_confidence(confidence), 12)
    check_table_name(scores, table)
    columns = Columns(dataset, learner, fold, repeat, value)
    sheet = _folds_alone(scores, columns, cv, test_train_ratio)
    if sheet is None:
        sheet = read_sheet(scores, columns, names=names, missing=missing, table=table)
    if reference is not None and str(reference) not in sheet.learners:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, sheet.learners)}")
    if test_train_ratio is not None and not sheet.has_folds:
        raise InputError("test_train_ratio= is for folds within data sets, and these scores have none")
    if rope is not None and len(sheet.learners) != 2:
        raise InputError(f"rope= is for the comparison of two learners, and there are {len(sheet.learners)}")
    return rank_sheet(
        sheet, higher_is_better=bool(higher_is_better), method=method, adjust=adjust,
        control=None if reference is None else str(reference), alpha=level, rope=rope, rng=rng,
        test_train_ratio=test_train_ratio,
    )  # fmt: skip


def _folds_alone(scores: Any, columns: Columns, cv: Any, ratio: float | None) -> ScoreSheet | None:
    """The folds of one data set, where that is what was handed over: results of cross_validate, a search, cv=."""
    if cv is None and not is_fold_result(scores):
        return None
    if columns.value is not None and not isinstance(columns.value, str):
        raise InputError(f"value={in_few_words(columns.value)} must be the name of a column of scores")
    if cv is not None and hasattr(scores, "columns") and not isinstance(scores, Mapping):
        scores = {str(c): np.asarray(scores[c]) for c in scores.columns}
    table = scores if isinstance(scores, FoldTable) else fold_table(scores, cv=cv, test_train_ratio=ratio,
                                                                    score=columns.value)  # fmt: skip
    if table is None:
        raise InputError('cv= goes with scores of folds of one data set: {"learner": scores}, or a frame of them')
    return sheet_of_folds(table)


def rank_sheet(
    sheet: ScoreSheet,
    *,
    higher_is_better: bool = True,
    method: PostHoc = "wilcoxon",
    adjust: Adjustment = "holm",
    control: str | None = None,
    alpha: float = 0.05,
    test_train_ratio: float | None = None,
    rope: float | None = None,
    rng: Rng = None,
) -> LearnerRanking:
    """Rank a sheet that was read."""
    m = sheet.matrix(higher_is_better=higher_is_better)
    loss = re.search(LOSS, naming.bare(sheet.value_name)) is not None
    share = not loss and all(part.min() >= 0 and part.max() <= 1 for part in sheet.parts)
    percent = not share and _percentages(sheet, higher_is_better)
    base = _over_data_sets(m, method, adjust, control, alpha)
    within = _within_data_sets(sheet, base, test_train_ratio, adjust, 1 - alpha)
    posterior: Posterior | None = None
    width = (ROPE if share else 100 * ROPE if percent else 0.0) if rope is None else rope
    # Without a region of no difference the posterior of a few data sets is sure where no test could be.
    enough = math.ldexp(1.0, 1 - m.n) <= alpha
    if m.k == 2 and (enough or (m.n > 1 and rope)):
        first, second = (m.values[:, j] if higher_is_better else -m.values[:, j] for j in (0, 1))
        posterior = replace(
            bayes_signed_rank(first, second, rope=width, rng=rng), name=f"{m.models[0]} and {m.models[1]}"
        )
    known = {f.name: getattr(base, f.name) for f in fields(Ranking)} | {"note": ""}
    return LearnerRanking(
        **known,
        data_sets=m.datasets,
        scores=tuple(tuple(float(v) for v in row) for row in m.values),
        adjust=adjust,
        within=within,
        posterior=posterior,
        share=share,
        percent=percent or None,
        value_name=sheet.value_name,
        reading=_reading(sheet, higher_is_better, test_train_ratio is not None),
        findings=_findings(sheet, base, higher_is_better),
    )


def _percentages(sheet: ScoreSheet, higher_is_better: bool) -> bool:
    """Whether scores are shares written as percentages: 0 to 100, by their name or by their size.

    Scores between 20 and 100 of which higher is better are taken for percentages; errors and losses only by name.
    """
    low, high = min(part.min() for part in sheet.parts), max(part.max() for part in sheet.parts)
    if low < 0 or high > 100 or high <= 1:
        return False
    name = sheet.value_name.lower().replace("_", " ").replace("-", " ")
    if "%" in name or "percent" in name:
        return True
    # Shares among which one is above 1 are no percentages, whatever they are called.
    mostly = float(np.median(np.concatenate(sheet.parts))) > 1
    return mostly and (any(word in name.split() for word in PERCENT_WORDS) or (higher_is_better and low >= 20))


def _over_data_sets(m: ScoreMatrix, method: PostHoc, adjust: Adjustment, control: str | None, alpha: float) -> Ranking:
    if method == "bonferroni-dunn":
        if control is None:
            raise InputError(f'method="bonferroni-dunn" needs reference=, one of {", ".join(map(repr, m.models))}')
        return bonferroni_dunn(m, control=control, confidence=1 - alpha)
    if method in ("nemenyi", "shaffer"):
        if control is not None:
            raise InputError(
                f'method={method!r} compares all pairs; for reference= use "wilcoxon" or "bonferroni-dunn"'
            )
        return (nemenyi if method == "nemenyi" else shaffer)(m, confidence=1 - alpha)
    test = wilcoxon if method == "wilcoxon" else sign
    column = {name: m.values[:, j] for j, name in enumerate(m.models)}
    chosen = list(combinations(m.models, 2)) if control is None else [(control, b) for b in m.models if b != control]
    pairs = [
        replace(test(column[a], column[b], confidence=1 - alpha), name="median difference", first=a, second=b)
        for a, b in chosen
    ]
    return compose_ranking(
        m, friedman=friedman(m), iman_davenport=iman_davenport(m), pairs=pairs,
        p_adjusted=adjusted([p.p_value for p in pairs], adjust).tolist(), method=method, alpha=alpha, control=control,
    )  # fmt: skip


def _within_data_sets(
    sheet: ScoreSheet, base: Ranking, ratio: float | None, adjust: Adjustment, confidence: float
) -> tuple[Contrast, ...]:
    """Pairs on one data set each, over its folds, adjusted over the pairs of that data set."""
    pairs = list(combinations(range(len(sheet.learners)), 2))
    anchor = base.best if base.control is None else base.control
    if base.control is not None or len(pairs) * len(sheet.parts) > MOST_WITHIN:
        best = sheet.learners.index(anchor)
        pairs = [(best, j) for j in range(len(sheet.learners)) if j != best]
    contrasts: list[Contrast] = []
    for i, part in enumerate(sheet.parts):
        share = sheet.split_ratio(i) if ratio is None else float(ratio)
        if len(part) < 2 or math.isnan(share):
            continue
        here: list[Contrast] = []
        for a, b in pairs:
            contrast = corrected_t(part[:, a] - part[:, b], test_train_ratio=share, confidence=confidence)
            first, second = sheet.learners[a], sheet.learners[b]
            here.append(replace(contrast, name=sheet.data_sets[i], first=first, second=second))
        p_values = adjusted(np.array([c.p_value for c in here], dtype=float), adjust)
        here = [replace(c, p_adjusted=float(p)) for c, p in zip(here, p_values, strict=True)]
        contrasts += here if adjust != "holm" else _with_the_best(here, sheet, part, base)
    return tuple(contrasts)


def _with_the_best(contrasts: list[Contrast], sheet: ScoreSheet, part: Floats, base: Ranking) -> list[Contrast]:
    """The pairs of a data set, those with its best learner (or the control) judged together as `compare` does."""
    means = part.mean(axis=0) * (1 if base.higher_is_better else -1)
    anchor = sheet.learners[int(means.argmax())] if base.control is None else base.control
    k = len(sheet.learners)
    if k < 3 or (base.control is None and len(contrasts) < k * (k - 1) / 2):
        return contrasts
    together = {c.first: c.p_adjusted for c in with_anchor(contrasts, anchor, chosen=base.control is None)}
    with_p = []
    for c in contrasts:
        other = c.first if c.second == anchor else c.second if c.first == anchor else None
        with_p.append(c if other is None else replace(c, p_adjusted=together[other]))
    return with_p


def _reading(sheet: ScoreSheet, higher_is_better: bool, ratio_given: bool) -> str:
    n, k = len(sheet.data_sets), len(sheet.learners)
    unnamed = not sheet.has_folds and n > 1 and sheet.data_sets == tuple(str(i + 1) for i in range(n))
    hint = f" (rows without a name count as data sets; of folds say cv={n})" if unnamed else ""
    text = f"Read {n:,} data set{'' if n == 1 else 's'}{hint} × {k:,} learners"
    if sheet.has_folds:
        sizes = [len(folds) for folds in sheet.folds]
        repeats = {len({key.repeat for key in folds}) for folds in sheet.folds}
        count = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        if len(repeats) == 1 and (r := next(iter(repeats))) > 1 and min(sizes) == max(sizes) and sizes[0] % r == 0:
            count = f"{r} repeats of {sizes[0] // r}"
        text += f" × {count} folds; the same folds for all learners"
        if max(sizes) > USUAL_FOLDS and repeats == {1} and not sheet.ratios and not ratio_given:
            text += ", taken for parts of one cross-validation (of random splits give test_train_ratio=)"
    direction = "Higher" if higher_is_better else "Lower"
    better = f"{direction} {sheet.value_name or 'scores'} {'is' if sheet.value_name else 'are'} better."
    return " ".join((f"{text}.", better, *sheet.notes))


def _findings(sheet: ScoreSheet, base: Ranking, higher_is_better: bool) -> Findings:
    evidence = Evidence(
        data_sets=len(sheet.data_sets),
        pairs=len(base.pairs),
        level=base.alpha,
        method=base.method,
        folds=sheet.has_folds,
        dropped=sheet.dropped,
        value_name=sheet.value_name,
        higher_is_better=higher_is_better,
    )
    return find([evidence])
