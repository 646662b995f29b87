"""Few labels of people, many of a judge: the true mean of all rows, and which rows to label next.

A judge's labels are cheap and biased, people's are few and right. Rows are split by what the judge says of them: how
many there are is known from all rows, and how often people agree from those that were labelled.
`te.prediction_powered` puts both together, `te.label_plan` says which rows to label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import normal_p, student_p
from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference.proportion._interval import wilson
from trueerror.inputs._arrays import LARGEST, Floats, column, count, missing_rows, open_share, plain_numbers
from trueerror.inputs._arrays import numbers as numbers_in
from trueerror.inputs._labels import plain_label
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, generator
from trueerror.people._agreement import is_number
from trueerror.results import DocumentResult, Interval, Table
from trueerror.results._document import Bullets, Document, TableBlock, page
from trueerror.results._format import (
    Text,
    capitalised,
    ci_words,
    common_format,
    figures,
    number,
    one_line,
    percent,
    some,
    whole,
)
from trueerror.results._format import p_value as p_value_words
from trueerror.results._values import Note, short

Ints = NDArray[np.int64]
PoweredMethod = Literal["post-stratified", "ppi++", "classical"]
# Labelled rows whose answers of the judge differ from those of all rows by a smaller p-value are no random sample.
NOT_RANDOM = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledSample:
    """All rows, labelled ones first: what people say (`truth`) of these, and what the judge says of all.

    `judge` holds codes where its answers are not `numeric`. `strata` are those of all rows, `chances` how likely each
    labelled row was to be labelled; None where rows were drawn alike. `power` is the λ of PPI++ where it is given.
    """

    truth: Floats
    judge: Floats
    numeric: bool = True
    strata: Ints | None = None
    chances: Floats | None = None
    bounds: Range | None = None
    power: float | None = None

    @property
    def n(self) -> int:
        """Labelled rows."""
        return len(self.truth)

    @property
    def weights(self) -> Floats:
        """What each label counts for, by its chance to be drawn."""
        return np.ones(self.n) if self.chances is None else 1 / self.chances

    @property
    def stands_for(self) -> Floats:
        """How many rows a label alone stands for: in strata, as many as its stratum has for each label."""
        if self.strata is None:
            return self.weights
        labelled, there = self.strata[: self.n], np.bincount(self.strata)
        return np.asarray((there / np.maximum(np.bincount(labelled, minlength=len(there)), 1))[labelled])

    @cached_property
    def groups(self) -> tuple[Ints, Floats]:
        """The group of each labelled row by what the judge says, and the groups' shares among all rows."""
        edges = judge_groups(self.judge, self.n)
        codes = grouped_by(self.judge, edges)
        if self.strata is not None:
            # Scores were cut into strata already; a few answers are looked at within each.
            few = len(np.unique(self.judge)) <= len(edges)
            codes = self.strata * len(edges) + codes if few else self.strata
        _, places, sizes = np.unique(codes, return_inverse=True, return_counts=True)
        return places[: self.n], sizes / len(places)

    @property
    def used_power(self) -> float:
        """λ of PPI++, how much of the judge is used: cov(y, f)/((1 + n/N)·s²(f)), cut to [0, 1], unless it is given.

        0 is none of it, 1 all of it; NaN where its answers are no numbers.
        """
        if not self.numeric or self.n < 3:
            return math.nan
        if self.power is not None:
            return float(self.power)
        w = self.weights / self.weights.sum()
        f = self.judge[: self.n] - float(w @ self.judge[: self.n])
        top, bottom = float(w @ ((self.truth - float(w @ self.truth)) * f)), float(w @ f**2)
        others = len(self.judge) - self.n
        return min(max(top / bottom / (1 + 1 / float((w * w).sum()) / others), 0.0), 1.0) if bottom > 0 else 0.0


class Powered(NamedTuple):
    """A mean, its limits, how many plain labels would say as much, and the two-sided p-value of a mean of 0."""

    method: str
    estimate: float
    low: float
    high: float
    size: float
    p_of_zero: float


