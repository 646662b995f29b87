"""Tables as values, and the four ways they are written: plain text, Markdown, LaTeX, HTML."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from trueerror.results._base import Result
from trueerror.results._document import WIDTH, Cell, TableBlock
from trueerror.results._format import clip as clip
from trueerror.results._format import is_numbered, number, short_names
from trueerror.results._format import one_line as one_line
from trueerror.results._format import width as width

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


# A column of names is not cut below this.
LEAST_NAME = 8
# A heading is not folded to win fewer columns than this.
LEAST_GAIN = 4


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
        heads = [one_line(c) for c in self.columns]
        columns = [[one_line(row[i]) for row in self.rows] for i in range(len(heads))]
        widths, headings = _layout(heads, columns, self.names, most)
        columns, key = _cut_names(columns, widths, self.names, most)
        height = max(map(len, headings), default=1)
        cells = [
            [*[""] * (height - len(lines)), *lines, *column] for lines, column in zip(headings, columns, strict=True)
        ]
        lines = [
            "  ".join(_aligned(cell, widths[i], left=i < self.names) for i, cell in enumerate(row)).rstrip()
            for row in zip(*cells, strict=True)
        ]
        return "\n".join([*([self.title] if self.title else []), *lines, *key])

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


def _layout(heads: list[str], columns: list[list[str]], names: int, most: int) -> tuple[list[int], list[list[str]]]:
    """How wide each column is, and its heading line by line: headings are folded first, then names are cut."""
    cells = [max(map(width, column), default=0) for column in columns]
    widths = [max(cell, width(head)) for cell, head in zip(cells, heads, strict=True)]
    if _needed(widths) > most:
        widths = _fold_headings(heads, cells, widths, most)
    headings = [_heading_lines(head, w) for head, w in zip(heads, widths, strict=True)]
    least = [max(LEAST_NAME, max(map(width, lines))) for lines in headings[:names]]
    while _needed(widths) > most and any(w > x for w, x in zip(widths, least, strict=False)):
        widths[max((i for i, x in enumerate(least) if widths[i] > x), key=lambda i: widths[i])] -= 1
    return widths, headings


def _cut_names(columns: list[list[str]], widths: list[int], names: int, most: int) -> tuple[list[list[str]], list[str]]:
    """The columns with names that fit, and a key to those that could only be numbered.

    Columns of names are cut alike: a model must look the same on both sides of a pair.
    """
    cut = [i for i, column in enumerate(columns[:names]) if max(map(width, column), default=0) > widths[i]]
    long = list(dict.fromkeys(name for i in cut for name in columns[i]))
    fitting = dict(zip(long, short_names(long, min((widths[i] for i in cut), default=most)), strict=True))
    fitted = [[fitting[name] for name in column] if i in cut else column for i, column in enumerate(columns)]
    key = [f"{short.split()[0]} {name}" for name, short in fitting.items() if is_numbered(name, short)]
    return fitted, [textwrap.fill(line, most, subsequent_indent="   ") for line in key]


def _needed(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _aligned(cell: str, columns: int, *, left: bool) -> str:
    pad = " " * (columns - width(cell))
    return cell + pad if left else pad + cell


def _heading_lines(heading: str, columns: int) -> list[str]:
    """A heading over the lines that it takes; a long word stays whole."""
    return textwrap.wrap(heading, max(columns, 1), break_long_words=False, break_on_hyphens=False) or [""]


def _fold_headings(heads: list[str], cells: list[int], widths: list[int], most: int) -> list[int]:
    """Narrower columns where a heading is wider than its cells and has a place to break; two lines at most."""
    widths = list(widths)
    # The heading that gains most goes first, and none more than needed.
    for i in sorted(range(len(heads)), key=lambda i: cells[i] - widths[i]):
        if _needed(widths) <= most:
            break
        for less in range(cells[i], widths[i] - LEAST_GAIN + 1):
            lines = _heading_lines(heads[i], less)
            if len(lines) <= 2 and max(map(width, lines)) <= less:
                widths[i] = less
                break
    return widths


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
