"""Thresholds: where a score becomes a call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from trueerror.inputs.errors import InputError, nearest
from trueerror.rows.source import ModelFacts, ScoreRange, check_threshold

# One threshold for all models that have scores, or one for each by name.
Threshold = float | Mapping[str, float] | None


def apply_threshold(models: Iterable[ModelFacts], threshold: Threshold) -> tuple[ModelFacts, ...]:
    """The models with a threshold on those that have scores; labels alone stay as they are."""
    known = tuple(models)
    if threshold is None:
        return known
    if isinstance(threshold, Mapping):
        cuts = {name: check_threshold(value) for name, value in threshold.items()}
        unknown = next((name for name in cuts if name not in {m.name for m in known}), None)
        if unknown is not None:
            raise InputError(
                f"threshold= names {unknown!r}, which is no model{nearest(unknown, [m.name for m in known])}"
            )
        unscored = next((m.name for m in known if m.scores == "none" and m.name in cuts), None)
        if unscored is not None:
            raise InputError(f"threshold= names {unscored!r}, which has labels only; there is no score to cut")
    else:
        cut = check_threshold(threshold)
        cuts = {m.name: cut for m in known if m.scores != "none"}
        if not cuts:
            raise InputError(f"threshold={threshold!r} was given, but no model has scores to cut")
    return tuple(replace(m, threshold=cuts.get(m.name, m.threshold)) for m in known)


def settled_threshold(model: str, threshold: float | None, reach: Callable[[], ScoreRange]) -> float:
    """The threshold itself, or 0.5 when all scores lie in [0, 1]."""
    if threshold is not None:
        return threshold
    low, high, *_ = reach()
    if low < 0 or high > 1:
        raise InputError(
            f"the scores of {model!r} run from {low:.4g} to {high:.4g}, not within [0, 1], so 0.5 may be the wrong "
            "cut: pass threshold="
        )
    return 0.5
