"""Experiments written down as TOML: learners by import path, data sets by file, a plan, metrics.

Only classes with `fit` and `get_params` are made, by importing them: nothing in a recipe is evaluated as code.
"""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from trueerror.experiments._dataset import Dataset, read_dataset
from trueerror.experiments._outcomes import score
from trueerror.experiments._store import Outcome, Task
from trueerror.inputs._options import FileError, InputError, nearest
from trueerror.metrics._registry import find_measure
from trueerror.resampling._cross_validation import BatesCV, DisjointHalves, KFold, LeaveOneOut, NestedCV
from trueerror.resampling._plan import Plan
from trueerror.resampling._random_splits import Bootstrap, Holdout, Subsampling
from trueerror.resampling._time_ordered import TimeOrdered

TomlTable = dict[str, Any]
PLANS: dict[str, type[Plan]] = {
    plan.__name__: plan
    for plan in (Holdout, Subsampling, KFold, LeaveOneOut, Bootstrap, BatesCV, NestedCV, TimeOrdered, DisjointHalves)
}
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
KEYS = ("seed", "store", "engine", "jobs", "timeout", "balance", "metrics", "confidence", "plan", "data", "learners",
        "study")  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Recipe:
    """An experiment as a file describes it, with `options` for `te.experiment`."""

    learners: TomlTable
    data: dict[str, Dataset]
    options: TomlTable
    metrics: tuple[str, ...]
    confidence: float = 0.95
    study: Mapping[str, Any] | None = None


# A device such as /dev/zero never ends.
LONGEST = 1 << 20


