"""Two models on the same rows: metrics other than accuracy, mean losses, permutation and bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.bootstrap._paired import paired_bootstrap
from trueerror.inference.bootstrap._permutation import permutation
from trueerror.inference.counts._paired import paired_metric
from trueerror.inference.loss._t_tests import paired_t
from trueerror.results import Contrast
from trueerror.tallies import Agreement
from validation.compared import Answer
from validation.frame import CONFIDENCES, Cell, Procedure

FAMILY = "difference of a metric, same rows"


def agreement_cell(metric: str, n: int, prevalence: float, first: float, second: float, *, bootstrap: bool) -> Cell:
    """Two models right on so many rows of each class; a third of the errors they share."""
    rates = np.array([first, second])

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        truth = (rng.random(n) < prevalence).astype(int)
        hard = rng.random(n)
        common = rng.random(n) < 1 / 3
        right = [np.where(common, hard, rng.random(n)) < rate for rate in rates]
        return {"table": Agreement.count(truth, *(np.where(ok, truth, 1 - truth) for ok in right))}

    def effective(table: Agreement) -> Contrast:
        found = paired_metric(table, metric, None, {}).estimate
        return effective_t_contrast(found, IntervalSpec(), n=n, higher_is_better=True)

    def answer(sample: dict[str, Any], how: str) -> Answer:
        if how not in sample:
            table = sample["table"]
            made = effective(table) if how == "effective" else paired_bootstrap(table, metric=metric)
            sample[how] = Answer(*(getattr(made, f) for f in Answer._fields))
        return sample[how]

    def procedures(how: str, words: str, default: bool) -> tuple[Procedure, Procedure]:
        return (
            Procedure(f"{metric}, {words}", lambda s, _: answer(s, how), default=default, target="difference"),
            Procedure(
                f"{metric}, {words}, test", lambda s, level: answer(s, how).p_value <= level, default=default,
                kind="test", method="effective-t" if how == "effective" else "paired-bootstrap-bca",
            ),
        )  # fmt: skip

    truth = _true_metric(metric, prevalence, first) - _true_metric(metric, prevalence, second)
    tried = procedures("effective", "effective t", True) + (procedures("bca", "BCa", False) if bootstrap else ())
    words = "equal models" if first == second else f"of {first:.0%} and {second:.0%}"
    return Cell(
        family=FAMILY, scenario=f"{metric}, n = {n}, {prevalence:.0%} positive, {words} right", draw=draw,
        procedures=tried, truth={"difference": truth},
        events={"difference": n * min(prevalence, 1 - prevalence) * (1 - max(first, second))},
        confidences=CONFIDENCES[:1], n=n, purpose="level" if first == second else "power", block=250,
    )  # fmt: skip


def _true_metric(metric: str, prevalence: float, rate: float) -> float:
    from validation.count_metrics import true_values, two

    return true_values(two(prevalence, rate, rate), (metric,))[metric]


def loss_cell(n: int, correlation: float) -> Cell:
    """Brier losses of two models that are equally good: skewed, correlated differences."""

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        shared, own = np.sqrt(correlation), np.sqrt(1 - correlation)
        common = shared * rng.standard_normal(n)
        one, two = (special.expit(1.5 * (common + own * rng.standard_normal(n)) - 1.5) ** 2 for _ in range(2))
        return one, two

    def by_t(sample: tuple[np.ndarray, np.ndarray], level: float) -> bool:
        return paired_t(*sample).p_value <= level

    def by_permutation(sample: tuple[np.ndarray, np.ndarray], level: float) -> bool:
        return permutation(*sample, replicates=999).p_value <= level

    return Cell(
        family="mean losses, same rows", scenario=f"n = {n}, equal models, correlation {correlation}", draw=draw,
        procedures=(
            Procedure("paired t", by_t, kind="test", method="paired-t"),
            Procedure("permutation", by_permutation, kind="test", method="permutation-paired"),
        ),
        confidences=CONFIDENCES[:1], n=n,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """F1, macro-F1, MCC and balanced accuracy; equal models and a better first."""
    for n in (12,) if quick else (12, 100):
        yield loss_cell(n, 0.5)
    if quick:
        return
    for metric in ("f1", "macro_f1", "mcc", "balanced_accuracy"):
        for n, prevalence in ((100, 0.3), (400, 0.1)):
            cell = agreement_cell(metric, n, prevalence, 0.85, 0.85, bootstrap=False)
            yield replace(cell, rank=1 if n == 100 and metric in ("f1", "macro_f1") else 3)
    yield replace(agreement_cell("f1", 60, 0.3, 0.85, 0.85, bootstrap=True), rank=2)
    yield replace(agreement_cell("f1", 400, 0.3, 0.9, 0.85, bootstrap=False), rank=3)
