"""Few labels of people and many of a judge: references, laws, coverage where PPI++ breaks, plans."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.people._judges import inclusion_chances, neyman, systematic_sample


def drawn(n, others, share, right, rng):
    truth = rng.random(n + others) < share
    judge = np.where(rng.random(n + others) < right, truth, ~truth)
    return truth[:n].astype(int), judge[:n].astype(int), judge[n:].astype(int)


# ppi_py.ppi_mean_pointestimate(Y, YHAT, OTHERS, lam=…) and ppi_mean_ci(Y, YHAT, OTHERS, alpha=0.05, lam=…), ppi-python
# 0.2.3, with these as arrays of floats.
Y = [1, 0, 1, 1, 0, 1, 1, 0, 1, 1] * 5
YHAT = [1, 0, 1, 0, 0, 1, 1, 1, 1, 1] * 5
OTHERS = [1, 1, 0, 1] * 100
PPI_PY = {
    0.0: (0.7, 0.57297982, 0.82702018), 0.5: (0.725, 0.6146976, 0.8353024), 1.0: (0.75, 0.61897894, 0.88102106)
}  # fmt: skip


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_ppi_is_the_published_estimate(power):
    found = te.ppi(Y, YHAT, OTHERS, method="ppi++", power=power)
    assert found.estimate == pytest.approx(PPI_PY[power][0], abs=1e-12)
    # ppi_py takes z and divides by n; here t and n − 1.
    z, t = 1.959963984540054, 2.0095752371292397
    half = (PPI_PY[power][2] - PPI_PY[power][1]) / 2
    residuals = np.array(Y) - power * np.array(YHAT)
    theirs = math.sqrt(residuals.var() / 50 + power**2 * np.var(OTHERS) / 400)
    ours = math.sqrt(residuals.var(ddof=1) / 50 + power**2 * np.var(OTHERS) / 400)
    assert half == pytest.approx(z * theirs, abs=1e-8)
    assert (found.high - found.low) / 2 == pytest.approx(t * ours, abs=1e-9)


def test_with_two_answers_post_stratifying_is_power_tuned_ppi():
    y, f, others = drawn(80, 4000, 0.7, 0.85, np.random.default_rng(2))
    post = te.ppi(y, f, others, method="post-stratified").estimate
    slope = np.cov(y, f)[0, 1] / np.var(f, ddof=1) / (1 + 80 / 4000)
    assert post == pytest.approx(te.ppi(y, f, others, method="ppi++", power=slope).estimate, abs=1e-12)


@given(
    st.integers(2, 60), st.integers(1, 200), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**16),
    st.sampled_from(["post-stratified", "classical", None]),
)  # fmt: skip
def test_limits_hold_the_estimate_within_the_range(n, others, share, right, seed, method):
    y, f, rest = drawn(n, others, share, right, np.random.default_rng(seed))
    found = te.ppi(y, f, rest, method=method)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high
    assert found.classical.low < found.classical.high


@given(st.integers(10, 60), st.integers(0, 2**16))
def test_turning_the_labels_round_turns_the_answer_round(n, seed):
    y, f, rest = drawn(n, 500, 0.7, 0.8, np.random.default_rng(seed))
    one, other = te.ppi(y, f, rest), te.ppi(1 - y, 1 - f, 1 - rest)
    assert (1 - other.estimate, 1 - other.high, 1 - other.low) == pytest.approx((one.estimate, one.low, one.high))


def test_labels_alone_are_wilsons():
    y, f, rest = drawn(100, 1000, 0.8, 0.6, np.random.default_rng(0))
    wilson = te.interval(int(y.sum()), 100)
    found = te.ppi(y, f, rest).classical
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)


@pytest.mark.parametrize(("share", "right"), [(0.8, 0.6), (0.8, 0.95), (0.98, 0.95), (0.5, 0.8)])
def test_fifty_labels_hold_the_truth_where_the_published_interval_may_not(share, right):
    rng = np.random.default_rng(7)
    held = {"post-stratified": 0, "ppi++": 0, None: 0}
    for _ in range(150):
        y, f, rest = drawn(50, 2000, share, right, rng)
        for method in held:
            found = te.ppi(y, f, rest, method=method)
            held[method] += found.low <= share <= found.high
    assert held["post-stratified"] >= 0.9 * 150
    assert held[None] >= 0.88 * 150
    if share == 0.98:
        assert held["ppi++"] < 0.8 * 150


def test_a_judge_that_guesses_is_left_aside_and_a_good_one_is_worth_labels():
    rng = np.random.default_rng(4)
    y = (rng.random(200) < 0.7).astype(int)
    guesses = te.ppi(y, rng.integers(0, 2, 200), rng.integers(0, 2, 5000))
    assert not guesses.helps
    assert guesses.method == "classical"
    assert "does not help" in guesses.verdict
    good = te.ppi(*drawn(200, 5000, 0.7, 0.95, rng))
    assert good.worth > 500
    assert good.classical.width > good.width


def test_a_perfect_judge_still_leaves_width():
    y = np.array([0, 1, 1, 1] * 15)
    found = te.ppi(y, y, np.tile(y, 100))
    assert 0.02 < found.width < found.classical.width


def test_chances_undo_a_biased_choice_of_rows():
    rng = np.random.default_rng(8)
    score = rng.beta(2, 1, 20000)
    truth = (rng.random(20000) < score).astype(int)
    estimates = []
    for seed in range(60):
        plan = te.label_plan(score, 150, method="active", rng=seed)
        rows = list(plan.rows)
        estimates.append(plan.estimate(truth[rows], score))
    held = [f.low <= truth.mean() <= f.high for f in estimates]
    assert np.mean(held) > 0.88
    assert abs(np.mean([f.estimate for f in estimates]) - truth.mean()) < 0.015


def test_rows_that_are_no_random_sample_are_told():
    rng = np.random.default_rng(3)
    y, f, rest = drawn(200, 5000, 0.7, 0.9, rng)
    assert "no random sample" in te.ppi(y[f == 1], f[f == 1], rest).note or len(np.unique(f[f == 1])) == 1
    skewed = np.r_[np.flatnonzero(f == 1), np.flatnonzero(f == 0)[:5]]
    assert "no random sample" in te.ppi(y[skewed], f[skewed], rest).note
    assert not te.ppi(y, f, rest).note


def test_two_models_are_compared_on_the_same_rows():
    rng = np.random.default_rng(5)
    a, b = (rng.random(5000) < 0.85).astype(int), (rng.random(5000) < 0.6).astype(int)
    judge = {"a": np.where(rng.random(5000) < 0.9, a, 1 - a), "b": np.where(rng.random(5000) < 0.9, b, 1 - b)}
    human = {"a": np.where(np.arange(5000) < 150, a, None), "b": np.where(np.arange(5000) < 150, b, None)}
    found = te.ppi(human, judge)
    assert found.p_value < 0.001
    assert found.low > 0
    assert "a is better (p < .001)" in found.verdict
    assert [m.name for m in found.models] == ["a", "b"]
    same = te.ppi({"a": human["a"], "b": human["a"]}, {"a": judge["a"], "b": judge["a"]})
    assert same.p_value == 1
    assert same.low < 0 < same.high


@pytest.mark.parametrize("without", [0, 2])
def test_a_stratum_without_a_label_has_its_share(without):
    strata = np.array([1, 1, 1, 2 - without, 2 - without, 2 - without, 1, 2 - without, without, without])
    human, judge = [1, 0, 1, 1, 0, 1, None, None, None, None], [1, 0, 1, 1, 1, 1, 1, 0, 1, 1]
    found = te.ppi(human, judge, strata=strata)
    assert found.low < found.estimate < found.high
    assert found.classical.estimate == pytest.approx(2 / 3)


def test_labels_that_are_all_the_same_without_bounds_have_no_limits():
    found = te.ppi([5, 5, 5, 5], [1, 1, 1, 1], [1, 1, 1])
    assert (found.estimate, found.worth, found.helps) == (5, 4, False)
    assert math.isnan(found.low)


def test_grades_and_unbounded_values():
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, 3000).astype(float)
    judge = np.clip(truth + rng.integers(-1, 2, 3000), 1, 5)
    gappy = np.where(np.arange(3000) < 120, truth, np.nan)
    bounded, plain = te.ppi(gappy, judge, bounds=(1, 5)), te.ppi(gappy, judge)
    assert (bounded.method, plain.method) == ("post-stratified", "ppi++")
    assert bounded.name == "mean"
    for found in (bounded, plain):
        assert found.low < truth.mean() < found.high
        assert found.worth > 200


def test_text_labels_need_the_one_that_counts():
    human = ["right", "wrong", "right", None, None, None] * 10
    judge = ["right", "wrong", "wrong", "right", "right", "wrong"] * 10
    with pytest.raises(InputError, match="positive="):
        te.ppi(human, judge)
    assert te.ppi(human, judge, positive="right").classical.estimate == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.ppi([1, 0], [1, 0]), "every row has a label"),
        (lambda: te.ppi([1, None], [1, 0]), "two or more are needed"),
        (lambda: te.ppi([1, 0, 1], [1, 0]), "judge_unlabelled="),
        (lambda: te.ppi([1, 0, None], [1, None, 0]), "must say something"),
        (lambda: te.ppi([1, 0], [1, 0], [1], inclusion=[0.5, 2]), "above 0 and at most 1"),
        (lambda: te.ppi([1, 0], [1, 0], [1], power=0.5), "name that method too"),
        (lambda: te.ppi({"a": [1, 0]}, {"a": [1, 0]}, {"a": [1]}), "two models are compared by name"),
        (lambda: te.label_plan([0.1, 0.2], 5), "from 2 to 2"),
        (lambda: te.label_plan([5, 6, 7], 2, method="active"), "between 0 and 1"),
    ],
)
def test_what_cannot_be_done_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


@given(st.lists(st.integers(1, 300), min_size=1, max_size=8), st.data())
def test_allocations_add_up_and_stay_within_what_there_is(sizes, data):
    there = np.array(sizes)
    least = int(np.minimum(there, 2).sum())
    budget = data.draw(st.integers(least, int(there.sum())))
    spreads = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(sizes), max_size=len(sizes))))
    made = neyman(there / there.sum(), spreads, there, budget)
    assert made.sum() == budget
    assert (made <= there).all()
    assert (made >= np.minimum(there, 2)).all()


@given(st.lists(st.floats(0, 1), min_size=5, max_size=60), st.data())
def test_chances_add_up_and_the_sample_has_the_wanted_size(spreads, data):
    budget = data.draw(st.integers(1, len(spreads)))
    chances = inclusion_chances(np.array(spreads), budget)
    assert chances.sum() == pytest.approx(budget)
    assert ((chances > 0) & (chances <= 1)).all()
    rows = systematic_sample(chances, np.random.default_rng(0))
    assert abs(len(rows) - budget) <= 1


def test_a_plan_goes_on_from_labels_that_there_are():
    rng = np.random.default_rng(9)
    score = np.repeat([0.05, 0.5, 0.95], 1000)
    truth = (rng.random(3000) < score).astype(int)
    first = te.label_plan(score, 60)
    human = np.full(3000, None)
    human[list(first.rows)] = truth[list(first.rows)]
    second = te.label_plan(score, 90, human=human)
    assert not set(first.rows) & set(second.rows)
    assert second.labels[1] > second.labels[0]
    human[list(second.rows)] = truth[list(second.rows)]
    found = second.estimate(human, score)
    assert found.n == 150
    assert found.low < truth.mean() < found.high
    assert te.load(second.to_json()) == second
    assert te.load(found.to_json()) == found
