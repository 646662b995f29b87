"""Learners under resampling: intervals of a learner's error with real learners, and tests of two that are exchangeable.

Two classes of normal features; a learner's true error is the mean, over many training sets of the size that the method
speaks of, of the error on a large test set. It takes a while to find, so it is kept in `learner_truths.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from trueerror.curves.fold_areas import auc_over_folds
from trueerror.intervals.bates import bates
from trueerror.intervals.bootstrap_errors import Bagged, bootstrap_error, no_information_rate
from trueerror.intervals.learners import bayle, conservative_z, corrected_t_interval, fold_t
from trueerror.resampling.dealing import Rows
from trueerror.resampling.folds import KFold
from trueerror.resampling.random_parts import Bootstrap
from trueerror.results import Interval
from trueerror.tallies import ScoreTable
from validation.frame import CONFIDENCES, ESTABLISHED_LEARNERS, Cell, Procedure

TRUTHS = Path(__file__).parent / "learner_truths.json"
FEATURES, APART = 4, 1.2
TEST_ROWS, TRAINING_SETS = 4_000, 1_000
FAMILY = "a learner's error"


@cache
def learners() -> dict[str, Callable[[], Any]]:
    """Real learners, small enough to be fitted a million times."""
    import sklearn
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
    return {
        "naive Bayes": GaussianNB,
        "logistic regression": lambda: LogisticRegression(solver="newton-cholesky"),
        "tree": lambda: DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
        "5 neighbours": lambda: KNeighborsClassifier(5, algorithm="brute"),
        "boosting": lambda: GradientBoostingClassifier(n_estimators=10, max_depth=1, random_state=0),
    }


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of each class; the classes are APART in the first two features, and the first two are scaled alike."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, FEATURES))
    X[:, :2] += APART * y[:, None] / np.sqrt(2)
    return X, y


def true_error(name: str, n: int) -> float:
    """The learner's mean error over training sets of n rows."""
    kept: dict[str, float] = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
    key = f"{name}, {n}"
    if key not in kept:
        rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(7, spawn_key=(n,))))
        X, y = rows(rng, TEST_ROWS)
        wrong = [np.mean(learners()[name]().fit(*rows(rng, n)).predict(X) != y) for _ in range(TRAINING_SETS)]
        # Another process may have added its own meanwhile.
        kept = json.loads(TRUTHS.read_text()) if TRUTHS.exists() else {}
        kept[key] = round(float(np.mean(wrong)), 5)
        TRUTHS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    return kept[key]


class Truth(Mapping[str, float]):
    """True errors that are looked up when they are asked for."""

    def __init__(self, name: str, sizes: Mapping[str, int]) -> None:
        self.name, self.sizes = name, sizes

    def __getitem__(self, target: str) -> float:
        return 0.0 if self.sizes[target] == 0 else true_error(self.name, self.sizes[target])

    def __iter__(self) -> Iterator[str]:
        return iter(self.sizes)

    def __len__(self) -> int:
        return len(self.sizes)


