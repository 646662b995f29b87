import math
import subprocess
import sys

import numpy as np
import pytest

import trueerror as te
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inference.proportion._interval import FORMS
from trueerror.inputs._options import InputError


@pytest.mark.parametrize(
    ("x", "n", "method", "low", "high"),
    [
        (81, 263, "wilson", 0.2553, 0.3662),
        (81, 263, "mid-p", 0.2544, 0.3658),
        (15, 148, "wilson", 0.0624, 0.1605),
        (15, 148, "clopper-pearson", 0.0578, 0.1617),
        (0, 20, "wilson", 0, 0.1611),
        (0, 20, "clopper-pearson", 0, 0.1684),
        (0, 20, "mid-p", 0, 0.1391),
        (1, 29, "wilson", 0.0061, 0.1718),
        (13, 16, "wilson", 0.5699, 0.9341),
        (13, 16, "jeffreys", 0.5792, 0.9442),
        (13, 16, "mid-p", 0.5699, 0.9500),
    ],
)
def test_published_figures(x, n, method, low, high):
    made = te.interval(x, n, method=method)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5.1e-5)
    assert (made.method, made.n, made.note) == (method, n, "")


def test_mid_p_limits_solve_their_equation():
    from scipy.stats import binom

    for x, n in [(1, 10), (7, 30), (29, 30), (500, 1000)]:
        made = te.interval(x, n, method="mid-p", confidence=0.9)
        above = binom.sf(x, n, made.low) + binom.pmf(x, n, made.low) / 2
        below = binom.cdf(x - 1, n, made.high) + binom.pmf(x, n, made.high) / 2
        assert (above, below) == pytest.approx((0.05, 0.05), rel=1e-10)


def test_mid_p_limits_of_so_large_a_count_that_beta_quantiles_lose_digits():
    wilson, made = (te.interval(10**15, 10**17, method=method) for method in ("wilson", "mid-p"))
    width = wilson.high - wilson.low
    assert (made.low, made.high) == pytest.approx((wilson.low, wilson.high), abs=1e-4 * width)


def test_a_rate_stands_for_a_fractional_count():
    made = te.interval(rate=0.15, trials=30, method="wald")
    assert (made.estimate, made.high - made.estimate) == pytest.approx((0.15, 1.959964 * math.sqrt(0.15 * 0.85 / 30)))
    assert te.interval(rate=0.8, trials=50) == te.interval(40, 50)
    assert te.interval(rate=0.8, trials=50, method="mid-p") == te.interval(40, 50, method="mid-p")
    with pytest.raises(InputError, match=r"4\.5 successes"):
        te.interval(rate=0.15, trials=30, method="clopper-pearson")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"successes": 11, "trials": 10}, "successes=11 is more than trials=10"),
        ({"successes": -1, "trials": 10}, "successes=-1 is negative"),
        ({"successes": 1, "trials": -10}, "trials=-10 is negative"),
        ({"successes": 3.5, "trials": 10}, "successes=3.5 must be a whole number"),
        ({"successes": 3, "trials": 10.5}, "trials=10.5 must be a whole number"),
        ({"successes": float("nan"), "trials": 10}, "finite"),
        ({"successes": "three", "trials": 10}, "'three' is not a number"),
        ({"successes": 3}, "trials= is missing"),
        ({"trials": 3}, "both are missing"),
        ({"successes": 3, "trials": 5, "rate": 0.6}, "both are there"),
        ({"rate": 15, "trials": 30}, "did you mean 0.15"),
        ({"successes": 3, "trials": 5, "confidence": 95}, "did you mean 0.95"),
        ({"successes": 3, "trials": 5, "method": "wislon"}, "did you mean 'wilson'"),
        ({"successes": 3, "trials": 5, "side": "left"}, "side='left'"),
    ],
)
def test_bad_input_is_told_in_one_sentence(arguments, message):
    with pytest.raises(InputError, match=message):
        te.interval(**arguments)


def test_no_trials_means_that_nothing_is_known():
    made = te.interval(0, 0)
    assert math.isnan(made.estimate)
    assert (made.low, made.high, made.n) == (0, 1, 0)
    assert "no trials" in made.note


@pytest.mark.parametrize("method", FORMS)
@pytest.mark.parametrize(("x", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (10**9, 10**9), (0, 10**9), (1, 10**9)])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_ends_are_sound(method, x, n, side):
    made = te.interval(x, n, method=method, side=side)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high
    assert ("instead" in made.note) == (made.method != method)


def test_wald_without_width_is_wilson_and_says_so():
    made = te.interval(20, 20, method="wald")
    assert (made.method, made.note) == ("wilson", "wald has no width at 20 of 20: wilson instead")
    assert (made.low, made.high) == (te.interval(20, 20).low, 1.0)


def test_a_one_sided_limit_at_half_confidence_still_holds_the_estimate_and_below_is_refused():
    for method in FORMS:
        with pytest.raises(InputError, match="below one half"):
            te.interval(20, 20, method=method, side="lower", confidence=0.3)
        made = te.interval(20, 20, method=method, side="lower", confidence=0.5)
        assert made.low < made.estimate == made.high
        made = te.interval(7, 20, method=method, side="upper", confidence=0.5)
        assert made.low < made.estimate <= made.high


def test_astronomic_counts_do_not_crash():
    made = te.interval(10**19, 10**19)
    assert made.low < made.high == 1


def test_many_at_once_are_the_same_as_one_by_one():
    x, n = np.array([0, 3, 10, 10, 0]), np.array([10, 10, 10, 20, 0])
    for method in FORMS:
        low, high = share_limits(x, n, method, 0.9, "two-sided")
        for i in range(5):
            made = te.interval(int(x[i]), int(n[i]), method=method, confidence=0.9)
            assert (low[i], high[i]) == pytest.approx((made.low, made.high), rel=1e-14)


def test_closed_forms_need_neither_numpy_nor_scipy():
    code = (
        "import sys, trueerror as te; te.interval(750, 1000, confidence=0.8);"
        "te.interval(1, 2, method='agresti-coull');"
        "te.interval(rate=0.2, trials=7, method='wald'); te.mean_interval; "
        "sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_small_value_says_of_what_it_is_an_estimate():
    import trueerror as te

    small = (
        te.interval(45, 50), te.interval(0, 0), te.interval(rate=0.9, trials=50, method="wald"),
        te.mean_interval([1.0, 2.0, 3.0]), te.mean_interval(mean=1, sd=1, n=1), te.bootstrap([1.0, 2.0, 4.0]).interval,
        te.bootstrap([1.0, 2.0, 4.0], lambda x: x.max()).interval, te.difference((45, 50), (40, 50)),
        te.difference((0, 0), (0, 0)),
    )  # fmt: skip
    assert all(made.estimand for made in small)
    assert small[0].estimand == "the proportion of successes among all trials like these 50"
