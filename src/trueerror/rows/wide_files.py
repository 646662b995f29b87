"""Long tables that DuckDB has put side by side: of files in a table of its own, of relations in the query itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from trueerror.rows.files import FileTable
from trueerror.rows.relations import RelationTable
from trueerror.rows.sqltext import literal
from trueerror.rows.tables import Kind

_numbers = count()


class WideFileTable(FileTable):
    """Rows of the table `source` of the connection, which holds what `data` holds of other files."""

    source: str

    @classmethod
    def made(cls, table: FileTable, query: str, columns: tuple[str, ...], kinds: tuple[Kind, ...]) -> WideFileTable:
        """The answer of a query over `data` as a table, made once; DuckDB may put parts of it on disk."""
        assert table.connection is not None
        source = f"wide_{next(_numbers)}"
        with table._reading():
            table.connection.cursor().execute(f"CREATE TABLE {source} AS {query}")
        return cls._over(source, table, columns, kinds, ())

    @classmethod
    def _over(
        cls, source: str, table: FileTable, columns: tuple[str, ...], kinds: tuple[Kind, ...], where: Any
    ) -> WideFileTable:
        made = cls.__new__(cls)
        made.source = source
        FileTable.__init__(made, table.connection, table.name, columns, kinds, where)
        made.provenance = table.provenance
        return made

    def narrowed(self, column: str, value: Any) -> WideFileTable:
        where = (*self.where, (column, value))
        return self._over(self.source, self, self.columns, tuple(self._kinds.values()), where)

    def run(self, query: str, values: Sequence[Any] = ()) -> Any:
        assert self.connection is not None
        terms = " AND ".join(f"{self.place(column)} = ?" for column, _ in self.where)
        narrow = f" WHERE {terms}" if terms else ""
        given = [value for _, value in self.where] + list(values)
        return self.connection.cursor().execute(
            f"WITH counted AS (SELECT * FROM {self.source}{narrow}) {query}", given
        )  # fmt: skip

    def relation_of(self, query: str) -> Any:
        assert self.connection is not None
        terms = " AND ".join(f"{self.place(column)} = {literal(value)}" for column, value in self.where)
        narrow = f" WHERE {terms}" if terms else ""
        return self.connection.cursor().sql(f"WITH counted AS (SELECT * FROM {self.source}{narrow}) {query}")

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]


class WideRelationTable(RelationTable):
    """A relation put side by side; nothing is known of its columns but by asking."""

    def narrowed(self, column: str, value: Any) -> WideRelationTable:
        kinds = tuple(self._kinds.values())
        return WideRelationTable(self.relation, self.data, self.columns, kinds, (*self.where, (column, value)))

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]
