"""Paired and unpaired DeLong tests against R's pROC 1.18."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from trueerror.inference.auc._tests import delong, delong_unpaired

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "d_roc_tests.json").read_text(encoding="utf-8"))["cases"]
PAIRED = [c for c in CASES if "paired" in c]
UNPAIRED = [c for c in CASES if "unpaired" in c]
SIDES = {"two.sided": "two-sided", "greater": "greater", "less": "less"}


def columns(path: str, *names: str) -> list[list[float]]:
    with (DATA / path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [[float(r[name]) for r in rows] for name in names]


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def test_all_cases_are_used() -> None:
    assert {c["id"] for c in PAIRED + UNPAIRED} == {c["id"] for c in CASES}


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: c["id"])
def test_paired_with_the_normal_reference(case: dict[str, Any]) -> None:
    truth, first, second = columns(case["csv"], "label", case["score1"], case["score2"])
    expected = case["paired"]
    for theirs, ours in SIDES.items():
        c = delong(truth, first, second, reference="z", alternative=ours)
        assert c.estimate == near(case["auc1"] - case["auc2"])
        assert c.statistic == near(expected["Z"])
        if case["score1"] == case["score2"]:
            # pROC gives a zero-width interval for identical models and p = .5 one-sided.
            assert c.p_value == 1
        else:
            assert c.p_value == near(expected["p"][theirs])
    if case["score1"] == case["score2"]:
        assert delong(truth, first, second).width > 0.01
        return
    for level, key in ((0.95, "diff_ci95"), (0.9, "diff_ci90")):
        c = delong(truth, first, second, reference="z", confidence=level)
        low, high = expected[key]
        assert (c.low, c.high) == (near(max(low, -1)), near(min(high, 1)))


@pytest.mark.parametrize("case", PAIRED, ids=lambda c: c["id"])
def test_paired_columns_treated_as_independent(case: dict[str, Any]) -> None:
    truth, first, second = columns(case["csv"], "label", case["score1"], case["score2"])
    check_unpaired(case["unpaired_treated_as_independent"], truth, first, truth, second)


@pytest.mark.parametrize("case", UNPAIRED, ids=lambda c: c["id"])
def test_unpaired(case: dict[str, Any]) -> None:
    truth1, scores1 = columns(case["csv1"], "label", case["score1"])
    truth2, scores2 = columns(case["csv2"], "label", case["score2"])
    check_unpaired(case["unpaired"], truth1, scores1, truth2, scores2)
    z = delong_unpaired(truth1, scores1, truth2, scores2, reference="z")
    assert z.statistic == near(case["unpaired_normal_z"])
    assert z.p_value == near(case["unpaired_normal_p"])
    assert z.df is None


def check_unpaired(expected: dict[str, Any], *samples: list[float]) -> None:
    for theirs, ours in SIDES.items():
        c = delong_unpaired(*samples, alternative=ours)
        assert c.statistic == near(expected["D"])
        assert isinstance(c.df, float)
        assert c.df == near(expected["df"])
        assert c.p_value == near(expected["p"][theirs])


def test_the_t_reference_is_the_more_careful_one() -> None:
    truth, first, second = columns("d_roc_data/imbalanced.csv", "label", "m1", "m2")
    t, z = delong(truth, first, second), delong(truth, first, second, reference="z")
    assert isinstance(t.df, float)
    assert math.isfinite(t.df)
    assert t.p_value > z.p_value
    assert t.width > z.width
