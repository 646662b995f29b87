"""The operating-point explorer: class mix and costs move the line of equal cost over one shared ROC panel.

What stands here shows without JavaScript. The page's script moves it by counts at points of the curves, never rows; it
computes as `te.roc_hull(...).best`, `te.roc(...).operating_point` and `te.evaluate(costs=, prior=)` do. How sure a
choice is comes from resamples of the rows, of which the page has the rates at some points of each curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from trueerror.curves._hull import RocHull, roc_hull
from trueerror.curves._operating_point import Condition
from trueerror.curves._replicates import (
    Flagged,
    Following,
    flagged_in_groups,
    group_weights,
    grouped_cuts,
    groups_of_rows,
    rates_of_groups,
)
from trueerror.curves._roc import Roc, pointwise_limits, roc
from trueerror.inference._estimate import Estimate, Stratum, quantile
from trueerror.inference._label_tables import with_half_rows
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import tail
from trueerror.inference._variance import Sample
from trueerror.inputs._arrays import Array, Floats
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError, generator
from trueerror.kernels._random import seed_of
from trueerror.metrics._registry import Measure, find_measure
from trueerror.plots._headings import sizes_words
from trueerror.plots._specs import Axis, Band, Curves, Line
from trueerror.plots.compose.roc import CORNERS, FPR, TPR, diagonal, roc_line
from trueerror.plots.svg._curves import LEFT, TOP, Plot
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._contents import ReportOptions, Start
from trueerror.reports._html import COLOURED, FEW_HOVERED, Gallery, Section, clipped, html_table
from trueerror.reports._leaderboard import Column
from trueerror.results import Interval
from trueerror.results._document import Table
from trueerror.results._format import brief_names, figures, percent, share_words, threshold_words, unbroken, whole
from trueerror.results._values import CLEAR, deciding_p, surety
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import scored_rows
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.verbs._compare_costs import CostComparison, at_usual, positive_share
from trueerror.verbs._comparison import Comparison
from trueerror.verbs._model_metrics import ModelMetrics, Settings

# Resamples of the rows that the page keeps; of many models fewer, and at fewer points of each curve.
RESAMPLES, FEWER = 200, 100
FEW_MODELS, SOME_MODELS = 6, 12
TUNED_POINTS = 14
# Thresholds of each curve among which resamples choose, how many times more resamples do, and at which prices.
CUTS, CHOICES = 256, 5
SLOPES = 1 / (1 + np.exp(-np.linspace(-7, 7, 41)))
# What resamples add to a rate travels as a whole number of such parts of its standard deviation.
FINENESS = 8
# The farthest of these numbers; each travels as a printed character, the middle one of which stands for no move.
FARTHEST, MIDDLE = 46, 80
SEED = 0
# Places at which the page has Student's t.
QUANTILES = 128
# Areas above this are looked at in their corner.
SHARP = 0.95
# Corners that are the cheapest only where one error costs more than so many of the other stay out of the closer view.
FARTHEST_COST = 20


class InUse(NamedTuple):
    """How a model is used now: its calls as counts (or weights), and its threshold where scores are cut."""

    threshold: float | None
    fp: float
    tp: float


class Knots(NamedTuple):
    """Points along a model's curve, from the highest threshold down, with what resamples of the rows add to its rates.

    `fp` and `tp` are counts (or rates, with weights); `unit` (2, points) is what one part of `draws`
    (resamples, points, 2) stands for; `tuned` are the points among which a resample chooses anew.
    """

    fp: Floats
    tp: Floats
    unit: Floats
    draws: NDArray[np.int8]
    tuned: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """The curves of all models that rank, the best area first, with their hull and the calls in use.

    `limits` are the library's own for the calls in use: of cost, misses and false alarms; `now` says whose calls those
    are.
    """

    curves: dict[str, Roc]
    hull: RocHull
    in_use: dict[str, InUse | None]
    limits: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]]
    knots: dict[str, Knots]
    optimism: list[list[float]]
    marks: dict[str, list[object]]
    areas: dict[str, Interval]
    grid: Floats
    positive: object
    negative: str
    start: Start
    given: bool
    confidence: float
    now: str

    @property
    def names(self) -> dict[str, str]:
        """The models, and how they are shown."""
        return brief_names(tuple(self.curves))

    @property
    def exact(self) -> bool:
        """Whether there are counts: with sampling weights there are none, and rates serve."""
        return all(c.table.squares is None for c in self.curves.values())

    @property
    def prior(self) -> float:
        """The share of positives among the rows."""
        return next(iter(self.curves.values())).prevalence

    @property
    def sharp(self) -> bool:
        """Whether all curves press into the corner, so that a picture of the whole square shows nothing."""
        areas = [(1 + c.gini) / 2 for c in self.curves.values() if not c.calls]
        return bool(areas) and min(areas) > SHARP


# Whose calls the explorer begins with: those in the file, or scores cut where a verdict about costs cuts them.
IN_FILE, IN_VERDICT = "as used now", "at the verdict's threshold"


def explore(p: Predictions, asked: ReportOptions | None = None, *, now: str = IN_FILE) -> Explored | None:
    """The curves of predictions with scores and a positive class; None where no model has them."""
    wanted = asked or ReportOptions()
    # A classifier that gives labels is a point; of graded rows it is only known who was right.
    models = [m for m in p.models if p.has_scores(m) or (p.has_labels(m) and not p.graded)]
    if p.positive is None or not models or (p.weights_kind == "sampling" and not all(map(p.has_scores, models))):
        return None
    curves = {m: roc(p, model=m) for m in models}
    ranked = dict(sorted(curves.items(), key=lambda item: 2.0 if item[1].calls else -item[1].gini))
    in_use = {m: _in_use(p, m) for m in curves}
    start = Start(
        prior=next(iter(curves.values())).prevalence
        if wanted.prior is None
        else positive_share(p, wanted.prior) or 0.0,
        cost_fp=1.0 if wanted.cost_fp is None else float(wanted.cost_fp),
        cost_fn=1.0 if wanted.cost_fn is None else float(wanted.cost_fn),
    )
    grid = _grid([c for c in ranked.values() if not c.calls], [u.threshold for u in in_use.values() if u is not None])
    knots, optimism = _knots(p, ranked, in_use, grid)
    # The hull takes the models in their own order, which decides who is named where several reach the same point.
    return Explored(
        curves=ranked,
        hull=roc_hull(curves),
        in_use=in_use,
        limits=_limits_in_use(p, [m for m in models if in_use[m] is not None], start, wanted),
        knots=knots,
        optimism=optimism,
        marks={
            m: _marks(p, c, _cuts(c, in_use[m], grid, len(curves)).thresholds, wanted.confidence)
            for m, c in ranked.items()
            if not c.calls and (c.table.squares is not None or p.has_key("clusters"))
        },
        areas=_areas(p, ranked, wanted.confidence),
        grid=grid,
        positive=p.positive,
        negative=next(clipped(x) for x in p.labels if x != p.positive) if len(p.labels) == 2 else "the rest",
        start=start,
        given=wanted.prior is not None,
        confidence=wanted.confidence,
        now=now,
    )


def _limits_in_use(
    p: Predictions, models: list[str], start: Start, asked: ReportOptions
) -> dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]]:
    """Limits of cost, miss rate and false alarm rate as `te.evaluate` gives them, for any design of the sample."""
    if len(p.labels) != 2 or not models:
        return {}
    index = p.labels.index(p.positive)
    prices = [[0.0, 0.0], [0.0, 0.0]]
    prices[1 - index][index], prices[index][1 - index] = start.cost_fp, start.cost_fn
    # Where both errors cost the same, a cost is a share of wrong answers.
    alike = start.cost_fp == start.cost_fn
    asks = [find_measure(name) for name in ("error_rate" if alike else "expected_cost", "recall", "specificity")]
    price = start.cost_fp if alike else 1.0
    settings = Settings(
        confidence=asked.confidence, costs=prices, metrics={m.name: {} for m in asks}, rng=asked.rng, prior=asked.prior
    )
    out = {}
    for model in models:
        metrics = ModelMetrics(model, settings, predictions=p)
        try:
            cost, recall, quiet = (metrics.interval(measure.name) for measure in asks)
        except InputError:
            continue
        three = (
            (price * cost.low, price * cost.high),
            (1 - recall.high, 1 - recall.low),
            (1 - quiet.high, 1 - quiet.low),
        )
        if all(math.isfinite(v) for pair in three for v in pair):
            out[model] = three
    return out


def _areas(p: Predictions, curves: dict[str, Roc], confidence: float) -> dict[str, Interval]:
    """The area of each curve, with the limits that the design of the sample asks for."""
    return {
        name: design_interval(p, name, "auc", confidence) or curve.auc(confidence=confidence)
        for name, curve in curves.items() if not curve.calls
    }  # fmt: skip


def design_interval(p: Predictions, model: str, metric: str, confidence: float) -> Interval | None:
    """A model's metric as `te.evaluate` gives it, for any design of the sample; None where it gives none."""
    settings = Settings(confidence=confidence, metrics={metric: {}})
    try:
        return ModelMetrics(model, settings, predictions=p).interval(metric)
    except InputError:
        return None


