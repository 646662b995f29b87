"""te.training_gap: the gap between training and test rows, and who overfits."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

N = 300
RNG = np.random.default_rng(9)
TRUTH = RNG.integers(0, 2, N)


def right(share: float, truth: Any = TRUTH) -> Any:
    """Calls that are right on exactly this share of the rows."""
    called = truth.copy()
    wrong = RNG.permutation(len(truth))[: round((1 - share) * len(truth))]
    called[wrong] = 1 - called[wrong]
    return called


TRAINING = te.predictions(TRUTH, {"tree": right(1.0), "logreg": right(0.85), "rule": right(0.80)})
TEST = te.predictions(TRUTH, {"tree": right(0.72), "logreg": right(0.84), "rule": right(0.80)})


def test_the_gap_is_a_difference_of_two_proportions() -> None:
    made = te.training_gap(TEST, TRAINING)
    expected = te.difference((300, 300), (216, 300))
    gap = made["tree"]
    assert (gap.estimate, gap.low, gap.high, gap.p_value) == (
        expected.estimate, expected.low, expected.high, expected.p_value
    )  # fmt: skip
    assert made.training == pytest.approx((1.0, 0.85, 0.8))
    assert made.test == pytest.approx((0.72, 0.84, 0.8))
    assert (gap.first, gap.second) == ("training rows", "test rows")


def test_overfitting_needs_a_rival_that_is_worse_in_training_and_better_in_test() -> None:
    made = te.training_gap(TEST, TRAINING)
    assert {(o.model, o.rival) for o in made.overfits} <= {("tree", "logreg"), ("tree", "rule")}
    assert ("tree", "logreg") in {(o.model, o.rival) for o in made.overfits}
    o = made.overfits[0]
    assert o.training_lead > 0 > o.test_lead
    # Holm over three pairs.
    d = TEST.agreement("tree", "logreg").discordance()
    assert o.p_value == pytest.approx(3 * te.significance.mcnemar(d.only_first, d.only_second).p_value)


def test_a_gap_alone_is_not_overfitting() -> None:
    # Better than the others on both kinds of rows: a gap, but nobody who is worse there and better here.
    training = te.predictions(TRUTH, {"forest": right(1.0), "rule": right(0.80)})
    test = te.predictions(TRUTH, {"forest": right(0.90), "rule": right(0.80)})
    made = te.training_gap(test, training)
    assert made.overfits == ()
    assert made.findings.codes == ("TE208",)
    assert "overfits" not in made.verdict


def test_words_and_ways_out() -> None:
    made = te.training_gap(TEST, TRAINING)
    assert made.verdict.startswith("tree overfits: it is better than logreg")
    assert "tree loses 28.0 points from training to test rows, 95 % CI" in made.verdict
    assert max(len(line) for line in str(made).splitlines()) <= 80
    assert te.load(made.to_json()) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert made.records()[0]["overfits_against"] == ", ".join(o.rival for o in made.overfits)
    assert made.to_markdown().startswith("| model | training | test |")
    assert {"TE208", "TE209"} == set(made.findings.codes)


def test_no_gap_is_not_called_none() -> None:
    flat = te.training_gap(TEST.select(["rule"]), TRAINING.select(["rule"]))
    assert "No model is clearly better on the training rows" in flat.verdict
    assert "equal" not in str(flat).lower()
    assert len(flat.findings) == 0


def test_errors_say_what_to_do() -> None:
    with pytest.raises(InputError, match="no model is in both"):
        te.training_gap(TEST, te.predictions(TRUTH, {"other": TRUTH}))
    repeated = te.predictions(TRUTH, {"tree": TRUTH}, repeats=np.arange(N) % 2)
    with pytest.raises(InputError, match="pass one repeat"):
        te.training_gap(repeated, TRAINING)
    weighted = te.predictions(TRUTH, {"tree": TRUTH}, weights=np.ones(N), weights_kind="sampling")
    with pytest.raises(InputError, match="sampling weights"):
        te.training_gap(weighted, TRAINING)
    margins = te.predictions(TRUTH, scores={"svm": RNG.normal(size=N)})
    with pytest.raises(InputError, match="threshold="):
        te.training_gap(margins, margins)
    with pytest.raises(InputError, match="there is no model 'forest'"):
        te.training_gap(TEST, TRAINING)["forest"]
