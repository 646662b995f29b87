"""The outcome of one task (one fit and its test), and how it is written as a record of bytes.

A record is a line of JSON, then the arrays as they lie in memory (little-endian): no pickle, so that a store from a
stranger can do no more than hold wrong numbers.

Where a store lies: a folder on this machine, or any place that fsspec knows by URL.

Object stores cannot append, so there a log is a row of objects, name.000000, name.000001, …; on disk it is one file.

Append-only logs: each record framed by a mark, its length and its checksum, so that damage is found and passed over.

TEr1 | length, 4 bytes | CRC-32 of length and content, 4 bytes | content

The manifest of a store: which plan, data, learners and seed its results are for.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import threading
import time
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.version import __version__

Status = Literal["done", "failed", "timeout"]
STATUSES = ("done", "failed", "timeout")


class Task(NamedTuple):
    """Which fit: numbers of the data set, the learner and the split, in the order of the manifest and of the plan."""

    data: int
    learner: int
    split: int


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """What became of a task. `labels` are codes in the data set's label order; `scores` has a column for each label."""

    task: Task
    status: Status
    labels: NDArray[np.int32]
    scores: NDArray[np.float64] | None = None
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    error: str = ""
    trace: str = ""
    limit: float | None = None

    def same_result(self, other: Outcome) -> bool:
        """Whether the two predict the same, bit for bit, or failed alike; how long it took does not matter."""
        mine, theirs = (
            (o.status, o.labels.tobytes(), b"" if o.scores is None else o.scores.tobytes(), o.error)
            for o in (self, other)
        )
        return mine == theirs


NO_LABELS: NDArray[np.int32] = np.zeros(0, dtype="<i4")


def encode(outcome: Outcome) -> bytes:
    """The record of an outcome."""
    columns = 0 if outcome.scores is None else outcome.scores.shape[1]
    head: dict[str, Any] = {
        "task": list(outcome.task),
        "status": outcome.status,
        "rows": len(outcome.labels),
        "columns": columns,
        "fit": outcome.fit_seconds,
        "predict": outcome.predict_seconds,
    }
    words = {
        "warnings": list(outcome.warnings), "error": outcome.error, "trace": outcome.trace, "limit": outcome.limit,
    }  # fmt: skip
    head |= {key: value for key, value in words.items() if value}
    parts = [json.dumps(head).encode(), b"\n", np.ascontiguousarray(outcome.labels, dtype="<i4").tobytes()]
    if outcome.scores is not None:
        parts.append(np.ascontiguousarray(outcome.scores, dtype="<f8").tobytes())
    return b"".join(parts)


def decode(record: bytes) -> Outcome:
    """The outcome in a record; ValueError where it holds none."""
    end = record.index(b"\n")
    head = json.loads(record[:end])
    rows, columns = int(head["rows"]), int(head["columns"])
    if head["status"] not in STATUSES or len(record) != end + 1 + 4 * rows + 8 * rows * columns:
        raise ValueError("a record of another shape")
    labels = np.frombuffer(record, dtype="<i4", count=rows, offset=end + 1)
    scores = None
    if columns:
        flat = np.frombuffer(record, dtype="<f8", count=rows * columns, offset=end + 1 + 4 * rows)
        scores = flat.reshape(rows, columns)
    return Outcome(
        task=Task(*(int(i) for i in head["task"])),
        status=head["status"],
        labels=labels,
        scores=scores,
        fit_seconds=float(head["fit"]),
        predict_seconds=float(head["predict"]),
        warnings=tuple(head.get("warnings", ())),
        error=head.get("error", ""),
        trace=head.get("trace", ""),
        limit=head.get("limit"),
    )


# A log is forced to the disk at most this often: a dead process loses nothing that it has written, a dead machine
# at most about this much work.
SYNC_SECONDS = 1.0


class Appender(Protocol):
    """The end of a log."""

    def append(self, record: bytes) -> None:
        """Add a record; it is out of this process when the call returns."""
        ...

    def close(self) -> None:
        """No more records."""
        ...


