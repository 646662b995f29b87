"""Load: very many models, classes, data sets and folds, and very long names, each within a stated time and memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trueerror as te
from benchmarks.measuring import Row, cpu_seconds, peak_beyond, row

NOTE = "CPU seconds of one call; memory beyond the input"


def calls_of(rows: int, models: int, name: str = "model {:03d}") -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Two classes and models that are right on 85 % of the rows and a little more."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, rows)
    share = 0.85 + 0.1 * np.arange(models) / max(models - 1, 1)
    return truth, {name.format(i): np.where(rng.random(rows) < share[i], truth, 1 - truth) for i in range(models)}


def _held(name: str, call: Callable[[], Any], seconds: float, megabytes: float) -> Row:
    used: list[float] = []
    memory = peak_beyond(lambda: used.append(cpu_seconds(call)))
    return row(name, ours_s=used[0], seconds=seconds, megabytes=megabytes, memory_mb=memory, note=NOTE)


def case_two_hundred_models(quick: bool) -> list[Row]:
    rows, models = 100_000, 30 if quick else 200
    truth, calls = calls_of(rows, models)
    shape = f"{models} models × {rows:,} rows"
    pairs = models * (models - 1) // 2
    return [
        _held(f"te.evaluate, {shape}", lambda: str(te.evaluate(truth, calls)), 30, 300),
        _held(f"te.compare, {shape}: {pairs:,} pairs", lambda: str(te.compare(truth, calls)), 60, 500),
        _report(f"te.report, {shape}", te.predictions(truth, calls), 240, 1500),
    ]


def _report(name: str, p: te.Predictions, seconds: float, megabytes: float) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        made = _held(name, lambda: te.report(p, path), seconds, megabytes)
        return made | {"note": f"{NOTE}; a page of {path.stat().st_size / 1e6:.1f} MB"}


def case_ten_thousand_classes(quick: bool) -> list[Row]:
    classes, rows = (1_000 if quick else 10_000), 1_000_000
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, rows)
    calls = {m: np.where(rng.random(rows) < share, truth, rng.integers(0, classes, rows))
             for m, share in (("a", 0.8), ("b", 0.79))}  # fmt: skip
    shape = f"{classes:,} classes, {rows:,} rows × 2 models"
    return [
        _held(f"te.evaluate, {shape}", lambda: str(te.evaluate(truth, calls)), 30, 1500),
        _held(f"te.compare, {shape}", lambda: str(te.compare(truth, calls)), 30, 1500),
        _report(f"te.report, {shape}", te.predictions(truth, calls), 120, 2000),
    ]


def case_thousand_data_sets(quick: bool) -> Row:
    sets, models = (200 if quick else 1_000), 20
    rng = np.random.default_rng(0)
    scores = rng.normal(0.8, 0.05, (sets, 1)) + rng.normal(0, 0.02, (sets, models)) + 0.001 * np.arange(models)
    table = {f"model {i}": scores[:, i] for i in range(models)}
    return _held(f"te.rank, {sets:,} data sets × {models} models", lambda: str(te.rank(table)), 30, 500)


def case_hundred_by_hundred_folds(quick: bool) -> list[Row]:
    repeats, folds, rows = (10 if quick else 100), 100, 2_000
    truth, _ = calls_of(rows, 1)
    rng = np.random.default_rng(1)
    every = np.tile(truth, repeats)
    calls = {m: np.where(rng.random(len(every)) < share, every, 1 - every) for m, share in (("a", 0.9), ("b", 0.89))}
    p = te.predictions(
        every, calls, ids=np.tile(np.arange(rows), repeats), repeats=np.repeat(np.arange(repeats), rows),
        folds=np.concatenate([rng.permutation(rows) % folds for _ in range(repeats)]),
    )  # fmt: skip
    shape = f"{repeats} × {folds} folds of {rows:,} rows, 2 models"
    return [
        _held(f"te.evaluate, {shape}", lambda: str(te.evaluate(p)), 30, 500),
        _held(f"te.compare, {shape}", lambda: str(te.compare(p)), 30, 500),
        _held(f"te.compare by corrected t, {shape}", lambda: str(te.compare(p, method="corrected-t")), 30, 500),
    ]


def case_long_names(quick: bool) -> list[Row]:
    models = 5 if quick else 20
    truth, calls = calls_of(20_000, models, "x" * 290 + " number {:03d}")
    shape = f"{models} names of 300 characters, 20,000 rows"
    return [
        _held(f"te.compare, {shape}", lambda: str(te.compare(truth, calls)), 10, 200),
        _report(f"te.report, {shape}", te.predictions(truth, calls), 60, 500),
    ]
