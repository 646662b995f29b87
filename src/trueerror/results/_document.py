"""What a result says, as blocks that every renderer reads: terminal, notebook, Markdown, LaTeX and the report."""

from __future__ import annotations

import dataclasses
import functools
import html
import itertools
import json
import math
import re
import unicodedata
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Flag, auto
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from trueerror._errors import InputError
from trueerror.results._files import write_file
from trueerror.results._format import (
    Text,
    aligned_columns,
    brief,
    escaped,
    filled,
    name_key,
    number,
    one_line,
    real_minus,
    width,
)
from trueerror.results._json import SCHEMA, TYPES, fields_of


class Plotted(Protocol):
    """What `.plot()` returns: it shows itself in notebooks and is saved by its file's ending (`trueerror.plots`)."""

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""

    def save(self, path: str | Path) -> Path:
        """Write it as .svg, .html, .png or .pdf."""

    def draw(
        self,
        ax: Any = None,
        *,
        label: str | Sequence[str] | None = None,
        color: Any = None,
        title: bool | str | None = None,
        annotate: bool | None = None,
    ) -> Any:
        """The same picture on matplotlib axes, which curves can share."""


# What results of other libraries offer, and where that is here.
SPOKEN_ELSEWHERE = {
    **dict.fromkeys(("to_frame", "to_pandas", "to_dataframe", "to_polars", "df"), ".frame() is the table"),
    **dict.fromkeys(("to_dict", "to_list", "asdict"), ".records() has the rows, .to_json() everything"),
    **dict.fromkeys(("pvalue", "p_val", "pval"), "it is called .p_value, of a pair cmp['a', 'b'].p_value"),
    "p_value": "each pair has its own: cmp['a', 'b'].p_value",
    **dict.fromkeys(
        ("conf_int", "confidence_interval", "ci", "lower", "upper", "ci_low", "ci_high", "lower_bound", "upper_bound"),
        "the limits are .low and .high",
    ),
    **dict.fromkeys(("to_csv", "to_excel", "to_parquet"), '.save("x.csv") writes it (also .md, .tex, .json, .html)'),
    **dict.fromkeys(("to_html", "html"), "a notebook shows it by itself; te.report writes a page"),
    **dict.fromkeys(("show", "display"), "print() shows it in words, .plot() as a picture"),
    **dict.fromkeys(
        ("best", "best_threshold", "optimal_threshold", "optimal_cutoff"),
        "te.roc_hull(truth, scores).best(cost_fp=1, cost_fn=5) chooses a threshold by costs",
    ),
    **dict.fromkeys(("summary", "report"), "print() shows it, .verdict is the first sentence"),
}


def _without_escapes(said: Callable[[Any], str]) -> Callable[[Any], str]:
    """A `__str__` whose lines hold no control characters, whatever the names in it hold."""

    @functools.wraps(said)
    def text(self: Any) -> str:
        words = said(self)
        return words if words.isprintable() else "\n".join(one_line(line) for line in words.split("\n"))

    return text


