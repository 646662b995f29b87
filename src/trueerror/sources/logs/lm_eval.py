"""Sample files of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, an object for each item and filter.

Each object has `doc_id`, `target`, `filtered_resps` and, for each metric, its value for this item (acc, exact_match,
…); `filter` names how the answer was cut out of the text, and one item may stand there under several filters.
"""

from __future__ import annotations

import re
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._predictions import Predictions
from trueerror.sources.logs._graded import (
    Clusters,
    Item,
    Measures,
    Run,
    Slices,
    first_of,
    grade,
    graded,
    one_measure,
)
from trueerror.sources.logs._recognise import Source, files_of, head_of, json_of, lines_of
from trueerror.tallies import Missing

PATTERNS = ("samples_*.jsonl", "samples_*.jsonl.gz")
STAMPED = re.compile(r"^samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.\-:]+)?\.jsonl(?:\.gz)?$")
# What an object holds besides its metrics.
FIELDS = frozenset(
    ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
     "target_hash", "input", "idx", "repeats")
)  # fmt: skip


def lm_eval(
    source: Source,
    *,
    score: Measures = None,
    right_from: float | None = None,
    by: Slices = None,
    cluster: Clusters = None,
    missing: Missing = "error",
) -> Predictions:
    """Right or wrong item by item, from sample files of lm-evaluation-harness (`--log_samples`).

    `source` is a file, a folder, a pattern, a list of these, or {"model": path}. A model is called by the folder of its
    files (as the harness lays them out) and a task by the file's name; several tasks become slices. `score` names the
    metric that decides, with the filter where there are several, as the harness writes it: "exact_match,strict-match";
    where tasks have different metrics, a list of them, of which each file takes the first that it has.
    Metrics between 0 and 1 are grades, whose mean is judged, unless `right_from` says what is right. Models that ran on
    the same items are paired by them. `by` and `cluster` name fields of the documents (subject, say; or task, target).
    """
    files = files_of(source, PATTERNS)
    several_folders = len({file.parent for _, file in files}) > 1
    runs = []
    for name, file in files:
        model, task = _names(file, several_folders)
        runs.append(_read(file, name or model, task, score, right_from))
    return graded(runs, missing=missing, by=by, cluster=cluster)


def is_harness(path: Path) -> bool:
    """Whether a file looks like one of the harness."""
    head = head_of(path, 1 << 20)
    return head.lstrip()[:1] == b"{" and b'"doc_id"' in head and b'"filtered_resps"' in head


def is_results(path: Path) -> bool:
    """Whether a file holds the harness's sums over tasks."""
    head = head_of(path, 1 << 20)
    return head.lstrip()[:1] == b"{" and all(word in head for word in (b'"results"', b'"n-shot"', b"_stderr,"))


def _names(file: Path, several_folders: bool) -> tuple[str, str]:
    stamped = STAMPED.match(file.name)
    task = stamped[1] if stamped else "task"
    folder = file.resolve().parent.name
    if "__" in folder:  # the harness writes org/model as org__model
        return folder.replace("__", "/"), task
    return (folder if several_folders else "model"), task


def _read(file: Path, model: str, task: str, asked: Measures, right_from: float | None) -> Run:
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
    names = _metrics(kept[0][1])
    metric, _, wanted = (first_of(asked, names, lambda word: word.partition(",")[0]) or "").partition(",")
    one = one_measure(names, metric or None, file.name, "metric")
    cut = one_measure(
        [f"{one},{f}" for f in filters], f"{one},{wanted}" if wanted else None, file.name, "filter"
    ).partition(",")[2]  # fmt: skip
    run = Run(model, task, one, file.name)
    for number, row in kept:
        if str(row.get("filter", "none")) == cut:
            right = grade(row.get(one), right_from, f"{file.name}, line {number}: {one}")
            doc = row.get("doc")
            fields = {"target": row.get("target"), **(doc if isinstance(doc, dict) else {})}
            run.add(str(row["doc_id"]), Item(right, str(row.get("doc_hash") or row.get("target") or ""), fields))
    return run


def _metrics(row: dict[str, object]) -> list[str]:
    """The metrics of an item: numbers, under names that are not the harness's own."""
    listed = row.get("metrics")
    told = [str(name) for name in listed] if isinstance(listed, list) else []
    found = [name for name, value in row.items() if name not in FIELDS and isinstance(value, bool | int | float)]
    return [name for name in told if name in row] or found
