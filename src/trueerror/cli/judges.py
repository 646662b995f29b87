"""`trueerror agreement`: do raters agree?"""

from __future__ import annotations

from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag

AGREEMENT_HELP = "How far raters or judges agree, from a file of ratings."
AGREEMENT_EPILOG = (
    "A wide file has a row for each item and a column for each rater; a long one has columns item, rater and label. "
    "Examples: trueerror agreement ratings.csv · trueerror agreement ratings.csv --level ordinal · "
    "trueerror agreement long.csv --item doc --rater who --label grade --method krippendorff"
)


@command
def agreement_command(
    *,
    file: o.File,
    rater: Annotated[str | None, flag("--rater", "In a long file: column of raters.", "COLUMN")] = None,
    item: Annotated[str | None, flag("--item", "Column that names the items.", "COLUMN")] = None,
    label: Annotated[str | None, flag("--label", "In a long file: column of labels.", "COLUMN")] = None,
    raters: Annotated[
        list[str] | None, flag("--raters", "A rater to look at, by column or name; repeat for several.", "RATER")
    ] = None,
    labels: Annotated[
        str | None, flag("--labels", "The labels from lowest to highest, such as 'poor,fair,good'.", "LABELS")
    ] = None,
    level: Annotated[str, flag("--level", "What labels are: nominal, ordinal, interval or ratio.", "WORD")] = "nominal",
    weights: Annotated[
        str | None,
        flag("--weights", "How near labels agree: none, linear, quadratic, ordinal or ratio.", "WORD"),
    ] = None,
    method: Annotated[
        str | None, flag("--method", "One of percent, cohen, fleiss, gwet, krippendorff; else all.", "WORD")
    ] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """How far raters agree."""
    from trueerror.verbs._judges import agreement

    found = agreement(
        file,
        method=method,
        level=level,  # type: ignore[arg-type]
        weights=weights,  # type: ignore[arg-type]
        labels=None if labels is None else _labels(labels),
        raters=raters,
        item=item,
        rater=rater,
        label=label,
        confidence=confidence,
    )
    output.show(found)


def _labels(text: str) -> list[object]:
    """Labels with commas between them; numbers where all of them are."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return [float(word) for word in words]
    except ValueError:
        return list(words)