def judge_groups(answers: Floats, labelled: int) -> Floats:
    """Where a judge's answers are cut into groups: each answer of at most √n, n labels, else as many groups as ∛n.

    What k groups of a score leave unexplained falls as 1/k², and what their means cost rises as k/n.

    >>> judge_groups(np.array([0.0, 1.0, 1.0]), 50).tolist()
    [0.0, 1.0]
    >>> judge_groups(np.arange(100.0), 30).tolist()
    [0.0, 33.0, 66.0]
    """
    kinds, most = np.unique(answers), max(round(float(np.cbrt(labelled))), 2)
    if len(kinds) <= max(math.isqrt(labelled), 2):
        return kinds
    return np.unique(np.quantile(answers, np.arange(most) / most, method="lower"))


def grouped_by(answers: Floats, edges: Floats) -> Ints:
    """The group of each answer: the last edge at or below it."""
    return np.asarray(np.maximum(np.searchsorted(edges, answers, side="right") - 1, 0), dtype=np.int64)


def post_stratified(s: LabelledSample, spec: IntervalSpec) -> Powered:
    """The mean of groups by the judge's answers, with Wilson's limits at its effective number of labels.

    With a judge of two answers the estimate is that of power-tuned prediction-powered inference (PPI++).
    """
    if s.bounds is None:
        raise InputError("post-stratified limits need values with bounds: pass bounds=(lowest, highest)")
    return mean_of_groups(s.truth, s.bounds, spec, s.weights, s.groups, len(s.judge))


def mean_of_groups(
    values: Floats, bounds: Range, spec: IntervalSpec, w: Floats,
    groups: tuple[Ints, Floats] | None = None, rows: float = math.inf,
) -> Powered:  # fmt: skip
    """Σ W_k·ȳ_k of `groups` (codes and shares W_k among so many rows; else one), ȳ_k means by the weights w.

    The variance is Σ W_k²·s̃_k²/n_k + (Σ W_k·ỹ_k² − ỹ²)/N with one row more at each end of the range, in each group of
    a share and in all together of other values, so that a group in which all labels agree still has one.

    >>> round(mean_of_groups(np.repeat([-1.0, 1.0], [20, 80]), (-1.0, 1.0), IntervalSpec(), np.ones(100)).size)
    100
    """
    codes, shares = groups or (np.zeros(len(values), dtype=np.int64), np.ones(1))
    (low, high), k, share = bounds, len(shares), bool(np.isin(values, bounds).all())
    y = (values - low) / (high - low)
    totals, squares, sums, seconds = (np.bincount(codes, x, k).astype(float) for x in (w, w * w, w * y, w * y * y))
    size = _over(totals**2, squares, 0.0)
    pooled = float((w * y).sum() / w.sum())
    means, second = _over(sums, totals, pooled), _over(seconds, totals, pooled)
    estimate = float(shares @ means)
    if k == 1 and share:
        return _at_size(bounds, estimate, float(size[0]), spec)
    more = np.ones(k) if share else shares
    smooth = (means * size + more) / (size + 2 * more)
    spread = np.maximum((second * size + more) / (size + 2 * more) - smooth**2, 0.0)
    middle = float(shares @ smooth)
    of_shares = max(float(shares @ smooth**2) - middle**2, 0.0) / rows
    # A group without a label has half of one.
    variance = float((shares**2 * spread / np.maximum(size, 0.5)).sum()) + of_shares
    return _at_size(bounds, estimate, middle * (1 - middle) / variance, spec)


def _over(top: Floats, bottom: Floats, otherwise: float) -> Floats:
    return np.asarray(np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), otherwise))


def _at_size(bounds: Range, p: float, size: float, spec: IntervalSpec) -> Powered:
    """Wilson's limits of a mean in [0, 1] that so many labels would give, on the scale of the values, and their test.

    >>> round(_at_size((-1.0, 1.0), 0.6, 96.0, IntervalSpec()).p_of_zero, 3)
    0.05
    """
    low, high = bounds
    zero, (start, end) = -low / (high - low), wilson(p * size, size, spec.factor())
    p_of_zero = normal_p((p - zero) / math.sqrt(zero * (1 - zero) / size), "two-sided") if 0 < zero < 1 else math.nan
    mean, least, most = (low + (high - low) * min(max(float(x), 0.0), 1.0) for x in (p, start, end))
    return Powered("post-stratified", mean, least, most, size, p_of_zero)


