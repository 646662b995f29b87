"""`trueerror arena`: models by pairwise preferences."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.cli._target import target
from trueerror.inputs._groups import Group, option
from trueerror.inputs._options import InputError

PICTURES = (".svg", ".html", ".png", ".pdf")
LISTS = (".csv", ".json", ".md", ".tex", ".txt", ".html")
ARENA_HELP = "Models ranked by pairwise preferences, from a file of battles."
ARENA_EPILOG = (
    "The file has columns model_a, model_b and winner (a model's name, model_a, model_b or tie); battles of one prompt "
    "depend on each other, so a column of prompts makes clusters. Examples: trueerror arena battles.csv · "
    "trueerror arena battles.csv --position --anchor gpt=1000 · trueerror arena long.csv --battle id --model "
    "system --score grade"
)


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BattleColumns(Group):
    """Which column of a file of battles is what."""

    PLACE = COLUMNS
    model_a: str | None = option(None, "Column of the models shown first.", "COLUMN")
    model_b: str | None = option(None, "Column of the models shown second.", "COLUMN")
    winner: str | None = option(None, "Column that says who won.", "COLUMN")
    battle: str | None = option(None, "In a long file: column of battles.", "COLUMN")
    model: str | None = option(None, "In a long file: column of models.", "COLUMN")
    score: str | None = option(None, "In a long file: column of scores, higher wins.", "COLUMN")
    cluster: str | None = option(None, "Column of prompts (clusters of battles); or 'none'.", "COLUMN")
    table: str | None = option(None, "Table of a SQLite or DuckDB file with several, or sheet of a workbook.", "NAME")
    # fmt: on


@command
def arena_command(
    *,
    file: o.File,
    columns: BattleColumns,
    ties: Annotated[str, flag("davidson, half (a win each) or drop.", "WORD")] = "davidson",
    position: Annotated[bool, flag("Estimate the advantage of being shown first.")] = False,
    anchor: Annotated[str | None, flag("A model and its Elo, such as gpt=1000.", "MODEL=ELO")] = None,
    penalised: Annotated[bool, flag("Firth's penalised fit, also where it is not needed.")] = False,
    adjust: o.Adjust = "holm",
    picture: Annotated[Path | None, flag("Draw the strengths to .svg, .html, .png or .pdf.", "FILE")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Models ranked by pairwise preferences."""
    from trueerror.people._arena import arena

    drawn = None if picture is None else target(picture, PICTURES, "a picture")
    named = asdict(columns)
    cluster = named.pop("cluster")
    standings = arena(
        file,
        clusters=False if cluster == "none" else cluster,
        ties=ties,  # type: ignore[arg-type]
        position=position,
        anchor=None if anchor is None else _anchor(anchor),
        penalised=penalised,
        adjust=adjust,  # type: ignore[arg-type]
        confidence=confidence,
        **named,
    )
    if drawn is not None:
        standings.save(drawn)
    output.show(standings)


def _anchor(text: str) -> dict[str, float]:
    name, mark, value = text.rpartition("=")
    try:
        return {name: float(value)} if mark else {text: 1000.0}
    except ValueError:
        raise InputError(f"--anchor {text!r}: write a model and its Elo, such as gpt=1000") from None
