"""Any metric of two classes at another class distribution: a function of the two recalls alone.

The delta method takes a recall of 1 for certain, so a metric at another prior looked far too sure where a class has
few rows: the negative predictive value with 15 positives, each found with chance .95, was covered .49.
Each recall's Wilson limits are carried through the metric instead (MOVER for a function).

Source: Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 2001, Am. Stat. 55:200, for limits carried through.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.proportions import limits
from trueerror.intervals.sampling import Sample
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.tallies.confusion import Confusion

Floats = NDArray[np.float64]
# Precision has a closed form on the logit scale; F1 and its kin keep Wilson's interval at their effective rows, and
# costs their own limits.
OWN_LIMITS = ("precision",)
OWN_SITUATIONS = ("f1", "ratio", "mean-cost", "other")


def carried_through(measure: Measure, sample: Sample) -> bool:
    """Whether the limits of the two recalls decide: two classes at a prior, rows at random within each."""
    return (
        sample.shares is not None
        and sample.kind == "random"
        and len(sample.table.labels) == 2
        and (sample.place is None or not sample.shares_of_rows)
        and measure.name not in OWN_LIMITS
        and measure.situation not in OWN_SITUATIONS
    )


@np.errstate(invalid="ignore", divide="ignore")
def limits_at_prior(
    measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]
) -> tuple[float, float]:
    """f(r) − √Σ(f(r) − f(r with one recall at the limit that lowers it))², and likewise above.

    >>> from trueerror.metrics.registry import find_measure
    >>> m, t = find_measure("npv"), Confusion([[40, 5], [0, 15]])
    >>> low, high = limits_at_prior(m, Sample.of(m, t, positive=1, prior=0.3), 1.0, Terms(), {})
    >>> round(low, 3), high
    (0.91, 1.0)
    """
    terms = terms.both_sides
    t = sample.table.classes(weighted=False)
    shares = sample.shares
    assert shares is not None
    recalls = t.hits / t.truth
    ends = limits(t.hits, t.truth, "wilson", terms.level, terms.side)
    tried = np.repeat(recalls[None], 4, axis=0)
    for k in (0, 1):
        tried[2 * k, k], tried[2 * k + 1, k] = ends[0][k], ends[1][k]
    moves = (_values(measure, sample, shares, tried, options) - estimate).reshape(2, 2)
    moves = np.where(np.isnan(moves), 0.0, moves)
    down, up = np.minimum(moves.min(axis=1), 0.0), np.maximum(moves.max(axis=1), 0.0)
    return estimate - float(np.hypot(*down)), estimate + float(np.hypot(*up))


def _values(measure: Measure, sample: Sample, shares: Floats, recalls: Floats, options: dict[str, Any]) -> Floats:
    """The metric for recalls (…, 2) at the shares of the two classes."""
    wrong = 1 - recalls
    masses = np.stack(
        [shares[0] * recalls[:, 0], shares[0] * wrong[:, 0], shares[1] * wrong[:, 1], shares[1] * recalls[:, 1]], axis=1
    )
    table = sample.table
    full = Confusion.from_cells(
        labels=table.labels,
        positive=table.positive,
        row=np.array([0, 0, 1, 1]),
        col=np.array([0, 1, 0, 1]),
        counts=np.ones(4, dtype=np.int64),
        declared=True,
    )
    if measure.needs == "binary":
        found = measure.function(full.binary(sample.positive, masses), **options)
    elif measure.needs == "classes":
        found = measure.function(full.classes(masses), **options)
    else:
        found = measure.function(full, masses, **options)
    return np.asarray(found, dtype=np.float64)
