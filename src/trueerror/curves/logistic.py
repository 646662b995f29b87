"""The logistic model of recalibration over a score table: logit P(y = 1) = a + b·logit p."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels.threads import PIECE, block_sums, in_threads, parts
from trueerror.results.words import number, whole
from trueerror.significance.roots import crossing
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
STEPS = 100
# Limits are searched over at most about so many groups of neighbouring forecasts: that moves them by less than 1e-5 of
# their distance from the estimate, which itself comes from all forecasts.
GROUPS = 4096
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


class Height(NamedTuple):
    """The log likelihood at a point, its gradient and its (negative) Hessian in (a, b)."""

    likelihood: float
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LogitTable:
    """Logits of the distinct forecasts with positives and negatives; `note` says what was done about 0 and 1."""

    x: Floats
    up: Floats
    down: Floats
    squares: Floats | None
    note: str = ""
    # The groups, and the last point that was looked at: fits ask for both again and again.
    memory: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, table: ScoreTable) -> LogitTable | None:
        """From probabilities; None where all of them are 0 or 1, so that no logit is finite."""
        p = table.scores
        inside = (p > 0) & (p < 1)
        if not inside.any():
            return None
        note = ""
        x = _logits(p, inside)
        if not inside.all():
            # A forest says 0 or 1 when all its trees agree: half a step beyond its next forecast stands for that.
            # Half of the smallest number there is would be 0, which has no logit either.
            nearest = max(float(np.minimum(p[inside], 1 - p[inside]).min()) / 2, SMALLEST)
            rows = float((table.positives + table.negatives)[~inside].sum())
            # The logit of 1 − nearest is that of nearest with its sign turned; 1 − nearest itself may round to 1.
            edge = math.log(nearest) - math.log1p(-nearest)
            x = np.where(inside, x, np.where(p >= 1, -edge, edge))
            one = rows == 1
            note = (
                f"{whole(rows)} row{'' if one else 's'} forecast at exactly 0 or 1 {'was' if one else 'were'} taken "
                f"for {number(nearest)} or 1 − {number(nearest)}, half the distance of the next forecast"
            )
        up, down = (np.asarray(c, dtype=np.float64) for c in (table.positives, table.negatives))
        return cls(x, up, down, table.squares, note)

    def grouped(self) -> LogitTable:
        """At most about `GROUPS` groups of neighbours at their mean logit, for what is only a distance."""
        if len(self.x) <= GROUPS or self.squares is not None:
            return self
        if "groups" not in self.memory:
            rows = self.up + self.down
            place = np.cumsum(rows)
            place -= rows / 2
            place *= GROUPS / rows.sum()
            # Places ascend: groups begin where they pass the next whole number.
            starts = np.unique(np.searchsorted(place, np.arange(GROUPS)))
            starts = starts[starts < len(rows)]
            sums = [np.add.reduceat(v, starts) for v in (self.x * rows, self.up, self.down)]
            self.memory["groups"] = LogitTable(sums[0] / (sums[1] + sums[2]), sums[1], sums[2], None)
        groups: LogitTable = self.memory["groups"]
        return groups

    def likelihood(self, a: float, b: float) -> float:
        """The log likelihood."""
        return self.height(a, b).likelihood

    def height(self, a: float, b: float) -> Height:
        """Log likelihood, gradient and Hessian in one pass over the forecasts; blocks are summed in their order."""
        known: tuple[tuple[float, float], Height] | None = self.memory.get("height")
        if known is not None and known[0] == (a, b):
            return known[1]
        sums = block_sums(lambda part: _sums(self.x[part], self.up[part], self.down[part], a, b), len(self.x))
        likelihood, *gradient, aa, ab, bb = sums.tolist()
        height = Height(likelihood, np.array(gradient), np.array([[aa, ab], [ab, bb]]))
        self.memory["height"] = ((a, b), height)
        return height

    def sandwich(self, a: float, b: float, free: list[int]) -> Floats:
        """The covariance of the free parameters; with sampling weights the robust one."""
        bread = np.linalg.inv(self.height(a, b).hessian[np.ix_(free, free)]).astype(np.float64)
        if self.squares is None:
            return bread
        p = _expit(a + b * self.x)
        weight = self.squares[0] * (1 - p) ** 2 + self.squares[1] * p**2
        design = np.stack([np.ones_like(self.x), self.x])[free]
        out: Floats = bread @ ((design * weight) @ design.T) @ bread
        return out


def fit(data: LogitTable, free: list[int], start: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float]:
    """(a, b) at the maximum over the free of the two (0: intercept, 1: slope), by Newton's steps, halved as needed."""
    few = data.grouped()
    if few is not data:
        # Groups come near enough that one or two steps over all forecasts finish.
        start = fit(few, free, start)
    elif 1 in free:
        # Where logits are huge the likelihood is flat at a start far off, and Newton's steps lead nowhere; without a
        # slope it never is.
        level = math.log(float(data.up.sum()) / float(data.down.sum())) if 0 in free else start[0]
        start = max(start, (level, 0.0), key=lambda point: data.likelihood(*point))
    point = np.array(start)
    here = data.height(*start)
    for _ in range(STEPS):
        step = np.zeros(2)
        step[free] = np.linalg.lstsq(here.hessian[np.ix_(free, free)], here.gradient[free], rcond=None)[0]
        if np.abs(step).max() <= 1e-8 * max(1.0, float(np.abs(point).max())):
            # At the top the likelihood no longer tells points apart, and what this step leaves is its square.
            point = point + step
            break
        size = 1.0
        while True:
            trial = point + size * step
            there = data.height(*trial.tolist())
            if there.likelihood >= here.likelihood or size < 1e-10:
                break
            size /= 2
        if there.likelihood < here.likelihood or np.array_equal(trial, point):
            break
        point, here = trial, there
    return float(point[0]), float(point[1])


