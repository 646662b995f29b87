"""Two models, each on rows of its own: the difference of a metric, from the limits of both.

Two `ModelRows` are the sample of a `Problem`, as a pair on the same rows is in `_two_models`.

Source: Zou and Donner 2008, Stat. Med. 27:1693, for differences of two estimates with limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from scipy import special

from trueerror.inference._answer import contrast_of
from trueerror.inference._contrast import SEARCHED_P, contrast, of_better
from trueerror.inference._estimate import apart
from trueerror.inference._fragility import Failing, furthest, undone_by
from trueerror.inference._problem import IntervalSpec, Problem, Range, critical_t
from trueerror.inference._sample import Sampled
from trueerror.inference.auc._binned import unpaired_table_contrast, within_words
from trueerror.inference.loss._mean import infinite_contrast
from trueerror.inference.proportion._distributions import crossing
from trueerror.inference.proportion._two_samples import difference
from trueerror.inputs._options import InputError
from trueerror.methods._registry import DIFFERENT, InferenceMethod, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior
from trueerror.metrics.scores import metric_bounds
from trueerror.results import Contrast, Interval
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Confusion
from trueerror.tallies._score_bounds import Bounds


class ModelRows(NamedTuple):
    """One model on rows of its own; `interval` gives its metric at a confidence."""

    p: Predictions | Confusion
    model: str
    threshold: float | None
    prior: Prior | None
    interval: Callable[[float], Interval]

    @property
    def table(self) -> Confusion:
        """Truth × predicted."""
        return self.p if isinstance(self.p, Confusion) else self.p.confusion(self.model, threshold=self.threshold)

    @property
    def rows(self) -> Predictions:
        """The rows, for metrics that counts of calls do not hold."""
        if isinstance(self.p, Confusion):
            raise InputError(f"{self.model!r} is a confusion matrix, which has no scores")
        return self.p

    def proportion(self, measure: Measure) -> tuple[int, int]:
        """Successes and trials of a metric that is a share of rows."""
        table = self.table
        assert measure.share is not None
        x, n = measure.share(table.binary() if measure.of_one_class else table.classes(weighted=False))
        if n == 0:
            raise InputError(f"{measure.name} of {self.model!r} is undefined: {measure.undefined}")
        return round(float(x)), round(float(n))

    def bounds(self, measure: Measure) -> Bounds | None:
        """Between which values the exact metric lies, where scores are binned and that is known."""
        if not measure.of_scores or self.rows.has_class_scores(self.model):
            return None
        table = self.rows.scores(self.model)
        prior = None if measure.area else self.prior
        return None if table.exact else metric_bounds(measure, table, prior=prior)

    def asked(self, q: Two) -> Failing:
        """Its metric, as fragility looks at it."""
        return Failing(
            p=self.p, model=self.model, measure=q.metric, options=q.options, prior=self.prior, threshold=self.threshold,
            positive=self.p.positive if q.metric.of_one_class else None,
        )  # fmt: skip

    @property
    def plain(self) -> bool:
        """Neither clusters nor sampling weights."""
        if isinstance(self.p, Confusion):
            return self.p.weight_sums is None
        return not self.p.has_key("clusters") and self.p.weights_kind != "sampling"


class TwoSamples(Sampled):
    """Two models, each on rows of its own."""

    on = DIFFERENT

    def __init__(self, first: ModelRows, second: ModelRows) -> None:
        self.both = (first, second)

    def __iter__(self) -> Iterator[ModelRows]:
        return iter(self.both)

    @property
    def n(self) -> int:
        """The rows of both."""
        return sum(rows.p.n for rows in self.both)

    @property
    def plain(self) -> bool:
        """Whether both have neither clusters nor sampling weights."""
        return all(rows.plain for rows in self.both)

    def is_share(self, metric: Measure) -> bool:
        """Whether the metric is a share of plain rows at their own class mix."""
        share = metric.of_labels and metric.share is not None
        return share and self.plain and all(x.prior is None or metric.is_prior_free(len(x.p.labels)) for x in self.both)

    def answered(self, q: Two, chosen: InferenceMethod) -> Contrast:
        """The contrast by a method, with the models' names."""
        names = [rows.model for rows in self.both]
        if names[0] == names[1]:
            names = [f"{m} ({place})" for m, place in zip(names, ("first", "second"), strict=True)]
        made: Contrast = chosen.function(q)
        undone = undone_by(made, q.spec, lambda: furthest(*(rows.asked(q).failures() for rows in self)))
        return replace(
            made, name=q.metric.title, first=names[0], second=names[1], undone_by=undone,
            undone_unit="cluster" if undone is not None and any(rows.asked(q).groups for rows in self) else None,
        )  # fmt: skip


