"""How far raters agree (`te.agreement`): per-cent agreement, Cohen, Fleiss, Gwet, Krippendorff, with their limits.

Items are a random sample, raters are these. Each coefficient is 1 − D/E, the disagreement seen over the disagreement
expected by chance, and a function of sums over items; so each has its jackknife over items in closed form.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec
from trueerror.inputs._arrays import (
    LARGEST,
    Column,
    column,
    is_table,
    missing_rows,
    plain_numbers,
    same_length,
)
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
from trueerror.sources._tables import need_column
from trueerror.sources.columns._names import bare

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]
Weights = Literal["none", "linear", "quadratic", "ordinal", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic", "ordinal", "ratio")
# What a level of measurement makes of two different labels, unless weights are named.
OF_LEVEL: dict[Level, Weights] = {"nominal": "none", "ordinal": "linear", "interval": "quadratic", "ratio": "ratio"}
# More labels than this are measurements, of which only Krippendorff's alpha is told.
MOST_LABELS = 60
MOST_RATIO = 1_000
# Beyond so many labels ranks are taken as known when an item is left out.
MOST_RANKS = 20


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who said what of which item: `codes` is items × raters, −1 where a rater did not rate; labels in order."""

    codes: Codes
    labels: tuple[object, ...]
    raters: tuple[str, ...]
    values: Floats | None = None
    times: Floats | None = None

    @property
    def often(self) -> Floats:
        """How many items each row stands for."""
        return np.ones(len(self.codes)) if self.times is None else self.times

    @property
    def items(self) -> int:
        """Items with two ratings or more."""
        return int(self.often[self.pairable].sum())

    def grouped(self) -> Ratings:
        """Items that were rated alike, as one row."""
        kinds, inverse = np.unique(self.codes, axis=0, return_inverse=True)
        times = np.bincount(inverse.ravel(), weights=self.often, minlength=len(kinds)).astype(float)
        return replace(self, codes=kinds, times=times)

    @cached_property
    def counts(self) -> Floats:
        """Items × labels: how many raters gave an item this label."""
        n, k = len(self.codes), len(self.labels)
        counts = np.zeros((n, k))
        for given in self.codes.T:
            rated = np.flatnonzero(given >= 0)
            counts[rated, given[rated]] += 1
        return counts

    @cached_property
    def each(self) -> Floats:
        """How many raters rated each item."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=float)

    @property
    def pooled(self) -> Floats:
        """How often each label was given."""
        rated = self.codes >= 0
        times = np.broadcast_to(self.often[:, None], self.codes.shape)
        return np.bincount(self.codes[rated], weights=times[rated], minlength=len(self.labels)).astype(float)

    @property
    def pairable(self) -> NDArray[np.bool_]:
        """Items with two ratings or more."""
        return np.asarray(self.each >= 2)

    def scale(self) -> Floats:
        """The labels as numbers: their own values, else their places 1, 2, …"""
        return np.arange(1.0, len(self.labels) + 1) if self.values is None else self.values

    def taken(self, items: NDArray[np.bool_]) -> Ratings:
        """Some of the items."""
        return replace(self, codes=self.codes[items], times=self.often[items])


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
        gap = gap / np.where(gap > 0, scale[:, None] + scale, 1.0)
    power = 1 if scheme == "linear" else 2
    return np.asarray(1 - (gap / gap.max()) ** power)


@dataclass(frozen=True, eq=False)
class ItemSums:
    """A coefficient as a function of sums over items: `features` is items × sums, `value` sums → coefficient.

    `chance` is the disagreement expected by chance at these sums; a row of `features` stands for `times` items.
    """

    features: Floats
    times: Floats
    value: Callable[[Floats], Floats]
    chance: Callable[[Floats], Floats]

    @property
    def total(self) -> Floats:
        """The sums over all items."""
        return np.asarray(self.times @ self.features)

    @property
    def estimate(self) -> float:
        """The coefficient of the sample."""
        return float(self.value(self.total[None])[0])

    def variance(self) -> float:
        """Of the coefficient, by the jackknife over items; an item without which it has no value is passed over."""
        n, estimate, total = float(self.times.sum()), self.estimate, self.total
        one_less = np.concatenate([self.value(total - part) for part in _blocks(self.features)])
        gaps = np.where(np.isnan(one_less), 0.0, one_less - estimate)
        return float(self.times @ gaps**2) * (n - 1) / n


def _blocks(rows: Floats, cells: int = 1 << 22) -> list[Floats]:
    return np.array_split(rows, max(1, rows.size // cells))


def _over(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(bottom > 1e-12, top / np.where(bottom > 1e-12, bottom, 1.0), np.nan))


def _by_chance(r: Ratings, weights: Floats, chance: Callable[[Floats], Floats]) -> ItemSums:
    """(pa − pe)/(1 − pe) with pe a function of the labels' shares: Gwet's frame, items with gaps included."""
    m, counts = r.each, r.counts
    many = r.pairable
    pairs = np.where(many, m * (m - 1), 1.0)
    agreeing = np.where(many, ((counts @ weights) * counts).sum(axis=1) - m, 0.0) / pairs
    shares = counts / np.maximum(m, 1.0)[:, None]
    features = np.column_stack([np.where(many, 1 - agreeing, 0.0), many, m >= 1, shares])

    def expected(s: Floats) -> Floats:
        return 1 - chance(s[:, 3:] / s[:, 2:3])

    def value(s: Floats) -> Floats:
        return 1 - _over(_over(s[:, 0], s[:, 1]), expected(s))

    return ItemSums(features, r.often, value, expected)


def percent_agreement(r: Ratings, weights: Floats) -> ItemSums:
    """Mean over items of the share of pairs of raters that agree (weighted where labels are near each other)."""
    return _by_chance(r, weights, lambda shares: np.zeros(len(shares)))


def fleiss(r: Ratings, weights: Floats) -> ItemSums:
    """pe = Σ w_kl·π_k·π_l with π the mean shares of the labels."""
    return _by_chance(r, weights, lambda shares: np.asarray(((shares @ weights) * shares).sum(axis=1)))


def gwet(r: Ratings, weights: Floats) -> ItemSums:
    """pe = Σw/(q(q − 1))·Σ π_k(1 − π_k), q labels."""
    q = len(weights)
    factor = float(weights.sum()) / (q * (q - 1)) if q > 1 else 0.0
    return _by_chance(r, weights, lambda shares: np.asarray(factor * (shares * (1 - shares)).sum(axis=1)))


def cohen(r: Ratings, weights: Floats) -> ItemSums:
    """pe from each rater's own shares, over pairs of raters: Cohen's kappa of two, Conger's of more."""
    if len(r.raters) == 2:
        r = r.taken(r.pairable)
    plain = _by_chance(r, weights, lambda shares: np.zeros(len(shares)))
    n, k, raters = len(r.codes), len(r.labels), len(r.raters)
    indicators = np.zeros((n, raters, k))
    for g, given in enumerate(r.codes.T):
        rated = np.flatnonzero(given >= 0)
        indicators[rated, g, given[rated]] = 1
    features = np.column_stack([plain.features[:, :2], indicators.reshape(n, -1)])

    def expected(s: Floats) -> Floats:
        cells = s[:, 2:].reshape(len(s), raters, k)
        shares = cells / np.maximum(cells.sum(axis=2, keepdims=True), 1e-300)
        whole = shares.sum(axis=1)
        both = ((whole @ weights) * whole).sum(axis=1) - ((shares @ weights) * shares).sum(axis=(1, 2))
        return np.asarray(1 - both / (raters * (raters - 1)))

    def value(s: Floats) -> Floats:
        return 1 - _over(_over(s[:, 0], s[:, 1]), expected(s))

    return ItemSums(features, r.often, value, expected)


