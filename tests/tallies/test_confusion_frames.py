"""Confusion matrices from data frames and from four named counts."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trueerror as te

TRUTH = np.repeat(["neg", "pos"], [450, 50])
CALLED = np.array(["neg"] * 420 + ["pos"] * 30 + ["neg"] * 14 + ["pos"] * 36)
CROSSED = pd.crosstab(TRUTH, CALLED)
COUNTED = te.Confusion.count(TRUTH, CALLED)


@pytest.mark.parametrize(
    "frame",
    [
        CROSSED,
        CROSSED[["pos", "neg"]],
        CROSSED.loc[["pos", "neg"]],
        CROSSED.loc[["pos", "neg"], ["pos", "neg"]],
        CROSSED.astype("Int64"),
        CROSSED.rename_axis(index="truth", columns="predicted"),
        CROSSED.reset_index(),
        pl.DataFrame({"truth": ["pos", "neg"], "pos": [36, 30], "neg": [14, 420]}),
        pa.table({"truth": ["pos", "neg"], "neg": [14, 420], "pos": [36, 30]}),
        pd.concat({"called": CROSSED[["pos", "neg"]]}, axis=1),
    ],
    ids=["crosstab", "columns", "rows", "both", "nullable", "axes", "column", "polars", "arrow", "levels"],
)
def test_a_frame_goes_by_its_labels(frame):
    assert te.Confusion(frame) == COUNTED


def test_rows_that_are_predictions_are_turned():
    turned = pd.crosstab(pd.Series(CALLED, name="predicted"), pd.Series(TRUTH, name="truth"))
    with pytest.raises(ValueError, match='rows="predicted"'):
        te.Confusion(turned)
    assert te.Confusion(turned, rows="predicted") == COUNTED


def test_labels_say_the_order_and_nothing_else():
    ordered = te.Confusion(CROSSED, labels=["pos", "neg"])
    assert ordered.matrix.tolist() == [[36, 14], [30, 420]]
    with pytest.raises(ValueError, match="'neg', which labels= does not name"):
        te.Confusion(CROSSED, labels=["pos", "other"])


def test_a_class_that_was_never_predicted_has_an_empty_column():
    crossed = pd.crosstab(pd.Series([0, 1, 2, 2]), pd.Series([0, 1, 1, 1]))
    assert te.Confusion(crossed) == te.Confusion.count([0, 1, 2, 2], [0, 1, 1, 1])


def test_frames_of_shards_add_up():
    parts = [pd.crosstab(TRUTH[s], CALLED[s]) for s in (slice(0, 300), slice(300, 500))]
    assert te.Confusion(parts[0]) + te.Confusion(parts[1]) == COUNTED


def test_a_frame_without_names_is_a_plain_matrix():
    assert te.Confusion(pd.DataFrame([[50, 5], [10, 35]])) == te.Confusion([[50, 5], [10, 35]])
    named = te.Confusion(pd.DataFrame([[50, 5], [10, 35]]), labels=["a", "b"])
    assert named == te.Confusion([[50, 5], [10, 35]], labels=["a", "b"])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pd.crosstab(TRUTH, CALLED, margins=True), "'All' of the confusion matrix holds totals"),
        (pd.crosstab(TRUTH, CALLED, margins=True).drop(index="All"), "column 'All'"),
        (pd.crosstab(TRUTH, CALLED, margins=True, margins_name="n"), "'n' of the confusion matrix holds totals"),
        (pd.crosstab(TRUTH, CALLED, margins=True).to_numpy(), "last row and column"),
        ([[420, 30, 450], [14, 36, 50], [434, 66, 500]], "last row and column"),
        (CROSSED.rename(columns={"pos": "Pos"}), "'pos' is no column and 'Pos' no row"),
        (CROSSED.rename(index={"pos": "1", "neg": "0"}), "no column"),
        (CROSSED.reset_index(drop=True), "0, 1 but its columns are 'neg', 'pos'"),
        (pl.DataFrame({"a": [1, 2], "b": [3, 4]}), "rows have no names"),
        (pd.crosstab(TRUTH, CALLED, normalize=True), "whole numbers"),
        (pd.DataFrame([[1, 2], [3, 4]], index=["a", "a"], columns=["a", "b"]), "'a' twice"),
    ],
)
def test_totals_and_labels_that_do_not_match_are_refused_by_name(table, words):
    with pytest.raises(ValueError, match=words):
        te.Confusion(table)


def test_a_class_may_be_called_all_where_it_is_one():
    frame = pd.DataFrame([[5, 2], [1, 7]], index=["all", "some"], columns=["all", "some"])
    assert te.Confusion(frame).labels == ("all", "some")


def test_four_counts_by_name():
    assert te.Confusion(tp=35, fp=5, fn=10, tn=50) == te.Confusion([[50, 5], [10, 35]])
    named = te.Confusion(tp=35, fp=5, fn=10, tn=50, labels=["sick", "well"], positive="sick")
    assert named.matrix.tolist() == [[35, 10], [5, 50]]
    assert named.binary() == (35, 5, 10, 50)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "tp=, fp=, fn= and tn="),
        ({"tp": 1, "fp": 2, "fn": 3}, "tn= is missing"),
        ({"tp": 1.5, "fp": 2, "fn": 3, "tn": 4}, "tp=1.5"),
        ({"tp": 1, "fp": 2, "fn": 3, "tn": -4}, "tn=-4"),
        ({"matrix": [[1, 2], [3, 4]], "tp": 1}, "not both"),
        ({"tp": 1, "fp": 2, "fn": 3, "tn": 4, "labels": ["a", "b"]}, "positive="),
        ({"tp": 1, "fp": 2, "fn": 3, "tn": 4, "labels": ["a", "b", "c"]}, "two classes"),
        ({"tp": 1, "fp": 2, "fn": 3, "tn": 4, "positive": "a"}, "needs labels="),
    ],
)
def test_four_counts_that_are_not_four_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        te.Confusion(**given)