def folds_cell(name: str, n: int, repeats: int) -> Cell:
    """Ten folds, once or more; Bayle's interval is judged by the models that the folds made ("these K models")."""
    plan = KFold(10, repeats=repeats)
    held = rows(np.random.Generator(np.random.Philox(11)), 2_000)

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        X, y = rows(rng, n)
        losses, true, tables = [], [], []
        for split in plan.splits(Rows(codes=y.astype(np.intp)), seed=int(rng.integers(2**31))):
            model = learners()[name]().fit(X[split.train], y[split.train])
            if repeats == 1:
                chance = model.predict_proba(X[split.test])[:, 1]
                losses.append(((chance > 0.5) != y[split.test]).astype(float))
                tables.append(ScoreTable.count(y[split.test] == 1, chance))
                if name == "naive Bayes":
                    true.append(float(np.mean(model.predict(held[0]) != held[1])))
            else:
                losses.append((model.predict(X[split.test]) != y[split.test]).astype(float))
        return {"losses": losses, "scores": [float(x.mean()) for x in losses], "true": true, "tables": tables}

    def corrected(sample: dict[str, Any], confidence: float) -> Interval:
        made = corrected_t_interval(
            sample["scores"], test_train_ratio=1 / 9, repeats=repeats, bounds=(0, 1), confidence=confidence, rows=n
        )
        # All test parts alike: what an experiment gives then.
        return bayle(np.concatenate(sample["losses"][:10]), bounds=(0, 1)) if np.isnan(made.low) else made

    def plain(sample: dict[str, Any], confidence: float) -> Interval:
        return fold_t(sample["scores"], bounds=(0, 1), confidence=confidence, rows=n)

    def rows_of_models(sample: dict[str, Any], confidence: float) -> Any:
        made = bayle(np.concatenate(sample["losses"]), bounds=(0, 1), confidence=confidence)
        off = float(np.mean(sample["true"]))
        return SimpleNamespace(
            estimate=made.estimate - off, low=made.low - off, high=made.high - off, n=made.n, method=made.method
        )

    def rows_of_learner(sample: dict[str, Any], confidence: float) -> Interval:
        return bayle(np.concatenate(sample["losses"]), bounds=(0, 1), confidence=confidence)

    procedures = [
        Procedure("corrected t", corrected, target="learner"),
        Procedure("fold t", plain, default=False, target="learner"),
    ]
    sizes = {"learner": round(0.9 * n), "these models": 0}
    if repeats == 1:
        procedures.append(Procedure("Bayle, as if for the learner", rows_of_learner, default=False, target="learner"))
        if name == "naive Bayes":
            procedures.append(Procedure("Bayle, these 10 models", rows_of_models, target="these models"))
    return Cell(
        family=FAMILY, scenario=f"{name}, n = {n}, {repeats} × 10 folds", draw=draw, procedures=tuple(procedures),
        truth=Truth(name, sizes), events={"learner": 0.2 * n, "these models": 0.2 * n},
        confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=100,
    )  # fmt: skip


def areas_cell(name: str, n: int) -> Cell:
    """LeDell's interval of the AUC over ten folds, by the areas of these models and by the learner's mean area."""
    held = rows(np.random.Generator(np.random.Philox(12)), 1_000)

    def draw(rng: np.random.Generator) -> tuple[list[ScoreTable], float]:
        X, y = rows(rng, n)
        tables, true = [], []
        for split in KFold(10).splits(Rows(codes=y.astype(np.intp)), seed=int(rng.integers(2**31))):
            model = learners()[name]().fit(X[split.train], y[split.train])
            tables.append(ScoreTable.count(y[split.test] == 1, model.predict_proba(X[split.test])[:, 1]))
            chance = model.predict_proba(held[0])[:, 1]
            order = np.argsort(np.argsort(chance)) + 1.0
            up = held[1] == 1
            true.append((order[up].sum() - up.sum() * (up.sum() + 1) / 2) / (up.sum() * (~up).sum()))
        return tables, float(np.mean(true))

    def apply(method: Any) -> Any:
        def made(sample: tuple[list[ScoreTable], float], confidence: float) -> Any:
            i = auc_over_folds(sample[0], method=method, confidence=confidence)
            return SimpleNamespace(
                estimate=i.estimate - sample[1], low=i.low - sample[1], high=i.high - sample[1], n=i.n, method=i.method
            )

        return made

    return Cell(
        family="AUC over ten folds, these models", scenario=f"{name}, n = {n}", draw=draw,
        procedures=(
            Procedure("LeDell", apply("ledell"), default=False, target="these models"),
            Procedure("corrected t", apply("corrected-t"), target="these models"),
        ),
        truth={"these models": 0.0}, events={"these models": 0.1 * n}, confidences=CONFIDENCES[:1], n=n,
        wanted=ESTABLISHED_LEARNERS, block=100,
    )  # fmt: skip


def bootstrap_cell(name: str, n: int, samples: int) -> Cell:
    """.632+ and its relatives."""

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        X, y = rows(rng, n)
        bagged = []
        for split in Bootstrap(samples).splits(Rows(codes=y.astype(np.intp)), seed=int(rng.integers(2**31))):
            if split.part != "fold" or len(split.test) == 0:
                continue
            model = learners()[name]().fit(X[split.train], y[split.train])
            bagged.append(Bagged(split.test, (model.predict(X[split.test]) != y[split.test]).astype(float)))
        called = learners()[name]().fit(X, y).predict(X)
        return {"samples": bagged, "apparent": float(np.mean(called != y)), "no": no_information_rate(y, called)}

    def apply(kind: Any) -> Any:
        return lambda s, confidence: bootstrap_error(
            s["samples"], n=n, apparent=s["apparent"], no_information=s["no"], kind=kind, confidence=confidence
        )

    return Cell(
        family=FAMILY, scenario=f"{name}, n = {n}, {samples} bootstrap samples", draw=draw,
        procedures=tuple(
            Procedure(kind, apply(kind), default=kind == "632+", target="learner")
            for kind in ("632+", "632", "out-of-bag")
        ),
        truth=Truth(name, {"learner": n}), events={"learner": 0.2 * n}, confidences=CONFIDENCES[:1], n=n,
        wanted=ESTABLISHED_LEARNERS, block=50,
    )  # fmt: skip


