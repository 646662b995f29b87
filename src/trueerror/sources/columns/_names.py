"""What the names of columns say: roles, model names, and columns that look like answers but are spoilt.

`item_column` finds the column of a long table that says which item a row is about, when none is called an id.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from trueerror.inputs._arrays import missing_rows
from trueerror.inputs._labels import Label
from trueerror.inputs._options import ColumnError, InputError
from trueerror.sources._keys import key_column
from trueerror.sources._tables import ColumnsTable, InputTable

Part = Literal["label", "score"]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


TRUTH = word_set(
    "ytrue truth label labels target y actual actuals class gold goldlabel groundtruth gt truelabel trueclass trueval "
    "truevalue reference observed outcome ytest actuallabel actualclass targetlabel correctlabel goldstandard"
)
# A column that begins like this is another copy of the truth, never a competitor.
TRUTH_BEGINS = ("ytrue", "truth", "groundtruth", "gold", "truelabel", "trueclass", "actual", "target")
ID = word_set(
    "id ids rowid sampleid exampleid itemid uid uuid guid caseid instanceid questionid imageid docid documentid "
    "recordid observationid testid qid taskid promptid problemid passengerid"
)
GRADE = word_set(
    "grade grades graded score scores rating ratings reward rewards points mark marks correct iscorrect right isright "
    "correctness passed pass judgescore humanscore partialcredit credit value"
)
ROW_NUMBER = word_set("index idx unnamed0 row rownumber rowname rownames rownum column1")
FOLD = word_set("fold folds cvfold foldid foldno foldindex foldnumber")
REPEAT = word_set("repeat repeats repetition rep repeatid repeatno")
CLUSTER = word_set("cluster clusters clusterid group groups groupid patient patientid user userid subject subjectid")
WEIGHT = word_set("weight weights sampleweight sampleweights rowweight caseweight")
MODEL = word_set("model models modelname modelid classifier learner algorithm system method clf llm provider agent")
PREDICTED = word_set(
    "prediction predictions predicted ypred pred preds predictedlabel predictedclass predlabel predclass yhat predict "
    "scoredlabels scoredlabel"
)
SCORE = word_set(
    "score scores prob probs proba probas probability probabilities yscore yscores yprob yproba predproba predscore "
    "predprob predictproba predictedprobability predictedprob decisionfunction scoredprobabilities scoredprobability "
    "scoredprobabilitiesforclass"
)
# Beside a truth this grades another column.
CORRECT = word_set("correct iscorrect wascorrect correctness isright wasright")
CONFIDENCE = word_set("confidence confidences certainty")

LABEL_WORDS = ("predicted_label", "pred_label", "y_pred", "yhat", "prediction", "predicted", "label", "pred", "class")
SCORE_WORDS = ("pred_proba", "y_score", "y_prob", "probability", "proba", "prob", "score")


class Marked(NamedTuple):
    """A column whose name says whose labels or scores it holds."""

    model: str
    part: Part


def bare(name: str) -> str:
    """A name without case, spaces and signs.

    >>> bare("Y_True"), bare("Unnamed: 0")
    ('ytrue', 'unnamed0')
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())


def marked(name: str) -> Marked | None:
    """The model and the part that a name like svm_score or pred_svm speaks of; "" for a bare prediction or score.

    >>> marked("svm_score"), marked("y_pred_svm"), marked("prediction"), marked("svm")
    (Marked(model='svm', part='score'), Marked(model='svm', part='label'), Marked(model='', part='label'), None)
    """
    if bare(name) in PREDICTED:
        return Marked("", "label")
    if bare(name) in SCORE:
        return Marked("", "score")
    # The longest words first, so that svm_pred_proba is a score of svm and not a "svm_pred".
    words: list[tuple[str, Part]] = [(w, "label") for w in LABEL_WORDS]
    words += [(w, "score") for w in SCORE_WORDS]
    for word, part in sorted(words, key=lambda pair: -len(pair[0])):
        spelt = word.replace("_", r"[ _.\-]?")
        after = re.fullmatch(rf"(.+)[ _.:\-]{spelt}s?", name, re.IGNORECASE)
        before = re.fullmatch(rf"{spelt}s?[ _.:\-](.+)", name, re.IGNORECASE)
        # A name that begins with "label" or "class" may speak of anything.
        found = after or (None if word in ("label", "class") else before)
        if found:
            return Marked(found[1], part)
    return None


class ClassColumn(NamedTuple):
    """A column whose name ends in a class: what stands before it, whose score it is, and whether it says so."""

    stem: str
    model: str
    says_score: bool


