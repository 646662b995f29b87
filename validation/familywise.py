"""`te.compare` with several models that are equally good: how often does it tell any two apart?"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy import special

import trueerror as te
from validation.frame import CONFIDENCES, Cell, Procedure


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
        family="te.compare, any of several equal models told apart",
        scenario=f"{models} models of {rate:.0%} accuracy, n = {n:,}, correlation {correlation}",
        draw=draw,
        procedures=(
            Procedure("compare, Holm", adjusted, kind="test"),
            Procedure("compare, not adjusted", plain, default=False, kind="test"),
        ),
        confidences=CONFIDENCES[:1],
        effort=0.25,
    )


def cells(*, quick: bool) -> Iterator[Cell]:
    """Two, five and ten models."""
    yield familywise_cell(5, 200, 0.8, 0.5)
    if not quick:
        yield familywise_cell(2, 200, 0.8, 0.5)
        yield familywise_cell(5, 1000, 0.95, 0.7)
        yield familywise_cell(10, 200, 0.9, 0.5)
