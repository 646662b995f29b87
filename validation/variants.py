"""The bootstrap's variants on accuracy, by enumeration; on F1 and balanced accuracy, by simulation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np

from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies import Confusion
from validation.count_metrics import interval_procedure, random_rows, two
from validation.differences import binomial
from validation.frame import Cell, Exact, Line

FAMILY = "bootstrap variants, accuracy"
VARIANTS = ("bca", "percentile", "basic", "normal", "studentised")
RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


@lru_cache(maxsize=64)
def limits(variant: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The limits for 0 … n rows that are right, half of each class."""
    low, high = np.empty(n + 1), np.empty(n + 1)
    for x in range(n + 1):
        y = x // 2
        table = Confusion([[x - y, n - n // 2 - (x - y)], [n // 2 - y, y]])
        made = metric_interval("accuracy", table, method=f"bootstrap-{variant}")
        low[x], high[x] = made.low, made.high
    return low, high


def lines_of_size(n: int) -> Iterator[Line]:
    """Each variant at each rate."""
    for variant in VARIANTS:
        low, high = limits(variant, n)
        for rate in RATES:
            chance = binomial(n, rate)
            below, above = float(chance[rate < low - 1e-12].sum()), float(chance[rate > high + 1e-12].sum())
            yield Line(
                family=FAMILY, scenario=f"n = {n}, accuracy {rate:g}", procedure=f"bootstrap-{variant}",
                kind="interval", default=False, confidence=0.95, truth=rate, events=n * min(rate, 1 - rate),
                rate=1 - below - above, below=below, above=above, width=float(chance @ (high - low)), n=n,
                method=f"bootstrap-{variant}", metric="accuracy",
            )  # fmt: skip


def _probe(n: int) -> list[float]:
    low, high = (np.array([]), np.array([]))
    for variant in VARIANTS:
        table = Confusion([[n - n // 2 - 2, 2], [3, n // 2 - 3]])
        made = metric_interval("accuracy", table, method=f"bootstrap-{variant}")
        low, high = np.append(low, made.low), np.append(high, made.high)
    return [*low, *high]


def cells(*, quick: bool) -> Iterator[Exact | Cell]:
    """Small and middling samples."""
    for n in (20,) if quick else (20, 50, 200):
        yield Exact(FAMILY, f"n = {n}", partial(lines_of_size, n), partial(_probe, n))
    if quick:
        return
    for metric in ("f1", "balanced_accuracy"):
        cell = random_rows("bootstrap variants, other metrics", f"{metric}, 30% positive", two(0.3, 0.8, 0.9), 60, ())
        procedures = tuple(interval_procedure(metric, f"bootstrap-{v}") for v in VARIANTS[:2])
        truth = random_rows("", "", two(0.3, 0.8, 0.9), 60, (metric,))
        yield Cell(
            family=cell.family, scenario=cell.scenario, draw=cell.draw, procedures=procedures, truth=truth.truth,
            events=truth.events, confidences=(0.95,), n=60, rank=2,
        )  # fmt: skip
