"""What an experiment answers about one learner: an estimate with its interval, and ROC curves.

The interval is the one that the plan calls for, or another on request; each says what it is an estimate of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._outcomes import CHOSEN, ResampleResults
from trueerror.findings.learners import SMALL_TEST
from trueerror.inference._spec import IntervalSpec
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
from trueerror.inputs._options import InputError, check_word, nearest
from trueerror.methods import default_for
from trueerror.metrics._registry import Measure, find_measure
from trueerror.resampling._plan import Plan, Split
from trueerror.results import Interval
from trueerror.results._format import whole
from trueerror.sources._predictions import Predictions
from trueerror.verbs._estimand import class_mix_words
from trueerror.verbs._model_metrics import ModelMetrics, Settings

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._roc import Roc

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """How good is this learner, by this metric, on this data set?"""

    run: ResampleResults
    learner: str
    data: str
    measure: Measure
    positive: Any
    options: Mapping[str, Any]
    confidence: float
    rng: Any = None

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        plain = not self.options and self.positive is None
        return self.measure.right_or_wrong != 0 or (self.measure.of_losses and plain)

    @cached_property
    def scores(self) -> Floats:
        """The metric on each test part; of the chosen setting, where choosing is asked for."""
        table = self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)
        if self.learner != CHOSEN:
            return table.of(self.learner)
        picked = self.run.chosen(self.measure.name, self.data, positive=self.positive, **self.options)
        rows = [self.run.learners.index(name) for name in picked]
        found: Floats = table.values[rows, np.arange(len(rows))]
        return found

    @property
    def splits(self) -> list[Split]:
        """The splits with ordinary test parts."""
        every = self.run.splits[self.data]
        return [every[i] for i in self.run.parts(self.data)]

    def settled(self, made: Interval, estimand: str, *notes: str) -> Interval:
        """The result under the metric's name, with what it is an estimate of."""
        words = "; ".join(w for w in (made.note, *notes) if w)
        return replace(made, name=self.measure.title, estimand=estimand, note=words)

    def from_losses(self, made: Interval) -> Interval:
        """Of accuracy, losses count the wrong rows: turned about."""
        if self.measure.right_or_wrong != 1:
            return made
        return replace(made, estimate=1 - made.estimate, low=1 - made.high, high=1 - made.low)

    @property
    def dataset(self) -> Dataset:
        """The rows."""
        return self.run.datasets[self.data]


def ask(
    run: ResampleResults,
    learner: str,
    data: str | None,
    metric: str,
    *,
    positive: Any = None,
    confidence: float = 0.95,
    rng: Any = None,
    **options: Any,
) -> Question:
    """A question with its names checked."""
    measure = find_measure(metric)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so learners cannot be judged by it")
    name = learner if learner == CHOSEN else run.learner_name(learner)
    return Question(
        run=run, learner=name, data=run.data_name(data), measure=measure, positive=positive, options=options,
        confidence=confidence, rng=rng,
    )  # fmt: skip


# Training parts whose sizes differ by more than this factor are told as a range.
MUCH_MORE = 1.2
SITUATIONS = {
    "Holdout": "learner-holdout",
    "LeaveOneOut": "learner-leave-one-out",
    "Bootstrap": "learner-bootstrap",
    "BatesCV": "learner-pairs-of-folds",
    "DisjointHalves": "learner-halves",
}


def plan_situation(plan: Plan, splits: Sequence[Split]) -> str:
    """The row of the decision table for a plan; foreign splitters are told by their test parts."""
    if plan.name in SITUATIONS:
        return SITUATIONS[plan.name]
    if len(splits) == 1:
        return "learner-holdout"
    if all(len(s.test) == 1 for s in splits) and len({s.repeat for s in splits}) == 1:
        return "learner-leave-one-out"
    return "learner-folds"


def _class_mix(data: Dataset) -> str:
    """The class mix that a result is for."""
    counts = np.bincount(data.codes, minlength=len(data.labels))
    return class_mix_words(data.labels, counts.tolist(), data.positive)


