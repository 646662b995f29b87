"""Plans for studies: growing subsets, training rows tested as well, several seeds, training sets redrawn."""

from itertools import pairwise

import numpy as np
import pytest

from trueerror.resampling._cross_validation import BatesCV, KFold
from trueerror.resampling._growing_subsets import GrowingSubsets
from trueerror.resampling._plan import Rows
from trueerror.resampling._wrapped import Redrawn, Reseeded, WithTraining

ROWS = Rows(codes=np.repeat([0, 1, 2], [100, 60, 40]))


def test_subsets_are_nested_stratified_and_apart_from_the_test_rows():
    splits = list(GrowingSubsets((10, 20, 50, 150), folds=4, repeats=2).splits(ROWS, 3))
    assert len(splits) == 4 * 2 * 4
    for start in range(0, len(splits), 4):
        group = splits[start : start + 4]
        test = group[0].test[: group[0].second]
        for small, large in pairwise(group):
            assert set(small.train) < set(large.train)
        for split in group:
            assert split.part == "seen"
            assert np.array_equal(split.test[: split.second], test)
            assert np.array_equal(split.test[split.second :], split.train)
            assert not set(split.train) & set(test)
            counts = np.bincount(ROWS.codes[split.train], minlength=3)
            assert np.abs(counts - split.train_size * np.array([0.5, 0.3, 0.2])).max() < 1.6


def test_a_rare_class_is_in_the_smallest_subset():
    rows = Rows(codes=np.repeat([0, 1], [190, 10]))
    for split in GrowingSubsets((4, 100), folds=5).splits(rows, 0):
        assert (rows.codes[split.train] == 1).any()


def test_sizes_do_not_change_which_rows_come_first():
    one, many = (list(GrowingSubsets(sizes, folds=5).splits(ROWS, 0)) for sizes in ((40,), (10, 40, 80)))
    assert np.array_equal(one[0].train, many[1].train)
    assert GrowingSubsets((10, 20)).fingerprint != GrowingSubsets((10, 30)).fingerprint


def test_clusters_come_whole():
    rows = Rows(codes=np.arange(120) % 2, clusters=np.arange(120) // 6)
    for split in GrowingSubsets((10, 50), folds=4).splits(rows, 1):
        assert split.train_size % 6 == 0
        assert not set(rows.clusters[split.train]) & set(rows.clusters[split.test[: split.second]])


@pytest.mark.parametrize("sizes", [(), (20, 10), (10, 10), (0, 5)])
def test_sizes_must_grow(sizes):
    with pytest.raises(ValueError, match="sizes"):
        GrowingSubsets(sizes)


def test_more_rows_than_there_are():
    with pytest.raises(ValueError, match="fewer than the size"):
        list(GrowingSubsets((500,)).splits(ROWS, 0))


def test_training_rows_are_tested_too():
    plain, seen = list(KFold(5).splits(ROWS, 0)), list(WithTraining(KFold(5)).splits(ROWS, 0))
    for a, b in zip(plain, seen, strict=True):
        assert np.array_equal(b.test[: b.second], a.test)
        assert np.array_equal(b.test[b.second :], a.train)
    assert WithTraining(BatesCV(5, 2)).fits_of(ROWS) == 10


def test_seeds_repeat_each_split():
    splits = list(Reseeded(KFold(3, repeats=2), 3).splits(ROWS, 0))
    assert [s.part for s in splits[:4]] == ["fold", "seed", "seed", "fold"]
    assert np.array_equal(splits[0].test, splits[2].test)
    assert Reseeded(KFold(3, repeats=2), 3).fits_of(ROWS) == 18 == len(splits)
    with pytest.raises(ValueError, match="parts of its own"):
        list(Reseeded(BatesCV(5, 1), 2).splits(ROWS, 0))


@pytest.mark.parametrize("how", ["bootstrap", "half", "fresh"])
def test_training_sets_are_redrawn_and_the_last_rows_tested(how):
    splits = list(Redrawn(7, held_out=60, how=how).splits(ROWS, 0))
    assert len(splits) == 7
    assert len({tuple(s.train) for s in splits}) == 7
    for s in splits:
        assert s.test[:60].tolist() == list(range(140, 200))
        assert s.train.max() < 140
        assert s.train_size == {"bootstrap": 140, "half": 70, "fresh": 20}[how]
