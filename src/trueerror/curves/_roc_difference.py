"""The difference of two ROC curves, which may cross: where is one above the other, and where can nobody tell?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._base import columns_to_records, frozen
from trueerror.curves._input import is_predictions
from trueerror.curves._lines import curve_points, top_at
from trueerror.curves._points import Records
from trueerror.curves._replicates import (
    VISITS,
    balanced_groups,
    flagged_in_groups,
    group_weights,
    grouped_cuts,
    groups_of_rows,
    in_groups,
    rates_of_groups,
    resampled_tables,
)
from trueerror.curves._roc import Roc, roc
from trueerror.inference._problem import critical_z
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Codes
from trueerror.inputs._options import InputError, Rng, check_confidence, check_replicates, check_word, generator
from trueerror.kernels._random import row_weights, seed_of
from trueerror.kernels._threads import in_threads
from trueerror.results import Result
from trueerror.results._format import folded, listing, number, percent, whole
from trueerror.sources._collect import is_openable, opened, refuse_columns, takes_table_options
from trueerror.sources.engines._array_source import scored_rows

DifferenceKind = Literal["simultaneous", "pointwise"]
GRID = 201
# Errors below this share of the largest one are raised to it: near the corners resamples hardly vary.
FLOOR = 0.25
# Curves that differ by less on one side are not said to cross.
SMALLEST_CROSSING = 0.01


@takes_table_options
def roc_difference(
    data: Any, first: Any, second: Any, *, positive: Any = None, kind: DifferenceKind = "simultaneous",
    confidence: float = 0.95, replicates: int = 1000, rng: Rng = None, **columns: Any,
) -> RocDifference:  # fmt: skip
    """TPR of the first curve minus TPR of the second at each FPR, with a band: who is better where.

    From (truth, first scores, second scores), or from Predictions (a path or a table too) and the names of two models:
    both on the same rows, which are resampled together. With `data=None`, first and second are ROC curves of different
    rows. "simultaneous" holds over all FPRs at once (the farthest standardised distance of bootstrap replicates), so
    that every stretch where the band leaves 0 counts; "pointwise" holds at each FPR by itself.

    Source: Jensen, Müller and Schäfer 2000, Stat. Med. 19:493, for bands of this kind.

    >>> truth = [0] * 8 + [1] * 8
    >>> good, poor = list(range(16)), [3, 1, 12, 5, 9, 2, 14, 4, 6, 0, 8, 7, 10, 11, 13, 15]
    >>> d = roc_difference(truth, good, poor, replicates=200)
    >>> float(d.fpr[0]), float(d.difference[0])
    (0.25, 0.5)
    """
    check_word(kind, ("simultaneous", "pointwise"), "kind")
    level = check_confidence(confidence)
    replicates = check_replicates(replicates)
    paired, drawn_in = data is not None, ""
    if not paired:
        curves = [_curve(c, f"{word} curve") for c, word in ((first, "first"), (second, "second"))]
        grid = _grid(curves)
        drawn, drawn_about = _unpaired_draws(curves, grid, replicates, rng)
    else:
        curves, truth, scores, codes = _same_rows(data, first, second, positive, columns)
        grid = _grid(curves)
        if 2 * len(truth) * replicates > VISITS:
            drawn, drawn_about, random_groups = _grouped_draws(truth, scores, curves, grid, replicates, rng, codes)
            drawn_in = in_groups(random_groups, len(truth), codes)
        else:
            drawn, drawn_about = _paired_draws(truth, scores, grid, replicates, rng, codes), None
    centre = top_at(curves[0].fpr, curves[0].tpr, grid) - top_at(curves[1].fpr, curves[1].tpr, grid)
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    reach = _reach(drawn - (centre if drawn_about is None else drawn_about), curves, kind, level)
    groups = next((f" of {c.clusters.note}" for c in curves if c.clusters is not None), "")
    note = f"{replicates:,} {'paired ' if paired else ''}resamples{groups}{drawn_in}, {generator(rng)[1]}"
    below = above = np.zeros(len(grid))
    if not all(c.table.exact for c in curves):
        # The lowest curve of one against the highest of the other.
        (low_1, high_1), (low_2, high_2) = (_corridor(c, grid) for c in curves)
        below, above = np.maximum(centre - (low_1 - high_2), 0.0), np.maximum(high_1 - low_2 - centre, 0.0)
        note += "; binned scores: wide enough for the exact curves, wherever they lie"
    names = [c.name or word for c, word in zip(curves, ("first", "second"), strict=True)]
    return RocDifference(
        first=names[0], second=names[1] if names[1] != names[0] else "second", kind=kind, fpr=grid, difference=centre,
        low=np.maximum(centre - reach - below, -1.0), high=np.minimum(centre + reach + above, 1.0), confidence=level,
        paired=paired,
        n=curves[0].n if paired else sum(c.n for c in curves),
        note=note,
    )  # fmt: skip


def may_cross(truth: NDArray[np.bool_], first: Floats, second: Floats, confidence: float = 0.95) -> bool:
    """Whether a band on the difference may lie above 0 at one FPR and below 0 at another, by a quick look.

    A band over all FPRs is wider at each than one over five of them (Bonferroni) by the error of the positives alone,
    so either curve must be ahead by more than that somewhere.

    >>> truth = np.repeat([False, True], 200)
    >>> early, late = np.linspace(0, 1, 400) + truth, np.linspace(0, 1, 400) + 2.0 * truth * (np.arange(400) % 2)
    >>> may_cross(truth, early, late), may_cross(truth, early, early)
    (False, False)
    """
    negatives, m = float(np.count_nonzero(~truth)), float(np.count_nonzero(truth))
    grid = np.linspace(min(0.5, 2 / negatives), 1.0, GRID)
    places = []
    for scores in (first, second):
        beaten = np.searchsorted(np.sort(scores[~truth]), scores[truth])
        places.append(np.searchsorted(grid, 1 - beaten / negatives))

    def so_far(place: NDArray[np.intp]) -> Floats:
        return np.cumsum(np.bincount(place, minlength=GRID + 1)[:GRID]) / m

    difference = so_far(places[0]) - so_far(places[1])
    alone = so_far(np.minimum(*places)) - so_far(np.maximum(*places))
    errors = np.sqrt(np.maximum(alone - difference**2, 0.0) / m)
    least = np.maximum(
        critical_z(1 - (1 - confidence) / 5) * np.maximum(errors, FLOOR * errors.max()), SMALLEST_CROSSING
    )
    return bool((difference > least).any() and (difference < -least).any())


def _corridor(curve: Roc, grid: Floats) -> tuple[Floats, Floats]:
    """Between which TPRs the exact curve of binned scores lies."""
    bounds = curve.table.bounds
    low, high = (top_at(*curve_points(t.positives, t.negatives), grid) for t in (bounds.worst, bounds.best))
    return low, high


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RocDifference(Result):
    """First minus second TPR at each `fpr`, with the band from `low` to `high`."""

    first: str
    second: str
    kind: DifferenceKind
    fpr: Floats
    difference: Floats
    low: Floats
    high: Floats
    confidence: float = 0.95
    paired: bool = True
    method: str = "roc-difference-band"
    n: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name in ("fpr", "difference", "low", "high"):
            object.__setattr__(self, name, frozen(np.array(getattr(self, name), dtype=np.float64)))

    @property
    def title(self) -> str:
        """What the band is, for a legend."""
        return f"{percent(self.confidence)} {self.kind} band"

    @property
    def regions(self) -> tuple[tuple[str, float, float], ...]:
        """Stretches of FPR, (who, from, to), where the band leaves 0."""
        regions = [
            (name, float(self.fpr[start]), float(self.fpr[stop]))
            for name, above in ((self.first, self.low > 0), (self.second, self.high < 0))
            for start, stop in _runs(above)
        ]
        return tuple(sorted(regions, key=lambda r: r[1]))

    @property
    def crossings(self) -> tuple[float, ...]:
        """FPRs at which the two curves themselves change places; with doubt, as the band shows."""
        signs = np.sign(self.difference)
        differ = np.flatnonzero(signs)
        turns = np.flatnonzero(signs[differ][1:] != signs[differ][:-1])
        return tuple(float((self.fpr[differ[i]] + self.fpr[differ[i + 1]]) / 2) for i in turns)

    def records(self) -> Records:
        """One record for each FPR of the grid."""
        columns = (self.fpr, self.difference, self.low, self.high)
        return columns_to_records(("fpr", "difference", "low", "high"), columns)

    def __str__(self) -> str:
        where = {
            name: [f"{number(a)} to {number(b)}" if b > a else number(a) for who, a, b in self.regions if who == name]
            for name in (self.first, self.second)
        }
        other = {self.first: self.second, self.second: self.first}
        clauses = [f"{n} is above {other[n]} at FPR {listing(spans)}" for n, spans in where.items() if spans]
        unclear = bool(((self.low <= 0) & (self.high >= 0)).any())
        if not clauses:
            head = f"No clear difference between {self.first} and {self.second} anywhere"
        else:
            head = "; ".join(clauses) + ("; elsewhere no clear difference" if unclear else "")
        cross = self.crossings
        crossed = f" The curves themselves cross at FPR {listing([number(c) for c in cross])}." if cross else ""
        rows = "the same rows" if self.paired else "different rows"
        return folded(
            f"{head}.{crossed}\n{self.title} of the difference of TPRs, {rows}, n = {whole(self.n)} ({self.note})."
        )

    __repr__ = __str__


def _runs(inside: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last place of each run of True."""
    padded = np.concatenate(([False], inside, [False]))
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _reach(moves: Floats, curves: list[Roc], kind: DifferenceKind, level: float) -> Floats:
    """Half the width of the band at each FPR, from how far replicates moved."""
    errors = moves.std(axis=0, ddof=1) if len(moves) > 1 else np.zeros(moves.shape[1])
    farther = max((c.clusters.expansion(level) for c in curves if c.clusters is not None), default=1.0)
    largest = float(errors.max())
    if not largest > 1e-12:
        # The curves differ by the same in every resample: what has not been seen in either class may still be.
        sizes = [s for c in curves for s in c._class_rows(level)]
        unseen = [-math.expm1(math.log((1 - level) / 2) / s) for s in sizes]
        return np.full(moves.shape[1], min(1.0, max(unseen[0] + unseen[1], unseen[2] + unseen[3])))
    errors = np.maximum(errors, FLOOR * largest)
    if kind == "pointwise":
        return np.asarray(farther * critical_z(level) * errors)
    return np.asarray(farther * float(np.quantile(np.abs(moves / errors).max(axis=1), level)) * errors)


