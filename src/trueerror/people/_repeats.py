"""`te.repeats`: several answers to the same questions. How good is one, the best of k, all of k; and is it worth to ask
more questions, or the same ones again?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from trueerror.inference._answer import interval_of
from trueerror.inference._many import ADJUSTMENTS, adjust_contrasts
from trueerror.inference._problem import IntervalSpec, Problem, critical_z
from trueerror.inference.loss._mean import MeanSample
from trueerror.inputs._arrays import ArrayLike, Floats, column, count, plain_numbers
from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError, check_confidence, check_word, nearest
from trueerror.metrics._registry import find_measure
from trueerror.people._answers import AnswerGrades, Components, question_contrast, question_units
from trueerror.results import Contrast, DocumentResult, Interval, Table
from trueerror.results._document import Document, Paragraph, TableBlock, page
from trueerror.results._format import (
    ci_words,
    common_format,
    estimate_and_limits,
    listing,
    number,
    one_line,
    p_value,
    percent,
    percents,
    whole,
)
from trueerror.results._values import decided, short, short_percent, significantly_different
from trueerror.sources._grades import RepeatedAnswers, repeated_answers
from trueerror.tallies import Missing

# Of how many answers the best and the worst are shown, where nothing else is asked for.
USUAL = (1, 2, 5, 10, 20, 50, 100)
SHOWN = 3
# Fewer questions than these are said to be few.
FEW_QUESTIONS = 30
Kind = Literal["best", "worst", "majority"]
# What each is called of answers that are right or wrong, and of graded ones.
NAMES: dict[Kind, tuple[str, str]] = {
    "best": ("pass@{k}", "best of {k}"),
    "worst": ("pass^{k}", "worst of {k}"),
    "majority": ("majority of {k}", ""),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RepeatedModel(DocumentResult):
    """One model's answers: the mean, the best and the worst of k, the majority, each over questions with its interval.

    `between` is the variance between questions and `within` that of answers to the same question; `consistency` is how
    often two answers to a question have the same grade (on a scale: 1 − their mean distance over its width).
    """

    name: str
    questions: int
    answers: int
    fewest: int
    most: int
    always: int
    never: int
    metrics: dict[str, Interval]
    consistency: Interval | None
    between: float
    within: float

    @property
    def mean(self) -> Interval:
        """The mean over questions: pass@1."""
        return next(iter(self.metrics.values()))

    @property
    def components(self) -> Components:
        """The two variances, and what follows from them."""
        return Components(self.between, self.within)

    def error(self, *, questions: int | None = None, repeats: float | None = None) -> float:
        """The standard error that the mean would have with so many questions and answers to each."""
        return self.components.error(questions or self.questions, repeats or self.answers / self.questions)

    def records(self) -> list[dict[str, object]]:
        """One record for each metric."""
        intervals = [
            *self.metrics.items(),
            *([("consistency", self.consistency)] if self.consistency is not None else []),
        ]
        return [
            {"model": self.name, "metric": m, "estimate": i.estimate, "low": i.low, "high": i.high, "n": i.n}
            for m, i in intervals
        ]

    def document(self) -> Document:
        rows = tuple((m, short(i)) for m, i in self.metrics.items())
        return page("", (), TableBlock(Table(columns=("", percent(self.mean.confidence)), rows=rows, names=1)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Repeats(DocumentResult):
    """Several answers to the same questions, of one model or more.

    `r["pass@5"]` is an interval, of several models `r["pass@5", "a"]`; `r.model("a")` has everything of one;
    `r.contrast("a", "b", "pass@5")` is a paired difference over the questions, adjusted over the pairs of models.
    """

    parts: tuple[RepeatedModel, ...]
    pairs: tuple[Contrast, ...]
    adjust: str
    confidence: float
    right_or_wrong: bool
    scale: tuple[float, float]
    reading: str
    cost_ratio: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(m.name for m in self.parts)

    def _made_by(self) -> list[tuple[str, object]]:
        return [(metric, interval) for part in self.parts[:1] for metric, interval in part.metrics.items()]

    def model(self, name: str) -> RepeatedModel:
        """One model by name."""
        for part in self.parts:
            if part.name == name:
                return part
        raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")

    def __getitem__(self, key: str | tuple[str, str]) -> Interval:
        metric, name = key if isinstance(key, tuple) else (key, None)
        if name is None and len(self.parts) > 1:
            raise InputError(f"there are {len(self.parts)} models: ask for [{metric!r}, {self.models[0]!r}]")
        part = self.parts[0] if name is None else self.model(name)
        interval = {**part.metrics, "consistency": part.consistency, "mean": part.mean}.get(metric)
        if interval is None:
            raise InputError(
                f"there is no {metric!r} here{nearest(metric, [*part.metrics, 'consistency'])}; k= asks for more"
            )
        return interval

    def contrast(self, first: str, second: str, metric: str | None = None) -> Contrast:
        """First − second over the same questions; by the mean unless told."""
        wanted = next(iter(self.model(first).metrics)) if metric is None else metric
        for c in self.pairs:
            if c.name == wanted and (c.first, c.second) == (first, second):
                return c
            if c.name == wanted and (c.second, c.first) == (first, second):
                return _turned(c)
        raise InputError(f"{first!r} and {second!r} were not compared by {wanted!r}: k= asks for more")

    @property
    def best(self) -> str:
        """The model with the highest mean."""
        return max(self.parts, key=lambda m: m.mean.estimate).name

    @property
    def verdict(self) -> str:
        """How good each is at the first try and in several, and which is better."""
        return " ".join([*(_told(m, self) for m in self.parts[:4]), *self._compared()])

    def _compared(self) -> list[str]:
        sentences = []
        for other in (part.name for part in self.parts if part.name != self.best):
            name = next(iter(self.parts[0].metrics))
            c = self.contrast(self.best, other, name)
            if not significantly_different(c):
                sentences.append(f"No clear difference between {self.best} and {other} in {name} ({decided(c)}).")
            else:
                power, least = _unit_and_decimals(self)
                shown = common_format(c.estimate, c.low, c.high, least=least, power=power, sign=True)
                sentences.append(
                    f"{self.best} is better than {other} in {name}: {shown(c.estimate)}{_unit(self)}, "
                    f"{ci_words(c.low, c.high, self.confidence, shown)} ({decided(c)})."
                )
        return sentences[:4]

    def _adjusted(self) -> str:
        count = len(self.parts) * (len(self.parts) - 1) // 2
        return f", {self.adjust} over {count} pairs, metric by metric" if count > 1 else ""

    def records(self) -> list[dict[str, object]]:
        """One record for each model and metric."""
        return [record for m in self.parts for record in m.records()]

    def document(self) -> Document:
        blocks = [TableBlock(_metrics_table(self))]
        if self.pairs:
            blocks.append(TableBlock(_pairs_table(self)))
        blocks.append(TableBlock(_variance_table(self)))
        words = [_allocation(m, self) for m in self.parts[:3]]
        return page(
            self.reading, (self.verdict,), *blocks, *(Paragraph((w,)) for w in words if w),
            footer=[
                f"Estimates: {'each model' if len(self.parts) > 1 else 'this model'} on questions drawn at random like "
                f"these {whole(self.parts[0].questions)}, whose answers are one draw.",
                f"Methods: {', '.join(dict.fromkeys(i.method for m in self.parts for i in m.metrics.values()))}"
                + (f"; pairs by {self.pairs[0].method}{self._adjusted()}" if self.pairs else "")
                + "; .explain() or --explain for more.",
                *self.notes,
            ],
        )  # fmt: skip


def _unit_and_decimals(repeats: Repeats) -> tuple[int, int]:
    """The power of ten of the unit, per cent for shares, and the fewest decimals."""
    return (2, 1) if repeats.right_or_wrong else (0, 3)


def _unit(made: Repeats) -> str:
    return " points" if made.right_or_wrong else ""


def _short(made: Repeats, i: Interval) -> str:
    return short_percent(i) if made.right_or_wrong else short(i)


def _turned(c: Contrast) -> Contrast:
    better = None if c.p_better is None else 1 - c.p_better
    return replace(
        c, first=c.second, second=c.first, estimate=-c.estimate, low=-c.high, high=-c.low, statistic=-c.statistic,
        p_better=better,
    )  # fmt: skip


def _told(m: RepeatedModel, of: Repeats) -> str:
    """One model in a sentence: the first try, and the best and the worst of the most tries."""
    mean = m.mean
    power, least = _unit_and_decimals(of)
    shown = common_format(mean.estimate, mean.low, mean.high, least=least, power=power)
    if not of.right_or_wrong:
        reach = ci_words(mean.low, mean.high, of.confidence, shown)
        return f"{one_line(m.name)}: mean score {shown(mean.estimate)}, {reach}."
    reach = ci_words(mean.low, mean.high, of.confidence, shown, unit=" %")
    share = f"{shown(mean.estimate)} % of questions like these right at the first try"
    lead = f"{one_line(m.name)} gets {share}, {reach}"
    more = [(name, i) for name, i in m.metrics.items() if name.startswith(("pass@", "pass^")) and i is not mean]
    tries = [f"{percents(i.estimate)} % {_in_words(name)}" for name, i in _last_of_each(more)]
    return f"{lead}; {listing(tries)}." if tries else f"{lead}."


def _last_of_each(named: list[tuple[str, Interval]]) -> list[tuple[str, Interval]]:
    return list({name[:5]: (name, i) for name, i in named}.values())


def _in_words(name: str) -> str:
    k = name[5:]
    return f"in {k} tries (pass@{k})" if name.startswith("pass@") else f"all {k} times (pass^{k})"


def _metrics_table(made: Repeats) -> Table:
    """Metrics down, models across; of one model the interval."""
    names = dict.fromkeys(name for m in made.parts for name in m.metrics)
    models = made.parts[:5]
    rows = [
        (name, *(_short(made, m.metrics[name]) if name in m.metrics else "–" for m in models)) for name in names
    ]  # fmt: skip
    if any(m.consistency is not None for m in models):
        word = "consistency" if made.right_or_wrong else "consistency (1 − distance)"
        rows.append((word, *("–" if m.consistency is None else _short(made, m.consistency) for m in models)))
    unit = "In %, with" if made.right_or_wrong else "In brackets:"
    title = f"{unit} {percent(made.confidence)} intervals over questions. Consistency: answers that agree."
    return Table(columns=("", *(one_line(m.name) for m in models)), rows=tuple(rows), names=1, title=title)


def _pairs_table(made: Repeats) -> Table:
    power, least = _unit_and_decimals(made)
    rows = tuple(
        (c.name, c.first, c.second,
         *estimate_and_limits(c.estimate, c.low, c.high, least=least, power=power, sign=True),
         p_value(c.p_value if c.p_adjusted is None else c.p_adjusted).removeprefix("p ").removeprefix("= "))
        for c in made.pairs[:12]
    )  # fmt: skip
    word = "p" if len(made.parts) == 2 else "adjusted p"
    points = " (points)" if made.right_or_wrong else ""
    head = ("", "first", "second", f"first − second{points}", f"{percent(made.confidence)} CI", word)
    return Table(columns=head, rows=rows, names=3)


def _variance_table(made: Repeats) -> Table:
    """Where the variance is, and how many questions are always or never answered."""
    rows = []
    for m in made.parts:
        share = m.components.share_within
        share_words = "–" if math.isnan(share) else f"{percents(share, 0)} %"
        rows.append(
            (one_line(m.name), number(m.between), number(m.within), share_words, whole(m.always), whole(m.never))
        )
    ends = ("always right", "never right") if made.right_or_wrong else ("always best", "always worst")
    head = ("model", "variance between questions", "within questions", "share within", *ends)
    return Table(columns=head, rows=tuple(rows), names=1)


def _allocation(m: RepeatedModel, made: Repeats) -> str:
    """What more questions or more repeats would buy, in half-widths of the mean's interval."""
    parts = m.components
    if math.isnan(m.between) or m.between + m.within == 0:
        return ""
    z, r = critical_z(made.confidence), m.answers / m.questions

    def half(questions: float, repeats: float) -> str:
        error = z * parts.error(questions, repeats)
        return f"±{percents(error)} points" if made.right_or_wrong else f"±{number(error)}"

    whose = f" of {one_line(m.name)}" if len(made.parts) > 1 else ""
    lead = (
        f"The {percent(made.confidence)} interval of the mean{whose} is {half(m.questions, r)} now. It would be "
        f"{half(2 * m.questions, r)} with twice the questions, {half(m.questions, 2 * r)} with twice the answers to "
        f"each, and not below {half(m.questions, math.inf)} with any number of answers."
    )
    if parts.within == 0:
        return f"{lead} Answers to one question were always alike, so repeats add nothing."
    if parts.between == 0 and made.cost_ratio is not None:
        return f"{lead} Questions show no variance of their own, so more answers to old ones are cheaper."
    if parts.between == 0:
        return f"{lead} Questions show no variance of their own, so another answer to an old one tells as much."
    if made.cost_ratio is None:
        even = parts.break_even
        words = "fewer than 0.1 answers" if even < 0.1 else f"{even:.1f} answers"
        return f"{lead} A second answer to each question pays only if a new question costs more than {words}."
    best = parts.best_repeats(made.cost_ratio)
    each = "1 answer to each question makes" if best == 1 else f"{best:,.0f} answers to each question make"
    outlay = f"if a new question costs as much as {made.cost_ratio:g} answers"
    return f"{lead} For the same cost {each} the mean most precise, {outlay}."


