"""te.estimator_laboratory: how good are the ways to estimate a learner's error, where the truth is known?

Rows come from a known source, so that true errors, and what no learner can do better, are known.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._experiment import Experiment, RunOptions, experiment_seed, run_experiment
from trueerror.experiments._learners import Learner, as_learners, text_seed
from trueerror.inference.loss._interval import mean_interval
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, nearest
from trueerror.resampling._cross_validation import KFold, LeaveOneOut, as_k_fold
from trueerror.resampling._plan import Plan, Split, check_whole
from trueerror.resampling._random_splits import Bootstrap, Holdout
from trueerror.resampling._wrapped import Redrawn
from trueerror.results import Interval, Result, Table
from trueerror.results._format import limits, number, percent, signed, with_limits
from trueerror.studies._study import study_text


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EstimatorQuality(Result):
    """One way to estimate the error, over many samples: mse = bias² + sd², against the learner's true error.

    `model_rmse` is the root mean squared distance to the true error of the very model that all rows of the sample
    make. `coverage` is how often the interval held the learner's true error; NaN where there is no interval.
    """

    estimator: str
    mean: float
    bias: Interval
    sd: float
    mse: float
    rmse: float
    model_rmse: float
    coverage: float = math.nan
    fits: float = math.nan

    def __str__(self) -> str:
        return (
            f"{self.estimator}: bias {with_limits(self.bias.estimate, self.bias.low, self.bias.high)}, "
            f"sd {number(self.sd)}, √MSE {number(self.rmse)}"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EstimatorLaboratory(Result):
    """Estimators of the error on samples from a known source. Made by `te.estimator_laboratory`."""

    learner: str
    truth: Interval
    estimators: tuple[EstimatorQuality, ...]
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    n: int
    runs: int
    confidence: float = 0.95
    seed: int = 0
    method: str = "estimator-laboratory"

    def __getitem__(self, estimator: str) -> EstimatorQuality:
        for quality in self.estimators:
            if quality.estimator == estimator:
                return quality
        raise InputError(f"{estimator!r} is not known{nearest(estimator, [q.estimator for q in self.estimators])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each estimator."""
        return [
            {
                "estimator": q.estimator, "mean": q.mean, "truth": self.truth.estimate, "bias": q.bias.estimate,
                "bias_low": q.bias.low, "bias_high": q.bias.high, "variance": q.sd**2, "sd": q.sd, "mse": q.mse,
                "rmse": q.rmse, "model_rmse": q.model_rmse, "coverage": q.coverage, "fits": q.fits,
            }
            for q in self.estimators
        ]  # fmt: skip

    def _table(self) -> Table:
        rows = tuple(
            (
                q.estimator, f"{signed(q.bias.estimate, 4)} {limits(q.bias.low, q.bias.high, 4)}", f"{q.sd:.4f}",
                f"{q.mse:.5f}", f"{q.rmse:.4f}", "" if math.isnan(q.coverage) else f"{q.coverage:.3f}",
            )
            for q in self.estimators
        )  # fmt: skip
        return Table(columns=("estimator", "bias", "sd", "MSE", "√MSE", "coverage"), rows=rows)

    @property
    def verdict(self) -> str:
        """Who is clearly biased, and who has the least mean squared error."""
        low = [q.estimator for q in self.estimators if q.bias.high < 0]
        high = [q.estimator for q in self.estimators if q.bias.low > 0]
        best = min(self.estimators, key=lambda q: q.mse)
        sentences = [f"True error {number(self.truth.estimate)}."]
        if low:
            sentences.append(f"Too optimistic: {', '.join(low)}.")
        if high:
            sentences.append(f"Too pessimistic: {', '.join(high)}.")
        sentences.append(f"{best.estimator} has the least mean squared error (√MSE {number(best.rmse)}).")
        return " ".join(sentences)

    def __str__(self) -> str:
        head = f"{self.learner} on {self.runs:,} samples of {self.n:,} rows from a known source."
        last = (
            f"MSE = bias² + sd². bias: mean estimate less the true error of models of {self.n:,} rows, with limits of "
            f"{percent(self.confidence)} for the number of samples; coverage: of each {percent(self.confidence)} "
            "interval."
        )
        return study_text(head, [self.verdict], self._table(), [last])


