"""What is known of each method, as data: `methods.toml`, and how it is told; and the table of defaults.

Nothing that computes reads it: `.explain()`, the report and the site do.

How often intervals held the truth and tests erred, where it was measured: `coverage.json`, made by `make validate`.

A row of the table is one method in one scenario with a known truth. `nearest_words` finds the row that is most like a
result: the same method, if possible the same metric, a size and a value as near as can be had.
"""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What is known about one method; `key` is what a result carries as its `method`, `part` a chapter of the docs."""

    key: str
    title: str
    formula: str
    source: str
    assumes: str = ""
    measured: str = ""
    advice: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A default: in this case this method, for this reason; `also` can be asked for."""

    title: str
    default: str
    why: str
    also: tuple[str, ...] = ()


def _data(name: str) -> str:
    from importlib.resources import files

    return files("trueerror.methods").joinpath(name).read_text(encoding="utf-8")


@cache
def _known() -> dict[str, dict[str, dict[str, Any]]]:
    import tomllib

    return tomllib.loads(_data("methods.toml"))


@cache
def every_method() -> dict[str, Method]:
    """All methods by key, in catalogue order.

    >>> every_method()["wilson"].title
    'Wilson score interval'
    """
    return {key: Method(key=key, **facts) for key, facts in _known()["methods"].items()}


def method(key: str) -> Method:
    """The entry of one method."""
    entry = every_method().get(key)
    if entry is None:
        raise ValueError(f"method {key!r:.60} is not in the catalogue")
    return entry


def decisions() -> tuple[Decision, ...]:
    """The whole table of defaults, and what verbs choose beside it.

    >>> [d.default for d in decisions() if "F1" in d.title]
    ['wilson-f1']
    """
    rows = (
        Decision(title=row.title, default=row.key or "the method of its plan", why=row.why) for row in _table().TABLE
    )
    others = (Decision(**facts | {"also": tuple(facts["also"])}) for facts in _known()["beside"].values())
    return (*rows, *others)


def usual_method(measure: Any) -> str:
    """The key of the default method of a metric on independent rows."""
    key: str = _table().usual_key(measure)
    return key


def _table() -> Any:
    """The decision table: questions are asked in a room below this one."""
    return import_module("trueerror.inference._choose")


def explain(key: str, result: object = None) -> str:
    """A method in words, for the result that used it."""
    return "\n".join([*([] if result is None else [str(result), ""]), *_facts(key, result)])


def explain_parts(result: object, parts: Sequence[tuple[str, object]]) -> str:
    """A result that was made in several ways: each method once, with what it is for.

    A part is (what, method key or the result that names its method).
    """
    lines = [str(result)]
    uses: dict[str, list[tuple[str, object]]] = {}
    for what, part in parts:
        named = isinstance(part, str)
        uses.setdefault(str(part if named else getattr(part, "method", "")), []).append((what, None if named else part))
    for key, of_key in uses.items():
        purpose = "; ".join(dict.fromkeys(what for what, _ in of_key if what))
        used = next((r for _, r in of_key if r is not None), None)
        lines += ["", *_wrapped("For", purpose), *_facts(key, used)]
    if not uses:
        what = " ".join((type(result).__doc__ or "").split("\n\n")[0].split())
        lines += ["", *_wrapped("What", what), *_wrapped("Method", "counted or listed, not estimated")]
    return "\n".join(lines)


def _wrapped(head: str, text: str) -> list[str]:
    text = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(f"{head + ':':<10} {text}", 80, subsequent_indent=" " * 11) if text else []


def _facts(key: str, result: object) -> list[str]:
    entry = every_method().get(key)
    if entry is None:
        return [f"Method: {key or 'none'}."]
    facts = {
        "Method": entry.title,
        "Formula": entry.formula,
        "Assumes": entry.assumes,
        "Measured": entry.measured,
        "Near here": "" if result is None else nearest_words(result),
        "Advice": entry.advice,
        "Source": entry.source,
        "Estimates": str(getattr(result, "estimand", "")).removeprefix("Estimates: "),
        "Note": getattr(result, "note", ""),
    }
    return [line for head, text in facts.items() for line in _wrapped(head, text)]


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
    return tuple(Measured(*row) for row in json.loads(_data("coverage.json"))["rows"])


def nearest_measurement(result: object) -> Measured | None:
    """The measurement that is most like a result; None where its method was not measured.

    >>> from types import SimpleNamespace
    >>> made = SimpleNamespace(method="wilson", name="accuracy", estimate=0.9, n=100, confidence=0.95)
    >>> found = nearest_measurement(made)
    >>> found.n, found.truth, 0.93 < found.rate < 0.97
    (100.0, 0.9, True)
    """
    method, n = getattr(result, "method", ""), getattr(result, "n", None)
    confidence, estimate = getattr(result, "confidence", 0.95), getattr(result, "estimate", math.nan)
    if not n or not method or getattr(result, "side", "two-sided") != "two-sided":
        return None
    rows = [m for m in every_measurement() if m.method == method and abs(m.confidence - confidence) < 1e-6]
    name = str(getattr(result, "name", "")).replace(" ", "_").replace("-", "_").lower()
    # The same metric; else any proportion, which has the same law; else whatever the method was tried on.
    alike = [m for m in rows if m.metric == name] or [m for m in rows if m.metric == "proportion"]
    placed = alike and isinstance(estimate, int | float) and math.isfinite(estimate)

    def distance(m: Measured) -> float:
        apart = abs(_stretched(m.truth) - _stretched(estimate)) if placed and m.truth is not None else 0.0
        return abs(math.log(n / m.n)) + apart

    return min(alike or rows, key=distance, default=None)


def nearest_words(result: object) -> str:
    """The nearest measurement in a sentence; empty where there is none."""
    measured = nearest_measurement(result)
    if measured is None:
        return ""
    how = "by enumeration" if measured.samples == 0 else f"{measured.samples:,} samples"
    where = f"({measured.scenario}; {how})"
    n = getattr(result, "n", None) or measured.n
    near = max(n / measured.n, measured.n / n) <= FAR
    start = "" if near else "nothing of this size was tried; nearest: "
    if measured.kind == "test":
        return f"{start}equal models declared different in {100 * measured.rate:.1f} % of the samples {where}"
    level = f"{100 * measured.confidence:g} %"
    return f"{start}{100 * measured.rate:.1f} % of {level} intervals held the true value {where}"


def _stretched(value: float) -> float:
    """The logit of a share, so that .98 and .99 are farther apart than .5 and .51; other values as they are."""
    if 0 <= value <= 1:
        p = min(max(value, 0.002), 0.998)
        return math.log(p / (1 - p)) / 2
    return value
