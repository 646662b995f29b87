"""`trueerror schema`: the JSON Schema of what a command answers."""

from __future__ import annotations

import json

from trueerror.inputs._options import check_word

# The commands whose answers have a published schema.
ANSWERS = ("evaluate", "compare", "gate", "check", "repeats", "agreement", "arena", "ppi", "label-plan")


def schema_command(of: str) -> None:
    """The JSON Schema of what a command answers."""
    from trueerror.results._document import schema_for

    print(json.dumps(schema_for(check_word(of, ANSWERS, "command")), indent=2, ensure_ascii=False))
