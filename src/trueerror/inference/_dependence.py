"""Units that hang together: in order of time, and by two keys at once.

**In order of time** what units add is taken apart into cosine waves. The slow ones show how the sum varies, whatever
keeps neighbours alike: the variance of the sum of n units is n times the mean square of the first B coefficients, and t
has B degrees of freedom. Lazarus, Lewis, Stock and Watson (2018, J. Bus. Econ. Stat. 36:541) take B = 0.4·n^⅔; here it
is divided by √w, w = 2φ/(1 − φ)², with the correlation φ of neighbours (Andrews 1991, Econometrica 59:817), so that
units that are independent keep nearly all waves, which is the ordinary variance. With fewer than four, t says nothing.

**Two keys** (users and items): the variance over the one, plus that over the other, less that over both together
(Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29:238), and never less than one of the two. t has the degrees of
freedom of the key that has fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

from trueerror.inputs._arrays import Floats


def in_order(units: Floats) -> tuple[Floats, Floats]:
    """The variance of the sum of units (…, n) that stand in order of time, and its degrees of freedom.

    >>> alike = np.repeat(np.random.default_rng(0).normal(size=50), 10)
    >>> (found, df), alone = in_order(alike), alike.var(ddof=1) * 500
    >>> round(float(found / alone)), int(df)
    (40, 4)
    """
    n = units.shape[-1]
    apart = units - units.mean(axis=-1, keepdims=True)
    phi = neighbours(apart)
    with np.errstate(divide="ignore", invalid="ignore"):
        waves = 0.4 * n ** (2 / 3) / np.sqrt(2 * phi / (1 - phi) ** 2)
        waves = np.clip(np.nan_to_num(waves, nan=1.0), min(4, n - 1), n - 1).astype(np.intp)
        squares = np.cumsum(np.asarray(fft.dct(apart, norm="ortho", axis=-1)) ** 2, axis=-1)
        held = np.take_along_axis(squares, waves[..., None], -1)[..., 0]
        return n * held / waves, np.maximum(waves.astype(np.float64), 1.0)


def neighbours(apart: Floats) -> Floats:
    """The correlation φ of neighbours, from values about their mean; what estimating it takes away is added again.

    At least 0, and never so near to 1 that nothing is left. Source: Kendall 1954, Biometrika 41:403.
    """
    n, squares = apart.shape[-1], (apart * apart).sum(axis=-1)
    rho = (apart[..., 1:] * apart[..., :-1]).sum(axis=-1) / np.where(squares > 0, squares, 1.0)
    return np.asarray(np.clip(rho + (1 + 3 * rho) / n * (rho > 0), 0.0, 1 - 1 / math.sqrt(max(n, 2))))


def two_ways(errors: Sequence[Floats], df: Sequence[Floats]) -> tuple[Floats, Floats]:
    """A standard error from those over one key, over another and over both together, and its degrees of freedom.

    >>> error, df = two_ways([np.array(0.3), np.array(0.4), np.array(0.1)], [np.array(x) for x in (9.0, 19.0, 99.0)])
    >>> round(float(error), 4), float(df)  # √(0.09 + 0.16 − 0.01)
    (0.4899, 9.0)
    """
    squares = np.stack([e * e for e in errors])
    variance = squares[:2].sum(axis=0) - squares[2:].sum(axis=0)
    return np.sqrt(np.maximum(variance, squares[:2].max(axis=0))), np.asarray(np.min(df[:2], axis=0))


def runs_of(errors: Floats, kinds: NDArray[np.integer]) -> tuple[float, float]:
    """How likely as many neighbours are alike by chance, and how many independent rows these rows are worth: errors (or
    grades) in the order of the rows, those of one kind (class) about their mean.

    The sum of the products of neighbours has mean 0 and known variance where the order is by chance (Wald and Wolfowitz
    1943, Ann. Math. Stat. 14:378). Few errors are few such products, whose tail is Poisson's: both have to speak.

    >>> rng = np.random.default_rng(1)
    >>> by_chance, in_runs = rng.random(500) < 0.2, np.repeat(rng.random(50) < 0.2, 10)
    >>> kinds = np.zeros(500, dtype=np.int64)
    >>> round(runs_of(by_chance * 1.0, kinds)[0], 1), round(runs_of(in_runs * 1.0, kinds)[0], 9)
    (0.7, 0.0)
    """
    sizes = np.maximum(np.bincount(kinds), 1)
    shares = np.bincount(kinds, weights=errors) / sizes
    apart = errors - shares[kinds]
    spreads = (np.bincount(kinds, weights=apart**2) / sizes)[kinds]
    variance = max(float((spreads[1:] * spreads[:-1]).sum()), 1e-300)
    normal = float(special.ndtr(-float((apart[1:] * apart[:-1]).sum()) / math.sqrt(variance)))
    # Errors, or right answers, whichever are rarer: P(X ≥ k) of Poisson's distribution.
    turned = errors.mean() > 0.5
    rare, rates = np.abs(errors - turned), np.abs(shares[kinds] - turned)
    expected = max(float((rates[1:] * rates[:-1]).sum()), 1e-300)
    poisson = float(special.gammainc(max(float((rare[1:] * rare[:-1]).sum()), 1e-9), expected))
    p = max(normal, poisson * bool(np.isin(errors, (0.0, 1.0)).all()))
    rows = len(errors) * float((apart * apart).sum()) / max(float(in_order(apart)[0]), 1e-300)
    return p, min(rows, float(len(errors)))


def held_by(errors: Floats, first: NDArray[np.integer], second: NDArray[np.integer]) -> tuple[float, float]:
    """The share of the variance of errors (series, rows) that a second key holds, and how often chance shows as much.

    The share is the mean product of two rows that have the second key alone in common, where it is largest; by chance
    each value of the first key has its values of the second in another order.
    """
    cells, of = np.unique(first.astype(np.int64) * (width := int(second.max()) + 1) + second, return_inverse=True)
    pairs = (np.bincount(second) ** 2.0).sum() - (np.bincount(of) ** 2.0).sum()
    sums = np.stack([np.bincount(of, weights=x) / max(float(x.std()), 1e-150) for x in errors])
    alone, rng = (sums * sums).sum(axis=1), np.random.default_rng(0)

    def largest(order: NDArray[np.integer]) -> float:
        squares = [(np.bincount((cells % width)[order], weights=x) ** 2).sum() for x in sums]
        return float((np.array(squares) - alone).max() / max(pairs, 1.0))

    share = largest(np.arange(len(cells)))
    if share < 0.02:
        return share, 1.0  # a small one costs little
    by_chance = [largest(np.lexsort((rng.random(len(cells)), cells // width))) for _ in range(199)]
    return share, (1 + sum(x >= share for x in by_chance)) / 200
