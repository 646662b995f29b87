"""Operating points: the cheapest threshold under a class distribution and costs, and what it costs on other rows.

Also the operating condition itself, and the lines of equal accuracy and equal cost in ROC space.
"""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from trueerror.curves._points import Counts, Figures, Records, downward
from trueerror.curves._replicates import bags, balanced_groups
from trueerror.inference._binned_limits import noted
from trueerror.inference._metric_interval import metric_interval
from trueerror.inputs._arrays import Floats, plain_numbers
from trueerror.inputs._options import InputError, Rng, check_confidence, check_share, generator
from trueerror.results import Interval, Result, Table
from trueerror.results._format import folded, number, percent, share_words, whole, with_limits
from trueerror.results._values import joined_notes
from trueerror.tallies._confusion import Amount
from trueerror.tallies._scores import ScoreTable

if TYPE_CHECKING:
    from trueerror.curves._roc import Roc


@dataclass(frozen=True, slots=True)
class Condition:
    """How common positives are, and what each of the four outcomes costs."""

    prior: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0
    cost_tp: float = 0.0
    cost_tn: float = 0.0

    def __post_init__(self) -> None:
        check_share(self.prior, "prior")
        for name in ("cost_fp", "cost_fn", "cost_tp", "cost_tn"):
            value = getattr(self, name)
            plain = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
            if not plain or not abs(value) <= sys.float_info.max:
                raise InputError(f"{name}={value!r:.40} must be a finite number")
            object.__setattr__(self, name, float(value))
        for wrong, right in (("cost_fp", "cost_tn"), ("cost_fn", "cost_tp")):
            if not getattr(self, wrong) > getattr(self, right):
                raise InputError(
                    f"{wrong}={getattr(self, wrong):g} must be more than {right}={getattr(self, right):g}: a wrong "
                    "call costs more than a right one"
                )

    @property
    def alarm(self) -> float:
        """What a false alarm costs more than leaving a negative alone, times the share of negatives."""
        return (1 - self.prior) * (self.cost_fp - self.cost_tn)

    @property
    def miss(self) -> float:
        """What a miss costs more than finding a positive, times the share of positives."""
        return self.prior * (self.cost_fn - self.cost_tp)

    @property
    def slope(self) -> float:
        """(C_FP − C_TN)·P(−) / ((C_FN − C_TP)·P(+)): of the lines of equal cost (Provost and Fawcett 2001)."""
        return self.alarm / self.miss if self.miss > 0 else math.inf

    def cost(self, fpr: Amount, tpr: Amount) -> Amount:
        """The mean cost of a row at a point, or at many."""
        right = self.prior * self.cost_tp + (1 - self.prior) * self.cost_tn
        return right + self.miss * (1 - tpr) + self.alarm * fpr

    def accuracy(self, fpr: Amount, tpr: Amount) -> Amount:
        """pos·TPR + neg·(1 − FPR)."""
        return self.prior * tpr + (1 - self.prior) * (1 - fpr)

    def costs(self) -> list[list[float]]:
        """The cost matrix, negatives first: costs[i][j] for truth i called j."""
        return [[self.cost_tn, self.cost_fp], [self.cost_fn, self.cost_tp]]

    def words(self) -> str:
        """In words: the share of positives, and the costs where they are not 1 and 0."""
        text = f"with {share_words(self.prior)} positives"
        if (self.cost_fp, self.cost_fn) != (1.0, 1.0):
            text += f", a false alarm costing {self.cost_fp:g} and a miss {self.cost_fn:g}"
        if (self.cost_tp, self.cost_tn) != (0.0, 0.0):
            text += f" (a hit {self.cost_tp:g}, a right rejection {self.cost_tn:g})"
        return text


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class IsoLine(Result):
    """A line in ROC space along which a value is the same: tpr = intercept + slope·fpr.

    With an infinite slope (no positives at all) the line is vertical, at the FPR `fpr`.
    """

    kind: str
    value: float
    slope: float
    intercept: float
    fpr: float = math.nan

    def at(self, fpr: ArrayLike) -> Floats:
        """TPR on the line at each FPR; it may lie outside of [0, 1]."""
        return np.asarray(self.intercept + self.slope * plain_numbers(fpr, "fpr"))

    @property
    def ends(self) -> tuple[tuple[float, float], ...]:
        """Where the line enters and leaves the unit square, as (fpr, tpr); empty where it misses it."""
        if math.isinf(self.slope):
            return ((self.fpr, 0.0), (self.fpr, 1.0)) if 0 <= self.fpr <= 1 else ()
        if self.slope == 0:
            return ((0.0, self.intercept), (1.0, self.intercept)) if 0 <= self.intercept <= 1 else ()
        low, high = max(0.0, -self.intercept / self.slope), min(1.0, (1 - self.intercept) / self.slope)
        if low > high:
            return ()
        return tuple((x, min(1.0, max(0.0, float(self.at(x))))) for x in (low, high))

    def _made_by(self) -> Figures:
        return [("", "iso-performance")]

    def __str__(self) -> str:
        if math.isinf(self.slope):
            return f"{self.kind} {number(self.value)} where fpr = {number(self.fpr)}"
        # What is left of 1 − 1 in floats is no intercept.
        start = 0.0 if abs(self.intercept) < 1e-12 else self.intercept
        return f"{self.kind} {number(self.value)} along tpr = {number(start)} + {number(self.slope)}·fpr"


