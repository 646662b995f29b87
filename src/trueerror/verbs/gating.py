"""`te.gate`: may this candidate go in?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.options import check_confidence, check_word
from trueerror.metrics.registry import Measure, find_measure
from trueerror.rows.joining import pair
from trueerror.rows.openable import opened
from trueerror.rows.predictions import Predictions
from trueerror.significance.contrasts import check_margin
from trueerror.verbs.estimands import cut_words
from trueerror.verbs.gate_checks import Model, difference_check, threshold_check
from trueerror.verbs.gate_result import Gate, GateCheck, together
from trueerror.verbs.settings import Rng, Settings, named_metrics

Adjustment = Literal["bonferroni", "sidak", "none"]
# Names by which one of two models is known to be the one to beat.
BASELINES = ("baseline", "base", "old", "reference", "control", "production", "champion", "current", "main", "previous")


@dataclass(frozen=True, slots=True)
class Sides:
    """Who is judged, against whom, and how to call them."""

    candidate: Model
    baseline: Model | None
    names: tuple[str, str | None]
    reading: str


def gate(
    candidate: Any,
    baseline: Any = None,
    *,
    metric: str | Iterable[str] | Mapping[str, Mapping[str, Any]] = "accuracy",
    margin: float | Mapping[str, float] = 0.0,
    at_least: float | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    adjust: Adjustment = "bonferroni",
    sequential: bool = False,
    paired: bool | None = None,
    model: str | None = None,
    positive: Any = None,
    threshold: float | None = None,
    costs: Any = None,
    replicates: int = 10_000,
    rng: Rng = None,
    **columns: Any,
) -> Gate:
    """Pass, fail or cannot tell, by one-sided confidence limits and never by the estimate.

    `candidate` and `baseline` are what `te.predictions` or `te.read` gave, or files and frames (`columns` go to
    `te.read`); they are joined on ids, or by the same truth (`paired=False`: different rows). `baseline` may also name
    a model of the candidate's own rows. `model` chooses among several models.

    With a baseline: pass when the lower limit of candidate − baseline lies above −margin, fail when the upper limit
    lies below it. Margin 0 asks for better, which identical models never pass; a margin asks for not worse by more.
    `at_least` holds the candidate itself to a number (at most, where lower is better). Both take one number, or one
    for each metric. With k checks each limit has confidence 1 − (1 − confidence)/k ("bonferroni"), confidence^(1/k)
    ("sidak") or `confidence` itself ("none").

    Paired shares have Tango's limits (`te.significance.noninferiority`), other metrics those that `te.compare` has.
    `sequential=True`: one-sided betting limits (Waudby-Smith and Ramdas 2024), for a gate that is asked again and
    again while rows arrive.

    >>> truth = [0, 1] * 100
    >>> import trueerror as te
    >>> p = te.predictions(truth, {"new": truth[:190] + [1, 0] * 5, "old": truth[:180] + [1, 0] * 10})
    >>> made = gate(p, "old")
    >>> made.decision, made.exit_code
    ('pass', 0)
    >>> print(made.verdict)
    Pass: new is better than old: +5.0 points of accuracy, at worst +3.0.
    """
    check_word(adjust, ("bonferroni", "sidak", "none"), "adjust")
    asked = named_metrics(metric)
    if not asked:
        raise InputError("metric= names no metric; give one, such as 'accuracy'")
    measures = [_judged(find_measure(name)) for name in asked]
    margins = {
        m.name: check_margin(_each(margin, m, "margin", 0.0), strictly=False, widest=m.range[1] - m.range[0])
        for m in measures
    }
    least = {m.name: _each(at_least, m, "at_least", None) for m in measures}
    _known(margin, measures, "margin")
    _known(at_least, measures, "at_least")
    if isinstance(at_least, int | float) and len({m.higher_is_better for m in measures}) > 1:
        raise InputError("at_least= is one number, but some metrics are better when low; give {metric: number}")
    settings = Settings(
        confidence=confidence, costs=costs, threshold=threshold, metrics=asked, replicates=replicates, rng=rng
    )
    sides = _sides(candidate, baseline, model, positive, paired, columns)
    if sides.baseline is None and all(v is None for v in least.values()):
        raise InputError("there is nothing to hold the candidate against: pass baseline= or at_least= something")
    k = sum((sides.baseline is not None) + (least[m.name] is not None) for m in measures)
    level = _level(confidence, k, adjust)
    checks: list[GateCheck] = []
    for m in measures:
        common: dict[str, Any] = {"level": level, "sequential": sequential}
        number = least[m.name]
        if sides.baseline is not None:
            width = margins[m.name]
            checks.append(difference_check(sides.candidate, sides.baseline, m, settings, margin=width, **common))
        if number is not None:
            checks.append(threshold_check(sides.candidate, m, settings, at_least=number, **common))
    made = tuple(checks)
    return Gate(
        decision=together(made), checks=made, candidate=sides.names[0], baseline=sides.names[1],
        confidence=float(confidence), adjust=adjust, sequential=sequential, n=sides.candidate[0].n,
        reading=f"{sides.reading} {_cut(sides, measures, settings)}".strip(),
        settings={"threshold": threshold, "replicates": replicates,
                  "seed": 0 if rng is None else rng if isinstance(rng, int) else str(rng)},
    )  # fmt: skip


def _cut(sides: Sides, measures: list[Measure], settings: Settings) -> str:
    """Where scores were cut, when a metric looks at calls."""
    if not any(m.needs in ("binary", "classes", "cells") for m in measures):
        return ""
    return cut_words([side[0] for side in (sides.candidate, sides.baseline) if side is not None], settings)


def _judged(measure: Measure) -> Measure:
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so no gate can be made of it")
    return measure


def _each(given: Any, measure: Measure, option: str, default: float | None) -> float | None:
    """The number of one metric: the common one, or its own."""
    if isinstance(given, Mapping):
        named = {find_measure(name).name: value for name, value in given.items()}
        given = named.get(measure.name, default)
    if given is None:
        return None
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise InputError(f"{option}={given!r} is not a number") from None
    low, high = measure.range
    if option == "at_least" and not low <= value <= high:
        raise InputError(f"at_least={given!r} is not a value that {measure.name} can have: it runs {low:g} to {high:g}")
    return value


def _known(given: Any, measures: list[Measure], option: str) -> None:
    names = [m.name for m in measures]
    for name in given if isinstance(given, Mapping) else ():
        if find_measure(name).name not in names:
            raise InputError(f"{option}= speaks of {name!r}, which is not among the metrics{nearest(name, names)}")


def _level(confidence: float, k: int, adjust: str) -> float:
    level = check_confidence(confidence)
    if adjust == "bonferroni":
        level = 1 - (1 - level) / k
    elif adjust == "sidak":
        level = level ** (1 / k)
    if not 0.5 < level < 1:
        raise InputError(f"confidence={confidence!r} must be above 0.5 for a one-sided limit")
    return level


def _sides(
    candidate: Any, baseline: Any, model: str | None, positive: Any, paired: bool | None, columns: dict[str, Any]
) -> Sides:
    first = opened(candidate, positive=positive, **columns)
    inside = _model_inside(first, baseline, model)
    if inside is not None:
        if paired is False:
            raise InputError("paired=False is for predictions of different rows; these are models of the same rows")
        own, other = inside
        both = first.select([own, other])
        return Sides((both, own), (both, other), (own, other), str(both))
    own = _chosen(first, model, "candidate")
    first = first.select(own)
    if baseline is None:
        return Sides((first, own), None, (own, None), str(first))
    second = opened(baseline, positive=positive, **columns)
    other = _chosen(second, model if model in second.models else None, "baseline")
    second = second.select(other)
    names = (own, other)
    if own == other:
        # "model" is what a file's only column of predictions is called when its name says no more.
        names = ("candidate", "baseline") if own == "model" else (f"{own} (candidate)", f"{own} (baseline)")
    if paired is False:
        reading = f"Candidate: {first} Baseline: {second} Different rows: not paired."
        return Sides((first, own), (second, other), names, reading)
    both = pair(first, second)
    reading = str(both)
    for made, shown in zip(both.models, names, strict=True):
        reading = reading.replace(made, shown)
    return Sides((both, both.models[0]), (both, both.models[1]), names, reading)


def _model_inside(first: Predictions, baseline: Any, model: str | None) -> tuple[str, str] | None:
    """Candidate and baseline, where both are models of the same predictions."""
    if isinstance(baseline, str) and baseline in first.models and not os.path.isfile(baseline):
        others = [m for m in first.models if m != baseline]
        if model is None and len(others) != 1:
            raise InputError(f"which model is the candidate? pass model= one of {', '.join(map(repr, others))}")
        chosen = others[0] if model is None else first.only(model)
        if chosen == baseline:
            raise InputError(f"{baseline!r} is both the candidate and the baseline")
        return chosen, baseline
    if baseline is None and model is None and len(first.models) == 2:
        known = [m for m in first.models if m.lower() in BASELINES]
        if len(known) == 1:
            return next(m for m in first.models if m != known[0]), known[0]
        names = " or ".join(repr(m) for m in first.models)
        raise InputError(f"which of the two models is the one to beat? pass baseline={names}")
    return None


def _chosen(p: Predictions, model: str | None, role: str) -> str:
    if model is None and len(p.models) > 1:
        names = ", ".join(map(repr, p.models))
        raise InputError(f"the {role} holds {len(p.models)} models; pass model= one of {names}")
    return p.only(model)
