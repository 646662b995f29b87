"""A gate's answer: pass, fail or cannot tell, with the one-sided limits behind it, and how it is said.

The decision comes first, then by how much, then what would settle it.

`te.gate`: may this candidate go in?

The limits behind each check of a gate: two one-sided limits of a difference, or of the candidate itself.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from trueerror.inference._contrast import check_margin
from trueerror.inference._fragility import undone_by
from trueerror.inference._gate_limits import Limits, differing_rows, rows_needed, watched, watched_share
from trueerror.inference._joined import check_keys
from trueerror.inference._model_pairs import ModelPair
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._tuned import elsewhere
from trueerror.inference._two_models import PairedRows
from trueerror.inference._unpaired import unpaired_contrast
from trueerror.inference.proportion._paired import mcnemar_test, noninferiority
from trueerror.inputs._groups import TABLE_OPTIONS, Costs, Demands, Group, Resampling, asked_by, further, option
from trueerror.inputs._options import InputError, check_confidence, check_word, nearest
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import DocumentResult, Result, Table, Text
from trueerror.results._document import Document, Paragraph, TableBlock, Tone, markdown_code, markdown_escape, page
from trueerror.results._format import decimals_apart, fixed, listing, number, one_line, percent, whole
from trueerror.results._values import HALF_A_UNIT, undone_in_words
from trueerror.sources._collect import opened, takes_whole_rows
from trueerror.sources._open_tables import columns_for
from trueerror.sources._pairing import pair
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import own_rows
from trueerror.verbs._evidence import identical_calls, same_grades, same_scores
from trueerror.verbs._model_metrics import (
    ModelMetrics,
    Settings,
    cut_words,
    named_costs,
    named_metrics,
    option_words,
    priced,
    refuse_classes,
    refuse_idle_costs,
    settled_for,
)

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
    decisions = {c.decision for c in checks}
    if "fail" in decisions:
        return "fail"
    return "pass" if decisions == {"pass"} else "cannot tell"


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
        against = f" against {markdown_code(self.baseline)}" if self.baseline else ""
        lines = [
            f"### {mark} {LEADS[self.decision]}: {markdown_code(self.candidate)}{against}",
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
    "is held against the candidate's own limits in the same way. If lower is better, both are mirrored. All checks "
    "must pass; with several, each limit has the confidence that lets all of them hold together."
)


def gap_words(c: GateCheck, x: float, *, signed: bool = True) -> str:
    """A difference: in points of a percent for shares, else as a number; its digits part limits, estimate and line."""
    if c.share:
        return fixed(x, decimals_apart(c.estimate, c.low, c.high, c.bound, least=1, power=2), power=2, sign=signed)
    return fixed(x, decimals_apart(c.estimate, c.low, c.high, c.bound), sign=signed)


def _line_words(c: GateCheck) -> str:
    """The line that a difference is held against, in the same unit; a number without needless zeros."""
    line = gap_words(c, c.bound)
    return line if c.share or "." not in line else line.rstrip("0").rstrip(".")


def _own_value(c: GateCheck, x: float) -> str:
    """A model's own figure; its digits part limits, estimate and the line that they are held against."""
    own = (c.estimate, c.low, c.high, c.bound) if c.kind == "threshold" else ()
    known = [v for v in (c.candidate, c.baseline) if v is not None]
    if c.share:
        return (
            f"{fixed(x, decimals_apart(*known, *own, least=1, power=2), power=2)} %" if math.isfinite(x) else number(x)
        )
    return fixed(x, decimals_apart(*known, *own))


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
        requirement, formatter = (
            f"{c.title} {'at least' if c.higher_is_better else 'at most'} {_own_value(c, c.bound)}",
            _own_value,
        )
    else:
        demand = (
            f"not worse than the baseline by more than {_margin_words(c)}" if c.margin else "better than the baseline"
        )
        requirement, formatter, unit = (
            f"{c.title} {demand}", gap_words, f"{' points' if c.share else ''} from the baseline",
        )  # fmt: skip
    if not math.isfinite(c.estimate):
        return f"Asked: {requirement}. Found: nothing to judge by, {c.note}: cannot tell."
    finding = f"{formatter(c, c.estimate)}{unit}"
    if _by_identity(c):
        limit = "every row answered alike"
    elif c.decision != "cannot tell":
        limit = f"at worst {formatter(c, worst)}" if c.decision == "pass" else f"at best {formatter(c, best)}"
    elif math.isfinite(c.low) and math.isfinite(c.high):
        limit = f"one-sided limits {formatter(c, c.low)} and {formatter(c, c.high)}"
    else:
        limit = "no limits can be given"
    return f"Asked: {requirement}. Found: {finding}, {limit}: {OUTCOMES[c.decision]}."


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
    doubt = f"worse than {baseline}{beyond}" if c.margin else f"better or worse than {baseline}"
    reach = (
        f"one-sided limits {gap_words(c, c.low)} and {gap_words(c, c.high)}"
        if math.isfinite(c.low) and math.isfinite(c.high)
        else "no limits can be given"
    )
    return f"{candidate} may be {doubt}: {by}, {reach}.{_settles(c)}"


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
            requirement, formatter = f"{'≥' if c.higher_is_better else '≤'} {_own_value(c, c.bound)}", _own_value
        else:
            requirement, formatter = f"gap {'>' if c.higher_is_better else '<'} {_line_words(c)}", gap_words
        base = "" if c.baseline is None else _own_value(c, c.baseline)
        limits = "none" if math.isnan(c.low) else f"[{formatter(c, c.low)}, {formatter(c, c.high)}]"
        rows.append((c.title, requirement, _own_value(c, c.candidate), base, limits, c.decision))
    return Table(
        columns=("metric", "asked", "candidate", "baseline", "one-sided limits", "decision"), rows=tuple(rows), names=2
    )


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


