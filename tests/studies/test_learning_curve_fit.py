"""Forms of learning curves and their fits."""

import numpy as np
import pytest

from trueerror.studies._curve_bands import fall_begins, resampled_fits
from trueerror.studies._curve_forms import FORMS, fit_curve, held_out_errors, parameters

SIZES = np.array([10.0, 20, 40, 80, 160, 320])


@pytest.mark.parametrize(
    ("form", "curve"),
    [
        ("power", lambda n: 0.1 + 1.5 * n**-0.7),
        ("exponential", lambda n: 0.1 + 0.3 * np.exp(-n / 50)),
        ("root", lambda n: 0.05 + 1 / np.sqrt(n)),
        ("logarithm", lambda n: 0.6 - 0.08 * np.log(n)),
        ("flat", lambda n: 0.2 + 0 * n),
    ],
)
def test_a_form_finds_its_own_curve_and_carries_it_on(form, curve):
    made = fit_curve(form, SIZES, curve(SIZES)[None, :], np.ones(6))
    assert made.at(640.0)[0, 0] == pytest.approx(float(curve(640.0)), abs=0.002)
    assert made.residual[0] < 1e-5


def test_many_curves_are_fitted_as_one_by_one():
    rng = np.random.default_rng(0)
    curves = 0.2 + 1 / SIZES + rng.normal(0, 0.01, (5, 6))
    weights = rng.random(6) + 0.1
    together = fit_curve("power", SIZES, curves, weights).at(500.0)[:, 0]
    apart = [fit_curve("power", SIZES, c[None, :], weights).at(500.0)[0, 0] for c in curves]
    np.testing.assert_allclose(together, apart)


def test_least_squares_against_scipy():
    from scipy.optimize import curve_fit

    rng = np.random.default_rng(3)
    y = 0.15 + 2 * SIZES**-0.9 + rng.normal(0, 0.004, 6)
    errors = np.array([0.02, 0.015, 0.01, 0.008, 0.006, 0.005])
    best, _ = curve_fit(lambda n, a, b, c: a + b * n**-c, SIZES, y, p0=(0.1, 1, 1), sigma=errors)
    made = fit_curve("power", SIZES, y[None, :], 1 / errors**2)
    assert made.at(640.0)[0, 0] == pytest.approx(best[0] + best[1] * 640.0 ** -best[2], abs=5e-4)


def test_errors_are_never_below_zero_and_never_rise():
    rng = np.random.default_rng(1)
    curves = rng.random((50, 6))
    for form in FORMS:
        at = fit_curve(form, SIZES, curves, np.ones(6)).at(np.array([10.0, 100, 1000, 1e6]))
        assert (at >= 0).all()
        assert (np.diff(at, axis=1) <= 1e-12).all()


def test_parameters_are_for_rows_not_for_shares():
    made = fit_curve("power", SIZES, (0.1 + 3 * SIZES**-0.5)[None, :], np.ones(6))
    assert parameters(made) == pytest.approx((0.1, 3.0, 0.5))
    a, b, _ = parameters(fit_curve("logarithm", SIZES, (0.6 - 0.08 * np.log(SIZES))[None, :], np.ones(6)))
    assert (a, b) == pytest.approx((0.6, 0.08))


def test_the_true_form_foretells_best():
    curve = (0.1 + 0.3 * np.exp(-SIZES / 60))[None, :]
    errors = held_out_errors(SIZES, curve, np.ones(6))
    assert min(errors, key=lambda f: errors[f][0]) == "exponential"


def test_a_peak_at_first_is_left_out_of_the_fit():
    """A loss that rises before it falls: the form is that of the fall, not one bent by the peak."""
    n = np.array([10.0, 14, 20, 28, 40, 57, 80, 113])
    mean = 0.2 + 3 / n
    mean[:2] = 0.31, 0.33
    mean[2] = 0.35
    values = mean + np.random.default_rng(0).normal(scale=0.002, size=(20, 8))
    assert fall_begins(values) == 2
    drawn = resampled_fits(n, values, "auto", np.random.default_rng(1)).at(np.array([500.0]))
    assert np.median(drawn) == pytest.approx(0.2 + 3 / 500, abs=0.01)
    # Four sizes are always left, and a curve that falls from the start is fitted whole.
    assert fall_begins(values[:, ::-1]) == 4
    assert fall_begins(values[:, 2:]) == 0
