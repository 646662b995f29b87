import math

import pytest
from scipy import special, stats

from trueerror.inference._problem import critical_t, critical_z
from trueerror.inputs._options import InputError


@pytest.mark.parametrize("confidence", [1e-3, 0.5, 0.8, 0.95, 0.999999, 1 - 1e-9, 1 - 1e-12])
def test_z_is_accurate_far_into_the_tail(confidence):
    assert critical_z(confidence) == pytest.approx(-special.ndtri((1 - confidence) / 2), rel=1e-14)
    if confidence < 0.5:
        with pytest.raises(InputError, match="below one half"):
            critical_z(confidence, "lower")
    else:
        assert critical_z(confidence, "lower") == pytest.approx(-special.ndtri(1 - confidence), rel=1e-14)


def test_t_is_accurate_and_meets_z():
    for df in (1, 2.5, 10, 120, 1e6):
        for confidence in (0.5, 0.95, 1 - 1e-9):
            expected = stats.t.isf((1 - confidence) / 2, df)
            assert critical_t(confidence, df) == pytest.approx(expected, rel=1e-10)
    assert critical_t(0.95, math.inf) == critical_z(0.95)
    assert critical_t(0.9, 7, "upper") == pytest.approx(critical_t(0.8, 7))


def test_no_degrees_of_freedom():
    with pytest.raises(InputError, match="df=0"):
        critical_t(0.95, 0)
