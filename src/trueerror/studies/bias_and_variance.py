"""te.bias_variance: fit learners to many training sets, and see where their error comes from."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.gathered import Experiment
from trueerror.experiments.learners import as_learners
from trueerror.experiments.learners import number as number_of
from trueerror.experiments.running import experiment, seed_of
from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.intervals.critical import critical_t
from trueerror.intervals.losses import mean_limits
from trueerror.intervals.terms import Terms
from trueerror.resampling.dealing import draw_share, take
from trueerror.resampling.plans import share as check_test_share
from trueerror.resampling.plans import whole as whole_number
from trueerror.resampling.seen import Redrawn
from trueerror.results import Interval
from trueerror.studies.bias_result import BiasVariance, LossParts
from trueerror.studies.decomposing import Decomposition, RowParts, decompose
from trueerror.studies.generators import draw, find_generator, posterior_of
from trueerror.studies.learning import as_study_data
from trueerror.studies.seen_scores import part_of, seen_scores, why_failed

Floats = NDArray[np.float64]
# Draws of the rounds, for their part in a standard error.
REPLICATES = 100
Sampling = Literal["bootstrap", "half"]


def bias_variance(
    learners: Any,
    X: Any = None,
    y: Any = None,
    *,
    test: Any = None,
    held_out: float = 1 / 3,
    generator: Any = None,
    n: int = 100,
    test_rows: int = 1000,
    loss: Literal["zero-one", "squared"] = "zero-one",
    decomposition: Literal["kohavi-wolpert", "domingos"] = "kohavi-wolpert",
    rounds: int = 100,
    sampling: Sampling = "bootstrap",
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: Any = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Any = None,
    progress: bool = True,
) -> BiasVariance:
    """Where the error of learners comes from: noise, bias and variance over training sets; and how optimistic they are.

    Training sets are drawn `rounds` times, and every model is tested on the same rows: either from `X, y` by bootstrap
    or as random halves (`sampling`), tested on `test=(X, y)` or on a share held out; or fresh from a `generator`, a
    function of (n, rng) that gives X and y, or "two-normals" or "checkerboard", `n` rows each. A generator with a
    method `posterior(X)` makes the noise known; otherwise it is counted as bias.

    0-1 loss is decomposed as by Kohavi and Wolpert (1996), corrected for the number of training sets, or as by Domingos
    (2000), which is not: with fewer than hundreds of `rounds` its bias comes out too high and its variance too low. The
    two do not mean the same by bias and variance. Squared loss is that of probabilities. The limits take in the chance
    of test rows and of training sets.

    >>> import numpy as np
    >>> class Nearest:
    ...     def fit(self, X, y):
    ...         self.X, self.y = X, y
    ...     def predict(self, X):
    ...         return self.y[((X[:, None, :] - self.X) ** 2).sum(axis=2).argmin(axis=1)]
    >>> found = bias_variance({"1-nn": Nearest()}, generator="two-normals", n=40, rounds=50, test_rows=300)
    >>> parts = found["1-nn"]
    >>> bool(abs(parts.error.estimate - parts.noise.estimate - parts.bias.estimate - parts.variance.estimate) < 1e-12)
    True
    >>> parts.training.estimate, parts.optimism.low > 0
    (0.0, True)
    """
    named, level = as_learners(learners), check_confidence(confidence)
    check_word(loss, ("zero-one", "squared"), "loss")
    check_word(decomposition, ("domingos", "kohavi-wolpert"), "decomposition")
    check_word(sampling, ("bootstrap", "half"), "sampling")
    whole_number(rounds, "rounds", 2)
    seed = seed_of(rng)
    how: Decomposition = "squared" if loss == "squared" else decomposition
    laid = _fresh(generator, n, rounds, test_rows, seed) if generator is not None else None
    if laid is None:
        if X is None:
            raise InputError("pass X and y, or a generator")
        laid = _given(X, y, test, held_out, seed)
    elif X is not None:
        raise InputError("pass either X and y or a generator, not both")
    plan = Redrawn(rounds, held_out=laid.held_out, how="fresh" if generator is not None else sampling)
    run = experiment(
        named, laid.data, plan=plan, store=store, engine=engine, jobs=jobs, timeout=timeout, rng=seed, progress=progress
    )
    posterior = laid.posterior
    if posterior is None:
        codes = laid.data.codes[-laid.held_out :]
        posterior = np.eye(len(laid.data.labels))[codes]
    parts = [_learner(run, name, how, posterior, level) for name in run.learners]
    return BiasVariance(
        method=how, learners=tuple(parts), rounds=rounds,
        size=run.splits[run.data_name(None)][0].train_size, test_rows=laid.held_out,
        drawn="fresh from a known generator" if generator is not None else f"drawn from {laid.pool:,} ({sampling})",
        noise_known=laid.posterior is not None, confidence=level, seed=run.seed,
        notes=tuple(f"{x}: {run.failed(x)} of {rounds} fits failed." for x in run.learners if run.failed(x)),
    )  # fmt: skip


class _Laid(NamedTuple):
    """Rows for training first, test rows last."""

    data: Dataset
    held_out: int
    pool: int
    posterior: Floats | None


def _fresh(generator: Any, n: int, rounds: int, test_rows: int, seed: int) -> _Laid:
    source = find_generator(generator)
    whole_number(n, "n", 4)
    whole_number(test_rows, "test_rows", 2)
    dice = np.random.Generator(np.random.Philox(number_of(f"{seed}/generator")))
    X, y = draw(source, n * rounds + test_rows, dice)
    data = Dataset(X, y)
    return _Laid(data, test_rows, n * rounds, posterior_of(source, X[-test_rows:], len(data.labels)))


def _given(X: Any, y: Any, test: Any, held_out: float, seed: int) -> _Laid:
    data = as_study_data(X, y)
    if data.cluster_codes is not None or data.weights is not None:
        raise InputError("bias_variance takes rows without clusters and weights")
    if test is not None:
        other = test if isinstance(test, Dataset) else as_study_data(*test)
        joined = Dataset(_stacked(data.X, other.X), np.concatenate([data.y, other.y]), positive=data.positive)
        return _Laid(joined, other.n, data.n, None)
    check_test_share(held_out, "held_out")
    inside = draw_share(data.rows, held_out, seed=number_of(f"{seed}/held out"), stream=0, stratify=True)
    order = np.concatenate([np.flatnonzero(~inside), np.flatnonzero(inside)])
    joined = Dataset(take(data.X, order), data.y[order], positive=data.positive)
    return _Laid(joined, int(inside.sum()), int((~inside).sum()), None)


def _stacked(first: Any, second: Any) -> Any:
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
    found = decompose(how, calls, probabilities, posterior)
    errors = _standard_errors(how, calls, probabilities, posterior, found, number_of(f"{run.seed}/{learner}/rounds"))
    made = {
        field: _interval(field, float(getattr(found, field).mean()), errors[field], len(calls), level, posterior)
        for field in ("loss", "noise", "bias", "variance")
    }
    return LossParts(
        learner=learner, error=replace(made["loss"], name="expected error"), noise=made["noise"], bias=made["bias"],
        variance=made["variance"], unbiased_variance=float(found.unbiased.mean()),
        biased_variance=float(found.biased.mean()), **_optimism(run, learner, how, level),
    )  # fmt: skip


def _standard_errors(
    how: Decomposition, calls: Any, probabilities: Any, posterior: Floats, found: RowParts, seed: int
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
    note = "" if error > 0 else "nothing varies between rows and training sets"
    if not error > 0:
        low = high = math.nan
    return Interval(
        name=field, estimate=mean, low=low, high=high, confidence=level, method="rows-and-rounds", n=len(posterior),
        note=note, estimand=f"the mean over rows like the test rows, over training sets like these {rounds:,}",
    )  # fmt: skip


def _optimism(run: Experiment, learner: str, how: Decomposition, level: float) -> dict[str, Any]:
    """Error on held-out rows, on training rows, and the gap; all models share the test rows."""
    metric = "brier" if how == "squared" else "error_rate"
    table = seen_scores(run, metric)
    at = run.learners.index(learner)
    known = ~np.isnan(table.held_out[at])
    held, own = table.held_out[at][known], table.training[at][known]
    shared = row_error(run, learner, metric)
    made: dict[str, Any] = {}
    for name, values, rows in (
        ("training", own, 0.0), ("held_out", held, shared), ("optimism", held - own, shared),
    ):  # fmt: skip
        mean = float(values.mean())
        error = math.sqrt(float(values.var(ddof=1)) / len(values) + rows**2)
        reach = critical_t(level, len(values) - 1.0) * error
        bounds = (-1.0, 1.0) if name == "optimism" else (0.0, 1.0)
        size = round(float(table.trains.mean()))
        terms = Terms(confidence=level, estimand=f"this learner at {size:,} training rows")
        low, high, method, note = mean - reach, mean + reach, "rows-and-rounds", ""
        if not error > 0:
            # Nothing varies: room for another loss of one of the rows of a training set.
            low, high, method, _ = mean_limits(mean, 0.0, size - 1.0, size, bounds, terms)
            note = "the same in every round"
        title = "optimism" if name == "optimism" else f"{name.replace('_', '-')} error"
        made[name] = terms.interval(title, mean, low, high, bounds=bounds, method=method, n=len(values), note=note)
    return made


def row_error(run: Experiment, learner: str, metric: str) -> float:
    """The standard error that the shared test rows give to a mean loss: sd of rows' mean losses / √rows."""
    from trueerror.experiments.scoring import row_losses

    data = run.data_name(None)
    losses = []
    for split, outcome in zip(run.splits[data], run.outcomes[data, learner], strict=True):
        if outcome.status == "done":
            part = slice(None, split.second)
            losses.append(row_losses(metric, run.datasets[data], split.test[part], part_of(outcome, part)))
    mean = np.mean(losses, axis=0)
    return float(mean.std(ddof=1)) / math.sqrt(len(mean))
