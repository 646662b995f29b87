"""te.estimator_laboratory: how good are the ways to estimate a learner's error, where the truth is known?"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learners import as_learners
from trueerror.experiments.learners import number as number_of
from trueerror.experiments.running import experiment, seed_of
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.intervals.means import mean_interval
from trueerror.resampling.folds import KFold, LeaveOneOut
from trueerror.resampling.plans import Plan, Split
from trueerror.resampling.plans import whole as whole_number
from trueerror.resampling.random_parts import Bootstrap, Holdout
from trueerror.resampling.seen import Redrawn
from trueerror.results import Interval
from trueerror.studies.generators import draw, find_generator, posterior_of
from trueerror.studies.laboratory_result import EstimatorLaboratory, EstimatorQuality

Floats = NDArray[np.float64]
# Which plan and which of its methods each estimator is.
ESTIMATORS: dict[str, tuple[str, str | None]] = {
    "training": ("truth", None),
    "holdout": ("holdout", None),
    "k-fold": ("k-fold", None),
    "leave-one-out": ("leave-one-out", None),
    "out-of-bag": ("bootstrap", "bootstrap-out-of-bag"),
    ".632": ("bootstrap", "bootstrap-632"),
    ".632+": ("bootstrap", "bootstrap-632+"),
}


def estimator_laboratory(
    learner: Any,
    generator: Any = "two-normals",
    *,
    n: int = 50,
    runs: int = 100,
    estimators: Sequence[str] = tuple(ESTIMATORS),
    folds: int = 10,
    bootstraps: int = 50,
    stratify: bool = True,
    test_rows: int = 1000,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: Any = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Any = None,
    progress: bool = True,
) -> EstimatorLaboratory:
    """Bias, variance and mean squared error of estimates of the error, on samples from a known source.

    `runs` samples of `n` rows are drawn from the `generator` (as in `te.bias_variance`). On each, the error of the
    learner is estimated in every way: on its training rows, by holdout, k-fold, leave-one-out, and by the bootstrap out
    of bag, .632 and .632+; and the model of all n rows is tested on `test_rows` fresh rows. The true error is the mean
    of these tests: what to expect of this learner at n rows. So MSE = bias² + variance is seen, estimator by estimator.
    Stratified parts have the class mix of their sample, training and test part alike; where that mix is itself a matter
    of chance, this makes them a little optimistic, which `stratify=False` avoids.

    >>> import numpy as np
    >>> class Nearest:
    ...     def fit(self, X, y):
    ...         self.X, self.y = X, y
    ...     def predict(self, X):
    ...         return self.y[((X[:, None, :] - self.X) ** 2).sum(axis=2).argmin(axis=1)]
    >>> lab = estimator_laboratory(Nearest(), n=20, runs=20, estimators=["training", "k-fold"], test_rows=200)
    >>> lab["training"].bias.high < 0 < lab["k-fold"].bias.high
    True
    """
    ((name, system),) = _single(learner)
    source, level, seed = find_generator(generator), check_confidence(confidence), seed_of(rng)
    whole_number(n, "n", 10)
    whole_number(runs, "runs", 2)
    whole_number(test_rows, "test_rows", 2)
    for word in estimators:
        check_word(word, ESTIMATORS, "estimators")
    plans: dict[str, Plan] = {
        "holdout": Holdout(stratify=stratify), "k-fold": KFold(folds, stratify=stratify),
        "leave-one-out": LeaveOneOut(), "bootstrap": Bootstrap(bootstraps, stratify=stratify),
    }  # fmt: skip
    wanted = [p for p in plans if any(ESTIMATORS[e][0] == p for e in estimators)]
    options: dict[str, Any] = {
        "engine": engine, "jobs": jobs, "timeout": timeout, "rng": seed, "progress": progress,
    }  # fmt: skip

    def run(plan: Plan, data: dict[str, Dataset], word: str) -> Experiment:
        place = None if store is None else f"{os.fspath(store).rstrip('/')}/{word}"
        return experiment({name: system}, data, plan=plan, store=place, **options)

    samples, wholes, posteriors = _samples(source, n, runs, test_rows, seed)
    judged = run(Redrawn(1, held_out=test_rows, how="fresh"), wholes, "truth")
    done = {word: run(plans[word], samples, word) for word in wanted}
    true = np.array([_true_error(judged, name, d, posteriors.get(d)) for d in wholes])
    truth = mean_interval(true, confidence=level)
    values: dict[str, Floats] = {}
    limits: dict[str, Any] = {}
    for word in estimators:
        plan, method = ESTIMATORS[word]
        if plan == "truth":
            values[word] = np.array([_training_error(judged, name, d) for d in wholes])
            continue
        found = [done[plan].estimate(name, d, "error_rate", method=method, confidence=level) for d in samples]
        values[word] = np.array([f.estimate for f in found])
        limits[word] = [(f.low, f.high) for f in found]
    qualities = [
        _quality(word, values[word], limits.get(word), true, truth.estimate, level, _fits(word, done, runs))
        for word in estimators
    ]
    return EstimatorLaboratory(
        learner=name, truth=Interval(
            name="true error", estimate=truth.estimate, low=truth.low, high=truth.high, confidence=level,
            method=truth.method, n=runs, note=truth.note, estimand=f"this learner at {n:,} training rows",
        ), estimators=tuple(qualities), values={k: tuple(v.tolist()) for k, v in values.items()}, n=n, runs=runs,
        confidence=level, seed=seed,
    )  # fmt: skip


def _single(learner: Any) -> Any:
    named = as_learners(learner)
    if len(named) > 1:
        raise InputError("the laboratory takes one learner at a time")
    return named.items()


class _Samples(NamedTuple):
    samples: dict[str, Dataset]
    wholes: dict[str, Dataset]
    posteriors: dict[str, Floats]


def _samples(source: Any, n: int, runs: int, test_rows: int, seed: int) -> _Samples:
    """Samples of n rows, the same with test rows behind them, and what is known of the test rows' classes."""
    made = _Samples({}, {}, {})
    for at in range(runs):
        for attempt in range(1000):
            dice = np.random.Generator(np.random.Philox(number_of(f"{seed}/sample {at}/{attempt}")))
            X, y = draw(source, n + test_rows, dice)
            classes, counts = np.unique(y[:n], return_counts=True)
            # A sample with a single class, or one row of a class, can be neither learned from nor split.
            if len(classes) == len(np.unique(y)) > 1 and counts.min() > 1:
                break
        else:
            raise InputError(f"samples of {n} rows hardly ever have two rows of each class; use a larger n")
        name = f"sample {at + 1}"
        made.samples[name] = Dataset(X[:n], y[:n])
        made.wholes[name] = Dataset(X, y)
        p = posterior_of(source, X[n:], len(classes))
        if p is not None:
            made.posteriors[name] = p
    return made