def repeats(
    answers: object,
    *,
    k: int | Iterable[int] | None = None,
    grade: str | None = None,
    models: str | Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    ids: ArrayLike = None,
    clusters: ArrayLike = None,
    cost_ratio: float | None = None,
    method: str | None = None,
    adjust: str = "holm",
    confidence: float = 0.95,
    missing: Missing = "error",
    table: str | None = None,
) -> Repeats:
    """Several answers to the same questions: pass@k and pass^k, the majority, how alike answers are, and what more
    questions or more repeats would buy.

    `answers` is a table of questions × answers, right (1) or wrong (0) or graded on the `scale`, of one model or
    {"name": table}; or a long table (a path, a data frame) with the columns id, grade and perhaps model, where rows
    that share an id answer the same question (`ids=`, `grade=`, `models=`, `clusters=` name columns); or logs with
    epochs (`grade=` names the scorer, `clusters=` a field). Questions may have different numbers of answers.
    `table="name"` chooses a table of a SQLite or DuckDB file that holds several, or a sheet of a workbook.

    pass@k is the chance that at least one of k answers is right, pass^k that all are, each without bias from all
    answers (Chen and others 2021); of grades they are the expected best and worst of k. `k` asks for other numbers than
    the usual ones. Questions are the draws: intervals and paired differences are over questions (over `clusters` of
    them where given), so answers to one question are never counted as independent. `cost_ratio` is what a new question
    costs in answers: it gives the number of answers to each question that makes the mean surest for the outlay.
    `method` asks for another interval ("t"), `adjust` for another correction over pairs.

    >>> r = repeats([[1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]])
    >>> print(r["pass@2"])
    pass@2 0.700 [0.208, 0.954], 95 % effective-t, n = 5
    >>> r.parts[0].always, r.parts[0].never
    (1, 1)
    """
    level = check_confidence(confidence)
    check_word(adjust, ADJUSTMENTS, "adjust")
    if cost_ratio is not None and not (isinstance(cost_ratio, int | float) and 0 <= cost_ratio < math.inf):
        raise InputError(
            f"cost_ratio={cost_ratio!r} must be a number of at least 0: what a new question costs in answers"
        )
    given = repeated_answers(
        answers, grade=grade, models=models, scale=scale, ids=ids, clusters=clusters, missing=missing, table=table
    )
    tables = {m: AnswerGrades(grades, given.scale) for m, grades in given.grades.items()}
    empty = next((m for m, t in tables.items() if not t.counts.any()), None)
    if empty is not None:
        raise InputError(f"{empty!r} has no answers: leave it out, or give it some")
    if adjust != "holm" and len(tables) < 3:
        raise InputError(f"adjust={adjust!r} corrects over pairs of models, and there is no second pair: leave it out")
    fewest = min(int(t.counts[t.counts > 0].min()) for t in tables.values())
    sizes = _asked(k, fewest, max(int(t.counts.max()) for t in tables.values()))
    values = {m: _values(t, sizes, given.right_or_wrong) for m, t in tables.items()}
    spec = IntervalSpec(confidence=level)
    over = _interval_maker(given, spec, method)
    parts = tuple(_part(m, tables[m], values[m], over, given) for m in tables)
    pairs: list[Contrast] = []
    for name in dict.fromkeys(name for by_metric in values.values() for name in by_metric):
        contrasts = [
            question_contrast(values[a][name], values[b][name], given.scale, _codes(given.clusters), spec)
            for a, b in combinations(tables, 2)
        ]
        named = [
            replace(c, name=name, first=a, second=b)
            for c, (a, b) in zip(contrasts, combinations(tables, 2), strict=True)
        ]
        pairs += adjust_contrasts(named, adjust)
    return Repeats(
        parts=parts, pairs=tuple(pairs), adjust=adjust, confidence=level,
        right_or_wrong=given.right_or_wrong, scale=given.scale, reading=_reading(given, tables), cost_ratio=cost_ratio,
        notes=(*given.notes, *few_questions(min(m.questions for m in parts)), *_left_out(tables, sizes)),
    )  # fmt: skip


