"""The dropped words of docs/words.md do not come back: in the code's strings, the report, frozen answers or pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Pages that speak of the words themselves or of the past.
SPARED = ("docs/words.md", "docs/migration", "docs/decisions/", "docs/from/")
PLACES = {
    "src": ("py", "js", "html"),
    "tests/golden": ("json",),
    "docs": ("md", "js", "toml"),
    "examples": ("py", "toml", "ipynb"),
}

# What the table says is dropped → where it is found; a row of the table has one or more of these.
DROPPED = {
    "told apart": r"\btold apart\b|\btells? (?:them|the two) apart\b",
    "plausibly": r"\bplausibly\b",
    "from 0.091 up": r"\b(?:call|flag|use|cut|positive)\w*\b.{0,40}\bfrom \S{1,40} up\b",
    "out of the bag": r"\bout of the bag\b",
    "dearer": r"\bdearer\b",
    "that is real": r"\bthat is real\b|\bdifference is real\b",
    "beyond chance": r"\bbeyond chance\b",
    "proven": r"\bproven\b",
    "beyond doubt": r"\bbeyond doubt\b",
    "hold as probabilities": r"\bhold as probabilit",
    "test parts": r"\btest parts?\b",
    "dealt": r"\bfolds?\b.{0,30}\bdealt\b|\bdeals? parts\b",
    "times in 100": r"\b(?:find|show|detect)\w*\b.{0,80}\btimes in 100\b",
    "cannot tell which is better": r"\bcannot tell (?:which is better|whether)\b",
    "few errors of order": r"\berrors of order\b",
    "call nothing": r"\bcall (?:nothing|everything)\b",
    "not called": r"\bnot called\b",
    "Read 285 rows (": r"\bread [\d,]+ rows \(",
    "worth about 89": r"\bworth about \S+ independent\b|\brows' worth\b",
    "show them to be alike": r"\bshow them to be alike\b",
    "error less": r"\berror less training\b",
    "flattered": r"\ba little flattered\b",
}


def _said(path: Path) -> Iterator[str]:
    """The strings of Python, docstrings among them; of other files all of it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _dropped(text: str) -> list[str]:
    plain = " ".join(text.split())
    found = [re.search(pattern, plain, re.IGNORECASE) for pattern in DROPPED.values()]
    return [plain[max(0, m.start() - 40) : m.end() + 20] for m in found if m]


def _files(folder: str) -> list[Path]:
    files = [p for end in PLACES[folder] for p in sorted((ROOT / folder).rglob(f"*.{end}"))]
    files += [ROOT / "README.md"] if folder == "docs" else []
    return [p for p in files if not p.relative_to(ROOT).as_posix().startswith(SPARED)]


@pytest.mark.parametrize("folder", PLACES)
def test_no_dropped_word_is_said(folder: str) -> None:
    found = [
        f"{p.relative_to(ROOT)}: …{words}…" for p in _files(folder) for text in _said(p) for words in _dropped(text)
    ]
    assert not found, "\n".join(found)


def test_the_table_names_every_dropped_word() -> None:
    """The page lists what is looked for, and each way to find a word finds it in the page."""
    page = " ".join((ROOT / "docs/words.md").read_text(encoding="utf-8").split())
    assert [word for word in DROPPED if word not in page] == []
    unseen = [word for word, pattern in DROPPED.items() if not re.search(pattern, page, re.IGNORECASE)]
    assert unseen == []


# "By AUC: …" names the other main metric, as people say it; titles are no sentences.
INVERTED = re.compile(r"(?:^|[.!?] )(?:Of|By|Where) (?!\{}:)[a-z0-9`{]")
TITLES = ("Where to write", "Where the error comes from", "By slice", "By {}: {} have the same estimate")


def test_no_sentence_of_an_answer_opens_with_of_by_or_where() -> None:
    """Subject, verb, object: what people read in messages, findings, help and results."""
    found = [
        f"{path.relative_to(ROOT)}: {text[:90]}"
        for path in _files("src")
        if path.suffix == ".py"
        for text in _messages(path)
        if INVERTED.search(text) and not text.startswith(TITLES)
    ]
    assert not found, "\n".join(found)


def test_no_sentence_of_a_page_opens_with_of_by_or_where() -> None:
    found = []
    for path in _files("docs"):
        if path.suffix == ".md" and "migration" not in path.name:
            prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            blocks = (" ".join(block.split()) for block in re.split(r"\n\n|\n(?=- |\| )", prose))
            found += [f"{path.relative_to(ROOT)}: …{m[0]}" for b in blocks for m in re.finditer(OPENING, b)]
    assert not found, "\n".join(found)


OPENING = re.compile(r"(?:^|[.!?:] )(?:Of|By|Where) [a-z0-9`{][^.?]{0,60}(?![^.]*\?)")


def _messages(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    yield from (" ".join(text.split()) for text in _said(path) if text not in docs)
