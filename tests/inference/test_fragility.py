"""How many more rows of the worst kind would undo a difference: what one more row can do, counted by adding it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._two_models import PairedRows
from trueerror.metrics._registry import find_measure


def _drawn(n, classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, n, p=np.arange(classes, 0, -1) / np.arange(classes, 0, -1).sum())
    return y, *(np.where(rng.random(n) < right, y, rng.integers(0, classes, n)) for right in (0.9, 0.8))


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "macro_f1", "mcc", "kappa", "macro_recall"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_worst_row_is_the_worst_that_could_be_added_to_one_model(metric, classes):
    y, a, b = _drawn(4_000, classes, 1)
    p = te.predictions(y, {"a": a, "b": b}, positive=1 if classes == 2 else None)
    pair = PairedRows(p, find_measure(metric), {}).pair("a", "b")
    added = {
        model: [
            te.metric(metric, np.append(y, truth), np.append(said, call)) - te.metric(metric, y, said)
            for truth, call in product(range(classes), repeat=2)
        ]
        for model, said in (("a", a), ("b", b))
    }
    low, high = pair.extreme()
    assert low == pytest.approx(min(*added["a"], *(-x for x in added["b"])), rel=0.01)
    assert high == pytest.approx(max(*added["a"], *(-x for x in added["b"])), rel=0.01)


@pytest.mark.parametrize(("metric", "failed"), [("accuracy", 0.9), ("recall", 0.9), ("auc", 0.8), ("brier", None)])
def test_a_failed_cluster_has_rows_of_all_classes(metric, failed):
    rng = np.random.default_rng(3)
    y, keys = (rng.random(600) < 0.4).astype(int), np.arange(600) // 10
    scores = {m: 1 / (1 + np.exp(-(2 * y - 1) * k - rng.normal(size=600))) for m, k in (("a", 1.3), ("b", 1.2))}
    p = te.predictions(y, scores=scores, positive=1, clusters=keys)
    low, high = PairedRows(p, find_measure(metric), {}, threshold=0.5).pair("a", "b").extreme()
    # One cluster of sixty in which a model is never right, ranks at random, or is as wrong as its forecasts can be.
    most = 1 / 60 if failed is None else te.metric(metric, y, *(
        [(scores["a"] >= 0.5).astype(int)] if metric in ("accuracy", "recall") else []
    ), scores=scores["a"] if metric == "auc" else None, positive=1) / 60  # fmt: skip
    assert -1.2 * most < low < 0 < high < 1.2 * most
    if failed is not None:
        assert low < -failed * most


def test_the_gate_of_two_models_with_many_rows_in_between_is_not_fragile():
    p = te.read(te.data.path("breast_cancer"), positive="malignant")
    assert te.gate(p, "knn", model="logreg", margin=0.03).decision == "pass"
