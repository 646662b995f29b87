"""Rows with several labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from trueerror.inputs._options import InputError
from trueerror.tallies import MultiLabel

TRUTH = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 0, 0]])
CALLED = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0]])


def test_counts() -> None:
    table = MultiLabel.count(TRUTH, CALLED)
    assert table.labels == (0, 1, 2)
    assert table.tp.tolist() == [2, 1, 1]
    assert table.fp.tolist() == [0, 1, 0]
    assert table.fn.tolist() == [0, 0, 1]
    assert table.tn.tolist() == [2, 2, 2]
    assert (table.exact, table.n) == (2, 4)
    assert table.binary(1) == (1, 1, 0, 2)
    assert table.classes().one_vs_rest().tn.tolist() == [2, 2, 2]


def test_frames_bring_their_labels() -> None:
    for library in (pd, pl):
        frame = library.DataFrame({"a": TRUTH[:, 0], "b": TRUTH[:, 1], "c": TRUTH[:, 2]})
        assert MultiLabel.count(frame, CALLED).labels == ("a", "b", "c")
    assert MultiLabel.count(TRUTH, CALLED, labels=["x", "y", "z"]).labels == ("x", "y", "z")


def test_kinds_of_indicators() -> None:
    expected = MultiLabel.count(TRUTH, CALLED)
    for kind in (bool, float, np.uint8, object):
        assert MultiLabel.count(TRUTH.astype(kind), CALLED.tolist()) == expected


def test_shards_add() -> None:
    parts = [MultiLabel.count(TRUTH[s], CALLED[s]) for s in (slice(0, 1), slice(1, 4))]
    assert parts[0] + parts[1] == parts[1] + parts[0] == MultiLabel.count(TRUTH, CALLED)
    with pytest.raises(InputError, match="labels differ"):
        parts[0] + MultiLabel.count(TRUTH, CALLED, labels=["x", "y", "z"])
    with pytest.raises(TypeError):
        parts[0] + 1


@pytest.mark.parametrize(
    ("truth", "called", "words"),
    [
        (TRUTH, CALLED[:3], "4 rows but predicted has 3"),
        (TRUTH, CALLED[:, :2], "3 columns but predicted has 2"),
        (TRUTH, CALLED + 1, "row 1, column 1 is"),
        (TRUTH, [["a", "b", "c"]] * 4, "0 and 1"),
        (TRUTH, np.where(CALLED == 1, np.nan, 0), "row 1, column 1 is"),
        (np.array([[None, 1], [0, 1]], dtype=object), [[0, 1], [0, 1]], "row 1, column 1 is None"),
        (np.array([["x", 1], [0, 1]], dtype=object), [[0, 1], [0, 1]], "0 and 1"),
        (TRUTH[:, 0], CALLED, "one column for each label"),
    ],
)
def test_what_are_no_indicators_is_refused(truth: Any, called: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        MultiLabel.count(truth, called)


def test_labels_must_fit_the_columns() -> None:
    with pytest.raises(InputError, match="3 columns but labels= names 2"):
        MultiLabel.count(TRUTH, CALLED, labels=["x", "y"])


def test_other_counts_of_the_same_labels_are_another_tally() -> None:
    table = MultiLabel.count(TRUTH, CALLED)
    assert table == MultiLabel.count(TRUTH[::-1], CALLED[::-1])
    assert table != MultiLabel.count(TRUTH, TRUTH)
    assert table != MultiLabel.count(np.vstack([TRUTH, TRUTH]), np.vstack([CALLED, CALLED]))
