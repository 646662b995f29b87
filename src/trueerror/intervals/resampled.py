"""The bootstrap of a confusion matrix: resampling rows is one multinomial draw over its cells, whatever their number.

Rows are resampled together, not class by class, unless the classes' sizes were fixed by design; clusters are resampled
whole. The same seed gives the same replicates whatever the size of the blocks that they are drawn in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import generator
from trueerror.intervals.sampling import Sample
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.results.words import percent
from trueerror.tallies.counts import sum_columns
from trueerror.variances.bootstrap import BootstrapMethod, bootstrap_limits
from trueerror.variances.delta import variance

Floats = NDArray[np.float64]
# Cells held at a time: 16 MB.
BLOCK = 1 << 21
FEWEST = 100
# Above this share of replicates without a value the bootstrap is not to be trusted.
MOST_LOST = 0.01


_LOST = "of the resamples had no value, as where a class was lost"


def lost_words(share: float) -> str:
    """What the note of an interval says where resampling failed: `lost_share` reads it back."""
    return f"{percent(round(share, 3))} {_LOST}"


def lost_share(note: str) -> float | None:
    """The share of resamples without a value that a note tells of; None where it does not.

    >>> lost_share(lost_words(0.125)), lost_share("2,000 resamples, seed 0")
    (0.125, None)
    """
    found = re.search(rf"([\d.]+) % {_LOST}", note)
    return None if found is None else float(found[1]) / 100


class Unfit(Exception):
    """The replicates give no interval; the message says why."""


def bootstrap_of_table(
    measure: Measure,
    sample: Sample,
    estimate: float,
    method: str,
    terms: Terms,
    options: dict[str, Any],
    *,
    rng: Any = None,
    replicates: int = 10_000,
) -> tuple[float, float, str]:
    """Limits and a note; raises `Unfit` where there are none."""
    if replicates < FEWEST or replicates != int(replicates):
        raise InputError(f"replicates={replicates!r} must be a whole number of at least {FEWEST}; 10,000 is usual")
    if sample.kind == "weighted":
        raise InputError(
            "the bootstrap resamples rows, but sampling weights were summed over rows: use the default method"
        )
    if sample.clusters is not None and sample.groups < 2:
        raise Unfit("all rows are in one cluster")
    kind = method.removeprefix("bootstrap-")
    draw, seed = generator(rng)
    with np.errstate(invalid="ignore", divide="ignore"):
        values, errors = _values(measure, sample, options, draw, int(replicates), studentised=kind == "studentised")
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        raise Unfit(lost_words(lost))
    note = f"{replicates:,} resamples, {seed}" + (
        f", {percent(round(lost, 4))} without a value left out" if lost else ""
    )
    values = values[known]
    if float(values.min()) == float(values.max()):
        raise Unfit("the resamples have no spread")
    if kind == "studentised":
        return *_studentised(measure, sample, estimate, values, errors[known], terms, options), note
    influences, counts = _accelerating(measure, sample, options) if kind == "bca" else (None, None)
    low, high = bootstrap_limits(
        estimate, values, tail=terms.tail, method=cast(BootstrapMethod, kind), influences=influences, counts=counts
    )
    return low, high, note


def _values(
    measure: Measure, sample: Sample, options: dict[str, Any], draw: np.random.Generator, b: int, *, studentised: bool
) -> tuple[Floats, Floats]:
    """The metric of each replicate, and its delta-method variance where asked for."""
    values, errors = [], []
    for masses in _draws(sample, draw, b):
        values.append(np.asarray(sample.value(measure, options, masses), dtype=np.float64))
        if studentised:
            errors.append(np.sqrt(variance(sample.influence(measure, options, masses), masses)))
    return np.concatenate(values), np.concatenate(errors) if studentised else np.empty(0)


def _draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    rows = sample.rows
    cells = len(rows.counts)
    if sample.clusters is not None:
        yield from _cluster_draws(sample, draw, b)
        return
    step = max(1, BLOCK // max(cells, 1))
    strata = [np.arange(cells)]
    if sample.design == "case-control":
        strata = [np.flatnonzero(rows.row == k) for k in np.unique(rows.row)]
    totals = [int(rows.counts[s].sum()) for s in strata]
    shares = [rows.counts[s] / t for s, t in zip(strata, totals, strict=True)]
    for start in range(0, b, step):
        size = min(step, b - start)
        if len(strata) == 1:
            yield draw.multinomial(totals[0], shares[0], size=size).astype(np.float64)
            continue
        out = np.empty((size, cells))
        for i in range(size):  # replicate by replicate, so that blocks do not change what is drawn
            for s, t, p in zip(strata, totals, shares, strict=True):
                out[i, s] = draw.multinomial(t, p)
        yield out


def _cluster_draws(sample: Sample, draw: np.random.Generator, b: int) -> Iterator[Floats]:
    """Whole clusters with replacement: how often each was drawn, times what it holds."""
    clusters = sample.clusters
    assert clusters is not None
    there = np.unique(clusters.key)
    g, cells = len(there), len(sample.rows.counts)
    key = np.searchsorted(there, clusters.key)
    step = max(1, BLOCK // max(g, len(key), cells))
    for start in range(0, b, step):
        size = min(step, b - start)
        often = draw.multinomial(g, np.full(g, 1 / g), size=size).astype(np.float64)
        yield sum_columns(often[:, key] * clusters.counts, clusters.cell, cells)


def _accelerating(measure: Measure, sample: Sample, options: dict[str, Any]) -> tuple[Floats | None, Any]:
    """Influences for BCa: of the rows by cell, or of whole clusters; none where the metric has no derivative."""
    try:
        influences = sample.influence(measure, options)
    except InputError:
        return None, None
    if not np.isfinite(influences).all():
        return None, None
    if sample.clusters is not None:
        return sample.clusters.sums(influences), None
    return influences, sample.rows.counts


def _studentised(
    measure: Measure,
    sample: Sample,
    estimate: float,
    values: Floats,
    errors: Floats,
    terms: Terms,
    options: dict[str, Any],
) -> tuple[float, float]:
    """estimate − t*·SE with t* the quantiles of (θ* − θ̂)/SE*; on the scale of the metric."""
    if sample.clusters is not None:
        raise InputError("method='bootstrap-studentised' is not offered with clusters; use 'bootstrap-bca'")
    own = float(np.sqrt(sample.variance(sample.influence(measure, options))))
    fine = np.isfinite(errors) & (errors > 0)
    # A resample at a perfect score has no error of its own.
    if not own > 0 or float(1 - fine.mean()) > MOST_LOST:
        raise Unfit("too many resamples have no standard error of their own")
    t = np.quantile((values[fine] - estimate) / errors[fine], [terms.tail, 1 - terms.tail])
    return estimate - float(t[1]) * own, estimate - float(t[0]) * own
