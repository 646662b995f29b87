import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.counts._paired import PairedMetric, paired_metric
from trueerror.metrics._registry import find_measure
from trueerror.results import Contrast
from trueerror.tallies._agreement import Agreement

LABELS = ("f1", "mcc", "kappa", "balanced_accuracy", "precision", "macro_f1", "g_mean")


def sample(n=150, seed=0, right=(0.85, 0.75)):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, *(np.where(rng.random(n) < p, y, 1 - y) for p in right)


def compared(metric, y, a, b, **options):
    return paired_metric(Agreement.count(y, a, b, labels=[0, 1]), metric, 1, options)


def answered(pair: PairedMetric, **spec) -> Contrast:
    made = pair.estimate
    assert made is not None
    return effective_t_contrast(made, IntervalSpec(**spec), n=pair.agreement.n, higher_is_better=True)


@pytest.mark.parametrize("metric", LABELS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_swapping_the_models_turns_signs_and_sides(metric, alternative):
    y, a, b = sample()
    other = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    one = answered(compared(metric, y, a, b), alternative=alternative)
    two = answered(compared(metric, y, b, a), alternative=other)
    assert (one.estimate, one.low, one.high) == pytest.approx((-two.estimate, -two.high, -two.low))
    assert one.p_value == pytest.approx(two.p_value)
    assert one.p_better == pytest.approx(1 - two.p_better)


@pytest.mark.parametrize("metric", LABELS)
def test_the_p_value_is_the_level_at_which_a_limit_reaches_zero(metric):
    made = answered(compared(metric, *sample()))
    at = answered(compared(metric, *sample()), confidence=1 - made.p_value)
    assert min(abs(at.low), abs(at.high)) < 1e-6


def test_a_share_of_rows_has_the_variance_of_its_differences():
    y, a, b = sample()
    d = (a == y) * 1.0 - (b == y)
    made = compared("accuracy", y, a, b).estimate
    assert float(made.value) == pytest.approx(d.mean())
    assert float(made.spread.error) == pytest.approx(d.std(ddof=1) / math.sqrt(len(d)), rel=1e-10)


def test_balanced_accuracy_has_the_variance_of_its_influences_written_out():
    y, a, b = sample()
    parts = [((calls == y) - np.where(y == 1, *((calls == y)[y == k].mean() for k in (1, 0)))) / np.bincount(y)[y] / 2
             for calls in (a, b)]  # fmt: skip
    d, n = parts[0] - parts[1], len(y)
    made = compared("balanced_accuracy", y, a, b).estimate
    assert float(made.spread.error) ** 2 == pytest.approx(n / (n - 1) * (d**2).sum(), rel=1e-10)
    # At a class mix that is asked for, each class is a sample of its own.
    two = paired_metric(Agreement.count(y, a, b, labels=[0, 1]), "accuracy", 1, {}, 0.5).estimate
    of_class = [(k := y == c).sum() / (k.sum() - 1) * (d[k] ** 2).sum() for c in (0, 1)]
    assert float(two.spread.error) ** 2 == pytest.approx(sum(of_class), rel=1e-10)


@pytest.mark.parametrize("metric", LABELS)
def test_identical_models(metric):
    y, a, _ = sample()
    made = answered(compared(metric, y, a, a))
    assert (made.estimate, made.p_value, made.p_better) == (0.0, 1.0, 0.5)
    assert made.low < 0 < made.high


@pytest.mark.parametrize("metric", LABELS)
def test_perfect_against_perfect_and_against_useless(metric):
    y, _, _ = sample()
    same = answered(compared(metric, y, y, y))
    assert same.p_value == 1.0
    assert -1 <= same.low < 0 < same.high <= 1
    far = answered(compared(metric, y, y, np.random.default_rng(1).permutation(y)))
    assert 0 < far.p_value < 1e-6
    assert 0 < far.low < far.high


def test_type_one_error_stays_near_its_level():
    # The BCa bootstrap rejects .13 here (Matthews correlation, 200 rows, a tenth of them positive).
    rng = np.random.default_rng(2)
    rejected = 0
    for _ in range(300):
        y = (rng.random(200) < 0.1).astype(int)
        right, other, same = rng.random(200) < 0.9, rng.random(200) < 0.9, rng.random(200) < 0.8
        a, b = np.where(right, y, 1 - y), np.where(np.where(same, right, other), y, 1 - y)
        rejected += answered(compared("mcc", y, a, b)).p_value <= 0.05
    assert rejected <= 0.05 * 300 + 3 * (300 * 0.05 * 0.95) ** 0.5


def rare(first: list[int], second: list[int], n: int = 400) -> PairedMetric:
    """One positive, missed by both; where each model raises a false alarm."""
    y, a, b = np.zeros(n, int), np.zeros(n, int), np.zeros(n, int)
    y[0] = a[first] = b[second] = 1
    return paired_metric(Agreement.count(y, a, b, labels=[0, 1], positive=1), "kappa", None, {})


def test_a_correlation_of_few_rows_does_not_make_a_difference_certain():
    made = answered(rare(list(range(1, 19)), [*range(1, 11), *range(100, 110)]))
    assert made.low < 0 < made.high
    assert made.p_value > 0.5


@settings(max_examples=40)
@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.sampled_from(["kappa", "mcc", "balanced_accuracy"])
)
def test_rare_positives(both, one, other, metric):
    cells = rare(list(range(1, 1 + both + one)), [*range(1, 1 + both), *range(200, 200 + other)])
    pair = paired_metric(cells.agreement, metric, None, {})
    assume(np.isfinite(pair.estimate.units).all())
    made = [answered(pair, confidence=c) for c in (0.5, 0.9, 0.95, 0.99)]
    for narrow, wide in pairwise(made):
        assert wide.low <= narrow.low
        assert wide.high >= narrow.high
    for found in made:
        alpha = 1 - found.confidence
        if abs(found.p_value - alpha) > 1e-6:
            assert (found.p_value > alpha) == (found.low <= 0 <= found.high)


