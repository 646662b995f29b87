"""Logs of Inspect: `.json` (one object) or `.eval` (a zip of JSON: a header and a file for each sample).

A sample has an `id`, an `epoch` and `scores`, whose values are "C", "I", "P" or "N" (correct, incorrect, partial, no
answer), or numbers. Epochs are further answers to the same question: they depend on each other, so each question is a
cluster. What a sample's `metadata` says of it makes slices and clusters.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import members_of, whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, UngradedError, part, reads

# Partly right, and no answer; other words are known.
GRADED = {"P": 0.5, "N": 0.0}
HEADERS = ("header.json", "start.json", "_journal/start.json")
KEPT = frozenset(("id", "epoch", "scores", "target", "metadata", "invalidation"))
SUMMARIES = ("summaries.json", "summary.json")
REDUCED = (
    "Inspect's own figure in {} takes epochs together by {}; here every answer counts, and te.repeats gives the best, "
    "the worst and the majority of several."
)


@reads()
def inspect(file: Path, asked: LogRequest) -> Log:
    """Right or wrong sample by sample, from logs of Inspect (`.eval` or `.json`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}; models and tasks are named as in the
    logs, and several tasks become slices. With epochs each question is a cluster. `score` names the scorer where there
    are several ("scorer/key" where a scorer gives several values), or several of them where tasks have different ones;
    partial answers are grades, whose mean is judged, unless `right_from` says what is right. `by` and `cluster` name
    fields of the samples' metadata (or task, epoch, target): slices, and questions that depend on each
    other because they share a text, say.
    """
    header, samples = _open(file, asked.fields)
    spec = part(header, "eval")
    log = Log(
        model=str(spec.get("model") or ""), task=str(spec.get("task") or file.stem), what="scorer", item="sample",
        time=str(spec.get("created") or ""), settings=part(spec, "task_args"),
    )  # fmt: skip
    status = header.get("status")
    if status not in (None, "success"):
        log.notes.append(f"{file.name} has the status {status!r}: it may lack samples.")
    rows = [s for s in samples if isinstance(s, dict) and "id" in s]
    if not rows:
        raise UngradedError(f"{file.name} holds no samples: run Inspect without --no-log-samples")
    if not any(map(_values, rows)):
        raise UngradedError("; ".join([f"{file.name} holds no scores", *log.notes]).rstrip("."))
    invalid = sum(bool(s.get("invalidation")) for s in rows)
    if invalid:
        log.notes.append(
            f"{file.name} marks {invalid:,} sample{'s' * (invalid > 1)} as invalid, which counts as not answered."
        )
    log.records += map(_record, rows)
    for sums in part(header, "results").get("scores") or ():
        if isinstance(sums, dict) and sums.get("reducer") not in (None, "mean"):
            note = REDUCED.format(file.name, sums["reducer"])
            log.of_measures |= {str(sums.get(word)): note for word in ("scorer", "name")}
    return log


def _record(sample: dict[str, object]) -> Record:
    target, epoch, values = sample.get("target"), sample.get("epoch"), _values(sample)
    mark = target if isinstance(target, str) else ""
    values = dict.fromkeys(values) if sample.get("invalidation") else values
    epoch = epoch if isinstance(epoch, int) else 1
    return Record(sample["id"], values, {"target": mark, **part(sample, "metadata")}, mark, epoch)


def _values(sample: dict[str, object]) -> dict[str, object]:
    """Scorer → value; a scorer with several values gives scorer/key for each."""
    values: dict[str, object] = {}
    for name, score in part(sample, "scores").items():
        value = score.get("value") if isinstance(score, dict) else score
        several = {f"{name}/{key}": v for key, v in value.items()} if isinstance(value, dict) else {str(name): value}
        values |= {key: GRADED.get(v, v) if isinstance(v, str) else v for key, v in several.items()}
    return values


def _open(file: Path, whole: bool) -> tuple[dict[str, object], Iterable[object]]:
    if zipfile.is_zipfile(file):
        try:
            with zipfile.ZipFile(file) as archive:
                return _open_zip(archive, file, whole)
        except (zipfile.BadZipFile, OSError) as error:
            raise FileError(f"{file.name} is damaged: {error}") from None
    data = whole_json(file, file.name)
    if not isinstance(data, dict) or not isinstance(data.get("samples"), list):
        raise FileError(f"{file.name} is not a log of Inspect with samples")
    return data, data["samples"]


def _open_zip(archive: zipfile.ZipFile, file: Path, whole: bool) -> tuple[dict[str, object], list[object]]:
    """The header and the samples: their summaries, where these say enough (long texts are cut in them)."""
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
        # What a sample says of its score, without the transcript.
        rows = [
            {k: v for k, v in sample.items() if k in KEPT} if isinstance(sample, dict) else None
            for sample in members_of(archive, file, samples)
        ]
    return header, rows
