"""Whole verbs: does `te.gate` pass what is worse by the whole margin, does `te.rank` tell equal learners apart?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import special

import trueerror as te
from trueerror.results._values import deciding_p
from validation.count_metrics import true_values, two
from validation.frame import CONFIDENCES, Cell, Procedure


def gate_cell(metric: str, n: int, candidate: float, baseline: float, prevalence: float = 0.3) -> Cell:
    """A candidate that is worse by exactly the margin; a third of the errors are on rows that are hard for both."""
    new, old = (true_values(two(prevalence, rate, rate), (metric,))[metric] for rate in (candidate, baseline))

    def draw(rng: np.random.Generator) -> te.Predictions:
        truth = (rng.random(n) < prevalence).astype(int)
        hard, common = rng.random(n), rng.random(n) < 1 / 3
        said = {}
        for name, rate in (("challenger", candidate), ("incumbent", baseline)):
            right = np.where(common, hard, rng.random(n)) < rate
            said[name] = np.where(right, truth, 1 - truth)
        return te.predictions(truth, said, labels=[0, 1], positive=1)

    def passes(sample: te.Predictions, level: float) -> bool:
        made = te.gate(sample, "incumbent", model="challenger", metric=metric, margin=old - new, confidence=1 - level)
        return made.decision == "pass"

    return Cell(
        family="gates, the candidate worse by the whole margin",
        scenario=f"{metric}, n = {n:,}, right on {candidate:.0%} and {baseline:.0%}, margin {old - new:.3f}", draw=draw,
        procedures=(Procedure(f"{metric}, passes", passes, kind="test"),), confidences=CONFIDENCES[:1], n=n, block=250,
    )  # fmt: skip


def clustered_gate_cell(groups: int, sd: float, rate: float, margin: float) -> Cell:
    """A candidate that is worse by exactly the margin, on clusters of lognormal size that are hard for both by half."""

    def chances(mean: float, ranks: np.ndarray) -> np.ndarray:
        return np.asarray(special.betaincinv(4 * mean, 4 * (1 - mean), ranks))

    def passes(rng: np.random.Generator, level: float) -> bool:
        sizes = np.maximum(1, np.round(10 * np.exp(sd * rng.standard_normal(groups)))).astype(int)
        keys = np.repeat(np.arange(groups), sizes)
        truth, hard = rng.integers(0, 2, len(keys)), rng.random(groups)
        said = {}
        for name, mean in (("challenger", rate - margin), ("incumbent", rate)):
            shared = rng.random(len(keys)) < 0.5
            chance = np.where(shared, chances(mean, hard)[keys], chances(mean, rng.random(groups))[keys])
            said[name] = np.where(rng.random(len(keys)) < chance, truth, 1 - truth)
        sample = te.predictions(truth, said, clusters=keys, labels=[0, 1])
        return te.gate(sample, "incumbent", model="challenger", margin=margin, confidence=1 - level).decision == "pass"

    return Cell(
        family="gates, the candidate worse by the whole margin",
        scenario=f"accuracy, {groups} clusters (sd {sd:g}), right on {rate - margin:.0%} and {rate:.0%}",
        draw=lambda rng: np.random.default_rng(int(rng.integers(2**62))),
        procedures=(Procedure("accuracy over clusters, passes", passes, kind="test"),), confidences=CONFIDENCES[:1],
        n=10 * groups, block=250, wanted=2_000,
    )  # fmt: skip


def hiding_cell(metric: str, n: int, rate: float, hidden: float) -> Cell:
    """Two equal models, of which the first leaves out a part of the rows that it gets wrong."""

    def draw(rng: np.random.Generator) -> te.Comparison:
        truth = np.arange(n) % 2
        hard, common = rng.random(n), rng.random(n) < 1 / 3
        right = [np.where(common, hard, rng.random(n)) < rate for _ in range(2)]
        first, second = (np.where(r, truth, 1 - truth).astype(object) for r in right)
        first[~right[0] & (rng.random(n) < hidden)] = None
        return te.compare(
            truth, {"hides": first, "bold": second}, metric=metric, missing="drop", labels=[0, 1], positive=1
        )

    def better(made: te.Comparison, level: float) -> bool:
        return deciding_p(made["hides", "bold"]) <= level and made["hides", "bold"].estimate > 0

    return Cell(
        family="a model that leaves out its errors is called better",
        scenario=f"{metric}, n = {n:,}, right on {rate:.0%}, {hidden:.0%} of the errors left out", draw=draw,
        procedures=(Procedure(f"{metric}, called better", better, kind="test"),), confidences=CONFIDENCES[:1], n=n,
        block=250,
    )  # fmt: skip


def rank_cell(models: int, sets: int) -> Cell:
    """Equal learners on data sets of unequal difficulty; differences have heavy tails, and some tie."""

    def draw(rng: np.random.Generator) -> te.Ranking:
        hard = rng.beta(8, 2, sets)[:, None]
        scores = np.round(np.clip(hard + 0.02 * rng.standard_t(3, (sets, models)), 0, 1), 3)
        return te.rank({f"m{i}": scores[:, i] for i in range(models)})

    def told_apart(made: te.Ranking, level: float) -> bool:
        return any((c.p_value if c.p_adjusted is None else c.p_adjusted) <= level for c in made.pairs)

    return Cell(
        family="rankings of equal learners, any two told apart", scenario=f"{models} learners, {sets} data sets",
        draw=draw, procedures=(Procedure("rank", told_apart, kind="test", method="wilcoxon"),),
        confidences=CONFIDENCES[:1], n=sets,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Shares and other metrics; few and many learners."""
    if quick:
        yield rank_cell(4, 12)
        return
    yield replace(gate_cell("accuracy", 300, 0.85, 0.9), rank=2)
    yield replace(gate_cell("accuracy", 100, 0.8, 0.9), rank=3)
    yield replace(gate_cell("f1", 300, 0.85, 0.9), rank=3)
    for metric, n, rate, hidden in (
        ("accuracy", 300, 0.8, 0.9), ("accuracy", 1000, 0.9, 0.3), ("f1", 300, 0.8, 0.5), ("mcc", 300, 0.85, 0.9),
    ):  # fmt: skip
        yield replace(hiding_cell(metric, n, rate, hidden), rank=2)
    for groups, sd, rate, margin in ((20, 1.0, 0.85, 0.05), (40, 1.5, 0.9, 0.03)):
        yield replace(clustered_gate_cell(groups, sd, rate, margin), rank=3)
    for models, sets, rank in ((4, 12, 2), (10, 20, 3)):
        yield replace(rank_cell(models, sets), rank=rank)
