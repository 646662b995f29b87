"""The one entry: any metric of any tally, with its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.inference._sampling import Design, Sample
from trueerror.inference._score_metrics import score_interval
from trueerror.inference._spec import Terms, joined_notes
from trueerror.inference.bootstrap._tables import Unfit, bootstrap_of_table
from trueerror.inference.counts._all_classes import (
    cost_bounds,
    hardly_seen,
    has_small_counts,
    joined,
    savings_by_shares,
    whole_limits,
)
from trueerror.inference.counts._at_prior import carried_through, limits_at_prior, multilabel_interval
from trueerror.inference.counts._one_class import Rough, class_limits, every_class, one_class
from trueerror.inference.loss._mean import loss_interval
from trueerror.inference.proportion._array_intervals import chosen_method
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.methods import default_for
from trueerror.metrics._registry import Measure, find_measure
from trueerror.metrics._values import Prior, check_options, undefined_reason
from trueerror.results import Interval, Side
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Confusion
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._scores import ScoreTable

GIVEN = "given by prior=, not estimated"
OUTER = "an error was seen fewer than 5 times: the outer limits with those of the mean cost"


def metric_interval(
    measure: Measure | str,
    table: Confusion | ScoreTable | Moments | MultiLabel,
    *,
    positive: Any = None,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: Mapping[str, Any] | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> Interval:
    """A metric of a tally, and where the true value may lie.

    Without `method` the decision table chooses (`trueerror.methods.decisions()`); `method="bootstrap"` is BCa over
    10,000 resamples of the tally's cells (2,000 for scores). `clusters` counts the same rows by cluster; `prior` asks
    for another class distribution; `simultaneous_over=m` makes this one of m intervals that hold together.

    >>> t = Confusion([[80, 10], [8, 30]])
    >>> print(metric_interval("f1", t))
    f1 0.769 [0.652, 0.856], 95 % wilson-f1, n = 48
    >>> print(metric_interval("mcc", t))
    mcc 0.669 [0.504, 0.787], 95 % fisher-z, n = 128
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    chosen = dict(options or {})
    check_options(m, chosen)
    terms = Terms(confidence=confidence, side=side, over=simultaneous_over, estimand=estimand)
    if isinstance(table, Moments):
        return loss_interval(m, table, chosen, terms, method)
    if isinstance(table, MultiLabel):
        for word, given in (("method", method), ("clusters", clusters), ("prior", prior)):
            if given is not None:
                raise InputError(f"{word}= is not offered for rows with several labels")
        return multilabel_interval(m, table, chosen, terms, positive)
    if isinstance(table, ScoreTable):
        return score_interval(
            m, table, chosen, terms, method, prior=prior, design=design, rng=rng, replicates=replicates or 2_000
        )
    sample = Sample.of(m, table, positive=positive, clusters=clusters, prior=prior, design=design)
    return table_interval(
        m,
        sample,
        chosen,
        terms,
        method=method,
        prior=prior,
        positive=positive,
        rng=rng,
        replicates=replicates or 10_000,
    )


