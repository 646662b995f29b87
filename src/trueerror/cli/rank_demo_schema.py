"""`trueerror rank`: which learner is best over several data sets?

`trueerror demo`: the main job on bundled real predictions.

`trueerror schema`: the JSON that commands write, described for other programs.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Format, answers, show, tell

RANK_HELP = "Which learner is best over several data sets, from a file of scores."
RANK_EPILOG = (
    "A wide file has a row for each data set and a column for each learner; a long one has columns dataset, learner, "
    "value and, where there are folds, fold. Examples: trueerror rank scores.csv · trueerror rank cv.csv --value error "
    "--lower-is-better · trueerror rank scores.csv --method nemenyi"
)


@answers
def rank_command(
    file: o.File,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Column that names the data sets.", metavar="COLUMN")
    ] = None,
    learner: Annotated[
        str | None, typer.Option("--learner", help="In a long file: column of learners.", metavar="COLUMN")
    ] = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    value: Annotated[
        str | None, typer.Option("--value", help="In a long file: column of scores.", metavar="COLUMN")
    ] = None,
    lower: Annotated[
        bool, typer.Option("--lower-is-better", help="For errors, losses and costs; else higher is better.")
    ] = False,
    missing: Annotated[
        str,
        typer.Option(
            "--missing", help="A learner without a score: error, or drop (leaves out its data set).", metavar="RULE"
        ),
    ] = "error",
    method: Annotated[
        str,
        typer.Option("--method", help="wilcoxon, sign, nemenyi, shaffer or bonferroni-dunn.", metavar="WORD"),
    ] = "wilcoxon",
    adjust: Annotated[
        str, typer.Option("--adjust", help="For several pairs: holm, hochberg, bh, … or none.", metavar="WORD")
    ] = "holm",
    control: Annotated[
        str | None, typer.Option("--control", help="Compare only with this learner.", metavar="LEARNER")
    ] = None,
    rope: Annotated[
        float | None,
        typer.Option("--rope", help="For two learners: the largest difference that does not matter.", metavar="NUMBER"),
    ] = None,
    ratio: Annotated[
        float | None,
        typer.Option("--test-train-ratio", help="Of the folds, where it is not 1/(folds − 1).", metavar="NUMBER"),
    ] = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    ignore: o.Ignore = None,
) -> None:
    """Which learner is best over several data sets."""
    from trueerror.inputs._options import check_confidence
    from trueerror.verbs._rank import rank

    found = rank(
        file,
        higher_is_better=not lower,
        method=method,  # type: ignore[arg-type]
        adjust=adjust,  # type: ignore[arg-type]
        control=control,
        alpha=round(1 - check_confidence(confidence), 12),
        missing=missing,  # type: ignore[arg-type]
        dataset=dataset,
        learner=learner,
        fold=fold,
        repeat=repeat,
        value=value,
        test_train_ratio=ratio,
        rope=rope,
        rng=seed,
    )
    show(found.without(*(ignore or ())), form, explain=explain)


DEMO_HELP = "Judge bundled real predictions, print the verdict and write report.html."
DEMO_EPILOG = "Examples: trueerror demo · trueerror demo -o first.html"


@answers
def demo_command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report (.html).", metavar="FILE")
    ] = Path("report.html"),
    form: o.OutputFormat = Format.text,
) -> None:
    """Judge bundled real predictions."""
    from trueerror.cli._terminal import target
    from trueerror.data import path
    from trueerror.reports import report
    from trueerror.sources._api import read
    from trueerror.verbs._compare import compare

    output = target(output, (".html", ".htm"), "a report")
    given = read(path("breast_cancer"), positive="malignant")
    show(compare(given), form)
    written = report(given, output, title="Four models on 285 breast tumours", command="trueerror demo")
    if form is Format.text:
        tell(f"\nWrote {written}: open it in a browser.")


SCHEMA_HELP = "The JSON Schema of what a command answers under --format json."
SCHEMA_EPILOG = (
    "Examples: trueerror schema gate > gate.schema.json · trueerror schema evaluate. "
    "Under one version of the schema (trueerror/1) fields may be added; none is dropped or changes its meaning."
)


class Answer(StrEnum):
    """The commands whose answers have a published schema."""

    evaluate = "evaluate"
    compare = "compare"
    gate = "gate"
    check = "check"


@answers
def schema_command(
    of: Annotated[Answer, typer.Argument(help="The command whose answer to describe.", metavar="COMMAND")],
) -> None:
    """The JSON Schema of what a command answers."""
    from trueerror.results._base import schema_for

    print(json.dumps(schema_for(of.value), indent=2, ensure_ascii=False))
