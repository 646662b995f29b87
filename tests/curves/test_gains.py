"""Gains and lift: any share, ties in random order, limits that move with the cut."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
SCORES = list(range(10, 0, -1))


def test_points():
    gains, lift = te.gains(TRUTH, SCORES), te.lift(TRUTH, SCORES)
    np.testing.assert_allclose(gains.share, np.arange(11) / 10)
    np.testing.assert_allclose(gains.found, [0, 1 / 3, 2 / 3, 2 / 3, 1, 1, 1, 1, 1, 1, 1])
    np.testing.assert_allclose(lift.lift, gains.found[1:] / gains.share[1:])
    assert lift.lift[-1] == pytest.approx(1)
    assert gains.thresholds[0] == np.inf


def test_at_any_share_also_between_rows():
    gains = te.gains(TRUTH, SCORES)
    assert gains.at(share=0.2).estimate == pytest.approx(2 / 3)
    assert gains.at(share=0.05).estimate == pytest.approx(1 / 6)
    assert gains.at(share=1).estimate == 1
    assert te.lift(TRUTH, SCORES).at(share=0.2).estimate == pytest.approx(10 / 3)


def test_ties_count_as_in_random_order():
    """Four rows tied at the top with two of the three positives: each holds half a positive on average."""
    gains = te.gains([1, 0, 1, 0, 0, 1, 0, 0], [2, 2, 2, 2, 1, 1, 1, 1])
    assert gains.at(share=1 / 8).estimate == pytest.approx(0.5 / 3)
    assert gains.at(share=3 / 8).estimate == pytest.approx(1.5 / 3)
    rng = np.random.default_rng(0)
    truth, scores = np.array([1, 0, 1, 0, 0, 1, 0, 0]), np.array([2, 2, 2, 2, 1, 1, 1, 1])
    drawn = []
    for _ in range(4000):
        order = np.lexsort((rng.random(8), -scores))
        drawn.append(truth[order][:3].sum() / 3)
    assert np.mean(drawn) == pytest.approx(0.5, abs=0.02)


def test_a_threshold_is_the_share_from_it_up():
    gains = te.gains(TRUTH, SCORES)
    assert gains.at(threshold=9) == gains.at(share=0.2)
    with pytest.raises(InputError, match="flags no row; the highest score is 10"):
        gains.at(threshold=11)
    with pytest.raises(InputError, match="one of share= or threshold="):
        gains.at()
    for bad in (0, 1.2, -1):
        with pytest.raises(InputError, match=r"must lie in \(0, 1\]"):
            gains.at(share=bad)


@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.5, 0.99, 1.0])
def test_limits_hold_the_estimate_and_have_a_width(share):
    rng = np.random.default_rng(1)
    for truth in (rng.random(80) < 0.2, np.arange(80) < 5):
        for scores in (truth + rng.normal(size=80), truth * 1.0, np.ones(80)):
            gain = te.gains(truth, scores).at(share=share)
            assert 0 <= gain.low <= gain.estimate <= gain.high <= 1
            assert gain.low < gain.high
            lift = te.lift(truth, scores).at(share=share)
            assert lift.low == pytest.approx(gain.low / share)
            assert lift.high == pytest.approx(gain.high / share)


def test_limits_cover_the_gain_of_the_best_tenth():
    """Nominal 95 %: the binormal gain at 10 % with 400 rows, of which 1 in 10 is positive."""
    rng = np.random.default_rng(2)
    big = rng.random(400_000) < 0.1
    true = te.gains(big, 2.0 * big + rng.normal(size=len(big))).at(share=0.1).estimate
    hits = 0
    for _ in range(300):
        truth = rng.random(400) < 0.1
        made = te.gains(truth, 2.0 * truth + rng.normal(size=400)).at(share=0.1)
        hits += made.low <= true <= made.high
    assert hits / 300 > 0.91


def test_perfect_lines():
    x, y = te.gains(TRUTH, SCORES).perfect()
    assert (x.tolist(), y.tolist()) == ([0, 0.3, 1], [0, 1, 1])
    x, y = te.lift(TRUTH, SCORES).perfect()
    assert y[0] == pytest.approx(1 / 0.3)
    assert (x[-1], y[-1]) == (1, 1)


def test_sampling_weights_shrink_what_is_known():
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.3
    scores = truth + rng.normal(size=200)
    plain = te.gains(truth, scores).at(share=0.2)
    uneven = te.gains(truth, scores, weights=rng.exponential(size=200), weights_kind="sampling").at(share=0.2)
    assert uneven.width > plain.width


def test_words():
    gain, times = te.gains(TRUTH, SCORES), te.lift(TRUTH, SCORES)
    found, ratio = gain.at(share=0.1), times.at(share=0.1)
    assert str(gain).replace("\n", " ") == (
        f"Gains curve: the top 10 % of 10 rows hold 33.3 % [{100 * found.low:.1f}, {100 * found.high:.1f}] of the 3 "
        "positives."
    )
    assert f"3.33 times [{ratio.low:.2f}, {ratio.high:.2f}]" in str(times).replace("\n", " ")


def test_a_lift_has_the_digits_that_its_limits_have():
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.02
    rare = te.lift(truth, rng.random(3000) + truth)
    assert rare.top_words(0.5) == ("2.00", "[1.90, 2.00]")
    assert rare.top_words(0.01)[0] == "42.9"
    assert all(len(word.strip("[],").partition(".")[2]) == 1 for word in " ".join(rare.top_words(0.01)).split())
    assert f"top 10 %: {rare.top_words()[0]} times" in rare.plot().svg
