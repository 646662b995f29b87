"""Points of curves that are read at a place named beforehand: gains, net benefit, the most confident answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import integrate, optimize, special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies import ScoreTable
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.paired_scores import Forecasts
from validation.scores import evident_classes, shift_for

TOP, ACT, CONFIDENT = (0.1, 0.3), (0.1, 0.3), (0.5, 0.8)
REPLICATES = 200


class Population:
    """Unit normals a shift apart, told as probabilities that hold: logit p = d·s − d²/2 + logit π."""

    def __init__(self, area: float, share: float) -> None:
        self.d, self.share = shift_for(area), share
        self.start = float(special.logit(share)) - self.d**2 / 2

    def draw(self, rng: np.random.Generator, n: int) -> ScoreTable:
        """Rows at random, of both classes."""
        up = np.zeros(n, dtype=bool)
        while not up.any() or up.all():
            up = rng.random(n) < self.share
        return ScoreTable.count(up, special.expit(self.d * (rng.standard_normal(n) + self.d * up) + self.start))

    def above(self, logit: float) -> tuple[float, float]:
        """The shares of the positives and of the negatives whose probability has at least this logit."""
        cut = (logit - self.start) / self.d
        return float(special.ndtr(self.d - cut)), float(special.ndtr(-cut))

    def mixed(self, parts: tuple[float, float]) -> float:
        """The share of all rows, from those of the positives and the negatives."""
        return self.share * parts[0] + (1 - self.share) * parts[1]

    def gain(self, top: float) -> float:
        """The share of the positives in this top share of all rows."""
        cut = optimize.brentq(lambda x: self.mixed(self.above(x)) - top, -40, 40)
        return self.above(float(cut))[0]

    def net_benefit(self, threshold: float) -> float:
        """Hits a row, less false alarms a row at the odds of the threshold."""
        found, called = self.above(float(special.logit(threshold)))
        return self.share * found - (1 - self.share) * called * threshold / (1 - threshold)

    def selective(self, coverage: float) -> float:
        """The accuracy on the most confident share of the rows, called positive from ½ up."""

        def sides(k: float) -> tuple[float, float]:
            sure, unsure = self.above(k), tuple(1 - x for x in self.above(-k))
            right = self.share * sure[0] + (1 - self.share) * unsure[1]
            return right, self.mixed(sure) + self.mixed((unsure[0], unsure[1]))

        cut = float(optimize.brentq(lambda k: sides(k)[1] - coverage, 1e-9, 40))
        return sides(cut)[0] / coverage

    def cost(self, threshold: float, cost_fn: float) -> float:
        """The mean cost of a row when a false alarm costs 1."""
        if threshold >= 1 or threshold <= 0:
            return self.share * cost_fn if threshold >= 1 else 1 - self.share
        found, called = self.above(float(special.logit(threshold)))
        return self.share * (1 - found) * cost_fn + (1 - self.share) * called


def points_cell(area: float, share: float, n: int) -> Cell:
    """One place of each curve."""
    made = Population(area, share)
    places: dict[str, tuple[Callable[[ScoreTable, float], Any], float, float]] = {}
    for top in TOP:
        gain = made.gain(top)
        places[f"gain at the top {top:.0%}"] = (
            lambda t, c, top=top: te.gains(t).at(share=top, confidence=c), gain, n * share * min(gain, 1 - gain),
        )  # fmt: skip
    for act in ACT:
        found, called = made.above(float(special.logit(act)))
        places[f"net benefit at {act}"] = (
            lambda t, c, act=act: te.decision_curve(t).at(act, confidence=c), made.net_benefit(act),
            n * min(share * found, share * (1 - found), (1 - share) * called),
        )  # fmt: skip
    for part in CONFIDENT:
        right = made.selective(part)
        places[f"accuracy on the most confident {part:.0%}"] = (
            lambda t, c, part=part: te.risk_coverage(t).at(coverage=part, confidence=c), right, n * part * (1 - right),
        )  # fmt: skip
    return Cell(
        family="points of curves", scenario=f"AUC {area}, {share:.0%} positive, n = {n:,}",
        draw=lambda rng: made.draw(rng, n),
        procedures=tuple(Procedure(name, apply) for name, (apply, _, _) in places.items()),
        truth={name: truth for name, (_, truth, _) in places.items()},
        events={name: events for name, (_, _, events) in places.items()},
        confidences=CONFIDENCES if n == 200 else CONFIDENCES[:1], n=n,
        evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


class Shifted(NamedTuple):
    """Limits less what is true of this very sample's choice."""

    estimate: float
    low: float
    high: float
    n: float | None
    method: str


