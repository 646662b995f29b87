"""Metrics that stand or fall with a class of which a few rows only were found, or a few only confused.

The delta method sees only what occurred. Of 100 rows with one positive that was missed and two false alarms it makes
kappa −.014 with limits −.032 and .005, whatever other positives would show. With two rows added, spread evenly over all
K² cells (½ each for two classes: Haldane 1956 for the odds ratio, Jeffreys' prior), every cell has a variance.

- Kappa and MCC of two classes take the limits of that table, "haldane-z". Enumerated over all tables of 20 and 50 rows
  with 1–50 % positives, kappa is covered .92 and more where the delta method falls to .37.
- Smooth averages over classes (informedness, likelihood ratios, weighted shares) take the outer limits of both tables:
  a rare class of three among 100 rows is covered .93–.98 where the delta method falls to .71 (simulated).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.intervals.one_class import Rough, rough
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
SMOOTH_AVERAGES = ("correlation", "smooth-share", "ratio")
RARELY_FOUND = f"a class was found fewer than {FEW} times: limits from counts with ½ added to each"
JOINED = f"a class was found or confused fewer than {FEW} times: the outer limits with those from two rows more, "
JOINED += "spread over all cells"


def rarely_found(measure: Measure, sample: Sample) -> bool:
    """Whether MCC or kappa rests on fewer than five rows that were found of one of two classes.

    >>> from trueerror.metrics.registry import find_measure
    >>> kappa = find_measure("kappa")
    >>> [rarely_found(kappa, Sample.of(kappa, Confusion(t))) for t in ([[97, 2], [1, 0]], [[80, 10], [8, 30]])]
    [True, False]
    """
    table = sample.table
    if measure.name not in ("mcc", "kappa") or not sample.plain or len(table.labels) != 2 or table.unpredicted.any():
        return False
    return int(table.classes().hits.min()) < FEW


def halves_added(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: Mapping[str, Any]) -> Rough:
    """tanh(atanh(m̃) ± z·SE/(1 − m̃²)) of the counts with ½ added to each, and always the estimate itself."""
    low, high = _with_rows_added(measure, sample, terms, options)
    return rough((np.fmin(low, estimate), np.fmax(high, estimate)), "haldane-z", RARELY_FOUND)


def joined_where_rare(
    measure: Measure, situation: str, sample: Sample, made: Rough, terms: Terms, options: Mapping[str, Any]
) -> Rough:
    """The outer limits of the rows as they are and with two more, where a class has few hits or few errors."""
    k = len(sample.table.labels)
    smooth = situation in SMOOTH_AVERAGES and measure.needs == "classes" and sample.plain
    if not smooth or k < 2 or k > MOST_CLASSES or sample.table.unpredicted.any():
        return made
    t = sample.table.classes()
    if int(np.minimum(t.hits, t.truth + t.predicted - 2 * t.hits).min()) >= FEW:
        return made
    low, high = _with_rows_added(measure, sample, terms, options)
    wider = (low < made.low) | (high > made.high) | np.isnan(made.low)
    outer = made._replace(low=np.fmin(made.low, low), high=np.fmax(made.high, high))
    return made.mended(wider, outer._replace(note=np.asarray(JOINED, dtype=object)))


def _with_rows_added(measure: Measure, sample: Sample, terms: Terms, options: Mapping[str, Any]) -> Pair:
    """The delta method's limits on the scale of the metric's range, with two rows spread over all cells."""
    k = len(sample.table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=sample.table.labels)
    counts = sample.table.matrix.ravel().astype(np.float64) + ADDED_ROWS / (k * k)
    seen = (full.classes(counts),) if measure.needs == "classes" else (full, counts)
    centre = np.array([float(measure.function(*seen, **options))])
    spread = np.array([float(variance(influence(measure, full, options=options, masses=counts), counts))])
    if not np.isfinite(measure.range).all():
        return on_log(centre, spread, terms.factor())
    return on_logit(centre, spread, terms.factor(), measure.range)
