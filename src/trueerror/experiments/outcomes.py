"""The outcome of one task (one fit and its test), and how it is written as a record of bytes.

A record is a line of JSON, then the arrays as they lie in memory (little-endian): no pickle, so that a store from a
stranger can do no more than hold wrong numbers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Status = Literal["done", "failed", "timeout"]
STATUSES = ("done", "failed", "timeout")


class Task(NamedTuple):
    """Which fit: numbers of the data set, the learner and the split, in the order of the manifest and of the plan."""

    data: int
    learner: int
    split: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """What became of a task. `labels` are codes in the data set's label order; `scores` has a column for each label."""

    task: Task
    status: Status
    labels: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    trace: str = ""
    limit: float | None = None

    def same_result(self, other: Outcome) -> bool:
        """Whether the two predict the same, bit for bit, or failed alike; how long it took does not matter."""
        mine, theirs = (
            (o.status, o.labels.tobytes(), b"" if o.scores is None else o.scores.tobytes(), o.error)
            for o in (self, other)
        )
        return mine == theirs


NO_LABELS: NDArray[np.int32] = np.zeros(0, dtype="<i4")


def encode(outcome: Outcome) -> bytes:
    """The record of an outcome."""
    columns = 0 if outcome.scores is None else outcome.scores.shape[1]
    head: dict[str, Any] = {
        "task": list(outcome.task),
        "status": outcome.status,
        "rows": len(outcome.labels),
        "columns": columns,
        "fit": outcome.fit_seconds,
        "predict": outcome.predict_seconds,
    }
    words = {
        "warnings": list(outcome.warnings), "error": outcome.error, "trace": outcome.trace, "limit": outcome.limit,
    }  # fmt: skip
    head |= {key: value for key, value in words.items() if value}
    parts = [json.dumps(head).encode(), b"\n", np.ascontiguousarray(outcome.labels, dtype="<i4").tobytes()]
    if outcome.scores is not None:
        parts.append(np.ascontiguousarray(outcome.scores, dtype="<f8").tobytes())
    return b"".join(parts)


def decode(record: bytes) -> Outcome:
    """The outcome in a record; ValueError where it holds none."""
    end = record.index(b"\n")
    head = json.loads(record[:end])
    rows, columns = int(head["rows"]), int(head["columns"])
    if head["status"] not in STATUSES or len(record) != end + 1 + 4 * rows + 8 * rows * columns:
        raise ValueError("a record of another shape")
    labels = np.frombuffer(record, dtype="<i4", count=rows, offset=end + 1)
    scores = None
    if columns:
        flat = np.frombuffer(record, dtype="<f8", count=rows * columns, offset=end + 1 + 4 * rows)
        scores = flat.reshape(rows, columns)
    return Outcome(
        task=Task(*(int(i) for i in head["task"])),
        status=head["status"],
        labels=labels,
        scores=scores,
        fit_seconds=float(head["fit"]),
        predict_seconds=float(head["predict"]),
        warnings=tuple(head.get("warnings", ())),
        error=head.get("error", ""),
        trace=head.get("trace", ""),
        limit=head.get("limit"),
    )
