"""te.overfitting: training and test error as a learner grows more complex, and whether some setting overfits."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.balancing import Balance
from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learners import as_learners
from trueerror.experiments.running import experiment
from trueerror.inputs.errors import InputError, nearest
from trueerror.inputs.options import check_confidence
from trueerror.resampling.folds import KFold
from trueerror.resampling.foreign import as_plan
from trueerror.resampling.seen import WithTraining
from trueerror.significance.means import corrected_t
from trueerror.significance.multiplicity import adjust
from trueerror.studies.learning import as_study_data
from trueerror.studies.learning_result import shortfall
from trueerror.studies.overfit_result import ComplexityPoint, OverfitPair, Overfitting
from trueerror.studies.seen_scores import SeenScores, judged_measure, seen_scores, spread_interval, why_failed

Floats = NDArray[np.float64]
DEFAULT_PLAN = KFold(5, repeats=4)


def overfitting(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    parameter: str = "setting",
    values: Sequence[Any] | None = None,
    plan: Any = DEFAULT_PLAN,
    metric: str = "error_rate",
    positive: Any = None,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: Any = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Any = None,
    progress: bool = True,
    balance: Balance | None = None,
) -> Overfitting:
    """Training and test error over a complexity parameter, and whether some setting overfits.

    `learner` with `parameter` and `values` (`DecisionTreeClassifier()`, "max_depth", [1, 2, 4, 8]), or settings by name
    in order of complexity ({"1": …, "2": …}). Every model is tested on held-out rows and on its own training rows. h
    overfits when some h′ has a higher training error and a lower true error: both are tested for each pair of settings
    by the corrected t over the same splits, the larger p counts (intersection–union), and Holm adjusts.

    >>> import numpy as np
    >>> class Neighbours:
    ...     def __init__(self, k): self.k = k
    ...     def fit(self, X, y): self.X, self.y = X, y
    ...     def predict(self, X):
    ...         near = np.argsort(((X[:, None, :] - self.X) ** 2).sum(axis=2), axis=1)[:, : self.k]
    ...         return (self.y[near].mean(axis=1) > 0.5).astype(int)
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 2
    >>> X = rng.normal(size=(300, 2)) + 1.2 * y[:, None]
    >>> found = overfitting({k: Neighbours(k) for k in (25, 1)}, X, y, parameter="neighbours")
    >>> found.overfits
    ('1',)
    """
    data, level = as_study_data(X, y), check_confidence(confidence)
    judged_measure(metric)
    named = _settings(learner, parameter, values)
    plan = as_plan(plan)
    run = experiment(
        named, data, plan=WithTraining(plan), store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng,
        progress=progress, balance=balance,
    )  # fmt: skip
    return _found(run, seen_scores(run, metric, positive=positive), parameter, level, repr(plan))


def _settings(learner: Any, parameter: str, values: Sequence[Any] | None) -> dict[str, Any]:
    if values is None:
        if not isinstance(learner, Mapping) or len(learner) < 2:
            raise InputError("pass parameter= and values=, or at least two learners by name")
        return as_learners({str(name): one for name, one in learner.items()})
    import copy

    if isinstance(learner, Mapping):
        raise InputError("with values= pass one learner, not several")
    known = list(learner.get_params(deep=True)) if hasattr(learner, "get_params") else []
    if parameter not in known:
        raise InputError(f"the learner has no parameter {parameter!r}{nearest(parameter, known)}")
    if len({str(v) for v in values}) != len(list(values)) or len(list(values)) < 2:
        raise InputError("values must be at least two different settings, the simplest first")
    return as_learners({str(v): copy.deepcopy(learner).set_params(**{parameter: v}) for v in values})


def _found(run: Experiment, table: SeenScores, parameter: str, level: float, plan: str) -> Overfitting:
    data = run.datasets[run.data_name(None)]
    units, size = data.rows.units, round(float(table.trains.mean()))
    common: dict[str, Any] = {
        "ratio": table.test_train_ratio, "confidence": level, "name": table.measure.title,
        "estimand": f"this learner at {size:,} training rows",
    }  # fmt: skip
    for name, values in zip(run.learners, table.held_out, strict=True):
        if np.isnan(values).all():
            raise InputError(f"setting {name!r} has no score on any split{why_failed([run], name)}")
    sign = -1.0 if table.measure.higher_is_better else 1.0
    reach = table.measure.range[1] - table.measure.range[0]
    points = []
    for at, (name, place) in enumerate(zip(run.learners, places(run.learners), strict=True)):
        test = spread_interval(table.held_out[at], rows=units, bounds=table.measure.range, **common)
        own = spread_interval(table.training[at], rows=size, bounds=table.measure.range, **common)
        gap = spread_interval(
            sign * (table.held_out[at] - table.training[at]), rows=units, bounds=(-reach, reach), **common
        )
        points.append(
            ComplexityPoint(
                setting=name, place=place, training=own.estimate, training_low=own.low, training_high=own.high,
                estimate=test.estimate, low=test.low, high=test.high, gap=gap.estimate, gap_low=gap.low,
                gap_high=gap.high,
            )
        )  # fmt: skip
    fits = table.held_out.shape[1]
    notes = tuple(f"{x}: {run.failed(x)} of {fits} fits failed." for x in run.learners if run.failed(x))
    return Overfitting(
        metric=table.measure.name, title=table.measure.title, parameter=parameter, points=tuple(points),
        pairs=_pairs(run.learners, table, level), rows=data.n, size=size, plan=plan, confidence=level, seed=run.seed,
        notes=notes,
    )  # fmt: skip


def places(settings: Sequence[str]) -> list[float]:
    """Where settings stand on an axis: their numbers, or 1, 2, 3 … where some are none.

    >>> places(["1", "2", "8"]), places(["linear", "rbf"])
    ([1.0, 2.0, 8.0], [1.0, 2.0])
    """
    try:
        numbers = [float(s) for s in settings]
    except ValueError:
        return [i + 1.0 for i in range(len(settings))]
    if all(map(math.isfinite, numbers)) and len(set(numbers)) == len(numbers):
        return numbers
    return [i + 1.0 for i in range(len(settings))]


def _pairs(settings: Sequence[str], table: SeenScores, level: float) -> tuple[OverfitPair, ...]:
    """The pairs in which the one is better on training rows and worse on held-out rows, both beyond chance."""
    training, test = (shortfall(values, table.measure) for values in (table.training, table.held_out))
    found: list[tuple[str, str, float, float, float]] = []
    for i, j in combinations(range(len(settings)), 2):
        known = ~np.isnan(training[i] + training[j] + test[i] + test[j])
        if known.sum() < 2:
            continue
        lead = training[j][known] - training[i][known]
        a, b = (i, j) if lead.mean() >= 0 else (j, i)
        gaps = (training[b][known] - training[a][known], test[a][known] - test[b][known])
        p = [_one_sided(gap, table.test_train_ratio) for gap in gaps]
        found.append((settings[a], settings[b], float(gaps[0].mean()), float(gaps[1].mean()), max(p)))
    adjusted: Floats = adjust([f[-1] for f in found]) if found else np.zeros(0)
    return tuple(
        OverfitPair(setting=a, rival=b, training_lead=lead, test_loss=loss, p_value=p, p_adjusted=float(q))
        for (a, b, lead, loss, p), q in zip(found, adjusted, strict=True)
        if q <= 1 - level
    )


def _one_sided(differences: Floats, ratio: float) -> float:
    """p for a mean above 0; where nothing varies, equal settings have 1, and others are told apart by no chance."""
    p = corrected_t(differences, test_train_ratio=ratio, alternative="greater").p_value
    return 1.0 if math.isnan(p) else p
