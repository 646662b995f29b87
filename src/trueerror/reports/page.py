"""`te.report`: one self-contained HTML file that opens offline and makes no request."""

from __future__ import annotations

import base64
import hashlib
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from trueerror.findings.finding import grouped
from trueerror.inputs.errors import InputError
from trueerror.results.tables import Table
from trueerror.rows.predictions import Predictions
from trueerror.significance.ranking import Ranking
from trueerror.verbs.comparing import compare
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.comparison_words import differences_table, leader_contrasts
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
    """Write an HTML report of predictions, an evaluation or a comparison, and give back where it is.

    The file needs no network and holds no rows. `command` is the line that repeats it, where there is one.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file: give a path that ends in .html, not {target.name!r}")
    if not target.parent.exists():
        raise InputError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into")
    if isinstance(source, Ranking):
        page = render_ranking(source, title or "Which learner is best over these data sets?", command)
    else:
        ev, cmp = _contents(source)
        page = render(ev, cmp, title or "How good are these models, really?", command)
    target.write_text(page, encoding="utf-8")
    return target


def _contents(source: Any) -> tuple[Evaluation | None, Comparison | None]:
    """What a source can show: how good each model is, and which one is better."""
    if isinstance(source, Predictions):
        several = len(source.models) > 1 and all(source.can_call(m) for m in source.models)
        return evaluate(source), compare(source) if several else None
    if isinstance(source, Evaluation):
        return source, None
    if isinstance(source, Comparison):
        return None, source
    known = "predictions, an evaluation, a comparison or a ranking"
    raise InputError(f"a report is made of {known}, not of {type(source).__name__}")


def render(ev: Evaluation | None, cmp: Comparison | None, title: str, command: str = "") -> str:
    """The page as text; every name is escaped by the template."""
    shown = cmp if ev is None else ev
    assert shown is not None
    return fill_page(
        title=title,
        verdicts=_verdicts(ev, cmp),
        reading=shown.reading,
        estimand=shown.estimand,
        sections=[*_compared(cmp), *_sections(ev)],
        findings=grouped([*(cmp.findings if cmp else ()), *(ev.findings if ev else ())]),
        explained="\n\n".join(str(x.explain()) for x in (cmp, ev) if x is not None),
        settings={} if ev is None else ev.settings,
        command=command,
    )


def render_ranking(ranking: Ranking, title: str, command: str = "") -> str:
    """The page of a ranking of learners over data sets."""
    verdict_, _, rest = str(ranking).partition("\n\n")
    picture = (("Mean ranks, and who cannot be told apart", _picture(ranking)),)
    return fill_page(
        title=title,
        verdicts=[" ".join(part.split()) for part in rest.split("\n\n")[:1]],
        reading=verdict_,
        estimand="Estimates: these learners on data sets like these.",
        sections=[Section("ranks", "Mean ranks", (_html(ranking._table()),), picture)],
        findings=grouped(getattr(ranking, "findings", ())),
        explained=str(ranking.explain()),
        settings={},
        command=command,
    )


def fill_page(**parts: Any) -> str:
    """The template filled in; every name is escaped by it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("trueerror.reports", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    style = loader.get_source(environment, "style.css")[0]
    return environment.get_template("report.html").render(
        versions=f"trueerror {__version__}, Python {platform.python_version()}",
        style=style,
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        **parts,
    )


def _verdicts(ev: Evaluation | None, cmp: Comparison | None) -> list[str]:
    """The comparison's verdict where there is one, else each model's."""
    if cmp is not None:
        return [cmp.verdict, *([f"Next: {cmp.next_step}"] if cmp.next_step else [])]
    assert ev is not None
    return [" ".join(verdict(part).split()) for part in ev.parts]


def _compared(cmp: Comparison | None) -> Iterator[Section]:
    if cmp is None:
        return
    picture = ((f"Differences in {cmp.title} from the leader, with their intervals", _picture(leader_contrasts(cmp))),)
    tables = [_html(differences_table(cmp))] + ([_html(cmp.wins())] if 2 < len(cmp.models) <= 12 else [])
    yield Section("differences", "Differences", tuple(tables), picture)


def _sections(ev: Evaluation | None) -> Iterator[Section]:
    if ev is None:
        return
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
    from trueerror.plots import spec
    from trueerror.plots.saving import to_bytes

    return "data:image/svg+xml;base64," + base64.b64encode(to_bytes(spec(result), ".svg")).decode()
