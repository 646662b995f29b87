"""E-values and confidence sequences."""

import math

import numpy as np
import pytest
from scipy import integrate, special

import trueerror as te
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._sequential import _bets, _log_wealth, confidence_sequence, e_value
from trueerror.inputs._options import InputError


@pytest.mark.parametrize(("b", "c", "two", "one"), [(1, 7, 3.35, 6.61), (6, 16, 1.77, 3.50), (10, 40, 1717, 3435)])
def test_published_figures(b, c, two, one):
    assert e_value(b, c).statistic == pytest.approx(two, rel=3e-3)
    assert e_value(c, b, alternative="greater").statistic == pytest.approx(one, rel=2e-3)
    assert e_value(b, c, alternative="less").statistic == pytest.approx(one, rel=2e-3)


def test_p_is_one_over_e():
    assert e_value(10, 40).p_value == pytest.approx(1 / e_value(10, 40).statistic)
    assert e_value(5, 5).p_value == 1
    assert e_value(0, 0).statistic == pytest.approx(1)


def test_the_integral_agrees_with_the_closed_form():
    for b, c, n in ((40, 10, 500), (7, 1, 8), (0, 3, 5), (1000, 900, 100_000)):
        beta = special.betaln(b + 0.5, c + 0.5) - special.betaln(0.5, 0.5)
        closed = (b + c + 1) * math.log(2) + beta + math.log(special.betaincc(b + 0.5, c + 0.5, 0.5))
        assert _log_wealth(_bets(b, c, n), 0.0) == pytest.approx(closed, abs=1e-12)


@pytest.mark.parametrize("delta", [-0.6, -0.05, 0.02, 0.4])
@pytest.mark.parametrize(("b", "c", "n"), [(3, 1, 10), (0, 0, 6), (8, 0, 8), (30, 12, 200)])
def test_the_integral_against_quadrature(delta, b, c, n):
    def wealth(phi):
        f = math.sin(phi) / (1 + delta)
        return (1 + f * (1 - delta)) ** b * (1 - f * delta) ** (n - b - c) * (1 - f * (1 + delta)) ** c

    expected, _ = integrate.quad(wealth, 0, math.pi / 2, epsabs=0, epsrel=1e-10, limit=200)
    assert math.exp(_log_wealth(_bets(b, c, n), delta)) == pytest.approx(2 / math.pi * expected, rel=1e-8)


def test_the_sequence_is_what_no_bet_has_rejected():
    made = confidence_sequence(40, 10, n=500)
    for limit, side in ((made.low, "greater"), (made.high, "less")):
        sign = 1 if side == "greater" else -1
        inside = e_value(40, 10, n=500, alternative=side, margin=sign * limit + 0.005).statistic
        outside = e_value(40, 10, n=500, alternative=side, margin=sign * limit - 0.005).statistic
        # Both sides bet half of the wealth, so one of them must reach 2/α.
        assert inside < 40 < outside
    lower = confidence_sequence(40, 10, n=500, alternative="greater")
    assert e_value(40, 10, n=500, alternative="greater", margin=lower.low).statistic == pytest.approx(20, rel=1e-6)
    assert lower.high == 1
    assert lower.low > made.low


@pytest.mark.parametrize(("b", "c", "n"), [(40, 10, 500), (60, 40, 1000), (5, 0, 5), (3, 20, 50)])
def test_zero_is_outside_exactly_when_the_e_value_rejects(b, c, n):
    for alternative in ("two-sided", "greater", "less"):
        made = confidence_sequence(b, c, n=n, alternative=alternative)
        assert (made.p_value < 0.05) == (made.low > 0 or made.high < 0)
        assert made.statistic == pytest.approx(e_value(b, c, alternative=alternative).statistic, rel=1e-12)


@pytest.mark.parametrize(
    ("b", "c", "n"), [(0, 0, 1), (0, 0, 1000), (5, 0, 5), (0, 5, 5), (1, 1, 2), (10**6, 10**6, 10**8)]
)
def test_limits_are_sound_at_the_ends(b, c, n):
    made = confidence_sequence(b, c, n=n)
    assert -1 <= made.low < made.high <= 1
    assert made.low <= made.estimate <= made.high
    plain = mcnemar(b, c, n=n)
    if b + c > 10:
        assert made.high - made.low > plain.high - plain.low


