"""Pairs of learners judged together, and data sets of one family, by turning signs.

Where two learners are equally good, their difference on a data set could as well have the other sign, and so could
those of all such pairs at once. Turning the signs of data sets in every way (or in many random ones) shows how far luck
puts the farthest of the pairs, correlated as they are. Pairs are set aside from the farthest on, and the others judged
among themselves (Westfall and Young 1993, Resampling-Based Multiple Testing, ch. 2: step-down max-T). How far out a
pair is says |Σs|/√Σs² of its signed ranks s, the differences of all pairs ranked together; one pair by itself has
Wilcoxon's exact p-value. `validation/RANKINGS.md` has level and power beside Holm's and Nemenyi's.

Data sets of one family turn together (Rosner, Glynn and Lee 2006, Biometrics 62:185).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._many import DRAWS, Floats
from trueerror.inference.ranking._rank_tests import PairTest, ScoreMatrix, differences, pairs_of, signs_p
from trueerror.kernels._threads import PIECE, parts
from trueerror.results import Contrast

KEY: Final = "westfall-young"
Codes = NDArray[np.intp]


def codes_of(families: Sequence[str], n: int) -> Codes:
    """The family of each data set by number; without families each is one by itself."""
    return np.unique(families, return_inverse=True)[1] if families else np.arange(n)


def turned_together(scores: Floats) -> Floats:
    """Adjusted p-values of pairs (columns) whose scores have signs that luck turns, those of a row together.

    >>> luck = np.random.default_rng(0).normal(size=(8, 3))
    >>> turned_together(luck + [0, 0, 3]).tolist()
    [0.9140625, 0.9140625, 0.0078125]
    """
    n, pairs = scores.shape
    units = scores / np.maximum(np.sqrt((scores * scores).sum(axis=0)), 1e-300)
    seen = np.abs(units.sum(axis=0))
    order = np.argsort(seen, kind="stable")
    drawn = n > DRAWS.bit_length()  # else every pattern: that of the first data set may stay
    count, rng, beyond = DRAWS if drawn else 1 << (n - 1), np.random.default_rng(0), np.zeros(pairs)
    for part in parts(count, min(count, -(-count * pairs // PIECE))):
        patterns = np.arange(part.start, part.stop)
        bits = rng.integers(0, 2, (len(patterns), n)) if drawn else (patterns[:, None] >> np.arange(n)) & 1
        out = np.abs((1.0 - 2.0 * bits) @ units)[:, order]
        beyond += (np.maximum.accumulate(out, axis=1) >= seen[order] - 1e-9).sum(axis=0)
    p = np.empty(pairs)
    p[order] = np.maximum.accumulate(((beyond + drawn) / (count + drawn))[::-1])[::-1]
    return p


def joint_p(m: ScoreMatrix, pairs: Sequence[Contrast], test: PairTest, families: Sequence[str]) -> Floats:
    """The adjusted p-value of each pair, no smaller than its own."""
    column = dict(zip(m.models, m.values.T, strict=True))
    apart = np.stack([differences(column[c.first], column[c.second]) for c in pairs], axis=1)
    scores = test.scores(apart.ravel()).reshape(apart.shape).astype(np.float64)
    codes = codes_of(families, m.n)
    sums = np.zeros((codes.max() + 1, len(pairs)))
    np.add.at(sums, codes, scores)
    return np.maximum(turned_together(sums), [c.p_value for c in pairs])


def compared(
    m: ScoreMatrix, test: PairTest, control: str | None, confidence: float, families: Sequence[str]
) -> list[Contrast]:
    """Each pair by itself: the test of data sets, or of families of them."""
    column, codes = dict(zip(m.models, m.values.T, strict=True)), codes_of(families, m.n)
    made = []
    for a, b in pairs_of(m.models, control):
        c = test.test(column[a], column[b], confidence=confidence)
        c = _of_families(c, test, differences(column[a], column[b]), codes) if families else c
        made.append(replace(c, name="median difference", first=a, second=b))
    return made


def _of_families(c: Contrast, test: PairTest, d: Floats, codes: Codes) -> Contrast:
    """A contrast whose p-value and limits turn the signs of families: the shifts that are not rejected."""

    def p(shift: float) -> float:
        return signs_p(np.rint(np.bincount(codes, test.scores(d - shift))).astype(np.int64))

    places, alpha = np.unique(test.middles(d)), 1 - c.confidence
    between = [-math.inf, *((places[1:] + places[:-1]) / 2).tolist(), math.inf]

    def limit(turn: int) -> float:
        """The first place, from one end, behind which a shift is not rejected."""
        low, high = 0, len(between) // 2
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if p(between[::turn][middle]) <= alpha else (low, middle)
        return float(places[::turn][low - 1]) if low else -turn * math.inf

    note = f"{codes.max() + 1} families of data sets"
    return replace(c, low=limit(1), high=limit(-1), p_value=p(0.0), note=note, p_better=None)


class Kinship(NamedTuple):
    """How likely data sets of one family are as alike as these by chance, and how many independent ones they are
    worth."""

    p_value: float
    worth: float

    @classmethod
    def of(cls, ranks: Floats, families: Sequence[str], draws: int = 1999) -> Kinship:
        """By the ranks of learners (columns) on data sets, whose families are dealt at random."""
        apart, codes, rng = ranks - ranks.mean(axis=0), codes_of(families, len(ranks)), np.random.default_rng(0)
        members = np.equal.outer(np.arange(codes.max() + 1), codes) * 1.0
        each = members / np.sqrt(members.sum(axis=1, keepdims=True))

        def between(rows: Floats) -> float:
            return float(((each @ rows) ** 2).sum())

        seen = between(apart)
        more = sum(between(apart[rng.permutation(len(apart))]) >= seen * (1 - 1e-9) for _ in range(draws))
        together = float(((members @ apart) ** 2).sum())
        worth = len(ranks) * float((apart * apart).sum()) / max(together, 1e-300)
        return cls((1 + more) / (1 + draws), min(worth, float(len(ranks))))
