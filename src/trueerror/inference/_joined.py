"""Rows that belong to two keys at once, or stand in order of time: one question, asked over each key.

Each view of the rows (by the one key, by the other, by both) has an estimate of its own, as rows in clusters have;
`over_views` makes one of them (`_estimate.over_keys`, `_estimate.in_time`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from trueerror.inference._dependence import held_by, runs_of
from trueerror.inference._effective_t import KEY
from trueerror.inference._estimate import Estimate, in_time, over_keys, p_of, t_statistic
from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.inference._sample import Estimated, OneSample
from trueerror.inference.loss._mean import mean_over_units
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.methods._registry import InferenceMethod
from trueerror.metrics._registry import Measure
from trueerror.results import Interval
from trueerror.results._values import Note
from trueerror.sources._predictions import KeyKind, Predictions
from trueerror.sources.engines._array_source import ArraySource, KeyColumn, in_clusters, weighted_rows

SECOND_KEYS: tuple[KeyKind, KeyKind] = ("crossed", "times")
NO_OTHER = "over two keys, or in order of time, only the effective t has limits"


class View(NamedTuple):
    """Rows with one key as their clusters; `timed` where these stand in order of time."""

    rows: Predictions
    timed: bool = False

    @property
    def groups(self) -> int:
        """How many clusters there are, or rows."""
        return len(self.rows.keys("clusters").names) if self.rows.has_key("clusters") else self.rows.n


def key_words(found: Sequence[View]) -> str:
    """What limits rest on: the clusters by one key, and by the other."""
    units = {True: "moments in order of time", False: "clusters"}
    return " and ".join(f"{view.groups:,} {units[view.timed]}" for view in found[:2])


def views(p: Predictions) -> tuple[View, ...]:
    """The rows by their key; where they have two by the one, by the other and by both together."""
    second = next((kind for kind in SECOND_KEYS if p.has_key(kind)), None)
    if second is None:
        return (View(p),)
    if all(map(p.has_key, SECOND_KEYS)):
        raise InputError("rows can belong to two keys at once: give time= with one column of clusters, or two without")
    plain, timed = p.without(*SECOND_KEYS), second == "times"
    one, two = (p.source.fetched().keyed[kind] for kind in ("clusters", second))
    alone = np.array_equal(one.codes, two.codes)
    two = in_order_of_time(two) if timed else two
    if alone:
        size = max(len(two.names), 1)
        few = min(size, 5_000)  # neighbours are joined: some metrics are worked out again without each
        stretches = KeyColumn(two.codes.astype(np.int64) * few // size, tuple(range(few)))
        return (View(in_clusters(plain, stretches), timed),)
    pairs, codes = np.unique(one.codes.astype(np.int64) * len(two.names) + two.codes, return_inverse=True)
    both = KeyColumn(codes, tuple(range(len(pairs))))
    # Rows that share both keys with no other are rows.
    last = plain.without("clusters") if len(pairs) == p.n else in_clusters(plain, both)
    return View(plain), View(in_clusters(plain, two), timed), View(last)


def in_order_of_time(keys: KeyColumn) -> KeyColumn:
    """Moments in their order: numbers, or text that begins with the year.

    >>> in_order_of_time(KeyColumn(np.array([0, 1, 2]), ("10", "9.5", "8"))).codes.tolist()
    [2, 1, 0]
    """
    texts = [str(name) for name in keys.names]
    try:
        places = np.argsort([float(text) for text in texts], kind="stable")
    except ValueError:
        unclear = next((text for text in texts if not re.match(r"\d{4}(?!\d)", text)), None)
        if unclear is not None:
            raise InputError(
                f"time= holds {unclear!r:.40}, whose place in time is not plain: give dates (2024-01-31) or numbers"
            ) from None
        places = np.argsort(texts, kind="stable")
    rank = np.empty_like(places)
    rank[places] = np.arange(len(places))
    return KeyColumn(rank[keys.codes], tuple(keys.names[i] for i in places))


def has_two_keys(p: Predictions) -> bool:
    """Whether rows have two keys, or stand in order of time."""
    return any(map(p.has_key, SECOND_KEYS))


def check_keys(p: Predictions, asked: str | None = None, measure: Measure | None = None) -> None:
    """An error where something is asked that rows with two keys, or in order of time, have no answer to."""
    asked = (measure is not None and measure.calibration_error and measure.title) or asked
    refused = {"folds= or repeats=": p.folded or p.repeated, str(asked): asked not in (None, KEY)}
    for what in [word for word, unfit in refused.items() if unfit and has_two_keys(p)]:
        raise InputError(f"{what} is not offered with time=, or with two columns of clusters: leave one out")


def over_views(made: Sequence[Estimate], by: Sequence[View]) -> Estimate:
    """One estimate of those over each key; the units of one that is timed stand in order of time.

    Where nothing varies, the key that has fewer clusters says how little that tells.
    """
    parts = [in_time(e, view.groups) if view.timed else e for e, view in zip(made, by, strict=True)]
    return over_keys(*sorted(parts[:2], key=lambda e: e.effective), *parts[2:])


def joined_worst(made: Sequence[Estimate], by: Sequence[View]) -> Estimate:
    """The same of one model, whose limits look at the worst alone where that is known."""
    worst = [e.worst for e in made if e.worst is not None]
    return over_views(made, by) if len(worst) < len(made) else replace(made[0], worst=over_views(worst, by))


class Miscalibration(NamedTuple):
    """Spiegelhalter's test with the variance of rows in clusters: Σ(y − p)(1 − 2p) over its standard error."""

    statistic: float
    p_value: float

    @classmethod
    def of(cls, p: Predictions, model: str) -> Miscalibration:
        """Of a model's probabilities on rows in clusters, in order of time, or with two keys."""
        by, each = views(p), []
        for view in by:
            rows, weights = weighted_rows(view.rows, [model])
            ups, scores = rows.up, rows.scores[:, 0]
            keys = next(x for x in (rows.clusters, np.arange(len(ups))) if x is not None)
            w = next(x for x in (weights, np.ones(len(ups))) if x is not None)
            sums = np.bincount(keys, weights=w * (ups - scores) * (1 - 2 * scores)).astype(np.float64)
            sizes = np.bincount(keys, weights=w).astype(np.float64)
            each.append(mean_over_units(sums[sizes > 0], sizes[sizes > 0], (-math.inf, math.inf)))
        found = over_views(each, by)
        return cls(float(t_statistic(found, 0.0)[0]), float(p_of(found)))


