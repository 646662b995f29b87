"""te.overfitting: training and test error as a learner grows more complex, and whether some setting overfits."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from trueerror.experiments._dataset import Features
from trueerror.experiments._experiment import Experiment, RunOptions, run_experiment
from trueerror.experiments._fit import Balance
from trueerror.experiments._learners import Learner, as_learners
from trueerror.inference._many import adjust
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng, check_confidence, nearest
from trueerror.metrics._registry import find_measure
from trueerror.resampling._cross_validation import KFold, as_plan
from trueerror.resampling._wrapped import WithTraining
from trueerror.results import Result, Table
from trueerror.results._format import limits, listing, number, one_line, p_value, percent, signed, whole, with_limits
from trueerror.studies._study import (
    SeenScores,
    as_study_data,
    judged_measure,
    seen_scores,
    shortfall,
    spread_interval,
    study_text,
    why_failed,
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ComplexityPoint(Result):
    """One setting: the metric on training rows and on held-out rows, and the gap between them, each with limits."""

    setting: str
    place: float
    training: float
    training_low: float
    training_high: float
    estimate: float
    low: float
    high: float
    gap: float
    gap_low: float
    gap_high: float

    def __str__(self) -> str:
        return (
            f"{one_line(self.setting)}: {with_limits(self.estimate, self.low, self.high)} held out, "
            f"{number(self.training)} on training rows"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OverfitPair(Result):
    """A setting that is better than its rival on the training rows and worse on new ones, by so much in the metric.

    `p_value` is that of both together (the larger one-sided p of the two corrected t-tests), `p_adjusted` Holm's over
    all pairs.
    """

    setting: str
    rival: str
    training_lead: float
    test_loss: float
    p_value: float
    p_adjusted: float

    def __str__(self) -> str:
        return (
            f"{one_line(self.setting)} overfits against {one_line(self.rival)}: better by {number(self.training_lead)} "
            f"on training rows, worse by {number(self.test_loss)} on new ones, {p_value(self.p_adjusted)}"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Overfitting(Result):
    """Training and test error over a complexity parameter. Made by `te.overfitting`.

    A hypothesis overfits when another one has a higher training error and a lower true error (Mitchell 1997, 3.7);
    `.pairs` are the settings of which that is shown.
    """

    metric: str
    title: str
    parameter: str
    points: tuple[ComplexityPoint, ...]
    pairs: tuple[OverfitPair, ...]
    rows: int
    size: int
    plan: str = ""
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    method: str = "overfitting"

    @property
    def best(self) -> ComplexityPoint:
        """The setting that is best on held-out rows; among several the first."""
        sign = -1 if find_measure(self.metric).higher_is_better else 1
        return min(self.points, key=lambda p: math.inf if math.isnan(p.estimate) else sign * p.estimate)

    @property
    def made_from(self) -> str:
        """What was run, for a picture."""
        return f"{self.plan}, {whole(self.size)} training rows; {percent(self.confidence)} intervals (corrected t)"

    @property
    def overfits(self) -> tuple[str, ...]:
        """Settings that clearly overfit, in their order."""
        overfitted = {p.setting for p in self.pairs}
        return tuple(p.setting for p in self.points if p.setting in overfitted)

    def __getitem__(self, setting: object) -> ComplexityPoint:
        for p in self.points:
            if p.setting == str(setting):
                return p
        raise InputError(f"there is no setting {setting!r}{nearest(str(setting), [p.setting for p in self.points])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each setting."""
        rivals = {p.setting: [q.rival for q in self.pairs if q.setting == p.setting] for p in self.points}
        return [{**p.records()[0], "overfits_against": ", ".join(rivals[p.setting])} for p in self.points]

    def _table(self) -> Table:
        rows = tuple(
            (
                p.setting, number(p.training), f"{with_limits(p.estimate, p.low, p.high)}",
                f"{signed(p.gap)} {limits(p.gap_low, p.gap_high)}", "overfits" if p.setting in self.overfits else "",
            )
            for p in self.points
        )  # fmt: skip
        return Table(columns=(self.parameter, "on training rows", f"{self.title}, held out", "gap", ""), rows=rows)

    @property
    def verdict(self) -> str:
        """Which settings overfit, against which, and which is best on new rows."""
        best = self.best
        claims = [
            f"Best on new rows: {one_line(self.parameter)} {one_line(best.setting)} ({self.title} "
            f"{with_limits(best.estimate, best.low, best.high)}); chosen on these rows, so slightly optimistic."
        ]
        if not self.pairs:
            claims.append(
                "No setting is shown to overfit: none is better on its training rows and clearly worse on new ones."
            )
            return " ".join(claims)
        names = listing([one_line(s) for s in self.overfits[:8]]) + (", …" if len(self.overfits) > 8 else "")
        first = min(self.pairs, key=lambda p: p.p_adjusted)
        many = len(self.overfits) > 1
        claims.append(
            f"{names} overfit{'' if many else 's'}: {one_line(first.setting)} is better than {one_line(first.rival)} "
            f"by {number(first.training_lead)} on the training rows, but worse by {number(first.test_loss)} on new "
            f"ones ({p_value(first.p_adjusted)})."
        )
        return " ".join(claims)

    def __str__(self) -> str:
        head = f"{self.rows:,} rows, {len(self.points)} settings, {self.plan}; the same splits for all."
        last = (
            f"Intervals of {percent(self.confidence)} (corrected t). Overfitting is tested for each pair of settings: "
            "training rows and held-out rows must both say so (Holm)."
        )
        return study_text(head, [self.verdict], self._table(), [last, *self.notes])


