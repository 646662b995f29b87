"""The rules for all verbs, through a verb: every library gives the same answer, and mixing is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH = ["no", "yes", "yes", "no", "yes"]
CALLED = ["no", "yes", "no", "yes", "yes"]
LIBRARIES: dict[str, Any] = {
    "list": list,
    "numpy": np.array,
    "pandas": pd.Series,
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas string": lambda v: pd.Series(v, dtype="string"),
    "polars": pl.Series,
    "polars categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow dictionary": lambda v: pa.array(v).dictionary_encode(),
}


@pytest.mark.parametrize("first", LIBRARIES)
@pytest.mark.parametrize("second", LIBRARIES)
def test_one_tally_from_any_two_libraries(first: str, second: str) -> None:
    table = te.Confusion.count(LIBRARIES[first](TRUTH), LIBRARIES[second](CALLED))
    assert table == te.Confusion.count(TRUTH, CALLED)


def test_pandas_rows_match_by_position_and_unequal_indexes_are_an_error() -> None:
    truth = pd.Series(TRUTH)
    shuffled = pd.Series(CALLED, index=[4, 3, 2, 1, 0])
    for function in (te.Confusion.count, lambda t, c: te.metric("accuracy", t, c)):
        with pytest.raises(InputError, match="different indexes"):
            function(truth, shuffled)
        function(truth, shuffled.to_numpy())
    scores = pd.Series([0.1, 0.2, 0.3, 0.4, 0.5], index=[4, 3, 2, 1, 0])
    with pytest.raises(InputError, match="different indexes"):
        te.ScoreTable.count(truth, scores, positive="yes")
    with pytest.raises(InputError, match="different indexes"):
        te.metric("auc", truth, scores=scores, positive="yes")
    with pytest.raises(InputError, match="truth and weights"):
        te.Confusion.count(truth, CALLED, weights=scores, weights_kind="sampling")


def test_text_and_numbers_do_not_mix() -> None:
    with pytest.raises(InputError, match=r"truth has text labels.*look alike"):
        te.Confusion.count(["0", "1"], [0, 1])
    with pytest.raises(InputError, match="truth mix text"):
        te.Confusion.count(["a", 1], ["a", "a"])


def test_labels_in_scores_and_scores_in_predicted_are_told_apart_by_their_place_alone() -> None:
    with pytest.raises(InputError, match="scores="):
        te.Confusion.count([0, 1], [0.2, 0.9])
    with pytest.raises(InputError, match="labels go in predicted"):
        te.ScoreTable.count([0, 1], ["0", "1"])
    # Whole numbers may be either: the place decides.
    assert te.metric("accuracy", [0, 1], [0, 1]) == 1
    assert te.metric("auc", [0, 1], scores=[0, 1]) == 1


def test_a_score_at_the_threshold_is_positive() -> None:
    assert te.metric("recall", [1, 1], scores=[0.5, 0.4999]) == 0.5


def test_every_error_is_one_sentence_that_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="rows") as caught:
        te.Confusion.count([1, 0], [1])
    assert isinstance(caught.value, InputError)
    assert len(str(caught.value).splitlines()) == 1
