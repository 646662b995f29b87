"""Whether rows fit into the memory that they may take."""

from __future__ import annotations

from trueerror.inputs.errors import InputError


class NoRoom(InputError):
    """Rows would take more memory than they may."""


def need_room(rows: int, columns: int, what: str, budget: int) -> None:
    """Refuse to pull rows that would take more than the budget."""
    needed = 8 * rows * max(columns, 1)
    if needed > budget:
        raise NoRoom(
            f"this needs {what} themselves, {rows:,} of them, about {amount(needed)}, and the memory budget is "
            f'{amount(budget)}; choose a metric that can be counted, or allow more with budget="{amount(needed)}"'
        )


def amount(size: int) -> str:
    """Bytes in a unit that suits.

    >>> amount(3_200_000_000)
    '3.2GB'
    """
    for unit, word in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g}{word}"
    return f"{size:d}B"
