"""Which files a path names and which format they have; the header of CSV files; what is wrong with a file, in words."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from trueerror.inputs._options import FileError, InputError, nearest
from trueerror.results._format import clip
from trueerror.sources._bytes import (
    PACKED,
    WINDOWS,
    cannot_read,
    copy_pipe,
    encoding_of,
    first_bytes,
    is_piped,
    lines_of,
    literal_path,
    packed_by,
    pieces_of,
    save_stdin,
    stream_of,
    whole_json,
)

Format = Literal["csv", "parquet", "json"]
ENDINGS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
}
WORDS: dict[Format, str] = {"csv": "CSV", "parquet": "Parquet", "json": "JSON"}
# In a folder of tables these may be a word about them, or their settings.
BESIDE = frozenset({".txt", ".json"})
# Files that hold tables of their own, which are not read together.
DATABASES = (".sqlite", ".sqlite3", ".db")
DUCKDB_FILES = (".duckdb", ".ddb")
OF_TABLES = (*DATABASES, *DUCKDB_FILES, ".xlsx", ".xlsm", ".xls", ".ods")
# What may lie beside tables and is none, whatever its lines look like.
NO_TABLES = {
    ".py": "a Python program", ".ipynb": "a notebook", ".r": "an R program", ".sh": "a shell script",
    ".sql": "a query", ".toml": "a file of settings", ".yaml": "a file of settings", ".yml": "a file of settings",
    ".pdf": "a PDF document", **dict.fromkeys((".png", ".jpg", ".jpeg", ".svg"), "a picture"),
}  # fmt: skip
# A folder with more files than this is not one of tables: it is a disk.
MOST_FILES = 100_000
REMOTE = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")
# The password that such an address may hold is nobody's business.
DATABASE = re.compile(
    r"^(postgres|postgresql|mysql|mariadb|mssql|oracle|snowflake|bigquery|redshift|sqlite|duckdb)[+\w]*://"
)
QUERY = re.compile(
    r"^\s*(SELECT\s.+\sFROM\s|WITH\s.+\sAS\s*\(|FROM\s+\S+\s*(;|SELECT\s)|read_\w+\()", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Files:
    """Local files of one format. `paths` are safe to hand to DuckDB; `shown` are their names for people."""

    format: Format
    paths: tuple[Path, ...]
    shown: tuple[str, ...]
    gzipped: bool
    # What was left out or read otherwise than as UTF-8, in sentences.
    notes: tuple[str, ...] = ()
    # The columns of files that have no header, by their places from 1 up.
    columns: Mapping[int, str] | None = None

    @property
    def name(self) -> str:
        """The files in a few words."""
        return self.shown[0] if len(self.shown) == 1 else f"{self.shown[0]} and {len(self.shown) - 1} more"


def find_files(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    temp_folder: Path,
    columns: Mapping[int, str] | None = None,
) -> Files:
    """The files that a path, a folder, a pattern, a list of paths or "-" stands for.

    `temp_folder` is a folder of our own, for standard input and for links to files with odd names; `columns` are named
    where files have no header.
    """
    skipped: list[str] = []
    if isinstance(path, str) and path == "-":
        names = ["standard input"]
        try:
            files = [save_stdin(temp_folder / "stdin")]
        except OSError as error:
            raise cannot_read(names[0], error) from None
    else:
        several = [path] if isinstance(path, str | os.PathLike) else list(path)
        matches = [(Path(one), file) for one in several for file in _matches(os.fspath(one), skipped)]
        files = [file for _, file in matches]
        names = [f"{one.name}/{file.relative_to(one)}" if one.is_dir() else file.name for one, file in matches]
    if not files:
        raise FileError("no file was named")
    files = [_regular(file, name, temp_folder, i) for i, (file, name) in enumerate(zip(files, names, strict=True))]
    for file, name in zip(files, names, strict=True):
        if what := NO_TABLES.get(Path(name).suffix.lower()):
            raise FileError(
                f"{name} is {what}, not a table, by its ending: name a file such as CSV, Parquet or JSON Lines, or "
                f"rename it to {Path(name).stem}.csv if it is one"
            )
        _refuse_of_tables(file, name)
    encodings = [encoding_of(file, name) for file, name in zip(files, names, strict=True)]
    files = [_plain(*each, temp_folder, i) for i, each in enumerate(zip(files, names, encodings, strict=True))]
    kinds = [_format(file, name) for file, name in zip(files, names, strict=True)]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        words = [f"{names[i]} is {WORDS[kinds[i][0]]}{', gzipped' if kinds[i][1] else ''}" for i in (0, other)]
        raise FileError(
            f"{words[0]}, and {words[1]}: read files of one format, by a pattern such as {_pattern(files[0])}"
        )
    format_, gzipped = kinds[0]
    link = f"{format_}{'.gz' if gzipped else ''}"
    safe = tuple(literal_path(file, temp_folder / f"file{i}.{link}") for i, file in enumerate(files))
    if columns is not None and format_ != "csv":
        raise FileError(f"names= is for text without a header, and {names[0]} is {WORDS[format_]}: leave it out")
    notes = [f"Not taken for tables: {', '.join(skipped[:3])}{more_than(skipped, 3)}."] if skipped else []
    other_text = [name for name, encoding in zip(names, encodings, strict=True) if encoding == WINDOWS]
    if other_text:
        notes.append(f"Not in UTF-8, so read as Windows-1252: {', '.join(other_text[:3])}{more_than(other_text, 3)}.")
    return Files(format_, safe, tuple(names), gzipped, tuple(notes), columns)


def more_than(names: Sequence[str], shown: int) -> str:
    """How many names are not shown.

    >>> more_than(["a", "b"], 3), more_than(["a", "b"], 1)
    ('', ' and 1 more')
    """
    return f" and {len(names) - shown} more" if len(names) > shown else ""


def _pattern(file: Path) -> str:
    return f"'{file.parent.name}/*{''.join(file.suffixes[-2:] if file.suffix == '.gz' else file.suffixes[-1:])}'"


def names_files(names: Sequence[object]) -> bool:
    """Whether a list is one of paths rather than of labels: all of them could be, and one ends as files do, or is one.

    >>> names_files(["jan.csv", "feb.csv"]), names_files(["spam", "ham"])
    (True, False)
    """
    paths = [name for name in names if isinstance(name, str | os.PathLike)]
    return len(paths) == len(names) > 0 and any(
        isinstance(name, os.PathLike) or _ending(Path(name)) in ENDINGS or os.path.exists(name) for name in paths
    )


# Tables of which a log says which files are theirs: what they are called, what gives them away, and who reads them.
LOGGED = (
    ("a Delta", "_delta_log", "scan_delta(folder), or deltalake.DeltaTable(folder)"),
    ("an Iceberg", "metadata/*.metadata.json", "scan_iceberg(metadata file), or the table of pyiceberg"),
)


def _matches(text: str, skipped: list[str]) -> list[Path]:
    """The files behind one path; `skipped` collects what a folder holds beside its tables."""
    if QUERY.match(text) and not os.path.exists(text):
        raise FileError(f'{clip(text, 60)!r} is a query, not a file: pass what duckdb.sql("SELECT …") gives')
    if DATABASE.match(text):
        raise FileError(
            f"{text.split(':')[0]}://… is a database, not a file: pass ibis.connect(url).table(name), or a frame"
        )
    if REMOTE.match(text):
        raise FileError(f"{text} is not on this machine; trueerror reads local files only: download it first")
    if "\x00" in text or any("\ud800" <= c <= "\udbff" for c in text):
        raise FileError(f"{text!r} is not a path")
    if not text.strip():
        raise FileError("the path is empty; name a file, a folder or a pattern")
    path = Path(text)
    if os.path.isdir(path):
        for kind, sign, reader in LOGGED:
            if any(path.glob(sign)):
                raise FileError(
                    f"the folder {text} is {kind} table, whose log says which of its files still count: pass "
                    f"polars.{reader} of it"
                )
        inside = files_below(path)
        # A pipe in a folder may never be written to.
        tables = [file for file in inside if _ending(file) in ENDINGS and not is_piped(file)]
        alone = [str(file.relative_to(path)) for file in inside if file.suffix.lower() in OF_TABLES]
        if not tables:
            rest = f"; a database or a workbook is named itself: {', '.join(alone[:3])}{more_than(alone, 3)}"
            raise FileError(f"the folder {text} holds no CSV, Parquet or JSON file{rest if alone else ''}")
        skipped += alone
        words = [file for file in tables if _ending(file) in BESIDE]
        if 0 < len(words) < len(tables):
            skipped += [str(file.relative_to(path)) for file in words]
            tables = [file for file in tables if file not in words]
        return tables
    return [path] if os.path.lexists(path) else files_like(text)


def files_below(folder: Path) -> list[Path]:
    """The files below a folder of data, in order; links to folders are not followed. A whole disk is no such folder."""
    found: list[Path] = []
    seen = 0

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):  # a folder may vanish in the meantime
            raise cannot_read(f"the folder {error.filename}", error)

    for where, folders, names in os.walk(folder, onerror=refuse):
        seen += len(folders) + len(names)
        if seen > MOST_FILES:
            raise FileError(f"the folder {folder} holds more than {MOST_FILES:,} files; name one of tables only")
        found += [Path(where, name) for name in names]
    return sorted(found)


def files_matching(text: str) -> list[Path]:
    """The files of a pattern, in order; none where this is no pattern."""
    path = Path(text)
    parts = path.relative_to(path.anchor).parts if glob.has_magic(text) else ()
    return sorted({Path(found) for found in _matching(path.anchor, parts, [0])}) if parts else []


def _matching(folder: str, parts: Sequence[str], looked_at: list[int]) -> Iterator[str]:
    """The files of a pattern, part by part; `looked_at` counts what was seen, lest a pattern search a whole disk."""
    part, *rest = parts
    if not glob.has_magic(part):
        path = os.path.join(folder, part)
        if rest and os.path.isdir(path):
            yield from _matching(path, rest, looked_at)
        elif not rest and os.path.isfile(path):
            yield path
        return
    try:
        with os.scandir(folder or ".") as listed:
            entries = list(islice(listed, MOST_FILES))
    except OSError:
        return  # what cannot be looked into matches nothing
    looked_at[0] += len(entries)
    if looked_at[0] > MOST_FILES:
        raise FileError(
            f"the pattern looks at more than {MOST_FILES:,} files: name a folder of tables, or fewer levels"
        )
    deep = part == "**"
    if deep:
        yield from _matching(folder, rest or ["*"], looked_at)
    for entry in entries:
        path = os.path.join(folder, entry.name)
        if entry.name.startswith(".") and not part.startswith("."):
            continue
        if deep:
            if entry.is_dir(follow_symlinks=False):
                yield from _matching(path, parts, looked_at)
        elif fnmatchcase(entry.name, part):
            if rest and entry.is_dir():
                yield from _matching(path, rest, looked_at)
            elif not rest and entry.is_file():
                yield path


def files_like(text: str) -> list[Path]:
    """The files of a pattern; none, and a path that is no pattern, is an error that suggests the nearest name."""
    path = Path(text)
    if glob.has_magic(text):
        if matched := files_matching(text):
            return matched
        raise FileError(f"no file matches {text}")
    if len(path.name.encode("utf-8", "surrogateescape")) > 255:
        raise FileError(f"cannot read {path.name[:40]}…: file name too long")
    beside = [p.name for p in path.parent.iterdir()] if os.path.isdir(path.parent) else []
    hint = nearest(path.name, beside)
    raise FileError(f"there is no file {text}{hint if 'did you mean' in hint else ''}")


def _regular(file: Path, name: str, temp_folder: Path, index: int) -> Path:
    """A file that can be opened again and again, unpacked where DuckDB does not do it."""
    try:
        if is_piped(file):
            file = copy_pipe(file, temp_folder / f"piped{index}{''.join(file.suffixes)}")
        elif not stat.S_ISREG(file.stat().st_mode):
            raise FileError(f"{name} is no file but a device")
        packed = packed_by(file)
        if packed is None:
            return file
        if packed == "gz":  # DuckDB unpacks it, without a limit
            for _ in pieces_of(file, name):
                pass
            return file
        named = file.with_suffix("") if file.suffix.lower() == f".{packed}" else file
        if _ending(named) in (".parquet", ".pq"):
            raise FileError(f"{name} is a packed Parquet file; unpack it: Parquet is compressed inside")
        target = temp_folder / f"unpacked{index}{''.join(named.suffixes)}"
        with target.open("wb") as out:
            out.writelines(pieces_of(file, name))
        return target
    except OSError as error:
        raise cannot_read(name, error) from None


def begins_duckdb(head: bytes) -> bool:
    """Whether a file begins as DuckDB writes it: a checksum, its mark, and a version of eight bytes, most of them 0.

    >>> begins_duckdb(b"12345678DUCK" + bytes([64, 0, 0, 0, 0, 0, 0, 0])), begins_duckdb(b"y,model,DUCKNET,DUCKLING")
    (True, False)
    """
    return head[8:12] == b"DUCK" and b"\x00" in head[12:20]


def _refuse_of_tables(file: Path, name: str) -> None:
    """Files that hold tables of their own are opened by themselves, and known by their endings."""
    head = first_bytes(file, name)
    if not head:
        raise FileError(f"{name} is empty")
    kinds = {
        ("SQLite", ".sqlite"): head.startswith(b"SQLite format 3\x00"),
        ("DuckDB", ".duckdb"): begins_duckdb(head),
        ("Excel", ".xlsx"): head.startswith(b"PK\x03\x04") and re.search(rb"docProps/|\[Content_Types\]\.xml", head),
    }
    for (program, ending), is_one in kinds.items():
        if is_one:
            raise FileError(
                f"{name} is a file of {program}, which is opened alone and by its name, not beside other files or "
                f"through a pipe: name it itself, with the ending {ending}"
            )


# The lines between the rows of a table that was drawn, and below it.
RULE = re.compile(r"[\s|+:=-]*--[\s|+:=-]*|\s*\(\d+ rows?\)\s*|\s*")


def _plain(file: Path, name: str, encoding: str | None, temp_folder: Path, index: int) -> Path:
    """The file, or a copy of it in UTF-8: of other encodings, of drawn tables (Markdown, psql), of columns of words."""
    ending = _ending(file)
    if ending in (".parquet", ".pq"):
        return file
    head = _head(file, name)
    lines = head.decode(encoding or "utf-8-sig", "replace").splitlines()
    cells = None if ending.startswith(".json") else _drawn(lines if len(head) < SAMPLE else lines[:-1])
    if encoding is None and cells is None:
        return file
    target = temp_folder / f"plain{index}{ending if ending in ENDINGS else ''}"
    try:
        with (
            io.TextIOWrapper(
                stream_of(file, name), encoding or "utf-8-sig", newline="" if cells is None else None
            ) as text,
            target.open("w", encoding="utf-8", newline="") as out,
        ):
            if cells is None:
                shutil.copyfileobj(text, out)
            else:
                rows = (cells(line) for line in lines_of(file, name) if not RULE.fullmatch(line))
                csv.writer(out, lineterminator="\n").writerows(rows)
    except (UnicodeDecodeError, csv.Error):
        raise FileError(f"{name} is not a text file in {encoding or 'UTF-8'}") from None
    return target


def _drawn(lines: Sequence[str]) -> Callable[[str], list[str]] | None:
    """How a line falls into cells where the table was drawn for people; None where delimiters part them."""
    rows = [line for line in lines if not RULE.fullmatch(line)]
    if len(rows) < 2 or "\x00" in rows[0]:
        return None
    if "|" in rows[0] and any(RULE.fullmatch(line) and "--" in line for line in lines[:3]):
        return lambda line: [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    if any(delimiter in row for row in rows[:50] for delimiter in DELIMITERS):
        return None
    widths = [len(_words(row)) for row in rows]
    return _words if widths[0] > 1 and {*widths[1:]} in ({widths[0]}, {widths[0] + 1}) else None


def _words(line: str) -> list[str]:
    """The words of a line; a quoted one may hold blanks.

    >>> _words('"a b"   0.5 yes')
    ['a b', '0.5', 'yes']
    """
    return next(csv.reader([line.strip()], delimiter=" ", skipinitialspace=True), [])


def _head(path: Path, shown: str) -> bytes:
    with stream_of(path, shown) as stream:
        return stream.read(SAMPLE)


def _ending(file: Path) -> str:
    suffixes = [s.lower() for s in file.suffixes]
    suffixes = suffixes[:-1] if suffixes and suffixes[-1][1:] in PACKED else suffixes
    return suffixes[-1] if suffixes else ""


def _format(file: Path, name: str) -> tuple[Format, bool]:
    """By the ending where it is known, else by the first bytes."""
    ending = _ending(file)
    head = first_bytes(file, name)
    if head.startswith(b"PK\x03\x04"):
        raise FileError(f"{name} is packed as a zip archive; unpack it first, by unzip")
    gzipped = head[:2] == b"\x1f\x8b"
    if ending in ENDINGS:
        return ENDINGS[ending], gzipped
    if gzipped:
        head = _head(file, name)
    if head[:4] == b"PAR1":
        return "parquet", gzipped
    if head[:6] == b"ARROW1":
        raise FileError(f"{name} is an Arrow file: give it the ending .arrow, or write it as Parquet")
    if re.match(rb"\s*<(!doctype html|html)", head, re.IGNORECASE):
        raise FileError(f"{name} is a web page, not a table: save what it shows as CSV or JSON")
    return ("json" if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") else "csv"), gzipped


def refuse_csv(files: Files, names: tuple[str, ...], error: Exception) -> FileError:
    """A CSV file that does not hold together."""
    text = str(error)
    file_name = _which(files, text)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    at = f" at line {int(line[1]):,}" if line else ""
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts:
        return FileError(f"{file_name} has {counts[2]} fields{at}, but its header names {counts[1]} columns")
    if "not utf-8" in text.lower() or "invalid unicode" in text.lower():
        return FileError(f"{file_name} is not UTF-8 text{at}; save it as UTF-8")
    if "unterminated quote" in text:
        return FileError(f"{file_name} has a quote that is not closed{at}")
    if "GZIP" in text or "gzip" in text:
        return FileError(f"{file_name} is not a complete gzip file")
    if "Maximum line size" in text:
        return FileError(f"{file_name} has a line of more than 2 MB{at}: it is no table of predictions")
    column = re.search(r'converting column "c(\d+)"\. Could not convert string "(.{0,40})', text)
    if column and int(column[1]) < len(names):
        return FileError(
            f"{file_name} has {column[2]!r} in column {names[int(column[1])]!r}{at}, unlike the other rows"
        )
    if "invalid state" in text:
        return FileError(f"{file_name} cannot be read as CSV{at}; do its lines end in different ways? Save it again")
    return FileError(f"{file_name} cannot be read as CSV{at}: {_first_sentence(text, files)}")


def refuse_json(files: Files, error: Exception) -> FileError:
    """A JSON file that does not hold together."""
    text = str(error)
    file_name = _which(files, text)
    if "GZIP" in text:
        return FileError(f"{file_name} is not a complete gzip file")
    # DuckDB counts the row after the one that it could not read.
    place = re.search(r"in (line|record/value) (\d+): ([^.\n]+)", text)
    if place:
        word = "line" if place[1] == "line" else "record"
        return FileError(f"{file_name} is not valid JSON at {word} {max(int(place[2]) - 1, 1):,}: {place[3]}")
    return FileError(f"{file_name} cannot be read as JSON: {_first_sentence(text, files)}")


def rows_of_json(path: Path, files: Files, temp_folder: Path) -> Path:
    """A table that is one JSON value, as JSON Lines."""
    name = files.shown[files.paths.index(path)]
    rows = table_rows(whole_json(path, name))
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise FileError(
            f"{name} is JSON, and no table: write a list of rows, one object each, or one object with a list a column"
        )
    target = temp_folder / f"rows{files.paths.index(path)}.json"
    target.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return target


def table_rows(value: object) -> list[object]:
    """The rows of a table that was written in one piece: by columns, by ids, as a header and rows, or inside an object.

    >>> table_rows({"truth": [0, 1], "svm": [0, 1]}), table_rows({"truth": {"0": 1, "1": 0}, "svm": {"0": 1, "1": 1}})
    ([{'truth': 0, 'svm': 0}, {'truth': 1, 'svm': 1}], [{'truth': 1, 'svm': 1}, {'truth': 0, 'svm': 1}])
    >>> table_rows({"q7": {"truth": 0, "svm": 1}, "q9": {"truth": 1, "svm": 1}})
    [{'id': 'q7', 'truth': 0, 'svm': 1}, {'id': 'q9', 'truth': 1, 'svm': 1}]
    >>> table_rows({"columns": ["truth", "svm"], "data": [[0, 1]]}) == table_rows([["truth", "svm"], [0, 1]])
    True
    >>> table_rows({"run": "a", "rows": [{"truth": 0, "svm": 1}]})
    [{'truth': 0, 'svm': 1}]
    """
    if isinstance(value, list):
        tabular = all(isinstance(row, list) and len(row) == len(value[0]) for row in value)
        named = tabular and all(isinstance(name, str) for name in value[0])
        return [dict(zip(value[0], row, strict=True)) for row in value[1:]] if named else value
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        return table_rows([value["columns"], *value["data"]])
    parts = list(value.values())
    if parts and all(isinstance(part, list) and not isinstance(next(iter(part), None), dict) for part in parts):
        same = len({len(part) for part in parts}) == 1
        return [dict(zip(value, row, strict=True)) for row in zip(*parts, strict=True)] if same else []
    if parts and all(isinstance(part, dict) and part.keys() == parts[0].keys() for part in parts):
        # pandas numbers the rows inside the columns; where the rows are outside they have names.
        inside = [*parts[0]] == [str(i) for i in range(len(parts[0]))] or len(parts[0]) > len(parts)
        ids = not inside and [*value] != [str(i) for i in range(len(value))]
        if inside:
            return [{name: part[row] for name, part in value.items()} for row in parts[0]]
        return [{"id": row, **part} if ids and "id" not in part else part for row, part in value.items()]
    tables = [part for part in parts if isinstance(part, list) and part and all(isinstance(row, dict) for row in part)]
    if not tables and isinstance(value.get("details"), dict):
        return table_rows(value["details"])
    return tables[0] if len(tables) == 1 else []


def refuse_parquet(files: Files, error: Exception) -> FileError:
    """A Parquet file that is cut short or none at all."""
    text = str(error)
    file_name = _which(files, text)
    if "magic bytes" in text or "too small" in text:
        return FileError(f"{file_name} is not a complete Parquet file; was the download or the writing cut short?")
    return FileError(f"{file_name} cannot be read as Parquet: {_first_sentence(text, files)}")


def refuse_other_columns(files: Files, columns: Sequence[Sequence[str]]) -> None:
    """Files read together must have the same columns: a column that one lacks would be empty there, or be dropped."""
    for file_name, names in zip(files.shown, columns, strict=True):
        for lacks, wanted, has, present in (
            (file_name, columns[0], files.shown[0], names), (files.shown[0], names, file_name, columns[0])
        ):  # fmt: skip
            gone = [name for name in wanted if name not in present]
            if gone:
                more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
                what = "column" if len(gone) == 1 else "columns"
                raise FileError(
                    f"{lacks} lacks the {what} {', '.join(map(repr, gone[:3]))}{more}, which {has} has; files read "
                    "together must have the same columns: name one of them, or those that are parts of one table"
                )


def damaged(name: str, error: Exception) -> FileError:
    """A file that opened well, and then could not be read to its end."""
    reason = _reason(error)
    return FileError(f"{name} is damaged inside and cannot be read{f': {reason}' if reason else ''}")


# Columns of what another program says, within a message of ours.
LONGEST_REASON = 200


def engine_failed(engine: str, error: Exception) -> InputError:
    """What an engine says of a table that it cannot read, or of a query that fails, in one sentence."""
    reason = clip(_reason(error) or type(error).__name__, LONGEST_REASON)
    return InputError(f"{engine} could not answer: {reason}; mend the table there, or save its rows as Parquet")


@contextmanager
def asking(engine: str) -> Iterator[None]:
    """Whatever goes wrong in an engine, as one sentence that names it; faults of our own stay what they are."""
    try:
        yield
    except (InputError, MemoryError, ImportError):
        raise
    except Exception as error:
        if _is_ours(error):
            raise
        raise engine_failed(engine, error) from None


# What Python says of a program that is wrong.
FAULTS = (AssertionError, NameError, AttributeError, TypeError, LookupError, ArithmeticError)


def _is_ours(error: Exception) -> bool:
    """Whether an error is a fault in a line of this package, and none that an engine raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return isinstance(error, FAULTS) and type(error).__module__ == "builtins" and module.split(".")[0] == "trueerror"