def rounds_of_folds(splits: Sequence[Split]) -> int | None:
    """How often the rows were split into folds, each tested by a model of all other rows; None where they were not."""
    if len(splits) < 2 or any(s.train_size + len(s.test) != s.n for s in splits):
        return None
    return len({s.repeat for s in splits})


def learner_at(data: Dataset, sizes: Sequence[int], chosen: bool = False) -> str:
    """The learner, at a number of training rows; parts in order of time have models of growing numbers."""
    who = "the setting that is chosen from these" if chosen else "this learner"
    low, high = min(sizes), max(sizes)
    shown = f"{low:,} to {high:,}" if high > MUCH_MORE * low else f"{round(sum(sizes) / len(sizes)):,}"
    return f"{who} at {shown} training rows, on rows like these {data.n:,}, {_class_mix(data)}"


def these_models(data: Dataset, models: int) -> str:
    """The models that were fitted, not the learner."""
    which = "this model" if models == 1 else f"these {models:,} models"
    return f"{which}, on rows like these {data.n:,}, {_class_mix(data)}"


def as_it_stands(data: Dataset, size: int, chosen: bool = False) -> str:
    """One model."""
    which = " of the chosen setting" if chosen else ""
    return f"this model{which}, fitted to {size:,} rows, on rows like these {data.n:,}, {_class_mix(data)}"


def left_out(missing: int, parts: int) -> str:
    """Test parts without a score."""
    return f"{whole(missing)} of {whole(parts)} test parts have no score and are left out" if missing else ""


def small_parts(splits: Sequence[Split]) -> str:
    """A word of warning where a test part has fewer than 30 rows."""
    smallest = min((len(s.test) for s in splits), default=SMALL_TEST)
    return f"test parts of {whole(smallest)} rows, fewer than {SMALL_TEST}" if smallest < SMALL_TEST else ""


# What people may write for a method, besides its key.
WORDS = {
    "632+": "bootstrap-632+", ".632+": "bootstrap-632+", "632": "bootstrap-632", ".632": "bootstrap-632",
    "out-of-bag": "bootstrap-out-of-bag", "bbc": "bbc-cv", "plain-t": "fold-t",
}  # fmt: skip
# Bayle's theorem; finding TE510 has the figures.
STABLE = "if one row hardly changes a model"


def learner_interval(question: Question, method: str | None) -> Interval:
    """The interval by the method asked for, or by the one that the plan calls for."""
    q = question
    key = _default(q) if method is None else WORDS.get(method, method)
    if key not in METHODS:
        raise InputError(f"method={method!r} is not known for learners{nearest(str(method), [*METHODS, *WORDS])}")
    if q.learner == CHOSEN and key not in ("corrected-t", "fold-t", "bbc-cv", "pooled"):
        raise InputError(f'method={method!r} is not offered for the chosen setting; use "corrected-t" or "bbc-cv"')
    if not q.of_rows and key in ("bates", "bayle", "bbc-cv", "bootstrap-632+", "bootstrap-632", "bootstrap-out-of-bag"):
        raise InputError(
            f"method={method!r} needs a metric that is a mean over rows (accuracy, error_rate, brier, log_loss); "
            f"for {q.measure.name} use 'corrected-t'"
        )
    if q.measure.of_losses and key != "bbc-cv" and np.isinf(q.scores).any():
        return q.settled(_infinite(q, key), learner_at(q.dataset, [s.train_size for s in q.splits]))
    return METHODS[key](q)


def _default(q: Question) -> str:
    """The method that the plan calls for."""
    situation = plan_situation(q.run.plan, q.splits)
    key = default_for("chosen-setting" if q.learner == CHOSEN else situation)
    if not q.of_rows and key in ("bates", "bootstrap-632+"):
        return "corrected-t"
    # One test part, or parts of one row each, have no spread between them: the rows are taken together.
    alone = situation == "learner-leave-one-out" and (q.learner == CHOSEN or not q.of_rows or _clustered(q))
    return "pooled" if alone or situation == "learner-holdout" else key


