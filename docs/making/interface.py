"""The reference of the Python interface: a page for each public name, with a table of its parameters."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from types import FunctionType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import trueerror as te
from making.markdown import cell, code, page, table, toctree
from making.parameters import meaning
from trueerror.inputs import _groups
from trueerror.results import Result

ROOMS = {
    "verbs": "Judge models",
    "reports": "Reports",
    "intervals": "Intervals from counts",
    "metrics": "Metrics",
    "sources": "Predictions and files",
    "curves": "Curves",
    "significance": "Two proportions, planning",
    "experiments": "Learners",
    "studies": "Studies of learners",
    "resampling": "Plans: how rows are split",
    "tallies": "Tallies",
    "results": "Results",
    "inputs": "Settings",
}
MODULES = {
    "te.significance": ("Significance tests", te.significance),
    "te.logs": ("Logs of other tools", te.logs),
    "te.testing": ("Assertions for test suites", te.testing),
}
WIDE = 78
# How a list of parameters begins in a docstring; pages have a table in its place.
LISTED = "Parameters\n----------"
_UNLISTED = re.compile(rf"(?:^|\n\n){LISTED}(?:\n.+)*")
NO_PAGE = ("__version__", "data", "logs", "significance", "testing")
EVERY = "every-result"


@cache
def public() -> Mapping[str, Any]:
    """Every public name with what it stands for: `te.evaluate`, `te.significance.mcnemar`, …"""
    found = {f"te.{name}": getattr(te, name) for name in te.__all__ if name not in NO_PAGE}
    for prefix, (_, module) in MODULES.items():
        found |= {f"{prefix}.{name}": getattr(module, name) for name in module.__all__}
    return found


def called(name: str, thing: Any) -> bool:
    """Whether people call it themselves: a function, a plan or a tally; results are given, not made."""
    return not inspect.isclass(thing) or not (issubclass(thing, Result) or name in GIVEN) or name in MADE


MADE = ("te.Confusion", "te.ScoreTable")
GIVEN = ("te.Predictions", "te.Experiment")


def parameters() -> Iterator[tuple[str, str]]:
    """(function, parameter) of all that people call, and (class.method, parameter) of what they get."""
    for name, thing in public().items():
        if called(name, thing):
            yield from ((name, p) for p in inspect.signature(thing).parameters)
    for kind in {*_kinds(), Result}:
        for method, function, bound in _methods(kind, frozenset() if kind is Result else frozenset(vars(Result))):
            names = list(inspect.signature(function).parameters)[1 if bound else 0 :]
            yield from ((f"{kind.__name__}.{method}", p) for p in names)


def _kinds() -> Iterator[type]:
    """Classes that have a place in the reference: public ones, and those that public functions give back."""
    for thing in public().values():
        if inspect.isclass(thing):
            yield thing
        elif (given := _given(thing)) is not None:
            yield given


def _given(function: Any) -> type | None:
    """The class of ours that a function gives back."""
    given = _resolved(getattr(function, "__annotations__", {}).get("return", ""), function)
    return given if inspect.isclass(given) and given.__module__.startswith("trueerror.") else None


def file_of(name: str) -> str:
    """The page of a public name; those of classes begin with class-: Gate.md and gate.md are one file on some disks."""
    plain = name.removeprefix("te.").replace(".", "-")
    return f"class-{plain}" if inspect.isclass(public()[name]) else plain


def interface_pages(written: Mapping[str, str]) -> dict[str, str]:
    """Page → text: the list of names, one page each, and what every result can do."""
    places = _mentions(written)
    made = {f"reference/python/{file_of(n)}.md": _page(n, thing, places.get(n, ())) for n, thing in public().items()}
    made["reference/python/index.md"] = _index()
    made[f"reference/python/{EVERY}.md"] = page(
        "Every result", _doc(Result), *_members(Result, frozenset()), keywords=["to_json", "to_latex", "frame", "save"]
    )
    return made


def _mentions(written: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Name → (page, title) of the written pages that call it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for place, text in written.items():
        if not place.startswith("decisions/"):
            title = text.split("\n", 1)[0].lstrip("# ")
            for name in sorted(set(re.findall(r"\bte\.(?:significance\.|logs\.|testing\.)?\w+", text))):
                found.setdefault(name, []).append((place, title))
    return found


def _index() -> str:
    homes = te._public_names("trueerror")
    by_room: dict[str, list[str]] = {}
    for name in public():
        prefix, _, last = name.rpartition(".")
        by_room.setdefault(prefix if prefix != "te" else _room(last, homes[last]), []).append(name)
    titles = {**ROOMS, **{prefix: title for prefix, (title, _) in MODULES.items()}}
    parts = [
        "`te` is `import trueerror as te`. Options are keyword-only. Arrays are anything array-like: lists, NumPy "
        "arrays, series of pandas, polars and pyarrow. Errors about input are `ValueError`s of one sentence. "
        f"[Every result]({EVERY}.md) prints itself, tabulates, plots, explains and serialises.",
    ]
    for room in [*(r for r in titles if r in by_room), *(r for r in by_room if r not in titles)]:
        names = sorted(by_room[room], key=lambda n: (inspect.isclass(public()[n]), n.lower()))
        parts.append(f"## {titles.get(room, room)}")
        parts.append(table(("name", "what it does"), ((_link(n), _summary(public()[n])) for n in names)))
    files = [f"{n} <{file_of(n)}>" for n in sorted(public(), key=str.lower)]
    parts.append(toctree(EVERY, *files, hidden=True))
    return page("Python", *parts, keywords=["API", "Python reference", "functions", "import trueerror"])


def _link(name: str, up: str = "") -> str:
    return f"[`{name}`]({up}{file_of(name)}.md)"


def _room(name: str, home: str) -> str:
    """Inference has two heads on the page."""
    room = home.split(".")[1]
    return room if room != "inference" else "intervals" if "interval" in name else "significance"


def _page(name: str, thing: Any, places: list[tuple[str, str]]) -> str:
    parts = [_summary(thing)]
    if called(name, thing):
        parts.append(f"```python\n{_signature(name, thing)}\n```")
    parts.append(_doc(thing, rest=True))
    if called(name, thing) and inspect.signature(thing).parameters:
        parts += ["## Parameters", _parameters(name, thing)]
    if inspect.isclass(thing):
        parts += ["## What it holds", *_held(thing)]
    else:
        parts += ["## Returns", *_returned(thing)]
    related = _related(name, thing, places)
    return page(cell(name), *parts, *(["## Related", related] if related else []), keywords=[name, name.split(".")[-1]])


def help_lists() -> str:
    """Public function or class → its parameters as NumPy's docstrings list them: JSON, a line for each."""
    made = {name: _listed(name, thing) for name, thing in public().items() if called(name, thing)}
    return json.dumps({name: text for name, text in made.items() if text}, ensure_ascii=False, indent=0) + "\n"


