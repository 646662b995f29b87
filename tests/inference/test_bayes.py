"""Posteriors with a region of practical equivalence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from trueerror.inference._bayes import bayes_correlated_t, bayes_signed_rank, student_sides
from trueerror.inputs._options import InputError
from trueerror.methods import method
from trueerror.results import load

RNG = np.random.default_rng(5)
FOLDS = np.array([0.02, 0.01, 0.03, -0.01, 0.02, 0, 0.04, 0.01, 0.02, 0.01])


def test_published_figures() -> None:
    # Mean −.056, scale .05423, 99 degrees of freedom, ROPE .01: .801/.086/.113.
    left, right = student_sides(-0.056, 0.05423, 99, 0.01)
    assert (round(left, 3), round(1 - left - right, 3), round(right, 3)) == (0.801, 0.086, 0.113)


def test_published_figures_from_differences() -> None:
    # A hundred differences whose mean is −.056 and whose corrected scale is .05423 at ρ = .1.
    z = stats.norm.ppf((np.arange(100) + 0.5) / 100)
    spread = 0.05423 / np.sqrt(1 / 100 + 0.1 / 0.9)
    d = -0.056 + spread * (z - z.mean()) / z.std(ddof=1)
    p = bayes_correlated_t(d.reshape(10, 10), rho=0.1, rope=0.01)
    assert [round(x, 3) for x in (p.left, p.rope, p.right)] == [0.801, 0.086, 0.113]
    assert p.n == 100


def test_correlated_t_is_one_minus_the_one_sided_p_of_the_corrected_test() -> None:
    from trueerror.inference.loss._t_tests import corrected_t

    # ρ/(1 − ρ) is the test/train ratio: 1/9 for ρ = .1.
    p = bayes_correlated_t(FOLDS, rho=0.1)
    assert p.right == pytest.approx(1 - corrected_t(FOLDS, test_train_ratio=1 / 9, alternative="greater").p_value)
    assert p.rope == pytest.approx(0, abs=1e-15)
    assert p.left + p.right == pytest.approx(1)


def test_wider_rope_holds_more() -> None:
    inside = [bayes_correlated_t(FOLDS, rho=0.1, rope=r).rope for r in (0, 0.005, 0.01, 0.05, 1)]
    assert inside == sorted(inside)
    assert inside[-1] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("d", "rope", "expected"),
    [
        ([0.0] * 5, 0.0, (0.5, 0.0, 0.5)),
        ([0.0] * 5, 0.01, (0.0, 1.0, 0.0)),
        ([0.1] * 5, 0.01, (0.0, 0.0, 1.0)),
        ([-0.1] * 5, 0.01, (1.0, 0.0, 0.0)),
    ],
)
def test_differences_that_do_not_vary(d, rope, expected) -> None:
    p = bayes_correlated_t(d, rho=0.1, rope=rope)
    assert (p.left, p.rope, p.right) == expected
    assert "do not vary" in p.note


def by_definition(z, rope, strength, draws, seed) -> np.ndarray:
    """Every pair of differences, one sample at a time."""
    rng = np.random.default_rng(seed)
    values = np.append(z, 0.0)
    sums = values[:, None] + values[None, :]
    wins = np.zeros(3)
    for _ in range(draws):
        w = rng.dirichlet([*np.ones(len(z)), strength])
        pair = np.outer(w, w)
        shares = [pair[sums < -2 * rope].sum(), pair[np.abs(sums) <= 2 * rope].sum(), pair[sums > 2 * rope].sum()]
        wins[int(np.argmax(shares))] += 1
    return wins / draws


@pytest.mark.parametrize("rope", [0.01, 0.2, 0.6])
def test_signed_rank_by_definition(rope) -> None:
    z = RNG.normal(0.2, 0.6, size=12)
    p = bayes_signed_rank(z, np.zeros(12), rope=rope, samples=20_000)
    expected = by_definition(z, rope, 0.5, 4000, 1)
    assert [p.left, p.rope, p.right] == pytest.approx(expected.tolist(), abs=0.03)


def test_signed_rank_adds_to_one_and_flips() -> None:
    a, b = RNG.random(15), RNG.random(15) + 0.1
    one, other = bayes_signed_rank(a, b, rope=0.02), bayes_signed_rank(b, a, rope=0.02)
    assert one.left + one.rope + one.right == pytest.approx(1)
    assert (one.left, one.rope, one.right) == (other.right, other.rope, other.left)


def test_signed_rank_of_identical_models() -> None:
    same = [0.7, 0.8, 0.9]
    p = bayes_signed_rank(same, same)
    assert (p.left, p.rope, p.right) == (0.5, 0, 0.5)
    p = bayes_signed_rank(same, same, rope=0.01)
    assert (p.left, p.rope, p.right) == (0, 1, 0)


def test_a_difference_on_the_edge_of_the_rope_lies_inside() -> None:
    # .81 − .80 is a little more than .01 in binary.
    p = bayes_signed_rank([0.81] * 6, [0.80] * 6, rope=0.01)
    assert p.rope == 1


def test_one_data_set_proves_little() -> None:
    p = bayes_signed_rank([0.9], [0.5], rope=0.01, prior_strength=1)
    # The weight of the one difference is uniform; its pairs with itself and with the pseudo-difference lie right,
    # 1 − (1 − w)² > ½ wherever w > 1 − 1/√2.
    assert p.right == pytest.approx(1 / np.sqrt(2), abs=0.01)


def test_seed_is_recorded_and_decides() -> None:
    a, b = RNG.random(10), RNG.random(10)
    assert bayes_signed_rank(a, b, rng=3) == bayes_signed_rank(a, b, rng=3)
    assert bayes_signed_rank(a, b, rng=3).note == "50,000 samples, seed 3"
    assert bayes_signed_rank(a, b, rng=3).right != bayes_signed_rank(a, b, rng=4).right


def test_many_data_sets_in_blocks() -> None:
    d = RNG.normal(0.05, 0.2, size=3000)
    p = bayes_signed_rank(d, np.zeros(3000), samples=500)
    assert p.right > 0.99


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes_correlated_t([0.1], rho=0.1), "at least two"),
        (lambda: bayes_correlated_t([0.1, 0.2], rho=1), "rho=1"),
        (lambda: bayes_correlated_t([0.1, 0.2], rho=0.1, rope=-1), "rope=-1"),
        (lambda: bayes_correlated_t([0.1, float("nan")], rho=0.1), "nan at row 2"),
        (lambda: bayes_signed_rank([], []), "no rows"),
        (lambda: bayes_signed_rank([1.0], [0.5], prior_strength=0), "prior_strength=0"),
        (lambda: bayes_signed_rank([1.0], [0.5], samples=5), "samples=5"),
        (lambda: bayes_signed_rank([1.0], [0.5], rope="x"), "not a number"),
    ],
)
def test_wrong_input(call, message) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_results_travel() -> None:
    p = bayes_correlated_t(FOLDS, rho=0.1, rope=0.01)
    assert load(p.to_json()) == p
    for key in ("bayes-correlated-t", "bayes-signed-rank"):
        assert method(key).source
    assert "Corani" in p.explain()
