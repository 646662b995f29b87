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


TWO_MODELS = ("trueerror.inference._two_models",)
_ONE_CLASS = "trueerror.inference.counts._one_class"
_ALL_CLASSES = "trueerror.inference.counts._all_classes"
_AT_PRIOR = "trueerror.inference.counts._at_prior"
_PROPORTION = "trueerror.inference.proportion._interval"
_BOOTSTRAPS = "trueerror.inference._metric_interval"
_ONE_LEARNER = ("trueerror.experiments._estimate",)

# Where several methods of a situation are defaults, the first whose condition holds is taken: homes in this order, and
# within a home the order of the file. The last is the general one.
SITUATIONS: dict[str, Decision] = {
    d.situation: d
    for d in (
        Decision(
            situation="proportion",
            title="one proportion (accuracy, recall, precision, …) on a fixed test set",
            homes=(_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _PROPORTION, _BOOTSTRAPS),
        ),
        Decision(
            situation="f1",
            title="F1 of one class",
            homes=(_ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="macro-f1",
            title="macro-F1, macro F-beta, macro Fowlkes–Mallows",
            homes=(_AT_PRIOR, _ONE_CLASS, _ALL_CLASSES, _BOOTSTRAPS),
        ),
        Decision(
            situation="mean-of-recalls",
            title="balanced accuracy, macro recall, informedness, markedness, results at another prior",
            homes=(_AT_PRIOR, _ONE_CLASS, _ALL_CLASSES, _BOOTSTRAPS),
        ),
        Decision(
            situation="macro-of-shares",
            title="macro average of another proportion (macro precision, macro specificity, …)",
            homes=(_AT_PRIOR, _ONE_CLASS, _ALL_CLASSES, _BOOTSTRAPS),
        ),
        Decision(
            situation="geometric-mean",
            title="geometric mean of the recalls",
            homes=(_AT_PRIOR, _ONE_CLASS, _ALL_CLASSES, _BOOTSTRAPS),
        ),
        Decision(
            situation="mcc",
            title="Matthews correlation",
            homes=(_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="smooth",
            title="Cohen's kappa, plain and weighted",
            homes=(_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="smooth-share",
            title="other smooth functions of the counts between 0 and 1 (weighted averages, weighted accuracy)",
            homes=(_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="correlation",
            title="other smooth functions of the counts between −1 and 1 (averages of informedness, …)",
            homes=(_AT_PRIOR, _ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="ratio",
            title="likelihood ratios and the diagnostic odds ratio",
            homes=(_ALL_CLASSES, _ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="mean-cost",
            title="expected cost and total cost of the calls",
            homes=(_ALL_CLASSES, _BOOTSTRAPS),
        ),
        Decision(
            situation="other",
            title="any other metric",
            homes=(_BOOTSTRAPS,),
        ),
        Decision(
            situation="auc",
            title="area under the ROC curve",
            homes=(
                "trueerror.inference.auc._interval",
                "trueerror.inference.auc._clustered",
                "trueerror.inference.bootstrap._tables",
            ),
        ),
        Decision(
            situation="average-precision",
            title="average precision (area under PR)",
            homes=(
                "trueerror.inference._score_metrics",
                "trueerror.inference.bootstrap._tables",
            ),
        ),
        Decision(
            situation="calibration-error",
            title="expected and maximum calibration error",
            homes=(
                "trueerror.inference.calibration",
                "trueerror.inference.bootstrap._tables",
            ),
        ),
        Decision(
            situation="class-areas",
            title="mean of areas over many classes (Hand and Till, one-vs-rest)",
            homes=("trueerror.inference.auc._multiclass",),
        ),
        Decision(
            situation="score-metric",
            title="any other metric of scores (Brier skill score)",
            homes=("trueerror.inference.bootstrap._tables",),
        ),
        Decision(
            situation="clustered",
            title="proportion of dependent rows",
            homes=(_ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="sampling-weights",
            title="proportion of rows with sampling weights",
            homes=(_ONE_CLASS, _BOOTSTRAPS),
        ),
        Decision(
            situation="mean",
            title="mean of measured values",
            homes=("trueerror.inference.loss._mean",),
        ),
        Decision(
            situation="mean-loss",
            title="mean loss over test rows (log loss, Brier score)",
            homes=(
                "trueerror.inference.loss._mean",
                "trueerror.inference.bootstrap._tables",
            ),
        ),
        Decision(
            situation="paired-proportions",
            title="two models on the same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-difference",
            title="size of the difference of two models on the same rows",
            default="tango",
            why="score interval; the p-value decides where the two disagree",
            also=("bonett-price", "newcombe-paired", "wald-paired"),
        ),
        Decision(
            situation="independent-proportions",
            title="two models on different rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-auc",
            title="two areas under the ROC curve, same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-class-areas",
            title="two means of areas over many classes, same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-metric",
            title="any other metric of labels, two models on the same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-score-metric",
            title="any other metric of scores, two models on the same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-calibration-error",
            title="two calibration errors, two models on the same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="paired-loss",
            title="mean losses of two models on the same rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="clustered-difference",
            title="two models on the same rows, rows in clusters",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="independent-auc",
            title="two areas under the ROC curve, different rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="independent-calibration-error",
            title="two calibration errors, two models on different rows",
            homes=TWO_MODELS,
        ),
        Decision(
            situation="independent-metric",
            title="any other metric, two models on different rows",
            homes=TWO_MODELS,
        ),
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