def chosen_cell(area: float, share: float, n: int, cost_fn: float) -> Cell:
    """The cost of the threshold that was cheapest on the rows: does its interval hold what it costs on others?"""
    made = Population(area, share)

    def apply(table: ScoreTable, confidence: float) -> Shifted:
        point = te.roc(table).operating_point(cost_fn=cost_fn, confidence=confidence, replicates=REPLICATES)
        i, true = point.corrected, made.cost(point.threshold, cost_fn)
        return Shifted(i.estimate - true, i.low - true, i.high - true, i.n, i.method)

    return Cell(
        family="cost of a chosen threshold",
        scenario=f"AUC {area}, {share:.0%} positive, a miss costs {cost_fn:g}, n = {n:,}, {REPLICATES} resamples",
        draw=lambda rng: made.draw(rng, n), procedures=(Procedure("cost out of the bag", apply, target="excess"),),
        truth={"excess": 0.0}, events={"excess": n * share * (1 - made.above(-math.log(cost_fn))[0])},
        confidences=CONFIDENCES[:1], n=n, block=100, evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def partial_cell(area: float, positives: int, negatives: int) -> Cell:
    """The area under the ROC curve up to a false positive rate of 20 %."""
    d = shift_for(area)
    truth = float(integrate.quad(lambda x: special.ndtr(special.ndtri(x) + d), 0, 0.2)[0])
    up = np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> ScoreTable:
        return ScoreTable.count(up, rng.standard_normal(len(up)) + d * up)

    def apply(table: ScoreTable, confidence: float) -> Any:
        return te.roc(table).partial_auc(0, 0.2, confidence=confidence, replicates=REPLICATES)

    return Cell(
        family="partial area under the ROC curve",
        scenario=f"AUC {area}, {positives}/{negatives}, FPR to 20%, {REPLICATES} replicates", draw=draw,
        procedures=(Procedure("partial_auc", apply),), truth={"partial_auc": truth},
        events={"partial_auc": min(0.2 * negatives, positives * (1 - truth / 0.2))}, confidences=CONFIDENCES[:1],
        n=len(up), block=100, evident=evident_classes(negatives, positives),
    )  # fmt: skip


def rates_cell(area: float, positives: int, negatives: int) -> Cell:
    """The other rate where one of them is asked for, near the ends of the curve where few rows say where that is."""
    d, up = shift_for(area), np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> ScoreTable:
        return ScoreTable.count(up, rng.standard_normal(len(up)) + d * up)

    procedures, truth, events = [], {}, {}
    for rate in (0.05, 0.1):
        for name, asked, of in (("FPR at a TPR", 1 - rate, positives), ("TPR at an FPR", rate, negatives)):
            word, other = ("tpr", "fpr_interval") if name.startswith("FPR") else ("fpr", "tpr_interval")

            def apply(t: ScoreTable, c: float, word: str = word, asked: float = asked, other: str = other) -> Any:
                return getattr(te.roc(t).at(confidence=c, **{word: asked}), other)

            key = f"{name} of {asked:g}"
            procedures.append(Procedure(key, apply))
            truth[key] = float(special.ndtr(special.ndtri(asked) + (d if word == "fpr" else -d)))
            events[key] = of * rate
    return Cell(
        family="points of a ROC curve at a rate", scenario=f"AUC {area}, {positives}/{negatives}", draw=draw,
        procedures=tuple(procedures), truth=truth, events=events, confidences=CONFIDENCES[:1], n=len(up), block=250,
        evident=evident_classes(negatives, positives),
    )  # fmt: skip


def skill_cell(n: int, error: float) -> Cell:
    """The Brier skill score, which has no formula of its own: the bootstrap that serves any other metric of scores."""
    made = Forecasts(1.5, (error, error))
    share = made.prevalence()

    def draw(rng: np.random.Generator) -> tuple[ScoreTable, int]:
        up, said = made.draw(rng, n)
        return ScoreTable.count(up == 1, said[0]), int(rng.integers(2**31))

    def apply(sample: tuple[ScoreTable, int], confidence: float) -> Any:
        table, seed = sample
        return metric_interval("brier_skill_score", table, confidence=confidence, replicates=2 * REPLICATES, rng=seed)

    return Cell(
        family="another metric of scores",
        scenario=f"Brier skill score, n = {n:,}, log-odds off by {error:g}, {2 * REPLICATES} resamples", draw=draw,
        procedures=(Procedure("brier_skill_score", apply),),
        truth={"brier_skill_score": 1 - made.mean_loss("brier", 0) / (share * (1 - share))},
        events={"brier_skill_score": n * share}, confidences=CONFIDENCES[:1], n=n, block=250,
        evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Small and middling samples, common and rare positives."""
    if quick:
        yield points_cell(0.8, 0.3, 200)
        return
    for area, share, n, rank in (
        (0.8, 0.3, 200, 2), (0.9, 0.3, 100, 3), (0.9, 0.1, 500, 3), (0.7, 0.5, 500, 3), (0.8, 0.1, 2_000, 4),
    ):  # fmt: skip
        yield replace(points_cell(area, share, n), rank=rank)
    yield replace(chosen_cell(0.8, 0.3, 200, 3.0), rank=4)
    yield replace(partial_cell(0.8, 50, 100), rank=4)
    for area, positives, negatives in ((0.87, 60, 200), (0.87, 200, 60), (0.7, 300, 300), (0.95, 100, 10)):
        yield replace(rates_cell(area, positives, negatives), rank=2)
    for n in (50, 200):
        yield replace(skill_cell(n, 0.5), rank=3)
