"""te.bias_variance and te.estimator_laboratory."""

import math

import numpy as np
import pandas as pd
import pytest
from study_learners import Nearest, Neighbours, two_normals

import trueerror as te
from trueerror.studies._simulation import Checkerboard, TwoNormals


@pytest.fixture(scope="module")
def found():
    learners = {"means": Nearest(), "neighbour": Neighbours()}
    return te.bias_variance(
        learners, generator=TwoNormals(columns=3), n=40, rounds=60, test_rows=400, decomposition="domingos",
        progress=False,
    )  # fmt: skip


def test_parts_add_up_and_noise_is_that_of_the_source(found):
    for parts in found.learners:
        total = parts.noise.estimate + parts.bias.estimate + parts.variance.estimate
        assert total == pytest.approx(parts.error.estimate)
    kw = te.bias_variance(
        Nearest(), generator=TwoNormals(columns=3), n=40, rounds=60, test_rows=2000, decomposition="kohavi-wolpert",
        progress=False,
    ).learners[0]  # fmt: skip
    posterior_noise = kw.noise
    rng = np.random.default_rng(9)
    X, _ = TwoNormals(columns=3)(200_000, rng)
    p = TwoNormals(columns=3).posterior(X)
    assert posterior_noise.low < 0.5 * (1 - (p**2).sum(axis=1).mean()) < posterior_noise.high


def test_a_neighbour_varies_and_is_optimistic(found):
    means, neighbour = found["means"], found["neighbour"]
    assert neighbour.variance.low > means.variance.high
    assert neighbour.training.estimate == 0
    assert neighbour.training.high > 0
    assert neighbour.optimism.low > 0.1
    assert 0 < means.optimism.estimate < neighbour.optimism.low
    assert means.optimism.estimate == pytest.approx(means.held_out.estimate - means.training.estimate)
    assert "mostly variance" in str(found)
    assert neighbour.unbiased_variance - neighbour.biased_variance == pytest.approx(neighbour.variance.estimate)


def test_expected_error_is_the_true_one(found):
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(400):
        X, y = TwoNormals(columns=3)(40, rng)
        new, truth = TwoNormals(columns=3)(400, rng)
        errors.append((Nearest().fit(X, y).predict(new) != truth).mean())
    assert found["means"].error.low < np.mean(errors) < found["means"].error.high


@pytest.mark.parametrize("sampling", ["bootstrap", "half"])
def test_from_rows_with_a_share_held_out(rows, sampling):
    made = te.bias_variance(Nearest(), *rows, sampling=sampling, rounds=20, progress=False)
    assert made.test_rows == 67
    assert made.size == {"bootstrap": 133, "half": 66}[sampling]
    assert not made.noise_known
    assert made.learners[0].noise.estimate == 0
    assert "counted as bias" in str(made)


def test_against_a_test_set_of_ones_own(rows):
    X, y = rows
    test = two_normals(100, np.random.default_rng(8))
    made = te.bias_variance(Nearest(), X, y, test=test, rounds=10, progress=False)
    assert made.test_rows == 100
    frames = te.bias_variance(
        Nearest(), pd.DataFrame(X), y, test=(pd.DataFrame(test[0]), test[1]), rounds=10, progress=False
    )
    assert frames.learners == made.learners
    with pytest.raises(ValueError, match="3 columns"):
        te.bias_variance(Nearest(), X, y, test=(test[0][:, :3], test[1]), rounds=10)


def test_squared_loss(rows):
    made = te.bias_variance(Nearest(), *rows, loss="squared", rounds=15, progress=False).learners[0]
    assert made.error.estimate == pytest.approx(made.bias.estimate + made.variance.estimate)
    assert made.error.estimate == pytest.approx(made.held_out.estimate)
    with pytest.raises(ValueError, match="only labels"):
        te.bias_variance(Neighbours(), *rows, loss="squared", rounds=5, progress=False)


def test_the_same_seed_and_a_store(rows, tmp_path):
    options = {"rounds": 10, "store": tmp_path / "s", "progress": False}
    first = te.bias_variance(Nearest(), *rows, **options)
    assert te.bias_variance(Nearest(), *rows, **options) == first
    assert te.bias_variance(Nearest(), *rows, rounds=10, rng=1, progress=False) != first


