"""Scores of the test folds of one or several models, and what they say of the learner behind them.

A mean over rows has its mean on each fold. A ratio of counts (F1, precision, recall, Matthews' correlation, kappa) is
taken of all counts together: a fold with one positive has F1 0, ⅔ or 1, and the mean of such values is not F1. Each
fold's share in it is its jackknife pseudo-value, so that the corrected t can be used for both.

Source: Forman and Scholz 2010, SIGKDD Explor. 12(1):49; Tukey 1958, Ann. Math. Stat. 29:614; Nadeau and Bengio 2003,
Machine Learning 52:239.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._answer import interval_of
from trueerror.inference._contrast import of_better
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._sample import OneSample
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference.auc._multiclass import ClassScoreSample
from trueerror.inference.auc._within_folds import (
    FoldedRows,
    clustered_within_folds_interval,
    mean_over_folds,
    within_folds_interval,
)
from trueerror.inference.learner._intervals import corrected_t_interval
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, InferenceMethod, inference_method, methods_on
from trueerror.metrics._registry import (
    ClassScores,
    Measure,
    MetricOptions,
    Prior,
    Seen,
    check_metric_options,
    ranks_rows,
    value,
)
from trueerror.results import Contrast, Interval
from trueerror.results._format import whole
from trueerror.results._values import sentences_of
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import class_scored_rows, scored_rows
from trueerror.tallies import Confusion, ScoreTable
from trueerror.tallies._confusion import Ints

POOLED = "counts of all folds together"


def taken_together(measure: Measure) -> bool:
    """Whether a metric of counts is taken of all folds' counts: it is no mean over rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> [taken_together(find_measure(name)) for name in ("f1", "accuracy", "auc")]
    [True, False, False]
    """
    return measure.of_labels and measure.right_or_wrong == 0


def pooled_parts(
    tables: Sequence[Confusion], measure: Measure, *, positive: Label | None = None, **options: Any
) -> Floats:
    """What each fold adds to a metric of all counts together (`_pseudo_values`), from the folds' tables.

    >>> from trueerror.metrics._registry import find_measure
    >>> parts = [Confusion([[9, 1], [1, 1]]), Confusion([[8, 2], [0, 2]]), Confusion([[10, 0], [2, 0]])]
    >>> made = pooled_parts(parts, find_measure("f1"))
    >>> round(float(made.mean()), 3), made.round(2).tolist()
    (0.5, [0.46, 0.79, 0.26])
    """
    total = sum(tables[1:], tables[0])
    width = len(total.labels) + 1
    cells = total.row * width + total.col
    masses = np.zeros((len(tables), len(cells)))
    for fold_masses, table in zip(masses, tables, strict=True):
        # The last code is that of rows without a prediction.
        place = np.array([*(total.labels.index(label) for label in table.labels), width - 1])
        fold_masses[np.searchsorted(cells, place[table.row] * width + place[table.col])] = table.counts
    return _pseudo_values(total, masses, measure, positive, options)


def _of_masses(
    total: Confusion, masses: Floats, measure: Measure, positive: Label | None, options: Mapping[str, Any]
) -> Floats:
    """The metric of each of several tables that have the cells of one, as masses (tables, cells)."""
    check_metric_options(measure, options)
    return np.asarray(Seen.of(measure, total, positive).value(measure, masses, options), dtype=np.float64)


def _pseudo_values(
    total: Confusion, masses: Floats, measure: Measure, positive: Label | None, options: Mapping[str, Any]
) -> Floats:
    """For each fold θ + (J − 1)·(θ − θ₋j), less what keeps their mean from θ, the metric of all counts together.

    θ₋j is the metric without fold j, θ where it has none; all are NaN where θ is undefined.
    """
    every = masses.sum(axis=0)
    together, *without = _of_masses(total, np.vstack([every, every - masses]), measure, positive, options)
    if len(masses) == 1:
        return np.array([together])
    pseudo: Floats = together + (len(masses) - 1) * (together - np.where(np.isnan(without), together, without))
    return np.asarray(pseudo + (together - float(pseudo.mean())))


@dataclass(frozen=True, eq=False, kw_only=True)
class PartScores:
    """A metric of several models on the same test folds: `values[model, fold]`, with the rows of each fold."""

    measure: Measure
    models: tuple[str, ...]
    values: Floats
    tests: Ints
    trains: Ints
    # Rounds of folds; None where test folds were drawn at random. Rows in all; None where only a ratio is known.
    rounds: int | None
    rows: int | None
    round_of: Ints | None = None
    together: bool = False

    def of(self, model: str) -> Floats:
        """The scores of one model."""
        scores: Floats = self.values[self.models.index(model)]
        return scores

    @property
    def at_size(self) -> str:
        """At how many training rows, where that is known."""
        return "" if self.rows is None else f" at {round(float(self.trains.mean())):,} training rows"

    def ratio(self, known: NDArray[np.bool_]) -> float:
        """Test rows to training rows over some of the folds."""
        return float(self.tests[known].mean() / self.trains[known].mean())

    def interval(self, model: str, spec: IntervalSpec) -> Interval:
        """The learner behind one model: the corrected t over its folds."""
        scores, m = self.of(model), self.measure
        known = np.isfinite(scores)
        if known.sum() < 2:
            low, high = (end if math.isfinite(end) else math.nan for end in m.range)
            return spec.interval(
                m.name, math.nan, low, high, bounds=m.range, method="corrected-t", n=self.rows or len(scores),
                note=m.undefined or "fewer than two folds have a value",
            )  # fmt: skip
        interval = corrected_t_interval(
            scores[known], test_train_ratio=self.ratio(known), repeats=self.rounds if self.rounds == 1 else None,
            round_of=None if self.round_of is None or self.rounds in (None, 1) else self.round_of[known],
            bounds=m.range, confidence=spec.level, name=m.name, rows=self.rows, estimand=f"this learner{self.at_size}",
        )  # fmt: skip
        note = sentences_of((interval.note, *self._notes(known)))
        return replace(interval, confidence=spec.confidence, note=note)

    def contrast(self, first: str, second: str, spec: IntervalSpec) -> Contrast:
        """First − second of the learners behind two models: the corrected t over the folds' differences."""
        gaps, m = self.of(first) - self.of(second), self.measure
        known = np.isfinite(gaps)
        if known.sum() < 2:
            raise InputError(f"{m.name} of {first!r} and {second!r} has a value on fewer than two folds")
        made = corrected_t(
            gaps[known], test_train_ratio=self.ratio(known), confidence=spec.confidence, alternative=spec.alternative
        )
        reach = m.range[1] - m.range[0]
        return replace(
            of_better(made, m.higher_is_better), low=max(made.low, -reach), high=min(made.high, reach),
            note=sentences_of((made.note, *self._notes(known))),
            estimand=f"the difference in {m.title} between the two learners{self.at_size}",
        )  # fmt: skip

    def _notes(self, known: NDArray[np.bool_]) -> tuple[str, ...]:
        lost = int((~known).sum())
        return (
            POOLED if self.together else "",
            f"{whole(lost)} of {whole(len(known))} folds have no score and are left out" if lost else "",
        )


