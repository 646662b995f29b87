"""Pool adjacent violators: against scikit-learn, against a plain loop, and as the ROC hull."""

import numpy as np
import pytest

from trueerror.curves import _isotonic as isotonic
from trueerror.curves._isotonic import hull_places, isotonic_proportions, pooled_blocks
from trueerror.curves._points import downward


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
        np.testing.assert_allclose(isotonic_proportions(up, down), theirs, atol=1e-12)


def stack(up, down):
    """The classical algorithm, in whole numbers."""
    kept = []
    for start, (hits, misses) in enumerate(zip(up.tolist(), down.tolist(), strict=True)):
        while kept and kept[-1][1] * misses >= hits * kept[-1][2]:
            start, more_hits, more_misses = kept.pop()
            hits, misses = hits + more_hits, misses + more_misses
        kept.append((start, hits, misses))
    return [block[0] for block in kept]


# SciPy's own blocks of this one split where the last two proportions are both 1/2.
TIE = (
    np.array([2, 2, 2, 1, 1, 0, 2, 0, 2, 0, 1, 2, 0, 2, 1, 2, 1, 1, 1, 1, 2, 1, 2, 0, 1, 0]),
    np.array([0, 1, 0, 0, 1, 2, 1, 2, 1, 1, 2, 2, 1, 2, 0, 0, 2, 2, 2, 1, 1, 1, 2, 2, 0, 1]),
)


@pytest.mark.parametrize("many", [1, 1 << 16])
def test_blocks_are_those_of_whole_numbers(many, monkeypatch):
    monkeypatch.setattr(isotonic, "MANY_SCORES", many)
    for up, down in [TIE, *tables(1, 1000)]:
        assert pooled_blocks(up, down).tolist() == stack(up, down)


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


@pytest.mark.parametrize(
    ("up", "down", "blocks"),
    [
        ([3], [2], [0]), ([1, 1], [1, 1], [0]), ([0, 2], [2, 0], [0, 1]),
        # Scores without rows: above, below and between those that have some.
        ([3, 0], [2, 0], [0]), ([0, 3], [0, 2], [0]), ([0, 0, 2], [2, 0, 0], [0, 2]),
    ],
)  # fmt: skip
def test_small_tables(up, down, blocks):
    assert pooled_blocks(np.array(up), np.array(down)).tolist() == blocks


@pytest.mark.parametrize("most", [1, 3, 1_000_000])
@pytest.mark.parametrize("seed", range(4))
def test_very_many_scores_are_pooled_by_stretches_to_the_same_blocks(seed, most):
    rng = np.random.default_rng(seed)
    size = isotonic.MANY_SCORES + int(rng.integers(0, 3 * isotonic.POOLED))
    rising = np.sort(rng.random(size)) if seed % 2 else np.full(size, 0.3)
    rows = rng.integers(1, most + 1, size)
    up = rng.binomial(rows, rising)
    if seed > 1:  # a whole stretch without rows
        up[1000 : 1000 + 2 * isotonic.POOLED] = rows[1000 : 1000 + 2 * isotonic.POOLED] = 0
    # Sums of floats are taken over all scores at once.
    whole = pooled_blocks(up.astype(np.float64), (rows - up).astype(np.float64))
    assert np.array_equal(pooled_blocks(up, rows - up), whole)
