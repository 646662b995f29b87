"""The confusion matrix: counting, reading, refusing."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import InputError


def test_counting_rows() -> None:
    table = te.Confusion.count(["b", "a", "b", "c"], ["b", "b", "a", "c"])
    assert table.labels == ("a", "b", "c")
    assert table.matrix.tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert table.n == 4
    assert table.records()[0] == {"truth": "a", "predicted": "b", "count": 1}


def test_a_given_label_order_is_kept() -> None:
    table = te.Confusion.count(["b", "a"], ["b", "b"], labels=["c", "b", "a"])
    assert table.labels == ("c", "b", "a")
    assert table.matrix.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_an_unlabelled_two_by_two_is_tn_fp_fn_tp() -> None:
    counts = te.Confusion([[50, 5], [10, 35]]).binary()
    assert counts.total == 100
    assert counts == (35, 5, 10, 50)


def test_one_class_against_the_rest_of_many() -> None:
    table = te.Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"])
    assert table.binary("b") == (6, 4, 3, 12)
    margins = table.classes()
    assert margins.hits.tolist() == [5, 6, 7]
    assert margins.truth.tolist() == [6, 9, 10]
    assert margins.predicted.tolist() == [7, 10, 8]
    assert np.array(margins.one_vs_rest())[:, 1].tolist() == [6, 4, 3, 12]


def test_the_positive_class_is_never_guessed() -> None:
    with pytest.raises(InputError, match="positive= one of 'no', 'yes'"):
        te.Confusion([[1, 2], [3, 4]], labels=["no", "yes"]).binary()
    with pytest.raises(InputError, match="'maybe' is not among"):
        te.Confusion([[1, 2], [3, 4]], labels=["no", "yes"], positive="maybe")
    assert te.Confusion([[1, 2], [3, 4]], labels=["no", "yes"]).with_positive("no").binary().tp == 1


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 2, 3], [4, 5, 6]], "square, but it is 2 × 3"),
        ([1, 2], "square, but it is 2"),
        (5, "a single value"),
        ([[1, -2], [3, 4]], "row 1, column 2 is -2"),
        ([[1, 2.5], [3, 4]], r"row 1, column 2 is 2\.5"),
        ([[1, float("nan")], [3, 4]], "is nan"),
        ([[1, float("inf")], [3, 4]], "is inf"),
        ([[1, "x"], [3, 4]], "square table of counts"),
        ([[1, 2], [3]], "square"),
        ([[1, None], [3, 4]], "nan"),
        (None, "give a table of counts"),
    ],
)
def test_what_is_no_matrix_of_counts_is_refused(matrix: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.Confusion(matrix)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"labels": ["a"]}, "2 classes but labels= names 1"),
        ({"labels": ["a", "a"]}, "'a' twice"),
        ({"labels": "ab"}, "list of labels"),
        ({"labels": ["a", 1]}, "one type"),
        ({"labels": [0.5, 1]}, "whole numbers"),
        ({"rows": "columns"}, "rows='columns'"),
    ],
)
def test_wrong_labels_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.Confusion([[1, 2], [3, 4]], **options)


def test_whole_floats_and_frames_are_counts() -> None:
    expected = te.Confusion([[1, 2], [3, 4]])
    assert te.Confusion([[1.0, 2.0], [3.0, 4.0]]) == expected
    assert te.Confusion(np.array([[1, 2], [3, 4]], dtype=np.uint8)) == expected
    assert te.Confusion(pd.DataFrame([[1, 2], [3, 4]])) == expected


def test_it_is_frozen() -> None:
    table = te.Confusion([[1, 2], [3, 4]])
    with pytest.raises(AttributeError):
        table.labels = ("x", "y")
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0] = 7
    assert hash(table) == hash(te.Confusion([[1, 2], [3, 4]]))


def test_missing_predictions() -> None:
    truth, called = ["a", "b", "c", "a"], ["a", None, "c", None]
    with pytest.raises(InputError, match=r"row 2 \(2 in all\)"):
        te.Confusion.count(truth, called)
    wrong = te.Confusion.count(truth, called, missing="wrong")
    assert wrong.n == 4
    assert wrong.unpredicted.tolist() == [1, 1, 0]
    assert wrong.classes().predicted.tolist() == [1, 0, 1]
    assert wrong.classes().total == 4
    assert "no prediction" in str(wrong)
    assert te.Confusion.count(truth, called, missing="drop").n == 2
    with pytest.raises(InputError, match="missing='ignore'"):
        te.Confusion.count(truth, called, missing="ignore")  # type: ignore[arg-type]


def test_of_two_classes_a_missing_prediction_is_the_other() -> None:
    table = te.Confusion.count([0, 1, 1], [None, 1, None], missing="wrong")
    assert table.matrix.tolist() == [[0, 1], [1, 1]]
    assert not table.unpredicted.any()


def test_a_missing_truth_is_always_an_error() -> None:
    for missing in ("error", "wrong", "drop"):
        with pytest.raises(InputError, match=r"truth is missing at row 2 \(1 in all\)"):
            te.Confusion.count(["a", None], ["a", "a"], missing=missing)


def test_frequency_weights_repeat_rows() -> None:
    weighted = te.Confusion.count([0, 1, 1], [0, 1, 0], weights=[3, 0, 2], weights_kind="frequency")
    assert weighted == te.Confusion.count([0, 0, 0, 1, 1], [0, 0, 0, 0, 0], labels=[0, 1])


def test_frequency_weights_of_many_classes_repeat_rows_too() -> None:
    truth = np.arange(3000)
    called = truth[::-1].copy()
    w = truth % 3
    weighted = te.Confusion.count(truth, called, weights=w, weights_kind="frequency")
    repeated = te.Confusion.count(np.repeat(truth, w), np.repeat(called, w), labels=range(3000))
    assert weighted == repeated


def test_sampling_weights_are_kept_beside_the_counts() -> None:
    table = te.Confusion.count([0, 1, 1, 1], [0, 1, 1, 0], weights=[0.5, 1.5, 2, 4], weights_kind="sampling")
    assert table.n == 4
    assert table.masses.tolist() == [0.5, 4, 3.5]
    assert table.weight_squares is not None
    assert table.weight_squares.tolist() == [0.25, 16, 2.25 + 4]
    assert table.classes(weighted=False).total == 4


def test_shares_are_of_rows_not_of_weights() -> None:
    table = te.Confusion.count([0, 1, 1], [0, 1, 0], weights=[0.5, 1.5, 2], weights_kind="sampling")
    assert table.shares().tolist() == [[1, 0], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("weights", "kind", "words"),
    [
        ([1, 2], None, "weights_kind="),
        ([1, -2], "sampling", "row 2"),
        ([1, np.nan], "sampling", "nan at row 2"),
        ([1, 2.5], "frequency", "whole numbers"),
        ([0, 0], "sampling", "all zero"),
        ([1, 2, 3], "sampling", "2 rows but weights has 3"),
        (["a", "b"], "sampling", "numbers"),
        ([1, 2], "counts", "weights_kind='counts'"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, kind: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.Confusion.count([0, 1], [0, 1], weights=weights, weights_kind=kind)


def test_it_is_written_down_and_read_back() -> None:
    for table in (
        te.Confusion([[1, 2], [3, 4]], labels=["no", "yes"], positive="yes"),
        te.Confusion.count([0, 1, 1], [0, 1, 0], weights=[0.5, 1.5, 2], weights_kind="sampling"),
        te.Confusion.count([True], [True]),
        te.Confusion.count([], []),
    ):
        assert te.load(table.to_json()) == table
        assert pickle.loads(pickle.dumps(table)) == table


def test_what_was_seen_survives_writing_down() -> None:
    kept = te.load(te.Confusion.count([0], [0]).to_json()) + te.Confusion.count([2], [2])
    assert kept.labels == (0, 2)


def test_it_prints_as_a_table_or_in_a_line() -> None:
    assert str(te.Confusion([[1, 2], [3, 4]], labels=["no", "yes"])).splitlines()[1].split() == ["no", "1", "2"]
    many = te.Confusion.count(np.arange(40), np.where(np.arange(40) == 7, 8, np.arange(40)))
    assert str(many) == "40 classes, 40 rows; most frequent errors: 7 called 8 (1)"
    assert te.Confusion([[1, 2], [3, 4]]).to_markdown().startswith("| truth")


def test_a_dense_matrix_of_too_many_classes_is_refused() -> None:
    table = te.Confusion.count(np.arange(5000), np.arange(5000))
    with pytest.raises(InputError, match="too large"):
        table.matrix
    assert table.n == 5000


def test_no_rows() -> None:
    empty = te.Confusion.count([], [])
    assert empty.n == 0
    assert empty.labels == ()
    assert empty.classes().total == 0


def test_replicates_and_complex_masses_keep_their_shape() -> None:
    table = te.Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]])
    masses = np.random.default_rng(0).random((4, 2, len(table.counts)))
    margins = table.classes(masses)
    assert margins.hits.shape == (4, 2, 3)
    assert margins.total.shape == (4, 2)
    assert table.binary(1, masses).tp.shape == (4, 2)
    assert np.allclose(margins.truth[1, 1], table.classes(masses[1, 1]).truth)
    tilted = table.masses + 1j
    assert table.classes(tilted).truth.imag.tolist() == [2, 3, 2]
    assert table.binary(1, tilted).tp == 6 + 1j
