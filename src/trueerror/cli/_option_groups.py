"""Groups of options that several commands share, each handed to a command as one object."""

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, get_args

from trueerror.cli._answers import keep_names, show
from trueerror.cli._terminal import Colour
from trueerror.inputs._groups import Group, option
from trueerror.inputs._options import InputError, check_word
from trueerror.results import Result
from trueerror.results._document import Block, Words
from trueerror.results._format import filled

if TYPE_CHECKING:
    from trueerror.sources._predictions import Predictions
    from trueerror.sources._tables import InputTable
    from trueerror.tallies import Confusion

# Columns that are recognised by their names, unless "none" declines them.
DECLINABLE = ("id", "cluster", "fold", "repeat", "weight")


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowsOptions(Group):
    """Which column of a file is what, and how its rows count: the options of `te.read`."""

    PLACE = "Columns"
    truth: str | None = option(None, "Column with the true classes.", "COLUMN")
    models: list[str] | None = option(
        None, "Column with a model's labels or scores; repeat for several.", "COLUMN", list[str], "--model -m")
    score: list[str] | None = option(
        None, "Column with a model's scores (higher = more positive).", "COLUMN", list[str])
    right: list[str] | None = option(
        None, "Column that says who was right (1) or wrong (0); repeat for several, or 'all'.", "COLUMN", list[str])
    right_from: float | None = option(
        None, "In logs and with --right: scores of at least this are right.", "NUMBER", float)
    positive: str | None = option(None, "The positive class.", "LABEL")
    id: str | None = option(None, "Column that names each row.", "COLUMN")
    cluster: list[str] | None = option(
        None, "Column of clusters (repeat for two keys); 'none' takes rows as independent.", "COLUMN", list[str])
    time: str | None = option(None, "Column of the time of each row: limits allow for errors in runs.", "COLUMN")
    by: str | None = option(
        None, "Column of slices, with results for each value; a,b for combinations.", "COLUMN")
    fold: str | None = option(None, "Column of cross-validation folds.", "COLUMN")
    repeat: str | None = option(None, "Column of repeats of the folds.", "COLUMN")
    weight: str | None = option(None, "Column of row weights.", "COLUMN")
    weights_kind: str | None = option(None, "What the weights mean: frequency or sampling.", "KIND")
    missing: str = option("error", "Rows without a prediction: error, wrong or drop.", "RULE")
    budget: str | None = option(None, "Memory for exact tables of scores, such as 500MB (default 2GB).", "SIZE")
    grade: list[str] | None = option(
        None, "Column with a grade of each row, from 0 to 1; repeat for several, one a model.", "COLUMN", list[str])
    scale: tuple[float, ...] | None = option(None, "Lowest and highest grade, if not 0 and 1: 1,5.", "LOW,HIGH")
    threshold: float | None = option(None, "Scores of at least this are flagged as positive.", "NUMBER", float)
    names: str | None = option(
        None, "Columns of a file without a header: truth,svm; or some by place: 1=truth,30=svm.", "NAMES")
    table: str | None = option(
        None, "Table of a SQLite or DuckDB file with several, or sheet of a workbook.", "NAME")
    columns: bool = option(False, "Show how the file was read, and stop.", "", bool)
    # fmt: on

    def to_read(self) -> dict[str, Any]:
        """The options by name, for `read_file`; missing predictions do not matter to those who ask for columns."""
        options = dataclasses.asdict(self)
        options |= {"missing": "drop"} if options.pop("columns") else {}
        grade, scale, names = (options.pop(word) for word in ("grade", "scale", "names"))
        options |= {"grade": grade, "scale": scale} if grade or scale else {}
        return options | ({} if names is None else {"names": names_typed(names)})

    def read(
        self, file: str | list[str], *, named: bool = False, cut: bool = False, beside: str | None = None
    ) -> "Predictions":
        """The predictions in a file, or in several; models are `cut` at the threshold here where the verb does not.

        With `named`, a model that its file leaves unnamed is called by the file's name, so that two files differ.
        `beside` is the other one of two files.
        """
        options = self.to_read() | {"table": self.table_of(file, beside)} | ({} if cut else {"threshold": None})
        return read_named(file, **options) if named and isinstance(file, str) else read_file(file, **options)

    def truth_first(self, files: list[str]) -> bool:
        """Whether the first of several files holds the truth: there is none beside grades, or who was right."""
        return not self.right and not self.grade and truth_first(files, self.truth, self.table)

    def table_of(self, file: str | list[str], beside: str | list[str] | None) -> str | None:
        """--table for one of two files: that of a database is none of the CSV file beside it."""
        from trueerror.sources._open_tables import table_for

        return table_for(file, beside, self.table)


def names_typed(text: str) -> list[str] | dict[int, str]:
    """ "truth,svm" as names of columns, "1=truth,30=svm" as names by place."""
    words = [word.strip() for word in text.split(",")]
    pairs = [word.partition("=") for word in words]
    if all(mark and place.strip().isdigit() for place, mark, _ in pairs):
        return {int(place): name.strip() for place, _, name in pairs}
    return words


