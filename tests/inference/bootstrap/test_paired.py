"""Permutation tests and the paired bootstrap: enumeration, ties, degenerate rows, mistakes others make."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.bootstrap._paired import paired_bootstrap
from trueerror.inference.bootstrap._permutation import permutation
from trueerror.inputs._options import InputError
from trueerror.methods import method
from trueerror.tallies._agreement import Agreement

RNG = np.random.default_rng(6)


def flips(d) -> dict[str, float]:
    """By brute force, in whole numbers."""
    total = sum(d)
    sums = [sum(s * x for s, x in zip(signs, d, strict=True)) for signs in product((1, -1), repeat=len(d))]
    return {
        "greater": np.mean([s >= total for s in sums]),
        "less": np.mean([s <= total for s in sums]),
        "two-sided": np.mean([abs(s) >= abs(total) for s in sums]),
    }


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_sign_flips_by_enumeration(seed, side) -> None:
    d = np.random.default_rng(seed).integers(-4, 7, size=10)
    # Hundredths are not binary fractions: ties survive rounding only with a tolerance.
    c = permutation(0.5 + d / 100, np.full(10, 0.5), alternative=side)
    assert c.p_value == flips(d.tolist())[side]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_meeting_halves_gives_the_same_as_enumeration(seed, side) -> None:
    d = np.random.default_rng(seed).integers(-4, 7, size=12)
    d[d == 0] = 1
    padded = np.concatenate((d, np.zeros(20, dtype=int)))
    c = permutation(padded / 10, np.zeros(32), alternative=side)
    assert c.p_value == pytest.approx(flips(d.tolist())[side], abs=1e-15)
    assert c.note.startswith("limits from 9,999 random")


@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_differences_of_one_size_are_a_sign_test(side) -> None:
    d = np.repeat([0.3, -0.3, 0.0], [40, 25, 500])
    expected = stats.binomtest(40, 65, alternative=side).pvalue
    assert permutation(d, np.zeros(565), alternative=side).p_value == pytest.approx(expected, rel=1e-12)


def test_random_flips_approach_the_exact_p_value() -> None:
    d = RNG.normal(size=18) + 0.4
    exact = permutation(d, np.zeros(18)).p_value
    drawn = permutation(d, np.zeros(18), method="monte-carlo", replicates=40_000)
    assert drawn.p_value == pytest.approx(exact, abs=5 * math.sqrt(exact / 40_000))
    assert drawn.note == "40,000 random rearrangements, seed 0"


def test_random_p_is_never_zero() -> None:
    d = np.full(60, 1.0) + RNG.random(60) / 10
    c = permutation(d, np.zeros(60), method="monte-carlo", replicates=999)
    assert c.p_value == 1 / 1000
    apart = permutation(RNG.random(50) + 9, RNG.random(50), paired=False, replicates=999)
    assert apart.p_value == 1 / 1000


def shifts_not_rejected(d, tail) -> tuple[float, float]:
    """The ends of the set of shifts that neither one-sided test rejects, by looking at every shift of a grid."""
    grid = np.arange(-3, 3, 0.005)
    kept = []
    for shift in grid:
        p = [permutation(d, np.full(len(d), shift), alternative=side).p_value for side in ("greater", "less")]
        if min(p) > tail:
            kept.append(shift)
    return kept[0], kept[-1]


def test_limits_invert_the_test() -> None:
    d = RNG.normal(size=9) + 0.5
    c = permutation(d, np.zeros(9))
    low, high = shifts_not_rejected(d, 0.025)
    assert c.low == pytest.approx(low, abs=0.006)
    assert c.high == pytest.approx(high, abs=0.006)
    one_sided = permutation(d, np.zeros(9), alternative="greater")
    assert one_sided.low > c.low
    assert (one_sided.high, one_sided.side) == (math.inf, "lower")


def test_random_limits_approach_the_exact_ones() -> None:
    d = RNG.normal(size=18)
    exact, drawn = (permutation(d, np.zeros(18), method=m, replicates=40_000) for m in ("exact", "monte-carlo"))
    assert drawn.low == pytest.approx(exact.low, abs=0.03)
    assert drawn.high == pytest.approx(exact.high, abs=0.03)
    # Where differences take few values the subsets are drawn by value; both ways agree with a t interval.
    many = np.concatenate((np.repeat([-1.0, 0.0, 1.0], [300, 500, 400]), [0.5]))
    by_value = permutation(many, np.zeros(1201))
    t = stats.ttest_1samp(many, 0).confidence_interval()
    assert (by_value.low, by_value.high) == (pytest.approx(t.low, abs=0.005), pytest.approx(t.high, abs=0.005))


@pytest.mark.parametrize(("a", "b"), [(5, 6), (3, 9), (1, 7), (6, 2)])
@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_unpaired_by_enumeration(a, b, side) -> None:
    x = np.random.default_rng(a).integers(0, 9, size=a + b)
    unit = [int(b * x[list(c)].sum() - a * (x.sum() - x[list(c)].sum())) for c in combinations(range(a + b), a)]
    observed = unit[0]
    counts = {"greater": [u >= observed for u in unit], "less": [u <= observed for u in unit]}
    counts["two-sided"] = [abs(u) >= abs(observed) for u in unit]
    c = permutation(x[:a] / 10, x[a:] / 10, paired=False, alternative=side)
    assert c.p_value == pytest.approx(np.mean(counts[side]), abs=1e-15)


def test_unpaired_limits_invert_the_test() -> None:
    a, b = RNG.normal(size=6) + 1, RNG.normal(size=7)
    c = permutation(a, b, paired=False)
    for limit, side, inside in ((c.low, "greater", 1e-6), (c.high, "less", -1e-6)):
        assert permutation(a - limit - inside, b, paired=False, alternative=side).p_value > 0.025
        assert permutation(a - limit + inside, b, paired=False, alternative=side).p_value <= 0.025


def test_unpaired_random_splits_approach_the_exact_p_value() -> None:
    a, b = RNG.normal(size=8) + 0.7, RNG.normal(size=9)
    exact = permutation(a, b, paired=False)
    drawn = permutation(a, b, paired=False, method="monte-carlo", replicates=40_000)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.006)
    assert drawn.low == pytest.approx(exact.low, abs=0.05)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("side", ["greater", "less", "two-sided"])
def test_identical_scores_have_p_of_one(paired, side) -> None:
    c = permutation([0.5] * 8, [0.5] * 8, paired=paired, alternative=side)
    assert (c.estimate, c.p_value) == (0, 1)
    assert c.width == math.inf
    assert "do not vary" in c.note


def test_few_differences_have_no_limits() -> None:
    c = permutation([0.3, 0.4, 0.6], [0.1, 0.3, 0.2])
    assert c.p_value == 0.25
    assert (c.low, c.high) == (-math.inf, math.inf)
    assert "8 arrangements are too few" in c.note
    assert permutation([1.0], [0.0]).p_value == 1


@pytest.mark.parametrize("n", [15, 70])
@pytest.mark.parametrize("paired", [True, False])
def test_swapping_flips_signs_and_sides(n, paired) -> None:
    a, b = np.round(RNG.random(n), 2), np.round(RNG.random(n), 2)
    for side, other_side in (("greater", "less"), ("two-sided", "two-sided")):
        one = permutation(a, b, paired=paired, alternative=side, replicates=999)
        other = permutation(b, a, paired=paired, alternative=other_side, replicates=999)
        assert one.estimate == pytest.approx(-other.estimate)
        assert one.p_value == other.p_value
        assert one.low == pytest.approx(-other.high)
    few = np.repeat([-1.0, 0.5, 2.0], [50, 60, 40])
    one, other = permutation(few, np.zeros(150)), permutation(np.zeros(150), few)
    assert (one.p_value, one.low, one.high) == (other.p_value, -other.high, -other.low)


def test_same_seed_same_answer() -> None:
    a, b = RNG.random(80), RNG.random(80)
    assert permutation(a, b, rng=3) == permutation(a, b, rng=3)
    assert permutation(a, b, rng=3).p_value != permutation(a, b, rng=4).p_value


def test_wrong_input() -> None:
    with pytest.raises(InputError, match="no rows"):
        permutation([], [])
    with pytest.raises(InputError, match="second has no rows"):
        permutation([1.0], [], paired=False)
    with pytest.raises(InputError, match="first has nan at row 2"):
        permutation([1, float("nan")], [1, 2])
    with pytest.raises(InputError, match="from 99 to"):
        permutation([1, 2], [2, 1], replicates=10)
    with pytest.raises(InputError, match="too many to enumerate"):
        permutation(RNG.random(50), RNG.random(50), method="exact")
    with pytest.raises(InputError, match="too many to enumerate"):
        permutation(RNG.random(50), RNG.random(50), paired=False, method="exact")


# The paired bootstrap.

TRUTH = RNG.integers(0, 3, 400)
FIRST = np.where(RNG.random(400) < 0.85, TRUTH, RNG.integers(0, 3, 400))
SECOND = np.where(RNG.random(400) < 0.68, TRUTH, RNG.integers(0, 3, 400))


def test_rows_and_table_give_the_same() -> None:
    table = Agreement.count(TRUTH, FIRST, SECOND)
    assert paired_bootstrap(TRUTH, FIRST, SECOND) == paired_bootstrap(table)


def test_replicates_have_the_spread_of_resampled_rows() -> None:
    c = paired_bootstrap(TRUTH, FIRST, SECOND, method="percentile")
    right = (FIRST == TRUTH).astype(float) - (SECOND == TRUTH)
    rows = [right[RNG.integers(0, 400, 400)].mean() for _ in range(4000)]
    assert c.low == pytest.approx(np.quantile(rows, 0.025), abs=0.006)
    assert c.high == pytest.approx(np.quantile(rows, 0.975), abs=0.006)
    assert c.estimate == pytest.approx(right.mean())


def test_rows_are_not_drawn_class_by_class() -> None:
    # With the class totals fixed this difference would be the same in every replicate: one model calls everything
    # positive, the other nothing, and their precision and accuracy are prevalences.
    truth = [1] * 30 + [0] * 70
    c = paired_bootstrap(truth, [1] * 100, [0] * 100)
    assert c.estimate == pytest.approx(-0.4)
    spread = 2 * math.sqrt(0.3 * 0.7 / 100)
    assert c.width == pytest.approx(2 * 1.96 * spread, rel=0.1)


@pytest.mark.parametrize("how", ["bca", "percentile", "basic", "normal"])
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "mcc", "kappa", "balanced_accuracy", "expected_cost"])
def test_every_metric_and_method(how, metric) -> None:
    c = paired_bootstrap(TRUTH, FIRST, SECOND, metric=metric, method=how, replicates=1999)
    sign = -1 if metric == "expected_cost" else 1
    assert sign * c.estimate > 0
    assert c.low < c.estimate < c.high
    assert 1 / 2000 <= c.p_value < 0.05
    assert (c.low > 0 or c.high < 0) == (c.p_value < 0.05)
    assert c.p_better > 0.95
    assert method(c.method).formula


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "mcc", "kappa", "balanced_accuracy", "cost"])
@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_identical_models(metric, side) -> None:
    c = paired_bootstrap(TRUTH, FIRST, FIRST, metric=metric, alternative=side)
    assert (c.estimate, c.p_value, c.p_better) == (0, 1, 0.5)
    assert c.low <= 0 <= c.high
    assert c.high > 0 or side == "less"
    assert c.low < 0 or side == "greater"
    # A total lies as far apart as its mean, times the rows.
    assert c.width < 0.2 * (400 if metric == "cost" else 1) or side != "two-sided"


def test_models_that_never_differ_get_tango_limits() -> None:
    c = paired_bootstrap(TRUTH, FIRST, FIRST)
    t2 = stats.t.ppf(0.975, 399) ** 2
    assert (c.low, c.high) == (pytest.approx(-t2 / (400 + t2)), pytest.approx(t2 / (400 + t2)))


def test_all_right_against_all_wrong() -> None:
    truth = np.array([0, 1] * 20)
    c = paired_bootstrap(truth, truth, 1 - truth)
    t2 = stats.t.ppf(0.975, 39) ** 2
    assert (c.estimate, c.high) == (1, 1)
    assert 0 < (40 - t2) / (40 + t2) <= c.low
    assert 0 < c.p_value < 1e-6


def test_limits_stay_in_the_range_of_the_metric() -> None:
    truth = np.array([0, 1] * 6)
    wrong = truth.copy()
    wrong[:11] = 1 - wrong[:11]
    for how in ("bca", "percentile", "basic", "normal"):
        c = paired_bootstrap(truth, truth, wrong, method=how, replicates=999)
        assert -1 <= c.low < c.high <= 1


def test_replicates_that_lose_a_class_are_counted() -> None:
    truth = np.array([1, 1] + [0] * 60)
    first = truth.copy()
    second = truth.copy()
    second[[0, 10]] = 1 - second[[0, 10]]
    c = paired_bootstrap(truth, first, second, metric="recall")
    assert "of the 10,000 replicates leave the metric undefined" in c.note
    # P(no positive among 62 draws) = (60/62)^62 = 13 %.
    assert c.note.startswith("13") or c.note.startswith("12")
    # Half the positives found by one and not the other.
    assert -1 < c.low < 0 < 0.5 < c.high < 1


def test_undefined_metric_says_why() -> None:
    c = paired_bootstrap([0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1], metric="precision")
    assert math.isnan(c.estimate)
    assert math.isnan(c.p_value)
    assert c.note == "first: no row was predicted positive"


@pytest.mark.parametrize("how", ["bca", "percentile", "basic", "normal"])
def test_swapping_the_models_draws_the_same_rows(how) -> None:
    for side, other_side in (("greater", "less"), ("two-sided", "two-sided")):
        one = paired_bootstrap(TRUTH, FIRST, SECOND, metric="macro_f1", alternative=side, method=how)
        other = paired_bootstrap(TRUTH, SECOND, FIRST, metric="macro_f1", alternative=other_side, method=how)
        assert one.estimate == -other.estimate
        assert one.low == pytest.approx(-other.high, abs=1e-12)
        assert one.p_value == pytest.approx(other.p_value, abs=1e-12)
        assert one.p_better == pytest.approx(1 - other.p_better, abs=1e-12)


def test_positive_class_and_options() -> None:
    words = np.array(["a", "b", "c"])
    c = paired_bootstrap(
        words[TRUTH], words[FIRST], words[SECOND], metric="f_beta", positive="b", beta=2, replicates=999
    )
    plain = paired_bootstrap(TRUTH, FIRST, SECOND, metric="f_beta", positive=1, beta=2, replicates=999)
    assert c == plain
    assert c != paired_bootstrap(TRUTH, FIRST, SECOND, metric="f1", positive=1, replicates=999)
    with pytest.raises(InputError, match="positive= one of"):
        paired_bootstrap(TRUTH, FIRST, SECOND, metric="recall")
    with pytest.raises(InputError, match="no option beta="):
        paired_bootstrap(TRUTH, FIRST, SECOND, metric="macro_f1", beta=2)
    with pytest.raises(InputError, match="delong"):
        paired_bootstrap(TRUTH, FIRST, SECOND, metric="auc")


def test_accuracy_of_one_class_against_the_rest() -> None:
    c = paired_bootstrap(TRUTH, FIRST, SECOND, positive=2, replicates=999)
    alone = paired_bootstrap(TRUTH == 2, FIRST == 2, SECOND == 2, replicates=999)
    assert c.estimate == alone.estimate
    assert (c.low, c.high) == pytest.approx((alone.low, alone.high), abs=0.01)
    assert c.estimate != paired_bootstrap(TRUTH, FIRST, SECOND, replicates=999).estimate


def test_a_function_of_the_cells_is_a_metric_too() -> None:
    def share_right(table, masses):
        return masses[..., table.row == table.col].sum(axis=-1) / masses.sum(axis=-1)

    own = paired_bootstrap(TRUTH, FIRST, SECOND, metric=share_right)
    named = paired_bootstrap(TRUTH, FIRST, SECOND, metric="accuracy")
    assert (own.name, own.estimate) == ("share right", named.estimate)
    assert (own.low, own.high) == (pytest.approx(named.low), pytest.approx(named.high))
    assert own.p_value == pytest.approx(named.p_value)


def test_r_conventions_are_options() -> None:
    strict = paired_bootstrap(TRUTH[:60], FIRST[:60], SECOND[:60], ties="strict", quantile="r-boot")
    half = paired_bootstrap(TRUTH[:60], FIRST[:60], SECOND[:60])
    assert strict.estimate == half.estimate
    assert (strict.low, strict.high) != (half.low, half.high)


def test_a_billion_rows() -> None:
    small = Agreement.count(TRUTH, FIRST, SECOND)
    large = Agreement(small.labels, small.positive, small.truth, small.first, small.second, small.counts * 2_500_000)
    c = paired_bootstrap(large, metric="macro_f1", replicates=999)
    assert c.n == 10**9
    assert 0 < c.width < 1e-3


def test_seed_is_recorded_and_decides() -> None:
    a, b = (paired_bootstrap(TRUTH, FIRST, SECOND, replicates=999, rng=r) for r in (7, 7))
    assert a == b
    assert "seed 7" in a.note
    assert a.low != paired_bootstrap(TRUTH, FIRST, SECOND, metric="mcc", replicates=999, rng=8).low


def test_no_rows() -> None:
    with pytest.raises(InputError, match="no rows"):
        paired_bootstrap([], [], [])


def test_the_smallest_p_that_replicates_can_show_is_a_bound() -> None:
    truth = [0, 1] * 200
    good, poor = [0, 1] * 190 + [1, 0] * 10, [0, 1] * 120 + [1, 0] * 80
    sure = paired_bootstrap(truth, good, poor, metric="macro_f1", replicates=499)
    assert sure.p_at_most is True
    assert "p ≤ " in str(sure)
    assert paired_bootstrap(truth, good, poor, metric="macro_f1", replicates=499, alternative="less").p_at_most is None
    assert paired_bootstrap(truth, good, poor, metric="macro_f1", replicates=499, method="normal").p_at_most is None
    near = [0, 1] * 189 + [1, 0] * 11
    assert paired_bootstrap(truth, good, near, metric="macro_f1", replicates=499, method="percentile").p_at_most is None
