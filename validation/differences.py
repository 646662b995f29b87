"""Two proportions, of different rows and of the same rows: intervals and McNemar's test, by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from scipy import special

import trueerror as te
from trueerror.findings import Evidence
from trueerror.inference.proportion._paired import mcnemar
from trueerror.tallies import Confusion
from validation.frame import CONFIDENCES, Exact, Line

INDEPENDENT = ("miettinen-nurminen", "newcombe", "agresti-caffo", "wald")
PAIRED = ("tango", "bonett-price", "newcombe", "wald")
FORMS = ("mid-p", "exact", "chi2", "chi2-cc")
SHARES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
DISAGREEMENT = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6)
TILTS = (0.0, 0.3, 0.6, 0.9)

DIFFERENT, SAME, MCNEMAR = "difference, different rows", "difference, same rows", "McNemar's test"
# The catalogue's keys of what is called by a shorter word here.
KEYS = {
    DIFFERENT: {"newcombe": "newcombe-difference", "wald": "wald-difference"},
    SAME: {"newcombe": "newcombe-paired", "wald": "wald-paired"},
}

Limits = tuple[np.ndarray, np.ndarray]


def cells(*, quick: bool) -> Iterator[Exact]:
    """All that is enumerated here, a part for each size."""
    sizes = ((10, 10), (15, 30)) if quick else ((10, 10), (15, 30), (30, 30), (20, 60), (50, 50), (20, 200))
    for first, second in sizes:
        # Other confidences are a matter of the same formula: some sizes show them.
        confidences = CONFIDENCES if (first, second) in ((15, 30), (30, 30)) and not quick else CONFIDENCES[:1]
        yield Exact(
            DIFFERENT, f"{first} and {second} rows", partial(_independent_lines, first, second, confidences),
            partial(_probe_different, first, second),
            evident={f"{first} and {second} rows, least": lambda _, n=first: _rows(n)},
        )  # fmt: skip
    for n in (20, 50) if quick else (20, 50, 100, 200):
        confidences = CONFIDENCES if n in (20, 50) and not quick else CONFIDENCES[:1]
        yield Exact(SAME, f"{n} rows", partial(_paired_lines, n, confidences), partial(_probe_same, n))
    for n in (20, 50, 100, 500, 2_000):
        yield Exact(MCNEMAR, f"{n} rows", partial(_test_lines, n), partial(_probe_test, n))


def _rows(n: int) -> Evidence:
    """What the linter sees of so many rows."""
    return Evidence(confusion=Confusion([[n // 2, 0], [0, n - n // 2]]))


def _independent_lines(first: int, second: int, confidences: tuple[float, ...]) -> Iterator[Line]:
    for method in INDEPENDENT:
        for confidence in confidences:
            yield from _independent(method, first, second, confidence)


def _paired_lines(n: int, confidences: tuple[float, ...]) -> Iterator[Line]:
    for method in PAIRED if n <= 100 else PAIRED[:1]:
        for confidence in confidences:
            yield from _paired(method, n, confidence)


def _test_lines(n: int) -> Iterator[Line]:
    for form in FORMS:
        yield from _type_one(form, n)
        yield from _power(form, n)


def _probe_different(first: int, second: int) -> list[float]:
    found = []
    for method in INDEPENDENT:
        for x, y in ((0, 0), (first, 0), (first // 2, second // 3)):
            made = te.difference((x, first), (y, second), method=method)  # type: ignore[arg-type]
            found += [made.low, made.high]
    return found


def _probe_same(n: int) -> list[float]:
    found = []
    for method in PAIRED:
        for b, c in ((0, 0), (3, 0), (5, 3)):
            made = mcnemar(b, c, both_right=n - 10, both_wrong=10 - b - c, interval=method)  # type: ignore[arg-type]
            found += [made.low, made.high]
    return found


def _probe_test(n: int) -> list[float]:
    return [mcnemar(b, c, method=f).p_value for f in FORMS for b, c in ((0, 0), (5, 0), (n // 10, n // 5))]  # type: ignore[arg-type]


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
            chance = np.outer(binomial(first, p), binomial(second, q))
            events = min(first * min(p, 1 - p), second * min(q, 1 - q))
            found.append((p - q, events, *_missed(chance, low, high, p - q)))
    words = f"{first} and {second} rows"
    yield from _summed(DIFFERENT, words, method, "miettinen-nurminen", confidence, np.array(found), first + second)


def binomial(n: int, p: float) -> np.ndarray:
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
            found.append((p - q, n * min(p, q), *_missed(trinomial(n, p, q), low, high, p - q)))
    yield from _summed(SAME, f"{n} rows", method, "tango", confidence, np.array(found), n)


def trinomial(n: int, p: float, q: float) -> np.ndarray:
    b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    rest = n - b - c
    inside = rest >= 0
    rest = np.where(inside, rest, 0)
    ways = special.gammaln(n + 1) - special.gammaln(b + 1) - special.gammaln(c + 1) - special.gammaln(rest + 1)
    chance = np.exp(ways + special.xlogy(b, p) + special.xlogy(c, q) + special.xlog1py(rest, -(p + q)))
    return np.where(inside, chance, 0.0)


def _type_one(form: str, n: int) -> Iterator[Line]:
    """How often McNemar's test at 5 % rejects where both models are equally good."""
    for differ in DISAGREEMENT:
        yield _test_line(form, n, differ, 0.0)


