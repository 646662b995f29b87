"""deepeval: a test run, with the metrics of each test."""

from __future__ import annotations

from pathlib import Path

from trueerror.sources._bytes import whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads


@reads()
def deepeval(file: Path, _: LogRequest) -> Log:
    """Right or wrong test by test, from the test run that deepeval keeps (DEEPEVAL_RESULTS_FOLDER, .latest_test_run).

    A test is right where all its metrics pass; `score` names one of them, whose score is taken as it is. Tests of two
    runs pair by their input; a model is called as the hyperparameter "model" says, by its file, or as in {"new": path}.
    """
    whole = whole_json(file, file.name)
    whole = part(whole, "testRunData") or whole
    model = str(part(whole, "hyperparameters").get("model") or whole.get("identifier") or file.stem)
    log = Log(model=model, task=str(whole.get("testFile") or "deepeval"), what="metric", usual="success", item="test")
    for case in whole.get("testCases") or ():
        if isinstance(case, dict):
            metrics = (metric for metric in case.get("metricsData") or () if isinstance(metric, dict))
            scores = {"success": case.get("success")} | {str(m.get("name")): m.get("score") for m in metrics}
            fields = {**part(case, "additionalMetadata"), **part(case, "metadata"), "name": case.get("name")}
            log.records.append(Record(case.get("input") or case.get("name"), scores, fields))
    return log
