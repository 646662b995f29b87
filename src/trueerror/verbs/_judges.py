"""People and judges who label: do they agree (`te.agreement`), and what do few of their labels say of many rows?

`te.prediction_powered` puts few human labels and many of a judge together; `te.label_plan` says which rows to label.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trueerror.inference._contrast import student_p
from trueerror.inference._prediction_powered import (
    MOST_ANSWERS,
    POWERED,
    LabelledSample,
    Powered,
    PoweredMethod,
    grouped_by,
    inclusion_chances,
    judge_groups,
    neyman,
    p_of_zero,
    post_stratified,
    ppi_plus,
    systematic_sample,
    tuned_power,
)
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
from trueerror.inputs._arrays import (
    Column,
    column,
    count,
    is_table,
    missing_rows,
    open_share,
    plain_numbers,
    same_length,
)
from trueerror.inputs._arrays import numbers as numbers_in
from trueerror.inputs._options import InputError, check_confidence, check_word, generator, nearest
from trueerror.results import DocumentResult, Interval, Table
from trueerror.results._document import Bullets, Document, TableBlock, page
from trueerror.results._format import Text, listing, number, one_line, percent, some, whole
from trueerror.results._format import p_value as p_value_words
from trueerror.results._values import Note, interval_cell, short
from trueerror.sources._tables import need_column, open_frame
from trueerror.sources.columns._names import bare

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable

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
        check_word(ALIASES.get(str(method), method), COEFFICIENTS, "method")
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


# Judges that add less than this share of labels are left aside.
HELPS = 1.05
# Labelled rows whose answers of the judge differ from those of all rows by a smaller p-value are no random sample.
NOT_RANDOM = 0.001


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PredictionPowered(DocumentResult, Interval):
    """The true mean of all rows from few labels of people and many of a judge, beside what the labels alone say.

    `worth` is how many labels alone would say as much, `judge_alone` the mean of the judge's own answers, `bias` its
    answers minus people's on the labelled rows. `helps` is False where the judge adds nothing, so that the limits are
    those of the labels alone. Of two models it is the difference of the first and the second, with `p_value`; `models`
    are their own intervals.
    """

    classical: Interval
    worth: float
    rows: int
    helps: bool
    judge_alone: float = math.nan
    bias: Interval | None = None
    power: float = math.nan
    p_value: float = math.nan
    models: tuple[Interval, ...] = ()
    reading: str = ""

    @property
    def verdict(self) -> str:
        """The true mean, what labels alone say, and what the judge is worth."""
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        level = percent(self.confidence)
        alone = f"{number(self.classical.estimate)} ({number(self.classical.low)} to {number(self.classical.high)})"
        figures = f"{number(self.estimate)}, {level} CI {number(self.low)} to {number(self.high)}"
        said = [f"The true {self.name} is about {figures}; labels alone: {alone}."]
        if self.models:
            first, second = (m.name for m in self.models)
            open_ = not self.p_value <= 1 - self.confidence
            lead = f"No clear difference between {first} and {second}" if open_ else (
                f"{first if self.estimate > 0 else second} is better"
            )  # fmt: skip
            said = [f"{lead} ({p_value_words(self.p_value)}): {first} − {second} is {figures}; labels alone: {alone}."]
        if not self.helps:
            said.append("The judge does not help here: these are the limits of the labels alone.")
        else:
            said.append(f"With the judge {whole(self.n)} labels are worth about {whole(round(self.worth))}.")
        if self.bias is not None and not self.bias.low <= 0 <= self.bias.high:
            way = "high" if self.bias.estimate > 0 else "low"
            said.append(
                f"The judge alone says {number(self.judge_alone)}, too {way} by {number(abs(self.bias.estimate))} "
                "on the labelled rows."
            )
        return said

    def __str__(self) -> str:
        return self.document().text()

    def records(self) -> list[dict[str, object]]:
        """One record for each way: with the judge, the labels alone, the judge alone."""
        ways = [("with the judge", self), ("labels alone", self.classical)]
        made: list[dict[str, object]] = [
            {"what": what, "estimate": i.estimate, "low": i.low, "high": i.high, "method": i.method, "n": i.n}
            for what, i in ways
        ]
        blank = {"low": math.nan, "high": math.nan, "method": "", "n": self.rows}
        return [*made, {"what": "judge alone", "estimate": self.judge_alone, **blank}]

    def document(self) -> Document:
        level = percent(self.confidence)
        rows = [("with the judge", short(self), whole(round(self.worth))),
                ("labels alone", short(self.classical), whole(self.n))]  # fmt: skip
        if not math.isnan(self.judge_alone):
            rows.append(("judge alone", f"{number(self.judge_alone)} (no limits: its bias is not in them)", ""))
        for m in self.models:
            rows.append((f"{one_line(m.name)}, with the judge", short(m), ""))
        table = Table(columns=(self.name, f"{level} CI", "worth labels"), rows=tuple(rows))
        notes = (f"! {_sentence(self.note)}.",) if self.note else ()
        footer = (
            "Holds where labelled rows are a random sample of all rows, or drawn with the chances given, and "
            "people are right.",
        )
        return page(
            self.reading, self._sentences(), TableBlock(table), Bullets(notes) if notes else None, footer=footer
        )

    def explain(self) -> Text:
        """The methods behind both intervals."""
        from trueerror.methods import explain_parts

        parts = [("with the judge", self.method), ("labels alone", "classical")]
        return Text(explain_parts(self, parts if self.method != "classical" else parts[1:]))


def prediction_powered(
    human: Any,
    judge: Any,
    judge_unlabelled: Any = None,
    *,
    positive: object = None,
    strata: Any = None,
    strata_unlabelled: Any = None,
    inclusion: Any = None,
    bounds: tuple[float, float] | None = None,
    method: PoweredMethod | None = None,
    power: float | None = None,
    confidence: float = 0.95,
) -> PredictionPowered:
    """The true mean (an accuracy, a share, a mean grade) of many rows of which people labelled few and a judge all.

    `human` are people's labels of some rows: 0 and 1, True and False, grades, or any labels with `positive`. `judge`
    are the judge's labels or scores of the same rows, and `judge_unlabelled` of all others; or give both columns for
    all rows, with gaps (None, NaN) in `human`. Any cheap proxy is a judge. Two models by name, {"a": …, "b": …} in all
    of them, give the difference of the two. Rows that were not labelled at random need `inclusion`, the chance of each
    labelled row to be labelled, or `strata`, within which they were. Values beyond 0 to 1 have `bounds`, or else
    t-limits.

    The judge's bias is taken out, so the interval holds for any judge; a good one makes it shorter. `method` is
    "post-stratified" (the default for values with bounds: it holds with 50 labels and rare errors), "ppi++" as
    published, with λ as `power`, or "classical", the labels alone. `te.ppi` and `te.corrected` are the same.

    Sources: Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453; Holt and Smith 1979, JRSS A 142:33.

    >>> human = [1, 1, 0, 1, 1, 0, 1, 1, 1, 0] * 10
    >>> judge = [1, 1, 0, 1, 1, 1, 1, 1, 1, 0] * 10
    >>> found = prediction_powered(human, judge, [1, 1, 1, 1, 0] * 2000)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3), round(found.worth)
    (0.7, 0.634, 0.759, 204)
    """
    level = check_confidence(confidence)
    spec = IntervalSpec(confidence=level)
    if method is not None:
        check_word(method, POWERED, "method")
    if power is not None and method != "ppi++":
        raise InputError('power= is the λ of method="ppi++"; name that method too')
    if isinstance(human, Mapping):
        return _difference_of_two(
            human, judge, judge_unlabelled, positive, strata, strata_unlabelled, inclusion, bounds, method, power, spec
        )
    rows = _rows(human, judge, judge_unlabelled, positive, strata, strata_unlabelled, inclusion, "judge")
    return _powered(rows, _bounds(rows, bounds), method, power, spec, name=_what(rows))


ppi = prediction_powered
corrected = prediction_powered


@dataclass(frozen=True, eq=False)
class _Rows:
    """What was given: labels of labelled rows, answers of the judge there and elsewhere, design."""

    truth: Any
    judge: Any
    others: Any
    strata: Any = None
    other_strata: Any = None
    inclusion: Any = None
    numeric: bool = True


def _what(rows: _Rows) -> str:
    return "share" if bool(np.isin(rows.truth, (0.0, 1.0)).all()) else "mean"


def _bounds(rows: _Rows, given: tuple[float, float] | None) -> tuple[float, float] | None:
    if given is not None:
        low, high = (float(v) for v in given)
        if not low < high:
            raise InputError(f"bounds={given!r} are (lowest, highest) of the values, such as (1, 5)")
        if rows.truth.min() < low or rows.truth.max() > high:
            raise InputError(f"bounds={given!r}: labels go from {rows.truth.min():g} to {rows.truth.max():g}")
        return low, high
    return (0.0, 1.0) if rows.truth.min() >= 0 and rows.truth.max() <= 1 else None


def _values(values: Any, name: str, positive: object) -> tuple[Any, Any, bool]:
    """A column as numbers, its gaps, and whether they are numbers (or else codes of labels)."""
    array = column(values, name)
    gone = missing_rows(array)
    cells = array.astype(object)
    if positive is not None:
        known = dict.fromkeys(cells[~gone].tolist())
        if positive in known or len(known) <= 2:
            return (
                np.array([np.nan if g else float(v == positive) for v, g in zip(cells, gone, strict=True)]),
                gone,
                True,
            )
    if array.dtype.kind in "biuf" or all(_is_number(v) for v in cells[~gone]):
        numbers = np.full(len(cells), np.nan)
        numbers[~gone] = plain_numbers(array[~gone], name)
        return numbers, gone, True
    order = {v: i for i, v in enumerate(sorted(dict.fromkeys(map(str, cells[~gone]))))}
    return np.array([np.nan if g else float(order[str(v)]) for v, g in zip(cells, gone, strict=True)]), gone, False


def _rows(
    human: Any, judge: Any, others: Any, positive: object, strata: Any, other_strata: Any, inclusion: Any, name: str
) -> _Rows:
    truth, gone, numeric = _values(human, "human", positive)
    if not numeric:
        raise InputError("human labels are text: say which one is counted with positive=, such as positive='right'")
    joint = others is not None
    both = list(column(judge, name)) + (list(column(others, f"{name}_unlabelled")) if joint else [])
    said, absent, numbers = _values(both, name, positive)
    n = len(truth)
    if joint:
        if len(column(judge, name)) != n:
            raise InputError(
                f"human has {n:,} labels and {name} {len(column(judge, name)):,}: they are of the same rows"
            )
        if gone.any():
            raise InputError(f"human has gaps, though {name}_unlabelled is given: leave unlabelled rows out of both")
    elif len(said) != n:
        raise InputError(
            f"human has {n:,} labels and {name} {len(said):,}: give {name}_unlabelled=, the other rows, or one "
            "entry for each row in both, with gaps where people did not label"
        )
    if absent.any():
        raise InputError(f"{name} has {int(absent.sum()):,} gaps; the judge must say something of each row")
    place = np.flatnonzero(~gone)
    rest = np.arange(n, len(said)) if joint else np.flatnonzero(gone)
    if len(place) < 2:
        raise InputError(f"there are {len(place)} labels of people; two or more are needed")
    if not len(rest):
        raise InputError(
            f"every row has a label of people: te.interval or te.mean_interval will do; or give {name}_unlabelled="
        )
    own, other = _strata_of(strata, other_strata, place, rest, n, joint)
    chance = None
    if inclusion is not None:
        given = numbers_in(inclusion, "inclusion")
        given = given[place] if len(given) == n and not joint else given
        if len(given) != len(place):
            raise InputError(f"inclusion= has {len(given):,} chances for {len(place):,} labelled rows")
        if not ((given > 0) & (given <= 1)).all():
            raise InputError("inclusion= are chances to be labelled, above 0 and at most 1")
        chance = given
    return _Rows(truth[place], said[place], said[rest], own, other, chance, numbers)


def _strata_of(strata: Any, others: Any, place: Any, rest: Any, n: int, joint: bool) -> tuple[Any, Any]:
    if strata is None:
        if others is not None:
            raise InputError("strata_unlabelled= goes with strata=, those of the labelled rows")
        return None, None
    own = column(strata, "strata")
    if others is not None:
        other = column(others, "strata_unlabelled")
        whole_ = np.concatenate([own.astype(str), other.astype(str)])
        if len(own) != len(place) or len(other) != len(rest):
            raise InputError(f"strata= needs {len(place):,} entries and strata_unlabelled= {len(rest):,}")
        codes = np.unique(whole_, return_inverse=True)[1]
        return codes[: len(own)], codes[len(own) :]
    if joint or len(own) != n:
        raise InputError("strata= of labelled rows needs strata_unlabelled= too; with gaps in human it is of all rows")
    codes = np.unique(own.astype(str), return_inverse=True)[1]
    return codes[place], codes[rest]


def _sample(rows: _Rows, bounds: tuple[float, float] | None) -> LabelledSample:
    everything = np.concatenate([rows.judge, rows.others])
    edges, count = judge_groups(everything, len(rows.truth))
    few = len(np.unique(everything)) <= MOST_ANSWERS
    own, other = grouped_by(rows.judge, edges), grouped_by(rows.others, edges)
    if rows.strata is not None:
        # Scores were cut into strata already; a few answers are looked at within each.
        own = rows.strata * count + own if few else rows.strata
        other = rows.other_strata * count + other if few else rows.other_strata
    cells, codes = np.unique(np.concatenate([own, other]), return_inverse=True)
    shares = np.bincount(codes, minlength=len(cells)) / len(codes)
    weights = None if rows.inclusion is None else 1 / rows.inclusion
    others = (float(rows.others.mean()), float(rows.others.var()), len(rows.others))
    return LabelledSample(
        rows.truth, codes[: len(own)].astype(np.int64), shares, len(codes), bounds, weights,
        rows.judge if rows.numeric else None, others if rows.numeric else None,
    )  # fmt: skip


def _alone(s: LabelledSample, rows: _Rows, spec: IntervalSpec) -> Powered:
    """The labels alone, by the design that they were drawn with."""
    if s.bounds is None:
        return ppi_plus(replace(s, judge=np.zeros(s.n), judge_all=(0.0, 0.0, 1)), spec, 0.0)
    if rows.strata is None:
        return post_stratified(replace(s, groups=np.zeros(s.n, dtype=np.int64), shares=np.ones(1), rows=1 << 60), spec)
    # What a label stands for: as many rows as its stratum has for each label.
    whole_, own = (np.bincount(x) for x in (np.concatenate([rows.strata, rows.other_strata]), rows.strata))
    weights = (whole_[: len(own)] / np.maximum(own, 1))[rows.strata]
    alone = replace(s, groups=np.zeros(s.n, dtype=np.int64), shares=np.ones(1), rows=1 << 60, weights=weights)
    return post_stratified(alone, spec)


def _powered(
    rows: _Rows, bounds: tuple[float, float] | None, method: PoweredMethod | None, power: float | None,
    spec: IntervalSpec, *, name: str,
) -> PredictionPowered:  # fmt: skip
    s = _sample(rows, bounds)
    alone = _alone(s, rows, spec)
    if method in (None, "post-stratified"):
        made = post_stratified(s, spec) if bounds is not None or method else ppi_plus(s, spec)
        key = "post-stratified" if bounds is not None else "ppi++"
    else:
        made, key = (ppi_plus(s, spec, power), "ppi++") if method == "ppi++" else (alone, "classical")
    helps = key != "classical" and made.size >= HELPS * alone.size
    if not helps and method is None:
        made, key = alone, "classical"
    whole_ = bounds or (-math.inf, math.inf)

    def interval(found: Powered, key: str, title: str, *notes: Note) -> Interval:
        return spec.interval(title, found.estimate, found.low, found.high, bounds=whole_, method=key, n=s.n, note=notes)

    notes = _design_notes(s, rows)
    base = interval(made, key, name, *notes)
    alone_ = interval(alone, "classical", name)
    numeric = rows.numeric
    return PredictionPowered(
        **{f.name: getattr(base, f.name) for f in fields(Interval)},
        classical=alone_,
        worth=s.n * made.size / alone.size,
        rows=len(rows.judge) + len(rows.others),
        helps=helps,
        judge_alone=float(np.concatenate([rows.judge, rows.others]).mean()) if numeric else math.nan,
        bias=_bias(rows, bounds, spec) if numeric else None,
        power=(tuned_power(s) if power is None else float(power)) if numeric else math.nan,
        reading=f"Read {whole(s.n)} labelled rows of {whole(len(rows.judge) + len(rows.others))}; the judge has "
        f"{_answers(rows)}.",
    )  # fmt: skip


def _answers(rows: _Rows) -> str:
    kinds = len(np.unique(np.concatenate([rows.judge, rows.others])))
    return f"{kinds} answers" if kinds <= MOST_ANSWERS else f"scores ({whole(kinds)} different ones)"


def _bias(rows: _Rows, bounds: tuple[float, float] | None, spec: IntervalSpec) -> Interval | None:
    """The judge's answers minus people's on the labelled rows, where both are on one scale."""
    if bounds is None or rows.judge.min() < bounds[0] or rows.judge.max() > bounds[1]:
        return None
    reach = bounds[1] - bounds[0]
    gaps = LabelledSample(
        rows.judge - rows.truth, np.zeros(len(rows.truth), dtype=np.int64), np.ones(1), 1 << 60, (-reach, reach),
        None if rows.inclusion is None else 1 / rows.inclusion,
    )  # fmt: skip
    found = post_stratified(gaps, spec)
    return spec.interval(
        "bias of the judge", found.estimate, found.low, found.high, bounds=(-reach, reach), method="classical",
        n=len(rows.truth),
    )  # fmt: skip


def _design_notes(s: LabelledSample, rows: _Rows) -> list[Note]:
    if rows.inclusion is not None or rows.strata is not None:
        return []
    expected = s.n * s.shares
    if len(expected) < 2 or expected.min() < 1:
        return []
    from scipy import special

    seen = np.bincount(s.groups, minlength=len(expected))
    p = float(special.chdtrc(len(expected) - 1, float(((seen - expected) ** 2 / expected).sum())))
    return [Note("labels-not-random", (p,))] if p < NOT_RANDOM else []


def _difference_of_two(
    human: Mapping[Any, Any], judge: Any, others: Any, positive: object, strata: Any, other_strata: Any, inclusion: Any,
    bounds: tuple[float, float] | None, method: PoweredMethod | None, power: float | None, spec: IntervalSpec,
) -> PredictionPowered:  # fmt: skip
    names = [str(name) for name in human]
    same = isinstance(judge, Mapping) and (others is None or isinstance(others, Mapping))
    if len(names) != 2 or not same or [str(k) for k in judge] != names or (
        others is not None and [str(k) for k in others] != names
    ):  # fmt: skip
        raise InputError(
            'two models are compared by name, in the same order: human={"a": …, "b": …}, judge={"a": …, "b": …}, '
            'judge_unlabelled={"a": …, "b": …}'
        )
    parts = [
        _rows(h, j, o, positive, strata, other_strata, inclusion, "judge")
        for h, j, o in zip(
            human.values(), judge.values(), [None, None] if others is None else others.values(), strict=True
        )
    ]
    first, second = parts
    if len(first.truth) != len(second.truth) or len(first.others) != len(second.others):
        raise InputError("both models are labelled on the same rows: give a label of both for each labelled row")
    if not (first.numeric and second.numeric):
        raise InputError("answers of the judge are text: say which one is counted with positive=")
    own = [_bounds(p, bounds) for p in parts]
    low, high = own[0] or (0.0, 0.0)
    reach = None if None in own else (low - high, high - low)
    gap = replace(
        first, truth=first.truth - second.truth, judge=first.judge - second.judge, others=first.others - second.others
    )
    found = _powered(gap, reach, method, power, spec, name="difference")
    models = tuple(
        replace(_plain(_powered(p, b, method, power, spec, name=_what(p))), name=name)
        for p, b, name in zip(parts, own, names, strict=True)
    )
    s = _sample(gap, reach)
    if reach is None:
        error = (found.high - found.low) / 2 / spec.factor(s.n - 1)
        p_value = student_p(found.estimate / error, s.n - 1, "two-sided")
    else:
        made = _alone(s, gap, spec) if found.method == "classical" else (
            ppi_plus(s, spec, power) if found.method == "ppi++" else post_stratified(s, spec)
        )  # fmt: skip
        p_value = p_of_zero(made, reach)
    return replace(found, models=models, p_value=p_value)


def _plain(i: Interval) -> Interval:
    return Interval(**{f.name: getattr(i, f.name) for f in fields(Interval)})


PLANS = ("neyman", "active", "random")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LabelPlan(DocumentResult):
    """Which rows to label next: `rows` are their places, `inclusion` the chance that each had to be drawn.

    `edges` cut the judge's answers into groups, of `sizes` rows and with `labels` to make in each. `worth` is how many
    labels at random would say as much, by the spreads that the plan goes by. `estimate` turns the labels into the
    answer.
    """

    rows: tuple[int, ...]
    inclusion: tuple[float, ...]
    edges: tuple[float, ...]
    sizes: tuple[int, ...]
    labels: tuple[int, ...]
    spreads: tuple[float, ...]
    method: str
    worth: float
    seed: str = ""

    @property
    def verdict(self) -> str:
        """How many rows to label, and what the plan saves."""
        made = len(self.rows)
        gain = f"as precise as about {whole(round(self.worth))} drawn at random" if self.worth > 1.02 * made else (
            "no more precise than a random sample: the judge does not say where it is unsure"
        )  # fmt: skip
        return f"Label {whole(made)} of {whole(sum(self.sizes))} rows: {gain}."

    def records(self) -> list[dict[str, object]]:
        """One record for each row to label."""
        return [{"row": r, "inclusion": c} for r, c in zip(self.rows, self.inclusion, strict=True)]

    def estimate(self, human: Any, judge: Any, *, confidence: float = 0.95) -> PredictionPowered:
        """The answer from the labels: `human` are those of `rows` in order, or of all rows with gaps."""
        said, absent, _ = _values(judge, "judge", None)
        if len(said) != sum(self.sizes) or absent.any():
            raise InputError(f"judge has {len(said):,} answers; the plan was made for {sum(self.sizes):,} rows")
        labels = list(column(human, "human"))
        if len(labels) == len(self.rows) and len(labels) != len(said):
            whole_: list[Any] = [None] * len(said)
            for place, label in zip(self.rows, labels, strict=True):
                whole_[place] = label
            labels = whole_
        if len(labels) != len(said):
            raise InputError(
                f"human has {len(labels):,} labels; give {len(self.rows):,}, those of plan.rows, or all rows'"
            )
        if self.method != "active":
            return prediction_powered(
                labels, judge, strata=grouped_by(said, np.array(self.edges)), confidence=confidence
            )
        chance = dict(zip(self.rows, self.inclusion, strict=True))
        kept = [label if i in chance else None for i, label in enumerate(labels)]
        gone = missing_rows(column(kept, "human"))
        chances = [chance[i] for i in np.flatnonzero(~gone).tolist()]
        return prediction_powered(kept, judge, inclusion=chances, confidence=confidence)

    def explain(self) -> Text:
        """How the rows were chosen."""
        from trueerror.methods import explain

        return Text(explain("label-plan", self))

    def document(self) -> Document:
        names = [f"{number(e)} to {number(n)}" for e, n in pairwise(self.edges)]
        names.append(f"{number(self.edges[-1])} or more")
        if all(float(e).is_integer() for e in self.edges):
            names = [f"{e:g}" for e in self.edges]
        rows = tuple(
            (name, whole(size), number(spread), whole(count))
            for name, size, spread, count in zip(names, self.sizes, self.spreads, self.labels, strict=True)
        )
        table = Table(columns=("judge says", "rows", "spread", "to label"), rows=rows)
        places = some([str(r) for r in self.rows], 8)
        footer = (
            f"Rows (counted from 0): {places}; {self.method} sampling, {self.seed}. When they are labelled: "
            "plan.estimate(labels, judge).",
        )
        return page("", (self.verdict,), TableBlock(table), footer=footer)


def label_plan(
    judge: Any,
    budget: int,
    *,
    human: Any = None,
    method: Literal["neyman", "active", "random"] = "neyman",
    mix: float = 0.2,
    rng: Any = None,
) -> LabelPlan:
    """Which rows to label next, so that `budget` labels say most of the true mean of all rows.

    `judge` are its labels or scores of all rows. "neyman" draws more rows at random from groups of answers in which
    labels vary more; "active" gives each row its own chance, larger where a score is near one half, with a `mix` of an
    even chance; "random" draws all rows alike. `human`, with gaps, are labels that exist already: they tell how labels
    vary within groups, and are not asked for again. The plan's `.estimate(labels, judge)` gives the answer with its
    interval.

    Sources: Neyman 1934, JRSS 97:558; Zrnic and Candès 2024, arXiv:2403.03208.

    >>> plan = label_plan([0.02] * 800 + [0.5] * 200, 100)
    >>> plan.labels, len(plan.rows), round(plan.worth)
    ((53, 47), 100, 146)
    """
    check_word(method, PLANS, "method")
    said, absent, numeric = _values(judge, "judge", None)
    if absent.any():
        raise InputError(f"judge has {int(absent.sum()):,} gaps; the judge must say something of each row")
    wanted = count(budget, "budget")
    share = open_share(mix, "mix")
    if share != 0.2 and method != "active":
        raise InputError('mix= is the even part of method="active"; leave it out')
    draw, seed = generator(rng)
    known = np.zeros(len(said), dtype=bool)
    truth = np.full(len(said), np.nan)
    if human is not None:
        truth, gone, numbers = _values(human, "human", None)
        if len(truth) != len(said) or not numbers:
            raise InputError("human= are numbers for all rows, with gaps where there is no label yet")
        known = ~gone
        if method == "active" and known.any():
            raise InputError('method="active" starts without labels; method="neyman" goes on from those that there are')
    free = np.flatnonzero(~known)
    if not 2 <= wanted <= len(free):
        raise InputError(f"budget={budget!r}: give a number of rows from 2 to {len(free):,}, those without a label")
    edges, k = judge_groups(said, max(wanted, 40))
    groups = grouped_by(said, edges)
    sizes = np.bincount(groups, minlength=k)
    spreads = _spreads(said, truth, groups, k, numeric)
    shares = sizes / len(said)
    each = np.sqrt(np.clip(said * (1 - said), 0.01, None)) if method == "active" and numeric else None
    if method == "active":
        if each is None or said.min() < 0 or said.max() > 1:
            raise InputError('method="active" needs scores between 0 and 1; method="neyman" takes any answers')
        chances = inclusion_chances(each, wanted, share)
        rows = systematic_sample(chances, draw)
        labels = np.bincount(groups[rows], minlength=k)
    else:
        there = np.bincount(groups[free], minlength=k)
        labels = neyman(shares, spreads if method == "neyman" else np.ones(k), there, wanted)
        picked = [draw.choice(np.flatnonzero((groups == g) & ~known), labels[g], replace=False) for g in range(k)]
        rows = np.sort(np.concatenate(picked))
        chances = np.where(there > 0, labels / np.maximum(there, 1), 0.0)[groups]
    plan = float((shares**2 * spreads**2 / np.maximum(labels, 0.5)).sum())
    return LabelPlan(
        rows=tuple(rows.tolist()), inclusion=tuple(chances[rows].tolist()), edges=tuple(edges.tolist()),
        sizes=tuple(sizes.tolist()), labels=tuple(labels.tolist()), spreads=tuple(spreads.tolist()), method=method,
        worth=float((shares * spreads**2).sum()) / plan, seed=seed,
    )  # fmt: skip


def _spreads(said: Any, truth: Any, groups: Any, k: int, numeric: bool) -> Any:
    """How labels vary within each group: as those that are known do, else as scores between 0 and 1 say."""
    known = ~np.isnan(truth)
    if known.any():
        low, high = min(0.0, float(truth[known].min())), max(1.0, float(truth[known].max()))
        y = (truth[known] - low) / (high - low)
        n = np.bincount(groups[known], minlength=k)
        mean = (np.bincount(groups[known], weights=y, minlength=k) + 1) / (n + 2)
        second = (np.bincount(groups[known], weights=y * y, minlength=k) + 1) / (n + 2)
        return np.sqrt(np.maximum(second - mean**2, 1e-4)) * (high - low)
    if numeric and not np.isin(said, (0.0, 1.0)).all() and said.min() >= 0 and said.max() <= 1:
        sizes = np.maximum(np.bincount(groups, minlength=k), 1)
        return np.sqrt(np.maximum(np.bincount(groups, weights=said * (1 - said), minlength=k) / sizes, 0.01))
    return np.full(k, 0.5)
