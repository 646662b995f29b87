"""A comparison: who is better, by how much, how sure, between whom it is too close to call; and how that is said.

Sizes stand beside p-values, and "too close to call" is an answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypedDict

from trueerror.findings import Findings
from trueerror.inference._contrast import mirrored, statistic_of
from trueerror.inference._many import adjust_contrasts
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._two_models import PairedRows
from trueerror.inference.counts._paired import cell_differences
from trueerror.inference.loss._mean import infinite_words
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import find_measure
from trueerror.metrics._registry import value as metric_value
from trueerror.results import Contrast, DocumentResult, Interval, Posterior, Table, Test, Text, TrackedResult
from trueerror.results._document import WIDTH, Block, Document, Media, Paragraph, TableBlock, Tone, page
from trueerror.results._format import (
    NEGLIGIBLE,
    capitalised,
    chance_words,
    ci_words,
    filled,
    fixed,
    key_names,
    limits,
    listing,
    number,
    one_line,
    one_time_in,
    p_cell,
    p_value,
    percent,
    percents,
    signed,
    some,
    whole,
)
from trueerror.results._values import (
    Surety,
    common_decimals,
    decided,
    deciding_p,
    short,
    short_percent,
    significantly_different,
    surety,
)

if TYPE_CHECKING:
    from trueerror.verbs._gaps import Gaps

SHOWN_SLICES = 20
# More rivals than these are counted, not named.
SHOWN_RIVALS = 4
# What P(better) is; it stands only where one pair was compared, and says so.
PRIOR_WORDS = "P(better): posterior probability that the first is better, from a flat prior and this pair alone."

Pair = tuple[str, str]
# Rows that both models got right, only the first, only the second, neither.
Counts = tuple[int, int, int, int]


def best_first(estimates: Mapping[str, Interval], higher_is_better: bool) -> tuple[str, ...]:
    """The models in order of their estimates."""
    sign = -1 if higher_is_better else 1
    return tuple(sorted(estimates, key=lambda m: sign * estimates[m].estimate))


class IdenticalCalls(TypedDict, total=False):
    """Two models that answer all `n` rows alike: `identical` (in grades where they are `graded`), or `one_answer` for
    all (from scores that were `cut`)."""

    n: int
    identical: bool
    one_answer: Label
    cut: bool
    graded: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ComparisonDetails(Mapping[str, object]):
    """What is known of a comparison beyond its estimates; a mapping of those that were recorded, too.

    `share`: differences are points of a percent. `why`: how the method was chosen. `discordance`: right and wrong row
    by row, of each pair. `twins`: pairs that answer every row alike. `infinite`: models of infinite loss, and by how
    many rows. `could_be_paired`: rows taken for different ones look like the same. `parts`: scores on the test folds of
    learners. `borderline`: sound forms of the test disagree at the level. `slices_left_out`: slices without a result.
    `constant`: the commonest class and its share. `hollow`: models that are not shown to be better than answering it
    every time, or that find no row of another class.
    """

    share: bool = False
    why: str = ""
    discordance: Mapping[Pair, Counts] = field(default_factory=dict)
    twins: Mapping[Pair, IdenticalCalls] | None = None
    infinite: Mapping[str, int] | None = None
    could_be_paired: bool | None = None
    parts: Mapping[str, tuple[float, ...]] | None = None
    borderline: bool | None = None
    slices_left_out: Mapping[Label, str] | None = None
    constant: tuple[str, float] | None = None
    hollow: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[str]:
        return (f.name for f in fields(self) if getattr(self, f.name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Any:
        if name not in list(self):
            raise KeyError(name)
        return getattr(self, name)

    def counts(self, first: str, second: str) -> Counts | None:
        """The four counts of a pair, in the order asked for."""
        if (second, first) in self.discordance:
            both, one, two, neither = self.discordance[second, first]
            return both, two, one, neither
        return self.discordance.get((first, second))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(TrackedResult):
    """Models compared pair by pair on one metric.

    `pairs` holds first − second for each pair, `cmp["a", "b"]` gives either way round: the limits and the p-value that
    the verdict, the tables, the pictures and the exports show. `cmp["a", "b"].alone()` is the pair as if there were no
    other. `simultaneous` holds each model − the best one (or the reference), whose limits hold together. `tiers`
    are the largest sets of models of which no two differ clearly (they may overlap). `also` is that by the other
    main metric: the AUC beside accuracy, or accuracy where nearly all rows are of one class and the AUC leads.
    `slices[value]` is that on the rows of a slice.
    `expected` is what to expect of the best one, with limits that allow for its having been picked; `estimates` has its
    own figure. `classes()` and `cells()` say where two models differ; they need the rows, which a loaded one lacks.
    """

    metric: str
    title: str
    higher_is_better: bool
    estimates: dict[str, Interval]
    pairs: tuple[Contrast, ...]
    tiers: tuple[tuple[str, ...], ...] = ()
    reference: str | None = None
    margin: float | None = None
    within_margin: tuple[Contrast, ...] = ()
    adjust: str = "holm"
    confidence: float = 0.95
    omnibus: Test | None = None
    reading: str = ""
    estimand: str = ""
    next_step: str = ""
    findings: Findings = field(default_factory=Findings)
    facts: ComparisonDetails = field(default_factory=ComparisonDetails)
    slices: dict[Label, Comparison] = field(default_factory=dict)
    simultaneous: tuple[Contrast, ...] | None = None
    also: Comparison | None = None
    expected: Interval | None = None
    rows: PairedRows | None = field(default=None, metadata={"saved": False})
    _says_verdict: ClassVar[bool] = True

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return super()._from_data({**data, "facts": ComparisonDetails(**data["facts"])})

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return tuple(self.estimates)

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The models, best estimate first."""
        return best_first(self.estimates, self.higher_is_better)

    @property
    def best(self) -> str:
        """The model with the best estimate, the first of `leaders`; the tiers say whether it differs clearly."""
        return self.ranked[0]

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models with the best estimate: more than one where they tie."""
        top = self.estimates[self.best].estimate
        return tuple(m for m in self.ranked if math.isclose(self.estimates[m].estimate, top, rel_tol=1e-12))

    @property
    def verdict(self) -> str:
        """Who is better and how sure that is, in plain words."""
        return " ".join(self._verdict_lines())

    @property
    def _worst(self) -> Findings:
        """The findings that a verdict may end with."""
        return self.findings.without(*(("TE201",) if _hollow(self) else ()))

    def _verdict_lines(self) -> tuple[str, ...]:
        lead, verdict = _why_led(self), _verdict(self)
        words = f"{lead}By {self.title}: {verdict}" if lead else verdict
        return words, *also_words(self), *slice_words(self), *self._worst.but(self.leaders)

    @cached_property
    def _by_models(self) -> dict[tuple[str, str], Contrast]:
        return {(c.first, c.second): c for c in self.pairs}

    @property
    def _anchor(self) -> str:
        """The model from which all differences are limited together: the best one, or the reference; else nobody."""
        return self.simultaneous[0].second if self.simultaneous and len(self.models) > 2 else ""

    @property
    def _power(self) -> int:
        """The power of ten by which differences are shown: 2 for points of a percent, and for costs of 100 rows."""
        return 2 if self.facts.share else 0

    @cached_property
    def _decimals(self) -> int:
        """Of differences and of shares: those that the pairs take which are shown."""
        return self._decimals_for(_shown_pairs(self))

    def _decimals_for(self, pairs: Sequence[Contrast]) -> int:
        """As many as show on which side of 0 each limit lies, and no estimate of a model, or of a pair that leaves 0
        out, like its limit; one at least of points, else three digits.
        """
        scale = 10**self._power
        widths = [scale * (c.high - c.low) for c in pairs if math.isfinite(c.high - c.low) and c.high > c.low]
        least = 1 if self._power else max(0, 3 - int(math.log10(max(1.0, *widths, 1.0))))
        nearest_zero = min((scale * abs(x) for c in pairs for x in _beside_zero(c)), default=1.0)
        least = max(least, math.ceil(-math.log10(2 * nearest_zero)))
        apart = [c for c in pairs if c.low > 0 or c.high < 0]
        return common_decimals([*apart, *self.estimates.values()], least, power=self._power)

    def __getitem__(self, key: tuple[str, str]) -> Contrast:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f'ask for a pair of models, such as ["{self.models[0]}", "{self.models[-1]}"]')
        for name in key:
            if name not in self.estimates:
                raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")
        if (c := _of_two(self._by_models, *key)) is not None:
            return c
        raise InputError(f"{key[0]!r} and {key[1]!r} were not compared: only pairs with {self.reference!r} were")

    def told_apart(self, first: str, second: str) -> bool:
        """Whether the p-value that decides about the pair is at or below 1 − confidence."""
        return significantly_different(self[first, second])

    def better(self, first: str, second: str) -> bool:
        """Whether the first is clearly better than the second."""
        gap = self[first, second].estimate
        return self.told_apart(first, second) and (gap > 0) == self.higher_is_better and gap != 0

    def bayes(self, first: str, second: str, *, rope: float = 0.01) -> Posterior:
        """How probable it is that the first is better by more than `rope`, worse by more, or neither."""
        from trueerror.inference._bayes import pair_posterior

        counts = self.facts.counts(first, second)
        return pair_posterior(self[first, second].alone(), counts, rope=rope, higher_is_better=self.higher_is_better)

    def classes(self, first: str | None = None, second: str | None = None, *, metric: str = "recall") -> Differences:
        """In which classes two models differ: first − second in each, with p-values adjusted over the classes (Holm).

        >>> import trueerror as te
        >>> truth, a = list("abc") * 20, list("abc") * 20
        >>> te.compare(truth, a, list("abb") * 20).classes().told_apart
        (('c',),)
        """
        rows, pair = self._pair_rows(first, second)
        return class_differences(rows, pair, metric, self.confidence, self.adjust)

    def cells(self, first: str | None = None, second: str | None = None) -> Differences:
        """Which confusions differ: how often each model takes a class for another; p-values adjusted over the cells.

        >>> import trueerror as te
        >>> truth, a = list("abc") * 20, list("abc") * 20
        >>> te.compare(truth, a, list("abb") * 20).cells().told_apart
        (('c', 'b'),)
        """
        rows, pair = self._pair_rows(first, second)
        return confusion_differences(rows, pair, self.confidence, self.adjust)

    def _pair_rows(self, first: str | None, second: str | None) -> tuple[PairedRows, Pair]:
        """The rows, and the two models that are meant: those named, or the best and the next (the reference)."""
        if self.rows is None:
            raise InputError("this comparison holds no rows: compare the rows again, and ask that result")
        if (first is None) != (second is None):
            raise InputError(f'name both models, such as ("{self.models[0]}", "{self.models[1]}"), or neither')
        if first is None or second is None:
            return self.rows, _shown_pair(self)
        for name in (first, second):
            if name not in self.estimates:
                raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")
        return self.rows, (first, second)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rows": None}

    def gaps(self) -> Gaps:
        """Whether the difference between two models is another one in some slices (interaction): see `te.gaps`."""
        from trueerror.verbs._gaps import comparison_gaps

        return comparison_gaps(self)

    def wins(self) -> Table:
        """Who beats whom in WEKA's manner: v where the column is better than the row, * where it is worse."""
        names = self.models
        numbered = [f"({i})" for i in range(1, len(names) + 1)]
        rows = []
        for place, a in zip(numbered, names, strict=True):
            marks, won, lost, tied = [], 0, 0, 0
            for b in names:
                if a == b or (self.reference is not None and self.reference not in (a, b)):
                    marks.append("")
                    continue
                if self.better(b, a):
                    marks.append("v")
                    lost += 1
                elif self.better(a, b):
                    marks.append("*")
                    won += 1
                else:
                    marks.append("?")
                    tied += 1
            rows.append((f"{place} {a}", *marks, f"{won}/{tied}/{lost}"))
        return Table(columns=("model", *numbered, "won/unclear/lost"), rows=tuple(rows))

    def records(self) -> list[dict[str, object]]:
        """One record for each pair, and the same for each slice."""
        rows = [record for c in self.pairs for record in c.records()]
        if not self.slices:
            return rows
        inner = [{"slice": value, **record} for value, one in self.slices.items() for record in one.records()]
        return [*({"slice": None, **record} for record in rows), *inner]

    def all_pairs(self) -> Table:
        """Every pair as it is judged, the better model first; the text shows each model with the best one."""
        return _differences_table(self, _every_pair(self))

    def document(self) -> Document:
        many = Media.ALL if len(self.models) > 2 else Media.NOTEBOOK | Media.EXPORT
        shared = bool(tier_letters(self)) and any(len(tier) > 1 for tier in self.tiers)
        return page(
            self.reading,
            self._verdict_lines(),
            TableBlock(_models_table(self), where=many, beneath=SHARED * shared),
            None if self._anchor else TableBlock(_differences_table(self, _shown_pairs(self))),
            alike_within_margin(self),
            slices_block(self),
            self.findings.block(
                several=len(self.models) > 2 or any(f.about in self.models for f in self.findings),
                said=self._worst.worst(self.leaders),
            ),
            Paragraph((f"Next: {self.next_step}",)) if self.next_step else None,
            footer=_footer_lines(self),
            tone=_tone(self),
            names=self.models,
        )

    def without(self, *codes: str) -> Comparison:
        """The same comparison with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain

        keys = dict.fromkeys([*(c.method for c in self.pairs), *(i.method for i in self.estimates.values())])
        blocks = [f"{self.reading}\n{self.estimand}".strip(), self.facts.why]
        blocks += [explain(key) for key in keys if key]
        if self.adjust != "none" and len(self.pairs) > 1:
            blocks += [explain("max-t")] if self.simultaneous else []
            blocks.append(explain(self.adjust))
        if _with_chance(self):
            blocks.append(PRIOR_WORDS)
        return Text("\n\n".join(b for b in blocks if b))


def points(cmp: Comparison, x: float, decimals: int | None = None) -> str:
    """A difference with its sign: in points of a percent for shares, of 100 rows for costs, else as a number."""
    return fixed(x, cmp._decimals if decimals is None else decimals, power=cmp._power, sign=True)


def own_figure(cmp: Comparison, x: float) -> str:
    """A model's own figure, with the decimals of the differences."""
    return f"{percents(x, cmp._decimals)} %" if cmp.facts.share else number(x, common_decimals(cmp.estimates.values()))


