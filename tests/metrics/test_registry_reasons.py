"""Why a metric is undefined, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.metrics._registry import ClassScores, find_measure, undefined_reason
from trueerror.tallies import MultiLabel

ONE_CALL = te.Confusion([[9, 0], [1, 0]], labels=["no", "yes"], positive="yes")
NEVER = te.Confusion([[10, 0, 5], [3, 0, 7], [2, 0, 20]], labels=["a", "b", "c"])
STRANGE = te.Confusion([[5, 1, 1], [0, 4, 2], [0, 0, 0]], labels=["a", "b", "c"])
MANY = te.Confusion(np.vstack([np.ones((1, 7)), np.zeros((6, 7))]))


def why(name: str, tally: Any, **options: Any) -> str:
    return undefined_reason(find_measure(name), tally, **options)


def test_a_number_needs_no_reason() -> None:
    assert why("accuracy", ONE_CALL) == ""
    assert why("f1", ONE_CALL) == ""
    assert why("lr_plus", te.Confusion([[5, 0], [1, 4]])) == ""


@pytest.mark.parametrize(
    ("name", "tally", "options", "words"),
    [
        ("precision", ONE_CALL, {}, "no row was predicted positive"),
        ("mcc", ONE_CALL, {}, "all rows are of one class, or all were predicted as one"),
        ("macro_precision", NEVER, {}, "precision of class 'b' is undefined: no row was predicted positive"),
        ("weighted_precision", NEVER, {}, "class 'b'"),
        ("macro_recall", STRANGE, {}, "recall of class 'c' is undefined: there are no positive rows"),
        ("g_mean", STRANGE, {}, "class 'c' was predicted but has no rows"),
        ("macro_recall", MANY, {}, "classes 1, 2, 3 and 3 more"),
        ("g_mean", MANY, {}, "were predicted but have no rows"),
        ("accuracy", te.Confusion(np.zeros((2, 2))), {}, "there are no rows"),
        ("macro_f1", te.Confusion(np.zeros((2, 2))), {}, "there are no rows"),
        ("kappa", te.Confusion([[3, 0], [0, 0]]), {}, "all rows are of one class"),
        ("savings", te.Confusion([[3, 1], [0, 0]]), {}, "nothing to save"),
        ("auc", te.ScoreTable([0.5], [3], [0]), {}, "all rows are of one class"),
        ("average_precision", te.ScoreTable([0.5], [0], [3]), {}, "no positive rows"),
        ("brier", te.ScoreTable([], [], []), {}, "there are no rows"),
        ("accuracy", te.Confusion([[3, 1], [0, 0]]), {"prior": 0.5}, "class 1 a share of 0.5, but it has no rows"),
        ("accuracy", STRANGE, {"prior": {"a": 0.5, "b": 0.25, "c": 0.25}}, "class 'c' a share of 0.25"),
        ("precision", STRANGE, {"positive": "c", "prior": 0.1}, "class 'c' a share of 0.1"),
        ("brier", te.ScoreTable([0.5], [3], [0]), {"prior": 0.5}, "class 'the rest' a share of 0.5"),
        ("macro_recall", MultiLabel.count([[0, 1]] * 2, [[1, 1]] * 2, labels=["x", "y"]), {}, "'x'"),
    ],
)
def test_the_reason_names_what_is_missing(name: str, tally: Any, options: dict[str, Any], words: str) -> None:
    reason = why(name, tally, **options)
    assert words in reason
    assert "\n" not in reason


def test_a_missing_class_of_scores_is_named() -> None:
    rows = ClassScores(np.array([0, 1, 1]), np.ones((3, 4)) / 4, ("a", "b", "c", "d"))
    assert why("hand_till_auc", rows) == "classes 'c' and 'd' have no rows"
    assert why("ovr_auc", rows._replace(codes=np.array([0, 1, 3]))) == "class 'c' has no rows"
    alone = ClassScores(np.array([0, 0]), np.ones((2, 1)), ("a",))
    assert why("ovr_auc", alone) == "there is only one class"
    prior = {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}
    assert why("log_loss", rows, prior=prior) == "the prior gives class 'c' a share of 0.25, but it has no rows"