Model = tuple[Predictions, str]
DRAWN = "the mid-p test does not exclude 0, so the limit is drawn to 0"
TUNED = "the threshold was chosen on these rows, which flatters the candidate: judge it on other rows"
SILENT = "rows that the candidate left out count as wrong for the limit that passes"


def difference_check(
    candidate: Model, baseline: Model, measure: Measure, settings: Settings, *, margin: float, level: float,
    sequential: bool,
) -> GateCheck:  # fmt: skip
    """Candidate − baseline against the margin; on the same rows when both come from the same predictions."""
    intervals = [ModelMetrics(m, settings, predictions=p).interval(measure.name) for p, m in (candidate, baseline)]
    undefined = next((i.note or "undefined" for i in intervals if math.isnan(i.estimate)), "")
    paired = candidate[0] is baseline[0]
    total = candidate[0].n if paired else candidate[0].n + baseline[0].n
    up = bool(measure.higher_is_better)
    bound = (-margin if up else margin) + 0.0
    if undefined:
        limits = Limits(math.nan, math.nan, math.nan, "", total, undefined)
    elif not paired:
        if sequential:
            raise InputError("a sequential gate needs both models on the same rows")
        at_level = _one_sided(settings, level)
        samples = own_rows(*candidate, measure, at_level), own_rows(*baseline, measure, at_level)
        c = unpaired_contrast(samples, measure, at_level.spec(), settings.options(measure.name))
        limits = Limits(c.estimate, c.low, c.high, c.method, total, c.note)
    else:
        check_keys(candidate[0], "a sequential gate" if sequential else None, measure)
        rows = PairedRows(
            candidate[0], measure, settings.options(measure.name), threshold=settings.threshold, prior=settings.prior
        )
        pair_ = rows.pair(candidate[1], baseline[1])
        limits = _paired_limits(pair_, settings, level, bound, sequential=sequential)
        silent = rows.with_silence(candidate[1], baseline[1])
        if silent is not None:
            worst_case = silent.pair(candidate[1], baseline[1])
            harsh = _paired_limits(worst_case, settings, level, bound, sequential=sequential)
            end, of_two = ("low", min) if measure.higher_is_better else ("high", max)
            worst = of_two(getattr(limits, end), getattr(harsh, end))
            if worst != getattr(limits, end):
                limits = limits._replace(**{end: worst}, note=SILENT)
    same = paired and limits.estimate == 0 and _identical(candidate[0], (candidate[1], baseline[1]), settings)
    decision = decide(limits.low, limits.high, bound, higher_is_better=up, strictly=True)
    if decision != "cannot tell" and limits.undone_by is not None and limits.undone_by <= HALF_A_UNIT:
        decision, limits = "cannot tell", limits._replace(note=_fragile_words(decision, limits))
    if decision == "pass" and ModelMetrics(candidate[1], settings, predictions=candidate[0]).tuned is not None:
        decision, limits = "cannot tell", limits._replace(note=TUNED)
    return GateCheck(
        metric=measure.name, title=measure.title, kind="difference", candidate=intervals[0].estimate,
        decision=decision,
        baseline=intervals[1].estimate, estimate=limits.estimate, low=limits.low, high=limits.high, confidence=level,
        margin=margin, higher_is_better=up, share=measure.share is not None, method=limits.method, n=limits.n,
        rows_needed=None if limits.note == SILENT else rows_needed(limits, bound, level, total), note=limits.note,
        identical=same,
    )  # fmt: skip


