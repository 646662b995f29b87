"""The benchmark frame: cases are found, targets judged, rows written."""

from __future__ import annotations

import pytest

from benchmarks.measuring import peak_beyond, row, side_by_side, skipped
from benchmarks.runner import Case, cases, run, shaped
from benchmarks.writing import machine, table


@pytest.mark.parametrize(
    ("target", "met"),
    [({"faster": 10}, True), ({"faster": 11}, False), ({"slower": 0.1}, True), ({"slower": 0.05}, False),
     ({"seconds": 0.2}, True), ({"seconds": 0.1}, False), ({"megabytes": 6}, True), ({"megabytes": 5}, False),
     ({}, None)],
)  # fmt: skip
def test_targets_are_judged(target: dict[str, float], met: bool | None) -> None:
    assert row("x", ours_s=0.1, peer="y", peer_s=1.0, memory_mb=5.0, **target)["met"] is met


def test_memory_that_was_not_measured_meets_no_target() -> None:
    assert row("x", ours_s=1.0, megabytes=100)["met"] is False


def test_a_number_as_target_means_times_as_fast() -> None:
    given = {"name": "x", "ours_s": 1.0, "peer": "y", "peer_s": 30.0, "ratio": 30.0, "target": 30, "agree": True}
    assert shaped(given)["met"] is True
    assert shaped({**given, "target": 31})["met"] is False
    assert shaped({"name": "x", "ours_s": 1.0, "peer": None, "peer_s": None, "target": None})["met"] is None


def test_cases_are_found_and_can_be_picked() -> None:
    assert Case("counting", "case_integers") in cases()
    assert [str(case) for case in cases("starting.")] == ["starting.import", "starting.interval", "starting.help"]


def test_a_case_that_fails_is_a_row_that_says_so() -> None:
    (found,) = run(Case("counting", "case_nowhere"), quick=True)
    assert found["met"] is False
    assert "case_nowhere" in found["note"]


def test_both_are_timed_in_turns() -> None:
    calls: list[str] = []
    ours, peer, mine, theirs = side_by_side(
        lambda: calls.append("ours"), lambda: calls.append("peer"), rounds=2, inner=2
    )
    assert calls == ["ours", "ours", "ours", "peer", "ours", "ours", "peer"]
    assert ours >= 0
    assert peer >= 0
    assert mine is theirs is None


def test_memory_beyond_the_input_is_seen() -> None:
    peak = peak_beyond(lambda: bytearray(b"x" * 50_000_000))
    assert peak is None or 40 < peak < 200


def test_the_table_shows_what_was_missed_and_what_is_not_there() -> None:
    shown = table([row("slow", ours_s=1.0, peer="p", peer_s=2.0, faster=10, agree=True), skipped("gone", "q")])
    assert "**no**" in shown
    assert "peer not installed" in shown
    assert "nan" not in shown
    assert len({len(line) for line in shown.splitlines()}) == 1


def test_machine_facts_hold_no_host_name() -> None:
    import platform

    assert platform.node() not in machine() or len(platform.node()) < 3


def test_jobs_are_run_on_both_sides():
    """Two of the twelve jobs: their lines are counted and what they print is there; an absent peer is named."""
    from benchmarks.jobs import JOBS, table, typed

    made = table((JOBS[0], JOBS[9])).splitlines()
    assert made[2].startswith("| How good is it? | scikit-learn | 3 | no | 1 |")
    assert "| statsmodels | 2 | an interval | 1 |" in made[3]
    assert all(typed(job.ours) == 1 for job in JOBS)
    absent = JOBS[0]._replace(theirs="import no_such_package")
    assert "absent: no_such_package" in table((absent,))
