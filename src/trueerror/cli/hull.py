"""`trueerror hull`: which classifier is best at which mix."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COSTS, OUTPUT, Without, command, flag
from trueerror.cli._target import target
from trueerror.cli.plot import ENDINGS
from trueerror.inputs._groups import Costs
from trueerror.inputs._options import InputError

HULL_HELP = "Which classifier is best at which class mix: the convex hull in ROC space, scores and labels alike."
HULL_EPILOG = (
    "Examples: trueerror hull --point C4.5=0.2,0.84 --point SVM=0.604,0.951 --point CN2=0.049,0.496 · "
    "trueerror hull preds.csv --positive 1 --prior 0.2 · "
    "trueerror hull --matrix 'M1=150 40 60 250' --matrix 'M2=250 45 5 200' --cost-fn 10 -o hull.svg"
)


@command
def hull_command(
    *,
    file: Annotated[str | None, typer.Argument(help=o.FILE_HELP, metavar="FILE")] = None,
    point: Annotated[list[str] | None, flag("A classifier as NAME=FPR,TPR; repeat for several.", "POINT")] = None,
    matrices: o.MatrixOptions,
    rows: Annotated[o.RowsOptions, Without("by", "repeat", "threshold")],
    prior: Annotated[float | None, flag(Costs.described()["prior"].meaning, "SHARE", group=COSTS)] = None,
    cost_fp: Annotated[float, flag("Cost of a false alarm.", "NUMBER", group=COSTS)] = 1.0,
    cost_fn: Annotated[float, flag("Cost of a miss.", "NUMBER", group=COSTS)] = 1.0,
    picture: Annotated[
        Path | None,
        flag("Write the picture too: .svg, .png, .pdf or .html.", "FILE", group=OUTPUT, words="--output -o"),
    ] = None,
    seed: Annotated[int, flag("Seed of all random draws.", "NUMBER", min=0)] = 0,
    output: Annotated[o.OutputOptions, Without("ignore")],
) -> None:
    """Which classifier is best at which class mix."""
    from trueerror.curves._hull import roc_hull
    from trueerror.curves._roc import roc

    path = None if picture is None else target(picture, ENDINGS, "a picture")
    classifiers: dict[str, object] = {}
    matrices.check(rows if file is None else None)
    if rows.fold not in (None, "none"):
        raise InputError("a hull is of all rows together, whatever their folds; leave --fold out")
    if file is not None:
        given = rows.read(file, output, cut=True)
        if output.show_columns(given):
            return
        classifiers |= {m: roc(given, model=m) for m in given.models}
    classifiers |= matrices.tables(rows.positive)
    classifiers |= dict(typed_point(text) for text in point or ())
    if not classifiers:
        raise InputError("give a file, points such as --point C4.5=0.2,0.84, or --matrix")
    hull = roc_hull(classifiers).at_costs(cost_fp=cost_fp, cost_fn=cost_fn)
    if path is not None:
        from trueerror.plots import save

        save(hull, path, prior=prior, cost_fp=cost_fp, cost_fn=cost_fn)
    if prior is not None:
        output.show(hull.best(prior=prior, rng=seed))
    else:
        output.show(hull)


def typed_point(text: str) -> tuple[str, tuple[float, float]]:
    """ "C4.5=0.2,0.84" as ("C4.5", (0.2, 0.84))."""
    name, mark, rates = text.rpartition("=")
    try:
        fpr, tpr = (float(x) for x in re.split(r"[,;:\s]+", rates.strip(" ()")))
    except ValueError:
        fpr = tpr = math.nan
    if not mark or not name or math.isnan(fpr):
        raise InputError(f"cannot read {text!r}: write NAME=FPR,TPR, such as C4.5=0.2,0.84")
    return name, (fpr, tpr)
