"""Which tool wrote a file, known by its first bytes; the files and the text of logs, plain or gzipped; and files of
rows without a header, as fastText, LIBSVM, Vowpal Wabbit and plain lists of predictions are written:

    __label__pos some words         fastText's data; its predictions, with __label__neg 0.1 and so on behind the first
    +1 1:0.5 3:2                    LIBSVM's data (SVMlight's, XGBoost's); its predictions are lists, or with -b 1 begin
                                    with "labels 1 -1" and go on with a label and a probability for each
    1 'id |f a b:2                  Vowpal Wabbit's data; its predictions are lists, maybe with the id, or 1:0.2 2:0.8
    0.25                            one number, or one word that comes again, a line

Of data only the label is kept, and the id where there is one. Tables of other programs are known by the names of their
columns.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import math
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeGuard, cast

from trueerror.inputs._options import FileError, InputError, in_few_words
from trueerror.sources._paths import encoding_of, files_like
from trueerror.sources._predictions import ONE_MODEL, Predictions
from trueerror.sources._tables import ColumnsTable, InputTable
from trueerror.sources.columns._roles import (
    FOLD,
    MODEL,
    MOST_CLASSES,
    NUMERIC,
    PREDICTED,
    REPEAT,
    SCORE,
    TRUTH,
    ColumnRequest,
    bare,
    marked,
)
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
        named = sorted(file for pattern in logs for file in path.rglob(pattern) if os.path.isfile(file))
        # Logs as JSON may lie beside settings, which are no logs.
        others = sorted(file for file in path.rglob("*.json") if os.path.isfile(file))
        return named or [file for file in others if _reader_of(file) is not None]
    if os.path.isfile(path):
        return [path]
    if glob.has_magic(str(source)):
        return sorted(Path(p) for p in glob.glob(str(source), recursive=True) if os.path.isfile(p))
    return []


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
        with opened, io.TextIOWrapper(opened, encoding_of(path, path.name) or "utf-8-sig") as stream:
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
        files = sorted(
            {file for pattern in patterns for file in path.rglob(pattern) if file.is_file() and is_log(file)}
        )
        if not files:
            raise FileError(f"the folder {path} holds no file like {patterns[0]}")
        return [(None, file) for file in files]
    if os.path.isfile(path):
        return [(None, path)]
    if os.path.exists(path):
        raise FileError(f"{path.name} is a pipe or a device; save the log to a file first")
    return [(None, file) for file in files_like(str(source))]


NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SPARSE = re.compile(rf"{NUMBER}([ \t]+(\d+|qid):\S+)*([ \t]*#.*)?")
FAST_TEXT = "__label__"
Columns = dict[str, list[object]]


def bare_table(path: object) -> ColumnsTable | None:
    """The table in such a file; None where it is none."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return None
    file = Path(path)
    # A cut line at the end of the sample says nothing.
    head = head_of(file, 1 << 16)
    first = head.decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:50]
    first = first if len(head) < 1 << 16 else first[:-1]
    first_lines = [line.strip() for line in first if line.strip()]
    if not first_lines or "\x00" in first_lines[0]:
        return None
    read = next((read for looks, read in FORMS if looks(first_lines)), None)
    if read is None:
        return None
    lines = [(i, line.strip()) for i, line in enumerate(lines_of(file), 1) if line.strip()]
    try:
        columns = read(lines)
    except FileError as error:
        raise FileError(f"{file.name}: {error}") from None
    except (ValueError, IndexError, KeyError):
        raise FileError(f"{file.name} begins like predictions without a header, and does not go on so") from None
    return ColumnsTable(dict(columns), name=file.name, provenance=file.name)


def _typed(words: Iterable[str | None]) -> list[object]:
    """Words as numbers where all of them are; whole ones as whole numbers."""
    given = list(words)
    if not all(word is None or re.fullmatch(NUMBER, word) for word in given):
        return list(given)
    numbers = [None if word is None else float(word) for word in given]
    whole = all(x is None or x.is_integer() for x in numbers)
    return [None if x is None else int(x) if whole else x for x in numbers]