def unit(cmp: Comparison) -> str:
    """What differences are counted in."""
    return " points" if cmp.facts.share else " per 100 rows" if cmp._power else ""


def _verdict(cmp: Comparison) -> str:
    """The verdict in one paragraph."""
    if cmp.facts.infinite:
        return _some_infinite(cmp, cmp.facts.infinite)
    return _two(cmp) if len(cmp.models) == 2 else _many(cmp) + expected_words(cmp)


def expected_words(cmp: Comparison) -> str:
    """What to expect of a model that was picked as the best of several, where that is not its own figure."""
    c = cmp.expected
    if c is None:
        return ""
    say, sign = (percents, " %") if cmp.facts.share else (number, "")
    digits = cmp._decimals if cmp.facts.share else max(3, cmp._decimals)
    reach = ci_words(c.low, c.high, c.confidence, lambda x: say(x, digits), unit=sign)
    figure = f"{own_figure(cmp, c.estimate)} {cmp.title}"
    return f" As the best of {len(cmp.models)}, expect {figure} of {one_line(cmp.best)}, {reach}."


def _tone(cmp: Comparison) -> Tone:
    """How sure the verdict is: of the best model, or of the other one against the reference."""
    if len(cmp.models) < 2 or cmp.facts.infinite:
        return ""
    judged = [c for m in cmp.ranked[1:] for c in [_compared_with_best(cmp, m)] if c is not None]
    sure = {surety(deciding_p(c), 1 - c.confidence) for c in judged}
    return "open" if not sure or "open" in sure else "probable" if "probable" in sure else "clear"


