"""What the names of columns say: roles, model names, and columns that look like answers but are spoilt.

`item_column` finds the column of a long table that says which item a row is about, when none is called an id.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from trueerror.inputs._labels import Label
from trueerror.inputs._options import ColumnError, InputError
from trueerror.sources._keys import key_column
from trueerror.sources._tables import InputTable

Part = Literal["label", "score"]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


TRUTH = word_set(
    "ytrue truth label labels target y actual actuals class gold goldlabel groundtruth gt truelabel trueclass trueval "
    "truevalue reference observed outcome ytest actuallabel actualclass targetlabel correctlabel goldstandard obs "
    "annotation humanlabel expectedlabel expectedclass true"
)
# Where no column has such a name alone, the first or last word of one may say so: actual_churn, "churn (true)".
TRUTH_WORD = frozenset({"actual", "true", "truth", "gold", "expected", "observed"})
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
CLUSTER = word_set("cluster clusters clusterid group groupid patient patientid user userid subject subjectid passage")
KEYS = ID | FOLD | REPEAT | CLUSTER
WEIGHT = word_set("weight weights sampleweight sampleweights rowweight caseweight")
MODEL = word_set(
    "model models modelname modelid classifier learner learnerid algorithm system method clf llm provider agent wflowid"
)
# Beside grades, or right and wrong, these say too whose answer a row is, where they are few.
WEAK_MODEL = word_set("prompt variant version arm condition configuration config setting promptversion promptname")
PREDICTED = word_set(
    "prediction predictions predicted ypred pred preds predictedlabel predictedclass predlabel predclass yhat predict "
    "scoredlabels scoredlabel"
)
SCORE = word_set(
    "score scores prob probs proba probas probability probabilities yscore yscores yprob yproba predproba predscore "
    "predprob predictproba predictedprobability predictedprob decisionfunction scoredprobabilities scoredprobability "
    "scoredprobabilitiesforclass phat"
)
# Beside a truth this grades another column.
CORRECT = word_set("correct iscorrect wascorrect correctness isright wasright")
CONFIDENCE = word_set("confidence confidences certainty")

# Answers that many a feature has, and parts of names that learners and their versions have.
EVERYDAY = word_set("yes no y n true false t f 0 1 -1 2 high low positive negative pos neg")
LEARNER = re.compile(
    r"(?<![a-z])(sv[mc]|[lq]da|rf|random|extra|cart|log|logit|logistic|lr|glm|ridge|lasso|k?nn|nb|"
    r"xgb|lgbm|lightgbm|h?gbm?|gbdt|ada|ensemble|stack|margin|mlp|[cr]nn|lstm|vit|"
    r"deep|model|clf|classifier|baseline|candidate|champion|challenger|old|new|ours|judge|llm|gpt|claude|llama|gemini|"
    r"gemma|mi[sx]tral|qwen|deepseek|grok|opus|sonnet|haiku|m|v)(?![a-z])|(forest|tree|reg|net|boost|bert|bayes|gpt)",
    re.IGNORECASE,
)

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


@lru_cache(maxsize=1 << 12)
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
        match = after or (None if word in ("label", "class") else before)
        if match:
            return Marked(match[1], part)
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
    match = re.fullmatch(rf"(.+?)[ _.:\-\[(\"]+{re.escape(label)}[\])\"]?", name)
    if match is None:
        return None
    stem = match[1]
    inner = marked(stem)
    if inner is not None and inner.part == "score":
        return ClassColumn(stem, inner.model, True)
    return ClassColumn(stem, "" if stem.lower() == "p" else stem, stem.lower() == "p")


def has_other_ending(stem: str, names: tuple[str, ...], endings: frozenset[str]) -> bool:
    """Whether a name has the stem and an ending that is no class: then endings number models, not classes."""
    for name in names:
        match = re.fullmatch(rf"{re.escape(stem)}[ _.:\-\[(]+(.+?)[\])]?", name)
        if match and match[1] not in endings and marked(f"x_{match[1]}") is None:
            return True
    return False


# How other programs write that there is nothing.
NOTHING = frozenset(("-", "--", ".", "?", "None", "none", "na", "n.a."))
NO_NUMBER = frozenset((-1, -9, 99, -99, 999, -999, 9999, -9999, math.inf, -math.inf))


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
    candidates = [
        c for c in spare if table.filled(c) == table.n and table.distinct(c) == size and _pairs(table, whose, c)
    ]
    named = [c for c in candidates if bare(c) not in ROW_NUMBER] or candidates
    if len(named) > 1:
        listed = ", ".join(map(repr, named))
        raise ColumnError(f"several columns of {table.name} could be the id: {listed}; say which with id=")
    return named[0] if named else None


def _pairs(table: InputTable, whose: np.ndarray[tuple[int, ...], np.dtype[np.int64]], column: str) -> bool:
    """Whether no model has a value twice."""
    codes, values = key_column(table.values(column), f"column {column!r} of {table.name}")
    return len(np.unique(whose.astype(np.int64) * len(values) + codes)) == len(codes)
