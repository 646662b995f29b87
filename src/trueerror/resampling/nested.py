"""Choosing among settings without touching the test rows: a plan inside each training part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.resampling.dealing import Rows
from trueerror.resampling.foreign import as_plan
from trueerror.resampling.plans import Plan, Split

# Each outer split has its own seeds inside, whatever the outer plan uses.
INNER = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class NestedCV(Plan):
    """An outer plan for the error, and an inner one, inside each outer training part, for choosing.

    The learners are the settings to choose among: on each outer fold the one that is best over the inner splits is
    tested, and the result speaks of "the chosen one". `inner=Holdout(1/3)` is a separate tuning set. A whole number is
    short for so many folds; scikit-learn's splitters will do too. Varma and Simon (2006), BMC Bioinformatics 7:91.

    >>> NestedCV(5, 3).outer
    KFold(k=5, repeats=1, stratify=True)
    """

    outer: Any = 10
    inner: Any = 5

    def __post_init__(self) -> None:
        for option in ("outer", "inner"):
            try:
                plan = as_plan(getattr(self, option))
            except InputError as error:
                raise InputError(f"{option}: {error}") from None
            if plan.name in ("NestedCV", "BatesCV", "Bootstrap", "DisjointHalves"):
                raise InputError(f"{option}={plan.name} cannot be nested; use KFold, Subsampling or Holdout")
            object.__setattr__(self, option, plan)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        for number, outer in enumerate(self.outer.splits(rows, seed)):
            yield outer
            train = outer.train
            inside = rows.part(train)
            for at, inner in enumerate(self.inner.splits(inside, (seed ^ (INNER * (number + 1))) % (1 << 63))):
                yield Split(
                    repeat=outer.repeat, fold=outer.fold, second=at, part="inner",
                    n=rows.n, drawn=train[inner.train], test=train[inner.test],
                )  # fmt: skip

    def fits_of(self, rows: Rows) -> int:
        outer: int = self.outer.fits_of(rows)
        first = next(iter(self.outer.splits(rows, 0)))
        inner: int = self.inner.fits_of(rows.part(first.train))
        return outer * (1 + inner)
