"""How an evaluation speaks: the verdict first, in plain words; numbers second; methods last.

The sentences that an evaluation begins with: how good a model is beside a constant answer, and who is ahead.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING

from trueerror.findings import Findings
from trueerror.findings._rules import by_message
from trueerror.inputs._labels import Label
from trueerror.metrics._registry import find_measure
from trueerror.results import Interval, Table
from trueerror.results._format import apart, filled, limits, listing, number, p_value, percent, whole
from trueerror.results._tables import one_line, width
from trueerror.tallies._confusion import is_graded
from trueerror.verbs._evaluate import thresholds_table

if TYPE_CHECKING:
    from trueerror.verbs._evaluation import Evaluation, ModelEvaluation

WIDTH = 80
# Metrics that fit beside each other when several models share a table, most telling first.
COLUMNS = ("expected_cost", "accuracy", "auc", "recall", "precision", "balanced_accuracy", "macro_f1", "mcc")


def verdict(part: ModelEvaluation) -> str:
    """How good the model is, and whether that is more than a constant answer would get."""
    if part.confusion is None:
        return _labels_verdict(part) if part.classes else _ranking_verdict(part)
    accuracy = part.overall.get("accuracy") or part.baseline
    if "accuracy" not in part.overall:
        return _first_metric(part)
    if math.isnan(accuracy.estimate):
        return f"  {one_line(part.name)} cannot be judged: {accuracy.note}."
    plausible = _reach(accuracy, percents=True)
    sentence = f"{one_line(part.name)} is right on {100 * accuracy.estimate:.1f} % of rows like these, {plausible}."
    if part.baseline_label is not None and not math.isnan(part.baseline.estimate):
        share = f"{100 * part.baseline.estimate:.1f} %"
        constant = f'Always answering "{one_line(str(part.baseline_label))}" would be right on {share}'
        sentence += f" {constant}: {_against_baseline(accuracy, part)}."
    return filled(sentence, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")


def _reach(interval: Interval, *, percents: bool = False) -> str:
    """The limits in a sentence, or that there are none."""
    low, high = interval.low, interval.high
    if math.isnan(low) or math.isnan(high) or (math.isinf(low) and math.isinf(high)):
        return "with no limits to be had"
    if math.isinf(high):
        return f"plausibly {number(low)} or more"
    if math.isinf(low):
        return f"plausibly {number(high)} or less"
    return (
        f"plausibly {100 * low:.1f} to {100 * high:.1f} %" if percents else f"plausibly {number(low)} to {number(high)}"
    )


def _first_metric(part: ModelEvaluation) -> str:
    """The verdict where accuracy was not asked for: the first metric that was."""
    for metric, interval in part.overall.items():
        if not math.isnan(interval.estimate):
            figure = f"{number(interval.estimate)}, {_reach(interval)}"
            sentence = f"{one_line(part.name)}: {metric_title(part, metric)} is {figure}."
            return filled(sentence, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")
    return ""


def _labels_verdict(part: ModelEvaluation) -> str:
    right = part.metric("accuracy")
    sentence = (
        f"{one_line(part.name)} gets all labels of a row right on {100 * right.estimate:.1f} % of rows like these, "
        f"{_reach(right, percents=True)}."
    )
    return filled(sentence, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")


def _ranking_verdict(part: ModelEvaluation) -> str:
    lead = _first_metric(part)
    rest = "Its scores lie outside [0, 1], so nothing was called: give a threshold for accuracy and the rest."
    return f"{lead}\n" + filled(rest, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")


def _against_baseline(accuracy: Interval, part: ModelEvaluation) -> str:
    gap = accuracy.estimate - part.baseline.estimate
    p = part.baseline_p
    if math.isnan(p):
        return _by_interval(accuracy, part.baseline.estimate)
    better = "better" if gap > 0 else "worse"
    if p <= 0.005 and gap != 0:
        return f"the model is clearly {better} than that ({p_value(p)})"
    if p <= 0.05 and gap != 0:
        return f"the model is probably {better} than that ({p_value(p)})"
    if gap <= 0:
        return "the model did no better than that"
    return f"whether the model is better than that cannot be told from these rows ({p_value(p)})"


def _by_interval(accuracy: Interval, constant: float) -> str:
    """The same without a test: a class mix that was given is known, so the model's own interval decides."""
    if accuracy.estimate <= constant:
        return "the model did no better than that"
    if accuracy.low > constant:
        return "the model is better than that, beyond its interval"
    return "whether the model is better than that cannot be told from these rows"


