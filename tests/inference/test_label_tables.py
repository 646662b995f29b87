"""What the units of a label table add, against what textbooks say, in every design."""

import math
from itertools import product

import numpy as np
import pytest

from trueerror.curves._points import table_of_cells
from trueerror.inference._estimate import ends_of
from trueerror.inference._label_tables import label_estimate, label_range
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._variance import Sample
from trueerror.metrics._registry import AVERAGES, every_measure, find_measure, value
from trueerror.tallies import Confusion, KeyedConfusion

LABELS = [m for m in every_measure().values() if m.of_labels]
LABELS += [find_measure(f"{a}_{m.name}") for m in LABELS if m.of_one_class for a in AVERAGES]
THREE = np.array([[50, 5, 2], [6, 30, 4], [1, 3, 19]])


def table_and_rows():
    table = Confusion(THREE, positive=1)
    return table, np.repeat(table.row, table.counts), np.repeat(table.col, table.counts)


def bare(measure, sample, options=None):
    return label_estimate(measure, sample, options or {}, label_range(measure, sample, options or {}), bare=True)


def per_row(measure, table, **options):
    """A total as a mean over rows."""
    return value(measure, table, **options) / (table.n if measure.total_of else 1)


@pytest.mark.parametrize("measure", LABELS, ids=lambda m: m.name)
def test_rows_have_the_variance_of_the_delta_method(measure):
    table, _row, _col = table_and_rows()
    n, counts = table.n, table.counts
    e = bare(measure, Sample.of(measure, table))
    at = np.zeros(len(counts))
    for cell, (i, j) in enumerate(zip(table.row, table.col, strict=True)):
        here = THREE.copy() * 1_000_000
        there = here.copy()
        here[i, j], there[i, j] = here[i, j] + 100, there[i, j] - 100
        up, down = (per_row(measure, Confusion(t, positive=1)) for t in (here, there))
        at[cell] = (up - down) / 200 * 1_000_000
    expected = (counts * at**2).sum() * n / (n - 1)
    assert float(e.value) == pytest.approx(per_row(measure, table))
    assert float(e.spread.error) ** 2 == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", ["accuracy", "recall", "mcc", "macro_f1", "kappa", "g_mean", "expected_cost", "cost"])
def test_clusters_have_the_variance_of_the_jackknife(name):
    measure = find_measure(name)
    _table, row, col = table_and_rows()
    keys = np.random.default_rng(1).integers(0, 12, len(row))
    keyed = KeyedConfusion.from_codes(keys, tuple(range(12)), row, col, (0, 1, 2), positive=1)
    e = bare(measure, Sample.of(measure, keyed.table, clusters=keyed))
    without = [
        per_row(measure, Confusion.from_codes(row[keys != g], col[keys != g], (0, 1, 2), positive=1)) for g in range(12)
    ]
    expected = 11 / 12 * ((np.array(without) - np.mean(without)) ** 2).sum()
    assert float(e.spread.error) ** 2 == pytest.approx(expected, rel=1e-10)


def test_weighted_rows_are_each_left_out():
    _table, row, col = table_and_rows()
    weights = np.random.default_rng(2).lognormal(0, 0.8, len(row))
    # One weight for each cell: then the sums of squares by cell are those of rows.
    weights = np.bincount(row * 3 + col, weights=weights, minlength=9)[row * 3 + col]
    t = Confusion.from_codes(row, col, (0, 1, 2), weights=weights, weights_kind="sampling")
    e = bare(find_measure("accuracy"), Sample.of(find_measure("accuracy"), t))
    right, whole = (row == col).astype(float), weights.sum()
    p = (weights * right).sum() / whole
    units = weights / whole * (right - p) / (1 - weights / whole)
    n = len(row)
    expected = n / (n - 1) * ((units - units.mean()) ** 2).sum()
    assert float(e.spread.error) ** 2 == pytest.approx(expected, rel=1e-10)