def iso_accuracy(accuracy: float, prior: float) -> IsoLine:
    """Where accuracy pos·TPR + neg·(1 − FPR) has this value: slope neg/pos.

    >>> print(iso_accuracy(0.8, 0.5))
    accuracy 0.800 along tpr = 0.600 + 1.000·fpr
    """
    condition, accuracy = Condition(prior), check_share(accuracy, "accuracy")
    return _line("accuracy", accuracy, condition, 1 - accuracy)


def iso_cost(cost: float, condition: Condition) -> IsoLine:
    """Where the mean cost of a row has this value.

    >>> print(iso_cost(0.5, Condition(0.1, cost_fp=1, cost_fn=5)))
    cost 0.500 along tpr = 0.000 + 1.800·fpr
    """
    right = condition.prior * condition.cost_tp + (1 - condition.prior) * condition.cost_tn
    return _line("cost", cost, condition, cost - right)


def _line(kind: str, value: float, condition: Condition, excess: float) -> IsoLine:
    """The points with miss·(1 − tpr) + alarm·fpr = excess."""
    if condition.miss > 0:
        intercept = 1 - excess / condition.miss
        return IsoLine(kind=kind, value=float(value), slope=condition.slope, intercept=intercept)
    return IsoLine(
        kind=kind, value=float(value), slope=math.inf, intercept=-math.inf, fpr=excess / condition.alarm
    )  # fmt: skip


# The share of a resample's rows that are left out of it; costs on rows left out spread as those of so many rows do.
LEFT_OUT = math.exp(-1)
STABLE = 0.9


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OperatingPoint(Result):
    """The threshold that is cheapest on these rows under a condition, and what it may really cost.

    `cost` is the mean cost of a row at (`fpr`, `tpr`), as it looks on the rows that the threshold was chosen on;
    `optimism` is how much more it costs when the threshold is chosen on bootstrap samples and scored on others, and
    `corrected` the cost so corrected, with its interval. `stability` is the range that holds nine tenths of the
    thresholds that resamples choose; it has no confidence level, since the best threshold's error shrinks only with
    the cube root of the rows (Kim and Pollard 1990). `slope` is that of the lines of equal cost. `untuned` is the
    threshold that needs no choosing when scores are probabilities that hold (NaN where scores are not in [0, 1]).
    """

    threshold: float
    fpr: float
    tpr: float
    accuracy: float
    cost: float
    slope: float
    optimism: float
    corrected: Interval
    stability: tuple[float, float]
    untuned: float
    prior: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0
    cost_tp: float = 0.0
    cost_tn: float = 0.0
    positives: float
    negatives: float
    name: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        # Read back from JSON, NaN is None.
        low, high = (math.nan if v is None else float(v) for v in self.stability)
        object.__setattr__(self, "stability", (low, high))

    @property
    def condition(self) -> Condition:
        """The share of positives and the costs that the point was chosen for."""
        return Condition(self.prior, self.cost_fp, self.cost_fn, self.cost_tp, self.cost_tn)

    @property
    def line(self) -> IsoLine:
        """The line of equal cost through the point; no point of the curve lies above it."""
        return iso_cost(self.cost, self.condition)

    def __float__(self) -> float:
        return self.threshold

    def _made_by(self) -> Figures:
        return [
            ("the choice", "iso-performance"),
            ("the cost on rows not used to choose it", self.corrected),
            ("the range of thresholds", "stable-thresholds"),
        ]

    def records(self) -> Records:
        return [
            {
                "threshold": self.threshold, "fpr": self.fpr, "tpr": self.tpr, "accuracy": self.accuracy,
                "cost": self.cost, "slope": self.slope, "optimism": self.optimism,
                "corrected": self.corrected.estimate, "low": self.corrected.low, "high": self.corrected.high,
                "confidence": self.corrected.confidence, "stable_from": self.stability[0],
                "stable_to": self.stability[1], "untuned": self.untuned, "prior": self.prior,
            }
        ]  # fmt: skip

    def _table(self) -> Table:
        """What matters of the point; `records` has everything."""
        nothing = self.threshold == math.inf
        corrected = self.corrected
        cells = {
            "threshold": "none" if nothing else number(self.threshold),
            "TPR": number(self.tpr),
            "FPR": number(self.fpr),
            "accuracy": number(self.accuracy),
            "cost of a row": number(self.cost),
        }
        if not math.isnan(self.optimism):
            cells["cost on other rows"] = f"{with_limits(corrected.estimate, corrected.low, corrected.high)}"
            low, high = (number(x) for x in self.stability)
            cells[f"{percent(STABLE)} of resamples choose"] = f"{low} to {high}"
        return Table(columns=tuple(cells), rows=(tuple(cells.values()),), title=self.condition.words())

    def __str__(self) -> str:
        if self.threshold == math.inf:
            call = "Flag nothing"
        else:
            call = f"Flag rows with scores ≥ {number(self.threshold)}"
        subject = f" by {self.name}" if self.name else ""
        corrected = self.corrected
        lines = [
            f"{call}{subject}, {self.condition.words()}.",
            f"Finds {whole(round(self.tpr * self.positives, 1))} of {whole(self.positives)} positives, with "
            f"{whole(round(self.fpr * self.negatives, 1))} false alarms of {whole(self.negatives)} negatives: "
            f"accuracy {number(self.accuracy)}, cost of a row {number(self.cost)} on these rows.",
        ]
        if not math.isnan(self.optimism):
            lines.append(
                f"The threshold was chosen on these rows: on rows not used to choose it a row costs "
                f"{with_limits(corrected.estimate, corrected.low, corrected.high)} "
                f"({percent(corrected.confidence)}, bootstrap), {number(self.optimism)} more. {percent(STABLE)} of the "
                f"resamples choose a threshold of {number(self.stability[0])} to {number(self.stability[1])}."
            )
        if not math.isnan(self.untuned):
            lines.append(f"If the scores are calibrated probabilities, {number(self.untuned)} needs no choosing.")
        return folded("\n".join(lines + ([f"({self.note})"] if self.note else [])))

    __repr__ = __str__


