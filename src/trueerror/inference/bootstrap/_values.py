"""The bootstrap of a statistic of plain values: replicates all at once, and limits that hold in small samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._problem import tail as tail_of
from trueerror.inference.bootstrap._limits import (
    acceleration,
    bca_shares,
    bias_correction,
    bootstrap_limits,
    order_limits,
    quantiles,
)
from trueerror.inputs._arrays import Array
from trueerror.kernels._numpy import in_threads, row_weights, seed_of
from trueerror.methods import Method, declare

Floats = NDArray[np.float64]
LIMITS = ("bootstrap-t", "bca-t", "bca", "percentile", "basic", "normal")
# Numbers drawn at a time.
BLOCK = 1 << 22
# Leaving out one value in turn takes a run for each; of more values than this, groups are left out.
MOST_LEFT_OUT = 500
# Of values that take few different ones (0 and 1) a standard error is too coarse for bootstrap-t.
FEW_VALUES = 7
# With more values than this Student's correction is too small to matter.
MANY_VALUES = 2_000
# A multinomial draw of a value takes as long as drawing about so many rows.
ROWS_A_VALUE = 16
# A quantile wants at least so many replicates beyond it.
BEYOND = 5


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic over the last axis; `plug_in` is the same of a population, `error` its standard error.

    Where it is `logarithmic`, the error is that of its logarithm. What the bootstrap says of the bias of a statistic
    that is not `smooth` is noise. `weighted(values, times)` is the value of ascending values that occur so many times.
    """

    value: Callable[[Floats], Floats]
    plug_in: Callable[[Floats], Floats]
    error: Callable[[Floats], Floats] | None = None
    logarithmic: bool = False
    smooth: bool = True
    weighted: Callable[[Floats, Array], Floats] | None = None


def _weighted_sum(values: Floats, times: Array) -> Floats:
    # No dot product, which BLAS would hand to threads of its own within ours.
    return np.asarray(np.einsum("...i,i->...", times, values))


def _weighted_mean(values: Floats, times: Array) -> Floats:
    return np.asarray(_weighted_sum(values, times) / times.sum(axis=-1))


def _weighted_variance(values: Floats, times: Array) -> Floats:
    n = times.sum(axis=-1)
    gaps = values - values.mean()
    return np.asarray((_weighted_sum(gaps**2, times) - _weighted_sum(gaps, times) ** 2 / n) / (n - 1))


def _weighted_median(values: Floats, times: Array) -> Floats:
    through = np.cumsum(times, axis=-1)
    half = through[..., -1:] / 2
    # The first value at which half of them is reached, and the first at which it is passed.
    below, above = (np.argmax(reached, axis=-1) for reached in (through >= half, through > half))
    return np.asarray((values[below] + values[above]) / 2)


