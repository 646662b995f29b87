"""`te.report`: one self-contained HTML file that opens offline and makes no request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from trueerror.experiments.gathered import Experiment
from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.options import check_confidence
from trueerror.reports.any_sections import about_result, is_result
from trueerror.reports.asked import Asked
from trueerror.reports.contents import Contents
from trueerror.reports.learner_sections import about_experiment
from trueerror.reports.model_sections import about_comparison, about_evaluation, about_predictions
from trueerror.reports.pictures import Gallery
from trueerror.reports.ranking_sections import about_ranking
from trueerror.reports.writing import write_page
from trueerror.rows.frames import is_table
from trueerror.rows.predictions import Predictions
from trueerror.rows.reading import read
from trueerror.significance.ranking import Ranking
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.evaluation import Evaluation

# The first kind that fits speaks; a result of another kind shows its own words, picture and table.
KINDS: tuple[tuple[type, Any], ...] = (
    (Predictions, about_predictions),
    (Evaluation, about_evaluation),
    (Comparison, about_comparison),
    (Experiment, about_experiment),
    (Ranking, about_ranking),
)


def report(
    source: Any,
    path: str | Path = "report.html",
    *,
    title: str | None = None,
    metric: str = "accuracy",
    reference: str | None = None,
    margin: float | None = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    prior: float | None = None,
    confidence: float = 0.95,
    rng: Any = None,
    ignore: Sequence[str] = (),
    also: Any = (),
    command: str = "",
    **columns: Any,
) -> Path:
    """Write an HTML report of predictions, an evaluation, a comparison, an experiment, a ranking or any other result.

    `source` may also be a path or a table of predictions: `columns` then go to `te.read` (`truth=`, `models=`,
    `positive=`, …), and `positive=` names the positive class of predictions that were read already.
    Predictions are judged by `metric`, or, where `cost_fp` or `cost_fn` is given, by what their errors cost (with
    `prior`, at another class mix), as `te.compare` does; `ignore` silences findings by their codes. The file needs no
    network and holds no rows. `also` are further results to show beneath, such as a learning curve:
    one, a list, or a dictionary by heading. `command` is the line that repeats it, where there is one.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file: give a path that ends in .html, not {target.name!r}")
    if not target.parent.exists():
        raise InputError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into")
    asked = Asked(
        metric=metric, reference=reference, margin=margin, cost_fp=cost_fp, cost_fn=cost_fn, prior=prior,
        confidence=check_confidence(confidence), rng=rng, ignore=tuple(ignore),
    )  # fmt: skip
    source = _opened(source, columns)
    gallery = Gallery()
    contents = _contents(source, gallery, asked)
    for i, (heading, result) in enumerate(_named(also), start=1):
        contents = contents.beside(about_result(result, gallery, key=f"also-{i}", title=heading))
    contents = replace(contents, findings=tuple(f for f in contents.findings if f.code not in asked.ignore))
    target.write_text(write_page(contents, gallery, title=title, command=command), encoding="utf-8")
    return target


def _opened(source: Any, columns: dict[str, Any]) -> Any:
    """Files and tables as predictions; all else as it is, without a word about columns."""
    known = tuple(signature(read).parameters)[1:]
    for name in columns:
        if name not in known:
            mine = [*tuple(signature(report).parameters)[2:-1], *known]
            raise InputError(f"te.report has no option {name}={nearest(name, mine)}")
    paths = isinstance(source, list | tuple) and bool(source) and all(isinstance(p, str | PathLike) for p in source)
    if isinstance(source, str | PathLike | Mapping) or paths or is_table(source):
        return read(source, **columns)
    given = dict(columns)
    if isinstance(source, Predictions) and "positive" in given:
        source = source.with_positive(given.pop("positive"))
    if given:
        made = "these predictions were read" if isinstance(source, Predictions) else "this was judged"
        raise InputError(f"{next(iter(given))}= says how to read a file or a table, but {made} already")
    return source


def _contents(source: Any, gallery: Gallery, asked: Asked) -> Contents:
    for kind, about in KINDS:
        if isinstance(source, kind):
            made: Contents = about(source, gallery, asked)
            return made
    if is_result(source):
        asked.refuse("this result", allowed=("ignore",))
        return about_result(source, gallery)
    known = "a path, a table, predictions, an evaluation, a comparison, an experiment, a ranking or another result"
    raise InputError(f"a report is made of {known}, not of {type(source).__name__}")


def _named(also: Any) -> list[tuple[str, Any]]:
    if isinstance(also, Mapping):
        named = [(str(heading), result) for heading, result in also.items()]
    else:
        named = [("", result) for result in (also if isinstance(also, list | tuple) else [also])]
    for _, result in named:
        if not is_result(result):
            raise InputError(f"also= shows results, not {type(result).__name__}")
    return named