class RunsFound(NamedTuple):
    """Whose errors come most in runs, how likely that is by chance, and how many independent rows these are worth."""

    model: str
    p_value: float
    rows: int
    effective: float

    @classmethod
    def of(cls, p: Predictions, threshold: float | None = None) -> RunsFound | None:
        """Of the errors of all models, and of how they differ from the first, each as one of so many (Bonferroni).

        Grades, and scores without a threshold, are taken by their ranks. Where rows are sorted by an answer, errors
        stand together by themselves: nothing is found.
        """
        source = p.source.fetched()
        same = source.truth[1:] == source.truth[:-1]
        columns = [x for m in p.models for x in source.columns[m] if x is not None and x.ndim == 1]
        steps = [(column[:-1][same], column[1:][same]) for column in columns]
        is_sorted = any((a != b).any() and ((a <= b).all() or (a >= b).all()) for a, b in steps)
        found = {m: runs_of(x, source.truth) for m, x in _errors(p, threshold).items()}
        model, most = min(found.items(), key=lambda item: item[1][0])
        p_value = most[0] * len(found) + is_sorted
        return (None, cls(model, p_value, p.n, most[1]))[p_value <= 0.001]


class CrossedFound(NamedTuple):
    """Slices that repeat across clusters, and which share of the variance of the errors they hold."""

    column: str
    share: float
    model: str = ""

    @classmethod
    def of(cls, p: Predictions, threshold: float | None = None) -> CrossedFound | None:
        """Of the errors of all models, and of how they differ from the first, about the means of their classes."""
        source, each = p.source.fetched(), np.stack(list(_errors(p, threshold).values()))
        for rows in (source.truth == code for code in np.unique(source.truth)):
            each[:, rows] -= each[:, rows].mean(axis=1, keepdims=True)
        user, item = (source.keyed[kind] for kind in ("clusters", "slices"))
        share, p_value = held_by(each, user.codes, item.codes) if len(item.names) >= 10 else (0.0, 1.0)
        return cls(p.roles.column("slice") or "by", share) if p_value <= 0.01 else None


def _errors(p: Predictions, threshold: float | None) -> dict[str, Floats]:
    """1 where a model calls a row wrongly, the ranks of what has no calls, and how models differ from the first."""
    source = p.source.fetched()
    of = (lambda m: _ranks(source, m), lambda m: (source.predicted_codes(m, threshold) != source.truth) * 1.0)
    series: dict[str, Floats] = {m: of[p.scale is None and p.has_predictions(m)](m) for m in p.models}
    return series | {f"{m} and {p.models[0]}": series[m] - series[p.models[0]] for m in p.models[1:]}


def _ranks(source: ArraySource, model: str) -> Floats:
    """The ranks of scores or grades; one that is missing counts as 0."""
    scores = source.columns[model].scores
    assert scores is not None
    column = np.nan_to_num(scores.reshape(len(scores), -1)[:, 0])
    _, place, often = np.unique(column, return_inverse=True, return_counts=True)
    return np.asarray(np.cumsum(often) - (often - 1) / 2, dtype=np.float64)[place]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JoinedRows(OneSample):
    """One model on rows with two keys, or in order of time: its sample over each key, and over both together."""

    parts: Sequence[OneSample]
    views: Sequence[View]

    @property
    def clustered(self) -> bool:
        """They are."""
        return True

    @property
    def value(self) -> float:
        """The metric."""
        return self.parts[0].value

    @property
    def n(self) -> float:
        """How many rows it is of."""
        return self.parts[0].n

    @property
    def groups(self) -> int:
        """The number of clusters of the key that has fewer."""
        return min(view.groups for view in self.views)

    def ends(self, q: Problem[Any]) -> Range:
        """Between which values the metric lies."""
        return self.parts[0].ends(replace(q, sample=self.parts[0]))

    def why_undefined(self, q: Problem[Any]) -> str | Note:
        """Why the metric has no value."""
        return self.parts[0].why_undefined(replace(q, sample=self.parts[0]))

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said of an undefined metric, and of one cluster."""
        return self.parts[0].nothing(replace(q, sample=self.parts[0])) or OneSample.nothing(self, q)

    def estimated(self, q: Problem[Any]) -> Estimated:
        """One estimate of those over each key; where one of them has none, as that one says."""
        made = [part.estimated(replace(q, sample=part)) for part in self.parts]
        lacking = next((m for m in made if not len((m.estimate.worst or m.estimate).units.T)), None)
        if lacking is not None or math.isnan(self.value):
            return lacking or made[0]
        estimate = joined_worst([m.estimate for m in made], self.views)
        return Estimated(estimate=estimate, notes=(key_words(self.views),), instead=made[0].instead)

    def answered(self, q: Problem[Any], chosen: InferenceMethod) -> Interval:
        """The effective t; other methods have no limits here."""
        if chosen.key == KEY:
            return OneSample.answered(self, q, chosen)
        return self._interval(q, IntervalLimits(math.nan, math.nan, "", NO_OTHER), q.ends)
