"""Large inputs are answered in seconds, or by a clear word."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import trueerror as te


def test_a_report_of_500_classes_and_5_models_takes_seconds(tmp_path: Path) -> None:
    rng, n, k = np.random.default_rng(0), 3000, 500
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    scores = {}
    for name in "abcde":
        odds = np.exp(rng.normal(size=(n, k)) + 3 * (np.arange(k) == truth[:, None]))
        scores[name] = odds / odds.sum(axis=1, keepdims=True)
    names = [f"class {i:03d}" for i in range(k)]
    p = te.predictions(np.array(names)[truth], scores=scores, labels=names)
    started = time.process_time()
    te.report(p, tmp_path / "r.html")
    assert time.process_time() - started < 10
