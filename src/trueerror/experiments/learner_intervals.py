"""One learner, one metric, one data set: the interval that the plan calls for, and the others on request."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learner_words import (
    as_it_stands,
    learner_at,
    left_out,
    plan_situation,
    small_parts,
    these_models,
)
from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.bates import bates
from trueerror.intervals.bootstrap_errors import Bagged, bootstrap_error, no_information_rate
from trueerror.intervals.chosen_setting import bbc_cv
from trueerror.intervals.learners import bayle, conservative_z, corrected_t_interval, fold_t
from trueerror.methods import default_for
from trueerror.metrics.registry import Measure, find_measure
from trueerror.results import Interval
from trueerror.verbs.bench import Bench
from trueerror.verbs.settings import Settings

Floats = NDArray[np.float64]
# The name under which NestedCV and BBC-CV speak of whichever setting wins.
CHOSEN = "the chosen one"
# What people may write for a method, besides its key.
WORDS = {
    "632+": "bootstrap-632+", ".632+": "bootstrap-632+", "632": "bootstrap-632", ".632": "bootstrap-632",
    "out-of-bag": "bootstrap-out-of-bag", "bbc": "bbc-cv", "plain-t": "fold-t",
}  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """How good is this learner, by this metric, on this data set?"""

    run: Experiment
    learner: str
    data: str
    measure: Measure
    positive: Any
    options: dict[str, Any]
    confidence: float
    rng: Any = None

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return self.measure.name in ("accuracy", "error_rate") or (
            self.measure.needs == "losses" and not self.options and self.positive is None
        )

    @cached_property
    def scores(self) -> Floats:
        """The metric on each test part; of the chosen setting, where choosing is asked for."""
        table = self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)
        if self.learner != CHOSEN:
            return table.of(self.learner)
        picked = self.run.chosen(self.measure.name, self.data)
        rows = [self.run.learners.index(name) for name in picked]
        found: Floats = table.values[rows, np.arange(len(rows))]
        return found

    @property
    def splits(self) -> list[Any]:
        """The splits with ordinary test parts."""
        every = self.run.splits[self.data]
        return [every[i] for i in self.run.parts(self.data)]

    def settled(self, made: Interval, estimand: str, *notes: str) -> Interval:
        """The result under the metric's name, with what it is an estimate of."""
        words = "; ".join(w for w in (made.note, *notes) if w)
        return replace(made, name=self.measure.title, estimand=estimand, note=words)

    def from_losses(self, made: Interval) -> Interval:
        """Of accuracy, losses count the wrong rows: turned about."""
        if self.measure.name != "accuracy":
            return made
        return replace(made, estimate=1 - made.estimate, low=1 - made.high, high=1 - made.low)

    @property
    def common(self) -> dict[str, Any]:
        """What every interval takes."""
        return {"bounds": self.measure.range, "confidence": self.confidence, "rows": self.run.datasets[self.data].n}


def learner_interval(question: Question, method: str | None) -> Interval:
    """The interval by the method asked for, or by the one that the plan calls for."""
    q = question
    situation = plan_situation(q.run.plan, q.splits)
    if method is None:
        key = default_for("chosen-setting" if q.learner == CHOSEN else situation)
        if not q.of_rows and key in ("bates", "bootstrap-632+"):
            key = "corrected-t"
        elif situation == "learner-holdout" or (key == "bayle" and (not q.of_rows or _clustered(q))):
            key = "pooled"
    else:
        key = WORDS.get(method, method)
    if key not in MAKERS:
        raise InputError(f"method={method!r} is not known for learners{nearest(str(method), [*MAKERS, *WORDS])}")
    if q.learner == CHOSEN and key not in ("corrected-t", "fold-t", "bbc-cv"):
        raise InputError(f'method={method!r} is not offered for the chosen setting; use "corrected-t" or "bbc-cv"')
    if not q.of_rows and key in ("bates", "bayle", "bbc-cv", "bootstrap-632+", "bootstrap-632", "bootstrap-out-of-bag"):
        raise InputError(
            f"method={method!r} needs a metric that is a mean over rows (accuracy, error_rate, brier, log_loss); "
            f"for {q.measure.name} use 'corrected-t'"
        )
    return MAKERS[key](q)


def _clustered(q: Question) -> bool:
    return q.run.datasets[q.data].clusters is not None


