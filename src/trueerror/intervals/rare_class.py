"""Metrics that stand or fall with a class of which a few rows only were found, or a few only confused.

The delta method sees only what occurred. Of 100 rows with one positive that was missed and two false alarms it makes
kappa −.014 with limits −.032 and .005, whatever other positives would show. With two rows added, spread evenly over all
K² cells (½ each for two classes: Haldane 1956 for the odds ratio, Jeffreys' prior), every cell has a variance; but that
table is drawn towards chance, so its upper limit falls short for a model that is nearly perfect. The outer limits of
both tables are taken where a count is small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.one_class import Rough
from trueerror.intervals.sampling import Sample
from trueerror.intervals.scales import Pair, on_log, on_logit
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.tallies.confusion import Confusion
from trueerror.variances.delta import influence, variance

# With this many rows of each class found the delta method holds (validation/RESULTS.md).
FEW = 5
ADDED_ROWS = 2.0
# Of more classes than this one decides little, and the full table grows with their square.
MOST_CLASSES = 30
AGREEMENT = ("mcc", "kappa")
SMOOTH_AVERAGES = ("correlation", "smooth-share", "ratio")
NOTE = (
    "few rows of a class were found or confused: the outer limits with those from two rows more, spread over all cells"
)


def has_small_counts(measure: Measure, sample: Sample) -> bool:
    """Whether the delta method may have seen too little.

    Kappa and MCC of two classes: one was found fewer than five times, or one of the two kinds of error never seen.
    Smooth averages over classes (informedness, likelihood ratios, weighted shares): a class has fewer than five hits,
    misses or false alarms.

    >>> from trueerror.metrics.registry import find_measure
    >>> kappa = find_measure("kappa")
    >>> tables = [[97, 2], [1, 0]], [[81, 9], [0, 10]], [[80, 10], [8, 30]]
    >>> [has_small_counts(kappa, Sample.of(kappa, Confusion(t))) for t in tables]
    [True, True, False]
    """
    table, k = sample.table, len(sample.table.labels)
    if not sample.plain or not 2 <= k <= MOST_CLASSES or table.unpredicted.any():
        return False
    t = table.classes()
    errors = np.minimum(t.truth - t.hits, t.predicted - t.hits)
    if measure.name in AGREEMENT:
        # Without any error Wilson's limit of the accuracy holds already.
        one_kind = int(errors.min()) == 0 and int(t.hits.sum()) < int(t.total)
        return k == 2 and (int(t.hits.min()) < FEW or one_kind)
    smooth = measure.needs == "classes" and measure.situation in SMOOTH_AVERAGES
    return smooth and int(np.minimum(t.hits, errors).min()) < FEW


def joined(
    measure: Measure, sample: Sample, estimate: float, made: Rough, terms: Terms, options: Mapping[str, Any]
) -> Rough:
    """The outer limits of the rows as they are and with two more."""
    full, counts = with_rows_added(sample.table)
    seen = (full.classes(counts),) if measure.needs == "classes" else (full, counts)
    centre = np.array([float(measure.function(*seen, **options))])
    spread = np.array([float(variance(influence(measure, full, options=options, masses=counts), counts))])
    low, high = _on_scale(measure, centre, spread, terms)
    high = np.where(np.isinf(estimate), np.inf, high)
    outer = np.fmin(np.fmin(made.low, low), estimate), np.fmax(np.fmax(made.high, high), estimate)
    wider = (outer[0] < made.low) | (outer[1] > made.high) | np.isnan(made.low)
    words = "haldane-z" if measure.name in AGREEMENT else made.method
    method, note = np.broadcast_to(np.asarray(words, dtype=object), (1,)), np.array([NOTE], dtype=object)
    return made.mended(wider, Rough(*outer, method, note))


def with_rows_added(table: Confusion) -> tuple[Confusion, NDArray[np.float64]]:
    """A table of all K² cells, and the counts with two rows spread over them."""
    k = len(table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels, positive=table.positive)
    return full, table.matrix.ravel().astype(np.float64) + ADDED_ROWS / (k * k)


def _on_scale(measure: Measure, centre: Any, spread: Any, terms: Terms) -> Pair:
    """The delta method's limits on the scale of the metric's range."""
    if not np.isfinite(measure.range).all():
        return on_log(centre, spread, terms.factor())
    return on_logit(centre, spread, terms.factor(), measure.range)
