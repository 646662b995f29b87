"""Which tool wrote a file: told by its first bytes, so that `te.read` and the commands take logs as they are."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.rows.predictions import Predictions
from trueerror.tallies import Missing

# Endings under which a log can hide; other files are tables and are not looked into.
ENDINGS = (".eval", ".json", ".jsonl", ".arff", ".csv", ".txt")
Reader = Callable[..., Predictions]


def log_reader(source: Any) -> Reader | None:
    """The reader of a log, of a list or pattern of logs, or of a folder of them; None for anything else."""
    paths = _first_files(source)
    if not paths:
        return None
    found = {_reader_of(path) for path in paths}
    return found.pop() if len(found) == 1 else None


def read_log(
    source: Any, reader: Reader, *, score: Any, positive: Any, missing: Missing, **columns: Any
) -> Predictions:
    """A log by its reader; options that name columns of a table do not go with it."""
    given = next((name for name, value in columns.items() if value is not None), None)
    if given is not None:
        raise InputError(f"{given}= says how to read a table, but this is a log of {reader.__name__}; leave it out")
    if reader.__name__ == "weka":
        return reader(source, positive=positive, missing=missing)
    if score is not None and not (isinstance(score, str) or all(isinstance(word, str) for word in score)):
        raise InputError("score= names the measure of a log that says right or wrong, or several for several tasks")
    return reader(source, score=score, missing=missing)


def _first_files(source: Any) -> list[Path]:
    """The files to look into, cheaply: none for tables, standard input and what does not exist."""
    if isinstance(source, list | tuple):
        return [path for one in source for path in _first_files(one)]
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return []
    path = Path(source)
    if path.is_dir():
        return sorted([*path.rglob("samples_*.jsonl"), *path.rglob("samples_*.jsonl.gz"), *path.rglob("*.eval")])
    if path.is_file():
        return [path]
    if glob.has_magic(str(source)):
        return sorted(Path(p) for p in glob.glob(str(source), recursive=True) if os.path.isfile(p))
    return []


def _reader_of(path: Path) -> Reader | None:
    name = path.name.lower().removesuffix(".gz")
    if not name.endswith(ENDINGS):
        return None
    from trueerror.rows.logs import harness, inspected, weka, weka_results

    if name.endswith((".arff", ".csv")) and weka_results.is_weka_results(path):
        raise InputError(
            f"{path.name} holds results of WEKA's Experimenter, scores of folds and no predictions: trueerror rank and "
            "te.rank take it"
        )
    if name.endswith((".eval", ".json")) and inspected.is_inspect(path):
        return inspected.inspect
    if name.endswith((".json", ".jsonl")) and harness.is_harness(path):
        return harness.lm_eval
    if name.endswith(".arff") or (name.endswith((".csv", ".txt")) and weka.is_weka_output(path)):
        return weka.weka
    return None