def _t(q: Question, *, corrected: bool) -> Interval:
    known = ~np.isnan(q.scores)
    if not known.any():
        raise InputError(
            f"{q.measure.name} of {q.learner!r} is undefined on every test part of {q.data!r}: see .failures"
        )
    splits = [s for s, there in zip(q.splits, known, strict=True) if there]
    scores = q.scores[known]
    notes = [left_out(int((~known).sum()), len(known)), small_parts(splits)]
    rounds = len({s.repeat for s in splits}) if q.run.plan.name != "Subsampling" else 0
    if corrected:
        ratio = sum(len(s.test) for s in splits) / sum(_distinct(s) for s in splits)
        made = corrected_t_interval(
            scores, test_train_ratio=ratio, repeats=1 if rounds == 1 and len(splits) > 1 else None, **q.common
        )
        estimand = learner_at(
            q.run.datasets[q.data], float(np.mean([_distinct(s) for s in splits])), q.learner == CHOSEN
        )
    else:
        made = fold_t(scores, **q.common)
        estimand = these_models(q.run.datasets[q.data], len(splits))
    if math.isnan(made.low) and q.of_rows and known.all() and q.learner != CHOSEN and q.run.plan.name != "Bootstrap":
        pooled = _bayle(q, first_round=True)
        return replace(pooled, note="; ".join(w for w in (*notes, pooled.note, "all test parts score the same") if w))
    return q.settled(made, estimand, *notes)


def _distinct(split: Any) -> int:
    """How many different rows a model was fitted to."""
    return split.train_size if split.drawn is None else len(np.unique(split.drawn))


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
    return q.settled(q.from_losses(made), these_models(q.run.datasets[q.data], len(losses)))


def _loss_range(q: Question) -> tuple[float, float]:
    return (0.0, 1.0) if q.measure.name == "accuracy" else q.measure.range


def _bates(q: Question) -> Interval:
    made = bates(q.run.pair_losses(q.learner, q.data, q.measure.name), bounds=_loss_range(q), confidence=q.confidence)
    size = float(np.mean([s.train_size for s in q.splits]))
    return q.settled(q.from_losses(made), learner_at(q.run.datasets[q.data], size))


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
    made = conservative_z(float(q.scores.mean()), halves, **q.common)
    size = float(np.mean([s.train_size for s in q.splits]))
    note = "" if math.isnan(made.low) else f"{pairs} pairs of disjoint halves"
    return q.settled(made, learner_at(q.run.datasets[q.data], size), note)


def _bootstrap(q: Question, kind: Any) -> Interval:
    whole = q.run.losses(q.learner, q.data, q.measure.name, part="apparent")
    if not whole:
        raise InputError(f"bootstrap errors need the plan te.Bootstrap, not {q.run.plan.name}")
    samples = [Bagged(rows, losses) for rows, losses in q.run.losses(q.learner, q.data, q.measure.name)]
    data = q.run.datasets[q.data]
    made = bootstrap_error(
        samples, n=data.n, apparent=float(whole[0][1].mean()), no_information=_no_information(q), kind=kind,
        bounds=_loss_range(q), confidence=q.confidence,
    )  # fmt: skip
    return q.settled(q.from_losses(made), learner_at(data, data.n))


def _no_information(q: Question) -> float:
    """The mean loss if every true class met every answer of the model of all rows."""
    data = q.run.datasets[q.data]
    outcome = q.run.outcomes[q.data, q.learner][q.run.parts(q.data, "apparent")[0]]
    if q.measure.needs != "losses":
        return no_information_rate(data.codes, outcome.labels)
    shares = np.bincount(data.codes, minlength=len(data.labels)) / data.n
    losses = [q.measure.function(np.full(data.n, k), outcome.scores) for k in range(len(shares))]
    return float(sum(share * float(np.mean(x)) for share, x in zip(shares, losses, strict=True)))


def _pooled(q: Question) -> Interval:
    """The test rows as one sample, by the methods for models."""
    p = q.run.predictions(q.data, learners=[q.learner])
    if p.has_key("repeats"):
        raise InputError("rows were tested in several repeats; pooling would count them again: use 'corrected-t'")
    settings = Settings(confidence=q.confidence, metrics={q.measure.name: q.options}, rng=q.rng)
    label = q.positive if q.measure.needs in ("binary", "scores") else None
    made = Bench(q.learner, settings, predictions=p).interval(q.measure.name, label)
    data, splits = q.run.datasets[q.data], q.splits
    if len(splits) == 1:
        return q.settled(made, as_it_stands(data, splits[0].train_size))
    return q.settled(made, these_models(data, len(splits)))


def _ledell(q: Question) -> Interval:
    if q.measure.name != "auc":
        raise InputError(f"method='ledell' is for the AUC, not for {q.measure.name}")
    from trueerror.curves.fold_areas import auc_over_folds

    p = q.run.predictions(q.data, learners=[q.learner])
    made = auc_over_folds(p, method="ledell", model=q.learner, confidence=q.confidence)
    return q.settled(made, these_models(q.run.datasets[q.data], len(q.splits)))


def _bbc(q: Question) -> Interval:
    """Every learner is a setting; rows that were tested in several repeats have their mean loss."""
    data = q.run.datasets[q.data]
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
    size = float(np.mean([s.train_size for s in q.splits]))
    return q.settled(q.from_losses(made), learner_at(data, size, chosen=True))


MAKERS: dict[str, Callable[[Question], Interval]] = {
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


def ask(
    run: Experiment,
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
