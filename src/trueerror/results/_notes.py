"""Notes as values: a code with what it speaks of travels beside a result, and its sentence is written once, here.

Code that must know why an interval is what it is reads `Interval.notes`; nothing reads a sentence back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from trueerror.results._format import percent, whole


@dataclass(frozen=True, slots=True)
class Note:
    """Why a part of a result is NaN, or which way was taken: a code of `SENTENCES`, and the values to fill it with."""

    code: str
    values: tuple[object, ...] = ()

    def __str__(self) -> str:
        return SENTENCES[self.code](*self.values)


def written(notes: Iterable[Note | str | None]) -> str:
    """The sentences of several notes in one; None and "" are left out."""
    return "; ".join(str(note) for note in notes if note)


def _rows_worth(size: float) -> str:
    return whole(float(round(size)))


def _always(words: str) -> Callable[[], str]:
    return lambda: words


SENTENCES: dict[str, Callable[..., str]] = {
    code: _always(words)
    for code, words in {
        "no-spread": "the counts show no spread, so no limits can be told",
        "given-by-prior": "given by prior=, not estimated",
        "no-rows": "there are no rows",
        "one-cluster": "all rows are in one cluster, so nothing shows how clusters differ",
        "unseen-error": "a count is 0: the outer limits with those from counts with ½ added to each",
        "half-added": "a count is 0: limits from counts with ½ added to each",
        "zero-count": "a count is 0, so no limits can be told",
        "no-variance": "no variance to be seen in the counts",
        "bent": "too near the end of the range for a straight interval",
        "two-rows-added": "few rows of a class were found or confused: the outer limits with those from two rows more, "
        "spread over all cells",
        "same-cost": "all rows cost the same",
        "rare-errors": "an error was seen fewer than 5 times: the outer limits with those of the mean cost",
        "moved-up": "the F1 of a class with few rows is too low on average: the limits are moved up by that",
        "outer-of-classes": "few errors or few hits a class: the outer limits with wilson-of-classes",
        "class-never-found": "a class was never found: its upper limit stands in for it",
        "class-borrowed": "a class was never found: its share with two rows borrowed from all classes stands in",
        "labels-dependent": "labels of one row may depend on each other in any way: the mean of the labels' limits",
        "labels-by-rows": "labels of one row may depend on each other in any way: as many independent decisions as "
        "rows",
        "labels-need-rows": "how the labels of a row depend on each other is not in the counts, so no limits can be "
        "told",
        "summed-weights": "its interval needs resampled rows, and sampling weights were summed over rows",
        "flat-resamples": "the bootstrap limits have no width",
    }.items()
} | {
    "simultaneous": lambda level: f"holds together with others: made at {percent(level)}",
    "no-width": lambda method: f"{method} has no width here",
    "clusters": lambda groups: f"{whole(groups)} clusters",
    "clusters-worth": lambda g, size: f"{whole(g)} clusters, worth about {_rows_worth(size)} independent rows",
    "weights-worth": lambda size: f"the weights leave about {_rows_worth(size)} rows' worth",
    "wilson-at-rows": lambda units: f"no variance to be seen in the counts: Wilson's limit at the number of {units}",
    "unseen-class": lambda label: f"no rows of class {label!r}: its part may be anything from 0 to 1",
    "no-errors": lambda right: f"{'no errors' if right else 'no hits'}: from Wilson's limit of the accuracy",
    "instead-of-bootstrap": lambda why, method: f"{why}: {method} instead of the bootstrap",
}  # fmt: skip
