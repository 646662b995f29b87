"""Many models: one scan of a file counts all pairs, and gives what counting them in memory gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trueerror as te
from trueerror.sources.engines._duckdb_tables import DuckDBTable
from trueerror.tallies import Agreement

N, MODELS = 700, 50
rng = np.random.default_rng(9)


def written(columns: dict[str, Any], folder: Path) -> Path:
    path = folder / "many.parquet"
    pytest.importorskip("polars").DataFrame(columns).write_parquet(path)
    return path


def test_fifty_models_in_one_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = rng.integers(0, 2, N)
    scores = {f"m{i}": np.round(0.3 * truth + 0.7 * rng.random(N), 3) for i in range(MODELS)}
    p = te.read(written({"truth": truth, **scores}, tmp_path))
    direct = te.predictions(truth, scores=scores)
    scans: list[str] = []
    stream, fetched = DuckDBTable.stream, DuckDBTable._fetched
    monkeypatch.setattr(DuckDBTable, "stream", lambda self, *a: scans.append("stream") or stream(self, *a))
    monkeypatch.setattr(DuckDBTable, "_fetched", lambda self, q: (" raw " in q or scans.append(q)) and fetched(self, q))
    for i in range(MODELS):
        assert p.confusion(f"m{i}") == direct.confusion(f"m{i}")
        assert p.agreement("m0", f"m{i}") == direct.agreement("m0", f"m{i}")
    assert p.agreement("m7", "m31") == direct.agreement("m7", "m31")
    assert scans == ["stream"]


@pytest.mark.parametrize("rule", ["drop", "wrong"])
def test_three_classes_with_gaps(rule: Any, tmp_path: Path) -> None:
    names = np.array(["a", "it's", "c?"])
    truth = names[rng.integers(0, 3, N)]
    calls = {
        f"m{i}": [None if rng.random() < 0.02 else str(v) for v in names[rng.integers(0, 3, N)]] for i in range(20)
    }
    p = te.read(written({"truth": truth, **calls}, tmp_path), models=list(calls), missing=rule)
    direct = te.predictions(truth, calls, missing=rule)
    for i in range(20):
        assert p.confusion(f"m{i}") == direct.confusion(f"m{i}")
        assert p.agreement(f"m{i}", "m3") == direct.agreement(f"m{i}", "m3")


def test_fifty_areas_in_few_scans(tmp_path: Path) -> None:
    truth = rng.integers(0, 2, 3000)
    scores = {f"m{i}": 0.3 * truth + 0.7 * rng.random(3000) for i in range(12)}
    p = te.read(written({"truth": truth, **scores}, tmp_path), budget="200kB")
    direct = te.predictions(truth, scores=scores)
    ours, theirs = (te.compare(x, metric="auc", reference="m0") for x in (p, direct))
    for mine, exact in zip(ours.pairs, theirs.pairs, strict=True):
        assert mine.low <= exact.low
        assert mine.high >= exact.high
        assert mine.estimate == pytest.approx(exact.estimate, abs=5e-3)


@given(st.lists(st.tuples(*[st.booleans()] * 4), min_size=1, max_size=40), st.sampled_from([2, 3]))
def test_calls_counted_together_are_those_counted_apart(rows: list[tuple[bool, ...]], models: int) -> None:
    """Two and three models of two classes share one count; each table is that of its own columns."""
    truth, *called = (np.array(column, dtype=int) for column in zip(*rows, strict=True))
    given_labels = dict(zip("cab"[:models], called, strict=False))
    p = te.predictions(truth, given_labels, labels=[0, 1])
    assert p.truth_counts().tolist() == [int((truth == 0).sum()), int((truth == 1).sum())]
    for first, one in given_labels.items():
        assert p.confusion(first).matrix.tolist() == te.Confusion.count(truth, one, labels=[0, 1]).matrix.tolist()
        for second, two in given_labels.items():
            alone = Agreement.count(truth, one, two, labels=[0, 1])
            together = p.agreement(first, second)
            for part in ("labels", "positive"):
                assert getattr(together, part) == getattr(alone, part)
            for part in ("truth", "first", "second", "counts"):
                assert getattr(together, part).tolist() == getattr(alone, part).tolist()
