"""Small pieces of Markdown that the generated pages share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text inside a table: a bar would end the cell, a star or underscore would change the type."""
    for mark in "\\|*_<{$":
        text = text.replace(mark, "\\" + mark)
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that are Markdown already."""
    lines = [list(head), ["---"] * len(head), *(list(r) for r in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def code(text: str) -> str:
    """Inline code."""
    return f"`{text}`" if text else ""


def toctree(*pages: str, hidden: bool = False) -> str:
    """The pages below this one."""
    return "\n".join(["```{toctree}", ":maxdepth: 1", *([":hidden:"] if hidden else []), "", *pages, "```"])


def page(title: str, *parts: str, keywords: Iterable[str] = ()) -> str:
    """A generated page; keywords are what people type when they look for it."""
    words = "; ".join(keywords)
    head = [f"# {title}", *([f"<!-- keywords: {words} -->"] if words else [])]
    return "\n\n".join([*head, *(p.strip("\n") for p in parts if p)]) + "\n"
