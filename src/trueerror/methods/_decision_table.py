"""The decision table: which method is the default in which situation, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module

from trueerror.methods._registry import ORDERED, InferenceMethod, runnable


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One row: in this situation this method is the default; `also` can be asked for.

    `homes` are the modules whose methods answer it; default, why and also are then read off their declarations.
    """

    situation: str
    title: str
    default: str = ""
    why: str = ""
    also: tuple[str, ...] = ()
    homes: tuple[str, ...] = ()


_ONE_CLASS = "trueerror.inference.counts._one_class"
_ALL_CLASSES = "trueerror.inference.counts._all_classes"
_AT_PRIOR = "trueerror.inference.counts._at_prior"
_PROPORTION = "trueerror.inference.proportion._interval"
_BOOTSTRAPS = "trueerror.inference._metric_interval"

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
            default="delong-logit",
            why="at AUC .95 with 20/20 plain DeLong covers .84–.86, the logit scale .946; "
            "with few errors Newcombe's method 5 joins in",
            also=("delong", "hanley-mcneil", "newcombe", "bootstrap"),
        ),
        Decision(
            situation="average-precision",
            title="average precision (area under PR)",
            default="boyd-logit",
            why="covers .949–.993; the percentile bootstrap .87–.92",
            also=("bootstrap",),
        ),
        Decision(
            situation="calibration-error",
            title="expected and maximum calibration error",
            default="calibration-gaps",
            why="covers .97–1.00; chance pushes these errors up, and resampling pushes twice: BCa covers .00 where "
            "forecasts are calibrated, .24–.96 where they are not (simulated)",
            also=("bootstrap",),
        ),
        Decision(
            situation="class-areas",
            title="mean of areas over many classes (Hand and Till, one-vs-rest)",
            default="delong-classes",
            why="carries the dependence of areas that share rows; with a rare class, where that alone covers .28–.90, "
            "joined by limits from Hanley and McNeil's variance (.92–1.00, simulated)",
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
            default="t-mean",
            why="exact for normal values",
        ),
        Decision(
            situation="mean-loss",
            title="mean loss over test rows (log loss, Brier score)",
            default="t-log-mean",
            why="a few rows hold most of a loss; the plain t-interval covers .89–.94 below 300 rows and misses nearly "
            "always on one side, on the log scale .94–.96 (simulated)",
            also=("t-mean", "bootstrap"),
        ),
        Decision(
            situation="paired-proportions",
            title="two models on the same rows",
            default="mcnemar-mid-p",
            why="coverage at least .933 by enumeration; Tango's interval for the size",
            also=("mcnemar-exact", "mcnemar-chi2", "mcnemar-chi2-cc"),
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
            default="miettinen-nurminen",
            why="minimum coverage .935; Newcombe's .902 at 30/30",
            also=("newcombe-difference", "newcombe-difference-cc", "agresti-caffo", "wald-difference", "fisher"),
        ),
        Decision(
            situation="paired-auc",
            title="two areas under the ROC curve, same rows",
            default="delong-paired-t",
            why="with few positives the normal reference has type I error .072–.088; Satterthwaite's t holds the level",
            also=("delong-paired-z", "paired-bootstrap-percentile"),
        ),
        Decision(
            situation="paired-class-areas",
            title="two means of areas over many classes, same rows",
            default="delong-classes-paired",
            why="carries the dependence of areas that share rows, and of the two models",
        ),
        Decision(
            situation="paired-metric",
            title="any other metric of labels, two models on the same rows",
            default="mover-paired",
            why="type I error .00–.07 with 60 to 200 rows, where the BCa bootstrap has .04–.19 (simulated)",
            also=("paired-bootstrap-bca",),
        ),
        Decision(
            situation="paired-score-metric",
            title="any other metric of scores, two models on the same rows",
            default="paired-bootstrap-expanded",
            why="rows (or whole clusters) are drawn again for both models together; average precision with 20 "
            "positives: type I error .037, of plain percentiles .061 (simulated)",
            also=("paired-bootstrap-percentile",),
        ),
        Decision(
            situation="paired-calibration-error",
            title="two calibration errors, two models on the same rows",
            default="calibration-gaps-difference",
            why="holds the truth in .99 or more of the samples; the bootstrap of rows does in .77, .47, .13 and .00 "
            "with 100, 300, 1,000 and 4,000 rows of a calibrated and an overconfident model (simulated)",
            also=("paired-bootstrap-expanded",),
        ),
        Decision(
            situation="paired-loss",
            title="mean losses of two models on the same rows",
            default="paired-t-losses",
            why="central limit theorem for a mean of independent differences",
        ),
        Decision(
            situation="clustered-difference",
            title="two models on the same rows, rows in clusters",
            default="cluster-t-difference",
            why="type I error .02–.06 with 8 to 40 clusters (simulated)",
        ),
        Decision(
            situation="independent-auc",
            title="two areas under the ROC curve, different rows",
            default="delong-unpaired-t",
            why="type I error .054 with 10 positives and 100 negatives each, by Satterthwaite over the four classes",
        ),
        Decision(
            situation="independent-metric",
            title="any other metric, two models on different rows",
            default="newcombe-hybrid",
            why="keeps the skew of both intervals; F1 of 30 to 300 rows: type I error .046–.064 (simulated)",
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
            default="wilson",
            why="one model on rows that it has not seen: it speaks of this model, not of the learner",
        ),
        Decision(
            situation="learner-folds",
            title="a learner's error, k folds or random subsampling",
            default="corrected-t",
            why="covers .93–.96 over 5 × 10 folds if a few rows hardly change the learner, .89–.93 if they do; on a "
            "single round of folds .95 or more",
            also=("fold-t", "bayle", "bbc-cv"),
        ),
        Decision(
            situation="learner-leave-one-out",
            title="a learner's error, leave-one-out",
            default="bayle",
            why="test parts of one row have no spread of their own; it speaks of these n models",
        ),
        Decision(
            situation="learner-bootstrap",
            title="a learner's error, bootstrap samples",
            default="bootstrap-632+",
            why=".632 believes a learner that knows its rows by heart; out of bag is too high",
            also=("bootstrap-632", "bootstrap-out-of-bag"),
        ),
        Decision(
            situation="learner-pairs-of-folds",
            title="a learner's error, folds with all pairs left out (BatesCV)",
            default="bates",
            why="it measures the variance that overlapping training sets add instead of assuming it",
            also=("corrected-t",),
        ),
        Decision(
            situation="learner-halves",
            title="a learner's error, random test parts with disjoint halves (DisjointHalves)",
            default="conservative-z",
            why="the two halves of a pair are independent, so nothing need be assumed of overlapping training sets",
            also=("corrected-t",),
        ),
        Decision(
            situation="learner-auc",
            title="a learner's AUC over folds",
            default="corrected-t",
            why="LeDell's interval is for these K models and covers .84–.91 for the learner",
            also=("ledell",),
        ),
        Decision(
            situation="chosen-setting",
            title="the best of several settings",
            default="corrected-t",
            why="over the outer folds of NestedCV the test rows take no part in the choice",
            also=("bbc-cv",),
        ),
        Decision(
            situation="two-learners",
            title="two learners on the same test parts",
            default="corrected-t-test",
            why="type I error .03–.05; the plain t-test of 10 × 10 folds has .53–.57",
            also=(
                "paired-t",
                "conservative-t",
                "five-by-two-t",
                "five-by-two-f",
                "bates-difference",
                "bayes-correlated-t",
            ),
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
        ordered = sorted(runnable(situation), key=lambda m: place.get(m.function.__module__, len(place)))
        ORDERED[situation] = ordered
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
    # The last that is chosen unasked is the general one; those before it are for cases that need more.
    unasked = [m for m in known if situation in m.defaults]
    default = unasked[-1]
    whys = [m.defaults[situation].why for m in reversed(unasked)]
    why = ". ".join(word[0].upper() + word[1:] if i else word for i, word in enumerate(filter(None, whys)))
    also = dict.fromkeys(m.word for m in known if m.word is not None and m.key != default.key)
    return replace(row, default=default.key, why=why, also=tuple(also))


def decisions() -> dict[str, Decision]:
    """The whole table."""
    return {situation: decision(situation) for situation in SITUATIONS}


def default_for(situation: str) -> str:
    """The default method of a situation.

    >>> default_for("proportion")
    'wilson'
    """
    return decision(situation).default
