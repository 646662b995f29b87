"""OpenAI evals: a record of events, as JSON Lines that begin with a spec."""

from __future__ import annotations

from pathlib import Path

from trueerror.sources._bytes import json_lines
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads


@reads()
def openai_evals(file: Path, _: LogRequest) -> Log:
    """Right or wrong sample by sample, from the record of `oaieval` (JSON Lines: a spec, then events).

    The events of type match say `correct`; others (`metrics`) name their measures, of which `score` picks one.
    """
    rows = [row for _, row in json_lines(file) if isinstance(row, dict)]
    spec = next((found for row in reversed(rows) if (found := part(row, "spec"))), {})
    makers = spec.get("completion_fns")
    log = Log(
        model=str(makers[0]) if isinstance(makers, list) and makers else "model",
        task=str(spec.get("eval_name") or file.stem), time=str(spec.get("created_at") or ""), what="measure",
        usual="correct", item="sample",
    )  # fmt: skip
    for event in rows:
        data = part(event, "data")
        scores = {key: value for key, value in data.items() if isinstance(value, bool | int | float)}
        if event.get("type") in ("match", "metrics") and "sample_id" in event and scores:
            log.records.append(Record(event["sample_id"], scores, data, data.get("expected", ""), epoch=1))
    return log
