import math

import numpy as np
import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.counts._all_classes import (
    MANY_PARTS,
    geometric_mean_of_shares,
    mean_of_shares,
    parts_that_count,
    shrunk,
)
from trueerror.tallies._confusion import Confusion

AVERAGES = ("balanced_accuracy", "macro_f1", "macro_precision", "macro_recall", "macro_fnr", "macro_jaccard", "g_mean")


def square(k: int, rows: int, hits: int) -> Confusion:
    """K classes of the same size; all errors go to the next class."""
    cells = np.zeros((k, k), dtype=int)
    for i in range(k):
        cells[i, i] = hits
        cells[i, (i + 1) % k] += rows - hits
    return Confusion(cells)


def test_few_classes_keep_mover():
    assert metric_interval("balanced_accuracy", Confusion([[45, 5], [15, 15]])).method == "mover-wilson"
    three = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
    assert metric_interval("macro_f1", three).method == "mover-f1"
    assert metric_interval("g_mean", three).method == "mover-log"


def test_one_small_class_among_many_decides():
    cells = np.diag([900] * 9 + [3])
    cells[0, 1] = 90
    made = metric_interval("balanced_accuracy", Confusion(cells))
    assert made.method == "half-row-classes"
    assert made.estimate - made.low > 0.03  # one error among the three rows of the last class would cost .033


def test_equal_classes_are_nearly_one_proportion():
    made = metric_interval("balanced_accuracy", square(20, 30, 27))
    whole = metric_interval("accuracy", square(20, 30, 27))
    assert made.method == "wilson-of-classes"
    assert made.low == pytest.approx(whole.low, abs=0.002)
    assert made.high == pytest.approx(whole.high, abs=0.002)


def test_the_formula_written_out():
    x, n = np.array([9.0, 7.0, 10.0, 4.0, 8.0]), np.array([10.0, 8.0, 10.0, 9.0, 12.0])
    overall = (x.sum() + 2) / (n.sum() + 4)
    p = (x + 2 * overall) / (n + 2)
    size = p.mean() * (1 - p.mean()) / (p * (1 - p) / n).sum() * 25
    mean, z = float((x / n).mean()), 1.959963984540054
    centre = (mean + z * z / 2 / size) / (1 + z * z / size)
    reach = z * math.sqrt(mean * (1 - mean) / size + z * z / 4 / size**2) / (1 + z * z / size)
    low, high = mean_of_shares(mean, x, n, np.full(5, 0.2), IntervalSpec())
    assert [low[0], high[0]] == pytest.approx([centre - reach, centre + reach], rel=1e-12)


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("hits", [0, 1, 9, 10])
def test_limits_are_sound_at_the_ends(name, hits):
    made = metric_interval(name, square(12, 10, hits))
    if math.isnan(made.estimate):
        assert made.note
        return
    assert made.method == "wilson-of-classes"
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high


@pytest.mark.parametrize("name", AVERAGES)
def test_more_confidence_is_wider_and_sides_agree(name):
    t = square(8, 25, 20)
    widths = [(lambda r: r.high - r.low)(metric_interval(name, t, confidence=c)) for c in (0.8, 0.9, 0.95, 0.99)]
    assert widths == sorted(widths)
    both = metric_interval(name, t, confidence=0.9)
    assert metric_interval(name, t, confidence=0.95, side="lower").low == pytest.approx(both.low)
    assert metric_interval(name, t, confidence=0.95, side="upper").high == pytest.approx(both.high)


def test_misses_mirror_hits():
    t = square(9, 30, 24)
    found, missed = metric_interval("macro_recall", t), metric_interval("macro_fnr", t)
    assert [missed.low, missed.high] == pytest.approx([1 - found.high, 1 - found.low])


def test_another_class_distribution_of_many_classes():
    t = square(6, 40, 30)
    even = metric_interval("accuracy", t, prior=dict.fromkeys(t.labels, 1 / 6))
    assert even.method == "wilson-of-classes"
    assert [even.low, even.high] == pytest.approx([(b := metric_interval("balanced_accuracy", t)).low, b.high])


def test_classes_without_rows_change_nothing():
    cells = np.zeros((8, 8), dtype=int)
    cells[:6, :6] = np.diag([20] * 6) + np.roll(np.diag([4] * 6), 1, axis=1)
    full, short = Confusion(cells), Confusion(cells[:6, :6])
    for name in ("balanced_accuracy", "macro_f1", "g_mean"):
        a, b = metric_interval(name, full), metric_interval(name, short)
        assert [a.low, a.high] == pytest.approx([b.low, b.high]), name


