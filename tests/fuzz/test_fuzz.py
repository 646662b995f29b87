"""A short run of the fuzzer: some calls of every public function end in sound results or input errors."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import HealthCheck, given, seed, settings

import trueerror as te
from tests.fuzz.batch import one
from tests.fuzz.calls import LEFT_OUT, READERS, Call, calls, functions, run

FEW = settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", [*sorted(functions()), *(f"file.{kind}" for kind in sorted(READERS))])
def test_every_call_ends_well(name: str) -> None:
    @seed(1)
    @FEW
    @given(calls((name,)))
    def batch(call: Call) -> None:
        assert run(*call) > 0

    batch()


def test_a_seed_makes_the_same_call_and_is_counted() -> None:
    assert [one(f"0.{i}") for i in range(40)] == [one(f"0.{i}") for i in range(40)]
    made, wrong, _ = one("0.0")
    assert (made > 0, wrong) == (True, "")


def test_nothing_is_left_out_by_accident() -> None:
    public = {name for name in te.__all__ if callable(getattr(te, name)) and not inspect.isclass(getattr(te, name))}
    assert public - set(functions()) <= LEFT_OUT
