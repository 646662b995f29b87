"""The NumPy loops against their definitions, by brute force."""

import numpy as np
import pytest

from trueerror.kernels import _numpy as plain
from trueerror.kernels._counting import count_codes

RNG = np.random.default_rng(5)
AWKWARD = {
    "infinite": np.array([np.inf, -np.inf, 0.0, np.inf, 1.0]),
    "zeros": np.array([0.0, -0.0, 0.0, -0.0, 1.0]),
    "subnormal": np.array([5e-324, 1e-310, 0.0, 1e300, 1.0]),
    "float32": np.array([0.1, 0.2, 0.1, 0.3, 0.2], dtype=np.float32),
    "one value": np.full(5, 3.5),
    "strided": np.arange(10.0)[::2],
}
POSITIVE = np.array([True, False, False, True, True])


@pytest.mark.parametrize("sizes", [[2], [2, 2], [3, 4], [2, 2, 3], [5, 5], [30, 40]])
@pytest.mark.parametrize("rows", [0, 7, 150_000])
def test_codes_of_one_byte_and_of_eight_are_counted_alike(sizes, rows):
    wide = [RNG.integers(0, size, rows) for size in sizes]
    small = count_codes([w.astype(np.int8) for w in wide], sizes)
    expected = np.zeros(sizes, dtype=np.int64)
    np.add.at(expected, tuple(wide), 1)
    assert small.tolist() == count_codes(wide, sizes).tolist() == expected.ravel().tolist()


def brute_groups(scores, positive):
    values = sorted(set(scores.astype(np.float64).tolist()))
    same = [scores == v for v in values]
    return values, [int((s & positive).sum()) for s in same], [int((s & ~positive).sum()) for s in same]


@pytest.mark.parametrize("name", AWKWARD)
def test_score_groups_of_awkward_scores(name):
    distinct, ups, downs = plain.score_groups(AWKWARD[name], POSITIVE)
    assert (distinct.tolist(), ups.tolist(), downs.tolist()) == brute_groups(AWKWARD[name], POSITIVE)
    assert not np.signbit(distinct[distinct == 0]).any()


@pytest.mark.parametrize("digits", [1, 3, 9])
def test_score_groups_of_many_rows(digits):
    scores = np.round(RNG.normal(size=200_000), digits)
    positive = RNG.random(200_000) < 0.3
    distinct, ups, downs = plain.score_groups(scores, positive)
    assert (distinct == np.unique(scores)).all()
    assert (ups == np.bincount(np.searchsorted(distinct, scores[positive]), minlength=len(distinct))).all()
    assert (downs == np.bincount(np.searchsorted(distinct, scores[~positive]), minlength=len(distinct))).all()


def test_score_groups_of_nothing_and_of_one_class():
    assert [len(x) for x in plain.score_groups(np.array([]), np.array([], dtype=bool))] == [0, 0, 0]
    _, ups, downs = plain.score_groups(np.array([0.2, 0.1]), np.array([True, True]))
    assert ups.tolist() == [1, 1]
    assert downs.tolist() == [0, 0]


@pytest.mark.parametrize("rows", [30, 400])
def test_placement_sums_are_sums_over_pairs(rows):
    scores = np.round(RNG.normal(size=rows), 1)
    positive = RNG.random(rows) < 0.4
    wins = (scores[positive][:, None] > scores[~positive]) + 0.5 * (scores[positive][:, None] == scores[~positive])
    total, among_up, among_down = plain.placement_sums(*plain.score_groups(scores, positive)[1:])
    assert total == 2 * wins.sum() == plain.ordered_pairs(*plain.score_groups(scores, positive)[1:])
    assert among_up == pytest.approx(((wins.mean(axis=1) - wins.mean()) ** 2).sum(), rel=1e-12)
    assert among_down == pytest.approx(((wins.mean(axis=0) - wins.mean()) ** 2).sum(), rel=1e-12)


def test_placement_sums_do_not_depend_on_blocks(monkeypatch):
    ups, downs = RNG.integers(0, 3, 5000), RNG.integers(0, 3, 5000)
    one = plain.placement_sums(ups, downs)
    monkeypatch.setattr(plain, "BLOCK", 64)
    many = plain.placement_sums(ups, downs)
    assert many[0] == one[0]
    assert many == pytest.approx(one, rel=1e-12)


def test_equal_placements_have_no_spread():
    for counts in (np.array([7]), np.array([0, 7])):
        assert plain.placement_sums(counts, counts[::-1].copy())[1:] == (0.0, 0.0)
