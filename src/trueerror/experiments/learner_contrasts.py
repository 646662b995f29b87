"""Two learners on the same test parts: their difference, by the method that the plan calls for or another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learner_words import left_out
from trueerror.experiments.scoring import FoldScores, PairLosses
from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.bates import nested_error
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import contrast, normal_p, normal_quantile
from trueerror.significance.means import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t

Floats = NDArray[np.float64]
FOLD_METHODS = ("corrected-t", "plain-t", "unpaired", "five-by-two-t", "five-by-two-f", "bates")
# Keys of the catalogue and other names that people may write.
WORDS = {
    "corrected-t-test": "corrected-t", "paired-t": "plain-t", "fold-t": "plain-t", "conservative-t": "unpaired",
    "5x2-t": "five-by-two-t", "5x2-f": "five-by-two-f", "bates-difference": "bates",
}  # fmt: skip
# What the linter calls a method, or the situation that a plan is.
LINTED = {"unpaired": "plain-t", "learner-leave-one-out": "leave-one-out", "learner-pairs-of-folds": "bates"}


def fold_method(method: str) -> str:
    """The word that the linter knows a method by."""
    return LINTED.get(method, method)


class _Losses(NamedTuple):
    single: list[Floats]
    pair: dict[tuple[int, int], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class LearnerPairs:
    """Contrasts of any two learners of an experiment on one data set."""

    run: Experiment
    data: str
    measure: Measure
    positive: Any
    options: dict[str, Any]
    confidence: float
    alternative: Alternative
    method: str | None
    chosen: str = ""

    def __post_init__(self) -> None:
        chosen = self.method
        if chosen is None:
            plain = not self.options and self.positive is None
            chosen = "bates" if self.run.plan.name == "BatesCV" and self.of_rows and plain else "corrected-t"
        chosen = WORDS.get(chosen, chosen)
        if chosen not in FOLD_METHODS:
            raise InputError(f"method={self.method!r} is not known for learners{nearest(chosen, FOLD_METHODS)}")
        if chosen == "bates" and not self.of_rows:
            raise InputError(f"method='bates' needs a metric that is a mean over rows, and {self.measure.name} is not")
        object.__setattr__(self, "chosen", chosen)

    @cached_property
    def table(self) -> FoldScores:
        """The metric of every learner on every test part."""
        return self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)

    def scores_of(self, learners: Sequence[str]) -> dict[str, tuple[float, ...]]:
        """The scores of these learners on the test parts that all of them have: what a picture shows."""
        values = np.stack([self.table.of(x) for x in learners])
        known = ~np.isnan(values.sum(axis=0))
        return {x: tuple(row[known].tolist()) for x, row in zip(learners, values, strict=True)}

    def contrast(self, first: str, second: str) -> Contrast:
        """First − second."""
        found = self._bates(first, second) if self.chosen == "bates" else self._over_parts(first, second)
        found = self._within_range(found, first, second)
        better = found.p_better
        if better is not None and not self.measure.higher_is_better:
            better = 1 - better
        return replace(
            found, name=self.measure.title, first=first, second=second, p_better=better,
            estimand=f"the difference in {self.measure.title} between the two learners, "
            f"at {round(float(self.table.trains.mean())):,} training rows",
        )  # fmt: skip

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return self.measure.name in ("accuracy", "error_rate") or self.measure.needs == "losses"

    def _within_range(self, found: Contrast, first: str, second: str) -> Contrast:
        """Limits within what a difference can be; where no row was judged differently, within Tango's for such rows."""
        reach = self.measure.range[1] - self.measure.range[0]
        note = found.note
        if found.p_value == 1 and found.estimate == 0 and self.of_rows and self._never_differ(first, second):
            z = normal_quantile(self.confidence, self.alternative)
            rows = self.run.datasets[self.data].n
            reach *= z**2 / (rows + z**2)
            note = "no test row was judged differently: limits for these models by their number alone"
        return replace(found, low=max(found.low, -reach), high=min(found.high, reach), note=note)

    def _never_differ(self, first: str, second: str) -> bool:
        both = (self.run.losses(x, self.data, self.measure.name) for x in (first, second))
        return all(np.array_equal(a, b) for (_, a), (_, b) in zip(*both, strict=True))

    def _over_parts(self, first: str, second: str) -> Contrast:
        a, b = self.table.of(first), self.table.of(second)
        known = ~(np.isnan(a) | np.isnan(b))
        if known.sum() < 2:
            there = "no test part" if not known.any() else "one test part"
            raise InputError(
                f"{first!r} and {second!r} both have a score ({self.measure.name}) on {there} only; comparing over "
                "parts takes two: see .failures"
            )
        for name, scores in ((first, a), (second, b)):
            if np.isinf(scores).any():
                raise InputError(
                    f"the {self.measure.title} of {name!r} is infinite on {int(np.isinf(scores).sum())} test parts (a "
                    "row that was called certain was wrong), so no difference can be told; clip=1e-6 sets the highest"
                )
        common: dict[str, Any] = {"confidence": self.confidence, "alternative": self.alternative}
        if self.chosen in ("five-by-two-t", "five-by-two-f"):
            return self._five_by_two(a - b, common)
        a, b = a[known], b[known]
        if self.chosen == "plain-t":
            found = paired_t(a, b, **common)
        elif self.chosen == "unpaired":
            found = unpaired_t(a, b, df="conservative", **common)
        else:
            found = corrected_t(a - b, test_train_ratio=self.table.ratio_of(known), **common)
        note = left_out(int((~known).sum()), len(known))
        return replace(found, note="; ".join(w for w in (found.note, note) if w)) if note else found

    def _five_by_two(self, differences: Floats, common: dict[str, Any]) -> Contrast:
        repeats, folds = self.table.repeats, self.table.folds
        if len(differences) != 10 or len(set(repeats.tolist())) != 5 or len(set(folds.tolist())) != 2:
            raise InputError(f"method={self.chosen!r} needs the plan te.KFold(2, repeats=5), not {self.run.plan!r}")
        if np.isnan(differences).any():
            raise InputError(f"method={self.chosen!r} needs all ten test parts, but some have no score: see .failures")
        grid = differences[np.lexsort((folds, repeats))].reshape(5, 2)
        if self.chosen == "five-by-two-t":
            return five_by_two_t(grid, **common)
        if self.alternative != "two-sided":
            raise InputError("the 5×2 F-test has no sides; use method='five-by-two-t' for a one-sided test")
        return five_by_two_f(grid, confidence=self.confidence)

    def _bates(self, first: str, second: str) -> Contrast:
        """Nested cross-validation of the losses' differences, row by row; of accuracy, losses are errors."""
        sign = -1.0 if self.measure.name == "accuracy" else 1.0
        both = [self.run.pair_losses(x, self.data, self.measure.name) for x in (first, second)]
        found = nested_error([_difference(a, b, sign) for a, b in zip(*both, strict=True)])
        reach = self.measure.range[1] - self.measure.range[0]
        common: dict[str, Any] = {
            "estimate": found.mean, "whole": (-reach, reach), "confidence": self.confidence,
            "alternative": self.alternative, "method": "bates-difference", "n": found.rows,
        }  # fmt: skip
        if not found.error > 0:
            same = found.mean == 0
            note = "no row differs: the difference has no variance" if same else "the losses' differences do not vary"
            return contrast(
                limits=(-np.inf, np.inf), p_value=1.0 if same else np.nan, statistic=0.0, notes=(note,),
                p_better=0.5 if same else None, **common,
            )  # fmt: skip
        half = normal_quantile(self.confidence, self.alternative) * found.error
        z = found.mean / found.error
        return contrast(
            limits=(found.mean - half, found.mean + half), statistic=z, p_value=normal_p(z, self.alternative),
            p_better=float(special.ndtr(z)), notes=(f"{found.inflation:.2f} times the naive standard error",), **common,
        )  # fmt: skip


def _difference(a: PairLosses, b: PairLosses, sign: float) -> _Losses:
    return _Losses(
        [sign * (x - y) for x, y in zip(a.single, b.single, strict=True)],
        {key: (sign * (a.pair[key][0] - b.pair[key][0]), sign * (a.pair[key][1] - b.pair[key][1])) for key in a.pair},
    )
