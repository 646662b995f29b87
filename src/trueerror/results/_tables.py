"""Tables as values, and the four ways they are written: plain text, Markdown, LaTeX, HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from trueerror.results._base import Result
from trueerror.results._document import WIDTH, Cell, TableBlock
from trueerror.results._format import aligned_columns, number

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "<": "$<$",
    ">": "$>$",
    "…": r"\ldots{}",
    "–": "--",
}


def latex_escape(text: str) -> str:
    """User text, safe inside LaTeX.

    >>> latex_escape("a_b & 5 %")
    'a\\\\_b \\\\& 5 \\\\%'
    >>> print(latex_escape('always "legit"'))
    always ``legit''
    """
    # A straight quote opens at the start of a word and closes elsewhere.
    quoted = re.sub(r'(?<![^\s(\[–-])"', "``", text).replace('"', "''")
    return "".join(LATEX_SPECIAL.get(c, c) for c in quoted)


def markdown_escape(text: str) -> str:
    """User text, safe inside a Markdown table cell."""
    escaped = html.escape(text, quote=False)
    for mark in "\\|*_`[]":
        escaped = escaped.replace(mark, "\\" + mark)
    return " ".join(escaped.split())


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table(Result):
    """Cells of text under headings; the first `names` columns are left-aligned names, the rest numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    title: str = ""

    def records(self) -> list[dict[str, object]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int = WIDTH) -> str:
        """Aligned columns within `most` characters; long names are cut but stay different, numbers and headings are
        never cut. A heading of several words goes over two lines where that saves names from being cut.
        """
        lines = aligned_columns(self.columns, self.rows, self.names, most)
        return "\n".join([self.title, *lines] if self.title else lines)

    def to_markdown(self) -> str:
        head = "| " + " | ".join(markdown_escape(c) for c in self.columns) + " |"
        rule = "|" + "|".join(" --- " if i < self.names else " ---: " for i in range(len(self.columns))) + "|"
        body = ["| " + " | ".join(markdown_escape(c) for c in row) + " |" for row in self.rows]
        return "\n".join([head, rule, *body])

    def to_latex(self) -> str:
        """A `tabular` with booktabs rules."""
        spec = "l" * self.names + "r" * (len(self.columns) - self.names)
        lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
        lines.append(" & ".join(latex_escape(c) for c in self.columns) + r" \\")
        lines.append(r"\midrule")
        lines += [" & ".join(latex_escape(c) for c in row) + r" \\" for row in self.rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])

    def _repr_html_(self) -> str:
        def cells(row: Sequence[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="text-align:{"left" if i < self.names else "right"}">{html.escape(c)}</{tag}>'
                for i, c in enumerate(row)
            )

        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in self.rows)
        return f"<table>{caption}<thead><tr>{cells(self.columns, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def from_records(records: Sequence[dict[str, object]], *, names: int = 1, title: str = "") -> Table:
    """A table of any records, numbers rounded as everywhere."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        return f"{value:,}" if isinstance(value, int) else number(value)

    columns = tuple(records[0]) if records else ()
    rows = tuple(tuple(cell(record.get(c)) for c in columns) for record in records)
    return Table(columns=columns, rows=rows, names=names, title=title)


def cells_block(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, names: int = 1, title: str = ""
) -> TableBlock:
    """A table of cells that know what they are sorted by."""
    text = tuple(tuple(shown for shown, _ in row) for row in rows)
    table = Table(columns=tuple(columns), rows=text, names=names, title=title)
    return TableBlock(table, keys=[[key for _, key in row] for row in rows])
