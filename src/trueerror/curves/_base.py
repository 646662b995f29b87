"""What all curves are built on: the score table behind any input, the frozen curve, its registry, and shared formulas.

`curve_verb` makes `te.gains(truth, scores, …)` out of a function of a `CurveInput`, for one model or several
(`ModelCurves`); `curve_kind` enters a curve for the pictures and `trueerror plot`. Then: counts at every cutoff,
proportions with intervals, ROC points joined by straight lines, and the isotonic fit, whose blocks are the segments of
the upper ROC hull.

Source: Ayer et al. 1955, Ann. Math. Stat. 26:641; Fawcett and Niculescu-Mizil 2007, Machine Learning 68:97.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cache, cached_property, wraps
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Protocol, Self, TypeGuard, TypeVar, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueerror.curves._cluster_worth import CurveClusters
from trueerror.inference._clusters import without_gaps
from trueerror.inference._variance import ClusteredRows, mover
from trueerror.inference.auc._interval import effective_rows
from trueerror.inference.auc._within_folds import fold_comparability
from trueerror.inference.counts._one_class import ONE_CLUSTER
from trueerror.inference.proportion._distributions import limits
from trueerror.inputs._arrays import WeightsKind, check_indexes, column, is_lazy, is_table, matrix, plain_numbers
from trueerror.inputs._labels import Label, code_column, find_label, natural_labels, natural_positive, need_positive
from trueerror.inputs._options import (
    InputError,
    MissingPredictionError,
    check_confidence,
    check_share,
    in_few_words,
    nearest,
)
from trueerror.kernels._numpy import PIECE, parts
from trueerror.methods._registry import Method, declare
from trueerror.results import Interval, Result
from trueerror.results._format import escaped, folded
from trueerror.results._values import joined_notes
from trueerror.sources._collect import is_openable, opened, predictions, refuse_columns, takes_table_options
from trueerror.sources._models import sorted_columns
from trueerror.sources._predictions import Predictions, labels_only
from trueerror.sources.engines._array_source import weighted_rows
from trueerror.tallies import Confusion, Missing
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._score_bounds import Bounds
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
# Counts at ascending scores, whole or weighted; leading axes hold resamples.
Counts = NDArray[np.int64] | Floats
# What a figure of a curve is called, and the method (or the result that names it) behind it.
Figures = list[tuple[str, object]]
Records = list[dict[str, object]]
Places = NDArray[np.intp]


# What a curve is made of where it is not scores: the calls of a classifier.
Calls = Literal["", "labels", "counted", "rates"]
RATES_ALONE = "rates without the rows behind them: no limits can be given"
# Rows of each class that stand for a rate whose own rows are not known; six decimals are exact.
STAND_IN = 1_000_000


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


def curve_kind(key: str, *, verb: str, picture: str, **facts: str) -> Callable[[type[C]], type[C]]:
    """Enter a curve into the registry; `facts` are fields of its entry in the catalogue of methods."""

    def enter(curve: type[C]) -> type[C]:
        declare(Method(key=key, **facts), home=curve.__module__)
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
    # Where rows come in clusters: what they are worth. A saved curve has the caution instead.
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
        """Positives and negatives; with sampling weights or clusters the independent rows that they are worth."""
        if self.clusters is None:
            return effective_rows(self.table)
        return self.clusters.of_class(True, confidence), self.clusters.of_class(False, confidence)

    def _all_rows(self, confidence: float = 0.95) -> float:
        """The rows; with sampling weights, (Σw)²/Σw², or clusters the independent rows that they are worth."""
        n = float(self.table.n)
        if self.clusters is not None:
            sizes = float(self.table.n_positive), float(self.table.n_negative)
            worth = (w / s for w, s in zip(self._class_rows(confidence), sizes, strict=True) if s > 0)
            return min(n * min(worth), self.clusters.of_mix(confidence))
        return n if self.table.squares is None else n * n / float(self.table.squares.sum())

    @property
    def _units(self) -> str:
        """How many clusters there are, for a note; "" without them."""
        return "" if self.clusters is None else self.clusters.note

    def _share_rows(self, hits: str, threshold: float, confidence: float) -> float | None:
        """The independent rows behind "tpr", "fpr" or "precision" at a threshold; None where all rows are that."""
        if self.clusters is None:
            return None
        if hits == "precision":
            return self.clusters.precision_worth(threshold, confidence)
        return self.clusters.rate_worth(hits == "tpr", threshold, confidence)

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


def counts_at_cutoffs(table: ScoreTable) -> BinaryCounts:
    """The four counts at every cutoff, from "nothing is predicted positive" down through each distinct score.

    >>> c = counts_at_cutoffs(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))
    >>> c.tp.tolist(), c.fp.tolist()
    ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    """
    tp, fp = downward(table.positives), downward(table.negatives)
    return BinaryCounts(tp, fp, tp[-1] - tp, fp[-1] - fp)


def counted_records(table: ScoreTable) -> Records:
    """One record for each cutoff: the threshold, TP, FP, TN and FN, and the rates that they give.

    >>> counted_records(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))[1]["tp"]
    1
    """
    tp, fp, fn, tn = counts_at_cutoffs(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        fpr, tpr, precision = fp / fp[-1], tp / tp[-1], tp / (tp + fp)
    # Sampling weights are sums, not counts.
    plain = int if table.squares is None else float
    return [
        {
            "threshold": float(t), "tp": plain(a), "fp": plain(b), "tn": plain(d), "fn": plain(c), "fpr": float(x),
            "tpr": float(y), "precision": float(p), "recall": float(y),
        }
        for t, a, b, c, d, x, y, p in zip(cutoffs(table), tp, fp, fn, tn, fpr, tpr, precision, strict=True)
    ]  # fmt: skip


def cutoffs(table: ScoreTable) -> Floats:
    """Thresholds, descending; the first is infinite: nothing is predicted positive."""
    return np.concatenate(([np.inf], table.scores[::-1]))


def downward(counts: Counts) -> Floats:
    """Running sums from the highest score down, starting at 0; the last axis runs over ascending scores.

    As floats, which are exact up to 2⁵³ rows, so that products of counts do not overflow.
    """
    total = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1))
    # Integers are summed five times as fast as floats.
    total[..., 1:] = np.cumsum(counts[..., ::-1], axis=-1)
    return total


def area_under(x: Floats, y: Floats) -> float:
    """The area under points joined by straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)


