"""`te.evaluate`: how good are these models, really?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueerror.findings import find
from trueerror.inference._joined import check_keys
from trueerror.inference._problem import NotOffered
from trueerror.inference._two_models import gaps_from
from trueerror.inference.proportion._interval import interval
from trueerror.inputs._groups import (
    TABLE_OPTIONS,
    ByPlace,
    Costs,
    Evaluated,
    Folding,
    Resampling,
    RowOptions,
    asked_by,
    further,
)
from trueerror.inputs._labels import Label, need_positive
from trueerror.inputs._options import InputError
from trueerror.inputs._words import CallError
from trueerror.metrics._registry import Measure, class_shares, every_measure, find_measure
from trueerror.results import Interval
from trueerror.sources._collect import one_hot, predictions, refuse_columns, takes_table_options
from trueerror.sources._models import FoldTable, is_fold_result, is_scores, refuse_fold_sizes
from trueerror.sources._predictions import Predictions
from trueerror.sources.logs.sklearn_cv import folds_of
from trueerror.tallies import Confusion, ScoreTable
from trueerror.tallies._graded import is_graded
from trueerror.verbs._cheapest_threshold import cheapest_threshold
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation, RecordedSettings
from trueerror.verbs._evidence import allowing_for_choice, model_evidence, row_evidence, with_lowest_slice
from trueerror.verbs._label_metrics import evaluate_labels, is_multilabel
from trueerror.verbs._model_metrics import (
    ModelMetrics,
    Settings,
    against_constant_cost,
    cost_words,
    counts_reading,
    fixed_model,
    is_tables,
    named_costs,
    named_metrics,
    priced,
    reading,
    refuse_classes,
    settled_for,
    unknown,
)

BINARY = ("accuracy", "balanced_accuracy", "recall", "specificity", "precision", "f1", "mcc")
MULTICLASS = ("accuracy", "balanced_accuracy", "macro_f1", "mcc", "kappa")
CASE_CONTROL = ("balanced_accuracy", "recall", "specificity", "informedness")
OWN_ROWS = "Estimates: each model as it stands, on rows like its own."
AVERAGED_IN_ALL = ("macro_precision", "macro_recall", "macro_f1", "weighted_f1")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Evaluating(Resampling, Costs, Evaluated, Folding, RowOptions, ByPlace):
    """What `te.evaluate` is asked."""

    columns: Mapping[str, Any] = further(TABLE_OPTIONS)


@takes_table_options
@asked_by(Evaluating)
def evaluate(asked: Evaluating) -> Evaluation:
    """How good one or several models are on rows like these: every metric with its interval.

    Pass the truth and predictions (`predicted=` for labels, `scores=` for scores, a dictionary for several models), or
    what `te.predictions` or `te.read` gave, or a path or a table of any kind that `te.read` takes (then `clusters=`,
    `by=` and the like name columns, and `columns` are its other options, such as `truth="y"`), or a `te.Confusion`, or
    several by name.

    - `costs[i][j]` is what it costs to call truth i as j (`cost_fp=`, `cost_fn=` for two classes: a false alarm, a
      miss); `prior=` asks for the result at another class distribution. With either, `.cheapest` is the cost-optimal
      threshold of a model that has scores.
    - `folds=` says by which of several models a row was tested: rows are then ranked within folds (AUC, average
      precision), and the answer is about these models; over `repeats=` it is the mean of all with the limits of one.
      `method="corrected-t"` is about the learner behind them. What scikit-learn's cross_validate or a fitted search
      left behind is taken too, and `cv=`, the splitter, says how cross_val_predict made its folds.
    - `method=` asks for another interval than the default: metrics that were asked for by name must offer it, of the
      usual ones those that do take it.
    - The intervals of slices (`by=`) hold together over the slices, since people look for the lowest; those of metrics
      and models hold each by itself. `simultaneous=True`: all hold together. `simultaneous=False`: each by itself.

    >>> ev = evaluate(["cat", "dog", "dog", "cat"] * 10, ["cat", "dog", "cat", "cat"] * 10)
    >>> print(ev["accuracy"])
    accuracy 0.750 [0.598, 0.858], 95 % wilson, n = 40
    >>> print(ev["recall", "dog"])
    recall 0.500 [0.299, 0.701], 95 % wilson, n = 20
    """
    given, predicted = asked.given_rows
    if given is None:
        raise CallError("te.evaluate needs the truth, or predictions that were read: te.evaluate(truth, predicted)")
    cv, folds, metrics = asked.cv, asked.folds, asked.metrics
    of_rows = predicted is not None or asked.scores is not None or asked.fitted is not None
    if of_rows:
        refuse_fold_sizes(cv, folds, asked.test_train_ratio, of_rows=True)
    if cv is not None and of_rows:
        folds, cv = folds_of(cv, given), None
    every = isinstance(metrics, str) and metrics == "all"
    settings = Settings.of(
        asked, None if metrics is None or every or is_fold_result(given) else named_metrics(metrics),
        method=asked.method, costs=named_costs(asked.costs, asked.cost_fp, asked.cost_fn), design=asked.design,
        threshold=asked.threshold, simultaneous=asked.simultaneous, every_metric=every,
    )  # fmt: skip
    from_folds = _of_folds(given, metrics, cv, asked.test_train_ratio, predicted, asked.scores)
    if from_folds is not None:
        from trueerror.verbs._cross_validation import evaluate_folds

        refuse_columns(asked.columns)
        return evaluate_folds(from_folds, settings)
    if not of_rows:
        refuse_fold_sizes(cv, folds, asked.test_train_ratio, of_rows=False)
    if isinstance(given, Confusion) or is_tables(given):
        refuse_columns(asked.columns)
        _refuse_rows(asked, "predicted", "scores", "clusters", "time", "by", "weights")
        tables = {"model": given} if isinstance(given, Confusion) else dict(given)
        if asked.positive is not None:
            tables = {name: t.with_positive(asked.positive) for name, t in tables.items()}
        return _from_tables(tables, settings)
    if isinstance(given, ScoreTable):
        raise InputError(
            "a score table holds no calls, so it cannot be evaluated as a whole: te.roc, te.precision_recall and "
            'te.calibration take it, and te.metric("auc", table)'
        )
    # One label in every row, and scores of the classes: these are classes, written as a column each.
    of_classes = (asked.scores is not None or is_scores(predicted)) and one_hot(given) is not None
    if is_multilabel(given, predicted) and not of_classes:
        refuse_columns(asked.columns)
        _refuse_rows(
            asked, "scores", "clusters", "time", "by", "weights", "prior", "costs", "cost_fp", "cost_fn", "method"
        )
        return evaluate_labels(given, predicted, asked.labels, settings)
    read_already = isinstance(given, Predictions)
    if read_already and of_rows:
        raise InputError("pass either predictions that were read, or arrays; not both")
    rows = asked.given(RowOptions) | {"folds": folds} | ({"threshold": None} if read_already else {})
    return evaluate_predictions(predictions(given, predicted, **rows, **asked.columns), settings)


def _of_folds(
    given: Any, metric: Any, cv: Any, test_train_ratio: float | None, predicted: Any, scores: Any
) -> FoldTable | None:
    """Scores of folds in the place of rows; None where rows were given."""
    if predicted is not None or scores is not None or isinstance(given, Predictions | Confusion | ScoreTable):
        return None
    from trueerror.verbs._cross_validation import taken_as_folds

    return taken_as_folds(given, metric, cv, test_train_ratio)


def evaluate_predictions(p: Predictions, settings: Settings, *, sliced: bool = True) -> Evaluation:
    """Evaluate what was read, with settings that were checked."""
    p = p.items_together()
    check_keys(p)
    settings = _for_rows(p, settings)
    p = priced(p, settings)
    estimand = fixed_model(p, settings)
    if settings.metrics is None and sliced:
        p.source.expect_scores()
    # Labels stay as they are beside scores that are cut.
    as_said = replace(settings, threshold=None)
    benches = [
        ModelMetrics(m, settings if p.has_scores(m) else as_said, predictions=p, estimand=estimand) for m in p.models
    ]
    parts = tuple(_one_model(bench, len(benches)) for bench in benches)
    slices: dict[Label, Evaluation] = {}
    if sliced and p.has_key("slices"):
        inner = replace(settings, over=1 if settings.simultaneous is False else len(p.slices()))
        slices = {value: evaluate_predictions(p.slice(value), inner, sliced=False) for value in p.slices()}
    made = Evaluation(
        n=p.n,
        labels=p.labels,
        parts=parts,
        reading=" ".join(filter(None, (reading(p, settings), cost_words(parts[0].bench)))),
        estimand=estimand,
        findings=find(
            [*(row_evidence(p, settings.threshold) if sliced else ()), *(model_evidence(part, p) for part in parts)]
        ),
        slices=slices,
        settings=_recorded(settings),
        backend=p.backend,
    )
    made = with_lowest_slice(made) if len(slices) > 1 else made
    if len(parts) == 1 or not sliced or settings.simultaneous:
        return made
    asked = {"threshold": settings.threshold, "prior": settings.prior}
    return allowing_for_choice(
        made, lambda best, m: gaps_from(best, p, m, settings.options(m), settings.spec(), **asked)
    )


def _for_rows(p: Predictions, settings: Settings) -> Settings:
    """The settings as these rows take them: what speaks of classes is refused where rows carry grades."""
    if p.scale is not None:
        refuse_classes(costs=settings.costs, prior=settings.prior, threshold=settings.threshold)
    elif settings.threshold is not None and not any(map(p.has_scores, p.models)):
        raise InputError(f"threshold={settings.threshold:g} was given, but no model has scores to cut")
    return replace(settings, metrics=settled_for(p, settings.metrics))


def _from_tables(tables: Mapping[str, Confusion], settings: Settings) -> Evaluation:
    """Confusion matrices by name: models whose rows are not at hand."""
    estimands = [fixed_model(t, settings) for t in tables.values()]
    parts = tuple(
        _one_model(ModelMetrics(m, settings, confusion=t, estimand=said), len(tables))
        for (m, t), said in zip(tables.items(), estimands, strict=True)
    )
    made = Evaluation(
        n=max(t.n for t in tables.values()), labels=parts[0].bench.labels, parts=parts,
        reading=" ".join(filter(None, (counts_reading(tables, settings.prior), cost_words(parts[0].bench)))),
        estimand=estimands[0] if len(set(estimands)) == 1 else OWN_ROWS,
        findings=find([model_evidence(part, None) for part in parts]), settings=_recorded(settings),
    )  # fmt: skip
    return made if len(parts) == 1 or settings.simultaneous else allowing_for_choice(made)


def _refuse_rows(asked: Evaluating, *names: str) -> None:
    for name in names:
        if getattr(asked, name) is not None:
            raise InputError(f"{name}= cannot be used here: it needs rows with one label each")


def _one_model(bench: ModelMetrics, models: int = 1) -> ModelEvaluation:
    names = _chosen_metrics(bench)
    if bench.settings.simultaneous:
        bench = bench.holding_together(len(names) * models * bench.settings.over)
    overall = _overall(bench, names)
    label, known = _commonest(bench)
    return ModelEvaluation(
        name=bench.model, confusion=bench.confusion if bench.calls else None, positive=bench.positive, overall=overall,
        baseline_label=label, loaded_baseline=known, loaded_baseline_p=None if known is None else math.nan,
        cheapest=cheapest_threshold(bench), against_constant=against_constant_cost(bench),
        counts_suffice=bench.clusters is None and not bench.settings.other_mix,
        counted=bench,
    )  # fmt: skip


def _overall(bench: ModelMetrics, names: list[str]) -> dict[str, Interval]:
    """The metrics by the method that was asked for, those that do not offer it by their own; one at least must."""
    measures = [find_measure(name) for name in names]
    if bench.settings.method is None and bench.settings.metrics is not None:
        return {measure.name: bench.interval(measure) for measure in measures}
    if bench.settings.method is None:
        return {measure.name: _usual(bench, measure) for measure in measures}
    by_method = {measure.name: bench.by_method(measure) for measure in measures}
    refusals = [answer for answer in by_method.values() if isinstance(answer, NotOffered)]
    if len(refusals) == len(by_method) and refusals:
        raise refusals[0]
    return {
        name: bench.interval(name) if isinstance(answer, NotOffered) else answer for name, answer in by_method.items()
    }


def _usual(bench: ModelMetrics, measure: Measure) -> Interval:
    """A metric that nobody asked for: where these rows do not offer it, undefined with the reason, never an error."""
    try:
        return bench.interval(measure)
    except InputError as reason:
        if not bench.settings.other_mix:
            raise
        return unknown(measure.name, bench.settings.confidence, str(reason))


def _chosen_metrics(bench: ModelMetrics) -> list[str]:
    settings = bench.settings
    if settings.metrics is not None:
        return list(settings.metrics)
    if bench.calls and is_graded(bench.confusion):
        return ["accuracy", "error_rate"] if settings.every_metric else ["accuracy"]
    if settings.every_metric:
        return _all_metrics(bench)
    if not bench.calls:
        if bench.positive is None:
            raise need_positive(bench.labels, f"judging the scores of {bench.model!r}")
        return ["auc"] if settings.unknown_mix else ["auc", "average_precision"]
    t = bench.confusion
    unknown_mix = settings.unknown_mix
    if unknown_mix:
        names = list(CASE_CONTROL if t.positive is not None else CASE_CONTROL[:1])
    else:
        names = list(BINARY if t.positive is not None else MULTICLASS)
    if settings.costs is not None:
        names = ["expected_cost", "savings", *names]
    if bench.has_scores and t.positive is not None:
        names.append("auc")
        if bench.has_probabilities and not unknown_mix:
            names.append("brier")
    elif bench.has_class_scores:
        if bench.ranks_classes:
            names.append("hand_till_auc")
        if bench.has_probabilities and not unknown_mix and settings.prior is None:
            names.append("log_loss")
    return names


def _all_metrics(bench: ModelMetrics) -> list[str]:
    """Every metric that these rows can have: what they were called or scored as, and how they were drawn, decide."""
    settings = bench.settings
    named = bench.positive is not None
    clustered = bench.predictions is not None and bench.predictions.has_key("clusters")

    def fits(m: Measure) -> bool:
        if m.of_labels:
            return bench.calls and (named or not m.of_one_class)
        if m.of_scores:
            return bench.has_scores and named
        if m.of_losses:
            return not m.of_grades and bench.has_probabilities and not (settings.other_mix and (clustered or not named))
        return bench.ranks_classes

    averaged = [find_measure(name) for name in AVERAGED_IN_ALL]
    return [
        m.name
        for m in (*every_measure().values(), *averaged)
        if fits(m)
        # Calibration errors read scores as probabilities; areas only rank them.
        and (not m.of_scores or m.by_rank or bench.has_probabilities)
        and ("costs" not in m.options or settings.costs is not None)
        and not (settings.unknown_mix and not m.is_prior_free(len(bench.labels)))
    ]


def _commonest(bench: ModelMetrics) -> tuple[Label | None, Interval | None]:
    """The commonest class, and its share of the rows where that need not be estimated: known, or there is none."""
    confidence = bench.settings.confidence
    if bench.predictions is not None and bench.predictions.scale is not None:
        return None, unknown("mean_score", confidence, "rows that carry grades have no commonest class")
    if bench.predictions is not None and not bench.calls:
        totals = bench.predictions.truth_counts()
        label = bench.labels[int(np.argmax(totals))]
        share = interval(int(max(totals)), int(sum(totals)), confidence=confidence)
        return label, replace(share, name=f"accuracy of always {label}")
    t = bench.confusion
    if t.n == 0:
        return None, unknown("accuracy", confidence, "there are no rows", low=0.0, high=1.0, method="wilson", n=0)
    if is_graded(t):
        return None, unknown("accuracy", confidence, "rows that are graded right or wrong have no commonest class")
    if bench.settings.unknown_mix:
        return None, unknown(
            "accuracy", confidence, "a case-control sample does not show how common each class is: pass prior="
        )
    if bench.settings.prior is not None:
        shares = class_shares(bench.settings.prior, t.labels, t.positive)
        index = int(np.argmax(shares))
        known = {"estimate": float(shares[index]), "estimand": bench.estimand}
        return t.labels[index], unknown("accuracy", confidence, "known: it is the prior that was given", **known)
    return t.labels[int(np.argmax(t.classes().truth))], None


def _recorded(settings: Settings) -> RecordedSettings:
    """The settings that a saved evaluation keeps."""
    rng = settings.rng
    return {
        "confidence": settings.confidence,
        "design": settings.design,
        "threshold": settings.threshold,
        "asked": "all" if settings.every_metric else None if settings.metrics is None else tuple(settings.metrics),
        "replicates": settings.replicates,
        "seed": 0 if rng is None else rng if isinstance(rng, int) else str(rng),
        "together": settings.simultaneous is not False,
    }
