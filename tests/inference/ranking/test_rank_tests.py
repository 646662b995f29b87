"""Tests of many models on many data sets: input, ties, degenerate tables, peers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

from trueerror.inference.ranking._rank_tests import (
    bonferroni_dunn,
    friedman,
    iman_davenport,
    nemenyi,
    quade,
    range_above,
    range_point,
    score_matrix,
    shaffer,
)
from trueerror.inputs._options import InputError
from trueerror.methods import method

RNG = np.random.default_rng(4)
SCORES = np.round(RNG.random((12, 4)) + np.array([0, 0.1, 0.2, 0.3]), 1)
NAMES = ("a", "b", "c", "d")


def test_friedman_agrees_with_scipy() -> None:
    expected = stats.friedmanchisquare(*SCORES.T)
    test = friedman(SCORES)
    assert (test.statistic, test.p_value) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("test", [friedman, iman_davenport])
def test_identical_models(test, ties) -> None:
    t = test(np.full((5, 4), 0.5), ties=ties)
    assert (t.statistic, t.p_value) == (0, 1)
    assert "tie" in t.note


def test_identical_models_have_quade_p_of_one() -> None:
    # R's quade.test answers (1/k!)^(N − 1) here, a chance of one in a million for models that are the same.
    t = quade(np.full((5, 4), 0.5))
    assert (t.statistic, t.p_value) == (0, 1)


def test_one_data_set_tells_nothing() -> None:
    for test in (iman_davenport, quade):
        t = test([[0.9, 0.8, 0.7]])
        assert math.isnan(t.statistic)
        assert t.p_value == 1
        assert "one data set alone" in t.note
    assert friedman([[0.9, 0.8, 0.7]]).p_value > 0.3


def test_one_order_with_ties_counts_the_orders_that_could_have_been() -> None:
    # Each of five more data sets repeats "one ahead, two tied": 3 ways to place the one.
    t = iman_davenport([[0.9, 0.8, 0.8]] * 6)
    assert t.statistic == math.inf
    assert t.p_value == pytest.approx(3.0**-5)


def test_quade_weighs_data_sets_by_their_range() -> None:
    scores = np.array([[0.50, 0.51], [0.60, 0.61], [0.20, 0.90]])
    flipped = np.array([[0.51, 0.50], [0.60, 0.61], [0.20, 0.90]])
    wide = np.array([[0.50, 0.51], [0.60, 0.61], [0.90, 0.20]])
    # The first two are tied in range (rank 1.5), the third has rank 3.
    assert quade(scores).statistic == pytest.approx(2 * 12 / (13.5 - 12))
    assert quade(flipped).statistic == pytest.approx(2 * 3 / (13.5 - 3))
    assert quade(wide).statistic == 0


def test_direction() -> None:
    up, down = nemenyi(SCORES), nemenyi(SCORES, higher_is_better=False)
    assert up.mean_ranks == pytest.approx([5 - r for r in down.mean_ranks])
    assert nemenyi(-SCORES, higher_is_better=False).mean_ranks == up.mean_ranks
    assert friedman(SCORES).statistic == pytest.approx(friedman(-SCORES).statistic)


@pytest.mark.parametrize(
    "made",
    [
        dict(zip(NAMES, SCORES.T, strict=True)),
        pd.DataFrame(SCORES, columns=list(NAMES)),
        pl.DataFrame(SCORES, schema=list(NAMES)),
        pa.table(dict(zip(NAMES, SCORES.T, strict=True))),
    ],
    ids=["dict", "pandas", "polars", "pyarrow"],
)
def test_every_kind_of_table_reads_the_same(made) -> None:
    assert shaffer(made).names == NAMES
    assert shaffer(made).mean_ranks == shaffer(SCORES).mean_ranks
    assert shaffer(SCORES).names == ("model 1", "model 2", "model 3", "model 4")


def test_a_text_column_or_index_names_the_data_sets() -> None:
    sets = [f"set{i}" for i in range(12)]
    frame = pd.DataFrame(SCORES, columns=list(NAMES))
    assert score_matrix(frame.assign(dataset=sets)).datasets == tuple(sets)
    assert score_matrix(frame.set_axis(sets, axis=0)).datasets == tuple(sets)
    assert score_matrix(pl.DataFrame(frame.assign(dataset=sets))).models == NAMES
    assert score_matrix(frame).datasets[0] == "1"


def test_missing_cells_are_named() -> None:
    frame = pd.DataFrame(SCORES.copy(), columns=list(NAMES), index=[f"set{i}" for i in range(12)])
    frame.loc["set7", "c"] = np.nan
    with pytest.raises(InputError, match="nan for 'c' on data set 'set7'"):
        friedman(frame)
    with pytest.raises(InputError, match="nan for 'model 2' on data set '1'"):
        nemenyi([[0.1, None], [0.2, 0.3]])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1], [0.2]], "1 model"),
        ([0.1, 0.2], "must be a table"),
        (np.empty((0, 3)), "no rows"),
        ({"a": [1, 2], "b": [1]}, "'b' has 1"),
        ({"a": [1, 2], "b": ["x", "y"], "c": ["u", "v"]}, "text in 'b' and 'c'"),
    ],
)
def test_wrong_tables(scores, message) -> None:
    with pytest.raises(InputError, match=message):
        friedman(scores)


def test_duplicate_names() -> None:
    with pytest.raises(InputError, match="two columns of the table are called 'a'"):
        friedman(pd.DataFrame(SCORES, columns=["a", "b", "a", "c"]))


def test_control_is_found_by_name_or_number() -> None:
    frame = dict(zip(NAMES, SCORES.T, strict=True))
    assert bonferroni_dunn(frame, control="b") == bonferroni_dunn(frame, control=1)
    assert {p.first for p in bonferroni_dunn(frame, control="b").pairs} == {"b"}
    with pytest.raises(InputError, match="did you mean 'bb'"):
        bonferroni_dunn({"aa": [1, 2], "bb": [2, 1]}, control="bbb")
    with pytest.raises(InputError, match="control=4"):
        bonferroni_dunn(frame, control=4)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
@pytest.mark.parametrize("q", [0.0, 0.3, 2.0, 4.5, 8.0])
def test_studentized_range_agrees_with_scipy(k, q) -> None:
    assert float(range_above(q, k)[0]) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-10)


def test_studentized_range_keeps_its_tail() -> None:
    # For two the range is |difference|: 2·Φ(−q/√2). Beyond 1e-16 a complement of 1 would be 0.
    for q in (1.0, 12.0, 30.0):
        assert float(range_above(q, 2)[0]) == pytest.approx(2 * stats.norm.sf(q / math.sqrt(2)), rel=1e-10)
    assert float(range_above(30.0, 50)[0]) > 0
    assert float(range_above(range_point(1e-6, 9), 9)[0]) == pytest.approx(1e-6, rel=1e-9)


def test_two_models_need_no_correction() -> None:
    for made in (nemenyi(SCORES[:, :2]), shaffer(SCORES[:, :2]), bonferroni_dunn(SCORES[:, :2], control=0)):
        (pair,) = made.pairs
        assert pair.p_adjusted == pytest.approx(pair.p_value, abs=1e-12)


def test_shaffer_rejects_at_least_what_bonferroni_does() -> None:
    made = shaffer(SCORES)
    for p in made.pairs:
        assert p.p_value <= p.p_adjusted <= min(1, 6 * p.p_value) + 1e-15


def test_p_values_that_underflow_are_not_zero() -> None:
    rows = np.tile([0.9, 0.8, 0.7], (3000, 1))
    rows[0] = [0.7, 0.8, 0.9]
    for test in (friedman, iman_davenport, quade):
        assert 0 < test(rows).p_value < 1e-200
    assert 0 < iman_davenport(rows[1:]).p_value < 1e-200
    for made in (nemenyi(rows), shaffer(rows), bonferroni_dunn(rows, control=0)):
        assert all(0 < p.p_value <= p.p_adjusted < 1e-200 for p in made.pairs)


def test_alpha_is_checked() -> None:
    with pytest.raises(InputError, match="alpha=5"):
        nemenyi(SCORES, alpha=5)


@pytest.mark.parametrize("key", ["friedman", "iman-davenport", "quade", "nemenyi", "bonferroni-dunn", "shaffer"])
def test_methods_are_in_the_catalogue(key) -> None:
    assert method(key).source