def _compared_with_best(cmp: Comparison, other: str) -> Contrast | None:
    best = cmp.ranked[0]
    return cmp[best, other] if _compared(cmp, best, other) else None


def _why_led(cmp: Comparison) -> str:
    """Why this metric leads and not accuracy, after what accuracy shows of one answer for every row."""
    if cmp.also is None or cmp.also.facts.constant is None:
        return ""
    label, share = cmp.also.facts.constant
    why = (
        f'{percents(share)} % of the rows are "{one_line(label)}", so {cmp.also.title} mostly says how common that is.'
    )
    return f"{_hollow(cmp.also)}{why} "


def also_words(cmp: Comparison) -> tuple[str, ...]:
    """What the other main metric says, in one sentence."""
    other = cmp.also
    if other is None or cmp.reference is not None:
        return ()
    best, nearest = other.ranked[:2]
    if nearest in other.leaders:
        return (f"By {other.title}: {_names(other.leaders)} have the same estimate.",)
    c, a, of = other[best, nearest], one_line(best), len(other.models)
    worse = [m for m in other.ranked[1:] if other.better(best, m)]
    if best in (other.facts.hollow or ()):
        what = f"{a} is ahead"
    elif len(worse) == of - 1:
        what = f"{a} is {'probably ' * (_sure(other, best, nearest) == 'probable')}{'better' if of == 2 else 'best'}"
    else:
        what = f"{a} is ahead, too close to call{f' among {of - len(worse)} of {of}' if of > 2 else ''}"
    return (
        f"By {other.title}: {what} ({points(other, c.estimate)}{unit(other)} from {one_line(nearest)}, {_decided(c)}).",
    )


def verdict_beneath(cmp: Comparison) -> str:
    """The verdict under a headline that says who is ahead and how sure that is: the figures."""
    if cmp.also is not None:
        return " ".join((f"{_why_led(cmp)}{verdict_beneath(replace(cmp, also=None))}", *also_words(cmp)))
    best, *others = cmp.ranked
    best_figure = own_figure(cmp, cmp.estimates[best].estimate)
    if len(others) == 1:
        c = cmp[best, others[0]]
        ahead = f"{one_line(best)} is ahead: " if _sure(cmp, best, others[0]) == "open" else ""
        other = own_figure(cmp, cmp.estimates[others[0]].estimate)
        figures = (
            f"{ahead}{best_figure} against {other} {cmp.title}, {points(cmp, c.estimate)}{unit(cmp)}, {_ci(cmp, c)}."
        )
        close = " A close call." if cmp.facts.borderline else ""
        return f"{figures}{close} {_odds(cmp, c, one_line(best))}"
    worse = [m for m in others if cmp.better(best, m)]
    open_ = [m for m in others if m not in worse]
    if not open_:
        return f"{one_line(best)} has {best_figure} {cmp.title}; the nearest is {_gap(cmp, best, worse[0])}."
    word = "highest" if cmp.higher_is_better else "lowest"
    rivals = f", with no clear difference from {_names(open_)}" if len(open_) <= SHOWN_RIVALS else ""
    if len(worse) > SHOWN_RIVALS:
        rest = f"The nearest of the other {len(worse)} is {_gap(cmp, best, worse[0])}."
    else:
        rest = _worse(cmp, best, worse) if worse else f"The nearest is {_gap(cmp, best, open_[0])}."
    return f"{one_line(best)} has the {word} estimate ({best_figure} {cmp.title}){rivals}. {rest}{expected_words(cmp)}"


