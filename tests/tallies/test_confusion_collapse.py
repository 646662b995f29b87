"""One class against the rest."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies._confusion import BinaryCounts, binary_as_classes, collapsed, sum_columns

TABLE = te.Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"])


def test_it_is_the_same_as_counting_the_class_alone() -> None:
    for label in "abc":
        two, place = collapsed(TABLE, label)
        assert two.binary() == TABLE.binary(label)
        assert sum_columns(TABLE.masses, place, len(two.counts)).tolist() == two.masses.tolist()
    with pytest.raises(InputError, match="'z'"):
        collapsed(TABLE, "z")


def test_rows_without_a_prediction_were_not_called_the_class() -> None:
    table = te.Confusion.count(["a", "b", "c", "b"], ["a", None, None, "b"], missing="wrong")
    assert collapsed(table, "b")[0].binary() == table.binary("b") == BinaryCounts(1, 0, 1, 2)


def test_weights_are_added() -> None:
    table = te.Confusion.count(list("abca"), list("abba"), weights=[0.5, 1, 2, 4], weights_kind="sampling")
    two, _ = collapsed(table, "b")
    assert two.masses.tolist() == [4.5, 2, 1]
    assert two.weight_squares is not None
    assert two.weight_squares.tolist() == [16.25, 4, 1]
    assert two.n == 4


def test_four_counts_as_a_table_of_two_classes() -> None:
    t = te.Confusion([[50, 5], [10, 35]])
    for ours, expected in zip(binary_as_classes(t.binary()), t.classes(), strict=True):
        assert np.array_equal(ours, expected)
