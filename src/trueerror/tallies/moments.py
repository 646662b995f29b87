"""The moments of a loss: how many rows, their mean, and the spread about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Moments:
    """n, mean and the sum of squared deviations; shards add by Chan, Golub and LeVeque's formula (1979).

    >>> a, b = Moments.of(np.array([1.0, 2.0])), Moments.of(np.array([6.0]))
    >>> (a + b).mean, (a + b).variance
    (3.0, 7.0)
    """

    n: int
    mean: float
    squares: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments:
        """The moments of an array."""
        n = len(values)
        if n == 0:
            return cls(0, 0.0, 0.0)
        mean = float(np.mean(values, dtype=np.float64))
        if math.isinf(mean):
            return cls(n, mean, math.inf)
        return cls(n, mean, float(np.sum((values - mean) ** 2, dtype=np.float64)))

    def __add__(self, other: object) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if self.n == 0:
            return other
        if other.n == 0:
            return self
        n = self.n + other.n
        if math.isinf(self.mean) or math.isinf(other.mean):
            return Moments(n, self.mean + other.mean, math.inf)  # ∞ − ∞ would make the gap NaN
        gap = other.mean - self.mean
        mean = self.mean + gap * other.n / n
        return Moments(n, mean, self.squares + other.squares + gap * gap * self.n * other.n / n)

    @property
    def variance(self) -> float:
        """The unbiased variance of one value; NaN below two rows."""
        return self.squares / (self.n - 1) if self.n > 1 else math.nan

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return math.sqrt(self.variance / self.n) if self.n > 1 else math.nan
