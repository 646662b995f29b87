"""`trueerror compare`: is one model in a file better than another?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trueerror.cli import _options as o
from trueerror.cli._app import Format, answers, complete_metrics, show
from trueerror.cli.evaluate import parse_costs

COMPARE_HELP = "Which model is better, by how much, and how sure that is."
COMPARE_EPILOG = (
    "Examples: trueerror compare preds.csv --positive 1 · trueerror compare preds.csv --positive 1 --cost-fn 10 · "
    "trueerror compare new.csv --with old.csv · "
    "trueerror compare --counts both=810 new=60 old=40 neither=90"
)


@answers
def compare_command(
    file: Annotated[
        list[str] | None,
        typer.Argument(help="A file of predictions; with --counts the four counts as NAME=N.", metavar="FILE"),
    ] = None,
    counts: Annotated[
        bool,
        typer.Option("--counts", help="Compare counts: both=N first=N second=N neither=N (any two names)."),
    ] = False,
    second: Annotated[
        str | None, typer.Option("--with", help="A second file: joined on ids, or by the same truth.", metavar="FILE")
    ] = None,
    unpaired: Annotated[bool, typer.Option("--unpaired", help="The two files hold different rows.")] = False,
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
    metric: Annotated[
        str,
        typer.Option("--metric", help="What to compare by.", metavar="NAME", autocompletion=complete_metrics),
    ] = "accuracy",
    reference: Annotated[
        str | None, typer.Option("--reference", help="Compare only with this model.", metavar="MODEL")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="mid-p, exact, chi2, chi2-cc, bootstrap or delong.", metavar="WORD"),
    ] = None,
    adjust: Annotated[
        str, typer.Option("--adjust", help="For several pairs: holm, hochberg, bh, … or none.", metavar="WORD")
    ] = "holm",
    margin: Annotated[
        float | None, typer.Option("--margin", help="The smallest difference that matters.", metavar="NUMBER")
    ] = None,
    costs: o.Costs = None,
    cost_fp: o.CostFp = None,
    cost_fn: o.CostFn = None,
    prior: o.Prior = None,
    alternative: Annotated[
        str, typer.Option("--alternative", help="two-sided, greater or less.", metavar="WORD")
    ] = "two-sided",
    confidence: o.Confidence = 0.95,
    seed: o.Seed = 0,
    form: o.OutputFormat = Format.text,
    explain: o.Explain = False,
    ignore: o.Ignore = None,
    columns: o.Columns = False,
) -> None:
    """Which model is better, by how much, and how sure that is."""
    from trueerror.inputs._options import InputError
    from trueerror.verbs._compare import compare

    files = list(file or ())
    if counts:
        from trueerror.verbs._compare import compare_counts, parse_pairs

        found = compare_counts(
            parse_pairs(files), confidence=confidence, method=method or "mid-p", alternative=alternative, margin=margin
        )
        show(found.without(*(ignore or ())), form, explain=explain)
        return
    if len(files) != 1:
        raise InputError("give one file of predictions, or four counts after --counts; a second file goes after --with")
    from trueerror.cli._reading import read_file, read_named

    reading: dict[str, Any] = {
        "truth": truth, "model": model, "score": score, "positive": positive, "id": id, "cluster": cluster,
        "by": by, "fold": fold, "repeat": repeat, "weight": weight, "weights_kind": weights_kind,
        "missing": "drop" if columns else missing, "budget": budget,
    }  # fmt: skip
    given = read_file(files[0], **reading) if second is None else read_named(files[0], **reading)
    other = None if second is None else read_named(second, **reading)
    if columns:
        print(given.roles if other is None else f"{given.roles}\n\n{other.roles}")
        return
    found = compare(
        given,
        other,
        metric="expected_cost" if costs is not None and metric == "accuracy" else metric,
        reference=reference,
        method=method,
        adjust=adjust,
        margin=margin,
        paired=False if unpaired else None,
        threshold=threshold,
        costs=None if costs is None else parse_costs(costs),
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        prior=prior,
        alternative=alternative,  # type: ignore[arg-type]
        confidence=confidence,
        rng=seed,
    )
    show(found.without(*(ignore or ())), form, explain=explain)
