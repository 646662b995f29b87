"""What is chosen after looking: a few cells of `validation.chosen`, beyond Monte Carlo error."""

from __future__ import annotations

import math

import numpy as np
import pytest

from validation.chosen import designs, measured, zoom_radius

NAMES = [name for _, name, _, _ in designs()]
CLAIMED = 0.925


@pytest.mark.parametrize(
    ("name", "samples", "plain_at_most"),
    [
        ("accuracies, 200 rows, 5 models, correlation 0.3, equal", 100, 0.98),
        ("areas, 200 rows, 5 models, correlation 0.6, one better by 2", 80, 1.0),
        ("20 slices of unlike sizes, equal", 300, 0.8),
        ("200 rows, 0.3 positive, AUC 0.85, tuned for F1", 200, 0.97),
    ],
)
def test_limits_hold_what_was_chosen(name: str, samples: int, plain_at_most: float) -> None:
    found = measured(NAMES.index(name), samples)
    error = math.sqrt(CLAIMED * (1 - CLAIMED) / found["samples"])
    assert found["rule"]["covers"] >= CLAIMED - 2.5 * error
    assert found["plain"]["covers"] <= plain_at_most
    assert found["rule"]["width"] <= 1.4


@pytest.mark.parametrize("apart", [0.0, 0.5, 8.0, 20.0])
def test_the_zoom_radius_is_that_of_plain_loops(apart: float) -> None:
    errors = np.random.default_rng(3).standard_normal((2_000, 4))
    gaps = np.array([0.0, apart, 2 * apart, 3 * apart])
    radius = zoom_radius(gaps, errors)

    def missed(r: float) -> float:
        out = 0
        for row in errors:
            out += any(abs(e) > (r if gap <= 4 * r else (gap - r) / 3) for e, gap in zip(row, gaps, strict=True))
        return out / len(errors)

    assert missed(radius) <= 0.05 < missed(radius - 0.01)
    most = sorted(max(abs(e) for e in row) for row in errors)[int(0.95 * len(errors))]
    assert bool(abs(radius - most) <= 0.03) is (apart < 3)
    assert radius <= most + 1e-9
