"""How commands read a file of predictions: the common options become those of `te.read`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trueerror.inputs._options import InputError
from trueerror.sources._api import read
from trueerror.sources._predictions import Predictions
from trueerror.sources.logs._recognise import log_reader


def read_file(
    file: str,
    *,
    model: list[str] | None = None,
    score: list[str] | None = None,
    **columns: Any,
) -> Predictions:
    """Predictions from a file; `--model` names columns of labels or scores, `--score` columns of scores."""
    if log_reader(file) is not None:
        # A log names its own models; --score names what decides between right and wrong.
        found = read(file, score=score or None, **columns)
        return found.select(list(model)) if model else found
    models: Any = None
    if model and score:
        if len(model) != len(score):
            raise InputError(
                f"--model names {len(model)} columns and --score {len(score)}: give one score for each model, or only "
                "one of the two"
            )
        models = {m: {"label": m, "score": s} for m, s in zip(model, score, strict=True)}
    elif score:
        models = {s: {"score": s} for s in score}
    elif model:
        models = list(model)
    for kind in ("id", "cluster", "fold", "repeat", "weight"):
        # "none" declines a column that would be recognised by its name.
        if columns.get(kind) == "none":
            columns[kind] = False
    return read(file, models=models, **columns)


def read_named(file: str, **options: Any) -> Predictions:
    """The same, with a model that its file leaves unnamed called by the file's name, so that two files differ."""
    given = read_file(file, **options)
    reader = log_reader(file)
    if reader is not None and given.models == ("model",):
        score = options.get("score")
        named: Any = {Path(file).stem: file}
        if reader.__name__ == "weka":
            return reader(named, positive=options.get("positive"), missing=options["missing"])
        return reader(named, score=score or None, missing=options["missing"])
    if given.models != ("model",) or file == "-":
        return given
    parts = {kind: c for kind in ("labels", "scores") if (c := given.roles.column(kind, "model")) is not None}
    if not parts:
        return given
    name = Path(file).stem
    one = {kind.rstrip("s"): column for kind, column in parts.items()}
    rest = {k: v for k, v in options.items() if k not in ("model", "score")}
    return read(file, models={name: one}, **rest)
