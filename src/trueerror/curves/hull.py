"""The convex hull of one or many ROC curves: every classifier that is best somewhere, and what mixing them reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from trueerror.curves.hull_choice import HullChoice, choose_classifier
from trueerror.curves.hull_parts import ALWAYS_NEG, ALWAYS_POS, HullCorner, HullRanges, Mixture
from trueerror.curves.isolines import Condition, IsoLine, iso_accuracy, iso_cost
from trueerror.curves.receiver import Roc, roc
from trueerror.curves.taking import is_predictions
from trueerror.curves.views import Floats, area_under, frozen
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_share
from trueerror.results import Result, Table
from trueerror.results.words import folded, whole
from trueerror.rows.openable import is_openable, opened, refuse_columns
from trueerror.rows.table_options import takes_table_options

# Without counts, corners that stick out by less than this are rounding.
DUST = 1e-12
# Whole numbers over a common denominator, or rates.
Point = tuple[float, float]


@takes_table_options
def roc_hull(curves: Any, *, positive: Any = None, **columns: Any) -> RocHull:
    """The hull of ROC curves: {"name": curve, …}, a list of curves, one curve, or Predictions (all models with scores).

    A path or a table that te.read takes will do as well, with its options in `columns`.

    A classifier is the cheapest one for some share of positives and some costs exactly when it is on the hull; calling
    nothing (AlwaysNeg) and everything (AlwaysPos) are always there. Source: Provost and Fawcett 2001, Machine Learning
    42:203.

    >>> hull = roc_hull(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]))
    >>> [(c.fpr, round(c.tpr, 3)) for c in hull.corners]
    [(0.0, 0.0), (0.0, 0.667), (0.5, 1.0), (1.0, 1.0)]
    >>> print(hull.mixture(fpr=0.25))
    For each row use model from 0.800 up with probability 0.500, else model from 0.600 up: FPR 0.250, TPR 0.833.
    """
    return RocHull(_named(curves, positive, columns))


class RocHull(Result):
    """The upper convex hull of ROC curves; `corners` run from (0, 0) to (1, 1)."""

    __slots__ = ("corners", "curves")
    curves: dict[str, Roc]
    corners: tuple[HullCorner, ...]

    def __init__(self, curves: Mapping[str, Roc]) -> None:
        object.__setattr__(self, "curves", dict(curves))
        object.__setattr__(self, "corners", _corners(self.curves))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a RocHull is frozen; make a new one")

    def __reduce__(self) -> Any:
        return (RocHull, (self.curves,))

    def _to_data(self) -> dict[str, Any]:
        return {"curves": self.curves}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return cls(data["curves"])

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
        """The area under the hull. It is chosen on these rows, so it flatters; use a curve's `auc` to report."""
        return area_under(self.fpr, self.tpr)

    def interpolate(self, fpr: Any) -> Floats:
        """The TPR of the hull at any FPR."""
        # At 0 the hull is as high as its highest corner there.
        first = int(np.flatnonzero(self.fpr == 0)[-1])
        return np.interp(np.asarray(fpr, dtype=np.float64), self.fpr[first:], self.tpr[first:])

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

    def ranges(self, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> HullRanges:
        """For each corner the range of P(positive), from `from` to `to`, over which it is the cheapest.

        Two neighbours cost the same where the slope C_FP·P(−)/(C_FN·P(+)) is that of the line between them.
        """
        condition = Condition(0.5, cost_fp, cost_fn)
        slopes = np.diff(self.tpr) / np.where(np.diff(self.fpr) > 0, np.diff(self.fpr), np.nan)
        # A vertical piece has no share of positives at which its lower end would be better.
        with np.errstate(invalid="ignore"):
            cuts = np.where(np.isnan(slopes), 0.0, condition.cost_fp / (condition.cost_fp + condition.cost_fn * slopes))
        edges = np.concatenate(([0.0], cuts, [1.0]))
        rows = tuple(
            {
                "classifier": c.classifier, "threshold": c.threshold, "fpr": c.fpr, "tpr": c.tpr, "from": float(a),
                "to": float(b), "also": ", ".join(c.also),
            }
            for c, a, b in zip(self.corners, edges[:-1], edges[1:], strict=True)
        )  # fmt: skip
        return HullRanges(rows=rows, cost_fp=float(cost_fp), cost_fn=float(cost_fn))

    def best(
        self,
        *,
        prior: Any = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        cost_tp: float = 0.0,
        cost_tn: float = 0.0,
        replicates: int = 1000,
        rng: Any = None,
    ) -> HullChoice:
        """The cheapest corner under a condition, and how sure it is that its classifier is the best one.

        Without `prior` positives are as common as in the rows of the first curve. `probabilities` gives for each
        classifier, at its own best threshold, the share of bootstrap resamples in which it is the cheapest.
        """
        costs = {"cost_fp": cost_fp, "cost_fn": cost_fn, "cost_tp": cost_tp, "cost_tn": cost_tn}
        condition = next(iter(self.curves.values())).condition(prior, **costs)
        values = condition.cost(self.fpr, self.tpr)
        place = int(np.argmax(values <= values.min() + DUST))
        corner = self.corners[place]
        return choose_classifier(
            self.curves, condition, (corner.classifier, corner.threshold, corner.fpr, corner.tpr),
            replicates=replicates, rng=rng,
        )  # fmt: skip

    def iso_accuracy(self, accuracy: float, *, prior: float) -> IsoLine:
        """The line of points with this accuracy: slope P(−)/P(+)."""
        return iso_accuracy(accuracy, prior)

    def iso_cost(self, cost: float, *, prior: float, **costs: float) -> IsoLine:
        """The line of points with this mean cost of a row; costs as in `best`."""
        return iso_cost(cost, Condition(prior, **costs))

    def _made_by(self) -> list[tuple[str, object]]:
        return [("the hull", "roc-hull"), ("who is the cheapest, .best()", "hull-choice")]

    def records(self) -> list[dict[str, object]]:
        """One record for each corner."""
        return [
            {
                "classifier": c.classifier,
                "threshold": c.threshold,
                "fpr": c.fpr,
                "tpr": c.tpr,
                "also": ", ".join(c.also),
            }
            for c in self.corners
        ]

    def _table(self) -> Table:
        return self.ranges()._table()

    def __str__(self) -> str:
        names = [n for n in self.curves if any(n in (c.classifier, *c.also) for c in self.corners)]
        never = [n for n in self.curves if n not in names]
        lines = [
            f"ROC hull of {whole(len(self.curves))} curve{'s' * (len(self.curves) > 1)}, {len(self.corners)} corners."
        ]
        if never:
            lines.append(folded(f"Never the cheapest, whatever the costs: {', '.join(never)}."))
        if any(not c.table.exact for c in self.curves.values()):
            higher = RocHull({n: c._best for n, c in self.curves.items()}).area - self.area
            lines.append(folded(
                f"Binned scores: corners are exact, and thresholds within bins raise the area of the hull by "
                f"{max(higher, 0.0):.2g} at most."
            ))  # fmt: skip
        more = "For other costs: .ranges(cost_fp=, cost_fn=). Every corner: .records()."
        return "\n".join([*lines, str(self.ranges()), more])

    def __repr__(self) -> str:
        return str(self)


def _named(curves: Any, positive: Any, columns: Mapping[str, Any]) -> dict[str, Roc]:
    if is_openable(curves):
        curves = opened(curves, positive=positive, **columns)
    else:
        refuse_columns(columns)
    if is_predictions(curves):
        names = [m for m in curves.models if curves.has_scores(m)]
        if not names:
            raise InputError("a ROC hull needs scores, but no model has any")
        return {name: roc(curves, model=name, positive=positive) for name in names}
    if positive is not None:
        raise InputError("positive= goes with Predictions; curves know their positive class")
    if isinstance(curves, Mapping):
        named = {str(k): v for k, v in curves.items()}
    else:
        given = [curves] if isinstance(curves, Roc) else list(curves)
        named = {}
        for i, curve in enumerate(given, start=1):
            name = getattr(curve, "name", "") or ("model" if len(given) == 1 else f"model {i}")
            named[name if name not in named else f"{name} ({i})"] = curve
    if not named:
        raise InputError("a ROC hull needs at least one curve")
    for name, curve in named.items():
        if not isinstance(curve, Roc):
            raise InputError(f"{name!r} is a {type(curve).__name__}, not a ROC curve; make one with te.roc")
        if name in (ALWAYS_NEG, ALWAYS_POS):
            raise InputError(f"{name!r} is the name of a trivial classifier; rename that model")
    kinds = {c.table.positive for c in named.values()}
    if len(kinds) > 1:
        raise InputError(f"the curves have different positive classes: {', '.join(sorted(map(repr, kinds)))}")
    return named


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
        for place in curve._corners[1:-1]:
            x, y = float(curve.fpr[place]), float(curve.tpr[place])
            point: Point = (x, y)
            if exact:
                point = round(x * n) * (wide // int(n)), round(y * m) * (high // int(m))
            points.setdefault(point, []).append((name, float(curve.thresholds[place]), x, y))
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
