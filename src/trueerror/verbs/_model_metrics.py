"""One model's tallies and the settings under which its metrics are taken from them.

Beside the metrics: accuracy on the most confident share of the predictions, and one answer for every row, which is free
and hard to beat.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trueerror.findings.models import ConstantAnswer
from trueerror.inference._answer import interval_of
from trueerror.inference._binned_limits import noted
from trueerror.inference._estimate import Estimate, p_of
from trueerror.inference._joined import JoinedRows, View, has_two_keys, key_words, over_views, views
from trueerror.inference._metric_interval import class_intervals
from trueerror.inference._problem import IntervalSpec, NotOffered, Problem
from trueerror.inference._sample import OneSample
from trueerror.inference._score_tables import ScoreRows, clustered_scores
from trueerror.inference._tuned import CRITERIA, Tuned, cost_of_errors, named_beforehand, tuned_for
from trueerror.inference._unpaired import against_known
from trueerror.inference._variance import Sample
from trueerror.inference.auc._multiclass import ClassScoreSample
from trueerror.inference.auc._within_folds import Comparability, fold_comparability
from trueerror.inference.counts._one_class import LabelSample
from trueerror.inference.counts._paired import against_one_answer, gains_in_accuracy, mean_gain
from trueerror.inference.learner._fold_scores import FoldedModel, is_word_of_folds
from trueerror.inference.loss._mean import ClusterSums, MeanSample
from trueerror.inference.proportion._paired import mcnemar_test
from trueerror.inputs._arrays import one_number, sum_slack
from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._groups import MetricChoice
from trueerror.inputs._labels import Label, find_label, need_positive
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError, Rng, check_confidence, check_replicates, check_word, in_few_words
from trueerror.metrics._compute import RECORD, as_passed
from trueerror.metrics._registry import (
    Measure,
    Prior,
    check_metric_options,
    class_shares,
    find_measure,
    prior_of_each,
    ranks_rows,
)
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results._format import one_line, percent, share_words, threshold_words, whole
from trueerror.sources._predictions import Predictions, labels_only
from trueerror.sources.engines._array_source import answered_by_all, class_scored_rows, rows_as_clusters, weighted_rows
from trueerror.tallies import Confusion, KeyedConfusion, ScoreTable
from trueerror.tallies._graded import is_graded

if TYPE_CHECKING:
    from trueerror.verbs._evaluation import ModelEvaluation


def fixed_model(source: Predictions | Confusion, settings: Settings, method: str | None = None) -> str:
    """The estimand of a model that is tested as it stands; of the learner behind the folds where that is asked for."""
    rows_counted = sum(class_totals(source)) if _repeated(source) else source.n
    several = isinstance(source, Predictions) and len(source.models) > 1
    who = f"{'each' if several else 'this'} model as it stands,"
    rows = f"rows drawn at random like these {rows_counted:,.0f}"
    if isinstance(source, Predictions):
        of_learner = source.folded and (source.random_splits or "corrected-t" in (method, settings.method))
        if source.folded and (source.repeated or of_learner):
            once = source.one_round().keys("folds").sizes
            rows_counted, tested = int(once.sum()), float(source.keys("folds").sizes.mean())
            rows = f"rows drawn at random like these {rows_counted:,}"
        if of_learner:
            train = "" if len(once) == 1 else f" at about {rows_counted - round(tested):,} training rows"
            who = f"{'each' if several else 'the'} learner{train},"
        elif source.has_key("folds"):
            who = f"these {len(source.keys('folds').names):,} models, one for each fold,"
        if source.has_key("clusters"):
            rows = f"rows of new clusters, drawn like these {len(source.keys('clusters').names):,}"
        if has_two_keys(source):
            rows = f"rows like these of {key_words(views(source))}"
    if isinstance(source, Predictions) and (source.scale is not None or source.graded):
        return f"Estimates: {who} on {rows}."
    return f"Estimates: {who} on {rows}, {class_mix(source, settings)}."


def class_mix(source: Predictions | Confusion, settings: Settings) -> str:
    """The class mix that the result is for."""
    if settings.prior is not None:
        mix = mix_words(settings.prior, source.positive)
        return f"at another class mix: {mix}"
    if settings.design == "case-control":
        return "whose class totals were fixed beforehand (case-control), so only what holds within a class"
    return class_mix_words(source.labels, class_totals(source), source.positive)


def class_mix_words(labels: Sequence[Label], counts: Sequence[float], positive: Label | None) -> str:
    """The share of the positive class, or the commonest class and its share."""
    total = max(float(sum(counts)), 1.0)
    if positive is not None:
        return f"of which {share_words(float(counts[labels.index(positive)]) / total)} are {positive}"
    top = max(range(len(counts)), key=lambda i: counts[i], default=0)
    label: Any = labels[top] if labels else "nothing"
    share = float(counts[top]) / total if len(counts) else 0.0
    return f"with the same mix of {len(labels):,} classes (commonest: {label}, {share_words(share)})"


def _repeated(source: Predictions | Confusion) -> bool:
    return isinstance(source, Predictions) and source.weights_kind == "frequency"


def class_totals(source: Predictions | Confusion) -> list[float]:
    """How many rows each class stands for, weights counted in."""
    if isinstance(source, Confusion):
        return [float(x) for x in source.classes().truth]
    weighed = source.weights_kind is not None and source.has_predictions(source.models[0])
    counts = source.confusion(source.models[0]).classes().truth if weighed else source.truth_counts()
    return [float(x) for x in counts]


def mix_words(prior: Prior, positive: Label | None) -> str:
    """The class mix that was asked for."""
    if isinstance(prior, Mapping):
        return ", ".join(f"{percent(round(one_number(p, 'prior'), 4))} {label}" for label, p in list(prior.items())[:6])
    return f"{percent(round(one_number(prior, 'prior'), 4))} {positive}"


def reading(p: Predictions, settings: Settings) -> str:
    """What was read, where scores were cut into calls, and at which class mix, where another was asked for."""
    several = len(p.models) > 1 and p.scale is None
    cut = [m for m in p.models if several and p.has_scores(m)]
    left = [_not_cut(p, m) for m in cut if not p.has_predictions(m, threshold=settings.threshold)]
    judged = [find_measure(name) for name in settings.metrics or ()]
    cuts = "" if judged and not any(m.of_labels for m in judged) else cut_words([p], settings)
    lines = str(p._noted_at(settings.threshold)), cuts, option_words(settings)
    mix = "" if settings.prior is None else f"At another class mix: {mix_words(settings.prior, p.positive)}."
    return "\n".join(filter(None, (*lines, mix, scale_words(p, settings), *left)))


def is_tables(given: object) -> bool:
    """Whether confusion matrices are given by name."""
    return isinstance(given, Mapping) and bool(given) and all(isinstance(t, Confusion) for t in given.values())


def counts_reading(tables: Mapping[str, Confusion], prior: Prior | None) -> str:
    """What was counted: of two classes the four cells and the positive class; and the class mix that is asked for."""
    parts = []
    for name, t in tables.items():
        who = f"{one_line(name)}: " if len(tables) > 1 else ""
        if t.positive is None or len(t.labels) != 2:
            kinds = "1 class" if len(t.labels) == 1 else f"{len(t.labels)} classes"
            parts.append(f"{who}{t.n:,} rows in {kinds}")
            continue
        c = t.binary(t.positive)
        cells = ", ".join(f"{word} {whole(float(x))}" for word, x in zip(CELLS, (c.tp, c.fn, c.fp, c.tn), strict=True))
        parts.append(f'{who}{t.n:,} rows, "{one_line(str(t.positive))}" is positive: {cells}')
    positive = next(iter(tables.values())).positive
    mix = "" if prior is None else f" At another class mix: {mix_words(prior, positive)}."
    return f"Counts of {'; '.join(parts)}.{mix}"


CELLS = ("TP", "FN", "FP", "TN")


def scale_words(p: Predictions, settings: Settings) -> str:
    """On which of several usual scales a metric is that was asked for by name."""
    sentences = []
    for name, options in (settings.metrics or {}).items():
        measure = find_measure(name)
        words = "" if measure.scale_words is None else measure.scale_words(len(p.labels), **options)
        sentences += [f"{measure.title} {words}."] if words else []
    return " ".join(sentences)


def option_words(settings: Settings) -> str:
    """The own options of metrics that were asked for by name, also those that stand where none was given.

    >>> option_words(Settings(metrics={"f_beta": {"beta": 2}, "auc": {}}))
    'F-beta with beta = 2.'
    """
    phrases = []
    for name, given in (settings.metrics or {}).items():
        measure = find_measure(name)
        if measure.of_grades or not measure.options:
            continue  # of graded answers the rows say the scale
        usual = signature(measure.function).parameters if measure.average is None else {}
        known = {o: given.get(o, usual[o].default if o in usual else None) for o in measure.options if o != "costs"}
        assignments = [
            f"{o} = {', '.join(f'{x:g}' for x in np.ravel(v)) if not isinstance(v, str) else v}"
            for o, v in known.items()
            if o in given or (v and not isinstance(v, str))
        ]
        if assignments:
            phrases.append(f"{measure.title} with {' and '.join(assignments)}")
    return f"{'; '.join(phrases)}." if phrases else ""


def priced(p: Predictions, settings: Settings) -> Predictions:
    """The rows with the calls that the costs ask for: of probabilities those that cost least on average.

    Labels alone, and scores whose threshold was given, are judged as they stand, and so are costs by which one answer
    is never more costly than another, as no threshold follows from them.
    """
    if settings.costs is None or settings.threshold is not None or p.scale is not None:
        return p
    prices = cost_matrix(settings.costs, p.labels, p.positive)[:, : len(p.labels)]
    if len(p.labels) < 2 or (prices - np.diag(prices)[:, None] + np.eye(len(prices)) <= 0).any():
        return p
    if settings.prior is not None:
        totals = np.maximum(class_totals(p), 1e-9)
        prices = prices * (class_shares(settings.prior, p.labels, p.positive) / (totals / totals.sum()))[:, None]
    table = tuple(tuple(map(float, row)) for row in prices)
    models = [
        m for m in p.models if p.facts.model(m).threshold is None and ModelMetrics(m, settings, predictions=p).cuttable
    ]
    return p.with_prices(dict.fromkeys(models, table)) if models else p


def cut_words(given: Iterable[Predictions], settings: Settings) -> str:
    """Where scores were cut into calls, and how calls follow from costs; empty where no model's were."""
    places, words = set(), []
    for p in given:
        called = [m for m in p.models if p.has_scores(m) and p.has_predictions(m, threshold=settings.threshold)]
        rules = {m: p.facts.decision_rule(m, settings.threshold) for m in called}
        places |= {(r.threshold, p.facts.model(m).prices is not None) for m, r in rules.items() if r.kind == "cut"}
        words += ["Each row gets the call that costs least by the model's probabilities."] * any(
            r.kind == "cheapest" for r in rules.values()
        )
    source = " (from the costs)" if places and all(by_costs for _, by_costs in places) else ""
    thresholds = ", ".join(sorted({threshold_words(0.5 if t is None else t) for t, _ in places}))
    return " ".join([*([f"Threshold {thresholds}{source}."] if thresholds else []), *dict.fromkeys(words)])


