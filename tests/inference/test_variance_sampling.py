import math

import numpy as np
import pytest

from trueerror.inference._variance import (
    binary_gradients,
    class_cluster_variances,
    class_clusters,
    cluster_variance,
    influence,
    occupied,
)
from trueerror.metrics._registry import find_measure
from trueerror.tallies import KeyedConfusion


def drawn(seed=0, n=300, groups=30, k=3):
    rng = np.random.default_rng(seed)
    keys, truth = rng.integers(0, groups, n), rng.integers(0, k, n)
    called = np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n))
    return keys, truth, called, KeyedConfusion.from_codes(keys, tuple(range(groups)), truth, called, tuple(range(k)))


def test_mean_of_rows_by_hand():
    keys, truth, called, keyed = drawn()
    right = (truth == called).astype(float)
    p = right.mean()
    sums = np.bincount(keys, weights=right - p, minlength=30) / 300
    expected = 30 / 29 * (sums**2).sum()
    assert cluster_variance(keyed, influence(find_measure("accuracy"), keyed.table)) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "specificity", "npv", "markedness"])
def test_every_class_at_once(name):
    *_, keyed = drawn()
    measure = find_measure(name)
    slopes = binary_gradients(measure, keyed.table.classes().one_vs_rest(), {})
    many = class_cluster_variances(keyed, slopes)
    for k in range(3):
        one = cluster_variance(keyed, influence(measure, keyed.table, positive=k))
        assert many[k] == pytest.approx(one, rel=1e-9)


@pytest.mark.parametrize("parts", [(True, False, True, False), (True, True, False, False), (False, True, False, True)])
def test_clusters_with_rows_among_the_parts(parts):
    keys, truth, called, keyed = drawn(groups=80, n=150)
    made = class_clusters(keyed, parts)
    for k in range(3):
        four = (
            (truth == k) & (called == k),
            (truth != k) & (called == k),
            (truth == k) & (called != k),
            (truth != k) & (called != k),
        )
        mask = np.any([part for wanted, part in zip(parts, four, strict=True) if wanted], axis=0)
        assert made[k] == len(np.unique(keys[mask]))


def test_one_cluster_has_no_variance():
    keyed = KeyedConfusion.from_codes(
        np.zeros(4, int), ("a", "b"), np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0]), (0, 1)
    )
    assert occupied(keyed) == 1
    assert math.isnan(cluster_variance(keyed, influence(find_measure("accuracy"), keyed.table)))
