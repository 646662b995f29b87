"""A metric of any tally with its interval, and a metric of every class at once.

A tally becomes the sample of a `Problem`, and the one door answers it (`_answer`). The bootstraps of a confusion matrix
are entered here, since they serve every metric of labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, update_wrapper

import numpy as np

from trueerror.inference._answer import interval_of, method_named
from trueerror.inference._choose import choose
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._sample import OneSample
from trueerror.inference._score_tables import ScoreRows
from trueerror.inference._variance import Design, Sample
from trueerror.inference.bootstrap._limits import Unfit
from trueerror.inference.bootstrap._tables import TableBootstrap, bootstrap_of_table
from trueerror.inference.counts._multilabel import multilabel_interval
from trueerror.inference.counts._one_class import CountProblem, EveryClass, LabelSample, in_array, limits_of_counts
from trueerror.inference.loss._mean import MeanSample
from trueerror.inference.proportion._distributions import RawLimits
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng
from trueerror.methods._registry import ONE, inference_method
from trueerror.metrics._registry import Measure, MetricOptions, Prior, check_metric_options, find_measure, prior_of_each
from trueerror.results import Interval, Side
from trueerror.results._values import Note
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import Confusion
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._scores import ScoreTable


def metric_interval(
    measure: Measure | str,
    table: Confusion | ScoreTable | Moments | MultiLabel,
    *,
    positive: Label | None = None,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: MetricOptions | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Rng = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> Interval:
    """A metric of a tally, and where the true value may lie.

    Without `method` the decision table chooses (`trueerror.methods.decisions()`); `method="bootstrap"` is BCa over
    10,000 resamples of the tally's cells (2,000 for scores). `clusters` counts the same rows by cluster; `prior` asks
    for another class distribution; `simultaneous_over=m` makes this one of m intervals that hold together.

    >>> t = Confusion([[80, 10], [8, 30]])
    >>> print(metric_interval("f1", t))
    f1 0.769 [0.652, 0.856], 95 % wilson-f1, n = 48
    >>> print(metric_interval("mcc", t))
    mcc 0.669 [0.504, 0.786], 95 % effective-t, n = 128
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    chosen = dict(options or {})
    check_metric_options(m, chosen)
    spec = IntervalSpec(
        confidence=confidence, side=side, over=simultaneous_over, estimand=estimand, rng=rng,
        replicates=replicates or (2_000 if isinstance(table, ScoreTable) else 10_000),
    )  # fmt: skip
    if isinstance(table, MultiLabel):
        for word, given in (("method", method), ("clusters", clusters), ("prior", prior)):
            if given is not None:
                raise InputError(f"{word}= is not offered for rows with several labels")
        return multilabel_interval(m, table, chosen, spec, positive)
    sample: OneSample
    if isinstance(table, Moments):
        sample = MeanSample.of(table)
    elif isinstance(table, ScoreTable):
        sample = ScoreRows.of(m, table, chosen, prior=prior, design=design)
    else:
        if clusters is not None and not _same_cells(table, clusters.table):
            raise InputError(
                f"clusters= counts {clusters.table.n:,} rows of {len(clusters.table.labels)} classes, but the table "
                f"has {table.n:,} of {len(table.labels)}: both must come from the same rows"
            )
        counted = Sample.of(m, table, positive=positive, clusters=clusters, prior=prior, design=design)
        sample = LabelSample.of(m, counted, chosen)
    return interval_of(Problem(metric=m, sample=sample, spec=spec, options=chosen), method)


def _same_cells(one: Confusion, two: Confusion) -> bool:
    """Whether two tables count the same rows."""
    same = (np.array_equal(getattr(one, name), getattr(two, name)) for name in ("row", "col", "counts"))
    return one.labels == two.labels and all(same)


