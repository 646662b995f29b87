"""The evaluation linter: findings, the evidence that they rest on, and the registry of rules.

A rule is a function with a code. Its parameters name the evidence that it looks at, tallies and typed values, never
rows or sentences; it runs where all that it needs is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from trueerror.results import Contrast, Interval, Result, Table
from trueerror.results._format import listing
from trueerror.tallies import Confusion, KeyedConfusion, ScoreTable

if TYPE_CHECKING:
    from trueerror.findings.metrics import ConstantAnswer, Overfit
    from trueerror.findings.scores import TunedThreshold
    from trueerror.inputs._labels import Label
    from trueerror.sources._duplicates import Doubles, Overlap, Repeats
    from trueerror.sources._protocols import ScoreRange

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
        rows = tuple((f.code, f.severity, ", ".join(who), f.message, f.fix) for f, who in by_message(self.items))
        return Table(columns=("code", "severity", "about", "finding", "what to do"), rows=rows, names=5)

    def _repr_html_(self) -> str:
        return self._table()._repr_html_() if self.items else "<p>No findings.</p>"

    @property
    def lines(self) -> list[str]:
        """One line for each finding, with all that it is about."""
        lines = []
        for f, about in by_message(self.items):
            who = f"{listing(list(about))}: " if about and about != (UNNAMED,) else ""
            lines.append(f"! {f.code} {who}{f.message}")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines) or "No findings."


def sorted_findings(findings: Iterable[Finding]) -> Findings:
    """Worst first, then by code; the order of models is kept."""
    return Findings(items=tuple(sorted(findings, key=lambda f: (-SEVERITIES.index(f.severity), f.code))))


def by_message(findings: Iterable[Finding]) -> list[tuple[Finding, tuple[str, ...]]]:
    """Findings with the same words once, with all that they are about."""
    groups: dict[tuple[str, str], tuple[Finding, list[str]]] = {}
    for f in findings:
        _, about = groups.setdefault((f.code, f.message), (f, []))
        if f.about and f.about not in about:
            about.append(f.about)
    return [(f, tuple(about)) for f, about in groups.values()]


# Each of these modules enters its rules on import.
FAMILIES = ("rows", "metrics", "scores", "comparisons", "learners")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What rules may look at: tallies, and values about how they were used. What is not known is None.

    About rows (TE1xx):
    metrics              names of the metrics that were read
    repeated_ids         rows whose id an earlier row has, and one such id
    doubled              copies of rows, and how many of them lie in different clusters
    repeats              the same items several times
    undecided            (model, rows without its prediction) of each, and all rows, where nothing says how they count
    training_overlap     test rows among the training rows
    About estimates and their intervals (TE2xx):
    baseline_p           p-value of the model against always answering the commonest class
    small_counts         (metric, successes, rows) of the proportions with few successes or failures
    proportions          (metric, method, estimate, rows) of the proportions that were read
    loss_worth           (metric, number of equal losses with the same relative error) of the mean losses
    lost_replicates      (metric, share) of bootstrap replicates without a value
    constant_answers     how the model stands against constant answers where costs or a class mix were asked for
    missing_predictions  rows without a prediction, all rows, how they were counted
    unranked             whether rows without a score keep areas and losses from being shown
    clusters_ignored     titles of the metrics whose intervals take rows as independent although there are clusters
    training_gap         accuracy on the training rows − accuracy on the test rows
    overfits             other models that the training rows put behind this one, and the test rows before it
    About scores (TE3xx):
    score_range          lowest and highest score, and for one column a class the lowest and highest sum of a row
    auc                  the area under the ROC curve
    probabilities        whether the scores can be read as probabilities
    tuned_threshold      the threshold that was, or would be, chosen on these rows
    About one pair of models, two samples, and all models (TE4xx):
    significant          whether the pair differs at the level, after the correction for the number of pairs
    p_value              the p-value that decides, adjusted where pairs were adjusted
    level                the significance level, 1 − confidence
    difference           first − second
    limits               of the difference, at confidence 1 − level
    p_values             those of the sound tests of the same hypothesis, unadjusted, by name
    intervals            limits of the two models' own estimates
    margin               the smallest difference that matters
    share                whether the difference is one of shares, so that 0.05 is five points
    identical            whether the two models call every row alike, with the same scores where both have scores
    one_answer           the label that both give to every row, where their scores do not say that they are one
    cut                  whether that label comes from scores that were cut at a threshold
    n                    rows behind the pair
    comparisons          how many pairs were compared
    with_best            whether the best model is one of the two; with many pairs only these are spoken of
    closest              whether these are the two best models that do not differ significantly
    paired               whether the rows were paired
    could_be_paired      whether the same rows (by ids or fingerprint) are in both samples
    n_models             how many models there are
    best                 the name of the one with the best estimate
    not_different_from_best  how many of the others do not differ significantly from it
    adjusted             whether p-values were adjusted for the number of pairs
    About learners under resampling, rankings over data sets, and the bootstrap (TE5xx):
    fold_method          how scores of test parts were judged: "plain-t", "corrected-t", "leave-one-out" …
    rounds               how many times the rows were assigned to folds
    test_parts           how many test parts there are
    smallest_test        rows of the smallest test part
    data_rows            rows of the data set
    failed               learner → fits that failed, and how many were made
    bootstrap_bias       mean of the replicates less the estimate
    bootstrap_error      standard deviation of the replicates
    data_sets            how many data sets were ranked
    pairs                how many pairs of learners were tested, one data set a value
    method               the test over data sets; only "wilcoxon" and "sign" have the limit that TE507 speaks of
    folds                whether scores of folds were averaged
    dropped              names of the data sets (or folds of one) that were left out because a score is missing
    value_name           the name of the column of scores, "" where it has none
    higher_is_better     the direction that was taken
    """

    model: str = ""
    confusion: Confusion | None = None
    scores: ScoreTable | None = None
    clusters: KeyedConfusion | None = None
    metrics: tuple[str, ...] | None = None
    repeated_ids: tuple[int, Any] | None = None
    doubled: Doubles | None = None
    repeats: Repeats | None = None
    undecided: tuple[tuple[tuple[str, int], ...], int] | None = None
    training_overlap: Overlap | None = None
    baseline_p: float | None = None
    small_counts: Sequence[tuple[str, float, float]] | None = None
    proportions: Sequence[tuple[str, str, float, float]] | None = None
    loss_worth: Sequence[tuple[str, float]] | None = None
    lost_replicates: Sequence[tuple[str, float]] | None = None
    constant_answers: Sequence[ConstantAnswer] | None = None
    missing_predictions: tuple[int, int, str] | None = None
    unranked: bool | None = None
    clusters_ignored: tuple[str, ...] | None = None
    training_gap: Contrast | None = None
    overfits: tuple[Overfit, ...] | None = None
    score_range: ScoreRange | None = None
    auc: Interval | None = None
    probabilities: bool | None = None
    tuned_threshold: TunedThreshold | None = None
    significant: bool | None = None
    p_value: float | None = None
    level: float | None = None
    difference: float | None = None
    limits: tuple[float, float] | None = None
    p_values: Mapping[str, float] | None = None
    intervals: tuple[tuple[float, float], tuple[float, float]] | None = None
    margin: float | None = None
    share: bool | None = None
    identical: bool | None = None
    one_answer: Label | None = None
    cut: bool | None = None
    n: float | None = None
    comparisons: int | None = None
    with_best: bool | None = None
    closest: bool | None = None
    paired: bool | None = None
    could_be_paired: bool | None = None
    n_models: int | None = None
    best: str | None = None
    not_different_from_best: int | None = None
    adjusted: bool | None = None
    fold_method: str | None = None
    rounds: int | None = None
    test_parts: int | None = None
    smallest_test: int | None = None
    data_rows: int | None = None
    failed: Mapping[str, tuple[int, int]] | None = None
    bootstrap_bias: float | None = None
    bootstrap_error: float | None = None
    data_sets: int | None = None
    pairs: int | None = None
    method: str | None = None
    folds: bool | None = None
    dropped: tuple[str, ...] | None = None
    value_name: str | None = None
    higher_is_better: bool | None = None


