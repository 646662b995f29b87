"""Data sets from files: a column of classes, and features from all the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from trueerror.experiments.datasets import Dataset
from trueerror.inputs.arrays import missing_rows
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import label_from_text
from trueerror.results.words import listing
from trueerror.rows.tables import Table, need_column

# A text column with more values than this is a name or a note, not a feature.
MOST_VALUES = 50


def read_dataset(
    path: str | os.PathLike[str],
    *,
    target: str,
    positive: Any = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    cluster: str | None = None,
    weight: str | None = None,
    id: str | None = None,
) -> Dataset:
    """A data set from a CSV, Parquet or JSON Lines file.

    `target` is the column of classes; `features` all other columns unless they are named. Numbers and booleans are
    taken as they are (NaN where missing: use a learner that takes it, or an imputer), a text column becomes a 0/1
    column for each of its values, in alphabetical order.
    """
    from trueerror.rows.opening import open_files

    table: Table = open_files(os.fspath(path))
    target = need_column(table, target, "target")
    special = {
        option: need_column(table, column, option)
        for option, column in (("cluster", cluster), ("weight", weight), ("id", id))
        if column is not None
    }
    left_out = {target, *special.values(), *(need_column(table, column, "drop") for column in drop)}
    if features is None:
        chosen = [column for column in table.columns if column not in left_out]
    else:
        chosen = [need_column(table, column, "features") for column in features]
        if target in chosen:
            raise InputError(f"features= names {target!r}, the column of classes, which learners must not see")
    if not chosen:
        raise InputError(f"{table.name} has no features beside {target!r}")
    parts = {column: _numbers(table, column) for column in chosen}
    unfit = [f"{column!r} ({reason})" for column, reason in parts.items() if isinstance(reason, str)]
    if unfit:
        raise InputError(
            f"of the columns of {table.name} {listing(unfit)} cannot be features: name them under drop, cluster or "
            "id, or turn them into numbers first"
        )
    X = np.column_stack([part for found in parts.values() for part in found])
    y = table.values(target)
    if isinstance(positive, str):
        values = Dataset(np.zeros((len(y), 1)), y).labels
        positive = label_from_text(positive, values)
    made = Dataset(
        X,
        y,
        positive=positive,
        clusters=table.values(special["cluster"]) if "cluster" in special else None,
        weights=table.values(special["weight"]) if "weight" in special else None,
        ids=table.values(special["id"]) if "id" in special else None,
    )
    made.names = tuple(column for column, found in parts.items() for _ in found)
    return made


def _numbers(table: Table, column: str) -> list[Any] | str:
    """The feature columns that a column of the file becomes, or why it becomes none."""
    kind = table.kind(column)
    values = table.values(column)
    if kind in ("boolean", "integer", "number"):
        gone = missing_rows(values)
        if not gone.any():
            return [values.astype(np.float64)]
        filled = np.full(len(values), np.nan)
        filled[~gone] = values[~gone].astype(np.float64)
        return [filled]
    if kind != "text":
        return f"{kind}s"
    texts = np.array(["" if v is None else str(v) for v in values])
    names = np.unique(texts)
    if len(names) > MOST_VALUES:
        return f"text with {len(names):,} different values"
    return [(texts == name).astype(np.float64) for name in names]
