"""Logs become Parquet: one row for each task, its predictions as lists, written and read by DuckDB.

The name of a part holds a digest of its bytes, so a damaged part is known for what it is.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trueerror.experiments.outcomes import Outcome, Task
from trueerror.rows.sqltext import quoted

COLUMNS = (
    "data", "learner", "split", "status", "columns", "fit_seconds", "predict_seconds", "limit_seconds",
    "warnings", "error", "trace",
)  # fmt: skip


def digest(content: bytes) -> str:
    """What the name of a part says of its content."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def to_parquet(outcomes: Sequence[Outcome]) -> bytes:
    """Outcomes as the bytes of a Parquet file."""
    import duckdb

    heads: dict[str, Any] = {
        "number": np.arange(len(outcomes)),
        "data": np.array([o.task.data for o in outcomes], dtype=np.int32),
        "learner": np.array([o.task.learner for o in outcomes], dtype=np.int32),
        "split": np.array([o.task.split for o in outcomes], dtype=np.int32),
        "status": _texts([o.status for o in outcomes]),
        "columns": np.array([0 if o.scores is None else o.scores.shape[1] for o in outcomes], dtype=np.int32),
        "fit_seconds": np.array([o.fit_seconds for o in outcomes]),
        "predict_seconds": np.array([o.predict_seconds for o in outcomes]),
        "limit_seconds": np.array([-1.0 if o.limit is None else o.limit for o in outcomes]),
        "warnings": _texts([json.dumps(list(o.warnings)) for o in outcomes]),
        "error": _texts([o.error for o in outcomes]),
        "trace": _texts([o.trace for o in outcomes]),
    }
    connection = duckdb.connect(":memory:")
    with tempfile.TemporaryDirectory(prefix="trueerror-") as workshop:
        path = Path(workshop) / "part.parquet"
        connection.register("heads", heads)
        connection.register("called", _flat(outcomes, "label", [o.labels for o in outcomes]))
        values = [np.zeros(0) if o.scores is None else o.scores.reshape(-1) for o in outcomes]
        connection.register("scored", _flat(outcomes, "score", values))
        called = "SELECT number, list(label ORDER BY place) AS labels FROM called GROUP BY number"
        scored = "SELECT number, list(score ORDER BY place) AS scores FROM scored GROUP BY number"
        connection.execute(
            f"COPY (SELECT {', '.join(COLUMNS)}, coalesce(labels, []) AS labels, coalesce(scores, []) AS scores "
            f"FROM heads LEFT JOIN ({called}) USING (number) LEFT JOIN ({scored}) USING (number) ORDER BY number) "
            f"TO {quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)"
        )
        connection.close()
        return path.read_bytes()


def from_parquet(content: bytes) -> list[Outcome]:
    """The outcomes in the bytes of a Parquet file."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="trueerror-") as workshop:
        path = Path(workshop) / "part.parquet"
        path.write_bytes(content)
        source = f"read_parquet({quoted(str(path))})"
        connection = duckdb.connect(":memory:")
        connection.execute("SET preserve_insertion_order = true")
        heads = connection.execute(f"SELECT {', '.join(COLUMNS)}, len(labels), len(scores) FROM {source}").fetchall()
        flat = {}
        for column in ("labels", "scores"):
            found = connection.execute(f"SELECT unnest({column}) AS value FROM {source}").fetchnumpy()
            flat[column] = np.asarray(found["value"])
        connection.close()
    outcomes, label_at, score_at = [], 0, 0
    for *head, label_count, score_count in heads:
        at = dict(zip(COLUMNS, head, strict=True))
        scores = None
        if at["columns"]:
            scores = flat["scores"][score_at : score_at + score_count].reshape(-1, at["columns"])
        outcomes.append(
            Outcome(
                task=Task(at["data"], at["learner"], at["split"]),
                status=at["status"],
                labels=flat["labels"][label_at : label_at + label_count].astype("<i4"),
                scores=scores,
                fit_seconds=at["fit_seconds"],
                predict_seconds=at["predict_seconds"],
                warnings=tuple(json.loads(at["warnings"])),
                error=at["error"],
                trace=at["trace"],
                limit=None if at["limit_seconds"] < 0 else at["limit_seconds"],
            )
        )
        label_at, score_at = label_at + label_count, score_at + score_count
    return outcomes


def _flat(outcomes: Sequence[Outcome], name: str, parts: Sequence[Any]) -> dict[str, Any]:
    lengths = [len(p) for p in parts]
    values = np.concatenate(parts) if parts else np.zeros(0)
    return {
        "number": np.repeat(np.arange(len(outcomes)), lengths),
        "place": np.arange(len(values)),
        name: values,
    }


def _texts(values: list[str]) -> Any:
    array = np.empty(len(values), dtype=object)
    # Lone surrogates may come in with the text of an exception; Parquet's text is UTF-8.
    array[:] = [v.encode("utf-8", "replace").decode() for v in values]
    return array
