"""How often intervals held the truth and tests erred, where it was measured: `coverage.json`, made by `make validate`.

A row of the table is one method in one scenario with a known truth. `nearest_words` finds the row that is most like a
result: the same method, if possible the same metric, a size and a value as near as can be had.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import NamedTuple

# Sizes that differ by more than this factor are not the same situation.
FAR = 5.0


class Measured(NamedTuple):
    """One row: `rate` is coverage, or how often a test erred; `samples` is 0 where all samples were enumerated."""

    method: str
    metric: str
    kind: str
    confidence: float
    n: float
    truth: float | None
    rate: float
    samples: int
    scenario: str


@cache
def every_measurement() -> tuple[Measured, ...]:
    """The rows of the shipped table.

    >>> {m.kind for m in every_measurement()} <= {"interval", "test"}
    True
    """
    path = files("trueerror.methods").joinpath("coverage.json")
    return tuple(Measured(*row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"])


def nearest(result: object) -> Measured | None:
    """The measurement that is most like a result; None where its method was not measured.

    >>> from types import SimpleNamespace
    >>> made = SimpleNamespace(method="wilson", name="accuracy", estimate=0.9, n=100, confidence=0.95)
    >>> found = nearest(made)
    >>> found.n, found.truth, 0.93 < found.rate < 0.97
    (100.0, 0.9, True)
    """
    method = getattr(result, "method", "")
    n = getattr(result, "n", None)
    confidence = getattr(result, "confidence", 0.95)
    if not n or not method or getattr(result, "side", "two-sided") != "two-sided":
        return None
    rows = [m for m in every_measurement() if m.method == method and abs(m.confidence - confidence) < 1e-6]
    name = str(getattr(result, "name", "")).replace(" ", "_").replace("-", "_").lower()
    # The same metric; else any proportion, which has the same law; else whatever the method was tried on.
    own = [m for m in rows if m.metric == name] or [m for m in rows if m.metric == "proportion"]
    estimate = getattr(result, "estimate", math.nan)
    if not (isinstance(estimate, int | float) and math.isfinite(estimate)):
        estimate = None

    def distance(m: Measured) -> float:
        size = abs(math.log(n / m.n))
        comparable = own and m.truth is not None and estimate is not None
        return size + (abs(_stretched(m.truth) - _stretched(estimate)) if comparable else 0.0)

    return min(own or rows, key=distance, default=None)


def nearest_words(result: object) -> str:
    """The nearest measurement in a sentence; empty where there is none."""
    found = nearest(result)
    if found is None:
        return ""
    how = "by enumeration" if found.samples == 0 else f"{found.samples:,} samples"
    where = f"{found.scenario}; {how}"
    n = getattr(result, "n", None) or found.n
    near = max(n / found.n, found.n / n) <= FAR
    start = "" if near else "nothing of this size was tried; nearest: "
    if found.kind == "test":
        return f"{start}equal models told apart in {100 * found.rate:.1f} % of the samples ({where})"
    level = f"{100 * found.confidence:g} %"
    return f"{start}{100 * found.rate:.1f} % of {level} intervals held the true value ({where})"


def _stretched(value: float | None) -> float:
    """The logit of a share, so that .98 and .99 are farther apart than .5 and .51; other values as they are."""
    if value is None:
        return 0.0
    if 0 <= value <= 1:
        p = min(max(value, 0.002), 0.998)
        return math.log(p / (1 - p)) / 2
    return value