def _fragile_words(decision: Decision, limits: Limits) -> str:
    """Why a decision that the limits would make is not made."""
    words = undone_in_words(limits.undone_by or 0.0, limits.undone_unit)
    return f"the limits alone would {decision}, but that is fragile: {words}"


def _paired_limits(pair_: ModelPair, settings: Settings, level: float, bound: float, *, sequential: bool) -> Limits:
    if sequential:
        return watched(pair_, level)
    return _same_rows(pair_, replace(_one_sided(settings, level).spec(), bound=bound), level)


def _identical(p: Predictions, models: tuple[str, str], settings: Settings) -> bool:
    """Whether two models answer every row alike, with the same scores where both have scores, or the same grades."""
    if p.scale is not None:
        return same_grades(p, *models)
    if not all(p.has_predictions(m, threshold=settings.threshold) for m in models):
        return all(p.has_scores(m) and not p.unscored(m) for m in models) and same_scores(p, *models)
    calls = identical_calls(p, p.agreement(*models, threshold=settings.threshold), models)
    return calls is not None and bool(calls.get("identical"))


def threshold_check(
    candidate: Model, measure: Measure, settings: Settings, *, at_least: float, level: float, sequential: bool
) -> GateCheck:
    """The candidate's own limits against a number."""
    p, model = candidate
    bench = ModelMetrics(model, _one_sided(settings, level), predictions=p)
    interval = elsewhere(bench.tuned, bench.interval(measure.name))
    if math.isnan(interval.estimate):
        limits = Limits(math.nan, math.nan, math.nan, "", p.n, interval.note or "undefined")
    elif sequential:
        check_keys(candidate[0], "a sequential gate")
        limits = watched_share(p, model, measure, settings.options(measure), settings.threshold, level)
    else:
        limits = Limits(
            interval.estimate, interval.low, interval.high, interval.method, int(interval.n or p.n), interval.note
        )
    up = bool(measure.higher_is_better)
    return GateCheck(
        metric=measure.name, title=measure.title, kind="threshold", candidate=interval.estimate,
        decision=decide(limits.low, limits.high, at_least, higher_is_better=up, strictly=False),
        estimate=limits.estimate, low=limits.low, high=limits.high, confidence=level, at_least=at_least,
        higher_is_better=up, share=measure.share is not None, method=limits.method, n=limits.n,
        rows_needed=rows_needed(limits, at_least, level, p.n), note=limits.note,
    )  # fmt: skip


def _one_sided(settings: Settings, level: float) -> Settings:
    """Each end of a two-sided interval at 2·level − 1 is a one-sided limit at `level`."""
    return replace(settings, confidence=2 * level - 1)


def _same_rows(pair_: ModelPair, spec: IntervalSpec, level: float) -> Limits:
    counts = differing_rows(pair_)
    if counts is None:
        c = pair_.rows.contrast(pair_.first, pair_.second, spec)
        n = int(c.n or pair_.rows.p.n)
        return Limits(c.estimate, c.low, c.high, c.method, n, c.note, undone_by=c.undone_by, undone_unit=c.undone_unit)
    b, c_, n = counts.only_first, counts.only_second, counts.n
    if n == 0:
        return Limits(math.nan, math.nan, math.nan, "tango-noninferiority", 0, "no rows: nothing is known")
    below = noninferiority(b, c_, n=n, margin=0.0, confidence=level)
    above = noninferiority(b, c_, n=n, margin=0.0, higher_is_better=False, confidence=level)
    low, high, note = below.low, above.high, ""
    # With few differing rows the score test rejects "no difference" too easily: both tests must.
    if low > 0 and mcnemar_test(b, c_, "mid-p", "greater")[1] > 1 - level:
        low, note = 0.0, DRAWN
    if high < 0 and mcnemar_test(b, c_, "mid-p", "less")[1] > 1 - level:
        high, note = 0.0, DRAWN
    between = replace(below, low=low, high=high, confidence=spec.confidence)
    fragile = undone_by(between, spec, pair_.extreme) if b + c_ else None
    return Limits(below.estimate, low, high, below.method, n, note, unlike=b + c_ > 0, undone_by=fragile)


