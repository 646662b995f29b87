"""The ROC convex hull of one or many curves: every classifier that is best somewhere, what mixing them reaches, which
is the cheapest under an operating condition, and how sure that is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueerror.curves._base import frozen
from trueerror.curves._input import calls_table, is_predictions, is_rates, rates_table
from trueerror.curves._operating_point import Condition, IsoLine, iso_accuracy, iso_cost
from trueerror.curves._points import Figures, Records, area_under, downward
from trueerror.curves._replicates import (
    GROUPS,
    MOST_GROUPS,
    VISITS,
    Flagged,
    bags,
    balanced_groups,
    flagged_in_groups,
    group_weights,
    grouped_cuts,
    groups_of_rows,
    in_groups,
    near_cheapest,
)
from trueerror.curves._roc import Roc, roc
from trueerror.inference._clusters import without_gaps
from trueerror.inference._problem import critical_z
from trueerror.inputs._arrays import Floats, plain_numbers
from trueerror.inputs._labels import Codes
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError, Rng, check_replicates, check_share, generator
from trueerror.kernels._random import row_weights, seed_of
from trueerror.kernels._threads import in_threads
from trueerror.metrics._registry import Prior
from trueerror.results import Interval, Result, Table
from trueerror.results._format import folded, number, percent, whole, with_limits
from trueerror.sources._collect import (
    is_openable,
    opened,
    predictions,
    refuse_columns,
    takes_table_options,
    takes_whole_rows,
)
from trueerror.sources.engines._array_source import scored_rows
from trueerror.tallies import Confusion, ScoreTable

ALWAYS_NEG, ALWAYS_POS = "AlwaysNeg", "AlwaysPos"
# How the classifiers that need no model are called in print; data carry their names.
TRIVIAL_WORDS = {ALWAYS_NEG: "flag nothing", ALWAYS_POS: "flag everything"}
# A stretch of shares of positives narrower than this is not printed.
NARROW = 0.0005
# What a hull compares: other answers hold one threshold for all, or labels as they are given.
AT_BEST = "each at its best threshold on these rows"


def classifier_words(name: str) -> str:
    """A classifier in print.

    >>> classifier_words("svm"), classifier_words("AlwaysNeg")
    ('svm', 'flag nothing')
    """
    return TRIVIAL_WORDS.get(name, name)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HullCorner(Result):
    """A classifier at a threshold that is on the hull; `also` names others that reach the same point.

    The threshold is NaN for a classifier that gives labels.
    """

    classifier: str
    threshold: float
    fpr: float
    tpr: float
    also: tuple[str, ...] = ()

    def _made_by(self) -> Figures:
        return [("", "roc-hull")]

    def __str__(self) -> str:
        return f"{self.words()} at ({number(self.fpr)}, {number(self.tpr)})"

    def words(self) -> str:
        """The classifier and its threshold."""
        if self.classifier in TRIVIAL_WORDS or math.isnan(self.threshold):
            return classifier_words(self.classifier)
        return f"{self.classifier} at threshold {number(self.threshold)}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Mixture(Result):
    """A randomised classifier: for each row the `second` corner with probability `share`, else the `first`.

    Its rates lie on the line between the two corners, so it reaches every point of the hull.
    """

    first: HullCorner
    second: HullCorner
    share: float
    fpr: float
    tpr: float

    def _made_by(self) -> Figures:
        return [("", "roc-hull")]

    def records(self) -> Records:
        return [
            {"classifier": c.classifier, "threshold": c.threshold, "probability": p, "fpr": c.fpr, "tpr": c.tpr}
            for c, p in ((self.first, 1 - self.share), (self.second, self.share))
        ]

    def __str__(self) -> str:
        if self.share in (0.0, 1.0):
            return folded(f"{self.second if self.share else self.first}")
        return folded(
            f"For each row use {self.first.words()} with probability {number(1 - self.share)}, else "
            f"{self.second.words()}: FPR {number(self.fpr)}, TPR {number(self.tpr)}."
        )


Stretch = TypedDict("Stretch", {"classifier": str, "thresholds": tuple[float, float], "from": float, "to": float})
HullRange = TypedDict(
    "HullRange",
    {"classifier": str, "threshold": float, "fpr": float, "tpr": float, "from": float, "to": float, "also": str},
)


class HullAtMix(TypedDict):
    prior: float
    classifier: str
    threshold: float
    fpr: float
    tpr: float
    accuracy: float
    cost: float  # fmt: skip


# Shares of positives at which a hull of classifiers is read in print.
MIXES = (0.2, 0.5, 0.8)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HullRanges(Result):
    """For each corner of a hull the shares of positives over which it is the cheapest; iterates over its records."""

    rows: tuple[HullRange, ...]
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    def _made_by(self) -> Figures:
        return [("", "roc-hull")]

    def records(self) -> Records:
        return [dict(row) for row in self.rows]

    def __iter__(self) -> Iterator[HullRange]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> HullRange:
        return self.rows[place]

    @property
    def tuned(self) -> bool:
        """Whether thresholds of scores were chosen, on these rows."""
        return any(math.isfinite(row["threshold"]) for row in self.rows)

    def stretches(self) -> list[Stretch]:
        """Neighbouring corners of one classifier as one: its thresholds from the highest to the lowest, and the range
        of shares of positives; stretches too narrow to print are left out.

        >>> from trueerror.curves import roc, roc_hull
        >>> hull = roc_hull(roc([0, 1, 1, 0, 1, 1, 0, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]))
        >>> [(s["classifier"], s["thresholds"]) for s in hull.ranges().stretches()]
        [('AlwaysNeg', (inf, inf)), ('model', (0.4, 0.4)), ('AlwaysPos', (-inf, -inf))]
        """
        stretches: list[Stretch] = []
        for row in self.rows:
            if stretches and stretches[-1]["classifier"] == row["classifier"]:
                last = stretches[-1]
                last["thresholds"], last["to"] = (last["thresholds"][0], row["threshold"]), row["to"]
            else:
                cut = (row["threshold"], row["threshold"])
                stretches.append(
                    {"classifier": row["classifier"], "thresholds": cut, "from": row["from"], "to": row["to"]}
                )
        wide = [s for s in stretches if s["to"] - s["from"] >= NARROW]
        return wide or stretches

    def _table(self) -> Table:
        cells = []
        for s in self.stretches():
            first, last = s["thresholds"]
            cut = number(first) if first == last else f"{number(first)} to {number(last)}"
            cut = "any" if math.isinf(first) else "labels" if math.isnan(first) else cut
            ends = [f"{100 * end:.1f} %" for end in (s["from"], s["to"])]
            cells.append((classifier_words(s["classifier"]), cut, *ends))
        title = f"Cheapest by the share of positives (a false alarm costs {self.cost_fp:g}, a miss {self.cost_fn:g})"
        return Table(columns=("classifier", "threshold", "from", "to"), rows=tuple(cells), title=title)

    def __str__(self) -> str:
        return self._table().text()

    def _html(self, picture: str = "") -> str:
        return f"{self._table()._repr_html_()}<div>{picture}</div>"


TRIVIAL = tuple(TRIVIAL_WORDS)
TIE = 1e-12
UNPAIRED = (
    "each curve was resampled by itself: where they come from the same rows the doubt is overstated; pass Predictions, "
    "or curves made from the same Predictions"
)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class HullChoice(Result):
    """The cheapest classifier and threshold under a condition.

    `probabilities` are shares of bootstrap resamples in which each classifier, at its own best threshold, is the
    cheapest; `paired` says whether the same rows were drawn for all. `cost` is as it looks on these rows, `corrected`
    what it may really be, model and threshold having been chosen on these rows (None for a trivial classifier).
    """

    classifier: str
    threshold: float
    fpr: float
    tpr: float
    cost: float
    slope: float
    probabilities: Mapping[str, float]
    paired: bool
    prior: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0
    cost_tp: float = 0.0
    cost_tn: float = 0.0
    corrected: Interval | None = None
    note: str = ""

    @property
    def condition(self) -> Condition:
        """The share of positives and the costs."""
        return Condition(self.prior, self.cost_fp, self.cost_fn, self.cost_tp, self.cost_tn)

    @property
    def line(self) -> IsoLine:
        """The line of equal cost through the point; no point of the hull lies above it."""
        return iso_cost(self.cost, self.condition)

    def _made_by(self) -> Figures:
        cost = [] if self.corrected is None else [("the cost elsewhere", self.corrected)]
        return [("the choice", "roc-hull"), ("how sure it is", "hull-choice"), *cost]

    def records(self) -> Records:
        """One record for each classifier, the most probable first."""
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        return [{"classifier": n, "probability_best": p, "chosen": n == self.classifier} for n, p in ranked]

    def _table(self) -> Table:
        """The choice first, with its threshold and cost; the others as often as they are the cheapest."""
        rows = []
        ranked = sorted(self.probabilities.items(), key=lambda item: (item[0] != self.classifier, -item[1]))
        for name, p in ranked or [(self.classifier, math.nan)]:
            at_threshold = ["", "", "", ""]
            if name == self.classifier:
                cut = "any" if name in TRIVIAL else "labels" if math.isnan(self.threshold) else number(self.threshold)
                at_threshold = [cut, number(self.fpr), number(self.tpr), number(self.cost)]
            proportion = "unknown" if math.isnan(p) else percent(round(p, 3))
            rows.append((classifier_words(name), *at_threshold, proportion))
        columns = ("classifier", "threshold", "FPR", "TPR", "cost of a row", "cheapest in resamples")
        return Table(columns=columns, rows=tuple(rows), title=f"Cheapest {self.condition.words()}")

    def __str__(self) -> str:
        always = self.classifier in TRIVIAL
        which = f"Use {self.classifier} at threshold {number(self.threshold)}"
        if math.isnan(self.threshold):
            which = f"Use {self.classifier}"
        if always:
            words = classifier_words(self.classifier)
            which = f"{words[0].upper()}{words[1:]}"
        ranked = ", ".join(
            f"{classifier_words(n)} {percent(round(p, 3))}"
            for n, p in sorted(self.probabilities.items(), key=lambda i: -i[1])
            if p > 0.0005
        )
        how_sure = f"Cheapest in the resamples: {ranked}. ({self.note})" if ranked else f"({self.note})"
        return folded(
            f"{which} ({self.condition.words()}): FPR {number(self.fpr)}, TPR {number(self.tpr)}, cost of a row "
            f"{number(self.cost)} on these rows{self._out_of_bag()}.\n{how_sure}"
        )

    def _out_of_bag(self) -> str:
        """The threshold was chosen on the rows that it is judged by; one that follows from costs alone is not."""
        if self.corrected is None or math.isnan(self.corrected.estimate):
            return ""
        real = f"{with_limits(self.corrected.estimate, self.corrected.low, self.corrected.high)}"
        return (
            f", on which it was chosen; {real} on rows not used to choose it (bootstrap). A comparison "
            "by these costs judges the models at the threshold that follows from them alone"
        )

    __repr__ = __str__


def choose_classifier(
    curves: Mapping[str, Roc], condition: Condition, chosen: HullCorner, *, replicates: int, rng: Rng
) -> HullChoice:
    """The choice with its bootstrap probabilities: over the rows of all curves together where they are known."""
    replicates = check_replicates(replicates)
    rows = _same_rows(curves)
    if any(c.calls == "rates" for c in curves.values()):
        lowest, choices = None, None
        notes = ["rates without their rows do not show how sure the choice is"]
    elif any(c.table.squares is not None for c in curves.values()):
        lowest, choices, notes = None, None, ["sampling weights cannot be resampled from sums: no probabilities"]
    elif rows is not None:
        truth, scores, codes = rows
        units = "" if codes is None else f" of {int(codes.max()) + 1:,} clusters"
        if len(truth) > MOST_GROUPS and len(truth) * len(curves) * replicates > VISITS:
            lowest, choices, groups = _grouped_costs(
                truth, scores, [c.table for c in curves.values()], condition, replicates, rng, codes
            )
            units += in_groups(groups, len(truth), codes)
        else:
            lowest, choices = _paired_costs(truth, scores, condition, replicates, rng, codes)
        notes = [f"{replicates:,} paired resamples{units}, {generator(rng)[1]}"]
    else:
        lowest, choices = _own_costs(list(curves.values()), condition, replicates, rng)
        notes = [f"{replicates:,} resamples, {generator(rng)[1]}"] + ([UNPAIRED] if len(curves) > 1 else [])
    off = max((c.table.bounds.largest for c in curves.values() if not c.table.exact), default=0.0)
    notes += [f"binned scores: rates within a bin are off by {off:.2g} at most"] if off else []
    probabilities = {} if lowest is None else _proportions(lowest, [*curves, *TRIVIAL])
    name = chosen.classifier
    corrected = None
    tuned = name not in TRIVIAL and not curves[name].calls
    if tuned and (len(curves) == 1 or choices is None or not len(choices)):
        corrected = _corrected(curves[name], condition, rng)
    elif tuned and choices is not None:
        corrected = _chosen_cost(curves[name], condition, chosen, choices, notes[0])
    return HullChoice(
        classifier=name, threshold=chosen.threshold, fpr=chosen.fpr, tpr=chosen.tpr,
        cost=float(condition.cost(chosen.fpr, chosen.tpr)), slope=condition.slope,
        probabilities=probabilities, paired=rows is not None or len(curves) == 1,
        corrected=corrected, note="; ".join(notes), **asdict(condition),
    )  # fmt: skip


def _corrected(curve: Roc, condition: Condition, rng: Rng) -> Interval:
    """The cost of the curve's cheapest point on rows not used to choose it."""
    point = curve.operating_point(
        prior=None if math.isclose(curve.prevalence, condition.prior, rel_tol=1e-12) else condition.prior,
        cost_fp=condition.cost_fp, cost_fn=condition.cost_fn, cost_tp=condition.cost_tp, cost_tn=condition.cost_tn,
        rng=rng,
    )  # fmt: skip
    return point.corrected


