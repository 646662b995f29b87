"""Adjustments of p-values: order, missing values, Shaffer's sets, mistakes others make."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from trueerror.inference._contrast import REALS, contrast, mirrored, student_p
from trueerror.inference._many import (
    ADJUSTMENTS,
    adjust,
    adjust_shaffer,
    shaffer_multipliers,
    true_pair_counts,
    with_anchor,
)
from trueerror.inference._problem import critical_t
from trueerror.inputs._options import InputError
from trueerror.methods import method

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)
# Which adjustment is never the smaller one, from careful to bold.
ORDER = [("bonferroni", "holm"), ("holm", "hochberg"), ("hochberg", "hommel"), ("hommel", "bh"), ("by", "bh"),
         ("bonferroni", "sidak"), ("holm", "holm-sidak"), ("bh", "none")]  # fmt: skip


@given(P_VALUES, st.sampled_from(ADJUSTMENTS))
@settings(max_examples=50, deadline=None)
def test_adjusted_are_probabilities_that_never_shrink_and_keep_their_order(p, how) -> None:
    result = adjust(p, how)
    assert (result >= np.array(p) * (1 - 1e-12)).all()
    assert (result <= 1).all()
    by_size = result[np.argsort(p, kind="stable")]
    assert (np.diff(by_size) >= -1e-12).all()


@given(P_VALUES)
@settings(max_examples=50, deadline=None)
def test_careful_methods_adjust_more(p) -> None:
    for careful, bold in ORDER:
        assert (adjust(p, careful) >= adjust(p, bold) - 1e-12).all(), (careful, bold)


@given(P_VALUES, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_input_does_not_matter(p, random) -> None:
    places = list(range(len(p)))
    random.shuffle(places)
    for how in ADJUSTMENTS:
        assert adjust([p[i] for i in places], how).tolist() == pytest.approx(adjust(p, how)[places].tolist())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("holm", "holm"), ("hommel", "hommel"), ("hochberg", "simes-hochberg"), ("bh", "fdr_bh"), ("by", "fdr_by"),
     ("sidak", "sidak"), ("holm-sidak", "holm-sidak")],
)  # fmt: skip
def test_statsmodels_agrees(ours, theirs) -> None:
    p = np.random.default_rng(0).random(40) ** 3
    assert adjust(p, ours) == pytest.approx(multipletests(p, method=theirs)[1])


def test_holm_has_no_constant_level() -> None:
    # At .05 with three tests: .016 passes .05/3, .02 passes .05/2, .04 passes .05; a constant .05/3 would stop at one.
    assert (adjust([0.016, 0.02, 0.04], "holm") <= 0.05).tolist() == [True, True, True]
    # And a later small step cannot rescue an earlier failure.
    assert (adjust([0.03, 0.03, 0.001], "holm") <= 0.05).tolist() == [False, False, True]


def test_missing_values_pass_through_and_do_not_count() -> None:
    for how in ADJUSTMENTS:
        assert adjust([0.01, float("nan"), 0.02], how)[[0, 2]].tolist() == adjust([0.01, 0.02], how).tolist()
        assert np.isnan(adjust([0.01, float("nan")], how)[1])
        assert adjust([], how).tolist() == []
        assert np.isnan(adjust([float("nan")], how)).all()


def test_single_value_is_its_own() -> None:
    assert all(adjust([0.03], how).tolist() == pytest.approx([0.03]) for how in ADJUSTMENTS)


def test_tiny_values_survive_sidak() -> None:
    assert adjust([1e-300, 1.0], "sidak").tolist() == [2e-300, 1.0]


def test_wrong_input() -> None:
    with pytest.raises(InputError, match=r"1\.2 at place 2"):
        adjust([0.1, 1.2])
    with pytest.raises(InputError, match="did you mean 'holm'"):
        adjust([0.1], "Holm")
    with pytest.raises(InputError, match="must be numbers"):
        adjust(["a"])


def set_partitions_pair_counts(models: int) -> set[int]:
    """By brute force: every way to label the models with groups."""
    found = set()
    for code in range(models**models):
        groups = [code // models**i % models for i in range(models)]
        found.add(sum(a == b for a, b in combinations(groups, 2)))
    return found


@pytest.mark.parametrize("models", [1, 2, 3, 4, 5])
def test_shaffer_sets_by_enumeration(models) -> None:
    assert true_pair_counts(models) == set_partitions_pair_counts(models)


def test_shaffer_sets_published() -> None:
    # S(6) of Shaffer (1986), table 1; García and Herrera's step levels for five algorithms.
    assert sorted(true_pair_counts(6)) == [0, 1, 2, 3, 4, 6, 7, 10, 15]
    assert shaffer_multipliers(5).tolist() == [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    assert shaffer_multipliers(60)[0] == 1770


def test_shaffer_lies_between_none_and_holm() -> None:
    p = np.random.default_rng(1).random(15) ** 4
    shaffer = adjust_shaffer(p, 6)
    assert (shaffer <= adjust(p, "holm")).all()
    assert (shaffer >= p).all()
    assert (shaffer < adjust(p, "holm") - 1e-9).any()


@pytest.mark.parametrize("key", [a for a in ADJUSTMENTS if a != "none"])
def test_methods_are_in_the_catalogue(key) -> None:
    assert method(key).source


@pytest.mark.parametrize("df", [4.0, 12.0, None])
@pytest.mark.parametrize("chosen", [True, False])
def test_limits_that_hold_together_leave_zero_out_just_where_p_says_so(df, chosen) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        values = rng.standard_normal(5)
        q = critical_t(0.95, df or math.inf)
        pairs = [
            contrast(
                estimate=a - b, limits=(a - b - q * 0.6, a - b + q * 0.6), whole=REALS, confidence=0.95, df=df,
                method="", alternative="two-sided", statistic=0.0, first=str(i), second=str(j),
                p_value=student_p((a - b) / 0.6, df or 1e9, "two-sided"),
            )
            for (i, a), (j, b) in combinations(enumerate(values), 2)
        ]  # fmt: skip
        alone = {(c.first, c.second): c for c in pairs}
        best = str(int(values.argmax()))
        for c in with_anchor(pairs, best, chosen=chosen):
            assert (c.p_adjusted <= 0.05) == (c.high < 0)
            own = alone.get((c.first, c.second)) or mirrored(alone[c.second, c.first])
            assert c.low <= own.low < own.high <= c.high
            assert c.p_adjusted >= c.p_value
            # Bonferroni's bound over the ten pairs of five models.
            assert not chosen or c.p_adjusted <= max(0.05, 10 * c.p_value * (1 + 1e-6))


def test_a_pair_of_few_degrees_of_freedom_does_not_widen_the_others() -> None:
    def pair(first, second, d, df):
        t, error = critical_t(0.95, df), 0.5
        return contrast(
            estimate=d, limits=(d - t * error, d + t * error), whole=REALS, confidence=0.95, df=df, method="",
            alternative="two-sided", statistic=d / error, p_value=student_p(d / error, df, "two-sided"), first=first,
            second=second,
        )  # fmt: skip

    def width(df):
        made = with_anchor([pair("a", "b", 2.0, 500.0), pair("a", "c", 1.0, df), pair("b", "c", -1.0, 500.0)], "a",
                           chosen=False)  # fmt: skip
        return {c.first: c.width for c in made}

    assert width(3.0)["b"] == pytest.approx(width(500.0)["b"])
    assert width(3.0)["c"] > 1.5 * width(500.0)["c"]
