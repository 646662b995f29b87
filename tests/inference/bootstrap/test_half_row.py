import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.bootstrap._half_row import gamma_quantile, half_row_limit, half_row_p, half_row_tail


@pytest.mark.parametrize(("values", "extreme"), [(np.full(50, -0.184), 4.6), (np.linspace(-1, 0.6, 40), 1.0)])
def test_the_tail_is_that_of_drawn_weights(values, extreme):
    rng = np.random.default_rng(0)
    drawn = rng.gamma(1.0, size=(40_000, len(values))) @ values + rng.gamma(0.5, size=40_000) * extreme
    assert half_row_tail(values, extreme) == pytest.approx((drawn > 0).mean(), abs=0.01)


@pytest.mark.parametrize(("x", "n"), [(0, 20), (3, 20), (19, 20), (20, 20), (40, 100)])
def test_for_a_proportion_the_limits_are_quantiles_of_beta(x, n):
    rights = np.repeat([1.0, 0.0], [x, n - x])
    if x < n:
        upper = 1.0 if n == x else float(special.betaincinv(x + 0.5, n - x, 0.975))
        assert half_row_limit(rights, 1.0, 0.025) == pytest.approx(upper, abs=0.003)
    if x > 0:
        lower = float(special.betaincinv(x, n - x + 0.5, 0.025))
        assert half_row_limit(rights, 0.0, 0.025) == pytest.approx(lower, abs=0.003)


@given(
    st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=2, max_size=30),
    st.floats(1, 5),
    st.floats(1e-3, 1e3),
)
def test_scale_and_sign_change_nothing_they_should_not(values, end, scale):
    d = np.array(values)
    p = half_row_p(d, (-end, end), "two-sided")
    assert 0 <= p <= 1
    assert half_row_p(scale * d, (-scale * end, scale * end), "two-sided") == pytest.approx(p, rel=1e-6, abs=1e-9)
    assert half_row_p(-d, (-end, end), "two-sided") == pytest.approx(p, rel=1e-6, abs=1e-9)
    assert half_row_p(d, (-2 * end, 2 * end), "two-sided") >= p - 1e-3


def test_fifty_rows_without_a_disaster_prove_nothing():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 50)
    plain, sharp = (np.where(y == 1, c, 1 - c) for c in (0.8 + rng.normal(0, 0.02, 50), 0.95 + rng.normal(0, 0.01, 50)))
    made = te.compare(y, scores={"plain": plain, "sharp": sharp}, metric="log_loss", positive=1)
    c = made["plain", "sharp"]
    assert c.method == "t-half-row"
    assert c.p_value > 0.05
    assert c.low < 0 < c.estimate
    assert "TE215" in made.findings
    assert "better" not in made.verdict.split(":")[0]
    by_t = te.compare(y, scores={"plain": plain, "sharp": sharp}, metric="log_loss", positive=1, method="t")
    assert by_t["plain", "sharp"].p_value < 0.001


def test_plain_differences_of_many_rows_keep_their_t():
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1.5, 3000)
    y = (rng.random(3000) < special.expit(z)).astype(int)
    scores = {"a": special.expit(z + rng.normal(0, 1, 3000)), "b": special.expit(z + rng.normal(0, 0.5, 3000))}
    for metric in ("brier", "log_loss"):
        made = te.compare(y, scores=scores, metric=metric, positive=1)
        plain = te.compare(y, scores=scores, metric=metric, positive=1, method="t")["a", "b"]
        c = made["a", "b"]
        assert (c.low, c.high) == pytest.approx((plain.low, plain.high), rel=1e-12)
        assert plain.p_value <= c.p_value < 1e-6
        assert "TE215" not in made.findings
        turned = te.compare(y, scores={k: scores[k] for k in "ba"}, metric=metric, positive=1)["b", "a"]
        assert (turned.low, turned.high, turned.p_value) == pytest.approx((-c.high, -c.low, c.p_value), rel=1e-9)


def test_certain_forecasts_that_were_all_right_have_limits():
    y = np.repeat([1, 0], 50)
    made = te.compare(y, scores={"sure": y * 1.0, "soft": 0.8 * y + 0.1}, metric="brier", positive=1)["sure", "soft"]
    assert made.low < made.estimate < 0 < made.high
    assert made.p_value > 0.05


def test_losses_of_different_rows_allow_for_an_unseen_one():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    plain, sharp = (np.abs(1 - y - c + rng.normal(0, 0.01, 60)) for c in (0.2, 0.05))
    parts = [te.predictions(y, scores={k: 1 - s}, positive=1) for k, s in (("plain", plain), ("sharp", sharp))]
    c = te.compare(*parts, paired=False, metric="log_loss")["plain", "sharp"]
    assert c.low < 0 < c.estimate
    assert c.p_value > 0.05


def test_rows_that_stand_for_many_count_as_often():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 40)
    scores = {"a": np.clip(0.7 * y + rng.random(40) * 0.3, 0, 1), "b": np.clip(0.5 * y + rng.random(40) * 0.5, 0, 1)}
    often = rng.integers(1, 4, 40)
    weighed = te.compare(y, scores=scores, metric="brier", positive=1, weights=often, weights_kind="frequency")
    written = te.compare(
        np.repeat(y, often), scores={k: np.repeat(s, often) for k, s in scores.items()}, metric="brier", positive=1
    )
    one, other = weighed["a", "b"], written["a", "b"]
    assert (one.low, one.high, one.p_value) == pytest.approx((other.low, other.high, other.p_value), rel=1e-9)


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