@dataclass(frozen=True, slots=True)
class TwoNormals:
    """Two classes, equally likely, normal around two centres `distance` apart; a share of the labels is turned.

    The best possible error is that of the line half-way: Φ(−distance/2), and more where labels are turned.

    >>> X, y = TwoNormals()(100, np.random.default_rng(0))
    >>> X.shape, round(TwoNormals(distance=2.0).best_error, 4)
    ((100, 5), 0.1587)
    """

    columns: int = 5
    distance: float = 2.0
    turned: float = 0.0

    def __call__(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        y = rng.integers(0, 2, n)
        X = rng.standard_normal((n, self.columns))
        X[:, 0] += self.distance * (y - 0.5)
        return X, np.where(rng.random(n) < self.turned, 1 - y, y)

    def posterior(self, X: Floats) -> Floats:
        """P(class | row)."""
        p = special.expit(self.distance * np.asarray(X)[:, 0])
        p = self.turned + (1 - 2 * self.turned) * p
        return np.stack([1 - p, p], axis=1)

    @property
    def best_error(self) -> float:
        """What no learner can do better."""
        bare = float(special.ndtr(-self.distance / 2))
        return self.turned + (1 - 2 * self.turned) * bare


@dataclass(frozen=True, slots=True)
class Checkerboard:
    """Two columns in a square of `squares` × `squares` fields of alternating class; a share of the labels is turned.

    >>> X, y = Checkerboard(squares=2, turned=0.0)(4, np.random.default_rng(1))
    >>> bool((y == ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5))).all())
    True
    """

    squares: int = 3
    turned: float = 0.1

    def __call__(self, n: int, rng: np.random.Generator) -> tuple[Floats, NDArray[np.intp]]:
        X = rng.random((n, 2))
        y = self._field(X)
        return X, np.where(rng.random(n) < self.turned, 1 - y, y)

    def _field(self, X: Floats) -> NDArray[np.intp]:
        field: NDArray[np.intp] = np.floor(self.squares * np.asarray(X)).astype(np.intp).sum(axis=1) % 2
        return field

    def posterior(self, X: Floats) -> Floats:
        """P(class | row)."""
        p = np.where(self._field(X) == 1, 1 - self.turned, self.turned)
        return np.stack([1 - p, p], axis=1)

    @property
    def best_error(self) -> float:
        """What no learner can do better."""
        return min(self.turned, 1 - self.turned)


GENERATORS: dict[str, Callable[[], Any]] = {"two-normals": TwoNormals, "checkerboard": Checkerboard}


def find_generator(given: Any) -> Any:
    """A generator by its word, or any function of a number of rows and a NumPy generator that gives X and y."""
    if isinstance(given, str):
        if given not in GENERATORS:
            raise InputError(f"generator={given!r} is not known{nearest(given, GENERATORS)}")
        return GENERATORS[given]()
    if not callable(given):
        raise InputError(
            "generator must be a function of (n, rng) that gives (X, y), or one of " + ", ".join(GENERATORS)
        )
    return given


class GeneratedRows(NamedTuple):
    """Rows of a generator."""

    X: Floats
    y: Any


def generate_rows(generator: Any, n: int, rng: np.random.Generator) -> GeneratedRows:
    """n rows; what comes must have n of them, in two dimensions."""
    generated = generator(n, rng)
    if not isinstance(generated, tuple) or len(generated) != 2:
        raise InputError("the generator must give (X, y)")
    X, y = np.asarray(generated[0]), np.asarray(generated[1])
    if X.ndim != 2 or len(X) != n or len(y) != n:
        raise InputError(f"the generator was asked for {n:,} rows and gave X {X.shape} and y {y.shape}")
    return GeneratedRows(X, y)


def posterior_of(generator: Any, X: Floats, classes: int) -> Floats | None:
    """P(class | row) where the generator knows it, by sorted class."""
    known = getattr(generator, "posterior", None)
    if known is None:
        return None
    p = np.asarray(known(X), dtype=np.float64)
    if p.shape != (len(X), classes) or not math.isclose(float(p.sum()), len(X), rel_tol=1e-6) or (p < 0).any():
        raise InputError(f"the generator's posterior must give {classes} probabilities for each row, adding to 1")
    return p


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
    learner: Learner,
    generator: Any = "two-normals",
    *,
    n: int = 50,
    runs: int = 100,
    estimators: Sequence[str] = tuple(ESTIMATORS),
    folds: int = 10,
    bootstraps: int = 50,
    stratify: bool = True,
    plan: KFold | int | None = None,
    test_rows: int = 1000,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
) -> EstimatorLaboratory:
    """Bias, variance and mean squared error of estimates of the error, on samples from a known source.

    `runs` samples of `n` rows are drawn from the `generator` (as in `te.bias_variance`). On each, the error of the
    learner is estimated in every way: on its training rows, by holdout, k-fold, leave-one-out, and by the bootstrap out
    of bag, .632 and .632+; and the model of all n rows is tested on `test_rows` fresh rows. The true error is the mean
    of these tests: what to expect of this learner at n rows. So MSE = bias² + variance is seen, estimator by estimator.
    Stratified parts have the class mix of their sample, training and test fold alike; where that mix is itself a matter
    of chance, this makes them a little optimistic, which `stratify=False` avoids.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = KNeighborsClassifier(1)
    >>> lab = estimator_laboratory(nearest, n=20, runs=20, estimators=["training", "k-fold"], test_rows=200)
    >>> lab["training"].bias.high < 0 < lab["k-fold"].bias.high
    True
    """
    ((name, system),) = _single(learner)
    source, level, seed = find_generator(generator), check_confidence(confidence), experiment_seed(rng)
    check_whole(n, "n", 10)
    check_whole(runs, "runs", 2)
    check_whole(test_rows, "test_rows", 2)
    for word in estimators:
        check_word(word, ESTIMATORS, "estimators")
    if plan is not None and folds != 10:
        raise InputError("plan= says the folds of the k-fold estimator; leave folds= out")
    k_fold = KFold(folds, stratify=stratify) if plan is None else as_k_fold(plan, "the k-fold estimator")
    plans: dict[str, Plan] = {
        "holdout": Holdout(stratify=stratify), "k-fold": k_fold,
        "leave-one-out": LeaveOneOut(), "bootstrap": Bootstrap(bootstraps, stratify=stratify),
    }  # fmt: skip
    wanted = [p for p in plans if any(ESTIMATORS[e][0] == p for e in estimators)]
    options = RunOptions(store=store, engine=engine, jobs=jobs, timeout=timeout, rng=seed, progress=progress)

    def run(plan: Plan, data: dict[str, Dataset], word: str) -> Experiment:
        return run_experiment({name: system}, data, plan, options.inside(word))

    samples, wholes, posteriors = _samples(source, n, runs, test_rows, seed)
    judged = run(Redrawn(1, held_out=test_rows, how="fresh"), wholes, "truth")
    done = {word: run(plans[word], samples, word) for word in wanted}
    true = np.array([_true_error(judged, name, d, posteriors.get(d)) for d in wholes])
    truth = mean_interval(true, confidence=level)
    values: dict[str, Floats] = {}
    limits: dict[str, list[tuple[float, float]]] = {}
    for word in estimators:
        used, method = ESTIMATORS[word]
        if used == "truth":
            values[word] = np.array([_training_error(judged, name, d) for d in wholes])
            continue
        intervals = [done[used].estimate(name, d, "error_rate", method=method, confidence=level) for d in samples]
        values[word] = np.array([f.estimate for f in intervals])
        limits[word] = [(f.low, f.high) for f in intervals]
    qualities = [
        _quality(word, values[word], limits.get(word), true, truth.estimate, level, _fits(word, done, runs))
        for word in estimators
    ]
    return EstimatorLaboratory(
        learner=name, truth=replace(truth, name="true error", estimand=f"this learner at {n:,} training rows"),
        estimators=tuple(qualities), values={k: tuple(v.tolist()) for k, v in values.items()}, n=n, runs=runs,
        confidence=level, seed=seed,
    )  # fmt: skip


