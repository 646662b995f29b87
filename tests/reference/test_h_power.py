"""Power and sample size against R: power.prop.test, power.t.test, pROC and enumeration.

Not compared, since the definition is another one: pwr's arcsine effect sizes, its noncentral chi², and pROC's power
from two measured ROC curves (it takes their covariance from data).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import trueerror as te
from trueerror.inference.power._designs import NormalDesign, area_design, paired_design, two_group_design
from trueerror.inference.power._sample_size import smallest_difference
from trueerror.inference.proportion._distributions import crossing

CASES = json.loads((Path(__file__).parent / "data" / "h_power.json").read_text())["cases"]


def of(fun: str, solve_for: str) -> list[dict[str, Any]]:
    found = [c for c in CASES if c["fun"].startswith(fun) and c["solve_for"] == solve_for]
    assert found
    return found


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("case", of("stats::power.prop.test", "power"), ids=lambda c: c["id"])
def test_two_proportions(case: dict[str, Any]) -> None:
    side = {"two.sided": "two-sided", "one.sided": "less"}[case["alternative"]]
    made = te.power(
        test="two-proportions", n=case["n_per_group"], first=case["p1"], second=case["p2"], alpha=case["sig_level"],
        alternative=side,
    )  # fmt: skip
    assert not case["strict"]
    assert made.power == close(case["power"])


@pytest.mark.parametrize("case", of("stats::power.prop.test", "n_per_group"), ids=lambda c: c["id"])
def test_two_proportions_rows(case: dict[str, Any]) -> None:
    rows = two_group_design(case["p1"], case["p2"]).rows(case["sig_level"], case["power"], "two-sided")
    assert rows == close(case["n_per_group"])
    made = te.sample_size(
        test="two-proportions", first=case["p1"], second=case["p2"], alpha=case["sig_level"], power=case["power"]
    )
    assert made.n == -int(-case["n_per_group"] // 1)
    assert made.power >= case["power"]


@pytest.mark.parametrize("case", of("stats::power.prop.test", "p2"), ids=lambda c: c["id"])
def test_smallest_difference(case: dict[str, Any]) -> None:
    made = smallest_difference(
        test="two-proportions", n=case["n_per_group"], baseline=case["p1"], power=case["power"],
        alpha=case["sig_level"],
    )  # fmt: skip
    assert made.first == close(case["p2"])


@pytest.mark.parametrize("case", of("stats::power.t.test", "power"), ids=lambda c: c["id"])
def test_t(case: dict[str, Any]) -> None:
    test = "unpaired-t" if case["type"] == "two.sample" else "paired-t"
    made = te.power(test=test, n=case["n"], first=case["delta"], sd=case["sd"], alpha=case["sig_level"])
    assert made.power == close(case["power"])
    # The strict power of R counts the wrong sign too.
    assert made.power / (1 - made.wrong_sign) == pytest.approx(case["power_strict"], rel=1e-6)


@pytest.mark.parametrize("case", of("pwr::pwr.t.test", "power"), ids=lambda c: c["id"])
def test_t_by_effect_size(case: dict[str, Any]) -> None:
    made = te.power(test="unpaired-t", n=case["n"], first=case["d"], sd=1, alpha=case["sig_level"])
    assert made.power / (1 - made.wrong_sign) == pytest.approx(case["power"], rel=1e-6)


@pytest.mark.parametrize("case", of("stats::power.t.test", "n"), ids=lambda c: c["id"])
def test_t_rows(case: dict[str, Any]) -> None:
    design = NormalDesign(case["delta"], case["sd"], case["sd"])

    def excess(n: float) -> float:
        return design.student_analysis(n, n - 1, case["sig_level"], "two-sided").power - case["power"]

    assert crossing(excess, 2.0, 1000.0) == close(case["n"])
    made = te.sample_size(
        test="paired-t", first=case["delta"], sd=case["sd"], alpha=case["sig_level"], power=case["power"]
    )
    assert made.n == int(case["n"]) + 1


@pytest.mark.parametrize("case", of("explicit enumeration over stats::binom.test", "power"), ids=lambda c: c["id"])
def test_one_proportion(case: dict[str, Any]) -> None:
    shared = {"test": "one-proportion", "n": case["n"], "alpha": case["sig_level"], "second": case["p0"]}
    for side, name in (("two-sided", "two_sided"), ("greater", "greater")):
        made = te.power(first=case["p1"], alternative=side, **shared)
        size = te.power(first=case["p0"], alternative=side, **shared)
        assert made.power == close(case[f"power_exact_{name}"])
        assert size.power == close(case[f"size_exact_{name}"])


@pytest.mark.parametrize("case", of("explicit: unconditional McNemar", "power"), ids=lambda c: c["id"])
def test_mcnemar(case: dict[str, Any]) -> None:
    p10, p01 = case["p10"], case["p01"]
    kinds = {"exact": "exact", "mid-p": "midp", "chi2": "chi2", "chi2-cc": "chi2_corrected"}
    shared = {"n": case["n"], "first": 0.5 + p10, "second": 0.5 + p01, "disagreement": p10 + p01}
    for method, name in kinds.items():
        made = te.power(test="mcnemar", method=method, alpha=case["sig_level"], **shared)
        assert made.power == close(case["power"][name]), method
    design = paired_design(p10, p01)
    if case["connor1987_n_for_power_0.8"] is not None:
        assert design.rows(0.05, 0.8, "two-sided") == close(case["connor1987_n_for_power_0.8"])
        normal = te.power(test="mcnemar", method="normal", **shared)
        assert normal.power == close(case["connor1987_power_normal_approx"])


@pytest.mark.parametrize("case", of("pROC::power.roc.test (one ROC, Obuchowski)", "power"), ids=lambda c: c["id"])
def test_auc(case: dict[str, Any]) -> None:
    n = case["ncases"] + case["ncontrols"]
    made = te.power(test="auc", n=n, first=case["auc"], prevalence=case["ncases"] / n, alpha=case["sig_level"])
    assert made.power == close(case["power"])


@pytest.mark.parametrize("case", of("pROC::power.roc.test (one ROC)", "ncases,ncontrols"), ids=lambda c: c["id"])
def test_auc_rows(case: dict[str, Any]) -> None:
    design = area_design(case["auc"], 1 / (1 + case["kappa"]))
    rows = design.rows(case["sig_level"], case["power"], "two-sided")
    assert rows == pytest.approx(case["ncases"] + case["ncontrols"], rel=1e-9)
