"""Two areas from binned scores: limits and p-value hold those of every order that the rows may have within bins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._binned import binned_contrast, unpaired_table_contrast
from trueerror.inference.auc._interval import centred_placements, estimate_of_areas
from trueerror.inference.auc._tests import delong_unpaired
from trueerror.kernels._histogram import even_grid
from trueerror.tallies import ScoreTable
from trueerror.tallies._moments import Placements

ALTERNATIVES = ("two-sided", "greater", "less")


def placements(up: Any, columns: list[Any], bins: int) -> Placements:
    """What a pass over the rows finds: ties within bins, and what they leave open."""
    places, slack, error = [], [], []
    for scores in columns:
        grid = even_grid(float(scores.min()), float(scores.max()), bins)
        place = grid.places(scores)
        counts = [np.bincount(place[side], minlength=grid.cells) for side in (up, ~up)]
        there = np.flatnonzero(counts[0] + counts[1])
        lower, upper = grid.spans(there)
        bounds = ScoreTable(lower, counts[0][there], counts[1][there], exact=False, uppers=upper).bounds
        low, high = bounds.auc()
        places.append(place.astype(float))
        slack.append((high - low) / 2)
        error.append(bounds.standard_error_slack())
    return replace(centred_placements(up, places).sums, slack=np.array(slack), error=np.array(error))


def every_row(up: Any, columns: list[Any]) -> Placements:
    """What a pass over rows that are not binned finds."""
    return centred_placements(up, columns).sums


def compared(found: Placements, **spec: Any) -> Any:
    """The contrast of the two models, whether anything was binned or not."""
    e, slack, error = estimate_of_areas(found, (0, 1), 1.0), float(found.slack.sum()), float(found.error.sum())
    return binned_contrast(e, slack, error, IntervalSpec(**spec), n=found.positives + found.negatives)


@settings(max_examples=400, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.tuples(st.integers(25, 90), st.integers(25, 90)),
    bins=st.integers(1, 30),
    alike=st.sampled_from((0.0, 0.01, 0.3, 3.0)),
    shift=st.floats(-3, 3),
    alternative=st.sampled_from(ALTERNATIVES),
    confidence=st.sampled_from((0.6, 0.95, 0.999)),
)
def test_limits_and_p_hold_those_of_the_exact_rows(
    seed: int, sizes: tuple[int, int], bins: int, alike: float, shift: float, alternative: Any, confidence: float
) -> None:
    rng = np.random.default_rng(seed)
    up = np.repeat([True, False], sizes)
    first = rng.normal(size=len(up)) + shift * up
    second = first + alike * rng.normal(size=len(up))
    exact = compared(every_row(up, [first, second]), confidence=confidence, alternative=alternative)
    found = placements(up, [first, second], bins)
    errors = [estimate_of_areas(x, (0, 1), 1.0).spread.error for x in (found, every_row(up, [first, second]))]
    if not min(errors) > 0:
        return
    ours = compared(found, confidence=confidence, alternative=alternative)
    # Which class holds the variance is left open too, and with it the degrees of freedom.
    little = 0.05 * (exact.estimate - exact.low if alternative != "less" else exact.high - exact.estimate)
    assert ours.low <= exact.low + little
    assert ours.high >= exact.high - little
    if alternative == "two-sided" and exact.p_value > 1e-3:
        assert ours.p_value >= 0.8 * exact.p_value
    assert ours.low <= ours.estimate <= ours.high


def table_of(up: Any, scores: Any, bins: int) -> ScoreTable:
    grid = even_grid(float(scores.min()), float(scores.max()), bins)
    place = grid.places(scores)
    counts = [np.bincount(place[side], minlength=grid.cells) for side in (up, ~up)]
    there = np.flatnonzero(counts[0] + counts[1])
    lower, upper = grid.spans(there)
    return ScoreTable(lower, counts[0][there], counts[1][there], exact=False, uppers=upper)


@settings(max_examples=300, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.tuples(*[st.integers(25, 90)] * 4),
    bins=st.integers(1, 30),
    shift=st.floats(-3, 3),
    alternative=st.sampled_from(ALTERNATIVES),
    confidence=st.sampled_from((0.6, 0.95, 0.999)),
)
def test_different_rows(
    seed: int, sizes: tuple[int, ...], bins: int, shift: float, alternative: Any, confidence: float
) -> None:
    rng = np.random.default_rng(seed)
    up = [np.repeat([True, False], pair) for pair in (sizes[:2], sizes[2:])]
    scores = [rng.normal(size=len(u)) + shift * i * u for i, u in enumerate(up)]
    exact = delong_unpaired(
        up[0], scores[0], up[1], scores[1], confidence=confidence, alternative=alternative, df="satterthwaite"
    )
    tables = [table_of(u, s, bins) for u, s in zip(up, scores, strict=True)]
    ours = unpaired_table_contrast(*tables, confidence=confidence, alternative=alternative)
    if ours.statistic and np.isfinite(ours.statistic):
        # Which sample holds the variance is left open too, and with it the degrees of freedom.
        little = 0.05 * (exact.estimate - exact.low if alternative != "less" else exact.high - exact.estimate)
        assert ours.low <= exact.low + little
        assert ours.high >= exact.high - little
        if alternative == "two-sided" and exact.p_value > 1e-3:
            assert ours.p_value >= 0.8 * exact.p_value
    counted = [ScoreTable.count(u, s, positive=True) for u, s in zip(up, scores, strict=True)]
    same = unpaired_table_contrast(*counted, confidence=confidence, alternative=alternative)
    assert (same.low, same.high, same.p_value) == pytest.approx((exact.low, exact.high, exact.p_value), rel=1e-9)
    assert same.note == "" or same.note == exact.note or "borderline" in same.note


def test_fine_bins_cost_little() -> None:
    rng = np.random.default_rng(4)
    up = rng.random(100_000) < 0.1
    first = rng.normal(size=len(up)) + up
    second = first + 0.2 * rng.normal(size=len(up)) + 0.02 * up
    exact = compared(every_row(up, [first, second]))
    found = placements(up, [first, second], 1 << 18)
    ours = compared(found)
    slack = float(found.slack.sum())
    assert slack < 1e-5
    assert exact.width < ours.width < exact.width * (1 + 1e-3) + 2 * slack
    assert exact.p_value <= ours.p_value < exact.p_value * 1.1
    assert ours.note.startswith("binned scores: the exact difference lies within")


def test_a_difference_that_binning_may_have_made_is_none() -> None:
    rng = np.random.default_rng(2)
    up = np.repeat([True, False], 50)
    scores = rng.normal(size=100)
    found = placements(up, [scores, scores + 1e-3 * rng.normal(size=100)], 3)
    ours = compared(found)
    assert ours.p_value == 1.0
    assert ours.statistic == pytest.approx(0.0)
    assert ours.p_better == pytest.approx(0.5)
