"""The run store: a manifest, a log for each worker, and Parquet parts made of logs.

Killing a run loses at most the tasks in flight: a record is out of its worker before the next task begins. A part is
complete before its logs are deleted, and a task that is found twice counts once, so dying between the two does no harm.

Logs become Parquet: one row for each task, its predictions as lists, written and read by DuckDB.

The name of a part holds a digest of its bytes, so a damaged part is known for what it is.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from trueerror.experiments._records import (
    NAME,
    LocalFolder,
    Manifest,
    Outcome,
    Task,
    Writer,
    open_folder,
    read_manifest,
    read_outcomes,
    reconcile,
)
from trueerror.inputs._options import InputError
from trueerror.sources.engines._duckdb_tables import quoted

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


PART = re.compile(r"part-(\d{6})-([0-9a-f]{16})\.parquet")
LOG = re.compile(r"log-.*\.tel(\.\d+)?")
logger = logging.getLogger("trueerror")


class Store:
    """An open store; only one run has it open at a time."""

    def __init__(self, location: str | os.PathLike[str], manifest: Manifest) -> None:
        self.folder = open_folder(location)
        self.location = self.folder.location
        self._lock: Any = None
        names = self.folder.names()
        if names and NAME not in names:
            raise InputError(
                f"the folder {self.location} holds other files ({names[0]!r}) and no manifest; give a new folder"
            )
        self._take_lock()
        try:
            if NAME in names:
                known = read_manifest(self.folder.read(NAME), self.location)
                manifest = reconcile(known, manifest, self.location)
                if manifest != known:
                    self.folder.write(NAME, manifest.to_json())
            else:
                self.folder.write(NAME, manifest.to_json())
        except BaseException:
            self.close()
            raise
        self.manifest = manifest
        self.damaged = 0

    @property
    def local(self) -> bool:
        """Whether every process of this machine sees the same folder."""
        return isinstance(self.folder, LocalFolder)

    def load(self) -> dict[Task, Outcome]:
        """Every finished task. Logs of earlier runs become one Parquet part; damaged records are left to be redone."""
        found: dict[Task, Outcome] = {}
        self.damaged = 0
        for name in self.folder.names():
            if match := PART.fullmatch(name):
                # Parts come in the order of their numbers, so the newest has the last word.
                found.update((outcome.task, outcome) for outcome in self._read_part(name, match[2]))
        for outcome in self._read_logs():
            if outcome.task not in found or _had_more_time(outcome, found[outcome.task]):
                found[outcome.task] = outcome
        return found

    def compact(self, *, forget_failed: bool = False) -> dict[Task, Outcome]:
        """Everything that is finished, as one Parquet part; the logs and older parts go. No worker may be writing.

        Failed tasks can be forgotten, so that they are done again.
        """
        old = [n for n in self.folder.names() if PART.fullmatch(n) or LOG.fullmatch(n)]
        every = self.load()
        found = {t: o for t, o in every.items() if not (forget_failed and o.status == "failed")}
        parts = [n for n in old if PART.fullmatch(n)]
        if found and (len(parts) != 1 or len(old) > 1 or self.damaged or len(found) < len(every)):
            ordered = [found[task] for task in sorted(found)]
            content = to_parquet(ordered)
            number = 1 + max((int(PART.fullmatch(n)[1]) for n in parts), default=0)  # type: ignore[index]
            name = f"part-{number:06d}-{digest(content)}.parquet"
            self.folder.write(name, content)
        else:
            name = ""
        if name or not found:
            for stale in old:
                self.folder.delete(stale)
        return found

    def writer(self) -> Writer:
        """A log for this process."""
        return Writer(self.location)

    def _read_part(self, name: str, expected: str) -> list[Outcome]:
        import duckdb

        content = self.folder.read(name)
        try:
            if digest(content) == expected:
                return from_parquet(content)
        except (duckdb.Error, ValueError, KeyError, TypeError):
            pass
        self.damaged += 1
        logger.warning("%s in the store %s is damaged: its tasks are done again", name, self.location)
        return []

    def _read_logs(self) -> list[Outcome]:
        outcomes = []
        for name in self.folder.names():
            if LOG.fullmatch(name):
                found, damaged = read_outcomes(self.folder.read(name))
                outcomes += found
                self.damaged += damaged
                if damaged:
                    logger.info("%s has %d damaged records: their tasks are done again", name, damaged)
        return outcomes

    def _take_lock(self) -> None:
        """Two runs in one store would do the same work twice; on a folder of this machine the second is refused."""
        if not self.local:
            return
        with suppress(ImportError):
            import fcntl

            Path(self.location).mkdir(parents=True, exist_ok=True)
            self._lock = (Path(self.location) / ".lock").open("w")
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self.close()
                raise InputError(
                    f"another run is using the store {self.location}; wait for it to end, or use another folder"
                ) from None
        for draft in Path(self.location).glob(".*.draft"):
            draft.unlink(missing_ok=True)

    def close(self) -> None:
        """Let another run have the store."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _had_more_time(new: Outcome, old: Outcome) -> bool:
    """Whether a task that ran out of time was done again with more of it."""
    return old.status == "timeout" and (new.status != "timeout" or (new.limit or 0) > (old.limit or 0))
