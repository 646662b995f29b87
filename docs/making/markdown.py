"""Small pieces of Markdown that the generated pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by docs/build.py from the code: change the code, not this page. -->"


def cell(text: str) -> str:
    """Text inside a table: a bar would end the cell, a star or underscore would change the type."""
    for mark in "\\|*_<":
        text = text.replace(mark, "\\" + mark)
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [list(head), ["---"] * len(head), *(list(r) for r in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: str) -> str:
    """Inline code."""
    return f"`{text}`" if text else ""


def page(title: str, *parts: str) -> str:
    """A generated page."""
    return "\n\n".join([MADE, f"# {title}", *(p.strip("\n") for p in parts if p)]) + "\n"
