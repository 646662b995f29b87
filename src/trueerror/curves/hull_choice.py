"""Which classifier is the cheapest under a condition, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.hull_parts import ALWAYS_NEG, ALWAYS_POS, classifier_words
from trueerror.curves.isolines import Condition, IsoLine, iso_cost
from trueerror.curves.receiver import Roc
from trueerror.curves.replicates import resampled_tables
from trueerror.curves.views import Floats, downward
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import generator
from trueerror.kernels.draws import row_weights, seed_of
from trueerror.kernels.threads import in_threads
from trueerror.results import Interval, Result, Table
from trueerror.results.words import folded, limits, number, percent
from trueerror.rows.room import NoRoom

TRIVIAL = (ALWAYS_NEG, ALWAYS_POS)
# Row visits that a paired choice may take; with more rows there are fewer resamples, but never below the fewest.
VISITS = 400_000_000
FEWEST = 200
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
    what it is out of the bag, as `operating_point` tells it (None for a trivial classifier).
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

    def _made_by(self) -> list[tuple[str, object]]:
        return [("the choice", "roc-hull"), ("how sure it is", "hull-choice")]

    def records(self) -> list[dict[str, object]]:
        """One record for each classifier, the most probable first."""
        ranked = sorted(self.probabilities.items(), key=lambda item: -item[1])
        return [{"classifier": n, "probability_best": p, "chosen": n == self.classifier} for n, p in ranked]

    def _table(self) -> Table:
        """The choice first, with its threshold and cost; the others as often as they are the cheapest."""
        rows = []
        ranked = sorted(self.probabilities.items(), key=lambda item: (item[0] != self.classifier, -item[1]))
        for name, p in ranked or [(self.classifier, math.nan)]:
            own = ["", "", "", ""]
            if name == self.classifier:
                cut = "any" if name in TRIVIAL else number(self.threshold)
                own = [cut, number(self.fpr), number(self.tpr), number(self.cost)]
            share = "unknown" if math.isnan(p) else percent(round(p, 3))
            rows.append((classifier_words(name), *own, share))
        columns = ("classifier", "threshold", "FPR", "TPR", "cost of a row", "cheapest in so many resamples")
        return Table(columns=columns, rows=tuple(rows), title=f"Cheapest {self.condition.words()}")

    def __str__(self) -> str:
        always = self.classifier in TRIVIAL
        which = f"Use {self.classifier}, and call positive from {number(self.threshold)} up"
        if always:
            which = classifier_words(self.classifier).replace("call", "Call", 1)
        shown = ", ".join(
            f"{classifier_words(n)} {percent(round(p, 3))}"
            for n, p in sorted(self.probabilities.items(), key=lambda i: -i[1])
            if p > 0.0005
        )
        return folded(
            f"{which} ({self.condition.words()}): FPR {number(self.fpr)}, TPR {number(self.tpr)}, cost of a row "
            f"{number(self.cost)} on these rows{self._out_of_bag()}.\n"
            f"The cheapest in so many of the resamples: {shown}. ({self.note})"
        )

    def _out_of_bag(self) -> str:
        """The threshold was chosen on the rows that it is judged by; one that follows from costs alone is not."""
        if self.corrected is None or math.isnan(self.corrected.estimate):
            return ""
        real = f"{number(self.corrected.estimate)} {limits(self.corrected.low, self.corrected.high)}"
        return (
            f", on which it was chosen; out of the bag {real}. te.compare(…, cost_fp=, cost_fn=) judges the models at "
            "the threshold that costs alone name, which needs no choosing"
        )

    def __repr__(self) -> str:
        return str(self)


def choose_classifier(
    curves: Mapping[str, Roc],
    condition: Condition,
    chosen: tuple[str, float, float, float],
    *,
    replicates: int = 1000,
    rng: Any = None,
) -> HullChoice:
    """The choice with its bootstrap probabilities: over the rows of all curves together where they are known."""
    if replicates < 100:
        raise InputError(f"replicates={replicates} are too few; use 500 or more")
    rows = _same_rows(curves)
    if any(c.table.squares is not None for c in curves.values()):
        lowest, notes = None, ["sampling weights cannot be resampled from sums: no probabilities"]
    elif rows is not None:
        truth, scores = rows
        count = max(FEWEST, min(replicates, VISITS // (len(truth) * len(curves))))
        lowest = _paired_costs(truth, scores, condition, count, rng)
        fewer = f" instead of {replicates:,}, there being {len(truth):,} rows" if count < replicates else ""
        notes = [f"{count:,} paired resamples{fewer}, {generator(rng)[1]}"]
    else:
        lowest = _own_costs(list(curves.values()), condition, replicates, rng)
        notes = [f"{replicates:,} resamples, {generator(rng)[1]}"] + ([UNPAIRED] if len(curves) > 1 else [])
    off = max((c.table.bounds.largest for c in curves.values() if not c.table.exact), default=0.0)
    notes += [f"binned scores: rates within a bin are off by {off:.2g} at most"] if off else []
    probabilities = {} if lowest is None else _shares(lowest, [*curves, *TRIVIAL])
    name, threshold, fpr, tpr = chosen
    corrected = None if name in TRIVIAL else _corrected(curves[name], condition, rng)
    return HullChoice(
        classifier=name, threshold=threshold, fpr=fpr, tpr=tpr, cost=float(condition.cost(fpr, tpr)),
        slope=condition.slope, probabilities=probabilities, paired=rows is not None or len(curves) == 1,
        prior=condition.prior, cost_fp=condition.cost_fp, cost_fn=condition.cost_fn, cost_tp=condition.cost_tp,
        cost_tn=condition.cost_tn, corrected=corrected, note="; ".join(notes),
    )  # fmt: skip


def _corrected(curve: Roc, condition: Condition, rng: Any) -> Interval:
    """The cost of the curve's cheapest point out of the bag."""
    own = curve.table.n_positive / (curve.table.n_positive + curve.table.n_negative)
    point = curve.operating_point(
        prior=None if math.isclose(own, condition.prior, rel_tol=1e-12) else condition.prior,
        cost_fp=condition.cost_fp, cost_fn=condition.cost_fn, cost_tp=condition.cost_tp, cost_tn=condition.cost_tn,
        rng=rng,
    )  # fmt: skip
    return point.corrected


