"""The bootstrap of a statistic of plain values: replicates all at once, and limits that hold in small samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from trueerror.inference._problem import tail as tail_of
from trueerror.inference.bootstrap._limits import Limits, bootstrap_limits
from trueerror.inference.bootstrap._tables import GROUPS, blocks, drawn_counts, drawn_units, row_influences
from trueerror.inputs._arrays import Array, Floats
from trueerror.kernels._random import seed_of
from trueerror.kernels._threads import in_threads

Counted = Callable[[Floats, Array], Floats]
LIMITS = ("bootstrap-t", "bca-t", "bca", "percentile", "basic", "normal")
# Values that take no more different ones (0 and 1) have too coarse a standard error for bootstrap-t, and no more values
# are too few to tell a function by what it gives of them.
FEW_VALUES = 7
# A quantile wants at least so many replicates beyond it.
BEYOND = 5


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic over the last axis; `plug_in` is the same of a population, `error` its standard error.

    Where it is `logarithmic`, the error is that of its logarithm. What the bootstrap says of the bias of a statistic
    that is not `smooth` is noise. `counted(values, times)` is the value of ascending values that occur so many times.
    """

    value: Callable[[Floats], Floats]
    plug_in: Callable[[Floats], Floats]
    error: Callable[[Floats], Floats] | None = None
    logarithmic: bool = False
    smooth: bool = True
    counted: Counted | None = None


def _mean(x: Floats) -> Floats:
    return np.asarray(x.mean(axis=-1))


def _median(x: Floats) -> Floats:
    return np.asarray(np.median(x, axis=-1))


def _counted_median(values: Floats, times: Array) -> Floats:
    through = np.cumsum(times, axis=-1)
    half = through[..., -1:] / 2
    # The first value at which half of them is reached, and the first at which it is passed.
    below, above = (np.argmax(reached, axis=-1) for reached in (through >= half, through > half))
    return np.asarray((values[below] + values[above]) / 2)


def _counted_variance(values: Floats, times: Array) -> Floats:
    n, gaps = times.sum(axis=-1), values - values.mean()
    return np.asarray((times @ gaps**2 - (times @ gaps) ** 2 / n) / (n - 1))


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
        _mean,
        _mean,
        lambda x: x.std(axis=-1, ddof=1) / math.sqrt(x.shape[-1]),
        counted=lambda values, times: times @ values / times.sum(axis=-1),
    ),
    "median": Statistic(_median, _median, smooth=False, counted=_counted_median),
    "sd": Statistic(
        lambda x: x.std(axis=-1, ddof=1),
        lambda x: x.std(axis=-1),
        _spread_error,
        logarithmic=True,
        counted=lambda values, times: np.sqrt(_counted_variance(values, times)),
    ),
    "variance": Statistic(
        lambda x: x.var(axis=-1, ddof=1),
        lambda x: x.var(axis=-1),
        lambda x: 2 * _spread_error(x),
        logarithmic=True,
        counted=_counted_variance,
    ),
}


def _over_rows(function: Callable[..., Any], example: Floats) -> Callable[[Floats], Floats]:
    """A function of an array for each row of a table: all at once where it takes `axis=`, else one by one."""
    two = np.stack((example, example[::-1]))
    try:
        at_once = np.asarray(function(two, axis=-1), dtype=np.float64)
        if at_once.shape == (2,) and np.allclose(at_once, [float(function(row)) for row in two], equal_nan=True):
            return lambda x: np.asarray(function(x, axis=-1), dtype=np.float64)
    except Exception:  # noqa: BLE001 - whatever it raises, it does not take axis=
        pass
    return lambda x: np.array([float(function(row)) for row in x])


