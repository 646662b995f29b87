"""Rows that hang together, and rows that stand for others: clusters and sampling weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.findings import Evidence
from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies import Confusion, KeyedConfusion
from validation.compared import Numbers, interval_and_test
from validation.count_metrics import expected_events, true_values, two
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


def two_models_cell(metric: str, groups: int, size: int, first: float, second: float) -> Cell:
    """Two models whose chance to be right varies from cluster to cluster, for half of it together.

    A cluster's rows are hard for both by one Beta, and for each by one of its own, mixed at random row by row.
    """
    correlation, prevalence = 0.2, 0.4
    keys = np.repeat(np.arange(groups), size)

    def chances(rate: float, ranks: np.ndarray) -> np.ndarray:
        a, b = (p * (1 - correlation) / correlation for p in (rate, 1 - rate))
        return np.asarray(special.betaincinv(a, b, ranks))

    def rows(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        truth = (rng.random(groups * size) < prevalence).astype(int)
        common = rng.random(groups)
        said = {}
        for name, rate in (("a", first), ("b", second)):
            shared, own = (chances(rate, ranks)[keys] for ranks in (common, rng.random(groups)))
            right = rng.random(len(truth)) < np.where(rng.random(len(truth)) < 0.5, shared, own)
            said[name] = np.where(right, truth, 1 - truth)
        return truth, said

    def draw(rng: np.random.Generator) -> Numbers:
        truth, said = rows(rng)
        return Numbers(te.predictions(truth, said, clusters=keys, positive=1, labels=[0, 1]), metric)

    def evident(rng: np.random.Generator) -> Evidence:
        truth, said = rows(rng)
        return Evidence(clusters=KeyedConfusion.from_codes(keys, tuple(range(groups)), truth, said["a"], (0, 1)))

    tables = [two(prevalence, rate, rate) for rate in (first, second)]
    one, other = (true_values(p, (metric,))[metric] for p in tables)
    equal = first == second
    words = f"equal models right on {first:.0%}" if equal else f"models right on {first:.0%} and {second:.0%}"
    worth = groups * size / (1 + (size - 1) * correlation)
    return Cell(
        family="two models, same rows in clusters",
        scenario=f"{metric}, {groups} clusters of {size}, {words}", draw=draw,
        procedures=interval_and_test(f"{metric}, clusters", "effective-t"),
        truth={"difference": one - other},
        events={"difference": min(expected_events(metric, p, int(worth)) for p in tables)},
        confidences=CONFIDENCES if equal and (metric, groups) == ("accuracy", 20) else CONFIDENCES[:1],
        n=groups * size, purpose="level" if equal else "power", evident=evident,
    )  # fmt: skip


# Sizes of clusters: what they are called, and how they are drawn.
SHAPES: dict[str, Any] = {
    "lognormal sizes (sd 1)": lambda rng, g: np.maximum(1, np.round(10 * np.exp(rng.standard_normal(g)))),
    "lognormal sizes (sd 1.5)": lambda rng, g: np.maximum(1, np.round(10 * np.exp(1.5 * rng.standard_normal(g)))),
    "Pareto sizes (1.2)": lambda rng, g: np.maximum(1, np.round(4 * (rng.pareto(1.2, g) + 1))),
    "three large clusters": lambda _, g: np.where(np.arange(g) < 3, 100, 5),
    "one with half the rows": lambda _, g: np.where(np.arange(g) == 0, 5 * (g - 1), 5),
    "most of one row": lambda _, g: np.where(np.arange(g) < max(2, g // 10), 20, 1),
}


def unequal_cell(shape: str, groups: int, metric: str, rate: float = 0.8) -> Cell:
    """Clusters of unequal size: one model's interval, and two equally good models that are hard pressed by clusters of
    their own for half of the clusters."""
    correlation, prevalence = 0.2, 0.4
    a, b = (p * (1 - correlation) / correlation for p in (rate, 1 - rate))

    def rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        keys = np.repeat(np.arange(groups), SHAPES[shape](rng, groups).astype(int))
        truth = (rng.random(len(keys)) < prevalence).astype(int)
        first, own = rng.beta(a, b, groups), rng.beta(a, b, groups)
        second = np.where(rng.random(groups) < 0.5, first, own)
        said = {}
        for name, chance in (("a", first), ("b", second)):
            right = rng.random(len(keys)) < chance[keys]
            said[name] = np.where(right, truth, 1 - truth)
        return keys, truth, said

    def draw(rng: np.random.Generator) -> Numbers:
        keys, truth, said = rows(rng)
        return Numbers(te.predictions(truth, said, clusters=keys, positive=1, labels=[0, 1]), metric, 1000)

    def own(sample: Numbers, confidence: float) -> Any:
        return sample.own(confidence)

    def evident(rng: np.random.Generator) -> Evidence:
        keys, truth, said = rows(rng)
        return Evidence(clusters=KeyedConfusion.from_codes(keys, tuple(range(groups)), truth, said["a"], (0, 1)))

    sizes = SHAPES[shape](np.random.default_rng(0), groups)
    worth = sizes.sum() / (1 + ((sizes**2).sum() / sizes.sum() - 1) * correlation)
    table = two(prevalence, rate, rate)
    return Cell(
        family="clusters of unequal size", scenario=f"{metric}, {groups} clusters, {shape}", draw=draw,
        procedures=(
            Procedure(f"{metric} of one model, clusters", own, target="metric"),
            *interval_and_test(f"{metric}, clusters", "effective-t"),
        ),
        truth={"metric": true_values(table, (metric,))[metric], "difference": 0.0},
        events=dict.fromkeys(("metric", "difference"), expected_events(metric, table, int(worth))),
        confidences=CONFIDENCES[:1], n=int(sizes.sum()), purpose="level", evident=evident,
    )  # fmt: skip


def heavy_weights_cell(n: int, sd: float, rate: float) -> Cell:
    """Lognormal sampling weights that have nothing to do with being right."""

    def draw(rng: np.random.Generator) -> Confusion:
        truth = rng.integers(0, 2, n)
        called = np.where(rng.random(n) < rate, truth, 1 - truth)
        weights = np.exp(sd * rng.standard_normal(n))
        return Confusion.count(truth, called, labels=[0, 1], weights=weights, weights_kind="sampling")

    def interval(metric: str) -> Any:
        return lambda sample, confidence: metric_interval(metric, sample, confidence=confidence)

    # Classes are as common, and as often right: both correlations are 2·rate − 1.
    truth = {"accuracy": rate, "mcc": 2 * rate - 1, "kappa": 2 * rate - 1}
    return Cell(
        family="sampling weights", scenario=f"n = {n:,}, right on {rate:.0%}, lognormal weights (sd {sd:g})", draw=draw,
        procedures=tuple(Procedure(f"{m}, weights", interval(m), target=m) for m in truth), truth=truth,
        events=dict.fromkeys(truth, n * float(np.exp(-sd * sd)) * min(rate, 1 - rate)), confidences=CONFIDENCES[:1],
        evident=lambda rng: Evidence(confusion=draw(rng)),
    )  # fmt: skip


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
    """Clusters from five to a hundred, also of unequal size; two models; weights."""
    for groups in (20,) if quick else (5, 10, 20, 40, 100):
        for rate in (0.8, 0.95):
            for correlation in (0.2,) if quick else (0.05, 0.2, 0.5):
                yield replace(clustered_cell(rate, groups, 10, correlation), rank=1 if correlation == 0.2 else 3)
    for n in (100,) if quick else (50, 100, 400):
        yield weighted_cell(n, 0.95, 0.6, 4)
        yield weighted_cell(n, 0.99, 0.8, 10)
    for n, sd, rate in ((200, 1.0, 0.8), (60, 1.0, 0.8), (200, 1.5, 0.8), (60, 1.5, 0.8), (1000, 1.5, 0.9)):
        if not quick:
            yield replace(heavy_weights_cell(n, sd, rate), rank=2)
    if quick:
        return
    for shape in SHAPES:
        for metric, groups in (("accuracy", 40), ("accuracy", 10), ("accuracy", 100), ("f1", 40)):
            yield replace(unequal_cell(shape, groups, metric), rank=2 if groups == 40 else 3)
    for metric, groups, first, second, rank in (
        ("accuracy", 20, 0.85, 0.85, 1), ("f1", 20, 0.85, 0.85, 1), ("accuracy", 8, 0.85, 0.85, 2),
        ("accuracy", 40, 0.95, 0.95, 2), ("accuracy", 100, 0.85, 0.85, 3), ("f1", 8, 0.85, 0.85, 2),
        ("f1", 40, 0.95, 0.95, 3), ("balanced_accuracy", 20, 0.85, 0.85, 3), ("accuracy", 20, 0.9, 0.8, 3),
        ("f1", 40, 0.9, 0.8, 3), ("balanced_accuracy", 40, 0.85, 0.85, 3),
    ):  # fmt: skip
        yield replace(two_models_cell(metric, groups, 10, first, second), rank=rank)