def _true_error(run: Experiment, learner: str, data: str, posterior: Floats | None) -> float:
    """The error of the model of all n rows on fresh rows; by their true probabilities where these are known."""
    split, outcome = _only(run, learner, data)
    called = outcome.labels[: split.second]
    if posterior is not None:
        return float(1 - posterior[np.arange(len(called)), called].mean())
    return float((called != run.datasets[data].codes[split.test[: split.second]]).mean())


def _training_error(run: Experiment, learner: str, data: str) -> float:
    split, outcome = _only(run, learner, data)
    return float((outcome.labels[split.second :] != run.datasets[data].codes[split.test[split.second :]]).mean())


def _only(run: Experiment, learner: str, data: str) -> tuple[Split, Any]:
    outcome = run.outcomes[data, learner][0]
    if outcome.status != "done":
        raise InputError(f"{learner!r} failed on {data}: {outcome.error:.200}")
    return run.splits[data][0], outcome


def _quality(
    word: str, values: Floats, limits: Any, true: Floats, truth: float, level: float, fits: float
) -> EstimatorQuality:
    """Bias from the differences to each model's own error, whose mean is the same and which vary less."""
    gap = mean_interval(values - true, confidence=level)
    bias = Interval(
        name="bias", estimate=float(values.mean()) - truth, low=gap.low, high=gap.high, confidence=level,
        method=gap.method, n=len(values), note=gap.note, estimand=f"the mean {word} estimate less the true error",
    )  # fmt: skip
    sd = float(values.std())
    mse = bias.estimate**2 + sd**2
    covered = math.nan
    if limits is not None:
        known = [(low, high) for low, high in limits if not math.isnan(low + high)]
        covered = float(np.mean([low <= truth <= high for low, high in known])) if known else math.nan
    return EstimatorQuality(
        estimator=word, mean=float(values.mean()), bias=bias, sd=sd, mse=mse, rmse=math.sqrt(mse),
        model_rmse=math.sqrt(float(((values - true) ** 2).mean())), coverage=covered, fits=fits,
    )  # fmt: skip


def _fits(word: str, done: dict[str, Experiment], runs: int) -> float:
    plan = ESTIMATORS[word][0]
    return 1.0 if plan == "truth" else sum(map(len, done[plan].splits.values())) / runs
