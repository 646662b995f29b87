"""What studies share: their rows, scores on held-out and on training rows, intervals over splits, and their text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trueerror.experiments._dataset import Dataset, Features
from trueerror.experiments._experiment import Experiment
from trueerror.experiments._outcomes import mean_over_rows, outcome_losses, score
from trueerror.experiments._store import Outcome
from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference.learner._intervals import corrected_t_interval
from trueerror.inference.loss._mean import mean_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Interval, Table
from trueerror.results._format import filled

WIDTH = 80


def as_study_data(X: Features, y: Any) -> Dataset:
    """The rows of a study: X and y, or a data set."""
    if isinstance(X, Dataset):
        if y is not None:
            raise InputError("X is a te.Dataset, which holds its y already; leave y out")
        return X
    if y is None:
        raise InputError("pass X and y, or a te.Dataset")
    return Dataset(X, y)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SeenScores:
    """One metric on the rows held out and on the training rows: a row for each learner, a column for each split.

    `held_out` and `training` are NaN where the fit failed, or the metric is undefined or infinite; `trains` are the
    numbers of training rows.
    """

    measure: Measure
    learners: tuple[str, ...]
    held_out: Floats
    training: Floats
    trains: Floats
    test_train_ratio: float
    # The repeat of each split.
    rounds: tuple[int, ...] = ()


def seen_scores(run: Experiment, metric: str, *, positive: Label | None = None, **options: Any) -> SeenScores:
    """The scores of all "seen" splits of an experiment on one data set."""
    measure = judged_measure(metric)
    data = run.data_name(None)
    numbers = run.parts(data, "seen")
    splits = [run.splits[data][i] for i in numbers]
    held_out, training = np.full((2, len(run.learners), len(splits)), np.nan)
    for row, learner in enumerate(run.learners):
        outcomes = run._checked_outcomes(measure, learner, data)
        for column, (i, split) in enumerate(zip(numbers, splits, strict=True)):
            outcome = outcomes[i]
            for values, part in ((held_out, slice(None, split.second)), (training, slice(split.second, None))):
                values[row, column] = score(
                    metric, run.datasets[data], split.test[part], part_of(outcome, part), positive, **options
                )
    # An infinite loss (a sure answer that was wrong) has no mean: such splits count as without a score.
    for values in (held_out, training):
        values[~np.isfinite(values)] = np.nan
    tested = float(np.mean([s.second for s in splits]))
    return SeenScores(
        measure=measure,
        learners=run.learners,
        held_out=held_out,
        training=training,
        trains=np.array([s.train_size for s in splits], dtype=np.float64),
        test_train_ratio=tested / (run.datasets[data].n - tested),
        rounds=tuple(s.repeat for s in splits),
    )


def part_of(outcome: Outcome, part: slice) -> Outcome:
    """The outcome for some of the test rows."""
    if outcome.status != "done":
        return outcome
    scores = None if outcome.scores is None else outcome.scores[part]
    return replace(outcome, labels=outcome.labels[part], scores=scores)


def study_findings(
    runs: Sequence[Experiment], tests: Sequence[int], *, rounds: int, judged: Sequence[Evidence | None] = ()
) -> Findings:
    """What the linter says of a study whose test folds, of these sizes, are judged by the corrected t.

    `judged` are answers that are held against a constant one, where the metric asks for right and wrong.
    """
    failed: dict[str, tuple[int, int]] = {}
    for run in runs:
        for learner in run.learners:
            bad, fits = failed.get(learner, (0, 0))
            failed[learner] = (bad + run.failed(learner), fits + len(run.outcomes[run.data_name(None), learner]))
    resampled = Evidence(
        fold_method="corrected-t", rounds=rounds, test_parts=len(tests), smallest_test=min(tests), failed=failed
    )
    known = [e for e in judged if e is not None]
    return sorted_findings([*find([resampled]), *find(known, ("TE201",))])


def why_failed(runs: Sequence[Experiment], learner: str) -> str:
    """The first failure of a learner in brackets, where there is one."""
    first = next((f for run in runs for f in run.failures if f.learner == learner), None)
    return "" if first is None else f" (first failure: {' '.join(first.error.split())[:200]})"


def judged_measure(metric: str) -> Measure:
    """A metric that learners can be judged by."""
    measure = find_measure(metric)
    if measure.higher_is_better is None or measure.total_of:
        raise InputError(f"{measure.name} has no better end, or is a total, so learners cannot be judged by it")
    return measure


def row_variance(run: Experiment, learner: str, metric: str, numbers: list[int]) -> float:
    """The variance between rows of the mean loss of each, over these "seen" splits; NaN where there are no losses."""
    measure = find_measure(metric)
    if not mean_over_rows(measure):
        return math.nan
    data = run.data_name(None)
    sums, often = np.zeros(run.datasets[data].n), np.zeros(run.datasets[data].n)
    for i in numbers:
        split, outcome = run.splits[data][i], run.outcomes[data, learner][i]
        if outcome.status == "done":
            rows, part = split.test[: split.second], slice(None, split.second)
            sums[rows] += outcome_losses(metric, run.datasets[data], rows, part_of(outcome, part))
            often[rows] += 1
    seen = often > 0
    if seen.sum() < 2:
        return math.nan
    mean = float((sums[seen] / often[seen]).mean())
    if measure.right_or_wrong:
        # Of right and wrong, p(1 − p) bounds the variance of what a row does on average.
        return mean * (1 - mean)
    return float((sums[seen] / often[seen]).var(ddof=1))


def spread_interval(
    values: Floats, *, ratio: float, rows: int, bounds: Range, confidence: float, name: str, estimand: str,
    rounds: tuple[int, ...] = (),
) -> Interval:  # fmt: skip
    """The corrected t of a mean over splits; where all splits score the same, Wilson's limits for another loss."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Interval(
            name=name, estimate=math.nan, low=math.nan, high=math.nan, confidence=confidence, method="corrected-t",
            n=rows, note="every fit failed, or the metric is undefined", estimand=estimand,
        )  # fmt: skip
    interval = corrected_t_interval(
        known, test_train_ratio=ratio, bounds=bounds, confidence=confidence, name=name, rows=rows, estimand=estimand,
        round_of=np.array(rounds)[~np.isnan(values)] if rounds else None,
    )  # fmt: skip
    if math.isnan(interval.low) and len(known) > 1:
        spec = IntervalSpec(confidence=confidence, estimand=estimand)
        low, high, method, _ = mean_limits(float(known.mean()), 0.0, rows - 1.0, rows, bounds, spec)
        if method == "wilson-constant-loss":
            return spec.interval(
                name, float(known.mean()), low, high, bounds=bounds, method=method, n=rows,
                note="all splits score the same",
            )  # fmt: skip
    return interval


def shortfall(values: Floats, measure: Measure) -> Floats:
    """How far a metric is from its best value: what falls as learners learn."""
    best = measure.best or 0.0
    losses: Floats = best - values if measure.higher_is_better else values - best
    return losses


def study_text(head: str, verdict: Sequence[str], table: Table, last: Sequence[str]) -> str:
    """A study for a terminal: what was run, the verdict, the table, and how it was made."""
    indented = "\n".join(filled(line, WIDTH, initial_indent="  ", subsequent_indent="  ") for line in verdict)
    notes = "\n".join(filled(line, WIDTH) for line in last)
    return "\n\n".join([filled(head, WIDTH), indented, table.text(WIDTH), notes])