def choose_point(
    curve: Roc, condition: Condition, *, own_prior: bool, confidence: float = 0.95, replicates: int = 1000,
    rng: Rng = None,
) -> OperatingPoint:  # fmt: skip
    """The cheapest point of a curve; of equals, the one with the fewest false alarms.

    `own_prior`: the share of positives is that of the rows, so resamples have their own.
    """
    level = check_confidence(confidence)
    table = curve.table
    costs = condition.cost(curve.fpr, curve.tpr)
    place = int(np.argmax(costs <= costs.min() + 1e-12 * max(1.0, abs(float(costs.min())))))
    fpr, tpr, cost = float(curve.fpr[place]), float(curve.tpr[place]), float(costs[place])
    fixed = _fixed_interval(curve, place, condition, own_prior=own_prior, confidence=level)
    optimism, stability, corrected, note = math.nan, (math.nan, math.nan), fixed, ""
    if table.squares is not None:
        note = "sampling weights cannot be resampled from sums: the cost is not corrected for the choice"
    else:
        left, cuts = _out_of_bag(curve, condition, own_prior=own_prior, replicates=replicates, rng=rng)
        if len(left) >= 0.99 * replicates:
            stability = _quantiles(cuts)
            farther = 1.0 if curve.clusters is None else curve.clusters.expansion(level)
            units = "" if curve.clusters is None else f" of {curve.clusters.note}"
            words = f"{replicates:,} resamples{units}, {generator(rng)[1]}"
            corrected = _corrected(fixed, left, level, words, farther)
            optimism = corrected.estimate - cost
        else:
            note = "too many resamples lose a class: the cost is not corrected for the choice"
    if not table.exact:
        best = table.bounds.best
        cheapest = float(_costs(best.positives, best.negatives, condition, own_prior).min())  # type: ignore[union-attr]
        words = f"binned scores: a threshold within a bin may cost {max(0.0, cost - cheapest):.2g} less at most"
        note = joined_notes(note, words)
        corrected = noted(replace(corrected, low=corrected.low - max(0.0, cost - cheapest)), words)
    return OperatingPoint(
        threshold=float(curve.thresholds[place]), fpr=fpr, tpr=tpr,
        accuracy=float(condition.accuracy(fpr, tpr)), cost=cost, slope=condition.slope, optimism=optimism,
        corrected=corrected, stability=stability, untuned=untuned_threshold(table, condition, curve.prevalence),
        positives=float(table.n_positive), negatives=float(table.n_negative), name=curve.name, note=note,
        **asdict(condition),
    )  # fmt: skip


