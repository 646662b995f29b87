"""Differences of calibration errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import trueerror as te
from trueerror.inference._contrast import SEARCHED_P
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.calibration import TOO_NARROW, calibration_contrast, calibration_error_limits
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure
from trueerror.results import Alternative, Contrast
from trueerror.tallies import ScoreTable

TRUTH = np.arange(200) % 2
FAR, NEAR = (ScoreTable.count(TRUTH, [p] * 200) for p in (0.7, 0.55))
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


def made(
    metric: str = "ece", first: ScoreTable = FAR, second: ScoreTable = NEAR, alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> Contrast:  # fmt: skip
    return calibration_contrast(find_measure(metric), first, second, alternative=alternative, confidence=confidence)


def drawn(n: int, seed: int) -> tuple[NDArray[Any], dict[str, NDArray[np.float64]]]:
    """One model that is calibrated, and one whose log-odds are too far out."""
    rng = np.random.default_rng(seed)
    logit = 1.5 * rng.standard_normal(n)
    truth = (rng.random(n) < special.expit(0.6 * logit)).astype(int)
    return truth, {"holds": special.expit(0.6 * logit), "sure": special.expit(logit)}


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize(("alternative", "share"), [("two-sided", 0.025), ("greater", 0.05), ("less", 0.05)])
def test_limits_are_those_of_either_model(metric: str, alternative: Alternative, share: float) -> None:
    # An interval that leaves out `share` at each end has the confidence 1 − 2·share.
    spec = IntervalSpec(confidence=1 - 2 * share)
    (low1, high1), (low2, high2) = (
        calibration_error_limits(find_measure(metric), t, e, {}, spec) for t, e in ((FAR, 0.2), (NEAR, 0.05))
    )
    found = made(metric, alternative=alternative)
    assert found.estimate == pytest.approx(0.15)
    assert found.low == pytest.approx(-1.0 if alternative == "less" else low1 - high2)
    assert found.high == pytest.approx(1.0 if alternative == "greater" else high1 - low2)


def test_one_bin_by_hand() -> None:
    # e² = (Σ(y − p − ḡ)² + p(1 − p))/n² = (200·.25 + .21)/200² at .7; the lower limit of the second model is 0.
    assert made("mce").high == pytest.approx(0.2 + 1.959964 * np.sqrt(50.21) / 200, abs=2e-3)


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exchanging_the_models_mirrors_everything(metric: str, alternative: Alternative) -> None:
    there = made(metric, alternative=alternative)
    other: Alternative = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]  # type: ignore[assignment]
    back = made(metric, NEAR, FAR, other)
    assert (back.estimate, back.low, back.high) == (-there.estimate, -there.high, -there.low)
    assert back.p_value == pytest.approx(there.p_value, rel=1e-9)


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_p_value_is_the_level_at_which_the_limits_exclude_no_difference(
    metric: str, alternative: Alternative
) -> None:
    far = ScoreTable.count(TRUTH, [0.75] * 200)
    p = made(metric, far, alternative=alternative).p_value
    assert 0 < p <= 1
    if alternative == "less":
        assert p == 1
        return
    assert p < 0.2
    inside, outside = (made(metric, far, NEAR, alternative, 1 - p * f) for f in (0.999, 1.001))
    assert inside.low <= 0 < outside.low


def test_one_side_is_half_of_two() -> None:
    two, one = (made("ece", alternative=side).p_value for side in ("two-sided", "greater"))  # type: ignore[arg-type]
    assert two == pytest.approx(2 * one, rel=1e-6)


def test_p_values_are_never_nothing() -> None:
    truth = np.arange(400_000) % 2
    far, near = (ScoreTable.count(truth, [p] * len(truth)) for p in (0.95, 0.5))
    for alternative in ALTERNATIVES:
        found = made("ece", far, near, alternative)
        assert found.p_value == (1 if alternative == "less" else pytest.approx(5e-12, rel=0.6))
        assert -1 <= found.low < found.high <= 1


@pytest.mark.parametrize("metric", ["ece", "mce"])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_same_scores_do_not_differ(metric: str, alternative: Alternative) -> None:
    found = made(metric, FAR, FAR, alternative)
    assert (found.estimate, found.p_value) == (0, 1)
    assert found.low < 0 < found.high


def test_forecasts_without_any_noise_have_width() -> None:
    sure = ScoreTable.count([0, 1] * 20, [0.0, 1.0] * 20)
    found = made("ece", sure, sure)
    assert found.low < 0 < found.high
    assert found.p_value == 1


def test_other_metrics_are_refused() -> None:
    with pytest.raises(InputError, match="not a calibration error"):
        made("auc")


def test_compare_holds_the_truth() -> None:
    """The bootstrap of rows held it in 4 of 30 such samples."""
    # Σ over ten bins of |E(expit(.6·l) − expit(l))|, l normal with standard deviation 1.5.
    grid = np.linspace(-12, 12, 400_001)
    mass = np.exp(-(grid**2) / 4.5)
    gaps = np.bincount(
        np.minimum((special.expit(grid) * 10).astype(int), 9),
        weights=mass / mass.sum() * (special.expit(0.6 * grid) - special.expit(grid)),
    )
    truth = -float(np.abs(gaps).sum())
    held = 0
    for seed in range(40):
        y, scores = drawn(1_000, seed)
        found = te.compare(y, scores=scores, positive=1, metric="ece")["holds", "sure"]
        assert found.method == "calibration-gaps-difference"
        held += found.low <= truth <= found.high
    assert held >= 36


def test_compare_explains_it_and_warns_where_it_resamples() -> None:
    y, scores = drawn(300, 1)
    found = te.compare(y, scores=scores, positive=1, metric="mce")["holds", "sure"]
    assert "two calibration errors" in found.explain()
    asked = {"scores": scores, "positive": 1, "metric": "ece", "replicates": 100, "method": "bootstrap"}
    for clusters in (None, np.repeat(np.arange(100), 3)):
        drawn_again = te.compare(y, clusters=clusters, **asked)["holds", "sure"]
        assert drawn_again.method == "paired-bootstrap-percentile"
        assert TOO_NARROW in drawn_again.note


def test_bins_are_those_asked_for() -> None:
    y, scores = drawn(300, 2)
    tables = [ScoreTable.count(y, s) for s in scores.values()]
    found = calibration_contrast(find_measure("ece"), *tables, options={"bins": 4})
    alone = [te.metric("ece", y, scores=s, positive=1, bins=4) for s in scores.values()]
    assert found.estimate == pytest.approx(alone[0] - alone[1])


def test_a_p_value_at_the_end_of_the_search_is_a_bound() -> None:
    truth = np.arange(20_000) % 2
    wrong, right = (ScoreTable.count(truth, [p] * 20_000) for p in (0.9, 0.5))
    for alternative, least in (("two-sided", 2 * SEARCHED_P), ("greater", SEARCHED_P)):
        c = made(first=wrong, second=right, alternative=alternative)
        assert (c.p_value, c.p_at_most) == (least, True)
    assert made(first=wrong, second=right, alternative="less").p_at_most is None
    assert made(first=ScoreTable.count(TRUTH, [0.6] * 200)).p_at_most is None
