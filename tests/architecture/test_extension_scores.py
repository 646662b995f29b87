"""A metric of scores, and an interval for the AUC, are one function each: a decorator shows them to every verb."""

import numpy as np
import pytest

import trueerror as te
from tests.architecture.methods import withdraw
from trueerror.inference._problem import IntervalLimits
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, inference_method, methods_on
from trueerror.metrics._registry import _REGISTRY, every_measure, measure

TRUTH, SCORES = [0, 0, 1, 1, 0, 1] * 5, [0.1, 0.6, 0.4, 0.9, 0.2, 0.8] * 5


@pytest.fixture
def toy():
    @inference_method("toy", on=ONE, applies=lambda q: q.metric.area)
    def limits(q):
        return IntervalLimits(q.sample.estimate - 0.01, q.sample.estimate + 0.01, "toy")

    yield limits
    withdraw("toy")


def test_a_method_that_is_entered_can_be_asked_for(toy):
    made = te.evaluate(TRUTH, scores=SCORES, metrics=["auc"], method="toy")["auc"]
    assert made.method == "toy"
    assert made.width == pytest.approx(0.02)
    assert "Method: toy." in made.explain()
    assert "toy" in {m.word for m in methods_on(ONE)}


def test_a_word_that_does_not_apply_is_refused_with_those_that_do(toy):
    with pytest.raises(InputError, match=r"is not offered for auc; there are 'effective-t', .*'toy'"):
        te.evaluate(TRUTH, scores=SCORES, metrics=["auc"], method="wald")


def test_the_registry_is_as_it_was():
    assert "toy" not in {m.word for m in methods_on(ONE)}


@pytest.fixture
def toy_metric():
    every_measure()

    @measure("toy_gap", needs="scores", best=1.0, range=(-1.0, 1.0), undefined="all rows are of one class")
    def toy_gap(t, masses=None):
        """Mean score of the positives less that of the negatives."""
        up, down = (t.positives, t.negatives) if masses is None else masses
        return (up * t.scores).sum(axis=-1) / up.sum(axis=-1) - (down * t.scores).sum(axis=-1) / down.sum(axis=-1)

    yield
    del _REGISTRY.measures["toy_gap"]


@pytest.mark.usefixtures("toy_metric")
def test_a_metric_of_scores_has_its_limits_and_its_test_from_the_formula_alone():
    """The gap of mean scores is the difference of two means, whose limits are known."""
    rng = np.random.default_rng(1)
    truth = np.arange(200) % 2
    scores = {
        m: np.clip(0.5 + gap * (truth - 0.5) + rng.normal(0, 0.15, 200), 0, 1) for m, gap in (("a", 0.4), ("b", 0.2))
    }
    alone = te.evaluate(truth, scores=scores, metrics=["toy_gap"]).model("a")["toy_gap"]
    up, down = (scores["a"][truth == k] for k in (1, 0))
    error = np.sqrt(up.var() / 100 + down.var() / 100)
    assert alone.estimate == pytest.approx(up.mean() - down.mean())
    assert alone.width == pytest.approx(2 * 1.96 * error, rel=0.1)
    pair = te.compare(truth, scores=scores, metric="toy_gap")["a", "b"]
    assert 0 < pair.low < pair.estimate < pair.high
    assert pair.p_value < 0.001
    assert te.gate(truth, scores=scores, metric="toy_gap", candidate="a", baseline="b").decision == "pass"
