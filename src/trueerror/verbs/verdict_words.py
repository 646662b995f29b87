"""The sentences that an evaluation begins with: how good a model is beside a constant answer, and who is ahead."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trueerror.metrics.registry import find_measure
from trueerror.results import Interval
from trueerror.results.tables import one_line
from trueerror.results.words import filled, listing, number, p_value

if TYPE_CHECKING:
    from trueerror.verbs.evaluation import Evaluation, ModelEvaluation

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
