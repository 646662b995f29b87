"""The first line of a CSV file: its delimiter and its column names."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import NamedTuple

from trueerror.inputs.errors import FileError
from trueerror.rows.fileerrors import refuse_other_columns
from trueerror.rows.paths import Files

DELIMITERS = (",", "\t", ";", "|")
SAMPLE = 1 << 18


class Header(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    names: tuple[str, ...]
    decimal: str
    # How lines end, where it must be said: DuckDB takes the first line break for it, even one inside a quoted name.
    newline: str | None = None


def read_header(files: Files) -> Header:
    """Delimiter, names and decimal sign, the same in all files."""
    headers = [_one_header(p, s, files.gzipped) for p, s in zip(files.paths, files.shown, strict=True)]
    refuse_other_columns(files, [header.names for header in headers])
    for shown, header in zip(files.shown, headers, strict=True):
        if header[:2] != headers[0][:2]:
            what = "the order of the columns" if header.names != headers[0].names else "the delimiter"
            raise FileError(f"{what} of {shown} is not that of {files.shown[0]}; files read together must agree")
    return headers[0]


def _one_header(path: Path, shown: str, gzipped: bool) -> Header:
    text = _sample(path, shown, gzipped)
    first = _first_line(text)
    if not first.strip():
        raise FileError(f"{shown} begins with an empty line; the first line must hold the column names")
    delimiter = max(DELIMITERS, key=lambda d: _outside_quotes(first).count(d))
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        raise FileError(f"the first line of {shown} cannot be read as column names") from None
    _check_names(names, shown)
    comma = delimiter == ";" and re.search(r"(^|;)-?\d*,\d+(;|\r?$)", text[len(first) :], re.MULTILINE)
    plain = tuple(name if name.strip() else f"column {i + 1}" for i, name in enumerate(names))
    newline = None
    if "\n" in first or "\r" in first:
        ending = text[len(first) :][:2]
        newline = ending if ending == "\r\n" else ending[:1] or None
    return Header(delimiter, plain, "," if comma else ".", newline)


def _sample(path: Path, shown: str, gzipped: bool) -> str:
    try:
        with gzip.open(path, "rb") if gzipped else path.open("rb") as stream:
            head = stream.read(SAMPLE)
    except (OSError, EOFError, zlib.error):
        raise FileError(f"{shown} is not a complete gzip file") from None
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise FileError(f"{shown} is encoded as UTF-16; save it as UTF-8")
    if b"\x00" in head:
        raise FileError(f"{shown} is not a text file")
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise FileError(f"{shown} is empty")
    line = head.split(b"\n", 1)[0]
    try:
        line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{shown} is not UTF-8 text (byte {error.start + 1} of row 1); save it as UTF-8") from None
    return head.decode("utf-8-sig", "replace")


def _first_line(text: str) -> str:
    """Up to the first line break that is not inside quotes."""
    quoted = False
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif c in "\r\n" and not quoted:
            return text[:i]
    return text


def _outside_quotes(line: str) -> str:
    return "".join(part for i, part in enumerate(line.split('"')) if i % 2 == 0)


def _check_names(names: list[str], shown: str) -> None:
    twice = next((name for i, name in enumerate(names) if name.strip() and name in names[:i]), None)
    if twice is not None:
        raise FileError(f"two columns of {shown} are called {twice!r}; rename one")
    if all(re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", name) for name in names):
        raise FileError(f"the first line of {shown} holds numbers ({names[0]!r}), not column names; add a header")