def _grid(curves: list[Roc]) -> Floats:
    """FPRs from two negatives up: further left a curve of so many rows says nothing about the true one."""
    fewest = min(float(c.table.n_negative) for c in curves)
    return np.linspace(min(0.5, 2 / fewest), 1.0, GRID)


def _curve(given: Any, word: str) -> Roc:
    if not isinstance(given, Roc):
        raise InputError(
            f"the {word} is a {type(given).__name__}; pass ROC curves of different rows, or the truth first"
        )
    return given


def _same_rows(
    data: Any, first: Any, second: Any, positive: Any, columns: Mapping[str, Any]
) -> tuple[list[Roc], NDArray[np.bool_], list[Floats], Codes | None]:
    """Both curves, which rows are positive, both columns of scores, and the rows' clusters."""
    if isinstance(first, str) and is_openable(data):
        data = opened(data, positive=positive, **columns)
    else:
        refuse_columns(columns)
    if is_predictions(data):
        names = [data.only(first), data.only(second)]
        curves = [roc(data, model=name, positive=positive) for name in names]
        if data.weights_kind is not None:
            raise InputError("a band on the difference resamples rows, which weighted rows do not allow")
        truth, scores, keys = scored_rows(data, names, positive=positive)
        codes = None if keys is None else np.unique(keys, return_inverse=True)[1]
        return curves, truth, [np.ascontiguousarray(scores[:, i]) for i in (0, 1)], codes
    from trueerror.sources._collect import predictions

    both = predictions(data, scores={"first": first, "second": second}, positive=positive)
    return _same_rows(both, "first", "second", positive, {})


