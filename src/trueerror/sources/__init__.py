"""Rows: predictions, and the places that rows come from."""

from trueerror.sources._predictions import (
    Facts,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    ModelFacts,
    Predictions,
    Roles,
    ScoreRange,
    Source,
)
from trueerror.sources.engines._array_source import ArraySource

__all__ = [
    "ArraySource",
    "Facts",
    "KeyKind",
    "KeyedLosses",
    "Keys",
    "Loss",
    "ModelFacts",
    "Predictions",
    "Roles",
    "ScoreRange",
    "Source",
]
