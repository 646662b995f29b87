"""`trueerror hull`: which classifier is best at which mix."""

from __future__ import annotations

import math
import re
from pathlib import Path

from trueerror.cli._option_groups import MatrixOptions, OutputOptions, RowsOptions
from trueerror.cli._target import PICTURES, target
from trueerror.inputs._options import InputError


def hull_command(
    *,
    file: list[str] | None,
    point: list[str] | None,
    prior: float | None,
    cost_fp: float,
    cost_fn: float,
    picture: Path | None,
    seed: int,
    matrices: MatrixOptions,
    rows: RowsOptions,
    output: OutputOptions,
) -> None:
    """Which classifier is best at which class mix."""
    from trueerror.curves._hull import roc_hull
    from trueerror.curves._roc import roc

    path = None if picture is None else target(picture, PICTURES, "a picture")
    classifiers: dict[str, object] = {}
    matrices.check(None if file else rows)
    if rows.fold not in (None, "none"):
        raise InputError("a hull is of all rows together, whatever their folds; leave --fold out")
    if file:
        given = rows.read(file, cut=True)
        if rows.columns:
            output.show_columns(given)
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
