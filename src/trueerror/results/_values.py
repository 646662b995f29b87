"""The small values: an interval, a contrast of two, an omnibus test, a posterior, and the notes beside them.

Notes are values: a code with what it speaks of travels beside a result, and its sentence is written once, here. Code
that must know why an interval is what it is reads `Interval.notes`; nothing reads a sentence back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from trueerror.results._document import Cell, Result
from trueerror.results._format import (
    common_format,
    decimals_apart,
    estimate_and_limits,
    figures,
    number,
    p_cell,
    p_value,
    percent,
    whole,
    with_limits,
)

if TYPE_CHECKING:
    from trueerror.results._document import Table

Side = Literal["two-sided", "lower", "upper"]
Alternative = Literal["two-sided", "greater", "less"]
Df = float | tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Note:
    """Why a part of a result is NaN, or which way was taken: a code of `SENTENCES`, and the values to fill it with."""

    code: str
    values: tuple[object, ...] = ()

    def __str__(self) -> str:
        return SENTENCES[self.code](*self.values)

    def within(self) -> Iterator[Note]:
        """This note, and those among its values."""
        yield self
        for value in self.values:
            if isinstance(value, Note):
                yield from value.within()


def sentences_of(notes: Iterable[Note | str | None]) -> str:
    """The sentences of several notes in one; None and "" are left out."""
    return "; ".join(str(note) for note in notes if note)


def joined_notes(*notes: Note | str | None) -> str:
    """The same of notes one by one.

    >>> joined_notes("few rows", "", "binned scores")
    'few rows; binned scores'
    """
    return sentences_of(notes)


def _effective_rows(size: float) -> str:
    return whole(float(round(size)))


def _always(words: str) -> Callable[[], str]:
    return lambda: words


SENTENCES: dict[str, Callable[..., str]] = {
    code: _always(words)
    for code, words in {
        "no-spread": "the counts show no spread, so no limits can be given",
        "given-by-prior": "given by prior=, not estimated",
        "no-rows": "there are no rows",
        "class-in-one-cluster": "one cluster holds all rows of a class, or all calls of it: without it the metric has "
        "no value, so the limits are the ends of its range",
        "one-cluster": "all rows are in one cluster, so nothing shows how clusters differ",
        "half-added": "a count is 0: the limits come from counts with ½ added to each",
        "zero-count": "a count is 0, so no limits can be given",
        "no-variance": "the rows show no variance",
        "labels-dependent": "labels of one row may depend on each other: the limits are the mean of the labels' limits",
        "labels-by-rows": "labels of one row may depend on each other: each row counts as one decision",
        "labels-need-rows": "the counts do not show how the labels of a row depend on each other",
        "flat-resamples": "the bootstrap limits have no width",
        "no-pairs-of-ratings": "no item was rated by two raters",
        "constant-rater": "a rater gave all items one label, so agreement is that of chance whatever the others said",
        "one-label": "all ratings are the same label, so nothing shows how raters agree on others",
        "one-item": "one item shows no spread, so there is no interval",
    }.items()
} | {
    "simultaneous": lambda level: f"holds together with others, at {percent(level)}",
    "few-other-labels": lambda items, label: (
        f"{'no item has' if not items else 'one item has' if items == 1 else f'{items} items have'} a label besides "
        f"{label!r}: wide limits"
    ),
    "labels-not-random": lambda p: (
        f"the judge answers otherwise on the labelled rows than on the others ({p_value(p)}), so they are no random "
        "sample: say how they were drawn, by their chances (inclusion) or strata"
    ),
    "never-beaten": lambda who: (
        f"no finite strengths are the likeliest ({who}): a penalised fit (Firth's) keeps them finite; trust the limit "
        "on the near side"
    ),
    "no-width": lambda method: f"{method} has no width here",
    "clusters": lambda groups: f"{whole(groups)} clusters",
    "clusters-worth": lambda g, size: f"{whole(g)} clusters, effective sample size {_effective_rows(size)} rows",
    "weights-worth": lambda size: f"weights: effective sample size {_effective_rows(size)} rows",
    "lost-resamples": lambda lost: f"{percent(lost)} of the resamples had no value, as where a class was lost",
    "normal-model": lambda n, npq, instead: (
        f"TE203: the normal model needs n ≥ 30 and n·p·(1 − p) ≥ 5, here {whole(n)} and {number(npq)}; use {instead}"
    ),
    "instead-of-bootstrap": lambda why, method: f"{why}: {method} instead of the bootstrap",
}  # fmt: skip


class _Noted(Result):
    """A result that still knows the notes which its `note` was written from; they are not written down with it.

    Nor are the degrees of freedom of the t that limits were made with.
    """

    __slots__ = ("_df", "_notes")
    _notes: tuple[Note, ...]
    _df: float

    @property
    def notes(self) -> tuple[Note, ...]:
        """What `note` says, as codes with values; empty for a result that was read back."""
        return getattr(self, "_notes", ())

    @property
    def _limits_df(self) -> float:
        return getattr(self, "_df", math.inf)

    def _keep_notes(self, notes: tuple[Note, ...], df: float = math.inf) -> None:
        object.__setattr__(self, "_notes", notes)
        object.__setattr__(self, "_df", df)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Interval(_Noted):
    """A number and where the true one may lie.

    `note` says why a part is NaN or which fallback was taken; `estimand` says of what the true number is meant.

    >>> x = Interval(name="accuracy", estimate=0.75, low=0.65, high=0.83, confidence=0.95, method="wilson", n=80)
    >>> float(x)
    0.75
    >>> print(x)
    accuracy 0.750 [0.650, 0.830], 95 % wilson, n = 80
    """

    name: str = "estimate"
    estimate: float
    low: float
    high: float
    confidence: float = 0.95
    side: Side = "two-sided"
    method: str = ""
    n: float | None = None
    note: str = ""
    estimand: str = ""

    def __post_init__(self) -> None:
        for field in ("estimate", "low", "high", "confidence"):
            object.__setattr__(self, field, float(getattr(self, field)))
        if self.n is not None:
            size = float(self.n)
            object.__setattr__(self, "n", int(size) if size.is_integer() else size)

    def __float__(self) -> float:
        return self.estimate

    @property
    def width(self) -> float:
        """high − low."""
        return self.high - self.low

    def __str__(self) -> str:
        size = "" if self.n is None else f", n = {whole(self.n)}"
        side = {"lower": " lower limit", "upper": " upper limit"}.get(self.side, "")
        note = f" ({self.note})" if self.note else ""
        how = f"{percent(self.confidence)} {self.method}{side}".rstrip()
        return f"{self.name} {with_limits(self.estimate, self.low, self.high)}, {how}{size}{note}"

    def _table(self) -> Table:
        from trueerror.results._document import Table

        head = ("", "estimate", f"{percent(self.confidence)} CI", "method", "n")
        size = "" if self.n is None else whole(self.n)
        row = (self.name, *estimate_and_limits(self.estimate, self.low, self.high), self.method, size)
        return Table(columns=head, rows=(row,))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


# Half a row (or cluster) more is what a boundary pseudo-count adds (Haldane 1956, Jeffreys): a difference that it would
# undo is called fragile.
HALF_A_UNIT = 0.5


def undone_in_words(undone_by: float, unit: str | None) -> str:
    """How little would undo a difference; the unit is a row where none is named."""
    what = unit or "row"
    return f"one more {what} of the worst kind would undo it ({max(undone_by, 0.01):.2f} of a {what} is enough)"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Contrast(Interval):
    """First minus second: a difference, its interval and a test of no difference.

    If several were compared, `low`, `high` and `p_adjusted` allow for their number. `alone()` has the limits of this
    difference by itself, which go with `p_value`. `p_better` is a flat-prior posterior probability that the first is
    better, None where it is not computed. `p_at_most` is True where the p-value is the smallest that so many
    replicates, or a search, can show, so that the true one may be less. `undone_by` is about how many more rows (or
    what `undone_unit` names) of the kind that hurts most would undo what the limits say, None where that is not known:
    half of one or less makes it fragile.
    """

    first: str = "first"
    second: str = "second"
    statistic: float = math.nan
    df: Df = None
    p_value: float = math.nan
    p_adjusted: float | None = None
    alternative: Alternative = "two-sided"
    p_better: float | None = None
    p_at_most: bool | None = None
    undone_by: float | None = None
    undone_unit: str | None = None
    low_alone: float = math.nan
    high_alone: float = math.nan

    def __post_init__(self) -> None:
        Interval.__post_init__(self)
        for field in ("statistic", "p_value", "p_adjusted", "p_better", "undone_by", "low_alone", "high_alone"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, float(getattr(self, field)))
        object.__setattr__(self, "df", _plain_df(self.df))

    def alone(self) -> Contrast:
        """The same difference as if no other had been looked at: its own limits, and no adjusted p-value."""
        low, high = (self.low, self.high) if math.isnan(self.low_alone) else (self.low_alone, self.high_alone)
        return replace(self, low=low, high=high, low_alone=math.nan, high_alone=math.nan, p_adjusted=None)

    def _p_words(self) -> str:
        """The p-value that goes with the limits; an adjusted one beside limits of this difference alone says so."""
        if self.p_adjusted is None:
            return p_value(self.p_value, at_most=self.p_at_most)
        own = "" if not math.isnan(self.low_alone) else f"{p_value(self.p_value, at_most=self.p_at_most)}, "
        return f"{own}adjusted {p_value(self.p_adjusted, at_most=self.p_at_most)}"

    @property
    def fragile(self) -> bool:
        """Whether half a row (or cluster) more of the kind that hurts most would undo a difference that is shown."""
        return self.undone_by is not None and self.undone_by <= HALF_A_UNIT and significantly_different(self)

    def __str__(self) -> str:
        size = "" if self.n is None else f", n = {whole(self.n)}"
        fragile = f"fragile: {undone_in_words(self.undone_by or 0.0, self.undone_unit)}" if self.fragile else ""
        note = f" ({notes})" if (notes := joined_notes(fragile, self.note)) else ""
        _, reach = estimate_and_limits(self.estimate, self.low, self.high)
        estimate = common_format(self.estimate, self.low, self.high, sign=True)(self.estimate)
        return (
            f"{self.name}: {self.first} − {self.second} = {estimate} {reach}, "
            f"{percent(self.confidence)} {self.method}, {self._p_words()}{size}{note}"
        )

    def _table(self) -> Table:
        from trueerror.results._document import Table

        head = ("", "difference", f"{percent(self.confidence)} CI", "p", "method", "n")
        p = p_cell(decided(self)) + ("" if self.p_adjusted is None else " adjusted")
        size = "" if self.n is None else whole(self.n)
        name = f"{self.name}: {self.first} − {self.second}"
        row = (name, *estimate_and_limits(self.estimate, self.low, self.high), p, self.method, size)
        return Table(columns=head, rows=(row,))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Test(Result):
    """An omnibus test: is there any difference among several?"""

    __test__ = False  # not a test class for pytest

    name: str
    statistic: float
    df: Df = None
    p_value: float
    method: str = ""
    n: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "statistic", float(self.statistic))
        object.__setattr__(self, "p_value", float(self.p_value))
        object.__setattr__(self, "df", _plain_df(self.df))
        object.__setattr__(self, "n", None if self.n is None else int(self.n))

    def __str__(self) -> str:
        df = "" if self.df is None else f" on {_df_words(self.df)} degrees of freedom"
        note = f" ({self.note})" if self.note else ""
        return f"{self.name}: {number(self.statistic)}{df}, {p_value(self.p_value)}{note}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Posterior(Result):
    """The sign of a difference, as three posterior probabilities that add to one.

    `left`: the second is better by more than the region of practical equivalence; `rope`: no difference that
    matters; `right`: the first is better.
    """

    name: str = "difference"
    left: float
    rope: float
    right: float
    rope_width: float = 0.0
    method: str = ""
    n: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for field in ("left", "rope", "right", "rope_width"):
            object.__setattr__(self, field, float(getattr(self, field)))

    def __str__(self) -> str:
        return (
            f"{self.name}: second better {number(self.left)}, practically the same {number(self.rope)} "
            f"(within ±{number(self.rope_width)}), first better {number(self.right)}"
            + (f" ({self.note})" if self.note else "")
        )


def short(interval: Interval, decimals: int | None = None) -> str:
    """Estimate and limits, where it has some; `decimals` are those of a column.

    >>> short(Interval(estimate=0.956, low=0.9213, high=0.9759))
    '0.956 [0.921, 0.976]'
    """
    if math.isnan(interval.low):
        return figures(interval.estimate, decimals=decimals)[0]
    return with_limits(interval.estimate, interval.low, interval.high, decimals=decimals)


def short_percent(interval: Interval, decimals: int | None = None) -> str:
    """The same in percent, the unit of words about shares.

    >>> short_percent(Interval(estimate=0.956, low=0.9213, high=0.9759))
    '95.6 [92.1, 97.6]'
    """
    if not all(map(math.isfinite, (interval.estimate, interval.low, interval.high))):
        return short(interval)
    three = (interval.estimate, interval.low, interval.high)
    return "{} [{}, {}]".format(*figures(*three, least=1, power=2, decimals=decimals))


def interval_cell(interval: Interval | None, missing: str = "–", decimals: int | None = None) -> Cell:
    """The same in a table that is sorted by the estimate; `missing` where there is none."""
    if interval is None:
        return missing, None
    return short(interval, decimals), None if math.isnan(interval.estimate) else interval.estimate


def common_decimals(intervals: Iterable[Interval | None], least: int = 3, power: int = 0) -> int:
    """The decimals for a column of intervals: those of the one that takes most.

    >>> common_decimals([Interval(estimate=0.5, low=0.45, high=0.55), Interval(estimate=0.9, low=0.8996, high=0.9004)])
    4
    """
    known = [i for i in intervals if i is not None and not math.isnan(i.estimate)]
    return max((decimals_apart(i.estimate, i.low, i.high, least=least, power=power) for i in known), default=least)


def deciding_p(c: Contrast) -> float:
    """The p-value that decides: adjusted where pairs were adjusted."""
    return c.p_value if c.p_adjusted is None else c.p_adjusted


# p-values up to here are called clear; between here and the level, probable.
CLEAR = 0.005
Surety = Literal["clear", "probable", "open"]


def surety(p: float, level: float) -> Surety:
    """How sure a difference is, by the one rule that all verdicts follow: clear, probable, or too close to call.

    >>> surety(0.001, 0.05), surety(0.03, 0.05), surety(0.2, 0.05), surety(math.nan, 0.05)
    ('clear', 'probable', 'open', 'open')
    """
    if not p <= level + 1e-12:
        return "open"
    return "clear" if p <= CLEAR else "probable"


def significantly_different(c: Contrast) -> bool:
    """Whether a pair's adjusted p-value is at or below 1 − confidence."""
    return deciding_p(c) <= 1 - c.confidence + 1e-12


def decided(c: Contrast) -> str:
    """The p-value that decides, in words."""
    return p_value(deciding_p(c), at_most=c.p_at_most)


def _plain_df(df: Df) -> Df:
    if isinstance(df, tuple):
        return float(df[0]), float(df[1])
    return None if df is None else float(df)


def _df_words(df: float | tuple[float, float]) -> str:
    return " and ".join(f"{d:.4g}" for d in df) if isinstance(df, tuple) else f"{df:.4g}"