def test_parts_that_count_and_shrinking():
    assert parts_that_count(np.full(10, 0.1), np.full(10, 7.0)) == pytest.approx(10)
    assert parts_that_count(np.zeros(0), np.zeros(0)) == 0
    assert MANY_PARTS > 3
    share = shrunk(np.array([0.0, 5.0]), np.array([5.0, 5.0]))
    assert 0 < share[0] < share[1] < 1


@pytest.mark.parametrize(
    ("name", "k", "rows", "recall"),
    [("balanced_accuracy", 30, 10, 0.95), ("macro_f1", 60, 10, 0.7), ("g_mean", 30, 20, 0.7)],
)
def test_coverage_with_many_classes(name, k, rows, recall):
    # MOVER covers .85, .79 and .86 here; 400 samples put a sound .94 above .90 with near certainty.
    rng = np.random.default_rng(5)
    shares = np.full((k, k), (1 - recall) / (k - 1))
    np.fill_diagonal(shares, recall)
    held = 0
    for _ in range(400):
        cells = rng.multinomial(k * rows, (shares / k).ravel()).reshape(k, k)
        made = metric_interval(name, Confusion(cells))
        # All classes alike: recall, precision and F1 are all the same.
        held += made.low <= recall <= made.high
    assert held >= 360


def test_limits_that_stand_off_a_biased_estimate_say_why():
    made = metric_interval("macro_f1", square(400, 4, 3))
    assert made.low <= made.estimate <= made.high
    assert "too low on average" in made.note
    assert not metric_interval("macro_f1", square(10, 50, 45)).note


def test_three_classes_with_few_errors():
    few = metric_interval("balanced_accuracy", Confusion([[15, 1, 0], [0, 15, 2], [1, 0, 16]]))
    assert "few errors" in few.note
    many = metric_interval("balanced_accuracy", Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]]))
    assert (many.method, many.note) == ("mover-wilson", "")
    rng = np.random.default_rng(4)
    p = np.full((3, 3), 0.005) + np.eye(3) * 0.32
    truth = 0.325 / 0.335
    tables = rng.multinomial(50, (p / p.sum()).ravel(), 800).reshape(-1, 3, 3)
    held = [i.low <= truth <= i.high for i in (metric_interval("balanced_accuracy", Confusion(t)) for t in tables)]
    assert np.mean(held) > 0.92  # MOVER covers .90


@pytest.mark.parametrize("metric", AVERAGES)
@pytest.mark.parametrize(("k", "rows"), [(3, 10**9), (10, 10**9), (50, 2 * 10**7), (10, 10**12)])
def test_very_many_rows_without_an_error_have_limits(metric, k, rows):
    # What two borrowed rows leave to 1 is less than a rounding step there.
    made = metric_interval(metric, square(k, rows, rows))
    far = 1 - made.low if made.estimate == 1 else made.high
    fewer = metric_interval(metric, square(k, 10**5, 10**5))
    less = 1 - fewer.low if fewer.estimate == 1 else fewer.high
    assert far == pytest.approx(less * 10**5 / rows, rel=0.01)


def test_geometric_mean_without_errors_has_the_reach_of_all_rows():
    # A model with one error in 5,000 rows has none in 4,000 in .45 of the samples.
    assert metric_interval("g_mean", square(4, 1000, 1000)).low == pytest.approx(
        metric_interval("accuracy", square(4, 1000, 1000)).low, abs=1e-6
    )


@pytest.mark.parametrize(("k", "rows", "error"), [(10, 200, 0.0002), (4, 1000, 0.0002), (30, 50, 0.001), (10, 20, 0.3)])
def test_geometric_mean_with_few_errors_covers(k, rows, error):
    draw = np.random.default_rng(7)
    hits = draw.binomial(rows, 1 - error, size=(400, k)).astype(float)
    made = [geometric_mean_of_shares(h, np.full(k, float(rows)), IntervalSpec()) for h in hits if (h > 0).all()]
    held = np.mean([low[0] <= 1 - error <= high[0] for low, high in made])
    assert held >= 0.9


@pytest.mark.parametrize(("k", "rows"), [(4, 1000), (10, 200), (30, 100), (10, 10**8)])
def test_one_error_would_cost_macro_f1_as_much_as_accuracy(k, rows):
    """It is a miss of one class and a false alarm of another, so that without an error both reach as far down."""
    far = 1 - metric_interval("accuracy", square(k, rows, rows)).low
    assert 1 - metric_interval("macro_f1", square(k, rows, rows)).low == pytest.approx(far, rel=0.01)
    assert 1 - metric_interval("macro_jaccard", square(k, rows, rows)).low == pytest.approx(2 * far, rel=0.01)
    assert 1 - metric_interval("macro_precision", square(k, rows, rows)).low == pytest.approx(far, rel=0.01)
