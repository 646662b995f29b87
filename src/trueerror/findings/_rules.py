"""The evaluation linter: findings, the evidence that they rest on, and the registry of rules.

A rule is a function with a code. Its parameters name the evidence that it looks at, tallies and typed values, never
rows or sentences; it runs where all that it needs is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal

from trueerror.results import Contrast, Interval, Result, Table
from trueerror.results._document import Bullets
from trueerror.results._format import listing, one_line
from trueerror.tallies import Confusion, KeyedConfusion, ScoreTable

if TYPE_CHECKING:
    from trueerror.findings.models import (
        ClassErrors,
        ConstantAnswer,
        CountedAsWrong,
        CrossingCurves,
        GradesSeen,
        HarderRows,
        Overfit,
        RateAtPrior,
        WorstSlice,
    )
    from trueerror.inference._joined import CrossedFound, Miscalibration, RunsFound
    from trueerror.inference._tuned import Tuned
    from trueerror.inference.auc._average_precision import DecidedBy
    from trueerror.inference.auc._within_folds import Comparability
    from trueerror.inputs._labels import Label
    from trueerror.sources._duplicates import DuplicateRows, Overlap, RepeatedRows
    from trueerror.sources._predictions import Keys, ScoreRange

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

    def worst(self, leaders: Sequence[str] | None = None) -> Finding | None:
        """The worst finding, where it is more than a note.

        With `leaders` only what is said of them, of a pair of models, or of all.
        """
        for f in self.items:
            of_other = leaders is not None and f.about and f.about not in leaders and " and " not in f.about
            if f.severity != "note" and not of_other:
                return f
        return None

    def but(self, leaders: Sequence[str] | None = None) -> tuple[str, ...]:
        """The worst finding as a sentence of a verdict; none where there is none."""
        f = self.worst(leaders)
        if f is None:
            return ()
        who = f" {one_line(f.about)}" if leaders is not None and f.about not in ("", UNNAMED) else ""
        return (f"But{who}: {one_line(f.message)} ({f.code}).",)

    def records(self) -> list[dict[str, object]]:
        return [record for f in self.items for record in f.records()]

    def _table(self) -> Table:
        rows = tuple((f.code, f.severity, ", ".join(who), f.message, f.fix) for f, who in by_message(self.items))
        return Table(columns=("code", "severity", "about", "finding", "what to do"), rows=rows, names=5)

    def _html(self, picture: str = "") -> str:
        return self._table()._repr_html_() if self.items else "<p>No findings.</p>"

    @property
    def lines(self) -> list[str]:
        """One line for each finding, with all that it is about."""
        return list(self.block(several=True).lines)

    def block(self, *, several: bool, said: Finding | None = None) -> Bullets:
        """Findings as a part of another result, with the models that they are about where several are judged.

        One that was `said` in the verdict is left out."""
        lines: list[str] = []
        grave: list[int] = []
        for f, about in by_message(f for f in self.items if f is not said):
            grave += [len(lines)] if f.severity == "error" else []
            names = [one_line(a) for a in about[:4]] + ([f"{len(about) - 4} more"] if len(about) > 4 else [])
            # Pairs of models have their own "and".
            named = several and about not in ((), (UNNAMED,))
            who = f"{'; '.join(names) if ' and ' in names[0] else listing(names)}: " if named else ""
            lines.append(f"! {f.code} {who}{one_line(f.message)}")
        return Bullets(tuple(lines), grave=tuple(grave))

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
FAMILIES = ("models", "scores", "learners")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What rules may look at: tallies, and values about how they were used. What is not known is None."""

    model: str = ""
    confusion: Confusion | None = None
    scores: ScoreTable | None = None
    clusters: KeyedConfusion | Keys | None = None  # the rows of each alone where they are not called
    # About rows (TE1xx).
    metrics: tuple[str, ...] | None = None  # names of the metrics that were read
    repeated_ids: tuple[int, Any] | None = None  # rows whose id an earlier row has, and one such id
    runs: RunsFound | CrossedFound | None = None  # errors in runs in the order of the rows, or by a second key
    doubled: DuplicateRows | None = None  # copies of rows, and how many of them lie in different clusters
    repeats: RepeatedRows | None = None  # the same items several times
    # (model, rows without its prediction) of each, and all rows, where nothing says how they count
    undecided: tuple[tuple[tuple[str, int], ...], int] | None = None
    training_overlap: Overlap | None = None  # test rows among the training rows
    # About estimates and their intervals (TE2xx).
    baseline_p: float | None = None  # p-value of the model against always answering the commonest class
    hollow_others: int | None = None  # how many other learners are no better than that, where one speaks for them
    never_found: tuple[tuple[str, int], ...] | None = None  # classes of which the model finds no row, and their rows
    # (metric, successes, rows) of the proportions with few successes or failures
    small_counts: Sequence[tuple[str, float, float]] | None = None
    class_errors: Sequence[ClassErrors] | None = None  # errors and weight of each of several classes
    class_means: tuple[str, ...] | None = None  # titles of the means over classes that were read
    rates_at_prior: Sequence[RateAtPrior] | None = None  # errors and right calls of each class, at another class mix
    metrics_at_prior: tuple[str, ...] | None = None  # titles of the metrics that rest on them
    # (metric, method, estimate, rows) of the proportions that were read
    proportions: Sequence[tuple[str, str, float, float]] | None = None
    grades_seen: GradesSeen | None = None  # which grades there are, on which scale
    # (metric, number of equal losses with the same relative error) of the mean losses
    loss_sizes: Sequence[tuple[str, float]] | None = None
    lost_replicates: Sequence[tuple[str, float]] | None = None  # (metric, share) of replicates without a value
    constant_answers: Sequence[ConstantAnswer] | None = None  # at the costs or the class mix that were asked for
    missing_predictions: tuple[int, int, str] | None = None  # rows without a prediction, all rows, how they count
    scores_alone: bool | None = None  # whether these rows have labels, and lack scores
    harder_rows: HarderRows | None = None  # the rows that the model left out, and how another one does on them
    counted_as_wrong: CountedAsWrong | None = None  # of a model that is ahead on the rows that it answered
    unranked: bool | None = None  # whether rows without a score keep areas and losses from being shown
    training_gap: Contrast | None = None  # accuracy on the training rows − accuracy on the test rows
    # other models that the training rows put behind this one, and the test rows before it
    overfits: tuple[Overfit, ...] | None = None
    # About scores (TE3xx).
    score_range: ScoreRange | None = None  # lowest and highest score, and sum of a row where each class has one
    auc: Interval | None = None  # the area under the ROC curve
    probabilities: bool | None = None  # whether the scores can be read as probabilities
    z_test: Miscalibration | None = None  # a test of the probabilities that knows of clusters
    precision_by: DecidedBy | None = None  # which rows decide the average precision
    tuned_threshold: Tuned | None = None  # the threshold that was, or would be, chosen on these rows
    # About one pair of models, two samples, and all models (TE4xx).
    significant: bool | None = None  # whether the pair differs, after the correction for the number of pairs
    p_value: float | None = None  # the p-value that decides, adjusted where pairs were adjusted
    level: float | None = None  # the significance level, 1 − confidence
    difference: float | None = None  # first − second
    limits: tuple[float, float] | None = None  # of the difference, at confidence 1 − level
    undone_by: float | None = None  # how many more units of the kind that hurts most would undo the difference
    undone_unit: str | None = None  # what that counts, where it is not rows
    p_values: Mapping[str, float] | None = None  # those of the sound tests of the same hypothesis, unadjusted, by name
    intervals: tuple[tuple[float, float], tuple[float, float]] | None = None  # limits of the two models' own estimates
    margin: float | None = None  # the smallest difference that matters
    share: bool | None = None  # whether the difference is one of shares, so that 0.05 is five points
    identical: bool | None = None  # whether both call every row alike, with the same scores where both have scores
    one_answer: Label | None = None  # the label that both give to every row, where scores do not make them one model
    graded: bool | None = None  # whether the two are alike in grades
    cut: bool | None = None  # whether that label comes from scores that were cut at a threshold
    n: float | None = None  # rows behind the pair
    comparisons: int | None = None  # how many pairs were compared
    with_best: bool | None = None  # whether the best model is one of the two; with many pairs only these are spoken of
    closest: bool | None = None  # whether these are the two best models that do not differ significantly
    paired: bool | None = None  # whether the rows were paired
    could_be_paired: bool | None = None  # whether the same rows (by ids or fingerprint) are in both samples
    # metric, groups that were left out with their rows, and how many rows a group must have
    small_groups: tuple[str, Mapping[Label, int], int] | None = None
    n_models: int | None = None  # how many models there are
    best: str | None = None  # the name of the one with the best estimate
    not_different_from_best: int | None = None  # how many of the others do not differ significantly from it
    worst_slice: WorstSlice | None = None  # the slice that is worst, and what to expect of it
    expected: Interval | None = None  # what to expect of that one, allowing for the choice
    resampled: bool | None = None  # whether they are learners under resampling
    adjusted: bool | None = None  # whether p-values were adjusted for the number of pairs
    # rows of each true class in the tables of models on different rows, where the metric depends on the class mix
    class_totals: Mapping[str, tuple[float, ...]] | None = None
    crossing: CrossingCurves | None = None  # where the ROC curves of two models lie above each other
    # About learners under resampling, rankings over data sets, and the bootstrap (TE5xx).
    fold_method: str | None = None  # how scores of test folds were judged: "plain-t", "corrected-t", "leave-one-out" …
    rounds: int | None = None  # how many times the rows were assigned to folds
    test_parts: int | None = None  # how many test folds there are
    smallest_test: int | None = None  # rows of the smallest test fold
    data_rows: int | None = None  # rows of the data set
    fold_scales: Comparability | None = None  # how pairs are ordered within folds and across them
    learners_p: float | None = None  # p-value of the learners behind two models, by the corrected t over folds
    # metrics that small folds make doubtful, the rarest class, and its mean number of rows in a test fold
    rare_in_folds: tuple[tuple[str, ...], str, float] | None = None
    ratio_of_folds: str | None = None  # a ratio of counts of which only the folds' own values are known
    failed: Mapping[str, tuple[int, int]] | None = None  # learner → fits that failed, and how many were made
    bootstrap_bias: float | None = None  # mean of the replicates less the estimate
    bootstrap_error: float | None = None  # standard deviation of the replicates
    bootstrap_replicates: int | None = None  # how many replicates there are
    spread_tails: tuple[float, float] | None = None  # kurtosis, and the chance of one so large in a normal sample
    data_sets: int | None = None  # how many data sets were ranked
    smallest_p: float | None = None  # the smallest p-value that a pair of learners could have over so many
    kinship: Mapping[str, float] | None = None  # way to group data sets → how likely chance makes a group so alike
    folds: bool | None = None  # whether scores of folds were averaged
    # names of the data sets (or folds of one) that were left out because a score is missing
    dropped: tuple[str, ...] | None = None
    value_name: str | None = None  # the name of the column of scores, "" where it has none
    higher_is_better: bool | None = None  # the direction that was taken


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
    needs: frozenset[str]
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
            needs=frozenset(p.name for p in parameters if p.default is p.empty), uses=tuple(p.name for p in parameters),
        )  # fmt: skip
        return check

    return enter


