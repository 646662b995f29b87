"""The branches that a question can meet: `if`s and conditional expressions of the functions that it enters.

    python -m tests.architecture.branches

Each question is asked of tables, scores and clusters that are easy, rare, near perfect, small and large, so that rules
for odd rows count as well. Functions are those of inference/ and metrics/; run it in a process of its own, since what
a process remembers it does not enter again.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import trueerror as te

BRANCHES = (ast.If, ast.IfExp)
ROOMS = ("/trueerror/inference/", "/trueerror/metrics/")
Array = np.ndarray[Any, Any]
Call = Callable[[], object]
# Rows, classes, the share of right rows, and how many times rarer each class is than the one before.
TABLES = [(60, 3, 0.9, 1), (300, 3, 0.8, 3), (400, 8, 0.9, 1.4), (50, 2, 1, 1), (200, 2, 0.98, 1), (900, 25, 0.95, 1),
          (90, 3, 0.3, 1)]  # fmt: skip
# Rows, the share of positives, and the noise of two models' scores.
SCORES = [(60, 0.5, 1, 1.1), (400, 0.1, 0.3, 0.5), (200, 0.5, 0.05, 0.1), (2000, 0.02, 1, 1), (300, 0.3, 1, 3)]


def label_rows(rng: np.random.Generator) -> Iterator[tuple[Array, Array, Array]]:
    """The truth and two models' labels."""
    for n, k, right, rarer in TABLES:
        shares = np.array([float(rarer) ** -i for i in range(k)])
        truth = rng.choice(k, n, p=shares / shares.sum())
        one, two = (np.where(rng.random(n) < right - less, truth, rng.integers(0, k, n)) for less in (0, 0.03))
        yield truth, one, two


def score_rows(rng: np.random.Generator) -> Iterator[tuple[Array, Array, Array]]:
    """The truth and two models' scores."""
    for n, positives, one, two in SCORES:
        truth = (rng.random(n) < positives).astype(int)
        yield truth, truth + rng.normal(size=n) * one, truth + rng.normal(size=n) * two


def designs(rng: np.random.Generator, truth: Array) -> list[dict[str, Any]]:
    """Independent rows, and rows in clusters."""
    return [{}, {"clusters": rng.integers(0, max(4, len(truth) // 9), len(truth))}]


def questions() -> dict[str, list[Call]]:
    """The calls behind each question."""
    rng = np.random.default_rng(1)
    labels = [(*rows, design) for rows in [*label_rows(rng)] for design in designs(rng, rows[0])]
    scores = [(*rows, design) for rows in [*score_rows(rng)] for design in designs(rng, rows[0])]
    return {
        "macro-F1": [partial(te.evaluate, y, a, metrics=["macro_f1"], **d) for y, a, _, d in labels],
        "AUC": [
            partial(te.evaluate, y, scores=a, metrics=["auc"], positive=1, threshold=0.5, **d) for y, a, _, d in scores
        ],
        "paired AUC": [
            partial(te.compare, y, scores={"a": a, "b": b}, metric="auc", positive=1, **d) for y, a, b, d in scores
        ],
        "paired macro-F1": [partial(te.compare, y, {"a": a, "b": b}, metric="macro_f1", **d) for y, a, b, d in labels],
    }


def entered(calls: list[Call]) -> set[tuple[str, int]]:
    """The file and first line of every function of the rooms that the calls enter."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        for call in calls:
            call()
    finally:
        sys.setprofile(before)
    return {(c.co_filename, c.co_firstlineno) for c in codes if any(room in c.co_filename for room in ROOMS)}


@cache
def branches_by_line(file: str) -> dict[int, int]:
    """First line of each function of a file (that of its first decorator, as Python has it) → its branches."""
    return {
        min([f.lineno, *(d.lineno for d in f.decorator_list)]): sum(isinstance(n, BRANCHES) for n in ast.walk(f))
        for f in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(f, ast.FunctionDef)
    }


def branches() -> dict[str, int]:
    """Question → its branches."""
    return {
        title: sum(branches_by_line(file).get(line, 0) for file, line in entered(calls))
        for title, calls in questions().items()
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(branches(), indent=1) + "\n")
