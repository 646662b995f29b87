"""`trueerror run`: an experiment written down as TOML, or with a [study] in it a learning curve, a lesion study, …"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from trueerror.cli._answers import complain, repeated
from trueerror.cli._option_groups import OutputOptions
from trueerror.cli._target import target
from trueerror.inputs._options import InputError, check_confidence, nearest

if TYPE_CHECKING:
    from trueerror.experiments._outcomes import Failure
    from trueerror.experiments._toml import Recipe
    from trueerror.results import Result

MOST_FAILURES = 10
ENDINGS = (".html", ".csv", ".json", ".md", ".tex", ".txt", ".png", ".svg", ".pdf")
ABLATIONS = ("lesion-study", "ablation")
STUDIES = ("learning-curve", *ABLATIONS, "bias-variance", "estimator-laboratory", "overfitting", "training-shares")
ONE_LEARNER = ("lesion_study", "estimator_laboratory")
# These stand outside of [study], where every experiment has them.
ELSEWHERE = ("store", "engine", "jobs", "timeout", "balance", "rng", "progress", "confidence", "plan")


def run_command(
    file: str,
    *,
    resume: bool,
    retry: bool,
    metric: list[str] | None,
    seed: int | None,
    confidence: float | None,
    progress: bool,
    also: Path | None,
    output: OutputOptions,
    **fits: Any,
) -> None:
    """Run an experiment."""
    from trueerror.experiments._experiment import experiment
    from trueerror.experiments._toml import check_metrics, read_recipe

    written = None if also is None else target(also, ENDINGS, "what an experiment found")
    recipe = read_recipe(file)
    for note in (note for data in recipe.data.values() for note in data.notes):
        complain(f"Note: {note}")
    metrics = check_metrics(tuple(metric or recipe.metrics), recipe.data)
    given = {**fits, "rng": seed}
    options: dict[str, Any] = recipe.options | {key: value for key, value in given.items() if value is not None}
    level = check_confidence(recipe.confidence if confidence is None else confidence)
    _check_store(options.get("store"), resume or retry)
    try:
        if recipe.study is not None:
            name = metric[0] if metric else None
            study = run_study(recipe, options, metric=name, confidence=level, progress=progress)
            if written is not None:
                study.save(written)
            output.show(study)
            return
        run = experiment(recipe.learners, recipe.data, progress=progress, retry=retry, **options)
    except KeyboardInterrupt:
        kept = "" if options.get("store") is None else "; finished fits are kept: go on with --resume"
        complain(f"Stopped{kept}")
        raise
    for line in failure_lines(run.failures):
        complain(f"Warning: {line}")
    summary = run.summary(metrics, confidence=level, ignore=output.ignore or ())
    if written is not None and written.suffix.lower() == ".html":
        from trueerror.reports import report

        again = repeated("run", "progress", "resume", "retry", "jobs")
        report(run, written, metric=metrics[0], confidence=level, ignore=output.ignore or (), command=again)
    elif written is not None and written.suffix.lower() == ".csv":
        run.save(written, metrics)
    elif written is not None:
        summary.save(written)
    output.show(summary)
    # A learner without a single fit is an experiment that did not do what it was asked for.
    if any(
        all(fit.status != "done" for (_, learner), fits in run.outcomes.items() if learner == name for fit in fits)
        for name in run.learners
    ):
        raise typer.Exit(1)


def failure_lines(failures: Sequence[Failure]) -> list[str]:
    """Failures with the same words once, with how often and where they came first."""
    same: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        same.setdefault((failure.learner, failure.data, " ".join(failure.error.split())), []).append(failure)
    lines = []
    for (learner, data, error), group in list(same.items())[:MOST_FAILURES]:
        often = "1 fit" if len(group) == 1 else f"{len(group):,} fits"
        where = f"{'first ' if len(group) > 1 else ''}in repeat {group[0].repeat + 1}, fold {group[0].fold + 1}"
        lines.append(f"{learner} on {data}: {often} failed, {where}: {error[:300]}{'…' if len(error) > 300 else ''}")
    if len(same) > MOST_FAILURES:
        lines.append(f"and {len(same) - MOST_FAILURES:,} other kinds of failure")
    return lines


def _check_store(store: str | None, resume: bool) -> None:
    """Going on with an old run is asked for, so that nobody does it unawares."""
    from trueerror.experiments._store import holds_run

    if store is None:
        if resume:
            raise InputError('--resume needs a store: put store = "folder" in the file, or pass --store')
        return
    if not resume and holds_run(store):
        raise InputError(
            f"the store {store} holds a run already; add --resume to go on with it, or pass another --store"
        )


def run_study(
    recipe: Recipe, options: Mapping[str, Any], *, metric: str | None, confidence: float, progress: bool
) -> Result:
    """Run the study that a file describes; its keys are the options of the verb."""
    given = dict(recipe.study or {})
    word = given.pop("kind", None)
    if word not in STUDIES:
        known = nearest(word, STUDIES) if isinstance(word, str) else f"; there are {', '.join(STUDIES)}"
        raise InputError(f"study.kind = {word!r} is not known{known}")
    name = {"ablation": "lesion_study"}.get(word, word.replace("-", "_"))
    verb: Callable[..., Result] = getattr(import_module("trueerror"), name)
    known_options = [p for p in inspect.signature(verb).parameters if p not in ("learner", "learners", "X", "y")]
    study_options = [key for key in known_options if key not in ELSEWHERE]
    for key in given:
        if key not in study_options:
            raise InputError(f"study.{key} is not an option of {word}{nearest(key, study_options)}")
    for key in options:
        if key not in known_options:
            raise InputError(f"{key} has no place in a file with a study of kind {word!r}")
    if metric is not None:
        if "metric" not in study_options:
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
    from trueerror.experiments._toml import make_learner

    if isinstance(spec, Mapping) and ("class" in spec or "steps" in spec):
        return make_learner(spec, f"study.parts.{name}")
    return spec
