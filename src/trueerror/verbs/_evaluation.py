"""An evaluation: what is known about models on one test sample, each number with its interval, and how it is said.

The verdict comes first, in plain words; numbers second; methods last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypedDict

from trueerror.curves._operating_point import OperatingPoint
from trueerror.findings import Finding, Findings
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Contrast, DocumentResult, Interval, Table, Text, TrackedResult
from trueerror.results._document import (
    WIDTH,
    Block,
    Cell,
    Document,
    Media,
    Paragraph,
    TableBlock,
    Verdict,
    cells_block,
    page,
)
from trueerror.results._format import (
    capitalised,
    ci_words,
    common_format,
    estimate_and_limits,
    filled,
    key_names,
    listing,
    number,
    one_line,
    p_value,
    percent,
    some,
    whole,
    width,
)
from trueerror.results._values import common_decimals, interval_cell, short, surety
from trueerror.tallies import Confusion
from trueerror.tallies._graded import is_graded
from trueerror.verbs._model_metrics import Design, ModelMetrics, Settings, commonest_p, unknown

if TYPE_CHECKING:
    from trueerror.verbs._gaps import Gaps

# Metrics that fit beside each other when several models share a table, most telling first.
COLUMNS = ("expected_cost", "accuracy", "auc", "recall", "precision", "balanced_accuracy", "macro_f1", "mcc")
# What leads where nearly all rows are of one class.
RATHER = ("auc", "balanced_accuracy")
SHOWN_CLASSES = 12
SHOWN_SLICES = 20
NOT_SAVED = {"saved": False}


class RecordedSettings(TypedDict, total=False):
    """The settings that a saved evaluation keeps; `asked` are the metrics that were named, or "all"."""

    confidence: float
    design: Design
    threshold: float | None
    asked: Literal["all"] | tuple[str, ...] | None
    replicates: int
    seed: int | str
    together: bool
    several_labels: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModelEvaluation(DocumentResult):
    """One model: its confusion matrix, its metrics, and the constant classifier beside it.

    `confusion` is None for scores that were never cut into calls. `counts_suffice` says whether the confusion matrix
    alone, as a saved evaluation has it, gives further metrics: not where rows are clustered or another class mix or
    design was asked for. `cheapest` is the cost-optimal threshold, where costs or a class mix were given with scores,
    and `against_constant` what a row costs more than the cheapest constant answer, where costs were given.
    `counted` is where further metrics come from, and how a constant answer does; a loaded evaluation has what was saved
    of them (`loaded_…`).
    """

    name: str
    confusion: Confusion | None
    positive: Label | None
    overall: dict[str, Interval]
    loaded_baseline: Interval | None = None
    baseline_label: Label | None
    loaded_baseline_p: float | None = None
    counts_suffice: bool = True
    cheapest: OperatingPoint | None
    against_constant: Contrast | None = None
    loaded_selective: dict[float, Interval] | None = None
    loaded_classes: dict[tuple[str, Label], Interval] | None = None
    counted: ModelMetrics | None = field(default=None, metadata=NOT_SAVED)

    def __reduce__(self) -> Any:
        return (ModelEvaluation._from_data, (self._to_data(),))

    @cached_property
    def bench(self) -> ModelMetrics:
        """Where further metrics come from; a loaded evaluation still has its confusion matrix."""
        if self.counted is not None:
            return self.counted
        if self.confusion is None:
            raise InputError(f"a loaded evaluation of {self.name} holds no counts, so no further metric can be had")
        if not self.counts_suffice:
            raise InputError(
                f"a loaded evaluation of {self.name} holds its counts, but not the clusters, prior= or design= "
                "that its intervals rest on, so no further metric can be had: evaluate the rows again"
            )
        settings = Settings(confidence=self.confidence)
        return ModelMetrics(self.name, settings, confusion=self.confusion, estimand=self.baseline.estimand)

    @classmethod
    def of_figures(cls, bench: ModelMetrics, overall: dict[str, Interval], why: str, **more: Any) -> ModelEvaluation:
        """Figures whose rows have no commonest class, and why."""
        none = unknown("accuracy", bench.settings.confidence, why, estimand=bench.estimand)
        return cls(
            name=bench.model, confusion=None, positive=None, overall=overall, loaded_baseline=none, baseline_label=None,
            loaded_baseline_p=math.nan, cheapest=None, loaded_selective={}, counted=bench, **more,
        )  # fmt: skip

    @property
    def confidence(self) -> float:
        """The confidence of the intervals."""
        return next((i.confidence for i in self.overall.values()), 0.95)

    @cached_property
    def baseline(self) -> Interval:
        """How often always answering the commonest class is right."""
        if self.loaded_baseline is not None:
            return self.loaded_baseline
        share = self.bench.interval("prevalence", self.baseline_label)
        return replace(share, name=f"accuracy of always {self.baseline_label}")

    @cached_property
    def baseline_p(self) -> float:
        """The p-value of the model's accuracy against that answer; NaN where they are not held against each other."""
        return commonest_p(self.bench) if self.loaded_baseline_p is None else self.loaded_baseline_p

    @cached_property
    def classes(self) -> dict[tuple[str, Label], Interval]:
        """Precision, recall and F1 of each class."""
        if self.loaded_classes is not None:
            return self.loaded_classes
        return {} if self.confusion is None or is_graded(self.confusion) else self.bench.per_class()

    @cached_property
    def selective(self) -> dict[float, Interval]:
        """Accuracy on the most confident share of the rows, by share, where the model has scores."""
        from trueerror.verbs._model_metrics import confident_shares

        if self.loaded_selective is not None:
            return self.loaded_selective
        return {} if self.counted is None else confident_shares(self.counted)

    @property
    def classes_matter(self) -> bool:
        """Whether the classes are worth a table of their own."""
        if self.confusion is None:
            return bool(self.classes)
        if is_graded(self.confusion):
            return False
        return len(self.confusion.labels) > 2 or self.confusion.positive is None

    @property
    def shows_accuracy(self) -> bool:
        """Whether the share of right answers is among what was asked for: the constant answer is judged by it."""
        return any(find_measure(m).right_or_wrong for m in self.overall)

    @property
    def at_given_prior(self) -> bool:
        """Whether the class mix is one that was given: the constant answer's accuracy is known then, not estimated."""
        return self.baseline_label is not None and not self.baseline.method

    def metric(self, name: str, label: Any = None) -> Interval:
        """A metric that was asked for, or any other that the counts can give."""
        measure = find_measure(name)
        if label is None:
            return self.overall.get(measure.name) or self.bench.interval(measure.name)
        return self.classes.get((measure.name, label)) or self.bench.interval(measure.name, label)

    def metric_or_reason(self, name: str) -> Interval:
        """The metric, for a table beside other models: undefined, with the reason, where this model has none."""
        try:
            return self.metric(name)
        except InputError as error:
            return unknown(name, self.confidence, str(error))

    def _made_by(self) -> list[tuple[str, object]]:
        return list(self.overall.items())

    def records(self) -> list[dict[str, object]]:
        of_class = {m: find_measure(m).of_one_class for m in self.overall}
        rows: list[tuple[str, Label | None, Interval]] = [
            (m, self.positive if of_class[m] else None, i) for m, i in self.overall.items()
        ]
        # What is there for the positive class already is not said again among the classes.
        rows += [
            (m, label, i) for (m, label), i in self.classes.items() if label != self.positive or not of_class.get(m)
        ]
        rows += [(f"accuracy of always {self.baseline_label}", None, self.baseline)]
        rows += [(f"accuracy on the most confident {share:.0%}", None, i) for share, i in self.selective.items()]
        fields = ("estimate", "low", "high", "confidence", "method")
        return [
            {
                "model": self.name, "metric": metric, "class": label, **{f: getattr(i, f) for f in fields},
                "n": self._rows_behind(metric, i), "note": i.note,
            }
            for metric, label, i in rows
        ]  # fmt: skip

    def _rows_behind(self, metric: str, found: Interval) -> float | None:
        """How many rows a figure is of: those of its proportion, else all. What rows are worth is no number of rows."""
        measure = None if " " in metric else find_measure(metric)
        if measure is not None and measure.of_labels and measure.share is None and self.confusion is not None:
            return self.confusion.n
        return int(found.n) if found.n is not None and float(found.n).is_integer() else found.n

    def _to_data(self) -> dict[str, Any]:
        names = (f.name.removeprefix("loaded_") for f in fields(self) if f.name != "counted")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        loaded = {f.name.removeprefix("loaded_"): f.name for f in fields(cls)}
        return super()._from_data({loaded[name]: value for name, value in data.items()})

    def document(self) -> Document:
        return Document((Verdict(model_verdict(self)), TableBlock(metrics_table(self), where=Media.SCREEN)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Evaluation(TrackedResult):
    """One or several models on one test sample.

    `ev["accuracy"]` is an Interval, `ev["recall", "b"]` that of one class; any registered metric can be asked for.
    With several models, `ev.model(name)` gives one; `ev.slices[value]` gives the evaluation of a slice. `ev.expected`
    is what to expect of the model that has the best figure: the choice among several is allowed for.
    """

    n: int
    labels: tuple[Label, ...]
    parts: tuple[ModelEvaluation, ...]
    reading: str
    estimand: str
    findings: Findings
    slices: dict[Label, Evaluation] = field(default_factory=dict)
    settings: RecordedSettings = field(default_factory=RecordedSettings)
    expected: Interval | None = None
    backend: str | None = field(default=None, metadata=NOT_SAVED)
    _asked_for: ClassVar[str] = (
        'metrics are asked for in brackets, ev["accuracy"], ev["recall", label]; .frame() has all'
    )
    _says_verdict: ClassVar[bool] = True

    def __reduce__(self) -> Any:
        return (Evaluation._from_data, ({**self._to_data(), "backend": self.backend},))

    @property
    def _backend(self) -> str | None:  # type: ignore[override]
        return self.backend

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(p.name for p in self.parts)

    @property
    def first_metric(self) -> str:
        """The first metric that all models have, or else that of the first."""
        own = [list(part.overall) for part in (*self.parts, *(p for s in self.slices.values() for p in s.parts))]
        return next(iter([m for m in own[0] if all(m in metrics for metrics in own)] or own[0]), "accuracy")

    @property
    def positive(self) -> Label | None:
        """The positive class, where there is one."""
        return self.parts[0].positive

    def model(self, name: str) -> Evaluation:
        """The evaluation of one of the models."""
        for part in self.parts:
            if part.name == name:
                about = Findings(items=tuple(f for f in self.findings if f.about in ("", name)))
                slices = {value: s.model(name) for value, s in self.slices.items()}
                return replace(self, parts=(part,), findings=about, slices=slices, expected=None)
        raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")

    def without(self, *codes: str) -> Evaluation:
        """The same evaluation with some findings silenced, by code."""
        if not codes:
            return self
        slices = {value: inner.without(*codes) for value, inner in self.slices.items()}
        return replace(self, findings=self.findings.without(*codes), slices=slices)

    @property
    def only(self) -> ModelEvaluation:
        """The one model; an error that names them when there are several."""
        if len(self.parts) != 1:
            names = ", ".join(repr(m) for m in self.models[:6])
            raise InputError(f"there are {len(self.parts)} models: choose one with .model(name) among {names}")
        return self.parts[0]

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix of the one model."""
        if self.only.confusion is None:
            raise InputError(f"the scores of {self.only.name} were not cut into calls: pass threshold= to evaluate")
        return self.only.confusion

    @property
    def verdict(self) -> str:
        """How good the models are, in a sentence or two of plain words."""
        return " ".join(" ".join(verdict_lines(self)).split())

    @property
    def cheapest(self) -> OperatingPoint | None:
        """The cost-optimal threshold of the one model, where costs or a class mix were given with scores."""
        return self.only.cheapest

    @property
    def baseline(self) -> Interval:
        """The accuracy of always answering the commonest class."""
        return self.parts[0].baseline

    @property
    def risk_coverage(self) -> dict[float, Interval]:
        """Accuracy on the most confident share of the rows, by share, where the model has scores."""
        return self.only.selective

    def __getitem__(self, key: str | tuple[str, Any]) -> Interval:
        name, label = key if isinstance(key, tuple) else (key, None)
        return self.only.metric(name, label)

    def gaps(self, metrics: Any = None, *, min_rows: int = 10) -> Gaps:
        """Who is worst off among the slices, by how much, and whether that is more than chance: see `te.gaps`."""
        from trueerror.verbs._gaps import evaluation_gaps

        return evaluation_gaps(self, metrics, min_rows=min_rows)

    def records(self) -> list[dict[str, object]]:
        """One record for each model, metric and class, and the same for each slice."""
        rows = [record for part in self.parts for record in part.records()]
        if not self.slices:
            return rows
        rows = [{"slice": None, **record} for record in rows]
        for value, inner in self.slices.items():
            rows += [{"slice": value, **record} for record in inner.records()]
        return rows

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain, method

        used: dict[str, list[str]] = {}
        for part in self.parts:
            for name, interval in part.overall.items():
                if interval.method and name not in used.setdefault(interval.method, []):
                    used[interval.method].append(name)
        blocks = [f"{self.reading}\n{self.estimand}"]
        for key, names in used.items():
            blocks.append(f"{method(key).title}: {', '.join(names)}\n{explain(key)}")
        return Text("\n\n".join(blocks))

    def document(self) -> Document:
        blocks: list[Block | None] = []
        if len(self.parts) > 1:
            blocks.append(_models_in_pieces(replace(self, parts=best_parts_first(self))))
        else:
            part = self.parts[0]
            blocks += [TableBlock(metrics_table(part)), Paragraph(reasons(part), hanging="  ")]
            blocks.append(TableBlock(class_table(part), where=Media.SCREEN) if part.classes_matter else None)
            blocks.append(Paragraph(confused_lines(part), where=Media.SCREEN))
            blocks.append(Paragraph(_confident_lines(part)))
        for table in (thresholds_table(self), slice_table(self)):
            blocks.append(None if table is None else TableBlock(table, where=Media.SCREEN))
        blocks.append(self.findings.block(several=len(self.parts) > 1, said=_said(self)[1]))
        return page(self.reading, verdict_lines(self), *blocks, footer=_footer_lines(self), names=self.models)


def verdict_lines(ev: Evaluation) -> tuple[str, ...]:
    """How good the models are, and the worst finding about the best of them."""
    words, _, but = _said(ev)
    return (*words, *but)


def _said(ev: Evaluation) -> tuple[tuple[str, ...], Finding | None, tuple[str, ...]]:
    """The verdict, and the worst finding beside it."""
    if len(ev.parts) > 1:
        words, leaders = _leader(ev)
        return words, ev.findings.worst(leaders), ev.findings.but(leaders)
    # How the model stands against a constant answer is said beside its accuracy or its cost.
    part = ev.parts[0]
    codes = ("TE210",) if cost_sentences(part) else ("TE201",) if part.overall.get("accuracy") else ()
    rest = ev.findings.without(*codes)
    return model_verdict(part), rest.worst(), rest.but()


def model_verdict(part: ModelEvaluation) -> tuple[str, ...]:
    """How good the model is, and whether that is more than a constant answer would get."""
    if part.confusion is None:
        return _labels_verdict(part) if part.classes else _uncut_verdict(part)
    accuracy = part.overall.get("accuracy")
    if said := judged_sentences(part):
        return (" ".join(said),)
    return _first_metric(part) if accuracy is None else (f"{one_line(part.name)} cannot be judged: {accuracy.note}.",)


def judged_sentences(part: ModelEvaluation) -> tuple[str, ...]:
    """What the model's calls cost, where costs were given, else how often it is right; and what one answer would do."""
    return cost_sentences(part) or accuracy_sentences(part)


def cost_sentences(part: ModelEvaluation) -> tuple[str, ...]:
    """What a row costs, and how that stands against the cheapest constant answer; nothing where that is not known."""
    cost, gap = part.overall.get("expected_cost"), part.against_constant
    if cost is None or gap is None or math.isnan(cost.estimate):
        return ()
    price = cost.estimate - gap.estimate
    figure, reach = _estimate_and_reach(cost)
    sentence = f"{one_line(part.name)} costs {figure} a row, {reach}."
    sure, ahead = surety(gap.p_value, 1 - gap.confidence), gap.estimate < 0
    if gap.estimate == 0 or (math.isnan(gap.p_value) and not ahead):
        stands = "the model is no cheaper than that"
    elif sure == "open":
        stands = f"the model is not clearly {'cheaper' if ahead else 'more costly'} than that ({p_value(gap.p_value)})"
    else:
        how = "clearly" if sure == "clear" else "probably"
        stands = f"the model is {how} {'cheaper' if ahead else 'more costly'} than that ({p_value(gap.p_value)})"
    return (sentence, f'Always answering "{one_line(gap.second)}" would cost {number(price)}: {stands}.')


def accuracy_sentences(part: ModelEvaluation) -> tuple[str, ...]:
    """How often the model is right, and how that stands against a constant answer; nothing where that is not known."""
    accuracy = part.overall.get("accuracy")
    if part.confusion is None or accuracy is None or math.isnan(accuracy.estimate):
        return ()
    shown = common_format(accuracy.estimate, accuracy.low, accuracy.high, least=1, power=2)
    reach = ci_words(accuracy.low, accuracy.high, accuracy.confidence, shown, unit=" %")
    rows = "rows at the class mix asked for" if part.at_given_prior else "rows like these"
    sentence = f"{one_line(part.name)} is right on {shown(accuracy.estimate)} % of {rows}, {reach}."
    if part.baseline_label is None or math.isnan(part.baseline.estimate):
        return (sentence,)
    share = f"{shown(part.baseline.estimate)} %"
    constant = f'Always answering "{one_line(str(part.baseline_label))}" would be right on {share}'
    return (sentence, f"{constant}: {_against_baseline(accuracy, part)}.")


def _estimate_and_reach(
    interval: Interval, least: int = 3, power: int = 0, unit: str = "", decimals: int | None = None
) -> tuple[str, str]:
    """An estimate, and its limits in a sentence or that there are none."""
    three = (interval.estimate, interval.low, interval.high)
    shown = common_format(*three, least=least, power=power, decimals=decimals)
    reach = ci_words(interval.low, interval.high, interval.confidence, shown, unit=unit)
    return shown(interval.estimate), reach


def _first_metric(part: ModelEvaluation) -> tuple[str, ...]:
    """The verdict where accuracy was not asked for: the first metric that was."""
    for metric, interval in part.overall.items():
        if not math.isnan(interval.estimate):
            (title,) = metric_titles(part, [find_measure(metric)])
            return (f"{one_line(part.name)}: {title} is {', '.join(_estimate_and_reach(interval))}.",)
    return ()


def _labels_verdict(part: ModelEvaluation) -> tuple[str, ...]:
    share, reach = _estimate_and_reach(part.metric("accuracy"), least=1, power=2, unit=" %")
    return (f"{one_line(part.name)} gets all labels of a row right on {share} % of rows like these, {reach}.",)


def _uncut_verdict(part: ModelEvaluation) -> tuple[str, ...]:
    if part.baseline_label is None:
        return _first_metric(part)  # scores of folds alone: there are no rows that could be classified
    rest = "Its scores lie outside [0, 1], so no row was classified: give a threshold for accuracy and the rest."
    return (*_first_metric(part), rest)


def _against_baseline(accuracy: Interval, part: ModelEvaluation) -> str:
    gap = accuracy.estimate - part.baseline.estimate
    p = part.baseline_p
    if math.isnan(p):
        return _by_interval(accuracy, part.baseline.estimate)
    better = "better" if gap > 0 else "worse"
    sure = surety(p, 0.05)
    if sure != "open" and gap != 0:
        return f"the model is {'clearly' if sure == 'clear' else 'probably'} {better} than that ({p_value(p)})"
    if gap <= 0:
        return "the model did no better than that"
    return f"the model is not clearly better than that ({p_value(p)})"


def _by_interval(accuracy: Interval, constant: float) -> str:
    """The same without a test: a class mix that was given is known, so the model's own interval decides."""
    if accuracy.estimate <= constant:
        return "the model did no better than that"
    if accuracy.low > constant:
        return "the model is better than that, beyond its interval"
    return "the model is not clearly better than that"


class Leading(NamedTuple):
    """The metric that is looked at first, the models that have a value of it, best first, and why it leads."""

    metric: str
    parts: list[ModelEvaluation]
    why: str

    @property
    def measure(self) -> Measure:
        """What is known of the metric."""
        return find_measure(self.metric)

    @property
    def estimates(self) -> dict[str, Interval]:
        """The models' own figures."""
        return {part.name: part.overall[self.metric] for part in self.parts}


def leading(ev: Evaluation) -> Leading | None:
    """By the first metric that every model has a value of, else by one that some have; where nearly all rows are of one
    class, by one that does not praise answering it.
    """
    names = [m for m in _in_order(ev) if find_measure(m).higher_is_better is not None]
    rare = ev.settings.get("asked") in (None, "all") and "TE103" in ev.findings
    if rare:
        names.sort(key=lambda m: RATHER.index(m) if m in RATHER else len(RATHER))
    defined = {m: [p for p in ev.parts if not math.isnan(p.overall[m].estimate)] for m in names}
    name = next((m for m in names if len(defined[m]) == len(ev.parts)), next((m for m in names if defined[m]), None))
    if name is None:
        return None
    sign = -1 if find_measure(name).higher_is_better else 1
    why = "Nearly all rows are of one class, so accuracy says little. " if rare and name in RATHER else ""
    return Leading(name, sorted(defined[name], key=lambda p: sign * p.overall[name].estimate), why)


def _leader(ev: Evaluation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who has the best figure, in words and by name, and what to expect of one that was picked for it."""
    lead = leading(ev)
    if lead is None:
        return (), ()
    name, parts, why = lead
    first = parts[0].overall[name]
    word = "Highest" if lead.measure.higher_is_better else "Lowest"
    ties = tuple(p.name for p in parts if p.overall[name].estimate == first.estimate)
    each = " each" if len(ties) > 1 else ""
    without = some([one_line(p.name) for p in ev.parts if math.isnan(p.overall[name].estimate)])
    unknown = f" It is undefined for {without}." if without else ""
    doubt = "one is really better than another" if len(ties) > 1 else "it is really better than the others"
    figure, reach = _estimate_and_reach(first, decimals=common_decimals(lead.estimates.values()))
    found = f"{figure}{each}, {reach}."
    if ev.expected is not None:
        expected, reach = _estimate_and_reach(ev.expected, decimals=common_decimals([ev.expected, first]))
        found = f"{figure}{each} on these rows. As the best of {len(parts)}, expect {expected} of it, {reach}."
    return (
        f"{why}{word} {lead.measure.title}: {some(list(map(one_line, ties)))} with {found}{unknown} "
        f"Whether {doubt} is another question: compare answers it.",
    ), ties


def best_parts_first(ev: Evaluation) -> tuple[ModelEvaluation, ...]:
    """The models in the order of the first metric that says which is better; those without a value at the end."""
    name = next((m for m in _in_order(ev) if find_measure(m).higher_is_better is not None), None)
    if name is None:
        return ev.parts
    sign = -1 if find_measure(name).higher_is_better else 1

    def place(part: ModelEvaluation) -> float:
        value = part.overall[name].estimate
        return math.inf if math.isnan(value) else sign * value

    return tuple(sorted(ev.parts, key=place))


def _in_order(ev: Evaluation) -> list[str]:
    """The metrics that all models have: those asked for in their order, else the most telling first, then the rest."""
    shared = _shared_metrics(ev)
    requested = ev.settings.get("asked")
    first = shared if requested and requested != "all" else [m for m in COLUMNS if m in shared]
    return [*first, *(m for m in shared if m not in first)]


def _shared_metrics(ev: Evaluation) -> list[str]:
    return [m for m in ev.parts[0].overall if all(m in p.overall for p in ev.parts)]


def metric_titles(part: ModelEvaluation, measures: Sequence[Measure]) -> list[str]:
    """The metrics' names in a table, with the class that they speak of."""
    of_class = f" ({one_line(str(part.positive))})" if part.positive not in (None, 1) else ""
    return [f"{m.title}{of_class if m.of_one_class or m.of_scores else ''}" for m in measures]


def metrics_table(part: ModelEvaluation) -> Table:
    """A row for each metric of one model, and one for the constant answer."""
    intervals = list(part.overall.values())
    measures = [find_measure(name) for name in part.overall]
    titles, counts = metric_titles(part, measures), [""] * len(measures)
    if not part.at_given_prior:
        counts = _counts(
            part, [None if math.isnan(i.estimate) else m for m, i in zip(measures, intervals, strict=True)]
        )
    if part.baseline_label is not None and part.shows_accuracy:
        titles.append(f'always "{one_line(str(part.baseline_label))}": accuracy')
        intervals.append(part.baseline)
        counts.append("" if part.at_given_prior else _baseline_counts(part))
    written = [estimate_and_limits(i.estimate, i.low, i.high, none="–") for i in intervals]
    columns: tuple[str, ...] = ("", "estimate", f"{percent(part.confidence)} CI", "counts")
    last = len(columns) if any(counts) else len(columns) - 1
    rows = zip(*(titles, *zip(*written, strict=True), counts)[:last], strict=True)
    return Table(columns=columns[:last], rows=tuple(rows))


def _counts(part: ModelEvaluation, measures: Sequence[Measure | None]) -> list[str]:
    """The counts behind proportions, as people picture them: 78 of 85; "" for other metrics, and for None."""
    t = part.confusion
    if t is None or t.weight_sums is not None:
        return [""] * len(measures)
    of_class = None if t.positive is None else t.binary(t.positive)
    of_all = t.classes(weighted=False)
    shares = [m and m.share and m.share(of_class if m.of_one_class else of_all) for m in measures]
    return [f"{whole(float(share[0]))} of {whole(float(share[1]))}" if share else "" for share in shares]


def _baseline_counts(part: ModelEvaluation) -> str:
    if part.confusion is None or part.confusion.weight_sums is not None:
        return ""
    totals = part.confusion.classes(weighted=False).truth
    index = part.confusion.labels.index(part.baseline_label)
    return f"{whole(float(totals[index]))} of {whole(float(totals.sum()))}"


def reasons(part: ModelEvaluation) -> tuple[str, ...]:
    """Why an estimate or its limits are missing, for each metric where they are."""
    missing = {
        metric: "undefined" if math.isnan(interval.estimate) else "no limits"
        for metric, interval in part.overall.items()
        if interval.note and (math.isnan(interval.estimate) or math.isnan(interval.low))
    }
    return tuple([one_line(f"{find_measure(m).title}: {what}, {part.overall[m].note}.") for m, what in missing.items()])


def shown_metrics(ev: Evaluation) -> list[str]:
    """The columns of the table of models: a model that lacks a metric does not take it from the others."""
    if ev.settings.get("asked"):
        return _shared_metrics(ev)
    return [m for m in COLUMNS if any(m in p.overall for p in ev.parts)]


def models_block(ev: Evaluation, metrics: list[str]) -> TableBlock:
    """A row for each model, and one for the constant answer where accuracy is shown."""
    part = next((p for p in ev.parts if p.baseline_label is not None), ev.parts[0])
    measures = [find_measure(m) for m in metrics]
    columns = ["model", *[m.title for m in measures]]
    digits = {
        m: common_decimals([*(p.overall.get(m) for p in ev.parts), part.baseline if m == "accuracy" else None])
        for m in metrics
    }
    rows: list[list[Cell]] = [
        [(p.name, None), *(interval_cell(p.overall.get(m), "–", digits[m]) for m in metrics)] for p in ev.parts
    ]
    if "accuracy" in metrics and part.baseline_label is not None:
        base = [interval_cell(part.baseline if m == "accuracy" else None, "", digits[m]) for m in metrics]
        rows.append([(f'always "{part.baseline_label}"', None), *base])
    of_class = [m.title for m in measures if m.of_one_class or m.of_scores]
    title = f"In brackets: {percent(part.confidence)} intervals."
    if of_class and part.positive not in (None, 1):
        title += f" {listing(of_class)}: of {one_line(str(part.positive))}."
    return cells_block(columns, rows, title=filled(title, WIDTH), note=title)


def _models_in_pieces(ev: Evaluation) -> TableBlock:
    """All metrics that were asked for, in as many tables as fit a terminal; else the most telling ones that fit."""
    chosen, requested = shown_metrics(ev), bool(ev.settings.get("asked"))

    def pieces(most: int) -> list[Table]:
        tables, rest = [], chosen
        while rest:
            tables.append(_fitting(ev, rest, most))
            rest = rest[len(tables[-1].columns) - 1 :] if requested else []
        return tables

    if not requested and not chosen:
        # Without a metric that models share there is nothing to print, but a table to be had.
        return replace(models_block(ev, []), where=Media.NOTEBOOK | Media.EXPORT)
    return replace(models_block(ev, chosen), pieces=pieces)


def _fitting(ev: Evaluation, chosen: list[str], most: int) -> Table:
    """The table of the first metrics that fit beside each other, six columns in all at most."""
    for count in range(min(len(chosen), 4 if most <= WIDTH else 5), 1, -1):
        table = models_block(ev, chosen[:count]).table
        if max(map(width, table.text(most).splitlines())) <= most:
            return table
    return models_block(ev, chosen[:1]).table


def class_table(part: ModelEvaluation) -> Table:
    """Precision, recall and F1 of each class, as far as they can be had; beyond a dozen classes, the weakest."""
    totals = {label: interval.n or 0 for (metric, label), interval in part.classes.items() if metric == "recall"}
    metrics = list(dict.fromkeys(metric for metric, _ in part.classes))
    labels = list(dict.fromkeys(label for _, label in part.classes))
    title = ""
    if len(labels) > SHOWN_CLASSES:
        last = metrics[-1]
        title = f"The {SHOWN_CLASSES} classes of {len(labels):,} with the lowest {find_measure(last).title}:"

        def weakness(label: Label) -> float:
            value = part.classes[last, label].estimate
            return math.inf if math.isnan(value) else value

        labels = sorted(labels, key=weakness)[:SHOWN_CLASSES]
    decimals = {metric: common_decimals(part.classes[metric, label] for label in labels) for metric in metrics}
    rows = tuple(
        (str(label), whole(float(totals[label])), *(short(part.classes[m, label], decimals[m]) for m in metrics))
        for label in labels
    )
    return Table(columns=("class", "rows", *(find_measure(m).title for m in metrics)), rows=rows, title=title)


def confused_lines(part: ModelEvaluation) -> tuple[str, ...]:
    """The classes that are mixed up most often, where there are more than two."""
    t = part.confusion
    if t is None or len(t.labels) < 3 or is_graded(t):
        return ()
    confused = t.most_confused(5)
    errors = f"{whole(confused.errors)} error{'s' * (confused.errors != 1)}"
    return (f"Most often confused (of {errors}): {confused.words()}.",) if len(confused) else ()


def thresholds_table(ev: Evaluation) -> Table | None:
    """The cost-optimal threshold of each model that has one; None where none has."""
    rows = []
    for part in ev.parts:
        point = part.cheapest
        if point is None:
            continue
        cut = "none" if math.isinf(point.threshold) else number(point.threshold)
        elsewhere = "not known" if math.isnan(point.optimism) else short(point.corrected)
        plain = "" if math.isnan(point.untuned) else number(point.untuned)
        rows.append((part.name, cut, elsewhere, number(point.cost), plain))
    if not rows:
        return None
    title = "Thresholds tuned on these rows"
    columns = ("model", "threshold", "expected cost of a row", "here (optimistic)", "threshold from the costs")
    return Table(columns=columns, rows=tuple(rows), title=title)


def slice_table(ev: Evaluation) -> Table | None:
    """Accuracy of each slice, for each model; None without slices."""
    if not ev.slices:
        return None
    metric = ev.first_metric
    slices = list(ev.slices.items())[:SHOWN_SLICES]
    shown = key_names(ev.slices)
    found = [[p.metric_or_reason(metric) for p in inner.parts[:3]] for _, inner in slices]
    decimals = [common_decimals(column) for column in zip(*found, strict=True)]
    rows = tuple(
        (shown[value], whole(inner.n), *map(short, intervals, decimals))
        for (value, inner), intervals in zip(slices, found, strict=True)
    )
    names = ev.models[:3] if len(ev.parts) > 1 else (find_measure(metric).title,)
    more = "" if len(slices) == len(ev.slices) else f" (the first {SHOWN_SLICES} of {len(ev.slices):,})"
    how = "hold together" if ev.settings.get("together") else "hold each by itself"
    title = f"{capitalised(find_measure(metric).title)} by slice{more}; intervals {how}"
    return Table(columns=("slice", "rows", *names), rows=rows, title=title)


def _confident_lines(part: ModelEvaluation) -> tuple[str, ...]:
    selective = part.selective if part.shows_accuracy else {}
    shares = [f"{100 * share:.0f} %: {short(interval)}" for share, interval in selective.items()]
    return (f"Accuracy on its most confident {'; '.join(shares)}.",) if shares else ()


def _footer_lines(ev: Evaluation) -> tuple[str, ...]:
    # A metric whose method depends on a model's counts is named once, with all methods.
    by_metric: dict[str, list[str]] = {}
    for part in ev.parts:
        for metric, interval in part.overall.items():
            if interval.method and interval.method not in by_metric.setdefault(metric, []):
                by_metric[metric].append(interval.method)
    used: dict[tuple[str, ...], list[str]] = {}
    for metric, methods in by_metric.items():
        used.setdefault(tuple(methods), []).append(metric)
    titles = {metric: find_measure(metric).title for metric in by_metric}
    named = []
    for alternatives, metrics in used.items():
        of = ", ".join([*[titles[m] for m in metrics[:3]], *(["…"] if len(metrics) > 3 else [])])
        named += [f"{listing(list(alternatives), 'or')} ({of})"] if alternatives else []
    lines = (one_line(ev.estimand),)
    return (*lines, f"Methods: {'; '.join(named)}; .explain() for more.") if named else lines
