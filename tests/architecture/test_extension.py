"""Something new is one function with one decorator: a count metric, and an interval for proportions."""

import pytest

import trueerror as te
from trueerror.inference.proportion._interval import FORMS, proportion_interval, wilson
from trueerror.inputs._options import InputError
from trueerror.methods import decision, every_method
from trueerror.methods._registry import withdraw
from trueerror.metrics._registry import _REGISTRY, every_measure, measure, ratio

TRUTH, CALLED = [0, 1] * 40, [0, 1, 0, 1, 1, 1, 0, 0] * 10


@pytest.fixture
def toy_metric():
    every_measure()

    @measure(
        "toy_share", best=1.0, situation="proportion", aliases=("toy",), share=lambda t: (t.tp + t.tn, t.total),
        undefined="there are no rows",
    )  # fmt: skip
    def toy_share(t):
        """Share of the rows that were called right, of one class against the rest."""
        return ratio(t.tp + t.tn, t.total)

    yield
    del _REGISTRY.measures["toy_share"], _REGISTRY.aliases["toy"]


@pytest.fixture
def toy_interval():
    @proportion_interval(
        "toy-wilson", title="toy interval", formula="Wilson's for two more rows of each kind", source="this test"
    )
    def toy_wilson(x, n, z):
        return wilson(x + 2, n + 4, z)

    yield
    del FORMS["toy-wilson"]
    withdraw("toy-wilson")


def test_a_count_metric_is_one_function(toy_metric):
    assert "toy_share" in te.catalogue()
    plain = te.evaluate(TRUTH, CALLED, positive=1, metrics=["toy", "macro_toy_share"])
    right = sum(t == c for t, c in zip(TRUTH, CALLED, strict=True))
    exact = te.interval(right, len(TRUTH))
    assert (plain["toy_share"].low, plain["toy_share"].high) == pytest.approx((exact.low, exact.high))
    assert plain["macro_toy_share"].method == "effective-t"
    clustered = te.evaluate(TRUTH, CALLED, positive=1, metrics=["toy_share"], clusters=[i // 4 for i in range(80)])
    assert clustered["toy_share"].method == "effective-t"


def test_an_interval_for_proportions_is_one_function(toy_interval):
    alone = te.interval(30, 40, method="toy-wilson")
    assert alone.low == pytest.approx(te.interval(32, 44).low)
    evaluated = te.evaluate(te.Confusion([[45, 5], [15, 15]]), method="toy-wilson")
    assert evaluated["accuracy"].method == evaluated["recall", 0].method == "toy-wilson"
    assert evaluated["accuracy"].low == pytest.approx(te.interval(62, 84).low)
    assert evaluated["mcc"].method == "effective-t"
    assert every_method()["toy-wilson"].title == "toy interval"
    assert "toy-wilson" in decision("proportion").also
    assert "toy interval" in alone.explain()
    with pytest.raises(InputError, match="'toy-wilson'"):
        te.evaluate(te.Confusion([[45, 5], [15, 15]]), metrics=["accuracy"], method="nonsense")


def test_what_was_entered_for_a_test_is_gone():
    assert "toy_share" not in every_measure()
    assert "toy-wilson" not in every_method()
    with pytest.raises(InputError, match="not known"):
        te.interval(30, 40, method="toy-wilson")
