"""Which program wrote a file, by its ending and its first bytes; its reader is imported when a file asks for it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
from typing import TypeGuard

from trueerror.inputs._options import FileError, InputError, in_few_words
from trueerror.sources._bytes import head_of, tail_of
from trueerror.sources._paths import files_below, files_like, files_matching
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Missing

PathsLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Source = PathsLike | Mapping[str, PathsLike]
Reader = Callable[..., Predictions]
LOGS = re.compile(r"samples_.*\.jsonl(\.gz)?|details_.*\.parquet|.*\.eval")
# So many of the files in a folder are looked into for one that is a log.
MOST_LOOKED_INTO = 1_000


@dataclass(frozen=True, slots=True)
class LogForm:
    """How the files of a reader are known.

    `begins` matches the first bytes, unpacked, and each of `signs` is among them; of Parquet files the last bytes hold
    the names of the columns. `instead` is for files that nobody can read: what to do. Some are passed over in folders:
    another file there says the same.
    """

    reader: str
    endings: tuple[str, ...]
    begins: bytes = b""
    signs: tuple[bytes, ...] = ()
    name: str = ""
    module: str = ""
    instead: str = ""
    in_folders: bool = True
    load: Callable[[], Reader] | None = field(default=None, compare=False)

    def fits(self, name: str, head: Callable[[], bytes]) -> bool:
        """Whether a file of this name is one of them; `head` gives its bytes."""
        if not name.removesuffix(".gz").endswith(self.endings) or not re.match(self.name, name):
            return False
        return re.match(self.begins, head()) is not None and all(re.search(sign, head()) for sign in self.signs)

    def read(self) -> Reader:
        """The reader itself."""
        module = f"trueerror.sources.logs.{self.module or self.reader}"
        found: Reader = getattr(import_module(module), self.reader) if self.load is None else self.load()
        return found


OBJECT = rb"\s*\{"
FORMS = (
    LogForm("weka_results", (".arff", ".csv"), signs=(b"Key_Dataset", b"Key_Run", b"Key_Scheme"), instead=(
        "holds results of WEKA's Experimenter, scores of folds, no predictions: trueerror rank and te.rank take it")),
    LogForm("promptfoo", (".yaml", ".yml", ".xml", ".txt"), rb"evalId:|<promptfoo>", instead=(asks_json := (
        "holds results of promptfoo as YAML, XML or a web page: write them as JSON, with promptfoo export eval latest "
        "-o results.json"))),
    LogForm("promptfoo", (".html",), signs=(b"romptfoo",), instead=asks_json),
    LogForm("inspect", (".eval",), rb"PK\x03\x04", module="inspect_ai"),
    # Sets of evals list the headers of their logs in logs.json, by file.
    LogForm("inspect", (".json",), OBJECT + rb'(?!\s*"[^"]*\.(eval|json)")', (b'"version"', b'"status"', b'"eval"'),
         module="inspect_ai"),
    LogForm("lm_eval", (".json", ".jsonl"), OBJECT, (b'"doc_id"', b'"filtered_resps"')),
    LogForm("lm_eval", (".json",), OBJECT, (b'"results"', b'"n-shot"', b"_stderr,"), instead=(
        "holds the sums of lm-evaluation-harness, from which nothing can be paired or grouped: run it with "
        "--log_samples, and read the file samples_TASK_….jsonl that it writes")),
    LogForm("promptfoo", (".json", ".jsonl"), OBJECT, (b'"promptIdx"|"evalId"', b'"promptIdx"|"results"')),
    LogForm("promptfoo", (".csv",), signs=(b",Status,Score,Named Scores,",)),
    LogForm("openai_evals", (".jsonl",), rb'[^\n]*"spec"', (b'"completion_fns"',)),
    LogForm("code_benchmark", (".jsonl",), rb'\s*(?=[^\n]*"task_id")(?=[^\n]*"result")[^\n]*"passed"'),
    LogForm("code_benchmark", (".json",), OBJECT, (b'"total_instances"', b'"resolved_instances"')),
    LogForm("code_benchmark", (".json",), OBJECT, (b'"base_status"', b'"eval"')),
    LogForm("code_benchmark", (".json",), rb'\s*\{\s*"\d+":\s*\[\s*\[\s*\d+,\s*\{[^{}]*"passed"'),
    LogForm("deepeval", (".json",), OBJECT, (b'"testCases"', b'"metricsData"')),
    LogForm("helm", (".json",), rb"\s*\[", helm := (b'"instance_id"', b'"train_trial_index"', b'"stats"'), "per_inst"),
    LogForm("helm", (".json",), rb"\s*\[", helm, in_folders=False),
    LogForm("lighteval", (".jsonl",), signs=(b'"metric', b'"doc"'), name="details_"),
    LogForm("lighteval", (".parquet",), name="details_"),
    LogForm("mlflow", (".csv", ".json"), rb'\s*\{"columns": ?\[[^\]]*/score"|[^\n]*/score"?[,\r\n]'),
    LogForm("mlflow", (".csv", ".json"), rb"(?s).{0,200}?trace_id", (b"assessments",)),
    LogForm("mlflow", (".parquet",), signs=(b"trace_id", b"assessments")),
    LogForm("weka", (".arff",)),
    LogForm("weka", (".csv", ".txt"), signs=(
        rb"(?im)^\s*inst#[\s,]+actual[\s,]+predicted[\s,]+error[\s,]+(prediction|probability|distribution)",)),
    LogForm("weka", (".html", ".htm"), signs=(
        rb"(?i)<td>inst#</td>\s*<td>actual</td>\s*<td>predicted</td>\s*<td>error</td>",)),
)  # fmt: skip
# Readers of tables: other packages do not take these over.
PLAIN = (".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq")


@cache
def installed() -> tuple[LogForm, ...]:
    """The readers of other packages: entry points of the group trueerror.readers, each a function made by `reads`."""
    return tuple(
        LogForm(point.name, form.endings, form.begins, form.signs, form.name, load=point.load)
        for point in entry_points(group="trueerror.readers") for form in point.load().forms
    )  # fmt: skip


def form_of(path: Path) -> LogForm | None:
    """How a file is to be read, where it is a log that somebody reads."""
    name = path.name.lower()

    @cache
    def head() -> bytes:
        return tail_of(path, 1 << 18) if name.endswith(".parquet") else head_of(path, 1 << 20)

    found = next((form for form in FORMS if form.fits(name, head)), None)
    if found is None and not name.removesuffix(".gz").endswith(PLAIN):
        found = next((form for form in installed() if form.fits(name, head)), None)
    return found


def log_reader(source: object) -> Reader | None:
    """The reader of a log, of a list or pattern of logs, or of a folder of them; None for anything else."""
    forms = [form_of(path) for path in _first_files(list(source.values()) if _is_named(source) else source)]
    readers = {None if form is None else form.reader for form in forms}
    form = forms[0] if len(readers) == 1 else None
    refused = next((form for form in forms if form is not None and form.instead), None)
    if refused is not None:
        what = refused.reader if len(forms) > 1 else Path(str(source)).name
        raise InputError(f"{what} {refused.instead}")
    return None if form is None else form.read()


def read_log(
    source: object, reader: Reader, *, score: object, positive: object, missing: Missing, models: object,
    options: Mapping[str, object], columns: Mapping[str, object],
) -> Predictions:  # fmt: skip
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
    return rows.select([models] if isinstance(models, str) else list(models))


def _are_words(score: object) -> TypeGuard[Iterable[str]]:
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
        return _logs_below(path)
    return [path] if os.path.isfile(path) else files_matching(str(source))


def _logs_below(folder: Path) -> list[Path]:
    files = [file for file in files_below(folder) if file.is_file()]
    named = [file for file in files if LOGS.fullmatch(file.name)]
    # Logs as JSON may lie beside settings, which are no logs.
    return named or [f for f in [f for f in files if f.name.endswith(".json")][:MOST_LOOKED_INTO] if _is_of(f)]


def files_of(source: Source, reader: str) -> list[tuple[str | None, Path]]:
    """(name, file) of each log: a path, a folder, a pattern, a list, or {model: path}; in folders `reader`'s."""
    if isinstance(source, Mapping):
        return [(str(name), file) for name, one in source.items() for _, file in files_of(one, reader)]
    if not isinstance(source, str | os.PathLike | Iterable):
        raise FileError(f"a log is a path, a folder, a pattern or a list of them, not {in_few_words(source)}")
    if not isinstance(source, str | os.PathLike):
        return [pair for one in source for pair in files_of(one, reader)]
    path = Path(source)
    if not str(source).strip():
        raise FileError("the path is empty; name a log, a folder of logs or a pattern")
    if os.path.isdir(path):
        files = [file for file in files_below(path) if _is_of(file, reader)]
        if not files:
            raise FileError(f"the folder {path} holds no log of {reader}")
        return [(None, file) for file in files]
    if os.path.exists(path) and not os.path.isfile(path):
        raise FileError(f"{path.name} is a pipe or a device; save the log to a file first")
    return [(None, file) for file in ([path] if os.path.isfile(path) else files_like(str(source)))]


def _is_of(file: Path, reader: str = "") -> bool:
    form = form_of(file) if file.is_file() else None
    return form is not None and form.reader == (reader or form.reader) and form.in_folders and not form.instead
