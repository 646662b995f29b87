"""The published schema: what the commands write validates, what is broken does not, and no field is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jsonschema
import numpy as np
import pytest

import trueerror as te
from trueerror.results._document import ANSWERS, schema_for
from trueerror.results._json import SCHEMA

CANCER = te.read(te.data.path("breast_cancer"), positive="malignant")
TRUTH = np.arange(60) % 3
SLICED = te.predictions(
    TRUTH, {"a": np.roll(TRUTH, 1), "b": TRUTH}, by=np.repeat(["x", "y"], 30), clusters=np.arange(60) // 4
)
ONE_CLASS = te.predictions([0] * 12, {"a": [0] * 12}, labels=[0, 1], positive=1)
SCORED = te.predictions([0, 1, 1, 0] * 5, scores={"a": [-3.0, 2.0, 1.0, 0.5] * 5}, positive=1)


def evaluations() -> Iterator[Any]:
    yield te.evaluate(CANCER)
    yield te.evaluate(SLICED)
    yield te.evaluate(ONE_CLASS)
    yield te.evaluate(SCORED)
    yield te.evaluate(te.Confusion([[50, 5], [10, 35]]))
    yield te.evaluate(CANCER, prior=0.01, metrics=["accuracy"])
    yield te.evaluate(CANCER, cost_fn=10)


def comparisons() -> Iterator[Any]:
    yield te.compare(CANCER, margin=0.02)
    yield te.compare(SLICED)
    yield te.compare(CANCER, metric="log_loss", reference="logreg")
    yield te.compare(CANCER, cost_fn=10)


def gates() -> Iterator[Any]:
    yield te.gate(CANCER, "knn", model="logreg", margin=0.02, at_least=0.9)
    yield te.gate(CANCER, "knn", model="logreg", sequential=True)
    yield te.gate(ONE_CLASS, metric="recall", at_least=0.5)


def checks() -> Iterator[Any]:
    yield te.check(CANCER)
    yield te.check(te.Confusion([[95, 0], [5, 0]]))
    yield te.check(SLICED)


GRADES = te.graded({"a": np.linspace(0, 1, 30), "b": np.linspace(0.2, 0.9, 30)[::-1]}, clusters=np.arange(30) // 3)
ANSWERED = {"a": np.arange(60).reshape(20, 3) % 2, "b": np.arange(60).reshape(20, 3) % 5 // 3}
RATINGS = {"ann": [1, 2, 3, 1] * 6, "bob": [1, 2, 2, 1] * 6, "eve": [1, 3, 3, 1] * 6}
BATTLES = {
    "model_a": ["x", "y", "z"] * 20,
    "model_b": ["y", "z", "x"] * 20,
    "winner": ["model_a", "model_b", "tie", "model_a"] * 15,
}
JUDGED = np.tile([0.0, 1.0, 1.0, 0.0, 1.0], 60)
LABELLED = np.where(np.arange(300) % 5 == 0, JUDGED, np.nan)


def repeated() -> Iterator[Any]:
    yield te.repeats(ANSWERED)
    yield te.repeats({"a": [[0.5, 1.0], [0.25, 0.0], [1.0, 0.75]]}, cost_ratio=5)
    yield te.repeats([[1], [0], [1]])


def agreements() -> Iterator[Any]:
    yield te.agreement(RATINGS)
    yield te.agreement(RATINGS, level="ordinal", method="krippendorff")


def arenas() -> Iterator[Any]:
    yield te.arena(BATTLES)
    yield te.arena(BATTLES, position=True)


def powered() -> Iterator[Any]:
    yield te.prediction_powered(LABELLED, JUDGED)
    yield te.prediction_powered({"a": LABELLED, "b": 1 - LABELLED}, {"a": JUDGED, "b": 1 - JUDGED})


def plans() -> Iterator[Any]:
    yield te.label_plan(np.linspace(0.05, 0.95, 200), budget=20)
    yield te.label_plan(np.linspace(0.05, 0.95, 200), budget=20, method="active")


def graded() -> Iterator[Any]:
    yield te.evaluate(GRADES)
    yield te.compare(GRADES)
    yield te.gate(GRADES, "b", model="a", margin=0.1)


MADE = {
    "evaluate": evaluations, "compare": comparisons, "gate": gates, "check": checks, "repeats": repeated,
    "agreement": agreements, "arena": arenas, "ppi": powered, "label-plan": plans,
}  # fmt: skip


@pytest.mark.parametrize("name", list(ANSWERS))
def test_what_is_written_validates(name: str) -> None:
    schema = schema_for(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for result in MADE[name]():
        data = json.loads(result.to_json())
        assert data["schema"] == SCHEMA
        problem = jsonschema.exceptions.best_match(validator.iter_errors(data))
        assert problem is None, f"{problem.json_path}: {problem.message}"
        for kind, fields in _objects(data):
            described = schema["$defs"].get(kind)
            if described is not None:
                left_out = set(fields) - set(described["properties"]) - {"schema"}
                assert not left_out, f"{kind} has fields that the schema does not describe"


def test_results_of_grades_validate() -> None:
    for name, result in zip(("evaluate", "compare", "gate"), graded(), strict=True):
        jsonschema.Draft202012Validator(schema_for(name)).validate(json.loads(result.to_json()))


def _objects(data: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(data, dict):
        if "type" in data:
            yield data["type"], data
        for value in data.values():
            yield from _objects(value)
    elif isinstance(data, list):
        for value in data:
            yield from _objects(value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "trueerror/2"),
        (("decision",), "maybe"),
        (("checks",), []),
        (("checks", 0, "confidence"), 1.5),
        (("checks", 0, "low"), "none"),
        (("checks", 0, "kind"), None),
    ],
)
def test_what_is_broken_does_not_validate(path: tuple[Any, ...], value: Any) -> None:
    data = json.loads(te.gate(CANCER, "knn", model="logreg").to_json())
    validator = jsonschema.Draft202012Validator(schema_for("gate"))
    assert validator.is_valid(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not validator.is_valid(data)


def test_a_field_that_is_gone_does_not_validate() -> None:
    data = json.loads(te.check(te.Confusion([[95, 0], [5, 0]])).to_json())
    del data["items"][0]["code"]
    assert not jsonschema.Draft202012Validator(schema_for("check")).is_valid(data)
    assert not jsonschema.Draft202012Validator(schema_for("evaluate")).is_valid(data)


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match="evaluate, compare, gate, check"):
        schema_for("interval")
    assert schema_for("Interval")["anyOf"] == [{"$ref": "#/$defs/Interval"}]


def test_names_are_keys_and_nothing_is_said_twice() -> None:
    made = te.evaluate(CANCER)
    data = json.loads(made.to_json())
    logreg = data["parts"][0]["overall"]
    assert logreg["accuracy"]["low"] == made.parts[0].overall["accuracy"].low
    assert data["estimand"]
    assert "estimand" not in logreg["accuracy"]
    assert "note" not in logreg["accuracy"]
    assert te.load(made.to_json()) == made
    assert te.load(made.to_json()).parts[0].overall["accuracy"].estimand == made.estimand


@pytest.mark.parametrize("name", ["evaluate", "compare", "gate"])
def test_the_verdict_is_written_and_made_anew_when_loaded(name: str) -> None:
    for made in MADE[name]():
        data = json.loads(made.to_json())
        assert data["verdict"] == made.verdict != ""
        assert "verdict" in schema_for(name)["$defs"][data["type"]]["properties"]
        assert te.load(made.to_json()).verdict == made.verdict
        data["verdict"] = "The reader's own words."
        assert te.load(json.dumps(data)).verdict == made.verdict


def test_a_ranking_says_its_verdict_in_json() -> None:
    made = te.rank({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.9, 0.6], "c": [0.5, 0.4, 0.3]})
    assert json.loads(made.to_json())["verdict"] == made.verdict
    assert te.load(made.to_json()) == made


def test_every_check_of_a_gate_has_its_reason() -> None:
    for made in gates():
        for check, data in zip(made.checks, json.loads(made.to_json())["checks"], strict=True):
            assert data["reason"] == check.reason
            assert data["reason"].startswith("Asked: ")
            ending = {"pass": ": passed.", "fail": ": failed.", "cannot tell": ": cannot tell."}
            assert data["reason"].endswith(ending[check.decision])


def test_an_empty_estimand_beside_another_stays_empty() -> None:
    from trueerror.results._json import decode, encode

    inner = replace(te.interval(3, 4), estimand="")
    kept = decode(encode(inner, "something else"), "something else")
    assert (kept.estimand, kept) == ("", inner)


def test_mappings_come_back_whatever_their_keys() -> None:
    from trueerror.results._json import decode, encode

    for mapping in ({"a": 1.5}, {"type": 1, "b": 2}, {1: "x", "a": "y"}, {(1, "a"): 2}, {}):
        assert decode(json.loads(json.dumps(encode(mapping)))) == mapping


def test_files_of_before_are_read() -> None:
    old = {"type": "mapping", "pairs": [["accuracy", json.loads(te.interval(3, 4).to_json())]]}
    from trueerror.results._json import decode

    old["pairs"][0][1].pop("schema")
    assert decode(old) == {"accuracy": te.interval(3, 4)}
