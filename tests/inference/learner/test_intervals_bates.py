"""Bates, Hastie and Tibshirani's interval against a direct, slow implementation that fits every model again."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.learner._intervals import bates, nested_error
from trueerror.inputs._options import InputError


def centroid_losses(X, y, train, test):
    """The 0/1 losses of a nearest-centroid classifier."""
    means = np.array([X[train][y[train] == c].mean(axis=0) for c in (0, 1)])
    gaps = ((X[test][:, None, :] - means[None]) ** 2).sum(axis=2)
    return (gaps.argmin(axis=1) != y[test]).astype(float)


def rows(seed, n=60, p=5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, p)) + 0.4 * y[:, None], y, rng


def gather(X, y, folds, k):
    """The losses as the library takes them."""
    single = [centroid_losses(X, y, np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(k)]
    pair = {}
    for i in range(k):
        for j in range(i + 1, k):
            train = np.flatnonzero((folds != i) & (folds != j))
            pair[i, j] = tuple(centroid_losses(X, y, train, np.flatnonzero(folds == f)) for f in (i, j))
    return SimpleNamespace(single=single, pair=pair)


def slow(X, y, all_folds, k, z):
    """The algorithm as it is told, one model at a time and nothing shared."""
    n = len(y)
    everything, cv, a, b = [], [], [], []
    for folds in all_folds:
        for f in range(k):
            e_out = list(centroid_losses(X, y, np.where(folds != f)[0], np.where(folds == f)[0]))
            e_in = []
            for g in range(k):
                if g != f:
                    e_in += list(
                        centroid_losses(X, y, np.where((folds != f) & (folds != g))[0], np.where(folds == g)[0])
                    )
            a.append((sum(e_in) / len(e_in) - sum(e_out) / len(e_out)) ** 2)
            b.append(stats.tvar(e_out) / len(e_out))
            # Each pair is met twice in this loop, once for each of its folds: together that is every pair loss once.
            everything += e_in
            cv += e_out
    sd = math.sqrt(sum((x - np.mean(everything)) ** 2 for x in everything) / (len(everything) - 1))
    mse = max(0.0, np.mean([x - w for x, w in zip(a, b, strict=True)]))
    inflation = math.sqrt(mse) / (sd / math.sqrt(math.floor(n * (k - 1) / k)))
    inflation = max(1.0, min(inflation, math.sqrt(k)))
    bias = (np.mean(everything) - np.mean(cv)) * (1 + ((k - 2) / k) ** 1.5)
    centre = np.mean(everything) - bias
    half = z * sd / math.sqrt(n) * inflation
    return centre, centre - half, centre + half


@pytest.mark.parametrize(("seed", "k", "n"), [(0, 5, 60), (1, 4, 50), (2, 3, 31), (7, 6, 47)])
def test_against_the_slow_way(seed, k, n):
    X, y, rng = rows(seed, n)
    all_folds = [rng.permutation(np.arange(n) % k) for _ in range(6)]
    made = bates([gather(X, y, f, k) for f in all_folds], bounds=(0, 1))
    centre, low, high = slow(X, y, all_folds, k, stats.norm.ppf(0.975))
    assert (made.estimate, made.low, made.high) == pytest.approx((centre, low, high), abs=1e-12)
    assert (made.method, made.n) == ("bates", n)


def test_the_inflation_is_kept_within_its_bounds():
    X, y, rng = rows(3)
    found = [nested_error([gather(X, y, rng.permutation(np.arange(60) % 5), 5)]) for _ in range(10)]
    assert all(1 <= f.inflation <= math.sqrt(5) for f in found)


def test_it_is_wider_than_the_naive_interval():
    X, y, rng = rows(4)
    repeats = [gather(X, y, rng.permutation(np.arange(60) % 5), 5) for _ in range(5)]
    losses = np.concatenate([x for r in repeats for both in r.pair.values() for x in both])
    made = bates(repeats, bounds=(0, 1))
    assert made.width >= 2 * stats.norm.ppf(0.975) * losses.std(ddof=1) / math.sqrt(60) - 1e-12


def test_no_errors_leave_room_all_the_same():
    flat = SimpleNamespace(
        single=[np.zeros(4)] * 5, pair={(i, j): (np.zeros(4), np.zeros(4)) for i in range(5) for j in range(i + 1, 5)}
    )
    made = bates([flat], bounds=(0, 1))
    assert (made.estimate, made.low, round(made.high, 4)) == (0, 0, 0.1611)
    assert made.method == "wilson-constant-loss"


def test_missing_parts_are_named():
    X, y, rng = rows(5)
    whole = gather(X, y, rng.permutation(np.arange(60) % 4), 4)
    del whole.pair[1, 3]
    with pytest.raises(InputError, match="folds 2 and 4"):
        bates([whole])
    with pytest.raises(InputError, match="at least 3 folds"):
        bates([SimpleNamespace(single=[np.ones(2)] * 2, pair={})])
    with pytest.raises(InputError, match="no repetitions"):
        bates([])
