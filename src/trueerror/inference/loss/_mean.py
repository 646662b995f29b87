"""The mean of a loss over rows, from its moments.

Losses that are infinite: a model gave probability 0 to what happened, so its mean loss has no limits to compare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import contrast
from trueerror.inference._problem import NotOffered
from trueerror.inference._spec import Range, Terms
from trueerror.inference.loss._interval import t_limits
from trueerror.inference.proportion._array_intervals import limits, on_log
from trueerror.inputs._labels import Codes
from trueerror.methods import default_for
from trueerror.metrics._registry import Measure
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results._format import listing, whole
from trueerror.results._tables import one_line
from trueerror.sources._predictions import Predictions
from trueerror.tallies._moments import Moments

FEW = 10
LOSS_METHODS = ("t-log-mean", "t-mean")
INFINITE = "a row that was called certain was wrong, which costs an infinite loss; clip= sets the highest"


def loss_interval(
    measure: Measure, moments: Moments, options: dict[str, Any], terms: Terms, method: str | None = None
) -> Interval:
    """The interval of a mean loss, within the loss's range: t on the scale of the logarithm, or plain ("t-mean").

    >>> from trueerror.metrics._registry import find_measure
    >>> print(loss_interval(find_measure("brier"), Moments(100, 0.2, 4.0), {}, Terms()))
    brier 0.200 [0.163, 0.245], 95 % t-log-mean, n = 100
    """
    used = default_for("mean-loss") if method is None else method
    if used not in LOSS_METHODS:
        raise NotOffered(used, measure.name, LOSS_METHODS, " from its moments (a bootstrap needs the rows)")
    bounds = loss_range(measure, options)
    mean, n = (moments.mean, moments.n) if moments.n else (math.nan, 0)
    if n == 0:
        return terms.interval(
            measure.name, mean, *_finite(bounds), bounds=bounds, method=used, n=0, note="there are no rows"
        )
    if math.isinf(mean):
        return terms.interval(measure.name, mean, math.nan, mean, bounds=bounds, method=used, n=n, note=INFINITE)
    low, high, key, note = loss_limits(mean, moments.standard_error, n - 1, n, bounds, terms, used)
    return terms.interval(measure.name, mean, low, high, bounds=bounds, method=key, n=n, note=note)


def loss_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, terms: Terms, method: str
) -> tuple[float, float, str, str]:
    """mean·exp(±t·error/mean) for "t-log-mean": a few rows hold most of a loss, so its mean is skewed; else
    `mean_limits`, as also below ten rows, where t on that scale reaches beyond all bounds.

    The error is as uncertain as if it came from as many rows as hold the loss, (Σℓ)²/Σℓ² of them (Kish's count, with
    losses for weights): t has that many degrees of freedom, or n − 1 if that is less. A loss that has a highest value
    varies at most as one that is either 0 or that, so Wilson's limits for the share of the highest hold too: they cut
    the others.
    """
    low, high, key, note = mean_limits(mean, error, df, rows, bounds, terms)
    curved = method == "t-log-mean" and key == "t-mean" and not note
    if not (curved and df >= FEW - 1 and bounds[0] == 0 and mean > 0):
        return low, high, key, note
    down, up = map(float, on_log(mean, error * error, terms.factor(_settled(df, error / mean))))
    if math.isfinite(bounds[1]) and rows == df + 1:  # independent rows
        least, most = limits(mean / bounds[1] * rows, rows, "wilson", terms.level, terms.side)
        down, up = max(down, float(least) * bounds[1]), min(up, float(most) * bounds[1])
    return (
        -math.inf if terms.side == "upper" else down,
        math.inf if terms.side == "lower" else up,
        "t-log-mean",
        "",
    )


def _settled(df: float, relative: float) -> float:
    """Degrees of freedom: the rows that a loss is worth, from its error relative to its mean; n − 1 if that is less.

    At least 2: with fewer, t reaches so far that its limits say nothing.
    """
    return min(df, max(2.0, 1 / (1 / (df + 1) + relative**2)))


def mean_limits(
    mean: float, error: float, df: float, rows: float, bounds: Range, terms: Terms
) -> tuple[float, float, str, str]:
    """mean ± t·error; equal losses leave room for the share of rows that would have another, where there is a range."""
    # Rounding dust in the squares of equal losses must not pass for a spread.
    flat = df >= 1 and not error > 1e-13 * max(abs(mean), 1e-300)
    if flat and all(map(math.isfinite, bounds)):
        _, share = limits(0.0, rows, "wilson", terms.level, "two-sided" if terms.side == "two-sided" else "upper")
        low, high = mean - float(share) * (mean - bounds[0]), mean + float(share) * (bounds[1] - mean)
        return low, high, "wilson-constant-loss", "all rows have the same loss"
    low, high, note = t_limits(mean, 0.0 if flat else error, df, terms.level, terms.side)
    return low, high, "t-mean", note


def loss_range(measure: Measure, options: dict[str, Any]) -> Range:
    """Where the loss can lie: Brier's own form is twice the half."""
    if measure.name == "brier" and options.get("scale", "half") != "half":
        return (0.0, 2.0)
    return measure.range


