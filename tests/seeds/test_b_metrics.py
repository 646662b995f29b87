"""Section B of the requirements: confusion matrices, metrics, priors and costs, with the seeds' figures and errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te

LABELS = ["+", "-"]
COSTS = [[-1, 100], [1, 0]]
M1 = te.Confusion([[150, 40], [60, 250]], labels=LABELS, positive="+")
M2 = te.Confusion([[250, 45], [5, 200]], labels=LABELS, positive="+")

cell = st.integers(0, 500)


def near(x: float, digits: float = 1e-12) -> Any:
    return pytest.approx(x, rel=digits, abs=1e-12)


def test_b1_rows_are_the_truth() -> None:
    truth = ["cat", "cat", "cat", "dog", "dog", "fox"]
    called = ["cat", "dog", "dog", "dog", "cat", "fox"]
    table = te.Confusion.count(truth, called)
    assert table.labels == ("cat", "dog", "fox")
    assert table.matrix.tolist() == [[1, 2, 0], [1, 1, 0], [0, 0, 1]]


def test_b1_a_matrix_with_rows_predicted_is_the_same_table() -> None:
    """One seed prints its matrix with the predictions in the rows."""
    assert te.Confusion([[150, 60], [40, 250]], labels=LABELS, rows="predicted") == te.Confusion(M1.matrix, LABELS)
    wrong_way = te.Confusion([[150, 60], [40, 250]], labels=LABELS)
    assert te.metric("recall", wrong_way, positive="+") != te.metric("recall", M1)


def test_b1_row_percentages_add_up_and_their_diagonal_is_recall_not_accuracy() -> None:
    """A seed says that the diagonal of the row-normalised matrix holds each class's accuracy: it is the recall."""
    table = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]], labels=["a", "b", "c"])
    shares = table.shares()
    assert np.allclose(shares.sum(axis=1), 1)
    for i, label in enumerate(table.labels):
        assert shares[i, i] == near(te.metric("recall", table, positive=label))
        assert shares[i, i] != pytest.approx(te.metric("accuracy", table, positive=label), abs=1e-3)


def test_b1_a_class_without_rows_has_no_percentages() -> None:
    assert np.isnan(te.Confusion([[3, 1], [0, 0]]).shares()[1]).all()


def test_b2_accuracy_hides_a_rare_class() -> None:
    table = te.Confusion([[9990, 0], [10, 0]])
    assert te.metric("accuracy", table) == 0.999
    assert te.metric("recall", table) == 0
    assert math.isnan(te.metric("precision", table))
    assert te.metric("f1", table) == 0


def test_b2_every_rate_from_its_definition() -> None:
    tn, fp, fn, tp = 50, 5, 10, 35
    table = te.Confusion([[tn, fp], [fn, tp]])
    expected = {
        "accuracy": 85 / 100,
        "error_rate": 15 / 100,
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
        "tpr": tp / (tp + fn),
        "sensitivity": tp / (tp + fn),
        "specificity": tn / (tn + fp),
        "tnr": tn / (tn + fp),
        "fpr": fp / (fp + tn),
        "fnr": fn / (fn + tp),
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    for name, figure in expected.items():
        assert te.metric(name, table) == near(figure), name
    p, r = expected["precision"], expected["recall"]
    for beta in (0.5, 1, 2, 3):
        assert te.metric("f_beta", table, beta=beta) == near((1 + beta**2) * p * r / (beta**2 * p + r))


def test_b2_the_false_positive_rate_has_fp_above_the_line() -> None:
    """One seed prints FPR = TP / (TN + FP), another calls FPR the true positive rate."""
    table = te.Confusion([[50, 5], [10, 35]])
    fpr = te.metric("fpr", table)
    assert fpr == near(5 / 55)
    assert fpr != near(35 / 55)
    assert fpr != near(te.metric("tpr", table))
    assert fpr == near(1 - te.metric("specificity", table))


def test_b2_per_class_and_averaged() -> None:
    table = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]], labels=["a", "b", "c"])
    each = [te.metric("f1", table, positive=label) for label in table.labels]
    assert te.metric("macro_f1", table) == near(sum(each) / 3)
    assert te.metric("macro_f1", table) == pytest.approx(0.81270, abs=5e-6)
    assert te.metric("weighted_f1", table) == near((57 * each[0] + 40 * each[1] + 23 * each[2]) / 120)
    assert te.metric("micro_f1", table) == near(99 / 120)
    assert te.metric("accuracy", table) == near(99 / 120)


@given(tn=cell, fp=cell, fn=cell, tp=cell)
@settings(max_examples=50, deadline=None)
def test_b3_accuracy_is_pos_tpr_plus_neg_one_minus_fpr(tn: int, fp: int, fn: int, tp: int) -> None:
    table = te.Confusion([[tn + 1, fp], [fn, tp + 1]])
    tpr, fpr = te.metric("tpr", table), te.metric("fpr", table)
    pos = te.metric("prevalence", table)
    assert te.metric("accuracy", table) == near(pos * tpr + (1 - pos) * (1 - fpr))
    for prior in (0.0, 0.01, 0.5, 1.0):
        assert te.metric("accuracy", table, prior=prior) == near(prior * tpr + (1 - prior) * (1 - fpr))


def test_b3_figures_at_a_prior() -> None:
    """Sensitivity 45/50, specificity 160/200 at 10 % positives: accuracy .81, precision 1/3."""
    table = te.Confusion([[160, 40], [5, 45]])
    assert te.metric("accuracy", table, prior=0.1) == near(0.81)
    assert te.metric("precision", table, prior=0.1) == near(1 / 3)
    assert te.metric("recall", table, prior=0.1) == near(0.9)
    assert te.metric("accuracy", table, prior={0: 0.9, 1: 0.1}) == near(0.81)


