"""What is asked, and of which counts.

A `Problem` is one question: a metric of one sample, or the difference between two models, to a given spec. Methods are
functions of it, entered with `@inference_method` (`trueerror.methods`); what people read of them is in `methods.toml`.
`_choose` holds the table of defaults, and `_answer` is the one door: it takes the default or the method that was asked
for, runs it and finishes what it gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, nearest
from trueerror.methods._registry import Kind
from trueerror.results import Alternative, Interval, Side
from trueerror.results._values import Note, sentences_of

if TYPE_CHECKING:
    from trueerror.metrics._registry import Measure, MetricOptions

SIDES: tuple[Side, ...] = ("two-sided", "lower", "upper")
_STANDARD = NormalDist()


def tail(confidence: float, side: Side = "two-sided") -> float:
    """The probability left out at one end: α/2 with two sides, α with one.

    >>> round(tail(0.95), 6), round(tail(0.95, "lower"), 6)
    (0.025, 0.05)
    """
    check_word(side, SIDES, "side")
    level = check_confidence(confidence, one_sided=side != "two-sided")
    return (1 - level) / 2 if side == "two-sided" else 1 - level


def critical_z(confidence: float = 0.95, side: Side = "two-sided") -> float:
    """The normal quantile z with Φ(z) = 1 − α/2 (two sides) or 1 − α (one side).

    Taken from the lower tail, where no digits are lost however near the confidence is to 1 (Wichura 1988, AS 241).

    >>> round(critical_z(0.95), 4), round(critical_z(0.95, "lower"), 4)
    (1.96, 1.6449)
    """
    return -_STANDARD.inv_cdf(tail(confidence, side))


def critical(confidence: float = 0.95, *, df: float | None = None, side: Side = "two-sided") -> float:
    """The critical value of z, or with `df` of Student's t: what an estimate's standard error is multiplied by.

    Two-sided, `confidence` of the distribution lies between −value and +value; with `side="lower"` or `"upper"` it lies
    on one side of it. Source: Student 1908, Biometrika 6:1.

    >>> round(critical(0.95), 2), round(critical(0.95, df=10), 2), round(critical(0.95, df=2, side="upper"), 2)
    (1.96, 2.23, 2.92)
    """
    check_word(side, SIDES, "side")
    level = check_confidence(confidence)
    if df is None:
        return critical_z(level, side)
    if isinstance(df, bool) or not isinstance(df, int | float) or math.isnan(df):
        raise InputError(f"df={df!r:.40} is not a number of degrees of freedom, such as 10")
    return critical_t(level, df, side)


def critical_t(confidence: float = 0.95, df: float = math.inf, side: Side = "two-sided") -> float:
    """The quantile of Student's t with `df` degrees of freedom; with infinitely many it is `critical_z`.

    >>> round(critical_t(0.95, 10), 3), round(critical_t(0.9, 2), 2)
    (2.228, 2.92)
    """
    if not df > 0:
        raise InputError(f"df={df!r} must be positive: a spread needs at least two values")
    if math.isinf(df):
        return critical_z(confidence, side)
    from scipy import special

    return -float(special.stdtrit(df, tail(confidence, side)))


Range = tuple[float, float]
Notes = str | Note | Iterable[str | Note | None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalSpec:
    """What is asked of an interval or a contrast: confidence, side, how many at once, random numbers.

    `over` intervals are meant to hold together: each is then made at the confidence 1 − α/over (Bonferroni), while
    the results carry the confidence of the whole set. `each_at` overrides the confidence that each is made at.
    `alternative` is that of a contrast, `bound` the value that its limits are held against. Resampling draws
    `replicates` with `rng`.
    """

    confidence: float = 0.95
    side: Side = "two-sided"
    over: int = 1
    estimand: str = ""
    each_at: float | None = None
    alternative: Alternative = "two-sided"
    bound: float = 0.0
    rng: Rng = None
    replicates: int = 10_000

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
        note: Notes = None,
        df: float = math.inf,
    ) -> Interval:
        """The result: limits cut to the range and the side, holding the estimate; NaN with a note where they meet."""
        # Rounding can put a perfect score a hair beyond the end of its range; what is NaN stays so.
        estimate = min(max(estimate, bounds[0]), bounds[1])
        low, high = max(min(low, estimate), bounds[0]), min(max(high, estimate), bounds[1])
        if self.side == "upper" and not math.isnan(high):
            low = bounds[0]
        elif self.side == "lower" and not math.isnan(low):
            high = bounds[1]
        notes = [note] if isinstance(note, str | Note | None) else list(note)
        if low == high:
            low = high = math.nan
            notes.append(Note("no-spread"))
        if self.level != self.confidence:
            notes.append(Note("simultaneous", (self.level,)))
        result = Interval(
            name=name, estimate=estimate, low=low, high=high, confidence=self.confidence, side=self.side, method=method,
            n=n, note=sentences_of(notes), estimand=self.estimand,
        )  # fmt: skip
        result._keep_notes(tuple(note for note in notes if isinstance(note, Note)), df)
        return result


class IntervalLimits(NamedTuple):
    """What a method gives: both limits, the key of the method that was used in the end, and a note.

    `resampled`: they come from replicates. `n`: how many rows they are of, where other limits of the sample are of
    another number. `df` are those of the t that they are made with.
    """

    low: float
    high: float
    method: str
    note: str | Note | tuple[str | Note | None, ...] | None = ""
    resampled: bool = False
    n: float | None = None
    df: float = math.inf

    @property
    def notes(self) -> tuple[str | Note | None, ...]:
        """The note, or all of them."""
        return self.note if isinstance(self.note, tuple) else (self.note,)


S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem(Generic[S]):
    """One question: a metric of a `sample`, the counts with what is known of the rows, or of two.

    `spec` holds confidence, side or alternative, how many intervals hold together, replicates and random numbers;
    `options` are the metric's own.
    """

    metric: Measure
    sample: S
    spec: IntervalSpec
    options: MetricOptions = field(default_factory=dict)

    @property
    def on(self) -> Kind:
        """What it is about: one sample, two models on the same rows or on different rows, learners."""
        kind: Kind = cast(Any, self.sample).on
        return kind

    @property
    def ends(self) -> Range:
        """Between which values the metric lies."""
        return self.metric.bounds(self.options)


class NotOffered(InputError):
    """A method that does not apply to a metric of these rows; the message lists those that do."""

    def __init__(self, method: str, metric: str, words: Iterable[str], why: str = "") -> None:
        known = list(words)
        hint = nearest(method, known) if known else "; leave method= out"
        super().__init__(f"method={method!r} is not offered for {metric}{why}{hint}")
