"""Bootstrap-bias-corrected cross-validation against a direct, slow implementation."""

import math

import numpy as np
import pytest

from trueerror.inference.bootstrap import _tables
from trueerror.inference.learner._intervals import bbc_cv
from trueerror.inputs._options import InputError, generator


def slow(values, replicates, seed):
    """One replicate at a time, one row at a time."""
    rng, _ = generator(seed)
    n = len(values)
    scores = []
    for _ in range(replicates):
        often = rng.multinomial(n, np.full(n, 1 / n))
        bag = [i for i in range(n) for _ in range(often[i])]
        out = [i for i in range(n) if often[i] == 0]
        means = [sum(values[i][j] for i in bag) for j in range(values.shape[1])]
        best = means.index(min(means))
        scores.append(sum(values[i][best] for i in out) / len(out))
    return np.array(scores)


def test_against_the_slow_way():
    values = (np.random.default_rng(2).random((40, 6)) < 0.3).astype(float)
    scores = slow(values, 200, 5)
    made = bbc_cv(values, replicates=200, rng=5)
    assert made.estimate == pytest.approx(scores.mean(), abs=1e-12)
    assert (made.low, made.high) == pytest.approx(tuple(np.quantile(scores, [0.025, 0.975])), abs=1e-12)


def test_blocks_do_not_change_the_answer(monkeypatch):
    values = np.random.default_rng(2).random((40, 6))
    whole = bbc_cv(values, rng=1)
    monkeypatch.setattr(_tables, "BLOCK", 400)
    assert bbc_cv(values, rng=1) == whole


def test_the_optimism_of_choosing_is_taken_out():
    """Twenty settings that are all wrong on 30 % of rows: the best looks far better, and is not."""
    best, corrected = [], []
    for seed in range(30):
        values = (np.random.default_rng(seed).random((100, 20)) < 0.3).astype(float)
        best.append(values.mean(axis=0).min())
        corrected.append(bbc_cv(values, replicates=200).estimate)
    assert np.mean(best) < 0.24
    assert abs(np.mean(corrected) - 0.3) < 0.01


def test_higher_can_be_better():
    values = np.random.default_rng(1).random((50, 4))
    up, down = bbc_cv(values, higher_is_better=True), bbc_cv(1 - values)
    assert up.estimate == pytest.approx(1 - down.estimate, abs=1e-12)


def test_a_perfect_setting_leaves_room():
    values = np.column_stack([np.zeros(20), np.ones(20)])
    made = bbc_cv(values)
    assert (made.estimate, made.low, round(made.high, 4)) == (0, 0, 0.1611)
    assert not math.isnan(made.high)


def test_bad_input():
    with pytest.raises(InputError, match="row for each example"):
        bbc_cv([[0.1, 0.2]])
    with pytest.raises(InputError, match="from 100 to"):
        bbc_cv([[0.1], [0.2]], replicates=5)


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(0)
    held = wide = 0
    for _ in range(40):
        chance = rng.beta(0.3, 0.7, (20, 3)).repeat(10, axis=0)
        losses = (rng.random((200, 3)) < chance).astype(float)
        groups = np.repeat(np.arange(20), 10)
        by_cluster = bbc_cv(losses, clusters=groups, replicates=200, rng=1)
        held += by_cluster.low <= 0.3 <= by_cluster.high
        wide += by_cluster.width > 1.5 * bbc_cv(losses, replicates=200, rng=1).width
    assert held >= 36
    assert wide >= 36
    with pytest.raises(ValueError, match="one cluster"):
        bbc_cv(losses, clusters=np.zeros(200, int))
