"""Shards of one sample: which tables may be added, and what labels the sum has."""

from __future__ import annotations

from typing import Any

import pytest

import trueerror as te
from trueerror.inputs._options import InputError

count = te.Confusion.count


def test_labels_that_were_seen_are_united() -> None:
    assert (count(["a"], ["b"]) + count(["c"], ["a"])) == count(["a", "c"], ["b", "a"])


def test_the_other_side_of_0_and_1_is_not_carried_into_a_sum_that_does_not_show_it() -> None:
    assert (count([0], [0]) + count([2], [2])) == count([0, 2], [0, 2])
    assert (count([1], [1]) + count([0], [0])) == count([1, 0], [1, 0])
    assert (count([1], [1]) + count([1], [1])).labels == (0, 1)
    assert (count([True], [True]) + count([False], [True])).labels == (False, True)


def test_a_declared_order_rules() -> None:
    declared = count(["b"], ["a"], labels=["b", "a", "c"])
    seen = count(["a"], ["a"])
    assert (declared + seen).labels == (seen + declared).labels == ("b", "a", "c")
    assert (count([1], [1], labels=[2, 1]) + count([1], [1])).labels == (2, 1)
    with pytest.raises(InputError, match="'z' is not among the declared labels"):
        declared + count(["z"], ["a"])
    with pytest.raises(InputError, match="the label orders differ"):
        declared + count(["b"], ["a"], labels=["a", "b", "c"])


def test_a_class_of_dropped_rows_is_not_forgotten() -> None:
    shard = count(["a", "b"], ["a", None], missing="drop")
    assert (shard + count(["c"], ["c"])).labels == ("a", "b", "c")


def test_positive_classes_must_agree() -> None:
    yes = count(["no"], ["yes"], positive="yes")
    assert (yes + count(["no"], ["yes"])).positive == "yes"
    with pytest.raises(InputError, match="positive is 'yes' in one and 'no' in the other"):
        yes + count(["no"], ["yes"], positive="no")


def test_weights_must_agree() -> None:
    weighted = count([0, 1], [0, 1], weights=[0.5, 2], weights_kind="sampling")
    both = weighted + weighted
    assert both.masses.tolist() == [1, 4]
    assert both.weight_squares is not None
    assert both.weight_squares.tolist() == [0.5, 8]
    with pytest.raises(InputError, match="sampling weights"):
        weighted + count([0, 1], [0, 1])


def test_text_and_numbers_do_not_add() -> None:
    with pytest.raises(InputError, match="one type"):
        count(["a"], ["a"]) + count([1], [1])
    with pytest.raises(TypeError):
        count(["a"], ["a"]) + 1


def test_missing_predictions_of_shards_add_up_to_those_of_the_whole() -> None:
    many = count(["a", "b", "c"], ["a", None, "c"], missing="wrong") + count(["b"], [None], missing="wrong")
    assert many == count(["a", "b", "c", "b"], ["a", None, "c", None], missing="wrong")
    two = count(["a"], [None], missing="wrong") + count(["b"], ["b"])
    assert two == count(["a", "b"], [None, "b"], missing="wrong")


def test_a_missing_prediction_is_the_other_of_two_classes_until_there_are_more() -> None:
    two = count(["a", "b", "b"], [None, "b", None], missing="wrong")
    assert two.matrix.tolist() == [[0, 1], [1, 1]]
    assert (two + count(["b"], ["b"])).matrix.tolist() == [[0, 1], [1, 2]]
    three = two + count(["c"], ["c"])
    assert three.unpredicted.tolist() == [1, 1, 0]
    assert three == count(["a", "b", "b", "c"], [None, "b", None, "c"], missing="wrong")
    again = te.load(two.to_json()) + count(["c"], ["c"])
    assert again == three


def test_the_implied_class_disappears_with_the_rows_that_were_counted_as_it() -> None:
    implied = count([1], [None], missing="wrong")
    assert implied.matrix.tolist() == [[0, 0], [1, 0]]
    assert implied + count([2], [2]) == count([1, 2], [None, 2], missing="wrong")


def test_weights_of_missing_predictions_move_with_them() -> None:
    options: dict[str, Any] = {"missing": "wrong", "weights_kind": "sampling"}
    two = count(["a", "b"], [None, "b"], weights=[2.5, 1], **options)
    one = count(["c"], ["c"], weights=[4], **options)
    assert two + one == count(["a", "b", "c"], [None, "b", "c"], weights=[2.5, 1, 4], **options)
    often: dict[str, Any] = {"missing": "wrong", "weights_kind": "frequency"}
    counted = count(["a", "b"], [None, "b"], weights=[3, 1], **often) + count(["c"], ["c"], weights=[4], **often)
    assert counted == count(["a", "b", "c"], [None, "b", "c"], weights=[3, 1, 4], **often)


def test_sources_are_kept_and_do_not_matter_for_equality() -> None:
    a = te.Confusion.from_cells(**{**count([0, 1], [0, 1])._to_data(), "sources": ("x.csv",)})
    b = count([0, 1], [0, 1])
    assert a == b
    assert (a + b).sources == ("x.csv",)
