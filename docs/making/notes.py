"""The list of decisions about the design, from their first lines."""

from __future__ import annotations

from pathlib import Path

from making.markdown import page


def notes_page(folder: Path) -> str:
    """Each note by its title."""
    notes = sorted(p for p in folder.glob("*.md") if p.name != "index.md")
    lines = [f"- [{_title(p)}]({p.name})" for p in notes]
    return page(
        "Decisions",
        "Why the house is built as it is: short numbered notes. A change of plan starts with a note here.",
        "\n".join(lines),
    )


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ").strip()
