"""How time grows with the number of rows, from a thousand to a hundred million."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from benchmarks.measuring import best_of
from benchmarks.resampling import resampled
from trueerror.inference._metric_interval import metric_interval
from trueerror.plots._figure import Figure
from trueerror.plots._specs import Axis, Curves, Line, Whiskers

Grown = dict[str, dict[int, float]]
PICTURE = Path(__file__).parent / "growth.svg"
TASKS = ("count metrics", "AUC with interval", "macro-F1, 10,000 replicates", "np.bincount", "np.sort")


def growth(*, quick: bool) -> Grown:
    """Seconds for each task and number of rows, each number of rows in its own process."""
    found: Grown = {task: {} for task in TASKS}
    for power in range(3, 7 if quick else 9):
        command = [sys.executable, "-m", "benchmarks.growth", str(10**power)]
        done = subprocess.run(command, cwd=PICTURE.parent.parent, capture_output=True, text=True, check=True)
        for task, seconds in json.loads(done.stdout.splitlines()[-1]).items():
            found[task][10**power] = seconds
    return found


def _times(n: int) -> dict[str, float]:
    rng = np.random.default_rng(0)
    # One byte a label and four a score: a hundred million rows fit into little memory.
    truth = rng.integers(0, 2, n, dtype=np.int8)
    times = _counting(truth, rng, 5 if n <= 10**6 else 2)
    return times | (_ranking(truth, rng, 3 if n <= 10**6 else 1) if n <= 10**7 else {})


def _counting(truth: Any, rng: np.random.Generator, rounds: int) -> dict[str, float]:
    called = np.where(rng.random(len(truth), dtype=np.float32) < 0.9, truth, 1 - truth)
    table = te.Confusion.count(truth, called)
    calls: dict[str, Callable[[], Any]] = {
        "count metrics": lambda: te.evaluate(truth, called, metrics="all"),
        "macro-F1, 10,000 replicates": lambda: resampled(table),
        "np.bincount": lambda: np.bincount(truth * np.int8(2) + called),
    }
    return {task: best_of(call, rounds)[0] for task, call in calls.items()}


def _ranking(truth: Any, rng: np.random.Generator, rounds: int) -> dict[str, float]:
    scores = rng.standard_normal(len(truth), dtype=np.float32)
    scores += truth
    calls: dict[str, Callable[[], Any]] = {
        "AUC with interval": lambda: metric_interval("auc", te.ScoreTable.count(truth, scores)),
        "np.sort": lambda: np.sort(scores),
    }
    return {task: best_of(call, rounds)[0] for task, call in calls.items()}


def draw(grown: Grown) -> None:
    """Both axes logarithmic, so that a line of slope 1 is time in proportion to rows."""
    seconds = [second for times in grown.values() for second in times.values()]
    rows = [n for times in grown.values() for n in times]
    lines, points = [], []
    for series, task in enumerate(task for task in TASKS if grown.get(task)):
        x, y = (np.array(side, dtype=float) for side in zip(*sorted(grown[task].items()), strict=True))
        lines.append(Line(x=x, y=y, name=task, series=series))
        points.append(Whiskers(x=x, y=y, name=task, series=series))
    picture = Curves(
        title="Time against rows",
        x=Axis(title="rows", low=min(rows) / 1.5, high=max(rows) * 1.5, scale="log"),
        y=Axis(title="seconds", low=min(seconds) / 1.5, high=max(seconds) * 1.5, scale="log"),
        lines=tuple(lines),
        whiskers=tuple(points),
        size=(460, 280),
    )
    Figure(picture).save(PICTURE)


if __name__ == "__main__":
    print(json.dumps(_times(int(sys.argv[1]))))
