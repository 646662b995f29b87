"""The run store: outcomes of tasks in one SQLite database, which a run that was stopped goes on from.

Workers write to the database themselves (write-ahead log): an outcome is a transaction of its own and out of its
process when `write` returns, so killing a run loses at most the tasks in flight. Predictions are the raw bytes of
arrays, and nothing is pickled: a store from a stranger can do no more than hold wrong numbers.

At a URL nothing can be appended: there every outcome is an object, a database of one row, until all are one database.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sqlite3
import tempfile
import time
import uuid
import zlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.results._files import WriteError
from trueerror.version import __version__

Status = Literal["done", "failed", "timeout"]
STATUSES = ("done", "failed", "timeout")
NAME = "results.sqlite"
# What stores were before they were databases; format 1.
OLD_NAME = "manifest.json"
FORMAT = 2
# "TErr" in the header of the file, so that somebody else's database is known for what it is.
APPLICATION = 0x54457272
TABLES = {
    "manifest": "CREATE TABLE manifest (content TEXT)",
    "outcomes": (
        "CREATE TABLE outcomes (data INTEGER, learner INTEGER, split INTEGER, status TEXT, fit_seconds REAL, "
        "predict_seconds REAL, limit_seconds REAL, warnings TEXT, error TEXT, trace TEXT, score_columns INTEGER, "
        "labels BLOB, scores BLOB, checksum INTEGER, PRIMARY KEY (data, learner, split))"
    ),
}
HEADER = (f"PRAGMA application_id = {APPLICATION}", f"PRAGMA user_version = {FORMAT}")
PIECE = "outcome-"
INSERT = f"INSERT OR REPLACE INTO outcomes VALUES ({', '.join('?' * 14)})"
# How long a worker waits for another one's transaction, which takes far less than a millisecond.
BUSY_SECONDS = 60.0
# The log is forced to the disk at most this often: a dead process loses nothing that it has written, a dead machine
# at most about this much work.
SYNC_SECONDS = 1.0
logger = logging.getLogger("trueerror")


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

    def fits(self, rows: int, classes: int) -> bool:
        """Whether it answers so many rows of so many classes: a store may come from a stranger."""
        if self.status != "done":
            return True
        scores = self.scores is None or self.scores.shape == (rows, classes)
        return scores and len(self.labels) == rows and bool(((self.labels >= 0) & (self.labels < classes)).all())


NO_LABELS: NDArray[np.int32] = np.zeros(0, dtype="<i4")


def to_row(outcome: Outcome) -> tuple[Any, ...]:
    """An outcome as a row of the table; arrays as they lie in memory, little-endian."""
    head = (
        *map(int, outcome.task), outcome.status, float(outcome.fit_seconds), float(outcome.predict_seconds),
        None if outcome.limit is None else float(outcome.limit), json.dumps(outcome.warnings),
        _utf8(outcome.error), _utf8(outcome.trace), 0 if outcome.scores is None else outcome.scores.shape[1],
    )  # fmt: skip
    labels = np.ascontiguousarray(outcome.labels, dtype="<i4").tobytes()
    scores = b"" if outcome.scores is None else np.ascontiguousarray(outcome.scores, dtype="<f8").tobytes()
    return (*head, labels, scores, _checksum(head, labels, scores))


def from_row(row: Sequence[Any]) -> Outcome:
    """The outcome in a row of the table; ValueError or TypeError where it is damaged."""
    *head, labels, scores, checksum = row
    data, learner, split, status, fit_seconds, predict_seconds, limit, warnings, error, trace, columns = head
    if status not in STATUSES or checksum != _checksum(tuple(head), labels, scores):
        raise ValueError("a damaged row")
    codes = np.frombuffer(labels, dtype="<i4")
    return Outcome(
        task=Task(data, learner, split), status=status, labels=codes,
        scores=np.frombuffer(scores, dtype="<f8").reshape(len(codes), columns) if columns else None,
        fit_seconds=float(fit_seconds), predict_seconds=float(predict_seconds),
        warnings=tuple(map(str, json.loads(warnings))) if warnings != "[]" else (), error=str(error), trace=str(trace),
        limit=None if limit is None else float(limit),
    )  # fmt: skip


def _checksum(head: tuple[object, ...], labels: bytes, scores: bytes) -> int:
    return zlib.crc32(scores, zlib.crc32(labels, zlib.crc32(repr(head).encode())))


def _utf8(text: str) -> str:
    # Lone surrogates may come in with the text of an exception.
    return text.encode("utf-8", "replace").decode()


class DataEntry(TypedDict):
    """A data set in a manifest."""

    name: str
    rows: int
    labels: list[Any]
    fingerprint: str


class LearnerEntry(TypedDict):
    """A learner in a manifest."""

    name: str
    words: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the results in a store are for: plan, data, learners and seed. Learners may be added; all else stays."""

    seed: int
    plan: Mapping[str, object]
    plan_fingerprint: str
    data: tuple[DataEntry, ...]
    learners: tuple[LearnerEntry, ...]
    balance: str | None = None
    # Of Python and of the packages behind the learners: results may change with them.
    versions: dict[str, str] = field(default_factory=dict)
    trueerror: str = __version__

    def to_json(self) -> str:
        """The manifest as text."""
        return _utf8(json.dumps(asdict(self), indent=1, ensure_ascii=False))

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """A manifest from its text."""
        given = json.loads(text)
        manifest = cls(**{**given, "data": tuple(given["data"]), "learners": tuple(given["learners"])})
        whole = all(
            {"name", "rows", "labels", "fingerprint"} <= set(d) and isinstance(d["rows"], int) for d in manifest.data
        )
        named = all({"name", "words", "fingerprint"} <= set(item) for item in manifest.learners)
        if not (whole and named and isinstance(manifest.plan, dict) and "plan" in manifest.plan):
            raise ValueError("a damaged manifest")
        return manifest


