"""te.predictions: rows from arrays, series and fitted models.

Options of te.read beside a path or a table, in functions that take arrays as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

import numpy as np

from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import Label, plain_label
from trueerror.inputs._options import InputError
from trueerror.sources._build import GivenModel, GivenRows, build, read_fitted
from trueerror.sources._predictions import Predictions
from trueerror.sources._protocols import Facts, Threshold
from trueerror.tallies import Missing

Made = TypeVar("Made", bound=Callable[..., Any])


def takes_table_options(make: Made) -> Made:
    """A function whose `**columns` are options of te.read: others are refused, with the nearest one named.

    `truth=` goes on as `truth_column=` where the first argument is given by its place: it may be called truth as well.

    >>> @takes_table_options
    ... def rows(truth, **columns):
    ...     return truth, columns
    >>> rows("rows.csv", truth="y"), rows(truth=[0, 1])
    (('rows.csv', {'truth_column': 'y'}), ([0, 1], {}))
    >>> rows("rows.csv", truht="y")
    Traceback (most recent call last):
    trueerror.inputs._options.InputError: te.rows has no option truht=; did you mean 'truth'?
    """
    own = [name for name, p in signature(make).parameters.items() if p.kind is not Parameter.VAR_KEYWORD]

    @wraps(make)
    def called(*args: Any, **options: Any) -> Any:
        if any(option not in own for option in options):
            # te.read itself is made of parts that take tables.
            from trueerror.sources._api import check_read_options

            check_read_options((o for o in options if o not in own), make.__name__, own)
        if args and "truth" in options:
            options["truth_column"] = options.pop("truth")
        return make(*args, **options)

    return cast("Made", called)


ONE_MODEL = "model"


@takes_table_options
def predictions(
    truth: Any,
    predicted: Any = None,
    *,
    scores: Any = None,
    fitted: Any = None,
    X: Any = None,
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    ids: Any = None,
    clusters: Any = None,
    by: Any = None,
    folds: Any = None,
    repeats: Any = None,
    weights: Any = None,
    weights_kind: WeightsKind | None = None,
    missing: Missing = "error",
    threshold: Threshold = None,
    **columns: Any,
) -> Predictions:
    """The truth and what any number of models said of the same rows.

    Labels go in `predicted`, scores in `scores` (higher = more positive; (n, K) columns follow the label order), each
    an array or {"name": array}; `fitted={"name": model}` with `X` asks fitted models themselves. Rows match by
    position. A path, or a whole table of any kind that te.read takes, may stand alone in the place of the truth; then
    `clusters`, `by` and the like name its columns, and `columns` are further options of te.read (`truth="y"`,
    `models=`, `budget=`). A model with labels and scores is judged by its labels, unless
    a `threshold` says to cut its scores: from it up a row is called positive. Scores of 32 bits are compared as the
    doubles that they are, and 0.7 in 32 bits is 0.69999998…, below 0.7: `threshold=float(np.float32(0.7))` cuts there.

    >>> p = predictions(["b", "a", "b"], scores={"svm": [0.9, 0.2, 0.4]}, positive="b")
    >>> print(p)
    Read 3 rows (2 positive = b): 1 model with scores: svm.
    >>> p.confusion("svm").matrix.tolist()
    [[1, 0], [1, 1]]
    """
    if predicted is None and scores is None and fitted is None:
        from trueerror.sources._api import is_openable, opened

        # A whole table in the place of the truth: its columns say what they are, and options may name them.
        if isinstance(truth, Predictions) or is_openable(truth):
            return opened(
                truth, labels=labels, positive=positive, id=ids, cluster=clusters, by=by, fold=folds, repeat=repeats,
                weight=weights, weights_kind=weights_kind, missing=None if missing == "error" else missing,
                threshold=threshold, **columns,
            )  # fmt: skip
    if columns:
        from trueerror.sources._api import refuse_columns

        refuse_columns(columns)
    models = _models(predicted, scores)
    for name, model in _named_fitted(fitted, X).items():
        if name in models:
            raise InputError(f"{name!r} is in fitted= and also in predicted or scores=; give each model once")
        models[name] = read_fitted(name, model, X)
    keys = {"clusters": clusters, "slices": by, "folds": folds, "repeats": repeats}
    source = build(
        GivenRows(
            truth=truth,
            models=models,
            labels=labels,
            positive=positive,
            ids=ids,
            keys={kind: values for kind, values in keys.items() if values is not None},  # type: ignore[misc]
            weights=weights,
            weights_kind=weights_kind,
            missing=missing,
            threshold=threshold,
            places={"slices": "by"},
        )
    )
    given = (truth, *_arrays(predicted), *_arrays(scores))
    return Predictions(source=source, notes=absent_notes(source.facts), backend=frame_library(given))


def absent_notes(facts: Facts) -> tuple[str, ...]:
    """What is done with rows that lack a prediction, where there are some."""
    rule = "left out" if facts.missing == "drop" else "counted as wrong"
    return tuple(
        f"{m.absent:,} of {facts.n:,} rows have no prediction of {m.name}; they are {rule}."
        for m in facts.models
        if m.absent
    )


def frame_library(values: Iterable[Any]) -> str | None:
    """The data frame library of the first column that has one."""
    for value in values:
        library = type(value).__module__.split(".")[0]
        if library in ("pandas", "polars", "pyarrow"):
            return library
    return None


def _arrays(values: Any) -> list[Any]:
    return list(values.values()) if isinstance(values, Mapping) else [values]


def _models(predicted: Any, scores: Any) -> dict[str, GivenModel]:
    labelled = _by_name(predicted, "predicted")
    scored = _by_name(scores, "scores")
    models = {}
    for name in dict.fromkeys([*labelled, *scored]):
        alone = not isinstance(predicted, Mapping) and not isinstance(scores, Mapping)
        places: dict[str, Any] = {
            "place_of_labels": "predicted" if alone else f"predicted[{name!r}]",
            "place_of_scores": "scores" if alone else f"scores[{name!r}]",
        }
        values, classes = _score_values(scored.get(name), places["place_of_scores"])
        models[name] = GivenModel(labels=labelled.get(name), scores=values, classes=classes, **places)
    return models


def _by_name(values: Any, option: str) -> dict[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        return {ONE_MODEL: values}
    if not values:
        raise InputError(f'{option} is an empty mapping; pass {{"name": array}} for each model')
    nothing = next((name for name, array in values.items() if array is None), None)
    if nothing is not None:
        raise InputError(f"{option}[{nothing!r}] is None; leave the model out or give its column")
    return {str(name): array for name, array in values.items()}


def _score_values(values: Any, place: str) -> tuple[Any, tuple[Label, ...] | None]:
    """Scores and, where the columns are named by class, those classes."""
    if isinstance(values, Mapping):
        if not values:
            raise InputError(f"{place} is an empty mapping; pass an array, or {{class: array}}")
        classes = tuple(plain_label(c, f"a class in {place}") for c in values)
        return np.stack([np.asarray(v) for v in values.values()], axis=1), classes
    return values, None


def _named_fitted(fitted: Any, X: Any) -> Mapping[str, Any]:
    if fitted is None:
        if X is not None:
            raise InputError("X= was given without fitted=; X is what fitted models predict from")
        return {}
    if X is None:
        raise InputError("fitted= needs X=, the rows to predict")
    if isinstance(fitted, Mapping):
        return {str(name): model for name, model in fitted.items()}
    return {type(fitted).__name__: fitted}