def _hollow(cmp: Comparison) -> str:
    """What is said first where the leader is not shown to be better than one answer for every row."""
    best, hollow = cmp.ranked[0], cmp.facts.hollow or ()
    if best not in hollow or cmp.facts.constant is None:
        return ""
    label, share = cmp.facts.constant
    constant = share if cmp.higher_is_better else 1 - share
    who = "No model" if len(hollow) == len(cmp.models) else one_line(best)
    verb = "is" if len(hollow) == len(cmp.models) else "is not"
    return (
        f'{who} {verb} shown to be better than always answering "{one_line(label)}", which has '
        f"{own_figure(cmp, constant)} {cmp.title}. "
    )


def _some_infinite(cmp: Comparison, infinite: Mapping[str, int]) -> str:
    """Models with a finite loss are judged among themselves; of the others is said why they are not."""
    finite = {m: interval for m, interval in cmp.estimates.items() if m not in infinite}
    why = infinite_words(infinite, cmp.title)
    judged = [c for c in cmp.pairs if c.first in finite and c.second in finite]
    if judged:
        rest = replace(cmp, estimates=finite, pairs=tuple(judged), facts=replace(cmp.facts, infinite=None))
        if len(finite) > 2:
            return f"{_many(rest, 'with a finite one')} {why}"
        # Of two models the other one is not named, which goes without saying only where there is no third.
        a, b = map(one_line, rest.ranked)
        return f"{_two(rest)} That compares {a} with {b}; {why}"
    if len(finite) == 1:
        (best,) = finite
        against = "an infinite one" if len(infinite) == 1 else "infinite ones"
        return (
            f"{one_line(best)} is ahead, {own_figure(cmp, finite[best].estimate)} {cmp.title} against {against}: {why}"
        )
    if cmp.reference is not None and cmp.reference in infinite and finite:
        return f"No comparison with {one_line(cmp.reference)}: {why}"
    return f"No comparison by {cmp.title}: {why}"


def _two(cmp: Comparison) -> str:
    best, other = cmp.ranked
    c = cmp[best, other]
    p = deciding_p(c)
    a, b = one_line(best), one_line(other)
    figures = (
        f"{own_figure(cmp, cmp.estimates[best].estimate)} against {own_figure(cmp, cmp.estimates[other].estimate)}"
    )
    size = f"{points(cmp, c.estimate)}{unit(cmp)}, {_ci(cmp, c)}"
    if math.isnan(p):
        return f"{a} and {b} cannot be judged: {c.note}."
    if c.estimate == 0:
        lead = f"{_hollow(cmp)}No clear difference: {a} and {b} both have "
        lead += f"{own_figure(cmp, cmp.estimates[best].estimate)} {cmp.title}"
        if math.isinf(c.low) and math.isinf(c.high):
            return f"{lead}. Their scores never differ, so no limits can be given."
        return f"{lead}; {_ci(cmp, c)}{unit(cmp)} for the difference. That does not mean that they are equally good."
    close = " a close call." if cmp.facts.borderline else ""
    sure, hollow = surety(p, 1 - c.confidence), _hollow(cmp)
    if sure == "open":
        lead = "Too close to call"
    elif hollow:
        lead = f"{a} is {'' if sure == 'clear' else 'probably '}ahead of {b}"
    else:
        lead = f"{a} is {'' if sure == 'clear' else 'probably '}better"
    ahead = f" {a} is ahead," if sure == "open" else ""
    lead = (
        f"{lead};{close}{ahead} {figures} {cmp.title}: {size}."
        if close and sure != "clear"
        else f"{lead}:{ahead} {figures} {cmp.title}, {size}."
    )
    # A p-value without a statistic is that of the rows left out, counted against the lead.
    return f"{hollow}{lead}" if math.isnan(c.statistic) else f"{hollow}{lead} {_odds(cmp, c, a)}"


def _odds(cmp: Comparison, c: Contrast, winner: str) -> str:
    """The p-value as a picture: how often a split this uneven comes up by luck."""
    p = c.p_value
    often = one_time_in(p, at_most=bool(c.p_at_most))
    pairs = cmp.facts.counts(c.first, c.second) if statistic_of(c).of_rows else None
    if pairs is None:
        p_words = p_value(p, at_most=c.p_at_most)
        return f"If they were equally good, a gap this large would come up {often} ({p_words})."
    differ, won = pairs[1] + pairs[2], pairs[1]
    if differ == 0:
        return f"They never differ on these rows ({p_value(p)})."
    rows = "row" if differ == 1 else "rows"
    return (
        f"{winner} wins {whole(won)} of the {whole(differ)} {rows} on which they differ. If they were equally good, "
        f"a split this uneven would come up {often} ({p_value(p)})."
    )


def _ci(cmp: Comparison, c: Contrast) -> str:
    """The limits in a sentence."""
    return ci_words(c.low, c.high, c.confidence, lambda x: points(cmp, x), side=c.side)


