"""`te.report`: one self-contained HTML file that opens offline and makes no request."""

from __future__ import annotations

import base64
import hashlib
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from trueerror.inputs.errors import InputError
from trueerror.results.tables import Table
from trueerror.rows.predictions import Predictions
from trueerror.verbs.evaluating import evaluate
from trueerror.verbs.evaluation import Evaluation
from trueerror.verbs.evaluation_words import class_table, overall_table, slice_table, verdict
from trueerror.version import __version__


class Section(NamedTuple):
    """A headed part of the page: tables as HTML that is already escaped, pictures as data addresses."""

    key: str
    title: str
    tables: tuple[str, ...] = ()
    pictures: tuple[tuple[str, str], ...] = ()
    text: str = ""


def report(source: Any, path: str | Path, *, title: str | None = None, command: str = "") -> Path:
    """Write an HTML report of predictions or of an evaluation, and give back where it is.

    The file needs no network and holds no rows. `command` is the line that repeats it, where there is one.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file: give a path that ends in .html, not {target.name!r}")
    if not target.parent.exists():
        raise InputError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into")
    ev = evaluate(source) if isinstance(source, Predictions) else source
    if not isinstance(ev, Evaluation):
        raise InputError(f"a report is made of predictions or an evaluation, not of {type(source).__name__}")
    target.write_text(render(ev, title or "How good are these models, really?", command), encoding="utf-8")
    return target


def render(ev: Evaluation, title: str, command: str = "") -> str:
    """The page as text; every name is escaped by the template."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("trueerror.reports", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    style = environment.loader.get_source(environment, "style.css")[0]  # type: ignore[union-attr]
    return environment.get_template("report.html").render(
        title=title,
        verdicts=[" ".join(verdict(part).split()) for part in ev.parts],
        reading=ev.reading,
        estimand=ev.estimand,
        sections=list(_sections(ev)),
        findings=list(ev.findings),
        explained=str(ev.explain()),
        settings=ev.settings,
        command=command,
        versions=f"trueerror {__version__}, Python {platform.python_version()}",
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def _sections(ev: Evaluation) -> Iterator[Section]:
    pictures = (("Metrics with their intervals", _picture(ev)),)
    yield Section("models", "The models, with intervals", (_html(overall_table(ev)),), pictures)
    for i, part in enumerate(ev.parts):
        if part.confusion is None:
            continue
        single = ev.model(part.name)
        tables = [_html(overall_table(single))] if len(ev.parts) > 1 else []
        if len(part.confusion.labels) > 2 or part.positive is None:
            tables.append(_html(class_table(part)))
        shown = ((f"Confusion matrix of {part.name}: rows are the truth", _picture(part.confusion)),)
        yield Section(f"model-{i + 1}", part.name, tuple(tables), shown)
    if ev.slices:
        yield Section("slices", "By slice", (_html(slice_table(ev)),))


def _html(table: Table) -> str:
    from markupsafe import Markup

    return Markup(table._repr_html_())  # every cell was escaped by the table itself


def _picture(result: Any) -> str:
    """A picture as an image that cannot run scripts: SVG behind a data address."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(result.plot().to_dict())
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
