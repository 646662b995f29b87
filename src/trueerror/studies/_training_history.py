"""te.training_history: validation rows judged after each epoch, or at each pruning level, and where to stop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueerror.inference._many import adjust
from trueerror.inputs._arrays import one_number
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, check_confidence, in_few_words, nearest
from trueerror.metrics._registry import find_measure
from trueerror.results import Contrast, Result, Table
from trueerror.results._format import limits, listing, number, one_line, p_value, percent, signed, whole, with_limits
from trueerror.sources._api import read
from trueerror.sources._collect import is_openable, predictions
from trueerror.sources._models import sorted_columns
from trueerror.sources._predictions import Predictions
from trueerror.studies._overfitting import ComplexityPoint, places
from trueerror.studies._study import judged_measure, study_text
from trueerror.verbs._compare import compare


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
        """The difference of a step (by default, where to stop) from the best one, with limits of that pair."""
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
                f"{limits(best.low, best.high)}); chosen on these rows, so slightly optimistic."]  # fmt: skip
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
            "stops late rather than early. Judge the chosen step on other rows."
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
    """When to stop a training: validation rows judged after each epoch (or at each pruning level), with uncertainty.

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
    logged = {str(k): one_number(v, "training") for k, v in (training or {}).items()}
    if unknown := [s for s in logged if s not in steps]:
        raise InputError(f"training={unknown[0]!r}: there is no such {parameter}{nearest(unknown[0], steps)}")
    points = []
    for step, place in zip(steps, places(steps), strict=True):
        ci, seen = against.estimates[step], logged.get(step, math.nan)
        points.append(ComplexityPoint(
            setting=step, place=place, training=seen, training_low=math.nan, training_high=math.nan,
            estimate=ci.estimate, low=ci.low, high=ci.high, gap=sign * (ci.estimate - seen), gap_low=math.nan,
            gap_high=math.nan,
        ))  # fmt: skip
    behind = [against[s, best].alone() for s in steps if s != best]
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
