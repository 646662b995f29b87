"""Each public function with one odd value in the place of a sound one: an answer, or one line that says what is wrong.

The functions are those of the library's own lists, sound values are the fuzzer's, and every argument meets values that
are no numbers, no columns, no tables, or only look like one.
"""

from __future__ import annotations

import collections
import decimal
import fractions
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trueerror as te
from tests.fuzz.calls import FITTED, INNER, Constant, Late, functions, parameters, sample, seeded, split, usual
from trueerror.inputs._options import InputError

LONG = "x" * 5000
# Made anew for each call: iterators are used up.
ODD: dict[str, Callable[[], Any]] = {
    "generator": lambda: (x for x in [0, 1] * 4), "map": lambda: map(float, [0, 1] * 4), "endless": itertools.count,
    "zip": lambda: zip([0, 1], [1, 0], strict=True), "void": lambda: np.void(b"x"), "0-d": lambda: np.array(1),
    "0-d text": lambda: np.array("a"), "structured": lambda: np.array([(0, 1)] * 8, dtype=[("a", int), ("b", int)]),
    "record batch": lambda: pa.record_batch({"a": [0, 1] * 4}), "lazy": lambda: pl.LazyFrame({"a": [0, 1] * 4}),
    "frame": lambda: pd.DataFrame({"a": [0, 1] * 4}), "path": lambda: Path("/"), "text": lambda: "/",
    "long": lambda: LONG,
    "bytes": lambda: b"\xff", "set": lambda: {0, 1}, "odd keys": lambda: {None: 1, (1, 2): [0, 1] * 4, math.nan: "x"},
    "Decimal": lambda: decimal.Decimal("0.3"), "sNaN": lambda: decimal.Decimal("sNaN"), "Fraction": lambda:
    fractions.Fraction(1, 3), "nan": lambda: math.nan, "inf": lambda: math.inf, "2**63": lambda: 2**63, "huge": lambda:
    10**400, "-1": lambda: -1, "True": lambda: True, "empty": list, "no rows": lambda: pd.DataFrame({"a": []}),
    "one row": lambda: [1], "complex": lambda: 1 + 2j, "NaT": lambda: pd.NaT, "NA": lambda: pd.NA, "None": lambda: None,
    "masked": lambda: np.ma.masked, "day": lambda: pd.Timedelta(1, "D"), "object": object, "class": lambda: int,
    "nested": lambda: [[1], [2, 3]], "cells": lambda: [[], {}, None, b"x", 1, "a", 2**70, math.nan],
    "range": lambda: range(8),
    "deque": lambda: collections.deque([0, 1] * 4), "view": lambda: memoryview(b"ab"),
    "cycle": lambda: itertools.cycle([0]),
}  # fmt: skip


COLUMNS = ("by", "clusters", "ids", "weights", "folds", "repeats", "labels", "missing", "threshold")
Y, GUESS, P = [0, 1] * 4, [0, 1, 1, 1, 0, 1, 0, 0], [0.1, 0.9, 0.6, 0.7, 0.2, 0.8, 0.3, 0.4]
X = np.arange(24.0).reshape(12, 2)
SCORED = {"truth": Y, "scores": P, "positive": 1}


def curves() -> list[Any]:
    return [te.roc(Y, P, positive=1), te.roc(Y, GUESS, positive=1)]