def read_file(
    file: str | list[str] | dict[str, str],
    *,
    models: list[str] | None = None,
    score: list[str] | None = None,
    **columns: Any,
) -> "Predictions":
    """Predictions from a file; `models` names columns of labels or scores, `score` columns of scores.

    Several files are logs, the truth followed by predictions, or parts of one table.
    """
    from trueerror.sources._api import read
    from trueerror.sources.logs._registry import log_reader

    source = file[0] if isinstance(file, list) and len(file) == 1 else file
    columns = _declined(columns)
    if columns.get("right") == ["all"]:
        columns["right"] = True
    columns["right"] = columns.get("right") or None
    if columns.get("grade") is not None:
        if score:
            raise InputError("--score names scores of classes, and --grade says that the rows carry grades: leave one")
        grade = columns.pop("grade")
        given = read(source, models=models or None, grade=grade[0] if len(grade) == 1 else grade, **columns)
    elif log_reader(source) is not None:
        # A log names its own models; --score names what decides between right and wrong.
        given = read(source, models=models or None, score=score or None, **columns)
    elif (
        isinstance(file, list)
        and len(file) > 1
        and not columns["right"]
        and truth_first(file, columns.get("truth"), columns.get("table"))
    ):
        columns |= {"right": None, "label": models[0] if models else None, "score": score[0] if score else None}
        given = read(file[0], predictions=file[1:], **columns)
    else:
        given = read(source, models=_model_columns(models, score) if score else models or None, **columns)
    keep_names([*given.models, *given.labels])
    return given


def _declined(columns: dict[str, Any]) -> dict[str, Any]:
    """The options with "none" for columns that are not to be recognised, and a,b for slices by both."""
    several = columns.get("cluster") or []
    columns = columns | ({"cluster": several[0]} if len(several) == 1 else {})
    columns = columns | {kind: False for kind in DECLINABLE if columns.get(kind) == "none"}
    if isinstance(columns.get("by"), str) and "," in columns["by"]:
        columns["by"] = [name.strip() for name in columns["by"].split(",")]
    return columns


def read_together(files: list[str], rows: RowsOptions) -> bool:
    """Whether several files are one thing: logs of one tool, or the truth and then predictions."""
    from trueerror.sources.logs._registry import log_reader

    return log_reader(files) is not None or rows.truth_first(files)


def truth_first(files: list[str], truth: str | None, table: str | None) -> bool:
    """Whether the first of several files holds the truth, and the others predictions alone."""
    from trueerror.sources._api import input_table, is_truth_first
    from trueerror.sources._open_tables import holds_tables

    def opened(file: Any) -> Any:
        return input_table(file, table=table if holds_tables(file) else None)

    return "-" not in files and is_truth_first(files, truth, opened)


def file_notes(table: "InputTable") -> list[Words]:
    """What there is to say about a file, for answers that do not say what was read."""
    return [Words(filled(note)) for note in table.notes]


def _model_columns(models: list[str] | None, score: list[str]) -> dict[str, str | dict[str, str | dict[object, str]]]:
    """The columns of each model, where --score names some."""
    if not models:
        return {s: {"score": s} for s in score}
    if len(models) != len(score):
        raise InputError(
            f"--model names {len(models)} columns and --score {len(score)}: give one score for each model, or only "
            "one of the two"
        )
    return {m: {"label": m, "score": s} for m, s in zip(models, score, strict=True)}


def read_named(file: str, **options: Any) -> "Predictions":
    """The same, with a model that its file leaves unnamed called by the file's name."""
    from trueerror.sources._api import read
    from trueerror.sources.logs._registry import log_reader

    given = read_file(file, **options)
    if given.models != ("model",) or file == "-":
        return given
    name = Path(file).name.split(".")[0]
    if options.get("grade"):
        return read_file(file, **options | {"models": [name]})
    if log_reader(file) is not None:
        return read_file({name: file}, **options)
    parts = {kind: c for kind in ("labels", "scores") if (c := given.roles.column(kind, "model")) is not None}
    if not parts:
        return given
    rest = {k: v for k, v in options.items() if k not in ("models", "score")}
    rest["right"] = [parts["labels"]] if given.graded else None
    return read(file, models={name: {kind.rstrip("s"): column for kind, column in parts.items()}}, **rest)


ORDER = " The first row and column were read as the negative class; if they are the positive one: --positive 0."


