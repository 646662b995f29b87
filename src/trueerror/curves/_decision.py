"""Decision curves: the net benefit of acting on forecasts, against acting always and never."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from trueerror.curves._base import (
    Floats,
    TableCurve,
    cautioned,
    downward,
    need_classes,
    need_probabilities,
    take_table,
    weighted_sum,
)
from trueerror.inputs._arrays import WeightsKind, column
from trueerror.inputs._options import InputError, check_confidence, check_share
from trueerror.results import Interval
from trueerror.results._format import listing, number, whole
from trueerror.sources._collect import takes_table_options
from trueerror.tallies._scores import ScoreTable


@takes_table_options
def decision_curve(
    truth: Any,
    scores: Any = None,
    *,
    model: str | None = None,
    positive: Any = None,
    thresholds: Any = None,
    prior: float | None = None,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    **columns: Any,
) -> DecisionCurve:
    """Net benefit over the threshold probability t at which one would act.

    Who acts from t up holds a false alarm to be worth t/(1 − t) of a hit, so NB = TP/n − (FP/n)·t/(1 − t): hits less
    what false alarms cost, per row. Acting on all has π − (1 − π)·t/(1 − t), acting on none 0. `prior=` gives the
    benefit where a share π of the rows is positive. Source: Vickers and Elkin 2006, Med. Decis. Making 26:565.

    >>> curve = decision_curve([1, 1, 0, 0, 0], [0.9, 0.4, 0.6, 0.2, 0.1], thresholds=[0.25, 0.5])
    >>> curve.net_benefit.round(4).tolist(), curve.act_on_all.round(4).tolist()
    ([0.3333, 0.0], [0.2, -0.2])
    """
    table, name, given = take_table(
        truth, scores, model=model, positive=positive, weights=weights, weights_kind=weights_kind,
        what="a decision curve", **columns,
    )  # fmt: skip
    return cautioned(DecisionCurve(table, name=name, thresholds=thresholds, prior=prior), given)


class DecisionCurve(TableCurve):
    """Net benefit at each of `thresholds` (0.01 … 0.99 where none were given)."""

    __slots__ = ("_fp", "_tp", "prior", "thresholds")
    _shape: ClassVar[str] = "decision-curve"
    _options: ClassVar[tuple[str, ...]] = ("thresholds", "prior")
    thresholds: Floats
    prior: float | None
    _tp: Floats
    _fp: Floats

    def __init__(
        self, table: ScoreTable, *, name: str = "", thresholds: Any = None, prior: float | None = None
    ) -> None:
        super().__init__(table, name=name)
        need_probabilities(table, "a decision curve")
        if prior is not None:
            prior = check_share(prior, "prior")
            need_classes(table, "a decision curve at another prior", positives=prior > 0, negatives=prior < 1)
        grid = np.arange(1, 100) / 100 if thresholds is None else column(thresholds, "thresholds").astype(np.float64)
        if len(grid) == 0 or not ((grid >= 0) & (grid < 1)).all():
            raise InputError("thresholds must be probabilities from 0 up and below 1: at 1 no hit outweighs an alarm")
        self._set(thresholds=np.unique(grid), prior=prior, _tp=downward(table.positives), _fp=downward(table.negatives))

    @property
    def net_benefit(self) -> Floats:
        """TP/n − (FP/n)·t/(1 − t) at each threshold."""
        hits, alarms = self._shares(self.thresholds)
        return hits - alarms * self._odds(self.thresholds)

    @property
    def act_on_all(self) -> Floats:
        """The net benefit of acting on every row."""
        share = self._share()
        return share - (1 - share) * self._odds(self.thresholds)

    @property
    def act_on_none(self) -> Floats:
        """The net benefit of never acting: 0."""
        return np.zeros(len(self.thresholds))

    @property
    def standardised(self) -> Floats:
        """Net benefit over the share of positives, its largest possible value: at most 1."""
        return self.net_benefit / self._share()

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
        hits, alarms = (float(x) for x in self._shares(np.array(t)))
        top = self._share()
        if self.prior is None:
            rows = self._all_rows()
            estimate, low, high = weighted_sum(
                (1.0, -odds), (hits * rows, alarms * rows), (rows, rows), confidence=level, exclusive=True
            )
            top = 1.0
        else:
            sizes = self._class_rows()
            place = self._place(np.array(t))
            found, called = self._tp[place] / self._tp[-1], self._fp[place] / self._fp[-1]
            estimate, low, high = weighted_sum(
                (top, -(1 - top) * odds), (float(found) * sizes[0], float(called) * sizes[1]), sizes, confidence=level
            )
        mix = "rows with this share of positives" if self.prior is None else f"a share of {number(top)} positives"
        return self._told(Interval(
            name=f"net benefit at {number(t)}", estimate=estimate, low=max(low, -odds), high=min(top, high),
            confidence=level, method="mover-wilson", n=self.table.n, estimand=f"this model, {mix}",
        ))  # fmt: skip

    def _figures(self) -> list[tuple[str, object]]:
        return [("the net benefit at one threshold, .at()", "mover-wilson")]

    def records(self) -> list[dict[str, object]]:
        """One record for each threshold."""
        columns = (self.thresholds, self.net_benefit, self.act_on_all)
        return [
            {"threshold": float(t), "net_benefit": float(b), "act_on_all": float(a), "act_on_none": 0.0}
            for t, b, a in zip(*columns, strict=True)
        ]

    def _words(self) -> str:
        ranges = [f"{number(a)} to {number(b)}" for a, b in self.useful()]
        where = f"from {listing(ranges)}" if ranges else "at no threshold shown"
        return (
            f"Decision curve{self._subject()}, {whole(self.table.n)} rows: acting on the forecasts beats acting on all "
            f"and on none {where}."
        )

    def _share(self) -> float:
        return self.prevalence if self.prior is None else self.prior

    def _place(self, t: Floats) -> Any:
        return len(self.table.scores) - np.searchsorted(self.table.scores, t, side="left")

    def _shares(self, t: Floats) -> tuple[Floats, Floats]:
        """Hits and false alarms as shares of all rows, at the prior where one was given."""
        place = self._place(t)
        share = self._share()
        tp, fp = float(self._tp[-1]), float(self._fp[-1])
        hits = self._tp[place] * (share / tp if tp > 0 else 0.0)
        alarms = self._fp[place] * ((1 - share) / fp if fp > 0 else 0.0)
        return hits, alarms

    @staticmethod
    def _odds(t: Floats) -> Floats:
        return t / (1 - t)