class Result:
    """Base of all results: frozen, in plain values, comparable with NaN equal to NaN."""

    __slots__ = ()
    # The data frame library of the input, where there was one: `.frame()` answers in kind.
    _backend: ClassVar[str | None] = None
    # Whether its Markdown begins with its verdict.
    _says_verdict: ClassVar[bool] = False
    # How its parts are asked for, where they are no attributes.
    _asked_for: ClassVar[str] = ""

    def __init_subclass__(cls, *, saved: bool = True) -> None:
        """Every result of this library can be read back by `te.load`, but bases of others (`saved=False`)."""
        super().__init_subclass__()
        if "__str__" in vars(cls):
            cls.__str__ = _without_escapes(vars(cls)["__str__"])  # type: ignore[method-assign]
        if cls.__module__.startswith("trueerror.") and saved:
            TYPES[cls.__name__] = cls

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What an attribute of other libraries is called here."""
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            if name in SPOKEN_ELSEWHERE:
                raise AttributeError(f"{message}; {SPOKEN_ELSEWHERE[name]}")
            raise AttributeError(
                message if name.startswith("_") or not self._asked_for else f"{message}; {self._asked_for}"
            )

    def records(self) -> list[dict[str, object]]:
        """The result as a list of flat dictionaries, one for each row of its table."""
        return [{f.name: getattr(self, f.name) for f in fields_of(self)}]

    def frame(self, backend: str | None = None) -> Any:
        """The records as a data frame: the input's library, else pandas, else polars ("pyarrow" on request)."""
        return to_frame(self.records(), backend or self._backend)

    def plot(self, **options: Any) -> Plotted:
        """The picture that belongs to this result: shows itself in notebooks without a network; `.svg`, `.save(path)`.

        A wrong option is told which there are.
        """
        figure: Plotted = import_module("trueerror.plots").figure(self, **options)
        return figure

    def draw(
        self,
        ax: Any = None,
        *,
        label: str | Sequence[str] | None = None,
        color: Any = None,
        title: bool | str | None = None,
        annotate: bool | None = None,
        **options: Any,
    ) -> Any:
        """The same picture on matplotlib axes, for figures that you compose yourself.

        Curves drawn one after the other share axes: each takes the next colour of the axes (or `color`) and a line of
        the legend (its name, or `label`). `title` is another one, or False for none; `annotate=False` leaves marks and
        words out. `options` are those of `.plot()`.
        """
        look = {"label": label, "color": color, "title": title, "annotate": annotate}
        return import_module("trueerror.plots").draw(self, ax, **look, **options)

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
            write_file(target, writers[ending]() + "\n")
        elif ending == ".csv":
            write_file(target, to_csv(self.records()))
        elif ending in (".html", ".png", ".svg", ".pdf"):
            import_module("trueerror.plots").save(self, target, **options)
        else:
            known = ".json .md .tex .txt .csv .html .png .svg .pdf"
            raise InputError(f"cannot save as {ending or 'a file without ending'!r}; the endings are {known}")
        return target

    def explain(self) -> Text:
        """How the number was made: the method, its formula, its source, what it assumes."""
        from trueerror.methods import explain, explain_parts

        method = str(getattr(self, "method", ""))
        return Text(explain(method, self) if method else explain_parts(self, self._made_by()))

    def _made_by(self) -> Sequence[tuple[str, object]]:
        """What `explain` tells of a result without a method of its own: (what, method key or result that has one).

        Unless a type says more, these are the results that it holds.
        """
        return [pair for f in fields_of(self) for pair in _held(f.name, getattr(self, f.name))]

    def to_json(self, *, indent: int | None = 2) -> str:
        """The whole result as JSON; `te.load` reads it back."""
        from trueerror.results._json import dumps

        return dumps(self, indent=indent)

    def document(self) -> Document:
        """What the result says, as blocks that every renderer reads."""
        return Document((Words(str(self)),))

    def to_markdown(self) -> str:
        """The result's tables as Markdown; an evaluation and a comparison begin with their verdict."""
        words = markdown_escape(str(getattr(self, "verdict", ""))) if self._says_verdict else ""
        tables = [table.to_markdown() for table in self._tables()]
        return "\n\n".join([words, *tables] if words else tables)

    def to_latex(self, *, caption: str | None = None, label: str | None = None, bold: bool = True) -> str:
        """The same as LaTeX tabulars (booktabs), the best figure of each column in bold.

        `caption` and `label` put each into a `table` environment; of several tables the first takes them.
        """
        first, *rest = self._tables()
        parts = [first.to_latex(caption=caption, label=label, bold=bold), *(t.to_latex(bold=bold) for t in rest)]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """For notebooks: what the result says and its picture, inline and without a network."""
        return self._html(str(import_module("trueerror.plots").inline_svg(self)))

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, str]:
        """The same with its words for front ends that show no HTML."""
        bundle = {"text/html": self._repr_html_(), "text/plain": repr(self)}
        return {k: v for k, v in bundle.items() if (include is None or k in include) and not (exclude and k in exclude)}

    def _html(self, picture: str = "") -> str:
        """What the result says as HTML, with its picture after the verdict."""
        return self.document().html(picture)

    def _table(self) -> Table:
        return from_records(self.records())

    def _tables(self) -> list[Table]:
        """The tables that are exported."""
        return [self._table()]

    def _to_data(self) -> dict[str, Any]:
        """What is written down: the fields, but those of which `metadata` says that they are not saved."""
        kept = [f.name for f in fields_of(self) if f.metadata.get("saved", True)]
        return {name: getattr(self, name) for name in kept}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        from trueerror.results._json import from_fields

        return from_fields(cls, data)

    def _key(self) -> tuple[Hashable, ...]:
        return tuple(_comparable(v) for v in self._to_data().values())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._key()))


