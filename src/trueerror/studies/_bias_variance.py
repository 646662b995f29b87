"""te.bias_variance: fit learners to many training sets, and see where their error comes from.

The decompositions are pure functions of what the models said, row by row.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._dataset import Dataset, Features, as_dataset
from trueerror.experiments._experiment import Experiment, RunOptions, experiment_seed, run_experiment
from trueerror.experiments._learners import Learner, as_learners, text_seed
from trueerror.experiments._outcomes import outcome_losses
from trueerror.inference._problem import IntervalSpec, critical_t
from trueerror.inference.loss._mean import mean_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, nearest
from trueerror.metrics._registry import find_measure
from trueerror.resampling._assignment import draw_share
from trueerror.resampling._plan import check_test_share, check_whole, take
from trueerror.resampling._random_splits import Bootstrap, Subsampling
from trueerror.resampling._wrapped import Redrawn
from trueerror.results import Interval, Result, Table
from trueerror.results._format import number, one_line, percent, with_limits
from trueerror.studies._simulation import find_generator, generate_rows, posterior_of
from trueerror.studies._study import as_study_data, part_of, seen_scores, study_text, why_failed

Decomposition = Literal["domingos", "kohavi-wolpert", "squared"]


class RowParts(NamedTuple):
    """The expected loss of each test row and its parts: loss = noise + bias + variance.

    Of Domingos' parts, variance is unbiased − biased: on rows where the main prediction is wrong, disagreeing helps.
    """

    loss: Floats
    noise: Floats
    bias: Floats
    variance: Floats
    unbiased: Floats
    biased: Floats


def shares(calls: NDArray[np.intp], classes: int, weights: Floats | None = None) -> Floats:
    """How often each row was called each class over the rounds: (rows, classes), from calls (rounds, rows)."""
    w = np.full(len(calls), 1 / len(calls)) if weights is None else weights
    return np.stack([w @ (calls == k) for k in range(classes)], axis=1)


def kohavi_wolpert(called: Floats, posterior: Floats, rounds: int) -> RowParts:
    """The decomposition of 0-1 loss by Kohavi and Wolpert (1996), ICML, 275.

    noise = ½(1 − Σ P(y)²), bias² = ½ Σ (P(y) − P(ŷ = y))², variance = ½(1 − Σ P(ŷ)²), from shares over T training
    sets; the variance that T leaves in the shares is moved from the bias to the variance.

    >>> made = kohavi_wolpert(np.array([[0.8, 0.2]]), np.array([[1.0, 0.0]]), 10**9)
    >>> [round(float(x[0]), 4) for x in made[:4]]
    [0.2, 0.0, 0.04, 0.16]
    """
    noise = 0.5 * (1 - (posterior**2).sum(axis=1))
    bias = 0.5 * ((posterior - called) ** 2).sum(axis=1)
    variance = 0.5 * (1 - (called**2).sum(axis=1))
    moved = variance / (rounds - 1)
    loss = 1 - (posterior * called).sum(axis=1)
    nothing = np.full(len(called), np.nan)
    return RowParts(loss, noise, bias - moved, variance + moved, nothing, nothing)


def domingos(called: Floats, posterior: Floats) -> RowParts:
    """The unified decomposition of 0-1 loss by Domingos (2000), ICML, 231.

    Main prediction: the class that most models call. bias: whether it differs from the best answer; variance: how often
    models differ from it, counted for the loss where it is right and (as far as they hit the best answer) against the
    loss where it is wrong; noise: what remains of the expected loss, since even the best answer errs.

    >>> made = domingos(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    >>> [x.round(3).tolist() for x in made]
    [[0.2, 0.7], [0.0, 0.0], [0.0, 1.0], [0.2, -0.3], [0.2, 0.0], [0.0, 0.3]]
    """
    rows = np.arange(len(called))
    main, best = called.argmax(axis=1), posterior.argmax(axis=1)
    bias = (main != best).astype(np.float64)
    differ = 1 - called[rows, main]
    unbiased = np.where(bias == 0, differ, 0.0)
    # Where the main prediction is wrong, only answers that hit the best one take loss away.
    biased = np.where(bias == 1, called[rows, best], 0.0)
    loss = 1 - (posterior * called).sum(axis=1)
    variance = unbiased - biased
    noise = loss - bias - variance
    # Rounding dust must not pass for noise.
    noise = np.where(np.abs(noise) < 1e-12, 0.0, noise)
    return RowParts(loss, noise, bias, variance, unbiased, biased)


def squared(mean: Floats, spread: Floats, posterior: Floats, rounds: int) -> RowParts:
    """The decomposition of squared loss of probabilities (Geman, Bienenstock and Doursat 1992, Neural Comput. 4:1).

    On the scale of the Brier score ½ Σ (p − y)²: noise ½ Σ P(1 − P), bias² ½ Σ (P − p̄)², variance ½ Σ var(p); `mean`
    and `spread` are p̄ and the (biased) variance over T training sets, by row and class.

    >>> made = squared(np.array([[0.7, 0.3]]), np.array([[0.01, 0.01]]), np.array([[1.0, 0.0]]), 10**9)
    >>> [round(float(x[0]), 4) for x in made[:4]]
    [0.1, 0.0, 0.09, 0.01]
    """
    noise = 0.5 * (posterior * (1 - posterior)).sum(axis=1)
    bias = 0.5 * ((posterior - mean) ** 2).sum(axis=1)
    variance = 0.5 * spread.sum(axis=1)
    moved = variance / (rounds - 1)
    nothing = np.full(len(mean), np.nan)
    return RowParts(noise + bias + variance, noise, bias - moved, variance + moved, nothing, nothing)


def decompose(
    how: Decomposition,
    calls: NDArray[np.intp],
    probabilities: Floats | None,
    posterior: Floats,
    weights: Floats | None = None,
) -> RowParts:
    """The parts from calls (rounds, rows) or probabilities (rounds, rows, classes), rounds weighted if asked for."""
    rounds, classes = len(calls), posterior.shape[1]
    if how == "squared":
        assert probabilities is not None
        w = np.full(rounds, 1 / rounds) if weights is None else weights
        mean = np.tensordot(w, probabilities, 1)
        return squared(mean, np.tensordot(w, probabilities**2, 1) - mean**2, posterior, rounds)
    called = shares(calls, classes, weights)
    return domingos(called, posterior) if how == "domingos" else kohavi_wolpert(called, posterior, rounds)


# Each decomposition in words, and what its part of the bias is called.
NAMES = {
    "domingos": ("Domingos' decomposition of 0-1 loss: error = noise + bias + variance, which may be negative", "bias"),
    "kohavi-wolpert": ("Kohavi and Wolpert's decomposition of 0-1 loss: error = noise + bias² + variance", "bias²"),
    "squared": ("squared loss of probabilities (Brier score): error = noise + bias² + variance", "bias²"),
}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LossParts(Result):
    """One learner: expected error on new rows and its parts; error on held-out and on training rows, and their gap.

    `optimism` is held-out less training error. Of Domingos' decomposition, `unbiased_variance` counts where the main
    prediction is right, `biased_variance` where it is wrong and disagreeing helps; variance is the one less the other.
    """

    learner: str
    error: Interval
    noise: Interval
    bias: Interval
    variance: Interval
    training: Interval
    held_out: Interval
    optimism: Interval
    unbiased_variance: float = math.nan
    biased_variance: float = math.nan

    def __str__(self) -> str:
        parts = ", ".join(
            f"{i.name} {with_limits(i.estimate, i.low, i.high)}" for i in (self.noise, self.bias, self.variance)
        )
        return f"{one_line(self.learner)}: error {number(self.error.estimate)} = {parts}"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BiasVariance(Result):
    """Bias and variance of learners over training sets. Made by `te.bias_variance`; bv["tree"] is a `LossParts`."""

    method: str
    learners: tuple[LossParts, ...]
    rounds: int
    size: int
    test_rows: int
    drawn: str
    noise_known: bool
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()

    def __getitem__(self, learner: str) -> LossParts:
        for parts in self.learners:
            if parts.learner == learner:
                return parts
        raise InputError(f"learner {learner!r} is not known{nearest(learner, [p.learner for p in self.learners])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each learner and part."""
        fields = ("error", "noise", "bias", "variance", "training", "held_out", "optimism")
        return [
            {
                "learner": parts.learner, "part": field, "estimate": i.estimate, "low": i.low, "high": i.high,
                "method": i.method,
            }
            for parts in self.learners
            for field in fields
            for i in (getattr(parts, field),)
        ]  # fmt: skip

    def _table(self) -> Table:
        rows = tuple(
            (p.learner, *(number(i.estimate) for i in (p.error, p.noise, p.bias, p.variance, p.training)))
            for p in self.learners
        )
        _, bias = NAMES[self.method]
        return Table(columns=("learner", "error", "noise", bias, "variance", "training error"), rows=rows)

    @property
    def verdict(self) -> str:
        """The larger part of each learner's error that it could lose, and its optimism."""
        return "\n".join(self.verdict_lines)

    @property
    def verdict_lines(self) -> tuple[str, ...]:
        """The same, learner by learner."""
        return tuple(self._said(p) for p in self.learners)

    def _said(self, p: LossParts) -> str:
        bias, variance = p.bias, p.variance
        bias_word = "bias" if self.noise_known else "bias (with the noise of the labels)"
        if bias.low > variance.high:
            verdict = f"mostly {bias_word}: models of different training sets err alike"
        elif variance.low > bias.high:
            verdict = "mostly variance: models of different training sets disagree"
        else:
            verdict = f"no clear difference in size between {bias_word} and variance"
        o = p.optimism
        return (
            f"{one_line(p.learner)}: error {number(p.error.estimate)}, {verdict} "
            f"({number(bias.estimate)} and {number(variance.estimate)}). Test error minus training error: "
            f"{with_limits(o.estimate, o.low, o.high)}."
        )

    def __str__(self) -> str:
        head = f"{self.rounds:,} training sets of {self.size:,} rows, {self.drawn}; {self.test_rows:,} test rows."
        last = [f"{NAMES[self.method][0]}. Limits of {percent(self.confidence)} are in .frame()."]
        if not self.noise_known:
            last.append("The noise is not known from held-out rows: it is counted as bias.")
        last += self.notes
        return study_text(head, self.verdict_lines, self._table(), last)


# Draws of the rounds, for their part in a standard error.
REPLICATES = 100
Sampling = Literal["bootstrap", "half"]


HELD_OUT, ROWS_DRAWN, TEST_ROWS, ROUNDS = 1 / 3, 100, 1000, 100


def _drawn_by(plan: object) -> tuple[int, Sampling]:
    """Rounds and sampling, from a plan: bootstrap samples, or random halves."""
    if isinstance(plan, Bootstrap):
        return plan.b, "bootstrap"
    if isinstance(plan, Subsampling) and plan.test == 0.5:
        return plan.repeats, "half"
    raise InputError("training sets are drawn by plan=te.Bootstrap(100) or plan=te.Subsampling(100, test=0.5)")


def bias_variance(
    learners: Learner | Mapping[str, Learner],
    X: Features = None,
    y: Any = None,
    *,
    test: Any = None,
    held_out: float = HELD_OUT,
    generator: Any = None,
    n: int = ROWS_DRAWN,
    test_rows: int = TEST_ROWS,
    loss: Literal["zero-one", "squared"] = "zero-one",
    decomposition: Literal["kohavi-wolpert", "domingos"] = "kohavi-wolpert",
    rounds: int = ROUNDS,
    sampling: Sampling = "bootstrap",
    plan: Bootstrap | Subsampling | None = None,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
) -> BiasVariance:
    """Noise, bias and variance of the error of learners over training sets, and how optimistic they are.

    Training sets are drawn `rounds` times, and every model is tested on the same rows: either from `X, y` by bootstrap
    or as random halves (`sampling`), tested on `test=(X, y)` or on a share held out; or fresh from a `generator`, a
    function of (n, rng) that gives X and y, or "two-normals" or "checkerboard", `n` rows each. A generator with a
    method `posterior(X)` makes the noise known; otherwise it is counted as bias.

    0-1 loss is decomposed as by Kohavi and Wolpert (1996), corrected for the number of training sets, or as by Domingos
    (2000), which is not: with fewer than hundreds of `rounds` its bias comes out too high and its variance too low. The
    two do not mean the same by bias and variance. Squared loss is that of probabilities. The limits take in the chance
    of test rows and of training sets.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = {"1-nn": KNeighborsClassifier(1)}
    >>> found = bias_variance(nearest, generator="two-normals", n=40, rounds=50, test_rows=300)
    >>> parts = found["1-nn"]
    >>> bool(abs(parts.error.estimate - parts.noise.estimate - parts.bias.estimate - parts.variance.estimate) < 1e-12)
    True
    >>> parts.training.estimate, parts.optimism.low > 0
    (0.0, True)
    """
    named, level = as_learners(learners), check_confidence(confidence)
    check_word(loss, ("zero-one", "squared"), "loss")
    check_word(decomposition, ("domingos", "kohavi-wolpert"), "decomposition")
    if plan is not None:
        if rounds != ROUNDS or sampling != "bootstrap":
            raise InputError("plan= says rounds and how rows are drawn; leave rounds= and sampling= out")
        rounds, sampling = _drawn_by(plan)
    check_word(sampling, ("bootstrap", "half"), "sampling")
    check_whole(rounds, "rounds", 2)
    if loss == "squared" and decomposition != "kohavi-wolpert":
        raise InputError("decomposition= is for zero-one loss; squared loss has one of its own")
    if generator is None and (n != ROWS_DRAWN or test_rows != TEST_ROWS):
        raise InputError("n= and test_rows= are for a generator; rows that are given are as many as they are")
    if generator is not None and (test is not None or held_out != HELD_OUT or sampling != "bootstrap"):
        raise InputError("test=, held_out= and sampling= are for given rows; a generator draws fresh ones")
    seed = experiment_seed(rng)
    how: Decomposition = "squared" if loss == "squared" else decomposition
    rows = _fresh(generator, n, rounds, test_rows, seed) if generator is not None else None
    if rows is None:
        if X is None:
            raise InputError("pass X and y, or a generator")
        rows = _given(X, y, test, held_out, seed)
    elif X is not None:
        raise InputError("pass either X and y or a generator, not both")
    redrawn = Redrawn(rounds, held_out=rows.held_out, how="fresh" if generator is not None else sampling)
    options = RunOptions(store=store, engine=engine, jobs=jobs, timeout=timeout, rng=seed, progress=progress)
    run = run_experiment(named, rows.data, redrawn, options)
    posterior = rows.posterior
    if posterior is None:
        codes = rows.data.codes[-rows.held_out :]
        posterior = np.eye(len(rows.data.labels))[codes]
    parts = [_learner(run, name, how, posterior, level) for name in run.learners]
    return BiasVariance(
        method=how, learners=tuple(parts), rounds=rounds,
        size=run.splits[run.data_name(None)][0].train_size, test_rows=rows.held_out,
        drawn="fresh from a known generator" if generator is not None else f"drawn from {rows.pool:,} ({sampling})",
        noise_known=rows.posterior is not None, confidence=level, seed=run.seed,
        notes=tuple(f"{x}: {run.failed(x)} of {rounds} fits failed." for x in run.learners if run.failed(x)),
    )  # fmt: skip


class _StudyRows(NamedTuple):
    """Rows for training first, test rows last."""

    data: Dataset
    held_out: int
    pool: int
    posterior: Floats | None


def _fresh(generator: Any, n: int, rounds: int, test_rows: int, seed: int) -> _StudyRows:
    source = find_generator(generator)
    check_whole(n, "n", 4)
    check_whole(test_rows, "test_rows", 2)
    dice = np.random.Generator(np.random.Philox(text_seed(f"{seed}/generator")))
    X, y = generate_rows(source, n * rounds + test_rows, dice)
    data = Dataset(X, y)
    return _StudyRows(data, test_rows, n * rounds, posterior_of(source, X[-test_rows:], len(data.labels)))


def _given(X: Features, y: Any, test: Any, held_out: float, seed: int) -> _StudyRows:
    data = as_study_data(X, y)
    if data.cluster_codes is not None or data.weights is not None:
        raise InputError("bias_variance takes rows without clusters and weights")
    if test is not None:
        other = as_dataset(tuple(test) if isinstance(test, list) else test, "test")
        joined = Dataset(_stacked(data.X, other.X), np.concatenate([data.y, other.y]), positive=data.positive)
        return _StudyRows(joined, other.n, data.n, None)
    check_test_share(held_out, "held_out")
    inside = draw_share(data.rows, held_out, seed=text_seed(f"{seed}/held out"), stream=0, stratify=True)
    order = np.concatenate([np.flatnonzero(~inside), np.flatnonzero(inside)])
    joined = Dataset(take(data.X, order), data.y[order], positive=data.positive)
    return _StudyRows(joined, int(inside.sum()), int((~inside).sum()), None)


def _stacked(first: Features, second: Features) -> Features:
    if first.shape[1] != second.shape[1]:
        raise InputError(f"test has {second.shape[1]:,} columns, but X has {first.shape[1]:,}")
    if hasattr(first, "iloc") and hasattr(second, "iloc"):
        import pandas as pd

        return pd.concat([first, second], ignore_index=True)
    return np.concatenate([np.asarray(first), np.asarray(second)])


def _learner(run: Experiment, learner: str, how: Decomposition, posterior: Floats, level: float) -> LossParts:
    data = run.data_name(None)
    done = [(s, o) for s, o in zip(run.splits[data], run.outcomes[data, learner], strict=True) if o.status == "done"]
    if len(done) < 2:
        raise InputError(
            f"{learner!r} was fitted in {len(done)} of {len(run.splits[data])} rounds; it takes two"
            + why_failed([run], learner)
        )
    tested = [part_of(o, slice(None, s.second)) for s, o in done]
    calls = np.stack([o.labels for o in tested]).astype(np.intp)
    probabilities = None
    if how == "squared":
        if any(o.scores is None for o in tested):
            raise InputError(f'loss="squared" needs probabilities, but {learner!r} gives only labels')
        probabilities = np.stack([np.asarray(o.scores) for o in tested])
        if (probabilities < 0).any() or (probabilities.sum(axis=2) > 1 + 1e-6).any():
            raise InputError(f'loss="squared" needs probabilities, but the scores of {learner!r} are none')
    parts = decompose(how, calls, probabilities, posterior)
    errors = _standard_errors(how, calls, probabilities, posterior, parts, text_seed(f"{run.seed}/{learner}/rounds"))
    terms = {
        field: _interval(field, float(getattr(parts, field).mean()), errors[field], len(calls), level, posterior)
        for field in ("loss", "noise", "bias", "variance")
    }
    training, held_out, optimism = _optimism(run, learner, how, level)
    return LossParts(
        learner=learner, error=replace(terms["loss"], name="expected error"), noise=terms["noise"], bias=terms["bias"],
        variance=terms["variance"], unbiased_variance=float(parts.unbiased.mean()),
        biased_variance=float(parts.biased.mean()), training=training, held_out=held_out, optimism=optimism,
    )  # fmt: skip


def _standard_errors(
    how: Decomposition,
    calls: NDArray[np.intp],
    probabilities: Floats | None,
    posterior: Floats,
    found: RowParts,
    seed: int,
) -> dict[str, float]:
    """Of the mean over rows: what the choice of test rows and (by resampling rounds) of training sets leaves open."""
    rounds, rows = calls.shape
    dice = np.random.Generator(np.random.Philox(seed))
    means = []
    for _ in range(REPLICATES):
        weights = np.bincount(dice.integers(0, rounds, rounds), minlength=rounds) / rounds
        again = decompose(how, calls, probabilities, posterior, weights)
        means.append([float(part.mean()) for part in again[:4]])
    of_rounds = np.var(means, axis=0, ddof=1)
    fields = ("loss", "noise", "bias", "variance")
    return {
        field: math.sqrt(float(getattr(found, field).var(ddof=1)) / rows + float(more))
        for field, more in zip(fields, of_rounds, strict=True)
    }


def _interval(field: str, mean: float, error: float, rounds: int, level: float, posterior: Floats) -> Interval:
    reach = critical_t(level, math.inf) * error
    low, high = mean - reach, mean + reach
    if field in ("loss", "noise"):
        low, high = max(0.0, low), min(1.0, high)
    note = ""
    if not error > 0:
        low, high, note = math.nan, math.nan, "nothing varies between rows and training sets"
    return Interval(
        name=field, estimate=mean, low=low, high=high, confidence=level, method="rows-and-rounds", n=len(posterior),
        note=note, estimand=f"the mean over rows like the test rows, over training sets like these {rounds:,}",
    )  # fmt: skip


def _optimism(run: Experiment, learner: str, how: Decomposition, level: float) -> tuple[Interval, Interval, Interval]:
    """Error on training rows, on held-out rows, and the gap; all models share the test rows."""
    metric = "brier" if how == "squared" else "error_rate"
    table = seen_scores(run, metric)
    at = run.learners.index(learner)
    known = ~np.isnan(table.held_out[at])
    held_out, training = table.held_out[at][known], table.training[at][known]
    size = round(float(table.trains.mean()))
    spec = IntervalSpec(confidence=level, estimand=f"this learner at {size:,} training rows")

    def interval(title: str, values: Floats, error_of_rows: float, bounds: tuple[float, float]) -> Interval:
        mean = float(values.mean())
        error = math.sqrt(float(values.var(ddof=1)) / len(values) + error_of_rows**2)
        reach = critical_t(level, len(values) - 1.0) * error
        low, high, method, note = mean - reach, mean + reach, "rows-and-rounds", ""
        if not error > 0:
            # Nothing varies: slack for another loss of one of the rows of a training set.
            low, high, method, _ = mean_limits(mean, 0.0, size - 1.0, size, bounds, spec)
            note = "the same in every round"
        return spec.interval(title, mean, low, high, bounds=bounds, method=method, n=len(values), note=note)

    shared = row_error(run, learner, metric)
    return (
        interval("training error", training, 0.0, (0.0, 1.0)),
        interval("held-out error", held_out, shared, (0.0, 1.0)),
        interval("optimism", held_out - training, shared, (-1.0, 1.0)),
    )


def row_error(run: Experiment, learner: str, metric: str) -> float:
    """The standard error that the shared test rows give to a mean loss: sd of rows' mean losses / √rows."""
    data = run.data_name(None)
    losses = []
    for split, outcome in zip(
        run.splits[data], run._checked_outcomes(find_measure(metric), learner, data), strict=True
    ):
        if outcome.status == "done":
            part = slice(None, split.second)
            losses.append(outcome_losses(metric, run.datasets[data], split.test[part], part_of(outcome, part)))
    mean = np.mean(losses, axis=0)
    return float(mean.std(ddof=1)) / math.sqrt(len(mean))
