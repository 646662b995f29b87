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
