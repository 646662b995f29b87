"""Turned by hand, a contrast is what the test gives when the models change places."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._contrast import ALTERNATIVES, mirrored
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.ranking._rank_tests import sign, wilcoxon
from trueerror.results import Contrast


def same(turned: Contrast, direct: Contrast) -> None:
    assert (turned.first, turned.second) == (direct.first, direct.second)
    for name in ("estimate", "low", "high", "statistic", "p_value"):
        got, want = getattr(turned, name), getattr(direct, name)
        assert got == pytest.approx(want, abs=1e-12), name
        assert math.copysign(1, got) == math.copysign(1, want), name
    assert (turned.alternative, turned.side) == (direct.alternative, direct.side)
    assert turned.p_better == pytest.approx(direct.p_better)


@pytest.mark.parametrize("method", ["mid-p", "exact", "chi2", "chi2-cc"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("counts", [(16, 6), (0, 9), (4, 4), (0, 0), (1, 0)])
def test_mcnemar(method: str, alternative: str, counts: tuple[int, int]) -> None:
    b, c = counts
    there = mcnemar(b, c, both_right=100, both_wrong=7, method=method, alternative=alternative)  # type: ignore[arg-type]
    back = mcnemar(
        c, b, both_right=100, both_wrong=7, method=method, alternative=ALTERNATIVES[alternative]  # type: ignore[arg-type]
    )  # fmt: skip
    turned = mirrored(there)
    same(turned, replace(back, first=turned.first, second=turned.second))


@pytest.mark.parametrize("metric", ["accuracy", "recall", "f1", "auc", "brier", "average_precision"])
def test_comparisons_read_the_other_way_round(metric: str) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.4
    one, two = (np.clip(0.3 + 0.3 * truth + 0.25 * rng.standard_normal(300), 0.01, 0.99) for _ in range(2))
    there = te.compare(truth, scores={"one": one, "two": two}, metric=metric, replicates=200)["two", "one"]
    back = te.compare(truth, scores={"two": two, "one": one}, metric=metric, replicates=200)["two", "one"]
    same(there, back)


def test_no_difference_is_not_below_zero() -> None:
    truth, called = [0, 1] * 20, [0, 1] * 15 + [1, 0] * 5
    found = te.compare(truth, {"one": called, "two": called})["two", "one"]
    assert str(found.estimate) == str(found.statistic) == "0.0"


@pytest.mark.parametrize("test", [wilcoxon, sign])
def test_counts_over_data_sets(test: Callable[..., Contrast]) -> None:
    a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.75], [0.8, 0.82, 0.6, 0.9, 0.5, 0.7]
    there, back = test(a, b), test(b, a)
    assert mirrored(there, untied=5).statistic == back.statistic
    assert math.isnan(mirrored(there).statistic)
    ranked = te.rank({"a": a, "b": b})
    assert ranked["b", "a"].statistic == te.rank({"b": b, "a": a})["b", "a"].statistic
