"""Cross-validation: k folds, one row at a time, nested, pairs of folds (Bates), disjoint halves (conservative z).

And plans from elsewhere: any scikit-learn splitter, or a list of (train, test) pairs.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueerror.inputs._options import InputError
from trueerror.resampling._assignment import assign_folds, draw_share
from trueerror.resampling._plan import Ints, Plan, Rows, Split, check_test_share, check_whole, enough


def as_k_fold(plan: object, what: str) -> KFold:
    """A plan of folds, or their number, for a study that assigns folds itself.

    >>> as_k_fold(4, "a learning curve")
    KFold(k=4, repeats=1, stratify=True)
    """
    if isinstance(plan, int) and not isinstance(plan, bool):
        return KFold(plan)
    if isinstance(plan, KFold):
        return plan
    raise InputError(f"{what} assigns folds itself: give plan=te.KFold(5, repeats=4) or a number of folds, not "
                     f"{type(plan).__name__}")  # fmt: skip


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
        check_whole(self.k, "k", 2)
        check_whole(self.repeats, "repeats", 1)

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k, f"{self.k}-fold cross-validation")
        for repeat in range(self.repeats):
            part = assign_folds(rows, self.k, seed=seed, stream=repeat, stratify=self.stratify)
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

    # Test folds of one row have no spread of their own; limits are for these n models.
    _method, _otherwise, _judged, _known, _of_models = "bayle", "pooled", "leave-one-out", True, True

    def _suits(self, *, mean_of_rows: bool, poolable: bool, clustered: bool) -> bool:
        """Bayle's interval is for means over independent rows."""
        return mean_of_rows and not clustered

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

    # It measures the variance that overlapping training sets add instead of assuming it.
    _method, _pair_method, _judged, _known = "bates", "bates-difference", "bates", True
    k: int = 10
    repeats: int = 50
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.k, "k", 3)
        check_whole(self.repeats, "repeats", 1)

    def _suits(self, *, mean_of_rows: bool, poolable: bool, clustered: bool) -> bool:
        """Nested cross-validation is for means over rows."""
        return mean_of_rows

    @property
    def fits(self) -> int:
        """How many fits each learner needs on each data set."""
        return self.repeats * self.k * (self.k + 1) // 2

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, self.k, f"{self.k}-fold cross-validation")
        for repeat in range(self.repeats):
            fold_of = assign_folds(rows, self.k, seed=seed, stream=repeat, stratify=self.stratify)
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


# Streams of the halves, and of the test folds inside them, lie beyond those of the test folds of all rows.
HALVES, INSIDE = 1 << 20, 1 << 21


@dataclass(frozen=True)
class DisjointHalves(Plan):
    """`splits` random test sets of all rows, for the estimate, and as many in each half of `repeats` pairs of halves.

    The halves of a pair share no row, so their two estimates are independent, and their difference shows the true
    variance of an estimate from half the rows. Test folds have the same number of rows in a half as in the whole.
    splits · (1 + 2 · repeats) fits: 315 by default. Nadeau and Bengio (2003), Machine Learning 52:239.

    >>> plan = DisjointHalves(2, 3)
    >>> rows = Rows(codes=np.array([0, 1] * 50))
    >>> [(s.part, len(s.test)) for s in plan.splits(rows, seed=0)][::3]
    [('fold', 10), ('half', 10), ('half', 10), ('half', 10), ('half', 10)]
    >>> plan.fits_of(rows)
    15
    """

    # The halves of a pair are independent, so nothing need be assumed of overlapping training sets.
    _method, _otherwise, _judged, _known = "conservative-z", "conservative-z", "", True
    repeats: int = 10
    splits_each: int = 15
    test: float = 0.1
    stratify: bool = True

    def __post_init__(self) -> None:
        check_whole(self.repeats, "repeats", 1)
        check_whole(self.splits_each, "splits_each", 1)
        if check_test_share(self.test, "test") >= 0.5:
            raise InputError(f"test={self.test!r} leaves no training rows in a half; use less than 0.5, such as 0.1")

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        enough(rows, 4, "a test fold in each of two halves")
        for at in range(self.splits_each):
            inside = draw_share(rows, self.test, seed=seed, stream=at, stratify=self.stratify)
            yield Split(repeat=at, fold=0, n=rows.n, test=np.flatnonzero(inside))
        for pair in range(self.repeats):
            side = assign_folds(rows, 2, seed=seed, stream=HALVES + pair, stratify=self.stratify)
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


