"""Verbs beside the plain way with NumPy, pandas, scikit-learn or statsmodels: CPU seconds, medians of turns.

A ratio below 1 is a task at which the peer is faster.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from benchmarks.measuring import Row, cpu_side_by_side, row

ROWS = 1_000_000


def case_mcnemar(quick: bool) -> list[Row]:
    """te.compare gives both models' intervals, the difference with its own, the test and findings besides."""
    from statsmodels.stats.contingency_tables import mcnemar

    rng, made = np.random.default_rng(0), []
    for n in (ROWS,) if quick else (ROWS, 10 * ROWS):
        truth = rng.integers(0, 2, n)
        a, b = (np.where(rng.random(n) < share, truth, 1 - truth) for share in (0.9, 0.89))

        def plain(y: Any = truth, a: Any = a, b: Any = b) -> Any:
            return mcnemar(np.bincount((y == a) * 2 + (y == b), minlength=4).reshape(2, 2), exact=False)

        ours, peer = cpu_side_by_side(lambda y=truth, a=a, b=b: te.compare(y, {"a": a, "b": b}), plain)
        share = float((truth == a).mean() - (truth == b).mean())
        found = te.compare(truth, {"a": a, "b": b})["a", "b"].estimate
        made.append(row(f"McNemar, {n:,} rows", ours_s=ours, peer="np.bincount + statsmodels", peer_s=peer, faster=1,
                        agree=abs(found - share) < 1e-12))  # fmt: skip
    return made


def case_calibration(quick: bool) -> Row:
    from sklearn.calibration import calibration_curve

    rng = np.random.default_rng(0)
    truth = (rng.random(ROWS) < 0.3).astype(np.int64)
    scores = 0.5 * rng.random(ROWS) + 0.3 * truth

    def read() -> Any:
        curve = te.calibration(truth, scores)
        return curve.observed, curve.forecast

    ours, peer = cpu_side_by_side(read, lambda: calibration_curve(truth, scores, n_bins=10))
    curve, (observed, forecast) = te.calibration(truth, scores), calibration_curve(truth, scores, n_bins=10)
    agree = np.allclose(curve.observed, observed, atol=1e-12) and np.allclose(curve.forecast, forecast, atol=1e-12)
    return row(f"calibration, {ROWS:,} rows", ours_s=ours, peer="scikit-learn calibration_curve", peer_s=peer, faster=1,
               agree=bool(agree), note="ours sorts the scores, so that any bins can be asked for after it")  # fmt: skip


def case_text(quick: bool) -> list[Row]:
    import pandas as pd

    rng = np.random.default_rng(0)
    names = np.array([f"class_{i:03d}" for i in range(100)])
    truth = names[rng.integers(0, 100, ROWS)]
    called = np.where(rng.random(ROWS) < 0.8, truth, names[rng.integers(0, 100, ROWS)])
    # Rows with objects of their own, as most readers of files make them, and rows that share one object a class.
    objects = truth.astype(object), called.astype(object)
    one_each = {str(name): str(name) for name in names}
    shared = tuple(np.array([one_each[text] for text in texts], dtype=object) for texts in objects)

    def plain(objects: Any = objects) -> Any:
        codes, found = pd.factorize(np.concatenate(objects))
        return np.bincount(codes[:ROWS] * len(found) + codes[ROWS:])

    made = []
    for kind, columns in (("NumPy text", (truth, called)), ("Python objects", objects), ("shared objects", shared)):
        rows = shared if kind == "shared objects" else objects
        ours, peer = cpu_side_by_side(lambda c=columns: te.evaluate(*c), lambda rows=rows: plain(rows))
        made.append(row(f"100 text classes ({kind}), {ROWS:,} rows: evaluate", ours_s=ours,
                        peer="pandas factorize of objects + np.bincount", peer_s=peer, faster=1))  # fmt: skip
    return made


def case_bootstrap(quick: bool) -> Row:
    values = (np.random.default_rng(0).random(ROWS) < 0.3).astype(np.float64)
    rng, replicates = np.random.default_rng(1), 20

    def plain() -> Any:
        return [values[rng.integers(0, ROWS, ROWS)].mean() for _ in range(replicates)]

    ours, peer = cpu_side_by_side(lambda: te.bootstrap(values, "mean", replicates=1_000), plain, rounds=3)
    return row(
        f"bootstrap of a mean of 0 and 1, {ROWS:,} values, 1,000 replicates", ours_s=ours,
        peer="NumPy loop (20 replicates, scaled)", peer_s=peer * 1_000 / replicates, faster=5,
    )  # fmt: skip


def case_file(quick: bool) -> Row:
    from benchmarks.scale import MODELS, make

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        make(ROWS, path)
        import duckdb

        columns = duckdb.sql(f"SELECT * FROM '{path}'").fetchnumpy()
        scores = {m: np.asarray(columns[m]) for m in MODELS}
        ours, peer = cpu_side_by_side(
            lambda: te.evaluate(path, positive=1), lambda: te.evaluate(columns["truth"], scores=scores, positive=1)
        )
    return row(f"evaluate scores of 3 models in a Parquet file, {ROWS:,} rows", ours_s=ours,
               peer="the same from arrays", peer_s=peer, slower=1.5)  # fmt: skip
