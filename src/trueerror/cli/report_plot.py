"""`trueerror report`: everything about the models of a file on one page.

`trueerror plot`: one picture of the models in a file.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import answers, complete_metrics, tell

if TYPE_CHECKING:
    from trueerror.curves._base import TableCurve
    from trueerror.sources._predictions import Predictions

REPORT_HELP = "One HTML page about the models in a file: verdict, differences, findings, tables and pictures, offline."
REPORT_EPILOG = (
    "Examples: trueerror report preds.csv -o report.html · "
    "trueerror report preds.csv --positive 1 --cost-fn 10 -o report.html · "
    "trueerror report preds.csv --positive 1 --metric auc --title Churn"
)

# Options that need no saying when a command is repeated.
USUAL = {"missing": "error", "metric": "accuracy", "confidence": 0.95}


@answers
def report_command(
    file: o.File,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the page (.html).", metavar="FILE")
    ] = Path("report.html"),
    title: Annotated[str | None, typer.Option("--title", help="The page's heading.", metavar="TEXT")] = None,
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
        str, typer.Option("--metric", help="What to compare by.", metavar="NAME", autocompletion=complete_metrics)
    ] = "accuracy",
    reference: Annotated[
        str | None, typer.Option("--reference", help="Compare only with this model.", metavar="MODEL")
    ] = None,
    margin: Annotated[
        float | None, typer.Option("--margin", help="The smallest difference that matters.", metavar="NUMBER")
    ] = None,
    cost_fp: Annotated[
        float | None, typer.Option("--cost-fp", help="What a false alarm costs (default 1).", metavar="NUMBER")
    ] = None,
    cost_fn: Annotated[
        float | None, typer.Option("--cost-fn", help="What a miss costs (default 1).", metavar="NUMBER")
    ] = None,
    prior: o.Prior = None,
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    ignore: o.Ignore = None,
    columns: o.Columns = False,
) -> None:
    """One HTML page about the models in a file."""
    from trueerror.cli._reading import read_file
    from trueerror.cli._terminal import target

    path = target(output, (".html", ".htm"), "a report")
    reading: dict[str, Any] = {
        "truth": truth, "model": model, "score": score, "positive": positive, "id": id, "cluster": cluster, "by": by,
        "fold": fold, "weight": weight, "weights_kind": weights_kind, "missing": missing, "budget": budget,
        "threshold": threshold,
    }  # fmt: skip
    given = read_file(file, **reading)
    if columns:
        print(given.roles)
        return
    from trueerror.reports import report

    asked: dict[str, Any] = {
        "metric": metric, "reference": reference, "margin": margin, "cost_fp": cost_fp, "cost_fn": cost_fn,
        "prior": prior, "confidence": confidence, "ignore": ignore or [],
    }  # fmt: skip
    told = {"output": str(output), "title": title, **reading, **asked, "seed": seed}
    kept = {k: v for k, v in told.items() if v != USUAL.get(k)}
    written = report(given, path, title=title, rng=seed, command=repeated("report", file, kept), **asked)
    tell(f"Wrote {written}: open it in a browser.")


def repeated(name: str, file: str, given: dict[str, Any]) -> str:
    """The line that repeats a command: only the options that were given.

    >>> repeated("report", "my file.csv", {"positive": "1", "model": ["a", "b"], "id": None})
    "trueerror report 'my file.csv' --positive 1 --model a --model b"
    """
    words = ["trueerror", name, file]
    for option, value in given.items():
        for one in value if isinstance(value, list) else [] if value is None else [value]:
            words += [f"--{option.replace('_', '-')}", str(one)]
    return shlex.join(words)


PLOT_HELP = "One picture of the models in a file, as .svg, .png, .pdf or an .html page that needs no network."
PLOT_EPILOG = (
    "Examples: trueerror plot preds.csv --kind roc --positive 1 -o roc.svg · "
    "trueerror plot preds.csv --kind confusion --model svm -o svm.png · "
    "trueerror plot preds.csv --kind differences -o differences.pdf"
)
ENDINGS = (".svg", ".png", ".pdf", ".html")


# Pictures that are not curves of a score table, and other words for them.
TABLES = {"confusion": ("matrix",), "forest": ("metrics",), "differences": ("compare",), "hull": ()}


def kinds() -> dict[str, tuple[str, ...]]:
    """What there is to show, with other words for it: the curves that declare a word, and tables."""
    from trueerror.curves._base import every_curve_kind

    return {**{kind.word: kind.aliases for kind in every_curve_kind() if kind.word}, **TABLES}


def kind_named(word: str) -> str:
    """A kind of picture by its name.

    >>> kind_named("precision-recall")
    'pr'
    """
    from trueerror.inputs._options import nearest

    for kind, aliases in kinds().items():
        if word in (kind, *aliases):
            return kind
    raise typer.BadParameter(f"{word!r} is not a kind of picture{nearest(word, list(kinds()))}")


def complete_kinds(incomplete: str) -> list[str]:
    """The kinds that begin so, for the shell."""
    return [kind for kind in kinds() if kind.startswith(incomplete)]


@answers
def plot_command(
    file: o.File,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write it: .svg, .png, .pdf or .html.", metavar="FILE")
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help=f"What to show: {', '.join(kinds())}.",
            metavar="WORD",
            parser=kind_named,
            autocompletion=complete_kinds,
        ),
    ] = "roc",
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
    from trueerror.cli._reading import read_file
    from trueerror.cli._terminal import target
    from trueerror.inputs._options import InputError

    path = target(output, ENDINGS, "a picture")
    if metric is not None and kind not in ("forest", "differences"):
        raise InputError(f"--metric goes with --kind forest or differences, not with {kind}")
    given = read_file(
        file, truth=truth, model=model, score=score, positive=positive, id=id, cluster=cluster, by=by, fold=fold,
        weight=weight, weights_kind=weights_kind, missing="drop" if columns else missing, budget=budget,
        threshold=threshold,
    )  # fmt: skip
    if columns:
        print(given.roles)
        return
    from trueerror.plots import save

    shown = tables(given, kind, metric, confidence, seed) if kind in TABLES else curves(given, kind)
    written = save(shown, path)
    tell(f"Wrote {written}.")


def curves(p: Predictions, kind: str) -> dict[str, TableCurve]:
    """The same curve of each model that has scores."""
    from trueerror.curves._base import every_curve_kind
    from trueerror.inputs._options import InputError

    make = next(k.make() for k in every_curve_kind() if k.word == kind)
    scored = [m for m in p.models if p.has_scores(m)]
    if not scored:
        raise InputError(f"--kind {kind} needs scores, and the file has labels only; name them with --score")
    return {m: make(p, model=m) for m in scored}


def tables(p: Predictions, kind: str, metric: str | None, confidence: float, seed: int) -> Any:
    """A confusion matrix, the metrics of the models, their differences from the leader, or their common hull."""
    from trueerror.inputs._options import InputError

    if kind == "confusion":
        if len(p.models) > 1:
            names = ", ".join(p.models[:12])
            raise InputError(f"--kind confusion shows one model; choose one with --model: {names}")
        return p.confusion()
    if kind == "differences":
        from trueerror.verbs._compare import compare

        return compare(p, metric=metric or "accuracy", confidence=confidence, rng=seed)
    if kind == "hull":
        from trueerror.curves._hull import roc_hull

        return roc_hull(curves(p, "roc"))
    from trueerror.verbs._evaluate import evaluate

    return evaluate(p, metrics=metric, confidence=confidence, rng=seed)