class DocumentResult(Result, saved=False):
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


class TrackedResult(DocumentResult, saved=False):
    """A result that trackers take for a mapping, from names to numbers: `wandb.log(ev)`, `mlflow.log_metrics(ev)`."""

    __slots__ = ()

    def items(self) -> Iterable[tuple[str, float]]:
        """The numbers by name, each with its limits: accuracy, accuracy/low, accuracy/high."""
        return self.copy().items()

    def values(self) -> Iterable[float]:
        """The numbers alone."""
        return self.copy().values()

    def copy(self) -> dict[str, float]:
        """The numbers by name as a dictionary."""
        numbers: dict[str, float] = import_module("trueerror.tracking").numbers_of(self)
        return numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())


Mapping.register(TrackedResult)


def _held(name: str, value: Any) -> list[tuple[str, object]]:
    """The results with a method in a field, by name."""
    if isinstance(value, Result):
        method = str(getattr(value, "method", ""))
        return [(str(getattr(value, "name", "") or name), value)] if method else list(value._made_by())
    if isinstance(value, Mapping):
        return [pair for part in value.values() for pair in _held(name, part)]
    return [pair for part in value for pair in _held(name, part)] if isinstance(value, tuple | list) else []


def _comparable(value: object) -> Hashable:
    """A stand-in that is equal when the value is, with NaN equal to NaN."""
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, tuple | list):
        return tuple(_comparable(v) for v in value)
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return tuple((k, _comparable(v)) for k, v in value.items())
    if hasattr(value, "tolist"):
        return _comparable(value.tolist())
    return value


def to_frame(records: list[dict[str, object]], backend: str | None = None) -> Any:
    """Records as a frame of the named library, or of the first one that is installed."""
    choices = (backend,) if backend else ("pandas", "polars")
    for name in choices:
        if name not in ("pandas", "polars", "pyarrow"):
            raise InputError(f"backend={name!r} is not known; use 'pandas', 'polars' or 'pyarrow'")
        if find_spec(name) is None:
            continue
        columns = {key: [_flat(r.get(key)) for r in records] for key in (records[0] if records else {})}
        module = import_module(name)
        if name == "pandas":
            return module.DataFrame({key: _whole_numbers(values, module) for key, values in columns.items()})
        if name == "polars":
            return module.DataFrame(columns, strict=False)
        return module.table(columns)
    wanted = backend or "pandas or polars"
    raise ImportError(f"{wanted} is not installed; .records() gives the same rows as plain dictionaries")


def _whole_numbers(values: list[object], pandas: Any) -> Any:
    """Whole numbers with gaps as such, which pandas would turn into floats."""
    known = [v for v in values if v is not None]
    gaps = len(known) < len(values)
    whole = gaps and bool(known) and all(type(v) is int and abs(v) < 1 << 63 for v in known)
    return pandas.array(values, dtype="Int64") if whole else values


def _flat(value: object) -> object:
    if value is None or isinstance(value, int | float | bool):
        return value
    # Frames keep text in UTF-8, which has no half characters (those of a name in another encoding).
    return str(value).encode("utf-8", "backslashreplace").decode()


