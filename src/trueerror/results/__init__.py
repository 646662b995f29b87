"""Results: small frozen values that print, tabulate, plot, explain and write themselves down."""

from trueerror.results.base import Result, to_frame
from trueerror.results.codec import load
from trueerror.results.tables import Table, from_records
from trueerror.results.values import Alternative, Contrast, Df, Interval, Posterior, Side, Test
from trueerror.results.words import Text

__all__ = [
    "Alternative",
    "Contrast",
    "Df",
    "Interval",
    "Posterior",
    "Result",
    "Side",
    "Table",
    "Test",
    "Text",
    "from_records",
    "load",
    "to_frame",
]
