"""`python -m tests.mutants --mutants 100 --seed 0`: small changes of the statistics, which the tests must notice.

A mutant changes one comparison, sum, product, constant, condition or call (min for max, cdf for sf) of a module of
inference, metrics or tallies, in a copy of the package. The tests that mirror the module and those that name it run
first, then the goldens and the laws. A mutant that none of them notices survives; sites are drawn by a seed, which is
kept with the score in validation/MUTANTS.json.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "trueerror"
FOLDERS = ("inference", "metrics", "tallies")
KEPT = ROOT / "validation" / "MUTANTS.json"
SECONDS = 300
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
COMPARED = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "cdf": "sf", "sf": "cdf", "ndtr": "log_ndtr", "floor": "ceil", "any": "all"}


def changes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, words) of each change that `changed` can make, in the order of the walk."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            yield line, f"{type(node.op).__name__} → {ARITHMETIC[type(node.op)].__name__}"
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
            yield line, f"{type(node.ops[0]).__name__} → {COMPARED[type(node.ops[0])].__name__}"
        elif isinstance(node, ast.BoolOp):
            yield line, "and ↔ or"
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield line, f"{node.value!r} → {_other(node.value)!r}"
        elif isinstance(node, ast.If):
            yield line, "if → if not"
        elif isinstance(node, ast.Call) and _called(node.func) in CALLED:
            yield line, f"{_called(node.func)} → {CALLED[_called(node.func)]}"


def changed(source: str, number: int) -> str:
    """The source with the change of that number."""
    tree = ast.parse(source)
    at = -1
    for node in ast.walk(tree):
        found = next(iter(changes(_alone(node))), None)
        if found is None:
            continue
        at += 1
        if at < number:
            continue
        if isinstance(node, ast.BinOp):
            node.op = ARITHMETIC[type(node.op)]()
        elif isinstance(node, ast.Compare):
            node.ops[0] = COMPARED[type(node.ops[0])]()
        elif isinstance(node, ast.BoolOp):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, ast.Constant):
            node.value = _other(node.value)  # type: ignore[arg-type]
        elif isinstance(node, ast.If):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            node.func.id = CALLED[node.func.id]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node.func.attr = CALLED[node.func.attr]
        return ast.unparse(ast.fix_missing_locations(tree))
    raise IndexError(number)


def _alone(node: ast.AST) -> ast.AST:
    """The node such that a walk from it sees it alone."""

    class Only(ast.AST):
        _fields = ("node",)

    only = Only()
    leaf = type(node).__new__(type(node))
    leaf.__dict__.update(node.__dict__)
    leaf._fields = ()  # type: ignore[misc]
    only.node = leaf  # type: ignore[attr-defined]
    return only


def _called(function: ast.expr) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def _other(value: float) -> float:
    return value + 1 if isinstance(value, int) else value * 1.1 + (0.1 if value == 0 else 0.0)


def tests_of(module: Path) -> list[list[str]]:
    """What to run for a module: its mirror and those that name it, then goldens, then laws and references."""
    name = module.stem.lstrip("_")
    parts = module.relative_to(PACKAGE).parts[:-1]
    mirror = ROOT / "tests" / Path(*parts)
    near = sorted(mirror.glob(f"test_{name}*.py")) if mirror.is_dir() else []
    dotted = ".".join(("trueerror", *module.relative_to(PACKAGE).with_suffix("").parts))
    naming = [f for f in sorted((ROOT / "tests").rglob("test_*.py")) if dotted in f.read_text(encoding="utf-8")][:6]
    first = [str(f.relative_to(ROOT)) for f in dict.fromkeys([*near, *naming])]
    whole = [str(mirror.relative_to(ROOT))] if mirror.is_dir() else []
    doctests = [str(module.relative_to(ROOT))]
    return [[*doctests, *first], ["tests/golden"], [*whole, "tests/laws", "tests/reference"]]


def killed_by(module: Path, number: int) -> str:
    """Which tests noticed the mutant; "" where none did."""
    with tempfile.TemporaryDirectory(prefix="trueerror-mutant-") as folder:
        copy = Path(folder) / "trueerror"
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        target = copy / module.relative_to(PACKAGE)
        target.write_text(changed(module.read_text(encoding="utf-8"), number), encoding="utf-8")
        settings = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        for stage in tests_of(module):
            files = [str(copy / Path(f).relative_to("src/trueerror")) if f.startswith("src/") else f for f in stage]
            command = [
                sys.executable,
                "-m",
                "pytest",
                "-x",
                "-q",
                "-p",
                "no:cacheprovider",
                "--doctest-modules",
                *files,
            ]
            try:
                done = subprocess.run(
                    command, cwd=ROOT, env=settings, capture_output=True, timeout=SECONDS, check=False
                )
            except subprocess.TimeoutExpired:
                return "time-out"
            if done.returncode not in (0, 5):
                return stage[-1] if len(stage) > 1 else stage[0]
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=100, metavar="N", help="how many mutants are drawn (100)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="by which seed (0)")
    parser.add_argument("--minutes", type=float, default=1e9, metavar="M", help="stop then")
    asked = parser.parse_args()
    modules = sorted(p for folder in FOLDERS for p in (PACKAGE / folder).rglob("*.py") if p.name != "__init__.py")
    sites = [(m, i, *found) for m in modules for i, found in enumerate(changes(ast.parse(m.read_text("utf-8"))))]
    drawn = random.Random(asked.seed).sample(sites, min(asked.mutants, len(sites)))
    started, survivors, done = time.perf_counter(), [], 0
    for module, number, line, words in drawn:
        if time.perf_counter() - started > 60 * asked.minutes:
            break
        noticed = killed_by(module, number)
        done += 1
        place = f"{module.relative_to(PACKAGE)}:{line}: {words}"
        print(f"{done}/{len(drawn)} {'killed' if noticed else 'SURVIVED'} {place}", flush=True)
        survivors += [] if noticed else [place]
    killed = done - len(survivors)
    print(f"{killed} of {done} mutants noticed ({100 * killed / max(done, 1):.0f} %), {len(sites):,} sites")
    KEPT.write_text(json.dumps({
        "command": f"python -m tests.mutants --mutants {asked.mutants} --seed {asked.seed}", "sites": len(sites),
        "mutants": done, "killed": killed, "survivors": survivors,
    }, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")  # fmt: skip
    return 0 if killed >= 0.85 * done else 1


if __name__ == "__main__":
    sys.exit(main())
