"""Logistic recalibration over a score table: how far forecasts are shifted and over- or underconfident.

logit P(y = 1) = a + b·logit p. Calibrated forecasts have a = 0 and b = 1; b < 1 is overconfidence.

Source: Cox 1958, Biometrika 45:562; Miller, Hui and Tierney 1991, Stat. Med. 10:1213.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._points import Counts
from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._problem import critical_t, critical_z
from trueerror.inference._variance import ClusteredRows
from trueerror.inference.proportion._distributions import crossing
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes
from trueerror.kernels._groups import class_starts, grouped_from, passed_at
from trueerror.kernels._threads import PIECE, block_sums, in_threads, parts
from trueerror.results import Interval
from trueerror.results._format import number, whole
from trueerror.results._values import joined_notes
from trueerror.tallies._scores import ScoreTable

STEPS = 100
# More forecasts are fitted, and limits searched, over about so many groups of neighbours: with at most so much of each
# class and, for limits, so much of the information at the estimate, which itself comes from all forecasts. That moves
# limits by less than a thousandth of the interval where two rows keep the classes from parting, elsewhere by 1e-4.
UNGROUPED, GROUPS = 1 << 15, 1 << 13
# Newton's steps end where one is so small, as a share of the point: what it leaves is about its square, or where it
# rests on the groups' curvature a ten-thousandth of it.
NEAR, NEAR_GROUPS = 1e-8, 3e-5
# Groups whose estimate is farther off than so many standard errors do not stand for all forecasts.
FAR_OFF = 0.01
SMALLEST = float(np.finfo(np.float64).smallest_subnormal)


class Height(NamedTuple):
    """The log likelihood at a point, its gradient and its (negative) Hessian in (a, b)."""

    likelihood: float
    gradient: Floats
    hessian: Floats


@dataclass(frozen=True, eq=False)
class LogitTable:
    """Logits of the distinct forecasts with positives and negatives; `note` says what was done about 0 and 1."""

    x: Floats
    up: Counts
    down: Counts
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
        return cls(x, table.positives, table.negatives, table.squares, note)

    @cached_property
    def groups(self) -> LogitTable:
        """About `GROUPS` groups of neighbours at their mean logit, to begin with."""
        if len(self.x) <= UNGROUPED or self.squares is not None:
            return self
        return self._grouped(class_starts(self.up, self.down, GROUPS))

    def groups_about(self, a: float, b: float) -> LogitTable:
        """Groups for limits about a point: where rows tell of it, there are more of them."""
        if self.groups is self:
            return self
        classes = class_starts(self.up, self.down, GROUPS)

        def information(part: slice) -> Floats:
            chance = _expit(a + b * self.x[part])
            return np.asarray((self.up[part] + self.down[part]) * (chance * (1 - chance)))

        total = float(block_sums(lambda part: information(part).sum(), len(self.x)))
        levels = np.arange(1, GROUPS // 2 + 1) * (total / (GROUPS // 2))
        at = passed_at(information, levels, len(self.x))
        starts = np.unique(np.concatenate((classes, at, at + 1)))
        return self._grouped(starts[starts < len(self.x)])

    def _grouped(self, starts: NDArray[np.intp]) -> LogitTable:
        x, up, rows = grouped_from(starts, self.x, self.up, self.down)
        return LogitTable(x, up, rows - up, None)

    @cached_property
    def _last(self) -> dict[tuple[float, float], Height]:
        """The last point that was looked at: fits ask for it again and again."""
        return {}

    def likelihood(self, a: float, b: float) -> float:
        """The log likelihood."""
        return self.height(a, b).likelihood

    def height(self, a: float, b: float) -> Height:
        """Log likelihood, gradient and Hessian in one pass over the forecasts; blocks are summed in their order."""
        if (a, b) in self._last:
            return self._last[a, b]
        sums = block_sums(lambda part: _sums(self.x[part], self.up[part], self.down[part], a, b), len(self.x))
        likelihood, *gradient, aa, ab, bb = sums.tolist()
        self._last.clear()
        self._last[a, b] = Height(likelihood, np.array(gradient), np.array([[aa, ab], [ab, bb]]))
        return self._last[a, b]

    def gradient(self, a: float, b: float) -> Floats:
        """The two slopes of the log likelihood alone, which take half as long as all of `height`."""

        def slopes(part: slice) -> Floats:
            x, up = self.x[part], self.up[part]
            chance = -b * x
            chance -= a
            with np.errstate(over="ignore"):  # an infinite e^−line is a chance of 0
                np.exp(chance, out=chance)
            chance += 1
            np.divide(up + self.down[part], chance, out=chance)
            residual = np.subtract(up, chance, out=chance)
            return np.array([residual.sum(), residual @ x])

        return block_sums(slopes, len(self.x))

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


def fit_logistic(data: LogitTable, free: list[int], start: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float]:
    """(a, b) at the maximum over the free of the two (0: intercept, 1: slope), by Newton's steps, halved as needed."""
    few = data.groups
    if few is not data and not separation(few):
        # Groups come so near that one step finishes: up the slope at all forecasts, by the curvature of the groups.
        near = fit_logistic(few, free, start)
        step = _newton_step(few.height(*near).hessian, data.gradient(*near), free)
        if _is_near(step, near, NEAR_GROUPS):
            return near[0] + float(step[0]), near[1] + float(step[1])
        start = max(start, near, key=lambda point: data.likelihood(*point))
    if 1 in free:
        # Where logits are huge the likelihood is flat at a start far off, and Newton's steps lead nowhere; without a
        # slope it never is.
        level = math.log(float(data.up.sum()) / float(data.down.sum())) if 0 in free else start[0]
        start = max(start, (level, 0.0), key=lambda point: data.likelihood(*point))
    point = np.array(start)
    height = data.height(*start)
    for _ in range(STEPS):
        step = _newton_step(height.hessian, height.gradient, free)
        if _is_near(step, point, NEAR):
            # At the top the likelihood no longer tells points apart.
            point = point + step
            break
        size = 1.0
        while True:
            trial = point + size * step
            tried = data.height(*trial.tolist())
            if tried.likelihood >= height.likelihood or size < 1e-10:
                break
            size /= 2
        if tried.likelihood < height.likelihood or np.array_equal(trial, point):
            break
        point, height = trial, tried
    return float(point[0]), float(point[1])


