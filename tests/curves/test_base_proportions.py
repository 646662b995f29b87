"""Shares and sums of shares at a point of a curve."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._points import rows_for_interval, weighted_sum, wilson_proportion


def test_wilson_for_counts():
    made, wilson = wilson_proportion("x", 13, 3), te.interval(13, 16)
    assert (made.estimate, made.low, made.high, made.n) == (wilson.estimate, wilson.low, wilson.high, 16)


def test_nothing_retrieved_has_no_precision():
    none = te.precision_recall([0, 1, 1], [0.1, 0.2, 0.3]).at(threshold=0.9).precision
    assert math.isnan(none.estimate)
    assert none.note == "nothing is retrieved"


def test_effective_rows_of_weights():
    assert rows_for_interval(6, 4, None) == 10
    # Equal weights: as many rows as there are.
    assert rows_for_interval(6 * 0.5, 4 * 0.5, (6 * 0.25, 4 * 0.25)) == pytest.approx(10)
    assert rows_for_interval(6 * 0.5, 0.0, (6 * 0.25, 0.0)) == pytest.approx(6)
    assert rows_for_interval(0.0, 0.0, (0.0, 0.0)) == 0
    # One heavy row among the hits: fewer.
    assert rows_for_interval(5.0 + 5, 4.0, (25.0 + 5, 4.0)) < 10
    weights = np.array([1.0, 2.0, 3.0, 1.0])
    hits = np.array([1, 0, 1, 0])
    p = weights @ hits / weights.sum()
    variance = np.sum(weights**2 * (hits - p) ** 2) / weights.sum() ** 2
    made = rows_for_interval(4.0, 3.0, (10.0, 5.0))
    assert made == pytest.approx(p * (1 - p) / variance)


def test_sum_of_shares_of_different_rows():
    total, low, high = weighted_sum((0.5, 0.5), (45, 15), (50, 30), confidence=0.95)
    assert (total, round(low, 4), round(high, 4)) == (pytest.approx(0.7), 0.5984, 0.7888)


def test_difference_of_shares_is_newcombes():
    total, low, high = weighted_sum((1, -1), (56, 48), (70, 80), confidence=0.95)
    made = te.difference((56, 70), (48, 80), method="newcombe")
    assert (total, low, high) == pytest.approx((made.estimate, made.low, made.high))


def test_exclusive_shares_in_large_samples_have_their_multinomial_variance():
    n, p, q = 1_000_000, 0.3, 0.2
    for a, b in ((1.0, -0.5), (0.4, 1.6)):
        total, low, high = weighted_sum((a, b), (p * n, q * n), (n, n), confidence=0.95, exclusive=True)
        variance = (a * a * p * (1 - p) + b * b * q * (1 - q) - 2 * a * b * p * q) / n
        assert total == pytest.approx(a * p + b * q)
        assert (high - low) / 2 == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-3)
