"""The outcomes of learners × data sets × splits: scores of test folds, losses of rows, out-of-fold predictions.

One record for each learner on each test fold is the long table that WEKA's Experimenter keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._store import Outcome
from trueerror.inference.learner._fold_scores import pooled_parts, taken_together
from trueerror.inputs._arrays import Floats, check_probabilities
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics import _compute
from trueerror.metrics._registry import Measure, find_measure, value
from trueerror.resampling._plan import Ints, Part, Plan, Split
from trueerror.sources._collect import predictions
from trueerror.sources._predictions import Predictions, ScoreRange
from trueerror.tallies import Confusion


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FoldScores:
    """One metric of each learner on each test fold: `values[learner, part]`, NaN where the fit failed.

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
        scores: Floats = self.values[self.learners.index(learner)]
        return scores

    @property
    def test_train_ratio(self) -> float:
        """Test rows to different training rows, on average: what the corrected t needs."""
        return self.ratio_of(np.ones(len(self.tests), dtype=bool))

    def ratio_of(self, parts: NDArray[np.bool_]) -> float:
        """The same over some of the parts."""
        return float(self.tests[parts].mean() / self.trains[parts].mean())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FoldPairLosses:
    """Losses of one repeat of a `BatesCV` plan, from fits without one fold (`single`) and without two (`pair`).

    `single[k]` are those on fold k, `pair[i, j]` those on fold i and those on fold j, i < j.
    """

    single: tuple[Floats, ...]
    pair: dict[tuple[int, int], tuple[Floats, Floats]]


def score(
    name: str, data: Dataset, test: Ints, outcome: Outcome, positive: Label | None = None, **options: Any
) -> float:
    """A metric of one test fold; NaN where the fit failed."""
    if outcome.status != "done":
        return float("nan")
    measure = find_measure(name)
    chosen = data.positive if positive is None else positive
    if measure.of_labels:
        calls = outcome.labels.astype(np.intp)
        table = Confusion.from_codes(data.codes[test], calls, data.labels, positive=chosen, declared=True)
        named = None if not measure.of_one_class or measure.average is not None else positive
        return float(value(measure, table, positive=named, **options))
    if outcome.scores is None:
        raise InputError(f"{name} needs scores, but this learner gives only labels; give it probabilities")
    one_class = measure.of_scores and (len(data.labels) == 2 or data.positive is not None)
    return _compute.metric(
        name, data.y[test], scores=outcome.scores, labels=data.labels, positive=chosen if one_class else None, **options
    )


def mean_over_rows(measure: Measure) -> bool:
    """Whether a metric is the mean of something that each row has: right or wrong, or a loss."""
    return measure.right_or_wrong != 0 or measure.of_losses


def outcome_losses(name: str, data: Dataset, test: Ints, outcome: Outcome) -> Floats:
    """The loss of each row: 0 or 1 for accuracy and error_rate, else that of a metric that is a mean of losses."""
    if outcome.status != "done":
        raise InputError(f"a fit failed, so its losses are not known: {outcome.error:.200}")
    measure = find_measure(name)
    if measure.right_or_wrong:
        wrong: Floats = (data.codes[test] != outcome.labels).astype(np.float64)
        return wrong
    if not measure.of_losses:
        raise InputError(f"{name} is not a mean over rows; use error_rate, brier or log_loss")
    if outcome.scores is None:
        raise InputError(f"{name} needs probabilities, but this learner gives only labels")
    losses: Floats = np.asarray(measure.function(data.codes[test], outcome.scores), dtype=np.float64)
    return losses


class Failure(NamedTuple):
    """A fit that failed ("failed") or took too long ("timeout")."""

    data: str
    learner: str
    repeat: int
    fold: int
    status: str
    error: str
    trace: str


