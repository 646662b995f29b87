"""Models as people have them, sorted out in one place for every verb: fitted estimators with X and y, labels, scores, a
matrix of probabilities, a frame whose columns are classes or models, several columns one after the other.

`arranged` brings what was passed by position into the form that the verbs take; `sorted_columns` says which of the
columns are labels and which are scores; `read_fitted` asks a fitted model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import (
    Array,
    ArrayLike,
    Foreign,
    column,
    on_device,
    same_length,
)
from trueerror.inputs._labels import Label, code_column, natural_labels, plain_label
from trueerror.inputs._options import InputError, in_few_words
from trueerror.kernels._device import distinct_values, shared
from trueerror.results import Result
from trueerror.sources._keys import key_column
from trueerror.sources._predictions import ONE_MODEL
from trueerror.sources._table_types import is_lazy, is_table

# What columns one after the other are called, where nothing names them.
ORDINALS = ("first", "second", "third")
# Where fitted models may have their rows.
X_WORDS, Y_WORDS = ("X", "X_test"), ("y", "y_test", "y_true")

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenModel:
    """One model as it was given. `classes` says whose scores the columns are; None: the label order.

    `fill` is the score of a class that the model has never seen, where that can be said.
    """

    labels: object = None
    scores: ArrayLike = None
    classes: tuple[Label, ...] | None = None
    fill: float | None = None
    place_of_labels: str = "predicted"
    place_of_scores: str = "scores"


def is_estimator(thing: object) -> bool:
    """Whether this is a model that can be asked: anything with scikit-learn's predict, or a function of X.

    >>> is_estimator(abs), is_estimator([0, 1]), is_estimator("model.csv")
    (True, False, False)
    """
    if isinstance(thing, type | str | Result | np.ndarray) or is_table(thing):
        return False
    return callable(getattr(thing, "predict", None)) or (callable(thing) and not hasattr(thing, "__array__"))


def is_estimators(thing: object) -> bool:
    """Whether this is one model that can be asked, or several: {"name": model}, a list of them, or of named ones."""
    if isinstance(thing, Mapping):
        return bool(thing) and all(is_estimator(v) for v in thing.values())
    if isinstance(thing, list | tuple):
        return bool(thing) and all(is_estimator(v) or _is_step(v) for v in thing)
    return is_estimator(thing)


def _is_step(thing: object) -> bool:
    """("name", estimator), as the steps of a pipeline and the members of a vote are written."""
    return isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], str) and is_estimator(thing[1])


def named_estimators(models: object) -> dict[str, Foreign]:
    """Models by name; those without one are called by their type, or by that of the last step of their pipeline.

    >>> class Tree:
    ...     def predict(self, X): return X
    >>> list(named_estimators([Tree(), Tree()])), list(named_estimators({"a": Tree()}))
    (['Tree', 'Tree 2'], ['a'])
    """
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    named: dict[str, Foreign] = {}
    each: Sequence[Foreign] = models if isinstance(models, list | tuple) else [models]
    for model in each:
        name, model = model if _is_step(model) else (estimator_name(model), model)
        again = 2
        while (name if again == 2 else f"{name} {again - 1}") in named:
            again += 1
        named[name if again == 2 else f"{name} {again - 1}"] = model
    return named


def estimator_name(model: Foreign) -> str:
    """The name of a model's type; of a pipeline that of its last step, of a function its own."""
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps and isinstance(steps[-1], tuple):
        return estimator_name(steps[-1][-1])
    return str(getattr(model, "__name__", type(model).__name__)).strip("<>")


class Arranged(NamedTuple):
    """The truth and what was said of it, out of what was passed by position; `rest` are the other arguments."""

    truth: ArrayLike
    columns: dict[str, Any]
    rest: tuple[object, ...]


def arranged(args: Sequence[object], options: dict[str, Any], verb: str) -> Arranged | None:
    """Fitted models with X and y, taken out of the arguments of a verb; None where there are none.

    >>> class Coin:
    ...     def predict(self, X): return X
    >>> made = arranged((Coin(), [[0], [1]], [0, 1], "page.html"), {}, "report")
    >>> made.truth, list(made.columns["fitted"]), made.columns["X"], made.rest
    ([0, 1], ['Coin'], [[0], [1]], ('page.html',))
    """
    if not args or not is_estimators(args[0]):
        return None
    leading = list(takewhile(is_estimator, args))
    models = leading if len(leading) > 1 else args[0]
    given = list(args[max(1, len(leading)) :])
    taken = []
    for words in (X_WORDS, Y_WORDS):
        named = [w for w in words if options.get(w) is not None]
        if named:
            taken.append(options.pop(named[0]))
        elif given and not isinstance(given[0], str):
            taken.append(given.pop(0))
    if len(taken) < 2:
        return None
    X, truth = taken
    shapes = [np.ndim(x) if isinstance(x, list | tuple) else len(getattr(x, "shape", (0,))) for x in (X, truth)]
    if shapes[0] == 1 and shapes[1] == 2:
        raise InputError(f"X and y seem to be swapped: te.{verb}(model, X, y) has the rows first, then their truth")
    return Arranged(truth, {"fitted": named_estimators(models), "X": X}, tuple(given))


