"""`te.testing`: assertions about models, with the gate's words."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te

TRUTH = np.arange(400) % 2
WORSE = np.where(np.arange(400) % 10 == 0, 1 - TRUTH, TRUTH)
NEAR = np.where(np.arange(400) % 100 == 0, 1 - TRUTH, TRUTH)


def one(name: str, calls: np.ndarray) -> te.Predictions:
    return te.predictions(TRUTH, {name: calls})


def test_not_worse_gives_the_gate_back() -> None:
    made = te.testing.assert_not_worse(one("new", TRUTH), one("old", TRUTH), "accuracy", 0.02)
    assert made.decision == "pass"


def test_worse_raises_with_the_words() -> None:
    with pytest.raises(AssertionError, match=r"Fail: new is worse than old[\s\S]*10\.0"):
        te.testing.assert_not_worse(one("new", WORSE), one("old", TRUTH))


def test_cannot_tell_raises_or_warns() -> None:
    with pytest.raises(AssertionError, match="Cannot tell"):
        te.testing.assert_not_worse(one("new", NEAR), one("old", TRUTH), margin=0.01)
    with pytest.warns(UserWarning, match="Cannot tell") as caught:
        made = te.testing.assert_not_worse(one("new", NEAR), one("old", TRUTH), margin=0.01, on_cannot_tell="warn")
    assert made.decision == "cannot tell"
    assert caught[0].filename == __file__
    with pytest.raises(AssertionError, match="Fail"):
        te.testing.assert_not_worse(one("new", WORSE), one("old", TRUTH), on_cannot_tell="warn")
    with pytest.raises(ValueError, match="on_cannot_tell"):
        te.testing.assert_not_worse(one("new", NEAR), one("old", TRUTH), on_cannot_tell="maybe")  # type: ignore[arg-type]


def test_at_least() -> None:
    assert te.testing.assert_at_least(one("new", NEAR), 0.97).passed
    with pytest.raises(AssertionError, match="at least 95"):
        te.testing.assert_at_least(one("new", WORSE), 0.95)


def test_a_model_is_not_worse_than_itself() -> None:
    """Whatever the margin, and with few rows; another model with as many errors is not itself."""
    few = np.arange(20) % 2
    calls = np.where(np.arange(20) % 5 == 0, 1 - few, few)
    new, old = te.predictions(few, {"new": calls}), te.predictions(few, {"old": calls})
    assert te.gate(new, old).decision == "cannot tell"
    for made in (te.testing.assert_not_worse(new, old), te.testing.assert_not_worse(new, old, margin=0.0)):
        assert made.passed
        assert "answers every row as old does" in made.verdict
        assert te.load(made.to_json()) == made
    scores = calls + np.linspace(0, 0.1, 20)
    rows = [te.predictions(few, scores={name: scores}) for name in ("new", "old")]
    assert te.testing.assert_not_worse(*rows, "auc").passed
    other = te.predictions(few, {"old": np.where(np.arange(20) % 5 == 1, 1 - few, few)})
    with pytest.raises(AssertionError, match="by more than 1 point"):
        te.testing.assert_not_worse(new, other)
