"""What the operating-point explorer computes with: hull corners as counts, never rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from trueerror.curves.hull import RocHull, roc_hull
from trueerror.curves.receiver import Roc, roc
from trueerror.reports.asked import Asked, Start
from trueerror.reports.markup import brief_names, named
from trueerror.rows.predictions import Predictions


class InUse(NamedTuple):
    """How a model is used now: its calls as counts (or weights), and its threshold where scores are cut."""

    threshold: float | None
    fp: float
    tp: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """The curves of all models that rank, the best area first, with their hull and the calls in use."""

    curves: dict[str, Roc]
    hull: RocHull
    in_use: dict[str, InUse | None]
    positive: object
    start: Start

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


def explore(p: Predictions, asked: Asked | None = None) -> Explored | None:
    """The curves of predictions with scores and a positive class; None where no model has them."""
    wanted = asked or Asked()
    models = [m for m in p.models if p.has_scores(m)]
    if p.positive is None or not models:
        return None
    made = {m: roc(p, model=m) for m in models}
    # The hull takes the models in their own order, which decides who is named where several reach the same point.
    return Explored(
        curves=dict(sorted(made.items(), key=lambda item: -item[1].gini)),
        hull=roc_hull(made),
        in_use={m: _in_use(p, m) for m in made},
        positive=p.positive,
        start=Start(
            prior=next(iter(made.values())).prevalence if wanted.prior is None else wanted.prior,
            cost_fp=1.0 if wanted.cost_fp is None else float(wanted.cost_fp),
            cost_fn=1.0 if wanted.cost_fn is None else float(wanted.cost_fn),
        ),
    )


def _in_use(p: Predictions, model: str) -> InUse | None:
    """A model's own calls, or its scores cut where they are cut; None where nothing is called."""
    if not p.can_call(model):
        return None
    way = p.facts.way(model, None)
    cells = p.confusion(model).binary(p.positive)
    threshold = None if way.kind != "cut" else 0.5 if way.threshold is None else float(way.threshold)
    return InUse(threshold, float(cells.fp), float(cells.tp))


def explorer_data(e: Explored, panels: list[dict[str, Any]]) -> dict[str, Any]:
    """The explorer's numbers for the page; `panels` say where each panel lies and what its axes span."""
    place = {name: i for i, name in enumerate(e.curves)}
    sizes = {name: _sizes(c) for name, c in e.curves.items()}
    first = next(iter(sizes.values()))
    return {
        "panels": panels,
        "exact": e.exact,
        "prior": e.prior,
        "start": {"prior": e.start.prior, "fp": e.start.cost_fp, "fn": e.start.cost_fn},
        "positive": named(e.positive),
        "models": [_model(e, name, c, sizes[name]) for name, c in e.curves.items()],
        "corners": [
            [place.get(c.classifier, -1 if c.fpr == 0 else -2), finite(c.threshold),
             *_point(sizes.get(c.classifier, first), c.fpr, c.tpr, e.exact)]
            for c in e.hull.corners
        ],
    }  # fmt: skip


def _sizes(curve: Roc) -> tuple[float, float]:
    """Positives and negatives; each is a sum over all scores, so it is asked for once."""
    return float(curve.table.n_positive), float(curve.table.n_negative)


def _model(e: Explored, name: str, curve: Roc, sizes: tuple[float, float]) -> dict[str, Any]:
    """One model: its sizes, the corners of its own hull, and its calls in use."""
    scores, used = curve.table.scores, e.in_use[name]
    calls = None
    if used is not None:
        scale = (1.0, 1.0) if e.exact else sizes
        calls = [used.threshold, used.fp / scale[1], used.tp / scale[0]]
    return {
        "name": e.names[name],
        "m": _amount(sizes[0]),
        "n": _amount(sizes[1]),
        "corners": [
            [finite(float(curve.thresholds[i])), *_point(sizes, float(curve.fpr[i]), float(curve.tpr[i]), e.exact)]
            for i in curve._corners
        ],
        "use": calls,
        "probabilities": bool(scores[0] >= 0 and scores[-1] <= 1),
    }


def _point(sizes: tuple[float, float], fpr: float, tpr: float, exact: bool) -> tuple[float, float]:
    if not exact:
        return fpr, tpr
    return round(fpr * sizes[1]), round(tpr * sizes[0])


def _amount(x: float) -> float:
    return int(x) if x.is_integer() else float(f"{x:.6g}")


def finite(threshold: float) -> float | str:
    """JSON has no infinities; nine digits tell any two thresholds apart that are shown."""
    if math.isinf(threshold):
        return "inf" if threshold > 0 else "-inf"
    return float(f"{threshold:.9g}")
