"""A metric and its complement give one answer: which end is good changes no verdict, count of wins or P(better)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.metrics import _registry
from trueerror.metrics._registry import AVERAGES, Measure, averaged, every_measure
from trueerror.verbs._comparison import Comparison, _tone

MEASURES = [m for m in every_measure().values() if m.higher_is_better is not None]
MEASURES += [averaged(m, a) for m in MEASURES if m.of_one_class for a in AVERAGES]
# The area is computed by placements, and a grade's scale is read from the rows: neither has a complement to be given.
TURNED = [m for m in MEASURES if not m.area and m.needs in ("binary", "classes", "cells", "losses", "scores")]
TURNED = [m for m in TURNED if not m.calibration_error and math.isfinite(sum(m.range))]


def complement(m: Measure) -> Measure:
    """1 less the metric, whose good end is the other one."""

    def turned(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *a, **k: _less(f(*a, **k))

    def share(t: Any) -> tuple[Any, Any]:
        x, n = m.share(t)  # type: ignore[misc]
        return n - x, n

    def function(*given: Any, **options: Any) -> Any:
        return 1 - m.function(*given, **options)

    function.__dict__["any_scores"] = m.row_hits
    low, high = m.range
    return replace(
        m, name=f"not_{m.name}", title=f"1 less {m.title}", aliases=(), range=(1 - high, 1 - low), best=1 - m.best,  # type: ignore[operator]
        function=function, share=share if m.share else None,
        gradient=turned(m.gradient) if m.gradient else None, left_out=turned(m.left_out) if m.left_out else None,
        right_or_wrong=-m.right_or_wrong, share_of_rows=0, sum_of=None, average=None, of="", multilabel=None,
        takahashi=(), within_class=False, rows_in_play=False,
    )  # fmt: skip


def _less(found: Any) -> Any:
    if isinstance(found, tuple):
        return type(found)(*(None if x is None else -x for x in found))
    return None if found is None else -found


def rows(seed: int, n: int = 240) -> tuple[Any, dict[str, Any]]:
    draw = np.random.default_rng(seed)
    truth = draw.random(n) < 0.4
    a, b = (1 / (1 + np.exp(-(k * (truth - 0.5) + draw.normal(size=n)))) for k in (2.4, 1.6))
    return truth, {"a": a, "b": b}


def answers(cmp: Comparison) -> dict[str, Any]:
    c = cmp["a", "b"]
    return {
        "order": cmp.ranked, "tiers": cmp.tiers, "wins": cmp.facts.counts("a", "b"), "tone": _tone(cmp),
        "better": cmp.better("a", "b"), "p": round(c.p_value, 9), "P": c.p_better and round(c.p_better, 9),
        "bayes": [round(x, 9) for x in (cmp.bayes("a", "b").left, cmp.bayes("a", "b").right)],
    }  # fmt: skip


@pytest.mark.parametrize("m", TURNED, ids=lambda m: m.name)
def test_the_complement_of_a_metric_gives_the_same_answer(m, monkeypatch):
    other = complement(m)
    monkeypatch.setitem(_registry._REGISTRY.own, other.name, other)
    truth, scores = rows(len(m.name))
    ask = {"costs": [[0, 1], [5, 0]]} if "costs" in m.options else {}
    there, back = (te.compare(truth, scores=scores, metric=x.name, **ask) for x in (m, other))
    assert answers(there) == answers(back)
    assert there["a", "b"].estimate == pytest.approx(-back["a", "b"].estimate)


@pytest.mark.parametrize("m", [m for m in TURNED if m.share is not None and m.of_labels], ids=lambda m: m.name)
def test_the_same_of_models_on_different_rows(m, monkeypatch):
    other = complement(m)
    monkeypatch.setitem(_registry._REGISTRY.own, other.name, other)
    (y, s), (z, t) = rows(1), rows(2, 200)
    first, second = te.predictions(y, scores={"a": s["a"]}), te.predictions(z, scores={"b": t["b"]})
    there, back = (te.compare(first, second, metric=x.name, paired=False) for x in (m, other))
    assert answers(there) == answers(back)


@pytest.mark.parametrize("metric", [m.name for m in MEASURES if m.needs in ("binary", "classes") and m.best == 0])
@pytest.mark.parametrize("paired", [True, False])
def test_the_better_model_of_a_metric_that_falls_wins_more_often(metric, paired):
    truth, scores = rows(3, 600)
    calls = {name: x >= 0.5 for name, x in scores.items()}
    if paired:
        cmp = te.compare(truth, calls, metric=metric)
    else:
        first, second = (te.predictions(truth, {name: x}) for name, x in calls.items())
        cmp = te.compare(first, second, metric=metric, paired=False)
    c = cmp[cmp.ranked[0], cmp.ranked[1]]
    assert c.estimate < 0
    assert c.p_better is None or c.p_better > 0.5
    counts = cmp.facts.counts(*cmp.ranked)
    assert counts is None or counts[1] > counts[2]
    assert cmp.bayes(*cmp.ranked).right > 0.5


@pytest.mark.parametrize("m", TURNED, ids=lambda m: m.name)
def test_a_gate_decides_alike(m, monkeypatch):
    other = complement(m)
    monkeypatch.setitem(_registry._REGISTRY.own, other.name, other)
    truth, scores = rows(len(m.name))
    p, ask = te.predictions(truth, scores=scores), {"costs": [[0, 1], [5, 0]]} if "costs" in m.options else {}
    value = te.evaluate(p, metrics=[m.name], **ask).model("a")[m.name].estimate
    for margin, line in ((0.0, value), (0.02, value - 0.1 * (m.range[1] - m.range[0]) * (1 if m.best else -1))):
        line = min(max(line, m.range[0]), m.range[1])
        there = te.gate(p, "b", model="a", metric=m.name, margin=margin, at_least={m.name: line}, **ask)
        back = te.gate(p, "b", model="a", metric=other.name, margin=margin, at_least={other.name: 1 - line}, **ask)
        assert [c.decision for c in there.checks] == [c.decision for c in back.checks]
        for one, turned in zip(there.checks, back.checks, strict=True):
            whole = 1.0 if one.kind == "threshold" else 0.0
            if one.method != turned.method or m.takahashi or m.of:
                continue  # F1 has limits of its own, which its complement is not known to have
            assert (one.low, one.high) == pytest.approx((whole - turned.high, whole - turned.low), nan_ok=True)


@pytest.mark.parametrize("m", [m for m in TURNED if m.of_labels and not m.options], ids=lambda m: m.name)
def test_matrices_of_different_rows_are_judged_alike(m, monkeypatch):
    other = complement(m)
    monkeypatch.setitem(_registry._REGISTRY.own, other.name, other)
    tables = []
    for name, (truth, scores) in (("a", rows(1)), ("b", rows(2, 200))):
        tables.append(te.Confusion.count(truth, scores[name] >= 0.5))
    there, back = (answers(te.compare(dict(zip("ab", tables, strict=True)), metric=x.name)) for x in (m, other))
    of_own_limits = ("p", "P", "bayes") if m.name == "f1" or m.of else ()
    assert {k: v for k, v in there.items() if k not in of_own_limits} == {
        k: v for k, v in back.items() if k not in of_own_limits
    }


@pytest.fixture(scope="module", params=["folds", "out of bag", "one split"])
def learners(request: pytest.FixtureRequest) -> te.Experiment:
    from sklearn.tree import DecisionTreeClassifier

    draw = np.random.default_rng(5)
    X = draw.normal(size=(90, 3))
    y = (X[:, 0] + 0.7 * draw.normal(size=90) > 0).astype(int)
    plan = {"folds": te.KFold(3), "out of bag": te.Bootstrap(25), "one split": te.Holdout(0.5)}[request.param]
    trees = {"a": DecisionTreeClassifier(max_depth=1, random_state=0), "b": DecisionTreeClassifier(random_state=0)}
    return te.experiment(trees, (X, y), plan=plan, progress=False, rng=1)


@pytest.mark.parametrize("name", ["accuracy", "recall", "f1", "balanced_accuracy", "mcc", "brier"])
def test_learners_are_judged_alike(name, learners, monkeypatch):
    m = _registry.find_measure(name)
    other = complement(m)
    monkeypatch.setitem(_registry._REGISTRY.own, other.name, other)
    there, back = (learners.compare(metric=x.name) for x in (m, other))
    assert there.ranked == back.ranked
    one, turned = there["a", "b"], back["a", "b"]
    assert (one.estimate, one.low, one.high) == pytest.approx((-turned.estimate, -turned.high, -turned.low))
    assert (one.p_value, there.better("a", "b")) == (pytest.approx(turned.p_value), back.better("a", "b"))
    assert _tone(there) == _tone(back)
    assert (one.p_better is None) == (turned.p_better is None)
    assert one.p_better is None or one.p_better == pytest.approx(turned.p_better)