def krippendorff(r: Ratings, level: Level) -> ItemSums:
    """α = 1 − (n − 1)·Σ o_ck·δ²_ck / Σ n_c·n_k·δ²_ck over pairable values.

    δ² is 1 of different labels (nominal), (c − k)² (interval), ((c − k)/(c + k))² (ratio); ordinal is interval on
    mid-ranks of the pooled values, since Σ n_g from c to k less half of n_c and n_k is their distance.
    """
    check_word(level, LEVELS, "level")
    r = r.taken(r.pairable)
    k = len(r.labels)
    if level == "interval" or (level == "ordinal" and k > MOST_RANKS):
        pooled = r.pooled
        x = r.scale() if level == "interval" else np.cumsum(pooled) - pooled / 2
        return _on_a_scale(r, x - float(x @ pooled) / max(float(pooled.sum()), 1.0))
    if level == "ordinal":
        return _on_ranks(r)
    if level == "ratio" and k > MOST_RATIO:
        raise InputError(f"level='ratio' takes at most {MOST_RATIO:,} different values, here {k:,}: round them")
    scale = r.scale()
    if level == "ratio" and (scale < 0).any():
        raise InputError("level='ratio' needs values from 0 up; level='interval' takes any numbers")
    m, counts, squares = r.each, r.counts, 1 - np.eye(k)
    if level == "ratio":
        gap = np.abs(scale[:, None] - scale)
        squares = (gap / np.where(gap > 0, scale[:, None] + scale, 1.0)) ** 2
    seen = ((counts @ squares) * counts).sum(axis=1) / np.maximum(m - 1, 1)

    def pairs(s: Floats) -> Floats:
        return np.asarray(((s[:, 1:] @ squares) * s[:, 1:]).sum(axis=1))

    return _of_sums(
        np.column_stack([seen, counts]), r.often, lambda s: s[:, 0], pairs, lambda s: np.asarray(s[:, 1:].sum(axis=1))
    )


