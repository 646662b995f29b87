"""How the numbers were made: a paragraph to paste into a paper, and an entry for each method that was used."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from markupsafe import Markup

from trueerror.methods import every_method
from trueerror.metrics.registry import find_measure
from trueerror.reports.markup import el, joined
from trueerror.results.words import listing, percent
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.evaluation import Evaluation
from trueerror.version import __version__

# Methods that the paragraph names; the entries name them all.
MOST_NAMED = 8

# Method → what it was used for.
Used = dict[str, list[str]]


def used_in_evaluation(ev: Evaluation) -> Used:
    """The methods behind the intervals of an evaluation."""
    used: Used = {}
    for part in ev.parts:
        for name, interval in part.overall.items():
            if interval.method:
                _note(used, interval.method, find_measure(name).title)
    return used


def used_in_comparison(cmp: Comparison) -> Used:
    """The methods behind a comparison: pairs, the models' own estimates, the adjustment."""
    used: Used = {}
    for interval in cmp.estimates.values():
        if interval.method:
            _note(used, interval.method, cmp.title)
    for c in cmp.pairs:
        _note(used, c.method, f"differences in {cmp.title}")
    if cmp.adjust != "none" and len(cmp.pairs) > 1:
        _note(used, cmp.adjust, f"p-values of {len(cmp.pairs)} pairs")
    return used


def _note(used: Used, key: str, what: str) -> None:
    if what not in used.setdefault(key, []):
        used[key].append(what)


def merged(*several: Used) -> Used:
    """All of them, each once."""
    out: Used = {}
    for used in several:
        for key, names in used.items():
            for name in names:
                _note(out, key, name)
    return out


def paragraph(reading: str, estimand: str, used: Used, settings: Mapping[str, object], confidence: float) -> str:
    """The methods in a few sentences."""
    known = [(every_method()[key], names) for key, names in used.items() if key in every_method()]
    sentences = [
        f"{listing(names)}: {m.title} ({m.source.split(';')[0].strip()})" for m, names in known[:MOST_NAMED] if names
    ]
    more = f"; and {len(known) - MOST_NAMED} more methods" if len(known) > MOST_NAMED else ""
    parts = [reading.replace("\n", " ").strip()]
    if sentences:
        parts.append(f"Methods, at {percent(confidence)} confidence: {'; '.join(sentences)}{more}.")
    if "differences" in " ".join(w for names in used.values() for w in names):
        parts.append("Intervals of differences are not adjusted for the number of pairs; p-values are.")
    parts.append(estimand.replace("\n", " ").strip())
    seed = settings.get("seed")
    parts.append(f"Computed with {versions()}{f'; random numbers from {seed}' if seed else ''}.")
    return " ".join(p for p in parts if p)


def versions() -> str:
    """What the numbers were made with."""
    import numpy
    import scipy

    return (
        f"trueerror {__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"SciPy {scipy.__version__}"
    )


def entries(used: Used, why: str = "") -> Markup:
    """Each method with its formula, source and what it assumes."""
    blocks = [el("p", why)] if why else []
    for key, names in used.items():
        entry = every_method().get(key)
        if entry is None:
            continue
        facts = {
            "Used for": listing(names), "Formula": entry.formula, "Assumes": entry.assumes,
            "Measured": entry.measured, "Advice": entry.advice, "Source": entry.source,
        }  # fmt: skip
        rows = [el("dt", head) + el("dd", text) for head, text in facts.items() if text]
        blocks.append(el("h3", entry.title) + el("dl", joined(rows)))
    return joined(blocks)
