"""SWE-bench, EvalPlus, HumanEval and the BigCode harness: each problem solved or not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import json_lines, whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads

OUTCOMES = {"resolved": True, "unresolved": False, "empty_patch": False, "error": False, "incomplete": None}


@reads()
def code_benchmark(file: Path, _: LogRequest) -> Log:
    """Solved or not, problem by problem: SWE-bench's report, EvalPlus's eval_results.json, HumanEval's _results.jsonl,
    the logs of the BigCode harness.

    A problem of SWE-bench that was never submitted is no answer (`missing="wrong"` counts it, as its own figure does).
    EvalPlus has the scores "plus", which is taken unless `score` says "base": all its tests, or those of the original.
    Several answers to one problem are repeats of it.
    """
    model = re.sub(r"[._-]?(eval_results|results)?\.jsonl?(\.gz)?$", "", file.name)
    if file.name.lower().removesuffix(".gz").endswith(".jsonl"):
        rows = [Record(row.get("task_id"), {"passed": row.get("passed")}) for _, row in json_lines(file)
                if isinstance(row, dict)]  # fmt: skip
    else:
        rows = _of_report(whole_json(file, file.name), file)
    return Log(rows, model, "problems", usual="plus", item="problem")


def _of_report(whole: Any, file: Path) -> list[Record]:
    if not isinstance(whole, dict):
        raise FileError(f"{file.name} holds no problems")
    rows = [Record(i, {"resolved": right}) for word, right in OUTCOMES.items() for i in whole.get(f"{word}_ids") or ()]
    for problem, answers in whole.items() if all(str(key).isdigit() for key in whole) else ():
        rows += [Record(problem, {"passed": part(dict(enumerate(a)), 1).get("passed")}) for a in answers]
    for problem, answers in part(whole, "eval").items():
        if not isinstance(answers, list) or not all(isinstance(a, dict) and "base_status" in a for a in answers):
            raise FileError(f"{file.name} is of an old EvalPlus: evaluate its samples with a version from 0.3 on")
        for a in answers:
            base, more = (a.get(f"{word}_status") for word in ("base", "plus"))
            rows.append(Record(problem, {"base": base == "pass"} | ({"plus": base == more == "pass"} if more else {})))
    return rows
