"""What a page holds before it is written: verdicts, what was read, sections, findings, methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trueerror.findings import Finding
from trueerror.reports.markup import Section
from trueerror.reports.methods_words import Used
from trueerror.reports.verdicts import Surety


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """A page in parts. `first` stand before the findings, `then` after them, `explorer` is data for the script."""

    title: str
    names: tuple[str, ...] = ()  # of models or learners: long ones are cut in sentences
    verdicts: tuple[tuple[Surety | None, str], ...]
    reading: str
    estimand: str = ""
    next_step: str = ""
    first: tuple[Section, ...] = ()
    then: tuple[Section, ...] = ()
    findings: tuple[Finding, ...] = ()
    used: Used = field(default_factory=dict)
    why: str = ""
    explained: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 0.95
    explorer: dict[str, Any] | None = None
    paragraph: str = ""

    def beside(self, other: Contents) -> Contents:
        """This page with the sections, findings and methods of another one after its own."""
        from trueerror.reports.methods_words import merged

        return replace(
            self,
            then=(*self.then, *other.first, *other.then),
            findings=(*self.findings, *other.findings),
            used=merged(self.used, other.used),
            explained="\n\n".join(t for t in (self.explained, other.explained) if t),
        )
