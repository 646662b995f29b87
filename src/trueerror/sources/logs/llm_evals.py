"""Results of promptfoo, OpenAI evals, deepeval, HELM, lighteval, MLflow and lm-evaluation-harness: right or wrong item
by item, each as its tool writes it.

promptfoo writes a result for each test, prompt and provider, as JSON, JSON Lines or CSV (a block of columns for each
provider and prompt); OpenAI evals a record of events; lighteval a table of details with a `metric` for each document;
MLflow a table with a column NAME/value or NAME/score for each scorer, or traces with assessments.

The harness writes `samples_TASK_TIME.jsonl`, an object for each item and filter, with `doc_id`, `target`,
`filtered_resps` and, for each metric, its value for this item (acc, exact_match, …); `filter` names how the answer was
cut out of the text, and one item may stand there under several filters.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import (
    MOST_WHOLE,
    head_of,
    json_lines,
    json_of,
    lines_of,
    parquet_rows,
    tail_of,
    whole_json,
)
from trueerror.sources.logs._graded import Item, LogReader, LogRequest, Run, UngradedError, one_measure, reads

Row = dict[str, Any]
# How promptfoo says that a test was not answered at all, and the word in its CSV.
NOT_ANSWERED = (2, "ERROR")
# What it says of a test that asserts nothing.
UNGRADED = "No assertions"


def is_promptfoo(path: Path) -> bool:
    """Whether a file looks like results of promptfoo."""
    head = head_of(path, 1 << 16)
    if path.name.lower().endswith(".csv"):
        return b",Status,Score,Named Scores," in head
    one = head.lstrip()[:1] == b"{"
    return one and (b'"promptIdx"' in head or (b'"evalId"' in head and b'"results"' in head))


@reads("*.json", "*.jsonl", "*.csv", is_log=is_promptfoo)
def promptfoo(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong test by test, from `promptfoo eval -o results.json` (.jsonl and .csv too).

    A model is a provider, with its prompt where there are several. A test is right where all its assertions pass;
    `score` names another measure, "score" or a named score, for which `right_from` says what is right. Tests with the
    same variables are one test, repeated; `by` and `cluster` name variables or metadata of the tests. A call that
    failed is no answer.
    """
    rows = list(_promptfoo_csv(file) if file.name.lower().endswith(".csv") else _promptfoo_json(file))
    prompts = list(dict.fromkeys(row["prompt"] for row in rows))
    names = list(dict.fromkeys(["pass", *(m for row in rows for m in row["measures"])]))
    measure = asked.measure(names, file.name, "score", "pass")
    if all(row["ungraded"] for row in rows):
        raise UngradedError(
            f"{file.name} holds no grades: its tests have no assertions, which promptfoo counts as passed"
        )
    runs: dict[str, Run] = {}
    times: Counter[tuple[str, str]] = Counter()
    for row in rows:
        place = f" (prompt {prompts.index(row['prompt']) + 1})" if len(prompts) > 1 else ""
        model = f"{name or row['provider']}{place}"
        run = runs.setdefault(model, Run(model, row["task"], measure, file.name, time=row["time"]))
        times[model, row["test"]] += 1
        value = None if row["failed"] or row["ungraded"] else row["measures"].get(measure)
        right = asked.grade(value, f"{file.name}, test {row['test']}: {measure}")
        run.add(row["test"], Item(right, fields=row["fields"]), times[model, row["test"]])
    yield from runs.values()


