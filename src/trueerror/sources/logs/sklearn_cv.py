"""What scikit-learn's cross-validation and searches leave behind: predictions with folds, or scores of folds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import ArrayLike, Foreign, column
from trueerror.inputs._options import InputError, in_few_words, nearest
from trueerror.results._format import one_line
from trueerror.sources._collect import GivenModel, predictions, read_fitted
from trueerror.sources._models import (
    FoldTable,
    Indices,
    is_cross_validated,
    is_score_array,
    is_search,
    is_search_results,
)
from trueerror.sources._predictions import Predictions


def cross_val_predict(
    y: ArrayLike, predicted: ArrayLike = None, *, scores: ArrayLike = None, cv: object = None, X: object = None,
    groups: ArrayLike = None,
    **options: Any,
) -> Predictions:  # fmt: skip
    """What `cross_val_predict` returned, with the folds that it came from.

    `predicted` holds labels, `scores` what `method="predict_proba"` or `"decision_function"` gave; each an array or
    {"name": array}. `cv` is the splitter that was used (or the number of folds, as scikit-learn takes it): the folds
    are assigned again, so a shuffled one needs its `random_state`. The folds are unknown if `cv` is missing. Columns of
    probabilities follow the sorted labels, as `classes_` does. `options` go to `te.predictions`.

    >>> p = cross_val_predict([0, 1] * 10, [0, 1] * 9 + [1, 1], cv=5)
    >>> print(p)
    20 rows, 10 positive, 1 model with labels: model.
    With 5 folds.
    """
    folds = None if cv is None else folds_of(cv, y, X, groups)
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
                "return_indices=True; te.compare and te.evaluate take the scores alone"
            )
    parts = [np.asarray(part, dtype=np.int64) for part in next(iter(named.values()))["indices"]["test"]]
    _check_same_rows({name: one["indices"]["test"] for name, one in named.items()})
    rows = np.concatenate(parts)
    repeats = np.fromiter(_times_seen(rows), dtype=np.int64)
    folds = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    more: dict[str, Any] = {"ids": rows, "folds": folds, **options}
    if repeats.any():
        more["repeats"] = repeats
    models = {name: _predicted(name, one["estimator"], X, parts) for name, one in named.items()}
    labels = {name: model.labels for name, model in models.items()}
    scores = {name: model.scores for name, model in models.items() if model.scores is not None}
    return predictions(_taken(y, rows), labels, scores=scores or None, **more)


def fold_scores(
    results: Foreign, *, score: str | None = None, dataset: str = "data", cv: object = None,
    test_train_ratio: float | None = None,
) -> dict[str, list[Any]]:  # fmt: skip
    """The scores of each fold as a table for `te.rank`: dataset, learner, repeat, fold, rows, and the score.

    `results` is {"learner": result of cross_validate} (or an array of cross_val_score), or {"data set": {"learner":
    result}}. `score` names one of several; sizes and repeats come from `return_indices=True`, else from `cv`, the
    splitter that was used, or from `test_train_ratio`: without them nothing tells ten folds from ten random splits.

    >>> made = fold_scores({"svm": [0.8, 0.9], "tree": [0.7, 0.6]}, cv=2)
    >>> made["learner"], made["test_score"]
    (['svm', 'svm', 'tree', 'tree'], [0.8, 0.9, 0.7, 0.6])
    """
    one_set = fold_table(results, score=score, cv=cv, test_train_ratio=test_train_ratio)
    sets = {dataset: one_set} if one_set is not None else {
        str(name): _needed(fold_table(of_one, score=score, cv=cv, test_train_ratio=test_train_ratio))
        for name, of_one in _mapping(results).items()
    }  # fmt: skip
    key = score or next(iter(sets.values())).metric or "test_score"
    names = ("dataset", "learner", "repeat", "fold", "train_rows", "test_rows", key)
    rows: list[tuple[Any, ...]] = []
    for data, folded in sets.items():
        places = (folded.repeats + 1, folded.folds + 1, folded.trains, folded.tests)
        for learner, values in zip(folded.learners, folded.values, strict=True):
            rows += [(data, learner, *row) for row in zip(*(x.tolist() for x in (*places, values)), strict=True)]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


# How the rows were split, as fields of FoldTable.
_Sizes = dict[str, Any]
# Rows that stand in where only the ratio of test to training rows is known.
UNIT = 1_000_000


def fold_table(
    given: Foreign, *, score: str | None = None, cv: object = None, test_train_ratio: float | None = None
) -> FoldTable | None:
    """What a cross-validation of scikit-learn left behind, as one table; None where `given` is nothing of the kind.

    A result of `cross_validate` or {"name": result}, arrays of `cross_val_score` by name (with `cv` or
    `test_train_ratio`), a fitted search (GridSearchCV, RandomizedSearchCV, the halving ones), or its `cv_results_`.

    >>> fold_table({"a": [0.8, 0.9], "b": [0.7, 0.6]}, cv=2).values.tolist()
    [[0.8, 0.9], [0.7, 0.6]]
    """
    if is_search(given):
        splitter = getattr(given, "cv", None) if cv is None else cv
        best = getattr(given, "best_index_", None)
        return _of_search(given.cv_results_, score or _refit_metric(given), splitter, test_train_ratio, best)
    if is_search_results(given):
        return _of_search(given, score, cv, test_train_ratio, None)
    if is_cross_validated(given) or (is_score_array(given) and (cv is not None or test_train_ratio is not None)):
        given = {"model": given}
    if not isinstance(given, Mapping) or not given:
        return None
    if all(is_cross_validated(one) for one in given.values()):
        return _of_results({str(k): v for k, v in given.items()}, score, cv, test_train_ratio)
    if (cv is not None or test_train_ratio is not None) and all(_is_scores(one) for one in given.values()):
        named = {str(k): np.asarray(v, dtype=np.float64) for k, v in given.items()}
        sizes = _split_sizes(len(next(iter(named.values()))), cv, test_train_ratio)
        return _table(named, score or "", sizes)
    return None


def looks_like_fold_scores(given: object) -> bool:
    """Whether this is what cross_val_score gives, or a mapping of such arrays: numbers that are not whole."""
    if is_score_array(given):
        return True
    if not isinstance(given, Mapping) or len(given) < 2 or not all(_is_scores(one) for one in given.values()):
        return False
    values = [np.asarray(one, dtype=np.float64) for one in given.values()]
    return len({len(v) for v in values}) == 1 and all((v != np.floor(v)).any() for v in values)


ASK_SIZES = (
    "scores of folds alone do not say how the rows were split: pass the splitter as cv= (cv=10 for ten folds), or "
    "test_train_ratio= (1/9 for ten folds), or cross_validate's result with return_indices=True"
)


def _of_results(
    named: dict[str, Mapping[str, Foreign]], score: str | None, cv: object, ratio: float | None
) -> FoldTable:
    first = next(iter(named.values()))
    key = _score_key(first, score)
    values = {}
    for name, one in named.items():
        if key not in one:
            raise InputError(f"the result of {name!r} holds no {key!r}{nearest(key, [str(k) for k in one])}")
        values[name] = np.asarray(one[key], dtype=np.float64).ravel()
    metric = key.removeprefix("test_") if key != "test_score" else (score or "").removeprefix("test_")
    indexed = {name: one["indices"] for name, one in named.items() if "indices" in one}
    if indexed:
        sizes = _indexed_sizes(next(iter(indexed.values())))
        _check_same_rows({name: theirs["test"] for name, theirs in indexed.items()})
    else:
        sizes = _split_sizes(len(next(iter(values.values()))), cv, ratio)
    return _table(values, "" if metric == "score" else metric, sizes)


def _check_same_rows(tests: Mapping[str, Sequence[Foreign]]) -> None:
    first = next(iter(tests.values()))
    for name, theirs in tests.items():
        if len(theirs) != len(first) or not all(map(np.array_equal, theirs, first)):
            raise InputError(f"{name!r} was tested on other rows than the others; pass the same splits as cv= to all")


def _score_key(result: Mapping[str, Foreign], score: str | None) -> str:
    known = [str(k) for k in result if str(k).startswith("test_")]
    if score is None:
        if "test_accuracy" in known:
            return "test_accuracy"
        if len(known) > 1:
            listed = ", ".join(k.removeprefix("test_") for k in known)
            raise InputError(f"there are several scores ({listed}): say which with metric=")
        return known[0]
    for key in (score, f"test_{score}"):
        if key in known:
            return key
    if known == ["test_score"]:
        return known[0]  # the only one, named for what it is
    raise InputError(f"there is no score {score!r}{nearest(score, [k.removeprefix('test_') for k in known])}")


def _table(values: Mapping[str, NDArray[np.float64]], metric: str, sizes: _Sizes, best: str | None = None) -> FoldTable:
    k = len(sizes["tests"])
    for name, one in values.items():
        if len(one) != k:
            raise InputError(f"{name!r} has {len(one)} scores, but there are {k} folds; all need the same folds")
    return FoldTable(
        learners=tuple(values), values=np.array(list(values.values()), dtype=np.float64), metric=metric, best=best,
        **sizes,
    )  # fmt: skip


def _indexed_sizes(indices: Mapping[str, Foreign]) -> _Sizes:
    """From the rows of each split: rounds are there where each round tests every row once."""
    tests = [np.asarray(part, dtype=np.int64) for part in indices["test"]]
    trains = np.array([len(np.unique(np.asarray(part))) for part in indices["train"]], dtype=np.int64)
    sizes = np.array([len(part) for part in tests], dtype=np.int64)
    every = np.unique(np.concatenate([*tests, *(np.asarray(part) for part in indices["train"])]))
    repeats, folds, rounds = np.zeros(len(tests), np.int64), np.zeros(len(tests), np.int64), 0
    seen: set[int] = set()
    fold = 0
    for i, part in enumerate(tests):
        rows = set(part.tolist())
        if seen & rows:
            rounds, seen, fold = rounds + 1, set(), 0
        repeats[i], folds[i] = rounds, fold
        seen |= rows
        fold += 1
    parts = [int(sizes[repeats == r].sum()) for r in range(rounds + 1)]
    whole = all(size == len(every) for size in parts)
    rounds_known = rounds + 1 if whole else None
    return _Sizes(repeats=repeats, folds=folds, tests=sizes, trains=trains, rounds=rounds_known, rows=len(every))


def _split_sizes(k: int, cv: object, ratio: float | None) -> _Sizes:
    """From the splitter or the ratio of test to training rows; asked for where neither is known."""
    rounds: int | None = 1
    if ratio is None:
        if cv is None:
            raise InputError(ASK_SIZES)
        rounds, ratio = _splitter(cv, k)
    if not 0 < ratio < math.inf:
        raise InputError(f"test_train_ratio={ratio!r} must be positive: test rows over training rows, 1/9 in ten folds")
    per_round = k // rounds if rounds else 1
    at = np.arange(k, dtype=np.int64)
    tests = np.full(k, max(1, round(ratio * UNIT)), dtype=np.int64)
    trains = np.full(k, UNIT, dtype=np.int64)
    return _Sizes(repeats=at // per_round, folds=at % per_round, tests=tests, trains=trains, rounds=rounds, rows=None)


def _splitter(cv: Foreign, k: int) -> tuple[int | None, float]:
    """Rounds of folds (None for random test sets) and test rows to training rows."""
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if int(cv) != k:
            raise InputError(f"cv={cv} was given, but there are {k} scores")
        return 1, 1 / (k - 1)
    share = getattr(cv, "test_size", getattr(cv, "share", None))
    name = type(cv).__name__
    if "ShuffleSplit" in name or name == "Subsampling":
        test = 0.1 if share is None else share
        train = getattr(cv, "train_size", None)
        if isinstance(test, float) and (train is None or isinstance(train, float)):
            return None, test / (1 - test if train is None else train)
        raise InputError(f"{name} with numbers of rows: pass test_train_ratio=, test rows over training rows")
    repeats = getattr(cv, "n_repeats", getattr(cv, "repeats", 1))
    folds = k // repeats if repeats and k % repeats == 0 else 0
    if "KFold" in name and folds > 1:
        return int(repeats), 1 / (folds - 1)
    raise InputError(f"cv={name} does not tell the sizes of its folds: pass test_train_ratio=, or return_indices=True")


def _refit_metric(search: Foreign) -> str | None:
    refit = getattr(search, "refit", True)
    if isinstance(refit, str):
        return refit
    scoring = getattr(search, "scoring", None)
    return scoring if isinstance(scoring, str) else "accuracy" if scoring is None else None


def _of_search(
    results: Mapping[str, Foreign], score: str | None, cv: object, ratio: float | None, best: int | None
) -> FoldTable:
    """Every setting on every fold; of a halving search those of the last round, which had the most rows."""
    known = sorted({str(k).removeprefix("split0_test_") for k in results if str(k).startswith("split0_test_")})
    key = score if score in known else "score" if "score" in known else None
    if key is None:
        if len(known) > 1:
            raise InputError(f"the search has several scores ({', '.join(known)}): say which with metric=")
        key = known[0]
    k = sum(str(name).startswith("split") and str(name).endswith(f"_test_{key}") for name in results)
    values = np.stack([np.asarray(results[f"split{i}_test_{key}"], dtype=np.float64) for i in range(k)], axis=1)
    kept = np.arange(len(values))
    if "iter" in results:
        rounds = np.asarray(results["iter"])
        kept = np.flatnonzero(rounds == rounds.max())
    chosen = int(np.nanargmax(values.mean(axis=1))) if best is None else int(best)
    names = {int(i): _setting_name(results["params"][i]) for i in kept}
    if len(set(names.values())) < len(names):
        names = {i: f"{i + 1}: {name}" for i, name in names.items()}
    metric = (score or "") if key == "score" else key
    splits = _split_sizes(k, k if cv is None else cv, ratio)
    return _table({names[int(i)]: values[i] for i in kept}, metric, splits, names.get(chosen))


def _setting_name(params: Mapping[str, Foreign]) -> str:
    return ", ".join(f"{key}={value}" for key, value in params.items()) or "default"


def _is_scores(given: object) -> bool:
    """Whether this is one row of numbers."""
    if isinstance(given, str | Mapping) or given is None:
        return False
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return array.ndim == 1 and len(array) > 1


def _needed(table: FoldTable | None) -> FoldTable:
    if table is None:
        raise InputError(ASK_SIZES)
    return table


def _mapping(results: Foreign) -> Mapping[str, Foreign]:
    if not isinstance(results, Mapping) or not results:
        raise InputError('pass what cross_validate returned, or {"name": result}')
    if looks_like_fold_scores(results):
        raise InputError(ASK_SIZES)
    return results


def grid_search(
    search: Foreign, *, score: str | None = None, cv: object = None, test_train_ratio: float | None = None
) -> FoldTable:
    """The scores of every setting of a fitted search on every fold, from the search or its `cv_results_`.

    `te.evaluate` takes it (or the search itself) and says how good the winner is, `te.compare` how far the settings
    differ.
    """
    table = fold_table(search, score=score, cv=cv, test_train_ratio=test_train_ratio)
    if table is None or table.best is None:
        raise InputError("pass a fitted GridSearchCV, RandomizedSearchCV or halving search, or its cv_results_")
    return table


def _named(results: Foreign) -> dict[str, Mapping[str, Foreign]]:
    if not isinstance(results, Mapping) or not results:
        raise InputError('pass what cross_validate returned, or {"name": result}')
    if is_cross_validated(results):
        return {"model": results}
    return {str(name): one for name, one in results.items()}


def folds_of(cv: object, y: Foreign, X: object = None, groups: ArrayLike = None) -> Indices:
    """The fold of each row, assigned once more by the splitter that cross_val_predict used.

    >>> folds_of(2, [0, 1, 0, 1]).tolist()
    [0, 0, 1, 1]
    """
    from sklearn.model_selection import check_cv

    y = column(y, "truth")
    try:
        splitter = check_cv(cv, y, classifier=True)
        if isinstance(cv, Iterable) and not all(isinstance(split, Sized) and len(split) == 2 for split in splitter.cv):
            raise TypeError
    except (TypeError, ValueError, AttributeError):
        raise InputError(f"cv={in_few_words(cv)} is no number of folds, no splitter and no list of splits") from None
    if getattr(splitter, "shuffle", False) and getattr(splitter, "random_state", None) is None:
        raise InputError("cv= shuffles without a random_state, so its folds cannot be assigned again; set one")
    folds = np.full(len(y), -1, dtype=np.int64)
    try:
        parts = list(splitter.split(np.zeros(len(y)) if X is None else X, y, groups))
    except ValueError as error:
        raise InputError(f"cv={in_few_words(cv)} cannot split these rows: {one_line(str(error)):.150}") from None
    for fold, (_, test) in enumerate(parts):
        if (folds[test] >= 0).any():
            raise InputError("cv= tests some rows more than once, which cross_val_predict does not do")
        folds[test] = fold
    if (folds < 0).any():
        raise InputError("cv= leaves some rows out, which cross_val_predict does not do")
    return folds


def _times_seen(rows: Indices) -> Iterator[int]:
    """How often each row was tested before."""
    seen: Counter[int] = Counter()
    for row in rows.tolist():
        seen[row] += 1
        yield seen[row] - 1


def _predicted(name: str, estimators: Sequence[Foreign], X: object, parts: list[Indices]) -> GivenModel:
    if len(estimators) != len(parts):
        raise InputError(f"{name!r} has {len(estimators)} fitted models for {len(parts)} folds")
    by_fold = [read_fitted(name, model, _taken(X, part)) for model, part in zip(estimators, parts, strict=True)]
    labels = np.concatenate([np.asarray(m.labels) for m in by_fold])
    classes = {m.classes for m in by_fold}
    scores: ArrayLike = None
    if len(classes) == 1 and None not in classes and all(m.scores is not None for m in by_fold):
        # A fold that lacks a class has other columns; then the labels alone are kept.
        columns = np.concatenate([np.asarray(m.scores) for m in by_fold])
        scores = dict(zip(by_fold[0].classes or (), columns.T, strict=True))
    return GivenModel(labels=labels, scores=scores)


def _taken(values: Foreign, rows: Indices) -> Foreign:
    """Some rows of an array, a frame or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, list | tuple):
        return [values[int(i)] for i in rows]
    return values[rows]
