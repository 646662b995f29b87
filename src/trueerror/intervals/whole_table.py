"""Metrics of all classes together: accuracy, averages over classes, MCC, kappa, costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.class_means import (
    MANY_PARTS,
    THREE_PARTS,
    few_errors,
    geometric_mean_of_shares,
    mean_of_f1s,
    mean_of_shares,
    parts_that_count,
)
from trueerror.intervals.costs import cost_limits
from trueerror.intervals.one_class import (
    DUST,
    ClassView,
    Rough,
    class_limits,
    gives_way,
    one_cluster,
    rough,
    spread_limits,
    t_factors,
)
from trueerror.intervals.proportions import limits
from trueerror.intervals.sampling import Sample
from trueerror.intervals.scales import as_jaccard, at_size, plain
from trueerror.intervals.terms import Terms
from trueerror.metrics.averages import classes_in_play
from trueerror.metrics.registry import Measure, find_measure
from trueerror.results.words import whole
from trueerror.tallies.counts import BinaryCounts
from trueerror.variances.delta import binary_gradients
from trueerror.variances.mover import Cross, class_correlations, mover
from trueerror.variances.weighting import effective_size

Floats = NDArray[np.float64]

# At another class distribution these are Σ share·recall, or what is missing from 1.
RIGHT_AT_PRIOR = ("accuracy", "weighted_recall", "micro_recall")
WRONG_AT_PRIOR = ("error_rate", "hamming_loss", "weighted_fnr", "micro_fnr")


def whole_limits(
    measure: Measure,
    situation: str,
    sample: Sample,
    estimate: float,
    method: str,
    terms: Terms,
    options: dict[str, Any],
) -> tuple[Rough, float]:
    """Rough limits (of one element) and how many rows they speak of."""
    if situation == "mean-cost":
        return cost_limits(measure, sample, estimate, method, terms, options), sample.rows.n
    if situation == "proportion" and method != "takahashi" and (sample.plain or sample.shares is not None):
        return _share(measure, sample, estimate, method, terms, options)
    if sample.plain and method.startswith("mover"):
        makers = {"mover-log": _geometric_mean, "mover-wilson": _mover, "mover-f1": _mover}
        made = makers[method](measure, sample, estimate, terms, options)
        return _other_class_unknown(measure, sample, made), sample.rows.n
    one = np.array([estimate])
    v = np.array([sample.variance(sample.influence(measure, options))])
    v = np.where(v > DUST, v, 0.0)
    if sample.kind != "random" and measure.range == (0.0, 1.0):
        return _effective(one, v, sample, method, terms), sample.rows.n
    made = spread_limits(
        one, v, sample.kind, lambda _: sample.groups, np.array([float(sample.rows.n)]), method, terms, measure
    )
    if made.method[0] == "wilson-effective" and measure.name in ("mcc", "kappa") and sample.plain:
        made = _no_errors(made, sample, estimate, terms)
    return made, sample.rows.n


def _share(
    measure: Measure, sample: Sample, estimate: float, method: str, terms: Terms, options: dict[str, Any]
) -> tuple[Rough, float]:
    share = measure.share
    assert share is not None
    t = sample.table.classes(sample.masses())
    x, n = (float(v) for v in share(t))
    if sample.shares is None:
        low, high = limits([x], [n], method, terms.level, terms.side)
        made = rough((low, high), method)
        if method == "wald" and (
            x in (0, n) if terms.side == "two-sided" else x == (0 if terms.side == "upper" else n)
        ):
            made = rough((low, high), "wilson", "wald has no width here")
        return made, n
    by_recalls = measure.name in RIGHT_AT_PRIOR or measure.name in WRONG_AT_PRIOR
    if by_recalls and sample.kind == "random":
        made = _recalls_at_shares(measure, sample, terms)
        return made._replace(note=np.array([gives_way(method, "mover-wilson")], dtype=object)), sample.rows.n
    one = np.array([estimate])
    v = np.array([sample.variance(sample.influence(measure, options))])
    v = np.where(v > DUST, v, 0.0)
    if sample.kind != "random":
        return _effective(one, v, sample, method, terms), sample.rows.n
    groups = np.array([float(sample.rows.n)])
    return spread_limits(one, v, "random", lambda _: 0, groups, "delta-logit", terms, measure), sample.rows.n


def _recalls_at_shares(measure: Measure, sample: Sample, terms: Terms) -> Rough:
    """The classes' recalls, weighted by the shares that were asked for."""
    t = sample.table.classes(weighted=False)
    shares = sample.shares
    assert shares is not None
    there = (shares > 0) & (t.truth > 0)
    hits = t.hits[there] if measure.name in RIGHT_AT_PRIOR else (t.truth - t.hits)[there]
    rows, weights = t.truth[there].astype(np.float64), shares[there]
    if parts_that_count(weights, rows) >= MANY_PARTS:
        mean = float((weights * hits / rows).sum())
        return rough(mean_of_shares(mean, hits, rows, weights, terms), "wilson-of-classes")
    terms = terms.both_sides
    low, high = limits(hits, rows, "wilson", terms.level, terms.side)
    ends = mover(hits / rows, low, high, weights)
    return rough((np.array([ends[0]]), np.array([ends[1]])), "mover-wilson")


