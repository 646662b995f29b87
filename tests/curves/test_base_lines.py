"""Reading a curve between its points."""

import numpy as np

from trueerror.curves._lines import curve_points, foot_at, top_at

X, Y = np.array([0.0, 0.0, 0.3, 0.3, 1.0]), np.array([0.0, 0.2, 0.5, 0.9, 1.0])


def test_vertical_pieces_have_a_top_and_a_foot():
    assert top_at(X, Y, [0.0, 0.3, 1.0]).tolist() == [0.2, 0.9, 1.0]
    assert foot_at(X, Y, [0.0, 0.3, 1.0]).tolist() == [0.0, 0.5, 1.0]


def test_between_points_they_agree():
    inside = np.array([0.1, 0.2, 0.5, 0.9])
    assert np.allclose(top_at(X, Y, inside), np.interp(inside, X, Y))
    assert np.allclose(foot_at(X, Y, inside), np.interp(inside, X, Y))


def test_three_tenths_is_found_whatever_the_rounding():
    assert top_at(X, Y, 0.1 + 0.2) == 0.9
    assert foot_at(X, Y, 0.1 + 0.2) == 0.5
    assert top_at(np.array([0, 3 / 10, 1]), np.array([0, 1, 1.0]), 1 - 0.7) == 1


def test_points_of_counts():
    x, y = curve_points(np.array([1, 0, 3]), np.array([1, 1, 0]))
    assert x.tolist() == [0, 0, 0.5, 1]
    assert y.tolist() == [0, 0.75, 0.75, 1]