Two = Problem[TwoSamples]


def unpaired_contrast(
    samples: tuple[ModelRows, ModelRows],
    measure: Measure,
    spec: IntervalSpec,
    options: MetricOptions,
    method: str | None = None,
) -> Contrast:
    """First − second, each on rows of its own."""
    return contrast_of(Problem(metric=measure, sample=TwoSamples(*samples), spec=spec, options=options), method)


def _difference(form: Any) -> Callable[[Two], Contrast]:
    def answer(q: Two) -> Contrast:
        pairs = [rows.proportion(q.metric) for rows in q.sample]
        made = difference(*pairs, method=form, confidence=q.spec.confidence, alternative=q.spec.alternative)
        return of_better(made, q.metric.higher_is_better)

    return answer


def _shares(q: Two) -> bool:
    return q.sample.is_share(q.metric)


for _key, _form in {
    "miettinen-nurminen": "miettinen-nurminen", "newcombe-difference": "newcombe",
    "newcombe-difference-cc": "newcombe-cc", "agresti-caffo": "agresti-caffo", "wald-difference": "wald",
}.items():  # fmt: skip
    inference_method(_key, on=DIFFERENT, word=_form, applies=_shares)(_difference(_form))


@inference_method(
    "delong-unpaired-t", on=DIFFERENT, word="delong", applies=lambda q: q.metric.area == 1 and q.sample.plain
)
def delong_of_two(q: Two) -> Contrast:
    """DeLong over the score tables."""
    tables = [rows.rows.scores(rows.model) for rows in q.sample]
    return unpaired_table_contrast(*tables, confidence=q.spec.confidence, alternative=q.spec.alternative)


@inference_method(
    "newcombe-hybrid", on=DIFFERENT, word="newcombe", aliases=("mover",),
    applies=lambda q: not _shares(q) and not q.metric.calibration_error,
)  # fmt: skip
def newcombe_hybrid(q: Two) -> Contrast:
    """d − √((θ1 − l1)² + (u2 − θ2)²) and its mirror image."""
    return _of_limits(q, "newcombe-hybrid", apart)


@inference_method(
    "calibration-gaps-difference", on=DIFFERENT, word="gaps", applies=lambda q: q.metric.calibration_error
)
def gaps_of_two(q: Two) -> Contrast:
    """From l1 − u2 to u1 − l2: what pushes an estimate up is no chance, and adds up."""
    return _of_limits(q, "calibration-gaps-difference", lambda _, a, __, b: (a[0] - b[1], a[1] - b[0]))