def _infinite(q: Question, key: str) -> Interval:
    """A model that is certain and wrong once has an infinite log loss, and so has the mean."""
    return IntervalSpec(confidence=q.confidence).interval(
        q.measure.name, math.inf, math.nan, math.inf, bounds=q.measure.range, method=key, n=q.dataset.n, note=INFINITE
    )


def _clustered(q: Question) -> bool:
    return q.dataset.clusters is not None


def _t(q: Question, *, corrected: bool) -> Interval:
    known = ~np.isnan(q.scores)
    if not known.any():
        raise InputError(
            f"{q.measure.name} of {q.learner!r} is undefined on every test part of {q.data!r}: see .failures"
        )
    splits = [s for s, has_score in zip(q.splits, known, strict=True) if has_score]
    scores = q.scores[known]
    notes = [left_out(int((~known).sum()), len(known)), small_parts(splits)]
    if corrected:
        sizes = [s.distinct for s in splits]
        ratio = sum(len(s.test) for s in splits) / sum(sizes)
        made = corrected_t_interval(
            scores, test_train_ratio=ratio, repeats=rounds_of_folds(splits), bounds=q.measure.range,
            confidence=q.confidence, rows=q.dataset.n,
        )  # fmt: skip
        estimand = learner_at(q.dataset, sizes, q.learner == CHOSEN)
    else:
        made = fold_t(scores, bounds=q.measure.range, confidence=q.confidence, rows=q.dataset.n)
        estimand = these_models(q.dataset, len(splits))
    if math.isnan(made.low) and known.all() and q.learner != CHOSEN and q.run.plan.name != "Bootstrap":
        rows = _first_round(q)
        if abs(rows.estimate - made.estimate) < 1e-9:
            notes += [rows.note, "all test parts score the same"]
            return replace(rows, note="; ".join(w for w in notes if w))
    return q.settled(made, estimand, *notes)


def _first_round(q: Question) -> Interval:
    """What the rows of one round say of its models, where test parts that score the same say nothing."""
    if q.of_rows:
        return _bayle(q, first_round=True)
    p = q.run.predictions(q.data, learners=[q.learner], positive=q.positive)
    if p.has_key("repeats"):
        p = p.slice(p.keys("repeats").names[0], "repeats")
    models = sum(s.repeat == q.splits[0].repeat for s in q.splits)
    if q.measure.area == 1 and models > 1:
        from trueerror.curves._folds import auc_over_folds

        made = auc_over_folds(p, method="ledell", model=q.learner, confidence=q.confidence)
    else:
        made = _of_rows(q, p)
    return q.settled(made, these_models(q.dataset, models))


def _of_rows(q: Question, p: Predictions) -> Interval:
    """By the methods for models."""
    settings = Settings(confidence=q.confidence, metrics={q.measure.name: q.options}, rng=q.rng)
    label = q.positive if q.measure.of_one_class or q.measure.of_scores else None
    return ModelMetrics(q.learner, settings, predictions=p).interval(q.measure.name, label)


def _bayle(q: Question, *, first_round: bool = False) -> Interval:
    losses = q.run.losses(q.learner, q.data, q.measure.name)
    splits = q.splits
    if first_round:
        losses = [x for x, s in zip(losses, splits, strict=True) if s.repeat == splits[0].repeat]
    rows = np.concatenate([rows for rows, _ in losses])
    if len(np.unique(rows)) != len(rows):
        raise InputError(
            "Bayle's interval takes rows that were each tested once; these were tested again: use one round"
        )
    made = bayle(np.concatenate([x for _, x in losses]), bounds=_loss_range(q), confidence=q.confidence)
    return q.settled(q.from_losses(made), these_models(q.dataset, len(losses)), STABLE)


def _loss_range(q: Question) -> tuple[float, float]:
    return (0.0, 1.0) if q.measure.right_or_wrong else q.measure.range


