"""Plans that wrap others for studies: training rows tested as well, several seeds, training sets redrawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from trueerror.inputs._options import InputError, check_word
from trueerror.resampling._assignment import draw_share
from trueerror.resampling._plan import Plan, Rows, Split, check_whole, enough
from trueerror.resampling._random_splits import Bootstrap

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
    >>> [(int(s.train[0]), s.train_size, s.second) for s in plan.splits(Rows(codes=np.array([0, 1] * 35)), seed=0)]
    [(0, 20, 10), (20, 20, 10), (40, 20, 10)]
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