def as_plan(plan: object) -> Plan:
    """A plan as given: a plan of this library, a number of folds, a scikit-learn splitter, or (train, test) pairs.

    >>> as_plan(5)
    KFold(k=5, repeats=1, stratify=True)
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, int | np.integer) and not isinstance(plan, bool):
        return KFold(int(plan))
    if isinstance(plan, type):
        raise InputError(f"plan={plan.__name__} is a class; pass an instance: plan={plan.__name__}(…)")
    if hasattr(plan, "split") and not isinstance(plan, str | bytes):
        return Splitter(plan)
    if isinstance(plan, Iterable) and not isinstance(plan, str):
        try:
            return GivenSplits(tuple((np.asarray(train), np.asarray(test)) for train, test in plan))
        except (TypeError, ValueError):
            pass
    raise InputError(f"plan={plan!r:.60} must be a plan, a number of folds, or a scikit-learn splitter")


@dataclass(frozen=True)
class Splitter(Plan):
    """A scikit-learn splitter. Where it draws at random without a seed of its own, it gets the experiment's."""

    splitter: Any

    def __repr__(self) -> str:
        return " ".join(repr(self.splitter).split())

    def settings(self) -> dict[str, object]:
        kind = type(self.splitter)
        inside = {key: _words(value) for key, value in sorted(vars(self.splitter).items())}
        return {"splitter": f"{kind.__module__}.{kind.__qualname__}", **inside}

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        splitter = copy.copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None and getattr(splitter, "shuffle", True):
            splitter.random_state = seed % (1 << 32)
        X = np.zeros((rows.n, 1)) if rows.X is None else rows.X
        yield from _numbered(splitter.split(X, rows.codes, rows.clusters), rows)

    def fits_of(self, rows: Rows) -> int:
        X = np.zeros((rows.n, 1)) if rows.X is None else rows.X
        return int(self.splitter.get_n_splits(X, rows.codes, rows.clusters))


@dataclass(frozen=True)
class GivenSplits(Plan):
    """Splits that were made elsewhere."""

    pairs: tuple[tuple[Ints, Ints], ...]

    def __repr__(self) -> str:
        return f"{len(self.pairs):,} given splits"

    def settings(self) -> dict[str, object]:
        digest = hashlib.blake2b(digest_size=16)
        for train, test in self.pairs:
            for part in (train, test):
                digest.update(len(part).to_bytes(8, "little") + np.ascontiguousarray(part, dtype="<i8").tobytes())
        return {"splits": len(self.pairs), "digest": digest.hexdigest()}

    def splits(self, rows: Rows, seed: int) -> Iterator[Split]:
        yield from _numbered(iter(self.pairs), rows)

    def fits_of(self, rows: Rows) -> int:
        return len(self.pairs)


def _numbered(pairs: Iterator[tuple[Any, Any]], rows: Rows) -> Iterator[Split]:
    """Repeats and folds: a repeat goes on as long as no row is tested twice in it."""
    repeat, fold = 0, -1
    tested = np.zeros(rows.n, dtype=bool)
    for number, (train, test) in enumerate(pairs):
        parts = []
        for part, word in ((train, "training"), (test, "test")):
            index = np.asarray(part)
            index = np.flatnonzero(index) if index.dtype == bool else index.astype(np.intp)
            if index.ndim != 1 or len(index) == 0 or index.min() < 0 or index.max() >= rows.n:
                raise InputError(f"split {number + 1} has no {word} rows, or rows beyond the {rows.n:,} that there are")
            parts.append(index)
        if tested[parts[1]].any():
            repeat, fold = repeat + 1, -1
            tested[:] = False
        tested[parts[1]] = True
        fold += 1
        yield Split(repeat=repeat, fold=fold, n=rows.n, drawn=parts[0], test=parts[1])


def _words(value: Any) -> Any:
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if isinstance(value, np.ndarray):
        return hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
    if isinstance(value, dict):
        return {str(k): _words(v) for k, v in sorted(value.items(), key=lambda kv: str(kv[0]))}
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


# Each outer split has its own seeds inside, whatever the outer plan uses.
INNER = 0x9E3779B97F4A7C15


@dataclass(frozen=True)
class NestedCV(Plan):
    """An outer plan for the error, and an inner one, inside each outer training set, for choosing.

    The learners are the settings to choose among: on each outer fold the one that is best over the inner splits is
    tested, and the result is about "the chosen one". `inner=Holdout(1/3)` is a separate tuning set. A whole number is
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
