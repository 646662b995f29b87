"""A learner under every plan of resampling: its error by the method that the plan calls for.

Two classes of normal features. What a method speaks of is known: the learner's mean error over training sets of the
size that the plan has, or the error of these very models, on rows that stand for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.stats import qmc

from trueerror.curves._folds import auc_over_folds
from trueerror.findings import Evidence
from trueerror.inference.learner._intervals import (
    Bagged,
    bates,
    bayle,
    bootstrap_error,
    conservative_z,
    corrected_t_interval,
    fold_t,
    no_information_rate,
)
from trueerror.inference.proportion._interval import interval
from trueerror.resampling._cross_validation import KFold
from trueerror.resampling._plan import Rows
from trueerror.resampling._random_splits import Bootstrap, Subsampling
from trueerror.results import Interval
from trueerror.tallies import ScoreTable
from validation.fast_bayes import weights_of
from validation.fast_learners import Learner
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell, Evident, Later, Procedure

FEATURES, APART = 4, 1.2
TEST_ROWS = 4_096


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of each class; the classes are APART, in the first two of four features."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, FEATURES))
    X[:, :2] += APART * y[:, None] / np.sqrt(2)
    return X, y


@cache
def queries(each: int = TEST_ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Rows that stand for all: a Sobol sequence in each class, which tells a model's error to about one in a thousand.

    As many rows drawn at random would leave ten in a thousand open, the same way in every sample.
    """
    points = special.ndtri(qmc.Sobol(FEATURES, rng=np.random.default_rng(3)).random(each))
    X = np.concatenate([points, points])
    y = np.repeat([0, 1], each)
    X[y == 1, :2] += APART / np.sqrt(2)
    return X, y