Lines = list[tuple[int, str]]


def _fast_text(lines: Lines) -> Columns:
    """Labels, and the probabilities of all classes where each line has them."""
    predicted, chances = [], []
    for number, line in lines:
        words = line.split()
        labels = [word.removeprefix(FAST_TEXT) for word in words if word.startswith(FAST_TEXT)]
        numbers = [word for word in words[1::2] if re.fullmatch(NUMBER, word)]
        scored = len(words) == 2 * len(labels) == 2 * len(numbers)
        if len(labels) != 1 and not scored:
            raise FileError(f"line {number:,} has {len(labels)} labels of fastText: one is needed")
        predicted.append(labels[0])
        chances.append(dict(zip(labels, map(float, numbers), strict=True)) if scored else {})
    classes = sorted({label for row in chances for label in row})
    whole = len(classes) > 1 and all(len(row) == len(classes) for row in chances)
    scores: Columns = {f"prob_{c}": [row[c] for row in chances] for c in classes} if whole else {}
    return {"prediction" if any(chances) else "label": _typed(predicted), **scores}


def _probabilities(lines: Lines) -> Columns:
    """LIBSVM's predictions with probabilities."""
    classes = lines[0][1].split()[1:]
    rows = [line.split() for _, line in lines[1:]]
    chances: Columns = {f"prob_{c}": [float(row[i]) for row in rows] for i, c in enumerate(_typed(classes), 1)}
    return {"prediction": _typed(row[0] for row in rows), **chances}


def _pairs(lines: Lines) -> Columns:
    """Vowpal Wabbit's probabilities: class:probability in each line, and maybe an id."""
    rows = [line.split() for _, line in lines]
    pairs = [dict(word.rsplit(":", 1) for word in row if ":" in word) for row in rows]
    classes = list(dict.fromkeys(c for row in pairs for c in row))
    ids: Columns = {"id": [row[-1] for row in rows]} if all(":" not in row[-1] for row in rows) else {}
    return ids | {f"prob_{c}": [float(row[c]) for row in pairs] for c in classes}


def _data(lines: Lines) -> Columns:
    """The label of each line, which stands first."""
    return {"label": _typed(line.split()[0] for _, line in lines)}


def _vowpal(lines: Lines) -> Columns:
    """Vowpal Wabbit's data: the label, and the tag as an id where all lines have one."""
    heads = [line.partition("|")[0].split() for _, line in lines]
    tags = [next((word for word in head[1:] if not re.fullmatch(NUMBER, word)), "").lstrip("'") for head in heads]
    ids: Columns = {"id": list(tags)} if all(tags) and len(set(tags)) == len(tags) else {}
    return {**ids, "label": _typed(head[0] for head in heads)}


def _list(lines: Lines) -> Columns:
    """One prediction a line, and maybe an id behind it."""
    rows = [line.split() for _, line in lines]
    ids: Columns = {"id": [row[1] for row in rows]} if len(rows[0]) == 2 else {}
    return {**ids, "prediction": _typed(row[0] for row in rows)}


def _all_like(pattern: str) -> Callable[[list[str]], bool]:
    form = re.compile(pattern)
    return lambda shown: all(form.fullmatch(line) for line in shown)


def _words_again(shown: list[str]) -> bool:
    """One word a line, of which the first comes again: a header would not."""
    return len(shown) > 2 and all(re.fullmatch(r"[\w.\-]+", line) for line in shown) and shown[0] in shown[1:]


def _is_sparse(shown: list[str]) -> bool:
    """A number, then pairs of an index and a value; rows of zeros have none."""
    return any(":" in line for line in shown) and all(SPARSE.fullmatch(line) for line in shown)


def _labelled_first(shown: list[str]) -> bool:
    return bool(re.match(rf"labels( {NUMBER})+$", shown[0])) and len(shown) > 1


