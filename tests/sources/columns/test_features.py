"""Features are no models: columns that might be either are left out beside likely models, or asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import ColumnError, InputError

N = 40
rng = np.random.default_rng(3)
Columns = dict[str, list[Any]]


def yes_no() -> list[str]:
    return [("no", "yes")[v] for v in rng.integers(0, 2, N)]


def shares() -> list[float]:
    return [float(v) for v in rng.random(N).round(3)]


LOANS: Columns = {"deny": yes_no(), "ratio": [v * 3 for v in shares()], "married": yes_no(), "share": shares()}
AGES = [None if i % 9 == 0 else float(v) for i, v in enumerate(rng.integers(18, 80, N))]


def test_a_table_of_features_brings_a_question_with_the_option() -> None:
    with pytest.raises(ColumnError, match=r"'married', 'share' .* may be models or features: .* models='married'"):
        te.read(LOANS, truth="deny", positive="yes")
    assert te.read(LOANS, truth="deny", positive="yes", models="married").models == ("married",)


def test_columns_with_the_names_of_learners_are_the_models() -> None:
    p = te.read(LOANS | {"lr": shares(), "hgb_2": shares()}, truth="deny", positive="yes")
    assert p.models == ("lr", "hgb_2")
    assert all(p.roles[c] == "left out: taken for a feature" for c in ("ratio", "married", "share"))


def test_a_feature_with_gaps_asks_for_nothing() -> None:
    rows = {"died": [i % 2 for i in range(N)], "age": AGES, "svm": shares()}
    assert te.read(rows, truth="died").models == ("svm",)
    assert te.evaluate(rows, truth="died", models=["svm"]).models == ("svm",)


def test_answers_in_words_of_their_own_are_models_beside_any_feature() -> None:
    kinds = [("elm", "oak", "ash")[v] for v in rng.integers(0, 3, N)]
    rows = {"kind": kinds, "year": [2007 + i % 3 for i in range(N)], "ours": kinds, "alpha": kinds[::-1]}
    assert te.read(rows, truth="kind").models == ("ours", "alpha")
    assert te.read(rows, truth="kind", positive="elm").models == ("ours", "alpha")


def test_markers_alone_are_scores() -> None:
    rows = {"ill": [i % 2 for i in range(N)], "crp": [90 * v for v in shares()], "pct": [9 * v for v in shares()]}
    assert te.read(rows, truth="ill").models == ("crp", "pct")


def test_a_spoilt_feature_is_no_error_and_a_spoilt_model_is() -> None:
    odd = [str(v) for v in shares()]
    odd[3] = "?"
    rows = LOANS | {"lr": shares(), "income": odd}
    assert te.read(rows, truth="deny", positive="yes").models == ("lr",)
    with pytest.raises(InputError, match="'svm' of the table holds numbers, but '\\?' in row 4"):
        te.read(LOANS | {"svm": odd}, truth="deny", positive="yes")


def test_rows_without_a_slice_are_a_slice_of_their_own() -> None:
    rows = {"y": [0, 1, 0, 1, 1], "svm": [0, 1, 1, 1, 0], "sex": ["m", None, "f", "NA", "f"], "age": [1, 2, None, 2, 1]}
    p = te.read(rows, by="sex")
    assert (p.keys("slices").names, p.keys("slices").sizes.tolist()) == (("f", "m", "missing"), [2, 1, 2])
    assert "Read as missing: empty cells, NA, " in p.notes[0]
    assert te.read(rows, by="age").keys("slices").names == ("1", "2", "missing")
    assert te.read(rows, by=["sex", "age"]).keys("slices").names == ("f, 1", "f, missing", "m, 1", "missing, 2")
    with pytest.raises(InputError, match="'sex' of the table is missing at row 2"):
        te.read(rows, cluster="sex")
