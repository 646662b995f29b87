"""`trueerror rank`: which learner is best over several data sets?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.inputs._groups import Certainty, Group, option
from trueerror.inputs._options import InputError, nearest

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable

RANK_HELP = "Which learner is best over several data sets, from a file of scores."
RANK_EPILOG = (
    "A wide file has a row for each data set and a column for each learner; a long one has columns dataset, learner, "
    "value and, where there are folds, fold. Examples: trueerror rank scores.csv · trueerror rank cv.csv --value error "
    "--lower-is-better · trueerror rank scores.csv --method nemenyi"
)


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScoreColumns(Group):
    """Which column of a file of scores is what."""

    PLACE = COLUMNS
    dataset: str | None = option(None, "Column that names the data sets.", "COLUMN")
    learner: str | None = option(None, "In a long file: column of learners.", "COLUMN")
    fold: str | None = option(None, "Column of cross-validation folds.", "COLUMN")
    repeat: str | None = option(None, "Column of repeats of the folds.", "COLUMN")
    value: str | None = option(None, "In a long file: column of scores.", "COLUMN")
    table: str | None = option(None, "Table of a SQLite or DuckDB file with several, or sheet of a workbook.", "NAME")
    # fmt: on


@command
def rank_command(
    *,
    file: o.File,
    columns: ScoreColumns,
    lower: Annotated[
        bool, flag("For errors, losses and costs; else higher is better.", words="--lower-is-better")
    ] = False,
    missing: Annotated[
        str, flag("A learner without a score: error, or drop (leaves out its data set).", "RULE")
    ] = "error",
    method: Annotated[str, flag("wilcoxon, sign, nemenyi, shaffer or bonferroni-dunn.", "WORD")] = "wilcoxon",
    adjust: o.Adjust = "holm",
    reference: Annotated[
        str | None, flag("Compare with this learner only.", "LEARNER", words="--reference --control")
    ] = None,
    rope: Annotated[
        float | None, flag("For two learners: the largest difference that does not matter.", "NUMBER")
    ] = None,
    test_train_ratio: Annotated[float | None, flag("n_test/n_train, if not 1/(folds − 1).", "NUMBER")] = None,
    chance: Certainty,
    output: Annotated[o.OutputOptions, Without("columns")],
) -> None:
    """Which learner is best over several data sets."""
    from trueerror.verbs._rank import rank

    ranking = rank(
        file,
        higher_is_better=not lower,
        method=method,  # type: ignore[arg-type]
        adjust=adjust,  # type: ignore[arg-type]
        reference=reference,
        missing=missing,  # type: ignore[arg-type]
        test_train_ratio=test_train_ratio,
        rope=rope,
        **asdict(columns),
        **chance.given(),
    )
    output.show(output.kept(ranking))


def _scores_of_table(
    table: InputTable, first: str | None, second: str | None
) -> tuple[tuple[str, str], tuple[list[float], list[float]]]:
    """Two columns of numbers of a file; without names the only two that are there."""
    wanted = [c for c in (first, second) if c is not None]
    unknown = next((c for c in wanted if c not in table.columns), None)
    if unknown is not None:
        raise InputError(f"there is no column {unknown!r}{nearest(unknown, table.columns)}")
    numeric = [c for c in table.columns if table.kind(c) in ("integer", "number")]
    columns = {c: [math.nan if v is None else float(v) for v in table.values(c).tolist()] for c in numeric}
    scores = {c: values for c, values in columns.items() if not any(map(math.isnan, values))}
    names = [c for c in scores if c.lower() not in ("fold", "repeat", "split", "round", "")]
    if len(wanted) == 2:
        names = wanted
    elif wanted and len(names) == 2 and wanted[0] in names:
        (other,) = (c for c in names if c != wanted[0])
        names = [other, wanted[0]] if first is None else [wanted[0], other]
    elif wanted:
        names = wanted
    if len(names) != 2:
        raise InputError(
            f"name two columns of scores with --first and --second: {', '.join(scores) or 'there are none'}"
        )
    a, b = names
    if a not in scores or b not in scores:
        raise InputError(f"column {a if a not in scores else b!r} holds something that is no number")
    return (a, b), (scores[a], scores[b])