def _of_sums(
    features: Floats,
    times: Floats,
    seen: Callable[[Floats], Floats],
    pairs: Callable[[Floats], Floats],
    values: Callable[[Floats], Floats],
) -> ItemSums:
    """Alpha of sums: what was `seen` within items, over all `pairs` of values, from so many `values`."""

    def expected(s: Floats) -> Floats:
        n = values(s)
        return _over(pairs(s), n * (n - 1))

    def value(s: Floats) -> Floats:
        return 1 - _over(_over(seen(s), values(s)), expected(s))

    return ItemSums(features, times, value, expected)


def _on_a_scale(r: Ratings, x: Floats) -> ItemSums:
    values = np.where(r.codes >= 0, x[r.codes], 0.0)
    m, first, second = r.each, values.sum(axis=1), (values * values).sum(axis=1)
    seen = 2 * (m * second - first * first) / np.maximum(m - 1, 1)
    return _of_sums(
        np.column_stack([seen, m, first, second]), r.often, lambda s: s[:, 0],
        lambda s: np.asarray(2 * (s[:, 1] * s[:, 3] - s[:, 2] ** 2)), lambda s: np.asarray(s[:, 1]),
    )  # fmt: skip


def _on_ranks(r: Ratings) -> ItemSums:
    counts, k = r.counts, len(r.labels)
    # How often two labels met within an item, whatever their ranks are.
    met = counts[:, :, None] * counts[:, None, :] / np.maximum(r.each - 1, 1)[:, None, None]
    features = np.column_stack([counts, met.reshape(len(counts), -1)])

    def squares(s: Floats) -> Floats:
        x = np.cumsum(s[:, :k], axis=1) - s[:, :k] / 2
        return np.asarray((x[:, :, None] - x[:, None, :]) ** 2)

    def seen(s: Floats) -> Floats:
        return np.asarray((s[:, k:].reshape(-1, k, k) * squares(s)).sum(axis=(1, 2)))

    def pairs(s: Floats) -> Floats:
        return np.asarray((squares(s) * s[:, :k, None] * s[:, None, :k]).sum(axis=(1, 2)))

    return _of_sums(features, r.often, seen, pairs, lambda s: np.asarray(s[:, :k].sum(axis=1)))


@dataclass(frozen=True, kw_only=True)
class Coefficient:
    """One way to say how far raters agree: its word, its title and the statistic of ratings.

    `of_more` is its title with more than two raters; `rare_labels`: it leans on items with rare labels; `measured`: it
    goes by the level of measurement, not by weights.
    """

    word: str
    title: str
    statistic: Callable[[Ratings, Weights, Level], ItemSums]
    weighted_title: str = ""
    of_more: str = ""
    by_chance: bool = True
    rare_labels: bool = True
    measured: bool = False

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


def _weighted(function: Callable[[Ratings, Floats], ItemSums]) -> Callable[[Ratings, Weights, Level], ItemSums]:
    return lambda r, scheme, _: function(r, agreement_weights(scheme, r.scale()))


