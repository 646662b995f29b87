"""Means of areas over many classes: of one model, and of two models on the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.findings import Evidence
from trueerror.tallies import Confusion
from validation.compared import Sample, interval_and_test
from validation.frame import CONFIDENCES, Cell, Evident, Procedure

METRICS = {"hand_till_auc": "Hand and Till's AUC", "ovr_auc": "one-vs-rest AUC"}
MIXES = {
    "three even classes": (1 / 3, 1 / 3, 1 / 3),
    "three classes, 10% of the third": (0.6, 0.3, 0.1),
    "ten classes": tuple(np.linspace(0.04, 0.16, 10)),
}


def pair_areas(pulls: np.ndarray) -> np.ndarray:
    """A(i | j), how often a row of class i has more of score i than a row of class j.

    The scores of a row are unit normals, its own class pulled up by d, less their mean, so that they hang together as
    probabilities do: score i of class i has the mean d_i(1 − 1/K), that of class j has −d_j/K, and both have the
    variance 1 − 1/K.
    """
    k = len(pulls)
    return special.ndtr((pulls[:, None] * (1 - 1 / k) + pulls[None, :] / k) / math.sqrt(2 * (1 - 1 / k)))


def true_areas(pulls: np.ndarray, mix: np.ndarray) -> dict[str, float]:
    """Both means over the whole population."""
    areas, k = pair_areas(pulls), len(pulls)
    others = ~np.eye(k, dtype=bool)
    weights = np.where(others, mix[None, :], 0.0)
    against_rest = (areas * weights).sum(axis=1) / weights.sum(axis=1)
    return {"hand_till_auc": float(areas[others].mean()), "ovr_auc": float(against_rest.mean())}


def pulls_for(area: float, k: int) -> np.ndarray:
    """How far each class is pulled: on average enough for the area, a quarter less for the first, more for the last."""
    return np.linspace(0.75, 1.25, k) * float(special.ndtri(area)) * math.sqrt(2 * (1 - 1 / k))


def drawn_classes(rng: np.random.Generator, n: int, mix: np.ndarray) -> np.ndarray:
    """Rows at random, drawn anew where a class is without rows, in which case there is no mean of areas."""
    while True:
        y = rng.choice(len(mix), size=n, p=mix)
        if len(np.unique(y)) == len(mix):
            return y


def drawn_scores(rng: np.random.Generator, y: np.ndarray, pulls: np.ndarray, *shared: np.ndarray) -> np.ndarray:
    """Scores of one model; `shared` is a part that two models have in common, of half the variance."""
    own = rng.standard_normal((len(y), len(pulls)))
    own = own if not shared else math.sqrt(0.5) * (own + shared[0])
    own[np.arange(len(y)), y] += pulls[y]
    return np.asarray(own - own.mean(axis=1, keepdims=True))


def evident_mix(n: int, mix: np.ndarray) -> Evident:
    """What the linter sees of the class sizes."""
    return lambda rng: Evidence(confusion=Confusion(np.diag(np.bincount(drawn_classes(rng, n, mix)))))


def _fewest(n: int, mix: np.ndarray, area: float) -> float:
    """Rows of the rarest class that are expected to stand on the wrong side of a row of another one."""
    return n * float(mix.min()) * min(area, 1 - area)


def area_cell(words: str, n: int, area: float) -> Cell:
    """One model's means of areas."""
    mix = np.array(MIXES[words]) / sum(MIXES[words])
    pulls = pulls_for(area, len(mix))
    truth = true_areas(pulls, mix)

    def draw(rng: np.random.Generator) -> Callable[[float], te.Evaluation]:
        y = drawn_classes(rng, n, mix)
        scores = drawn_scores(rng, y, pulls)
        # Both metrics are read off one evaluation.
        return cache(lambda confidence: te.evaluate(y, scores=scores, metrics=list(METRICS), confidence=confidence))

    def interval(metric: str) -> Any:
        return lambda sample, confidence: sample(confidence)[metric]

    return Cell(
        family="areas over many classes", scenario=f"{words}, areas about {area:g}, n = {n:,}", draw=draw,
        procedures=tuple(Procedure(title, interval(m), target=m) for m, title in METRICS.items()), truth=truth,
        events={m: _fewest(n, mix, v) for m, v in truth.items()},
        confidences=CONFIDENCES if (words, area) == ("three even classes", 0.85) else CONFIDENCES[:1], n=n,
        evident=evident_mix(n, mix), block=250,
    )  # fmt: skip


def paired_cell(words: str, n: int, first: float, second: float) -> Cell:
    """Two models that have half of their noise in common."""
    mix = np.array(MIXES[words]) / sum(MIXES[words])
    pulls = [pulls_for(area, len(mix)) for area in (first, second)]
    metric = "hand_till_auc"
    one, two = (true_areas(p, mix)[metric] for p in pulls)

    def draw(rng: np.random.Generator) -> Sample:
        y = drawn_classes(rng, n, mix)
        common = rng.standard_normal((n, len(mix)))
        scores = {name: drawn_scores(rng, y, p, common) for name, p in zip("ab", pulls, strict=True)}
        return Sample(lambda confidence: te.compare(y, scores=scores, metric=metric, confidence=confidence))

    equal = first == second
    areas = f"equal models of {first:g}" if equal else f"models of {first:g} and {second:g}"
    return Cell(
        family="two areas over many classes, same rows", scenario=f"{words}, {areas}, n = {n:,}", draw=draw,
        procedures=interval_and_test("Hand and Till's AUC, DeLong", "effective-t"),
        truth={"difference": one - two}, events={"difference": _fewest(n, mix, max(one, two))},
        confidences=CONFIDENCES if equal and (words, n) == ("three even classes", 90) else CONFIDENCES[:1], n=n,
        purpose="level" if equal else "power", evident=evident_mix(n, mix), block=250,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Three and ten classes, even and uneven, small and middling samples."""
    three, rare, ten = MIXES
    if quick:
        yield area_cell(three, 90, 0.85)
        return
    for words, n, area, rank in (
        (three, 90, 0.85, 1), (rare, 100, 0.9, 1), (three, 30, 0.8, 2), (three, 300, 0.95, 2), (rare, 400, 0.8, 2),
        (three, 90, 0.97, 3), (ten, 300, 0.9, 3), (ten, 1_000, 0.8, 4),
    ):  # fmt: skip
        yield replace(area_cell(words, n, area), rank=rank)
    for words, n, first, second, rank in (
        (three, 90, 0.85, 0.85, 1), (three, 30, 0.8, 0.8, 2), (rare, 100, 0.9, 0.9, 2), (rare, 400, 0.8, 0.8, 3),
        (three, 90, 0.9, 0.8, 3),
    ):  # fmt: skip
        yield replace(paired_cell(words, n, first, second), rank=rank)
