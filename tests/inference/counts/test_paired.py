import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inference._contrast import mirrored
from trueerror.inference.counts._paired import FURTHEST, PairedMetric, mover_paired, paired_metric
from trueerror.tallies._agreement import Agreement

LABELS = ("f1", "mcc", "kappa", "balanced_accuracy", "precision", "macro_f1", "g_mean")


def sample(n=150, seed=0, right=(0.85, 0.75)):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, *(np.where(rng.random(n) < p, y, 1 - y) for p in right)


def compared(metric, y, a, b, **options):
    return paired_metric(Agreement.count(y, a, b, labels=[0, 1]), metric, 1, options)


@pytest.mark.parametrize("metric", LABELS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_swapping_the_models_turns_signs_and_sides(metric, alternative):
    y, a, b = sample()
    other = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    one = mover_paired(compared(metric, y, a, b), alternative=alternative)
    two = mover_paired(compared(metric, y, b, a), alternative=other)
    assert (one.estimate, one.low, one.high) == pytest.approx((-two.estimate, -two.high, -two.low))
    assert one.p_value == pytest.approx(two.p_value)
    assert one.p_better == pytest.approx(1 - two.p_better)


@pytest.mark.parametrize("metric", LABELS)
def test_the_p_value_is_the_level_at_which_a_limit_reaches_zero(metric):
    made = mover_paired(compared(metric, *sample()))
    at = mover_paired(compared(metric, *sample()), confidence=1 - made.p_value)
    assert min(abs(at.low), abs(at.high)) < 1e-6


def test_the_formula_written_out_for_balanced_accuracy():
    y, a, b = sample()
    made = mover_paired(compared("balanced_accuracy", y, a, b))
    z = 1.959963984540054

    def wilson(x, n):
        p = x / n
        centre, reach = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
        return (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)

    reaches, influences = [], []
    for calls in (a, b):
        down = up = 0.0
        d = np.zeros(len(y))
        for k in (0, 1):
            rows = y == k
            p, (low, high) = (calls == k)[rows].mean(), wilson(int((calls == k)[rows].sum()), int(rows.sum()))
            down, up = down + ((p - low) / 2) ** 2, up + ((high - p) / 2) ** 2
            d[rows] = ((calls == k)[rows] - p) / 2 / rows.sum()
        reaches.append((math.sqrt(down), math.sqrt(up)))
        influences.append(d)
    (x, _), (_, u) = reaches
    rho = (influences[0] @ influences[1]) / math.sqrt((influences[0] ** 2).sum() * (influences[1] ** 2).sum())
    assert made.low == pytest.approx(made.estimate - math.sqrt(x * x - 2 * rho * x * u + u * u), rel=1e-9)


@pytest.mark.parametrize("metric", LABELS)
def test_identical_models(metric):
    y, a, _ = sample()
    made = mover_paired(compared(metric, y, a, a))
    assert (made.estimate, made.p_value, made.p_better) == (0.0, 1.0, 0.5)
    assert made.low < 0 < made.high


@pytest.mark.parametrize("metric", LABELS)
def test_perfect_against_perfect_and_against_useless(metric):
    y, _, _ = sample()
    same = mover_paired(compared(metric, y, y, y))
    assert same.p_value == 1.0
    assert -1 <= same.low < 0 < same.high <= 1
    far = mover_paired(compared(metric, y, y, np.random.default_rng(1).permutation(y)))
    assert 0 < far.p_value < 1e-6
    assert 0 < far.low < far.high


def far(y):
    return compared("f1", y, y, 1 - y[np.random.default_rng(0).permutation(len(y))])


def test_p_values_end_where_limits_are_no_longer_searched():
    y = np.tile([0, 1], 5000)
    made = mover_paired(far(y))
    assert made.p_value > 0
    assert FURTHEST > 6
    # A bound says that it is one, also on one side, after a turn and a journey.
    for seen in (made, mirrored(made), te.load(made.to_json()), mover_paired(far(y), alternative="greater")):
        assert seen.p_at_most
    assert mover_paired(far(y), alternative="less").p_at_most is None
    assert mover_paired(compared("f1", *sample())).p_at_most is None


def test_metrics_without_an_analytic_interval_have_none():
    y, a, b = sample()
    assert mover_paired(compared("savings", y, a, b, costs=[[0, 1], [3, 0]])) is None


def test_type_one_error_stays_near_its_level():
    # The BCa bootstrap rejects .13 here (Matthews correlation, 200 rows, a tenth of them positive).
    rng = np.random.default_rng(2)
    rejected = 0
    for _ in range(150):
        y = (rng.random(200) < 0.1).astype(int)
        right, other, same = rng.random(200) < 0.9, rng.random(200) < 0.9, rng.random(200) < 0.8
        a, b = np.where(right, y, 1 - y), np.where(np.where(same, right, other), y, 1 - y)
        made = mover_paired(compared("mcc", y, a, b))
        rejected += made is not None and made.p_value <= 0.05
    assert rejected <= 15


def rare(first: list[int], second: list[int], n: int = 400) -> PairedMetric:
    """One positive, missed by both; where each model raises a false alarm."""
    y, a, b = np.zeros(n, int), np.zeros(n, int), np.zeros(n, int)
    y[0] = a[first] = b[second] = 1
    return paired_metric(Agreement.count(y, a, b, labels=[0, 1], positive=1), "kappa", None, {})


def test_a_correlation_of_few_rows_does_not_make_a_difference_certain():
    both = rare(list(range(1, 19)), [*range(1, 11), *range(100, 110)])
    made = mover_paired(both)
    assert made.low < 0 < made.high
    assert made.p_value > 0.5  # 2.6e−12 where reaches cancel each other


@settings(max_examples=40)
@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.sampled_from(["kappa", "mcc", "balanced_accuracy"])
)
def test_rare_positives(both, one, other, metric):
    compared = rare(list(range(1, 1 + both + one)), [*range(1, 1 + both), *range(200, 200 + other)])
    compared = paired_metric(compared.agreement, metric, None, {})
    made = [mover_paired(compared, confidence=c) for c in (0.5, 0.9, 0.95, 0.99)]
    if made[0] is None:
        return
    for narrow, wide in pairwise(made):
        assert wide.low <= narrow.low + 1e-6  # as near as the turn is found
        assert wide.high >= narrow.high - 1e-6
    for found in made:
        alpha = 1 - found.confidence
        if abs(found.p_value - alpha) > 1e-6:
            assert (found.p_value > alpha) == (found.low <= 0 <= found.high)


def test_type_one_error_with_two_percent_positives():
    rng = np.random.default_rng(3)
    wrong, asked = 0, 150
    for _ in range(asked):
        y = (rng.random(200) < 0.02).astype(int)
        a, b = (np.where(rng.random(200) < np.where(y == 1, 0.7, 0.95), y, 1 - y) for _ in range(2))
        made = mover_paired(paired_metric(Agreement.count(y, a, b, labels=[0, 1]), "balanced_accuracy", None, {}))
        wrong += made.p_value < 0.05
    assert wrong <= 0.05 * asked + 3 * (asked * 0.05 * 0.95) ** 0.5
