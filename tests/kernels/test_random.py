"""Counter-based draws: the same whatever the chunk, and with the moments of sampling with replacement."""

import itertools

import numpy as np

from trueerror.kernels._random import EXACT, POISSON, STEPS, row_weights, words


def test_the_poisson_steps_have_mean_and_variance_one():
    k = np.arange(len(STEPS))
    assert sum(STEPS) == 1 << 16
    assert (k * STEPS).sum() == 1 << 16
    assert (k**2 * STEPS).sum() == 2 << 16
    exact = np.exp(-1) / np.cumprod(np.concatenate(([1], k[1:])))
    assert np.abs(np.array(STEPS) / 65536 - exact).max() < 2e-5
    assert np.bincount(POISSON).tolist() == list(STEPS)


def test_words_are_those_of_numpys_philox_from_any_place():
    key = np.array([5, 9], dtype=np.uint64)
    stream = np.random.Philox(key=key, counter=0).random_raw(50)
    assert (words(5, 9, 0, 50) == stream).all()
    for first, last in ((0, 3), (3, 4), (4, 20), (17, 50)):
        assert (words(5, 9, first, last) == stream[first:last]).all()


def test_few_rows_are_drawn_with_replacement():
    for rows in (1, 2, 3, 7, 100, EXACT):
        weights = row_weights(rows, 1, 4)
        assert len(weights) == rows
        assert weights.sum() == rows
    many = np.array([row_weights(20, 3, b) for b in range(4000)])
    assert abs(many.mean(axis=0) - 1).max() < 0.08
    # Multinomial: variance 1 − 1/n, covariance −1/n.
    assert abs(many.var(axis=0).mean() - 0.95) < 0.03
    covariance = np.cov(many.T)
    assert abs(covariance[~np.eye(20, dtype=bool)].mean() + 0.05) < 0.01


def test_many_rows_get_poisson_weights_the_same_in_any_chunk():
    rows = EXACT + 37
    whole = row_weights(rows, 2, 6)
    assert abs(whole.mean() - 1) < 0.04
    assert abs(whole.var() - 1) < 0.06
    for step in (1000, 4097):
        cuts = [*range(0, rows, step), rows]
        parts = [row_weights(rows, 2, 6, a, b) for a, b in itertools.pairwise(cuts)]
        assert (np.concatenate(parts) == whole).all()


def test_replicates_and_seeds_differ():
    assert (row_weights(500, 0, 0) != row_weights(500, 0, 1)).any()
    assert (row_weights(500, 0, 0) != row_weights(500, 1, 0)).any()
