"""Plans that wrap or set up others for studies: training rows tested as well, several seeds, training sets redrawn.

`GrowingSubsets` are nested subsets of each training set, all tested on the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from trueerror.inputs._options import InputError, check_word
from trueerror.resampling._plan import Ints, Plan, Rows, Split, assign_folds, check_whole, draw_share, enough, shuffled
from trueerror.resampling._splits import Bootstrap

Redraw = Literal["bootstrap", "half", "fresh"]


@dataclass(frozen=True)
class WithTraining(Plan):
    """Another plan whose models are tested on their own training rows too, after the rows held out.

    >>> from trueerror.resampling._cross_validation import KFold
    >>> split = next(WithTraining(KFold(5)).splits(Rows(codes=np.array([0, 1] * 10)), seed=0))
    >>> split.part, split.second, len(split.test)
    ('seen', 4, 20)
    """

    plan: Plan

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        for split in self.plan.splits(rows, seed):
            if split.part == "fold":
                train = split.train
                yield replace(
                    split, part="seen", second=len(split.test), drawn=train, test=np.concatenate([split.test, train])
                )

    def fits_of(self, rows: Rows) -> int:
        return sum(split.part == "fold" for split in self.plan.splits(rows, 0))


@dataclass(frozen=True)
class Reseeded(Plan):
    """Another plan, each of whose splits is fitted with several random states.

    The first fit is an ordinary one ("fold"), the others are of the kind "seed", `second` being the number of the seed:
    so that what comes from the learner's own chance can be told from what comes from the rows.

    >>> from trueerror.resampling._cross_validation import KFold
    >>> [s.part for s in Reseeded(KFold(2), 2).splits(Rows(codes=np.array([0, 1] * 4)), seed=0)]
    ['fold', 'seed', 'fold', 'seed']
    """

    plan: Plan
    seeds: int = 1

    def __post_init__(self) -> None:
        check_whole(self.seeds, "seeds", 1)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        for split in self.plan.splits(rows, seed):
            if split.part != "fold":
                raise InputError(f"the plan {self.plan.name} has parts of its own; use KFold, Subsampling or Holdout")
            yield split
            for again in range(1, self.seeds):
                yield replace(split, part="seed", second=again)

    def fits_of(self, rows: Rows) -> int:
        return self.plan.fits_of(rows) * self.seeds


@dataclass(frozen=True)
class Redrawn(Plan):
    """Training sets drawn again and again, always tested on the same last `held_out` rows.

    "bootstrap": as many rows as there are for training, drawn with replacement; "half": half of them, drawn without;
    "fresh": the rows come in `rounds` blocks of equal size, each a training set of its own.

    >>> plan = Redrawn(3, held_out=10, how="fresh")
    >>> [(s.train[0], s.train_size, s.second) for s in plan.splits(Rows(codes=np.array([0, 1] * 35)), seed=0)]
    [(np.int64(0), 20, 10), (np.int64(20), 20, 10), (np.int64(40), 20, 10)]
    """

    rounds: int = 100
    held_out: int = 1
    how: Redraw = "bootstrap"
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.rounds, "rounds", 1)
        check_whole(self.held_out, "held_out", 1)
        check_word(self.how, ("bootstrap", "half", "fresh"), "how")

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.held_out + 4, f"{self.held_out} rows held out")
        pool = rows.n - self.held_out
        test = np.arange(pool, rows.n)
        inside = rows.part(np.arange(pool))
        drawn: Iterator[np.ndarray]
        if self.how == "bootstrap":
            draws = Bootstrap(max(2, self.rounds), stratify=self.stratify).splits(inside, seed)
            drawn = (s.train for s in draws if s.part == "fold")
        elif self.how == "half":
            drawn = (
                np.flatnonzero(draw_share(inside, 0.5, seed=seed, stream=r, stratify=self.stratify))
                for r in range(self.rounds)
            )
        else:
            block = pool // self.rounds
            if block < 2:
                raise InputError(f"{pool:,} rows are too few for {self.rounds:,} training sets")
            drawn = (np.arange(r * block, (r + 1) * block) for r in range(self.rounds))
        for at, train in zip(range(self.rounds), drawn, strict=False):
            yield Split(
                repeat=at, fold=0, part="seen", second=self.held_out, n=rows.n, drawn=train,
                test=np.concatenate([test, train]),
            )  # fmt: skip

    def fits_of(self, rows: Rows) -> int:
        return self.rounds


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