def ppi_plus(s: LabelledSample, spec: IntervalSpec) -> Powered:
    """PPI++ as published: λ·f̄ + mean of (y − λ·f), limits ± t·√(λ²·s²(f)/N + s²(y − λf)/n)."""
    if not s.numeric:
        raise InputError('method="ppi++" needs answers of the judge that are numbers, of labelled and other rows')
    if s.n < 3:
        raise InputError(f'method="ppi++" needs three labels or more, here {s.n}')
    w, factor, others = s.weights / s.weights.sum(), s.used_power, s.judge[s.n :]
    size, rest = 1 / float((w * w).sum()), s.truth - factor * s.judge[: s.n]
    estimate = factor * float(others.mean()) + float(w @ rest)
    plain, residual = (float(w @ (x - float(w @ x)) ** 2) * size / (size - 1) for x in (s.truth, rest))
    error = math.sqrt(factor**2 * float(others.var()) / len(others) + residual / size)
    reach, (low, high) = spec.factor(size - 1) * error, s.bounds or (-math.inf, math.inf)
    return Powered(
        "ppi++", estimate, max(estimate - reach, low), min(estimate + reach, high),
        plain / error**2 if error else 0.0, student_p(estimate / error, size - 1, "two-sided") if error else math.nan,
    )  # fmt: skip


def labels_alone(s: LabelledSample, spec: IntervalSpec) -> Powered:
    """The labels without the judge, by the design that they were drawn with."""
    if s.bounds is None:
        found = ppi_plus(replace(s, numeric=True, power=0.0), spec)
    else:
        found = mean_of_groups(s.truth, s.bounds, spec, s.stands_for)
    return found._replace(method="classical")


WAYS: dict[PoweredMethod, Callable[[LabelledSample, IntervalSpec], Powered]] = {
    "post-stratified": post_stratified, "ppi++": ppi_plus, "classical": labels_alone
}  # fmt: skip


def neyman(shares: Floats, spreads: Floats, available: Ints, budget: int, least: int = 2) -> Ints:
    """How many labels each group gets: n_k ∝ W_k·s_k (Neyman 1934), at least `least`, at most what there is.

    >>> neyman(np.array([0.9, 0.1]), np.array([0.1, 0.5]), np.array([900, 100]), 100).tolist()
    [64, 36]
    """
    taken = np.minimum(available, least)
    if int(taken.sum()) > budget:
        raise InputError(f"budget={budget} is less than {least} labels for each of {len(shares)} groups")
    goal = min(budget, int(available.sum()))
    ideal = proportional(shares * np.maximum(spreads, 1e-9), taken, available, goal)
    made: Ints = np.floor(ideal + 1e-9).astype(np.int64)
    made[np.argsort(made - ideal, kind="stable")[: max(goal - int(made.sum()), 0)]] += 1
    return made


def proportional(weights: Floats, least: Floats | Ints, most: Floats | Ints, total: float) -> Floats:
    """Amounts in proportion to weights, kept between the least and the most of each, with a given sum.

    >>> proportional(np.array([1.0, 1.0, 4.0]), np.zeros(3), np.ones(3), 2.0).round(6).tolist()
    [0.5, 0.5, 1.0]
    """

    low, high = 0.0, float((most / weights).max())
    # The sum grows with the scale: halve until no number lies between.
    while low < (middle := (low + high) / 2) < high:
        enough = float(np.clip(middle * weights, least, most).sum()) > total
        low, high = (low, middle) if enough else (middle, high)
    return np.asarray(np.clip(high * weights, least, most))


def inclusion_chances(spreads: Floats, budget: int, mix: float = 0.2) -> Floats:
    """The chance of each row to be labelled: ∝ its spread, mixed with `mix` of an even chance, in all `budget`.

    An even part keeps every chance away from 0, so that no label counts for very many rows (Zrnic and Candès 2024).

    >>> inclusion_chances(np.array([0.0, 0.1, 0.1, 0.4]), 2).round(2).tolist()
    [0.12, 0.44, 0.44, 1.0]
    """
    n = len(spreads)
    weight = (1 - mix) * spreads / max(float(spreads.sum()), np.finfo(float).tiny) + mix / n
    return proportional(weight, np.zeros(n), np.ones(n), budget)


