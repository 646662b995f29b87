"""Laws of everything that is made of ranks: areas, mean ranks, rearrangements."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from trueerror.inference.auc._interval import area_sums, centred_placements
from trueerror.inference.auc._tests import delong, delong_unpaired
from trueerror.inference.bootstrap._permutation import permutation
from trueerror.inference.ranking._rank_tests import friedman, iman_davenport, nemenyi, quade, shaffer
from trueerror.kernels._numpy import average_ranks, placements
from trueerror.metrics.scores import auc
from trueerror.tallies import ScoreTable

FEW = settings(max_examples=40, deadline=None)
# Sixteenths are exact in binary, so that adding and scaling them makes and breaks no ties.
GRID = st.integers(-40, 40).map(lambda i: i / 16)


@st.composite
def scored(draw, models: int = 2) -> tuple[NDArray[np.bool_], list[NDArray[np.float64]]]:
    n = draw(st.integers(4, 30))
    truth = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    assume(2 <= truth.sum() <= n - 2)
    return truth, [np.array(draw(st.lists(GRID, min_size=n, max_size=n))) for _ in range(models)]


def tables(most: int = 5) -> st.SearchStrategy[NDArray[np.float64]]:
    shape = st.tuples(st.integers(2, 8), st.integers(2, most))
    return shape.flatmap(lambda s: npst.arrays(np.float64, s, elements=GRID))


@given(scored())
@FEW
def test_areas_do_not_change_under_rising_functions(rows) -> None:
    truth, (a, b) = rows
    plain = delong(truth, a, b)
    bent = delong(truth, np.exp(a), b**3 + 5)
    assert (plain.estimate, plain.low, plain.high, plain.p_value) == (bent.estimate, bent.low, bent.high, bent.p_value)


@given(scored())
@FEW
def test_swapping_two_models(rows) -> None:
    truth, (a, b) = rows
    for test in (lambda x, y: delong(truth, x, y), lambda x, y: delong_unpaired(truth, x, truth, y)):
        ab, ba = test(a, b), test(b, a)
        assert ab.estimate == pytest.approx(-ba.estimate, abs=1e-15)
        assert ab.low == pytest.approx(-ba.high, abs=1e-12)
        assert ab.p_value == pytest.approx(ba.p_value, abs=1e-12)
        assert -1 <= ab.low <= ab.estimate <= ab.high <= 1
        assert ab.width > 0
        assert 0 < ab.p_value <= 1


@given(scored())
@FEW
def test_exchanging_classes_and_turning_scores_changes_nothing(rows) -> None:
    truth, (a, b) = rows
    one, other = delong(truth, a, b), delong(~truth, -a, -b)
    assert one.estimate == pytest.approx(other.estimate, abs=1e-15)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-12)


@given(scored(), st.randoms(use_true_random=False))
@FEW
def test_row_order_changes_nothing(rows, random) -> None:
    truth, (a, b) = rows
    places = list(range(len(truth)))
    random.shuffle(places)
    one, other = delong(truth, a, b), delong(truth[places], a[places], b[places])
    assert one.estimate == other.estimate
    assert one.p_value == pytest.approx(other.p_value, abs=1e-12)


@given(scored(models=1))
@FEW
def test_both_classes_agree_on_the_area_and_tables_on_all(rows) -> None:
    truth, (scores,) = rows
    twice = placements(scores, truth)
    assert twice[truth].sum() == twice[~truth].sum()
    distinct, where = np.unique(scores, return_inverse=True)
    up = np.bincount(where[truth], minlength=len(distinct))
    down = np.bincount(where[~truth], minlength=len(distinct))
    by_rows, table = centred_placements(truth, [scores]), ScoreTable(np.arange(len(up)), up, down)
    assert auc(table) == pytest.approx(by_rows.areas[0], abs=1e-15)
    for side, found in zip((by_rows.positives[0], by_rows.negatives[0]), area_sums(table), strict=True):
        assert found.squares * len(side) ** 2 == pytest.approx(side @ side, abs=1e-13)


@given(tables())
@FEW
def test_ranks_add_up(scores) -> None:
    k = scores.shape[1]
    assert average_ranks(scores).sum(axis=1) == pytest.approx(k * (k + 1) / 2)
    assert average_ranks(-scores) == pytest.approx(k + 1 - average_ranks(scores))


@given(tables(), st.randoms(use_true_random=False))
@FEW
def test_names_and_order_do_not_matter(scores, random) -> None:
    models = list(range(scores.shape[1]))
    random.shuffle(models)
    sets = list(range(len(scores)))
    random.shuffle(sets)
    mixed = scores[sets][:, models]
    for test in (friedman, iman_davenport, quade):
        assert test(mixed).statistic == pytest.approx(test(scores).statistic, rel=1e-9, abs=1e-9, nan_ok=True)
        assert test(mixed).p_value == pytest.approx(test(scores).p_value, abs=1e-9)


@given(tables())
@FEW
def test_a_shift_or_scale_of_one_data_set_does_not_change_its_ranks(scores) -> None:
    moved = scores * np.exp2(np.arange(len(scores)) % 3)[:, None] + np.arange(len(scores))[:, None]
    assert friedman(moved) == friedman(scores)
    assert nemenyi(moved) == nemenyi(scores)


@given(tables())
@FEW
def test_p_values_are_probabilities(scores) -> None:
    for test in (friedman, iman_davenport, quade):
        assert 0 < test(scores).p_value <= 1
    for made in (nemenyi(scores), shaffer(scores)):
        for p in made.pairs:
            assert 0 < p.p_value <= p.p_adjusted + 1e-12 <= 1 + 1e-9
            assert p.low <= p.estimate <= p.high
            assert p.width > 0
        assert {name for group in made.groups for name in group} == set(made.names)


@given(tables())
@FEW
def test_identical_models_rank_alike(scores) -> None:
    doubled = np.column_stack((scores, scores[:, 0]))
    made = nemenyi(doubled)
    last = made.names[-1]
    assert made.ranks[last] == made.ranks[made.names[0]]
    pair = made[made.names[0], last]
    assert (pair.estimate, pair.p_value, pair.p_adjusted) == (0, 1, 1)


@given(st.lists(st.tuples(GRID, GRID), min_size=1, max_size=12))
@FEW
def test_the_two_sides_of_a_permutation_test(rows) -> None:
    a, b = (np.array(x) for x in zip(*rows, strict=True))
    p = {side: permutation(a, b, alternative=side).p_value for side in ("greater", "less", "two-sided")}
    # Both sides hold the observed arrangement.
    assert p["greater"] + p["less"] >= 1
    assert p["two-sided"] >= min(p["greater"], p["less"])
    assert all(0 < x <= 1 for x in p.values())
    c = permutation(a, b)
    assert c.low <= c.estimate <= c.high
    assert math.isinf(c.width) or c.width > 0