def intercept_given_slope(data: LogitTable, slope: float) -> float:
    """The best intercept for a fixed slope; infinite where all rows are of one class."""
    up, down = float(data.up.sum()), float(data.down.sum())
    if up == 0 or down == 0:
        return math.inf if down == 0 else -math.inf
    centre = math.log(up / down)
    line = slope * data.x
    return crossing(lambda a: _excess(data, a + line, up), centre - float(line.max()), centre - float(line.min()))


def _excess(data: LogitTable, line: Floats, wanted: float) -> float:
    return float((data.up + data.down) @ _expit(line)) - wanted


def separation(data: LogitTable) -> float:
    """+1 or −1 where some cut of the forecasts parts the classes (then the slope is infinite), else 0."""
    ups, downs = data.up > 0, data.down > 0
    if not ups.any() or not downs.any() or len(data.x) < 2:
        return 0.0
    # Logits ascend with the forecasts, so the ends of each class are those of its first and its last row.
    lowest = [float(data.x[int(np.argmax(c))]) for c in (ups, downs)]
    highest = [float(data.x[len(c) - 1 - int(np.argmax(c[::-1]))]) for c in (ups, downs)]
    if lowest[0] >= highest[1]:
        return 1.0
    return -1.0 if highest[0] <= lowest[1] else 0.0


def _logits(p: Floats, inside: NDArray[np.bool_]) -> Floats:
    """log p − log(1 − p) where p is inside (0, 1), else 0."""
    x = np.zeros_like(p)

    def fill(rows: slice) -> None:
        part, where = p[rows], inside[rows]
        np.log(part, where=where, out=x[rows])
        x[rows] -= np.log1p(-part, where=where, out=np.zeros_like(part))

    in_threads(fill, parts(len(p), -(-len(p) // PIECE)))
    return x


def _sums(x: Floats, up: Floats, down: Floats, a: float, b: float) -> Floats:
    """What a block adds: log likelihood, its two slopes, and the three entries of the negative Hessian."""
    line = a + b * x
    rows = up + down
    # e^−|line| never overflows; from it come ln(1 + e^line), the probability p and p(1 − p), each without cancelling.
    small = np.exp(-np.abs(line))
    whole_ = 1 + small
    kinks = up @ np.maximum(-line, 0.0) + down @ np.maximum(line, 0.0)
    p = np.where(line >= 0, 1.0, small) / whole_
    residual = up - rows * p
    weight = rows * (small / (whole_ * whole_))
    tilted = weight * x
    return np.array([
        -(rows @ np.log1p(small) + kinks), residual.sum(), residual @ x, weight.sum(), tilted.sum(), tilted @ x
    ])  # fmt: skip


def _expit(line: Floats) -> Floats:
    small = np.exp(-np.abs(line))
    return np.asarray(np.where(line >= 0, 1.0, small) / (1 + small))