DEFAULT_PLAN = KFold(5, repeats=4)


def overfitting(
    learner: Learner,
    X: Features,
    y: Any = None,
    *,
    parameter: str = "setting",
    values: Sequence[Any] | None = None,
    plan: object = DEFAULT_PLAN,
    metric: str = "error_rate",
    positive: Label | None = None,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
    balance: Balance | None = None,
) -> Overfitting:
    """Training and test error over a complexity parameter, and whether some setting overfits.

    `learner` with `parameter` and `values` (`DecisionTreeClassifier()`, "max_depth", [1, 2, 4, 8]), or settings by name
    in order of complexity ({"1": …, "2": …}). Every model is tested on held-out rows and on its own training rows. h
    overfits when some h′ has a higher training error and a lower true error: both are tested for each pair of settings
    by the corrected t over the same splits, the larger p counts (intersection–union), and Holm adjusts.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 2
    >>> X = rng.normal(size=(300, 2)) + 1.2 * y[:, None]
    >>> found = overfitting({k: KNeighborsClassifier(k) for k in (25, 1)}, X, y, parameter="neighbours")
    >>> found.overfits
    ('1',)
    """
    data, level = as_study_data(X, y), check_confidence(confidence)
    judged_measure(metric)
    named = _settings(learner, parameter, values)
    plan = as_plan(plan)
    options = RunOptions(
        store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng, progress=progress, balance=balance
    )
    run = run_experiment(named, data, WithTraining(plan), options)
    return _found(run, seen_scores(run, metric, positive=positive), parameter, level, str(plan))


def _settings(learner: Learner, parameter: str, values: Sequence[Any] | None) -> dict[str, Any]:
    if values is None:
        if not isinstance(learner, Mapping) or len(learner) < 2:
            raise InputError("pass parameter= and values=, or at least two learners by name")
        return as_learners({str(name): one for name, one in learner.items()})
    import copy

    if isinstance(learner, Mapping):
        raise InputError("with values= pass one learner, not several")
    learner = learner() if isinstance(learner, type) else learner
    known = list(learner.get_params(deep=True)) if hasattr(learner, "get_params") else []
    if parameter not in known:
        raise InputError(f"the learner has no parameter {parameter!r}{nearest(parameter, known)}")
    if len({str(v) for v in values}) != len(list(values)) or len(list(values)) < 2:
        raise InputError("values must be at least two different settings, the simplest first")
    return as_learners({str(v): copy.deepcopy(learner).set_params(**{parameter: v}) for v in values})