def _spread_error(x: Floats) -> Floats:
    """Of log s: √((m4 − m2²(n − 3)/(n − 1))/n)/(2s²)."""
    n = x.shape[-1]
    gaps = x - x.mean(axis=-1, keepdims=True)
    second, fourth = (gaps**2).mean(axis=-1), (gaps**4).mean(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = np.sqrt(np.maximum(fourth - second**2 * (n - 3) / (n - 1), 0.0) / n) / (2 * second * n / (n - 1))
    return out


STATISTICS = {
    "mean": Statistic(
        lambda x: x.mean(axis=-1),
        lambda x: x.mean(axis=-1),
        lambda x: x.std(axis=-1, ddof=1) / math.sqrt(x.shape[-1]),
        weighted=_weighted_mean,
    ),
    "median": Statistic(
        lambda x: np.median(x, axis=-1), lambda x: np.median(x, axis=-1), smooth=False, weighted=_weighted_median
    ),
    "sd": Statistic(
        lambda x: x.std(axis=-1, ddof=1),
        lambda x: x.std(axis=-1),
        _spread_error,
        True,
        weighted=lambda values, times: np.sqrt(_weighted_variance(values, times)),
    ),
    "variance": Statistic(
        lambda x: x.var(axis=-1, ddof=1),
        lambda x: x.var(axis=-1),
        lambda x: 2 * _spread_error(x),
        True,
        weighted=_weighted_variance,
    ),
}


def over_rows(function: Callable[..., Any], example: Floats) -> Callable[[Floats], Floats]:
    """A function of an array for each row of a table: all at once where it takes `axis=`, else one by one."""
    two = np.stack((example, example[::-1]))
    try:
        at_once = np.asarray(function(two, axis=-1), dtype=np.float64)
        if at_once.shape == (2,) and np.allclose(at_once, [float(function(row)) for row in two], equal_nan=True):
            return lambda x: np.asarray(function(x, axis=-1), dtype=np.float64)
    except Exception:  # noqa: BLE001 - whatever it raises, it does not take axis=
        pass
    return lambda x: np.array([float(function(row)) for row in x.reshape(-1, x.shape[-1])]).reshape(x.shape[:-1])


@dataclass(frozen=True, eq=False)
class Draws:
    """A sample, a statistic of it, and the same of samples drawn with replacement, with their standard errors."""

    sample: Floats
    statistic: Statistic
    estimate: float
    replicates: Floats
    errors: Floats | None
    seed: str

    @classmethod
    def of(cls, sample: Floats, statistic: Any, draws: int, random: np.random.Generator, seed: str) -> Draws:
        """Draw; a plain function becomes a statistic without a standard error of its own."""
        if statistic in (np.mean, np.median):
            statistic = STATISTICS[statistic.__name__]
        if not isinstance(statistic, Statistic):
            run = over_rows(statistic, sample)
            statistic = Statistic(run, run)
        estimate = float(statistic.value(sample[None, :])[0])
        if statistic.weighted is not None and len(sample) > MANY_VALUES:
            replicates = _by_counts(sample, statistic.weighted, draws, random)
            return cls(sample, statistic, estimate, replicates, None, seed)
        n, values, errors = len(sample), [], []
        step = max(1, BLOCK // n)
        for start in range(0, draws, step):
            rows = sample[random.integers(0, n, (min(step, draws - start), n))]
            values.append(np.asarray(statistic.value(rows), dtype=np.float64))
            if statistic.error is not None and n <= MANY_VALUES:
                errors.append(statistic.error(rows))
        return cls(
            sample, statistic, estimate, np.concatenate(values), np.concatenate(errors) if errors else None, seed
        )

    @property
    def bias(self) -> float | None:
        """Mean of the replicates less the statistic of the population that they are drawn from, the sample."""
        if not self.statistic.smooth:
            return None
        return float(self.replicates.mean()) - float(self.statistic.plug_in(self.sample[None, :])[0])

    @cached_property
    def influences(self) -> Floats:
        """How far leaving out a value, or a group of values, moves the statistic."""
        n = len(self.sample)
        groups = np.array_split(np.arange(n), min(n, MOST_LEFT_OUT))
        if n <= MOST_LEFT_OUT:
            keep = ~np.eye(n, dtype=bool)
            less = self.statistic.value(np.broadcast_to(self.sample, (n, n))[keep].reshape(n, n - 1))
        else:
            less = np.array([self.statistic.value(np.delete(self.sample, g)[None, :])[0] for g in groups])
        return np.asarray(less.mean() - less)


def _by_counts(
    sample: Floats, weighted: Callable[[Floats, Array], Floats], draws: int, random: np.random.Generator
) -> Floats:
    """Replicates from how often each value is drawn: of few values one multinomial draw each, else one a row."""
    values, times = np.unique(sample, return_counts=True)
    if len(values) * ROWS_A_VALUE <= len(sample):
        step = max(1, BLOCK // len(values))
        sizes = [min(step, draws - start) for start in range(0, draws, step)]
        drawn = (random.multinomial(len(sample), times / len(sample), size) for size in sizes)
        return np.concatenate([weighted(values, each) for each in drawn])
    ascending, seed = np.sort(sample), seed_of(random)
    return np.array(
        in_threads(lambda b: float(weighted(ascending, row_weights(len(sample), seed, b))), range(draws)),
        dtype=np.float64,
    )


class ValueLimits(NamedTuple):
    """Limits, the key of their method, and a note."""

    low: float
    high: float
    method: str
    note: str


def value_limits(draws: Draws, confidence: float, method: str | None = None) -> ValueLimits:
    """The limits by the method asked for; without one bootstrap-t where it holds, else BCa with Student's tails."""
    varied = draws.errors is not None and len(np.unique(draws.sample)) > FEW_VALUES
    chosen = method or ("bootstrap-t" if varied else "bca-t")
    tail, size = tail_of(confidence), len(draws.replicates)
    if chosen == "bootstrap-t" and draws.errors is None:
        chosen, note = "bca-t", "bootstrap-t needs a standard error, which only mean, sd and variance have here; "
    else:
        note = ""
    note += f"{size:,} replicates, {draws.seed}"
    if chosen == "percentile":
        low, high = order_limits(draws.replicates, confidence)
    elif chosen == "bootstrap-t":
        low, high = _studentised(draws, tail, at_least_t=method is None)
    elif chosen == "bca-t":
        low, high = _with_student_tails(draws, tail)
    else:
        low, high = bootstrap_limits(
            draws.estimate, draws.replicates, tail=tail, method=chosen,  # type: ignore[arg-type]
            influences=draws.influences if chosen == "bca" else None,
        )  # fmt: skip
    if size * tail < BEYOND:
        note += f"; too few for limits at {100 * confidence:g} %: draw {math.ceil(BEYOND / tail / 100) * 100:,} or more"
    if not high > low:
        return ValueLimits(
            math.nan, math.nan, f"bootstrap-{chosen}", f"{note}; all replicates are alike, so no limits can be given"
        )
    return ValueLimits(low, high, {"bootstrap-t": "bootstrap-studentised"}.get(chosen, f"bootstrap-{chosen}"), note)


def _studentised(draws: Draws, tail: float, *, at_least_t: bool) -> tuple[float, float]:
    """θ̂ − t*·SE, t* the quantiles of (θ* − θ̂)/SE*; spreads on the scale of the logarithm.

    `at_least_t`: never nearer than Student's t. Of few values with heavy tails t* is now and then far too small.
    """
    assert draws.errors is not None
    assert draws.statistic.error is not None
    log = draws.statistic.logarithmic
    error = float(draws.statistic.error(draws.sample[None, :])[0])
    with np.errstate(divide="ignore", invalid="ignore"):
        centre, values = (np.log(v) if log else np.asarray(v) for v in (draws.estimate, draws.replicates))
        t = (values - centre) / draws.errors
    t = t[np.isfinite(t)]
    if not len(t) or not error > 0:
        return math.nan, math.nan
    far = -float(special.stdtrit(len(draws.sample) - 1, tail)) if at_least_t else -math.inf
    above, below = np.quantile(t, [1 - tail, tail])
    low, high = float(centre) - max(float(above), far) * error, float(centre) - min(float(below), -far) * error
    return (math.exp(low), math.exp(high)) if log else (low, high)


def _with_student_tails(draws: Draws, tail: float) -> tuple[float, float]:
    """BCa's shares at √(n/(n − 1))·t(n − 1) instead of z: resamples vary by (n − 1)/n too little, and t for z."""
    n = len(draws.sample)
    z = math.sqrt(n / (n - 1)) * -float(special.stdtrit(n - 1, tail))
    shares = bca_shares(
        float(special.ndtr(-z)), bias_correction(draws.estimate, draws.replicates), acceleration(draws.influences)
    )
    low, high = (float(q) for q in quantiles(draws.replicates, np.array(shares)))
    return low, high


declare(
    Method(
        key="bootstrap-bca-t",
        title="bootstrap, bias-corrected and accelerated, with Student's tails",
        formula="as bootstrap-bca with √(n/(n − 1))·t(n − 1) for z",
        source="Efron 1987, JASA 82:171; Hesterberg 2015, Am. Stat. 69:371",
        assumes="values drawn at random, and drawn again one by one",
        measured="mean of 10 normal values .92–.94, sd of 20 .90, median of 25 exponential ones .96, a share of .1 of "
        "40 1.00, where percentiles cover .88, .87, .91 and .92 (simulated)",
    ),
    part="resampled",
)
