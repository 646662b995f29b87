"""Rows from a known source: so that true errors, and what no learner can do better, are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.errors import InputError, nearest

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TwoNormals:
    """Two classes, equally likely, normal around two centres `distance` apart; a share of the labels is turned.

    The best possible error is that of the line half-way: Φ(−distance/2), and more where labels are turned.

    >>> X, y = TwoNormals()(100, np.random.default_rng(0))
    >>> X.shape, round(TwoNormals(distance=2.0).best_error, 4)
    ((100, 5), 0.1587)
    """

    columns: int = 5
    distance: float = 2.0
    turned: float = 0.0

    def __call__(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        y = rng.integers(0, 2, n)
        X = rng.standard_normal((n, self.columns))
        X[:, 0] += self.distance * (y - 0.5)
        return X, np.where(rng.random(n) < self.turned, 1 - y, y)

    def posterior(self, X: Floats) -> Floats:
        """P(class | row)."""
        p = special.expit(self.distance * np.asarray(X)[:, 0])
        p = self.turned + (1 - 2 * self.turned) * p
        return np.stack([1 - p, p], axis=1)

    @property
    def best_error(self) -> float:
        """What no learner can do better."""
        bare = float(special.ndtr(-self.distance / 2))
        return self.turned + (1 - 2 * self.turned) * bare


@dataclass(frozen=True, slots=True)
class Checkerboard:
    """Two columns in a square of `squares` × `squares` fields of alternating class; a share of the labels is turned.

    >>> X, y = Checkerboard(squares=2, turned=0.0)(4, np.random.default_rng(1))
    >>> bool((y == ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5))).all())
    True
    """

    squares: int = 3
    turned: float = 0.1

    def __call__(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        X = rng.random((n, 2))
        y = self._field(X)
        return X, np.where(rng.random(n) < self.turned, 1 - y, y)

    def _field(self, X: Floats) -> NDArray[np.intp]:
        field: NDArray[np.intp] = np.floor(self.squares * np.asarray(X)).astype(np.intp).sum(axis=1) % 2
        return field

    def posterior(self, X: Floats) -> Floats:
        """P(class | row)."""
        p = np.where(self._field(X) == 1, 1 - self.turned, self.turned)
        return np.stack([1 - p, p], axis=1)

    @property
    def best_error(self) -> float:
        """What no learner can do better."""
        return min(self.turned, 1 - self.turned)


GENERATORS: dict[str, Callable[[], Any]] = {"two-normals": TwoNormals, "checkerboard": Checkerboard}


def find_generator(given: Any) -> Any:
    """A generator by its word, or any function of a number of rows and a NumPy generator that gives X and y."""
    if isinstance(given, str):
        if given not in GENERATORS:
            raise InputError(f"generator={given!r} is not known{nearest(given, GENERATORS)}")
        return GENERATORS[given]()
    if not callable(given):
        raise InputError(
            "generator must be a function of (n, rng) that gives (X, y), or one of " + ", ".join(GENERATORS)
        )
    return given


class Drawn(NamedTuple):
    """Rows of a generator."""

    X: Floats
    y: Any


def draw(generator: Any, n: int, rng: np.random.Generator) -> Drawn:
    """n rows; what comes must have n of them, in two dimensions."""
    made = generator(n, rng)
    if not isinstance(made, tuple) or len(made) != 2:
        raise InputError("the generator must give (X, y)")
    X, y = np.asarray(made[0]), np.asarray(made[1])
    if X.ndim != 2 or len(X) != n or len(y) != n:
        raise InputError(f"the generator was asked for {n:,} rows and gave X {X.shape} and y {y.shape}")
    return Drawn(X, y)


def posterior_of(generator: Any, X: Floats, classes: int) -> Floats | None:
    """P(class | row) where the generator knows it, by sorted class."""
    known = getattr(generator, "posterior", None)
    if known is None:
        return None
    p = np.asarray(known(X), dtype=np.float64)
    if p.shape != (len(X), classes) or not math.isclose(float(p.sum()), len(X), rel_tol=1e-6) or (p < 0).any():
        raise InputError(f"the generator's posterior must give {classes} probabilities for each row, adding to 1")
    return p
