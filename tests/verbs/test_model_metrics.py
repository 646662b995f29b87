"""Metrics of one model: at several levels of confidence, each thing counted once."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import trueerror as te
from trueerror.inference.counts._one_class import LabelSample
from trueerror.metrics._registry import find_measure
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import own_rows
from trueerror.verbs._model_metrics import ModelMetrics, Settings

RNG = np.random.default_rng(5)
N = 240
TRUTH = RNG.integers(0, 2, N)
SCORES = 1 / (1 + np.exp(-(2 * TRUTH - 1) - RNG.normal(0, 1.2, N)))
LABELS = (SCORES > 0.5).astype(int)
CLUSTERS = np.arange(N) // 5
DESIGNS = {
    "rows": {},
    "clusters": {"clusters": CLUSTERS},
    "weights": {"weights": RNG.uniform(0.5, 2, N), "weights_kind": "sampling"},
}


def counted(monkeypatch, owner, name):
    """How often a function is called from now on."""
    calls, original = [], getattr(owner, name)

    def counting(*args, **kwargs):
        calls.append(name)
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, counting)
    return calls


@pytest.mark.parametrize("metric", ["accuracy", "f1", "macro_f1", "mcc", "auc", "average_precision", "brier"])
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_at_any_confidence_are_those_asked_for_one_by_one(metric, design):
    p = te.predictions(TRUTH, {"m": LABELS}, scores={"m": SCORES}, **DESIGNS[design])
    settings, measure = Settings(rng=1, replicates=200), find_measure(metric)
    at = ModelMetrics("m", settings, predictions=p).intervals(measure)
    for confidence in (0.8, 0.95):
        one = ModelMetrics("m", replace(settings, confidence=confidence), predictions=p).interval(measure)
        assert at(confidence) == one


def test_a_method_that_is_not_offered_gives_way_at_any_confidence():
    p = te.predictions(TRUTH, {"m": LABELS}, scores={"m": SCORES})
    settings, measure = Settings(method="wilson"), find_measure("mcc")
    assert ModelMetrics("m", settings, predictions=p).intervals(measure)(0.9).method == "effective-t"


def test_limits_at_several_levels_rest_on_one_variance(monkeypatch):
    p = te.predictions(TRUTH, {"m": LABELS}, clusters=CLUSTERS)
    views = counted(monkeypatch, LabelSample, "of")
    interval_at = own_rows(p, "m", find_measure("f1"), Settings())[4]
    narrow, wide = interval_at(0.8), interval_at(0.95)
    assert wide.low < narrow.low < narrow.high < wide.high
    assert len(views) == 1


def test_groups_that_share_clusters_are_counted_once_for_all_pairs(monkeypatch):
    groups = np.array(["a", "b", "c", "d", "e"])[np.arange(N) % 5]
    tables = counted(monkeypatch, Predictions, "keyed_confusion")
    found = te.gaps(TRUTH, LABELS, by=groups, clusters=CLUSTERS, metrics=["accuracy"])
    assert len(found["accuracy"].pairs) == 10
    assert len(tables) <= 5 * 3 + 1  # that of all rows too
    right = {g: (TRUTH == LABELS)[groups == g].astype(float) for g in "abcde"}
    for pair, (a, b) in zip(found["accuracy"].pairs, combinations("abcde", 2), strict=True):
        assert (pair.first, pair.second) == (a, b)
        assert pair.estimate == pytest.approx(right[a].mean() - right[b].mean(), abs=1e-12)


def test_another_class_mix_is_said_with_what_was_read():
    p = te.predictions(TRUTH, {"m": LABELS})
    assert "At another class mix: 20 % 1." in te.evaluate(p, prior=0.2, metrics=["precision"]).reading
    assert "class mix" not in te.evaluate(p, metrics=["precision"]).reading