def _listed(name: str, thing: Any) -> str:
    owner = thing.__init__ if inspect.isclass(thing) else thing
    lines: list[str] = []
    for p in inspect.signature(thing).parameters.values():
        written = "" if p.kind is p.VAR_KEYWORD else _annotation(p.annotation, owner)
        default = "" if p.default is p.empty else "optional" if p.default is None else f"default {_value(p.default)}"
        facts = ", ".join(fact for fact in ("" if written in ("Any", "object") else written, default) if fact)
        lines.append(f"{_starred(p)}{' : ' if facts else ''}{facts}")
        said = (meaning(name, p.name) or "").replace("; [which there are](METHODS)", "")
        lines += textwrap.wrap(said, WIDE - 2, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join([LISTED, *lines]) if lines else ""


def _starred(p: inspect.Parameter) -> str:
    return f"{'*' if p.kind is p.VAR_POSITIONAL else '**' if p.kind is p.VAR_KEYWORD else ''}{p.name}"


def _parameters(name: str, thing: Any) -> str:
    owner = thing.__init__ if inspect.isclass(thing) else thing
    rows = []
    for p in inspect.signature(thing).parameters.values():
        default = "" if p.default is p.empty else code(_value(p.default))
        # Anything that can be read as what is meant; the last column says what that is.
        written = _annotation(p.annotation, owner)
        kind = "" if written in ("Any", "object") else code(written.replace("|", "\\|"))
        rows.append((code(_starred(p)), kind, default, _meaning(name, p.name)))
    return table(("parameter", "type", "default", "meaning"), rows)


def _meaning(function: str, parameter: str) -> str:
    text = meaning(function, parameter) or ""
    return text.replace("(METHODS)", "(../decisions.md)").replace("|", "\\|")


def _returned(thing: Any) -> Iterator[str]:
    given = _given(thing)
    if given is None:
        yield code(_annotation(inspect.signature(thing).return_annotation, thing)) or "Nothing."
        return
    place = next((n for n, held in public().items() if held is given), None)
    if place:
        yield f"{_link(place)}: {_summary(given)}"
        return
    yield f"**{given.__name__}**: {_summary(given)}"
    yield _doc(given, rest=True)
    yield from _held(given)


def _held(kind: type) -> Iterator[str]:
    if dataclasses.is_dataclass(kind) and issubclass(kind, Result):
        fields = [f for f in dataclasses.fields(kind) if not f.name.startswith("_")]
        rows = ((code(f.name), code(_annotation(f.type, kind.__init__).replace("|", "\\|"))) for f in fields)
        yield table(("field", "type"), rows)
    yield from _members(kind, frozenset(vars(Result)))
    if issubclass(kind, Result):
        yield f"And what [every result]({EVERY}.md) has."


def _methods(kind: type, skip: frozenset[str]) -> Iterator[tuple[str, Any, bool]]:
    """(name, function, whether its first parameter is the object) of the public methods."""
    for name, value in inspect.getmembers_static(kind):
        plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if not name.startswith("_") and name not in skip and isinstance(plain, FunctionType):
            yield name, plain, not isinstance(value, staticmethod)


def _members(kind: type, skip: frozenset[str]) -> Iterator[str]:
    values = [
        (code(f".{name}"), _summary(value))
        for name, value in inspect.getmembers_static(kind)
        if not name.startswith("_") and name not in skip and isinstance(value, property | cached_property)
    ]
    if values:
        yield table(("property", "what it is"), values)
    methods = []
    for name, function, bound in _methods(kind, skip):
        names = list(inspect.signature(function).parameters)[1 if bound else 0 :]
        said = "".join(f"<br>`{p}`: {_meaning(f'{kind.__name__}.{name}', p)}" for p in names)
        methods.append((code(f".{name}{_short(function, bound=bound)}"), _summary(function) + said))
    if methods:
        yield table(("method", "what it does"), methods)


def _related(name: str, thing: Any, places: list[tuple[str, str]]) -> str:
    known = public()
    text = inspect.getdoc(thing) or ""
    named = [n for n in re.findall(r"te\.(?:significance\.|logs\.|testing\.)?\w+", text) if n in known and n != name]
    beside = (f"{name.rpartition('.')[0]}.{word}" for word in re.findall(r"`(\w+)`", text))
    near = [n for n in beside if n in known and n != name]
    givers = [n for n, f in known.items() if inspect.isclass(thing) and not inspect.isclass(f) and _given(f) is thing]
    functions = list(dict.fromkeys([*named, *near, *givers]))[:12]
    lines = [f"- {_link(n)}: {_summary(known[n])}" for n in functions]
    lines += [f"- [{title}](../../{place})" for place, title in places[:6] if place != "index.md"]
    return "\n".join(lines)


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
    """Names and defaults, folded; types stand in the table."""
    parameters = list(inspect.signature(thing).parameters.values())
    parts = [_parameter(p) for p in parameters]
    keyword = next((i for i, p in enumerate(parameters) if p.kind is p.KEYWORD_ONLY), None)
    if keyword is not None and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        parts.insert(keyword, "*")
    line = f"{name}({', '.join(parts)})"
    if len(line) <= WIDE:
        return line
    folded = textwrap.wrap(", ".join(parts), WIDE - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f"{name}(", *(f"    {line}" for line in folded), ")"])


