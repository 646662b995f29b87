"""Metrics of one class against scikit-learn, and where they are undefined or infinite."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as oracle

import trueerror as te

rng = np.random.default_rng(5)
TRUTH = rng.integers(0, 2, 300)
CALLED = np.where(rng.random(300) < 0.7, TRUTH, 1 - TRUTH)

ORACLES = {
    "precision": lambda t, c: oracle.precision_score(t, c),
    "recall": lambda t, c: oracle.recall_score(t, c),
    "specificity": lambda t, c: oracle.recall_score(t, c, pos_label=0),
    "npv": lambda t, c: oracle.precision_score(t, c, pos_label=0),
    "f1": lambda t, c: oracle.f1_score(t, c),
    "jaccard": lambda t, c: oracle.jaccard_score(t, c),
    "mcc": lambda t, c: oracle.matthews_corrcoef(t, c),
    "accuracy": lambda t, c: oracle.accuracy_score(t, c),
    "error_rate": lambda t, c: oracle.zero_one_loss(t, c),
    "hamming_loss": lambda t, c: oracle.hamming_loss(t, c),
    "balanced_accuracy": lambda t, c: oracle.balanced_accuracy_score(t, c),
    "kappa": lambda t, c: oracle.cohen_kappa_score(t, c),
    "lr_plus": lambda t, c: oracle.class_likelihood_ratios(t, c)[0],
    "lr_minus": lambda t, c: oracle.class_likelihood_ratios(t, c)[1],
}


@pytest.mark.parametrize("name", ORACLES)
def test_against_scikit_learn(name: str) -> None:
    assert te.metric(name, TRUTH, CALLED) == pytest.approx(ORACLES[name](TRUTH, CALLED), rel=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 2.5])
def test_f_beta_against_scikit_learn(beta: float) -> None:
    assert te.metric("f_beta", TRUTH, CALLED, beta=beta) == pytest.approx(
        oracle.fbeta_score(TRUTH, CALLED, beta=beta), rel=1e-12
    )


def test_geometric_means() -> None:
    p, r = te.metric("precision", TRUTH, CALLED), te.metric("recall", TRUTH, CALLED)
    s = te.metric("specificity", TRUTH, CALLED)
    assert te.metric("fowlkes_mallows", TRUTH, CALLED) == pytest.approx(math.sqrt(p * r))
    assert te.metric("g_mean", TRUTH, CALLED) == pytest.approx(math.sqrt(r * s))


def test_informedness_markedness_and_mcc() -> None:
    """MCC² = informedness · markedness for two classes."""
    product = te.metric("informedness", TRUTH, CALLED) * te.metric("markedness", TRUTH, CALLED)
    assert te.metric("mcc", TRUTH, CALLED) ** 2 == pytest.approx(product)


@pytest.mark.parametrize(
    ("matrix", "lr_plus", "lr_minus", "dor"),
    [
        ([[50, 0], [5, 45]], math.inf, 0.1, math.inf),
        ([[50, 0], [50, 0]], math.nan, 1.0, math.nan),
        ([[0, 50], [0, 50]], 1.0, math.nan, math.nan),
        ([[0, 50], [20, 30]], 0.6, math.inf, 0.0),
        ([[0, 0], [5, 45]], math.nan, math.nan, math.nan),
        ([[40, 10], [5, 45]], 4.5, 0.125, 36.0),
    ],
)
def test_likelihood_ratios_reach_infinity_and_are_undefined_at_nought_over_nought(
    matrix: Any, lr_plus: float, lr_minus: float, dor: float
) -> None:
    table = te.Confusion(matrix)
    assert te.metric("lr_plus", table) == pytest.approx(lr_plus, nan_ok=True)
    assert te.metric("lr_minus", table) == pytest.approx(lr_minus, nan_ok=True)
    assert te.metric("diagnostic_odds_ratio", table) == pytest.approx(dor, nan_ok=True)


@pytest.mark.parametrize("beta", [-1, math.nan, math.inf])
def test_a_beta_without_meaning_is_refused(beta: float) -> None:
    with pytest.raises(ValueError, match="beta"):
        te.metric("f_beta", TRUTH, CALLED, beta=beta)


@pytest.mark.parametrize("weights", [(1, 2, 3), (1, -1, 1, 1), (0, 0, 0, 0), "abcd", None, (1, 1, 1, math.nan)])
def test_four_weights_are_checked(weights: Any) -> None:
    with pytest.raises(ValueError, match="four numbers"):
        te.metric("weighted_accuracy", TRUTH, CALLED, weights=weights)


def test_a_billion_rows_do_not_overflow() -> None:
    table = te.Confusion([[4_000_000_000, 1_000_000_000], [500_000_000, 4_500_000_000]])
    small = te.Confusion([[40, 10], [5, 45]])
    for name in ("mcc", "kappa", "f1", "diagnostic_odds_ratio", "g_mean", "balanced_accuracy"):
        assert te.metric(name, table) == pytest.approx(te.metric(name, small), rel=1e-12), name
