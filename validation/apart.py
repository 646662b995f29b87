"""Two models, each on rows of its own, by metrics other than shares and areas: two intervals combined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import trueerror as te
from trueerror.findings import Evidence
from validation.compared import Sample, interval_and_test
from validation.count_metrics import THREE, expected_events, table_of, true_values, two
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell
from validation.paired_scores import Forecasts
from validation.scores import average_precision, evident_classes, shift_for

FAMILY = "another metric, two models on different rows"
METHOD = "newcombe-hybrid"
# Two classes by (prevalence, rate of right calls in each class); three classes by name.
Population = tuple[float, float] | str


def _cells_of(population: Population) -> np.ndarray:
    if isinstance(population, str):
        return THREE[population] / THREE[population].sum()
    prevalence, rate = population
    return two(prevalence, rate, rate)


def _labels(rng: np.random.Generator, p: np.ndarray, n: int) -> te.Predictions:
    """Rows drawn from the cells of a table."""
    k = len(p)
    truth, called = np.divmod(rng.choice(k * k, size=n, p=p.ravel()), k)
    return te.predictions(truth, {"model": called}, labels=list(range(k)), positive=k - 1 if k == 2 else None)


def labels_cell(metric: str, sizes: tuple[int, int], populations: tuple[Population, Population], words: str) -> Cell:
    """A metric of labels."""
    tables = [_cells_of(p) for p in populations]
    one, other = (true_values(p, (metric,))[metric] for p in tables)

    def draw(rng: np.random.Generator) -> Sample:
        first, second = (_labels(rng, p, n) for p, n in zip(tables, sizes, strict=True))
        return Sample(lambda c: te.compare(first, second, paired=False, metric=metric, confidence=c))

    def evident(rng: np.random.Generator) -> Evidence:
        p, n = min(zip(tables, sizes, strict=True), key=lambda pair: pair[1])
        return Evidence(confusion=table_of(rng.multinomial(n, p.ravel()).reshape(p.shape)))

    equal = populations[0] == populations[1]
    return Cell(
        family=FAMILY, scenario=f"{metric}, {sizes[0]} and {sizes[1]} rows, {words}", draw=draw,
        procedures=interval_and_test(f"{metric}, different rows", METHOD), truth={"difference": one - other},
        events={"difference": min(expected_events(metric, p, n) for p, n in zip(tables, sizes, strict=True))},
        confidences=CONFIDENCES[:1], n=sum(sizes), purpose="level" if equal else "power", evident=evident, block=250,
        wanted=ESTABLISHED_LEARNERS,
    )  # fmt: skip


def scores_cell(metric: str, sizes: tuple[int, int], first: float, second: float) -> Cell:
    """Average precision of normal scores (by AUC; 30 % positive), or a mean loss (by how far log-odds are off)."""
    share, of_areas = 0.3, metric == "average_precision"
    models = Forecasts(2.0, (first, second))
    if of_areas:
        truths = [average_precision(area, share) for area in (first, second)]
        words = f"AUC {first} and {second}"
        events = min(n * share * min(t, 1 - t) for n, t in zip(sizes, truths, strict=True))
    else:
        truths = [models.mean_loss(metric, which) for which in (0, 1)]
        words = f"log-odds off by {first:g} and {second:g}"
        share = models.prevalence()
        events = min(sizes) * share

    def rows(rng: np.random.Generator, n: int, which: int) -> te.Predictions:
        if of_areas:
            up = np.zeros(n, dtype=int)
            while not 0 < up.sum() < n:
                up = (rng.random(n) < share).astype(int)
            scores = rng.standard_normal(n) + shift_for((first, second)[which]) * up
        else:
            up, said = models.draw(rng, n)
            scores = said[which]
        return te.predictions(up, scores={"model": scores}, labels=[0, 1], positive=1)

    def draw(rng: np.random.Generator) -> Sample:
        one, two_ = (rows(rng, n, which) for which, n in enumerate(sizes))
        return Sample(lambda c: te.compare(one, two_, paired=False, metric=metric, confidence=c))

    return Cell(
        family=FAMILY, scenario=f"{metric}, {sizes[0]} and {sizes[1]} rows, {words}", draw=draw,
        procedures=interval_and_test(f"{metric}, different rows", METHOD), truth={"difference": truths[0] - truths[1]},
        events={"difference": events}, confidences=CONFIDENCES if of_areas and first == second else CONFIDENCES[:1],
        n=sum(sizes),
        purpose="level" if first == second else "power", block=250, wanted=ESTABLISHED_LEARNERS,
        evident=evident_classes(min(sizes) - round(min(sizes) * share), round(min(sizes) * share)),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Small and middling samples; sizes that differ."""
    if quick:
        return
    even, three = (0.3, 0.85), "three classes"
    for metric, sizes, populations, words, rank in (
        ("f1", (100, 100), (even, even), "30% positive, equal models", 1),
        ("macro_f1", (100, 100), (three, three), "three classes, equal models", 2),
    ):
        yield replace(labels_cell(metric, sizes, populations, words), rank=rank)
    for metric, sizes, first, second, rank in (
        ("average_precision", (100, 100), 0.8, 0.8, 2), ("brier", (100, 100), 0.5, 0.5, 2),
        ("log_loss", (100, 300), 0.5, 0.5, 3), ("average_precision", (100, 200), 0.9, 0.75, 4),
    ):  # fmt: skip
        yield replace(scores_cell(metric, sizes, first, second), rank=rank)