COEFFICIENTS: dict[str, Coefficient] = {
    c.word: c
    for c in (
        Coefficient(
            word="percent", title="per cent agreement", by_chance=False, statistic=_weighted(percent_agreement)
        ),
        Coefficient(word="cohen", title="Cohen's kappa", of_more="Conger's kappa", statistic=_weighted(cohen)),
        Coefficient(word="fleiss", title="Fleiss' kappa", statistic=_weighted(fleiss)),
        Coefficient(
            word="gwet", title="Gwet's AC1", weighted_title="Gwet's AC2", rare_labels=False, statistic=_weighted(gwet)
        ),
        Coefficient(
            word="krippendorff", title="Krippendorff's alpha", measured=True,
            statistic=lambda r, _, level: krippendorff(r, level),
        ),
    )
}  # fmt: skip
ALIASES = {
    "kappa": "cohen", "conger": "cohen", "alpha": "krippendorff", "ac1": "gwet", "ac2": "gwet", "percentage": "percent"
}  # fmt: skip
# Items that show more than the commonest label, below which a coefficient leans on a handful of them.
FEW_ITEMS, FEWEST_ITEMS = 10, 5
PSEUDO = 0.5
# Below this a coefficient and its standard error are rounding errors.
NOTHING = 1e-9


def rater_agreement(r: Ratings, word: str, *, level: Level, scheme: Weights, spec: IntervalSpec) -> Interval:
    """One coefficient with its interval, raters as they are and items as a random sample.

    The limits of a coefficient c = 1 − D/E are 1 − (D′/E)·exp(±t·s), with the jackknife's standard error s of
    log(D′/E) over items and D′ the disagreement with half an item more that agrees as chance would; where fewer than
    10 items hold a label besides the commonest, the outer limits with Wilson's at half that many items.
    """
    word = ALIASES.get(word, word)
    coefficient = COEFFICIENTS[check_word(word, COEFFICIENTS, "method")]
    if not coefficient.measured and len(r.labels) > MOST_LABELS:
        raise InputError(
            f"{len(r.labels):,} different labels are measurements: method='krippendorff' with level='interval' takes "
            "them, or round them"
        )
    name = coefficient.named(scheme, level, len(r.raters))
    r = r.grouped()
    items = r.items

    def made(estimate: float, low: float, high: float, *notes: Note) -> Interval:
        bounds = (-1.0 if coefficient.by_chance else 0.0, 1.0)
        return spec.interval(name, estimate, low, high, bounds=bounds, method=coefficient.key, n=items, note=notes)

    nothing = math.nan
    if items == 0:
        return made(nothing, nothing, nothing, Note("no-pairs-of-ratings"))
    statistic = coefficient.statistic(r, scheme, level)
    estimate = statistic.estimate
    if math.isnan(estimate):
        return made(nothing, nothing, nothing, Note("one-label"))
    if items < 2:
        return made(estimate, nothing, nothing, Note("one-item"))
    variance = statistic.variance()
    t = spec.factor(items - 1)
    if not coefficient.by_chance:
        size = items if variance <= 0 else min(estimate * (1 - estimate) / variance, items * len(r.raters))
        return made(estimate, *_wilson(estimate, size if size > 0 else items, t))
    if abs(estimate) < NOTHING and variance < NOTHING**2:
        return made(0.0, nothing, nothing, Note("constant-rater"))
    chance = float(statistic.chance(statistic.total[None])[0])
    seen = (1 - estimate) * chance
    ratio = (items * seen + PSEUDO * chance) / (items + PSEUDO) / chance
    spread = variance * (items / (items + PSEUDO)) ** 2 + PSEUDO * (1 - ratio) ** 2 / (items + PSEUDO) ** 2
    reach = math.exp(min(t * math.sqrt(spread) / ratio, 700.0))
    low, high = 1 - ratio * reach, max(1 - ratio / reach, estimate)
    # Of labels that are equally common, the one beside which the fewest items have another.
    common = np.flatnonzero(r.pooled == r.pooled.max()).tolist()
    beside = [int(r.often[((r.codes == c).sum(axis=1) < r.each) & r.pairable].sum()) for c in common]
    others = min(beside)
    commonest = common[beside.index(others)]
    if others >= FEW_ITEMS or not coefficient.rare_labels:
        return made(estimate, low, high)
    outer = _wilson(min(max(estimate, 0.0), 1.0), max(others, 1) / 2, spec.factor())
    high = 1.0 if others < FEWEST_ITEMS else max(high, outer[1])
    return made(estimate, min(low, outer[0]), high, Note("few-other-labels", (others, str(r.labels[commonest]))))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    middle, reach = (p + z * z / (2 * n)) / (1 + z * z / n), z / (1 + z * z / n)
    reach *= math.sqrt(max(p * (1 - p), 0.0) / n + z * z / (4 * n * n))
    return middle - reach, middle + reach


