"""The reference page of the Python interface: every public name with its signature and docstring."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType, UnionType
from typing import Any, Literal, get_args, get_origin

import trueerror as te
from making.markdown import cell, code, page
from trueerror.results import Result

ROOMS = {
    "verbs": "Verbs",
    "reports": "Reports",
    "intervals": "From counts: intervals",
    "metrics": "Metrics",
    "sources": "Predictions",
    "tallies": "Tallies",
    "curves": "Curves",
    "significance": "Two proportions and planning",
    "resampling": "Plans of resampling",
    "experiments": "Learners",
    "studies": "Studies",
    "results": "Results",
    "inputs": "Settings",
}
WIDE = 96


def interface_page() -> str:
    """Public names of `te`, then of its modules."""
    homes = {
        n: home for n, home in te._public_names("trueerror").items() if home not in ("trueerror", "trueerror.version")
    }
    by_room: dict[str, list[str]] = {}
    for name, home in homes.items():
        by_room.setdefault(_room(name, home), []).append(name)
    parts = [
        "`te` is `import trueerror as te`. Options are keyword-only. Arrays are anything array-like: lists, NumPy "
        "arrays, series of pandas, polars and pyarrow. Errors about input are `ValueError`s of one sentence.",
        "## Every result",
        _doc(Result),
        *_members(Result, skip=frozenset()),
    ]
    for room in [*(r for r in ROOMS if r in by_room), *(r for r in by_room if r not in ROOMS)]:
        parts.append(f"## {ROOMS.get(room, room)}")
        for name in sorted(by_room[room], key=lambda n: (n.lower(), n)):
            parts += _entry(f"te.{name}", getattr(te, name))
    modules = (("Significance tests", te.significance), ("Logs of other tools", te.logs), ("Test suites", te.testing))
    for title, module in modules:
        parts += [f"## {title}", _doc(module)]
        for name in module.__all__:
            parts += _entry(f"{module.__name__.replace('trueerror', 'te')}.{name}", getattr(module, name))
    return page("Python", *parts)


def _room(name: str, home: str) -> str:
    """Inference has two heads on the page."""
    room = home.split(".")[1]
    return room if room != "inference" else "intervals" if "interval" in name else "significance"


def _entry(name: str, thing: Any) -> Iterator[str]:
    yield f"({name if name.islower() else 'class-' + name})=\n### {cell(name)}"
    if inspect.isclass(thing):
        yield from _class(thing, f"```python\n{_signature(name, thing)}\n```" if _made_by_hand(thing) else "")
        return
    yield f"```python\n{_signature(name, thing)}\n```"
    yield _doc(thing)
    given = _resolved(getattr(thing, "__annotations__", {}).get("return", ""), thing)
    if inspect.isclass(given) and given.__module__.startswith("trueerror.") and not _public(given):
        yield f"**{given.__name__}**"
        yield from _class(given, "")


def _public(kind: type) -> bool:
    return kind.__name__ in te.__all__ or kind.__name__ in te.significance.__all__


def _made_by_hand(kind: type) -> bool:
    """Whether people make such objects themselves; results and predictions are given, not made."""
    return kind.__name__ in ("Confusion", "ScoreTable")


def _class(kind: type, signature: str) -> Iterator[str]:
    if signature:
        yield signature
    yield _doc(kind)
    if dataclasses.is_dataclass(kind) and issubclass(kind, Result):
        fields = [f"{code(f.name)}" for f in dataclasses.fields(kind) if not f.name.startswith("_")]
        yield "Fields: " + ", ".join(fields) + "."
    yield from _members(kind, skip=frozenset(vars(Result)))


def _members(kind: type, *, skip: frozenset[str]) -> Iterator[str]:
    lines = []
    for name, value in inspect.getmembers_static(kind):
        if name.startswith("_") or name in skip:
            continue
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if isinstance(value, property | cached_property):
            lines.append(f"- `.{name}`: {_summary(value)}")
        elif isinstance(plain, FunctionType):
            lines.append(f"- `.{name}{_short(plain, bound=not isinstance(value, staticmethod))}`: {_summary(plain)}")
    if lines:
        yield "\n".join(lines)


def _summary(thing: Any) -> str:
    text = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return cell(" ".join(text.split()))


def _short(function: Any, *, bound: bool) -> str:
    """A method's parameters without types, so that the line stays short."""
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text = str(inspect.Signature(plain))
    return re.sub(r"<(\w+)[^>]*>", r"\1", text)


def _signature(name: str, thing: Any) -> str:
    signature = inspect.signature(thing)
    owner = thing.__init__ if inspect.isclass(thing) else thing
    parts = [_parameter(p, owner) for p in signature.parameters.values()]
    keyword = next((i for i, p in enumerate(signature.parameters.values()) if p.kind is p.KEYWORD_ONLY), None)
    if keyword is not None:
        parts.insert(keyword, "*")
    back = "" if inspect.isclass(thing) else f" -> {_annotation(signature.return_annotation, owner)}"
    line = f"{name}({', '.join(parts)}){back}"
    if len(line) <= WIDE:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){back}"])


def _parameter(p: inspect.Parameter, owner: Any) -> str:
    star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
    kind = _annotation(p.annotation, owner)
    value = f'"{p.default}"' if isinstance(p.default, str) else repr(p.default)
    default = "" if p.default is p.empty else f" = {value}" if kind else f"={value}"
    return f"{star}{p.name}{': ' + kind if kind else ''}{default}"


def _annotation(written: Any, owner: Any) -> str:
    """The annotation as written, with the choices of words spelt out."""
    if written is inspect.Parameter.empty:
        return ""
    text = written if isinstance(written, str) else getattr(written, "__name__", str(written))
    names = _namespace(owner)

    def spelt(match: re.Match[str]) -> str:
        value = names.get(match[0])
        if get_origin(value) is Literal:
            return " | ".join(repr(word) for word in get_args(value)).replace("'", '"')
        if isinstance(value, UnionType):
            return re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*", "", str(value))
        return match[0]

    text = re.sub(r"[A-Za-z_]\w*", spelt, text)
    literal = re.compile(r"Literal\[([^\]]*)\]")
    return literal.sub(lambda m: m[1].replace("'", '"').replace(", ", " | "), text)


def _namespace(owner: Any) -> dict[str, Any]:
    # A decorated function has the types of its decorator's module, too.
    return {**getattr(owner, "__globals__", {}), **vars(sys.modules[owner.__module__])}


def _resolved(written: Any, owner: Any) -> Any:
    return _namespace(owner).get(written) if isinstance(written, str) else written


def _doc(thing: Any) -> str:
    """A docstring as Markdown: examples become code blocks."""
    text = inspect.getdoc(thing) or ""
    out: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if line.startswith(">>>") and not fenced:
            out += ["```python"]
            fenced = True
        elif fenced and not line.strip():
            out += ["```"]
            fenced = False
        out.append(line if fenced else _prose(line))
    if fenced:
        out.append("```")
    return "\n".join(out).strip()


def _prose(line: str) -> str:
    """Prose of a docstring: what stands in backticks stays, stars and the like outside are text."""
    pieces = line.split("`")
    return "`".join(cell(piece) if i % 2 == 0 else piece for i, piece in enumerate(pieces)).replace("\\_", "_")
