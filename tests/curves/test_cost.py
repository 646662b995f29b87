"""Cost curves: lines, envelope, ranges, points and the area with its optimism."""

from itertools import pairwise

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._cost import probability_cost
from trueerror.curves._points import counts_at_cutoffs
from trueerror.inputs._options import InputError

TRUTH = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01]


def test_lines_are_the_normalised_expected_cost():
    curve = te.cost_curve(TRUTH, SCORES)
    t = counts_at_cutoffs(curve.table)
    tpr, fpr = t.tp / 5, t.fp / 5
    for pc in (0.0, 0.2, 0.7, 1.0):
        np.testing.assert_allclose((1 - tpr - fpr) * pc + fpr, curve.fnr * pc + curve.fpr * (1 - pc))


def test_the_envelope_is_the_lowest_line():
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth = rng.random(40) < 0.4
        truth[:2] = True, False
        curve = te.cost_curve(truth, (truth + rng.normal(size=40)).round(1))
        pc = np.linspace(0, 1, 301)
        lowest = (curve.fnr[:, None] * pc + curve.fpr[:, None] * (1 - pc)).min(axis=0)
        np.testing.assert_allclose(curve.cost(pc), lowest, atol=1e-12)
        assert (lowest <= np.minimum(pc, 1 - pc) + 1e-12).all()


def test_ranges_cover_all_conditions_once_with_the_cheapest():
    curve = te.cost_curve(TRUTH, SCORES)
    ranges = curve.ranges()
    assert ranges[0]["from"] == 0
    assert ranges[-1]["to"] == 1
    assert all(a["to"] == b["from"] for a, b in pairwise(ranges))
    for r in ranges:
        middle = (r["from"] + r["to"]) / 2
        assert r["fnr"] * middle + r["fpr"] * (1 - middle) == pytest.approx(float(curve.cost(middle)))
    assert [(r["fpr"], r["fnr"]) for r in ranges] == [(0, 0.6), (0.2, pytest.approx(0.2)), (0.6, 0)]


def test_a_prior_with_costs_is_one_pc():
    assert probability_cost(0.5) == 0.5
    assert probability_cost(0.1, cost_fp=1, cost_fn=9) == pytest.approx(0.5)
    assert probability_cost(0.2, cost_fp=3, cost_fn=1) == pytest.approx(0.2 / 2.6)
    with pytest.raises(InputError, match="cost_fp=-1"):
        probability_cost(0.5, cost_fp=-1)
    with pytest.raises(InputError, match="nothing to pay"):
        probability_cost(0.0, cost_fp=0)


def test_points():
    curve = te.cost_curve(TRUTH, SCORES)
    point = curve.at(prior=0.5)
    assert point.threshold == 0.65
    assert point.cost.estimate == pytest.approx(0.5 * 0.2 + 0.5 * 0.2)
    assert "read off these rows" in point.note
    assert point.trivial == 0.5
    fixed = curve.at(pc=0.5, threshold=0.3)
    assert (fixed.fpr, fixed.fnr, fixed.note) == (0.6, pytest.approx(0.2), "")
    assert float(fixed) == pytest.approx(0.4)
    # MOVER over Wilson's limits of the two rates, as balanced accuracy in METHODS: 1 − .7 for 45/50 and 15/30.
    other = te.cost_curve([1] * 50 + [0] * 30, [1] * 45 + [0] * 5 + [0] * 15 + [1] * 15).at(pc=0.5, threshold=0.5)
    assert (1 - other.cost.high, 1 - other.cost.low) == (
        pytest.approx(0.5984, abs=5e-5),
        pytest.approx(0.7888, abs=5e-5),
    )
    assert te.load(point.to_json()) == point
    with pytest.raises(InputError, match="pc= or prior="):
        curve.at()
    with pytest.raises(InputError, match="between 0 and 1"):
        curve.cost(1.2)


def test_calling_nothing_is_best_where_positives_are_rare():
    point = te.cost_curve(TRUTH, [1] * 10).at(pc=0.2)
    assert point.threshold == np.inf
    assert point.cost.estimate == pytest.approx(0.2)
    assert "infinite" in str(point)


def test_area_of_a_constant_and_of_a_perfect_score():
    coin = te.cost_curve(TRUTH, [1] * 10).area(replicates=200)
    assert coin.estimate == 0.25
    assert coin.low < 0.25
    sure = te.cost_curve([0] * 20 + [1] * 20, range(40)).area(replicates=200)
    assert (sure.estimate, sure.low) == (0, 0)
    assert 0 < sure.high < 0.2
    assert sure.method == "wilson-lines"


def test_limits_are_moved_up_by_the_optimism_of_choosing():
    """The envelope on 200 rows lies below that of the population; the limits must not."""
    rng = np.random.default_rng(1)
    big = rng.random(400_000) < 0.2
    x, y = te.cost_curve(big, 1.5 * big + rng.normal(size=len(big))).envelope
    true = np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2
    estimates, hits = [], 0
    for _ in range(60):
        truth = rng.random(200) < 0.2
        area = te.cost_curve(truth, 1.5 * truth + rng.normal(size=200)).area(replicates=100)
        estimates.append(area.estimate)
        hits += area.low <= true <= area.high
        assert "corrected for that the area is" in area.note
    assert np.mean(estimates) < true - 0.01
    assert hits / 60 > 0.82


def test_words():
    shown = str(te.cost_curve(TRUTH, SCORES))
    assert max(map(len, shown.splitlines())) <= 80
    words = " ".join(shown.split())
    assert "PC is the weight of the positives" in words
    assert "Cheaper than flagging nothing or everything for PC 0.000 to 1.000" in words
    assert "area under the cost envelope" in words


def test_a_model_that_is_hardly_ever_better_than_a_coin_has_limits_too():
    truth = [0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0]
    scores = [0.0] * 8 + [0.0625] * 5 + [0.125, 0.1875]
    found = te.cost_curve(truth, scores).area(replicates=100)
    assert found.low < found.estimate == found.high == 0.25
    assert found.method == "wilson-lines"
    assert "no spread" in found.note