RATER = frozenset(("rater", "annotator", "judge", "coder", "grader", "worker", "labeler", "labeller", "reviewer"))
ITEM = frozenset(("item", "itemid", "id", "unit", "subject", "question", "prompt", "example", "doc", "docid", "row"))
LABEL = frozenset(("label", "rating", "score", "value", "grade", "code", "answer", "category", "verdict"))
# Krippendorff's (2004) bars: labels to rely on, and labels for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667
MOST_PAIRS = 15


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
        alpha = self.coefficients.get("krippendorff")
        coefficient = alpha if alpha is not None else next(iter(self.coefficients.values()))
        if math.isnan(coefficient.estimate):
            return f"{capitalised(coefficient.name)} has no value: {coefficient.note}."
        if math.isnan(coefficient.low):
            return f"{capitalised(coefficient.name)} is {number(coefficient.estimate)}: {coefficient.note}."
        shown = common_format(coefficient.estimate, coefficient.low, coefficient.high)
        reach = ci_words(coefficient.low, coefficient.high, self.confidence, shown)
        words = f"{capitalised(coefficient.name)} is {shown(coefficient.estimate)} ({reach})"
        return f"{words}: {_against_bars(coefficient)}." if alpha is not None else f"{words}."

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
        footer = (
            "Intervals: these raters, items like these (jackknife over items on the log of the disagreement); "
            "not adjusted for their number.",
        )
        return page(
            self.reading, (self.verdict,), TableBlock(table), Bullets(notes) if notes else None, pairs,
            footer=footer,
        )  # fmt: skip


def _against_bars(i: Interval) -> str:
    source = "the usual bar for tentative conclusions"
    if i.low >= RELIABLE:
        return f"above {RELIABLE:.3f}, the usual bar for labels to rely on"
    if i.high < TENTATIVE:
        return f"below {TENTATIVE:.3f}, {source}"
    if i.low >= TENTATIVE:
        more = (
            "" if i.high < RELIABLE else f"; whether above {RELIABLE:.3f}, for labels to rely on, is too close to call"
        )
        return f"above {TENTATIVE:.3f}, {source}{more}"
    return f"too close to call whether it is above {TENTATIVE:.3f}, {source}"