def class_intervals(
    measure: Measure | str,
    table: Confusion,
    *,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: Mapping[str, Any] | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> dict[Label, Interval]:
    """A metric of each class against the rest, for all classes that have rows or predictions, by label.

    >>> print(class_intervals("recall", Confusion([[45, 5], [15, 15]], labels=["a", "b"]))["a"])
    recall 0.900 [0.786, 0.957], 95 % wilson, n = 50
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    if not m.of_one_class:
        raise InputError(f"{m.name} is a metric of all classes together; ask for it without a class")
    chosen = dict(options or {})
    check_options(m, chosen)
    terms = Terms(confidence=confidence, side=side, over=simultaneous_over, estimand=estimand)
    situation = m.situation
    asked = _method(m, situation, method, clustered=clusters is not None)
    free = prior is None or m.is_prior_free(len(table.labels))
    if not free or asked.startswith("bootstrap") or design == "case-control":
        margins = table.classes(weighted=False)
        there = np.flatnonzero((margins.truth > 0) | (margins.predicted > 0))
        return {
            table.labels[i]: metric_interval(
                m, table, positive=table.labels[i], method=method, confidence=confidence, side=side, options=chosen,
                clusters=clusters, prior=prior, design=design, rng=rng, replicates=replicates,
                simultaneous_over=simultaneous_over, estimand=estimand,
            )
            for i in there
        }  # fmt: skip
    view = every_class(table, clusters)
    estimate, made, n = class_limits(m, situation, view, asked, terms, chosen)
    there = np.flatnonzero((view.rows.tp + view.rows.fn > 0) | (view.rows.fp > 0))
    values = _mended(m, estimate, made, asked)
    rows = np.broadcast_to(n, estimate.shape)
    columns = [a[there].tolist() for a in (estimate, values.low, values.high, rows, values.method, values.note)]
    return {
        table.labels[i]: terms.interval(m.name, e, lo, hi, bounds=m.range, method=key, n=size, note=note)
        for i, e, lo, hi, size, key, note in zip(there.tolist(), *columns, strict=True)
    }


def _method(m: Measure, situation: str, method: str | None, *, clustered: bool) -> str:
    if clustered and situation == "proportion" and method in ("cluster-t", "wilson-clustered"):
        return method
    return chosen_method(m, situation, method, default_for(situation))


def _mended(m: Measure, estimate: Any, made: Rough, asked: str) -> Rough:
    """The same as `_undefined`, for many classes."""
    gone = np.isnan(estimate)
    if not gone.any():
        return made
    low, high = (b if math.isfinite(b) else math.nan for b in m.range)
    words = (np.asarray(w, dtype=object) for w in (asked, m.undefined))
    return made.mended(gone, Rough(np.asarray(low), np.asarray(high), *words))


def table_interval(
    m: Measure,
    sample: Sample,
    options: dict[str, Any],
    terms: Terms,
    *,
    method: str | None = None,
    prior: Prior | None = None,
    positive: Any = None,
    rng: Any = None,
    replicates: int = 10_000,
) -> Interval:
    """A metric of a sample of rows, on given terms."""
    situation = m.situation
    asked = _method(m, situation, method, clustered=sample.clusters is not None)
    estimate = float(sample.value(m, options))
    bounds = cost_bounds(m, sample, options) if situation == "mean-cost" else m.range
    if math.isnan(estimate) or sample.rows.n == 0:
        reason = undefined_reason(m, sample.rows, positive=positive, prior=prior, **options)
        return _undefined(m, sample, estimate, asked, terms, reason or "there are no rows")
    if m.given_by_prior and sample.shares is not None:
        return terms.interval(
            m.name, estimate, math.nan, math.nan, bounds=bounds, method=asked, n=sample.rows.n, note=GIVEN
        )
    why = ""
    # A dear error that was hardly seen: resamples know as little of it as the rows.
    dear = m.name == "savings" and method is None and hardly_seen(sample)
    own = savings_by_shares(sample, terms, options) if dear else (math.nan, math.nan)
    if asked.startswith("bootstrap"):
        try:
            if method is None and sample.kind == "weighted":
                raise Unfit("its interval needs resampled rows, and sampling weights were summed over rows")
            low, high, note = bootstrap_of_table(
                m, sample, estimate, asked, terms, options, rng=rng, replicates=replicates
            )
            if dear:
                low, high = float(np.fmin(low, own[0])), float(np.fmax(high, own[1]))
                note = f"{note}; {OUTER}"
            low, high = _held(low, high, estimate, bounds)
            if low < high:
                return terms.interval(
                    m.name, estimate, low, high, bounds=bounds, method=asked, n=sample.rows.n, note=note
                )
            why = "the bootstrap limits have no width"
        except Unfit as unfit:
            why = unfit.note
        if dear and own[0] < own[1]:
            low, high = _held(*own, estimate, bounds)
            return terms.interval(
                m.name, estimate, low, high, bounds=bounds, method="mover-cost", n=sample.rows.n,
                note=joined_notes(why, "limits of the mean cost instead of the bootstrap", by=": "),
            )  # fmt: skip
        if situation == "other":
            return terms.interval(
                m.name, estimate, math.nan, math.nan, bounds=bounds, method=asked, n=sample.rows.n, note=why
            )
        asked = default_for(situation)
        why = joined_notes(why, f"{asked} instead of the bootstrap", by=": ")
    if method is None and carried_through(m, sample):
        low, high = limits_at_prior(m, sample, estimate, terms, options)
        return terms.interval(m.name, estimate, low, high, bounds=bounds, method="mover-wilson", n=sample.rows.n)
    if m.of_one_class:
        _, made, size = class_limits(m, situation, one_class(m, sample, options), asked, terms, options)
        n = float(np.ravel(size)[0])
    elif method is None and (twin := _of_either_class(m, sample)) is not None:
        view = one_class(twin, sample, options)
        made, n = (
            class_limits(twin, twin.situation, view, default_for(twin.situation), terms, options)[1],
            sample.rows.n,
        )
    else:
        made, n = whole_limits(m, situation, sample, estimate, asked, terms, options)
        if method is None and has_small_counts(m, sample):
            made = joined(m, sample, estimate, made, terms, options)
    low, high, key, remark = (np.ravel(a)[0] for a in made)
    note = joined_notes(why, remark)
    return terms.interval(m.name, estimate, float(low), float(high), bounds=bounds, method=str(key), n=n, note=note)


def _of_either_class(m: Measure, sample: Sample) -> Measure | None:
    """Of two classes both have the same informedness and markedness, so that their average is that of either."""
    one = find_measure(m.of) if m.average else None
    same = one is not None and one.sum_of and len(sample.table.labels) == 2 and sample.plain
    return one if same else None


def _undefined(m: Measure, sample: Sample, estimate: float, asked: str, terms: Terms, reason: str) -> Interval:
    """Nothing is known of an undefined metric but its range."""
    low, high = (b if math.isfinite(b) else math.nan for b in m.range)
    n = sample.rows.n
    if m.share is not None and m.of_one_class:
        n = int(m.share(sample.table.binary(sample.positive, sample.table.counts.astype(np.float64)))[1])
    return terms.interval(m.name, math.nan, low, high, bounds=m.range, method=asked, n=n, note=reason)


def _held(low: float, high: float, estimate: float, bounds: tuple[float, float]) -> tuple[float, float]:
    return max(min(low, estimate), bounds[0]), min(max(high, estimate), bounds[1])
