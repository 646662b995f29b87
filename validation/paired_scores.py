"""Two models' probabilities on the same rows, as `te.compare` compares them: mean losses, and what it bootstraps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from scipy import special

import trueerror as te
from validation.compared import Sample, heard, interval_and_test
from validation.frame import CONFIDENCES, Cell
from validation.scores import average_precision, evident_classes, shift_for

# Enough for the limits of a 95 % interval: the default of 2,000 would take five times as long.
REPLICATES = 400


class Forecasts:
    """Rows whose true log-odds are normal; a model's log-odds are the true ones and a normal error of its own.

    Half of the variance of two models' errors is common to both, as far as the better one has it.
    """

    def __init__(self, spread: float, errors: tuple[float, float]) -> None:
        self.spread, self.errors = spread, errors
        self.common = min(errors) / math.sqrt(2)

    def draw(self, rng: np.random.Generator, n: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """The classes, and both models' probabilities."""
        true = self.spread * rng.standard_normal(n) - 1
        up = (rng.random(n) < special.expit(true)).astype(int)
        shared = self.common * rng.standard_normal(n)
        own = [math.sqrt(e * e - self.common**2) * rng.standard_normal(n) for e in self.errors]
        return up, [special.expit(true + shared + o) for o in own]

    def mean_loss(self, metric: str, which: int) -> float:
        """By the Gauss–Hermite rule over the true log-odds and the model's error."""
        x, w = np.polynomial.hermite_e.hermegauss(120)
        w = w / w.sum()
        true = self.spread * x[:, None] - 1
        said = true + self.errors[which] * x[None, :]
        p = special.expit(true)
        if metric == "brier":
            loss = p * special.expit(-said) ** 2 + (1 - p) * special.expit(said) ** 2
        else:
            loss = p * np.logaddexp(0, -said) + (1 - p) * np.logaddexp(0, said)
        return float(w @ loss @ w)

    def prevalence(self) -> float:
        """The share of positives."""
        x, w = np.polynomial.hermite_e.hermegauss(120)
        return float(w @ special.expit(self.spread * x - 1) / w.sum())


@cache
def worth(metric: str, spread: float, errors: tuple[float, float]) -> float:
    """(mean |d|)²/mean d² of the differences d of two losses: the share of rows that would do, were all d alike."""
    up, said = Forecasts(spread, errors).draw(np.random.default_rng(0), 400_000)
    right = [np.where(up == 1, p, 1 - p) for p in said]
    one, two = ((1 - p) ** 2 if metric == "brier" else -np.log(p) for p in right)
    return float(np.abs(one - two).mean() ** 2 / ((one - two) ** 2).mean())


def loss_cell(metric: str, n: int, spread: float, errors: tuple[float, float]) -> Cell:
    """Mean losses: the t-test of paired differences."""
    made = Forecasts(spread, errors)

    def draw(rng: np.random.Generator) -> Sample:
        up, said = made.draw(rng, n)
        scores = dict(zip("ab", said, strict=True))
        return Sample(lambda c: te.compare(up, scores=scores, positive=1, labels=[0, 1], metric=metric, confidence=c))

    equal = errors[0] == errors[1]
    words = "equal models" if equal else f"log-odds off by {errors[0]:g} and {errors[1]:g}"
    return Cell(
        family="mean losses of two models, same rows",
        scenario=f"{metric.replace('_', ' ')}, n = {n:,}, log-odds spread by {spread:g}, {words}", draw=draw,
        procedures=interval_and_test("effective t of losses", "effective-t"),
        truth={"difference": 0.0 if equal else made.mean_loss(metric, 0) - made.mean_loss(metric, 1)},
        events={"difference": n * worth(metric, spread, errors)},
        confidences=CONFIDENCES if equal and n == 100 else CONFIDENCES[:1], n=n, purpose="level" if equal else "power",
    )  # fmt: skip