class CurveInput(NamedTuple):
    """What a curve is made from: the score table, the model's name ("" where there is none), and the Predictions that
    it was counted from, where it was, with the positive class that was asked for."""

    table: ScoreTable
    name: str = ""
    predictions: Predictions | None = None
    positive: Any = None
    calls: Calls = ""

    @property
    def caution(self) -> str:
        """Of rows in clusters limits as of independent ones are too narrow; and scores of folds have other scales."""
        return "; ".join(w for w in (cluster_caution(self.predictions), self.fold_caution()) if w)

    def fold_caution(self) -> str:
        """What to say where the scores of different folds are not on one scale."""
        caution = fold_comparability(self.fold_tables())
        return "" if caution is None else caution.words

    def fold_tables(self) -> list[ScoreTable]:
        """The scores of each fold, where each has a model of its own; none where rows have no folds."""
        p = self.predictions
        if p is None or not p.folded or p.weights_kind == "sampling":
            return []
        names = p.keys("folds").names
        return [p.slice(name, "folds").scores(self.name, positive=self.positive) for name in names]


def cluster_caution(predictions: Predictions | None) -> str:
    """What to say where rows come in clusters, "" where they do not."""
    if predictions is not None and predictions.has_key("clusters"):
        sizes = predictions.keys("clusters").sizes
        if int(sizes.max(initial=0)) > 1:
            return cluster_words(len(sizes))
    return ""


def cluster_words(groups: int) -> str:
    """What limits that do not know of clusters must say."""
    return f"rows come in {groups:,} clusters, and these limits take rows as independent: they are too narrow"


def with_clusters(curve: C, data: CurveInput) -> C:
    """The curve with its rows' clusters, where it knows what to make of them; refused beyond the memory budget."""
    p = data.predictions
    if p is None or not curve.by_cluster or curve.calls or not cluster_caution(p):
        return curve
    clusters = p._while_held(("curve clusters", data.name, data.table.positive), lambda: _curve_clusters(p, data))
    return replace(curve, clusters=clusters, caution=data.fold_caution())


