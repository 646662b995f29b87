"""Rows D1, D2, D4, D5, D6 and D8 of the requirements: how training and test folds are made."""

import numpy as np
import pytest
from simple_learners import Means, Watched

import trueerror as te


@pytest.fixture
def rows():
    y = np.repeat([0, 1, 2], [90, 60, 30])
    X = np.stack([np.arange(180), y * 10 + np.arange(180) % 7], axis=1).astype(float)
    return X, y


def test_d1_holdout_trains_on_two_thirds_and_tests_on_one_third(rows):
    run = te.experiment({"means": Means()}, rows, plan=te.Holdout())
    (split,) = run.splits["data"]
    assert (split.train_size, len(split.test)) == (120, 60)
    assert te.Holdout() == te.Holdout(1 / 3)
    assert run.predictions().n == 60
    # What is found is about this model: an interval of the test rows.
    assert run.estimate("means").n == 60


def test_d2_repeated_random_subsampling(rows):
    run = te.experiment({"means": Means()}, rows, plan=te.Subsampling(5))
    tests = [set(s.test.tolist()) for s in run.splits["data"]]
    assert [len(t) for t in tests] == [60] * 5
    assert len(set(map(frozenset, tests))) == 5
    assert run.fold_scores().values.shape == (1, 5)


def test_d4_leave_one_out(rows):
    X, y = rows
    some = slice(None, None, 6)
    run = te.experiment({"means": Means()}, (X[some], y[some]), plan=te.LeaveOneOut())
    assert [s.test.tolist() for s in run.splits["data"]] == [[i] for i in range(30)]
    assert run.predictions().n == 30
    assert "these 30 models" in run.estimate("means").estimand


@pytest.mark.parametrize(
    "plan",
    [te.Holdout(), te.Subsampling(5), te.KFold(10), te.KFold(5, repeats=2), te.Bootstrap(5), te.BatesCV(5, repeats=2),
     te.NestedCV(5, 3)],
    ids=str,
)  # fmt: skip
def test_d5_class_proportions_are_kept_in_each_part(rows, plan):
    codes = te.Dataset(*rows).rows
    for split in plan.splits(codes, 1):
        # Bootstrap training sets hold every class at its own size; what they leave out varies by chance.
        parts = [split.train] if isinstance(plan, te.Bootstrap) else [split.train, split.test]
        for part in parts:
            counts = np.bincount(codes.codes[part], minlength=3)
            assert np.abs(counts - len(part) * np.array([3, 2, 1]) / 6).max() <= 1.5


@pytest.mark.parametrize("balance", ["over", "under"])
@pytest.mark.parametrize("plan", [te.Holdout(), te.KFold(5), te.NestedCV(3, 3)], ids=str)
def test_d6_balancing_touches_the_training_part_only(rows, tmp_path, plan, balance):
    _, y = rows
    run = te.experiment({"watched": Watched(str(tmp_path))}, rows, plan=plan, balance=balance)
    fits = [np.load(path) for path in sorted(tmp_path.glob("*.npz"))]
    assert len(fits) == len(run.splits["data"])
    for fit, split in zip(fits, run.splits["data"], strict=True):
        used = set(fit["rows"].astype(int).tolist())
        assert used <= set(split.train.tolist())
        assert not used & set(split.test.tolist())
        sizes = np.bincount(fit["y"].astype(int))
        before = np.bincount(y[split.train])
        assert set(sizes.tolist()) == {before.max() if balance == "over" else before.min()}


def test_d8_the_choice_among_settings_never_sees_a_test_row(tmp_path, rows):
    run = te.experiment({"watched": Watched(str(tmp_path)), "sharp": Means(4.0)}, rows, plan=te.NestedCV(4, 3))
    splits = run.splits["data"]
    outer = {s.fold: set(s.test.tolist()) for s in splits if s.part == "fold"}
    assert sorted(outer) == [0, 1, 2, 3]
    for split in splits:
        if split.part == "inner":
            touched = set(split.train.tolist()) | set(split.test.tolist())
            assert not touched & outer[split.fold]
    fits = [set(np.load(path)["rows"].astype(int).tolist()) for path in sorted(tmp_path.glob("*.npz"))]
    assert all(not used & outer[split.fold] for used, split in zip(fits, splits, strict=True))
    # The choice is that of the inner scores alone.
    inner = run.fold_scores(part="inner")
    for fold, chosen in enumerate(run.chosen()):
        means = inner.values[:, inner.folds == fold].mean(axis=1)
        assert chosen == run.learners[int(means.argmax())]


def test_d8_a_separate_tuning_set(rows):
    run = te.experiment({"a": Means(), "b": Means(4.0)}, rows, plan=te.NestedCV(te.Holdout(), te.Holdout(1 / 4)))
    outer, inner = run.splits["data"]
    assert (len(outer.test), inner.train_size, len(inner.test)) == (60, 90, 30)
    assert not set(outer.test.tolist()) & (set(inner.train.tolist()) | set(inner.test.tolist()))
    assert len(run.chosen()) == 1
