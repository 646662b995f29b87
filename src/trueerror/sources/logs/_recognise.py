"""Which tool wrote a log, known by its first bytes; and the files and the text of logs, plain or gzipped."""

from __future__ import annotations

import glob
import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import IO, Any, TypeGuard, cast

from trueerror.inputs._options import FileError, InputError, in_few_words
from trueerror.sources._paths import files_like
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Missing

# Endings under which a log can hide; other files are tables and are not looked into.
ENDINGS = (".eval", ".json", ".jsonl", ".arff", ".csv", ".txt", ".html", ".htm", ".parquet")
Reader = Callable[..., Predictions]


def log_reader(source: object) -> Reader | None:
    """The reader of a log, of a list or pattern of logs, or of a folder of them; None for anything else."""
    paths = _first_files(list(source.values()) if _is_named(source) else source)
    if not paths:
        return None
    found = {_reader_of(path) for path in paths}
    return found.pop() if len(found) == 1 else None


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
    asked = {name: value for name, value in {"positive": positive, **options}.items() if value is not None}
    given = next((name for name, value in columns.items() if value is not None), None)
    given = given or next((name for name in asked if name not in known), None)
    if given is not None:
        raise InputError(f"{given}= says how to read a table, but this is a log of {reader.__name__}; leave it out")
    if "score" in known:
        if score is not None and not (isinstance(score, str) or _are_words(score)):
            raise InputError("score= names the measure of a log that says right or wrong, or several for several tasks")
        asked["score"] = score
    made = reader(source, missing=missing, **asked)
    if models is None:
        return made
    if not (isinstance(models, str) or _are_words(models)):
        raise InputError("models= picks models of a log by their names")
    return made.select([models] if isinstance(models, str) else list(models))  # type: ignore[call-overload]


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
        named = sorted(file for pattern in logs for file in path.rglob(pattern))
        # Logs as JSON may lie beside settings, which are no logs.
        return named or [file for file in sorted(path.rglob("*.json")) if _reader_of(file) is not None]
    if os.path.isfile(path):
        return [path]
    if glob.has_magic(str(source)):
        return sorted(Path(p) for p in glob.glob(str(source), recursive=True) if os.path.isfile(p))
    return []


def _reader_of(path: Path) -> Reader | None:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".yaml", ".yml", ".xml", ".txt")) and head_of(path, 64).startswith((b"evalId:", b"<promptfoo>")):
        raise InputError(
            f"{path.name} holds results of promptfoo as YAML or XML: write them as JSON, with promptfoo export eval "
            "latest -o results.json"
        )
    if not name.endswith(ENDINGS):
        return None
    from trueerror.sources.logs import inspect_ai as inspected
    from trueerror.sources.logs import llm_evals, weka
    from trueerror.sources.logs import lm_eval as harness
    from trueerror.sources.logs import weka as weka_results

    if name.endswith((".arff", ".csv")) and weka_results.is_weka_results(path):
        raise InputError(
            f"{path.name} holds results of WEKA's Experimenter, scores of folds and no predictions: trueerror rank and "
            "te.rank take it"
        )
    if name.endswith((".eval", ".json")) and inspected.is_inspect(path):
        return inspected.inspect
    if name.endswith((".json", ".jsonl")) and harness.is_harness(path):
        return harness.lm_eval
    if name.endswith(".json") and harness.is_results(path):
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


GZIP = b"\x1f\x8b"
# A log from a stranger may unpack to anything, and parsed JSON takes some thirty times its text: a line or a member is
# at most so long, and all that is unpacked from one file at most so much.
MOST_PARSED = 64 << 20
MOST_WHOLE = 512 << 20
MOST_BYTES = 4 << 30
PathsLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Source = PathsLike | Mapping[str, PathsLike]


def lines_of(path: Path, longest: int = MOST_PARSED) -> Iterator[str]:
    """The lines of a text file, without their ends."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == GZIP
        opened = cast("IO[bytes]", gzip.open(path) if packed else path.open("rb"))  # noqa: SIM115
        with opened, io.TextIOWrapper(opened, "utf-8-sig") as stream:
            total = 0
            while line := stream.readline(longest + 1):
                total += len(line)
                if len(line) > longest:
                    raise FileError(f"{path.name} has a line of more than {longest >> 20:,} MB")
                if packed and total > MOST_BYTES:
                    raise FileError(f"{path.name} unpacks to more than {MOST_BYTES >> 30:,} GB; unpack it first")
                yield line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise FileError(f"{path.name} is not a text file in UTF-8") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"cannot read {path.name}: {str(getattr(error, 'strerror', None) or error).lower()}") from None


def text_of(path: Path) -> str:
    """The whole text of a file that holds one JSON object."""
    lines, total = [], 0
    for line in lines_of(path, MOST_WHOLE):
        total += len(line)
        if total > MOST_WHOLE:
            raise FileError(f"{path.name} holds more than {MOST_WHOLE >> 20:,} MB of JSON in one piece; split it")
        lines.append(line)
    return "\n".join(lines)


def json_of(path: Path, text: str | bytes, where: str = "") -> Any:
    """JSON, or an error that names the file and the place."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        place = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else "its text"
        raise FileError(f"{path.name}{where}: not valid JSON at {place}") from None
    except RecursionError:
        raise FileError(f"{path.name}{where} is nested too deeply") from None


def head_of(path: Path, size: int = 8192) -> bytes:
    """The first bytes, unpacked."""
    try:
        with path.open("rb") as raw:
            head = raw.read(size)
        if head[:2] != GZIP:
            return head
        with gzip.open(path) as stream:
            return stream.read(size)
    except (OSError, EOFError, zlib.error):
        return b""


def files_of(
    source: Source, patterns: Sequence[str], is_log: Callable[[Path], bool] = lambda _: True
) -> list[tuple[str | None, Path]]:
    """(name, file) of each log: a path, a folder (searched for `patterns`), a pattern, a list, or {model: path}.

    In a folder files that are no log are passed over.
    """
    if isinstance(source, Mapping):
        return [(str(name), file) for name, one in source.items() for _, file in files_of(one, patterns, is_log)]
    if not isinstance(source, str | os.PathLike | Iterable):
        raise FileError(f"a log is a path, a folder, a pattern or a list of them, not {in_few_words(source)}")
    if not isinstance(source, str | os.PathLike):
        return [pair for one in source for pair in files_of(one, patterns, is_log)]
    path = Path(source)
    if not str(source).strip():
        raise FileError("the path is empty; name a log, a folder of logs or a pattern")
    if os.path.isdir(path):
        found = sorted(
            {file for pattern in patterns for file in path.rglob(pattern) if file.is_file() and is_log(file)}
        )
        if not found:
            raise FileError(f"the folder {path} holds no file like {patterns[0]}")
        return [(None, file) for file in found]
    if os.path.isfile(path):
        return [(None, path)]
    if os.path.exists(path):
        raise FileError(f"{path.name} is a pipe or a device; save the log to a file first")
    return [(None, file) for file in files_like(str(source))]
