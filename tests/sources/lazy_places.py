"""The same columns as lazy tables of every engine that the tests know."""

from __future__ import annotations

import functools
import os
import shutil
import sqlite3
import uuid
from pathlib import Path
from typing import Any

import pytest

from benchmarks import servers

Columns = dict[str, list[Any]]


def polars_lazy(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(columns).lazy()


def duckdb_relation(columns: Columns, folder: Path) -> Any:
    import duckdb

    return duckdb.connect().from_parquet(str(_parquet(columns, folder)))


def ibis_table(columns: Columns, folder: Path) -> Any:
    ibis = pytest.importorskip("ibis")
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE counted AS SELECT * FROM read_parquet('{_parquet(columns, folder)}')")
    return ibis.duckdb.from_connection(connection).table("counted")


def spark_table(columns: Columns, folder: Path) -> Any:
    return spark().read.parquet(str(_parquet(columns, folder))).cache()


def sqlite_table(columns: Columns, folder: Path) -> Any:
    ibis = pytest.importorskip("ibis")
    path = folder / f"{uuid.uuid4().hex}.db"
    with sqlite3.connect(path) as made:
        _filled(made.cursor(), columns, {bool: "boolean", int: "integer", float: "real", str: "text"}, "?")
    made.close()
    return ibis.sqlite.connect(path).table("counted")


def postgres_table(columns: Columns, folder: Path) -> Any:
    connection = postgres()
    kinds = {bool: "boolean", int: "bigint", float: "double precision", str: "text"}
    with connection.con.transaction(), connection.con.cursor() as cursor:
        _filled(cursor, columns, kinds, "%s", name := uuid.uuid4().hex)
    return connection.table(name)


def _filled(cursor: Any, columns: Columns, kinds: dict[type, str], mark: str, name: str = "counted") -> None:
    """A new table with these columns."""
    quoted = {c: '"' + c.replace('"', '""') + '"' for c in columns}
    types = {c: kinds[type(next(v for v in values if v is not None))] for c, values in columns.items()}
    cursor.execute(f'CREATE TABLE "{name}" ({", ".join(f"{quoted[c]} {types[c]}" for c in columns)})')
    rows = list(zip(*columns.values(), strict=True))
    cursor.executemany(f'INSERT INTO "{name}" VALUES ({", ".join([mark] * len(columns))})', rows)


def arrow_dataset(columns: Columns, folder: Path) -> Any:
    return pytest.importorskip("pyarrow.dataset").dataset(str(_parquet(columns, folder)))


def dask_frame(columns: Columns, folder: Path) -> Any:
    frames = pytest.importorskip("dask.dataframe")
    return frames.from_pandas(pytest.importorskip("pandas").DataFrame(columns), npartitions=2)


LAZY = (polars_lazy, duckdb_relation, ibis_table, spark_table)
# What Ibis and Spark say of the versions of DuckDB and pandas under them is not for us to mend.
QUIET = (
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
)
# DuckDB takes names that differ in case only for one name.
BLIND_TO_CASE = (duckdb_relation, ibis_table)


def _parquet(columns: Columns, folder: Path) -> Path:
    path = folder / f"{uuid.uuid4().hex}.parquet"
    pytest.importorskip("polars").DataFrame(columns).write_parquet(path)
    return path


@functools.cache
def spark() -> Any:
    """One Spark in local mode for all tests of this process; where there is no Java, the reason to skip."""
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs Java 17; on Debian: apt-get install default-jre-headless")
    sql = pytest.importorskip("pyspark.sql")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.caseSensitive": "true",
        "spark.driver.memory": "1g",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.log.level": "ERROR",
        # A JVM that lives for a minute: compiling well takes longer than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = sql.SparkSession.builder.master("local[1]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def postgres_log() -> list[str]:
    """The statements that the server was given so far, one a line."""
    text = _server().log.read_text(encoding="utf-8")
    return [part.replace("\n", " ") for part in text.split(" LOG:  ") if part.startswith(("statement", "execute"))]


def postgres() -> Any:
    """A connection of Ibis to one PostgreSQL server for all tests of this process; where there is none, why not."""
    return _server().engine


@functools.cache
def _server() -> servers.Server:
    server = servers.postgres("log_statement=all")
    if isinstance(server, str):
        pytest.skip(f"not installed: {server}")
    return server
