"""`trueerror run` with a [study] in the file: learning curves, lesion studies, bias and variance, overfitting."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from trueerror.experiments._toml import Recipe, make_learner
from trueerror.inputs._options import InputError, nearest
from trueerror.results import Result

# What a study is called in a file → where it lives.
STUDIES = {
    "learning-curve": ("trueerror.studies._learning_curve", "learning_curve"),
    "lesion-study": ("trueerror.studies._ablation", "lesion_study"),
    "ablation": ("trueerror.studies._ablation", "lesion_study"),
    "bias-variance": ("trueerror.studies._bias_variance", "bias_variance"),
    "estimator-laboratory": ("trueerror.studies._simulation", "estimator_laboratory"),
    "overfitting": ("trueerror.studies._overfitting", "overfitting"),
}
ONE_LEARNER = ("lesion_study", "estimator_laboratory")
# These stand outside of [study], where every experiment has them.
ELSEWHERE = ("store", "engine", "jobs", "timeout", "balance", "rng", "progress", "confidence", "plan")


def run_study(
    recipe: Recipe, options: Mapping[str, Any], *, metric: str | None, confidence: float, progress: bool
) -> Result:
    """Run the study that a file describes; its keys are the options of the verb."""
    given = dict(recipe.study or {})
    word = given.pop("kind", None)
    if word not in STUDIES:
        known = nearest(word, STUDIES) if isinstance(word, str) else f"; there are {', '.join(STUDIES)}"
        raise InputError(f"study.kind = {word!r} is not known{known}")
    module, name = STUDIES[word]
    verb: Callable[..., Result] = getattr(import_module(module), name)
    known_options = [p for p in inspect.signature(verb).parameters if p not in ("learner", "learners", "X", "y")]
    own = [key for key in known_options if key not in ELSEWHERE]
    for key in given:
        if key not in own:
            raise InputError(f"study.{key} is not an option of {word}{nearest(key, own)}")
    for key in options:
        if key not in known_options:
            raise InputError(f"{key} has no place in a file with a study of kind {word!r}")
    if metric is not None:
        if "metric" not in own:
            raise InputError(f"a study of kind {word!r} has its own loss, and no metric= to choose")
        given["metric"] = metric
    if isinstance(given.get("parts"), Mapping):
        given["parts"] = {part: _part(part, spec) for part, spec in given["parts"].items()}
    rows: tuple[Any, ...] = ()
    if "generator" not in given and name != "estimator_laboratory":
        if len(recipe.data) != 1:
            raise InputError(f"a study of kind {word!r} takes one data set, but there are {', '.join(recipe.data)}")
        rows = tuple(recipe.data.values())
    return verb(_learners(recipe, name, given), *rows, **given, **options, confidence=confidence, progress=progress)


def _learners(recipe: Recipe, name: str, given: Mapping[str, Any]) -> Any:
    single = name in ONE_LEARNER or (name == "overfitting" and "values" in given)
    if not single:
        return recipe.learners
    if len(recipe.learners) > 1:
        raise InputError(f"this study takes one learner, but there are {', '.join(recipe.learners)}")
    return next(iter(recipe.learners.values())) if name == "overfitting" else dict(recipe.learners)


def _part(name: str, spec: Any) -> Any:
    """A table with a class is a learner that lacks the part; any other table holds settings."""
    if isinstance(spec, Mapping) and ("class" in spec or "steps" in spec):
        return make_learner(spec, f"study.parts.{name}")
    return spec