def pass_at_k(
    answers: object,
    k: int = 1,
    *,
    every: bool = False,
    of: int | ArrayLike = None,
    clusters: ArrayLike = None,
    method: str | None = None,
    confidence: float = 0.95,
) -> Interval:
    """pass@k of one model over its questions, with an interval: the chance that one of k answers is right.

    `answers` is a table of questions × answers, right (1) or wrong (0); or how many answers to each question were
    right, with `of`, how many there were (a number, or one for each). 1 − C(n − c, k)/C(n, k) of each question, without
    bias (Chen and others 2021, arXiv 2107.03374); with `every=True` pass^k, the chance that all k are right,
    C(c, k)/C(n, k).

    >>> print(pass_at_k([3, 0, 5, 1], k=2, of=5))
    pass@2 0.575 [0.109, 0.937], 95 % effective-t, n = 4
    """
    k, given = count(k, "k"), answers if of is None else _from_counts(answers, of)
    if isinstance(given, Mapping):
        raise InputError("pass_at_k is of one model: te.repeats takes several")
    analysis = repeats(given, k=k, clusters=clusters, method=method, confidence=confidence)
    if not analysis.right_or_wrong:
        raise InputError("pass@k is of answers that are right (1) or wrong (0); te.repeats has the best of k of grades")
    return analysis[f"pass^{k}" if every and k != 1 else f"pass@{k}"]


