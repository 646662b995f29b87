"""Average precision: limits that see the negatives, and the difference of two models on the same rows."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._average_precision import (
    RankedRows,
    decided_by,
    paired_precision,
    tilted_low,
    unseen_negative_limits,
)
from trueerror.inference.auc._interval import score_influences
from trueerror.metrics._registry import find_measure
from trueerror.metrics.scores import average_precision
from trueerror.tallies import ScoreTable
from trueerror.tallies import _scores as score_tables

Z = 1.959963984540054


def rows(n=200, share=0.3, shift=1.5, seed=1):
    rng = np.random.default_rng(seed)
    up = rng.random(n) < share
    return up, rng.standard_normal(n) + shift * up


def table(*args, **kwargs):
    up, scores = rows(*args, **kwargs)
    return ScoreTable.from_codes(up, scores, 1)


def test_the_tilt_solves_its_equation():
    t = table()
    made = RankedRows.of(t)
    estimate = made.precision()[0]
    low = tilted_low(made, estimate, Z)
    more = made.with_negative_above()
    _, u = more.precision()
    # The weights that give this limit, found afresh by a fine search over the tilt.
    best = math.inf
    for tilt in np.linspace(0, -4 / math.sqrt(more.spread(u)), 4001):
        up, down = more.positives * np.exp(tilt * u.positives), more.negatives * np.exp(tilt * u.negatives)
        scale = made.n / (up.sum() + down.sum())
        at = RankedRows(up * scale, down * scale)
        value, slopes = at.precision()
        gap = abs(estimate - value - Z * math.sqrt(at.spread(slopes)))
        if gap < best:
            best, found = gap, value
    assert low == pytest.approx(found, abs=1e-3)


def test_influences_are_those_of_the_metric():
    t = table()
    own = RankedRows.of(t).precision()[1]
    known = score_influences(find_measure("average_precision"), t)
    np.testing.assert_allclose(own.negatives, known.negatives)
    at = RankedRows.of(t, 0.1).precision()[1]
    shared = score_influences(find_measure("average_precision"), t, share=0.1)
    np.testing.assert_allclose(at.positives, shared.positives, atol=1e-14)


def test_limits_hold_boyds_and_the_estimate():
    for seed in range(20):
        t = table(seed=seed)
        estimate = float(average_precision(t))
        low, high = unseen_negative_limits(t, estimate, IntervalSpec())
        boyd = metric_interval("average_precision", t, method="boyd-logit")
        assert 0 <= low <= boyd.low < estimate < boyd.high <= high <= 1


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


def test_a_perfect_order_of_few_negatives_is_not_sure():
    many, few = (te.precision_recall([0] * n + [1] * 20, range(n + 20)).average_precision() for n in (2000, 20))
    assert few.low < many.low <= 20 / (20 + Z * Z) + 1e-9
    # Two negatives above all would take it there; two in 2,000 that were not seen are no wonder.
    assert many.low == pytest.approx(np.mean(np.arange(1, 21) / np.arange(3, 23)), abs=0.01)


def test_look_alikes_are_held_where_boyd_misses():
    rng, inside = np.random.default_rng(2), {"boyd-logit": 0, "unseen-negative": 0}

    # Three in a hundred negatives score above all: the true value by a large sample.
    def draw(n):
        up = rng.random(n) < 0.8
        look = ~up & (rng.random(n) < 0.03)
        return ScoreTable.from_codes(up, rng.standard_normal(n) + 2.5 * up + 9 * look, 1)

    truth = float(average_precision(draw(400_000)))
    for _ in range(200):
        t = draw(300)
        for method in inside:
            made = metric_interval("average_precision", t, method=method)
            inside[method] += made.low <= truth <= made.high
    assert inside["unseen-negative"] >= 186
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


def test_pair_by_influences_written_out():
    up, one = rows(seed=3)
    two = rows(seed=4)[1] + 0.2 * up
    made = paired_precision(up, one, two, IntervalSpec())
    measure = find_measure("average_precision")

    def by_row(scores):
        t = ScoreTable.from_codes(up, scores, 1)
        u = score_influences(measure, t)
        place = np.searchsorted(t.scores, scores)
        return float(average_precision(t)), np.where(up, u.positives[place], u.negatives[place])

    (a, u), (b, v) = by_row(one), by_row(two)
    gaps, n = u - v, len(up)
    assert made.estimate == pytest.approx(a - b)
    df = 2 / ((gaps**4).sum() / (gaps**2).sum() ** 2 - 1 / n)
    assert made.df == pytest.approx(min(df, n - 1))
    error = math.sqrt((gaps**2).sum() * n / (n - 1))
    assert made.high - made.estimate == pytest.approx(special.stdtrit(made.df, 0.975) * error)


def test_swapping_the_models_turns_the_sign():
    up, one = rows(seed=3, n=400)
    two = one + np.random.default_rng(1).standard_normal(400) * 2
    there, back = paired_precision(up, one, two, IntervalSpec()), paired_precision(up, two, one, IntervalSpec())
    assert there.estimate == -back.estimate
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p_value == pytest.approx(back.p_value)
    assert (there.p_unseen is None) == (back.p_unseen is None)
    if there.p_unseen is not None:
        assert there.p_unseen == pytest.approx(back.p_unseen, rel=1e-3)


def test_equal_models_have_p_one_and_a_width():
    up, one = rows()
    made = paired_precision(up, one, one, IntervalSpec())
    assert (made.estimate, made.p_value) == (0, 1)
    assert made.low < 0 < made.high


def test_one_look_alike_can_undo_a_difference():
    # The second model has two look-alikes among few negatives; the first has none, which says little.
    rng = np.random.default_rng(8)
    up = np.arange(150) < 110
    noise = rng.standard_normal(150)
    one, two = noise + 4.0 * up, noise + 4.0 * up
    two[-4:] = 9.0
    made = te.compare(up.astype(int), scores={"one": one, "two": two}, metric="average_precision")
    pair = made.pairs[0]
    assert pair.p_unseen is None or pair.p_unseen >= 0
    if pair.p_value <= 0.05 < (pair.p_unseen or 0):
        assert "TE309" in made.findings
        assert not made.told_apart("one", "two")


def test_many_rows_are_told_apart_all_the_same():
    rng = np.random.default_rng(4)
    up = rng.random(6000) < 0.2
    noise = rng.standard_normal((2, 6000))
    made = te.compare(
        up.astype(int), scores={"one": noise[0] + 1.6 * up, "two": noise[1] + 1.0 * up}, metric="average_precision"
    )
    assert made.told_apart("one", "two")
    assert made.pairs[0].p_unseen < 0.05
    assert "TE309" not in made.findings


@pytest.mark.parametrize("rate", [0.3, 0.002])
@pytest.mark.parametrize("share", [None, 0.1])
def test_the_tilt_of_very_many_scores_is_found_among_joined_ones(rate, share, monkeypatch):
    rng = np.random.default_rng(4)
    up = rng.random(60_000) < rate
    table = te.ScoreTable.count(up, rng.normal(size=len(up)) + 2 * up)
    rows = RankedRows.of(table, share)
    estimate = rows.precision()[0]
    exact = tilted_low(rows, estimate, Z)
    monkeypatch.setattr("trueerror.inference.auc._average_precision.MANY_SCORES", 1000)
    assert len(rows.joined().positives) < 25_000
    assert estimate - tilted_low(rows, estimate, Z) == pytest.approx(estimate - exact, rel=2e-3)


def test_clusters_of_one_class_each_have_limits():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        keys = np.repeat(np.arange(10), 10)
        up = (np.arange(10) < 3)[keys]
        scores = rng.standard_normal(10)[keys] * 0.6 + rng.standard_normal(100) + up
        found = te.evaluate(up.astype(int), scores=scores, positive=1, clusters=keys, metrics=["average_precision"])
        interval = found["average_precision"]
        assert 0 <= interval.low < interval.estimate < interval.high <= 1


def test_very_many_scores_are_joined_finely_where_few_rows_lie_above():
    from trueerror.inference.auc._average_precision import FINENESS, MANY_SCORES, RankedRows

    n = 4 * MANY_SCORES
    rows = RankedRows(np.arange(n) % 3.0, np.ones(n), 0.2)
    joined = rows.joined()
    assert joined.positives.sum() == rows.positives.sum()
    assert joined.negatives.sum() == n
    assert joined.share == 0.2
    sizes = (joined.positives + joined.negatives)[::-1]
    rank = np.cumsum(sizes)
    # As many rows as one part in 4,096 of those above, and a row or two.
    assert (sizes <= rank / FINENESS + 6).all()
    assert len(sizes) <= FINENESS * np.log1p(rank[-1] / FINENESS) + 2
    few = RankedRows(rows.positives[:9], rows.negatives[:9])
    assert few.joined() is few


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
    whole = average_precision(t), unseen_negative_limits(t, 0.5, IntervalSpec()), decided_by(t)
    monkeypatch.setattr(score_tables, "MANY", 1)
    few = t._at_positives()
    assert len(few.scores) < 0.5 * len(t.scores)
    assert (few.n, few.n_positive) == pytest.approx((t.n, t.n_positive))
    thin = average_precision(t), unseen_negative_limits(few, 0.5, IntervalSpec()), decided_by(t)
    for one, other in zip(whole, thin, strict=True):
        assert one == pytest.approx(other, rel=1e-9)
