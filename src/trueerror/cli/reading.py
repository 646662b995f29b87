"""How commands read a file of predictions: the common options become those of `te.read`."""

from __future__ import annotations

from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.rows.predictions import Predictions
from trueerror.rows.reading import read


def read_file(
    file: str,
    *,
    model: list[str] | None = None,
    score: list[str] | None = None,
    **columns: Any,
) -> Predictions:
    """Predictions from a file; `--model` names columns of labels or scores, `--score` columns of scores."""
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
    return read(file, models=models, **columns)