def ends_in_class(name: str, label: str) -> ClassColumn | None:
    """What a name like svm_prob_cat says when "cat" is a class.

    >>> ends_in_class("svm_prob_cat", "cat"), ends_in_class("svm_cat", "cat").says_score, ends_in_class("svm", "cat")
    (ClassColumn(stem='svm_prob', model='svm', says_score=True), False, None)
    """
    # The plain look comes first: there may be fifty thousand classes.
    if not name.endswith((label, f"{label}]", f"{label})", f'{label}"')):
        return None
    found = re.fullmatch(rf"(.+?)[ _.:\-\[(\"]+{re.escape(label)}[\])\"]?", name)
    if found is None:
        return None
    stem = found[1]
    inner = marked(stem)
    if inner is not None and inner.part == "score":
        return ClassColumn(stem, inner.model, True)
    return ClassColumn(stem, "" if stem.lower() == "p" else stem, stem.lower() == "p")


def has_other_ending(stem: str, names: tuple[str, ...], endings: frozenset[str]) -> bool:
    """Whether a name has the stem and an ending that is no class: then endings number models, not classes."""
    for name in names:
        found = re.fullmatch(rf"{re.escape(stem)}[ _.:\-\[(]+(.+?)[\])]?", name)
        if found and found[1] not in endings and marked(f"x_{found[1]}") is None:
            return True
    return False


def nested_chances(value: object) -> dict[str, float] | None:
    """The probability of each class in one cell: a list (classes 0, 1, …), BigQuery's label and prob, Spark's vector.

    >>> nested_chances("[0.25, 0.75]"), nested_chances([{"label": "no", "prob": 1.0}])
    ({'0': 0.25, '1': 0.75}, {'no': 1.0})
    """
    if isinstance(value, str):
        try:
            value = json.loads(value.replace("'", '"'))
        except (json.JSONDecodeError, RecursionError):
            return None
    if isinstance(value, Mapping) and "values" in value:
        value = value["values"]
    for way in ("toArray", "tolist"):
        value = getattr(value, way)() if callable(getattr(value, way, None)) else value
    if not isinstance(value, list | tuple) or not value:
        return None
    if all(isinstance(one, Mapping) and {"label", "prob"} <= set(one) for one in value):
        return {str(one["label"]): float(one["prob"]) for one in value}
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in value):
        return {str(i): float(one) for i, one in enumerate(value)}
    return None


def spread_probabilities(table: InputTable) -> InputTable:
    """The table with a column for each class in the place of a column that holds all probabilities of a row."""
    found: dict[str, dict[str, list[float]]] = {}
    for column in table.columns:
        nested = bare(column) in SCORE or bare(column).endswith("probs")
        if not nested or table.kind(column) not in ("other", "text") or not table.filled(column):
            continue
        first = table.first(column, 1)
        if nested_chances(first[0]) is None:
            continue
        rows = [nested_chances(value) for value in table.values(column)]
        names = _class_names(table, column, rows)
        base = re.sub(r"[ _]probs$", "", column)
        mine = marked(base) if base in table.columns else None
        stem = f"{mine.model}_prob" if mine is not None and mine.model else "prob"
        if names is not None:
            found[column] = {
                f"{stem}_{name}": [math.nan if row is None else row.get(key, math.nan) for row in rows]
                for key, name in names.items()
            }
    if not found:
        return table
    alone = {c for c in table.columns if bare(c) in SCORE and c not in found and "probability" in bare(c)}
    kept = [c for c in table.columns if c not in found and c not in alone and not _lists_classes(table, c)]
    columns: dict[str, object] = {c: table.values(c) for c in kept}
    for spread in found.values():
        columns |= spread
    made = ColumnsTable(columns, name=table.name, backend=table.backend, provenance=table.provenance)
    made.notes = table.notes
    return made


def _lists_classes(table: InputTable, column: str) -> bool:
    """Whether a column holds the same list of classes in every row, as SageMaker writes it beside probabilities."""
    values = table.few(column, 1) if bare(column) == "labels" and table.kind(column) in ("text", "other") else None
    return bool(values) and str((values or ("",))[0]).startswith("[")


def _class_names(table: InputTable, column: str, rows: list[dict[str, float] | None]) -> dict[str, str] | None:
    """Key in a cell → class: as it says itself, as a column of classes beside it says, or by number."""
    keys = list(dict.fromkeys(key for row in rows if row is not None for key in row))
    if not all(key.isdigit() for key in keys):
        return {key: key for key in keys}
    listed = next((c for c in table.columns if _lists_classes(table, c)), None)
    if listed is not None:
        names = re.findall(r"[^\[\],'\"\s][^\[\],'\"]*", str(table.first(listed, 1)[0]))
        return dict(zip(keys, names, strict=True)) if len(names) == len(keys) else None
    return {key: key for key in keys}


LOOKED_AT = 1000
MOSTLY = 0.8


