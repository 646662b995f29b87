"""`trueerror evaluate`: how good are the models in a file of predictions?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import command, complete_metrics, flag
from trueerror.inputs._groups import Certainty, Costs, Evaluated
from trueerror.inputs._options import InputError

if TYPE_CHECKING:
    from trueerror.sources._predictions import Predictions
    from trueerror.tallies import Confusion

EVALUATE_HELP = "How good the models in a file are, really: every metric with its interval."
EVALUATE_EPILOG = (
    "Examples: trueerror evaluate preds.csv --positive 1 · trueerror evaluate preds.parquet --truth y --by country · "
    "trueerror evaluate preds.csv --by sex --gap recall · trueerror evaluate preds.csv --positive 1 --cost-fn 10 · "
    "trueerror evaluate - --metric all < preds.csv · "
    "trueerror evaluate --matrix '150 40 60 250' --costs '[[-1, 100], [1, 0]]'"
)


@command
def evaluate_command(
    *,
    file: Annotated[list[str] | None, typer.Argument(help=o.FILE_HELP, metavar="FILE")] = None,
    matrices: o.MatrixOptions,
    rows: o.RowsOptions,
    gap: Annotated[
        list[str] | None,
        flag(
            "With --by: who is worst off by this metric, and whether that is more than chance; repeat for several.",
            "NAME",
            autocompletion=complete_metrics,
        ),
    ] = None,
    judged: Evaluated,
    costs: Costs,
    chance: Certainty,
    output: o.OutputOptions,
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
        given = predictions = rows.read(file, output)
        if output.show_columns(predictions):
            return
    metrics = "all" if judged.metrics == ["all"] else judged.metrics or None
    options = judged.given() | {"metrics": metrics} | costs.given() | chance.given()
    evaluation = evaluate(given, threshold=rows.threshold, **options)
    if gap:
        if not evaluation.slices:
            raise InputError("--gap compares groups: name their column with --by")
        from trueerror.verbs._gaps import evaluation_gaps

        output.show(output.kept(evaluation_gaps(evaluation, gap, by=rows.by or "group")))
        return
    output.show(matrices.noted(output.kept(evaluation), rows.positive))
