"""Binned scores: the limits hold those of every exact table that the bins may hold, and are hardly wider."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from tests.tallies.possible_rows import Possible, possible_rows
from trueerror.inference._metric_interval import metric_interval
from trueerror.kernels._histogram import even_grid
from trueerror.metrics._registry import find_measure, value
from trueerror.metrics.scores import metric_bounds, middled
from trueerror.tallies import ScoreTable

HAIR = 1e-11
ASKED = [
    *(("auc", method) for method in ("effective-t", "delong-logit", "delong", "hanley-mcneil", "newcombe")),
    ("gini", "effective-t"),
    *(("average_precision", method) for method in ("effective-t", "boyd-logit")),
    *((loss, method) for loss in ("brier", "log_loss") for method in ("effective-t", "t-mean")),
]


@pytest.mark.parametrize(("metric", "method"), ASKED)
@settings(max_examples=120, deadline=None)
@given(rows=possible_rows(), side=st.sampled_from(("two-sided", "lower", "upper")), confidence=st.floats(0.6, 0.999))
def test_limits_hold_those_of_the_exact_table(
    metric: str, method: str, rows: Possible, side: Any, confidence: float
) -> None:
    ours, exact = (
        metric_interval(metric, table, method=method, side=side, confidence=confidence)
        for table in (rows.binned, rows.exact)
    )
    if math.isnan(exact.low) or math.isnan(exact.high):
        return
    # A row or two in a bin may hold most of the spread of an average precision.
    bounds = metric_bounds(find_measure(metric), rows.binned)
    more = bounds.high - bounds.low if (metric, method) == ("average_precision", "effective-t") and bounds else 0.0
    assert ours.low <= exact.low + HAIR + more
    assert ours.high >= exact.high - HAIR - more


@settings(max_examples=150, deadline=None)
@given(rows=possible_rows(), prior=st.sampled_from((None, 0.03, 0.7)))
def test_bounds_hold_the_exact_metric(rows: Possible, prior: float | None) -> None:
    for name in ("auc", "gini", "average_precision", "brier", "log_loss", "brier_skill_score"):
        measure = find_measure(name)
        at = None if name in ("auc", "gini") else prior
        bounds = metric_bounds(measure, rows.binned, prior=at)
        assert bounds is not None
        assert bounds.low - HAIR <= value(measure, rows.exact, prior=at) <= bounds.high + HAIR


@settings(max_examples=60, deadline=None)
@given(rows=possible_rows(), prior=st.floats(0.02, 0.9))
def test_average_precision_at_another_share_of_positives(rows: Possible, prior: float) -> None:
    ours, exact = (metric_interval("average_precision", t, prior=prior) for t in (rows.binned, rows.exact))
    assert ours.low <= exact.estimate + HAIR
    assert ours.high >= exact.estimate - HAIR


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("prior", [None, 0.05, 0.5])
def test_average_precision_of_many_bins_holds_the_limits_of_the_rows(seed: int, prior: float | None) -> None:
    rng = np.random.default_rng(seed)
    up = rng.random(600) < 0.2
    scores = special.expit(rng.normal(size=600) + 1.5 * up)
    tables = table_of(up, scores, 256), ScoreTable.count(up, scores, positive=True)
    ours, exact = (metric_interval("average_precision", t, prior=prior) for t in tables)
    little = 0.01 * exact.width
    assert ours.low <= exact.low + little
    assert ours.high >= exact.high - little


def table_of(up: Any, scores: Any, size: int) -> ScoreTable:
    grid = even_grid(float(scores.min()), float(scores.max()), size)
    places = grid.places(scores)
    positives, negatives = (np.bincount(places[side], minlength=grid.cells) for side in (up, ~up))
    there = np.flatnonzero(positives + negatives)
    lower, upper = grid.spans(there)
    return ScoreTable(lower, positives[there], negatives[there], positive=True, exact=False, uppers=upper)


def test_limits_are_hardly_wider_than_what_is_open() -> None:
    rng = np.random.default_rng(8)
    up = rng.random(200_000) < 0.2
    scores = 1 / (1 + np.exp(-(rng.normal(size=len(up)) + 1.3 * up)))
    exact, ours = ScoreTable.count(up, scores, positive=True), table_of(up, scores, 1 << 16)
    for metric in ("auc", "average_precision", "brier"):
        wide, sharp = (metric_interval(metric, t) for t in (ours, exact))
        bounds = metric_bounds(find_measure(metric), ours)
        assert bounds is not None
        open_ = bounds.high - bounds.low
        assert wide.low <= sharp.low < sharp.high <= wide.high
        assert wide.width - sharp.width < open_ + 1e-3 * sharp.width


def test_a_perfect_order_that_binning_hides_in_part() -> None:
    n = 1_000_000
    ours = ScoreTable([0.0, 0.5, 0.9], [0, 10, n], [n, 10, 0], exact=False, uppers=np.array([0.4, 0.6, 1.0]))
    found = metric_interval("auc", ours)
    low, high = ours.bounds.auc()
    assert high == 1.0
    assert 1 - 1e-7 < low < 1
    # The standard error of an area this near to 1 is small whatever the order is.
    assert found.low > 1 - 1e-4
    perfect = metric_interval("auc", ScoreTable([0.0, 0.9], [0, n + 10], [n + 10, 0]))
    assert found.low <= perfect.low


def test_forecasts_are_read_at_the_middle_of_a_bin() -> None:
    table = ScoreTable([0.0, 0.6], [1, 3], [3, 1], exact=False, uppers=np.array([0.4, 0.8]))
    assert middled(table).scores.tolist() == pytest.approx([0.2, 0.7])
    found = metric_interval("brier", table)
    assert found.estimate == pytest.approx((0.8**2 + 3 * 0.3**2 + 3 * 0.2**2 + 0.7**2) / 8)
    assert "binned scores: the exact value lies in" in found.note
    # A positive at 0 would be an infinite loss: that is possible, and it is not the estimate.
    loss = metric_interval("log_loss", table)
    assert math.isfinite(loss.estimate)
    assert loss.high == math.inf
    curve = te.calibration(table)
    assert curve.forecast.tolist() == pytest.approx([0.2, 0.7])
    assert "forecasts are read at the middle of their bin, 0.2 off at most" in str(curve)
    assert "middle of their bin" in curve.slope().note
    assert "middle of their bin" in curve.spiegelhalter().note
    assert "middle of their bin" in " ".join(str(curve.ece()).split())


def test_a_metric_without_bounds_says_so() -> None:
    table = ScoreTable([0.0, 0.6], [1, 3], [3, 1], exact=False, uppers=np.array([0.4, 0.8]))
    assert "no bound is known" in metric_interval("ece", table).note
    assert "narrows it" in metric_interval("auc", table).note