def _not_cut(p: Predictions, model: str) -> str:
    """Why a model's scores are not cut into calls, and what it takes."""
    low, high, *_ = p.score_range(model)
    why = f"its scores run from {low:.4g} to {high:.4g}"
    if math.isinf(low) or math.isinf(high):
        table = p.scores(model)
        count = int((table.positives + table.negatives)[~np.isfinite(table.scores)].sum())
        why = f"{count:,} of its {table.n:,} scores {'is' if count == 1 else 'are'} infinite"
    return f"{one_line(model)} gives no labels, because {why}: give a threshold for accuracy and the like."


def compared_reading(
    p: Predictions, measure: Measure, settings: Settings, contrasts: Sequence[Contrast], estimates: Mapping[str,
    Interval],
) -> str:  # fmt: skip
    """What was read, and on how many rows models are compared where some have no prediction."""
    counted = measure.of_labels
    words = (
        reading(p, settings)
        if counted
        else " ".join(filter(None, (str(p), option_words(settings), scale_words(p, settings))))
    )
    gaps = [p._unanswered(m, of_labels=counted, threshold=settings.threshold) for m in p.models]
    if p.missing != "drop" or not any(gaps):
        return words
    if counted:
        # Recall and the like speak of some of the rows that were counted, so those are asked for.
        rows = [float(p.agreement(c.first, c.second, threshold=settings.threshold).n) for c in contrasts]
    else:
        rows = [c.n for c in contrasts if c.n is not None]
    if not rows or (p.weights_kind is None and min(rows) == p.n):
        return words
    row_range = whole(min(rows)) if min(rows) == max(rows) else f"{whole(min(rows))} to {whole(max(rows))}"
    common = answered_by_all(p, of_labels=counted, threshold=settings.threshold).n
    clause = (
        ""
        if common in rows and min(rows) == max(rows)
        else f"; each model's own result is of the {whole(common)} rows that all answered"
    )
    if common == p.n:
        clause = "; each model's own result is of all that it answered"
    return f"{words} Two models are compared on the {row_range} rows that both answered{clause}."