def reconcile(old: Manifest, new: Manifest, place: str) -> Manifest:
    """The manifest of a store that is to go on with `new`; other work than the store's is refused."""
    ours = f"the store {place} is for"
    way_out = "use another folder, or the same settings to go on"
    if old.plan_fingerprint != new.plan_fingerprint:
        raise InputError(f"{ours} another plan: {_plan_words(old.plan)}, not {_plan_words(new.plan)}; {way_out}")
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


def _plan_words(plan: Mapping[str, object]) -> str:
    """A plan in words, from its settings."""
    inside = ", ".join(f"{k}={_plan_words(v) if isinstance(v, dict) else v}" for k, v in plan.items() if k != "plan")
    return f"{plan['plan']}({inside})"


class LocalFolder:
    """A folder on this machine."""

    def __init__(self, path: Path) -> None:
        self.path, self.location = path, str(path)
        if path.exists() and not path.is_dir():
            raise InputError(f"store={str(path)!r} is a file; give a folder")

    def names(self) -> list[str]:
        """All files, sorted; those that begin with a dot are the store's own affair."""
        if not self.path.is_dir():
            return []
        return sorted(p.name for p in self.path.iterdir() if p.is_file() and not p.name.startswith("."))


class RemoteFolder:
    """A folder that fsspec reaches: S3, GCS, memory and so on."""

    def __init__(self, system: Any, path: str, location: str) -> None:
        self._system, self._path, self.location = system, path, location

    def names(self) -> list[str]:
        """All files, sorted."""
        self._system.invalidate_cache()
        if not self._system.exists(self._path):
            return []
        files = self._system.ls(self._path, detail=True)
        names = (f["name"].rsplit("/", 1)[-1] for f in files if f["type"] == "file")
        return sorted(name for name in names if not name.startswith("."))

    def read(self, name: str) -> bytes:
        """All of a file."""
        content: bytes = self._system.cat_file(f"{self._path}/{name}")
        return content

    def write(self, name: str, content: bytes) -> None:
        """A whole file at once: readers see the old one or the new one, never a part."""
        self._system.makedirs(self._path, exist_ok=True)
        self._system.pipe_file(f"{self._path}/{name}", content)

    def delete(self, name: str) -> None:
        """Remove a file; no error where it is gone already."""
        if self._system.exists(f"{self._path}/{name}"):
            self._system.rm_file(f"{self._path}/{name}")


def open_folder(location: str | os.PathLike[str]) -> LocalFolder | RemoteFolder:
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


