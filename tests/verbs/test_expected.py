"""What to expect of a model that was picked as the best of several, wherever the best is named."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te


def alike(k: int, n: int = 200, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Models that are right equally often."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, {f"m{i}": np.where(rng.random(n) < 0.2, 1 - truth, truth) for i in range(k)}


def test_the_best_of_many_is_expected_to_be_worse_than_it_looks():
    truth, models = alike(12)
    ev = te.evaluate(truth, models, metrics="accuracy")
    best = max(ev.parts, key=lambda p: p.overall["accuracy"].estimate).overall["accuracy"]
    assert ev.expected.low < best.low < ev.expected.estimate < best.estimate < ev.expected.high == best.high
    assert "As the best of 12, expect" in ev.verdict
    (found,) = [f for f in ev.findings if f.code == "TE407"]
    assert "expect" in found.message


def test_compare_expects_the_same_of_the_same_models():
    truth, models = alike(6)
    ev, cmp = te.evaluate(truth, models, metrics="accuracy"), te.compare(truth, models)
    assert (cmp.expected.estimate, cmp.expected.low) == pytest.approx((ev.expected.estimate, ev.expected.low))
    assert cmp.estimates[cmp.best].estimate > cmp.expected.estimate
    assert f"expect {100 * cmp.expected.estimate:.1f} %" in cmp.verdict


@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_scores_and_losses_too(metric):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 150)
    scores = {f"s{i}": 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(size=150)))) for i in range(5)}
    ev = te.evaluate(truth, scores=scores, metrics=metric)
    own = {p.name: p.overall[metric] for p in ev.parts}
    if metric == "auc":
        best = max(own.values(), key=lambda i: i.estimate)
        assert ev.expected.low < best.low
        assert ev.expected.high == best.high
    else:
        best = min(own.values(), key=lambda i: i.estimate)
        assert ev.expected.high > best.high
        assert ev.expected.low == best.low


def test_a_clear_winner_is_expected_to_do_what_it_did():
    truth, models = alike(3)
    models["good"] = truth.copy()
    ev = te.evaluate(truth, models, metrics="accuracy")
    assert ev.expected is None
    assert "expect" not in ev.verdict


def test_limits_that_hold_together_need_no_other():
    truth, models = alike(10)
    plain, wide = (te.evaluate(truth, models, metrics="accuracy", simultaneous=s) for s in (False, True))
    own, all_of_them = (ev.model("m0")["accuracy"] for ev in (plain, wide))
    assert wide.expected is None
    assert all_of_them.low < own.low
    ten = te.interval(round(own.estimate * 200), 200, confidence=1 - 0.05 / 10)
    assert all_of_them.low == pytest.approx(ten.low)


def test_it_travels_in_json(tmp_path):
    truth, models = alike(5)
    for made in (te.evaluate(truth, models), te.compare(truth, models)):
        made.save(tmp_path / "result.json")
        back = te.load(tmp_path / "result.json")
        assert back.expected.low == pytest.approx(made.expected.low)
        assert back.verdict == made.verdict


def test_a_reference_is_not_picked():
    truth, models = alike(4)
    assert te.compare(truth, models, reference="m0").expected is None


def test_scores_of_folds():
    rng = np.random.default_rng(2)
    folds = {f"l{i}": (0.8 + 0.03 * rng.normal(size=10)).tolist() for i in range(6)}
    ev = te.evaluate({name: {"test_score": values} for name, values in folds.items()}, test_train_ratio=1 / 9)
    best = max(ev.parts, key=lambda p: next(iter(p.overall.values())).estimate)
    assert ev.expected.low < next(iter(best.overall.values())).low


def sliced(k: int = 20, n: int = 800) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A model that is right equally often in every slice."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    predicted = np.where(rng.random(n) < 0.15, 1 - truth, truth)
    return truth, predicted, np.array([f"g{i:02d}" for i in rng.integers(0, k, n)])


def test_limits_of_slices_hold_together_unless_asked_for_one_by_one():
    truth, predicted, group = sliced()
    together, alone = (te.evaluate(truth, predicted, by=group, simultaneous=s) for s in (None, False))
    for value, inner in together.slices.items():
        own = alone.slices[value]["accuracy"]
        assert (own.low, own.high) == pytest.approx(
            tuple(getattr(te.interval(round(own.estimate * own.n), own.n), end) for end in ("low", "high"))
        )
        assert inner["accuracy"].low < own.low
        assert inner["accuracy"].high > own.high
    assert "intervals hold together" in str(together)
    assert "intervals hold each by itself" in str(alone)
    assert together["accuracy"].low == alone["accuracy"].low


@pytest.mark.parametrize("simultaneous", [None, False, True])
def test_the_lowest_of_many_slices_is_expected_to_be_better(simultaneous):
    truth, predicted, group = sliced()
    ev = te.evaluate(truth, predicted, by=group, simultaneous=simultaneous, metrics="accuracy")
    (found,) = [f for f in ev.findings if f.code == "TE414"]
    worst = min(ev.slices, key=lambda v: ev.slices[v]["accuracy"].estimate)
    assert found.message.startswith(f"{worst} is the lowest of 20 slices by accuracy")
    # However the limits of the table were made, the choice is allowed for in one way.
    assert "expect 0.751 [0.549, 0.856]" in found.message


def test_the_highest_error_is_the_worst_one():
    truth, predicted, group = sliced()
    ev = te.evaluate(truth, predicted, by=group, metrics="error_rate")
    (found,) = [f for f in ev.findings if f.code == "TE414"]
    assert "is the highest of 20 slices by error rate" in found.message


def test_gaps_show_each_group_by_itself():
    truth, predicted, group = sliced(5)
    ev = te.evaluate(truth, predicted, by=group)
    alone = te.evaluate(truth, predicted, by=group, simultaneous=False)
    assert ev.gaps("accuracy")["accuracy"].groups["g01"].low == alone.slices["g01"]["accuracy"].low
