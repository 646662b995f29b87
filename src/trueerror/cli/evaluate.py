"""`trueerror evaluate`: how good are the models in a file of predictions?"""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Format, answers, show

EVALUATE_HELP = "How good the models in a file are, really: every metric with its interval."
EVALUATE_EPILOG = (
    "Examples: trueerror evaluate preds.csv --positive 1 · trueerror evaluate preds.parquet --truth y --by country · "
    "trueerror evaluate preds.csv --positive 1 --cost-fn 10 · trueerror evaluate - --metric all < preds.csv"
)


@answers
def evaluate_command(
    file: o.File,
    truth: o.Truth = None,
    model: o.Model = None,
    score: o.Score = None,
    positive: o.Positive = None,
    id: o.Id = None,
    cluster: o.Cluster = None,
    by: o.By = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    weight: o.Weight = None,
    weights_kind: o.WeightsKind = None,
    missing: o.Missing = "error",
    budget: o.Budget = None,
    threshold: o.Threshold = None,
    metric: o.Metric = None,
    prior: o.Prior = None,
    costs: o.Costs = None,
    cost_fp: o.CostFp = None,
    cost_fn: o.CostFn = None,
    design: Annotated[str, typer.Option("--design", help="random or case-control.", metavar="WORD")] = "random",
    method: Annotated[
        str | None,
        typer.Option("--method", help="Interval by name, for the metrics that offer it.", metavar="WORD"),
    ] = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    ignore: o.Ignore = None,
    columns: o.Columns = False,
) -> None:
    """How good the models in a file are, really."""
    from trueerror.cli._reading import read_file
    from trueerror.verbs._evaluate import evaluate

    given = read_file(
        file, truth=truth, model=model, score=score, positive=positive, id=id, cluster=cluster, by=by, fold=fold,
        repeat=repeat, weight=weight, weights_kind=weights_kind, missing="drop" if columns else missing, budget=budget,
    )  # fmt: skip
    if columns:
        print(given.roles)
        return
    wanted: Any = None if not metric else "all" if metric == ["all"] else metric
    found = evaluate(
        given,
        metrics=wanted,
        prior=prior,
        costs=None if costs is None else parse_costs(costs),
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        design=design,  # type: ignore[arg-type]
        method=method,
        threshold=threshold,
        confidence=confidence,
        rng=seed,
    )
    show(found.without(*(ignore or ())), form, explain=explain)


def parse_costs(text: str) -> Any:
    """A cost matrix from JSON."""
    from trueerror.inputs._options import InputError

    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise InputError(f"--costs {text!r} is not a JSON table such as '[[0, 1], [10, 0]]'") from None