FORMS: tuple[tuple[Callable[[list[str]], bool], Callable[[Lines], Columns]], ...] = (
    (lambda shown: all(line.startswith(FAST_TEXT) for line in shown), _fast_text),
    (_labelled_first, _probabilities),
    (_all_like(rf"{NUMBER}( {NUMBER})*( '?\S+)? ?\|.*"), _vowpal),
    (_all_like(rf"\S+:{NUMBER}( \S+:{NUMBER})+( \S+)?"), _pairs),
    (_is_sparse, _data),
    (_all_like(rf"{NUMBER}( [A-Za-z_]\S*)?"), _list),
    (_words_again, _list),
)


def nested_chances(value: object) -> dict[str, float] | None:
    """The probability of each class in one cell: a list (classes 0, 1, …), BigQuery's label and prob, Spark's vector,
    label and score of Hugging Face's pipelines or Argilla, Vertex AI's classes and scores.

    >>> nested_chances("[0.25, 0.75]"), nested_chances([{"label": "no", "prob": 1.0}])
    ({'0': 0.25, '1': 0.75}, {'no': 1.0})
    """
    if isinstance(value, str):
        try:
            value = json.loads(value.replace("'", '"'))
        except (json.JSONDecodeError, RecursionError):
            return None
    if isinstance(value, Mapping) and {"classes", "scores"} <= set(value):
        value = [{"label": c, "score": s} for c, s in zip(value["classes"], value["scores"], strict=False)]
    if isinstance(value, Mapping) and "values" in value:
        value = value["values"]
    for way in ("toArray", "tolist"):
        value = getattr(value, way)() if callable(getattr(value, way, None)) else value
    if not isinstance(value, list | tuple) or not value:
        return None
    for word in ("prob", "score"):
        if all(isinstance(one, Mapping) and {"label", word} <= set(one) for one in value):
            return {str(one["label"]): float(one[word]) for one in value}
    if all(isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str) for one in value):
        return {label: float(chance) for label, chance in value}
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in value):
        return {str(i): float(one) for i, one in enumerate(value)}
    return None


def spread_probabilities(table: InputTable) -> InputTable:
    """The table with a column for each class in the place of a column that holds all probabilities of a row."""
    found: dict[str, dict[str, list[float]]] = {}
    for column in table.columns:
        nested = bare(column) in SCORE | PREDICTED or bare(column).endswith("probs")
        if not nested or table.kind(column) not in ("other", "text") or not table.filled(column):
            continue
        first = table.first(column, 1)
        if nested_chances(first[0]) is None:
            continue
        rows = [nested_chances(value) for value in table.values(column)]
        names = _class_names(table, column, rows)
        base = re.sub(r"[ _]probs$", "", column)
        mine = marked(base) if base in table.columns else None
        stem = f"{mine.model}_prob" if mine is not None and mine.model else "prob"
        if names is not None:
            found[column] = {
                f"{stem}_{name}": [math.nan if row is None else row.get(key, math.nan) for row in rows]
                for key, name in names.items()
            }
    if not found:
        return table
    alone = {c for c in table.columns if bare(c) in SCORE and c not in found and "probability" in bare(c)}
    kept = [c for c in table.columns if c not in found and c not in alone and not _lists_classes(table, c)]
    columns: dict[str, object] = {c: table.values(c) for c in kept}
    for spread in found.values():
        columns |= spread
    made = ColumnsTable(columns, name=table.name, backend=table.backend, provenance=table.provenance)
    made.notes = table.notes
    return made


RESAMPLE = re.compile(r"(?P<fold>Fold\d+)[._ ](?P<repeat>Rep(?:eat)?\d+)", re.IGNORECASE)


