"""Binomial intervals against R (stats, Hmisc, epitools, epiR): 330 cases, two- and one-sided, 80 to 99 %.

R's Wald and Agresti–Coull limits are not cut to [0, 1], ours are. R's Wald interval has no width at 0 and n
successes; ours never falls together. `prop.test(correct=TRUE)` at its default null narrows its correction when x is
near n/2, which is no definition of an interval: `wilson_cc` is compared instead. Jeffreys is the version with 0 and 1
at the ends.
"""

import json
from pathlib import Path

import pytest

import trueerror as te
from trueerror.inference.proportion._distributions import share_limits

CASES = json.loads((Path(__file__).parent / "data" / "a_binomial_ci.json").read_text())["cases"]
NAMES = {
    "wald": "wald",
    "wald_cc": "wald-cc",
    "wilson": "wilson",
    "wilson_cc": "wilson-cc",
    "clopper_pearson": "clopper-pearson",
    "agresti_coull": "agresti-coull",
    "jeffreys_bcd": "jeffreys",
}
SIDES = {"two.sided": "two-sided", "greater": "lower", "less": "upper"}


def test_there_are_all_cases():
    assert len(CASES) == 330


@pytest.mark.parametrize("theirs", NAMES)
def test_limits_agree_with_r(theirs):
    compared = 0
    for case in CASES:
        low, high = (min(1.0, max(0.0, v)) for v in case["intervals"][theirs])
        side = SIDES[case["alternative"]]
        made = te.interval(case["x"], case["n"], method=NAMES[theirs], confidence=case["conf_level"], side=side)
        many = share_limits([case["x"]], [case["n"]], NAMES[theirs], case["conf_level"], side)
        assert made.estimate == case["x"] / case["n"]
        assert made.low < made.high
        assert (many[0][0], many[1][0]) == pytest.approx((made.low, made.high), rel=1e-14)
        if low < high:
            assert (made.low, made.high) == pytest.approx((low, high), rel=1e-9, abs=1e-15), case["id"]
            assert made.method == NAMES[theirs]
            compared += 1
        else:
            assert made.method == "wilson"
            assert "no width" in made.note
    assert compared > 250