def test_models_that_differ_on_four_rows_all_one_way_are_not_certain():
    y = np.repeat([0, 1], 200)
    a, b = y.copy(), y.copy()
    b[[0, 1, 200, 201]] = 1 - b[[0, 1, 200, 201]]
    made = answered(compared("macro_f1", y, a, b))
    t = made.statistic
    # As four of 400 rows: t(df) with the kurtosis of four, not of 400, differences.
    assert made.df < 10
    assert made.p_value == pytest.approx(2 * special.stdtr(made.df, -abs(t)))


def test_type_one_error_with_two_percent_positives():
    rng = np.random.default_rng(3)
    wrong, asked = 0, 150
    for _ in range(asked):
        y = (rng.random(200) < 0.02).astype(int)
        a, b = (np.where(rng.random(200) < np.where(y == 1, 0.7, 0.95), y, 1 - y) for _ in range(2))
        pair = paired_metric(Agreement.count(y, a, b, labels=[0, 1]), "balanced_accuracy", None, {})
        if not math.isnan(pair.estimate.value):
            wrong += answered(pair).p_value < 0.05
    assert wrong <= 0.05 * asked + 3 * (asked * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize("metric", [*LABELS, "accuracy"])
def test_clusters_of_one_row_are_rows(metric):
    y, a, b = sample(600, right=(0.8, 0.78))
    rows = answered(compared(metric, y, a, b))
    alone = te.compare(y, {"a": a, "b": b}, metric=metric, clusters=np.arange(600), positive=1)["a", "b"]
    assert (alone.estimate, alone.low, alone.high) == pytest.approx((rows.estimate, rows.low, rows.high), abs=2e-4)


@pytest.mark.parametrize("metric", ["f1", "mcc", "macro_f1"])
def test_what_is_left_without_each_cluster_is_counted_again(metric):
    y, a, b = sample(60)
    groups = np.arange(60) % 7
    p = te.predictions(y, {"a": a, "b": b}, clusters=groups, positive=1)
    keyed = p.keyed_agreement("a", "b", "clusters")
    asked = find_measure(metric), 1 if metric == "f1" else None, {}
    made = PairedMetric.of(keyed.table, *asked, None, keyed).estimate
    again = []
    for g in range(7):
        kept = groups != g
        rest = te.compare(y[kept], {"a": a[kept], "b": b[kept]}, metric=metric, positive=1)
        again.append(rest["a", "b"].estimate)
    assert made.value - made.units * 7 / 6 == pytest.approx(again, abs=1e-12)


def test_a_cluster_that_holds_all_of_a_class_leaves_no_limits_and_says_why():
    y = np.repeat([1, 0], [10, 50])
    a, b = y.copy(), y.copy()
    a[[0, 20]], b[[1, 2, 30]] = 1 - a[[0, 20]], 1 - b[[1, 2, 30]]
    made = te.compare(y, {"a": a, "b": b}, metric="recall", clusters=np.arange(60) // 10, positive=1)["a", "b"]
    assert math.isnan(made.low)
    assert math.isnan(made.p_value)
    assert "undefined" in made.note