def leader(ev: Evaluation) -> str:
    """Who has the best figure: by the first metric that every model has a value of, else by one that some have."""
    names = [m for m in _in_order(ev) if find_measure(m).higher_is_better is not None]
    defined = {m: [p for p in ev.parts if not math.isnan(p.overall[m].estimate)] for m in names}
    name = next((m for m in names if len(defined[m]) == len(ev.parts)), next((m for m in names if defined[m]), None))
    if name is None:
        return ""
    measure, ranked = find_measure(name), defined[name]
    best = (max if measure.higher_is_better else min)(ranked, key=lambda p: p.overall[name].estimate)
    first = best.overall[name]
    word = "Highest" if measure.higher_is_better else "Lowest"
    ties = [p.name for p in ranked if p.overall[name].estimate == first.estimate]
    each = " each" if len(ties) > 1 else ""
    without = _some([p.name for p in ev.parts if p not in ranked])
    unknown = f" It is undefined for {without}." if without else ""
    doubt = "one is really better than another" if len(ties) > 1 else "it is really better than the others"
    sentence = (
        f"{word} {measure.title}: {_some(ties)} with {number(first.estimate)}{each}, {_reach(first)}.{unknown} "
        f"Whether {doubt} is another question: trueerror compare answers it."
    )
    return filled(sentence, WIDTH - 2, initial_indent="  ", subsequent_indent="  ")


def _in_order(ev: Evaluation) -> list[str]:
    """The metrics that all models have: those asked for in their order, else the most telling first, then the rest."""
    shared = [m for m in ev.parts[0].overall if all(m in p.overall for p in ev.parts)]
    first = [m for m in COLUMNS if m in shared] if ev.settings.get("asked") == "all" else shared_metrics(ev)
    return [*first, *(m for m in shared if m not in first)]


def _some(names: list[str]) -> str:
    """Up to six names as a sentence part, and how many more there are."""
    return listing([one_line(n) for n in names[:6]] + ([f"{len(names) - 6} more"] if len(names) > 6 else []))


def metric_title(part: ModelEvaluation, metric: str) -> str:
    """A metric's name in a table, with the class that it speaks of."""
    measure = find_measure(metric)
    if measure.needs in ("binary", "scores") and part.positive not in (None, 1):
        return f"{measure.title} ({one_line(str(part.positive))})"
    return measure.title


def shared_metrics(ev: Evaluation) -> list[str]:
    """The metrics that every model has, those asked for in their order, else the most telling first."""
    shared = [m for m in ev.parts[0].overall if all(m in p.overall for p in ev.parts)]
    return shared if ev.settings.get("asked") else [m for m in COLUMNS if m in shared]


SHOWN_CLASSES = 12
SHOWN_SLICES = 20


def evaluation_text(ev: Evaluation) -> str:
    """The whole evaluation as text for a terminal, at most 80 columns wide."""
    blocks = [filled(one_line(ev.reading), WIDTH)]
    if len(ev.parts) == 1:
        blocks += [verdict(ev.parts[0]), overall_table(ev).text(WIDTH), reasons_text(ev.parts[0])]
        if _per_class_matters(ev.parts[0]):
            blocks.append(class_table(ev.parts[0]).text(WIDTH))
        blocks += _selective_lines(ev.parts[0])
    else:
        blocks += [leader(ev), models_text(ev)]
    thresholds = thresholds_table(ev)
    if thresholds is not None:
        blocks.append(thresholds.text(WIDTH))
    if ev.slices:
        blocks.append(slice_table(ev).text(WIDTH))
    if len(ev.findings):
        blocks.append(findings_text(ev.findings, several=len(ev.parts) > 1))
    blocks.append(_footer(ev))
    return "\n\n".join(b for b in blocks if b)


def spoken_verdict(ev: Evaluation) -> str:
    """The verdict alone, on one line."""
    return " ".join((verdict(ev.parts[0]) if len(ev.parts) == 1 else leader(ev)).split())


def one_model(part: ModelEvaluation) -> str:
    """One model's verdict and numbers."""
    return f"{verdict(part)}\n\n{_overall_rows(part).text(WIDTH)}"


def _per_class_matters(part: ModelEvaluation) -> bool:
    if part.confusion is None:
        return bool(part.classes)
    if is_graded(part.confusion):
        return False
    return len(part.confusion.labels) > 2 or part.confusion.positive is None


def bracket(interval: Interval) -> str:
    """The limits, or a dash where there are none."""
    if math.isnan(interval.low) and math.isnan(interval.high):
        return "–"
    return limits(interval.low, interval.high)


