"""Make the documentation: pages written by people, pages made from the code, pictures and a sample report → `site/`.

    python docs/build.py              the site; warnings are errors
    python docs/build.py --parameters the lists of parameters that help shows, which are committed; nothing else
    python docs/build.py --examples   also the output shown in the written pages and the README's picture, which are
                                      committed, by running their examples

Written and generated pages meet in a folder of sources (`build/docs`), from which Sphinx makes the site. Only written
pages are committed. `tests/docs/` runs the examples, and builds the site.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PARAMETERS = ROOT / "src" / "trueerror" / "inputs" / "parameters.json"
sys.path.insert(0, str(DOCS))

# Heads of the site in their order, with what the bar shows; a head is there when its page is.
HEADS = {
    "tutorial/index": "Start",
    "which-test": "Which test?",
    "howto/index": "How to",
    "learn/index": "Learn",
    "calculators/index": "Calculators",
    "gallery": "Gallery",
    "reference/index": "Reference",
    "explain/index": "Concepts",
    "from/index": "Coming from",
}
KEYWORDS = re.compile(r"^<!-- keywords: (.*?) -->\n+", re.MULTILINE | re.DOTALL)
FILES = (".svg", ".png", ".webp", ".css", ".js", ".html", ".json", ".csv")


def written() -> dict[str, str]:
    """The pages that people write, by name; notes on decisions have no examples that are run."""
    pages = (p for p in sorted(DOCS.rglob("*.md")))
    return {p.relative_to(DOCS).as_posix(): p.read_text(encoding="utf-8") for p in pages}


def with_examples() -> list[Path]:
    """The written pages whose examples are run, and the README."""
    return [ROOT / "README.md", *(DOCS / name for name in written() if not name.startswith("decisions/"))]


def generated() -> dict[str, str]:
    """Page → text, from the code."""
    from making.findings import findings_page
    from making.gallery import gallery_page
    from making.interface import interface_pages
    from making.knowledge import decisions_page, methods_page, metrics_page
    from making.notes import notes_page
    from making.programs import commands_page
    from making.schema import schema_page
    from making.screenshots import reports_page
    from making.sections import reference_page
    from making.tree import tree_page

    return {
        "which-test.md": tree_page(),
        "gallery.md": gallery_page(),
        "howto/reports-of-every-kind.md": reports_page(),
        "reference/index.md": reference_page(),
        "reference/metrics.md": metrics_page(),
        "reference/methods.md": methods_page(),
        "reference/decisions.md": decisions_page(),
        **interface_pages(written()),
        "reference/command-line.md": commands_page(),
        "reference/findings.md": findings_page(),
        "reference/json.md": schema_page(),
        "decisions/index.md": notes_page(DOCS / "decisions"),
    }


def stage(sources: Path) -> None:
    """Write all that Sphinx reads; a file that is the same keeps its date, so that only what changed is made anew."""
    from making import gallery, pictures, schema
    from making.examples import pictures as own_pictures
    from making.markdown import toctree

    pages = {**written(), **generated()}
    heads = [f"{title} <{name}>" for name, title in HEADS.items() if f"{name}.md" in pages]
    pages["index.md"] += "\n" + toctree(*heads, hidden=True) + "\n"
    made: dict[str, bytes] = {}
    about: dict[str, dict[str, object]] = {}
    for name, text in pages.items():
        found = KEYWORDS.search(text)
        words = [w.strip() for w in found[1].split(";")] if found else []
        plain = KEYWORDS.sub("", text)
        sentence = first_sentence(plain)
        about[name.removesuffix(".md")] = {"about": sentence, "keywords": words}
        made[name] = (front_matter(sentence, words) + plain).encode()
        folder = Path(name).parent
        if name in written() and not name.startswith("decisions/"):
            made |= {(folder / file).as_posix(): held for file, held in own_pictures(text).items()}
    made |= {f"pictures/{name}.svg": pictures.figure(name).svg.encode() for name in pictures.PICTURES}
    made |= gallery.drawn()
    made["_extra/sample-report.html"] = sample_report()
    made["_extra/trueerror-1.schema.json"] = schema.FILE.read_bytes()
    made |= {p.relative_to(DOCS).as_posix(): p.read_bytes() for p in DOCS.rglob("*") if p.suffix in FILES}
    # Scripts of single pages are taken over as they are, beside those pages.
    made |= {
        f"_extra/{name}": held
        for name, held in made.items()
        if name.startswith(("calculators/", "learn/")) and name.endswith(".js")
    }
    made["_static/pages.js"] = f"var PAGES = {json.dumps(about, ensure_ascii=False)};\n".encode()
    made["conf.py"] = (DOCS / "conf.py").read_bytes()
    sources.mkdir(parents=True, exist_ok=True)
    for path in sources.rglob("*"):
        if path.is_file() and path.relative_to(sources).as_posix() not in made:
            path.unlink()
    for name, held in made.items():
        write(sources / name, held)


def sample_report() -> bytes:
    """The report of the bundled predictions, as the front page shows it."""
    import trueerror as te

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        command = "trueerror report breast_cancer.csv --positive malignant --cost-fn 10"
        te.report(te.data.path("breast_cancer"), path, positive="malignant", cost_fn=10, rng=0, command=command)
        return path.read_bytes()


def first_sentence(text: str) -> str:
    """What a page says first, without marks: shown beside it in search and to other sites."""
    for block in re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).split("\n\n"):
        line = " ".join(block.split())
        if line and line[0] not in "#`:<|(!$-+{>" and not line.startswith("**"):
            line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line).replace("`", "").replace("*", "").replace("\\", "")
            first, *more = re.split(r"(?<=[.?!])\s", line)
            return first if len(first) > 60 or not more else f"{first} {more[0]}"
    return ""


def front_matter(sentence: str, words: list[str]) -> str:
    """Description and keywords of a page, for its head and for the search."""
    single = sorted({w for phrase in words for w in re.findall(r"\w[\w'-]*", phrase)})
    meta = {k: v for k, v in {"description": sentence, "keywords": ", ".join(single)}.items() if v}
    return f"---\nmyst:\n  html_meta: {json.dumps(meta, ensure_ascii=False)}\n---\n\n" if meta else ""


def write(path: Path, held: bytes) -> bool:
    """Write a file unless it holds that already."""
    if path.exists() and path.read_bytes() == held:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(held)
    return True


def site(sources: Path, target: Path) -> int:
    """Make the site from its sources, with warnings as errors; 0 when all is well."""
    from sphinx.cmd.build import build_main

    words = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(sources.parent / "doctrees")]
    return int(build_main([*words, str(sources), str(target)]))


def examples() -> None:
    """Put what the examples really print into the written pages, and draw the README's picture."""
    from making.examples import real
    from making.pictures import draw

    made = {page: real(page.read_text(encoding="utf-8")).encode() for page in with_examples()}
    made |= {path: draw(path.stem).encode() for path in (DOCS / "pictures").glob("*.svg")}
    for path, held in made.items():
        if write(path, held):
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")


def main() -> int:
    """Make everything."""
    parser = argparse.ArgumentParser(description="Make the documentation.")
    parser.add_argument("--examples", action="store_true", help="run the examples and write what they print")
    parser.add_argument("--parameters", action="store_true", help="only the lists of parameters that help shows")
    parser.add_argument("--out", type=Path, default=ROOT / "site", help="folder of the site")
    parser.add_argument("--sources", type=Path, default=ROOT / "build" / "docs", help="folder of the sources")
    asked = parser.parse_args()
    if asked.parameters:
        from making.interface import help_lists

        return 0 * write(PARAMETERS, help_lists().encode())
    if asked.examples:
        examples()
    shutil.rmtree(asked.out, ignore_errors=True)
    stage(asked.sources)
    return site(asked.sources, asked.out)


if __name__ == "__main__":
    sys.exit(main())
