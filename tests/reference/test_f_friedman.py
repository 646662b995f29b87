"""Friedman, Iman–Davenport, Quade, Nemenyi and Bonferroni–Dunn against R."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trueerror.inference.ranking._rank_tests import (
    bonferroni_dunn,
    friedman,
    friedman_statistic,
    iman_davenport,
    iman_davenport_statistic,
    nemenyi,
    quade,
)

CASES = json.loads((Path(__file__).parent / "data" / "f_friedman.json").read_text(encoding="utf-8"))["cases"]
BY_NAME = {c["id"]: c for c in CASES}
PERFECT = "perfectly_consistent_4x6"


def near(value: Any, tolerance: float = 1e-9) -> Any:
    return pytest.approx(value, rel=tolerance, abs=tolerance)


def listed(value: Any) -> list[float]:
    return value if isinstance(value, list) else [value]


def table(case: dict[str, Any]) -> dict[str, list[float]]:
    return dict(zip(case["algorithms"], np.array(case["scores"]).T.tolist(), strict=True))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize(("ties", "theirs"), [(True, "R"), (False, "no_tie_correction")])
def test_friedman(case: dict[str, Any], ties: bool, theirs: str) -> None:
    test = friedman(table(case), ties=ties)
    assert test.statistic == near(case[f"friedman_chi2_{theirs}"])
    assert test.p_value == near(case[f"friedman_p_{theirs}"])
    assert (test.df, test.n) == (case["df"], case["N"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize(("ties", "theirs"), [(True, "tie_corrected"), (False, "no_tie_correction")])
def test_iman_davenport(case: dict[str, Any], ties: bool, theirs: str) -> None:
    test = iman_davenport(table(case), ties=ties)
    assert test.df == tuple(case["F_df"])
    if case["id"] == PERFECT:
        # R's F is infinite and its p 0; p is never 0 here, but the chance that six data sets agree on four models.
        assert test.statistic == math.inf
        assert test.p_value == near(24.0**-5, 1e-15)
        return
    assert test.statistic == near(case[f"iman_davenport_F_{theirs}"])
    assert test.p_value == near(case[f"iman_davenport_p_{theirs}"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_quade(case: dict[str, Any]) -> None:
    test = quade(table(case))
    # Ranges that are equal in decimals are ties: R on scores scaled to whole numbers, not on the raw doubles.
    expected = case["quade_exact_ranges"]
    assert test.p_value == near(expected["p"])
    if case["id"] == PERFECT:
        assert test.statistic == math.inf
        return
    assert test.statistic == near(expected["F"])
    assert test.df == tuple(expected["df"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_nemenyi(case: dict[str, Any]) -> None:
    for alpha, expected in case["nemenyi_CD"].items():
        assert nemenyi(table(case), alpha=float(alpha)).critical_difference == near(expected, 1e-6)
    ranking = nemenyi(table(case))
    assert list(ranking.mean_ranks) == near(case["average_ranks"])
    assert [f"{p.first} - {p.second}" for p in ranking.pairs] == listed(case["pairs"])
    assert [p.statistic for p in ranking.pairs] == near(listed(case["pair_z"]))
    assert [p.p_value for p in ranking.pairs] == near(listed(case["pair_p_unadjusted"]))
    assert [p.p_adjusted for p in ranking.pairs] == near(listed(case["pair_p_nemenyi"]), 1e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_bonferroni_dunn(case: dict[str, Any]) -> None:
    for alpha, expected in case["bonferroni_dunn_CD"].items():
        ranking = bonferroni_dunn(table(case), control=case["control"], alpha=float(alpha))
        assert ranking.critical_difference == near(expected)
    ranking = bonferroni_dunn(table(case), control=case["control"])
    assert [p.second for p in ranking.pairs] == listed(case["control_vs"])
    assert [p.statistic for p in ranking.pairs] == near(listed(case["control_z"]))
    assert [p.p_value for p in ranking.pairs] == near(listed(case["control_p_unadjusted"]))
    assert [p.p_adjusted for p in ranking.pairs] == near(listed(case["control_p_adjusted"]["bonferroni"]))


def test_demsar_from_his_published_ranks() -> None:
    # Demšar ranks "voting" 4, 1, 2, 3 although the areas that he prints tie; he does not correct for ties.
    case = BY_NAME["demsar_table6_rounded_aucs"]
    ranks = np.array(case["ranks"])
    voting = case["scores"].index([0.972, 0.981, 0.975, 0.975])
    ranks[voting] = [4, 1, 2, 3]
    ranking = nemenyi(ranks, higher_is_better=False)
    assert [round(r, 3) for r in ranking.mean_ranks] == [3.143, 2.0, 2.893, 1.964]
    assert round(friedman(ranks, ties=False, higher_is_better=False).statistic, 2) == 9.28
    assert round(iman_davenport(ranks, ties=False, higher_is_better=False).statistic, 2) == 3.69
    assert round(ranking.critical_difference or 0, 2) == 1.25
    assert round(nemenyi(ranks, alpha=0.1, higher_is_better=False).critical_difference or 0, 2) == 1.12


def test_garcia_and_herrera_from_their_mean_ranks() -> None:
    # C4.5, 1-NN, naive Bayes, kernel and CN2 on 30 data sets.
    mean_ranks = np.array([2.1, 3.25, 2.2, 13 / 3, 3.1 + 1 / 60])
    chi2 = friedman_statistic(mean_ranks, 30)
    assert round(chi2, 3) == 39.647
    assert round(iman_davenport_statistic(chi2, 30, 5), 3) == 14.309
    rows = np.random.default_rng(0).random((30, 5))
    assert round(nemenyi(rows).critical_difference or 0, 4) == 1.1136
