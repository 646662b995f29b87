"""On what terms an interval is asked for: confidence, side, how many at once, and of what it speaks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.intervals.critical import SIDES, critical_t, tail
from trueerror.results import Interval, Side
from trueerror.results.words import percent

Range = tuple[float, float]
NO_WIDTH = "the counts show no spread, so no limits can be told"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Shared by all intervals of one request.

    `over` intervals are meant to hold together: each is then made at the confidence 1 − α/over (Bonferroni), while
    the results carry the confidence of the whole set. `level` overrides the confidence that each is made at.
    """

    confidence: float = 0.95
    side: Side = "two-sided"
    over: int = 1
    estimand: str = ""
    each_at: float | None = None

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_word(self.side, SIDES, "side")
        if self.over < 1 or self.over != int(self.over):
            raise InputError(f"simultaneous_over={self.over!r} must be a whole number of at least 1")

    @property
    def level(self) -> float:
        """The confidence that each single interval is made at."""
        if self.each_at is not None:
            return self.each_at
        # Written so that a billion intervals at 99.9 % do not round to certainty.
        return 1 - (1 - self.confidence) / self.over

    @property
    def tail(self) -> float:
        """What is left out beyond one limit."""
        return tail(self.level, self.side)

    @property
    def both_sides(self) -> Terms:
        """The two-sided terms with the same distance to each limit, for parts that a sum is made of."""
        if self.side == "two-sided":
            return self
        # At a one-sided confidence of a half or less the distance is 0 or beyond; parts keep a little.
        return Terms(confidence=self.confidence, estimand=self.estimand, each_at=max(1 - 2 * self.tail, 1e-6))

    def factor(self, df: float = math.inf) -> float:
        """How many standard errors a limit lies from the estimate."""
        return critical_t(self.level, df, self.side)

    def interval(
        self,
        name: str,
        estimate: float,
        low: float,
        high: float,
        *,
        bounds: Range,
        method: str,
        n: float,
        note: str = "",
    ) -> Interval:
        """The result: limits cut to the range and the side, holding the estimate; NaN with a note where they meet."""
        if not math.isnan(estimate):
            # Rounding can put a perfect score a hair beyond the end of its range.
            estimate = min(max(estimate, bounds[0]), bounds[1])
            low, high = min(low, estimate), max(high, estimate)
        low, high = max(low, bounds[0]), min(high, bounds[1])
        if self.side == "upper" and not math.isnan(high):
            low = bounds[0]
        elif self.side == "lower" and not math.isnan(low):
            high = bounds[1]
        notes = [note] if note else []
        if low == high:
            low = high = math.nan
            notes.append(NO_WIDTH)
        if self.level != self.confidence:
            notes.append(f"holds together with others: made at {percent(self.level)}")
        return Interval(
            name=name, estimate=estimate, low=low, high=high, confidence=self.confidence, side=self.side, method=method,
            n=n, note="; ".join(notes), estimand=self.estimand,
        )  # fmt: skip
