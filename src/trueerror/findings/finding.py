"""A finding: something about an evaluation that its reader should know, with a stable code and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from trueerror.results import Result, Table
from trueerror.results.words import listing

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
