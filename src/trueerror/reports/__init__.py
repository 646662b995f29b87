"""Reports: what was found, as one file to send to somebody."""

from trueerror.reports._report import report

__all__ = ["report"]
