"""Scores of folds from elsewhere: what cross_validate, cross_val_score and searches of scikit-learn leave behind.

They speak of learners: the corrected t over the folds, and of a search the winner without the luck of having won.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.learner._fold_scores import PartScores, chosen_out_of_fold, taken_together
from trueerror.inputs._groups import Pairwise
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import UNNAMED, Measure, find_measure
from trueerror.results import Interval, Result
from trueerror.results._format import number, one_line, whole
from trueerror.sources._models import FoldTable
from trueerror.sources.logs.sklearn_cv import ASK_SIZES, fold_table, looks_like_fold_scores
from trueerror.verbs._compare import assemble_comparison
from trueerror.verbs._comparison import Comparison, ComparisonDetails
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation
from trueerror.verbs._evidence import allowing_for_choice
from trueerror.verbs._model_metrics import ModelMetrics, Settings

# scikit-learn's names of scores that have other names here, and those that are losses with a minus.
SCORERS = {
    "roc_auc": "auc", "roc_auc_ovr": "ovr_auc", "roc_auc_ovo": "hand_till_auc", "matthews_corrcoef": "mcc",
    "cohen_kappa": "kappa", "neg_log_loss": "log_loss", "neg_brier_score": "brier",
}  # fmt: skip
LOSSES = ("neg_log_loss", "neg_brier_score")
AVERAGES = ("macro", "micro", "weighted")
THE_WINNER = "the chosen setting"


def taken_as_folds(given: Any, metric: Any, cv: Any, test_train_ratio: float | None) -> FoldTable | None:
    """What `given` holds of scores of folds; None where it is something else."""
    if isinstance(given, FoldTable | Result):
        return given if isinstance(given, FoldTable) else None
    name = metric if isinstance(metric, str) else None
    table = fold_table(given, score=name, cv=cv, test_train_ratio=test_train_ratio)
    if table is None and looks_like_fold_scores(given) and not _names_a_truth(given):
        raise InputError(ASK_SIZES)
    return table


def _names_a_truth(given: Any) -> bool:
    from trueerror.sources.columns import _names as naming

    return isinstance(given, Mapping) and any(naming.bare(str(name)) in naming.TRUTH for name in given)


def scorer_metric(name: str) -> tuple[Measure, float]:
    """The metric that scikit-learn calls so, and −1 where it is handed over as a negative loss.

    >>> scorer_metric("f1_macro")[0].name, scorer_metric("neg_log_loss")[1], scorer_metric("")[0].name
    ('macro_f1', -1.0, 'score')
    """
    word = SCORERS.get(name, name)
    base, _, average = word.rpartition("_")
    if average in AVERAGES and base:
        word = f"{average}_{base}"
    try:
        return find_measure(word or UNNAMED), -1.0 if name in LOSSES else 1.0
    except InputError:
        return find_measure(UNNAMED), 1.0


def part_scores_of(table: FoldTable) -> PartScores:
    """The table as what the corrected t takes."""
    measure, sign = scorer_metric(table.metric)
    values = sign * table.values
    low, high = measure.range
    if measure.of_folds:
        known = values[np.isfinite(values)]
        if len(known) and known.min() >= 0 and known.max() <= 1:
            low, high = 0.0, 1.0
        measure = replace(measure, title=table.metric or measure.title, range=(low, high), best=high)
    return PartScores(
        measure=measure, models=table.learners, values=values, tests=table.tests, trains=table.trains,
        rounds=table.rounds, rows=table.rows, round_of=table.repeats,
    )  # fmt: skip


def _reading(table: FoldTable) -> str:
    k, rounds = table.values.shape[1], table.rounds
    folds = f"{whole(k)} random test sets"
    if rounds is not None:
        folds = f"{whole(k)} folds" if rounds == 1 else f"{whole(rounds)} repeats of {whole(k // rounds)} folds"
    rows = "" if table.rows is None else f" of {whole(table.rows)} rows"
    who = "1 learner" if len(table.learners) == 1 else f"{whole(len(table.learners))} learners"
    return f"Scores of {who} on {folds}{rows}; the same test folds for all."


def _findings(scores: PartScores, table: FoldTable) -> Findings:
    smallest = None if table.rows is None else int(table.tests.min())
    evidence = Evidence(
        fold_method="corrected-t", rounds=0 if table.rounds is None else table.rounds,
        test_parts=table.values.shape[1], smallest_test=smallest,
        ratio_of_folds=scores.measure.title if taken_together(scores.measure) else None,
    )  # fmt: skip
    return find([evidence])


class _NoRows(ModelMetrics):
    """Scores of folds alone: no other metric can be had."""

    def interval(self, metric: str | Measure, label: Any = None) -> Interval:
        name = metric if isinstance(metric, str) else metric.name
        raise InputError(
            f"{name} was not among the scores that were handed over; te.logs.cross_validate keeps the rows"
        )


def _part(name: str, metric: str, own: Interval, settings: Settings) -> ModelEvaluation:
    why = "scores of folds do not say how common each class is"
    return ModelEvaluation.of_figures(_NoRows(name, settings), {metric: own}, why, loaded_classes={})


def evaluate_folds(table: FoldTable, settings: Settings) -> Evaluation:
    """Each learner by the corrected t over its folds; of a search the winner, without the luck of having won."""
    scores = part_scores_of(table)
    spec = settings.spec()
    if table.best is not None:
        return _evaluate_search(table, scores, settings, spec)
    intervals = {x: scores.interval(x, spec) for x in table.learners}
    estimand = f"Estimates: {'each' if len(intervals) > 1 else 'this'} learner{scores.at_size}, on rows like these."
    made = Evaluation(
        n=table.rows or table.values.shape[1], labels=(), reading=_reading(table), estimand=estimand,
        parts=tuple(_part(x, scores.measure.name, i, settings) for x, i in intervals.items()),
        findings=_findings(scores, table), settings={"confidence": settings.confidence},
    )  # fmt: skip
    pairs = ((best, x) for best in made.models for x in made.models if x != best)
    return allowing_for_choice(
        made, lambda best, _: [replace(scores.contrast(a, b, spec), first=a, second=b) for a, b in pairs if a == best]
    )


def _evaluate_search(table: FoldTable, scores: PartScores, settings: Settings, spec: IntervalSpec) -> Evaluation:
    assert table.best is not None
    interval = chosen_out_of_fold(scores, spec)
    seen = float(scores.of(table.best).mean())
    settings_count = whole(len(table.learners))
    reading = (
        f"A search over {settings_count} settings, {whole(table.values.shape[1])} folds. The winner, "
        f"{one_line(table.best)}, has {number(seen)} on the folds that chose it. Each fold is scored here by the "
        "setting that the other folds choose, so that no fold judges its own choice; for bbc-cv, which uses every row, "
        "run the settings with te.experiment."
    )
    estimand = f"Estimates: the setting that such a search chooses{scores.at_size}, on rows like these."
    return Evaluation(
        n=table.rows or table.values.shape[1], labels=(), reading=reading, estimand=estimand,
        parts=(_part(THE_WINNER, scores.measure.name, interval, settings),), findings=_findings(scores, table),
        settings={"confidence": settings.confidence},
    )  # fmt: skip


def compare_folds(table: FoldTable, settings: Settings, asked: Pairwise) -> Comparison:
    """The learners on the same folds: pairs by the corrected t."""
    reference, method = asked.reference, asked.method
    if method not in (None, "corrected-t"):
        raise InputError(f"method={method!r} needs the rows' predictions; scores of folds take 'corrected-t'")
    if len(table.learners) < 2:
        raise InputError(f"there is one learner, {table.learners[0]!r}; te.evaluate judges one by itself")
    if reference is not None and reference not in table.learners:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, table.learners)}")
    scores, spec = part_scores_of(table), settings.spec(alternative=asked.alternative)
    names: Iterable[tuple[str, str]] = combinations(table.learners, 2)
    if reference is not None:
        names = [(x, reference) for x in table.learners if x != reference]
    title = scores.measure.title
    contrasts = [replace(scores.contrast(a, b, spec), name=title, first=a, second=b) for a, b in names]
    known = np.isfinite(scores.values).all(axis=0)
    comparison = assemble_comparison(
        scores.measure, {x: scores.interval(x, spec) for x in table.learners}, contrasts, asked,
        confidence=settings.confidence, reading=_reading(table),
        estimand=f"Estimates: these learners{scores.at_size}, on rows like these.",
        details=ComparisonDetails(
            why=f"{title}: the training sets of folds overlap, so the corrected t",
            parts={x: tuple(scores.of(x)[known].tolist()) for x in table.learners},
        ),
    )  # fmt: skip
    return replace(comparison, findings=sorted_findings([*comparison.findings, *_findings(scores, table)]))
