"""Laws of the one rule for limits, whatever the metric and however rows were drawn."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.metrics._registry import every_measure
from trueerror.tallies import Confusion

SCORES = ("auc", "average_precision", "brier", "log_loss")
LABELS = ("accuracy", "recall", "precision", "f1", "mcc", "kappa", "balanced_accuracy", "g_mean", "macro_f1")
TWO = ("accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "g_mean")
MANY = ("accuracy", "balanced_accuracy", "macro_f1", "macro_precision", "mcc", "kappa", "g_mean", "macro_jaccard")
EVERY = tuple(
    m.name for m in every_measure().values() if not (m.of_grades or m.of_class_scores or "costs" in m.options)
)
Rows = dict[str, Any]


@cache
def drawn(seed: int, n: int = 120, share: float = 0.35, distance: float = 1.4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    y[:2] = 0, 1
    return y, 1 / (1 + np.exp(-(distance * y + rng.normal(size=n) - distance / 2)))


DESIGNS: dict[str, Any] = {
    "rows": lambda n: {},
    "clusters": lambda n: {"clusters": np.arange(n) // 4},
    "unlike clusters": lambda n: {"clusters": np.floor(np.sqrt(np.arange(n))).astype(int)},
    "weights": lambda n: {"weights": 0.5 + np.arange(n) % 5, "weights_kind": "sampling"},
}


def limits(metric: str, y: np.ndarray, s: np.ndarray, **options: Any) -> tuple[float, float]:
    found = te.evaluate(y, scores=s, positive=1, threshold=0.5, metrics=[metric], **options)[metric]
    return found.low, found.high


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("metric", EVERY)
def test_limits_are_nested_in_confidence(metric: str, design: str) -> None:
    y, s = drawn(1)
    before = None
    for confidence in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
        low, high = limits(metric, y, s, confidence=confidence, **DESIGNS[design](len(y)))
        # Rounding apart: an end of the range may be met by a sum.
        assert before is None or not (low > before[0] + 1e-12 or high < before[1] - 1e-12)
        before = low, high


def worse_by_a_row(rng: np.random.Generator, k: int) -> tuple[np.ndarray, np.ndarray]:
    """A random table, and the same with a right row called something else."""
    sizes = rng.integers(5, 40, k)
    right = rng.choice([0.5, 0.7, 0.9, 0.97, 1.0], k)
    wrong = [rng.multinomial(size, np.full(k - 1, 1 / (k - 1))) for size in rng.binomial(sizes, 1 - right)]
    table = np.zeros((k, k), dtype=int)
    for i in range(k):
        table[i, np.arange(k) != i] = wrong[i]
        table[i, i] = sizes[i] - wrong[i].sum()
    i = rng.choice(np.flatnonzero(np.diag(table) > 0))
    j = rng.choice(np.flatnonzero(np.arange(k) != i))
    worse = table.copy()
    worse[i, i] -= 1
    worse[i, j] += 1
    return table, worse


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_right_row_turned_wrong_raises_hardly_any_limit(k: int) -> None:
    # Exceptions are tables on whose edge a row decides: a class that loses its only right row, a table without errors.
    rng = np.random.default_rng(k)
    labels, tried = list(range(k)), 0
    raised = []
    for _ in range(150):
        tables = [Confusion(cells, labels=labels, positive=1 if k == 2 else None) for cells in worse_by_a_row(rng, k)]
        for name in TWO if k == 2 else MANY:
            one, other = (metric_interval(name, t, positive=1 if name == "f1" else None) for t in tables)
            tried += other.estimate < one.estimate
            if other.estimate < one.estimate and (other.low > one.low + 2e-3 or other.high > one.high + 2e-3):
                raised.append((name, [t.matrix.tolist() for t in tables], one, other))
    assert len(raised) <= 0.01 * tried
    assert not [name for name, *_ in raised if name in ("accuracy", "f1", "mcc")]


@pytest.mark.parametrize("metric", [*SCORES, *LABELS])
def test_clusters_of_one_row_are_rows_and_weights_of_one_are_none(metric: str) -> None:
    y, s = drawn(2, n=400)
    n = len(y)
    plain, ones = limits(metric, y, s), limits(metric, y, s, clusters=np.arange(n))
    # t(n − 1) for z, n/(n − 1) for 1, and a row left out for its derivative.
    assert ones == pytest.approx(plain, abs=0.02 * (plain[1] - plain[0]))
    weighed = limits(metric, y, s, weights=np.ones(n), weights_kind="sampling")
    assert weighed == pytest.approx(plain, abs=0.005 * (plain[1] - plain[0]))
    tens = limits(metric, y, s, weights=np.full(n, 10.0), weights_kind="sampling")
    assert tens == pytest.approx(weighed, rel=1e-9)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("metric", EVERY)
def test_rows_that_weigh_nothing_are_no_rows(metric: str, clustered: bool) -> None:
    y, s = drawn(3)
    weights, keys = np.arange(len(y)) * 7 % 4 * 1.0, np.arange(len(y)) // 6
    weights[keys < 3] = 0.0
    kept = weights > 0

    def weighed(rows: Any) -> tuple[float, float]:
        more: Rows = {"clusters": keys[rows]} if clustered else {}
        return limits(metric, y[rows], s[rows], weights=weights[rows], weights_kind="sampling", **more)

    assert weighed(slice(None)) == pytest.approx(weighed(kept), rel=1e-9, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("metric", [*SCORES, *LABELS])
@pytest.mark.parametrize(("n", "distance"), [(60, 1.0), (200, 2.0), (200, 3.5)])
def test_one_row_more_moves_no_limit_far(metric: str, n: int, distance: float) -> None:
    far, draws = [], 60
    for seed in range(draws):
        y, s = drawn(1_000 + seed, n=n + 1, distance=distance)
        rare = min(int(y[:n].sum()), n - int(y[:n].sum()))
        wrong = int(((s[:n] >= 0.5) != y[:n]).sum())
        if min(rare, wrong) < 5:
            continue
        scale = 1.0 if metric != "log_loss" else float((-np.log(np.where(y == 1, s, 1 - s))).max())
        pairs = zip(limits(metric, y[:n], s[:n]), limits(metric, y, s), strict=True)
        far.append(max(abs(a - b) for a, b in pairs) > 2 * scale * (2 if metric in ("mcc", "kappa") else 1) / rare)
    assert sum(far) <= max(1, 0.02 * len(far))


@pytest.mark.parametrize("design", ["rows", "clusters"])
@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "log_loss", "f1", "macro_f1", "mcc"])
def test_p_value_interval_and_verdict_say_the_same(metric: str, design: str) -> None:
    decided = set()
    for seed in range(25):
        y, s = drawn(50 + seed, n=160)
        noise = np.random.default_rng(seed).normal(size=len(y)) * (0.2, 1.0, 3.0)[seed % 3]
        other = 1 / (1 + np.exp(-(np.log(s / (1 - s)) + noise)))
        c = te.compare(
            y, scores={"a": s, "b": other}, metric=metric, positive=1, threshold=0.5, **DESIGNS[design](len(y))
        )
        pair = c["a", "b"]
        outside = pair.low > 0 or pair.high < 0
        assert outside == (pair.p_value < 0.05)
        assert c.told_apart("a", "b") == outside
        decided.add(outside)
    assert decided == {True, False}


def test_each_metric_of_labels_has_limits_within_its_range_that_hold_it() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        table, _ = worse_by_a_row(rng, 2)
        t = Confusion(table, labels=[0, 1], positive=1)
        for m in every_measure().values():
            if not m.of_labels or m.total_of:
                continue
            found = metric_interval(m, t, positive=1 if m.of_one_class else None)
            if math.isfinite(found.estimate) and math.isfinite(found.low):
                assert m.range[0] <= found.low <= found.estimate <= found.high <= m.range[1]
                assert found.low < found.high