def holds_run(location: str | os.PathLike[str]) -> bool:
    """Whether there is a store already."""
    return NAME in open_folder(location).names()


class Writer:
    """Records outcomes through a connection; any process of this machine may have one."""

    # When this process last forced the log to the disk.
    synced = time.monotonic()

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def write(self, outcome: Outcome) -> None:
        """Record an outcome in place of an older one of the same task."""
        try:
            self._database.execute(INSERT, to_row(outcome))
            if time.monotonic() - Writer.synced > SYNC_SECONDS:
                self._database.execute("PRAGMA wal_checkpoint(PASSIVE)")
                Writer.synced = time.monotonic()
        except sqlite3.OperationalError as error:
            raise WriteError(
                f"the store cannot be written to ({error}): is the disk full? What is recorded is kept: the same call "
                "goes on from there"
            ) from None

    def close(self) -> None:
        """No more outcomes."""
        self._database.close()


def open_writer(location: str) -> Writer:
    """A writer to the open store of another process."""
    return Writer(connect(Path(location) / NAME))


def connect(path: str | Path) -> sqlite3.Connection:
    """The database at a path; every statement is a transaction of its own unless one is begun."""
    database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        # Without waiting for the disk at every transaction; and what stands in a stranger's schema is not run.
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA trusted_schema = OFF")
    except sqlite3.Error:
        database.close()
        raise
    database.text_factory = lambda content: content.decode("utf-8", "replace")
    return database


