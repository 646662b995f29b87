"""What a formula says at the ends of its range, and a rule of thumb at its own boundary."""

from __future__ import annotations

import pytest

import trueerror as te


@pytest.mark.parametrize("n", [1, 10, 200])
def test_jeffreys_limits_reach_the_ends_where_all_or_none_succeed(n: int) -> None:
    every, none = (te.interval(x, n, method="jeffreys") for x in (n, 0))
    assert every.high == 1
    assert none.low == 0
    assert 0 < every.low < 1
    assert none.high == pytest.approx(1 - every.low)


@pytest.mark.parametrize(
    ("successes", "trials", "warned"),
    [
        (15, 30, False),  # n = 30, npq = 7.5
        (14, 29, True),
        (10, 20, True),  # npq = 5, n = 20
        (50, 500, False),
        (5, 500, True),  # npq = 4.95
        (6, 36, False),  # npq = 5
        (30, 36, False),
        (18, 36, False),
    ],
)
def test_the_rule_of_thumb_holds_from_30_trials_and_npq_of_5(successes: int, trials: int, warned: bool) -> None:
    assert bool(te.interval(successes, trials, method="wald").note) is warned
