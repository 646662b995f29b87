"""`te.compare` with several models: how often does it tell any two equal ones apart, and how often does one of its
limits of differences from the best, which are to hold together, miss the true one?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.inference._many import adjust
from trueerror.inference.proportion._paired import mcnemar
from validation.frame import CONFIDENCES, Cell, Procedure

FAMILY = "several equal models, any two told apart"
TOGETHER = "several models, differences from the best together"


def familywise_cell(models: int, n: int, rate: float, correlation: float) -> Cell:
    """Models that err on the same hard rows, in part: latent normals with the given correlation."""
    cut = float(special.ndtri(rate))
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    names = [f"m{i}" for i in range(models)]

    def draw(rng: np.random.Generator) -> te.Comparison:
        truth = rng.integers(0, 2, n)
        hard = shared * rng.standard_normal(n)
        right = {name: hard + own * rng.standard_normal(n) < cut for name in names}
        return te.compare(truth, {name: np.where(ok, truth, 1 - truth) for name, ok in right.items()})

    def adjusted(made: te.Comparison, level: float) -> bool:
        return any((c.p_value if c.p_adjusted is None else c.p_adjusted) <= level for c in made.pairs)

    def plain(made: te.Comparison, level: float) -> bool:
        return any(c.p_value <= level for c in made.pairs)

    return Cell(
        family=FAMILY,
        scenario=f"{models} models of {rate:.0%} accuracy, n = {n:,}, correlation {correlation}",
        draw=draw,
        procedures=(
            Procedure("compare, Holm", adjusted, kind="test"),
            Procedure("compare, not adjusted", plain, default=False, kind="test"),
        ),
        confidences=CONFIDENCES[:1],
        effort=0.25,
    )


@cache
def _p_value(b: int, c: int) -> float:
    return mcnemar(b, c).p_value


def pairs_cell(models: int, n: int, rate: float, correlation: float) -> Cell:
    """What `te.compare` does with the counts of all pairs, McNemar's mid-p and Holm, without its report.

    A test checks that it gives the p-values of `te.compare`.
    """
    cut = float(special.ndtri(rate))
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    upper = np.triu_indices(models, 1)

    def draw(rng: np.random.Generator) -> np.ndarray:
        hard = shared * rng.standard_normal(n)
        right = (hard + own * rng.standard_normal((models, n)) < cut).astype(float)
        only = right @ (1 - right).T
        return np.array([_p_value(int(only[i, j]), int(only[j, i])) for i, j in zip(*upper, strict=True)])

    def test(method: Any) -> Any:
        return lambda p, level: bool((adjust(p, method) <= level).any())

    return Cell(
        family=FAMILY, scenario=f"{models} models of {rate:.0%} accuracy, n = {n:,}, correlation {correlation}",
        draw=draw,
        procedures=(
            Procedure("Holm", test("holm"), kind="test", method="holm"),
            Procedure("Hommel", test("hommel"), kind="test", default=False, method="hommel"),
            Procedure("not adjusted", lambda p, level: bool((p <= level).any()), kind="test", default=False),
        ),
        confidences=CONFIDENCES[:1], n=n,
    )  # fmt: skip


def together_cell(groups: int, size: int) -> Cell:
    """Models so far apart that their p-values are but bounds; rows alone, or in clusters that are hard for all in part.

    A cluster's rows are hard by a Beta for all models and by one of each model's own, mixed at random row by row.
    """
    rates = {"m0": 0.9, "m1": 0.8, "m2": 0.7}
    correlation, n, keys = 0.2, groups * size, np.repeat(np.arange(groups), size)

    def chances(rate: float, ranks: np.ndarray) -> np.ndarray:
        a, b = (p * (1 - correlation) / correlation for p in (rate, 1 - rate))
        return np.asarray(special.betaincinv(a, b, ranks))[keys]

    def draw(rng: np.random.Generator) -> te.Predictions:
        truth, common, said = rng.integers(0, 2, n), rng.random(groups), {}
        for name, rate in rates.items():
            shared, own = (chances(rate, ranks) for ranks in (common, rng.random(groups)))
            right = rng.random(n) < np.where(rng.random(n) < 0.5, shared, own)
            said[name] = np.where(right, truth, 1 - truth)
        return te.predictions(truth, said, clusters=keys if size > 1 else None)

    def missed(p: te.Predictions, level: float) -> bool:
        made = te.compare(p, confidence=1 - level).simultaneous
        assert made is not None
        true = (rates[c.first] - rates[c.second] for c in made)
        return any(not c.low <= d <= c.high for c, d in zip(made, true, strict=True))

    rows = f"n = {n:,}" if size == 1 else f"{groups} clusters of {size}"
    return Cell(
        family=TOGETHER, scenario=f"models of 90, 80 and 70 % accuracy, {rows}", draw=draw,
        procedures=(Procedure("any of the limits misses", missed, kind="test", method="max-t"),),
        confidences=CONFIDENCES[:1], wanted=2_000, n=n,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Two to twenty equal models, and three that differ."""
    for models in (2, 5, 10, 20)[: 2 if quick else 4]:
        yield pairs_cell(models, 200, 0.8, 0.5)
    if not quick:
        yield pairs_cell(5, 1000, 0.95, 0.7)
        yield pairs_cell(20, 1000, 0.95, 0.7)
    yield together_cell(6_000, 1)
    yield together_cell(60, 20)