def spoilt_scores(table: InputTable, column: str) -> str:
    """What is wrong with a column of text that is mostly fractions; "" where it is not.

    House numbers and codes are whole, so they are left in peace.
    """
    seen = table.first(column, LOOKED_AT)
    numbers = [x for x in map(_number, seen[~missing_rows(seen)]) if x is not None]
    # One cell among a handful is one cell still.
    if len(numbers) < max(2, min(MOSTLY * len(seen), len(seen) - 1)) or all(
        x == int(x) for x in numbers if math.isfinite(x)
    ):
        return ""
    values = table.values(column)
    odd = [i for i, gone in enumerate(missing_rows(values)) if not gone and _number(values[i]) is None]
    if not odd:
        return ""
    more = f", and {len(odd) - 1:,} more such" if len(odd) > 1 else ""
    return (
        f"column {column!r} of {table.name} holds numbers, but {values[odd[0]]!r:.40} in row {odd[0] + 1:,}{more}; "
        "mend it, or leave the cell empty"
    )


def respelt_labels(table: InputTable, column: str, labels: Iterable[Label]) -> str:
    """What is wrong with labels that are the truth's but for case and spaces; "" where they are not."""
    known = {_letters(label): label for label in labels if isinstance(label, str)}
    values = [v for v in table.few(column, 2 * len(known)) or () if isinstance(v, str)]
    odd = next((v for v in values if v not in known.values()), None)
    if odd is None or not all(_letters(v) in known for v in values):
        return ""
    return (
        f"column {column!r} of {table.name} says {odd!r:.40} where the truth says {known[_letters(odd)]!r:.40}; "
        "spell labels alike"
    )


def odd_labels(table: InputTable, column: str, labels: Iterable[Label]) -> str:
    """What is wrong with a column of text that mostly holds the truth's labels; "" where it does not.

    A cell such as "-" or "null" turns numbers into text; a class that no row shows is no label until it is declared.
    """
    known = {str(label) for label in labels}
    seen = table.first(column, LOOKED_AT)
    filled = [str(value) for value in seen[~missing_rows(seen)]]
    if sum(value in known for value in filled) < max(1, len(filled) / 2):
        return ""
    values = table.values(column)
    odd = [i for i, gone in enumerate(missing_rows(values)) if not gone and str(values[i]) not in known]
    if not odd:
        return ""
    more = f", and {len(odd) - 1:,} more such" if len(odd) > 1 else ""
    return (
        f"column {column!r} of {table.name} holds labels, but {str(values[odd[0]])!r:.40} in row {odd[0] + 1:,}{more}, "
        "which the truth never is; leave the cell empty if it is missing, or list all classes with labels="
    )


# How other programs write that there is nothing.
NOTHING = frozenset(("-", "--", ".", "?", "null", "NULL", "None", "N/A", "n/a", "#N/A", "<NA>", "n.a.", "NaT"))


def refuse_nothing(table: InputTable, truth: str, labels: Sequence[Label]) -> None:
    """A truth such as "N/A" beside two classes is no third one, unless a column of answers holds it too."""
    mark = next((label for label in labels if label in NOTHING), None)
    if mark is None or len(labels) < 3:
        return
    if any(mark in (table.few(c, 4 * len(labels)) or ()) for c in table.columns if c != truth):
        return
    row = next(i for i, value in enumerate(table.values(truth)) if str(value) == mark)
    raise InputError(
        f"column {truth!r} of {table.name} has {mark!r} at row {row + 1:,}, which no model answers: leave rows without "
        "a truth out, or list all classes with labels= if it is one"
    )


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _letters(label: str) -> str:
    return " ".join(label.casefold().split())


def item_column(table: InputTable, model: str, spare: list[str]) -> str | None:
    """The one column among `spare` that is different in every row of a model and the same set for all models.

    Such a column can only number the items. Row numbers are passed over where another column does it too: they follow
    the order of the rows, which is what an id must not depend on.
    """
    whose, names = key_column(table.values(model), f"column {model!r} of {table.name}")
    sizes = np.bincount(whose, minlength=len(names))
    if len(names) < 2 or len(set(sizes.tolist())) != 1:
        return None
    size = int(sizes[0])
    found = [c for c in spare if table.filled(c) == table.n and table.distinct(c) == size and _pairs(table, whose, c)]
    named = [c for c in found if bare(c) not in ROW_NUMBER] or found
    if len(named) > 1:
        shown = ", ".join(map(repr, named))
        raise ColumnError(f"several columns of {table.name} could be the id: {shown}; say which with id=")
    return named[0] if named else None


def _pairs(table: InputTable, whose: np.ndarray[tuple[int, ...], np.dtype[np.int64]], column: str) -> bool:
    """Whether no model has a value twice."""
    codes, values = key_column(table.values(column), f"column {column!r} of {table.name}")
    return len(np.unique(whose.astype(np.int64) * len(values) + codes)) == len(codes)
