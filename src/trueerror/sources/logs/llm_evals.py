"""Results of promptfoo, OpenAI evals, lighteval and MLflow: right or wrong item by item, each as its tool writes it.

promptfoo writes a result for each test, prompt and provider, as JSON, JSON Lines or CSV (a block of columns for each
provider and prompt); OpenAI evals a record of events; lighteval a table of details with a `metric` for each document;
mlflow.genai.evaluate a table with a column NAME/value for each scorer.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

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
from trueerror.sources.logs._recognise import MOST_WHOLE, Source, files_of, head_of, json_of, lines_of, text_of
from trueerror.tallies import Missing

Row = dict[str, Any]
# Right (True), wrong (False) and other words for them, as scorers write them.
WORDS = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0, "pass": 1.0, "fail": 0.0, "correct": 1.0, "incorrect": 0.0}
# How promptfoo says that a test was not answered at all, and the word in its CSV.
NOT_ANSWERED = (2, "ERROR")


def promptfoo(
    source: Source,
    *,
    score: Measures = None,
    right_from: float | None = None,
    by: Slices = None,
    cluster: Clusters = None,
    missing: Missing = "error",
) -> Predictions:
    """Right or wrong test by test, from `promptfoo eval -o results.json` (.jsonl and .csv too).

    A model is a provider, with its prompt where there are several. A test is right where all its assertions pass;
    `score` names another measure, "score" or a named score, for which `right_from` says what is right. Repeats of a
    test belong together; `by` and `cluster` name variables or metadata of the tests. A call that failed is no answer.
    """
    runs: dict[tuple[str, str], Run] = {}
    for name, file in files_of(source, ("*.json", "*.jsonl", "*.csv"), is_promptfoo):
        rows = list(_promptfoo_csv(file) if file.name.lower().endswith(".csv") else _promptfoo_json(file))
        prompts = list(dict.fromkeys(row["prompt"] for row in rows))
        names = list(dict.fromkeys(["pass", *(m for row in rows for m in row["measures"])]))
        measure = one_measure(names, first_of(score, names) or "pass", file.name, "score")
        times: Counter[tuple[str, str]] = Counter()
        for row in rows:
            place = f" (prompt {prompts.index(row['prompt']) + 1})" if len(prompts) > 1 else ""
            model = f"{name or row['provider']}{place}"
            run = runs.setdefault((model, file.name), Run(model, row["task"], measure, file.name))
            times[model, row["test"]] += 1
            value = None if row["failed"] else row["measures"].get(measure)
            right = grade(value, right_from, f"{file.name}, test {row['test']}: {measure}")
            run.add(row["test"], Item(right, row["mark"], row["fields"]), times[model, row["test"]])
    return graded(runs.values(), missing=missing, by=by, cluster=cluster)


def is_promptfoo(path: Path) -> bool:
    """Whether a file looks like results of promptfoo."""
    head = head_of(path, 1 << 16)
    if path.name.lower().endswith(".csv"):
        return b",Status,Score,Named Scores," in head.split(b"\n", 1)[0]
    one = head.lstrip()[:1] == b"{"
    return one and (b'"promptIdx"' in head or (b'"evalId"' in head and b'"results"' in head))


def _promptfoo_json(file: Path) -> Iterator[Row]:
    if file.name.lower().removesuffix(".gz").endswith(".jsonl"):
        found: Any = [json_of(file, line, f", line {i}") for i, line in enumerate(lines_of(file), 1) if line.strip()]
    else:
        whole = json_of(file, text_of(file))
        results = whole.get("results") if isinstance(whole, dict) else None
        found = results.get("results") if isinstance(results, dict) else results
        if not isinstance(found, list):
            raise FileError(f"{file.name} holds no results of promptfoo")
    for row in found:
        if not isinstance(row, dict) or "success" not in row:
            raise FileError(f"{file.name}: a result of promptfoo says success")
        told, prompt, provider = row.get("vars") or {}, row.get("prompt") or {}, row.get("provider") or {}
        test = row.get("testCase") or {}
        yield {
            "prompt": prompt.get("label", "") if isinstance(prompt, dict) else str(prompt),
            "provider": (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else str(provider),
            "task": "promptfoo",
            "test": str(row.get("testIdx", test.get("description", ""))),
            "failed": row.get("failureReason") in NOT_ANSWERED,
            "measures": {"pass": bool(row["success"]), "score": row.get("score"), **(row.get("namedScores") or {})},
            "mark": json.dumps(told, sort_keys=True, default=str),
            "fields": {**(row.get("metadata") or {}), **(test.get("metadata") or {}), **told},
        }


def _promptfoo_csv(file: Path) -> Iterator[Row]:
    header, *rows = _csv_rows(file)
    blocks = [i - 1 for i, word in enumerate(header) if word == "Status"]
    for number, row in enumerate(rows):
        told = dict(zip(header[: blocks[0]], row, strict=False))
        for start in blocks:
            provider, _, prompt = header[start].removeprefix("[").partition("] ")
            status, points = row[start + 1], row[start + 2]
            yield {
                "prompt": prompt,
                "provider": provider,
                "task": "promptfoo",
                "test": str(number),
                "failed": status in NOT_ANSWERED,
                "measures": {"pass": status == "PASS", "score": float(points) if points else None},
                "mark": json.dumps(told, sort_keys=True),
                "fields": told,
            }


def openai_evals(
    source: Source,
    *,
    score: Measures = None,
    right_from: float | None = None,
    by: Slices = None,
    cluster: Clusters = None,
    missing: Missing = "error",
) -> Predictions:
    """Right or wrong sample by sample, from the record of `oaieval` (JSON Lines: a spec, then events).

    The events of type match say `correct`; others (`metrics`) name their measures, of which `score` picks one.
    """
    runs = []
    for name, file in files_of(source, ("*.jsonl",), is_openai_evals):
        spec: Row = {}
        events: list[Row] = []
        for number, line in enumerate(lines_of(file), 1):
            row = json_of(file, line, f", line {number}") if line.strip() else None
            if isinstance(row, dict):
                spec = row["spec"] if isinstance(row.get("spec"), dict) else spec
                events += [row] if isinstance(row.get("data"), dict) and "sample_id" in row else []
        graded_so = [e for e in events if e.get("type") in ("match", "metrics")]
        names = list(dict.fromkeys(
            key for e in graded_so for key, v in e["data"].items() if isinstance(v, bool | int | float)
        ))  # fmt: skip
        measure = one_measure(names, first_of(score, names) or ("correct" if "correct" in names else None), file.name,
                              "measure")  # fmt: skip
        makers = spec.get("completion_fns")
        model = str(makers[0]) if isinstance(makers, list) and makers else "model"
        run = Run(name or model, str(spec.get("eval_name") or file.stem), measure, file.name)
        for event in graded_so:
            if measure in event["data"]:
                right = grade(
                    event["data"][measure], right_from, f"{file.name}, sample {event['sample_id']}: {measure}"
                )
                told = {k: v for k, v in event["data"].items() if k != measure}
                run.add(str(event["sample_id"]), Item(right, str(told.get("expected", "")), told))
        runs.append(run)
    return graded(runs, missing=missing, by=by, cluster=cluster)


def is_openai_evals(path: Path) -> bool:
    """Whether a file looks like a record of OpenAI evals."""
    head = head_of(path, 1 << 16)
    return b'"spec"' in head.split(b"\n", 1)[0] and b'"completion_fns"' in head


def lighteval(
    source: Source,
    *,
    score: Measures = None,
    right_from: float | None = None,
    by: Slices = None,
    cluster: Clusters = None,
    missing: Missing = "error",
) -> Predictions:
    """Right or wrong document by document, from lighteval's details (`--save-details`: Parquet; JSON Lines too).

    Documents are numbered by their order, which lighteval keeps; a model is called by the folder of its files.
    """
    runs = []
    for name, file in files_of(source, ("details_*.parquet", "details_*.jsonl"), is_lighteval):
        rows = list(_parquet_rows(file) if file.suffix.lower() == ".parquet" else _json_rows(file))
        names = list(dict.fromkeys(key for row in rows for key in row.get("metric") or row.get("metrics") or {}))
        measure = one_measure(names, first_of(score, names), file.name, "metric")
        task = file.name.removeprefix("details_").rpartition("_")[0] or file.stem
        run = Run(name or file.resolve().parent.name, task, measure, file.name)
        for number, row in enumerate(rows):
            doc = row.get("doc") if isinstance(row.get("doc"), dict) else {}
            assert isinstance(doc, dict)
            right = grade((row.get("metric") or row.get("metrics") or {}).get(measure), right_from,
                          f"{file.name}, document {number}: {measure}")  # fmt: skip
            told = doc.get("specific")
            fields = {k: v for k, v in doc.items() if not isinstance(v, dict | list)}
            run.add(str(doc.get("id") or number), Item(right, str(doc.get("query", row.get("example", ""))),
                    {**fields, **(told if isinstance(told, dict) else {})}))  # fmt: skip
        runs.append(run)
    return graded(runs, missing=missing, by=by, cluster=cluster)


def is_lighteval(path: Path) -> bool:
    """Whether a file looks like details of lighteval."""
    if not path.name.startswith("details_"):
        return False
    if path.suffix.lower() == ".parquet":
        return head_of(path, 4) == b"PAR1"
    head = head_of(path, 1 << 16)
    return b'"metric' in head and b'"doc"' in head


def mlflow(
    source: Source,
    *,
    score: Measures = None,
    right_from: float | None = None,
    by: Slices = None,
    cluster: Clusters = None,
    missing: Missing = "error",
) -> Predictions:
    """Right or wrong item by item, from the table of mlflow.genai.evaluate (`results.tables["eval_results"]`, saved).

    `score` names the scorer where there are several. Items of two runs pair by their request; a model is called by its
    file, or named as in {"new": path}. In memory, `te.read(table, right="exact/value", id="request")` reads the frame.
    """
    runs = []
    for name, file in files_of(source, ("*.csv", "*.json"), is_mlflow):
        rows = list(_table_rows(file))
        expected = {str(a.get("assessment_name")) for row in rows for a in _assessments(row) if "expectation" in a}
        names = [key.removesuffix("/value") for key in rows[0] if key.endswith("/value")] if rows else []
        names = [n for n in names if n not in expected and not n.startswith("expected")]
        measure = one_measure(names, first_of(score, names), file.name, "scorer")
        run = Run(name or file.name.split(".")[0], "mlflow", measure, file.name)
        seen: Counter[str] = Counter()
        for number, row in enumerate(rows, 1):
            value = row.get(f"{measure}/value")
            value = None if value == "" else WORDS.get(str(value).lower(), value)
            key = str(row.get("request") or row.get("inputs") or number)
            seen[key] += 1
            told = {k: v for k, v in row.items() if k not in ("trace", "spans", "assessments")}
            run.add(
                key, Item(grade(value, right_from, f"{file.name}, row {number}: {measure}"), fields=told), seen[key]
            )
        runs.append(run)
    return graded(runs, missing=missing, by=by, cluster=cluster)


def is_mlflow(path: Path) -> bool:
    """Whether a file looks like a table of mlflow.genai.evaluate."""
    head = head_of(path, 1 << 16)
    return b"trace_id" in head[:200] and b"/value" in head and b"assessments" in head


def _assessments(row: Mapping[str, object]) -> list[Row]:
    told = row.get("assessments")
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except (json.JSONDecodeError, RecursionError):
            return []
    return [a for a in told if isinstance(a, dict)] if isinstance(told, list) else []


def _table_rows(file: Path) -> Iterator[Row]:
    """The rows of a data frame that was saved as CSV or JSON (records or split)."""
    if file.name.lower().removesuffix(".gz").endswith(".csv"):
        header, *rows = _csv_rows(file)
        yield from (dict(zip(header, row, strict=False)) for row in rows)
        return
    data = json_of(file, text_of(file))
    if isinstance(data, dict) and isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):
        yield from (dict(zip(map(str, data["columns"]), row, strict=False)) for row in data["data"])
    elif isinstance(data, list):
        yield from (row for row in data if isinstance(row, dict))
    else:
        raise FileError(f'{file.name} is not a table of rows; save it with to_csv, or to_json(orient="records")')


def _csv_rows(file: Path) -> list[list[str]]:
    csv.field_size_limit(MOST_WHOLE)
    rows = [row for row in csv.reader(f"{line}\n" for line in lines_of(file)) if row]
    ragged = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if len(rows) < 2 or ragged is not None:
        raise FileError(f"{file.name} holds no rows" if len(rows) < 2 else f"row {ragged} of {file.name} is cut short")
    return rows


def _json_rows(file: Path) -> Iterator[Row]:
    for number, line in enumerate(lines_of(file), 1):
        row = json_of(file, line, f", line {number}") if line.strip() else None
        if isinstance(row, dict):
            yield row


def _parquet_rows(file: Path) -> Iterator[Row]:
    """The rows of a Parquet file with nested columns."""
    import duckdb

    from trueerror.sources.engines._duckdb_tables import connect_alone, listed

    with tempfile.TemporaryDirectory(prefix="trueerror-") as folder:
        connection = connect_alone(Path(folder))
        try:
            found = connection.execute(
                f"SELECT to_json(r)::VARCHAR FROM read_parquet({listed([file])}) AS r"
            ).fetchall()
        except duckdb.Error as error:
            raise FileError(f"{file.name} cannot be read as Parquet: {str(error).splitlines()[0]}") from None
        finally:
            connection.close()
    yield from (json_of(file, text) for (text,) in found)


READERS: Iterable[tuple[tuple[str, ...], Callable[[Path], bool], Callable[..., Predictions]]] = (
    ((".json", ".jsonl", ".csv"), is_promptfoo, promptfoo),
    ((".jsonl",), is_openai_evals, openai_evals),
    ((".jsonl", ".parquet"), is_lighteval, lighteval),
    ((".csv", ".json"), is_mlflow, mlflow),
)
