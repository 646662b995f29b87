"""Cost matrices in all their forms, and what is wrong with the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._options import InputError

LABELS = ("a", "b", "c")


def test_tables_of_any_kind() -> None:
    nested = [[0, 1, 2], [3, 0, 4], [6, 5, -1]]
    expected = cost_matrix(nested, LABELS)
    assert expected.shape == (3, 4)
    assert expected[:, 3].tolist() == [2, 4, 6]
    for costs in (np.array(nested), pd.DataFrame(nested), tuple(map(tuple, nested))):
        assert np.array_equal(cost_matrix(costs, LABELS), expected)


def test_pairs_leave_right_calls_at_nought() -> None:
    pairs = {(i, j): 1 for i in LABELS for j in LABELS if i != j} | {("c", "c"): -2}
    table = cost_matrix(pairs, LABELS)
    assert np.diag(table).tolist() == [0, 0, -2]
    priced = cost_matrix(pairs | {(label, None): 9 for label in LABELS}, LABELS)
    assert priced[:, 3].tolist() == [9, 9, 9]


@pytest.mark.parametrize(("positive", "expected"), [("yes", [[1, 3], [5, 2]]), ("no", [[2, 5], [3, 1]])])
def test_outcomes_follow_the_positive_class(positive: str, expected: Any) -> None:
    costs = {"tn": 1, "FP": 3, "fn": 5, "tp": 2}
    assert cost_matrix(costs, ("no", "yes"), positive)[:, :2].tolist() == expected


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1], [1, 0]], "costs is 2 × 2, but there are 3 classes"),
        ([0, 1, 2], "costs is 3, but"),
        (5, "a single number"),
        ([[0, 1, 2], [3, 0]], "3 × 3 numbers"),
        ("abc", "3 × 3 numbers"),
        ([[0, 1, 2], [3, 0, float("nan")], [1, 1, 0]], "row 2, column 3 of costs is nan"),
        ([[0, 1, 2], [3, 0, float("inf")], [1, 1, 0]], "inf"),
        ({("a", "b"): 1}, "what calling 'a' 'c' costs"),
        ({("a", "z"): 1}, "'z' is not among the labels"),
        ({("a",): 1}, "pairs"),
        ({("a", "b"): "much"}, "'much'"),
        ({"fp": 1, "fn": 2}, "two classes, but there are 3"),
    ],
)
def test_wrong_costs_say_what_is_wrong(costs: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        cost_matrix(costs, LABELS)


@pytest.mark.parametrize(
    ("costs", "positive", "words"),
    [
        ({"fp": 1}, "b", "both 'fp' and 'fn'"),
        ({"fp": 1, "fn": 2, "miss": 3}, "b", "'miss'"),
        ({"fp": 1, "fn": 2}, None, "which class is positive"),
        ({"fp": None, "fn": 2}, "b", "None"),
    ],
)
def test_wrong_outcomes_say_what_is_wrong(costs: Any, positive: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        cost_matrix(costs, ("a", "b"), positive)


def test_no_prediction_is_priced_for_all_classes_or_none() -> None:
    pairs: dict[Any, float] = {("a", "b"): 1, ("b", "a"): 2, ("a", None): 3}
    with pytest.raises(InputError, match="'b', None"):
        cost_matrix(pairs, ("a", "b"))
