"""What curves are made of: frozen views over a score table, one point for each distinct score."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.roc_area import effective_rows
from trueerror.results import Interval, Result
from trueerror.results.words import folded
from trueerror.tallies.counts import BinaryCounts
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]


class TableCurve(Result):
    """A curve that is computed from its score table; it travels as JSON by that table.

    `name` is the model's; `caution` is what every interval that is read off the curve must say beside it. Subclasses
    list further fields that must travel in `_options`.
    """

    __slots__ = ("caution", "name", "table")
    _options: ClassVar[tuple[str, ...]] = ()
    # How the curve is drawn: an entry of the catalogue of methods.
    _shape: ClassVar[str]
    table: ScoreTable
    name: str
    caution: str

    def __init__(self, table: ScoreTable, *, name: str = "") -> None:
        self._set(table=table, name=name, caution="")

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, frozen(value) if isinstance(value, np.ndarray) else value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen; make a new one")

    def __reduce__(self) -> Any:
        return (_restore, (type(self), self._to_data()))

    def _to_data(self) -> dict[str, Any]:
        return {**{key: getattr(self, key) for key in ("table", "name", *self._options)}, **self._cautioned()}

    def _cautioned(self) -> dict[str, str]:
        return {"caution": self.caution} if self.caution else {}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        fields = dict(data)
        caution = str(fields.pop("caution", ""))
        made = cls(fields.pop("table"), **fields)
        made._set(caution=caution)
        return made

    @property
    def n(self) -> float:
        """All rows (or their weight)."""
        return self.table.n

    @property
    def prevalence(self) -> float:
        """Share of the rows that are positive."""
        return self.table.n_positive / self.table.n

    def _class_rows(self) -> tuple[float, float]:
        """Positives and negatives; with sampling weights the equal rows that they are worth."""
        return effective_rows(self.table)

    def _all_rows(self) -> float:
        """The rows; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
        n = float(self.table.n)
        return n if self.table.squares is None else n * n / float(self.table.squares.sum())

    def _told(self, interval: Interval) -> Interval:
        """The interval with the caution in its note, and with what binning leaves open, where it does not say that."""
        binned = "" if "binned scores" in interval.note else self._binned()
        if not (self.caution or binned):
            return interval
        return replace(interval, note="; ".join(w for w in (interval.note, binned, self.caution) if w))

    def _words(self) -> str:
        return f"{type(self).__name__}{self._subject()} of {self.table}"

    def __str__(self) -> str:
        return folded(self._words() + self._cautions())

    def _binned(self) -> str:
        """What binned scores leave open of the curve, in words; empty where scores are exact."""
        return self.table.bounds.words()

    def _cautions(self) -> str:
        """What must be said beside the curve, a line each."""
        binned = self._binned()
        lines = [f"{binned[0].upper()}{binned[1:]}."] if binned else []
        return "".join(f"\n{line}" for line in [*lines, *([f"Caution: {self.caution}."] if self.caution else [])])

    def _made_by(self) -> list[tuple[str, object]]:
        return [("the curve", self._shape), *self._figures()]

    def _figures(self) -> list[tuple[str, object]]:
        """What is read off the curve, each with its method or with the figure that names it."""
        return []

    def _subject(self) -> str:
        return f" of {self.name}" if self.name else ""

    def __repr__(self) -> str:
        return str(self)


def _restore(kind: type[TableCurve], data: dict[str, Any]) -> TableCurve:
    return kind._from_data(dict(data))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def counts_at_cutoffs(table: ScoreTable) -> BinaryCounts:
    """The four counts at every cutoff, from "nothing is called positive" down through each distinct score.

    >>> c = counts_at_cutoffs(ScoreTable.count([0, 1, 1], [0.2, 0.9, 0.2]))
    >>> c.tp.tolist(), c.fp.tolist()
    ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0])
    """
    tp, fp = downward(table.positives), downward(table.negatives)
    return BinaryCounts(tp, fp, tp[-1] - tp, fp[-1] - fp)


def cutoffs(table: ScoreTable) -> Floats:
    """Thresholds, descending; the first is infinite: nothing is called positive."""
    return np.concatenate(([np.inf], table.scores[::-1]))


def downward(counts: NDArray[Any]) -> Floats:
    """Running sums from the highest score down, starting at 0; the last axis runs over ascending scores.

    As floats, which are exact up to 2⁵³ rows, so that products of counts do not overflow.
    """
    total = np.zeros((*counts.shape[:-1], counts.shape[-1] + 1))
    np.cumsum(counts[..., ::-1], axis=-1, out=total[..., 1:])
    return total


def area_under(x: Floats, y: Floats) -> float:
    """The area under points joined by straight lines."""
    return float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