SameRows = tuple[NDArray[np.bool_], list[Floats], Codes | None]


def _same_rows(curves: Mapping[str, Roc]) -> SameRows | None:
    """Which rows are positive, the scores of all models and the rows' clusters, where all curves come from one
    Predictions object."""
    sources = [c.source for c in curves.values() if c.source is not None]
    if len(curves) < 2 or len(sources) < len(curves):
        return None
    predictions, positive = sources[0].predictions, sources[0].positive
    if predictions is None or any(s.predictions is not predictions or s.positive != positive for s in sources):
        return None
    if predictions.weights_kind is not None:
        return None
    if any(s.calls for s in sources):
        return None  # labels are counted, not kept row by row; the note says that curves were resampled by themselves
    try:
        truth, scores, keys = scored_rows(predictions, [s.name for s in sources], positive=positive)
    except MemoryBudgetExceeded:
        return None  # the same
    codes = None if keys is None else without_gaps(keys)
    codes = None if codes is None or codes.max(initial=0) == 0 else codes  # one cluster cannot be left out
    return truth, [np.ascontiguousarray(scores[:, i]) for i in range(len(sources))], codes


class _Curve(NamedTuple):
    """A model's rows from the highest score down: where runs of equal scores end, the calls, the costs of all rows."""

    order: NDArray[np.int64]
    ends: NDArray[np.int64]
    positive: NDArray[np.bool_]
    costs: Floats