# Sound calls, where the first values that the fuzzer draws are none.
SOUND: dict[str, Callable[[], dict[str, Any]]] = {
    **dict.fromkeys(
        ("brier_curve", "calibration", "cost_curve", "decision_curve", "det", "gains", "lift", "precision_recall",
         "precision_recall_gain", "risk_coverage", "roc"), lambda: SCORED),
    "overfitting": lambda: {"learner": {"a": Constant(), "b": Constant(1)}, "values": None, "X": X, "y": [0, 1] * 6,
                            "progress": False, "jobs": 1},
    **dict.fromkeys(("ablation", "lesion_study", "learning_curve", "bias_variance", "training_shares"),
                    lambda: {"X": X, "y": [0, 1] * 6, "progress": False, "jobs": 1}),
    **dict.fromkeys(("corrected", "ppi", "prediction_powered"), lambda: {
        "human": GUESS, "judge": Y, "judge_unlabelled": GUESS}),
    **dict.fromkeys(("difference", "probability_less"), lambda: {"first": (3, 10), "second": (5, 12)}),
    "testing.assert_at_least": lambda: {"candidate": te.predictions(Y, GUESS), "at_least": 0.1},
    **dict.fromkeys(("testing.assert_not_worse", "gate"), lambda: {
        "candidate": te.predictions(Y, {"a": GUESS, "b": Y}), "model": "b", "baseline": "a", "margin": 0.9}),
    **dict.fromkeys(("significance.confidence_sequence", "significance.e_value"), lambda: {
        "first": 3, "second": 9, "n": 40}),
    **dict.fromkeys(("significance.five_by_two_f", "significance.five_by_two_t"), lambda: {
        "differences": np.arange(10.0).reshape(5, 2)}),
    **dict.fromkeys(("power", "sample_size"), lambda: {"first": 0.7, "second": 0.8}),
    "Confusion": lambda: {"matrix": [[5, 1], [2, 3]]}, "Dataset": lambda: {"X": X, "y": [0, 1] * 6},
    "ScoreTable": lambda: {"scores": [0.1, 0.5], "positives": [1, 2], "negatives": [2, 1]},
    "auc_over_folds": lambda: {"folds": curves()}, "average_curves": lambda: {"curves": curves()},
    "compare": lambda: {"truth_or_predictions": Y, "predicted": {"a": GUESS, "b": Y}},
    "evaluate": lambda: {"truth_or_predictions": Y, "predicted": GUESS},
    "gaps": lambda: {"truth_or_predictions": te.predictions(Y, GUESS, by=[0, 0, 0, 0, 1, 1, 1, 1]), "min_rows": 1},
    "graded": lambda: {"grades": {"a": P}}, "interval": lambda: {"successes": 3, "trials": 10},
    "label_plan": lambda: {"budget": 4},
    "mean_interval": lambda: {"values": P}, "metric": lambda: {"name": "accuracy", "data": Y, "predicted": GUESS},
    "measure_curve": lambda: {**SCORED, "x": "recall", "y": "precision"}, "pass_at_k": lambda: {
        "answers": [[1, 0, 1], [0, 0, 1]]}, "pool_curves": lambda: {"curves": curves()},
    "predictions": lambda: {"truth": Y, "predicted": GUESS}, "repeats": lambda: {"answers": {"a": [[1, 0], [0, 1]]}},
    "roc_difference": lambda: {"data": te.predictions(Y, scores={"a": P, "b": P[::-1]}, positive=1), "first": "a",
                               "second": "b", "replicates": 100},
    "roc_hull": lambda: {"curves": curves()},
    "significance.delong": lambda: {"truth": Y, "first": P, "second": P[::-1]},
    "significance.delong_unpaired": lambda: {"truth1": Y, "scores1": P, "truth2": Y, "scores2": P},
    "significance.mcnemar": lambda: {"only_first": 4, "only_second": 9}, "significance.one_proportion": lambda: {
        "x": 3, "n": 10, "p0": 0.5}, "significance.paired_bootstrap": lambda: {
        "data": Y, "first": GUESS, "second": Y, "replicates": 100},
    "training_gap": lambda: {"test": te.predictions(Y, GUESS), "training": te.predictions(Y, Y)},
    "training_history": lambda: {"truth": Y, "history": {1: GUESS, 2: Y}},
}  # fmt: skip


def sound(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Sound values for what a function must have and what it may have."""
    s = next(s for n in range(100) if (s := sample(seeded(f"sound {n}")))["n"] == 8 and len(s["classes"]) == 2)
    given = {}
    for p in parameters(function):
        if p.name != "self" and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and p.name not in INNER:
            value = usual(p.name, s, name.split(".")[-1])[0]
            given[p.name] = value.make() if isinstance(value, Late) else value
    return given | SOUND.get(name, dict)()


def walk(name: str) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Each argument of a function with each odd value: the call, and what it is; first the sound call."""
    function = functions()[name]
    every, given = sound(function, name), SOUND.get(name, dict)()
    names = [p.name for p in parameters(function)]
    must = {p.name for p in parameters(function) if p.default is p.empty} | given.keys()

    def call(odd: dict[str, Any]) -> Any:
        positional, named = split(function, {k: v for k, v in every.items() if k in must and k in names} | odd)
        return function(*positional, **named)

    yield "", "", lambda: call({})
    keys = [key for key in names if key in every] + [c for c in COLUMNS if "columns" in names]
    for i, key in enumerate(keys):
        # What answers slowly meets some of the values with each argument, and all of them in all.
        step = 8 if name in FITTED else 2 if name in ("gaps", "compare", "evaluate") else 1
        some = list(ODD)[i % step :: step]
        for odd in some:
            if (key, odd) != ("jobs", "-1"):  # sound: all processors
                yield key, odd, lambda key=key, odd=odd: call({key: ODD[odd]()})


def wrong(call: Callable[[], Any]) -> str:
    """What is wrong with how a call ends; "" where nothing is."""
    try:
        call()
    except InputError as error:
        return "" if len(str(error)) <= 300 and str(error).isprintable() else f"a message that nobody can read: {error}"
    except AssertionError:  # what te.testing says of models
        return ""
    except BaseException as error:  # noqa: BLE001 - any other one is what is looked for, a panic of polars too
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.parametrize("name", sorted(functions()))
def test_an_odd_value_is_answered_or_refused_in_one_line(name: str) -> None:
    (_, _, sound_call), *odd_calls = walk(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sound_call()
        found = {f"{key}={odd}": said for key, odd, call in odd_calls if (said := wrong(call))}
    assert found == {}


def test_what_is_wrong_is_said() -> None:
    def warned() -> None:
        warnings.warn("odd", stacklevel=1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wrong(warned) == "UserWarning: odd"
    assert wrong(lambda: 1 // 0) == "ZeroDivisionError: integer division or modulo by zero"
    assert wrong(lambda: te.interval("x" * 999, 3)) == ""