def systematic_sample(chances: Floats, rng: np.random.Generator) -> Ints:
    """Rows drawn with given chances, a fixed number of them: systematic sampling in random order (Madow 1949)."""
    order = rng.permutation(len(chances))
    steps = np.cumsum(chances[order])
    start = rng.random()
    hits = np.floor(steps - start).astype(np.int64)
    taken = np.diff(hits, prepend=math.floor(-start)) > 0
    return np.sort(order[taken])


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PredictionPowered(DocumentResult, Interval):
    """The true mean of all rows from few labels of people and many of a judge, beside what the labels alone say.

    `worth` is how many labels alone would be as precise, `judge_alone` the mean of the judge's own answers, `bias` its
    answers minus people's on the labelled rows. `helps` is False where the judge adds nothing, so that the limits are
    those of the labels alone. For two models it is the difference of the first and the second, with `p_value`; `models`
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
        labels, shown = self.classical, common_format(self.estimate, self.low, self.high)
        alone = "labels alone: {} ({} to {})".format(*figures(labels.estimate, labels.low, labels.high))
        answer = f"{shown(self.estimate)}, {ci_words(self.low, self.high, self.confidence, shown)}; {alone}."
        lead = f"The true {self.name} is about"
        if self.models:
            first, second = (m.name for m in self.models)
            better = f"{first if self.estimate > 0 else second} is better"
            if not self.p_value <= 1 - self.confidence:
                better = f"No clear difference between {first} and {second}"
            lead = f"{better} ({p_value_words(self.p_value)}): {first} − {second} is"
        help_ = "The judge does not help here: these are the limits of the labels alone."
        if self.helps:
            help_ = f"With the judge, {whole(self.n)} labels are as precise as about {whole(round(self.worth))} alone."
        sentences = [f"{lead} {answer}", help_]
        if self.bias is not None and not self.bias.low <= 0 <= self.bias.high:
            way = "high" if self.bias.estimate > 0 else "low"
            sentences.append(
                f"The judge alone says {number(self.judge_alone)}, too {way} by {number(abs(self.bias.estimate))} "
                "on the labelled rows."
            )
        return sentences

    def __str__(self) -> str:
        return self.document().text()

    def records(self) -> list[dict[str, object]]:
        """One record for each way: with the judge, the labels alone, the judge alone."""
        both = [(i.estimate, i.low, i.high, i.method, i.n) for i in (self, self.classical)]
        rows = [*both, (self.judge_alone, math.nan, math.nan, "", self.rows)]
        head, ways = ("estimate", "low", "high", "method", "n"), ("with the judge", "labels alone", "judge alone")
        return [{"what": what, **dict(zip(head, row, strict=True))} for what, row in zip(ways, rows, strict=True)]

    def document(self) -> Document:
        level = percent(self.confidence)
        rows = [("with the judge", short(self), whole(round(self.worth))),
                ("labels alone", short(self.classical), whole(self.n))]  # fmt: skip
        if not math.isnan(self.judge_alone):
            rows.append(("judge alone, uncorrected", number(self.judge_alone), ""))
        rows += [(f"{one_line(m.name)}, with the judge", short(m), "") for m in self.models]
        table = Table(columns=(self.name, f"{level} CI", "worth labels"), rows=tuple(rows))
        notes = (f"! {capitalised(self.note)}.",) if self.note else ()
        footer = (
            "Assumes that the labelled rows are a random sample of all rows (or drawn with the given chances), and "
            "that people are right.",
        )
        return page(
            self.reading, self._sentences(), TableBlock(table), Bullets(notes) if notes else None, footer=footer
        )

    def explain(self) -> Text:
        """The methods behind both intervals."""
        from trueerror.methods import explain_parts

        parts = {self.method: "with the judge"} | {self.classical.method: "labels alone"}
        return Text(explain_parts(self, [(what, method) for method, what in parts.items()]))


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
    spec = IntervalSpec(confidence=check_confidence(confidence))
    if method is not None:
        check_word(method, WAYS, "method")
    if power is not None and (method is None or WAYS[method] is not ppi_plus):
        raise InputError('power= is the λ of method="ppi++"; name that method too')
    read = partial(
        _sample, positive=positive, strata=strata, other_strata=strata_unlabelled, inclusion=inclusion, bounds=bounds,
        power=power,
    )  # fmt: skip
    if not isinstance(human, Mapping):
        return _powered(read(human, judge, judge_unlabelled), method, spec)
    both = _two_models(human, judge, judge_unlabelled, read)
    models = (Interval(**_fields(_powered(s, method, spec)) | {"name": name}) for name, s in both.items())
    return _powered(_difference(*both.values()), method, spec, models=tuple(models))


ppi = prediction_powered
corrected = prediction_powered


def _bounds(truth: Floats, given: tuple[float, float] | None) -> Range | None:
    least, most = float(truth.min()), float(truth.max())
    if given is None:
        return (0.0, 1.0) if least >= 0 and most <= 1 else None
    ends = numbers_in(given, "bounds")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InputError(f"bounds={given!r} are (lowest, highest) of the values, such as (1, 5)")
    if least < ends[0] or most > ends[1]:
        raise InputError(f"bounds={given!r}: labels go from {least:g} to {most:g}")
    return float(ends[0]), float(ends[1])


def _values(values: Any, name: str, positive: object = None) -> tuple[Floats, bool]:
    """A column as numbers, NaN in its gaps, and whether it holds numbers; codes of its labels where it does not."""
    array = column(values, name)
    there = ~missing_rows(array)
    cells, found = array[there].astype(object), np.full(len(array), np.nan)
    if positive is not None:
        cells = np.array([v.item() if isinstance(v, np.generic) else v for v in cells], dtype=object)
        known = {v if isinstance(v, Hashable) else str(v) for v in cells.tolist()}
        if (positive := plain_label(positive, "positive=")) in known or len(known) <= 2:
            found[there] = [float(v == positive) for v in cells]
            return found, True
    if array.dtype.kind in "biuf" or all(is_number(v) for v in cells):
        found[there] = plain_numbers(array[there], name)
        if np.isinf(found).any():
            raise InputError(f"{name} is infinite at row {int(np.argmax(np.isinf(found))) + 1:,}")
        if np.abs(found[there]).max(initial=0) > LARGEST:
            raise InputError(f"{name} holds numbers too large for a variance; scale them")
        return found, True
    found[there] = np.unique([str(v) for v in cells], return_inverse=True)[1]
    return found, False


def _answers_of_all(judge: Any, positive: object = None) -> tuple[Floats, bool]:
    """What the judge says of each row, and whether these are numbers."""
    answers, numeric = _values(judge, "judge", positive)
    if np.isnan(answers).any():
        gaps = int(np.isnan(answers).sum())
        raise InputError(f"judge has {gaps:,} gaps; the judge must say something of each row")
    return answers, numeric


def _sample(
    human: Any, judge: Any, others: Any, *, positive: object, strata: Any, other_strata: Any, inclusion: Any,
    bounds: tuple[float, float] | None, power: float | None,
) -> LabelledSample:  # fmt: skip
    """What was given, labelled rows first: columns of all rows with gaps, or labelled and other rows apart."""
    truth, numeric = _values(human, "human", positive)
    if not numeric:
        raise InputError("human labels are text: say which one is counted with positive=, such as positive='right'")
    n, joint, said, gone = len(truth), others is not None, list(column(judge, "judge")), np.isnan(truth)
    if joint and len(said) != n:
        raise InputError(f"human has {n:,} labels and judge {len(said):,}: they are of the same rows")
    if joint and gone.any():
        raise InputError("human has gaps, though judge_unlabelled is given: leave unlabelled rows out of both")
    if len(said) != n:
        raise InputError(
            f"human has {n:,} labels and judge {len(said):,}: give judge_unlabelled=, the other rows, or one "
            "entry for each row in both, with gaps where people did not label"
        )
    answers, numeric = _answers_of_all([*said, *column(others, "judge_unlabelled")] if joint else said, positive)
    place, rest = np.flatnonzero(~gone), np.arange(n, len(answers)) if joint else np.flatnonzero(gone)
    if len(place) < 2:
        raise InputError(f"there are {len(place)} labels of people; two or more are needed")
    if not len(rest):
        raise InputError(
            "every row has a label of people: te.interval or te.mean_interval will do; or give judge_unlabelled="
        )
    codes = _strata_of(strata, other_strata, place, rest, None if joint else n)
    chances = None if inclusion is None else _chances(inclusion, None if joint else n, place)
    return LabelledSample(
        truth=truth[place], judge=answers[np.concatenate([place, rest])], numeric=numeric, strata=codes,
        chances=chances, bounds=_bounds(truth[place], bounds), power=power,
    )  # fmt: skip


def _chances(inclusion: Any, n: int | None, place: Ints) -> Floats:
    """The chances of the labelled rows, given for these or for all n."""
    given = numbers_in(inclusion, "inclusion")
    given = given[place] if len(given) == n else given
    if len(given) != len(place):
        raise InputError(f"inclusion= has {len(given):,} chances for {len(place):,} labelled rows")
    if not ((given > 0) & (given <= 1)).all():
        raise InputError("inclusion= are chances to be labelled, above 0 and at most 1")
    return given


def _strata_of(strata: Any, others: Any, place: Ints, rest: Ints, n: int | None) -> Ints | None:
    """The stratum of each row, labelled ones first; given for all n, or for labelled and other rows apart."""
    if strata is None:
        if others is not None:
            raise InputError("strata_unlabelled= goes with strata=, those of the labelled rows")
        return None
    entries = column(strata, "strata").astype(str)
    if others is not None:
        other = column(others, "strata_unlabelled").astype(str)
        if len(entries) != len(place) or len(other) != len(rest):
            raise InputError(f"strata= needs {len(place):,} entries and strata_unlabelled= {len(rest):,}")
        entries = np.concatenate([entries, other])
    elif len(entries) == n:
        entries = entries[np.concatenate([place, rest])]
    else:
        raise InputError("strata= of labelled rows needs strata_unlabelled= too; with gaps in human it is of all rows")
    return np.asarray(np.unique(entries, return_inverse=True)[1], dtype=np.int64)


def _powered(
    s: LabelledSample, method: PoweredMethod | None, spec: IntervalSpec, models: tuple[Interval, ...] = ()
) -> PredictionPowered:
    """The answer with the judge, or by the method that was asked for, beside the labels alone; of two `models` their
    difference.

    The judge is left aside unless its answers go with the labels: the labels that it gains are n·R²/(1 − R²), which is
    χ² where it answers at random.
    """
    best = ppi_plus if s.bounds is None else post_stratified
    alone, found = labels_alone(s, spec), (best if method is None else WAYS[method])(s, spec)
    worth = s.n * found.size / alone.size if alone.size else float(s.n)
    helps = bool(worth - s.n > special.chdtri(max(len(s.groups[1]) - 1, 1), 1 - spec.confidence))
    if method is None and not helps:
        found, worth = alone, float(s.n)
    name = "difference" if models else "share" if bool(np.isin(s.truth, (0.0, 1.0)).all()) else "mean"

    def interval(p: Powered, *notes: Note) -> Interval:
        bounds = s.bounds or (-math.inf, math.inf)
        return spec.interval(name, p.estimate, p.low, p.high, bounds=bounds, method=p.method, n=s.n, note=notes)

    return PredictionPowered(
        **_fields(interval(found, *_design_notes(s))), classical=interval(alone), worth=worth, helps=helps,
        rows=len(s.judge), judge_alone=float(s.judge.mean()) if s.numeric else math.nan, bias=_bias(s, spec),
        power=s.used_power, p_value=found.p_of_zero if models else math.nan, models=models,
        reading=f"Read {whole(s.n)} labelled rows of {whole(len(s.judge))}; the judge has {_answers(s)}.",
    )  # fmt: skip


def _fields(i: Interval) -> dict[str, Any]:
    return {f.name: getattr(i, f.name) for f in fields(Interval)}


def _answers(s: LabelledSample) -> str:
    answers = np.unique(s.judge)
    few = len(answers) == len(judge_groups(s.judge, s.n)) or bool((answers % 1 == 0).all())
    return f"{whole(len(answers))} answers" if few else f"scores ({whole(len(answers))} different ones)"


def _bias(s: LabelledSample, spec: IntervalSpec) -> Interval | None:
    """The judge's answers minus people's on the labelled rows, where both are on one scale."""
    said = s.judge[: s.n]
    if not s.numeric or s.bounds is None or said.min() < s.bounds[0] or said.max() > s.bounds[1]:
        return None
    bounds = (s.bounds[0] - s.bounds[1], s.bounds[1] - s.bounds[0])
    bias = mean_of_groups(said - s.truth, bounds, spec, s.weights)
    return spec.interval(
        "bias of the judge", bias.estimate, bias.low, bias.high, bounds=bounds, method="classical", n=s.n
    )


def _design_notes(s: LabelledSample) -> list[Note]:
    groups, shares = s.groups
    expected = s.n * shares
    if s.chances is not None or s.strata is not None or len(shares) < 2 or expected.min() < 1:
        return []
    seen = np.bincount(groups, minlength=len(shares))
    p = float(special.chdtrc(len(shares) - 1, float(((seen - expected) ** 2 / expected).sum())))
    return [Note("labels-not-random", (p,))] if p < NOT_RANDOM else []


def _two_models(
    human: Mapping[Any, Any], judge: Any, others: Any, read: Callable[..., LabelledSample]
) -> dict[str, LabelledSample]:
    """The rows of each of two models by their names."""
    names = [str(name) for name in human]
    given = [x for x in (judge, others) if x is not None]
    same = all(isinstance(x, Mapping) and [str(name) for name in x] == names for x in given)
    if len(names) != 2 or not same:
        raise InputError(
            'two models are compared by name, in the same order: human={"a": …, "b": …}, judge={"a": …, "b": …}, '
            'judge_unlabelled={"a": …, "b": …}'
        )
    rest = [None, None] if others is None else others.values()
    first, second = (read(*each) for each in zip(human.values(), judge.values(), rest, strict=True))
    if first.n != second.n or len(first.judge) != len(second.judge):
        raise InputError("both models are labelled on the same rows: give a label of both for each labelled row")
    if not (first.numeric and second.numeric):
        raise InputError("answers of the judge are text: say which one is counted with positive=")
    return dict(zip(names, (first, second), strict=True))


def _difference(first: LabelledSample, second: LabelledSample) -> LabelledSample:
    """The first model less the second, row by row."""
    bounds = None
    if first.bounds is not None and second.bounds is not None:
        bounds = (first.bounds[0] - first.bounds[1], first.bounds[1] - first.bounds[0])
    return replace(first, truth=first.truth - second.truth, judge=first.judge - second.judge, bounds=bounds)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How rows are chosen: each with a chance of its own, or as many of each group, by how labels vary in it or not."""

    by_row: bool = False
    by_spread: bool = False


