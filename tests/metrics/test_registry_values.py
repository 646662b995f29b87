"""Another class distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import class_shares, reweighted, reweighted_scores

THREE = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]], labels=["a", "b", "c"])


def test_counts_at_the_prior_are_those_of_a_sample_that_has_it() -> None:
    """Ten times the rows of one class is the table that a sample with ten times its share would give."""
    table = te.Confusion([[40, 10], [5, 45]])
    tenfold = te.Confusion([[400, 100], [5, 45]])
    prior = te.metric("prevalence", tenfold)
    for name in ("accuracy", "precision", "npv", "f1", "mcc", "kappa", "macro_f1", "expected_cost", "savings", "fpr"):
        assert te.metric(name, table, prior=prior) == pytest.approx(te.metric(name, tenfold)), name


def test_scores_at_the_prior_are_those_of_a_sample_that_has_it() -> None:
    table = te.ScoreTable([0.1, 0.3, 0.6, 0.9], [1, 2, 3, 4], [5, 4, 3, 1])
    more = te.ScoreTable([0.1, 0.3, 0.6, 0.9], [1, 2, 3, 4], [50, 40, 30, 10])
    prior = more.n_positive / more.n
    for name in ("auc", "average_precision", "log_loss", "brier", "ece", "brier_skill_score"):
        assert te.metric(name, table, prior=prior) == pytest.approx(te.metric(name, more)), name
        assert te.metric(name, table, prior={0: 1 - prior, 1: prior}) == pytest.approx(te.metric(name, more)), name
    assert te.metric("precision", table, prior=prior) == pytest.approx(te.metric("precision", more))
    assert te.metric("accuracy", table, prior={0: 1 - prior, 1: prior}) == pytest.approx(te.metric("accuracy", more))


def test_losses_of_many_classes_at_a_prior() -> None:
    truth = np.array(["a", "a", "a", "b", "c"])
    p = np.array([[0.6, 0.2, 0.2], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]])
    loss = (p**2).sum(axis=1) - 2 * p[np.arange(5), [0, 0, 0, 1, 2]] + 1
    expected = 0.2 * loss[:3].mean() + 0.3 * loss[3] + 0.5 * loss[4]
    prior = {"a": 0.2, "b": 0.3, "c": 0.5}
    assert te.metric("brier", truth, scores=p, scale="sum", prior=prior) == pytest.approx(expected)
    missing = te.metric("brier", truth[:4], scores=p[:4], labels=["a", "b", "c"], prior=prior)
    assert math.isnan(missing)


def test_a_share_for_each_of_many_classes() -> None:
    prior = {"c": 0.5, "a": 0.25, "b": 0.25}
    recalls = [te.metric("recall", THREE, positive=label) for label in "abc"]
    assert te.metric("accuracy", THREE, prior=prior) == pytest.approx(np.dot(recalls, [0.25, 0.25, 0.5]))
    assert te.metric("balanced_accuracy", THREE, prior=prior) == pytest.approx(np.mean(recalls))


def test_one_share_beside_a_named_class_is_the_class_against_the_rest() -> None:
    tpr, fpr = te.metric("tpr", THREE, positive="b"), te.metric("fpr", THREE, positive="b")
    expected = 0.2 * tpr / (0.2 * tpr + 0.8 * fpr)
    assert te.metric("precision", THREE, positive="b", prior=0.2) == pytest.approx(expected)
    assert te.metric("accuracy", THREE, positive="b", prior=0.2) == pytest.approx(0.2 * tpr + 0.8 * (1 - fpr))
    by_class = {"a": 0.8 * 57 / 80, "b": 0.2, "c": 0.8 * 23 / 80}
    assert te.metric("precision", THREE, positive="b", prior=by_class) == pytest.approx(expected)
    assert te.metric("mcc", THREE, positive="b", prior=by_class) == pytest.approx(
        te.metric("mcc", THREE, positive="b", prior=0.2)
    )


def test_a_class_with_a_share_but_no_rows_leaves_the_result_undefined() -> None:
    table = te.Confusion([[5, 1], [0, 0]])
    assert math.isnan(te.metric("accuracy", table, prior=0.5))
    assert te.metric("accuracy", table, prior=0.0) == pytest.approx(5 / 6)
    assert np.isnan(reweighted(table, np.array([0.5, 0.5]))).all()
    _, down = reweighted_scores(te.ScoreTable([0.5], [3], [0]), 0.5)
    assert np.isnan(down).all()
    assert math.isnan(te.metric("brier", te.ScoreTable([0.5], [3], [0]), prior=0.5))


def test_every_replicate_is_brought_to_the_prior_by_itself() -> None:
    shares = np.array([0.2, 0.3, 0.5])
    masses = np.random.default_rng(3).integers(1, 9, (4, 9)).astype(float)
    masses[3, :3] = 0  # this replicate lost class a
    batch = reweighted(THREE, shares, masses)
    for i in range(3):
        assert batch[i] == pytest.approx(reweighted(THREE, shares, masses[i]))
        assert THREE.classes(batch[i]).truth / batch[i].sum() == pytest.approx(shares)
    assert np.isnan(batch[3]).all()


def test_shares_that_add_up_nearly_are_made_to_add_up() -> None:
    shares = class_shares({"a": 0.3333333, "b": 0.3333333, "c": 0.3333333}, ("a", "b", "c"))
    assert shares.sum() == 1


@pytest.mark.parametrize(
    ("prior", "labels", "positive", "words"),
    [
        (1.5, (0, 1), 1, "between 0 and 1"),
        (math.nan, (0, 1), 1, "between 0 and 1"),
        ("half", (0, 1), 1, "not a number"),
        (0.5, ("a", "b", "c"), "a", "there are 3"),
        (0.5, ("a", "b"), None, "which class is positive"),
        ({"a": 0.5}, ("a", "b"), None, "does not name the class 'b'"),
        ({"a": 0.5, "b": 0.6}, ("a", "b"), None, "adds up to 1.1"),
        ({"a": 0.5, "z": 0.5}, ("a", "b"), None, "'z' is not among the labels"),
        ({"a": -0.5, "b": 1.5}, ("a", "b"), None, "between 0 and 1"),
    ],
)
def test_wrong_priors_say_what_is_wrong(prior: Any, labels: Any, positive: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        class_shares(prior, labels, positive)


def test_a_prior_needs_one_label_a_row() -> None:
    with pytest.raises(InputError, match="one label"):
        te.metric("macro_f1", [[0, 1], [1, 1]], [[0, 1], [1, 0]], prior=0.5)
