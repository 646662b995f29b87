"""Paired and unpaired comparisons of areas: degenerate cases, sides, mistakes others make."""

from __future__ import annotations

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference.auc._interval import centred_placements, estimate_of_areas
from trueerror.inference.auc._tests import delong, delong_unpaired
from trueerror.inputs._options import InputError
from trueerror.methods import method

RNG = np.random.default_rng(11)
TRUTH = RNG.random(120) < 0.4
FIRST = RNG.normal(size=120) + TRUTH
SECOND = RNG.normal(size=120) + 0.5 * TRUTH


@pytest.mark.parametrize("reference", ["t", "z"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_identical_models(reference, alternative) -> None:
    c = delong(TRUTH, FIRST, FIRST, reference=reference, alternative=alternative)
    assert (c.estimate, c.statistic, c.p_value, c.p_better) == (0, 0, 1, 0.5)
    assert c.low < -0.01 or c.side == "lower"
    assert c.low <= 0 <= c.high
    assert c.width > 0.01


def test_no_variance_is_that_of_as_many_rows_that_agree() -> None:
    truth, scores = [0] * 20 + [1] * 10, list(range(30))
    c = delong(truth, scores, scores)
    assert (c.estimate, c.p_value, c.statistic) == (0, 1, 0)
    assert c.high == -c.low == pytest.approx(2.262**2 / (10 + 2.262**2), abs=1e-3)
    apart = delong(truth, scores, [-x for x in scores])
    assert apart.estimate == 1
    assert 0 < apart.low < 1 == apart.high
    assert (apart.p_value < 0.05) == (apart.low > 0)


def test_perfect_against_reversed_stays_in_range() -> None:
    truth = np.array([0] * 10 + [1] * 10)
    c = delong(truth, truth, -truth)
    assert c.estimate == c.high == 1
    assert 0 < c.low < 1
    assert 0 < c.p_value < 0.05


def test_satterthwaite_by_hand() -> None:
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    c = delong(truth, [0.1, 0.2, 0.3, 0.6, 0.5, 0.7, 0.8, 0.9], [0.3, 0.1, 0.8, 0.4, 0.2, 0.6, 0.7, 0.9])
    # Placements of the positives: (3, 4, 4, 4)/4 against (1, 3, 3, 4)/4; of the negatives (4, 4, 4, 3)/4 against
    # (3, 4, 1, 3)/4. The differences (.5, .25, .25, 0) and (.25, 0, .75, 0) have variances 1/24 and 1/8.
    up, down = (1 / 24) / 4, (1 / 8) / 4
    assert c.estimate == 0.25
    assert c.statistic == pytest.approx(0.25 / math.sqrt(up + down))
    assert c.df == pytest.approx((up + down) ** 2 / (up**2 / 3 + down**2 / 3))


def test_swapping_flips_signs_and_sides() -> None:
    ab, ba = delong(TRUTH, FIRST, SECOND), delong(TRUTH, SECOND, FIRST)
    assert (ab.estimate, ab.low, ab.high, ab.statistic) == (-ba.estimate, -ba.high, -ba.low, -ba.statistic)
    assert ab.p_value == ba.p_value
    assert ab.p_better == pytest.approx(1 - ba.p_better)
    up = delong(TRUTH, FIRST, SECOND, alternative="greater")
    down = delong(TRUTH, SECOND, FIRST, alternative="less")
    assert up.p_value == down.p_value
    assert up.low == -down.high
    assert (up.high, down.low, up.side, down.side) == (1, -1, "lower", "upper")


def test_one_sided_limit_agrees_with_its_p_value() -> None:
    p = delong(TRUTH, FIRST, SECOND, alternative="greater").p_value
    assert delong(TRUTH, FIRST, SECOND, alternative="greater", confidence=1 - p).low == pytest.approx(0, abs=1e-9)


def test_the_direction_of_scores_is_never_picked_again() -> None:
    # A model that ranks backwards is worse than one that guesses, not better.
    c = delong(TRUTH, -FIRST, SECOND)
    assert c.estimate < -0.2


def test_one_positive_has_no_variance_estimate() -> None:
    c = delong([1, 0, 0, 0], [0.9, 0.2, 0.5, 0.1], [0.4, 0.5, 0.3, 0.1])
    assert math.isnan(c.p_value)
    assert math.isnan(c.low)
    assert "one unit alone" in c.note


def test_labels_and_positive_class() -> None:
    words = np.where(TRUTH, "cat", "dog")
    assert delong(words, FIRST, SECOND, positive="cat") == delong(TRUTH, FIRST, SECOND)
    assert delong(words, -FIRST, -SECOND, positive="dog").estimate == pytest.approx(
        delong(TRUTH, FIRST, SECOND).estimate
    )
    with pytest.raises(InputError, match="positive= one of 'cat', 'dog'"):
        delong(words, FIRST, SECOND)
    with pytest.raises(InputError, match="'cow' is not among the labels"):
        delong(words, FIRST, SECOND, positive="cow")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 1, 1], [1, 2, 3], [1, 2, 3]), "no negative rows"),
        (([0, 0], [1, 2], [1, 2]), "no positive rows"),
        (([0, 1], [1, 2], [1, 2, 3]), "second has 3"),
        (([0, 1], [1, float("nan")], [1, 2]), "first has NaN at row 2"),
        (([0, 1, None], [1, 2, 3], [1, 2, 3]), "truth is missing at row 3"),
        (([0, 1], [[1, 2], [3, 4]], [1, 2]), "first has 2 columns"),
    ],
)
def test_input_errors(arguments, message) -> None:
    with pytest.raises(InputError, match=message):
        delong(*arguments)


