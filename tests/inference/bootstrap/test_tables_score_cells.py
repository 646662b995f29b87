import numpy as np
import pytest

from trueerror.inference.bootstrap import _tables as score_cells
from trueerror.inference.bootstrap._tables import drawn_tables, one_row_less, row_influences, table_cells

CELLS = table_cells(np.array([0, 3, 1, 6]), np.array([5, 2, 0, 1]))


def share(up, down):
    return up.sum(axis=1) / (up.sum(axis=1) + down.sum(axis=1))


def test_resamples_have_all_rows_and_only_occupied_cells():
    up, down = (np.concatenate(part) for part in zip(*drawn_tables(CELLS, np.random.default_rng(1), 500), strict=True))
    assert (up.sum(axis=1) + down.sum(axis=1) == 18).all()
    assert not up[:, 0].any()
    assert not down[:, 2].any()
    assert up.sum(axis=1).std() > 0
    assert up.mean(axis=0) == pytest.approx([0, 3, 1, 6], abs=0.3)


def test_classes_drawn_among_themselves_keep_their_sizes():
    for up, down in drawn_tables(CELLS, np.random.default_rng(1), 200, by_class=True):
        assert (up.sum(axis=1) == 10).all()
        assert (down.sum(axis=1) == 8).all()


def test_blocks_change_nothing(monkeypatch):
    whole = np.concatenate([u for u, _ in drawn_tables(CELLS, np.random.default_rng(2), 50)])
    monkeypatch.setattr(score_cells, "BLOCK", 30)
    assert np.array_equal(whole, np.concatenate([u for u, _ in drawn_tables(CELLS, np.random.default_rng(2), 50)]))
    assert len(one_row_less(CELLS, share)) == (CELLS > 0).sum()


def test_influences_of_a_share_are_its_deviations():
    sizes = CELLS[CELLS > 0]
    found = row_influences(one_row_less(CELLS, share), sizes)
    # Without one positive of 10 in 18 the share is 9/17, without a negative 10/17; weighted by rows they add up to 0.
    assert float(sizes @ found) == pytest.approx(0, abs=1e-12)
    assert found[:3] == pytest.approx((10 / 18 * 9 / 17 + 8 / 18 * 10 / 17) - 9 / 17)
