"""Options that several commands share, with their help."""

from __future__ import annotations

from typing import Annotated

import typer

from trueerror.cli._app import Format, complete_codes, complete_formats, complete_metrics, format_named, known_codes

Confidence = Annotated[
    float, typer.Option("--confidence", "-c", help="Confidence of the intervals, between 0 and 1.", metavar="SHARE")
]
OutputFormat = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        help="How to write the answer: text, json, markdown (or md), latex, html.",
        metavar="WORD",
        parser=format_named,
        autocompletion=complete_formats,
    ),
]
Explain = Annotated[bool, typer.Option("--explain", help="Say how each number was made, with formula and source.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.", min=0, metavar="NUMBER")]
File = Annotated[
    str,
    typer.Argument(
        help="CSV (.csv.gz too), Parquet or JSON Lines file, folder or glob; an evaluation log; - for standard input.",
        metavar="FILE",
    ),
]
Truth = Annotated[str | None, typer.Option("--truth", help="Column with the true classes.", metavar="COLUMN")]
Model = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="Column with a model's labels or scores; repeat for several.", metavar="COLUMN"),
]
Score = Annotated[
    list[str] | None,
    typer.Option("--score", help="Column with a model's scores (higher = more positive).", metavar="COLUMN"),
]
Positive = Annotated[str | None, typer.Option("--positive", help="The positive class.", metavar="LABEL")]
Id = Annotated[str | None, typer.Option("--id", help="Column that names each row.", metavar="COLUMN")]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster", help="Column of clusters, whose rows depend on each other; 'none' for none.", metavar="COLUMN"
    ),
]
By = Annotated[str | None, typer.Option("--by", help="Column of slices: results for each value.", metavar="COLUMN")]
Fold = Annotated[str | None, typer.Option("--fold", help="Column of cross-validation folds.", metavar="COLUMN")]
Weight = Annotated[str | None, typer.Option("--weight", help="Column of row weights.", metavar="COLUMN")]
WeightsKind = Annotated[
    str | None,
    typer.Option("--weights-kind", help="What the weights mean: frequency or sampling.", metavar="KIND"),
]
Missing = Annotated[
    str, typer.Option("--missing", help="Rows without a prediction: error, wrong or drop.", metavar="RULE")
]
Budget = Annotated[
    str | None,
    typer.Option("--budget", help="Memory for exact tables of scores, such as 500MB (default 2GB).", metavar="SIZE"),
]
Threshold = Annotated[
    float | None, typer.Option("--threshold", help="A score from here up is a positive call.", metavar="NUMBER")
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="A metric to show; repeat for several, or 'all'.",
        metavar="NAME",
        autocompletion=complete_metrics,
    ),
]
Prior = Annotated[
    float | None,
    typer.Option(
        "--prior", help="Share of positives where the model will run, if not that of the file.", metavar="SHARE"
    ),
]
Costs = Annotated[
    str | None,
    typer.Option("--costs", help="Cost matrix as JSON, rows = truth: '[[0, 1], [10, 0]]'.", metavar="JSON"),
]
CostFp = Annotated[
    float | None, typer.Option("--cost-fp", help="What a false alarm costs (default 1).", metavar="NUMBER")
]
CostFn = Annotated[float | None, typer.Option("--cost-fn", help="What a miss costs (default 1).", metavar="NUMBER")]
Repeat = Annotated[str | None, typer.Option("--repeat", help="Column of repeats of the folds.", metavar="COLUMN")]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        help="Leave a finding out, by code; repeat for several.",
        metavar="CODE",
        callback=known_codes,
        autocompletion=complete_codes,
    ),
]
Columns = Annotated[bool, typer.Option("--columns", help="Show how the file was read, and stop.")]