# What the sliders step through: costs of an error, and shares of positives.
DECADE = np.array([1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9])
COSTS = np.round(np.concatenate((DECADE / 10, DECADE, 10 * DECADE, 100 * DECADE, [1000])), 2).tolist()
RARE = np.concatenate((np.arange(1, 10) / 1000, np.arange(2, 20) / 200))
SHARES = np.round(np.concatenate((RARE, np.arange(5, 46) / 50, 1 - RARE[::-1])), 3).tolist()
PRIOR_TICKS = {0.001: "0.1 %", 0.1: "10 %", 0.5: "50 %", 0.9: "90 %", 0.999: "99.9 %"}
COST_TICKS = {0.1: "0.1", 1: "1", 10: "10", 100: "100", 1000: "1,000"}
# Thresholds that the roundest costs ask for: limits over clusters and weighted rows are known there.
ROUND = 1 / (1 + np.array([100, 50, 20, 10, 5, 3, 2]))


def _grid(curves: list[Roc], used: list[float | None]) -> Floats:
    """Thresholds of the page: hundredths and what round costs ask for where scores lie between 0 and 1, else hundredths
    of all rows; and those in use.
    """
    if not curves:
        return np.empty(0)
    known = [t for t in used if t is not None]
    if all(c.table.scores[0] >= 0 and c.table.scores[-1] <= 1 for c in curves):
        ratios = np.array(COSTS)
        every = np.sort(np.concatenate((np.arange(101) / 100, 1 / (1 + ratios), ratios / (1 + ratios), known)))
        return every[np.diff(every, prepend=-1.0) > 1e-9]
    places = np.linspace(0, 1, 101)
    reached = []
    for c in curves:
        rows = np.cumsum(c.table.positives + c.table.negatives)
        reached.append(c.table.scores[np.searchsorted(rows, places * rows[-1]).clip(0, len(rows) - 1)])
    every = np.unique(np.concatenate(reached))
    return np.union1d(every[np.unique(np.linspace(0, len(every) - 1, 101).round().astype(int))], known)


def _steps(grid: Floats) -> list[int]:
    """Which thresholds have a row in the table: every twentieth, or every fifth of those that follow the rows."""
    twentieths = np.flatnonzero(np.abs(20 * grid - np.round(20 * grid)) < 1e-9)
    return twentieths[1:-1].tolist() if len(twentieths) == 21 else list(range(5, len(grid) - 1, 5))


def called_at(curve: Roc, thresholds: Floats) -> tuple[Floats, Floats]:
    """False and true positives where scores are cut at thresholds: a score at the threshold is flagged."""
    place = len(curve.table.scores) - np.searchsorted(curve.table.scores, thresholds, side="left")
    tp, fp = curve._counts_at(place)
    return fp, tp


