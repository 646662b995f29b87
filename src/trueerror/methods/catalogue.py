"""One entry a method: title, formula, source, assumptions, measured coverage."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
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
    "curve_shapes",
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
        lines.append(f"Method: {key or 'none'}.")
        return "\n".join(lines)
    return "\n".join([*lines, *_facts(entry, result)])


def explain_parts(result: object, parts: Sequence[tuple[str, object]]) -> str:
    """A result that was made in several ways: each method once, with what it is for.

    A part is (what, method key or the result that names its method).
    """
    lines = [str(result)]
    told: dict[str, list[tuple[str, object]]] = {}
    for what, part in parts:
        key = part if isinstance(part, str) else str(getattr(part, "method", ""))
        told.setdefault(key, []).append((what, None if isinstance(part, str) else part))
    for key, uses in told.items():
        entry = every_method().get(key)
        if entry is None:
            raise KeyError(f"method {key!r} is not in the catalogue")
        purpose = "; ".join(dict.fromkeys(what for what, _ in uses if what))
        lines += ["", *_wrapped("For", purpose), *_facts(entry, next((r for _, r in uses if r is not None), None))]
    if not told:
        lines += ["", *_wrapped("What", _first_sentence(result))]
        lines += _wrapped("Method", "counted or listed, not estimated")
    return "\n".join(lines)


def _first_sentence(result: object) -> str:
    return " ".join((type(result).__doc__ or "").split("\n\n")[0].split())


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(f"{head + ':':<10} {text}", 80, subsequent_indent=" " * 11) if text else []


def _facts(entry: Method, result: object) -> list[str]:
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
