"""`methods.toml` and the code speak of the same methods."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

import trueerror as te
from trueerror.curves._base import every_curve_kind
from trueerror.methods import every_method
from trueerror.methods._facts import _known
from trueerror.methods._registry import MODULES, RUNNABLE, methods_on

SOURCES = sorted(Path(te.__file__).parent.rglob("*.py"))
FROZEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))
# What makes a result of which `method` is the key.
MAKERS = {"Interval", "Test", "Contrast", "Posterior", "Power", "interval", "contrast", "t_contrast"}


@cache
def nodes():
    return [node for path in SOURCES for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def written_keys():
    """The keys that stand in the code where a result is made."""
    values = [
        k.value
        for node in nodes()
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in MAKERS
        for k in node.keywords
        if k.arg == "method"
    ]
    values += [v for either in values if isinstance(either, ast.IfExp) for v in (either.body, either.orelse)]
    return {v.value for v in values if isinstance(v, ast.Constant) and v.value}


def frozen_keys(value):
    """The methods of all results in a document."""
    if isinstance(value, dict):
        own = {value["method"]} if isinstance(value.get("method"), str) and value["method"] else set()
        return own.union(*map(frozen_keys, value.values()))
    return set().union(*map(frozen_keys, value)) if isinstance(value, list) else set()


def test_every_method_says_what_it_is():
    for key, facts in _known()["methods"].items():
        assert all(facts.get(name) for name in ("part", "title", "formula", "source")), key
        assert all(text == text.strip() and text.isprintable() for text in facts.values()), key


def test_every_method_that_can_be_run_has_facts():
    for kind in MODULES:
        methods_on(kind)
    known = every_method()
    assert len(RUNNABLE) > 60
    assert {m.key for m in RUNNABLE} <= set(known)
    assert {kind.key for kind in every_curve_kind()} <= set(known)


def test_every_method_that_a_result_carries_has_facts():
    written = written_keys()
    assert len(written) > 25
    assert written <= set(every_method())


@pytest.mark.parametrize("path", FROZEN, ids=lambda path: path.stem)
def test_every_method_of_a_frozen_answer_has_facts(path):
    assert frozen_keys(json.loads(path.read_text(encoding="utf-8"))) <= set(every_method())


def test_the_code_names_every_method_that_has_facts():
    named = {node.value for node in nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    tails = {word for word in named if re.fullmatch("-[a-z]+", word)}
    forms = {
        re.compile("".join(re.escape(p.value) if isinstance(p, ast.Constant) else "(.+)" for p in node.values))
        for node in nodes()
        if isinstance(node, ast.JoinedStr)
    }

    def is_named(key):
        """As a whole, or put together of words that are: f"bootstrap-{kind}", "bradley-terry" + "-firth"."""
        made = (form.fullmatch(key) for form in forms if form.groups and form.pattern != "(.+)")
        return (
            key in named
            or any(m and named.issuperset(m.groups()) for m in made)
            or any(key.endswith(tail) and is_named(key.removesuffix(tail)) for tail in tails)
        )

    assert [key for key in every_method() if not is_named(key)] == []


def test_parts_are_told_one_after_the_other():
    parts = [m.part for m in every_method().values()]
    assert len(set(parts)) == sum(a != b for a, b in zip(["", *parts], parts, strict=False))
