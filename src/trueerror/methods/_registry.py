"""The registry of methods: what each declares, where it can be asked for, where it is the default and why.

A method enters with `@inference_method`, beside the function that computes it; this module knows no statistics.

How often intervals held the truth and tests erred, where it was measured: `coverage.json`, made by `make validate`.

A row of the table is one method in one scenario with a known truth. `nearest_words` finds the row that is most like a
result: the same method, if possible the same metric, a size and a value as near as can be had.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

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
    from importlib.resources import files

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


# Part of the catalogue → the modules or folders whose declarations belong to it, in catalogue order; "" is any other.
PARTS: dict[str, tuple[str, ...]] = {
    "binomial": ("inference.proportion._interval", "inference.loss._mean"),
    "composite": ("inference.counts._one_class", "inference.counts", "inference._metric_interval"),
    "resampled": ("inference.bootstrap._paired", "inference.bootstrap"),
    "learners": ("inference.learner", "experiments"),
    "studies": ("studies._learning_curve_result", "studies"),
    "differences": ("inference.proportion._two_samples", "inference.proportion", "inference.loss"),
    "omnibus": ("inference._multiplicity", "inference.ranking"),
    "areas": ("inference.auc._tests", "curves", "inference.auc._interval", "inference._score_metrics", "inference.auc"),
    "curves": ("curves", "inference.calibration"),
    "curve_shapes": (),
    "bayesian": ("inference._bayes",),
    "sequential": ("inference.proportion._sequential",),
    "planning": ("inference.power",),
    "verdicts": ("inference", "verbs", ""),
}


# Modules that declare methods which answer no situation: they are called by name.
DECLARING = (
    "inference.bootstrap._paired", "inference.learner._intervals", "inference.loss._t_tests",
    "inference.ranking._signed", "inference.ranking._rank_tests", "inference._multiplicity", "inference._bayes",
    "inference.power._plan", "inference.proportion._sequential", "studies._learning_curve_result", "studies._ablation",
    "studies._bias_variance", "studies._overfitting",
)  # fmt: skip


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


# What most methods assume.
ROWS = "independent rows, drawn at random from the population that you care about"

# Methods that were declared beside their functions, by key, with the module of each, and those that can be run, in
# their files' order.
_DECLARED: dict[str, Method] = {}
_HOMES: dict[str, str] = {}
RUNNABLE: list[InferenceMethod] = []
# Situation → its methods in the order of their homes, kept until another is entered.
ORDERED: dict[str, list[InferenceMethod]] = {}


def always(_: Any) -> bool:
    """No condition."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """Why a method is the default in a situation, and when."""

    why: str
    when: Callable[[Any], bool] = always


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceMethod:
    """A method that can be run: a function of a `Problem` (`trueerror.inference._problem`).

    `key` is what results carry; `word` is what people ask for, where that is shorter (`mid-p` for McNemar's);
    `answers` are the situations in which it can be asked for, `applies` says more, and `defaults` where it is chosen
    unasked. A method with `word=None` cannot be asked for: it stands in for others where they give out; `aliases` are
    other words for it, which no message lists.
    """

    key: str
    function: Callable[[Any], Any]
    answers: tuple[str, ...]
    defaults: Mapping[str, Default]
    word: str | None
    applies: Callable[[Any], bool]
    aliases: tuple[str, ...] = ()


Function = TypeVar("Function", bound=Callable[..., Any])


def inference_method(
    key: str,
    *,
    answers: str | tuple[str, ...],
    default: Mapping[str, Default] | Default | None = None,
    word: str | None = "",
    aliases: tuple[str, ...] = (),
    applies: Callable[[Any], bool] = always,
    **facts: str,
) -> Callable[[Function], Function]:
    """Enter a function of a `Problem` as a method; `facts` are the fields of `Method` (title, formula, source, …).

    `default` alone is that of the first situation in `answers`. Without facts the method is declared elsewhere, under
    the same key.
    """
    rows = (answers,) if isinstance(answers, str) else answers
    defaults = {rows[0]: default} if isinstance(default, Default) else dict(default or {})

    def enter(function: Function) -> Function:
        if facts:
            declare(Method(key=key, **facts), home=function.__module__)
        ORDERED.clear()
        RUNNABLE.append(
            InferenceMethod(
                key=key,
                function=function,
                answers=rows,
                defaults=defaults,
                word=key if word == "" else word,
                applies=applies,
                aliases=aliases,
            )
        )
        return function

    return enter


def declare(*entries: Method, part: str = "", home: str = "") -> None:
    """Enter what is known of methods, beside the code that computes them; `home` is the calling module."""
    home = home or str(sys._getframe(1).f_globals["__name__"])
    for entry in entries:
        if entry.key in _DECLARED:
            raise ValueError(f"method {entry.key!r} is in the catalogue twice")
        _DECLARED[entry.key] = replace(entry, part=entry.part or part)
        _HOMES[entry.key] = home


def withdraw(key: str) -> None:
    """Take a method out again, as a test does that entered one."""
    _DECLARED.pop(key, None)
    _HOMES.pop(key, None)
    ORDERED.clear()
    RUNNABLE[:] = [m for m in RUNNABLE if m.key != key]


def reason_for(key: str) -> str:
    """Why a method is the default where it is one; "" where it must be asked for.

    >>> reason_for("mcnemar-exact")
    ''
    """
    return next((d.why for m in RUNNABLE if m.key == key for d in m.defaults.values()), "")


def entries_of(part: str) -> tuple[Method, ...]:
    """The entries of one part, in the order of its homes."""
    return _by_part()[part]


def _by_part() -> dict[str, tuple[Method, ...]]:
    from trueerror.methods._decision_table import SITUATIONS

    homes = [home for row in SITUATIONS.values() for home in row.homes] + [f"trueerror.{home}" for home in DECLARING]
    for home in dict.fromkeys(homes):
        import_module(home)
    import_module("trueerror.curves._base").every_curve_kind()  # curves declare theirs, too
    parts: dict[str, list[tuple[int, str, Method]]] = {part: [] for part in PARTS}
    for key, entry in _DECLARED.items():
        home = _HOMES[key].removeprefix("trueerror.")
        part = entry.part or _part_of(home)
        place = next((i for i, around in enumerate(PARTS[part]) if _within(home, around)), len(PARTS[part]))
        parts[part].append((place, home, entry))
    return {part: tuple(e for *_, e in sorted(rows, key=lambda row: row[:2])) for part, rows in parts.items()}


def _within(home: str, folder: str) -> bool:
    return home == folder or not folder or home.startswith(f"{folder}.")


def _part_of(home: str) -> str:
    """The part whose folder is the nearest around a module."""
    return max((len(f), part) for part, homes in PARTS.items() for f in homes if _within(home, f))[1]


def every_method() -> dict[str, Method]:
    """All methods by key, in catalogue order.

    >>> every_method()["wilson"].title
    'Wilson score interval'
    """
    return {entry.key: entry for entries in _by_part().values() for entry in entries}


def method(key: str) -> Method:
    """The entry of one method."""
    entry = _find(key)
    if entry is None:
        raise KeyError(f"method {key!r} is not in the catalogue")
    return entry


def _find(key: str) -> Method | None:
    """The entry of a method; that of a result at hand was declared when the result was computed."""
    return _DECLARED.get(key) or every_method().get(key)


def explain(key: str, result: object = None) -> str:
    """A method in words, for the result that used it."""
    lines = [] if result is None else [str(result), ""]
    entry = _find(key)
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
        purpose = "; ".join(dict.fromkeys(what for what, _ in uses if what))
        lines += [
            "",
            *_wrapped("For", purpose),
            *_facts(method(key), next((r for _, r in uses if r is not None), None)),
        ]
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
