"""The decision table: which method answers a question unasked. The first row that holds is taken.

A row names a kind of question (one sample, two models on the same rows or on different rows, learners), what has to
hold of it, the method and why. Rows ask facts of the metric (`Measure`) and of the sample; no other place chooses a
default. `docs/reference/decisions.md` is made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._sample import OneSample
from trueerror.methods._registry import (
    DIFFERENT,
    LEARNER,
    LEARNERS,
    ONE,
    SAME,
    InferenceMethod,
    Kind,
    always,
    methods_on,
)

if TYPE_CHECKING:
    from trueerror.metrics._registry import Measure

Question = Problem[Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """One row: what it is about, the method by its word (of learners that of their plan), and why."""

    title: str
    on: tuple[Kind, ...]
    method: str | Callable[[Question], str]
    why: str
    when: Callable[[Question], bool] = always

    @property
    def key(self) -> str:
        """The key of its method on the first of its kinds; "" where a plan says which."""
        word = self.method
        return next(m.key for m in methods_on(self.on[0]) if m.is_called(word)) if isinstance(word, str) else ""


def is_share(q: Question) -> bool:
    """Whether the metric is a share of independent rows that count alike."""
    return bool(q.sample.is_share(q.metric))


TABLE = (
    Choice(
        "any metric over several rounds of folds of the same rows", (ONE,), "mean-of-rounds",
        "every round tests the same rows, so more rounds steady the mean and tell nothing new of other rows; the "
        "answer is about these models",
        when=lambda q: q.sample.in_rounds,
    ),
    Choice(
        "repeated random splits; two models over repeated folds", (ONE, SAME), "corrected-t",
        "rows that were tested several times cannot be pooled; the answer is about the learners",
        when=lambda q: q.sample.repeated,
    ),
    Choice(
        "scores of folds that have a model each (areas, average precision)", (ONE, SAME), "within-folds",
        "scores of different folds come from different models and may lie on different scales, so rows are ranked "
        "within folds; the answer is about these models, one for each fold",
        when=lambda q: q.sample.ranks_within_folds(q.metric),
    ),
    Choice(
        "scores of folds with too few rows to be ranked by themselves", (ONE,), "pooled",
        "folds too small to be ranked by themselves (leave-one-out) stand in one ranking, and say so",
        when=lambda q: q.sample.in_folds,
    ),
    Choice(
        "a share of independent rows (accuracy, error rate, recall, precision, …)", (ONE,), "wilson",
        "coverage at least .927 wherever np and nq are 5 or more (by enumeration)",
        when=is_share,
    ),
    Choice(
        "F1 of one class, independent rows", (ONE,), "wilson-f1",
        "covers .949–.957; the delta method covers .87–.94 and collapses to zero width",
        when=lambda q: q.metric.rows_in_play and q.sample.plain,
    ),
    Choice(
        "likelihood ratios and the diagnostic odds ratio, independent rows", (ONE,), "delta-log",
        "the logarithm of a ratio is near to normal; ½ is added to each count where one is 0",
        when=lambda q: q.metric.is_ratio and q.sample.plain,
    ),
    Choice(
        "a share of independent rows, two models on the same rows", (SAME,), "mid-p",
        "coverage at least .933 by enumeration; Tango's interval for the size",
        when=is_share,
    ),
    Choice(
        "a share of independent rows, two models on different rows", (DIFFERENT,), "miettinen-nurminen",
        "minimum coverage .935; Newcombe's .902 at 30/30",
        when=is_share,
    ),
    Choice(
        "calibration errors (expected and maximum), and differences of two", (ONE, SAME, DIFFERENT), "gaps",
        "covers .948–.988 at 1.2–1.8 times the least possible width; chance pushes these errors up, and resampling "
        "pushes twice: BCa covers .00 where forecasts are calibrated, .24–.96 where they are not (simulated)",
        when=lambda q: q.metric.calibration_error,
    ),
    Choice(
        "anything else: one model, or two on the same rows", (ONE, SAME), "effective-t",
        "covers .93–.98 in nearly every design of labels, scores, losses and grades, at 1.0 to 1.4 times the least "
        "possible width; equal models are called different in .01–.065 of the samples, over clusters of any sizes in "
        ".02–.06 (simulated)",
    ),
    Choice(
        "anything else: two models on different rows", (DIFFERENT,), "newcombe-hybrid",
        "keeps the skew of both intervals: AUC, AP and log loss of 40 + 40 to 100 + 400 rows type I error .027–.062, "
        "20 + 2,000 .019–.071, where one t of both samples has .10–.21; F1 .046–.064 (simulated)",
    ),
    Choice(
        "a learner, by resampling", (LEARNER,), lambda q: str(q.sample.usual_method),
        "a plan of resampling says how its test folds depend on each other, and so which method fits",
    ),
    Choice(
        "two learners on the same test folds", (LEARNERS,), lambda q: str(q.sample.usual_method),
        "type I error .03–.05; the plain t-test of 10 × 10 folds has .53–.57",
    ),
)  # fmt: skip


def row_of(q: Question) -> Choice:
    """The first row that holds."""
    on = q.on
    return next(row for row in TABLE if on in row.on and row.when(q))


def choose(q: Question) -> InferenceMethod:
    """The default method of a question."""
    named = row_of(q).method
    word = named if isinstance(named, str) else named(q)
    return next(m for m in methods_on(q.on) if m.is_called(word))


class _PlainRows(OneSample):
    """Independent rows, whatever was counted of them."""

    @property
    def plain(self) -> bool:
        """They are."""
        return True

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is one."""
        return metric.share is not None or metric.row_hits


def usual_key(metric: Measure) -> str:
    """The default method of a metric on independent rows.

    >>> from trueerror.metrics._registry import find_measure
    >>> [usual_key(find_measure(name)) for name in ("recall", "f1", "ece", "auc")]
    ['wilson', 'wilson-f1', 'calibration-gaps', 'effective-t']
    """
    return row_of(Problem(metric=metric, sample=_PlainRows(), spec=IntervalSpec())).key


def reason_for(key: str, kind: Kind) -> str:
    """Why a method is a default for a kind of question; "" where it must be asked for.

    >>> reason_for("mcnemar-exact", SAME)
    ''
    """
    named = [m for m in methods_on(kind) if m.key == key]
    words = {row.method: row.why for row in reversed(TABLE) if kind in row.on and isinstance(row.method, str)}
    return next((why for word, why in words.items() for m in named if m.is_called(word)), "")