def _curve_clusters(p: Predictions, data: CurveInput) -> CurveClusters:
    rows, weights = weighted_rows(p, [data.name], positive=data.positive)
    assert rows.clusters is not None
    codes = without_gaps(rows.clusters)
    return CurveClusters(ClusteredRows(positive=rows.up, scores=rows.scores[:, 0], codes=codes, weights=weights))


C_co = TypeVar("C_co", bound=TableCurve, covariant=True)
Made = TypeVar("Made", bound=Callable[..., Any])
V = TypeVar("V")


# So many curves are told in words without being asked.
FEW_TOLD = 3


@dataclass(frozen=True, eq=False, repr=False)
class ModelCurves(Result, Mapping[str, C_co]):
    """ModelCurves of one kind by the name of their model: `curves["svm"]` is one of them, `.plot()` shows all.

    >>> from trueerror.curves import roc
    >>> both = roc([0, 1, 1, 0], {"a": [0.1, 0.9, 0.8, 0.3], "b": [0.2, 0.7, 0.1, 0.6]})
    >>> list(both), both["a"].auc().estimate
    (['a', 'b'], 1.0)
    """

    curves: Mapping[str, C_co]

    def __getitem__(self, name: str) -> C_co:
        if name not in self.curves:
            raise KeyError(f"there is no curve of {name!r}{nearest(name, self.curves)}")
        return self.curves[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getattr__(self, name: str) -> NoReturn:
        first = next(iter(self.__dict__.get("curves", ())), None)
        if first is None or name.startswith("_") or not hasattr(type(self.curves[first]), name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(
            f"these are {len(self.curves)} curves, and .{name} is of one: [{first!r}].{name}, or model={first!r} when "
            "the curve is made"
        )

    def records(self) -> Records:
        """The records of each curve, with its model."""
        return [{"model": name, **record} for name, curve in self.curves.items() for record in curve.records()]

    def _made_by(self) -> list[tuple[str, object]]:
        return [pair for curve in list(self.curves.values())[:1] for pair in curve._made_by()]

    def _html(self, picture: str = "") -> str:
        """The picture, whose legend has the figures; what each curve says is folded where they are many."""
        paragraphs = [f"<p>{escaped(' '.join(str(curve).split()))}</p>" for curve in self.curves.values()]
        unfolded = " open" if len(paragraphs) <= FEW_TOLD else ""
        return f"{picture}<details{unfolded}><summary>In words</summary>{''.join(paragraphs)}</details>"

    def __str__(self) -> str:
        return "\n\n".join(str(curve) for curve in self.curves.values())

    __repr__ = __str__


class CurveVerb(Protocol[C_co]):
    """How a curve of a score table is asked for."""

    __name__: str

    @overload
    def __call__(
        self,
        truth: Any,
        scores: Mapping[str, Any],
        *,
        positive: Any = None,
        weights: Any = None,
        weights_kind: WeightsKind | None = None,
        **columns: Any,
    ) -> ModelCurves[C_co]: ...
    @overload
    def __call__(
        self,
        truth: Any,
        scores: Any = None,
        *,
        model: str | None = None,
        positive: Any = None,
        weights: Any = None,
        weights_kind: WeightsKind | None = None,
        **columns: Any,
    ) -> C_co: ...


def calls_table(table: Confusion, positive: Any = None) -> ScoreTable:
    """What a classifier calls as a table of two scores: 1 for rows that it calls positive, 0 for the others.

    >>> calls_table(Confusion([[50, 5], [10, 35]])).positives.tolist()
    [10, 35]
    """
    chosen = table.positive if positive is None else find_label(positive, table.labels)
    if chosen is None:
        raise need_positive(table.labels, "a point in ROC space")
    tp, fp, fn, tn = table.binary(chosen)
    if table.weight_sums is not None:
        raise InputError("a point in ROC space is not offered with sampling weights; leave them out")
    return ScoreTable([0.0, 1.0], [int(fn), int(tp)], [int(tn), int(fp)], positive=chosen)


def is_rates(given: Any) -> bool:
    """Whether this is a point (FPR, TPR)."""
    return (
        isinstance(given, tuple | list)
        and len(given) == 2
        and all(isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in given)
    )


def rates_table(point: tuple[float, float], positive: Label = 1) -> ScoreTable:
    """A point (FPR, TPR) without its rows as a table of two scores."""
    fpr, tpr = (check_share(float(x), word) for x, word in zip(point, ("fpr", "tpr"), strict=True))
    up, down = round(tpr * STAND_IN), round(fpr * STAND_IN)
    return ScoreTable([0.0, 1.0], [STAND_IN - up, up], [STAND_IN - down, down], positive=positive)


def curve_verb(what: str, *, points: bool = False) -> Callable[[Callable[..., C]], CurveVerb[C]]:
    """A public function that makes a curve from whatever was passed, out of one that makes it from a `CurveInput`.

    `what` names the curve in messages; with `points` a confusion matrix, labels or (FPR, TPR) will do, whose curve has
    one point. Signature and types are those of `CurveVerb`, with the options that the curve itself takes.
    """

    def decorate(make: Callable[..., C]) -> CurveVerb[C]:
        parameters = tuple(signature(make).parameters.values())[1:]

        @wraps(make, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        def verb(
            truth: Any, scores: Any = None, *, model: str | None = None, positive: Any = None, weights: Any = None,
            weights_kind: WeightsKind | None = None, **columns: Any,
        ) -> C:  # fmt: skip
            point = point_input(truth, scores, model, positive) if points else None
            options = {o.name: columns.pop(o.name) for o in parameters if o.name in columns}
            source = point or curve_input(
                what, truth, scores, model, positive, weights, weights_kind, columns, points=points
            )
            return with_clusters(make(source, **options), source)

        verb.__annotations__["return"] = make.__annotations__["return"]
        # Without this, help would follow `wraps` to the function of a CurveInput.
        form = signature(verb, follow_wrapped=False)
        *places, rest = form.parameters.values()
        verb.__signature__ = form.replace(parameters=[*places, *parameters, rest])  # type: ignore[attr-defined]
        return cast("CurveVerb[C]", takes_table_options(of_each_model(verb)))

    return decorate


def typed_as(form: type[V]) -> Callable[[CurveVerb[Any]], V]:
    """A curve with options of its own, as the protocol that names them: type checkers and editors read no signature
    that is put together."""
    return lambda verb: cast("V", verb)


# What te.predictions knows of rows; the rest are options of the curve.
OF_ROWS = ("positive", "weights", "weights_kind", "missing", "labels")


def of_each_model(make: Made) -> Made:
    """A function that makes one curve, made to take several models."""

    @wraps(make)
    def verb(truth: Any, scores: Any = None, **options: Any) -> Any:
        if scores is None and isinstance(truth, Mapping) and truth and all(map(_is_point, truth.values())):
            return ModelCurves({str(m): make(v, **{**options, "model": str(m)}) for m, v in truth.items()})
        given = options if "predicted" not in options else {}
        rows = None if options.get("model") is not None else _several(truth, scores, given)
        if rows is None:
            return make(truth, scores, **options)
        rest = {o: v for o, v in options.items() if is_predictions(truth) or o not in (*OF_ROWS, *TABLE_WORDS)}
        needed = [p.name for p in signature(make).parameters.values() if p.default is p.empty]
        kept = {o: v for o, v in rest.items() if v is not None or o in needed}
        curves = {m: make(rows, model=m, **kept) for m in rows.models if rows.has_scores(m)}
        return ModelCurves(curves) if len(curves) > 1 else next(iter(curves.values()))

    return cast("Made", verb)


# How te.read's options name columns: they are used up when the rows are read.
TABLE_WORDS = (
    "truth_column", "models", "label", "score", "id", "cluster", "by", "fold", "repeat", "weight", "budget",
    "threshold", "table",
)  # fmt: skip


def _several(truth: Any, scores: Any, options: Mapping[str, Any]) -> Predictions | None:
    """The rows of models with scores; None where one curve is asked for, of other things than a table."""
    columns = {o: v for o, v in options.items() if v is not None}
    if is_predictions(truth):
        return truth if scores is None and len(truth.models) > 1 and _scored(truth) else None
    if scores is not None and not isinstance(scores, str):
        if not isinstance(scores, Mapping | list | tuple) and not is_table(scores):
            return None
        apart = sorted_columns(truth, None, scores).scores
        if not isinstance(apart, Mapping) or len(apart) < 2:
            return None
        rows = {o: v for o, v in columns.items() if o in OF_ROWS}
        model_rows = predictions(truth, scores=apart, **rows)
        if _scored(model_rows) < len(apart):
            raise InputError("each model needs scores: a column of numbers, higher for the positive class")
        return model_rows
    if scores is None and is_openable(truth) and not (isinstance(truth, str) and truth == "-"):
        named = {o: v for o, v in columns.items() if o in TABLE_WORDS or o in ("missing", "labels")}
        rest = (columns.get("positive"), columns.get("weights"), columns.get("weights_kind"))
        try:
            read, _ = open_table(truth, None, None, *rest, named)
        except InputError:
            return None  # where one curve is asked for, the same error says more
        # Also of one model: a table is read once.
        return read if is_predictions(read) and _scored(read) else None
    return None


def _scored(rows: Predictions) -> int:
    return sum(rows.has_scores(m) for m in rows.models)


def curve_input(
    what: str, data: Any, scores: Any = None, model: str | None = None, positive: Any = None, weights: Any = None,
    weights_kind: WeightsKind | None = None, columns: Mapping[str, Any] | None = None, *, points: bool = False,
) -> CurveInput:  # fmt: skip
    """The score table behind whatever was passed to the curve that is called `what`.

    `data` is the truth (with `scores`), a Predictions object (with `model`, or the model's name in the place of the
    scores), a path or a table that te.read takes (with `model` too; `weights` may name its column, and `columns` are
    further options of te.read), a ScoreTable, or anything that carries one as `.table`. (n, K) scores give the column
    of the positive class. `missing="drop"` among the columns leaves rows without a score out. With `points` a model of
    the table that gives labels is a curve of one point.

    >>> curve_input("a curve", [0, 1, 1], [0.2, 0.9, 0.2]).table.n_positive
    2
    >>> curve_input("a curve", {"truth": [0, 1, 1], "svm": [0.2, 0.9, 0.4]}).name
    'svm'
    """
    if model is not None and not isinstance(model, str):
        raise InputError(f"model={in_few_words(model)} must be the name of a model")
    columns = columns or {}
    missing: Missing | None = columns.get("missing")
    table = data if isinstance(data, ScoreTable) or is_lazy(data) else getattr(data, "table", None)
    if isinstance(table, ScoreTable):
        refuse_columns(columns)
        if scores is not None or weights is not None or positive is not None:
            raise InputError(f"{what} from counted scores takes no scores=, weights= or positive=: they are counted in")
        return CurveInput(_occupied(table, what), str(getattr(data, "name", "") or model or ""))
    given = data
    data, weights = open_table(data, scores, model, positive, weights, weights_kind, columns)
    if is_predictions(data):
        if data is given:
            opened(data, missing=missing)
        if isinstance(scores, str) and model is None:
            scores, model = None, scores
        if scores is not None or weights is not None:
            raise InputError(f"{what} from Predictions takes no scores= or weights=: they are in it; choose by model=")
        point = point_input(data, None, model, positive) if points else None
        return point or _from_predictions(data, model, positive, what)
    if weights is None and weights_kind is not None:
        raise InputError(f"weights_kind={weights_kind!r} was given without weights")
    if scores is None:
        raise InputError(f"{what} needs scores: pass (truth, scores), Predictions, a path, a table, or a ScoreTable")
    check_indexes({"truth": data, "scores": scores})
    array = matrix(scores, "scores")
    if len(array) == 0:
        raise InputError(f"{what} needs rows, but there are none")
    if array.ndim == 2 and 1 not in array.shape[1:]:
        scores, positive = _one_column(data, array, positive, what)
    if missing is not None:
        from trueerror.sources._collect import ONE_MODEL

        rows = predictions(data, scores=scores, positive=positive, weights=weights, weights_kind=weights_kind,
                           missing=missing)  # fmt: skip
        return CurveInput(_from_predictions(rows, ONE_MODEL, None, what).table, model or "")
    counted = ScoreTable.count(data, scores, positive=positive, weights=weights, weights_kind=weights_kind)
    return CurveInput(_occupied(counted, what), model or "")


def _is_point(data: object) -> bool:
    """Whether this is one point in ROC space: a confusion matrix, or (FPR, TPR)."""
    return isinstance(data, Confusion) or (isinstance(data, tuple) and is_rates(data))


def point_input(data: Any, scores: Any, model: str | None, positive: Any) -> CurveInput | None:
    """The one point of a confusion matrix, of (FPR, TPR), or of a model that gives labels; None for anything else."""
    if scores is not None and not (isinstance(scores, str) and is_predictions(data)):
        return None
    if isinstance(data, Confusion):
        return CurveInput(calls_table(data, positive), model or "", calls="counted")
    if isinstance(data, tuple) and is_rates(data):
        return CurveInput(rates_table(data), model or "", calls="rates")
    if is_predictions(data):
        name = data.only(model or scores)
        if not data.has_scores(name):
            refuse_repeats(data, "a point in ROC space")
            return CurveInput(calls_table(data.confusion(name), positive), name, data, positive, "labels")
    return None


def open_table(
    data: Any, scores: Any, model: str | None, positive: Any, weights: Any, weights_kind: WeightsKind | None,
    columns: Mapping[str, Any],
) -> tuple[Any, Any]:  # fmt: skip
    """A path or a table in the place of the truth as Predictions, unless scores are given beside it; and the weights
    that are left to be counted. Of a table only the model at hand must be complete."""
    named = all(x is None or isinstance(x, str) for x in (scores, weights))
    if is_predictions(data) or not (named and is_openable(data)):
        rest = {key: value for key, value in columns.items() if key not in ("missing", "labels")}
        if is_predictions(data):
            opened(data, **rest)
        elif rest:
            refuse_columns(rest)
        return data, weights
    options = {**columns, "weight": weights, "weights_kind": weights_kind}
    try:
        return opened(data, positive=positive, **options), None
    except MissingPredictionError:
        if data == "-":
            raise
        complete = opened(data, positive=positive, **{**options, "missing": "drop"})
        name = complete.only(scores if model is None else model)
        if complete.absent(name):
            raise
        rows = complete.select(name)
        return replace(rows, source=rows.source.with_facts(replace(rows.facts, missing="error"))), None


def is_predictions(data: Any) -> TypeGuard[Predictions]:
    """Whether this is a Predictions object."""
    return isinstance(data, Predictions)


def _from_predictions(data: Predictions, model: str | None, positive: Any, what: str) -> CurveInput:
    name = data.only(model)
    refuse_repeats(data, what)
    if not data.has_scores(name):
        raise labels_only(what, name)
    return CurveInput(_occupied(data.scores(name, positive=positive), what), name, data, positive)


def refuse_repeats(predictions: Predictions, what: str) -> None:
    """Rows that several repeats of an experiment predicted are not more rows."""
    if predictions.has_key("repeats") and len(predictions.keys("repeats").names) > 1:
        raise InputError(
            f'{what} would count each row once for every repeat; take one (predictions.slice(1, "repeats")), or '
            "te.average_curves over the curves of all"
        )


def _one_column(truth: Any, array: NDArray[Any], positive: Any, what: str) -> tuple[NDArray[Any], Label]:
    """Of (n, K) scores the column of the positive class; the columns follow the label order."""
    labels = natural_labels(code_column(column(truth, "truth"), "truth").values)
    if len(labels) != array.shape[1]:
        raise InputError(
            f"scores has {array.shape[1]} columns but truth has {len(labels)} classes; columns follow the sorted "
            "labels: pass the column of the positive class"
        )
    chosen = natural_positive(labels) if positive is None else find_label(positive, labels)
    if chosen is None:
        raise need_positive(labels, what)
    return np.ascontiguousarray(array[:, labels.index(chosen)]), chosen


def _occupied(table: ScoreTable, what: str) -> ScoreTable:
    """The table without the scores of rows that have no weight."""
    if not table.n > 0:
        raise InputError(f"{what} needs rows, but there are none")

    def everywhere() -> bool:
        # Block by block: millions of scores would not stay in the cache.
        blocks = parts(len(table.positives), 1 + len(table.positives) // PIECE)
        return all(((table.positives[block] + table.negatives[block]) > 0).all() for block in blocks)

    if table._once("occupied", everywhere):
        return table
    occupied = table.positives + table.negatives > 0
    return ScoreTable(
        table.scores[occupied],
        table.positives[occupied],
        table.negatives[occupied],
        positive=table.positive,
        exact=table.exact,
        squares=None if table.squares is None else table.squares[:, occupied],
        sources=table.sources,
        uppers=None if table.uppers is None else table.uppers[occupied],
    )


def need_classes(table: ScoreTable, what: str, *, positives: bool = True, negatives: bool = True) -> None:
    """Refuse a table that lacks a class without which the curve has no meaning."""
    for wanted, rows, word in ((positives, table.n_positive, "positive"), (negatives, table.n_negative, "negative")):
        if wanted and not rows > 0:
            raise InputError(
                f"{what} needs at least one {word} row, but all {table.n:,.6g} rows are of the other class "
                f"(positive is {table.positive!r}); check positive= and which rows were selected"
            )


def need_probabilities(table: ScoreTable, what: str) -> None:
    """Refuse scores that are not probabilities, where the curve reads them as such."""
    low, high = float(table.scores[0]), float(table.scores[-1])
    if low < 0 or high > 1:
        raise InputError(
            f"{what} reads scores as probabilities in [0, 1], but they run from {low:.4g} to {high:.4g}; "
            "calibrate them first, or use a curve of ranks such as te.roc"
        )


def rows_for_interval(hits: ArrayLike, misses: ArrayLike, squares: tuple[ArrayLike, ArrayLike] | None) -> Floats:
    """How many rows a proportion rests on: their number, or with sampling weights p̂q̂/V of the linearised ratio.

    V = (q²·Σw² of the hits + p²·Σw² of the misses) / (Σw)²; where all rows are alike, Kish's (Σw)²/Σw².
    """
    up, down = np.asarray(hits, dtype=np.float64), np.asarray(misses, dtype=np.float64)
    rows: Floats = up + down
    if squares is None:
        return rows
    square_up, square_down = (np.asarray(s, dtype=np.float64) for s in squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = up / rows, down / rows
        spread = q * q * square_up + p * p * square_down
        mixed = rows * rows * p * q / spread
        alike = rows * rows / (square_up + square_down)
    return np.where(rows > 0, np.where((up > 0) & (down > 0), mixed, alike), 0.0)


def wilson_proportion(
    name: str, hits: float, misses: float, *, confidence: float = 0.95, squares: tuple[float, float] | None = None,
    bounds: tuple[Bounds, Bounds] | None = None, note: str = "", estimand: str = "",
    undefined: str = "there are no rows", worth: float | None = None,
) -> Interval:  # fmt: skip
    """A proportion with its Wilson interval; with sampling weights at the effective number of rows, and at the
    independent rows that clusters are `worth`.

    `bounds` are those of the hits and of the misses where binned scores leave them open: the limits are then those of
    the fewest hits with the most misses, and of the most with the fewest.

    >>> print(wilson_proportion("precision", 30, 10))
    precision 0.750 [0.598, 0.858], 95 % wilson, n = 40
    >>> print(wilson_proportion("tpr", 30, 10, bounds=(Bounds(30, 32), Bounds(8, 10))))
    tpr 0.750 [0.598, 0.895], 95 % wilson, n = 40
    """
    level = check_confidence(confidence)
    method = "wilson" if squares is None else "wilson-weighted"
    method = method if worth is None else "wilson-clustered"
    total = hits + misses
    if not total > 0:
        return Interval(
            name=name, estimate=math.nan, low=math.nan, high=math.nan, confidence=level, method=method, n=0,
            note=joined_notes(undefined, note), estimand=estimand,
        )  # fmt: skip
    rows = float(rows_for_interval(hits, misses, squares)) if worth is None else worth
    estimate = hits / total
    if math.isnan(rows):
        low, high, note = math.nan, math.nan, joined_notes(ONE_CLUSTER, note)
    else:
        low, high = (float(x) for x in limits(estimate * rows, rows, "wilson", level))
    if bounds is not None:
        ends = (bounds[0].low, bounds[1].high), (bounds[0].high, bounds[1].low)
        fewest, most = (wilson_proportion(name, *counts, confidence=level) for counts in ends)
        # Where nothing is called the proportion is undefined, and anything may be true.
        low = min(low, 0.0 if math.isnan(fewest.low) else fewest.low)
        high = max(high, 1.0 if math.isnan(most.high) else most.high)
    return Interval(
        name=name, estimate=estimate, low=low, high=high, confidence=level, method=method,
        n=round(rows, 1) if squares is not None and worth is None else total, note=note, estimand=estimand,
    )  # fmt: skip


def weighted_sum(
    weights: tuple[float, float],
    hits: tuple[float, float],
    rows: tuple[float, float],
    *,
    confidence: float,
    exclusive: bool = False,
) -> tuple[float, float, float]:
    """w₁p₁ + w₂p₂ with limits from Wilson's limits of the two proportions (MOVER).

    The proportions are of different rows, or, with `exclusive`, of the same rows of which none is in both: then their
    correlation is −√(p₁p₂/q₁q₂).

    >>> [round(x, 4) for x in weighted_sum((0.5, 0.5), (45, 15), (50, 30), confidence=0.95)]
    [0.7, 0.5984, 0.7888]
    """
    parts = np.divide(hits, rows)
    low, high = limits(hits, rows, "wilson", confidence)
    p, q = float(parts[0]), float(parts[1])
    correlation = 0.0
    if exclusive and 0 < p < 1 and 0 < q < 1:
        correlation = -math.sqrt(p * q / ((1 - p) * (1 - q)))
    factors = np.array(weights, dtype=np.float64)
    down, up = mover(parts, low, high, factors, lambda reach: 2 * correlation * float(reach[0] * reach[1]))
    return float(factors @ parts), down, up


# A hair, so that 0.3 finds the point at 3/10.
HAIR = 1e-12


def top_at(fpr: Floats, tpr: Floats, wanted: ArrayLike) -> Floats:
    """The highest TPR that the joined points have at each FPR.

    >>> top_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.5 , 0.75])
    """
    x = plain_numbers(wanted, "fpr")
    before = np.searchsorted(fpr, x * (1 + HAIR) + 1e-15, side="right") - 1
    after = np.minimum(before + 1, len(fpr) - 1)
    return _between(fpr, tpr, x, before, after)


def foot_at(fpr: Floats, tpr: Floats, wanted: ArrayLike) -> Floats:
    """The lowest TPR that the joined points have at each FPR.

    >>> foot_at(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), [0.0, 0.5])
    array([0.  , 0.75])
    """
    x = plain_numbers(wanted, "fpr")
    after = np.minimum(np.searchsorted(fpr, x * (1 - HAIR) - 1e-15, side="left"), len(fpr) - 1)
    before = np.maximum(after - 1, 0)
    # At the first point there is nothing before it.
    return _between(fpr, tpr, x, np.where(fpr[after] <= x * (1 + HAIR) + 1e-15, after, before), after)


def _between(fpr: Floats, tpr: Floats, x: Floats, before: Places, after: Places) -> Floats:
    width = fpr[after] - fpr[before]
    part = np.where(width > 0, (x - fpr[before]) / np.where(width > 0, width, 1.0), 0.0)
    out: Floats = tpr[before] + np.clip(part, 0.0, 1.0) * (tpr[after] - tpr[before])
    return out


def curve_points(positives: Counts, negatives: Counts) -> tuple[Floats, Floats]:
    """(fpr, tpr) of one table of counts at ascending scores, from (0, 0) to (1, 1)."""
    tp = np.concatenate(([0.0], np.cumsum(positives[::-1])))
    fp = np.concatenate(([0.0], np.cumsum(negatives[::-1])))
    return fp / fp[-1], tp / tp[-1]
