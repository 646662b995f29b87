"""`te.report`: one self-contained HTML file that opens offline and makes no request.

The page as text: the template filled in, with a policy that lets it load nothing and run only its own script.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from trueerror.experiments._experiment import Experiment
from trueerror.findings._rules import UNNAMED, Finding, by_message, every_rule, sorted_findings
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._groups import TABLE_OPTIONS, Group, asked_by, further, option
from trueerror.inputs._options import InputError, check_confidence
from trueerror.plots._style import DARK, LIGHT
from trueerror.plots.svg._elements import colours, rules, source_hash
from trueerror.reports._contents import Contents, ReportOptions, Said, Sayings, entries, paragraph, software
from trueerror.reports._html import Gallery, clipped, packed_hover, unwrapped
from trueerror.reports._learners import about_experiment, about_ranking
from trueerror.reports._models import about_comparison, about_evaluation, about_predictions, about_result, is_result
from trueerror.results import Result
from trueerror.results._files import write_file
from trueerror.results._format import CONTROLS, brief, listing, some, unbroken
from trueerror.sources._collect import opened, option_word, takes_whole_rows
from trueerror.sources._predictions import Predictions
from trueerror.sources._table_types import is_table
from trueerror.verbs._comparison import Comparison
from trueerror.verbs._evaluation import Evaluation
from trueerror.version import __version__

STYLES = ("style.css", "charts.css")
SCRIPTS = ("words.js", "page.js", "hover.js", "explorer.js")
NOT_LIGHT, BY_HAND = ':root:not([data-theme="light"])', ':root[data-theme="dark"]'
SIGNS = {"error": "✖", "warning": "!", "note": "i"}
# Names that a finding lists before it says how many more there are.
MOST_ABOUT = 6
# Findings of one code that are listed.
MOST_LINES = 60


def write_page(contents: Contents, gallery: Gallery, *, title: str | None, command: str, file: str = "") -> str:
    """The whole page; every name is escaped by the template or was escaped by `el`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("trueerror.reports", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    # Figures and their units stay on one line.
    environment.filters["tied"] = lambda text: unbroken(text).replace("…", "…\u2060")

    def source(name: str) -> str:
        lines = [line.strip() for line in loader.get_source(environment, name)[0].splitlines()]
        return "\n".join(line for line in lines if line and not line.startswith("//"))

    style = picture_style() + "\n".join(source(name) for name in STYLES)
    script = "\n".join(source(name) for name in SCRIPTS)
    c = contents
    parts = {"hover": packed_hover(gallery.hover), "explorer": c.explorer, "pairs": gallery.pairs}
    data = {key: part for key, part in parts.items() if part}
    answers = [_brief_answer(a, c.names) for a in c.verdicts]
    page = environment.get_template("report.html").render(
        c=c,
        title=title or c.title,
        # Tabs and the history tell pages by what they found.
        tab=" · ".join(filter(None, (title or answers[0].headline or c.title, clipped(file)))),
        command=command,
        versions=software(),
        findings=shown_findings(c.findings, c.names, " ".join(a.but for a in c.verdicts)),
        answers=answers,
        description=preview_words(answers),
        provenance=provenance(file),
        results=Markup(packed(results_json(c.results))) if c.results else "",
        next_step=brief(c.next_step, c.names),
        reading=brief(c.reading, c.names),
        left_off=_left_off(c),
        paragraph=c.paragraph or paragraph(c),
        entries=entries(c.used, c.why),
        settings={k: v for k, v in c.settings.items() if v not in (None, "", ())},
        style=Markup(style),
        script=Markup(script),
        policy=policy(style, script),
        data=Markup(packed(json.dumps(data, ensure_ascii=False, separators=(",", ":")))) if data else "",
    )
    return CONTROLS.sub(" ", page)


def _left_off(c: Contents) -> str:
    """What only the screen shows."""
    titles = [s.title.partition(":")[0] for s in c.then if s.screen]
    if c.explorer is not None:
        titles.append("sliders and threshold table")
    return listing([t[:1].lower() + t[1:] if i else t for i, t in enumerate(titles)])


# A verdict of so many characters is a headline by itself.
SHORT = 110


def _brief_answer(a: Said, names: tuple[str, ...]) -> Said:
    head, words = brief(a.headline, names), brief(a.words, names)
    if not head and len(words) <= SHORT:
        head, words = words, ""
    return replace(a, headline=head, words=words, but=brief(a.but, names))


# What a preview of the page in a chat or a search shows.
MOST_DESCRIBED = 300


def preview_words(answers: Sequence[Said]) -> str:
    """The verdict in as many characters as previews show."""
    words = " ".join(part for a in answers for part in (f"{a.headline}." if a.headline else "", a.words, a.but) if part)
    return words if len(words) <= MOST_DESCRIBED else words[: MOST_DESCRIBED - 1].rsplit(" ", 1)[0] + "…"


def provenance(file: str) -> list[str]:
    """Where the figures are from: the file, the day and the version."""
    return [part for part in (clipped(file), date.today().isoformat(), f"trueerror {__version__}") if part]


def packed(text: str) -> str:
    """Text that the page's script unpacks: in base 85, without the sign that opens tags."""
    return base64.b85encode(gzip.compress(text.encode(errors="backslashreplace"), mtime=0)).decode().replace("<", ".")


def results_json(results: Sequence[tuple[str, Result]]) -> str:
    """The results as JSON, for whoever wants to compute with them; of fractions eight digits.

    >>> from trueerror.results import Interval
    >>> results_json([("x", Interval(estimate=1 / 3, low=0.1, high=2e8 / 3))])
    '{"x": {... "estimate": 0.33333333, "low": 0.1, "high": 66666667.0, ...'
    """
    read = [
        json.loads(result.to_json(indent=None), parse_float=lambda x: float(f"{float(x):.8g}")) for _, result in results
    ]
    return json.dumps(dict(zip((name for name, _ in results), read, strict=True)))


def policy(style: str, script: str) -> str:
    """Nothing is loaded, nothing runs but this style and this script, and no text is ever read as markup."""
    return (
        f"default-src 'none'; style-src 'sha256-{source_hash(style)}'; "
        f"script-src 'sha256-{source_hash(script)}'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def picture_style() -> str:
    """The style of pictures, in the page's light and dark colours."""
    by_system = f"@media screen and (prefers-color-scheme: dark) {{ {colours(NOT_LIGHT, DARK)}}}\n"
    by_hand = f"@media screen {{ {colours(BY_HAND, DARK)}}}\n"
    return colours(":root", LIGHT) + by_system + by_hand + rules()


def shown_findings(findings: tuple[Finding, ...], names: tuple[str, ...], said: str = "") -> list[dict[str, object]]:
    """Findings of one code together, worst first, with what to do and why; what was `said` is not repeated."""
    rules = every_rule()
    by_code: dict[str, list[tuple[Finding, tuple[str, ...]]]] = {}
    for f, about in by_message(sorted_findings(list(findings))):
        by_code.setdefault(f.code, []).append((f, about))
    out: list[dict[str, object]] = []
    for code, group in by_code.items():
        first, rule = group[0][0], rules.get(code)
        lines = [_line(f, about, names) for f, about in group if f.message not in said] or ["see the verdict"]
        more = f" – and {len(lines) - 1} more of this kind" if len(lines) > 1 else ""
        out.append(
            {
                "code": code, "severity": first.severity, "sign": SIGNS[first.severity], "line": lines[0] + more,
                "lines": lines[:MOST_LINES] if len(lines) > 1 else [], "fix": first.fix,
                "why": "" if rule is None else unwrapped(rule.why),
            }
        )  # fmt: skip
    return out


def _line(f: Finding, about: tuple[str, ...], names: tuple[str, ...]) -> str:
    who = [clipped(brief(a, names)) for a in about if a != UNNAMED]
    return (some(who, MOST_ABOUT) + ": " if who else "") + brief(f.message, names)


# The first kind that fits speaks; a result of another kind shows its own words, picture and table.
KINDS: tuple[tuple[type, Callable[..., Contents]], ...] = (
    (Predictions, about_predictions),
    (Evaluation, about_evaluation),
    (Comparison, about_comparison),
    (Experiment, about_experiment),
    (Ranking, about_ranking),
)


@dataclass(frozen=True, eq=False, repr=False)
class PageByPlace(Group):
    """What may be given by its place."""

    source: Any = option(None, "Predictions, a result, a path or a table.")
    path: str | Path = option("report.html", "Where to write the page (.html).")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reporting(ReportOptions, PageByPlace):
    """What `te.report` is asked."""

    title: str | None = option(None, "The page's heading.")
    also: object = option((), "Further results to show beneath: one, a list, or a dictionary by heading.")
    command: str = option("", "The line that repeats it, for the page.")
    file: str = option("", "What the rows came from, for the page.")
    columns: Mapping[str, Any] = further(TABLE_OPTIONS)


@takes_whole_rows()
@asked_by(Reporting)
def report(asked: Reporting) -> Path:
    """Write an HTML report of predictions, an evaluation, a comparison, an experiment, a ranking or any other result.

    `source` may also be a path or a table of predictions: `columns` then go to `te.read` (`truth=`, `models=`,
    `positive=`, …), and `positive=` names the positive class of predictions that were read already.
    Predictions are judged by `metric` (accuracy, or with `costs` the expected cost of the calls), or, where `cost_fp`
    or `cost_fn` is given, by what their errors cost at the threshold that they name (with `prior`, at another class
    mix), as `te.compare` does; `ignore` silences findings by their codes. The file needs no
    network and holds no rows. `also` are further results to show beneath, such as a learning curve:
    one, a list, or a dictionary by heading. `command` is the line that repeats it, `file` what the rows came from
    (known where `source` is a path): the page names both.
    """
    names = {name: getattr(asked, name) for name in ("title", "also", "command", "file")}
    return written_report(asked.source, asked.path, asked, asked.columns, **names)[0]


def written_report(
    source: Any,
    path: str | Path,
    asked: ReportOptions,
    columns: Mapping[str, Any],
    *,
    title: str | None = None,
    also: object = (),
    command: str = "",
    file: str = "",
) -> tuple[Path, Sayings]:
    """The page, and its verdicts."""
    check_confidence(asked.confidence)
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file: give a path that ends in .html, not {target.name!r}")
    if not target.parent.exists():
        raise InputError(f"there is no folder {str(target.parent)!r} to write {target.name!r} into")
    file = file or (Path(source).name if isinstance(source, str | PathLike) else "")
    source = _opened(source, columns)
    gallery = Gallery()
    contents = _contents(source, gallery, asked)
    for i, (heading, result) in enumerate(_named(also), start=1):
        contents = contents.beside(about_result(result, gallery, key=f"also-{i}", title=heading))
    contents = replace(contents, findings=tuple(f for f in contents.findings if f.code not in asked.ignore))
    page = write_page(contents, gallery, title=title, command=command, file=file)
    return write_file(target, page), contents.verdicts


def _opened(source: Any, columns: Mapping[str, Any]) -> Any:
    """Files and tables as predictions; all else as it is, without a word about columns."""
    paths = isinstance(source, list | tuple) and bool(source) and all(isinstance(p, str | PathLike) for p in source)
    if (isinstance(source, str | PathLike | Mapping) and not isinstance(source, Result)) or paths or is_table(source):
        return opened(source, **columns)
    given = {option_word(option): value for option, value in columns.items()}
    if isinstance(source, Predictions) and "positive" in given:
        source = source.with_positive(given.pop("positive"))
    if given:
        clause = "these predictions were read" if isinstance(source, Predictions) else "this was judged"
        raise InputError(f"{next(iter(given))}= says how to read a file or a table, but {clause} already")
    return source


def _contents(source: object, gallery: Gallery, asked: ReportOptions) -> Contents:
    for kind, about in KINDS:
        if isinstance(source, kind):
            return about(source, gallery, asked)
    if is_result(source):
        asked.refuse("this result", allowed=("ignore",))
        return about_result(source, gallery)
    known = "a path, a table, predictions, an evaluation, a comparison, an experiment, a ranking or another result"
    raise InputError(f"a report is made of {known}, not of {type(source).__name__}")


def _named(also: object) -> list[tuple[str, Result]]:
    if isinstance(also, Mapping):
        given = [(str(heading), result) for heading, result in also.items()]
    else:
        given = [("", result) for result in (also if isinstance(also, list | tuple) else [also])]
    for _, result in given:
        if not is_result(result):
            raise InputError(f"also= shows results, not {type(result).__name__}")
    return given