def test_columns_of_scores_arrive_row_by_row():
    first, second = [1, 0, 1, 1, 0, 1], [0, 0, 1, 0, 1, 1]
    columns, counts = e_value(first, second), e_value(2, 1, n=6)
    assert columns == counts
    means = e_value([0.9, 0.8, 0.7], [0.5, 0.8, 0.1])
    assert means.n == 3
    assert means.estimate == pytest.approx(1 / 3)
    assert means.low < means.estimate < means.high


def test_nothing_seen_yet():
    made = confidence_sequence(0, 0, n=0)
    assert (made.low, made.high, made.p_value) == (-1, 1, 1)
    assert "no rows" in made.note
    assert e_value([], []).statistic == 1


def test_without_n_there_is_evidence_but_no_size():
    made = e_value(10, 40)
    assert math.isnan(made.estimate)
    assert math.isnan(made.low)
    assert "give n" in made.note


def test_enormous_evidence_is_written_as_the_largest_float():
    made = e_value(10**9, 10**8)
    assert math.isfinite(made.statistic)
    assert 0 < made.p_value < 1e-300
    assert "10^1856" in made.note
    other = e_value(10**9, 10**8, alternative="less")
    assert other.p_value == 1
    assert other.statistic == 0 or other.statistic < 1e-9


def test_the_integral_continues_the_closed_form_where_that_underflows():
    values = [_log_wealth(_bets(10, c, None), 0.0) for c in (900, 940, 980, 1020, 1060, 1100)]
    steps = np.diff(values)
    assert np.abs(np.diff(steps)).max() < 0.1


def test_swapping_turns_everything():
    one, two = confidence_sequence(40, 10, n=500), confidence_sequence(10, 40, n=500)
    assert (one.low, one.high, one.statistic) == (-two.high, -two.low, pytest.approx(two.statistic))
    for margin in (0.0, 0.03):
        up = e_value(40, 10, n=500, margin=margin, alternative="greater")
        down = e_value(10, 40, n=500, margin=margin, alternative="less")
        assert up.statistic == pytest.approx(down.statistic)


def test_a_margin_asks_for_more_and_a_negative_one_for_less():
    values = [
        e_value(60, 40, n=1000, alternative="greater", margin=m).statistic for m in (-0.03, -0.01, 0.0, 0.01, 0.03)
    ]
    assert values == sorted(values, reverse=True)
    assert values[0] > 20 > values[-1]
    both = e_value(60, 40, n=1000, margin=0.01).statistic
    sides = [e_value(60, 40, n=1000, margin=0.01, alternative=a).statistic for a in ("greater", "less")]
    assert both == pytest.approx(sum(sides) / 2)


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ((1, 2), {"margin": 0.1}),
        ((1, 2), {"margin": -0.1, "n": 5}),
        ((1, 2), {"margin": 1.0, "n": 5}),
        ((1, 2), {"n": 2}),
        (([1, 0], [0, 1]), {"n": 2}),
        (([2, 0], [0, 1]), {}),
        (([1, 0], [0, float("nan")]), {}),
    ],
)
def test_refused(data, options):
    with pytest.raises(InputError):
        e_value(*data, **options)


def test_a_sequence_needs_all_rows():
    with pytest.raises(InputError, match="n"):
        confidence_sequence(1, 2)


def test_looking_all_the_time_keeps_the_level():
    rng = np.random.default_rng(11)
    wins = np.cumsum(rng.random((400, 300)) < 0.5, axis=1)
    looks = np.arange(1, 301)
    losses = looks - wins
    log_e = looks * math.log(2) + special.betaln(wins + 0.5, losses + 0.5) - special.betaln(0.5, 0.5)
    ever = (log_e >= math.log(20)).any(axis=1).mean()
    assert ever < 0.05
    # The rule is the one that e_value uses, and mid-p at every look is not valid.
    assert e_value(int(wins[0, -1]), int(losses[0, -1])).statistic == pytest.approx(math.exp(log_e[0, -1]))
    peeking = [
        min(mcnemar(int(wins[r, t]), int(losses[r, t])).p_value for t in range(2, 300, 3)) < 0.05 for r in range(60)
    ]
    assert np.mean(peeking) > 0.15


def test_explained():
    assert "every look" in e_value(1, 7).explain()
    assert "Source:" in confidence_sequence(1, 7, n=20).explain()
    assert "Source:" in e_value(1, 7, n=20, margin=0.1).explain()
    made = confidence_sequence(1, 7, n=20)
    assert te.load(made.to_json()) == made
