"""DuckDB relations: tables that stay in the connection they are from, asked by the same SQL as files.

They do not go through narwhals, which would leave words of DuckDB 2 on stderr when Python ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.rows.files import FileTable
from trueerror.rows.nans import without_nan
from trueerror.rows.opening import plain_column
from trueerror.rows.sqltext import literal
from trueerror.rows.tables import Kind

VIEW = "trueerror_given"


class RelationTable(FileTable):
    """The rows of a relation; values go into queries as literals, since a relation takes no parameters."""

    def __init__(
        self, relation: Any, data: str, columns: tuple[str, ...], kinds: tuple[Kind, ...], where: Any = ()
    ) -> None:
        self.relation = relation
        self.data = data
        super().__init__(None, "the table", columns, kinds, where)
        self.provenance = ""

    def _where(self, more: tuple[tuple[str, Any], ...]) -> RelationTable:
        kinds = tuple(self._kinds.values())
        return type(self)(self.relation, self.data, self.columns, kinds, (*self.where, *more))

    def run(self, query: str, values: Sequence[Any] = ()) -> Any:
        first, *rest = query.split("?")
        return self.relation_of(first + "".join(literal(v) + part for v, part in zip(values, rest, strict=True)))

    def relation_of(self, query: str) -> Any:
        counted = f"(SELECT * FROM data{self._terms(literals=True)})"
        return self.relation.query(VIEW, f"WITH data AS ({self.data}), counted AS {counted} {query}")

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM {VIEW} AS r({', '.join(self._places.values())})")[0]


def open_relation(relation: Any) -> RelationTable:
    """A DuckDB relation as a table."""
    columns = tuple(str(name) for name in relation.columns)
    places = [f"c{i}" for i in range(len(columns))]
    found = [plain_column(place, str(type_)) for place, type_ in zip(places, relation.types, strict=True)]
    given = f"SELECT * FROM {VIEW} AS r({', '.join(places)})"
    numbers = without_nan(
        lambda query: relation.query(VIEW, f"WITH given AS ({given}) {query}"),
        {place: name for place, name, (_, kind) in zip(places, columns, found, strict=True) if kind == "number"},
    )
    parts = ", ".join(f"{numbers.get(place, part)} AS {place}" for place, (part, _) in zip(places, found, strict=True))
    data = f"SELECT {parts} FROM {VIEW} AS r({', '.join(places)})"
    table = RelationTable(relation, data, columns, tuple(kind for _, kind in found))
    if table.n == 0:
        raise InputError("the table has no rows")
    return table