def true_errors(learner: Learner, X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The error of each model, on rows like these."""
    asked, truth = queries(learner.asked)
    return np.mean(learner.calls(X, y, weights, asked) != truth, axis=1)


def seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def one_out(n: int) -> Evident:
    """What the linter knows of leave-one-out."""
    return lambda rng: Evidence(fold_method="leave-one-out", data_rows=n)


def over_parts(rounds: int | None, method: str = "corrected-t") -> Evident:
    """What the linter knows of limits from so many rounds of folds; None: from other test folds."""
    return lambda rng: Evidence(fold_method=method, rounds=rounds)


def of_rounds(rounds: int) -> Evident:
    """What the linter knows of limits from the rows of so many rounds of folds."""
    return lambda rng: Evidence(fold_method="pooled-folds", rounds=rounds)


def _moved(made: Interval, off: float) -> SimpleNamespace:
    """An interval for these models as one around 0, since each sample has models of its own."""
    return SimpleNamespace(
        estimate=made.estimate - off, low=made.low - off, high=made.high - off, n=made.n, method=made.method
    )


@dataclass(frozen=True)
class Plans:
    """The cells of one learner, by plan; each method makes one cell."""

    learner: Learner
    family: str
    true_error: Callable[[int], float]  # by the number of training rows
    label: str = ""  # before the scenario

    def _cell(self, scenario: str, draw: Any, procedures: tuple[Procedure, ...], n: int, trained: int) -> Cell:
        truth = Later(**{"learner": partial(self.true_error, trained), "these models": lambda: 0.0})
        return Cell(
            family=self.family, scenario=f"{self.label}n = {n}, {scenario}", draw=draw, procedures=procedures,
            truth=truth, events={"learner": 0.3 * n, "these models": 0.3 * n}, confidences=CONFIDENCES[:1], n=n,
            wanted=ESTABLISHED_LEARNERS, block=100,
        )  # fmt: skip

    def folds(self, n: int, repeats: int) -> Cell:
        """Ten folds, once or more."""
        plan = KFold(10, repeats=repeats)

        def draw(rng: np.random.Generator) -> dict[str, Any]:
            X, y = rows(rng, n)
            train, test = weights_of(plan.splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)), n)
            wrong = self.learner.calls(X, y, train) != y
            found: dict[str, Any] = {"losses": [w[t].astype(float) for w, t in zip(wrong, test, strict=True)]}
            found["scores"] = [float(x.mean()) for x in found["losses"]]
            found["true"] = float(true_errors(self.learner, X, y, train).mean())
            return found

        def pooled(sample: dict[str, Any], confidence: float) -> Any:
            # The means of the limits that each round has.
            wrong = [int(np.concatenate(sample["losses"][i : i + 10]).sum()) for i in range(0, 10 * repeats, 10)]
            each = [interval(x, n, confidence=confidence) for x in wrong]
            mean = {field: float(np.mean([getattr(x, field) for x in each])) for field in ("estimate", "low", "high")}
            return replace(each[0], **mean)

        def of_models(sample: dict[str, Any], confidence: float) -> Any:
            return _moved(pooled(sample, confidence), sample["true"])

        def corrected(sample: dict[str, Any], confidence: float) -> Interval:
            made = corrected_t_interval(
                sample["scores"], test_train_ratio=1 / 9, repeats=repeats, bounds=(0, 1), confidence=confidence, rows=n,
                round_of=np.repeat(np.arange(repeats), 10),
            )  # fmt: skip
            # All test folds alike: what an experiment gives then.
            return bayle(np.concatenate(sample["losses"][:10]), bounds=(0, 1)) if np.isnan(made.low) else made

        def plain(sample: dict[str, Any], confidence: float) -> Interval:
            return fold_t(sample["scores"], bounds=(0, 1), confidence=confidence, rows=n)

        def by_bayle(sample: dict[str, Any], confidence: float) -> Any:
            return _moved(bayle(np.concatenate(sample["losses"]), bounds=(0, 1), confidence=confidence), sample["true"])

        procedures = (
            Procedure(f"the rows of a round, {repeats} × 10 folds, these models", of_models, target="these models"),
            Procedure(f"the rows of a round, {repeats} × 10 folds", pooled, default=False, target="learner"),
            Procedure(f"corrected t, {repeats} × 10 folds", corrected, default=False, target="learner"),
            Procedure(f"fold t, {repeats} × 10 folds", plain, default=False, target="learner"),
        )
        if repeats == 1:
            procedures += (Procedure("Bayle, these 10 models", by_bayle, default=False, target="these models"),)
        made = self._cell(f"{repeats} × 10 folds", draw, procedures, n, round(0.9 * n))
        return replace(made, evident=of_rounds(repeats))

    def leave_one_out(self, n: int) -> Cell:
        """By these n models; ten of them stand for all, since they differ by one row."""

        def draw(rng: np.random.Generator) -> tuple[np.ndarray, float]:
            X, y = rows(rng, n)
            train = 1 - np.eye(n)
            losses = (self.learner.calls(X, y, train) != y).diagonal().astype(float)
            return losses, float(true_errors(self.learner, X, y, train[:: max(1, n // 10)]).mean())

        def apply(sample: tuple[np.ndarray, float], confidence: float) -> Any:
            return _moved(bayle(sample[0], bounds=(0, 1), confidence=confidence), sample[1])

        procedures = (Procedure("Bayle, these n models", apply, target="these models"),)
        return replace(self._cell("leave one out", draw, procedures, n, n - 1), evident=one_out(n))

    def random_parts(self, n: int, repeats: int) -> Cell:
        """Random test sets of a third."""

        def draw(rng: np.random.Generator) -> list[float]:
            X, y = rows(rng, n)
            train, test = weights_of(Subsampling(repeats).splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)), n)
            wrong = (self.learner.calls(X, y, train) != y) & test
            return (wrong.sum(axis=1) / test.sum(axis=1)).tolist()

        def corrected(sample: list[float], confidence: float) -> Interval:
            return corrected_t_interval(sample, test_train_ratio=1 / 2, bounds=(0, 1), confidence=confidence, rows=n)

        procedures = (Procedure("corrected t, random test sets", corrected, target="learner"),)
        made = self._cell(f"{repeats} random test sets", draw, procedures, n, round(2 * n / 3))
        return replace(made, evident=over_parts(None))

    def bootstrap(self, n: int, samples: int) -> Cell:
        """.632+ and its relatives."""

        def draw(rng: np.random.Generator) -> dict[str, Any]:
            X, y = rows(rng, n)
            every = Bootstrap(samples).splits(Rows(codes=y.astype(np.intp)), seed=seed(rng))
            splits = [s for s in every if len(s.test)]
            train, _ = weights_of(splits, n)
            wrong = (self.learner.calls(X, y, np.vstack([train, np.ones(n)])) != y).astype(float)
            called = np.where(wrong[-1] == 1, 1 - y, y)
            bagged = [Bagged(s.test, w[s.test]) for s, w in zip(splits, wrong, strict=False)]
            return {"samples": bagged, "apparent": float(wrong[-1].mean()), "no": no_information_rate(y, called)}

        def apply(kind: Any) -> Any:
            return lambda s, confidence: bootstrap_error(
                s["samples"], n=n, apparent=s["apparent"], no_information=s["no"], kind=kind, confidence=confidence
            )

        procedures = tuple(
            Procedure(f"bootstrap {kind}", apply(kind), default=kind == "632+", target="learner")
            for kind in ("632+", "632", "out-of-bag")
        )
        return self._cell(f"{samples} bootstrap samples", draw, procedures, n, n)

    def pairs_of_folds(self, n: int, k: int, repeats: int) -> Cell:
        """Bates's nested cross-validation with all pairs of folds left out."""

        def draw(rng: np.random.Generator) -> list[Any]:
            X, y = rows(rng, n)
            found = []
            pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
            for _ in range(repeats):
                part = np.empty(n, dtype=int)
                for c in (0, 1):
                    part[y == c] = rng.permutation(np.arange((y == c).sum()) % k)
                out = [(f,) for f in range(k)] + pairs
                kept = np.array([~np.isin(part, o) for o in out]).astype(float)
                wrong = (self.learner.calls(X, y, kept) != y).astype(float)
                single = [wrong[f][part == f] for f in range(k)]
                pair = {p: (w[part == p[0]], w[part == p[1]]) for p, w in zip(pairs, wrong[k:], strict=True)}
                found.append(SimpleNamespace(single=single, pair=pair))
            return found

        def apply(sample: list[Any], confidence: float) -> Interval:
            return bates(sample, bounds=(0, 1), confidence=confidence)

        procedures = (Procedure("Bates, all pairs of folds", apply, target="learner"),)
        made = self._cell(f"{repeats} × all pairs of {k} folds", draw, procedures, n, n)
        return replace(made, evident=over_parts(None, "bates"))

    def halves(self, n: int, pairs: int, parts: int) -> Cell:
        """Conservative z: the variance from estimates of disjoint halves."""

        def mean(X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> float:
            test = np.zeros((parts, len(y)), dtype=bool)
            for row in test:
                row[rng.permutation(len(y))[: n // 10]] = True
            return float(((self.learner.calls(X, y, (~test).astype(float)) != y) & test).sum() / test.sum())

        def draw(rng: np.random.Generator) -> tuple[float, list[list[float]]]:
            X, y = rows(rng, n)
            halves = []
            for _ in range(pairs):
                order = rng.permutation(n)
                halves.append([mean(X[h], y[h], rng) for h in (order[: n // 2], order[n // 2 :])])
            return mean(X, y, rng), halves

        def apply(sample: tuple[float, list[list[float]]], confidence: float) -> Interval:
            return conservative_z(*sample, bounds=(0, 1), confidence=confidence, rows=n)

        procedures = (Procedure("conservative z", apply, target="learner"),)
        return self._cell(f"{pairs} pairs of halves, {parts} test folds", draw, procedures, n, n - n // 10)

    def areas(self, n: int) -> Cell:
        """The AUC over ten folds, by the mean area of these models."""

        def draw(rng: np.random.Generator) -> tuple[list[ScoreTable], float]:
            X, y = rows(rng, n)
            train, test = weights_of(KFold(10).splits(Rows(codes=y.astype(np.intp)), seed=seed(rng)), n)
            own = special.expit(self.learner.scores(X, y, train, None))
            tables = [ScoreTable.count(y[t] == 1, s[t]) for s, t in zip(own, test, strict=True)]
            asked, truth = queries(self.learner.asked)
            up = truth == 1
            ranks = stats.rankdata(self.learner.scores(X, y, train, asked), axis=1)
            m, k = int(up.sum()), int((~up).sum())
            return tables, float(((ranks[:, up].sum(axis=1) - m * (m + 1) / 2) / (m * k)).mean())

        def apply(method: Any) -> Any:
            return lambda s, confidence: _moved(auc_over_folds(s[0], method=method, confidence=confidence), s[1])

        procedures = (
            Procedure("LeDell, these 10 models", apply("ledell"), default=False, target="these models"),
            Procedure("within folds, these 10 models", apply("within-folds"), target="these models"),
            Procedure("corrected t, by these 10 models", apply("corrected-t"), default=False, target="these models"),
        )
        made = self._cell("10 folds, AUC", draw, procedures, n, round(0.9 * n))
        return replace(made, family=self.family.replace("a learner's error", "AUC over ten folds"))
