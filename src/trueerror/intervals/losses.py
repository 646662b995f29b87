"""The mean of a loss over rows, from its moments."""

from __future__ import annotations

import math
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.intervals.means import t_limits
from trueerror.intervals.proportions import limits
from trueerror.intervals.scales import on_log
from trueerror.intervals.situations import chosen_method
from trueerror.intervals.terms import Range, Terms
from trueerror.methods import default_for
from trueerror.metrics.registry import Measure
from trueerror.results import Interval
from trueerror.tallies.moments import Moments

FEW = 10
LOSS_METHODS = ("t-log-mean", "t-mean")
INFINITE = "a row that was called certain was wrong, which costs an infinite loss; clip= sets the highest"


def loss_interval(
    measure: Measure, moments: Moments, options: dict[str, Any], terms: Terms, method: str | None = None
) -> Interval:
    """The interval of a mean loss, within the loss's range: t on the scale of the logarithm, or plain ("t-mean").

    >>> from trueerror.metrics.registry import find_measure
    >>> print(loss_interval(find_measure("brier"), Moments(100, 0.2, 4.0), {}, Terms()))
    brier 0.200 [0.163, 0.245], 95 % t-log-mean, n = 100
    """
    used = chosen_method(measure, "mean-loss", method, default_for("mean-loss"))
    if used not in LOSS_METHODS:
        raise InputError(f"method={method!r} needs the rows of {measure.name}, of which only the moments are here")
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
