"""Anything array-like is a column; what is not says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from trueerror.inputs._arrays import check_indexes, column, matrix, missing_rows, same_length
from trueerror.inputs._options import InputError


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 3],
        (1, 2, 3),
        range(1, 4),
        iter([1, 2, 3]),
        {1: 0, 2: 0, 3: 0}.keys(),
        np.array([1, 2, 3]),
        np.array([[1], [2], [3]]),
        pd.Series([1, 2, 3], index=[7, 8, 9]),
        pd.Index([1, 2, 3]),
        pd.array([1, 2, 3], dtype="Int64"),
        pd.Series([1, 2, 3], dtype="category"),
        pd.DataFrame({"x": [1, 2, 3]}),
        pl.Series([1, 2, 3]),
        pl.DataFrame({"x": [1, 2, 3]}),
        pa.array([1, 2, 3]),
        pa.chunked_array([[1, 2], [3]]),
        [np.int64(1), np.int32(2), np.int8(3)],
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__}",
)
def test_one_column(values: Any) -> None:
    assert column(values, "truth").tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("abc", "must be an array, not 'abc'"),
        (b"abc", "not b.abc"),
        (5, "must be an array, not 5"),
        (None, "not None"),
        ({"a": 1}, "dict"),
        (np.zeros((3, 2)), "3 × 2"),
        (np.float64(3), "a single value"),
        ([[1, 2], [3]], "unequal lengths"),
        (pl.LazyFrame({"x": [1]}), "lazy"),
    ],
)
def test_what_is_no_column_is_refused(values: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        column(values, "truth")


def test_mixed_lists_keep_their_kinds() -> None:
    """NumPy would turn ["a", 1] into two texts without a word."""
    assert column(["a", 1], "truth").tolist() == ["a", 1]
    assert column([np.str_("a"), np.int64(1)], "truth").dtype == object
    assert column([True, 2], "truth").tolist() == [True, 2]
    assert column([1, 2.0], "truth").dtype.kind == "f"
    assert column([1, None], "truth").tolist() == [1, None]
    assert column([2**70, 1], "truth").tolist() == [2**70, 1]


def test_masked_values_are_missing() -> None:
    masked = np.ma.array([1, 2, 3], mask=[False, True, False])
    assert column(masked, "truth").tolist() == [1, None, 3]
    assert column(np.ma.array([1, 2]), "truth").tolist() == [1, 2]


@pytest.mark.parametrize(
    "values",
    [
        ["a", None, "b"],
        ["a", float("nan"), "b"],
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series([1, None, 2]),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([1.0, None, 2.0], dtype="Float64"),
        pd.Series([1, None, 2], dtype="int64[pyarrow]"),
        pl.Series(["a", None, "b"]),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pl.Series([1, None, 2]),
        pl.Series([True, None, False]),
        pa.array(["a", None, "b"]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([1, None, 2]),
        pa.array([True, None, False]),
        pa.chunked_array([["a"], [None, "b"]]),
        np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"),
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__}.{getattr(v, 'dtype', getattr(v, 'type', ''))}",
)
def test_missing_values_of_every_library_are_seen(values: Any) -> None:
    assert missing_rows(column(values, "truth")).tolist() == [False, True, False]


def test_one_or_two_dimensions() -> None:
    assert matrix([[0.1, 0.9], [0.2, 0.8]], "scores").shape == (2, 2)
    assert matrix(pl.DataFrame({"a": [0.1], "b": [0.9]}), "scores").shape == (1, 2)
    with pytest.raises(InputError, match="not 3"):
        matrix(np.zeros((1, 1, 1)), "scores")


def test_unequal_lengths_name_both() -> None:
    assert same_length({"truth": [1, 2], "predicted": [1, 2]}) == 2
    with pytest.raises(InputError, match="truth has 1,000 rows but predicted has 2"):
        same_length({"truth": range(1000), "predicted": [1, 2]})


def test_two_pandas_inputs_must_have_one_index() -> None:
    a, b = pd.Series([1, 2], index=[0, 1]), pd.Series([1, 2], index=[1, 0])
    check_indexes({"truth": a, "predicted": a})
    check_indexes({"truth": a, "predicted": b.to_numpy()})
    check_indexes({"truth": a, "predicted": pl.Series([1, 2])})
    for other in (b, pd.DataFrame({"x": b})):
        with pytest.raises(InputError, match=r"different indexes.*reindex"):
            check_indexes({"truth": a, "predicted": other})
    with pytest.raises(InputError, match="truth and weights"):
        check_indexes({"truth": a, "predicted": [1, 2], "weights": b})
