"""A short run of the fuzzer: some calls of every public function end in sound results or input errors."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings

import trueerror as te
from tests.fuzz.calls import LEFT_OUT, calls, functions, run

FEW = settings(max_examples=6, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", sorted(functions()))
def test_every_call_ends_well(name: str) -> None:
    @seed(1)
    @FEW
    @given(calls((name,)))
    def batch(call: tuple[str, dict[str, Any]]) -> None:
        assert run(*call) > 0

    batch()


def test_nothing_is_left_out_by_accident() -> None:
    public = {name for name in te.__all__ if callable(getattr(te, name)) and not inspect.isclass(getattr(te, name))}
    assert public - set(functions()) <= LEFT_OUT
