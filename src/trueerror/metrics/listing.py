"""The catalogue: every metric with its facts, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from trueerror.metrics.registry import AVERAGES, Measure, every_measure, find_measure
from trueerror.results import Result, Table
from trueerror.results.words import listing

NEEDS = {
    "binary": "labels, one class",
    "classes": "labels",
    "cells": "labels",
    "scores": "scores",
    "losses": "probabilities",
    "class_scores": "a score for each class",
}


class Catalogue(Result):
    """Every metric with its facts: iterate over it, look one up by name, or take `.records()` and `.frame()`."""

    __slots__ = ("measures",)
    measures: tuple[Measure, ...]

    def __init__(self, measures: tuple[Measure, ...]) -> None:
        object.__setattr__(self, "measures", measures)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("the catalogue is frozen")

    def __reduce__(self) -> Any:
        return (Catalogue._from_data, (self._to_data(),))

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, name: str) -> Measure:
        return find_measure(name)

    def __contains__(self, name: object) -> bool:
        return any(name in (m.name, *m.aliases) for m in self.measures)

    def records(self) -> list[dict[str, object]]:
        """One record for each metric."""
        return [_facts(m) for m in self.measures]

    def _table(self) -> Table:
        rows = tuple((m.name, NEEDS[m.needs], _number(m.best), _range(m), m.summary) for m in self.measures)
        return Table(columns=("metric", "needs", "best", "range", "what"), rows=rows, names=5)

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()

    def __str__(self) -> str:
        rows = tuple((m.name, NEEDS[m.needs], _number(m.best), _range(m), ", ".join(m.options)) for m in self.measures)
        listed = Table(columns=("metric", "needs", "best", "range", "options"), rows=rows, names=5)
        prefixes = listing([f"{a}_" for a in AVERAGES], "or")
        return f"{len(self)} metrics; {prefixes} in front of one of a class averages it.\n\n{listed.text()}"

    __repr__ = __str__

    def _to_data(self) -> dict[str, Any]:
        return {"names": tuple(m.name for m in self.measures)}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return cls(tuple(find_measure(name) for name in data["names"]))


def _facts(m: Measure) -> dict[str, object]:
    return {
        "name": m.name,
        "title": m.title,
        "summary": m.summary,
        "needs": NEEDS[m.needs],
        "best": m.best,
        "low": m.range[0],
        "high": m.range[1],
        "higher_is_better": m.higher_is_better,
        "averages": m.needs == "binary",
        "options": ", ".join(m.options),
        "aliases": ", ".join(m.aliases),
        "undefined": m.undefined,
        "interval": _interval(m),
    }


def _interval(m: Measure) -> str:
    from trueerror.methods.decisions import default_for

    return default_for(m.situation)


def _number(x: float | None) -> str:
    return "–" if x is None else f"{x:g}".replace("inf", "∞")


def _range(m: Measure) -> str:
    low, high = (_number(x).replace("-", "−") for x in m.range)
    return f"{low} … {high}"


def catalogue() -> Catalogue:
    """Every metric with its best value, range, what it needs, its options, and its default interval.

    >>> catalogue()["tpr"].name, "macro_f1" in [m.name for m in catalogue()]
    ('recall', False)
    """
    return Catalogue(tuple(every_measure().values()))