PIECES = frozenset(f.name for f in fields(Evidence))
Check = Callable[..., Iterator[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule's code, weight, title and what to do; `needs` is the evidence without which it is not run, `uses` all that
    it looks at.

    A `standing` rule comes up wherever a method is used that rests on something which no row can show.
    """

    code: str
    severity: Severity
    title: str
    fix: str
    needs: tuple[str, ...]
    uses: tuple[str, ...]
    check: Check
    standing: bool = False

    @property
    def why(self) -> str:
        """The rule's explanation, for its docs page."""
        return (self.check.__doc__ or "").strip()


_RULES: dict[str, Rule] = {}


def rule(code: str, *, severity: Severity, title: str, fix: str, standing: bool = False) -> Callable[[Check], Check]:
    """Enter a rule: a generator of messages, one for each thing found.

    Its parameters are fields of `Evidence`; those without a default are needed.
    """

    def enter(check: Check) -> Check:
        if code in _RULES:
            raise ValueError(f"finding {code} is defined twice")
        parameters = signature(check).parameters.values()
        unknown = [p.name for p in parameters if p.name not in PIECES]
        if unknown:
            raise ValueError(f"finding {code} looks at {unknown[0]!r}, which is no field of Evidence")
        _RULES[code] = Rule(
            code=code, severity=severity, title=title, fix=fix, check=check, standing=standing,
            needs=tuple(p.name for p in parameters if p.default is p.empty), uses=tuple(p.name for p in parameters),
        )  # fmt: skip
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
    return sorted_findings([finding for piece in evidence for r in rules for finding in _apply(r, piece)])


def _apply(r: Rule, evidence: Evidence) -> Iterator[Finding]:
    known = {name: value for name in r.uses if (value := getattr(evidence, name)) is not None}
    if all(need in known for need in r.needs):
        for message in r.check(**known):
            yield Finding(code=r.code, severity=r.severity, message=message, fix=r.fix, about=evidence.model)
