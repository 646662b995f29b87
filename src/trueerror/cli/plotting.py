"""`trueerror plot`: one picture of the models in a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import options as o
from trueerror.cli.output import answers, tell

if TYPE_CHECKING:
    from trueerror.rows.predictions import Predictions

HELP = "One picture of the models in a file, as .svg, .png, .pdf or an .html page that needs no network."
EPILOG = (
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


# Kind → the curve's home, loaded when it is asked for.
CURVES = {
    "roc": ("receiver", "roc"),
    "pr": ("retrieval", "precision_recall"),
    "calibration": ("calibrating", "calibration"),
    "lift": ("gain", "lift"),
    "gains": ("gain", "gains"),
    "cost": ("costs", "cost_curve"),
    "det": ("detection", "det"),
    "decision": ("benefit", "decision_curve"),
    "brier": ("brier_curves", "brier_curve"),
    "risk": ("selective", "risk_coverage"),
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
    from trueerror.inputs.errors import nearest

    try:
        return Kind(ALIASES.get(word, word))
    except ValueError:
        raise typer.BadParameter(f"{word!r} is not a kind of picture{nearest(word, [k.value for k in Kind])}") from None


def complete_kinds(incomplete: str) -> list[str]:
    """The kinds that begin so, for the shell."""
    return [k.value for k in Kind if k.value.startswith(incomplete)]


@answers
def command(
    file: o.File,
    output: Annotated[
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
    truth: o.Truth = None,
    model: o.Model = None,
    score: o.Score = None,
    positive: o.Positive = None,
    id: o.Id = None,
    cluster: o.Cluster = None,
    by: o.By = None,
    fold: o.Fold = None,
    weight: o.Weight = None,
    weights_kind: o.WeightsKind = None,
    missing: o.Missing = "error",
    budget: o.Budget = None,
    threshold: o.Threshold = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="For forest and differences: which metric.", metavar="NAME")
    ] = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    columns: o.Columns = False,
) -> None:
    """One picture of the models in a file."""
    from trueerror.cli.reading import read_file
    from trueerror.cli.targets import target
    from trueerror.inputs.errors import InputError

    path = target(output, ENDINGS, "a picture")
    if metric is not None and kind not in (Kind.forest, Kind.differences):
        raise InputError(f"--metric goes with --kind forest or differences, not with {kind.value}")
    given = read_file(
        file, truth=truth, model=model, score=score, positive=positive, id=id, cluster=cluster, by=by, fold=fold,
        weight=weight, weights_kind=weights_kind, missing="drop" if columns else missing, budget=budget,
        threshold=threshold,
    )  # fmt: skip
    if columns:
        print(given.roles)
        return
    from trueerror.plots import save

    shown = curves(given, kind) if kind.value in CURVES else tables(given, kind, metric, confidence, seed)
    written = save(shown, path)
    tell(f"Wrote {written}.")


def curves(p: Predictions, kind: Kind) -> dict[str, Any]:
    """The same curve of each model that has scores."""
    from importlib import import_module

    from trueerror.inputs.errors import InputError

    room, name = CURVES[kind.value]
    make = getattr(import_module(f"trueerror.curves.{room}"), name)
    scored = [m for m in p.models if p.has_scores(m)]
    if not scored:
        raise InputError(f"--kind {kind.value} needs scores, and the file has labels only; name them with --score")
    return {m: make(p, model=m) for m in scored}


def tables(p: Predictions, kind: Kind, metric: str | None, confidence: float, seed: int) -> Any:
    """A confusion matrix, the metrics of the models, their differences from the leader, or their common hull."""
    from trueerror.inputs.errors import InputError

    if kind is Kind.confusion:
        if len(p.models) > 1:
            names = ", ".join(p.models[:12])
            raise InputError(f"--kind confusion shows one model; choose one with --model: {names}")
        return p.confusion()
    if kind is Kind.differences:
        from trueerror.verbs.comparing import compare

        return compare(p, metric=metric or "accuracy", confidence=confidence, rng=seed)
    if kind is Kind.hull:
        from trueerror.curves.hull import roc_hull

        return roc_hull(curves(p, Kind.roc))
    from trueerror.verbs.evaluating import evaluate

    return evaluate(p, metrics=metric, confidence=confidence, rng=seed)
