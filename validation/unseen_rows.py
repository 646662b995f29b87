"""Areas where a few rows at the wrong end decide: look-alike negatives, wrong labels, positives that look like
negatives, samples of unlike size; and thresholds read off the rows. Designs in which limits that know only the rows
seen are too sure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.metrics.scores import average_precision
from trueerror.results._values import deciding_p
from trueerror.tallies import ScoreTable
from validation.compared import Sample, interval_and_test
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.scores import evident_classes, shift_for

LARGE = 400_000
Rows = tuple[np.ndarray, np.ndarray]


def drawn(kind: str, rng: np.random.Generator, n: int, share: float, part: float) -> Rows:
    """Truth and scores: normal scores 2.5 apart, and a part of the rows that are not what they look like."""
    up = np.zeros(n, dtype=bool)
    while not up.any() or up.all():
        up = rng.random(n) < share
    odd, scores = rng.random(n) < part, rng.standard_normal(n)
    if kind == "look-alikes above all":
        return up, np.where(~up & odd, scores + 6, scores + 2.5 * up)
    if kind == "look-alikes among the positives":
        return up, np.where(~up & odd, scores + 3.5, scores + 2.5 * up)
    if kind == "wrong labels":
        return up, scores + 3 * (up ^ odd)
    if kind == "hidden positives":
        return up, scores + 4 * (up & ~odd)
    return up, np.round(scores + 1.5 * up)  # ties


@lru_cache
def true_precision(kind: str, share: float, part: float) -> float:
    """By one large sample."""
    up, scores = drawn(kind, np.random.default_rng(1), LARGE, share, part)
    return float(average_precision(ScoreTable.from_codes(up, scores, 1)))


def precision_cell(kind: str, n: int, share: float, part: float) -> Cell:
    """The limits of an average precision."""
    truth = true_precision(kind, share, part)

    def interval(method: str | None) -> Callable[[ScoreTable, float], Any]:
        return lambda t, c: metric_interval("average_precision", t, confidence=c, method=method)

    return Cell(
        family="average precision", scenario=f"{kind} {part:.0%}, n = {n:,}, {share:.0%} positive",
        draw=lambda rng: ScoreTable.from_codes(*drawn(kind, rng, n, share, part), 1),
        truth={"average_precision": truth},
        procedures=(
            Procedure("average_precision", interval(None)),
            Procedure("average_precision, Boyd", interval("boyd-logit"), default=False, target="average_precision"),
        ),
        events={"average_precision": n * share * min(truth, 1 - truth)}, confidences=CONFIDENCES[:1], n=n,
        evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def hidden_cell(positives: int, negatives: int, part: float) -> Cell:
    """The AUC where a part of the positives scores like negatives."""
    up = np.arange(positives + negatives) < positives
    truth = (1 - part) * float(special.ndtr(4 / 2**0.5)) + part / 2

    def draw(rng: np.random.Generator) -> ScoreTable:
        found = rng.random(len(up)) >= part
        return ScoreTable.from_codes(up, rng.standard_normal(len(up)) + 4 * (up & found), 1)

    return Cell(
        family="AUC", scenario=f"{part:.0%} of the positives look like negatives, {positives}/{negatives}", draw=draw,
        truth={"auc": truth}, procedures=(Procedure("auc", lambda t, c: metric_interval("auc", t, confidence=c)),),
        events={"auc": min(positives, negatives) * (1 - truth)}, confidences=CONFIDENCES[:1],
        n=positives + negatives, evident=evident_classes(negatives, positives),
    )  # fmt: skip


def unlike_sizes_cell(area: float, first: tuple[int, int], second: tuple[int, int]) -> Cell:
    """Two equal areas on different rows, one sample with few positives."""

    def rows(rng: np.random.Generator, sizes: tuple[int, int]) -> te.Predictions:
        up = np.repeat([1, 0], sizes)
        scores = rng.standard_normal(len(up)) + shift_for(area) * up
        return te.predictions(up, scores={"model": scores}, labels=[0, 1], positive=1)

    def draw(rng: np.random.Generator) -> Sample:
        one, two = rows(rng, first), rows(rng, second)
        return Sample(lambda c: te.compare(one, two, paired=False, metric="auc", confidence=c))

    sizes = " and ".join(f"{m}/{n}" for m, n in (first, second))
    return Cell(
        family="two areas, different rows", scenario=f"AUC {area}, {sizes}", draw=draw, truth={"difference": 0.0},
        procedures=interval_and_test("AUC, different rows", "newcombe-hybrid"),
        events={"difference": min(first) * (1 - area)}, confidences=CONFIDENCES[:1], n=sum(first) + sum(second),
        purpose="level", block=250, evident=evident_classes(first[1], first[0]),
    )  # fmt: skip


@lru_cache
def _same_precision(kind: str, share: float, part: float) -> float:
    """How far apart normal scores are that have the same average precision."""
    rng, wanted = np.random.default_rng(2), true_precision(kind, share, part)
    up, noise = rng.random(LARGE) < share, rng.standard_normal(LARGE)
    low, high = 0.0, 8.0
    for _ in range(14):
        middle = (low + high) / 2
        value = float(average_precision(ScoreTable.from_codes(up, noise + middle * up, 1)))
        low, high = (middle, high) if value < wanted else (low, middle)
    return low


def one_sided_cell(kind: str, n: int, share: float, part: float) -> Cell:
    """Two models with the same average precision, of which one alone has odd rows: does the verdict hold its level?"""

    def draw(rng: np.random.Generator) -> te.Comparison:
        up, one = drawn(kind, rng, n, share, part)
        two = rng.standard_normal(n) + _same_precision(kind, share, part) * up
        return te.compare(up.astype(int), scores={"one": one, "two": two}, metric="average_precision")

    return Cell(
        family="average precision, two models on the same rows",
        scenario=f"{kind} {part:.0%} in one model, n = {n:,}, {share:.0%} positive", draw=draw, truth={},
        procedures=(
            Procedure(
                "average precision, verdict", lambda made, level: deciding_p(made.pairs[0]) <= level, kind="test",
                method="effective-t",
            ),
        ),
        events={"average precision, verdict": n * (1 - share) * part}, confidences=CONFIDENCES[:1], n=n,
        purpose="level", block=250, evident=evident_classes(n - round(n * share), round(n * share)),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Few odd rows, in samples of 120 to 1,000."""
    if quick:
        return
    top, among = "look-alikes above all", "look-alikes among the positives"
    for kind, n, share, part in (
        (top, 300, 0.8, 0.03), (top, 120, 0.7, 0.04), (among, 200, 0.3, 0.01), (among, 150, 0.4, 0.02),
        (among, 1000, 0.05, 0.02), ("wrong labels", 300, 0.3, 0.05), ("wrong labels", 1000, 0.5, 0.1),
        ("wrong labels", 200, 0.8, 0.1), ("ties", 200, 0.3, 0.0),
    ):  # fmt: skip
        yield replace(precision_cell(kind, n, share, part), rank=2)
    for positives, negatives, part in (
        (30, 300, 0.1), (20, 200, 0.1), (20, 100, 0.2), (40, 200, 0.05), (60, 300, 0.2), (150, 300, 0.1),
    ):  # fmt: skip
        yield replace(hidden_cell(positives, negatives, part), rank=2)
    for area, first, second in (
        (0.9, (8, 100), (100, 100)), (0.95, (15, 200), (200, 200)), (0.9, (20, 100), (200, 200)),
        (0.8, (5, 500), (100, 100)), (0.8, (30, 400), (100, 100)), (0.9, (60, 200), (300, 300)),
        (0.95, (120, 150), (400, 800)),
    ):  # fmt: skip
        yield replace(unlike_sizes_cell(area, first, second), rank=3)
    for kind, n, share, part in ((top, 400, 0.5, 0.01), (top, 300, 0.8, 0.03), ("wrong labels", 300, 0.3, 0.05)):
        yield replace(one_sided_cell(kind, n, share, part), rank=3)
