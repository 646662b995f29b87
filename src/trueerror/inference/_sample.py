"""What a question may know of a sample: facts for the decision table, the estimate, and how an answer is finished.

A sample is a tally with what is known of its rows. `OneSample` is that of one model: labels, scores, losses or grades,
scores by class, or a model for each fold. Each says what its units add (`estimated`); the rest is the same for all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from trueerror.inference._problem import IntervalLimits, Problem, Range
from trueerror.methods._registry import ONE, InferenceMethod, Kind
from trueerror.results import Interval
from trueerror.results._values import Note

if TYPE_CHECKING:
    from trueerror.inference._estimate import Estimate
    from trueerror.metrics._registry import Measure

# What was counted: a confusion matrix, a score table, values of rows or clusters, scores by class, a model a fold.
Tally = Literal["labels", "scores", "values", "class scores", "folds", ""]


ONE_CLUSTER = Note("one-cluster")


class Sampled:
    """The facts that the decision table asks of a sample; what does not hold of most of them is False here."""

    __slots__ = ()
    on: ClassVar[Kind]

    @property
    def in_folds(self) -> bool:
        """Whether there is one model for each fold, under one name."""
        return False

    @property
    def in_rounds(self) -> bool:
        """Whether the same rows were split into folds again and again."""
        return False

    @property
    def repeated(self) -> bool:
        """Whether rows were tested several times."""
        return False

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is a share of these rows, which are independent and count alike."""
        return False

    def ranks_within_folds(self, metric: Measure) -> bool:
        """Whether rows are ranked, and only against those of their fold."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimated:
    """An estimate with its notes; `instead` gives the limits where its units show no spread.

    At the end of its range a metric of ranks is a share of so many rows: `alike`, or `rows` without clusters.
    """

    estimate: Estimate
    notes: tuple[Note | str, ...] = ()
    instead: Callable[[], IntervalLimits | None] = lambda: None
    alike: float = math.inf
    rows: float = math.inf


class OneSample(Sampled):
    """The sample of one model."""

    __slots__ = ()
    on = ONE
    tally: ClassVar[Tally] = ""

    @property
    def plain(self) -> bool:
        """Whether rows were drawn at random and count alike, at their own class mix."""
        return False

    @property
    def clustered(self) -> bool:
        """Whether rows are in clusters."""
        return False

    @property
    def value(self) -> float:
        """The metric; NaN where it is undefined."""
        raise NotImplementedError

    @property
    def n(self) -> float:
        """How many rows it is of."""
        raise NotImplementedError

    @property
    def groups(self) -> int:
        """How many clusters the rows are in."""
        raise NotImplementedError

    def estimated(self, q: Problem[Any]) -> Estimated:
        """What the units add to the metric."""
        raise NotImplementedError

    def why_undefined(self, q: Problem[Any]) -> str | Note:
        """Why the metric has no value."""
        raise NotImplementedError

    def ends(self, q: Problem[Any]) -> Range:
        """Between which values the metric lies."""
        return q.ends

    def nothing(self, q: Problem[Any]) -> IntervalLimits | None:
        """What is said where no method can say anything: of an undefined metric, and of one cluster; else None."""
        if math.isnan(self.value):
            return IntervalLimits(*known_ends(q.ends), "", self.why_undefined(q))
        if self.clustered and self.groups < 2:
            return IntervalLimits(math.nan, math.nan, "", ONE_CLUSTER)
        return None

    def limits(self, q: Problem[Any], chosen: InferenceMethod) -> IntervalLimits:
        """What the method gives, which may be an array of one."""
        found = chosen.function(q)
        return found if isinstance(found, IntervalLimits) else cast(IntervalLimits, found.only)

    def answered(self, q: Problem[Any], chosen: InferenceMethod) -> Interval:
        """The interval by a method: undefined values, the range, the side and notes are seen to here, for all."""
        nothing = self.nothing(q)
        if nothing is not None:
            return self._interval(q, nothing._replace(method=chosen.key), q.ends)
        made = self.limits(q, chosen)
        return self.widened(q, self._interval(q, made, self.ends(q)), made, chosen)

    def _interval(self, q: Problem[Any], made: IntervalLimits, ends: Range) -> Interval:
        return q.spec.interval(
            q.metric.name, self.value, made.low, made.high, bounds=ends, method=made.method,
            n=self.n if made.n is None else made.n, note=made.note, df=made.df,
        )  # fmt: skip

    def widened(self, q: Problem[Any], found: Interval, made: IntervalLimits, chosen: InferenceMethod) -> Interval:
        """The interval widened by what the tally leaves open, as binned scores do."""
        return found


def known_ends(ends: Range) -> Range:
    """The ends of a range as limits: NaN where it has none."""
    low, high = (end if math.isfinite(end) else math.nan for end in ends)
    return low, high


def scored(q: Problem[Any]) -> bool:
    """Whether the sample is a table of scores of independent rows."""
    return q.sample.tally == "scores" and not q.sample.clustered
