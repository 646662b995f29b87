"""Difference of two proportions from different rows."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference.proportion._distributions import constrained_share, miettinen_nurminen_limits, pmf
from trueerror.inference.proportion._two_samples import DIFFERENCES, Share, newcombe_limits
from trueerror.inputs._options import InputError

FIGURES = [
    ("newcombe", (56, 70), (48, 80), 0.0524, 0.3339),
    ("miettinen-nurminen", (56, 70), (48, 80), 0.0528, 0.3382),
    ("newcombe", (9, 10), (3, 10), 0.1705, 0.8090),
    ("newcombe", (5, 56), (0, 29), -0.0381, 0.1926),
    ("miettinen-nurminen", (5, 56), (0, 29), -0.0326, 0.1933),
    ("newcombe", (10, 10), (0, 10), 0.6075, 1.0),
]


@pytest.mark.parametrize(("method", "first", "second", "low", "high"), FIGURES)
def test_published_figures(method, first, second, low, high):
    made = te.difference(first, second, method=method)
    assert (made.low, made.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("method", DIFFERENCES)
def test_every_method_is_in_the_catalogue_and_explains_itself(method):
    made = te.difference((20, 100), (30, 100), method=method)
    assert made.method in str(made)
    assert "Source:" in made.explain()
    assert "Formula:" in made.explain()
    assert te.load(made.to_json()) == made


@pytest.mark.parametrize("method", DIFFERENCES)
@pytest.mark.parametrize("counts", [((0, 10), (0, 20)), ((10, 10), (20, 20)), ((10, 10), (0, 20)), ((0, 1), (1, 1))])
def test_at_the_ends_of_the_range_limits_are_inside_and_have_width(method, counts):
    made = te.difference(*counts, method=method)
    assert -1 <= made.low < made.high <= 1
    assert made.low <= made.estimate <= made.high
    assert 0 < made.p_value <= 1
    if made.estimate == 0:
        assert made.p_value == 1


@pytest.mark.parametrize("method", DIFFERENCES)
def test_a_low_confidence_interval_still_holds_its_estimate(method):
    # Shrinkage (Agresti–Caffo) would leave 1 outside at 50 %.
    made = te.difference((1000, 1000), (0, 1000), method=method, confidence=0.5)
    assert made.low < made.high
    assert made.estimate in made


@pytest.mark.parametrize("method", ["miettinen-nurminen", "newcombe", "wald"])
def test_p_value_and_interval_belong_together(method):
    for first, second in (((56, 70), (48, 80)), ((5, 56), (0, 29)), ((20, 100), (30, 100)), ((3, 9), (8, 11))):
        p = te.difference(first, second, method=method).p_value
        for factor, excluded in ((1.001, True), (0.999, False)):
            made = te.difference(first, second, method=method, confidence=1 - p * factor)
            assert (made.low > 0 or made.high < 0) == excluded
            assert "borderline" not in made.note


def test_one_sided_limits_have_the_whole_confidence():
    two, one = (te.difference((56, 70), (48, 80), confidence=c, alternative=a) for c, a in
                ((0.90, "two-sided"), (0.95, "greater")))  # fmt: skip
    assert (one.low, one.high, one.side) == (pytest.approx(two.low), 1.0, "lower")
    assert one.p_value == pytest.approx(two.p_value / 2)
    less = te.difference((56, 70), (48, 80), alternative="less")
    assert (less.low, less.side) == (-1.0, "upper")
    assert less.p_value == pytest.approx(1 - one.p_value)


def test_one_sided_at_one_half_and_below():
    # A lower limit at 50 % is an upper limit at 50 %, but for a continuity correction, which always widens.
    for method in set(DIFFERENCES) - {"newcombe-cc"}:
        made = te.difference((56, 70), (48, 80), method=method, confidence=0.5, alternative="greater")
        mirror = te.difference((56, 70), (48, 80), method=method, confidence=0.5, alternative="less")
        assert made.low == pytest.approx(mirror.high, rel=1e-9)
        with pytest.raises(InputError, match="below one half"):
            te.difference((56, 70), (48, 80), method=method, confidence=0.3, alternative="greater")


def test_a_rate_may_stand_for_a_count():
    assert te.difference((0.2, 100), (0.3, 100), method="miettinen-nurminen") == te.difference((20, 100), (30, 100))
    with pytest.raises(InputError, match=r"4\.5 successes.*wald"):
        te.difference((0.15, 30), (0.25, 5000), method="miettinen-nurminen")
    assert te.difference((0.15, 30), (0.25, 5000), method="newcombe").estimate == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ((5, 4), "more successes than rows"),
        ((float("nan"), 4), "whole number"),
        ((2.5, 4), "whole number"),
        ((-1, 4), "whole number"),
        (7, "pair"),
        (("a", 4), "not a number"),
    ],
)
def test_wrong_counts_are_refused(first, message):
    with pytest.raises(InputError, match=message):
        te.difference(first, (1, 2))


def test_wrong_words_are_refused():
    with pytest.raises(InputError, match="newcombe"):
        te.difference((1, 2), (1, 2), method="newcomb")
    with pytest.raises(InputError, match="alternative"):
        te.difference((1, 2), (1, 2), alternative="bigger")
    with pytest.raises(InputError, match=r"did you mean 0\.95"):
        te.difference((1, 2), (1, 2), confidence=95)


def test_no_rows_is_no_knowledge():
    made = te.difference((0, 0), (1, 2))
    assert math.isnan(made.estimate)
    assert (made.low, made.high, made.p_value) == (-1, 1, 1)
    assert "no rows" in made.note


def test_a_billion_rows():
    made = te.difference((912_340_000, 10**9), (912_300_000, 10**9))
    assert made.low < 4e-5 < made.high
    assert made.high - made.low == pytest.approx(2 * 1.959964 * math.sqrt(2 * 0.9123 * 0.0877 / 1e9), rel=1e-3)
    assert 0 < made.p_value < 0.01
    far = te.difference((10**9, 10**9), (0, 10**9))
    assert 0 < far.p_value < 1e-300


def test_constrained_share_maximises_the_likelihood():
    rng = np.random.default_rng(3)
    for _ in range(200):
        n1, n2 = rng.integers(1, 40, 2)
        x1, x2 = rng.integers(0, n1 + 1), rng.integers(0, n2 + 1)
        delta = rng.uniform(0, 0.99)
        best = constrained_share(int(x1), int(n1), int(x2), int(n2), delta)
        grid = np.clip(np.concatenate([np.linspace(0, 1 - delta, 2001), [best]]), 0, 1 - delta)
        with np.errstate(divide="ignore", invalid="ignore"):
            p1 = np.clip(grid + delta, 0, 1)
            parts = [(x1, p1), (n1 - x1, 1 - p1), (x2, grid), (n2 - x2, 1 - grid)]
            logs = sum(np.where(k > 0, k * np.log(np.where(k > 0, p, 1)), 0.0) for k, p in parts)
        assert logs[-1] >= logs.max() - 1e-9


def coverage(limits, n, p1, p2):
    """Exact coverage of a method at one pair of true shares."""
    chance1, chance2 = pmf(np.arange(n + 1), n, p1), pmf(np.arange(n + 1), n, p2)
    total = 0.0
    for x1 in range(n + 1):
        for x2 in range(n + 1):
            weight = chance1[x1] * chance2[x2]
            if weight > 1e-7:
                low, high = limits(x1, x2)
                total += weight * (low <= p1 - p2 <= high)
    return total


def test_coverage_by_enumeration():
    z = 1.959963984540054
    for p1, p2 in ((0.9, 0.8), (0.97, 0.93), (0.6, 0.5)):
        score = coverage(lambda a, b: miettinen_nurminen_limits(a, 30, b, 30, z), 30, p1, p2)
        hybrid = coverage(lambda a, b: newcombe_limits(Share(a, 30), Share(b, 30), z), 30, p1, p2)
        assert score > 0.93
        assert hybrid > 0.90


def test_probability_less():
    assert te.probability_less((20, 100), (30, 100)) == pytest.approx(0.9499, abs=5e-5)
    assert te.probability_less((20, 100), (30, 100), method="beta") == pytest.approx(0.9490, abs=5e-5)
    assert te.probability_less((0, 10), (0, 20)) == 0.5
    assert 0.999 < te.probability_less((0, 10), (10, 10)) < 1
    assert te.probability_less((0, 0), (0, 0)) == pytest.approx(0.5)


def test_probability_less_beta_against_simulation_and_symmetry():
    rng = np.random.default_rng(0)
    for (x1, n1), (x2, n2) in (((3, 10), (4, 9)), ((0, 5), (1, 400)), ((1, 3), (40_000, 100_000))):
        ours = te.probability_less((x1, n1), (x2, n2), method="beta")
        one = rng.beta(x1 + 0.5, n1 - x1 + 0.5, 400_000)
        two = rng.beta(x2 + 0.5, n2 - x2 + 0.5, 400_000)
        assert ours == pytest.approx((one < two).mean(), abs=4e-3)
        assert ours + te.probability_less((x2, n2), (x1, n1), method="beta") == pytest.approx(1, abs=1e-12)


def test_one_point_zero_is_never_one_success():
    for call in (
        lambda: te.interval(1.0, 100),
        lambda: te.interval(np.float32(1), 100),
        lambda: te.difference((1.0, 100), (90, 100)),
        lambda: te.probability_less((90, 100), (1.0, 100)),
    ):
        with pytest.raises(ValueError, match="write 1 for one success, 100 for all"):
            call()
    # Beside a rate it is a rate; whole numbers stay counts.
    assert te.difference((1.0, 100), (0.9, 100)).estimate == pytest.approx(0.1)
    assert te.interval(1, 100).estimate == 0.01
    assert te.interval(1.0, 1).estimate == 1
    assert te.interval(2.0, 100).estimate == 0.02
    assert te.interval(0.0, 100).estimate == 0


def test_a_rate_that_is_no_count_takes_newcombe_unless_told_otherwise():
    found = te.difference((0.15, 30), (0.25, 5000))
    assert found == te.difference((0.15, 30), (0.25, 5000), method="newcombe")
    assert te.difference((0.2, 100), (0.3, 100)).method == "miettinen-nurminen"
    with pytest.raises(ValueError, match="not a whole count"):
        te.difference((0.15, 30), (0.25, 5000), method="miettinen-nurminen")


def test_the_difference_of_two_intervals_is_that_of_their_counts():
    a, b = te.interval(20, 100), te.interval(30, 100, method="mid-p")
    assert te.difference(a, b) == te.difference((20, 100), (30, 100))
    assert te.difference(a, b, method="wald") == te.difference((20, 100), (30, 100), method="wald")
    level = te.interval(20, 100, confidence=0.9)
    assert te.difference(level, te.interval(30, 100, confidence=0.9)).confidence == 0.9


def test_the_difference_of_other_intervals_combines_their_limits():
    tables = te.Confusion([[50, 5], [10, 35]]), te.Confusion([[45, 9], [16, 30]])
    a, b = (te.evaluate(t)["f1"] for t in tables)
    c = te.difference(a, b)
    # Zou and Donner 2008: d − √((θ1 − l1)² + (u2 − θ2)²), and its mirror image.
    d = a.estimate - b.estimate
    assert c.low == pytest.approx(d - np.hypot(a.estimate - a.low, b.high - b.estimate))
    assert c.high == pytest.approx(d + np.hypot(a.high - a.estimate, b.estimate - b.low))
    assert (c.p_value <= 0.05) == (c.low > 0 or c.high < 0)
    one_sided = te.difference(a, b, alternative="greater")
    assert one_sided.p_value == pytest.approx(c.p_value / 2)
    evaluations = [te.evaluate(t) for t in tables]
    assert te.difference(*evaluations, metric="f1") == c
    assert te.difference(*evaluations) == te.difference((85, 100), (75, 100))


@pytest.mark.parametrize(
    ("first", "second", "options", "words"),
    [
        (te.interval(2, 9), (3, 9), {}, "like the other"),
        (te.interval(2, 9), te.mean_interval([1.0, 2.0, 4.0]), {}, "proportion and second"),
        (te.mean_interval([1.0, 2.0, 4.0]), te.mean_interval([1.0, 2.0]), {"method": "wald"}, "method= is for"),
        (te.mean_interval([1.0, 2.0, 4.0]), te.mean_interval([1.0, 2.0]), {"confidence": 0.9}, "own confidence"),
        ((2, 9), (3, 9), {"metric": "f1"}, "counts need none"),
        (te.interval(2, 9), te.interval(3, 9), {"metric": "f1"}, "of one already"),
        (te.difference((2, 9), (3, 9)), te.interval(3, 9), {}, "difference already"),
    ],
)
def test_what_has_no_difference_is_refused(first, second, options, words):
    with pytest.raises(ValueError, match=words):
        te.difference(first, second, **options)