def _reason(error: Exception) -> str:
    """The sentence of an error of another program that says what went wrong: the first one, mostly."""
    lines = [line.strip(" :") for line in str(error).splitlines() if line.strip(" :")] or [""]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    # Java says last what went wrong first, and so does Python.
    said = causes[0] if causes else lines[-1] if "Traceback (most recent call last)" in lines else lines[0]
    reason = re.sub(r"^(([A-Z]\w*( [A-Z]\w*)* Error|(\w+\.)+\w+): )", "", said).strip(" .:")
    # Where files lie on this machine is nobody's business.
    reason = re.sub(r"([\"'])[^\"']*[/\\]([^\"'/\\]+)\1", r"\1\2\1", reason)
    return re.sub(r"(?<![\w.])(?:[A-Za-z]:)?[/\\][^\s\"']*[/\\]([^\s\"'/\\]+)", r"\1", reason)


def _which(files: Files, text: str) -> str:
    """The file that a message speaks of, by the name that people know."""
    for path, file_name in zip(files.paths, files.shown, strict=True):
        if str(path) in text:
            return file_name
    return files.name


def _first_sentence(text: str, files: Files) -> str:
    first = text.splitlines()[0] if text else "it is damaged"
    first = re.sub(r"^[A-Z]\w*( [A-Z]\w*)* Error: ", "", first)
    for path, file_name in zip(files.paths, files.shown, strict=True):
        first = first.replace(str(Path(path)), file_name)
    return first.rstrip(". ")


