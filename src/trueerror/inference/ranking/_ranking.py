"""Models in the order of their mean ranks, with who differs clearly from whom."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from trueerror.inference._contrast import mirrored
from trueerror.inputs._options import InputError, nearest
from trueerror.results import Contrast, Result, Table, Test
from trueerror.results._format import number, p_value, percent, signed, some
from trueerror.results._values import deciding_p


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Ranking(Result):
    """Mean ranks of models over data sets (1 is best), an omnibus test, and every pair that was compared.

    `pairs` hold first − second; where they are differences of mean ranks, below 0 means that the first ranks better.
    `outcomes` are the wins, ties and losses of the first in each pair. `groups` are the largest sets of models that
    do not differ clearly at `alpha`; they may overlap. `critical_difference` is None where the method has none.
    """

    names: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n: int
    friedman: Test
    iman_davenport: Test
    pairs: tuple[Contrast, ...]
    outcomes: tuple[tuple[int, int, int], ...]
    groups: tuple[tuple[str, ...], ...]
    method: str
    alpha: float = 0.05
    critical_difference: float | None = None
    control: str | None = None
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        unknown = next((name for group in self.groups for name in group if name not in self.names), None)
        if unknown is not None:
            raise InputError(f"groups= names {unknown!r:.40}, which is not among the models")

    @property
    def order(self) -> tuple[str, ...]:
        """The models from the best mean rank to the worst."""
        places = sorted(range(len(self.names)), key=lambda i: (self.mean_ranks[i], i))
        return tuple(self.names[i] for i in places)

    @property
    def best(self) -> str:
        """The model with the best mean rank."""
        return self.order[0]

    @property
    def ranks(self) -> dict[str, float]:
        """Mean rank of each model, best first."""
        by_name = dict(zip(self.names, self.mean_ranks, strict=True))
        return {name: by_name[name] for name in self.order}

    def __getitem__(self, pair: tuple[str, str]) -> Contrast:
        """One pair, first − second in the order asked for."""
        return self._compared(*pair)[0]

    def told_apart(self, first: str, second: str) -> bool:
        """Whether the two differ at `alpha`, after the correction for the number of pairs."""
        return deciding_p(self[first, second]) <= self.alpha

    def records(self) -> list[dict[str, object]]:
        """One record for each pair."""
        ranks = self.ranks
        return [
            {"first": p.first, "second": p.second, "rank_first": ranks[p.first], "rank_second": ranks[p.second],
             "rank_difference": ranks[p.first] - ranks[p.second], "wins": wins, "ties": ties, "losses": losses,
             "statistic": p.statistic, "p_value": p.p_value, "p_adjusted": p.p_adjusted,
             "told_apart": deciding_p(p) <= self.alpha}
            for p, (wins, ties, losses) in zip(self.pairs, self.outcomes, strict=True)
        ]  # fmt: skip

    @property
    def verdict(self) -> str:
        """What the ranking says, in a sentence or two; models without a clear difference are never called equal."""
        first, ranks = self.control or self.best, self.ranks
        others = [m for m in self.order if m != first]
        level = [m for m in others if not self.told_apart(first, m)]
        if level and self.control is None:
            parts = [f"No clear winner: {_named([first, *level])} are too close to call"]
        else:
            parts = [f"{_named(level)} ha{'s' if len(level) == 1 else 've'} no clear difference from {first}"] * bool(
                level
            )
        for word in ("behind", "ahead of"):
            there = [m for m in others if m not in level and (ranks[m] > ranks[first]) == (word == "behind")]
            parts += [f"{_named(there)} rank{'s' if len(there) == 1 else ''} {word} {first}"] * bool(there)
        return ". ".join(parts) + "."

    def _table(self) -> Table:
        """Each model beside the one that it is compared with: the control, else the best."""
        anchor = self.best if self.control is None else self.control
        ranks = self.ranks
        rows = []
        for name, rank in ranks.items():
            if name == anchor:
                rows.append((name, f"{rank:.2f}", "", "", ""))
                continue
            pair, (wins, ties, losses) = self._compared(name, anchor)
            gap, outcome = signed(rank - ranks[anchor], 2), f"{wins}–{ties}–{losses}"
            rows.append((name, f"{rank:.2f}", gap, outcome, p_value(deciding_p(pair))))
        columns = ("model", "mean rank", f"from {anchor}", "won–tied–lost", "adjusted")
        return Table(columns=columns, rows=tuple(rows))

    def _compared(self, first: str, second: str) -> tuple[Contrast, tuple[int, int, int]]:
        for pair, (wins, ties, losses) in zip(self.pairs, self.outcomes, strict=True):
            if (pair.first, pair.second) == (first, second):
                return pair, (wins, ties, losses)
            if (pair.first, pair.second) == (second, first):
                return mirrored(pair, untied=wins + losses), (losses, ties, wins)
        unknown = next((name for name in (first, second) if name not in self.names), None)
        if unknown is not None:
            raise InputError(f"{unknown!r} is not in this ranking{nearest(unknown, self.names)}")
        against = "" if self.control is None else f"; each model was compared with {self.control!r} alone"
        raise InputError(f"{first!r} and {second!r} were not compared{against}")

    def __str__(self) -> str:
        direction = "higher" if self.higher_is_better else "lower"
        sets = "1 data set" if self.n == 1 else f"{self.n:,} data sets"
        lines = [f"{sets} × {len(self.names)} models, {direction} scores are better.", ""]
        lines += textwrap.wrap(self.verdict, 78, initial_indent="  ", subsequent_indent="  ")
        lines += ["", self._table().text(), ""]
        critical = self.critical_difference
        apart = "" if critical is None else f": mean ranks must lie {critical:.2f} apart (critical difference)"
        for text in (self._omnibus(), f"Pairs: {self.method} at {percent(self.alpha)}{apart}."):
            lines += textwrap.wrap(text, 78, subsequent_indent="  ")
        return "\n".join(lines)

    def _omnibus(self) -> str:
        test = self.iman_davenport
        if math.isnan(test.statistic):
            sets = "one data set" if self.n == 1 else f"{self.n} data sets"
            return f"Over all: {sets} cannot show a difference of mean ranks (Iman–Davenport has no value)."
        figures = f"(Iman–Davenport F = {number(test.statistic)}, {p_value(test.p_value)})"
        if not test.p_value <= self.alpha:
            return f"Over all: no evidence of a difference {figures}."
        which = "" if any(deciding_p(p) <= self.alpha for p in self.pairs) else ", but not which"
        return f"Over all: evidence that some differ{which} {figures}."


def _named(models: list[str]) -> str:
    return some(models, 6 if len(models) <= 6 else 5)
