"""Rows of which it is known only whether each model got them right, as logs of evaluations say.

Their truth is "right", and a predicted label "right" or "wrong": accuracy is the share that is right, and two models
are compared row by row as ever. Metrics of classes would say nothing about such rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueerror.inputs._arrays import Array
from trueerror.tallies._confusion import Confusion

RIGHT, WRONG = "right", "wrong"
GRADES = (RIGHT, WRONG)


def holds_grades(labels: Sequence[object], totals: Sequence[float] | Array) -> bool:
    """Whether these are the labels and row counts of graded rows.

    >>> holds_grades(("right", "wrong"), (40, 0)), holds_grades(("cat", "dog"), (40, 0))
    (True, False)
    """
    return tuple(labels) == GRADES and int(totals[0]) > 0 and int(totals[1]) == 0


def is_graded(table: Confusion) -> bool:
    """Whether a confusion matrix counts graded rows."""
    return len(table.labels) == 2 and holds_grades(table.labels, table.classes(weighted=False).truth)
