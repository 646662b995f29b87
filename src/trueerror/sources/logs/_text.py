"""The files of a log and their text, plain or gzipped."""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from trueerror.inputs._options import FileError, in_few_words
from trueerror.sources._paths import encoding_of, files_like

GZIP = b"\x1f\x8b"
# A log from a stranger may unpack to anything, and parsed JSON takes some thirty times its text: a line or a member is
# at most so long, and all that is unpacked from one file at most so much.
MOST_PARSED = 64 << 20
MOST_WHOLE = 512 << 20
MOST_BYTES = 4 << 30
PathsLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Source = PathsLike | Mapping[str, PathsLike]


def lines_of(path: Path, longest: int = MOST_PARSED) -> Iterator[str]:
    """The lines of a text file, without their ends."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
        opened = cast("IO[bytes]", gzip.open(path) if packed else path.open("rb"))  # noqa: SIM115
        with opened, io.TextIOWrapper(opened, encoding_of(path, path.name) or "utf-8-sig") as stream:
            total = 0
            while line := stream.readline(longest + 1):
                total += len(line)
                if len(line) > longest:
                    raise FileError(f"{path.name} has a line of more than {longest >> 20:,} MB")
                if packed and total > MOST_BYTES:
                    raise FileError(f"{path.name} unpacks to more than {MOST_BYTES >> 30:,} GB; unpack it first")
                yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise FileError(f"{path.name} is not a text file in UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {path.name}: {str(getattr(error, 'strerror', None) or error).lower()}") from None


def text_of(path: Path) -> str:
    """The whole text of a file that holds one JSON object."""
    lines, total = [], 0
    for line in lines_of(path, MOST_WHOLE):
        total += len(line)
        if total > MOST_WHOLE:
            raise FileError(f"{path.name} holds more than {MOST_WHOLE >> 20:,} MB of JSON in one piece; split it")
        lines.append(line)
    return "\n".join(lines)


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


def files_of(
    source: Source, patterns: Sequence[str], is_log: Callable[[Path], bool] = lambda _: True
) -> list[tuple[str | None, Path]]:
    """(name, file) of each log: a path, a folder (searched for `patterns`), a pattern, a list, or {model: path}.

    In a folder files that are no log are passed over.
    """
    if isinstance(source, Mapping):
        return [(str(name), file) for name, one in source.items() for _, file in files_of(one, patterns, is_log)]
    if not isinstance(source, str | os.PathLike | Iterable):
        raise FileError(f"a log is a path, a folder, a pattern or a list of them, not {in_few_words(source)}")
    if not isinstance(source, str | os.PathLike):
        return [pair for one in source for pair in files_of(one, patterns, is_log)]
    path = Path(source)
    if not str(source).strip():
        raise FileError("the path is empty; name a log, a folder of logs or a pattern")
    if os.path.isdir(path):
        files = sorted(
            {file for pattern in patterns for file in path.rglob(pattern) if file.is_file() and is_log(file)}
        )
        if not files:
            raise FileError(f"the folder {path} holds no file like {patterns[0]}")
        return [(None, file) for file in files]
    if os.path.isfile(path):
        return [(None, path)]
    if os.path.exists(path):
        raise FileError(f"{path.name} is a pipe or a device; save the log to a file first")
    return [(None, file) for file in files_like(str(source))]
