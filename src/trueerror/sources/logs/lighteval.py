"""lighteval: details of each document, in details/ORGANISATION/MODEL/TIME/details_TASK_TIME.parquet or .jsonl."""

from __future__ import annotations

import re
from pathlib import Path

from trueerror.sources._bytes import json_lines, parquet_rows
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads

STAMP = r"\d{4}-\d\d-\d\dT[\d.\-:]+"
DETAILS = re.compile(rf"^details_(.+?)(?:_({STAMP}?))?\.(?:parquet|jsonl)$")


@reads()
def lighteval(file: Path, _: LogRequest) -> Log:
    """Right or wrong document by document, from lighteval's details (`--save-details`: Parquet; JSON Lines too).

    Documents are numbered by their order, which lighteval keeps; a model is called by the folders of its files.
    """
    packed = file.suffix.lower() == ".parquet"
    rows = parquet_rows(file) if packed else [row for _, row in json_lines(file) if isinstance(row, dict)]
    named = DETAILS.match(file.name)
    task, time = (named[1], named[2] or "") if named else (file.stem, "")
    log = Log(model=_model_of(file), task=task, time=time, what="metric", item="document")
    for number, row in enumerate(rows):
        doc = part(row, "doc")
        fields = {k: v for k, v in doc.items() if not isinstance(v, dict | list)} | part(doc, "specific")
        mark = doc.get("query", row.get("example", ""))
        scores = part(row, "metric") or part(row, "metrics")
        log.records.append(Record(doc.get("id") or number, scores, fields, mark, epoch=1))
    return log


def _model_of(file: Path) -> str:
    """A model by the folders of its files."""
    folders = list(file.resolve().parts[:-1])
    if folders and re.fullmatch(STAMP, folders[-1]):
        folders.pop()
    places = [i for i, folder in enumerate(folders) if folder == "details"]
    return "/".join(folders[places[-1] + 1 :] if places else folders[-1:])
