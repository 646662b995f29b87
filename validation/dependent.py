"""Rows that hang together, and rows that stand for others: clusters and sampling weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.findings import Evidence
from trueerror.intervals.of_metric import metric_interval
from trueerror.tallies import Confusion, KeyedConfusion
from validation.frame import CONFIDENCES, MISUSED, Cell, Procedure


def clustered_cell(rate: float, groups: int, size: int, correlation: float) -> Cell:
    """Clusters whose own accuracy varies: a Beta with the given correlation within clusters."""
    a, b = rate * (1 - correlation) / correlation, (1 - rate) * (1 - correlation) / correlation
    keys, names = np.repeat(np.arange(groups), size), tuple(range(groups))
    effect = 1 + (size - 1) * correlation

    def draw(rng: np.random.Generator) -> KeyedConfusion:
        right = (rng.random((groups, size)) < rng.beta(a, b, groups)[:, None]).ravel()
        truth = rng.integers(0, 2, groups * size)
        return KeyedConfusion.from_codes(keys, names, truth, np.where(right, truth, 1 - truth), (0, 1))

    def clustered(sample: KeyedConfusion, confidence: float) -> Any:
        return metric_interval("accuracy", sample.table, clusters=sample, confidence=confidence)

    def ignored(sample: KeyedConfusion, confidence: float) -> Any:
        return metric_interval("accuracy", sample.table, confidence=confidence)

    return Cell(
        family="clustered rows",
        scenario=f"{groups} clusters of {size}, accuracy {rate}, correlation {correlation}",
        draw=draw,
        procedures=(
            Procedure("accuracy, clusters", clustered, target="accuracy"),
            Procedure("accuracy, clusters ignored", ignored, default=False, target="accuracy", method=MISUSED),
        ),
        truth={"accuracy": rate},
        # A cluster's rows are worth fewer: events among as many independent rows as they are worth.
        events={"accuracy": groups * size / effect * min(rate, 1 - rate)},
        confidences=CONFIDENCES if groups == 20 else CONFIDENCES[:1],
        n=groups * size,
        evident=lambda rng: Evidence(clusters=draw(rng)),
    )


def weighted_cell(n: int, easy: float, hard: float, oversampled: float) -> Cell:
    """One row in five of the population is hard; hard rows are taken more often, and weighted back."""
    share = 0.2 * oversampled / (0.2 * oversampled + 0.8)
    rate = 0.8 * easy + 0.2 * hard

    def draw(rng: np.random.Generator) -> Confusion:
        is_hard = rng.random(n) < share
        right = rng.random(n) < np.where(is_hard, hard, easy)
        truth = rng.integers(0, 2, n)
        weights = np.where(is_hard, 1 / oversampled, 1.0)
        called = np.where(right, truth, 1 - truth)
        return Confusion.count(truth, called, labels=[0, 1], weights=weights, weights_kind="sampling")

    def interval(sample: Confusion, confidence: float) -> Any:
        return metric_interval("accuracy", sample, confidence=confidence)

    kish = n * (share / oversampled + 1 - share) ** 2 / (share / oversampled**2 + 1 - share)
    return Cell(
        family="sampling weights",
        scenario=f"n = {n:,}, right on {easy:.0%} and {hard:.0%}, weights 1 to {oversampled:g}", draw=draw,
        procedures=(Procedure("accuracy, weights", interval, target="accuracy"),), truth={"accuracy": rate},
        events={"accuracy": kish * min(rate, 1 - rate)}, confidences=CONFIDENCES if n == 100 else CONFIDENCES[:1],
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Clusters from five to a hundred; weights."""
    for groups in (20,) if quick else (5, 10, 20, 40, 100):
        for rate in (0.8, 0.95):
            for correlation in (0.2,) if quick else (0.05, 0.2, 0.5):
                yield replace(clustered_cell(rate, groups, 10, correlation), rank=1 if correlation == 0.2 else 3)
    for n in (100,) if quick else (50, 100, 400):
        yield weighted_cell(n, 0.95, 0.6, 4)
        yield weighted_cell(n, 0.99, 0.8, 10)
