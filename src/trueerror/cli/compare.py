"""`trueerror compare`: is one model in a file better than another?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import OUTPUT, Format, command, flag
from trueerror.inputs._groups import Certainty, Costs, Pairwise
from trueerror.inputs._options import InputError
from trueerror.results._document import Block, TableBlock

if TYPE_CHECKING:
    from trueerror.verbs._comparison import Comparison

COMPARE_HELP = "Which model is better, by how much, and how sure that is."
COMPARE_EPILOG = (
    "Examples: trueerror compare preds.csv --positive 1 · trueerror compare preds.csv --positive 1 --cost-fn 10 · "
    "trueerror compare new.csv --with old.csv · trueerror compare truth.csv new.csv old.csv · "
    "trueerror compare logs/*.eval · "
    "trueerror compare --counts both=810 new=60 old=40 neither=90 · "
    "trueerror compare --marginals A=456/500 B=445/500 · "
    "trueerror compare --matrix 'M1=150 40 60 250' --matrix 'M2=250 45 5 200' --costs '[[-1, 100], [1, 0]]' --prior 0.5"
)


@command
def compare_command(
    *,
    file: Annotated[
        list[str] | None,
        typer.Argument(
            help="A file of predictions, or two (CSV, Parquet, JSON Lines, .gz and .zst too; SQLite, DuckDB, Excel; "
            "folder or glob); evaluation logs; the truth and then files of predictions; with --counts the four counts "
            "as NAME=N, with --marginals two shares as NAME=RIGHT/ROWS.",
            metavar="FILE",
        ),
    ] = None,
    counts: Annotated[bool, flag("Compare counts: both=N first=N second=N neither=N (any two names).")] = False,
    marginals: Annotated[
        bool, flag("Compare two shares of the same rows, A=456/500 B=445/500, without their pairs.")
    ] = False,
    agreement: Annotated[
        float | None, flag("With --marginals: the share of rows on which both are right or wrong.", "SHARE")
    ] = None,
    matrices: o.MatrixOptions,
    other_file: Annotated[
        str | None, flag("A second file: joined on ids, or by the same truth.", "FILE", words="--with")
    ] = None,
    unpaired: o.Unpaired = False,
    rows: o.RowsOptions,
    judged: Pairwise,
    costs: Costs,
    chance: Certainty,
    pairs: Annotated[bool, flag("Show every pair of models too, not only each with the best.", group=OUTPUT)] = False,
    output: o.OutputOptions,
) -> None:
    """Which model is better, by how much, and how sure that is."""
    from trueerror.verbs._compare import compare
    from trueerror.verbs._published import parse_marginals, parse_pairs

    files = list(file or ())
    if pairs and (output.form is not Format.text or output.explain):
        raise InputError("--pairs goes with text; json, markdown and the others are of all pairs or of the best")
    if pairs and (counts or marginals):
        raise InputError("--pairs goes with several models, and --counts or --marginals are of two; leave it out")
    matrices.check(rows)
    if agreement is not None and not marginals:
        raise InputError("--agreement goes with --marginals")
    of_counts = sum((counts, marginals, bool(matrices.matrix)))
    if of_counts > 1 or (of_counts and other_file is not None) or (matrices.matrix and files):
        raise InputError("give a file, --counts, --marginals or --matrix: one of them")
    options = judged.given() | costs.given() | chance.given() | {"paired": False if unpaired else None}
    if counts:
        output.show(output.kept(compare(counts=parse_pairs(files), **options)))
        return
    if marginals:
        shares: Any = compare(marginals=parse_marginals(files), **options)
        output.show(shares if agreement is None else shares.at(agreement=agreement))
        return
    if matrices.matrix:
        tables = compare(matrices.tables(rows.positive), **options)
        output.show(matrices.noted(output.kept(tables), rows.positive), more=every_pair(tables, pairs))
        return
    if len(files) == 2 and other_file is None and not o.read_together(files, rows):
        other_file = files.pop()
    if not files or (len(files) > 1 and (other_file is not None or not o.read_together(files, rows))):
        raise InputError(
            "give one file of predictions, and a second after --with; or a file of the truth and then those of "
            "predictions, evaluation logs, four counts after --counts, or matrices with --matrix"
        )
    two = other_file is not None
    given = rows.read(files if len(files) > 1 else files[0], output, named=two, beside=other_file)
    other = None if other_file is None else rows.read(other_file, output, named=True, beside=files[0])
    if output.show_columns(given, other):
        return
    comparison = compare(given, other, threshold=rows.threshold, **options)
    output.show(output.kept(comparison), more=every_pair(comparison, pairs))


def every_pair(found: Comparison, wanted: bool) -> list[Block]:
    """The table of all pairs, where it is wanted and not there already."""
    if not wanted:
        return []
    if len(found.models) < 3 or found.reference is not None:
        raise InputError("--pairs goes with three or more models and no --reference: all pairs are shown; leave it out")
    return [TableBlock(replace(found.all_pairs(), title=f"All {len(found.pairs)} pairs:"))]
