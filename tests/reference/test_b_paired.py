"""McNemar, Bowker and Cochran's Q against R.

R's quirks that are not followed: mcnemar.test gives NaN at b + c = 0 (here p = 1), and NaN for a table with a pair of
empty cells (here that pair does not count).
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy import special

from trueerror.inference.proportion._paired import bowker, cochran_q, mcnemar

DATA = Path(__file__).parent / "data"


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("case", cases("b_mcnemar"), ids=lambda c: c["id"])
def test_mcnemar_p_values(case: dict[str, Any]) -> None:
    b, c = case["table"]["b"], case["table"]["c"]
    assert mcnemar(b, c, method="mid-p").p_value == close(case["midp_fagerland"])
    assert mcnemar(b, c, method="mid-p", alternative="greater").p_value == close(case["midp_one_sided_greater"])
    assert mcnemar(b, c, method="mid-p", alternative="less").p_value == close(case["midp_one_sided_less"])
    for theirs, ours in (("two.sided", "two-sided"), ("greater", "greater"), ("less", "less")):
        assert mcnemar(b, c, method="exact", alternative=ours).p_value == close(case["exact_p"][theirs])
    plain, corrected = mcnemar(b, c, method="chi2"), mcnemar(b, c, method="chi2-cc")
    assert plain.p_value == close(case["mcnemar_uncorrected"]["p"])
    assert plain.statistic == close(case["mcnemar_uncorrected"]["chi2"])
    assert plain.df == 1
    assert corrected.statistic == close(case["edwards_clamped_chi2_explicit"])
    assert corrected.p_value == close(case["mcnemar_corrected_R"]["p"])
    z = case["z_signed"]
    assert mcnemar(b, c, method="chi2", alternative="greater").p_value == close(float(special.ndtr(-z)))


@pytest.mark.parametrize("case", cases("b_mcnemar"), ids=lambda c: c["id"])
@pytest.mark.parametrize("level", ["0.9", "0.95", "0.99"])
def test_mcnemar_intervals(case: dict[str, Any], level: str) -> None:
    a, b, c, d = (case["table"][k] for k in "abcd")
    theirs = {"wald": "wald", "bonett-price": "bonett_price", "newcombe": "newcombe_paired_m10"}
    for interval, key in theirs.items():
        made = mcnemar(b, c, both_right=a, both_wrong=d, interval=interval, confidence=float(level))
        expected = case["paired_difference_ci"][level][key]
        assert (made.low, made.high) == (close(max(-1.0, expected[0])), close(min(1.0, expected[1]))), interval
        assert made.estimate == close(case["paired_difference"])
        assert made.n == case["n"]


@pytest.mark.parametrize("case", cases("b_cochran_q"), ids=lambda c: c["id"])
def test_cochran_q(case: dict[str, Any]) -> None:
    made = cochran_q(case["X"])
    assert (made.statistic, made.df, made.p_value) == (close(case["Q"]), case["df"], close(case["p"]))


@pytest.mark.parametrize("case", cases("b_bowker"), ids=lambda c: c["id"])
def test_bowker(case: dict[str, Any]) -> None:
    made = bowker(case["table"])
    if case["chi2"] == "NaN":
        assert math.isfinite(made.p_value)
        assert made.df < case["df"]
        assert "never confused" in made.note
    else:
        assert (made.statistic, made.df, made.p_value) == (close(case["chi2"]), case["df"], close(case["p"]))
