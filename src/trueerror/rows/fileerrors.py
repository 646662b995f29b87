"""What a database says of a bad file, in one sentence for people: the file, the row, the column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from trueerror.inputs.errors import FileError
from trueerror.rows.paths import Files


def refuse_csv(files: Files, names: tuple[str, ...], error: Exception) -> FileError:
    """A CSV file that does not hold together."""
    text = str(error)
    shown = _which(files, text)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    at = f" at line {int(line[1]):,}" if line else ""
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts:
        return FileError(f"{shown} has {counts[2]} fields{at}, but its header names {counts[1]} columns")
    if "not utf-8" in text.lower() or "invalid unicode" in text.lower():
        return FileError(f"{shown} is not UTF-8 text{at}; save it as UTF-8")
    if "unterminated quote" in text:
        return FileError(f"{shown} has a quote that is not closed{at}")
    if "GZIP" in text or "gzip" in text:
        return FileError(f"{shown} is not a complete gzip file")
    column = re.search(r'converting column "c(\d+)"\. Could not convert string "(.{0,40})', text)
    if column and int(column[1]) < len(names):
        return FileError(f"{shown} has {column[2]!r} in column {names[int(column[1])]!r}{at}, unlike the other rows")
    if "invalid state" in text:
        return FileError(f"{shown} cannot be read as CSV{at}; do its lines end in different ways? Save it again")
    return FileError(f"{shown} cannot be read as CSV{at}: {_first_sentence(text, files)}")


def refuse_json(files: Files, error: Exception) -> FileError:
    """A JSON file that does not hold together."""
    text = str(error)
    shown = _which(files, text)
    if "GZIP" in text:
        return FileError(f"{shown} is not a complete gzip file")
    # DuckDB counts the row after the one that it could not read.
    place = re.search(r"in (line|record/value) (\d+): ([^.\n]+)", text)
    if place:
        word = "line" if place[1] == "line" else "record"
        return FileError(f"{shown} is not valid JSON at {word} {max(int(place[2]) - 1, 1):,}: {place[3]}")
    return FileError(f"{shown} cannot be read as JSON: {_first_sentence(text, files)}")


def refuse_parquet(files: Files, error: Exception) -> FileError:
    """A Parquet file that is cut short or none at all."""
    text = str(error)
    shown = _which(files, text)
    if "magic bytes" in text or "too small" in text:
        return FileError(f"{shown} is not a complete Parquet file; was the download or the writing cut short?")
    return FileError(f"{shown} cannot be read as Parquet: {_first_sentence(text, files)}")


def refuse_other_columns(files: Files, columns: Sequence[Sequence[str]]) -> None:
    """Files read together must have the same columns: a column that one lacks would be empty there, or be dropped."""
    for shown, names in zip(files.shown, columns, strict=True):
        for lacks, wanted, has, there in (
            (shown, columns[0], files.shown[0], names), (files.shown[0], names, shown, columns[0])
        ):  # fmt: skip
            gone = [name for name in wanted if name not in there]
            if gone:
                more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
                what = "column" if len(gone) == 1 else "columns"
                raise FileError(
                    f"{lacks} lacks the {what} {', '.join(map(repr, gone[:3]))}{more}, which {has} has; files read "
                    "together must have the same columns"
                )


def damaged(name: str, error: Exception) -> FileError:
    """A file that opened well, and then could not be read to its end."""
    reason = re.sub(r"^[A-Z]\w*( [A-Z]\w*)* Error: ", "", str(error).splitlines()[0] if str(error) else "").strip(" .:")
    # Where files lie on this machine is nobody's business.
    reason = re.sub(r"([\"'])[^\"']*[/\\]([^\"'/\\]+)\1", r"\1\2\1", reason)
    reason = re.sub(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s\"']*[/\\]([^\s\"'/\\]+)", r"\1", reason)
    return FileError(f"{name} is damaged inside and cannot be read{f': {reason}' if reason else ''}")


def _which(files: Files, text: str) -> str:
    """The file that a message speaks of, by the name that people know."""
    for path, shown in zip(files.paths, files.shown, strict=True):
        if str(path) in text:
            return shown
    return files.name


def _first_sentence(text: str, files: Files) -> str:
    first = text.splitlines()[0] if text else "it is damaged"
    first = re.sub(r"^[A-Z]\w*( [A-Z]\w*)* Error: ", "", first)
    for path, shown in zip(files.paths, files.shown, strict=True):
        first = first.replace(str(Path(path)), shown)
    return first.rstrip(". ")