PLANS = {"neyman": Sampling(by_spread=True), "active": Sampling(by_row=True), "random": Sampling()}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LabelPlan(DocumentResult):
    """Which rows to label next: `rows` are their places, `inclusion` the chance that each had to be drawn.

    `edges` cut the judge's answers into groups, of `sizes` rows and with `labels` to make in each. `worth` is how many
    random labels would be as precise, by the spreads that the plan uses. `estimate` turns the labels into the answer.
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
        n_labels = len(self.rows)
        gain = f"as precise as about {whole(round(self.worth))} drawn at random" if self.worth > 1.02 * n_labels else (
            "no more precise than a random sample, since the judge does not say where it is unsure"
        )  # fmt: skip
        return f"Label {whole(n_labels)} of {whole(sum(self.sizes))} rows: {gain}."

    def records(self) -> list[dict[str, object]]:
        """One record for each row to label."""
        return [{"row": r, "inclusion": c} for r, c in zip(self.rows, self.inclusion, strict=True)]

    def estimate(self, human: Any, judge: Any, *, confidence: float = 0.95) -> PredictionPowered:
        """The answer from the labels: `human` are those of `rows` in order, or of all rows with gaps."""
        answers, _ = _values(judge, "judge")
        if len(answers) != sum(self.sizes) or np.isnan(answers).any():
            raise InputError(f"judge has {len(answers):,} answers; the plan was made for {sum(self.sizes):,} rows")
        labels, here = list(column(human, "human")), list(self.rows)
        if len(labels) == len(here) != len(answers):
            every = np.full(len(answers), None)
            every[here] = labels
            labels = every.tolist()
        if len(labels) != len(answers):
            raise InputError(
                f"human has {len(labels):,} labels; give {len(self.rows):,}, those of plan.rows, or all rows'"
            )
        if not PLANS[self.method].by_row:
            strata = grouped_by(answers, np.array(self.edges))
            return prediction_powered(labels, judge, strata=strata, confidence=confidence)
        chances, drawn = np.ones(len(answers)), np.full(len(answers), None)
        chances[here], drawn[here] = self.inclusion, [labels[i] for i in here]
        return prediction_powered(drawn, judge, inclusion=chances, confidence=confidence)

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
    rng: Rng = None,
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
    plan = PLANS[check_word(method, PLANS, "method")]
    answers, numeric = _answers_of_all(judge)
    wanted, share = count(budget, "budget"), open_share(mix, "mix")
    if share != 0.2 and not plan.by_row:
        raise InputError('mix= is the even part of method="active"; leave it out')
    if plan.by_row and len(answers) and (not numeric or answers.min() < 0 or answers.max() > 1):
        raise InputError('method="active" needs scores between 0 and 1; method="neyman" takes any answers')
    draw, seed = generator(rng)
    truth, known = (np.full(len(answers), np.nan), True) if human is None else _values(human, "human")
    if len(truth) != len(answers) or not known:
        raise InputError("human= are numbers for all rows, with gaps where there is no label yet")
    free = np.isnan(truth)
    if plan.by_row and not free.all():
        raise InputError('method="active" starts without labels; method="neyman" goes on from those that there are')
    if not 2 <= wanted <= free.sum():
        raise InputError(f"budget={budget!r}: give a number of rows from 2 to {free.sum():,}, those without a label")
    edges = judge_groups(answers, wanted)
    k, groups = len(edges), grouped_by(answers, edges)
    sizes, spreads = np.bincount(groups, minlength=k), _spreads(answers, truth, groups, k, numeric)
    shares = sizes / len(answers)
    if plan.by_row:
        chances = inclusion_chances(np.sqrt(np.clip(answers * (1 - answers), 0.01, None)), wanted, share)
        rows = systematic_sample(chances, draw)
        labels = np.bincount(groups[rows], minlength=k)
    else:
        available = np.bincount(groups[free], minlength=k)
        labels = neyman(shares, spreads if plan.by_spread else np.ones(k), available, wanted)
        picked = [draw.choice(np.flatnonzero((groups == g) & free), labels[g], replace=False) for g in range(k)]
        rows = np.sort(np.concatenate(picked))
        chances = (labels / np.maximum(available, 1))[groups]
    variance = float((shares**2 * spreads**2 / np.maximum(labels, 0.5)).sum())
    return LabelPlan(
        rows=tuple(rows.tolist()), inclusion=tuple(chances[rows].tolist()), edges=tuple(edges.tolist()),
        sizes=tuple(sizes.tolist()), labels=tuple(labels.tolist()), spreads=tuple(spreads.tolist()), method=method,
        worth=float((shares * spreads**2).sum()) / variance, seed=seed,
    )  # fmt: skip


def _spreads(said: Floats, truth: Floats, groups: Ints, k: int, numeric: bool) -> Floats:
    """How labels vary within each group: as those that are known do, else as scores between 0 and 1 say."""
    known = ~np.isnan(truth)
    if known.any():
        low, high = min(0.0, float(truth[known].min())), max(1.0, float(truth[known].max()))
        y, of = (truth[known] - low) / (high - low), groups[known]
        mean, second = ((np.bincount(of, x, k) + 1) / (np.bincount(of, minlength=k) + 2) for x in (y, y * y))
        return np.asarray(np.sqrt(np.maximum(second - mean**2, 1e-4)) * (high - low))
    if numeric and not np.isin(said, (0.0, 1.0)).all() and said.min() >= 0 and said.max() <= 1:
        means = np.bincount(groups, said * (1 - said), k) / np.maximum(np.bincount(groups, minlength=k), 1)
        return np.asarray(np.sqrt(np.maximum(means, 0.01)))
    return np.full(k, 0.5)
