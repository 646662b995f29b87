"""Losses and calibration error."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as oracle

import trueerror as te
from trueerror.metrics._registry import ClassScores, find_measure, loss_moments, mean_loss, table_losses

rng = np.random.default_rng(7)
TRUTH = rng.integers(0, 2, 500)
P = np.clip(np.round(0.25 + 0.5 * TRUTH + rng.normal(0, 0.25, 500), 2), 0.01, 0.99)
CLASSES = rng.choice(list("abc"), 200)
Q = rng.dirichlet([1, 2, 3], 200)


def test_against_scikit_learn() -> None:
    assert te.metric("log_loss", TRUTH, scores=P) == pytest.approx(oracle.log_loss(TRUTH, P), rel=1e-12)
    assert te.metric("brier", TRUTH, scores=P) == pytest.approx(oracle.brier_score_loss(TRUTH, P), rel=1e-12)
    assert te.metric("log_loss", CLASSES, scores=Q) == pytest.approx(oracle.log_loss(CLASSES, Q), rel=1e-12)
    # scikit-learn knows more than two classes from 1.7 on: there it gives the same.
    whole = float(np.mean(np.sum((Q - (CLASSES[:, None] == np.unique(CLASSES))) ** 2, axis=1)))
    if "scale_by_half" in inspect.signature(oracle.brier_score_loss).parameters:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert whole == pytest.approx(oracle.brier_score_loss(CLASSES, Q, scale_by_half=False), rel=1e-12)
    assert te.metric("brier", CLASSES, scores=Q, scale="sum") == pytest.approx(whole, rel=1e-12)
    assert te.metric("brier", CLASSES, scores=Q) == pytest.approx(whole / 2, rel=1e-12)
    assert te.metric("brier", CLASSES, scores=Q, scale="mean") == pytest.approx(whole / 3, rel=1e-12)


def test_one_column_and_two_columns_and_the_table_agree() -> None:
    table = te.ScoreTable.count(TRUTH, P)
    columns = np.column_stack([1 - P, P])
    for name in ("log_loss", "brier", "ece", "mce", "auc", "average_precision", "brier_skill_score"):
        one = te.metric(name, TRUTH, scores=P)
        assert te.metric(name, TRUTH, scores=columns) == pytest.approx(one, rel=1e-12), name
        assert te.metric(name, table) == pytest.approx(one, rel=1e-12), name


def test_a_certain_forecast_that_is_wrong_costs_infinitely_much() -> None:
    assert te.metric("log_loss", [0, 1], scores=[0.0, 0.0]) == math.inf
    assert te.metric("log_loss", [0, 1], scores=[0.0, 1.0]) == 0
    assert te.metric("log_loss", [0, 1], scores=[0.0, 0.0], clip=1e-15) == pytest.approx(15 * math.log(10) / 2)
    table = te.ScoreTable.count([0, 1], [0.0, 0.0])
    assert loss_moments(table, find_measure("log_loss")).mean == math.inf
    # The table lists the loss of a positive at 0, which no row has: it must not spoil the mean.
    assert te.metric("log_loss", te.ScoreTable.count([0, 0, 1], [0.0, 0.0, 1.0])) == 0


@pytest.mark.parametrize("clip", [-0.1, 0.5, math.nan])
def test_a_clip_without_meaning_is_refused(clip: float) -> None:
    with pytest.raises(ValueError, match="clip"):
        te.metric("log_loss", TRUTH, scores=P, clip=clip)


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_moments_of_a_table_are_those_of_the_rows(name: str) -> None:
    loss = find_measure(name)
    rows = loss.function(TRUTH, np.column_stack([1 - P, P]))
    moments = loss_moments(te.ScoreTable.count(TRUTH, P), loss)
    assert moments.n == 500
    assert moments.mean == pytest.approx(rows.mean(), rel=1e-12)
    assert moments.variance == pytest.approx(rows.var(ddof=1), rel=1e-12)


def test_moments_of_no_rows_and_of_sampling_weights() -> None:
    brier = find_measure("brier")
    assert loss_moments(te.ScoreTable([], [], []), brier).n == 0
    w = rng.random(500)
    weighted = te.ScoreTable.count(TRUTH, P, weights=w, weights_kind="sampling")
    assert mean_loss(weighted, brier) == pytest.approx(np.average((P - TRUTH) ** 2, weights=w))
    losses = table_losses(weighted, brier)
    assert losses.negative == pytest.approx(weighted.scores**2)
    with pytest.raises(ValueError, match="sampling weights"):
        loss_moments(weighted, brier)


def test_the_ranked_score_of_two_classes_is_the_brier_score() -> None:
    assert te.metric("rps", TRUTH, scores=P) == pytest.approx(te.metric("brier", TRUTH, scores=P))


def test_the_ranked_score_forgives_a_near_miss() -> None:
    near = te.metric("rps", ["a"], scores=[[0.0, 1.0, 0.0]], labels=["a", "b", "c"])
    far = te.metric("rps", ["a"], scores=[[0.0, 0.0, 1.0]], labels=["a", "b", "c"])
    assert (near, far) == (0.5, 1.0)


def ece_by_rows(truth: Any, p: Any, bins: int) -> tuple[float, float]:
    """The definition, bin by bin: (l, u] with 0 in the first."""
    gaps = []
    for b in range(bins):
        low, high = b / bins, (b + 1) / bins
        inside = (p > low) & (p <= high) | ((b == 0) & (p == 0))
        if inside.any():
            gaps.append((inside.mean(), abs(truth[inside].mean() - p[inside].mean())))
    return sum(w * g for w, g in gaps), max(g for _, g in gaps)


@pytest.mark.parametrize("bins", [1, 3, 10, 15, 100])
def test_calibration_error_by_its_definition(bins: int) -> None:
    p = np.concatenate([P, [0.0, 1.0, 0.3, 0.7, 0.1]])
    truth = np.concatenate([TRUTH, [0, 1, 1, 0, 0]])
    ece, mce = ece_by_rows(truth, p, bins)
    assert te.metric("ece", truth, scores=p, bins=bins) == pytest.approx(ece)
    assert te.metric("mce", truth, scores=p, bins=bins) == pytest.approx(mce)


def test_a_forecast_on_an_edge_belongs_to_the_bin_below() -> None:
    """0.7 as typed is the edge 7/10; with 0.65 it shares the bin (0.6, 0.7]."""
    together = te.metric("ece", [1, 0], scores=[0.7, 0.65])
    assert together == pytest.approx(abs(0.5 - 0.675))


def test_bins_of_equal_mass_hold_as_many_rows() -> None:
    p = np.arange(1, 101) / 1000
    truth = (np.arange(100) % 2).astype(int)
    quarter = p.reshape(4, 25).mean(axis=1)
    share = truth.reshape(4, 25).mean(axis=1)
    expected = np.abs(quarter - share).mean()
    assert te.metric("ece", truth, scores=p, bins=4, binning="mass") == pytest.approx(expected)
    assert te.metric("mce", truth, scores=p, bins=4, binning="mass") == pytest.approx(np.abs(quarter - share).max())


def test_equal_forecasts_stay_in_one_bin() -> None:
    assert te.metric("ece", [1, 0, 1, 0], scores=[0.5] * 4, bins=3, binning="mass") == 0


def test_many_classes_are_judged_by_the_called_class() -> None:
    called = Q.argmax(axis=1)
    right = np.array(list("abc"))[called] == CLASSES
    expected = te.metric("ece", right, scores=Q.max(axis=1))
    assert te.metric("ece", CLASSES, scores=Q) == pytest.approx(expected)
    one = te.metric("ece", CLASSES, scores=Q, positive="b")
    assert one == pytest.approx(te.metric("ece", CLASSES == "b", scores=Q[:, 1]))
    table = ClassScores(np.zeros(0, int), np.zeros((0, 3)), ("a", "b", "c")).top_label()
    assert table.n == 0


@pytest.mark.parametrize("bins", [0, -1, 2.5, "ten", True])
def test_bins_are_a_whole_number(bins: Any) -> None:
    with pytest.raises(ValueError, match="bins"):
        te.metric("ece", TRUTH, scores=P, bins=bins)


def test_skill_is_nought_for_the_constant_forecast() -> None:
    truth = [1, 0, 0, 0] * 5
    assert te.metric("brier_skill_score", truth, scores=[0.25] * 20) == pytest.approx(0)
    assert math.isnan(te.metric("brier_skill_score", [1, 1], scores=[0.5, 0.6]))


@pytest.mark.parametrize("name", ["log_loss", "brier", "ece", "brier_skill_score"])
def test_scores_that_are_no_probabilities_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
        te.metric(name, [0, 1], scores=[-1.0, 3.0])
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
        te.metric(name, te.ScoreTable.count([0, 1], [-1.0, 3.0]))


def test_columns_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match=r"row 2 adds up to 0\.8"):
        te.metric("log_loss", ["a", "b", "c"], scores=[[0.2, 0.3, 0.5], [0.2, 0.2, 0.4], [0.1, 0.1, 0.8]])


ALIKE: dict[str, list[dict[str, Any]]] = {
    "log_loss": [{}, {"clip": 0.1}, {"unit": "bits"}], "brier": [{}, {"scale": "sum"}, {"scale": "mean"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, several in ALIKE.items() for options in several]
)
def test_two_classes_are_two_of_several(name: str, options: dict[str, Any]) -> None:
    """Two columns are not looked up row by row; a third class that is never expected changes nothing."""
    loss = find_measure(name).function
    both = np.stack([1 - P, P], axis=1).astype(np.float32)
    three = np.concatenate([both, np.zeros((len(P), 1), np.float32)], axis=1)
    scale = 1.5 if options.get("scale") == "mean" else 1.0
    assert loss(TRUTH, both, **options) == pytest.approx(scale * loss(TRUTH, three, **options), rel=1e-13, abs=1e-16)
    assert loss(TRUTH.astype(np.int8)[:0], both[:0], **options).shape == (0,)
