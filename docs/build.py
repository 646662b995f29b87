"""Make the generated parts of the documentation, which are committed like the written ones.

    python docs/build.py              reference pages and pictures
    python docs/build.py --examples   also the output shown in the written pages, by running their examples

`tests/docs/` checks that both are up to date. `mkdocs build --strict` then makes the site.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
GENERATED = ("reference", "findings.md", "decisions")
sys.path.insert(0, str(DOCS))


def reference() -> dict[str, str]:
    """Page → text, from the code."""
    from making.interface import interface_page
    from making.knowledge import decisions_page, methods_page, metrics_page
    from making.notes import notes_page
    from making.programs import commands_page

    return {
        "reference/metrics.md": metrics_page(),
        "reference/methods.md": methods_page(),
        "reference/decisions.md": decisions_page(),
        "reference/api.md": interface_page(),
        "reference/command-line.md": commands_page(),
        "decisions/index.md": notes_page(DOCS / "decisions"),
    }


def written() -> list[Path]:
    """The pages that people write, whose examples are run."""
    return [p for p in sorted(DOCS.rglob("*.md")) if p.relative_to(DOCS).parts[0] not in GENERATED]


def main() -> None:
    """Make everything, and say what changed."""
    parser = argparse.ArgumentParser(description="Make the generated parts of the documentation.")
    parser.add_argument("--examples", action="store_true", help="run the examples and write what they print")
    asked = parser.parse_args()
    made = {DOCS / name: text for name, text in reference().items()}
    from making import pictures

    for name in pictures.PICTURES:
        path = DOCS / "pictures" / f"{name}.svg"
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if pictures.shown_figures(old) != pictures.fingerprint(pictures.figure(name).picture):
            made[path] = pictures.draw(name)
    if asked.examples:
        from making.examples import real

        for page in written():
            made[page] = real(page.read_text(encoding="utf-8"))
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
    findings = DOCS / "build_findings.py"
    if findings.exists():
        runpy.run_path(str(findings), run_name="__main__")


if __name__ == "__main__":
    main()
