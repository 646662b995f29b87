import numpy as np
import pytest

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.bootstrap._half_row import gamma_quantile


@pytest.mark.parametrize("share", [0.025, 0.3, 0.8, 0.975])
def test_the_quantile_of_a_sum_of_gamma_variables(share):
    rng = np.random.default_rng(0)
    u, n = np.array([0.5, -1.0, 0.2, 2.0]), np.array([30.0, 12.0, 100.0, 0.5])
    drawn = (rng.gamma(n, size=(200_000, 4)) - n) @ u
    assert gamma_quantile(u, n, share) == pytest.approx(np.quantile(drawn, share), abs=0.25)


CELLS = [[24, 1, 0, 0], [0, 25, 0, 0], [0, 1, 24, 0], [2, 3, 4, 291]]


@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_f1", "g_mean", "macro_precision"])
def test_means_over_classes_of_unlike_sizes(metric):
    made = metric_interval(metric, te.Confusion(CELLS))
    assert made.method == "half-row-classes"
    assert made.low < made.estimate < made.high < 1
    order = [2, 0, 3, 1]
    moved = metric_interval(metric, te.Confusion(np.array(CELLS)[np.ix_(order, order)]))
    assert (moved.low, moved.high) == pytest.approx((made.low, made.high), rel=1e-9)
    perfect = metric_interval(metric, te.Confusion(np.diag([20, 50, 200])))
    assert perfect.low < perfect.estimate == perfect.high == 1
    wider = metric_interval(metric, te.Confusion(CELLS), confidence=0.99)
    assert wider.low < made.low < made.high < wider.high


def test_coverage_of_the_geometric_mean_with_less_than_one_error_a_class():
    # MOVER and wilson-of-classes cover .90 here, with all misses on one side.
    rng = np.random.default_rng(0)
    sizes, held = np.array([25, 25, 25, 300]), 0
    shares = np.where(np.eye(4) > 0, 0.97, 0.01) * (sizes / sizes.sum())[:, None]
    for _ in range(200):
        t = te.Confusion(rng.multinomial(sizes.sum(), shares.ravel()).reshape(4, 4))
        made = metric_interval("g_mean", t)
        held += made.low <= 0.97 <= made.high
    assert held >= 186


def test_evaluate_says_which_classes_decide():
    found = te.evaluate(te.Confusion(CELLS, labels=list("abcd"))).findings
    assert "TE216" in found
    assert "TE216" not in te.evaluate(te.Confusion([[40, 10, 5], [10, 60, 8], [6, 9, 200]])).findings
