"""Results of WEKA's Experimenter (CSV or ARFF), a row for each data set, run, fold and scheme, for `te.rank`."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

from trueerror.inputs.errors import FileError, InputError, nearest
from trueerror.rows.logs.arff import read_arff
from trueerror.rows.logs.texts import files_of, head_of, lines_of
from trueerror.rows.logs.weka import is_arff

KEYS = ("Key_Dataset", "Key_Run", "Key_Scheme")


def is_weka_results(path: Path) -> bool:
    """Whether a file looks like results of the Experimenter."""
    head = head_of(path).decode("utf-8", "replace")
    return all(key in head for key in KEYS)


def weka_results(path: str | os.PathLike[str], *, score: str = "Percent_correct") -> dict[str, list[Any]]:
    """The results of the Experimenter as columns dataset, learner, repeat, fold and the score, for `te.rank`.

    A scheme is called by its class, and by its options where one class was run with several. Percentages become shares,
    so that differences are told in points.
    """
    [(_, file)] = files_of(path, ("*.arff", "*.csv"))
    table = _columns(file)
    lacking = [key for key in (*KEYS, score) if key not in table]
    if lacking:
        numbers = [name for name in table if not name.startswith("Key_")]
        raise InputError(f"{file.name} has no column {lacking[0]!r}{nearest(lacking[0], numbers)}")
    n = len(table[KEYS[0]])
    names = _schemes(table, n)
    values = [_number(cell, file, score) for cell in table[score]]
    made: dict[str, list[Any]] = {
        "dataset": [str(v) for v in table["Key_Dataset"]],
        "learner": names,
        "repeat": [str(v) for v in table["Key_Run"]],
    }
    if "Key_Fold" in table:
        made["fold"] = [str(v) for v in table["Key_Fold"]]
    else:
        made["fold"] = made.pop("repeat")
    if score.startswith("Percent_"):
        made[score.removeprefix("Percent_")] = [v / 100 for v in values]
    else:
        made[score] = values
    return made


def experimenter_sheet(path: str | os.PathLike[str], score: str | None) -> dict[str, list[Any]] | None:
    """The table of a file, if the Experimenter wrote it; None for any other file."""
    file = Path(path)
    if str(path) == "-" or file.suffix.lower() not in (".csv", ".arff") or not file.is_file():
        return None
    if not is_weka_results(file):
        return None
    return weka_results(path, score=score or "Percent_correct")


def _columns(file: Path) -> dict[str, list[str | None]]:
    if is_arff(file):
        return read_arff(file).columns
    rows = [row for row in csv.reader(lines_of(file)) if row]
    if len(rows) < 2:
        raise FileError(f"{file.name} holds no results")
    head, *body = rows
    ragged = next((i for i, row in enumerate(body, 2) if len(row) != len(head)), None)
    if ragged is not None:
        raise FileError(f"{file.name}, line {ragged}: {len(body[ragged - 2])} values for {len(head)} columns")
    columns: dict[str, list[str | None]] = {}
    for i, name in enumerate(head):
        columns[name.strip().strip("'\"")] = [None if row[i] in ("?", "") else row[i].strip("'") for row in body]
    return columns


def _schemes(table: dict[str, list[str | None]], n: int) -> list[str]:
    classes = [re.sub(r"^weka\.classifiers\.(?:\w+\.)*", "", str(v)) for v in table["Key_Scheme"]]
    options = [" ".join(str(v or "").strip("'").split()) for v in table.get("Key_Scheme_options", [""] * n)]
    several = {c for c in classes if len({o for k, o in zip(classes, options, strict=True) if k == c}) > 1}
    return [f"{c} {o}".strip() if c in several else c for c, o in zip(classes, options, strict=True)]


def _number(cell: str | None, file: Path, score: str) -> float:
    if cell is None:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        raise FileError(f"{file.name}: {score} holds {cell!r:.30}, which is not a number") from None