def _many(cmp: Comparison, which: str = "") -> str:
    if cmp.reference is not None:
        return _against_reference(cmp, cmp.reference)
    best = cmp.ranked[0]
    title = f"{own_figure(cmp, cmp.estimates[best].estimate)} {cmp.title}"
    hollow = _hollow(cmp)
    if len(cmp.leaders) > 1:
        return hollow + _tied(cmp, title)
    others = [m for m in cmp.ranked[1:] if _compared(cmp, best, m)]
    worse = [m for m in others if cmp.better(best, m)]
    open_ = [m for m in others if m not in worse]
    word = "highest" if cmp.higher_is_better else "lowest"
    if not open_ and not worse:
        return f"{hollow}{one_line(best)} has the {word} estimate, {title}; it was not compared with the others."
    if not open_:
        all_ = "both" if len(worse) == 2 else f"all {len(worse)}"
        of = f" {which}" if which else ""
        sure = "" if all(_sure(cmp, best, m) == "clear" for m in worse) else "probably "
        lead = (
            f"{hollow}{one_line(best)} has the {word} {cmp.title}, {title}, {sure}better than {all_} others{of}."
            if hollow
            else f"{one_line(best)} is {sure}best, {title}: better than {all_} others{of}."
        )
        return f"{lead} The nearest is {_gap(cmp, best, worse[0])}."
    lead = f"{hollow}{_lead(cmp, best, open_, f'{word} estimate ({title})')}"
    if not worse:
        return f"{lead} The nearest is {_gap(cmp, best, open_[0])}."
    return f"{lead} {_worse(cmp, best, worse)}"


def _lead(cmp: Comparison, best: str, open_: list[str], what: str) -> str:
    """Too close to call: between whom, or of many models between how many."""
    who = one_line(best)
    if len(open_) > SHOWN_RIVALS:
        return f"Too close to call between {len(open_) + 1} of {len(cmp.models)}: {who} has the {what}."
    return f"Too close to call: {who} has the {what}, with no clear difference from {_names(open_)}."


def _sure(cmp: Comparison, first: str, second: str) -> Surety:
    c = cmp[first, second]
    return surety(deciding_p(c), 1 - c.confidence)


def _tied(cmp: Comparison, title: str) -> str:
    """Several models with the same best estimate: none of them is named as the best."""
    best, *tied = cmp.leaders
    rest = [m for m in cmp.ranked if m not in cmp.leaders]
    # Each pair has a p-value of its own, so a model may differ clearly from one leader and not from another.
    beaten = {m: [leader for leader in cmp.leaders if cmp.better(leader, m)] for m in rest}
    worse = [m for m in rest if len(beaten[m]) == len(cmp.leaders)]
    open_ = [m for m in rest if not beaten[m]]
    partly = [m for m in rest if beaten[m] and m not in worse]
    lead = f"{_names([best, *tied])} tie{' for the best estimate' if rest else ''}, {title} each"
    c = cmp[best, tied[0]]
    if len(tied) == 1 and math.isfinite(c.low) and math.isfinite(c.high):
        lead += f"; {_ci(cmp, c)}{unit(cmp)} for the difference"
    lead += ". That does not mean that they are equally good"
    words = [f"{lead}."]
    if open_:
        verb = "has" if len(open_) == 1 else "have"
        words.append(
            f"{_names(open_)} {verb} no clear difference from {'either' if len(tied) == 1 else 'any of them'}."
        )
    words += [f"{one_line(m)} is worse than {_names(beaten[m])}, with no clear difference from "
              f"{_names([x for x in cmp.leaders if x not in beaten[m]])}." for m in partly[:3]]  # fmt: skip
    if worse:
        words.append(_worse(cmp, best, worse))
    return " ".join(words)


def _against_reference(cmp: Comparison, reference: str) -> str:
    """The verdict where every model was compared with one of them alone."""
    others = [m for m in cmp.ranked if m != reference]
    groups = {
        "better": [m for m in others if cmp.better(m, reference)],
        "worse": [m for m in others if cmp.better(reference, m)],
    }
    groups["no clear difference"] = [m for m in others if m not in groups["better"] and m not in groups["worse"]]
    words = []
    for phrase, models in groups.items():
        if models:
            gaps = [f"{one_line(m)} {_size_of(cmp, m, reference)}" for m in models[:4]]
            more = f" and {len(models) - 4} more" if len(models) > 4 else ""
            sure = phrase in ("better", "worse") and any(_sure(cmp, m, reference) != "clear" for m in models)
            words.append(f"{'probably ' if sure else ''}{phrase}: {'; '.join(gaps)}{more}.")
    lead = f"Compared with {one_line(reference)} ({own_figure(cmp, cmp.estimates[reference].estimate)} {cmp.title}): "
    return lead + " ".join([words[0], *(capitalised(w) for w in words[1:])])


def _size_of(cmp: Comparison, model: str, reference: str) -> str:
    c = cmp[model, reference]
    size = f"{points(cmp, c.estimate)}{unit(cmp)}, {_ci(cmp, c)}"
    return f"({size}; {_decided(c)})"


def _decided(c: Contrast) -> str:
    """The p-value that decides, and whether it is adjusted."""
    return f"{'' if c.p_adjusted is None else 'adjusted '}{decided(c)}"


def _beside_zero(c: Contrast) -> list[float]:
    """The limits that are not 0 but for rounding."""
    return [x for x in (c.low, c.high) if math.isfinite(x) and abs(x) > NEGLIGIBLE * (c.high - c.low)]


def _of_two(contrasts: Mapping[tuple[str, str], Contrast], first: str, second: str) -> Contrast | None:
    """First − second, whichever way round it was taken; None of two that were not compared."""
    if (c := contrasts.get((first, second))) is not None:
        return c
    return None if (c := contrasts.get((second, first))) is None else mirrored(c)


def _compared(cmp: Comparison, a: str, b: str) -> bool:
    return cmp.reference is None or cmp.reference in (a, b)


def _worse(cmp: Comparison, best: str, worse: list[str]) -> str:
    """Who is behind, and by how much the nearest of them."""
    how = worse_words(cmp, best, worse)
    if len(worse) == 1:
        return f"{one_line(worse[0])} is {how}: {_distance(cmp, best, worse[0])}."
    who = f"The other {len(worse)}" if len(worse) > SHOWN_RIVALS else _names(worse)
    return f"{who} are {how}: the nearest is {_gap(cmp, best, worse[0])}."


def worse_words(cmp: Comparison, best: str, worse: Sequence[str]) -> str:
    """How surely models are worse than the best one; of several by count where they differ in that."""
    clear = sum(_sure(cmp, best, m) == "clear" for m in worse)
    if clear in (0, len(worse)):
        return "worse" if clear else "probably worse"
    return f"worse, {'one' if clear == 1 else clear} of them clearly"


def _gap(cmp: Comparison, best: str, other: str) -> str:
    return f"{one_line(other)}, {_distance(cmp, best, other)}"