def _knots(
    p: Predictions, curves: dict[str, Roc], in_use: dict[str, InUse | None], grid: Floats
) -> tuple[dict[str, Knots], list[list[float]]]:
    """What resamples do to each curve, the same rows drawn for all, and by how much choosing on these rows flatters;
    nothing where rows cannot be drawn again.

    Replicate b draws the rows (or clusters) that `te.roc_hull(...).best(rng=0)` draws, of very many random groups.
    Classifiers that give labels are drawn by themselves: of them rows were counted, not kept.
    """
    if p.weights_kind is not None or not any(not c.calls for c in curves.values()):
        return {}, []
    replicates = RESAMPLES if len(curves) <= FEW_MODELS else FEWER
    seed = seed_of(generator(SEED)[0])
    # Without the rows each threshold is a query.
    few = p.has_key("clusters") and any(map(p.absent, curves))
    cuts = {m: _cuts(c, in_use[m], grid, len(curves), few=few) for m, c in curves.items() if not c.calls}
    try:
        counted = _in_clusters(p, cuts, seed) if p.has_key("clusters") else _in_rows(p, cuts, seed)
    except (InputError, MemoryBudgetExceeded):
        return {}, []
    out = {}
    groups = len(next(iter(counted.values())).negatives)
    every = group_weights(groups, replicates=(CHOICES if len(curves) <= FEW_MODELS else 1) * replicates, seed=seed)
    weights = every[:replicates]
    for place, (m, c) in enumerate(curves.items()):
        if m in counted:
            quiet, hits, negatives, positives = counted[m]
            quiet, hits = (side[:, cuts[m].knots] for side in (quiet, hits))
            fpr, tpr = rates_of_groups(quiet, negatives, weights), rates_of_groups(hits, positives, weights)
            fp, tp = called_at(c, cuts[m].thresholds)
            out[m] = _packed(fp, tp, fpr, tpr, _sizes(c), cuts[m].tuned)
        else:
            used = in_use[m]
            up, down = _sizes(c)
            rates = np.array([used.fp / down, used.tp / up]) if used is not None else np.array([0.5, 0.5])
            draw = np.random.Generator(np.random.Philox(key=np.array([seed, 1 + place], dtype=np.uint64)))
            spread = np.sqrt(rates * (1 - rates) / np.array([down, up]))
            moved = rates + spread * draw.standard_normal((replicates, 2))
            fp, tp = np.array([rates[0] * down]), np.array([rates[1] * up])
            out[m] = _packed(fp, tp, moved[:, :1], moved[:, 1:], (up, down), [0])
    return out, _optimism(counted, every)


# Where half a row more makes a cost lowest and highest: at the mix of the rows (with a miss or a false alarm the dearer
# one), and with each class brought to a share that is asked for.
HALVES = [(None, half) for half in ([0], [3], [2], [1])] + [(0.5, half) for half in ([0, 3], [1, 2])]
# A miss alone has a price, or a false alarm.
PRICES = [[0, 0], [1, 0]], [[0, 1], [0, 0]]


def _marks(p: Predictions, curve: Roc, thresholds: Floats, confidence: float) -> list[object]:
    """Points of a curve over clusters or weighted rows, from the end where nothing is flagged: FPR and TPR, limits of
    the rates of misses and of false alarms, and in each of `HALVES` what costs vary by, as `_powers` has it.
    """
    cuts = np.concatenate(([np.inf], np.union1d(thresholds, ROUND)[::-1], [-np.inf]))
    scores, clusters = curve.table.scores, curve.clusters
    if clusters is None and p.has_key("clusters"):
        return []  # each row is alone in its cluster
    tables: Iterable[tuple[Confusion, KeyedConfusion | None]]
    if clusters is None:
        tables = ((curve._table_at(place), None) for place in (len(scores) - np.searchsorted(scores, cuts)).tolist())
    else:
        tables = ((keyed.table, keyed) for keyed in clusters.tables(cuts))
    out: list[object] = []
    for cells, keyed in tables:
        fnr, fpr = (metric_interval(m, cells, clusters=keyed, confidence=confidence) for m in ("fnr", "fpr"))
        ways = []
        for prior, half in HALVES:
            sample = Sample.of(COST, cells, clusters=keyed, prior=prior)
            missed, alarmed = (with_half_rows(COST, sample, {"costs": prices}, half) for prices in PRICES)
            ways.append(_powers(missed, alarmed, 1 / (prior or 1.0)))
        out.append([fpr.estimate, 1 - fnr.estimate, _rounded((fnr.low, fnr.high, fpr.low, fpr.high)), ways])
    return out


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{v:.6g}") for v in values]


COST = find_measure("expected_cost")


def _powers(missed: Estimate, alarmed: Estimate, scale: float) -> list[list[float]]:
    """For each sample drawn apart how many units there are, how many effectively, and the terms of Σ (x·m + y·a)^power.

    m and a are what a unit adds to the rates of misses and of false alarms, about its mean; x and y are prices. From
    the powers 2, 3 and 4 the page has the standard error of any cost, and its degrees of freedom, as
    `inference._estimate.spread` finds them.
    """
    every: list[NDArray[np.bool_] | slice] = [slice(None)]
    samples = every if missed.strata is None else [missed.strata == s for s in np.unique(missed.strata)]
    out = []
    for members in samples:
        one, two = (Stratum.of(e, members) for e in (missed, alarmed))
        m, a = scale * one.apart, scale * two.apart
        pairs = np.array([m * m, m * a, a * a])
        often = pairs * one.often
        squares, cubes, fourths = often.sum(axis=1), often @ np.array([m, a]).T, often @ pairs.T
        sums = [
            squares[0], 2 * squares[1], squares[2],
            cubes[0, 0], 3 * cubes[0, 1], 3 * cubes[2, 0], cubes[2, 1],
            fourths[0, 0], 4 * fourths[0, 1], 6 * fourths[0, 2], 4 * fourths[1, 2], fourths[2, 2],
        ]  # fmt: skip
        out.append(_rounded((float(one.n), float(one.effective), *sums)))
    return out


