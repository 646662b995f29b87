"""Limits of a learner's error from the fits of 10 × 10 folds and of bootstrap samples: coverage and width.

There are two truths: the learner's, its mean error over training sets of nine tenths of the rows, and that of the
models that were fitted, their mean error on rows that stand for all. The oracle's width is 2 · 1.96 times the standard
deviation of the estimate over data sets. Classes are drawn at random; the first two features tell them apart.

    python -m validation.learner_limits SAMPLES [ROWS ...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats
from scipy.stats import qmc

import trueerror as te
from trueerror.inference.learner._fold_scores import part_scores
from trueerror.inference.learner._intervals import Bagged, bootstrap_error, corrected_t_interval, no_information_rate
from trueerror.metrics._registry import find_measure
from trueerror.resampling._cross_validation import KFold
from trueerror.resampling._plan import Rows
from trueerror.resampling._random_splits import Bootstrap
from trueerror.verbs._model_metrics import ModelMetrics, Settings
from validation.fast_bayes import weights_of
from validation.fast_learners import LEARNERS, Scorer

FOLDS, ROUNDS, BOOTSTRAPS = 10, 10, 100
# The distance of the classes, by the share of positives.
APART = {0.5: 1.5, 0.1: 2.0}


def nearest(X: np.ndarray, y: np.ndarray, weights: np.ndarray, queries: np.ndarray | None = None) -> np.ndarray:
    """The class of the nearest row of each training set, as ±1."""
    asked = X if queries is None else queries
    far = (asked * asked).sum(axis=1)[:, None] - 2 * asked @ X.T + (X * X).sum(axis=1)
    if queries is None:
        np.fill_diagonal(far, -1.0)
    order, vote = np.argsort(far, axis=1), np.where(y == 1, 1.0, -1.0)
    found = [vote[order[np.arange(len(asked)), np.argmax(w[order] > 0, axis=1)]] for w in weights]
    return np.array(found)


@dataclass(frozen=True)
class Kind:
    """A learner, how its scores become probabilities, its features, and rows of each class that stand for all."""

    scores: Scorer
    shares: Any = special.expit
    features: int = 4
    asked: int = 1_024


KINDS = {
    "logistic regression": Kind(LEARNERS["logistic regression"].scores),
    "naive Bayes": Kind(LEARNERS["naive Bayes"].scores),
    "logistic regression, 30 features": Kind(LEARNERS["logistic regression"].scores, features=30),
    "5 neighbours": Kind(LEARNERS["5 neighbours"].scores, lambda s: (s + 7) / 14, asked=512),
    "tree": Kind(LEARNERS["tree"].scores, lambda s: (5 * (s + 0.5) + 1) / 7, asked=512),
    "1 neighbour": Kind(nearest, lambda s: (s + 1) / 2, asked=512),
}


class Asked(NamedTuple):
    """Rows that stand for all, their classes and what each weighs."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray


