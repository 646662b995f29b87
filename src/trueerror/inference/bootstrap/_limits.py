"""Intervals and p-values from bootstrap replicates, however these were drawn.

Every function takes the estimate on the sample and the replicates of the same statistic; BCa also takes how far each
row, or each cell of equal rows, moves the statistic.

Source: Efron 1987, JASA 82:171; Davison and Hinkley 1997, Bootstrap Methods and their Application, chapter 5.

The bootstrap of a statistic of plain values: replicates all at once, and limits that hold in small samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._problem import tail
from trueerror.inference._problem import tail as tail_of
from trueerror.inputs._arrays import Array, numbers
from trueerror.inputs._options import InputError
from trueerror.kernels._random import row_weights, seed_of
from trueerror.kernels._threads import in_threads
from trueerror.results import Alternative
from trueerror.results._values import Note

Floats = NDArray[np.float64]
Limits = tuple[float, float]
# linear    NumPy's default, R's type 7
# weibull   the (B + 1)·share-th in size, between neighbours linear: R's type 6
# r-boot    the same place, between neighbours on the normal scale: boot.ci of R's package boot
# order     the ⌈B·share⌉-th in size, no interpolation
Quantile = Literal["linear", "weibull", "r-boot", "order"]
# half      a replicate equal to the estimate lies half below it: right for statistics that take few values
# strict    it does not lie below: R's boot
Ties = Literal["half", "strict"]
BootstrapMethod = Literal["bca", "percentile", "basic", "normal"]
NUMPY_NAMES: dict[str, Literal["linear", "weibull", "inverted_cdf"]] = {
    "linear": "linear",
    "weibull": "weibull",
    "order": "inverted_cdf",
}


# Above this share of replicates without a value the bootstrap is not to be trusted.
MOST_LOST = 0.01


class Unfit(Exception):
    """The replicates give no interval; the note says why."""

    def __init__(self, note: str | Note) -> None:
        super().__init__(str(note))
        self.note = note


def with_a_value(values: Floats) -> tuple[NDArray[np.bool_], float]:
    """Which replicates have a value, and the share that has none; `Unfit` where that is too large, or all are alike."""
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        raise Unfit(Note("lost-resamples", (round(lost, 3),)))
    if float(values[known].min()) == float(values[known].max()):
        raise Unfit("the resamples have no spread")
    return known, lost


def bootstrap_limits(
    estimate: float,
    replicates: Floats,
    *,
    tail: float,
    method: BootstrapMethod = "bca",
    influences: Floats | None = None,
    counts: NDArray[Any] | None = None,
    ties: Ties = "half",
    quantile: Quantile = "linear",
) -> Limits:
    """Both limits, each with `tail` beyond it: α/2 for a two-sided interval, α for a one-sided one.

    percentile: the quantiles of the replicates. basic: the same, reflected about the estimate. normal: estimate − bias
    ± z·sd. bca: percentiles moved for median bias and skewness, which needs `influences` (of one row in each cell, when
    `counts` says how many rows each cell has).

    >>> low, high = bootstrap_limits(2.0, np.arange(5.0), tail=0.25, method="percentile")
    >>> low, high
    (1.0, 3.0)
    """
    if method == "normal":
        return normal_limits(estimate, replicates, tail)
    shares = (tail, 1 - tail)
    if method == "bca":
        z0 = bias_correction(estimate, replicates, ties)
        a = 0.0 if influences is None else acceleration(influences, counts)
        shares = bca_shares(tail, z0, a)
    low, high = (float(q) for q in quantiles(replicates, np.array(shares), quantile))
    return (2 * estimate - high, 2 * estimate - low) if method == "basic" else (low, high)


def normal_limits(estimate: float, replicates: Floats, tail: float, *, correct_bias: bool = True) -> Limits:
    """estimate − bias ± z·sd, the bias being the mean of the replicates less the estimate."""
    centre = estimate - (float(replicates.mean()) - estimate if correct_bias else 0.0)
    half = -float(special.ndtri(tail)) * float(replicates.std(ddof=1))
    return centre - half, centre + half


def bias_correction(estimate: float, replicates: Floats, ties: Ties = "half") -> float:
    """z₀, the normal quantile of the share of replicates below the estimate.

    When none or all lie below, half a replicate is put there, since an infinite z₀ leaves no interval.
    """
    share = float((replicates < estimate).mean())
    if ties == "half":
        share += 0.5 * float((replicates == estimate).mean())
    edge = 0.5 / len(replicates)
    return float(special.ndtri(min(max(share, edge), 1 - edge)))


def acceleration(influences: Floats, counts: NDArray[Any] | None = None) -> float:
    """a = Σ n·u³/(6·(Σ n·u²)^1.5), u the influence of a row, n the rows with that influence; 0 when nothing varies.

    Jackknife values θ₍ᵢ₎ serve as influences mean(θ₍.₎) − θ₍ᵢ₎.

    >>> round(acceleration(np.array([-1.0, 0.0, 4.0])), 4)
    0.1498
    """
    n = np.ones(len(influences)) if counts is None else np.asarray(counts, dtype=np.float64)
    size = float(np.abs(influences).max(initial=0.0))
    if not size > 0:
        return 0.0
    u = influences / size
    return float((n * u**3).sum() / (6 * (n * u**2).sum() ** 1.5))


def bca_shares(tail: float, z0: float, a: float) -> Limits:
    """The shares of replicates below the two limits: Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) at z = ±z_tail."""

    def moved(z: float) -> float:
        room = 1 - a * (z0 + z)
        # Beyond the pole the formula turns back; the limit there is the last replicate.
        return float(special.ndtr(z0 + (z0 + z) / room)) if room > 0 else float(z0 + z > 0)

    z = float(special.ndtri(tail))
    return moved(z), moved(-z)


def quantiles(replicates: Floats, shares: Floats, convention: Quantile = "linear") -> Floats:
    """Quantiles of the replicates under one of the conventions above."""
    if convention == "r-boot":
        return _normal_scale_quantiles(np.sort(replicates), shares)
    out: Floats = np.quantile(replicates, shares, method=NUMPY_NAMES[convention])
    return out


def _normal_scale_quantiles(ranked: Floats, shares: Floats) -> Floats:
    size = len(ranked)
    place = (size + 1) * shares
    below = np.clip(np.floor(place), 1, size - 1).astype(np.int64)
    ends = [special.ndtri(k / (size + 1)) for k in (below, below + 1)]
    weight = np.clip((special.ndtri(shares) - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0)
    out: Floats = ranked[below - 1] + weight * (ranked[below] - ranked[below - 1])
    return out


def bootstrap_p(
    estimate: float,
    replicates: Floats,
    *,
    alternative: Alternative = "two-sided",
    method: BootstrapMethod = "bca",
    influences: Floats | None = None,
    counts: NDArray[Any] | None = None,
    ties: Ties = "half",
) -> float:
    """The level at which the interval of this method just reaches 0; never below 1/(1 + B).

    Percentile: p for "greater" is (1 + the replicates at or below 0)/(1 + B). Basic reflects the replicates about the
    estimate first, BCa moves the share back by its formula, normal takes the bias-corrected z.
    """
    p = {side: _one_sided(estimate, replicates, side, method, influences, counts, ties) for side in ("greater", "less")}
    floor = 1 / (1 + len(replicates))
    if alternative != "two-sided":
        return min(1.0, max(p[alternative], floor))
    return min(1.0, max(2 * min(p.values()), floor))


def _one_sided(
    estimate: float,
    replicates: Floats,
    side: str,
    method: BootstrapMethod,
    influences: Floats | None,
    counts: NDArray[Any] | None,
    ties: Ties,
) -> float:
    sign = 1.0 if side == "greater" else -1.0
    if method == "normal":
        centre = 2 * estimate - float(replicates.mean())
        sd = float(replicates.std(ddof=1))
        return float(special.ndtr(-sign * centre / sd)) if sd > 0 else float(sign * centre <= 0)
    draws = 2 * estimate - replicates if method == "basic" else replicates
    share = (1 + int((sign * draws <= 0).sum())) / (1 + len(replicates))
    if method != "bca" or share == 1:
        return share
    # With the replicates' sign turned, so are z₀ and a.
    z0 = sign * bias_correction(estimate, replicates, ties)
    a = 0.0 if influences is None else sign * acceleration(influences, counts)
    w = float(special.ndtri(share)) - z0
    room = 1 + a * w
    return float(special.ndtr(w / room - z0)) if room > 0 else 0.0


def standard_error(influences: Floats, counts: NDArray[Any]) -> float:
    """√Σ n·(u − ū)², the delta-method error of a statistic whose rows move it by u each."""
    n = np.asarray(counts, dtype=np.float64)
    centred = influences - float((n * influences).sum() / n.sum())
    return math.sqrt(float((n * centred**2).sum()))


class BootstrapFacts(NamedTuple):
    """What B replicates say of an estimate; `corrected` is the estimate less the bias."""

    estimate: float
    bias: float
    corrected: float
    variance: float
    error: float
    low: float
    high: float


def order_limits(replicates: Floats, confidence: float) -> tuple[float, float]:
    """The ⌈B·α/2⌉-th and ⌈B·(1 − α/2)⌉-th replicates in order of size, no interpolation.

    >>> order_limits(np.arange(1.0, 1001.0), 0.9)
    (50.0, 950.0)
    """
    ranked = np.sort(replicates)
    share, size = tail(confidence), len(ranked)
    # Rounded first: 1000 · 0.95 must not become 950.0000000001 and so the 951st.
    first, last = (max(1, math.ceil(round(size * s, 9))) for s in (share, 1 - share))
    return float(ranked[first - 1]), float(ranked[last - 1])


def bootstrap_facts(replicates: Any, estimate: float, *, confidence: float = 0.95) -> BootstrapFacts:
    """Variance, percentile limits and bias of an estimate, from its replicates on samples drawn with replacement.

    bias = mean of the replicates − estimate; corrected = estimate − bias. Efron and Tibshirani 1993, An Introduction to
    the Bootstrap, chapters 6, 10 and 13.

    >>> facts = bootstrap_facts(np.arange(1.0, 1001.0), 490.5, confidence=0.9)
    >>> facts.bias, facts.corrected, facts.low, facts.high
    (10.0, 480.5, 50.0, 950.0)
    """
    values = numbers(replicates, "replicates")
    if len(values) < 2:
        raise InputError(f"there are {len(values)} replicates; a spread needs at least two, better 1,000")
    bias = float(values.mean()) - float(estimate)
    variance = float(values.var(ddof=1)) if values.min() < values.max() else 0.0
    low, high = order_limits(values, confidence)
    return BootstrapFacts(float(estimate), bias, float(estimate) - bias, variance, math.sqrt(variance), low, high)


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
# A function is compared with known statistics on parts of so many values.
LEAST_TO_RECOGNISE = 8
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


def _recognised(
    function: Callable[[Floats], float] | Statistic, sample: Floats
) -> Callable[[Floats], float] | Statistic:
    """A mean, sd or variance by another name, such as np.std, as the statistic that it is; others as they are."""
    if isinstance(function, Statistic) or len(sample) < LEAST_TO_RECOGNISE or len(np.unique(sample)) < 3:
        return function
    # As long as the replicates are: a function may know that length.
    parts = (
        sample,
        np.resize(sample[: len(sample) // 2], sample.shape),
        np.resize(sample[len(sample) // 3 :], sample.shape),
    )
    seen = [float(function(part)) for part in parts]
    for name in ("mean", "sd", "variance"):
        known = STATISTICS[name]
        if np.allclose(seen, [float(known.value(part[None])[0]) for part in parts], rtol=1e-9, atol=0):
            return known
        if np.allclose(seen, [float(known.plug_in(part[None])[0]) for part in parts], rtol=1e-9, atol=0):
            return replace(known, value=known.plug_in, weighted=None)
    return function


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
        statistic = _recognised(statistic, sample)
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

    @property
    def tails(self) -> tuple[float, float] | None:
        """Of a spread: the kurtosis of the values, and the chance of such one or such skewness in a normal sample.

        Anscombe and Glynn 1983, Biometrika 70:227 (kurtosis); skewness as normal with variance 6/n.
        """
        x, n = self.sample, float(len(self.sample))
        if not self.statistic.logarithmic or n < LEAST_TO_RECOGNISE or not np.ptp(x) > 0:
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
