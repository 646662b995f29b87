"""Rows: predictions, and the places that rows come from."""

from trueerror.rows.arrays import ArraySource
from trueerror.rows.predictions import Predictions, Roles
from trueerror.rows.source import Facts, KeyedLosses, KeyKind, Keys, Loss, ModelFacts, ScoreRange, Source

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
