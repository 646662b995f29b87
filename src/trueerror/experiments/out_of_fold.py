"""Out-of-fold predictions of an experiment, as the verbs for models take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.experiments.outcomes import Outcome
from trueerror.experiments.scored_parts import ScoredParts
from trueerror.inputs.errors import InputError
from trueerror.rows.collecting import predictions
from trueerror.rows.predictions import Predictions


def out_of_fold(run: ScoredParts, data: str, learners: Sequence[str] | None, **choice: Any) -> Predictions:
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
    made = predictions(
        dataset.y[rows],
        labels,
        scores=scores or None,
        labels=dataset.labels,
        positive=dataset.positive if positive is None else positive,
        ids=(np.arange(dataset.n) if dataset.ids is None else dataset.ids)[rows],
        clusters=None if dataset.clusters is None else dataset.clusters[rows],
        folds=np.repeat([s.fold for s in splits], sizes) if len(splits) > 1 else None,
        repeats=np.repeat([s.repeat for s in splits], sizes) if several else None,
    )
    return replace(made, notes=(*made.notes, *notes)) if notes else made


def _complete(
    run: ScoredParts, data: str, learners: Sequence[str] | None, choice: dict[str, Any]
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
