"""Files of WEKA: its output of predictions (CSV, text, HTML), ARFF files (dense rows), results of its Experimenter.

The output (`-classifications`, "Output predictions") has a line for each instance: its number, the actual and the
predicted class as NUMBER:NAME, + where they differ, and the probability of the predicted class, or of every class. The
number is the class: a name with a space is quoted in one place and not in the other, and WEKA 3.6 cuts names short. In
a cross-validation the instances' numbers start again with each fold. The Experimenter writes a row for each data set,
run, fold and scheme, for `te.rank`.
"""

from __future__ import annotations

import csv
import html
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from trueerror.inputs._labels import Label
from trueerror.inputs._options import FileError, InputError, nearest
from trueerror.sources._bytes import csv_rows, head_of, lines_of
from trueerror.sources._collect import predictions
from trueerror.sources._predictions import Predictions, Roles
from trueerror.sources.logs._registry import Source, files_of, form_of
from trueerror.tallies import Missing

ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)\s+(.*)$", re.IGNORECASE)
CELL = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'\s*|"((?:[^"\\]|\\.)*)"\s*|([^,]*))(?:,|$)""")
Cells = list[str | None]


@dataclass(frozen=True, slots=True)
class Arff:
    """A relation: the values of each attribute in order, where it is nominal, and its cells (None where missing)."""

    values: dict[str, tuple[str, ...] | None]
    columns: dict[str, Cells]


def read_arff(path: Path) -> Arff:
    """The attributes and rows of an ARFF file."""
    values: dict[str, tuple[str, ...] | None] = {}
    rows: list[Cells] = []
    lines = ((number, text) for number, line in enumerate(lines_of(path), 1)
             if (text := line.strip()) and not text.startswith("%"))  # fmt: skip
    for number, text in lines:
        word = text.lower()
        if word.startswith("@data"):
            break
        match = ATTRIBUTE.match(text)
        if match is None and not word.startswith("@relation"):
            raise FileError(f"{path.name}, line {number}: {text!r:.40} is not ARFF")
        if match is not None:
            (name,), kind = split_row(match[1]), match[2].strip()
            if name is None or name in values:
                raise FileError(f"{path.name} has two attributes of one name")
            nominal = split_row(kind.removeprefix("{").removesuffix("}")) if kind.startswith("{") else None
            values[name] = None if nominal is None else tuple(v or "" for v in nominal)
    for number, text in lines:
        cells = split_row(text)
        if text.startswith("{"):
            raise FileError(f"{path.name}, line {number}: sparse rows are not read; save the file as dense ARFF")
        if len(cells) != len(values):
            raise FileError(f"{path.name}, line {number}: {len(cells)} values for {len(values)} attributes")
        rows.append(cells)
    if not values or not rows:
        raise FileError(f"{path.name} is not an ARFF file: it has no @data")
    return Arff(values, {name: [row[i] for row in rows] for i, name in enumerate(values)})


