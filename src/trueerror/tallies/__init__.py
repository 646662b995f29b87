"""Tallies: what was counted. Frozen; shards of one sample add up; nothing downstream looks at rows again."""

from trueerror.tallies._agreement import Agreement, Discordance, KeyedAgreement, KeyedConfusion
from trueerror.tallies._confusion import BinaryCounts, ClassCounts, Confusion
from trueerror.tallies._missing import Missing
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._scores import ScoreTable

__all__ = [
    "Agreement",
    "BinaryCounts",
    "ClassCounts",
    "Confusion",
    "Discordance",
    "KeyedAgreement",
    "KeyedConfusion",
    "Missing",
    "Moments",
    "MultiLabel",
    "ScoreTable",
]
