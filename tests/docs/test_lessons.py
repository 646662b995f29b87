"""The lessons: each has its parts, and every figure that its prose states stands in code or output that is run."""

from __future__ import annotations

import re

import pytest
from build import DOCS

LESSONS = sorted(p.name for p in (DOCS / "learn").glob("[0-9]*.md"))
BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# A figure: a number with two decimals or more. Coarser ones are words of the language.
FIGURE = re.compile(r"(?<![\w.])\d+\.\d{2,}")


def parts(lesson: str) -> tuple[str, str]:
    """Prose, and what is run with what it prints."""
    text = (DOCS / "learn" / lesson).read_text(encoding="utf-8")
    prose = re.sub(r"<!--.*?-->|\]\([^)]*\)", "", BLOCK.sub("", text))
    return prose, "\n".join(BLOCK.findall(text))


def test_there_are_thirteen_lessons_in_order() -> None:
    assert [name[:2] for name in LESSONS] == [f"{i:02}" for i in range(1, 14)]
    index = (DOCS / "learn" / "index.md").read_text(encoding="utf-8")
    for name in LESSONS:
        assert f"]({name})" in index


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_its_parts(lesson: str) -> None:
    text = (DOCS / "learn" / lesson).read_text(encoding="utf-8")
    for part in (
        "**Question.**",
        "## Play",
        "## Common slips",
        "## Exercise",
        "<details><summary>Answer</summary>",
    ):
        assert part in text, part
    assert re.search(r"^!\[[^\]]{15,}\]\([\w-]+\.svg\)$", text, re.MULTILINE), (
        "a picture made by the lesson, with words"
    )
    answer = text.split("<summary>Answer</summary>")[1].split("</details>")[0]
    assert "```python" in answer, "the answer is computed"


@pytest.mark.parametrize("lesson", LESSONS)
def test_figures_in_prose_are_figures_that_were_computed(lesson: str) -> None:
    prose, run = parts(lesson)
    shown = {float(number) for number in re.findall(r"\d+\.?\d*|\.\d+", run)}
    stated = {number for number in FIGURE.findall(prose) if float(number) not in shown}
    assert not stated, f"{sorted(stated)} stand in no block"