def _distance(cmp: Comparison, best: str, other: str) -> str:
    c = cmp[other, best]
    size = f"{points(cmp, c.estimate)}{unit(cmp)} from {one_line(best)}"
    return f"{size}, {_ci(cmp, c)} ({_decided(c)})"


def _names(names: Sequence[str]) -> str:
    return some([one_line(name) for name in names])


def _with_chance(cmp: Comparison) -> bool:
    """Whether P(better) is shown: of one pair alone, where nothing is adjusted for having looked at others."""
    return len(cmp.pairs) == 1 and cmp.pairs[0].p_better is not None


def _differences_table(cmp: Comparison, shown: Sequence[Contrast]) -> Table:
    """Pairs: difference, interval, p-value, and the chance of being better if it is known."""
    many = len(cmp.pairs) > 1 and cmp.adjust != "none"
    rows, places = [], cmp._decimals_for(shown)
    for c in shown:
        chance, gap = "" if c.p_better is None else chance_words(c.p_better), points(cmp, c.estimate, places)
        rows.append((c.first, c.second, gap, _limits(cmp, c, places), p_cell(decided(c)), chance))
    head = f" ({unit(cmp).strip()})" if unit(cmp) else ""
    columns = (
        "first", "second", f"first − second{head}", f"{percent(cmp.confidence)} CI", "adjusted p" if many else "p",
        "P(better), flat prior",
    )  # fmt: skip
    last = len(columns) if _with_chance(cmp) else -1
    return Table(columns=columns[:last], rows=tuple(row[:last] for row in rows), names=2)


def _limits(cmp: Comparison, c: Contrast, places: int | None = None) -> str:
    """The limits of a pair in brackets, where it has some."""
    if math.isnan(c.low) or math.isnan(c.high):
        return "none"
    return f"[{points(cmp, c.low, places)}, {points(cmp, c.high, places)}]"


def _shown_pairs(cmp: Comparison) -> list[Contrast]:
    """The pairs that differ from no one model together: all of a few, else those with the best (or the reference)."""
    chosen, first = _every_pair(cmp), cmp.reference or cmp.ranked[0]
    return chosen if len(chosen) <= 10 else [c for c in chosen if c.first == first] or chosen[:10]


def _every_pair(cmp: Comparison) -> list[Contrast]:
    """All pairs as they are judged, the better model first, best models first."""
    place = {m: i for i, m in enumerate(cmp.ranked)}
    chosen = [cmp[c.first, c.second] if place[c.first] < place[c.second] else cmp[c.second, c.first] for c in cmp.pairs]
    return sorted(chosen, key=lambda c: (place[c.first], place[c.second]))


def _models_table(cmp: Comparison) -> Table:
    """Each model's own estimate, best first, and its tiers as letters."""
    letters, share = tier_letters(cmp), cmp.facts.share
    own = cmp._decimals if share else common_decimals(cmp.estimates.values())
    cells = {m: short_percent(i, own) if share else short(i, own) for m, i in cmp.estimates.items()}
    rows = tuple((m, *([letters[m]] if letters else []), cells[m]) for m in cmp.ranked)
    last = 2 if letters else 1
    # Bold says that the order is clear: no other model may be as good.
    all_judged = cmp.reference is None or len(cmp.models) == 2
    clear = len(cmp.leaders) == 1 and all_judged and all(cmp.better(cmp.best, m) for m in cmp.ranked[1:])
    best = ((0, last),) if clear else ()
    limits_of = f"[{percent(cmp.confidence)} CI]"
    columns: tuple[str, ...] = (*("model", "tier")[:last], f"{cmp.title}{', %' * cmp.facts.share} {limits_of}")
    if cmp._anchor:
        gaps = {m: cmp[m, cmp._anchor] for m in cmp.ranked if m != cmp._anchor}
        places, whom = cmp._decimals_for([*gaps.values()]), "reference" if cmp.reference else "best"
        judged = {m: (f"{points(cmp, c.estimate, places)} {_limits(cmp, c, places)}", p_cell(decided(c)))
                  for m, c in gaps.items()}  # fmt: skip
        rows = tuple((*row, *judged.get(m, ("", ""))) for m, row in zip(cmp.ranked, rows, strict=True))
        columns = (*columns, f"difference from the {whom}{',' * bool(unit(cmp))}{unit(cmp)} {limits_of}", "adjusted p")
    return Table(columns=columns, rows=rows, best=best, names=last)


SHARED = ("Models that share a letter show no clear difference.",)


def tier_letters(cmp: Comparison) -> dict[str, str]:
    """The tiers of each model as letters, a the best one; {} where there are none to tell, or more than letters."""
    return {} if cmp.reference is not None else letters_of(cmp.models, cmp.tiers)


def letters_of(models: Sequence[str], tiers: Sequence[Sequence[str]]) -> dict[str, str]:
    """A letter for each group without a clear difference, a the best one; four or more in a row as a range.

    Nothing where there are two models, one group, or more groups than letters.
    """
    if len(models) < 3 or not 1 < len(tiers) <= len(ascii_lowercase):
        return {}
    out = {}
    for m in models:
        places = [i for i, tier in enumerate(tiers) if m in tier]
        letters = "".join(ascii_lowercase[i] for i in places)
        unbroken = len(places) > 3 and places[-1] - places[0] == len(places) - 1
        out[m] = f"{letters[0]}–{letters[-1]}" if unbroken else letters
    return out


def tiers(cmp: Comparison) -> Paragraph:
    """The tiers, where there are more than two models."""
    if len(cmp.models) < 3 or cmp.reference is not None or all(len(tier) == 1 for tier in cmp.tiers):
        return Paragraph(())
    lines = [f"  {i + 1}. {', '.join(one_line(m) for m in tier)}" for i, tier in enumerate(cmp.tiers[:8])]
    return Paragraph(("Groups without a clear difference between any two, best first:", *lines), hanging="     ")


