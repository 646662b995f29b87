"""`trueerror rank`: which learner is best over several data sets?  `trueerror folds`: two learners fold by fold."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.inputs._options import InputError, nearest

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable

RANK_HELP = "Which learner is best over several data sets, from a file of scores."
RANK_EPILOG = (
    "A wide file has a row for each data set and a column for each learner; a long one has columns dataset, learner, "
    "value and, where there are folds, fold. Examples: trueerror rank scores.csv · trueerror rank cv.csv --value error "
    "--lower-is-better · trueerror rank scores.csv --method nemenyi"
)


@dataclass(kw_only=True, eq=False, repr=False)
class ScoreColumns:
    """Which column of a file of scores is what."""

    GROUP: ClassVar[str] = COLUMNS
    dataset: Annotated[str | None, flag("Column that names the data sets.", "COLUMN")] = None
    learner: Annotated[str | None, flag("In a long file: column of learners.", "COLUMN")] = None
    fold: o.Fold = None
    repeat: o.Repeat = None
    value: Annotated[str | None, flag("In a long file: column of scores.", "COLUMN")] = None
    table: o.Table = None


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
        str | None, flag("Compare only with this learner.", "LEARNER", words="--reference --control")
    ] = None,
    rope: Annotated[
        float | None, flag("For two learners: the largest difference that does not matter.", "NUMBER")
    ] = None,
    test_train_ratio: Annotated[float | None, flag("Of the folds, where it is not 1/(folds − 1).", "NUMBER")] = None,
    chance: o.ChanceOptions,
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


FOLDS_HELP = "Two learners fold by fold: differences, mean, s, and the plain t beside the corrected one."
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
    repeats: Annotated[int, flag("How often the folds were assigned anew.", "NUMBER", min=1)] = 1,
    test_train_ratio: Annotated[float | None, flag("Where it is not 1/(folds − 1).", "NUMBER")] = None,
    alternative: o.OneOrTwoSided = "two-sided",
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Two learners fold by fold."""
    from trueerror.inference.loss._t_tests import fold_differences
    from trueerror.sources._tables import file_table

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
