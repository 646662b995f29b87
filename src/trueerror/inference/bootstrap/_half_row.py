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

Floats = NDArray[np.float64]
HALF = 0.5
# As far as a saddlepoint is looked for where nothing bounds it.
FURTHEST = 1e6


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
