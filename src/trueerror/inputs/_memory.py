"""How much memory rows would take, and refusing what is more than the budget."""

from __future__ import annotations

from trueerror.inputs._options import InputError

# Numbers that work in blocks holds at a time.
BLOCK = 1 << 20


class MemoryBudgetExceeded(InputError):
    """Rows would take more memory than they may."""


def need_memory(
    rows: int,
    columns: int,
    what: str,
    budget: int,
    *,
    all_columns: int = 0,
    clustered: bool = False,
    instead: str = "choose a metric that can be counted",
) -> None:
    """Refuse to pull rows that would take more than the budget.

    `all_columns` are those of all models: a budget for them is enough for whatever is asked next.
    """
    needed = 8 * rows * max(columns, 1)
    if needed <= budget:
        return
    enough = byte_amount(max(needed, 8 * rows * all_columns), up=True)
    reason = (
        "scores of rows in clusters are not binned, since the rows of a cluster belong together; take the rows as "
        "independent with cluster=False, which bins them, or "
        if clustered
        else f"{instead}, or "
    )
    raise MemoryBudgetExceeded(
        f"this needs {what} themselves, {rows:,} of them, about {byte_amount(needed)}, and the memory budget is "
        f'{byte_amount(budget)}: {reason}allow more with budget="{enough}"'
    )


def byte_amount(size: int, *, up: bool = False) -> str:
    """Bytes in a unit that suits; `up` for an amount that is never less.

    >>> byte_amount(3_200_000_000), byte_amount(1_231_000), byte_amount(1_231_000, up=True)
    ('3.2GB', '1.23MB', '1.24MB')
    """
    for unit, word in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            step = 10 ** (len(str(size)) - 3)
            size = -(-size // step) * step if up else size
            return f"{size / unit:.3g}{word}"
    return f"{size:d}B"
