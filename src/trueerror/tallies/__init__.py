"""Tallies: what was counted. Frozen; shards of one sample add up; nothing downstream looks at rows again."""

from trueerror.tallies.agreement import Agreement, Discordance
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import BinaryCounts, ClassCounts
from trueerror.tallies.keyed import KeyedConfusion
from trueerror.tallies.keyed_agreement import KeyedAgreement
from trueerror.tallies.missing import Missing
from trueerror.tallies.moments import Moments
from trueerror.tallies.multilabel import MultiLabel
from trueerror.tallies.scores import ScoreTable

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
