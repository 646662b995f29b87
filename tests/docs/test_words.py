"""The dropped words of docs/words.md do not come back: in the code's strings, the report, frozen answers or pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Pages that speak of the words themselves or of the past.
SPARED = ("docs/words.md", "docs/decisions/", "docs/from/")
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