class Cuts(NamedTuple):
    """Thresholds, from the highest down, at which a curve is followed through resamples: which of them are knots, and
    which of the knots are corners.
    """

    every: Floats
    knots: NDArray[np.int64]
    tuned: list[int]

    @property
    def thresholds(self) -> Floats:
        """Those of the knots."""
        return self.every[self.knots]


def _cuts(curve: Roc, used: InUse | None, grid: Floats, models: int, *, few: bool = False) -> Cuts:
    corners = curve._at(curve._corners)[2]
    corners = corners[np.isfinite(corners)]
    most = TUNED_POINTS if models <= SOME_MODELS else TUNED_POINTS // 2
    kept = _evenly(corners, most)
    coarse = grid[_steps(grid)] if models <= SOME_MODELS else grid[:0]
    low, high = float(curve.table.scores[0]), float(curve.table.scores[-1])
    threshold_used = [] if used is None or used.threshold is None else [used.threshold]
    knots = np.unique(np.concatenate((kept, coarse[(coarse > low) & (coarse <= high)], np.array(threshold_used))))
    more = () if few else (_evenly(corners, CUTS), grouped_cuts(curve.table, CUTS))
    every = np.unique(np.concatenate((knots, *more)))[::-1]
    # Thresholds between the same two scores flag the same rows.
    fp, tp = called_at(curve, every)
    apart = np.concatenate(([True], np.diff(fp + tp) > 0))
    place = np.cumsum(apart) - 1
    at = np.unique(place[np.isin(every, knots)])
    tuned = np.searchsorted(at, np.unique(place[np.isin(every, kept)]))
    return Cuts(every[apart], at, tuned.tolist())


def _evenly(values: Floats, most: int) -> Floats:
    return np.array(values[np.unique(np.linspace(0, len(values) - 1, min(most, len(values))).round().astype(int))])


def _optimism(counted: dict[str, Flagged], weights: Floats) -> list[list[float]]:
    """What the cheapest model at its cheapest threshold costs more on rows not used to choose it, then each model by
    itself: a row each, over `SLOPES`, the prices of a false alarm where the two prices add up to 1.

    Half-way between its cost with the optimism of choosing added, and its cost on the rows that a resample leaves out,
    as `te.roc_hull(...).best` has it.
    """
    left = (weights == 0).astype(np.float64)
    lowest: list[Floats] = []
    for quiet, hits, negatives, positives in counted.values():
        drawn, missing = ([rates_of_groups(quiet, negatives, w), rates_of_groups(hits, positives, w)]
                          for w in (weights, left))  # fmt: skip
        known = quiet.sum(axis=0) / negatives.sum(), hits.sum(axis=0) / positives.sum()
        found = np.empty((3, len(SLOPES), len(weights)))
        least = np.empty(len(SLOPES))
        for k, a in enumerate(SLOPES.tolist()):
            inside = a * drawn[0] - (1 - a) * drawn[1]
            at = np.argmin(inside, axis=1)
            rows = np.arange(len(at))
            here = a * known[0] - (1 - a) * known[1]
            found[:, k] = inside[rows, at], here[at], a * missing[0][rows, at] - (1 - a) * missing[1][rows, at]
            least[k] = here.min()
        lowest.append(np.concatenate((found, np.broadcast_to(least[None, :, None], found[:1].shape))))
    every = np.stack(lowest)
    best = np.take_along_axis(every, every[:, :1].argmin(axis=0)[None], axis=0)[0]
    best[3] = every[:, 3].min(axis=0)

    def more(inside: Floats, here: Floats, outside: Floats, least: Floats) -> list[float]:
        return _rounded(((here - inside + outside - least) / 2).mean(axis=1).clip(min=0).tolist())

    return [more(*one) for one in (best, *every)]


def _in_rows(p: Predictions, cuts: dict[str, Cuts], seed: int) -> dict[str, Flagged]:
    """For each model the negatives and positives of each group that are flagged at each threshold, and all of them."""
    up, columns = p.source.scored_rows(list(cuts)).each_score(list(cuts), positive=p.positive)
    return _flagged(up, columns, groups_of_rows(len(up), seed), cuts)


def _in_clusters(p: Predictions, cuts: dict[str, Cuts], seed: int) -> dict[str, Flagged]:
    """The same by cluster: over rows that all models scored, where they fit into memory, else by the source."""
    if any(map(p.absent, cuts)):
        return _in_keys(p, cuts)
    try:
        rows = scored_rows(p, list(cuts), positive=p.positive)
    except MemoryBudgetExceeded:
        return _in_keys(p, cuts)
    assert rows.clusters is not None
    groups = groups_of_rows(len(rows.up), seed, rows.clusters)
    return _flagged(rows.up, list(rows.scores.T), groups, cuts)


def _flagged(
    up: NDArray[np.bool_], columns: Sequence[Array], groups: tuple[int, Following], cuts: dict[str, Cuts]
) -> dict[str, Flagged]:
    thresholds = [cut.every for cut in cuts.values()]
    return dict(zip(cuts, flagged_in_groups(up, columns, thresholds, *groups), strict=True))


def _in_keys(p: Predictions, cuts: dict[str, Cuts]) -> dict[str, Flagged]:
    """The same by cluster, threshold after threshold."""
    index = p.labels.index(p.positive)
    out = {}
    for m, cut in cuts.items():
        columns: list[list[Floats]] = [[], []]
        sizes: list[Floats] = []
        for threshold in cut.every.tolist():
            keyed = p.keyed_confusion(m, "clusters", threshold=threshold)
            row, col = keyed.table.row[keyed.cell], keyed.table.col[keyed.cell]
            for side, of_class in enumerate((row != index, row == index)):
                flagged = of_class & (col == index)
                columns[side].append(_summed(keyed.key[flagged], keyed.counts[flagged], len(keyed.keys)))
            sizes = [_summed(keyed.key[o], keyed.counts[o], len(keyed.keys)) for o in (row != index, row == index)]
        quiet, hits = (np.column_stack(side) for side in columns)
        out[m] = Flagged(quiet, hits, *sizes)
    return out