MOST_ANSWERS = 100_000_000


def _from_counts(right: object, of: object) -> list[list[float]]:
    """How many were right of how many, as lines of 1 and 0."""
    counts, totals = (plain_numbers(x if np.isscalar(x) else column(x, name), name) for x, name in
                      ((right, "answers"), (of, "of")))  # fmt: skip
    counts = np.atleast_1d(counts)
    totals = np.broadcast_to(totals.reshape(()), counts.shape) if totals.size == 1 else totals
    wrong = (
        counts.shape != totals.shape
        or counts.ndim != 1
        or not (np.isfinite(counts).all() and np.isfinite(totals).all())
    )
    if wrong or (counts != np.floor(counts)).any() or (totals != np.floor(totals)).any():
        raise InputError("with of= the answers are whole numbers: how many of each question's answers were right")
    if (counts < 0).any() or (counts > totals).any() or (totals < 1).any():
        row = int(np.argmax((counts < 0) | (counts > totals) | (totals < 1)))
        raise InputError(f"question {row + 1:,} has {counts[row]} right of {totals[row]}: at most all can be right")
    if totals.max(initial=0) > MOST_ANSWERS / max(totals.size, 1):
        raise InputError(
            f"of={totals.max():g} answers to a question are too many: {MOST_ANSWERS:,} in all can be judged"
        )
    return [[1.0] * int(c) + [0.0] * int(n - c) for c, n in zip(counts, totals, strict=True)]


