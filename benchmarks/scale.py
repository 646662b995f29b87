"""Large files: what comparing three models takes beside merely reading their columns, and in PostgreSQL and Spark.

python -m benchmarks.scale make ROWS PATH      # writes the rows: a label and the scores of three models
python -m benchmarks.scale stream PATH         # reads them out of DuckDB and throws them away
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from benchmarks import servers
from benchmarks.measuring import Row, cpu_seconds, cpu_side_by_side, row, side_by_side, skipped, timed

MODELS = ("a", "b", "c")
# What streaming and comparing both have to read.
COLUMNS = ("truth", *MODELS)
STREAM = "streaming the columns out of DuckDB"


def make(rows: int, path: Path) -> None:
    """Rows by hashing their numbers, so that they are the same on every machine and for any number of threads."""
    import duckdb

    def uniform(salt: int) -> str:
        return f"((hash(i * 4 + {salt}) >> 11)::DOUBLE + 0.5) / 9007199254740992.0"

    noise = [f"ln({u} / (1 - {u}))" for u in (uniform(s) for s in range(3))]
    shifts = {"a": f"2.0 * up + {noise[0]}", "b": f"1.9 * up + {noise[1]}"}
    shifts["c"] = f"1.5 * up + 0.5 * {noise[0]} + 0.5 * {noise[1]}"
    scores = ", ".join(f"1 / (1 + exp(-({s}))) AS {m}" for m, s in shifts.items())
    up = f"({uniform(3)} < 0.3)::TINYINT"
    half = path.with_suffix(".part")
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(
        f"COPY (SELECT t AS truth, {scores} FROM (SELECT i, {up} AS t, {up} - 0.5 AS up FROM range({rows}) r(i))) "
        f"TO '{half}' (FORMAT parquet)"
    )
    half.rename(path)


def made(rows: int) -> Path:
    """The file of so many rows, made once."""
    path = Path(tempfile.gettempdir()) / f"trueerror-benchmark-{rows}.parquet"
    if not path.exists():
        make(rows, path)
    return path


def stream(path: Path) -> int:
    """All batches of the columns, read and thrown away."""
    import duckdb

    from trueerror.sources.engines._arrow_stream import batches

    kinds = [np.int8, *[np.float64] * len(MODELS)]
    rows = 0
    for batch in batches(duckdb.connect().sql(f"SELECT {', '.join(COLUMNS)} FROM '{path}'"), kinds):
        rows += len(batch.columns[0])
        batch.release()
    return rows


def process(*command: str) -> tuple[float, float, str]:
    """Wall seconds and peak megabytes of a process, and what it printed."""
    with tempfile.TemporaryFile("w+") as out:
        started = time.perf_counter()
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, *command],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
        )
        _, status, used = os.wait4(pid, 0)
        seconds = time.perf_counter() - started
        if os.waitstatus_to_exitcode(status):
            raise RuntimeError(f"{' '.join(command[:4])} ended with {os.waitstatus_to_exitcode(status)}")
        out.seek(0)
        return seconds, used.ru_maxrss / 1024, out.read()


def compared(metric: str, rows: int, rounds: int) -> tuple[float, float, float, dict[str, Any]]:
    """Seconds of ours and of streaming, in turns, the best of each; our peak memory; our answer."""
    path = str(made(rows))
    ours, theirs, memory = [], [], 0.0
    for _ in range(rounds):
        theirs.append(process("-m", "benchmarks.scale", "stream", path)[0])
        seconds, peak, text = process(
            "-m", "trueerror", "compare", path, "--metric", metric, "--positive", "1", "--format", "json"
        )
        ours.append(seconds)
        memory = max(memory, peak)
    return min(ours), min(theirs), memory, json.loads(text)


def _load() -> str:
    return f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; memory is the whole process's"


def _compared_case(metric: str, title: str, quick: bool, exact: str | None, within: float) -> Row:
    """Three models in a file, judged by a metric; `exact` is what DuckDB computes of a model {m} for each row."""
    import duckdb

    rows = 2_000_000 if quick else 100_000_000
    ours, theirs, memory, found = compared(metric, rows, 3 if quick else 2)
    truth = None
    if exact is not None:
        means = ", ".join(f"avg({exact.format(m=m)})" for m in MODELS)
        truth = [float(x) for x in duckdb.sql(f"SELECT {means} FROM '{made(rows)}'").fetchall()[0]]
    elif rows <= 10_000_000:
        whole = te.compare(te.read(made(rows), budget="64GB"), metric=metric)
        truth = [whole.estimates[m].estimate for m in MODELS]
    estimates = _estimates(found)
    pairs = zip(MODELS, truth or (), strict=False)
    agree = None if truth is None else all(abs(estimates[m] - x) <= within for m, x in pairs)
    return row(
        f"trueerror compare, 3 models in Parquet, {rows:,} rows: {title}", ours_s=ours, peer=STREAM, peer_s=theirs,
        slower=None if quick else 4, megabytes=2000, memory_mb=memory, agree=agree, note=_load(),
    )  # fmt: skip


def case_compare_accuracy(quick: bool) -> Row:
    return _compared_case("accuracy", "accuracy", quick, "(({m} >= 0.5)::TINYINT = truth)::INT", 1e-12)


def case_compare_auc(quick: bool) -> Row:
    return _compared_case("auc", "AUC", quick, None, 1e-4)


def case_compare_brier(quick: bool) -> Row:
    return _compared_case("brier", "Brier score", quick, "({m} - truth) * ({m} - truth)", 1e-10)


def case_compare_log_loss(quick: bool) -> Row:
    loss = "-ln(CASE WHEN truth = 1 THEN {m} ELSE 1 - {m} END)"
    return _compared_case("log_loss", "log loss", quick, loss, 1e-10)


def grouped(rows: int) -> Path:
    """A file of labels of three models, 101 slices and 100,000 clusters, made once."""
    import duckdb

    path = Path(tempfile.gettempdir()) / f"trueerror-benchmark-groups-{rows}.parquet"
    if not path.exists():
        calls = ", ".join(
            f"CASE WHEN hash(i * 8 + {k}) % 1000 < {900 - 10 * k} THEN t ELSE 1 - t END::TINYINT AS {m}"
            for k, m in enumerate(MODELS)
        )
        truth = "(hash(i * 8 + 4) % 10 < 3)::TINYINT AS t"
        keys = "(hash(i * 8 + 5) % 101)::INT AS slice, (hash(i * 8 + 6) % 100000)::INT AS cluster"
        half = path.with_suffix(".part")
        duckdb.sql(
            f"COPY (SELECT t AS truth, {calls}, {keys} FROM (SELECT i, {truth} FROM range({rows}) r(i))) "
            f"TO '{half}' (FORMAT parquet)"
        )
        half.rename(path)
    return path


def _grouped_case(title: str, key: str, quick: bool, ours: Callable[[Path], Any]) -> Row:
    """CPU seconds of a verb over groups of rows, beside the one scan of these columns without which nobody answers."""
    import duckdb

    rows = 1_000_000 if quick else 30_000_000
    path = grouped(rows)
    sums = f"SELECT {', '.join(f'sum({c})' for c in (*COLUMNS, key))} FROM '{path}'"
    groups = f"SELECT {', '.join(COLUMNS)}, {key}, count(*) FROM '{path}' GROUP BY ALL"
    mine, scan = cpu_side_by_side(lambda: ours(path), lambda: duckdb.sql(sums).fetchall(), rounds=3)
    grouping = cpu_seconds(lambda: duckdb.sql(groups).fetchnumpy())
    return row(
        f"{title}, {rows:,} rows in a file", ours_s=mine, peer="a DuckDB scan that sums each column", peer_s=scan,
        slower=None if quick else 5, note=f"CPU seconds; one GROUP BY of these columns takes {grouping:.2f} s",
    )  # fmt: skip


def case_slices(quick: bool) -> Row:
    return _grouped_case(
        "te.evaluate of 3 models by 101 slices", "slice", quick,
        lambda path: te.evaluate(te.read(path, truth="truth", models=list(MODELS), by="slice", cluster=False)),
    )  # fmt: skip


def case_clusters(quick: bool) -> Row:
    return _grouped_case(
        "te.compare of 3 models, 100,000 clusters", "cluster", quick,
        lambda path: te.compare(te.read(path, truth="truth", models=list(MODELS), cluster="cluster")),
    )  # fmt: skip


def _estimates(found: dict[str, Any]) -> dict[str, float]:
    return {model: float(interval["estimate"]) for model, interval in found["estimates"].items()}


def case_binned_bounds(quick: bool) -> Row:
    """Binned on purpose, beside the exact areas: the bounds must hold."""
    rows = 500_000 if quick else 10_000_000
    path = made(rows)
    exact_s, exact = timed(lambda: te.compare(te.read(path, budget="64GB"), metric="auc"))
    binned_s, binned = timed(lambda: te.compare(te.read(path, budget="20MB"), metric="auc"))
    agree = all(
        b.low <= e.low and e.high <= b.high and abs(b.estimate - e.estimate) < 1e-4
        for b, e in zip(binned.pairs, exact.pairs, strict=True)
    )
    return row(
        f"paired AUC of 3 models, {rows:,} rows, binned with bounds (budget 20 MB)", ours_s=binned_s,
        peer="the same exactly", peer_s=exact_s, agree=agree,
    )  # fmt: skip


def case_fifty_models_in_a_file(quick: bool) -> Row:
    import duckdb

    rows, models = 200_000 if quick else 5_000_000, 50
    path = Path(tempfile.gettempdir()) / f"trueerror-benchmark-50-models-{rows}.parquet"
    if not path.exists():
        calls = ", ".join(
            f"CASE WHEN hash(i * 64 + {m}) % 10000 < {9000 + 4 * m} THEN t ELSE 1 - t END::TINYINT AS m{m:02d}"
            for m in range(models)
        )
        truth = "(hash(i) % 10 < 3)::TINYINT"
        duckdb.sql(
            f"COPY (SELECT t AS truth, {calls} FROM (SELECT i, {truth} AS t FROM range({rows}) r(i))) TO '{path}'"
        )
    stream_s, _ = timed(
        lambda: duckdb.sql(f"SELECT {', '.join(f'sum(m{m:02d})' for m in range(models))} FROM '{path}'").fetchall()
    )
    ours_s, found = timed(lambda: te.compare(te.read(path)))
    first, second = found.pairs[0].first, found.pairs[0].second
    difference = duckdb.sql(
        f"SELECT avg(({first} = truth)::INT) - avg(({second} = truth)::INT) FROM '{path}'"
    ).fetchall()
    agree = abs(found.pairs[0].estimate - difference[0][0]) < 1e-12
    return row(
        f"all 1,225 pairs of 50 models in a Parquet file, {rows:,} rows, one scan", ours_s=ours_s,
        peer="a DuckDB scan that sums each column", peer_s=stream_s, agree=agree,
    )  # fmt: skip


@functools.cache
def postgres(rows: int) -> tuple[servers.Server, Any] | str:
    """A table of a label and three scores in a PostgreSQL server of its own; in words what is not installed."""
    server = servers.postgres()
    if isinstance(server, str):
        return server
    engine = server.engine
    noise = [f"ln(u{i} / (1 - u{i}))" for i in range(2)]
    shifts = (f"2.0 * up + {noise[0]}", f"1.9 * up + {noise[1]}", f"1.5 * up + 0.5 * {noise[0]} + 0.5 * {noise[1]}")
    scores = ", ".join(f"1 / (1 + exp(-({s}))) AS {m}" for m, s in zip(MODELS, shifts, strict=True))
    drawn = ", ".join(f"0.00005 + 0.9999 * random() AS u{i}" for i in range(2))
    engine.con.execute("SELECT setseed(0.5)")
    engine.con.execute(
        f"CREATE TABLE judged AS SELECT (up > 0)::int AS truth, {scores} FROM "
        f"(SELECT (random() < 0.3)::int - 0.5 AS up, {drawn} FROM generate_series(1, {rows})) AS r"
    )
    engine.con.execute("VACUUM ANALYZE judged")
    return server, engine.table("judged")


def _postgres_case(metric: str, title: str, quick: bool) -> Row:
    """Wall seconds of a comparison in a server, beside those of its own scan of the same columns."""
    rows = 40_000 if quick else 400_000
    name = f"te.compare of 3 models in PostgreSQL, {rows:,} rows: {title}"
    found = postgres(rows)
    if isinstance(found, str):
        return skipped(name, found)
    server, table = found

    def sums() -> Any:
        query = f"SELECT {', '.join(f'sum({c})' for c in COLUMNS)} FROM judged"
        # A prepared query would keep its plan when the settings change.
        return server.engine.con.execute(query, prepare=False).fetchone()

    def compared() -> Any:
        return te.compare(te.read(table, truth="truth"), metric=metric)

    def cpu_ms(call: Callable[[], Any]) -> tuple[float, float]:
        """Of ten calls, each: here and in the server."""
        before = time.process_time(), server.cpu_seconds()
        for _ in range(10):
            call()
        return (time.process_time() - before[0]) * 100, (server.cpu_seconds() - before[1]) * 100

    sums()
    ours, scan, answer, _ = side_by_side(compared, sums, rounds=10, inner=1)
    whole = {c: table.select(c).to_pyarrow()[c].to_numpy() for c in COLUMNS}
    in_memory = functools.partial(te.compare, whole["truth"], scores={m: whole[m] for m in MODELS}, metric=metric)
    truth = in_memory()
    agree = all(abs(answer.estimates[m].estimate - truth.estimates[m].estimate) < 1e-10 for m in MODELS)
    (here, there), (_, of_scan) = cpu_ms(compared), cpu_ms(sums)
    cpu = f"CPU time {here:.0f} ms here and {there:.0f} ms in the server, that of the scan {of_scan:.0f} ms"
    server.engine.con.execute("SET max_parallel_workers_per_gather = 0")
    alone = min(timed(sums)[0] for _ in range(10))
    server.engine.con.execute("RESET max_parallel_workers_per_gather")
    cpu += f", which takes one process {alone * 1000:.0f} ms by the clock"
    cpu += f"; the same rows in memory {min(timed(in_memory)[0] for _ in range(10)) * 1000:.0f} ms by the clock"
    return row(
        name, ours_s=ours, peer="the server's own sequential scan", peer_s=scan, slower=None if quick else 3,
        agree=agree, note=f"{cpu}; {_load()}",
    )  # fmt: skip


def case_postgres_accuracy(quick: bool) -> Row:
    return _postgres_case("accuracy", "accuracy", quick)


def case_postgres_auc(quick: bool) -> Row:
    return _postgres_case("auc", "AUC", quick)


def case_postgres_brier(quick: bool) -> Row:
    return _postgres_case("brier", "Brier score", quick)


def case_spark(quick: bool) -> Row:
    """The same rows in Spark's local mode: the same numbers as DuckDB's."""
    rows = 100_000 if quick else 20_000_000
    name = f"PySpark local mode, {rows:,} rows: accuracy and AUC of 3 models"
    if find_spec("pyspark") is None or not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        return skipped(name, "PySpark and Java")
    from pyspark.sql import SparkSession

    path = made(rows)
    builder = SparkSession.builder.master(f"local[{os.cpu_count()}]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.memory", "4g").config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()

    def both(source: Any) -> tuple[Any, Any]:
        p = te.read(source, budget="100MB")
        return [p.confusion(m) for m in MODELS], [p.scores(m) for m in MODELS]

    theirs_s, (counts, tables) = timed(lambda: both(path))
    ours_s, (spark_counts, spark_tables) = timed(lambda: both(session.read.parquet(str(path))))
    session.stop()
    agree = all(a.matrix.tolist() == b.matrix.tolist() for a, b in zip(counts, spark_counts, strict=True))
    for a, b in zip(tables, spark_tables, strict=True):
        (low, high), (lowest, highest) = a.bounds.auc(), b.bounds.auc()
        # The bins differ, so the bounds must overlap: both hold the exact area.
        agree &= max(low, lowest) <= min(high, highest) and (a.n_positive, a.n_negative) == (b.n_positive, b.n_negative)
    return row(name, ours_s=ours_s, peer="DuckDB, the same rows", peer_s=theirs_s, agree=bool(agree))


def case_torchmetrics(quick: bool) -> Row:
    rows = 1_000_000 if quick else 10_000_000
    name = f"AUC, {rows:,} rows in memory"
    if find_spec("torchmetrics") is None:
        return skipped(name, "torchmetrics")
    import torch
    from torchmetrics.functional.classification import binary_auroc

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, rows)
    scores = 1 / (1 + np.exp(-(rng.standard_normal(rows) + truth)))
    ours_s, ours = timed(lambda: te.metric("auc", truth, scores=scores))
    tensors = torch.from_numpy(scores), torch.from_numpy(truth)
    peer_s, theirs = timed(lambda: float(binary_auroc(*tensors)))
    return row(name, ours_s=ours_s, peer="torchmetrics", peer_s=peer_s, agree=abs(ours - theirs) < 1e-5)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), Path(sys.argv[3]))
    elif sys.argv[1] == "stream":
        print(stream(Path(sys.argv[2])))
