"""What errors cost, over all costs and class distributions: cost curves, Brier curves and decision curves.

Cost curves with the lower envelope of their lines: corners, area, and the optimism of choosing thresholds on the same
rows. Brier curves: the loss of using the forecasts as they are, whose area is the Brier score. Decision curves: the net
benefit of acting on forecasts, against acting always and never.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueerror.curves._base import TableCurve, columns_to_records, curve_kind, frozen
from trueerror.curves._input import CurveInput, need_classes, need_probabilities
from trueerror.curves._isotonic import hull_of, hull_places
from trueerror.curves._points import Counts, Figures, Places, Records, area_under, cutoffs, downward, weighted_sum
from trueerror.curves._replicates import balanced_groups, resampled_tables
from trueerror.curves._verb import ModelCurves, curve_verb, typed_as
from trueerror.inference._answer import interval_of
from trueerror.inference._binned_limits import widened
from trueerror.inference._problem import IntervalSpec, Problem, tail
from trueerror.inference._sample import OneSample
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference.loss._mean import MeanSample
from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats, WeightsKind, column, plain_numbers
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share, generator
from trueerror.metrics._registry import find_measure
from trueerror.results import Interval, Result
from trueerror.results._format import folded, listing, number, whole, with_limits
from trueerror.results._values import joined_notes


def crossings(fpr: Floats, fnr: Floats) -> Floats:
    """PC at which neighbours on the hull cost the same: ΔFPR / (ΔFPR + ΔTPR)."""
    alarms, hits = np.diff(fpr), -np.diff(fnr)
    return alarms / (alarms + hits)


def envelope_corners(fpr: Floats, fnr: Floats) -> tuple[Floats, Floats]:
    """Corners of the lower envelope of hull lines in order, each once."""
    pc = crossings(fpr, fnr)
    cost = fnr[1:] * pc + fpr[1:] * (1 - pc)
    inside = (pc > 0) & (pc < 1)
    return np.concatenate(([0.0], pc[inside], [1.0])), np.concatenate(([0.0], cost[inside], [0.0]))


def resample_areas(positives: Counts, negatives: Counts, rates: tuple[Floats, Floats]) -> tuple[float, float]:
    """Of one resample the area under its own envelope, and what its thresholds cost on all rows, whose (FPR, FNR) at
    every cutoff are `rates`; NaN where a class has no rows.
    """
    up, down = downward(positives), downward(negatives)
    if not (up[-1] > 0 and down[-1] > 0):
        return float("nan"), float("nan")
    occupied = np.flatnonzero(positives + negatives)
    # Places count occupied scores from the top; empty ones between them change nothing but the count.
    chosen = hull_places(positives[occupied], negatives[occupied])
    places = np.concatenate(([0], len(positives) - occupied[::-1]))[chosen]
    fpr, fnr = down[places] / down[-1], 1 - up[places] / up[-1]
    edges = np.concatenate(([0.0], crossings(fpr, fnr), [1.0]))
    widths, middles = np.diff(edges), (edges[1:] + edges[:-1]) / 2
    alarms, misses = rates[0][places], rates[1][places]
    # A line's mean over a stretch is its value in the middle.
    on_all = float((widths * (misses * middles + alarms * (1 - middles))).sum())
    return area_under(*envelope_corners(fpr, fnr)), on_all


GRID = 2001


@curve_verb("a cost curve", points=True)
def cost_curve(data: CurveInput) -> CostCurve:
    """The cost of each threshold under every class distribution and every pair of costs.

    With PC = P(+)·C(miss) / (P(+)·C(miss) + P(−)·C(false alarm)), a threshold is the straight line
    NE = FNR·PC + FPR·(1 − PC) = (1 − TPR − FPR)·PC + FPR, normalised so that getting everything wrong costs 1. The
    lower envelope of the lines is the best threshold for each PC; flagging nothing is NE = PC, flagging
    everything NE = 1 − PC. A classifier that gives labels, a `te.Confusion` or (fpr, tpr), is one line between those
    two. Source: Drummond and Holte 2006, Machine Learning 65:95.

    >>> curve = cost_curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.4, 0.35, 0.3, 0.1])
    >>> pc, cost = curve.envelope
    >>> pc.round(3).tolist(), cost.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.167, 0.0])
    """
    return CostCurve(data.table, name=data.name, caution=data.caution, calls=data.calls)


def probability_cost(prior: float, cost_fp: float = 1.0, cost_fn: float = 1.0) -> float:
    """PC = P(+)·C(miss) / (P(+)·C(miss) + P(−)·C(false alarm)).

    >>> probability_cost(0.1, cost_fn=9)
    0.5
    """
    share = check_share(prior, "prior")
    for value, option in ((cost_fp, "cost_fp"), (cost_fn, "cost_fn")):
        if not 0 <= value < np.inf:
            raise InputError(f"{option}={value!r} must be a finite number, 0 or more")
    miss, alarm = share * cost_fn, (1 - share) * cost_fp
    if not miss + alarm > 0:
        raise InputError(f"prior={prior!r}, cost_fp={cost_fp!r} and cost_fn={cost_fn!r} leave nothing to pay for")
    return float(miss / (miss + alarm))


@curve_kind("cost-curve", verb="cost_curve", picture="curves.cost_curve_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostCurve(TableCurve):
    """One line for each threshold from (0, FPR) to (1, FNR), and their lower envelope."""

    at_cutoffs = False

    def __post_init__(self) -> None:
        need_classes(self.table, "a cost curve")

    @cached_property
    def _places(self) -> NDArray[np.intp]:
        """The lines that are on the envelope."""
        return hull_of(self.table)

    @cached_property
    def _rates(self) -> tuple[Floats, Floats]:
        """FPR and FNR of the lines on the envelope."""
        tp, fp = self._counts_at(np.append(self._places, len(self.table.scores)))
        return fp[:-1] / fp[-1], (tp[-1] - tp[:-1]) / tp[-1]

    @property
    def thresholds(self) -> Floats:
        """Descending, one for each line; the first is infinite: nothing is flagged (AlwaysNeg), the last flags all."""
        return cutoffs(self.table)

    @property
    def fpr(self) -> Floats:
        """Where each line starts, at PC = 0."""
        return self._fp / float(self._fp[-1])

    @property
    def fnr(self) -> Floats:
        """Where each line ends, at PC = 1."""
        total = float(self._tp[-1])
        return (total - self._tp) / total

    @property
    def envelope(self) -> tuple[Floats, Floats]:
        """(PC, NE) at the corners of the lower envelope, from (0, 0) to (1, 0)."""
        return envelope_corners(*self._rates)

    def ranges(self) -> list[dict[str, float]]:
        """Each threshold on the envelope with the range of PC over which it is the cheapest."""
        fpr, fnr = self._rates
        edges = np.concatenate(([0.0], crossings(fpr, fnr), [1.0]))
        rows = zip(self.thresholds[self._places], fpr, fnr, edges[:-1], edges[1:], strict=True)
        names = ("threshold", "fpr", "fnr", "from", "to")
        return [dict(zip(names, map(float, row), strict=True)) for row in rows if row[4] > row[3]]

    def cost(self, pc: ArrayLike) -> Floats:
        """The lowest normalised expected cost at each PC."""
        corners = self.envelope
        wanted = plain_numbers(pc, "pc")
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise InputError("pc must lie between 0 and 1")
        return np.interp(wanted, *corners)

    def at(
        self, *, pc: float | None = None, prior: float | None = None, cost_fp: float = 1.0, cost_fn: float = 1.0,
        threshold: float | None = None, confidence: float = 0.95,
    ) -> CostPoint:  # fmt: skip
        """The cost at one PC, given as `pc=`, or as a `prior=` with costs.

        Without `threshold=` the cheapest one is taken, which is read off these rows: its cost is then a little too
        low, and the note says so.

        >>> print(cost_curve([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.4, 0.35, 0.3, 0.1]).at(prior=0.4))
        At PC 0.400, threshold 0.800: normalised expected cost 0.133 [0.025, 0.517]; flagging nothing or all: 0.400.
        (the threshold was read off these rows)
        """
        level = check_confidence(confidence)
        if (pc is None) == (prior is None):
            raise InputError("give one of pc= or prior= (with cost_fp= and cost_fn=)")
        if pc is None:
            assert prior is not None
            pc = probability_cost(prior, cost_fp, cost_fn)
        pc = check_share(pc, "pc")
        note = ""
        if self.calls:
            threshold = 1.0  # a classifier that gives labels has no threshold to choose
        if threshold is None:
            fpr, fnr = self._rates
            place = int(self._places[np.argmin(fnr * pc + fpr * (1 - pc))])
            threshold = float(self.table.scores[-place]) if place else np.inf
            note = "the threshold was read off these rows"
        place = len(self.table.scores) - int(np.searchsorted(self.table.scores, threshold)) if threshold < np.inf else 0
        sizes = self._class_rows(level)
        (tp, up), (fp, down) = (
            counts.tolist() for counts in self._counts_at(np.array([place, len(self.table.scores)]))
        )
        missed, alarms = (up - tp) / up, fp / down
        estimate, low, high = weighted_sum(
            (pc, 1 - pc), (missed * sizes[0], alarms * sizes[1]), sizes, confidence=level
        )
        return CostPoint(
            pc=pc,
            threshold=math.nan if self.calls else float(threshold),
            fpr=alarms,
            fnr=missed,
            trivial=min(pc, 1 - pc),
            cost=self._noted(Interval(
                name="normalised expected cost", estimate=estimate, low=max(0.0, low), high=min(1.0, high),
                confidence=level, method="mover-wilson", n=self.table.n, note=joined_notes(note, self._units),
                estimand=f"this model at PC {number(pc)}",
            )),
            note=note,
        )  # fmt: skip

    def area(self, *, confidence: float = 0.95, replicates: int = 2000, rng: Rng = None) -> Interval:
        """Area under the lower envelope: the expected cost when every PC is equally likely; 0.25 is a coin.

        The envelope takes for each PC the threshold that is cheapest on these rows, so its area is too low for new
        rows. The limits are for new rows: resamples choose their own thresholds, whose cost on all rows less that on
        the resample is the optimism, and the limits are moved up by it (Efron 1983, JASA 78:316). Where resamples give
        none, the envelopes of all lines at their lower and at their upper Wilson limits.
        """
        level, table = check_confidence(confidence), self.table
        estimate = area_under(*self.envelope)
        if self.calls == "rates":
            return self._noted(Interval(
                name="area under the cost envelope", estimate=estimate, low=math.nan, high=math.nan, confidence=level,
            ))  # fmt: skip
        low, high, method = self._outer_areas(level)
        note = "sampling weights cannot be resampled from sums: wilson-lines instead of the bootstrap"
        if self.clusters is not None:
            note = f"{self.clusters.note}, at which the limits are taken"
        elif table.squares is None:
            up, down = (downward(c) for c in balanced_groups(table))
            rates = down / float(down[-1]), 1 - up / float(up[-1])
            blocks = resampled_tables(table, replicates=replicates, rng=rng)
            pairs = np.array([resample_areas(p, q, rates) for block in blocks for p, q in zip(*block, strict=True)])
            areas, on_all = pairs[~np.isnan(pairs[:, 0])].T
            ends = np.quantile(areas, [tail(level), 1 - tail(level)]) - areas.mean()
            corrected = min(0.25, estimate + float((on_all - areas).mean()))
            # A coin's area cannot be exceeded: where nearly all resamples are coins, nothing is left between limits.
            lowest = min(corrected + float(ends[0]), estimate)
            highest = min(0.25, max(corrected + float(ends[1]), estimate))
            if len(areas) < 0.99 * replicates:
                lost = 1 - len(areas) / replicates
                note = f"{lost:.0%} of the resamples lost a class: wilson-lines instead of the bootstrap"
            elif not (ends[1] - ends[0] > 1e-9 and highest - lowest > 1e-9):
                note = "the resamples have no spread: wilson-lines instead of the bootstrap"
            else:
                low, high, method = lowest, highest, "bootstrap-optimism"
                note = (
                    f"thresholds chosen on these rows; corrected for that the area is {number(corrected)}; "
                    f"{replicates:,} replicates, {generator(rng)[1]}"
                )
        area = Interval(
            name="area under the cost envelope", estimate=estimate, low=max(0.0, min(low, estimate)),
            high=min(0.25, max(high, estimate)), confidence=level, method=method, n=table.n, note=note,
            estimand="this model on new rows, all PC equally likely",
        )  # fmt: skip
        if not table.exact:
            area = widened(area, table.bounds.of(lambda t: area_under(*CostCurve(t).envelope)), (0.0, 0.25))
        return self._noted(area, binned=False)

    @cached_property
    def _area(self) -> Interval:
        """`area()` as texts show it, resampled once."""
        return self.area()

    def _figures(self) -> Figures:
        return [("the area under the envelope", self._area), ("the cost at one PC, .at()", "mover-wilson")]

    def records(self) -> Records:
        """One record for each corner of the lower envelope."""
        return columns_to_records(("pc", "cost"), self.envelope)

    def _words(self) -> str:
        # Calling nothing has FNR 1 and calling all FPR 1; what is left are the model's own thresholds.
        used = [r for r in self.ranges() if r["fnr"] < 1 and r["fpr"] < 1]
        useful = f"{number(used[0]['from'])} to {number(used[-1]['to'])}" if used else "nowhere"
        rows = f"{whole(self.table.n_positive)} positives, {whole(self.table.n_negative)} negatives"
        return (
            f"Cost curve{self._subject()}: {self._rows_words(rows)}. Cheaper than flagging nothing or everything "
            f"for PC {useful} (PC is the weight of the positives: their share times the cost of a miss, against the "
            f"negatives' share times the cost of a false alarm).\n{self._area}"
        )

    def _outer_areas(self, confidence: float) -> tuple[float, float, str]:
        positives, negatives = self._class_rows(confidence)
        fpr, fnr = self.fpr[self._places], self.fnr[self._places]
        both = zip(
            share_limits(fpr * negatives, negatives, "wilson", confidence),
            share_limits(fnr * positives, positives, "wilson", confidence),
            strict=True,
        )
        pc = np.linspace(0, 1, GRID)
        areas = []
        for alarms, misses in both:
            lowest = np.minimum(pc, 1 - pc)
            for x, y in zip(alarms, misses, strict=True):
                np.minimum(lowest, y * pc + x * (1 - pc), out=lowest)
            areas.append(area_under(pc, lowest))
        return areas[0], areas[1], "wilson-lines"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CostPoint(Result):
    """The cost of one threshold at one PC, beside the cheaper of flagging nothing and flagging everything."""

    pc: float
    threshold: float
    fpr: float
    fnr: float
    trivial: float
    cost: Interval
    note: str = ""

    def __float__(self) -> float:
        return self.cost.estimate

    def records(self) -> Records:
        return [
            {
                "pc": self.pc, "threshold": self.threshold, "fpr": self.fpr, "fnr": self.fnr, "trivial": self.trivial,
                "estimate": self.cost.estimate, "low": self.cost.low, "high": self.cost.high,
                "confidence": self.cost.confidence, "method": self.cost.method,
            }
        ]  # fmt: skip

    def __str__(self) -> str:
        note = f"\n({self.note})" if self.note else ""
        cut = "" if math.isnan(self.threshold) else f", threshold {number(self.threshold)}"
        cost = self.cost
        money = number(cost.estimate) if math.isnan(cost.low) else with_limits(cost.estimate, cost.low, cost.high)
        return folded(
            f"At PC {number(self.pc)}{cut}: normalised expected cost {money}; "
            f"flagging nothing or all: {number(self.trivial)}.{note}"
        )


@curve_verb("a Brier curve")
def brier_curve(data: CurveInput) -> BrierCurve:
    """The loss at each cost proportion c when rows with a forecast of c or more are predicted positive.

    c is the cost of a false alarm over the sum of both costs, and calling from p = c up is right for calibrated
    forecasts. The loss is 2(c·FP + (1 − c)·FN)/n; its area over c from 0 to 1 is the Brier score. Source:
    Hernández-Orallo, Flach and Ferri 2011, ICML:585.

    >>> curve = brier_curve([0, 1, 1, 0], [0.2, 0.9, 0.6, 0.7])
    >>> round(curve.area().estimate, 6), float(curve.loss(0.5))
    (0.175, 0.25)
    """
    return BrierCurve(data.table, name=data.name, caution=data.caution)


@curve_kind("brier-curve", verb="brier_curve", picture="curves.brier_curve_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BrierCurve(TableCurve):
    """Loss against cost proportion: pieces of straight lines, with a step at each distinct forecast."""

    at_cutoffs = False

    def __post_init__(self) -> None:
        need_probabilities(self.table, "a Brier curve")

    @property
    def points(self) -> tuple[Floats, Floats]:
        """(c, loss) at both ends of every piece, in order: what a picture joins by lines."""
        scores = self.table.scores
        # Piece k has the cutoff scores[k]: c from the score below up to it; the last one calls nothing.
        ends = np.concatenate(([0.0], scores, [1.0]))
        place = len(scores) - np.arange(len(scores) + 1)
        c = np.stack([ends[:-1], ends[1:]], axis=1)
        loss = self._at_places(c, place[:, None])
        kept = c[:, 1] > c[:, 0]
        return c[kept].ravel(), loss[kept].ravel()

    def loss(self, cost: ArrayLike) -> Floats:
        """The loss at each cost proportion when the forecast itself is cut there."""
        c = plain_numbers(cost, "cost")
        if not ((c >= 0) & (c <= 1)).all():
            raise InputError("cost must lie between 0 and 1: a false alarm's share of both costs")
        place = len(self.table.scores) - np.searchsorted(self.table.scores, c, side="left")
        return self._at_places(c, place)

    def best_loss(self, cost: ArrayLike) -> Floats:
        """The loss with the cutoff that is best on these rows: what stays after recalibrating."""
        c = plain_numbers(cost, "cost")
        places = hull_of(self.table)
        lines = self._at_places(c[..., None], places)
        return np.asarray(lines.min(axis=-1))

    def at(self, cost: float, *, confidence: float = 0.95) -> Interval:
        """The loss at one cost proportion, with limits from those of its two parts, FP/n and FN/n."""
        level = check_confidence(confidence)
        c = check_share(cost, "cost")
        place = int(len(self.table.scores) - np.searchsorted(self.table.scores, c, side="left"))
        rows = self._all_rows(level)
        alarms = float(self._fp[place]) / self.table.n
        misses = float(self._tp[-1] - self._tp[place]) / self.table.n
        estimate, low, high = weighted_sum(
            (2 * c, 2 * (1 - c)), (alarms * rows, misses * rows), (rows, rows), confidence=level, exclusive=True
        )
        return self._noted(Interval(
            name=f"loss at cost proportion {number(c)}", estimate=estimate, low=max(0.0, low), high=min(2.0, high),
            confidence=level, method="mover-wilson", n=self.table.n, note=self._units,
            estimand="this model, cut at its own forecasts",
        ))  # fmt: skip

    def area(self, *, confidence: float = 0.95) -> Interval:
        """The Brier score, with the interval of a mean loss."""
        measure, spec = find_measure("brier"), IntervalSpec(confidence=confidence)
        sample: OneSample = ScoreRows.of(measure, self.table, {})
        if self.clusters is not None:
            sample = MeanSample.of(self.clusters.losses(self.table, measure))
        return self._noted(interval_of(Problem(metric=measure, sample=sample, spec=spec)), binned=False)

    def _figures(self) -> Figures:
        return [
            ("the area, which is the Brier score", self.area()),
            ("the loss at one cost proportion, .at()", "mover-wilson"),
        ]

    def records(self) -> Records:
        """One record for each end of each piece."""
        return columns_to_records(("cost", "loss"), self.points)

    def _words(self) -> str:
        return f"Brier curve{self._subject()}, {whole(self.table.n)} rows; its area is the Brier score.\n{self.area()}"

    def _at_places(self, c: Floats, place: int | Places) -> Floats:
        missed = float(self._tp[-1]) - self._tp[place]
        out: Floats = 2 * (c * self._fp[place] + (1 - c) * missed) / self.table.n
        return out


class DecisionVerb(Protocol):
    """How a decision curve is asked for, with its own options."""

    __name__: str

    @overload
    def __call__(
        self, truth: object, scores: Mapping[str, object], *, positive: object = None, weights: object = None,
        weights_kind: WeightsKind | None = None, thresholds: object = None,
        prior: float | None = None, **columns: object,
    ) -> ModelCurves[DecisionCurve]: ...  # fmt: skip
    @overload
    def __call__(
        self, truth: object, scores: Any = None, *, model: str | None = None, positive: object = None,
        weights: object = None, weights_kind: WeightsKind | None = None, thresholds: object = None,
        prior: float | None = None, **columns: object,
    ) -> DecisionCurve: ...  # fmt: skip


@typed_as(DecisionVerb)  # type: ignore[type-abstract]
@curve_verb("a decision curve")
def decision_curve(data: CurveInput, *, thresholds: Any = None, prior: float | None = None) -> DecisionCurve:
    """Net benefit over the threshold probability t at which one would act.

    Who acts from t up holds a false alarm to be worth t/(1 − t) of a hit, so NB = TP/n − (FP/n)·t/(1 − t): hits less
    what false alarms cost, per row. Acting on all has π − (1 − π)·t/(1 − t), acting on none 0. `prior=` gives the
    benefit where a share π of the rows is positive. Source: Vickers and Elkin 2006, Med. Decis. Making 26:565.

    >>> curve = decision_curve([1, 1, 0, 0, 0], [0.9, 0.4, 0.6, 0.2, 0.1], thresholds=[0.25, 0.5])
    >>> curve.net_benefit.round(4).tolist(), curve.act_on_all.round(4).tolist()
    ([0.3333, 0.0], [0.2, -0.2])
    """
    return DecisionCurve(data.table, name=data.name, caution=data.caution, thresholds=thresholds, prior=prior)


@curve_kind("decision-curve", verb="decision_curve", picture="curves.decision_curve_picture")
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionCurve(TableCurve):
    """Net benefit at each of `thresholds` (0.01 … 0.99 where none were given)."""

    at_cutoffs = False
    thresholds: Floats = None  # type: ignore[assignment]  # never after __post_init__
    prior: float | None = field(default_factory=lambda: None)

    def __post_init__(self) -> None:
        need_probabilities(self.table, "a decision curve")
        given, prior = self.thresholds, self.prior
        if prior is not None:
            prior = check_share(prior, "prior")
            need_classes(self.table, "a decision curve at another prior", positives=prior > 0, negatives=prior < 1)
        grid = np.arange(1, 100) / 100 if given is None else plain_numbers(column(given, "thresholds"), "thresholds")
        if len(grid) == 0 or not ((grid >= 0) & (grid < 1)).all():
            raise InputError("thresholds must be probabilities from 0 up and below 1: at 1 no hit outweighs an alarm")
        object.__setattr__(self, "thresholds", frozen(np.unique(grid)))
        object.__setattr__(self, "prior", prior)

    @property
    def net_benefit(self) -> Floats:
        """TP/n − (FP/n)·t/(1 − t) at each threshold."""
        hits, alarms = self._proportions(self.thresholds)
        return hits - alarms * self._odds(self.thresholds)

    @property
    def act_on_all(self) -> Floats:
        """The net benefit of acting on every row."""
        share = self._positive_share()
        return share - (1 - share) * self._odds(self.thresholds)

    @property
    def act_on_none(self) -> Floats:
        """The net benefit of never acting: 0."""
        return np.zeros(len(self.thresholds))

    @property
    def standardised(self) -> Floats:
        """Net benefit over the share of positives, its largest possible value: at most 1."""
        share = self._positive_share()
        return self.net_benefit / share if share > 0 else np.full(len(self.thresholds), np.nan)

    def useful(self) -> list[tuple[float, float]]:
        """The ranges of thresholds over which the model beats both acting on all and on none, on these rows."""
        better = self.net_benefit > np.maximum(self.act_on_all, 0.0) + 1e-12
        edges = np.diff(np.concatenate(([0], better.astype(np.int8), [0])))
        starts, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0) - 1
        return [(float(self.thresholds[a]), float(self.thresholds[b])) for a, b in zip(starts, ends, strict=True)]

    def at(self, threshold: float, *, confidence: float = 0.95) -> Interval:
        """The net benefit at one threshold, with limits from Wilson's of its two parts."""
        level = check_confidence(confidence)
        t = check_share(threshold, "threshold")
        if t == 1:
            raise InputError("threshold=1 has no net benefit: no hit outweighs a false alarm there")
        odds = t / (1 - t)
        hits, alarms = (float(x) for x in self._proportions(np.array(t)))
        top = self._positive_share()
        if self.prior is None:
            rows = self._all_rows(level)
            estimate, low, high = weighted_sum(
                (1.0, -odds), (hits * rows, alarms * rows), (rows, rows), confidence=level, exclusive=True
            )
            top = 1.0
        else:
            if not (self._tp[-1] and self._fp[-1]):
                raise InputError("prior= weighs the rates of both classes, and all rows here are of one")
            sizes = self._class_rows(level)
            place = self._place(np.array(t))
            tpr, fpr = self._tp[place] / self._tp[-1], self._fp[place] / self._fp[-1]
            estimate, low, high = weighted_sum(
                (top, -(1 - top) * odds), (float(tpr) * sizes[0], float(fpr) * sizes[1]), sizes, confidence=level
            )
        mix = "rows with this share of positives" if self.prior is None else f"a share of {number(top)} positives"
        return self._noted(Interval(
            name=f"net benefit at {number(t)}", estimate=estimate, low=max(low, -odds), high=min(top, high),
            confidence=level, method="mover-wilson", n=self.table.n, note=self._units,
            estimand=f"this model, {mix}",
        ))  # fmt: skip

    def _figures(self) -> Figures:
        return [("the net benefit at one threshold, .at()", "mover-wilson")]

    def records(self) -> Records:
        """One record for each threshold."""
        names = ("threshold", "net_benefit", "act_on_all", "act_on_none")
        return columns_to_records(names, (self.thresholds, self.net_benefit, self.act_on_all, self.act_on_none))

    def _words(self) -> str:
        ranges = [f"{number(a)} to {number(b)}" for a, b in self.useful()]
        where = f"at thresholds of {listing(ranges)}" if ranges else "at no threshold shown"
        return (
            f"Decision curve{self._subject()}, {whole(self.table.n)} rows: acting on the forecasts beats acting on all "
            f"and on none {where}."
        )

    def _positive_share(self) -> float:
        return self.prevalence if self.prior is None else self.prior

    def _place(self, t: Floats) -> Places:
        return len(self.table.scores) - np.searchsorted(self.table.scores, t, side="left")

    def _proportions(self, t: Floats) -> tuple[Floats, Floats]:
        """Hits and false alarms as proportions of all rows, at the prior where one was given."""
        place = self._place(t)
        share = self._positive_share()
        tp, fp = self._counts_at(np.append(place, len(self.table.scores)))
        ups, downs = float(tp[-1]), float(fp[-1])
        hits = tp[:-1].reshape(place.shape) * (share / ups if ups > 0 else 0.0)
        alarms = fp[:-1].reshape(place.shape) * ((1 - share) / downs if downs > 0 else 0.0)
        return hits, alarms

    @staticmethod
    def _odds(t: Floats) -> Floats:
        return t / (1 - t)
