"""The list of decisions about the design, from their first lines."""

from __future__ import annotations

from pathlib import Path

from making.markdown import page, toctree


def notes_page(folder: Path) -> str:
    """Each note by its title."""
    notes = sorted(p for p in folder.glob("*.md") if p.name != "index.md")
    return page(
        "Decisions",
        "Why the house is built as it is: short numbered notes. A change of plan starts with a note here.",
        toctree(*(p.stem for p in notes)),
    )
