"""Two independent proportions against R (stats::prop.test, fisher.test and explicit formulas).

Where R has no answer (0/0) or a zero-width one, this library has a sound one: p = 1 for two samples without any
success, Newcombe's interval where Wald's has no width. Limits are compared after cutting R's to [−1, 1].
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trueerror as te
from trueerror.inference.proportion._two_samples import two_proportions

CASES = json.loads((Path(__file__).parent / "data" / "b_two_proportions.json").read_text())["cases"]
SIDES = {"two.sided": "two-sided", "greater": "greater", "less": "less"}
TESTS = {"pooled-z": "pooled_z_p", "unpooled-z": "unpooled_z_p", "yates": "corrected_p", "fisher": "fisher_p"}
INTERVALS = {
    "wald": "wald_unclipped",
    "newcombe": "newcombe",
    "newcombe-cc": "newcombe_cc",
    "agresti-caffo": "agresti_caffo",
}


def counts(case: dict[str, Any]) -> tuple[int, int, int, int]:
    return case["x1"], case["n1"], case["x2"], case["n2"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("method", TESTS)
def test_p_values(case: dict[str, Any], side: str, method: str) -> None:
    made = two_proportions(*counts(case), method=method, alternative=SIDES[side])
    expected = case[TESTS[method]][side]
    if expected == "NaN":
        assert made.p_value == 1
        assert made.estimate == 0
    elif method == "unpooled-z" and case["unpooled_z"] == "Inf":
        pooled = two_proportions(*counts(case), method="pooled-z", alternative=SIDES[side])
        assert made.p_value == pooled.p_value > 0
        assert "pooled test is given instead" in made.note
    else:
        # Yates' z is 0 up to rounding in one case, where R's p is 1 up to the same rounding.
        assert made.p_value == pytest.approx(expected, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_statistics(case: dict[str, Any]) -> None:
    for method, key in (("pooled-z", "pooled_z"), ("unpooled-z", "unpooled_z")):
        if case[key] not in ("NaN", "Inf"):
            assert two_proportions(*counts(case), method=method).statistic == pytest.approx(case[key], rel=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize("method", INTERVALS)
@pytest.mark.parametrize("level", ["0.9", "0.95", "0.99"])
def test_intervals(case: dict[str, Any], method: str, level: str) -> None:
    x1, n1, x2, n2 = counts(case)
    made = te.difference((x1, n1), (x2, n2), method=method, confidence=float(level))
    low, high = (min(1.0, max(-1.0, v)) for v in case["ci"][level][INTERVALS[method]])
    if low == high:
        low, high = (min(1.0, max(-1.0, v)) for v in case["ci"][level]["newcombe"])
        assert "Newcombe's method is given instead" in made.note
    assert (made.low, made.high) == pytest.approx((low, high), rel=1e-9, abs=1e-12)
    assert made.estimate == pytest.approx(case["difference"], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize("level", ["0.9", "0.95", "0.99"])
def test_one_sided_wald(case: dict[str, Any], level: str) -> None:
    x1, n1, x2, n2 = counts(case)
    limits = case["ci"][level]
    if limits["wald_unclipped"][0] == limits["wald_unclipped"][1]:
        return
    for side, key in (("greater", "wald_lower_one_sided"), ("less", "wald_upper_one_sided")):
        made = te.difference((x1, n1), (x2, n2), method="wald", confidence=float(level), alternative=side)
        shown, other = (made.low, made.high) if side == "greater" else (made.high, made.low)
        assert shown == pytest.approx(limits[key], rel=1e-9, abs=1e-12)
        assert other == (1 if side == "greater" else -1)
        assert made.side == ("lower" if side == "greater" else "upper")
