"""What all curves are built on: the frozen curve over its score table, and the registry of curves.

`curve_kind` enters a curve for the pictures and `trueerror plot`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._input import Calls, cluster_words
from trueerror.curves._points import Figures, Places, Records, downward, table_of_cells
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.auc._interval import effective_rows
from trueerror.inputs._arrays import Floats
from trueerror.results import Interval, Result
from trueerror.results._format import folded
from trueerror.results._values import joined_notes
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.tallies._scores import ScoreTable

RATES_ALONE = "rates without their rows: no limits can be given"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveKind:
    """What a curve declares of itself.

    `key` is that of its table in `methods.toml`; `verb` is the function that makes it, under which the stub
    of this folder offers it; `picture` is its composer, such as "curves.gains_picture" of `plots.compose`.
    """

    key: str
    verb: str
    picture: str

    def make(self) -> Callable[..., TableCurve]:
        """The function that makes the curve."""
        verb: Callable[..., TableCurve] = getattr(import_module("trueerror.curves"), self.verb)
        return verb


_KINDS: dict[str, CurveKind] = {}
C = TypeVar("C", bound="TableCurve")


def curve_kind(key: str, *, verb: str, picture: str) -> Callable[[type[C]], type[C]]:
    """Enter a curve into the registry."""

    def enter(curve: type[C]) -> type[C]:
        curve.kind = _KINDS[key] = CurveKind(key=key, verb=verb, picture=picture)
        return curve

    return enter


@cache
def every_curve_kind() -> tuple[CurveKind, ...]:
    """All curves of a score table; their modules are those of this folder.

    >>> [kind.verb for kind in every_curve_kind()][:3]
    ['brier_curve', 'cost_curve', 'decision_curve']
    """
    package = __name__.rpartition(".")[0]
    for module in iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
    return tuple(_KINDS[key] for key in sorted(_KINDS))


@dataclass(frozen=True, eq=False, repr=False)
class TableCurve(Result):
    """A curve that is computed from its score table, and travels as JSON by that table.

    `name` is the model's; `caution` is what every interval that is read off the curve must say beside it. `calls` says
    that the curve has one point alone, a classifier that gives labels: "labels" of a model beside the truth, "counted"
    in a confusion matrix, or "rates" where its FPR and TPR are known without the rows behind them, so that no limits
    can be given.
    """

    table: ScoreTable
    _: KW_ONLY
    # With a factory in the place of a default the JSON has the name even where it is empty.
    name: str = field(default_factory=str)
    caution: str = ""
    calls: Calls = ""
    # The clusters, where rows come in clusters. A saved curve has the caution instead.
    clusters: CurveClusters | None = field(default=None, metadata={"saved": False})
    kind: ClassVar[CurveKind]
    # Whether the curve's limits follow the clusters.
    by_cluster: ClassVar[bool] = True
    # Whether its points are its cutoffs, of which a picture needs but those that differ visibly.
    at_cutoffs: ClassVar[bool] = True

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """The curve of a fitted model on rows X with truth y; `options` are those of the curve's function."""
        return cast("Self", cls.kind.make()(estimator, X, y, **options))

    @classmethod
    def from_predictions(cls, y_true: Any, y_score: Any = None, **options: Any) -> Self:
        """The curve of the truth and scores, or of Predictions.

        >>> from trueerror.curves import Roc
        >>> Roc.from_predictions([0, 1, 1], [0.2, 0.9, 0.4]).auc().estimate
        1.0
        """
        return cast("Self", cls.kind.make()(y_true, y_score, **options))

    def __reduce__(self) -> tuple[Callable[..., TableCurve], tuple[object]]:
        return self._from_data, (self._to_data(),)

    def _to_data(self) -> dict[str, Any]:
        saved = super()._to_data()
        if self.clusters is None:
            return saved
        return saved | {"caution": joined_notes(cluster_words(self.clusters.groups), self.caution)}

    @property
    def n(self) -> float:
        """All rows (or their weight)."""
        return self.table.n

    @property
    def prevalence(self) -> float:
        """Share of the rows that are positive."""
        return self.table.n_positive / self.table.n

    @cached_property
    def _tp(self) -> Floats:
        """True positives at each cutoff, from "nothing is predicted positive" down."""
        return self.table._while_held("tp", lambda: frozen(downward(self.table.positives)))

    @cached_property
    def _fp(self) -> Floats:
        """False positives at each cutoff."""
        return self.table._while_held("fp", lambda: frozen(downward(self.table.negatives)))

    def _counts_at(self, places: Places) -> tuple[Floats, Floats]:
        """True and false positives at some of the cutoffs, without those at all of them where there are very many."""
        if self.table.squares is None and self.table.many:
            return self.table._called(places)
        return self._tp[places], self._fp[places]

    def _counts_around(self, rows: float) -> tuple[Floats, Floats]:
        """The same at the cutoffs about where so many rows are called: all that interpolating there looks at."""
        if self.table.squares is not None or not self.table.many:
            return self._tp, self._fp
        place = self.table._first_with(rows)
        return self._counts_at(np.arange(max(place - 2, 0), min(place + 2, len(self.table.scores)) + 1))

    @cached_property
    def _drawn(self) -> Self:
        """The curve at the cutoffs that a picture can show; all that is read off it as a number is of the whole one."""
        table = self.table.drawable() if self.at_cutoffs else self.table
        return self if table is self.table else replace(self, table=table)

    def _class_rows(self, confidence: float = 0.95) -> tuple[float, float]:
        """Positives and negatives; with sampling weights or clusters the effective number of rows."""
        if self.clusters is None:
            return effective_rows(self.table)
        return self.clusters.of_class(True, confidence), self.clusters.of_class(False, confidence)

    def _all_rows(self, confidence: float = 0.95) -> float:
        """The rows; with sampling weights, (Σw)²/Σw², or clusters the effective number of rows."""
        n = float(self.table.n)
        if self.clusters is not None:
            sizes = float(self.table.n_positive), float(self.table.n_negative)
            effective = (w / s for w, s in zip(self._class_rows(confidence), sizes, strict=True) if s > 0)
            return min(n * min(effective), self.clusters.of_mix(confidence))
        return n if self.table.squares is None else n * n / float(self.table.squares.sum())

    @property
    def _units(self) -> str:
        """How many clusters there are, for a note; "" without them."""
        return "" if self.clusters is None else self.clusters.note

    @property
    def _of_shares(self) -> str:
        """The method of a share of the rows: Wilson's where they are independent and count alike."""
        return "wilson" if self.clusters is None and self.table.squares is None else "effective-t"

    def _table_at(self, place: int) -> Confusion:
        """The confusion matrix where the `place` highest distinct scores are called."""
        table, cut = self.table, len(self.table.scores) - place
        if table.squares is None and table.many:
            tp, fp = (x.tolist() for x in table._called(np.array([place, len(table.scores)])))
            return table_of_cells(np.array([fp[1] - fp[0], fp[0], tp[1] - tp[0], tp[0]]))

        def cells(columns: Iterable[NDArray[Any]]) -> Floats:
            return np.array([x.sum() for c in columns for x in (c[:cut], c[cut:])], dtype=np.float64)

        squares = None if table.squares is None else cells(table.squares[::-1])
        return table_of_cells(cells((table.negatives, table.positives)), squares)

    def _rate(
        self, metric: str, place: int, threshold: float, *, confidence: float, name: str = "",
        prior: float | None = None, note: str = "", undefined: str = "there are no rows",
    ) -> Interval:  # fmt: skip
        """A metric of the calls that the `place` highest distinct scores give, with the interval of `te.evaluate`.

        Binned scores leave open how many rows of each class are called: the limits are then those of the fewest and of
        the most that each may be.
        """
        table = self.table

        def interval(matrix: Confusion, keyed: KeyedConfusion | None = None) -> Interval:
            return metric_interval(metric, matrix, confidence=confidence, clusters=keyed, prior=prior)

        if self.clusters is None:
            found = interval(self._table_at(place))
        else:
            keyed = self.clusters.at(threshold)
            found = interval(keyed.table, keyed)
        ends = [found]
        if not table.exact and table.squares is None:
            hits, alarms = table.bounds.counts_at(threshold)
            ups, downs = float(table.n_positive), float(table.n_negative)
            ends += [
                interval(table_of_cells(np.array([downs - b, b, ups - a, a])))
                for a in (hits.low, hits.high) for b in (alarms.low, alarms.high)
            ]  # fmt: skip
        low, high = (pick(getattr(x, end) for x in ends) for pick, end in ((min, "low"), (max, "high")))
        if math.isnan(found.estimate):
            low = high = math.nan
            note = joined_notes(undefined, note)
        elif math.isnan(found.low):
            note = joined_notes(found.note, note)
        return replace(found, name=name or found.name, low=low, high=high, note=note, estimand="this model")

    def _noted(self, interval: Interval, *, binned: bool = True) -> Interval:
        """The interval with what binning leaves open (unless its note says that already) and the caution."""
        if self.calls == "rates":
            return replace(interval, low=math.nan, high=math.nan, method="", n=None, note=RATES_ALONE)
        return with_notes(interval, "" if self.table.exact or not binned else self._binned(), self.caution)

    def _words(self) -> str:
        return f"{type(self).__name__}{self._subject()} of {self.table}"

    def __str__(self) -> str:
        return folded(self._words() + self._cautions())

    def _binned(self) -> str:
        """What binned scores leave open of the curve, in words; empty where scores are exact."""
        return self.table.bounds.words()

    def _cautions(self) -> str:
        """What must be said beside the curve, a line each."""
        binned = self._binned()
        lines = [f"{binned[0].upper()}{binned[1:]}."] if binned else []
        return "".join(f"\n{line}" for line in [*lines, *([f"Caution: {self.caution}."] if self.caution else [])])

    def _made_by(self) -> Figures:
        return [("the curve", self.kind.key), *self._figures()]

    def _figures(self) -> Figures:
        """What is read off the curve, each with its method or with the figure that names it."""
        return []

    def _subject(self) -> str:
        return f" of {self.name}" if self.name else ""

    def _rows_words(self, counted: str) -> str:
        """The rows behind the curve as they were counted; rates that were given have none."""
        return "one point, given by its rates" if getattr(self, "calls", "") == "rates" else counted

    __repr__ = __str__


def with_notes(interval: Interval, *notes: str) -> Interval:
    """The interval with more notes, of which empty ones say nothing."""
    more = joined_notes(*notes)
    return replace(interval, note=joined_notes(interval.note, more)) if more else interval


def frozen(array: Floats) -> Floats:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def columns_to_records(names: Iterable[str], columns: Iterable[Iterable[float]]) -> Records:
    """One record of plain floats for each place of the columns.

    >>> columns_to_records(("a", "b"), ([1, 2], [3, 4]))
    [{'a': 1.0, 'b': 3.0}, {'a': 2.0, 'b': 4.0}]
    """
    keys = tuple(names)
    return [dict(zip(keys, map(float, row), strict=True)) for row in zip(*columns, strict=True)]


def interval_records(threshold: float, intervals: Iterable[Interval]) -> Records:
    """One record for each interval of what is measured at a threshold."""
    return [
        {
            "threshold": threshold, "measure": x.name, "estimate": x.estimate, "low": x.low, "high": x.high,
            "confidence": x.confidence, "method": x.method, "n": x.n,
        }
        for x in intervals
    ]  # fmt: skip
