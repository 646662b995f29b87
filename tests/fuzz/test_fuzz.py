"""A short run of the fuzzer: random calls end in sound results or input errors, equal data in equal answers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

import trueerror as te
from tests.fuzz import commands, same
from tests.fuzz.batch import FAMILIES, one
from tests.fuzz.calls import LEFT_OUT, READERS, Call, calls, functions, run, seeded

FEW = settings(max_examples=4, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", [*sorted(functions()), *(f"file.{kind}" for kind in sorted(READERS))])
def test_every_call_ends_well(name: str) -> None:
    @seed(1)
    @FEW
    @given(calls((name,)))
    def batch(call: Call) -> None:
        assert run(*call) > 0

    batch()


def test_equal_data_in_other_containers_give_the_same_json() -> None:
    for number in range(120):
        same.compare_containers(*same.in_containers(seeded(f"containers {number}")))


@pytest.mark.parametrize("door", [*same.DOORS, *same.TABLES])
def test_plain_text_gives_the_same_json_behind_every_door(door: str) -> None:
    cells = {
        "truth": ["a", "b c", "é"] * 8,
        "one": ["a", "b c", "b c"] * 8,
        "two": ["é", "a"] * 12,
        "group": ["x", "y"] * 12,
    }
    assert same.compare_doors(cells, door, "polars frame") == 2


def test_an_answer_that_depends_on_the_container_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(scores: object) -> te.Interval:
        return te.interval(1 if isinstance(scores, list) else 2, 10)

    monkeypatch.setitem(functions(), "metric", counts)
    drawn = {"given": {"scores": [1.0, 2.0]}, "ways": {"scores": ("numpy", lambda: np.array([1.0, 2.0]))}}
    with pytest.raises(AssertionError, match="another answer with scores as numpy"):
        same.compare_containers("metric", drawn)


def test_every_container_holds_what_a_list_holds() -> None:
    columns = {int: [3, 1, 2], float: [0.25, 0.5, 1.0], str: ["b", "a", "b"], bool: [True, False, True]}
    for kind, cells in columns.items():
        for name, way in (same.ANY | same.OF_TYPE[kind]).items():
            held = way(cells)
            held = held.to_pylist() if hasattr(held, "to_pylist") else held
            held = held.as_py() if hasattr(held, "as_py") else held
            assert [kind(x) for x in held] == cells, name
            assert same.kind_of(cells) is kind


def test_command_lines_end_well() -> None:
    for number in range(60):
        assert commands.run(*commands.make(seeded(f"commands {number}"))) == 1


def test_a_seed_makes_the_same_call_and_is_counted() -> None:
    first = [one(f"0.{i}") for i in range(40)]
    assert [one(f"0.{i}") for i in range(40)] == first
    assert {"calls", "readers", "same"} <= {family for family, *_ in first} <= set(FAMILIES)
    assert all(made > 0 for _, made, *_ in first)


def test_nothing_is_left_out_by_accident() -> None:
    public = {name for name in te.__all__ if callable(getattr(te, name)) and not inspect.isclass(getattr(te, name))}
    assert public - set(functions()) <= LEFT_OUT
