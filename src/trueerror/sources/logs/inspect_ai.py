"""Logs of Inspect: `.json` (one object) or `.eval` (a zip of JSON: a header and a file for each sample).

A sample has an `id`, an `epoch` and `scores`, whose values are "C", "I", "P" or "N" (correct, incorrect, partial, no
answer), or numbers. Epochs are further answers to the same question: they depend on each other, so each question is a
cluster.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueerror.inputs._options import FileError
from trueerror.sources._predictions import Predictions
from trueerror.sources.logs._graded import Item, Measures, Run, first_of, grade, graded, one_measure
from trueerror.sources.logs._recognise import MOST_BYTES, MOST_PARSED, Source, files_of, head_of, json_of, text_of
from trueerror.tallies import Missing

PATTERNS = ("*.eval", "*.json")
GRADED = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
HEADERS = ("header.json", "start.json", "_journal/start.json")
KEPT = frozenset(("id", "epoch", "scores", "target", "metadata"))
SUMMARIES = ("summaries.json", "summary.json")


def inspect(
    source: Source, *, score: Measures = None, right_from: float | None = None, missing: Missing = "error"
) -> Predictions:
    """Right or wrong sample by sample, from logs of Inspect (`.eval` or `.json`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}; models and tasks are named as in the
    logs, and several tasks become slices. With epochs each question is a cluster. `score` names the scorer where there
    are several ("scorer/key" where a scorer gives several values), or several of them where tasks have different ones;
    partial answers need `right_from`.
    """
    runs = []
    for name, file in files_of(source, PATTERNS):
        header, samples = _open(file)
        spec = header.get("eval") if isinstance(header.get("eval"), dict) else {}
        assert isinstance(spec, dict)
        run = Run(name or str(spec.get("model") or "model"), str(spec.get("task") or file.stem), "", file.name)
        status = header.get("status")
        if status not in (None, "success"):
            run.note = f"{file.name} has the status {status!r}: it may lack samples."
        _fill(run, file, samples, score, right_from)
        runs.append(run)
    return graded(runs, missing=missing)


def is_inspect(path: Path) -> bool:
    """Whether a file looks like a log of Inspect."""
    if path.suffix.lower() == ".eval":
        return zipfile.is_zipfile(path)
    head = head_of(path)
    return head.lstrip()[:1] == b"{" and all(word in head for word in (b'"version"', b'"status"', b'"eval"'))


def _fill(run: Run, file: Path, samples: Iterator[object], asked: Measures, right_from: float | None) -> None:
    rows = [s for s in samples if isinstance(s, dict) and "id" in s]
    names = list(dict.fromkeys(name for s in rows for name in _values(s)))
    run.measure = one_measure(names, first_of(asked, names), file.name, "scorer")
    epochs = any(s.get("epoch") not in (None, 1) for s in rows)
    for s in rows:
        key = str(s["id"])
        value = _values(s).get(run.measure)
        value = GRADED.get(value, value) if isinstance(value, str) else value
        right = grade(value, right_from, f"{file.name}, sample {key}: {run.measure}")
        target = s.get("target")
        mark = target if isinstance(target, str) else ""
        run.add(f"{key}, epoch {s.get('epoch') or 1}" if epochs else key, Item(right, key if epochs else "", mark))


def _values(sample: dict[str, object]) -> dict[str, object]:
    """Scorer → value; a scorer with several values gives scorer/key for each."""
    found: dict[str, object] = {}
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            found |= {f"{name}/{key}": inner for key, inner in value.items()}
        else:
            found[str(name)] = value
    return found


def _open(file: Path) -> tuple[dict[str, object], Iterator[object]]:
    if zipfile.is_zipfile(file):
        return _open_zip(file)
    data = json_of(file, text_of(file))
    if not isinstance(data, dict) or not isinstance(data.get("samples"), list):
        raise FileError(f"{file.name} is not a log of Inspect with samples")
    return data, iter(data["samples"])


def _open_zip(file: Path) -> tuple[dict[str, object], Iterator[object]]:
    with zipfile.ZipFile(file) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        header_name = next((name for name in HEADERS if name in sizes), None)
        if header_name is None:
            raise FileError(f"{file.name} is not a log of Inspect: it has no header")
        header = _member(archive, file, header_name, sizes)
        summary = next((name for name in SUMMARIES if name in sizes), None)
        rows = _member(archive, file, summary, sizes) if summary else None
        if not isinstance(rows, list) or not all(isinstance(r, dict) and r.get("scores") for r in rows):
            names = [n for n in sizes if n.startswith("samples/") and n.endswith(".json")]
            if sum(sizes[n] for n in names) > MOST_BYTES:
                raise FileError(f"{file.name} unpacks to more than {MOST_BYTES >> 30:,} GB")
            rows = [_slim(_member(archive, file, name, sizes)) for name in names]
    return (header if isinstance(header, dict) else {}), iter(rows)


def _slim(sample: object) -> object:
    """What a sample says of its score, without the transcript."""
    return {k: v for k, v in sample.items() if k in KEPT} if isinstance(sample, dict) else None


def _member(archive: zipfile.ZipFile, file: Path, name: str, sizes: dict[str, int]) -> Any:
    if sizes[name] > MOST_PARSED:
        raise FileError(f"{file.name}: {name} unpacks to more than {MOST_PARSED >> 20:,} MB")
    try:
        with archive.open(name) as stream:
            text = stream.read(MOST_PARSED + 1)
            if len(text) > MOST_PARSED:
                raise FileError(f"{file.name}: {name} unpacks to more than {MOST_PARSED >> 20:,} MB")
    except NotImplementedError:
        raise FileError(
            f"{file.name} is packed in a way that this Python cannot read: write it as JSON, with inspect log convert "
            "--to json"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise FileError(f"{file.name} is damaged: {error}") from None
    return json_of(file, text, f" ({name})")
