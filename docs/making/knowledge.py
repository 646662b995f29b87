"""Reference pages of metrics, methods and decisions, from the registry and the catalogue."""

from __future__ import annotations

from functools import cache
from itertools import groupby

import numpy as np

import trueerror as te
from making.markdown import cell, code, page, table
from trueerror.methods import Method, decisions, every_measurement, every_method
from trueerror.methods._registry import MODULES, methods_on
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
    parts.append(
        table(
            ("metric", "best", "interval"),
            (
                (f"[`{m.name}`](#metric-{_anchor(m.name)})", _number(m.best), _method_link(used.get(m.name, "")))
                for m in te.catalogue()
            ),
        )
    )
    for family in FAMILY_TITLES:
        parts.append(f"## {FAMILY_TITLES[family]}")
        parts += [_metric(m, used.get(m.name, "")) for m in te.catalogue() if _family(m) == family]
    keywords = [name for m in te.catalogue() for name in (m.name, *m.aliases)]
    return page("Metrics: formulas, ranges, intervals", *parts, keywords=["list of metrics", "formula", *keywords])


def _metric(m: Measure, method: str) -> str:
    facts = {
        "Range": f"{_number(m.range[0])} … {_number(m.range[1])}; best {_number(m.best)}",
        "Also called": ", ".join(map(code, m.aliases)),
        "Options": ", ".join(map(code, m.options)),
        "Undefined": f"when {cell(m.undefined)}: NaN, never 0 ([why](../explain/undefined.md))" if m.undefined else "",
        "Interval": _method_link(method),
        "Measured": _measured(method, m.name) if method else "",
    }
    lines = [f"(metric-{_anchor(m.name)})=", f"### {cell(m.name)}", "", _what(m), ""]
    return "\n".join([*lines, *(f"- **{head}**: {text}" for head, text in facts.items() if text)])


def _anchor(name: str) -> str:
    return name.replace("_", "-")


def _method_link(key: str) -> str:
    return f"[{key}](methods.md#{key})" if key in known_methods() else code(key)


@cache
def known_methods() -> frozenset[str]:
    """The keys of all methods."""
    return frozenset(every_method())


def _measured(method: str, metric: str = "") -> str:
    """How often 95 % intervals of a method held the truth, or its test erred, over all cells of the validation."""
    rows = [r for r in every_measurement() if r.method == method and abs(r.confidence - 0.95) < 1e-9]
    rows = [r for r in rows if r.metric == metric] if metric else rows
    said = []
    for kind, words in (("interval", "95 % intervals held the true value in"), ("test", "equal models differed in")):
        cells = [r for r in rows if r.kind == kind]
        if cells:
            worst = min(cells, key=lambda r: r.rate) if kind == "interval" else max(cells, key=lambda r: r.rate)
            low, high = (100 * f(r.rate for r in cells) for f in (min, max))
            span = f"{low:.1f} %" if f"{low:.1f}" == f"{high:.1f}" else f"{low:.1f}–{high:.1f} %"
            many = f"{len(cells)} cells" if len(cells) > 1 else "1 cell"
            said.append(f"{words} {span} of the samples ({many}; worst: {cell(worst.scenario)})")
    return "; ".join(said)


def _family(m: Measure) -> str:
    """What it counts, or else what it reads of the scores."""
    return m.needs if m.needs in FAMILY_TITLES else "ranking" if m.by_rank or m.of_class_scores else "probabilities"


def _what(m: Measure) -> str:
    """The first paragraph of the formula's docstring."""
    return cell(" ".join((m.function.__doc__ or "").strip().split("\n\n")[0].split()))


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
    for part, methods in groupby(every_method().values(), key=lambda m: m.part):
        parts += [f"## {PART_TITLES.get(part, part)}", *map(_method, methods)]
    return page("Methods: formulas, sources, assumptions, measured coverage", *parts)


def _method(m: Method) -> str:
    facts = {
        "Assumes": cell(m.assumes),
        "Measured": cell(m.measured),
        "In the validation": _measured(m.key),
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

    rows = [(cell(d.title), link(d.default), cell(d.why)) for d in decisions()]
    asked = [
        (kind, ", ".join(f"`{m.word}`" if m.word == m.key else f"`{m.word}` ({link(m.key)})" for m in methods_on(kind)))
        for kind in MODULES
    ]
    return page(
        "Which method by default",
        "One table decides, in the code (`trueerror.inference._choose`) and here: the first row that holds. Every "
        "result says which method it used. `method=` (or `--method`) asks for another; a word that does not apply is "
        "refused with those that do. A method that was chosen after seeing which answer it gives does not "
        "have its confidence.",
        table(("question", "default", "why"), rows),
        "What can be asked for:",
        table(("about", "words"), asked),
        "Figures such as .949–.957 are coverage of 95 % intervals, by enumeration or simulation.",
    )


def _number(x: float | None) -> str:
    return "–" if x is None else f"{x:g}".replace("inf", "∞").replace("-", "−")