def chosen_out_of_fold(scores: PartScores, spec: IntervalSpec) -> Interval:
    """The setting that is best over the other folds, scored on each fold: a search's winner without its luck.

    The best of many settings on the same folds is too good by what chance gave it. Here no fold takes part in the
    choice that it judges, so the mean has no such optimism; limits by the corrected t.

    Source: Varma and Simon 2006, BMC Bioinform. 7:91, on the optimism; Stone 1974, J. R. Stat. Soc. B 36:111, for
    choosing and judging by cross-validation.
    """
    known = np.isfinite(scores.values).all(axis=0)
    values = scores.values[:, known]
    if values.shape[1] < 2:
        raise InputError("fewer than two folds have a score of every setting; a choice needs other folds to judge it")
    rest = (values.sum(axis=1, keepdims=True) - values) * (-1.0 if scores.measure.higher_is_better is False else 1.0)
    judged = np.take_along_axis(values, np.argmax(rest, axis=0)[None], axis=0)
    alone = replace(
        scores, models=("chosen",), values=judged, tests=scores.tests[known], trains=scores.trains[known],
        round_of=None if scores.round_of is None else np.asarray(scores.round_of)[known],
    )  # fmt: skip
    interval = alone.interval("chosen", spec)
    note = sentences_of((interval.note, f"best of {len(values):,} settings, each fold by the choice of the others"))
    return replace(interval, method="chosen-out-of-fold", note=note, estimand="the chosen setting")


def part_scores(
    p: Predictions,
    models: Sequence[str],
    measure: Measure,
    options: MetricOptions,
    *,
    positive: Label | None = None,
    threshold: float | None = None,
) -> PartScores:
    """The metric of each model on each fold of each repeat; training rows are the round's other rows."""
    if not p.has_key("folds"):
        raise InputError("the corrected t goes over folds, and these rows have none; give them with folds=")
    names = p.keys("folds").names
    tests, trains, rounds, round_of = _sizes(p)
    values = [_scores_of(p, m, names, measure, options, positive, threshold) for m in models]
    return PartScores(
        measure=measure, models=tuple(models), values=np.array(values, dtype=np.float64), tests=tests, trains=trains,
        rounds=rounds, rows=int((tests + trains).max()), round_of=round_of, together=taken_together(measure),
    )  # fmt: skip