def agreement(
    ratings: Any,
    *more: Any,
    method: str | None = None,
    level: Level = "nominal",
    weights: Weights | None = None,
    labels: Sequence[object] | None = None,
    raters: Sequence[str] | None = None,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    confidence: float = 0.95,
    table: str | None = None,
) -> RaterAgreement:
    """How far raters, people or judges, agree on the labels of items, with and without what chance gives.

    `ratings` is an array items × raters, a frame or file with a column for each rater, a long table with columns item,
    rater and label (name them with `item`, `rater`, `label` where they are called otherwise), or the columns of two
    raters or more, one by one. Missing ratings are left out. `method` is one coefficient ("percent", "cohen", "fleiss",
    "gwet", "krippendorff"), else all. `level` says what labels are: nominal, ordinal (`labels` in order, or numbers),
    interval or ratio. Two labels that are near each other count as partly agreeing by `weights` ("linear",
    "quadratic", "ordinal", "ratio", "none"); unless given, they follow the level. Alpha follows the level alone.
    `table="name"` chooses a table of a SQLite or DuckDB file that holds several, or a sheet of a workbook.

    Sources: Cohen 1960; Fleiss 1971; Gwet 2008; Krippendorff 2011 (`.explain()` has them). Intervals take items as a
    random sample and raters as they are.

    >>> human, judge = [1, 1, 0, 1, 0] * 10, [1, 1, 0, 1, 1] * 2 + [1, 1, 0, 1, 0] * 8
    >>> found = agreement(human, judge)
    >>> print(found["krippendorff"])
    Krippendorff's alpha (nominal) 0.916 [0.662, 0.974], 95 % krippendorff-agreement, n = 50
    >>> round(found["cohen"].estimate, 3), round(found["percent"].estimate, 3)
    (0.915, 0.96)
    """
    check_word(level, LEVELS, "level")
    scheme = OF_LEVEL[level] if weights is None else check_word(weights, WEIGHTS, "weights")
    spec = IntervalSpec(confidence=check_confidence(confidence))
    if method is not None:
        check_word(ALIASES.get(str(method), method), COEFFICIENTS, "method")
    check_table_name(ratings, table)
    opened = None if more else _table_of(ratings, table)
    long = {"item": item, "rater": rater, "label": label}
    given = _ratings(ratings, more, raters, long) if opened is None else _of_table(opened, long, raters)
    r = _coded(given, level, scheme, labels)
    words = [ALIASES.get(method, method)] if method is not None else _words_for(r)
    coefficients = {word: rater_agreement(r, word, level=level, scheme=scheme, spec=spec) for word in words}
    pairs: tuple[tuple[str, str, Interval], ...] = ()
    several = list(combinations(range(len(r.raters)), 2))
    if 1 < len(several) <= MOST_PAIRS and "cohen" in coefficients:
        pairs = tuple(
            (r.raters[a], r.raters[b], rater_agreement(_two(r, a, b), "cohen", level=level, scheme=scheme, spec=spec))
            for a, b in several
        )
    reading = " ".join((_reading(r), *(() if opened is None else opened.notes)))
    return RaterAgreement(
        coefficients=coefficients, pairs=pairs, raters=r.raters, labels=r.labels, items=r.items, level=level,
        weights=scheme, confidence=spec.confidence, reading=reading,
    )  # fmt: skip


def _words_for(r: Ratings) -> list[str]:
    return [w for w, c in COEFFICIENTS.items() if c.measured or len(r.labels) <= MOST_LABELS]


def _two(r: Ratings, a: int, b: int) -> Ratings:
    return Ratings(r.codes[:, [a, b]], r.labels, (r.raters[a], r.raters[b]), r.values)


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
    if more:
        if option:
            raise InputError(f"{option} names a column of a long table; columns one by one need no names")
        names = [str(name) for name in raters] if raters is not None else _names_of([ratings, *more])
        if len(names) != 1 + len(more):
            raise InputError(f"raters= has {len(names)} names for {1 + len(more)} columns")
        columns = {name: column(values, name) for name, values in zip(names, (ratings, *more), strict=True)}
        same_length({f"the ratings of {name}": values for name, values in columns.items()})
        return columns
    if option:
        raise InputError(f"{option} names a column of a table, but the ratings are an array of items × raters")
    try:
        array = np.asarray(ratings)
    except ValueError:
        array = np.asarray(ratings, dtype=object)
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(
            "ratings are an array of items × raters with two raters or more, a table, or the columns of raters one by "
            "one: te.agreement(human, judge)"
        )
    names = [str(name) for name in raters] if raters is not None else [f"rater {j + 1}" for j in range(array.shape[1])]
    if len(names) != array.shape[1]:
        raise InputError(f"raters= has {len(names)} names for {array.shape[1]} columns")
    # From lists, so that numbers in an array of text or of gaps keep their kind.
    rows = ratings if isinstance(ratings, list) else array.tolist()
    return {name: column([row[j] for row in rows], name) for j, name in enumerate(names)}


def _names_of(columns: Sequence[Any]) -> list[str]:
    names = [getattr(c, "name", None) for c in columns]
    named = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    return [str(name) for name in names] if named else [f"rater {j + 1}" for j in range(len(columns))]


def _table_of(source: Any, table: str | None) -> InputTable | None:
    if isinstance(source, str | os.PathLike):
        return file_table(source, table)
    return open_frame(source) if isinstance(source, Mapping) or is_table(source) else None


def _known(table: InputTable, given: str | None, option: str, names: frozenset[str]) -> str | None:
    if given is not None:
        return need_column(table, given, option)
    return next((c for c in table.columns if bare(c) in names), None)


