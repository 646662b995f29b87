"""The sort of tagged scores: in order, lossless, whatever the distribution."""

import itertools

import numpy as np
import pytest

from trueerror.inputs._options import config
from trueerror.kernels import _numpy as sorting
from trueerror.kernels._numpy import scores_of, sorted_parts, tagged_keys


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


@pytest.mark.parametrize("name", SHAPES)
def test_sorts_any_distribution(name, monkeypatch):
    monkeypatch.setattr(sorting, "LARGE", 1000)
    config(threads=2)
    scores = SHAPES[name]
    positive = RNG.random(SIZE) < 0.4
    tagged = tagged_keys(scores, positive)
    if tagged is None:
        pytest.fail("63 bits should suffice here")
    keys, power = tagged
    runs = sorted_parts(keys)
    found = np.concatenate([scores_of(run, power) for run in runs])
    assert (found == np.sort(scores.astype(np.float64))).all()
    tags = np.concatenate(runs) & 1
    assert tags.sum() == positive.sum()
    middle = scores.astype(np.float64) <= np.median(found)
    assert tags[found <= np.median(found)].sum() == positive[middle].sum()


def test_large_inputs_come_in_parts_that_do_not_split_ties(monkeypatch):
    monkeypatch.setattr(sorting, "LARGE", 1000)
    config(threads=2)
    scores = np.round(RNG.normal(size=SIZE), 3)
    keys, power = tagged_keys(scores, scores > 0)
    runs = [scores_of(run, power) for run in sorted_parts(keys)]
    assert len(runs) > 1
    filled = [run for run in runs if len(run)]
    assert all(a[-1] < b[0] for a, b in itertools.pairwise(filled))


@pytest.mark.parametrize("odd", [[np.inf, 1.0], [-np.inf, 1.0], [1e300, 5e-324], [1e10, 1e-320]])
def test_says_when_a_tag_does_not_fit(odd):
    assert tagged_keys(np.array(odd), np.array([True, False])) is None
    assert tagged_keys(np.array([]), np.array([], dtype=bool)) is None


def test_zero_has_one_sign_and_subnormals_survive():
    scores = np.array([0.0, -0.0, 5e-324, -5e-324, 1.5])
    keys, power = tagged_keys(scores, np.zeros(5, dtype=bool))
    assert keys[0] == keys[1]
    assert scores_of(np.sort(keys), power).tolist() == [-5e-324, 0.0, 0.0, 5e-324, 1.5]
