"""The score tables of folds, and whether scores of different folds can be compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.taking import is_predictions
from trueerror.inputs.errors import InputError
from trueerror.metrics.areas import auc
from trueerror.results.words import number
from trueerror.rows.openable import is_openable, opened
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
# Scores of different folds are called incomparable when pairs across folds are ordered worse by this much.
LOSS = 0.01


class Folds(NamedTuple):
    """One score table a fold, in order; `repeats` rounds of folds over the same rows."""

    tables: tuple[ScoreTable, ...]
    repeats: int
    name: str = ""


def take_folds(data: Any, model: str | None, what: str) -> Folds:
    """Folds from Predictions with folds (a path or a table too), or from a list of score tables or curves."""
    if is_openable(data):
        data = opened(data)
    if is_predictions(data):
        return _from_predictions(data, model, what)
    if isinstance(data, ScoreTable) or not isinstance(data, Sequence):
        raise InputError(f"{what} takes a list of score tables or curves, one for each fold, or Predictions with folds")
    tables = []
    for i, item in enumerate(data):
        table = item if isinstance(item, ScoreTable) else getattr(item, "table", None)
        if not isinstance(table, ScoreTable):
            raise InputError(f"item {i + 1} of {what} is a {type(item).__name__}, not a score table or a curve")
        tables.append(table)
    if len(tables) < 2:
        raise InputError(f"{what} needs at least two, but got {len(tables)}")
    if len({t.positive for t in tables}) > 1:
        classes = " and ".join(sorted({repr(t.positive) for t in tables}))
        raise InputError(f"{what} must speak of one positive class, not of {classes}")
    names = {str(getattr(item, "name", "")) for item in data}
    return Folds(tuple(tables), 1, names.pop() if len(names) == 1 else "")


def _from_predictions(data: Any, model: str | None, what: str) -> Folds:
    name = data.only(model)
    if not data.has_key("folds"):
        raise InputError(f"{what} from Predictions needs folds= (in te.read: fold=)")
    rounds = [data]
    if data.has_key("repeats"):
        rounds = [data.slice(r, "repeats") for r in data.keys("repeats").names]
    tables = [part.slice(f, "folds").scores(name) for part in rounds for f in part.keys("folds").names]
    if len(tables) < 2:
        raise InputError(f"{what} needs at least two folds, but there is one")
    return Folds(tuple(tables), len(rounds), name)


def pooled_table(tables: Sequence[ScoreTable]) -> ScoreTable:
    """All rows in one table."""
    return ScoreTable.total(tables)


def comparability(tables: Sequence[ScoreTable]) -> str:
    """A warning where the scores of different folds do not lie on one scale, else "".

    Each fold's model may be fine by itself while its scores are shifted against the others'. Then pairs of rows from
    different folds are ordered worse than pairs of one fold, and within a class the folds' scores differ by more than
    chance (Kruskal and Wallis).

    >>> a = ScoreTable.count([0, 1] * 20, [i / 40 for i in range(40)])
    >>> comparability([a, a])
    ''
    """
    both = [t for t in tables if t.n_positive > 0 and t.n_negative > 0]
    if len(both) < 2:
        return ""
    pool = pooled_table(both)
    pairs = np.array([float(t.n_positive) * float(t.n_negative) for t in both])
    within = float(np.array([auc(t) for t in both]) @ pairs / pairs.sum())
    all_pairs = float(pool.n_positive) * float(pool.n_negative)
    across = (auc(pool) * all_pairs - within * float(pairs.sum())) / (all_pairs - float(pairs.sum()))
    if within - across <= LOSS:
        return ""
    p = _differ([t.positives for t in both], [t.negatives for t in both], pool, both)
    if p >= 0.001:
        return ""
    return (
        f"the folds' scores are not on one scale: pairs within a fold are ordered right {number(within)} of the time, "
        f"pairs across folds {number(across)}; average over folds rather than pool them"
    )


def _differ(
    positives: list[NDArray[Any]], negatives: list[NDArray[Any]], pool: ScoreTable, tables: Sequence[ScoreTable]
) -> float:
    """The p-value of Kruskal and Wallis's test that folds share one distribution, both classes added."""
    from scipy.special import chdtrc

    statistic, df = 0.0, 0
    for total, parts in ((pool.positives, positives), (pool.negatives, negatives)):
        n = float(total.sum())
        ranks = np.cumsum(total) - (total - 1) / 2
        ties = 1 - float((total.astype(np.float64) ** 3 - total).sum()) / (n**3 - n) if n > 1 else 0.0
        if ties <= 0:
            continue
        for table, part in zip(tables, parts, strict=True):
            size = float(part.sum())
            if size > 0:
                mean = float(ranks[np.searchsorted(pool.scores, table.scores)] @ part) / size
                statistic += 12 / (n * (n + 1)) * size * (mean - (n + 1) / 2) ** 2 / ties
        df += len(parts) - 1
    return float(chdtrc(df, statistic)) if df else math.nan