def _of_table(table: InputTable, long: Mapping[str, str | None], raters: Sequence[str] | None) -> dict[str, Column]:
    who = _known(table, long["rater"], "rater", RATER)
    item = _known(table, long["item"], "item", ITEM)
    what = _known(table, long["label"], "label", LABEL)
    # A rater may be called "judge": without all three columns each is one rater.
    if long["rater"] is None and None in (who, item, what):
        who = None
    if who is None:
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
    items, names, values = (table.values(c).tolist() for c in (item, who, what))
    cells: dict[tuple[object, str], object] = {}
    for key, name, value in zip(items, names, values, strict=True):
        place = (key, str(name))
        if place in cells:
            raise InputError(f"{str(name)!r} rated item {key!r} twice in {table.name}; keep one rating of each")
        cells[place] = value
    wanted = [str(name) for name in raters] if raters is not None else list(dict.fromkeys(str(n) for n in names))
    unknown = next((name for name in wanted if not any(name == n for _, n in cells)), None)
    if unknown is not None:
        raise InputError(f"raters= names {unknown!r}, who rated nothing{nearest(unknown, {n for _, n in cells})}")
    order = list(dict.fromkeys(items))
    if len(wanted) < 2:
        raise InputError(f"agreement needs two raters or more; {table.name} has {listing(wanted)} alone")
    return {name: column([cells.get((key, name)) for key in order], name) for name in wanted}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _coded(given: Mapping[str, Column], level: Level, scheme: Weights, labels: Sequence[object] | None) -> Ratings:
    """The ratings as codes into labels in order."""
    rows = len(next(iter(given.values())))
    cells = np.empty((rows, len(given)), dtype=object)
    for j, values in enumerate(given.values()):
        kept = values.astype(object)
        kept[missing_rows(values)] = None
        cells[:, j] = [None if v is None or (isinstance(v, str) and not v.strip()) else v for v in kept]
    odd = next((v for v in cells.ravel().tolist() if not isinstance(v, Hashable)), None)
    if odd is not None:
        raise InputError(f"a rating is one plain value, not {odd!r:.60}")
    seen = dict.fromkeys(v for v in cells.ravel().tolist() if v is not None)
    numeric = all(is_number(v) for v in seen)
    written = {f"{v:g}" if isinstance(v, float | np.floating) else str(v): v for v in seen if is_number(v)}
    twice = next((v for v in seen if isinstance(v, str) and v.strip() in written), None)
    if twice is not None:
        raise InputError(f"{twice!r} is text for one rater and a number for another: convert one of the two")
    order: list[Any]
    if labels is not None:
        order = list(column(labels, "labels"))
        unknown = next((v for v in seen if v not in order), None)
        if unknown is not None:
            raise InputError(f"labels= lacks {unknown!r}, which was given{nearest(unknown, order)}")
    elif numeric:
        order = sorted(seen)
    else:
        order = sorted(seen, key=str)
        if level != "nominal" or scheme != "none":
            option = f"level={level!r}" if level != "nominal" else f"weights={scheme!r}"
            raise InputError(
                f"{option} needs the order of the labels, which are text: pass labels=[…] from lowest to highest "
                f"({some([str(v) for v in order])})"
            )
    if not numeric and level in ("interval", "ratio"):
        raise InputError(f"level={level!r} needs labels that are numbers; level='ordinal' takes labels= in order")
    place = {value: i for i, value in enumerate(order)}
    codes = np.array([[-1 if v is None else place[v] for v in row] for row in cells], dtype=np.int64)
    codes = codes.reshape(rows, len(given))
    rated = np.flatnonzero((codes >= 0).any(axis=1))
    numbers = plain_numbers(order, "ratings") if numeric and all(is_number(v) for v in order) else None
    if numbers is not None and np.isinf(numbers).any():
        raise InputError("a rating is infinite; ratings are text or finite numbers")
    if numbers is not None and np.abs(numbers).max(initial=0) > LARGEST:
        raise InputError("a rating is too large for a square; scale the numbers")
    plain = tuple(v.item() if isinstance(v, np.generic) else v for v in order)
    odd = next((v for v in plain if not isinstance(v, str | int | float)), None)
    if odd is not None:
        raise InputError(f"a rating is {in_few_words(odd)}; ratings are text or finite numbers")
    return Ratings(codes[rated], plain, tuple(given), numbers)


def is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)
