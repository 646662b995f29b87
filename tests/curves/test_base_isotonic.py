"""Pool adjacent violators: against scikit-learn, against a plain loop, and as the ROC hull."""

import numpy as np
import pytest

from trueerror.curves import _base as isotonic
from trueerror.curves._base import downward, hull_places, isotonic_shares, pooled_blocks


def tables(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size = int(rng.integers(1, 40))
        up, down = rng.integers(0, 4, size), rng.integers(0, 4, size)
        there = up + down > 0
        if there.any():
            yield up[there], down[there]


def test_as_scikit_learn():
    from sklearn.isotonic import IsotonicRegression

    for up, down in tables(0, 100):
        n = up + down
        theirs = IsotonicRegression().fit_transform(np.arange(len(up)), up / n, sample_weight=n)
        np.testing.assert_allclose(isotonic_shares(up, down), theirs, atol=1e-12)


def test_passes_over_arrays_and_the_stack_agree(monkeypatch):
    kept = [(up, down, pooled_blocks(up, down)) for up, down in tables(1, 100)]
    monkeypatch.setattr(isotonic, "PASSES", 0)
    for up, down, blocks in kept:
        assert pooled_blocks(up, down).tolist() == blocks.tolist()


def test_shares_rise_strictly_from_block_to_block():
    for up, down in tables(2, 100):
        starts = pooled_blocks(up, down)
        shares = np.add.reduceat(up, starts) / np.add.reduceat(up + down, starts)
        assert (np.diff(shares) > 0).all()


def test_the_slowest_input_is_still_quick():
    """Rising shares, then a heavy low one: it swallows one block in each pass."""
    up = np.append(np.linspace(0.1, 0.9, 100_000), 0.0)
    down = np.append(1 - up[:-1], 2e6)
    assert pooled_blocks(up, down).tolist() == [0]


def test_hull_corners_are_above_every_point_and_turn_right():
    for up, down in tables(3, 100):
        tp, fp = downward(up), downward(down)
        places = hull_places(up, down)
        assert places[0] == 0
        assert places[-1] == len(up)
        x, y = fp[places], tp[places]
        # Slopes fall strictly: cross products of neighbouring edges turn to the right.
        cross = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(y)[:-1] * np.diff(x)[1:]
        assert (cross < 0).all()
        if fp[-1] > 0 and tp[-1] > 0:
            keep = np.concatenate((np.diff(x) > 0, [True]))
            assert (np.interp(fp, x[keep], y[keep]) >= tp - 1e-9).all() or x[0] == x[-1]


@pytest.mark.parametrize(("up", "down", "blocks"), [([3], [2], [0]), ([1, 1], [1, 1], [0]), ([0, 2], [2, 0], [0, 1])])
def test_small_tables(up, down, blocks):
    assert pooled_blocks(np.array(up), np.array(down)).tolist() == blocks
