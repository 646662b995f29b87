"""One proportion against a value; two proportions."""

import math

import pytest
from scipy import stats

from trueerror.inference.proportion._two_samples import one_proportion, two_proportions
from trueerror.inputs._options import InputError

METHODS = ("pooled-z", "unpooled-z", "fisher", "yates")


@pytest.mark.parametrize("method", ["exact", "score"])
@pytest.mark.parametrize(("x", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20)])
def test_one_proportion_has_a_sound_interval_everywhere(method, x, n):
    made = one_proportion(x, n, 0.4, method=method)
    assert -0.4 <= made.low < made.high <= 0.6
    assert made.estimate in made
    assert 0 < made.p_value <= 1
    assert "less p0" in made.note
    assert "Source:" in made.explain()


def test_the_score_interval_inverts_the_score_test():
    p = one_proportion(7, 20, 0.5, method="score").p_value
    assert one_proportion(7, 20, 0.5, method="score", confidence=1 - p).high == pytest.approx(0, abs=1e-9)


def test_one_proportion_one_sided():
    greater = one_proportion(9, 10, 0.5, alternative="greater")
    less = one_proportion(9, 10, 0.5, alternative="less")
    assert greater.p_value + less.p_value == pytest.approx(1 + 10 / 2**10)
    assert (greater.high, greater.side, less.low, less.side) == (0.5, "lower", -0.5, "upper")


def test_one_proportion_of_no_rows():
    made = one_proportion(0, 0, 0.5)
    assert made.p_value == 1
    assert math.isnan(made.estimate)
    assert (made.low, made.high) == (-0.5, 0.5)


@pytest.mark.parametrize(("x", "n", "p0"), [(3, 2, 0.5), (1, 2, 0), (1, 2, 1), (1, 2, float("nan")), (None, 2, 0.5)])
def test_one_proportion_refuses(x, n, p0):
    with pytest.raises(InputError):
        one_proportion(x, n, p0)


def test_one_proportion_of_a_billion_rows():
    made = one_proportion(500_040_000, 10**9, 0.5)
    assert made.p_value == pytest.approx(2 * stats.norm.sf((40_000 - 0.5) / math.sqrt(2.5e8)), rel=1e-3)
    assert 0 < one_proportion(10**9, 10**9, 0.5).p_value < 1e-300


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("counts", [(0, 10, 0, 20), (10, 10, 20, 20), (3, 10, 6, 20)])
def test_equal_proportions_give_p_one_and_a_sound_interval(method, counts):
    made = two_proportions(*counts, method=method)
    assert made.estimate == 0
    assert made.p_value == 1
    assert made.low < 0 < made.high
    assert "Formula:" in made.explain()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("counts", [(10, 10, 0, 10), (500, 500, 0, 500)])
def test_no_p_value_is_zero(method, counts):
    made = two_proportions(*counts, method=method)
    assert 0 < made.p_value < 0.001
    assert made.low < made.high == 1


def test_fisher_at_a_billion_rows():
    made = two_proportions(500_100_000, 10**9, 499_900_000, 10**9, method="fisher")
    z = 200_000 / math.sqrt(2 * 0.25 * 1e9)
    assert made.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-3)


def test_no_rows():
    for method in METHODS:
        made = two_proportions(0, 0, 3, 5, method=method)
        assert made.p_value == 1
        assert "no rows" in made.note


def test_close_calls_are_called_so():
    # Fisher and the score interval fall on different sides of 5 % here.
    made = two_proportions(40, 50, 30, 50, method="fisher")
    assert made.p_value > 0.04
    close = two_proportions(6, 7, 2, 7, method="fisher")
    assert close.p_value > 0.05
    assert close.low > 0
    assert "borderline" in close.note
