"""Score tables of shards add up: two by merging their sorted scores, many by one sort that finds sorted runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]


# Sums of more distinct scores than this are not merged before someone asks for them.
LARGE = 1 << 16


def add_score_tables(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """The table that counting both shards at once would have given.

    A sum of large tables keeps parts, each more than twice as long as the next: adding many batches to one total takes
    n log n steps in all then, instead of writing the whole total anew for each of them.

    >>> made = add_score_tables(ScoreTable.count([0, 1], [0.2, 0.9]), ScoreTable.count([1, 0], [0.2, 0.4]))
    >>> made.scores.tolist(), made.positives.tolist(), made.negatives.tolist()
    ([0.2, 0.4, 0.9], [1, 0, 1], [1, 1, 0])
    """
    _need_alike(a, b)
    parts = [*(a._parts or (a,)), *(b._parts or (b,))]
    if not a.exact or a.squares is not None or sum(len(part.scores) for part in parts) <= LARGE:
        return _merge(a, b)
    parts.sort(key=lambda part: -len(part.scores))
    while len(parts) > 1 and len(parts[-2].scores) <= 2 * len(parts[-1].scores):
        parts[-2:] = [_merge(parts[-2], parts[-1])]
        parts.sort(key=lambda part: -len(part.scores))
    return ScoreTable._sum_of(tuple(parts), _sources((a, b))) if len(parts) > 1 else parts[0]


def _merge(a: ScoreTable, b: ScoreTable) -> ScoreTable:
    """Both in one table, in time that grows with the longer one."""
    long, short = (a, b) if len(a.scores) >= len(b.scores) else (b, a)
    # The scores of the shorter table go in between those of the longer one: no sort, and no copy but the result.
    after = np.searchsorted(long.scores, short.scores)
    known = np.zeros(len(short.scores), dtype=bool)
    if len(long.scores):
        known = long.scores.take(after, mode="clip") == short.scores
    new = ~known
    place = after + np.cumsum(new) - new
    size = len(long.scores) + int(np.count_nonzero(new))
    between, both = place[new], place[known]
    own = np.ones(size, dtype=bool)
    own[between] = False

    def merged(x: NDArray[Any], y: NDArray[Any], join: Callable[..., Any]) -> NDArray[Any]:
        if x.ndim == 2:
            return np.stack([merged(*rows, join) for rows in zip(x, y, strict=True)])
        made = np.empty(size, dtype=x.dtype)
        made[own] = x
        made[between] = y[new]
        made[both] = join(made[both], y[known])
        return made

    return _table(
        (long, short),
        merged(long.scores, short.scores, np.maximum),
        merged(long.positives, short.positives, np.add),
        merged(long.negatives, short.negatives, np.add),
        None if long.squares is None or short.squares is None else merged(long.squares, short.squares, np.add),
        None if long.uppers is None or short.uppers is None else merged(long.uppers, short.uppers, np.maximum),
    )


def total_of(tables: Iterable[ScoreTable]) -> ScoreTable:
    """The sum of many tables at once.

    >>> total_of(ScoreTable.count([0, 1], [i / 4, 0.9]) for i in range(4)).positives.tolist()
    [0, 0, 0, 0, 4]
    """
    parts = list(tables)
    wrong = next((part for part in parts if not isinstance(part, ScoreTable)), None)
    if wrong is not None:
        raise InputError(f"score tables add up, and one of these is a {type(wrong).__name__}")
    if not parts:
        raise InputError("there is no score table to add up")
    for part in parts[1:]:
        _need_alike(parts[0], part)
    scores = np.concatenate([part.scores for part in parts])
    # Sorted runs one after another, which a stable sort finds and merges.
    order = np.argsort(scores, kind="stable")
    scores = scores[order]
    first = np.ones(len(scores), dtype=bool)
    np.not_equal(scores[1:], scores[:-1], out=first[1:])
    starts = np.flatnonzero(first)

    def joined(amounts: Sequence[NDArray[Any]], join: Any) -> NDArray[Any]:
        together = np.concatenate(amounts, axis=-1)[..., order]
        return together if len(starts) == len(scores) else np.asarray(join.reduceat(together, starts, axis=-1))

    squares = [part.squares for part in parts if part.squares is not None]
    uppers = [part.uppers for part in parts if part.uppers is not None]
    return _table(
        parts,
        scores[starts],
        joined([part.positives for part in parts], np.add),
        joined([part.negatives for part in parts], np.add),
        joined(squares, np.add) if squares else None,
        joined(uppers, np.maximum) if uppers else None,
    )


def _need_alike(a: ScoreTable, b: ScoreTable) -> None:
    if a.positive != b.positive:
        raise InputError(f"cannot add: positive is {a.positive!r} in one table and {b.positive!r} in the other")
    if (a.squares is None) != (b.squares is None):
        raise InputError("cannot add a table with sampling weights to one without")
    if a.exact != b.exact:
        raise InputError("cannot add an exact score table to a binned one")


def _sources(parts: Sequence[ScoreTable]) -> tuple[str, ...]:
    return tuple(sorted({source for part in parts for source in part.sources}))


def _table(
    parts: Sequence[ScoreTable],
    scores: Floats,
    positives: NDArray[Any],
    negatives: NDArray[Any],
    squares: Floats | None,
    uppers: Floats | None,
) -> ScoreTable:
    sources = _sources(parts)
    positive, exact = parts[0].positive, parts[0].exact
    if exact and squares is None:
        # Merged from sound tables: nothing is left to be checked.
        return ScoreTable._counted(scores, positives, negatives, positive=positive, sources=sources)
    return ScoreTable(
        scores, positives, negatives, positive=positive, exact=exact, squares=squares, sources=sources, uppers=uppers
    )