def alike_within_margin(cmp: Comparison) -> Paragraph:
    """Whether pairs are alike within the margin; of several pairs by p-values that are adjusted for their number."""
    lines = []
    for c in cmp.within_margin[:8]:
        p = deciding_p(c)
        word = "cannot be judged" if math.isnan(p) else "shown" if p <= 1 - cmp.confidence else "not shown"
        lines.append(
            f"{one_line(c.first)} and {one_line(c.second)} alike within ±{points(cmp, cmp.margin or 0).lstrip('+')}"
            f"{unit(cmp)}: {word}{'' if math.isnan(p) else f' ({_decided(c)})'}."
        )
    if len(cmp.within_margin) > 1 and cmp.within_margin[0].p_adjusted is not None:
        lines.append(f"These p-values are adjusted over the {len(cmp.within_margin)} pairs ({cmp.adjust}).")
    return Paragraph(tuple(lines))


def _shown_pair(cmp: Comparison) -> tuple[str, str]:
    """The pair that a table of slices shows: the leader and the reference, or the leader and the next."""
    if cmp.reference is not None:
        other = next(m for m in cmp.ranked if m != cmp.reference)
        return other, cmp.reference
    return cmp.ranked[0], cmp.ranked[1]


def slice_words(cmp: Comparison) -> tuple[str, ...]:
    """The slices that say something else than all rows do: a clear difference where there is none, or the other way."""
    first, second = _shown_pair(cmp)
    words, shown = [], key_names(cmp.slices)
    for value, inner in cmp.slices.items():
        ahead, behind = (first, second) if inner.better(first, second) else (second, first)
        if not inner.better(ahead, behind) or (cmp.told_apart(first, second) and ahead == first):
            continue
        c, sure = inner[ahead, behind], "probably " if _sure(inner, ahead, behind) == "probable" else ""
        size = f"{points(cmp, c.estimate)}{unit(cmp)}, {_decided(c)}"
        words.append(
            f'in "{one_line(shown[value])}" {one_line(ahead)} is {sure}better than {one_line(behind)} ({size})'
        )
    return (f"But {some(words, 3)}.",) if words else ()


def slices_table(cmp: Comparison) -> Table:
    """The difference of two models in each slice."""
    first, second = _shown_pair(cmp)
    rows, shown = [], key_names(cmp.slices)
    places = cmp._decimals_for([inner[first, second] for inner in cmp.slices.values()])
    for value, inner in list(cmp.slices.items())[:SHOWN_SLICES]:
        c = inner[first, second]
        gap, reach = points(cmp, c.estimate, places), _limits(cmp, c, places)
        rows.append((shown[value], whole(int(c.n or 0)), gap, reach, p_cell(decided(c))))
    more = "" if len(cmp.slices) <= SHOWN_SLICES else f" (the first {SHOWN_SLICES} of {len(cmp.slices):,})"
    what = f"points of {cmp.title}" if cmp.facts.share else f"{cmp.title}{unit(cmp)}"
    title = f"{one_line(first)} − {one_line(second)} in {what}, by slice{more}"
    several = sum(len(inner.pairs) for inner in cmp.slices.values()) > 1 and cmp.adjust != "none"
    columns = ("slice", "rows", "difference", f"{percent(cmp.confidence)} CI", "adjusted p" if several else "p")
    return Table(columns=columns, rows=tuple(rows), title=filled(title, WIDTH))


def slices_block(cmp: Comparison) -> Block:
    """The table, slices that were left out, and that a difference in one slice alone proves no interaction."""
    left_out = (cmp.facts.slices_left_out or {}).items()
    lines = [f"Left out: {one_line(str(value))}, {one_line(reason)}." for value, reason in left_out]
    if len(cmp.slices) > 1:
        count = sum(len(inner.pairs) for inner in cmp.slices.values())
        if cmp.adjust != "none":
            lines.append(f"Intervals and p-values are adjusted over all {count} ({cmp.adjust}).")
        lines.append("A difference in one slice and none in another does not show that the slices differ.")
    return TableBlock(slices_table(cmp), beneath=tuple(lines)) if cmp.slices else Paragraph(tuple(lines))


def _footer_lines(cmp: Comparison) -> tuple[str, ...]:
    methods = listing(list(dict.fromkeys(c.method for c in cmp.pairs)))
    how = f"Methods: {methods}{_family(cmp)}. Use .explain() for formulas and assumptions."
    prior_lines = (PRIOR_WORDS,) if _with_chance(cmp) else ()
    return (*((cmp.estimand,) if cmp.estimand else ()), *prior_lines, how)


def together_words(cmp: Comparison) -> str:
    """Whether the limits in a picture of differences hold together, after the word "intervals"."""
    if cmp.simultaneous:
        return f" and p-values that hold together for all {len(cmp.simultaneous)} differences"
    if len(cmp.pairs) > 1 and cmp.adjust != "none":
        return f" and p-values adjusted for {len(cmp.pairs)} pairs ({cmp.adjust})"
    return ""