def _newton_step(hessian: Floats, gradient: Floats, free: list[int]) -> Floats:
    step = np.zeros(2)
    step[free] = np.linalg.lstsq(hessian[np.ix_(free, free)], gradient[free], rcond=None)[0]
    return step


def _is_near(step: Floats, point: Floats | tuple[float, float], share: float) -> bool:
    return bool(np.abs(step).max() <= share * max(1.0, float(np.abs(point).max())))


def intercept_given_slope(data: LogitTable, slope: float) -> float:
    """The best intercept for a fixed slope; infinite where all rows are of one class."""
    up, down = float(data.up.sum()), float(data.down.sum())
    if up == 0 or down == 0:
        return math.inf if down == 0 else -math.inf
    centre = math.log(up / down)
    line = slope * data.x
    return crossing(lambda a: _excess(data, a + line, up), centre - float(line.max()), centre - float(line.min()))


def _excess(data: LogitTable, line: Floats, wanted: float) -> float:
    return float(((data.up + data.down) * _expit(line)).sum()) - wanted


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


def _sums(x: Floats, ups: Counts, downs: Counts, a: float, b: float) -> Floats:
    """What a block adds: log likelihood, its two slopes, and the three entries of the negative Hessian."""
    line = a + b * x
    up, down = ups.astype(np.float64, copy=False), downs.astype(np.float64, copy=False)
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


RecalibrationMethod = Literal["profile", "wald"]
# A limit beyond this is none: logits of 700 and more leave the likelihood flat.
FURTHEST = 1e100
NO_SPREAD = "too few clusters hold information on it, so there is no interval"


class Recalibration(Protocol):
    """A figure of the logistic model; `logits` are the table's, if known."""

    def __call__(
        self, table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
    ) -> Interval: ...


class _Figure(NamedTuple):
    """What every interval of a figure has, whichever way its limits were found."""

    name: str
    confidence: float
    n: float

    def interval(self, estimate: float, low: float, high: float, method: str, *notes: str) -> Interval:
        return Interval(
            name=self.name, estimate=estimate, low=low, high=high, confidence=self.confidence, method=method, n=self.n,
            note=joined_notes(*notes),
        )  # fmt: skip


