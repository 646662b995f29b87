"""Two proportions, of different rows and of the same rows: intervals and McNemar's test, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from scipy import special

import trueerror as te
from trueerror.significance import mcnemar
from validation.frame import CONFIDENCES, Line

INDEPENDENT = ("miettinen-nurminen", "newcombe", "agresti-caffo", "wald")
PAIRED = ("tango", "bonett-price", "newcombe", "wald")
FORMS = ("mid-p", "exact", "chi2", "chi2-cc")
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
DISAGREEMENT = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
TILTS = (0.0, 0.3, 0.6, 0.9)

Limits = tuple[np.ndarray, np.ndarray]


def exact_lines(*, quick: bool) -> Iterator[Line]:
    """All that is enumerated here."""
    sizes = ((10, 10), (15, 30)) if quick else ((10, 10), (15, 30), (30, 30), (20, 60), (50, 50))
    # Other confidences are a matter of the same formula: one size shows them.
    for first, second in sizes:
        for method in INDEPENDENT:
            for confidence in CONFIDENCES if (first, second) == (30, 30) else CONFIDENCES[:1]:
                yield from _independent(method, first, second, confidence)
    for n in (20, 50) if quick else (20, 50, 100):
        for method in PAIRED:
            for confidence in CONFIDENCES if n == 50 and not quick else CONFIDENCES[:1]:
                yield from _paired(method, n, confidence)
    for n in (20, 50, 100, 500):
        for form in FORMS:
            yield from _type_one(form, n)


# Different rows.


@lru_cache(maxsize=64)
def independent_limits(method: str, first: int, second: int, confidence: float) -> Limits:
    """Limits for every pair of counts."""
    low, high = np.empty((first + 1, second + 1)), np.empty((first + 1, second + 1))
    for x in range(first + 1):
        for y in range(second + 1):
            made = te.difference((x, first), (y, second), method=method, confidence=confidence)  # type: ignore[arg-type]
            low[x, y], high[x, y] = made.low, made.high
    return low, high


def _independent(method: str, first: int, second: int, confidence: float) -> Iterator[Line]:
    low, high = independent_limits(method, first, second, confidence)
    found = []
    for p in SHARES:
        for q in SHARES:
            chance = np.outer(_binomial(first, p), _binomial(second, q))
            events = min(first * min(p, 1 - p), second * min(q, 1 - q))
            found.append((p - q, events, *_missed(chance, low, high, p - q)))
    words = f"{first} and {second} rows"
    yield from _summed("difference, different rows", words, method, "miettinen-nurminen", confidence, np.array(found))


def _binomial(n: int, p: float) -> np.ndarray:
    x = np.arange(n + 1)
    ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    return np.exp(ways + special.xlogy(x, p) + special.xlog1py(n - x, -p))


# The same rows.


@lru_cache(maxsize=64)
def paired_limits(method: str, n: int, confidence: float) -> Limits:
    """Limits for b rows that only the first got right and c that only the second did.

    Newcombe's also needs how many both got right: about four in five of the rest, as for models of 80 %.
    """
    low, high = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    for b in range(n + 1):
        for c in range(n + 1 - b):
            both = round(0.8 * (n - b - c))
            made = mcnemar(
                b, c, both_right=both, both_wrong=n - b - c - both, interval=method, confidence=confidence  # type: ignore[arg-type]
            )  # fmt: skip
            low[b, c], high[b, c] = made.low, made.high
    return low, high


def _paired(method: str, n: int, confidence: float) -> Iterator[Line]:
    low, high = paired_limits(method, n, confidence)
    found = []
    for differ in DISAGREEMENT:
        for tilt in TILTS:
            p, q = differ * (1 + tilt) / 2, differ * (1 - tilt) / 2
            found.append((p - q, n * min(p, q), *_missed(_trinomial(n, p, q), low, high, p - q)))
    yield from _summed("difference, same rows", f"{n} rows", method, "tango", confidence, np.array(found))


def _trinomial(n: int, p: float, q: float) -> np.ndarray:
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    rest = n - b - c
    inside = rest >= 0
    rest = np.where(inside, rest, 0)
    ways = special.gammaln(n + 1) - special.gammaln(b + 1) - special.gammaln(c + 1) - special.gammaln(rest + 1)
    chance = np.exp(ways + special.xlogy(b, p) + special.xlogy(c, q) + special.xlog1py(rest, -(p + q)))
    return np.where(inside, chance, 0.0)


def _type_one(form: str, n: int) -> Iterator[Line]:
    """How often McNemar's test at 5 % rejects where both models are equally good."""
    level = 0.05
    critical = [_critical(form, total, level) for total in range(n + 1)]
    for differ in DISAGREEMENT:
        chance = _binomial(n, differ)
        rate = 0.0
        for total, most in enumerate(critical):
            tails = np.minimum(np.arange(total + 1), total - np.arange(total + 1)) <= most
            rate += float(chance[total] * _binomial(total, 0.5)[tails].sum())
        yield Line(
            family="McNemar's test", scenario=f"{n} rows, differing on {differ:.0%}", procedure=f"mcnemar {form}",
            kind="test", default=form == "mid-p", confidence=1 - level, truth=0.0, events=n * differ / 2, rate=rate,
        )  # fmt: skip


def _critical(form: str, total: int, level: float) -> int:
    """The largest of the smaller counts at which the test rejects, by halving; −1 where none does."""
    low, high = -1, total // 2
    while low < high:
        middle = (low + high + 1) // 2
        if mcnemar(middle, total - middle, method=form).p_value <= level:  # type: ignore[arg-type]
            low = middle
        else:
            high = middle - 1
    return low


# Both.


def _missed(chance: np.ndarray, low: np.ndarray, high: np.ndarray, truth: float) -> tuple[float, float, float]:
    dust = 1e-12
    width = float((chance * (high - low)).sum())
    return float(chance[truth < low - dust].sum()), float(chance[truth > high + dust].sum()), width


def _summed(family: str, words: str, method: str, default: str, confidence: float, found: np.ndarray) -> Iterator[Line]:
    """The mean over a grid of truths, the least of all and the least where five events stand on each side."""
    truths, events, below, above, widths = found.T
    missed = below + above

    def line(scenario: str, truth: float, event: float, pick: Callable[[np.ndarray], float]) -> Line:
        return Line(
            family=family, scenario=scenario, procedure=method, kind="interval", default=method == default,
            confidence=confidence, truth=truth, events=event, rate=1 - pick(missed), below=pick(below),
            above=pick(above), width=pick(widths),
        )  # fmt: skip

    yield line(f"{words}, mean over the grid", np.nan, np.nan, lambda a: float(a.mean()))
    for word, among in (("least", events >= 0), ("least with ≥ 5 events", events >= 5)):
        if among.any():
            at = int(np.flatnonzero(among)[np.argmax(missed[among])])
            yield line(f"{words}, {word}", float(truths[at]), float(events[at]), lambda a, at=at: float(a[at]))
