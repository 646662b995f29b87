"""Two models on different rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from trueerror.inference._contrast import contrast
from trueerror.inference.auc._binned import unpaired_table_contrast, within_words
from trueerror.inference.auc._tests import delong_unpaired
from trueerror.inference.calibration import calibration_contrast
from trueerror.inference.loss._mean import infinite_contrast, infinite_rows
from trueerror.inference.proportion._distributions import crossing
from trueerror.inference.proportion._two_samples import difference
from trueerror.inputs._options import InputError
from trueerror.metrics._binned import metric_bounds
from trueerror.metrics._registry import Measure
from trueerror.results import Alternative, Contrast, Interval
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._memory import NoRoom
from trueerror.tallies._score_bounds import Bounds
from trueerror.verbs._model_metrics import ModelMetrics, Settings, scored_rows


def separate_contrast(
    first: tuple[Predictions, str],
    second: tuple[Predictions, str],
    measure: Measure,
    settings: Settings,
    *,
    alternative: Alternative,
    method: str | None = None,
) -> Contrast:
    """First − second: Miettinen–Nurminen for shares, DeLong for areas, else both intervals combined."""
    if measure.needs in ("binary", "classes") and measure.share is not None and not _clustered(first, second):
        found = _shares(first, second, measure, settings, alternative, method)
    elif measure.name == "auc" and not _clustered(first, second):
        found = _areas(first, second, settings, alternative)
    elif measure.calibration_error and not _clustered(first, second) and _exact(first, second):
        # Newcombe's rule takes the reaches for chance; here one of them is bias, which adds up in full.
        found = calibration_contrast(
            measure, *(p.scores(m) for p, m in (first, second)), options=settings.options(measure.name),
            confidence=settings.confidence, alternative=alternative,
        )  # fmt: skip
        found = replace(found, n=first[0].n + second[0].n)
    else:
        found = _combined(first, second, measure, settings, alternative)
    names = [m for _, m in (first, second)]
    if names[0] == names[1]:
        names = [f"{m} ({place})" for m, place in zip(names, ("first", "second"), strict=True)]
    return replace(found, name=measure.title, first=names[0], second=names[1])


def _areas(
    first: tuple[Predictions, str], second: tuple[Predictions, str], settings: Settings, alternative: Alternative
) -> Contrast:
    """DeLong over the rows; over score tables where the rows do not fit into memory."""
    try:
        (up1, s1, _), (up2, s2, _) = (scored_rows(p, [m]) for p, m in (first, second))
    except NoRoom:
        tables = [p.scores(m) for p, m in (first, second)]
        return unpaired_table_contrast(*tables, confidence=settings.confidence, alternative=alternative)
    return delong_unpaired(
        up1, s1[:, 0], up2, s2[:, 0], confidence=settings.confidence, alternative=alternative, df="satterthwaite"
    )


def _exact(*models: tuple[Predictions, str]) -> bool:
    return all(p.scores(m).exact for p, m in models)


def _clustered(*models: tuple[Predictions, str]) -> bool:
    return any(p.has_key("clusters") or p.weights_kind == "sampling" for p, _ in models)


def _shares(
    first: tuple[Predictions, str],
    second: tuple[Predictions, str],
    measure: Measure,
    settings: Settings,
    alternative: Alternative,
    method: str | None,
) -> Contrast:
    pairs = []
    for p, m in (first, second):
        table = p.confusion(m, threshold=settings.threshold)
        assert measure.share is not None
        x, n = measure.share(table.binary() if measure.of_one_class else table.classes(weighted=False))
        if n == 0:
            raise InputError(f"{measure.name} of {m!r} is undefined: {measure.undefined}")
        pairs.append((round(float(x)), round(float(n))))
    chosen: Any = method or "miettinen-nurminen"
    return difference(pairs[0], pairs[1], method=chosen, confidence=settings.confidence, alternative=alternative)


def _combined(
    first: tuple[Predictions, str],
    second: tuple[Predictions, str],
    measure: Measure,
    settings: Settings,
    alternative: Alternative,
) -> Contrast:
    """d − √((θ1 − l1)² + (u2 − θ2)²) and its mirror image; the p-value is the level at which a limit reaches 0."""

    def intervals(confidence: float) -> tuple[Interval, Interval]:
        level = replace(settings, confidence=confidence)
        a, b = (ModelMetrics(m, level, predictions=p).interval(measure.name) for p, m in (first, second))
        return a, b

    # Where scores are binned, the intervals are wider by what is open; that adds up, chance does not.
    open_ = [_open(p, m, measure, settings) for p, m in (first, second)]

    def limits(confidence: float) -> tuple[float, float]:
        a, b = (_ends(x, bounds) for x, bounds in zip(intervals(confidence), open_, strict=True))
        low = a.inner[0] - b.inner[1] - math.hypot(a.reach[0], b.reach[1])
        return low, a.inner[1] - b.inner[0] + math.hypot(a.reach[1], b.reach[0])

    a, b = intervals(settings.confidence)
    estimate = a.estimate - b.estimate
    if math.isinf(a.estimate) or math.isinf(b.estimate):
        rows = [infinite_rows(p, m, measure, settings.options(measure.name)) for p, m in (first, second)]
        named = {m: k for (_, m), k in zip((first, second), rows, strict=True) if k}
        return infinite_contrast(
            estimate, named, measure, confidence=settings.confidence, alternative=alternative,
            method="newcombe-hybrid", n=first[0].n + second[0].n,
        )  # fmt: skip
    if math.isnan(estimate):
        raise InputError(f"{measure.name} is undefined: {a.note or b.note}")
    two_sided = settings.confidence if alternative == "two-sided" else 2 * settings.confidence - 1
    inner = [_ends(x, bounds).inner for x, bounds in zip((a, b), open_, strict=True)]
    least, most = inner[0][0] - inner[1][1], inner[0][1] - inner[1][0]
    slack = max(estimate - least, most - estimate)
    p = _inverted(limits, estimate)
    if alternative != "two-sided":
        towards = estimate > 0 if alternative == "greater" else estimate < 0
        p = p / 2 if towards else 1 - p / 2
        if slack > 0 and (not towards or least <= 0 <= most):
            p = 1.0  # the largest that is possible
    reach = measure.range[1] - measure.range[0]
    return contrast(
        estimate=estimate, limits=limits(max(two_sided, 1e-6)), whole=(-reach, reach), confidence=settings.confidence,
        alternative=alternative, method="newcombe-hybrid", statistic=estimate, p_value=p,
        n=first[0].n + second[0].n, notes=within_words(slack),
    )  # fmt: skip


class _Ends(NamedTuple):
    """Between which values an estimate lies, and how far the limits are beyond."""

    inner: tuple[float, float]
    reach: tuple[float, float]


def _ends(found: Interval, bounds: Bounds | None) -> _Ends:
    inner = (found.estimate, found.estimate) if bounds is None else (float(bounds.low), float(bounds.high))
    return _Ends(inner, (inner[0] - found.low, found.high - inner[1]))


def _open(p: Predictions, model: str, measure: Measure, settings: Settings) -> Bounds | None:
    """Between which values the exact metric lies, where scores are binned and that is known."""
    if not measure.of_scores or p.has_class_scores(model):
        return None
    table = p.scores(model)
    prior = None if measure.area else settings.prior
    return None if table.exact else metric_bounds(measure, table, prior=prior)


def _inverted(limits: Callable[[float], tuple[float, float]], estimate: float) -> float:
    """1 − the confidence at which the interval just reaches 0."""
    if estimate == 0:
        return 1.0
    side = 0 if estimate > 0 else 1

    def gap(confidence: float) -> float:
        return limits(confidence)[side] * (1 if side == 0 else -1)

    widest = 1 - 1e-9
    if gap(1e-6) <= 0:
        return 1.0
    if gap(widest) > 0:
        return 1e-9
    return 1 - crossing(gap, 1e-6, widest)
