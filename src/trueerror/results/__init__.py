"""Results: small frozen values that print, tabulate, plot, explain and write themselves down."""

from trueerror.results._document import DocumentResult, Result, Table, TrackedResult, from_records, to_frame
from trueerror.results._format import Text
from trueerror.results._json import load
from trueerror.results._values import Alternative, Contrast, Df, Interval, Posterior, Side, Test

__all__ = [
    "Alternative",
    "Contrast",
    "Df",
    "DocumentResult",
    "Interval",
    "Posterior",
    "Result",
    "Side",
    "Table",
    "Test",
    "Text",
    "TrackedResult",
    "from_records",
    "load",
    "to_frame",
]