def short(interval: Interval) -> str:
    """Estimate and limits in as few characters as can be: .956 [.921, .976]."""

    def bare(text: str) -> str:
        return text[1:] if text.startswith("0.") else "-" + text[2:] if text.startswith("-0.") else text

    if math.isnan(interval.estimate):
        return "undefined"
    if math.isnan(interval.low):
        return bare(number(interval.estimate))
    low, high = apart(interval.low, interval.high)
    return f"{bare(number(interval.estimate))} [{bare(low)}, {bare(high)}]"


def _counts(part: ModelEvaluation, metric: str, label: Label | None = None) -> str:
    """The counts behind a proportion, as people picture them: 78 of 85."""
    measure = find_measure(metric)
    t = part.confusion
    if measure.share is None or t is None or t.weight_sums is not None:
        return ""
    if measure.needs == "binary":
        positive = t.positive if label is None else label
        x, n = measure.share(t.binary(positive))
    else:
        x, n = measure.share(t.classes(weighted=False))
    return f"{whole(float(x))} of {whole(float(n))}"


def _overall_rows(part: ModelEvaluation) -> Table:
    level = percent(next((i.confidence for i in part.overall.values()), 0.95))
    same_prior = not any("at another class mix" in i.estimand for i in part.overall.values())
    rows = []
    for metric, interval in part.overall.items():
        known = same_prior and not math.isnan(interval.estimate)
        counts = _counts(part, metric) if known else ""
        rows.append((metric_title(part, metric), number(interval.estimate), bracket(interval), counts))
    if part.baseline_label is not None:
        base = part.baseline
        title = f'always "{one_line(str(part.baseline_label))}": accuracy'
        counts = _baseline_counts(part) if same_prior else ""
        rows.append((title, number(base.estimate), bracket(base), counts))
    columns: tuple[str, ...] = ("", "estimate", f"{level} interval", "counts")
    shown = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    return Table(columns=columns[:shown], rows=tuple(row[:shown] for row in rows))


def reasons_text(part: ModelEvaluation) -> str:
    """Why an estimate or its limits are missing, for each metric where they are."""
    lines = []
    for metric, interval in part.overall.items():
        missing = "undefined" if math.isnan(interval.estimate) else "no limits" if math.isnan(interval.low) else ""
        if missing and interval.note:
            lines.append(f"{find_measure(metric).title}: {missing}, {interval.note}.")
    return "\n".join(filled(one_line(line), WIDTH, subsequent_indent="  ") for line in lines)


def _baseline_counts(part: ModelEvaluation) -> str:
    if part.confusion is None or part.confusion.weight_sums is not None:
        return ""
    totals = part.confusion.classes(weighted=False).truth
    index = part.confusion.labels.index(part.baseline_label)
    return f"{whole(float(totals[index]))} of {whole(float(totals.sum()))}"


def overall_table(ev: Evaluation) -> Table:
    """One model: a row for each metric. Several: a row for each model."""
    return _overall_rows(ev.parts[0]) if len(ev.parts) == 1 else models_table(ev)


def models_table(ev: Evaluation) -> Table:
    """A row for each model: all metrics that were asked for, else the most telling ones that fit into 80 columns."""
    chosen = shown_metrics(ev)
    if ev.settings.get("asked"):
        return _models_table(ev, chosen)
    return _models_table(ev, _fitting(ev, chosen))


def models_text(ev: Evaluation) -> str:
    """The same for a terminal: as many tables as it takes to show every metric that was asked for."""
    chosen = shown_metrics(ev)
    blocks = []
    while chosen:
        now = _fitting(ev, chosen)
        blocks.append(_models_table(ev, now).text(WIDTH))
        chosen = chosen[len(now) :] if ev.settings.get("asked") else []
    return "\n\n".join(blocks)


def shown_metrics(ev: Evaluation) -> list[str]:
    """The columns of the table of models: a model that lacks a metric does not take it from the others."""
    if ev.settings.get("asked"):
        return shared_metrics(ev)
    return [m for m in COLUMNS if any(m in p.overall for p in ev.parts)]


def _fitting(ev: Evaluation, chosen: list[str]) -> list[str]:
    """The first metrics that fit beside each other."""
    for count in range(min(len(chosen), 4), 1, -1):
        table = _models_table(ev, chosen[:count])
        if max(width(line) for line in table.text(WIDTH).splitlines()) <= WIDTH:
            return chosen[:count]
    return chosen[:1]


