"""Evaluations as forests: one model by its metrics, several models under each metric, slices, the baseline beside."""

from __future__ import annotations

import math
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import find_measure
from trueerror.plots.forests import MOST_ROWS, how_words, interval_row, make_panel
from trueerror.plots.labels import plain, shorten
from trueerror.plots.pictures import Forest, ForestRow, Panel
from trueerror.results import Interval

# With several models, this many metrics; the table has the rest.
MOST_METRICS = 6
FIRST = ("expected_cost", "accuracy", "auc", "hand_till_auc", "recall", "precision", "brier", "log_loss")
MOST_CLASSES = 20
MOST_SLICES = 20


def evaluation_forest(ev: Any, *, metric: str | None = None) -> Forest:
    """An Evaluation: metrics of one model, or models under each metric; `metric` shows that one alone."""
    if not ev.parts:
        raise InputError("there is nothing to plot: the evaluation has no model")
    if len(ev.parts) == 1:
        panels = _one_model(ev.parts[0], metric)
        title = plain(ev.parts[0].name)
    else:
        panels = _several_models(ev.parts, metric)
        title = f"{len(ev.parts)} models"
    if ev.slices:
        panels += _slices(ev, metric)
    shown = [i for part in ev.parts for i in part.overall.values()]
    return Forest(title=shorten(title, 60), subtitle=_reading(ev, shown), panels=tuple(panels))


def model_forest(part: Any, *, metric: str | None = None) -> Forest:
    """A ModelEvaluation."""
    shown = list(part.overall.values())
    return Forest(title=shorten(part.name, 60), subtitle=how_words(shown), panels=tuple(_one_model(part, metric)))


def _reading(ev: Any, shown: list[Interval]) -> tuple[str, ...]:
    first = shorten(str(ev.reading).split("\n")[0], 100)
    return tuple(line for line in (first, *(how_words(shown) if shown else ())) if line)


def _range(name: str) -> tuple[float, float]:
    try:
        return find_measure(name).range
    except InputError:
        return (-math.inf, math.inf)


def _title(name: str) -> str:
    try:
        return find_measure(name).title
    except InputError:
        return name.replace("_", " ")


def _asked(overall: dict[str, Interval], part: Any, metric: str | None) -> dict[str, Interval]:
    return overall if metric is None else {metric: part.metric(metric)}


def _one_model(part: Any, metric: str | None) -> list[Panel]:
    """Metrics that share the range 0 to 1 (or −1 to 1) under each other; each other one on an axis of its own."""
    metrics = _asked(part.overall, part, metric)
    shares = {m: i for m, i in metrics.items() if _range(m) in ((0.0, 1.0), (-1.0, 1.0))}
    rows: list[ForestRow] = []
    for name, interval in shares.items():
        rows.append(interval_row(_title(name), interval))
        if name == "accuracy":
            rows += _baseline(part)
    panels = []
    if rows:
        negative = any(r.drawn and min(r.estimate, r.low) < 0 for r in rows)
        references = ((0.0, ""),) if negative else ()
        panels.append(make_panel(rows, axis="value", references=references, within=(-1.0 if negative else 0.0, 1.0)))
    for name, interval in metrics.items():
        if name not in shares:
            panels.append(make_panel([interval_row(_title(name), interval)], axis="", within=_range(name)))
    if metric is None and part.confusion is not None and len(part.confusion.labels) > 2:
        panels += _per_class(part)
    return panels


def _per_class(part: Any) -> list[Panel]:
    panels = []
    labels = part.confusion.labels
    left_out = f" (the first {MOST_CLASSES} of {len(labels):,})" if len(labels) > MOST_CLASSES else ""
    for name in ("recall", "precision"):
        found = {label: part.classes[name, label] for label in labels[:MOST_CLASSES] if (name, label) in part.classes}
        if found:
            rows = [interval_row(plain(label), interval) for label, interval in found.items()]
            heading = f"{name} of each class{left_out}"
            panels.append(make_panel(rows, axis="", heading=heading, within=(0.0, 1.0)))
    return panels


def _baseline(part: Any) -> list[ForestRow]:
    if part.baseline_label is None or math.isnan(part.baseline.estimate):
        return []
    return [interval_row(f"always “{shorten(part.baseline_label, 20)}”", part.baseline, aside=True)]


def _most_telling(names: list[str]) -> list[str]:
    """A few metrics, none of which says what another says: ranking and probabilities before further rates."""
    first = [m for m in FIRST if m in names]
    kept = (first + [m for m in names if m not in first])[:MOST_METRICS]
    return kept if len(names) > MOST_METRICS else names


def _several_models(parts: Any, metric: str | None) -> list[Panel]:
    """One panel a metric, the models in the same order in each."""
    if metric is None:
        common = [m for m in parts[0].overall if all(m in p.overall for p in parts)]
        names = _most_telling(common) or list(parts[0].overall)[:1]
    else:
        names = [metric]
    panels = []
    for name in names:
        rows = [interval_row(plain(p.name), p.metric(name)) for p in parts[:MOST_ROWS]]
        references: tuple[tuple[float, str], ...] = ()
        if name == "accuracy":
            aside = _baseline(parts[0])
            rows += aside
            references = tuple((r.estimate, "") for r in aside)
        heading = _title(name) + (f" (the first {MOST_ROWS} of {len(parts)} models)" if len(parts) > MOST_ROWS else "")
        panels.append(make_panel(rows, axis="", heading=heading, references=references, within=_range(name)))
    return panels


def _slices(ev: Any, metric: str | None) -> list[Panel]:
    """The first metric (or the one asked for) in each slice, beside all rows."""
    several = len(ev.parts) > 1
    everywhere = [p.overall for inner in (ev, *ev.slices.values()) for p in inner.parts]
    name = metric or next((m for m in ev.parts[0].overall if all(m in o for o in everywhere)), "accuracy")
    rows = []
    kept = dict(list(ev.slices.items())[: max(1, MOST_SLICES // len(ev.parts))])
    for value, inner in {"all rows": ev, **kept}.items():
        for part in inner.parts:
            label = f"{plain(value)} · {plain(part.name)}" if several else plain(value)
            rows.append(interval_row(label, part.metric(name), aside=inner is ev))
    left_out = f" (the first {len(kept)} of {len(ev.slices):,})" if len(kept) < len(ev.slices) else ""
    return [make_panel(rows, axis="", heading=f"{_title(name)} by slice{left_out}", within=_range(name))]
