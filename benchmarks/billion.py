"""A billion rows of two models in one Parquet file, through the command line: `python -m benchmarks.billion`.

DuckDB makes the rows (`--rows 1e7` for fewer; a billion take 8.4 GB of disk), a label and a score of 32 bits a model.
Each question is asked in a process of its own, whose CPU time and largest memory are the figures; beside them what
it takes to stream the same columns out of DuckDB and throw them away.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

ASKED = {
    "accuracy": (["--metric", "accuracy"], "truth, a, b"),
    "AUC, --budget 500MB": (["--metric", "auc", "--budget", "500MB"], "truth, a_score, b_score"),
    "Brier score": (["--metric", "brier"], "truth, a_score, b_score"),
}
STREAM = """
import sys, duckdb
made = duckdb.connect().sql(f"SELECT {sys.argv[2]} FROM read_parquet('{sys.argv[1]}')")
for batch in made.to_arrow_reader(1_000_000):
    pass
"""


def drawn(path: Path, rows: int) -> None:
    """Truth that is 1 in 30 % of the rows, and two models whose scores lean towards it by more and by less."""
    noise = "(hash(i + {k}) % 1000003)::FLOAT / 1000003"
    scores = ", ".join(
        f"({pull} * (hash(i) % 10 < 3)::INT + {1 - pull} * {noise.format(k=k)})::FLOAT AS {name}_score"
        for name, pull, k in (("a", 0.30, 10**12), ("b", 0.25, 2 * 10**12))
    )
    labels = ", ".join(f"({name}_score >= 0.5)::TINYINT AS {name}" for name in ("a", "b"))
    duckdb.connect().execute(
        f"COPY (SELECT truth, {labels}, a_score, b_score FROM (SELECT (hash(i) % 10 < 3)::TINYINT AS truth, {scores} "
        f"FROM range({rows}) t(i))) TO '{path}' (FORMAT parquet)"
    )


def used(command: list[str]) -> tuple[float, float]:
    """CPU seconds and largest memory (GB) of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, usage.ru_maxrss / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--folder", type=Path, help="where the file lies while it is needed (default: a temporary one)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "rows.parquet"
        drawn(path, int(asked.rows))
        print(f"{int(asked.rows):,} rows, {path.stat().st_size / 1e9:.2f} GB of Parquet")
        for name, (options, columns) in ASKED.items():
            ours, memory = used([sys.executable, "-m", "trueerror", "compare", str(path), *options])
            stream, _ = used([sys.executable, "-c", STREAM, str(path), columns])
            print(
                f"{name}: {ours:.1f} s of CPU, {memory:.2f} GB; streaming the columns {stream:.1f} s; "
                f"ratio {ours / stream:.1f}"
            )


if __name__ == "__main__":
    main()
