"""What an experiment answers about several learners: who is better on one data set, and over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learner_contrasts import FOLD_METHODS, LearnerPairs, fold_method
from trueerror.experiments.learner_intervals import learner_interval
from trueerror.experiments.learner_questions import ask
from trueerror.experiments.learner_words import learner_at, plan_situation, rounds_of_folds
from trueerror.findings import Evidence, Findings, find
from trueerror.findings.finding import sorted_findings
from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.options import check_alternative, check_confidence, check_word
from trueerror.methods import DECISIONS
from trueerror.metrics.registry import find_measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import check_margin
from trueerror.significance.multiplicity import adjust as adjusted
from trueerror.verbs.comparing import ADJUSTMENTS, alike, compare_predictions, completed, pair_facts
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.learner_ranking import LearnerRanking
from trueerror.verbs.ranked import rank_sheet
from trueerror.verbs.score_sheets import FoldKey, ScoreSheet
from trueerror.verbs.settings import Settings

PAIRS_OF_MODELS = ("learner-holdout", "learner-leave-one-out")


def compare(
    run: Experiment,
    metric: str = "accuracy",
    data: str | None = None,
    *,
    learners: Sequence[str] | None = None,
    method: str | None = None,
    reference: str | None = None,
    adjust: str = "holm",
    margin: float | None = None,
    positive: Any = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
    **options: Any,
) -> Comparison:
    """Which learner is better on one data set, by how much, and how sure that is.

    All learners were tested on the same parts, so pairs are compared part by part, with the variance that overlapping
    training sets add (the corrected t); of a BatesCV plan by nested cross-validation of the difference; of Holdout and
    LeaveOneOut as models on the same rows. On request: method="plain-t" (optimistic), "unpaired" (as if the parts were
    different, min(k, j) − 1 degrees of freedom), "five-by-two-t" and "five-by-two-f" (plan KFold(2, repeats=5)).
    `cmp.bayes(a, b, rope=0.01)` is the Bayesian correlated t-test. Several data sets: name one, or `.rank()` them all.
    """
    check_alternative(alternative)
    check_word(adjust, ADJUSTMENTS, "adjust")
    level = check_confidence(confidence)
    name, measure = run.data_name(data), find_measure(metric)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so no learner can be better by it")
    names = fitted_learners(run, [name]) if learners is None else tuple(run.learner_name(x) for x in learners)
    if len(names) < 2:
        there = f"one learner, {names[0]!r}" if names else "no learner that could be fitted: see .failures"
        raise InputError(f"there is {there}; comparing takes two: .estimate judges one by itself")
    if reference is not None and reference not in names:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, names)}")
    width = None if margin is None else check_margin(margin)
    splits = [run.splits[name][i] for i in run.parts(name)]
    situation = plan_situation(run.plan, splits)
    asked = run.learners if learners is None else names
    if situation in PAIRS_OF_MODELS and method not in FOLD_METHODS:
        p = run.predictions(name, learners=names)
        settings = Settings(confidence=level, metrics={measure.name: options}, rng=rng)
        of_models = compare_predictions(
            p if positive is None else p.with_positive(positive), measure, settings, reference=reference,
            method=method, adjust=adjust, margin=width, alternative=alternative,
        )  # fmt: skip
        return _with_findings(of_models, learner_evidence(run, name, situation, asked))
    pairs = LearnerPairs(
        run=run, data=name, measure=measure, positive=positive, options=options, confidence=level,
        alternative=alternative, method=method,
    )  # fmt: skip
    wanted = list(combinations(names, 2)) if reference is None else [(x, reference) for x in names if x != reference]
    contrasts = _adjusted([pairs.contrast(a, b) for a, b in wanted], adjust)
    own = own_method(run, pairs.chosen)
    estimates = {
        x: learner_interval(ask(run, x, name, metric, positive=positive, confidence=level, rng=rng, **options), own)
        for x in names
    }
    sizes = [s.distinct for s in splits]
    made = Comparison(
        metric=measure.name,
        title=measure.title,
        higher_is_better=bool(measure.higher_is_better),
        estimates=estimates,
        pairs=tuple(contrasts),
        reference=reference,
        margin=width,
        within_margin=tuple(alike(c, {}, width, level) for c in contrasts) if width else (),
        adjust=adjust,
        confidence=level,
        reading=_reading(run, name, names),
        estimand=f"Estimates: {learner_at(run.datasets[name], sizes).replace('this learner', 'these learners')}.",
        facts={
            **pair_facts(measure, contrasts, {}),
            "why": f"{measure.title}: {DECISIONS['two-learners'].why}",
            "parts": pairs.scores_of(names),
        },
    )
    made = completed(made)
    return _with_findings(made, learner_evidence(run, name, pairs.chosen, asked))


def _with_findings(made: Comparison, evidence: Evidence) -> Comparison:
    """What the linter says of the resampling, besides what it said of the comparison."""
    return replace(made, findings=sorted_findings([*made.findings, *find([evidence])]))


def own_method(run: Experiment, chosen: str) -> str | None:
    """The method of each learner's own estimate, such that the differences are those of the estimates.

    .632+ and nested cross-validation move estimates away from the means over test parts, which most pairs rest on.
    """
    if chosen == "plain-t":
        return "fold-t"
    moved = run.plan.name == "Bootstrap" or (run.plan.name == "BatesCV" and chosen != "bates")
    return "corrected-t" if moved else None


def fitted_learners(run: Experiment, datasets: Sequence[str]) -> tuple[str, ...]:
    """The learners with at least one successful fit on these data sets: the others have nothing to be judged by."""
    return tuple(x for x in run.learners if any(run.failed(x, data) < len(run.outcomes[data, x]) for data in datasets))


def experiment_findings(run: Experiment) -> Findings:
    """What the linter says of the whole experiment, each data set by its name where there are several."""
    evidence = []
    for data in run.datasets:
        situation = plan_situation(run.plan, [run.splits[data][i] for i in run.parts(data)])
        method = "corrected-t" if situation == "learner-folds" else situation
        about = data if len(run.datasets) > 1 else ""
        evidence.append(replace(learner_evidence(run, data, method, run.learners), model=about))
    return find(evidence)


def learner_evidence(run: Experiment, data: str, method: str, learners: Sequence[str]) -> Evidence:
    """What the linter may know of the way in which learners were resampled and judged."""
    splits = [run.splits[data][i] for i in run.parts(data)]
    return Evidence(
        facts={
            "fold_method": fold_method(method),
            "rounds": rounds_of_folds(splits),
            "test_parts": len(splits),
            "smallest_test": run.smallest_test_part(data),
            "data_rows": run.datasets[data].n,
            "failed": {x: (run.failed(x, data), len(run.outcomes[data, x])) for x in learners},
        }
    )


def _adjusted(contrasts: list[Contrast], how: str) -> list[Contrast]:
    if len(contrasts) < 2 or how == "none":
        return contrasts
    values = adjusted([c.p_value for c in contrasts], how)  # type: ignore[arg-type]
    return [replace(c, p_adjusted=float(p)) for c, p in zip(contrasts, values, strict=True)]


def _reading(run: Experiment, data: str, learners: Sequence[str]) -> str:
    dataset = run.datasets[data]
    shown = "" if len(run.datasets) == 1 else f"{data}: "
    return f"{shown}{len(learners)} learners on {dataset.n:,} rows, {run.plan!r}; the same test parts for all."


def rank(
    run: Experiment,
    metric: str = "accuracy",
    *,
    learners: Sequence[str] | None = None,
    positive: Any = None,
    method: Any = "wilcoxon",
    adjust: Any = "holm",
    control: str | None = None,
    alpha: float = 0.05,
    rope: float | None = None,
    rng: Any = None,
    **options: Any,
) -> LearnerRanking:
    """The learners over all data sets: mean ranks, pairs over data sets, and pairs within each data set.

    A data set counts once, however many test parts it has; within each the corrected t judges. See `te.rank` for the
    methods. Test parts on which a learner has no score are left out for all learners, and said so.
    """
    measure = find_measure(metric)
    names = fitted_learners(run, list(run.datasets)) if learners is None else tuple(map(run.learner_name, learners))
    if len(names) < 2:
        raise InputError("ranking takes at least two learners; .estimate judges one by itself")
    if control is not None and control not in names:
        raise InputError(f"control={control!r} is not among the learners{nearest(control, names)}")
    parts, folds, kept, ratios = [], [], [], []
    dropped: list[str] = []
    for data in run.datasets:
        table = run.fold_scores(metric, data, positive=positive, **options)
        values = np.stack([table.of(x) for x in names], axis=1)
        known = ~np.isnan(values.sum(axis=1))
        if not known.all():
            lost = int((~known).sum())
            dropped.append(data if lost == len(known) else f"{lost} of {len(known)} test parts of {data}")
        if not known.any():
            continue
        parts.append(values[known])
        kept.append(data)
        keys = zip(table.repeats[known], table.folds[known], strict=True)
        folds.append(tuple(FoldKey(str(r), str(f)) for r, f in keys))
        ratios.append(table.test_train_ratio)
    if not parts:
        raise InputError(f"no data set has a {measure.name} of every learner: see .failures")
    sheet = ScoreSheet(
        data_sets=tuple(kept), learners=names, parts=tuple(parts), folds=tuple(folds), value_name=measure.title,
        dropped=tuple(dropped),
    )  # fmt: skip
    ratio = float(np.mean(ratios))
    return rank_sheet(
        sheet, higher_is_better=bool(measure.higher_is_better), method=method, adjust=adjust, control=control,
        alpha=alpha, test_train_ratio=None if math.isnan(ratio) else ratio, rope=rope, rng=rng,
    )  # fmt: skip
