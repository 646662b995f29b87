"""Was a threshold chosen on the rows that it is judged on, and how much does that flatter?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.tallies import ScoreTable

Floats = NDArray[np.float64]
# (true positives, false positives, positives, negatives) of each cutoff → what it is worth; higher is better.
Worth = Callable[[Floats, Floats, float, float], Floats]

REPLICATES = 200
# Beyond this many rows a threshold cannot be fitted to them to any harm.
MOST_ROWS = 100_000


class TunedThreshold(NamedTuple):
    """The best cutoff of these rows for one metric: what it seems to be worth, and what it is worth on other rows.

    `honest` is the mean over replicates that choose in the bag and score out of the bag. `used` says whether the
    evaluation was made with it, or would only look like that.
    """

    threshold: float
    metric: str
    apparent: float
    honest: float
    used: bool = True


def _accuracy(tp: Floats, fp: Floats, up: float, down: float) -> Floats:
    return (tp + down - fp) / max(up + down, 1.0)


def _youden(tp: Floats, fp: Floats, up: float, down: float) -> Floats:
    return tp / max(up, 1.0) - fp / max(down, 1.0)


def _f1(tp: Floats, fp: Floats, up: float, down: float) -> Floats:
    return 2 * tp / np.maximum(tp + fp + up, 1.0)


MEASURES: dict[str, Worth] = {"accuracy": _accuracy, "Youden's index": _youden, "F1": _f1}


def cost_of_errors(cost_fp: float, cost_fn: float) -> Worth:
    """Minus the expected cost of a row."""

    def worth(tp: Floats, fp: Floats, up: float, down: float) -> Floats:
        return -(cost_fp * fp + cost_fn * (up - tp)) / max(up + down, 1.0)

    return worth


def tuned_threshold(
    table: ScoreTable, threshold: float, *, measures: Iterable[tuple[str, Worth]] | None = None
) -> TunedThreshold | None:
    """The metric for which the threshold is the best of all cutoffs, if it seems to be picked from these very scores.

    Thresholds that people name beforehand have one or two decimals; one that was found on the rows is one of their
    scores, or lies half-way between two. Both must hold: best for accuracy, Youden's index or F1, and such a value.

    >>> t = ScoreTable.count([0, 0, 1, 0, 1, 1], [0.1234, 0.2345, 0.3456, 0.4567, 0.5678, 0.6789])
    >>> tuned_threshold(t, 0.3456).metric, tuned_threshold(t, 0.5), tuned_threshold(t, 0.2345)
    ('accuracy', None, None)
    """
    if table.squares is not None or len(table.scores) < 3 or not _picked(table.scores, threshold):
        return None
    tp, fp, up, down = _counts(table.positives, table.negatives)
    at = int(np.searchsorted(table.scores, threshold, side="left"))
    for metric, worth in MEASURES.items() if measures is None else measures:
        values = worth(tp, fp, up, down)
        best = float(values.max())
        if at < len(values) and values[at] >= best - 1e-12 * max(1.0, abs(best)):
            return TunedThreshold(float(threshold), metric, best, _out_of_bag(table, worth))
    return None


def _picked(scores: Floats, threshold: float) -> bool:
    if not math.isfinite(threshold) or abs(100 * threshold - round(100 * threshold)) < 1e-9:
        return False
    at = int(np.searchsorted(scores, threshold))
    near = scores[max(0, at - 1) : at + 2]
    candidates = np.concatenate((near, (near[1:] + near[:-1]) / 2))
    return bool((np.abs(candidates - threshold) <= 1e-12 * max(1.0, abs(threshold))).any())


def _counts(positives: NDArray[np.generic], negatives: NDArray[np.generic]) -> tuple[Floats, Floats, float, float]:
    """True and false positives when everything from each score up is called positive."""
    tp, fp = (np.cumsum(np.asarray(c, dtype=np.float64)[::-1])[::-1] for c in (positives, negatives))
    return tp, fp, float(tp[0]), float(fp[0])


def _out_of_bag(table: ScoreTable, worth: Worth) -> float:
    """The mean worth of cutoffs chosen on Poisson-resampled rows, on the rows that were not drawn."""
    n = int(table.n)
    if n > MOST_ROWS:
        return math.nan
    counts = np.concatenate((table.positives, table.negatives)).astype(np.int64)
    place = np.repeat(np.tile(np.arange(len(table.scores)), 2), counts)
    is_positive = np.repeat(np.arange(len(counts)) < len(table.scores), counts)
    rng, size, values = np.random.Generator(np.random.Philox(0)), len(table.scores), []
    for _ in range(REPLICATES):
        often = rng.poisson(1.0, n)
        bag, rest = (
            _counts(
                np.bincount(place[is_positive], weights=w[is_positive], minlength=size),
                np.bincount(place[~is_positive], weights=w[~is_positive], minlength=size),
            )
            for w in (often.astype(np.float64), (often == 0).astype(np.float64))
        )
        if min(bag[2:]) > 0 and min(rest[2:]) > 0:
            values.append(float(worth(*rest)[int(np.argmax(worth(*bag)))]))
    return float(np.mean(values)) if values else math.nan
