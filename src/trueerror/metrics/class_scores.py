"""Rows with one score for each class: what the metrics of many classes' scores look at, since no tally holds it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Codes, Label
from trueerror.tallies.scores import ScoreTable


class ClassScores(NamedTuple):
    """True classes as codes, (n, K) scores in label order, and the labels."""

    codes: Codes
    scores: NDArray[np.floating[Any]]
    labels: tuple[Label, ...]

    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64)

    def top_label(self) -> ScoreTable:
        """How often the called class was right, by the score that it had; the first wins ties.

        >>> ClassScores(np.array([0, 2]), np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), ("a", "b", "c")).top_label()
        2 distinct scores, 1 positives (True), 1 negatives
        """
        called = self.scores.argmax(axis=1) if len(self.scores) else np.zeros(0, dtype=np.intp)
        confidence = np.take_along_axis(self.scores, called[:, None], axis=1)[:, 0]
        return ScoreTable.from_codes(called == self.codes, confidence, True)
