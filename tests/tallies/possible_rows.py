"""Small binned tables, and rows that they may hold: for laws that must hold whatever the order within bins is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from trueerror.tallies import ScoreTable


class Possible(NamedTuple):
    """A binned table, and the exact table of rows that it may hold."""

    binned: ScoreTable
    exact: ScoreTable
    up: Any
    scores: Any


@st.composite
def possible_rows(draw: Any, most: int = 12) -> Possible:
    """Bins of some rows each, open or not; within a bin rows lie at random, tied, or in the best or worst order."""
    size = draw(st.integers(1, 6))
    counts = st.lists(st.integers(0, most), min_size=size, max_size=size)
    rows = np.array([draw(counts.filter(any)) for _ in range(2)])
    if draw(st.booleans()):
        # Nearly separated classes, and few rows of one of them.
        rows[0, : size // 2] = np.minimum(rows[0, : size // 2], 1)
        rows[1, size // 2 :] = 0
        rows[1, 0] += 1
        rows[0, -1] += 1
    there = rows.sum(axis=0) > 0
    rows = rows[:, there]
    lower = np.sort(draw(st.permutations(range(20)))[: rows.shape[1]]) / 20.0
    width = np.where(draw(st.lists(st.booleans(), min_size=6, max_size=6)), 0.04, 0.0)[: rows.shape[1]]
    order = draw(st.sampled_from(("random", "ties", "best", "worst")))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parts = []
    for i, (low, wide) in enumerate(zip(lower, width, strict=True)):
        for positive in (True, False):
            n = int(rows[0 if positive else 1, i])
            where = {
                "random": rng.random(n),
                "ties": rng.integers(0, 3, n) / 2,
                "best": np.full(n, float(positive)),
                "worst": np.full(n, 1.0 - positive),
            }[order]
            parts.append((np.full(n, positive), np.minimum(low + where * wide, low + wide)))
    up, scores = (np.concatenate(x) for x in zip(*parts, strict=True))
    binned = ScoreTable(lower, rows[0], rows[1], positive=True, exact=False, uppers=lower + width)
    return Possible(binned, ScoreTable.count(up, scores, positive=True), up, scores)
