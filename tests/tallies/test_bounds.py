"""Bounds of binned score tables: whatever the order within a bin, the exact value lies between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs.errors import InputError
from trueerror.kernels.bins import Grid, even_grid
from trueerror.metrics.areas import auc, average_precision
from trueerror.tallies import ScoreTable


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