def _family(cmp: Comparison) -> str:
    """Over how many differences limits and p-values hold."""
    if len(cmp.pairs) < 2:
        return ""
    if not cmp.simultaneous:
        how = f"adjusted for {len(cmp.pairs)} pairs ({cmp.adjust})" if cmp.adjust != "none" else "of each pair alone"
        return f". Intervals and p-values are {how}"
    best = "the reference" if cmp.reference is not None else "the best"
    picked = "" if cmp.reference is not None else f" and allow for picking the best of {len(cmp.models)} (max-t)"
    words = f". Intervals and p-values hold together for the {len(cmp.simultaneous)} differences from {best}{picked}"
    return words + (f". Other pairs: {cmp.adjust}" if len(cmp.pairs) > len(cmp.simultaneous) else "")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Differences(DocumentResult, saved=False):
    """Where two models differ: first − second in each class, or in each cell (true class, predicted class).

    `of[i]` is the class, or the cell, of `contrasts[i]`, `values[i]` the two models' own figures there. Those of which
    the models differ clearly are `told_apart`, the largest difference first.
    """

    what: str
    first: str
    second: str
    of: tuple[tuple[Label, ...], ...]
    contrasts: tuple[Contrast, ...]
    values: tuple[tuple[float, float], ...]
    left_out: tuple[Label, ...] = ()
    confidence: float = 0.95
    adjust: str = "holm"

    def __getitem__(self, key: Any) -> Contrast:
        wanted = key if isinstance(key, tuple) else (key,)
        for place, c in zip(self.of, self.contrasts, strict=True):
            if place == wanted:
                return c
        raise InputError(f"there is no {_place(wanted)!r} here; there are {some([_place(p) for p in self.of])}")

    @property
    def told_apart(self) -> tuple[tuple[Label, ...], ...]:
        """The classes or cells that differ clearly, the largest difference first."""
        clear_pairs = [(p, c) for p, c in zip(self.of, self.contrasts, strict=True) if significantly_different(c)]
        return tuple(p for p, _ in sorted(clear_pairs, key=lambda pair: -abs(pair[1].estimate)))

    @property
    def verdict(self) -> str:
        """Where they differ, and how sure that is."""
        noun = "class" if self.what else "confusion"
        if not self.of:
            return f"{one_line(self.first)} and {one_line(self.second)} make the same errors."
        many = f"{len(self.of)} {noun}{'es' if self.what else 's'}" if len(self.of) != 1 else f"one {noun}"
        words = [self._sentence(place) for place in self.told_apart[:3]]
        if not words:
            return f"No clear difference between {one_line(self.first)} and {one_line(self.second)} in any of {many}."
        rest = len(self.told_apart) - len(words)
        more = f" {rest} more differ clearly." if rest else ""
        adjusted = "" if self.adjust == "none" else f" The p-values are adjusted over {many} ({self.adjust})."
        return f"{' '.join(words)}{more}{adjusted}"

    def _sentence(self, place: tuple[Label, ...]) -> str:
        c, (a, b) = self[place], self.values[self.of.index(place)]
        who, other = one_line(self.first), one_line(self.second)
        if self.what:
            what = capitalised(self.what)
            return f'{what} of "{_place(place)}": {who} {number(a)}, {other} {number(b)} ({_decided(c)}).'
        truth, called = (one_line(str(x)) for x in place)
        often, of = "more" if c.estimate > 0 else "less", f"of {whole(int(c.n or 0))} rows ({_decided(c)})"
        share = f"{percents(a)} against {percents(b)} %"
        return f'{who} takes "{truth}" for "{called}" {often} often than {other}: {share} {of}.'

    def records(self) -> list[dict[str, object]]:
        """One record for each class or cell."""
        names = ("class",) if self.what else ("truth", "called")
        return [
            {**dict(zip(names, place, strict=True)), self.first: a, self.second: b, "difference": c.estimate,
             "low": c.low, "high": c.high, "p": c.p_value, "p_adjusted": c.p_adjusted, "n": c.n}
            for place, c, (a, b) in zip(self.of, self.contrasts, self.values, strict=True)
        ]  # fmt: skip

    def document(self) -> Document:
        head = ("class",) if self.what else ("truth", "called")
        order = sorted(range(len(self.of)), key=lambda i: (deciding_p(self.contrasts[i]), i))[:SHOWN_SLICES]
        rows = tuple(
            (*map(str, self.of[i]), whole(int(c.n or 0)), number(a), number(b), signed(c.estimate),
             "none" if math.isnan(c.low) else limits(c.low, c.high), p_cell(decided(c)))
            for i in order for c, (a, b) in [(self.contrasts[i], self.values[i])]
        )  # fmt: skip
        p = "p" if self.adjust == "none" else "adjusted p"
        columns = (
            *head, "rows", self.first, self.second, "first − second", f"{percent(self.confidence)} CI", p
        )  # fmt: skip
        more = "" if len(order) == len(self.of) else f" (the {len(order)} with the smallest p of {len(self.of)})"
        title = f"{capitalised(self.what)} of each class{more}:"
        title = title if self.what else f"How often a class is taken for another{more}:"
        gone = (f"Left out, undefined for a model: {some([str(x) for x in self.left_out])}.",) if self.left_out else ()
        methods = listing(list(dict.fromkeys(c.method for c in self.contrasts)))
        table = Table(columns=columns, rows=rows, title=title, names=len(head))
        footer = (f"Methods: {methods}.",) if rows else ()
        return page("", (self.verdict,), TableBlock(table) if rows else None, Paragraph(gone), footer=footer)


def _place(place: Sequence[Label]) -> str:
    return " predicted as ".join(one_line(str(x)) for x in place)


def class_differences(rows: PairedRows, pair: Pair, metric: str, confidence: float, adjust: str) -> Differences:
    """A metric of one class, in each class that occurs."""
    measure = find_measure(metric)
    if not measure.of_one_class:
        raise InputError(f"{measure.name} is not of one class; ask for recall, precision or f1")
    spec, p, k = IntervalSpec(confidence=confidence), rows.p, [i for i, n in enumerate(rows.p.truth_counts()) if n]
    tables = [p.confusion(m, threshold=rows.threshold) for m in pair]
    contrasts, by_class, left_out = [], [], []
    for label in (p.labels[i] for i in k):
        one, two = (metric_value(measure, table, positive=label) for table in tables)
        figures = one, two
        if any(map(math.isnan, figures)):
            left_out.append(label)
            continue
        of_class = PairedRows(p, measure, {}, threshold=rows.threshold, of_class=label)
        contrasts.append(of_class.contrast(*pair, spec))
        by_class.append((label, figures))
    return Differences(
        what=measure.title, first=pair[0], second=pair[1], of=tuple((label,) for label, _ in by_class),
        contrasts=tuple(adjust_contrasts(contrasts, adjust, every=True, whole=(-1.0, 1.0))),
        values=tuple(f for _, f in by_class),
        left_out=tuple(left_out), confidence=confidence, adjust=adjust,
    )  # fmt: skip


def confusion_differences(rows: PairedRows, pair: Pair, confidence: float, adjust: str) -> Differences:
    """Each cell of the confusion matrices that holds other rows of one model than of the other."""
    if rows.clustered or rows.p.repeated:
        raise InputError(
            "cells() takes rows to be independent, and these are in clusters, weighted or repeated: classes() allows "
            "for that"
        )
    cells = cell_differences(rows.p.agreement(*pair, threshold=rows.threshold), IntervalSpec(confidence=confidence))
    return Differences(
        what="", first=pair[0], second=pair[1], of=tuple((d.truth, d.called) for d in cells),
        contrasts=tuple(
            replace(c, first=pair[0], second=pair[1])
            for c in adjust_contrasts([d.contrast for d in cells], adjust, every=True, whole=(-1.0, 1.0))
        ),
        values=tuple((d.counts[0] / d.rows, d.counts[1] / d.rows) for d in cells), confidence=confidence, adjust=adjust,
    )  # fmt: skip
