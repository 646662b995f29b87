"""Metrics of a score table: areas, mean losses of probabilities, calibration errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError, nearest
from trueerror.intervals.binned import with_bounds
from trueerror.intervals.calibration_errors import CALIBRATION_ERRORS, calibration_error_limits
from trueerror.intervals.losses import INFINITE, LOSS_METHODS, loss_interval, loss_limits, loss_range
from trueerror.intervals.proportions import limits
from trueerror.intervals.roc_area import AREA_METHODS, area_limits, effective_rows
from trueerror.intervals.sampling import Design
from trueerror.intervals.scales import on_logit
from trueerror.intervals.score_replicates import bootstrap_of_scores
from trueerror.intervals.situations import BOOTSTRAPS
from trueerror.intervals.terms import Terms
from trueerror.metrics.binned import middled
from trueerror.metrics.priors import Prior
from trueerror.metrics.probabilities import loss_moments, table_losses
from trueerror.metrics.reasons import undefined_reason
from trueerror.metrics.registry import Measure
from trueerror.metrics.values import score_share, value
from trueerror.results import Interval
from trueerror.results.words import whole
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.delong import satterthwaite

FREE_OF_PRIOR = ("auc", "gini")


def score_interval(
    measure: Measure,
    table: ScoreTable,
    options: dict[str, Any],
    terms: Terms,
    method: str | None = None,
    *,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int = 2_000,
) -> Interval:
    """A metric of scores, and where the true value may lie; binned scores widen it by what they leave open."""
    # Probabilities are best read in the middle of a bin; its lowest score is where a threshold is exact.
    used = middled(table) if measure.needs == "losses" or measure.probabilities else table
    found = _score_interval(
        measure, used, options, terms, method, prior=prior, design=design, rng=rng, replicates=replicates
    )
    if table.exact:
        return found
    prior = None if measure.name in FREE_OF_PRIOR else prior
    return with_bounds(found, measure, table, terms, method=method, options=options, prior=prior)


def _score_interval(
    measure: Measure,
    table: ScoreTable,
    options: dict[str, Any],
    terms: Terms,
    method: str | None,
    *,
    prior: Prior | None,
    design: Design,
    rng: Any,
    replicates: int,
) -> Interval:
    if measure.needs not in ("scores", "losses"):
        raise InputError(f"{measure.name} cannot be computed from a score table; it needs labels")
    if design == "case-control" and prior is None and measure.name not in FREE_OF_PRIOR:
        raise InputError(
            f'{measure.name} depends on how common the positives are, which a sample with design="case-control" does '
            "not show: pass prior= (their share where the model will be used)"
        )
    prior = None if measure.name in FREE_OF_PRIOR else prior
    estimate = value(measure, table, prior=prior, **options)
    n = float(table.n)
    if math.isnan(estimate):
        reason = undefined_reason(measure, table, prior=prior, **options)
        low, high = (b if math.isfinite(b) else math.nan for b in measure.range)
        key = method or "delong-logit" if measure.name in FREE_OF_PRIOR else "bootstrap-bca"
        return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=reason)
    offered = _offered(measure)
    asked = offered[0] if method is None else "bootstrap-bca" if method == "bootstrap" else method
    if asked not in offered:
        raise InputError(f"method={method!r} is not offered for {measure.name}{nearest(asked, offered)}")
    why = ""
    if asked.startswith("bootstrap"):
        low, high, key, why = bootstrap_of_scores(
            measure, table, estimate, asked, terms, options, prior=prior, design=design, rng=rng, replicates=replicates
        )
        if low < high or offered[0].startswith("bootstrap"):
            return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=why)
        asked, why = offered[0], f"{why}: {offered[0]} instead of the bootstrap"
    if measure.needs == "losses":
        return _loss(measure, table, estimate, options, terms, prior, asked)
    if measure.name in CALIBRATION_ERRORS:
        share = None if prior is None else score_share(prior, table)
        low, high = calibration_error_limits(measure, table, estimate, options, terms, share=share)
        key, note = "calibration-gaps", ""
    elif measure.name in FREE_OF_PRIOR:
        made = area_limits(table, (estimate + 1) / 2 if measure.name == "gini" else estimate, terms, asked)
        low, high = (2 * made.low - 1, 2 * made.high - 1) if measure.name == "gini" else (made.low, made.high)
        key, note = made.method, made.note
    else:
        low, high, key, note = average_precision_limits(estimate, effective_rows(table)[0], terms)
    note = "; ".join(x for x in (why, note) if x)
    return terms.interval(measure.name, estimate, low, high, bounds=measure.range, method=key, n=n, note=note)


def _offered(measure: Measure) -> tuple[str, ...]:
    resampled = BOOTSTRAPS[:-1]
    if measure.name in FREE_OF_PRIOR:
        return (*AREA_METHODS, *resampled)
    if measure.name == "average_precision":
        return ("boyd-logit", *resampled)
    if measure.name in CALIBRATION_ERRORS:
        return ("calibration-gaps", *resampled)
    return (*LOSS_METHODS, *resampled) if measure.needs == "losses" else resampled


def average_precision_limits(estimate: float, positives: float, terms: Terms) -> tuple[float, float, str, str]:
    """Boyd's logit θ ± z/√(P·θ(1 − θ)); Wilson's interval at the P positives where P·θ(1 − θ) is below 1.

    There the logit interval widens without bound; at θ = 1 it has no width at all.
    """
    spread = positives * estimate * (1 - estimate)
    if spread < 1:
        low, high = limits(estimate * positives, positives, "wilson", terms.level, terms.side)
        rows = f"{whole(round(positives, 1))} positive{'' if positives == 1 else 's'}"
        note = f"few positives or a value near its end: Wilson's interval at the {rows}"
        return float(low), float(high), "wilson-boyd", note
    # Boyd's error on the logit scale is that of a proportion of P rows.
    low, high = on_logit(estimate, estimate * (1 - estimate) / positives, terms.factor())
    return float(low), float(high), "boyd-logit", ""


def _loss(
    measure: Measure,
    table: ScoreTable,
    estimate: float,
    options: dict[str, Any],
    terms: Terms,
    prior: Prior | None,
    method: str,
) -> Interval:
    """The mean of a loss over the rows of a score table: plain, weighted, or at another share of positives."""
    if prior is None and table.squares is None:
        return loss_interval(measure, loss_moments(table, measure, **options), options, terms, method)
    bounds = loss_range(measure, options)
    n = float(table.n)
    if math.isinf(estimate):
        return terms.interval(
            measure.name, estimate, math.nan, estimate, bounds=bounds, method=method, n=n, note=INFINITE
        )
    losses = table_losses(table, measure, **options)
    rows = effective_rows(table)
    classes = []
    masses = (np.asarray(table.positives, dtype=np.float64), np.asarray(table.negatives, dtype=np.float64))
    for i in (0, 1):
        mass = masses[i]
        there = mass > 0
        squares = mass if table.squares is None else table.squares[i]
        total = float(mass.sum())
        if total == 0:
            classes.append((0.0, 0.0, 0.0))
            continue
        mean = float((mass[there] * losses[i][there]).sum()) / total
        centre = estimate if prior is None else mean
        spread = float((squares[there] * (losses[i][there] - centre) ** 2).sum())
        classes.append((total, spread, rows[i]))
    if prior is None:
        assert table.squares is not None
        kish = (classes[0][0] + classes[1][0]) ** 2 / float(np.sum(table.squares))
        v = (classes[0][1] + classes[1][1]) / (classes[0][0] + classes[1][0]) ** 2 * kish / max(kish - 1, 1.0)
        df, size = kish - 1, kish
    else:
        share = score_share(prior, table)
        parts = [
            (w * w * spread / total**2 * r / max(r - 1, 1.0), max(r - 1, 1.0))
            for w, (total, spread, r) in zip((share, 1 - share), classes, strict=True)
            if total > 0
        ]
        v, size = sum(p[0] for p in parts), sum(rows)
        df = satterthwaite(*parts) if v > 0 else size - 1
    low, high, key, note = loss_limits(estimate, math.sqrt(v), df, size, bounds, terms, method)
    return terms.interval(measure.name, estimate, low, high, bounds=bounds, method=key, n=n, note=note)
