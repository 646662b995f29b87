"""Tables as values, and the four ways they are written: plain text, Markdown, LaTeX, HTML."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from trueerror.results.base import Result

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
    '"': "''",
    "…": r"\ldots{}",
    "–": "--",
}


def latex_escape(text: str) -> str:
    """User text, safe inside LaTeX.

    >>> latex_escape("a_b & 5 %")
    'a\\\\_b \\\\& 5 \\\\%'
    """
    return "".join(LATEX_SPECIAL.get(c, c) for c in text)


def markdown_escape(text: str) -> str:
    """User text, safe inside a Markdown table cell."""
    escaped = html.escape(text, quote=False)
    for mark in "\\|*_`[]":
        escaped = escaped.replace(mark, "\\" + mark)
    return " ".join(escaped.split())


def one_line(text: str) -> str:
    """User text without control characters, so that it cannot break a terminal or a table."""
    return "".join(c if c.isprintable() else " " for c in text)


def width(text: str) -> int:
    """How many columns a terminal gives this text: wide characters count two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: str, room: int) -> str:
    """Text cut to `room` columns in the middle, since long names often differ at their ends.

    >>> clip("resnet50_frozen_layers", 12)
    'resnet…ayers'
    """
    if width(text) <= room:
        return text
    front, back = "", ""
    for c in text:
        if width(front + c) > (room - 1 + 1) // 2:
            break
        front += c
    for c in reversed(text):
        if width(front) + 1 + width(c + back) > room:
            break
        back = c + back
    return f"{front}…{back}"


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

    def text(self, room: int = 80) -> str:
        """Aligned columns within `room` characters; long names are clipped, numbers never."""
        cells = [[one_line(c) for c in row] for row in (self.columns, *self.rows)]
        widths = [max(width(row[i]) for row in cells) for i in range(len(self.columns))]
        for _ in range(self.names * 200):
            excess = sum(widths) + 2 * (len(widths) - 1) - room
            longest = max(range(self.names), key=lambda i: widths[i], default=-1)
            if excess <= 0 or longest < 0 or widths[longest] <= 8:
                break
            widths[longest] = max(8, widths[longest] - excess)
        lines = []
        for row in cells:
            parts = []
            for i, cell in enumerate(row):
                shown = clip(cell, widths[i])
                pad = " " * (widths[i] - width(shown))
                parts.append(shown + pad if i < self.names else pad + shown)
            lines.append("  ".join(parts).rstrip())
        return "\n".join(([self.title] if self.title else []) + lines)

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
    from trueerror.results.words import number

    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        return f"{value:,}" if isinstance(value, int) else number(value)

    columns = tuple(records[0]) if records else ()
    rows = tuple(tuple(cell(record.get(c)) for c in columns) for record in records)
    return Table(columns=columns, rows=rows, names=names, title=title)