def _change(weights: Floats, positive: NDArray[np.bool_], condition: Condition, sizes: tuple[float, float]) -> Floats:
    """What calling ever more rows changes of the cost: a positive lowers it, a negative raises it."""
    changes: Floats = np.cumsum(np.where(positive, -condition.miss / sizes[0], condition.alarm / sizes[1]) * weights)
    return changes


def _paired_costs(
    truth: NDArray[np.bool_], scores: list[Floats], condition: Condition, replicates: int, rng: Rng,
    codes: Codes | None = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The lowest cost of each model in each resample of the rows (or of whole clusters), and those of the two trivial
    classifiers; and for the cheapest of all in a resample, how much cheaper it is there than on all rows, and its cost
    on the rows left out.
    """
    seed, units = seed_of(generator(rng)[0]), len(truth) if codes is None else int(codes.max()) + 1
    curves, class_sizes = [], (float(truth.sum()), float((~truth).sum()))
    for s in scores:
        order = np.argsort(-s, kind="stable")
        # Where a run of equal scores ends; after the last one all rows are called, which is a trivial classifier.
        ends = np.flatnonzero(np.diff(s[order]))
        calls = truth[order]
        curves.append(
            _Curve(order, ends, calls, _change(np.ones(len(truth)), calls, condition, class_sizes).take(ends))
        )
    trivial = 0.0, condition.alarm - condition.miss
    out = np.full((replicates, len(scores) + 2), np.nan)
    choices = np.full((replicates, 2), np.nan)

    def resample(b: int) -> None:
        weights = row_weights(units, seed, b).astype(np.float64)
        weights = weights if codes is None else weights[codes]
        left = (weights == 0).astype(np.float64)
        drawn, rest = ((float(w[truth].sum()), float(w.sum() - w[truth].sum())) for w in (weights, left))
        if min(drawn) == 0:
            return
        places = []
        for k, c in enumerate(curves):
            inside = _change(weights.take(c.order), c.positive, condition, drawn).take(c.ends)
            place = int(np.argmin(inside)) if len(inside) else -1
            places.append(place)
            out[b, k] = inside[place] if len(inside) else np.inf
        out[b, -2:] = trivial
        best = int(np.argmin(out[b]))
        if best >= len(curves):
            # The same cost whatever the rows.
            choices[b] = 0.0, trivial[best - len(curves)]
        elif min(rest) > 0:
            c, place = curves[best], places[best]
            outside = _change(left.take(c.order), c.positive, condition, rest)[c.ends[place]]
            choices[b] = out[b, best] - c.costs[place], outside

    in_threads(resample, range(replicates))
    return out, choices[~np.isnan(choices).any(axis=1)]


def _grouped_costs(
    truth: NDArray[np.bool_], scores: list[Floats], tables: list[ScoreTable], condition: Condition, replicates: int,
    rng: Rng, codes: Codes | None = None,
) -> tuple[Floats, Floats, int]:  # fmt: skip
    """The same of very many rows: these (or whole clusters) are drawn in random groups, which are counted once for each
    model, at thresholds that lie close, closest about its cheapest one; and how many groups there are.
    """
    seed = seed_of(generator(rng)[0])
    sizes = np.ones(1) if codes is None else np.bincount(codes).astype(np.float64)
    repeats = float((sizes * sizes).sum() / sizes.sum())
    weights, groups = np.zeros((0, 0)), 0
    out = np.full((replicates, len(scores) + 2), np.inf)
    off, outside = (np.full((replicates, len(scores)), np.nan) for _ in range(2))
    for k, (column, table) in enumerate(zip(scores, tables, strict=True)):
        # Of one model at a time: the counts of very many groups take as much memory as the rows.
        groups, following = groups_of_rows(len(truth), seed, codes)
        near = near_cheapest(table, condition.alarm, condition.miss, repeats=repeats, most=GROUPS // 2)
        cuts = np.unique(np.concatenate((grouped_cuts(table, GROUPS // 2), near)))[::-1]
        [flagged] = flagged_in_groups(truth, [column], [cuts], groups, following)
        if not len(weights):
            weights = group_weights(groups, replicates=replicates, seed=seed)
        if flagged.hits.shape[1] == 0:
            continue
        inside = _flagged_costs(weights @ flagged.quiet, weights @ flagged.hits, flagged, weights, condition)
        place = np.argmin(inside, axis=1)
        out[:, k] = inside[np.arange(replicates), place]
        known = _flagged_costs(
            flagged.quiet.sum(axis=0)[None], flagged.hits.sum(axis=0)[None], flagged, np.ones((1, groups)), condition
        )
        off[:, k] = out[:, k] - known[0, place]
        left = (weights == 0).astype(np.float64)
        quiet, hits = (np.einsum("bg,gb->b", left, f[:, place])[:, None] for f in (flagged.quiet, flagged.hits))
        outside[:, k] = _flagged_costs(quiet, hits, flagged, left, condition)[:, 0]
    return *_cheapest_of_all(out, off, outside, condition), groups


def _flagged_costs(quiet: Floats, hits: Floats, flagged: Flagged, weights: Floats, condition: Condition) -> Floats:
    """What flagging so many rows changes of the cost, a resample in each row; NaN where one lacks a class."""
    with np.errstate(invalid="ignore", divide="ignore"):
        alarms, found = quiet / (weights @ flagged.negatives)[:, None], hits / (weights @ flagged.positives)[:, None]
    costs: Floats = condition.alarm * alarms - condition.miss * found
    return costs


def _cheapest_of_all(out: Floats, off: Floats, outside: Floats, condition: Condition) -> tuple[Floats, Floats]:
    """The lowest costs with those of the two trivial classifiers; and for the cheapest in each resample, how much
    cheaper it is there than on all rows, and its cost on the rows left out."""
    trivial = 0.0, condition.alarm - condition.miss
    out[:, -2:] = trivial
    choices = np.full((len(out), 2), np.nan)
    models = out.shape[1] - 2
    for b in np.flatnonzero(~np.isnan(out).any(axis=1)).tolist():
        best = int(np.argmin(out[b]))
        # What a trivial classifier costs is the same whatever the rows.
        choices[b] = (off[b, best], outside[b, best]) if best < models else (0.0, trivial[best - models])
    return out, choices[~np.isnan(choices).any(axis=1)]


def _own_costs(curves: list[Roc], condition: Condition, replicates: int, rng: Rng) -> tuple[Floats, Floats]:
    """The same where each curve has rows of its own, or where they are not known."""
    out = np.full((replicates, len(curves) + 2), np.nan)
    off, outside = (np.full((replicates, len(curves)), np.nan) for _ in range(2))
    draw, _ = generator(rng)
    for k, curve in enumerate(curves):
        costs = _group_costs(*balanced_groups(curve.table), condition)
        for b, bag in enumerate(bags(curve.table, replicates=replicates, rng=seed_of(draw), clusters=curve.clusters)):
            inside = _group_costs(bag.positives, bag.negatives, condition)
            if inside is None or costs is None:
                continue
            # The ends of the curve are the trivial classifiers, which stand for themselves.
            place = int(np.argmin(inside[1:-1])) + 1 if len(inside) > 2 else -1
            out[b, k] = inside[place] if place > 0 else np.inf
            left = _group_costs(bag.left_positives, bag.left_negatives, condition)
            if place > 0 and left is not None:
                off[b, k], outside[b, k] = inside[place] - costs[place], left[place]
    return _cheapest_of_all(out, off, outside, condition)


def _group_costs(positives: Any, negatives: Any, condition: Condition) -> Floats | None:
    """What calling from each score up changes of the cost; None where a class has no rows."""
    tp, fp = downward(positives), downward(negatives)
    if not tp[-1] or not fp[-1]:
        return None
    return np.asarray(condition.alarm * fp / fp[-1] - condition.miss * tp / tp[-1], dtype=np.float64)


def _chosen_cost(curve: Roc, condition: Condition, chosen: HullCorner, choices: Floats, note: str) -> Interval:
    """What the cheapest of several models at its cheapest threshold may really cost, both having been chosen here.

    In each resample both are chosen anew. On average the choice is cheaper there than on all rows, by the optimism,
    and costs more on the rows left out: the first is too little of a correction, the second too much (the choice had
    fewer rows), so the limits reach from the one to the other and by z·s beyond, s the larger of the spread of the
    optimism and of the standard error of the rows.
    """
    cost, z = float(condition.cost(chosen.fpr, chosen.tpr)), critical_z(0.95)
    # A cost is that of calling nothing, and the change.
    nothing = float(condition.cost(0.0, 0.0))
    up, down = curve._class_rows()
    rows = math.sqrt(
        condition.miss**2 * chosen.tpr * (1 - chosen.tpr) / up
        + condition.alarm**2 * chosen.fpr * (1 - chosen.fpr) / down
    )
    farther = 1.0 if curve.clusters is None else curve.clusters.expansion(0.95)
    spread = max(farther * float(choices[:, 0].std(ddof=1)) if len(choices) > 1 else 0.0, rows)
    ends = cost - float(choices[:, 0].mean()), nothing + float(choices[:, 1].mean())
    least = condition.prior * condition.cost_tp + (1 - condition.prior) * condition.cost_tn
    most = least + condition.miss + condition.alarm
    return Interval(
        name="cost of a row", estimate=sum(ends) / 2, low=max(least, min(ends) - z * spread),
        high=min(most, max(ends) + z * spread), method="chosen-cost", n=curve.table.n, note=note,
        estimand=f"the model and threshold chosen here, where positives have the share {number(condition.prior)}",
    )  # fmt: skip


def _proportions(lowest: Floats, names: list[str]) -> dict[str, float]:
    """How often each is the lowest; models that tie share it, but a model must be cheaper than the trivial two.

    Where none of a model's highest rows was drawn, a threshold among them calls nothing, as AlwaysNeg does.
    """
    known = lowest[~np.isnan(lowest).any(axis=1)]
    if len(known) == 0:
        return dict.fromkeys(names, math.nan)
    wins = known <= known.min(axis=1, keepdims=True) + TIE
    wins[:, :-2] &= ~wins[:, -2:].any(axis=1, keepdims=True)
    parts = wins / wins.sum(axis=1, keepdims=True)
    return dict(zip(names, (float(p) for p in parts.mean(axis=0)), strict=True))


# Without counts, corners that stick out by less than this are rounding.
DUST = 1e-12
# Whole numbers over a common denominator, or rates.
Point = tuple[float, float]


@takes_whole_rows()
@takes_table_options
def roc_hull(
    curves: Any, predicted: Any = None, *, scores: Any = None, positive: Any = None, **columns: Any
) -> RocHull:
    """The hull of ROC curves and of classifiers as points: {"name": curve, …}, a list of curves, or Predictions.

    In the dictionary beside curves (`te.roc`) classifiers that give labels may stand as a `te.Confusion` or as their
    rates (fpr, tpr); of Predictions all models are taken, scores as curves, labels as points. The truth with
    `predicted={"name": labels}` and `scores={"name": scores}`, a path or a table that te.read takes (with its options
    in `columns`) will do as well.

    A classifier is the cheapest one for some share of positives and some costs exactly when it is on the hull; calling
    nothing (AlwaysNeg) and everything (AlwaysPos) are always there. Source: Provost and Fawcett 2001, Machine Learning
    42:203.

    >>> hull = roc_hull(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
    >>> [(c.fpr, round(c.tpr, 3)) for c in hull.corners]
    [(0.0, 0.0), (0.0, 0.667), (0.5, 1.0), (1.0, 1.0)]
    >>> print(hull.mixture(fpr=0.25))
    For each row use model at threshold 0.800 with probability 0.500, else model at
    threshold 0.600: FPR 0.250, TPR 0.833.
    >>> three = roc_hull({"CN2": (0.05, 0.5), "C4.5": (0.2, 0.84), "SVM": (0.6, 0.95)})
    >>> [(row["classifier"], round(row["accuracy"], 2)) for row in three.by_mix(0.2, 0.5, 0.8)]
    [('CN2', 0.86), ('C4.5', 0.82), ('SVM', 0.84)]
    """
    if predicted is not None or scores is not None:
        curves = predictions(curves, predicted, scores=scores, positive=positive, **columns)
        columns, positive = {}, None
    return RocHull(_named(curves, positive, columns))


@dataclass(frozen=True, eq=False, repr=False)
class RocHull(Result):
    """The upper convex hull of ROC curves; `corners` run from (0, 0) to (1, 1).

    `cost_fp` and `cost_fn` are what a false alarm and a miss cost where no others are asked for (`.at_costs()`).
    """

    curves: Mapping[str, Roc]
    cost_fp: float = 1.0
    cost_fn: float = 1.0

    def at_costs(self, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> RocHull:
        """The same hull, read at these costs in print, tables and JSON.

        >>> hull = roc_hull({"CN2": (0.05, 0.5), "C4.5": (0.2, 0.84)}).at_costs(cost_fn=4)
        >>> [(row["classifier"], round(row["from"], 3)) for row in hull.ranges()]
        [('AlwaysNeg', 0.0), ('CN2', 0.024), ('C4.5', 0.099), ('AlwaysPos', 0.556)]
        """
        Condition(0.5, cost_fp, cost_fn)
        return replace(self, cost_fp=float(cost_fp), cost_fn=float(cost_fn))

    def _costs(self, cost_fp: float | None, cost_fn: float | None) -> dict[str, float]:
        return {
            "cost_fp": self.cost_fp if cost_fp is None else cost_fp,
            "cost_fn": self.cost_fn if cost_fn is None else cost_fn,
        }

    @cached_property
    def corners(self) -> tuple[HullCorner, ...]:
        """The classifiers on the hull, at their thresholds."""
        return _corners(self.curves)

    @property
    def fpr(self) -> Floats:
        """FPRs of the corners."""
        return frozen(np.array([c.fpr for c in self.corners]))

    @property
    def tpr(self) -> Floats:
        """TPRs of the corners."""
        return frozen(np.array([c.tpr for c in self.corners]))

    @property
    def area(self) -> float:
        """The area under the hull. It is chosen on these rows, so it is optimistic; use a curve's `auc` to report."""
        return area_under(self.fpr, self.tpr)

    def interpolate(self, fpr: ArrayLike) -> Floats:
        """The TPR of the hull at any FPR."""
        # At 0 the hull is as high as its highest corner there.
        first = int(np.flatnonzero(self.fpr == 0)[-1])
        return np.interp(plain_numbers(fpr, "fpr"), self.fpr[first:], self.tpr[first:])

    def mixture(self, *, fpr: float | None = None, tpr: float | None = None) -> Mixture:
        """The randomised classifier of two corners that reaches the hull at an FPR, or at a TPR."""
        if (fpr is None) == (tpr is None):
            raise InputError("give one of fpr= or tpr=")
        if fpr is not None:
            wanted, along = check_share(fpr, "fpr"), self.fpr
            after = int(np.searchsorted(along, wanted, side="right"))
        else:
            assert tpr is not None
            wanted, along = check_share(tpr, "tpr"), self.tpr
            after = int(np.searchsorted(along, wanted, side="left"))
        after = min(max(after, 1), len(along) - 1)
        first, second = self.corners[after - 1], self.corners[after]
        width = float(along[after] - along[after - 1])
        share = min(1.0, max(0.0, (wanted - float(along[after - 1])) / width)) if width > 0 else 0.0
        return Mixture(
            first=first, second=second, share=share, fpr=first.fpr + share * (second.fpr - first.fpr),
            tpr=first.tpr + share * (second.tpr - first.tpr),
        )  # fmt: skip

    def ranges(self, *, cost_fp: float | None = None, cost_fn: float | None = None) -> HullRanges:
        """For each corner the range of P(positive), from `from` to `to`, over which it is the cheapest.

        Two neighbours cost the same where the slope C_FP·P(−)/(C_FN·P(+)) is that of the line between them.
        """
        costs = self._costs(cost_fp, cost_fn)
        condition = Condition(0.5, **costs)
        slopes = np.diff(self.tpr) / np.where(np.diff(self.fpr) > 0, np.diff(self.fpr), np.nan)
        # A vertical piece has no share of positives at which its lower end would be better.
        with np.errstate(invalid="ignore"):
            cuts = np.where(np.isnan(slopes), 0.0, condition.cost_fp / (condition.cost_fp + condition.cost_fn * slopes))
        edges = np.concatenate(([0.0], cuts, [1.0]))
        rows: tuple[HullRange, ...] = tuple(
            {
                "classifier": c.classifier, "threshold": c.threshold, "fpr": c.fpr, "tpr": c.tpr, "from": float(a),
                "to": float(b), "also": ", ".join(c.also),
            }
            for c, a, b in zip(self.corners, edges[:-1], edges[1:], strict=True)
        )  # fmt: skip
        return HullRanges(rows=rows, **{name: float(cost) for name, cost in costs.items()})

    def best(
        self, *, prior: Prior | None = None, cost_fp: float | None = None, cost_fn: float | None = None,
        cost_tp: float = 0.0, cost_tn: float = 0.0, replicates: int = 1000, rng: Rng = None,
    ) -> HullChoice:  # fmt: skip
        """The cheapest corner under a condition, and how sure it is that its classifier is the best one.

        Without `prior` positives are as common as in the rows of the first curve. `probabilities` gives for each
        classifier, at its own best threshold, the share of bootstrap resamples in which it is the cheapest.
        """
        costs = {**self._costs(cost_fp, cost_fn), "cost_tp": cost_tp, "cost_tn": cost_tn}
        counted = next((c for c in self.curves.values() if c.calls != "rates"), None)
        if counted is None and prior is None:
            raise InputError("prior= is needed: rates alone do not say how common positives are")
        condition = (counted or next(iter(self.curves.values()))).condition(prior, **costs)
        values = condition.cost(self.fpr, self.tpr)
        place = int(np.argmax(values <= values.min() + DUST))
        return choose_classifier(self.curves, condition, self.corners[place], replicates=replicates, rng=rng)

    def by_mix(self, *priors: float, cost_fp: float | None = None, cost_fn: float | None = None) -> list[HullAtMix]:
        """The cheapest corner at each share of positives, with its accuracy and the cost of a row there."""
        mixes: list[HullAtMix] = []
        for prior in priors:
            condition = Condition(check_share(prior, "prior"), **self._costs(cost_fp, cost_fn))
            values = condition.cost(self.fpr, self.tpr)
            corner = self.corners[int(np.argmax(values <= values.min() + DUST))]
            right = prior * corner.tpr + (1 - prior) * (1 - corner.fpr)
            mixes.append({
                "prior": prior, "classifier": corner.classifier, "threshold": corner.threshold, "fpr": corner.fpr,
                "tpr": corner.tpr, "accuracy": right, "cost": float(values.min()),
            })  # fmt: skip
        return mixes

    def iso_accuracy(self, accuracy: float, *, prior: float) -> IsoLine:
        """The line of points with this accuracy: slope P(−)/P(+)."""
        return iso_accuracy(accuracy, prior)

    def iso_cost(self, cost: float, *, prior: float, **costs: float) -> IsoLine:
        """The line of points with this mean cost of a row; costs as in `best`."""
        return iso_cost(cost, Condition(prior, **costs))

    def _made_by(self) -> Figures:
        return [("the hull", "roc-hull"), ("who is the cheapest, .best()", "hull-choice")]

    def records(self) -> Records:
        """One record for each corner."""
        return [{**c.records()[0], "also": ", ".join(c.also)} for c in self.corners]

    def _table(self) -> Table:
        return self.ranges()._table()

    def __str__(self) -> str:
        ranges = self.ranges()
        names = [n for n in self.curves if any(n in (c.classifier, *c.also) for c in self.corners)]
        never = [n for n in self.curves if n not in names]
        points = sum(1 for c in self.curves.values() if c.calls)
        parts = [f"{whole(k)} {word}{'s' * (k > 1)}" for k, word in
                 ((len(self.curves) - points, "curve"), (points, "classifier")) if k]  # fmt: skip
        compared = f", {AT_BEST}:" if ranges.tuned else ","
        lines = [folded(f"ROC hull of {' and '.join(parts)}{compared} {len(self.corners)} corners.")]
        if never:
            lines.append(folded(f"Never the cheapest, whatever the costs: {', '.join(never)}."))
        if any(not c.table.exact for c in self.curves.values()):
            higher = RocHull({n: c._best for n, c in self.curves.items()}).area - self.area
            lines.append(folded(
                f"Binned scores: corners are exact, and thresholds within bins raise the area of the hull by "
                f"{max(higher, 0.0):.2g} at most."
            ))  # fmt: skip
        tables = [str(ranges), *([self._mixes()] if points and self.cost_fp == self.cost_fn else [])]
        return "\n".join([*lines, *tables])

    def _mixes(self) -> str:
        """Who is right most often at a few class mixes."""
        parts = [
            f"at {percent(m['prior'])} positives {classifier_words(m['classifier'])} ({100 * m['accuracy']:.1f} %)"
            for m in self.by_mix(*MIXES)
        ]
        return folded(f"Most accurate: {', '.join(parts)}.")

    __repr__ = __str__


def _named(curves: Any, positive: Any, columns: Mapping[str, Any]) -> dict[str, Roc]:
    if is_openable(curves) and not _by_name(curves):
        curves = opened(curves, positive=positive, **columns)
    else:
        refuse_columns(columns)
    if is_predictions(curves):
        return {name: roc(curves, model=name, positive=positive) for name in curves.models}
    if isinstance(curves, Mapping):
        named = {str(k): v for k, v in curves.items()}
    else:
        if not isinstance(curves, Roc | Confusion | Iterable) or getattr(curves, "shape", True) == ():
            raise InputError(f"a ROC hull takes curves of te.roc, {{name: curve}} or predictions, not {curves!r:.40}")
        given = [curves] if isinstance(curves, Roc | Confusion) or is_rates(curves) else list(curves)
        named = {}
        for i, curve in enumerate(given, start=1):
            name = getattr(curve, "name", "") or ("model" if len(given) == 1 else f"model {i}")
            named[name if name not in named else f"{name} ({i})"] = curve
    if not named:
        raise InputError("a ROC hull needs at least one curve")
    if positive is not None and not any(isinstance(c, Confusion) for c in named.values()):
        raise InputError("positive= goes with Predictions and confusion matrices; curves know their positive class")
    named = _classifiers(named, positive)
    for name in named:
        if name in (ALWAYS_NEG, ALWAYS_POS):
            raise InputError(f"{name!r} is the name of a trivial classifier; rename that model")
    kinds = {c.table.positive for c in named.values()}
    if len(kinds) > 1:
        raise InputError(f"the curves have different positive classes: {', '.join(sorted(map(repr, kinds)))}")
    return named


def _by_name(given: Any) -> bool:
    """Whether a dictionary holds classifiers, not the columns of a table."""
    return isinstance(given, Mapping) and all(
        isinstance(v, Roc | Confusion) or (isinstance(v, tuple) and is_rates(v)) for v in given.values()
    )


def _classifiers(named: Mapping[str, Any], positive: Any) -> dict[str, Roc]:
    """Curves as they are; confusion matrices and (FPR, TPR) as curves of one point, with the positive class of all."""
    curves: dict[str, Roc] = {}
    for name, given in named.items():
        if isinstance(given, Roc):
            curves[name] = given
        elif isinstance(given, Confusion):
            curves[name] = Roc(calls_table(given, positive), name=name, calls="counted")
        elif not is_rates(given):
            raise InputError(
                f"{name!r} is a {type(given).__name__}, not a ROC curve; make one with te.roc, or pass a te.Confusion, "
                "or the rates (fpr, tpr); labels go with their truth: te.roc_hull(truth, {name: labels})"
            )
    up = next((c.table.positive for c in curves.values()), 1)
    return {
        name: curves[name] if name in curves else Roc(rates_table(given, up), name=name, calls="rates")
        for name, given in named.items()
    }


def _corners(curves: Mapping[str, Roc]) -> tuple[HullCorner, ...]:
    """The corners of the hull of all points, (0, 0) and (1, 1) being the two trivial classifiers.

    Counts are put over a common denominator, so that turns are told exactly however near the points lie; with sampling
    weights there are no counts, and the rates serve.
    """
    tables = [c.table for c in curves.values()]
    exact = all(t.squares is None for t in tables)
    wide = math.lcm(*(int(t.n_negative) for t in tables)) if exact else 1
    high = math.lcm(*(int(t.n_positive) for t in tables)) if exact else 1
    points: dict[Point, list[tuple[str, float, float, float]]] = {
        (0, 0): [(ALWAYS_NEG, math.inf, 0.0, 0.0)],
        (wide, high): [(ALWAYS_POS, -math.inf, 1.0, 1.0)],
    }
    for name, curve in curves.items():
        n, m = float(curve.table.n_negative), float(curve.table.n_positive)
        for x, y, threshold in zip(*(part.tolist() for part in curve._at(curve._corners[1:-1])), strict=True):
            point: Point = (x, y)
            if exact:
                point = round(x * n) * (wide // int(n)), round(y * m) * (high // int(m))
            cut = math.nan if curve.calls else threshold
            points.setdefault(point, []).append((name, cut, x, y))
    kept: list[Point] = []
    # Left to right, at equal FPR the higher point last; a corner must turn right.
    for point in sorted(points):
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) >= (0 if exact else -DUST):
            kept.pop()
        kept.append(point)
    return tuple(
        HullCorner(
            classifier=points[p][0][0], threshold=points[p][0][1], fpr=points[p][0][2], tpr=points[p][0][3],
            also=tuple(name for name, *_ in points[p][1:]),
        )
        for p in kept
    )  # fmt: skip


def _turn(a: Point, b: Point, c: Point) -> float:
    """Positive for a left turn at b, 0 on a line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
