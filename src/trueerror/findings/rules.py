"""The linter's frame: a rule is a function with a code that declares the tallies it needs; it never sees rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from trueerror.findings.finding import Finding, Findings, Severity, sorted_findings
from trueerror.tallies import Agreement, Confusion, KeyedConfusion, ScoreTable

# Each of these modules enters its rules on import.
FAMILIES = ("about_rows", "about_metrics", "about_scores", "about_comparisons", "about_rankings", "about_learners")


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
