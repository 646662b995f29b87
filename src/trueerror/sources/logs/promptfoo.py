"""promptfoo: a result for each test, prompt and provider, as JSON, JSON Lines or CSV (a block of columns for each
provider and prompt)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import csv_rows, json_lines, json_of, whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, UngradedError, part, reads

# How promptfoo says that a test was not answered at all, and the word in its CSV; and what of one that asserts nothing.
NOT_ANSWERED = (2, "ERROR")
UNGRADED = "No assertions"


@reads()
def promptfoo(file: Path, _: LogRequest) -> Log:
    """Right or wrong test by test, from `promptfoo eval -o results.json` (.jsonl and .csv too).

    A model is a provider, with its prompt where there are several. A test is right where all its assertions pass;
    `score` names another measure, "score" or a named score, for which `right_from` says what is right. Tests with the
    same variables are one test, repeated; `by` and `cluster` name variables or metadata of the tests. A call that
    failed is no answer.
    """
    name = file.name.lower().removesuffix(".gz")
    log = Log(task="promptfoo", usual="pass", item="test")
    if name.endswith(".csv"):
        rows = list(_of_csv(file))
    elif name.endswith(".jsonl"):
        rows = [_of_json(row, file) for _, row in json_lines(file)]
    else:
        whole = whole_json(file, file.name)
        results = whole.get("results") if isinstance(whole, dict) else None
        results = results.get("results") if isinstance(results, dict) else results
        if not isinstance(results, list):
            raise FileError(f"{file.name} holds no results of promptfoo")
        log.time = str(part(whole, "metadata").get("evaluationCreatedAt") or "")
        log.task = str(part(whole, "config").get("description") or "promptfoo")
        rows = [_of_json(row, file) for row in results]
    if all(reason == UNGRADED for _, _, _, reason in rows):
        raise UngradedError(
            f"{file.name} holds no grades: its tests have no assertions, which promptfoo counts as passed"
        )
    prompts = list(dict.fromkeys(prompt for _, prompt, _, _ in rows))
    for record, prompt, failure, reason in rows:
        if len(prompts) > 1:
            record.part = f" (prompt {prompts.index(prompt) + 1})"
        if failure in NOT_ANSWERED or reason == UNGRADED:
            record.scores = dict.fromkeys(record.scores)
        log.records.append(record)
    return log


# A record, its prompt, how it failed, and why it was graded so.
Row = tuple[Record, str, object, object]


def _of_json(row: Any, file: Path) -> Row:
    if not isinstance(row, dict) or "success" not in row:
        raise FileError(f"{file.name}: a result of promptfoo says success")
    variables, test = part(row, "vars"), part(row, "testCase")
    prompt, provider = row.get("prompt"), row.get("provider")
    fields = {**part(row, "metadata"), **part(test, "metadata"), **variables}
    record = Record(
        _test(variables) or row.get("testIdx", test.get("description", "")),
        {"pass": bool(row["success"]), "score": row.get("score"), **part(row, "namedScores")},
        {name: value for name, value in fields.items() if not name.startswith("_")},
        model=str((provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider),
    )
    label = prompt.get("label", "") if isinstance(prompt, dict) else prompt
    return record, str(label), row.get("failureReason"), part(row, "gradingResult").get("reason")


def _of_csv(file: Path) -> Iterator[Row]:
    header, *rows = csv_rows(file)
    blocks = [i - 1 for i, word in enumerate(header) if word == "Status"]
    for number, row in enumerate(rows):
        variables = dict(zip(header[: blocks[0]], row, strict=False))
        for start in blocks:
            provider, _, prompt = header[start].removeprefix("[").partition("] ")
            status, points, named, reason = (*row[start + 1 : start + 5], "", "", "")[:4]
            scores = json_of(file.name, named, f", row {number + 1}") if named else {}
            scores = {"pass": status == "PASS", "score": points or None} | (scores if isinstance(scores, dict) else {})
            yield Record(_test(variables) or number, scores, variables, model=provider), prompt, status, reason


def _test(variables: dict[str, Any]) -> str:
    """The variables of a test, which name it: with the same ones it is the same test again, in another file too."""
    return ", ".join(f"{name} = {variables[name]}" for name in sorted(variables))
