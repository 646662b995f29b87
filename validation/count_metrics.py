"""Metrics of a confusion matrix on rows drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from trueerror.intervals.of_metric import metric_interval
from trueerror.metrics.registry import find_measure
from trueerror.metrics.values import value
from trueerror.tallies import Confusion
from validation.frame import CONFIDENCES, Cell, Procedure

MAIN = ("accuracy", "f1", "macro_f1", "balanced_accuracy", "mcc", "kappa")
MAIN_CLASSES = ("accuracy", "macro_f1", "balanced_accuracy", "mcc", "kappa")
OTHERS = (
    "precision", "recall", "f_beta", "fowlkes_mallows", "informedness", "markedness", "g_mean", "lr_plus",
    "diagnostic_odds_ratio",
)  # fmt: skip
OTHERS_CLASSES = (
    "macro_precision", "macro_recall", "g_mean", "weighted_f1", "weighted_precision", "macro_specificity",
)  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2.0},
    "expected_cost": {"costs": [[0.0, 1.0], [20.0, 0.0]]},
}
# Other methods that people use, on a part of the grid.
RIVALS = (("f1", "delta"), ("macro_f1", "takahashi"), ("balanced_accuracy", "delta"), ("mcc", "delta"))


def two(prevalence: float, sensitivity: float, specificity: float) -> np.ndarray:
    """The four cell probabilities of two classes, rows = truth, negative first."""
    p, q = prevalence, 1 - prevalence
    return np.array([[q * specificity, q * (1 - specificity)], [p * (1 - sensitivity), p * sensitivity]])


THREE = {
    "three classes": np.array([[0.45, 0.03, 0.02], [0.05, 0.25, 0.05], [0.01, 0.02, 0.12]]),
    "three classes, one rare": np.array([[0.6, 0.02, 0.01], [0.02, 0.3, 0.01], [0.005, 0.005, 0.03]]),
    "three classes, few errors": np.full((3, 3), 0.005) + np.eye(3) * 0.32,
}


def table_of(counts: np.ndarray) -> Confusion:
    """A table from drawn counts."""
    return Confusion(counts, positive=len(counts) - 1)


def interval_procedure(metric: str, method: str | None = None, **extra: Any) -> Procedure:
    """The default interval of a metric, or another method by its name."""
    options = OPTIONS.get(metric, {})

    def apply(sample: Confusion, confidence: float) -> Any:
        return metric_interval(metric, sample, method=method, options=options, confidence=confidence, **extra)

    name = metric if method is None else f"{metric}, {method}"
    return Procedure(name, apply, default=method is None, target=metric)


def expected_events(metric: str, p: np.ndarray, n: int) -> float:
    """How many rows are expected on the rarer side of the metric's own denominator, in the worst class it averages."""
    hits, truth, called = np.diag(p) * n, p.sum(axis=1) * n, p.sum(axis=0) * n
    wrong = truth + called - 2 * hits
    sides: dict[str, Callable[[], Any]] = {
        "accuracy": lambda: (hits.sum(), n - hits.sum()),
        "precision": lambda: (hits[-1], called[-1] - hits[-1]),
        "recall": lambda: (hits[-1], truth[-1] - hits[-1]),
        "balanced_accuracy": lambda: (*hits, *(truth - hits)),
        "macro_recall": lambda: (*hits, *(truth - hits)),
        "macro_precision": lambda: (*hits, *(called - hits)),
    }
    for metric_of_one_class in ("f1", "f_beta", "fowlkes_mallows"):
        sides[metric_of_one_class] = lambda: (hits[-1], wrong[-1])
    if metric in ("informedness", "markedness", "g_mean", "lr_plus", "diagnostic_odds_ratio", "expected_cost"):
        return float(n * p.min())
    return float(min(sides.get(metric, lambda: (*hits, *wrong))()))


def random_rows(
    family: str, name: str, cells: np.ndarray, n: int, metrics: tuple[str, ...], *, rivals: bool = False, **extra: Any
) -> Cell:
    """Rows at random from cell probabilities; extra options go to the interval and to the truth."""
    p = cells / cells.sum()
    full = table_of((p * 1e12).round().astype(np.int64))
    truth: Mapping[str, float] = {m: value(find_measure(m), full, **extra, **OPTIONS.get(m, {})) for m in metrics}

    def draw(rng: np.random.Generator) -> Confusion:
        return table_of(rng.multinomial(n, p.ravel()).reshape(p.shape))

    procedures = [interval_procedure(m, **extra) for m in metrics]
    if rivals:
        procedures += [interval_procedure(m, method) for m, method in RIVALS if m in metrics]
    return Cell(
        family=family, scenario=f"{name}, n = {n:,}", draw=draw, procedures=tuple(procedures), truth=truth,
        events={m: expected_events(m, p, n) for m in metrics},
        confidences=CONFIDENCES if n == 100 else CONFIDENCES[:1],
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """The main metrics over sizes and prevalences; then the others, and other priors, on a smaller grid."""
    sizes = (50, 400) if quick else (20, 50, 100, 400, 2_000, 10_000)
    for prevalence in (0.1, 0.5) if quick else (0.01, 0.05, 0.1, 0.3, 0.5):
        for sensitivity, specificity in ((0.7, 0.95), (0.9, 0.9)):
            for n in sizes:
                name = f"{prevalence:.0%} positive, sensitivity {sensitivity}, specificity {specificity}"
                p = two(prevalence, sensitivity, specificity)
                yield random_rows("count metrics, two classes", name, p, n, MAIN, rivals=n in (50, 400))
    for name, p in THREE.items():
        for n in (100,) if quick else (50, 100, 400, 2_000):
            yield random_rows("count metrics, three classes", name, p, n, MAIN_CLASSES, rivals=True)
    if quick:
        return
    for n in (40, 100, 400):
        for words, p in (
            ("10% positive, sensitivity 0.7, specificity 0.95", two(0.1, 0.7, 0.95)),
            ("30% positive, sensitivity 0.9, specificity 0.9", two(0.3, 0.9, 0.9)),
            ("50% positive, sensitivity 0.97, specificity 0.95", two(0.5, 0.97, 0.95)),
        ):
            yield random_rows("other count metrics, two classes", words, p, n, OTHERS)
        for name, p in THREE.items():
            yield random_rows("other count metrics, three classes", name, p, n, OTHERS_CLASSES)
    at = ("accuracy", "precision", "npv", "f1", "mcc", "kappa", "macro_f1")
    for n in (100, 400):
        words = "50% positive, asked for at 10%"
        yield random_rows("at another prior", words, two(0.5, 0.9, 0.8), n, at, prior=0.1)
        yield random_rows("expected cost", "rare dear misses", two(0.1, 0.9, 0.95), n, ("expected_cost",))
