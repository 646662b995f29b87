"""What the reports in these tests are about, by name: made when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import trueerror as te

LONG = "gradient boosting on engineered features, depth {}, learning rate 0.05, trained in the second week of May"
HOSTILE = (
    "<script>window.owned=1;alert(1)</script>",
    '"><img src=x onerror="window.owned=2">',
    "javascript:window.owned=3//'`${window.owned=4}",
)


def scored(models: int, name: str = "model {}", rows: int = 240) -> te.Predictions:
    """Models with scores on the same rows, from weak to strong.

    Every model has one positive at its bottom and one negative at its top, so calling nothing, or everything, pays
    where errors of one kind cost enough.
    """
    rng = np.random.default_rng(11)
    truth = (rng.random(rows) < 0.35).astype(int)
    gaps = np.linspace(0.9, 2.6, models)
    noise = rng.normal(size=(models, rows))
    scores = {name.format(i): 1 / (1 + np.exp(-(noise[i] + g * (truth - 0.4)))) for i, g in enumerate(gaps)}
    for values in scores.values():
        values[np.flatnonzero(truth == 0)[0]], values[np.flatnonzero(truth == 1)[0]] = 0.9999, 0.0001
    return te.predictions(truth, scores=scores)


def hostile() -> te.Predictions:
    """Names of models and of a class that would do something, were they read as markup or script."""
    rng = np.random.default_rng(3)
    truth = np.where(rng.random(80) < 0.5, HOSTILE[0], "benign")
    scores = {name: rng.random(80) * 0.7 + 0.3 * (truth == HOSTILE[0]) for name in HOSTILE}
    return te.predictions(truth, scores=scores, positive=HOSTILE[0])


def called() -> te.Predictions:
    """Labels of three classes, without scores; one name is made of what Markdown and LaTeX take for marks."""
    truth = np.arange(90) % 3
    return te.predictions(truth, {"a|_%$&": np.arange(90) // 2 % 3, "b": truth})


def experiment(sets: int) -> te.Experiment:
    """Two quick learners on small data sets."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(5)
    data = {}
    for i in range(sets):
        X = rng.normal(size=(90, 3))
        data[f"set {i}"] = te.Dataset(X, (X[:, 0] + rng.normal(size=90) > 0).astype(int), positive=1)
    learners = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    return te.experiment(learners, data, plan=te.KFold(3), progress=False, jobs=1)


def sharp() -> te.Predictions:
    """A model that is nearly always right."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 300)
    return te.predictions(truth, scores={"sharp": 1 / (1 + np.exp(-(rng.normal(size=300) + 8 * (truth - 0.5))))})


SOURCES: dict[str, Callable[[], Any]] = {
    "one": lambda: scored(1),
    "two": lambda: scored(2),
    "twelve": lambda: scored(12),
    "forty": lambda: scored(40, LONG),
    "sharp": sharp,
    "hostile": hostile,
    "called": called,
    "experiment": lambda: experiment(1),
    "experiments": lambda: experiment(2),
    "ranking": lambda: te.significance.nemenyi(np.random.default_rng(1).random((8, 4))),
}