def untuned_threshold(table: ScoreTable, condition: Condition, prevalence: float) -> float:
    """The probability from which calling is cheaper than not, when scores are probabilities for rows like these.

    s/(1 − s) times the odds of the prior over those of the rows must reach (C_FP − C_TN)/(C_FN − C_TP) (Elkan 2001).

    >>> t = ScoreTable.count([0, 1], [0.2, 0.9])
    >>> round(untuned_threshold(t, Condition(0.5, cost_fp=1, cost_fn=10), 0.5), 4)
    0.0909
    """
    if float(table.scores[0]) < 0 or float(table.scores[-1]) > 1:
        return math.nan
    called, missed = condition.alarm * prevalence, condition.miss * (1 - prevalence)
    return called / (called + missed) if called + missed > 0 else math.nan


def _fixed_interval(curve: Roc, place: int, condition: Condition, *, own_prior: bool, confidence: float) -> Interval:
    """The cost of a threshold that was fixed beforehand, with its interval."""
    words = f"this model where positives have the share {number(condition.prior)}"
    calls = None if curve.clusters is None else curve.clusters.at(float(curve.thresholds[place]))
    cost = metric_interval(
        "expected_cost", curve._table_at(place) if calls is None else calls.table, confidence=confidence,
        options={"costs": condition.costs()}, prior=None if own_prior else condition.prior, estimand=words,
        clusters=calls,
    )  # fmt: skip
    return replace(cost, name="cost of a row")


def _out_of_bag(
    curve: Roc, condition: Condition, *, own_prior: bool, replicates: int, rng: Rng
) -> tuple[Floats, Floats]:
    """Costs, on the rows left out, of the threshold cheapest on each bootstrap sample, and those thresholds."""
    costs, cuts = [], []
    thresholds = _group_thresholds(curve.table)
    for bag in bags(curve.table, replicates=replicates, rng=rng, clusters=curve.clusters):
        inside = _costs(bag.positives, bag.negatives, condition, own_prior)
        outside = _costs(bag.left_positives, bag.left_negatives, condition, own_prior)
        if inside is None or outside is None:
            continue
        place = int(np.argmin(inside))
        costs.append(float(outside[place]))
        cuts.append(float(thresholds[place]))
    return np.array(costs), np.array(cuts)


def _costs(positives: Counts, negatives: Counts, condition: Condition, own_prior: bool) -> Floats | None:
    """Mean cost of a row at every cutoff; None where a class has no rows."""
    tp, fp = downward(positives), downward(negatives)
    m, n = float(tp[-1]), float(fp[-1])
    if m == 0 or n == 0:
        return None
    if own_prior:
        c = condition
        total = c.cost_fn * (m - tp) + c.cost_tp * tp + c.cost_fp * fp + c.cost_tn * (n - fp)
        return np.asarray(total / (m + n))
    return np.asarray(condition.cost(fp / n, tp / m))


def _group_thresholds(table: ScoreTable) -> Floats:
    """The cutoffs of the grouped table: infinity, then the lowest score of each group from the top."""
    up, down = balanced_groups(table)
    if len(up) == len(table.scores):
        scores = table.scores
    else:
        sizes = np.cumsum(up + down) - (up + down)
        scores = table.scores[np.searchsorted(np.cumsum(table.positives + table.negatives), sizes, side="right")]
    return np.concatenate(([np.inf], scores[::-1]))


def _quantiles(cuts: Floats) -> tuple[float, float]:
    low, high = np.quantile(cuts, [(1 - STABLE) / 2, (1 + STABLE) / 2], method="inverted_cdf")
    return float(low), float(high)


def _corrected(fixed: Interval, left: Floats, level: float, note: str, farther: float = 1.0) -> Interval:
    """The mean cost on the rows left out; the outer limits of its spread and of the fixed threshold's interval.

    Costs on the rows left out come from a share e⁻¹ of the rows, so their spread is shrunk by the root of that; few
    clusters reach `farther`.
    """
    centre = float(left.mean())
    tail = (1 - level) / 2
    by = farther * math.sqrt(LEFT_OUT)
    low, high = (centre + by * (float(q) - centre) for q in np.quantile(left, [tail, 1 - tail]))
    return Interval(
        name="cost of a row", estimate=centre, low=min(low, fixed.low, centre), high=max(high, fixed.high, centre),
        confidence=level, method="cost-out-of-bag", n=fixed.n, note=note, estimand=fixed.estimand,
    )  # fmt: skip