def _paired_draws(
    truth: NDArray[np.bool_], scores: list[Floats], grid: Floats, replicates: int, rng: Rng,
    codes: Codes | None = None,
) -> Floats:  # fmt: skip
    """First minus second TPR on the grid, for each resample of the rows, or of whole clusters."""
    seed, units = seed_of(generator(rng)[0]), len(truth) if codes is None else int(codes.max()) + 1
    ranked = []
    for column in scores:
        order = np.argsort(-column, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(column[order])), len(order) - 1)
        ranked.append((order, ends, truth[order]))
    out = np.full((replicates, len(grid)), np.nan)

    def resample(b: int) -> None:
        weights = row_weights(units, seed, b)
        weights = weights if codes is None else weights[codes]
        sides = []
        for order, ends, up in ranked:
            drawn = weights.take(order)
            hits, calls = np.cumsum(np.where(up, drawn, 0)), np.cumsum(drawn)
            if hits[-1] == 0 or hits[-1] == calls[-1]:
                return
            tp, called = hits.take(ends), calls.take(ends)
            fpr = np.concatenate(([0.0], (called - tp) / (called[-1] - tp[-1])))
            sides.append(top_at(fpr, np.concatenate(([0.0], tp / tp[-1])), grid))
        out[b] = sides[0] - sides[1]

    in_threads(resample, range(replicates))
    return out


