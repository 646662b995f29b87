"""The decision table: which method is the default in which situation, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module

from trueerror.methods._registry import ORDERED, RUNNABLE, InferenceMethod, always


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One row: in this situation this method is the default; `also` can be asked for.

    `homes` are the modules whose methods answer it; the rest is then read off their declarations, and `also` names what
    is asked for in another way. `before` are methods that come before the default where their condition holds, each
    with its reason.
    """

    situation: str
    title: str
    default: str = ""
    why: str = ""
    also: tuple[str, ...] = ()
    before: tuple[tuple[str, str], ...] = ()
    homes: tuple[str, ...] = ()


_TWO_MODELS = "trueerror.inference._two_models"
_ONE_CLASS = "trueerror.inference.counts._one_class"
_ALL_CLASSES = "trueerror.inference.counts._all_classes"
_AT_PRIOR = "trueerror.inference.counts._at_prior"
_PROPORTION = "trueerror.inference.proportion._interval"
_BOOTSTRAPS = "trueerror.inference._metric_interval"
_ONE_LEARNER = ("trueerror.experiments._estimate",)
_SCORE_BOOTSTRAPS = "trueerror.inference.bootstrap._tables"
_OF_MEANS = (_AT_PRIOR, _ONE_CLASS, _ALL_CLASSES, _BOOTSTRAPS)
_OF_SMOOTH = (_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS)


def _answered_in(situation: str, title: str, *homes: str) -> Decision:
    return Decision(situation=situation, title=title, homes=homes)


