"""`trueerror plot`: one picture of the models in a file."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Without, command, tell
from trueerror.cli._terminal import target
from trueerror.inputs._options import InputError, nearest

if TYPE_CHECKING:
    from trueerror.results import Result
    from trueerror.sources._predictions import Predictions

PLOT_HELP = "One picture of the models in a file, as .svg, .png, .pdf or an .html page that needs no network."
PLOT_EPILOG = (
    "Examples: trueerror plot preds.csv --kind roc --positive 1 -o roc.svg · "
    "trueerror plot preds.csv --kind confusion --model svm -o svm.png · "
    "trueerror plot preds.csv --kind differences -o differences.pdf"
)
ENDINGS = (".svg", ".png", ".pdf", ".html")


class Kind(StrEnum):
    """What to show."""

    roc = "roc"
    pr = "pr"
    calibration = "calibration"
    confusion = "confusion"
    forest = "forest"
    differences = "differences"
    lift = "lift"
    gains = "gains"
    cost = "cost"
    det = "det"
    decision = "decision"
    brier = "brier"
    risk = "risk"
    hull = "hull"


# Kind → the verb that makes the curve of a model.
CURVES = {
    "roc": "roc",
    "pr": "precision_recall",
    "calibration": "calibration",
    "lift": "lift",
    "gains": "gains",
    "cost": "cost_curve",
    "det": "det",
    "decision": "decision_curve",
    "brier": "brier_curve",
    "risk": "risk_coverage",
}
# Other words for the same.
ALIASES = {
    "precision-recall": "pr", "precision_recall": "pr", "reliability": "calibration", "matrix": "confusion",
    "metrics": "forest", "compare": "differences", "risk-coverage": "risk", "risk_coverage": "risk",
}  # fmt: skip


def kind_named(word: str) -> Kind:
    """A kind of picture by its name.

    >>> kind_named("precision-recall")
    <Kind.pr: 'pr'>
    """
    try:
        return Kind(ALIASES.get(word, word))
    except ValueError:
        raise typer.BadParameter(f"{word!r} is not a kind of picture{nearest(word, [k.value for k in Kind])}") from None


def complete_kinds(incomplete: str) -> list[str]:
    """The kinds that begin so, for the shell."""
    return [k.value for k in Kind if k.value.startswith(incomplete)]


@command
def plot_command(
    *,
    file: o.File,
    picture: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write it: .svg, .png, .pdf or .html.", metavar="FILE")
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            "--kind",
            "-k",
            help=f"What to show: {', '.join(k.value for k in Kind)}.",
            metavar="WORD",
            parser=kind_named,
            autocompletion=complete_kinds,
        ),
    ] = Kind.roc,
    rows: Annotated[o.RowsOptions, Without("repeat")],
    metric: Annotated[
        str | None, typer.Option("--metric", help="For forest and differences: which metric.", metavar="NAME")
    ] = None,
    chance: o.ChanceOptions,
    output: Annotated[o.OutputOptions, Without("form", "explain", "ignore")],
) -> None:
    """One picture of the models in a file."""
    path = target(picture, ENDINGS, "a picture")
    if metric is not None and kind not in (Kind.forest, Kind.differences):
        raise InputError(f"--metric goes with --kind forest or differences, not with {kind.value}")
    given = rows.read(file, output, cut=True)
    if output.columns:
        print(given.roles)
        return
    from trueerror.plots import save

    shown = curves(given, kind) if kind.value in CURVES else tables(given, kind, metric, chance)
    tell(f"Wrote {save(shown, path)}.")


def curves(p: Predictions, kind: Kind) -> dict[str, Result]:
    """The same curve of each model that has scores."""
    make = getattr(import_module("trueerror.curves"), CURVES[kind.value])
    scored = [m for m in p.models if p.has_scores(m)]
    if not scored:
        raise InputError(f"--kind {kind.value} needs scores, and the file has labels only; name them with --score")
    return {m: make(p, model=m) for m in scored}


def tables(p: Predictions, kind: Kind, metric: str | None, chance: o.ChanceOptions) -> Result:
    """A confusion matrix, the metrics of the models, their differences from the leader, or their common hull."""
    if kind is Kind.confusion:
        if len(p.models) > 1:
            names = ", ".join(p.models[:12])
            raise InputError(f"--kind confusion shows one model; choose one with --model: {names}")
        return p.confusion()
    if kind is Kind.differences:
        from trueerror.verbs._compare import compare

        return compare(p, metric=metric or "accuracy", confidence=chance.confidence, rng=chance.seed)
    if kind is Kind.hull:
        from trueerror.curves._hull import roc_hull

        return roc_hull(curves(p, Kind.roc))
    from trueerror.verbs._evaluate import evaluate

    return evaluate(p, metrics=metric, confidence=chance.confidence, rng=chance.seed)
