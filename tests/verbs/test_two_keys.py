"""Rows that belong to a user and to an item: every verb answers for both keys, or says which call works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te

N = 600
RNG = np.random.default_rng(0)
USER, ITEM, TRUTH = RNG.integers(0, 40, N), RNG.integers(0, 30, N), RNG.integers(0, 2, N)
EASE = RNG.normal(size=40)[USER] + RNG.normal(size=30)[ITEM]
SCORES = {
    m: 1 / (1 + np.exp(-(RNG.normal(size=N) + (2 * TRUTH - 1) * (d + EASE)))) for m, d in (("a", 1.5), ("b", 0.8))
}


def rows(both: bool = True, **more: Any) -> te.Predictions:
    """The rows with both keys, or with users alone."""
    return te.predictions(TRUTH, scores=SCORES, clusters=[USER, ITEM] if both else USER, **more)


WIDER = {
    "evaluate": lambda both: te.evaluate(rows(both).select(["a"]))["accuracy"],
    "evaluate an area": lambda both: te.evaluate(rows(both).select(["a"]), metrics=["auc"])["auc"],
    "evaluate at costs": lambda both: te.evaluate(rows(both).select(["a"]), cost_fn=5)["accuracy"],
    "evaluate at a class mix": lambda both: te.evaluate(rows(both).select(["a"]), prior=0.2)["accuracy"],
    "compare": lambda both: te.compare(rows(both)).pairs[0],
    "compare areas": lambda both: te.compare(rows(both), metric="auc").pairs[0],
    "compare grades": lambda both: te.compare(
        te.graded(SCORES, clusters=[USER, ITEM] if both else USER)
    ).pairs[0],
    "gate": lambda both: te.gate(rows(both), candidate="a", baseline="b").checks[0],
    "slices": lambda both: te.evaluate(rows(both, by=np.arange(N) % 2).select(["a"])).slices[0]["accuracy"],
}  # fmt: skip


@pytest.mark.parametrize("verb", WIDER)
def test_limits_know_of_both_keys(verb: str) -> None:
    one, two = WIDER[verb](False), WIDER[verb](True)
    assert two.high - two.low > one.high - one.low


SAID = "these limits ignore time and a second key"
CURVES = (
    "roc", "precision_recall", "calibration", "det", "cost_curve", "gains", "lift", "decision_curve", "risk_coverage",
    "brier_curve", "precision_recall_gain",
)  # fmt: skip


@pytest.mark.parametrize("curve", CURVES)
def test_a_curve_says_that_its_limits_know_of_one_key(curve: str) -> None:
    assert SAID in " ".join(str(getattr(te, curve)(rows().select(["a"]))).split())


REFUSED = {
    "folds": lambda: te.evaluate(rows(folds=np.arange(N) % 5)),
    "folds of two": lambda: te.compare(rows(folds=np.arange(N) % 5)),
    "a sequential gate": lambda: te.gate(rows(), candidate="a", baseline="b", sequential=True),
    "the bootstrap": lambda: te.evaluate(rows(), method="bootstrap"),
    "three keys": lambda: te.evaluate(TRUTH, scores=SCORES["a"], clusters=[USER, ITEM, ITEM]),
    "questions": lambda: te.repeats(RNG.random((30, 4)), clusters=[np.arange(30) % 6, np.arange(30) % 5]),
}


@pytest.mark.parametrize("asked", REFUSED)
def test_what_has_no_answer_says_what_to_do(asked: str) -> None:
    with pytest.raises(te.InputError, match=r"leave one out|there are 'effective-t'|name two|pass a one-dimensional"):
        REFUSED[asked]()
