"""The half-row Bayesian bootstrap: what half a row more, put where it would hurt most, makes of a result.

A sample that does not hold the rare row which moves a mean most is too sure of itself, whatever is computed from it.
Rubin's (1981) Bayesian bootstrap gives each row a weight of its own (independent exponential draws); here one more row
is added, of weight Gamma(½), at the worst value that the metric allows. With a whole row this is Gaffke's (2005) bound,
which for a proportion is Clopper and Pearson's; a half is the Jeffreys-like middle: Beta(x, n − x + ½) below and
Beta(x + ½, n − x) above.

Source: Rubin 1981, Ann. Stat. 9:130; Gaffke 2005, Math. Methods Stat. 14:40; the half is a calibration by simulation
(docs/decisions/0013).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference.proportion._distributions import crossing
from trueerror.results import Alternative

Floats = NDArray[np.float64]
HALF = 0.5
STEPS = 60
# As far as a saddlepoint is looked for where nothing bounds it.
FURTHEST = 1e6


def half_row_tail(values: Floats, extreme: float) -> float:
    """P(Σ g_i·v_i + h·extreme > 0), g exponential, h Gamma(½): how likely half an unseen row lifts a mean above 0.

    Whether the weighted mean is above 0 does not depend on the weights' total, so this is the tail of a sum of
    independent gamma variables, which Lugannani and Rice's (1980) saddlepoint formula gives to within a few percent.

    >>> round(half_row_tail(np.full(50, -0.184), 4.6), 3)
    0.049
    """
    if float(values.sum()) + HALF * extreme >= 0:
        return 1.0
    top = max(float(values.max()), extreme)
    if top <= 0:
        return 0.0
    low, high, t = 0.0, (1 - 1e-12) / top, 0.0
    for _ in range(STEPS):  # Newton's steps, halving where they leave the bracket
        parts, unseen = values / (1 - t * values), extreme / (1 - t * extreme)
        slope, bend = float(parts.sum()) + HALF * unseen, float((parts * parts).sum()) + HALF * unseen * unseen
        low, high = (low, t) if slope > 0 else (t, high)
        before, t = t, t - slope / bend
        if not low < t < high:
            t = (low + high) / 2
        if abs(t - before) <= 1e-9 * high:
            break
    generating = -float(np.log1p(-t * values).sum()) - HALF * math.log1p(-t * extreme)
    curvature = float(((values / (1 - t * values)) ** 2).sum()) + HALF * (extreme / (1 - t * extreme)) ** 2
    r, u = math.sqrt(max(-2 * generating, 1e-300)), t * math.sqrt(curvature)
    tail = float(special.ndtr(-r)) + math.exp(-r * r / 2) / math.sqrt(2 * math.pi) * (1 / u - 1 / r)
    return min(max(tail, 0.0), 1.0)


def half_row_p(values: Floats, ends: tuple[float, float], alternative: Alternative) -> float:
    """The p-value of a mean against 0, with half a row more at the end of the range that speaks against it.

    >>> round(half_row_p(np.full(50, -0.184), (-4.6, 4.6), "two-sided"), 3)
    0.097
    """
    below = half_row_tail(values, ends[1])
    above = half_row_tail(-values, -ends[0])
    if alternative != "two-sided":
        return {"less": below, "greater": above}[alternative]
    return min(1.0, 2 * min(below, above))


def half_unit_limit(sums: Floats, sizes: Floats, end: float, tail: float, size: float | None = None) -> float:
    """The same for units of any size (rows, clusters, rows with weights), the unseen half of one being of mean size
    where no `size` is given.

    Σ g·s/Σ g·w lies beyond θ where Σ g·(s − θ·w) does beyond 0, so that the same tail answers.

    >>> values = np.array([0.2, 0.9, 0.4, 0.6])
    >>> abs(half_unit_limit(values, np.ones(4), 1.0, 0.025) - half_row_limit(values, 1.0, 0.025)) < 1e-6
    True
    """
    start, size = float(sums.sum()) / float(sizes.sum()), float(sizes.mean()) if size is None else size
    sign = 1.0 if end >= start else -1.0
    if end == start:
        return end
    wanted = float(special.ndtri(tail))

    def beyond(point: float) -> float:
        chance = half_row_tail(sign * (sums - point * sizes), sign * size * (end - point))
        return float(special.ndtri(min(max(chance, 1e-300), 1 - 1e-16))) - wanted

    # Near the limits of a normal mean with a whole unit at the end; further out where those are not enough.
    total = float(sizes.sum())
    error = math.sqrt(float(((sums - start * sizes) ** 2).sum())) / total
    reach = min(2 * abs(wanted) * error + 4 * size / total * abs(end - start), abs(end - start))
    near = start + sign * reach
    far = near if beyond(near) < 0 else end
    low, high = min(start, far), max(start, far)
    return crossing(beyond, low, high, within=1e-8 * (high - low))


def half_row_limit(values: Floats, end: float, tail: float) -> float:
    """The limit beyond which the mean lies with the given chance; above the mean where `end` is, else below.

    >>> x, n = 3, 20
    >>> rights = np.repeat([1.0, 0.0], [x, n - x])
    >>> abs(half_row_limit(rights, 1.0, 0.025) - float(special.betaincinv(x + 0.5, n - x, 0.975))) < 0.002
    True
    """
    sign = 1.0 if end >= float(values.mean()) else -1.0
    start = float(values.mean())
    low, high = start, end
    for _ in range(STEPS // 2):
        middle = (low + high) / 2
        chance = half_row_tail(sign * (values - middle), sign * (end - middle))
        low, high = (middle, high) if chance > tail else (low, middle)
        if abs(high - low) <= 1e-7 * abs(end - start):
            break
    return (low + high) / 2


def gamma_quantile(influences: Floats, counts: Floats, share: float) -> float:
    """The quantile of Σ u_c·(g_c − n_c), g_c Gamma(n_c): how far the Bayesian bootstrap moves a metric of counts.

    >>> round(gamma_quantile(np.array([1.0]), np.array([20.0]), 0.975), 2), round(float(special.gdtrix(1, 20, .975)), 2)
    (9.67, 29.67)
    """
    active = (counts > 0) & (influences != 0)
    u, k = influences[active], counts[active]
    if not len(u):
        return 0.0
    spread = math.sqrt(float((k * u * u).sum()))
    u = u / spread
    # By the saddlepoint t of a value, of which the value and the chance below it are plain functions.
    sign = -1.0 if share < 0.5 else 1.0
    edge = float((sign * u).max())
    far = (1 - 1e-12) / edge if edge > 0 else FURTHEST
    wanted = float(special.ndtri(share))

    def beyond(t: float) -> float:
        # On the normal scale, which is nearly straight in t.
        return float(special.ndtri(min(max(_chance_below(u, k, sign * t), 1e-300), 1 - 1e-16))) - wanted

    near = min(far, abs(wanted))
    ends = (0.0, near) if sign * beyond(near) > 0 else (near, far)
    t = sign * crossing(beyond, *ends, within=1e-14 * ends[1])
    return spread * float(k @ (u / (1 - t * u)) - k @ u)


def _chance_below(u: Floats, k: Floats, t: float) -> float:
    """P(Σ u·g ≤ K′(t)) by Lugannani and Rice's formula; at the mean, where it is 0/0, the skewness decides."""
    parts = u / (1 - t * u)
    weighed = k * parts
    r = math.copysign(math.sqrt(max(2 * float(t * weighed.sum() + k @ np.log1p(-t * u)), 0.0)), t)
    if abs(r) < 1e-4:
        return 0.5 + float(k @ u**3) / (3 * math.sqrt(2 * math.pi))
    v = t * math.sqrt(float(weighed @ parts))
    return float(special.ndtr(r)) + math.exp(-r * r / 2) / math.sqrt(2 * math.pi) * (1 / r - 1 / v)
