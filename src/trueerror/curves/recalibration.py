"""Logistic recalibration over a score table: how far forecasts are shifted and over- or underconfident.

logit P(y = 1) = a + b·logit p. Calibrated forecasts have a = 0 and b = 1; b < 1 is overconfidence.

Source: Cox 1958, Biometrika 45:562; Miller, Hui and Tierney 1991, Stat. Med. 10:1213.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from trueerror.curves.logistic import LogitTable, fit, intercept_given_slope, separation
from trueerror.intervals.critical import critical_z
from trueerror.results import Interval
from trueerror.significance.roots import crossing
from trueerror.tallies.scores import ScoreTable

RecalibrationMethod = Literal["profile", "wald"]
STEPS = 100
# A limit beyond this is none: logits of 700 and more leave the likelihood flat.
FURTHEST = 1e100


def calibration_slope(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """b of logit P = a + b·logit p; 1 is calibrated, below 1 overconfident. `logits` are the table's, if known."""
    facts: dict[str, Any] = {"name": "calibration slope", "confidence": confidence, "n": table.n}
    data, reason = _checked(table, logits)
    if data is None or len(data.x) < 2 or not (data.up.any() and data.down.any()):
        reason = reason or (
            "all forecasts are equal, so there is no slope"
            if data is not None and len(data.x) < 2
            else "all rows are of one class, so there is no slope"
        )
        return _nothing(facts, method, reason)
    z = critical_z(confidence)
    parted = separation(data)
    if parted:
        return _parted_slope(data, facts, parted, z)
    a, b = fit(data, [0, 1])
    if method == "wald" or data.squares is not None:
        error = math.sqrt(float(data.sandwich(a, b, [0, 1])[1, 1]))
        return _wald(facts, b, error, z, data)
    return _profiled(facts, data, (a, b), 1, z)


def calibration_intercept(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """a of logit P = a + b·logit p with b fitted too; 0 is calibrated where b is 1."""
    facts: dict[str, Any] = {"name": "calibration intercept", "confidence": confidence, "n": table.n}
    data, reason = _checked(table, logits)
    if data is None or len(data.x) < 2 or not (data.up.any() and data.down.any()):
        reason = (
            reason or "all forecasts are equal or all rows of one class, so intercept and slope cannot be told apart"
        )
        return _nothing(facts, method, reason)
    if separation(data):
        return _nothing(facts, method, "the forecasts part the classes, so intercept and slope are infinite")
    z = critical_z(confidence)
    a, b = fit(data, [0, 1])
    if method == "wald" or data.squares is not None:
        error = math.sqrt(float(data.sandwich(a, b, [0, 1])[0, 0]))
        return _wald(facts, a, error, z, data)
    return _profiled(facts, data, (a, b), 0, z)


def in_the_large(
    table: ScoreTable, *, method: RecalibrationMethod, confidence: float, logits: LogitTable | None = None
) -> Interval:
    """a of logit P = a + logit p: how far forecasts are too low (a > 0) or too high on the whole."""
    facts: dict[str, Any] = {"name": "calibration in the large", "confidence": confidence, "n": table.n}
    data, reason = _checked(table, logits)
    if data is None:
        return _nothing(facts, method, reason)
    z = critical_z(confidence)
    a = intercept_given_slope(data.grouped(), 1.0)
    if math.isfinite(a):
        a = fit(data, [0], (a, 1.0))[0]
    a = a if abs(a) > 1e-14 else 0.0  # forecasts that mirror each other leave rounding dust
    if math.isinf(a):
        note = "all rows are of one class, so only one limit is finite"
        centre = float((data.x * (data.up + data.down)).sum() / (data.up + data.down).sum())
        limit = _profile_limit(
            lambda v: data.likelihood(v, 1.0), 0.0, -centre, math.copysign(-1.0, a), z, from_top=False
        )
        low, high = (limit, math.inf) if a > 0 else (-math.inf, limit)
        return Interval(estimate=a, low=low, high=high, method="profile-likelihood", note=note, **facts)
    if method == "wald" or data.squares is not None:
        return _wald(facts, a, math.sqrt(float(data.sandwich(a, 1.0, [0])[0, 0])), z, data)
    few = data.grouped()
    centre = intercept_given_slope(few, 1.0)
    top = few.likelihood(centre, 1.0)
    error = math.sqrt(float(few.sandwich(centre, 1.0, [0])[0, 0]))
    limits = [
        a - centre + _profile_limit(lambda v: few.likelihood(v, 1.0), top, centre, side * error, z) for side in (-1, 1)
    ]
    return Interval(estimate=a, low=limits[0], high=limits[1], method="profile-likelihood", note=data.note, **facts)


def _profiled(facts: dict[str, Any], data: LogitTable, point: tuple[float, float], which: int, z: float) -> Interval:
    """Limits of one parameter (0: intercept, 1: slope) from the likelihood at its best over the other one."""
    few = data.grouped()
    centre = point if few is data else fit(few, [0, 1], point)
    top = few.likelihood(*centre)
    error = math.sqrt(float(few.sandwich(*centre, [0, 1])[which, which]))

    def profile(value: float) -> float:
        start = (value, centre[1]) if which == 0 else (centre[0], value)
        return few.likelihood(*fit(few, [1 - which], start))

    limits = [
        point[which] - centre[which] + _profile_limit(profile, top, centre[which], side * error, z) for side in (-1, 1)
    ]
    return Interval(
        estimate=point[which], low=limits[0], high=limits[1], method="profile-likelihood", note=data.note, **facts
    )


def _parted_slope(data: LogitTable, facts: dict[str, Any], sign: float, z: float) -> Interval:
    """An infinite slope: the limit on the other side is finite."""
    tied = (data.up > 0) & (data.down > 0)
    up, down = float(data.up[tied].sum()), float(data.down[tied].sum())
    # Infinitely steep, only the rows at the cut itself are left in doubt.
    top = up * math.log(up / (up + down)) + down * math.log(down / (up + down)) if tied.any() else 0.0
    limit = _profile_limit(
        lambda v: data.likelihood(intercept_given_slope(data, v), v), top, 0.0, sign, z, from_top=False
    )
    low, high = (limit, math.inf) if sign > 0 else (-math.inf, limit)
    note = "the forecasts part the classes, so the slope is infinite and only one limit is finite"
    return Interval(
        estimate=sign * math.inf, low=low, high=high, method="profile-likelihood",
        note="; ".join(w for w in (note, data.note) if w), **facts,
    )  # fmt: skip


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


def _wald(facts: dict[str, Any], value: float, error: float, z: float, data: LogitTable) -> Interval:
    method = "wald-sandwich" if data.squares is not None else "wald-logistic"
    return Interval(
        estimate=value, low=value - z * error, high=value + z * error, method=method, note=data.note, **facts
    )


def _checked(table: ScoreTable, logits: LogitTable | None) -> tuple[LogitTable | None, str]:
    data = LogitTable.of(table) if logits is None else logits
    return data, "" if data is not None else "all forecasts are exactly 0 or 1, whose logits are infinite"


def _nothing(facts: dict[str, Any], method: str, reason: str) -> Interval:
    name = {"profile": "profile-likelihood", "wald": "wald-logistic"}[method]
    return Interval(estimate=math.nan, low=math.nan, high=math.nan, method=name, note=reason, **facts)
