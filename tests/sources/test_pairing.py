"""Joining two sets of predictions: the same rows or an error, never a guess."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.sources._pairing import pair


def first(**more: Any) -> te.Predictions:
    return te.predictions([0, 1, 1], {"a": [0, 1, 0]}, **more)


def second(**more: Any) -> te.Predictions:
    return te.predictions([0, 1, 1], {"b": [1, 1, 1]}, **more)


def test_by_position_when_the_truth_is_the_same() -> None:
    p = pair(first(), second(scores={"b": [0.2, 0.8, 0.9]}))
    assert p.models == ("a", "b")
    assert p.agreement("a", "b") == te.predictions([0, 1, 1], {"a": [0, 1, 0], "b": [1, 1, 1]}).agreement("a", "b")
    assert p.scores("b").n == 3


def test_on_ids_whatever_the_order() -> None:
    shuffled = te.predictions([1, 0, 1], {"b": [0, 1, 1]}, ids=["z", "x", "y"], scores={"c": [0.1, 0.2, 0.3]})
    p = pair(first(ids=["x", "y", "z"], clusters=[1, 1, 2]), shuffled)
    assert p.source.fetched().ids.tolist() == ["x", "y", "z"]  # type: ignore[union-attr]
    assert p.agreement("a", "b").discordance() == (1, 1, 0, 1)
    assert p.source.fetched().columns["c"].scores.tolist() == [0.2, 0.3, 0.1]  # type: ignore[union-attr]
    assert p.keys("clusters").names == (1, 2)


def test_one_with_ids_goes_by_position() -> None:
    assert pair(first(ids=[1, 2, 3]), second()).has_ids
    assert pair(first(), second(ids=[1, 2, 3])).has_ids


def test_same_names_are_told_apart() -> None:
    p = pair(te.predictions([0, 1], [0, 1]), te.predictions([0, 1], [1, 1]))
    assert p.models == ("model (first)", "model (second)")
    assert p.confusion("model (second)").matrix.tolist() == [[0, 1], [0, 1]]


def test_labels_of_both() -> None:
    a = te.predictions(["x", "y"], {"a": ["x", "z"]})
    b = te.predictions(["x", "y"], {"b": ["w", "y"]})
    p = pair(a, b)
    assert p.labels == ("w", "x", "y", "z")
    assert p.confusion("a").records()[1] == {"truth": "y", "predicted": "z", "count": 1}
    gaps = pair(
        te.predictions(["x", "y"], {"a": ["x", None]}, missing="wrong"),
        te.predictions(["x", "y"], {"b": ["w", "y"]}, missing="wrong"),
    )
    assert gaps.confusion("a").unpredicted.sum() == 1


def test_repeats_join_on_both() -> None:
    ids, repeats = [1, 2, 1, 2], [1, 1, 2, 2]
    a = te.predictions([0, 1, 0, 1], {"a": [0, 1, 1, 1]}, ids=ids, repeats=repeats)
    b = te.predictions([1, 0, 1, 0], {"b": [1, 0, 1, 1]}, ids=[2, 1, 2, 1], repeats=[2, 2, 1, 1])
    assert pair(a, b).agreement("a", "b").discordance() == (2, 1, 1, 0)


def test_files_and_arrays(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text("id,truth,b\nz,1,1\nx,0,1\ny,1,1\n", encoding="utf-8")
    p = pair(first(ids=np.array(["x", "y", "z"])), te.read(path))
    assert p.agreement("a", "b").discordance() == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (first(), te.predictions([0, 1], [0, 1]), "has 3 rows and the second 2.*paired=False"),
        (first(), te.predictions([1, 1, 0], [0, 1, 1]), "truth of the first is not that of the second.*ids"),
        (first(ids=[1, 2, 3]), second(ids=[1, 2, 4]), r"1 ids are only in the first \(3\).*paired=False"),
        (
            first(ids=[1, 2, 3]),
            te.predictions([0, 1, 1, 1], [0, 1, 1, 1], ids=[1, 2, 3, 4]),
            r"only in the second \(4\)",
        ),
        (first(ids=[1, 2, 3]), second(ids=["1", "2", "3"]), "text on one side and numbers on the other"),
        (first(ids=[1, 2, 3]), second(ids=[2, 1, 3]), "truth of id 1 is 0 in the first but 1 in the second"),
        (first(), second(positive=0), "positive is 1 in the first and 0 in the second"),
        (first(missing="drop"), second(), "missing is 'drop' in the first and 'error'"),
        (first(weights=[1, 2, 3], weights_kind="frequency"), second(), "weights that the other lacks"),
        (
            first(weights=[1, 2, 3], weights_kind="frequency"),
            second(weights=[1, 2, 4], weights_kind="frequency"),
            "different weights",
        ),
        (first(), te.predictions(["0", "1", "1"], ["0", "1", "1"]), "look alike: convert one side"),
    ],
)
def test_refused(a: te.Predictions, b: te.Predictions, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        pair(a, b)
    assert caught.value.__cause__ is None


def test_columns_that_two_tables_left_out_are_named_once() -> None:
    days = np.arange("2024-01-01", "2024-01-03", dtype="datetime64[D]")
    first = te.read({"truth": [0, 1], "a": [0, 1], "city": ["Oslo", "Rome"], "day": days})
    second = te.read({"truth": [0, 1], "b": [0, 1], "city": ["Oslo", "Rome"], "day": [str(d) for d in days]})
    reading = te.compare(first, second).reading
    assert reading.count("Left out") == 1
    assert "'city' (" in reading
    assert "'day' (" in reading
