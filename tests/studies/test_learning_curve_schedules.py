"""Sizes of training sets."""

from itertools import pairwise

import pytest

from trueerror.studies._learning_curve import given_sizes, sizes_of


def test_geometric_sizes_grow_by_a_ratio_and_end_with_all_rows():
    assert sizes_of("geometric", 1000, smallest=50, ratio=3) == (50, 150, 450, 1000)
    made = sizes_of("geometric", 455, steps=8)
    assert (made[0], made[-1], len(made)) == (10, 455, 8)
    ratios = [b / a for a, b in pairwise(made)]
    assert max(ratios) / min(ratios) < 1.15


def test_arithmetic_sizes_grow_by_a_step():
    assert sizes_of("arithmetic", 100, smallest=10, step=20) == (10, 30, 50, 70, 90, 100)
    assert sizes_of("arithmetic", 100, smallest=10, steps=4) == (10, 40, 70, 100)


def test_each_class_needs_rows():
    assert sizes_of("geometric", 400, classes=20)[0] == 40


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"schedule": "geometrical"}, "geometric"),
        ({"ratio": 1.0}, "above 1"),
        ({"step": 5}, "arithmetic"),
        ({"schedule": "arithmetic", "ratio": 2}, "geometric"),
        ({"smallest": 500}, "below 100"),
        ({"steps": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_is_told(given, words):
    with pytest.raises(ValueError, match=words):
        sizes_of(given.pop("schedule", "geometric"), 100, **given)


def test_given_sizes():
    assert given_sizes([0.5, 20, 1.0], 100) == (20, 50, 100)
    with pytest.raises(ValueError, match="neither"):
        given_sizes([200], 100)
    with pytest.raises(ValueError, match="two different"):
        given_sizes([50, 0.5], 100)
