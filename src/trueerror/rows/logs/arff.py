"""ARFF files: attributes with types, then comma-separated rows (WEKA's own format; dense rows only)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from trueerror.inputs.errors import FileError
from trueerror.rows.logs.texts import lines_of

NUMERIC = ("numeric", "real", "integer")
ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)\s+(.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its values in order where it is nominal, else `values` is None."""

    name: str
    values: tuple[str, ...] | None
    numeric: bool


@dataclass(frozen=True, slots=True)
class Arff:
    """A relation: its attributes, and a list of cells for each of them (None where missing)."""

    name: str
    attributes: tuple[Attribute, ...]
    columns: dict[str, list[str | None]]


def read_arff(path: Path) -> Arff:
    """The attributes and rows of an ARFF file."""
    relation, in_data = "", False
    attributes: list[Attribute] = []
    rows: list[list[str | None]] = []
    for number, line in enumerate(lines_of(path), 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if in_data:
            if text.startswith("{"):
                raise FileError(f"{path.name}, line {number}: sparse rows are not read; save the file as dense ARFF")
            cells = split_row(text)
            if len(cells) != len(attributes):
                raise FileError(f"{path.name}, line {number}: {len(cells)} values for {len(attributes)} attributes")
            rows.append(cells)
        elif text.lower().startswith("@relation"):
            relation = unquoted(text[len("@relation") :].strip())
        elif text.lower().startswith("@attribute"):
            attributes.append(_attribute(text, path, number))
        elif text.lower().startswith("@data"):
            in_data = True
        else:
            raise FileError(f"{path.name}, line {number}: {text!r:.40} is not ARFF")
    if not in_data or not attributes:
        raise FileError(f"{path.name} is not an ARFF file: it has no @data")
    names = [a.name for a in attributes]
    if len(set(names)) < len(names):
        raise FileError(f"{path.name} has two attributes of one name")
    return Arff(relation, tuple(attributes), {name: [row[i] for row in rows] for i, name in enumerate(names)})


def _attribute(text: str, path: Path, number: int) -> Attribute:
    found = ATTRIBUTE.match(text)
    if not found:
        raise FileError(f"{path.name}, line {number}: {text!r:.60} is not an attribute")
    name, kind = unquoted(found[1]), found[2].strip()
    if kind.startswith("{"):
        values = split_row(kind.strip().removeprefix("{").rstrip().removesuffix("}"))
        return Attribute(name, tuple("" if v is None else v for v in values), False)
    return Attribute(name, None, kind.split()[0].lower() in NUMERIC)


def split_row(text: str) -> list[str | None]:
    r"""The cells of a row: quoted by ' or ", escaped by a backslash; a bare ? is missing.

    >>> split_row(r"5.1, 'a, b', ?, 'it\'s'")
    ['5.1', 'a, b', None, "it's"]
    """
    cells: list[str | None] = []
    cell, quote, was_quoted, escaped = "", "", False, False
    for c in text + ",":
        if escaped:
            cell, escaped = cell + c, False
        elif c == "\\" and quote:
            escaped = True
        elif quote:
            cell, quote = (cell, "") if c == quote else (cell + c, quote)
        elif c in "'\"" and not cell.strip():
            cell, quote, was_quoted = "", c, True
        elif c == ",":
            whole = cell if was_quoted else cell.strip()
            cells.append(None if whole == "?" and not was_quoted else whole)
            cell, was_quoted = "", False
        elif not (was_quoted and c.isspace()):
            cell += c
    return cells


def unquoted(text: str) -> str:
    """A name without its quotes."""
    cells = split_row(text)
    return (cells[0] or "") if len(cells) == 1 else text
