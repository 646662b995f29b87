"""Metrics of a confusion matrix on rows drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.findings import Evidence
from trueerror.inference._metric_interval import metric_interval
from trueerror.metrics._registry import find_measure, value
from trueerror.tallies import Confusion
from validation.frame import CONFIDENCES, Cell, Evident, Exact, Line, Procedure

MAIN = ("accuracy", "f1", "macro_f1", "balanced_accuracy", "mcc", "kappa")
MAIN_CLASSES = ("accuracy", "macro_f1", "balanced_accuracy", "mcc", "kappa")
OPTIONS: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2.0},
    "expected_cost": {"costs": [[0.0, 1.0], [20.0, 0.0]]},
    "cost": {"costs": [[0.0, 1.0], [20.0, 0.0]]},
    "savings": {"costs": [[0.0, 1.0], [20.0, 0.0]]},
    "weighted_accuracy": {"weights": (5.0, 5.0, 1.0, 1.0)},
}
# Metrics in which each of the four counts weighs by itself.
EVERY_CELL = (
    "informedness", "markedness", "lr_plus", "lr_minus", "diagnostic_odds_ratio", "weighted_accuracy", "expected_cost",
    "cost", "savings",
)  # fmt: skip
# Other methods that people use, on a part of the grid.
RIVALS = (
    ("f1", "delta"), ("macro_f1", "takahashi"), ("balanced_accuracy", "delta"), ("mcc", "delta"), ("kappa", "fisher-z"),
)  # fmt: skip


def two(prevalence: float, sensitivity: float, specificity: float) -> np.ndarray:
    """The four cell probabilities of two classes, rows = truth, negative first."""
    p, q = prevalence, 1 - prevalence
    return np.array([[q * specificity, q * (1 - specificity)], [p * (1 - sensitivity), p * sensitivity]])


THREE = {
    "three classes": np.array([[0.45, 0.03, 0.02], [0.05, 0.25, 0.05], [0.01, 0.02, 0.12]]),
    "three classes, one rare": np.array([[0.6, 0.02, 0.01], [0.02, 0.3, 0.01], [0.005, 0.005, 0.03]]),
    "three classes, few errors": np.full((3, 3), 0.005) + np.eye(3) * 0.32,
}


class Limits(NamedTuple):
    """What is kept of an answer: tables that are drawn again are not asked about again."""

    estimate: float
    low: float
    high: float
    n: float | None
    method: str


# Rows that stand for all there are.
POPULATION = 1e12
_ANSWERED: dict[tuple[str, str, float, bytes], Limits] = {}
MOST_KEPT = 600_000


def table_of(counts: np.ndarray) -> Confusion:
    """A table from drawn counts."""
    return Confusion(counts, positive=len(counts) - 1)


def interval_procedure(metric: str, method: str | None = None, **extra: Any) -> Procedure:
    """The default interval of a metric, or another method by its name, from the counts of a table."""
    options = OPTIONS.get(metric, {})
    name = metric if method is None else f"{metric}, {method}"
    asked = str(extra)

    def apply(counts: np.ndarray, confidence: float) -> Limits:
        # Accuracy sees nothing of a table but how many are right.
        seen = np.array([np.trace(counts), counts.sum()]) if name == "accuracy" and not extra else counts
        key = (name, asked, confidence, seen.tobytes())
        if key not in _ANSWERED:
            if len(_ANSWERED) >= MOST_KEPT:
                _ANSWERED.clear()
            i = metric_interval(
                metric, table_of(counts), method=method, options=options, confidence=confidence, **extra
            )
            _ANSWERED[key] = Limits(i.estimate, i.low, i.high, i.n, i.method)
        return _ANSWERED[key]

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
        "g_mean": lambda: (*hits, *(truth - hits)),
        "micro_specificity": lambda: (hits.sum(), n - hits.sum()),
    }
    for averaged in ("macro_specificity", "weighted_specificity"):
        sides[averaged] = lambda: (*(called - hits), *(n - truth - called + hits))
    for averaged in ("macro_informedness", "macro_lr_plus"):
        sides[averaged] = lambda: (*hits, *(truth - hits), *(called - hits))
    for metric_of_one_class in ("f1", "f_beta", "fowlkes_mallows"):
        sides[metric_of_one_class] = lambda: (hits[-1], wrong[-1])
    if metric in EVERY_CELL:
        return float(n * p.min())
    return float(min(sides.get(metric, lambda: (*hits, *wrong))()))


def true_values(p: np.ndarray, metrics: tuple[str, ...], **extra: Any) -> Mapping[str, float]:
    """The metrics of the whole population."""
    full = table_of((p * POPULATION).round().astype(np.int64))
    return {m: value(find_measure(m), full, **extra, **OPTIONS.get(m, {})) for m in metrics}


def evident_table(p: np.ndarray, n: int) -> Evident:
    """What the linter sees of a drawn table: its counts, and how few errors stand behind its accuracy."""

    def evident(rng: np.random.Generator) -> Evidence:
        counts = rng.multinomial(n, p.ravel()).reshape(p.shape)
        right = int(np.trace(counts))
        few = [("accuracy", right, n)] if min(right, n - right) < 5 else []
        return Evidence(confusion=table_of(counts), small_counts=few)

    return evident


def random_rows(
    family: str, name: str, cells: np.ndarray, n: int, metrics: tuple[str, ...], *, rivals: bool = False, **extra: Any
) -> Cell:
    """Rows at random from cell probabilities; extra options go to the interval and to the truth."""
    p = cells / cells.sum()
    truth = true_values(p, metrics, **extra)
    # A total grows with the rows: here with n of them, not with the population's.
    truth = {m: v * n / POPULATION if find_measure(m).total_of else v for m, v in truth.items()}

    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.multinomial(n, p.ravel()).reshape(p.shape)

    procedures = [interval_procedure(m, **extra) for m in metrics]
    if rivals:
        procedures += [interval_procedure(m, method) for m, method in RIVALS if m in metrics]
    return Cell(
        family=family, scenario=f"{name}, n = {n:,}", draw=draw, procedures=tuple(procedures), truth=truth,
        events={m: expected_events(m, p, n) for m in metrics},
        confidences=CONFIDENCES if n == 100 else CONFIDENCES[:1], n=n, evident=evident_table(p, n),
    )  # fmt: skip


def every_table(n: int) -> np.ndarray:
    """All tables of two classes with n rows."""
    a, b, c = (x.ravel() for x in np.meshgrid(*(np.arange(n + 1),) * 3, indexing="ij"))
    inside = a + b + c <= n
    a, b, c = a[inside], b[inside], c[inside]
    return np.stack([a, b, c, n - a - b - c], axis=1).reshape(-1, 2, 2)


def enumerated(n: int, confidences: tuple[float, ...], rivals: bool) -> Exact:
    """All scenarios of one small n at once: the limits of every table are found once."""
    procedures = [interval_procedure(m) for m in MAIN]
    if rivals:
        procedures += [interval_procedure(m, method) for m, method in RIVALS]

    def make() -> Iterator[Line]:
        tables = every_table(n)
        ways = special.gammaln(n + 1) - special.gammaln(tables + 1).sum(axis=(1, 2))
        chances = {words: np.exp(ways + special.xlogy(tables, p).sum(axis=(1, 2))) for words, p in SCENARIOS.items()}
        truths = {words: true_values(p, MAIN) for words, p in SCENARIOS.items()}
        for procedure in procedures:
            for confidence in confidences if procedure.default else confidences[:1]:
                made = [procedure.apply(t, confidence) for t in tables]
                for words, p in SCENARIOS.items():
                    events = expected_events(procedure.truth_name, p, n)
                    truth = truths[words][procedure.truth_name]
                    yield _enumerated_line(procedure, words, n, confidence, truth, events, chances[words], made)

    def few() -> list[float]:
        some = every_table(n)[:: max(1, n**3 // 60)]
        return [x for p in procedures for t in some for x in p.apply(t, 0.95)[:3]]

    evident = {f"{words}, n = {n:,}": evident_table(p, n) for words, p in SCENARIOS.items()}
    return Exact(TWO, f"n = {n:,}, every table", make, few, evident=evident)


def _enumerated_line(
    procedure: Procedure, words: str, n: int, confidence: float, truth: float, events: float, chance: np.ndarray,
    made: list[Limits],
) -> Line:  # fmt: skip
    estimate, low, high, sizes = np.array([(i.estimate, i.low, i.high, i.n or 0.0) for i in made]).T
    known = ~np.isnan(estimate)
    judged = float(chance[known].sum())
    w = np.where(known, chance, 0.0) / judged
    dust = 1e-12
    below, above = float(w[truth < low - dust].sum()), float(w[truth > high + dust].sum())
    lost = float(w[np.isnan(low) | np.isnan(high)].sum())
    often: dict[str, float] = {}
    for i, weight in zip(made, w.tolist(), strict=True):
        often[i.method] = often.get(i.method, 0.0) + weight
    finite = np.isfinite(high - low) & known
    return Line(
        family=TWO, scenario=f"{words}, n = {n:,}", procedure=procedure.name, kind="interval",
        default=procedure.default, confidence=confidence, truth=truth, events=events, rate=1 - below - above - lost,
        below=below, above=above, width=float((w * (high - low))[finite].sum() / w[finite].sum()),
        undefined=1 - judged, n=float((w * sizes)[known].sum()), method=max(often, key=lambda k: often[k]),
        metric=procedure.truth_name,
    )  # fmt: skip


TWO = "count metrics, two classes"
SCENARIOS = {
    f"{prevalence:.0%} positive, sensitivity {sensitivity}, specificity {specificity}": two(
        prevalence, sensitivity, specificity
    )
    for prevalence in (0.01, 0.05, 0.1, 0.3, 0.5)
    for sensitivity, specificity in ((0.7, 0.95), (0.9, 0.9))
}


# Ten classes of different sizes, and errors that go to a neighbour.
TEN = {
    "ten classes": np.diag(np.linspace(0.03, 0.12, 10)) + 0.012 * (np.eye(10, k=1) + np.eye(10, k=-1)) + 0.0008,
}


def cells(*, quick: bool) -> Iterator[Cell | Exact]:
    """The main metrics over sizes and prevalences."""
    yield enumerated(20, CONFIDENCES[:1] if quick else CONFIDENCES, rivals=True)
    if not quick:
        yield enumerated(50, CONFIDENCES[:1], rivals=False)
    for n in (200,) if quick else (100, 400, 2_000, 10_000):
        for words, p in SCENARIOS.items():
            cell = random_rows(TWO, words, p, n, MAIN)
            yield replace(cell, rank=1 if "sensitivity 0.7" in words else 3)
    several = "count metrics, several classes"
    for name, p in THREE.items():
        for n in (100,) if quick else (50, 100, 400, 2_000):
            cell = random_rows(several, name, p, n, MAIN_CLASSES, rivals=(name, n) == ("three classes", 400))
            yield replace(cell, confidences=CONFIDENCES[:1], rank=2 if n <= 100 else 3)
    if not quick:
        for name, p in TEN.items():
            for n in (200, 1000):
                yield replace(random_rows(several, name, p, n, MAIN_CLASSES), rank=2 if n == 200 else 3)
