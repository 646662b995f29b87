"""What a result says, as blocks that every renderer reads: terminal, notebook, Markdown, LaTeX and the report."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import TYPE_CHECKING

from trueerror.results._format import filled, one_line

if TYPE_CHECKING:
    from trueerror.results._tables import Table

# Columns of a terminal.
WIDTH = 80
# What a table shows, and what it is sorted by.
Cell = tuple[str, float | None]


class Media(Flag):
    """Where a block is shown; EXPORT is Markdown and LaTeX."""

    TEXT = auto()
    NOTEBOOK = auto()
    EXPORT = auto()
    SCREEN = TEXT | NOTEBOOK
    ALL = TEXT | NOTEBOOK | EXPORT


@dataclass(frozen=True, slots=True)
class Words:
    """Text as it is, for results that lay out their own lines."""

    words: str
    where: Media = Media.SCREEN

    def text(self) -> str:
        return self.words

    def html(self) -> str:
        lead, _, rest = self.words.partition("\n")
        more = f"<pre>{html.escape(rest)}</pre>" if rest.strip() else ""
        return f"<p>{html.escape(lead)}</p>{more}"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of prose, each wrapped by itself; `hanging` is the indent of what a line runs over to."""

    lines: tuple[str, ...]
    hanging: str = ""
    where: Media = Media.TEXT

    def text(self) -> str:
        return "\n".join([filled(line, WIDTH, subsequent_indent=self.hanging) for line in self.lines])

    def html(self) -> str:
        return f"<p>{html.escape(chr(10).join(self.lines))}</p>" if self.lines else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from the numbers, in plain words: one sentence or a few on each line."""

    lines: tuple[str, ...]
    width: int = WIDTH - 2
    where: Media = Media.SCREEN

    def text(self) -> str:
        return "\n".join(
            [filled(line, self.width, initial_indent="  ", subsequent_indent="  ") for line in self.lines if line]
        )

    def html(self) -> str:
        words = " ".join(self.lines)
        return f"<p><b>{html.escape(words)}</b></p>" if words else ""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table, what is said right beneath it in a terminal, and what its cells are sorted by in the report.

    `pieces` are the same cells in tables that fit a terminal, where one would be too wide.
    """

    table: Table
    beneath: tuple[str, ...] = ()
    pieces: tuple[Table, ...] = ()
    keys: Sequence[Sequence[float | None]] | None = None
    where: Media = Media.ALL

    def text(self) -> str:
        shown = "\n\n".join(table.text(WIDTH) for table in self.pieces or (self.table,))
        return "\n".join([shown, *(filled(line, WIDTH) for line in self.beneath)])

    def html(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, slots=True)
class Bullets:
    """Findings: `lines` for a terminal, where names are few, `items` with all of them for a list."""

    lines: tuple[str, ...]
    items: tuple[str, ...]
    where: Media = Media.SCREEN

    def text(self) -> str:
        return "\n".join([filled(line, WIDTH, subsequent_indent="  ") for line in self.lines])

    def html(self) -> str:
        return f"<ul>{''.join(f'<li>{html.escape(item)}</li>' for item in self.items)}</ul>" if self.items else ""


@dataclass(frozen=True, slots=True)
class Footer:
    """Of what the numbers are estimates, and by which methods."""

    lines: tuple[str, ...]
    hanging: str = ""
    where: Media = Media.SCREEN

    def text(self) -> str:
        return Paragraph(self.lines, self.hanging).text()

    def html(self) -> str:
        return f"<p><small>{html.escape(chr(10).join(self.lines))}</small></p>" if self.lines else ""


Block = Words | Paragraph | Verdict | TableBlock | Bullets | Footer


@dataclass(frozen=True, slots=True)
class Document:
    """The blocks of a result, in the order in which they are read."""

    blocks: tuple[Block, ...]

    def _shown(self, where: Media) -> list[Block]:
        return [block for block in self.blocks if where & block.where]

    @property
    def lead(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text().partition("\n\n")[0].split())

    def text(self) -> str:
        """For a terminal."""
        return "\n\n".join(words for block in self._shown(Media.TEXT) if (words := block.text()))

    def html(self) -> str:
        """For a notebook."""
        parts: list[str] = []
        after_table = False
        for block in self._shown(Media.NOTEBOOK):
            is_table = isinstance(block, TableBlock)
            parts += [*(["<br>"] if after_table and is_table else []), block.html()]
            after_table = is_table
        return f"<div>{''.join(parts)}</div>"

    def tables(self) -> list[Table]:
        """The tables that are exported."""
        return [block.table for block in self._shown(Media.EXPORT) if isinstance(block, TableBlock)]


def page(
    reading: str, verdict: Sequence[str], *blocks: Block | None, footer: Sequence[str] = (), hanging: str = ""
) -> Document:
    """The usual order: what was read, the verdict, tables and the rest (None is left out), then the small print."""
    between = tuple(block for block in blocks if block is not None)
    return Document((data_summary(reading), Verdict(tuple(verdict)), *between, Footer(tuple(footer), hanging)))


def data_summary(reading: str, *, by_line: bool = False) -> Paragraph:
    """What was read, as the first paragraph of a result; `by_line` keeps its lines apart."""
    lines = reading.splitlines() if by_line else [reading] if reading else []
    return Paragraph(tuple(map(one_line, lines)), where=Media.SCREEN)
