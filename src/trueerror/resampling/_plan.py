"""What a plan is: a frozen recipe for splits, with a fingerprint; and the splits that it gives.

Assigning rows to folds: shuffled, each class spread evenly, clusters kept together.

Random order comes from counter-based words (Philox, `kernels._random`), not from a library's shuffle: one seed gives
the same folds on every machine and with every version of NumPy.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError
from trueerror.kernels._numpy import words

Ints = NDArray[np.intp]
# What `rng=` takes.
Seed = int | np.random.SeedSequence | np.random.Generator | None


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


def shuffled(n: int, seed: int, stream: int) -> Ints:
    """A random order of 0 … n − 1.

    >>> sorted(shuffled(5, 0, 0).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.argsort(words(seed, stream, 0, n), kind="stable")


def assign_folds(rows: Rows, k: int, *, seed: int, stream: int, stratify: bool) -> Ints:
    """The part of each row, 0 … k − 1: sizes differ by at most one, and so do those of each class.

    >>> parts = assign_folds(Rows(codes=np.array([0] * 6 + [1] * 3)), 3, seed=0, stream=0, stratify=True)
    >>> np.bincount(parts).tolist(), np.bincount(parts[6:]).tolist()
    ([3, 3, 3], [1, 1, 1])
    """
    if rows.clusters is not None:
        return assign_clusters(rows, [1 / k] * k, seed=seed, stream=stream, stratify=stratify)
    order = shuffled(rows.n, seed, stream)
    if stratify:
        order = order[np.argsort(rows.codes[order], kind="stable")]
    parts = np.empty(rows.n, dtype=np.intp)
    # Assigning goes on from class to class, so that leftovers of one class fill up where the last one stopped.
    parts[order] = np.arange(rows.n) % k
    return parts


def draw_share(rows: Rows, share: float, *, seed: int, stream: int, stratify: bool) -> NDArray[np.bool_]:
    """Which rows are in the test fold: `share` of all rows and, stratified, of each class, to the nearest row.

    >>> test = draw_share(Rows(codes=np.array([0] * 60 + [1] * 30)), 1 / 3, seed=0, stream=0, stratify=True)
    >>> int(test[:60].sum()), int(test[60:].sum())
    (20, 10)
    """
    if rows.clusters is not None:
        parts = assign_clusters(rows, [1 - share, share], seed=seed, stream=stream, stratify=stratify)
        return np.equal(parts, 1)
    order = shuffled(rows.n, seed, stream)
    wanted = min(max(1, round(share * rows.n)), rows.n - 1)
    test = np.zeros(rows.n, dtype=bool)
    if not stratify:
        test[order[:wanted]] = True
        return test
    sizes = np.bincount(rows.codes)
    quota = largest_remainders(sizes, wanted)
    order = order[np.argsort(rows.codes[order], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    for start, count in zip(starts, quota, strict=True):
        test[order[start : start + count]] = True
    return test


def largest_remainders(sizes: Ints, total: int) -> Ints:
    """`total` split in proportion to the sizes, in whole numbers, by the largest remainders.

    >>> largest_remainders(np.array([50, 30, 20]), 7).tolist()
    [4, 2, 1]
    """
    exact = sizes * total / sizes.sum()
    base: Ints = np.floor(exact + 1e-9).astype(np.intp)
    left = total - int(base.sum())
    base[np.argsort(-(exact - base), kind="stable")[:left]] += 1
    return base


def assign_clusters(rows: Rows, shares: Sequence[float], *, seed: int, stream: int, stratify: bool) -> Ints:
    """The part of each row when clusters stay whole: large clusters first, each to the part that it suits best.

    A cluster with a_c rows of class c goes where Σ_c ((x_c + a_c)² − x_c²) / (share · T_c²) is least, x being what the
    part has and T the totals: parts grow towards their share of every class.
    """
    assert rows.clusters is not None
    if rows.units < len(shares):
        raise InputError(
            f"there are {rows.units} clusters but {len(shares)} parts are wanted; clusters stay together: use fewer"
        )
    codes = rows.codes if stratify else np.zeros(rows.n, dtype=np.intp)
    counts = np.zeros((rows.units, int(codes.max(initial=0)) + 1))
    np.add.at(counts, (rows.clusters, codes), 1)
    order = shuffled(rows.units, seed, stream)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    totals = counts.sum(axis=0)
    scale = 1 / np.where(totals > 0, totals, 1) ** 2
    share = np.asarray(shares)
    held = np.zeros((len(shares), counts.shape[1]))
    part_of = np.empty(rows.units, dtype=np.intp)
    for cluster in order:
        added = counts[cluster]
        cost = ((2 * held + added) * added * scale).sum(axis=1) / share
        part_of[cluster] = best = int(np.argmin(cost))
        held[best] += added
    if (np.bincount(part_of, minlength=len(shares)) == 0).any():
        # A tiny share can stay empty beside one huge cluster; it gets the smallest cluster.
        for empty in np.flatnonzero(np.bincount(part_of, minlength=len(shares)) == 0):
            crowded = np.bincount(part_of, minlength=len(shares))[part_of] > 1
            part_of[next(c for c in order[::-1] if crowded[c])] = empty
    return part_of[rows.clusters]


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
    """A recipe for splits. The same plan, seed and rows give the same splits everywhere."""

    @property
    def name(self) -> str:
        """The plan's kind, such as "KFold"."""
        return type(self).__name__

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

    # As `cv=` of scikit-learn.

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """(training rows, test rows) of each ordinary test fold, with seed 0, as a splitter of scikit-learn gives them.

        `groups` are clusters, which stay together. Without `y` classes cannot be spread evenly.

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
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < float(value) < 1:
        raise InputError(f"{option}={value!r} must be a share between 0 and 1, such as 1/3")
    return float(value)


def enough(rows: Rows, needed: int, what: str) -> None:
    """Refuse to split fewer rows than there are parts."""
    if rows.units < needed:
        thing = "rows" if rows.clusters is None else "clusters"
        raise InputError(f"{what} needs at least {needed} {thing}, but there are {rows.units}")
