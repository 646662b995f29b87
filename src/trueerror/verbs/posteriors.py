"""The Bayesian view of a pair: how probable is it that the first is better by more than what matters?"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.results import Contrast, Posterior

DRAWS = 200_000


def pair_posterior(
    c: Contrast, discordance: tuple[int, int, int, int] | None, *, rope: float, higher_is_better: bool
) -> Posterior:
    """Probabilities that the second is better, that the difference is within ±rope, that the first is better.

    Shares on the same rows: the four cells (both, only first, only second, neither) have a Dirichlet posterior under
    Jeffreys' prior, drawn 200,000 times with seed 0. Other metrics: a flat prior, so that the difference is t (or
    normal) around its estimate with the standard error that its interval implies.
    """
    width = float(rope)
    if not (math.isfinite(width) and width >= 0):
        raise InputError(f"rope={rope!r} must be a number from 0 up: the largest difference that does not matter")
    if discordance is not None and c.method.startswith("mcnemar"):
        rng = np.random.Generator(np.random.Philox(0))
        cells = rng.dirichlet(np.array(discordance, dtype=float) + 0.5, size=DRAWS)
        d = cells[:, 1] - cells[:, 2]
        low, high = float((d < -width).mean()), float((d > width).mean())
        method = "dirichlet-paired"
    else:
        low, high = _around(c, width)
        method = "flat-prior"
    better, worse = (high, low) if higher_is_better else (low, high)
    return Posterior(
        name=f"{c.name}: {c.first} against {c.second}",
        left=worse,
        rope=max(0.0, 1 - low - high),
        right=better,
        rope_width=width,
        method=method,
        n=None if c.n is None else int(c.n),
        note="a flat-prior posterior, not a p-value",
    )


def _around(c: Contrast, width: float) -> tuple[float, float]:
    df = c.df if isinstance(c.df, float) and math.isfinite(c.df) else None
    tail = (1 - c.confidence) / (2 if c.side == "two-sided" else 1)
    quantile = -float(special.ndtri(tail) if df is None else special.stdtrit(df, tail))
    reach = {"lower": c.estimate - c.low, "upper": c.high - c.estimate}.get(c.side, (c.high - c.low) / 2)
    error = reach / quantile if quantile > 0 else math.nan
    if not (error > 0 and math.isfinite(error)):
        raise InputError(f"{c.name} has no standard error to build a posterior on: {c.note or 'no limits'}")
    scores = [(-width - c.estimate) / error, (c.estimate - width) / error]
    low, high = (float(special.ndtr(s) if df is None else special.stdtr(df, s)) for s in scores)
    return low, high