# fmt: off
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MatrixOptions(Group):
    """Confusion matrices, typed."""

    matrix: list[str] | None = option(
        None, "A confusion matrix row by row, rows = truth: '150 40 60 250', with a name 'M1=150 40 60 250', or "
        "'tp=250 fp=40 fn=60 tn=150'; repeat for several.", "COUNTS", list[str])
    labels: str | None = option(None, "The classes of --matrix in order, such as 'no yes'; else 0, 1, …", "NAMES")
    # fmt: on

    def check(self, rows: "RowsOptions | None" = None) -> None:
        """Names of classes without a matrix would go unread, and so would columns beside one."""
        if self.labels is not None and not self.matrix:
            raise InputError("--labels names the classes of --matrix, and there is none; leave it out")
        if self.matrix and rows is not None:
            for field in dataclasses.fields(rows):
                if field.name != "positive" and getattr(rows, field.name) != field.default:
                    word = f"--{'model' if field.name == 'models' else field.name.replace('_', '-')}"
                    raise InputError(f"{word} is about the columns of a file, and --matrix has none; leave it out")

    def noted(self, found: Any, positive: str | None) -> Any:
        """The answer; where four bare counts leave open which class is positive, with how the other one is said."""
        bare = [t for t in self.matrix or () if re.fullmatch(r"(.*=)?(\W*\d+){4}\W*", t)]
        known = self.labels or positive or not bare
        return found if known else dataclasses.replace(found, reading=found.reading + ORDER)

    def tables(self, positive: str | None) -> "dict[str, Confusion]":
        """The matrices by name."""
        names = None if self.labels is None else [word for word in re.split(r"[\s,;]+", self.labels) if word]
        matrices: dict[str, Confusion] = {}
        for place, text in enumerate(self.matrix or (), start=1):
            name, table = typed_matrix(text, names, positive)
            name = name or f"matrix {place}"
            if name in matrices:
                raise InputError(f"two matrices are called {name!r}: give each a name, 'NAME=150 40 60 250'")
            matrices[name] = table
        return matrices


def typed_matrix(text: str, labels: list[str] | None, positive: str | None) -> "tuple[str, Confusion]":
    """ "150 40 60 250", "M1=150 40; 60 250", "[[150, 40], [60, 250]]" or "tp=250 fp=40 fn=60 tn=150" as a table."""
    from trueerror.tallies import Confusion

    four = dict(re.findall(r"\b(tp|fp|fn|tn)\s*=\s*([\d_]+)", text, flags=re.IGNORECASE))
    name, mark, counts = text.rpartition("=")
    rest = re.sub(r"\b(tp|fp|fn|tn)\s*=\s*[\d_]+", "", text, flags=re.IGNORECASE).strip(" ,;:=")
    if four:
        given = {key.lower(): int(value) for key, value in four.items()}
        chosen = {"labels": labels, "positive": positive} if labels else {}
        return rest, Confusion(**given, **chosen)  # type: ignore[arg-type]
    numbers = re.findall(r"[^\s,;\[\]]+", counts if mark else text)
    try:
        cells = [int(n.replace("_", "")) for n in numbers]
    except ValueError:
        wrong = next(n for n in numbers if not n.replace("_", "").isdigit())
        raise InputError(f"--matrix {text!r}: {wrong!r} is no count; write '150 40 60 250', row by row") from None
    k = round(len(cells) ** 0.5)
    if not cells or k * k != len(cells):
        raise InputError(
            f"--matrix {text!r} has {len(cells)} counts, which is no square; a matrix of two classes has 4, of three 9"
        )
    rows = [cells[i * k : (i + 1) * k] for i in range(k)]
    up: object = positive
    if labels is None and positive is not None and positive.isdigit():
        up = int(positive)
    return name.strip(" :"), Confusion(rows, labels, positive=up)


class WithFindings(Protocol):
    """A result whose findings can be left out, by code."""

    def without(self, *codes: str) -> Self: ...


Found = TypeVar("Found", bound=WithFindings)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OutputOptions(Group):
    """How the answer is written."""

    PLACE = "Output"
    form: str = option(
        "text", "Format of the answer: text, json, markdown (or md), latex, html.", "WORD", str, "--format -f")
    explain: bool = option(False, "Show the method of each number, with formula, assumptions and source.", "", bool)
    ignore: list[str] | None = option(
        None, "Leave a finding out, by code; repeat for several.", "CODE", list[str])
    color: Colour = option("auto", "Colours: auto (a terminal, unless NO_COLOR is set), always or never.", "WORD")

    def kept(self, result: Found) -> Found:
        """A result without the findings that are to be left out."""
        return result.without(*self.ignore) if self.ignore else result

    def show_columns(self, *read: "Predictions | None") -> None:
        """Say how files were read."""
        given = [p.roles for p in read if p is not None]
        if self.form == "text":
            print("\n\n".join(map(str, given)))
            return
        table = given[0].table()
        show(dataclasses.replace(table, rows=tuple(row for r in given for row in r.table().rows)), self.form)

    def show(self, result: Result, text: Callable[[], str] | None = None, more: Sequence[Block] = ()) -> None:
        """Print a result in the wanted format; `text` writes it where its document does not, `more` ends it."""
        check_word(self.color, get_args(Colour), "color")
        show(result, self.form, explain=self.explain, colour=self.color, text=text, more=more)
