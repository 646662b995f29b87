"""Conditions under which a classifier works, and the lines of equal accuracy and equal cost that they draw."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_share
from trueerror.results import Result
from trueerror.results.words import number


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
            if not isinstance(value, int | float | np.number) or isinstance(value, bool) or not math.isfinite(value):
                raise InputError(f"{name}={value!r} must be a finite number")
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

    def cost(self, fpr: Any, tpr: Any) -> Any:
        """The mean cost of a row at a point, or at many."""
        right = self.prior * self.cost_tp + (1 - self.prior) * self.cost_tn
        return right + self.miss * (1 - tpr) + self.alarm * fpr

    def accuracy(self, fpr: Any, tpr: Any) -> Any:
        """pos·TPR + neg·(1 − FPR)."""
        return self.prior * tpr + (1 - self.prior) * (1 - fpr)

    def costs(self) -> list[list[float]]:
        """The cost matrix, negatives first: costs[i][j] for truth i called j."""
        return [[self.cost_tn, self.cost_fp], [self.cost_fn, self.cost_tp]]

    def words(self) -> str:
        """In words: the share of positives, and the costs where they are not 1 and 0."""
        text = f"with {number(self.prior)} positive"
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

    def at(self, fpr: Any) -> Any:
        """TPR on the line at each FPR; it may lie outside of [0, 1]."""
        return self.intercept + self.slope * np.asarray(fpr, dtype=np.float64)

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

    def _made_by(self) -> list[tuple[str, object]]:
        return [("", "iso-performance")]

    def __str__(self) -> str:
        if math.isinf(self.slope):
            return f"{self.kind} {number(self.value)} where fpr = {number(self.fpr)}"
        return f"{self.kind} {number(self.value)} along tpr = {number(self.intercept)} + {number(self.slope)}·fpr"


def iso_accuracy(accuracy: float, prior: float) -> IsoLine:
    """Where accuracy pos·TPR + neg·(1 − FPR) has this value: slope neg/pos.

    >>> print(iso_accuracy(0.8, 0.5))
    accuracy 0.800 along tpr = 0.600 + 1.000·fpr
    """
    condition = Condition(prior)
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