def calibration_slope(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """b of logit P = a + b·logit p; 1 is calibrated, below 1 overconfident. `logits` are the table's, if known."""
    return _of_both(1, _Figure("calibration slope", confidence, table.n), table, method, logits)


def calibration_intercept(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """a of logit P = a + b·logit p with b fitted too; 0 is calibrated where b is 1."""
    return _of_both(0, _Figure("calibration intercept", confidence, table.n), table, method, logits)


def _of_both(
    which: int, figure: _Figure, table: ScoreTable, method: RecalibrationMethod, logits: LogitTable | None
) -> Interval:
    """One of the two parameters (0: intercept, 1: slope) where both are fitted."""
    data, reason = _checked(table, logits)
    if data is None:
        return _nothing(figure, method, reason)
    if len(data.x) < 2 or not (data.up.any() and data.down.any()):
        reason = (
            "all forecasts are equal or all rows of one class, so intercept and slope cannot be estimated separately"
        )
        if which == 1:
            why = "all forecasts are equal" if len(data.x) < 2 else "all rows are of one class"
            reason = f"{why}, so there is no slope"
        return _nothing(figure, method, reason)
    z, separated = critical_z(figure.confidence), separation(data)
    if separated and which == 1:
        return _separated_slope(data, figure, separated, z)
    if separated:
        return _nothing(figure, method, "the forecasts separate the classes, so intercept and slope are infinite")
    point = fit_logistic(data, [0, 1])
    if method == "wald" or data.squares is not None:
        error = math.sqrt(float(data.sandwich(*point, [0, 1])[which, which]))
        return _wald(figure, point[which], error, z, data)
    return _profiled(figure, data, point, which, z)


def in_the_large(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """a of logit P = a + logit p: how far forecasts are too low (a > 0) or too high on the whole."""
    figure = _Figure("calibration-in-the-large", confidence, table.n)
    data, reason = _checked(table, logits)
    if data is None:
        return _nothing(figure, method, reason)
    z = critical_z(confidence)
    a = intercept_given_slope(data.groups, 1.0)
    if math.isfinite(a):
        a = fit_logistic(data, [0], (a, 1.0))[0]
    a = a if abs(a) > 1e-14 else 0.0  # forecasts that mirror each other leave rounding dust
    if math.isinf(a):
        note = "all rows are of one class, so only one limit is finite"
        centre = float((data.x * (data.up + data.down)).sum() / (data.up + data.down).sum())
        limit = _profile_limit(
            lambda v: data.likelihood(v, 1.0), 0.0, -centre, math.copysign(-1.0, a), z, from_top=False
        )
        low, high = (limit, math.inf) if a > 0 else (-math.inf, limit)
        return figure.interval(a, low, high, "profile-likelihood", note)
    if method == "wald" or data.squares is not None:
        return _wald(figure, a, math.sqrt(float(data.sandwich(a, 1.0, [0])[0, 0])), z, data)
    few = data.groups
    centre = intercept_given_slope(few, 1.0)
    error = math.sqrt(float(few.sandwich(centre, 1.0, [0])[0, 0]))
    if abs(centre - a) > FAR_OFF * error:
        few, centre = data, a
    top = few.likelihood(centre, 1.0)
    limits = [
        a - centre + _profile_limit(lambda v: few.likelihood(v, 1.0), top, centre, side * error, z) for side in (-1, 1)
    ]
    return figure.interval(a, limits[0], limits[1], "profile-likelihood", data.note)


def over_clusters(made: Interval, which: int, data: LogitTable, places: Codes, rows: ClusteredRows) -> Interval:
    """The same figure (0: the intercept beside a slope, 1: the slope, 2: in the large) with limits over clusters.

    estimate ± t(G_eff − 1)·√Σδ_g², δ_g = (H − H_g)⁻¹u_g what leaving a cluster out changes, by one of Newton's steps;
    G_eff counts the clusters by what they tell of the figure. `places` are the rows' places among the forecasts.
    """
    if not math.isfinite(made.estimate):
        return replace(made, low=math.nan, high=math.nan, note=joined_notes(made.note, NO_SPREAD))
    a, b = (made.estimate, 1.0) if which == 2 else fit_logistic(data, [0, 1])
    x = data.x[places]
    p = _expit(a + b * x)
    weights = np.ones(len(x)) if rows.weights is None else rows.weights
    design = np.stack([np.ones_like(x), x])[: 1 if which == 2 else 2]

    def summed(values: Floats) -> Floats:
        return np.asarray(np.bincount(rows.codes, weights=values, minlength=rows.groups), dtype=np.float64)

    scores = np.stack([summed(weights * (rows.positive - p) * d) for d in design], axis=1)
    information = weights * p * (1 - p)
    hessians = np.stack([np.stack([summed(information * c * d) for c in design], axis=1) for d in design], axis=2)
    without = hessians.sum(axis=0) - hessians
    # What a cluster tells of the slope it tells by forecasts away from the middle.
    middle = float(information @ x / information.sum()) if which == 1 else 0.0
    effective = effective_clusters(summed(information * (x - middle) ** 2 if which == 1 else information))
    method = "cluster-recalibration"
    sizes = np.linalg.cond(without)
    if rows.groups < 2 or not (sizes < 1e12).all():
        return replace(made, low=math.nan, high=math.nan, method=method, note=joined_notes(made.note, NO_SPREAD))
    moved = np.linalg.solve(without, scores[:, :, None])[:, 1 if which == 1 else 0, 0]
    reach = critical_t(made.confidence, degrees_of_freedom(effective)) * math.sqrt(float(moved @ moved))
    note = joined_notes(made.note, f"{rows.groups:,} clusters")
    return replace(made, low=made.estimate - reach, high=made.estimate + reach, method=method, note=note)


def _profiled(figure: _Figure, data: LogitTable, point: tuple[float, float], which: int, z: float) -> Interval:
    """Limits of one parameter (0: intercept, 1: slope) from the likelihood at its best over the other one."""
    few = data.groups_about(*point)
    centre = point if few is data else fit_logistic(few, [0, 1], point)
    error = math.sqrt(float(few.sandwich(*centre, [0, 1])[which, which]))
    if abs(centre[which] - point[which]) > FAR_OFF * error:
        few, centre = data, point
        error = math.sqrt(float(data.sandwich(*point, [0, 1])[which, which]))
    top = few.likelihood(*centre)

    def profile(value: float) -> float:
        start = (value, centre[1]) if which == 0 else (centre[0], value)
        return few.likelihood(*fit_logistic(few, [1 - which], start))

    limits = [
        point[which] - centre[which] + _profile_limit(profile, top, centre[which], side * error, z) for side in (-1, 1)
    ]
    return figure.interval(point[which], limits[0], limits[1], "profile-likelihood", data.note)


def _separated_slope(data: LogitTable, figure: _Figure, sign: float, z: float) -> Interval:
    """An infinite slope: the limit on the other side is finite."""
    tied = (data.up > 0) & (data.down > 0)
    up, down = float(data.up[tied].sum()), float(data.down[tied].sum())
    # Infinitely steep, only the rows at the cut itself are left in doubt.
    top = up * math.log(up / (up + down)) + down * math.log(down / (up + down)) if tied.any() else 0.0
    limit = _profile_limit(
        lambda v: data.likelihood(intercept_given_slope(data, v), v), top, 0.0, sign, z, from_top=False
    )
    low, high = (limit, math.inf) if sign > 0 else (-math.inf, limit)
    note = "the forecasts separate the classes, so the slope is infinite and only one limit is finite"
    return figure.interval(sign * math.inf, low, high, "profile-likelihood", note, data.note)


def _profile_limit(
    profile: Callable[[float], float], top: float, start: float, step: float, z: float, *, from_top: bool = True
) -> float:
    """Where twice the drop of the profile likelihood from its top is z², going from `start` by `step`.

    The signed root of the drop is nearly a straight line in the parameter, so few evaluations are needed. From a start
    that is not the top (an infinite estimate) the search goes whichever way leads to the crossing.
    """

    def beyond(value: float) -> float:
        return math.sqrt(max(0.0, 2 * (top - profile(value)))) - z

    if not from_top:
        # Towards the infinite estimate the drop shrinks to 0, away from it it grows.
        step = step if beyond(start) > 0 else -step
        wanted = beyond(start) > 0
    else:
        wanted = False
    near, far = start, start + step * (z if from_top else 1.0)
    for _ in range(STEPS):
        if abs(far) > FURTHEST:
            return math.copysign(math.inf, far)
        if (beyond(far) > 0) != wanted:
            break
        near, far = far, far + 2 * (far - near)
    low, high = min(near, far), max(near, far)
    return crossing(beyond, low, high)


def _wald(figure: _Figure, value: float, error: float, z: float, data: LogitTable) -> Interval:
    method = "wald-sandwich" if data.squares is not None else "wald-logistic"
    return figure.interval(value, value - z * error, value + z * error, method, data.note)


def _checked(table: ScoreTable, logits: LogitTable | None) -> tuple[LogitTable | None, str]:
    data = LogitTable.of(table) if logits is None else logits
    return data, "" if data is not None else "all forecasts are exactly 0 or 1, whose logits are infinite"


def _nothing(figure: _Figure, method: str, reason: str) -> Interval:
    name = {"profile": "profile-likelihood", "wald": "wald-logistic"}[method]
    return figure.interval(math.nan, math.nan, math.nan, name, reason)
