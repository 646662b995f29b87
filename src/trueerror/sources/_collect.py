"""te.predictions: from arrays, series and fitted models to rows in memory, every check of what was given made once.

`build` takes what was given, of arrays or of the columns of a table (`given_rows`); `takes_table_options` is for
functions that take arrays, and options of te.read beside a path or a table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from functools import wraps
from itertools import dropwhile, takewhile
from numbers import Real
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import (
    Array,
    ArrayLike,
    WeightsKind,
    check_indexes,
    column,
    matrix,
    missing_rows,
    on_device,
    same_length,
    score_array,
    weight_column,
)
from trueerror.inputs._labels import (
    Coded,
    Label,
    any_missing,
    check_labels,
    code_column,
    find_label,
    merge_answers,
    natural_labels,
    plain_label,
    recode,
    with_declared,
)
from trueerror.inputs._options import InputError, MissingPredictionError, check_word, in_few_words
from trueerror.inputs._words import CallForm, answered, read_once
from trueerror.results import Interval, Result
from trueerror.sources._keys import fold_keys, id_column, key_column, rounds_of
from trueerror.sources._models import (
    X_WORDS,
    Y_WORDS,
    arranged,
    group_columns,
    intersections,
    is_columns,
    is_estimator,
    is_estimators,
    models_given,
    named_fitted,
    needs_rows,
    one_after_the_other,
    sorted_columns,
)
from trueerror.sources._models import GivenModel as GivenModel
from trueerror.sources._models import read_fitted as read_fitted
from trueerror.sources._predictions import (
    KEY_OPTIONS,
    KINDS,
    Facts,
    KeyKind,
    ModelFacts,
    Predictions,
    Source,
    Threshold,
    absent_notes,
    apply_threshold,
)
from trueerror.sources._predictions import ONE_MODEL as ONE_MODEL
from trueerror.sources._table_types import is_lazy, is_table
from trueerror.sources._tables import InputTable, Layout, Options
from trueerror.sources.engines._array_source import ArraySource, KeyColumn, ModelColumns, count_absent
from trueerror.sources.engines._device_source import device_source
from trueerror.tallies import Missing

Made = TypeVar("Made", bound=Callable[..., Any])
# Arguments by name, of any type.
Given = dict[str, Any]


# What te.predictions takes of rows, and hands on to no verb.
ROW_OPTIONS = (
    "labels", "positive", "ids", "clusters", "by", "folds", "repeats", "weights", "weights_kind", "missing"
)  # fmt: skip


def takes_table_options(make: Made) -> Made:
    """A function of rows, whose `**columns` are options of te.read: others are refused, with the nearest one named.

    Fitted models with X and y in the place of the rows are asked first, and columns beyond those that the function
    takes are further models: see `sources._models`.
    `truth=` goes on as `truth_column=` where the first argument is given by its place: it may be called truth as well.

    >>> @takes_table_options
    ... def rows(truth, **columns):
    ...     return truth, columns
    >>> rows("rows.csv", truth="y"), rows(truth=[0, 1])
    (('rows.csv', {'truth_column': 'y'}), ([0, 1], {}))
    >>> rows("rows.csv", truht="y")
    Traceback (most recent call last):
    trueerror.inputs._words.CallError: te.rows has no option truht=; did you mean truth=?
    """
    form = CallForm(make)

    @wraps(make)
    def called(*args: Any, **options: Any) -> Any:
        args, options = read_once(args, options)
        if args and isinstance(args[0], Real):
            raise InputError(f"te.{form.name} judges rows, and a number is none; {OF_NUMBERS.get(form.name, OF_ONE)}")
        if args and form.places[1:2] == ["predicted"] and is_table(args[0]):
            args = _named_columns(args, options)
        if not form.own.issuperset(options) or _names_columns(options.get("scores")):
            options = _in_our_words(form, args, options)
        if len(args) == 1 and not {"predicted", "scores", "fitted"}.intersection(options):
            _refuse_counts(args[0], form.name)
        args = _asked_first(args, options, form.name)
        if len(args) > len(form.places):
            args = _further_models(args, options, len(form.places), form.name)
        if args and "truth" in options:
            options["truth_column"] = options.pop("truth")
        return answered(make, *form.checked(args, options))

    called.__dict__["speaks"] = True
    return cast("Made", called)


OF_ONE = "te.interval(45, 50) takes 45 right of 50"
# Where numbers go that were given in the place of rows.
OF_NUMBERS = {
    "compare": 'counts={"both": 59, "a": 6, "b": 16, "neither": 80} takes four counts of the same rows, '
    'marginals={"a": (456, 500), "b": (445, 500)} two shares of them; te.difference((456, 500), (445, 500)) is for '
    "different rows",
}


def _names_columns(value: object) -> bool:
    """Whether an option names columns: a name, or one for each model."""
    several = isinstance(value, Mapping) and bool(value)
    return isinstance(value, str) or (
        several and all(isinstance(v, str) for v in cast("Mapping[Any, Any]", value).values())
    )


def _named_columns(args: tuple[object, ...], options: dict[str, object]) -> tuple[object, ...]:
    """`(table, "y", "pred")` and `predicted="pred"` as the options of te.read that name columns of the table."""
    table, *rest = args
    texts = 0 < len(rest) <= 2 and all(isinstance(name, str) for name in rest)
    if "truth" not in options and texts and {*rest} <= {str(name) for name in getattr(table, "columns", ())}:
        options.update(zip(("truth", "label"), rest, strict=False))
        args = (table,)
    if len(args) == 1 and isinstance(options.get("predicted"), str) and "label" not in options:
        options["label"] = options.pop("predicted")
    return args


def _refuse_counts(given: object, verb: str) -> None:
    """A confusion matrix in the place of rows: a square table of counts whose rows and columns are classes."""
    if isinstance(given, list | tuple) and 1 < len(given) <= 50 and all(isinstance(row, list) for row in given):
        given = np.array(given) if len({len(row) for row in given}) == 1 else given
    # An engine would count its rows to say what shape they have.
    shape: tuple[int, ...] = () if is_lazy(given) else getattr(given, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2:
        return
    index, names = getattr(given, "index", None), getattr(given, "columns", None)
    if names is not None and (index is None or list(index) != list(names)):
        return
    cells = np.asarray(given)
    if cells.dtype.kind in "iu" and (cells >= 0).all() and cells.max() > 1:
        raise InputError(f"this looks like a confusion matrix: te.{verb}(te.Confusion(matrix)) takes its counts")


def _in_our_words(form: CallForm, args: tuple[object, ...], options: Given) -> Given:
    """The options by our names: those of the function, and those of te.read, or of rows and fitted models."""
    # te.read itself is made of parts that take tables.
    from trueerror.sources._api import READ_OPTIONS

    table = bool(args) and _is_table_like(args[0])
    given = {option_word(option): value for option, value in options.items()}
    rows = () if table else (*ROW_OPTIONS, "predicted", "scores", *X_WORDS, *Y_WORDS) if _of_rows(form, args) else ()
    # Columns and fitted models take no place of the function's own beyond the first.
    positional = (
        args if table else (*args[:1], *dropwhile(lambda thing: is_columns(thing) or is_estimator(thing), args[1:]))
    )
    positional = positional if _of_rows(form, args) else args
    out = form.translated(positional, given, (*rows, *READ_OPTIONS), hints=table)
    if table and "predicted" in form.own and _names_columns(out.get("scores")):
        out["score"] = out.pop("scores")
    return out


def _of_rows(form: CallForm, args: tuple[object, ...]) -> bool:
    """Whether columns or fitted models stand where the function itself takes rows as one thing."""
    return bool(args) and (is_estimators(args[0]) or "predicted" not in form.own)


def takes_whole_rows(
    *names: str, room: str = "te", hands_on_to: Callable[..., Any] | None = None
) -> Callable[[Made], Made]:
    """The same for a function that takes rows as one thing (`te.gate`, `te.report`): columns are made Predictions.

    `names` are what models are called that are passed one after the other; `hands_on_to` is the function that further
    options go to.

    >>> @takes_whole_rows("candidate", "baseline")
    ... def judge(rows, **columns):
    ...     return rows.models
    >>> judge([0, 1], [0, 1], [1, 1]), judge([0, 1], {"new": [0, 1]})
    (('candidate', 'baseline'), ('new',))
    """

    def decorate(make: Made) -> Made:
        form = CallForm(make, room=room, hands_on_to=hands_on_to)

        @wraps(make)
        def called(*args: Any, **options: Any) -> Any:
            args, options = read_once(args, options)
            if not form.own.issuperset(options):
                options = _in_our_words(form, args, options)
            args = _asked_first(args, options, form.name)
            has_answers = "scores" in options or "predicted" in options
            if args and isinstance(options.get("candidate"), str):
                options["model"] = options.pop("candidate")
            if args and is_columns(args[0]) and not _is_table_like(args[0]) and (has_answers or len(args) > 1):
                answers = list(takewhile(is_columns, args[1:]))
                n_positional = len(answers)
                answers += [options.pop(name) for name in names[n_positional:] if is_columns(options.get(name))]
                if answers or has_answers:
                    if len(answers) == len(names) > 1:
                        columns: object = dict(zip(names, answers, strict=True))
                    else:
                        columns = one_after_the_other(answers) if len(answers) > 1 else answers[0] if answers else None
                    given: Given = {} if columns is None else {"predicted": columns}
                    given |= {o: options.pop(o) for o in ("predicted", "scores", *ROW_OPTIONS) if o in options}
                    rows = predictions(args[0], **given)
                    args = (rows, *args[1 + n_positional :])
            if args and "truth" in options:
                options["truth_column"] = options.pop("truth")
            return answered(make, *form.checked(args, options))

        called.__dict__["speaks"] = True
        return cast("Made", called)

    return decorate


def _is_table_like(thing: object) -> bool:

    return isinstance(thing, Predictions) or is_openable(thing)


def _asked_first(args: tuple[object, ...], options: dict[str, object], verb: str) -> tuple[object, ...]:
    """Fitted models with X and y as what they say of those rows."""
    arrangement = arranged(args, options, verb)
    if arrangement is None:
        return args
    check_indexes({"X": arrangement.columns["X"], "y": arrangement.truth})
    given: Given = {option: options.pop(option) for option in ROW_OPTIONS if option in options}
    return (predictions(arrangement.truth, **arrangement.columns, **given), *arrangement.rest)


def _further_models(args: tuple[object, ...], options: dict[str, object], places: int, verb: str) -> tuple[object, ...]:
    """Columns beyond the second: labels and scores of one model, or several models one after the other."""
    answers = args[1:]
    if places != 2 or _is_table_like(args[0]) or not all(is_columns(c) and not isinstance(c, Mapping) for c in answers):
        raise InputError(
            f"te.{verb} takes {places} thing{'s' * (places > 1)} by position, not {len(args)}: several models go into "
            'one mapping, {"a": …, "b": …}, and options have names'
        )
    are_scores = [sorted_columns(args[0], c, None).predicted is None for c in answers]
    if are_scores == [False, True] and "scores" not in options:
        options["scores"] = answers[1]
        return args[:2]
    return (args[0], one_after_the_other(answers))


@takes_table_options
def predictions(
    truth: ArrayLike, predicted: ArrayLike = None, *, scores: ArrayLike = None, fitted: object = None,
    X: object = None, labels: Iterable[object] | None = None, positive: object = None, ids: ArrayLike = None,
    clusters: ArrayLike = None, time: ArrayLike = None,
    by: ArrayLike = None, folds: ArrayLike = None, repeats: ArrayLike = None, weights: ArrayLike = None,
    weights_kind: WeightsKind | None = None, missing: Missing = "error",
    threshold: Threshold = None, **columns: object,
) -> Predictions:  # fmt: skip
    """The truth and what any number of models said of the same rows.

    Labels go in `predicted`, scores in `scores` (higher = more positive; (n, K) columns follow the label order), each
    an array or {"name": array}; `fitted={"name": model}` with `X` asks fitted models themselves. Rows match by
    position. A path, or a whole table of any kind that te.read takes, may stand alone in the place of the truth; then
    `clusters`, `by` and the like name its columns, and `columns` are further options of te.read (`truth="y"`,
    `models=`, `budget=`). A model with labels and scores is judged by its labels, unless
    a `threshold` says to cut its scores: at or above it a row is positive. Scores of 32 bits are compared as the
    doubles that they are, and 0.7 in 32 bits is 0.69999998…, below 0.7: `threshold=float(np.float32(0.7))` cuts there.

    >>> p = predictions(["b", "a", "b"], scores={"svm": [0.9, 0.2, 0.4]}, positive="b")
    >>> print(p)
    3 rows, 2 b (positive), 1 model with scores: svm.
    >>> p.confusion("svm").matrix.tolist()
    [[1, 0], [1, 1]]
    """
    # A whole table in the place of the truth: its columns say what they are, and options may name them.
    alone = predicted is None and scores is None and fitted is None
    if alone and (isinstance(truth, Predictions) or is_openable(truth)):
        usual = isinstance(missing, str) and missing == "error"
        return opened(
            truth, labels=labels, positive=positive, id=ids, cluster=clusters, time=time, by=by, fold=folds,
            repeat=repeats, weight=weights, weights_kind=weights_kind, missing=None if usual else missing,
            threshold=threshold, **columns,
        )  # fmt: skip
    if columns:
        refuse_columns(columns)
    if isinstance(truth, Result) and not isinstance(truth, Predictions):
        shares = ", or of two shares te.difference(first, second)" if isinstance(truth, Interval) else ""
        raise InputError(
            f"rows are needed here, not {in_few_words(truth)}: pass what te.predictions or te.read gave, or the "
            f"arrays{shares}"
        )
    if is_estimators(truth):
        raise needs_rows(truth, "evaluate")
    sorted_out = sorted_columns(truth, predicted, scores)
    models = models_given(sorted_out.predicted, sorted_out.scores)
    for name, model in named_fitted(fitted, X).items():
        if name in models:
            raise InputError(f"{name!r} is in fitted= and also in predicted or scores=; give each model once")
        models[name] = read_fitted(name, model, X)
    several = group_columns(by)
    by = by if several is None else intersections(several)
    keys: dict[KeyKind, object] = {
        **cluster_columns(clusters), "times": time, "slices": by, "folds": folds, "repeats": repeats
    }  # fmt: skip
    alone = all(v is None for v in (ids, *keys.values(), weights, weights_kind))
    device_rows = alone and on_device(truth) and device_source(
        truth, models, labels=None if labels is None else list(labels), positive=positive, missing=missing,
        threshold=threshold,
    )  # fmt: skip
    source: Source = device_rows or build(GivenRows(
        truth=truth, models=models, labels=labels, positive=positive, ids=ids, weights=weights,
        keys={kind: values for kind, values in keys.items() if values is not None}, weights_kind=weights_kind,
        missing=missing, threshold=threshold, places={"slices": "by"},
    ))  # fmt: skip
    given = (truth, *_arrays(predicted), *_arrays(scores))
    notes = (*sorted_out.notes, *absent_notes(source.facts).values())
    return Predictions(source=source, notes=notes, backend=frame_library(given))


def frame_library(values: Iterable[object]) -> str | None:
    """The data frame library of the first column that has one."""
    for value in values:
        library = type(value).__module__.split(".")[0]
        if library in ("pandas", "polars", "pyarrow"):
            return library
    return None


def _arrays(values: ArrayLike) -> list[object]:
    return list(values.values()) if isinstance(values, Mapping) else [values]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRows:
    """Everything that was given, with how to call each part in a message."""

    truth: ArrayLike
    models: Mapping[str, GivenModel]
    labels: Iterable[object] | None = None
    positive: object = None
    ids: ArrayLike = None
    keys: Mapping[KeyKind, object] = field(default_factory=dict)
    weights: ArrayLike = None
    weights_kind: WeightsKind | None = None
    missing: Missing = "error"
    threshold: Threshold = None
    places: Mapping[str, str] = field(default_factory=dict)
    name: str = ""


def build(given: GivenRows) -> ArraySource:
    """Checked and coded rows."""
    check_word(given.missing, ("error", "wrong", "drop"), "missing")
    if not given.models:
        raise InputError(
            "there is no model: pass labels in predicted, or scores in scores=; an experiment has .estimate()"
        )
    place = given.places.get("truth", "truth")
    if given.ids is None:
        check_indexes({place: given.truth, **_as_given(given)})
    truth = _coded_truth(given.truth, place)
    n = len(truth.codes)
    parts = {name: _read_model(model, given.missing) for name, model in given.models.items()}
    lengths: dict[str, Sized] = {place: truth.codes}
    for name, (coded, scores) in parts.items():
        model = given.models[name]
        lengths |= {model.place_of_labels: coded.codes} if coded is not None else {}
        lengths |= {model.place_of_scores: scores} if scores is not None else {}
    keyed = _key_columns(given)
    lengths |= {given.places.get(kind, kind): codes.codes for kind, codes in keyed.items()}
    same_length(lengths)
    labels, declared = _label_order(given, place, truth, parts)
    if not declared and given.positive is not None:
        known, labels = labels, with_declared(labels, given.positive)
        declared = labels != known
    ids = None
    if given.ids is not None:
        ids = column(given.ids, given.places.get("ids", "ids"))
        same_length({place: truth.codes, "ids": ids})
        if (
            "folds" in keyed
            and "repeats" not in keyed
            and (rounds := rounds_of(ids, keyed["folds"].codes, truth.codes)) is not None
        ):
            keyed |= {"repeats": KeyColumn(*rounds), "folds": KeyColumn(*fold_keys(rounds, keyed["folds"]))}
        repeats = keyed["repeats"].codes if "repeats" in keyed else None
        ids = id_column(ids, repeats, given.places.get("ids", "ids"))
    weights = None
    if given.weights is not None:
        weights = weight_column(given.weights, given.weights_kind)
        same_length({place: truth.codes, "weights": weights})
    elif given.weights_kind is not None:
        raise InputError(f"weights_kind={given.weights_kind!r} was given without weights")
    columns: dict[str, ModelColumns] = {}
    for name, (coded, scores) in parts.items():
        model = given.models[name]
        codes = None if coded is None else recode(coded, labels, model.place_of_labels)
        columns[name] = ModelColumns(codes, None if scores is None else _in_label_order(scores, model, labels))
    facts = Facts(
        n=n, labels=labels, chosen=None if given.positive is None else find_label(given.positive, labels),
        models=model_facts(columns, given.threshold), declared=declared,
        kinds=tuple(kind for kind in KINDS if kind in keyed), has_ids=ids is not None,
        weights_kind=given.weights_kind, missing=given.missing,
    )  # fmt: skip
    return ArraySource(
        facts=facts, truth=recode(truth, labels, place), columns=columns, keyed=keyed, ids=ids, weights=weights,
        name=given.name,
    )  # fmt: skip


def model_facts(columns: Mapping[str, ModelColumns], threshold: Threshold) -> tuple[ModelFacts, ...]:
    """What is known of each model, with its threshold where one was given."""
    models = []
    for name, (labels, scores) in columns.items():
        shape: Literal["none", "one", "each"] = "none" if scores is None else "one" if scores.ndim == 1 else "each"
        absent, unlabelled = count_absent(columns[name])
        models.append(
            ModelFacts(name=name, has_labels=labels is not None, scores=shape, absent=absent, unlabelled=unlabelled)
        )
    return apply_threshold(models, threshold)


def _as_given(given: GivenRows) -> dict[str, object]:
    columns: dict[str, object] = {}
    for model in given.models.values():
        columns |= {} if model.labels is None else {model.place_of_labels: model.labels}
        columns |= {} if model.scores is None else {model.place_of_scores: model.scores}
    columns |= {given.places.get(kind, kind): values for kind, values in given.keys.items()}
    return columns if given.weights is None else columns | {"weights": given.weights}


def one_hot(values: ArrayLike) -> Coded | None:
    """Classes written as a column each, with one 1 in every row; None where the values are not.

    >>> one_hot(np.array([[0, 1], [1, 0]])).codes.tolist()
    [1, 0]
    """
    if len(getattr(values, "shape", ())) != 2:
        return None
    array = matrix(values, "truth")
    if array.shape[1] < 2 or array.dtype.kind not in "biuf" or not (((array == 0) | (array == 1)).all()):
        return None
    if not (array.sum(axis=1) == 1).all():
        return None
    names = getattr(values, "columns", range(array.shape[1]))
    return Coded(array.argmax(axis=1), tuple(plain_label(name) for name in names))


def _coded_truth(values: ArrayLike, place: str) -> Coded:
    written_out = one_hot(values)
    if written_out is not None:
        return written_out
    array = column(values, place)
    if len(array) == 0:
        raise InputError(f"{place} is empty: there are no rows to count")
    coded = code_column(array, place)
    if any_missing(coded.codes):
        gone = coded.codes < 0
        row = int(np.argmax(gone)) + 1
        raise InputError(
            f"{place} is missing at row {row:,} ({int(gone.sum()):,} in all); a row without a truth cannot be "
            "counted: leave it out of the input (missing= is about predictions), or see te.ppi for a judge of all rows"
        )
    return coded


def _read_model(model: GivenModel, missing: Missing) -> tuple[Coded | None, Array | None]:
    coded = scores = None
    if model.labels is not None:
        place = model.place_of_labels
        coded = code_column(column(model.labels, place), place)
        if any_missing(coded.codes):
            _refuse_absent(coded.codes < 0, place, missing)
    if model.scores is not None:
        scores = scores_with_gaps(model.scores, model.place_of_scores, missing)
    return coded, scores


def _refuse_absent(gone: NDArray[np.bool_], place: str, missing: Missing) -> None:
    if missing == "error" and gone.any():
        raise MissingPredictionError(
            f"{place} is missing at row {int(np.argmax(gone)) + 1:,} ({int(gone.sum()):,} in all); say what to do "
            'with missing="wrong" (they count as errors) or missing="drop" (they are left out)'
        )


def scores_with_gaps(values: ArrayLike, place: str, missing: Missing) -> Array:
    """Scores with NaN where one is absent; an absent one is an error unless `missing` says otherwise."""
    array = matrix(values, place)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.dtype.kind == "f":
        # The sum is NaN whenever a part is, and cheaper than a mask.
        with np.errstate(invalid="ignore", over="ignore"):
            suspect = np.isnan(array.sum())
        gone = np.isnan(array) if suspect else np.zeros(0, dtype=bool)
    else:
        gone = missing_rows(array.reshape(-1)).reshape(array.shape)
    if not gone.any():
        return score_array(array, place)
    _refuse_absent(_by_row(gone), place, missing)
    filled = array.copy()
    filled[gone] = 0
    scores = score_array(filled, place)
    scores = scores.copy() if scores is filled else scores
    scores[gone] = np.nan
    return scores


def _by_row(gone: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return gone if gone.ndim == 1 else np.logical_or.reduce(gone, axis=1)


def cluster_columns(clusters: object, *, of_table: bool = False) -> dict[KeyKind, object]:
    """The column of clusters, or the two of rows that belong to a user and to an item at once."""
    several = list((group_columns(clusters, of_table=of_table) or {"": clusters}).values())
    if len(several) > 2:
        raise InputError(f"clusters= has {len(several)} columns, and rows can belong to two keys at once: name two")
    return dict(zip(cast("tuple[KeyKind, ...]", ("clusters", "crossed")), several, strict=False))


def _key_columns(given: GivenRows) -> dict[KeyKind, KeyColumn]:
    keyed: dict[KeyKind, KeyColumn] = {}
    for kind in KINDS:
        values = given.keys.get(kind)
        if values is not None:
            place = given.places.get(kind, KEY_OPTIONS[kind][0])
            keyed[kind] = KeyColumn(*key_column(values, place, gaps=kind == "slices"))
    if "times" in keyed:
        keyed.setdefault("clusters", keyed["times"])
    if "folds" in keyed and "repeats" in keyed:
        same_length({kind: keyed[kind].codes for kind in ("folds", "repeats")})
        keyed["folds"] = KeyColumn(*fold_keys(keyed["repeats"], keyed["folds"]))
    return keyed


def _label_order(
    given: GivenRows, place: str, truth: Coded, parts: Mapping[str, tuple[Coded | None, Array | None]]
) -> tuple[tuple[Label, ...], bool]:
    if given.labels is not None:
        return check_labels(given.labels), True
    seen: dict[str, tuple[Label, ...]] = {place: truth.values}
    for name, (coded, _) in parts.items():
        model = given.models[name]
        seen |= {} if coded is None else {model.place_of_labels: coded.values}
        seen |= {} if model.classes is None else {f"the classes of {name!r}": model.classes}
    return natural_labels(merge_answers(seen)), False


def _in_label_order(scores: Array, model: GivenModel, labels: tuple[Label, ...]) -> Array:
    """(n, K) scores with their columns in the label order."""
    if scores.ndim == 1:
        return scores
    place = model.place_of_scores
    if model.classes is None:
        # A frame whose columns are called as the labels says more than their positions.
        named = [str(name) for name in getattr(model.scores, "columns", ())]
        if sorted(named) == sorted(map(str, labels)):
            return scores[:, [named.index(str(label)) for label in labels]]
        if scores.shape[1] != len(labels):
            raise InputError(
                f"{place} has {scores.shape[1]} columns but there are {len(labels)} labels; columns follow the label "
                "order, one for each: pass labels= if the truth lacks some, or a frame with the classes as columns"
            )
        return scores
    if len(model.classes) != scores.shape[1]:
        raise InputError(f"{place} has {scores.shape[1]} columns for {len(model.classes)} classes")
    position = {find_label(c, labels, place): i for i, c in enumerate(model.classes)}
    lacking = next((v for v in labels if v not in position), None)
    if lacking is None:
        return scores[:, [position[v] for v in labels]]
    if model.fill is None:
        raise InputError(f"{place} has no column for {lacking!r}; give one for each label")
    filled = np.full((len(scores), len(labels)), model.fill, dtype=scores.dtype)
    for i, label in enumerate(labels):
        if label in position:
            filled[:, i] = scores[:, position[label]]
    return filled


def given_rows(table: InputTable, layout: Layout, options: Options) -> GivenRows:
    """The columns of a wide table, each with its place for messages."""

    def place(column: str) -> str:
        return f"column {column!r} of {table.name}"

    models = {}
    for name, model in layout.models.items():
        scores: ArrayLike = None
        classes = None
        at = place(model.label or name)
        if model.score is not None:
            scores, at = table.values(model.score), place(model.score)
        elif model.class_scores is not None:
            classes = tuple(model.class_scores)
            scores = np.stack([table.values(c) for c in model.class_scores.values()], axis=1)
            at = f"the scores of {name} in {table.name}"
        models[name] = GivenModel(
            labels=None if model.label is None else table.values(model.label),
            scores=scores,
            classes=classes,
            place_of_labels=place(model.label or name),
            place_of_scores=at,
        )
    places: dict[str, str] = {"truth": place(layout.truth)}
    places |= {} if layout.id is None else {"ids": place(layout.id)}
    places |= {str(kind): place(column) for kind, column in layout.keys.items()}
    return GivenRows(
        truth=table.values(layout.truth),
        models=models,
        labels=options.labels,
        positive=options.positive,
        ids=None if layout.id is None else table.values(layout.id),
        keys={kind: table.values(column) for kind, column in layout.keys.items()},
        weights=None if layout.weight is None else table.values(layout.weight),
        weights_kind=options.weights_kind,
        missing=options.missing,
        threshold=options.threshold,
        places=places,
        name=table.provenance,
    )


def is_openable(source: object) -> bool:
    """Whether te.read takes this: a path, a list of paths, a mapping of columns, or a table that is lazy or not.

    >>> is_openable("rows.parquet"), is_openable(["jan.csv", "feb.csv"]), is_openable({"truth": [0, 1], "svm": [0, 1]})
    (True, True, True)
    >>> is_openable(["cat", "dog"]), is_openable([0, 1])
    (False, False)
    """
    if isinstance(source, str | os.PathLike):
        return True
    if isinstance(source, list | tuple):
        from trueerror.sources._paths import names_files

        return names_files(source) or (len(source) > 0 and all(isinstance(row, Mapping) for row in source))
    if isinstance(source, Mapping):
        # Curves by name are no columns.
        columns = (hasattr(v, "__len__") and not isinstance(v, Result | Predictions) for v in source.values())
        return bool(source) and all(columns)
    return is_table(source)


def opened(source: object, *, positive: object = None, **columns: Any) -> Predictions:
    """Predictions as they are, and tables read: `columns` say how, and are refused where the rows were read already.

    >>> p = opened({"truth": [0, 1, 1], "svm": [0, 1, 0]})
    >>> opened(p) is p
    True
    """
    named = {option_word(option): value for option, value in columns.items() if value is not None}
    if not isinstance(source, Predictions):
        from trueerror.sources._api import read

        return read(source, positive=positive, **named)
    # Some of the models, by their names, need no reading.
    chosen = named.get("models")
    names = [chosen] if isinstance(chosen, str) else chosen if isinstance(chosen, list | tuple) else []
    if names and all(name in source.models for name in names):
        source, named = source.select(names), {k: v for k, v in named.items() if k != "models"}
    if named:
        raise InputError(
            f"{next(iter(named))}= says how to read a table, but these predictions were read already: give it to "
            "te.read or te.predictions"
        )
    return source if positive is None else source.with_positive(positive)


def option_word(option: str) -> str:
    """An option by the name that te.read has for it."""
    return "truth" if option == "truth_column" else option


def refuse_columns(columns: Mapping[str, object]) -> None:
    """Options of te.read say nothing where no table is read."""
    named = next((option for option, value in columns.items() if value is not None), None)
    if named is not None:
        raise InputError(f"{option_word(named)}= says how to read a file or a table, but none was given")
