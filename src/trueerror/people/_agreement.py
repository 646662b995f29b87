"""How far raters agree (`te.agreement`): per-cent agreement, Cohen, Fleiss, Gwet, Krippendorff, with their limits.

Items are a random sample, raters are these. Each coefficient is 1 − D/E, the disagreement seen over the disagreement
expected by chance, and a function of sums over items. What one more item adds to it follows in closed form, and its
limits are those of the effective t (`_estimate`): the standard error is found with half an item more of the kind that
lowers, or raises, the coefficient most.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._designs import HALF
from trueerror.inference._effective_t import effective_t_limits
from trueerror.inference._estimate import Estimate
from trueerror.inference._label_tables import TIED
from trueerror.inference._problem import IntervalSpec
from trueerror.inputs._arrays import LARGEST, Column, Floats, column, missing_rows, plain_numbers, same_length
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, check_confidence, check_word, in_few_words, nearest
from trueerror.results import DocumentResult, Interval, Table
from trueerror.results._document import Bullets, Document, TableBlock, page
from trueerror.results._format import (
    capitalised,
    ci_words,
    common_format,
    listing,
    number,
    one_line,
    percent,
    some,
    whole,
)
from trueerror.results._values import Note, interval_cell, short
from trueerror.sources._open_tables import check_table_name, file_table, open_frame
from trueerror.sources._table_types import is_table
from trueerror.sources._tables import need_column
from trueerror.sources.columns._names import bare

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable

Codes = NDArray[np.int64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic", "ordinal", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic", "ordinal", "ratio")
# What a level of measurement makes of two different labels, unless weights are named.
OF_LEVEL: dict[Level, Weights] = {"nominal": "none", "ordinal": "linear", "interval": "quadratic", "ratio": "ratio"}
# More labels than this are measurements, of which only Krippendorff's alpha is told.
MOST_LABELS = 60
# Krippendorff's (2004) bars: labels for tentative conclusions, and labels to rely on.
BARS = (0.667, 0.8)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who said what of which item: `codes` is items × raters, −1 where a rater did not rate; labels in order.

    A row stands for `times` items.
    """

    codes: Codes
    labels: tuple[object, ...]
    raters: tuple[str, ...]
    values: Floats | None
    times: Floats

    @cached_property
    def each(self) -> Floats:
        """How many raters rated each item."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=float)

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Items with two ratings or more."""
        return np.asarray(self.each >= 2)

    @property
    def items(self) -> int:
        """How many items have two ratings or more."""
        return int(self.times[self.pairable].sum())

    @property
    def scale(self) -> Floats:
        """The labels as numbers: their own values, else their places 1, 2, …"""
        return np.arange(1.0, len(self.labels) + 1) if self.values is None else self.values

    def grouped(self) -> Ratings:
        """Items that were rated alike, as one row."""
        kinds, inverse = np.unique(self.codes, axis=0, return_inverse=True)
        times = np.bincount(inverse.ravel(), weights=self.times, minlength=len(kinds)).astype(float)
        return replace(self, codes=kinds, times=times)

    def total(self, weight: Floats) -> Floats:
        """By label, the weights of the items that were given it, as often as they were."""
        rated = self.codes >= 0
        each = np.broadcast_to(weight[:, None], self.codes.shape)
        return np.bincount(self.codes[rated], weights=each[rated], minlength=len(self.labels)).astype(float)

    def shares(self, weight: Floats) -> Floats:
        """The labels' mean shares over items of given weights."""
        parts = self.total(self.times * weight / np.maximum(self.each, 1.0))
        return np.asarray(parts / max(float(self.times @ weight), 1.0))

    def mean_of(self, values: Floats) -> Floats:
        """By item, the mean over its ratings of what each label has for a value."""
        return np.asarray(np.where(self.codes >= 0, values[self.codes], 0.0).sum(axis=1) / np.maximum(self.each, 1.0))

    def mean(self, weight: Floats, values: Floats) -> Mean:
        """A weighted mean over items, and what one more item of each row adds to it."""
        total = float(self.times @ weight)
        if not total > 0:
            return Mean(math.nan, np.zeros(len(weight)))
        value = float(self.times @ (weight * values)) / total
        return Mean(value, weight * (values - value) / total)


class Mean(NamedTuple):
    """A figure of all items, and what one more item of each row adds to it."""

    value: float
    units: Floats


