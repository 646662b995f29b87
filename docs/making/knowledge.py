"""Reference pages of metrics, methods and decisions, from the registry and the catalogue."""

from __future__ import annotations

import numpy as np

import trueerror as te
from making.markdown import cell, code, page, table
from trueerror.curves._base import every_curve_kind
from trueerror.methods import decisions, every_method
from trueerror.methods._registry import PARTS, Method, entries_of
from trueerror.metrics._registry import Measure

FAMILY_TITLES = {
    "binary": "One class against the rest",
    "classes": "All classes",
    "cells": "Every cell counts",
    "probabilities": "Probabilities",
    "ranking": "Ranking by scores",
}
PART_TITLES = {
    "binomial": "One proportion, one mean",
    "composite": "Other metrics of counts",
    "resampled": "Bootstrap",
    "differences": "Two models",
    "omnibus": "Many models, many data sets, many pairs",
    "areas": "Areas under curves",
    "curves": "Curves and calibration",
    "bayesian": "Posteriors",
    "sequential": "Looking while data arrive",
    "planning": "Planning",
    "raters": "Raters, few labels, preferences",
    "verdicts": "Any metric, clustered rows, row losses",
}


def metrics_page() -> str:
    """Every metric with its facts; the default interval is the one that a run used."""
    used = intervals_used()
    parts = [
        f"`te.catalogue()` gives this table as data: {len(te.catalogue())} metrics. Any of them can be asked for by "
        "name or alias: `te.metric`, `te.evaluate(…, metrics=[…])`, `--metric`. Those of one class can be averaged "
        "over the classes: `macro_`, `micro_` or `weighted_` in front of the name (`macro_f1`).",
        "*Interval* is the default on plain rows, read off a run. [Methods](methods.md) describes each, "
        "[decisions](decisions.md) says why it is the default, and which others can be asked for.",
    ]
    for family in FAMILY_TITLES:
        rows = [
            (
                code(m.name),
                _what(m),
                f"{_number(m.range[0])} … {_number(m.range[1])}",
                _number(m.best),
                f"[{used[m.name]}](methods.md#{used[m.name]})" if m.name in used else "",
            )
            for m in te.catalogue()
            if _family(m) == family
        ]
        head = ("metric", "what it is", "range", "best", "interval")
        parts += [f"## {FAMILY_TITLES.get(family, family)}", table(head, rows)]
    parts += [
        "## Where a metric is undefined",
        "Undefined is NaN with a reason, never 0 ([why](../explain/undefined.md)).",
        table(("metric", "undefined when"), ((code(m.name), cell(m.undefined)) for m in te.catalogue() if m.undefined)),
    ]
    return page("Metrics", *parts)


def _family(m: Measure) -> str:
    """What it counts, or else its module."""
    return m.needs if m.needs in FAMILY_TITLES else m.function.__module__.rpartition(".")[2]


def _what(m: Measure) -> str:
    """The first paragraph of the formula's docstring, its options and its other names."""
    paragraph = cell(" ".join((m.function.__doc__ or "").strip().split("\n\n")[0].split()))
    options = f" Options: {', '.join(map(code, m.options))}." if m.options else ""
    aliases = f" Also {', '.join(map(code, m.aliases))}." if m.aliases else ""
    return paragraph + options + aliases


def intervals_used() -> dict[str, str]:
    """Metric → the method of its interval in a plain evaluation of labels and scores."""
    costs = [[0, 1], [5, 0]]
    binary = te.evaluate(
        te.read(te.data.path("breast_cancer"), models=["logreg"], positive="malignant"), metrics="all", costs=costs,
        replicates=200,
    )  # fmt: skip
    # Three classes with scores that are mostly right.
    truth = np.arange(90) % 3
    scores = np.eye(3)[truth] * 0.4 + 0.2 + np.linspace(-0.1, 0.1, 270).reshape(90, 3)[::-1]
    scores[::7] = scores[::7, [1, 2, 0]]
    several = te.evaluate(truth, scores=scores / scores.sum(axis=1, keepdims=True), metrics="all", replicates=200)
    both = {**several.only.overall, **binary.only.overall}
    return {name: interval.method for name, interval in both.items() if interval.method}


def methods_page() -> str:
    """Every method of the catalogue."""
    parts = [
        f"The {len(every_method())} methods of the catalogue. A result names its method (`.method`), and `.explain()` "
        "prints what stands here. *Measured* is coverage or error rate found by enumeration or simulation, at 95 % "
        "confidence unless it says otherwise.",
    ]
    known = every_method()
    for part in PARTS:
        declared = [known[kind.key] for kind in every_curve_kind()] if part == "curve_shapes" else []
        shown = {m.key: m for m in (*declared, *entries_of(part))}
        parts += [f"## {PART_TITLES.get(part, part)}", *map(_method, shown.values())]
    return page("Methods", *parts)


def _method(m: Method) -> str:
    facts = {
        "Assumes": cell(m.assumes),
        "Measured": cell(m.measured),
        "Advice": cell(m.advice),
        "Source": cell(m.source),
    }
    lines = [f"({m.key})=", f"### {cell(m.title)}", "", f"`{m.key}`", "", _formula(m.formula), ""]
    lines += [f"- **{head}**: {text}" for head, text in facts.items() if text]
    return "\n".join(lines)


def _formula(text: str) -> str:
    return f"> {cell(text)}"


def decisions_page() -> str:
    """Which method by default, why, and what else can be asked for."""
    known = every_method()

    def link(key: str) -> str:
        return f"[{key}](methods.md#{key})" if key in known else code(key)

    rows = [
        (cell(d.title), link(d.default), cell(d.why), ", ".join(link(k) for k in d.also)) for d in decisions().values()
    ]
    return page(
        "Which method by default",
        "One table decides, in the code and here (`trueerror.methods.decisions()`). Every result says which method it "
        "used. `method=` (or `--method`) asks for another; the last column lists what there is. A method that was "
        "chosen after seeing which answer it gives is not worth its confidence.",
        table(("situation", "default", "why", "also"), rows),
        "Figures such as .949–.957 are coverage of 95 % intervals, by enumeration or simulation.",
    )


def _number(x: float | None) -> str:
    return "–" if x is None else f"{x:g}".replace("inf", "∞").replace("-", "−")
