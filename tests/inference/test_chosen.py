"""The best of several, after looking: the quantile, the limit on the metric's scale, contenders, both directions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.inference._chosen import best_of_several, moved_limit, quantile_of_largest
from trueerror.inference.proportion._interval import interval
from trueerror.inference.proportion._paired import mcnemar

ENDS = (0.0, 1.0)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_independent_errors_have_sidaks_quantile(k):
    drawn = np.random.default_rng(0).standard_normal((200_000, k)).max(axis=1)
    q = quantile_of_largest([0.0] * (k - 1), 0.025)
    assert (drawn > q).mean() == pytest.approx(0.025, abs=0.002)


def test_alike_errors_need_no_more_than_one():
    assert quantile_of_largest([1.0] * 9, 0.025) == pytest.approx(1.96, abs=1e-3)
    rising = [quantile_of_largest([rho] * 9, 0.025) for rho in (0.95, 0.8, 0.5, 0.0)]
    assert rising == sorted(rising)


@pytest.mark.parametrize(("x", "n"), [(90, 100), (3, 40), (400, 800)])
def test_a_moved_limit_is_that_of_another_confidence(x, n):
    at95, at99 = (interval(x, n, confidence=c) for c in (0.95, 0.99))
    for end in ("low", "high"):
        moved = moved_limit(at95.estimate, getattr(at95, end), 2.575829 / 1.959964, ENDS)
        assert moved == pytest.approx(getattr(at99, end), abs=1e-6)


def test_a_moved_limit_stays_on_its_side_of_every_scale():
    for ends in ((0.0, math.inf), (-math.inf, 1.0), (-math.inf, math.inf)):
        assert moved_limit(0.3, 0.2, 1.5, ends) < 0.2
        assert moved_limit(0.3, 0.45, 1.5, ends) > 0.45


def shares(*hits, n=200):
    return {f"m{i}": interval(x, n) for i, x in enumerate(hits)}


def test_close_rivals_lower_the_limit_and_the_estimate():
    each = shares(170, 168, 167, 166)
    found = best_of_several(each, "m0", ends=ENDS)
    assert found.close == 3
    own = each["m0"]
    assert found.interval.low < own.low < found.interval.estimate < own.estimate
    assert found.interval.high == own.high
    assert "highest of 4" in found.interval.note


def test_a_clear_winner_keeps_its_limits():
    each = shares(190, 100, 90)
    found = best_of_several(each, "m0", ends=ENDS)
    assert found.close == 0
    assert (found.interval.low, found.interval.high) == pytest.approx((each["m0"].low, each["m0"].high), abs=1e-9)
    assert found.interval.estimate == pytest.approx(each["m0"].estimate, abs=1e-9)


def test_the_lowest_is_the_highest_turned_round():
    high = best_of_several(shares(170, 168, 167), "m0", ends=ENDS).interval
    low = best_of_several(shares(30, 32, 33), "m0", lowest=True, ends=ENDS).interval
    assert (1 - low.high, 1 - low.low, 1 - low.estimate) == pytest.approx((high.low, high.high, high.estimate))


def test_models_that_err_on_the_same_rows_pay_less():
    each = shares(170, 168)
    together = mcnemar(4, 2, n=200)
    apart = mcnemar(20, 18, n=200)
    lows = []
    for c in (together, apart):
        gap = type(c)(**{f: getattr(c, f) for f in c.__dataclass_fields__} | {"first": "m0", "second": "m1"})
        lows.append(best_of_several(each, "m0", gaps=[gap], ends=ENDS).interval.low)
    assert lows[0] > lows[1] > best_of_several(each, "m0", ends=ENDS).interval.low - 0.01


def test_limits_that_were_made_to_hold_together_are_taken_back():
    wide = {m: interval(x, 200, confidence=0.99) for m, x in (("a", 150), ("b", 40), ("c", 30))}
    found = best_of_several({m: type(i)(**{f: getattr(i, f) for f in i.__dataclass_fields__} | {"confidence": 0.95})
                    for m, i in wide.items()}, "a", ends=ENDS, level=0.99)  # fmt: skip
    usual = interval(150, 200)
    assert (found.interval.low, found.interval.high) == pytest.approx((usual.low, usual.high), abs=1e-6)


def test_nothing_to_choose_from():
    assert best_of_several(shares(170), "m0", ends=ENDS) is None
