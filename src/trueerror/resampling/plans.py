"""What a plan is: a frozen recipe for splits, with a fingerprint; and the splits that it gives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.resampling.dealing import Ints, Rows

# fold: an ordinary test part. pair: two folds left out together (Bates). apparent: tested on its own training rows.
# inner: choosing among settings inside the training part of the outer fold. half: inside one of two disjoint halves.
# seen: tested on rows held out, `second` of them, and then on its own training rows. seed: a fold with another seed.
Part = Literal["fold", "pair", "apparent", "inner", "half", "seen", "seed"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Split:
    """Train on these rows, test on those. A bootstrap's training rows repeat.

    `repeat` and `fold` name the test part. Of a pair, `fold` and `second` are the two folds; of an inner split, `fold`
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

    def settings(self) -> dict[str, Any]:
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


def _plain(value: Any) -> Any:
    return {"plan": value.name, **value.settings()} if isinstance(value, Plan) else value


def whole(value: Any, option: str, least: int) -> int:
    """A whole number from `least` up."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{option}={value!r} must be a whole number of at least {least}")
    return int(value)


def share(value: Any, option: str) -> float:
    """A share strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < float(value) < 1:
        raise InputError(f"{option}={value!r} must be a share between 0 and 1, such as 1/3")
    return float(value)


def enough(rows: Rows, needed: int, what: str) -> None:
    """Refuse to split fewer rows than there are parts."""
    if rows.units < needed:
        thing = "rows" if rows.clusters is None else "clusters"
        raise InputError(f"{what} needs at least {needed} {thing}, but there are {rows.units}")
