"""DeLong's covariance against its definition: every positive with every negative."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from trueerror.inference.auc._interval import area_sums, centred_placements, delong_variance, estimate_of_areas
from trueerror.metrics.scores import auc
from trueerror.tallies import ScoreTable


def table_of(up: NDArray[np.int64], down: NDArray[np.int64]) -> ScoreTable:
    return ScoreTable(np.arange(len(up)), up, down)


def by_definition(positive: NDArray[np.bool_], columns: list[NDArray[np.float64]]) -> tuple[list[float], np.ndarray]:
    over_positives, over_negatives = [], []
    for scores in columns:
        x, y = scores[positive][:, None], scores[~positive][None, :]
        wins = (x > y) + 0.5 * (x == y)
        over_positives.append(wins.mean(axis=1))
        over_negatives.append(wins.mean(axis=0))
    m, n = positive.sum(), (~positive).sum()
    covariance = np.atleast_2d(np.cov(over_positives)) / m + np.atleast_2d(np.cov(over_negatives)) / n
    return [float(v.mean()) for v in over_positives], covariance


@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize("models", [2, 4])
def test_definition(digits: int | None, models: int) -> None:
    rng = np.random.default_rng(models)
    positive = rng.random(300) < 0.3
    columns = [rng.normal(size=300) + positive for _ in range(models)]
    if digits is not None:
        columns = [np.round(c, digits) for c in columns]
    result = centred_placements(positive, columns)
    areas, covariance = by_definition(positive, columns)
    assert result.areas == pytest.approx(areas, abs=1e-14)
    sums, m, n = result.sums, int(positive.sum()), int((~positive).sum())
    found = sums.among_positives / (m * (m - 1)) + sums.among_negatives / (n * (n - 1))
    assert found == pytest.approx(covariance, abs=1e-14)
    weights = np.zeros(models)
    weights[0] += 1
    weights[-1] -= 1
    error = float(estimate_of_areas(result, (0, models - 1), 1.0).spread.error)
    assert error**2 == pytest.approx(weights @ covariance @ weights, abs=1e-14)


def test_score_table_gives_the_same_as_rows() -> None:
    rng = np.random.default_rng(5)
    positive = rng.random(400) < 0.4
    scores = np.round(rng.normal(size=400) + positive, 1)
    distinct, where = np.unique(scores, return_inverse=True)
    up = np.bincount(where, weights=positive).astype(np.int64)
    down = np.bincount(where, weights=~positive).astype(np.int64)
    rows, table = centred_placements(positive, [scores]), table_of(up, down)
    assert len(distinct) < 100
    assert auc(table) == pytest.approx(rows.areas[0], abs=1e-15)
    for side, found in zip((rows.positives[0], rows.negatives[0]), area_sums(table), strict=True):
        assert (found.rows, found.squares) == (len(side), pytest.approx((side @ side) / len(side) ** 2, abs=1e-16))
    assert delong_variance(table) == pytest.approx(by_definition(positive, [scores])[1][0, 0], abs=1e-16)


def test_score_table_of_a_billion_rows() -> None:
    small, large = (table_of(k * np.array([1, 4, 5]), k * np.array([6, 3, 1])) for k in (1, 10**8))
    assert auc(large) == pytest.approx(auc(small), abs=1e-14)
    # The variance of n rows is S/n, with S over n − 1: at ten rows a class 10/9 of the limit.
    assert delong_variance(large) * 10**8 == pytest.approx(delong_variance(small) * 0.9, rel=1e-8)


def test_positives_and_negatives_are_not_swapped() -> None:
    # One low negative among many high ones: the spread is among the negatives.
    positive = np.array([True] * 4 + [False] * 4)
    result = centred_placements(positive, [np.array([5.0, 5, 5, 5, 1, 9, 9, 9])])
    assert result.areas[0] == 0.25
    assert result.sums.among_positives[0, 0] == 0
    assert result.sums.among_negatives[0, 0] == pytest.approx(0.75)


def test_single_row_of_a_class_has_no_variance() -> None:
    assert np.isnan(delong_variance(ScoreTable.count([1, 0, 0], [3.0, 1, 2])))


def test_rounding_dust_of_identical_models_is_no_variance() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(1000) < 0.5
    scores = rng.random(1000)
    found = centred_placements(positive, [scores, np.exp(scores)])
    for placed in (found, found.sums):
        e = estimate_of_areas(placed, (0, 1), 1.0)
        assert (float(e.value), float(e.spread.error)) == (0, 0)
