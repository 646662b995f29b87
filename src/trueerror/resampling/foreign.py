"""Plans from elsewhere: any scikit-learn splitter, or a list of (train, test) pairs."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.resampling.dealing import Ints, Rows
from trueerror.resampling.folds import KFold
from trueerror.resampling.plans import Plan, Split


def as_plan(plan: Any) -> Plan:
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
    if hasattr(plan, "split") and not isinstance(plan, str):
        return Splitter(plan)
    if isinstance(plan, Iterable) and not isinstance(plan, str):
        return GivenSplits(tuple((np.asarray(train), np.asarray(test)) for train, test in plan))
    raise InputError(f"plan={plan!r:.60} must be a plan, a number of folds, or a scikit-learn splitter")


@dataclass(frozen=True)
class Splitter(Plan):
    """A scikit-learn splitter. Where it draws at random without a seed of its own, it gets the experiment's."""

    splitter: Any

    def __repr__(self) -> str:
        return " ".join(repr(self.splitter).split())

    def settings(self) -> dict[str, Any]:
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

    def settings(self) -> dict[str, Any]:
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
            if len(index) == 0 or index.min() < 0 or index.max() >= rows.n:
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
