"""Duplicate rows: copies of a row, a sample repeated below itself, test rows among training rows.

Rows carry no features here, so two rows are taken for copies when the truth and the scores of all models agree to the
last digit. That says something only where scores are fine enough not to agree by chance; elsewhere the answer is None.

Where many rows share their scores, as after oversampling or in a bootstrap sample, copies and the leaves of a tree are
distinguished by the truth: copies share it always, rows of a leaf only as often as rows with scores nearby do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.sources._keys import plain_id
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import ArraySource

# Beyond this many rows the search would take longer than all counting together.
MOST_ROWS = 2_000_000
# A score with more decimals than this is fine: two rows do not share it without a reason.
COARSE = 4
# Where more rows than this share a score on average, sharing one is how the model answers, not a copy.
SHARED = 1.5
FEW_ITEMS = 30
# On either side of a score, so many others are looked at.
NEIGHBOURS = 15
# More rows than this with one score are a leaf, where nothing else tells.
MOST_ALIKE = 5
FEW_RUNS = 10
MOST_TIMES = 20


class DuplicateRows(NamedTuple):
    """Rows that copy an earlier one (of another cluster, where there are clusters); `apart` of them lie in another
    cluster than one of their copies."""

    rows: int
    apart: int
    n: int


class RepeatedRows(NamedTuple):
    """A sample of `items` that stands there several times; `declared` where a repeat column says so, `drawn` where each
    of so many splits tested some of them, `folds` the folds of a round where only the classes in the folds say so."""

    times: int
    items: int
    declared: bool
    drawn: bool = False
    folds: int = 0


class Overlap(NamedTuple):
    """How many of the n test rows are among the training rows."""

    shared: int
    n: int


def duplicate_rows(p: Predictions) -> DuplicateRows | None:
    """Copies of rows, or None where that cannot be told: no scores, scores too coarse to know a row by, as
    grades are, or more rows than fit into the memory budget."""
    if p.n > MOST_ROWS or p.n < 2 or p.scale is not None:
        return None
    try:
        source = p.source.fetched()
    except MemoryBudgetExceeded:
        return None
    models = [m for m in p.models if p.has_scores(m)]
    marks, known = _marks(source, models)
    if not known.any():
        return None
    _, where, sizes = np.unique(marks[known], return_inverse=True, return_counts=True)
    if len(sizes) == len(where):
        return DuplicateRows(0, 0, p.n)
    all_alike = len(sizes) >= FEW_ITEMS and sizes.min() == sizes.max() > 1
    if not all_alike:
        finest = max(models, key=lambda m: len(np.unique(_first_column(source, m)[known])))
        truths = _shared_truth(source, finest, known, where)
        if truths == "leaves" or (len(where) > SHARED * len(sizes) and truths != "copies"):
            return None
    copies = int(len(where) - len(sizes))
    apart = 0
    if copies and "clusters" in source.keyed:
        clusters = source.keyed["clusters"].codes[known]
        lowest = np.full(len(sizes), np.iinfo(np.int64).max)
        highest = np.full(len(sizes), -1)
        np.minimum.at(lowest, where, clusters)
        np.maximum.at(highest, where, clusters)
        # Copies within one cluster count as one already.
        copies = apart = int((sizes - 1)[highest > lowest].sum())
    return DuplicateRows(copies, apart, p.n)


def _shared_truth(
    source: ArraySource, model: str, known: NDArray[np.bool_], where: NDArray[np.intp]
) -> Literal["copies", "leaves", "unclear"]:
    """Whether rows that share all scores share the truth as well, far more often than rows with scores nearby do.

    `where` numbers the groups of rows with the same scores and truth. A group of m rows whose neighbours are of its
    class in a share q would be pure by chance with probability q^(m − 1). Copies are pure in nearly all groups; a class
    whose rows all have scores of their own, beside one whose rows share them, is told by that alone.
    """
    scores = _first_column(source, model)[known]
    truth = source.truth[known].astype(np.int64)
    first = np.full(int(where.max()) + 1, len(where), dtype=np.int64)
    np.minimum.at(first, where, np.arange(len(where)))
    sizes = np.bincount(where)
    at, of = scores[first], truth[first]
    per_class = [float(sizes[of == c].mean()) for c in np.unique(of) if (of == c).sum() >= FEW_ITEMS]
    if len(per_class) > 1 and min(per_class) <= 1.02 and max(per_class) > SHARED:
        return "copies"
    order = np.lexsort((of, at))
    at, of, sizes = at[order], of[order], sizes[order]
    # A group is pure where no other group has its scores; those are neighbours in the order.
    alone = np.ones(len(at), dtype=bool)
    same = at[1:] == at[:-1]
    alone[1:] &= ~same
    alone[:-1] &= ~same
    shared = sizes > 1
    if int(shared.sum()) < FEW_ITEMS:
        return "leaves" if _at_the_ends(of, shared) else "unclear"
    reach = np.arange(len(at))
    low, high = np.maximum(reach - NEIGHBOURS, 0), np.minimum(reach + NEIGHBOURS + 1, len(at))
    nearby = np.zeros(len(at))
    for c in np.unique(of):
        count = np.concatenate([[0], np.cumsum(of == c)])
        mine = of == c
        nearby[mine] = ((count[high] - count[low] - 1) / np.maximum(high - low - 1, 1))[mine]
    chance = nearby[shared] ** (sizes[shared] - 1)
    pure, expected = float(alone[shared].sum()), float(chance.sum())
    spread = math.sqrt(float((chance * (1 - chance)).sum())) + 1
    if pure < 0.98 * float(shared.sum()):
        return "leaves"
    if pure - expected > 4 * spread:
        return "copies"
    # Of rows that chance explains, some scores crowd as they do in leaves.
    return "leaves" if int(sizes.max()) > MOST_ALIKE or _at_the_ends(of, shared) else "unclear"


def _at_the_ends(of: NDArray[np.int64], shared: NDArray[np.bool_]) -> bool:
    """Whether scores that several rows share lie at the ends of their class's scores, where sure models crowd.

    Rows that were copied at random lie anywhere: |2r − 1| of their ranks r has mean 1/2 and variance 1/12.
    """
    ranks = np.zeros(len(of))
    for c in np.unique(of):
        mine = of == c
        ranks[mine] = (np.arange(mine.sum()) + 0.5) / mine.sum()
    out = np.abs(2 * ranks[shared] - 1)
    return bool(len(out) and out.mean() > 0.5 + 3 * math.sqrt(1 / (12 * len(out))))


def _first_column(source: ArraySource, model: str) -> NDArray[np.float64]:
    scores = source.columns[model].scores
    assert scores is not None
    return scores.astype(np.float64).reshape(len(scores), -1)[:, -1] + 0.0


def repeated_sample(p: Predictions) -> RepeatedRows | None:
    """Whether the same items stand there several times: by the repeat column, else by a truth that repeats itself.

    Without ids the truth is compared with itself, shifted by 1/2, 1/3, … of its length. A truth that is sorted, or that
    alternates, repeats itself without being repeated, and is not counted.
    """
    if p.random_splits:
        return RepeatedRows(len(p.keys("repeats").names), p.one_round().n, True, drawn=True)
    if p.has_key("repeats"):
        keys = p.keys("repeats")
        return RepeatedRows(len(keys.names), int(keys.sizes.max(initial=0)), True) if len(keys.names) > 1 else None
    if p.has_ids or p.n > MOST_ROWS:
        return None
    truth = p.source.truth_codes()
    for times in range(MOST_TIMES, 1, -1):
        items, rest = divmod(p.n, times)
        if (
            rest == 0
            and items >= FEW_ITEMS
            and np.array_equal(truth[items:], truth[:-items])
            and _varied(truth[:items])
        ):
            return RepeatedRows(times, items, False)
    return _rounds_in_folds(p, truth)


# Blocks of folds that hold the same classes by chance less often than this are rounds of the same rows.
BY_CHANCE = 1e-3
FEW_IN_A_FOLD = 5


def _rounds_in_folds(p: Predictions, truth: NDArray[np.int64]) -> RepeatedRows | None:
    """Folds numbered through several rounds of the same rows: each round has exactly the same rows of each class.

    Of stratified folds, which differ by a row at most, the classes must repeat themselves fold by fold.
    """
    if not p.folded or not isinstance(p.source, ArraySource):
        return None
    codes, names = p.source.keyed["folds"]
    if len(names) * FEW_IN_A_FOLD > p.n:
        return None
    if not all(isinstance(name, int) for name in names):
        first, place = np.unique(codes, return_index=True)
        codes = np.argsort(first[np.argsort(place)])[codes]
    width = int(truth.max()) + 1
    counts = np.bincount(codes.astype(np.int64) * width + truth, minlength=len(names) * width).reshape(
        len(names), width
    )
    even = int(np.ptp(counts, axis=0).max()) <= 1
    for k in range(3, len(names) // 2 + 1):
        rounds = len(names) // k
        parts = counts.reshape(rounds, k, width) if rounds * k == len(names) else counts[None, None]
        blocks = parts.sum(axis=1)
        if len(parts) < 2 or (blocks != blocks[0]).any():
            continue
        items = p.n // rounds
        if even:
            found = bool((parts == parts[0]).all() and (counts != counts[0]).any())
            found = found and not np.array_equal(truth[items:], truth[:-items])
        else:
            found = rounds * _log_orders(blocks[0]) - _log_orders(counts.sum(axis=0)) < math.log(BY_CHANCE)
        if found:
            return RepeatedRows(rounds, items, False, folds=k)
    return None


def _log_orders(counts: NDArray[np.int64]) -> float:
    """The logarithm of the number of orders in which rows of these classes may stand."""
    return math.lgamma(int(counts.sum()) + 1) - sum(math.lgamma(c + 1) for c in counts.tolist())


def shared_rows(test: Predictions, training: Predictions) -> Overlap | None:
    """Test rows that are training rows too: by ids, else by the scores of the models that both have, else by the truth.

    None where nothing tells rows apart.
    """
    if max(test.n, training.n) > MOST_ROWS or not test.n or not training.n:
        return None
    if test.has_ids and training.has_ids:
        ids = [{plain_id(v) for v in _ids(p)} for p in (test, training)]
        return Overlap(len(ids[0] & ids[1]), test.n)
    common = [m for m in test.models if m in training.models and test.has_scores(m) and training.has_scores(m)]
    if common and test.labels == training.labels:
        (marks, known), (others, known_too) = (_marks(p.source.fetched(), common) for p in (test, training))
        if known.any() and known_too.any() and SHARED * len(np.unique(marks[known])) >= int(known.sum()):
            return Overlap(int(np.isin(marks[known], others[known_too]).sum()), test.n)
        # Rounded scores know no row, but two equal tables of many different rows are no accident.
        if test.n == training.n and np.array_equal(np.sort(marks), np.sort(others)):
            kinds = len(np.unique(marks))
            if kinds >= FEW_ITEMS:
                return Overlap(test.n, test.n)
    if test.n == training.n and test.fingerprint == training.fingerprint and _varied(test.source.truth_codes()):
        return Overlap(test.n, test.n)
    return None


def _marks(source: ArraySource, models: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """What is known of each row in one value, and for which rows that is fine enough to know a row by."""
    columns = [source.truth.astype(np.float64)]
    for model in models:
        scores = source.columns[model].scores
        assert scores is not None
        table = scores.astype(np.float64).reshape(len(scores), -1) + 0.0
        columns += [table[:, j] for j in range(table.shape[1])]
    n = len(source.truth)
    scored = columns[1:]
    decimals = [_decimals(c) for c in scored]
    # Scores crowd near the ends, so that a grid of 10^d values is worth about a tenth of that.
    by_chance = 10.0 * n * 10.0 ** -float(sum(decimals)) if scored else math.inf
    marks = np.zeros(n, dtype=np.uint64)
    for c in columns:
        # One 64-bit digest a row: among two million rows two agree by accident once in ten million times.
        marks = (marks ^ np.ascontiguousarray(c).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        marks ^= marks >> np.uint64(29)
        marks *= np.uint64(0xBF58476D1CE4E5B9)
        marks ^= marks >> np.uint64(32)
    known = np.zeros(n, dtype=bool)
    for c in scored if by_chance < 0.01 else ():
        # Near a value with few decimals, such as 0 and 1, many scores crowd together.
        fine = ~_on_grid(c, COARSE, slack=0.01)
        # Where one score of a model goes with many of the others it is a leaf of a tree: no row is known by it.
        most = SHARED * len(np.unique(c[fine]))
        leaves = len(scored) > 1 and int(fine.sum()) > most and len(np.unique(marks[fine])) > most
        known |= fine & (not leaves)
    return marks, known


def _on_grid(values: NDArray[np.float64], decimals: int, slack: float = 1e-9) -> NDArray[np.bool_]:
    """Which values have at most so many decimals, but for `slack` of the last one; an absent one has none."""
    scaled = values * 10.0**decimals
    with np.errstate(invalid="ignore"):
        near = np.abs(scaled - np.rint(scaled)) <= slack + 4 * np.finfo(np.float64).eps * np.abs(scaled)
    return near | ~np.isfinite(values)


def _decimals(values: NDArray[np.float64]) -> int:
    """With how many decimals the scores were written; 15 stands for all of them."""
    return next((d for d in range(1, 13) if _on_grid(values[:64], d).all() and _on_grid(values, d).all()), 15)


def _ids(p: Predictions) -> Array:
    ids = p.source.fetched().ids
    assert ids is not None
    return ids


def _varied(truth: Array) -> bool:
    """Whether an order of classes is so mixed that it does not come up twice by chance."""
    changes = int((truth[1:] != truth[:-1]).sum())
    if changes < FEW_RUNS:
        return False
    return not any(np.array_equal(truth[step:], truth[:-step]) for step in range(1, min(FEW_ITEMS, len(truth))))