def _finite(bounds: Range) -> tuple[float, float]:
    low, high = (b if math.isfinite(b) else math.nan for b in bounds)
    return low, high


ADVICE = 'Compare by the Brier score, or in Python set a highest loss with options={"clip": 1e-15}'


def infinite_rows(p: Predictions, model: str, measure: Measure, options: Mapping[str, Any]) -> int:
    """On how many rows the model's loss is infinite."""

    def infinite(codes: Codes, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.isinf(measure.function(codes, probabilities, **options)), dtype=np.float64)

    found = p.source.moments(model, infinite)
    return round(found.n * found.mean)


def infinite_facts(
    given: Mapping[str, tuple[Predictions, str]],
    measure: Measure,
    options: Mapping[str, Any],
    estimates: Mapping[str, Interval],
    contrasts: Iterable[Contrast],
) -> dict[str, dict[str, int]]:
    """Models whose own loss is infinite and so are differences from it, with the number of rows that make it so."""
    apart = {m for c in contrasts if not math.isfinite(c.estimate) for m in (c.first, c.second)}
    wanted = [m for m, own in estimates.items() if m in apart and math.isinf(own.estimate)]
    found = {m: infinite_rows(*given[m], measure, options) for m in wanted}
    return {"infinite": found} if found else {}


def certain_and_wrong(rows: Mapping[str, int]) -> str:
    """Who was certain and wrong, and on how many rows.

    >>> certain_and_wrong({"gamma": 3})
    'gamma was certain and wrong on 3 rows (it gave probability 0 to what happened)'
    >>> certain_and_wrong({"beta": 1, "gamma": 3})
    'beta was certain and wrong on 1 row and gamma on 3 (they gave probability 0 to what happened)'
    """
    parts = []
    for i, (model, k) in enumerate(rows.items()):
        unit = f" row{'' if k == 1 else 's'}" if i == 0 else ""
        parts.append(f"{one_line(model)} {'was certain and wrong on' if i == 0 else 'on'} {whole(k)}{unit}")
    who = "it" if len(rows) == 1 else "they"
    return f"{listing(parts)} ({who} gave probability 0 to what happened)"


def infinite_contrast(
    estimate: float,
    rows: Mapping[str, int],
    measure: Measure,
    *,
    confidence: float,
    alternative: Alternative,
    method: str,
    n: float,
) -> Contrast:
    """First − second where either loss is infinite: no limits, no p-value, and why."""
    whose = "its" if len(rows) == 1 else "their"
    why = (
        f"{certain_and_wrong(rows)}, so {whose} {measure.title} is infinite, without interval or p-value; the Brier "
        "score has both, and so has a loss with a clip"
    )
    return contrast(
        estimate=estimate, limits=(math.nan, math.nan), whole=(-math.inf, math.inf), confidence=confidence,
        alternative=alternative, method=method, p_value=math.nan, statistic=math.nan, n=n, notes=(why,),
    )  # fmt: skip


def infinite_words(rows: Mapping[str, int], title: str) -> str:
    """What a verdict says of the models whose loss is infinite."""
    whose = "its" if len(rows) == 1 else "their"
    return (
        f"{certain_and_wrong(rows)}, so {whose} {title} is infinite, and differences from it have no interval and no "
        f"p-value. {ADVICE}."
    )
