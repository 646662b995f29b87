"""Resamples with the rows that they leave out."""

import numpy as np
import pytest

from trueerror.curves import _replicates as bagged
from trueerror.curves._replicates import bags
from trueerror.inputs._options import InputError
from trueerror.tallies import ScoreTable

TABLE = ScoreTable([1, 2, 3], [4, 0, 6], [5, 5, 0])


def test_bags_draw_as_many_rows_as_there_are():
    for bag in bags(TABLE, replicates=100):
        assert bag.positives.sum() + bag.negatives.sum() == 20
        assert (bag.left_positives <= TABLE.positives).all()
        assert (bag.left_negatives <= TABLE.negatives).all()
        # A cell of which no row was drawn is left out whole, and only then.
        assert ((bag.positives == 0) == (bag.left_positives == TABLE.positives))[[0, 2]].all()


@pytest.mark.parametrize("by_row", [1 << 16, 0])
def test_moments_of_both_ways(monkeypatch, by_row):
    monkeypatch.setattr(bagged, "BY_ROW", by_row)
    table = ScoreTable([1, 2], [300, 200], [100, 400])
    found = list(bags(table, replicates=3000, rng=1))
    drawn = np.array([[*b.positives, *b.negatives] for b in found])
    left = np.array([[*b.left_positives, *b.left_negatives] for b in found])
    cells = np.array([300, 200, 100, 400])
    assert drawn.mean(axis=0) == pytest.approx(cells, rel=0.02)
    assert left.mean(axis=0) == pytest.approx(cells * np.exp(-1), rel=0.02)
    expected = cells * (1 - cells / 1000) if by_row else cells
    assert drawn.var(axis=0) == pytest.approx(expected, rel=0.12)


def test_each_bag_is_a_function_of_seed_and_number():
    first = list(bags(TABLE, replicates=120, rng=4))
    longer = list(bags(TABLE, replicates=150, rng=4))
    for a, b in zip(first, longer, strict=False):
        assert all((x == y).all() for x, y in zip(a, b, strict=True))


def test_refusals():
    weighted = ScoreTable([1, 2], [1.5, 0.5], [0.5, 1.0], squares=np.ones((2, 2)))
    with pytest.raises(InputError, match="sampling weights"):
        next(bags(weighted, replicates=100))
    with pytest.raises(InputError, match="from 100 to"):
        next(bags(TABLE, replicates=10))
