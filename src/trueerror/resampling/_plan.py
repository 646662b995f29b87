"""What a plan is: a frozen recipe for splits, with a fingerprint; and the splits that it gives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.results._format import escaped

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rows:
    """What a plan may know of the rows: their classes and clusters as codes, and `X` for foreign splitters only."""

    codes: Ints
    clusters: Ints | None = None
    X: Any = None

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def units(self) -> int:
        """How many units a split can separate: clusters where there are some, else rows."""
        return self.n if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    def part(self, index: Ints) -> Rows:
        """Some of the rows."""
        clusters = None if self.clusters is None else np.unique(self.clusters[index], return_inverse=True)[1]
        return Rows(codes=self.codes[index], clusters=clusters, X=None if self.X is None else take(self.X, index))


def take(values: Any, index: Ints) -> Any:
    """Rows of an array, a sparse matrix or a frame, by position."""
    if hasattr(values, "iloc"):
        return values.iloc[index]
    if isinstance(values, list | tuple):
        return [values[i] for i in index]
    return values[index]


# fold: an ordinary test fold. pair: two folds left out together (Bates). apparent: tested on its own training rows.
# inner: choosing among settings inside the training set of the outer fold. half: inside one of two disjoint halves.
# seen: tested on rows held out, `second` of them, and then on its own training rows. seed: a fold with another seed.
Part = Literal["fold", "pair", "apparent", "inner", "half", "seen", "seed"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Split:
    """Train on these rows, test on those. A bootstrap's training rows repeat.

    `repeat` and `fold` name the test fold. Of a pair, `fold` and `second` are the two folds; of an inner split, `fold`
    is the outer fold and `second` the inner one. `drawn` are the training rows where they are not simply all of the
    `n` rows that are not tested: so that leave-one-out does not hold n² numbers.
    """

    repeat: int
    fold: int
    n: int
    test: Ints
    drawn: Ints | None = None
    part: Part = "fold"
    second: int = -1

    @property
    def train(self) -> Ints:
        """The training rows."""
        if self.drawn is not None:
            return self.drawn
        kept = np.ones(self.n, dtype=bool)
        kept[self.test] = False
        return np.flatnonzero(kept)

    @property
    def train_size(self) -> int:
        """How many training rows there are."""
        return self.n - len(self.test) if self.drawn is None else len(self.drawn)

    @property
    def distinct(self) -> int:
        """How many different rows it trains on; a bootstrap sample holds some of them several times."""
        return self.train_size if self.drawn is None else len(np.unique(self.drawn))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A recipe for splits. The same plan, seed and rows give the same splits everywhere.

    A plan says how a learner is judged by it: `_method` by its key, or `_otherwise` where that does not suit the metric
    or the rows, and two learners by `_pair_method`. `_judged` is what findings call the way in which test folds are
    taken together; `_known` plans are not told by their splits. Where limits are `_of_models`, two learners are
    compared as models.
    """

    _method: ClassVar[str] = "pooled"
    _otherwise: ClassVar[str] = "corrected-t"
    _pair_method: ClassVar[str] = "corrected-t-test"
    _judged: ClassVar[str] = "corrected-t"
    _known: ClassVar[bool] = False
    _of_models: ClassVar[bool] = False

    def _suits(self, *, mean_of_rows: bool, poolable: bool, clustered: bool) -> bool:
        """Whether its method suits a metric that is a mean over rows, or whose rows can be taken together."""
        return poolable

    @property
    def name(self) -> str:
        """The plan's kind, such as "KFold"."""
        return type(self).__name__

    def __str__(self) -> str:
        """The settings as people write them: a third is 0.333.

        >>> from trueerror.resampling._random_splits import Holdout
        >>> print(Holdout())
        Holdout(test=0.333, stratify=True)
        """
        shown = repr(self)
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, float):
                shown = shown.replace(f"{f.name}={value!r}", f"{f.name}={value:.3g}")
        return shown

    def settings(self) -> dict[str, object]:
        """The settings as plain values, such as a manifest keeps."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    @property
    def fingerprint(self) -> str:
        """A digest of kind and settings: equal for equal plans, and only for them."""
        text = json.dumps([self.name, self.settings()], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        """All splits, in their order."""
        raise NotImplementedError

    def fits_of(self, rows: Rows) -> int:
        """How many fits one learner needs on these rows."""
        raise NotImplementedError

    def plot(self, **options: Any) -> Any:
        """Which rows each split trains on and tests on: of 60 rows of two classes, of `rows=`, or of labels `y=`."""
        return import_module("trueerror.plots").figure(self, **options)

    def _repr_html_(self) -> str:
        """In a notebook the settings and the picture, where the plan has one for any rows."""
        words = f"<p>{escaped(str(self))}</p>"
        try:
            return words + str(self.plot()._repr_html_())
        except InputError:
            return words

    # As `cv=` of scikit-learn.

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """(training rows, test rows) of each ordinary test fold, with seed 0, as a splitter of scikit-learn gives them.

        `groups` are clusters, which stay together. Classes cannot be spread evenly if `y` is missing.

        >>> from trueerror.resampling._cross_validation import KFold
        >>> [test.tolist() for _, test in KFold(2).split([[1]] * 4, [0, 1, 0, 1])]
        [[0, 1], [2, 3]]
        """
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        codes = np.zeros(n, dtype=np.intp) if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
        clusters = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.intp)
        for part in self.splits(Rows(codes=codes.astype(np.intp), clusters=clusters, X=X), 0):
            if part.part == "fold":
                yield part.train, part.test

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many test folds there are; leave-one-out needs the rows for that."""
        if X is None and y is None:
            parts = getattr(self, "k", 1) * getattr(self, "repeats", 1)
            return int(getattr(self, "b", parts))
        rows = X if X is not None else y
        return sum(1 for _ in self.split(rows, y, groups))


def _plain(value: object) -> object:
    return {"plan": value.name, **value.settings()} if isinstance(value, Plan) else value


def check_whole(value: Any, option: str, least: int) -> int:
    """A whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{option}={value!r} must be a whole number of at least {least}")
    return int(value)


def check_test_share(value: Any, option: str) -> float:
    """A share strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise InputError(f"{option}={value!r:.40} must be a share between 0 and 1, such as 1/3")
    return float(value)


def enough(rows: Rows, needed: int, what: str) -> None:
    """Refuse to split fewer rows than there are parts."""
    if rows.units < needed:
        thing = "rows" if rows.clusters is None else "clusters"
        raise InputError(f"{what} needs at least {needed} {thing}, but there are {rows.units}")