# The name under which NestedCV and BBC-CV speak of whichever setting wins.
CHOSEN = "the chosen one"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ResampleResults:
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
    _memory: dict[tuple[str, ...], FoldScores] = field(default_factory=dict, init=False)

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
        """How many rows the smallest test fold has; fewer than 30 are a finding."""
        name = self.data_name(data)
        return min(len(self.splits[name][i].test) for i in self.parts(name))

    def commonest(self, data: str | None = None) -> tuple[Label, float]:
        """The commonest class of the rows that were tested, and its share: what always answering it gets right."""
        name = self.data_name(data)
        dataset, tests = self.datasets[name], [self.splits[name][i].test for i in self.parts(name)]
        counts = np.bincount(dataset.codes[np.concatenate(tests)], minlength=len(dataset.labels))
        first = int(counts.argmax())
        return dataset.labels[first], float(counts[first] / counts.sum())

    def failed(self, learner: str, data: str | None = None) -> int:
        """How many fits of a learner gave no predictions."""
        outcomes = self.outcomes[self.data_name(data), self.learner_name(learner)]
        return sum(o.status != "done" for o in outcomes)

    def _checked_outcomes(self, measure: Measure, learner: str, data: str) -> Sequence[Outcome]:
        """What became of a learner's fits; refused where the metric reads scores as probabilities that are none."""
        outcomes = self.outcomes[data, learner]
        _compute.as_passed(measure, labels=True, scores=any(outcome.scores is not None for outcome in outcomes))
        if not measure.probabilities:
            return outcomes
        for split, outcome in zip(self.splits[data], outcomes, strict=True):
            if outcome.scores is None:
                continue
            fit = f"{learner!r} on {data!r} (repeat {split.repeat + 1}, fold {split.fold + 1})"
            beyond = ~((outcome.scores >= 0) & (outcome.scores <= 1))
            if beyond.any():
                row, k = np.argwhere(beyond)[0].tolist()
                raise InputError(
                    f"{measure.name} needs probabilities in [0, 1], but {fit} gave {outcome.scores[row, k]:.4g} for "
                    f"class {self.datasets[data].labels[k]} in row {split.test[row] + 1:,}: give it a predict_proba "
                    "that does, leave it out, or judge by accuracy or AUC"
                )
            check_probabilities(outcome.scores, f"the scores of {fit}")
        return outcomes

    def _score_range(self, learner: str, data: str) -> ScoreRange | None:
        """Between which values its scores of the test folds lie, and their sums; None where it has none."""
        given = [o.scores for o in self.tested(learner, data) if o.scores is not None and len(o.scores)]
        if not given:
            return None
        sums = [s.sum(axis=1) for s in given]
        low, high = min(float(s.min()) for s in given), max(float(s.max()) for s in given)
        return ScoreRange(low, high, min(float(s.min()) for s in sums), max(float(s.max()) for s in sums))

    def fold_scores(
        self, metric: str = "accuracy", data: str | None = None, *, part: Part = "fold", positive: Label | None = None,
        together: bool = False, **options: Any,
    ) -> FoldScores:  # fmt: skip
        """One metric of every learner on every test fold.

        With `together` a ratio of counts (F1, recall, …) is taken of the counts of all parts, and a part has its
        pseudo-value: their mean is the metric of all counts (`inference.learner._fold_scores`).
        """
        name = self.data_name(data)
        measure = find_measure(metric)
        if measure.higher_is_better is None:
            raise InputError(f"{metric} is neither better high nor low, so learners cannot be judged by it")
        together = together and taken_together(measure)
        question = (measure.name, name, part, repr(positive), repr(sorted(options.items())), repr(together))
        if question in self._memory:
            return self._memory[question]
        numbers, dataset = self.parts(name, part), self.datasets[name]
        splits = [self.splits[name][i] for i in numbers]
        values = [
            self._of_all_counts(measure, learner, name, numbers, positive, options)
            if together
            else [
                score(metric, dataset, split.test, outcomes[i], positive, **options)
                for i, split in zip(numbers, splits, strict=True)
            ]
            for learner in self.learners
            for outcomes in [self._checked_outcomes(measure, learner, name)]
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

    def _of_all_counts(
        self, measure: Measure, learner: str, name: str, numbers: Sequence[int], positive: Label | None,
        options: Mapping[str, Any],
    ) -> list[float]:  # fmt: skip
        """The parts' shares in the metric of all counts; NaN where a fit failed."""
        dataset, outcomes, splits = self.datasets[name], self.outcomes[name, learner], self.splits[name]
        chosen = dataset.positive if positive is None else positive
        done = [i for i in numbers if outcomes[i].status == "done"]
        tables = [
            Confusion.from_codes(
                dataset.codes[splits[i].test], outcomes[i].labels.astype(np.intp), dataset.labels, positive=chosen,
                declared=True,
            )
            for i in done
        ]  # fmt: skip
        named = None if not measure.of_one_class or measure.average is not None else positive
        shares = dict(zip(done, pooled_parts(tables, measure, positive=named, **options), strict=True)) if done else {}
        return [float(shares.get(i, np.nan)) for i in numbers]

    def losses(
        self, learner: str, data: str | None = None, metric: str = "error_rate", *, part: Part = "fold"
    ) -> list[tuple[Ints, Floats]]:
        """(rows, losses) of each split of one kind: row numbers in the data set and the loss of each."""
        name = self.data_name(data)
        outcomes = self._checked_outcomes(find_measure(metric), self.learner_name(learner), name)
        tests = {i: self.splits[name][i].test for i in self.parts(name, part)}
        return [(test, outcome_losses(metric, self.datasets[name], test, outcomes[i])) for i, test in tests.items()]

    def pair_losses(self, learner: str, data: str | None = None, metric: str = "error_rate") -> list[FoldPairLosses]:
        """The losses that Bates, Hastie and Tibshirani's interval is made of, for each repeat of a `BatesCV` plan."""
        name = self.data_name(data)
        if not self.parts(name, "pair"):
            raise InputError(f"losses of pairs of folds need the plan te.BatesCV, not {self.plan.name}")
        outcomes = self._checked_outcomes(find_measure(metric), self.learner_name(learner), name)
        single: dict[int, list[Floats]] = {}
        pairs: dict[int, dict[tuple[int, int], tuple[Floats, Floats]]] = {}
        for split, outcome in zip(self.splits[name], outcomes, strict=True):
            values = outcome_losses(metric, self.datasets[name], split.test, outcome)
            if split.part == "fold":
                single.setdefault(split.repeat, []).append(values)
            else:
                cut = len(single[split.repeat][split.fold])
                pairs.setdefault(split.repeat, {})[split.fold, split.second] = (values[:cut], values[cut:])
        return [FoldPairLosses(single=tuple(single[r]), pair=pairs[r]) for r in sorted(single)]

    def chosen(
        self, metric: str = "accuracy", data: str | None = None, *, positive: Label | None = None, **options: Any
    ) -> tuple[str, ...]:
        """The setting that was best over the inner splits of a `NestedCV` plan, for each outer fold."""
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
        self, learner: str, data: str, *, chosen_by: str = "accuracy", positive: Label | None = None, **options: Any
    ) -> list[Outcome]:
        """The outcomes of the ordinary test folds of a learner, or of the setting chosen for each."""
        numbers = self.parts(data)
        if learner == CHOSEN:
            picked = self.chosen(chosen_by, data, positive=positive, **options)
            return [self.outcomes[data, name][i] for i, name in zip(numbers, picked, strict=True)]
        return [self.outcomes[data, self.learner_name(learner)][i] for i in numbers]

    def predictions(
        self,
        data: str | None = None,
        *,
        learners: Sequence[str] | None = None,
        positive: Label | None = None,
        chosen_by: str = "accuracy",
        **options: Any,
    ) -> Predictions:
        """The out-of-fold predictions of one data set, with folds, repeats and row ids.

        Learners with a failed fit have no prediction for some rows: they are left out, with a note, unless they are
        asked for by name, which is an error. For a NestedCV plan, learners=["the chosen one"] gives those of the
        settings chosen by the metric `chosen_by`.
        """
        name = self.data_name(data)
        return out_of_fold(self, name, learners, chosen_by=chosen_by, positive=positive, **options)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Fits that failed or took too long, with the traceback."""
        return tuple(
            Failure(data, learner, s.repeat, s.fold, o.status, o.error, o.trace)
            for (data, learner), s, o in self._each_fit()
            if o.status != "done"
        )

    def _each_fit(self) -> Iterator[tuple[tuple[str, str], Split, Outcome]]:
        """Every outcome under its data set and learner, with its split."""
        for key, outcomes in self.outcomes.items():
            for split, outcome in zip(self.splits[key[0]], outcomes, strict=True):
                yield key, split, outcome

    def __repr__(self) -> str:
        return "\n".join(self.lines(f", {self.plan}"))

    def lines(self, plan: str) -> list[str]:
        """How much was run, with these words on how, and what failed."""
        fits = sum(len(o) for o in self.outcomes.values())
        learners = f"{len(self.learners)} learner{'s' * (len(self.learners) != 1)}"
        sets = f"{len(self.datasets)} data set{'s' * (len(self.datasets) != 1)}"
        lines = [f"{learners} × {sets}{plan}: {fits:,} fit{'s' * (fits != 1)}, seed {self.seed}."]
        failures = self.failures
        if failures:
            first = failures[0]
            why = first.error.partition("\n")[0][:120]
            often = f"{len(failures):,} fit{'s' * (len(failures) != 1)}"
            lines.append(f"{often} failed; the first: {first.learner} on {first.data}, {why}")
        return lines


def out_of_fold(run: ResampleResults, data: str, learners: Sequence[str] | None, **choice: Any) -> Predictions:
    """What each learner said of the test rows; `choice` says how the chosen one of a NestedCV plan was chosen."""
    dataset, splits = run.datasets[data], [run.splits[data][i] for i in run.parts(data)]
    whole, notes = _complete(run, data, learners, choice)
    rows = np.concatenate([s.test for s in splits])
    sizes = [len(s.test) for s in splits]
    names = np.array(dataset.labels, dtype=object)
    labels, scores = {}, {}
    for learner, outcomes in whole.items():
        labels[learner] = names[np.concatenate([o.labels for o in outcomes])]
        if all(o.scores is not None for o in outcomes):
            scores[learner] = np.concatenate([o.scores for o in outcomes if o.scores is not None])
    several = len({s.repeat for s in splits}) > 1
    positive = choice.get("positive")
    pooled = predictions(
        dataset.y[rows],
        labels,
        scores=scores or None,
        labels=dataset.labels,
        positive=dataset.positive if positive is None else positive,
        ids=(np.arange(dataset.n) if dataset.ids is None else dataset.ids)[rows],
        clusters=None if dataset.periods is None else dataset.periods[rows],
        folds=np.repeat([s.fold for s in splits], sizes) if len(splits) > 1 else None,
        repeats=np.repeat([s.repeat for s in splits], sizes) if several else None,
    )
    return replace(pooled, notes=(*pooled.notes, *notes)) if notes else pooled


def _complete(
    run: ResampleResults, data: str, learners: Sequence[str] | None, choice: Mapping[str, Any]
) -> tuple[dict[str, list[Outcome]], list[str]]:
    """Learners with a prediction of every test row; those without are an error where they were asked for by name."""
    whole, notes = {}, []
    for learner in run.learners if learners is None else learners:
        outcomes = run.tested(learner, data, **choice)
        lost = [o for o in outcomes if o.status != "done"]
        if not lost:
            whole[learner] = outcomes
            continue
        words = f"{len(lost)} of {len(outcomes)} fits of {learner} failed ({lost[0].error:.200})"
        if learners is not None:
            raise InputError(f"{words}: it has no prediction for some rows of {data!r}")
        notes.append(f"Left out: {words}.")
    if not whole:
        raise InputError(f"no learner has predictions for all rows of {data!r}: {notes[0]}")
    return whole, notes


def part_records(run: ResampleResults, metrics: Sequence[str]) -> list[dict[str, object]]:
    """Data set, learner, repeat and fold (counted from 1), rows, times, and each metric; `te.rank` reads it.

    A metric is NaN where a fit failed, and on data sets that it does not fit, such as an AUC of three classes.
    """
    for metric in metrics:
        find_measure(metric)
    return [record for data in run.datasets for record in _of_one(run, data, metrics)]


def _of_one(run: ResampleResults, data: str, metrics: Sequence[str]) -> Iterator[dict[str, object]]:
    tables = {metric: _values(run, data, metric) for metric in metrics}
    for row, learner in enumerate(run.learners):
        for place, i in enumerate(run.parts(data)):
            split, outcome = run.splits[data][i], run.outcomes[data, learner][i]
            yield {
                "dataset": data,
                "learner": learner,
                "repeat": split.repeat + 1,
                "fold": split.fold + 1,
                "train_rows": split.train_size,
                "test_rows": len(split.test),
                "status": outcome.status,
                "fit_seconds": outcome.fit_seconds,
                "predict_seconds": outcome.predict_seconds,
                **{metric: float(values[row, place]) for metric, values in tables.items()},
            }


def _values(run: ResampleResults, data: str, metric: str) -> NDArray[np.float64]:
    try:
        return run.fold_scores(metric, data).values
    except InputError:
        # A metric that some data sets have and others have not is left open there.
        return np.full((len(run.learners), len(run.parts(data))), np.nan)