def _found(run: Experiment, table: SeenScores, parameter: str, level: float, plan: str) -> Overfitting:
    data = run.datasets[run.data_name(None)]
    units, size = data.rows.units, round(float(table.trains.mean()))
    interval = partial(
        spread_interval, ratio=table.test_train_ratio, confidence=level, name=table.measure.title,
        estimand=f"this learner at {size:,} training rows",
    )  # fmt: skip
    for name, values in zip(run.learners, table.held_out, strict=True):
        if np.isnan(values).all():
            raise InputError(f"setting {name!r} has no score on any split{why_failed([run], name)}")
    sign = -1.0 if table.measure.higher_is_better else 1.0
    reach = table.measure.range[1] - table.measure.range[0]
    points = []
    for at, (name, place) in enumerate(zip(run.learners, places(run.learners), strict=True)):
        test = interval(table.held_out[at], rows=units, bounds=table.measure.range)
        seen = interval(table.training[at], rows=size, bounds=table.measure.range)
        gap = interval(sign * (table.held_out[at] - table.training[at]), rows=units, bounds=(-reach, reach))
        points.append(
            ComplexityPoint(
                setting=name, place=place, training=seen.estimate, training_low=seen.low, training_high=seen.high,
                estimate=test.estimate, low=test.low, high=test.high, gap=gap.estimate, gap_low=gap.low,
                gap_high=gap.high,
            )
        )  # fmt: skip
    fits = table.held_out.shape[1]
    notes = tuple(f"{x}: {run.failed(x)} of {fits} fits failed." for x in run.learners if run.failed(x))
    return Overfitting(
        metric=table.measure.name, title=table.measure.title, parameter=parameter, points=tuple(points),
        pairs=_pairs(run.learners, table, level), rows=data.n, size=size, plan=plan, confidence=level, seed=run.seed,
        notes=notes,
    )  # fmt: skip


def places(settings: Sequence[str]) -> list[float]:
    """Where settings stand on an axis: their numbers, or 1, 2, 3 … where some are none.

    >>> places(["1", "2", "8"]), places(["linear", "rbf"])
    ([1.0, 2.0, 8.0], [1.0, 2.0])
    """
    try:
        numbers = [float(s) for s in settings]
    except ValueError:
        return [i + 1.0 for i in range(len(settings))]
    if all(map(math.isfinite, numbers)) and len(set(numbers)) == len(numbers):
        return numbers
    return [i + 1.0 for i in range(len(settings))]


def _pairs(settings: Sequence[str], table: SeenScores, level: float) -> tuple[OverfitPair, ...]:
    """The pairs in which the one is better on training rows and worse on held-out rows, both clearly."""
    training, test = (shortfall(values, table.measure) for values in (table.training, table.held_out))
    pairs: list[tuple[str, str, float, float, float]] = []
    for i, j in combinations(range(len(settings)), 2):
        known = ~np.isnan(training[i] + training[j] + test[i] + test[j])
        if known.sum() < 2:
            continue
        lead = training[j][known] - training[i][known]
        a, b = (i, j) if lead.mean() >= 0 else (j, i)
        gaps = (training[b][known] - training[a][known], test[a][known] - test[b][known])
        p = [_one_sided(gap, table.test_train_ratio) for gap in gaps]
        pairs.append((settings[a], settings[b], float(gaps[0].mean()), float(gaps[1].mean()), max(p)))
    adjusted: Floats = adjust([f[-1] for f in pairs]) if pairs else np.zeros(0)
    return tuple(
        OverfitPair(setting=a, rival=b, training_lead=lead, test_loss=loss, p_value=p, p_adjusted=float(q))
        for (a, b, lead, loss, p), q in zip(pairs, adjusted, strict=True)
        if q <= 1 - level
    )


def _one_sided(differences: Floats, ratio: float) -> float:
    """p for a mean above 0; where nothing varies, equal settings have 1, and others differ by no chance."""
    p = corrected_t(differences, test_train_ratio=ratio, alternative="greater").p_value
    return 1.0 if math.isnan(p) else p
