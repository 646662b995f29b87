"""`te.gaps` with groups that are alike: how often are any two of them told apart, best and worst being picked after?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import trueerror as te
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell, Procedure

FAMILY = "groups that are alike, any two told apart"


def gaps_cell(sizes: tuple[int, ...], rate: float, metric: str, clusters: int = 0) -> Cell:
    """Groups of these sizes in which every row is right with the same probability."""
    groups = np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    n = len(groups)

    def draw(rng: np.random.Generator) -> te.Gaps:
        truth = rng.integers(0, 2, n)
        right = rng.random(n) < rate
        options = {}
        if clusters:
            key = options["clusters"] = rng.integers(0, clusters, n)
            right = np.where(rng.random(clusters)[key] < 0.3, rng.random(clusters)[key] < rate, right)
        return te.gaps(truth, np.where(right, truth, 1 - truth), by=groups, metrics=metric, min_rows=2, **options)

    def adjusted(made: te.Gaps, level: float) -> bool:
        return made.parts[0].p_value <= level

    def of_the_pair(made: te.Gaps, level: float) -> bool:
        """The two that look furthest apart, as if they had been chosen beforehand."""
        return min(c.p_value for c in made.parts[0].pairs) <= level

    shown = f"{clusters} clusters across groups, " if clusters else ""
    return Cell(
        family=FAMILY,
        scenario=f"{metric}, {shown}groups of {', '.join(map(str, sizes))} rows, {rate:.0%} right",
        draw=draw,
        procedures=(
            Procedure("te.gaps", adjusted, kind="test"),
            Procedure("the picked pair, not adjusted", of_the_pair, default=False, kind="test"),
        ),
        confidences=CONFIDENCES[:1],
        effort=0.1,
        wanted=ESTABLISHED_LEARNERS,
    )


def cells(*, quick: bool) -> Iterator[Cell]:
    """Few and many groups, equal and very unequal, near the middle and near 1."""
    for sizes in ((40, 40), (20, 400), (40,) * 6, (20, 60, 200, 1000))[: 2 if quick else 4]:
        for rate in (0.7, 0.95):
            for metric in ("accuracy", "recall"):
                yield gaps_cell(sizes, rate, metric)
    yield gaps_cell((60, 60, 60, 60), 0.8, "f1")
    yield gaps_cell((60, 300), 0.9, "macro_f1")
    yield gaps_cell((100, 100, 100), 0.8, "accuracy", clusters=40)
