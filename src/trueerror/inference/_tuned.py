"""A threshold that was chosen on these very rows: whether it was, for what, and what its rates are on other rows.

The best of all cutoffs fits the accidents of a sample, so what it reaches there is too good. Choosing again on
resampled rows shows how much: the rate less the mean optimism is too good still, the mean on rows left out too bad,
since it is chosen for on 63 % of the rows. The lower limit is Wilson's at the latter, the upper one at the rate as it
is, both with as many rows as the spread over resamples is worth (`validation/CHOSEN.md` has what was measured).

Sources: Efron 1983, JASA 78:316; Harrell, Lee and Mark 1996, Stat. Med. 15:361 (optimism).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import Range
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats
from trueerror.results import Interval
from trueerror.tallies import ScoreTable

KEY = "tuned-threshold"
# (true positives, false positives, positives, negatives) of each cutoff → what it is worth; higher is better.
Worth = Callable[[Floats, Floats, float, float], Floats]


class Criterion(NamedTuple):
    """What a threshold is chosen for: the `worth` of a cutoff between two `ends`, and `choice`, which is largest at
    the cutoff that is chosen, where that is not the worth itself; `metric` is its name where it is registered."""

    name: str
    worth: Worth
    metric: str = ""
    ends: Range = (0.0, 1.0)
    choice: Worth | None = None

    def place(self, tp: Floats, fp: Floats, up: float, down: float) -> int:
        """The cutoff that is chosen."""
        return int(np.argmax((self.choice or self.worth)(tp, fp, up, down)))


def _reaching(target: float, tp: Floats, fp: Floats, up: float, down: float) -> Floats:
    """Largest at the highest cutoff that finds this share of the positives."""
    found = tp / max(up, 1.0)
    return np.where(found >= target - 1e-12, 2 - found - fp / (1e3 * (down + 1)), 0.0)


def recall_of(target: float) -> Criterion:
    """The highest cutoff that finds this share of the positives."""
    return Criterion(
        f"a recall of {target:g}",
        lambda tp, fp, up, down: tp / max(up, 1.0),
        "recall",
        choice=partial(_reaching, target),
    )


def cost_of_errors(cost_fp: float, cost_fn: float) -> Criterion:
    """Minus the expected cost of a row."""

    def worth(tp: Floats, fp: Floats, up: float, down: float) -> Floats:
        return -(cost_fp * fp + cost_fn * (up - tp)) / max(up + down, 1.0)

    return Criterion("expected cost", worth, "expected_cost", (-max(cost_fp, cost_fn), 0.0))


CRITERIA = (
    Criterion("accuracy", lambda tp, fp, up, down: (tp + down - fp) / max(up + down, 1.0), "accuracy"),
    Criterion(
        "Youden's index", lambda tp, fp, up, down: tp / max(up, 1.0) - fp / max(down, 1.0), "informedness", (-1.0, 1.0)
    ),
    Criterion("F1", lambda tp, fp, up, down: 2 * tp / np.maximum(tp + fp + up, 1.0), "f1"),
)


class Tuned(NamedTuple):
    """The best cutoff of these rows for one criterion: what it seems to be worth, and what it is on other rows.

    Of both, higher is better, so a cost is below 0. `used` says whether the rows were cut there, or only could be.
    """

    threshold: float
    criterion: Criterion
    apparent: float
    expected: Interval
    used: bool = True


def named_beforehand(threshold: float) -> bool:
    """Whether it is a threshold that people name without looking: a twentieth, or beyond every score."""
    return not math.isfinite(threshold) or abs(20 * threshold - round(20 * threshold)) < 1e-9


def tuned_for(
    table: ScoreTable, threshold: float, first: Iterable[Criterion] = (), confidence: float = 0.95
) -> Tuned | None:
    """What the threshold is the best of all cutoffs for, if it seems to be picked from these very scores.

    Thresholds that people name beforehand have one or two decimals. One that was found on the rows is one of their
    scores, or lies half-way between two, perhaps rounded; or it is the best of a grid in steps of 0.01. Where it is the
    best for several criteria, those that come `first` are named.

    >>> t = ScoreTable.count([0, 0, 1, 0, 1, 1], [0.1234, 0.2345, 0.3456, 0.4567, 0.5678, 0.6789])
    >>> tuned_for(t, 0.3456).criterion.name, tuned_for(t, 0.5), tuned_for(t, 0.6789)
    ('accuracy', None, None)
    """
    if table.squares is not None or len(table.scores) < 3 or named_beforehand(threshold):
        return None
    counts = counts_above(table.positives, table.negatives)
    at = int(np.searchsorted(table.scores, threshold, side="left"))
    on_grid = abs(100 * threshold - round(100 * threshold)) < 1e-9
    if on_grid:
        grid = np.searchsorted(table.scores, np.arange(1, 100) / 100 - 1e-12)
        places, candidates = grid[grid < len(table.scores)], [at]
    elif _picked(table.scores, threshold):
        places, candidates = np.arange(len(table.scores)), [at, *[at - 1] * (threshold not in table.scores), at + 1]
    else:
        return None
    for place, c in product(candidates, (*first, *CRITERIA, *(() if on_grid else _targets(counts, at)))):
        values = (c.choice or c.worth)(*counts)
        best = float(values[places].max()) if len(places) else math.nan
        if 0 <= place < len(values) and values[place] >= best - 1e-12 * max(1.0, abs(best)):
            apparent = float(c.worth(*counts)[min(at, len(values) - 1)])
            return Tuned(float(threshold), c, apparent, on_other_rows(table, c, place, confidence))
    return None


def _picked(scores: Floats, threshold: float) -> bool:
    """Whether it is one of the scores or half-way between two, to as many decimals as it has."""
    at = int(np.searchsorted(scores, threshold))
    near = scores[max(0, at - 2) : at + 2]
    candidates = np.concatenate((near, (near[1:] + near[:-1]) / 2))
    decimals = next((d for d in range(3, 7) if abs(threshold - round(threshold, d)) < 1e-12), None)
    slack = 1e-12 * max(1.0, abs(threshold)) if decimals is None else 0.5 * 10.0**-decimals
    return bool((np.abs(candidates - threshold) <= slack).any())


def _targets(counts: tuple[Floats, Floats, float, float], at: int) -> list[Criterion]:
    """The round recall that this cutoff just reaches; none with so few positives that any cutoff reaches one."""
    tp, _, up, _ = counts
    if up < 40 or at >= len(tp):
        return []
    reached = [r for r in (*np.arange(50, 100, 5) / 100, 0.98, 0.99) if tp[at] - 1 < r * up <= tp[at]]
    return [recall_of(float(r)) for r in reached]


def counts_above(positives: NDArray[np.generic], negatives: NDArray[np.generic]) -> tuple[Floats, Floats, float, float]:
    """True and false positives when everything from each score up is predicted positive; positives and negatives."""
    tp, fp = (np.cumsum(np.asarray(c, dtype=np.float64)[::-1])[::-1] for c in (positives, negatives))
    return tp, fp, float(tp[0]), float(fp[0])


def on_other_rows(
    table: ScoreTable, criterion: Criterion, place: int, confidence: float = 0.95, replicates: int = 200
) -> Interval:
    """What the cutoff chosen for a criterion is worth on other rows; NaN of very many, which nobody can fit to."""
    n, whole = int(table.n), counts_above(table.positives, table.negatives)
    apparent = float(criterion.worth(*whole)[place])
    unknown = Interval(name=criterion.name, estimate=math.nan, low=math.nan, high=math.nan, confidence=confidence)
    if n > 100_000:
        return unknown
    counts = np.concatenate((table.positives, table.negatives)).astype(np.int64)
    rows = np.repeat(np.arange(len(counts)), counts)
    rng, size, everywhere = np.random.Generator(np.random.Philox(0)), len(table.scores), criterion.worth(*whole)
    optimism, outside, fixed = [], [], []
    for _ in range(replicates):
        often = rng.multinomial(n, np.full(n, 1 / n))
        halves = (np.bincount(rows, weights=w, minlength=2 * size) for w in (often, often == 0))
        bag, rest = (counts_above(w[:size], w[size:]) for w in halves)
        if min(bag[2:]) > 0 and min(rest[2:]) > 0:
            there, inside = criterion.place(*bag), criterion.worth(*bag)
            optimism.append(float(inside[there] - everywhere[there]))
            outside.append(float(criterion.worth(*rest)[there]))
            fixed.append(float(inside[place]))
    if len(optimism) < replicates / 2:
        return unknown
    (start, end), left = criterion.ends, min(float(np.mean(outside)), apparent)
    spread, most = (x / (end - start) ** 2 for x in (max(float(np.var(optimism)), float(np.var(fixed)), 1e-12), 1 / n))

    def wilson(value: float) -> tuple[float, float]:
        p = min(max((value - start) / (end - start), 0.0), 1.0)
        worth = p * (1 - p) / max(spread, p * (1 - p) * most) if 0 < p < 1 else 1 / most
        low, high = share_limits(p * worth, worth, "wilson", confidence)
        return start + (end - start) * float(low), start + (end - start) * float(high)

    (low, _), (_, high), middle = wilson(left), wilson(apparent), (left + apparent - float(np.mean(optimism))) / 2
    return Interval(
        name=criterion.name, estimate=min(middle, apparent), low=low, high=high, confidence=confidence, method=KEY,
        n=n, note="the threshold was chosen on these rows",
    )  # fmt: skip


def elsewhere(tuned: Tuned | None, own: Interval) -> Interval:
    """A rate of the calls as it is on other rows, where the threshold was tuned for it."""
    if tuned is None or tuned.criterion.metric != own.name or math.isnan(tuned.expected.estimate):
        return own
    e, cost = tuned.expected, tuned.criterion.ends[1] == 0
    low, high = (-e.high, -e.low) if cost else (e.low, e.high)
    return replace(e, name=own.name, estimate=abs(e.estimate) if cost else e.estimate, low=low, high=high, n=own.n)