# Where several methods of a situation are defaults, the first whose condition holds is taken: homes in this order, and
# within a home the order of the file. The last is the general one.
SITUATIONS: dict[str, Decision] = {
    d.situation: d
    for d in (
        _answered_in(
            "proportion",
            "one proportion (accuracy, recall, precision, …) on a fixed test set",
            _AT_PRIOR,
            _ALL_CLASSES,
            _ONE_CLASS,
            _PROPORTION,
            _BOOTSTRAPS,
        ),
        _answered_in("f1", "F1 of one class", _ONE_CLASS, _BOOTSTRAPS),
        _answered_in("macro-f1", "macro-F1, macro F-beta, macro Fowlkes–Mallows", *_OF_MEANS),
        _answered_in(
            "mean-of-recalls",
            "balanced accuracy, macro recall, informedness, markedness, results at another prior",
            *_OF_MEANS,
        ),
        _answered_in(
            "macro-of-shares", "macro average of another proportion (macro precision, macro specificity, …)", *_OF_MEANS
        ),
        _answered_in("geometric-mean", "geometric mean of the recalls", *_OF_MEANS),
        _answered_in("mcc", "Matthews correlation", *_OF_SMOOTH),
        _answered_in("smooth", "Cohen's kappa, plain and weighted", *_OF_SMOOTH),
        _answered_in(
            "smooth-share",
            "other smooth functions of the counts between 0 and 1 (weighted averages, weighted accuracy)",
            *_OF_SMOOTH,
        ),
        _answered_in(
            "correlation",
            "other smooth functions of the counts between −1 and 1 (averages of informedness, …)",
            *_OF_SMOOTH,
        ),
        _answered_in("ratio", "likelihood ratios and the diagnostic odds ratio", _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        _answered_in("mean-cost", "expected cost and total cost of the calls", _ALL_CLASSES, _BOOTSTRAPS),
        _answered_in("other", "any other metric", _BOOTSTRAPS),
        _answered_in(
            "auc",
            "area under the ROC curve",
            "trueerror.inference.auc._interval",
            "trueerror.inference.auc._clustered",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "average-precision",
            "average precision (area under PR)",
            "trueerror.inference._score_metrics",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "calibration-error",
            "expected and maximum calibration error",
            "trueerror.inference.calibration",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "class-areas",
            "mean of areas over many classes (Hand and Till, one-vs-rest)",
            "trueerror.inference.auc._multiclass",
        ),
        _answered_in("score-metric", "any other metric of scores (Brier skill score)", _SCORE_BOOTSTRAPS),
        _answered_in("clustered", "proportion of dependent rows", _ONE_CLASS, _BOOTSTRAPS),
        _answered_in("sampling-weights", "proportion of rows with sampling weights", _ONE_CLASS, _BOOTSTRAPS),
        _answered_in("mean", "mean of measured values", "trueerror.inference.loss._mean"),
        _answered_in(
            "mean-loss",
            "mean loss over test rows (log loss, Brier score)",
            "trueerror.inference.loss._mean",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in("paired-proportions", "two models on the same rows", _TWO_MODELS),
        Decision(
            situation="paired-difference",
            title="size of the difference of two models on the same rows",
            default="tango",
            why="score interval; the p-value decides where the two disagree",
            also=("bonett-price", "newcombe-paired", "wald-paired"),
        ),
        _answered_in("independent-proportions", "two models on different rows", _TWO_MODELS),
        _answered_in("paired-auc", "two areas under the ROC curve, same rows", _TWO_MODELS),
        _answered_in("paired-class-areas", "two means of areas over many classes, same rows", _TWO_MODELS),
        _answered_in("paired-metric", "any other metric of labels, two models on the same rows", _TWO_MODELS),
        _answered_in("paired-score-metric", "any other metric of scores, two models on the same rows", _TWO_MODELS),
        _answered_in("paired-calibration-error", "two calibration errors, two models on the same rows", _TWO_MODELS),
        _answered_in("paired-loss", "mean losses of two models on the same rows", _TWO_MODELS),
        _answered_in("clustered-difference", "two models on the same rows, rows in clusters", _TWO_MODELS),
        _answered_in("independent-auc", "two areas under the ROC curve, different rows", _TWO_MODELS),
        _answered_in(
            "independent-calibration-error", "two calibration errors, two models on different rows", _TWO_MODELS
        ),
        _answered_in("independent-metric", "any other metric, two models on different rows", _TWO_MODELS),
        Decision(
            situation="many-pairs",
            title="many pairs at once",
            default="holm",
            why="holds for any dependence, and is never worse than Bonferroni's",
            also=("hochberg", "hommel", "bonferroni", "sidak", "bh", "by"),
        ),
        Decision(
            situation="two-learners-many-data-sets",
            title="two learners over many data sets",
            default="wilcoxon",
            why="data sets differ in scale, so ranks of differences are compared, not means",
            also=("bayes-signed-rank", "sign"),
        ),
        Decision(
            situation="many-learners-many-data-sets",
            title="many learners over many data sets",
            default="iman-davenport",
            why="closer to its level than Friedman's χ²; pairs by Wilcoxon with Holm, which do not depend on the pool",
            also=("friedman", "quade", "wilcoxon", "nemenyi", "bonferroni-dunn", "shaffer"),
        ),
        Decision(
            situation="arriving-rows",
            title="looking while rows arrive",
            default="e-value",
            why="valid at every look; mid-p looked at 100 times has type I error .36",
            also=("betting-sequence", "e-value-margin"),
        ),
        Decision(
            situation="learner-holdout",
            title="a learner's error, one holdout",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-folds",
            title="a learner's error, k folds or random subsampling",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-leave-one-out",
            title="a learner's error, leave-one-out",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-bootstrap",
            title="a learner's error, bootstrap samples",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-pairs-of-folds",
            title="a learner's error, folds with all pairs left out (BatesCV)",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-halves",
            title="a learner's error, random test parts with disjoint halves (DisjointHalves)",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-auc",
            title="a learner's AUC over folds",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="chosen-setting",
            title="the best of several settings",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="two-learners",
            title="two learners on the same test parts",
            also=("bayes-correlated-t",),
            homes=("trueerror.experiments._compare",),
        ),
    )
}


def methods_for(situation: str) -> list[InferenceMethod]:
    """The methods that answer a situation, in the order of its homes; those are imported now."""
    if situation not in ORDERED:
        homes = SITUATIONS[situation].homes
        for home in homes:
            import_module(home)
        place = {home: i for i, home in enumerate(homes)}
        answering = (m for m in RUNNABLE if situation in m.answers)
        ORDERED[situation] = sorted(answering, key=lambda m: place.get(m.function.__module__, len(place)))
    return ORDERED[situation]


def decision(situation: str) -> Decision:
    """One row of the table, with what its methods declare.

    >>> decision("proportion").default
    'wilson'
    """
    row = SITUATIONS[situation]
    if not row.homes:
        return row
    known = methods_for(situation)
    # What is chosen without a condition, or else last, is the general one; the others are for cases that need more.
    unasked = [m for m in known if situation in m.defaults]
    unasked.sort(key=lambda m: m.defaults[situation].when is always)
    general = unasked[-1]
    asked = (m.key for m in known if m.word is not None and m.key != general.key)
    also = tuple(dict.fromkeys((*asked, *row.also)))
    before = tuple((m.key, m.defaults[situation].why) for m in unasked[:-1])
    return replace(row, default=general.key, why=general.defaults[situation].why, before=before, also=also)


def decisions() -> dict[str, Decision]:
    """The whole table."""
    return {situation: decision(situation) for situation in SITUATIONS}


def default_for(situation: str) -> str:
    """The default method of a situation.

    >>> default_for("proportion")
    'wilson'
    """
    return decision(situation).default
