"""lm-evaluation-harness: `samples_TASK_TIME.jsonl`, an object for each item and filter.

An object has `doc_id`, `target`, `filtered_resps` and the value of each metric for this item (acc, exact_match, …);
`filter` names how the answer was cut out of the text, and one item may stand there under several filters.
"""

from __future__ import annotations

import re
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import json_lines
from trueerror.sources.logs._graded import Log, LogRequest, Record, UngradedError, one_measure, part, reads

STAMPED = re.compile(r"^samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.\-:]+?))?\.jsonl(?:\.gz)?$")
# What an object holds besides its metrics.
FIELDS = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
     "target_hash", "input", "idx", "repeats")
)  # fmt: skip
TEXTS = frozenset(("arguments", "resps", "filtered_resps", "input"))


@reads()
def lm_eval(file: Path, asked: LogRequest) -> Log:
    """Right or wrong item by item, from sample files of lm-evaluation-harness (`--log_samples`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}. A model is called by the folder of its
    files (as the harness lays them out) and a task by the file's name; several tasks become slices. `score` names the
    metric that decides, with the filter where there are several, as the harness writes it: "exact_match,strict-match";
    where tasks have different metrics, a list of them, of which each file takes the first that it has.
    Metrics between 0 and 1 are grades, whose mean is judged, unless `right_from` says what is right. Models that ran on
    the same items are paired by them. `by` and `cluster` name fields of the documents (subject, say; or task, target).
    """
    rows: list[dict[str, object]] = []
    for number, row in json_lines(file):
        if not isinstance(row, dict) or "doc_id" not in row:
            raise FileError(f"{file.name}, line {number}: an item of lm-evaluation-harness has a doc_id")
        rows.append({name: value for name, value in row.items() if name not in TEXTS})
    if not rows:
        raise FileError(f"{file.name} holds no items")
    names = _metrics(rows[0], file)
    pairs = [f"{metric},{cut}" for metric in names for cut in dict.fromkeys(map(_filter, rows))]
    wanted = asked.words()
    # The first that the file has: a metric, or one with its filter.
    chosen = next((word for word in wanted if word in pairs or word in names), next(iter(wanted), ""))
    metric = one_measure(names, chosen.partition(",")[0] or None, file.name, "metric")
    cuts = [pair for pair in pairs if pair.startswith(f"{metric},")]
    cut = one_measure(cuts, chosen if "," in chosen else None, file.name, "filter").removeprefix(f"{metric},")
    stamped = STAMPED.match(file.name)
    task, time = (stamped[1], stamped[2] or "") if stamped else ("task", "")
    # The harness writes org/model as org__model; another folder names a model only beside others.
    folder = file.resolve().parent.name
    log = Log(model=folder.replace("__", "/") if "__" in folder else "", task=task, time=time, measure=metric)
    for row in rows:
        if _filter(row) == cut:
            fields = {"target": row.get("target"), **part(row, "doc")}
            mark = row.get("doc_hash") or row.get("target") or ""
            log.records.append(Record(row["doc_id"], {metric: row.get(metric)}, fields, mark, epoch=1))
    return log


def _filter(row: dict[str, object]) -> str:
    return str(row.get("filter", "none"))


def _metrics(row: dict[str, object], file: Path) -> list[str]:
    """The metrics of an item: numbers, under names that are not the harness's own."""
    listed = row.get("metrics")
    named = [str(name) for name in listed if name in row] if isinstance(listed, list) else []
    metrics = [n for n in named or row if n not in FIELDS and isinstance(row[n], bool | int | float)]
    if named and not metrics:
        raise UngradedError(f"{file.name} has no grades of items: {', '.join(named)} are of all texts together")
    return metrics
