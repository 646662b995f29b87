"""`te.gaps`: who is worst off, by how much, and is that more than chance?

Groups of rows (`by=`) are compared by any metric: each group with its interval, the gap between the highest and the
lowest with limits and a p-value that allow for having picked them, their ratio, and the pairs that differ. For two
models: whether the difference between them is another one in some groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from trueerror.findings import Evidence, Findings, find
from trueerror.inputs._arrays import count, one_number
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import Measure, find_measure
from trueerror.people._group_gaps import contrasts_compared, extent, group_contrasts, ratio_of
from trueerror.results import Contrast, DocumentResult, Interval, Table
from trueerror.results._document import Document, TableBlock, page
from trueerror.results._format import (
    capitalised,
    ci_words,
    decimals_apart,
    estimate_and_limits,
    fixed,
    key_names,
    number,
    one_line,
    p_value,
    percent,
    whole,
    with_limits,
)
from trueerror.results._values import common_decimals, short, significantly_different
from trueerror.sources._collect import is_openable
from trueerror.sources._models import group_columns
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import own_rows
from trueerror.verbs._comparison import Comparison
from trueerror.verbs._evaluate import evaluate
from trueerror.verbs._evaluation import Evaluation
from trueerror.verbs._model_metrics import Settings, named_metrics, passed_by

Limits = TypeVar("Limits", Interval, Contrast)
# What is asked of two classes with a positive one where nothing else is: who is called, found, falsely alarmed.
USUAL = ("accuracy", "recall", "fpr", "detection_prevalence")
FEWEST = 10
SHOWN_GROUPS = 20
ODDS = ("recall", "fpr")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gap(DocumentResult):
    """One metric of one model in each group; `pairs` are first − second with limits that hold together.

    `difference` is the largest between any two groups, its limits those of the true largest; `ratio` the lowest over
    the highest; `p_value` the smallest adjusted one of all pairs. `left_out` are groups too small to count, with their
    number of rows.
    """

    metric: str
    title: str
    model: str
    by: str
    higher_is_better: bool | None
    groups: dict[Label, Interval]
    left_out: dict[Label, int]
    pairs: tuple[Contrast, ...]
    difference: Interval
    ratio: Interval
    confidence: float

    @property
    def lowest(self) -> Label:
        """The group with the lowest estimate."""
        return min(self.groups, key=lambda g: self.groups[g].estimate)

    @property
    def highest(self) -> Label:
        """The group with the highest estimate."""
        return max(self.groups, key=lambda g: self.groups[g].estimate)

    @property
    def worst(self) -> Label:
        """The group that is worst off; the lowest, where neither end is good."""
        return self.highest if self.higher_is_better is False else self.lowest

    @property
    def best(self) -> Label:
        """The group that is best off; the highest, where neither end is good."""
        return self.lowest if self.higher_is_better is False else self.highest

    @property
    def p_value(self) -> float:
        """The smallest adjusted p-value of all pairs: against no difference between any groups."""
        known = [c.p_adjusted for c in self.pairs if c.p_adjusted is not None and not math.isnan(c.p_adjusted)]
        return min(known, default=math.nan)

    @property
    def differ(self) -> bool:
        """Whether some groups differ at 1 − confidence."""
        return any(significantly_different(c) for c in self.pairs)

    @property
    def verdict(self) -> str:
        """Who is worst off and how sure that is."""
        return self.said()

    def said(self, title: str = "", scale: float = 1.0) -> str:
        """The verdict, where asked for in another unit: `scale` times the metric, called `title`."""
        title, scale = title or self.title, one_number(scale, "scale")
        what, k = capitalised(title), len(self.groups)
        # Hundredfold figures are written as such from the unscaled ones, which keeps their decimals.
        power = 2 if scale == 100 else 0
        low, high, d, under, over = (
            x if power else scale * x
            for x in (
                self.groups[self.lowest].estimate, self.groups[self.highest].estimate,
                self.difference.estimate, self.difference.low, self.difference.high,
            )
        )  # fmt: skip
        least = 1 if power else 3
        digits = max(decimals_apart(*each, least=least, power=power) for each in ((d, under, over), (low, high)))
        say = partial(fixed, digits=digits, power=power)
        groups = key_names(self.groups)
        ends = f"lowest in {groups[self.lowest]} ({say(low)}), highest in {groups[self.highest]} ({say(high)})"
        reach = ci_words(under, over, self.difference.confidence, say)
        size = f"a gap of {say(d)}, {reach} ({p_value(self.p_value)}, adjusted for all pairs)"
        told = what.endswith(f" of {self.model}")
        whose = f" of {one_line(self.model)}" if self.model not in ("", "model") and not told else ""
        if self.difference.estimate == 0:
            return f"{what}{whose} is {say(low)} in {'both' if k == 2 else f'all {k}'} groups: {size}."
        if self.differ:
            return f"{what}{whose} differs between the {k} groups: {ends}; {size}."
        return f"No clear difference in {title}{whose} between the {k} groups: {ends}; {size}."

    def records(self) -> list[dict[str, object]]:
        """One record for each group, then one for each pair."""
        common = {"metric": self.metric, "model": self.model, "by": self.by}
        rows: list[dict[str, object]] = [
            {**common, "group": g, "against": None, "estimate": i.estimate, "low": i.low, "high": i.high, "p": None,
             "n": i.n}
            for g, i in self.groups.items()
        ]  # fmt: skip
        return rows + [
            {**common, "group": c.first, "against": c.second, "estimate": c.estimate, "low": c.low, "high": c.high,
             "p": c.p_adjusted, "n": c.n}
            for c in self.pairs
        ]  # fmt: skip

    def _made_by(self) -> list[tuple[str, object]]:
        first = self.pairs[0].method if self.pairs else ""
        return [("the gap", self.difference), ("each pair", first), ("the ratio", self.ratio)]

    def document(self) -> Document:
        return page("", (self.verdict,), TableBlock(groups_table(self)), *_pairs_block(self))


def groups_table(gap: Gap) -> Table:
    """Each group, lowest first, with its interval."""
    order = sorted(gap.groups, key=lambda g: gap.groups[g].estimate)
    groups = order if len(order) <= SHOWN_GROUPS else [*order[: SHOWN_GROUPS // 2], *order[-SHOWN_GROUPS // 2 :]]
    digits, shown = common_decimals(gap.groups[g] for g in groups), key_names(gap.groups)
    each = [(shown[g], gap.groups[g]) for g in groups]
    rows = tuple((name, "" if i.n is None else whole(i.n), short(i, digits)) for name, i in each)
    more = "" if len(groups) == len(order) else f" (the lowest and highest of {len(order):,})"
    level = percent(gap.confidence)
    title = f"{capitalised(gap.title)} by {gap.by}{more}:"
    return Table(columns=(gap.by, "rows", f"{gap.title} {level}"), rows=rows, title=title)


def _pairs_block(gap: Gap) -> Iterator[TableBlock]:
    apart = [c for c in gap.pairs if significantly_different(c)]
    if apart and len(gap.groups) > 2:
        apart.sort(key=lambda c: c.p_adjusted or 0.0)
        shown = {str(group): name for group, name in key_names(gap.groups).items()}
        decimals = common_decimals(apart[:SHOWN_GROUPS])
        rows = tuple(
            (
                f"{shown.get(c.first, c.first)} − {shown.get(c.second, c.second)}",
                *estimate_and_limits(c.estimate, c.low, c.high, sign=True, decimals=decimals),
                p_value(c.p_adjusted or c.p_value),
            )
            for c in apart[:SHOWN_GROUPS]
        )
        title = f"Pairs that differ ({len(apart)} of {len(gap.pairs)}):"
        yield TableBlock(Table(columns=("pair", "difference", percent(gap.confidence), "adjusted"), rows=rows,
                               title=title))  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Gaps(DocumentResult):
    """The gaps between groups by one metric or several, of one model or several, by one column or several.

    `gaps["recall"]` is one `Gap`, `gaps["recall", "svm"]` that of one model (or of one column).
    """

    parts: tuple[Gap, ...]
    reading: str = ""
    findings: Findings = field(default_factory=Findings)

    def __getitem__(self, key: str | tuple[str, str]) -> Gap:
        metric, rest = key if isinstance(key, tuple) else (key, None)
        name = find_measure(metric).name
        matches = [g for g in self.parts if g.metric == name and (rest is None or rest in (g.model, g.by))]
        if not matches:
            known = [g.metric for g in self.parts] if rest is None else [*(g.model for g in self.parts), *self.columns]
            raise InputError(f"there is no gap for {key!r}{nearest(rest or metric, dict.fromkeys(known))}")
        if len(matches) > 1 and rest is None:
            names = dict.fromkeys(g.model if len({x.model for x in matches}) > 1 else g.by for g in matches)
            raise InputError(
                f"there are {len(matches)} of {metric}: choose one with [{metric!r}, {next(iter(names))!r}]"
            )
        return matches[0]

    def __iter__(self) -> Iterator[Gap]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the rows were grouped by."""
        return tuple(dict.fromkeys(g.by for g in self.parts))

    @property
    def equalised_odds(self) -> Interval | None:
        """The larger of the gaps in recall and in false positive rate, of one model by one column; None without both.

        Its limits are the larger of both gaps' limits: each holds by itself, so both hold at twice the error.
        """
        by_metric = {g.metric: g.difference for g in self.parts if g.by == self.parts[0].by}
        if any(m not in by_metric for m in ODDS) or len({g.model for g in self.parts}) > 1:
            return None
        both = [by_metric[m] for m in ODDS]
        level = 1 - 2 * (1 - both[0].confidence)
        ends = [max(getattr(i, end) for i in both) for end in ("estimate", "low", "high")]
        return Interval(
            name="equalised odds difference", estimate=ends[0], low=ends[1], high=ends[2], confidence=level,
            method="tukey-range", note="the larger of the gaps in recall and false positive rate",
        )  # fmt: skip

    @property
    def verdict(self) -> str:
        """The clearest of the gaps, or that none is clear."""
        return self.said()

    def said(self, title: str = "", scale: float = 1.0) -> str:
        """The verdict, where asked for in another unit."""
        if len(self.parts) == 1:
            return self.parts[0].said(title, scale)
        apart = [g for g in self.parts if g.differ]
        if not apart:
            least = min(self.parts, key=lambda g: math.inf if math.isnan(g.p_value) else g.p_value)
            return f"No clear gap. {least.said(title, scale)}"
        return " ".join(g.said(title, scale) for g in sorted(apart, key=lambda g: g.p_value)[:3])

    def without(self, *codes: str) -> Gaps:
        """The same with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def records(self) -> list[dict[str, object]]:
        return [record for g in self.parts for record in g.records()]

    def _made_by(self) -> list[tuple[str, object]]:
        return [pair for g in self.parts[:1] for pair in g._made_by()]

    def document(self) -> Document:
        if len(self.parts) == 1:
            blocks: list[TableBlock] = [TableBlock(groups_table(self.parts[0])), *_pairs_block(self.parts[0])]
        else:
            blocks = [TableBlock(gaps_table(self.parts))]
        odds = self.equalised_odds
        footer = [
            "Groups: each by itself. Gaps: all pairs, adjusted by Tukey's range; ratio: the lowest over the highest."
        ]
        if odds is not None:
            footer.insert(0, f"Equalised odds: {with_limits(odds.estimate, odds.low, odds.high)}, {odds.note}.")
        return page(self.reading, (self.verdict,), *blocks, self.findings.block(several=False), footer=footer)


def gaps_table(parts: Sequence[Gap]) -> Table:
    """One line a gap: between whom, how large, how sure."""
    several_models = len({g.model for g in parts}) > 1
    several_columns = len({g.by for g in parts}) > 1
    decimals = common_decimals(g.difference for g in parts)
    lead = (*(("model",) if several_models else ()), *(("by",) if several_columns else ()))
    rows = tuple(
        (
            *((one_line(g.model),) if several_models else ()),
            *((one_line(g.by),) if several_columns else ()),
            g.title,
            f"{key_names(g.groups)[g.lowest]} {number(g.groups[g.lowest].estimate)}",
            f"{key_names(g.groups)[g.highest]} {number(g.groups[g.highest].estimate)}",
            with_limits(g.difference.estimate, g.difference.low, g.difference.high, decimals=decimals),
            number(g.ratio.estimate),
            p_value(g.p_value).removeprefix("p ").removeprefix("= "),
        )
        for g in parts
    )
    head = (*lead, "metric", "lowest", "highest", f"gap {percent(parts[0].confidence)}", "ratio", "adjusted p")
    return Table(columns=head, rows=rows, names=len(lead) + 1)


def metric_gap(
    ev: Evaluation, measure: Measure, model: str, settings: Settings, *, by: str, min_rows: int, anew: bool = False
) -> tuple[Gap | None, list[Evidence]]:
    """One metric of one model over the slices of an evaluation; None where fewer than two groups can be compared.

    `anew` judges them by the settings, which are not those of the evaluation.
    """
    samples, intervals, left_out = {}, {}, {}
    undefined: dict[Label, str] = {}
    for group, inner in ev.slices.items():
        part = next(p for p in inner.parts if p.name == model)
        rows = part.bench.predictions
        if rows is None:
            raise InputError("gaps need the rows, and a loaded evaluation has none: evaluate them again with by=")
        sample = own_rows(rows, model, measure, settings)
        interval = sample.interval(settings.confidence) if anew else part.bench.holding_together(1).interval(measure)
        if math.isnan(interval.estimate):
            undefined[group] = interval.note
        elif (interval.n if interval.n is not None else rows.n) < min_rows:
            left_out[group] = int(interval.n or 0)
        else:
            samples[group], intervals[group] = sample, interval
    evidence = [Evidence(model=model if len(ev.parts) > 1 else "", small_groups=(measure.title, left_out, min_rows))]
    left_out |= dict.fromkeys(undefined, 0)
    if len(samples) < 2:
        return None, evidence
    pairs = tuple(group_contrasts(samples, measure, settings.spec(), settings.options(measure)))
    return _assembled(measure.name, measure.title, model, by, measure.higher_is_better, intervals, left_out, pairs,
                      settings.confidence), evidence  # fmt: skip


def _assembled(
    metric: str, title: str, model: str, by: str, higher: bool | None, groups: Mapping[Label, Interval],
    left_out: Mapping[Label, int], pairs: tuple[Contrast, ...], confidence: float,
) -> Gap:  # fmt: skip
    values = {g: i.estimate for g, i in groups.items()}
    low, high = min(values, key=lambda g: values[g]), max(values, key=lambda g: values[g])
    why = next((i.note for i in groups.values() if i.note), "no two groups have limits")
    pairs = tuple(_explained(c, why) for c in pairs)
    return Gap(
        metric=metric, title=title, model=model, by=by, higher_is_better=higher, groups=dict(groups),
        left_out=dict(left_out), pairs=pairs, confidence=confidence,
        difference=_explained(extent(pairs, values[high] - values[low], f"gap in {title}", confidence), why),
        ratio=_explained(ratio_of(groups[low], groups[high], confidence), why),
    )  # fmt: skip


def _explained(one: Limits, why: str) -> Limits:
    """The same with a reason where it has no limits."""
    return replace(one, note=why) if math.isnan(one.low) and not one.note else one


def evaluation_gaps(
    ev: Evaluation, metrics: Any = None, *, by: str = "group", min_rows: int = FEWEST, costs: object = None
) -> Gaps:
    """The gaps between the slices of an evaluation; `costs` are those of errors where it was made without."""
    if not ev.slices:
        raise InputError("there are no groups: pass by=, a column of groups, to evaluate")
    fewest = count(min_rows, "min_rows")
    first = ev.parts[0].bench
    if first.settings.other_mix:
        raise InputError("gaps are those of these rows' own class mix: leave prior= and design= out")
    parts: list[Gap] = []
    evidence: list[Evidence] = []
    refused: dict[tuple[str, bool], InputError] = {}
    for name, said in named_metrics(_asked(ev, metrics)).items():
        measure = passed_by(first.predictions, find_measure(name))
        known = first.settings.metrics or {}
        settings = replace(first.settings, metrics={**known, measure.name: said or known.get(measure.name, {})})
        settings, anew = settings if costs is None else replace(settings, costs=costs), bool(said) or costs is not None
        for model in ev.models:
            try:
                gap, seen = metric_gap(ev, measure, model, settings, by=by, min_rows=fewest, anew=anew)
            except InputError as error:
                refused.setdefault((model, measure.of_labels), error)
                continue
            evidence += seen
            parts += [] if gap is None else [gap]
    if not parts and refused:
        raise next(iter(refused.values()))
    if not parts:
        raise InputError(f"fewer than two groups have {fewest:,} rows that count; min_rows= sets how many are needed")
    # That a model's scores are not cut is said of the rows.
    uncut = [part.name for part in ev.parts if not part.bench.calls]
    others = [error for (model, of_labels), error in refused.items() if not (of_labels and model in uncut)]
    reading = " ".join([ev.reading, *(f"Left out: {why}." for why in others)])
    return Gaps(parts=tuple(parts), reading=reading, findings=find(evidence, codes=("TE411",)))


def _asked(ev: Evaluation, metrics: Any) -> Any:
    if metrics is not None:
        return metrics
    if ev.positive is not None and any(part.confusion is not None for part in ev.parts):
        return list(USUAL)
    return [ev.first_metric]


def comparison_gaps(cmp: Comparison, *, by: str = "group") -> Gaps:
    """Whether the difference between two models differs between the slices of a comparison (interaction)."""
    if len(cmp.slices) < 2:
        raise InputError("there are no groups to compare: pass by=, a column of groups, to compare")
    parts = []
    for c in cmp.pairs:
        inner = {
            g: s[c.first, c.second].alone() for g, s in cmp.slices.items() if not math.isnan(s[c.first, c.second].low)
        }  # fmt: skip
        if len(inner) < 2:
            continue
        spec = Settings(confidence=cmp.confidence).spec()
        pairs = tuple(contrasts_compared(inner, spec))
        title = f"{cmp.title} of {c.first} − {c.second}"
        gap = _assembled(cmp.metric, title, f"{c.first} − {c.second}", by, cmp.higher_is_better, inner,
                          {}, pairs, cmp.confidence)  # fmt: skip
        nothing = replace(gap.ratio, estimate=math.nan, low=math.nan, high=math.nan, note="no ratio of differences")
        parts.append(replace(gap, ratio=nothing))
    if not parts:
        raise InputError("no two groups have limits of the difference, so nothing shows whether it differs")
    return Gaps(parts=tuple(parts), reading=cmp.reading)


def gaps(
    truth_or_predictions: Any, *more: Any, by: Any = None, metrics: Any = None, min_rows: int = FEWEST, confidence:
    float = 0.95, **options: Any,
) -> Gaps:  # fmt: skip
    """The gap between groups of rows: who is worst off by a metric, by how much, and whether that is more than chance.

    Takes what `te.evaluate` takes, with `by`, a column of groups: an array or the name of a column; several of them
    (a list of names, {"sex": …, "age": …} or a frame) are each looked at alone and in all their combinations. An
    Evaluation with slices, or a Comparison with slices, will do as well: of the latter, whether the difference between
    two models is another one in some groups. `metrics` is a name or several (for two classes else accuracy, recall,
    false positive rate and the share predicted positive). Groups with fewer than `min_rows` rows that count (positives,
    for recall) are left out and named.

    >>> truth, group = [0, 1] * 100, ["a"] * 100 + ["b"] * 100
    >>> called = [0, 1] * 50 + [0, 1] * 30 + [0, 0] * 20
    >>> found = gaps(truth, called, by=group, metrics="recall")["recall"]
    >>> found.worst, found.best, round(found.p_value, 6) < 0.001
    ('b', 'a', True)
    >>> print(found.difference)
    gap in recall 0.400 [0.276, 0.539], 95 % tukey-range
    """
    given = truth_or_predictions
    if isinstance(given, Evaluation | Comparison):
        metrics = more[0] if more and metrics is None else metrics
        if by is not None or options:
            raise InputError("the result has its groups already: leave by= and the rest out, or pass the rows")
        if isinstance(given, Comparison):
            return comparison_gaps(given)
        return evaluation_gaps(given, metrics, min_rows=min_rows)
    if by is None and not (isinstance(given, Predictions) and given.has_key("slices")):
        raise InputError("gaps are between groups: pass by=, a column of groups or its name")
    gap_sets = []
    named = list(_groupings(by, of_table=is_openable(given) or isinstance(given, Predictions)))
    if not named:
        raise InputError("by= names no group: give {name: column}, a column of groups or its name")
    for name, groups in named:
        ev = evaluate(given, *more, by=groups, confidence=confidence, **options)
        gap_sets.append(evaluation_gaps(ev, metrics, by=name, min_rows=min_rows))
    return Gaps(
        parts=tuple(g for one in gap_sets for g in one.parts), reading=gap_sets[0].reading,
        findings=Findings(items=tuple(f for one in gap_sets for f in one.findings)),
    )  # fmt: skip


def _groupings(by: Any, *, of_table: bool) -> Iterator[tuple[str, Any]]:
    """Each column of groups by itself, and where there are several all of them together, with its name."""
    if isinstance(by, str) or by is None:
        yield by or "group", by
        return
    named = group_columns(by, of_table=of_table)
    if named is None:
        yield str(getattr(by, "name", None) or "group"), by
        return
    yield from named.items()
    if len(named) > 1:
        yield " and ".join(named), by