def test_it_is_written_down_read_back_and_drawn(found, tmp_path):
    assert te.load(found.to_json()) == found
    assert len(found.frame()) == 14
    assert "Domingos" in found.explain()
    found.save(tmp_path / "parts.svg")
    assert "optimism" in (tmp_path / "parts.svg").read_text()
    assert found.draw() is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "X and y, or a generator"),
        ({"generator": "normals"}, "two-normals"),
        ({"generator": 3}, "function"),
        ({"generator": lambda n, rng: np.zeros(n)}, r"\(X, y\)"),
        ({"generator": "two-normals", "loss": "cubic"}, "loss="),
        ({"generator": "two-normals", "rounds": 1}, "at least 2"),
        ({"generator": "two-normals", "X": np.zeros((5, 2)), "y": [0, 1, 0, 1, 0]}, "not both"),
    ],
)
def test_what_cannot_be_is_told(options, words):
    with pytest.raises(ValueError, match=words):
        te.bias_variance(Nearest(), progress=False, **options)


@pytest.mark.parametrize("source", [TwoNormals(turned=0.1), Checkerboard()], ids=["normals", "board"])
def test_generators_know_their_posterior(source):
    X, y = source(20_000, np.random.default_rng(2))
    p = source.posterior(X)
    best = p.argmax(axis=1)
    assert (best != y).mean() == pytest.approx(source.best_error, abs=0.01)
    # Among rows with much the same probability, that share is of class 1.
    for low, high in ((0.05, 0.35), (0.65, 0.95)):
        inside = (p[:, 1] > low) & (p[:, 1] < high)
        assert y[inside].mean() == pytest.approx(p[inside, 1].mean(), abs=0.03)


@pytest.fixture(scope="module")
def lab():
    return te.estimator_laboratory(
        {"neighbour": Neighbours()}, TwoNormals(columns=3), n=30, runs=60, bootstraps=20, test_rows=500, progress=False
    )


def test_mse_is_variance_plus_squared_bias(lab):
    assert [q.estimator for q in lab.estimators] == [
        "training", "holdout", "k-fold", "leave-one-out", "out-of-bag", ".632", ".632+"
    ]  # fmt: skip
    for q in lab.estimators:
        assert q.mse == pytest.approx(q.bias.estimate**2 + q.sd**2)
        values = np.array(lab.values[q.estimator])
        assert q.mse == pytest.approx(((values - lab.truth.estimate) ** 2).mean())


def test_training_error_and_632_are_optimistic_and_cross_validation_is_not(lab):
    assert lab["training"].bias.high < -0.15
    assert lab[".632"].bias.high < 0
    assert lab["k-fold"].bias.low < 0.03
    assert lab["holdout"].sd > lab["k-fold"].sd
    assert lab["leave-one-out"].fits == 30
    assert "Too optimistic: training" in str(lab)
    assert math.isnan(lab["training"].coverage)
    assert 0.5 < lab["k-fold"].coverage <= 1


def test_the_laboratory_is_written_down_and_drawn(lab, tmp_path):
    assert te.load(lab.to_json()) == lab
    assert len(lab.frame()) == 7
    lab.save(tmp_path / "lab.svg")
    assert "true error" in (tmp_path / "lab.svg").read_text()


def test_a_laboratory_goes_on_with_its_store(tmp_path):
    options = {"n": 20, "runs": 5, "estimators": ["holdout", "k-fold"], "store": tmp_path / "l", "progress": False}
    first = te.estimator_laboratory(Nearest(), **options)
    assert te.estimator_laboratory(Nearest(), **options) == first
    assert sorted(p.name for p in (tmp_path / "l").iterdir()) == ["holdout", "k-fold", "truth"]
    with pytest.raises(ValueError, match="one learner"):
        te.estimator_laboratory({"a": Nearest(), "b": Nearest()}, n=20, runs=2)
    with pytest.raises(ValueError, match="leave-one-out"):
        te.estimator_laboratory(Nearest(), n=20, runs=2, estimators=["leave-one-in"])
