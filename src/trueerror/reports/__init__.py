"""Reports: what was found, as one file to send to somebody."""

from trueerror.reports.page import report

__all__ = ["report"]