@cache
def every_rule() -> Mapping[str, Rule]:
    """All rules by code."""
    for family in FAMILIES:
        import_module(f"trueerror.findings.{family}")
    return dict(sorted(_RULES.items()))


def find(evidence: Iterable[Evidence], codes: Sequence[str] | None = None) -> Findings:
    """Run every rule, or those of some codes, on every piece of evidence that holds what the rule needs."""
    rules, used = _rules_of(None if codes is None else tuple(codes))
    return sorted_findings([finding for piece in evidence for finding in _apply(rules, used, piece)])


@cache
def _rules_of(codes: tuple[str, ...] | None) -> tuple[tuple[Rule, ...], frozenset[str]]:
    """The rules of some codes, and what they look at."""
    rules = tuple(r for code, r in every_rule().items() if codes is None or code in codes)
    return rules, frozenset(name for r in rules for name in r.uses)


def _apply(rules: Sequence[Rule], used: Collection[str], evidence: Evidence) -> Iterator[Finding]:
    known = {name: value for name in used if (value := getattr(evidence, name)) is not None}
    for r in rules:
        if known.keys() >= r.needs:
            for message in r.check(**{name: known[name] for name in r.uses if name in known}):
                yield Finding(code=r.code, severity=r.severity, message=message, fix=r.fix, about=evidence.model)
