"""Calibration of probabilities, and bands around ROC curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.curves._calibration import spiegelhalter_test
from trueerror.tallies import ScoreTable
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.scores import shift_for

PLACES = (0.1, 0.3)


def calibration_cell(n: int, slope: float, spread: float) -> Cell:
    """Forecasts whose logits are normal; the truth has `slope` times their logit (1: calibrated)."""

    def draw(rng: np.random.Generator) -> ScoreTable:
        logit = spread * rng.standard_normal(n)
        return ScoreTable.count(rng.random(n) < special.expit(slope * logit), special.expit(logit))

    def interval(what: str) -> Any:
        return lambda table, confidence: getattr(te.calibration(table), what)(confidence=confidence)

    procedures = [Procedure("calibration slope", interval("slope"), target="slope")]
    if slope == 1:
        procedures += [
            Procedure("calibration in the large", interval("in_the_large"), target="in the large"),
            Procedure(
                "Spiegelhalter's test", lambda table, level: spiegelhalter_test(table).p_value <= level, kind="test",
                method="spiegelhalter",
            ),
        ]  # fmt: skip
    return Cell(
        family="calibration", scenario=f"n = {n}, slope {slope:g}, logits spread by {spread:g}", draw=draw,
        procedures=tuple(procedures), truth={"slope": slope, "in the large": 0.0},
        events=dict.fromkeys(("slope", "in the large"), n * _rarer(slope * spread)), confidences=CONFIDENCES[:1], n=n,
        block=250,
    )  # fmt: skip


def _rarer(spread: float) -> float:
    """The mean of p(1 − p), the rows' worth of information, for logits spread so."""
    x, w = np.polynomial.hermite_e.hermegauss(60)
    p = special.expit(spread * x)
    return float((w * p * (1 - p)).sum() / w.sum())


def band_cell(area: float, positives: int, negatives: int, *, simultaneous: bool) -> Cell:
    """Does the band hold the true curve, at one place or everywhere?"""
    shift = shift_for(area)
    up = np.arange(positives + negatives) < positives

    def true_curve(fpr: Any) -> Any:
        return special.ndtr(special.ndtri(fpr) + shift)

    def draw(rng: np.random.Generator) -> te.Roc:
        return te.roc(up, rng.standard_normal(len(up)) + shift * up)

    def at(fpr: float) -> Any:
        def apply(curve: te.Roc, confidence: float) -> Any:
            band = curve.band(confidence=confidence)
            place = round(fpr * (len(band.fpr) - 1))
            return te.Interval(
                estimate=float(band.tpr[place]), low=float(band.low[place]), high=float(band.high[place]),
                confidence=confidence, method=band.method, n=band.n,
            )  # fmt: skip

        return apply

    def everywhere(kind: Any) -> Any:
        def apply(curve: te.Roc, confidence: float) -> Any:
            band = curve.band(kind, confidence=confidence, replicates=300, rng=1)
            inside = slice(1, -1)  # at 0 and 1 every curve is at 0 and 1
            true = true_curve(band.fpr[inside])
            under = float((true - band.low[inside]).min())
            over = float((band.high[inside] - true).min())
            # As an interval around 0: missed below where the truth is under the band somewhere, above likewise.
            return te.Interval(
                estimate=0.0, low=0.0 if under >= -1e-12 else 1.0, high=0.0 if over >= -1e-12 else -1.0,
                confidence=confidence, method=band.method, n=band.n,
            )  # fmt: skip

        return apply

    procedures = [Procedure(f"TPR at FPR {f:g}, pointwise", at(f), target=str(f)) for f in PLACES]
    if simultaneous:
        procedures = [
            Procedure("whole curve, simultaneous band", everywhere("simultaneous"), target="whole"),
            Procedure("whole curve, pointwise band", everywhere("pointwise"), default=False, target="whole"),
        ]
    truths = {str(f): float(true_curve(f)) for f in PLACES}
    events = {f: positives * min(t, 1 - t) for f, t in truths.items()}
    for place, fpr in zip(truths, PLACES, strict=True):
        events[place] = min(events[place], negatives * fpr)
    family = "ROC band, whole curve" if simultaneous else "ROC band, one place"
    return Cell(
        family=family, scenario=f"AUC {area}, {positives} positives, {negatives} negatives", draw=draw,
        procedures=tuple(procedures), truth={**truths, "whole": 0.0},
        events={**events, "whole": math.nan if not simultaneous else min(positives, negatives) * (1 - area)},
        confidences=CONFIDENCES[:1], n=positives + negatives, block=250,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Calibrated and overconfident forecasts; bands of small and middling samples."""
    for positives, negatives in ((30, 30),) if quick else ((30, 30), (50, 200), (200, 200)):
        for area in (0.8,) if quick else (0.7, 0.9):
            yield replace(band_cell(area, positives, negatives, simultaneous=False), rank=1 if area == 0.9 else 3)
    if quick:
        return
    for n, slope in ((50, 1.0), (200, 1.0), (200, 0.6), (1000, 1.0)):
        yield replace(calibration_cell(n, slope, 1.5), rank=1 if n == 200 and slope == 1 else 3)
    yield replace(band_cell(0.8, 50, 50, simultaneous=True), rank=2)
    yield replace(band_cell(0.8, 200, 200, simultaneous=True), rank=4)
