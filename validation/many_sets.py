"""Learners over many data sets, and areas of different rows: tests of equal ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from trueerror.inference.auc._tests import delong_unpaired
from trueerror.inference.ranking._rank_tests import friedman, iman_davenport, sign, wilcoxon
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.scores import shift_for


def sets_cell(models: int, sets: int) -> Cell:
    """Equal learners on data sets of unequal difficulty; differences have heavy tails, and some tie."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        hard = rng.beta(8, 2, sets)[:, None]
        return np.round(np.clip(hard + 0.02 * rng.standard_t(3, (sets, models)), 0, 1), 3)

    def rejects(test: Any) -> Any:
        if models == 2:
            return lambda s, level: test(s[:, 0], s[:, 1]).p_value <= level
        return lambda s, level: test(s).p_value <= level

    tried = [("Wilcoxon", wilcoxon, "wilcoxon", True), ("sign", sign, "sign", False)]
    if models > 2:
        tried = [("Iman–Davenport", iman_davenport, "iman-davenport", True), ("Friedman", friedman, "friedman", False)]
    return Cell(
        family="learners over many data sets", scenario=f"{models} equal learners, {sets} data sets", draw=draw,
        procedures=tuple(
            Procedure(name, rejects(test), kind="test", default=default, method=key)
            for name, test, key, default in tried
        ),
        confidences=CONFIDENCES[:1], n=sets,
    )  # fmt: skip


def apart_cell(area: float, positives: int, negatives: int) -> Cell:
    """Two models of the same area, each on rows of its own."""
    shift = shift_for(area)
    up = np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        one, two = (rng.standard_normal(len(up)) + shift * up for _ in range(2))
        return up, one, up, two

    def test(sample: tuple[np.ndarray, ...], level: float) -> bool:
        return delong_unpaired(*sample).p_value <= level

    return Cell(
        family="two areas, different rows", scenario=f"AUC {area}, {positives}/{negatives} each", draw=draw,
        procedures=(
            Procedure("DeLong's test, t, different rows", test, default=False, kind="test", method="delong-unpaired-t"),
        ),
        confidences=CONFIDENCES[:1], n=2 * len(up),
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Few and many data sets; small and middling samples."""
    for models, sets in ((2, 12),) if quick else ((2, 12), (2, 40), (4, 12), (8, 30)):
        yield sets_cell(models, sets)
    for positives, negatives in ((20, 20),) if quick else ((10, 100), (30, 30)):
        yield apart_cell(0.8, positives, negatives)
