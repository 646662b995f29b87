"""The likelihood of the logistic recalibration, against its definition in exact arithmetic of the logarithms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.curves._recalibration import LogitTable


@pytest.mark.parametrize("line", [(0.0, 1.0), (0.3, -2.0), (-1.0, 40.0)])
def test_likelihood_is_the_sum_of_logarithms(line: tuple[float, float]) -> None:
    x = np.array([-30.0, -2.0, -0.1, 0.0, 0.4, 5.0, 60.0])
    up, down = np.array([1.0, 0, 2, 3, 1, 7, 2]), np.array([4.0, 5, 1, 2, 0, 1, 1])
    a, b = line

    def softplus(v: float) -> float:
        return v + math.log1p(math.exp(-v)) if v > 0 else math.log1p(math.exp(v))

    wanted = -sum(
        u * softplus(-(a + b * v)) + d * softplus(a + b * v) for v, u, d in zip(x, up, down, strict=True)
    )  # fmt: skip
    assert LogitTable(x, up, down, None).likelihood(a, b) == pytest.approx(wanted, rel=1e-14)


def test_likelihood_of_far_logits_is_finite() -> None:
    data = LogitTable(np.array([-800.0, 800.0]), np.array([0.0, 1.0]), np.array([1.0, 0.0]), None)
    assert data.likelihood(0.0, 1.0) == 0.0
    assert data.likelihood(0.0, -1.0) == -1600.0
