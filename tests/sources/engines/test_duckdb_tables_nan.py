"""NaN in Parquet files, whose own statistics leave it out: found whatever range the other scores have."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import QUIET
from trueerror.inputs._options import InputError
from trueerror.sources.engines import _duckdb_tables as nans

pytestmark = list(QUIET)
N = 4_000
RNG = np.random.default_rng(3)
TRUTH = (RNG.random(N) < 0.3).astype(int)
FIRST = RNG.random(N)
RANGES = {
    "probabilities": RNG.random(N),
    "around 0": RNG.normal(TRUTH, 1.0),
    "above 1": 1 + RNG.random(N),
    "below 0": -1 - RNG.random(N),
    "constant": np.full(N, 0.5),
    "zeros": np.zeros(N),
    "huge": RNG.normal(TRUTH, 1.0) * 1e300,
    "tiny": RNG.random(N) * 1e-310,
    "infinite": np.where(RNG.random(N) < 0.2, np.inf, RNG.normal(TRUTH, 1.0)),
    "both infinities": np.where(RNG.random(N) < 0.2, np.inf, np.where(RNG.random(N) < 0.2, -np.inf, 0.5)),
    "single precision": RNG.random(N).astype(np.float32),
}
GONE = RNG.random(N) < 0.05


def by_polars(columns: dict[str, Any], path: Path) -> None:
    pytest.importorskip("polars").DataFrame(columns).write_parquet(path)


def by_arrow(columns: dict[str, Any], path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pytest.importorskip("pyarrow").table(columns), path)


def as_path(path: Path) -> Any:
    return path


def as_relation(path: Path) -> Any:
    return duckdb.connect().read_parquet(str(path))


def as_ibis(path: Path) -> Any:
    return pytest.importorskip("ibis").duckdb.connect().read_parquet(str(path))


def with_gaps(name: str) -> Any:
    return np.where(GONE, np.nan, RANGES[name]).astype(RANGES[name].dtype)


@cache
def limits_of_arrays(name: str) -> tuple[float, float]:
    scores = {"first": FIRST, "second": with_gaps(name).astype(float)}
    (pair,) = te.compare(TRUTH, scores=scores, metric="auc", missing="drop").pairs
    return pair.low, pair.high


@pytest.mark.parametrize("given", [as_path, as_relation, as_ibis])
@pytest.mark.parametrize("write", [by_polars, by_arrow])
@pytest.mark.parametrize("name", RANGES)
def test_nan_is_missing_whatever_the_statistics_say(name: str, write: Any, given: Any, tmp_path: Path) -> None:
    scores = with_gaps(name)
    path = tmp_path / "scores.parquet"
    write({"truth": TRUTH, "first": FIRST, "second": scores}, path)
    p = te.read(given(path), positive=1, missing="drop", models={m: {"score": m} for m in ("first", "second")})
    assert p.absent("second") == GONE.sum()
    assert p.absent("first") == 0
    table, own = p.scores("second"), te.ScoreTable.count(TRUTH[~GONE] == 1, scores[~GONE].astype(float))
    assert (table.n, table.n_positive) == (own.n, own.n_positive)
    assert table.scores.tolist() == own.scores.tolist()
    found = te.compare(p, metric="auc").pairs[0]
    assert (found.low, found.high) == pytest.approx(limits_of_arrays(name))


def test_infinity_of_both_signs_is_no_gap(tmp_path: Path) -> None:
    by_polars({"truth": TRUTH, "first": RANGES["both infinities"]}, tmp_path / "scores.parquet")
    p = te.read(tmp_path / "scores.parquet", positive=1)
    assert p.absent("first") == 0
    assert p.scores("first").n == N


def test_a_way_that_finds_too_few_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.parquet"
    by_polars({"truth": TRUTH, "first": np.where(GONE, np.nan, RANGES["probabilities"])}, path)
    working = nans.WAYS[0]
    monkeypatch.setattr(nans, "WAYS", ("isnan({0})", working))
    assert te.read(path, positive=1, missing="drop").absent("first") == GONE.sum()
    if duckdb.read_parquet(str(path)).filter("isnan(first)").shape[0] == GONE.sum():
        pytest.skip("these versions write and read statistics that hide no NaN")
    monkeypatch.setattr(nans, "WAYS", ("isnan({0})",))
    with pytest.raises(InputError, match=r"'first' holds NaN in \d+ rows, which DuckDB .* write them as missing"):
        te.read(path, positive=1, missing="drop")
