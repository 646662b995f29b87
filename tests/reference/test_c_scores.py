"""t-tests, Wilcoxon, sign test and tests over folds against R (stats, coin, exactRankTests).

Where all differences are the same R stops or divides by 0 (t infinite, p = 0): here p is undefined and a note says why.
The Wilcoxon cases were computed in R from differences rounded to ten decimals; here ties are recognised from the
scores themselves.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t
from trueerror.inference.ranking._rank_tests import sign, wilcoxon

DATA = Path(__file__).parent / "data"
SIDES = {"two.sided": "two-sided", "greater": "greater", "less": "less"}


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


SCORES = cases("c_paired_and_unpaired_tests")
PAIRED = [case for case in SCORES if "t_paired" in case]


def close(expected: float) -> Any:
    # One case has a mean difference of exactly 0 up to rounding in the sixteenth decimal.
    return pytest.approx(expected, rel=1e-9, abs=1e-13)


def check_t(made: Any, expected: dict[str, Any], **options: Any) -> None:
    one = made(**options)
    assert (one.statistic, one.df) == (close(expected["t"]), close(expected["df"]))
    for side, ours in SIDES.items():
        assert made(alternative=ours, **options).p_value == close(expected["p"][side])
    for level in (90, 95, 99):
        limits = made(confidence=level / 100, **options)
        assert (limits.low, limits.high) == tuple(close(v) for v in expected[f"ci{level}"])
    assert made(alternative="greater", **options).low == close(expected["lower_one_sided_95"])
    assert made(alternative="less", **options).high == close(expected["upper_one_sided_95"])


@pytest.mark.parametrize("case", SCORES, ids=lambda c: c["id"])
def test_unpaired_t(case: dict[str, Any]) -> None:
    for df in ("pooled", "welch"):
        check_t(lambda df=df, **o: unpaired_t(case["a"], case["b"], df=df, **o), case[f"t_{df}"])


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: c["id"])
def test_paired_t(case: dict[str, Any]) -> None:
    if "error" in case["t_paired"]:
        made = paired_t(case["a"], case["b"])
        assert math.isnan(made.p_value)
        assert "do not vary" in made.note
    else:
        check_t(lambda **o: paired_t(case["a"], case["b"], **o), case["t_paired"])


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: c["id"])
@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_and_sign(case: dict[str, Any], side: str) -> None:
    expected, ours = case["wilcoxon_signed_rank"], SIDES[side]
    a, b = case["a"], case["b"]
    kinds = {
        ("wilcox", "exact"): "exact_p_zeros_dropped_exactRankTests",
        ("wilcox", "normal"): "normal_p_no_cc",
        ("wilcox", "normal-cc"): "normal_p_cc",
        ("pratt", "exact"): "coin_pratt_exact_p",
        ("pratt", "normal"): "coin_pratt_p",
    }
    for (zeros, method), key in kinds.items():
        made = wilcoxon(a, b, zeros=zeros, method=method, alternative=ours)
        assert made.p_value == close(expected[key][side]), key
        if zeros == "wilcox":
            assert made.statistic == expected["W_plus"]
    if expected["exact_p"] is not None:
        assert wilcoxon(a, b, alternative=ours).p_value == close(expected["exact_p"][side])
    made = sign(a, b, alternative=ours)
    assert made.p_value == close(case["sign_test"]["p_zeros_dropped"][side])
    assert made.statistic == case["sign_test"]["n_plus"]


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: c["id"])
def test_corrected_t_on_one_run(case: dict[str, Any]) -> None:
    for expected in case["nadeau_bengio"].values():
        made = corrected_t(case["differences"], test_train_ratio=expected["test_train_ratio"])
        if expected["t"] == "Inf":
            assert math.isnan(made.p_value)
            assert (made.low, made.high) == (-math.inf, math.inf)
            continue
        assert (made.statistic, made.df) == (close(expected["t"]), expected["df"])
        assert (made.low, made.high) == tuple(close(v) for v in expected["ci95"])
        for side, ours in SIDES.items():
            one = corrected_t(case["differences"], test_train_ratio=expected["test_train_ratio"], alternative=ours)
            assert one.p_value == close(expected["p"][side])


@pytest.mark.parametrize("case", cases("c_repeated_cv_corrected_t"), ids=lambda c: c["id"])
def test_corrected_t_over_repeats(case: dict[str, Any]) -> None:
    for side, ours in SIDES.items():
        made = corrected_t(case["differences"], test_train_ratio=case["test_train_ratio"], alternative=ours)
        assert (made.statistic, made.df) == (close(case["t"]), case["df"])
        assert made.p_value == close(case["p"][side])
    naive = corrected_t(case["differences"], test_train_ratio=0)
    assert (naive.statistic, naive.p_value) == (close(case["uncorrected_t"]), close(case["uncorrected_p"]))


@pytest.mark.parametrize("case", cases("c_5x2cv"), ids=lambda c: c["id"])
def test_five_by_two(case: dict[str, Any]) -> None:
    d = case["differences"]
    if case["dietterich_t"] == "Inf":
        for made in (five_by_two_t(d), five_by_two_f(d)):
            assert math.isnan(made.p_value)
            assert "do not vary" in made.note
        return
    made = five_by_two_t(d)
    assert (made.statistic, made.df) == (close(case["dietterich_t"]), case["df"])
    for side, ours in SIDES.items():
        assert five_by_two_t(d, alternative=ours).p_value == close(case["dietterich_p"][side])
    f = five_by_two_f(d)
    assert (f.statistic, f.p_value, f.df) == (close(case["alpaydin_F"]), close(case["alpaydin_p"]), (10, 5))
    nadeau = corrected_t(d, test_train_ratio=1)
    expected = case["nadeau_bengio_J10_ratio1"]
    assert (nadeau.statistic, nadeau.p_value) == (close(expected["t"]), close(expected["p_two_sided"]))
