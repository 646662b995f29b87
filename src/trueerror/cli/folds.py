"""`trueerror folds`: two learners fold by fold."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.cli.rank import _scores_of_table
from trueerror.inputs._options import InputError

FOLDS_HELP = "Two learners fold by fold: differences, mean, s, plain t and corrected t."
FOLDS_EPILOG = (
    "Examples: trueerror folds a=0.81,0.84,0.79,0.85 b=0.80,0.80,0.78,0.82 · trueerror folds cv.csv · "
    "trueerror folds cv.csv --first svm --second tree --repeats 10. "
    "A file has a row for each fold and a column for each learner."
)


@command
def folds_command(
    *,
    given: Annotated[
        list[str],
        typer.Argument(
            help="A file (CSV, Parquet, JSON Lines, .gz and .zst too; SQLite, DuckDB, Excel), or the scores of both as "
            "NAME=V1,V2,…",
            metavar="FILE",
        ),
    ],
    first: Annotated[str | None, flag("Column of the first learner.", "COLUMN", group=COLUMNS)] = None,
    second: Annotated[str | None, flag("Column of the second learner.", "COLUMN", group=COLUMNS)] = None,
    table: o.Table = None,
    repeats: Annotated[int, flag("Number of repeats of the cross-validation.", "NUMBER", min=1)] = 1,
    test_train_ratio: Annotated[float | None, flag("n_test/n_train, if not 1/(folds − 1).", "NUMBER")] = None,
    alternative: o.OneOrTwoSided = "two-sided",
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Two learners fold by fold."""
    from trueerror.inference.loss._t_tests import fold_differences
    from trueerror.sources._open_tables import file_table

    typed = "=" in given[0]
    if typed and (first is not None or second is not None):
        raise InputError("--first and --second name columns of a file; typed scores have their names: NAME=V1,V2,…")
    if typed and table is not None:
        raise InputError("--table names a table of a file, and these scores are typed; leave it out")
    if not typed and len(given) != 1:
        raise InputError("give one file, or the scores of two learners as NAME=V1,V2,…")
    opened = None if typed else file_table(given[0], table)
    names, scores = _typed_scores(given) if opened is None else _scores_of_table(opened, first, second)
    differences = fold_differences(
        *scores, names=names, repeats=repeats, test_train_ratio=test_train_ratio, confidence=confidence,
        alternative=alternative,
    )  # fmt: skip
    output.show(differences, more=() if opened is None else o.file_notes(opened))


def _typed_scores(words: list[str]) -> tuple[tuple[str, str], tuple[list[float], list[float]]]:
    """a=0.81,0.84 b=0.80,0.82 as names and scores."""
    scores: dict[str, list[float]] = {}
    for word in words:
        name, mark, values = word.partition("=")
        try:
            scores[name] = [float(v) for v in re.split(r"[,;\s]+", values) if v]
        except ValueError:
            raise InputError(f"cannot read {word!r}: write NAME=0.81,0.84,…") from None
        if not mark or not scores[name]:
            raise InputError(f"cannot read {word!r}: write NAME=0.81,0.84,…")
    if len(scores) != 2:
        raise InputError(f"there must be the scores of two learners, not of {len(scores)}")
    (a, x), (b, y) = scores.items()
    return (a, b), (x, y)
