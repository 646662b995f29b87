"""`trueerror evaluate`: how good are the models in a file of predictions?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueerror.cli._option_groups import MatrixOptions, OutputOptions, RowsOptions
from trueerror.inputs._groups import Certainty, Costs, Evaluated
from trueerror.inputs._options import InputError

if TYPE_CHECKING:
    from trueerror.sources._predictions import Predictions
    from trueerror.tallies import Confusion


def evaluate_command(
    *,
    file: list[str] | None,
    gap: list[str] | None,
    matrices: MatrixOptions,
    rows: RowsOptions,
    evaluated: Evaluated,
    costs: Costs,
    chance: Certainty,
    output: OutputOptions,
) -> None:
    """How good the models in a file are, really."""
    from trueerror.verbs._evaluate import evaluate

    given: Predictions | Confusion | dict[str, Confusion]
    matrices.check(rows)
    if matrices.matrix:
        if file:
            raise InputError("give a file or --matrix, not both")
        given = matrices.tables(rows.positive)
        given = given if len(given) > 1 else next(iter(given.values()))
    elif not file:
        raise InputError("give a file of predictions, or counts: --matrix '150 40 60 250'")
    else:
        given = predictions = rows.read(file)
        if rows.columns:
            output.show_columns(predictions)
            return
    metrics = "all" if evaluated.metrics == ["all"] else evaluated.metrics or None
    options = evaluated.given() | {"metrics": metrics} | costs.given() | chance.given()
    evaluation = evaluate(given, threshold=rows.threshold, **options)
    if gap:
        if not evaluation.slices:
            raise InputError("--gap compares groups: name their column with --by")
        from trueerror.verbs._gaps import evaluation_gaps

        output.show(output.kept(evaluation_gaps(evaluation, gap, by=rows.by or "group")))
        return
    output.show(matrices.noted(output.kept(evaluation), rows.positive))
