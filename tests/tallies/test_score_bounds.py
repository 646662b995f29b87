"""Bounds of binned score tables: whatever the order within a bin, the exact value lies between them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from tests.tallies.possible_rows import Possible, possible_rows
from trueerror.inputs._options import InputError
from trueerror.kernels._histogram import Grid, even_grid
from trueerror.metrics.scores import auc, average_precision
from trueerror.tallies import ScoreTable
from trueerror.tallies._score_bounds import _harmonic


def binned(grid: Grid, up: Any, scores: Any) -> ScoreTable:
    places = grid.places(scores)
    positives, negatives = (np.bincount(places[side], minlength=grid.cells) for side in (up, ~up))
    there = np.flatnonzero(positives + negatives)
    lower, upper = grid.spans(there)
    return ScoreTable(lower, positives[there], negatives[there], exact=False, uppers=upper)


rows = st.lists(st.tuples(st.booleans(), st.integers(0, 30)), min_size=2, max_size=60).filter(
    lambda r: len({up for up, _ in r}) == 2
)


@settings(max_examples=150, deadline=None)
@given(rows, st.integers(1, 12))
def test_exact_values_lie_within_the_bounds(drawn: list[tuple[bool, int]], size: int) -> None:
    up = np.array([u for u, _ in drawn])
    scores = np.array([s for _, s in drawn]) / 30
    exact = ScoreTable.count(up, scores, positive=True)
    table = binned(even_grid(0.0, 1.0, size), up, scores)
    for metric, bounds in ((auc, table.bounds.auc()), (average_precision, table.bounds.average_precision())):
        assert bounds.low <= metric(exact) <= bounds.high
        assert bounds.low <= metric(table) <= bounds.high
    for threshold in (-1.0, *np.unique(scores), 0.517, 2.0):
        called = scores >= threshold
        found = table.bounds.at(float(threshold))
        assert found.tpr.low <= called[up].mean() <= found.tpr.high
        assert found.fpr.low <= called[~up].mean() <= found.fpr.high
        if called.any():
            assert found.precision.low <= up[called].mean() <= found.precision.high
    curves = table.bounds.curves()
    assert (curves.tpr.low <= curves.tpr.high).all()
    # At the threshold of each bin nothing is open.
    for threshold, tpr in zip(curves.thresholds, curves.tpr.high, strict=True):
        assert tpr == pytest.approx((scores >= threshold)[up].mean())


def test_exact_tables_have_no_width() -> None:
    table = te.ScoreTable.count([0, 1, 1, 0], [0.1, 0.1, 0.4, 0.3])
    low, high = table.bounds.auc()
    assert low == high == auc(table)
    low, high = table.bounds.average_precision()
    assert low == pytest.approx(high) == pytest.approx(average_precision(table))
    assert table.bounds.standard_error_slack() == 0


@settings(max_examples=80, deadline=None)
@given(possible_rows())
def test_bounds_are_reached(rows: Possible) -> None:
    bounds = rows.binned.bounds
    assert bounds.of(auc) == pytest.approx(bounds.auc(), abs=1e-12)
    assert average_precision(bounds.best) == pytest.approx(bounds.average_precision().high, abs=1e-11)
    # The lowest precision has the positives below the negatives of their bin, and none of them tied.
    worst = bounds.worst
    scores, up, down = [], [], []
    for i, (p, n) in enumerate(zip(worst.positives, worst.negatives, strict=True)):
        tied = n > 0 or not rows.binned.bounds.open[np.searchsorted(rows.binned.scores, worst.scores[i])]
        parts = 1 if tied else int(p)
        scores += [i + j / max(parts, 1) for j in range(parts)]
        up += [int(p)] if tied else [1] * parts
        down += [int(n)] if tied else [0] * parts
    lowest = average_precision(ScoreTable(scores, up, down))
    assert lowest == pytest.approx(bounds.average_precision().low, abs=1e-11)


def test_average_precision_of_a_few_positives_among_millions() -> None:
    rng = np.random.default_rng(0)
    up, down = (rng.random(512) < 0.2).astype(int), rng.integers(200_000, 300_000, 512)
    table = ScoreTable(np.arange(512.0), up, down, exact=False, uppers=np.arange(512) + 0.5)
    found = above = 0
    total = Fraction(0)
    for p, n in zip(up[::-1].tolist(), down[::-1].tolist(), strict=True):
        total += sum((Fraction(found + i, found + i + above + n) for i in range(1, p + 1)), Fraction(0))
        found, above = found + p, above + n
    lowest = float(total / int(up.sum()))
    low = table.bounds.average_precision().low
    assert lowest - 3e-12 < low < lowest


@pytest.mark.parametrize("start", [0.0, 3.5, 28.9, 29.1, 1e3, 1e8, 1e12])
@pytest.mark.parametrize("terms", [0, 1, 2, 50, 3000])
def test_sums_of_reciprocals_keep_their_digits(start: float, terms: int) -> None:
    exact = math.fsum(1 / (start + i) for i in range(1, terms + 1))
    assert _harmonic(np.array([start]), np.array([float(terms)]))[0] == pytest.approx(exact, rel=2e-13, abs=0)


def test_bins_whose_ends_are_not_known_reach_up_to_the_next() -> None:
    table = ScoreTable([0.0, 0.5], [1, 2], [2, 1], exact=False)
    assert table.bounds.auc() == ScoreTable(
        [0.0, 0.5], [1, 2], [2, 1], exact=False, uppers=np.array([0.4, 1.0])
    ).bounds.auc()  # fmt: skip
    assert table.bounds.at(0.3).tpr == pytest.approx((2 / 3, 1.0))


def test_one_class_has_no_bounds() -> None:
    assert np.isnan(te.ScoreTable.count([1, 1], [0.1, 0.2], labels=[0, 1]).bounds.auc()).all()


def test_shards_of_one_grid_add_up_in_any_order() -> None:
    rng = np.random.default_rng(3)
    up, scores = rng.random(300) < 0.4, rng.random(300)
    grid = even_grid(0.0, 1.0, 50)
    parts = [binned(grid, up[i::3], scores[i::3]) for i in range(3)]
    whole = binned(grid, up, scores)
    assert parts[0] + parts[1] + parts[2] == parts[2] + (parts[0] + parts[1]) == whole
    assert te.load(whole.to_json()) == whole
    with pytest.raises(InputError, match="different grids"):
        whole + binned(even_grid(0.0, 1.1, 37), up, scores)
    with pytest.raises(InputError, match="exact score table"):
        whole + te.ScoreTable.count(up, scores, positive=1)
