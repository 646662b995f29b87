"""Cross-validation: k folds, and one row at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueerror.resampling.dealing import Rows, deal
from trueerror.resampling.plans import Plan, Split, enough, whole


@dataclass(frozen=True)
class KFold(Plan):
    """k-fold cross-validation, repeated: each row is tested once in each repeat.

    Rows are shuffled, classes spread evenly over the folds (`stratify=False` for not), clusters kept together. Leftover
    rows spread over the folds. Ten folds: Kohavi (1995), IJCAI, 1137; repeats for comparing learners: Bouckaert and
    Frank (2004), PAKDD, 3.

    >>> KFold(10, repeats=10)
    KFold(k=10, repeats=10, stratify=True)
    >>> rows = Rows(codes=np.array([0, 1] * 50))
    >>> [len(s.test) for s in KFold(5).splits(rows, seed=0)]
    [20, 20, 20, 20, 20]
    """

    k: int = 10
    repeats: int = 1
    stratify: bool = True

    def __post_init__(self) -> None:
        whole(self.k, "k", 2)
        whole(self.repeats, "repeats", 1)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k, f"{self.k}-fold cross-validation")
        for repeat in range(self.repeats):
            part = deal(rows, self.k, seed=seed, stream=repeat, stratify=self.stratify)
            for fold in range(self.k):
                inside = part == fold
                yield Split(repeat=repeat, fold=fold, n=rows.n, test=np.flatnonzero(inside))

    def fits_of(self, rows: Rows) -> int:
        return self.k * self.repeats


@dataclass(frozen=True)
class LeaveOneOut(Plan):
    """Each row (each cluster, where there are clusters) is tested once, by a model fitted to all the others.

    >>> rows = Rows(codes=np.array([0, 1, 1]))
    >>> [s.test.tolist() for s in LeaveOneOut().splits(rows, seed=0)]
    [[0], [1], [2]]
    """

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, 2, "leave-one-out")
        unit = np.arange(rows.n) if rows.clusters is None else rows.clusters
        for fold in range(rows.units):
            inside = unit == fold
            yield Split(repeat=0, fold=fold, n=rows.n, test=np.flatnonzero(inside))

    def fits_of(self, rows: Rows) -> int:
        return rows.units


@dataclass(frozen=True)
class BatesCV(Plan):
    """Cross-validation with every pair of folds left out as well, for an interval of the error that holds.

    Each repeat fits k models without one fold and k(k − 1)/2 without two: R · k(k + 1)/2 fits in all, which `fits`
    tells. Bates, Hastie and Tibshirani (2024), J. Am. Stat. Assoc. 119:1434.

    >>> BatesCV().fits
    2750
    """

    k: int = 10
    repeats: int = 50
    stratify: bool = True

    def __post_init__(self) -> None:
        whole(self.k, "k", 3)
        whole(self.repeats, "repeats", 1)

    @property
    def fits(self) -> int:
        """How many fits each learner needs on each data set."""
        return self.repeats * self.k * (self.k + 1) // 2

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k, f"{self.k}-fold cross-validation")
        for repeat in range(self.repeats):
            fold_of = deal(rows, self.k, seed=seed, stream=repeat, stratify=self.stratify)
            for fold in range(self.k):
                inside = fold_of == fold
                yield Split(repeat=repeat, fold=fold, n=rows.n, test=np.flatnonzero(inside))
            for fold in range(self.k):
                for second in range(fold + 1, self.k):
                    # The rows of the first fold come first, so that each fold's losses can be told apart.
                    test = np.concatenate([np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of == second)])
                    yield Split(repeat=repeat, fold=fold, second=second, part="pair", n=rows.n, test=test)

    def fits_of(self, rows: Rows) -> int:
        return self.fits
