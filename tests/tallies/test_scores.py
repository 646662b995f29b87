"""The score table."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies._scores import STEP


def test_counting_by_distinct_score() -> None:
    table = te.ScoreTable.count([0, 1, 1, 0], [0.2, 0.9, 0.2, 0.2])
    assert table.scores.tolist() == [0.2, 0.9]
    assert table.positives.tolist() == [1, 1]
    assert table.negatives.tolist() == [2, 0]
    assert (table.n, table.n_positive, table.n_negative) == (4, 2, 2)
    assert table.records()[0] == {"score": 0.2, "positives": 1, "negatives": 2}


def test_minus_nought_equals_nought() -> None:
    table = te.ScoreTable.count([0, 1, 1], np.array([-0.0, 0.0, 1.0]))
    assert table.scores.tolist() == [0, 1]
    assert not np.signbit(table.scores).any()
    assert table == te.ScoreTable.count([0, 1, 1], np.array([0.0, -0.0, 1.0]))
    weighted = te.ScoreTable.count([0, 1], [-0.0, 0.0], weights=[1, 2], weights_kind="frequency")
    assert len(weighted.scores) == 1


def test_whole_small_and_boolean_scores() -> None:
    for scores in ([1, 2, 2], np.array([1, 2, 2], np.float32), np.array([1, 2, 2], np.float16), [False, True, True]):
        assert len(te.ScoreTable.count([0, 1, 1], scores).scores) == 2


@pytest.mark.parametrize(
    ("truth", "scores", "options", "words"),
    [
        ([0, 1], [0.1, np.nan], {}, "NaN at row 2"),
        ([0, 1], [0.1, None], {}, "NaN at row 2"),
        ([0, 1], pd.array([0.1, pd.NA], dtype="Float64"), {}, "NaN at row 2"),
        ([0, 1], ["a", "b"], {}, "must be numbers"),
        ([0, 1], [0.1, "0.2"], {}, "row 2 holds '0.2'"),
        ([0, 1], [[0.1, 0.9], [0.2, 0.8]], {}, "one column"),
        ([0, 1], [0.1], {}, "2 rows but scores has 1"),
        (["a", "b"], [0.1, 0.2], {}, "which class is positive"),
        (["a", "b"], [0.1, 0.2], {"positive": "c"}, "'c' is not among the labels"),
        ([0, None], [0.1, 0.2], {}, "truth is missing at row 2"),
        ([0, 1], [1j, 2j], {}, "must be numbers"),
    ],
)
def test_what_has_no_order_is_refused(truth: Any, scores: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.ScoreTable.count(truth, scores, **options)


@pytest.mark.parametrize(
    ("scores", "positives", "negatives", "words"),
    [
        ([0.2, 0.1], [1, 1], [1, 1], "ascending"),
        ([0.1, 0.1], [1, 1], [1, 1], "ascending"),
        ([0.1, np.nan], [1, 1], [1, 1], "NaN"),
        ([0.1, 0.2], [1, -1], [1, 1], "whole numbers from 0 up"),
        ([0.1, 0.2], [1, 1.5], [1, 1], "whole numbers from 0 up"),
        ([0.1, 0.2], [1, 1], [1], "2 rows but negatives has 1"),
        ([0.1, 0.2], ["a", "b"], [1, 1], "must be numbers"),
    ],
)
def test_a_table_by_hand_is_checked(scores: Any, positives: Any, negatives: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.ScoreTable(scores, positives, negatives)


def test_shards_add() -> None:
    truth, scores = [0, 1, 1, 0, 1], [0.2, 0.9, 0.2, 0.5, 0.9]
    whole = te.ScoreTable.count(truth, scores)
    parts = te.ScoreTable.count(truth[:2], scores[:2]) + te.ScoreTable.count(truth[2:], scores[2:])
    assert parts == whole
    assert whole + te.ScoreTable([], [], []) == whole
    with pytest.raises(InputError, match="positive is 1 in one table and 0"):
        whole + te.ScoreTable.count(truth, scores, positive=0)
    with pytest.raises(InputError, match="sampling weights"):
        whole + te.ScoreTable.count(truth, scores, weights=np.ones(5) / 2, weights_kind="sampling")
    with pytest.raises(InputError, match="binned"):
        whole + te.ScoreTable([0.5], [1], [1], exact=False)
    with pytest.raises(TypeError):
        whole + 1


def test_weights() -> None:
    truth, scores, w = [0, 1, 1], [0.2, 0.9, 0.2], [2, 3, 4]
    repeated = te.ScoreTable.count(np.repeat(truth, w), np.repeat(scores, w))
    assert te.ScoreTable.count(truth, scores, weights=w, weights_kind="frequency") == repeated
    sampled = te.ScoreTable.count(truth, scores, weights=[0.5, 1.5, 2], weights_kind="sampling")
    assert sampled.positives.tolist() == [2, 1.5]
    assert sampled.squares is not None
    assert sampled.squares.tolist() == [[4, 2.25], [0.25, 0]]
    assert (sampled + sampled).squares is not None


def test_it_is_frozen_and_written_down() -> None:
    table = te.ScoreTable.count([0, 1], [0.1, float("inf")])
    with pytest.raises(AttributeError):
        table.positive = 0
    with pytest.raises(ValueError, match="read-only"):
        table.positives[0] = 9
    assert te.load(table.to_json()) == table
    assert pickle.loads(pickle.dumps(table)) == table
    assert "2 distinct scores" in str(table)


@pytest.mark.parametrize("size", [1, 7, STEP - 1, STEP, STEP + 1, 3 * STEP + 17])
def test_counts_at_single_cutoffs_are_those_of_all(size: int) -> None:
    rng = np.random.default_rng(size)
    ups, downs = rng.integers(0, 3, size), rng.integers(0, 3, size)
    ups[0] += 1
    table = te.ScoreTable(np.arange(size), ups, downs)
    tp, fp = (np.concatenate(([0], np.cumsum(c[::-1]))) for c in (ups, downs))
    places = np.unique(np.concatenate((rng.integers(0, size + 1, 200), [0, size])))
    assert [part.tolist() for part in table._called(places)] == [tp[places].tolist(), fp[places].tolist()]
    rows = tp + fp
    for wanted in [0.0, 0.5, 1.0, float(rows[-1]), *(rows[places] + 0.5).tolist()[:-1], *rows[places].tolist()]:
        assert table._first_with(wanted) == np.searchsorted(rows, wanted)
