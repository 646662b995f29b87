import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.tallies._confusion import Confusion

CARRIED = ("npv", "mcc", "kappa", "markedness", "jaccard", "macro_f1", "macro_precision")


def test_the_negative_predictive_value_is_the_precision_of_the_other_class():
    made = metric_interval("npv", Confusion([[160, 40], [10, 40]]), positive=1, prior=0.1)
    other = metric_interval("precision", Confusion([[40, 10], [40, 160]]), positive=1, prior=0.9)
    assert [made.low, made.high] == pytest.approx([other.low, other.high], rel=1e-8)


def test_no_false_alarm_leaves_room_for_some():
    made = metric_interval("precision", Confusion([[40, 0], [4, 16]]), positive=1, prior=0.05)
    assert made.estimate == made.high == 1
    assert made.low < 0.4  # one false alarm in 12 negatives is not excluded


@pytest.mark.parametrize("prior", [0.01, 0.2, 0.6])
def test_f1_is_no_wider_than_precision_and_recall_allow(prior):
    t = Confusion([[900, 100], [20, 80]])
    f1, precision = (metric_interval(name, t, positive=1, prior=prior) for name in ("f1", "precision"))
    recall = metric_interval("recall", t, positive=1)
    ends = [2 * p * r / (p + r) for p, r in ((precision.low, recall.low), (precision.high, recall.high))]
    assert ends[0] < f1.low < f1.estimate < f1.high < ends[1]


def test_one_share_belongs_to_the_positive_class_whichever_is_asked_for():
    ev = te.evaluate(te.Confusion([[900, 100], [20, 80]]), prior=0.01)
    assert ev["precision", 0].estimate == pytest.approx(0.99 * 0.9 / (0.99 * 0.9 + 0.01 * 0.2))
    assert (ev["precision", 0].low, ev["precision", 0].high) == pytest.approx((ev["npv"].low, ev["npv"].high))
    by_name = te.evaluate(te.Confusion([[900, 100], [20, 80]]), prior={0: 0.99, 1: 0.01})
    for name in ("precision", "recall", "f1"):
        for label in (0, 1):
            assert ev[name, label].low == pytest.approx(by_name[name, label].low, abs=1e-12)
    frame = ev.frame()
    shown = frame[(frame.metric == "f1") & (frame["class"] == 0)].estimate.item()
    assert shown == pytest.approx(ev["f1", 0].estimate) == pytest.approx(0.94636, abs=5e-6)


def test_precision_of_one_of_three_classes_without_a_false_alarm():
    t = Confusion([[40, 2, 0], [3, 35, 0], [1, 1, 18]], labels=["a", "b", "c"])
    made = metric_interval("precision", t, positive="c", prior={"a": 0.9, "b": 0.05, "c": 0.05})
    assert made.estimate == 1
    assert 0.1 < made.low < 0.4  # 0 of 42 and 0 of 38 called c, at 19 times as many rows


def test_exact_coverage_of_precision_and_f1_with_two_false_alarms_expected():
    # The delta method covers .82 (precision) and .83 (F1) here.
    n1, n0, recall, specificity, prior = 12, 24, 0.8, 0.92, 0.05
    share1 = [math.comb(n1, k) * recall**k * (1 - recall) ** (n1 - k) for k in range(n1 + 1)]
    share0 = [math.comb(n0, k) * (1 - specificity) ** k * specificity ** (n0 - k) for k in range(n0 + 1)]
    alarms = (1 - prior) * (1 - specificity)
    truth = {
        "precision": prior * recall / (prior * recall + alarms),
        "f1": 2 * prior * recall / (prior * recall + prior + alarms),
    }
    held = dict.fromkeys(truth, 0.0)
    for x1, p1 in enumerate(share1):
        for x0, p0 in enumerate(share0):
            if p1 * p0 < 1e-6:
                continue
            t = Confusion([[n0 - x0, x0], [n1 - x1, x1]])
            for name, value in truth.items():
                made = metric_interval(name, t, positive=1, prior=prior)
                held[name] += p1 * p0 * (made.low <= value <= made.high)
    assert min(held.values()) > 0.94


def test_precision_by_its_logit_can_be_asked_for():
    t = Confusion([[160, 40], [5, 45]])
    made = metric_interval("precision", t, positive=1, prior=0.1, method="delta-logit")
    assert (made.low, made.high) == pytest.approx((0.2718, 0.4011), abs=3e-4)  # with n − 1 in each class


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
        assert metric_interval(name, t, prior=prior, method="delta", **options).method == "delta"


def test_one_class_of_many_at_a_share_of_its_own():
    t = Confusion([[20, 3, 1], [2, 15, 4], [0, 5, 30]])
    made = metric_interval("npv", t, positive=2, prior=0.1)
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
