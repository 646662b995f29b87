"""Sample files of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, an object for each item and filter.

Each object has `doc_id`, `target`, `filtered_resps` and, for each metric, its value for this item (acc, exact_match,
…); `filter` names how the answer was cut out of the text, and one item may stand there under several filters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources.logs._graded import Item, LogRequest, Run, UngradedError, one_measure, reads
from trueerror.sources.logs._recognise import head_of, json_of, lines_of

STAMPED = re.compile(r"^samples_(.+?)(?:_(\d{4}-\d\d-\d\dT[\d.\-:]+?))?\.jsonl(?:\.gz)?$")
# What an object holds besides its metrics.
FIELDS = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
     "target_hash", "input", "idx", "repeats")
)  # fmt: skip


def is_harness(path: Path) -> bool:
    """Whether a file looks like one of the harness."""
    head = head_of(path, 1 << 20)
    return head.lstrip()[:1] == b"{" and b'"doc_id"' in head and b'"filtered_resps"' in head


@reads("samples_*.jsonl", "samples_*.jsonl.gz", is_log=is_harness)
def lm_eval(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong item by item, from sample files of lm-evaluation-harness (`--log_samples`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}. A model is called by the folder of its
    files (as the harness lays them out) and a task by the file's name; several tasks become slices. `score` names the
    metric that decides, with the filter where there are several, as the harness writes it: "exact_match,strict-match";
    where tasks have different metrics, a list of them, of which each file takes the first that it has.
    Metrics between 0 and 1 are grades, whose mean is judged, unless `right_from` says what is right. Models that ran on
    the same items are paired by them. `by` and `cluster` name fields of the documents (subject, say; or task, target).
    """
    stamped = STAMPED.match(file.name)
    folder = file.resolve().parent.name
    # The harness writes org/model as org__model; another folder names a model only beside others.
    model = name or (folder.replace("__", "/") if "__" in folder else "")
    filters: dict[str, None] = {}
    kept: list[tuple[int, dict[str, object]]] = []
    for number, line in enumerate(lines_of(file), 1):
        if not line.strip():
            continue
        row = json_of(file, line, f", line {number}")
        if not isinstance(row, dict) or "doc_id" not in row:
            raise FileError(f"{file.name}, line {number}: an item of lm-evaluation-harness has a doc_id")
        filters.setdefault(str(row.get("filter", "none")))
        kept.append((number, row))
    if not kept:
        raise FileError(f"{file.name} holds no items")
    names = _metrics(kept[0][1], file)
    pairs = [f"{metric},{cut}" for metric in names for cut in filters]
    wanted = asked.words()
    # Of several, the first that the file has: a metric, or one with its filter.
    found = next((word for word in wanted if word in pairs or word in names), next(iter(wanted), ""))
    one = one_measure(names, found.partition(",")[0] or None, file.name, "metric")
    cuts = [pair for pair in pairs if pair.startswith(f"{one},")]
    cut = one_measure(cuts, found if "," in found else None, file.name, "filter").removeprefix(f"{one},")
    run = Run(model, stamped[1] if stamped else "task", one, file.name, time=(stamped[2] or "") if stamped else "")
    for number, row in kept:
        if str(row.get("filter", "none")) == cut:
            right = asked.grade(row.get(one), f"{file.name}, line {number}: {one}")
            doc = row.get("doc")
            fields = {"target": row.get("target"), **(doc if isinstance(doc, dict) else {})}
            run.add(str(row["doc_id"]), Item(right, str(row.get("doc_hash") or row.get("target") or ""), fields))
    yield run


def is_results(path: Path) -> bool:
    """Whether a file holds the harness's sums over tasks."""
    head = head_of(path, 1 << 20)
    return head.lstrip()[:1] == b"{" and all(word in head for word in (b'"results"', b'"n-shot"', b"_stderr,"))


def _metrics(row: dict[str, object], file: Path) -> list[str]:
    """The metrics of an item: numbers, under names that are not the harness's own."""
    listed = row.get("metrics")
    told = [str(name) for name in listed if name in row] if isinstance(listed, list) else []
    found = [n for n in told or row if n not in FIELDS and isinstance(row[n], bool | int | float)]
    if told and not found:
        raise UngradedError(f"{file.name} has no grades of items: {', '.join(told)} are of all texts together")
    return found
