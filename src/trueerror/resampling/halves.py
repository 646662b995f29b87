"""Random subsampling, done again inside pairs of disjoint halves: what the conservative z needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.resampling.dealing import Rows, deal, draw_share
from trueerror.resampling.plans import Plan, Split, enough, share, whole

# Streams of the halves, and of the test parts inside them, lie beyond those of the test parts of all rows.
HALVES, INSIDE = 1 << 20, 1 << 21


@dataclass(frozen=True)
class DisjointHalves(Plan):
    """`splits` random test parts of all rows, for the estimate, and as many in each half of `repeats` pairs of halves.

    The halves of a pair share no row, so their two estimates are independent, and their difference shows the true
    variance of an estimate from half the rows. Test parts have the same number of rows in a half as in the whole.
    splits · (1 + 2 · repeats) fits: 315 by default. Nadeau and Bengio (2003), Machine Learning 52:239.

    >>> plan = DisjointHalves(2, 3)
    >>> rows = Rows(codes=np.array([0, 1] * 50))
    >>> [(s.part, len(s.test)) for s in plan.splits(rows, seed=0)][::3]
    [('fold', 10), ('half', 10), ('half', 10), ('half', 10), ('half', 10)]
    >>> plan.fits_of(rows)
    15
    """

    repeats: int = 10
    splits_each: int = 15
    test: float = 0.1
    stratify: bool = True

    def __post_init__(self) -> None:
        whole(self.repeats, "repeats", 1)
        whole(self.splits_each, "splits_each", 1)
        if share(self.test, "test") >= 0.5:
            raise InputError(f"test={self.test!r} leaves no training rows in a half; use less than 0.5, such as 0.1")

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, 4, "a test part in each of two halves")
        for at in range(self.splits_each):
            inside = draw_share(rows, self.test, seed=seed, stream=at, stratify=self.stratify)
            yield Split(repeat=at, fold=0, n=rows.n, test=np.flatnonzero(inside))
        for pair in range(self.repeats):
            side = deal(rows, 2, seed=seed, stream=HALVES + pair, stratify=self.stratify)
            for half in (0, 1):
                index = np.flatnonzero(side == half)
                part = rows.part(index)
                # As many test rows as in the whole.
                wanted = min(self.test * rows.n / len(index), 1 - 1 / len(index))
                for at in range(self.splits_each):
                    stream = INSIDE + (2 * pair + half) * self.splits_each + at
                    inside = draw_share(part, wanted, seed=seed, stream=stream, stratify=self.stratify)
                    yield Split(
                        repeat=pair, fold=half, second=at, part="half", n=rows.n, drawn=index[~inside],
                        test=index[inside],
                    )  # fmt: skip

    def fits_of(self, rows: Rows) -> int:
        return self.splits_each * (1 + 2 * self.repeats)