Adjustment = Literal["bonferroni", "sidak", "none"]
# Names by which one of two models is known to be the one to beat.
BASELINES = ("baseline", "base", "old", "reference", "control", "production", "champion", "current", "main", "previous")


@dataclass(frozen=True, slots=True)
class Sides:
    """Who is judged, against whom, and how to call them."""

    candidate: Model
    baseline: Model | None
    names: tuple[str, str | None]
    reading: str


@dataclass(frozen=True, eq=False, repr=False)
class Sought(Group):
    """Who is judged, against whom."""

    candidate: Any = option(
        None,
        "Predictions, a file or a table of the model that wants in; or fitted models, or the truth, and what follows.",
    )
    baseline: Any = option(None, "The model to beat: predictions, a file, or the name of a model of the same rows.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Gating(Resampling, Costs, Demands, Sought):
    """What `te.gate` is asked."""

    paired: bool | None = option(None, "Whether both models were judged on the same rows.")
    positive: object = option(None, "The positive class. Not needed where labels are False/True, 0/1 or −1/1.")
    threshold: float | None = option(None, "Scores at or above it are predicted positive.")
    columns: Mapping[str, Any] = further(TABLE_OPTIONS)


@takes_whole_rows("candidate", "baseline")
@asked_by(Gating)
def gate(asked: Gating) -> Gate:
    """Pass, fail or cannot tell, by one-sided confidence limits and never by the estimate.

    `candidate` and `baseline` are what `te.predictions` or `te.read` gave, or files and frames (`columns` go to
    `te.read`); they are joined on ids, or by the same truth (`paired=False`: different rows). `baseline` may also name
    a model of the candidate's own rows. `model` chooses among several models. Fitted models with their rows,
    `te.gate({"new": a, "old": b}, X, y)`, and arrays, `te.gate(truth, new, old)`, will do as well.

    With a baseline: pass when the lower limit of candidate − baseline lies above −margin, fail when the upper limit
    lies below it. Margin 0 asks for better, which identical models never pass; a margin asks for not worse by more.
    `at_least` holds the candidate itself to a number (at most, where lower is better). Both take one number, or one
    for each metric. With k checks each limit has confidence 1 − (1 − confidence)/k ("bonferroni"), confidence^(1/k)
    ("sidak") or `confidence` itself ("none").

    Paired shares have Tango's limits (`te.significance.noninferiority`), other metrics those that `te.compare` has.
    `sequential=True`: one-sided betting limits (Waudby-Smith and Ramdas 2024), for a gate that is asked again and
    again while rows arrive. With slices (`by=`) every check is made of all rows and of each slice, adjusted over all.

    >>> truth = [0, 1] * 100
    >>> import trueerror as te
    >>> p = te.predictions(truth, {"new": truth[:190] + [1, 0] * 5, "old": truth[:180] + [1, 0] * 10})
    >>> made = gate(p, "old")
    >>> made.decision, made.exit_code
    ('pass', 0)
    >>> print(made.verdict)
    Pass: new is better than old: +5.0 points of accuracy, at worst +3.0.
    """
    baseline, metric, margin, at_least = asked.baseline, asked.metric, asked.margin, asked.at_least
    adjust, sequential, threshold = asked.adjust, asked.sequential, asked.threshold
    check_word(adjust, ("bonferroni", "sidak", "none"), "adjust")
    prices = named_costs(asked.costs, asked.cost_fp, asked.cost_fn)
    usual = "accuracy" if prices is None else "expected_cost"
    metrics = named_metrics(usual if metric is None else metric)
    if not metrics:
        raise InputError("metric= names no metric; give one, such as 'accuracy'")
    measures = [_judged(find_measure(name)) for name in metrics]
    refuse_idle_costs(measures, prices)
    if isinstance(baseline, int | float) and not isinstance(baseline, bool):
        raise InputError(f"{baseline!r} is no model to beat: pass at_least={baseline!r} for a number to be reached")
    sides = _sides(asked)
    rows = sides.candidate[0]
    if rows.scale is not None:
        refuse_classes(costs=prices, prior=asked.prior, threshold=threshold)
    metrics = settled_for(rows, metrics if metric is not None or prices is not None else None) or metrics
    # A metric that a demand names is asked for; one with a floor alone is not held against the baseline.
    compared = {*metrics, *(find_measure(name).name for name in (margin if isinstance(margin, Mapping) else ()))}
    floors = {find_measure(name).name for name in (at_least if isinstance(at_least, Mapping) else ())}
    metrics = dict(metrics) | {name: {} for name in sorted((compared | floors) - {*metrics})}
    measures = [_judged(find_measure(name)) for name in metrics]
    ends = {m.name: m.bounds(metrics[m.name]) if m.of_grades else m.range for m in measures}
    margins = {
        m.name: check_margin(
            _each(margin, m, "margin", 0.0, ends[m.name]), strictly=False, widest=ends[m.name][1] - ends[m.name][0]
        )
        for m in measures
    }
    least = {m.name: _each(at_least, m, "at_least", None, ends[m.name]) for m in measures}
    if isinstance(at_least, int | float) and len({m.higher_is_better for m in measures}) > 1:
        raise InputError("at_least= is one number, but some metrics are better when low; give {metric: number}")
    settings = Settings.of(asked, metrics, costs=prices, threshold=threshold)
    sides = _priced(sides, settings)
    for side in (sides.candidate, sides.baseline):
        if sequential and side is not None and side[0].repeated:
            raise InputError("these rows hold several repeats of the same items; watch one repeat at a time")
    if sides.baseline is None and all(v is None for v in least.values()):
        raise InputError("there is nothing to compare the candidate with: pass baseline= or at_least=")
    parts = [("", sides), *_slices(sides)]
    against = [sides.baseline is not None and name in compared for name in metrics]
    k = len(parts) * (sum(against) + sum(least[m.name] is not None for m in measures))
    common: dict[str, Any] = {"level": _level(asked.confidence, k, adjust), "sequential": sequential}
    checks: list[GateCheck] = []
    for where, part in parts:
        part_checks: list[GateCheck] = []
        for m, asked_for in zip(measures, against, strict=True):
            number = least[m.name]
            if part.baseline is not None and asked_for:
                width = margins[m.name]
                part_checks.append(difference_check(part.candidate, part.baseline, m, settings, margin=width, **common))
            if number is not None:
                part_checks.append(threshold_check(part.candidate, m, settings, at_least=number, **common))
        checks += [replace(c, title=f"{c.title} in {where}", slice=where) if where else c for c in part_checks]
    all_checks = tuple(checks)
    return Gate(
        decision=together(all_checks), checks=all_checks, candidate=sides.names[0], baseline=sides.names[1],
        confidence=float(asked.confidence), adjust=adjust, sequential=sequential, n=sides.candidate[0].n,
        reading=" ".join(filter(None, (sides.reading, _cut(sides, measures, settings), option_words(settings)))),
        settings={"threshold": threshold, "replicates": asked.replicates,
                  "seed": 0 if asked.rng is None else asked.rng if isinstance(asked.rng, int) else str(asked.rng)},
    )  # fmt: skip


def _priced(sides: Sides, settings: Settings) -> Sides:
    """The same sides with the calls that the costs ask for."""
    (rows, model), other = sides.candidate, sides.baseline
    p = priced(rows, settings)
    base = None if other is None else (p if other[0] is rows else priced(other[0], settings), other[1])
    return replace(sides, candidate=(p, model), baseline=base)


def _slices(sides: Sides) -> list[tuple[str, Sides]]:
    """The same sides on the rows of each slice: a candidate that is worse in one of them does not pass."""
    p, model = sides.candidate
    if not p.has_key("slices"):
        return []
    slices = []
    for value in p.slices():
        rows = p.slice(value)
        other = None
        if sides.baseline is not None:
            base, name = sides.baseline
            if base is not p and not base.has_key("slices"):
                raise InputError("by= must be known of the baseline's rows as well as of the candidate's")
            other = (rows if base is p else base.slice(value), name)
        slices.append((one_line(str(value)), replace(sides, candidate=(rows, model), baseline=other)))
    return slices


def _cut(sides: Sides, measures: list[Measure], settings: Settings) -> str:
    """Where scores were cut, when a metric looks at calls."""
    if not any(m.of_labels for m in measures):
        return ""
    return cut_words([side[0] for side in (sides.candidate, sides.baseline) if side is not None], settings)


def _judged(measure: Measure) -> Measure:
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so no gate can be made of it")
    return measure


def _each(given: Any, measure: Measure, option: str, default: float | None, ends: tuple[float, float]) -> float | None:
    """The number of one metric: the common one, or its own."""
    if isinstance(given, Mapping):
        named = {find_measure(name).name: value for name, value in given.items()}
        given = named.get(measure.name, default)
    if given is None:
        return None
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{option}={given!r:.40} is not a number") from None
    low, high = ends
    if option == "at_least" and not low <= value <= high:
        raise InputError(f"at_least={given!r} is not a value that {measure.name} can have: it runs {low:g} to {high:g}")
    return value


def _level(confidence: float, k: int, adjust: str) -> float:
    level = check_confidence(confidence)
    if adjust == "bonferroni":
        level = 1 - (1 - level) / k
    elif adjust == "sidak":
        level = level ** (1 / k)
    if not 0.5 < level < 1:
        raise InputError(f"confidence={confidence!r} must be above 0.5 for a one-sided limit")
    return level


def _sides(asked: Gating) -> Sides:
    candidate, baseline, model, threshold = asked.candidate, asked.baseline, asked.model, asked.threshold
    positive, paired, columns = asked.positive, asked.paired, asked.columns
    first = opened(candidate, positive=positive, **columns_for(candidate, baseline, columns)).items_together()
    inside = _model_inside(first, baseline, model)
    if inside is not None:
        if paired is False:
            raise InputError("paired=False is for predictions of different rows; these are models of the same rows")
        challenger, other = inside
        both = first.select([challenger, other])._noted_at(threshold)
        return Sides((both, challenger), (both, other), (challenger, other), str(both))
    challenger = _chosen(first, model, "candidate")
    first = first.select(challenger)._noted_at(threshold)
    if baseline is None:
        return Sides((first, challenger), None, (challenger, None), str(first))
    second = opened(baseline, positive=positive, **columns_for(baseline, candidate, columns)).items_together()
    other = _chosen(second, model if model in second.models else None, "baseline")
    second = second.select(other)._noted_at(threshold)
    names = (challenger, other)
    if challenger == other:
        # "model" is what a file's only column of predictions is called when its name says no more.
        names = (
            ("candidate", "baseline")
            if challenger == "model"
            else (f"{challenger} (candidate)", f"{challenger} (baseline)")
        )
    if paired is False:
        reading = f"Candidate: {first} Baseline: {second} Different rows: not paired."
        return Sides((first, challenger), (second, other), names, reading)
    both = pair(first, second)
    reading = str(both)
    for paired_name, name in zip(both.models, names, strict=True):
        reading = reading.replace(paired_name, name)
    return Sides((both, both.models[0]), (both, both.models[1]), names, reading)


def _model_inside(first: Predictions, baseline: Any, model: str | None) -> tuple[str, str] | None:
    """Candidate and baseline, where both are models of the same predictions."""
    if isinstance(baseline, str) and baseline in first.models and not os.path.isfile(baseline):
        others = [m for m in first.models if m != baseline]
        if model is None and len(others) != 1:
            raise InputError(f"which model is the candidate? pass model= one of {', '.join(map(repr, others))}")
        chosen = others[0] if model is None else first.only(model)
        if chosen == baseline:
            raise InputError(f"{baseline!r} is both the candidate and the baseline")
        return chosen, baseline
    if baseline is None and model is None and len(first.models) == 2:
        known = [m for m in first.models if m.lower() in BASELINES]
        if len(known) == 1:
            return next(m for m in first.models if m != known[0]), known[0]
        names = " or ".join(repr(m) for m in first.models)
        raise InputError(f"which of the two models is the one to beat? pass baseline={names}")
    return None


def _chosen(p: Predictions, model: str | None, role: str) -> str:
    if model is None and len(p.models) > 1:
        names = ", ".join(map(repr, p.models))
        raise InputError(f"the {role} holds {len(p.models)} models; pass model= one of {names}")
    return p.only(model)