def test_b4_total_and_expected_cost() -> None:
    assert te.metric("accuracy", M1) == 0.80
    assert te.cost(M1, COSTS) == 3910
    assert te.metric("accuracy", M2) == 0.90
    assert te.cost(M2, COSTS) == 4255
    assert te.cost(M1, COSTS, mean=True) == near(7.82)
    assert te.metric("expected_cost", M2, costs=COSTS) == near(8.51)


def test_b4_the_two_models_of_the_seed_met_different_class_mixes() -> None:
    """At one common mix the model that the seed calls dearer is the cheaper one."""
    assert te.metric("cost", M1, costs=COSTS, prior=190 / 500) == near(3910)
    assert te.metric("cost", M2, costs=COSTS, prior=190 / 500) == pytest.approx(2745, abs=0.5)
    assert te.metric("cost", M1, costs=COSTS, prior=295 / 500) == pytest.approx(6017, abs=0.5)
    assert te.metric("cost", M2, costs=COSTS, prior=295 / 500) == near(4255)


def test_b4_the_more_accurate_model_can_cost_more_on_the_same_rows() -> None:
    """The lesson, with rows of one class mix (190 of 500): six points more accurate, half as dear again."""
    cautious = te.Confusion([[130, 60], [10, 300]], labels=LABELS, positive="+")
    assert cautious.classes().truth.tolist() == M1.classes().truth.tolist()
    assert te.metric("accuracy", cautious) == 0.86 > te.metric("accuracy", M1)
    assert te.cost(cautious, COSTS) == 5880 > te.cost(M1, COSTS)


def test_b4_any_number_of_classes_and_gains() -> None:
    table = te.Confusion([[5, 1, 0], [2, 6, 1], [0, 3, 7]], labels=["a", "b", "c"])
    costs = np.array([[-1, 2, 9], [3, -2, 4], [8, 1, 0]])
    assert te.cost(table, costs) == (table.matrix * costs).sum() == -5 + 2 + 6 - 12 + 4 + 3
    by_pair = {(table.labels[i], table.labels[j]): costs[i, j] for i in range(3) for j in range(3)}
    assert te.cost(table, by_pair) == te.cost(table, costs)


@given(tn=cell, fp=cell, fn=cell, tp=cell, p=st.integers(-20, 20), q=st.integers(-20, 20))
@settings(max_examples=50, deadline=None)
def test_b5_cost_is_an_affine_function_of_accuracy(tn: int, fp: int, fn: int, tp: int, p: int, q: int) -> None:
    """Cost = N[q − (q − p)·accuracy]: not proportional to accuracy, as a seed says, and falling when q > p."""
    table = te.Confusion([[tn + 1, fp], [fn, tp]])
    cost = te.cost(table, [[p, q], [q, p]])
    assert cost == near(table.n * (q - (q - p) * te.metric("accuracy", table)))


def test_b5_cost_is_not_proportional_to_accuracy() -> None:
    costs = [[0, 1], [1, 0]]
    half, full = te.Confusion([[25, 25], [25, 25]]), te.Confusion([[50, 0], [0, 50]])
    assert te.metric("accuracy", full) == 2 * te.metric("accuracy", half)
    assert te.cost(full, costs) == 0 < te.cost(half, costs)


@given(tn=cell, fp=cell, fn=cell, tp=cell)
@settings(max_examples=50, deadline=None)
def test_b6_precision_recall_f_and_accuracy_are_weighted_accuracies(tn: int, fp: int, fn: int, tp: int) -> None:
    table = te.Confusion([[tn, fp], [fn, tp + 1]])
    special: dict[Any, tuple[str, dict[str, Any]]] = {
        (1, 0, 1, 0): ("precision", {}),
        (1, 1, 0, 0): ("recall", {}),
        (2, 1, 1, 0): ("f1", {}),
        (5, 4, 1, 0): ("f_beta", {"beta": 2}),
        (1, 1, 1, 0): ("jaccard", {}),
        (1, 1, 1, 1): ("accuracy", {}),
    }
    for weights, (name, options) in special.items():
        expected = te.metric(name, table, **options)
        assert te.metric("weighted_accuracy", table, weights=weights) == near(expected), name


def test_b6_the_formula() -> None:
    a, b, c, d = 35, 10, 5, 50
    w1, w2, w3, w4 = 3, 7, 2, 0.5
    table = te.Confusion([[a, b], [c, d]], labels=LABELS, positive="+")
    expected = (w1 * a + w4 * d) / (w1 * a + w2 * b + w3 * c + w4 * d)
    assert te.metric("weighted_accuracy", table, weights=(w1, w2, w3, w4)) == near(expected)


def test_b7_a_constant_call_can_have_the_higher_accuracy_and_no_merit() -> None:
    """90 % negatives: the constant h1 has 90 %, the learned h2 85 % and finds 8 of 10 positives."""
    h1 = te.Confusion([[90, 0], [10, 0]])
    h2 = te.Confusion([[77, 13], [2, 8]])
    assert te.metric("accuracy", h1) == 0.90 > te.metric("accuracy", h2) == 0.85
    assert te.metric("balanced_accuracy", h1) == 0.5 < te.metric("balanced_accuracy", h2)
    assert te.metric("kappa", h1) == 0 < te.metric("kappa", h2)
    assert te.metric("savings", h1) == 0 > te.metric("savings", h2)
    assert te.metric("savings", h2, costs={"fp": 1, "fn": 10}) > 0


def test_b7_is_98_percent_good_when_97_percent_are_negative() -> None:
    """It saves a third of the errors of the constant call."""
    table = te.Confusion([[965, 5], [15, 15]])
    assert te.metric("accuracy", table) == 0.98
    assert te.metric("savings", table) == near(1 / 3)
