"""An experiment as a long table: one record for each learner on each test part, as WEKA's Experimenter keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.scored_parts import ScoredParts
from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import find_measure


def part_records(run: ScoredParts, metrics: Sequence[str]) -> list[dict[str, object]]:
    """Data set, learner, repeat and fold (counted from 1), rows, times, and each metric; `te.rank` reads it.

    A metric is NaN where a fit failed, and on data sets that it does not fit, such as an AUC of three classes.
    """
    for metric in metrics:
        find_measure(metric)
    return [record for data in run.datasets for record in _of_one(run, data, metrics)]


def _of_one(run: ScoredParts, data: str, metrics: Sequence[str]) -> Iterator[dict[str, object]]:
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


def _values(run: ScoredParts, data: str, metric: str) -> NDArray[np.float64]:
    try:
        return run.fold_scores(metric, data).values
    except InputError:
        # A metric that some data sets have and others have not is left open there.
        return np.full((len(run.learners), len(run.parts(data))), np.nan)
