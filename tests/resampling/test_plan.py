"""Plans: every split is what its name says, stratified, with clusters whole, and the same everywhere."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.resampling._cross_validation import GivenSplits, Splitter, as_plan
from trueerror.resampling._plan import Plan, Rows


def rows(n=120, classes=3, clusters=None):
    codes = np.repeat(np.arange(classes), [n - (classes - 1) * (n // 4)] + [n // 4] * (classes - 1))
    return Rows(codes=codes, clusters=None if clusters is None else np.arange(n) % clusters)


PLANS: list[Plan] = [
    te.Holdout(),
    te.Subsampling(4),
    te.KFold(5, repeats=2),
    te.LeaveOneOut(),
    te.Bootstrap(5),
    te.BatesCV(4, repeats=2),
    te.NestedCV(4, 3),
    te.NestedCV(te.Subsampling(2), te.Holdout(1 / 4)),
    te.TimeOrdered(4),
]
OWN_WORK = [p for p in PLANS if not isinstance(p, te.TimeOrdered)]
names = [str(p) for p in PLANS]


@pytest.mark.parametrize("plan", PLANS, ids=names)
def test_no_test_row_is_a_training_row(plan):
    for split in plan.splits(rows(), 1):
        if split.part != "apparent":
            assert not np.intersect1d(split.train, split.test).size
        assert len(split.train)
        assert len(split.test)


@pytest.mark.parametrize("plan", PLANS, ids=names)
def test_the_number_of_fits_is_told_beforehand(plan):
    assert plan.fits_of(rows()) == len(list(plan.splits(rows(), 0)))


@pytest.mark.parametrize("plan", OWN_WORK, ids=str)
def test_clusters_stay_together(plan):
    with_clusters = rows(clusters=20)
    for split in plan.splits(with_clusters, 3):
        if split.part != "apparent":
            train, test = (set(with_clusters.clusters[part]) for part in (split.train, split.test))
            assert not train & test


@pytest.mark.parametrize("plan", [p for p in OWN_WORK if p != te.LeaveOneOut()], ids=str)
def test_one_seed_gives_one_set_of_splits_and_another_seed_another(plan):
    first, again, other = (list(plan.splits(rows(), seed)) for seed in (7, 7, 8))
    for a, b in zip(first, again, strict=True):
        assert np.array_equal(a.train, b.train)
        assert np.array_equal(a.test, b.test)
    assert any(not np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


def test_splits_are_the_same_on_every_machine():
    # Recorded once: a change here would make old stores give other results.
    split = next(te.KFold(4).splits(Rows(codes=np.arange(12) % 2), 42))
    assert split.test.tolist() == [1, 2, 6]
    assert next(te.Holdout().splits(Rows(codes=np.arange(12) % 2), 42)).test.tolist() == [6, 7, 10, 11]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=12, max_size=80), st.integers(2, 8), st.integers(0, 99))
def test_folds_cover_every_row_once_and_spread_each_class(codes, k, seed):
    given_rows = Rows(codes=np.array(codes))
    splits = list(te.KFold(k).splits(given_rows, seed))
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(len(codes)))
    sizes = [len(s.test) for s in splits]
    assert max(sizes) - min(sizes) <= 1
    for code in set(codes):
        held = [int((given_rows.codes[s.test] == code).sum()) for s in splits]
        assert max(held) - min(held) <= 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 999), st.floats(0.1, 0.9))
def test_a_random_test_part_keeps_the_shares_of_the_classes(seed, share):
    given_rows = rows(200)
    split = next(te.Holdout(share).splits(given_rows, seed))
    assert len(split.test) == round(share * 200)
    for code in range(3):
        assert abs((given_rows.codes[split.test] == code).sum() - share * (given_rows.codes == code).sum()) <= 1


def test_unstratified_folds_are_there_on_request():
    sizes = [(rows().codes[s.test] == 2).sum() for s in te.KFold(5, stratify=False).splits(rows(), 0)]
    assert max(sizes) - min(sizes) > 1


def test_clusters_are_spread_over_folds_by_class():
    # Forty clusters of five rows, a quarter of them of class 1.
    clusters = np.repeat(np.arange(40), 5)
    given_rows = Rows(codes=(clusters % 4 == 0).astype(int), clusters=clusters)
    for split in te.KFold(5).splits(given_rows, 0):
        assert len(split.test) == 40
        assert given_rows.codes[split.test].sum() == 10


def test_bootstrap_draws_as_many_rows_of_each_class_and_leaves_about_a_third_out():
    given_rows = rows(400)
    out = []
    for split in te.Bootstrap(50).splits(given_rows, 0):
        if split.part == "fold":
            assert np.array_equal(np.bincount(given_rows.codes[split.train]), np.bincount(given_rows.codes))
            assert len(np.union1d(split.train, split.test)) == 400
            out.append(len(split.test) / 400)
    assert abs(np.mean(out) - np.exp(-1)) < 0.01


def test_pairs_of_folds_hold_the_first_fold_first():
    splits = list(te.BatesCV(4, repeats=1).splits(rows(), 0))
    folds = {s.fold: s.test for s in splits if s.part == "fold"}
    pairs = [s for s in splits if s.part == "pair"]
    assert len(pairs) == 6
    for pair in pairs:
        assert np.array_equal(pair.test, np.concatenate([folds[pair.fold], folds[pair.second]]))
    assert te.BatesCV(10, repeats=50).fits == 2750


def test_the_future_is_never_trained_on():
    for split in te.TimeOrdered(4, gap=3).splits(rows(), 0):
        assert split.train.max() + 3 < split.test.min()
    assert len(next(te.TimeOrdered(4, window=10).splits(rows(), 0)).train) == 10


def test_plans_are_frozen_and_have_fingerprints():
    with pytest.raises(dataclasses.FrozenInstanceError):
        te.KFold(5).k = 6
    prints = [p.fingerprint for p in (*PLANS, te.KFold(5), te.KFold(10), te.KFold(5, stratify=False))]
    assert len(set(prints)) == len(prints)
    assert te.KFold(5).fingerprint == te.KFold(k=5).fingerprint


def test_scikit_learn_splitters_are_taken_as_they_are():
    from sklearn.model_selection import KFold, RepeatedStratifiedKFold, ShuffleSplit

    plan = as_plan(RepeatedStratifiedKFold(n_splits=4, n_repeats=3))
    assert isinstance(plan, Splitter)
    first, again = list(plan.splits(rows(), 5)), list(plan.splits(rows(), 5))
    assert [(s.repeat, s.fold) for s in first] == [(r, f) for r in range(3) for f in range(4)]
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert plan.fingerprint != as_plan(RepeatedStratifiedKFold(n_splits=4, n_repeats=2)).fingerprint
    assert [s.test.tolist() for s in as_plan(KFold(2)).splits(Rows(codes=np.zeros(4, int)), 0)] == [[0, 1], [2, 3]]
    assert len(list(as_plan(ShuffleSplit(5, random_state=1)).splits(rows(), 0))) == 5


def test_scikit_learn_splitters_can_be_nested():
    from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit

    plan = te.NestedCV(RepeatedStratifiedKFold(n_splits=3, n_repeats=2), ShuffleSplit(2, random_state=1))
    splits = list(plan.splits(rows(), 0))
    assert plan.fits_of(rows()) == len(splits) == 6 * 3
    outer = {(s.repeat, s.fold): set(s.test.tolist()) for s in splits if s.part == "fold"}
    for split in splits:
        if split.part == "inner":
            assert not outer[split.repeat, split.fold] & {*split.train.tolist(), *split.test.tolist()}
    assert plan.fingerprint != te.NestedCV(RepeatedStratifiedKFold(n_splits=3, n_repeats=2), 2).fingerprint
    assert repr(plan.outer) == "RepeatedStratifiedKFold(n_repeats=2, n_splits=3, random_state=None)"


def test_given_splits():
    plan = as_plan([([0, 1], [2]), ([1, 2], [0]), ([0, 1], [2])])
    assert isinstance(plan, GivenSplits)
    assert repr(plan) == "3 given splits"
    assert [(s.repeat, s.fold) for s in plan.splits(Rows(codes=np.zeros(3, int)), 0)] == [(0, 0), (0, 1), (1, 0)]
    with pytest.raises(InputError, match="split 1 has no test rows"):
        list(as_plan([([0, 1], [9])]).splits(Rows(codes=np.zeros(3, int)), 0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: te.KFold(1), "k=1 must be a whole number of at least 2"),
        (lambda: te.KFold(5, repeats=0), "repeats=0"),
        (lambda: te.Holdout(1.5), "test=1.5 must be a share"),
        (lambda: te.Bootstrap(1), "b=1"),
        (lambda: te.NestedCV(te.BatesCV(), 5), "outer=BatesCV cannot be nested"),
        (lambda: te.NestedCV(5, te.DisjointHalves()), "inner=DisjointHalves cannot be nested"),
        (lambda: te.NestedCV(5, "KFold"), "inner: plan='KFold' must be a plan"),
        (
            lambda: list(te.KFold(10).splits(rows(8), 0)),
            "10-fold cross-validation needs at least 10 rows, but there are 8",
        ),
        (lambda: list(te.KFold(10).splits(rows(clusters=8), 0)), "needs at least 10 clusters"),
        (lambda: as_plan(te.KFold), "is a class"),
        (lambda: as_plan("KFold"), "must be a plan"),
    ],
)
def test_wrong_plans_are_refused_in_words(make, message):
    with pytest.raises(InputError, match=message):
        make()
