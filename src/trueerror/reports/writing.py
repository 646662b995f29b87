"""The page as text: the template filled in, with a policy that lets it load nothing and run only its own script."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from markupsafe import Markup

from trueerror.findings.finding import UNNAMED, Finding, grouped, sorted_findings
from trueerror.findings.rules import every_rule
from trueerror.plots.saving import script_safe
from trueerror.reports.contents import Contents
from trueerror.reports.markup import brief, named
from trueerror.reports.methods_words import entries, paragraph, versions
from trueerror.reports.pictures import Gallery
from trueerror.results.words import listing

SCRIPTS = ("words.js", "page.js", "hover.js", "explorer.js")
SIGNS = {"error": "✖", "warning": "!", "note": "i"}
# Names that a finding lists before it says how many more there are.
MOST_ABOUT = 6
# Findings of one code that are listed.
MOST_LINES = 60


def write_page(contents: Contents, gallery: Gallery, *, title: str | None, command: str) -> str:
    """The whole page; every name is escaped by the template or was escaped by `el`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("trueerror.reports", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    def source(name: str) -> str:
        return loader.get_source(environment, name)[0]

    style, script = source("style.css"), "\n".join(source(name) for name in SCRIPTS)
    c = contents
    return environment.get_template("report.html").render(
        c=c,
        title=title or c.title,
        command=command,
        versions=versions(),
        findings=shown_findings(c.findings, c.names),
        verdicts=[(surety, brief(words, c.names)) for surety, words in c.verdicts],
        next_step=brief(c.next_step, c.names),
        reading=brief(c.reading, c.names),
        paragraph=c.paragraph or paragraph(c.reading, c.estimand, c.used, _seeded(c.settings), c.confidence),
        entries=entries(c.used, c.why),
        settings={k: v for k, v in c.settings.items() if v not in (None, "", ())},
        style=Markup(style),
        script=Markup(script),
        policy=policy(style, script),
        hover=Markup(script_safe(gallery.hover)) if gallery.hover else "",
        explorer=Markup(script_safe(c.explorer)) if c.explorer else "",
    )


def policy(style: str, script: str) -> str:
    """Nothing is loaded, nothing runs but this style and this script, and no text is ever read as markup."""
    return (
        f"default-src 'none'; img-src data:; style-src 'sha256-{_digest(style)}'; "
        f"script-src 'sha256-{_digest(script)}'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _seeded(settings: Any) -> dict[str, Any]:
    seed = settings.get("seed")
    return {} if seed is None else {"seed": f"seed {seed}"}


def shown_findings(findings: tuple[Finding, ...], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Findings of one code together, worst first, each code with what to do and why it matters."""
    rules = every_rule()
    by_code: dict[str, list[tuple[Finding, tuple[str, ...]]]] = {}
    for f, about in grouped(sorted_findings(list(findings))):
        by_code.setdefault(f.code, []).append((f, about))
    out = []
    for code, found in by_code.items():
        first, rule = found[0][0], rules.get(code)
        lines = [_line(f, about, names) for f, about in found]
        more = f" – and {len(lines) - 1} more of this kind" if len(lines) > 1 else ""
        out.append(
            {
                "code": code, "severity": first.severity, "sign": SIGNS[first.severity], "line": lines[0] + more,
                "lines": lines[:MOST_LINES] if len(lines) > 1 else [], "fix": first.fix,
                "why": "" if rule is None else " ".join(rule.why.split()),
            }
        )  # fmt: skip
    return out


def _line(f: Finding, about: tuple[str, ...], names: tuple[str, ...]) -> str:
    who = [brief(named(a), names) for a in about if a != UNNAMED]
    more = [f"{len(who) - MOST_ABOUT} more"] if len(who) > MOST_ABOUT else []
    shown = listing(who[:MOST_ABOUT] + more) + ": " if who else ""
    return shown + brief(f.message, names)
