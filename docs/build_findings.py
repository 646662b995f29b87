"""Write docs/findings.md from the rules themselves: code, title, severity, why, and what to do."""

from __future__ import annotations

import inspect
from pathlib import Path

from trueerror.findings import every_rule

PAGE = Path(__file__).with_name("findings.md")
FAMILIES = {
    "1": "The rows",
    "2": "Estimates and intervals",
    "3": "Scores, probabilities and thresholds",
    "4": "Comparisons",
    "5": "Learners, and rankings over data sets",
}
HEAD = """\
# Findings

Findings say what a reader of an evaluation should know before believing it. Each has a code that does not change, a
severity (note, warning or error), the numbers behind it, and what to do. They come with every result
(`ev.findings`, `cmp.findings`), from `te.check(source)` and from the command line:

    trueerror check preds.csv --fail-on warning --ignore TE103

The exit code is 1 when there is a finding of the chosen severity or worse (`--fail-on`, by default `error`). Rules look
at counts, never at rows, so they cost next to nothing, and none fires in more than 5 % of clean simulated samples.

This page is written by `docs/build_findings.py` from the rules themselves.
"""


def page() -> str:
    """The whole page."""
    blocks = [HEAD, _overview()]
    family = ""
    for code, rule in every_rule().items():
        if code[2] != family:
            family = code[2]
            blocks.append(f"## {FAMILIES[family]}\n")
        why = inspect.cleandoc(rule.check.__doc__ or "")
        blocks.append(f"### {code}: {rule.title}\n\n*{rule.severity}*\n\n{why}\n\n**What to do.** {rule.fix}\n")
    return "\n".join(blocks)


def _overview() -> str:
    rows = [f"| [{code}](#{_anchor(code, rule.title)}) | {rule.severity} | {rule.title} |"
            for code, rule in every_rule().items()]  # fmt: skip
    return "\n".join(["| code | severity | finding |", "| --- | --- | --- |", *rows, ""])


def _anchor(code: str, title: str) -> str:
    """The heading's anchor as mkdocs makes it: lower case, words joined by dashes, signs left out."""
    kept = "".join(c if c.isalnum() or c in " -_" else "" for c in f"{code}: {title}".lower())
    return "-".join(kept.split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