def _summed(key: NDArray[np.int64], counts: NDArray[np.int64], groups: int) -> Floats:
    return np.bincount(key, weights=counts, minlength=groups).astype(np.float64)


def _packed(fp: Floats, tp: Floats, fpr: Floats, tpr: Floats, sizes: tuple[float, float], tuned: list[int]) -> Knots:
    """Deviations of the resampled rates in whole parts of their standard deviation."""
    moves = np.stack((fpr - fp / sizes[1], tpr - tp / sizes[0]), axis=2)
    unit = moves.std(axis=0) / FINENESS
    parts = np.divide(moves, unit, out=np.zeros_like(moves), where=unit > 0)
    return Knots(fp, tp, unit.T, np.clip(np.rint(parts), -FARTHEST, FARTHEST).astype(np.int8), tuned)


def _in_use(p: Predictions, model: str) -> InUse | None:
    """A model's own calls, or its scores cut where they are cut; None where nothing is called."""
    if not p.has_predictions(model):
        return None
    way = p.facts.decision_rule(model, None)
    cells = p.confusion(model).binary(p.positive)
    threshold = None if way.kind != "cut" else 0.5 if way.threshold is None else float(way.threshold)
    return InUse(threshold, float(cells.fp), float(cells.tp))


def explorer_data(e: Explored, panels: list[dict[str, object]], cmp: Comparison | None = None) -> dict[str, object]:
    """The explorer's numbers for the page; `panels` say where each panel lies and what its axes span."""
    place = {name: i for i, name in enumerate(e.curves)}
    sizes = {name: _sizes(c) for name, c in e.curves.items()}
    first = next(iter(sizes.values()))
    rivals = max(1, len(e.curves) - 1)
    chosen = cmp.chosen if isinstance(cmp, CostComparison) else None
    start = {"prior": e.start.prior, "fp": e.start.cost_fp, "fn": e.start.cost_fn, "gaps": _start_gaps(e, cmp),
             "tuned": chosen.corrected.estimate if chosen and chosen.corrected else None}  # fmt: skip
    return {
        "panels": panels,
        "exact": e.exact,
        "prior": e.prior,
        "given": e.given,
        "now": e.now,
        "confidence": e.confidence,
        # Šidák: all differences from the chosen one together.
        "t": {
            "shown": _student(e.confidence), "together": _student(e.confidence ** (1 / rivals)),
            "clearly": _student((1 - CLEAR) ** (1 / rivals)),
        },
        "start": start,
        "positive": clipped(e.positive),
        "grid": [finite(t) for t in e.grid.tolist()],
        "slopes": _rounded(SLOPES.tolist()),
        "optimism": e.optimism,
        "steps": _steps(e.grid),
        "costs": COSTS,
        "shares": SHARES,
        "models": [_model(e, name, c, sizes[name], i) for i, (name, c) in enumerate(e.curves.items())],
        "corners": [
            [place.get(c.classifier, -1 if c.fpr == 0 else -2), finite(c.threshold),
             *_point(sizes.get(c.classifier, first), c.fpr, c.tpr, e.exact)]
            for c in e.hull.corners
        ],
    }  # fmt: skip


def _student(confidence: float) -> list[float]:
    """Student's t at evenly spaced 1/df, from infinitely many degrees of freedom down to one."""
    with np.errstate(divide="ignore"):
        df = 1 / np.linspace(0, 1, QUANTILES + 1)
    return _rounded(quantile(df, tail(confidence)))


def _start_gaps(e: Explored, cmp: Comparison | None) -> dict[str, object] | None:
    """The comparison's own differences from the best, where it judges the calls in use by their cost, or by what is
    right where errors cost the same: then the explorer begins with the same intervals as the page.
    """
    if cmp is None or cmp.reference not in (None, cmp.best) or set(cmp.models) != set(e.curves):
        return None
    condition = Condition(e.start.prior, e.start.cost_fp, e.start.cost_fn)
    costs = {}
    for name, curve in e.curves.items():
        used, (m, n) = e.in_use[name], _sizes(curve)
        if used is None:
            return None
        costs[name] = float(condition.cost(used.fp / n, used.tp / m))
    for sign, other in ((1.0, 0.0), (-1.0, 1.0)):
        if all(math.isclose(other + sign * costs[m], cmp.estimates[m].estimate, abs_tol=1e-9) for m in cmp.models):
            break
    else:
        return None
    of: list[object] = []
    for name in e.curves:
        c = None if name == cmp.best else cmp[name, cmp.best]
        known = c is not None and math.isfinite(c.low) and math.isfinite(c.high)
        clear = c is not None and surety(deciding_p(c), 1 - c.confidence) == "clear"
        of.append([*sorted((sign * c.low, sign * c.high)), clear] if c is not None and known else None)
    return {"best": list(e.curves).index(cmp.best), "of": of}


def _sizes(curve: Roc) -> tuple[float, float]:
    """Positives and negatives; each is a sum over all scores, so it is asked for once."""
    return float(curve.table.n_positive), float(curve.table.n_negative)


def _model(e: Explored, name: str, curve: Roc, sizes: tuple[float, float], place: int) -> dict[str, object]:
    """One model: its sizes, the corners of its own hull, its calls in use and at the slider's thresholds, resamples."""
    scores, squares, used = curve.table.scores, curve.table.squares, e.in_use[name]
    scale = (1.0, 1.0) if e.exact else sizes
    calls = None if used is None else [used.threshold, used.fp / scale[1], used.tp / scale[0]]
    at = None
    if not curve.calls:
        fp, tp = called_at(curve, e.grid)
        # Counts only fall along the thresholds: the page has what each takes away.
        at = [[_amount(-x) for x in np.diff(side, prepend=0.0)] for side in (fp / scale[1], tp / scale[0])]
    look, dash = Plot(Curves(title="", x=Axis(title=""), y=Axis(title=""), lines=()), COLOURED).look(place)
    return {
        "name": e.names[name],
        "m": _amount(sizes[0]),
        "n": _amount(sizes[1]),
        "look": [look, dash],
        "corners": [
            [_cut(curve, threshold), *_point(sizes, fpr, tpr, e.exact)]
            for fpr, tpr, threshold in zip(*(part.tolist() for part in curve._at(curve._corners)), strict=True)
        ],
        "use": calls,
        "limits": e.limits.get(name),
        "at": at,
        "probabilities": bool(scores[0] >= 0 and scores[-1] <= 1),
        "weight": 1.0 if squares is None else _amount(float(squares.sum() / sum(sizes))),
        "marks": e.marks.get(name) or None,
        **_knot_data(e.knots.get(name), scale),
    }


