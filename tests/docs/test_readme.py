"""The README: its examples run, its badges and figures are true, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from build import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_what_it_shows_is_what_happens() -> None:
    from making.examples import real

    assert real(README) == README, "run: python docs/build.py --examples"


def test_badges_are_true() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    told = project["project"]
    assert told["requires-python"] == ">=3.11"
    assert "badge/python-3.11%2B-blue" in README
    assert f"badge/licence-{told['license'].replace('-', '--')}-blue" in README
    assert project["tool"]["mypy"]["strict"] is True
    assert (ROOT / ".github" / "workflows" / "test.yml").exists()
    assert len(re.findall(r"!\[[^\]]+\]\(https://", README)) == 4


def test_figures_are_those_of_the_benchmarks() -> None:
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    table = README.split("## Speed and proof")[1].split("\n## ")[0]
    times = re.findall(r"(\d[\d.,]* (?:ms|s))\b", table)
    assert len(times) == 7
    for time in times:
        assert f" {time} " in measured, f"{time}: run make bench, and write its figure here"


def test_links_lead_somewhere() -> None:
    for page in ("README.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md"):
        text = re.sub(r"```.*?```|`[^`]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            assert "://" in target or (ROOT / target).exists(), f"{page}: {target}"


def test_the_commands_that_repeat_the_figures_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make ([a-z]+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for module in re.findall(r"python -m ([\w.]+)", README):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


def test_the_first_block_runs_where_nothing_else_is(tmp_path: Path) -> None:
    """As a newcomer pastes it: an empty folder, no file of the project beside it; and a result within a screen."""
    block = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    assert block is not None
    ran = subprocess.run([sys.executable, "-c", block[1]], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == block[2]
    assert (tmp_path / "report.html").exists()
    assert README[: block.start(2)].count("\n") <= 30
    assert "make demo" in README.split("## ")[0]
    assert "make test" in README.split("## ")[0]