def _models_table(ev: Evaluation, chosen: list[str]) -> Table:
    part = next((p for p in ev.parts if p.baseline_label is not None), ev.parts[0])
    columns = ("model", *(find_measure(m).title for m in chosen))
    rows = [(p.name, *(short(p.overall[m]) if m in p.overall else "–" for m in chosen)) for p in ev.parts]
    if "accuracy" in chosen and part.baseline_label is not None:
        blank = tuple(short(part.baseline) if m == "accuracy" else "" for m in chosen)
        rows.append((f'always "{part.baseline_label}"', *blank))
    level = percent(next((i.confidence for i in part.overall.values()), 0.95))
    of_class = [find_measure(m).title for m in chosen if find_measure(m).needs in ("binary", "scores")]
    title = f"In brackets: {level} intervals."
    if of_class and part.positive not in (None, 1):
        title += f" {listing(of_class)}: of {one_line(str(part.positive))}."
    return Table(columns=columns, rows=tuple(rows), title=filled(title, WIDTH))


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
    rows = tuple(
        (str(label), whole(float(totals[label])), *(short(part.classes[metric, label]) for metric in metrics))
        for label in labels
    )
    return Table(columns=("class", "rows", *(find_measure(m).title for m in metrics)), rows=rows, title=title)


def slice_table(ev: Evaluation) -> Table:
    """Accuracy of each slice, for each model."""
    metric = next(iter(ev.parts[0].overall), "accuracy")
    shown = list(ev.slices.items())[:SHOWN_SLICES]
    rows = tuple(
        (str(value), whole(inner.n), *(short(p.metric(metric)) for p in inner.parts[:3])) for value, inner in shown
    )
    names = ev.models[:3] if len(ev.parts) > 1 else (find_measure(metric).title,)
    more = "" if len(shown) == len(ev.slices) else f" (the first {SHOWN_SLICES} of {len(ev.slices):,})"
    title = f"{find_measure(metric).title} by slice{more}:"
    return Table(columns=("slice", "rows", *names), rows=rows, title=title)


def _selective_lines(part: ModelEvaluation) -> list[str]:
    if not part.selective:
        return []
    parts = [f"{100 * share:.0f} %: {short(interval)}" for share, interval in part.selective.items()]
    return [filled(f"Accuracy on its most confident {'; '.join(parts)}.", WIDTH)]


def findings_text(findings: Findings, *, several: bool) -> str:
    """Findings, one paragraph each, with the model where several are judged."""
    lines = []
    for f, about in by_message(findings):
        names = [one_line(a) for a in about[:4]] + ([f"{len(about) - 4} more"] if len(about) > 4 else [])
        # Pairs of models have their own "and".
        who = f"{'; '.join(names) if ' and ' in names[0] else listing(names)}: " if several and about else ""
        lines.append(filled(f"! {f.code} {who}{one_line(f.message)}", WIDTH, subsequent_indent="  "))
    return "\n".join(lines)


def _footer(ev: Evaluation) -> str:
    # A metric whose method depends on a model's counts is named once, with all methods.
    by_metric: dict[str, list[str]] = {}
    for part in ev.parts:
        for metric, interval in part.overall.items():
            if interval.method and interval.method not in by_metric.setdefault(metric, []):
                by_metric[metric].append(interval.method)
    used: dict[tuple[str, ...], list[str]] = {}
    for metric, made in by_metric.items():
        used.setdefault(tuple(made), []).append(metric)
    methods = "; ".join(
        f"{listing(list(made), 'or')} ({', '.join(find_measure(x).title for x in names[:3])}"
        f"{', …' if len(names) > 3 else ''})"
        for made, names in used.items()
        if made
    )
    lines = [filled(one_line(ev.estimand), WIDTH)]
    if methods:
        lines.append(filled(f"Methods: {methods}; .explain() or --explain for more.", WIDTH))
    return "\n".join(lines)


def evaluation_html(ev: Evaluation) -> str:
    """The same for a notebook."""
    blocks = [f"<p>{html.escape(ev.reading)}</p>"]
    if spoken_verdict(ev):
        blocks.append(f"<p><b>{html.escape(spoken_verdict(ev))}</b></p>")
    blocks.append(overall_table(ev)._repr_html_())
    thresholds = thresholds_table(ev)
    if thresholds is not None:
        blocks.append(thresholds._repr_html_())
    if len(ev.parts) == 1 and _per_class_matters(ev.parts[0]):
        blocks.append(class_table(ev.parts[0])._repr_html_())
    if ev.slices:
        blocks.append(slice_table(ev)._repr_html_())
    if len(ev.findings):
        items = "".join(f"<li>{html.escape(line)}</li>" for line in ev.findings.lines)
        blocks.append(f"<ul>{items}</ul>")
    blocks.append(f"<p><small>{html.escape(_footer(ev))}</small></p>")
    return f"<div>{''.join(blocks)}</div>"
