"""What the linter sees of an evaluation: tallies that are counted anyway, and facts about how they were used."""

from __future__ import annotations

import math
from typing import Any

from trueerror.findings import Evidence
from trueerror.findings.tuning import MEASURES, TunedThreshold, cost_of_errors, tuned_threshold
from trueerror.inputs.costs import cost_matrix
from trueerror.intervals.resampled import lost_share
from trueerror.metrics.registry import find_measure
from trueerror.results import Interval
from trueerror.rows.predictions import Predictions
from trueerror.tallies import ScoreTable
from trueerror.verbs.bench import Bench
from trueerror.verbs.constants import constant_answers
from trueerror.verbs.evaluation import ModelEvaluation


def model_evidence(part: ModelEvaluation, p: Predictions | None) -> Evidence:
    """The evidence of one model; `p` is None where counts were given."""
    bench = part.bench
    facts: dict[str, Any] = {"metrics": tuple(part.overall), **_proportions(part.overall)}
    # One cluster gives no p-value, but a model below the constant answer is no better whatever the spread.
    if not math.isnan(part.baseline_p) or (bench.clusters is not None and bench.settings.prior is None):
        facts["baseline_p"] = part.baseline_p
    facts["constant_answers"] = constant_answers(part)
    if p is not None:
        facts["loss_worth"] = _loss_worth(part, p)
        facts["missing_predictions"] = (p.absent(part.name), p.n, p.missing)
        if p.has_scores(part.name) and not bench.has_scores:
            facts["unranked"] = True
    if bench.clusters is not None:
        facts["clusters_ignored"] = tuple(
            find_measure(m).title
            for m, found in part.overall.items()
            if find_measure(m).needs in ("scores", "losses", "class_scores") and "cluster" not in found.method
        )
    table: ScoreTable | None = None
    if bench.has_scores and p is not None:
        facts["score_range"] = p.score_range(part.name)
        facts["probabilities"] = bench.has_probabilities
        area = part.overall.get("auc")
        if area is not None and not math.isnan(area.estimate):
            # Counted for the area already, so it costs nothing to look at.
            facts["auc"], table = area, bench.score_table()
            tuned = _tuned(bench, p, table)
            if tuned is not None:
                facts["tuned_threshold"] = tuned
    return Evidence(model=part.name, confusion=part.confusion, scores=table, clusters=bench.clusters, facts=facts)


def _proportions(overall: dict[str, Interval]) -> dict[str, Any]:
    small, proportions, lost = [], [], []
    for name, found in overall.items():
        measure = find_measure(name)
        without_value = lost_share(found.note)
        if without_value is not None:
            lost.append((measure.title, without_value))
        if measure.share is None or found.n is None or math.isnan(found.estimate):
            continue
        proportions.append((measure.title, found.method, found.estimate, found.n))
        x = round(found.estimate * found.n)
        if found.method == "wilson" and min(x, found.n - x) < 5 <= found.n:
            small.append((measure.title, x, found.n))
    return {"small_counts": small, "proportions": proportions, "lost_replicates": lost}


def _loss_worth(part: ModelEvaluation, p: Predictions) -> list[tuple[str, float]]:
    """For each mean loss over plain rows how many equal losses would be as uncertain: (mean/standard error)²."""
    settings = part.bench.settings
    if p.facts.weights_kind is not None or p.has_key("clusters") or settings.prior is not None:
        return []
    found = []
    for name, made in part.overall.items():
        if made.method == "t-log-mean":
            m = find_measure(name)
            moments = p.moments(part.name, m.function, **settings.options(m.name))
            found.append((m.title, (moments.mean / moments.standard_error) ** 2))
    return found


def _tuned(bench: Bench, p: Predictions, table: ScoreTable) -> TunedThreshold | None:
    """Whether the threshold that was given is the best one of these rows."""
    given = bench.settings.threshold
    threshold = p.facts.model(bench.model).threshold if given is None else given
    if threshold is None or not bench.calls:
        return None
    measures = list(MEASURES.items())
    if bench.settings.costs is not None and len(bench.labels) == 2 and bench.positive is not None:
        costs = cost_matrix(bench.settings.costs, bench.labels, bench.positive)
        up = bench.labels.index(bench.positive)
        cost_fn, cost_fp = costs[up, 1 - up] - costs[up, up], costs[1 - up, up] - costs[1 - up, 1 - up]
        measures.insert(0, ("expected cost", cost_of_errors(float(cost_fp), float(cost_fn))))
    return tuned_threshold(table, float(threshold), measures=measures)
