"""The text of a log: plain or gzipped, UTF-8, and where it lies."""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueerror.inputs.errors import FileError, nearest

GZIP = b"\x1f\x8b"
Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Mapping[str, Any]


def lines_of(path: Path) -> Iterator[str]:
    """The lines of a text file, without their ends."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
        opened: Any = gzip.open(path) if packed else path.open("rb")  # noqa: SIM115
        with opened, io.TextIOWrapper(opened, "utf-8-sig") as stream:
            for line in stream:
                yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise FileError(f"{path.name} is not a text file in UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {path.name}: {str(getattr(error, 'strerror', None) or error).lower()}") from None


def json_of(path: Path, text: str | bytes, where: str = "") -> Any:
    """JSON, or an error that names the file and the place."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        place = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "its text"
        raise FileError(f"{path.name}{where}: not valid JSON at {place}") from None
    except RecursionError:
        raise FileError(f"{path.name}{where} is nested too deeply") from None


def head_of(path: Path, size: int = 8192) -> bytes:
    """The first bytes, unpacked."""
    try:
        with path.open("rb") as raw:
            head = raw.read(size)
        if head[:2] != GZIP:
            return head
        with gzip.open(path) as stream:
            return stream.read(size)
    except (OSError, EOFError, zlib.error):
        return b""


def files_of(source: Source, patterns: Sequence[str]) -> list[tuple[str | None, Path]]:
    """(name, file) of each log: a path, a folder (searched for `patterns`), a pattern, a list, or {model: path}."""
    if isinstance(source, Mapping):
        return [(str(name), file) for name, one in source.items() for _, file in files_of(one, patterns)]
    if not isinstance(source, str | os.PathLike):
        return [pair for one in source for pair in files_of(one, patterns)]
    path = Path(source)
    if path.is_dir():
        found = sorted({file for pattern in patterns for file in path.rglob(pattern) if file.is_file()})
        if not found:
            raise FileError(f"the folder {path} holds no file like {patterns[0]}")
        return [(None, file) for file in found]
    if path.is_file():
        return [(None, path)]
    if glob.has_magic(str(source)):
        matched = sorted(Path(p) for p in glob.glob(str(source), recursive=True) if os.path.isfile(p))
        if matched:
            return [(None, file) for file in matched]
        raise FileError(f"no file matches {source}")
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = nearest(path.name, beside)
    raise FileError(f"there is no file {path}{hint if 'did you mean' in hint else ''}")
