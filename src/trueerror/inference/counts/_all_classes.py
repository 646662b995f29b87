"""How much of the uncertainty of a mean over classes each class carries, and where a class was hardly found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._variance import Sample
from trueerror.metrics._registry import Measure
from trueerror.tallies._confusion import Confusion

Floats = NDArray[np.float64]


def shares_of_uncertainty(successes: Floats, rows: Floats) -> Floats:
    """How much of the variance of the mean of the classes' shares each class carries: p̃(1 − p̃)/n over their sum.

    p̃ = (x + ½)/(n + 1), so that a class without an error does not pass for certain.

    >>> shares_of_uncertainty(np.array([24.0, 24.0, 290.0]), np.array([25.0, 25.0, 300.0])).round(2)
    array([0.48, 0.48, 0.03])
    """
    share, rest = (successes + 0.5) / (rows + 1), (rows - successes + 0.5) / (rows + 1)
    variances = np.where(rows > 0, share * rest / np.maximum(rows, 1.0), 0.0)
    return np.asarray(variances / max(float(variances.sum()), 1e-300), dtype=np.float64)


# With this many rows of each class found the delta method holds (validation/RESULTS.md).
FEW = 5
ADDED_ROWS = 2.0
# Of more classes than this one decides little, and the full table grows with their square.
MOST_CLASSES = 30


def has_small_counts(measure: Measure, sample: Sample) -> bool:
    """Whether the delta method may have seen too little.

    Kappa and MCC of two classes: one was found fewer than five times, or one of the two kinds of error never seen.
    Smooth averages over classes (informedness, likelihood ratios, weighted shares): a class has fewer than five hits,
    misses or false alarms.

    >>> from trueerror.metrics._registry import find_measure
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
    if measure.chance_corrected:
        # Without any error Wilson's limit of the accuracy holds already.
        one_kind = int(errors.min()) == 0 and int(t.hits.sum()) < int(t.total)
        return k == 2 and (int(t.hits.min()) < FEW or one_kind)
    return measure.of_all_classes and int(np.minimum(t.hits, errors).min()) < FEW


def with_rows_added(table: Confusion) -> tuple[Confusion, Floats]:
    """A table of all K² cells, and the counts with two rows spread over them."""
    k = len(table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels, positive=table.positive)
    return full, table.matrix.ravel().astype(np.float64) + ADDED_ROWS / (k * k)
