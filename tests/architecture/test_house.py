"""The rules of the house: public names that resolve, no cycles, no utils, prose made last, a map of what is there."""

import ast
import functools
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import trueerror as te

ROOT = Path(te.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
# Sentences and names of methods are made last; nothing reads them back.
READS_PROSE = re.compile(
    r"method\.startswith\(|[\"'][a-z ]{6,}[\"'] in \w+\.(note|estimand|reading)"
    r"|\.(note|estimand|reading|verdict)\.(split|partition|replace|startswith)"
)


def module_name(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def lines_with(pattern):
    return [
        f"{path.relative_to(ROOT)}:{i}"
        for path in FILES
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


@functools.cache
def trees():
    return {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def packages():
    found = [m.name for m in pkgutil.walk_packages(te.__path__, "trueerror.") if m.ispkg]
    return [te, *(importlib.import_module(name) for name in found)]


@pytest.mark.parametrize("package", packages(), ids=lambda p: p.__name__)
def test_no_module_hides_a_public_callable_of_its_package(package):
    public = set(getattr(package, "__all__", ()))
    inside = {m.name for m in pkgutil.iter_modules(package.__path__)}
    assert not {name for name in public & inside if callable(getattr(package, name))}


def test_every_public_name_resolves():
    for name in te.__all__:
        assert getattr(te, name) is not None
    assert set(te.__all__) <= set(dir(te))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'acuracy'"):
        te.acuracy


@pytest.mark.parametrize("package", ["trueerror", "trueerror.curves", "trueerror.significance"])
def test_type_checkers_know_the_public_names_and_no_other(package, tmp_path):
    module = importlib.import_module(package)
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    named = [alias for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    # An import is given on where it is renamed to its own name.
    assert sorted(alias.name for alias in named if alias.asname == alias.name) == module.__all__
    file = tmp_path / "asks.py"
    file.write_text(f"import {package} as m\n\nm.{module.__all__[0]}, m.{module.__all__[-1]}\nm.nosuch\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=skip", "--cache-dir", str(tmp_path / "cache"), str(file)],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(ROOT.parent)},
    )  # fmt: skip
    assert done.stdout.splitlines()[:-1] == ['asks.py:4: error: Module has no attribute "nosuch"  [attr-defined]']


def test_every_module_says_what_it_is_for():
    assert not [module for module, tree in trees().items() if tree.body and not ast.get_docstring(tree)]


def test_nothing_is_called_utils():
    bad = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [p for p in FILES if p.stem.strip("_") in bad]


def test_nothing_reads_prose_back():
    assert not lines_with(READS_PROSE)


def test_modules_import_one_another_without_a_cycle():
    """Imports at the top of a module make no ring; those inside functions are there for start-up time."""
    known = trees()
    graph = {}
    for module, tree in known.items():
        targets = set()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                targets |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
        graph[module] = {t for t in targets if t in known and t != module and not module.startswith(f"{t}.")}
    done, path = set(), []

    def visit(module):
        if module in path:
            raise AssertionError(" → ".join([*path[path.index(module) :], module]))
        if module in done:
            return
        path.append(module)
        for target in graph[module]:
            visit(target)
        path.pop()
        done.add(module)

    for module in graph:
        visit(module)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_the_map_names_files_that_are_there(page):
    top = Path(__file__).parents[2]
    named = re.findall(r"`((?:[a-z_]+/)+_?\w+\.pyi?)`", (top / page).read_text(encoding="utf-8"))
    assert named
    assert not [name for name in named if not (ROOT / name).exists() and not (top / name).exists()]


ROOMS = sorted(p.name for p in ROOT.iterdir() if (p / "__init__.py").exists())
# A module in comments, docstrings and texts, such as `curves/_roc.py` or `curves._roc.roc`. Imports begin with
# the package, and are checked when they run.
MODULE = re.compile(rf"(?<![\w./])((?:{'|'.join(ROOMS)})(?:[./]\w+)*[./]_[a-z]\w*(?:\.\w+)*)")


def is_there(name):
    """Whether a mentioned module exists, and what it is said to hold stands in it."""
    parts = name.removesuffix(".py").removesuffix(".pyi").replace("/", ".").split(".")
    for i in range(len(parts), 1, -1):
        place = ROOT.joinpath(*parts[:i])
        if place.is_dir() and i == len(parts):
            return True
        if (file := place.with_suffix(".py")).exists():
            text = file.read_text(encoding="utf-8")
            return all(re.search(rf"\b{part}\b", text) for part in parts[i:])
    return False


@pytest.mark.parametrize("name", ["curves/_roc.py", "curves._roc.roc", "cli._nosuch", "curves._roc.nosuch"])
def test_a_mentioned_module_is_looked_for(name):
    assert is_there(name) == ("nosuch" not in name)


def test_modules_that_words_mention_are_there():
    pages = [Path(__file__).parents[2] / page for page in ("ARCHITECTURE.md", "CONTRIBUTING.md")]
    assert not [
        f"{path.name}: {name}"
        for path in [*FILES, *pages]
        for name in MODULE.findall(path.read_text(encoding="utf-8"))
        if not is_there(name)
    ]
