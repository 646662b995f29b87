"""What every result can do: print in words, tabulate, plot, explain itself, be written down.

The published schema of the JSON that results are written as, so that other programs can rely on it.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Hashable, Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from trueerror.results._document import Document, Words
from trueerror.results._format import Text
from trueerror.results._json import SCHEMA, TYPES

if TYPE_CHECKING:
    from trueerror.results._tables import Table


class Plotted(Protocol):
    """What `.plot()` returns: it shows itself in notebooks and is saved by its file's ending (`trueerror.plots`)."""

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""

    def save(self, path: str | Path) -> Path:
        """Write it as .svg, .html, .png or .pdf."""

    def draw(self, ax: Any = None) -> Any:
        """The same picture on matplotlib axes."""


class Result:
    """Base of all results: frozen, in plain values, comparable with NaN equal to NaN."""

    __slots__ = ()
    # The data frame library of the input, where there was one: `.frame()` answers in kind.
    _backend: ClassVar[str | None] = None

    def __init_subclass__(cls) -> None:
        """Every result of this library can be read back by `te.load`."""
        super().__init_subclass__()
        if cls.__module__.startswith("trueerror."):
            TYPES[cls.__name__] = cls

    def records(self) -> list[dict[str, object]]:
        """The result as a list of flat dictionaries, one for each row of its table."""
        return [{f.name: getattr(self, f.name) for f in dataclasses.fields(self)}]  # type: ignore[arg-type]

    def frame(self, backend: str | None = None) -> Any:
        """The records as a data frame: the input's library, else pandas, else polars ("pyarrow" on request)."""
        return to_frame(self.records(), backend or self._backend)

    def plot(self, **options: Any) -> Plotted:
        """The picture that belongs to this result: shows itself in notebooks without a network; `.svg`, `.save(path)`.

        A wrong option is told which there are.
        """
        figure: Plotted = import_module("trueerror.plots").figure(self, **options)
        return figure

    def draw(self, ax: Any = None, **options: Any) -> Any:
        """The same picture on matplotlib axes, for figures that you compose yourself."""
        return import_module("trueerror.plots").draw(self, ax, **options)

    def save(self, path: str | Path, **options: Any) -> Path:
        """Write to a file by its ending: .json .md .tex .txt .csv, or the picture (with its options) as .html .png .svg
        .pdf.
        """
        target = Path(path)
        ending = target.suffix.lower()
        writers = {
            ".json": self.to_json,
            ".md": self.to_markdown,
            ".tex": self.to_latex,
            ".txt": self.__str__,
        }
        if ending in writers:
            target.write_text(writers[ending]() + "\n", encoding="utf-8")
        elif ending == ".csv":
            target.write_text(to_csv(self.records()), encoding="utf-8", newline="")
        elif ending in (".html", ".png", ".svg", ".pdf"):
            import_module("trueerror.plots").save(self, target, **options)
        else:
            known = ".json .md .tex .txt .csv .html .png .svg .pdf"
            raise ValueError(f"cannot save as {ending or 'a file without ending'!r}; the endings are {known}")
        return target

    def explain(self) -> Text:
        """How the number was made: the method, its formula, its source, what it assumes."""
        from trueerror.methods import explain, explain_parts

        own = str(getattr(self, "method", ""))
        return Text(explain(own, self) if own else explain_parts(self, self._made_by()))

    def _made_by(self) -> Sequence[tuple[str, object]]:
        """What `explain` tells of a result without a method of its own: (what, method key or result that has one).

        Unless a type says more, these are the results that it holds.
        """
        names = [f.name for f in dataclasses.fields(self)] if hasattr(self, "__dataclass_fields__") else []  # type: ignore[arg-type]
        return [pair for name in names for pair in _held(name, getattr(self, name))]

    def to_json(self, *, indent: int | None = 2) -> str:
        """The whole result as JSON; `te.load` reads it back."""
        from trueerror.results._json import dumps

        return dumps(self, indent=indent)

    def document(self) -> Document:
        """What the result says, as blocks that every renderer reads."""
        return Document((Words(str(self)),))

    def to_markdown(self) -> str:
        """The result's tables as Markdown."""
        return "\n\n".join(table.to_markdown() for table in self._tables())

    def to_latex(self) -> str:
        """The same as LaTeX tabulars (booktabs)."""
        return "\n\n".join(table.to_latex() for table in self._tables())

    def _repr_html_(self) -> str:
        return self.document().html()

    def _table(self) -> Table:
        from trueerror.results._tables import from_records

        return from_records(self.records())

    def _tables(self) -> list[Table]:
        """The tables that are exported."""
        return [self._table()]

    def _to_data(self) -> dict[str, Any]:
        """What is written down: the fields, but those of which `metadata` says that they are not saved."""
        kept = [f.name for f in dataclasses.fields(self) if f.metadata.get("saved", True)]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in kept}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        from trueerror.results._json import from_fields

        return from_fields(cls, data)  # type: ignore[no-any-return]

    def _key(self) -> tuple[Hashable, ...]:
        return tuple(_comparable(v) for v in self._to_data().values())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))