def agreement_weights(scheme: Weights, scale: Floats) -> Floats:
    """How far two labels agree, from 1 (the same) to 0: labels × labels.

    linear 1 − |x − y|/range; quadratic 1 − (x − y)²/range²; ratio 1 − ((x − y)/(x + y))² over its largest; ordinal
    1 − C(d + 1, 2)/C(k, 2) for labels d places apart (Gwet 2014, Handbook of Inter-Rater Reliability, chapter 3).

    >>> agreement_weights("linear", np.array([1.0, 2.0, 3.0]))[0].tolist()
    [1.0, 0.5, 0.0]
    """
    check_word(scheme, WEIGHTS, "weights")
    k = len(scale)
    gap = np.abs(scale[:, None] - scale)
    if scheme == "none" or k < 2:
        return np.eye(k)
    if scheme == "ordinal":
        steps = np.abs(np.arange(k)[:, None] - np.arange(k))
        return np.asarray(1 - (steps + 1) * steps / (k * (k - 1)))
    if scheme == "ratio":
        if (scale < 0).any():
            raise InputError("ratio weights need labels that are numbers from 0 up")
        gap = _ratio(scale[:, None], scale)
    power = 1 if scheme == "linear" else 2
    return np.asarray(1 - (gap / gap.max()) ** power)


def _ratio(x: Floats, y: Floats) -> Floats:
    """|x − y|/(x + y); 0 of equal numbers."""
    gap = np.abs(x - y)
    return np.asarray(gap / np.where(gap > 0, x + y, 1.0))


class Distance(NamedTuple):
    """How far labels are apart: `within` is the mean over pairs of an item's ratings, `toward` each label's mean
    distance from labels that come up with given shares.
    """

    within: Callable[[Ratings], Floats]
    toward: Callable[[Floats], Floats]


