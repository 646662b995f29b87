"""`trueerror agreement`: do raters agree?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.inputs._groups import Group, option

AGREEMENT_HELP = "How far raters or judges agree, from a file of ratings."
AGREEMENT_EPILOG = (
    "A wide file has a row for each item and a column for each rater; a long one has columns item, rater and label. "
    "Examples: trueerror agreement ratings.csv · trueerror agreement ratings.csv --level ordinal · "
    "trueerror agreement long.csv --item doc --rater who --label grade --method krippendorff"
)


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatingColumns(Group):
    """Which column of a file of ratings is what."""

    PLACE = COLUMNS
    rater: str | None = option(None, "In a long file: column of raters.", "COLUMN")
    item: str | None = option(None, "Column that names the items.", "COLUMN")
    label: str | None = option(None, "In a long file: column of labels.", "COLUMN")
    raters: list[str] | None = option(
        None, "A rater to look at, by column or name; repeat for several.", "RATER", list[str])
    table: str | None = option(None, "Table of a SQLite or DuckDB file with several, or sheet of a workbook.", "NAME")
    # fmt: on


@command
def agreement_command(
    *,
    file: o.File,
    columns: RatingColumns,
    labels: Annotated[
        str | None, flag("The labels from lowest to highest, such as 'poor,fair,good'.", "LABELS")
    ] = None,
    level: Annotated[str, flag("What labels are: nominal, ordinal, interval or ratio.", "WORD")] = "nominal",
    weights: Annotated[
        str | None, flag("How near labels agree: none, linear, quadratic, ordinal or ratio.", "WORD")
    ] = None,
    method: Annotated[str | None, flag("One of percent, cohen, fleiss, gwet, krippendorff; else all.", "WORD")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """How far raters agree."""
    from trueerror.people._agreement import agreement

    rater_agreement = agreement(
        file,
        method=method,
        level=level,  # type: ignore[arg-type]
        weights=weights,  # type: ignore[arg-type]
        labels=None if labels is None else _labels(labels),
        confidence=confidence,
        **asdict(columns),
    )
    output.show(rater_agreement)


def _labels(text: str) -> list[object]:
    """Labels with commas between them; numbers where all of them are."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return [float(word) for word in words]
    except ValueError:
        return list(words)
