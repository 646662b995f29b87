"""Bayesian comparisons: how probable is it that one is better by more than what matters, in practice?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from trueerror.inference._contrast import df_of_limits, statistic_of
from trueerror.inference._problem import critical_t
from trueerror.inputs._arrays import Floats, matrix, numbers, paired_numbers
from trueerror.inputs._options import InputError, Rng, check_replicates, check_share, generator
from trueerror.kernels._threads import PIECE, parts
from trueerror.results import Contrast, Posterior

# A spread this small beside the differences themselves is rounding.
ROUNDING = 10 * float(np.finfo(np.float64).eps)
# Draws for two models on the same rows: a probability is met to ±.002.
DRAWS = 200_000


def bayes_correlated_t(differences: Any, *, rho: float, rope: float = 0.0) -> Posterior:
    """Posterior of the mean difference of two learners, from differences over folds whose training sets overlap.

    Under a flat prior the mean has a Student t distribution with n − 1 degrees of freedom around d̄, of scale
    s·√(1/n + ρ/(1 − ρ)); ρ is the correlation between folds, taken as the share of rows that a fold tests (0.1 for
    10 folds). `rope` is the half width of the region of practical equivalence. Differences are first − second.

    Source: Corani and Benavoli 2015, Mach. Learn. 100:285; Benavoli, Corani, Demšar and Zaffalon 2017, JMLR 18:77.

    >>> d = [0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01]
    >>> print(bayes_correlated_t(d, rho=0.1, rope=0.01))
    difference: second better 0.002, practically the same 0.232 (within ±0.010), first better 0.766
    """
    width = _check_rope(rope)
    correlation = check_share(rho, "rho")
    if correlation == 1:
        raise InputError(f"rho={rho!r} must lie from 0 up to 1; for 10 folds it is 0.1")
    d = numbers(matrix(differences, "differences").reshape(-1), "differences")
    if len(d) < 2:
        raise InputError(f"differences has {len(d)} value; a posterior of their mean needs at least two")
    mean = float(d.mean())
    scale = float(d.std(ddof=1)) * math.sqrt(1 / len(d) + correlation / (1 - correlation))
    note = ""
    if scale <= ROUNDING * float(np.abs(d).max()):
        # All the mass is at the mean.
        left, right = (0.5, 0.5) if mean == width == 0 else (float(mean < -width), float(mean > width))
        note = "the differences do not vary, so the posterior is a point"
    else:
        left, right = student_sides(mean, scale, len(d) - 1, width)
    return Posterior(
        left=left, rope=max(0.0, 1 - left - right), right=right, rope_width=width, method="bayes-correlated-t",
        n=len(d), note=note,
    )  # fmt: skip


def student_sides(mean: float, scale: float, df: float, rope: float) -> tuple[float, float]:
    """P(below −rope) and P(above rope) of a Student t distribution.

    >>> [round(p, 3) for p in student_sides(-0.056, 0.05423, 99, 0.01)]
    [0.801, 0.113]
    """
    return float(special.stdtr(df, (-rope - mean) / scale)), float(special.stdtr(df, (mean - rope) / scale))


def bayes_signed_rank(
    first: Any, second: Any, *, rope: float = 0.0, prior_strength: float = 0.5, samples: int = 50_000, rng: Rng = None
) -> Posterior:
    """Which of two models is better on data sets like these: the Bayesian signed-rank test.

    The differences zᵢ get random weights w from a Dirichlet distribution (1 for each data set, `prior_strength` for one
    pseudo-difference 0); a sample says which is largest of θ_left = Σ wᵢwⱼ[zᵢ + zⱼ < −2·rope], θ_right (> 2·rope) and
    the rest, and the posterior probabilities are the shares of samples. If there is no rope, pairs that add up to 0
    count half on each side.

    Source: Benavoli, Corani, Mangili, Zaffalon and Ruggeri 2014, ICML; Benavoli, Corani, Demšar and Zaffalon 2017,
    JMLR 18:77.

    >>> p = bayes_signed_rank([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.7, 0.7, 0.6], rope=0.01)
    >>> p.right > 0.95
    True
    """
    width = _check_rope(rope)
    strength = float(prior_strength)
    if not (math.isfinite(strength) and strength > 0):
        raise InputError(f"prior_strength={prior_strength!r} must be above 0; 0.5 is usual")
    draws = check_replicates(samples, usual=50_000, option="samples")
    if draws < 100:
        raise InputError(f"samples={samples!r} is too few; draw at least 100")
    a, b = paired_numbers(first, second)
    if len(a) == 0:
        raise InputError("first and second have no rows; a posterior needs at least one data set")
    random, seed = generator(rng)
    dust = 16 * float(np.finfo(np.float64).eps) * float(max(np.abs(a).max(), np.abs(b).max()))
    # One of z and −z is sampled, whichever model comes first, so that exchanging them exchanges left and right.
    z, turned = np.sort(a - b), np.sort(b - a)
    mirrored = tuple(turned) < tuple(z)
    left, middle, right = _rope_wins(turned if mirrored else z, width, strength, draws, dust, random) / draws
    if mirrored:
        left, right = right, left
    return Posterior(
        left=left, rope=middle, right=right, rope_width=width, method="bayes-signed-rank", n=len(a),
        note=f"{draws:,} samples, {seed}",
    )  # fmt: skip


def _rope_wins(z: Floats, rope: float, strength: float, draws: int, dust: float, rng: np.random.Generator) -> Floats:
    """How many samples each of left, rope and right wins; ties are shared.

    With the differences sorted, the partners j of i with zᵢ + zⱼ < −2·rope come first, so that their weight is one
    cumulative sum: n steps a sample instead of n².
    """
    size = len(z) + 1
    values = np.concatenate((z, [0.0]))
    alpha = np.concatenate((np.ones(len(z)), [strength]))
    order = np.argsort(values, kind="stable")
    values, alpha = values[order], alpha[order]
    # Differences that rounding alone tells from the edge of the rope lie on it, which is inside.
    below = np.searchsorted(values, -2 * rope - values - dust, side="left")
    up_to = np.searchsorted(values, 2 * rope - values + dust, side="right")
    wins = np.zeros(3)
    for part in parts(draws, min(draws, -(-draws * size // PIECE))):
        weights = rng.dirichlet(alpha, size=part.stop - part.start)
        through = np.concatenate((np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)), axis=1)
        left = (weights * through[:, below]).sum(axis=1)
        right = (weights * (through[:, -1:] - through[:, up_to])).sum(axis=1)
        shares = np.column_stack((left, 1 - left - right, right))
        if rope == 0:
            # What adds up to 0 counts half on each side, which decides nothing: it is left out.
            shares[:, 1] = -1.0
        best = shares >= shares.max(axis=1, keepdims=True) - 1e-12
        wins += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    return wins


def _check_rope(rope: Any) -> float:
    try:
        width = float(rope)
    except (TypeError, ValueError):
        raise InputError(f"rope={rope!r} is not a number; give the largest difference that does not matter") from None
    if not (math.isfinite(width) and width >= 0):
        raise InputError(f"rope={rope!r} must be 0 or more; it is the half width of the region, such as 0.01")
    return width


def pair_posterior(
    c: Contrast, discordance: tuple[int, int, int, int] | None, *, rope: float, higher_is_better: bool
) -> Posterior:
    """Probabilities that the second is better, that the difference is within ±rope, that the first is better.

    Shares on the same rows: the four cells (both, only first, only second, neither) have a Dirichlet posterior under
    Jeffreys' prior, drawn 200,000 times with seed 0. Other metrics: a flat prior, so that the difference is t (or
    normal) around its estimate with the standard error that its interval implies.
    """
    width = _check_rope(rope)
    if discordance is not None and statistic_of(c).of_rows:
        rng = np.random.Generator(np.random.Philox(0))
        cells = rng.dirichlet(np.array(discordance, dtype=float) + 0.5, size=DRAWS)
        d = cells[:, 1] - cells[:, 2]
        worse, better = float((d < -width).mean()), float((d > width).mean())
        method = "dirichlet-paired"
    else:
        worse, better = _around(c, width) if higher_is_better else _around(c, width)[::-1]
        method = "flat-prior"
    return Posterior(
        name=f"{c.name}: {c.first} against {c.second}", left=worse, rope=max(0.0, 1 - worse - better), right=better,
        rope_width=width, method=method, n=None if c.n is None else int(c.n),
        note="a flat-prior posterior, not a p-value",
    )  # fmt: skip


def _around(c: Contrast, width: float) -> tuple[float, float]:
    """What lies beyond ±width of a t (or normal) distribution with the standard error that the limits imply."""
    df = df_of_limits(c)
    reach = {"lower": c.estimate - c.low, "upper": c.high - c.estimate}.get(c.side, c.width / 2)
    quantile = critical_t(c.confidence, df, c.side)
    error = reach / quantile if quantile > 0 else math.nan
    if not (error > 0 and math.isfinite(error)):
        raise InputError(f"{c.name} has no standard error to build a posterior on: {c.note or 'no limits'}")
    return student_sides(c.estimate, error, df, width)