Design = Literal["random", "case-control"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Options of an evaluation; `metrics` maps names to their options, or is None for the usual ones.

    `every_metric` asks for all that can be had; `over` intervals are made to hold together.
    """

    confidence: float = 0.95
    method: str | None = None
    prior: Prior | None = None
    costs: object = None
    design: Design = "random"
    threshold: float | None = None
    metrics: Mapping[str, Mapping[str, Any]] | None = None
    simultaneous: bool | None = None
    replicates: int = 10_000
    rng: Rng = None
    every_metric: bool = False
    over: int = 1

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_word(self.design, ("random", "case-control"), "design")
        check_replicates(self.replicates)

    @classmethod
    def of(cls, asked: Any, metrics: Mapping[str, Mapping[str, Any]] | None, **more: Any) -> Settings:
        """The settings of a request that has the options of chance and costs."""
        known = {"confidence": asked.confidence, "replicates": asked.replicates, "rng": asked.rng, "prior": asked.prior}
        return cls(metrics=metrics, **known | more)

    @property
    def unknown_mix(self) -> bool:
        """Whether nothing says how common each class is: class totals fixed by design, and no prior."""
        return self.design == "case-control" and self.prior is None

    @property
    def other_mix(self) -> bool:
        """Whether the class mix of these rows is not the one that is asked for."""
        return self.prior is not None or self.design == "case-control"

    def spec(self, *, alternative: Alternative = "two-sided", estimand: str = "") -> IntervalSpec:
        """What is asked of an interval or a contrast."""
        return IntervalSpec(
            confidence=self.confidence, alternative=alternative, estimand=estimand, rng=self.rng,
            replicates=self.replicates,
        )  # fmt: skip

    def options(self, metric: str | Measure) -> dict[str, Any]:
        """The options of one metric: those that were asked for, and the costs where it takes them."""
        measure = find_measure(metric) if isinstance(metric, str) else metric
        given = dict((self.metrics or {}).get(measure.name, {}))
        if "costs" in measure.options and "costs" not in given:
            if self.costs is None:
                raise InputError(f"{measure.name} needs costs=, a table of what each kind of call costs")
            given["costs"] = self.costs
        return given


def named_costs(costs: object, cost_fp: float | None, cost_fn: float | None) -> Any:
    """A cost matrix, from a table or from the costs of the two errors; an error that is not priced costs 1.

    >>> named_costs(None, None, 10)
    {'fp': 1.0, 'fn': 10.0}
    """
    if cost_fp is None and cost_fn is None:
        return costs
    if costs is not None:
        raise InputError("costs= says what every call costs; leave cost_fp= and cost_fn= out")
    given = {"fp": 1.0 if cost_fp is None else float(cost_fp), "fn": 1.0 if cost_fn is None else float(cost_fn)}
    for key, cost in given.items():
        if not (math.isfinite(cost) and cost > 0):
            raise InputError(f"cost_{key}={cost!r} must be a number above 0: what one such error costs")
    return given


def settled_for(p: Predictions, metrics: Mapping[str, Mapping[str, Any]] | None) -> dict[str, dict[str, Any]] | None:
    """The metrics that were asked for as these rows take them: of rows with grades the mean score, on their scale.

    Of rows that are right or wrong the mean score is the accuracy. None where the usual metrics of labels and scores
    are meant.
    """
    if metrics is None:
        return None if p.scale is None else {"mean_score": _on_scale(p)}
    settled: dict[str, dict[str, Any]] = {}
    for name, options in metrics.items():
        measure = find_measure(name)
        if p.scale is not None and not measure.of_grades:
            raise InputError(
                f"{measure.name} needs classes, and these rows carry grades from {p.scale[0]:g} to {p.scale[1]:g}: "
                "their metric is mean_score"
            )
        if measure.of_grades and p.scale is None and not p.graded:
            raise InputError(f"{measure.name} is of rows that carry grades: te.graded(grades) takes them")
        if measure.of_grades:
            settled |= {"accuracy": {}} if p.scale is None else {"mean_score": _on_scale(p) | dict(options)}
        else:
            settled[passed_by(p, measure).name] = dict(options)
    return settled


def passed_by(p: Predictions | None, measure: Measure) -> Measure:
    """A function of one's own that takes what these models have: labels, or scores."""
    if p is None or not measure.unsaid:
        return measure
    return as_passed(measure, labels=any(map(p.has_labels, p.models)), scores=any(map(p.has_scores, p.models)))


def refuse_classes(**given: object) -> None:
    """Options that speak of classes say nothing of rows that carry grades."""
    word = next((word for word, value in given.items() if value is not None), None)
    if word is not None:
        raise InputError(f"{word}= is about classes, and these rows carry grades: leave it out")


def _on_scale(p: Predictions) -> dict[str, Any]:
    """The scale of the grades as the metric's own option, where it is not 0 to 1."""
    return {} if p.scale in (None, (0.0, 1.0)) else {"scale": p.scale}


def judged_on(
    p: Predictions, measure: Measure, options: Mapping[str, Any], *, asked: bool
) -> tuple[Measure, dict[str, Any]]:
    """The one metric that models are compared by as these rows take it, and its options."""
    settled = settled_for(p, {measure.name: options} if asked else None)
    if settled is None:
        return measure, dict(options)
    name, own_options = next(iter(settled.items()))
    return find_measure(name), own_options


def judged_by(metric: MetricChoice, options: Mapping[str, Any] | None, costs: object) -> tuple[Measure, dict[str, Any]]:
    """The one metric that models are compared by, and its own options."""
    if callable(metric) and isinstance(options, Mapping):
        metric, options = {metric: options}, None
    usual = "accuracy" if costs is None else "expected_cost"
    named = named_metrics(usual if metric is None else metric)
    if len(named) != 1:
        listed = ", ".join(map(repr, named)) or "none"
        raise InputError(f"models are compared by one metric at a time, not by {listed}; te.gate takes several")
    name, own_options = next(iter(named.items()))
    measure = find_measure(name)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so no model can be better by it")
    refuse_idle_costs([measure], costs)
    if options is not None and not isinstance(options, Mapping):
        raise InputError(
            f"options={options!r:.40} must be a dictionary of the metric's own options, such as {{'beta': 2}}"
        )
    return measure, own_options | named_metrics({name: dict(options or {})})[name]


def refuse_idle_costs(measures: Iterable[Measure], costs: object) -> None:
    """Costs say nothing to metrics that do not look at them."""
    names = [m.name for m in measures]
    if costs is not None and not any("costs" in find_measure(name).options for name in names):
        raise InputError(
            f"costs= has no effect on {names[0]}: leave metric= out to judge by expected cost, or leave costs= out"
        )


def spelt_metrics(words: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Metrics with their options, as NAME or NAME:OPTION=VALUE,OPTION=VALUE.

    >>> spelt_metrics(["auc", "f_beta:beta=2", "weighted_accuracy:weights=1/5/1/1", "kappa:weights=linear"])
    {'auc': {}, 'f_beta': {'beta': 2}, 'weighted_accuracy': {'weights': [1, 5, 1, 1]}, 'kappa': {'weights': 'linear'}}
    >>> spelt_metrics(["f1, recall"])
    {'f1': {}, 'recall': {}}
    """
    named: dict[str, dict[str, Any]] = {}
    for word in (one.strip() for text in words for one in ([text] if ":" in text else text.split(",")) if one.strip()):
        name, _, rest = word.partition(":")
        named[name] = {}
        for part in rest.split(",") if rest else ():
            option, mark, value = part.partition("=")
            if not mark or not value:
                raise InputError(f"metric={word!r}: write a metric's options as {name}:OPTION=VALUE")
            named[name][option.strip()] = _option_value(value)
    return named


def _option_value(text: str) -> object:
    """A number, several numbers with slashes between them, or a word."""
    try:
        numbers = [json.loads(part) for part in text.split("/")]
    except json.JSONDecodeError:
        return text
    return numbers[0] if len(numbers) == 1 else numbers


def named_metrics(metrics: Any) -> dict[str, dict[str, Any]]:
    """Metrics as the user gave them (a name, names, or names with options), by their registered names."""
    if metrics is None:
        return {}
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not isinstance(metrics, Iterable) or getattr(metrics, "shape", True) == ():
        raise InputError(f"{metrics!r:.40} names no metric; give a name such as 'accuracy', or a list of names")
    if any(not isinstance(name, Hashable) for name in metrics):
        raise InputError(f"{in_few_words(metrics)} names no metric; give a name such as 'accuracy', or a list of names")
    if isinstance(metrics, Mapping):
        given = dict(metrics)
    else:
        given = {}
        for name in metrics:
            given |= spelt_metrics([name]) if isinstance(name, str) else {name: {}}
    named: dict[str, dict[str, Any]] = {}
    for name, options in given.items():
        said = {word: options[word] for word in RECORD if callable(name) and word in options}
        measure = find_measure({name: said} if said else name)
        options = {word: value for word, value in options.items() if word not in said}
        unknown = [o for o in options if o not in measure.options]
        if unknown:
            takes = f"it takes {', '.join(measure.options)}" if measure.options else "it takes none"
            raise InputError(f"metric {name!r} has no option {unknown[0]!r}; {takes}")
        named[measure.name] = dict(options)
    return named


# Replicates of a statistic of ranks cost more than those of a table of counts.
SCORE_REPLICATES = 2_000
OWN_REPLICATES = 1_000
CLASS_METRICS = ("precision", "recall", "f1")
# What a case-control sample shows of a class without a prior.
WITHIN_A_CLASS = ("recall",)


class ModelMetrics:
    """Computes any metric of one model, each tally counted once and only when it is needed."""

    def __init__(
        self, model: str, settings: Settings, *, predictions: Predictions | None = None, confusion: Confusion | None =
        None, estimand: str = "",
    ) -> None:  # fmt: skip
        self.model = model
        self.settings = settings
        self.estimand = estimand
        # Counts and curves are of one round of folds; intervals of all of them.
        self._rounds = predictions
        if predictions is not None and predictions.folded and predictions.repeated and settings.other_mix:
            raise InputError("prior= and design= are not offered over repeated folds; take one repeat alone")
        self._predictions = None if predictions is None else predictions.one_round()
        self._given = confusion

    def holding_together(self, intervals: int) -> ModelMetrics:
        """The same tallies, with so many intervals that hold together."""
        settings = replace(self.settings, over=intervals)
        return ModelMetrics(
            self.model, settings, predictions=self._rounds, confusion=self._given, estimand=self.estimand
        )

    def _over(self, rows: Predictions) -> ModelMetrics:
        """The same questions to other rows of this model."""
        return ModelMetrics(self.model, self.settings, predictions=rows, estimand=self.estimand)

    @cached_property
    def confusion(self) -> Confusion:
        """Truth × predicted."""
        if self._given is not None:
            return self._given
        assert self._predictions is not None
        return self._predictions.confusion(self.model, threshold=self.settings.threshold)

    @cached_property
    def calls(self) -> bool:
        """Whether the model calls classes; scores outside [0, 1] without a threshold do not."""
        p = self._predictions
        return p is None or p.has_predictions(self.model, threshold=self.settings.threshold)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.confusion.labels if self._predictions is None else self._predictions.labels

    @cached_property
    def positive(self) -> Label | None:
        """The positive class, where it is known."""
        return self.confusion.positive if self._predictions is None else self._predictions.positive

    @cached_property
    def tuned(self) -> Tuned | None:
        """What the threshold that was given is the best of these rows for; None where it was not chosen on them."""
        given, p = self.settings.threshold, self._predictions
        if p is None or not (self.has_scores and self.calls) or self.positive is None or p.has_key("clusters"):
            return None
        threshold = p.facts.model(self.model).threshold if given is None else given
        if threshold is None or named_beforehand(threshold):
            return None
        first = [c for c in CRITERIA if c.metric in (self.settings.metrics or ())]
        if self.settings.costs is not None and len(self.labels) == 2:
            price, up = cost_matrix(self.settings.costs, self.labels, self.positive), self.labels.index(self.positive)
            false_alarm, miss = (float(price[i, 1 - i] - price[i, i]) for i in (1 - up, up))
            first = [cost_of_errors(false_alarm, miss), *first]
        return tuned_for(self.score_table().compact(), float(threshold), first, self.settings.confidence)

    @property
    def prior(self) -> Prior | None:
        """The class distribution asked for; one share belongs to the positive class."""
        return prior_of_each(self.settings.prior, self.labels, self.positive)

    @property
    def predictions(self) -> Predictions | None:
        """The rows, where the evaluation was not loaded or made from counts."""
        return self._predictions

    @cached_property
    def clusters(self) -> KeyedConfusion | None:
        """The same, for each cluster, where rows are clustered and called."""
        p = self._predictions
        if p is None or not p.has_key("clusters") or not self.calls:
            return None
        return p.keyed_confusion(self.model, "clusters", threshold=self.settings.threshold)

    @cached_property
    def has_scores(self) -> bool:
        """Whether metrics of scores can be had: a row without a score has no rank, unless it is left out."""
        p = self._predictions
        if p is not None and p.scale is not None:
            return False  # grades are no scores of a class
        return p is not None and p.has_scores(self.model) and not (p.missing == "wrong" and p.unscored(self.model))

    @property
    def has_class_scores(self) -> bool:
        """Whether there is one score for each class."""
        return self.has_scores and self._predictions is not None and self._predictions.has_class_scores(self.model)

    @property
    def ranks_classes(self) -> bool:
        """Whether areas over the classes can be had: they rank rows, which sampling weights do not allow."""
        return self.has_class_scores and self._predictions is not None and self._predictions.weights_kind != "sampling"

    @cached_property
    def has_probabilities(self) -> bool:
        """Whether the scores can be probabilities: within [0, 1], and adding up to 1 where each class has one, as far
        as rounded ones do."""
        if not self.has_scores:
            return False
        assert self._predictions is not None
        if self.positive is None and not self._predictions.has_class_scores(self.model):
            return False
        reach = self._predictions.score_range(self.model)
        slack = sum_slack(reach, len(self._predictions.labels))
        sums_fit = math.isnan(reach.lowest_sum) or max(1 - reach.lowest_sum, reach.highest_sum - 1) < slack
        return reach.low >= 0 and reach.high <= 1 and sums_fit

    @property
    def cuttable(self) -> bool:
        """Whether calls can follow from costs: probabilities of two classes of which one is positive, or of each."""
        p = self._predictions
        if p is None or not self.has_probabilities:
            return False
        return p.has_class_scores(self.model) or (len(p.labels) == 2 and p.positive is not None)

    @cached_property
    def fold_scales(self) -> Comparability | None:
        """Whether the scores of different folds lie on one scale; None without folds, or of several classes."""
        p = self._predictions
        if p is None or not p.folded or not self.has_scores or self.positive is None:
            return None
        return fold_comparability([p.slice(name, "folds").scores(self.model) for name in p.keys("folds").names])

    def rare_in_folds(self, metrics: Iterable[Measure]) -> tuple[tuple[str, ...], str, float] | None:
        """Metrics that are ranked within folds or taken fold by fold, and the rarest class's mean rows in a fold."""
        p = self._rounds
        if p is None or not p.folded:
            return None
        doubtful = tuple(m.title for m in metrics if ranks_rows(m))
        counts, folds = p.truth_counts(), len(p.keys("folds").names)
        if not (counts > 0).any():
            return None
        rarest = min((int(i) for i in np.flatnonzero(counts)), key=lambda i: int(counts[i]))
        return doubtful, str(p.labels[rarest]), float(counts[rarest]) / folds

    def score_table(self, label: Label | None = None) -> ScoreTable:
        """Distinct scores of one class, or of the positive class."""
        if self._predictions is None or not self._predictions.has_scores(self.model):
            raise InputError(f"{self.model} has no scores here: pass scores= to evaluate for metrics of scores")
        return self._predictions.scores(self.model, positive=label)

    def interval(self, metric: str | Measure, label: Any = None) -> Interval:
        """One metric with its interval; `label` asks for one class against the rest.

        The method that was asked for is used where it is offered; elsewhere the default is, unless the metric was asked
        for by name too.
        """
        measure = find_measure(metric) if isinstance(metric, str) else metric
        by_method = self.by_method(measure, label)
        if isinstance(by_method, NotOffered):
            return self._intervals(measure, label, None)(self.settings.confidence)
        return by_method

    def by_method(self, measure: Measure, label: Any = None) -> Interval | NotOffered:
        """The same by the method that was asked for, or why it is not offered; that is raised for metrics by name."""
        try:
            return self._intervals(measure, label, self.settings.method)(self.settings.confidence)
        except NotOffered as refusal:
            if (self.settings.metrics or {}).get(measure.name) is not None:
                raise
            return refusal

    def intervals(self, measure: Measure) -> Callable[[float], Interval]:
        """`interval` at any confidence; what does not depend on the confidence is worked out once."""
        method = self.settings.method
        offered = method is None or not isinstance(self.by_method(measure), NotOffered)
        return self._intervals(measure, None, method if offered else None)

    def _intervals(self, measure: Measure, label: Any, method: str | None) -> Callable[[float], Interval]:
        p = self._predictions
        if measure.of_grades and p is not None and p.graded and p.scale is None:
            measure = find_measure("accuracy")  # the mean of grades that are all 0 or 1
        chosen = None if label is None else find_label(label, self.labels, "class")
        if chosen is not None and not measure.of_one_class and not measure.of_scores:
            raise InputError(f"{measure.name} is a metric of all classes together; ask for it without a class")
        if chosen is None and measure.of_one_class:
            chosen = self._positive(measure)
        options = self.settings.options(measure)
        check_metric_options(measure, options)
        by_folds = self._over_folds(measure, method)
        sample = (self._of_folds if by_folds else self._over_keys)(measure, chosen, options, method)
        asked = measure.on_scale_of(options) if by_folds else measure
        words = "" if measure.scale_words is None else measure.scale_words(len(self.labels), **options)

        def at(confidence: float) -> Interval:
            interval = self._answer(asked, sample, options, confidence, method)
            return noted(interval, words) if words else interval

        return at

    def _answer(
        self, measure: Measure, sample: OneSample, options: Mapping[str, Any], confidence: float, method: str | None
    ) -> Interval:
        """The interval of a sample to these settings."""
        replicates = self.settings.replicates
        if not measure.of_labels or sample.in_folds:
            replicates = min(replicates, SCORE_REPLICATES)
        elif measure.origin:  # a function of the user's own is called for each of them
            replicates = min(replicates, OWN_REPLICATES)
        spec = IntervalSpec(
            confidence=confidence, over=self.settings.over, estimand=self.estimand, rng=self.settings.rng,
            replicates=replicates,
        )  # fmt: skip
        return interval_of(Problem(metric=measure, sample=sample, spec=spec, options=options), method)

    def _over_folds(self, measure: Measure, method: str | None) -> bool:
        """Whether the folds decide: rows are ranked, or tested again, or a method of folds is asked for."""
        p = self._rounds
        if p is None or not p.folded or (not measure.of_labels and not p.has_scores(self.model)):
            return False
        return p.repeated or ranks_rows(measure) or is_word_of_folds(method)

    def _of_folds(
        self, measure: Measure, label: Label | None, options: Mapping[str, Any], method: str | None
    ) -> OneSample:
        """One model for each fold."""
        p, s = self._rounds, self.settings
        assert p is not None

        def of_rows(spec: IntervalSpec) -> Interval:
            rows = self._of_rows(measure, label, options, None)
            return self._answer(measure, rows, options, spec.confidence, None)

        return FoldedModel(
            p=p, model=self.model, positive=label, threshold=s.threshold, prior=s.prior, of_rows=of_rows,
            of_round=lambda one: self._over(one)._intervals(measure, label, None)(s.confidence),
        )  # fmt: skip

    @cached_property
    def views(self) -> tuple[tuple[ModelMetrics, View], ...]:
        """The same questions over each of two keys and over both, or in order of time; none of other rows."""
        p = self._predictions
        if p is None or not has_two_keys(p):
            return ()
        return tuple((self._over(view.rows), view) for view in views(p))

    def _over_keys(
        self, measure: Measure, chosen: Label | None, options: Mapping[str, Any], method: str | None
    ) -> OneSample:
        """The rows as one sample, over each key where they have two."""
        if not self.views:
            return self._of_rows(measure, chosen, options, method)
        parts = [bench._of_rows(measure, chosen, options, None) for bench, _ in self.views]
        return JoinedRows(parts=parts, views=[view for _, view in self.views])

    def _of_rows(
        self, measure: Measure, chosen: Label | None, options: Mapping[str, Any], method: str | None
    ) -> OneSample:
        """The rows of one round as one sample."""
        s = self.settings
        if measure.of_labels:
            sample = Sample.of(
                measure, self.confusion, positive=chosen, clusters=self.clusters, prior=self.prior, design=s.design
            )
            return LabelSample.of(measure, sample, options)
        p = self._predictions
        if p is None or not p.has_scores(self.model):
            raise labels_only(measure.name, self.model)
        if p.has_key("clusters") and not measure.of_class_scores:
            return self._of_clusters(p, measure, chosen, options)
        # Rows can be drawn again from a score table, not from moments, which do not know what weights leave either.
        weighted = p.weights_kind == "sampling"
        tabled = s.other_mix or method is not None or weighted
        if measure.of_scores or (measure.of_losses and tabled and self.positive is not None):
            # A table of weighted rows knows what they weigh, not how many they are.
            rows = p.n - p.unscored(self.model) if weighted else None
            return ScoreRows.of(
                measure, self.score_table(chosen), options, prior=self.prior, design=s.design, rows=rows
            )  # fmt: skip
        if measure.of_losses:
            if self.settings.other_mix:
                raise InputError(
                    f"{measure.name} of several classes is not offered at another class mix; leave prior= out"
                )
            if weighted:
                return self._of_clusters(rows_as_clusters(p), measure, chosen, options)
            return MeanSample.of(p.moments(self.model, measure.function, **options))
        if not p.has_class_scores(self.model):
            raise InputError(f"{measure.name} needs one column of scores for each class; {self.model!r} has one in all")
        by_class = class_scored_rows(p, [self.model])
        return ClassScoreSample.of(
            measure, by_class.codes, by_class.scores[0], self.labels, options, by_class.clusters
        )  # fmt: skip

    def _of_clusters(
        self, p: Predictions, measure: Measure, label: Label | None, options: Mapping[str, Any]
    ) -> OneSample:
        """Rows of one cluster may repeat each other: the intervals rest on whole clusters."""
        if measure.of_losses:
            if self.settings.other_mix:
                raise InputError(f"{measure.name} at another class mix is not offered with clusters; leave one out")
            losses = p.keyed_losses(self.model, "clusters", measure.function, **options)
            units = "clusters" if self._predictions is p else "weighted rows"
            return MeanSample.of(ClusterSums(losses.weights, losses.sums, float(losses.sizes.sum()), units))
        rows, weights = weighted_rows(p, [self.model], positive=label)
        named = p.positive if label is None else label
        assert rows.clusters is not None
        assert named is not None
        table, clustered = clustered_scores(rows.up, rows.scores[:, 0], rows.clusters, named, weights)
        return ScoreRows.of(measure, table, options, prior=self.prior, clusters=clustered, rows=float(len(rows.up)))

    def _positive(self, measure: Measure) -> Label:
        if self.positive is None:
            example = repr(self.labels[-1]) if self.labels else "a class"
            raise InputError(
                f"{need_positive(self.labels, measure.name)}, or ask for one class with "
                f"[{measure.name!r}, {example}], or for macro_{measure.name}"
            )
        return self.positive

    def per_class(self) -> dict[tuple[str, Label], Interval]:
        """Precision, recall and F1 of each class that occurs, on the same terms as the other metrics."""
        intervals: dict[tuple[str, Label], Interval] = {}
        s = self.settings
        if self.views or (self._rounds is not None and self._rounds.repeated):
            counted = self.confusion.classes(weighted=False)
            occurring = [x for x, t, c in zip(self.labels, counted.truth, counted.predicted, strict=True) if t or c]
            return {(name, label): self.interval(name, label) for name in CLASS_METRICS for label in occurring}
        by_class = partial(
            class_intervals, table=self.confusion, confidence=s.confidence, clusters=self.clusters, prior=self.prior,
            design=s.design, rng=s.rng, replicates=s.replicates, estimand=self.estimand,
        )  # fmt: skip
        for name in WITHIN_A_CLASS if s.unknown_mix else CLASS_METRICS:
            try:
                by_label = by_class(name, method=s.method)
            except NotOffered:
                by_label = by_class(name)
            intervals |= {(name, label): interval for label, interval in by_label.items()}
        return intervals


SHARES = (0.5, 0.8, 0.9)


def confident_shares(bench: ModelMetrics) -> dict[float, Interval]:
    """Accuracy on the most confident 50, 80 and 90 % of the rows; empty for labels alone and for counts.

    Empty too where accuracy at the class mix of these rows is not what is asked for. Rows beyond the memory budget
    cannot be ranked by confidence, and bins of scores do not tell which of two rows on either side of the threshold is
    farther from it: empty as well.
    """
    p, s = bench.predictions, bench.settings
    if s.other_mix or bench.views or p is None or not (bench.has_scores and bench.calls) or bench.confusion.n == 0:
        return {}
    if p.facts.decision_rule(bench.model, s.threshold).kind == "labels" and not bench.has_probabilities:
        return {}  # decision values beside labels: no cut says how sure they are
    try:
        from trueerror.curves._risk_coverage import risk_coverage

        curve = risk_coverage(p, model=bench.model, threshold=s.threshold)
    except MemoryBudgetExceeded:
        return {}
    return {share: curve.at(coverage=share, confidence=bench.settings.confidence) for share in SHARES}


def cost_words(bench: ModelMetrics) -> str:
    """What each error costs, by name, and what the cheapest constant answer costs; "" without costs."""
    if bench.settings.costs is None or not bench.calls or bench.confusion.n == 0:
        return ""
    labels = bench.labels
    prices = cost_matrix(bench.settings.costs, labels, bench.positive)
    if len(labels) == 2:
        a, b = (f'"{one_line(str(label))}"' for label in labels)
        words = f"Costs: {a} predicted as {b} costs {prices[0, 1]:g}, {b} as {a} {prices[1, 0]:g}"
        rightly = [f"{name} rightly predicted {prices[i, i]:g}" for i, name in enumerate((a, b)) if prices[i, i] != 0]
        words = ", ".join([words, *rightly]).replace("-", "−") if rightly else words
    else:
        words = f"Costs: a table of {len(labels)} × {len(labels)}, in the order {one_line(str(labels[0]))}, …"
    return f"{words}."


def cheapest_constant(bench: ModelMetrics) -> tuple[Label, float]:
    """The cheapest answer for every row and its mean cost, at the class mix of the rows or the one asked for."""
    t = bench.confusion
    totals = t.classes().truth.astype(float)
    prior = bench.settings.prior
    shares = totals / totals.sum() if prior is None else class_shares(prior, t.labels, t.positive)
    costs = np.asarray(shares) @ cost_matrix(bench.settings.costs, t.labels, t.positive)[:, : len(t.labels)]
    best = int(np.argmin(costs))
    return t.labels[best], float(costs[best])


def against_constant_cost(bench: ModelMetrics) -> Contrast | None:
    """The model's cost of a row less that of the cheapest constant answer, on the same rows; None where there is none.

    At a class mix that is given, what a constant answer costs is known.
    """
    settings = bench.settings
    if settings.costs is None or settings.unknown_mix or not bench.calls or bench.confusion.n == 0 or bench.views:
        return None
    label, price = cheapest_constant(bench)
    if settings.prior is not None:
        found = against_known(bench.intervals(find_measure("expected_cost")), price, settings.spec())
    else:
        clusters, constant = bench.clusters, bench.labels.index(label)
        table = bench.confusion if clusters is None else clusters.table
        prices = cost_matrix(settings.costs, bench.labels, bench.positive)
        values, reach = prices[table.row, table.col] - prices[table.row, constant], float(np.ptp(prices))
        found = against_one_answer(
            table, values, clusters=clusters, confidence=settings.confidence, whole=(-reach, reach)
        )
    return replace(found, name="expected cost", first=bench.model, second=str(label))


def unknown(name: str, confidence: float, note: str, **more: Any) -> Interval:
    """What cannot be estimated, and why."""
    numbers = {"estimate": math.nan, "low": math.nan, "high": math.nan, **more}
    return Interval(name=name, confidence=confidence, note=note, **numbers)


def commonest_p(bench: ModelMetrics) -> float:
    """The p-value of a model's accuracy against always answering the commonest class, on the same rows.

    McNemar's mid-p for plain rows; clusters and sampling weights have their own variance. NaN where there is nothing to
    test: no rows, rows that are only graded, one cluster.
    """
    t = bench.confusion
    if t.n == 0 or is_graded(t):
        return math.nan
    counted, clusters = t.classes(), bench.clusters
    index = int(np.argmax(counted.truth))
    if bench.views:
        return float(p_of(over_views([_gain(b, index) for b, _ in bench.views], [view for _, view in bench.views])))
    if clusters is not None or t.weight_sums is not None:
        gains = gains_in_accuracy(t if clusters is None else clusters.table, index)
        return against_one_answer(t, gains, clusters=clusters).p_value
    only_model = int(counted.hits.sum() - counted.hits[index])
    only_constant = int(counted.truth[index] - counted.hits[index])
    return mcnemar_test(only_model, only_constant, "mid-p", "two-sided")[1]


def _gain(bench: ModelMetrics, answer: int) -> Estimate:
    """What the model's accuracy gains over one answer for every row."""
    clusters = bench.clusters
    table = bench.confusion if clusters is None else clusters.table
    return mean_gain(table, gains_in_accuracy(table, answer), clusters)


def constant_answers(part: ModelEvaluation) -> list[ConstantAnswer]:
    """How a model stands against constant answers where costs or a class mix were asked for."""
    bench, answers = part.bench, []
    accuracy, cost = part.overall.get("accuracy"), part.overall.get("expected_cost")
    if bench.settings.prior is not None and accuracy is not None and not math.isnan(part.baseline.estimate):
        share = part.baseline.estimate
        clear = accuracy.low > share
        answers.append(ConstantAnswer("accuracy", accuracy.estimate, share, str(part.baseline_label), True, clear))
    gap = part.against_constant
    if cost is not None and gap is not None:
        price = cost.estimate - gap.estimate
        answers.append(ConstantAnswer("expected cost", cost.estimate, price, gap.second, False, gap.high < 0))
    return answers