def to_csv(records: list[dict[str, object]]) -> str:
    """Records as CSV text.

    >>> print(to_csv([{"model": "=cmd()", "n": -5, "class": "-1"}]))
    model,n,class
    '=cmd(),-5,-1
    <BLANKLINE>
    """
    import csv
    import io

    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(records[0]) if records else [])
    writer.writeheader()
    writer.writerows({name: _csv_cell(value) for name, value in record.items()} for record in records)
    return out.getvalue()


def _csv_cell(value: object) -> object:
    """User text that neither a terminal nor a spreadsheet runs: a formula gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    text = one_line(value)
    # Some programs skip blanks, and some take full-width signs for plain ones.
    first = unicodedata.normalize("NFKC", text.lstrip()[:1])
    formula = first in ("=", "@") or (
        first in ("+", "-", "−") and re.fullmatch(r"[-+−](?:[\d.,]+(?:[eE][-+]?\d+)?)?", text) is None
    )
    return f"'{text}" if formula else text


# What each command can answer.
ANSWERS: dict[str, tuple[str, ...]] = {
    "evaluate": ("Evaluation",), "compare": ("Comparison", "CostComparison", "MarginalComparison"), "gate": ("Gate",),
    "check": ("Findings",), "repeats": ("Repeats",), "agreement": ("RaterAgreement",), "arena": ("Arena",),
    "ppi": ("PredictionPowered",), "label-plan": ("LabelPlan",),
}  # fmt: skip


def schema_for(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what a command answers under `--format json`, or of a result type.

    Under one version fields may be added; none is dropped or changes its meaning.

    >>> made = schema_for("gate")
    >>> made["title"], made["$defs"]["Gate"]["properties"]["decision"]["enum"]
    ('trueerror/1: gate', ['pass', 'fail', 'cannot tell'])
    """
    whole = json.loads(files("trueerror.results").joinpath("trueerror-1.schema.json").read_text(encoding="utf-8"))
    kinds = (*ANSWERS[name], "Table") if name in ANSWERS else (name,)
    unknown = [kind for kind in kinds if kind not in whole["$defs"]]
    if unknown:
        raise InputError(f"there is no schema for {name!r}; there is one for {', '.join(ANSWERS)}")
    return {
        **whole,
        "$id": f"{whole['$id']}:{name}",
        "title": f"{SCHEMA}: {name}",
        "type": "object",
        "properties": {"schema": {"const": SCHEMA}},
        "required": ["schema"],
        "anyOf": [{"$ref": f"#/$defs/{kind}"} for kind in kinds],
    }


# Columns of a terminal.
WIDTH = 80

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "…": r"\ldots{}", "–": "--",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"}, "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≥": r"$\geq$",
    "≤": r"$\leq$", "<": "$<$", ">": "$>$",
}  # fmt: skip


def latex_escape(text: str) -> str:
    """User text, safe inside LaTeX.

    >>> latex_escape("a_b & 5 %")
    'a\\\\_b \\\\& 5 \\\\%'
    >>> print(latex_escape('always "legit"'))
    always ``legit''
    """
    # A straight quote opens at the start of a word and closes elsewhere.
    quoted = re.sub(r'(?<![^\s(\[–-])"', "``", text).replace('"', "''")
    return one_line("".join(LATEX_SPECIAL.get(c, c) for c in quoted))


# Mentions, issues, commits, addresses, symbols by name, formulas.
LIVE = re.compile(r"@\w|#\d|GH-\d|://|www\.|:[\w+-]+:|\$|\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}\b")


def markdown_escape(text: str) -> str:
    """User text, safe inside a Markdown table cell; a word that a page would make a link or a mention of is code.

    >>> print(markdown_escape("a_b of @me, see http://x"))
    a\\_b of `@me`, see `http://x`
    """
    return " ".join(map(_markdown_word, one_line(text).split()))


def _markdown_word(word: str) -> str:
    if LIVE.search(word):
        name = word.rstrip(".,;")
        return markdown_code(name).replace("|", "\\|") + word[len(name) :]
    return re.sub(r"([\\|*_`~\[\]])", r"\\\1", html.escape(word, quote=False))


