"""A gate's answer: pass, fail or cannot tell, with the one-sided limits behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

from trueerror.inputs.errors import InputError, nearest
from trueerror.results import Result, Table, Text

Decision = Literal["pass", "fail", "cannot tell"]
EXIT_CODES: dict[str, int] = {"pass": 0, "fail": 1, "cannot tell": 3}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GateCheck(Result):
    """One demand on one metric.

    kind "difference": estimate, low and high are of candidate − baseline, the demand is "worse by at most `margin`".
    kind "threshold": they are of the candidate itself, the demand is "at least `at_least`" (at most, where lower is
    better). `low` and `high` are two one-sided limits, each at `confidence`, which is adjusted for the number of
    checks. `rows_needed` is about how many rows like these would decide in 4 of 5 cases, if the estimate is right.
    """

    metric: str
    title: str
    kind: Literal["difference", "threshold"]
    decision: Decision
    candidate: float
    baseline: float | None = None
    estimate: float
    low: float
    high: float
    confidence: float = 0.95
    margin: float | None = None
    at_least: float | None = None
    higher_is_better: bool = True
    share: bool = False
    method: str = ""
    n: int | None = None
    rows_needed: int | None = None
    note: str = ""

    @property
    def bound(self) -> float:
        """Where the line is drawn, on the scale of the estimate."""
        if self.kind == "threshold":
            return float(self.at_least or 0.0)
        margin = float(self.margin or 0.0)
        return (-margin if self.higher_is_better else margin) + 0.0

    @property
    def reason(self) -> str:
        """What was asked, what was found, and whether that passed, in a sentence."""
        from trueerror.verbs.gate_words import reason

        return reason(self)

    def __str__(self) -> str:
        from trueerror.verbs.gate_words import check_words

        return check_words(self, "the candidate", "the baseline")


def decide(low: float, high: float, bound: float, *, higher_is_better: bool, strictly: bool) -> Decision:
    """Pass when all of the limits are on the good side of the bound, fail when all are on the bad side.

    `strictly`: a limit that lies on the bound does not pass, so that identical models cannot pass for better.

    >>> decide(0.01, 0.04, 0.0, higher_is_better=True, strictly=True)
    'pass'
    >>> decide(-0.01, 0.04, 0.0, higher_is_better=True, strictly=True)
    'cannot tell'
    """
    if math.isnan(low) or math.isnan(high):
        return "cannot tell"
    near, far = (low, high) if higher_is_better else (-high, -low)
    line = bound if higher_is_better else -bound
    if near > line or (near == line and not strictly):
        return "pass"
    return "fail" if far < line else "cannot tell"


def together(checks: tuple[GateCheck, ...]) -> Decision:
    """All must pass; one that fails is enough to fail."""
    found = {c.decision for c in checks}
    if "fail" in found:
        return "fail"
    return "pass" if found == {"pass"} else "cannot tell"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Gate(Result):
    """Whether a candidate may go in: `decision` is "pass", "fail" or "cannot tell", `exit_code` 0, 1 or 3.

    `checks` holds one for each demand, `gate["recall"]` gives the first one of a metric. `verdict` says it in words,
    `.to_markdown()` writes a comment for a pull request.
    """

    decision: Decision
    checks: tuple[GateCheck, ...]
    candidate: str
    baseline: str | None = None
    confidence: float = 0.95
    adjust: str = "bonferroni"
    sequential: bool = False
    n: int = 0
    reading: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 cannot tell."""
        return EXIT_CODES[self.decision]

    @property
    def passed(self) -> bool:
        """Whether the decision is "pass"."""
        return self.decision == "pass"

    @property
    def rows_needed(self) -> int | None:
        """About how many rows like these would settle every check that cannot tell; None where that is not known."""
        open_ = [c.rows_needed for c in self.checks if c.decision == "cannot tell"]
        known = [n for n in open_ if n is not None]
        return max(known) if known and len(known) == len(open_) else None

    @property
    def verdict(self) -> str:
        """The decision and why, in plain words."""
        from trueerror.verbs.gate_words import verdict

        return verdict(self)

    def __getitem__(self, metric: str) -> GateCheck:
        for c in self.checks:
            if metric in (c.metric, c.title):
                return c
        raise InputError(f"{metric!r} was not checked{nearest(metric, [c.metric for c in self.checks])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each check."""
        return [{**record, "reason": c.reason} for c in self.checks for record in c.records()]

    def _table(self) -> Table:
        from trueerror.verbs.gate_words import checks_table

        return checks_table(self)

    def __str__(self) -> str:
        from trueerror.verbs.gate_words import gate_text

        return gate_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from trueerror.verbs.gate_words import gate_html

        return gate_html(self)

    def to_markdown(self) -> str:
        """A comment for a pull request: the decision, why, and the table."""
        from trueerror.verbs.gate_words import gate_markdown

        return gate_markdown(self)

    def explain(self) -> Text:
        """The rule of the gate, and each method with formula, source and what it assumes."""
        from trueerror.methods import explain
        from trueerror.verbs.gate_words import RULE

        keys = dict.fromkeys(c.method for c in self.checks if c.method)
        return Text("\n\n".join(b for b in (self.reading, RULE, *(explain(key) for key in keys)) if b))