def needs_rows(model: object, verb: str) -> InputError:
    """What to say where a fitted model stands alone."""
    name = ", ".join(list(named_estimators(model))[:3])
    return InputError(
        f"{name} can be judged on rows that it was not fitted on: te.{verb}(model, X_test, y_test); "
        "te.experiment(model, X, y) fits and tests it on folds"
    )


def is_columns(thing: object) -> bool:
    """Whether this can be what models said: a column, a matrix, a frame of columns, or {"name": column}."""
    if isinstance(thing, Mapping):
        return bool(thing) and all(is_columns(v) for v in thing.values())
    if isinstance(thing, str | bytes | Result) or thing is None or is_lazy(thing) or is_estimator(thing):
        return False
    return hasattr(thing, "__len__") and not callable(thing)


def one_after_the_other(columns: Sequence[object]) -> dict[str, object]:
    """Several models' columns by name: their own where each has one, else first, second, third, model 4."""
    names = [getattr(c, "name", None) for c in columns]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        names = [ORDINALS[i] if i < len(ORDINALS) else f"model {i + 1}" for i in range(len(columns))]
    return dict(zip(map(str, names), columns, strict=True))


class Sorted(NamedTuple):
    """Which columns are labels and which are scores; `notes` say what was taken for scores."""

    predicted: ArrayLike
    scores: ArrayLike
    notes: tuple[str, ...] = ()


def sorted_columns(truth: ArrayLike, predicted: ArrayLike, scores: ArrayLike) -> Sorted:
    """Columns of `predicted` that cannot be labels moved to the scores, and frames taken apart.

    A column is scores where it has several columns of its own or decimals, which no label has. The columns of a
    frame are one model's scores by class where they are called as the classes, else models.

    >>> made = sorted_columns([0, 1, 1], [0.2, 0.9, 0.4], None)
    >>> made.predicted, made.scores
    (None, [0.2, 0.9, 0.4])
    """
    predicted, scores = _taken_apart(truth, predicted), _taken_apart(truth, scores)
    if predicted is None:
        return Sorted(None, scores)
    alone = not isinstance(predicted, Mapping)
    columns: Mapping[str, object] = predicted if isinstance(predicted, Mapping) else {ONE_MODEL: predicted}
    moved = {name: c for name, c in columns.items() if scores is None and is_scores(c)}
    if not moved:
        return Sorted(predicted, scores)
    if len(columns) > 1 and "float" not in _kind_of(truth):
        # Beside scores, floats of another model are scores as well, also where all of them are 0 or 1.
        moved = {name: c for name, c in columns.items() if name in moved or "float" in _kind_of(c)}
    kept = {name: c for name, c in columns.items() if name not in moved}
    plain = [str(name) for name, c in moved.items() if not isinstance(c, Mapping) and not _is_matrix(c)]
    words = "The numbers in " + ("predicted" if alone else ", ".join(plain))
    notes = (f"{words} are no labels of the truth, so they are taken as scores.",) if plain else ()
    return Sorted(kept or None, predicted if alone else moved, notes)


def _kind_of(values: object) -> str:
    return str(getattr(values, "dtype", "")).lower()


def _is_matrix(values: object) -> bool:
    """Whether there are several columns."""
    shape = getattr(values, "shape", None)
    if shape is None and isinstance(values, list | tuple) and len(values) and isinstance(values[0], list | tuple):
        shape = (len(values), len(values[0]))
    return shape is not None and len(shape) == 2 and shape[1] > 1


