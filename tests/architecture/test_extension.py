"""Something new is one function with one decorator: a count metric, and an interval for proportions."""

import numpy as np
import pytest

import trueerror as te
from tests.architecture.methods import withdraw
from trueerror.inference.proportion._interval import FORMS, proportion_interval, wilson
from trueerror.inputs._options import InputError
from trueerror.methods._registry import ONE, methods_on
from trueerror.metrics._registry import _REGISTRY, every_measure, measure, ratio

TRUTH, CALLED = [0, 1] * 40, [0, 1, 0, 1, 1, 1, 0, 0] * 10


@pytest.fixture
def toy_metric():
    every_measure()

    @measure(
        "toy_share", best=1.0, aliases=("toy",), share=lambda t: (t.tp + t.tn, t.total),
        undefined="there are no rows",
    )  # fmt: skip
    def toy_share(t):
        """Share of the rows that were called right, of one class against the rest."""
        return ratio(t.tp + t.tn, t.total)

    yield
    del _REGISTRY.measures["toy_share"], _REGISTRY.aliases["toy"]


@pytest.fixture
def toy_interval():
    @proportion_interval("toy-wilson")
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
    assert plain["macro_toy_share"].low < plain["macro_toy_share"].estimate < plain["macro_toy_share"].high


@pytest.fixture
def smooth_metric():
    every_measure()

    @measure("toy_smooth", best=1.0, undefined="no row is positive, or called so")
    def toy_smooth(t):
        """Hits over hits, false alarms and twice the misses."""
        return ratio(t.tp, t.tp + t.fp + 2 * t.fn)

    yield
    del _REGISTRY.measures["toy_smooth"]


def test_a_smooth_metric_has_limits_tests_and_gates_in_every_design(smooth_metric):
    """Nothing but the formula says how it varies: one rule makes its limits from what each row adds."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    new, old = (np.where(rng.random(400) < right, truth, 1 - truth) for right in (0.9, 0.75))
    clusters, half, weights = np.arange(400) // 4, np.arange(400) % 2, rng.lognormal(0, 0.5, 400)
    designs = [
        {}, {"clusters": clusters}, {"weights": weights, "weights_kind": "sampling"}, {"prior": 0.3}, {"by": half},
    ]  # fmt: skip
    for design in designs:
        alone = te.evaluate(truth, new, positive=1, metrics=["toy_smooth"], **design)["toy_smooth"]
        assert 0 < alone.low < alone.estimate < alone.high < 1
        pair = te.compare(truth, {"new": new, "old": old}, metric="toy_smooth", positive=1, **design)["new", "old"]
        assert 0 < pair.low < pair.estimate < pair.high
        assert pair.p_value < 0.01
    unlike = te.gaps(truth, np.where(half, new, old), by=half, metric="toy_smooth", positive=1)
    assert unlike["toy_smooth"].difference.low > 0
    gate = te.gate(
        truth,
        {"new": new, "old": old},
        metrics=["toy_smooth"],
        candidate="new",
        baseline="old",
        margin=0.01,
        positive=1,
    )
    assert gate.decision == "pass"
    close = te.gate(
        truth, {"new": old, "old": old[::-1]}, metrics=["toy_smooth"], candidate="new", baseline="old", margin=0.01,
        positive=1,
    )  # fmt: skip
    assert close.decision != "cannot tell" or close.checks[0].rows_needed is not None


def test_an_interval_for_proportions_is_one_function(toy_interval):
    alone = te.interval(30, 40, method="toy-wilson")
    assert alone.low == pytest.approx(te.interval(32, 44).low)
    evaluated = te.evaluate(te.Confusion([[45, 5], [15, 15]]), method="toy-wilson")
    assert evaluated["accuracy"].method == evaluated["recall", 0].method == "toy-wilson"
    assert evaluated["accuracy"].low == pytest.approx(te.interval(62, 84).low)
    assert "toy-wilson" in {m.word for m in methods_on(ONE)}
    assert "Method: toy-wilson." in alone.explain()
    with pytest.raises(InputError, match="'toy-wilson'"):
        te.evaluate(te.Confusion([[45, 5], [15, 15]]), metrics=["accuracy"], method="nonsense")


def test_what_was_entered_for_a_test_is_gone():
    assert "toy_share" not in every_measure()
    assert "toy-wilson" not in {m.word for m in methods_on(ONE)}
    with pytest.raises(InputError, match="not known"):
        te.interval(30, 40, method="toy-wilson")
