"""The search for a crossing."""

import math

import pytest

from trueerror.inference.proportion._distributions import crossing


@pytest.mark.parametrize(
    ("f", "low", "high", "root"),
    [
        (lambda x: x**3 - 2, 0.0, 2.0, 2 ** (1 / 3)),
        (lambda x: math.exp(50 * x) - 1.5, -1.0, 1.0, math.log(1.5) / 50),
        (lambda x: (x > 0.3) - 0.5, 0.0, 1.0, 0.3),
        (lambda x: math.inf if x < 0.2 else 0.5 - x, 0.0, 1.0, 0.5),
        (lambda x: x - 1e-12, -1.0, 1.0, 1e-12),
    ],
)
def test_finds_the_crossing(f, low, high, root):
    calls = []

    def counted(x):
        calls.append(x)
        return f(x)

    assert crossing(counted, low, high) == pytest.approx(root, rel=1e-13)
    assert len(calls) < 130


def test_without_a_crossing_it_answers_the_nearer_end():
    assert crossing(lambda x: x + 1, 0.0, 1.0) == 0.0
    assert crossing(lambda x: x - 5, 0.0, 1.0) == 1.0
    assert crossing(lambda x: x, 0.0, 1.0) == 0.0