def _taken_apart(truth: ArrayLike, values: Foreign) -> ArrayLike:
    """A frame, or a list of arrays, as {model: column} or as one model's {class: column}; lazy ones are collected."""
    values = values.collect() if type(values).__name__ == "LazyFrame" else values
    if is_table(values) and not is_lazy(values):
        if len(names := _column_names(values)) < 2:
            return values
        return _classes_or_models(truth, {n: _frame_column(values, n) for n in names}, values)
    if isinstance(values, Result):
        raise InputError(f"predicted must be an array, not {in_few_words(values)}")
    if isinstance(values, Mapping):
        return _classes_or_models(truth, values, values)
    if isinstance(values, list | tuple) and len(values) > 1 and all(_is_whole_column(v) for v in values):
        # Lists are rows where there are as many as rows; fewer of them, each as long as the truth, are models.
        rows = {len(v) for v in values}
        if len(rows) == 1 and rows == {_length(truth)} and rows != {len(values)}:
            return one_after_the_other(values)
    return values


def _column_names(frame: Foreign) -> list[object]:
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def _frame_column(frame: Foreign, name: object) -> Foreign:
    return frame.column(name) if hasattr(frame, "column_names") else frame[name]


def _is_whole_column(values: object) -> bool:
    rows = hasattr(values, "__len__") and len(getattr(values, "shape", (0,))) > 0
    return rows and (isinstance(values, list) or hasattr(values, "__array__") or hasattr(values, "to_numpy"))


def _length(values: object) -> int:
    return len(values) if hasattr(values, "__len__") and getattr(values, "shape", True) != () else -1


def _classes_or_models(truth: ArrayLike, columns: Mapping[Any, object], whole: ArrayLike) -> ArrayLike:
    """{class: scores} of one model where every class of the truth has a column, else {model: column}.

    Numbers in text ("0", "1") may well be names of models: they are classes where the scores of a row sum to one.
    """
    framed = not isinstance(whole, Mapping)
    if len(columns) < 2 or not (framed or all(_is_plain_column(c) for c in columns.values())):
        return whole
    if not framed and _length(truth) and str(_first(truth)) not in map(str, columns):
        return whole
    known = natural_labels(code_column(column(truth, "truth"), "truth").values)
    named = {str(label): label for label in known}
    called = [str(name) for name in columns]
    if framed and called == [str(i) for i in range(len(columns))] and not set(named) <= set(called):
        return whole  # columns that are only numbered follow the label order
    numbered = not framed and all(isinstance(n, str) and n.removeprefix("-").isdigit() for n in columns)
    if set(named) <= set(called) and not (numbered and not _sum_to_one(list(columns.values()))):
        classes = {_class_name(name, named): values for name, values in columns.items()}
        return {ONE_MODEL: classes}
    lacking = [name for name in named if name not in called]
    if framed and len(lacking) < len(named):
        raise InputError(f"the frame has no column for {named[lacking[0]]!r}; it has one for other classes: add it")
    return {str(name): values for name, values in columns.items()}


def _sum_to_one(columns: Sequence[Foreign]) -> bool:
    if len({len(c) for c in columns}) > 1:
        return False
    total = sum(c if on_device(c) else np.asarray(c, dtype=np.float64) for c in columns)
    return not bool((abs(total - 1) > 1e-3).any())


def _first(values: Foreign) -> object:
    """The first value of a column; a series may have any index. None where there is none."""
    if on_device(values):  # walking along a tensor would take it apart row by row
        return values[0].item() if len(values) else None
    return next(iter(values), None) if isinstance(values, Iterable) and getattr(values, "shape", 1) != () else None


def _class_name(name: object, named: Mapping[str, Label]) -> object:
    """A class as the truth writes it; one that the truth has not, in the same type where it can be."""
    if str(name) in named:
        return named[str(name)]
    if isinstance(name, str) and named and all(isinstance(v, int) for v in named.values()):
        return int(name) if name.lstrip("-").isdigit() else name
    return name


def _is_plain_column(values: object) -> bool:
    """One column of numbers."""
    if isinstance(values, Mapping | str) or not hasattr(values, "__len__") or is_table(values):
        return False
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) == 1 and "float" in _kind_of(values)
    return isinstance(values, Sequence) and len(values) > 0 and isinstance(values[0], float)


def is_scores(values: object) -> bool:
    """Whether a column cannot be labels, which are whole numbers or text: several columns, or decimals."""
    if isinstance(values, Mapping) or _is_matrix(values):
        return True
    listed = isinstance(values, list | tuple) and len(values) and isinstance(values[0], float)
    if not listed and "float" not in _kind_of(values):
        return False
    if on_device(values):
        return distinct_values(shared(values)) is None
    array = column(values, "predicted")
    if array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return bool((finite != np.floor(finite)).any())