def rows(rng: np.random.Generator, n: int, share: float, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes at random, three rows of each at least."""
    y = np.zeros(n, dtype=int)
    while not 3 <= y.sum() <= n - 3:
        y = (rng.random(n) < share).astype(int)
    X = rng.standard_normal((n, features))
    X[:, :2] += APART[share] * y[:, None] / np.sqrt(2)
    return X, y


def asked_of(kind: Kind, share: float) -> Asked:
    each = kind.asked
    points = special.ndtri(np.clip(qmc.Sobol(kind.features, rng=np.random.default_rng(3)).random(each), 1e-9, 1 - 1e-9))
    X, y = np.concatenate([points, points]), np.repeat([0, 1], each)
    X[y == 1, :2] += APART[share] / np.sqrt(2)
    return Asked(X, y, np.repeat([(1 - share) / each, share / each], each))


def of_models(scores: np.ndarray, kind: Kind, asked: Asked) -> dict[str, np.ndarray]:
    """The true value of each model by each metric."""
    up, w = asked.y == 1, asked.weights
    calls, m = scores > 0, int(up.sum())
    hits, wrong = ((calls & up) * w).sum(axis=1), ((calls != up) * w).sum(axis=1)
    ranks = stats.rankdata(scores, axis=1)[:, up].sum(axis=1)
    p = np.clip(kind.shares(scores), 1e-15, 1)
    losses = np.where(up, -np.log(p), -np.log(np.clip(1 - kind.shares(scores), 1e-15, 1)))
    return {
        "error_rate": wrong, "log_loss": (losses * w).sum(axis=1),
        "auc": (ranks - m * (m + 1) / 2) / (m * (len(up) - m)), "f1": 2 * hits / np.maximum(2 * hits + wrong, 1e-12),
    }  # fmt: skip


class Found(NamedTuple):
    """The estimate, the true value of the models behind it, and limits by method."""

    estimate: float
    models: float
    limits: dict[str, tuple[float, float]]


def over_folds(X: np.ndarray, y: np.ndarray, kind: Kind, asked: Asked, seed: int) -> dict[str, Found]:
    """By each metric: the mean of what the rounds give, one round alone, and the corrected t of the learner."""
    n = len(y)
    train, test = weights_of(KFold(FOLDS, repeats=ROUNDS).splits(Rows(codes=y.astype(np.intp)), seed=seed), n)
    own, true = kind.scores(X, y, train, None), of_models(kind.scores(X, y, train, asked.X), kind, asked)
    rounds = []
    for r in range(ROUNDS):
        part, row = np.nonzero(test[FOLDS * r : FOLDS * (r + 1)])
        score = own[FOLDS * r + part, row]
        calls, shares = {"m": (score > 0).astype(int)}, {"m": kind.shares(score)}
        p = te.predictions(y[row], calls, scores=shares, ids=row, folds=part, positive=1)
        rounds.append((p, ModelMetrics("m", Settings(), predictions=p)))
    found = {}
    for name, of_model in true.items():
        if name == "log_loss" and kind.scores is nearest:
            continue
        label = 1 if name in ("auc", "f1") else None
        each = np.array([(x.estimate, x.low, x.high) for _, m in rounds for x in [m.interval(name, label)]])
        limits = {"pooled": tuple(each[:, 1:].mean(axis=0))}
        if name != "f1":
            folds = [part_scores(p, ["m"], find_measure(name), {}).of("m") for p, _ in rounds]
            t = corrected_t_interval(
                (scores := np.concatenate(folds))[~np.isnan(scores)], test_train_ratio=1 / (FOLDS - 1),
                round_of=np.repeat(np.arange(ROUNDS), FOLDS)[~np.isnan(scores)], bounds=find_measure(name).range,
            )  # fmt: skip
            limits["corrected t"] = (t.low, t.high)
        found[name] = Found(float(each[:, 0].mean()), float(of_model.mean()), limits)
        found[f"{name}, one round"] = Found(each[0, 0], float(of_model[:FOLDS].mean()), {"pooled": tuple(each[0, 1:])})
    return found


def over_bootstraps(X: np.ndarray, y: np.ndarray, kind: Kind, asked: Asked, seed: int) -> dict[str, Found]:
    """.632+ and the out-of-bag error."""
    n = len(y)
    splits = [s for s in Bootstrap(BOOTSTRAPS).splits(Rows(codes=y.astype(np.intp)), seed=seed) if len(s.test)]
    train, _ = weights_of(splits, n)
    wrong = ((kind.scores(X, y, np.vstack([train, np.ones(n)]), None) > 0) != (y == 1)).astype(float)
    true = float(of_models(kind.scores(X, y, np.ones((1, n)), asked.X), kind, asked)["error_rate"][0])
    bagged = [Bagged(s.test, w[s.test]) for s, w in zip(splits, wrong, strict=False)]
    called = np.where(wrong[-1] == 1, 1 - y, y)
    made = {
        words: bootstrap_error(
            bagged, n=n, apparent=float(wrong[-1].mean()), no_information=no_information_rate(y, called), kind=words
        )
        for words in ("632+", "out-of-bag")
    }  # fmt: skip
    return {f"error_rate, {k}": Found(x.estimate, true, {k: (x.low, x.high)}) for k, x in made.items()}


def lines(name: str, n: int, share: float, samples: int) -> Iterator[str]:
    """A line for each metric and method."""
    kind = KINDS[name]
    rng = np.random.default_rng([n, int(100 * share), list(KINDS).index(name)])
    asked, drawn = asked_of(kind, share), []
    for _ in range(samples):
        X, y = rows(rng, n, share, kind.features)
        seed = int(rng.integers(2**31))
        drawn.append(over_folds(X, y, kind, asked, seed) | over_bootstraps(X, y, kind, asked, seed))
    for metric in drawn[0]:
        got = [d[metric] for d in drawn]
        estimate, models = np.array([g.estimate for g in got]), np.array([g.models for g in got])
        true, sd = models.mean(), np.nanstd(estimate, ddof=1)
        for method in got[0].limits:
            low, high = np.array([g.limits[method] for g in got]).T
            known = ~np.isnan(low)
            low, high, of = low[known], high[known], models[known]
            yield (
                f"{name} | {n} | {share} | {metric} | {method} | {true:.3f} | {np.nanmean(estimate) - true:+.3f} | "
                f"{np.mean((low <= true) & (true <= high)):.3f} | {np.mean((low <= of) & (of <= high)):.3f} | "
                f"{np.mean(high - low) / (2 * 1.96 * sd):.2f} | {known.mean():.2f}"
            )


def main() -> None:
    """Print the table."""
    print(
        "learner | rows | positive | metric | limits | truth | bias | learner | these models | width / oracle | known"
    )
    for n in map(int, sys.argv[2:] or ("200", "60", "1000")):
        for share in APART:
            for name in KINDS:
                for line in lines(name, n, share, int(sys.argv[1])):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
