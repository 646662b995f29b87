"""What a result is an estimate of, in words: this model, for which rows and which class mix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from trueerror.inputs._labels import Label
from trueerror.metrics._registry import Measure
from trueerror.results import Contrast, Interval
from trueerror.results._format import one_line, percent, whole
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Confusion
from trueerror.verbs._model_metrics import Settings


def fixed_model(source: Predictions | Confusion, settings: Settings) -> str:
    """The estimand of a model that is tested as it stands."""
    rows_counted = sum(class_totals(source)) if _repeated(source) else source.n
    several = isinstance(source, Predictions) and len(source.models) > 1
    who = f"{'each' if several else 'this'} model as it stands,"
    rows = f"rows drawn at random like these {rows_counted:,.0f}"
    if isinstance(source, Predictions):
        if source.has_key("folds"):
            who = f"these {len(source.keys('folds').names):,} models, one for each fold,"
        if source.has_key("clusters"):
            rows = f"rows of new clusters, drawn like these {len(source.keys('clusters').names):,}"
    if isinstance(source, Predictions) and source.graded:
        return f"Estimates: {who} on {rows}."
    return f"Estimates: {who} on {rows}, {class_mix(source, settings)}."


def class_mix(source: Predictions | Confusion, settings: Settings) -> str:
    """The class mix that the result is for."""
    if settings.prior is not None:
        shown = _prior_words(settings.prior, source.positive)
        return f"at another class mix: {shown}"
    if settings.design == "case-control":
        return "whose class totals were fixed beforehand (case-control), so only what holds within a class"
    return class_mix_words(source.labels, class_totals(source), source.positive)


def class_mix_words(labels: Sequence[Label], counts: Sequence[float], positive: Label | None) -> str:
    """The share of the positive class, or the commonest class and its share."""
    total = max(float(sum(counts)), 1.0)
    if positive is not None:
        return f"of which {percent(round(float(counts[labels.index(positive)]) / total, 3))} are {positive}"
    top = max(range(len(counts)), key=lambda i: counts[i], default=0)
    label: Any = labels[top] if labels else "nothing"
    share = float(counts[top]) / total if len(counts) else 0.0
    return f"with the same mix of {len(labels):,} classes (commonest: {label}, {percent(round(share, 3))})"


def _repeated(source: Predictions | Confusion) -> bool:
    return isinstance(source, Predictions) and source.weights_kind == "frequency"


def class_totals(source: Predictions | Confusion) -> list[float]:
    """How many rows each class stands for, weights counted in."""
    if isinstance(source, Confusion):
        return [float(x) for x in source.classes().truth]
    weighed = source.weights_kind is not None and source.has_predictions(source.models[0])
    counts = source.confusion(source.models[0]).classes().truth if weighed else source.truth_counts()
    return [float(x) for x in counts]


def _prior_words(prior: Any, positive: Label | None) -> str:
    if isinstance(prior, dict):
        return ", ".join(f"{percent(round(float(p), 4))} {label}" for label, p in list(prior.items())[:6])
    return f"{percent(round(float(prior), 4))} {positive}"


def reading(p: Predictions, settings: Settings) -> str:
    """What was read, and where scores were cut into calls."""
    left = [
        _not_cut(p, m) for m in p.models if len(p.models) > 1 and not p.has_predictions(m, threshold=settings.threshold)
    ]
    return "\n".join(line for line in (str(p), cut_words([p], settings), *left) if line)


def cut_words(given: Iterable[Predictions], settings: Settings) -> str:
    """Where scores were cut into calls; empty where no model's were."""
    places = set()
    for p in given:
        cut = [m for m in p.models if not p.has_labels(m) and p.has_scores(m) and not p.has_class_scores(m)]
        cut = [m for m in cut if p.has_predictions(m, threshold=settings.threshold)]
        places |= {p.facts.decision_rule(m, settings.threshold).threshold for m in cut}
    shown = ", ".join(sorted(f"{0.5 if t is None else t:.4g}" for t in places))
    return f"Scores are cut at {shown}." if shown else ""


def _not_cut(p: Predictions, model: str) -> str:
    """Why a model's scores are not cut into calls, and what it takes."""
    low, high, *_ = p.score_range(model)
    why = f"its scores run from {low:.4g} to {high:.4g}"
    if math.isinf(low) or math.isinf(high):
        table = p.scores(model)
        count = int((table.positives + table.negatives)[~np.isfinite(table.scores)].sum())
        why = f"{count:,} of its {table.n:,} scores {'is' if count == 1 else 'are'} infinite"
    return f"{one_line(model)} is not cut, because {why}: give a threshold for its accuracy and the like."


def compared_reading(
    p: Predictions,
    measure: Measure,
    settings: Settings,
    contrasts: Sequence[Contrast],
    estimates: Mapping[str, Interval],
) -> str:
    """What was read, and on how many rows models are compared where some have no prediction."""
    counted = measure.of_labels
    words = reading(p, settings) if counted else str(p)
    if p.missing != "drop" or not any(p.absent(m) for m in p.models):
        return words
    if counted:
        # Recall and the like speak of some of the rows that were counted, so those are asked for.
        at = settings.threshold
        rows = [float(p.agreement(c.first, c.second, threshold=at).n) for c in contrasts]
        own_rows = [float(p.confusion(m, threshold=at).n) for m in estimates]
    else:
        rows = [c.n for c in contrasts if c.n is not None]
        own_rows = [found.n for found in estimates.values() if found.n is not None]
    if not rows or (p.weights_kind is None and min(rows) == p.n):
        return words
    shown = whole(min(rows)) if min(rows) == max(rows) else f"{whole(min(rows))} to {whole(max(rows))}"
    same = min(rows) == max(rows) and all(n == rows[0] for n in own_rows)
    own = "" if same else "; each model's own result is of all that it answered"
    return f"{words} Two models are compared on the {shown} rows that both answered{own}."
