"""An interval for the AUC is one function in one place: a decorator makes it known to every verb."""

import pytest

import trueerror as te
from trueerror.inference._problem import IntervalLimits
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, inference_method, methods_on, withdraw

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