DELIMITERS = (",", "\t", ";", "|")
SAMPLE = 1 << 18


class Header(NamedTuple):
    """How a CSV file is written."""

    delimiter: str
    names: tuple[str, ...]
    decimal: str
    # How lines end, where it must be said: DuckDB takes the first line break for it, even one inside a quoted name.
    newline: str | None = None
    # Whether the first line holds the names, and how many lines stand before it, or before the rows.
    first_line: bool = True
    skip: int = 0
    # What sets thousands apart in numbers.
    thousands: str = ""


def read_header(files: Files) -> Header:
    """Delimiter, names and decimal sign, the same in all files."""
    read = partial(_no_header, files.columns) if files.columns is not None else _one_header
    headers = [read(p, s) for p, s in zip(files.paths, files.shown, strict=True)]
    refuse_other_columns(files, [header.names for header in headers])
    for file_name, header in zip(files.shown, headers, strict=True):
        if header[:2] != headers[0][:2]:
            what = "the order of the columns" if header.names != headers[0].names else "the delimiter"
            raise FileError(f"{what} of {file_name} is not that of {files.shown[0]}; files read together must agree")
    return headers[0]


def _no_header(columns: Mapping[int, str], path: Path, shown: str) -> Header:
    """How a file without a header is written, whose columns were named."""
    text = _sample(path, shown)
    skip = _lines_before(text)
    first = _first_line("".join(text.splitlines(keepends=True)[skip:]))
    delimiter = max((*DELIMITERS, " "), key=lambda d: _outside_quotes(first).count(d))
    width = len(next(csv.reader([first], delimiter=delimiter)))
    beyond = max(columns, default=0)
    if beyond > width or (len(columns) < width and list(columns) == list(range(1, beyond + 1))):
        raise FileError(
            f"names= names {beyond} columns, and the first line of {shown} has {width}: name all of them, or some by "
            f"their places, as in {{1: 'truth', {width}: 'svm'}}"
        )
    names = [columns.get(i, f"column {i}") for i in range(1, width + 1)]
    _check_names(names, shown)
    return Header(delimiter, tuple(names), ".", first_line=False, skip=skip)


