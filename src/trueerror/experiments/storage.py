"""Where a store lies: a folder on this machine, or any place that fsspec knows by URL.

Object stores cannot append, so there a log is a row of objects, name.000000, name.000001, …; on disk it is one file.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Protocol

from trueerror.inputs.errors import InputError

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