def pairs_cell(name: str, n: int, k: int, repeats: int) -> Cell:
    """Bates's nested cross-validation with all pairs of folds left out."""

    def draw(rng: np.random.Generator) -> list[Any]:
        X, y = rows(rng, n)
        found = []
        for _ in range(repeats):
            part = np.empty(n, dtype=int)
            for c in (0, 1):
                part[y == c] = rng.permutation(np.arange((y == c).sum()) % k)

            def losses(out: tuple[int, ...], part: np.ndarray = part) -> list[np.ndarray]:
                kept = ~np.isin(part, out)
                model = learners()[name]().fit(X[kept], y[kept])
                return [(model.predict(X[part == f]) != y[part == f]).astype(float) for f in out]

            single = [losses((f,))[0] for f in range(k)]
            pair = {(i, j): tuple(losses((i, j))) for i in range(k) for j in range(i + 1, k)}
            found.append(SimpleNamespace(single=single, pair=pair))
        return found

    def apply(sample: list[Any], confidence: float) -> Interval:
        return bates(sample, bounds=(0, 1), confidence=confidence)

    return Cell(
        family=FAMILY, scenario=f"{name}, n = {n}, {repeats} × all pairs of {k} folds", draw=draw,
        procedures=(Procedure("bates", apply, target="learner"),), truth=Truth(name, {"learner": n}),
        events={"learner": 0.2 * n}, confidences=CONFIDENCES[:1], n=n, wanted=ESTABLISHED_LEARNERS, block=50,
    )  # fmt: skip


def halves_cell(name: str, n: int, pairs: int, parts: int) -> Cell:
    """Conservative z: the variance from estimates of disjoint halves."""

    def split_mean(X: np.ndarray, y: np.ndarray, rng: np.random.Generator, tested: int) -> float:
        scores = []
        for _ in range(parts):
            order = rng.permutation(len(y))
            test, train = order[:tested], order[tested:]
            model = learners()[name]().fit(X[train], y[train])
            scores.append(np.mean(model.predict(X[test]) != y[test]))
        return float(np.mean(scores))

    def draw(rng: np.random.Generator) -> tuple[float, list[list[float]]]:
        X, y = rows(rng, n)
        tested = n // 10
        halves = []
        for _ in range(pairs):
            order = rng.permutation(n)
            two = (order[: n // 2], order[n // 2 :])
            halves.append([split_mean(X[h], y[h], rng, tested) for h in two])
        return split_mean(X, y, rng, tested), halves

    def apply(sample: tuple[float, list[list[float]]], confidence: float) -> Interval:
        return conservative_z(*sample, bounds=(0, 1), confidence=confidence, rows=n)

    return Cell(
        family=FAMILY, scenario=f"{name}, n = {n}, {pairs} pairs of halves, {parts} test parts", draw=draw,
        procedures=(Procedure("conservative z", apply, target="learner"),),
        truth=Truth(name, {"learner": n - n // 10}), events={"learner": 0.2 * n}, confidences=CONFIDENCES[:1], n=n,
        wanted=ESTABLISHED_LEARNERS, block=50,
    )  # fmt: skip


def cells(*, quick: bool) -> Iterator[Cell]:
    """Five learners over one round of folds; the dearer plans with the cheapest learners."""
    if quick:
        yield folds_cell("naive Bayes", 100, 1)
        return
    for name in learners():
        yield folds_cell(name, 100, 1)
    yield folds_cell("naive Bayes", 40, 1)
    for name in ("naive Bayes", "tree"):
        yield replace(folds_cell(name, 100, 5), rank=1 if name == "tree" else 2)
        yield replace(bootstrap_cell(name, 100, 50), rank=1 if name == "tree" else 2)
    yield areas_cell("naive Bayes", 100)
    yield replace(halves_cell("naive Bayes", 100, 5, 5), rank=2)
    yield replace(pairs_cell("naive Bayes", 100, 5, 5), rank=2)
