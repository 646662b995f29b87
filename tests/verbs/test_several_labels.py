"""Rows with several labels: frames and arrays, evaluated and compared, with limits of micro averages."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import trueerror as te

RNG = np.random.default_rng(4)
TRUTH = pd.DataFrame(RNG.integers(0, 2, (150, 3)), columns=["x", "y", "z"])
NOISY = TRUTH ^ (RNG.random((150, 3)) < 0.12)
WORSE = TRUTH ^ (RNG.random((150, 3)) < 0.3)
MODELS = {"a": NOISY, "b": WORSE}


def test_a_frame_is_read_as_an_array_is():
    by_frame = te.evaluate(TRUTH, MODELS)
    by_array = te.evaluate(TRUTH.to_numpy(), {m: v.to_numpy() for m, v in MODELS.items()})
    assert by_frame.model("a")["micro_f1"] == by_array.model("a")["micro_f1"]
    assert by_frame.model("a")["recall", "y"] == by_array.model("a")["recall", 1]


@pytest.mark.parametrize(
    ("metric", "of_each"), [("micro_f1", "f1"), ("micro_recall", "recall"), ("hamming_loss", "error_rate")]
)
def test_labels_of_a_row_are_a_cluster(metric: str, of_each: str):
    rows = np.repeat(np.arange(150), 3)
    flat = {m: v.to_numpy().ravel().astype(int) for m, v in MODELS.items()}
    by_hand = te.compare(TRUTH.to_numpy().ravel(), flat, clusters=rows, metric=of_each)
    made = te.compare(TRUTH, MODELS, metric=metric)
    assert made.pairs == by_hand.pairs
    own = te.evaluate(TRUTH, NOISY, metrics=[metric])[metric]
    assert (own.low, own.high) == pytest.approx((made.estimates["a"].low, made.estimates["a"].high))


def test_accuracy_is_the_share_of_rows_with_all_labels_right():
    made = te.compare(TRUTH, MODELS)
    right = {m: (v == TRUTH).all(axis=1).mean() for m, v in MODELS.items()}
    assert {m: i.estimate for m, i in made.estimates.items()} == pytest.approx(right)
    assert made.best == "a"
    with pytest.raises(te.InputError, match=r"compared by accuracy .* micro_f1, not by macro_f1"):
        te.compare(TRUTH, MODELS, metric="macro_f1")
