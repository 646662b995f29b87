"""The same columns as lazy tables of every engine that the tests know."""

from __future__ import annotations

import functools
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest

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
