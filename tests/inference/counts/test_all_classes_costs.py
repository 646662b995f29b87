"""Savings where a dear error was hardly seen."""

from __future__ import annotations

import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.results import Interval
from trueerror.tallies import Confusion

DEAR = {"costs": [[0.0, 1.0], [20.0, 0.0]]}


def savings(table: list[list[int]], **extra: object) -> Interval:
    return metric_interval("savings", Confusion(table, positive=1), options=DEAR, replicates=500, **extra)  # type: ignore[arg-type]


def test_a_miss_that_was_not_seen_may_still_cost() -> None:
    table = [[85, 5], [0, 10]]
    made, bare = savings(table), savings(table, method="bootstrap")
    # Calling all positive costs .9 a row; what the calls cost at most comes from the interval of the mean cost.
    cost = metric_interval("expected_cost", Confusion(table, positive=1), options=DEAR)
    assert made.low == pytest.approx(1 - cost.high / 0.9)
    assert made.low < bare.low - 0.3
    assert made.high >= bare.high
    assert "fewer than 5 times" in made.note
    assert made.method == "bootstrap-bca"


def test_errors_that_were_seen_leave_the_bootstrap_alone() -> None:
    table = [[630, 70], [60, 240]]
    assert savings(table) == savings(table, method="bootstrap")


def test_three_classes_and_sides() -> None:
    table = Confusion([[40, 2, 0], [1, 30, 3], [0, 2, 22]])
    two_sided = metric_interval("savings", table, replicates=500)
    lower = metric_interval("savings", table, replicates=500, side="lower")
    assert two_sided.low <= lower.low <= two_sided.estimate <= two_sided.high <= 1
    assert lower.high == 1