def _sizes(p: Predictions) -> tuple[Ints, Ints, int | None, Ints | None]:
    """The rows of each fold, those that were trained on, the number of rounds (None of random splits), and the round of
    each fold, where there are several.
    """
    keys = p.keys("folds")
    tests = np.asarray(keys.sizes, dtype=np.int64)
    if not p.has_key("repeats"):
        return tests, int(tests.sum()) - tests, 1, None
    rounds = [p.slice(r, "repeats").keys("folds").names for r in p.keys("repeats").names]
    place = {name: i for i, names in enumerate(rounds) for name in names}
    round_of = np.array([place[name] for name in keys.names], dtype=np.int64)
    trains = np.bincount(round_of, weights=tests).astype(np.int64)[round_of] - tests
    if (trains > 0).all():
        return tests, trains, len(rounds), round_of
    # One test fold a repeat: random splits, whose training rows are not in the table.
    if not p.has_ids:
        raise InputError(
            "each repeat holds one test fold only, so nothing says how many rows were trained on; give ids=, or "
            "hand over what cross_validate returned (with return_indices=True)"
        )
    trains = len(set(np.asarray(p.source.fetched().ids).tolist())) - tests
    if (trains <= 0).any():
        raise InputError("every row is tested in every repeat, so nothing was trained on other rows of the table")
    return tests, trains, None, round_of


def _scores_of(
    p: Predictions,
    model: str,
    names: Sequence[Label],
    measure: Measure,
    options: MetricOptions,
    positive: Label | None,
    threshold: float | None,
) -> Floats:
    if measure.of_labels:
        keyed = p.keyed_confusion(model, "folds", threshold=threshold)
        masses = np.zeros((len(keyed.keys), len(keyed.table.counts)))
        masses[keyed.key, keyed.cell] = keyed.masses
        place = {name: i for i, name in enumerate(keyed.keys)}
        by_fold = _pseudo_values if taken_together(measure) else _of_masses
        return by_fold(keyed.table, masses[[place[name] for name in names]], measure, positive, options)
    if measure.of_losses:
        losses = p.keyed_losses(model, "folds", measure.function, **options)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(losses.sums / losses.sizes, dtype=np.float64)
    parts = [p.slice(name, "folds") for name in names]
    if measure.of_class_scores:
        return np.array([value(measure, ClassScores(*x.class_scores(model), p.labels), **options) for x in parts])
    return np.array([value(measure, x.scores(model, positive=positive), **options) for x in parts])


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldedModel(OneSample):
    """One model a fold under one name: the sample of a `Problem`.

    `of_rows` gives the interval of the rows of one round together, `of_round` that of a round with its folds.
    """

    tally = "folds"
    p: Predictions
    model: str
    positive: Label | None
    threshold: float | None
    prior: Prior | None
    of_rows: Callable[[IntervalSpec], Interval]
    of_round: Callable[[Predictions], Interval]

    @cached_property
    def tables(self) -> list[ScoreTable]:
        """The scores of each fold."""
        names = self.p.keys("folds").names
        return [self.p.slice(name, "folds").scores(self.model, positive=self.positive) for name in names]

    @property
    def in_folds(self) -> bool:
        """One model for each fold."""
        return True

    @property
    def repeated(self) -> bool:
        """Whether rows were tested several times."""
        return self.p.repeated

    @property
    def in_rounds(self) -> bool:
        """Whether each repeat splits the rows into several folds."""
        return self.repeated and len(self.p.keys("folds").names) > len(self.p.keys("repeats").names)

    def ranks_within_folds(self, metric: Measure) -> bool:
        """Whether at least two folds have rows of each class that are ranked, and rows count as they are."""
        if not ranks_rows(metric) or self.repeated or self.p.weights_kind == "sampling":
            return False
        if metric.of_class_scores:
            counts = [self.p.slice(name, "folds").truth_counts() for name in self.p.keys("folds").names]
            return sum(bool((c > 0).all()) for c in counts) > 1
        return sum(t.n_positive > 0 and t.n_negative > 0 for t in self.tables) > 1

    def answered(self, q: Problem[Any], chosen: InferenceMethod) -> Interval:
        """The mean of intervals, or the t over folds, as it comes."""
        interval: Interval = chosen.function(q)
        return interval


Folded = Problem[FoldedModel]
ALL_ALIKE = "all test folds score the same, so the limits are those of the rows of one round"
ACROSS = "rows of different folds stand in one ranking, as if their models' scores were on one scale"


