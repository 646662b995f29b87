"""Models on the same rows."""

import math

import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.inference.proportion._distributions import tango_limits, tango_z
from trueerror.inference.proportion._paired import INTERVALS, METHODS, bowker, cochran_q, mcnemar, mcnemar_test
from trueerror.inputs._options import InputError

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("b", "c", "expected"),
    [(1, 7, (0.0339, 0.0771, 0.0703, 0.0391)), (6, 16, (0.0330, 0.0550, 0.0525, 0.0347))],
)
def test_published_p_values(b, c, expected):
    made = [mcnemar(b, c, method=m).p_value for m in ("chi2", "chi2-cc", "exact", "mid-p")]
    assert made == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("interval", "low", "high"),
    [("tango", -0.1240, -0.0054), ("bonett-price", -0.1195, -0.0032), ("newcombe", -0.1186, -0.0046)],
)
def test_published_intervals(interval, low, high):
    made = mcnemar(6, 16, both_right=59, both_wrong=80, interval=interval)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("both", [(50, 50), (100, 0), (0, 100)])
def test_identical_models_give_p_one_and_a_sound_interval(method, interval, both):
    made = mcnemar(0, 0, both_right=both[0], both_wrong=both[1], method=method, interval=interval)
    assert (made.p_value, made.estimate, made.p_better) == (1, 0, pytest.approx(0.5))
    assert made.low < 0 < made.high
    assert made.low == -made.high
    if interval in ("tango", "wald"):
        assert made.high == pytest.approx(Z**2 / (100 + Z**2))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_no_differing_row_is_no_evidence_for_either_side(method, alternative):
    assert mcnemar(0, 0, n=10, method=method, alternative=alternative).p_value == 1


def test_mid_p_at_a_draw():
    made = mcnemar(12, 12, n=100)
    assert made.p_value == pytest.approx(1 - 0.5 * stats.binom.pmf(12, 24, 0.5))
    assert mcnemar(12, 12, n=100, method="chi2-cc").p_value == 1


@pytest.mark.parametrize(("b", "c"), [(0, 4), (6, 15), (8, 18), (10, 21), (29, 46), (33, 51)])
def test_tango_and_mid_p_straddle_the_level_and_say_so(b, c):
    made = mcnemar(b, c, n=1000)
    assert made.high < 0
    assert made.p_value > 0.05
    assert "borderline" in made.note
    assert "borderline" not in mcnemar(b, c, n=1000, method="chi2").note


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(("b", "c"), [(100, 0), (0, 100), (99, 1), (1, 0), (0, 1)])
def test_limits_stay_inside_the_range_and_have_width(interval, b, c):
    for n in (100, 101):
        if b + c > n:
            continue
        made = mcnemar(b, c, n=n, both_right=0, interval=interval)
        assert -1 <= made.low < made.high <= 1
        assert made.estimate in made


def test_without_n_there_is_a_p_value_and_no_size():
    made = mcnemar(3, 9)
    assert math.isnan(made.estimate)
    assert math.isnan(made.low)
    assert math.isnan(made.high)
    assert "give n" in made.note
    assert "= undefined no interval" in str(made)
    assert made.p_value == pytest.approx(mcnemar(3, 9, n=50).p_value)
    assert math.isnan(mcnemar(3, 9, alternative="greater").high)


def test_n_follows_from_the_four_counts():
    whole = mcnemar(6, 16, both_right=59, both_wrong=80)
    assert whole.n == 161
    assert whole == mcnemar(6, 16, n=161) == mcnemar(6, 16, n=161, both_wrong=80)
    wrong = mcnemar(6, 16, n=161, both_wrong=80, interval="newcombe")
    assert wrong == mcnemar(6, 16, n=161, both_right=59, interval="newcombe")


@pytest.mark.parametrize(
    "options",
    [
        {"n": 5},
        {"n": 160, "both_right": 59, "both_wrong": 80},
        {"n": 162, "both_right": 59, "both_wrong": 80},
        {"interval": "newcombe"},
        {"n": 161, "interval": "newcombe"},
        {"n": -1},
        {"n": 30.5},
        {"method": "midp"},
        {"interval": "score"},
    ],
)
def test_refused(options):
    with pytest.raises(InputError):
        mcnemar(6, 16, **options)


def test_no_rows():
    made = mcnemar(0, 0, n=0)
    assert (made.low, made.high, made.p_value) == (-1, 1, 1)
    assert math.isnan(made.estimate)
    assert "no rows" in made.note


def test_a_billion_rows():
    made = mcnemar(10**8, 10**8 + 50_000, n=10**9)
    z = -50_000 / math.sqrt(2 * 10**8 + 50_000)
    assert made.p_value == pytest.approx(2 * stats.norm.cdf(z), rel=1e-3)
    assert made.high - made.low == pytest.approx(2 * Z * math.sqrt(2e8) / 1e9, rel=1e-3)
    assert 0 < mcnemar(10**9, 0, n=10**9).p_value < 1e-300


