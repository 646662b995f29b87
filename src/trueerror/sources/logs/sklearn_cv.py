"""What scikit-learn's cross-validation returns, as predictions with folds, or as scores of folds for `te.rank`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import ArrayLike, Foreign
from trueerror.inputs._options import InputError, nearest
from trueerror.sources._collect import GivenModel, predictions, read_fitted
from trueerror.sources._predictions import Predictions

Indices = NDArray[np.int64]
# What a result of cross_validate looks like, and not a mapping of them.
OWN_KEYS = ("fit_time", "score_time", "indices", "estimator")


def cross_val_predict(
    y: ArrayLike, predicted: ArrayLike = None, *, scores: ArrayLike = None, cv: object = None, X: object = None,
    groups: ArrayLike = None,
    **options: Any,
) -> Predictions:  # fmt: skip
    """What `cross_val_predict` returned, with the folds that it came from.

    `predicted` holds labels, `scores` what `method="predict_proba"` or `"decision_function"` gave; each an array or
    {"name": array}. `cv` is the splitter that was used (or the number of folds, as scikit-learn takes it): the folds
    are dealt again, so a shuffled one needs its `random_state`. Without `cv` nothing is known of the folds. Columns of
    probabilities follow the sorted labels, as `classes_` does. `options` go to `te.predictions`.

    >>> p = cross_val_predict([0, 1] * 10, [0, 1] * 9 + [1, 1], cv=5)
    >>> print(p)
    Read 20 rows (10 positive): 1 model with labels: model.
    With 5 folds.
    """
    folds = None if cv is None else _dealt(cv, X, y, groups)
    return predictions(y, predicted, scores=scores, folds=folds, **options)


def cross_validate(results: Foreign, X: object, y: ArrayLike, **options: Any) -> Predictions:
    """Predictions of the fitted models that `cross_validate(return_estimator=True, return_indices=True)` returned.

    `results` is one result or {"name": result}, all of the same splits. Each model predicts the rows that it was not
    fitted to; rows that are tested more than once (repeated folds) are kept apart as repeats. `options` go to
    `te.predictions`.
    """
    named = _named(results)
    for name, one in named.items():
        lacking = [key for key in ("estimator", "indices") if key not in one]
        if lacking:
            raise InputError(
                f"the result of {name!r} holds no {lacking[0]!r}: call cross_validate with return_estimator=True and "
                "return_indices=True; for the scores alone, te.logs.fold_scores"
            )
    parts = [np.asarray(part, dtype=np.int64) for part in next(iter(named.values()))["indices"]["test"]]
    for name, one in named.items():
        theirs = one["indices"]["test"]
        if len(theirs) != len(parts) or any(not np.array_equal(a, b) for a, b in zip(theirs, parts, strict=True)):
            raise InputError(f"{name!r} was tested on other rows than the others; pass the same splits as cv= to all")
    rows = np.concatenate(parts)
    repeats = _times_seen(rows)
    folds = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    more: dict[str, Any] = {"ids": rows, "folds": folds, **options}
    if repeats.any():
        more["repeats"] = repeats
    models = {name: _predicted(name, one["estimator"], X, parts) for name, one in named.items()}
    labels = {name: model.labels for name, model in models.items()}
    scores = {name: model.scores for name, model in models.items() if model.scores is not None}
    return predictions(_taken(y, rows), labels, scores=scores or None, **more)


def fold_scores(results: Foreign, *, score: str = "test_score", dataset: str = "data") -> dict[str, list[Any]]:
    """The scores of each fold as a table for `te.rank`: columns dataset, learner, fold, and the score.

    `results` is {"learner": result of cross_validate}, or {"data set": {"learner": result}}.

    >>> made = fold_scores({"svm": {"test_score": [0.8, 0.9]}, "tree": {"test_score": [0.7, 0.6]}})
    >>> made["learner"], made["test_score"]
    (['svm', 'svm', 'tree', 'tree'], [0.8, 0.9, 0.7, 0.6])
    """
    flat = _is_result(results) or any(_is_result(one) for one in results.values())
    sets = {dataset: _named(results)} if flat else results
    table: dict[str, list[Any]] = {"dataset": [], "learner": [], "fold": [], score: []}
    for data, learners in sets.items():
        for learner, one in learners.items():
            if score not in one:
                known = [key for key in one if str(key).startswith(("test_", "train_"))]
                raise InputError(f"the result of {learner!r} holds no {score!r}{nearest(score, known)}")
            values = [float(v) for v in np.asarray(one[score], dtype=np.float64).ravel()]
            table["dataset"] += [str(data)] * len(values)
            table["learner"] += [str(learner)] * len(values)
            table["fold"] += list(range(1, len(values) + 1))
            table[score] += values
    return table


def _named(results: Foreign) -> dict[str, Mapping[str, Foreign]]:
    if not isinstance(results, Mapping) or not results:
        raise InputError('pass what cross_validate returned, or {"name": result}')
    if _is_result(results):
        return {"model": results}
    return {str(name): one for name, one in results.items()}


def _is_result(given: object) -> bool:
    """Whether this is what cross_validate returned, and not a mapping of such."""
    return isinstance(given, Mapping) and any(k in OWN_KEYS or str(k).startswith("test_") for k in given)


def _dealt(cv: object, X: object, y: Foreign, groups: ArrayLike) -> Indices:
    """The fold of each row, dealt once more by the same splitter."""
    from sklearn.model_selection import check_cv

    splitter = check_cv(cv, y, classifier=True)
    if getattr(splitter, "shuffle", False) and getattr(splitter, "random_state", None) is None:
        raise InputError("cv= shuffles without a random_state, so its folds cannot be dealt again; set one")
    folds = np.full(len(y), -1, dtype=np.int64)
    for fold, (_, test) in enumerate(splitter.split(np.zeros(len(y)) if X is None else X, y, groups)):
        if (folds[test] >= 0).any():
            raise InputError("cv= tests some rows more than once, which cross_val_predict does not do")
        folds[test] = fold
    if (folds < 0).any():
        raise InputError("cv= leaves some rows out, which cross_val_predict does not do")
    return folds


def _times_seen(rows: Indices) -> Indices:
    """How often each row was tested before."""
    seen: dict[int, int] = {}
    times = np.zeros(len(rows), dtype=np.int64)
    for i, row in enumerate(rows.tolist()):
        times[i] = seen.get(row, 0)
        seen[row] = int(times[i]) + 1
    return times


def _predicted(name: str, estimators: Sequence[Foreign], X: object, parts: list[Indices]) -> GivenModel:
    if len(estimators) != len(parts):
        raise InputError(f"{name!r} has {len(estimators)} fitted models for {len(parts)} folds")
    made = [read_fitted(name, model, _taken(X, part)) for model, part in zip(estimators, parts, strict=True)]
    labels = np.concatenate([np.asarray(m.labels) for m in made])
    classes = {m.classes for m in made}
    scores: ArrayLike = None
    if len(classes) == 1 and None not in classes and all(m.scores is not None for m in made):
        # A fold that lacks a class has other columns; then the labels alone are kept.
        columns = np.concatenate([np.asarray(m.scores) for m in made])
        scores = dict(zip(made[0].classes or (), columns.T, strict=True))
    return GivenModel(labels=labels, scores=scores)


def _taken(values: Foreign, rows: Indices) -> Foreign:
    """Some rows of an array, a frame or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, list | tuple):
        return [values[int(i)] for i in rows]
    return values[rows]
