"""Areas under curves and mean losses of probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import integrate, special

from trueerror.findings import Evidence
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.auc._tests import delong
from trueerror.tallies import Confusion, Moments, ScoreTable
from validation.frame import CONFIDENCES, Cell, Evident, Procedure

AREA_METHODS = ("delong", "hanley-mcneil", "newcombe")


def shift_for(area: float) -> float:
    """How far apart two unit normals lie whose area under the ROC curve is this."""
    return math.sqrt(2) * float(special.ndtri(area))


def average_precision(area: float, share: float) -> float:
    """∫ precision dTPR of two unit normals at a share of positives."""
    shift = shift_for(area)

    def precision(recall: float) -> float:
        cut = float(special.ndtri(1 - recall)) + shift
        false = float(special.ndtr(-cut))
        return share * recall / (share * recall + (1 - share) * false)

    return float(integrate.quad(precision, 0, 1, limit=200)[0])


def _interval(metric: str, method: str | None = None) -> Procedure:
    def apply(sample: Any, confidence: float) -> Any:
        return metric_interval(metric, sample, method=method, confidence=confidence)

    name = metric if method is None else f"{metric}, {method}"
    return Procedure(name, apply, default=method is None, target=metric)


def evident_classes(negatives: int, positives: int) -> Evident:
    """What the linter sees of class sizes, whatever the calls."""
    return lambda _: Evidence(confusion=Confusion([[negatives, 0], [0, positives]]))


def area_cell(area: float, positives: int, negatives: int, digits: int | None = None) -> Cell:
    """Normal scores of fixed class sizes; rounded to few digits they tie."""
    shift = shift_for(area)
    up = np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> ScoreTable:
        scores = rng.standard_normal(len(up)) + shift * up
        return ScoreTable.count(up, scores if digits is None else np.round(scores, digits))

    name = f"AUC {area}, {positives} positives, {negatives} negatives{'' if digits is None else ', tied'}"
    # Rounding moves the area itself: pairs within one step of each other count half.
    truth = area if digits is None else _tied_area(shift, 10.0**-digits)
    return Cell(
        family="area under the ROC curve", scenario=name, draw=draw, truth={"auc": truth},
        procedures=(_interval("auc"), *(_interval("auc", m) for m in AREA_METHODS if positives == negatives == 20)),
        events={"auc": min(positives, negatives) * min(truth, 1 - truth)},
        confidences=_levels(positives == negatives == 20), n=positives + negatives,
        evident=evident_classes(negatives, positives),
    )  # fmt: skip


def _levels(all_of_them: bool) -> tuple[float, ...]:
    return CONFIDENCES if all_of_them else CONFIDENCES[:1]


def _tied_area(shift: float, step: float) -> float:
    """P(X > Y) + P(X = Y)/2 of two rounded normals."""
    grid = np.arange(math.floor(-9 / step), math.ceil((9 + shift) / step) + 1) * step
    up, down = (np.diff(special.ndtr(np.append(grid, grid[-1] + step) - step / 2 - m)) for m in (shift, 0.0))
    below = np.cumsum(down) - down
    return float((up * (below + down / 2)).sum())


def precision_cell(area: float, n: int, share: float) -> Cell:
    """Rows drawn at random, so that the number of positives varies."""
    shift = shift_for(area)
    truth = average_precision(area, share)

    def draw(rng: np.random.Generator) -> ScoreTable:
        up = np.zeros(n, dtype=bool)
        while not up.any() or up.all():  # one class alone has no average precision
            up = rng.random(n) < share
        return ScoreTable.count(up, rng.standard_normal(n) + shift * up)

    return Cell(
        family="average precision", scenario=f"AUC {area}, n = {n:,}, {share:.0%} positive", draw=draw,
        truth={"average_precision": truth}, procedures=(_interval("average_precision"),),
        events={"average_precision": n * share * min(truth, 1 - truth)}, confidences=_levels(n == 200), n=n,
        evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def loss_cell(n: int, a: float, b: float) -> Cell:
    """Calibrated probabilities from a Beta(a, b): the true Brier score and log loss follow from it."""

    def mean(power: int, loss: Callable[[float], float]) -> float:
        def inside(p: float) -> float:
            weight = math.exp((a - 1) * math.log(p) + (b - 1) * math.log1p(-p) - special.betaln(a, b))
            return weight * (p * loss(p) ** power + (1 - p) * loss(1 - p) ** power)

        return float(integrate.quad(inside, 0, 0.5, limit=400)[0] + integrate.quad(inside, 0.5, 1, limit=400)[0])

    losses: dict[str, Callable[[float], float]] = {"brier": lambda p: (1 - p) ** 2, "log_loss": lambda p: -math.log(p)}
    truth = {name: mean(1, loss) for name, loss in losses.items()}
    # (mean/standard error)²: so many equal losses would be as uncertain.
    events = {name: n * truth[name] ** 2 / (mean(2, loss) - truth[name] ** 2) for name, loss in losses.items()}

    def draw(rng: np.random.Generator) -> dict[str, Moments]:
        p = np.clip(rng.beta(a, b, n), 1e-12, 1 - 1e-12)
        right = np.where(rng.random(n) < p, p, 1 - p)
        return {"brier": Moments.of((1 - right) ** 2), "log_loss": Moments.of(-np.log(right))}

    def apply(metric: str, method: str | None) -> Any:
        return lambda sample, confidence: metric_interval(metric, sample[metric], method=method, confidence=confidence)

    def evident(rng: np.random.Generator) -> Evidence:
        worth = [(m, v.mean**2 / (v.variance / n)) for m, v in draw(rng).items()]
        return Evidence(loss_worth=worth)

    return Cell(
        family="mean loss", scenario=f"probabilities from Beta({a:g}, {b:g}), n = {n:,}", draw=draw, truth=truth,
        procedures=(
            *(Procedure(m, apply(m, None)) for m in losses),
            *(Procedure(f"{m}, t-mean", apply(m, "t-mean"), default=False, target=m) for m in losses),
        ),
        events=events, confidences=_levels(n == 100), n=n, evident=evident,
    )  # fmt: skip


def paired_cell(area: float, positives: int, negatives: int, correlation: float, second: float | None = None) -> Cell:
    """Two models whose scores of a row are correlated, of the same area or not."""
    shift, other = shift_for(area), shift_for(area if second is None else second)
    up = np.arange(positives + negatives) < positives
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        common = shared * rng.standard_normal(len(up))
        return up, *(common + own * rng.standard_normal(len(up)) + s * up for s in (shift, other))

    def interval(reference: Any) -> Any:
        return lambda sample, confidence: delong(*sample, confidence=confidence, reference=reference)

    def test(reference: Any) -> Any:
        return lambda sample, level: delong(*sample, reference=reference).p_value <= level

    areas = f"{area}" if second is None else f"{area} and {second}"
    name = f"AUC {areas}, {positives}/{negatives}, correlation {correlation}"
    truth = 0.0 if second is None else area - second
    return Cell(
        family="two areas, same rows", scenario=name, draw=draw, truth={"difference": truth},
        procedures=(
            Procedure("DeLong's interval, t", interval("t"), target="difference"),
            Procedure("DeLong's test, t", test("t"), kind="test", method="delong-paired-t"),
            Procedure("DeLong's test, z", test("z"), default=False, kind="test", method="delong-paired-z"),
        ),
        events={"difference": min(positives, negatives) * min(area, 1 - area)}, confidences=CONFIDENCES[:1],
        n=positives + negatives, purpose="level" if second is None else "power",
        evident=evident_classes(negatives, positives),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """All scenarios with scores."""
    sizes = ((20, 20), (10, 100)) if quick else ((10, 10), (20, 20), (10, 100), (50, 50), (20, 500), (200, 200))
    for area in (0.8, 0.95) if quick else (0.6, 0.8, 0.9, 0.95, 0.99):
        for positives, negatives in sizes:
            yield replace(area_cell(area, positives, negatives), rank=1 if area in (0.8, 0.95) else 2)
    if not quick:
        for area in (0.6, 0.9):
            yield replace(area_cell(area, 1000, 1000), rank=3)
            yield replace(area_cell(area, 20, 20, digits=0), rank=2)
            yield replace(area_cell(area, 50, 200, digits=0), rank=2)
        for area in (0.8, 0.99):
            yield replace(area_cell(area, 1000, 1000), rank=4)
            yield replace(area_cell(area, 50, 50, digits=0), rank=3)
            yield replace(area_cell(area, 200, 200, digits=0), rank=4)
    for area in (0.8,) if quick else (0.7, 0.8, 0.9, 0.97):
        for n, share in ((200, 0.1),) if quick else ((100, 0.1), (200, 0.1), (200, 0.5), (1000, 0.05), (1000, 0.3)):
            yield replace(precision_cell(area, n, share), rank=1 if area in (0.8, 0.97) else 2)
    for a, b in ((1, 1), (0.3, 1.2), (0.1, 0.9)):
        for n in (100,) if quick else (30, 100, 300, 1000):
            yield loss_cell(n, a, b)
    pairs = ((20, 20),) if quick else ((10, 10), (20, 20), (10, 100), (50, 50), (200, 200))
    for area in (0.8,) if quick else (0.7, 0.9):
        for positives, negatives in pairs:
            for correlation in (0.5,) if quick else (0.2, 0.7):
                yield replace(paired_cell(area, positives, negatives, correlation), rank=1 if correlation == 0.7 else 2)
    if not quick:
        yield replace(paired_cell(0.9, 50, 50, 0.5, 0.8), rank=2)
        yield replace(paired_cell(0.95, 20, 100, 0.5, 0.85), rank=2)
        for positives, negatives in ((20, 20), (20, 100), (200, 200)):
            yield replace(paired_cell(0.97, positives, negatives, 0.5), rank=3)
        yield replace(paired_cell(0.6, 50, 50, 0.5), rank=4)
        yield replace(paired_cell(0.99, 1000, 1000, 0.5, 0.98), rank=4)
