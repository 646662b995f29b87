"""MCC and kappa where one of two classes was found a few times only, by "haldane-z".

Both metrics stand or fall with the rare class then, and the delta method sees only what occurred: of 100 rows with one
positive that was missed and two false alarms it makes kappa −.014 with limits −.032 and .005, whatever the other
positives would show. With ½ added to each of the four counts (Haldane 1956 for the odds ratio; Jeffreys' prior) every
cell has a variance. Enumerated over all tables of 20 and 50 rows with 1–50 % positives, kappa is covered .92 and more
where the delta method falls to .37.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trueerror.intervals.one_class import Rough, rough
from trueerror.intervals.sampling import Sample
from trueerror.intervals.scales import on_logit
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.tallies.confusion import Confusion
from trueerror.variances.delta import influence, variance

# With this many rows of each class found the delta method holds (validation/RESULTS.md).
FEW_HITS = 5
ADDED = 0.5
FEW = f"a class was found fewer than {FEW_HITS} times: limits from counts with ½ added to each"


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
    return int(table.classes().hits.min()) < FEW_HITS


def halves_added(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: Mapping[str, Any]) -> Rough:
    """tanh(atanh(m̃) ± z·SE/(1 − m̃²)) of the counts with ½ added to each, and always the estimate itself."""
    full = Confusion(np.ones((2, 2), dtype=np.int64), labels=sample.table.labels)
    counts = sample.table.matrix.ravel().astype(np.float64) + ADDED
    seen = (full.classes(counts),) if measure.needs == "classes" else (full, counts)
    centre = np.array([float(measure.function(*seen, **options))])
    spread = np.array([variance(influence(measure, full, options=options, masses=counts), counts)])
    low, high = on_logit(centre, spread, terms.factor(), measure.range)
    return rough((np.fmin(low, estimate), np.fmax(high, estimate)), "haldane-z", FEW)
