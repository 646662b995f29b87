"""Decompositions of loss: they add up, and agree with what simulation of the definitions gives."""

import numpy as np
import pytest

from trueerror.studies._bias_variance import decompose, domingos, kohavi_wolpert, shares

RNG = np.random.default_rng(0)
CALLS = RNG.integers(0, 3, (40, 25))
POSTERIOR = RNG.dirichlet(np.ones(3), 25)
ONE_HOT = np.eye(3)[RNG.integers(0, 3, 25)]
PROBABILITIES = RNG.dirichlet(np.ones(3), (40, 25))


@pytest.mark.parametrize("how", ["domingos", "kohavi-wolpert", "squared"])
@pytest.mark.parametrize("posterior", [POSTERIOR, ONE_HOT], ids=["known", "labels"])
def test_the_parts_add_up_to_the_loss(how, posterior):
    made = decompose(how, CALLS, PROBABILITIES, posterior)
    np.testing.assert_allclose(made.noise + made.bias + made.variance, made.loss, atol=1e-12)
    if posterior is ONE_HOT:
        np.testing.assert_allclose(made.noise, 0, atol=1e-12)
        if how != "squared":
            labels = ONE_HOT.argmax(axis=1)
            np.testing.assert_allclose(made.loss, (labels != CALLS).mean(axis=0))
        else:
            expected = 0.5 * ((PROBABILITIES - ONE_HOT) ** 2).sum(axis=2).mean(axis=0)
            np.testing.assert_allclose(made.loss, expected)


def test_models_that_agree_have_no_variance():
    calls = np.repeat(CALLS[:1], 10, axis=0)
    for how in ("domingos", "kohavi-wolpert"):
        made = decompose(how, calls, None, ONE_HOT)
        np.testing.assert_allclose(made.variance, 0, atol=1e-12)
        np.testing.assert_allclose(made.bias, calls[0] != ONE_HOT.argmax(axis=1), atol=1e-12)


def test_two_classes_by_hand():
    # A row that 7 of 10 models get wrong: the main prediction is wrong, and 3 who disagree with it help.
    called = np.array([[0.3, 0.7]])
    made = domingos(called, np.array([[1.0, 0.0]]))
    assert (made.bias[0], made.unbiased[0], made.biased[0]) == pytest.approx((1.0, 0.0, 0.3))
    kw = kohavi_wolpert(called, np.array([[1.0, 0.0]]), 10)
    # ½((1 − .3)² + .7²) = .49 and ½(1 − .09 − .49) = .21, a ninth of which is due to having ten models only.
    assert (kw.bias[0], kw.variance[0]) == pytest.approx((0.49 - 0.21 / 9, 0.21 + 0.21 / 9))


def test_domingos_noise_is_his_c1_times_the_noise():
    # Two classes: error = c₁N + B + c₂V with c₁ = 2P(ŷ = best) − 1.
    posterior = np.array([[0.8, 0.2], [0.8, 0.2]])
    called = np.array([[0.9, 0.1], [0.3, 0.7]])
    made = domingos(called, posterior)
    np.testing.assert_allclose(made.noise, (2 * called[:, 0] - 1) * 0.2)


def test_few_training_sets_leave_kohavi_and_wolpert_unbiased():
    # Rows called 1 with probability .6 by fresh models; the truth is 0: bias² .36, variance .24.
    rng = np.random.default_rng(1)
    found = []
    for _ in range(4000):
        called = shares((rng.random((4, 1)) < 0.6).astype(int), 2)
        made = kohavi_wolpert(called, np.array([[1.0, 0.0]]), 4)
        found.append((made.bias[0], made.variance[0]))
    assert np.mean(found, axis=0) == pytest.approx((0.36, 0.24), abs=0.01)
