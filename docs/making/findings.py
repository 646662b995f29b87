"""The reference page of findings, from the rules themselves: code, title, severity, why, and what to do."""

from __future__ import annotations

import inspect

from making.markdown import cell, page, table
from trueerror.findings import every_rule

FAMILIES = {
    "1": "The rows",
    "2": "Estimates and intervals",
    "3": "Scores, probabilities and thresholds",
    "4": "Comparisons",
    "5": "Learners, and rankings over data sets",
}
HEAD = """\
Findings say what a reader of an evaluation should know before believing it. Each has a code that does not change, a
severity (note, warning or error), the numbers behind it, and what to do. They come with every result
(`ev.findings`, `cmp.findings`), from `te.check(source)` and from the command line:

```bash
trueerror check preds.csv --fail-on warning --ignore TE103
```

The exit code is 1 when there is a finding of the chosen severity or worse (`--fail-on`, by default `error`). Rules look
at counts, never at rows, so they cost next to nothing, and none fires in more than 5 % of clean simulated samples."""


def findings_page() -> str:
    """Every rule, under an anchor that is its code: `findings.html#te204`."""
    rules = every_rule()
    parts = [
        HEAD,
        table(
            ("code", "severity", "finding"),
            ((f"[{c}](#{c.lower()})", r.severity, cell(r.title)) for c, r in rules.items()),
        ),
    ]
    family = ""
    for code, rule in rules.items():
        if code[2] != family:
            family = code[2]
            parts.append(f"## {FAMILIES.get(family, family)}")
        why = inspect.cleandoc(rule.check.__doc__ or "")
        parts += [f"({code.lower()})=", f"### {code}: {cell(rule.title)}", f"*{rule.severity}*", why]
        parts.append(f"**What to do.** {rule.fix}")
    return page("Findings", *parts, keywords=["findings", "warnings", "codes", *rules])