def _knot_data(k: Knots | None, scale: tuple[float, float]) -> dict[str, object]:
    """Knots as the page reads them: [fp, tp, part of the FPR, part of the TPR], and the draws as characters."""
    if k is None:
        return {"knots": None}
    columns = (k.fp / scale[1], k.tp / scale[0], *k.unit)
    return {
        "knots": [[_amount(float(v)) for v in row] for row in zip(*columns, strict=True)],
        "draws": (k.draws + MIDDLE).tobytes().decode("ascii"),
        "tuned": k.tuned,
    }


def _cut(curve: Roc, threshold: float) -> float | str | None:
    return finite(math.nan if curve.calls and threshold == 1 else threshold)


def _point(sizes: tuple[float, float], fpr: float, tpr: float, exact: bool) -> tuple[float, float]:
    if not exact:
        return fpr, tpr
    return round(fpr * sizes[1]), round(tpr * sizes[0])


def _amount(x: float) -> float:
    return int(x) if x.is_integer() else float(f"{x:.6g}")


def finite(threshold: float) -> float | str | None:
    """JSON has no infinities; nine digits tell any two thresholds apart that are shown."""
    if math.isnan(threshold):
        return None  # labels have none
    if math.isinf(threshold):
        return "inf" if threshold > 0 else "-inf"
    return float(f"{threshold:.9g}")


SIZE = (420, 420)
TRIVIAL_NAMES = {"AlwaysNeg": "Flag nothing", "AlwaysPos": "Flag everything"}


def explorer_section(
    e: Explored, gallery: Gallery, cmp: Comparison | None = None, *, metric: str = "accuracy"
) -> tuple[Section, dict[str, object]]:
    """The section, and the numbers that its script works with; `metric` is what is judged by without a comparison."""
    views = [(1.0, 0.0), *corner_view(e)]
    zoomed = e.sharp and len(views) > 1
    panels = [_panel(e, gallery, *view, shown=(i == 1) == zoomed) for i, view in enumerate(views)]
    blocks = (
        el("div", _controls(e), _outcome(e), class_="controls"),
        el("div", el("div", _zoom(views, zoomed), *panels), el("div", _models(e), _ranges(), class_="beside"),
           class_="sides"),
        _small_charts(e),
        _thresholds(e),
    )  # fmt: skip
    section = Section(
        key="explorer",
        title="Which one to run, and at which threshold" if len(e.curves) > 1 else "At which threshold to run it",
        lead="What is cheapest depends on how common positives are where the model will run, and on what a miss and a "
        f"false alarm cost.{_judged_at(e, cmp, find_measure(metric if cmp is None else cmp.metric))}",
        blocks=(el("div", *blocks, id="explore"),),
    )
    where = [{"at": [LEFT, TOP, *SIZE], "x": [0, right], "y": [bottom, 1]} for right, bottom in views]
    return section, explorer_data(e, where, cmp)


def _judged_at(e: Explored, cmp: Comparison | None, measure: Measure) -> str:
    """At which class mix and costs the verdict was found, if it depends on them; where it cuts scores, if it is about
    costs; and why, where another threshold is cheaper on these rows.
    """
    if measure.is_prior_free(2):
        return ""
    mix = f"at {share_words(e.start.prior)}" if e.given else f"at the file's own mix, {share_words(e.prior)}"
    # Right or wrong is a cost, the same for both errors; of other metrics the costs that were given are.
    priced = measure.right_or_wrong or e.start.cost_fp != e.start.cost_fn or isinstance(cmp, CostComparison)
    said = f" The verdict at the top is {mix} positives{f', {e.start.words}' if priced else ''}"
    if not isinstance(cmp, CostComparison):
        return f"{said}."
    why = f" {' '.join(at_usual(cmp))}" if cmp.usual_is_cheaper else ""
    return f"{said}, with every model at threshold {threshold_words(cmp.threshold)}.{why}"


def corner_view(e: Explored) -> list[tuple[float, float]]:
    """The corner in which the hull turns, as (highest FPR, lowest TPR), where that is a small part of the panel."""
    fpr, tpr = (np.array([getattr(c, rate) for c in e.hull.corners]) for rate in ("fpr", "tpr"))
    with np.errstate(divide="ignore"):
        costs = np.diff(tpr) / np.diff(fpr) * e.prior / (1 - e.prior)
    turns = (costs[:-1] * FARTHEST_COST >= 1) & (costs[1:] <= FARTHEST_COST)
    if not turns.any():
        return []
    right, lost = (nice_up(1.4 * x[1:-1][turns].max() + 0.01) for x in (fpr, 1 - tpr))
    return [(right, round(1 - lost, 6))] if right <= 0.5 and lost <= 0.5 else []


def nice_up(x: float) -> float:
    """The next round number above.

    >>> nice_up(0.13), nice_up(0.05), nice_up(0.7)
    (0.2, 0.05, 1.0)
    """
    return next((v for v in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5) if x <= v), 1.0)


def _zoom(views: list[tuple[float, float]], zoomed: bool) -> Markup | None:
    if len(views) < 2:
        return None
    box = el("input", type="checkbox", data_x="zoom", id="x-zoom", checked=zoomed, autocomplete="off")
    return el("label", box, " Zoom into the corner", for_="x-zoom", class_="js-only zoom")


def _panel(e: Explored, gallery: Gallery, right: float, bottom: float, *, shown: bool) -> Markup:
    caption = f"ROC curves, their hull, and the line of equal cost{'' if right == 1 else ': the corner'}"
    figure = gallery.draw(_curves(e, right, bottom), caption)
    return el("div", figure, data_x="panel", hidden=not shown)


