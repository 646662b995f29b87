"""Scores of rows that come in clusters: areas, average precision and mean losses of one model, areas of two."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.findings import Evidence
from trueerror.tallies import KeyedConfusion
from validation.compared import Numbers, interval_and_test
from validation.dependent import SHAPES as UNEQUAL
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.paired_scores import Forecasts
from validation.scores import average_precision, shift_for

CORRELATION, SHARE = 0.2, 0.3


def normals(rng: np.random.Generator, keys: np.ndarray) -> np.ndarray:
    """Unit normals that have a fifth of their variance in common within a cluster."""
    together = rng.standard_normal(int(keys.max()) + 1)[keys]
    return np.asarray(math.sqrt(CORRELATION) * together + math.sqrt(1 - CORRELATION) * rng.standard_normal(len(keys)))


def drawn_classes(rng: np.random.Generator, n: int) -> np.ndarray:
    """Classes at random, drawn anew where one is without rows."""
    up = np.zeros(n, dtype=int)
    while not 0 < up.sum() < n:
        up = (rng.random(n) < SHARE).astype(int)
    return up


def one_model_cell(groups: int, size: int, area: float) -> Cell:
    """AUC and average precision of normal scores; Brier score and log loss of probabilities that are a little off."""
    keys, n = np.repeat(np.arange(groups), size), groups * size
    forecasts = Forecasts(2.0, (0.5, 0.5))
    metrics = {"areas": ("auc", "average_precision"), "losses": ("brier", "log_loss")}

    def rows(rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        up = drawn_classes(rng, n)
        ranked = normals(rng, keys) + shift_for(area) * up
        true = forecasts.spread * normals(rng, keys) - 1
        came = (rng.random(n) < special.expit(true)).astype(int)
        said = special.expit(true + forecasts.errors[0] * rng.standard_normal(n))
        return {"areas": (up, ranked), "losses": (came, said)}

    def draw(rng: np.random.Generator) -> dict[str, Callable[[float], te.Evaluation]]:

        def asked(kind: str, y: np.ndarray, scores: np.ndarray) -> Callable[[float], te.Evaluation]:
            names = list(metrics[kind])
            return cache(
                lambda c: te.evaluate(
                    y, scores=scores, positive=1, labels=[0, 1], clusters=keys, metrics=names, confidence=c
                )
            )  # fmt: skip

        return {kind: asked(kind, *drawn) for kind, drawn in rows(rng).items()}

    def seen(rng: np.random.Generator) -> Evidence:
        came, said = rows(rng)["losses"]
        return evident(keys, came, said >= 0.5)

    def interval(kind: str, metric: str) -> Any:
        return lambda sample, confidence: sample[kind](confidence)[metric]

    precision = average_precision(area, SHARE)
    truth = {
        "auc": area, "average_precision": precision, "brier": forecasts.mean_loss("brier", 0),
        "log_loss": forecasts.mean_loss("log_loss", 0),
    }  # fmt: skip
    worth = n / (1 + (size - 1) * CORRELATION)
    return Cell(
        family="scores of clustered rows", scenario=f"{groups} clusters of {size}, AUC {area}", draw=draw,
        procedures=tuple(
            Procedure(f"{m}, clusters", interval(kind, m), target=m) for kind, names in metrics.items() for m in names
        ),
        truth=truth,
        events={
            "auc": worth * SHARE * (1 - area), "average_precision": worth * SHARE * min(precision, 1 - precision),
            "brier": worth * SHARE, "log_loss": worth * SHARE,
        },
        confidences=CONFIDENCES if groups == 20 else CONFIDENCES[:1], n=n, evident=seen, block=250,
    )  # fmt: skip


def evident(keys: np.ndarray, truth: np.ndarray, called: np.ndarray) -> Evidence:
    """What the linter sees of drawn rows in clusters, called by a threshold."""
    names = tuple(range(int(keys.max()) + 1))
    return Evidence(clusters=KeyedConfusion.from_codes(keys, names, truth, called.astype(int), (0, 1)))


def two_models_cell(
    groups: int, size: int, first: float, second: float, *, sizes: np.ndarray | None = None, shape: str = ""
) -> Cell:
    """Two AUCs, of models that have half of their noise in common; clusters of one size, or of these."""
    keys = np.repeat(np.arange(groups), size if sizes is None else sizes)
    n, in_one = len(keys), size if sizes is None else float((sizes**2).sum() / sizes.sum())

    def rows(rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        up = drawn_classes(rng, n)
        common = normals(rng, keys)
        return up, {
            name: math.sqrt(0.5) * (common + normals(rng, keys)) + shift_for(area) * up
            for name, area in (("a", first), ("b", second))
        }

    def draw(rng: np.random.Generator) -> Numbers:
        up, scores = rows(rng)
        return Numbers(te.predictions(up, scores=scores, positive=1, labels=[0, 1], clusters=keys), "auc")

    def seen(rng: np.random.Generator) -> Evidence:
        # Called halfway between the classes.
        up, scores = rows(rng)
        return evident(keys, up, scores["a"] >= shift_for(first) / 2)

    equal = first == second
    words = f"equal models of AUC {first}" if equal else f"AUC {first} and {second}"
    return Cell(
        family="two areas, same rows in clusters", scenario=f"{groups} clusters{shape or f' of {size}'}, {words}",
        draw=draw,
        procedures=interval_and_test("areas, clusters", "effective-t"), truth={"difference": first - second},
        events={"difference": n / (1 + (in_one - 1) * CORRELATION) * SHARE * (1 - max(first, second))},
        confidences=CONFIDENCES if equal and groups == 20 else CONFIDENCES[:1], n=n,
        purpose="level" if equal else "power", evident=seen,
    )  # fmt: skip


SHAPES = {
    "lognormal": lambda groups: np.maximum(1, np.round(8 * np.exp(special.ndtri((np.arange(groups) + 0.5) / groups)))),
    "one with half of the rows": lambda groups: np.array([8 * (groups - 1), *[8] * (groups - 1)]),
}


def unequal_cell(shape: str, groups: int) -> Cell:
    """Curves and calibration of clusters of unequal size, whose share of positives hangs on the cluster."""
    sizes = SHAPES[shape](groups).astype(int)
    keys, area, fpr = np.repeat(np.arange(groups), sizes), 0.8, 0.2
    forecasts = Forecasts(2.0, (0.0, 0.0))

    def draw(rng: np.random.Generator) -> dict[str, te.Predictions]:
        up = np.zeros(len(keys), dtype=int)
        while min(len(np.unique(keys[up == c])) for c in (0, 1)) < 2:
            up = (rng.random(len(keys)) < rng.beta(2 * SHARE, 2 * (1 - SHARE), groups)[keys]).astype(int)
        true = forecasts.spread * normals(rng, keys) - 1
        came = (rng.random(len(keys)) < special.expit(true)).astype(int)
        return {
            "ranked": te.predictions(up, scores=normals(rng, keys) + shift_for(area) * up, clusters=keys, positive=1),
            "forecast": te.predictions(
                came, scores=special.expit(true), clusters=keys, positive=1, labels=[0, 1]
            ),
        }  # fmt: skip

    def seen(rng: np.random.Generator) -> Evidence:
        p = draw(rng)["forecast"].keyed_confusion("model", "clusters", threshold=0.5)
        return Evidence(clusters=p)

    def band(sample: dict[str, te.Predictions], confidence: float) -> te.Interval:
        found = te.roc(sample["ranked"]).band(confidence=confidence)
        low, high = (float(x) for x in found.at(fpr))
        return te.Interval(name="tpr", estimate=(low + high) / 2, low=low, high=high, method=found.method)

    def calibration(sample: dict[str, te.Predictions], confidence: float) -> te.Interval:
        return te.evaluate(sample["forecast"], metrics=["ece"], confidence=confidence)["ece"]

    tpr = float(special.ndtr(shift_for(area) + special.ndtri(fpr)))
    events = len(keys) / (1 + 7 * CORRELATION) * SHARE
    return Cell(
        family="scores of clustered rows", scenario=f"{groups} clusters, {shape}, AUC {area}", draw=draw,
        procedures=(
            Procedure("ROC band, clusters", band, target="tpr"),
            Procedure("ece, clusters", calibration, target="ece"),
        ),
        truth={"tpr": tpr, "ece": 0.0}, events={"tpr": events * (1 - tpr), "ece": events},
        confidences=CONFIDENCES[:1], n=len(keys), evident=seen, block=250,
    )  # fmt: skip


def gone_wrong_cell(sizes: str, groups: int, part: float, sure: float) -> Cell:
    """Losses where a part of the clusters goes wrong as a whole: nine rows of ten are not what they were called."""
    shapes = {"equal": lambda rng: np.full(groups, 10), **{k: partial(f, g=groups) for k, f in UNEQUAL.items()}}

    def rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        keys = np.repeat(np.arange(groups), shapes[sizes](rng).astype(int))
        chance = special.expit(sure + 0.7 * rng.standard_normal(len(keys)))
        bad = (rng.random(groups) < part)[keys]
        right = rng.random(len(keys)) < np.where(bad, 0.1, chance)
        up = rng.random(len(keys)) < 0.5
        return keys, (up == right).astype(int), np.where(up, chance, 1 - chance)

    def draw(rng: np.random.Generator) -> te.Evaluation:
        keys, truth, said = rows(rng)
        return te.evaluate(truth, scores=said, clusters=keys, positive=1, labels=[0, 1], metrics=["log_loss", "brier"])

    def seen(rng: np.random.Generator) -> Evidence:
        keys, truth, said = rows(rng)
        return evident(keys, truth, said >= 0.5)

    # Sizes have nothing to do with what goes wrong, so rows of their own give the truth.
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    right = special.expit(sure + 0.7 * z)
    chance = (1 - part) * right + 0.1 * part
    weights = weights / weights.sum()
    truth = {
        "log_loss": float(weights @ -(chance * np.log(right) + (1 - chance) * np.log(1 - right))),
        "brier": float(weights @ (chance * (1 - right) ** 2 + (1 - chance) * right**2)),
    }
    return Cell(
        family="losses, clusters that go wrong as a whole",
        scenario=f"{groups} clusters, {sizes}, {part:.0%} go wrong, log-odds about {sure:g}", draw=draw,
        procedures=tuple(Procedure(f"{m}, clusters", lambda made, c, m=m: made[m], target=m) for m in truth),
        truth=truth, events=dict.fromkeys(truth, groups * part), confidences=CONFIDENCES[:1], evident=seen, block=250,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Ten to forty clusters; with forty five events are expected on each side."""
    if quick:
        return
    for groups, area, rank in ((20, 0.8, 2), (10, 0.8, 3), (40, 0.9, 3), (40, 0.8, 3)):
        yield replace(one_model_cell(groups, 10, area), rank=rank)
    for shape in SHAPES:
        for groups in (12, 40):
            yield replace(unequal_cell(shape, groups), rank=3)
    for sizes, groups, part, sure in (
        ("equal", 40, 0.15, 2), ("lognormal sizes (sd 1)", 60, 0.1, 4), ("lognormal sizes (sd 1)", 100, 0.05, 3),
        ("Pareto sizes (1.2)", 100, 0.1, 2), ("one with half the rows", 40, 0.15, 2), ("equal", 10, 0.1, 2),
    ):  # fmt: skip
        yield replace(gone_wrong_cell(sizes, groups, part, sure), rank=3, wanted=2_000)
    for groups, first, second, rank in ((20, 0.8, 0.8, 2), (40, 0.9, 0.9, 3), (40, 0.8, 0.8, 3), (40, 0.9, 0.8, 4)):
        yield replace(two_models_cell(groups, 10, first, second), rank=rank)
    for sizes, shape in (
        (np.array([150, 120, *[4] * 30]), ", two with two thirds of the rows"),
        (np.maximum(1, (8 * np.log(40 / (np.arange(40) + 0.5)) ** 2)).astype(int), ", Weibull sizes (0.5)"),
    ):
        yield replace(two_models_cell(len(sizes), 0, 0.85, 0.85, sizes=sizes, shape=shape), rank=2, block=250)
