"""Rows with several labels against scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as oracle

import trueerror as te
from trueerror.inputs._options import InputError

rng = np.random.default_rng(9)
TRUTH = (rng.random((120, 5)) < [0.5, 0.3, 0.2, 0.4, 0.1]).astype(int)
CALLED = np.where(rng.random((120, 5)) < 0.8, TRUTH, 1 - TRUTH)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
def test_averages_against_scikit_learn(average: str, name: str) -> None:
    expected = getattr(oracle, f"{name}_score")(TRUTH, CALLED, average=average)
    assert te.metric(f"{average}_{name}", TRUTH, CALLED) == pytest.approx(expected, rel=1e-12)


def test_hamming_loss_and_subset_accuracy_against_scikit_learn() -> None:
    assert te.metric("hamming_loss", TRUTH, CALLED) == pytest.approx(oracle.hamming_loss(TRUTH, CALLED))
    assert te.metric("subset_accuracy", TRUTH, CALLED) == pytest.approx(oracle.accuracy_score(TRUTH, CALLED))
    assert te.metric("error_rate", TRUTH, CALLED) == pytest.approx(oracle.zero_one_loss(TRUTH, CALLED))


def test_one_label_by_itself() -> None:
    for i in range(5):
        expected = te.metric("f1", TRUTH[:, i], CALLED[:, i])
        assert te.metric("f1", TRUTH, CALLED, positive=i) == expected
    frame = pd.DataFrame(TRUTH, columns=list("abcde"))
    assert te.metric("recall", frame, CALLED, positive="c") == te.metric("recall", TRUTH[:, 2], CALLED[:, 2])
    assert te.metric("recall", TRUTH.tolist(), CALLED.tolist(), positive=2) == pytest.approx(
        te.metric("recall", TRUTH[:, 2], CALLED[:, 2])
    )


def test_a_table_of_one_column_is_a_column() -> None:
    assert te.metric("accuracy", TRUTH[:, :1], CALLED[:, :1]) == te.metric("accuracy", TRUTH[:, 0], CALLED[:, 0])


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("f1", {}, "macro_f1"),
        ("mcc", {}, "several labels"),
        ("kappa", {}, "several labels"),
        ("auc", {"scores": CALLED}, "several labels"),
        ("hamming_loss", {"positive": 1}, "leave positive= out"),
        ("f1", {"positive": 9}, "not among the labels"),
    ],
)
def test_what_is_not_defined_is_refused(name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        te.metric(name, TRUTH, CALLED, **options)  # type: ignore[arg-type]


def test_predictions_are_needed_as_a_table() -> None:
    with pytest.raises(InputError, match="0 and 1"):
        te.metric("macro_f1", TRUTH)
    with pytest.raises(InputError, match="one column"):
        te.metric("macro_f1", TRUTH, CALLED[:, 0])
