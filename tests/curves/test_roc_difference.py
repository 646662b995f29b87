"""Two curves: where is one above the other?"""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(12)
ROWS = 600
TRUTH = RNG.random(ROWS) < 0.5
SHARED = RNG.normal(size=ROWS)
GOOD = SHARED + 2.0 * TRUTH + 0.3 * RNG.normal(size=ROWS)
FAIR = SHARED + 1.0 * TRUTH + 0.3 * RNG.normal(size=ROWS)


def test_a_better_model_is_above_and_never_below():
    found = te.roc_difference(TRUTH, GOOD, FAIR, replicates=300)
    assert found.paired
    assert {who for who, _, _ in found.regions} == {"first"}
    assert (found.difference[:100] > 0).all()
    assert "first is above second at FPR" in str(found)


def test_swapping_turns_the_sign():
    one = te.roc_difference(TRUTH, GOOD, FAIR, replicates=200)
    two = te.roc_difference(TRUTH, FAIR, GOOD, replicates=200)
    assert one.difference == pytest.approx(-two.difference)
    assert one.low == pytest.approx(-two.high)


def test_the_difference_is_that_of_the_curves():
    found = te.roc_difference(TRUTH, GOOD, FAIR, replicates=100)
    first, second = te.roc(TRUTH, GOOD), te.roc(TRUTH, FAIR)
    assert found.difference == pytest.approx(first.interpolate(found.fpr) - second.interpolate(found.fpr))


def test_equal_models_cannot_be_told_apart_and_keep_a_width():
    same = te.roc_difference(TRUTH, GOOD, 2 * GOOD + 1, replicates=100)
    assert (same.difference == 0).all()
    assert (same.low < 0).all()
    assert (same.high > 0).all()
    assert same.regions == ()
    assert str(same).startswith("No clear difference between first and second anywhere")


def test_pairing_narrows_and_curves_of_different_rows_are_taken():
    paired = te.roc_difference(TRUTH, GOOD, FAIR, replicates=300)
    apart = te.roc_difference(None, te.roc(TRUTH, GOOD), te.roc(TRUTH, FAIR), replicates=300)
    assert not apart.paired
    assert apart.difference == pytest.approx(paired.difference)
    assert (paired.high - paired.low).mean() < 0.9 * (apart.high - apart.low).mean()
    assert "different rows" in str(apart)


def test_pointwise_is_narrower_and_named():
    options = {"replicates": 300}
    simultaneous = te.roc_difference(TRUTH, GOOD, FAIR, **options)
    pointwise = te.roc_difference(TRUTH, GOOD, FAIR, kind="pointwise", **options)
    assert (pointwise.high - pointwise.low).mean() < 0.8 * (simultaneous.high - simultaneous.low).mean()
    assert pointwise.title == "95 % pointwise band"


def test_type_one_error_over_the_whole_curve():
    draw = np.random.default_rng(5)
    told = 0
    for i in range(60):
        truth = draw.random(120) < 0.5
        columns = [draw.normal(size=120) + truth for _ in range(2)]
        told += bool(te.roc_difference(truth, *columns, replicates=150, rng=i).regions)
    assert told <= 7


def test_names_come_from_predictions():
    rows = te.predictions(TRUTH, scores={"svm": GOOD, "forest": FAIR, "third": SHARED})
    found = te.roc_difference(rows, "svm", "forest", replicates=100)
    assert (found.first, found.second) == ("svm", "forest")
    assert te.load(found.to_json()) == found
    with pytest.raises(InputError):
        te.roc_difference(rows, "svm", "nobody")


def test_refusals():
    with pytest.raises(InputError, match="ROC curves of different rows"):
        te.roc_difference(None, [1, 2], [3, 4])
    with pytest.raises(InputError, match="from 100 to"):
        te.roc_difference(TRUTH, GOOD, FAIR, replicates=5)
    weighted = te.predictions(
        TRUTH, scores={"a": GOOD, "b": FAIR}, weights=np.ones(ROWS), weights_kind="sampling"
    )  # fmt: skip
    with pytest.raises(InputError, match="resamples rows"):
        te.roc_difference(weighted, "a", "b")


@pytest.mark.parametrize("size", [None, 5])
def test_random_groups_of_many_rows_have_the_band_of_the_rows(size, monkeypatch):
    draw = np.random.default_rng(3)
    up = draw.random(12_000) < 0.3
    scores = {m: gap * up + draw.standard_normal(len(up)) for m, gap in (("a", 1.5), ("b", 1.2))}
    clusters = None if size is None else np.arange(len(up)) // size
    p = te.predictions(up.astype(int), scores=scores, clusters=clusters)
    by_row = te.roc_difference(p, "a", "b", replicates=400, rng=1)
    monkeypatch.setattr("trueerror.curves._roc_difference.VISITS", 0)
    in_groups = te.roc_difference(p, "a", "b", replicates=400, rng=1)
    assert ("random groups" in in_groups.note) == (size is None)
    np.testing.assert_array_equal(in_groups.difference, by_row.difference)
    width = (in_groups.high - in_groups.low) / (by_row.high - by_row.low)
    assert np.median(width) == pytest.approx(1, abs=0.08)
