"""`curve_verb` makes `te.gains(truth, scores, …)` out of a function of a `CurveInput`, for one model or several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, NoReturn, Protocol, TypeVar, cast, overload

from trueerror.curves._base import C, TableCurve
from trueerror.curves._curve_clusters import CurveClusters
from trueerror.curves._input import (
    CurveInput,
    cluster_caution,
    curve_input,
    is_point,
    is_predictions,
    open_table,
    point_input,
)
from trueerror.curves._points import Records
from trueerror.inference._clusters import without_gaps
from trueerror.inference._variance import ClusteredRows
from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._options import InputError, nearest
from trueerror.results import Result
from trueerror.results._format import escaped
from trueerror.sources._collect import is_openable, predictions, takes_table_options
from trueerror.sources._models import sorted_columns
from trueerror.sources._predictions import Predictions
from trueerror.sources._table_types import is_table
from trueerror.sources.engines._array_source import weighted_rows


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
        if scores is None and isinstance(truth, Mapping) and truth and all(map(is_point, truth.values())):
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