def test_unknown_words() -> None:
    with pytest.raises(InputError, match="reference='q'"):
        delong(TRUTH, FIRST, SECOND, reference="q")
    with pytest.raises(InputError, match="df='x'"):
        delong_unpaired(TRUTH, FIRST, TRUTH, SECOND, df="x")


def test_unpaired_degrees_of_freedom() -> None:
    few = np.array([0] * 60 + [1] * 4)
    scores = RNG.normal(size=64) + few
    welch = delong_unpaired(few, scores, few, scores[::-1] + few)
    careful = delong_unpaired(few, scores, few, scores[::-1] + few, df="satterthwaite")
    assert careful.statistic == welch.statistic
    assert careful.df < 20 < welch.df
    assert careful.p_value > welch.p_value


def test_unpaired_perfect_models_have_an_interval() -> None:
    truth = [0] * 10 + [1] * 10
    c = delong_unpaired(truth, truth, truth, truth)
    assert (c.estimate, c.p_value) == (0, 1)
    # As of ten rows that agree.
    assert c.high == -c.low == pytest.approx(2.262**2 / (10 + 2.262**2), abs=1e-3)


@pytest.mark.parametrize("key", ["delong-paired-t", "delong-paired-z", "delong-unpaired-t", "delong-unpaired-z"])
def test_methods_are_in_the_catalogue(key) -> None:
    assert method(key).formula


def test_single_precision_scores() -> None:
    rows = 10_000
    truth = RNG.random(rows) < 0.5
    a, b = (RNG.random(rows).astype(np.float32) for _ in range(2))
    assert delong(truth, a, b) == delong(truth, a.astype(float), b.astype(float))


