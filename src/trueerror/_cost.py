"""`te.cost`: what the calls of a confusion matrix cost."""

from __future__ import annotations

from typing import Any

from trueerror.inputs._options import InputError
from trueerror.metrics import counts as cells
from trueerror.tallies._confusion import Confusion


def cost(confusion: Any, costs: object, *, mean: bool = False) -> float:
    """What the calls of a confusion matrix cost in all, or for a row (`mean=True`).

    `costs[i][j]` is what it costs to call a row of class i class j, in label order; negative costs are gains. For two
    classes {"fp": 1, "fn": 10} will do, and {(truth, predicted): cost} for any.

    >>> cost(Confusion([[150, 40], [60, 250]]), [[-1, 100], [1, 0]])
    3910.0
    >>> cost(Confusion([[150, 40], [60, 250]]), [[-1, 100], [1, 0]], mean=True)
    7.82
    """
    table = confusion if isinstance(confusion, Confusion) else Confusion(confusion)
    if costs is None:
        raise InputError("costs is None; give a table of costs, costs[i][j] for truth i called j")
    return float((cells.expected_cost if mean else cells.total_cost)(table, costs=costs))
