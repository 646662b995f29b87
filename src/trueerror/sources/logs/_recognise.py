"""Which tool wrote a file, known by its first bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TypeGuard

from trueerror.inputs._options import InputError
from trueerror.sources._bytes import head_of
from trueerror.sources._paths import files_matching
from trueerror.sources._predictions import Predictions
from trueerror.sources.logs._text import below
from trueerror.tallies import Missing

# Endings under which a log can hide; other files are tables and are not looked into.
ENDINGS = (".eval", ".json", ".jsonl", ".arff", ".csv", ".txt", ".html", ".htm", ".parquet")
Reader = Callable[..., Predictions]


def log_reader(source: object) -> Reader | None:
    """The reader of a log, of a list or pattern of logs, or of a folder of them; None for anything else."""
    paths = _first_files(list(source.values()) if _is_named(source) else source)
    if not paths:
        return None
    readers = {_reader_of(path) for path in paths}
    return readers.pop() if len(readers) == 1 else None


def read_log(
    source: object,
    reader: Reader,
    *,
    score: object,
    positive: object,
    missing: Missing,
    models: object,
    options: Mapping[str, object],
    columns: Mapping[str, object],
) -> Predictions:
    """A log by its reader; `options` are those that some readers have, `columns` name those of a table and go with no
    log. `models` picks some of the models that the log names."""
    known = signature(reader).parameters
    reader_options = {name: value for name, value in {"positive": positive, **options}.items() if value is not None}
    given = next((name for name, value in columns.items() if value is not None), None)
    given = given or next((name for name in reader_options if name not in known), None)
    if given is not None:
        raise InputError(f"{given}= says how to read a table, but this is a log of {reader.__name__}; leave it out")
    if "score" in known:
        if score is not None and not (isinstance(score, str) or _are_words(score)):
            raise InputError("score= names the measure of a log that says right or wrong, or several for several tasks")
        reader_options["score"] = score
    rows = reader(source, missing=missing, **reader_options)
    if models is None:
        return rows
    if not (isinstance(models, str) or _are_words(models)):
        raise InputError("models= picks models of a log by their names")
    return rows.select([models] if isinstance(models, str) else list(models))  # type: ignore[call-overload]


def read_apart(source: object, reading: Callable[[object], Predictions]) -> Predictions:
    """Logs read together; two runs of one model on one task are distinguished by their files' names."""
    from trueerror.sources.logs._graded import SameRunError

    try:
        return reading(source)
    except SameRunError:
        files = [Path(one) for one in source] if isinstance(source, list) else _first_files(source)
        names = {file.name.split(".")[0]: file for file in files}
        if len(names) < len(files):
            raise
        return reading(names)


def _are_words(score: object) -> bool:
    return isinstance(score, Iterable) and all(isinstance(word, str) for word in score)


def _is_named(source: object) -> TypeGuard[Mapping[str, object]]:
    """Whether this is {model: path}."""
    return isinstance(source, Mapping) and all(isinstance(path, str | os.PathLike) for path in source.values())


def _first_files(source: object) -> list[Path]:
    """The files to look into, cheaply: none for tables, standard input and what does not exist."""
    if isinstance(source, list | tuple):
        return [path for one in source for path in _first_files(one)]
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return []
    path = Path(source)
    if os.path.isdir(path):
        logs = ("samples_*.jsonl", "samples_*.jsonl.gz", "details_*.parquet", "*.eval")
        # Logs as JSON may lie beside settings, which are no logs.
        return below(path, logs) or [file for file in below(path, ["*.json"]) if _reader_of(file) is not None]
    if os.path.isfile(path):
        return [path]
    return files_matching(str(source))


def _reader_of(path: Path) -> Reader | None:
    name = path.name.lower().removesuffix(".gz")
    plain = name.endswith((".yaml", ".yml", ".xml", ".txt"))
    if (plain and head_of(path, 64).startswith((b"evalId:", b"<promptfoo>"))) or (
        name.endswith(".html") and b"romptfoo" in head_of(path, 1 << 16)
    ):
        raise InputError(
            f"{path.name} holds results of promptfoo as YAML, XML or a web page: write them as JSON, with promptfoo "
            "export eval latest -o results.json"
        )
    if not name.endswith(ENDINGS):
        return None
    from trueerror.sources.logs import inspect_ai as inspected
    from trueerror.sources.logs import llm_evals, weka

    if name.endswith((".arff", ".csv")) and weka.is_weka_results(path):
        raise InputError(
            f"{path.name} holds results of WEKA's Experimenter, scores of folds and no predictions: trueerror rank and "
            "te.rank take it"
        )
    if name.endswith((".eval", ".json")) and inspected.is_inspect(path):
        return inspected.inspect
    if name.endswith((".json", ".jsonl")) and llm_evals.is_harness(path):
        return llm_evals.lm_eval
    if name.endswith(".json") and llm_evals.is_results(path):
        raise InputError(
            f"{path.name} holds the sums of lm-evaluation-harness, from which nothing can be paired or grouped: run it "
            "with --log_samples, and read the file samples_TASK_….jsonl that it writes"
        )
    for endings, is_log, reader in llm_evals.READERS:
        if name.endswith(endings) and is_log(path):
            return reader
    if name.endswith(".arff") or (
        name.endswith((".csv", ".txt", ".html", ".htm", ".parquet")) and weka.is_weka_output(path)
    ):
        return weka.weka
    return None