def _of_limits(q: Two, method: str, joined: Callable[[float, Range, float, Range], Range]) -> Contrast:
    """Limits from the two models' own; the p-value is the level at which a limit reaches 0."""
    spec = q.spec
    first, second = (rows.interval(spec.confidence) for rows in q.sample)
    estimate, n = first.estimate - second.estimate, q.sample.n
    if math.isinf(first.estimate) or math.isinf(second.estimate):
        models = {rows.model: rows.rows for rows in q.sample}
        return infinite_contrast(estimate, models, q.metric, q.options, spec, method=method, n=n)
    if math.isnan(estimate):
        raise InputError(f"{q.metric.name} is undefined: {first.note or second.note}")
    # Where scores are binned, the intervals are wider by what is open; that adds up, chance does not.
    (low1, high1), (low2, high2) = (
        (own.estimate, own.estimate) if (b := rows.bounds(q.metric)) is None else (float(b.low), float(b.high))
        for own, rows in zip((first, second), q.sample, strict=True)
    )
    least, most = low1 - high2, high1 - low2
    slack = max(estimate - least, most - estimate)

    # At one confidence, so that limits are nested and p is the level at which one reaches 0.
    usual = [rows.interval(0.95) for rows in q.sample]
    df = _of_both(*usual)

    def limits(confidence: float) -> Range:
        a, b = (_at(rows.interval, own, df, confidence) for rows, own in zip(q.sample, usual, strict=True))
        return joined(low1, a, high2, b)[0], joined(high1, a, low2, b)[1]

    p = two_sided_p = _inverted(limits, estimate)
    two_sided = spec.confidence
    if spec.alternative != "two-sided":
        two_sided = max(2 * spec.confidence - 1, 1e-6)
        towards = estimate > 0 if spec.alternative == "greater" else estimate < 0
        # With binned scores the largest that is possible.
        unknown = slack > 0 and (not towards or least <= 0 <= most)
        p = 1.0 if unknown else p / 2 if towards else 1 - p / 2
    lacking = next((own.note for own in (first, second) if math.isnan(own.low) or math.isnan(own.high)), "")
    ends = q.metric.bounds(q.options)
    reach = ends[1] - ends[0]
    return contrast(
        estimate=estimate, limits=limits(two_sided), whole=(-reach, reach), confidence=spec.confidence,
        alternative=spec.alternative, method=method, statistic=estimate, p_value=p, n=n,
        notes=(lacking,) if lacking and math.isnan(p) else within_words(slack),
        p_at_most=p <= two_sided_p == LEAST_LEVEL,
    )  # fmt: skip


def _of_both(first: Interval, second: Interval) -> float:
    """The degrees of freedom with which two samples tell the standard error of a difference (Welch 1947)."""
    own = [(x.width / critical_t(x.confidence, x._limits_df), x._limits_df) for x in (first, second)]
    unsure = sum(error**4 / df for error, df in own)
    return sum(error**2 for error, _ in own) ** 2 / unsure if unsure > 0 else math.inf


def _at(interval: Callable[[float], Interval], own: Interval, df: float, confidence: float) -> Range:
    """A model's own limits, as far out in its own t as the confidence is in that of both."""
    further = critical_t(confidence, df)
    found = interval(1 - max(2 * float(special.stdtr(own._limits_df, -further)), SEARCHED_P))
    return found.low, found.high


# Where the search for the level at which limits reach 0 ends.
LEAST_LEVEL = 1e-9


def _inverted(limits: Callable[[float], Range], estimate: float) -> float:
    """1 − the confidence at which the interval just reaches 0; NaN where there are no limits."""
    if estimate == 0:
        return 1.0
    side = 0 if estimate > 0 else 1

    def gap(z: float) -> float:
        # By the normal quantile, in which limits are nearly straight.
        return limits(1 - 2 * float(special.ndtr(-z)))[side] * (1 if side == 0 else -1)

    near, far = (-float(special.ndtri(level / 2)) for level in (1 - 1e-6, LEAST_LEVEL))
    narrow, wide = gap(near), gap(far)
    if math.isnan(narrow) or math.isnan(wide):
        return math.nan
    if narrow <= 0:
        return 1.0
    if wide > 0:
        return LEAST_LEVEL
    return 2 * float(special.ndtr(-crossing(gap, near, far, within=1e-10)))


def against_known(interval: Callable[[float], Interval], known: float, spec: IntervalSpec) -> Contrast:
    """A metric less a value that is known: the metric's own limits, moved; p is the level at which one reaches 0."""
    metric_ci = interval(spec.confidence)

    def limits(confidence: float) -> Range:
        at = interval(confidence)
        return at.low - known, at.high - known

    estimate = metric_ci.estimate - known
    p = _inverted(limits, estimate)
    return contrast(
        estimate=estimate, limits=(metric_ci.low - known, metric_ci.high - known), whole=(-math.inf, math.inf),
        confidence=spec.confidence, alternative="two-sided", method=metric_ci.method, statistic=estimate,
        p_value=p, p_at_most=p == LEAST_LEVEL, n=metric_ci.n,
    )  # fmt: skip
