"""Where a module can be changed, which block of statements each place stands in, and the code with one change.

Modules are compiled with a mark at the head of each block and lambda, which says that it ran: the tests that can notice
a change are those that run its block. What is run when the module is imported (constants, defaults, decorators, bodies
of classes) stands in block 0.

Left out is what can change no answer, by kind: numbers of at most 10⁻⁹ (guards of rounding, also when a tenth larger),
sizes of caches and of blocks that are held at a time (…BLOCK), words of errors, and the filler of a `where` inside a
`where` of the same condition, which drops it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult}
COMPARED = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
BUILT_IN = {"min": "max", "max": "min", "any": "all", "all": "any"}
# As attributes only: a bare name that nobody imported would raise, which any test notices.
ATTRIBUTES = {**BUILT_IN, "cdf": "sf", "sf": "cdf", "floor": "ceil", "ceil": "floor", "minimum": "maximum",
              "maximum": "minimum"}  # fmt: skip
BLOCKS = ("body", "orelse", "finalbody")
Placed = tuple[ast.AST, int]


class Walk:
    """The nodes of a module that are run, in order, each with its block; `marked` puts the marks in."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.blocks: list[list[ast.stmt] | ast.Lambda] = []
        self.placed = list(self._all(tree.body, 0))

    def _all(self, nodes: list[ast.AST] | list[ast.stmt] | list[ast.expr], block: int) -> Iterator[Placed]:
        for node in nodes:
            yield from self._node(node, block)

    def _block(self, body: list[ast.stmt] | ast.Lambda) -> int:
        self.blocks.append(body)
        return len(self.blocks)

    def _node(self, node: ast.AST, block: int) -> Iterator[Placed]:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        yield node, block
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from self._all(node.decorator_list, block)
            yield from self._defaults(node.args, block)
            yield from self._all(node.body, self._block(node.body))
        elif isinstance(node, ast.Lambda):
            yield from self._defaults(node.args, block)
            yield from self._node(node.body, self._block(node))
        elif isinstance(node, ast.AnnAssign):
            yield from self._all([node.value] if node.value else [], block)
        elif isinstance(node, ast.ClassDef):
            yield from self._all([*node.decorator_list, *node.body], block)
        else:
            for name, value in ast.iter_fields(node):
                if isinstance(value, list) and name in BLOCKS and value and isinstance(value[0], ast.stmt):
                    yield from self._all(value, self._block(value))
                elif isinstance(value, list):
                    yield from self._all([v for v in value if isinstance(v, ast.AST)], block)
                elif isinstance(value, ast.AST):
                    yield from self._node(value, block)

    def _defaults(self, given: ast.arguments, block: int) -> Iterator[Placed]:
        yield from self._all([d for d in [*given.defaults, *given.kw_defaults] if d], block)

    def marked(self, first: int) -> ast.Module:
        """The tree with `__ran__(first + block)` at the head of every block."""
        for number, body in enumerate(self.blocks, first + 1):
            mark = ast.Call(ast.Name("__ran__", ast.Load()), [ast.Constant(number)], [])
            if isinstance(body, ast.Lambda):
                body.body = ast.BoolOp(ast.Or(), [mark, body.body])
            else:
                words = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
                body.insert(int(words), ast.copy_location(ast.Expr(mark), body[0]))
        return ast.fix_missing_locations(self.tree)


def changeable(tree: ast.Module) -> list[Placed]:
    """The nodes of which a change can be made that can change an answer."""
    idle: set[int] = set()
    for node in ast.walk(tree):
        lost: list[ast.AST] = []
        if isinstance(node, ast.Raise) and node.exc:
            lost = [node.exc]
        elif isinstance(node, ast.keyword) and node.arg == "maxsize":
            lost = [node.value]
        elif isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value <= 1e-9:
            lost = [node]
        elif isinstance(node, ast.Assign) and _is_block(node):
            lost = [node.value]
        elif _is_where(node):
            same = [n for n in ast.walk(node.args[1]) if _is_where(n) and ast.dump(n.args[0]) == ast.dump(node.args[0])]
            lost = [n.args[2] for n in same]
        idle |= {id(inner) for one in lost for inner in ast.walk(one)}
    return [(node, block) for node, block in Walk(tree).placed if words_of(node) and id(node) not in idle]


def _is_block(node: ast.Assign) -> bool:
    """BLOCK = 1 << 20, or step = max(1, BLOCK // n)."""
    (target, *_), value = node.targets, node.value
    called = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "max"
    names = [target, *(ast.walk(value) if called else ())]
    return any(isinstance(n, ast.Name) and n.id.endswith("BLOCK") for n in names)


def _is_where(node: ast.AST) -> TypeGuard[ast.Call]:
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "where"
    return named and len(node.args) == 3  # type: ignore[attr-defined]


def words_of(node: ast.AST) -> str:
    """The change that can be made of a node, in words; "" where there is none."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        return f"{type(node.op).__name__} → {ARITHMETIC[type(node.op)].__name__}"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        return f"{type(node.ops[0]).__name__} → {COMPARED[type(node.ops[0])].__name__}"
    if isinstance(node, ast.BoolOp):
        return "and → or" if isinstance(node.op, ast.And) else "or → and"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return f"{node.value!r} → {_other(node.value)!r}"  # type: ignore[arg-type]
    if isinstance(node, ast.If | ast.IfExp):
        return "if → if not"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        return "minus → plus"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BUILT_IN:
        return f"{node.func.id} → {BUILT_IN[node.func.id]}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ATTRIBUTES:
        return f"{node.func.attr} → {ATTRIBUTES[node.func.attr]}"
    return ""


def change(node: ast.AST) -> None:
    """Make the change of which `words_of` tells."""
    if isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = COMPARED[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = _other(node.value)  # type: ignore[arg-type]
    elif isinstance(node, ast.If | ast.IfExp):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd()
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        node.func.id = BUILT_IN[node.func.id]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node.func.attr = ATTRIBUTES[node.func.attr]
    else:
        raise TypeError(f"no change of {node!r}")


def _other(value: float) -> float:
    return value + 1 if isinstance(value, int) else value * 1.1 + (0.1 if value == 0 else 0.0)


def sites(source: str) -> list[tuple[int, int, str]]:
    """(line, block, words) of every change that can be made in a module."""
    return [(n.lineno, block, words_of(n)) for n, block in changeable(ast.parse(source))]  # type: ignore[attr-defined]


def code_of(source: str, path: str, first: int, number: int | None = None) -> ast.Module:
    """The marked tree of a module, with the change of that number where there is one."""
    tree = ast.parse(source, path)
    walk = Walk(tree)
    if number is not None:
        change(changeable(tree)[number][0])
    return walk.marked(first)
