"""The sort of tagged scores: in order, lossless, whatever the distribution."""

import numpy as np
import pytest

from trueerror.inputs._settings import config
from trueerror.kernels import _numpy as plain
from trueerror.kernels import _sorting as sorting
from trueerror.kernels._sorting import scores_of, sort_keys, tagged_keys


@pytest.fixture(autouse=True)
def threads():
    yield
    config(threads=None)


RNG = np.random.default_rng(3)
SIZE = 300_000
SHAPES = {
    "normal": RNG.normal(size=SIZE),
    "uniform": RNG.random(SIZE),
    "sigmoid": 1 / (1 + np.exp(-6 * RNG.normal(size=SIZE))),
    "heavy": np.exp(5 * RNG.normal(size=SIZE)),
    "few values": np.round(RNG.random(SIZE), 2),
    "one outlier": np.append(RNG.random(SIZE - 1), 1e300),
    "one value": np.full(SIZE, 0.25),
    "float32": RNG.normal(size=SIZE).astype(np.float32),
    "descending": np.arange(SIZE, 0, -1) / 7.0,
}


@pytest.mark.parametrize("by_buckets", [True, False])
@pytest.mark.parametrize("name", SHAPES)
def test_sorts_any_distribution(name, by_buckets, monkeypatch):
    monkeypatch.setattr(sorting, "LARGE", 1000)
    monkeypatch.setattr(sorting, "_buckets_pay", lambda: by_buckets)
    config(threads=2)
    scores = SHAPES[name]
    positive = RNG.random(SIZE) < 0.4
    tagged = tagged_keys(scores, positive)
    if tagged is None:
        pytest.fail("63 bits should suffice here")
    keys, power = tagged
    sort_keys(keys)
    found, tags = scores_of(keys, power), keys & 1
    assert (found == np.sort(scores.astype(np.float64))).all()
    assert tags.sum() == positive.sum()
    middle = scores.astype(np.float64) <= np.median(found)
    assert tags[found <= np.median(found)].sum() == positive[middle].sum()


@pytest.mark.parametrize("size", [1, 2, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1000, 5000])
@pytest.mark.parametrize("spread", [1, 40, 1 << 62])
def test_buckets_of_any_size(size, spread, monkeypatch):
    monkeypatch.setattr(sorting, "BUCKET_KEYS", 300)
    monkeypatch.setattr(sorting, "PIECE", 700)
    keys = np.random.default_rng(size).integers(-spread, spread, size, endpoint=True)
    expected = np.sort(keys)
    sorting._sort_by_buckets(keys)
    assert (keys == expected).all()


def test_crowded_cells_are_sorted_apart():
    rng = np.random.default_rng(4)
    keys = np.concatenate([rng.integers(0, 1000, 5000), [1 << 60], (1 << 59) + rng.integers(0, 1000, 5000)])
    found = np.empty_like(keys)
    sorting._sort_bucket(rng.permutation(keys), found)
    assert (found == np.sort(keys)).all()


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("kernels", [plain, pytest.param("fast", id="fast")])
def test_counts_any_distribution(name, kernels, monkeypatch):
    kernels = pytest.importorskip("trueerror.kernels._numba") if kernels == "fast" else kernels
    monkeypatch.setattr(sorting, "LARGE", 1000)
    monkeypatch.setattr(sorting, "SORT_BLOCK", 1000)
    monkeypatch.setattr(plain, "SORT_BLOCK", 1000)
    for module in (sorting, plain):
        monkeypatch.setattr(module, "pieces", lambda size: 7)
    config(threads=3)
    scores, positive = SHAPES[name], RNG.random(SIZE) < 0.4
    distinct, place = np.unique(scores.astype(np.float64), return_inverse=True)
    ups, sizes = np.bincount(place, weights=positive), np.bincount(place)
    found = kernels.score_groups(scores, positive)
    assert all(map(np.array_equal, found, (distinct, ups, sizes - ups)))


@pytest.mark.parametrize("odd", [[np.inf, 1.0], [-np.inf, 1.0], [1e300, 5e-324], [1e10, 1e-320]])
def test_says_when_a_tag_does_not_fit(odd):
    assert tagged_keys(np.array(odd), np.array([True, False])) is None
    assert tagged_keys(np.array([]), np.array([], dtype=bool)) is None


def test_zero_has_one_sign_and_subnormals_survive():
    scores = np.array([0.0, -0.0, 5e-324, -5e-324, 1.5])
    keys, power = tagged_keys(scores, np.zeros(5, dtype=bool))
    assert keys[0] == keys[1]
    assert scores_of(np.sort(keys), power).tolist() == [-5e-324, 0.0, 0.0, 5e-324, 1.5]


@pytest.mark.parametrize("name", SHAPES)
def test_orders_any_distribution(name, monkeypatch):
    monkeypatch.setattr(sorting, "_buckets_pay", lambda: True)
    scores = SHAPES[name]
    order = sorting.ascending_order(scores)
    assert (scores[order] == np.sort(scores)).all()
    assert (np.sort(order) == np.arange(SIZE)).all()


def test_orders_keys_that_differ_in_the_last_bits_alone():
    rng = np.random.default_rng(5)
    keys = np.concatenate([[0], (1 << 61) + rng.permutation(3000)])
    order = sorting._bucket_order(keys)
    assert (keys[order] == np.sort(keys)).all()
    assert (np.sort(order) == np.arange(len(keys))).all()


@pytest.mark.parametrize("edges", [[], [0.5], [0.25, 0.25], [0.1, 0.1, 0.3, 0.9], [-np.inf, 0.5], [1e-300, 1e300]])
def test_places_are_those_of_a_search(edges):
    edges = np.array(edges)
    values = np.concatenate([np.random.default_rng(6).normal(size=plain.LOOKED_UP), edges, [0.0, np.inf, -np.inf]])
    assert (plain.places_among(edges, values) == np.searchsorted(edges, values, side="right")).all()


def test_places_among_many_edges():
    rng = np.random.default_rng(7)
    edges, values = np.sort(rng.random(400)), rng.random(3 * plain.LOOKED_UP)
    values[:400] = edges
    assert (plain.places_among(edges, values) == np.searchsorted(edges, values, side="right")).all()
