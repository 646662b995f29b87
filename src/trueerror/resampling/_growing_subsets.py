"""`GrowingSubsets` are nested subsets of each training set, all tested on the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueerror.inputs._options import InputError
from trueerror.resampling._assignment import assign_folds, shuffled
from trueerror.resampling._plan import Ints, Plan, Rows, Split, check_whole, enough

# Streams of the order in which training rows come lie beyond those of the folds.
ORDER = 1 << 30


@dataclass(frozen=True)
class GrowingSubsets(Plan):
    """For each fold of a repeated cross-validation, the first rows of its training set, one subset inside the next.

    The order of the training rows keeps the shares of the classes at every length; each class has a row among the
    first. Clusters come whole, so that a subset may be some rows longer. Splits are of the kind "seen": tested on the
    fold and then on their own training rows; `second` says how many rows are the fold's.

    >>> plan = GrowingSubsets((10, 20), folds=5)
    >>> splits = list(plan.splits(Rows(codes=np.array([0, 1] * 50)), seed=0))
    >>> [(s.fold, s.train_size, s.second) for s in splits[:3]]
    [(0, 10, 20), (0, 20, 20), (1, 10, 20)]
    >>> set(splits[0].train) < set(splits[1].train)
    True
    """

    sizes: tuple[int, ...]
    folds: int = 5
    repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.folds, "folds", 2)
        check_whole(self.repeats, "repeats", 1)
        sizes = tuple(check_whole(s, "sizes", 1) for s in self.sizes)
        if not sizes or list(sizes) != sorted(set(sizes)):
            raise InputError(f"sizes={self.sizes!r} must be whole numbers, each larger than the one before")
        object.__setattr__(self, "sizes", sizes)

    def settings(self) -> dict[str, object]:
        return {**Plan.settings(self), "sizes": list(self.sizes)}

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.folds, f"{self.folds} folds")
        for repeat in range(self.repeats):
            part = assign_folds(rows, self.folds, seed=seed, stream=repeat, stratify=self.stratify)
            for fold in range(self.folds):
                test, pool = np.flatnonzero(part == fold), np.flatnonzero(part != fold)
                if self.sizes[-1] > len(pool):
                    raise InputError(
                        f"a training set has {len(pool):,} of the {rows.n:,} rows, fewer than the size "
                        f"{self.sizes[-1]:,}; use smaller sizes or more folds"
                    )
                stream = ORDER + repeat * self.folds + fold
                order, ends = growing_order(rows.part(pool), seed=seed, stream=stream, stratify=self.stratify)
                for size in self.sizes:
                    # The first place at or beyond the size at which no cluster is cut.
                    train = np.sort(pool[order[: ends[np.searchsorted(ends, size)]]])
                    yield Split(
                        repeat=repeat, fold=fold, part="seen", second=len(test), n=rows.n, drawn=train,
                        test=np.concatenate([test, train]),
                    )  # fmt: skip

    def fits_of(self, rows: Rows) -> int:
        return self.folds * self.repeats * len(self.sizes)


def growing_order(rows: Rows, *, seed: int, stream: int, stratify: bool) -> tuple[Ints, Ints]:
    """An order of the rows whose every beginning looks like the whole, and the lengths at which it may be cut.

    Row j of the n_c of a class, in random order, has its place at (j + ½)/n_c: so each class comes evenly. The first
    row of each class goes to the front.

    >>> order, ends = growing_order(Rows(codes=np.array([0] * 90 + [1] * 10)), seed=0, stream=0, stratify=True)
    >>> [int((order[:size] >= 90).sum()) for size in (10, 20, 50)], len(ends)
    ([1, 2, 5], 100)
    """
    order = shuffled(rows.units, seed, stream)
    if rows.clusters is not None:
        members = [np.flatnonzero(rows.clusters == unit) for unit in order]
        return np.concatenate(members), np.cumsum([len(m) for m in members])
    if stratify:
        place = np.empty(rows.n)
        sizes = np.bincount(rows.codes)
        for code in np.flatnonzero(sizes):
            inside = order[rows.codes[order] == code]
            place[inside] = (np.arange(len(inside)) + 0.5) / len(inside)
            place[inside[0]] = -1.0 / (1 + sizes[code])
        order = order[np.argsort(place[order], kind="stable")]
    return order, np.arange(1, rows.n + 1)
