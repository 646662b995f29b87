"""MCC and kappa of two classes of which one was hardly ever found; averages of two classes of which one has no rows."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from trueerror.inference._metric_interval import metric_interval
from trueerror.metrics._registry import find_measure, value
from trueerror.results import Interval
from trueerror.tallies import Confusion

Z = 1.959963984540054
COUNT = st.integers(0, 60)


@functools.cache
def all_intervals(metric: str, n: int) -> list[tuple[tuple[int, ...], Interval]]:
    """Every table of n rows with its default interval."""
    tables = [(a, b, c, n - a - b - c) for a in range(n + 1) for b in range(n + 1 - a) for c in range(n + 1 - a - b)]
    return [(row, metric_interval(metric, Confusion(np.reshape(row, (2, 2))))) for row in tables]


def enumerated_coverage(metric: str, n: int, prevalence: float, sensitivity: float, specificity: float) -> float:
    """The chance that the default interval holds the truth, over every table of n rows on which it is defined."""
    tables, made = zip(*all_intervals(metric, n), strict=True)
    p, q = prevalence, 1 - prevalence
    cells = np.array([q * specificity, q * (1 - specificity), p * (1 - sensitivity), p * sensitivity])
    t = np.array(tables)
    chance = np.exp(special.gammaln(n + 1) - special.gammaln(t + 1).sum(axis=1) + special.xlogy(t, cells).sum(axis=1))
    truth = value(find_measure(metric), Confusion((cells * 1e12).round().astype(np.int64).reshape(2, 2)))
    known = np.array([not math.isnan(i.estimate) for i in made])
    held = np.array([i.low <= truth <= i.high for i in made])
    return float(chance[known & held].sum() / chance[known].sum())


@pytest.mark.parametrize("metric", ["kappa", "mcc"])
@pytest.mark.parametrize("prevalence", [0.1, 0.2, 0.5])
def test_coverage_of_nearly_perfect_models(metric: str, prevalence: float) -> None:
    # The table with halves is drawn towards chance: alone it covers .78 of kappa here.
    assert enumerated_coverage(metric, 20, prevalence, 0.95, 0.99) > 0.93


@pytest.mark.parametrize("metric", ["kappa", "mcc", "balanced_accuracy", "macro_f1"])
@pytest.mark.parametrize("prevalence", [0.01, 0.05, 0.1])
def test_coverage_over_all_tables_of_20_rows(metric: str, prevalence: float) -> None:
    # Kappa was .58 and balanced accuracy .70 here before ½ was added, and an unseen class called unknown.
    assert enumerated_coverage(metric, 20, prevalence, 0.7, 0.95) > 0.935


def test_kappa_written_out() -> None:
    made = metric_interval("kappa", Confusion([[97, 2], [1, 0]]))
    a, b, c, d = 97.5, 2.5, 1.5, 0.5
    n = a + b + c + d
    po, rows, columns = (a + d) / n, np.array([a + b, c + d]) / n, np.array([a + c, b + d]) / n
    pe = float(rows @ columns)
    k = (po - pe) / (1 - pe)
    # Fleiss, Cohen and Everitt 1969.
    shares = np.array([[a, b], [c, d]]) / n
    both = rows[:, None] * 0 + (columns[:, None] + rows[None, :])
    first = sum(shares[i, i] * ((1 - pe) - (rows[i] + columns[i]) * (1 - po)) ** 2 for i in (0, 1))
    second = (1 - po) ** 2 * sum(shares[i, j] * both[i, j] ** 2 for i, j in ((0, 1), (1, 0)))
    error = math.sqrt((first + second - (po * pe - 2 * pe + po) ** 2) / n) / (1 - pe) ** 2
    reach = Z * error / (1 - k * k)
    # The outer limits with the delta method's own, −.032 and .005.
    assert made.low == pytest.approx(min(math.tanh(math.atanh(k) - reach), -0.03214), abs=1e-4)
    assert made.high == pytest.approx(math.tanh(math.atanh(k) + reach))
    assert made.method == "haldane-z"
    assert "few rows of a class" in made.note
    assert made.estimate == pytest.approx(-0.0136, abs=1e-4)  # of the rows as they are


def test_only_where_a_class_was_hardly_found() -> None:
    assert metric_interval("kappa", Confusion([[90, 4], [1, 5]])).method == "delta"
    assert metric_interval("kappa", Confusion([[91, 4], [1, 4]])).method == "haldane-z"
    assert metric_interval("mcc", Confusion([[91, 4], [1, 4]])).method == "haldane-z"
    assert metric_interval("mcc", Confusion([[19, 171], [0, 10]])).low < 0  # a kind of error that was never seen
    assert metric_interval("mcc", Confusion([[91, 4], [1, 4]]), method="fisher-z").method == "fisher-z"
    assert metric_interval("kappa", Confusion([[91, 4], [1, 4]]), method="delta").method == "delta"
    assert metric_interval("kappa", Confusion([[50, 0, 0], [0, 47, 3], [0, 46, 4]])).method == "delta"


@given(COUNT, COUNT, COUNT, st.integers(0, 4), st.sampled_from(["kappa", "mcc"]))
def test_laws(a: int, b: int, c: int, d: int, metric: str) -> None:
    table = Confusion([[a, b], [c, d]])
    made = metric_interval(metric, table)
    assert -1 <= made.low < made.high <= 1
    if math.isnan(made.estimate):
        return
    assert made.low <= made.estimate <= made.high
    turned = metric_interval(metric, Confusion([[d, c], [b, a]]))
    assert (turned.low, turned.high) == pytest.approx((made.low, made.high), abs=1e-9)
    wider = metric_interval(metric, table, confidence=0.99)
    assert wider.low <= made.low + 1e-12
    assert wider.high >= made.high - 1e-12
    below = metric_interval(metric, table, side="upper")
    assert below.high <= made.high + 1e-12


def test_a_class_without_rows_is_unknown() -> None:
    table = Confusion([[48, 2], [0, 0]])
    made, alone = metric_interval("balanced_accuracy", table), metric_interval("recall", table, positive=0)
    assert made.estimate == alone.estimate == 0.96
    assert (made.low, made.high) == pytest.approx((alone.low / 2, (1 + alone.high) / 2))
    assert "no rows of class 1" in made.note


@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_recall", "macro_f1", "g_mean"])
def test_neither_rows_nor_calls_of_a_class(metric: str) -> None:
    made = metric_interval(metric, Confusion([[50, 0], [0, 0]]))
    assert made.low < 0.5
    assert made.high == 1
    assert made.note


def test_of_many_classes_one_without_rows_leaves_the_average() -> None:
    with_it = metric_interval("balanced_accuracy", Confusion([[48, 2, 1], [3, 40, 2], [0, 0, 0]]))
    assert with_it.high - with_it.low < 0.2


RARE = [[60, 2, 1], [2, 30, 1], [1, 0, 3]]


@pytest.mark.parametrize("metric", ["macro_informedness", "macro_lr_plus", "weighted_specificity"])
def test_smooth_averages_take_the_outer_limits(metric: str) -> None:
    made = metric_interval(metric, Confusion(RARE))
    plain = metric_interval(metric, Confusion(RARE), method="delta")
    straight = metric_interval(metric, Confusion(np.array(RARE) * 40))
    assert "two rows more" in made.note
    assert "two rows more" not in plain.note
    assert "two rows more" not in straight.note
    assert made.low < made.estimate < made.high
    assert made.high - made.low > 1.5 * (straight.high - straight.low)


def test_a_rare_class_of_three_is_covered() -> None:
    rng = np.random.default_rng(5)
    p = np.array([[0.6, 0.02, 0.01], [0.02, 0.3, 0.01], [0.005, 0.005, 0.03]])
    tables = rng.multinomial(100, (p / p.sum()).ravel(), 500).reshape(-1, 3, 3)
    for metric in ("macro_informedness", "macro_lr_plus"):  # the delta method covers .76 and .71
        truth = value(find_measure(metric), Confusion((p / p.sum() * 1e12).round().astype(np.int64)))
        made = [metric_interval(metric, Confusion(t)) for t in tables]
        held = np.mean([i.low <= truth <= i.high for i in made if not math.isnan(i.estimate)])
        assert held > 0.9


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_informedness_of_two_classes_is_that_of_either(average: str) -> None:
    table = Confusion([[81, 9], [0, 10]], positive=1)
    mean, one = metric_interval(f"{average}_informedness", table), metric_interval("informedness", table)
    assert (mean.estimate, mean.low, mean.high) == pytest.approx((one.estimate, one.low, one.high))


def test_an_infinite_ratio_has_a_lower_limit() -> None:
    made = metric_interval("macro_lr_plus", Confusion([[39, 0], [27, 16]]))
    assert made.estimate == made.high == math.inf
    assert 0 < made.low < math.inf


def test_averages_that_count_both_classes_are_left_alone() -> None:
    made = metric_interval("macro_precision", Confusion([[48, 2], [0, 0]]))
    assert "no rows" not in made.note
    tables = [Confusion(t) for t in ([[48, 2], [0, 0]], [[48, 0], [2, 0]])]
    one, other = (metric_interval("macro_jaccard", t, method="mover-wilson") for t in tables)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))
    # By default classes of 48 and 2 rows leave room for half an unseen row; one without rows has no size to compare.
    one, other = (metric_interval("macro_jaccard", t) for t in tables)
    assert (one.method, other.method) == ("mover-wilson", "half-row-classes")
    assert other.high > one.high
