"""The run store: a manifest, a log for each worker, and Parquet parts made of logs.

Killing a run loses at most the tasks in flight: a record is out of its worker before the next task begins. A part is
complete before its logs are deleted, and a task that is found twice counts once, so dying between the two does no harm.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from trueerror.experiments.compacting import digest, from_parquet, to_parquet
from trueerror.experiments.logs import Writer, read_outcomes
from trueerror.experiments.manifest import NAME, Manifest, read_manifest, reconcile
from trueerror.experiments.outcomes import Outcome, Task
from trueerror.experiments.storage import LocalFolder, open_folder
from trueerror.inputs.errors import InputError

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
