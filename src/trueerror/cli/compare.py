"""`trueerror compare`: is one model in a file better than another?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import MatrixOptions, OutputOptions, RowsOptions, read_together
from trueerror.inputs._groups import Certainty, Costs, Pairwise
from trueerror.inputs._options import InputError
from trueerror.results._document import Block, TableBlock

if TYPE_CHECKING:
    from trueerror.verbs._comparison import Comparison


def compare_command(
    *,
    file: list[str] | None,
    counts: bool,
    marginals: bool,
    agreement: float | None,
    other_file: str | None,
    unpaired: bool,
    pairs: bool,
    matrices: MatrixOptions,
    rows: RowsOptions,
    pairwise: Pairwise,
    costs: Costs,
    chance: Certainty,
    output: OutputOptions,
) -> None:
    """Which model is better, by how much, and how sure that is."""
    from trueerror.verbs._compare import compare
    from trueerror.verbs._published import parse_marginals, parse_pairs

    files = list(file or ())
    if pairs and (output.form != "text" or output.explain):
        raise InputError("--pairs goes with text; json, markdown and the others are of all pairs or of the best")
    if pairs and (counts or marginals):
        raise InputError("--pairs goes with several models, and --counts or --marginals are of two; leave it out")
    matrices.check(rows)
    if agreement is not None and not marginals:
        raise InputError("--agreement goes with --marginals")
    of_counts = sum((counts, marginals, bool(matrices.matrix)))
    if of_counts > 1 or (of_counts and other_file is not None) or (matrices.matrix and files):
        raise InputError("give a file, --counts, --marginals or --matrix: one of them")
    options = pairwise.given() | costs.given() | chance.given() | {"paired": False if unpaired else None}
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
    if len(files) == 2 and other_file is None and not read_together(files, rows):
        other_file = files.pop()
    if not files or (len(files) > 1 and (other_file is not None or not read_together(files, rows))):
        raise InputError(
            "give one file of predictions, and a second after --with; or a file of the truth and then those of "
            "predictions, evaluation logs, four counts after --counts, or matrices with --matrix"
        )
    two = other_file is not None
    given = rows.read(files if len(files) > 1 else files[0], named=two, beside=other_file)
    other = None if other_file is None else rows.read(other_file, named=True, beside=files[0])
    if rows.columns:
        output.show_columns(given, other)
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
