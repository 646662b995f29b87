"""Truth × first × second."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies import Agreement

rng = np.random.default_rng(4)
TRUTH = rng.integers(0, 3, 200)
FIRST = np.where(rng.random(200) < 0.8, TRUTH, rng.integers(0, 3, 200))
SECOND = np.where(rng.random(200) < 0.7, TRUTH, rng.integers(0, 3, 200))
TABLE = Agreement.count(TRUTH, FIRST, SECOND)


def test_right_and_wrong() -> None:
    right_first, right_second = FIRST == TRUTH, SECOND == TRUTH
    found = TABLE.discordance()
    assert found.both_right == (right_first & right_second).sum()
    assert found.only_first == (right_first & ~right_second).sum()
    assert found.only_second == (~right_first & right_second).sum()
    assert found.n == TABLE.n == 200


def test_each_model_has_its_confusion_matrix() -> None:
    assert TABLE.model(0) == te.Confusion.count(TRUTH, FIRST)
    assert TABLE.model(1) == te.Confusion.count(TRUTH, SECOND)


def test_swapping_swaps() -> None:
    assert TABLE.swapped() == Agreement.count(TRUTH, SECOND, FIRST)
    assert TABLE.swapped().swapped() == TABLE


def test_shards_add() -> None:
    parts = [Agreement.count(TRUTH[s], FIRST[s], SECOND[s], labels=[0, 1, 2]) for s in (slice(0, 70), slice(70, 200))]
    assert parts[0] + parts[1] == parts[1] + parts[0] == TABLE
    with pytest.raises(InputError, match="pass labels="):
        parts[0] + Agreement.count([0, 1], [0, 1], [1, 1])


def test_missing_predictions() -> None:
    first = ["a", None, "b", "c"]
    second = ["a", "b", None, "c"]
    truth = ["a", "b", "b", "a"]
    with pytest.raises(InputError, match="missing"):
        Agreement.count(truth, first, second)
    assert Agreement.count(truth, first, second, missing="drop").n == 2
    wrong = Agreement.count(truth, first, second, missing="wrong")
    assert wrong.discordance() == (1, 1, 1, 1)
    assert wrong.model(0).unpredicted.sum() == 1


def test_bad_input() -> None:
    with pytest.raises(InputError, match="3 rows but second has 2"):
        Agreement.count([0, 1, 1], [0, 1, 1], [0, 1])
    with pytest.raises(InputError, match="'z' is not among"):
        Agreement.count(["a", "b"], ["a", "b"], ["a", "b"], positive="z")
    assert Agreement.count([0, 1], [0, 1], [1, 1]).positive == 1
    assert Agreement.count([], [], []).n == 0


def test_many_classes_are_counted_sparsely() -> None:
    truth = np.arange(2000)
    table = Agreement.count(truth, truth, np.roll(truth, 1))
    assert len(table.counts) == 2000
    assert table.discordance() == (0, 2000, 0, 0)
