"""Labels into counts into every count metric with its interval, against scikit-learn's report."""

from __future__ import annotations

from typing import Any

import numpy as np

import trueerror as te
from benchmarks.measuring import Row, best_of, peak_beyond, peak_of_process, row, side_by_side

REPORT = "scikit-learn classification_report"


def labels(n: int, classes: int, right: float = 0.9) -> tuple[Any, Any]:
    """A truth and a model that is right on that share of the rows, and guesses on the others."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    return truth, np.where(rng.random(n) < right, truth, rng.integers(0, classes, n))


def everything(truth: Any, called: Any, positive: Any = None) -> Any:
    """All count metrics with intervals, over all classes and for each."""
    evaluation = te.evaluate(truth, called, positive=positive, metrics="all")
    return evaluation, evaluation.only.classes


def against_report(name: str, truth: Any, called: Any, *, faster: float, rounds: int, positive: Any = None) -> Row:
    from sklearn.metrics import classification_report

    memory = peak_beyond(lambda: everything(truth, called, positive))
    ours_s, peer_s, (evaluation, classes), report = side_by_side(
        lambda: everything(truth, called, positive),
        lambda: classification_report(truth, called, output_dict=True),
        rounds=rounds,
    )
    pairs = [(evaluation["accuracy"].estimate, report["accuracy"])]
    for (metric, label), found in classes.items():
        pairs.append((found.estimate, report[str(label)]["f1-score" if metric == "f1" else metric]))
    pairs.append((evaluation["macro_f1"].estimate, report["macro avg"]["f1-score"]))
    agree = bool(np.allclose(*zip(*pairs, strict=True), rtol=1e-12, atol=0))
    return row(name, ours_s=ours_s, peer=REPORT, peer_s=peer_s, faster=faster, memory_mb=memory, agree=agree)


def case_integers(quick: bool) -> Row:
    n = 1_000_000 if quick else 10_000_000
    truth, called = labels(n, 2)
    return against_report(
        f"{n:,} integer labels: all count metrics", truth, called, faster=20, rounds=2 if quick else 3
    )


def case_strings(quick: bool) -> Row:
    n = 500_000 if quick else 10_000_000
    names = np.array(["healthy", "ill"])
    truth, called = (names[c] for c in labels(n, 2))
    name = f"{n:,} string labels (NumPy text): all count metrics"
    return against_report(name, truth, called, faster=10, rounds=1 if quick else 2, positive="ill")


def case_objects(quick: bool) -> Row:
    n = 300_000 if quick else 10_000_000
    names = np.array(["healthy", "ill"], dtype=object)
    truth, called = (names[c] for c in labels(n, 2))
    name = f"{n:,} string labels (Python objects): all count metrics"
    return against_report(name, truth, called, faster=10, rounds=1 if quick else 2, positive="ill")


def case_hundred_classes(quick: bool) -> Row:
    truth, called = labels(1_000_000, 100)
    return against_report("1,000,000 rows of 100 classes: all count metrics", truth, called, faster=20, rounds=3)


def case_bincount(quick: bool) -> Row:
    """The physical limit: counting alone."""
    n = 10_000_000
    truth, called = labels(n, 2)
    ours_s, peer_s, (evaluation, _), counts = side_by_side(
        lambda: everything(truth, called), lambda: np.bincount(truth * 2 + called), rounds=5
    )
    agree = evaluation.only.confusion.matrix.ravel().tolist() == counts.tolist()
    return row(
        f"{n:,} integer labels: all count metrics", ours_s=ours_s, peer="np.bincount(t * K + p)", peer_s=peer_s,
        slower=2, agree=agree,
    )  # fmt: skip


def case_many_classes(quick: bool) -> Row:
    n, classes = 1_000_000, 50_000
    truth, called = labels(n, classes, right=0.5)
    seconds, (evaluation, tables) = best_of(lambda: everything(truth, called), 1)
    agree = len(evaluation.labels) == classes and len(tables) == 3 * classes
    return row(
        "50,000 classes, 1,000,000 rows: all count metrics and every class", ours_s=seconds, megabytes=500,
        memory_mb=peak_of_process(), agree=agree, note="peak of the whole process, Python and the rows included",
    )  # fmt: skip
