"""What each kind of error costs: a matrix in the order of the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trueerror.inputs._arrays import Floats, Numeric, plain_numbers
from trueerror.inputs._labels import Label, find_label, need_positive
from trueerror.inputs._options import InputError

OUTCOMES = ("tn", "fp", "fn", "tp")


def cost_matrix(costs: object, labels: Sequence[Label], positive: Label | None = None) -> Floats:
    """Costs as K × (K + 1) numbers: rows are the truth, the last column is the cost of no prediction.

    Accepted are a K × K table in label order (negative costs are gains), the same with a column more for rows without a
    prediction, {(truth, predicted): cost} (right calls that are not named cost 0; predicted None is no prediction),
    and, for two classes, {"fp": …, "fn": …} with "tp" and "tn" where they are not 0. Where no prediction has no price,
    it costs as much as the dearest error of its class.

    >>> cost_matrix([[0, 5], [1, 0]], ("no", "yes")).tolist()
    [[0.0, 5.0, 5.0], [1.0, 0.0, 1.0]]
    >>> cost_matrix({"fp": 1, "fn": 10}, ("no", "yes"), "yes").tolist()
    [[0.0, 1.0, 1.0], [10.0, 0.0, 10.0]]
    """
    table = _from_mapping(costs, labels, positive) if isinstance(costs, Mapping) else _from_table(costs, len(labels))
    wrong = ~np.isfinite(table)
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InputError(f"costs are finite numbers, but row {i + 1}, column {j + 1} of costs is {table[i, j]}")
    k = len(labels)
    if table.shape[1] > k:
        return table
    errors = np.where(np.eye(k, dtype=bool), -np.inf, table).max(axis=1) if k > 1 else table[:, 0]
    return np.column_stack([table, errors])


def _from_table(costs: object, k: int) -> Floats:
    values = costs.to_numpy() if hasattr(costs, "to_numpy") else costs
    try:
        table = np.array(plain_numbers(values, "costs"))
    except InputError:
        raise InputError(f"costs must be a table of {k} × {k} numbers, not {costs!r:.60}") from None
    if table.shape not in ((k, k), (k, k + 1)):
        shape = " × ".join(map(str, table.shape)) or "a single number"
        raise InputError(
            f"costs is {shape}, but there are {k} classes: give {k} × {k} costs, costs[i][j] for truth i called j "
            "in label order"
        )
    return table


def _from_mapping(costs: Mapping[object, Numeric], labels: Sequence[Label], positive: Label | None) -> Floats:
    if costs and all(isinstance(key, str) for key in costs):
        return _from_outcomes(costs, labels, positive)
    k = len(labels)
    table = np.full((k, k + 1), np.nan)
    np.fill_diagonal(table, 0.0)
    for key, cost in costs.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"costs has the key {key!r:.40}; keys are pairs (truth, predicted)")
        i = labels.index(find_label(key[0], labels, "costs"))
        j = k if key[1] is None else labels.index(find_label(key[1], labels, "costs"))
        table[i, j] = _number(cost, key)
    if np.isnan(table[:, :k]).any():
        i, j = (int(x) for x in np.argwhere(np.isnan(table[:, :k]))[0])
        raise InputError(f"costs does not say what calling {labels[i]!r} {labels[j]!r} costs: add ({labels[i]!r}, "
                         f"{labels[j]!r})")  # fmt: skip
    if np.isnan(table[:, k]).all():
        return table[:, :k]
    if np.isnan(table[:, k]).any():
        i = int(np.argmax(np.isnan(table[:, k])))
        raise InputError(f"costs prices no prediction for some classes only: add ({labels[i]!r}, None)")
    return table


def _from_outcomes(costs: Mapping[object, Numeric], labels: Sequence[Label], positive: Label | None) -> Floats:
    unknown = [key for key in costs if str(key).lower() not in OUTCOMES]
    if unknown:
        raise InputError(f"costs has the key {unknown[0]!r}; the keys are 'fp', 'fn', 'tp', 'tn', or pairs of labels")
    if len(labels) != 2:
        raise InputError(f"costs by 'fp' and 'fn' are for two classes, but there are {len(labels)}: give a table")
    given = {str(key).lower(): _number(cost, key) for key, cost in costs.items()}
    if not {"fp", "fn"} <= set(given):
        raise InputError("costs needs both 'fp' and 'fn', the costs of a false alarm and of a miss")
    if positive is None:
        raise need_positive(labels, "costs by 'fp' and 'fn'")
    tn, fp, fn, tp = (given.get(key, 0.0) for key in OUTCOMES)
    table = np.array([[tn, fp], [fn, tp]])
    return table if positive == labels[1] else table[::-1, ::-1]


def _number(cost: Numeric, key: object) -> float:
    try:
        return float(cost)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"costs has {cost!r:.40} for {key!r:.40}; costs are numbers") from None
