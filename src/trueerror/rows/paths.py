"""Which files a path names: one file, a folder, a pattern, or standard input; and which format they have."""

from __future__ import annotations

import glob
import gzip
import os
import re
import shutil
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trueerror.inputs.errors import FileError, nearest

Format = Literal["csv", "parquet", "json"]
ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
WORDS: dict[Format, str] = {"csv": "CSV", "parquet": "Parquet", "json": "JSON"}
# In a folder of tables these may be a word about them, or their settings.
BESIDE = frozenset({".txt", ".json"})
REMOTE = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Files:
    """Local files of one format. `paths` are safe to hand to DuckDB; `shown` are their names for people."""

    format: Format
    paths: tuple[Path, ...]
    shown: tuple[str, ...]
    gzipped: bool
    # Files of a folder that were not taken for tables.
    passed_over: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The files in a few words."""
        return self.shown[0] if len(self.shown) == 1 else f"{self.shown[0]} and {len(self.shown) - 1} more"


def find_files(path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], workshop: Path) -> Files:
    """The files that a path, a folder, a pattern, a list of paths or "-" stands for.

    `workshop` is a folder of our own, for standard input and for links to files with odd names.
    """
    passed: list[str] = []
    if isinstance(path, str) and path == "-":
        found, shown = [_save_stdin(workshop)], ["standard input"]
    else:
        several = [path] if isinstance(path, str | os.PathLike) else list(path)
        matches = [(Path(one), file) for one in several for file in _matches(os.fspath(one), passed)]
        found = [file for _, file in matches]
        shown = [f"{one.name}/{file.relative_to(one)}" if one.is_dir() else file.name for one, file in matches]
    if not found:
        raise FileError("no file was named")
    for file, name in zip(found, shown, strict=True):
        _check_readable(file, name)
    kinds = [_format(file) for file in found]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        words = [f"{shown[i]} is {WORDS[kinds[i][0]]}{', gzipped' if kinds[i][1] else ''}" for i in (0, other)]
        raise FileError(
            f"{words[0]}, and {words[1]}: read files of one format, by a pattern such as {_pattern(found[0])}"
        )
    format_, gzipped = kinds[0]
    safe = tuple(_safe(file, i, workshop, format_, gzipped) for i, file in enumerate(found))
    return Files(format_, safe, tuple(shown), gzipped, tuple(passed))


def _pattern(file: Path) -> str:
    return f"'{file.parent.name}/*{''.join(file.suffixes[-2:] if file.suffix == '.gz' else file.suffixes[-1:])}'"


def names_files(names: Sequence[object]) -> bool:
    """Whether a list is one of paths rather than of labels: all of them could be, and one ends as files do, or is one.

    >>> names_files(["jan.csv", "feb.csv"]), names_files(["spam", "ham"])
    (True, False)
    """
    paths = [name for name in names if isinstance(name, str | os.PathLike)]
    return len(paths) == len(names) > 0 and any(
        isinstance(name, os.PathLike) or _ending(Path(name))[0] in ENDINGS or os.path.exists(name) for name in paths
    )


def _matches(text: str, passed: list[str]) -> list[Path]:
    """The files behind one path; `passed` collects what a folder holds beside its tables."""
    if REMOTE.match(text):
        raise FileError(f"{text} is not on this machine; trueerror reads local files only: download it first")
    if "\x00" in text:
        raise FileError(f"{text!r} is not a path")
    path = Path(text)
    if path.is_dir():
        inside = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
        tables = sorted(file for file in inside if _ending(file)[0] in ENDINGS)
        if not tables:
            raise FileError(f"the folder {text} holds no CSV, Parquet or JSON file")
        words = [file for file in tables if _ending(file)[0] in BESIDE]
        if 0 < len(words) < len(tables):
            passed += [str(file.relative_to(path)) for file in words]
            tables = [file for file in tables if file not in words]
        return tables
    if path.exists():
        return [path]
    if glob.has_magic(text):
        matched = sorted(Path(p) for p in glob.glob(text, recursive=True) if os.path.isfile(p))
        if not matched:
            raise FileError(f"no file matches {text}")
        return matched
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    hint = nearest(path.name, beside)
    raise FileError(f"there is no file {text}{hint if 'did you mean' in hint else ''}")


def _check_readable(file: Path, name: str) -> None:
    try:
        with file.open("rb") as stream:
            first = stream.read(1)
    except OSError as error:
        raise FileError(f"cannot read {name}: {(error.strerror or str(error)).lower()}") from None
    if not first:
        raise FileError(f"{name} is empty")


def _ending(file: Path) -> tuple[str, bool]:
    suffixes = [s.lower() for s in file.suffixes]
    gzipped = bool(suffixes) and suffixes[-1] == ".gz"
    suffixes = suffixes[:-1] if gzipped else suffixes
    return (suffixes[-1] if suffixes else ""), gzipped


def _format(file: Path) -> tuple[Format, bool]:
    """By the ending where it is known, else by the first bytes."""
    ending, _ = _ending(file)
    with file.open("rb") as stream:
        head = stream.read(1024)
    gzipped = head[:2] == b"\x1f\x8b"
    if ending in ENDINGS:
        return ENDINGS[ending], gzipped
    if gzipped:
        try:
            with gzip.open(file) as stream:
                head = stream.read(1024)
        except (OSError, EOFError, zlib.error):
            return "csv", True
    if head[:4] == b"PAR1":
        return "parquet", gzipped
    return ("json" if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") else "csv"), gzipped


def _safe(file: Path, index: int, workshop: Path, format_: Format, gzipped: bool) -> Path:
    """A path that DuckDB takes literally: a name with pattern characters is reached by a link of our own."""
    whole = file.absolute()
    if not re.search(r"[*?\[\]{}\x00-\x1f]", str(whole)):
        return whole
    link = workshop / f"file{index}.{format_}{'.gz' if gzipped else ''}"
    try:
        link.symlink_to(whole.resolve())
    except OSError:
        shutil.copyfile(whole, link)
    return link


def _save_stdin(workshop: Path) -> Path:
    target = workshop / "stdin"
    stream = getattr(sys.stdin, "buffer", None)
    with target.open("wb") as out:
        if stream is not None:
            shutil.copyfileobj(stream, out)
        elif sys.stdin is not None:
            out.write(sys.stdin.read().encode("utf-8"))
    return target
