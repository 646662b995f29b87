"""Whether rows fit into the memory that they may take."""

from __future__ import annotations

from trueerror.inputs.errors import InputError
from trueerror.inputs.settings import current


def need_room(rows: int, columns: int, what: str) -> None:
    """Refuse to pull rows that would take more than the budget."""
    settings = current()
    needed = 8 * rows * max(columns, 1)
    if needed > settings.budget_bytes:
        raise InputError(
            f"this needs {what} themselves, {rows:,} of them, about {needed / 1e9:,.1f} GB, and the memory budget is "
            f'{settings.budget}; choose a metric that can be counted, or allow more: te.config(budget="…GB")'
        )