def models_given(predicted: ArrayLike, scores: ArrayLike) -> dict[str, GivenModel]:
    """Each model with its labels and scores, and how to call both in messages."""
    labelled = _by_name(predicted, "predicted")
    scored = _by_name(scores, "scores")
    models = {}
    alone = all(not isinstance(c, Mapping) or list(c) == [ONE_MODEL] for c in (predicted, scores))
    for name in dict.fromkeys([*labelled, *scored]):
        at_labels = "predicted" if alone else f"predicted[{name!r}]"
        at_scores = "scores" if alone else f"scores[{name!r}]"
        values, classes = _score_values(scored.get(name), at_scores)
        models[name] = GivenModel(
            labels=labelled.get(name),
            scores=values,
            classes=classes,
            place_of_labels=at_labels,
            place_of_scores=at_scores,
        )
    return models


def _by_name(values: ArrayLike, option: str) -> dict[str, object]:
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


def _score_values(values: ArrayLike, place: str) -> tuple[object, tuple[Label, ...] | None]:
    """Scores and, where the columns are named by class, those classes."""
    if isinstance(values, Mapping):
        if not values:
            raise InputError(f"{place} is an empty mapping; pass an array, or {{class: array}}")
        classes = tuple(plain_label(c, f"a class in {place}") for c in values)
        return np.stack([column(v, place) for v in values.values()], axis=1), classes
    return values, None


def named_fitted(fitted: object, X: object) -> Mapping[str, object]:
    """The fitted models by name; X must come with them."""
    if fitted is None:
        if X is not None:
            raise InputError("X= was given without fitted=; X is what fitted models predict from")
        return {}
    if X is None:
        raise InputError("fitted= needs X=, the rows to predict")
    return named_estimators(fitted)


def read_fitted(name: str, model: Foreign, X: object) -> GivenModel:
    """Labels by `predict`; scores by `predict_proba`, else by `decision_function`, in the order of `classes_`.

    A two-class decision value d speaks for the second class, so the two classes score −d and d. Models without
    `classes_` whose `predict` gives decimals or a column for each class (boosters, networks) have given scores.
    """
    ask = model.predict if hasattr(model, "predict") else model
    if not callable(ask):
        raise InputError(
            f"fitted={{{name!r}: …}} is a {type(model).__name__} without predict(); pass its labels in predicted, or "
            "its scores in scores="
        )
    answers = _asked(name, model, ask, X)
    places = GivenModel(place_of_labels=f"the labels of {name!r}", place_of_scores=f"the scores of {name!r}")
    if not hasattr(model, "classes_"):
        return replace(places, scores=answers) if is_scores(answers) else replace(places, labels=answers)
    alone = replace(places, labels=answers)
    classes = tuple(plain_label(v, f"a class of {name!r}") for v in np.asarray(model.classes_).tolist())
    if hasattr(model, "predict_proba"):
        scores = _numbers(_asked(name, model, model.predict_proba, X), name)
        return replace(alone, scores=scores, classes=classes, fill=0.0)
    if hasattr(model, "decision_function"):
        scores = _numbers(_asked(name, model, model.decision_function, X), name)
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        if scores.shape[1] != len(classes):
            # One column a pair of classes (one-vs-one) ranks nothing for a single class.
            return alone
        return replace(alone, scores=scores, classes=classes, fill=-math.inf)
    return alone


def _numbers(values: object, name: str) -> Array:
    if isinstance(values, list):
        raise InputError(f"{name!r} predicts several targets at once; pass the labels or scores of one of them")
    from trueerror.inputs._arrays import matrix

    return matrix(values, f"the scores of {name!r}")


def _asked(name: str, model: Foreign, ask: Callable[[object], Foreign], X: object) -> Foreign:
    """What a model says of the rows; a model that was not fitted is refused by name."""
    try:
        return ask(_own_rows(model, X))
    except Exception as error:
        if type(error).__name__ == "NotFittedError":
            raise InputError(
                f"{name} is not fitted: fit it on other rows first, or let te.experiment(model, X, y) fit and test it"
            ) from None
        raise


def _own_rows(model: Foreign, X: object) -> object:
    """The rows in the form that the model's library wants: XGBoost's Booster takes a DMatrix only."""
    library = type(model).__module__.split(".")[0]
    if library == "xgboost" and type(model).__name__ == "Booster" and type(X).__name__ != "DMatrix":
        from importlib import import_module

        return import_module("xgboost").DMatrix(X, feature_names=model.feature_names)
    return X


# What a result of cross_validate looks like, and not a mapping of them.
OWN_KEYS = ("fit_time", "score_time", "indices", "estimator")