def _power(form: str, n: int) -> Iterator[Line]:
    """How often it rejects where the first is better."""
    for differ, difference in ((0.1, 0.05), (0.2, 0.05), (0.2, 0.1), (0.4, 0.1)):
        yield _test_line(form, n, differ, difference)


def _test_line(form: str, n: int, differ: float, difference: float) -> Line:
    level = 0.05
    chance, up = binomial(n, differ), (1 + difference / differ) / 2
    rate = 0.0
    for total, most in enumerate(_criticals(form, n, level)):
        if chance[total] > 1e-15:
            tails = np.minimum(np.arange(total + 1), total - np.arange(total + 1)) <= most
            rate += float(chance[total] * binomial(total, up)[tails].sum())
    better = "" if difference == 0 else f", the first better by {difference:.0%}"
    return Line(
        family=MCNEMAR, scenario=f"{n} rows, differing on {differ:.0%}{better}", procedure=f"mcnemar {form}",
        kind="test", default=form == "mid-p", confidence=1 - level, truth=difference, events=n * differ / 2, rate=rate,
        n=n, method=f"mcnemar-{form}", metric="difference", purpose="level" if difference == 0 else "power",
    )  # fmt: skip


@lru_cache(maxsize=64)
def _criticals(form: str, n: int, level: float) -> tuple[int, ...]:
    return tuple(_critical(form, total, level) for total in range(n + 1))


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


def _summed(
    family: str, words: str, method: str, default: str, confidence: float, found: np.ndarray, n: int
) -> Iterator[Line]:
    """The mean over a grid of truths, the least of all and the least where five events stand on each side."""
    truths, events, below, above, widths = found.T
    missed = below + above

    def line(scenario: str, truth: float, event: float, pick: Callable[[np.ndarray], float]) -> Line:
        return Line(
            family=family, scenario=f"{words}, {scenario}", procedure=method, kind="interval",
            default=method == default, confidence=confidence, truth=truth, events=event, rate=1 - pick(missed),
            below=pick(below), above=pick(above), width=pick(widths), n=n, method=KEYS[family].get(method, method),
            metric="difference",
        )  # fmt: skip

    yield line("mean over the grid", np.nan, np.nan, lambda a: float(a.mean()))
    for word, among in (("least", events >= 0), ("least with ≥ 5 events", events >= 5)):
        if among.any():
            at = int(np.flatnonzero(among)[np.argmax(missed[among])])
            yield line(word, float(truths[at]), float(events[at]), lambda a, at=at: float(a[at]))
    for low, high in ((0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 1.0)):
        near = (np.abs(truths) >= low) & (np.abs(truths) < high)
        if near.any():
            made = line(
                f"differences of {low:g} to {high:g}",
                float(np.abs(truths[near]).mean()),
                np.nan,
                lambda a, near=near: float(a[near].mean()),
            )
            yield replace(made, shown=False)
