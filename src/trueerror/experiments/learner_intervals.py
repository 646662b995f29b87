"""One learner, one metric, one data set: the interval that the plan calls for, and the others on request."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.experiments.learner_questions import Question
from trueerror.experiments.learner_words import (
    as_it_stands,
    learner_at,
    left_out,
    plan_situation,
    rounds_of_folds,
    small_parts,
    these_models,
)
from trueerror.experiments.scored_parts import CHOSEN
from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.bates import bates
from trueerror.intervals.bootstrap_errors import Bagged, bootstrap_error, no_information_rate
from trueerror.intervals.chosen_setting import bbc_cv
from trueerror.intervals.learners import bayle, conservative_z, corrected_t_interval, fold_t
from trueerror.intervals.losses import INFINITE
from trueerror.intervals.terms import Terms
from trueerror.methods import default_for
from trueerror.results import Interval
from trueerror.rows.predictions import Predictions
from trueerror.verbs.bench import Bench
from trueerror.verbs.settings import Settings

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
    if key not in MAKERS:
        raise InputError(f"method={method!r} is not known for learners{nearest(str(method), [*MAKERS, *WORDS])}")
    if q.learner == CHOSEN and key not in ("corrected-t", "fold-t", "bbc-cv", "pooled"):
        raise InputError(f'method={method!r} is not offered for the chosen setting; use "corrected-t" or "bbc-cv"')
    if not q.of_rows and key in ("bates", "bayle", "bbc-cv", "bootstrap-632+", "bootstrap-632", "bootstrap-out-of-bag"):
        raise InputError(
            f"method={method!r} needs a metric that is a mean over rows (accuracy, error_rate, brier, log_loss); "
            f"for {q.measure.name} use 'corrected-t'"
        )
    if q.measure.name == "log_loss" and key != "bbc-cv" and np.isinf(q.scores).any():
        return q.settled(_infinite(q, key), learner_at(q.run.datasets[q.data], [s.train_size for s in q.splits]))
    return MAKERS[key](q)


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
    terms = Terms(confidence=q.confidence)
    rows = q.run.datasets[q.data].n
    return terms.interval(
        q.measure.name, math.inf, math.nan, math.inf, bounds=q.measure.range, method=key, n=rows, note=INFINITE
    )


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
    if corrected:
        sizes = [s.distinct for s in splits]
        ratio = sum(len(s.test) for s in splits) / sum(sizes)
        made = corrected_t_interval(scores, test_train_ratio=ratio, repeats=rounds_of_folds(splits), **q.common)
        estimand = learner_at(q.run.datasets[q.data], sizes, q.learner == CHOSEN)
    else:
        made = fold_t(scores, **q.common)
        estimand = these_models(q.run.datasets[q.data], len(splits))
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
    if q.measure.name == "auc" and models > 1:
        from trueerror.curves.fold_areas import auc_over_folds

        made = auc_over_folds(p, method="ledell", model=q.learner, confidence=q.confidence)
    else:
        made = _of_rows(q, p)
    return q.settled(made, these_models(q.run.datasets[q.data], models))


def _of_rows(q: Question, p: Predictions) -> Interval:
    """By the methods for models."""
    settings = Settings(confidence=q.confidence, metrics={q.measure.name: q.options}, rng=q.rng)
    label = q.positive if q.measure.needs in ("binary", "scores") else None
    return Bench(q.learner, settings, predictions=p).interval(q.measure.name, label)


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
    return q.settled(q.from_losses(made), these_models(q.run.datasets[q.data], len(losses)), STABLE)


def _loss_range(q: Question) -> tuple[float, float]:
    return (0.0, 1.0) if q.measure.name == "accuracy" else q.measure.range


def _bates(q: Question) -> Interval:
    made = bates(q.run.pair_losses(q.learner, q.data, q.measure.name), bounds=_loss_range(q), confidence=q.confidence)
    return q.settled(q.from_losses(made), learner_at(q.run.datasets[q.data], [s.train_size for s in q.splits]))


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
    note = "" if math.isnan(made.low) else f"{pairs} pairs of disjoint halves"
    return q.settled(made, learner_at(q.run.datasets[q.data], [s.train_size for s in q.splits]), note)


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
    return q.settled(q.from_losses(made), learner_at(data, [data.n]))


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
    p = q.run.predictions(q.data, learners=[q.learner], chosen_by=q.measure.name, positive=q.positive, **q.options)
    if p.has_key("repeats"):
        raise InputError("rows were tested in several repeats; pooling would count them again: use 'corrected-t'")
    made = _of_rows(q, p)
    data, splits = q.run.datasets[q.data], q.splits
    if len(splits) == 1:
        return q.settled(made, as_it_stands(data, splits[0].train_size, q.learner == CHOSEN))
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
    return q.settled(q.from_losses(made), learner_at(data, [s.train_size for s in q.splits], chosen=True))


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
