import math

import numpy as np
import pytest

from trueerror.inference._variance import (
    Sample,
    binary_gradients,
    class_cluster_variances,
    class_clusters,
    cluster_variance,
    influence,
    occupied,
)
from trueerror.inference.counts._one_class import play_of, view_of_sample
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
    share = np.bincount(keys, minlength=30) / 300
    expected = ((sums / (1 - share)) ** 2).sum()
    every = np.ones(len(keyed.table.row), dtype=bool)
    assert cluster_variance(keyed, influence(find_measure("accuracy"), keyed.table), every) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "specificity", "npv", "markedness"])
def test_every_class_at_once(name):
    *_, keyed = drawn()
    measure = find_measure(name)
    slopes = binary_gradients(measure, keyed.table.classes().one_vs_rest(), {})
    parts, events = play_of(measure)
    many = class_cluster_variances(keyed, slopes, parts, events)
    for k in range(3):
        sample = Sample.of(measure, keyed.table, positive=k, clusters=keyed)
        view = view_of_sample(measure, sample, {})
        # Without parts in play a cluster's weight follows from the classes, which are two here and three there.
        slack = 1e-9 if parts else 0.05
        assert many.variance[k] == pytest.approx(view.variances[0], rel=slack)
        assert many.effective[k] == pytest.approx(view.effective_clusters[0], rel=slack)
        assert many.eventful[k] - 1 == pytest.approx(view.df[0], rel=slack)


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
