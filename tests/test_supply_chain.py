"""The way to the user: pinned actions, least permissions, what SECURITY.md says, the list of what is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = ("action.yml", "Makefile", "SECURITY.md", "docs/reliability.md")


def checked(folder: Path) -> tuple[int, str]:
    script = ROOT / "scripts" / "supply_chain.py"
    done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_repository_keeps_its_promises() -> None:
    code, said = checked(ROOT)
    assert code == 0, said


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (".github/workflows/test.yml", r"checkout@[0-9a-f]{40} # v[\d.]+", "checkout@v4", "not pinned"),
        (".github/workflows/fuzz.yml", r"contents: read", "contents: write", "permissions"),
        (".github/workflows/test.yml", r"pull_request:", "pull_request_target:", "pull_request_target"),
        (".github/workflows/test.yml", r"persist-credentials: false", "persist-credentials: true", "credentials"),
        (".github/workflows/validate.yml", r"schedule:\n.*\n", "", "schedule"),
        (".github/workflows/test.yml", r"run: make docs", "run: make ${{ github.event.number }}", "others write"),
        (".github/workflows/test.yml", r"timeout-minutes: \d+\n", "permissions: {issues: write}\n", "may write issues"),
        ("action.yml", r'exit "\$CODE"', "exit ${{ inputs.margin }}", "an input in its script"),
        ("SECURITY.md", r"## Out of scope", "##", "Out of scope"),
        ("Makefile", r"\nsbom:", "\nbom:", "sbom"),
    ],
)
def test_a_broken_promise_is_found(file: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    (tmp_path / "docs").mkdir()
    for name in FILES:
        shutil.copyfile(ROOT / name, tmp_path / name)
    path = tmp_path / file
    text, times = re.subn(old, lambda _: new, path.read_text("utf-8"), count=1)
    assert times == 1
    path.write_text(text, "utf-8")
    code, found = checked(tmp_path)
    assert code == 1
    assert said in found


def test_the_bill_of_materials_lists_what_an_installation_brings(tmp_path: Path) -> None:
    target = tmp_path / "new" / "sbom.json"
    for _ in range(2):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "sbom.py", target], capture_output=True, text=True,
                              check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr
        made = json.loads(target.read_text("utf-8"))
        names = {c["name"] for c in made["components"]}
        assert names >= {"numpy", "scipy", "duckdb", "joblib", "threadpoolctl"}
        assert names.isdisjoint({"pytest", "pyspark"})
        refs = {c["bom-ref"] for c in [*made["components"], made["metadata"]["component"]]}
        assert {ref for d in made["dependencies"] for ref in (d["ref"], *d["dependsOn"])} == refs
        assert target.read_text("utf-8") == json.dumps(made, indent=1, ensure_ascii=False) + "\n"
