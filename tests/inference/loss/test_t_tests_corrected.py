"""The corrected variance: its factor, its limits, rounding."""

import math

import numpy as np
import pytest

from trueerror.inference.loss._t_tests import corrected_factor, corrected_spread
from trueerror.inputs._options import InputError


def test_factor_of_ten_by_ten_folds():
    assert corrected_factor(100, 1 / 9) == pytest.approx(1 / 100 + 1 / 9, rel=1e-15)
    assert corrected_factor(10, 0) == 0.1


def test_repeats_cannot_shrink_the_variance_below_the_floor():
    scores = np.tile([0.7, 0.8, 0.9], 10_000)
    floor = scores.std(ddof=1) * math.sqrt(1 / 2)
    assert floor < corrected_spread(scores, 1 / 2).error < floor * 1.0001


def test_equal_scores_have_no_error_in_spite_of_rounding():
    assert corrected_spread(np.full(7, 0.1) + 0.2, 1 / 9).error == 0
    assert corrected_spread(np.array([0.3]), 1 / 9) == (0.3, 0.0, 0)


@pytest.mark.parametrize("ratio", [-0.1, math.nan, math.inf])
def test_a_bad_ratio_is_refused(ratio):
    with pytest.raises(InputError, match="n_test/n_train"):
        corrected_factor(10, ratio)


def test_no_scores():
    with pytest.raises(InputError, match="no scores"):
        corrected_spread(np.array([]), 0.1)
