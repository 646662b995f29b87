"""All, or many random, ways to rearrange two sets of scores under the hypothesis that nothing separates them.

A paired test flips the signs of differences, an unpaired one exchanges members of the two sets. Either way a
rearrangement r comes with a typical value v: the shift of the first set at which r and the observed arrangement give
the same difference of means. The one-sided tests count typical values on either side of 0, and the interval that
inverts them lies between two typical values in size order.

Source: Fisher 1935, The Design of Experiments; Hartigan 1969, JASA 64:1303 (typical values); Tritchler 1984, JASA
79:200; Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39 (random ones count the observed one).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.significance.binomials import at_least

Floats = NDArray[np.float64]

# Up to this many rearrangements are enumerated.
ENUMERATED = 1 << 20
# Up to this many differences that are not 0 the p-value is exact: each half of them is enumerated, and the halves met.
EXACT_FLIPS = 40
# Numbers held at a time.
BLOCK = 1 << 20


class Rearranged(NamedTuple):
    """What the rearrangements say; the observed arrangement is counted, and has no typical value.

    `exact`: the p-values are; `drawn`: the typical values are a random sample.
    """

    p_values: dict[str, float]
    typical: Floats
    total: int
    exact: bool
    drawn: bool

    def turned(self) -> Rearranged:
        """The same with the two sets exchanged."""
        p = self.p_values
        swapped = {"greater": p["less"], "less": p["greater"], "two-sided": p["two-sided"]}
        return self._replace(p_values=swapped, typical=-self.typical)

    def limits(self, tail: float) -> tuple[float, float]:
        """The shifts that neither one-sided test rejects at `tail`; infinite where there are too few arrangements."""
        k = math.floor(tail * self.total + 1e-9)
        if k < 1:
            return -math.inf, math.inf
        ranked = np.partition(self.typical, [k - 1, len(self.typical) - k])
        return float(ranked[k - 1]), float(ranked[len(self.typical) - k])


def flip_signs(d: Floats, dust: float, *, exact: bool | None, draws: int, rng: np.random.Generator) -> Rearranged:
    """Paired differences with random signs; `dust` is what rounding can do to their sum."""
    n = len(d)
    if exact is not False and n <= ENUMERATED.bit_length() - 1:
        sums, sizes = _subset_sums(d)
        return _judge(d.sum() - 2 * sums, sums, sizes, float(d.sum()), dust, drawn=False)
    if d[np.flatnonzero(d)[:1]].sum() < 0:
        # One of d and −d is sampled, whichever model comes first, so that exchanging them only turns the sign.
        return flip_signs(-d, dust, exact=exact, draws=draws, rng=rng).turned()
    total = float(d.sum())
    sums, sizes = _random_subsets(d, draws, rng)
    found = _judge(total - 2 * sums, sums, sizes, total, dust, drawn=True)
    known = None if exact is False else _exact_flips(d[d != 0], dust)
    return found if known is None else found._replace(p_values=known, exact=True)


def exchange(
    a: Floats, b: Floats, dust: float, *, exact: bool | None, draws: int, rng: np.random.Generator
) -> Rearranged:
    """Two sets of scores whose members could as well be in the other set."""
    total = float(a.sum() + b.sum())
    unit = 1 / len(a) + 1 / len(b)
    if _comes_before(b, a):
        return exchange(b, a, dust, exact=exact, draws=draws, rng=rng).turned()
    drawn = exact is False or (exact is None and math.comb(len(a) + len(b), len(a)) > ENUMERATED)
    gains, sizes = _random_exchanges(a, b, draws, rng) if drawn else _all_exchanges(a, b)
    observed = float(a.sum()) * unit - total / len(b)
    return _judge(observed + gains * unit, -gains, sizes, observed, dust, drawn=drawn)


def _comes_before(a: Floats, b: Floats) -> bool:
    if len(a) != len(b):
        return len(a) < len(b)
    apart = np.flatnonzero(a != b)[:1]
    return bool((a[apart] < b[apart]).any())


def _judge(
    statistics: Floats, losses: Floats, sizes: Floats, observed: float, dust: float, *, drawn: bool
) -> Rearranged:
    """`losses`: by how much each rearrangement lowers the sum of the first set; `sizes`: how many members it moves."""
    moved = sizes > 0
    counts = {
        "greater": int((losses <= dust).sum()),
        "less": int((losses >= -dust).sum()),
        "two-sided": int((np.abs(statistics) >= abs(observed) - 2 * dust).sum()),
    }
    extra = 1 if drawn else 0
    total = len(losses) + extra
    typical = losses[moved] / sizes[moved]
    return Rearranged({side: (c + extra) / total for side, c in counts.items()}, typical, total, not drawn, drawn)


def _subset_sums(d: Floats) -> tuple[Floats, Floats]:
    """The sum and size of every subset."""
    sums, sizes = np.zeros(1), np.zeros(1)
    for x in d:
        sums = np.concatenate((sums, sums + x))
        sizes = np.concatenate((sizes, sizes + 1))
    return sums, sizes


def _random_subsets(d: Floats, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    values, counts = np.unique(d, return_counts=True)
    if len(values) * 8 <= len(d):
        return _random_subsets_of_few_values(values, counts, draws, rng)
    # Eight rows at a time are drawn as one random byte, whose 256 possible sums are looked up.
    width = -(-len(d) // 8)
    rows = np.zeros(width * 8)
    rows[: len(d)] = d
    there = (np.arange(width * 8) < len(d)).astype(np.float64)
    bits = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float64)
    sums, sizes = np.zeros(draws), np.zeros(draws)
    for start in range(0, width, 1024):
        part = slice(start * 8, (start + 1024) * 8)
        tables = [column[part].reshape(-1, 8) @ bits.T for column in (rows, there)]
        block = len(tables[0])
        offsets = 256 * np.arange(block, dtype=np.intp)
        step = max(1, BLOCK // block)
        for first in range(0, draws, step):
            drawn = slice(first, min(draws, first + step))
            where = rng.integers(0, 256, size=(drawn.stop - first, block), dtype=np.uint8) + offsets
            sums[drawn] += tables[0].ravel().take(where).sum(axis=1)
            sizes[drawn] += tables[1].ravel().take(where).sum(axis=1)
    return sums, sizes


def _random_subsets_of_few_values(
    values: Floats, counts: NDArray[np.int64], draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    sums, sizes = np.zeros(draws), np.zeros(draws)
    for value, count in zip(values, counts, strict=True):
        chosen = rng.binomial(count, 0.5, size=draws).astype(np.float64)
        sums += value * chosen
        sizes += chosen
    return sums, sizes


def _exact_flips(d: Floats, dust: float) -> dict[str, float] | None:
    """Exact p-values where they are cheap: sizes all alike (a binomial), or at most EXACT_FLIPS differences."""
    n, total = len(d), float(d.sum())
    size = np.abs(d)
    if n and float(size.max() - size.min()) <= dust:
        up = int((d > 0).sum())
        greater, less = (float(at_least(k, n, 0.5)) for k in (up, n - up))
        return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}
    if n > EXACT_FLIPS:
        return None
    left, right = _subset_sums(d[: n // 2])[0], np.sort(_subset_sums(d[n // 2 :])[0])
    whole = len(left) * len(right)

    def at_most(level: float) -> float:
        """Share of subsets whose sum is at most `level`."""
        return int(np.searchsorted(right, level - left, side="right").sum()) / whole

    def from_up(level: float) -> float:
        return 1 - int(np.searchsorted(right, level - left, side="left").sum()) / whole

    greater, less = at_most(dust), from_up(-dust)
    # A flipped subset F gives total − 2·ΣF: at least |total| where ΣF ≤ min(0, total), at most −|total| where
    # ΣF ≥ max(0, total); all of them when the total is 0.
    both = 1.0 if abs(total) <= dust else at_most(min(0.0, total) + dust) + from_up(max(0.0, total) - dust)
    return {"greater": greater, "less": less, "two-sided": min(1.0, both)}


def _all_exchanges(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """What the first set gains by each exchange of c members for c others, and c."""
    most = min(len(a), len(b))
    leaving, coming = _sums_by_size(a, most), _sums_by_size(b, most)
    gains = [(coming[c][None, :] - leaving[c][:, None]).ravel() for c in range(most + 1)]
    sizes = np.repeat(np.arange(most + 1.0), [len(g) for g in gains])
    return np.concatenate(gains), sizes


def _sums_by_size(x: Floats, most: int) -> list[Floats]:
    sums: list[Floats] = [np.zeros(1)] + [np.zeros(0)] * most
    for value in x:
        sums = [sums[0], *(np.concatenate((sums[c], sums[c - 1] + value)) for c in range(1, most + 1))]
    return sums


def _random_exchanges(a: Floats, b: Floats, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    scores = np.concatenate((a, b))
    gains, sizes = np.empty(draws), np.empty(draws)
    step = max(1, BLOCK // len(scores))
    for first in range(0, draws, step):
        drawn = slice(first, min(draws, first + step))
        shape = (drawn.stop - first, len(scores))
        members = rng.permuted(np.broadcast_to(np.arange(len(scores)), shape), axis=1)[:, : len(a)]
        gains[drawn] = scores[members].sum(axis=1) - a.sum()
        sizes[drawn] = (members >= len(a)).sum(axis=1)
    return gains, sizes
