"""The logistic model of recalibration over a score table: logit P(y = 1) = a + b·logit p."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trueerror.results.words import number, whole
from trueerror.significance.roots import crossing
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
STEPS = 100
# Limits are searched over at most about so many groups of neighbouring forecasts: that moves them by less than 1e-5 of
# their distance from the estimate, which itself comes from all forecasts.
GROUPS = 4096
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


@dataclass(frozen=True, slots=True, eq=False)
class LogitTable:
    """Logits of the distinct forecasts with positives and negatives; `note` says what was done about 0 and 1."""

    x: Floats
    up: Floats
    down: Floats
    squares: Floats | None
    note: str = ""

    @classmethod
    def of(cls, table: ScoreTable) -> LogitTable | None:
        """From probabilities; None where all of them are 0 or 1, so that no logit is finite."""
        p = table.scores
        inside = (p > 0) & (p < 1)
        if not inside.any():
            return None
        note = ""
        x = np.log(p, where=inside, out=np.zeros_like(p)) - np.log1p(-p, where=inside, out=np.zeros_like(p))
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
        rows = self.up + self.down
        place = np.floor((np.cumsum(rows) - rows / 2) * (GROUPS / rows.sum()))
        starts = np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))
        sums = [np.add.reduceat(v, starts) for v in (self.x * rows, self.up, self.down)]
        return LogitTable(sums[0] / (sums[1] + sums[2]), sums[1], sums[2], None)

    def likelihood(self, a: float, b: float) -> float:
        """The log likelihood."""
        line = a + b * self.x
        # ln(1 + e^x) is max(x, 0) + ln(1 + e^−|x|): one logarithm for both classes, and no overflow.
        tail = np.log1p(np.exp(-np.abs(line)))
        kinks = self.up @ np.maximum(-line, 0.0) + self.down @ np.maximum(line, 0.0)
        return -float((self.up + self.down) @ tail + kinks)

    def slopes(self, a: float, b: float) -> tuple[Floats, Floats]:
        """Gradient and (negative) Hessian of the log likelihood in (a, b)."""
        p = _expit(a + b * self.x)
        rows = self.up + self.down
        residual = self.up - rows * p
        weight = rows * p * (1 - p)
        mixed = float(weight @ self.x)
        gradient = np.array([residual.sum(), residual @ self.x])
        return gradient, np.array([[weight.sum(), mixed], [mixed, weight @ self.x**2]])

    def sandwich(self, a: float, b: float, free: list[int]) -> Floats:
        """The covariance of the free parameters; with sampling weights the robust one."""
        _, hessian = self.slopes(a, b)
        bread = np.linalg.inv(hessian[np.ix_(free, free)]).astype(np.float64)
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
    point = np.array(start)
    height = data.likelihood(*point)
    for _ in range(STEPS):
        gradient, hessian = data.slopes(*point)
        step = np.zeros(2)
        step[free] = np.linalg.lstsq(hessian[np.ix_(free, free)], gradient[free], rcond=None)[0]
        size = 1.0
        while True:
            trial = point + size * step
            reached = data.likelihood(*trial)
            if reached >= height or size < 1e-10:
                break
            size /= 2
        gained = reached - height
        point, height = (trial, reached) if gained >= 0 else (point, height)
        if np.abs(size * step).max() <= 1e-12 * max(1.0, float(np.abs(point).max())):
            break
        # At the top the likelihood no longer tells points apart; Newton's steps do, and two more are enough.
        if gained <= 1e-15 * max(1.0, abs(height)) and np.abs(step).max() < 1e-7 * max(1.0, np.abs(point).max()):
            break
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
    ups, downs = data.x[data.up > 0], data.x[data.down > 0]
    if len(ups) == 0 or len(downs) == 0 or len(data.x) < 2:
        return 0.0
    if ups.min() >= downs.max():
        return 1.0
    return -1.0 if ups.max() <= downs.min() else 0.0


def _expit(line: Floats) -> Floats:
    return np.exp(-np.logaddexp(0.0, -line))