def _one_header(path: Path, shown: str) -> Header:
    text = _sample(path, shown)
    skip = _lines_before(text)
    text = "".join(text.splitlines(keepends=True)[skip:])
    first = _first_line(text)
    delimiter = max(DELIMITERS, key=lambda d: _outside_quotes(first).count(d))
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip() for name in next(rows)]
    except (csv.Error, StopIteration):
        raise FileError(f"the first line of {shown} cannot be read as column names") from None
    _check_names(names, shown)
    # R writes no name above the names of the rows; a delimiter at the end of the rows makes a column of nothing.
    following = _some(rows, 20)
    unnamed = bool(following) and all(len(row) == len(names) + 1 for row in following)
    above = len(first.splitlines()) if unnamed else 0
    if unnamed:
        names.insert(0 if any(row[-1].strip() for row in following) else len(names), "")
    elif len(following) > 2 and ORANGE[0].issuperset(following[0]) and ORANGE[1].issuperset(following[1]):
        above = 3
    plain = tuple(name or f"column {i}" for i, name in enumerate(names, 1))
    decimal, thousands = _number_signs(text[len(first) :], delimiter)
    newline = None
    if "\n" in first or "\r" in first:
        ending = text[len(first) :][:2]
        newline = ending if ending == "\r\n" else ending[:1] or None
    return Header(delimiter, plain, decimal, newline, not above, skip + above, thousands)