def roc_chart(e: Explored, gallery: Gallery, most: int) -> Markup:
    """The first of the same curves by themselves, to stand beside others."""
    views = [_curves(e, *view, most) for view in [(1.0, 0.0), *corner_view(e)]]
    return gallery.zoomed(views[0], views[1] if e.sharp and len(views) > 1 else None, points=FEW_HOVERED)


FLAGGING = tuple(replace(m, words=words) for m, words in zip(CORNERS, ("flag nothing", "flag everything"), strict=True))
# Points along a band, and how many curves have one.
BAND_POINTS, MOST_BANDS = 101, 12


def _bands(e: Explored, right: float) -> tuple[Band, ...]:
    """The pointwise band of each curve up to the right edge of the panel; the page shows one at a time."""
    grid = np.linspace(0.0, right, BAND_POINTS)
    out: list[Band] = []
    for i, c in enumerate(e.curves.values()):
        if c.calls or len(out) == MOST_BANDS:
            continue
        if c.table.exact:
            under, over = pointwise_limits(c._drawn.fpr, c._drawn.tpr, grid, c._class_rows(e.confidence), e.confidence)
            # The true curve does not fall, so neither need the limits.
            low = np.maximum.accumulate(np.clip(under, 0.0, 1.0))
            high = np.minimum.accumulate(np.clip(over, 0.0, 1.0)[::-1])[::-1]
            x = grid
        else:
            band = c.band(confidence=e.confidence)
            x, low, high = band.fpr, band.low, band.high
        name = f"{percent(e.confidence)} pointwise band of the curve that stands out"
        out.append(Band(x=x, low=low, high=high, name=name, series=i))
    return tuple(out)


def _curves(e: Explored, right: float, bottom: float, most: int | None = None) -> Curves:
    whole_panel = (right, bottom) == (1.0, 0.0)
    lines = [diagonal()] if whole_panel else []
    area = Column.of(e.areas.values())
    for i, (name, c) in enumerate((name, c._drawn) for name, c in list(e.curves.items())[:most]):
        # Rates only rise: what is shown is one stretch, with a point more on either side so that lines reach the edge.
        begin, end = int(np.searchsorted(c.tpr, bottom)), int(np.searchsorted(c.fpr, right, side="right"))
        kept = slice(max(0, begin - 1), min(len(c.fpr), end + 1)) if begin < end else slice(2)
        figure = "labels" if c.calls else f"AUC {area.words(e.areas[name])}"
        lines.append(roc_line(c, f"{e.names[name]}: {figure}", i, kept))
    lines.append(Line(x=e.hull.fpr, y=e.hull.tpr, role="hull"))
    about = f"{sizes_words(list(e.curves.items()))}; dotted: convex hull, what the best mixtures reach"
    caution = next((c.caution for c in e.curves.values() if c.caution), "")
    bands = () if caution else _bands(e, right)
    notes = (about, f"No bands: {caution.partition(': ')[0]}.") if caution else (about,)
    return Curves(
        title="ROC curves", subtitle=notes, bands=bands, x=Axis(title=FPR, high=right), y=Axis(title=TPR, low=bottom),
        lines=tuple(lines), marks=FLAGGING if whole_panel else (), size=SIZE,
    )  # fmt: skip


def _controls(e: Explored) -> Markup:
    in_file = "" if e.given else unbroken(f", {share_words(e.prior)} in the file")
    return el(
        "form",
        _control("prior", f"Share of positives ({clipped(e.positive)}) where it will run{in_file}", "%", SHARES,
                 PRIOR_TICKS),
        _control("fp", "Cost of a false alarm", "", COSTS, COST_TICKS),
        _control("fn", "Cost of a miss", "", COSTS, COST_TICKS),
        _modes(e),
        _threshold_control(e),
        el(
            "p",
            el("label", "Show ", _model_choice(e), for_="x-model", class_="pick"),
            el("label", "Unit of costs ", el("input", type="text", maxlength="12", size="5", data_x="unit",
                                             id="x-unit", placeholder="€"), for_="x-unit", class_="pick"),
            el("button", "Back to the start", type="button", data_x="reset"),
            class_="row",
        ),
        class_="js-only",
        autocomplete="off",
    )  # fmt: skip


def _control(key: str, words: str, unit: str, steps: Sequence[float], ticks: dict[float, str]) -> Markup:
    """A slider through `steps` and a box for any number; the numbers beneath say how its scale runs."""
    last = len(steps) - 1
    slider = el("input", type="range", min="0", max=str(last), step="1", id=f"x-{key}-slider", data_x=f"{key}-slider")
    box = el("input", type="number", min="0", step="any", id=f"x-{key}", data_x=key, aria_label=f"{words}, as a number")
    marks = []
    for x, label in ticks.items():
        at = min(range(last + 1), key=lambda k: abs(steps[k] - x)) / max(last, 1)
        side = "start" if at < 0.02 else "end" if at > 0.98 else "middle"
        marks.append(el("text", label, x=f"{100 * at:.1f}%", y="10", text_anchor=side))
    scale = el("svg", *marks, width="100%", height="12", class_="te-picture scale", aria_hidden="true")
    return el(
        "p", el("label", words, for_=f"x-{key}-slider"), el("span", slider, scale, class_="slide"),
        el("span", box, unit or None, class_="box"), class_="control",
    )  # fmt: skip


def _modes(e: Explored) -> Markup:
    """Where scores are cut."""
    choices = [("best", "cheapest on these rows (optimistic)")]
    if len(e.grid) and (e.grid[0], e.grid[-1]) == (0, 1):  # scores may be probabilities
        choices.insert(0, ("costs", "follows from the costs"))
    if any(u is not None for u in e.in_use.values()):
        choices.insert(0, ("use", e.now))
    if len(e.grid):
        choices.append(("at", "the same for all"))
    radios = [
        el(
            "label",
            el("input", type="radio", name="x-mode", value=key, id=f"x-mode-{key}"),
            f" {words}",
            for_=f"x-mode-{key}",
            class_="pick",
        )
        for key, words in choices
    ]
    return el("fieldset", el("legend", "Threshold"), *radios, class_="modes")


