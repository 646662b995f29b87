"""Long tables that DuckDB has put side by side: of files in a table of its own, of relations in the query itself."""

from __future__ import annotations

from itertools import count
from typing import Any

from trueerror.rows.files import FileTable
from trueerror.rows.relations import RelationTable
from trueerror.rows.tables import Kind

_numbers = count()


class WideFileTable(FileTable):
    """Rows of the table `source` of the connection, which holds what `data` holds of other files."""

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

    def _where(self, more: tuple[tuple[str, Any], ...]) -> WideFileTable:
        return self._over(self.source, self, self.columns, tuple(self._kinds.values()), (*self.where, *more))

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]


class WideRelationTable(RelationTable):
    """A relation put side by side; nothing is known of its columns but by asking."""

    def ask_raw(self, select: str) -> tuple[Any, ...]:
        return self.ask(f"{select} FROM counted")[0]
