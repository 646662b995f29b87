import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies._confusion import Confusion

CARRIED = ("npv", "mcc", "kappa", "markedness", "jaccard", "macro_f1", "macro_precision")


def wilson(x, n, z=1.959963984540054):
    p = x / n
    centre, reach = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    return (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)


def test_the_negative_predictive_value_written_out():
    made = metric_interval("npv", Confusion([[160, 40], [5, 45]]), positive=1, prior=0.1)

    def npv(recall, specificity):
        return 0.9 * specificity / (0.9 * specificity + 0.1 * (1 - recall))

    se, sp = 45 / 50, 160 / 200
    (low1, high1), (low0, high0) = wilson(45, 50), wilson(160, 200)
    middle = npv(se, sp)
    down = math.hypot(middle - npv(low1, sp), middle - npv(se, low0))
    up = math.hypot(npv(high1, sp) - middle, npv(se, high0) - middle)
    assert made.method == "mover-wilson"
    assert [made.estimate, made.low, made.high] == pytest.approx([middle, middle - down, middle + up], rel=1e-12)


def test_accuracy_is_the_same_sum_as_before():
    made = metric_interval("accuracy", Confusion([[160, 40], [5, 45]]), prior=0.1, positive=1)
    assert (made.low, made.high) == pytest.approx((0.7541, 0.8550), abs=5e-5)


def test_precision_keeps_its_logit():
    made = metric_interval("precision", Confusion([[160, 40], [5, 45]]), positive=1, prior=0.1)
    assert (made.low, made.high) == pytest.approx((0.2718, 0.4011), abs=5e-5)


@pytest.mark.parametrize("name", CARRIED)
@pytest.mark.parametrize("cells", [[[40, 5], [0, 15]], [[45, 0], [3, 12]], [[45, 0], [0, 15]], [[30, 15], [15, 0]]])
def test_limits_are_sound_where_a_recall_is_certain(name, cells):
    positive = 1 if name in ("npv", "markedness", "jaccard") else None
    made = metric_interval(name, Confusion(cells), positive=positive, prior={0: 0.7, 1: 0.3})
    if math.isnan(made.estimate):
        assert made.note
        return
    assert made.low < made.high
    assert made.low <= made.estimate <= made.high
    assert (-1 if name in ("mcc", "kappa", "markedness") else 0) <= made.low
    assert made.high <= 1


@pytest.mark.parametrize("name", CARRIED)
def test_more_confidence_is_wider_and_methods_asked_for_are_used(name):
    t = Confusion([[160, 40], [5, 45]])
    options = {"positive": 1} if name in ("npv", "markedness", "jaccard") else {}
    prior = {0: 0.7, 1: 0.3}
    widths = [
        (lambda r: r.high - r.low)(metric_interval(name, t, prior=prior, confidence=c, **options)) for c in (0.8, 0.95)
    ]
    assert widths[0] < widths[1]
    if name in ("mcc", "kappa"):
        assert metric_interval(name, t, prior=prior, method="delta", **options).method in ("delta", "fisher-z")


def test_one_class_of_many_at_a_share_of_its_own():
    t = Confusion([[20, 3, 1], [2, 15, 4], [0, 5, 30]])
    made = metric_interval("npv", t, positive=2, prior=0.1)
    assert made.method == "mover-wilson"
    assert made.low < made.estimate < made.high


def test_coverage_with_few_rows_of_a_class():
    # The delta method covers .49 (negative predictive value) and .82 (Matthews correlation) here.
    rng = np.random.default_rng(0)
    recall = specificity = 0.95
    tp, fn, fp, tn = 0.3 * recall, 0.3 * (1 - recall), 0.7 * (1 - specificity), 0.7 * specificity
    truth = {"npv": tn / (tn + fn), "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * 0.3 * 0.7 * (tn + fn))}
    held = dict.fromkeys(truth, 0)
    for _ in range(300):
        x1, x0 = rng.binomial(15, recall), rng.binomial(285, specificity)
        t = te.Confusion([[x0, 285 - x0], [15 - x1, x1]])
        for name, value in truth.items():
            made = metric_interval(name, t, positive=1, prior=0.3)
            held[name] += made.low <= value <= made.high
    assert min(held.values()) >= 267