def _threshold_control(e: Explored) -> Markup | None:
    if not len(e.grid):
        return None
    grid = e.grid.tolist()
    ticks = {x: three_digits(x) for x in (grid[(len(grid) - 1) * k // 4] for k in range(5))}
    return _control("at", "Flag at scores of at least", "", grid, ticks)


def _model_choice(e: Explored) -> Markup:
    options = [el("option", name, value=str(i)) for i, name in enumerate(e.names.values())]
    return el("select", el("option", "the cheapest", value=""), *options, id="x-model", data_x="model")


def _outcome(e: Explored) -> Markup:
    cells = [
        [el("th", clipped(e.positive), scope="row"), el("td", data_x="cell-tp"), el("td", data_x="cell-fn")],
        [el("th", e.negative, scope="row"), el("td", data_x="cell-fp"), el("td", data_x="cell-tn")],
    ]
    head = el("tr", el("td"), el("th", "flagged", scope="col"), el("th", "not flagged", scope="col"))
    matrix = el(
        "table",
        el("caption", "Confusion matrix on these rows"),
        el("thead", head),
        el("tbody", joined([el("tr", *row) for row in cells])),
        class_="small",
    )
    texts = (
        el("p", data_x="choice", class_="choice"),
        el("p", "Tuned on these rows: optimistic", data_x="badge", class_="badge", hidden=True),
        el("p", data_x="cost"),
        el("p", data_x="sure"),
        el("p", data_x="counts"),
        el("p", data_x="rate", class_="note"),
        el("p", data_x="changed", class_="changed", hidden=True),
        el("p", data_x="untuned", class_="note"),
    )
    return el("div", el("div", *texts, aria_live="polite"), matrix, class_="outcome js-only")


def _models(e: Explored) -> Markup:
    """Each model as it is used now, its cost first; the script puts in whatever is asked for."""
    rows = []
    for name, curve in e.curves.items():
        used = e.in_use[name]
        if used is None:
            rows.append((e.names[name], "–", "", "", ""))
            continue
        cut = "its own calls" if used.threshold is None else threshold_words(used.threshold)
        (m, n), limits = _sizes(curve), e.limits.get(name)
        rows.append((e.names[name], _cost_words(e, used.tp / m, used.fp / n, limits), cut, _count(m - used.tp),
                     _count(used.fp)))  # fmt: skip
    m, n = _sizes(next(iter(e.curves.values())))
    rows += [
        (TRIVIAL_NAMES["AlwaysNeg"], _cost_words(e, 0, 0, None), "", _count(m), "0"),
        (TRIVIAL_NAMES["AlwaysPos"], _cost_words(e, 1, 1, None), "", "0", _count(n)),
    ]
    alike = len({_sizes(c) for c in e.curves.values()}) == 1
    of = (f" of {_count(m)}", f" of {_count(n)}") if alike else ("", "")
    columns = ("model", "cost per 100", "threshold", f"misses{of[0]}", f"false alarms{of[1]}")
    table = html_table(Table(columns=columns, rows=tuple(rows)), title=f"{e.now.capitalize()}, {e.start.words}")
    return el(
        "div",
        table,
        el("p", f"Beneath: {percent(e.confidence)} intervals.", class_="note js-only"),
        data_x="models",
        class_="tall",
    )


def _cost_words(e: Explored, tpr: float, fpr: float, limits: tuple[tuple[float, float], ...] | None) -> str:
    condition = Condition(e.start.prior, e.start.cost_fp, e.start.cost_fn)
    cost = float(condition.cost(fpr, tpr))
    if limits is None:
        return figures(cost, least=1, power=2)[0]
    return "{} [{}, {}]".format(*figures(cost, *limits[0], least=1, power=2))


def _small_charts(e: Explored) -> Markup:
    """Cost against the threshold and against the class mix, drawn by the script."""

    def chart(key: str, words: str) -> Markup:
        box = "0 0 460 220"
        # The script draws it anew, without its title: the label stays.
        drawing = el("svg", el("title", words), viewBox=box, role="img", class_="te-picture line-chart", data_x=key,
                     aria_label=words)  # fmt: skip
        return el("figure", el("figcaption", el("b", words, data_x=f"{key}-title")), drawing)

    by_threshold = chart("by-threshold", "Cost per 100 rows against the threshold") if len(e.grid) else None
    return el(
        "div", by_threshold, chart("by-mix", "Cost per 100 rows against the share of positives"),
        class_="line-charts js-only",
    )  # fmt: skip


def _thresholds(e: Explored) -> Markup | None:
    """What every twentieth threshold does, for the model that is shown."""
    if not len(e.grid):
        return None
    columns = ("threshold", "cost per 100", "flagged", "found", "false alarms", "precision", "recall")
    head = el("tr", *(el("th", c, scope="col", class_="number") for c in columns))
    table = el("table", el("caption", "Thresholds"), el("thead", head), el("tbody", data_x="steps"))
    return el(
        "details",
        el("summary", "Threshold table: what each threshold flags, finds and costs"),
        el("div", table, class_="wide", tabindex="0", role="region", aria_label="Threshold table"),
        data_x="thresholds",
        class_="js-only",
    )


def _count(x: float) -> str:
    return whole(round(x, 1))


def three_digits(x: float) -> str:
    """Three digits, without needless zeros.

    >>> three_digits(17.25), three_digits(3.0), three_digits(1234.5)
    ('17.2', '3', '1,234')
    """
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def _ranges() -> Markup:
    """Which model is cheapest over which shares of positives: the script fills it, for the thresholds looked at."""
    table = html_table(Table(columns=("classifier", "from", "to"), rows=()), title="Cheapest by the share of positives")
    strip = el("svg", width="100%", height="52", class_="te-picture strip-chart", data_x="strip", aria_hidden="true")
    return el("div", table, strip, data_x="ranges", class_="js-only")
