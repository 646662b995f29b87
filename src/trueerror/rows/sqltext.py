"""Text that goes into queries, and what a relation looks like."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb


def quoted(text: str) -> str:
    """A text as an SQL literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def literal(value: object) -> str:
    """A text, number or boolean as an SQL literal; floats by their own digits, so that none is rounded.

    >>> literal(True), literal(0.1), literal(float("-inf"))
    ('true', "'0.1'::DOUBLE", "'-inf'::DOUBLE")
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"'{value!r}'::DOUBLE"
    return str(int(value)) if isinstance(value, int) else quoted(str(value))


def listed(texts: Iterable[object]) -> str:
    """Texts as an SQL list of literals."""
    return "[" + ", ".join(quoted(str(text)) for text in texts) + "]"


def described(connection: duckdb.DuckDBPyConnection, relation: str) -> tuple[tuple[str, ...], list[str]]:
    """The names and the types of a relation's columns."""
    found = connection.execute(f"DESCRIBE {relation}").fetchall()
    return tuple(str(row[0]) for row in found), [str(row[1]) for row in found]
