"""A gate's answer: pass, fail or cannot tell, with the one-sided limits behind it, and how it is said.

The decision comes first, then by how much, then what would settle it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from trueerror.inputs._options import InputError, nearest
from trueerror.results import DocumentResult, Result, Table, Text
from trueerror.results._document import Document, Paragraph, TableBlock, Tone, markdown_escape, page
from trueerror.results._format import fixed, listing, number, one_line, percent, real_minus, whole

Decision = Literal["pass", "fail", "cannot tell"]
EXIT_CODES: dict[str, int] = {"pass": 0, "fail": 1, "cannot tell": 3}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GateCheck(Result):
    """One demand on one metric.

    kind "difference": estimate, low and high are of candidate − baseline, the demand is "worse by at most `margin`".
    kind "threshold": they are of the candidate itself, the demand is "at least `at_least`" (at most, where lower is
    better). `low` and `high` are two one-sided limits, each at `confidence`, which is adjusted for the number of
    checks. `slice` names the slice whose rows it is of, "" for all rows; `identical` says that both models answer
    every row alike. `rows_needed` is about how many rows like
    these would decide in 4 of 5 cases, if the estimate is right.
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
    slice: str = ""
    identical: bool = False

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
        return _reason(self)

    def __str__(self) -> str:
        return _check_words(self, "the candidate", "the baseline")


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


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Gate(DocumentResult):
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
    settings: dict[str, object] = field(default_factory=dict)

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
        """The decision and why, in plain words: the checks that made it."""
        telling = [c for c in self.checks if c.decision == self.decision]
        candidate, baseline = one_line(self.candidate), one_line(self.baseline or "the baseline")
        return f"{LEADS[self.decision]}: {' '.join(_check_words(c, candidate, baseline) for c in telling)}"

    def __getitem__(self, metric: str) -> GateCheck:
        for c in self.checks:
            if metric in (c.metric, c.title):
                return c
        raise InputError(f"{metric!r} was not checked{nearest(metric, [c.metric for c in self.checks])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each check."""
        return [{**record, "reason": c.reason} for c in self.checks for record in c.records()]

    def document(self) -> Document:
        table, notes = TableBlock(_checks_table(self)), Paragraph(_notes(self))
        tone = TONES[self.decision]
        return page(self.reading, [self.verdict], table, notes, footer=[_limits_and_methods(self)], tone=tone)

    def to_markdown(self) -> str:
        """A comment for a pull request: the decision, why, and the table."""
        mark = {"pass": "✅", "fail": "❌", "cannot tell": "❔"}[self.decision]
        against = f" against {markdown_escape(self.baseline)}" if self.baseline else ""
        lines = [
            f"### {mark} {LEADS[self.decision]}: {markdown_escape(self.candidate)}{against}",
            markdown_escape(self.verdict),
            DocumentResult.to_markdown(self),
            markdown_escape(" ".join([self.reading, *_notes(self), _limits_and_methods(self)])),
        ]
        return "\n\n".join(line for line in lines if line)

    def explain(self) -> Text:
        """The rule of the gate, and each method with formula, source and what it assumes."""
        from trueerror.methods import explain

        keys = dict.fromkeys(c.method for c in self.checks if c.method)
        return Text("\n\n".join(b for b in (self.reading, RULE, *(explain(key) for key in keys)) if b))


LEADS = {"pass": "Pass", "fail": "Fail", "cannot tell": "Cannot tell"}
TONES: dict[str, Tone] = {"pass": "clear", "fail": "bad", "cannot tell": "probable"}
OUTCOMES = {"pass": "passed", "fail": "failed", "cannot tell": "cannot tell"}
RULE = (
    "The gate passes when the lower one-sided limit of candidate − baseline lies above −margin, fails when the upper "
    "one lies below −margin, and cannot tell otherwise; the estimate alone decides nothing. An absolute threshold "
    "is held against the candidate's own limits in the same way. Where lower is better both are mirrored. All checks "
    "must pass; with several, each limit has the confidence that lets all of them hold together."
)


def gap_words(c: GateCheck, x: float, *, signed: bool = True) -> str:
    """A difference: in points of a percent for shares, else as a number; with digits that tell it from the line."""
    return _size(c, x, _more(c, _size), signed=signed)


def _own_value(c: GateCheck, x: float) -> str:
    """A model's own figure, with digits enough to tell it from the line that it is held against."""
    return _level(c, x, _more(c, _level) if c.kind == "threshold" else 0)


def _size(c: GateCheck, x: float, more: int, *, signed: bool = True) -> str:
    if not math.isfinite(x):
        return number(x)
    if not c.share:
        # Four decimals are enough for a difference, unless it is smaller than that.
        x = round(x, 4 + more) if abs(x) >= 1e-3 else float(f"{x:.{2 + more}g}")
        return real_minus(f"{x:+.{3 + more}g}" if signed and x else f"{x:.{3 + more}g}")
    return fixed(x, 1 + more, power=2, sign=signed)


def _level(c: GateCheck, x: float, more: int) -> str:
    if not math.isfinite(x):
        return number(x)
    return f"{100 * x:.{1 + more}f} %" if c.share else number(x, 3 + more)


def _more(c: GateCheck, shown: Callable[[GateCheck, float, int], str]) -> int:
    """How many more digits than usual it takes until no limit looks like the line that it is held against."""
    for more in range(5):
        line = shown(c, c.bound, more)
        if all(x == c.bound or shown(c, x, more) != line for x in (c.low, c.high)):
            return more
    return 0


def _margin_words(c: GateCheck) -> str:
    """The margin with its unit."""
    margin = float(c.margin or 0.0)
    return f"{100 * margin:.3g} point{'' if margin == 0.01 else 's'}" if c.share else f"{margin:g}"


def _check_words(c: GateCheck, candidate: str, baseline: str) -> str:
    """One check as a sentence."""
    if not math.isfinite(c.estimate):
        return f"{c.title} cannot be judged: {c.note}."
    return _threshold_words(c, candidate) if c.kind == "threshold" else _difference_words(c, candidate, baseline)


def _reason(c: GateCheck) -> str:
    """What was asked, what was found, and whether that passed, for those who read one check by itself."""
    worst, best = (c.low, c.high) if c.higher_is_better else (c.high, c.low)
    unit = ""
    if c.kind == "threshold":
        asked, shown = (
            f"{c.title} {'at least' if c.higher_is_better else 'at most'} {_own_value(c, c.bound)}",
            _own_value,
        )
    else:
        demand = (
            f"not worse than the baseline by more than {_margin_words(c)}" if c.margin else "better than the baseline"
        )
        asked, shown, unit = f"{c.title} {demand}", gap_words, f"{' points' if c.share else ''} from the baseline"
    if not math.isfinite(c.estimate):
        return f"Asked: {asked}. Found: nothing to judge by, {c.note}: cannot tell."
    found = f"{shown(c, c.estimate)}{unit}"
    if _by_identity(c):
        limit = "every row answered alike"
    elif c.decision != "cannot tell":
        limit = f"at worst {shown(c, worst)}" if c.decision == "pass" else f"at best {shown(c, best)}"
    elif math.isfinite(c.low) and math.isfinite(c.high):
        limit = f"one-sided limits {shown(c, c.low)} and {shown(c, c.high)}"
    else:
        limit = "no limits can be given"
    return f"Asked: {asked}. Found: {found}, {limit}: {OUTCOMES[c.decision]}."


def _threshold_words(c: GateCheck, candidate: str) -> str:
    claim = f"{'at least' if c.higher_is_better else 'at most'} {_own_value(c, c.bound)}"
    estimate = _own_value(c, c.estimate)
    worst, best = (c.low, c.high) if c.higher_is_better else (c.high, c.low)
    if c.decision == "pass":
        return f"{c.title} of {candidate} is {claim}: {estimate}, at worst {_own_value(c, worst)}."
    if c.decision == "fail":
        return f"{c.title} of {candidate} is not {claim}: {estimate}, at best {_own_value(c, best)}."
    return (
        f"{c.title} of {candidate} may or may not be {claim}: {estimate}, one-sided limits {_own_value(c, c.low)} "
        f"and {_own_value(c, c.high)}.{_settles(c)}"
    )


def _difference_words(c: GateCheck, candidate: str, baseline: str) -> str:
    unit = " points" if c.share else ""
    by = f"{gap_words(c, c.estimate)}{unit} of {c.title}"
    worst, best = (c.low, c.high) if c.higher_is_better else (c.high, c.low)
    beyond = f" by more than {_margin_words(c)}" if c.margin else ""
    if _by_identity(c):
        return f"{candidate} answers every row as {baseline} does, so it is not worse: {by}."
    if c.decision == "pass":
        claim = f"is not worse than {baseline}{beyond}" if c.margin else f"is better than {baseline}"
        return f"{candidate} {claim}: {by}, at worst {gap_words(c, worst)}."
    if c.decision == "fail":
        return f"{candidate} is worse than {baseline}{beyond}: {by}, at best {gap_words(c, best)}."
    asked = f"worse than {baseline}{beyond}" if c.margin else f"better or worse than {baseline}"
    reach = (
        f"one-sided limits {gap_words(c, c.low)} and {gap_words(c, c.high)}"
        if math.isfinite(c.low) and math.isfinite(c.high)
        else "no limits can be given"
    )
    return f"{candidate} may be {asked}: {by}, {reach}.{_settles(c)}"


def _by_identity(c: GateCheck) -> bool:
    """Whether a check passed because both answer every row alike, where the limits alone would not let it."""
    by_limits = decide(c.low, c.high, c.bound, higher_is_better=c.higher_is_better, strictly=True)
    return c.identical and c.decision == "pass" and by_limits != "pass"


def _settles(c: GateCheck) -> str:
    if c.rows_needed is not None:
        return f" About {whole(c.rows_needed)} rows like these would settle it."
    if c.estimate == c.bound:
        more = "ask for less than better, with a margin" if c.kind == "difference" and not c.margin else ""
        return f" The estimate lies on the line, so more rows alone need not settle it{'; ' if more else ''}{more}."
    return ""


def _checks_table(gate: Gate) -> Table:
    """One row a check."""
    rows = []
    for c in gate.checks:
        if c.kind == "threshold":
            asked, shown = f"{'≥' if c.higher_is_better else '≤'} {_own_value(c, c.bound)}", _own_value
        else:
            asked, shown = f"gap {'>' if c.higher_is_better else '<'} {gap_words(c, c.bound)}", gap_words
        limits = "none" if math.isnan(c.low) else f"[{shown(c, c.low)}, {shown(c, c.high)}]"
        rows.append((c.title, asked, _own_value(c, c.candidate), _baseline_cell(c), limits, c.decision))
    return Table(
        columns=("metric", "asked", "candidate", "baseline", "one-sided limits", "decision"), rows=tuple(rows), names=2
    )


def _baseline_cell(c: GateCheck) -> str:
    return "" if c.baseline is None else _own_value(c, c.baseline)


def _limits_and_methods(gate: Gate) -> str:
    """Confidence, correction, methods."""
    methods = listing(list(dict.fromkeys(c.method for c in gate.checks if c.method)))
    several = len(gate.checks) > 1 and gate.adjust != "none"
    more = f", {gate.adjust} over {len(gate.checks)} checks" if several else ""
    looks = "valid at every look" if gate.sequential else "for one look; sequential=True for repeated ones"
    return f"Limits: each one-sided, {percent(gate.confidence)}{more}, {looks}. Methods: {methods or 'none'}."


def _notes(gate: Gate) -> tuple[str, ...]:
    """Why a part is undefined or drawn in."""
    return tuple(f"Note: {c.title}: {c.note}." for c in gate.checks if c.note and math.isfinite(c.estimate))
