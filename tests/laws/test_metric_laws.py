"""Laws that hold for every metric of the registry: no list of names is kept here."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trueerror.metrics._registry import (
    AVERAGES,
    ClassScores,
    Measure,
    averaged,
    every_measure,
    find_measure,
    mean_loss,
    reweighted,
    undefined_reason,
    value,
)
from trueerror.tallies import Confusion, ScoreTable

MEASURES = list(every_measure().values())
OF_COUNTS = [m for m in MEASURES if m.needs in ("binary", "classes", "cells")]
OF_COUNTS += [averaged(m, a) for m in MEASURES if m.needs == "binary" for a in AVERAGES]
OF_TABLES = [m for m in MEASURES if m.needs in ("scores", "losses")]
OF_ROWS = [m for m in MEASURES if m.needs in ("losses", "class_scores")]

quick = settings(max_examples=25, deadline=None)


@st.composite
def confusions(draw: st.DrawFn, least: int = 0) -> Confusion:
    """Small tables with many empty cells and classes; sometimes rows without a prediction."""
    k = draw(st.integers(2, 4))
    count = st.integers(least, 6) if least else st.one_of(st.just(0), st.integers(0, 6))
    cells = np.array(draw(st.lists(count, min_size=k * (k + 1), max_size=k * (k + 1)))).reshape(k, k + 1)
    if k == 2 or draw(st.booleans()):
        cells[:, k] = 0
    row, col = np.nonzero(cells)
    labels = tuple("abcd"[:k])
    return Confusion.from_cells(labels=labels, positive=None, row=row, col=col, counts=cells[row, col], declared=True)


@st.composite
def score_tables(draw: st.DrawFn) -> ScoreTable:
    """Probabilities on a coarse grid, so that ties and edges of bins are common."""
    size = draw(st.integers(1, 6))
    scores = sorted(draw(st.lists(st.integers(0, 20), min_size=size, max_size=size, unique=True)))
    counts = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    return ScoreTable(np.array(scores) / 20, draw(counts), draw(counts))


@st.composite
def class_scores(draw: st.DrawFn) -> ClassScores:
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, 12))
    codes = np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    raw = np.array(draw(st.lists(st.lists(st.integers(1, 9), min_size=k, max_size=k), min_size=n, max_size=n)))
    return ClassScores(codes, raw / raw.sum(axis=1, keepdims=True), tuple("abcd"[:k]))


def of_table(measure: Measure, table: Confusion, masses: Any = None, positive: Any = "b") -> Any:
    if measure.needs == "binary":
        return measure.function(table.binary(positive, masses))
    if measure.needs == "classes":
        return measure.function(table.classes(masses))
    return measure.function(table, masses)


def of_scores(measure: Measure, table: ScoreTable, masses: Any = None) -> Any:
    return mean_loss(table, measure, masses) if measure.needs == "losses" else measure.function(table, masses)


def of_these_rows(measure: Measure, rows: ClassScores) -> float:
    return float(np.mean(measure.function(rows.codes, rows.scores)))


def assert_same(measure: Measure, x: Any, y: Any) -> None:
    assert np.isclose(x, y, rtol=1e-10, atol=1e-12, equal_nan=True), (measure.name, x, y)


def assert_in_range(measure: Measure, x: float) -> None:
    low, high = measure.range
    assert math.isnan(x) or low - 1e-12 <= x <= high + 1e-12, (measure.name, x)


def test_every_way_to_compute_is_covered() -> None:
    named = {m.name for m in (*OF_COUNTS, *OF_TABLES, *OF_ROWS)}
    # A mean of grades is a mean of what was given: no predictions, no law about them.
    assert {m.name for m in MEASURES if not m.of_grades} <= named


# A perfect classifier scores `best`.


@given(sizes=st.lists(st.integers(1, 50), min_size=2, max_size=4))
@quick
def test_perfect_labels_score_best(sizes: list[int]) -> None:
    table = Confusion(np.diag(sizes), labels=list("abcd"[: len(sizes)]))
    for measure in OF_COUNTS:
        if measure.best is not None:
            assert_same(measure, of_table(measure, table), measure.best)


@given(positives=st.integers(1, 30), negatives=st.integers(1, 30))
@quick
def test_perfect_scores_score_best(positives: int, negatives: int) -> None:
    table = ScoreTable([0.0, 1.0], [0, positives], [negatives, 0])
    for measure in OF_TABLES:
        assert_same(measure, of_scores(measure, table), measure.best)


@given(codes=st.lists(st.integers(0, 2), max_size=9))
@quick
def test_perfect_class_scores_score_best(codes: list[int]) -> None:
    codes = [0, 1, 2, *codes]
    rows = ClassScores(np.array(codes), np.eye(3)[codes], ("a", "b", "c"))
    for measure in OF_ROWS:
        assert_same(measure, of_these_rows(measure, rows), measure.best)


# Values lie in the range, and NaN has a reason.


@given(table=confusions())
@quick
def test_labels_stay_in_range_and_undefined_has_a_reason(table: Confusion) -> None:
    for measure in OF_COUNTS:
        positive = "b" if measure.needs == "binary" else None
        result = value(measure, table, positive=positive)
        assert_in_range(measure, result)
        assert (undefined_reason(measure, table, positive=positive) != "") == math.isnan(result), measure.name


@given(table=score_tables())
@quick
def test_scores_stay_in_range_and_undefined_has_a_reason(table: ScoreTable) -> None:
    for measure in OF_TABLES:
        result = value(measure, table)
        assert_in_range(measure, result)
        assert (undefined_reason(measure, table) != "") == math.isnan(result), measure.name


@given(rows=class_scores())
@quick
def test_class_scores_stay_in_range_and_undefined_has_a_reason(rows: ClassScores) -> None:
    for measure in OF_ROWS:
        result = value(measure, rows)
        assert_in_range(measure, result)
        assert (undefined_reason(measure, rows) != "") == math.isnan(result), measure.name


# Names and order of classes, order of rows and duplication change nothing that they should not.


@given(table=confusions(), data=st.data())
@quick
def test_the_order_of_classes_does_not_matter(table: Confusion, data: st.DataObject) -> None:
    k = len(table.labels)
    order = data.draw(st.permutations(range(k)))
    place = np.argsort([*order, k])
    cells = place[table.row] * (k + 1) + place[table.col]
    sort = np.argsort(cells)
    moved = Confusion.from_cells(
        labels=tuple(table.labels[i] for i in order), positive=None, row=cells[sort] // (k + 1),
        col=cells[sort] % (k + 1), counts=table.counts[sort], declared=True,
    )  # fmt: skip
    for measure in OF_COUNTS:
        assert_same(measure, of_table(measure, moved), of_table(measure, table))


@given(rows=class_scores(), data=st.data())
@quick
def test_the_order_of_columns_and_rows_does_not_matter(rows: ClassScores, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(rows.labels))))
    moved = ClassScores(np.argsort(order)[rows.codes], rows.scores[:, order], tuple(rows.labels[i] for i in order))
    shuffle = data.draw(st.permutations(range(len(rows.codes))))
    shuffled = ClassScores(rows.codes[shuffle], rows.scores[shuffle], rows.labels)
    for measure in OF_ROWS:
        assert_same(measure, of_these_rows(measure, shuffled), of_these_rows(measure, rows))
        # Ties at the k-th place go by label order, as in scikit-learn.
        if not measure.ordinal and not measure.row_hits:
            assert_same(measure, of_these_rows(measure, moved), of_these_rows(measure, rows))


@given(table=confusions(), times=st.integers(2, 5))
@quick
def test_rows_that_come_several_times_change_nothing_but_totals(table: Confusion, times: int) -> None:
    for measure in OF_COUNTS:
        once = of_table(measure, table)
        expected = once * times if measure.total_of else once
        assert_same(measure, of_table(measure, table, table.masses * times), expected)


@given(table=score_tables(), times=st.integers(2, 5))
@quick
def test_scores_that_come_several_times_change_nothing(table: ScoreTable, times: int) -> None:
    more = (table.positives * times, table.negatives * times)
    for measure in OF_TABLES:
        assert_same(measure, of_scores(measure, table, more), of_scores(measure, table))


@given(rows=class_scores())
@quick
def test_class_scores_that_come_twice_change_nothing(rows: ClassScores) -> None:
    twice = ClassScores(np.tile(rows.codes, 2), np.tile(rows.scores, (2, 1)), rows.labels)
    for measure in OF_ROWS:
        assert_same(measure, of_these_rows(measure, twice), of_these_rows(measure, rows))


@given(table=score_tables())
@quick
def test_ranks_are_all_that_matters_where_no_probabilities_are_needed(table: ScoreTable) -> None:
    stretched = ScoreTable(np.exp(5 * table.scores) - 100, table.positives, table.negatives)
    for measure in OF_TABLES:
        if not measure.probabilities:
            assert_same(measure, of_scores(measure, stretched), of_scores(measure, table))


# Formulas work on all replicates at once, and on complex numbers.


@given(table=confusions(), seed=st.integers(0, 2**32))
@quick
def test_a_batch_is_a_loop_over_labels(table: Confusion, seed: int) -> None:
    masses = np.random.default_rng(seed).integers(0, 4, size=(2, 2, len(table.counts))).astype(float)
    for measure in OF_COUNTS:
        batch = np.asarray(of_table(measure, table, masses))
        assert batch.shape == (2, 2)
        for at in np.ndindex(2, 2):
            assert_same(measure, batch[at], of_table(measure, table, masses[at]))


@given(table=score_tables(), seed=st.integers(0, 2**32))
@quick
def test_a_batch_is_a_loop_over_scores(table: ScoreTable, seed: int) -> None:
    up, down = np.random.default_rng(seed).integers(0, 4, size=(2, 2, 2, len(table.scores))).astype(float)
    for measure in OF_TABLES:
        batch = np.asarray(of_scores(measure, table, (up, down)))
        assert batch.shape == (2, 2)
        for at in np.ndindex(2, 2):
            assert_same(measure, batch[at], of_scores(measure, table, (up[at], down[at])))


@pytest.mark.parametrize("measure", OF_COUNTS, ids=lambda m: m.name)
@pytest.mark.parametrize(
    "matrix", [[[80, 10], [8, 30]], [[50, 5, 2], [6, 30, 4], [1, 3, 19]]], ids=["two classes", "three classes"]
)
def test_the_complex_step_gives_the_derivative(measure: Measure, matrix: list[list[int]]) -> None:
    table = Confusion(matrix, labels=list("abc"[: len(matrix)]))
    masses = table.masses
    each = np.eye(len(masses))
    step, h = 1e-20, 1e-4
    slopes = np.imag(of_table(measure, table, masses + 1j * step * each)) / step
    ups, downs = (of_table(measure, table, masses + sign * h * each) for sign in (1, -1))
    assert slopes == pytest.approx((ups - downs) / (2 * h), rel=1e-5, abs=1e-8)
    assert measure.best is None or np.abs(slopes).max() > 0
    alone = of_table(measure, table, masses + 1j * step * each[0])
    assert np.imag(alone) / step == pytest.approx(slopes[0], rel=1e-9, abs=1e-15)


# Shares, averages, priors.


@given(table=confusions())
@quick
def test_a_share_is_the_metric(table: Confusion) -> None:
    for measure in OF_COUNTS:
        if measure.share is None:
            continue
        counts = table.binary("b") if measure.needs == "binary" else table.classes()
        successes, trials = measure.share(counts)
        assert 0 <= successes <= trials <= table.n
        assert_same(measure, successes / trials if trials else math.nan, of_table(measure, table))


@given(table=confusions())
@quick
def test_averages_are_averages(table: Confusion) -> None:
    margins = table.classes()
    there = (margins.truth + margins.predicted) > 0
    has_rows = margins.truth > 0
    for base in MEASURES:
        if base.needs != "binary":
            continue
        each = np.array([of_table(base, table, positive=label) for label in table.labels])
        macro, weighted = averaged(base, "macro"), averaged(base, "weighted")
        assert_same(macro, of_table(macro, table), each[there].mean() if there.any() else math.nan)
        shares = margins.truth[has_rows] / max(table.n, 1)
        assert_same(weighted, of_table(weighted, table), each[has_rows] @ shares if table.n else math.nan)


@given(table=confusions())
@quick
def test_where_every_row_has_a_call_micro_averages_are_the_accuracy(table: Confusion) -> None:
    assume(not table.unpredicted.any())
    accuracy = find_measure("accuracy")
    for name in ("micro_precision", "micro_recall", "micro_f1", "weighted_recall"):
        assert_same(accuracy, of_table(find_measure(name), table), of_table(accuracy, table))


@given(table=confusions(least=1))
@quick
def test_balanced_accuracy_is_macro_recall(table: Confusion) -> None:
    macro = find_measure("macro_recall")
    assert_same(macro, of_table(macro, table), of_table(find_measure("balanced_accuracy"), table))


@given(table=confusions(least=1))
@quick
def test_its_own_class_distribution_changes_nothing(table: Confusion) -> None:
    masses = reweighted(table, table.classes().truth / table.n)
    for measure in OF_COUNTS:
        assert_same(measure, of_table(measure, table, masses), of_table(measure, table))


@given(table=confusions(least=1), data=st.data())
@quick
def test_b3_accuracy_at_a_prior_is_the_mean_of_recalls_under_it(table: Confusion, data: st.DataObject) -> None:
    k = len(table.labels)
    raw = np.array(data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)), dtype=float)
    shares = raw / raw.sum()
    margins = table.classes()
    masses = reweighted(table, shares)
    accuracy = find_measure("accuracy")
    assert masses.sum() == pytest.approx(table.n)
    assert_same(accuracy, of_table(accuracy, table, masses), (shares * margins.hits / margins.truth).sum())
