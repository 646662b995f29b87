"""The reference page of the JSON that results are written as, from the published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import trueerror
from making.markdown import cell, code, page, table

FILE = Path(trueerror.__file__).parent / "results" / "trueerror-1.schema.json"


def schema_page() -> str:
    """Every type with its fields."""
    whole = json.loads(FILE.read_text(encoding="utf-8"))
    parts = [
        cell(whole["description"]),
        'The schema itself, for programs: <a href="../trueerror-1.schema.json">trueerror-1.schema.json</a>; '
        "`trueerror schema gate` prints the part of one command. NaN is null, infinities are "
        '"Infinity" and "-Infinity". `te.load` reads what `.to_json()` wrote.',
    ]
    for name, kind in whole["$defs"].items():
        parts += [f"## {name}", cell(kind.get("description", ""))]
        needed = kind.get("required", ())
        rows = [
            (code(field), _kind(held), "yes" if field in needed else "", cell(held.get("description", "")))
            for field, held in kind.get("properties", {}).items()
        ]
        parts.append(table(("field", "type", "always there", "meaning"), rows) if rows else _kind(kind))
    return page("JSON schema", *parts, keywords=["JSON schema", "JSON format", "to_json", "machine readable", "fields"])


def _kind(held: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in held:
        name = held["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in held:
        return code(json.dumps(held["const"]))
    if "enum" in held:
        return ", ".join(code(json.dumps(word)) for word in held["enum"])
    for several in ("anyOf", "oneOf"):
        if several in held:
            return " or ".join(_kind(one) for one in held[several])
    kind = held.get("type", "anything")
    if kind == "array" and isinstance(held.get("items"), dict):
        return f"list of {_kind(held['items'])}"
    if kind == "object" and isinstance(held.get("additionalProperties"), dict):
        return f"name → {_kind(held['additionalProperties'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)
