"""Lazy tables: odd values, odd names and the verbs, the same on every engine, without a word on stderr."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import LAZY, QUIET, polars_lazy
from trueerror.inputs._options import InputError
from trueerror.sources.engines import _narwhals as lazysource

pytestmark = list(QUIET)
N = 40
rng = np.random.default_rng(11)
UP = rng.random(N) < 0.4
ODD = ["it's", 'a "b"', "naïve\n`x`", "50 %; --", "日本"]
WHAT = [ODD[i] for i in rng.integers(0, 5, N)]
SCORES = np.round(0.4 * UP + 0.6 * rng.random(N), 2)
SCORES[:6] = [0.0, -0.0, 0.5, 0.7, 1.0, 0.25]


def odd_table() -> Any:
    polars = pytest.importorskip("polars")
    gaps = SCORES.copy()
    gaps[[9, 10]] = math.nan
    holes = [None if i in (11, 30) else float(v) for i, v in enumerate(gaps)]
    return polars.DataFrame(
        {
            "y.true": polars.Series(WHAT, dtype=polars.Categorical),
            "pre`d": polars.Series(WHAT[1:] + WHAT[:1], dtype=polars.Enum(ODD)),
            "flag": UP,
            "sc.ore": polars.Series(SCORES, dtype=polars.Float32),
            "with gaps": polars.Series(holes, dtype=polars.Float64),
            "call": polars.Series([None if i == 3 else bool(v) for i, v in enumerate(~UP)]),
            "small": polars.Series(UP.astype(int), dtype=polars.UInt8),
        }
    )


@pytest.fixture(params=LAZY, ids=lambda place: place.__name__)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: Callable[..., Any] = request.param
    return made(odd_table().to_dict(as_series=True), tmp_path)


def test_odd_values_and_names(odd: Any, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    p = te.read(odd, truth="y.true", models={"m`": "pre`d"})
    assert p.labels == tuple(sorted(ODD))
    assert p.confusion() == te.Confusion.count(WHAT, WHAT[1:] + WHAT[:1])
    models: dict[str, Any] = {"a": {"score": "sc.ore"}, "b": {"score": "with gaps"}, "c": "call", "d": "small"}
    p = te.read(odd, truth="flag", models=models, missing="drop")
    gaps = np.where(np.isin(np.arange(N), [9, 10, 11, 30]), math.nan, SCORES)
    calls = [None if i == 3 else bool(v) for i, v in enumerate(~UP)]
    direct = te.predictions(
        UP, {"c": calls, "d": UP.astype(int)}, scores={"a": SCORES.astype(np.float32), "b": gaps}, missing="drop"
    )
    assert [p.absent(m) for m in "abcd"] == [0, 4, 1, 0]
    for model in "ab":
        assert p.scores(model) == direct.scores(model)
        # 0.7 in 32 bits lies below 0.7.
        assert p.confusion(model, threshold=0.7) == direct.confusion(model, threshold=0.7)
    assert p.scores("a").scores[0] == 0.0
    assert not np.signbit(p.scores("a").scores[0])
    for model in "abcd":
        assert p.confusion(model) == direct.confusion(model)
        assert p.agreement("a", model) == direct.agreement("a", model)
    assert capfd.readouterr().err == ""


def test_the_verbs_on_lazy_tables(odd: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    models: dict[str, Any] = {"a": {"score": "sc.ore"}, "d": "small"}
    p = te.read(odd, truth="flag", models=models)
    direct = te.predictions(UP, {"d": UP.astype(int)}, scores={"a": SCORES.astype(np.float32)})
    capfd.readouterr()
    taken: list[Any] = []
    before = lazysource.LazyTable.pulled
    with monkeypatch.context() as patch:

        def pulled(table: Any, columns: Any) -> Any:
            taken.append(columns)
            return before(table, columns)

        patch.setattr(lazysource.LazyTable, "pulled", pulled)
        ours = te.evaluate(p)
        curve = te.roc(p, model="a")
        contrast = te.compare(p)["d", "a"]
    # Labels are counted where they are; scores that hardly repeat come out once, for all that is asked.
    assert taken in ([], [["flag", "sc.ore"]])
    theirs = te.evaluate(direct)
    for model in ("a", "d"):
        for mine, other in zip(ours.model(model).records(), theirs.model(model).records(), strict=True):
            for name, value in other.items():
                if isinstance(value, float):
                    value = pytest.approx(value, rel=1e-12, nan_ok=True)
                assert mine[name] == value
    assert curve.auc() == te.roc(direct, model="a").auc()
    paired = te.compare(direct)["d", "a"]
    assert (contrast.estimate, contrast.low, contrast.p_value) == (paired.estimate, paired.low, paired.p_value)
    assert te.precision_recall(p, model="a").average_precision().estimate == pytest.approx(
        te.precision_recall(direct, model="a").average_precision().estimate
    )
    assert capfd.readouterr().err == ""


def test_a_lazy_table_may_be_passed_as_it_is(tmp_path: Path) -> None:
    frame = polars_lazy({"truth": UP, "svm": SCORES}, tmp_path)
    assert te.evaluate(frame)["auc"] == te.evaluate(UP, scores=SCORES)["auc"]
    assert te.roc(frame).auc() == te.roc(UP, SCORES).auc()
    both = polars_lazy({"truth": UP, "svm": SCORES, "net": SCORES[::-1].copy()}, tmp_path)
    assert te.compare(both, metric="auc").estimates.keys() == {"svm", "net"}


def test_rows_beyond_the_budget_are_not_pulled(tmp_path: Path) -> None:
    p = te.read(polars_lazy({"truth": UP, "svm": SCORES, "net": SCORES[::-1].copy()}, tmp_path))
    te.config(budget="500b")
    try:
        with pytest.raises(InputError, match="memory budget is 500B"):
            p.source.fetched()
    finally:
        te.config(budget="2GB")
    assert p.source.fetched().facts.n == N


def test_duckdb_relations_leave_nothing_on_stderr() -> None:
    code = (
        "import duckdb, trueerror as te\n"
        'r = duckdb.sql("select i % 2 as truth, i / 100.0 as svm from range(100) t(i)")\n'
        "p = te.read(r)\n"
        "print(p.confusion().n, len(p.scores().scores), te.evaluate(p)['auc'].n)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["100", "100", "100"]
