"""Metrics of one class: limits where an error that weighs was not seen."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.results import Interval
from trueerror.tallies import Confusion

WEIGHTS = {"weights": (5.0, 5.0, 1.0, 1.0)}


def weighted_accuracy(table: list[list[int]], confidence: float = 0.95) -> Interval:
    return metric_interval("weighted_accuracy", Confusion(table, positive=1), options=WEIGHTS, confidence=confidence)


def by_hand(tn: float, fp: float, fn: float, tp: float, z: float) -> tuple[float, float]:
    """The delta method on the logit scale."""
    right, wrong = 5 * tp + tn, 5 * fn + fp
    total, share = right + wrong, right / (right + wrong)
    counts, weights = (tp, fn, fp, tn), (5, 5, 1, 1)
    hits = (1, 0, 0, 1)
    v = sum(c * (w * (h - share) / total) ** 2 for c, w, h in zip(counts, weights, hits, strict=True))
    reach = z * math.sqrt(v) / (share * (1 - share))
    centre = math.log(share / (1 - share))
    return 1 / (1 + math.exp(reach - centre)), 1 / (1 + math.exp(-reach - centre))


def test_all_errors_seen() -> None:
    made = weighted_accuracy([[80, 6], [2, 12]])
    assert (made.low, made.high) == pytest.approx(by_hand(80, 6, 2, 12, 1.959964), abs=1e-6)
    assert made.note == ""


def test_a_heavy_error_that_was_not_seen_may_be_there() -> None:
    made = weighted_accuracy([[85, 5], [0, 10]])
    bare, joined = by_hand(85, 5, 0, 10, 1.959964), by_hand(85.5, 5.5, 0.5, 10.5, 1.959964)
    assert made.low == pytest.approx(min(bare[0], joined[0]), abs=1e-6)
    assert made.high == pytest.approx(max(bare[1], joined[1]), abs=1e-6)
    # One miss in eleven would bring it down to .929: the bare limit calls that impossible at fewer errors.
    assert made.low < bare[0] - 0.04
    assert "count is 0" in made.note


def test_more_confidence_is_wider_and_a_perfect_score_has_width() -> None:
    for table in ([[85, 5], [0, 10]], [[90, 0], [0, 10]], [[90, 0], [10, 0]]):
        found = [weighted_accuracy(table, c) for c in (0.8, 0.9, 0.95, 0.99)]
        assert all(0 <= b.low <= a.low <= a.estimate <= a.high <= b.high <= 1 for a, b in pairwise(found))
        assert all(i.low < i.high for i in found)


def test_a_count_without_weight_does_not_matter() -> None:
    options = {"weights": (1.0, 1.0, 0.0, 0.0)}
    made = metric_interval("weighted_accuracy", Confusion([[0, 7], [3, 12]], positive=1), options=options)
    assert made.note == ""
