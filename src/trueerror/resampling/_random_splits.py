"""Random test sets: one holdout, several, and what a bootstrap sample leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueerror.inputs._options import InputError
from trueerror.kernels._random import words
from trueerror.resampling._assignment import draw_share
from trueerror.resampling._plan import Ints, Plan, Rows, Split, check_test_share, check_whole, enough

# Streams of the bootstrap's further tries lie beyond those of its first.
TRIES = 1 << 40


@dataclass(frozen=True)
class Holdout(Plan):
    """Train on 2/3 of the rows, test on the other 1/3, once; or any other share.

    >>> split = next(Holdout().splits(Rows(codes=np.array([0, 1] * 45)), seed=0))
    >>> len(split.train), len(split.test)
    (60, 30)
    """

    # One model on rows that it has not seen: limits are for this model, not for the learner.
    _otherwise, _judged, _known, _of_models = "pooled", "", True, True
    test: float = 1 / 3
    stratify: bool = True

    def __post_init__(self) -> None:
        check_test_share(self.test, "test")

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        yield from _random_splits(rows, self.test, 1, seed, stratify=self.stratify)

    def fits_of(self, rows: Rows) -> int:
        return 1


@dataclass(frozen=True)
class Subsampling(Plan):
    """Repeated random subsampling: a fresh random test set each time.

    >>> rows = Rows(codes=np.array([0, 1] * 45))
    >>> [len(s.test) for s in Subsampling(3, 1 / 5).splits(rows, seed=0)]
    [18, 18, 18]
    """

    repeats: int = 10
    test: float = 1 / 3
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.repeats, "repeats", 1)
        check_test_share(self.test, "test")

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        yield from _random_splits(rows, self.test, self.repeats, seed, stratify=self.stratify)

    def fits_of(self, rows: Rows) -> int:
        return self.repeats


def _random_splits(rows: Rows, test: float, repeats: int, seed: int, *, stratify: bool) -> Iterator[Split]:
    enough(rows, 2, "a test fold")
    for repeat in range(repeats):
        inside = draw_share(rows, test, seed=seed, stream=repeat, stratify=stratify)
        yield Split(repeat=repeat, fold=0, n=rows.n, test=np.flatnonzero(inside))


@dataclass(frozen=True)
class Bootstrap(Plan):
    """b bootstrap samples: train on n rows drawn with replacement, test on the rows that were not drawn.

    One more fit, on all rows and tested on the same rows, gives the apparent error that .632 and .632+ need. Rows are
    drawn within each class (`stratify=False`: from all rows), clusters whole. Efron and Tibshirani (1997), J. Am.
    Stat. Assoc. 92:548.

    >>> splits = list(Bootstrap(2).splits(Rows(codes=np.array([0, 1] * 5)), seed=0))
    >>> [(s.part, len(s.train)) for s in splits]
    [('apparent', 10), ('fold', 10), ('fold', 10)]
    >>> set(splits[1].train.tolist()) & set(splits[1].test.tolist())
    set()
    """

    # .632 believes a learner that knows its rows by heart; out of bag is too high.
    _method, _judged, _known = "bootstrap-632+", "", True
    b: int = 200
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.b, "b", 2)

    def _suits(self, *, mean_of_rows: bool, poolable: bool, clustered: bool) -> bool:
        """.632+ is for means over rows."""
        return mean_of_rows

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, 2, "a bootstrap")
        everything = np.arange(rows.n)
        yield Split(repeat=0, fold=0, part="apparent", n=rows.n, drawn=everything, test=everything)
        units = np.arange(rows.n) if rows.clusters is None else rows.clusters
        strata = _strata(rows, units) if self.stratify else np.zeros(rows.units, dtype=np.intp)
        members = np.argsort(units, kind="stable")
        starts = np.searchsorted(units[members], np.arange(rows.units + 1))
        for replicate in range(self.b):
            drawn = _draw(strata, seed, replicate)
            train = (
                np.concatenate([members[starts[u] : starts[u + 1]] for u in drawn])
                if rows.clusters is not None
                else drawn
            )
            left = np.ones(rows.units, dtype=bool)
            left[drawn] = False
            yield Split(repeat=replicate, fold=0, n=rows.n, drawn=np.sort(train), test=np.flatnonzero(left[units]))

    def fits_of(self, rows: Rows) -> int:
        return self.b + 1


def _strata(rows: Rows, units: Ints) -> Ints:
    """The class of each unit; of a cluster, its most frequent one."""
    counts = np.zeros((rows.units, int(rows.codes.max()) + 1), dtype=np.intp)
    np.add.at(counts, (units, rows.codes), 1)
    most: Ints = counts.argmax(axis=1)
    return most


def _draw(strata: Ints, seed: int, replicate: int) -> Ints:
    """Units drawn with replacement within each stratum; at least one unit stays out."""
    for attempt in range(1000):
        lanes = words(seed, replicate + attempt * TRIES, 0, len(strata))
        drawn = np.empty(len(strata), dtype=np.intp)
        for stratum in np.unique(strata):
            inside = np.flatnonzero(strata == stratum)
            # The upper 32 bits of (32 random bits × size) are uniform to within size / 2³².
            pick = ((lanes[inside] >> np.uint64(32)) * np.uint64(len(inside))) >> np.uint64(32)
            drawn[inside] = inside[pick.astype(np.intp)]
        if len(np.unique(drawn)) < len(strata):
            return drawn
    raise InputError("every bootstrap sample holds all rows: each class has a single row; use stratify=False")
