"""The same within a margin, not worse by more than a margin: how often it is called shown exactly at the margin."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np

from trueerror.inference.proportion._paired import equivalence, noninferiority
from validation.differences import trinomial
from validation.frame import Exact, Line

FAMILY = "equivalence and non-inferiority at the margin"
LEVEL = 0.05
MARGINS = (0.05, 0.1)
DISAGREEMENT = (0.12, 0.2, 0.4)


@lru_cache(maxsize=32)
def rejected(kind: str, n: int, margin: float) -> np.ndarray:
    """For every (b, c) whether the claim counts as shown."""
    test = {"equivalence": equivalence, "noninferiority": noninferiority}[kind]
    found = np.zeros((n + 1, n + 1), dtype=bool)
    # Beyond this share of differing rows no scenario here has any chance.
    most = min(n, int(0.4 * n + 8 * np.sqrt(0.24 * n) + 8))
    for b in range(most + 1):
        for c in range(most + 1 - b):
            found[b, c] = test(b, c, n=n, margin=margin).p_value <= LEVEL
    return found


def lines_of_size(n: int) -> Iterator[Line]:
    """Type I error at the margin, and power where there is no difference."""
    for kind in ("equivalence", "noninferiority"):
        for margin in MARGINS:
            shown = rejected(kind, n, margin)
            for differ in DISAGREEMENT:
                for truth in (-margin, 0.0):
                    p, q = (differ + truth) / 2, (differ - truth) / 2
                    where = "no difference" if truth == 0 else f"worse by {margin:.0%}"
                    yield Line(
                        family=FAMILY, procedure=kind, kind="test", default=True, confidence=1 - LEVEL, truth=truth,
                        scenario=f"{n} rows, margin {margin:.0%}, differing on {differ:.0%}, {where}",
                        events=n * min(p, q), rate=float(trinomial(n, p, q)[shown].sum()), n=n,
                        method=f"tango-{kind}", metric="difference", purpose="power" if truth == 0 else "level",
                    )  # fmt: skip


def _probe(n: int) -> list[float]:
    pairs = ((0, 0), (3, 1), (n // 10, n // 12))
    return [t(b, c, n=n, margin=0.05).p_value for t in (equivalence, noninferiority) for b, c in pairs]


def cells(*, quick: bool) -> Iterator[Exact]:
    """Three sizes."""
    for n in (50,) if quick else (50, 100, 200):
        yield Exact(FAMILY, f"{n} rows", partial(lines_of_size, n), partial(_probe, n))