def _bates(q: Question) -> Interval:
    made = bates(q.run.pair_losses(q.learner, q.data, q.measure.name), bounds=_loss_range(q), confidence=q.confidence)
    return q.settled(q.from_losses(made), learner_at(q.dataset, [s.train_size for s in q.splits]))


def _conservative_z(q: Question) -> Interval:
    """The mean over test parts of all rows, with the variance between disjoint halves."""
    table = q.run.fold_scores(q.measure.name, q.data, part="half", positive=q.positive, **q.options)
    if not table.values.size:
        raise InputError(f"the conservative z needs the plan te.DisjointHalves, not {q.run.plan.name}")
    scores = table.of(q.learner)
    if np.isnan(scores).any() or np.isnan(q.scores).any():
        raise InputError(f"{q.measure.name} of {q.learner!r} is undefined on some test parts: use larger ones")
    pairs = int(table.repeats.max()) + 1
    halves = [[float(scores[(table.repeats == m) & (table.folds == h)].mean()) for h in (0, 1)] for m in range(pairs)]
    made = conservative_z(
        float(q.scores.mean()), halves, bounds=q.measure.range, confidence=q.confidence, rows=q.dataset.n
    )
    note = "" if math.isnan(made.low) else f"{pairs} pairs of disjoint halves"
    return q.settled(made, learner_at(q.dataset, [s.train_size for s in q.splits]), note)


def _bootstrap(q: Question, kind: BootstrapError) -> Interval:
    whole = q.run.losses(q.learner, q.data, q.measure.name, part="apparent")
    if not whole:
        raise InputError(f"bootstrap errors need the plan te.Bootstrap, not {q.run.plan.name}")
    samples = [Bagged(rows, losses) for rows, losses in q.run.losses(q.learner, q.data, q.measure.name)]
    data = q.dataset
    made = bootstrap_error(
        samples, n=data.n, apparent=float(whole[0][1].mean()), no_information=_no_information(q), kind=kind,
        bounds=_loss_range(q), confidence=q.confidence,
    )  # fmt: skip
    return q.settled(q.from_losses(made), learner_at(data, [data.n]))


def _no_information(q: Question) -> float:
    """The mean loss if every true class met every answer of the model of all rows."""
    data = q.dataset
    outcome = q.run.outcomes[q.data, q.learner][q.run.parts(q.data, "apparent")[0]]
    if not q.measure.of_losses:
        return no_information_rate(data.codes, outcome.labels)
    shares = np.bincount(data.codes, minlength=len(data.labels)) / data.n
    losses = [q.measure.function(np.full(data.n, k), outcome.scores) for k in range(len(shares))]
    return float(sum(share * float(np.mean(x)) for share, x in zip(shares, losses, strict=True)))


def _pooled(q: Question) -> Interval:
    """The test rows as one sample, by the methods for models."""
    p = q.run.predictions(q.data, learners=[q.learner], chosen_by=q.measure.name, positive=q.positive, **q.options)
    if p.has_key("repeats"):
        raise InputError("rows were tested in several repeats; pooling would count them again: use 'corrected-t'")
    made = _of_rows(q, p)
    data, splits = q.dataset, q.splits
    if len(splits) == 1:
        return q.settled(made, as_it_stands(data, splits[0].train_size, q.learner == CHOSEN))
    return q.settled(made, these_models(data, len(splits)))


def _ledell(q: Question) -> Interval:
    if q.measure.area != 1:
        raise InputError(f"method='ledell' is for the AUC, not for {q.measure.name}")
    from trueerror.curves._folds import auc_over_folds

    p = q.run.predictions(q.data, learners=[q.learner])
    made = auc_over_folds(p, method="ledell", model=q.learner, confidence=q.confidence)
    return q.settled(made, these_models(q.dataset, len(q.splits)))


