"""The verbs over ten million rows of two models in memory, beside one sort of the scores that they read; and a report.

Memory is held against the input: truth and scores as they were passed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import trueerror as te
from benchmarks.measuring import Row, peak_beyond, row, timed

Floats = NDArray[np.float64]
# A verb may take so many times as long as sorting, and so many times as much memory as its input.
TIMES, SPACE = 5, 10


def rows_of(n: int, models: int = 2) -> tuple[NDArray[np.int64], dict[str, Floats]]:
    """Truth with three tenths of positives, and probabilities of models that are nearly as good as each other."""
    rng = np.random.default_rng(1)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    return truth, {
        f"m{i}": special.expit((1 + 0.1 * i) * (truth - 0.5) + rng.standard_normal(n)) for i in range(models)
    }


def _measured(
    name: str, quick: bool, make: Callable[[Any, dict[str, Floats]], Any], models: int = 2, times: float = TIMES
) -> Row:
    n = 500_000 if quick else 10_000_000
    truth, scores = rows_of(n, models)
    make(truth[:1000], {m: s[:1000] for m, s in scores.items()})  # what is loaded once is not what this asks about
    memory = peak_beyond(lambda: make(truth, scores))
    best, sort = np.inf, np.inf
    for _ in range(2):
        sort = min(sort, timed(lambda: [np.sort(s) for s in scores.values()])[0])
        best = min(best, timed(lambda: make(truth, scores))[0])
    size = (truth.nbytes + sum(s.nbytes for s in scores.values())) / 1e6
    return row(
        f"{name}, {n:,} rows × {models} model{'s' if models > 1 else ''}", ours_s=best,
        peer="one np.sort of each model's scores", peer_s=sort, slower=None if quick else times,
        megabytes=None if quick else SPACE * size, memory_mb=memory,
    )  # fmt: skip


def case_evaluate(quick: bool) -> Row:
    return _measured("te.evaluate", quick, lambda t, s: str(te.evaluate(t, scores=s)))


def case_compare_accuracy(quick: bool) -> Row:
    return _measured('te.compare(metric="accuracy")', quick, lambda t, s: te.compare(t, scores=s, metric="accuracy"))


def case_compare_auc(quick: bool) -> Row:
    return _measured('te.compare(metric="auc")', quick, lambda t, s: te.compare(t, scores=s, metric="auc"))


def case_compare_brier(quick: bool) -> Row:
    return _measured('te.compare(metric="brier")', quick, lambda t, s: te.compare(t, scores=s, metric="brier"))


def case_compare_average_precision(quick: bool) -> Row:
    # The rows' weights are gone through a dozen times to find the p-value beside an unseen row.
    return _measured(
        'te.compare(metric="average_precision")', quick,
        lambda t, s: te.compare(t, scores=s, metric="average_precision"), times=8,
    )  # fmt: skip


def case_compare_costs(quick: bool) -> Row:
    # Thresholds and models are chosen anew in resamples, which cost the same of any number of rows.
    return _measured("te.compare(cost_fn=5)", quick, lambda t, s: str(te.compare(t, scores=s, cost_fn=5)), times=8)


def case_roc(quick: bool) -> Row:
    return _measured("te.roc with its area", quick, lambda t, s: te.roc(t, s["m0"]).auc(), models=1)


def case_precision_recall(quick: bool) -> Row:
    return _measured(
        "te.precision_recall with its area", quick, lambda t, s: te.precision_recall(t, s["m0"]).average_precision(),
        models=1,
    )  # fmt: skip


def case_calibration(quick: bool) -> Row:
    return _measured("te.calibration in words", quick, lambda t, s: str(te.calibration(t, s["m0"])), models=1)


def case_report_of_file(quick: bool) -> Row:
    """The page of a Parquet file, in a process of its own: its memory is all that the process takes."""
    from benchmarks.scale import MODELS, make

    n = 300_000 if quick else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        rows, page = Path(folder) / "rows.parquet", Path(folder) / "report.html"
        make(n, rows)
        code = (
            "import sys, time, trueerror as te; from benchmarks.measuring import peak_of_process\n"
            "te.report(te.read(sys.argv[1], positive=1), sys.argv[2], rng=1)\n"
            "print(time.process_time(), peak_of_process())"
        )
        ran = subprocess.run(
            [sys.executable, "-c", code, str(rows), str(page)], check=True, capture_output=True, text=True
        )
        seconds, memory = ran.stdout.split()
    return row(
        f"te.report of a Parquet file, {n:,} rows × {len(MODELS)} models, CPU time with start", ours_s=float(seconds),
        seconds=None if quick else 12, megabytes=None if quick else 2500,
        memory_mb=None if memory == "None" else float(memory),
    )  # fmt: skip


def case_report(quick: bool) -> Row:
    n, models = (200_000 if quick else 2_000_000), 3
    truth, scores = rows_of(n, models)
    p = te.predictions(truth, scores=scores)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        te.report(te.predictions(truth[:1000], scores={m: s[:1000] for m, s in scores.items()}), path, rng=1)
        memory = peak_beyond(lambda: te.report(p, path, rng=1))
        best = min(timed(lambda: te.report(te.predictions(truth, scores=scores), path, rng=1))[0] for _ in range(2))
        sort = min(timed(lambda: [np.sort(s) for s in scores.values()])[0] for _ in range(2))
        size = path.stat().st_size
    return row(
        f"te.report, {n:,} rows × {models} models", ours_s=best, peer="one np.sort of each model's scores", peer_s=sort,
        memory_mb=memory, note=f"a page of {size / 1e3:.0f} kB",
    )  # fmt: skip
