"""Tests by resampling: rearranging scores, and drawing test rows again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count, numbers, paired_numbers
from trueerror.inputs.options import check_word, generator
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import REALS, check_options, contrast, tail_area
from trueerror.significance.paired_metrics import PairedMetric, paired_metric
from trueerror.significance.rearrangements import exchange, flip_signs
from trueerror.tallies.agreement import Agreement
from trueerror.variances.bootstrap import BootstrapMethod, Quantile, Ties, bootstrap_limits, bootstrap_p

PermutationMethod = Literal["auto", "exact", "monte-carlo"]
# Above this share of replicates in which the metric is undefined, the delta method takes over.
MOST_UNDEFINED = 0.01
# So many splits are enumerated when asked for; it takes a second.
MOST_SPLITS = 1 << 24


def permutation(
    first: Any,
    second: Any,
    *,
    paired: bool = True,
    method: PermutationMethod = "auto",
    replicates: int = 9_999,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
) -> Contrast:
    """Could the difference of two means come about by chance alone? All rearrangements of the scores, or many.

    Paired: every sign of the differences could as well be the other; p is the share of the 2^n sign patterns with a
    mean at least as far out. Unpaired: every score could as well be in the other set. "auto" enumerates while that is
    quick (paired up to 40 differences that are not 0, or any number of one size; unpaired up to a million splits),
    else draws `replicates` at random: p = (1 + those at least as far out)/(1 + replicates), never 0. Sums that differ
    by rounding alone are ties. The limits are the shifts that the same test does not reject.

    Source: Fisher 1935, The Design of Experiments; Hartigan 1969, JASA 64:1303; Phipson and Smyth 2010.

    >>> c = permutation([0.82, 0.79, 0.85, 0.88, 0.80, 0.83], [0.80, 0.78, 0.83, 0.85, 0.81, 0.79])
    >>> round(c.estimate, 4), c.p_value
    (0.0183, 0.09375)
    """
    check_word(method, ("auto", "exact", "monte-carlo"), "method")
    level = check_options(confidence, alternative)
    draws = _check_replicates(replicates)
    random, seed = generator(rng)
    exact = {"auto": None, "exact": True, "monte-carlo": False}[method]
    if paired:
        a, b = paired_numbers(first, second)
        if len(a) == 0:
            raise InputError("first and second have no rows; a permutation test needs at least one")
        dust = _dust(a, b)
        found = flip_signs(a - b, dust, exact=exact, draws=draws, rng=random)
    else:
        a, b = numbers(first, "first"), numbers(second, "second")
        if len(a) == 0 or len(b) == 0:
            raise InputError(f"{'first' if len(a) == 0 else 'second'} has no rows; a permutation test needs some")
        if exact and math.comb(len(a) + len(b), len(a)) > MOST_SPLITS:
            raise InputError(f"{len(a) + len(b):,} scores are too many to enumerate; use method='monte-carlo'")
        dust = _dust(a, b)
        found = exchange(a, b, dust, exact=exact, draws=draws, rng=random)
    if exact and not found.exact:
        raise InputError(f"{len(a):,} differences are too many to enumerate; use method='monte-carlo'")
    low, high = found.limits(tail_area(level, alternative))
    notes = [f"{'limits from ' if found.exact else ''}{draws:,} random rearrangements, {seed}"] if found.drawn else []
    if high - low <= dust / len(a):
        low, high = REALS
        notes.append("the differences do not vary, so they put no limits on the true one")
    elif np.isinf(low):
        notes.append(f"{found.total:,} arrangements are too few for limits at this confidence")
    return contrast(
        estimate=float(a.mean() - b.mean()),
        limits=(low, high),
        whole=REALS,
        confidence=level,
        alternative=alternative,
        method="permutation-paired" if paired else "permutation-unpaired",
        statistic=float(a.mean() - b.mean()),
        p_value=found.p_values[alternative],
        n=len(a) if paired else len(a) + len(b),
        notes=tuple(notes),
    )


def _dust(a: Any, b: Any) -> float:
    """What rounding can do to a sum of these scores."""
    size = float(np.abs(a).sum() + np.abs(b).sum())
    return 16 * float(np.finfo(np.float64).eps) * size


def _check_replicates(replicates: Any) -> int:
    draws = count(replicates, "replicates")
    if draws < 99:
        raise InputError(f"replicates={replicates!r} is too few for a p-value or limits; draw at least 99")
    return draws


def paired_bootstrap(
    data: Any,
    first: Any = None,
    second: Any = None,
    *,
    metric: str | Callable[..., Any] = "accuracy",
    positive: Any = None,
    method: Literal["bca", "percentile", "basic", "normal"] = "bca",
    replicates: int = 10_000,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    ties: Ties = "half",
    quantile: Quantile = "linear",
    rng: Any = None,
    **options: Any,
) -> Contrast:
    """The difference of any metric of labels between two models on the same rows, by drawing the rows again.

    `data` is the truth, with the labels of the two models in `first` and `second`, or an `Agreement` that counted
    them. Drawing n rows with replacement is one multinomial draw over the cells of truth × first × second, so a
    replicate costs the same for a thousand rows and for a billion. Rows are drawn together, never class by class. The
    p-value is the level at which the interval just reaches 0. A metric may also be a function of (table, masses), with
    masses (…, cells) in place of the table's counts.

    Source: Efron 1987, JASA 82:171; Efron and Tibshirani 1993, An Introduction to the Bootstrap.

    >>> truth, a, b = [0, 1] * 50, [0, 1] * 45 + [1, 0] * 5, [0, 1] * 40 + [1, 0] * 10
    >>> print(paired_bootstrap(truth, a, b, metric="macro_f1"))
    macro F1: first − second = +0.100 [0.050, 0.170], 95 % paired-bootstrap-bca, p < .001, n = 100 (10,000 replicates,
    seed 0)
    """
    check_word(method, ("bca", "percentile", "basic", "normal"), "method")
    check_word(ties, ("half", "strict"), "ties")
    check_word(quantile, ("linear", "weibull", "r-boot", "order"), "quantile")
    level = check_options(confidence, alternative)
    draws = _check_replicates(replicates)
    random, seed = generator(rng)
    agreement = data if isinstance(data, Agreement) else Agreement.count(data, first, second)
    if agreement.n == 0:
        raise InputError("there are no rows to draw from")
    compared = paired_metric(agreement, metric, positive, options)
    estimate = compared.difference()
    if np.isnan(estimate):
        return _contrast(compared, estimate, (np.nan, np.nan), np.nan, None, level, alternative, method, compared.why)
    values = compared.replicates(draws, random)
    lost = np.isnan(values)
    values = values[~lost]
    note = f"{draws:,} replicates, {seed}"
    tail = tail_area(level, alternative)
    better = compared.share_better(values)
    if lost.mean() > MOST_UNDEFINED:
        limits, p = compared.delta(tail, alternative)
        note = f"{lost.mean():.1%} of the {draws:,} replicates leave the metric undefined"
        if limits[0] < limits[1]:
            note += ": limits by the delta method"
            return _contrast(compared, estimate, limits, p, None, level, alternative, method, note)
    shape: dict[str, Any] = {"influences": compared.influences(), "counts": compared.agreement.counts, "ties": ties}
    low, high = (np.nan, np.nan)
    if len(values):
        low, high = bootstrap_limits(estimate, values, tail=tail, method=method, quantile=quantile, **shape)
    if not high - low > 0:
        limits, p = compared.pseudo_row_limits(tail), compared.pseudo_row_p(alternative)
        note = "all replicates are alike: limits by adding z² rows where they would change most"
        return _contrast(compared, estimate, limits, p, better, level, alternative, method, note)
    p = bootstrap_p(estimate, values, alternative=alternative, method=method, **shape)
    made = _contrast(compared, estimate, (low, high), p, better, level, alternative, method, note)
    # The normal method reads p from a formula, which has no smallest value.
    sides = {"greater": [values.min()], "less": [-values.max()], "two-sided": [values.min(), -values.max()]}
    return replace(made, p_at_most=True) if method != "normal" and max(sides[alternative]) > 0 else made


def _contrast(
    compared: PairedMetric,
    estimate: float,
    limits: tuple[float, float],
    p: float,
    better: float | None,
    level: float,
    alternative: Alternative,
    method: BootstrapMethod,
    note: str,
) -> Contrast:
    return contrast(
        name=compared.title,
        estimate=estimate,
        limits=limits,
        whole=compared.range,
        confidence=level,
        alternative=alternative,
        method=f"paired-bootstrap-{method}",
        statistic=estimate,
        p_value=p,
        n=compared.agreement.n,
        notes=(note,),
        p_better=better,
    )
