"""A model against one answer for every row: clustered, weighted and plain rows."""

import math

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inference.counts._paired import against_one_answer, gains_in_accuracy
from trueerror.verbs._model_metrics import ModelMetrics, Settings

N = 300
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(N) < 0.3).astype(int)
CALLS = np.where(RNG.random(N) < 0.8, TRUTH, 1 - TRUTH)


def bench(**rows):
    return ModelMetrics("model", Settings(), predictions=te.predictions(TRUTH, CALLS, **rows))


def test_each_row_a_cluster_or_equal_weights_is_the_paired_t_test():
    d = (CALLS == TRUTH) * 1.0 - (TRUTH == 0)
    error = d.std(ddof=1) / math.sqrt(N)
    single = bench(clusters=np.arange(N))
    found = [
        against_one_answer(single.confusion, gains_in_accuracy(single.clusters.table, 0), clusters=single.clusters),
        against_one_answer(bench().confusion, gains_in_accuracy(bench().confusion, 0)),
    ]
    weighted = bench(weights=np.full(N, 2.5), weights_kind="sampling").confusion
    found.append(against_one_answer(weighted, gains_in_accuracy(weighted, 0)))
    for c in found:
        assert c.estimate == pytest.approx(d.mean(), abs=1e-12)
        assert (c.high - c.low) / error == pytest.approx(2 * 1.968, rel=0.02)
        assert c.p_value == pytest.approx(2 * special.stdtr(N - 1, -abs(d.mean()) / error), abs=1e-3)
        assert (c.low, c.high, c.p_value) == pytest.approx((found[1].low, found[1].high, found[1].p_value), abs=1e-12)


def test_copies_of_a_cluster_do_not_count_as_rows():
    twice = te.predictions(np.repeat(TRUTH, 4), np.repeat(CALLS, 4), clusters=np.repeat(np.arange(N), 4))
    b = ModelMetrics("model", Settings(), predictions=twice)
    found = against_one_answer(b.confusion, gains_in_accuracy(b.clusters.table, 0), clusters=b.clusters)
    plain = against_one_answer(bench().confusion, gains_in_accuracy(bench().confusion, 0))
    assert found.p_value == pytest.approx(plain.p_value, abs=0.03)


def test_no_spread_and_one_cluster():
    same = te.predictions(TRUTH, np.zeros(N, int), clusters=np.arange(N) // 10, labels=[0, 1])
    b = ModelMetrics("model", Settings(), predictions=same)
    found = against_one_answer(b.confusion, gains_in_accuracy(b.clusters.table, 0), clusters=b.clusters)
    assert (found.estimate, found.p_value) == (0, 1)
    assert -1 < found.low < 0 < found.high < 1
    one = bench(clusters=np.zeros(N, int))
    found = against_one_answer(one.confusion, gains_in_accuracy(one.clusters.table, 0), clusters=one.clusters)
    assert math.isnan(found.p_value)
    assert "no spread" in found.note


def test_a_model_as_good_as_the_constant_is_called_different_one_time_in_twenty():
    """Rows of a cluster are alike: the plain test errs far too often, this one keeps its level."""
    rng, calls = np.random.default_rng(0), 0
    for _ in range(400):
        # Each cluster is won by the model or by the constant with equal chances, on all of its rows.
        won = rng.random(40) < 0.5
        truth = np.repeat(won, 8).astype(int)
        called = np.ones(320, int)
        truth, called = np.r_[truth, np.zeros(400, int)], np.r_[called, np.zeros(400, int)]
        p = te.predictions(truth, called, clusters=np.arange(720) // 8)
        b = ModelMetrics("model", Settings(), predictions=p)
        found = against_one_answer(b.confusion, gains_in_accuracy(b.clusters.table, 0), clusters=b.clusters)
        calls += found.p_value <= 0.05
    assert 5 <= calls <= 36
