"""Calibration errors of forecasts that hold, and of forecasts that do not; and of two models at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate, special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies import ScoreTable
from validation.compared import Sample, interval_and_test
from validation.dependent import SHAPES
from validation.frame import CONFIDENCES, Cell, Procedure

SPREAD, BINS = 1.5, 10


def true_errors(slope: float, shift: float) -> dict[str, float]:
    """Over bins of the forecast p = expit(l), l normal, when positives come with expit(slope·l + shift)."""

    def density(x: float) -> float:
        return math.exp(-x * x / (2 * SPREAD**2)) / (SPREAD * math.sqrt(2 * math.pi))

    def gap(x: float) -> float:
        return density(x) * float(special.expit(slope * x + shift) - special.expit(x))

    edges = [-14.0, *(float(special.logit(k / BINS)) for k in range(1, BINS)), 14.0]
    pairs = list(pairwise(edges))
    gaps, rows = ([integrate.quad(f, *ends)[0] for ends in pairs] for f in (gap, density))
    each = [abs(g) for g in gaps]
    return {"ece": math.fsum(each), "mce": max(g / r for g, r in zip(each, rows, strict=True))}


def error_cell(n: int, slope: float, shift: float) -> Cell:
    """Rows at random."""

    def draw(rng: np.random.Generator) -> ScoreTable:
        logit = SPREAD * rng.standard_normal(n)
        return ScoreTable.count(rng.random(n) < special.expit(slope * logit + shift), special.expit(logit))

    def interval(metric: str) -> Any:
        return lambda table, confidence: metric_interval(metric, table, confidence=confidence)

    truth = true_errors(slope, shift)
    return Cell(
        family="calibration errors", scenario=f"n = {n:,}, slope {slope:g}, shift {shift:g}", draw=draw,
        procedures=tuple(Procedure(m, interval(m)) for m in truth), truth=truth,
        # In the bin with the fewest rows, which are about a twentieth, and of its two classes the rarer.
        events=dict.fromkeys(truth, n / 20 * 0.05), confidences=CONFIDENCES if n == 300 else CONFIDENCES[:1], n=n,
    )  # fmt: skip


def pair_cell(n: int, slope: float) -> Cell:
    """A model that holds beside one whose forecasts are overconfident, or say the base rate, which holds too."""

    def draw(rng: np.random.Generator) -> Sample:
        logit = SPREAD * rng.standard_normal(n)
        up = (rng.random(n) < special.expit(slope * logit)).astype(int)
        other = np.full(n, 0.5) if slope == 1 else special.expit(logit)
        scores = {"a": special.expit(slope * logit), "b": other}
        return Sample(lambda c: te.compare(up, scores=scores, positive=1, labels=[0, 1], metric="ece", confidence=c))

    words = "both models hold" if slope == 1 else f"one model holds, of the other the slope is {slope:g}"
    return Cell(
        family="two calibration errors, same rows", scenario=f"ece, n = {n:,}, {words}", draw=draw,
        procedures=interval_and_test("limits of either model", "calibration-gaps-difference"),
        truth={"difference": 0.0 - true_errors(slope, 0.0)["ece"]}, events={"difference": n / 20 * 0.05},
        confidences=CONFIDENCES[:1], n=n, purpose="level" if slope == 1 else "power",
    )  # fmt: skip


def clustered_cell(shape: str, groups: int) -> Cell:
    """Calibrated forecasts of clusters whose labels hang together: slope 1, in the large 0."""
    sizes = SHAPES[shape]

    def draw(rng: np.random.Generator) -> te.curves.Calibration:
        keys = np.repeat(np.arange(groups), sizes(rng, groups).astype(int))
        shared, own = rng.standard_normal((2, groups))[:, keys], rng.standard_normal((2, len(keys)))
        said = special.expit(1.2 * np.sqrt(0.5) * (shared[0] + own[0]) - 0.5)
        came = special.ndtr(np.sqrt(0.4) * shared[1] + np.sqrt(0.6) * own[1]) < said
        return te.calibration(
            te.predictions(came.astype(int), scores={"m": said}, clusters=keys, positive=1, labels=[0, 1])
        )

    return Cell(
        family="logistic recalibration, clusters", scenario=f"{groups} clusters, {shape}", draw=draw,
        procedures=(
            Procedure("slope, clusters", lambda made, c: made.slope(confidence=c), target="slope"),
            Procedure("in the large, clusters", lambda made, c: made.in_the_large(confidence=c), target="large"),
        ),
        truth={"slope": 1.0, "large": 0.0}, events=dict.fromkeys(("slope", "large"), groups / 3),
        confidences=CONFIDENCES[:1], block=250, wanted=2_000,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Forecasts that hold, that are overconfident, and that are too low."""
    for n in (300,) if quick else (100, 300, 1_000, 4_000):
        for slope, shift in ((1.0, 0.0), (0.6, 0.0), (1.0, 0.7)):
            yield replace(error_cell(n, slope, shift), rank=1 if slope == 1 and n == 300 else 3)
    for n, slope in ((300, 1.0),) if quick else ((300, 1.0), (1_000, 0.6), (4_000, 0.6)):
        yield replace(pair_cell(n, slope), rank=2)
    for shape, groups in (
        ("lognormal sizes (sd 1)", 40),
        ("lognormal sizes (sd 1)", 100),
        ("three large clusters", 40),
    ):
        if not quick:
            yield replace(clustered_cell(shape, groups), rank=3)