def class_intervals(
    measure: Measure | str,
    table: Confusion,
    *,
    method: str | None = None,
    confidence: float = 0.95,
    side: Side = "two-sided",
    options: MetricOptions | None = None,
    clusters: KeyedConfusion | None = None,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Rng = None,
    replicates: int | None = None,
    simultaneous_over: int = 1,
    estimand: str = "",
) -> dict[Label, Interval]:
    """A metric of each class against the rest, for all classes that have rows or predictions, by label.

    >>> print(class_intervals("recall", Confusion([[45, 5], [15, 15]], labels=["a", "b"]))["a"])
    recall 0.900 [0.786, 0.957], 95 % wilson, n = 50
    """
    m = find_measure(measure) if isinstance(measure, str) else measure
    if not m.of_one_class:
        raise InputError(f"{m.name} is a metric of all classes together; ask for it without a class")
    chosen = dict(options or {})
    check_metric_options(m, chosen)
    margins = table.classes(weighted=False)
    occurring = np.flatnonzero((margins.truth > 0) | (margins.predicted > 0))
    spec = IntervalSpec(confidence=confidence, side=side, over=simultaneous_over, estimand=estimand)
    view = EveryClass.of(m, table.classes(weighted=False).one_vs_rest(), chosen)
    q: CountProblem = Problem(metric=m, sample=view, spec=spec, options=chosen)
    free = prior is None or m.is_prior_free(len(table.labels))
    plain = free and design == "random" and clusters is None and table.weight_sums is None
    named_method = method_named(q, method) if method is not None and plain else None
    if not plain or (named_method is not None and named_method.key in _BOOTSTRAPS):
        each_prior = None if free else prior_of_each(prior, table.labels, table.positive)
        return {
            table.labels[i]: metric_interval(
                m, table, positive=table.labels[i], method=method, confidence=confidence, side=side, options=chosen,
                clusters=clusters, prior=each_prior, design=design, rng=rng, replicates=replicates,
                simultaneous_over=simultaneous_over, estimand=estimand,
            )
            for i in occurring
        }  # fmt: skip
    used = choose(q) if named_method is None else named_method
    raw_limits = limits_of_counts(q, used)
    undefined = np.isnan(view.estimate)
    if undefined.any():
        low, high = (np.full(view.estimate.shape, b if math.isfinite(b) else math.nan) for b in m.range)
        reason = np.full(view.estimate.shape, m.undefined, dtype=object)
        raw_limits = raw_limits.replaced(undefined, RawLimits.of((low, high), used.key, reason))
    rows = np.broadcast_to(view.rows_spoken_of, view.estimate.shape)
    low, high, key, note = (column.tolist() for column in raw_limits[:4])
    return {
        table.labels[i]: spec.interval(
            m.name, float(view.estimate[i]), low[i], high[i], bounds=m.range, method=key[i], n=float(rows[i]),
            note=note[i],
        )
        for i in occurring.tolist()
    }  # fmt: skip


# The bootstrap of a confusion matrix.


def _bootstrap(q: CountProblem, kind: TableBootstrap) -> RawLimits:
    """Limits of resampled tables that hold the estimate within its range; where they have none, the default's."""
    assert isinstance(q.sample, LabelSample)
    sample, estimate, bounds = q.sample.sample, q.sample.value, q.sample.ends(q)
    try:
        low, high, note = bootstrap_of_table(q.metric, sample, estimate, kind, q.spec, dict(q.options))
        low, high = max(min(low, estimate), bounds[0]), min(max(high, estimate), bounds[1])
        if not low < high:
            raise Unfit(Note("flat-resamples"))
    except Unfit as unfit:
        other = choose(q)
        raw_limits = limits_of_counts(q, other)
        why = Note("instead-of-bootstrap", (unfit.note, other.key))
        return raw_limits._replace(note=in_array((why, *raw_limits.only.notes)))
    pair = np.array([low]), np.array([high])
    return RawLimits.of(pair, f"bootstrap-{kind}", in_array(note))._replace(n=float(sample.rows.n))


def _has_rows(q: CountProblem) -> bool:
    """Whether rows of a table of labels can be drawn again."""
    return q.sample.tally == "labels" and q.sample.drawable


_BOOTSTRAPS: dict[str, Callable[[CountProblem], RawLimits]] = {}
_WORDS: dict[TableBootstrap, str] = {"bca": "bootstrap", "percentile": "", "basic": "", "normal": "", "studentised": ""}
for _kind, _word in _WORDS.items():
    _key = f"bootstrap-{_kind}"
    _BOOTSTRAPS[_key] = update_wrapper(partial(_bootstrap, kind=_kind), _bootstrap)
    inference_method(_key, on=ONE, word=_word, applies=_has_rows)(_BOOTSTRAPS[_key])
