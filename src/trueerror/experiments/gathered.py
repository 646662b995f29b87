"""Experiment: what the learners said of the test rows, ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.outcomes import Outcome
from trueerror.experiments.scoring import FoldScores, PairLosses, row_losses, score
from trueerror.inputs.errors import InputError, nearest
from trueerror.metrics.registry import find_measure
from trueerror.resampling.plans import Part, Plan, Split
from trueerror.rows.collecting import predictions
from trueerror.rows.predictions import Predictions

if TYPE_CHECKING:
    from trueerror.curves.receiver import Roc
    from trueerror.results import Interval
    from trueerror.significance.ranking import Ranking
    from trueerror.verbs.comparison import Comparison


def _statistics() -> Any:
    """The answers are in a module of their own, which knows this one."""
    return import_module("trueerror.experiments.estimating")


class Failure(NamedTuple):
    """A fit that failed ("failed") or took too long ("timeout")."""

    data: str
    learner: str
    repeat: int
    fold: int
    status: str
    error: str
    trace: str


class FitTime(NamedTuple):
    """How long one fit and its predictions took."""

    data: str
    learner: str
    repeat: int
    fold: int
    part: str
    fit_seconds: float
    predict_seconds: float


class FitWarning(NamedTuple):
    """A warning that a learner gave while it was fitted or tested."""

    data: str
    learner: str
    repeat: int
    fold: int
    message: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Experiment:
    """Learners × data sets × plan, fitted and tested. Made by `te.experiment`.

    It speaks of *learners*: what to expect of a model that this algorithm makes from so many rows. `.estimate`,
    `.compare` and `.rank` answer; `.predictions` gives the out-of-fold predictions to the verbs for models.
    """

    learners: tuple[str, ...]
    datasets: Mapping[str, Dataset]
    plan: Plan
    seed: int
    splits: Mapping[str, Sequence[Split]]
    outcomes: Mapping[tuple[str, str], Sequence[Outcome]]
    store: str | None = None
    resumed: int = 0

    # The answers; their statistics live in modules of their own.

    def estimate(
        self, learner: str | None = None, data: str | None = None, metric: str = "accuracy", **options: Any
    ) -> Interval:
        """How good a learner is, with an interval of the kind that the plan calls for."""
        found: Interval = _statistics().estimate(self, learner, data, metric, **options)
        return found

    def compare(self, metric: str = "accuracy", data: str | None = None, **options: Any) -> Comparison:
        """Every pair of learners on one data set."""
        found: Comparison = _statistics().compare(self, metric, data, **options)
        return found

    def rank(self, metric: str = "accuracy", **options: Any) -> Ranking:
        """The learners over all data sets."""
        found: Ranking = _statistics().rank(self, metric, **options)
        return found

    def roc(self, learner: str, data: str | None = None, *, how: str = "pooled", **options: Any) -> Roc:
        """The ROC curve of a learner: test parts pooled, or averaged."""
        found: Roc = _statistics().roc(self, learner, data, how=how, **options)
        return found

    # What happened.

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Fits that failed or took too long, with the traceback."""
        return tuple(
            Failure(data, learner, s.repeat, s.fold, o.status, o.error, o.trace)
            for (data, learner), s, o in self._every()
            if o.status != "done"
        )

    @property
    def warnings(self) -> tuple[FitWarning, ...]:
        """Warnings of the learners."""
        return tuple(
            FitWarning(data, learner, s.repeat, s.fold, text)
            for (data, learner), s, o in self._every()
            for text in o.warnings
        )

    @property
    def times(self) -> tuple[FitTime, ...]:
        """How long each fit took."""
        return tuple(
            FitTime(data, learner, s.repeat, s.fold, s.part, o.fit_seconds, o.predict_seconds)
            for (data, learner), s, o in self._every()
        )

    def _every(self) -> Any:
        for key, outcomes in self.outcomes.items():
            for split, outcome in zip(self.splits[key[0]], outcomes, strict=True):
                yield key, split, outcome

    # What statistics need.

    def data_name(self, data: str | None) -> str:
        """The data set of that name, or the only one there is."""
        if data is None:
            if len(self.datasets) > 1:
                raise InputError(f"there are {len(self.datasets)} data sets; choose one of {', '.join(self.datasets)}")
            return next(iter(self.datasets))
        if data not in self.datasets:
            raise InputError(f"data={data!r} is not known{nearest(data, self.datasets)}")
        return data

    def learner_name(self, learner: str) -> str:
        """The learner of that name."""
        if learner not in self.learners:
            raise InputError(f"learner {learner!r} is not known{nearest(learner, self.learners)}")
        return learner

    def parts(self, data: str | None = None, part: Part = "fold") -> list[int]:
        """The numbers of the splits of one kind: test folds, pairs of folds, the apparent fit, inner splits."""
        return [i for i, s in enumerate(self.splits[self.data_name(data)]) if s.part == part]

    def smallest_test_part(self, data: str | None = None) -> int:
        """How many rows the smallest test part has; fewer than 30 is worth a finding."""
        name = self.data_name(data)
        return min(len(self.splits[name][i].test) for i in self.parts(name))

    def failed(self, learner: str, data: str | None = None) -> int:
        """How many fits of a learner gave no predictions."""
        outcomes = self.outcomes[self.data_name(data), self.learner_name(learner)]
        return sum(o.status != "done" for o in outcomes)

    def predictions(self, data: str | None = None, *, learners: Sequence[str] | None = None) -> Predictions:
        """The out-of-fold predictions of one data set, with folds, repeats and row ids.

        Learners with a failed fit have no prediction for some rows: they are left out, with a note, unless they are
        asked for by name, which is an error.
        """
        name = self.data_name(data)
        whole, notes = self._complete(name, learners)
        dataset, numbers = self.datasets[name], self.parts(name)
        splits = [self.splits[name][i] for i in numbers]
        rows = np.concatenate([s.test for s in splits])
        sizes = [len(s.test) for s in splits]
        names = np.array(dataset.labels, dtype=object)
        labels, scores = {}, {}
        for learner in whole:
            outcomes = [self.outcomes[name, learner][i] for i in numbers]
            labels[learner] = names[np.concatenate([o.labels for o in outcomes])]
            if all(o.scores is not None for o in outcomes):
                scores[learner] = np.concatenate([o.scores for o in outcomes if o.scores is not None])
        several = len({s.repeat for s in splits}) > 1
        made = predictions(
            dataset.y[rows],
            labels,
            scores=scores or None,
            labels=dataset.labels,
            positive=dataset.positive,
            ids=(np.arange(dataset.n) if dataset.ids is None else dataset.ids)[rows],
            clusters=None if dataset.clusters is None else dataset.clusters[rows],
            folds=np.repeat([s.fold for s in splits], sizes) if len(splits) > 1 else None,
            repeats=np.repeat([s.repeat for s in splits], sizes) if several else None,
        )
        if not notes:
            return made
        return replace(made, notes=(*made.notes, *notes))

    def _complete(self, data: str, learners: Sequence[str] | None) -> tuple[list[str], list[str]]:
        whole, notes = [], []
        for learner in self.learners if learners is None else [self.learner_name(x) for x in learners]:
            failed = self.failed(learner, data)
            if not failed:
                whole.append(learner)
                continue
            first = next(o for o in self.outcomes[data, learner] if o.status != "done")
            words = f"{failed} of {len(self.outcomes[data, learner])} fits of {learner} failed ({first.error:.200})"
            if learners is not None:
                raise InputError(f"{words}: it has no prediction for some rows of {data!r}")
            notes.append(f"Left out: {words}.")
        if not whole:
            raise InputError(f"no learner has predictions for all rows of {data!r}: {notes[0]}")
        return whole, notes

    def fold_scores(
        self, metric: str = "accuracy", data: str | None = None, *, part: Part = "fold", positive: Any = None,
        **options: Any,
    ) -> FoldScores:  # fmt: skip
        """One metric of every learner on every test part."""
        name = self.data_name(data)
        measure = find_measure(metric)
        if measure.higher_is_better is None:
            raise InputError(f"{metric} is neither better high nor low, so learners cannot be judged by it")
        numbers, dataset = self.parts(name, part), self.datasets[name]
        splits = [self.splits[name][i] for i in numbers]
        values = [
            [
                score(metric, dataset, split.test, self.outcomes[name, learner][i], positive, **options)
                for i, split in zip(numbers, splits, strict=True)
            ]
            for learner in self.learners
        ]
        return FoldScores(
            metric=metric,
            higher_is_better=measure.higher_is_better,
            learners=self.learners,
            values=np.array(values, dtype=np.float64).reshape(len(self.learners), len(numbers)),
            repeats=np.array([s.repeat for s in splits], dtype=np.intp),
            folds=np.array([s.fold for s in splits], dtype=np.intp),
            tests=np.array([len(s.test) for s in splits], dtype=np.intp),
            trains=np.array([s.train_size for s in splits], dtype=np.intp),
        )

    def losses(self, learner: str, data: str | None = None, metric: str = "error_rate", *, part: Part = "fold") -> Any:
        """(rows, losses) of each split of one kind: row numbers in the data set and the loss of each."""
        name = self.data_name(data)
        outcomes = self.outcomes[name, self.learner_name(learner)]
        found = []
        for i in self.parts(name, part):
            test = self.splits[name][i].test
            found.append((test, row_losses(metric, self.datasets[name], test, outcomes[i])))
        return found

    def pair_losses(self, learner: str, data: str | None = None, metric: str = "error_rate") -> list[PairLosses]:
        """The losses that Bates, Hastie and Tibshirani's interval is made of, for each repeat of a `BatesCV` plan."""
        name = self.data_name(data)
        if not self.parts(name, "pair"):
            raise InputError(f"losses of pairs of folds need the plan te.BatesCV, not {self.plan.name}")
        outcomes = self.outcomes[name, self.learner_name(learner)]
        single: dict[int, list[Any]] = {}
        pairs: dict[int, dict[tuple[int, int], Any]] = {}
        for split, outcome in zip(self.splits[name], outcomes, strict=True):
            values = row_losses(metric, self.datasets[name], split.test, outcome)
            if split.part == "fold":
                single.setdefault(split.repeat, []).append(values)
            else:
                cut = len(single[split.repeat][split.fold])
                pairs.setdefault(split.repeat, {})[split.fold, split.second] = (values[:cut], values[cut:])
        return [PairLosses(single=tuple(single[r]), pair=pairs[r]) for r in sorted(single)]

    def chosen(self, metric: str = "accuracy", data: str | None = None) -> tuple[str, ...]:
        """Of a `NestedCV` plan: the setting that was best over the inner splits, for each outer fold."""
        name = self.data_name(data)
        outer, inner = self.fold_scores(metric, name), self.fold_scores(metric, name, part="inner")
        if not inner.values.size:
            raise InputError(f"choosing among settings needs the plan te.NestedCV, not {self.plan.name}")
        sign = 1 if inner.higher_is_better else -1
        picked = []
        for repeat, fold in zip(outer.repeats, outer.folds, strict=True):
            inside = (inner.repeats == repeat) & (inner.folds == fold)
            mean = sign * inner.values[:, inside].mean(axis=1)
            if np.isnan(mean).all():
                raise InputError(f"no setting could be fitted inside outer fold {fold + 1}: see .failures")
            picked.append(self.learners[int(np.nanargmax(mean))])
        return tuple(picked)

    # In words.

    def __str__(self) -> str:
        fits = sum(len(o) for o in self.outcomes.values())
        learners = f"{len(self.learners)} learner{'s' * (len(self.learners) != 1)}"
        sets = f"{len(self.datasets)} data set{'s' * (len(self.datasets) != 1)}"
        plan = repr(self.plan)
        lines = [f"{learners} × {sets}, {plan}: {fits:,} fits, seed {self.seed}."]
        if self.failures:
            first = self.failures[0]
            lines.append(
                f"{len(self.failures)} fits failed; the first: {first.learner} on {first.data}, {first.error:.200}"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)
