"""What is chosen after looking: a few cells of `validation.chosen`, beyond Monte Carlo error."""

from __future__ import annotations

import math

import pytest

from validation.chosen import designs, measured

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
