"""Keys and labels of unusual types: every engine and every data frame names them as arrays do."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import QUIET, postgres
from trueerror.inputs._labels import plain_label
from trueerror.inputs._options import InputError
from trueerror.sources.engines._engine_table import EngineTable

pytestmark = list(QUIET)
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
dd = pytest.importorskip("dask.dataframe")
N = 60
HUGE = (2**60, 2**60 + 1, 2**60 + 2)


def relation(table: Any) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(table)


def as_dask(table: Any) -> Any:
    return dd.from_pandas(table.to_pandas(), npartitions=3)


PLACES: dict[str, Callable[[Any], Any]] = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "polars": pl.from_arrow,
    "lists": lambda table: table.to_pydict(),
    "lazy": lambda table: pl.from_arrow(table).lazy(),
    "relation": relation,
    "dask": as_dask,
}
# Dask makes text of decimals before anybody asks.
OF_DECIMALS = [name for name in PLACES if name != "dask"]


def table_of(**columns: Any) -> Any:
    return pa.table({"truth": [0, 1] * (N // 2), "a": [0, 1] * (N // 2), **columns})


def decimals(scale: int = 0) -> Any:
    return pa.array([Decimal(HUGE[i % 3]) for i in range(N)], pa.decimal128(25, scale))


@pytest.mark.parametrize("place", OF_DECIMALS)
def test_whole_decimals_keep_their_digits_as_keys(place: str) -> None:
    p = te.read(PLACES[place](table_of(g=decimals())), cluster="g")
    assert p.keys("clusters").names == HUGE


@pytest.mark.parametrize("place", OF_DECIMALS)
def test_whole_decimals_keep_their_digits_as_labels(place: str) -> None:
    gaps = pa.array([None, *decimals().to_pylist()[1:]], pa.decimal128(25, 0))
    p = te.read(PLACES[place](pa.table({"truth": decimals(), "a": gaps})), missing="drop")
    assert p.labels == HUGE
    assert int(p.confusion("a").counts.sum()) == N - 1


@pytest.mark.parametrize("place", ["arrow", "pandas", "lazy"])
def test_whole_decimals_with_a_scale_keep_their_digits(place: str) -> None:
    p = te.read(PLACES[place](table_of(g=decimals(scale=2))), cluster="g")
    assert p.keys("clusters").names == HUGE


def test_decimals_with_fractions_are_numbers() -> None:
    wide = pa.array([Decimal(2**60) + Decimal(i % 3) / 4 for i in range(N)], pa.decimal128(25, 2))
    names = {place: te.read(PLACES[place](table_of(g=wide)), by="g").keys("slices").names for place in OF_DECIMALS}
    assert set(names.values()) == {(2**60,)}


@pytest.mark.parametrize("whole", [True, False], ids=["rows", "queries"])
def test_decimals_of_no_declared_scale_keep_their_digits_in_postgres(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trueerror.sources.engines._narwhals.WHOLE_BYTES", (1 << 25) * whole)
    server = postgres()
    server.raw_sql(
        f"CREATE TEMPORARY TABLE decimals AS SELECT i % 2 AS truth, i % 2 AS a, {HUGE[0]}::numeric + i % 3 AS g, "
        f"(i % 3)::numeric / 4 AS h FROM generate_series(0, {N - 1}) i"
    ).close()
    try:
        rows = server.table("decimals")
        assert te.read(rows, truth="truth", models=["a"], cluster="g").keys("clusters").names == HUGE
        assert te.read(rows, truth="truth", models=["a"], cluster="h").keys("clusters").names == ("0.0", "0.25", "0.5")
    finally:
        server.raw_sql("DROP TABLE decimals").close()


@pytest.mark.parametrize("place", PLACES)
def test_floats_beyond_all_integers_have_one_spelling(place: str) -> None:
    scored = {"a": [0.2, 0.7] * (N // 2), "b": [0.6, 0.7] * (N // 2), "g": [0.0, 1e20, 2e20] * (N // 3)}
    rows = PLACES[place](pa.table({"truth": [0, 1] * (N // 2), **scored}))
    names = ("0.0", "1e+20", "2e+20")
    assert te.read(rows, by="g").keys("slices").names == names
    assert tuple(te.compare(rows, by="g").slices) == names
    assert tuple(te.evaluate(rows, by="g", metrics=["accuracy"]).slices) == names
    labelled = PLACES[place](table_of(g=scored["g"]))
    assert te.read(labelled, by="g").keys("slices").names == names


@pytest.mark.parametrize("place", PLACES)
def test_floats_beyond_all_integers_are_no_labels(place: str) -> None:
    floats = [1e20, 2e20] * (N // 2)
    with pytest.raises(InputError, match="beyond all whole numbers of 64 bits"):
        te.read(PLACES[place](pa.table({"truth": floats, "a": floats})))


def test_infinity_is_no_large_label() -> None:
    with pytest.raises(InputError, match="inf: labels are text"):
        plain_label(float("inf"))


@pytest.mark.parametrize("place", [name for name in PLACES if name != "relation"])
def test_durations_have_one_spelling(place: str) -> None:
    lasting = [datetime.timedelta(days=-i % 2, seconds=1, microseconds=i % 2 * 500_000) for i in range(N)]
    rows = PLACES[place](table_of(g=pa.array(lasting, pa.duration("us")), gaps=pa.array([None, *lasting[1:]])))
    p = te.read(rows, by="g", models=["a"])
    assert p.keys("slices").names == ("0:00:01", "1 day, 0:00:01.500000")
    assert p.slice("0:00:01").n == N // 2
    with_gaps = te.read(rows, by="gaps", models=["a"])
    assert with_gaps.keys("slices").names == ("0:00:01", "1 day, 0:00:01.500000", "missing")
    assert with_gaps.slice("missing").n == 1


@pytest.mark.parametrize("missing", ["wrong", "drop"])
@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]", "Int8", "uint8[pyarrow]", "boolean", "Float64"])
def test_gaps_in_nullable_labels_are_gaps_in_dask(kind: str, missing: Any) -> None:
    labels = pd.Series([0, 1, None] * (N // 3), dtype=kind)
    frame = pd.DataFrame({"truth": [0, 1] * (N // 2), "a": labels})
    of_pandas, of_dask = (
        te.read(rows, missing=missing, models=["a"]).confusion("a")
        for rows in (frame, dd.from_pandas(frame, npartitions=3))
    )
    assert of_dask.matrix.tolist() == of_pandas.matrix.tolist()


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("values", [[0, 1], [0.2, 0.7], [True, False], [0, 1, None]])
def test_categories_are_their_values_in_dask(values: list[Any], known: bool) -> None:
    column = (values * N)[:N]
    frame = pd.DataFrame({"truth": pd.Categorical([0, 1] * (N // 2)), "a": pd.Categorical(column)})
    lazy = dd.from_pandas(frame, npartitions=3)
    if not known:
        lazy = lazy.assign(a=lazy["a"].cat.as_unknown())
    of_pandas, of_dask = (te.read(rows, missing="drop") for rows in (frame, lazy))
    assert of_dask.labels == of_pandas.labels == (0, 1)
    assert of_dask.has_scores("a") == of_pandas.has_scores("a")
    assert of_dask.confusion("a").matrix.tolist() == of_pandas.confusion("a").matrix.tolist()


def test_columns_of_dask_may_be_numbered() -> None:
    frame = pd.DataFrame({0: [0, 1] * (N // 2), 1: [0, 1] * (N // 2)})
    assert te.read(dd.from_pandas(frame, npartitions=2), truth="0").models == ("1",)


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_fractions_where_dask_expects_whole_numbers_are_refused(tmp_path: Path) -> None:
    write = pytest.importorskip("pyarrow.parquet").write_table
    for name, scores in (("a", [0, 1]), ("b", [0.2, 0.7])):
        write(pa.table({"truth": [0, 1] * 30, "m": scores * 30}), tmp_path / f"{name}.parquet")
    rows = dd.read_parquet(tmp_path)
    with pytest.raises(InputError, match=r"column 'm' is whole numbers, as Dask was told.*astype"):
        te.read(rows)
    assert te.read(rows.astype({"m": "float64"})).has_scores("m")


def test_views_of_text_are_text() -> None:
    labels = pd.Series(["x", "y", None] * (N // 3)).astype(pd.ArrowDtype(pa.string_view()))
    p = te.predictions(["x", "y"] * (N // 2), {"m": labels}, missing="drop")
    assert p.labels == ("x", "y")
    assert p.absent("m") == N // 3


def test_a_panic_of_polars_is_an_error_in_words(tmp_path: Path) -> None:
    moments = pa.array([1] * N, pa.timestamp("ms", "+05:30"))
    pytest.importorskip("pyarrow.parquet").write_table(table_of(seen=moments), path := tmp_path / "zone.parquet")
    try:
        pl.scan_parquet(path).collect_schema()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
    else:
        pytest.skip("this polars knows the zone")
    with pytest.raises(InputError, match=r"polars could not answer: .*time zone: '\+05:30'"):
        te.read(pl.scan_parquet(path))


def refuse(*_: object) -> None:
    raise AssertionError("rows were fetched")


@pytest.mark.parametrize("place", ["lazy", "relation", "dask"])
def test_slices_are_counted_without_their_rows(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, N)
    scores = {name: np.round(rng.random(N), 3) for name in "ab"}
    table = pa.table({"truth": truth, **scores, "site": rng.choice(["x", "y", "z"], N)})
    expected = te.evaluate(table, by="site", metrics=["accuracy"])
    rows = te.read(PLACES[place](table), by="site")
    monkeypatch.setattr(EngineTable, "pulled", refuse)
    sliced = te.evaluate(rows, metrics=["accuracy"])
    assert {name: str(part) for name, part in sliced.slices.items()} == {
        name: str(part) for name, part in expected.slices.items()
    }
    array = te.read(table, by="site")
    for site in "xyz":
        assert rows.slice(site).score_range("a") == array.slice(site).score_range("a")


def test_the_ranges_of_slices_have_sums_of_class_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    table = pa.table(
        {
            "truth": rng.choice(["u", "v", "w"], N),
            **{f"m_{label}": scores for label, scores in zip("uvw", rng.dirichlet([1, 1, 1], N).T, strict=True)},
            "site": rng.choice(["x", "y"], N),
        }
    )
    of_rows, of_engine = (te.read(rows, by="site") for rows in (table, relation(table)))
    monkeypatch.setattr(EngineTable, "pulled", refuse)
    for site in "xy":
        assert of_engine.slice(site).score_range("m") == pytest.approx(of_rows.slice(site).score_range("m"))
