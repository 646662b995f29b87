"""Bootstrap intervals from saved replicates against R's package boot, with its conventions as named options."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from trueerror.inference.bootstrap._limits import (
    acceleration,
    bca_shares,
    bias_correction,
    bootstrap_limits,
    quantiles,
)

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "g_bootstrap.json").read_text(encoding="utf-8"))["cases"]
LEVELS = [(c, level) for c in CASES for level in c["ci"]]
STATISTICS: dict[str, Callable[[NDArray[np.float64]], float]] = {
    "mean15_R999": lambda x: float(x[:, 0].mean()),
    "accuracy50_R1999": lambda x: float(x[:, 0].mean()),
    "city_ratio_R999": lambda x: float(x[:, 1].mean() / x[:, 0].mean()),
    "correlation20_R999": lambda x: float(np.corrcoef(x.T)[0, 1]),
    "median21_R999": lambda x: float(np.median(x)),
}


def numbers(path: str, skip: int = 1) -> NDArray[np.float64]:
    with (DATA / path).open(encoding="utf-8", newline="") as file:
        return np.array([[float(v) for v in row] for row in list(csv.reader(file))[skip:]])


def replicates(case: dict[str, Any]) -> NDArray[np.float64]:
    return numbers(case["replicates_csv"])[:, 0]


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def efron(case: dict[str, Any]) -> NDArray[np.float64]:
    jackknife = np.array(case["jackknife_values"])
    return np.asarray(jackknife.mean() - jackknife)


def around_the_estimate(case: dict[str, Any]) -> NDArray[np.float64]:
    return np.asarray(case["t0"] - np.array(case["jackknife_values"]))


def regression(case: dict[str, Any]) -> NDArray[np.float64]:
    """R's default influences: the slopes of the replicates on how often each row was drawn, the first row left out."""
    drawn = numbers(case["indices_csv"], skip=0).astype(int)
    n = case["n"]
    shares = np.array([np.bincount(row, minlength=n) for row in drawn]) / n
    design = np.column_stack([np.ones(len(shares)), shares[:, 1:]])
    slopes = np.linalg.lstsq(design, replicates(case), rcond=None)[0][1:]
    full = np.concatenate(([0.0], slopes))
    return np.asarray(full - full.mean())


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_facts(case: dict[str, Any]) -> None:
    t = replicates(case)
    assert t.mean() - case["t0"] == near(case["bias"])
    assert t.std(ddof=1) == near(case["se"])
    assert bias_correction(case["t0"], t, "strict") == near(case["z0_strict"])
    assert bias_correction(case["t0"], t, "half") == near(case["z0_mid"])
    # R's last digits of a come from n − 1 times rounded differences.
    assert acceleration(efron(case)) == pytest.approx(case["a_efron_jackknife"], abs=1e-12)
    assert acceleration(around_the_estimate(case)) == pytest.approx(case["a_boot_empinf_jack"], abs=1e-11)
    if case["indices_csv"]:
        assert acceleration(regression(case)) == near(case["a_boot_empinf_regression"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_jackknife_values_are_those_of_the_statistic(case: dict[str, Any]) -> None:
    data, statistic = numbers(case["data_csv"]), STATISTICS[case["id"]]
    assert statistic(data) == near(case["t0"])
    left_out = [statistic(np.delete(data, i, axis=0)) for i in range(len(data))]
    assert left_out == near(case["jackknife_values"])


@pytest.mark.parametrize(("case", "level"), LEVELS, ids=lambda v: v["id"] if isinstance(v, dict) else v)
def test_limits(case: dict[str, Any], level: str) -> None:
    t0, t, expected = case["t0"], replicates(case), case["ci"][level]
    tail = (1 - float(level)) / 2

    def limits(method: Any, **options: Any) -> list[float]:
        return list(bootstrap_limits(t0, t, tail=tail, method=method, **options))

    assert limits("normal") == near(expected["normal_biascorrected"])
    assert limits("basic", quantile="r-boot") == near(expected["basic"])
    assert limits("percentile", quantile="r-boot") == near(expected["percentile"])
    assert limits("percentile") == near(expected["percentile_quantile_type7"])
    assert limits("percentile", quantile="weibull") == near(expected["percentile_quantile_type6"])
    assert limits("basic") == near(expected["basic_quantile_type7"])
    r = {"ties": "strict", "quantile": "r-boot"}
    assert limits("bca", influences=efron(case), **r) == near(expected["bca_efron_jackknife_a"])
    assert limits("bca", influences=around_the_estimate(case), **r) == near(expected["bca_boot_jackknife_a"])
    if case["indices_csv"]:
        assert limits("bca", influences=regression(case), **r) == near(expected["bca_boot_default_regression_a"])
    assert limits("bca", influences=efron(case), ties="strict") == near(expected["bca_efron_quantile_type7"])
    assert limits("bca", influences=efron(case)) == near(expected["bca_efron_midz0_quantile_type7"])
    a = acceleration(efron(case))
    strict = bca_shares(tail, bias_correction(t0, t, "strict"), a)
    half = bca_shares(tail, bias_correction(t0, t, "half"), a)
    assert list(strict) == near(expected["bca_efron_adjusted_alphas"])
    assert list(half) == near(expected["bca_efron_midz0_adjusted_alphas"])


def test_seeds_order_statistics() -> None:
    # B = 1000 at 90 %: the 50th and the 950th in size.
    t = np.random.default_rng(0).permutation(np.arange(1.0, 1001.0))
    assert quantiles(t, np.array([0.05, 0.95]), "order").tolist() == [50, 950]
