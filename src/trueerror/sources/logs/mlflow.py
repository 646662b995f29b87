"""MLflow: tables of evaluations with a column NAME/value or NAME/score for each scorer, and traces with assessments."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import csv_rows, parquet_rows, whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads


@reads()
def mlflow(file: Path, _: LogRequest) -> Log:
    """Right or wrong item by item, from what MLflow's evaluations leave: the table of mlflow.genai.evaluate
    (`results.tables["eval_results"]`, saved), traces with assessments, `eval_results_table.json` of
    mlflow.models.evaluate.

    `score` names the scorer where there are several. Items of two runs pair by their request; a model is called by its
    file, or named as in {"new": path}. In memory, `te.read(table, right="exact/value", id="request")` reads the frame.
    """
    log = Log(model=file.name.split(".")[0], task="mlflow", what="scorer")
    for number, row in enumerate(_rows(file), 1):
        fields = {k: v for k, v in row.items() if k not in ("trace", "spans", "assessments") and "/" not in k}
        key = row.get("request") or row.get("inputs") or number
        log.records.append(Record(key, _scores(row), fields))
    return log


def _rows(file: Path) -> list[dict[str, Any]]:
    name = file.name.lower().removesuffix(".gz")
    if name.endswith(".parquet"):
        return parquet_rows(file)
    if name.endswith(".csv"):
        header, *rows = csv_rows(file)
        return [dict(zip(header, row, strict=False)) for row in rows]
    data = whole_json(file, file.name)
    if isinstance(data, dict) and isinstance(data.get("columns"), list) and isinstance(data.get("data"), list):
        return [dict(zip(map(str, data["columns"]), row, strict=False)) for row in data["data"]]
    if isinstance(data, list):
        return [row for row in data if isinstance(row, dict)]
    raise FileError(f'{file.name} is not a table of rows; save it with to_csv, or to_json(orient="records")')


def _scores(row: dict[str, Any]) -> dict[str, object]:
    """Columns NAME/value or NAME/score, else the assessments of a trace; what was expected is no score."""
    columns = {k: re.sub(r"(/v\d+)?/(value|score)$", "", k) for k in row if k.endswith(("/value", "/score"))}
    assessed = _assessments(row.get("assessments"))
    if not columns:
        return {str(a["assessment_name"]): part(a, "feedback").get("value") for a in assessed if "feedback" in a}
    expected = {str(a.get("assessment_name")) for a in assessed if "expectation" in a}
    return {n: row[k] for k, n in columns.items() if n not in expected and not n.startswith("expected")}


def _assessments(given: object) -> list[dict[str, Any]]:
    try:
        given = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError):  # a table as CSV may hold them as Python prints them
        return []
    return [a for a in given if isinstance(a, dict)] if isinstance(given, list) else []