def test_p_better_is_the_posterior():
    rng = np.random.default_rng(1)
    drawn = (rng.beta(8.5, 3.5, 400_000) > 0.5).mean()
    assert mcnemar(8, 3).p_better == pytest.approx(drawn, abs=3e-3)


def test_tango_limits_solve_the_score_equation():
    for b, c, n in ((6, 16, 161), (0, 5, 5), (5, 0, 25), (1, 1, 100), (300, 20, 1000)):
        low, high = tango_limits(b, c, n, Z)
        if low > -1:
            assert tango_z(b, c, n, low) == pytest.approx(Z, rel=1e-9)
        if high < 1:
            assert tango_z(b, c, n, high) == pytest.approx(-Z, rel=1e-9)
        assert tango_z(b, c, n, (b - c) / n) == pytest.approx(0, abs=1e-9)


def test_tango_covers_by_enumeration():
    n = 40
    for p10, p01 in ((0.1, 0.05), (0.05, 0.05), (0.02, 0.01), (0.2, 0.02)):
        total = 0.0
        for b in range(n + 1):
            for c in range(n + 1 - b):
                weight = stats.multinomial.pmf([b, c, n - b - c], n, [p10, p01, 1 - p10 - p01])
                if weight > 1e-9:
                    low, high = tango_limits(b, c, n, Z)
                    total += weight * (low <= p10 - p01 <= high)
        assert total > 0.929


def test_mid_p_keeps_its_level_by_enumeration():
    for differ in (5, 10, 25, 60):
        size = sum(
            stats.binom.pmf(b, differ, 0.5)
            for b in range(differ + 1)
            if mcnemar_test(b, differ - b, "mid-p", "two-sided")[1] <= 0.05
        )
        assert size < 0.063


def test_one_sided_sums():
    for b, c in ((6, 16), (16, 6), (5, 5), (1, 0)):
        here = stats.binom.pmf(b, b + c, 0.5)
        sums = {"mid-p": 1.0, "chi2": 1.0, "exact": 1 + here}
        for method, expected in sums.items():
            p = [mcnemar(b, c, method=method, alternative=a).p_value for a in ("greater", "less")]
            assert sum(p) == pytest.approx(expected)


def test_cochran_q_of_two_models_is_mcnemar():
    rng = np.random.default_rng(2)
    right = rng.random((200, 2)) < [0.8, 0.7]
    only_first, only_second = (right[:, 0] & ~right[:, 1]).sum(), (~right[:, 0] & right[:, 1]).sum()
    made, pair = cochran_q(right), mcnemar(only_first, only_second, method="chi2")
    assert (made.statistic, made.p_value) == (pytest.approx(pair.statistic), pytest.approx(pair.p_value))
    assert made.n == 200


def test_cochran_q_where_no_model_differs():
    made = cochran_q([[1, 1, 1], [0, 0, 0]])
    assert (made.statistic, made.p_value, made.df) == (0, 1, 2)
    assert "differ" in made.note
    assert cochran_q(np.zeros((0, 3))).p_value == 1


@pytest.mark.parametrize("table", [[[1], [0]], [1, 0], [[0.5, 1]], [[float("nan"), 1]], [["a", "b"]]])
def test_cochran_q_refuses(table):
    with pytest.raises(InputError):
        cochran_q(table)


def test_bowker():
    two = bowker([[50, 6], [16, 30]])
    assert two.statistic == pytest.approx(mcnemar(6, 16, method="chi2").statistic)
    none = bowker([[3, 0], [0, 4]])
    assert (none.statistic, none.df, none.p_value) == (0, 0, 1)
    assert bowker(te.Confusion([[20, 5], [10, 30]])) == bowker([[20, 5], [10, 30]])
    for wrong in ([[1, 2]], [[1, -2], [3, 4]], [[1, float("nan")], [3, 4]], [[5]]):
        with pytest.raises(InputError):
            bowker(wrong)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("method", METHODS)
def test_explained(interval, method):
    made = mcnemar(6, 16, both_right=59, both_wrong=80, method=method, interval=interval)
    assert "Source:" in made.explain()
    assert f"interval: {interval}" in str(made)
    assert te.load(made.to_json()) == made


def test_the_two_by_two_table_of_other_libraries_is_taken():
    table = mcnemar([[810, 60], [40, 90]])
    assert table == mcnemar(60, 40, both_right=810, both_wrong=90)
    assert mcnemar(np.array([[810, 60], [40, 90]]), method="exact").p_value == mcnemar(60, 40, method="exact").p_value
    for wrong, words in (
        (([[1, 2, 3]] * 3,), "2 × 2"),
        ((60,), "only_second is missing"),
        (([[1.5, 2], [3, 4]],), "whole numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            mcnemar(*wrong)
    with pytest.raises(ValueError, match="neither n="):
        mcnemar([[1, 2], [3, 4]], n=10)
