"""Scores of parts: one metric of one learner's predictions on one test part, and losses row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.outcomes import Outcome
from trueerror.inputs.errors import InputError
from trueerror.metrics.compute import metric as compute
from trueerror.metrics.registry import find_measure
from trueerror.metrics.tallying import LABEL_METRICS
from trueerror.metrics.values import value
from trueerror.resampling.dealing import Ints
from trueerror.tallies import Confusion

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FoldScores:
    """One metric of each learner on each test part: `values[learner, part]`, NaN where the fit failed.

    `repeats` and `folds` name the parts, `tests` and `trains` are their numbers of (different) rows.
    """

    metric: str
    higher_is_better: bool
    learners: tuple[str, ...]
    values: Floats
    repeats: Ints
    folds: Ints
    tests: Ints
    trains: Ints

    def of(self, learner: str) -> Floats:
        """The scores of one learner."""
        found: Floats = self.values[self.learners.index(learner)]
        return found

    @property
    def test_train_ratio(self) -> float:
        """Test rows to different training rows, on average: what the corrected t needs."""
        return self.ratio_of(np.ones(len(self.tests), dtype=bool))

    def ratio_of(self, parts: NDArray[np.bool_]) -> float:
        """The same over some of the parts."""
        return float(self.tests[parts].mean() / self.trains[parts].mean())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PairLosses:
    """Losses of one repeat of a `BatesCV` plan, from fits without one fold (`single`) and without two (`pair`).

    `single[k]` are those on fold k, `pair[i, j]` those on fold i and those on fold j, i < j.
    """

    single: tuple[Floats, ...]
    pair: dict[tuple[int, int], tuple[Floats, Floats]]


def score(name: str, data: Dataset, test: Ints, outcome: Outcome, positive: Any = None, **options: Any) -> float:
    """A metric of one test part; NaN where the fit failed."""
    if outcome.status != "done":
        return float("nan")
    measure = find_measure(name)
    chosen = data.positive if positive is None else positive
    if measure.needs in LABEL_METRICS:
        table = Confusion.from_codes(
            data.codes[test], outcome.labels.astype(np.intp), data.labels, positive=chosen, declared=True
        )
        named = None if measure.needs != "binary" or measure.average is not None else positive
        return float(value(measure, table, positive=named, **options))
    if outcome.scores is None:
        raise InputError(f"{name} needs scores, but this learner gives only labels; give it probabilities")
    return compute(
        name, data.y[test], scores=outcome.scores, labels=data.labels, positive=chosen if _one(data, measure) else None,
        **options,
    )  # fmt: skip


def _one(data: Dataset, measure: Any) -> bool:
    return measure.needs == "scores" and (len(data.labels) == 2 or data.positive is not None)


def row_losses(name: str, data: Dataset, test: Ints, outcome: Outcome) -> Floats:
    """The loss of each row: 0 or 1 for accuracy and error_rate, else that of a metric that is a mean of losses."""
    if outcome.status != "done":
        raise InputError(f"a fit failed, so its losses are not known: {outcome.error:.200}")
    measure = find_measure(name)
    if measure.name in ("accuracy", "error_rate"):
        wrong: Floats = (data.codes[test] != outcome.labels).astype(np.float64)
        return wrong
    if measure.needs != "losses":
        raise InputError(f"{name} is not a mean over rows; use error_rate, brier or log_loss")
    if outcome.scores is None:
        raise InputError(f"{name} needs probabilities, but this learner gives only labels")
    losses: Floats = np.asarray(measure.function(data.codes[test], outcome.scores), dtype=np.float64)
    return losses