def _single(learner: Learner) -> Any:
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
    drawn = _Samples({}, {}, {})
    for at in range(runs):
        for attempt in range(1000):
            dice = np.random.Generator(np.random.Philox(text_seed(f"{seed}/sample {at}/{attempt}")))
            X, y = generate_rows(source, n + test_rows, dice)
            classes, counts = np.unique(y[:n], return_counts=True)
            # A sample with a single class, or one row of a class, can be neither learned from nor split.
            if len(classes) == len(np.unique(y)) > 1 and counts.min() > 1:
                break
        else:
            raise InputError(f"samples of {n} rows hardly ever have two rows of each class; use a larger n")
        name = f"sample {at + 1}"
        drawn.samples[name] = Dataset(X[:n], y[:n])
        drawn.wholes[name] = Dataset(X, y)
        p = posterior_of(source, X[n:], len(classes))
        if p is not None:
            drawn.posteriors[name] = p
    return drawn


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
    word: str,
    values: Floats,
    limits: list[tuple[float, float]] | None,
    true: Floats,
    truth: float,
    level: float,
    fits: float,
) -> EstimatorQuality:
    """Bias from the differences to each model's own error, whose mean is the same and which vary less."""
    gap = mean_interval(values - true, confidence=level)
    estimand = f"the mean {word} estimate less the true error"
    bias = replace(gap, name="bias", estimate=float(values.mean()) - truth, estimand=estimand)
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
