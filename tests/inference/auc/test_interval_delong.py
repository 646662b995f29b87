"""DeLong's covariance against its definition: every positive with every negative."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from trueerror.inference.auc._interval import delong_covariance, delong_from_table, satterthwaite
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
@pytest.mark.parametrize("models", [1, 2, 4])
def test_definition(digits: int | None, models: int) -> None:
    rng = np.random.default_rng(models)
    positive = rng.random(300) < 0.3
    columns = [rng.normal(size=300) + positive for _ in range(models)]
    if digits is not None:
        columns = [np.round(c, digits) for c in columns]
    result = delong_covariance(positive, columns)
    areas, covariance = by_definition(positive, columns)
    assert result.areas == pytest.approx(areas, abs=1e-14)
    assert result.covariance == pytest.approx(covariance, abs=1e-14)


def test_score_table_gives_the_same_as_rows() -> None:
    rng = np.random.default_rng(5)
    positive = rng.random(400) < 0.4
    scores = np.round(rng.normal(size=400) + positive, 1)
    distinct, where = np.unique(scores, return_inverse=True)
    up = np.bincount(where, weights=positive).astype(np.int64)
    down = np.bincount(where, weights=~positive).astype(np.int64)
    rows, table = delong_covariance(positive, [scores]), delong_from_table(table_of(up, down))
    assert len(distinct) < 100
    assert table.areas == pytest.approx(rows.areas, abs=1e-15)
    assert table.among_positives == pytest.approx(rows.among_positives, abs=1e-16)
    assert table.among_negatives == pytest.approx(rows.among_negatives, abs=1e-16)


def test_score_table_of_a_billion_rows() -> None:
    small = delong_from_table(table_of(np.array([1, 4, 5]), np.array([6, 3, 1])))
    large = delong_from_table(table_of(np.array([1, 4, 5]) * 10**8, np.array([6, 3, 1]) * 10**8))
    assert large.areas == pytest.approx(small.areas, abs=1e-14)
    # The variance of n rows is S/n, with S over n − 1: at ten rows a class 10/9 of the limit.
    assert large.covariance * 10**8 == pytest.approx(small.covariance * 0.9, rel=1e-8)


def test_positives_and_negatives_are_not_swapped() -> None:
    # One low negative among many high ones: the spread is among the negatives.
    positive = np.array([True] * 4 + [False] * 4)
    result = delong_covariance(positive, [np.array([5.0, 5, 5, 5, 1, 9, 9, 9])])
    assert result.areas[0] == 0.25
    assert result.among_positives[0, 0] == 0
    assert result.among_negatives[0, 0] == pytest.approx(0.25 / 4)


def test_single_row_of_a_class_has_no_variance() -> None:
    result = delong_covariance(np.array([True, False, False]), [np.array([3.0, 1, 2])])
    assert result.areas[0] == 1
    assert np.isnan(result.covariance).all()


def test_rounding_dust_of_identical_models_is_no_variance() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(1000) < 0.5
    scores = rng.random(1000)
    difference, variance, df = delong_covariance(positive, [scores, np.exp(scores)]).contrast([1, -1])
    assert (difference, variance) == (0, 0)
    assert np.isnan(df)


def test_satterthwaite_of_welch() -> None:
    # Welch's degrees of freedom for variances 4 of 10 and 9 of 20.
    a, b = 4 / 10, 9 / 20
    assert satterthwaite((a, 9), (b, 19)) == pytest.approx((a + b) ** 2 / (a**2 / 9 + b**2 / 19))
    assert satterthwaite((0.0, 9), (b, 19)) == pytest.approx(19)
