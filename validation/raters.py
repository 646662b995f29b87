"""Agreement of raters, few labels with a judge, strengths by preferences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import trueerror as te
from validation.frame import Cell, Procedure


def agreement_cell(items: int, raters: int, rare: float, slips: float, word: str) -> Cell:
    """Two labels, one of them rare; each rater errs by itself."""

    def rated(rng: np.random.Generator, n: int) -> np.ndarray:
        truth = rng.random(n) < rare
        return np.where(rng.random((n, raters)) < slips, ~truth[:, None], truth[:, None]).astype(int)

    given = rare * (1 - slips) + (1 - rare) * slips
    both = rare * (1 - slips) ** 2 + (1 - rare) * slips**2
    neither = rare * slips**2 + (1 - rare) * (1 - slips) ** 2
    expected = given**2 + (1 - given) ** 2
    return Cell(
        family="raters",
        scenario=f"{items} items, {raters} raters, a label in {rare:g}, slips {slips:g}: {word}",
        draw=lambda rng: rated(rng, items),
        procedures=(
            Procedure(word, lambda x, c: te.agreement(x, method=word, confidence=c)[word], target="agreement"),
        ),
        truth={"agreement": (both + neither - expected) / (1 - expected)},
        events={"agreement": items * rare},
        n=items,
        wanted=2_000,
        confidences=(0.95,),
        heard=lambda x: ["a note"] if te.agreement(x, method=word)[word].note else [],
    )


def judge_cell(labels: int, others: int, share: float, right: float) -> Cell:
    """Few labels, a judge that is right by a given chance on either class."""

    def draw(rng: np.random.Generator) -> Any:
        truth = rng.random(labels + others) < share
        judge = np.where(rng.random(labels + others) < right, truth, ~truth).astype(int)
        return truth[:labels].astype(int), judge[:labels], judge[labels:]

    return Cell(
        family="few labels",
        scenario=f"{labels} labels of {labels + others}, true share {share:g}, judge right in {right:g}",
        draw=draw,
        procedures=(
            Procedure("with the judge", lambda x, c: te.ppi(*x, confidence=c), target="share"),
            Procedure("PPI++", lambda x, c: te.ppi(*x, confidence=c, method="ppi++"), default=False, target="share"),
        ),
        truth={"share": share},
        events={"share": labels * min(share, 1 - share)},
        n=labels,
        wanted=2_000,
        confidences=(0.95,),
    )


def arena_cell(models: int, battles: int, spread: float, cluster: int) -> Cell:
    """Strengths in even steps; battles of one prompt share tastes where clusters are larger than one."""
    strengths = np.linspace(spread, -spread, models)
    names = [f"m{i:02d}" for i in range(models)]

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        a = rng.integers(0, models, battles)
        b = (a + rng.integers(1, models, battles)) % models
        won = rng.random(battles) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
        table = {"model_a": [names[i] for i in a], "model_b": [names[i] for i in b]}
        table["winner"] = ["model_a" if w else "model_b" for w in won]
        return table | ({"prompt": np.arange(battles) // cluster} if cluster > 1 else {})

    gap = 400 / math.log(10) * float(strengths[0] - strengths[-1])
    return Cell(
        family="arena",
        scenario=f"{models} models, {battles} battles, strengths ±{spread:g}, prompts of {cluster}",
        draw=draw,
        procedures=(
            Procedure("first − last", lambda x, c: te.arena(x, confidence=c)[names[0], names[-1]], target="gap"),
        ),
        truth={"gap": gap},
        events={"gap": battles / models},
        n=battles,
        wanted=2_000,
        confidences=(0.95,),
    )


def cells(*, quick: bool) -> Iterator[Cell]:
    for items in (20, 50) if quick else (20, 50, 200):
        for rare, slips in ((0.5, 0.02), (0.1, 0.05), (0.03, 0.02)):
            for word in ("krippendorff",) if quick else ("krippendorff", "cohen"):
                yield agreement_cell(items, 2, rare, slips, word)
    for labels in (50,) if quick else (50, 100, 200):
        for share in (0.8, 0.98):
            for right in (0.6, 0.8, 0.95):
                yield judge_cell(labels, 2_000 if quick else 20_000, share, right)
    yield arena_cell(3, 30, 0.7, 1)
    yield arena_cell(8, 300, 0.7, 5)
    if not quick:
        yield arena_cell(20, 2_000, 2.0, 1)