def markdown_code(name: str) -> str:
    """A name as code, in which a page makes nothing live."""
    text = one_line(name)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text or ' '}{fence}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Table(Result):
    """Cells of text under headings; the first `names` columns are left-aligned names, the rest numbers.

    `best` are the places (row, column) of the best figures, which LaTeX prints in bold; `remark` stands with the
    table in Markdown and LaTeX.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1
    title: str = ""
    best: tuple[tuple[int, int], ...] = dataclasses.field(default=(), metadata={"saved": False})
    remark: str = dataclasses.field(default="", metadata={"saved": False})

    def records(self) -> list[dict[str, object]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int = WIDTH) -> str:
        """Aligned columns within `most` characters; long names are cut but stay different, numbers and headings are
        never cut. A heading of several words goes over two lines where that saves names from being cut.
        """
        lines = aligned_columns(self.columns, self.rows, self.names, most)
        return "\n".join([self.title, *lines] if self.title else lines)

    def to_markdown(self) -> str:
        head = "| " + " | ".join(markdown_escape(c) for c in self.columns) + " |"
        rule = "|" + "|".join(" --- " if i < self.names else " ---: " for i in range(len(self.columns))) + "|"
        body = ["| " + " | ".join(map(markdown_escape, self._printed(row))) + " |" for row in self.rows]
        above = [markdown_escape(self.remark), ""] if self.remark else []
        return "\n".join([*above, head, rule, *body])

    def to_latex(self, *, caption: str | None = None, label: str | None = None, bold: bool = True) -> str:
        """A `tabular` with booktabs rules, the best figures in bold and the table's note beneath it.

        With `caption` or `label` within a `table` environment.
        """
        spec = "l" * self.names + "r" * (len(self.columns) - self.names)
        lines = [rf"\begin{{tabular}}{{{spec}}}", r"\toprule"]
        lines.append(" & ".join(latex_escape(c) for c in self.columns) + r" \\")
        lines.append(r"\midrule")
        for i, row in enumerate(self.rows):
            cells = [latex_escape(c) for c in self._printed(row)]
            if bold:
                cells = [rf"\textbf{{{c}}}" if (i, j) in self.best else c for j, c in enumerate(cells)]
            lines.append(" & ".join(cells) + r" \\")
        lines.append(r"\bottomrule")
        if self.remark:
            note = latex_escape(" ".join(self.remark.split()))
            lines.append(rf"\multicolumn{{{len(self.columns)}}}{{l}}{{\footnotesize {note}}} \\")
        lines.append(r"\end{tabular}")
        if caption is None and label is None:
            return "\n".join(lines)
        about = [rf"\caption{{{latex_escape(caption)}}}"] if caption is not None else []
        about += [rf"\label{{{label}}}"] if label is not None else []
        return "\n".join([r"\begin{table}", r"\centering", *about, *lines, r"\end{table}"])

    def _printed(self, row: Sequence[str]) -> list[str]:
        """Cells for print: numbers have a real minus, names stay as they are."""
        return [c if j < self.names else real_minus(c) for j, c in enumerate(row)]

    def _repr_html_(self) -> str:
        return self._html()

    def _html(self, picture: str = "") -> str:
        def cells(row: Sequence[str], tag: str) -> str:
            return "".join(
                f'<{tag} style="text-align:{"left" if i < self.names else "right"}">{escaped(c)}</{tag}>'
                for i, c in enumerate(row)
            )

        caption = f"<caption>{escaped(self.title)}</caption>" if self.title else ""
        body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in self.rows)
        return f"<table>{caption}<thead><tr>{cells(self.columns, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def from_records(records: Sequence[dict[str, object]], *, names: int = 1, title: str = "") -> Table:
    """A table of any records, numbers rounded as everywhere."""

    def cell(value: object) -> str:
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        return f"{value:,}" if isinstance(value, int) else number(value)

    columns = tuple(records[0]) if records else ()
    rows = tuple(tuple(cell(record.get(c)) for c in columns) for record in records)
    return Table(columns=columns, rows=rows, names=names, title=title)


def cells_block(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, names: int = 1, title: str = "", note: str = ""
) -> TableBlock:
    """A table of cells that know what they are sorted by."""
    text = tuple(tuple(words for words, _ in row) for row in rows)
    table = Table(columns=tuple(columns), rows=text, names=names, title=title, remark=note)
    return TableBlock(table, keys=[[key for _, key in row] for row in rows])


# How sure a verdict is; "bad" is bad news.
Tone = Literal["clear", "probable", "open", "bad", ""]
# What a table shows, and what it is sorted by.
Cell = tuple[str, float | None]


class Media(Flag):
    """Where a block is shown; EXPORT is Markdown and LaTeX."""

    TEXT = auto()
    NOTEBOOK = auto()
    EXPORT = auto()
    SCREEN = TEXT | NOTEBOOK
    ALL = TEXT | NOTEBOOK | EXPORT


@dataclass(frozen=True, slots=True)
class Words:
    """Text as it is, for results that lay out their own lines."""

    words: str
    where: Media = Media.SCREEN

    def text(self, most: int = WIDTH) -> str:
        return self.words

    def html(self) -> str:
        parts: list[str] = []
        for laid_out, group in itertools.groupby(self._joined(), key=_laid_out):
            lines = [escaped(line) for line in group if line or laid_out]
            parts += [f"<pre>{chr(10).join(lines)}</pre>"] if laid_out else [f"<p>{line}</p>" for line in lines]
        return "".join(parts)

    def _joined(self) -> list[str]:
        """The lines, with sentences that were broken for want of room made whole."""
        lines: list[str] = []
        before = ""
        for line in self.words.split("\n"):
            first = line.split(" ")[0]
            broken = before and first and not _laid_out(line) and not _laid_out(before)
            if broken and width(before) + 1 + width(first) > WIDTH - 12:
                lines[-1] += f" {line}"
            else:
                lines.append(line)
            before = line
        return lines


def _laid_out(line: str) -> bool:
    """Whether a line is set in, or a row of a table."""
    return re.search(r"^ |\S {2,}\S", line) is not None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of prose, each wrapped by itself; `hanging` is the indent of what a line runs over to."""

    lines: tuple[str, ...]
    hanging: str = ""
    where: Media = Media.TEXT

    def text(self, most: int = WIDTH) -> str:
        return "\n".join([filled(line, WIDTH, subsequent_indent=self.hanging) for line in self.lines])

    def html(self) -> str:
        return f"<p>{escaped(chr(10).join(self.lines))}</p>" if self.lines else ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from the numbers, in plain words: one sentence or a few on each line; `tone` is how sure that is."""

    lines: tuple[str, ...]
    width: int = WIDTH - 2
    where: Media = Media.SCREEN
    tone: Tone = ""

    def text(self, most: int = WIDTH) -> str:
        return "\n".join(
            [filled(line, self.width, initial_indent="  ", subsequent_indent="  ") for line in self.lines if line]
        )

    def html(self) -> str:
        words = " ".join(self.lines)
        return f"<p><b>{escaped(words)}</b></p>" if words else ""


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A table, what is said right beneath it in a terminal, and what its cells are sorted by in the report.

    `pieces` gives the same cells in tables that fit so many columns of a terminal, where one would be too wide.
    """

    table: Table
    beneath: tuple[str, ...] = ()
    pieces: Callable[[int], Sequence[Table]] | None = None
    keys: Sequence[Sequence[float | None]] | None = None
    where: Media = Media.ALL

    def text(self, most: int = WIDTH) -> str:
        tables = (self.table,) if self.pieces is None else self.pieces(most)
        body = "\n\n".join(table.text(most) for table in tables)
        return "\n".join([body, *(filled(line, WIDTH) for line in self.beneath)])

    def html(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, slots=True)
