"""Defaults of some thirty questions about one small sample, to hold beside those of another version.

    python -m validation.digits

The table of old and new digits in decision note 22 is what two versions print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import trueerror as te

ROWS, HALF = 300, 150
LABELS = ("accuracy", "f1", "macro_f1", "balanced_accuracy", "mcc", "kappa")
SCORES = ("auc", "average_precision", "brier", "log_loss", "ece")
Ask = Callable[[], te.Interval]


def questions() -> Iterator[tuple[str, Ask]]:
    """What is asked, and the call."""
    rng = np.random.default_rng(5)
    y = (rng.random(ROWS) < 0.3).astype(int)
    scores = {
        m: np.round(1 / (1 + np.exp(-(k * (2 * y - 1) * 1.5 + rng.normal(size=ROWS) * 1.2 - 0.6))), 6)
        for m, k in (("a", 1.2), ("b", 1.0))
    }
    labels = {m: (s >= 0.5).astype(int) for m, s in scores.items()}
    sampling = {"weights": np.round(rng.lognormal(0, 0.8, ROWS), 3), "weights_kind": "sampling"}
    clusters = {"clusters": np.arange(ROWS) // 10}
    grades = {m: rng.beta(a, 4, 100) for m, a in (("a", 8), ("b", 7))}

    def one(metric: str, **design: Any) -> te.Interval:
        said: dict[str, Any] = (
            {"predicted": labels["a"]} if metric in LABELS or metric == "precision" else {"scores": scores["a"]}
        )
        return te.evaluate(y, **said, positive=1, metrics=[metric], **design)[metric]

    def two(metric: str, **design: Any) -> te.Interval:
        said: dict[str, Any] = {"predicted": labels} if metric in LABELS else {"scores": scores}
        return te.compare(y, **said, positive=1, metric=metric, **design)["a", "b"]

    def apart(metric: str) -> te.Interval:
        parts = (("a", slice(HALF)), ("b", slice(HALF, None)))
        own = [te.predictions(y[part], scores={m: scores[m][part]}, positive=1) for m, part in parts]
        return te.compare(*own, metric=metric, paired=False)["a", "b"]

    yield from ((m, partial(one, m)) for m in (*LABELS, *SCORES))
    yield from ((f"{m}, 30 clusters", partial(one, m, **clusters)) for m in ("accuracy", "f1", "auc", *SCORES[2:4]))
    yield from ((f"{m}, sampling weights", partial(one, m, **sampling)) for m in ("accuracy", "auc", "brier"))
    yield from ((f"{m} at a prior of .05", partial(one, m, prior=0.05)) for m in ("precision", "average_precision"))
    yield from ((f"{m}, a − b", partial(two, m)) for m in ("accuracy", "f1", "macro_f1", "mcc", *SCORES))
    yield from ((f"{m}, a − b, 30 clusters", partial(two, m, **clusters)) for m in ("accuracy", "auc", "log_loss"))
    yield from ((f"{m}, a − b, different rows", partial(apart, m)) for m in ("auc", "average_precision", "log_loss"))
    yield "grades", lambda: te.evaluate(te.graded({"a": grades["a"]}))["mean_score"]
    yield "grades, a − b", lambda: te.compare(te.graded(grades))["a", "b"]
    ranks = np.concatenate([[95.5], np.arange(102.0, 121.0), np.arange(1.0, 101.0)])
    truth = np.repeat([1, 0], [20, 100])
    near: dict[str, Any] = {"scores": ranks, "positive": 1, "threshold": 50.0, "metrics": ["auc"]}
    yield "AUC of 20 and 100 rows, one pair in 400 the wrong way round", lambda: te.evaluate(truth, **near)["auc"]


def main() -> None:
    """Print the table."""
    print("| question | estimate | 95 % limits | p |\n|---|---|---|---|")
    for name, ask in questions():
        found = ask()
        p = f"{found.p_value:.3f}" if isinstance(found, te.Contrast) else ""
        print(f"| {name} | {found.estimate:.3f} | {found.low:.3f} to {found.high:.3f} | {p} |")


if __name__ == "__main__":
    main()
