"""t-tests of scores."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t
from trueerror.inputs._options import InputError

FOLDS = [0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01]
FIVE = [[0.02, -0.01], [0.03, 0.01], [0, 0.02], [0.01, 0.04], [0.02, 0]]


def test_published_figures():
    plain, corrected = (corrected_t(FOLDS, test_train_ratio=r) for r in (0, 1 / 9))
    assert (plain.statistic, plain.p_value) == pytest.approx((3.3085, 0.0091), abs=5e-5)
    assert (corrected.statistic, corrected.p_value) == pytest.approx((2.2770, 0.0488), abs=5e-5)
    assert five_by_two_t(FIVE).statistic == pytest.approx(1.1547, abs=5e-5)
    f = five_by_two_f(FIVE)
    assert (f.statistic, f.p_value, f.df) == (pytest.approx(1.3333, abs=5e-5), pytest.approx(0.3955, abs=5e-5), (10, 5))


def test_ten_by_ten_folds_use_all_hundred():
    d = np.random.default_rng(0).normal(0.01, 0.02, (10, 10))
    made = corrected_t(d, test_train_ratio=1 / 9)
    assert made.df == 99
    assert made.statistic == pytest.approx(d.mean() / math.sqrt(d.var(ddof=1) * (1 / 100 + 1 / 9)))


def test_the_conservative_degrees_of_freedom():
    a, b = [0.81, 0.83, 0.79, 0.85], [0.75, 0.77, 0.80]
    made, welch = unpaired_t(a, b, df="conservative"), unpaired_t(a, b)
    assert made.df == 2
    assert made.statistic == welch.statistic
    assert made.p_value > welch.p_value
    assert welch.df == pytest.approx(stats.ttest_ind(a, b, equal_var=False).df)


def zero_variance():
    same, shifted = [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]
    yield lambda **o: paired_t(same, same, **o), lambda **o: paired_t(same, shifted, **o)
    yield lambda **o: unpaired_t([0.3] * 3, [0.3] * 4, **o), lambda **o: unpaired_t([0.3] * 3, [0.1] * 4, **o)
    for df in ("pooled", "conservative"):
        yield (
            lambda df=df, **o: unpaired_t([0.3] * 3, [0.3] * 4, df=df, **o),
            lambda df=df, **o: unpaired_t([0.3] * 3, [0.1] * 4, df=df, **o),
        )
    yield (
        lambda **o: corrected_t([0.0] * 10, test_train_ratio=0.1, **o),
        lambda **o: corrected_t([0.03] * 10, test_train_ratio=0.1, **o),
    )
    yield lambda **o: five_by_two_t([[0, 0]] * 5, **o), lambda **o: five_by_two_t([[0.03, 0.03]] * 5, **o)
    yield lambda **o: five_by_two_f([[0, 0]] * 5, **o), lambda **o: five_by_two_f([[0.03, 0.03]] * 5, **o)


@pytest.mark.parametrize(("identical", "constant"), list(zero_variance()))
def test_without_variance_p_is_one_or_undefined_but_never_zero(identical, constant):
    made = identical()
    assert (made.p_value, made.estimate) == (1, 0)
    assert made.low < 0 < made.high
    assert made.note
    other = constant()
    assert math.isnan(other.p_value)
    assert other.estimate != 0
    assert other.low < other.estimate < other.high
    assert "do not vary" in other.note


def test_rounding_is_not_variance():
    # 0.3 − 0.1 and 0.7 − 0.5 differ in the last bit; t would be about 10^16.
    assert math.isnan(paired_t([0.3, 0.7, 0.9], [0.1, 0.5, 0.7]).p_value)
    # Means that are equal up to rounding are equal.
    assert unpaired_t([0.7, 0.72, 0.74], [0.74, 0.7, 0.72]).statistic == 0


def test_five_by_two_with_variance_only_between_repeats():
    made = five_by_two_t([[0.01, 0.01], [-0.01, -0.01], [0.02, 0.02], [-0.02, -0.02], [0, 0]])
    assert made.estimate == 0
    assert math.isnan(made.p_value)


@pytest.mark.parametrize(("a", "b"), [([], []), ([0.3], [0.2])])
def test_too_few_values(a, b):
    for made in (paired_t(a, b), unpaired_t(a, b), corrected_t([0.1] * len(a), test_train_ratio=0.1)):
        assert math.isnan(made.p_value)
        assert "too few" in made.note
        assert (made.low, made.high) == (-math.inf, math.inf)


def test_one_value_beside_several():
    assert math.isnan(unpaired_t([0.5], [0.2, 0.3]).p_value)
    assert unpaired_t([0.5], [0.2, 0.3], df="pooled").df == 1


def test_bad_scores_are_refused():
    with pytest.raises(InputError, match=r"second has nan at row 2"):
        paired_t([1, 2], [1, float("nan")])
    with pytest.raises(InputError, match="first has 2 rows but second has 3"):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="different indexes"):
        paired_t(pd.Series([1, 2], index=[0, 1]), pd.Series([1, 2], index=[1, 0]))
    with pytest.raises(InputError, match="5 rows"):
        five_by_two_t([[1, 2]] * 4)
    with pytest.raises(InputError, match="test_train_ratio"):
        corrected_t(FOLDS, test_train_ratio=-1)
    with pytest.raises(InputError, match="df"):
        unpaired_t([1, 2], [1, 3], df="satterthwaite")


def test_one_sided():
    a, b = [0.82, 0.79, 0.85, 0.88], [0.80, 0.78, 0.83, 0.85]
    two, up, down = (paired_t(a, b, alternative=x) for x in ("two-sided", "greater", "less"))
    assert up.p_value == pytest.approx(two.p_value / 2)
    assert up.p_value + down.p_value == pytest.approx(1)
    assert up.high == math.inf
    assert down.low == -math.inf
    assert up.low == pytest.approx(paired_t(a, b, confidence=0.90).low)


def test_the_five_by_two_limits_are_around_the_mean():
    made = five_by_two_t(FIVE)
    p = np.array(FIVE)
    s = math.sqrt(((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean())
    assert made.estimate == pytest.approx(p.mean())
    assert made.high - made.estimate == pytest.approx(stats.t.ppf(0.975, 5) * s)
    f = five_by_two_f(FIVE)
    assert (f.low, f.high) == (made.low, made.high)
    assert f.alternative == "two-sided"


def test_a_close_call_between_statistic_and_limits_is_noted():
    # The first difference is 0, all others are large and alike: t = 0, yet the mean is clear.
    d = [[0.0, 0.01], [0.1, 0.11], [0.1, 0.11], [0.1, 0.11], [0.1, 0.11]]
    made = five_by_two_t(d)
    assert made.p_value == 1
    assert made.low > 0
    assert "borderline" in made.note


def test_paired_t_points_folds_to_the_corrected_test():
    assert "corrected_t" in paired_t([1, 2, 4], [1, 3, 3]).explain()
    assert "corrected_t" in paired_t.__doc__


def test_tiny_and_huge_scores():
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 0.1, 8), rng.normal(0.9, 0.1, 8)
    plain = unpaired_t(a, b)
    for scale in (1e-150, 1e150):
        scaled = unpaired_t(a * scale, b * scale)
        assert scaled.p_value == pytest.approx(plain.p_value)
        assert scaled.df == pytest.approx(plain.df)
