"""Metrics of one's own: functions of (truth, predicted), and scorers of scikit-learn, wherever a metric is asked for.

A function of labels that does not care about the order of the rows is a function of the confusion matrix, so it is
given rows made from the counts: the whole machinery of intervals, clusters, pairs and learners works for it. Functions
that take `sample_weight` are given one row a cell with its weight. Its slope by a cell is how far one row more and one
row less move it: (f(n + 1) − f(n − 1))/2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.metrics._registry import _REGISTRY, AVERAGES, Measure, find_measure
from trueerror.tallies._confusion import Amount, Confusion
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
Function = Callable[..., Any]
# By scikit-learn's convention a function with such a name is better when low.
LOSSES = ("_loss", "_error", "_deviance")
# What a scorer asks a model for, where it is not its labels.
OF_SCORES = ("predict_proba", "decision_function", "threshold")


def own_measure(given: Any) -> Measure:
    """The metric behind a function or a scorer; one that the registry has is that one, with its sharper intervals.

    >>> def hits(truth, predicted):
    ...     return (truth == predicted).mean()
    >>> own_measure(hits).name, find_measure("hits").higher_is_better
    ('hits', True)
    """
    function, options, sign, response = _taken_apart(given)
    known = _registered(function, options)
    if known is not None:
        return known
    for own in _REGISTRY.own.values():
        if own.origin is function and dict(own.origin_options) == options and own.higher_is_better == (sign > 0):
            return own
    name = _free_name(function)
    scored = any(word in response for word in OF_SCORES)
    call = _weighing(function, options)
    made = Measure(
        name=name,
        title=name.replace("_", " "),
        function=_of_scores(call) if scored else _of_labels(call),
        needs="scores" if scored else "cells",
        best=math.inf if sign > 0 else -math.inf,
        range=(-math.inf, math.inf),
        situation="score-metric" if scored else "other",
        gradient=None if scored else _slopes(call),
        undefined=f"{name} has no value on these rows",
        origin=function,
        origin_options=tuple(options.items()),
    )
    _REGISTRY.own[name] = made
    return made


def _taken_apart(given: Any) -> tuple[Function, dict[str, Any], int, str]:
    """The function, its options, +1 where high is good, and what a scorer asks a model for."""
    inner = getattr(given, "_score_func", None)
    if callable(inner):
        response = getattr(given, "_response_method", "predict")
        return inner, dict(getattr(given, "_kwargs", {})), int(getattr(given, "_sign", 1)), str(response)
    name = str(getattr(given, "__name__", ""))
    return given, {}, -1 if name.endswith(LOSSES) else 1, "predict"


def _registered(function: Function, options: Mapping[str, Any]) -> Measure | None:
    """scikit-learn's own function as the metric of the registry that it is."""
    if not str(getattr(function, "__module__", "")).startswith("sklearn.metrics"):
        return None
    average = options.get("average", "binary")
    if set(options) - {"average"} or average not in ("binary", *AVERAGES):
        return None
    name = function.__name__ if average == "binary" else f"{average}_{function.__name__.removesuffix('_score')}"
    try:
        return find_measure(name)
    except InputError:
        return None


def _free_name(function: Function) -> str:
    """The function's name as metrics are written, with a number where a metric of the library has it.

    A function of the user's own that is defined anew takes its name over; functions without a name are numbered.
    """
    name = str(getattr(function, "__name__", type(function).__name__)).strip("<>").lower() or "metric"
    nameless = name == "lambda"
    name = "metric" if nameless else name.replace("-", "_").replace(" ", "_")
    taken = {*_REGISTRY.measures, *_REGISTRY.aliases, *(_REGISTRY.own if nameless else ())}
    if name not in taken:
        return name
    return next(f"{name}_{i}" for i in range(2, 10_000) if f"{name}_{i}" not in taken)


def _weighing(function: Function, options: Mapping[str, Any]) -> Callable[[Any, Any, Floats], float]:
    """The function of values and how often each occurs; it is given weights where it takes them, else rows."""
    try:
        takes = signature(function).parameters
        weighs = "sample_weight" in takes or any(p.kind is Parameter.VAR_KEYWORD for p in takes.values())
    except (TypeError, ValueError):
        weighs = False

    def call(truth: Any, said: Any, times: Floats) -> float:
        there = times > 0
        truth, said, times = truth[there], said[there], times[there]
        whole = bool((times == np.floor(times)).all())
        if weighs and "sample_weight" in takes:
            return _value(function, truth, said, {**options, "sample_weight": times})
        if not whole:
            raise InputError(f"{getattr(function, '__name__', 'the metric')} takes no sample_weight, so it is not "
                             "offered with weights or at another class mix")  # fmt: skip
        rows = np.repeat(np.arange(len(times)), times.astype(np.int64))
        return _value(function, truth[rows], said[rows], options)

    return call


def _value(function: Function, truth: Any, said: Any, options: Mapping[str, Any]) -> float:
    if len(truth) == 0:
        return math.nan
    try:
        return float(function(truth, said, **options))
    except (ZeroDivisionError, FloatingPointError):
        return math.nan
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{getattr(function, '__name__', 'the metric')}(truth, predicted) fails: {reason}") from None


def _of_labels(call: Callable[[Any, Any, Floats], float]) -> Function:
    def metric(table: Confusion, masses: Amount | None = None) -> Amount:
        """A function of the user's own."""
        labels = np.asarray(table.labels)
        if len(table.col) and int(table.col.max()) >= len(labels):
            raise InputError('a metric of your own needs a label for every row: leave rows out with missing="drop"')
        counts = np.asarray(table.masses if masses is None else masses, dtype=np.float64)
        truth, said = labels[table.row], labels[table.col]
        flat = [call(truth, said, row) for row in counts.reshape(-1, counts.shape[-1])]
        found = np.array(flat).reshape(counts.shape[:-1])
        return found if found.ndim else found.item()

    return metric


def _slopes(call: Callable[[Any, Any, Floats], float]) -> Function:
    def gradient(table: Confusion, masses: Floats) -> Floats:
        labels = np.asarray(table.labels)
        truth, said = labels[table.row], labels[table.col]
        counts = np.asarray(masses, dtype=np.float64)
        if counts.ndim > 1:
            raise InputError("a metric of your own has no analytic interval here; use method='bootstrap-percentile'")
        here, slopes = call(truth, said, counts), np.empty(len(counts))
        for cell in range(len(counts)):
            moved = counts.copy()
            moved[cell] += 1
            up = call(truth, said, moved)
            moved[cell] = max(0.0, moved[cell] - 2)
            down = call(truth, said, moved) if moved[cell] > 0 else math.nan
            slopes[cell] = (up - down) / 2 if math.isfinite(down) else up - here
        # Doubling all counts changes nothing, so influences add up to 0 over the rows; whole steps miss that a little.
        return slopes - float((counts * slopes).sum()) / float(counts.sum())

    return gradient


def _of_scores(call: Callable[[Any, Any, Floats], float]) -> Function:
    def metric(table: ScoreTable, masses: tuple[Any, Any] | None = None) -> Amount:
        """A function of the user's own, of the truth (1 is positive) and scores."""
        up, down = (table.positives, table.negatives) if masses is None else masses
        truth = np.repeat([1, 0], len(table.scores))
        scores = np.concatenate([table.scores, table.scores]).astype(np.float64)
        both = np.concatenate([np.asarray(up), np.asarray(down)], axis=-1).astype(np.float64)
        found = np.array([call(truth, scores, row) for row in both.reshape(-1, both.shape[-1])])
        found = found.reshape(both.shape[:-1])
        return found if found.ndim else found.item()

    return metric
