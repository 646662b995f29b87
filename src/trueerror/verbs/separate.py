"""Two models on different rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast, Interval
from trueerror.rows.predictions import Predictions
from trueerror.significance.areas import delong_unpaired
from trueerror.significance.contrasts import contrast
from trueerror.significance.independent import difference
from trueerror.significance.roots import crossing
from trueerror.verbs.bench import Bench
from trueerror.verbs.scored_rows import scored_rows
from trueerror.verbs.settings import Settings


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
        (up1, s1, _), (up2, s2, _) = (scored_rows(p, [m]) for p, m in (first, second))
        found = delong_unpaired(
            up1, s1[:, 0], up2, s2[:, 0], confidence=settings.confidence, alternative=alternative, df="satterthwaite"
        )
    else:
        found = _combined(first, second, measure, settings, alternative)
    names = [m for _, m in (first, second)]
    if names[0] == names[1]:
        names = [f"{m} ({place})" for m, place in zip(names, ("first", "second"), strict=True)]
    return replace(found, name=measure.title, first=names[0], second=names[1])


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
        x, n = measure.share(table.binary() if measure.needs == "binary" else table.classes(weighted=False))
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
        a, b = (Bench(m, level, predictions=p).interval(measure.name) for p, m in (first, second))
        return a, b

    def limits(confidence: float) -> tuple[float, float]:
        a, b = intervals(confidence)
        d = a.estimate - b.estimate
        low = d - math.hypot(a.estimate - a.low, b.high - b.estimate)
        return low, d + math.hypot(a.high - a.estimate, b.estimate - b.low)

    a, b = intervals(settings.confidence)
    estimate = a.estimate - b.estimate
    if math.isnan(estimate):
        raise InputError(f"{measure.name} is undefined: {a.note or b.note}")
    two_sided = settings.confidence if alternative == "two-sided" else 2 * settings.confidence - 1
    p = _inverted(limits, estimate)
    if alternative != "two-sided":
        towards = estimate > 0 if alternative == "greater" else estimate < 0
        p = p / 2 if towards else 1 - p / 2
    reach = measure.range[1] - measure.range[0]
    return contrast(
        estimate=estimate, limits=limits(max(two_sided, 1e-6)), whole=(-reach, reach), confidence=settings.confidence,
        alternative=alternative, method="newcombe-hybrid", statistic=estimate, p_value=p,
        n=first[0].n + second[0].n,
    )  # fmt: skip


def _inverted(limits: Callable[[float], tuple[float, float]], estimate: float) -> float:
    """1 − the confidence at which the interval just reaches 0."""
    if estimate == 0:
        return 1.0
    side = 0 if estimate > 0 else 1

    def gap(confidence: float) -> float:
        return limits(confidence)[side] * (1 if side == 0 else -1)

    widest = 1 - 1e-9
    if gap(widest) > 0:
        return 1e-9
    return 1 - crossing(gap, 1e-6, widest)
