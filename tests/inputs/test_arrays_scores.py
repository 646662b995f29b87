"""Scores: numbers with an order, thresholds, probabilities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from trueerror.inputs._arrays import check_probabilities, default_threshold, score_array
from trueerror.inputs._options import InputError


@pytest.mark.parametrize(
    "values",
    [
        [0.25, 1],
        np.array([0.25, 1], np.float16),
        np.array([0.25, 1], np.longdouble),
        np.array([0.25, 1], np.float32),
        np.array([0.25, 1], dtype=object),
        pd.Series([0.25, 1]),
        pd.Series([0.25, 1], dtype="Float64"),
        pd.Series([0.25, 1], dtype="float64[pyarrow]"),
        pl.Series([0.25, 1.0]),
        pa.array([0.25, 1.0]),
        pa.chunked_array([[0.25], [1.0]]),
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__}.{getattr(v, 'dtype', getattr(v, 'type', ''))}",
)
def test_numbers_of_every_library(values: Any) -> None:
    scores = score_array(values)
    assert scores.tolist() == [0.25, 1]
    assert scores.dtype in (np.float32, np.float64)


def test_one_column_for_each_class() -> None:
    assert score_array([[0.1, 0.9], [0.5, 0.5]]).shape == (2, 2)
    assert score_array(pd.DataFrame({"a": [1, 2], "b": [3, 4]})).dtype == np.float64


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.1, math.nan, math.nan], r"NaN at row 2 \(2 in all\)"),
        ([0.1, None], "NaN at row 2"),
        (pd.Series([0.1, pd.NA], dtype=object), "NaN at row 2"),
        ([[0.1, 0.9], [math.nan, 0.5]], "NaN at row 2"),
        (np.array([[0.1, None]], dtype=object), "NaN at row 1"),
        (["low", "high"], "labels go in predicted"),
        (np.array([0.1, "0.9"], dtype=object), "row 2 holds '0.9'"),
        (np.array([[0.1, 0.2], [0.3, "x"]], dtype=object), "row 2 holds 'x'"),
        (np.array([1 + 1j]), "complex"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "datetime"),
    ],
)
def test_what_has_no_order_is_refused(values: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        score_array(values)


def test_infinities_are_scores_even_both() -> None:
    assert score_array([math.inf, -math.inf, 0]).tolist() == [math.inf, -math.inf, 0]


def test_huge_scores_do_not_overflow_into_an_error() -> None:
    assert score_array([1e308, 1e308, -1e308, -1e308]).shape == (4,)


def test_the_threshold_is_a_half_for_scores_in_0_to_1_only() -> None:
    assert default_threshold(np.array([0.0, 1.0]), None) == 0.5
    assert default_threshold(np.array([]), None) == 0.5
    assert default_threshold(np.array([-3.0, 9.0]), 2) == 2
    with pytest.raises(InputError, match=r"from -3 to 9.*pass threshold="):
        default_threshold(np.array([-3.0, 9.0]), None)
    with pytest.raises(InputError, match="nan"):
        default_threshold(np.array([0.5]), math.nan)


def test_probabilities() -> None:
    check_probabilities(np.array([0.0, 1.0]))
    check_probabilities(np.array([[0.3333, 0.3333, 0.3333]]))
    check_probabilities(np.zeros((0, 2)))
    with pytest.raises(InputError, match=r"from -0\.1 to 0\.5"):
        check_probabilities(np.array([-0.1, 0.5]))
    with pytest.raises(InputError, match=r"row 2 adds up to 0\.9"):
        check_probabilities(np.array([[0.5, 0.5], [0.5, 0.4]]))