class Bullets:
    """Findings, those with the same words once; `grave` are the places of those that are errors."""

    lines: tuple[str, ...]
    where: Media = Media.SCREEN
    grave: tuple[int, ...] = ()

    def text(self, most: int = WIDTH) -> str:
        return "\n".join([filled(line, WIDTH, subsequent_indent="  ") for line in self.lines])

    def html(self) -> str:
        return f"<ul>{''.join(f'<li>{escaped(line)}</li>' for line in self.lines)}</ul>" if self.lines else ""


@dataclass(frozen=True, slots=True)
class Footer:
    """Of what the numbers are estimates, and by which methods."""

    lines: tuple[str, ...]
    hanging: str = ""
    where: Media = Media.SCREEN

    def text(self, most: int = WIDTH) -> str:
        return Paragraph(self.lines, self.hanging).text()

    def html(self) -> str:
        return f"<p><small>{escaped(chr(10).join(self.lines))}</small></p>" if self.lines else ""


Block = Words | Paragraph | Verdict | TableBlock | Bullets | Footer


@dataclass(frozen=True, slots=True)
class Document:
    """The blocks of a result, in the order in which they are read."""

    blocks: tuple[Block, ...]
    # Of models: where all are long and begin or end alike, a screen shows what they differ in.
    names: tuple[str, ...] = ()

    def shown(self, where: Media) -> list[Block]:
        """The blocks that stand there."""
        blocks = [block for block in self.blocks if where & block.where]
        key = name_key(self.names) if where in Media.SCREEN else []
        if not key:
            return blocks
        short: list[Block] = [_with_handles(block, self.names) for block in blocks]
        place = next((i for i, block in enumerate(short) if isinstance(block, Footer)), len(short))
        return [*short[:place], Paragraph(tuple(key)), *short[place:]]

    @property
    def lead(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text().partition("\n\n")[0].split())

    def text(self, most: int = WIDTH) -> str:
        """For a terminal; tables take up to `most` columns."""
        return "\n\n".join(words for block in self.shown(Media.TEXT) if (words := block.text(most)))

    def html(self, picture: str = "") -> str:
        """For a notebook: `picture`, as markup, stands after the verdict, or at the end where there is none."""
        parts: list[str] = []
        after_table = False
        blocks = self.shown(Media.NOTEBOOK)
        last = max((i for i, block in enumerate(blocks) if isinstance(block, Verdict)), default=-1)
        for i, block in enumerate(blocks):
            is_table = isinstance(block, TableBlock)
            parts += [*(["<br>"] if after_table and is_table else []), block.html()]
            after_table = is_table
            if i == last and picture:
                parts.append(f"<div>{picture}</div>")
                picture = ""
        parts += [f"<div>{picture}</div>"] if picture else []
        return f"<div>{''.join(parts)}</div>"

    def tables(self) -> list[Table]:
        """The tables that are exported."""
        return [block.table for block in self.shown(Media.EXPORT) if isinstance(block, TableBlock)]