def read_recipe(path: str | os.PathLike[str]) -> Recipe:
    """An experiment from a TOML file; paths in it are relative to the file."""
    place = os.fspath(path)
    try:
        with open(place, encoding="utf-8") as stream:
            text = stream.read(LONGEST + 1)
        if len(text) > LONGEST:
            raise FileError(f"{place} is no experiment: it has more than {LONGEST:,} characters")
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise FileError(f"there is no file {place}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"{place} is not TOML: {error}") from None
    except OSError as error:
        raise FileError(f"{place} cannot be read: {error.strerror}") from None
    try:
        return _recipe(content, Path(place).parent)
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _recipe(content: TomlTable, folder: Path) -> Recipe:
    for key in content:
        if key not in KEYS:
            raise InputError(f"{key!r} is not known{nearest(key, KEYS)}")
    learners, study = _tables(content, "learners"), content.get("study")
    # A study of a known source of rows needs no data.
    known = isinstance(study, dict) and ("generator" in study or study.get("kind") == "estimator-laboratory")
    data = {} if known else _tables(content, "data")
    metrics = content.get("metrics", ["accuracy"])
    if not isinstance(metrics, list) or not metrics:
        raise InputError('metrics must be a list of names, such as ["accuracy", "auc"]')
    options: TomlTable = {key: content[key] for key in ("engine", "jobs", "timeout", "balance") if key in content}
    options["rng"] = content.get("seed", 0)
    store = content.get("store")
    if store is not None:
        options["store"] = store if "://" in store else str(folder / store)
    if "plan" in content:
        options["plan"] = plan_from_toml(content["plan"])
    datasets = {name: _dataset(given, folder, f"data.{name}") for name, given in data.items()}
    return Recipe(
        learners={name: make_learner(given, f"learners.{name}") for name, given in learners.items()},
        data=datasets,
        options=options,
        metrics=check_metrics(tuple(metrics), datasets),
        confidence=content.get("confidence", 0.95),
        study=study,
    )


def check_metrics(metrics: tuple[str, ...], data: Mapping[str, Dataset]) -> tuple[str, ...]:
    """Metrics that can be told of at least one of the data sets, known before anything is fitted."""
    for name in metrics:
        if find_measure(name).higher_is_better is None:
            raise InputError(f"{name} has no better end, so learners cannot be judged by it")
        problems = {place: _problem(name, dataset) for place, dataset in data.items()}
        if problems and all(problems.values()):
            place, problem = next(iter(problems.items()))
            hint = f'; in the file: positive = "…" under [data.{place}]' if "positive" in problem else ""
            raise InputError(f"{problem.partition(': pass')[0]}{hint}")
    return metrics


def _problem(metric: str, data: Dataset) -> str:
    """What stands in the way of a metric on a data set, by trying it on the right answers."""
    right = np.eye(len(data.labels))[data.codes]
    answer = Outcome(task=Task(0, 0, 0), status="done", labels=data.codes.astype("<i4"), scores=right)
    try:
        score(metric, data, np.arange(data.n), answer)
    except InputError as error:
        return str(error)
    return ""


def _tables(content: Mapping[str, Any], key: str) -> dict[str, TomlTable]:
    given = content.get(key)
    if not isinstance(given, dict) or not given or not all(isinstance(v, dict) for v in given.values()):
        raise InputError(f"there must be at least one table [{key}.NAME]")
    return given


def plan_from_toml(given: Any) -> Plan:
    """A plan from its kind and settings, or a number of folds.

    >>> plan_from_toml({"kind": "KFold", "k": 5})
    KFold(k=5, repeats=1, stratify=True)
    """
    if isinstance(given, int) and not isinstance(given, bool):
        return KFold(given)
    if not isinstance(given, Mapping) or "kind" not in given:
        raise InputError('plan must be a number of folds, or a table with kind = "KFold" and settings')
    settings = {k: v for k, v in given.items() if k != "kind"}
    if given["kind"] not in PLANS:
        raise InputError(f"plan.kind = {given['kind']!r} is not known{nearest(given['kind'], PLANS)}")
    plan = PLANS[given["kind"]]
    known = list(inspect.signature(plan).parameters)
    for key in settings:
        if key not in known:
            raise InputError(f"plan.{key} is not a setting of {plan.__name__}{nearest(key, known)}")
    if plan is NestedCV:
        settings = {key: plan_from_toml(value) for key, value in settings.items()}
    return plan(**settings)


def make_learner(given: Any, place: str) -> Any:
    """A learner from its class's import path and parameters; `steps` makes a pipeline.

    A parameter that is a table with a class of its own is a learner too.
    """
    if not isinstance(given, Mapping) or ("class" in given) == ("steps" in given):
        raise InputError(f'{place} needs either class = "module.Class" or steps = [...]')
    if "steps" in given:
        extra = next((key for key in given if key != "steps"), None)
        if extra is not None or not isinstance(given["steps"], list) or not given["steps"]:
            raise InputError(f"{place} with steps takes nothing else, and steps is a list of tables with a class each")
        from sklearn.pipeline import make_pipeline

        return make_pipeline(*(make_learner(step, f"{place}.steps[{i}]") for i, step in enumerate(given["steps"])))
    kind = _estimator_class(given["class"], place)
    settings = {
        key: make_learner(value, f"{place}.{key}") if isinstance(value, Mapping) and "class" in value else value
        for key, value in given.items()
        if key != "class"
    }
    known = [name for name in inspect.signature(kind).parameters if name != "self"]
    for key in settings:
        if key not in known:
            raise InputError(f"{place}.{key} is not a parameter of {kind.__name__}{nearest(key, known)}")
    try:
        return kind(**settings)
    except (TypeError, ValueError) as error:
        raise InputError(f"{place}: {kind.__name__} cannot be made: {error}") from None


def _estimator_class(path: Any, place: str) -> type:
    if not isinstance(path, str) or "." not in path or not all(part.isidentifier() for part in path.split(".")):
        raise InputError(f'{place}.class = {path!r} is not an import path such as "sklearn.svm.SVC"')
    module, _, name = path.rpartition(".")
    try:
        estimator_class = getattr(import_module(module), name, None)
    except ImportError as error:
        raise InputError(f"{place}.class = {path!r} cannot be imported: {error}") from None
    if estimator_class is None:
        raise InputError(f"{place}.class: {module} has no {name!r}{nearest(name, dir(import_module(module)))}")
    if not isinstance(estimator_class, type) or not all(
        callable(getattr(estimator_class, m, None)) for m in ("fit", "get_params")
    ):
        raise InputError(f"{place}.class = {path!r} is not an estimator class: it has no fit and get_params")
    return estimator_class


def _dataset(given: Mapping[str, Any], folder: Path, place: str) -> Dataset:
    if "bundled" in given:
        return _bundled(given, place)
    known = [name for name in inspect.signature(read_dataset).parameters if name != "path"]
    for key in given:
        if key != "file" and key not in known:
            raise InputError(f"{place}.{key} is not known{nearest(key, ['file', 'bundled', *known])}")
    for key in ("file", "target"):
        if not isinstance(given.get(key), str):
            raise InputError(f'{place} needs {key} = "…"')
    options = {key: value for key, value in given.items() if key != "file"}
    return read_dataset(folder / given["file"], **options)


def _bundled(given: Mapping[str, Any], place: str) -> Dataset:
    """One of the data sets that come with scikit-learn, its classes by name."""
    extra = next((key for key in given if key not in ("bundled", "positive")), None)
    if extra is not None:
        raise InputError(f"{place}.{extra} has no place beside bundled")
    if given["bundled"] not in BUNDLED:
        raise InputError(f"{place}.bundled = {given['bundled']!r} is not known{nearest(given['bundled'], BUNDLED)}")
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{given['bundled']}")()
    dataset = Dataset(loaded.data, loaded.target_names[loaded.target], positive=given.get("positive"))
    dataset.names = tuple(map(str, loaded.feature_names))
    return dataset
