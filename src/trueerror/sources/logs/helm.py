"""HELM: the statistics of each instance."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from trueerror.sources._bytes import whole_json
from trueerror.sources.logs._graded import Log, LogRequest, Record, part, reads

# What HELM counts of an instance beside how good the answer is.
BESIDE = re.compile(r"(num_|max_prob|inference_|batch_|finish_reason|prompt_|training_|logprob|estimated_).*")


@reads()
def helm(file: Path, _: LogRequest) -> Log:
    """Right or wrong instance by instance, from HELM's per_instance_stats.json, or display_predictions.json.

    `score` names the metric (exact_match, else quasi_exact_match, unless another is asked for). Model and task are
    those of the run's folder, TASK,model=NAME; trials are repeats of an instance, and perturbed ones are left out.
    """
    parts = [p for p in re.split(r"[:,]", file.resolve().parent.name) if p]
    model = next((part.removeprefix("model=") for part in parts if part.startswith("model=")), "")
    task = ",".join(part for part in parts if not part.startswith("model="))
    log = Log(model=model, task=task, what="metric", usual=("exact_match", "quasi_exact_match"), item="instance")
    for row in whole_json(file, file.name):
        if isinstance(row, dict) and not row.get("perturbation"):
            epoch = int(row.get("train_trial_index") or 0) + 1
            log.records.append(Record(row.get("instance_id"), _scores(row.get("stats")), epoch=epoch))
    return log


def _scores(stats: Any) -> dict[str, object]:
    if not isinstance(stats, dict):
        stats = {part(one, "name").get("name"): one.get("mean") for one in stats or () if isinstance(one, dict)}
    return {str(metric): value for metric, value in stats.items() if not BESIDE.match(str(metric))}