def _effective(one: Floats, v: Floats, sample: Sample, method: str, terms: Terms) -> Rough:
    """Wilson's limits at the number of independent rows that would show this variance."""
    n = float(sample.rows.n)
    if sample.kind == "weighted":
        assert sample.rows.weight_squares is not None
        kish = float(sample.rows.masses.sum()) ** 2 / float(sample.rows.weight_squares.sum())
        size = effective_size(one, v, n, kish)
        note = gives_way(method, "wilson-weighted", "; ")
        note += f"the weights leave about {whole(round(float(size[0])))} rows' worth"
        return rough(at_size(one, size, terms, terms.factor()), "wilson-weighted", note)
    groups = float(sample.groups)
    z = t_factors(terms, [groups - 1])
    size = effective_size(one, v, n, groups)
    note = gives_way(method, "wilson-clustered", "; ")
    note += f"{whole(groups)} clusters, worth about {whole(round(float(size[0])))} independent rows"
    made = rough(at_size(one, size, terms, z), "wilson-clustered", note)
    if method == "cluster-t" and v[0] > 0:
        made = rough(plain(one, v, z), "cluster-t", note)
    return one_cluster(made, np.array([groups]))


def _mover(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]) -> Rough:
    """The classes' own limits, combined with delta-method correlations; for many classes those of their mean."""
    table = sample.table
    t = table.classes()
    base = find_measure(measure.of) if measure.average else find_measure("recall")
    there = classes_in_play(t) if measure.average else t.truth > 0
    counts = t.one_vs_rest()
    slopes = BinaryCounts(*(np.where(there, s, 0.0) for s in binary_gradients(base, counts, options)))
    variances = np.maximum(sum(c * s * s for c, s in zip(counts, slopes, strict=True)), 0.0)
    variances = np.where(variances > DUST, variances, 0.0)
    like_f1 = base.situation == "f1"
    weights = np.where(there, 1.0 / max(int(there.sum()), 1), 0.0)
    # Recalls of different classes are of different rows: they are independent.
    cross = None if base.name in ("recall", "fnr") else class_correlations(table, slopes, variances)
    values = np.where(there, np.asarray(base.function(counts, **options), dtype=np.float64), 0.0)
    many = _many_classes(base, counts, weights, values, variances, cross)
    if many is not None:
        pair = many(estimate, terms.both_sides)
        low, high = (float(v[0]) for v in pair)
        # Limits stand off the estimate where the mean of small classes' F1s is known to be too low.
        moved = like_f1 and (low + high) / 2 - estimate > (high - low) / 4
        note = "the F1 of a class with few rows is too low on average: the limits are moved up by that" if moved else ""
        return rough(pair if terms.side == "two-sided" else many(estimate, terms), "wilson-of-classes", note)
    terms = terms.both_sides
    nothing = lambda _: np.zeros(len(there))  # noqa: E731
    view = ClassView(counts, counts, "random", False, lambda _: variances, nothing, nothing)
    situation, key = ("f1", "wilson-f1") if like_f1 else ("proportion", "wilson")
    _, made, _ = class_limits(base, situation, view, key, terms, options)
    low, high = mover(values, np.where(there, made.low, 0.0), np.where(there, made.high, 0.0), weights, cross)
    key = "mover-f1" if like_f1 else "mover-wilson"
    limits_of_mean = rough((np.array([low]), np.array([high])), key)
    also = _many_classes(base, counts, weights, values, variances, cross, THREE_PARTS)
    if also is None:
        return limits_of_mean
    other = also(estimate, terms)
    outer = rough(
        (np.fmin(limits_of_mean.low, other[0]), np.fmax(limits_of_mean.high, other[1])), key,
        "few errors or few hits a class: the outer limits with wilson-of-classes",
    )  # fmt: skip
    return limits_of_mean.mended((outer.low < limits_of_mean.low) | (outer.high > limits_of_mean.high), outer)


