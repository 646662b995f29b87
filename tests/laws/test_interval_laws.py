"""Laws of intervals, over every method and every count metric, without lists of names kept by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inference._metric_interval import class_intervals, metric_interval
from trueerror.inference.proportion._interval import FORMS
from trueerror.methods import every_method
from trueerror.metrics._registry import AVERAGES, every_measure, find_measure
from trueerror.tallies import Confusion, KeyedConfusion

COUNT_METRICS = [m for m in every_measure().values() if m.needs in ("binary", "classes", "cells")]
COUNT_METRICS += [find_measure(f"{a}_{m.name}") for m in COUNT_METRICS if m.needs == "binary" for a in AVERAGES]
ANALYTIC = COUNT_METRICS
# A macro or micro share of rows that are positive is 1/K whatever the model does: more rows cannot narrow it.
CONSTANT = ("prevalence", "detection_prevalence")

sizes = st.integers(1, 10**6)
confidences = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
methods = st.sampled_from(list(FORMS))


@st.composite
def counts(draw):
    n = draw(sizes)
    return draw(st.integers(0, n)), n


@st.composite
def tables(draw, least=0, most=40):
    k = draw(st.integers(2, 4))
    cells = draw(st.lists(st.integers(least, most), min_size=k * k, max_size=k * k))
    return Confusion(np.array(cells).reshape(k, k), positive=k - 1)


def sound(made, bounds):
    assert made.method in every_method(), made
    if math.isnan(made.low) or math.isnan(made.high):
        assert made.note, made
        return
    assert made.low < made.high
    assert bounds[0] <= made.low
    assert made.high <= bounds[1]
    if math.isnan(made.estimate):
        assert made.note
    else:
        assert made.low <= made.estimate <= made.high


# One proportion.


@settings(max_examples=50, deadline=None)
@given(counts(), confidences, st.sampled_from(["two-sided", "lower", "upper"]))
def test_binomial_intervals_are_sound(xn, confidence, side):
    for method in FORMS:
        sound(te.interval(*xn, method=method, confidence=confidence, side=side), (0, 1))


@settings(max_examples=50, deadline=None)
@given(counts(), methods, confidences)
def test_failures_mirror_successes(xn, method, confidence):
    x, n = xn
    hits, misses = (te.interval(c, n, method=method, confidence=confidence) for c in (x, n - x))
    assert (hits.low, hits.high) == pytest.approx((1 - misses.high, 1 - misses.low), abs=1e-11)


@settings(max_examples=50, deadline=None)
@given(counts(), methods, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_one_sided_limits_are_two_sided_ones_at_twice_alpha(xn, method, confidence):
    both = te.interval(*xn, method=method, confidence=confidence)
    lower, upper = (
        te.interval(*xn, method=method, confidence=(1 + confidence) / 2, side=s) for s in ("lower", "upper")
    )
    assert lower.high == 1
    assert upper.low == 0
    if both.method == lower.method:
        assert lower.low == pytest.approx(both.low, rel=1e-9, abs=1e-13)
    if both.method == upper.method:
        assert upper.high == pytest.approx(both.high, rel=1e-9, abs=1e-13)


@settings(max_examples=50, deadline=None)
@given(counts(), methods)
def test_more_confidence_is_wider(xn, method):
    widths = [te.interval(*xn, method=method, confidence=c).width for c in (0.8, 0.95, 0.99)]
    assert widths == sorted(widths)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 200), st.integers(1, 200), methods)
def test_more_rows_at_the_same_rate_are_narrower(x, more, method):
    n = x + more
    assert te.interval(10 * x, 10 * n, method=method).width < te.interval(x, n, method=method).width


@settings(max_examples=30, deadline=None)
@given(counts(), confidences)
def test_agresti_coull_and_clopper_pearson_hold_wilson_and_mid_p(xn, confidence):
    wilson, wide = (te.interval(*xn, method=m, confidence=confidence) for m in ("wilson", "agresti-coull"))
    assert wide.low <= wilson.low + 1e-12
    assert wide.high >= wilson.high - 1e-12
    middle, exact = (te.interval(*xn, method=m, confidence=confidence) for m in ("mid-p", "clopper-pearson"))
    assert exact.low <= middle.low + 1e-12
    assert exact.high >= middle.high - 1e-12


# Every metric of a table.


@settings(max_examples=12, deadline=None)
@given(tables(), confidences, st.sampled_from(["two-sided", "lower", "upper"]))
def test_every_analytic_interval_is_sound(table, confidence, side):
    for measure in ANALYTIC:
        bounds = measure.range if measure.name not in ("cost", "expected_cost") else (0, max(table.n, 1))
        sound(metric_interval(measure, table, confidence=confidence, side=side), bounds)


@settings(max_examples=4, deadline=None)
@given(tables(most=15), st.integers(1, 9), st.integers(0, 2**31))
def test_every_clustered_and_weighted_interval_is_sound(table, groups, seed):
    rng = np.random.default_rng(seed)
    row, col = np.repeat(table.row, table.counts), np.repeat(table.col, table.counts)
    keys = rng.integers(0, groups, len(row))
    keyed = KeyedConfusion.from_codes(keys, tuple(range(groups)), row, col, table.labels, positive=table.positive)
    weighted = Confusion.from_codes(
        row, col, table.labels, positive=table.positive, weights=rng.random(len(row)) + 0.1, weights_kind="sampling"
    )
    for measure in ANALYTIC:
        bounds = measure.range if measure.name not in ("cost", "expected_cost") else (0, 2 * max(table.n, 1))
        sound(metric_interval(measure, keyed.table, clusters=keyed), bounds)
        sound(metric_interval(measure, weighted), bounds)


@settings(max_examples=10, deadline=None)
@given(tables(), st.floats(0, 1).filter(lambda share: share == 0 or share >= 1e-300))
def test_every_interval_at_a_prior_is_sound(table, share):
    rest = (1 - share) / (len(table.labels) - 1)
    prior = {label: share if label == table.positive else rest for label in table.labels}
    for measure in ANALYTIC:
        bounds = measure.range if measure.name not in ("cost", "expected_cost") else (0, 2 * max(table.n, 1))
        sound(metric_interval(measure, table, prior=prior, design="case-control"), bounds)


@settings(max_examples=8, deadline=None)
@given(tables(least=1))
def test_more_confidence_is_wider_for_every_metric(table):
    for measure in ANALYTIC:
        widths = [metric_interval(measure, table, confidence=c).width for c in (0.8, 0.95, 0.99)]
        assert widths[0] <= widths[1] <= widths[2], measure.name


@settings(max_examples=8, deadline=None)
@given(tables(least=1))
def test_more_rows_are_narrower_for_every_metric(table):
    more = Confusion(table.matrix * 9, positive=table.positive)
    for measure in ANALYTIC:
        if (measure.average in ("macro", "micro") and measure.of in CONSTANT) or measure.total_of:
            continue
        few, many = metric_interval(measure, table), metric_interval(measure, more)
        assert many.estimate == pytest.approx(few.estimate)
        assert many.width < few.width, measure.name


@settings(max_examples=8, deadline=None)
@given(tables(least=1), st.randoms(use_true_random=False))
def test_the_order_of_the_labels_does_not_matter(table, random):
    order = list(range(len(table.labels)))
    random.shuffle(order)
    moved = Confusion(table.matrix[np.ix_(order, order)], labels=order, positive=table.positive)
    for measure in ANALYTIC:
        a, b = metric_interval(measure, table), metric_interval(measure, moved)
        assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9, abs=1e-12), measure.name


@settings(max_examples=15, deadline=None)
@given(tables())
def test_classes_at_once_are_the_classes_one_by_one(table):
    for name in ("recall", "precision", "f1", "specificity", "markedness", "lr_plus"):
        for label, made in class_intervals(name, table).items():
            one = metric_interval(name, table, positive=label)
            assert (made.method, made.n, made.note) == (one.method, one.n, one.note)
            assert (made.low, made.high) == pytest.approx((one.low, one.high), rel=1e-9, abs=1e-12, nan_ok=True)


# Coverage, coarsely: a slip in a formula shows here before anywhere else.

CELLS = np.array([[0.45, 0.03, 0.02], [0.05, 0.25, 0.05], [0.01, 0.02, 0.12]])


@pytest.mark.parametrize(
    "name",
    ["accuracy", "macro_f1", "macro_precision", "balanced_accuracy", "mcc", "kappa", "g_mean", "weighted_f1",
     "macro_specificity", "expected_cost"],
)  # fmt: skip
def test_defaults_cover(name):
    rng = np.random.default_rng(20)
    true = metric_interval(name, Confusion((CELLS * 10**9).round().astype(int))).estimate
    samples = rng.multinomial(150, CELLS.ravel(), size=400)
    held = [metric_interval(name, Confusion(s.reshape(3, 3))) for s in samples]
    share = np.mean([m.low <= true <= m.high for m in held])
    assert 0.91 < share < 0.985, (name, share)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "f_beta", "informedness", "markedness", "lr_plus"])
def test_defaults_of_one_class_cover(name):
    rng = np.random.default_rng(21)
    cells = np.array([0.63, 0.07, 0.045, 0.255])
    options = {"beta": 2.0} if name == "f_beta" else {}
    true = metric_interval(name, Confusion((cells * 10**9).round().astype(int).reshape(2, 2)), options=options).estimate
    samples = rng.multinomial(120, cells, size=400)
    held = [metric_interval(name, Confusion(s.reshape(2, 2)), options=options) for s in samples]
    share = np.mean([m.low <= true <= m.high for m in held])
    assert 0.91 < share < 0.985, (name, share)