# Orange writes two more lines of header: what the columns hold, and what they are for.
ORANGE = (
    frozenset(("c", "d", "s", "t", "continuous", "discrete", "string", "time")),
    frozenset(("", "class", "meta", "weight", "ignore")),
)


def _some(rows: Iterator[list[str]], most: int) -> list[list[str]]:
    """The first rows, up to one that cannot be read."""
    first_rows: list[list[str]] = []
    with suppress(csv.Error):
        first_rows.extend(row for row in islice(rows, most) if row)
    return first_rows


def _lines_before(text: str) -> int:
    """How many lines stand before the header: empty ones, remarks after #, and Excel's word about the delimiter."""
    lines = text.splitlines()
    plain = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    delimiter = max(DELIMITERS, key=_outside_quotes(plain).count)

    def beside(line: str) -> bool:
        # A header may begin with # too: it has as many delimiters as the line after it.
        remark = line.startswith("#") and line.count(delimiter) < _outside_quotes(plain).count(delimiter)
        return remark or not line.strip() or re.fullmatch(r'"?sep=.\"?', line.strip(), re.IGNORECASE) is not None

    return next((i for i, line in enumerate(lines) if not beside(line)), 0)


def _number_signs(text: str, delimiter: str) -> tuple[str, str]:
    """The decimal sign of the numbers, and what sets their thousands apart.

    >>> _number_signs("1;0,25", ";"), _number_signs('1,"1,250"', ","), _number_signs("1,2", ",")
    ((',', ''), ('.', ','), ('.', ''))
    """
    ends = re.escape(delimiter)
    cell = r'"([-+]?[\d,]*,[\d.]+)"' if delimiter == "," else rf'(?:^|{ends})\s*"?([-+]?\d*,\d+)"?\s*(?={ends}|\r?$)'
    numbers = re.findall(cell, text, re.MULTILINE)
    if delimiter == "," and re.search(r"(?:^|,)[-+]?\d*\.\d+(?=,|\r?$)", text, re.MULTILINE):
        numbers = [number for number in numbers if re.fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", number)]
    if delimiter == "," and all(re.fullmatch(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", number) for number in numbers):
        return ".", "," if numbers else ""
    return ("," if numbers and all(number.count(",") == 1 and "." not in number for number in numbers) else "."), ""


def _sample(path: Path, shown: str) -> str:
    head = _head(path, shown)
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


# Who predicts with so many columns has given the features, not the predictions; each is looked at to find its role.
MOST_COLUMNS = 2_000


def check_width(columns: int, name: str) -> None:
    """A table of features is none of predictions."""
    if columns > MOST_COLUMNS:
        raise FileError(
            f"{name} has {columns:,} columns; a table of predictions has at most {MOST_COLUMNS:,}: keep the truth and "
            "the models' columns"
        )


def _check_names(names: list[str], shown: str) -> None:
    check_width(len(names), shown)
    if all(re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", name) for name in names):
        raise FileError(
            f"the first line of {shown} holds numbers ({names[0]!r}), not column names: name them with names=, or "
            "add a header"
        )
    times = Counter(names)
    twice = next((name for name in names if name.strip() and times[name] > 1), None)
    if twice is not None:
        raise FileError(f"two columns of {shown} are called {twice!r}; rename one")
