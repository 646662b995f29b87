"""What statistics are made of: every outcome by test part, as scores of parts and as losses of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.outcomes import Outcome
from trueerror.experiments.scoring import FoldScores, PairLosses, row_losses, score
from trueerror.inputs.errors import InputError, nearest
from trueerror.metrics.registry import find_measure
from trueerror.resampling.plans import Part, Plan, Split

# The name under which NestedCV and BBC-CV speak of whichever setting wins.
CHOSEN = "the chosen one"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ScoredParts:
    """Outcomes of learners × data sets × splits; `outcomes[data, learner]` follows `splits[data]`."""

    learners: tuple[str, ...]
    datasets: Mapping[str, Dataset]
    plan: Plan
    seed: int
    splits: Mapping[str, Sequence[Split]]
    outcomes: Mapping[tuple[str, str], Sequence[Outcome]]
    store: str | None = None
    resumed: int = 0
    # Scores of parts by question: a summary asks for the same ones again and again.
    _memory: dict[Any, FoldScores] = field(default_factory=dict, init=False)

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

    def fold_scores(
        self, metric: str = "accuracy", data: str | None = None, *, part: Part = "fold", positive: Any = None,
        **options: Any,
    ) -> FoldScores:  # fmt: skip
        """One metric of every learner on every test part."""
        name = self.data_name(data)
        measure = find_measure(metric)
        if measure.higher_is_better is None:
            raise InputError(f"{metric} is neither better high nor low, so learners cannot be judged by it")
        question = (measure.name, name, part, repr(positive), repr(sorted(options.items())))
        if question in self._memory:
            return self._memory[question]
        numbers, dataset = self.parts(name, part), self.datasets[name]
        splits = [self.splits[name][i] for i in numbers]
        values = [
            [
                score(metric, dataset, split.test, self.outcomes[name, learner][i], positive, **options)
                for i, split in zip(numbers, splits, strict=True)
            ]
            for learner in self.learners
        ]
        table = np.array(values, dtype=np.float64).reshape(len(self.learners), len(numbers))
        table.flags.writeable = False
        self._memory[question] = FoldScores(
            metric=metric,
            higher_is_better=measure.higher_is_better,
            learners=self.learners,
            values=table,
            repeats=np.array([s.repeat for s in splits], dtype=np.intp),
            folds=np.array([s.fold for s in splits], dtype=np.intp),
            tests=np.array([len(s.test) for s in splits], dtype=np.intp),
            trains=np.array([s.distinct for s in splits], dtype=np.intp),
        )
        return self._memory[question]

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

    def chosen(
        self, metric: str = "accuracy", data: str | None = None, *, positive: Any = None, **options: Any
    ) -> tuple[str, ...]:
        """Of a `NestedCV` plan: the setting that was best over the inner splits, for each outer fold."""
        name = self.data_name(data)
        inner = self.fold_scores(metric, name, part="inner", positive=positive, **options)
        if not inner.values.size:
            raise InputError(f"choosing among settings needs the plan te.NestedCV, not {self.plan.name}")
        sign = 1 if inner.higher_is_better else -1
        picked = []
        for i in self.parts(name):
            repeat, fold = self.splits[name][i].repeat, self.splits[name][i].fold
            inside = (inner.repeats == repeat) & (inner.folds == fold)
            mean = sign * inner.values[:, inside].mean(axis=1)
            if np.isnan(mean).all():
                raise InputError(f"no setting could be fitted inside outer fold {fold + 1}: see .failures")
            picked.append(self.learners[int(np.nanargmax(mean))])
        return tuple(picked)

    def tested(
        self, learner: str, data: str, *, chosen_by: str = "accuracy", positive: Any = None, **options: Any
    ) -> list[Outcome]:
        """The outcomes of the ordinary test parts of a learner, or of the setting chosen for each."""
        numbers = self.parts(data)
        if learner == CHOSEN:
            picked = self.chosen(chosen_by, data, positive=positive, **options)
            return [self.outcomes[data, name][i] for i, name in zip(numbers, picked, strict=True)]
        return [self.outcomes[data, self.learner_name(learner)][i] for i in numbers]