def page(
    reading: str,
    verdict: Sequence[str],
    *blocks: Block | None,
    footer: Sequence[str] = (),
    hanging: str = "",
    tone: Tone = "",
    names: Sequence[str] = (),
) -> Document:
    """The usual order: what was read, the verdict, tables and the rest (None is left out), then the small print.

    `names` are those of the models that it is about.
    """
    between = tuple(block for block in blocks if block is not None)
    verdict_block = Verdict(tuple(verdict), tone=tone)
    return Document((data_summary(reading), verdict_block, *between, Footer(tuple(footer), hanging)), tuple(names))


def _with_handles(value: Any, names: tuple[str, ...]) -> Any:
    """A block with the names in its words and tables cut to their handles."""
    if isinstance(value, str):
        return brief(value, names)
    if isinstance(value, tuple):
        return tuple(_with_handles(part, names) for part in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    members = {f.name: getattr(value, f.name) for f in fields(value) if f.name not in ("where", "tone")}
    return replace(value, **{k: _with_handles(v, names) for k, v in members.items()})


def data_summary(reading: str, *, by_line: bool = False) -> Paragraph:
    """What was read, as the first paragraph of a result; `by_line` keeps its lines apart."""
    lines = reading.splitlines() if by_line else [reading] if reading else []
    return Paragraph(tuple(map(one_line, lines)), where=Media.SCREEN)