def split_resamples(table: InputTable) -> InputTable:
    """The table with a column of folds and one of repeats in the place of caret's Fold1.Rep1."""
    for column in table.columns:
        if bare(column) not in FOLD | {"resample"} or table.kind(column) != "text" or not table.filled(column):
            continue
        if RESAMPLE.fullmatch(str(table.first(column, 1)[0])) is None:
            continue
        parts = [RESAMPLE.fullmatch(str(value)) for value in table.values(column)]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or any(bare(c) in REPEAT for c in table.columns):
            continue
        columns: dict[str, object] = {c: table.values(c) for c in table.columns}
        columns |= {column: [part["fold"] for part in known], "repeat": [part["repeat"] for part in known]}
        made = ColumnsTable(columns, name=table.name, backend=table.backend, provenance=table.provenance)
        made.notes = table.notes
        return made
    return table


def _lists_classes(table: InputTable, column: str) -> bool:
    """Whether a column holds the same list of classes in every row, as SageMaker writes it beside probabilities."""
    values = table.few(column, 1) if bare(column) == "labels" and table.kind(column) in ("text", "other") else None
    return bool(values) and str((values or ("",))[0]).startswith("[")


def _class_names(table: InputTable, column: str, rows: list[dict[str, float] | None]) -> dict[str, str] | None:
    """Key in a cell → class: as it says itself, as a column of classes beside it says, or by number."""
    keys = list(dict.fromkeys(key for row in rows if row is not None for key in row))
    if not all(key.isdigit() for key in keys):
        return {key: key for key in keys}
    listed = next((c for c in table.columns if _lists_classes(table, c)), None)
    if listed is not None:
        names = re.findall(r"[^\[\],'\"\s][^\[\],'\"]*", str(table.first(listed, 1)[0]))
        return dict(zip(keys, names, strict=True)) if len(names) == len(keys) else None
    return {key: key for key in keys}


class Spelling(NamedTuple):
    """How a program calls the columns of its predictions: by patterns, in which {truth} is what the labels' name says.

    `truth` are its names for the truth; where there are none, it is the one column that holds the labels' values.
    `anybody` may call columns so: a column whose own name says truth goes first.
    """

    label: str
    score: str
    truth: tuple[str, ...] = ("{truth}",)
    id: str = ""
    fold: str = ""
    repeat: str = ""
    anybody: bool = False


PROGRAMS = (
    # KNIME, RapidMiner, SAS (two procedures), SPSS Modeler, DataRobot
    Spelling(r"Prediction \((?P<truth>.+?)\)(?P<model>.*)", r"P \({truth}=(?P<label>.+)\)(?P<model>.*)"),
    Spelling(r"prediction\((?P<truth>.+)\)", r"confidence\((?P<label>.+)\)"),
    Spelling(r"I_(?P<truth>.+)", r"P_{truth}(?P<label>.+)", ("F_{truth}", "{truth}")),
    Spelling(r"_INTO_", r"IP_(?P<label>.+)", ("_FROM_",)),
    Spelling(r"\$(?P<model>[A-Z])-(?P<truth>.+)", r"\$(?P<model>[A-Z])RP-{truth}"),
    Spelling(r"(?P<truth>.+)_PREDICTION", r"{truth}_(?P<label>.+)_PREDICTION", ("{truth}", "{truth} (actual)")),
    # mlr3 (benchmarks too), caret, tidymodels, CatBoost, SPSS
    Spelling(r"response", r"prob\.(?P<label>.+)", ("truth",), id="row_ids", fold="iteration"),
    Spelling(r"pred", r"(?P<label>.+)", ("obs",), id="rowIndex", fold="Resample"),
    Spelling(r"\.pred_class", r"\.pred_(?P<label>.+)", (), id=".row", fold="id2", repeat="id"),
    Spelling(r"\.pred_class", r"\.pred_(?P<label>.+)", (), id=".row", fold="id"),
    Spelling(r"Class", r"Probability(:Class=(?P<label>.+))?", ("Label",), id="SampleId"),
    Spelling(r"PGR_\d+", r"PRE_\d+", ()),
    # Orange; BigQuery and whoever calls what is predicted after the truth
    Spelling(r"(?P<model>.+)", r"(?P<model>.+) \((?P<label>.+)\)", (), fold="Fold"),
    Spelling(r"(?i:pred|predicted|prediction)[_ .](?P<truth>.+)", r"{truth}_prob_(?P<label>.+)", anybody=True),
    Spelling(r"(?P<truth>.+)[_ .](?i:pred|predicted|prediction)", r"{truth}_(?:prob|score)", anybody=True),
)


