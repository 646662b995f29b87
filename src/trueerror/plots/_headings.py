"""What is written above curves and in their legends."""

from __future__ import annotations

from typing import Any

from trueerror.plots._text import plain, shorten
from trueerror.results import Interval
from trueerror.results._format import whole, with_limits

# Columns of a name in a legend; a composer of several curves gets names that differ within it.
LEGEND_NAME = 34
# Curves that have their bands without being asked: more would hide each other.
MOST_BANDS = 4
# Models by name, one curve each.
Named = list[tuple[str, Any]]


def heading(what: str, named: Named) -> str:
    """The kind of curve, and of which model where there is one.

    >>> heading("Lift", [("svm", None)]), heading("Lift", [("", None)]), heading("Lift", [("a", None), ("b", None)])
    ('Lift of svm', 'Lift', 'Lift of 2 models')
    """
    if len(named) > 1:
        return f"{what} of {len(named)} models"
    name = plain(named[0][0])
    return f"{what} of {shorten(name, 40)}" if name else what


def series_name(name: str, figures: str = "") -> str:
    """A legend entry: the model and its figures."""
    return ": ".join(part for part in (shorten(name, LEGEND_NAME), figures) if part)


def estimate_words(i: Interval) -> str:
    """An estimate with its limits."""
    return with_limits(i.estimate, i.low, i.high)


def sizes_words(named: Named) -> str:
    """How many rows of each class stand behind the curves, and how far binned scores may be off."""
    sizes = {(c.table.n_positive, c.table.n_negative) for _, c in named}
    off = max((c.table.bounds.largest for _, c in named if not c.table.exact), default=0.0)
    binned = f"; binned scores, rates within a bin off by {off:.2g} at most" if off else ""
    if len(sizes) > 1:
        return f"the models have different rows{binned}"
    positives, negatives = next(iter(sizes))
    return f"{whole(positives)} positives, {whole(negatives)} negatives{binned}"