def _asked(k: int | Iterable[int] | None, fewest: int, most: int) -> list[int]:
    """Of how many answers the best and the worst are taken, 1 first."""
    if k is None:
        usual = [n for n in (*USUAL, fewest) if n <= fewest]
        known = sorted(set(usual))
        return known if len(known) <= SHOWN else [1, *known[1:][-(SHOWN - 1) :]]
    try:
        wanted = [k] if isinstance(k, int | np.integer) else list(k)
    except TypeError:
        wanted = [0]
    for n in wanted:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InputError(f"k={k!r:.40} must be whole numbers of at least 1: of how many answers the best is taken")
        if n > most:
            raise InputError(f"k={n} answers are more than any question has ({most})")
    return sorted({1, *map(int, wanted)})


def _values(t: AnswerGrades, sizes: Sequence[int], right_or_wrong: bool) -> dict[str, Floats]:
    """One value a question for each metric."""
    of: dict[Kind, Callable[[int], Floats]] = {"best": t.best_of, "worst": t.worst_of, "majority": t.majority_of}
    by_metric: dict[str, Floats] = {}
    for kind, values in of.items():
        name = NAMES[kind][0 if right_or_wrong else 1]
        for n in sizes:
            if name and (n > 1 or kind == "best") and (n > 2 or kind != "majority"):
                by_metric["mean score" if n == 1 and not right_or_wrong else name.format(k=n)] = values(n)
    return by_metric


