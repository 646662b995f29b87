"""What workflows, action, Makefile and SECURITY.md promise about the way to the user; each broken promise is a line.

`python scripts/supply_chain.py [FOLDER]` ends with 1 where one is broken.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+$")
# What a job may write, and where.
MAY_WRITE = {("release.yml", "build", "id-token"), ("release.yml", "build", "attestations"),
             ("release.yml", "publish", "id-token")}  # fmt: skip
SCHEDULED = {"fuzz.yml": "make ${{ matrix.target }}", "validate.yml": "make ${{ matrix.target }}"}
# What people outside write, and what is theirs: never a part of a script.
THEIRS = re.compile(r"\$\{\{\s*(github\.event|github\.head_ref|inputs\.|secrets\.)")


def problems(root: Path) -> Iterator[str]:
    files = sorted((root / ".github" / "workflows").glob("*.y*ml"))
    for file in files:
        text = file.read_text(encoding="utf-8")
        yield from (f"{file.name}: {p}" for p in of_workflow(file.name, text, yaml.safe_load(text)))
    for name, run in SCHEDULED.items():
        file = root / ".github" / "workflows" / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if "schedule:" not in text or run not in text:
            yield f"{name} runs on no schedule"
    action = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        if "uses" in step or THEIRS.search(step.get("run", "")):
            yield "action.yml: a step uses another action, or has an input in its script"
    targets = (root / "Makefile").read_text(encoding="utf-8")
    yield from (f"Makefile: no target {t}" for t in ("sbom", "wheel", "fuzz", "validate") if f"\n{t}:" not in targets)
    words = (root / "SECURITY.md").read_text(encoding="utf-8")
    wanted = ("## In scope", "## Out of scope", "## Reporting", "docs/reliability.md", "hostile file")
    yield from (f"SECURITY.md: nothing on {w!r}" for w in wanted if w not in words)
    if not (root / "docs" / "reliability.md").exists():
        yield "docs/reliability.md is missing"


def of_workflow(name: str, text: str, flow: dict[Any, Any]) -> Iterator[str]:
    for line in map(str.strip, text.splitlines()):
        if re.match(r"(- )?uses:", line) and not PINNED.search(line):
            yield f"not pinned to a commit with its version: {line}"
    if flow.get("permissions") != {"contents": "read"}:
        yield "permissions are not contents: read"
    # YAML reads the key `on` as true.
    if "pull_request_target" in str(flow.get("on", flow.get(True))):
        yield "runs on pull_request_target, with the rights of the repository"
    for job, of in flow["jobs"].items():
        for what, how in of.get("permissions", {}).items():
            if how != "read" and (name, job, what) not in MAY_WRITE:
                yield f"{job} may write {what}"
        if "timeout-minutes" not in of:
            yield f"{job} has no limit on its time"
        for step in of["steps"]:
            if THEIRS.search(step.get("run", "")):
                yield f"{job}: a script holds what others write"
            if "checkout@" in step.get("uses", "") and step.get("with", {}).get("persist-credentials") is not False:
                yield f"{job}: the checkout keeps its credentials"


def main() -> int:
    found = list(problems(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
    sys.stdout.write("\n".join(found or ["the way to the user is as it is promised"]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