def _promptfoo_json(file: Path) -> Iterator[Row]:
    about: Row = {"task": "promptfoo", "time": ""}
    if file.name.lower().removesuffix(".gz").endswith(".jsonl"):
        rows: Any = list(_json_rows(file))
    else:
        whole = whole_json(file, file.name)
        results = whole.get("results") if isinstance(whole, dict) else None
        rows = results.get("results") if isinstance(results, dict) else results
        if not isinstance(rows, list):
            raise FileError(f"{file.name} holds no results of promptfoo")
        about["time"] = str(_part(whole, "metadata").get("evaluationCreatedAt") or "")
        about["task"] = str(_part(whole, "config").get("description") or "promptfoo")
    for row in rows:
        if not isinstance(row, dict) or "success" not in row:
            raise FileError(f"{file.name}: a result of promptfoo says success")
        variables, test = _part(row, "vars"), _part(row, "testCase")
        prompt, provider = row.get("prompt"), row.get("provider")
        fields = {**_part(row, "metadata"), **_part(test, "metadata"), **variables}
        yield about | {
            "prompt": prompt.get("label", "") if isinstance(prompt, dict) else str(prompt),
            "provider": (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else str(provider),
            "test": _asked_of(variables) or str(row.get("testIdx", test.get("description", ""))),
            "failed": row.get("failureReason") in NOT_ANSWERED,
            "ungraded": _part(row, "gradingResult").get("reason") == UNGRADED,
            "measures": {"pass": bool(row["success"]), "score": row.get("score"), **_part(row, "namedScores")},
            "fields": {name: value for name, value in fields.items() if not name.startswith("_")},
        }


def _part(row: object, name: str) -> Row:
    part = row.get(name) if isinstance(row, dict) else None
    return part if isinstance(part, dict) else {}


def _asked_of(told: Row) -> str:
    """The variables of a test, which name it: with the same ones it is the same test again, in another file too."""
    return ", ".join(f"{name} = {told[name]}" for name in sorted(told))


def _promptfoo_csv(file: Path) -> Iterator[Row]:
    header, *rows = _csv_rows(file)
    blocks = [i - 1 for i, word in enumerate(header) if word == "Status"]
    for number, row in enumerate(rows):
        variables = dict(zip(header[: blocks[0]], row, strict=False))
        for start in blocks:
            provider, _, prompt = header[start].removeprefix("[").partition("] ")
            status, points, named, reason = (*row[start + 1 : start + 5], "", "", "")[:4]
            named_scores = json_of(file.name, named, f", row {number + 1}") if named else {}
            yield {
                "prompt": prompt,
                "provider": provider,
                "task": "promptfoo",
                "time": "",
                "test": _asked_of(variables) or str(number),
                "failed": status in NOT_ANSWERED,
                "ungraded": reason == UNGRADED,
                "measures": {"pass": status == "PASS", "score": points or None}
                | (named_scores if isinstance(named_scores, dict) else {}),
                "fields": variables,
            }


def is_openai_evals(path: Path) -> bool:
    """Whether a file looks like a record of OpenAI evals."""
    head = head_of(path, 1 << 16)
    return b'"spec"' in head.split(b"\n", 1)[0] and b'"completion_fns"' in head


@reads("*.jsonl", is_log=is_openai_evals)
def openai_evals(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong sample by sample, from the record of `oaieval` (JSON Lines: a spec, then events).

    The events of type match say `correct`; others (`metrics`) name their measures, of which `score` picks one.
    """
    spec: Row = {}
    events: list[Row] = []
    for row in _json_rows(file):
        spec = row["spec"] if isinstance(row.get("spec"), dict) else spec
        events += [row] if isinstance(row.get("data"), dict) and "sample_id" in row else []
    graded_so = [e for e in events if e.get("type") in ("match", "metrics")]
    names = list(dict.fromkeys(
        key for e in graded_so for key, v in e["data"].items() if isinstance(v, bool | int | float)
    ))  # fmt: skip
    measure = asked.measure(names, file.name, "measure", "correct")
    makers = spec.get("completion_fns")
    model = str(makers[0]) if isinstance(makers, list) and makers else "model"
    time = str(spec.get("created_at") or "")
    run = Run(name or model, str(spec.get("eval_name") or file.stem), measure, file.name, time=time)
    for event in graded_so:
        if measure in event["data"]:
            right = asked.grade(event["data"][measure], f"{file.name}, sample {event['sample_id']}: {measure}")
            fields = {k: v for k, v in event["data"].items() if k != measure}
            run.add(str(event["sample_id"]), Item(right, str(fields.get("expected", "")), fields))
    yield run


def is_code_benchmark(path: Path) -> bool:
    """Whether a file looks like what SWE-bench, EvalPlus or HumanEval say of each problem."""
    head = head_of(path, 1 << 16)
    if path.name.lower().removesuffix(".gz").endswith(".jsonl"):
        first = head.lstrip().partition(b"\n")[0]
        return all(word in first for word in (b'"task_id"', b'"result"', b'"passed"'))
    report = b'"total_instances"' in head and b'"resolved_instances"' in head
    report = report or re.match(rb'\s*\{\s*"\d+":\s*\[\s*\[\s*\d+,\s*\{[^{}]*"passed"', head) is not None
    return report or (b'"base_status"' in head and b'"eval"' in head)


@reads("*.json", "*.jsonl", is_log=is_code_benchmark)
def code_benchmark(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Solved or not, problem by problem: SWE-bench's report, EvalPlus's eval_results.json, HumanEval's _results.jsonl,
    the logs of the BigCode harness.

    A problem of SWE-bench that was never submitted is no answer (`missing="wrong"` counts it, as its own figure does).
    EvalPlus has the scores "plus", which is taken unless `score` says "base": all its tests, or those of the original.
    Several answers to one problem are repeats of it.
    """
    model = name or re.sub(r"[._-]?(eval_results|results)?\.jsonl?(\.gz)?$", "", file.name)
    rows: list[tuple[str, Row]] = []
    if file.name.lower().removesuffix(".gz").endswith(".jsonl"):
        rows = [(str(row.get("task_id")), {"passed": row.get("passed")}) for row in _json_rows(file)]
    else:
        whole = whole_json(file, file.name)
        outcomes = {"resolved": True, "unresolved": False, "empty_patch": False, "error": False, "incomplete": None}
        for word, right in outcomes.items():
            rows += [(str(i), {"resolved": right}) for i in whole.get(f"{word}_ids") or ()]
        for problem, answers in whole.items() if all(str(key).isdigit() for key in whole) else ():
            rows += [(problem, {"passed": a[1].get("passed")}) for a in answers]
        for problem, answers in _part(whole, "eval").items():
            if not isinstance(answers, list) or not all(isinstance(a, dict) and "base_status" in a for a in answers):
                raise FileError(f"{file.name} is of an old EvalPlus: evaluate its samples with a version from 0.3 on")
            for a in answers:
                base, more = (a.get(f"{word}_status") for word in ("base", "plus"))
                rows.append((problem, {"base": base == "pass"} | ({"plus": base == more == "pass"} if more else {})))
    names = list(dict.fromkeys(measure for _, scores in rows for measure in scores))
    measure = asked.measure(names, file.name, "score", "plus" if "plus" in names else None)
    run = Run(model, "problems", measure, file.name)
    seen: Counter[str] = Counter()
    for problem, scores in rows:
        seen[problem] += 1
        graded = asked.grade(scores.get(measure), f"{file.name}, problem {problem}: {measure}")
        run.add(problem, Item(graded), seen[problem])
    yield run


def is_deepeval(path: Path) -> bool:
    """Whether a file looks like a test run of deepeval."""
    head = head_of(path, 1 << 16)
    return head.lstrip()[:1] == b"{" and b'"testCases"' in head and b'"metricsData"' in head


@reads("*.json", is_log=is_deepeval)
def deepeval(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong test by test, from the test run that deepeval keeps (DEEPEVAL_RESULTS_FOLDER, .latest_test_run).

    A test is right where all its metrics pass; `score` names one of them, whose score is taken as it is. Tests of two
    runs pair by their input; a model is called as the hyperparameter "model" says, by its file, or as in {"new": path}.
    """
    whole = whole_json(file, file.name)
    whole = _part(whole, "testRunData") or whole
    cases = [case for case in whole.get("testCases") or () if isinstance(case, dict)]
    scores = [{str(m.get("name")): m.get("score") for m in case.get("metricsData") or ()} for case in cases]
    names = list(dict.fromkeys(["success", *(metric for case_scores in scores for metric in case_scores)]))
    measure = asked.measure(names, file.name, "metric", "success")
    model = name or str(_part(whole, "hyperparameters").get("model") or whole.get("identifier") or file.stem)
    run = Run(model, str(whole.get("testFile") or "deepeval"), measure, file.name)
    seen: Counter[str] = Counter()
    for case, case_scores in zip(cases, scores, strict=True):
        key = str(case.get("input") or case.get("name"))
        seen[key] += 1
        value = case.get("success") if measure == "success" else case_scores.get(measure)
        fields = {**_part(case, "additionalMetadata"), **_part(case, "metadata"), "name": case.get("name")}
        run.add(key, Item(asked.grade(value, f"{file.name}, test {key}: {measure}"), fields=fields), seen[key])
    yield run


# What HELM counts of an instance beside how good the answer is.
BESIDE = re.compile(r"(num_|max_prob|inference_|batch_|finish_reason|prompt_|training_|logprob|estimated_).*")


def is_helm(path: Path) -> bool:
    """Whether a file looks like what HELM says of single instances."""
    head = head_of(path, 1 << 16)
    return head.lstrip()[:1] == b"[" and all(w in head for w in (b'"instance_id"', b'"train_trial_index"', b'"stats"'))


@reads("per_instance_stats.json", is_log=is_helm)
def helm(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong instance by instance, from HELM's per_instance_stats.json, or display_predictions.json.

    `score` names the metric (exact_match, else quasi_exact_match, unless another is asked for). Model and task are
    those of the run's folder, TASK,model=NAME; trials are repeats of an instance, and perturbed ones are left out.
    """
    rows: list[tuple[Row, Row]] = []
    for row in whole_json(file, file.name):
        if isinstance(row, dict) and not row.get("perturbation"):
            given_stats = row.get("stats")
            stats = (
                given_stats
                if isinstance(given_stats, dict)
                else {_part(s, "name").get("name"): s.get("mean") for s in given_stats or ()}
            )
            rows.append((row, {str(metric): value for metric, value in stats.items() if not BESIDE.match(str(metric))}))
    names = list(dict.fromkeys(metric for _, stats in rows for metric in stats))
    usual = next((metric for metric in ("exact_match", "quasi_exact_match") if metric in names), None)
    measure = asked.measure(names, file.name, "metric", usual)
    parts = [p for p in re.split(r"[:,]", file.resolve().parent.name) if p]
    named = next((part.removeprefix("model=") for part in parts if part.startswith("model=")), "")
    task = ",".join(part for part in parts if not part.startswith("model="))
    run = Run(name or named, task, measure, file.name)
    for row, stats in rows:
        key = str(row.get("instance_id"))
        right = asked.grade(stats.get(measure), f"{file.name}, instance {key}: {measure}")
        run.add(key, Item(right), int(row.get("train_trial_index") or 0) + 1)
    yield run


# details/ORGANISATION/MODEL/TIME/details_TASK_TIME.parquet
STAMP = r"\d{4}-\d\d-\d\dT[\d.\-:]+"
DETAILS = re.compile(rf"^details_(.+?)(?:_({STAMP}?))?\.(?:parquet|jsonl)$")


def _model_of(file: Path) -> str:
    """A model by the folders of its files, as lighteval lays them out."""
    folders = list(file.resolve().parts[:-1])
    if folders and re.fullmatch(STAMP, folders[-1]):
        folders.pop()
    places = [i for i, folder in enumerate(folders) if folder == "details"]
    return "/".join(folders[places[-1] + 1 :] if places else folders[-1:])


def is_lighteval(path: Path) -> bool:
    """Whether a file looks like details of lighteval."""
    if not path.name.startswith("details_"):
        return False
    if path.suffix.lower() == ".parquet":
        return head_of(path, 4) == b"PAR1"
    head = head_of(path, 1 << 16)
    return b'"metric' in head and b'"doc"' in head


@reads("details_*.parquet", "details_*.jsonl", is_log=is_lighteval)
def lighteval(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong document by document, from lighteval's details (`--save-details`: Parquet; JSON Lines too).

    Documents are numbered by their order, which lighteval keeps; a model is called by the folders of its files.
    """
    rows = list(parquet_rows(file) if file.suffix.lower() == ".parquet" else _json_rows(file))
    names = list(dict.fromkeys(key for row in rows for key in row.get("metric") or row.get("metrics") or {}))
    measure = asked.measure(names, file.name, "metric")
    stamped = DETAILS.match(file.name)
    run = Run(name or _model_of(file), stamped[1] if stamped else file.stem, measure, file.name)
    run.time = (stamped[2] or "") if stamped else ""
    for number, row in enumerate(rows):
        doc = row.get("doc") if isinstance(row.get("doc"), dict) else {}
        assert isinstance(doc, dict)
        value = (row.get("metric") or row.get("metrics") or {}).get(measure)
        right = asked.grade(value, f"{file.name}, document {number}: {measure}")
        specific = doc.get("specific")
        fields = {k: v for k, v in doc.items() if not isinstance(v, dict | list)}
        fields |= specific if isinstance(specific, dict) else {}
        run.add(str(doc.get("id") or number), Item(right, str(doc.get("query", row.get("example", ""))), fields))
    yield run


def is_mlflow(path: Path) -> bool:
    """Whether a file looks like a table of mlflow.genai.evaluate or mlflow.models.evaluate, or one of traces."""
    if path.name.lower().endswith(".parquet"):
        # The names of the columns stand at the end.
        tail = tail_of(path, 1 << 18)
        return b"trace_id" in tail and b"assessments" in tail
    head = head_of(path, 1 << 16)
    if re.match(rb'\s*\{"columns": ?\[[^\]]*/score"|[^\n]*/score"?[,\r\n]', head):
        return True
    return b"trace_id" in head[:200] and b"assessments" in head


@reads("*.csv", "*.json", "*.parquet", is_log=is_mlflow)
def mlflow(file: Path, name: str | None, asked: LogRequest) -> Iterator[Run]:
    """Right or wrong item by item, from what MLflow's evaluations leave: the table of mlflow.genai.evaluate
    (`results.tables["eval_results"]`, saved), traces with assessments, `eval_results_table.json` of
    mlflow.models.evaluate.

    `score` names the scorer where there are several. Items of two runs pair by their request; a model is called by its
    file, or named as in {"new": path}. In memory, `te.read(table, right="exact/value", id="request")` reads the frame.
    """
    packed = file.name.lower().endswith(".parquet")
    rows = [_scored(row) for row in (parquet_rows(file) if packed else _table_rows(file))]
    names = list(dict.fromkeys(scorer for _, scores in rows for scorer in scores))
    measure = asked.measure(names, file.name, "scorer")
    run = Run(name or file.name.split(".")[0], "mlflow", measure, file.name)
    seen: Counter[str] = Counter()
    for number, (row, scores) in enumerate(rows, 1):
        key = str(row.get("request") or row.get("inputs") or number)
        seen[key] += 1
        right = asked.grade(scores.get(measure), f"{file.name}, row {number}: {measure}")
        run.add(key, Item(right, fields=row), seen[key])
    yield run


def _scored(row: Row) -> tuple[Row, Row]:
    """What is told of an item, and its scores: columns NAME/value or NAME/score, else the assessments of its trace."""
    fields = {k: v for k, v in row.items() if k not in ("trace", "spans", "assessments") and "/" not in k}
    columns = {k: re.sub(r"(/v\d+)?/(value|score)$", "", k) for k in row if k.endswith(("/value", "/score"))}
    assessed = _assessments(row)
    expected = {str(a.get("assessment_name")) for a in assessed if "expectation" in a}
    scores = {n: row[k] for k, n in columns.items() if n not in expected and not n.startswith("expected")}
    if not columns:
        scores = {str(a["assessment_name"]): _part(a, "feedback").get("value") for a in assessed if "feedback" in a}
    return fields, scores


def _assessments(row: Mapping[str, object]) -> list[Row]:
    assessments = row.get("assessments")
    if isinstance(assessments, str):
        try:
            assessments = json.loads(assessments)
        except (json.JSONDecodeError, RecursionError):
            return []
    return [a for a in assessments if isinstance(a, dict)] if isinstance(assessments, list) else []


def _table_rows(file: Path) -> Iterator[Row]:
    """The rows of a data frame that was saved as CSV or JSON (records or split)."""
    if file.name.lower().removesuffix(".gz").endswith(".csv"):
        header, *rows = _csv_rows(file)
        yield from (dict(zip(header, row, strict=False)) for row in rows)
        return
    data = whole_json(file, file.name)
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
    return (row for _, row in json_lines(file) if isinstance(row, dict))


READERS: Iterable[tuple[tuple[str, ...], Callable[[Path], bool], LogReader]] = (
    ((".json", ".jsonl", ".csv"), is_promptfoo, promptfoo),
    ((".jsonl",), is_openai_evals, openai_evals),
    ((".json", ".jsonl"), is_code_benchmark, code_benchmark),
    ((".json",), is_deepeval, deepeval),
    ((".json",), is_helm, helm),
    ((".jsonl", ".parquet"), is_lighteval, lighteval),
    ((".csv", ".json", ".parquet"), is_mlflow, mlflow),
)


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
    for number, row in json_lines(file):
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
    chosen = next((word for word in wanted if word in pairs or word in names), next(iter(wanted), ""))
    one = one_measure(names, chosen.partition(",")[0] or None, file.name, "metric")
    cuts = [pair for pair in pairs if pair.startswith(f"{one},")]
    cut = one_measure(cuts, chosen if "," in chosen else None, file.name, "filter").removeprefix(f"{one},")
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
    named = [str(name) for name in listed if name in row] if isinstance(listed, list) else []
    metrics = [n for n in named or row if n not in FIELDS and isinstance(row[n], bool | int | float)]
    if named and not metrics:
        raise UngradedError(f"{file.name} has no grades of items: {', '.join(named)} are of all texts together")
    return metrics