def _other_class_unknown(measure: Measure, sample: Sample, made: Rough) -> Rough:
    """With two classes both are asked about: one that no row shows may be found always or never.

    The estimate is the other class's value, as everywhere; of many classes those without rows leave the average.
    """
    t = sample.table.classes()
    by_recall = measure.of in ("recall", "fnr") if measure.average else True
    unseen = t.truth == 0 if by_recall else ~classes_in_play(t)
    if len(sample.table.labels) != 2 or unseen.sum() != 1:
        return made
    if measure.name == "g_mean":
        low, high = np.zeros_like(made.low), np.sqrt(made.high)
    else:
        low, high = made.low / 2, (1 + made.high) / 2
    label = sample.table.labels[int(np.flatnonzero(unseen)[0])]
    note = f"no rows of class {label!r}: its part may be anything from 0 to 1"
    return made._replace(low=low, high=high, note=np.array([note], dtype=object))


def _many_classes(
    base: Measure, counts: BinaryCounts, weights: Floats, values: Floats, variances: Floats, cross: Cross | None,
    enough: float = MANY_PARTS,
) -> Callable[[float, Terms], tuple[Floats, Floats]] | None:  # fmt: skip
    """How to make the limits of a mean over classes none of which dominates; None where a few classes decide.

    Three classes are enough where few errors were seen.
    """
    there = weights > 0

    def many(hits: Floats, rows: Floats) -> bool:
        return parts_that_count(weights, rows) >= enough and (
            enough >= MANY_PARTS or few_errors(hits[there], rows[there])
        )

    if base.share is not None:
        x, n = (np.where(there, np.asarray(v, dtype=np.float64), 0.0) for v in base.share(counts))
        if not many(x, n):
            return None
        return lambda estimate, terms: mean_of_shares(estimate, x, n, weights, terms, cross)
    play = np.asarray(counts.tp + counts.fp + counts.fn, dtype=np.float64)
    v = variances * (2 / (2 - values) ** 2) ** 2
    rows = np.where(there, effective_size(as_jaccard(values), v, play, play), 0.0)
    if not many(np.asarray(counts.tp, dtype=np.float64), np.where(there, play, 0.0)):
        return None
    return lambda estimate, terms: mean_of_f1s(estimate, values, rows, weights, terms, cross)


def _geometric_mean(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]) -> Rough:
    """MOVER over the logarithms of the recalls' Wilson limits; for many classes the limits of their mean.

    A class that was never found makes the mean 0; its upper limit then takes the place of its recall.
    """
    t = sample.table.classes()
    there = t.truth > 0
    hits, n = t.hits[there].astype(np.float64), t.truth[there].astype(np.float64)
    if parts_that_count(np.full(len(n), 1.0 / len(n)), n) >= MANY_PARTS:
        low, high = geometric_mean_of_shares(hits, n, terms)
        lost = not (hits > 0).all()
        note = "a class was never found: its share with two rows borrowed from all classes stands in" if lost else ""
        return rough((np.zeros(1) if lost else low, high), "wilson-of-classes", note)
    terms = terms.both_sides
    low, high = limits(hits, n, "wilson", terms.level, terms.side)
    found = hits > 0
    values = np.log(np.where(found, hits / n, high))
    ends = mover(values, np.log(np.where(found, low, high)), np.log(high), 1.0 / len(n))
    bottom = math.exp(ends[0]) if found.all() else 0.0
    note = "" if found.all() else "a class was never found: its upper limit stands in for it"
    return rough((np.array([bottom]), np.array([math.exp(ends[1])])), "mover-log", note)


def _no_errors(made: Rough, sample: Sample, estimate: float, terms: Terms) -> Rough:
    """MCC or kappa of a table without errors (or without hits): 1 − ε/(1 − Σ share²), ε Wilson's limit of the errors.

    The chance agreement Σ share² is what the margins give; with no errors both metrics fall by this much for each
    error at first.
    """
    t = sample.table.classes()
    n = float(t.total)
    right = float(t.hits.sum()) == n
    if not right and estimate > -1 + 1e-9:
        return made
    chance = float((t.truth * t.truth).sum()) / (n * n)
    both = terms.both_sides
    low, _ = limits([n], [n], "wilson", both.level, both.side)
    # A sample of all hits is mirrored by one of all misses.
    worst = np.maximum(1 - (1 - low) / (1 - chance), -1.0)
    note = f"{'no errors' if right else 'no hits'}: from Wilson's limit of the accuracy"
    one = np.ones(1)
    return rough((worst, one) if right else (-one, -worst), "wilson-agreement", note)