def between_labels(far: Callable[[Codes, Codes], Floats], k: int) -> Distance:
    """Of a function of two codes that is 0 of equal ones."""
    labels = np.arange(k)

    def within(r: Ratings) -> Floats:
        # Ratings to the front, so that there are no more pairs than the most ratings of an item make.
        rated = -np.sort(-r.codes, axis=1)[:, : int(r.each.max(initial=0))].T
        sums = np.zeros(len(r.codes))
        for a, b in combinations(rated, 2):
            sums += np.where(b >= 0, far(a, b), 0.0)
        return np.asarray(2 * sums / np.maximum(r.each * (r.each - 1), 1.0))

    def toward(shares: Floats) -> Floats:
        parts = np.array_split(labels, max(1, k * k // BLOCK))
        return np.concatenate([far(part[:, None], labels) @ shares for part in parts])

    return Distance(within, toward)


def on_a_scale(x: Floats) -> Distance:
    """(x − y)² of labels at places x."""

    def within(r: Ratings) -> Floats:
        m, mean = r.each, r.mean_of(x)
        return np.asarray(2 * (r.mean_of(x * x) - mean * mean) * m / np.maximum(m - 1, 1.0))

    return Distance(within, lambda shares: np.asarray(x * x - 2 * x * (x @ shares) + (x * x) @ shares))


def by_weights(r: Ratings, scheme: Weights) -> Distance:
    """1 less the weight of agreement."""
    if scheme == "none":
        return between_labels(lambda a, b: (a != b).astype(float), len(r.labels))
    table = 1 - agreement_weights(scheme, r.scale)
    return between_labels(lambda a, b: np.asarray(table[a, b]), len(r.labels))


def by_level(r: Ratings, level: Level) -> Distance:
    """Krippendorff's δ²: 1 of different labels (nominal), (c − k)² (interval), ((c − k)/(c + k))² (ratio); ordinal is
    interval on mid-ranks of the pooled values, since Σ n_g from c to k less half of n_c and n_k is their distance.
    """
    pooled, scale = r.total(r.times), r.scale
    if check_word(level, LEVELS, "level") == "nominal":
        return by_weights(r, "none")
    if level == "ratio":
        if (scale < 0).any():
            raise InputError("level='ratio' needs values from 0 up; level='interval' takes any numbers")
        return between_labels(lambda a, b: _ratio(scale[a], scale[b]) ** 2, len(scale))
    x = scale if level == "interval" else np.cumsum(pooled) - pooled / 2
    return on_a_scale(x - float(x @ pooled) / max(float(pooled.sum()), 1.0))


def certain(r: Ratings, distance: Distance) -> Mean:
    """Per cent agreement counts nothing as chance."""
    return Mean(1.0, np.zeros(len(r.codes)))


def fleiss(r: Ratings, distance: Distance, weight: Floats | None = None) -> Mean:
    """E = Σ δ_kl·π_k·π_l with π the mean shares of the labels."""
    w = np.ones(len(r.codes)) if weight is None else weight
    shares = r.shares(w)
    away = distance.toward(shares)
    return Mean(float(shares @ away), r.mean(w, r.mean_of(2 * away)).units)


def gwet(r: Ratings, distance: Distance) -> Mean:
    """E = 1 − Σw/(q(q − 1))·Σ π_k(1 − π_k), q labels, w = 1 − δ."""
    q, w = len(r.labels), np.ones(len(r.codes))
    factor = (q * q - float(distance.toward(np.ones(q)).sum())) / (q * (q - 1)) if q > 1 else 0.0
    shares = r.shares(w)
    return Mean(1 - factor * float(shares @ (1 - shares)), r.mean(w, r.mean_of(factor * (2 * shares - 1))).units)


def cohen(r: Ratings, distance: Distance) -> Mean:
    """E from each rater's own shares, over pairs of raters: Cohen's kappa of two, Conger's of more."""
    raters, k, rated = len(r.raters), len(r.labels), r.codes >= 0
    place, weight = np.arange(raters), np.where(rated, r.times[:, None], 0.0)
    flat = np.bincount((r.codes + k * place)[rated], weights=weight[rated], minlength=k * raters)
    total = np.maximum(weight.sum(axis=0), np.finfo(float).tiny)
    shares = flat.reshape(raters, k).T / total
    slopes = distance.toward(shares.sum(axis=1, keepdims=True) - shares) / (raters * (raters - 1))
    means = (shares * slopes).sum(axis=0)
    units = np.where(rated, 2 * (slopes[r.codes, place] - means) / total, 0.0).sum(axis=1)
    return Mean(float(means.sum()), units)


def krippendorff(r: Ratings, distance: Distance) -> Mean:
    """E = Σ n_c·n_k·δ²_ck/(n(n − 1)) over pairable values."""
    n, pooled = float(r.times @ r.each), fleiss(r, distance, r.each)
    value = pooled.value * n / (n - 1)
    return Mean(value, (pooled.units * n - value * r.each / n) / (n - 1))


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One way to say how far raters agree: its word, its title and the disagreement that it expects by chance.

    `of_more` is its title with more than two raters; `rare_labels`: it leans on items with rare labels; `measured`: it
    goes by the level of measurement, not by weights, and an item counts with its ratings; `of_raters`: chance goes by
    each rater's own labels.
    """

    word: str
    title: str
    chance: Callable[[Ratings, Distance], Mean]
    weighted_title: str = ""
    of_more: str = ""
    lowest: float = -1.0
    rare_labels: bool = True
    measured: bool = False
    of_raters: bool = False

    @property
    def key(self) -> str:
        """What results carry as their method."""
        return f"{self.word}-agreement"

    def named(self, scheme: Weights, level: Level, raters: int) -> str:
        """Its title as it is called with these weights, and this many raters."""
        if self.measured:
            return f"{self.title} ({level})"
        title = self.of_more if self.of_more and raters > 2 else self.title
        return title if scheme == "none" else f"{self.weighted_title or title} ({scheme} weights)"

    def rows(self, r: Ratings) -> Ratings:
        """The items that it goes by: each that was rated, or those with two ratings."""
        if not self.measured and not (self.of_raters and len(r.raters) == 2):
            return r
        return replace(r, codes=r.codes[r.pairable], times=r.times[r.pairable])

    def of(self, r: Ratings, distance: Distance) -> Mean:
        """1 − D/E, and what one more item of each row adds to it; NaN where no disagreement could be expected."""
        weight = np.where(r.pairable, r.each if self.measured else 1.0, 0.0)
        seen, chance = r.mean(weight, distance.within(r)), self.chance(r, distance)
        if not chance.value > np.finfo(float).eps:
            return Mean(math.nan, np.zeros(len(r.codes)))
        share = seen.value / chance.value
        return Mean(1 - share, (share * chance.units - seen.units) / chance.value)

    def estimate(self, r: Ratings, distance: Distance) -> Estimate:
        """The coefficient, and what it is with half an item more of the kind that lowers, or raises, it most.

        Measurements have no such kinds.
        """
        measured = len(r.labels) > MOST_LABELS
        possible = r.codes[:0] if measured else boundary_items(r)
        full = replace(r, codes=np.concatenate([r.codes, possible]), times=np.append(r.times, np.zeros(len(possible))))
        here = self.of(full, distance)
        e = Estimate(value=np.array(here.value), units=here.units, count=full.times, range=(self.lowest, 1.0))
        if measured:
            return e
        counts = np.array([full.times, full.times])
        for count, side in zip(counts, (1, -1), strict=True):
            moves = side * here.units[len(r.codes) :]
            # Kinds that are alike share the half item, so that the order of labels and raters does not matter.
            alike = np.flatnonzero(moves <= moves.min() + TIED * abs(moves.min()))
            count[len(r.codes) + alike] += HALF / len(alike)
        values, units = zip(*(self.of(replace(full, times=count), distance) for count in counts), strict=True)
        worst = replace(e, value=np.array(values), units=np.array(units), count=counts, labels=True)
        return replace(worst, value=e.value, units=np.zeros(0), count=None, worst=worst)


def boundary_items(r: Ratings) -> Codes:
    """Items that could have come up, of labels that were given: rated alike, or one half of the ratings differently.

    They have as many ratings as the others on average.
    """
    m = max(2, round(float(r.times @ r.each / r.times.sum())))
    given = np.flatnonzero(r.total(r.times))
    items = np.full((len(given) ** 2, len(r.raters)), -1)
    items[:, : m // 2] = np.repeat(given, len(given))[:, None]
    items[:, m // 2 : m] = np.tile(given, len(given))[:, None]
    return items


COEFFICIENTS: dict[str, Coefficient] = {
    c.word: c
    for c in (
        Coefficient(word="percent", title="per cent agreement", chance=certain, lowest=0.0, rare_labels=False),
        Coefficient(
            word="cohen", title="Cohen's kappa", of_more="Conger's kappa", chance=cohen, of_raters=True
        ),
        Coefficient(word="fleiss", title="Fleiss' kappa", chance=fleiss),
        Coefficient(
            word="gwet", title="Gwet's AC1", weighted_title="Gwet's AC2", chance=gwet, rare_labels=False
        ),
        Coefficient(word="krippendorff", title="Krippendorff's alpha", chance=krippendorff, measured=True),
    )
}  # fmt: skip
ALIASES = {
    "kappa": "cohen", "conger": "cohen", "alpha": "krippendorff", "ac1": "gwet", "ac2": "gwet", "percentage": "percent"
}  # fmt: skip


def rater_agreement(
    r: Ratings, coefficient: Coefficient, *, level: Level, scheme: Weights, spec: IntervalSpec
) -> Interval:
    """One coefficient with its interval by the effective t over items, a random sample; raters are as they are."""
    if not coefficient.measured and len(r.labels) > MOST_LABELS:
        raise InputError(
            f"{len(r.labels):,} different labels are measurements: method='krippendorff' with level='interval' takes "
            "them, or round them"
        )
    name, items, bounds = coefficient.named(scheme, level, len(r.raters)), r.items, (coefficient.lowest, 1.0)
    r = coefficient.rows(r.grouped())

    def made(estimate: float, *notes: Note, low: float = math.nan, high: float = math.nan) -> Interval:
        return spec.interval(name, estimate, low, high, bounds=bounds, method=coefficient.key, n=items, note=notes)

    if items == 0:
        return made(math.nan, Note("no-pairs-of-ratings"))
    distance = by_level(r, level) if coefficient.measured else by_weights(r, scheme)
    e = coefficient.estimate(r, distance)
    estimate = float(e.value)
    if math.isnan(estimate):
        return made(estimate, Note("one-label"))
    if items < 2:
        return made(estimate, Note("one-item"))
    if coefficient.of_raters and (r.codes >= 0).all() and (r.codes != r.codes[0]).any(axis=0).sum() < 2:
        return made(0.0, Note("constant-rater"))
    low, high, *_ = effective_t_limits(e, spec)
    return made(estimate, *_few_others(r, coefficient, spec), low=low, high=high)


def _few_others(r: Ratings, coefficient: Coefficient, spec: IntervalSpec) -> list[Note]:
    """A note where the items with another label than the commonest are so few that there could have been none."""
    pooled = r.total(r.times)
    # Of labels that are equally common, the one beside which the fewest items have another.
    common = np.flatnonzero(pooled == pooled.max())
    beside = [int(r.times[((r.codes == c).sum(axis=1) < r.each) & r.pairable].sum()) for c in common]
    others = min(beside)
    if not coefficient.rare_labels or others > spec.factor() ** 2:
        return []
    return [Note("few-other-labels", (others, str(r.labels[common[beside.index(others)]])))]


# What the columns of a long table may be called.
LONG = {
    "rater": frozenset(("rater", "annotator", "judge", "coder", "grader", "worker", "labeler", "labeller", "reviewer")),
    "item": frozenset(
        ("item", "itemid", "id", "unit", "subject", "question", "prompt", "example", "doc", "docid", "row")
    ),
    "label": frozenset(("label", "rating", "score", "value", "grade", "code", "answer", "category", "verdict")),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RaterAgreement(DocumentResult):
    """How far raters agree: coefficients by their word (`found["fleiss"]`), and Cohen's kappa of each pair of raters.

    `level` is what Krippendorff's alpha makes of two labels, `weights` what the others make of them.
    """

    coefficients: dict[str, Interval]
    pairs: tuple[tuple[str, str, Interval], ...] = ()
    raters: tuple[str, ...] = ()
    labels: tuple[object, ...] = ()
    items: int = 0
    level: Level = "nominal"
    weights: Weights = "none"
    confidence: float = 0.95
    reading: str = ""

    def __getitem__(self, word: str) -> Interval:
        """A coefficient by its word."""
        key = ALIASES.get(word, word)
        if key not in self.coefficients:
            raise InputError(f"there is no coefficient {word!r}{nearest(word, self.coefficients)}")
        return self.coefficients[key]

    @property
    def verdict(self) -> str:
        """What the coefficients say; where alpha is among them, on which side of the usual bars it is."""
        i = self.coefficients.get("krippendorff", next(iter(self.coefficients.values())))
        name, shown = capitalised(i.name), common_format(i.estimate, i.low, i.high)
        if math.isnan(i.low):
            value = "has no value" if math.isnan(i.estimate) else f"is {number(i.estimate)}"
            return f"{name} {value}: {i.note}."
        bars = f": {_against_bars(i)}" if "krippendorff" in self.coefficients else ""
        return f"{name} is {shown(i.estimate)} ({ci_words(i.low, i.high, self.confidence, shown)}){bars}."

    def records(self) -> list[dict[str, object]]:
        """One record for each coefficient, then one for each pair of raters."""
        rows = [(self.raters, i) for i in self.coefficients.values()] + [((a, b), i) for a, b, i in self.pairs]
        return [
            {"coefficient": i.name, "raters": " and ".join(who) if len(who) == 2 else f"all {len(who)}",
             "estimate": i.estimate, "low": i.low, "high": i.high, "items": i.n, "note": i.note}
            for who, i in rows
        ]  # fmt: skip

    def document(self) -> Document:
        level = percent(self.confidence)
        rows = tuple((i.name, short(i), whole(i.n)) for i in self.coefficients.values())
        table = Table(columns=("agreement", f"{level} CI", "items"), rows=rows)
        notes = tuple(dict.fromkeys(f"! {capitalised(i.note)}." for i in self.coefficients.values() if i.note))
        pairs = None
        if self.pairs:
            cells = tuple((one_line(a), one_line(b), interval_cell(i)[0], whole(i.n)) for a, b, i in self.pairs)
            head = ("pair", "", f"{self.pairs[0][2].name} {level} CI", "items")
            pairs = TableBlock(Table(columns=head, rows=cells, names=2, title="Pairs of raters:"))
        footer = ("Intervals: these raters, items like these (effective t over items); not adjusted for their number.",)
        return page(
            self.reading, (self.verdict,), TableBlock(table), Bullets(notes) if notes else None, pairs,
            footer=footer,
        )  # fmt: skip


def _against_bars(i: Interval) -> str:
    tentative, reliable = BARS
    source = "the usual bar for tentative conclusions"
    if i.low >= reliable:
        return f"above {reliable:.3f}, the usual bar for labels to rely on"
    if i.high < tentative:
        return f"below {tentative:.3f}, {source}"
    if i.low < tentative:
        return f"too close to call whether it is above {tentative:.3f}, {source}"
    more = "" if i.high < reliable else f"; whether above {reliable:.3f}, for labels to rely on, is too close to call"
    return f"above {tentative:.3f}, {source}{more}"


def agreement(
    ratings: Any, *more: Any, method: str | None = None, level: Level | None = None, weights: Weights | None = None,
    labels: Sequence[object] | None = None, raters: Sequence[str] | None = None, item: str | None = None, rater: str |
    None = None, label: str | None = None, confidence: float = 0.95, table: str | None = None,
) -> RaterAgreement:  # fmt: skip
    """How far raters, people or judges, agree on the labels of items, with and without what chance gives.

    `ratings` is an array items × raters, a frame or file with a column for each rater, a long table with columns item,
    rater and label (name them with `item`, `rater`, `label` where they are called otherwise), or the columns of two
    raters or more, one by one. Missing ratings are left out. `method` is one coefficient ("percent", "cohen", "fleiss",
    "gwet", "krippendorff"), else all. `level` says what labels are: nominal, ordinal (`labels` in order, or numbers;
    the default of ratings from 1 to 4 … 10), interval or ratio. Two labels that are near each other count as partly
    agreeing by `weights` ("linear", "quadratic", "ordinal", "ratio", "none"); unless given, they follow the level.
    Alpha follows the level alone. `table="name"` names a table of a database with several, or a sheet of a workbook.

    Sources: Cohen 1960; Fleiss 1971; Gwet 2008; Krippendorff 2011 (`.explain()` has them). Intervals take items as a
    random sample and raters as they are.

    >>> human, judge = [1, 1, 0, 1, 0] * 10, [1, 1, 0, 1, 1] * 2 + [1, 1, 0, 1, 0] * 8
    >>> found = agreement(human, judge)
    >>> print(found["krippendorff"])
    Krippendorff's alpha (nominal) 0.916 [0.710, 0.978], 95 % krippendorff-agreement, n = 50
    >>> round(found["cohen"].estimate, 3), round(found["percent"].estimate, 3)
    (0.915, 0.96)
    """
    chosen = None if level is None else check_word(level, LEVELS, "level")
    named = None if weights is None else check_word(weights, WEIGHTS, "weights")
    spec = IntervalSpec(confidence=check_confidence(confidence))
    word = None if method is None else check_word(ALIASES.get(str(method), method), COEFFICIENTS, "method")
    check_table_name(ratings, table)
    opened = None if more else _table_of(ratings, table)
    long = {"item": item, "rater": rater, "label": label}
    given = _ratings(ratings, more, raters, long) if opened is None else _of_table(opened, long, raters)
    r = _coded(given, chosen or "nominal", named or OF_LEVEL[chosen or "nominal"], labels)
    level = chosen or ("ordinal" if _are_ratings(r) else "nominal")
    scheme = named or OF_LEVEL[level]
    answer = partial(rater_agreement, level=level, scheme=scheme, spec=spec)
    words = [w for w, c in COEFFICIENTS.items() if c.measured or len(r.labels) <= MOST_LABELS]
    coefficients = {w: answer(r, COEFFICIENTS[w]) for w in ([word] if word is not None else words)}
    # Pairs of more raters than a sentence names are a matrix, not a list.
    all_named = some(list(r.raters)) == listing(list(r.raters))
    several = all_named and len(r.raters) > 2 and "cohen" in coefficients
    pairs = []
    for a, b in combinations(range(len(r.raters)), 2) if several else ():
        two = (r.raters[a], r.raters[b])
        pairs.append((*two, answer(replace(r, codes=r.codes[:, [a, b]], raters=two), COEFFICIENTS["cohen"])))
    taken = f"Labels {r.labels[0]} to {r.labels[-1]} are taken as ratings, in order; as names: level nominal."
    ordered = (taken,) if chosen is None and level == "ordinal" else ()
    reading = " ".join((_reading(r), *ordered, *(() if opened is None else opened.notes)))
    return RaterAgreement(
        coefficients=coefficients, pairs=tuple(pairs), raters=r.raters, labels=r.labels, items=r.items, level=level,
        weights=scheme, confidence=spec.confidence, reading=reading,
    )  # fmt: skip


def _are_ratings(r: Ratings) -> bool:
    """Whether labels are whole numbers from 1 to 10, and more than three."""
    return r.values is not None and len(r.labels) > 3 and all(v in range(1, 11) for v in r.values.tolist())


def _reading(r: Ratings) -> str:
    gaps = int((r.codes < 0).sum())
    alone = int((r.each == 1).sum())
    kinds = "1 label" if len(r.labels) == 1 else f"{len(r.labels):,} labels"
    text = f"Read {whole(len(r.codes))} items, {len(r.raters)} raters ({some(list(r.raters))}), {kinds}"
    text += f"; {whole(gaps)} rating{'' if gaps == 1 else 's'} missing" if gaps else ""
    text += f", {whole(alone)} item{'' if alone == 1 else 's'} with one rating" if alone else ""
    return f"{text}."


def _ratings(
    ratings: Any, more: Sequence[Any], raters: Sequence[str] | None, long: Mapping[str, str | None]
) -> dict[str, Column]:
    """The column of each rater of arrays, items in the same order."""
    option = next((f"{word}=" for word, name in long.items() if name is not None), None)
    columns = [ratings, *more]
    if more and option:
        raise InputError(f"{option} names a column of a long table; columns one by one need no names")
    if option:
        raise InputError(f"{option} names a column of a table, but the ratings are an array of items × raters")
    if not more:
        try:
            array = np.asarray(ratings)
        except ValueError:
            array = np.asarray(ratings, dtype=object)
        if array.ndim != 2 or array.shape[1] < 2:
            raise InputError(
                "ratings are an array of items × raters with two raters or more, a table, or the columns of raters one "
                "by one: te.agreement(human, judge)"
            )
        # From lists, so that numbers in an array of text or of gaps keep their kind.
        rows = ratings if isinstance(ratings, list) else array.tolist()
        columns = [[row[j] for row in rows] for j in range(array.shape[1])]
    names = [str(name) for name in raters] if raters is not None else _names_of(columns)
    if len(names) != len(columns):
        raise InputError(f"raters= has {len(names)} names for {len(columns)} columns")
    given = {name: column(values, name) for name, values in zip(names, columns, strict=True)}
    same_length({f"the ratings of {name}": values for name, values in given.items()})
    return given


def _names_of(columns: Sequence[Any]) -> list[str]:
    names = [getattr(c, "name", None) for c in columns]
    named = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    return [str(name) for name in names] if named else [f"rater {j + 1}" for j in range(len(columns))]


def _table_of(source: Any, table: str | None) -> InputTable | None:
    if isinstance(source, str | os.PathLike):
        return file_table(source, table)
    return open_frame(source) if isinstance(source, Mapping) or is_table(source) else None


def _of_table(table: InputTable, long: Mapping[str, str | None], raters: Sequence[str] | None) -> dict[str, Column]:
    by_name = {word: next((c for c in table.columns if bare(c) in names), None) for word, names in LONG.items()}
    named = {word: need_column(table, name, word) for word, name in long.items() if name is not None}
    who, item, what = (named.get(word, by_name[word]) for word in LONG)
    # A rater may be called "judge": without all three columns each is one rater.
    if who is None or (long["rater"] is None and None in (item, what)):
        if long["label"] is not None:
            raise InputError("label= names the labels of a long table, which has a column of raters: name it, rater=")
        # Text that is another one in every row is what was rated, or an id, and no rating.
        columns = [need_column(table, name, "raters") for name in raters] if raters is not None else [
            c for c in table.columns
            if c != item and not (table.kind(c) == "text" and 2 < table.n == table.distinct(c))
        ]  # fmt: skip
        if len(columns) < 2:
            raise InputError(
                f"agreement needs two raters or more, and {table.name} has the columns {_listed(table.columns)}; a "
                "long table has a column of raters: name it with rater="
            )
        return {c: table.values(c) for c in columns}
    if item is None or what is None:
        gone = "item" if item is None else "label"
        raise InputError(
            f"cannot tell which column of {table.name} holds the {gone}s ({_listed(table.columns)}); say which with "
            f"{gone}="
        )
    return _spread(table, item, who, what, raters)


def _spread(table: InputTable, item: str, who: str, what: str, raters: Sequence[str] | None) -> dict[str, Column]:
    """A long table as a column for each rater."""
    items, values = (table.values(c).tolist() for c in (item, what))
    cells: dict[str, dict[object, object]] = {}
    for key, name, value in zip(items, map(str, table.values(who).tolist()), values, strict=True):
        if key in cells.setdefault(name, {}):
            raise InputError(f"{name!r} rated item {key!r} twice in {table.name}; keep one rating of each")
        cells[name][key] = value
    wanted = [str(name) for name in raters] if raters is not None else list(cells)
    unknown = next((name for name in wanted if name not in cells), None)
    if unknown is not None:
        raise InputError(f"raters= names {unknown!r}, who rated nothing{nearest(unknown, cells)}")
    if len(wanted) < 2:
        raise InputError(f"agreement needs two raters or more; {table.name} has {listing(wanted)} alone")
    return {name: column([cells[name].get(key) for key in dict.fromkeys(items)], name) for name in wanted}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _coded(given: Mapping[str, Column], level: Level, scheme: Weights, labels: Sequence[object] | None) -> Ratings:
    """The ratings as codes into labels in order."""
    cells = _cells(given)
    seen = list(dict.fromkeys(v for v in cells.ravel().tolist() if v is not None))
    numeric = all(is_number(v) for v in seen)
    written = {f"{v:g}" if isinstance(v, float | np.floating) else str(v) for v in seen if is_number(v)}
    twice = next((v for v in seen if isinstance(v, str) and v.strip() in written), None)
    if twice is not None:
        raise InputError(f"{twice!r} is text for one rater and a number for another: convert one of the two")
    order = sorted(seen, key=None if numeric else str)
    if labels is not None:
        order = list(column(labels, "labels"))
        unknown = next((v for v in seen if v not in order), None)
        if unknown is not None:
            raise InputError(f"labels= lacks {unknown!r}, which was given{nearest(unknown, order)}")
    if not numeric:
        _check_text(order, level, scheme, ordered=labels is not None)
    place = {value: i for i, value in enumerate(order)}
    codes = np.array([[-1 if v is None else place[v] for v in row] for row in cells], dtype=np.int64)
    codes = codes.reshape(cells.shape)
    plain = tuple(v.item() if isinstance(v, np.generic) else v for v in order)
    odd = next((v for v in plain if not isinstance(v, str | int | float)), None)
    if odd is not None:
        raise InputError(f"a rating is {in_few_words(odd)}; ratings are text or finite numbers")
    rated = codes[(codes >= 0).any(axis=1)]
    return Ratings(rated, plain, tuple(given), _as_numbers(order) if numeric else None, np.ones(len(rated)))


def _cells(given: Mapping[str, Column]) -> NDArray[np.object_]:
    """Items × raters, None where there is no rating."""
    columns = []
    for values in given.values():
        blank = np.array([isinstance(v, str) and not v.strip() for v in values], dtype=bool)
        columns.append(values.astype(object))
        columns[-1][missing_rows(values) | blank] = None
    cells = np.column_stack(columns)
    odd = next((v for v in cells.ravel().tolist() if not isinstance(v, Hashable)), None)
    if odd is not None:
        raise InputError(f"a rating is one plain value, not {odd!r:.60}")
    return cells


def _check_text(order: Sequence[object], level: Level, scheme: Weights, *, ordered: bool) -> None:
    """Text has an order only where it is given, and is never a number."""
    if not ordered and (level != "nominal" or scheme != "none"):
        option = f"level={level!r}" if level != "nominal" else f"weights={scheme!r}"
        raise InputError(
            f"{option} needs the order of the labels, which are text: pass labels=[…] from lowest to highest "
            f"({some([str(v) for v in order])})"
        )
    if level in ("interval", "ratio"):
        raise InputError(f"level={level!r} needs labels that are numbers; level='ordinal' takes labels= in order")


def _as_numbers(order: Sequence[object]) -> Floats | None:
    if not all(is_number(v) for v in order):
        return None
    numbers = plain_numbers(list(order), "ratings")
    if np.isinf(numbers).any():
        raise InputError("a rating is infinite; ratings are text or finite numbers")
    if np.abs(numbers).max(initial=0) > LARGEST:
        raise InputError("a rating is too large for a square; scale the numbers")
    return numbers


def is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)