def disaster_cell(metric: str, n: int, expected: float) -> Cell:
    """Equal mean losses: one model is better on nearly every row and loses it all on rare ones, or says 0 and 1."""
    share = expected / n

    def said(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
        up, bad = rng.integers(0, 2, n), rng.random(n) < share
        if metric == "brier":  # one says 0 or 1 and errs now and then, the other is as good by caution
            cautious = (1 - share) - math.sqrt((1 - share) ** 2 - (1 - 2 * share))
            right = [np.where(bad, 1 - cautious, cautious), np.where(bad, 0.0, 1.0)]
        else:
            own = -np.log(np.clip(0.6 + 0.02 * rng.standard_normal(n), 0.05, 0.95))
            gain = min(share * 9.2 / (1 - share), 0.3)
            right = [np.exp(-own), np.exp(-np.where(bad, own + gain * (1 - share) / share, own - gain))]
        return up, [np.where(up == 1, c, 1 - c) for c in right]

    def draw(rng: np.random.Generator) -> Sample:
        up, columns = said(rng)
        scores = dict(zip("ab", columns, strict=True))
        return Sample(lambda c: te.compare(up, scores=scores, positive=1, labels=[0, 1], metric=metric, confidence=c))

    words = "0/1 forecasts" if metric == "brier" else "rare disasters"
    return Cell(
        family="mean losses that rare rows decide, same rows",
        scenario=f"{metric.replace('_', ' ')}, {words}, n = {n:,}, {expected:g} expected", draw=draw,
        procedures=interval_and_test("effective t of losses", "effective-t"), truth={"difference": 0.0},
        events={"difference": expected}, confidences=CONFIDENCES[:1], n=n, purpose="level", heard=heard,
    )  # fmt: skip


# What `te.compare` does with each metric: the words here, and the catalogue's.
NAMED = {
    "average_precision": ("average_precision, effective t", "effective-t"),
    "brier_skill_score": ("brier_skill_score, effective t", "effective-t"),
}


def bootstrap_cell(metric: str, n: int, share: float, first: float, second: float) -> Cell:
    """Average precision of normal scores, or the skill of probabilities, by the bootstrap of rows.

    For average precision `first` and `second` are the areas of two models under the ROC curve, for the skill how far
    their log-odds are off.
    """
    truth = 0.0
    made = Forecasts(1.5, (first, second))
    if metric == "average_precision":
        shifts = [shift_for(area) for area in (first, second)]
        one, two = (average_precision(area, share) for area in (first, second))
        truth, events = one - two, n * share * (1 - max(one, two))
        words = f"{share:.0%} positive, " + (
            f"equal models of AUC {first}" if first == second else f"AUC {first} and {second}"
        )

        def drawn(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
            up = np.zeros(n, dtype=int)
            while not 0 < up.sum() < n:
                up = (rng.random(n) < share).astype(int)
            common = rng.standard_normal(n)
            return up, [math.sqrt(0.5) * (common + rng.standard_normal(n)) + s * up for s in shifts]
    else:
        share = made.prevalence()
        if first != second:
            loss = [made.mean_loss("brier", which) for which in (0, 1)]
            truth = (loss[1] - loss[0]) / (share * (1 - share))
        events = n * share
        words = "equal models" if first == second else f"log-odds off by {first:g} and {second:g}"

        def drawn(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
            return made.draw(rng, n)

    def draw(rng: np.random.Generator) -> Sample:
        up, said = drawn(rng)
        seed = int(rng.integers(2**31))
        given = {"scores": dict(zip("ab", said, strict=True)), "positive": 1, "labels": [0, 1], "rng": seed}
        return Sample(lambda c: te.compare(up, metric=metric, replicates=REPLICATES, confidence=c, **given))

    return Cell(
        family="another metric of scores, two models on the same rows",
        scenario=f"{metric.replace('_', ' ')}, n = {n:,}, {words}, {REPLICATES} replicates", draw=draw,
        procedures=interval_and_test(*NAMED[metric]),
        truth={"difference": truth}, events={"difference": events}, confidences=CONFIDENCES[:1], n=n,
        purpose="level" if first == second else "power", block=100,
        evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Equal and unequal models; gentle and confident ones, whose losses sit on a few rows."""
    if quick:
        yield loss_cell("log_loss", 100, 2.0, (0.5, 0.5))
        return
    for metric, n, expected in (
        ("log_loss", 50, 1.0), ("log_loss", 100, 2.0), ("log_loss", 200, 5.0), ("brier", 50, 1.0), ("brier", 200, 5.0),
    ):  # fmt: skip
        yield replace(disaster_cell(metric, n, expected), rank=2)
    for metric, n, spread, errors, rank in (
        ("brier", 100, 2.0, (0.5, 0.5), 1), ("log_loss", 100, 2.0, (0.5, 0.5), 1),
        ("brier", 30, 2.0, (0.5, 0.5), 2), ("log_loss", 30, 2.0, (0.5, 0.5), 2),
        ("brier", 400, 4.0, (0.5, 0.5), 2), ("log_loss", 400, 4.0, (1.5, 1.5), 2),
        ("brier", 100, 2.0, (0.5, 1.5), 3), ("log_loss", 100, 2.0, (0.5, 1.5), 3),
        ("log_loss", 400, 2.0, (0.5, 1.0), 3), ("log_loss", 2_000, 4.0, (0.5, 0.5), 4),
    ):  # fmt: skip
        yield replace(loss_cell(metric, n, spread, errors), rank=rank)
    for metric, n, share, first, second, rank in (
        ("average_precision", 100, 0.3, 0.8, 0.8, 2), ("average_precision", 200, 0.1, 0.85, 0.85, 3),
        ("brier_skill_score", 100, 0.3, 0.5, 0.5, 3), ("average_precision", 100, 0.3, 0.9, 0.8, 4),
    ):  # fmt: skip
        yield replace(bootstrap_cell(metric, n, share, first, second), rank=rank)
