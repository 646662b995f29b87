"""`trueerror arena`: models by pairwise preferences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.cli._target import PICTURES, target


def arena_command(
    file: str, *, cluster: str | None, picture: Path | None, output: OutputOptions, **options: Any
) -> None:
    """Models ranked by pairwise preferences."""
    from trueerror.people._arena import arena

    drawn = None if picture is None else target(picture, PICTURES, "a picture")
    standings = arena(file, clusters=False if cluster == "none" else cluster, **options)
    if drawn is not None:
        standings.save(drawn)
    output.show(standings)