def _bbc(q: Question) -> Interval:
    """Every learner is a setting; rows that were tested in several repeats have their mean loss."""
    data = q.dataset
    if q.run.plan.name == "Bootstrap":
        raise InputError("BBC-CV takes cross-validation, where each row is tested by each setting; use te.KFold")
    table = np.zeros((data.n, len(q.run.learners)))
    for j, learner in enumerate(q.run.learners):
        often = np.zeros(data.n)
        for rows, losses in q.run.losses(learner, q.data, q.measure.name):
            table[rows, j] += losses
            often[rows] += 1
        if (often == 0).any():
            raise InputError(
                f"row {int(np.argmin(often)) + 1:,} was never tested; BBC-CV needs every row tested: use te.KFold"
            )
        table[:, j] /= often
    made = bbc_cv(table, bounds=_loss_range(q), confidence=q.confidence, rng=q.rng)
    return q.settled(q.from_losses(made), learner_at(data, [s.train_size for s in q.splits], chosen=True))


METHODS: dict[str, Callable[[Question], Interval]] = {
    "corrected-t": lambda q: _t(q, corrected=True),
    "fold-t": lambda q: _t(q, corrected=False),
    "bayle": _bayle,
    "bates": _bates,
    "conservative-z": _conservative_z,
    "bootstrap-632+": lambda q: _bootstrap(q, "632+"),
    "bootstrap-632": lambda q: _bootstrap(q, "632"),
    "bootstrap-out-of-bag": lambda q: _bootstrap(q, "out-of-bag"),
    "ledell": _ledell,
    "bbc-cv": _bbc,
    "pooled": _pooled,
}


def estimate_learner(
    run: ResampleResults,
    learner: str | None = None,
    data: str | None = None,
    metric: str = "accuracy",
    *,
    method: str | None = None,
    positive: Any = None,
    confidence: float = 0.95,
    rng: Any = None,
    **options: Any,
) -> Interval:
    """How good a learner is, with the interval that the plan calls for.

    Holdout: the methods for models, on the test rows ("this model"). KFold, Subsampling and other splitters: the
    corrected t. LeaveOneOut: Bayle ("these n models"). Bootstrap: .632+. BatesCV: Bates, Hastie and Tibshirani.
    NestedCV: the corrected t over the outer folds, for "the chosen one" (the default learner there) or a single
    setting. On request: method="fold-t" (optimistic), "bayle", "632", "out-of-bag", "ledell" (AUC), "pooled", and
    "bbc-cv" for the best of all learners, with the optimism of choosing taken out. `result.estimand` says of what it
    speaks, `.explain()` how it is made.
    """
    if learner is None:
        learner = CHOSEN if method in ("bbc", "bbc-cv") else only_learner(run)
    if learner == CHOSEN and run.plan.name != "NestedCV":
        method = method or "bbc-cv"
        if method not in ("bbc", "bbc-cv"):
            raise InputError(f"method={method!r} for {CHOSEN!r} needs the plan te.NestedCV; use method='bbc-cv'")
    if method in ("bbc", "bbc-cv"):
        learner = CHOSEN
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
    positive: Any = None,
    chosen_by: str = "auc",
    **options: Any,
) -> Roc | AverageCurve:
    """The ROC curve of a learner: the test rows of one round in one ranking, or the curves of test parts averaged.

    "pooled" gives a `Roc`; scores of different folds must then be comparable. "vertical" (TPR at each FPR) and
    "threshold" give an `AverageCurve`, over the test parts of all repeats. Of a NestedCV plan "the chosen one" has a
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
        return curve(p, model=name, **options)
    from trueerror.curves._folds import average_curves

    made = average_curves(p, how=how, model=name, **options)  # type: ignore[arg-type]
    # What is chosen by another metric has another area than `estimate` knows of.
    same = name != CHOSEN or chosen_by == "auc"
    area = _area(run, name, data, positive=positive, confidence=made.confidence) if same else None
    return replace(made, area=area)


def _area(run: ResampleResults, learner: str, data: str | None, **options: Any) -> Interval | None:
    """The AUC as `estimate` has it by default; None where the plan has no interval for it."""
    try:
        found = estimate_learner(run, learner, data, "auc", **options)
    except InputError:
        # The curve then keeps the mean of its own areas, and says so.
        return None
    return None if math.isnan(found.low) else found
