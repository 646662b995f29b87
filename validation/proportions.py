"""One proportion: every method of `te.interval`, by enumeration of all counts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
from scipy import special

import trueerror as te
from trueerror.findings import Evidence
from validation.frame import CONFIDENCES, Exact, Line

METHODS = (
    "wilson",
    "mid-p",
    "clopper-pearson",
    "jeffreys",
    "agresti-coull",
    "wilson-cc",
    "wald",
    "wald-cc",
    "bare wald",
)
SIZES = (10, 20, 50, 100, 300, 1000)
POINTS = (0.01, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99)
FAMILY = "one proportion"
EVENTS = 5


@lru_cache(maxsize=256)
def limits(method: str, n: int, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """The limits for 0 … n successes; "bare wald" is the formula without our rule against intervals of no width."""
    if method == "bare wald":
        p = np.arange(n + 1) / n
        half = special.ndtri(0.5 + confidence / 2) * np.sqrt(p * (1 - p) / n)
        return np.maximum(p - half, 0.0), np.minimum(p + half, 1.0)
    made = [te.interval(x, n, method=method, confidence=confidence) for x in range(n + 1)]  # type: ignore[arg-type]
    return np.array([i.low for i in made]), np.array([i.high for i in made])


def misses(low: np.ndarray, high: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The chance that a true share p lies below the limits, and above them."""
    n = len(low) - 1
    x = np.arange(n + 1)
    log_ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    below, above = np.empty(len(p)), np.empty(len(p))
    for start in range(0, len(p), 512):
        part = slice(start, start + 512)
        share = p[part, None]
        chance = np.exp(log_ways + special.xlogy(x, share) + special.xlog1py(n - x, -share))
        below[part] = (chance * (share < low)).sum(axis=1)
        above[part] = (chance * (share > high)).sum(axis=1)
    return below, above


def shares(low: np.ndarray, high: np.ndarray, points: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """An even grid, for the mean; and both sides of every limit, where coverage jumps, for the minimum."""
    even = (np.arange(points) + 0.5) / points
    ends = np.concatenate([low, high])
    ends = ends[(ends > 0) & (ends < 1)]
    near = np.concatenate([ends * (1 - 1e-9), ends * (1 + 1e-9)])
    return even, np.unique(near[(near > 1e-6) & (near < 1 - 1e-6)])


def cells(*, quick: bool) -> Iterator[Exact]:
    """One part for each n."""
    for n in SIZES[:-3] if quick else SIZES:
        confidences = CONFIDENCES[:1] if quick else CONFIDENCES
        # The least coverage is where a rare kind is expected less than five times: there so few are seen, too.
        evident = {f"n = {n}, least": lambda rng, n=n: _few(rng, n)}
        yield Exact(FAMILY, f"n = {n}", partial(lines_of_size, n, confidences), partial(_probe, n), evident=evident)


def _few(rng: np.random.Generator, n: int) -> Evidence:
    """What the linter sees of a proportion with one event expected."""
    x = int(rng.binomial(n, 1 / n))
    return Evidence(small_counts=[("accuracy", n - x, n)] if min(x, n - x) < 5 else [])


def _probe(n: int) -> list[float]:
    made = [te.interval(x, n, method=m) for m in METHODS[:-1] for x in (0, 1, n // 3)]  # type: ignore[arg-type]
    return [limit for i in made for limit in (i.low, i.high)]


def lines_of_size(n: int, confidences: tuple[float, ...]) -> Iterator[Line]:
    """For each method: the mean over p, the least where np, nq ≥ 5 and anywhere, and the mean around some p."""
    for method in METHODS:
        for confidence in confidences:
            low, high = limits(method, n, confidence)
            even, near = shares(low, high)
            below, above = misses(low, high, even)
            mean_below, mean_above = float(below.mean()), float(above.mean())
            width = float(_mean_width(low, high, even))
            yield _line(method, n, "mean over p", confidence, np.nan, np.nan, mean_below, mean_above, width)
            for p in POINTS:
                # Coverage jumps with p, so a single p is an accident: the mean over half to one and a half times it.
                among = np.abs(even - p) <= 0.5 * min(p, 1 - p)
                missed = float(below[among].mean()), float(above[among].mean())
                events = n * min(p, 1 - p)
                yield _line(method, n, f"p around {p:g}", confidence, p, events, *missed, np.nan, shown=False)
            below, above = misses(low, high, near)
            events = n * np.minimum(near, 1 - near)
            for words, among in (("least", events > 0), (f"least with np, nq ≥ {EVENTS}", events >= EVENTS)):
                if among.any():
                    at = np.flatnonzero(among)[np.argmax((below + above)[among])]
                    yield _line(
                        method, n, words, confidence, float(near[at]), float(events[at]),
                        float(below[at]), float(above[at]), float(_mean_width(low, high, near[at : at + 1])),
                    )  # fmt: skip


def _mean_width(low: np.ndarray, high: np.ndarray, p: np.ndarray) -> float:
    n = len(low) - 1
    x = np.arange(n + 1)
    total = 0.0
    for start in range(0, len(p), 512):
        share = p[start : start + 512, None]
        log_ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
        chance = np.exp(log_ways + special.xlogy(x, share) + special.xlog1py(n - x, -share))
        total += float((chance * (high - low)).sum())
    return total / len(p)


def _line(
    method: str,
    n: int,
    words: str,
    confidence: float,
    truth: float,
    events: float,
    below: float,
    above: float,
    width: float,
    shown: bool = True,
) -> Line:
    return Line(
        family=FAMILY, scenario=f"n = {n}, {words}", procedure=method, kind="interval", default=method == "wilson",
        confidence=confidence, truth=truth, events=events, rate=1 - below - above, below=below, above=above,
        width=width, n=n, method=method, metric="proportion", shown=shown,
    )  # fmt: skip
