"""Rows that depend: a few cells of `validation.dependence`, beyond Monte Carlo error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from validation.dependence import designs, piece

CLAIMED, SAMPLES = 0.925, 200


@pytest.mark.parametrize(
    ("title", "naive_at_most"),
    [
        ("time: independent, 500 rows, error 0.2", 1.0),
        ("time: ar .7, 500 rows, error 0.2", 0.85),
        ("keys: 10 × 10, 100% filled, sd 1 and 1", 0.85),
        ("keys: 10 × 10, 100% filled, sd 0 and 0", 1.0),
    ],
)
def test_limits_hold_where_rows_depend(title: str, naive_at_most: float) -> None:
    draw, truth = designs()[title]
    samples = [s for s in piece(draw, truth, SAMPLES, (1, len(title))) if s]
    held = {name: np.mean([s[name][0] for s in samples]) for name in ("ours", "naive")}
    assert held["ours"] >= CLAIMED - 2.5 * math.sqrt(CLAIMED * (1 - CLAIMED) / SAMPLES)
    assert held["naive"] <= naive_at_most
    assert np.mean([s.get("p ours", 1.0) < 0.05 for s in samples]) <= 0.06 + 2.5 * math.sqrt(0.06 * 0.94 / SAMPLES)