class Folder(Protocol):
    """A flat folder of named files."""

    location: str

    def names(self) -> list[str]:
        """All files, sorted; those that begin with a dot are the folder's own affair."""
        ...

    def read(self, name: str) -> bytes:
        """All of a file."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """A whole file at once: readers see the old one or the new one, never a part."""
        ...

    def delete(self, name: str) -> None:
        """Remove a file; no error where it is gone already."""
        ...

    def appender(self, name: str) -> Appender:
        """A log to append to."""
        ...


def open_folder(location: str | os.PathLike[str]) -> Folder:
    """The folder at a path or URL."""
    text = os.fspath(location)
    if "://" not in text:
        return LocalFolder(Path(text).expanduser().absolute())
    try:
        import fsspec  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise InputError(f"store={text!r} is a URL, which needs fsspec: pip install fsspec, or use a folder") from None
    try:
        system, path = fsspec.core.url_to_fs(text)
    except (ValueError, ImportError) as error:
        raise InputError(f"store={text!r} cannot be opened: {error}") from None
    return RemoteFolder(system, path.rstrip("/"), text)


class LocalFolder:
    """A folder on this machine."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.location = str(path)
        if path.exists() and not path.is_dir():
            raise InputError(f"store={str(path)!r} is a file; give a folder")

    def names(self) -> list[str]:
        if not self.path.is_dir():
            return []
        return sorted(p.name for p in self.path.iterdir() if p.is_file() and not p.name.startswith("."))

    def read(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        draft = self.path / f".{name}.{os.getpid()}.draft"
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / name)

    def delete(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    def appender(self, name: str) -> Appender:
        self.path.mkdir(parents=True, exist_ok=True)
        return LocalLog(self.path / name)


class LocalLog:
    """A log file: each record is one write, and reaches the disk within about a second."""

    def __init__(self, path: Path) -> None:
        self._file: int | None = os.open(
            path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666
        )
        self._synced = time.monotonic()

    def append(self, record: bytes) -> None:
        assert self._file is not None
        left = memoryview(record)
        while left:
            left = left[os.write(self._file, left) :]
        if time.monotonic() - self._synced > SYNC_SECONDS:
            os.fsync(self._file)
            self._synced = time.monotonic()

    def close(self) -> None:
        if self._file is not None:
            os.fsync(self._file)
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        # A thread's log is dropped with the thread; its records are out already.
        if self._file is not None:
            os.close(self._file)


class RemoteFolder:
    """A folder that fsspec reaches: S3, GCS, memory and so on."""

    def __init__(self, system: Any, path: str, location: str) -> None:
        self._system, self._path, self.location = system, path, location

    def names(self) -> list[str]:
        self._system.invalidate_cache()
        if not self._system.exists(self._path):
            return []
        found = self._system.ls(self._path, detail=True)
        return sorted(f["name"].rsplit("/", 1)[-1] for f in found if f["type"] == "file")

    def read(self, name: str) -> bytes:
        content: bytes = self._system.cat_file(f"{self._path}/{name}")
        return content

    def write(self, name: str, content: bytes) -> None:
        self._system.makedirs(self._path, exist_ok=True)
        self._system.pipe_file(f"{self._path}/{name}", content)

    def delete(self, name: str) -> None:
        if self._system.exists(f"{self._path}/{name}"):
            self._system.rm_file(f"{self._path}/{name}")

    def appender(self, name: str) -> Appender:
        return ObjectLog(self, name)


class ObjectLog:
    """A log where nothing can be appended: each record is an object of its own."""

    def __init__(self, folder: RemoteFolder, name: str) -> None:
        self._folder, self._name, self._count = folder, name, 0

    def append(self, record: bytes) -> None:
        self._folder.write(f"{self._name}.{self._count:06d}", record)
        self._count += 1

    def close(self) -> None:
        """Nothing is open."""


MARK = b"TEr1"
HEAD = struct.Struct("<II")


def frame(content: bytes) -> bytes:
    """A record with its mark, length and checksum."""
    length = struct.pack("<I", len(content))
    return MARK + length + struct.pack("<I", zlib.crc32(content, zlib.crc32(length))) + content


def frames(data: bytes) -> Iterator[bytes | None]:
    """The records of a log in order, None for each damaged stretch; reading goes on at the next sound record.

    >>> log = frame(b"one") + frame(b"two")
    >>> list(frames(log)), list(frames(log[:-1])), list(frames(b"x" + log))
    ([b'one', b'two'], [b'one', None], [None, b'one', b'two'])
    """
    at, lost = 0, False
    while at < len(data):
        content = _at(data, at)
        if content is not None:
            yield content
            at += len(MARK) + HEAD.size + len(content)
            lost = False
            continue
        if not lost:
            yield None
            lost = True
        at = data.find(MARK, at + 1)
        if at < 0:
            return


def _at(data: bytes, at: int) -> bytes | None:
    start = at + len(MARK) + HEAD.size
    if data[at : at + len(MARK)] != MARK or start > len(data):
        return None
    length, checksum = HEAD.unpack_from(data, at + len(MARK))
    content = data[start : start + length]
    if len(content) != length or zlib.crc32(content, zlib.crc32(data[at + 4 : at + 8])) != checksum:
        return None
    return content


def read_outcomes(data: bytes) -> tuple[list[Outcome], int]:
    """The outcomes of a log, and how many damaged stretches there were."""
    found, damaged = [], 0
    for content in frames(data):
        try:
            if content is None:
                raise ValueError
            found.append(decode(content))
        except (ValueError, KeyError, TypeError):
            damaged += 1
    return found, damaged


class Writer:
    """One worker's log: a name that no other worker, machine or run has."""

    def __init__(self, location: str) -> None:
        name = f"log-{os.getpid()}-{threading.get_ident():x}-{uuid.uuid4().hex[:8]}.tel"
        self._log: Appender = open_folder(location).appender(name)

    def write(self, outcome: Outcome) -> None:
        """Append an outcome."""
        self._log.append(frame(encode(outcome)))

    def close(self) -> None:
        """No more outcomes."""
        self._log.close()


FORMAT = 1
logger = logging.getLogger("trueerror")
NAME = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the results in a store are for. Learners may be added; all else stays as it was."""

    seed: int
    plan: dict[str, Any]
    plan_fingerprint: str
    data: tuple[dict[str, Any], ...]
    learners: tuple[dict[str, Any], ...]
    balance: str | None = None
    # Of Python and of the packages behind the learners: results may change with them.
    versions: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    trueerror: str = __version__

    def to_json(self) -> bytes:
        """The manifest as text."""
        return (json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def read_manifest(content: bytes, place: str) -> Manifest:
    """A manifest from its text."""
    try:
        given = json.loads(content)
        version = given["format"]
        if version != FORMAT:
            raise InputError(
                f"the store {place} has format {version}, but this version of trueerror knows format {FORMAT}; "
                f"it was written by trueerror {given.get('trueerror', '?')}: use that version, or another folder"
            )
        given = {**given, "data": tuple(given["data"]), "learners": tuple(given["learners"])}
        return Manifest(**given)
    except InputError:
        raise
    except (ValueError, KeyError, TypeError):
        raise InputError(f"the manifest of the store {place} is damaged; use another folder, or delete it") from None


def reconcile(old: Manifest, new: Manifest, place: str) -> Manifest:
    """The manifest of a store that is to go on with `new`; other work than the store's is refused."""
    ours = f"the store {place} is for"
    way_out = "use another folder, or the same settings to go on"
    if old.plan_fingerprint != new.plan_fingerprint:
        raise InputError(f"{ours} another plan: {words(old.plan)}, not {words(new.plan)}; {way_out}")
    if old.seed != new.seed:
        raise InputError(f"{ours} seed {old.seed}, not {new.seed}; {way_out}")
    if old.balance != new.balance:
        raise InputError(f"{ours} balance={old.balance!r}, not {new.balance!r}; {way_out}")
    before, now = ({d["name"]: d for d in m.data} for m in (old, new))
    if set(before) != set(now):
        raise InputError(f"{ours} other data sets: {', '.join(before)}, not {', '.join(now)}; {way_out}")
    for name, data in before.items():
        if data["fingerprint"] != now[name]["fingerprint"]:
            raise InputError(
                f"{ours} other rows of data set {name!r} ({data['rows']:,} rows then, {now[name]['rows']:,} now, "
                f"or other values); {way_out}"
            )
    known = {item["name"]: item for item in old.learners}
    for item in new.learners:
        if item["name"] in known and known[item["name"]]["fingerprint"] != item["fingerprint"]:
            raise InputError(
                f"{ours} a learner {item['name']!r} with other settings ({known[item['name']]['words']:.80}, not "
                f"{item['words']:.80}); give the new one another name, or use another folder"
            )
    changed = [
        f"{package} {version} then, {new.versions[package]} now"
        for package, version in old.versions.items()
        if new.versions.get(package, version) != version
    ]
    if changed:
        logger.warning("%s other versions (%s): what is fitted now may differ from what was", ours, ", ".join(changed))
    added = tuple(item for item in new.learners if item["name"] not in known)
    return replace(old, learners=(*old.learners, *added))


def words(plan: dict[str, Any]) -> str:
    """A plan in words, from its settings."""
    inside = ", ".join(f"{k}={words(v) if isinstance(v, dict) else v}" for k, v in plan.items() if k != "plan")
    return f"{plan['plan']}({inside})"
