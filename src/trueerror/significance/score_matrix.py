"""Scores of several models on several data sets: rows are data sets, columns are models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.arrays import column, matrix, same_length
from trueerror.inputs.errors import InputError
from trueerror.kernels.ranks import average_ranks

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """A complete table of scores with the names of its columns and, where known, of its rows."""

    values: Floats
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    higher_is_better: bool = True

    @property
    def ranks(self) -> Floats:
        """Rank 1 is the best model of a data set; ties share their mean rank."""
        return average_ranks(-self.values if self.higher_is_better else self.values)

    @property
    def n(self) -> int:
        """How many data sets."""
        return len(self.values)

    @property
    def k(self) -> int:
        """How many models."""
        return len(self.models)


def score_matrix(scores: Any, *, higher_is_better: bool = True, names: Iterable[Any] | None = None) -> ScoreMatrix:
    """Read a table of scores: a frame or a mapping of columns, or an array with one column for each model.

    One column of text in a frame names the data sets; so does a text index of pandas. A cell without a score is an
    error that names it.

    >>> score_matrix({"a": [0.9, 0.8], "b": [0.7, 0.8]}).ranks
    array([[1. , 2. ],
           [1.5, 1.5]])
    """
    if isinstance(scores, ScoreMatrix):
        return scores
    named = _named_columns(scores)
    if named is None:
        values = matrix(scores, "scores")
        if values.ndim != 2:
            raise InputError("scores must be a table: one row for each data set, one column for each model")
        models = [f"model {j + 1}" for j in range(values.shape[1])]
        columns: list[Any] = [values[:, j] for j in range(values.shape[1])]
        datasets: list[str] = []
    else:
        models, columns, datasets = named
    if names is not None:
        given = [str(name) for name in names]
        if len(given) != len(models):
            raise InputError(f"names= has {len(given)} names for {len(models)} columns")
        models = given
    if len(models) < 2:
        raise InputError(f"scores has {len(models)} model; ranking needs at least two columns")
    twice = next((m for i, m in enumerate(models) if m in models[:i]), None)
    if twice is not None:
        raise InputError(f"scores has two columns named {twice!r}; name them apart")
    same_length(dict(zip(models, columns, strict=True)))
    table = np.column_stack([_numbers(c, m) for c, m in zip(columns, models, strict=True)])
    if len(table) == 0:
        raise InputError("scores has no rows; ranking needs at least one data set")
    rows = tuple(datasets) or tuple(str(i + 1) for i in range(len(table)))
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        i, j = (int(v) for v in wrong[0])
        raise InputError(
            f"scores has {table[i, j]} for {models[j]!r} on data set {rows[i]!r} ({len(wrong)} such cells); "
            "leave out the model or the data set, or let te.rank say what to do with missing cells"
        )
    return ScoreMatrix(table, tuple(models), rows, higher_is_better)


def _named_columns(scores: Any) -> tuple[list[str], list[Any], list[str]] | None:
    """The columns of a mapping or a frame by name, and the names of the rows; None for a plain array."""
    if isinstance(scores, Mapping):
        columns = {str(name): values for name, values in scores.items()}
    elif hasattr(scores, "column_names"):
        columns = {str(name): scores.column(i) for i, name in enumerate(scores.column_names)}
    elif hasattr(scores, "columns"):
        if hasattr(scores, "collect"):
            raise InputError("scores is a lazy table; collect it first")
        if len(set(map(str, scores.columns))) < len(scores.columns):
            raise InputError("scores has two columns of the same name; name them apart")
        columns = {str(name): scores[name] for name in scores.columns}
    else:
        return None
    arrays = {name: column(values, name) for name, values in columns.items()}
    texts = [name for name, values in arrays.items() if _is_text(values)]
    if len(texts) > 1:
        raise InputError(f"scores has text in {texts[0]!r} and {texts[1]!r}; only one column may name the data sets")
    datasets: list[str] = []
    if texts:
        datasets = [str(v) for v in arrays.pop(texts[0])]
    elif hasattr(scores, "index") and getattr(scores.index, "inferred_type", "") == "string":
        datasets = [str(v) for v in scores.index]
    return list(arrays), list(arrays.values()), datasets


def _is_text(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "UST" or (values.dtype.kind == "O" and any(isinstance(v, str) for v in values))


def _numbers(values: Any, model: str) -> Floats:
    array = np.asarray(values)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"the scores of {model!r} must be numbers, but they hold {array.flat[0]!r:.30}") from None
