"""Decision curves: the net benefit of acting on forecasts, against acting always and never."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trueerror.curves._base import (
    Figures,
    Floats,
    Places,
    Records,
    TableCurve,
    columns_to_records,
    curve_input,
    curve_kind,
    frozen,
    need_classes,
    need_probabilities,
    of_each_model,
    weighted_sum,
    with_clusters,
)
from trueerror.inputs._arrays import WeightsKind, column
from trueerror.inputs._options import InputError, check_confidence, check_share
from trueerror.results import Interval
from trueerror.results._format import listing, number, whole
from trueerror.sources._collect import takes_table_options


@takes_table_options
@of_each_model
def decision_curve(
    truth: Any, scores: Any = None, *, model: str | None = None, positive: Any = None, thresholds: Any = None,
    prior: float | None = None, weights: Any = None, weights_kind: WeightsKind | None = None, **columns: Any,
) -> DecisionCurve:  # fmt: skip
    """Net benefit over the threshold probability t at which one would act.

    Who acts from t up holds a false alarm to be worth t/(1 − t) of a hit, so NB = TP/n − (FP/n)·t/(1 − t): hits less
    what false alarms cost, per row. Acting on all has π − (1 − π)·t/(1 − t), acting on none 0. `prior=` gives the
    benefit where a share π of the rows is positive. Source: Vickers and Elkin 2006, Med. Decis. Making 26:565.

    >>> curve = decision_curve([1, 1, 0, 0, 0], [0.9, 0.4, 0.6, 0.2, 0.1], thresholds=[0.25, 0.5])
    >>> curve.net_benefit.round(4).tolist(), curve.act_on_all.round(4).tolist()
    ([0.3333, 0.0], [0.2, -0.2])
    """
    data = curve_input("a decision curve", truth, scores, model, positive, weights, weights_kind, columns)
    made = DecisionCurve(data.table, name=data.name, caution=data.caution, thresholds=thresholds, prior=prior)
    return with_clusters(made, data)


@curve_kind(
    "decision-curve", verb="decision_curve", picture="curves.decision_curve_picture",
    title="net benefit of acting from each threshold up",
    formula="net benefit at t = TP/n − (FP/n)·t/(1 − t); acting on all: π − (1 − π)·t/(1 − t); acting on none: 0",
    source="Vickers and Elkin 2006, Med. Decis. Making 26:565",
    assumes="scores are probabilities that hold",
)  # fmt: skip
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecisionCurve(TableCurve):
    """Net benefit at each of `thresholds` (0.01 … 0.99 where none were given)."""

    thresholds: Floats = None  # type: ignore[assignment]  # never after __post_init__
    prior: float | None = field(default_factory=lambda: None)

    def __post_init__(self) -> None:
        need_probabilities(self.table, "a decision curve")
        given, prior = self.thresholds, self.prior
        if prior is not None:
            prior = check_share(prior, "prior")
            need_classes(self.table, "a decision curve at another prior", positives=prior > 0, negatives=prior < 1)
        grid = np.arange(1, 100) / 100 if given is None else column(given, "thresholds").astype(np.float64)
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
        return self.net_benefit / self._positive_share()

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
        where = f"from {listing(ranges)}" if ranges else "at no threshold shown"
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
        tp, fp = float(self._tp[-1]), float(self._fp[-1])
        hits = self._tp[place] * (share / tp if tp > 0 else 0.0)
        alarms = self._fp[place] * ((1 - share) / fp if fp > 0 else 0.0)
        return hits, alarms

    @staticmethod
    def _odds(t: Floats) -> Floats:
        return t / (1 - t)