def _interval_maker(
    found: RepeatedAnswers, spec: IntervalSpec, method: str | None
) -> Callable[[str, Floats], Interval]:
    measure = find_measure("mean_score")
    options = {} if found.scale == (0.0, 1.0) else {"scale": found.scale}

    def over(name: str, values: Floats) -> Interval:
        units = question_units(values, _codes(found.clusters))
        metric_options = {} if name == "consistency" else options
        q = Problem(metric=measure, sample=MeanSample.of(units), spec=spec, options=metric_options)
        return replace(interval_of(q, method), name=name)

    return over


def _codes(clusters: Codes | None) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]] | None:
    return None if clusters is None else clusters.astype(np.int64)


def _part(
    name: str,
    t: AnswerGrades,
    values: Mapping[str, Floats],
    over: Callable[[str, Floats], Interval],
    found: RepeatedAnswers,
) -> RepeatedModel:
    counts = t.counts
    answered = counts > 0
    grades = t.grades[answered]
    means = np.nanmean(grades, axis=1)
    alike = t.alike()
    parts = t.components()
    return RepeatedModel(
        name=name, questions=int(answered.sum()), answers=int(counts.sum()), fewest=int(counts[answered].min()),
        most=int(counts.max()), always=int((means == found.scale[1]).sum()), never=int((means == found.scale[0]).sum()),
        metrics={metric: over(metric, v) for metric, v in values.items()},
        consistency=over("consistency", alike) if (counts > 1).any() else None, between=parts.between,
        within=parts.within,
    )  # fmt: skip


def _reading(found: RepeatedAnswers, tables: Mapping[str, AnswerGrades]) -> str:
    counts = np.concatenate([t.counts[t.counts > 0] for t in tables.values()])
    low, high = int(counts.min()), int(counts.max())
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    kind = "right or wrong" if found.right_or_wrong else f"graded from {found.scale[0]:g} to {found.scale[1]:g}"
    names = ", ".join(one_line(m) for m in list(tables)[:12])
    models = "1 model" if len(tables) == 1 else f"{len(tables)} models"
    groups = "" if found.clusters is None else f" With {len(np.unique(found.clusters)):,} clusters of questions."
    plural = "answer" if high == 1 else "answers"
    reading = f"Read {len(found.questions):,} questions with {each} {plural} each ({kind}): {models}: {names}.{groups}"
    return " ".join((reading, *found.about_files))


def few_questions(questions: int) -> tuple[str, ...]:
    """What is said of few questions: pass@k near 0 or 100 % then hangs on two or three of them."""
    if questions >= FEW_QUESTIONS:
        return ()
    rough = "read the intervals, not the estimates; near the ends of the scale they are rough"
    return (f"Only {questions} questions: {rough}.",)


def _left_out(tables: Mapping[str, AnswerGrades], sizes: Sequence[int]) -> tuple[str, ...]:
    """Questions with fewer answers than a k asks for."""
    notes = []
    for m, t in tables.items():
        for n in sizes:
            short_of = int(((t.counts < n) & (t.counts > 0)).sum())
            if short_of:
                notes.append(
                    f"{short_of:,} questions of {one_line(m)} have fewer than {n} answers: left out at k = {n}."
                )
    if all(int(t.counts.max()) == 1 for t in tables.values()):
        notes.append("Every question has one answer: nothing shows how far another one would differ.")
    return tuple(notes)
