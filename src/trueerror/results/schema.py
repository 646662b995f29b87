"""The published schema of the JSON that results are written as, so that other programs can rely on it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from trueerror.results.codec import SCHEMA

# What each command can answer.
ANSWERS: dict[str, tuple[str, ...]] = {
    "evaluate": ("Evaluation",),
    "compare": ("Comparison", "CostComparison"),
    "gate": ("Gate",),
    "check": ("Findings",),
}


def schema_for(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a command answers under `--format json`, or of a result type.

    Under one version fields may be added; none is dropped or changes its meaning.

    >>> made = schema_for("gate")
    >>> made["title"], made["$defs"]["Gate"]["properties"]["decision"]["enum"]
    ('trueerror/1: gate', ['pass', 'fail', 'cannot tell'])
    """
    whole = json.loads(files("trueerror.results").joinpath("trueerror-1.schema.json").read_text(encoding="utf-8"))
    kinds = ANSWERS.get(name, (name,))
    unknown = [kind for kind in kinds if kind not in whole["$defs"]]
    if unknown:
        raise ValueError(f"there is no schema for {name!r}; there is one for {', '.join(ANSWERS)}")
    return {
        **whole,
        "$id": f"{whole['$id']}:{name}",
        "title": f"{SCHEMA}: {name}",
        "type": "object",
        "properties": {"schema": {"const": SCHEMA}},
        "required": ["schema"],
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds],
    }
