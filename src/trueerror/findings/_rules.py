"""The linter's frame: a rule is a function with a code that declares the tallies it needs; it never sees rows.

A finding: something about an evaluation that its reader should know, with a stable code and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from trueerror.results import Result, Table
from trueerror.results._document import Bullets
from trueerror.results._format import listing, one_line
from trueerror.tallies import Agreement, Confusion, KeyedConfusion, ScoreTable

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
# What a model without a name of its own is called: not worth saying.
UNNAMED = "model"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Finding(Result):
    """One finding. `about` names the model, class or column that it speaks of, where there is one."""

    code: str
    severity: Severity
    message: str
    fix: str = ""
    about: str = ""

    def __str__(self) -> str:
        who = f"{self.about}: " if self.about not in ("", UNNAMED) else ""
        return f"! {self.code} {who}{self.message}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Findings(Result):
    """Findings in order of weight, worst first; empty is good news."""

    items: tuple[Finding, ...] = ()

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Finding:
        return self.items[index]

    def __contains__(self, code: object) -> bool:
        return any(f.code == code for f in self.items)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes, each once, in order."""
        return tuple(dict.fromkeys(f.code for f in self.items))

    def without(self, *codes: str) -> Findings:
        """The findings less those that the reader has silenced."""
        return Findings(items=tuple(f for f in self.items if f.code not in codes))

    def records(self) -> list[dict[str, object]]:
        return [record for f in self.items for record in f.records()]

    def _table(self) -> Table:
        rows = tuple((f.code, f.severity, ", ".join(who), f.message, f.fix) for f, who in grouped(self.items))
        return Table(columns=("code", "severity", "about", "finding", "what to do"), rows=rows, names=5)

    def _repr_html_(self) -> str:
        return self._table()._repr_html_() if self.items else "<p>No findings.</p>"

    @property
    def lines(self) -> list[str]:
        """One line for each finding, with all that it is about."""
        made = []
        for f, about in grouped(self.items):
            who = f"{listing(list(about))}: " if about and about != (UNNAMED,) else ""
            made.append(f"! {f.code} {who}{f.message}")
        return made

    def block(self, *, several: bool) -> Bullets:
        """Findings as a part of another result, with the models that they are about where several are judged."""
        lines = []
        for f, about in grouped(self.items):
            names = [one_line(a) for a in about[:4]] + ([f"{len(about) - 4} more"] if len(about) > 4 else [])
            # Pairs of models have their own "and".
            who = f"{'; '.join(names) if ' and ' in names[0] else listing(names)}: " if several and about else ""
            lines.append(f"! {f.code} {who}{one_line(f.message)}")
        return Bullets(tuple(lines), tuple(self.lines))

    def __str__(self) -> str:
        return "\n".join(self.lines) or "No findings."


def sorted_findings(found: list[Finding]) -> Findings:
    """Worst first, then by code; the order of models is kept."""
    return Findings(items=tuple(sorted(found, key=lambda f: (-SEVERITIES.index(f.severity), f.code))))


def grouped(findings: Iterable[Finding]) -> list[tuple[Finding, tuple[str, ...]]]:
    """Findings with the same words once, with all that they are about."""
    found: dict[tuple[str, str], tuple[Finding, list[str]]] = {}
    for f in findings:
        _, about = found.setdefault((f.code, f.message), (f, []))
        if f.about and f.about not in about:
            about.append(f.about)
    return [(f, tuple(about)) for f, about in found.values()]


# Each of these modules enters its rules on import.
FAMILIES = ("rows", "metrics", "scores", "comparisons", "learners")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a rule may look at: counts and a few facts about how they were used. Absent parts are None."""

    model: str = ""
    confusion: Confusion | None = None
    scores: ScoreTable | None = None
    clusters: KeyedConfusion | None = None
    agreement: Agreement | None = None
    # Facts that no tally holds, by name: metrics read, methods used, cluster counts, thresholds, margins …
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule's code, weight, title and the evidence that it needs.

    A `standing` rule comes up wherever a method is used that rests on something which no row can show.
    """

    code: str
    severity: Severity
    title: str
    fix: str
    needs: tuple[str, ...]
    check: Callable[[Evidence], Iterable[str]]
    standing: bool = False

    @property
    def why(self) -> str:
        """The rule's explanation, for its docs page."""
        return (self.check.__doc__ or "").strip()


_RULES: dict[str, Rule] = {}


def rule(
    code: str, *, severity: Severity, title: str, fix: str, needs: tuple[str, ...], standing: bool = False
) -> Callable[[Callable[[Evidence], Iterable[str]]], Callable[[Evidence], Iterable[str]]]:
    """Enter a rule: a generator of messages, one for each thing found. `needs` names parts or facts of the evidence."""

    def enter(check: Callable[[Evidence], Iterable[str]]) -> Callable[[Evidence], Iterable[str]]:
        if code in _RULES:
            raise ValueError(f"finding {code} is defined twice")
        _RULES[code] = Rule(
            code=code, severity=severity, title=title, fix=fix, needs=needs, check=check, standing=standing
        )
        return check

    return enter


def every_rule() -> dict[str, Rule]:
    """All rules by code."""
    for family in FAMILIES:
        import_module(f"trueerror.findings.{family}")
    return dict(sorted(_RULES.items()))


def find(evidence: Iterable[Evidence]) -> Findings:
    """Run every rule on every piece of evidence that holds what the rule needs."""
    rules = every_rule().values()
    found = [finding for piece in evidence for r in rules for finding in _apply(r, piece)]
    return sorted_findings(found)


def _apply(r: Rule, evidence: Evidence) -> Iterator[Finding]:
    for need in r.needs:
        if getattr(evidence, need, None) is None and need not in evidence.facts:
            return
    for message in r.check(evidence):
        yield Finding(code=r.code, severity=r.severity, message=message, fix=r.fix, about=evidence.model)
