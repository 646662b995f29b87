"""People and judges who label: do they agree (`te.agreement`), and what do few of their labels say of many rows?

`te.prediction_powered` puts few human labels and many of a judge together; `te.label_plan` says which rows to label.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from trueerror.inference._problem import IntervalSpec
from trueerror.inference._rater_agreement import (
    ALIASES,
    COEFFICIENTS,
    LEVELS,
    MOST_LABELS,
    OF_LEVEL,
    WEIGHTS,
    Level,
    Ratings,
    Weights,
    rater_agreement,
)
from trueerror.inputs._arrays import Column, column, missing_rows, same_length
from trueerror.inputs._options import InputError, check_confidence, check_word, nearest
from trueerror.results import DocumentResult, Interval, Table
from trueerror.results._document import Bullets, Document, TableBlock, page
from trueerror.results._format import listing, number, one_line, percent, some, whole
from trueerror.results._values import interval_cell, short
from trueerror.sources._frames import is_table, open_frame
from trueerror.sources._protocols import need_column
from trueerror.sources.columns._names import bare

if TYPE_CHECKING:
    from trueerror.sources._protocols import InputTable

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
        shown = alpha if alpha is not None else next(iter(self.coefficients.values()))
        if math.isnan(shown.estimate):
            return f"{_sentence(shown.name)} has no value: {shown.note}."
        level = percent(self.confidence)
        if math.isnan(shown.low):
            return f"{_sentence(shown.name)} is {number(shown.estimate)}: {shown.note}."
        figures = f"{number(shown.estimate)} ({level} CI {number(shown.low)} to {number(shown.high)})"
        words = f"{_sentence(shown.name)} is {figures}"
        return f"{words}: {_against_bars(shown)}." if alpha is not None else f"{words}."

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
        notes = tuple(dict.fromkeys(f"! {_sentence(i.note)}." for i in self.coefficients.values() if i.note))
        pairs = None
        if self.pairs:
            cells = tuple((one_line(a), one_line(b), interval_cell(i)[0], whole(i.n)) for a, b, i in self.pairs)
            head = ("pair", "", f"{self.pairs[0][2].name} {level}", "items")
            pairs = TableBlock(Table(columns=head, rows=cells, names=2, title="Pairs of raters:"))
        footer = (
            "Intervals: these raters, items like these (jackknife over items on the log of the disagreement); "
            "not adjusted for their number.",
        )
        return page(
            self.reading, (self.verdict,), TableBlock(table), Bullets(notes) if notes else None, pairs,
            footer=footer,
        )  # fmt: skip


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


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
) -> RaterAgreement:
    """How far raters, people or judges, agree on the labels of items, with and without what chance gives.

    `ratings` is an array items × raters, a frame or file with a column for each rater, a long table with columns item,
    rater and label (name them with `item`, `rater`, `label` where they are called otherwise), or the columns of two
    raters or more, one by one. Missing ratings are left out. `method` is one coefficient ("percent", "cohen", "fleiss",
    "gwet", "krippendorff"), else all. `level` says what labels are: nominal, ordinal (`labels` in order, or numbers),
    interval or ratio. Two labels that are near each other count as partly agreeing by `weights` ("linear",
    "quadratic", "ordinal", "ratio", "none"); unless given, they follow the level. Alpha follows the level alone.

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
        check_word(ALIASES.get(method, method), COEFFICIENTS, "method")
    given = _ratings(ratings, more, raters, item, rater, label)
    r = _coded(given, level, scheme, labels)
    words = [ALIASES.get(method, method)] if method is not None else _words_for(r)
    made = {word: rater_agreement(r, word, level=level, scheme=scheme, spec=spec) for word in words}
    pairs: tuple[tuple[str, str, Interval], ...] = ()
    several = list(combinations(range(len(r.raters)), 2))
    if 1 < len(several) <= MOST_PAIRS and "cohen" in made:
        pairs = tuple(
            (r.raters[a], r.raters[b], rater_agreement(_two(r, a, b), "cohen", level=level, scheme=scheme, spec=spec))
            for a, b in several
        )
    return RaterAgreement(
        coefficients=made, pairs=pairs, raters=r.raters, labels=r.labels, items=r.items, level=level,
        weights=scheme, confidence=confidence, reading=_reading(r),
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
    ratings: Any, more: Sequence[Any], raters: Sequence[str] | None, item: str | None, rater: str | None,
    label: str | None,
) -> dict[str, Column]:  # fmt: skip
    """The column of each rater, items in the same order."""
    long = {"item": item, "rater": rater, "label": label}
    asked = next((f"{word}=" for word, name in long.items() if name is not None), None)
    if more:
        if asked:
            raise InputError(f"{asked} names a column of a long table; columns one by one need no names")
        names = [str(name) for name in raters] if raters is not None else _names_of([ratings, *more])
        if len(names) != 1 + len(more):
            raise InputError(f"raters= has {len(names)} names for {1 + len(more)} columns")
        found = {name: column(values, name) for name, values in zip(names, (ratings, *more), strict=True)}
        same_length({f"the ratings of {name}": values for name, values in found.items()})
        return found
    table = _table_of(ratings)
    if table is not None:
        return _of_table(table, long, raters)
    if asked:
        raise InputError(f"{asked} names a column of a table, but the ratings are an array of items × raters")
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
    own = [getattr(c, "name", None) for c in columns]
    named = all(isinstance(name, str) and name for name in own) and len(set(own)) == len(own)
    return [str(name) for name in own] if named else [f"rater {j + 1}" for j in range(len(columns))]


def _table_of(source: Any) -> InputTable | None:
    if isinstance(source, str | os.PathLike):
        from trueerror.sources.engines._duckdb_tables import open_files

        return open_files(source)
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
        own = [need_column(table, name, "raters") for name in raters] if raters is not None else [
            c for c in table.columns if c != item
        ]  # fmt: skip
        if len(own) < 2:
            raise InputError(
                f"agreement needs two raters or more, and {table.name} has the columns {_listed(table.columns)}; a "
                "long table has a column of raters: name it with rater="
            )
        return {c: table.values(c) for c in own}
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
    seen = dict.fromkeys(v for v in cells.ravel().tolist() if v is not None)
    numeric = all(isinstance(v, int | float | np.integer | np.floating | np.bool_) for v in seen)
    order: list[Any]
    if labels is not None:
        order = list(labels)
        unknown = next((v for v in seen if v not in order), None)
        if unknown is not None:
            raise InputError(f"labels= lacks {unknown!r}, which was given{nearest(unknown, order)}")
    elif numeric:
        order = sorted(seen)
    else:
        order = sorted(seen, key=str)
        if level != "nominal" or scheme != "none":
            asked = f"level={level!r}" if level != "nominal" else f"weights={scheme!r}"
            raise InputError(
                f"{asked} needs the order of the labels, which are text: pass labels=[…] from lowest to highest "
                f"({some([str(v) for v in order])})"
            )
    if not numeric and level in ("interval", "ratio"):
        raise InputError(f"level={level!r} needs labels that are numbers; level='ordinal' takes labels= in order")
    place = {value: i for i, value in enumerate(order)}
    codes = np.array([[-1 if v is None else place[v] for v in row] for row in cells], dtype=np.int64)
    codes = codes.reshape(rows, len(given))
    rated = np.flatnonzero((codes >= 0).any(axis=1))
    numbers = np.array([float(v) for v in order]) if numeric and all(_is_number(v) for v in order) else None
    plain = tuple(v.item() if isinstance(v, np.generic) else v for v in order)
    return Ratings(codes[rated], plain, tuple(given), numbers)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)