def split_row(text: str) -> Cells:
    r"""The cells of a row: quoted by ' or ", escaped by a backslash; a bare ? is missing.

    >>> split_row(r"5.1, 'a, b', ?, 'it\'s'")
    ['5.1', 'a, b', None, "it's"]
    """
    cells: Cells = []
    for match in CELL.finditer(text):
        quoted = match[1] if match[1] is not None else match[2]
        bare = (match[3] or "").strip()
        cells.append((None if bare == "?" else bare) if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        if match.end() == len(text) and not match[0].endswith(","):
            break
    return cells


HEADER = re.compile(r"^\s*inst#[\s,]+actual[\s,]+predicted[\s,]+error[\s,]+(prediction|probability|distribution)", re.I)
HTML_HEADER = re.compile(r"<td>inst#</td>\s*<td>actual</td>\s*<td>predicted</td>\s*<td>error</td>", re.I)
PLAIN = re.compile(
    r"^\s*(\d+)\s+(\d+:\S.*?)\s+(\d+:\S.*?)\s+(\+?)\s*(\*?[\d.]+(?:\s*,\s*\*?[\d.]+)*)\s*(?:\(.*\))?\s*$"
)
# WEKA writes probabilities with three decimals.
ROUNDED = 0.005
PREDICTED = ("predictedclass", "predicted", "classification", "prediction", "predictedlabel")


@dataclass(slots=True)
class Output:
    """The lines of one model's output."""

    actual: list[str | None] = field(default_factory=list)
    predicted: list[str | None] = field(default_factory=list)
    chances: list[list[float]] = field(default_factory=list)
    folds: list[int] = field(default_factory=list)
    order: dict[int, str] = field(default_factory=dict)


def weka(
    source: Source, *, truth: str | None = None, predicted: str | None = None, positive: object = None,
    missing: Missing = "error",
) -> Predictions:  # fmt: skip
    """Predictions from WEKA's output of predictions (CSV, plain text, HTML), or an ARFF file with a predicted class.

    Several files, or {"name": path}, are models on the same rows. For two classes the probability that is written, that
    of the predicted class, gives the scores of both; with `-distribution` every class has its score. In ARFF, `truth`
    and `predicted` name the attributes where they have other names than class and predicted class.
    """
    files = files_of(source, "weka")
    if not files:
        raise InputError("no log was named")
    outputs = {}
    for name, file in files:
        weka_rows = _of_arff(read_arff(file), file, truth, predicted) if is_arff(file) else _of_text(file)
        outputs[name or (file.stem if len(files) > 1 else "model")] = weka_rows
    if len(outputs) < len(files):
        raise InputError('two files have the same name; name the models, as in {"first": path, "second": path}')
    return _together(outputs, positive, missing)


def is_arff(path: Path) -> bool:
    """Whether a file looks like ARFF."""
    return path.suffix.lower() == ".arff" or re.search(rb"(?im)^@relation\b", head_of(path)) is not None


def _of_text(file: Path) -> Output:
    weka_rows, extras, commas, fold, last = Output(), 0, False, 0, 0
    inside, marked_up = False, False
    for number, line in enumerate(lines_of(file), 1):
        if HEADER.match(line):
            inside, commas = True, "," in line
            # "distribution" has an empty heading for each further class; what follows has a name.
            extras = sum(bool(word.strip()) for word in line.split(",")[5:]) if commas else 0
            continue
        if HTML_HEADER.search(line):
            inside, marked_up, extras = True, True, len(_html_cells(line)[5:])
            continue
        if not inside or not line.strip():
            continue
        cells = _html_cells(line) if marked_up else next(csv.reader([line])) if commas else _plain_cells(line)
        if len(cells) < 5 or not cells[0].strip().isdigit():
            if weka_rows.actual:
                break  # what follows the predictions
            raise FileError(f"{file.name}, line {number}: {line.strip()!r:.60} is not a prediction of WEKA")
        here = int(cells[0])
        fold, last = fold + (here <= last), here
        weka_rows.actual.append(_class(cells[1], weka_rows.order))
        weka_rows.predicted.append(_class(cells[2], weka_rows.order))
        end = len(cells) - extras if extras > 0 else len(cells)
        weka_rows.chances.append([_number(c, f"{file.name}, row {number}") for c in cells[4:end] if c.strip()])
        weka_rows.folds.append(fold)
    if not weka_rows.actual:
        raise FileError(f"{file.name} holds no predictions of WEKA")
    return _by_number(weka_rows)


def _html_cells(line: str) -> list[str]:
    return [html.unescape(cell).strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", line, re.IGNORECASE)]


def _by_number(made: Output) -> Output:
    """The classes by their names: cells without a number are names already."""
    names = dict(made.order)
    for place, name in names.items():
        if sum(other == name for other in names.values()) > 1:  # cut short, two names may be the same
            made.order[place] = f"{name} ({place})"
    for column in (made.actual, made.predicted):
        column[:] = [made.order.get(int(v), v) if v is not None and v.isdigit() and made.order else v for v in column]
    return made


def _plain_cells(line: str) -> list[str]:
    match = PLAIN.match(line)
    return [] if match is None else [*match.groups()[:4], *re.split(r"\s*,\s*", match[5])]


def _class(cell: str, order: dict[int, str]) -> str | None:
    """The class of "2:yes" by its number, whose name goes into `order`; "1:?" is unknown."""
    place, mark, name = cell.strip().partition(":")
    if not mark:
        return place or None
    if name == "?":
        return None
    if not place.isdigit():
        return name
    name = (split_row(name)[0] or "") if name[:1] in ("'", '"') and name[-1:] == name[:1] else name.strip("'")
    # The longer of two names is the one that was cut less.
    order[int(place)] = max(order.get(int(place), ""), name, key=len)
    return place


def _number(cell: str, place: str) -> float:
    try:
        return float(cell.replace("*", ""))
    except ValueError:
        raise FileError(f"{place}: {cell!r:.30} is not a number") from None


def _of_arff(data: Arff, file: Path, truth: str | None, predicted: str | None) -> Output:
    names = list(data.columns)
    bare = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in names}
    called = predicted or next((bare[word] for word in PREDICTED if word in bare), None)
    called = called or next((n for n in names if "predicted_by" in n.lower() or "predicted by" in n.lower()), None)
    if called is None:
        raise InputError(
            f"{file.name} has no attribute of predictions; name it with predicted=; there are "
            f"{', '.join(map(repr, names[:20]))}"
        )
    values = data.values
    actual = truth or bare.get("class")
    if actual is None:
        same = [n for n in names if n != called and values[n] is not None and values[n] == values.get(called)]
        actual = same[-1] if same else None
    for option, name in (("truth", actual), ("predicted", called)):
        if name is None or name not in data.columns:
            raise InputError(f"{file.name} has no attribute {name!r} for {option}={nearest(name, names)}")
    assert actual is not None
    order = values.get(actual) or values.get(called) or ()
    weka_rows = Output(data.columns[actual], data.columns[called], order={i + 1: v for i, v in enumerate(order)})
    spread = [f"distribution_{v}" for v in order]
    if order and all(name in data.columns for name in spread):
        rows = zip(*(data.columns[name] for name in spread), strict=True)
        weka_rows.chances = [[_number(c or "", f"{file.name}, row {i}") for c in row] for i, row in enumerate(rows, 1)]
    return weka_rows


def _together(outputs: dict[str, Output], positive: object, missing: Missing) -> Predictions:
    first = next(iter(outputs.values()))
    for name, one in outputs.items():
        if one.actual != first.actual:
            raise InputError(
                f"{name} was tested on other instances than {next(iter(outputs))}: their actual classes differ"
            )
    known = [i for i, actual in enumerate(first.actual) if actual is not None]
    notes = [] if len(known) == len(first.actual) else [
        f"{len(first.actual) - len(known):,} instances without an actual class are left out."
    ]  # fmt: skip
    if not known:
        raise InputError("no instance has an actual class, so nothing can be counted right or wrong")
    seen = dict.fromkeys(
        str(v) for one in outputs.values() for column in (one.actual, one.predicted) for v in column if v
    )
    placed = {v: i for one in outputs.values() for i, v in one.order.items()}
    # A class that nothing was called and that did not occur leaves a gap in the numbers.
    names = sorted(seen, key=lambda v: placed.get(v, 0))
    as_label = int if all(re.fullmatch(r"-?\d+", v) for v in names) else str
    labels = [as_label(v) for v in names]
    called = {
        m: [None if (v := one.predicted[i]) is None else as_label(v) for i in known] for m, one in outputs.items()
    }
    scores = {m: s for m, one in outputs.items() if (s := _scores(one, names, labels, known)) is not None}
    if len(scores) < len(outputs) and any(one.chances for one in outputs.values()):
        notes.append("The probability of the predicted class alone ranks nothing; -distribution writes all of them.")
    folded = len(set(first.folds)) > 1 and all(one.folds == first.folds for one in outputs.values())
    joint = predictions(
        [as_label(str(first.actual[i])) for i in known], called, scores=scores or None, labels=labels,
        positive=positive, folds=[first.folds[i] + 1 for i in known] if folded else None, missing=missing,
    )  # fmt: skip
    words = {"actual": "truth", "predicted": f"labels of {', '.join(called)}"}
    words |= {"prediction": f"scores of {', '.join(scores)}"} if scores else {}
    return replace(joint, roles=Roles(words), notes=(*joint.notes, *notes))


def _scores(one: Output, names: list[str], labels: Sequence[Label], known: list[int]) -> Any:
    """Scores of each class; None where they are not written."""
    widths = {len(one.chances[i]) for i in known} if one.chances else {0}
    if len(widths) != 1 or not names:
        return None
    count = widths.pop()
    places = {v: i for i, v in one.order.items()}
    if count > 1 and all(places.get(v, 0) in range(1, count + 1) for v in names):
        table = np.array([one.chances[i] for i in known])
        # Three decimals were written, which need not add up to 1.
        totals = table.sum(axis=1, keepdims=True)
        table = np.where(np.abs(totals - 1) <= ROUNDED, table / np.where(totals > 0, totals, 1.0), table)
        return {label: table[:, places[v] - 1] for v, label in zip(names, labels, strict=True)}
    if count == 1 and len(names) == 2:
        chances = np.array([c for i in known for c in one.chances[i]])
        called = np.array([one.predicted[i] == names[0] for i in known])
        return {labels[0]: np.where(called, chances, 1 - chances), labels[1]: np.where(called, 1 - chances, chances)}
    return None


KEYS = ("Key_Dataset", "Key_Run", "Key_Scheme")


def weka_results(path: str | os.PathLike[str], *, score: str = "Percent_correct") -> dict[str, list[Any]]:
    """The results of the Experimenter as columns dataset, learner, repeat, fold and the score, for `te.rank`.

    A scheme is called by its class, and by its options where one class was run with several. Percentages become shares,
    so that differences are told in points.
    """
    files = [file for _, file in files_of(path, "weka_results")]
    if len(files) != 1:
        raise InputError(f"te.logs.weka_results reads one file of results, and there are {len(files)}; name one")
    file = files[0]
    table = _columns(file)
    lacking = [key for key in (*KEYS, score) if key not in table]
    if lacking:
        numbers = [name for name in table if not name.startswith("Key_")]
        raise InputError(f"{file.name} has no column {lacking[0]!r}{nearest(lacking[0], numbers)}")
    runs = {"repeat": "Key_Run", "fold": "Key_Fold"} if "Key_Fold" in table else {"fold": "Key_Run"}
    columns: dict[str, list[Any]] = {"dataset": list(map(str, table["Key_Dataset"])), "learner": _schemes(table)}
    columns |= {name: list(map(str, table[key])) for name, key in runs.items()}
    unit = 100 if score.startswith("Percent_") else 1
    values = [math.nan if cell is None else _number(cell, f"{file.name}, {score}") / unit for cell in table[score]]
    return columns | {score.removeprefix("Percent_"): values}


def experimenter_sheet(path: str | os.PathLike[str], score: str | None) -> dict[str, list[Any]] | None:
    """The table of a file, if the Experimenter wrote it; None for any other file."""
    file = Path(path)
    form = form_of(file) if str(path) != "-" and os.path.isfile(file) else None
    if form is None or form.reader != "weka_results":
        return None
    return weka_results(path, score=score or "Percent_correct")


def _columns(file: Path) -> dict[str, list[str | None]]:
    if is_arff(file):
        return read_arff(file).columns
    head, *body = csv_rows(file)
    columns: dict[str, list[str | None]] = {}
    for name, cells in zip(head, zip(*body, strict=True), strict=True):
        columns[name.strip().strip("'\"")] = [None if cell in ("?", "") else cell.strip("'") for cell in cells]
    return columns


def _schemes(table: dict[str, list[str | None]]) -> list[str]:
    classes = [re.sub(r"^weka\.classifiers\.(?:\w+\.)*", "", str(v)) for v in table["Key_Scheme"]]
    options = [" ".join(str(v or "").strip("'").split()) for v in table.get("Key_Scheme_options", [""] * len(classes))]
    several = {c for c in classes if len({o for k, o in zip(classes, options, strict=True) if k == c}) > 1}
    return [f"{c} {o}".strip() if c in several else c for c, o in zip(classes, options, strict=True)]
