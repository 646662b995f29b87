import math

import numpy as np
import pytest

from trueerror.inference._variance import (
    binary_gradients,
    class_weighted_variances,
    effective_size,
    influence,
    weighted_variance,
)
from trueerror.metrics._registry import find_measure
from trueerror.tallies import Confusion


def drawn(n=250, seed=2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    called = np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n))
    weights = rng.random(n) + 0.2
    return truth, called, weights, Confusion.count(truth, called, weights=weights, weights_kind="sampling")


def test_ratio_by_linearisation():
    truth, called, w, t = drawn()
    mine = truth == 1
    hit = mine & (called == 1)
    p = w[hit].sum() / w[mine].sum()
    kish = w.sum() ** 2 / (w**2).sum()
    expected = kish / (kish - 1) * ((w * (hit - p * mine)) ** 2).sum() / w[mine].sum() ** 2
    assert weighted_variance(t, influence(find_measure("recall"), t, positive=1)) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "specificity", "markedness"])
def test_every_class_at_once(name):
    *_, t = drawn()
    measure = find_measure(name)
    many = class_weighted_variances(t, binary_gradients(measure, t.classes().one_vs_rest(), {}))
    for k in range(3):
        assert many[k] == pytest.approx(weighted_variance(t, influence(measure, t, positive=k)))


def test_one_row_has_no_variance():
    t = Confusion.count([1], [1], labels=[0, 1], weights=[2.0], weights_kind="sampling")
    assert math.isnan(weighted_variance(t, influence(find_measure("accuracy"), t)))


def test_effective_size_is_bounded():
    assert effective_size(0.5, 0.01, 100, 7).item() == 25
    assert effective_size(0.5, 0.0001, 100, 7).item() == 100
    assert effective_size(0.5, 0.0, 100, 7).item() == 7
    assert effective_size(1.0, 0.3, 100, 7).item() == 7
    assert effective_size(0.5, float("nan"), 5, 7).item() == 5
