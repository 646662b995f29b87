"""What an experiment answers about one learner: an estimate with its interval, and ROC curves."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learner_intervals import learner_interval
from trueerror.experiments.learner_questions import ask
from trueerror.experiments.scored_parts import CHOSEN
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word
from trueerror.results import Interval


def estimate(
    run: Experiment,
    learner: str | None = None,
    data: str | None = None,
    metric: str = "accuracy",
    *,
    method: str | None = None,
    positive: Any = None,
    confidence: float = 0.95,
    rng: Any = None,
    **options: Any,
) -> Interval:
    """How good a learner is, with the interval that the plan calls for.

    Holdout: the methods for models, on the test rows ("this model"). KFold, Subsampling and other splitters: the
    corrected t. LeaveOneOut: Bayle ("these n models"). Bootstrap: .632+. BatesCV: Bates, Hastie and Tibshirani.
    NestedCV: the corrected t over the outer folds, for "the chosen one" (the default learner there) or a single
    setting. On request: method="fold-t" (optimistic), "bayle", "632", "out-of-bag", "ledell" (AUC), "pooled", and
    "bbc-cv" for the best of all learners, with the optimism of choosing taken out. `result.estimand` says of what it
    speaks, `.explain()` how it is made.
    """
    if learner is None:
        learner = CHOSEN if method in ("bbc", "bbc-cv") else only_learner(run)
    if learner == CHOSEN and run.plan.name != "NestedCV":
        method = method or "bbc-cv"
        if method not in ("bbc", "bbc-cv"):
            raise InputError(f"method={method!r} for {CHOSEN!r} needs the plan te.NestedCV; use method='bbc-cv'")
    if method in ("bbc", "bbc-cv"):
        learner = CHOSEN
    question = ask(run, learner, data, metric, positive=positive, confidence=confidence, rng=rng, **options)
    return learner_interval(question, method)


def only_learner(run: Experiment) -> str:
    """The learner that is meant where none is named: the chosen one of a NestedCV plan, or the only one there is."""
    if run.plan.name == "NestedCV":
        return CHOSEN
    if len(run.learners) > 1:
        raise InputError(f"which learner? there are {', '.join(map(repr, run.learners))}")
    return run.learners[0]


def roc(
    run: Experiment,
    learner: str | None = None,
    data: str | None = None,
    *,
    how: str = "pooled",
    positive: Any = None,
    chosen_by: str = "auc",
    **options: Any,
) -> Any:
    """The ROC curve of a learner: the test rows of one round in one ranking, or the curves of test parts averaged.

    "pooled" gives a `Roc`; scores of different folds must then be comparable. "vertical" (TPR at each FPR) and
    "threshold" give an `AverageCurve`, over the test parts of all repeats. Of a NestedCV plan "the chosen one" has a
    curve too: the settings chosen by the metric `chosen_by`.
    """
    check_word(how, ("pooled", "vertical", "threshold"), "how")
    name = only_learner(run) if learner is None else learner
    p = run.predictions(data, learners=[name], positive=positive, chosen_by=chosen_by)
    if how == "pooled":
        from trueerror.curves.receiver import roc as curve

        if run.plan.name in ("Bootstrap", "Subsampling") and p.has_key("repeats"):
            raise InputError(f'{run.plan.name} tests rows again and again; use how="vertical" or how="threshold"')
        if p.has_key("repeats"):
            p = p.slice(p.keys("repeats").names[0], "repeats")
        return curve(p, model=name, **options)
    from trueerror.curves.averaging import average_curves

    made = average_curves(p, how=how, model=name, **options)  # type: ignore[arg-type]
    # What is chosen by another metric has another area than `estimate` knows of.
    same = name != CHOSEN or chosen_by == "auc"
    area = _area(run, name, data, positive=positive, confidence=made.confidence) if same else None
    return replace(made, area=area)


def _area(run: Experiment, learner: str, data: str | None, **options: Any) -> Interval | None:
    """The AUC as `estimate` has it by default; None where the plan has no interval for it."""
    try:
        found = estimate(run, learner, data, "auc", **options)
    except InputError:
        # The curve then keeps the mean of its own areas, and says so.
        return None
    return None if math.isnan(found.low) else found