def as_programs_write(table: InputTable, asked: ColumnRequest) -> ColumnRequest:
    """The request with truth and models by name, where the columns are called as a program calls its predictions."""
    if any(choice is not None for choice in (asked.models, asked.label, asked.score)):
        return asked
    for program in PROGRAMS:
        request = _written_by(program, table, asked)
        if request is not None:
            return request
    return asked


def _written_by(program: Spelling, table: InputTable, asked: ColumnRequest) -> ColumnRequest | None:
    columns = table.columns
    if program.repeat and not {program.fold, program.repeat} <= set(columns):
        return None
    if program.anybody and any(bare(c) in TRUTH for c in columns):
        return None
    labels = [m for c in columns if (m := re.fullmatch(program.label, c))]
    if not program.truth:
        # Whose probabilities stand beside it is a model, and not the truth.
        scored = {_whose(m) for c in columns if table.kind(c) in NUMERIC and (m := re.fullmatch(program.score, c))}
        labels = [m for m in labels if _whose(m) in scored]
    labels = [m for m in labels if table.few(m[0], MOST_CLASSES)]
    for label in labels:
        name = label.groupdict().get("truth") or ""
        label_words = _class_words(table, label[0])
        pattern = program.score.replace("{truth}", re.escape(name))
        scores = [m for c in columns if table.kind(c) in NUMERIC and (m := re.fullmatch(pattern, c))]
        named = [t.format(truth=name) for t in program.truth]
        if not program.truth:
            beside = {program.id, program.fold, *(m[0] for m in (*labels, *scores))}
            named = [c for c in columns if c not in beside and _class_words(table, c) == label_words]
        truths = [c for c in ([asked.truth] if asked.truth else named) if c in columns and c != label[0]]
        if not truths or (len(truths) > 1 and not program.truth):
            continue
        classes = _class_words(table, truths[0]) | label_words
        models: dict[str, dict[str, Any]] = {
            _whose(m): {"label": m[0]} for m in labels if (m.groupdict().get("truth") or "") == name
        }
        for one in scores:
            mine, of = models.get(_whose(one)), one.groupdict().get("label")
            if mine is not None and (of is None or of in classes):
                mine["score"] = one[0] if of is None else {**mine.get("score", {}), of: one[0]}
        for model in models.values():
            if isinstance(model.get("score"), dict) and model["score"].keys() != classes:
                del model["score"]
        # Words that anybody may use are a program's own only beside its scores.
        if name or any("score" in model for model in models.values()):
            id_ = asked.id if asked.id is not None or program.id not in columns else program.id
            fold = asked.fold if asked.fold is not None or program.fold not in columns else program.fold
            made = replace(asked, truth=truths[0], id=id_, fold=fold, repeat=asked.repeat or program.repeat or None)
            whose = next((c for c in columns if bare(c) in MODEL and table.kind(c) == "text"), None)
            if whose is not None and len(models) == 1:  # a row for each model and item
                return replace(made, models=whose, **next(iter(models.values())))
            return replace(made, models=models)
    return None


def _class_words(table: InputTable, column: str) -> set[str]:
    """The values of a column as names of classes; none where there are too many, or fractions."""
    values = table.few(column, MOST_CLASSES) or ()
    if table.kind(column) == "number" and not table.is_whole(column):
        return set()
    return {str(int(v)) if isinstance(v, float) else str(v) for v in values}


def _whose(column: re.Match[str]) -> str:
    return (column.groupdict().get("model") or "").strip(" _-()") or ONE_MODEL