class DocumentResult(Result):
    """A result whose text, notebook page and tables are renderings of one document."""

    __slots__ = ()

    def document(self) -> Document:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.document().text()

    def __repr__(self) -> str:
        return str(self)

    def _table(self) -> Table:
        return self._tables()[0]

    def _tables(self) -> list[Table]:
        return self.document().tables() or [Result._table(self)]


def _held(name: str, value: Any) -> list[tuple[str, object]]:
    """The results with a method in a field, by name."""
    if isinstance(value, Result):
        method = str(getattr(value, "method", ""))
        return [(str(getattr(value, "name", "") or name), value)] if method else list(value._made_by())
    if isinstance(value, Mapping):
        return [pair for held in value.values() for pair in _held(name, held)]
    return [pair for held in value for pair in _held(name, held)] if isinstance(value, tuple | list) else []


def _comparable(value: Any) -> Hashable:
    """A stand-in that is equal when the value is, with NaN equal to NaN."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, tuple | list):
        return tuple(_comparable(v) for v in value)
    if isinstance(value, Mapping):
        return tuple((k, _comparable(v)) for k, v in value.items())
    if hasattr(value, "tolist"):
        return _comparable(value.tolist())
    return value  # type: ignore[no-any-return]


def to_frame(records: list[dict[str, object]], backend: str | None = None) -> Any:
    """Records as a frame of the named library, or of the first one that is installed."""
    choices = (backend,) if backend else ("pandas", "polars")
    for name in choices:
        if name not in ("pandas", "polars", "pyarrow"):
            raise ValueError(f"backend={name!r} is not known; use 'pandas', 'polars' or 'pyarrow'")
        if find_spec(name) is None:
            continue
        columns = {key: [_flat(r.get(key)) for r in records] for key in (records[0] if records else {})}
        module = import_module(name)
        if name == "pandas":
            return module.DataFrame(columns)
        if name == "polars":
            return module.DataFrame(columns, strict=False)
        return module.table(columns)
    wanted = backend or "pandas or polars"
    raise ImportError(f"{wanted} is not installed; .records() gives the same rows as plain dictionaries")


def _flat(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def to_csv(records: list[dict[str, object]]) -> str:
    """Records as CSV text."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else [])
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


# What each command can answer.
ANSWERS: dict[str, tuple[str, ...]] = {
    "evaluate": ("Evaluation",),
    "compare": ("Comparison", "CostComparison"),
    "gate": ("Gate",),
    "check": ("Findings",),
}


def schema_for(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a command answers under `--format json`, or of a result type.

    Under one version fields may be added; none is dropped or changes its meaning.

    >>> made = schema_for("gate")
    >>> made["title"], made["$defs"]["Gate"]["properties"]["decision"]["enum"]
    ('trueerror/1: gate', ['pass', 'fail', 'cannot tell'])
    """
    whole = json.loads(files("trueerror.results").joinpath("trueerror-1.schema.json").read_text(encoding="utf-8"))
    kinds = ANSWERS.get(name, (name,))
    unknown = [kind for kind in kinds if kind not in whole["$defs"]]
    if unknown:
        raise ValueError(f"there is no schema for {name!r}; there is one for {', '.join(ANSWERS)}")
    return {
        **whole,
        "$id": f"{whole['$id']}:{name}",
        "title": f"{SCHEMA}: {name}",
        "type": "object",
        "properties": {"schema": {"const": SCHEMA}},
        "required": ["schema"],
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds],
    }
