"""What an experiment answers about one learner: an estimate with its interval, and ROC curves.

A `LearnerScores` is the sample of a `Problem`; the methods that answer it are registered here, each for the plans that
it is for. The plan chooses one, or another can be asked for; each says what it is an estimate of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._outcomes import CHOSEN, ResampleResults, mean_over_rows
from trueerror.findings.learners import SMALL_TEST
from trueerror.inference._answer import answer, method_named, words_for
from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalSpec, NotOffered, Problem, Range
from trueerror.inference.learner._fold_scores import POOLED, taken_together
from trueerror.inference.learner._intervals import (
    Bagged,
    BootstrapError,
    bates,
    bayle,
    bbc_cv,
    bootstrap_error,
    conservative_z,
    corrected_t_interval,
    fold_t,
    no_information_rate,
)
from trueerror.inference.loss._mean import INFINITE
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng, check_word, nearest
from trueerror.inputs._words import speaks
from trueerror.methods._registry import LEARNER, InferenceMethod, Kind, inference_method, methods_on
from trueerror.metrics._registry import Measure, find_measure, ranks_rows
from trueerror.resampling._cross_validation import BatesCV, DisjointHalves, LeaveOneOut
from trueerror.resampling._plan import Plan, Split
from trueerror.resampling._random_splits import Bootstrap, Holdout
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.results._values import sentences_of
from trueerror.sources._predictions import Predictions
from trueerror.verbs._model_metrics import ModelMetrics, Settings, class_mix_words

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._roc import Roc

# An error on the training rows of no more than this is none.
HARDLY = 0.005
# Training sets whose sizes differ by more than this factor are told as a range.
MUCH_MORE = 1.2
# Bayle's theorem; findings TE510 and TE511 have the figures.
STABLE = "if one row hardly changes a model"
LEARNER_TOO = "of the learner, too, if a few rows hardly change a model"


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnerScores:
    """One learner on the test folds of one data set, by one metric."""

    on: ClassVar[Kind] = LEARNER
    run: ResampleResults
    learner: str
    data: str
    measure: Measure
    positive: Label | None
    options: Mapping[str, Any]

    @property
    def plan(self) -> Plan:
        """The plan, or what its splits amount to."""
        return acting_plan(self.run.plan, self.splits)

    @property
    def usual_method(self) -> str:
        """The method of the plan, or what takes its place where it does not suit the metric or the rows.

        The area under a ROC curve is no mean over rows: it is ranked within folds, whatever their plan. Of several
        settings the best is judged by folds that did not choose it, or without its optimism.
        """
        plan = self.plan
        if self.learner == CHOSEN:
            return "bbc-cv" if not self.nested else "pooled" if plan._of_models else "corrected-t"
        if self.measure.area == 1 and not plan._suits(mean_of_rows=False, poolable=True, clustered=False):
            plan = plan if plan._of_models else Plan()
        clustered = self.dataset.clusters is not None
        suits = plan._suits(mean_of_rows=self.of_rows, poolable=self.poolable, clustered=clustered)
        return "bootstrap-out-of-bag" if suits and self.by_heart else plan._method if suits else plan._otherwise

    @property
    def poolable(self) -> bool:
        """Whether the rows of a round can be taken together, or ranked within their folds, and none are missing."""
        m = self.measure
        done = all(outcome.status == "done" for outcome in self.run.tested(self.learner, self.data))
        return done and same_rows_each_round(self.splits) and (mean_over_rows(m) or m.of_labels or ranks_rows(m))

    @property
    def by_heart(self) -> bool:
        """Whether the model of all rows makes no error on them, so that they tell nothing of it.

        .632+ is then too good: ridge with more features than rows had .88, out of bag .99.
        """
        if not self.of_rows or not self.run.parts(self.data, "apparent"):
            return False
        ((_, apparent),) = self.run.losses(self.learner, self.data, self.measure.name, part="apparent")
        return float(apparent.mean()) <= HARDLY

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        plain = not self.options and self.positive is None
        return self.measure.right_or_wrong != 0 or (mean_over_rows(self.measure) and plain)

    @property
    def nested(self) -> bool:
        """Whether a setting is chosen inside the training rows."""
        return self.run.plan.name == "NestedCV"

    @cached_property
    def scores(self) -> Floats:
        """The metric on each test fold; of the chosen setting, where choosing is asked for."""
        one = self.learner != CHOSEN
        table = self.run.fold_scores(self.measure.name, self.data, positive=self.positive, together=one, **self.options)
        if self.learner != CHOSEN:
            return table.of(self.learner)
        picked = self.run.chosen(self.measure.name, self.data, positive=self.positive, **self.options)
        rows = [self.run.learners.index(name) for name in picked]
        scores: Floats = table.values[rows, np.arange(len(rows))]
        return scores

    @property
    def splits(self) -> list[Split]:
        """The splits with ordinary test folds."""
        every = self.run.splits[self.data]
        return [every[i] for i in self.run.parts(self.data)]

    @property
    def dataset(self) -> Dataset:
        """The rows."""
        return self.run.datasets[self.data]

    @property
    def loss_range(self) -> Range:
        """Between which values the loss of a row lies."""
        return (0.0, 1.0) if self.measure.right_or_wrong else self.measure.range

    def from_losses(self, answer: Interval) -> Interval:
        """Of accuracy, losses count the wrong rows: turned about."""
        if self.measure.right_or_wrong != 1:
            return answer
        return replace(answer, estimate=1 - answer.estimate, low=1 - answer.high, high=1 - answer.low)

    def at_size(self, sizes: Iterable[int] = ()) -> str:
        """The learner at the size of its training sets."""
        who = "the setting that is chosen from these" if self.learner == CHOSEN else "this learner"
        return learners_at(who, list(sizes) or [s.train_size for s in self.splits])

    def answered(self, q: LearnerProblem, chosen: InferenceMethod) -> LearnerAnswer:
        """The interval by a method, and of what it speaks."""
        if self.measure.of_losses and chosen.function is not bbc_of_learners and np.isinf(self.scores).any():
            made = _infinite(q, chosen.key)
        else:
            made = chosen.function(q)
        interval = replace(
            made.interval,
            name=self.measure.title,
            estimand=f"{made.subject}, {on_rows_like(self.dataset)}",
            note=sentences_of((made.interval.note, *made.notes)),
        )
        return LearnerAnswer(interval, made.subject)


LearnerProblem = Problem[LearnerScores]


class LearnerAnswer(NamedTuple):
    """An interval, of what it speaks (this learner at so many rows, these models), and what else is to be said."""

    interval: Interval
    subject: str
    notes: tuple[str, ...] = ()


def ask(
    run: ResampleResults,
    learner: str,
    data: str | None,
    metric: str,
    *,
    positive: Label | None = None,
    confidence: float = 0.95,
    rng: Rng = None,
    **options: object,
) -> LearnerProblem:
    """How good is this learner, by this metric, on this data set? Names are checked."""
    measure = find_measure(metric)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so learners cannot be judged by it")
    name = learner if learner == CHOSEN else run.learner_name(learner)
    sample = LearnerScores(
        run=run, learner=name, data=run.data_name(data), measure=measure, positive=positive, options=options
    )
    spec = IntervalSpec(confidence=confidence, rng=rng)
    return Problem(metric=measure, sample=sample, spec=spec, options=options)


def acting_plan(plan: Plan, splits: Sequence[Split]) -> Plan:
    """The plan as it is judged; foreign splitters are told by their test folds."""
    if plan._known:
        return plan
    if len(splits) == 1:
        return Holdout()
    if all(len(s.test) == 1 for s in splits) and len({s.repeat for s in splits}) == 1:
        return LeaveOneOut()
    return plan


def rounds_of_folds(splits: Sequence[Split]) -> int | None:
    """How often the rows were split into folds, each tested by a model of all other rows; None where they were not."""
    if len(splits) < 2 or any(s.train_size + len(s.test) != s.n for s in splits):
        return None
    return len({s.repeat for s in splits})


def learners_at(who: str, sizes: Sequence[int]) -> str:
    """Learners at a number of training rows; parts in order of time have models of growing numbers."""
    low, high = min(sizes), max(sizes)
    size = f"{low:,} to {high:,}" if high > MUCH_MORE * low else f"{round(sum(sizes) / len(sizes)):,}"
    return f"{who} at {size} training rows"


def these_models(models: int) -> str:
    """The models that were fitted, not the learner."""
    return "this model" if models == 1 else f"these {models:,} models"


def on_rows_like(data: Dataset) -> str:
    """The rows and the class mix that a result is for."""
    counts = np.bincount(data.codes, minlength=len(data.labels))
    return f"on rows like these {data.n:,}, {class_mix_words(data.labels, counts.tolist(), data.positive)}"


def left_out(missing: int, parts: int) -> str:
    """Test folds without a score."""
    return f"{whole(missing)} of {whole(parts)} test folds have no score and are left out" if missing else ""


def small_parts(splits: Sequence[Split]) -> str:
    """A word of warning where a test fold has fewer than 30 rows."""
    smallest = min((len(s.test) for s in splits), default=SMALL_TEST)
    return f"test folds of {whole(smallest)} rows, fewer than {SMALL_TEST}" if smallest < SMALL_TEST else ""


# What has to hold, in words (with the question's plan, where it is about that), and whether it does.
Condition = tuple[str | Callable[[Problem[Any]], str], Callable[[Problem[Any]], bool]]


@dataclass(frozen=True)
class Needs:
    """When a method applies: each condition with what it is in words."""

    conditions: tuple[Condition, ...]

    def __call__(self, q: Problem[Any]) -> bool:
        return not self.lacking(q)

    def lacking(self, q: Problem[Any]) -> str:
        """The first condition that does not hold; "" where all do."""
        words = next((words for words, holds in self.conditions if not holds(q)), "")
        return words if isinstance(words, str) else words(q)


def _rows(splits: Sequence[Split]) -> NDArray[np.intp]:
    return np.concatenate([s.test for s in splits])


def same_rows_each_round(splits: Sequence[Split]) -> bool:
    """Whether each repeat tests the same rows, each row once."""
    rounds = [np.sort(_rows([s for s in splits if s.repeat == r])) for r in {s.repeat for s in splits}]
    return bool((np.diff(rounds[0]) > 0).all()) and all(np.array_equal(rounds[0], rows) for rows in rounds[1:])


def _tested_once(splits: Sequence[Split]) -> bool:
    rows = _rows(splits)
    return len(np.unique(rows)) == len(rows)


MEAN_OF_ROWS: Condition = (
    "a metric that is a mean over rows (accuracy, error_rate, brier, log_loss)", lambda q: q.sample.of_rows
)  # fmt: skip
NESTED: Condition = ("the plan te.NestedCV", lambda q: q.sample.learner != CHOSEN or q.sample.nested)
SEVERAL: Condition = ("several test folds", lambda q: len(q.sample.splits) > 1)
AREA: Condition = ("the AUC as its metric", lambda q: q.metric.area == 1)
ROUNDS: Condition = (
    "repeats that each test the same rows, each row once", lambda q: same_rows_each_round(q.sample.splits)
)  # fmt: skip
TESTED_ONCE: Condition = (
    "rows that were each tested once, and these were tested again: use one round",
    lambda q: _tested_once(q.sample.splits),
)


def _of_plan(words: str, holds: Callable[[Plan], bool]) -> Condition:
    """A method for some plans; of the best of several settings there are others."""
    return (
        lambda q: f"the plan {words}, not {q.sample.run.plan.name}",
        lambda q: q.sample.learner != CHOSEN and holds(q.sample.plan),
    )


def learner_method(q: Problem[Any], method: str | None) -> InferenceMethod:
    """The method that was asked for, or the one that the plan calls for; one that does not apply says what it needs."""
    if method is None:
        return choose(q)
    try:
        return method_named(q, method)
    except NotOffered:
        every = {w: m for m in methods_on(q.on) for w in (m.word, m.key, *m.aliases)}
        if method not in every:
            raise InputError(f"method={method!r} is not known for learners{nearest(method, every)}") from None
        applies = every[method].applies
        need = applies.lacking(q) if isinstance(applies, Needs) else "another metric or plan"
        words = ", ".join(map(repr, words_for(q)))
        raise InputError(
            f"method={method!r} is not offered for {q.metric.name} here: it needs {need}; there are {words}"
        ) from None


def learner_interval(q: LearnerProblem, method: str | None = None) -> Interval:
    """The interval by the method asked for, or by the one that the plan calls for."""
    made: LearnerAnswer = answer(q, learner_method(q, method))
    return made.interval


def _infinite(q: LearnerProblem, key: str) -> LearnerAnswer:
    """A model that is certain and wrong once has an infinite log loss, and so has the mean."""
    bounds, n = q.metric.range, q.sample.dataset.n
    interval = q.spec.interval(
        q.metric.name, math.inf, math.nan, math.inf, bounds=bounds, method=key, n=n, note=INFINITE
    )
    return LearnerAnswer(interval, q.sample.at_size())


@inference_method("corrected-t", on=LEARNER, applies=Needs((NESTED, SEVERAL)))
def corrected_t_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """Over the test folds, with the variance that overlapping training sets add."""
    return _over_parts(q, corrected=True)


@inference_method("fold-t", on=LEARNER, aliases=("plain-t",), applies=Needs((NESTED, SEVERAL)))
def fold_t_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """Over the test folds as if they were independent: optimistic."""
    return _over_parts(q, corrected=False)


def _over_parts(q: LearnerProblem, *, corrected: bool) -> LearnerAnswer:
    s = q.sample
    known = ~np.isnan(s.scores)
    if not known.any():
        raise InputError(
            f"{s.measure.name} of {s.learner!r} is undefined on every test fold of {s.data!r}: see .failures"
        )
    splits = [split for split, has_score in zip(s.splits, known, strict=True) if has_score]
    scores, bounds, confidence, rows = s.scores[known], s.measure.range, q.spec.confidence, s.dataset.n
    pooled = taken_together(s.measure) and s.learner != CHOSEN
    notes = (left_out(int((~known).sum()), len(known)), small_parts(splits), POOLED if pooled else "")
    if corrected:
        sizes = [split.distinct for split in splits]
        interval = corrected_t_interval(
            scores, test_train_ratio=sum(len(split.test) for split in splits) / sum(sizes),
            repeats=rounds_of_folds(splits), bounds=bounds, confidence=confidence, rows=rows,
            round_of=None if rounds_of_folds(splits) is None else [split.repeat for split in splits],
        )  # fmt: skip
        subject = s.at_size(sizes)
    else:
        interval = fold_t(scores, bounds=bounds, confidence=confidence, rows=rows)
        subject = these_models(len(splits))
    if math.isnan(interval.low) and known.all() and s.learner != CHOSEN and s.run.plan.name != "Bootstrap":
        by_rows = _first_round(q)
        if abs(by_rows.interval.estimate - interval.estimate) < 1e-9:
            more = (by_rows.interval.note, *by_rows.notes, "all test folds score the same")
            return LearnerAnswer(replace(by_rows.interval, note=""), by_rows.subject, (*notes, *more))
    return LearnerAnswer(interval, subject, notes)


def _first_round(q: LearnerProblem) -> LearnerAnswer:
    """What the rows of one round say of its models, where test folds that score the same say nothing."""
    s = q.sample
    splits = [split for split in s.splits if split.repeat == s.splits[0].repeat]
    if s.of_rows:
        return _by_bayle(q, splits)
    p = s.run.predictions(s.data, learners=[s.learner], positive=s.positive)
    if p.has_key("repeats"):
        p = p.slice(p.keys("repeats").names[0], "repeats")
    interval = _ledell(q, p) if s.measure.area == 1 and len(splits) > 1 else _of_rows(q, p)
    return LearnerAnswer(interval, these_models(len(splits)))


def _of_rows(q: LearnerProblem, p: Predictions) -> Interval:
    """By the methods for models."""
    s = q.sample
    settings = Settings(confidence=q.spec.confidence, metrics={s.measure.name: s.options}, rng=q.spec.rng)
    label = s.positive if s.measure.of_one_class or s.measure.of_scores else None
    return ModelMetrics(s.learner, settings, predictions=p).interval(s.measure.name, label)


_ROW_BY_ROW = _of_plan("te.LeaveOneOut or te.BatesCV", lambda plan: bool(plan._judged))


@inference_method("bayle", on=LEARNER, applies=Needs((MEAN_OF_ROWS, TESTED_ONCE, _ROW_BY_ROW)))
def bayle_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """Over rows that were each tested once."""
    return _by_bayle(q, q.sample.splits)


def _by_bayle(q: LearnerProblem, splits: Sequence[Split]) -> LearnerAnswer:
    """From all splits, or those of the first round."""
    s = q.sample
    if not _tested_once(splits):
        raise InputError(f"Bayle's interval takes {TESTED_ONCE[0]}")
    rounds = {split.repeat for split in splits}
    tested = s.run.losses(s.learner, s.data, s.measure.name)
    losses = [x for (_, x), split in zip(tested, s.splits, strict=True) if split.repeat in rounds]
    interval = bayle(np.concatenate(losses), bounds=s.loss_range, confidence=q.spec.confidence)
    return LearnerAnswer(s.from_losses(interval), these_models(len(losses)), (STABLE,))


_BATES = _of_plan("te.BatesCV", lambda plan: isinstance(plan, BatesCV))


@inference_method("bates", on=LEARNER, applies=Needs((MEAN_OF_ROWS, _BATES)))
def bates_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """From fits without each fold and without each pair of folds."""
    s = q.sample
    repeats = s.run.pair_losses(s.learner, s.data, s.measure.name)
    interval = bates(repeats, bounds=s.loss_range, confidence=q.spec.confidence)
    return LearnerAnswer(s.from_losses(interval), s.at_size())


_HALVES = _of_plan("te.DisjointHalves", lambda plan: isinstance(plan, DisjointHalves))


@inference_method("conservative-z", on=LEARNER, applies=Needs((_HALVES,)))
def conservative_z_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """The mean over test folds of all rows, with the variance between disjoint halves."""
    s = q.sample
    table = s.run.fold_scores(s.measure.name, s.data, part="half", positive=s.positive, **s.options)
    scores = table.of(s.learner)
    if np.isnan(scores).any() or np.isnan(s.scores).any():
        raise InputError(f"{s.measure.name} of {s.learner!r} is undefined on some test folds: use larger ones")
    pairs = int(table.repeats.max()) + 1
    halves = [[float(scores[(table.repeats == m) & (table.folds == h)].mean()) for h in (0, 1)] for m in range(pairs)]
    interval = conservative_z(
        float(s.scores.mean()), halves, bounds=s.measure.range, confidence=q.spec.confidence, rows=s.dataset.n
    )
    note = "" if math.isnan(interval.low) else f"{pairs} pairs of disjoint halves"
    return LearnerAnswer(interval, s.at_size(), (note,))


def _bootstrap(kind: BootstrapError) -> Callable[[LearnerProblem], LearnerAnswer]:
    def answer(q: LearnerProblem) -> LearnerAnswer:
        s = q.sample
        ((_, apparent),) = s.run.losses(s.learner, s.data, s.measure.name, part="apparent")
        samples = [Bagged(rows, losses) for rows, losses in s.run.losses(s.learner, s.data, s.measure.name)]
        interval = bootstrap_error(
            samples, n=s.dataset.n, apparent=float(apparent.mean()), no_information=_no_information(s), kind=kind,
            bounds=s.loss_range, confidence=q.spec.confidence,
        )  # fmt: skip
        return LearnerAnswer(s.from_losses(interval), s.at_size([s.dataset.n]))

    return answer


_RESAMPLED = _of_plan("te.Bootstrap", lambda plan: isinstance(plan, Bootstrap))
_BOOTSTRAPS: dict[BootstrapError, tuple[str, ...]] = {"632+": (".632+",), "632": (".632",), "out-of-bag": ()}
for _kind, _aliases in _BOOTSTRAPS.items():
    inference_method(
        f"bootstrap-{_kind}", on=LEARNER, aliases=(_kind, *_aliases), applies=Needs((MEAN_OF_ROWS, _RESAMPLED))
    )(_bootstrap(_kind))


def _no_information(s: LearnerScores) -> float:
    """The mean loss if every true class met every answer of the model of all rows."""
    data = s.dataset
    outcome = s.run._checked_outcomes(s.measure, s.learner, s.data)[s.run.parts(s.data, "apparent")[0]]
    if not s.measure.of_losses:
        return no_information_rate(data.codes, outcome.labels)
    shares = np.bincount(data.codes, minlength=len(data.labels)) / data.n
    losses = [s.measure.function(np.full(data.n, k), outcome.scores) for k in range(len(shares))]
    return float(sum(share * float(np.mean(x)) for share, x in zip(shares, losses, strict=True)))


_FOLDS = _of_plan("te.DisjointHalves", lambda plan: not plan._of_models)


@inference_method("ledell", on=LEARNER, applies=Needs((AREA, _FOLDS)))
def ledell_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """The areas of these K models."""
    s = q.sample
    return LearnerAnswer(_ledell(q, s.run.predictions(s.data, learners=[s.learner])), these_models(len(s.splits)))


def _ledell(q: LearnerProblem, p: Predictions) -> Interval:
    from trueerror.curves._folds import auc_over_folds

    return auc_over_folds(p, method="ledell", model=q.sample.learner, confidence=q.spec.confidence)


OF_SETTINGS: Condition = ("the best of several settings", lambda q: q.sample.learner == CHOSEN)


@inference_method("bbc-cv", on=LEARNER, aliases=("bbc",), applies=Needs((MEAN_OF_ROWS, OF_SETTINGS)))
def bbc_of_learners(q: LearnerProblem) -> LearnerAnswer:
    """Every learner is a setting; rows that were tested in several repeats have their mean loss."""
    s, data = q.sample, q.sample.dataset
    if not s.of_rows:
        raise InputError(f"method='bbc-cv' needs {MEAN_OF_ROWS[0]}; {s.measure.name} of {CHOSEN!r} needs te.NestedCV")
    if s.run.plan.name == "Bootstrap":
        raise InputError("BBC-CV takes cross-validation, where each row is tested by each setting; use te.KFold")
    table = np.zeros((data.n, len(s.run.learners)))
    for j, learner in enumerate(s.run.learners):
        often = np.zeros(data.n)
        for rows, losses in s.run.losses(learner, s.data, s.measure.name):
            table[rows, j] += losses
            often[rows] += 1
        if (often == 0).any():
            raise InputError(
                f"row {int(np.argmin(often)) + 1:,} was never tested; BBC-CV needs every row tested: use te.KFold"
            )
        table[:, j] /= often
    interval = bbc_cv(
        table, bounds=s.loss_range, confidence=q.spec.confidence, clusters=data.cluster_codes, rng=q.spec.rng
    )
    return LearnerAnswer(s.from_losses(interval), s.at_size())


@inference_method("pooled", on=LEARNER, applies=Needs((NESTED, ROUNDS)))
def pooled_of_learner(q: LearnerProblem) -> LearnerAnswer:
    """The test rows of a round as one sample, by the methods for models; of several rounds the mean.

    Limits of the error are .8–1.1 times as wide as the oracle's, by the corrected t 1.0–1.7 (200 rows); they hold for
    these models, and for the learner if a few rows hardly change a model.
    """
    s, splits = q.sample, q.sample.splits
    p = s.run.predictions(s.data, learners=[s.learner], chosen_by=s.measure.name, positive=s.positive, **s.options)
    if len(splits) == 1:
        which = " of the chosen setting" if s.learner == CHOSEN else ""
        return LearnerAnswer(_of_rows(q, p), f"this model{which}, fitted to {splits[0].train_size:,} rows")
    lost = left_out(int(np.isnan(s.scores).sum()), len(splits))
    subject = learners_at(these_models(len(splits)), [x.train_size for x in splits])
    return LearnerAnswer(_of_rows(q, p), subject, (lost, LEARNER_TOO))


@partial(speaks, room="experiment", name="estimate")
def estimate_learner(
    run: ResampleResults,
    learner: str | None = None,
    data: str | None = None,
    metric: str = "accuracy",
    *,
    method: str | None = None,
    positive: Label | None = None,
    confidence: float = 0.95,
    rng: Rng = None,
    **options: object,
) -> Interval:
    """How good a learner is, with the interval that the plan calls for.

    Holdout: the methods for models, on the test rows ("this model"). KFold and other folds of all rows: the same on the
    rows of a round, the mean over rounds ("these K models"; the learner, too, if a few rows hardly change a model).
    Subsampling and other splitters: the corrected t ("this learner"). LeaveOneOut: Bayle ("these n models").
    Bootstrap: .632+. BatesCV: Bates, Hastie and Tibshirani. NestedCV: the corrected t over the outer folds, for "the
    chosen one" (the default learner there). On request: method="corrected-t" (the learner, whatever it is), "fold-t"
    (optimistic), "bayle", "632", "out-of-bag", "ledell" (AUC), "pooled", and "bbc-cv" for the best of all learners,
    with the optimism of choosing taken out. `result.estimand` says of what it speaks, `.explain()` how it is made.
    """
    if method in ("bbc", "bbc-cv"):
        learner = CHOSEN
    elif learner is None:
        learner = only_learner(run)
    question = ask(run, learner, data, metric, positive=positive, confidence=confidence, rng=rng, **options)
    return learner_interval(question, method)


def only_learner(run: ResampleResults) -> str:
    """The learner that is meant where none is named: the chosen one of a NestedCV plan, or the only one there is."""
    if run.plan.name == "NestedCV":
        return CHOSEN
    if len(run.learners) > 1:
        raise InputError(f"which learner? there are {', '.join(map(repr, run.learners))}")
    return run.learners[0]


def learner_roc(
    run: ResampleResults,
    learner: str | None = None,
    data: str | None = None,
    *,
    how: str = "pooled",
    positive: Label | None = None,
    chosen_by: str = "auc",
    **options: Any,
) -> Roc | AverageCurve:
    """The ROC curve of a learner: the test rows of one round in one ranking, or the curves of test folds averaged.

    "pooled" gives a `Roc`; scores of different folds must then be comparable. "vertical" (TPR at each FPR) and
    "threshold" give an `AverageCurve`, over the test folds of all repeats. Of a NestedCV plan "the chosen one" has a
    curve too: the settings chosen by the metric `chosen_by`.
    """
    check_word(how, ("pooled", "vertical", "threshold"), "how")
    name = only_learner(run) if learner is None else learner
    p = run.predictions(data, learners=[name], positive=positive, chosen_by=chosen_by)
    if how == "pooled":
        from trueerror.curves._roc import roc as curve

        if run.plan.name in ("Bootstrap", "Subsampling") and p.has_key("repeats"):
            raise InputError(f'{run.plan.name} tests rows again and again; use how="vertical" or how="threshold"')
        if p.has_key("repeats"):
            p = p.slice(p.keys("repeats").names[0], "repeats")
        pooled: Roc = curve(p, model=name, **options)
        return pooled
    from trueerror.curves._folds import AverageCurve, average_curves

    average = average_curves(p, how=how, model=name, **options)  # type: ignore[arg-type]
    assert isinstance(average, AverageCurve)
    # What is chosen by another metric has another area than `estimate` knows of.
    same = name != CHOSEN or chosen_by == "auc"
    area = _area_of(run, name, data, positive=positive, confidence=average.confidence) if same else None
    return replace(average, area=area)


def _area_of(run: ResampleResults, learner: str, data: str | None, **options: Any) -> Interval | None:
    """The AUC as `estimate` has it by default; None where the plan has no interval for it."""
    try:
        area = estimate_learner(run, learner, data, "auc", **options)
    except InputError:
        # The curve then keeps the mean of its own areas, and says so.
        return None
    return None if math.isnan(area.low) else area
