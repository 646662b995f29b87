"""Looking after every row: how often a test of two equal models has rejected by then, by a walk over all counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._sequential import e_value
from validation.frame import MISUSED, Exact, Line

FAMILY = "looking after every row on which the models differ"
LEVEL = 0.05
LOOKS = (50, 200, 400)

Rejects = Callable[[int, int], bool]


def by_e_value(b: int, c: int) -> bool:
    """The two-sided e-value."""
    return e_value(b, c).p_value <= LEVEL


def by_one_side(b: int, c: int) -> bool:
    """The e-value of "the first is better"."""
    return e_value(b, c, alternative="greater").p_value <= LEVEL


def by_mid_p(b: int, c: int) -> bool:
    """McNemar's test, as if each look were the only one."""
    return mcnemar(b, c).p_value <= LEVEL


PROCEDURES: dict[str, tuple[Rejects, str, bool]] = {
    "e-value": (by_e_value, "e-value", True),
    "e-value, one-sided": (by_one_side, "e-value", True),
    "mcnemar mid-p at each look": (by_mid_p, MISUSED, False),
}


def ever_rejected(rejects: Rejects, up: float, looks: int) -> np.ndarray:
    """The chance to have rejected after 1 … `looks` differing rows, each for the first with probability `up`."""
    alive, gone = np.array([1.0]), 0.0
    found = np.empty(looks)
    for total in range(1, looks + 1):
        moved = np.zeros(total + 1)
        moved[1:] += up * alive
        moved[:-1] += (1 - up) * alive
        for b in np.flatnonzero(moved > 1e-14):
            if rejects(int(b), total - int(b)):
                gone += float(moved[b])
                moved[b] = 0.0
        alive = moved
        found[total - 1] = gone
    return found


def lines_of(name: str, up: float, looks: tuple[int, ...]) -> Iterator[Line]:
    """The error, or the power, by so many looks."""
    rejects, method, default = PROCEDURES[name]
    found = ever_rejected(rejects, up, looks[-1])
    for look in looks:
        better = "equal models" if up == 0.5 else f"the first wins {up:.0%} of them"
        yield Line(
            family=FAMILY, scenario=f"{look} looks, {better}", procedure=name, kind="test", default=default,
            confidence=1 - LEVEL, truth=2 * up - 1, events=look / 2, rate=float(found[look - 1]), n=look,
            method=method, metric="difference", purpose="level" if up == 0.5 else "power",
        )  # fmt: skip


def _probe() -> list[float]:
    pairs = ((0, 0), (7, 1), (16, 6), (40, 10))
    return [f(b, c).p_value for f in (e_value, mcnemar) for b, c in pairs]


def cells(*, quick: bool) -> Iterator[Exact]:
    """Equal models, and a first that wins seven of ten."""
    looks = LOOKS[:1] if quick else LOOKS
    for name in PROCEDURES:
        for up in (0.5, 0.7):
            yield Exact(FAMILY, f"{name}, {up:g}", partial(lines_of, name, up, looks), _probe)
