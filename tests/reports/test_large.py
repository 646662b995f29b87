"""Large inputs are answered in seconds, or by a clear word."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize("verb", [te.evaluate, te.gaps, te.check])
def test_a_column_of_amounts_is_no_grouping(verb: Callable[..., object]) -> None:
    rng = np.random.default_rng(0)
    truth, amounts = rng.integers(0, 2, 20_000), np.arange(20_000) / 100
    started = time.process_time()
    refused = pytest.raises(te.InputError, match=r"20,000 values in 20,000 rows, which is no grouping")
    with contextlib.nullcontext() if verb is te.check else refused:
        verb(truth, 1 - truth, by=amounts)
    assert time.process_time() - started < 5


def test_ten_thousand_clusters_and_names_of_300_characters_take_seconds() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    models = {f"{letter * 300}": np.where(rng.random(100_000) < 0.8, truth, 1 - truth) for letter in "abc"}
    started = time.process_time()
    assert te.evaluate(truth, models["a" * 300], clusters=rng.integers(0, 10_000, 100_000)).n == 100_000
    made = te.compare(truth[:5000], {name: called[:5000] for name, called in models.items()})
    assert max(map(len, str(made).splitlines())) <= 100
    assert time.process_time() - started < 10
