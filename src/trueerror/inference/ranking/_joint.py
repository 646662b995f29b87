"""Pairs of learners judged together, and data sets of one family, by turning signs.

Where two learners are equally good, their difference on a data set could as well have the other sign, and so could
those of all such pairs at once. Turning the signs of data sets shows how far luck puts the farthest of the pairs; pairs
are set aside from the farthest on, and the others judged among themselves (Westfall and Young 1993, Resampling-Based
Multiple Testing, ch. 2). How far out a pair is says |Σs|/√Σs² of its signed ranks s, the differences of all pairs
ranked together: one pair alone has Wilcoxon's exact p-value (`validation/RANKINGS.md` has level and power). Data sets
of one family turn together (Rosner, Glynn and Lee 2006, Biometrics 62:185).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from trueerror.inference._many import DRAWS, Floats, adjust
from trueerror.inference.ranking._rank_tests import PairTest, ScoreMatrix, differences, pairs_of, signs_p
from trueerror.kernels._threads import PIECE, parts
from trueerror.results import Contrast

KEY: Final = "westfall-young"


def members_of(families: Sequence[str], n: int) -> Floats:
    """A row for each family, 1 at each data set of it; without families each data set is one by itself."""
    codes = np.unique(families, return_inverse=True)[1] if families else np.arange(n)
    return np.equal.outer(np.arange(codes.max() + 1), codes) * 1.0


def turned_together(scores: Floats) -> Floats:
    """Adjusted p-values of pairs (columns) whose scores have signs that luck turns, those of a row together.

    >>> turned_together(np.random.default_rng(0).normal(size=(8, 3)) + [0, 0, 3]).tolist()
    [0.9140625, 0.9140625, 0.0078125]
    """
    n, pairs = scores.shape
    units = scores / np.maximum(np.sqrt((scores * scores).sum(axis=0)), 1e-300)
    seen = np.abs(units.sum(axis=0))
    order = np.argsort(seen, kind="stable")
    drawn = n > DRAWS.bit_length()  # else every pattern: the sign of the last data set may stay
    count, rng, beyond = DRAWS if drawn else 1 << (n - 1), np.random.default_rng(0), np.zeros(pairs)
    for part in parts(count, min(count, -(-count * pairs // PIECE))):
        patterns = np.arange(part.start, part.stop)
        bits = rng.integers(0, 2, (len(patterns), n)) if drawn else (patterns[:, None] >> np.arange(n)) & 1
        out = np.abs((1.0 - 2.0 * bits) @ units)[:, order]
        beyond += (np.maximum.accumulate(out, axis=1) >= seen[order] - 1e-9).sum(axis=0)
    p = np.empty(pairs)
    p[order] = np.maximum.accumulate(((beyond + drawn) / (count + drawn))[::-1])[::-1]
    return p


def judged(
    m: ScoreMatrix, test: PairTest, control: str | None, confidence: float, by: str, families: Sequence[str]
) -> tuple[list[Contrast], Floats]:
    """Each pair by the test of data sets, or of families of them, and adjusted p-values, no smaller than its own."""
    column, members = dict(zip(m.models, m.values.T, strict=True)), members_of(families, m.n)
    pairs, apart = [], []
    for a, b in pairs_of(m.models, control):
        c = replace(test.test(column[a], column[b], confidence=confidence), name="median difference", first=a, second=b)
        apart.append(differences(column[a], column[b]))
        pairs.append(_of_families(c, test, apart[-1], members) if families else c)
    own = [c.p_value for c in pairs]
    if by != KEY:
        return pairs, adjust(own, by)  # type: ignore[arg-type]
    scores = test.scores(np.concatenate(apart)).reshape(len(pairs), m.n).T.astype(np.float64)
    return pairs, np.maximum(turned_together(members @ scores), own)


def _of_families(c: Contrast, test: PairTest, d: Floats, members: Floats) -> Contrast:
    """A contrast whose p-value and limits turn the signs of families: the limits hold the shifts not rejected."""

    def p(shift: float) -> float:
        return signs_p(np.rint(members @ test.scores(d - shift)).astype(np.int64))

    places, alpha = np.unique(test.middles(d)), 1 - c.confidence
    between = [-math.inf, *((places[1:] + places[:-1]) / 2).tolist(), math.inf]

    def limit(turn: int) -> float:
        """The first place, from one end, behind which a shift is not rejected."""
        low, high = 0, len(between) // 2
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if p(between[::turn][middle]) <= alpha else (low, middle)
        return float(places[::turn][low - 1]) if low else -turn * math.inf

    return replace(
        c, low=limit(1), high=limit(-1), p_value=p(0.0), note=f"{len(members)} families of data sets", p_better=None
    )


def kinship(ranks: Floats, families: Sequence[str], draws: int = 1999) -> float:
    """How likely data sets of a family rank learners (columns) as alike as these, if families are dealt at random."""
    members, rng = members_of(families, len(ranks)), np.random.default_rng(0)
    each, apart = members / np.sqrt(members.sum(axis=1, keepdims=True)), ranks - ranks.mean(axis=0)
    orders = [np.arange(len(ranks)), *(rng.permutation(len(ranks)) for _ in range(draws))]
    seen, *dealt = (float(((each @ apart[order]) ** 2).sum()) for order in orders)
    return (1 + sum(x >= seen * (1 - 1e-9) for x in dealt)) / (1 + draws)
