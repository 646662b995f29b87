"""The shipped table of measured coverage, and how a result finds its place in it."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

import trueerror as te
from trueerror.inference.proportion._paired import mcnemar
from trueerror.methods import every_method
from trueerror.methods._facts import every_measurement, nearest_measurement, nearest_words


def like(**facts: object) -> SimpleNamespace:
    return SimpleNamespace(
        **{"method": "wilson", "name": "share", "estimate": 0.9, "n": 50, "confidence": 0.95, **facts}
    )


def test_the_table_is_sound() -> None:
    rows = every_measurement()
    assert len(rows) > 500
    known = every_method()
    for m in rows:
        assert m.method in known
        assert m.kind in ("interval", "test")
        assert 0 <= m.rate <= 1
        assert m.n > 0
        assert m.samples == 0 or m.samples >= 500
        assert m.scenario


def test_the_nearest_size_and_value_are_found() -> None:
    found = nearest_measurement(like(n=60, estimate=0.93))
    assert found is not None
    assert (found.n, found.truth) in ((50, 0.9), (50, 0.95))
    far = nearest_measurement(like(n=900, estimate=0.5))
    assert far is not None
    assert (far.n, far.truth) == (1000, 0.5)


def test_the_own_metric_comes_first() -> None:
    found = nearest_measurement(like(method="wilson-f1", name="f1", n=40, estimate=0.7))
    assert found is not None
    assert found.metric == "f1"


@pytest.mark.parametrize(
    "facts", [{"method": "no-such-method"}, {"n": None}, {"n": 0}, {"side": "lower"}, {"method": ""}]
)
def test_nothing_is_cited_where_nothing_was_measured(facts: dict[str, object]) -> None:
    assert nearest_words(like(**facts)) == ""
    assert nearest_measurement(like(confidence=0.8)) is None


def test_an_undefined_estimate_is_placed_by_its_size() -> None:
    assert nearest_measurement(like(estimate=math.nan)) is not None


def test_words() -> None:
    words = nearest_words(te.interval(45, 50))
    assert "of 95 % intervals held the true value" in words
    assert "by enumeration" in words
    assert nearest_words(te.interval(45_000, 500_000)).startswith("nothing of this size was tried")
    assert "declared different" in nearest_words(mcnemar(7, 1, both_right=80, both_wrong=12))


def test_explain_cites_it() -> None:
    assert "Near here: " in te.interval(45, 50).explain()
    # A confidence that was not measured is not cited.
    assert "Near here: " not in te.interval(45, 50, confidence=0.8).explain()
