"""What a plan is: a frozen recipe for splits, with a fingerprint; and the splits that it gives.

Assigning rows to folds: shuffled, each class spread evenly, clusters kept together.

Random order comes from counter-based words (Philox, `kernels._random`), not from a library's shuffle: one seed gives
the same folds on every machine and with every version of NumPy.

Random test sets (one holdout, several, what a bootstrap sample leaves out), and test folds in order of time.

Plans that wrap or set up others for studies: training rows tested as well, several seeds, training sets redrawn.

`GrowingSubsets` are nested subsets of each training set, all tested on the same rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._options import InputError, check_word
from trueerror.kernels._random import words
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
    part_counts = np.zeros((len(shares), counts.shape[1]))
    part_of = np.empty(rows.units, dtype=np.intp)
    for cluster in order:
        added = counts[cluster]
        cost = ((2 * part_counts + added) * added * scale).sum(axis=1) / share
        part_of[cluster] = best = int(np.argmin(cost))
        part_counts[best] += added
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

    def __str__(self) -> str:
        """The settings as people write them: a third is 0.333.

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
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise InputError(f"{option}={value!r:.40} must be a share between 0 and 1, such as 1/3")
    return float(value)


def enough(rows: Rows, needed: int, what: str) -> None:
    """Refuse to split fewer rows than there are parts."""
    if rows.units < needed:
        thing = "rows" if rows.clusters is None else "clusters"
        raise InputError(f"{what} needs at least {needed} {thing}, but there are {rows.units}")


# Streams of the bootstrap's further tries lie beyond those of its first.
TRIES = 1 << 40


@dataclass(frozen=True)
class Holdout(Plan):
    """Train on 2/3 of the rows, test on the other 1/3, once; or any other share.

    >>> split = next(Holdout().splits(Rows(codes=np.array([0, 1] * 45)), seed=0))
    >>> len(split.train), len(split.test)
    (60, 30)
    """

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

    b: int = 200
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.b, "b", 2)

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


@dataclass(frozen=True)
class TimeOrdered(Plan):
    """k test folds one after the other, each tested by a model of all the rows before it; rows stand in order of time.

    Never shuffled. `gap` rows between training and test are left out, where neighbours depend on each other. Training
    parts grow, or keep to the last `window` rows.

    >>> rows = Rows(codes=np.zeros(12, dtype=int))
    >>> [(len(s.train), s.test.tolist()) for s in TimeOrdered(3).splits(rows, seed=0)]
    [(3, [3, 4, 5]), (6, [6, 7, 8]), (9, [9, 10, 11])]
    """

    k: int = 5
    gap: int = 0
    window: int | None = None

    def __post_init__(self) -> None:
        check_whole(self.k, "k", 1)
        check_whole(self.gap, "gap", 0)
        if self.window is not None:
            check_whole(self.window, "window", 1)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k + 1, f"{self.k} parts in order of time")
        if rows.clusters is not None:
            raise InputError("rows in order of time cannot also keep clusters together; leave clusters= out")
        size = rows.n // (self.k + 1)
        for fold in range(self.k):
            start = rows.n - (self.k - fold) * size
            end = start - self.gap
            first = 0 if self.window is None else max(0, end - self.window)
            if end - first < 1:
                raise InputError(f"gap={self.gap} leaves no training rows before row {start + 1}; use a smaller gap")
            yield Split(repeat=0, fold=fold, n=rows.n, drawn=np.arange(first, end), test=np.arange(start, start + size))

    def fits_of(self, rows: Rows) -> int:
        return self.k


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
