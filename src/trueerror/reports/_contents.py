"""What a report was asked for, and what its page holds: verdicts and how sure they are, sections, findings, methods."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from markupsafe import Markup

from trueerror.findings import Finding
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._groups import Certainty, Costs, Judged, option
from trueerror.inputs._options import InputError
from trueerror.methods import every_method
from trueerror.metrics._registry import find_measure
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._html import Section, unwrapped
from trueerror.results import Result
from trueerror.results._format import listing, one_line, percent
from trueerror.results._values import deciding_p, surety
from trueerror.verbs._compare_costs import CostComparison
from trueerror.verbs._comparison import Comparison, slice_words, verdict_beneath, worse_words
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation
from trueerror.verbs._model_metrics import judged_by
from trueerror.version import __version__


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportOptions(Certainty, Costs, Judged):
    """How predictions or an experiment are to be judged; results that are already made have been judged."""

    ignore: Sequence[str] = option((), "Codes of findings to leave out.")

    @property
    def by_cost(self) -> bool:
        """Whether errors of the two kinds cost different things."""
        return self.cost_fp is not None or self.cost_fn is not None

    @property
    def metric_name(self) -> str:
        """The one metric that learners are judged by; a metric's own options are for models."""
        measure, options = judged_by(self.metric, None, None)
        if options:
            raise InputError(f"learners are judged by a metric as it stands: name {measure.name!r} without options")
        return measure.name

    def refuse(self, kind: str, *, allowed: Sequence[str] = ()) -> None:
        """An error where an option was given that cannot be obeyed."""
        for name in self.changed(ReportOptions):
            if name not in allowed:
                raise InputError(f"{name}= cannot be used on {kind}: give it where that is made, or pass predictions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Where the explorer begins: a class mix and two costs."""

    prior: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    @property
    def words(self) -> str:
        """The costs, in words."""
        if self.cost_fp == self.cost_fn:
            return "at equal costs"
        return f"a false alarm costing {self.cost_fp:g} and a miss {self.cost_fn:g}"


class Surety(NamedTuple):
    """A word, its sign, and the class that colours it."""

    word: str
    sign: str
    kind: str


CLEAR = Surety("Clear difference", "✔", "clear")
LIKELY = Surety("Probable", "≈", "probable")
UNCLEAR = Surety("Too close to call", "?", "open")
NO_BETTER = Surety("No better than one answer for all", "!", "open")
# Where one must be run all the same.
UNSURE = Surety("Not certain", "?", "open")


def of_comparison(cmp: Comparison) -> Surety:
    """By the pairs that decide: the best model (or the reference) against each other one."""
    anchor = cmp.reference or cmp.best
    sureness = _by([deciding_p(cmp[m, anchor]) for m in cmp.models if m != anchor], 1 - cmp.confidence)
    return UNSURE if sureness is UNCLEAR and isinstance(cmp, CostComparison) else sureness


def of_ranking(ranking: Ranking) -> Surety:
    """By the pairs with the best ranked model (or the control)."""
    anchor = ranking.control or ranking.best
    pairs = [c for c in ranking.pairs if anchor in (c.first, c.second)]
    return _by([deciding_p(c) for c in pairs], ranking.alpha)


def of_model(part: ModelEvaluation) -> Surety | None:
    """By the test against the constant answer, where there was one: of what calls cost, where costs were given."""
    gap, accuracy = part.against_constant, part.overall.get("accuracy")
    if gap is not None:
        return _by([gap.p_value], 1 - gap.confidence) if gap.estimate < 0 else NO_BETTER
    if accuracy is None or math.isnan(part.baseline_p):
        return None
    if accuracy.estimate < part.baseline.estimate:
        return NO_BETTER
    return _by([part.baseline_p if accuracy.estimate != part.baseline.estimate else 1.0], 0.05)


def _by(p_values: list[float], level: float) -> Surety:
    """The weakest pair decides.

    >>> _by([0.0001, 0.03], 0.05).word, _by([0.2], 0.05).word, _by([float("nan")], 0.05).word
    ('Probable', 'Too close to call', 'Too close to call')
    """
    if not p_values or any(math.isnan(p) or p > level + 1e-12 for p in p_values):
        return UNCLEAR
    return CLEAR if surety(max(p_values), level) == "clear" else LIKELY


# Methods that the paragraph names; the entries name them all.
MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was found: how sure it is where that can be said, in a line, in sentences, and the worst finding."""

    surety: Surety | None = None
    headline: str = ""
    words: str = ""
    but: str = ""
    # The same without the page's headline, for a terminal.
    lines: tuple[str, ...] = ()


Sayings = tuple[Said, ...]


def comparison_answer(cmp: Comparison) -> Said:
    """The verdict of a comparison, the worst finding by itself."""
    lines = cmp._verdict_lines()
    but = [line for line in lines if line in (*slice_words(cmp), *cmp.findings.but(cmp.leaders))]
    words = [line for line in lines if line not in but]
    judged, head = cmp, ""
    if isinstance(cmp, CostComparison):
        head, words = words[0], words[1:]
    elif head := headline(cmp):
        words, judged = [verdict_beneath(cmp)], cmp
    surety_ = of_comparison(judged)
    return Said(surety=surety_, headline=head, words=" ".join(words), but=" ".join(but), lines=lines)


# Models that a headline names; more are counted.
MOST_IN_HEADLINE = 3


def headline(cmp: Comparison) -> str:
    """Who is ahead in one line, of many models by counts; nothing where the verdict has more to say than that.

    >>> import trueerror as te
    >>> models = {"a": [0, 1] * 48 + [1, 0] * 2, "b": [0, 1] * 30 + [1, 0] * 20, "c": [0, 1] * 45 + [1] * 10}
    >>> made = te.compare([0, 1] * 50, models)
    >>> headline(made)
    'Too close to call between a and c; the other is clearly worse'
    """
    best = cmp.best
    special = cmp.reference or cmp.facts.infinite or best in (cmp.facts.hollow or ())
    if special or len(cmp.leaders) > 1:
        return ""
    if cmp.also is not None and cmp.also.facts.constant is not None:
        return f"By {cmp.title}: {words}" if (words := headline(replace(cmp, also=None))) else ""
    pairs = {m: cmp[m, best] for m in cmp.ranked[1:]}
    open_ = [m for m, c in pairs.items() if not cmp.better(best, m)]
    if any(math.isnan(deciding_p(c)) for c in pairs.values()):
        return ""
    worse = [m for m in pairs if m not in open_]
    if not open_:
        clear = all(surety(deciding_p(pairs[m]), 1 - cmp.confidence) == "clear" for m in worse)
        how = "clearly" if clear else "probably"
        rest = f"better than {one_line(worse[0])}" if len(worse) == 1 else f"the best of {len(cmp.models)}"
        return f"{one_line(best)} is {how} {rest}"
    close = [best, *open_]
    many = len(close) > MOST_IN_HEADLINE
    among = f"{len(close)} of {len(cmp.models)}" if many else listing([one_line(m) for m in close])
    among = f"all {len(close)}" if len(close) == len(cmp.models) and many else among
    lead = f"Too close to call between {among}"
    if not worse:
        return lead
    others = "other is" if len(worse) == 1 else f"other {len(worse)} are"
    how = worse_words(cmp, best, worse)
    return f"{lead}; the {others} {'clearly worse' if how == 'worse' else how}"


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
        if cmp.simultaneous:
            _note(used, "max-t", f"{len(cmp.simultaneous)} differences from {cmp.simultaneous[0].second}")
        if len(cmp.pairs) > len(cmp.simultaneous or ()):
            _note(used, cmp.adjust, f"intervals and p-values of {len(cmp.pairs)} pairs")
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


def paragraph(c: Contents) -> str:
    """The methods in a few sentences, to paste into a paper."""
    methods = every_method()
    known = [(methods[key], names) for key, names in c.used.items() if key in methods]
    sentences = [
        f"{listing(names)}: {m.title} ({m.source.split(';')[0].strip()})" for m, names in known[:MOST_NAMED] if names
    ]
    left = len(known) - MOST_NAMED
    more = f"; and {left} more method{'s' if left > 1 else ''}" if left > 0 else ""
    parts = [unwrapped(c.reading)]
    if sentences:
        parts.append(f"Methods, at {percent(c.confidence)} confidence: {'; '.join(sentences)}{more}.")
    if c.compares:
        parts.append(c.compares)
    parts.append(unwrapped(c.estimand))
    seed = c.settings.get("seed")
    parts.append(f"Computed with {software()}{'' if seed is None else f'; random numbers from seed {seed}'}.")
    return " ".join(p for p in parts if p)


def software() -> str:
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
    methods = every_method()
    for key, names in used.items():
        entry = methods.get(key)
        if entry is None:
            continue
        facts = {
            "Used for": listing(names), "Formula": entry.formula, "Assumes": entry.assumes,
            "Measured": entry.measured, "Advice": entry.advice, "Source": entry.source,
        }  # fmt: skip
        rows = [el("dt", head) + el("dd", text) for head, text in facts.items() if text]
        blocks.append(el("h3", entry.title) + el("dl", joined(rows)))
    return joined(blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A page in parts. `first` stand before the findings, `then` after them, `explorer` is data for the script."""

    title: str
    names: tuple[str, ...] = ()  # of models or learners: long ones are cut in sentences
    verdicts: Sayings
    reading: str
    estimand: str = ""
    next_step: str = ""
    first: tuple[Section, ...] = ()
    then: tuple[Section, ...] = ()
    findings: tuple[Finding, ...] = ()
    used: Used = field(default_factory=dict)
    compares: str = ""  # for what the intervals of differences hold, where some are shown
    why: str = ""
    explained: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    confidence: float = 0.95
    explorer: dict[str, object] | None = None
    paragraph: str = ""
    results: tuple[tuple[str, Result], ...] = ()  # what the page shows, for those who want to compute with it

    def beside(self, other: Contents) -> Contents:
        """This page with the sections, findings and methods of another one after its own."""
        return replace(
            self,
            then=(*self.then, *other.first, *other.then),
            findings=(*self.findings, *other.findings),
            used=merged(self.used, other.used),
            explained="\n\n".join(t for t in (self.explained, other.explained) if t),
            results=(*self.results, *other.results),
        )