def _parameter(p: inspect.Parameter) -> str:
    return _starred(p) if p.default is p.empty else f"{_starred(p)}={_value(p.default)}"


def _value(default: Any) -> str:
    """A default as people would write it."""
    if isinstance(default, float) and abs(default - round(3 * default) / 3) < 1e-12 and default % 1:
        return f"{round(3 * default)}/3"
    return f'"{default}"' if isinstance(default, str) else repr(default).replace("0.6666666666666666", "2/3")


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
        if isinstance(value, UnionType) or get_origin(value) is Union:
            return re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*", "", str(value))
        return match[0]

    text = re.sub(r"[A-Za-z_]\w*", spelt, text).replace("Rng", "int | Generator | SeedSequence")
    literal = re.compile(r"Literal\[([^\]]*)\]")
    return literal.sub(lambda m: m[1].replace("'", '"').replace(", ", " | "), text)


def _namespace(owner: Any) -> dict[str, Any]:
    # A decorated function has the types of its decorator's module, too, and those of groups of options.
    return {**vars(_groups), **getattr(owner, "__globals__", {}), **vars(sys.modules[owner.__module__])}


def _resolved(written: Any, owner: Any) -> Any:
    return _namespace(owner).get(written) if isinstance(written, str) else written


def _doc(thing: Any, *, rest: bool = False) -> str:
    """A docstring as Markdown, or what follows its first paragraph: examples become code blocks."""
    text = _UNLISTED.sub("", inspect.getdoc(thing) or "")
    if rest:
        text = text.partition("\n\n")[2]
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