def test_precision_at_a_prior_has_the_variance_of_its_logit():
    tn, fp, fn, tp, prior = 160, 40, 5, 45, 0.1
    e = bare(
        find_measure("precision"), Sample.of(find_measure("precision"), Confusion([[tn, fp], [fn, tp]]), prior=prior)
    )
    p, n0, n1 = float(e.value), tn + fp, fn + tp
    se, sp = tp / n1, tn / n0
    # Mercaldo, Lau and Zhou 2007, with n − 1 in each class.
    logit = (1 - se) / (se * (n1 - 1)) + sp / ((1 - sp) * (n0 - 1))
    assert p == pytest.approx(0.1 * se / (0.1 * se + 0.9 * (1 - sp)))
    assert float(e.spread.error) == pytest.approx(p * (1 - p) * math.sqrt(logit), rel=1e-10)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "mcc", "savings"])
def test_clusters_of_one_row_and_weights_of_one_are_rows(name):
    measure, (table, row, col) = find_measure(name), table_and_rows()
    n = len(row)
    keyed = KeyedConfusion.from_codes(np.arange(n), tuple(range(n)), row, col, (0, 1, 2), positive=1)
    weighted = Confusion.from_codes(row, col, (0, 1, 2), weights=np.ones(n), weights_kind="sampling", positive=1)
    samples = [Sample.of(measure, table), Sample.of(measure, keyed.table, clusters=keyed), Sample.of(measure, weighted)]
    rows, clusters, weights = (
        ends_of(label_estimate(measure, s, {}, label_range(measure, s, {})), 0.025) for s in samples
    )
    assert [*map(float, clusters)] == pytest.approx([*map(float, rows)], rel=0.01)
    assert [*map(float, weights)] == pytest.approx([*map(float, rows)], rel=0.01)


def test_half_a_row_is_put_where_a_class_was_never_found():
    measure, table = find_measure("g_mean"), Confusion([[9, 0], [3, 0]])
    e = label_estimate(measure, Sample.of(measure, table), {}, measure.range)
    low, high = (float(x) for x in ends_of(e, 0.025))
    assert float(e.value) == low == 0
    assert 0.3 < high < 1
    assert float(e.worst.value[1]) == pytest.approx(math.sqrt(0.5 / 3.5))


def test_a_cost_lies_between_its_prices():
    measure, options = find_measure("expected_cost"), {"costs": [[0, 1], [20, -2]]}
    table = Confusion([[90, 5], [2, 3]], positive=1)
    assert label_range(measure, Sample.of(measure, table), options) == (-2, 20)
    at = label_range(measure, Sample.of(measure, table, prior=0.1), options)
    assert at == pytest.approx((0.1 * -2, 0.9 * 1 + 0.1 * 20))


@pytest.mark.parametrize("prior", [None, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["precision", "f1", "mcc"])
def test_tables_side_by_side_have_the_limits_of_each(name, prior, weighted):
    """Those at the thresholds of a curve: 9 negatives and 6 positives, called in every way."""
    measure = find_measure(name)
    cells = np.array([[9.0 - fp, fp, 6.0 - tp, tp] for fp in range(10) for tp in range(7)])
    squares = cells * np.array([1.5, 1.5, 0.5, 0.5]) if weighted else None

    def limits_of(i):
        table = table_of_cells(cells[i], None if squares is None else squares[i])
        return ends_of(label_estimate(measure, Sample.of(measure, table, prior=prior), {}, measure.range), 0.025)

    together = limits_of(slice(None))
    for i in range(len(cells)):
        alone = limits_of(i)
        np.testing.assert_allclose([x[i] for x in together], alone, atol=1e-12)


@pytest.mark.parametrize("prior", [None, 0.3])
def test_every_tiny_table_has_limits_around_its_value(prior):
    """Also where nothing varies, not even with half a row more."""
    tables = [t for t in product(range(4), repeat=4) if 0 < sum(t) <= 3]
    for name in ("macro_f1", "mcc", "kappa", "balanced_accuracy", "specificity", "weighted_f1", "markedness"):
        for a, b, c, d in tables:
            made = metric_interval(name, Confusion([[a, b], [c, d]]), prior=prior)
            ends = [x for x in (made.low, made.estimate, made.high) if not np.isnan(x)]
            assert ends == sorted(ends)
