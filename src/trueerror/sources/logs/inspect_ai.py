"""Logs of Inspect: `.json` (one object) or `.eval` (a zip of JSON: a header and a file for each sample).

A sample has an `id`, an `epoch` and `scores`, whose values are "C", "I", "P" or "N" (correct, incorrect, partial, no
answer), or numbers. Epochs are further answers to the same question: they depend on each other, so each question is a
cluster. What a sample's `metadata` says of it makes slices and clusters.

The zip is packed by Zstandard, which Python reads from 3.14 on; before that DuckDB unpacks it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import head_of, members_of, whole_json
from trueerror.sources.logs._graded import Item, LogRequest, Run, UngradedError, reads

# Partly right, and no answer; other words are known.
GRADED = {"P": 0.5, "N": 0.0}
HEADERS = ("header.json", "start.json", "_journal/start.json")
KEPT = frozenset(("id", "epoch", "scores", "target", "metadata", "invalidation"))
SUMMARIES = ("summaries.json", "summary.json")


def is_inspect(path: Path) -> bool:
    """Whether a file looks like a log of Inspect."""
    if path.suffix.lower() == ".eval":
        return zipfile.is_zipfile(path)
    head = head_of(path)
    # Sets of evals list the headers of their logs in logs.json, by file.
    if re.match(rb'\s*\{\s*"[^"]*\.(eval|json)"', head):
        return False
    return head.lstrip()[:1] == b"{" and all(word in head for word in (b'"version"', b'"status"', b'"eval"'))


@reads("*.eval", "*.json", "*.json.gz", is_log=is_inspect)
def inspect(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong sample by sample, from logs of Inspect (`.eval` or `.json`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}; models and tasks are named as in the
    logs, and several tasks become slices. With epochs each question is a cluster. `score` names the scorer where there
    are several ("scorer/key" where a scorer gives several values), or several of them where tasks have different ones;
    partial answers are grades, whose mean is judged, unless `right_from` says what is right. `by` and `cluster` name
    fields of the samples' metadata (or task, epoch, target): slices, and questions that depend on each
    other because they share a text, say.
    """
    header, samples = _open(file, asked.fields)
    spec = header.get("eval") if isinstance(header.get("eval"), dict) else {}
    assert isinstance(spec, dict)
    run = Run(name or str(spec.get("model") or ""), str(spec.get("task") or file.stem), "", file.name)
    run.time = str(spec.get("created") or "")
    settings = spec.get("task_args")
    run.settings = settings if isinstance(settings, dict) else {}
    status = header.get("status")
    if status not in (None, "success"):
        run.notes.append(f"{file.name} has the status {status!r}: it may lack samples.")
    _fill(run, file, samples, asked)
    results = header.get("results")
    sums = results.get("scores") if isinstance(results, dict) else None
    way = {
        s.get("reducer") for s in sums or () if isinstance(s, dict) and run.measure in (s.get("scorer"), s.get("name"))
    }
    if way and not way & {None, "mean"}:
        run.notes.append(
            f"Inspect's own figure in {file.name} takes epochs together by {way.pop()}; here every answer counts, and "
            "te.repeats gives the best, the worst and the majority of several."
        )
    yield run


def _fill(run: Run, file: Path, samples: Iterator[object], asked: LogRequest) -> None:
    rows = [s for s in samples if isinstance(s, dict) and "id" in s]
    names = list(dict.fromkeys(name for s in rows for name in _values(s)))
    if not rows:
        raise UngradedError(f"{file.name} holds no samples: run Inspect without --no-log-samples")
    if not names:
        raise UngradedError("; ".join([f"{file.name} holds no scores", *run.notes]).rstrip("."))
    # Inspect shows the values of a scorer by their keys alone.
    by_key = {key: [name for name in names if name.endswith(f"/{key}")] for key in asked.words()}
    known = {key: matches[0] for key, matches in by_key.items() if key not in names and len(matches) == 1}
    asked = asked._replace(score=[known.get(key, key) for key in by_key] or None)
    run.measure = asked.measure(names, file.name, "scorer")
    invalid = sum(bool(s.get("invalidation")) for s in rows)
    if invalid:
        run.notes.append(
            f"{file.name} marks {invalid:,} sample{'s' * (invalid > 1)} as invalid, which counts as not answered."
        )
    for s in rows:
        key = str(s["id"])
        value = None if s.get("invalidation") else _values(s).get(run.measure)
        value = GRADED.get(value, value) if isinstance(value, str) else value
        right = asked.grade(value, f"{file.name}, sample {key}: {run.measure}")
        target = s.get("target")
        mark = target if isinstance(target, str) else ""
        metadata = s.get("metadata")
        fields = {"target": mark, **(metadata if isinstance(metadata, dict) else {})}
        epoch = s.get("epoch")
        run.add(key, Item(right, mark, fields), epoch if isinstance(epoch, int) else 1)


def _values(sample: dict[str, object]) -> dict[str, object]:
    """Scorer → value; a scorer with several values gives scorer/key for each."""
    values: dict[str, object] = {}
    scores = sample.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            values |= {f"{name}/{key}": inner for key, inner in value.items()}
        else:
            values[str(name)] = value
    return values


def _open(file: Path, whole: bool) -> tuple[dict[str, object], Iterator[object]]:
    if zipfile.is_zipfile(file):
        try:
            return _open_zip(file, whole)
        except zipfile.BadZipFile as error:
            raise FileError(f"{file.name} is damaged: {error}") from None
    data = whole_json(file, file.name)
    if not isinstance(data, dict) or not isinstance(data.get("samples"), list):
        raise FileError(f"{file.name} is not a log of Inspect with samples")
    return data, iter(data["samples"])


def _open_zip(file: Path, whole: bool = False) -> tuple[dict[str, object], Iterator[object]]:
    """The header and the samples: their summaries, where these say enough (long texts are cut in them)."""
    with zipfile.ZipFile(file) as archive:
        members = {info.filename: info for info in archive.infolist()}
        header_name = next((name for name in HEADERS if name in members), None)
        if header_name is None:
            raise FileError(f"{file.name} is not a log of Inspect: it has no header")
        (header,) = members_of(archive, file, [members[header_name]])
        header = header if isinstance(header, dict) else {}
        whole = whole or bool(header.get("invalidated"))
        summary = None if whole else next((name for name in SUMMARIES if name in members), None)
        rows = next(members_of(archive, file, [members[summary]])) if summary else None
        if not isinstance(rows, list) or not all(isinstance(r, dict) and r.get("scores") for r in rows):
            samples = [m for n, m in members.items() if n.startswith("samples/") and n.endswith(".json")]
            rows = [_slim(sample) for sample in members_of(archive, file, samples)]
    return header, iter(rows)


def _slim(sample: object) -> object:
    """What a sample says of its score, without the transcript."""
    return {k: v for k, v in sample.items() if k in KEPT} if isinstance(sample, dict) else None
