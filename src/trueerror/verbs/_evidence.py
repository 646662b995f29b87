"""What the linter sees of an evaluation: tallies that are counted anyway, and facts about how they were used.

What a comparison tells the linter: facts about each pair and about all models.

Two models that call every row alike: one model read twice, or two that never reach the threshold?
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from trueerror.findings import Evidence, Finding, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.findings.scores import MEASURES, TunedThreshold, cost_of_errors, tuned_threshold
from trueerror.inputs._labels import cost_matrix
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Contrast, Interval
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Agreement, ScoreTable
from trueerror.tallies._confusion import is_graded
from trueerror.verbs._comparison import Comparison, told_apart
from trueerror.verbs._evaluation import ModelEvaluation
from trueerror.verbs._model_metrics import ModelMetrics, Settings, commonest_p, constant_answers


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
    return Evidence(model=part.name, confusion=part.confusion, scores=table, clusters=bench.clusters, **facts)


def _proportions(overall: dict[str, Interval]) -> dict[str, Any]:
    small, proportions, lost = [], [], []
    for name, found in overall.items():
        measure = find_measure(name)
        reasons = (reason for note in found.notes for reason in note.within())
        lost += [(measure.title, *reason.values) for reason in reasons if reason.code == "lost-resamples"]
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


def _tuned(bench: ModelMetrics, p: Predictions, table: ScoreTable) -> TunedThreshold | None:
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


# What the rows and each model by itself may show beside the difference; more would bury it.
ABOUT_THE_SAMPLE = ("TE103", "TE104", "TE201")


def sample_evidence(p: Predictions, measure: Measure, settings: Settings) -> list[Evidence]:
    """The rows once, and each model against the commonest class where the comparison is one of accuracy."""
    benches = [b for b in (ModelMetrics(m, settings, predictions=p) for m in p.models) if b.calls]
    counted = measure.of_labels
    if not benches or not (counted or int((p.truth_counts() > 0).sum()) == 1):
        return []
    found = [Evidence(confusion=benches[0].confusion, metrics=(measure.name,))]
    if measure.right_or_wrong and not is_graded(benches[0].confusion):
        found += [Evidence(model=b.model, confusion=b.confusion, baseline_p=commonest_p(b)) for b in benches]
    return found


def comparison_findings(
    made: Comparison, sound: Mapping[tuple[str, str], Mapping[str, float]], sample: Iterable[Evidence] = ()
) -> Findings:
    """Run the rules on a comparison; `sound` holds the p-values of several sound tests of each pair."""
    closest = _closest(made)
    evidence = [
        Evidence(
            model=f"{c.first} and {c.second}",
            **{**_pair_facts(made, c, sound), "closest": (c.first, c.second) == closest},
        )
        for c in made.pairs
    ]
    of_sample: dict[tuple[str, str, str], Finding] = {}
    for f in find(sample):
        if f.code in ABOUT_THE_SAMPLE:
            about = "" if f.code != "TE201" else f.about
            of_sample.setdefault((f.code, f.message, about), replace(f, about=about))
    return sorted_findings([*find([*evidence, Evidence(**_whole_facts(made))]), *of_sample.values()])


def _pair_facts(made: Comparison, c: Any, sound: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, Any]:
    pair = (c.first, c.second)
    facts: dict[str, Any] = {
        "p_values": dict(sound.get(pair, {})),
        "level": 1 - made.confidence,
        "difference": c.estimate,
        "limits": (c.low, c.high),
        "p_value": c.p_value if c.p_adjusted is None else c.p_adjusted,
        "significant": told_apart(c),
        "comparisons": len(made.pairs),
        "share": made.facts.share,
        "with_best": made.best in pair,
        "n": c.n,
    }
    # Two models alone are shown by their difference: there are no two intervals that could mislead.
    if len(made.models) > 2:
        facts["intervals"] = tuple((made.estimates[m].low, made.estimates[m].high) for m in pair)
    facts |= (made.facts.twins or {}).get(pair, {})
    if made.margin is not None:
        facts["margin"] = made.margin
    return facts


def _closest(made: Comparison) -> tuple[str, str] | None:
    """The pair of the best models, by rank, that differ and cannot be told apart: one word about power is enough."""
    rank = {m: i for i, m in enumerate(made.ranked)}
    same = made.facts.twins or {}
    open_ = [(c.first, c.second) for c in made.pairs if not told_apart(c) and (c.first, c.second) not in same]
    return min(open_, key=lambda pair: (rank[pair[0]] + rank[pair[1]], max(rank[m] for m in pair)), default=None)


def _whole_facts(made: Comparison) -> dict[str, Any]:
    compared = [m for m in made.models if m != made.best and made.reference in (None, m, made.best)]
    facts: dict[str, Any] = {
        "n_models": len(made.models),
        "best": made.best,
        "comparisons": len(made.pairs),
        "adjusted": made.adjust != "none" or len(made.pairs) < 2,
        "not_different_from_best": sum(not told_apart(made[made.best, m]) for m in compared if _has(made, m)),
    }
    if made.facts.could_be_paired is not None:
        facts |= {"paired": False, "could_be_paired": made.facts.could_be_paired}
    return facts


def _has(made: Comparison, model: str) -> bool:
    """Whether the model was compared with the best one."""
    wanted = {made.best, model}
    return any({c.first, c.second} == wanted for c in made.pairs)


def twin_facts(p: Predictions, table: Agreement, models: tuple[str, str]) -> dict[str, Any] | None:
    """What the linter should know of two models that agree on every row; None of two that differ somewhere.

    `identical` where their scores are the same too, or where labels that vary are; `one_answer` where both give one
    and the same answer to every row, which says nothing of where the answers come from.
    """
    if not (table.first == table.second).all():
        return None
    facts: dict[str, Any] = {"n": table.n}
    scored = all(p.has_scores(m) and not p.unscored(m) for m in models)
    answers = np.unique(table.first[table.counts > 0])
    if scored and _same_scores(p, *models):
        return facts | {"identical": True}
    if len(answers) == 1 and answers[0] < len(table.labels):
        cut = any(not p.has_labels(m) for m in models)
        return facts | {"identical": False, "one_answer": table.labels[int(answers[0])], "cut": cut}
    return None if scored else facts | {"identical": True}


def twins(p: Predictions, settings: Settings, contrasts: list[Contrast]) -> dict[tuple[str, str], dict[str, Any]]:
    """The same of each pair that was compared; only pairs without a difference need a second look."""
    found = {}
    for c in contrasts:
        models = (c.first, c.second)
        if c.estimate == 0 and all(p.has_predictions(m, threshold=settings.threshold) for m in models):
            facts = twin_facts(p, p.agreement(*models, threshold=settings.threshold), models)
            if facts is not None:
                found[models] = facts
    return found


def _same_scores(p: Predictions, first: str, second: str) -> bool:
    """Whether both have the same scores as often in each class, by the tables that areas are counted from."""
    if p.has_class_scores(first) != p.has_class_scores(second):
        return False
    for label in p.labels if p.has_class_scores(first) or p.positive is None else (p.positive,):
        a, b = (p.scores(m, positive=label) for m in (first, second))
        parts = ((a.scores, b.scores), (a.positives, b.positives), (a.negatives, b.negatives))
        if not all(np.array_equal(x, y) for x, y in parts):
            return False
    return True
