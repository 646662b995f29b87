"""Operating points: the cheapest threshold, its optimism, its stability, its interval."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(6)


def sample(rows, shift=1.0, share=0.3, rng=RNG):
    truth = rng.random(rows) < share
    return truth, rng.normal(size=rows) + shift * truth


CURVE = te.roc(*sample(500))


def test_it_is_the_cheapest_cutoff_with_the_fewest_false_alarms():
    curve = te.roc([1, 0, 1, 0], [4, 3, 2, 1])
    point = curve.operating_point(replicates=100)
    # Cutting at 4 or at 2 makes one error each; 4 has no false alarm.
    assert (point.threshold, point.fpr, point.tpr, point.cost) == (4, 0, 0.5, 0.25)
    assert point.accuracy == 0.75
    assert point.slope == 1


def test_all_four_costs_count():
    prices = {"cost_fp": 2.0, "cost_fn": 7.0, "cost_tp": -1.0, "cost_tn": 0.5}
    point = CURVE.operating_point(prior=0.2, **prices)
    costs = 0.2 * (7 * (1 - CURVE.tpr) - CURVE.tpr) + 0.8 * (2 * CURVE.fpr + 0.5 * (1 - CURVE.fpr))
    assert point.cost == pytest.approx(costs.min())
    assert point.slope == pytest.approx(1.5 * 0.8 / (8 * 0.2))
    mapped = CURVE.operating_point(prior={True: 0.2, False: 0.8}, **prices)
    assert mapped.cost == point.cost


def test_rare_positives_and_dear_misses_go_to_the_ends():
    # The highest score is a negative's, so every call risks false alarms.
    never = te.roc([0, 1, 0, 1, 0, 1] * 5, range(30, 0, -1)).operating_point(prior=1e-9, replicates=100)
    assert never.threshold == math.inf
    assert never.cost == pytest.approx(1e-9)
    assert str(never).startswith("Flag nothing")
    always = CURVE.operating_point(cost_fn=1e9, replicates=100)
    assert always.tpr == 1


def test_choosing_on_the_rows_is_optimistic():
    optimism = [te.roc(*sample(100)).operating_point(replicates=200).optimism for _ in range(20)]
    assert np.mean(optimism) > 0.01
    many = te.roc(*sample(50_000)).operating_point(replicates=200)
    assert abs(many.optimism) < 0.003


def test_the_corrected_cost_is_nearer_to_the_truth():
    apparent, corrected = [], []
    draw = np.random.default_rng(1)
    for i in range(60):
        point = te.roc(*sample(80, rng=draw)).operating_point(replicates=100, cost_fn=2, prior=None, rng=i)
        true = 0.3 * 2 * ndtr(point.threshold - 1) + 0.7 * (1 - ndtr(point.threshold))
        apparent.append(point.cost - true)
        corrected.append(point.corrected.estimate - true)
    assert np.mean(apparent) < -0.02
    assert abs(np.mean(corrected)) < abs(np.mean(apparent)) / 2


def test_stability_is_a_range_of_thresholds_without_a_level():
    point = CURVE.operating_point(cost_fn=3)
    low, high = point.stability
    assert low < high
    assert low in CURVE.table.scores
    assert high in CURVE.table.scores
    assert "90 % of the resamples choose a threshold of" in " ".join(str(point).split())
    wide = te.roc(*sample(60)).operating_point(cost_fn=3).stability
    assert wide[1] - wide[0] > high - low


def test_interval_is_an_interval_of_the_cost():
    point = CURVE.operating_point(cost_fn=3)
    made = point.corrected
    assert made.method == "cost-out-of-bag"
    assert made.low < point.cost < made.high
    assert made.low <= made.estimate <= made.high
    assert made.n == 500
    assert "seed 0" in made.note
    assert CURVE.operating_point(cost_fn=3, confidence=0.5).corrected.width < made.width
    assert "Tsamardinos" in made.explain()


def test_untuned_threshold_needs_probabilities():
    assert math.isnan(CURVE.operating_point(replicates=100).untuned)
    truth = [0, 0, 1, 1]
    point = te.roc(truth, [0.1, 0.6, 0.4, 0.9]).operating_point(cost_fn=10, replicates=200)
    assert point.untuned == pytest.approx(1 / 11)
    moved = te.roc(truth, [0.1, 0.6, 0.4, 0.9]).operating_point(prior=0.1, replicates=200)
    # Scores speak of rows with half positives; at a tenth the odds are a ninth.
    assert moved.untuned == pytest.approx(0.9)


def test_the_same_seed_gives_the_same_answer():
    assert CURVE.operating_point(rng=2) == CURVE.operating_point(rng=2)
    assert CURVE.operating_point(rng=2).optimism != CURVE.operating_point(rng=3).optimism
    assert te.load(CURVE.operating_point(rng=2).to_json()) == CURVE.operating_point(rng=2)


def test_few_rows_keep_an_interval():
    point = te.roc([0, 1], [1, 2]).operating_point()
    assert point.cost == 0
    assert point.corrected.low == 0
    assert point.corrected.high > 0
    assert math.isnan(point.optimism)
    assert "lose a class" in point.note
    back = te.load(point.to_json())
    assert math.isnan(back.stability[0])
    with pytest.raises(InputError, match="from 100 to"):
        CURVE.operating_point(replicates=10)


def test_perfect_separation():
    point = te.roc([0] * 30 + [1] * 30, range(60)).operating_point()
    assert (point.cost, point.accuracy) == (0, 1)
    assert 0 <= point.corrected.low < point.corrected.high < 0.2


def test_records_and_words():
    record = CURVE.operating_point(cost_fn=3).records()[0]
    assert {"threshold", "fpr", "tpr", "accuracy", "cost", "slope", "optimism", "low", "high"} <= set(record)
    shown = str(CURVE.operating_point(cost_fn=3))
    assert max(map(len, shown.splitlines())) <= 80
    text = " ".join(shown.split())
    assert "a false alarm costing 1 and a miss 3" in text
    assert "on rows not used to choose it a row costs" in text
