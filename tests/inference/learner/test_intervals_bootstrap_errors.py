"""Out-of-bag, .632 and .632+ errors against a direct, slow implementation."""

import math

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.learner._intervals import (
    Bagged,
    bootstrap_error,
    leave_one_out_bootstrap,
    no_information_rate,
    point_632,
    point_632_plus,
)
from trueerror.inputs._options import InputError


def test_a_nearest_neighbour_that_learns_nothing():
    assert point_632(0, 0.5) == pytest.approx(0.316)
    assert point_632_plus(0, 0.5, 0.5) == pytest.approx(0.5)


def test_632_plus_is_clipped():
    assert point_632_plus(0, 0.7, 0.5) == pytest.approx(0.5)  # Err1 above no information counts as no information
    assert point_632_plus(0.3, 0.2, 0.5) == pytest.approx(point_632(0.3, 0.2))  # no overfitting: R = 0
    assert point_632_plus(0.5, 0.6, 0.4) == pytest.approx(0.368 * 0.5 + 0.632 * 0.4)  # γ below err
    assert point_632_plus(0.2, 0.2, 0.2) == pytest.approx(0.2)


def test_no_information_rate_counts_every_pair():
    rng = np.random.default_rng(0)
    truth, called = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    slow = np.mean([t != c for t in truth for c in called])
    assert no_information_rate(truth, called) == pytest.approx(slow, abs=1e-12)
    with pytest.raises(InputError, match="same rows"):
        no_information_rate([0, 1], [0])


def nearest(X, y, train, test):
    gaps = np.abs(X[test][:, None] - X[train][None])
    return y[train][gaps.argmin(axis=1)]


def test_against_the_slow_way():
    rng = np.random.default_rng(4)
    n, b = 40, 60
    y = rng.integers(0, 2, n)
    X = rng.normal(0, 1, n) + y
    draws = [rng.integers(0, n, n) for _ in range(b)]
    samples = []
    for drawn in draws:
        out = np.setdiff1d(np.arange(n), drawn)
        samples.append(Bagged(out, (nearest(X, y, drawn, out) != y[out]).astype(float)))

    by_row = []
    for i in range(n):
        losses = [float(nearest(X, y, d, np.array([i]))[0] != y[i]) for d in draws if i not in d]
        by_row.append(sum(losses) / len(losses))
    err1 = sum(by_row) / n
    called = nearest(X, y, np.arange(n), np.arange(n))
    err = float((called != y).mean())
    gamma = np.mean([t != c for t in y for c in called])
    r = max(0, min(1, (min(err1, gamma) - err) / (gamma - err)))
    w = 0.632 / (1 - 0.368 * r)
    expected = {"out-of-bag": err1, "632": 0.368 * err + 0.632 * err1, "632+": (1 - w) * err + w * min(err1, gamma)}

    assert leave_one_out_bootstrap(samples, n)[0] == pytest.approx(err1, abs=1e-12)
    rates = np.array([s.losses.mean() for s in samples])
    tested = np.mean([len(s.rows) for s in samples])
    reach = stats.t.ppf(0.975, b - 1) * math.sqrt(rates.var(ddof=1) * (1 / b + tested / (n - tested)))
    for kind, value in expected.items():
        made = bootstrap_error(samples, n=n, apparent=err, no_information=no_information_rate(y, called), kind=kind)
        assert made.estimate == pytest.approx(value, abs=1e-12)
        assert made.low == pytest.approx(max(0, value - reach), abs=1e-12)
        assert made.high == pytest.approx(min(1, value + reach), abs=1e-12)
        assert made.method == f"bootstrap-{kind}"


def test_perfect_scores_leave_room():
    samples = [Bagged(np.arange(8), np.zeros(8)), Bagged(np.arange(8, 20), np.zeros(12))]
    made = bootstrap_error(samples, n=20, apparent=0, no_information=0.5)
    assert (made.low, round(made.high, 4)) == (0, 0.1611)
    assert made.method == "wilson-constant-loss"


def test_what_is_missing_is_asked_for():
    samples = [Bagged(np.arange(3), np.array([1.0, 0, 0])), Bagged(np.arange(2), np.zeros(2))]
    with pytest.raises(InputError, match="apparent= and no_information="):
        bootstrap_error(samples, n=5)
    assert "2 rows were in every sample" in bootstrap_error(samples, n=5, kind="out-of-bag").note
    with pytest.raises(InputError, match="at least two"):
        bootstrap_error(samples[:1], n=5)
