"""What people call their columns: the names that say a role by themselves."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Part = Literal["label", "score"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRUTH = _words(
    "ytrue truth label labels target y actual actuals class gold goldlabel groundtruth gt truelabel trueclass trueval "
    "truevalue reference observed outcome ytest actuallabel actualclass targetlabel correctlabel goldstandard"
)
# A column that begins like this is another copy of the truth, never a competitor.
TRUTH_BEGINS = ("ytrue", "truth", "groundtruth", "gold", "truelabel", "trueclass", "actual", "target")
ID = _words(
    "id ids rowid sampleid exampleid itemid uid uuid guid caseid instanceid questionid imageid docid documentid "
    "recordid observationid testid"
)
ROW_NUMBER = _words("index idx unnamed0 row rownumber rowname rownames rownum column1")
FOLD = _words("fold folds cvfold foldid foldno foldindex foldnumber")
REPEAT = _words("repeat repeats repetition rep repeatid repeatno")
CLUSTER = _words("cluster clusters clusterid group groups groupid patient patientid user userid subject subjectid")
WEIGHT = _words("weight weights sampleweight sampleweights rowweight caseweight")
MODEL = _words("model models modelname modelid classifier learner algorithm system method clf")
PREDICTED = _words(
    "prediction predictions predicted ypred pred preds predictedlabel predictedclass predlabel predclass yhat"
)
SCORE = _words(
    "score scores prob probs proba probas probability probabilities yscore yscores yprob yproba predproba predscore "
    "predprob predictproba predictedprobability predictedprob decisionfunction"
)
CONFIDENCE = _words("confidence confidences certainty")

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
    if not name.endswith((label, f"{label}]", f"{label})")):
        return None
    found = re.fullmatch(rf"(.+?)[ _.:\-\[(]+{re.escape(label)}[\])]?", name)
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
