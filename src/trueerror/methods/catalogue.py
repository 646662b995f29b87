"""One entry a method: title, formula, source, assumptions, measured coverage."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from trueerror.methods.measured import nearest_words

# Each of these modules holds a tuple METHODS.
PARTS = (
    "binomial",
    "composite",
    "resampled",
    "learners",
    "studies",
    "differences",
    "omnibus",
    "areas",
    "curves",
    "bayesian",
    "sequential",
    "planning",
    "verdicts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What is known about one method; `key` is what a result carries as its `method`."""

    key: str
    title: str
    formula: str
    source: str
    assumes: str = ""
    measured: str = ""
    advice: str = ""


@cache
def every_method() -> dict[str, Method]:
    """All methods by key, in catalogue order.

    >>> every_method()["wilson"].title
    'Wilson score interval'
    """
    found: dict[str, Method] = {}
    for part in PARTS:
        for entry in import_module(f"trueerror.methods.{part}").METHODS:
            if entry.key in found:
                raise ValueError(f"method {entry.key!r} is in the catalogue twice")
            found[entry.key] = entry
    return found


def method(key: str) -> Method:
    """The entry of one method."""
    try:
        return every_method()[key]
    except KeyError:
        raise KeyError(f"method {key!r} is not in the catalogue") from None


def explain(key: str, result: object = None) -> str:
    """A method in words, for the result that used it."""
    lines = [] if result is None else [str(result), ""]
    entry = every_method().get(key)
    if entry is None:
        lines.append(f"Method: {key or 'none; this result holds several, explain its parts'}.")
        return "\n".join(lines)
    facts = {
        "Method": entry.title,
        "Formula": entry.formula,
        "Assumes": entry.assumes,
        "Measured": entry.measured,
        "Near here": "" if result is None else nearest_words(result),
        "Advice": entry.advice,
        "Source": entry.source,
        "Estimates": getattr(result, "estimand", "").removeprefix("Estimates: "),
        "Note": getattr(result, "note", ""),
    }
    for head, text in facts.items():
        if text:
            lines += textwrap.wrap(f"{head + ':':<10} {text}", 80, subsequent_indent=" " * 11)
    return "\n".join(lines)
