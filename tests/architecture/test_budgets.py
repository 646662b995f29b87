"""Budgets: what the code may hold, in lines, branches and numbers; `budgets.toml` has each limit with its goal."""

from __future__ import annotations

import ast
import functools
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

import trueerror

ROOT = Path(trueerror.__file__).parent
HERE = Path(__file__).parent
TOP = HERE.parents[1]
BUDGETS: dict[str, dict[str, dict[str, int]]] = tomllib.loads((HERE / "budgets.toml").read_text(encoding="utf-8"))
# A choice by a metric's name or kind belongs to `metrics/`, as a field of Measure.
BY_METRIC = re.compile(r"(measure|metric|\bm)\.name\s*(==|!=|in\b|not in\b)|\.needs\s*(==|!=|in\b|not in\b)")
# Rooms whose lines are counted with those of another; folders of data and lists of names belong to the top.
COUNTED_WITH = {"methods": "inference", "data": "top", "significance": "top"}


@functools.cache
def sources() -> dict[str, str]:
    """Path within the package → text of every module."""
    return {p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8") for p in sorted(ROOT.rglob("*.py"))}


@functools.cache
def lines() -> Counter[str]:
    """Room → lines of Python."""
    found: Counter[str] = Counter()
    for path, text in sources().items():
        room = path.split("/")[0] if "/" in path else "top"
        found[COUNTED_WITH.get(room, room)] += len(text.splitlines())
    return found


@functools.cache
def branches() -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, str(HERE / "branches.py")], capture_output=True, text=True, check=True, cwd=TOP
    )
    return dict(json.loads(done.stdout))


def is_number(value: ast.expr) -> bool:
    """Whether a value is a number, or a tuple of numbers, perhaps computed of others.

    >>> [is_number(ast.parse(text, mode="eval").body) for text in ("1 << 16", "(0.05, -2)", "'a'", "True", "half(3)")]
    [True, True, False, False, False]
    """
    if isinstance(value, ast.Tuple):
        return any(map(is_number, value.elts))
    if isinstance(value, ast.BinOp):
        return is_number(value.left) and is_number(value.right)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def numbers_of(tree: ast.Module) -> dict[str, str]:
    """The UPPER_CASE names at the top of a module that stand for numbers, each with its value as it is written.

    >>> numbers_of(ast.parse("FEW: float = 0.5; LOW, HIGH = 0.1, 1 << 3; WORD, few, ON = 'a', 3, True"))
    {'FEW': '0.5', 'LOW': '0.1', 'HIGH': '1 << 3'}
    """
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    for node in tree.body:
        if isinstance(node, ast.AnnAssign):
            pairs.append((node.target, node.value))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    pairs += zip(target.elts, node.value.elts, strict=True)
                else:
                    pairs.append((target, node.value))
    return {
        target.id: ast.unparse(value)
        for target, value in pairs
        if isinstance(target, ast.Name) and target.id.isupper() and value is not None and is_number(value)
    }


@functools.cache
def numbers() -> dict[str, dict[str, str]]:
    """Module of inference/, and of people/, → its numbers with their values."""
    rooms = ("inference/", "people/")
    return {path: numbers_of(ast.parse(text)) for path, text in sources().items() if path.startswith(rooms)}


def of_inference(found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {module: rows for module, rows in found.items() if module.startswith("inference/")}


def explained() -> dict[str, dict[str, str]]:
    """Module with a heading in validation/constants.md → the numbers of its rows with their values."""
    page = (TOP / "validation" / "constants.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## `(.+)`$", page, flags=re.MULTILINE)
    rows = re.compile(r"^\| `(\w+)` \| `(.+?)` \|(?: [^|]*\S \|){3}$", re.MULTILINE)
    return {
        path: {name: ast.unparse(ast.parse(value)) for name, value in rows.findall(text)}
        for path, text in zip(sections[::2], sections[1::2], strict=True)
    }


def compares_a_method(node: ast.AST) -> bool:
    """Whether a result's method is held against a name, or a list of names.

    >>> [compares_a_method(ast.parse(text, mode="eval").body) for text in
    ...  ("i.method == 'wilson'", "'sign' != c.method", "c.method in MCNEMAR", "i.method in seen.get(1)", "i.n == 3")]
    [True, True, True, False, False]
    """
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        return False
    sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Attribute) and side.attr == "method" for side in sides) and not any(
        isinstance(side, ast.Call) for side in sides
    )


def compared_methods() -> list[str]:
    return [
        f"{path}:{node.lineno}"
        for path, text in sources().items()
        if ".method" in text and not path.startswith("methods/")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Compare) and compares_a_method(node)
    ]


def lines_like(pattern: re.Pattern[str], but: str = "\0") -> list[str]:
    return [
        f"{path}:{i}"
        for path, text in sources().items()
        if not path.startswith(but)
        for i, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def public_names_with_two_homes() -> list[str]:
    """Kernels apart, whose twins have one name each in NumPy, Numba and on a device."""
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path, text in sources().items():
        if path.startswith("kernels/"):
            continue
        for name in re.findall(r"^(?:def|class) ([A-Za-z]\w*)", text, re.MULTILINE):
            homes[name].add(path)
    return [f"{name}: {sorted(where)}" for name, where in homes.items() if len(where) > 1]


NAMES = {
    "a result's method is compared": compared_methods,
    "a metric's name or kind is compared": lambda: lines_like(BY_METRIC, but="metrics/"),
    "type errors are silenced": lambda: lines_like(re.compile("# type: ignore")),
    "a public name has two homes": public_names_with_two_homes,
}


def limit(table: str, name: str) -> int:
    return BUDGETS[table][name]["most"]


@pytest.mark.parametrize("table", BUDGETS)
def test_no_goal_is_above_its_limit(table: str) -> None:
    assert not [name for name, row in BUDGETS[table].items() if row["goal"] > row["most"]]


def test_every_room_has_a_budget() -> None:
    assert not set(lines()) - set(BUDGETS["lines"])


@pytest.mark.parametrize("room", BUDGETS["lines"])
def test_a_room_keeps_to_its_lines(room: str) -> None:
    assert lines()[room] <= limit("lines", room), "take something away in the same change"


@pytest.mark.parametrize("question", BUDGETS["branches"])
def test_a_question_meets_no_more_branches(question: str) -> None:
    assert branches()[question] <= limit("branches", question), "a branch more takes another away"


def test_inference_has_no_more_numbers() -> None:
    assert sum(map(len, of_inference(numbers()).values())) <= limit("numbers", "all"), numbers()


@pytest.mark.parametrize("module", explained())
def test_a_number_has_its_row(module: str) -> None:
    assert explained()[module] == numbers()[module]


def test_no_number_more_lacks_its_row() -> None:
    lacking = {
        module: found for module, found in of_inference(numbers()).items() if found and module not in explained()
    }
    assert sum(map(len, lacking.values())) <= limit("numbers", "without a row"), lacking


@pytest.mark.parametrize("place", NAMES)
def test_names_are_compared_where_they_are_registered(place: str) -> None:
    found = NAMES[place]()
    assert len(found) <= limit("names", place), found
