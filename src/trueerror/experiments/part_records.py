"""An experiment as a long table: one record for each learner on each test part, as WEKA's Experimenter keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trueerror.experiments.scored_parts import ScoredParts


def part_records(run: ScoredParts, metrics: Sequence[str]) -> list[dict[str, object]]:
    """Data set, learner, repeat and fold (counted from 1), rows, times, and each metric; `te.rank` reads it."""
    return [record for data in run.datasets for record in _of_one(run, data, metrics)]


def _of_one(run: ScoredParts, data: str, metrics: Sequence[str]) -> Iterator[dict[str, object]]:
    tables = {metric: run.fold_scores(metric, data) for metric in metrics}
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
                **{metric: float(table.values[row, place]) for metric, table in tables.items()},
            }
