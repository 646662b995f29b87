"""Average precision: limits that see the negatives, and the difference of two models on the same rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._score_tables import difference_of_scores, score_estimate, score_units
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._average_precision import decided_by
from trueerror.inference.auc._influences import score_influences
from trueerror.metrics._registry import find_measure, value
from trueerror.metrics.scores import average_precision
from trueerror.tallies import ScoreTable
from trueerror.tallies import _scores as score_tables

AP = find_measure("average_precision")


def rows(n=200, share=0.3, shift=1.5, seed=1):
    rng = np.random.default_rng(seed)
    up = rng.random(n) < share
    return up, rng.standard_normal(n) + shift * up


def table(*args, **kwargs):
    up, scores = rows(*args, **kwargs)
    return ScoreTable.from_codes(up, scores, 1)


def problem(sample):
    return Problem(metric=AP, sample=sample, spec=IntervalSpec())


def variance(t, u):
    return float(t.positives @ u.positives**2 + t.negatives @ u.negatives**2)


@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.parametrize("share", [None, 0.1])
def test_each_row_is_left_out_exactly(digits, share):
    up, scores = rows(60)
    t = ScoreTable.from_codes(up, scores.round(digits), 1)
    prior = None if share is None else {1: share, 0: 1 - share}
    made, whole = score_units(AP, t, share=share), value(AP, t, prior=prior)
    for i in range(60):
        left = np.arange(60) != i
        without = value(AP, ScoreTable.from_codes(up[left], scores.round(digits)[left], 1), prior=prior)
        size = 60 if share is None else np.count_nonzero(up == up[i])
        mine = (made.positives if up[i] else made.negatives)[np.searchsorted(t.scores, scores.round(digits)[i])]
        assert mine == pytest.approx((size - 1) / size * (whole - without), abs=1e-12)


def test_the_variance_is_that_of_the_influences_but_for_the_second_order():
    t = table(20_000)
    found = score_estimate(problem(ScoreSample(table=t, estimate=float(average_precision(t))))).spread
    assert found.error**2 == pytest.approx(variance(t, score_influences(AP, t)), rel=2e-3)


def test_at_another_share_of_positives_each_class_is_a_sample_of_its_own():
    t, share = table(), 0.1
    sample = ScoreSample(table=t, estimate=value(AP, t, prior={1: share, 0: 1 - share}), share=share)
    u = score_units(AP, t, share=share)
    squares = 0.0
    for count, units in ((t.positives, u.positives), (t.negatives, u.negatives)):
        m = count.sum()
        squares += m / (m - 1) * float(count @ (units - count @ units / m) ** 2)
    assert score_estimate(problem(sample)).spread.error ** 2 == pytest.approx(squares, rel=1e-10)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=30).filter(
        lambda x: any(y for y, _ in x)
    )
)
def test_any_rows_have_limits_within_the_range(drawn):
    up, scores = np.array([y for y, _ in drawn]), np.array([s for _, s in drawn], dtype=float)
    t = ScoreTable.from_codes(up, scores, 1)
    made = metric_interval("average_precision", t)
    assert 0 <= made.low <= made.estimate <= made.high <= 1
    assert made.low < made.high


def test_perfect_order_rests_on_the_positives():
    made = metric_interval("average_precision", ScoreTable.count([0] * 100 + [1] * 20, range(120)))
    assert made.high == 1
    assert made.low == pytest.approx(20 / (20 + 2.093024**2), rel=1e-6)


def test_look_alikes_are_held_where_boyd_misses():
    rng, inside = np.random.default_rng(2), {"boyd-logit": 0, "effective-t": 0}

    # Three in a hundred negatives score above all: the true value by a large sample.
    def draw(n):
        up = rng.random(n) < 0.5
        look = ~up & (rng.random(n) < 0.03)
        return ScoreTable.from_codes(up, rng.standard_normal(n) + 2.5 * up + 9 * look, 1)

    truth = float(average_precision(draw(400_000)))
    for _ in range(200):
        t = draw(500)
        for method in inside:
            made = metric_interval("average_precision", t, method=method)
            inside[method] += made.low <= truth <= made.high
    assert inside["effective-t"] >= 178
    assert inside["boyd-logit"] <= 176


def test_weights_of_one_change_nothing_and_two_rows_of_weight_count_as_rows():
    up, scores = rows()
    plain = te.evaluate(te.predictions(up.astype(int), scores={"m": scores}), metrics=["average_precision"])
    weighted = te.evaluate(
        te.predictions(up.astype(int), scores={"m": scores}, weights=np.full(len(up), 3.0), weights_kind="sampling"),
        metrics=["average_precision"],
    )
    one, two = (x["average_precision"] for x in (plain, weighted))
    assert two.estimate == pytest.approx(one.estimate)
    assert [two.low, two.high] == pytest.approx([one.low, one.high], abs=0.02)


def test_finding_when_few_negatives_decide():
    rng = np.random.default_rng(5)
    up = np.arange(300) < 240
    scores = rng.standard_normal(300) + 2.5 * up
    clean = te.evaluate(up.astype(int), scores=scores, metrics=["average_precision"])
    assert "TE308" not in clean.findings
    scores[-2:] = 9.0
    found = te.evaluate(up.astype(int), scores=scores, metrics=["average_precision"])
    assert "TE308" in found.findings
    (words,) = [f.message for f in found.findings if f.code == "TE308"]
    assert "negatives" in words


def test_decided_by_needs_both_classes():
    assert decided_by(ScoreTable.count([1, 1], [0.1, 0.2])) is None


def pair(up, one, two):
    return difference_of_scores(problem(None), up, (one, two))


def test_pair_by_influences_written_out():
    up, one = rows(seed=3)
    two = rows(seed=4)[1] + 0.2 * up

    def by_row(scores):
        t = ScoreTable.from_codes(up, scores, 1)
        u = score_units(AP, t)
        place = np.searchsorted(t.scores, scores)
        return float(average_precision(t)), np.where(up, u.positives[place], u.negatives[place])

    (a, u), (b, v) = by_row(one), by_row(two)
    made, n = pair(up, one, two), len(up)
    found = made.spread
    assert made.value == pytest.approx(a - b)
    gaps = u - v - (u - v).mean()
    assert found.error**2 == pytest.approx((gaps**2).sum() * n / (n - 1), rel=1e-10)
    assert 1 < found.df <= n - 1


def compared(up, one, two, **more):
    return te.compare(up.astype(int), scores={"one": one, "two": two}, metric="average_precision", **more).pairs[0]


def test_swapping_the_models_turns_the_sign():
    up, one = rows(seed=3, n=400)
    two = one + np.random.default_rng(1).standard_normal(400) * 2
    there, back = compared(up, one, two), compared(up, two, one)
    assert there.estimate == -back.estimate
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p_value == pytest.approx(back.p_value)


def test_equal_models_have_p_one_and_a_width():
    up, one = rows()
    made = compared(up, one, one)
    assert (made.estimate, made.p_value) == (0, 1)
    assert made.low < 0 < made.high


def test_many_rows_are_told_apart():
    rng = np.random.default_rng(4)
    up = rng.random(6000) < 0.2
    noise = rng.standard_normal((2, 6000))
    made = te.compare(
        up.astype(int), scores={"one": noise[0] + 1.6 * up, "two": noise[1] + 1.0 * up}, metric="average_precision"
    )
    assert made.told_apart("one", "two")


def test_pairs_hold_their_level():
    rng, found = np.random.default_rng(12), 0
    for _ in range(300):
        up = rng.random(150) < 0.3
        one, two = rng.standard_normal((2, 150)) + 1.5 * up
        found += compared(up, one, two).p_value <= 0.05
    assert found <= 27


def test_clusters_of_one_row_are_rows():
    up, one = rows(seed=5, n=120)
    two = one + np.random.default_rng(3).standard_normal(120)
    plain, alone = compared(up, one, two), compared(up, one, two, clusters=np.arange(120))
    assert alone.estimate == pytest.approx(plain.estimate)
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_clusters_of_one_class_each_have_limits():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        keys = np.repeat(np.arange(10), 10)
        up = (np.arange(10) < 3)[keys]
        scores = rng.standard_normal(10)[keys] * 0.6 + rng.standard_normal(100) + up
        found = te.evaluate(up.astype(int), scores=scores, positive=1, clusters=keys, metrics=["average_precision"])
        interval = found["average_precision"]
        assert 0 <= interval.low < interval.estimate < interval.high <= 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [3, 17], ids=["ties", "distinct"])
def test_negatives_between_two_positives_count_alike(
    digits: int, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(digits)
    truth = rng.random(4_000) < 0.2
    scores = (rng.normal(size=len(truth)) + truth).round(digits)
    weights = {"weights": rng.random(len(truth)), "weights_kind": "sampling"} if weighted else {}
    t = ScoreTable.count(truth, scores, **weights)
    monkeypatch.setattr(score_tables, "MANY", 1 << 30)

    def limits_of(x: ScoreTable) -> list[float]:
        found = metric_interval("average_precision", x)
        return [found.low, found.high]

    whole = average_precision(t), limits_of(t), decided_by(t)
    monkeypatch.setattr(score_tables, "MANY", 1)
    few = t._at_positives()
    assert len(few.scores) < 0.5 * len(t.scores)
    assert (few.n, few.n_positive) == pytest.approx((t.n, t.n_positive))
    thin = average_precision(t), limits_of(few), decided_by(t)
    for one, other in zip(whole, thin, strict=True):
        if one is not None:
            # Weights of neighbours are taken for equal ones of the same sum and squares.
            assert one == pytest.approx(other, rel=1e-4 if weighted else 1e-9)


def test_at_a_class_mix_with_few_positives_a_negative_counts_as_many():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 100)
    scores = rng.normal(size=200) + 2 * y
    asked = {
        "scores": scores,
        "positive": 1,
        "threshold": 0,
        "metrics": ["average_precision"],
        "design": "case-control",
    }
    rare, even = (te.evaluate(y, prior=prior, **asked) for prior in (0.01, 0.5))
    (found,) = (f for f in rare.findings if f.code == "TE308")
    assert "one negative counts as much as 99 of the 100 positives" in found.message
    assert not [f for f in even.findings if f.code == "TE308" and "counts as much" in f.message]


def test_limits_are_centred_on_the_value_less_the_bias_that_leaving_rows_out_tells():
    rng, measure = np.random.default_rng(4), find_measure("average_precision")
    y = np.repeat([1, 0], [12, 20])
    scores = rng.normal(size=32) + 1.5 * y

    def seen(kept):
        return value(measure, ScoreTable.count(y[kept], scores[kept]), prior=0.1)

    rows, theta = np.arange(32), seen(slice(None))
    lost = np.array([theta - seen(rows != i) for i in rows])
    # Quenouille's bias, class by class: (n − 1) times the mean of what is gained without a row.
    bias = -sum((n - 1) * lost[y == label].mean() for label, n in ((1, 12), (0, 20)))
    sample = ScoreSample(table=ScoreTable.count(y, scores), estimate=theta, share=0.1)
    made = score_estimate(Problem(metric=measure, sample=sample, spec=IntervalSpec()))
    assert float(made.value) == pytest.approx(theta - bias)
    assert bias > 0.01
