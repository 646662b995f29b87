"""`te.compare` with several models that are equally good: how often does it tell any two apart?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from trueerror.significance import adjust, mcnemar
from validation.frame import CONFIDENCES, Cell, Procedure

FAMILY = "several equal models, any two told apart"


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


def cells(*, quick: bool) -> Iterator[Cell]:
    """Two to twenty models."""
    for models in (2, 5, 10, 20)[: 2 if quick else 4]:
        yield pairs_cell(models, 200, 0.8, 0.5)
    if not quick:
        yield pairs_cell(5, 1000, 0.95, 0.7)
        yield pairs_cell(20, 1000, 0.95, 0.7)