def _recognised(function: Callable[[Floats], float], sample: Floats) -> Statistic:
    """A function as a statistic: a mean, sd or variance by another name, such as np.std, or one without an error."""
    if function in (np.mean, np.median):
        return STATISTICS[function.__name__]
    if len(sample) > FEW_VALUES and len(np.unique(sample)) > 2:
        # As long as the replicates are: a function may know that length.
        parts = [
            sample,
            *(np.resize(x, sample.shape) for x in (sample[: len(sample) // 2], sample[len(sample) // 3 :])),
        ]
        seen = [float(function(part)) for part in parts]
        for known in (STATISTICS[name] for name in ("mean", "sd", "variance")):
            for value, counted in ((known.value, known.counted), (known.plug_in, None)):
                if np.allclose(seen, [float(value(part)) for part in parts], rtol=1e-9, atol=0):
                    return replace(known, value=value, counted=counted)
    run = _over_rows(function, sample)
    return Statistic(run, run)


@dataclass(frozen=True, eq=False)
class Draws:
    """A sample, a statistic of it, and the same of samples drawn with replacement, with their standard errors.

    Of many values that take few different ones it is known how often each was drawn: `counted` has the different
    values and how often each occurs.
    """

    sample: Floats
    statistic: Statistic
    estimate: float
    replicates: Floats
    errors: Floats | None
    counted: tuple[Floats, Array] | None
    seed: str

    @classmethod
    def of(cls, sample: Floats, statistic: Any, draws: int, random: np.random.Generator, seed: str) -> Draws:
        """Draw; a plain function becomes a statistic without a standard error of its own."""
        if not isinstance(statistic, Statistic):
            statistic = _recognised(statistic, sample)
        n, estimate = len(sample), float(statistic.value(sample[None, :])[0])
        made = cls(sample, statistic, estimate, np.empty(0), None, None, seed)
        if statistic.counted is not None and n > GROUPS:
            return made._by_counts(statistic.counted, draws, random)
        parts, errors = [], []
        for block in blocks(draws, n):
            rows = sample[random.integers(0, n, (len(block), n))]
            parts.append(np.asarray(statistic.value(rows), dtype=np.float64))
            if statistic.error is not None and n <= GROUPS:
                errors.append(statistic.error(rows))
        return replace(made, replicates=np.concatenate(parts), errors=np.concatenate(errors) if errors else None)

    def _by_counts(self, counted: Counted, draws: int, random: np.random.Generator) -> Draws:
        """Replicates from how often each value is drawn: of few different ones one multinomial draw, else row by row.

        Standard errors of so many values matter too little to be drawn.
        """
        different, times = np.unique(self.sample, return_counts=True)
        if len(different) <= GROUPS:
            drawn = drawn_counts(times, [np.arange(len(times))], random, draws)
            values = np.concatenate([counted(different, each) for each in drawn])
            return replace(self, replicates=values, counted=(different, times))
        ascending, key, n = np.sort(self.sample), seed_of(random), len(self.sample)
        found = in_threads(lambda block: counted(ascending, drawn_units(n, key, block)), blocks(draws, n))
        return replace(self, replicates=np.concatenate(found))

    @property
    def bias(self) -> float | None:
        """Mean of the replicates less the statistic of the population that they are drawn from, the sample."""
        if not self.statistic.smooth:
            return None
        return float(self.replicates.mean()) - float(self.statistic.plug_in(self.sample[None, :])[0])

    @property
    def tails(self) -> tuple[float, float] | None:
        """Of a spread: the kurtosis of the values, and the chance of such one or such skewness in a normal sample.

        Anscombe and Glynn 1983, Biometrika 70:227 (kurtosis); skewness as normal with variance 6/n.
        """
        x, n = self.sample, float(len(self.sample))
        if not self.statistic.logarithmic or n <= FEW_VALUES or not np.ptp(x) > 0:
            return None
        gaps = x - x.mean()
        kurtosis = float((gaps**4).mean() / (gaps**2).mean() ** 2)
        variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
        z = (kurtosis - 3 * (n - 1) / (n + 1)) / math.sqrt(variance)
        skew = (
            6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
        )
        a = 6 + 8 / skew * (2 / skew + math.sqrt(1 + 4 / skew**2))
        root = np.cbrt((1 - 2 / a) / (1 + z * math.sqrt(2 / (a - 4))))
        by_kurtosis = float(special.ndtr(-(1 - 2 / (9 * a) - root) / math.sqrt(2 / (9 * a))))
        skewness = float((gaps**3).mean()) / float((gaps**2).mean()) ** 1.5
        return kurtosis, min(by_kurtosis, 2 * float(special.ndtr(-abs(skewness) * math.sqrt(n / 6))))

    @cached_property
    def acceleration(self) -> dict[str, Any]:
        """How far leaving out a value, or a group of many values, moves the statistic, as BCa takes it."""
        if self.counted is not None and self.statistic.counted is not None:
            different, times = self.counted
            less = self.statistic.counted(different, times - np.eye(len(times)))
            return {"influences": row_influences(less, times), "counts": times}
        groups = np.array_split(np.arange(len(self.sample)), min(len(self.sample), GROUPS))
        values = np.array([self.statistic.value(np.delete(self.sample, g)[None, :])[0] for g in groups])
        return {"influences": row_influences(values, np.ones(len(values), dtype=np.int64))}


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
    tail, size, note = tail_of(confidence), len(draws.replicates), ""
    if chosen == "bootstrap-t" and draws.errors is None:
        chosen, note = "bca-t", "bootstrap-t needs a standard error, which only mean, sd and variance have here; "
    note += f"{size:,} replicates, {draws.seed}"
    if chosen == "bootstrap-t":
        low, high = _studentised(draws, tail, at_least_t=method is None)
    elif chosen in ("bca", "bca-t"):
        n = len(draws.sample)
        # Φ(−√(n/(n − 1))·t(n − 1)) in place of Φ(−z): resamples vary by (n − 1)/n too little, and t for z.
        wide = float(special.ndtr(math.sqrt(n / (n - 1)) * float(special.stdtrit(n - 1, tail))))
        share = tail if chosen == "bca" else wide
        low, high = bootstrap_limits(draws.estimate, draws.replicates, tail=share, **draws.acceleration)
    else:
        low, high = bootstrap_limits(
            draws.estimate, draws.replicates, tail=tail, method=chosen,  # type: ignore[arg-type]
            quantile="order" if chosen == "percentile" else "linear",
        )  # fmt: skip
    if size * tail < BEYOND:
        note += f"; too few for limits at {100 * confidence:g} %: draw {math.ceil(BEYOND / tail / 100) * 100:,} or more"
    if not high > low:
        low = high = math.nan
        note += "; all replicates are alike, so no limits can be given"
        return ValueLimits(low, high, f"bootstrap-{chosen}", note)
    return ValueLimits(low, high, {"bootstrap-t": "bootstrap-studentised"}.get(chosen, f"bootstrap-{chosen}"), note)


def _studentised(draws: Draws, tail: float, *, at_least_t: bool) -> Limits:
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