def is_word_of_folds(word: str | None) -> bool:
    """Whether a method of several folds goes by this word, whatever the sample."""
    return any(m.is_called(word or "") for m in methods_on(ONE) if m.function.__module__ == __name__)


def _within(q: Folded) -> bool:
    return q.sample.in_folds and q.sample.ranks_within_folds(q.metric)


@inference_method("within-folds", on=ONE, applies=_within)
def within_folds_of_model(q: Folded) -> Interval:
    """The mean over folds: areas by placements, others by the folds' own intervals; clusters are left out whole."""
    s, m, names = q.sample, q.metric, q.sample.p.keys("folds").names
    if s.p.has_key("clusters"):
        return _clustered(q)
    if m.area:
        return within_folds_interval(s.tables, name=m.name, scale=m.area, spec=q.spec)
    parts: list[OneSample] = []
    if m.of_class_scores:
        rows = [class_scored_rows(s.p.slice(name, "folds"), [s.model]) for name in names]
        parts += [ClassScoreSample.of(m, r.codes, r.scores[0], s.p.labels, q.options) for r in rows]
    else:
        parts += [ScoreRows.of(m, t, q.options, prior=s.prior) for t in s.tables]
    intervals = [interval_of(Problem(metric=m, sample=x, spec=q.spec, options=q.options)) for x in parts]
    return mean_over_folds(intervals, q.spec, name=m.name, bounds=m.range, n=float(s.p.n))


def _clustered(q: Folded) -> Interval:
    s, m = q.sample, q.metric
    if m.of_class_scores:
        rows = class_scored_rows(s.p, [s.model])
        codes, scores, clusters = rows.codes, rows.scores[0], rows.clusters
    else:
        of_class = scored_rows(s.p, [s.model], positive=s.positive)
        codes, scores, clusters = of_class.up.astype(np.int64), of_class.scores[:, 0], of_class.clusters
    folded = FoldedRows(codes, fold_codes(s.p, [s.model]), clusters)
    return clustered_within_folds_interval(m, folded, scores, q.options, q.spec)


def fold_codes(p: Predictions, models: Sequence[str]) -> Ints:
    """The fold of each row that all of the models scored, in row order."""
    from trueerror.sources.engines._array_source import complete_rows

    return np.asarray(complete_rows(p, models).source.fetched().keyed["folds"].codes)


def _ranked(q: Folded) -> bool:
    return q.sample.in_folds and ranks_rows(q.metric) and not q.sample.repeated


@inference_method("pooled", on=ONE, applies=_ranked)
def pooled_over_folds(q: Folded) -> Interval:
    """All rows in one ranking."""
    pooled = q.sample.of_rows(q.spec)
    noted = replace(pooled, note=sentences_of((pooled.note, ACROSS)))
    noted._keep_notes(pooled.notes)
    return noted


@inference_method("mean-of-rounds", on=ONE, applies=lambda q: q.sample.in_rounds)
def mean_of_rounds(q: Folded) -> Interval:
    """The mean of all rounds, with the limits that the rows of one round have."""
    s, repeats = q.sample, q.sample.p.keys("repeats").names
    every = [s.of_round(s.p.slice(name, "repeats").without("repeats")) for name in repeats]
    rounds = [x for x in every if not math.isnan(x.estimate)] or every[:1]
    lost = len(every) - len(rounds)
    notes = (
        rounds[0].note, f"mean of {whole(len(rounds))} rounds, limits as of one",
        f"{whole(lost)} of {whole(len(every))} rounds have no value and are left out" if lost else "",
    )  # fmt: skip
    estimate, low, high = np.mean([(x.estimate, x.low, x.high) for x in rounds], axis=0).tolist()
    made = replace(rounds[0], estimate=estimate, low=low, high=high, note=sentences_of(notes))
    made._keep_notes(rounds[0].notes)
    return made


@inference_method("corrected-t", on=ONE, applies=lambda q: q.sample.in_folds)
def corrected_t_over_folds(q: Folded) -> Interval:
    """The learner behind the models: the corrected t over the folds of all repeats."""
    s = q.sample
    parts = part_scores(s.p, [s.model], q.metric, q.options, positive=s.positive, threshold=s.threshold)
    made = parts.interval(s.model, q.spec)
    if math.isnan(made.low) and math.isfinite(made.estimate):
        by_rows = s.of_rows(q.spec)
        if abs(by_rows.estimate - made.estimate) < 1e-9 and not math.isnan(by_rows.low):
            return replace(by_rows, note=sentences_of((by_rows.note, ALL_ALIKE)), estimand=made.estimand)
    return made
