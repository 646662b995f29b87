"""What a number about a learner is an estimate of, in words; and which situation a plan is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trueerror.experiments.datasets import Dataset
from trueerror.findings.about_learners import SMALL_TEST
from trueerror.resampling.plans import Plan, Split
from trueerror.results.words import percent, whole

# Training parts whose sizes differ by more than this factor are told as a range.
MUCH_MORE = 1.2
SITUATIONS = {
    "Holdout": "learner-holdout",
    "LeaveOneOut": "learner-leave-one-out",
    "Bootstrap": "learner-bootstrap",
    "BatesCV": "learner-pairs-of-folds",
    "DisjointHalves": "learner-halves",
}


def plan_situation(plan: Plan, splits: Sequence[Split]) -> str:
    """The row of the decision table for a plan; foreign splitters are told by their test parts."""
    if plan.name in SITUATIONS:
        return SITUATIONS[plan.name]
    if len(splits) == 1:
        return "learner-holdout"
    if all(len(s.test) == 1 for s in splits) and len({s.repeat for s in splits}) == 1:
        return "learner-leave-one-out"
    return "learner-folds"


def class_mix(data: Dataset) -> str:
    """The class mix that a result is for."""
    counts = np.bincount(data.codes, minlength=len(data.labels))
    if data.positive is not None:
        share = float(counts[data.labels.index(data.positive)]) / data.n
        return f"of which {percent(round(share, 3))} are {data.positive}"
    top = int(counts.argmax())
    return (
        f"with the same mix of {len(data.labels):,} classes "
        f"(commonest: {data.labels[top]}, {percent(round(float(counts[top]) / data.n, 3))})"
    )


def rounds_of_folds(splits: Sequence[Split]) -> int | None:
    """How often the rows were dealt into parts, each tested by a model of all other rows; None where they were not."""
    if len(splits) < 2 or any(s.train_size + len(s.test) != s.n for s in splits):
        return None
    return len({s.repeat for s in splits})


def learner_at(data: Dataset, sizes: Sequence[int], chosen: bool = False) -> str:
    """The learner, at a number of training rows; parts in order of time have models of growing numbers."""
    who = "the setting that is chosen from these" if chosen else "this learner"
    low, high = min(sizes), max(sizes)
    shown = f"{low:,} to {high:,}" if high > MUCH_MORE * low else f"{round(sum(sizes) / len(sizes)):,}"
    return f"{who} at {shown} training rows, on rows like these {data.n:,}, {class_mix(data)}"


def these_models(data: Dataset, models: int) -> str:
    """The models that were fitted, not the learner."""
    which = "this model" if models == 1 else f"these {models:,} models"
    return f"{which}, on rows like these {data.n:,}, {class_mix(data)}"


def as_it_stands(data: Dataset, size: int, chosen: bool = False) -> str:
    """One model."""
    which = " of the chosen setting" if chosen else ""
    return f"this model{which}, fitted to {size:,} rows, on rows like these {data.n:,}, {class_mix(data)}"


def left_out(missing: int, parts: int) -> str:
    """Test parts without a score."""
    return f"{whole(missing)} of {whole(parts)} test parts have no score and are left out" if missing else ""


def small_parts(splits: Sequence[Split]) -> str:
    """A word of warning where a test part has fewer than 30 rows."""
    smallest = min((len(s.test) for s in splits), default=SMALL_TEST)
    return f"test parts of {whole(smallest)} rows, fewer than {SMALL_TEST}" if smallest < SMALL_TEST else ""