def _same_rows(curves: Mapping[str, Roc]) -> tuple[NDArray[np.bool_], list[Floats]] | None:
    """Which rows are positive and the scores of all models, where all curves come from one Predictions object."""
    origins = [c._origin for c in curves.values()]
    if len(origins) < 2 or any(o is None for o in origins):
        return None
    first = origins[0]
    assert first is not None
    if any(o is None or o[0] is not first[0] or o[2] != first[2] for o in origins):
        return None
    predictions = first[0]
    if predictions.weights_kind is not None:
        return None
    try:
        truth, scores = predictions.score_columns([o[1] for o in origins if o is not None], positive=first[2])
    except NoRoom:
        return None  # the note says that curves were resampled by themselves
    return truth, [np.ascontiguousarray(scores[:, i]) for i in range(len(origins))]


def _paired_costs(
    truth: NDArray[np.bool_], scores: list[Floats], condition: Condition, replicates: int, rng: Any
) -> Floats:
    """The lowest cost of each model in each resample of the rows, and those of the two trivial classifiers."""
    seed = seed_of(generator(rng)[0])
    orders = [np.argsort(-s, kind="stable") for s in scores]
    # Where a run of equal scores ends; after the last one all rows are called, which is a trivial classifier.
    ends = [np.flatnonzero(np.diff(s[o])) for s, o in zip(scores, orders, strict=True)]
    calls = [truth[o] for o in orders]
    out = np.full((replicates, len(scores) + 2), np.nan)

    def resample(b: int) -> None:
        weights = row_weights(len(truth), seed, b).astype(np.float64)
        m = float(weights[truth].sum())
        n = float(weights.sum()) - m
        if m == 0 or n == 0:
            return
        # Going down the ranks each positive lowers the cost and each negative raises it.
        gain, loss = condition.miss / m, condition.alarm / n
        for k, (order, last, up) in enumerate(zip(orders, ends, calls, strict=True)):
            drawn = weights.take(order)
            change = np.cumsum(np.where(up, -gain, loss) * drawn)
            out[b, k] = float(change.take(last).min(initial=np.inf))
        out[b, -2:] = 0.0, condition.alarm - condition.miss

    in_threads(resample, range(replicates))
    return out


def _own_costs(curves: list[Roc], condition: Condition, replicates: int, rng: Any) -> Floats:
    out = np.full((replicates, len(curves) + 2), np.nan)
    draw, _ = generator(rng)
    for k, curve in enumerate(curves):
        start = 0
        for positives, negatives in resampled_tables(curve.table, replicates=replicates, rng=seed_of(draw)):
            tp, fp = downward(positives), downward(negatives)
            with np.errstate(invalid="ignore", divide="ignore"):
                change = condition.alarm * fp / fp[:, -1:] - condition.miss * tp / tp[:, -1:]
            # The ends of the curve are the trivial classifiers, which stand for themselves.
            out[start : start + len(tp), k] = change[:, 1:-1].min(axis=1) if change.shape[1] > 2 else np.inf
            start += len(tp)
    out[:, -2:] = 0.0, condition.alarm - condition.miss
    return out


def _shares(lowest: Floats, names: list[str]) -> dict[str, float]:
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
