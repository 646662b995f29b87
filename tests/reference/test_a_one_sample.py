"""Tests of one proportion against R: stats::binom.test and stats::prop.test(correct = FALSE)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueerror.inference.proportion._two_samples import one_proportion

CASES = json.loads((Path(__file__).parent / "data" / "a_one_sample_proportion_tests.json").read_text())["cases"]
SIDES = {"two.sided": "two-sided", "greater": "greater", "less": "less"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize("side", SIDES)
def test_p_values(case: dict[str, Any], side: str) -> None:
    for method, expected in (("exact", case["binom_test_p"]), ("score", case["prop_test_uncorrected"]["p"])):
        made = one_proportion(case["x"], case["n"], case["p0"], method=method, alternative=SIDES[side])
        assert made.p_value == pytest.approx(expected[side], rel=1e-9, abs=0), method
        assert made.estimate == pytest.approx(case["x"] / case["n"] - case["p0"], rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_score_statistic(case: dict[str, Any]) -> None:
    made = one_proportion(case["x"], case["n"], case["p0"], method="score")
    assert made.statistic == pytest.approx(case["prop_test_uncorrected"]["z"], rel=1e-9)
    assert made.statistic**2 == pytest.approx(case["prop_test_uncorrected"]["X2"], rel=1e-9)
