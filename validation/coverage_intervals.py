"""How often the default intervals hold the true value, by simulation from known class and error rates.

    python -m validation.coverage_intervals [--quick] [--replicates N] [--only WORD]

Prints one line for each metric and setting: the true value, the coverage of the default 95 % interval, its mean width,
and the share of samples that were left out since the metric was undefined in them.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from trueerror.intervals.of_metric import metric_interval
from trueerror.metrics.registry import find_measure
from trueerror.metrics.values import value
from trueerror.tallies import Confusion, KeyedConfusion, ScoreTable

Draw = Callable[[np.random.Generator], tuple[Any, dict[str, Any]]]


class Setting(NamedTuple):
    """Where samples come from, and what is true there."""

    name: str
    metrics: tuple[str, ...]
    truth: Callable[[str], float]
    draw: Draw


def two(prevalence: float, sensitivity: float, specificity: float) -> np.ndarray:
    """The four cell probabilities of two classes, rows = truth, negative first."""
    p, q = prevalence, 1 - prevalence
    return np.array([[q * specificity, q * (1 - specificity)], [p * (1 - sensitivity), p * sensitivity]])


THREE = np.array([[0.45, 0.03, 0.02], [0.05, 0.25, 0.05], [0.01, 0.02, 0.12]])
RARE = np.array([[0.6, 0.02, 0.01], [0.02, 0.3, 0.01], [0.005, 0.005, 0.03]])
GOOD = np.full((3, 3), 0.005) + np.eye(3) * 0.32
BINARY = (
    "accuracy", "precision", "recall", "f1", "f_beta", "fowlkes_mallows", "balanced_accuracy", "informedness",
    "markedness", "mcc", "kappa", "g_mean", "lr_plus", "diagnostic_odds_ratio",
)  # fmt: skip
CLASSES = (
    "accuracy", "macro_f1", "macro_precision", "macro_recall", "balanced_accuracy", "g_mean", "weighted_f1",
    "weighted_precision", "macro_specificity", "mcc", "kappa",
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2.0},
    "expected_cost": {"costs": [[0.0, 1.0], [20.0, 0.0]]},
}


def table_of(counts: np.ndarray) -> Confusion:
    """A table from drawn counts."""
    return Confusion(counts, positive=len(counts) - 1)


def random_rows(name: str, cells: np.ndarray, n: int, metrics: tuple[str, ...], **extra: Any) -> Setting:
    """Rows at random from cell probabilities; extra options go to the interval and to the truth."""
    p = cells / cells.sum()
    full = table_of((p * 1e12).round().astype(np.int64))

    def truth(metric: str) -> float:
        return value(find_measure(metric), full, **extra, **OPTIONS.get(metric, {}))

    def draw(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        return table_of(rng.multinomial(n, p.ravel()).reshape(p.shape)), extra

    return Setting(f"{name}, n = {n}", metrics, truth, draw)


def clustered_rows(rate: float, groups: int, size: int, spread: float) -> Setting:
    """Clusters whose own accuracy varies (a Beta with intra-cluster correlation `spread`)."""
    a, b = rate * (1 - spread) / spread, (1 - rate) * (1 - spread) / spread

    def draw(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        right = rng.random((groups, size)) < rng.beta(a, b, groups)[:, None]
        truth = rng.integers(0, 2, groups * size)
        called = np.where(right.ravel(), truth, 1 - truth)
        keys = np.repeat(np.arange(groups), size)
        keyed = KeyedConfusion.from_codes(keys, tuple(range(groups)), truth, called, (0, 1))
        return keyed.table, {"clusters": keyed}

    name = f"{groups} clusters of {size}, accuracy {rate}, correlation {spread}"
    return Setting(name, ("accuracy",), lambda _: rate, draw)


def weighted_rows(n: int) -> Setting:
    """Hard rows oversampled four times, and weighted back."""
    hard, right = 0.2, (0.95, 0.6)

    def draw(rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        is_hard = rng.random(n) < hard * 4 / (hard * 4 + 1 - hard)
        good = rng.random(n) < np.where(is_hard, right[1], right[0])
        truth = rng.integers(0, 2, n)
        called = np.where(good, truth, 1 - truth)
        weights = np.where(is_hard, 0.25, 1.0)
        return Confusion.count(truth, called, labels=[0, 1], weights=weights, weights_kind="sampling"), {}

    return Setting(f"sampling weights, n = {n}", ("accuracy",), lambda _: 0.8 * right[0] + 0.2 * right[1], draw)


def scored_rows(area: float, positives: int, negatives: int) -> Setting:
    """Normal scores with a given AUC; the truth of average precision is its mean over many large samples."""
    from scipy.special import ndtri

    shift = math.sqrt(2) * float(ndtri(area))
    share = positives / (positives + negatives)

    def draw(rng: np.random.Generator, scale: int = 1) -> tuple[Any, dict[str, Any]]:
        n = (positives + negatives) * scale
        up = int(rng.binomial(n, share)) if scale == 1 else positives * scale
        up = min(max(up, 1), n - 1)
        scores = rng.standard_normal(n)
        scores[:up] += shift
        return ScoreTable.count(np.arange(n) < up, scores), {}

    def truth(metric: str) -> float:
        if metric == "auc":
            return area
        rng = np.random.default_rng(11)
        big = max(1, 200_000 // (positives + negatives))
        return float(np.mean([value(find_measure(metric), draw(rng, big)[0]) for _ in range(5)]))

    name = f"AUC {area}, {positives} positives, {negatives} negatives"
    return Setting(name, ("auc", "average_precision"), truth, lambda rng: draw(rng))


def settings() -> Iterator[Setting]:
    """All settings."""
    for n in (40, 100, 400):
        yield random_rows("two classes .1/.70/.95", two(0.1, 0.7, 0.95), n, BINARY)
        yield random_rows("two classes .3/.90/.90", two(0.3, 0.9, 0.9), n, BINARY)
        yield random_rows("two classes .5/.97/.95", two(0.5, 0.97, 0.95), n, BINARY)
    for n in (50, 100, 400):
        yield random_rows("three classes", THREE, n, CLASSES)
        yield random_rows("three, one rare", RARE, n, CLASSES)
        yield random_rows("three, few errors", GOOD, n, CLASSES)
    at = ("accuracy", "precision", "npv", "f1", "mcc", "kappa", "macro_f1")
    for n in (100, 400):
        yield random_rows("at prior .1", two(0.5, 0.9, 0.8), n, at, prior=0.1)
        yield random_rows("rare dear misses", two(0.1, 0.9, 0.95), n, ("expected_cost",))
    yield clustered_rows(0.8, 40, 10, 0.2)
    yield clustered_rows(0.95, 20, 10, 0.3)
    yield clustered_rows(0.97, 50, 5, 0.1)
    yield weighted_rows(100)
    yield weighted_rows(400)
    yield scored_rows(0.8, 20, 80)
    yield scored_rows(0.95, 20, 20)
    yield scored_rows(0.95, 8, 200)
    yield scored_rows(0.99, 50, 50)


def coverage(setting: Setting, metric: str, samples: int, seed: int = 1) -> tuple[float, float, float, float]:
    """True value, coverage, mean width, share of samples in which the metric was undefined."""
    rng = np.random.default_rng(seed)
    true = setting.truth(metric)
    held, widths, undefined = 0, [], 0
    for _ in range(samples):
        table, extra = setting.draw(rng)
        made = metric_interval(metric, table, options=OPTIONS.get(metric, {}), **extra)
        if math.isnan(made.estimate):
            undefined += 1
            continue
        held += made.low <= true <= made.high
        if math.isfinite(made.width):
            widths.append(made.width)
    defined = max(1, samples - undefined)
    return true, held / defined, float(np.mean(widths)) if widths else math.nan, undefined / samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples: about a minute")
    parser.add_argument("--replicates", type=int, default=None, help="samples for each line")
    parser.add_argument("--only", default="", help="settings whose name holds this word")
    given = parser.parse_args()
    samples = given.replicates or (200 if given.quick else 4000)
    error = math.sqrt(0.95 * 0.05 / samples)
    print(f"Coverage of 95 % intervals, {samples} samples a line (± {2 * error:.3f})\n")
    started = time.perf_counter()
    for setting in settings():
        if given.only not in setting.name:
            continue
        print(setting.name)
        for metric in setting.metrics:
            true, held, width, undefined = coverage(setting, metric, samples)
            flag = "  <" if held < 0.9 else ""
            gone = f"  undefined {undefined:.3f}" if undefined else ""
            print(f"  {metric:<22} true {true:8.4f}  coverage {held:.3f}  width {width:.4f}{gone}{flag}")
        sys.stdout.flush()
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
