"""Text that was meant as a model's answers: numbers but for a cell or two, or the truth's labels in other letters."""

from __future__ import annotations

import math
from collections.abc import Iterable

from trueerror.inputs.arrays import missing_rows
from trueerror.inputs.labels import Label
from trueerror.rows.tables import Table

LOOKED_AT = 1000
MOSTLY = 0.8


def spoilt_scores(table: Table, column: str) -> str:
    """What is wrong with a column of text that is mostly fractions; "" where it is not.

    House numbers and codes are whole, so they are left in peace.
    """
    seen = table.first(column, LOOKED_AT)
    numbers = [x for x in map(_number, seen[~missing_rows(seen)]) if x is not None]
    # One cell among a handful is one cell still.
    if len(numbers) < max(2, min(MOSTLY * len(seen), len(seen) - 1)) or all(
        x == int(x) for x in numbers if math.isfinite(x)
    ):
        return ""
    values = table.values(column)
    odd = [i for i, gone in enumerate(missing_rows(values)) if not gone and _number(values[i]) is None]
    if not odd:
        return ""
    more = f", and {len(odd) - 1:,} more such" if len(odd) > 1 else ""
    return (
        f"column {column!r} of {table.name} holds numbers, but {values[odd[0]]!r:.40} in row {odd[0] + 1:,}{more}; "
        "mend it, or leave the cell empty"
    )


def respelt_labels(table: Table, column: str, labels: Iterable[Label]) -> str:
    """What is wrong with labels that are the truth's but for case and spaces; "" where they are not."""
    known = {_letters(label): label for label in labels if isinstance(label, str)}
    values = [v for v in table.few(column, 2 * len(known)) or () if isinstance(v, str)]
    odd = next((v for v in values if v not in known.values()), None)
    if odd is None or not all(_letters(v) in known for v in values):
        return ""
    return (
        f"column {column!r} of {table.name} says {odd!r:.40} where the truth says {known[_letters(odd)]!r:.40}; "
        "spell labels alike"
    )


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _letters(label: str) -> str:
    return " ".join(label.casefold().split())
