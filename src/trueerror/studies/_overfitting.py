"""te.overfitting: training and test error as a learner grows more complex, and whether some setting overfits.

te.training_history: validation rows judged after each epoch, or at each pruning level, and where to stop.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from trueerror.experiments._dataset import Features, Learner, as_learners
from trueerror.experiments._experiment import Experiment, RunOptions, run_experiment
from trueerror.experiments._fit import Balance
from trueerror.inference._contrast import adjust
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng, check_confidence, in_few_words, nearest
from trueerror.methods import Method, declare
from trueerror.metrics._registry import find_measure
from trueerror.resampling._cross_validation import KFold, as_plan
from trueerror.resampling._wrapped import WithTraining
from trueerror.results import Contrast, Result, Table
from trueerror.results._format import limits, listing, number, one_line, p_value, percent, signed, whole, with_limits
from trueerror.sources._api import read
from trueerror.sources._collect import is_openable, predictions
from trueerror.sources._models import sorted_columns
from trueerror.sources._predictions import Predictions
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
from trueerror.verbs._compare import compare


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
            f"{with_limits(best.estimate, best.low, best.high)}); chosen on these rows, so a little flattered."
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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingHistory(Result):
    """Validation rows judged at each step of a training, the simplest first. Made by `te.training_history`.

    `.points` has the metric at each step, `.behind` by how much each step is worse than the best one (with the p-value
    of that pair alone), `.alike` the steps that show no clear difference from the best, `.stop` the simplest of them.
    """

    metric: str
    title: str
    parameter: str
    points: tuple[ComplexityPoint, ...]
    behind: tuple[Contrast, ...]
    rows: float
    confidence: float = 0.95
    notes: tuple[str, ...] = ()
    method: str = "stop-at-no-clear-difference"

    @property
    def best(self) -> ComplexityPoint:
        """The step that is best on the validation rows; among several the simplest."""
        sign = -1 if find_measure(self.metric).higher_is_better else 1
        return min(self.points, key=lambda p: sign * p.estimate)

    @property
    def alike(self) -> tuple[str, ...]:
        """The best step and those that show no clear difference from it, in their order."""
        clear = {c.first for c in self.behind if c.p_value <= 1 - self.confidence and c.estimate != 0}
        return tuple(p.setting for p in self.points if p.setting not in clear)

    @property
    def stop(self) -> ComplexityPoint:
        """Where to stop: the simplest step that shows no clear difference from the best."""
        return self[self.alike[0]]

    @property
    def overfits(self) -> tuple[str, ...]:
        """Steps after the best one that are clearly worse than it (p-values adjusted for all steps, Holm)."""
        later = [p.setting for p in self.points][[p.setting for p in self.points].index(self.best.setting) :]
        return tuple(
            c.first for c in self.behind
            if c.first in later and c.p_adjusted is not None and c.p_adjusted <= 1 - self.confidence
        )  # fmt: skip

    @property
    def made_from(self) -> str:
        """What was judged, for a picture."""
        return f"{whole(self.rows)} validation rows, the same at every step; {percent(self.confidence)} intervals"

    def __getitem__(self, setting: object) -> ComplexityPoint:
        for p in self.points:
            if p.setting == str(setting):
                return p
        raise InputError(
            f"there is no {self.parameter} {setting!r}{nearest(str(setting), [p.setting for p in self.points])}"
        )

    def price(self, setting: object = None) -> Contrast:
        """By how much a step (without a name: where to stop) differs from the best one, with limits of that pair."""
        name = self.stop.setting if setting is None else self[setting].setting
        for c in self.behind:
            if c.first == name:
                return c
        raise InputError(f"{self.parameter} {name} is the best one: it is behind none")

    def records(self) -> list[dict[str, object]]:
        """One record for each step."""
        behind = {c.first: c for c in self.behind}
        out: list[dict[str, object]] = []
        for p in self.points:
            c = behind.get(p.setting)
            ends = (0.0, 0.0, 0.0, math.nan) if c is None else (c.estimate, c.low, c.high, c.p_value)
            out.append({
                self.parameter: p.setting, "training": p.training, "estimate": p.estimate, "low": p.low, "high": p.high,
                **dict(zip(("difference", "difference_low", "difference_high", "p_value"), ends, strict=True)),
                "alike": p.setting in self.alike, "stop": p.setting == self.stop.setting,
            })  # fmt: skip
        return out

    def _table(self) -> Table:
        behind = {c.first: c for c in self.behind}
        alike, over = self.alike, self.overfits
        logged = any(not math.isnan(p.training) for p in self.points)

        def words(p: ComplexityPoint) -> str:
            marks = ["best"] * (p is self.best) + ["stop here"] * (p is self.stop)
            return ", ".join(marks) or ("worse again" if p.setting in over else "" if p.setting in alike else "worse")

        rows = [
            (
                p.setting, *([number(p.training)] if logged else []), f"{with_limits(p.estimate, p.low, p.high)}",
                "" if p is self.best else f"{signed(behind[p.setting].estimate)} "
                f"{limits(behind[p.setting].low, behind[p.setting].high)}", words(p),
            )
            for p in shown_steps(self.points, (self.best, self.stop))
        ]  # fmt: skip
        head = (self.parameter, *(["on training rows"] if logged else []), self.title, "against the best", "")
        return Table(columns=head, rows=tuple(rows))

    @property
    def verdict(self) -> str:
        """Where to stop, what that costs, and whether it gets worse later."""
        best, stop, step = self.best, self.stop, one_line(self.parameter)
        claims = [f"Best on the validation rows: {step} {one_line(best.setting)} ({self.title} {number(best.estimate)} "
                f"{limits(best.low, best.high)}); chosen on these rows, so a little flattered."]  # fmt: skip
        if stop is best:
            claims.append(f"Stop there: every simpler {step} is clearly worse." if best is not self.points[0] else
                        f"Stop there: it is the simplest {step}, and no other is better.")  # fmt: skip
        else:
            price = self.price()
            claims.append(
                f"Stop at {step} {one_line(stop.setting)}, the simplest that shows no clear difference from the best: "
                f"{self.title} {with_limits(price.estimate, price.low, price.high, sign=True)} "
                f"({p_value(price.p_value)})."
            )
        others = len(self.alike) - len({best.setting, stop.setting})
        if others > 0:
            claims.append(
                f"{others} other{'s have' if others > 1 else ' has'} no clear difference from the best either."
            )
        if self.overfits:
            worst = max((self.price(s) for s in self.overfits), key=lambda c: abs(c.estimate))
            claims.append(f"Later it gets worse again: {self.title} {signed(worst.estimate)} "
                        f"{limits(worst.low, worst.high)} at {one_line(worst.first)}.")  # fmt: skip
        elif best is self.points[-1] and stop is best:
            claims.append("It was still getting better: going on may pay.")
        return " ".join(claims)

    def __str__(self) -> str:
        steps = f"{len(self.points)} steps ({one_line(self.parameter)})"
        last = (
            f"Intervals of {percent(self.confidence)}, each by itself. Each step is tested against the best by itself "
            f"({self.behind[0].method}): as the best was picked, equal steps look different a little too often, so it "
            "stops late rather than early. What the chosen step is worth, other rows must say."
        )
        return study_text(
            f"{whole(self.rows)} validation rows, {steps}.", [self.verdict], self._table(), [last, *self.notes]
        )


# A history of more steps is printed in part; `.frame()` has all.
MOST_STEPS = 24


def shown_steps(
    points: Sequence[ComplexityPoint], always: Sequence[ComplexityPoint], most: int = MOST_STEPS
) -> list[ComplexityPoint]:
    """All steps, or so many spread evenly, with those that must be there."""
    if len(points) <= most:
        return list(points)
    places = {round(x) for x in np.linspace(0, len(points) - 1, most - len(always))}
    return [p for at, p in enumerate(points) if at in places or any(p is a for a in always)]


def training_history(
    truth: Any,
    history: Mapping[Any, Any] | None = None,
    *,
    metric: str = "error_rate",
    parameter: str = "epoch",
    training: Mapping[Any, float] | None = None,
    positive: Label | None = None,
    clusters: Any = None,
    method: str | None = None,
    confidence: float = 0.95,
) -> TrainingHistory:
    """Where to stop a training: validation rows judged after each epoch (or at each pruning level), with uncertainty.

    `history` has for each epoch the labels or scores that its model gave the validation rows, {1: …, 2: …}, the
    simplest first (of prunings the smallest tree); or pass a long table (epoch, id, truth, label or score) alone, whose
    column is named by `parameter`, or `te.Predictions` whose models are the epochs. `training` are logged values of the
    metric on training rows, for the table and the picture.

    Every step is compared with the best one on the same rows, by the paired test that `te.compare` takes for the
    metric. Those with p > 1 − confidence show no clear difference, and the simplest of them is where to stop: the rule
    of one standard error, with the error of the paired difference in the place of that of the score. Source: Breiman,
    Friedman, Olshen and Stone 1984, Classification and Regression Trees, 3.4.3.

    >>> y = [0, 1] * 60
    >>> wrong = {1: 50, 2: 14, 3: 12, 4: 13, 5: 45}
    >>> made = training_history(y, {e: [1 - t if i < k else t for i, t in enumerate(y)] for e, k in wrong.items()})
    >>> made.best.setting, made.stop.setting, made.alike, made.overfits
    ('3', '2', ('2', '3', '4'), ('5',))
    """
    level, measure = check_confidence(confidence), judged_measure(metric)
    if not isinstance(parameter, str):
        raise InputError(f"parameter={in_few_words(parameter)} must be the name of a step, such as 'epoch'")
    rows, steps = _history_rows(truth, history, parameter, positive, clusters)
    if len(steps) < 2:
        raise InputError(f"a history takes at least two steps, such as {{1: labels, 2: labels}}; there is {len(steps)}")
    options: dict[str, Any] = {"metric": measure.name, "confidence": level, "method": method}
    first = compare(rows, reference=steps[0], **options)
    sign = -1.0 if measure.higher_is_better else 1.0
    best = min(steps, key=lambda s: sign * first.estimates[s].estimate)
    against = first if best == steps[0] else compare(rows, reference=best, **options)
    logged = {str(k): float(v) for k, v in (training or {}).items()}
    unknown = [s for s in logged if s not in steps]
    if unknown:
        raise InputError(f"training={unknown[0]!r}: there is no such {parameter}{nearest(unknown[0], steps)}")
    points = []
    for step, place in zip(steps, places(steps), strict=True):
        ci, seen = against.estimates[step], logged.get(step, math.nan)
        points.append(ComplexityPoint(
            setting=step, place=place, training=seen, training_low=math.nan, training_high=math.nan,
            estimate=ci.estimate, low=ci.low, high=ci.high, gap=sign * (ci.estimate - seen), gap_low=math.nan,
            gap_high=math.nan,
        ))  # fmt: skip
    behind = [against[s, best] for s in steps if s != best]
    adjusted = adjust([1.0 if math.isnan(c.p_value) else c.p_value for c in behind])
    return TrainingHistory(
        metric=measure.name, title=measure.title, parameter=parameter, points=tuple(points),
        behind=tuple(replace(c, p_adjusted=float(q)) for c, q in zip(behind, adjusted, strict=True)),
        rows=float(rows.n), confidence=level,
    )  # fmt: skip


def _history_rows(
    truth: Any, history: Mapping[Any, Any] | None, parameter: str, positive: Label | None, clusters: Any
) -> tuple[Predictions, list[str]]:
    """The rows with a model for each step, and the steps in their order."""
    if history is not None:
        if not isinstance(history, Mapping):
            raise InputError("the history is {epoch: labels or scores}, such as {1: labels, 2: labels}")
        steps = [str(step) for step in history]
        if len(set(steps)) < len(steps):
            raise InputError(f"two steps of the history have the same name: {listing(steps[:8])}")
        apart = sorted_columns(truth, dict(zip(steps, history.values(), strict=True)), None)
        rows = predictions(truth, predicted=apart.predicted, scores=apart.scores, positive=positive, clusters=clusters)
        return rows, steps
    if isinstance(truth, Predictions):
        rows = truth
    elif is_openable(truth):
        if clusters is not None and not isinstance(clusters, str):
            raise InputError("of a table, clusters= names a column")
        rows = read(truth, models=parameter, positive=positive, cluster=clusters)
    else:
        raise InputError(
            "pass the truth and {epoch: labels or scores}, or a table with the columns epoch, id, truth, label"
        )
    steps = list(rows.models)
    order = places(steps)
    return rows, [s for _, s in sorted(zip(order, steps, strict=True), key=lambda pair: pair[0])]


declare(
    Method(
        key="stop-at-no-clear-difference",
        title="the simplest step that shows no clear difference from the best",
        formula="of the steps whose paired test against the best has p > 1 − confidence, the first",
        source="Breiman, Friedman, Olshen and Stone 1984, Classification and Regression Trees, 3.4.3, for the rule of "
        "one standard error",
        assumes="the same validation rows at every step, none of them trained on; steps from simple to complex",
        advice="the value at the chosen step is a little flattered: judge it on other rows",
    ),
    Method(
        key="overfitting",
        title="overfitting of one setting against another",
        formula="for each pair: one-sided corrected t that training error is lower and that test error is higher; p is "
        "the larger of the two, Holm over pairs",
        source="Mitchell 1997, Machine Learning, 3.7; Berger 1982, Technometrics 24:295, for tests of both; Nadeau and "
        "Bengio 2003, Machine Learning 52:239",
        assumes="the same splits for all settings; test folds of one sample of independent rows",
        advice="a gap between training and test error alone is no overfitting: almost every learner has one",
    ),
    part="studies",
)
