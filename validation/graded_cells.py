"""Grades between two ends and several answers to each question: shapes that pile up at an end, rare disasters, unequal
clusters, few questions. Designs in which a mean of bounded values looks surer than it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import trueerror as te
from trueerror.inference._answer import interval_of
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference.loss._mean import ClusterSums, MeanSample, difference_of_means
from trueerror.metrics._registry import find_measure
from trueerror.people._answers import AnswerGrades, question_units
from trueerror.people._repeats import few_questions
from trueerror.tallies import Moments
from validation.frame import CONFIDENCES, Cell, Procedure

UNIT = (0.0, 1.0)
Draw = Callable[[np.random.Generator, int], np.ndarray]


def _mixed(share: float, at: float, a: float, b: float) -> Draw:
    """A share of the rows beta, the others at one value."""
    return lambda rng, n: np.where(rng.random(n) < share, rng.beta(a, b, n), at)


# How a row's grade is drawn, and the true mean.
SHAPES: dict[str, tuple[Draw, float]] = {
    "uniform": (lambda rng, n: rng.random(n), 0.5),
    "beta(0.5, 0.5)": (lambda rng, n: rng.beta(0.5, 0.5, n), 0.5),
    "beta(5, 1)": (lambda rng, n: rng.beta(5, 1, n), 5 / 6),
    "beta(0.1, 0.9)": (lambda rng, n: rng.beta(0.1, 0.9, n), 0.1),
    "beta(0.05, 5)": (lambda rng, n: rng.beta(0.05, 5, n), 0.05 / 5.05),
    "half are 0": (_mixed(0.5, 0.0, 2, 2), 0.25),
    "97 % are 0": (_mixed(0.03, 0.0, 2, 2), 0.015),
    "97 % are 1": (_mixed(0.03, 1.0, 2, 1), 0.99),
    "0.9, and 2 % are 0": (lambda rng, n: np.where(rng.random(n) < 0.02, 0.0, 0.9), 0.882),
}
# Chances of a right answer, question by question.
CHANCES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "U-shaped": lambda rng, n: rng.beta(0.5, 0.5, n),
    "hard": lambda rng, n: rng.beta(0.1, 1.5, n),
    "easy": lambda rng, n: rng.beta(3, 0.2, n),
    "3 % solvable": lambda rng, n: np.where(rng.random(n) < 0.03, 0.8, 0.002),
}


def _mean(units: Moments | ClusterSums, confidence: float, method: str | None = None) -> te.Interval:
    spec = IntervalSpec(confidence=confidence)
    return interval_of(Problem(metric=find_measure("mean_score"), sample=MeanSample.of(units), spec=spec), method)


def shape_cell(name: str, n: int) -> Cell:
    """The mean of independent grades, by the default and by t."""
    draw, truth = SHAPES[name]

    return Cell(
        family="mean score", scenario=f"{name}, n = {n:,}", draw=lambda rng: draw(rng, n), truth={"mean score": truth},
        procedures=(
            Procedure("mean score", _mean),
            Procedure("mean score, t", lambda u, c: _mean(Moments.of(u), c, "t"), default=False, target="mean score"),
        ),
        events={"mean score": n * min(truth, 1 - truth)}, confidences=CONFIDENCES[:1], n=n,
    )  # fmt: skip


def _sizes(kind: str, groups: int) -> np.ndarray:
    if kind == "equal":
        return np.full(groups, 8)
    if kind == "one with half the rows":
        return np.r_[4 * (groups - 1), np.full(groups - 1, 4)]
    return np.maximum(1, np.round(8 * np.exp(np.random.default_rng(groups).normal(-0.5, 1, groups)))).astype(int)


def cluster_cell(kind: str, groups: int, mean: float, correlation: float) -> Cell:
    """The mean of grades in clusters, whose own means are beta."""
    sizes = _sizes(kind, groups)
    owner, strength = np.repeat(np.arange(groups), sizes), 1 / correlation - 1

    def units(rng: np.random.Generator) -> ClusterSums:
        own = rng.beta(mean * strength, (1 - mean) * strength, groups).clip(1e-6, 1 - 1e-6)[owner]
        grades = rng.beta(4 * own, 4 * (1 - own))
        return ClusterSums(sizes, np.bincount(owner, weights=grades))

    return Cell(
        family="mean score, clusters", scenario=f"{kind}, {groups} clusters, mean {mean}, correlation {correlation}",
        draw=units, truth={"mean score": mean},
        procedures=(
            Procedure("mean score", _mean),
            Procedure("mean score, cluster-t", lambda u, c: _mean(u, c, "cluster-t"), default=False,
                      target="mean score"),
        ),
        events={"mean score": groups * min(mean, 1 - mean)}, confidences=CONFIDENCES[:1], n=groups,
    )  # fmt: skip


def _pairs(kind: str, rng: np.random.Generator, n: int) -> np.ndarray:
    """Differences of two models with the same mean."""
    if kind == "shared difficulty":
        hard = rng.beta(4, 2, n)
        return rng.beta(8 * hard, 8 * (1 - hard)) - rng.beta(8 * hard, 8 * (1 - hard))
    if kind == "rare zeros in one":
        return np.where(rng.random(n) < 0.02, 0.0, 0.9) - (0.882 + rng.uniform(-0.05, 0.05, n))
    return (rng.random(n) < 0.03) * 1.0 - (rng.random(n) < 0.3) * 0.1  # few large, many small


def paired_cell(kind: str, n: int) -> Cell:
    """Equal models: how often they are called different."""

    def test(method: str) -> Callable[[np.ndarray, float], bool]:
        def rejects(d: np.ndarray, level: float) -> bool:
            if method == "t":
                return bool(te.significance.paired_t(d, np.zeros(len(d))).p_value <= level)
            spec = IntervalSpec(confidence=1 - level)
            return difference_of_means(Moments.of(d), (-1.0, 1.0), spec, True).p_value <= level

        return rejects

    return Cell(
        family="mean scores, two models on the same rows", scenario=f"{kind}, n = {n:,}",
        draw=lambda rng: _pairs(kind, rng, n), truth={},
        procedures=(
            Procedure("mean scores", test("effective-t"), kind="test", method="effective-t"),
            Procedure("mean scores, t", test("t"), kind="test", default=False, method="paired-t-losses"),
        ),
        events={"mean scores": n * 0.02}, confidences=CONFIDENCES[:1], n=n, purpose="level",
    )  # fmt: skip


def pass_cell(kind: str, questions: int, repeats: int, *, every: bool) -> Cell:
    """pass@k or pass^k with k all the answers."""
    large = CHANCES[kind](np.random.default_rng(3), 2_000_000)
    truth = float((large**repeats if every else 1 - (1 - large) ** repeats).mean())
    name = f"pass{'^' if every else '@'}{repeats}"

    def values(rng: np.random.Generator) -> np.ndarray:
        right = rng.random((questions, repeats)) < CHANCES[kind](rng, questions)[:, None]
        answers = AnswerGrades(right.astype(float), UNIT)
        return answers.worst_of(repeats) if every else answers.best_of(repeats)

    def over(method: str | None) -> Callable[[np.ndarray, float], Any]:
        return lambda v, c: _mean(question_units(v, None), c, method)

    return Cell(
        family="pass@k and pass^k", scenario=f"{kind}, {questions} questions × {repeats} answers, {name}", draw=values,
        truth={name: truth},
        procedures=(Procedure(name, over(None)), Procedure(f"{name}, t", over("t"), default=False, target=name)),
        events={name: questions * min(truth, 1 - truth)}, confidences=CONFIDENCES[:1], n=questions,
        heard=lambda v: ["a note"] if few_questions(len(v)) else [],
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Grades of 30 to 3,000 rows, 10 to 100 clusters, 20 to 500 questions."""
    for name in SHAPES:
        for n in (30,) if quick else (30, 100, 300, 3_000):
            yield shape_cell(name, n)
    if quick:
        return
    for kind in ("equal", "lognormal", "one with half the rows"):
        for groups, mean, correlation in ((10, 0.6, 0.2), (40, 0.95, 0.1), (40, 0.03, 0.3), (100, 0.6, 0.2)):
            yield cluster_cell(kind, groups, mean, correlation)
    for kind in ("shared difficulty", "rare zeros in one", "few large, many small"):
        for n in (30, 100, 1_000):
            yield paired_cell(kind, n)
    for kind in CHANCES:
        for questions, repeats in ((20, 2), (20, 20), (100, 5), (500, 5)):
            for every in (False, True):
                yield pass_cell(kind, questions, repeats, every=every)