def _grouped_draws(
    truth: NDArray[np.bool_], scores: list[Floats], curves: list[Roc], grid: Floats, replicates: int, rng: Rng,
    codes: Codes | None = None,
) -> tuple[Floats, Floats, int]:  # fmt: skip
    """The same of very many rows, which (or whose clusters) are drawn in random groups, at thresholds that lie close;
    the difference of the curves at these; and how many groups there are."""
    seed = seed_of(generator(rng)[0])
    groups, following = groups_of_rows(len(truth), seed, codes)
    cuts = [grouped_cuts(curve.table) for curve in curves]
    # The last replicate is all rows.
    weights = np.vstack((group_weights(groups, replicates=replicates, seed=seed), np.ones(groups)))
    sides = []
    for flagged in flagged_in_groups(truth, scores, cuts, groups, following):
        ends = np.zeros((len(weights), 1)), np.ones((len(weights), 1))
        fpr, tpr = (
            np.hstack((ends[0], rates_of_groups(called, rows, weights), ends[1]))
            for called, rows in ((flagged.quiet, flagged.negatives), (flagged.hits, flagged.positives))
        )
        sides.append(np.stack([top_at(x, y, grid) for x, y in zip(fpr, tpr, strict=True)]))
    differences = sides[0] - sides[1]
    return differences[:-1], differences[-1], groups


def _unpaired_draws(curves: list[Roc], grid: Floats, replicates: int, rng: Rng) -> tuple[Floats, Floats]:
    """The same for curves of different rows, each resampled by itself; and the difference of the grouped curves."""
    draw, _ = generator(rng)
    sides, samples = [], []
    for curve in curves:
        side = np.full((replicates, len(grid)), np.nan)
        start = 0
        blocks = resampled_tables(curve.table, replicates=replicates, rng=seed_of(draw), clusters=curve.clusters)
        for positives, negatives in blocks:
            for i in np.flatnonzero((positives.sum(axis=1) > 0) & (negatives.sum(axis=1) > 0)):
                side[start + i] = top_at(*curve_points(positives[i], negatives[i]), grid)
            start += len(positives)
        sides.append(side)
        samples.append(top_at(*curve_points(*balanced_groups(curve.table)), grid))
    return sides[0] - sides[1], samples[0] - samples[1]