@dataclass(frozen=True, eq=False, kw_only=True)
class FoldTable:
    """Scores of learners on the test folds of one data set: `values[learner, fold]`, higher or lower is better.

    `metric` is the name of the score as scikit-learn has it, "" where it is not known. `repeats` and `folds` number the
    test folds, `tests` and `trains` are their rows; `rows` is None where only their ratio is known. `rounds` counts
    repeats of all rows; None where test rows were drawn at random. Every setting of a search is a learner, and `best`
    is the one that it chose.
    """

    learners: tuple[str, ...]
    values: NDArray[np.float64]
    metric: str
    repeats: Indices
    folds: Indices
    tests: Indices
    trains: Indices
    rounds: int | None
    rows: int | None
    best: str | None = None


def is_search(given: object) -> bool:
    """Whether this is a fitted search over settings; a lazy table would look for such columns."""
    return not is_lazy(given) and hasattr(given, "cv_results_") and hasattr(given, "best_params_")


def is_score_array(given: object) -> bool:
    """Whether this is one array such as cross_val_score gives: numbers that are not whole, and so no labels."""
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype.kind != "f" or len(given) < 2:
        return False
    return bool(np.isfinite(given).all() and (given != np.floor(given)).any())


def is_fold_result(given: object) -> bool:
    """Whether this is a search, its results, or what cross_validate returned, one or by name: no rows."""
    if isinstance(given, FoldTable) or is_search(given) or is_search_results(given) or is_cross_validated(given):
        return True
    if is_score_array(given):
        return True
    return isinstance(given, Mapping) and bool(given) and all(is_cross_validated(one) for one in given.values())


def is_search_results(given: object) -> bool:
    return isinstance(given, Mapping) and "params" in given and any(str(k).startswith("split0_test_") for k in given)


def is_cross_validated(given: object) -> bool:
    """Whether this is what cross_validate returned, and not a mapping of such."""
    if not isinstance(given, Mapping) or any(isinstance(one, Mapping) for k, one in given.items() if k != "indices"):
        return False
    return any(str(k).startswith("test_") for k in given) and (
        any(k in OWN_KEYS for k in given) or all(str(k).startswith(("test_", "train_")) for k in given)
    )


def refuse_fold_sizes(cv: object, folds: object, test_train_ratio: float | None, *, of_rows: bool) -> None:
    """Refuse what says how folds were made where rows say it themselves, or where nothing could come of it."""
    if test_train_ratio is not None:
        raise InputError("test_train_ratio= goes with scores of folds, as of cross_val_score; rows tell the sizes")
    if cv is not None and folds is not None:
        raise InputError("pass cv= or folds=, not both: cv= stands for the folds of cross_val_predict")
    if cv is not None and not of_rows:
        raise InputError(
            "cv= goes with the truth and what cross_val_predict gave, or scores of folds; here pass folds="
        )


def group_columns(by: ArrayLike, *, of_table: bool = False) -> dict[str, ArrayLike] | None:
    """Several columns of groups by name: {"sex": …}, a frame, or a list of columns; None where it is one.

    `of_table`: a list of texts names columns, rather than being one.

    >>> group_columns(["sex", "age"], of_table=True), group_columns(["F", "M"])
    ({'sex': 'sex', 'age': 'age'}, None)
    """
    if isinstance(by, Mapping):
        return {str(name): values for name, values in by.items()}
    if is_table(by) and not is_lazy(by):
        frame: Foreign = by
        names = frame.column_names if hasattr(frame, "column_names") else frame.columns
        return {str(name): frame.column(name) if hasattr(frame, "column_names") else frame[name] for name in names}
    if not isinstance(by, list | tuple) or not by:
        return None
    if of_table:
        return {str(name): name for name in by}
    if all(hasattr(values, "__len__") and not isinstance(values, str) for values in by):
        return {str(getattr(c, "name", None) or f"group {i + 1}"): c for i, c in enumerate(by)}
    return None


def intersections(columns: Mapping[str, ArrayLike]) -> ArrayLike:
    """One column whose groups are all the combinations that occur: "F, old"; a single column as it is.

    >>> intersections({"sex": ["F", "M"], "age": [1, 2]}).tolist()
    ['F, 1', 'M, 2']
    """
    if len(columns) == 1:
        return next(iter(columns.values()))
    coded = [key_column(values, name, gaps=True) for name, values in columns.items()]
    same_length({name: codes for name, (codes, _) in zip(columns, coded, strict=True)})
    parts = [np.array([str(name) for name in names], dtype=object)[codes] for codes, names in coded]
    return np.array([", ".join(row) for row in zip(*parts, strict=True)], dtype=object)
