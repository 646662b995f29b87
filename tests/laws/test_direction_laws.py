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