class Store:
    """An open store; only one run has it open at a time."""

    def __init__(self, location: str | os.PathLike[str], manifest: Manifest) -> None:
        folder = open_folder(location)
        self.location = folder.location
        self._remote = folder if isinstance(folder, RemoteFolder) else None
        # Objects at a URL that are not in the database there yet.
        self._pieces: list[str] = []
        self._connections = ExitStack()
        self.damaged = 0
        names = folder.names()
        if NAME in names and isinstance(folder, LocalFolder) and not os.access(folder.path, os.W_OK):
            self._copy(folder.path)
        if OLD_NAME in names and NAME not in names:
            raise InputError(
                f"the store {self.location} has an older format ({OLD_NAME} and Parquet files); this version of "
                f"trueerror knows format {FORMAT}: use the version that wrote it, or another folder"
            )
        if names and NAME not in names:
            raise InputError(f"the folder {self.location} holds other files ({names[0]!r}) and no run; give a new one")
        try:
            self._database = self._open(NAME in names)
            self.manifest = self._agree(manifest)
            self._gather([name for name in names if name.startswith(PIECE)])
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._unusable(error) from None
        except BaseException:
            self.close()
            raise

    @property
    def local(self) -> bool:
        """Whether every process of this machine sees the same folder."""
        return self._remote is None

    def load(self) -> dict[Task, Outcome]:
        """Every finished task; damaged rows are left to be done again."""
        outcomes: dict[Task, Outcome] = {}
        damaged = []
        try:
            for rowid, *row in self._database.execute("SELECT rowid, * FROM outcomes"):
                try:
                    outcome = from_row(row)
                except (ValueError, TypeError):
                    damaged.append((rowid,))
                else:
                    outcomes[outcome.task] = outcome
            self._database.executemany("DELETE FROM outcomes WHERE rowid = ?", damaged)
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from None
        self.damaged += len(damaged)
        if damaged:
            logger.warning("%d damaged rows in the store %s: their fits are done again", len(damaged), self.location)
        if self._pieces:
            self._upload()
        return outcomes

    def forget_failed(self) -> None:
        """Failed tasks are to be done again."""
        self._database.execute("DELETE FROM outcomes WHERE status = 'failed'")

    def write(self, outcome: Outcome) -> None:
        """Record an outcome that came back to the process that directs the run."""
        Writer(self._database).write(outcome)
        if self._remote is not None:
            with closing(connect(":memory:")) as piece:
                piece.execute(TABLES["outcomes"])
                Writer(piece).write(outcome)
                self._pieces.append(f"{PIECE}{uuid.uuid4().hex}.sqlite")
                self._remote.write(self._pieces[-1], piece.serialize())

    def close(self) -> None:
        """Let another run have the store."""
        self._connections.close()

    def _copy(self, folder: Path) -> None:
        """A store that cannot be written to is read from a copy; what is fitted beyond it is not kept."""
        logger.warning("the store %s cannot be written to: it is read, and new fits are not kept", self.location)
        copy = self._connections.enter_context(tempfile.TemporaryDirectory(prefix="trueerror-"))
        for file in folder.glob(f"{NAME}*"):
            shutil.copyfile(file, Path(copy) / file.name)
        self.location = copy

    def _open(self, exists: bool) -> sqlite3.Connection:
        if self._remote is not None:
            database = self._connections.enter_context(closing(connect(":memory:")))
            if exists:
                content = bytearray(self._remote.read(NAME))
                # A file that was last used in place says so here, and is not taken into memory like that.
                content[18:20] = b"\x01\x01"
                database.deserialize(bytes(content))
            return database
        folder = Path(self.location)
        folder.mkdir(parents=True, exist_ok=True)
        # Two runs in one store would do the same work twice; the second is refused. A dead process lets go of the lock.
        lock = self._connections.enter_context(
            closing(sqlite3.connect(folder / ".lock", timeout=0, isolation_level=None))
        )
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise InputError(
                f"another run is using the store {self.location}; wait for it to end, or use another folder"
            ) from None
        database = self._connections.enter_context(closing(connect(folder / NAME)))
        database.execute("PRAGMA journal_mode = WAL")
        return database

    def _agree(self, new: Manifest) -> Manifest:
        """The manifest of the database, with learners added; a new database gets its tables."""
        tables = dict(self._database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        known = self._known(tables) if tables else None
        manifest = new if known is None else reconcile(known, new, self.location)
        if manifest != known:
            self._database.execute("BEGIN IMMEDIATE")
            for statement in () if tables else (*TABLES.values(), *HEADER):
                self._database.execute(statement)
            self._database.execute("DELETE FROM manifest")
            self._database.execute("INSERT INTO manifest VALUES (?)", (manifest.to_json(),))
            self._database.execute("COMMIT")
            if self._remote is not None:
                self._upload()
        return manifest

    def _known(self, tables: dict[str, str]) -> Manifest:
        (application,), (version,) = (
            self._database.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        if application != APPLICATION:
            raise InputError(f"{NAME} in {self.location} is a database of something else; give a new folder")
        if version != FORMAT:
            raise InputError(
                f"the store {self.location} has format {version}, but this version of trueerror knows format {FORMAT}; "
                "use the version that wrote it, or another folder"
            )
        ((problem,),) = self._database.execute("PRAGMA integrity_check(1)")
        if problem != "ok" or tables != TABLES:
            raise sqlite3.DatabaseError(problem if problem != "ok" else "it has other tables")
        try:
            ((content,),) = self._database.execute("SELECT content FROM manifest")
            return Manifest.from_json(content)
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            raise InputError(
                f"the manifest of the store {self.location} is damaged; use another folder, or delete it"
            ) from None

    def _gather(self, pieces: list[str]) -> None:
        """Outcomes of a run at a URL that was stopped before they were made one database."""
        if self._remote is None:
            return
        for name in pieces:
            self._pieces.append(name)
            try:
                with closing(connect(":memory:")) as piece:
                    piece.deserialize(self._remote.read(name))
                    self._database.executemany(INSERT, piece.execute("SELECT * FROM outcomes").fetchall())
            except sqlite3.Error:
                self.damaged += 1
                logger.warning("%s in the store %s is damaged: its fit is done again", name, self.location)

    def _upload(self) -> None:
        """The database as one object; what is in it need not lie beside it."""
        assert self._remote is not None
        self._remote.write(NAME, self._database.serialize())
        for name in self._pieces:
            self._remote.delete(name)
        self._pieces = []

    def _unusable(self, error: sqlite3.DatabaseError) -> InputError:
        what = "cannot be used" if isinstance(error, sqlite3.OperationalError) else "is damaged or no SQLite database"
        why = " ".join(str(error).split())
        return InputError(
            f"{NAME} in the store {self.location} {what} ({why}); use another folder, or delete it: its fits are then "
            "done again"
        )
