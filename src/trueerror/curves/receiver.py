"""The ROC curve of a score table: one point for each distinct score, ties together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.curves.bands import BandKind, RocBand, roc_band
from trueerror.curves.isolines import Condition, IsoLine, iso_accuracy, iso_cost
from trueerror.curves.isotonic import hull_places
from trueerror.curves.lines import HAIR, top_at
from trueerror.curves.partial_areas import Axis, partial_area
from trueerror.curves.roc_points import RocPoint, roc_point
from trueerror.curves.taking import cautioned, is_predictions, need_classes, take_table
from trueerror.curves.views import Floats, TableCurve, cutoffs, downward, frozen
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_share, check_word
from trueerror.inputs.weights import WeightsKind
from trueerror.intervals.of_metric import metric_interval
from trueerror.metrics.areas import auc as area_of
from trueerror.metrics.priors import Prior
from trueerror.metrics.values import score_share
from trueerror.results import Interval
from trueerror.results.words import folded, whole
from trueerror.rows.table_options import takes_table_options
from trueerror.tallies.scores import ScoreTable

if TYPE_CHECKING:
    from trueerror.curves.hull import RocHull
    from trueerror.curves.operating import OperatingPoint

AreaMethod = Literal["delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap"]
Criterion = Literal["youden", "closest", "accuracy", "f1"]
READ_OFF = "the threshold was read off these rows"


@takes_table_options
def roc(
    truth: Any,
    scores: Any = None,
    *,
    model: str | None = None,
    positive: Any = None,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    **columns: Any,
) -> Roc:
    """The ROC curve: true positive rate against false positive rate as the threshold goes down.

    From (truth, scores), from Predictions, a path or a table that te.read takes (with `model`), or from a ScoreTable.
    Rows with equal scores make one point. Higher scores are more positive, and are never flipped. With more than two
    classes pass `positive=`: that class against the rest. `missing="drop"` leaves rows without a score out, and beside
    a path or a table `columns` are options of te.read: `truth="y"`, `cluster="patient"`.

    >>> curve = roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1])
    >>> curve.fpr.tolist(), curve.tpr.round(3).tolist()
    ([0.0, 0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.333, 0.667, 0.667, 1.0, 1.0])
    >>> round(curve.auc().estimate, 3)
    0.833
    """
    table, name, given = take_table(
        truth, scores, model=model, positive=positive, weights=weights, weights_kind=weights_kind, what="a ROC curve",
        **columns,
    )  # fmt: skip
    curve = cautioned(Roc(table, name=name), given)
    if is_predictions(given):
        curve._set(_origin=(given, name, positive))
    return curve


class Roc(TableCurve):
    """A ROC curve. `thresholds` descend, and the first is infinite: nothing is called positive there."""

    __slots__ = ("_memory", "_origin")
    _shape: ClassVar[str] = "roc-curve"
    _memory: dict[str, Any]
    # (Predictions, model, positive) where the curve came from rows: other models of the same rows can be paired.
    _origin: tuple[Any, str, Any] | None

    def __init__(self, table: ScoreTable, *, name: str = "") -> None:
        super().__init__(table, name=name)
        need_classes(table, "a ROC curve")
        self._set(_memory={}, _origin=None)

    def _once(self, key: str, make: Callable[[], Any]) -> Any:
        if key not in self._memory:
            self._memory[key] = make()
        return self._memory[key]

    @property
    def fpr(self) -> Floats:
        """False positive rate at each threshold: share of the negatives that are called positive."""
        return self._once("fpr", lambda: _rates(self.table.negatives))  # type: ignore[no-any-return]

    @property
    def tpr(self) -> Floats:
        """True positive rate at each threshold: share of the positives that are found."""
        return self._once("tpr", lambda: _rates(self.table.positives))  # type: ignore[no-any-return]

    @property
    def thresholds(self) -> Floats:
        """Descending; a row is called positive when its score is at or above. The first is infinite."""
        return self._once("thresholds", lambda: frozen(cutoffs(self.table)))  # type: ignore[no-any-return]

    @property
    def gini(self) -> float:
        """2·AUC − 1."""
        return 2 * self._area() - 1

    def _area(self) -> float:
        return self._once("area", lambda: float(area_of(self.table)))  # type: ignore[no-any-return]

    def auc(
        self,
        method: AreaMethod = "delong-logit",
        *,
        confidence: float = 0.95,
        replicates: int = 2000,
        rng: Any = None,
    ) -> Interval:
        """The area under the curve: the probability that a positive scores above a negative, ties half.

        >>> print(roc([0] * 20 + [1] * 20, range(40)).auc())
        auc 1.000 [0.899, 1.000], 95 % newcombe-auc, n = 40 (no variance in the order of the scores: ...)
        """
        check_word(method, ("delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap"), "method")
        return self._told(metric_interval(
            "auc", self.table, method=method, confidence=confidence, rng=rng, replicates=replicates,
            estimand="this model",
        ))  # fmt: skip

    def partial_auc(
        self,
        low: float,
        high: float,
        *,
        axis: Axis = "fpr",
        standardized: bool = False,
        confidence: float = 0.95,
        replicates: int = 2000,
        rng: Any = None,
    ) -> Interval:
        """The area over a range of FPRs (`axis="fpr"`: under the curve) or of TPRs (`axis="tpr"`: to its right).

        `standardized=True` scales it after McClish: 0.5 is a random ranking, 1 a perfect one. Bootstrap limits.

        >>> roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).partial_auc(0, 0.5).estimate
        0.3333333333333333
        """
        return self._told(partial_area(
            self.table, self._class_rows(), low, high, axis=axis, standardized=standardized, confidence=confidence,
            replicates=replicates, rng=rng,
        ))  # fmt: skip

    def band(
        self,
        kind: BandKind = "pointwise",
        *,
        confidence: float = 0.95,
        replicates: int = 1000,
        rng: Any = None,
    ) -> RocBand:
        """Where the true curve may lie: at each FPR by itself ("pointwise"), or everywhere at once ("simultaneous").

        >>> print(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).band())
        95 % pointwise band around the ROC curve, roc-band-wilson, n = 5: it holds at each FPR by itself, not over the
        whole curve.
        """
        made = roc_band(
            self.table, self._class_rows(), kind=kind, confidence=confidence, replicates=replicates, rng=rng,
            name=self.name,
        )  # fmt: skip
        return replace(made, note="; ".join(words for words in (made.note, self.caution) if words))

    def interpolate(self, fpr: Any) -> Floats:
        """TPR at any FPR, points joined by straight lines (a mixture of two thresholds gets there); on a vertical
        piece its top."""
        wanted = np.asarray(fpr, dtype=np.float64)
        if not ((wanted >= 0) & (wanted <= 1)).all():
            raise InputError("fpr must lie between 0 and 1")
        return top_at(self.fpr, self.tpr, wanted)

    def at(
        self,
        *,
        fpr: float | None = None,
        tpr: float | None = None,
        threshold: float | None = None,
        confidence: float = 0.95,
    ) -> RocPoint:
        """One point: at a threshold; or the lowest threshold whose FPR does not exceed `fpr`; or the highest one that
        reaches `tpr`. The last two are read off these rows, and the note says so.

        >>> print(roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).at(fpr=0.2))
        From 0.800 up: finds 2 of 3 positives, TPR 0.667 [0.208, 0.939]; 0 of 2 negatives are false alarms, FPR 0.000
        [0.000, 0.658]. (the threshold was read off these rows)
        """
        if sum(v is not None for v in (fpr, tpr, threshold)) != 1:
            raise InputError("give one of fpr=, tpr= or threshold=")
        if threshold is not None:
            if math.isnan(threshold):
                raise InputError("threshold=nan calls no row positive or negative; give a number")
            place = int(np.count_nonzero(self.table.scores >= threshold))
            return self._point(
                place, confidence, threshold=float(threshold), note=self.table.bounds.words_at(threshold)
            )
        if fpr is not None:
            place = self._last_within(check_share(fpr, "fpr"))
        else:
            assert tpr is not None
            place = self._first_reaching(check_share(tpr, "tpr"))
        return self._point(place, confidence, note=READ_OFF + self._better_within_bins(fpr, tpr, place))

    def _last_within(self, fpr: float) -> int:
        return int(np.searchsorted(self.fpr, fpr * (1 + HAIR) + 1e-15, side="right")) - 1

    def _first_reaching(self, tpr: float) -> int:
        return int(np.searchsorted(self.tpr, tpr * (1 - HAIR) - 1e-15, side="left"))

    @property
    def _corners(self) -> NDArray[np.intp]:
        """Which of the points are corners of the curve's own hull."""
        return self._once("corners", lambda: hull_places(self.table.positives, self.table.negatives))  # type: ignore[no-any-return]

    @property
    def _best(self) -> Roc:
        """The highest curve that binned scores may have."""
        return self._once("best", lambda: Roc(self.table.bounds.best, name=self.name))  # type: ignore[no-any-return]

    def _better_within_bins(self, fpr: float | None, tpr: float | None, place: int) -> str:
        """What a threshold within a bin may reach besides, in words; empty where scores are exact."""
        if self.table.exact:
            return ""
        if fpr is not None:
            word, ends = "TPR", (self.tpr[place], self._best.tpr[self._best._last_within(fpr)])
        else:
            assert tpr is not None
            word, ends = "FPR", (self._best.fpr[self._best._first_reaching(tpr)], self.fpr[place])
        between = f"[{ends[0]:.6f}, {ends[1]:.6f}]"
        return f"; binned scores: a threshold within a bin may get there with a {word} in {between}"

    def best_threshold(self, criterion: Criterion = "youden", *, confidence: float = 0.95) -> RocPoint:
        """The threshold that is best on these rows: "youden" has the highest TPR − FPR, "closest" lies nearest to the
        corner (0, 1), "accuracy" has the highest accuracy, "f1" the highest F1. Of equals, the highest threshold.

        For costs and another share of positives use `operating_point`, which also corrects for the choice.

        >>> roc([1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.1]).best_threshold().threshold
        0.8
        """
        check_word(criterion, tuple(_GAINS), "criterion")
        gain = _GAINS[criterion](self)
        place = int(np.argmax(gain >= gain.max() - 1e-12))
        ties = int(np.count_nonzero(gain >= gain.max() - 1e-12)) - 1
        note = READ_OFF + (f"; {ties} other thresholds do as well" if ties > 1 else "")
        note += "; another threshold does as well" if ties == 1 else ""
        if not self.table.exact:
            better = float(_GAINS[criterion](self._best).max() - gain.max())
            note += f"; binned scores: a threshold within a bin may be better by {max(better, 0.0):.2g} at most"
        return self._point(place, confidence, note=note)

    def operating_point(
        self,
        *,
        prior: Prior | None = None,
        cost_fp: float = 1.0,
        cost_fn: float = 1.0,
        cost_tp: float = 0.0,
        cost_tn: float = 0.0,
        confidence: float = 0.95,
        replicates: int = 1000,
        rng: Any = None,
    ) -> OperatingPoint:
        """The cheapest threshold where positives are this common and calls cost this much, and what it really costs.

        Without `prior` positives are as common as in these rows. See `OperatingPoint`.
        """
        from trueerror.curves.operating import choose_point

        condition = self.condition(prior, cost_fp=cost_fp, cost_fn=cost_fn, cost_tp=cost_tp, cost_tn=cost_tn)
        return choose_point(
            self, condition, own_prior=prior is None, confidence=confidence, replicates=replicates, rng=rng
        )

    def condition(self, prior: Prior | None = None, **costs: float) -> Condition:
        """A share of positives (that of these rows, unless given) and the costs of calls."""
        return Condition(self.prevalence if prior is None else score_share(prior, self.table), **costs)

    def iso_accuracy(self, accuracy: float, *, prior: Prior | None = None) -> IsoLine:
        """The line of points with this accuracy: slope P(−)/P(+)."""
        return iso_accuracy(accuracy, self.condition(prior).prior)

    def iso_cost(self, cost: float, *, prior: Prior | None = None, **costs: float) -> IsoLine:
        """The line of points with this mean cost of a row; costs as in `operating_point`."""
        return iso_cost(cost, self.condition(prior, **costs))

    def hull(self) -> RocHull:
        """The convex hull: what mixtures of thresholds reach."""
        from trueerror.curves.hull import roc_hull

        return roc_hull(self)

    def _point(self, place: int, confidence: float, threshold: float | None = None, note: str = "") -> RocPoint:
        return roc_point(
            self.table,
            place,
            threshold=float(self.thresholds[place]) if threshold is None else threshold,
            rates=(float(self.fpr[place]), float(self.tpr[place])),
            confidence=confidence,
            note="; ".join(words for words in (note, self.caution) if words),
        )

    def _figures(self) -> list[tuple[str, object]]:
        return [
            ("the area", self.auc()),
            ("TPR and FPR at one threshold, .at()", "wilson"),
            ("the band, .band()", "roc-band-wilson"),
            ('the band, .band("simultaneous")', "roc-band-fixed-width"),
            ("the cost of the cheapest threshold, .operating_point()", "cost-out-of-bag"),
        ]

    def records(self) -> list[dict[str, object]]:
        """One record for each threshold; where scores are binned, also between which rates the curve lies at thresholds
        within the bin that starts there, whose highest score is `up_to`."""
        rows = zip(self.thresholds, self.fpr, self.tpr, strict=True)
        made: list[dict[str, object]] = [{"threshold": float(t), "fpr": float(x), "tpr": float(y)} for t, x, y in rows]
        if self.table.exact:
            return made
        inside = self.table.bounds.records(("fpr", "tpr"))
        return [{**made[0], **dict.fromkeys(inside[0])}, *({**a, **b} for a, b in zip(made[1:], inside, strict=True))]

    def __str__(self) -> str:
        kind = "distinct scores" if self.table.exact else "bins of scores"
        return folded(
            f"ROC curve{self._subject()}: {whole(self.table.n_positive)} positives ({self.table.positive!r}), "
            f"{whole(self.table.n_negative)} negatives, {whole(len(self.table.scores))} {kind}.\n"
            f"{self.auc()}{self._cautions()}"
        )


def _rates(counts: Any) -> Floats:
    total = downward(counts)
    total /= total[-1]
    return frozen(total)


def _f1(curve: Roc) -> Floats:
    hits = curve.tpr * curve.table.n_positive
    return 2 * hits / (hits + curve.fpr * curve.table.n_negative + curve.table.n_positive)


_GAINS: dict[str, Callable[[Roc], Floats]] = {
    "youden": lambda c: c.tpr - c.fpr,
    "closest": lambda c: -np.hypot(1 - c.tpr, c.fpr),
    "accuracy": lambda c: c.prevalence * c.tpr - (1 - c.prevalence) * c.fpr,
    "f1": _f1,
}