def test_different_rows_are_compared_by_their_own_limits():
    rng = np.random.default_rng(2)

    def rows(up, down, shift):
        truth = np.repeat([1, 0], [up, down])
        return te.predictions(truth, scores={"m": rng.standard_normal(up + down) + shift * truth}, positive=1)

    one, two = rows(8, 100, 1.8), rows(100, 100, 1.8)
    made = te.compare(one, two, paired=False, metric="auc")
    (pair,) = made.pairs
    a, b = (te.evaluate(p, metrics=["auc"])["auc"] for p in (one, two))
    assert pair.method == "newcombe-hybrid"
    # Both have the degrees of freedom of the difference, more than those of the smaller sample.
    low = a.estimate - b.estimate - np.hypot(a.estimate - a.low, b.high - b.estimate)
    high = a.estimate - b.estimate + np.hypot(a.high - a.estimate, b.estimate - b.low)
    assert low < pair.low < low + 0.1 * (high - low)
    assert abs(pair.high - high) < 0.1 * (high - low)
    assert (pair.p_value <= 0.05) == (not pair.low <= 0 <= pair.high)
    asked = te.compare(one, two, paired=False, metric="auc", method="delong").pairs[0]
    assert asked.method == "delong-unpaired-t"


def compared(truth, first, second, **more):
    return te.compare(truth.astype(int), scores={"a": first, "b": second}, positive=1, metric="auc", **more).pairs[0]


def test_the_variance_of_a_pair_is_delongs():
    ours, delongs = compared(TRUTH, FIRST, SECOND), delong(TRUTH, FIRST, SECOND)
    made = centred_placements(TRUTH, [FIRST, SECOND])
    found = estimate_of_areas(made, (0, 1), 1.0).spread
    assert ours.estimate == pytest.approx(delongs.estimate)
    assert float(found.error) == pytest.approx(delongs.estimate / delongs.statistic, rel=1e-10)
    # The units' tails only take degrees of freedom away.
    assert float(found.df) <= delongs.df * (1 + 1e-9)
    assert compared(TRUTH, FIRST, SECOND, method="delong").p_value == pytest.approx(delongs.p_value)


def test_of_sums_alone_degrees_of_freedom_are_welchs():
    made, delongs = centred_placements(TRUTH, [FIRST, SECOND]), delong(TRUTH, FIRST, SECOND)
    found = estimate_of_areas(made.sums, (0, 1), 1.0).spread
    assert float(found.error) == pytest.approx(delongs.estimate / delongs.statistic, rel=1e-10)
    assert float(found.df) == pytest.approx(delongs.df)


def test_pairs_turn_with_the_models_and_stay_in_range():
    there, back = compared(TRUTH, FIRST, SECOND), compared(TRUTH, SECOND, FIRST)
    assert (there.estimate, there.low, there.high) == pytest.approx((-back.estimate, -back.high, -back.low))
    assert there.p_value == pytest.approx(back.p_value)
    truth = np.repeat([0, 1], 10)
    far = compared(truth, truth + 0.0, -truth + 0.0)
    assert far.estimate == far.high == 1
    same = compared(TRUTH, FIRST, np.exp(FIRST))
    assert (same.estimate, same.p_value, same.p_better) == (0, 1, 0.5)
    assert same.low < 0 < same.high
    assert np.isnan(compared(np.arange(9) == 0, RNG.normal(size=9), RNG.normal(size=9)).p_value)


@pytest.mark.parametrize("shape", ["smooth", "weighted", "clusters", "few levels"])
def test_pairs_of_equal_models_hold_the_level(shape):
    rng, found = np.random.default_rng(6), 0
    for _ in range(200):
        truth = np.arange(240) % 6 == 0
        noise = rng.standard_normal((2, 240)) + 1.5 * truth
        more = {}
        if shape == "weighted":
            more = {"weights": rng.lognormal(0, 0.7, 240), "weights_kind": "sampling"}
        elif shape == "clusters":
            more = {"clusters": np.arange(240) // 8}
            noise = noise + np.repeat(rng.standard_normal((2, 30)), 8, axis=1)
        elif shape == "few levels":
            noise = np.clip(np.round(noise / 1.5), 0, 2)
        found += compared(truth, *noise, **more).p_value <= 0.05
    assert found <= 20
