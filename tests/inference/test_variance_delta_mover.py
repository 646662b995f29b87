import numpy as np
import pytest

from trueerror.inference._variance import (
    binary_gradients,
    class_correlations,
    influence,
    mover,
    multinomial_correlations,
)
from trueerror.inference.proportion._distributions import limits
from trueerror.metrics._registry import find_measure
from trueerror.tallies import Confusion


def test_newcombes_difference_is_a_mover():
    """56/70 − 48/80 by Newcombe's method 10: .0524 .3339."""
    low, high = limits([56, 48], [70, 80])
    made = mover(np.array([0.8, 0.6]), low, high, np.array([1.0, -1.0]))
    assert made == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_correlated_parts_that_cancel_count_as_independent():
    p = np.array([0.5, 0.5])
    low, high = limits([50, 50], [100, 100])
    alone = mover(p, low, high)
    assert mover(p, low, high, 1.0, multinomial_correlations(p)) == alone


def test_opposite_weights_turn_the_correlation():
    p = np.array([0.3, 0.4])
    low, high = limits(100 * p, 100)
    cross = multinomial_correlations(p)
    summed = mover(p, low, high, np.array([1.0, 1.0]), cross)
    apart = mover(p, low, high, np.array([1.0, -1.0]), cross)
    assert summed[1] - summed[0] < apart[1] - apart[0]


@pytest.mark.parametrize("name", ["f1", "precision", "specificity", "npv", "jaccard", "recall"])
def test_class_correlations_are_those_of_the_influences(name):
    t = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
    measure = find_measure(name)
    per_class = np.array([influence(measure, t, positive=k) for k in t.labels])
    covariance = (per_class * t.counts) @ per_class.T
    spread = np.sqrt(np.diag(covariance))
    slopes = binary_gradients(measure, t.classes().one_vs_rest(), {})
    reach = np.array([0.1, 0.2, 0.15])
    expected = reach @ (covariance / np.outer(spread, spread)) @ reach - reach @ reach
    assert class_correlations(t, slopes, spread**2)(reach) == pytest.approx(expected, abs=1e-12)


def test_a_class_without_variance_has_no_correlation():
    t = Confusion([[50, 0, 0], [0, 30, 4], [0, 3, 19]])
    measure = find_measure("f1")
    counts = t.classes().one_vs_rest()
    slopes = binary_gradients(measure, counts, {})
    variances = sum(c * s * s for c, s in zip(counts, slopes, strict=True))
    assert variances[0] == 0
    cross = class_correlations(t, slopes, variances)
    assert cross(np.array([0.5, 0.0, 0.0])) == 0
    assert cross(np.array([0.5, 0.1, 0.1])) == cross(np.array([0.0, 0.1, 0.1])) > 0
