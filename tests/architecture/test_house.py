"""The plan of the house: no module hides a public callable, files stay small, every public name resolves."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import trueerror as te

ROOT = Path(te.__file__).parent
# A file past this wants splitting.
LONGEST = 400


def packages():
    return [te, *(importlib.import_module(f"trueerror.{m.name}") for m in pkgutil.iter_modules([str(ROOT)]) if m.ispkg)]


@pytest.mark.parametrize("package", packages(), ids=lambda p: p.__name__)
def test_no_module_has_the_name_of_a_public_callable_of_its_package(package):
    public = set(getattr(package, "__all__", ()))
    inside = {m.name for m in pkgutil.iter_modules(package.__path__)}
    shadowed = {name for name in public & inside if callable(getattr(package, name))}
    assert not shadowed


def test_every_public_name_resolves():
    for name in te.__all__:
        assert getattr(te, name) is not None
    assert set(te.__all__) <= set(dir(te))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'acuracy'"):
        te.acuracy


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small_and_are_documented(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "a module says what it is for"


def test_nothing_is_called_utils():
    bad = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [p for p in ROOT.rglob("*.py") if p.stem in bad]
